/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-probes.h"

#include <gtest/gtest.h>
#include <random>

using namespace ns3;

namespace
{

constexpr int64_t T = 4000;

/// A queue pair's probes.
class ProbesTest : public ::testing::Test
{
  protected:
    ProbesTest()
    {
        m_probes.Open(T);
    }

    RdmaProbes m_probes; ///< under test
};

} // namespace

TEST_F(ProbesTest, OneIsOutAtATime)
{
    EXPECT_EQ(m_probes.GetTimeoutNs(), RdmaProbes::NEVER);
    EXPECT_TRUE(m_probes.OnData());
    EXPECT_FALSE(m_probes.OnData()) << "wanted already";
    m_probes.OnDeparture(3, 3000, 100);
    EXPECT_FALSE(m_probes.OnData()) << "one is out";
    EXPECT_FALSE(m_probes.Continue(200, true)) << "one is out";
    EXPECT_TRUE(m_probes.OnAnswer(3, 0, 5000).known);
    EXPECT_EQ(m_probes.GetRttNs(), 4900);
    EXPECT_TRUE(m_probes.Continue(5000, true));
    EXPECT_FALSE(m_probes.Continue(5000, true)) << "wanted already";
    EXPECT_FALSE(m_probes.OnData()) << "wanted already";
}

TEST_F(ProbesTest, WithoutDataInFlightTheNextOneWaitsForData)
{
    m_probes.OnData();
    m_probes.OnDeparture(3, 3000, 100);
    m_probes.OnAnswer(3, 0, 5000);
    EXPECT_FALSE(m_probes.Continue(5000, false));
    EXPECT_FALSE(m_probes.IsWanted());
    EXPECT_TRUE(m_probes.OnData());
    m_probes.Withdraw();
    EXPECT_TRUE(m_probes.OnData());
}

TEST_F(ProbesTest, AnAnswerToWhatLeftAfterTheLastOneIsAByteAhead)
{
    m_probes.OnDeparture(3, 3000, 100);
    EXPECT_EQ(m_probes.OnAnswer(3, 0, 5000).ackSeq, 3001U);
    // The window has let nothing go: the same number again.
    m_probes.OnDeparture(3, 3000, 5000);
    EXPECT_EQ(m_probes.OnAnswer(3, 1, 9000).ackSeq, 3001U);
    // Two are out since one was given up. What the second one tells is of before the commit.
    m_probes.OnDeparture(5, 5000, 9000);
    m_probes.OnDeparture(5, 5000, 30000);
    EXPECT_EQ(m_probes.OnAnswer(5, 2, 40000).ackSeq, 5001U);
    EXPECT_EQ(m_probes.OnAnswer(5, 3, 41000).ackSeq, 5000U);
}

TEST_F(ProbesTest, TimeOutIsFourTOrTwoRoundTripTimes)
{
    m_probes.OnDeparture(3, 3000, 100);
    EXPECT_EQ(m_probes.GetTimeoutNs(), 100 + 4 * T);
    m_probes.OnAnswer(3, 0, 100 + T);
    EXPECT_EQ(m_probes.GetTimeoutNs(), RdmaProbes::NEVER);
    m_probes.OnDeparture(4, 4000, 10000);
    EXPECT_EQ(m_probes.GetTimeoutNs(), 10000 + 4 * T) << "twice T is less";
    m_probes.OnAnswer(4, 1, 30000);
    m_probes.OnDeparture(5, 5000, 30000);
    EXPECT_EQ(m_probes.GetTimeoutNs(), 30000 + 2 * 20000);

    EXPECT_FALSE(m_probes.Continue(69999, true)) << "not yet";
    EXPECT_TRUE(m_probes.Continue(70000, true)) << "lost";
    EXPECT_EQ(m_probes.GetTimeouts(), 1U);
    EXPECT_EQ(m_probes.GetTimeoutNs(), RdmaProbes::NEVER) << "until the next one leaves";
    m_probes.OnDeparture(7, 7000, 70000);
    EXPECT_FALSE(m_probes.Continue(110000, false)) << "lost, too, and nothing in flight";
    EXPECT_TRUE(m_probes.OnData());
}

TEST_F(ProbesTest, UnknownNetworkHasTheDraftsT)
{
    m_probes.Open(0);
    m_probes.OnDeparture(0, 0, 0);
    EXPECT_EQ(m_probes.GetTimeoutNs(), 20000);
}

TEST_F(ProbesTest, LateAnswerCountsButStartsNoSecondTrain)
{
    m_probes.OnDeparture(3, 3000, 0);
    EXPECT_TRUE(m_probes.Continue(4 * T, true));
    m_probes.OnDeparture(4, 4000, 4 * T);
    EXPECT_TRUE(m_probes.OnAnswer(3, 0, 5 * T).known);
    EXPECT_EQ(m_probes.GetRttNs(), 5 * T);
    EXPECT_FALSE(m_probes.Continue(5 * T, true)) << "the second one is out";
    EXPECT_TRUE(m_probes.OnAnswer(4, 1, 6 * T).known);
    EXPECT_TRUE(m_probes.Continue(6 * T, true));
}

TEST_F(ProbesTest, OnlyAnswersToUnansweredProbesAreKnown)
{
    EXPECT_FALSE(m_probes.OnAnswer(0, 0, 10).known) << "nothing asked";
    m_probes.OnDeparture(3, 3000, 0);
    EXPECT_FALSE(m_probes.OnAnswer(2, 0, 10).known) << "another number";
    EXPECT_TRUE(m_probes.OnAnswer(3, 0, 10).known);
    EXPECT_FALSE(m_probes.OnAnswer(3, 0, 11).known) << "a duplicate";
    m_probes.OnDeparture(3, 3000, 12);
    EXPECT_FALSE(m_probes.OnAnswer(3, 0, 13).known) << "a duplicate, and the window is closed";
    EXPECT_TRUE(m_probes.OnAnswer(3, 1, 14).known);
    m_probes.OnDeparture(4, 4000, 20);
    m_probes.OnDeparture(5, 5000, 30);
    EXPECT_TRUE(m_probes.OnAnswer(5, 3, 40).known);
    EXPECT_FALSE(m_probes.OnAnswer(4, 2, 50).known) << "overtaken";
}

TEST_F(ProbesTest, WhateverHappensAProbeIsOutOrWantedWhileDataIsInFlight)
{
    const char* given = std::getenv("HPCC_TEST_SEED");
    const auto seed = static_cast<uint32_t>(given ? std::stoul(given) : 1);
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
            m_probes.OnDeparture(psn, 1000 * psn, nowNs);
            ++sent;
        }
        if (random() % 2)
        {
            m_probes.OnAnswer(psn - random() % 8, m_probes.GetLastNumber(), nowNs);
        }
        m_probes.Continue(nowNs, true);
        ASSERT_TRUE(m_probes.IsWanted() || m_probes.GetTimeoutNs() > nowNs) << i;
    }
    EXPECT_GT(sent, 10000U);
}
