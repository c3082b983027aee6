/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests the TCP option for the largest load of a path: the codes of loads, the bytes of the option,
// and its position in segments.

#include "hpcc-test-compact.h"

#include "ns3/boolean.h"
#include "ns3/global-value.h"
#include "ns3/hpcc-frame-codec.h"
#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-max-load-format.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-tcp-options.h"
#include "ns3/qbb-ip-port.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace hpcctest;
using namespace boost::endian;

namespace
{

constexpr size_t IP = ETHERNET_HEADER_BYTES;

/// @return length of the IP packet in a frame, without padding, bytes
size_t
IpBytes(const Bytes& frame)
{
    const bool ipv6 = frame[IP] >> 4 == 6;
    return load_big_u16(&frame[IP + (ipv6 ? 4 : 2)]) + (ipv6 ? IPV6_HEADER_BYTES : 0);
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

/**
 * Returns the bytes of the option for @p stack.
 * @param format the option
 * @param stack telemetry of the packet
 */
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
        uint8_t* word = tcp + 4; // part of the sequence number
        const uint16_t before = load_big_u16(word);
        const uint16_t after = Draw(3) ? static_cast<uint16_t>(Draw(65535)) : 0xffff;
        store_big_u16(word, after);
        store_big_u16(tcp + 16, TcpOptions::UpdateChecksum(load_big_u16(tcp + 16), before, after));
        ASSERT_EQ(FullSum(ip.data(), ip.size()), 0xffffU) << "HPCC_TEST_SEED=" << m_seed;
    }
}

TEST_F(Compact, AnOptionGoesInAndOutOfAnySegment)
{
    // The other options are no-operations, a timestamp, and an end of list with padding.
    const std::vector<Bytes> others{{},
                                    {1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8},
                                    {4, 2, 0, 0},
                                    {3, 3, 7, 0},
                                    {1, 1, 5, 18, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9, 9, 9, 9, 9}};
    for (int i = 0; i < 1000; ++i)
    {
        const bool ipv6 = Draw(1);
        const Bytes payload = DrawBytes(Draw(50));
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
        // Zero has two representations in a ones' complement checksum. The check by sum accepts
        // both.
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
        const Bytes payload = DrawBytes(Draw(1500));
        const Bytes others = Draw(1) ? Bytes{} : Bytes{1, 1, 5, 10, 1, 2, 3, 4, 5, 6, 7, 8};
        const Bytes sent = MakePacket(ipv6, others, payload);
        Frame* frame = FrameOf(pool, sent, ipv6);
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

TEST_F(Compact, TheChecksumCoversIntMdBehindTheHeader)
{
    ObjectFactory factory;
    ASSERT_TRUE(HpccPresets::Find(TelemetryFormat::GetTypeId(), "int-md:dscp", factory));
    const auto format = factory.Create<TelemetryFormat>();
    FrameCodec codec;
    codec.AddFormat(PeekPointer(format));
    FramePool pool;
    for (int i = 0; i < 100; ++i)
    {
        const bool ipv6 = Draw(1);
        const Bytes payload = DrawBytes(Draw(1000));
        const Bytes sent = MakePacket(ipv6, {}, payload);
        Frame* frame = FrameOf(pool, sent, ipv6);
        const auto tos = static_cast<uint8_t>(format->GetMarking().dscp << 2);
        frame->format = PeekPointer(format);
        frame->tos = tos;
        format->Open(frame->telemetry, {5000, TCP_PROTOCOL, 0});
        for (uint32_t hop = 0; hop < 3; ++hop)
        {
            frame->bytes = IP + sent.size() + format->GetWireBytes(frame->telemetry);
            const Bytes wire = FrameCodec::Encode(*frame, Mac48Address(), Mac48Address());
            ASSERT_EQ(IpBytes(wire), sent.size() + 16 + 24 * hop);
            ASSERT_EQ(FullSum(&wire[IP], IpBytes(wire)), 0xffffU)
                << "hop " << hop << ", HPCC_TEST_SEED=" << m_seed;
            Frame* decoded = pool.Allocate();
            std::string message;
            ASSERT_TRUE(codec.Decode(wire.data(), wire.size(), *decoded, message)) << message;
            ASSERT_EQ(decoded->format, PeekPointer(format));
            Bytes got(decoded->packet->GetSize());
            decoded->packet->CopyData(got.data(), got.size());
            ASSERT_EQ(FullSum(got.data(), got.size()), 0xffffU);
            FramePool::Free(decoded);
            HopSnapshot snapshot;
            snapshot.switchId = Draw(1000);
            snapshot.queueBytes = Draw(100000);
            ASSERT_EQ(format->Insert(frame->telemetry, snapshot, 1000), 24);
        }
        FramePool::Free(frame);
    }
}

TEST_F(Compact, WithoutChecksumsTheFieldStaysAsItIs)
{
    GlobalValue::Bind("ChecksumEnabled", BooleanValue(false));
    auto format = CreateObject<MaxLoadFormat>();
    FramePool pool;
    Bytes sent = MakePacket(false, {}, {1, 2, 3});
    store_big_u16(&sent[36], 0);
    Frame* frame = FrameOf(pool, sent, false);
    frame->format = PeekPointer(format);
    format->Open(frame->telemetry, {5000, TCP_PROTOCOL, 0});
    const Bytes wire = FrameCodec::Encode(*frame, Mac48Address(), Mac48Address());
    EXPECT_EQ(load_big_u16(&wire[IP + 36]), 0);
    FramePool::Free(frame);
}

} // namespace
