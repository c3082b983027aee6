/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-codec-vectors.h"
#include "hpcc-test-codec.h"

#include "ns3/hpcc-feedback-authenticator.h"
#include "ns3/hpcc-roce-feedback.h"

#include <iostream>
#include <string>

using namespace hpcctest;

TEST_F(FrameCodecTest, FramesSurviveEncodeAndDecode)
{
    SCOPED_TRACE("HPCC_TEST_SEED=" + std::to_string(m_seed));
    std::cout << "HPCC_TEST_SEED=" << m_seed << ", formats:";
    for (const KnownFormat& known : m_formats)
    {
        std::cout << " " << known.name;
    }
    std::cout << "\n";
    for (int i = 0; i < 10000 && !HasFailure(); ++i)
    {
        const KnownFormat& known = RandomFormat();
        FramePtr frame = RandomFrame(known);
        Bytes bytes = Encode(*frame);
        SCOPED_TRACE(known.name + " " + ToHex(bytes));
        ASSERT_EQ(bytes.size(), frame->bytes);
        FramePtr decoded = Decode(bytes, known.codec);
        ExpectSame(*frame, *decoded);
        EXPECT_EQ(decoded->packet == nullptr, frame->kind != Frame::Kind::IP);
        EXPECT_EQ(ToHex(Encode(*decoded)), ToHex(bytes));
    }
}

TEST_F(FrameCodecTest, PauseIsReadAsPfcForAllPriorities)
{
    FramePtr frame = Decode(FrameCodec::EncodePause(777, SOURCE));
    EXPECT_EQ(frame->kind, Frame::Kind::PFC);
    EXPECT_EQ(frame->pfc.classEnable, 0xff);
    for (uint16_t quanta : frame->pfc.quanta)
    {
        EXPECT_EQ(quanta, 777);
    }
}

TEST_F(FrameCodecTest, IcrcIsThatOfThePacketWithoutTelemetry)
{
    for (const KnownFormat& known : m_formats)
    {
        SCOPED_TRACE(known.name);
        FramePtr frame = Roce(ROCE_WRITE_ONLY, 5);
        frame->ipv6 = known.format && known.format->GetMarking().ipv6;
        frame->payloadBytes = 1000;
        Bytes bare = Encode(*frame);
        if (known.format)
        {
            AddTelemetry(*frame, known);
        }
        Bytes bytes = Encode(*frame);
        EXPECT_EQ(Bytes(bytes.end() - ICRC_BYTES, bytes.end()),
                  Bytes(bare.end() - ICRC_BYTES, bare.end()));
    }
}

TEST_F(FrameCodecTest, ATagStandsInFrontOfTheEtherTypeAndLeavesTheRestAlone)
{
    constexpr size_t etherType = 12;
    for (const KnownFormat& known : m_formats)
    {
        FramePtr frame = Roce(ROCE_WRITE_ONLY, 5);
        frame->payloadBytes = 1000;
        Bytes expected = Encode(*frame);
        if (!known.format || known.format->GetMarking().position != TelemetryPosition::TAG)
        {
            continue;
        }
        SCOPED_TRACE(known.name);
        AddTelemetry(*frame, known);
        Bytes tag(known.format->GetWireBytes(frame->telemetry));
        known.format->Serialize(frame->telemetry, tag.data());
        EXPECT_EQ(Get16(tag, 0), known.format->GetMarking().etherType);
        expected.insert(expected.begin() + etherType, tag.begin(), tag.end());
        EXPECT_EQ(ToHex(Encode(*frame)), ToHex(expected));
    }
}

TEST_F(FrameCodecTest, TelemetryStandsWhereItsMarkingSays)
{
    for (const KnownFormat& known : m_formats)
    {
        if (!known.format || known.format->GetMarking().position != TelemetryPosition::TRANSPORT)
        {
            continue;
        }
        SCOPED_TRACE(known.name);
        const TelemetryMarking& marking = known.format->GetMarking();
        FramePtr frame = Roce(ROCE_WRITE_ONLY, 5);
        frame->ipv6 = marking.ipv6;
        frame->payloadBytes = 1000;
        AddTelemetry(*frame, known);
        Bytes telemetry(known.format->GetWireBytes(frame->telemetry));
        known.format->Serialize(frame->telemetry, telemetry.data());
        Bytes bytes = Encode(*frame);
        frame->format = nullptr;
        Bytes bare = Encode(*frame);
        ASSERT_EQ(bytes.size(), bare.size() + telemetry.size());
        auto takeOut = [&bytes, &telemetry](size_t at, size_t size) {
            auto begin = bytes.begin() + static_cast<ptrdiff_t>(at);
            auto end = begin + static_cast<ptrdiff_t>(size);
            EXPECT_EQ(ToHex({begin, end}), ToHex({telemetry.begin(), telemetry.begin() + size}));
            telemetry.erase(telemetry.begin(), telemetry.begin() + size);
            bytes.erase(begin, end);
        };
        size_t udp = IP + IpHeaderBytes(frame->ipv6);
        size_t added = telemetry.size();
        bool network = marking.position == TelemetryPosition::NETWORK;
        size_t lead = network ? added : marking.leadBytes;
        takeOut(udp, lead);
        takeOut(udp + UDP_HEADER_BYTES, added - lead);
        if (marking.protocol >= 0)
        {
            bare[IP + (frame->ipv6 ? 6 : 9)] = static_cast<uint8_t>(marking.protocol);
        }
        if (marking.udpPort)
        {
            Set16(bare, udp + 2, marking.udpPort);
        }
        Set16(bare, udp + 4, bare.size() - udp + (marking.inUdpLength ? added - lead : 0));
        Set16(bare, IP + (frame->ipv6 ? 4 : 2), bare.size() - (frame->ipv6 ? udp : IP) + added);
        if (!frame->ipv6)
        {
            FixChecksum(bare);
        }
        EXPECT_EQ(ToHex(bytes), ToHex(bare));
        EXPECT_EQ(frame->tos, (marking.dscp < 0 ? 26 : marking.dscp) << 2 | ECN_ECT0);
    }
}

TEST_F(FrameCodecTest, NoMarkingChangesTheHashThatChoosesThePath)
{
    for (const KnownFormat& known : m_formats)
    {
        if (!known.format)
        {
            continue;
        }
        SCOPED_TRACE(known.name);
        FramePtr bare = Roce(ROCE_WRITE_ONLY, 5);
        FramePtr frame = Roce(ROCE_WRITE_ONLY, 5);
        bare->ipv6 = frame->ipv6 = known.format->GetMarking().ipv6;
        AddTelemetry(*frame, known);
        FramePtr decoded = Decode(Encode(*frame), known.codec);
        EXPECT_EQ(decoded->format, PeekPointer(known.format));
        EXPECT_EQ(decoded->flowHash, Decode(Encode(*bare))->flowHash);
        EXPECT_EQ(decoded->protocol, 17);
        EXPECT_EQ(decoded->destinationPort, ROCE_UDP_PORT);
        EXPECT_EQ(decoded->telemetry.originalDscp, 26);
    }
}

TEST_F(FrameCodecTest, IpFrameHasTheTtlAndTosOfTheFrameAndARightChecksum)
{
    FramePtr frame = RandomIp();
    frame->ttl = 17;
    frame->tos = 0xab;
    Bytes bytes = Encode(*frame);
    EXPECT_EQ(bytes[IP + 8], 17);
    EXPECT_EQ(bytes[IP + 1], 0xab);
    Bytes fixed = bytes;
    FixChecksum(fixed);
    EXPECT_EQ(ToHex(bytes), ToHex(fixed));
    EXPECT_NE(Get16(bytes, IP + 10), 0);
}

TEST_F(FrameCodecTest, BytesAfterTheIpPacketArePadding)
{
    Bytes bytes = FromHex(SCAPY.at("WRITE FIRST"));
    bytes.resize(bytes.size() + 7, 0xee);
    FramePtr frame = Decode(bytes);
    EXPECT_EQ(frame->payloadBytes, 64);
    EXPECT_EQ(frame->bytes, bytes.size());
}

TEST_F(FrameCodecTest, OtherFieldsOfTheFrameAreLeftAlone)
{
    Bytes bytes = FromHex(SCAPY.at("WRITE FIRST"));
    FramePtr frame = Allocate();
    frame->arrivalNs = 123;
    frame->priority = 5;
    frame->ingressPort = 9;
    frame->admittedBytes = 4;
    frame->msn = 77;
    std::string why;
    ASSERT_TRUE(FrameCodec().Decode(bytes.data(), bytes.size(), *frame, why)) << why;
    EXPECT_EQ(frame->arrivalNs, 123);
    EXPECT_EQ(frame->priority, 5);
    EXPECT_EQ(frame->ingressPort, 9);
    EXPECT_EQ(frame->admittedBytes, 4);
    EXPECT_EQ(frame->msn, 77);
    EXPECT_EQ(frame->pool, &m_pool);
}

TEST_F(FrameCodecTest, EveryRefusalSaysWhatIsWrong)
{
    const Bytes write = FromHex(SCAPY.at("WRITE FIRST"));
    auto changed = [&write](size_t at, uint8_t value) {
        Bytes bytes = write;
        bytes[at] = value;
        return bytes;
    };
    auto repaired = [&changed](size_t at, uint8_t value) {
        Bytes bytes = changed(at, value);
        FixChecksum(bytes);
        FixIcrc(bytes);
        return bytes;
    };
    auto shortened = [](const std::string& name, size_t by) {
        Bytes bytes = FromHex(SCAPY.at(name));
        ShortenPacket(bytes, by);
        return bytes;
    };
    EXPECT_EQ(WhyNot(Bytes(write.begin(), write.begin() + 59)), "frame of 59 bytes is a runt");
    EXPECT_EQ(WhyNot({}), "frame of 0 bytes is a runt");
    EXPECT_EQ(WhyNot(changed(13, 6)), "EtherType 2054 is neither IP nor MAC control");
    EXPECT_EQ(WhyNot(changed(IP, 0x65)), "IP version is not 4");
    EXPECT_EQ(WhyNot(changed(IP, 0x44)), "IPv4 header length is wrong");
    EXPECT_EQ(WhyNot(Bytes(write.begin(), write.end() - 1)), "IPv4 packet is cut off");
    EXPECT_EQ(WhyNot(changed(IP + 8, 63)), "IPv4 header checksum is wrong");
    EXPECT_EQ(WhyNot(changed(IP + 10, 0)), "IPv4 header checksum is wrong");
    EXPECT_EQ(WhyNot(repaired(IP + 6, 0x60)), "RoCE packet is fragmented or has IPv4 options");
    EXPECT_EQ(WhyNot(changed(UDP + 5, 0x67)), "UDP length is wrong");
    EXPECT_EQ(WhyNot(shortened("SEND ONLY, empty", 4)), "BTH is cut off");
    EXPECT_EQ(WhyNot(changed(BTH + 7, 0x13)), "ICRC is wrong");
    EXPECT_EQ(WhyNot(repaired(BTH, 0x0b)), "BTH opcode 11 is not known");
    EXPECT_EQ(WhyNot(repaired(BTH + 1, 0x41)), "BTH version is not 0");
    EXPECT_EQ(WhyNot(repaired(BTH + 2, 0x7f)), "P_Key is not 0xffff");
    EXPECT_EQ(WhyNot(shortened("ACK, BECN", 4)),
              "packet is too short for its BTH opcode and pad count");
    EXPECT_EQ(WhyNot(shortened("WRITE FIRST", 1)),
              "packet length does not fit its BTH opcode and pad count");

    Bytes pfc = FromHex(SCAPY.at("PFC"));
    pfc[5] = 2;
    EXPECT_EQ(WhyNot(pfc), "MAC control frame is not to 01:80:c2:00:00:01");
    pfc = FromHex(SCAPY.at("PFC"));
    pfc[14] = 0x10;
    EXPECT_EQ(WhyNot(pfc), "MAC control opcode 4097 is neither PFC nor PAUSE");
}

TEST_F(FrameCodecTest, ProbesAreEmptyAndNotificationsNameWhatTheyAnswer)
{
    // Only the opcode differs, not the length; the ICRC is corrected.
    auto withOpcode = [this](const std::string& name, uint8_t opcode) {
        Bytes bytes = FromHex(SCAPY.at(name));
        bytes[BTH] = opcode;
        FixIcrc(bytes);
        return WhyNot(bytes);
    };
    EXPECT_EQ(withOpcode("notification", ROCE_PROBE),
              "packet length does not fit its BTH opcode and pad count");
    EXPECT_EQ(withOpcode("NAK", ROCE_NOTIFICATION),
              "selective NAK or notification does not name a packet");
    FramePtr notification = Roce(ROCE_NOTIFICATION, 5);
    AddTelemetry(*notification, m_formats.back());
    notification->reflection.namedPsn = 9;
    notification->reflection.flags = REFLECTION_AUTHENTICATED;
    const FeedbackAuthenticator authenticator("secret", "flow");
    const FeedbackTag tag = SignReflection(authenticator, 3, *notification);
    EXPECT_EQ(SignReflection(authenticator, 3, *notification), tag);
    notification->reflection.namedPsn = 8;
    EXPECT_NE(SignReflection(authenticator, 3, *notification), tag);
    notification->reflection.namedPsn = 9;
    notification->psn = 6;
    EXPECT_NE(SignReflection(authenticator, 3, *notification), tag);
}

TEST_F(FrameCodecTest, TelemetryThatNoRegisteredFormatReadsIsRefused)
{
    for (const KnownFormat& known : m_formats)
    {
        if (!known.format)
        {
            continue;
        }
        SCOPED_TRACE(known.name);
        FramePtr ack = Roce(ROCE_ACK, 5);
        AddTelemetry(*ack, known);
        EXPECT_EQ(WhyNot(Encode(*ack)),
                  "no known telemetry format reads the records after the reflection header");

        FramePtr write = Roce(ROCE_WRITE_ONLY, 5);
        write->ipv6 = known.format->GetMarking().ipv6;
        AddTelemetry(*write, known);
        Bytes bytes = Encode(*write);
        const TelemetryMarking& marking = known.format->GetMarking();
        if (marking.dscp >= 0)
        {
            EXPECT_EQ(WhyNot(bytes), "ICRC is wrong");
            continue;
        }
        if (uint16_t etherType = marking.etherType)
        {
            EXPECT_EQ(WhyNot(bytes),
                      "EtherType " + std::to_string(etherType) + " is neither IP nor MAC control");
            continue;
        }
        FramePtr frame = Decode(bytes);
        EXPECT_EQ(frame->kind, Frame::Kind::IP)
            << "without the format the port or protocol is an ordinary one";
    }
}

TEST_F(FrameCodecTest, EveryTruncationOfTheBytesIsRefused)
{
    for (int i = 0; i < 200; ++i)
    {
        const KnownFormat& known = RandomFormat();
        FramePtr frame = RandomRoce(known);
        Bytes bytes = Encode(*frame);
        size_t ip = IP + TagBytes(*frame);
        size_t packetBytes =
            frame->ipv6 ? ip + IPV6_HEADER_BYTES + Get16(bytes, ip + 4) : ip + Get16(bytes, ip + 2);
        for (size_t size = 0; size < packetBytes && size < 400; ++size)
        {
            WhyNot(Bytes(bytes.begin(), bytes.begin() + size), known.codec);
        }
    }
}

TEST_F(FrameCodecTest, CorruptBytesAreRefusedOrAreAFrame)
{
    SCOPED_TRACE("HPCC_TEST_SEED=" + std::to_string(m_seed));
    int refused = 0;
    for (int i = 0; i < 40000 && !HasFailure(); ++i)
    {
        const KnownFormat& known = RandomFormat();
        FramePtr frame = RandomFrame(known);
        Bytes bytes = Encode(*frame);
        bool plain = TagBytes(*frame) == 0;
        bool shorten = plain && frame->kind == Frame::Kind::ROCE && !frame->ipv6 && Draw(1);
        if (shorten)
        {
            ShortenPacket(bytes, Draw(bytes.size() - BTH - ICRC_BYTES - 10));
        }
        for (uint64_t changes = Draw(3); changes > 0; --changes)
        {
            bytes[Draw(Draw(1) ? bytes.size() - 1 : MIN_FRAME_BYTES - 1)] = Draw<uint8_t>();
        }
        if (plain && frame->kind != Frame::Kind::PFC && Draw(3) && bytes[IP] == 0x45)
        {
            FixChecksum(bytes);
            if (size_t end = IP + Get16(bytes, IP + 2); end <= bytes.size() && end > BTH + 16)
            {
                FixIcrc(bytes);
            }
        }
        bytes.shrink_to_fit();
        SCOPED_TRACE(known.name + " " + ToHex(bytes));
        FramePtr decoded = Allocate();
        std::string why;
        if (!known.codec.Decode(bytes.data(), bytes.size(), *decoded, why))
        {
            EXPECT_NE(why, "");
            ++refused;
            continue;
        }
        EXPECT_EQ(decoded->bytes, bytes.size());
        Bytes again = Encode(*decoded);
        EXPECT_LE(again.size(), bytes.size());
        if (!decoded->format && decoded->opcode != ROCE_CNP)
        {
            FramePtr twice = Decode(again, known.codec);
            decoded->bytes = again.size();
            ExpectSame(*decoded, *twice);
        }
    }
    EXPECT_GT(refused, 2000);
    EXPECT_LT(refused, 38000);
}
