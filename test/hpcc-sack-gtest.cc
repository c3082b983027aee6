/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests the header of SACKs, and the states of packets at the requester.

#include "ns3/hpcc-frame-codec.h"
#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-roce-headers.h"
#include "ns3/hpcc-roce-packet.h"
#include "ns3/mac48-address.h"
#include "ns3/rdma-recovery.h"
#include "ns3/rdma-sack-sender.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

using State = RdmaSackSender::State;

/// Fills a frame with a SACK without telemetry.
void
Fill(Frame& frame, uint8_t syndrome, const RoceSack& sack)
{
    frame.kind = Frame::Kind::ROCE;
    frame.opcode = ROCE_ACK;
    frame.syndrome = syndrome;
    frame.source = 0x0b000001;
    frame.destination = 0x0b000002;
    frame.sourcePort = 0xc123;
    frame.destinationPort = ROCE_UDP_PORT;
    frame.protocol = 17;
    frame.ttl = 64;
    frame.psn = 77;
    frame.destinationQp = 5;
    frame.sack = sack;
    frame.bytes = RoceFrameBytes(frame);
}

/// Returns a sender that has sent packets 0 to count - 1, of 1000 bytes, at intervals of 10 ns.
RdmaSackSender
Sent(uint64_t count)
{
    RdmaSackSender sender;
    for (uint64_t psn = 0; psn < count; ++psn)
    {
        sender.OnSent(psn, 1000, static_cast<uint16_t>(psn), static_cast<int64_t>(10 * psn));
    }
    return sender;
}

} // namespace

TEST(RoceSackTest, WhatIsWrittenIsRead)
{
    std::mt19937_64 random(1);
    const auto mac = Mac48Address("02:00:00:00:00:01");
    for (int i = 0; i < 1000; ++i)
    {
        const uint8_t syndrome = i % 2 ? ROCE_SYNDROME_SACK : ROCE_SYNDROME_NACK_TRIMMED;
        const RoceSack sack{random(),
                            random() & RoceSackHeader::COUNT_MASK,
                            static_cast<uint32_t>(random() & 0xffffff),
                            static_cast<uint32_t>(random() & 0xffffff),
                            static_cast<uint16_t>(random()),
                            static_cast<uint8_t>(random() & 7)};
        Frame frame{};
        Fill(frame, syndrome, sack);
        EXPECT_EQ(frame.bytes, 86);
        const std::vector<uint8_t> bytes = FrameCodec::Encode(frame, mac, mac);
        ASSERT_EQ(bytes.size(), frame.bytes);
        Frame read{};
        std::string why;
        ASSERT_TRUE(FrameCodec().Decode(bytes.data(), bytes.size(), read, why)) << why;
        EXPECT_TRUE(read.HasSack());
        EXPECT_EQ(read.syndrome, syndrome);
        EXPECT_EQ(read.psn, 77);
        EXPECT_EQ(read.sack.bitmap, sack.bitmap);
        EXPECT_EQ(read.sack.receivedBytes, sack.receivedBytes);
        EXPECT_EQ(read.sack.psn, sack.psn);
        EXPECT_EQ(read.sack.basePsn, sack.basePsn);
        EXPECT_EQ(read.sack.outOfOrder, sack.outOfOrder);
        EXPECT_EQ(read.sack.flags, sack.flags);
    }
}

TEST(RoceSackTest, OneThatIsCutOffIsRefused)
{
    const auto mac = Mac48Address("02:00:00:00:00:01");
    Frame frame{};
    Fill(frame, ROCE_SYNDROME_ACK, {});
    std::vector<uint8_t> bytes = FrameCodec::Encode(frame, mac, mac);
    constexpr size_t ip = ETHERNET_HEADER_BYTES;
    constexpr size_t aeth = ip + IPV4_HEADER_BYTES + UDP_HEADER_BYTES + BTH_BYTES;
    bytes[aeth] = ROCE_SYNDROME_SACK;
    const size_t icrc = aeth + AETH_BYTES;
    const uint32_t crc = RocePacket::InvariantCrc(&bytes[ip], icrc - ip);
    for (size_t i = 0; i < ICRC_BYTES; ++i)
    {
        bytes[icrc + i] = static_cast<uint8_t>(crc >> 8 * i);
    }
    Frame read{};
    std::string why;
    EXPECT_FALSE(FrameCodec().Decode(bytes.data(), bytes.size(), read, why));
    EXPECT_EQ(why, "SACK or NACK is cut off");
}

TEST(RdmaSackSenderTest, LostPacketsGoLowestNumberFirst)
{
    RdmaSackSender sender = Sent(10);
    EXPECT_FALSE(sender.HasLost());
    EXPECT_EQ(sender.NextLost(0), RdmaRetransmission::NONE);
    sender.OnLost(7);
    sender.OnLost(3);
    EXPECT_EQ(sender.NextLost(0), 3);
    sender.OnRetransmitted(3);
    sender.OnSent(3, 1000, 40, 500);
    EXPECT_EQ(sender.NextLost(0), 7);
    sender.OnLost(3);
    EXPECT_EQ(sender.NextLost(0), 3);
    EXPECT_EQ(sender.Get(3).entropy, 40);
    EXPECT_EQ(sender.Get(3).sends, 2);
}

TEST(RdmaSackSenderTest, ACumulativeAckReturnsTheBytesThatWereKnown)
{
    RdmaSackSender sender = Sent(10);
    EXPECT_EQ(sender.OnReceived(2), State::IN_FLIGHT);
    EXPECT_EQ(sender.OnReceived(2), State::RECEIVED);
    sender.OnLost(4);
    EXPECT_EQ(sender.OnReceived(4), State::LOST);
    EXPECT_FALSE(sender.HasLost());
    sender.OnLost(1);
    EXPECT_EQ(sender.Revive(6), 1000);
    EXPECT_FALSE(sender.HasLost());
    EXPECT_EQ(sender.OnAcknowledged(6), 2000);
    EXPECT_EQ(sender.GetFirst(), 6);
    EXPECT_EQ(sender.GetEnd(), 10);
}

TEST(RdmaSackSenderTest, TheOldestPacketsInFlightFollowAcksLossesAndRetransmissions)
{
    RdmaSackSender sender = Sent(10);
    EXPECT_EQ(sender.OldestSentOnce(), 0);
    EXPECT_EQ(sender.OldestResent(), RdmaRetransmission::NONE);
    sender.OnReceived(0);
    sender.OnLost(4);
    sender.OnRetransmitted(4);
    sender.OnSent(4, 1000, 0, 100);
    sender.OnLost(1);
    EXPECT_EQ(sender.OldestSentOnce(), 2);
    sender.OnRetransmitted(1);
    sender.OnSent(1, 1000, 0, 110);
    EXPECT_EQ(sender.OldestSentOnce(), 2);
    EXPECT_EQ(sender.OldestResent(), 4) << "it left before packet 1";
    sender.OnLost(4);
    EXPECT_EQ(sender.OldestResent(), 1);
    sender.OnRetransmitted(4);
    sender.OnSent(4, 1000, 0, 120);
    EXPECT_EQ(sender.OldestResent(), 1) << "the first retransmission of packet 4 is lost";
    for (uint64_t psn = 1; psn < 10; ++psn)
    {
        sender.OnReceived(psn);
    }
    EXPECT_EQ(sender.OldestSentOnce(), RdmaRetransmission::NONE);
    EXPECT_EQ(sender.OldestResent(), RdmaRetransmission::NONE);
}

TEST(RdmaSackSenderTest, APacketCanBeSentAnyNumberOfTimes)
{
    RdmaSackSender sender = Sent(1);
    for (int64_t nowNs = 1; nowNs < 70000; ++nowNs)
    {
        sender.OnLost(0);
        sender.OnRetransmitted(0);
        sender.OnSent(0, 1000, 0, nowNs);
        ASSERT_EQ(sender.OldestResent(), 0) << nowNs;
        ASSERT_EQ(sender.RttOf(0, true, nowNs), nowNs == 1 ? 0 : -1) << nowNs;
    }
}

TEST(RdmaSackSenderTest, OnlyAnUnambiguousAcknowledgementGivesARoundTripTime)
{
    RdmaSackSender sender = Sent(3);
    EXPECT_EQ(sender.RttOf(1, false, 100), 90);
    EXPECT_EQ(sender.RttOf(1, true, 100), -1);
    for (int i = 0; i < 2; ++i)
    {
        sender.OnLost(1);
        sender.OnRetransmitted(1);
        sender.OnSent(1, 1000, 0, 60);
        EXPECT_EQ(sender.RttOf(1, false, 100), -1);
        EXPECT_EQ(sender.RttOf(1, true, 100), i == 0 ? 40 : -1);
    }
}

TEST(RdmaSackSenderTest, APacketIsAnsweredWhenTheNextSackIsDue)
{
    constexpr int64_t never = std::numeric_limits<int64_t>::max();
    RdmaSackSender sender = Sent(5);
    EXPECT_EQ(sender.AnswerableNs(1, 1), 10);
    EXPECT_EQ(sender.AnswerableNs(1, 3000), 30);
    EXPECT_EQ(sender.AnswerableNs(1, 4001), never);
    sender.OnReceived(2);
    EXPECT_EQ(sender.AnswerableNs(1, 3000), 30);
    sender.OnLost(3);
    EXPECT_EQ(sender.AnswerableNs(1, 3000), 40) << "a packet that has not arrived";
    sender.OnRetransmitted(3);
    sender.OnSent(3, 1000, 0, 70, true);
    EXPECT_EQ(sender.AnswerableNs(1, 4001), 70) << "it requests a SACK";
    sender.OnSent(5, 1000, 0, 80, true);
    EXPECT_EQ(sender.AnswerableNs(4, 4001), 80);
}

TEST(RdmaSackSenderTest, AgreesWithAPlainRecordOfEachPacket)
{
    std::mt19937 random(7);
    std::vector<State> plain;
    std::vector<int> resentAt; // step in which each packet was last retransmitted; 0 for none
    RdmaSackSender sender;
    uint64_t first = 0;
    for (int step = 0; step < 20000; ++step)
    {
        const uint64_t in = plain.size() - first;
        const uint64_t psn = first + (in ? random() % in : 0);
        switch (random() % 5)
        {
        case 0:
        case 1:
            sender.OnSent(plain.size(), 100, 0, step);
            plain.push_back(State::IN_FLIGHT);
            resentAt.push_back(0);
            break;
        case 2:
            if (in && plain[psn] == State::IN_FLIGHT)
            {
                sender.OnLost(psn);
                plain[psn] = State::LOST;
            }
            break;
        case 3:
            if (in)
            {
                EXPECT_EQ(sender.OnReceived(psn), plain[psn]);
                plain[psn] = State::RECEIVED;
            }
            break;
        default:
            if (const uint64_t lost = sender.NextLost(first); lost != RdmaRetransmission::NONE)
            {
                sender.OnRetransmitted(lost);
                sender.OnSent(lost, 100, 0, step);
                plain[lost] = State::IN_FLIGHT;
                resentAt[lost] = step;
            }
            else if (in > 300)
            {
                const uint64_t una = first + random() % 100;
                sender.Revive(una);
                sender.OnAcknowledged(una);
                first = una;
            }
        }
        uint64_t lost = RdmaRetransmission::NONE;
        uint64_t once = RdmaRetransmission::NONE;
        uint64_t resent = RdmaRetransmission::NONE;
        for (uint64_t i = plain.size(); i-- > first;)
        {
            const bool flying = plain[i] == State::IN_FLIGHT;
            const bool older = resent == RdmaRetransmission::NONE || resentAt[i] < resentAt[resent];
            lost = plain[i] == State::LOST ? i : lost;
            once = flying && resentAt[i] == 0 ? i : once;
            resent = flying && resentAt[i] > 0 && older ? i : resent;
        }
        ASSERT_EQ(sender.NextLost(first), lost) << step;
        ASSERT_EQ(sender.OldestSentOnce(), once) << step;
        ASSERT_EQ(sender.OldestResent(), resent) << step;
    }
}
