/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-seeds.h"

#include "ns3/hpcc-frame.h"
#include "ns3/hpcc-presets.h"
#include "ns3/rdma-irn.h"
#include "ns3/rdma-recovery.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <iostream>
#include <random>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

using Numbers = std::vector<uint64_t>;
using Fate = RdmaSequencing::Fate;

constexpr uint64_t NONE = RdmaRetransmission::NONE;

/// @return the recovery scheme with the short name @p name
Ptr<RdmaRecovery>
Scheme(const std::string& name)
{
    ObjectFactory factory;
    EXPECT_TRUE(HpccPresets::Find(RdmaRecovery::GetTypeId(), name, factory)) << name;
    return factory.Create<RdmaRecovery>();
}

/// Returns the numbers of the packets that are retransmitted now, in order of transmission.
Numbers
SendLost(RdmaRetransmission& retransmission, uint64_t unaPsn)
{
    Numbers sent;
    for (uint64_t psn; (psn = retransmission.NextLost(unaPsn)) != NONE;)
    {
        sent.push_back(psn);
        retransmission.OnRetransmitted(psn);
    }
    return sent;
}

/// Returns a description of the arrival of a packet that is not a READ request.
RdmaArrival
Arrival(uint16_t bytes)
{
    return {0, bytes, ROCE_WRITE_MIDDLE};
}

} // namespace

TEST(RdmaRecovery, TheSchemesAreRegistered)
{
    EXPECT_EQ(HpccPresets::Choices(RdmaRecovery::GetTypeId()),
              "go-back-0, go-back-n, irn, sack, sack:sleek");
}

TEST(RdmaGoBackN, GoesBackToThePacketThatTheResponderExpects)
{
    auto requester = Scheme("go-back-n")->MakeRetransmission();
    EXPECT_EQ(requester->OnNak({7, 12, 3}, 7), 7U);
    EXPECT_EQ(requester->OnNak({7, 7, 3}, 7), NONE) << "nothing is in flight";
    EXPECT_EQ(requester->OnNak({7, 12, 3}, 6), NONE) << "an old NAK";
    EXPECT_EQ(requester->OnTimeout({7, 12, 3}), 7U);
    EXPECT_FALSE(requester->OnSelective({7, 12, 3}, 9, 1000)) << "it knows no such thing";
    EXPECT_EQ(requester->NextLost(7), NONE);
    EXPECT_FALSE(requester->IsActive());
}

TEST(RdmaGoBackN, DropsWhatComesEarlyAndExpectsTheSamePacket)
{
    auto responder = Scheme("go-back-n")->MakeSequencing();
    EXPECT_EQ(responder->OnOutOfOrder(7, 8, Arrival(1000)), Fate::DROPPED);
    EXPECT_EQ(responder->RestartAt(7, 3), 7U);
    EXPECT_FALSE(responder->HasKept());
}

TEST(RdmaGoBackZero, RestartsTheMessageAtBothEnds)
{
    auto requester = Scheme("go-back-0")->MakeRetransmission();
    auto responder = Scheme("go-back-0")->MakeSequencing();
    EXPECT_EQ(responder->OnOutOfOrder(7, 8, Arrival(1000)), Fate::DROPPED);
    EXPECT_EQ(responder->RestartAt(7, 3), 3U);
    EXPECT_EQ(requester->OnNak({7, 12, 3}, 3), 3U);
    EXPECT_EQ(requester->OnNak({7, 12, 3}, 7), NONE) << "go-back-0 never asks for the middle";
    EXPECT_EQ(requester->OnTimeout({7, 12, 3}), 3U);
}

TEST(RdmaRecovery, GoingBackHasNoLimitAndTheHostsTimeOut)
{
    for (const char* name : {"go-back-n", "go-back-0"})
    {
        RdmaSendLimits limits = Scheme(name)->GetLimits({100000000000, 1000, 4160, 4000000});
        EXPECT_EQ(limits.packets, UINT32_MAX) << name;
        EXPECT_EQ(limits.timeoutNs, 4000000) << name;
        EXPECT_EQ(limits.shortTimeoutNs, 4000000) << name;
    }
}

TEST(RdmaIrn, CapIsABandwidthDelayProductOfTheLongestPath)
{
    auto scheme = Scheme("irn");
    // The paper's default: 40 Gb/s times 24 us is 120 KB.
    EXPECT_EQ(scheme->GetLimits({40000000000, 1000, 24000, 4000000}).packets, 120U);
    EXPECT_EQ(scheme->GetLimits({40000000000, 1000, 24001, 4000000}).packets, 121U);
    EXPECT_EQ(scheme->GetLimits({40000000000, 1000, 0, 4000000}).packets, UINT32_MAX);
    scheme->SetAttribute("BdpCap", UintegerValue(7));
    EXPECT_EQ(scheme->GetLimits({40000000000, 1000, 24000, 4000000}).packets, 7U);
}

TEST(RdmaSack, DefaultTimeOutExceedsTheTimeUntilASackIsDue)
{
    auto scheme = Scheme("sack");
    // A SACK acknowledges 17 packets of 1000 bytes. Each occupies 1082 bytes on an Ethernet link.
    constexpr int64_t baseRttNs = 22688;
    EXPECT_GE(scheme->GetLimits({1000000000, 1000, baseRttNs, 4000000}).timeoutNs,
              baseRttNs + 17 * 1082 * 8);
    for (const uint64_t rateBps : {10000000000, 100000000000})
    {
        EXPECT_EQ(scheme->GetLimits({rateBps, 1000, 4160, 4000000}).timeoutNs, 15000 + 6 * 4160);
    }
    scheme->SetAttribute("AckBytes", UintegerValue(1));
    EXPECT_EQ(scheme->GetLimits({1000000000, 1000, baseRttNs, 4000000}).timeoutNs,
              15000 + 6 * baseRttNs);
    scheme->SetAttribute("Rto", StringValue("20us"));
    EXPECT_EQ(scheme->GetLimits({1000000000, 1000, baseRttNs, 4000000}).timeoutNs, 20000);
}

TEST(RdmaRecovery, NakIntervalActsOnlyIfTheResponderMayDropAnOutOfOrderPacket)
{
    constexpr RdmaRecovery::Path near{40000000000, 1000, 24000, 4000000};
    constexpr RdmaRecovery::Path far{400000000000, 1000, 24000000, 4000000}; // 1.2 million packets
    for (const char* name : {"go-back-n", "go-back-0"})
    {
        EXPECT_TRUE(Scheme(name)->DropsOutOfOrder(near)) << name;
    }
    auto irn = Scheme("irn");
    EXPECT_FALSE(irn->DropsOutOfOrder(near));
    EXPECT_TRUE(irn->DropsOutOfOrder(far));
    EXPECT_TRUE(irn->DropsOutOfOrder({40000000000, 1000, 0, 4000000})) << "no limit in flight";
    irn->SetAttribute("BdpCap", UintegerValue(RdmaIrnSequencing::MAX_AHEAD));
    EXPECT_FALSE(irn->DropsOutOfOrder(far));
    EXPECT_FALSE(Scheme("sack")->DropsOutOfOrder(far));
}

TEST(RdmaIrn, TimeOutsAreThePapersAndCannotChangePlaces)
{
    auto scheme = Scheme("irn");
    RdmaSendLimits limits = scheme->GetLimits({40000000000, 1000, 24000, 4000000});
    EXPECT_EQ(limits.shortTimeoutNs, 100000);
    EXPECT_EQ(limits.timeoutNs, 320000);
    EXPECT_EQ(limits.fewPackets, 3U);
    EXPECT_EQ(scheme->Validate(), "");
    scheme->SetAttribute("RtoLow", TimeValue(MicroSeconds(321)));
    EXPECT_NE(scheme->Validate().find("RtoLow"), std::string::npos);
}

TEST(RdmaIrnRetransmission, SendsAgainWhatIsMissingBelowTheHighestAcknowledged)
{
    RdmaIrnRetransmission requester(1);
    EXPECT_FALSE(requester.IsActive());
    EXPECT_TRUE(requester.OnSelective({2, 20, 0}, 5, 1000));
    EXPECT_TRUE(requester.IsActive());
    EXPECT_EQ(SendLost(requester, 2), (Numbers{2, 3, 4}));
    EXPECT_EQ(SendLost(requester, 2), Numbers{}) << "once is enough";
    EXPECT_TRUE(requester.OnSelective({2, 20, 0}, 7, 500));
    EXPECT_FALSE(requester.OnSelective({2, 20, 0}, 7, 500)) << "old news";
    EXPECT_FALSE(requester.OnSelective({2, 20, 0}, 20, 500)) << "was never sent";
    EXPECT_FALSE(requester.OnSelective({2, 20, 0}, 2, 500)) << "is expected, cannot be kept";
    EXPECT_EQ(SendLost(requester, 2), Numbers{6});
    EXPECT_EQ(requester.OnAcknowledged(6), 1000U) << "packet 5 was told before";
    EXPECT_TRUE(requester.IsActive());
    EXPECT_EQ(requester.OnAcknowledged(8), 500U);
    EXPECT_FALSE(requester.IsActive());
}

TEST(RdmaIrnRetransmission, ReorderingBelowTheToleranceIsNoLoss)
{
    RdmaIrnRetransmission requester(3);
    requester.OnSelective({2, 20, 0}, 4, 1000);
    EXPECT_EQ(SendLost(requester, 2), Numbers{}) << "2 and 3 are less than 3 behind";
    requester.OnSelective({2, 20, 0}, 5, 1000);
    EXPECT_EQ(SendLost(requester, 2), Numbers{2});
    requester.OnSelective({2, 20, 0}, 6, 1000);
    EXPECT_EQ(SendLost(requester, 2), Numbers{3});
    EXPECT_EQ(requester.OnAcknowledged(7), 3000U);
    EXPECT_FALSE(requester.IsActive());
}

TEST(RdmaIrnRetransmission, AfterATimeOutGoesOnWithEachPartialAcknowledgement)
{
    RdmaIrnRetransmission requester(1);
    EXPECT_EQ(requester.OnTimeout({10, 14, 0}), NONE);
    EXPECT_EQ(SendLost(requester, 10), Numbers{10}) << "the paper's first step";
    requester.OnAcknowledged(11);
    EXPECT_EQ(SendLost(requester, 11), Numbers{11});
    requester.OnAcknowledged(13);
    EXPECT_EQ(SendLost(requester, 13), Numbers{13});
    requester.OnAcknowledged(14);
    EXPECT_FALSE(requester.IsActive());
}

TEST(RdmaIrnRetransmission, ATimeOutFindsLostRetransmissions)
{
    RdmaIrnRetransmission requester(1);
    requester.OnSelective({2, 9, 0}, 5, 1000);
    EXPECT_EQ(SendLost(requester, 2), (Numbers{2, 3, 4}));
    requester.OnTimeout({2, 9, 0});
    EXPECT_EQ(SendLost(requester, 2), (Numbers{2, 3, 4}));
}

TEST(RdmaIrnRetransmission, PositionMayMoveFarWhileThereIsNothingToDo)
{
    RdmaIrnRetransmission requester(1);
    requester.OnSelective({2, 9, 0}, 3, 1000);
    EXPECT_EQ(requester.OnAcknowledged(9), 1000U);
    EXPECT_TRUE(requester.OnSelective({uint64_t{1} << 40, (uint64_t{1} << 40) + 500, 0},
                                      (uint64_t{1} << 40) + 400,
                                      7));
    EXPECT_EQ(SendLost(requester, uint64_t{1} << 40).size(), 400U);
    EXPECT_EQ(requester.OnAcknowledged((uint64_t{1} << 40) + 401), 7U);
}

TEST(RdmaIrnSequencing, KeepsEarlyPacketsOnceAndGivesThemBackInOrder)
{
    RdmaIrnSequencing responder;
    EXPECT_FALSE(responder.HasKept());
    EXPECT_EQ(responder.OnOutOfOrder(5, 7, Arrival(70)), Fate::KEPT);
    EXPECT_EQ(responder.OnOutOfOrder(5, 6, Arrival(60)), Fate::KEPT);
    EXPECT_EQ(responder.OnOutOfOrder(5, 7, Arrival(71)), Fate::REPEATED);
    EXPECT_EQ(responder.OnOutOfOrder(5, 300, Arrival(300)), Fate::KEPT) << "the ring grows";
    RdmaArrival arrival;
    EXPECT_TRUE(responder.Take(6, arrival));
    EXPECT_EQ(arrival.bytes, 60);
    EXPECT_TRUE(responder.Take(7, arrival));
    EXPECT_EQ(arrival.bytes, 70);
    EXPECT_FALSE(responder.Take(8, arrival));
    EXPECT_TRUE(responder.HasKept());
    EXPECT_TRUE(responder.Take(300, arrival));
    EXPECT_FALSE(responder.HasKept());
}

TEST(RdmaIrnSequencing, WhatIsTooFarAheadIsDropped)
{
    RdmaIrnSequencing responder;
    EXPECT_EQ(responder.OnOutOfOrder(5, 5 + RdmaIrnSequencing::MAX_AHEAD, Arrival(1)),
              Fate::DROPPED);
    EXPECT_FALSE(responder.HasKept());
    RdmaIrnRetransmission requester(1);
    EXPECT_EQ(requester.OnNak({5, 9, 0}, 5), NONE);
    EXPECT_EQ(SendLost(requester, 5), Numbers{5}) << "the NAK for it names the first gap";
}

/// Tests a requester and a responder that are connected by a channel. The channel loses, duplicates
/// and reorders packets in both directions.
class RdmaIrnChannel : public testing::Test
{
  public:
    RdmaIrnChannel()
    {
        m_seed = hpcctest::ChooseSeed();
        m_random.seed(m_seed);
        std::cout << "HPCC_TEST_SEED=" << m_seed << "\n";
    }

  protected:
    static constexpr uint64_t PACKETS = 3000;
    static constexpr uint64_t CAP = 100;

    bool Chance(uint32_t percent)
    {
        return m_random() % 100 < percent;
    }

    static uint32_t BytesOf(uint64_t psn)
    {
        return 1 + psn % 1000;
    }

    /// Passes a packet to the responder.
    /// @return acknowledgement of the packet
    std::pair<uint64_t, uint64_t> Arrive(uint64_t psn)
    {
        if (psn > m_expected)
        {
            m_responder.OnOutOfOrder(m_expected, psn, Arrival(BytesOf(psn)));
            return {m_expected, psn};
        }
        RdmaArrival arrival = Arrival(BytesOf(psn));
        bool next = psn == m_expected;
        while (next)
        {
            m_delivered += arrival.bytes == BytesOf(m_expected);
            ++m_expected;
            next = m_responder.HasKept() && m_responder.Take(m_expected, arrival);
        }
        return {m_expected, NONE};
    }

    void Acknowledge(std::pair<uint64_t, uint64_t> ack)
    {
        auto [psn, kept] = ack;
        if (psn > m_una)
        {
            m_acknowledged += psn - m_una;
            m_una = psn;
            if (m_requester.IsActive())
            {
                m_released += m_requester.OnAcknowledged(psn);
            }
        }
        if (kept != NONE && m_requester.OnSelective({m_una, m_nxt, 0}, kept, BytesOf(kept)))
        {
            m_told += BytesOf(kept);
        }
    }

    template <typename Item>
    Item TakeOne(std::deque<Item>& channel)
    {
        auto at = channel.begin() + (Chance(20) ? m_random() % channel.size() : 0);
        Item item = *at;
        if (!Chance(2))
        {
            channel.erase(at);
        }
        return item;
    }

    uint32_t m_seed;
    std::mt19937 m_random;
    RdmaIrnRetransmission m_requester{1};
    RdmaIrnSequencing m_responder;
    uint64_t m_una{0};
    uint64_t m_nxt{0};
    uint64_t m_expected{0};
    uint64_t m_delivered{0};
    uint64_t m_acknowledged{0};
    uint64_t m_told{0};
    uint64_t m_released{0};
};

TEST_F(RdmaIrnChannel, DeliversEveryPacketOnceWhateverIsLostRepeatedOrReordered)
{
    std::deque<uint64_t> packets;
    std::deque<std::pair<uint64_t, uint64_t>> acks;
    for (uint64_t step = 0; m_una < PACKETS && step < 100 * PACKETS; ++step)
    {
        uint64_t lost = m_requester.IsActive() ? m_requester.NextLost(m_una) : NONE;
        if (lost != NONE)
        {
            ASSERT_GE(lost, m_una);
            ASSERT_LT(lost, m_nxt);
            m_requester.OnRetransmitted(lost);
            packets.push_back(lost);
        }
        else if (m_nxt < PACKETS && m_nxt - m_una < CAP)
        {
            packets.push_back(m_nxt++);
        }
        else if (packets.empty() && acks.empty())
        {
            m_requester.OnTimeout({m_una, m_nxt, 0});
        }
        if (!packets.empty() && Chance(70))
        {
            uint64_t psn = TakeOne(packets);
            if (!Chance(10))
            {
                acks.push_back(Arrive(psn));
            }
        }
        if (!acks.empty() && Chance(70))
        {
            auto ack = TakeOne(acks);
            if (!Chance(10))
            {
                Acknowledge(ack);
            }
        }
    }
    EXPECT_EQ(m_una, PACKETS);
    EXPECT_EQ(m_expected, PACKETS);
    EXPECT_EQ(m_delivered, PACKETS) << "in order, each once";
    EXPECT_EQ(m_acknowledged, PACKETS);
    EXPECT_GT(m_told, 0U);
    EXPECT_EQ(m_released, m_told) << "no byte is counted twice";
    EXPECT_FALSE(m_requester.IsActive());
    EXPECT_FALSE(m_responder.HasKept());
}
