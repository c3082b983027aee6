/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-seeds.h"

#include "ns3/boolean.h"
#include "ns3/global-value.h"
#include "ns3/hpcc-tcp-segment.h"
#include "ns3/node.h"
#include "ns3/tcp-option-ts.h"
#include "ns3/tcp-option.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace ns3;
using boost::endian::load_big_u16;
using boost::endian::load_big_u32;

namespace
{

using Bytes = std::vector<uint8_t>;

/// Fixture that enables checksums, because the tests verify them.
class TcpSegmentTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));
        ASSERT_TRUE(Node::ChecksumEnabled());
    }

    void TearDown() override
    {
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(false));
    }
};

Bytes
BytesOf(Ptr<const Packet> packet)
{
    Bytes bytes(packet->GetSize());
    packet->CopyData(bytes.data(), bytes.size());
    return bytes;
}

/// Properties of a random segment.
struct Recipe
{
    bool ipv6{false};                ///< true for IPv6
    bool options{false};             ///< true if the segment has a timestamp option
    uint32_t bytes{5000};            ///< payload, bytes
    uint8_t flags{TcpHeader::ACK};   ///< flags
    uint32_t sequence{0xfffff000};   ///< sequence number, chosen such that it wraps
    uint16_t identification{0xfffe}; ///< IPv4 identification, chosen such that it wraps
};

TcpSegment
Make(const Recipe& recipe, std::mt19937& random)
{
    TcpSegment segment;
    segment.ipv6 = recipe.ipv6;
    segment.ipv4.SetSource(Ipv4Address("11.0.0.1"));
    segment.ipv4.SetDestination(Ipv4Address("11.0.0.2"));
    segment.ipv4.SetProtocol(6);
    segment.ipv4.SetTos(0x2a);
    segment.ipv4.SetTtl(61);
    segment.ipv4.SetIdentification(recipe.identification);
    segment.ipv6Header.SetSource(Ipv6Address("fd68:7063:6300::b00:1"));
    segment.ipv6Header.SetDestination(Ipv6Address("fd68:7063:6300::b00:2"));
    segment.ipv6Header.SetNextHeader(6);
    segment.ipv6Header.SetTrafficClass(0x2a);
    segment.ipv6Header.SetHopLimit(61);
    segment.tcp.SetSourcePort(49153);
    segment.tcp.SetDestinationPort(5000);
    segment.tcp.SetSequenceNumber(SequenceNumber32(recipe.sequence));
    segment.tcp.SetAckNumber(SequenceNumber32(0x12345678));
    segment.tcp.SetWindowSize(0xabcd);
    segment.tcp.SetFlags(recipe.flags);
    if (recipe.options)
    {
        auto stamp = CreateObject<TcpOptionTS>();
        stamp->SetTimestamp(77);
        stamp->SetEcho(66);
        segment.tcp.AppendOption(stamp);
    }
    Bytes payload(recipe.bytes);
    std::generate(payload.begin(), payload.end(), std::ref(random));
    segment.payload = Create<Packet>(payload.data(), payload.size());
    return segment;
}

/// @return ones' complement sum of the bytes from @p from to @p to; 0xffff if they contain a
/// correct checksum
uint16_t
Sum(const Bytes& bytes, size_t from, size_t to, uint32_t sum = 0)
{
    for (size_t i = from; i < to; ++i)
    {
        sum += (i - from) % 2 ? bytes[i] : bytes[i] << 8;
    }
    while (sum >> 16)
    {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return static_cast<uint16_t>(sum);
}

/**
 * Expects that the checksums and lengths of a packet are correct.
 * @param packet packet from the IP header on
 * @param ipv6 true for IPv6, false for IPv4
 */
void
ExpectValid(const Bytes& packet, bool ipv6)
{
    const size_t ip = ipv6 ? 40 : 20;
    const uint32_t tcpBytes = packet.size() - ip;
    if (ipv6)
    {
        EXPECT_EQ(load_big_u16(&packet[4]), tcpBytes);
    }
    else
    {
        EXPECT_EQ(load_big_u16(&packet[2]), packet.size());
        EXPECT_EQ(Sum(packet, 0, ip), 0xffff);
    }
    const uint32_t pseudo = Sum(packet, ipv6 ? 8 : 12, ip) + 6 + tcpBytes;
    EXPECT_EQ(Sum(packet, ip, packet.size(), pseudo), 0xffff);
}

Ptr<Packet>
Join(const std::vector<Ptr<Packet>>& segments, bool ipv6)
{
    TcpJoiner joiner;
    for (size_t i = 0; i < segments.size(); ++i)
    {
        TcpSegment segment;
        EXPECT_TRUE(TcpSegment::Parse(segments[i], ipv6, segment));
        EXPECT_TRUE(segment.isChecksumOk);
        EXPECT_TRUE(i == 0 ? joiner.Begin(segment) : joiner.Add(segment)) << i;
    }
    EXPECT_EQ(joiner.GetSegments(), segments.size());
    return joiner.Finish();
}

TEST_F(TcpSegmentTest, PartOfASackBlockIsRefused)
{
    // ns-3 reads options in whole blocks. Therefore it would continue to read inside the option,
    // and abort at an MSS option of 9 bytes.
    std::mt19937 random(1);
    Recipe recipe;
    recipe.bytes = 10;
    Bytes bytes = BytesOf(Make(recipe, random).Pack());
    const Bytes options{TcpOption::SACK, 5, TcpOption::MSS, 9, 0, TcpOption::END, 0, 0};
    bytes.insert(bytes.begin() + 40, options.begin(), options.end());
    bytes[32] = 7 << 4; // data offset, in words
    TcpSegment segment;
    EXPECT_FALSE(TcpSegment::Parse(Create<Packet>(bytes.data(), bytes.size()), false, segment));
}

TEST_F(TcpSegmentTest, CutAndJoinedAgainIsTheSame)
{
    const uint32_t seed = hpcctest::ChooseSeed();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    for (int i = 0; i < 300; ++i)
    {
        Recipe recipe;
        recipe.ipv6 = random() % 2;
        recipe.options = random() % 2;
        recipe.bytes = 1 + random() % 65000;
        recipe.sequence = random();
        recipe.identification = random();
        recipe.flags |=
            random() & (TcpHeader::PSH | TcpHeader::FIN | TcpHeader::ECE | TcpHeader::CWR);
        const TcpSegment segment = Make(recipe, random);
        const uint32_t limit = std::vector<uint32_t>{536, 1448, 8960}[random() % 3];
        const auto segments = segment.Cut(limit);
        ASSERT_EQ(segments.size(), (recipe.bytes + limit - 1) / limit);
        for (const auto& part : segments)
        {
            ExpectValid(BytesOf(part), recipe.ipv6);
        }
        const auto whole = BytesOf(segment.Pack());
        ExpectValid(whole, recipe.ipv6);
        ASSERT_EQ(BytesOf(Join(segments, recipe.ipv6)), whole) << i;
    }
}

TEST_F(TcpSegmentTest, PartsSayWhatTheSegmentSaid)
{
    std::mt19937 random(1);
    Recipe recipe;
    recipe.flags =
        TcpHeader::ACK | TcpHeader::PSH | TcpHeader::FIN | TcpHeader::ECE | TcpHeader::CWR;
    recipe.bytes = 2500;
    const auto segments = Make(recipe, random).Cut(1000);
    ASSERT_EQ(segments.size(), 3);
    const uint8_t flags[] = {TcpHeader::ACK | TcpHeader::ECE | TcpHeader::CWR,
                             TcpHeader::ACK | TcpHeader::ECE,
                             TcpHeader::ACK | TcpHeader::ECE | TcpHeader::PSH | TcpHeader::FIN};
    for (uint32_t i = 0; i < 3; ++i)
    {
        const Bytes bytes = BytesOf(segments[i]);
        EXPECT_EQ(bytes.size(), i < 2 ? 1040 : 540);
        EXPECT_EQ(load_big_u16(&bytes[4]), static_cast<uint16_t>(recipe.identification + i));
        EXPECT_EQ(load_big_u32(&bytes[24]), recipe.sequence + i * 1000);
        EXPECT_EQ(load_big_u32(&bytes[28]), 0x12345678);
        EXPECT_EQ(bytes[33], flags[i]);
        EXPECT_EQ(bytes[1], 0x2a);
    }
}

/// A modification of the second of three segments.
using Change = std::function<void(TcpSegment&)>;

TEST_F(TcpSegmentTest, SegmentsThatDifferAreNotJoined)
{
    const std::vector<std::pair<std::string, Change>> changes{
        {"a hole", [](auto& s) { s.tcp.SetSequenceNumber(s.tcp.GetSequenceNumber() + 1); }},
        {"again", [](auto& s) { s.tcp.SetSequenceNumber(s.tcp.GetSequenceNumber() - 1000); }},
        {"acknowledgement", [](auto& s) { s.tcp.SetAckNumber(SequenceNumber32(1)); }},
        {"window", [](auto& s) { s.tcp.SetWindowSize(1); }},
        {"port", [](auto& s) { s.tcp.SetSourcePort(1); }},
        {"CE", [](auto& s) { s.ipv4.SetTos(0x2b); }},
        {"TTL", [](auto& s) { s.ipv4.SetTtl(60); }},
        {"source", [](auto& s) { s.ipv4.SetSource(Ipv4Address("11.0.0.3")); }},
        {"ECE", [](auto& s) { s.tcp.SetFlags(TcpHeader::ACK | TcpHeader::ECE); }},
        {"CWR", [](auto& s) { s.tcp.SetFlags(TcpHeader::ACK | TcpHeader::CWR); }},
        {"SYN", [](auto& s) { s.tcp.SetFlags(TcpHeader::ACK | TcpHeader::SYN); }},
        {"RST", [](auto& s) { s.tcp.SetFlags(TcpHeader::ACK | TcpHeader::RST); }},
        {"URG", [](auto& s) { s.tcp.SetFlags(TcpHeader::ACK | TcpHeader::URG); }},
        {"options", [](auto& s) { s.tcp.AppendOption(CreateObject<TcpOptionTS>()); }},
        {"larger", [](auto& s) { s.payload = Create<Packet>(1001); }},
        {"empty", [](auto& s) { s.payload = Create<Packet>(); }},
        {"checksum", [](auto& s) { s.isChecksumOk = false; }}};
    std::mt19937 random(1);
    Recipe recipe;
    recipe.bytes = 3000;
    const auto segments = Make(recipe, random).Cut(1000);
    for (const auto& [what, change] : changes)
    {
        TcpSegment first;
        TcpSegment second;
        ASSERT_TRUE(TcpSegment::Parse(segments[0], false, first));
        ASSERT_TRUE(TcpSegment::Parse(segments[1], false, second));
        TcpJoiner joiner;
        ASSERT_TRUE(joiner.Begin(first));
        change(second);
        EXPECT_FALSE(joiner.Add(second)) << what;
        EXPECT_EQ(BytesOf(joiner.Finish()), BytesOf(segments[0])) << what;
    }
}

TEST_F(TcpSegmentTest, WhatEndsAJoinIsItsLast)
{
    std::mt19937 random(1);
    Recipe recipe;
    recipe.bytes = 2500;
    const auto segments = Make(recipe, random).Cut(1000);
    const auto joinAll = [&](uint32_t limit) {
        TcpJoiner joiner;
        for (const auto& part : segments)
        {
            TcpSegment segment;
            EXPECT_TRUE(TcpSegment::Parse(part, false, segment));
            EXPECT_TRUE(joiner.GetSegments() ? joiner.Add(segment) : joiner.Begin(segment, limit));
            if (joiner.IsComplete())
            {
                break;
            }
        }
        return joiner.GetSegments();
    };
    EXPECT_EQ(joinAll(MAX_OFFLOAD_BYTES), 3) << "the short one";
    EXPECT_EQ(joinAll(3039), 2) << "no room for a third";
    EXPECT_EQ(joinAll(3040), 3);
    for (uint8_t flag : {TcpHeader::PSH, TcpHeader::FIN})
    {
        recipe.flags = TcpHeader::ACK | flag;
        TcpJoiner joiner;
        ASSERT_TRUE(joiner.Begin(Make(recipe, random)));
        EXPECT_TRUE(joiner.IsComplete());
    }
}

TEST_F(TcpSegmentTest, OnlyWholeTcpIsTakenApart)
{
    std::mt19937 random(1);
    TcpSegment out;
    for (bool ipv6 : {false, true})
    {
        Recipe recipe;
        recipe.ipv6 = ipv6;
        TcpSegment segment = Make(recipe, random);
        EXPECT_TRUE(TcpSegment::Parse(segment.Pack(), ipv6, out));
        segment.ipv4.SetProtocol(17);
        segment.ipv6Header.SetNextHeader(17);
        EXPECT_FALSE(TcpSegment::Parse(segment.Pack(), ipv6, out)) << "UDP";
    }
    TcpSegment fragment = Make({}, random);
    fragment.ipv4.SetMoreFragments();
    EXPECT_FALSE(TcpSegment::Parse(fragment.Pack(), false, out));
    fragment.ipv4.SetLastFragment();
    fragment.ipv4.SetFragmentOffset(8);
    EXPECT_FALSE(TcpSegment::Parse(fragment.Pack(), false, out));
    Bytes bytes = BytesOf(Make({}, random).Pack());
    bytes[100] ^= 1;
    ASSERT_TRUE(TcpSegment::Parse(Create<Packet>(bytes.data(), bytes.size()), false, out));
    EXPECT_FALSE(out.isChecksumOk);
}

} // namespace
