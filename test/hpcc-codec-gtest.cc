/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/hpcc-frame-codec.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-reflection-header.h"
#include "ns3/hpcc-roce-headers.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/hpcc-worst-hop.h"
#include "ns3/pcap-file.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iostream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

using Bytes = std::vector<uint8_t>;

const Mac48Address SOURCE("02:00:00:00:00:01");
const Mac48Address DESTINATION("02:00:00:00:00:02");
constexpr size_t IP = ETHERNET_HEADER_BYTES;
constexpr size_t UDP = IP + IPV4_HEADER_BYTES;
constexpr size_t BTH = UDP + UDP_HEADER_BYTES;

/// Frames that scapy 2.5.0 made; test/oracle/make_codec_vectors.py prints them.
const std::map<std::string, std::string> SCAPY{
    {"WRITE FIRST",
     "0200000000020200000000010800456a007c00014000401126040a0000010a000002c00112b7006800000640ffff"
     "00000012000000641122334455667788deadbeef0000100000000000000000000000000000000000000000000000"
     "0000000000000000000000000000000000000000000000000000000000000000000000000000000000004ee89c1"
     "d"},
    {"WRITE MIDDLE, CE",
     "0200000000020200000000010800456b006cffff4000401126140a0000010a000002c00112b7005800000740ffff"
     "00000012000000650000000000000000000000000000000000000000000000000000000000000000000000000000"
     "0000000000000000000000000000000000000000000000000000f967a6ac"},
    {"WRITE LAST, 61 bytes",
     "0200000000020200000000010800456a006c00014000401126140a0000010a000002c00112b7005800000870ffff"
     "00abcdef80fffffe0000000000000000000000000000000000000000000000000000000000000000000000000000"
     "0000000000000000000000000000000000000000000000000000c919989d"},
    {"WRITE ONLY, 5 bytes, solicited, FECN",
     "0200000000020200000000010800456a0044000140004011263c0a0000010a000002c00112b7003000000af0ffff"
     "80000012800000671122334455667788deadbeef000010000000000000000000fb383937"},
    {"SEND ONLY, empty",
     "0200000000020200000000010800456a002c00014000401126540a0000010a000002c00112b7001800000440ffff"
     "00000012800000687477e7c30000"},
    {"ACK, BECN",
     "020000000002020000000001080045c0003000014000401125fa0a0000010a000002c00112b7001c00001140ffff"
     "40000011000000661ffedcbab7aa49f7"},
    {"NAK",
     "0200000000020200000000010800456a003000014000401126500a0000010a000002c00112b7001c00001140ffff"
     "00000011000000656000000160ded14d"},
    {"probe",
     "02000000000202000000000108004564002c000140004011265a0a0000010a000002c00112b700180000c040ffff"
     "0000001255123456f24426e40000"},
    {"notification",
     "0200000000020200000000010800456a0034000140004011264c0a0000010a000002c00112b700200000c140ffff"
     "00000011001234501f000007551234562a520a80"},
    {"CNP",
     "020000000002020000000001080045c0003c00014000401125ee0a0000010a000002c00112b7002800008100ffff"
     "400000110000000000000000000000000000000000000000c2096723"},
    {"CNP, rate of a congested path",
     "020000000002020000000001080045c0003c00014000401125ee0a0000010a000002c00112b7002800008100ffff"
     "4000001100000000018000000000000011223344556677884356b237"},
    {"CNP, window",
     "020000000002020000000001080045c0003c00014000401125ee0a0000010a000002c00112b7002800008100ffff4"
     "000"
     "0011000000000200fffe00000000000000001234567857407a10"},
    {"CNP, authenticated window",
     "020000000002020000000001080045c0004800014000401125e20a0000010a000002c00112b7003400008100ffff4"
     "000"
     "00110000000002c000010000000000000000123456780102030405060708090a0b0cae2a75f8"},
    {"WRITE MIDDLE, epoch 13",
     "0200000000020200000000010800456a003000014000401126500a0000010a000002c00112b7001c00000740ffff0"
     "000"
     "00128d0000650000000041e2f545"},
    {"PFC",
     "0180c2000001020000000001880801010089123400000000ffff0000000000000000000000000000000000000000"
     "0000000000000000000000000000"},
    {"PAUSE",
     "0180c200000102000000000188080001123400000000000000000000000000000000000000000000000000000000"
     "0000000000000000000000000000"},
};

/// A CNP that a ConnectX-4 Lx sent, from the IPv4 header on: the capture in scapy's
/// test/contrib/roce.uts.
const std::string CONNECTX_CNP = "45c2003c718c4000401191610a0011010a001201000012b7002800008100ffff4"
                                 "0000118000000000000000000000000"
                                 "000000000000000082fd002a";

/// The packet of an unreliable connection in scapy's test/contrib/roce.uts, from the IPv4 header
/// on.
const std::string UC_SEND_ONLY = "45010040047840004011b4d5c0a80007c0a80007c00012b7002caca22460ffff0"
                                 "00000d300cf17104630818be28935d9"
                                 "0e9a95505401be885e50000078f353f3";

Bytes
FromHex(const std::string& hex)
{
    Bytes bytes;
    for (size_t i = 0; i + 1 < hex.size(); i += 2)
    {
        bytes.push_back(static_cast<uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
    }
    return bytes;
}

std::string
ToHex(const Bytes& bytes)
{
    std::string hex;
    for (uint8_t byte : bytes)
    {
        hex += "0123456789abcdef"[byte >> 4];
        hex += "0123456789abcdef"[byte & 0xf];
    }
    return hex;
}

/// A big-endian number of two bytes.
uint16_t
Get16(const Bytes& bytes, size_t at)
{
    return static_cast<uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}

void
Set16(Bytes& bytes, size_t at, size_t value)
{
    bytes[at] = static_cast<uint8_t>(value >> 8);
    bytes[at + 1] = static_cast<uint8_t>(value);
}

/// Make the IPv4 header checksum right.
void
FixChecksum(Bytes& frame)
{
    Set16(frame, IP + 10, 0);
    uint32_t sum = 0;
    for (size_t i = IP; i < UDP; i += 2)
    {
        sum += Get16(frame, i);
    }
    sum = (sum & 0xffff) + (sum >> 16);
    Set16(frame, IP + 10, ~(sum + (sum >> 16)));
}

/// Make the ICRC of a packet without telemetry right.
void
FixIcrc(Bytes& frame)
{
    size_t end = IP + Get16(frame, IP + 2) - ICRC_BYTES;
    uint32_t icrc = FrameCodec::InvariantCrc(&frame[IP], end - IP);
    for (size_t i = 0; i < ICRC_BYTES; ++i)
    {
        frame[end + i] = static_cast<uint8_t>(icrc >> 8 * i);
    }
}

/// Cut bytes off the end of the IPv4 packet, and make its lengths, checksum and ICRC right again.
void
ShortenPacket(Bytes& frame, size_t by)
{
    size_t ipBytes = Get16(frame, IP + 2) - by;
    Set16(frame, IP + 2, ipBytes);
    Set16(frame, UDP + 4, ipBytes - IPV4_HEADER_BYTES);
    frame.resize(std::max<size_t>(IP + ipBytes, MIN_FRAME_BYTES));
    FixChecksum(frame);
    FixIcrc(frame);
}

/// A frame on loan from a pool.
struct FreeFrame
{
    void operator()(Frame* frame) const
    {
        FramePool::Free(frame);
    }
};

using FramePtr = std::unique_ptr<Frame, FreeFrame>;

/// A telemetry format of the module, a codec that knows it, and its name.
struct KnownFormat
{
    std::string name;            ///< short name; "none" without telemetry
    Ptr<TelemetryFormat> format; ///< null without telemetry
    FrameCodec codec;            ///< knows this format only, as formats may share ports and ids
};

class FrameCodecTest : public testing::Test
{
  protected:
    /// A hop on the way of a frame.
    struct Hop
    {
        HopSnapshot snapshot; ///< what its port knew
        bool inserted;        ///< whether it found room
    };

    FrameCodecTest()
    {
        const char* seed = std::getenv("HPCC_TEST_SEED");
        m_seed = seed ? std::stoul(seed) : std::random_device{}();
        m_random.seed(m_seed);
        RecordProperty("seed", std::to_string(m_seed));
        m_formats.push_back({"none", nullptr, FrameCodec()});
        TypeId base = TelemetryFormat::GetTypeId();
        for (const std::string& name : HpccPresets::Names(base))
        {
            ObjectFactory factory;
            EXPECT_TRUE(HpccPresets::Find(base, name, factory)) << name;
            KnownFormat known{name, factory.Create<TelemetryFormat>(), FrameCodec()};
            known.codec.AddFormat(PeekPointer(known.format));
            m_formats.push_back(known);
        }
    }

    /// A number from 0 to a limit.
    uint64_t Draw(uint64_t limit)
    {
        return std::uniform_int_distribution<uint64_t>(0, limit)(m_random);
    }

    template <typename T>
    T Draw()
    {
        return static_cast<T>(Draw(std::numeric_limits<T>::max()));
    }

    FramePtr Allocate()
    {
        return FramePtr(m_pool.Allocate());
    }

    /// The frame of all scapy vectors, but for what the test sets.
    FramePtr Roce(uint8_t opcode, uint32_t psn)
    {
        FramePtr frame = Allocate();
        frame->kind = Frame::Kind::ROCE;
        frame->source = 0x0a000001;
        frame->destination = 0x0a000002;
        frame->sourcePort = 0xc001;
        frame->destinationPort = ROCE_UDP_PORT;
        frame->protocol = 17;
        frame->tos = 26 << 2 | ECN_ECT0;
        frame->ttl = 64;
        frame->ipId = 1;
        frame->ipv6 = false;
        frame->opcode = opcode;
        frame->bthFlags = 0;
        frame->destinationQp = 0x12;
        frame->psn = psn;
        frame->payloadBytes = 0;
        frame->reth = {0x1122334455667788, 0xdeadbeef, 4096};
        if (frame->IsAcknowledgement())
        {
            frame->reflection.flags = 0;
        }
        if (opcode == ROCE_CNP)
        {
            frame->notification = {0, RoceNotificationHeader::NONE, false, false, 0, {}};
        }
        frame->syndrome = ROCE_SYNDROME_ACK;
        frame->msn = 1;
        frame->bytes = RoceFrameBytes(*frame);
        return frame;
    }

    void AddTelemetry(Frame& frame, const KnownFormat& known)
    {
        frame.format = PeekPointer(known.format);
        uint8_t dscp = frame.tos >> 2;
        constexpr uint16_t requests[] = {0, TELEMETRY_QUEUE_DELAY, TELEMETRY_UTILIZATION};
        frame.format->Open(frame.telemetry, {ROCE_UDP_PORT, 17, dscp, requests[Draw(2)]});
        if (!frame.format->GetPortAgent().empty())
        {
            // What switch agents write: there are none here, and any bytes are a header.
            m_header.resize(frame.format->GetBaseBytes());
            std::generate(m_header.begin(), m_header.end(), [this]() { return Draw<uint8_t>(); });
            TelemetryStack filled;
            frame.format->Deserialize(m_header.data(), m_header.size(), filled);
            frame.telemetry.words = filled.words;
        }
        if (int marked = frame.format->GetMarking().dscp; marked >= 0)
        {
            frame.tos = static_cast<uint8_t>(marked << 2 | (frame.tos & 3));
        }
        m_hops.clear();
        for (uint64_t hops = Draw(9); hops > 0; --hops)
        {
            HopSnapshot hop{};
            hop.timestampNs = Draw(1ULL << 40);
            hop.txBytes = Draw(1ULL << 40);
            hop.bandwidthBps = (Draw(7) + 1) * 25000000000;
            hop.queueBytes = Draw(1) ? Draw(1 << 25) : 0;
            hop.switchId = Draw(0xfff);
            hop.egressPort = Draw(0xff);
            hop.ingressPort = Draw(0xff);
            hop.hopLatencyNs = Draw(1 << 20);
            hop.utilizationPpm = Draw(1000000);
            hop.queueId = Draw(7);
            hop.ttl = Draw<uint8_t>();
            hop.ecn = Draw(3);
            int32_t grown = frame.format->Insert(frame.telemetry, hop, Draw(3) ? 9000 : 0);
            m_hops.push_back({hop, grown != TelemetryFormat::NOT_INSERTED});
        }
        if (frame.IsAcknowledgement())
        {
            constexpr uint8_t reports = REFLECTION_WORST_HOP | REFLECTION_BARE_HOP;
            frame.reflection.flags = Draw(15) & ~reports;
            if (frame.format->GetPortAgent().empty() && Draw(3) == 0)
            {
                AddReport(frame);
            }
            std::generate(frame.reflection.tag.begin(), frame.reflection.tag.end(), [this]() {
                return Draw<uint8_t>();
            });
        }
        frame.reportedFlows = Draw<uint16_t>();
        frame.reflectionSeq = Draw<uint16_t>();
    }

    /// A report of one hop in place of records: any words are one.
    void AddReport(Frame& frame)
    {
        frame.reflection.flags |= Draw(1) ? REFLECTION_WORST_HOP : REFLECTION_BARE_HOP;
        frame.telemetry.hops = 1;
        for (uint32_t i = 0; i < HpccWorstHop::WORDS; ++i)
        {
            frame.telemetry.words[i] = Draw<uint32_t>();
        }
    }

    static uint32_t ReportWords(const Frame& frame)
    {
        return frame.reflection.flags & REFLECTION_WORST_HOP ? HpccWorstHop::WORDS
                                                             : HpccWorstHop::BARE_WORDS;
    }

    FramePtr RandomRoce(const KnownFormat& known)
    {
        constexpr uint8_t opcodes[] = {ROCE_SEND_FIRST,
                                       ROCE_SEND_MIDDLE,
                                       ROCE_SEND_LAST,
                                       ROCE_SEND_ONLY,
                                       ROCE_WRITE_FIRST,
                                       ROCE_WRITE_MIDDLE,
                                       ROCE_WRITE_LAST,
                                       ROCE_WRITE_ONLY,
                                       ROCE_READ_REQUEST,
                                       ROCE_READ_RESPONSE_FIRST,
                                       ROCE_READ_RESPONSE_MIDDLE,
                                       ROCE_READ_RESPONSE_LAST,
                                       ROCE_READ_RESPONSE_ONLY,
                                       ROCE_ACK,
                                       ROCE_ACK,
                                       ROCE_ACK,
                                       ROCE_PROBE,
                                       ROCE_NOTIFICATION,
                                       ROCE_NOTIFICATION,
                                       ROCE_CNP};
        FramePtr frame = Roce(opcodes[Draw(std::size(opcodes) - 1)], Draw(0xffffff));
        frame->source = Draw<uint32_t>();
        frame->destination = Draw<uint32_t>();
        frame->sourcePort = Draw<uint16_t>();
        frame->tos = Draw<uint8_t>();
        frame->ttl = Draw<uint8_t>();
        frame->ipv6 = Draw(1) || (known.format && known.format->GetMarking().ipv6);
        frame->ipId = frame->ipv6 ? 0 : Draw<uint16_t>();
        frame->bthFlags = Draw<uint8_t>();
        if (frame->opcode == ROCE_PROBE)
        {
            frame->bthFlags &=
                (1 << RoceEpoch::SHIFT) - 1; // its number is where the epoch would be
        }
        frame->destinationQp = Draw(0xffffff);
        if (HasReth(frame->opcode))
        {
            frame->reth = {Draw<uint64_t>(), Draw<uint32_t>(), Draw<uint32_t>()};
        }
        constexpr uint8_t syndromes[] = {ROCE_SYNDROME_ACK,
                                         ROCE_SYNDROME_NAK_SEQUENCE,
                                         ROCE_SYNDROME_NAK_SELECTIVE};
        frame->syndrome = syndromes[Draw(2)];
        if (frame->NamesPacket())
        {
            frame->reflection.namedPsn = frame->IsSelective() ? Draw(0xffffff) : Draw<uint32_t>();
        }
        frame->msn = Draw(0xffffff);
        if (frame->opcode == ROCE_CNP)
        {
            frame->psn = 0;
            frame->bthFlags |= ROCE_BECN;
            frame->notification = {Draw<uint64_t>(),
                                   Draw<uint8_t>(),
                                   Draw(1) == 1,
                                   Draw(1) == 1,
                                   Draw<uint16_t>(),
                                   {}};
            FeedbackTag& tag = frame->notification.tag;
            std::generate(tag.begin(), tag.end(), [this] { return Draw<uint8_t>(); });
        }
        else if (known.format)
        {
            AddTelemetry(*frame, known);
        }
        if (!frame->IsRoceFeedback() && frame->opcode != ROCE_READ_REQUEST &&
            frame->opcode != ROCE_PROBE)
        {
            frame->payloadBytes = Draw(3) ? Draw(1500) : Draw(9000);
        }
        frame->flowHash =
            HashFiveTuple(frame->source, frame->destination, frame->sourcePort, ROCE_UDP_PORT, 17);
        frame->bytes = RoceFrameBytes(*frame);
        return frame;
    }

    /// A UDP packet of ns-3's IP stack, which leaves the checksums 0.
    FramePtr RandomIp()
    {
        FramePtr frame = Roce(0, 0);
        frame->kind = Frame::Kind::IP;
        frame->sourcePort = 0xf000 + Draw(9);
        frame->destinationPort = 9;
        Bytes ip(IPV4_HEADER_BYTES + UDP_HEADER_BYTES + Draw(1400));
        ip[0] = 0x45;
        Set16(ip, 2, ip.size());
        Set16(ip, 4, frame->ipId = Draw<uint16_t>());
        ip[8] = 64;
        ip[9] = 17;
        for (size_t i = 0; i < 4; ++i)
        {
            ip[12 + i] = static_cast<uint8_t>(frame->source >> (24 - 8 * i));
            ip[16 + i] = static_cast<uint8_t>(frame->destination >> (24 - 8 * i));
        }
        Set16(ip, 20, frame->sourcePort);
        Set16(ip, 22, frame->destinationPort);
        Set16(ip, 24, ip.size() - IPV4_HEADER_BYTES);
        std::generate(ip.begin() + 28, ip.end(), [this]() { return Draw<uint8_t>(); });
        frame->packet = Create<Packet>(ip.data(), ip.size());
        frame->ttl = 64 - Draw(9);
        frame->tos = Draw<uint8_t>();
        frame->flowHash = HashFiveTuple(frame->source,
                                        frame->destination,
                                        frame->sourcePort,
                                        frame->destinationPort,
                                        17);
        frame->bytes = std::max<uint32_t>(ip.size() + ETHERNET_HEADER_BYTES, MIN_FRAME_BYTES);
        return frame;
    }

    FramePtr RandomPfc()
    {
        FramePtr frame = Allocate();
        frame->kind = Frame::Kind::PFC;
        frame->opcode = 0;
        frame->payloadBytes = 0;
        frame->pfc.classEnable = Draw<uint8_t>();
        for (uint16_t& quanta : frame->pfc.quanta)
        {
            quanta = Draw(1) ? Draw<uint16_t>() : 0;
        }
        frame->bytes = MIN_FRAME_BYTES;
        return frame;
    }

    FramePtr RandomFrame(const KnownFormat& known)
    {
        switch (Draw(9))
        {
        case 0:
            return RandomPfc();
        case 1:
            return RandomIp();
        default:
            return RandomRoce(known);
        }
    }

    const KnownFormat& RandomFormat()
    {
        return m_formats[Draw(m_formats.size() - 1)];
    }

    /// @return bytes in front of the EtherType that are telemetry
    static size_t TagBytes(const Frame& frame)
    {
        bool tagged = frame.kind == Frame::Kind::ROCE && frame.CollectsTelemetry() &&
                      frame.format->GetMarking().position == TelemetryPosition::TAG;
        return tagged ? frame.format->GetWireBytes(frame.telemetry) : 0;
    }

    static Bytes Encode(const Frame& frame)
    {
        return FrameCodec::Encode(frame, SOURCE, DESTINATION);
    }

    /// Decode a frame that must be right.
    FramePtr Decode(const Bytes& bytes, const FrameCodec& codec = FrameCodec())
    {
        FramePtr frame = Allocate();
        std::string why;
        EXPECT_TRUE(codec.Decode(bytes.data(), bytes.size(), *frame, why)) << why;
        EXPECT_EQ(why, "");
        return frame;
    }

    /// @return why bytes are refused
    std::string WhyNot(const Bytes& bytes, const FrameCodec& codec = FrameCodec())
    {
        FramePtr frame = Allocate();
        std::string why;
        EXPECT_FALSE(codec.Decode(bytes.data(), bytes.size(), *frame, why));
        EXPECT_EQ(frame->packet, nullptr);
        return why;
    }

    static void ExpectSameStack(const Frame& a, const Frame& b)
    {
        ASSERT_EQ(a.telemetry.hops, b.telemetry.hops);
        EXPECT_EQ(a.telemetry.flags, b.telemetry.flags);
        if (a.format->GetCapabilities().pathIdentified)
        {
            EXPECT_EQ(a.telemetry.pathId, b.telemetry.pathId);
        }
        for (uint32_t i = 0; i < a.telemetry.hops; ++i)
        {
            HopTelemetry x = a.format->Read(a.telemetry, i);
            HopTelemetry y = b.format->Read(b.telemetry, i);
            EXPECT_EQ(x.fields, y.fields);
            EXPECT_EQ(x.timestampNs, y.timestampNs);
            EXPECT_EQ(x.txBytes, y.txBytes);
            EXPECT_EQ(x.bandwidthBps, y.bandwidthBps);
            EXPECT_EQ(x.queueBytes, y.queueBytes);
            EXPECT_EQ(x.utilization, y.utilization);
            EXPECT_EQ(x.queueDelayNs, y.queueDelayNs);
            EXPECT_EQ(x.switchId, y.switchId);
            EXPECT_EQ(x.portId, y.portId);
            EXPECT_EQ(x.hopLatencyNs, y.hopLatencyNs);
        }
        if (a.IsAcknowledgement())
        {
            EXPECT_EQ(a.reportedFlows, b.reportedFlows);
            EXPECT_EQ(a.reflectionSeq, b.reflectionSeq);
        }
        else
        {
            EXPECT_EQ(a.telemetry.remainingHops, b.telemetry.remainingHops);
            EXPECT_EQ(a.telemetry.originalPort, b.telemetry.originalPort);
        }
    }

    static void ExpectSameRoce(const Frame& a, const Frame& b)
    {
        EXPECT_EQ(a.bthFlags, b.bthFlags);
        EXPECT_EQ(a.destinationQp, b.destinationQp);
        EXPECT_EQ(a.psn, b.psn);
        if (HasReth(a.opcode))
        {
            EXPECT_EQ(a.reth.address, b.reth.address);
            EXPECT_EQ(a.reth.key, b.reth.key);
            EXPECT_EQ(a.reth.length, b.reth.length);
        }
        if (HasAeth(a.opcode))
        {
            EXPECT_EQ(a.syndrome, b.syndrome);
            EXPECT_EQ(a.msn, b.msn);
        }
        if (a.opcode == ROCE_PROBE)
        {
            EXPECT_EQ(a.msn & 0x7f, b.msn);
        }
        if (a.NamesPacket())
        {
            EXPECT_EQ(a.reflection.namedPsn, b.reflection.namedPsn);
        }
        if (a.opcode == ROCE_CNP)
        {
            EXPECT_EQ(a.notification.kind, b.notification.kind);
            EXPECT_EQ(a.notification.congested, b.notification.congested);
            EXPECT_EQ(a.notification.value, b.notification.value);
            EXPECT_EQ(a.notification.number, b.notification.number);
            ASSERT_EQ(a.notification.authenticated, b.notification.authenticated);
            if (a.notification.authenticated)
            {
                EXPECT_EQ(a.notification.tag, b.notification.tag);
            }
        }
        ASSERT_EQ(a.format, b.format);
        if (a.format && a.IsAcknowledgement())
        {
            EXPECT_EQ(a.reflection.flags, b.reflection.flags);
            if (a.reflection.flags & REFLECTION_AUTHENTICATED)
            {
                EXPECT_EQ(a.reflection.tag, b.reflection.tag);
            }
        }
        if (a.format && a.IsAcknowledgement() && a.ReportsWorstHop())
        {
            const auto words = a.telemetry.words.begin();
            EXPECT_TRUE(std::equal(words, words + ReportWords(a), b.telemetry.words.begin()));
        }
        else if (a.format)
        {
            ExpectSameStack(a, b);
        }
    }

    /// Everything that the wire carries is the same.
    static void ExpectSame(const Frame& a, const Frame& b)
    {
        ASSERT_EQ(a.kind, b.kind);
        EXPECT_EQ(a.bytes, b.bytes);
        EXPECT_EQ(a.opcode, b.opcode);
        EXPECT_EQ(a.payloadBytes, b.payloadBytes);
        if (a.kind == Frame::Kind::PFC)
        {
            EXPECT_EQ(a.pfc.classEnable, b.pfc.classEnable);
            EXPECT_EQ(a.pfc.quanta, b.pfc.quanta);
            return;
        }
        EXPECT_EQ(a.source, b.source);
        EXPECT_EQ(a.destination, b.destination);
        EXPECT_EQ(a.sourcePort, b.sourcePort);
        EXPECT_EQ(a.destinationPort, b.destinationPort);
        EXPECT_EQ(a.flowHash, b.flowHash);
        EXPECT_EQ(a.tos, b.tos);
        EXPECT_EQ(a.ttl, b.ttl);
        EXPECT_EQ(a.protocol, b.protocol);
        EXPECT_EQ(a.ipId, b.ipId);
        EXPECT_EQ(a.ipv6, b.ipv6);
        if (a.kind == Frame::Kind::ROCE)
        {
            ExpectSameRoce(a, b);
        }
    }

    /// Write what a frame was made from as a line of key=value pairs.
    void Describe(std::ostream& out, const KnownFormat& known, const Frame& frame) const
    {
        out << "format=" << known.name << " bytes=" << frame.bytes;
        if (frame.kind == Frame::Kind::PFC)
        {
            out << " kind=pfc class_enable=" << frame.pfc.classEnable;
            for (size_t i = 0; i < frame.pfc.quanta.size(); ++i)
            {
                out << " quanta" << i << "=" << frame.pfc.quanta[i];
            }
            out << "\n";
            return;
        }
        out << " kind=" << (frame.packet ? "ip" : "roce") << " source=" << frame.source
            << " destination=" << frame.destination << " source_port=" << frame.sourcePort
            << " destination_port=" << frame.destinationPort << " tos=" << +frame.tos
            << " ttl=" << +frame.ttl << " ip_id=" << frame.ipId << " ipv6=" << frame.ipv6;
        if (frame.kind == Frame::Kind::ROCE)
        {
            DescribeRoce(out, frame);
        }
        out << "\n";
    }

    void DescribeRoce(std::ostream& out, const Frame& frame) const
    {
        out << " opcode=" << +frame.opcode << " flags=" << +frame.bthFlags
            << " qp=" << frame.destinationQp << " psn=" << frame.psn
            << " payload_bytes=" << frame.payloadBytes << " telemetry_bytes="
            << (frame.CollectsTelemetry() ? frame.format->GetWireBytes(frame.telemetry) : 0);
        if (HasReth(frame.opcode))
        {
            out << " address=" << frame.reth.address << " key=" << frame.reth.key
                << " length=" << frame.reth.length;
        }
        if (HasAeth(frame.opcode))
        {
            out << " syndrome=" << +frame.syndrome << " msn=" << frame.msn;
        }
        if (frame.opcode == ROCE_PROBE)
        {
            out << " probe_number=" << (frame.msn & 0x7f);
        }
        if (frame.NamesPacket())
        {
            out << " named_psn=" << frame.reflection.namedPsn;
        }
        if (frame.opcode == ROCE_CNP)
        {
            const auto& notification = frame.notification;
            out << " notification=" << +notification.kind << " congested=" << notification.congested
                << " value=" << notification.value << " number=" << notification.number
                << " authenticator=h"
                << (notification.authenticated
                        ? ToHex({notification.tag.begin(), notification.tag.end()})
                        : "");
        }
        if (frame.IsAcknowledgement() && frame.format)
        {
            Bytes records;
            if (frame.ReportsWorstHop())
            {
                for (uint32_t i = 0; i < 4 * ReportWords(frame); ++i)
                {
                    records.push_back(
                        static_cast<uint8_t>(frame.telemetry.words[i / 4] >> 8 * (3 - i % 4)));
                }
            }
            else
            {
                records.resize(frame.format->GetReflectedBytes(frame.telemetry));
                frame.format->SerializeRecords(frame.telemetry, records.data());
            }
            const auto& reflection = frame.reflection;
            bool tagged = reflection.flags & REFLECTION_AUTHENTICATED;
            out << " reflection_flags=" << +reflection.flags << " authenticator=h"
                << (tagged ? ToHex({reflection.tag.begin(), reflection.tag.end()}) : "");
            out << " reflection_id=" << +frame.format->GetReflectionId()
                << " hops=" << +frame.telemetry.hops << " stack_flags=" << +frame.telemetry.flags
                << " flows=" << frame.reportedFlows << " sequence=" << frame.reflectionSeq
                << " reflected=" << ToHex(records);
        }
        if (frame.format)
        {
            DescribeTelemetry(out, frame);
        }
    }

    /// Where the telemetry is and what the hops have put into it.
    void DescribeTelemetry(std::ostream& out, const Frame& frame) const
    {
        constexpr const char* positions[] = {"tag", "network", "transport"};
        const TelemetryMarking& marking = frame.format->GetMarking();
        const TelemetryStack& stack = frame.telemetry;
        out << " position=" << positions[static_cast<size_t>(marking.position)]
            << " lead_bytes=" << +marking.leadBytes << " in_udp_length=" << marking.inUdpLength
            << " marking_protocol=" << marking.protocol << " udp_port=" << marking.udpPort
            << " stack_hops=" << +stack.hops << " remaining=" << +stack.remainingHops
            << " skipped=" << +stack.skippedHops << " path=" << stack.pathId
            << " request=" << stack.request << " original_dscp=" << +stack.originalDscp
            << " telemetry_flags=" << +stack.flags;
        if (!frame.format->GetPortAgent().empty())
        {
            out << " header=" << ToHex(m_header);
        }
        out << " path_hops=";
        for (const Hop& hop : m_hops)
        {
            const HopSnapshot& s = hop.snapshot;
            out << hop.inserted << ":" << s.timestampNs << ":" << s.txBytes << ":" << s.bandwidthBps
                << ":" << s.queueBytes << ":" << s.switchId << ":" << s.egressPort << ":"
                << s.ingressPort << ":" << s.hopLatencyNs << ":" << s.utilizationPpm << ":"
                << +s.queueId << ":" << +s.ttl << ":" << +s.ecn << ";";
        }
    }

    uint32_t m_seed;                    ///< of m_random
    Bytes m_header;                     ///< of a format that a switch agent fills in
    std::mt19937_64 m_random;           ///< what random frames are drawn from
    FramePool m_pool;                   ///< the frames' memory
    std::vector<KnownFormat> m_formats; ///< every format of the module, and none
    std::vector<Hop> m_hops;            ///< of the telemetry added last
};

} // namespace

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

TEST_F(FrameCodecTest, RoceFramesAreThoseThatScapyMakes)
{
    std::map<std::string, FramePtr> frames;
    frames["WRITE FIRST"] = Roce(ROCE_WRITE_FIRST, 100);
    frames["WRITE FIRST"]->payloadBytes = 64;
    Frame* frame = (frames["WRITE MIDDLE, CE"] = Roce(ROCE_WRITE_MIDDLE, 101)).get();
    frame->payloadBytes = 64;
    frame->tos |= ECN_CE;
    frame->ipId = 0xffff;
    frame = (frames["WRITE LAST, 61 bytes"] = Roce(ROCE_WRITE_LAST, 0xfffffe)).get();
    frame->payloadBytes = 61;
    frame->bthFlags = ROCE_ACK_REQUEST;
    frame->destinationQp = 0xabcdef;
    frame = (frames["WRITE ONLY, 5 bytes, solicited, FECN"] = Roce(ROCE_WRITE_ONLY, 103)).get();
    frame->payloadBytes = 5;
    frame->bthFlags = ROCE_ACK_REQUEST | ROCE_SOLICITED | ROCE_FECN;
    frame = (frames["SEND ONLY, empty"] = Roce(ROCE_SEND_ONLY, 104)).get();
    frame->bthFlags = ROCE_ACK_REQUEST;
    frame = (frames["ACK, BECN"] = Roce(ROCE_ACK, 102)).get();
    frame->tos = 48 << 2;
    frame->bthFlags = ROCE_BECN;
    frame->destinationQp = 0x11;
    frame->msn = 0xfedcba;
    frame = (frames["NAK"] = Roce(ROCE_ACK, 101)).get();
    frame->syndrome = ROCE_SYNDROME_NAK_SEQUENCE;
    frame->destinationQp = 0x11;
    frame = (frames["probe"] = Roce(ROCE_PROBE, 0x123456)).get();
    frame->tos = 25 << 2;
    frame->msn = 0x55;
    frame = (frames["notification"] = Roce(ROCE_NOTIFICATION, 0x123450)).get();
    frame->destinationQp = 0x11;
    frame->msn = 7;
    frame->reflection.namedPsn = 0x55123456;
    frame = (frames["CNP"] = Roce(ROCE_CNP, 0)).get();
    frame->tos = 48 << 2;
    frame->bthFlags = ROCE_BECN;
    frame->destinationQp = 0x11;
    frame = (frames["CNP, rate of a congested path"] = Roce(ROCE_CNP, 0)).get();
    frame->tos = 48 << 2;
    frame->bthFlags = ROCE_BECN;
    frame->destinationQp = 0x11;
    frame->notification = {0x1122334455667788, RoceNotificationHeader::RATE, true, false, 0, {}};
    frame = (frames["CNP, window"] = Roce(ROCE_CNP, 0)).get();
    frame->tos = 48 << 2;
    frame->bthFlags = ROCE_BECN;
    frame->destinationQp = 0x11;
    frame->notification = {0x12345678, RoceNotificationHeader::WINDOW, false, false, 0xfffe, {}};
    frame = (frames["CNP, authenticated window"] = Roce(ROCE_CNP, 0)).get();
    frame->tos = 48 << 2;
    frame->bthFlags = ROCE_BECN;
    frame->destinationQp = 0x11;
    frame->notification = {0x12345678,
                           RoceNotificationHeader::WINDOW,
                           true,
                           true,
                           1,
                           {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
    frame = (frames["WRITE MIDDLE, epoch 13"] = Roce(ROCE_WRITE_MIDDLE, 101)).get();
    frame->payloadBytes = 4;
    frame->bthFlags = 13 << RoceEpoch::SHIFT | ROCE_ACK_REQUEST;

    for (auto& [name, expected] : frames)
    {
        SCOPED_TRACE(name);
        expected->bytes = RoceFrameBytes(*expected);
        expected->flowHash = HashFiveTuple(0x0a000001, 0x0a000002, 0xc001, ROCE_UDP_PORT, 17);
        EXPECT_EQ(ToHex(Encode(*expected)), SCAPY.at(name));
        FramePtr decoded = Decode(FromHex(SCAPY.at(name)));
        ExpectSame(*expected, *decoded);
    }
}

TEST_F(FrameCodecTest, PfcAndPauseFramesAreThoseThatScapyMakes)
{
    FramePtr pfc = RandomPfc();
    pfc->pfc = {1 << 0 | 1 << 3 | 1 << 7, {0x1234, 0, 0, 0xffff, 0, 0, 0, 0}};
    EXPECT_EQ(ToHex(Encode(*pfc)), SCAPY.at("PFC"));
    ExpectSame(*pfc, *Decode(FromHex(SCAPY.at("PFC"))));
    EXPECT_EQ(ToHex(FrameCodec::EncodePause(0x1234, SOURCE)), SCAPY.at("PAUSE"));
}

TEST_F(FrameCodecTest, PfcForPriority3HasTheBytesOfAnnex31D)
{
    FramePtr pfc = RandomPfc();
    pfc->pfc = {1 << 3, {0, 0, 0, 0xffff, 0, 0, 0, 0}};
    EXPECT_EQ(ToHex(Encode(*pfc)),
              "0180c20000010200000000018808010100080000"
              "00000000ffff" +
                  std::string(68, '0'));
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

TEST_F(FrameCodecTest, IcrcIsThatOfTheUnreliableConnectionPacketInScapysTests)
{
    Bytes ip = FromHex(UC_SEND_ONLY);
    EXPECT_EQ(FrameCodec::InvariantCrc(ip.data(), ip.size() - ICRC_BYTES), 0xf353f378);
}

TEST_F(FrameCodecTest, CnpIsTheOneOfAConnectX4)
{
    Bytes ip = FromHex(CONNECTX_CNP);
    EXPECT_EQ(FrameCodec::InvariantCrc(ip.data(), ip.size() - ICRC_BYTES), 0x2a00fd82);

    Bytes bytes(ETHERNET_HEADER_BYTES);
    DESTINATION.CopyTo(&bytes[0]);
    SOURCE.CopyTo(&bytes[6]);
    Set16(bytes, 12, 0x0800);
    bytes.insert(bytes.end(), ip.begin(), ip.end());
    FramePtr cnp = Decode(bytes);
    EXPECT_EQ(cnp->opcode, ROCE_CNP);
    EXPECT_EQ(cnp->bthFlags, ROCE_BECN);
    EXPECT_EQ(cnp->destinationQp, 0x118);
    EXPECT_EQ(ToHex(Encode(*cnp)), ToHex(bytes));
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
    // Of the same lengths: an opcode makes the difference, and its ICRC is set right.
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

/**
 * With HPCC_ORACLE_DIR set, leaves frames.pcap and frames.txt there for
 * test/oracle/check_frames.py, which has other decoders read the one and compares with the other.
 */
TEST_F(FrameCodecTest, PcapFileHoldsTheFramesAsEncoded)
{
    SCOPED_TRACE("HPCC_TEST_SEED=" + std::to_string(m_seed));
    constexpr uint32_t ethernetLink = 1;
    constexpr uint16_t aboveOtherDissectors = 0xf000; // tshark decodes by the source port, too
    constexpr uint8_t aboveAnyNotice = 0x10;          // tshark remarks on a TTL below 5
    constexpr int frames = 1000;
    const char* directory = std::getenv("HPCC_ORACLE_DIR");
    std::string base = directory ? directory + std::string("/")
                                 : testing::TempDir() + "hpcc-" + std::to_string(m_seed) + "-";

    std::vector<Bytes> written;
    PcapFile pcap;
    pcap.Open(base + "frames.pcap", std::ios::out);
    pcap.Init(ethernetLink);
    std::ofstream text(base + "frames.txt");
    for (int i = 0; i < frames; ++i)
    {
        const KnownFormat& known = RandomFormat();
        FramePtr frame = RandomFrame(known);
        frame->sourcePort |= aboveOtherDissectors;
        frame->ttl |= aboveAnyNotice;
        written.push_back(Encode(*frame));
        pcap.Write(i, 0, written.back().data(), written.back().size());
        Describe(text, known, *frame);
    }
    text.close();
    pcap.Close();
    ASSERT_TRUE(text);
    ASSERT_FALSE(pcap.Fail());

    pcap.Open(base + "frames.pcap", std::ios::in);
    EXPECT_EQ(pcap.GetDataLinkType(), ethernetLink);
    for (const Bytes& expected : written)
    {
        Bytes bytes(65535);
        uint32_t seconds;
        uint32_t microseconds;
        uint32_t included;
        uint32_t original;
        uint32_t size;
        pcap.Read(bytes.data(), bytes.size(), seconds, microseconds, included, original, size);
        ASSERT_FALSE(pcap.Fail());
        bytes.resize(size);
        EXPECT_EQ(original, size);
        EXPECT_EQ(ToHex(bytes), ToHex(expected));
    }
    pcap.Close();
    if (!directory)
    {
        std::remove((base + "frames.pcap").c_str());
        std::remove((base + "frames.txt").c_str());
    }
}
