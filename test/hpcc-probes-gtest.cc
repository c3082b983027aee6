/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-seeds.h"

#include "ns3/hpcc-probes.h"

#include <gtest/gtest.h>
#include <iostream>
#include <random>

using namespace ns3;

namespace
{

constexpr int64_t T = 4000;

/// Tests the probes of one flow.
class ProbesTest : public ::testing::Test
{
  protected:
    ProbesTest()
    {
        m_probes.Open(T);
    }

    /**
     * Returns the identifier of a probe.
     * @param psn snd_nxt as a number of packets
     * @param number number of the probe
     */
    static uint64_t Id(uint64_t psn, uint64_t number)
    {
        return psn << 32 | number;
    }

    /**
     * Reports the departure of a probe.
     * @param psn snd_nxt as a number of packets
     * @param byte snd_nxt as a number of bytes
     * @param nowNs time of departure
     */
    void Depart(uint64_t psn, uint64_t byte, int64_t nowNs)
    {
        m_probes.OnDeparture(Id(psn, m_probes.GetDepartures()), byte, nowNs);
    }

    HpccProbes m_probes; ///< probes under test
};

} // namespace

TEST_F(ProbesTest, OneIsOutAtATime)
{
    EXPECT_EQ(m_probes.GetTimeoutNs(), HpccProbes::NEVER);
    EXPECT_TRUE(m_probes.OnData());
    EXPECT_FALSE(m_probes.OnData()) << "wanted already";
    Depart(3, 3000, 100);
    EXPECT_FALSE(m_probes.OnData()) << "one is out";
    EXPECT_FALSE(m_probes.Continue(200, true)) << "one is out";
    EXPECT_TRUE(m_probes.OnAnswer(Id(3, 0), 5000).known);
    EXPECT_EQ(m_probes.GetRttNs(), 4900);
    EXPECT_TRUE(m_probes.Continue(5000, true));
    EXPECT_FALSE(m_probes.Continue(5000, true)) << "wanted already";
    EXPECT_FALSE(m_probes.OnData()) << "wanted already";
}

TEST_F(ProbesTest, WithoutDataInFlightTheNextOneWaitsForData)
{
    m_probes.OnData();
    Depart(3, 3000, 100);
    m_probes.OnAnswer(Id(3, 0), 5000);
    EXPECT_FALSE(m_probes.Continue(5000, false));
    EXPECT_FALSE(m_probes.IsWanted());
    EXPECT_TRUE(m_probes.OnData());
    m_probes.Withdraw();
    EXPECT_TRUE(m_probes.OnData());
}

TEST_F(ProbesTest, AnAnswerToWhatLeftAfterTheLastOneIsAByteAhead)
{
    Depart(3, 3000, 100);
    EXPECT_EQ(m_probes.OnAnswer(Id(3, 0), 5000).ackSeq, 3001U);
    // No data has been sent since the last probe, because the window is full. Therefore snd_nxt is
    // the same as before.
    Depart(3, 3000, 5000);
    EXPECT_EQ(m_probes.OnAnswer(Id(3, 1), 9000).ackSeq, 3001U);
    // Two probes are in flight, because the first has timed out. The second probe was sent before
    // the answer to the first arrived. Therefore the answer to the second probe must not cause
    // another commit.
    Depart(5, 5000, 9000);
    Depart(5, 5000, 30000);
    EXPECT_EQ(m_probes.OnAnswer(Id(5, 2), 40000).ackSeq, 5001U);
    EXPECT_EQ(m_probes.OnAnswer(Id(5, 3), 41000).ackSeq, 5000U);
}

TEST_F(ProbesTest, TimeOutIsFourTOrTwoRoundTripTimes)
{
    Depart(3, 3000, 100);
    EXPECT_EQ(m_probes.GetTimeoutNs(), 100 + 4 * T);
    m_probes.OnAnswer(Id(3, 0), 100 + T);
    EXPECT_EQ(m_probes.GetTimeoutNs(), HpccProbes::NEVER);
    Depart(4, 4000, 10000);
    EXPECT_EQ(m_probes.GetTimeoutNs(), 10000 + 4 * T) << "twice T is less";
    m_probes.OnAnswer(Id(4, 1), 30000);
    Depart(5, 5000, 30000);
    EXPECT_EQ(m_probes.GetTimeoutNs(), 30000 + 2 * 20000);

    EXPECT_FALSE(m_probes.Continue(69999, true)) << "not yet";
    EXPECT_TRUE(m_probes.Continue(70000, true)) << "lost";
    EXPECT_EQ(m_probes.GetTimeouts(), 1U);
    EXPECT_EQ(m_probes.GetTimeoutNs(), HpccProbes::NEVER) << "until the next one leaves";
    Depart(7, 7000, 70000);
    EXPECT_FALSE(m_probes.Continue(110000, false)) << "lost, too, and nothing in flight";
    EXPECT_TRUE(m_probes.OnData());
}

TEST_F(ProbesTest, UnknownNetworkHasTheDraftsT)
{
    m_probes.Open(0);
    Depart(0, 0, 0);
    EXPECT_EQ(m_probes.GetTimeoutNs(), 20000);
}

TEST_F(ProbesTest, TimeOutsInARowDoubleItUpToTheLimit)
{
    m_probes.Open(T, 2);
    int64_t nowNs = 0;
    for (int64_t factor : {1, 2, 4, 4})
    {
        Depart(1, 1000, nowNs);
        EXPECT_EQ(m_probes.GetTimeoutNs(), nowNs + factor * 4 * T);
        nowNs = m_probes.GetTimeoutNs();
        EXPECT_TRUE(m_probes.Continue(nowNs, true));
    }
    EXPECT_EQ(m_probes.GetTimeoutsInRow(), 4U);
    const auto answer = m_probes.OnAnswer(Id(1, 0), nowNs);
    EXPECT_TRUE(answer.known) << "late";
    EXPECT_EQ(answer.byte, 1000U);
    EXPECT_EQ(answer.sentNs, 0);
    EXPECT_EQ(m_probes.GetTimeoutsInRow(), 0U);
    EXPECT_EQ(m_probes.GetTimeouts(), 4U);
    Depart(2, 2000, nowNs);
    EXPECT_EQ(m_probes.GetTimeoutNs(), nowNs + 2 * nowNs) << "2 RTT of the late one";
}

TEST_F(ProbesTest, WhatIsNoProbeCanBeAwaited)
{
    m_probes.Open(T, 1);
    m_probes.StartTimeout(100);
    EXPECT_EQ(m_probes.GetTimeoutNs(), 100 + 4 * T);
    EXPECT_FALSE(m_probes.OnData()) << "an answer is to come";
    EXPECT_TRUE(m_probes.Continue(100 + 4 * T, true));
    m_probes.StartTimeout(200);
    EXPECT_FALSE(m_probes.IsWanted());
    EXPECT_EQ(m_probes.GetTimeoutNs(), 200 + 8 * T);
    m_probes.StopTimeout();
    EXPECT_EQ(m_probes.GetTimeoutNs(), HpccProbes::NEVER);
    EXPECT_EQ(m_probes.GetTimeoutsInRow(), 0U);
}

TEST_F(ProbesTest, LateAnswerCountsButStartsNoSecondTrain)
{
    Depart(3, 3000, 0);
    EXPECT_TRUE(m_probes.Continue(4 * T, true));
    Depart(4, 4000, 4 * T);
    EXPECT_TRUE(m_probes.OnAnswer(Id(3, 0), 5 * T).known);
    EXPECT_EQ(m_probes.GetRttNs(), 5 * T);
    EXPECT_FALSE(m_probes.Continue(5 * T, true)) << "the second one is out";
    EXPECT_TRUE(m_probes.OnAnswer(Id(4, 1), 6 * T).known);
    EXPECT_TRUE(m_probes.Continue(6 * T, true));
}

TEST_F(ProbesTest, OnlyAnswersToUnansweredProbesAreKnown)
{
    EXPECT_FALSE(m_probes.OnAnswer(Id(0, 0), 10).known) << "nothing asked";
    Depart(3, 3000, 0);
    EXPECT_FALSE(m_probes.OnAnswer(Id(2, 0), 10).known) << "another number";
    EXPECT_TRUE(m_probes.OnAnswer(Id(3, 0), 10).known);
    EXPECT_FALSE(m_probes.OnAnswer(Id(3, 0), 11).known) << "a duplicate";
    Depart(3, 3000, 12);
    EXPECT_FALSE(m_probes.OnAnswer(Id(3, 0), 13).known) << "a duplicate, and the window is closed";
    EXPECT_TRUE(m_probes.OnAnswer(Id(3, 1), 14).known);
    Depart(4, 4000, 20);
    Depart(5, 5000, 30);
    EXPECT_TRUE(m_probes.OnAnswer(Id(5, 3), 40).known);
    EXPECT_FALSE(m_probes.OnAnswer(Id(4, 2), 50).known) << "overtaken";
}

TEST_F(ProbesTest, WhateverHappensAProbeIsOutOrWantedWhileDataIsInFlight)
{
    const uint32_t seed = hpcctest::ChooseSeed(1);
    std::cout << "HPCC_TEST_SEED=" << seed << "\n";
    std::mt19937_64 random(seed);
    int64_t nowNs = 0;
    uint64_t psn = 0;
    uint64_t sent = 0;
    m_probes.OnData();
    for (int i = 0; i < 100000; ++i)
    {
        nowNs += static_cast<int64_t>(random() % (2 * T));
        psn += random() % 3;
        if (m_probes.IsWanted() && random() % 4)
        {
            Depart(psn, 1000 * psn, nowNs);
            ++sent;
        }
        if (random() % 2)
        {
            m_probes.OnAnswer(Id(psn - random() % 8, m_probes.GetDepartures() - 1), nowNs);
        }
        m_probes.Continue(nowNs, true);
        ASSERT_TRUE(m_probes.IsWanted() || m_probes.GetTimeoutNs() > nowNs) << i;
    }
    EXPECT_GT(sent, 10000U);
}
