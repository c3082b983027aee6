/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/boolean.h"
#include "ns3/global-value.h"
#include "ns3/hpcc-frame-codec.h"
#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-ip-headers.h"
#include "ns3/hpcc-max-load-format.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-tcp-compact.h"
#include "ns3/hpcc-tcp-nic.h"
#include "ns3/hpcc-tcp-options.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/qbb-ip-port.h"
#include "ns3/string.h"
#include "ns3/tcp-header.h"
#include "ns3/uinteger.h"

#include <boost/endian/conversion.hpp>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace boost::endian;

namespace
{

using Bytes = std::vector<uint8_t>;

constexpr size_t IP = ETHERNET_HEADER_BYTES;
constexpr uint32_t SOURCE = 0x0b000001;
constexpr uint32_t DESTINATION = 0x0b000002;
constexpr uint8_t TCP_PROTOCOL = 6;
constexpr int64_t BASE_RTT_NS = 5000;
constexpr uint32_t SEGMENT = 1000;

/// Random numbers whose seed a failure names, and TCP's checksums on.
class Compact : public testing::Test
{
  protected:
    Compact()
    {
        const char* seed = std::getenv("HPCC_TEST_SEED");
        m_seed = seed ? std::stoul(seed) : std::random_device{}();
        m_random.seed(m_seed);
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));
    }

    ~Compact() override
    {
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(false));
    }

    uint32_t Draw(uint32_t most)
    {
        return static_cast<uint32_t>(m_random() % (uint64_t{most} + 1));
    }

    uint32_t m_seed;          ///< of m_random
    std::mt19937_64 m_random; ///< what is drawn from
};

/// @return the sum of all words of a packet that TCP's checksum covers, pseudo-header included;
/// 0xffff if the checksum in it is right
uint32_t
FullSum(const uint8_t* ip, size_t size)
{
    const bool ipv6 = ip[0] >> 4 == 6;
    const size_t headerBytes = ipv6 ? IPV6_HEADER_BYTES : (ip[0] & 0xf) * 4U;
    Bytes covered(ip + (ipv6 ? 8 : 12), ip + (ipv6 ? 40 : 20));
    covered.insert(covered.end(), ip + headerBytes, ip + size);
    uint32_t sum = TCP_PROTOCOL + static_cast<uint32_t>(size - headerBytes);
    covered.resize(covered.size() + covered.size() % 2);
    for (size_t i = 0; i < covered.size(); i += 2)
    {
        sum += load_big_u16(&covered[i]);
    }
    while (sum >> 16)
    {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum;
}

/// @return bytes of the IP packet in a frame, without padding
size_t
IpBytes(const Bytes& frame)
{
    const bool ipv6 = frame[IP] >> 4 == 6;
    return load_big_u16(&frame[IP + (ipv6 ? 4 : 2)]) + (ipv6 ? IPV6_HEADER_BYTES : 0);
}

/// @param ipv6 which IP @param options of TCP, a multiple of 4 bytes @param payload its bytes
/// @return a packet with the right checksum
Bytes
MakePacket(bool ipv6, const Bytes& options, const Bytes& payload)
{
    const size_t ipBytes = IpHeaderBytes(ipv6);
    Bytes ip(ipBytes + 20);
    const auto size = static_cast<uint16_t>(20 + options.size() + payload.size());
    if (ipv6)
    {
        ip[0] = 0x60;
        store_big_u16(&ip[4], size);
        ip[6] = TCP_PROTOCOL;
        ip[7] = 64;
        const auto source = Ipv6AddressOf(SOURCE);
        const auto destination = Ipv6AddressOf(DESTINATION);
        std::copy(source.begin(), source.end(), &ip[8]);
        std::copy(destination.begin(), destination.end(), &ip[24]);
    }
    else
    {
        ip[0] = 0x45;
        store_big_u16(&ip[2], ipBytes + size);
        ip[8] = 64;
        ip[9] = TCP_PROTOCOL;
        store_big_u32(&ip[12], SOURCE);
        store_big_u32(&ip[16], DESTINATION);
        uint32_t sum = 0;
        for (size_t i = 0; i < ipBytes; i += 2)
        {
            sum += load_big_u16(&ip[i]);
        }
        store_big_u16(&ip[10], ~((sum & 0xffff) + (sum >> 16)));
    }
    uint8_t* tcp = &ip[ipBytes];
    store_big_u16(tcp, 49153);
    store_big_u16(tcp + 2, 5000);
    store_big_u32(tcp + 4, 0xfedcba98);
    tcp[12] = static_cast<uint8_t>((5 + options.size() / 4) << 4);
    tcp[13] = TcpHeader::ACK;
    ip.insert(ip.end(), options.begin(), options.end());
    ip.insert(ip.end(), payload.begin(), payload.end());
    store_big_u16(&ip[ipBytes + 16], ~FullSum(ip.data(), ip.size()));
    return ip;
}

TEST_F(Compact, EveryLoadCodeIsReadAsItWasWritten)
{
    for (uint32_t code = 0; code <= 0xffff; ++code)
    {
        const double load = MaxLoadFormat::Decode(static_cast<uint16_t>(code));
        ASSERT_EQ(load, code / 512.0);
        ASSERT_EQ(MaxLoadFormat::Encode(load), code);
    }
    EXPECT_EQ(MaxLoadFormat::Encode(1), 512);
    EXPECT_EQ(MaxLoadFormat::Encode(61), 31232) << "of an incast of 60";
    EXPECT_EQ(MaxLoadFormat::Encode(1e-9), 1) << "0 is: no switch";
    EXPECT_EQ(MaxLoadFormat::Encode(65535.4 / 512), 65535);
    EXPECT_EQ(MaxLoadFormat::Encode(128), 65535);
    EXPECT_EQ(MaxLoadFormat::Encode(1e12), 65535);
}

TEST_F(Compact, LoadsAreRoundedByHalfAUnit)
{
    for (int i = 0; i < 10000; ++i)
    {
        const double load = Draw(65535) / 512.0 + Draw(1000) / 1000.0 / 512.0;
        const double error = MaxLoadFormat::Decode(MaxLoadFormat::Encode(load)) - load;
        if (load >= 1 / 512.0 && load <= 65535 / 512.0)
        {
            ASSERT_LE(std::abs(error), 0.5000001 / 512) << load << ", HPCC_TEST_SEED=" << m_seed;
        }
    }
}

TEST_F(Compact, WindowsAreRoundedDownByLessThanAThousandth)
{
    EXPECT_EQ(MaxLoadFormat::EncodeWindow(0), 0);
    EXPECT_EQ(MaxLoadFormat::EncodeWindow(0.3), 1);
    EXPECT_EQ(MaxLoadFormat::EncodeWindow(2047), 2047);
    EXPECT_EQ(MaxLoadFormat::EncodeWindow(2048), 1 << 11 | 1024);
    EXPECT_EQ(MaxLoadFormat::DecodeWindow(0), 0);
    EXPECT_EQ(MaxLoadFormat::EncodeWindow(1e300), 0xffff);
    EXPECT_EQ(MaxLoadFormat::DecodeWindow(0xffff), 2047.0 * (uint64_t{1} << 31));
    for (int i = 0; i < 10000; ++i)
    {
        const double window = std::ldexp(1 + Draw(1000000) / 1e6, static_cast<int>(Draw(40)));
        const double read = MaxLoadFormat::DecodeWindow(MaxLoadFormat::EncodeWindow(window));
        ASSERT_LE(read, window) << "HPCC_TEST_SEED=" << m_seed;
        ASSERT_GT(read, std::floor(window) * (1 - 1 / 1024.0) - 1e-9)
            << "HPCC_TEST_SEED=" << m_seed;
    }
}

/// @param format the option @param stack with it @return its bytes
Bytes
BytesOf(const MaxLoadFormat& format, const TelemetryStack& stack)
{
    Bytes bytes(format.GetWireBytes(stack));
    format.Serialize(stack, bytes.data());
    return bytes;
}

TEST_F(Compact, AHopReplacesWhatIsSmallerAndNothingElse)
{
    auto format = CreateObject<MaxLoadFormat>();
    TelemetryStack stack;
    format->Open(stack, {5000, TCP_PROTOCOL, 0});
    EXPECT_EQ(BytesOf(*format, stack), (Bytes{253, 8, 0x48, 0x50, 0, 0, 0, 0}));
    EXPECT_EQ(format->Read(stack, 0).fields, 0) << "no switch has seen it";
    format->SetReturned(stack, {2, 0});
    uint16_t largest = 0;
    for (int hop = 0; hop < 1000; ++hop)
    {
        const auto code = static_cast<uint16_t>(Draw(65535));
        largest = std::max(largest, code);
        MaxLoadFormat::Raise(stack, code);
        ASSERT_EQ(BytesOf(*format, stack),
                  (Bytes{253,
                         8,
                         0x48,
                         0x50,
                         static_cast<uint8_t>(largest >> 8),
                         static_cast<uint8_t>(largest),
                         4,
                         0}));
    }
    EXPECT_EQ(format->Read(stack, 0).load, largest / 512.0);
    EXPECT_EQ(format->GetReturned(stack).load, 2);
    format->Truncate(stack, 0);
    EXPECT_EQ(BytesOf(*format, stack), (Bytes{253, 8, 0x48, 0x50, 0, 0, 4, 0}))
        << "a border forgets what was collected, not what goes back";
}

TEST_F(Compact, AWindowHasAnotherIdentifier)
{
    auto format = CreateObject<MaxLoadFormat>();
    TelemetryStack stack;
    format->Open(stack, {5000, TCP_PROTOCOL, 0});
    MaxLoadFormat::Raise(stack, 600);
    format->SetReturned(stack, {0, 52338});
    // 52338 = 32 * 1635.6
    EXPECT_EQ(BytesOf(*format, stack),
              (Bytes{253, 8, 0x48, 0x57, 2, 88, 5 << 3 | 1635 >> 8, 1635 & 0xff}));
    TelemetryStack read;
    ASSERT_EQ(format->Deserialize(BytesOf(*format, stack).data(), 8, read), 8);
    EXPECT_EQ(format->GetReturned(read).windowBytes, 32 * 1635);
    EXPECT_EQ(format->GetReturned(read).load, 0);
    EXPECT_EQ(format->Read(read, 0).load, 600 / 512.0);
}

TEST_F(Compact, WhatIsNotTheOptionIsNotRead)
{
    auto format = CreateObject<MaxLoadFormat>();
    TelemetryStack stack;
    for (const Bytes& bytes : {Bytes{254, 8, 0x48, 0x50, 0, 0, 0, 0},
                               Bytes{253, 6, 0x48, 0x50, 0, 0, 0, 0},
                               Bytes{253, 12, 0x48, 0x50, 0, 0, 0, 0},
                               Bytes{253, 8, 0x48, 0x51, 0, 0, 0, 0},
                               Bytes{253, 8, 0x48, 0x50, 0, 0, 0}})
    {
        EXPECT_EQ(format->Deserialize(bytes.data(), bytes.size(), stack), 0);
    }
    const Bytes other{253, 8, 0x12, 0x34, 0, 0, 0, 0};
    format->SetAttribute("ExId", UintegerValue(0x1234));
    EXPECT_EQ(format->Deserialize(other.data(), other.size(), stack), 8);
    EXPECT_EQ(format->Validate({}), "");
    format->SetAttribute("WindowExId", UintegerValue(0x1234));
    EXPECT_EQ(format->Validate({}), "ExId and WindowExId are both 4660; they must differ");
}

TEST_F(Compact, ItHasNoShortName)
{
    for (const std::string& name : HpccPresets::Names(TelemetryFormat::GetTypeId()))
    {
        ObjectFactory factory;
        ASSERT_TRUE(HpccPresets::Find(TelemetryFormat::GetTypeId(), name, factory));
        EXPECT_FALSE(factory.GetTypeId().IsChildOf(TcpOptionFormat::GetTypeId())) << name;
    }
}

TEST_F(Compact, ChecksumsFollowAWordWithoutALookAtTheRest)
{
    for (int i = 0; i < 1000; ++i)
    {
        Bytes ip = MakePacket(Draw(1), {}, Bytes(Draw(20), 7));
        ASSERT_EQ(FullSum(ip.data(), ip.size()), 0xffffU);
        uint8_t* tcp = &ip[ip[0] >> 4 == 6 ? IPV6_HEADER_BYTES : IPV4_HEADER_BYTES];
        uint8_t* word = tcp + 4; // of the sequence number
        const uint16_t before = load_big_u16(word);
        const uint16_t after = Draw(3) ? static_cast<uint16_t>(Draw(65535)) : 0xffff;
        store_big_u16(word, after);
        store_big_u16(tcp + 16, TcpOptions::UpdateChecksum(load_big_u16(tcp + 16), before, after));
        ASSERT_EQ(FullSum(ip.data(), ip.size()), 0xffffU) << "HPCC_TEST_SEED=" << m_seed;
    }
}

TEST_F(Compact, AnOptionGoesInAndOutOfAnySegment)
{
    // No-operations, a timestamp, an end-of-list with padding.
    const std::vector<Bytes> others{{},
                                    {1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8},
                                    {4, 2, 0, 0},
                                    {3, 3, 7, 0},
                                    {1, 1, 5, 18, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9, 9, 9, 9, 9}};
    for (int i = 0; i < 1000; ++i)
    {
        const bool ipv6 = Draw(1);
        Bytes payload(Draw(50));
        std::generate(payload.begin(), payload.end(), [this] { return Draw(255); });
        const Bytes before = MakePacket(ipv6, others[Draw(others.size() - 1)], payload);
        Bytes option{253, 8, 0x48, 0x50};
        while (option.size() < 8)
        {
            option.push_back(static_cast<uint8_t>(Draw(255)));
        }
        Bytes ip = before;
        const size_t tcp = IpHeaderBytes(ipv6);
        TcpOptions::Insert(ip, tcp, option, true);
        ASSERT_EQ(ip.size(), before.size() + 8);
        ASSERT_EQ(ip[tcp + 12] >> 4, (before[tcp + 12] >> 4) + 2);
        ASSERT_EQ(Bytes(&ip[tcp + 20], &ip[tcp + 28]), option) << "in front of the others";
        ASSERT_EQ(FullSum(ip.data(), ip.size()), 0xffffU) << "HPCC_TEST_SEED=" << m_seed;
        const size_t at =
            TcpOptions::Find(&ip[tcp], ip.size() - tcp, [](const uint8_t* in, size_t size) {
                return size >= 8 && in[0] == 253;
            });
        ASSERT_EQ(at, 20);
        TcpOptions::Remove(ip, tcp, at, 8, true);
        // A checksum has two zeros in ones' complement; the sum tells them apart from errors.
        ASSERT_EQ(FullSum(ip.data(), ip.size()), 0xffffU) << "HPCC_TEST_SEED=" << m_seed;
        Bytes expected = before;
        store_big_u16(&expected[tcp + 16], load_big_u16(&ip[tcp + 16]));
        ASSERT_EQ(ip, expected);
    }
}

TEST_F(Compact, MalformedOptionsEndTheSearch)
{
    auto find = [](const Bytes& options) {
        const Bytes ip = MakePacket(false, options, {253, 8, 0x48, 0x50, 0, 0, 0, 0});
        return TcpOptions::Find(&ip[20], ip.size() - 20, [](const uint8_t* in, size_t) {
            return in[0] == 253;
        });
    };
    const Bytes option{253, 8, 0x48, 0x50, 0, 0, 0, 0};
    for (const Bytes& first : {Bytes{9, 0, 9, 9}, {9, 1, 9, 9}, {0, 1, 1, 1}, {9, 40, 9, 9}})
    {
        Bytes options = first;
        options.insert(options.end(), option.begin(), option.end());
        EXPECT_EQ(find(options), 0);
    }
    EXPECT_EQ(find({}), 0) << "the payload is not looked at";
    EXPECT_EQ(find({9, 4, 9, 9, 253, 8, 0x48, 0x50, 0, 0, 0, 0}), 24);
    EXPECT_EQ(find({1, 253, 6, 1, 1, 1, 1, 1}), 0) << "not at a multiple of 4 bytes";
    EXPECT_EQ(find({1, 1, 1, 9}), 0) << "a length that is cut off";
}

TEST_F(Compact, TheOptionIsOnTheWireAndRightAtEveryHop)
{
    auto format = CreateObject<MaxLoadFormat>();
    FrameCodec codec;
    codec.AddFormat(PeekPointer(format));
    FramePool pool;
    for (int i = 0; i < 300; ++i)
    {
        const bool ipv6 = Draw(1);
        Bytes payload(Draw(1500));
        std::generate(payload.begin(), payload.end(), [this] { return Draw(255); });
        const Bytes others = Draw(1) ? Bytes{} : Bytes{1, 1, 5, 10, 1, 2, 3, 4, 5, 6, 7, 8};
        const Bytes sent = MakePacket(ipv6, others, payload);
        Frame* frame = pool.Allocate();
        DropReason why;
        ASSERT_TRUE(QbbIpPort::FillFrame(Create<Packet>(sent.data(), sent.size()),
                                         ipv6 ? 0x86dd : 0x0800,
                                         *frame,
                                         why));
        frame->format = PeekPointer(format);
        format->Open(frame->telemetry, {5000, TCP_PROTOCOL, 0});
        const bool window = Draw(1);
        const double back = Draw(100000);
        format->SetReturned(frame->telemetry,
                            window ? TcpOptionFormat::Returned{0, back}
                                   : TcpOptionFormat::Returned{back / 1000, 0});
        frame->bytes = std::max<uint32_t>(IP + sent.size() + 8, MIN_FRAME_BYTES);
        uint16_t largest = 0;
        Bytes wire;
        for (int hop = 0; hop < 4; ++hop)
        {
            wire = FrameCodec::Encode(*frame, Mac48Address(), Mac48Address());
            ASSERT_EQ(wire.size(), frame->bytes);
            ASSERT_EQ(IpBytes(wire), sent.size() + 8);
            const uint8_t* tcp = &wire[IP + IpHeaderBytes(ipv6)];
            ASSERT_EQ(tcp[12] >> 4, (20 + others.size() + 8) / 4);
            ASSERT_EQ(tcp[20], 253);
            ASSERT_EQ(tcp[21], 8);
            ASSERT_EQ(load_big_u16(tcp + 22), window && back ? 0x4857 : 0x4850);
            ASSERT_EQ(load_big_u16(tcp + 24), largest);
            ASSERT_EQ(FullSum(&wire[IP], IpBytes(wire)), 0xffffU)
                << "hop " << hop << ", HPCC_TEST_SEED=" << m_seed;
            const auto own = static_cast<uint16_t>(Draw(65535));
            largest = std::max(largest, own);
            MaxLoadFormat::Raise(frame->telemetry, own);
            --frame->ttl;
        }
        wire = FrameCodec::Encode(*frame, Mac48Address(), Mac48Address());
        Frame* decoded = pool.Allocate();
        std::string message;
        ASSERT_TRUE(codec.Decode(wire.data(), wire.size(), *decoded, message)) << message;
        ASSERT_EQ(decoded->format, PeekPointer(format));
        ASSERT_EQ(decoded->flowHash, frame->flowHash);
        ASSERT_EQ(decoded->tos, frame->tos);
        ASSERT_EQ(format->Read(decoded->telemetry, 0).load, largest / 512.0);
        ASSERT_EQ(format->GetReturned(decoded->telemetry).load,
                  format->GetReturned(frame->telemetry).load);
        ASSERT_EQ(format->GetReturned(decoded->telemetry).windowBytes,
                  format->GetReturned(frame->telemetry).windowBytes);
        Bytes got(decoded->packet->GetSize());
        decoded->packet->CopyData(got.data(), got.size());
        ASSERT_EQ(got.size(), sent.size());
        ASSERT_EQ(FullSum(got.data(), got.size()), 0xffffU);
        const size_t tcp = IpHeaderBytes(ipv6);
        ASSERT_TRUE(std::equal(got.begin() + tcp, got.begin() + tcp + 16, sent.begin() + tcp));
        ASSERT_TRUE(std::equal(got.begin() + tcp + 18, got.end(), sent.begin() + tcp + 18));
        FramePool::Free(frame);
        FramePool::Free(decoded);
    }
}

TEST_F(Compact, WithoutChecksumsTheFieldStaysAsItIs)
{
    GlobalValue::Bind("ChecksumEnabled", BooleanValue(false));
    auto format = CreateObject<MaxLoadFormat>();
    FramePool pool;
    Frame* frame = pool.Allocate();
    Bytes sent = MakePacket(false, {}, {1, 2, 3});
    store_big_u16(&sent[36], 0);
    DropReason why;
    ASSERT_TRUE(
        QbbIpPort::FillFrame(Create<Packet>(sent.data(), sent.size()), 0x0800, *frame, why));
    frame->format = PeekPointer(format);
    format->Open(frame->telemetry, {5000, TCP_PROTOCOL, 0});
    const Bytes wire = FrameCodec::Encode(*frame, Mac48Address(), Mac48Address());
    EXPECT_EQ(load_big_u16(&wire[IP + 36]), 0);
    FramePool::Free(frame);
}

/// What a card does with the option, without a network.
class CompactCard : public Compact
{
  protected:
    static HpccTcpCompact::Settings Windows()
    {
        HpccTcpCompact::Settings settings;
        settings.windows = true;
        settings.parameters = [](const HpccTcpCompact::Key&) {
            HpccParameters parameters;
            parameters.baseRttNs = BASE_RTT_NS;
            parameters.firstSample = HpccParameters::FIRST_ESTIMATE;
            return parameters;
        };
        settings.lineRateBps = 100e9;
        return settings;
    }

    /// @param flags of TCP @return a frame without payload
    Frame* Make()
    {
        Frame* frame = m_pool.Allocate();
        const Bytes sent = MakePacket(false, {}, {});
        DropReason why;
        QbbIpPort::FillFrame(Create<Packet>(sent.data(), sent.size()), 0x0800, *frame, why);
        return frame;
    }

    /// A segment arrives. @param card takes it @param sequence of it @param load in it
    void Arrive(HpccTcpCompact& card, uint32_t sequence, double load)
    {
        Frame* frame = Make();
        m_format->Open(frame->telemetry, {5000, TCP_PROTOCOL, 0});
        MaxLoadFormat::Raise(frame->telemetry, MaxLoadFormat::Encode(load));
        card.Collected(m_key, *frame, sequence, SEGMENT, m_nowNs);
        m_nowNs += 100;
        FramePool::Free(frame);
    }

    /// @param card sends an acknowledgement @return what goes back with it
    HpccTcpCompact::Returned Acknowledge(HpccTcpCompact& card)
    {
        Frame* frame = Make();
        const auto [returned, bytes] = card.Attach(m_key, *frame, 20, 1000, false);
        EXPECT_EQ(bytes, returned.IsGiven() ? 8 : 0);
        EXPECT_EQ(frame->bytes, returned.IsGiven() ? 62 : 60);
        EXPECT_EQ(frame->format != nullptr, returned.IsGiven());
        FramePool::Free(frame);
        return returned;
    }

    FramePool m_pool;                                           ///< frames
    Ptr<MaxLoadFormat> m_format{CreateObject<MaxLoadFormat>()}; ///< option
    HpccTcpCompact::Key m_key{DESTINATION, 49153, 5000, false}; ///< connection
    int64_t m_nowNs{0};                                         ///< time
};

TEST_F(CompactCard, OneOfSoManySegmentsCollectsOrOneInAnInterval)
{
    HpccTcpCompact::Settings settings;
    auto count = [this, &settings](int segments, int64_t gapNs) {
        const HpccTcpCompact card(*m_format, settings);
        HpccTcpCompact::Turn turn;
        int taken = 0;
        for (int i = 0; i < segments; ++i)
        {
            const bool takes = card.Takes(turn, i * gapNs);
            EXPECT_TRUE(i > 0 || takes) << "the first one does";
            taken += takes;
        }
        return taken;
    };
    EXPECT_EQ(count(100, 10), 100);
    settings.every = 8;
    EXPECT_EQ(count(100, 10), 13);
    settings.every = 1;
    settings.intervalNs = 95;
    EXPECT_EQ(count(100, 10), 10);
    EXPECT_EQ(count(100, 95), 100);
}

TEST_F(CompactCard, WhatCameLastGoesBackOnce)
{
    HpccTcpCompact card(*m_format, {});
    Arrive(card, 1, 3);
    EXPECT_EQ(card.GetPending(), 0) << "of a connection without a SYN";
    card.Follow(m_key, TcpHeader::SYN | TcpHeader::ACK, true);
    EXPECT_FALSE(Acknowledge(card).IsGiven());
    Arrive(card, 1, 3);
    Arrive(card, 1001, 2);
    EXPECT_EQ(card.GetPending(), 1);
    EXPECT_EQ(Acknowledge(card).load, 2);
    EXPECT_FALSE(Acknowledge(card).IsGiven());
    EXPECT_EQ(card.GetPending(), 0);
    Arrive(card, 2001, 0);
    EXPECT_FALSE(Acknowledge(card).IsGiven()) << "no switch has seen it";
    card.Follow(m_key, TcpHeader::RST, false);
    Arrive(card, 3001, 2);
    EXPECT_EQ(card.GetPending(), 0) << "on the way when the connection was reset";
}

TEST_F(CompactCard, AnOptionWithoutRoomIsLeftOut)
{
    HpccTcpCompact card(*m_format, {});
    card.Follow(m_key, TcpHeader::SYN | TcpHeader::ACK, true);
    for (const auto& [headerBytes, roomBytes, bytes] :
         {std::tuple(52U, 8U, 8U), std::tuple(56U, 8U, 0U), std::tuple(20U, 7U, 0U)})
    {
        Arrive(card, 1, 3);
        Frame* frame = Make();
        const auto [returned, added] = card.Attach(m_key, *frame, headerBytes, roomBytes, true);
        EXPECT_EQ(added, bytes);
        EXPECT_EQ(frame->format != nullptr, bytes > 0);
        EXPECT_EQ(frame->bytes, bytes > 0 ? 62 : 60);
        EXPECT_EQ(card.GetPending(), 0);
        FramePool::Free(frame);
    }
}

TEST_F(CompactCard, TheReceiverCommitsOncePerWindow)
{
    HpccTcpCompact card(*m_format, Windows());
    card.Follow(m_key, TcpHeader::SYN | TcpHeader::ACK, true);
    // W_init is 62,500 bytes; a load of 1.9 at eta 0.95 halves it.
    const double wInit = 100e9 / 8e9 * BASE_RTT_NS;
    const double wai = wInit * 0.05 / 100;
    Arrive(card, 1, 1.9);
    double window = Acknowledge(card).windowBytes;
    EXPECT_NEAR(window, wInit / 2 + wai, wInit / 1000);
    // What was sent before this was known is computed from one reference. At the target W is that
    // and W_ai.
    uint32_t sequence = 1 + SEGMENT;
    for (; sequence < 1 + wInit; sequence += SEGMENT)
    {
        Arrive(card, sequence, 0.95);
        window = Acknowledge(card).windowBytes;
        EXPECT_NEAR(window, wInit / 2 + 2 * wai, 2 * wai) << "segment at " << sequence;
    }
    for (int round = 0; round < 3; ++round)
    {
        const double before = window;
        Arrive(card, sequence + SEGMENT, 0.95);
        window = Acknowledge(card).windowBytes;
        EXPECT_NEAR(window, before + (round > 0 ? wai : 0), 1e-6) << round;
        sequence += static_cast<uint32_t>(window) + 3 * SEGMENT;
    }
    Arrive(card, sequence, 1.9);
    EXPECT_NEAR(Acknowledge(card).windowBytes, wInit / 4, 5 * wai);
}

TEST_F(CompactCard, EachConnectionHasALawOfItsOwn)
{
    auto settings = Windows();
    const HpccTcpCompact::Key other{DESTINATION, 49154, 5000, false};
    settings.parameters = [&](const HpccTcpCompact::Key& key) {
        HpccParameters parameters;
        parameters.baseRttNs = BASE_RTT_NS;
        parameters.firstSample = HpccParameters::FIRST_ESTIMATE;
        parameters.waiBytes = key == other ? 5000 : 1;
        return parameters;
    };
    HpccTcpCompact card(*m_format, settings);
    const HpccTcpCompact::Key mine = m_key;
    const uint8_t synAck = TcpHeader::SYN | TcpHeader::ACK;
    card.Follow(mine, synAck, false);
    card.Follow(other, synAck, false);
    // One after the other, so that neither keeps what the other one has left behind.
    std::map<HpccTcpCompact::Key, double> windows;
    for (int i = 0; i < 2; ++i)
    {
        for (const auto& key : {mine, other})
        {
            m_key = key;
            Arrive(card, 1 + i * SEGMENT, 1.9);
            windows[key] = Acknowledge(card).windowBytes;
        }
    }
    const double wInit = 12.5 * BASE_RTT_NS;
    const auto first = windows.begin();
    EXPECT_NEAR(first->second, wInit / 4, 100) << "line 13 twice";
    EXPECT_NEAR(std::next(first)->second, (wInit / 2 + 5000) / 2 + 5000, 100);
}

TEST_F(CompactCard, SequenceNumbersMayWrap)
{
    HpccTcpCompact card(*m_format, Windows());
    card.Follow(m_key, TcpHeader::SYN | TcpHeader::ACK, false);
    uint32_t sequence = 0xffffffff - 20 * SEGMENT;
    int steps = 0;
    double last = 0;
    for (int i = 0; i < 200; ++i, sequence += SEGMENT)
    {
        Arrive(card, sequence, 1.2);
        const double window = Acknowledge(card).windowBytes;
        steps += window != last;
        EXPECT_GT(window, 0);
        last = window;
    }
    EXPECT_GT(steps, 4) << "rounds that end";
}

TEST_F(CompactCard, AConnectionIsKeptFromItsSynToItsEnd)
{
    HpccTcpCompact card(*m_format, Windows());
    Arrive(card, 1, 2);
    EXPECT_EQ(card.GetPending(), 0) << "without a SYN nothing is known";
    const uint8_t synAck = TcpHeader::SYN | TcpHeader::ACK;
    const uint8_t finAck = TcpHeader::FIN | TcpHeader::ACK;
    card.Follow(m_key, TcpHeader::SYN, false);
    EXPECT_EQ(card.GetPeers(), 0);
    card.Follow(m_key, synAck, true);
    EXPECT_EQ(card.GetPeers(), 1);
    card.Follow(m_key, finAck, false);
    Arrive(card, 1, 2);
    EXPECT_TRUE(Acknowledge(card).IsGiven()) << "data that the FIN has overtaken";
    card.Follow(m_key, finAck, false);
    EXPECT_EQ(card.GetPeers(), 1) << "this end has not finished";
    card.Follow(m_key, finAck, true);
    EXPECT_EQ(card.GetPeers(), 0);
    card.Follow(m_key, synAck, false);
    Arrive(card, 1, 2);
    card.Follow(m_key, TcpHeader::RST, false);
    EXPECT_EQ(card.GetPeers(), 0);
    EXPECT_EQ(card.GetPending(), 0);
    const HpccTcpCompact echoes(*m_format, {});
    EXPECT_EQ(echoes.GetPeers(), 0);
}

TEST_F(Compact, SettingsThatDoNotGoTogetherAreRefused)
{
    auto nic = CreateObject<HpccTcpNic>();
    auto option = CreateObject<MaxLoadFormat>();
    ObjectFactory factory;
    ASSERT_TRUE(HpccPresets::Find(TelemetryFormat::GetTypeId(), "int-md:dscp", factory));
    auto other = factory.Create<TelemetryFormat>();
    EXPECT_EQ(nic->Check(*other), "");
    EXPECT_EQ(nic->Check(*option),
              "telemetry format ns3::MaxLoadFormat is an option of TCP; ns3::HpccTcpNic::Feedback "
              "must be Compact or CompactReceiver for it");
    nic->SetAttribute("TagEvery", UintegerValue(8));
    const std::string tags = "ns3::HpccTcpNic::TagEvery and TagOncePerRtt are for options of TCP; "
                             "ns3::HpccTcpNic::Feedback must be Compact or CompactReceiver for "
                             "them";
    EXPECT_EQ(nic->Check(*other), tags);
    nic->SetAttribute("Feedback", StringValue("InBand"));
    EXPECT_EQ(nic->Check(*other), tags);
    for (const char* feedback : {"Compact", "CompactReceiver"})
    {
        nic->SetAttribute("Feedback", StringValue(feedback));
        EXPECT_EQ(nic->Check(*option), "");
        EXPECT_EQ(nic->Check(*other),
                  "telemetry format ns3::IntMdFormat is no option of TCP, as "
                  "ns3::HpccTcpNic::Feedback Compact and CompactReceiver want it");
    }
    nic->SetAttribute("TagOncePerRtt", BooleanValue(true));
    EXPECT_EQ(nic->Check(*option),
              "ns3::HpccTcpNic::TagEvery is 8 and TagOncePerRtt is true; only one of them may be "
              "set");
}

} // namespace
