/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests the probe engine that RDMA, TCP and UDP share, with a transport that only records calls.

#include "ns3/hpcc-probe-engine.h"
#include "ns3/hpcc-probes.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

using Engine = HpccProbeEngine<std::string>;

constexpr int64_t T = 1000;
constexpr int64_t TIMEOUT = 4 * T;
constexpr uint32_t PAUSE_AFTER = 3;

/// Tests with a host. By default, each of its flows has 1,000 bytes in flight.
class ProbeEngine : public ::testing::Test, public Engine::Transport
{
  protected:
    /// A flow.
    struct Flow
    {
        HpccProbes probes;   ///< state of its probes
        bool inFlight{true}; ///< true if data is in flight
    };

    using Times = std::vector<std::pair<int64_t, std::string>>; ///< times and flows of events

    /**
     * Opens flows. The name of each flow is one letter.
     * @param names the letters
     * @param pauseAfter see HpccProbes::Open()
     */
    void Open(const std::string& names, uint32_t pauseAfter = 0)
    {
        for (char name : names)
        {
            m_flows[std::string(1, name)].probes.Open(T, 1, pauseAfter);
        }
    }

    HpccProbes* FindProbes(const std::string& key) override
    {
        const auto found = m_flows.find(key);
        return found == m_flows.end() ? nullptr : &found->second.probes;
    }

    bool HasDataInFlight(const std::string& key) override
    {
        return m_flows.at(key).inFlight;
    }

    void SendProbe(const std::string& key, int64_t nowNs) override
    {
        HpccProbes& probes = m_flows.at(key).probes;
        m_engine.OnDeparture(key, probes, probes.GetDepartures(), 1000, nowNs);
        m_sent.emplace_back(nowNs, key);
    }

    void ProbeTimedOut(const std::string& key, int64_t nowNs) override
    {
        m_lost.emplace_back(nowNs, key);
        if (key == m_endsWhenLost)
        {
            m_flows.erase(key);
        }
    }

    void ScheduleProbes(int64_t atNs) override
    {
        m_scheduled.push_back(atNs);
    }

    int64_t GetProbeSpacingNs() const override
    {
        return m_spacingNs;
    }

    /// Sends a data packet of each of the flows at the same time.
    /// @param names the flows
    /// @param nowNs current time
    void SendData(const std::string& names, int64_t nowNs)
    {
        for (char name : names)
        {
            const std::string key(1, name);
            m_engine.OnData(key, m_flows.at(key).probes);
        }
        m_engine.SendDue(nowNs);
    }

    /**
     * Passes an answer to a flow.
     * @param key the flow
     * @param number number of the probe
     * @param nowNs current time
     * @return true if the answer is accepted
     */
    bool Answer(const std::string& key, uint64_t number, int64_t nowNs)
    {
        HpccProbes& probes = m_flows.at(key).probes;
        const bool known = probes.OnAnswer(number, nowNs).known;
        if (known)
        {
            m_engine.Continue(key, probes, nowNs);
        }
        return known;
    }

    /// Runs all timers that are due up to a given time, each at its scheduled time, as a host does.
    /// @param untilNs end time
    void Run(int64_t untilNs)
    {
        while (true)
        {
            const auto next = std::min_element(m_scheduled.begin(), m_scheduled.end());
            if (next == m_scheduled.end() || *next > untilNs)
            {
                return;
            }
            const int64_t nowNs = *next;
            m_scheduled.erase(next);
            ++m_runs;
            m_engine.RunTimers(nowNs);
        }
    }

    std::map<std::string, Flow> m_flows; ///< flows that have not ended
    Engine m_engine{*this};              ///< engine under test
    Times m_sent;                        ///< probes sent
    Times m_lost;                        ///< probes that timed out
    std::vector<int64_t> m_scheduled;    ///< scheduled times of timers
    int64_t m_spacingNs{0};              ///< minimum time between two probes
    uint32_t m_runs{0};                  ///< number of timer runs
    std::string m_endsWhenLost;          ///< flow that ends when one of its probes times out
};

TEST_F(ProbeEngine, AFlowHasOneProbeOutUntilItsAnswerComes)
{
    Open("a");
    SendData("a", 10);
    SendData("a", 20);
    EXPECT_EQ(m_sent, (Times{{10, "a"}}));
    EXPECT_TRUE(Answer("a", 0, 700));
    EXPECT_EQ(m_sent, (Times{{10, "a"}, {700, "a"}})) << "data is in flight";
    m_flows["a"].inFlight = false;
    EXPECT_TRUE(Answer("a", 1, 1400));
    EXPECT_EQ(m_sent.size(), 2U) << "nothing is in flight";
    m_flows["a"].inFlight = true;
    SendData("a", 2000);
    EXPECT_EQ(m_sent.back(), std::pair(int64_t{2000}, std::string("a")));
}

TEST_F(ProbeEngine, AnUnknownAnswerDoesNotCount)
{
    Open("a");
    EXPECT_FALSE(Answer("a", 0, 5)) << "nothing has been asked";
    SendData("a", 10);
    EXPECT_FALSE(Answer("a", 1, 500)) << "not sent yet";
    EXPECT_EQ(m_sent.size(), 1U);
    Run(10 + TIMEOUT);
    EXPECT_EQ(m_lost, (Times{{10 + TIMEOUT, "a"}})) << "its own answer is still missing";
}

TEST_F(ProbeEngine, ARepeatedAnswerStartsNoSecondTrainOfProbes)
{
    Open("a");
    SendData("a", 0);
    EXPECT_TRUE(Answer("a", 0, 700));
    for (int64_t nowNs = 710; nowNs < 800; nowNs += 10)
    {
        EXPECT_FALSE(Answer("a", 0, nowNs));
    }
    EXPECT_EQ(m_sent.size(), 2U);
}

TEST_F(ProbeEngine, ALateAnswerCountsButOneThatWasOvertakenDoesNot)
{
    Open("a");
    SendData("a", 0);
    Run(TIMEOUT);
    EXPECT_EQ(m_sent, (Times{{0, "a"}, {TIMEOUT, "a"}})) << "the next one follows the time-out";
    EXPECT_TRUE(Answer("a", 0, TIMEOUT + 1)) << "late";
    EXPECT_EQ(m_sent.size(), 2U) << "the second one is out";
    EXPECT_TRUE(Answer("a", 1, TIMEOUT + 2));
    EXPECT_EQ(m_sent.size(), 3U);

    const int64_t third = TIMEOUT + 2;
    Run(third + TIMEOUT);
    ASSERT_EQ(m_sent.size(), 4U);
    EXPECT_TRUE(Answer("a", 3, third + TIMEOUT + 1));
    EXPECT_FALSE(Answer("a", 2, third + TIMEOUT + 2)) << "overtaken";
    EXPECT_EQ(m_sent.size(), 5U);
}

TEST_F(ProbeEngine, EachTimeOutIsReportedOnceAndDoublesTheNextOneUpToTheLimit)
{
    Open("a");
    SendData("a", 0);
    Run(TIMEOUT + 2 * 2 * TIMEOUT);
    EXPECT_EQ(m_lost, (Times{{TIMEOUT, "a"}, {3 * TIMEOUT, "a"}, {5 * TIMEOUT, "a"}}));
    EXPECT_EQ(m_flows["a"].probes.GetTimeoutsInRow(), 3U);
    EXPECT_EQ(m_sent.size(), 4U);
}

TEST_F(ProbeEngine, ATimerThatWasSetForAnAnsweredProbeLosesNoLaterOne)
{
    Open("a");
    SendData("a", 0);
    EXPECT_TRUE(Answer("a", 0, TIMEOUT - 1));
    Run(TIMEOUT);
    EXPECT_TRUE(m_lost.empty()) << "the second probe has been out for 1 ns";
    const int64_t dueNs = TIMEOUT - 1 + 2 * (TIMEOUT - 1);
    Run(dueNs - 1);
    EXPECT_TRUE(m_lost.empty());
    Run(dueNs);
    EXPECT_EQ(m_lost, (Times{{dueNs, "a"}}));
}

TEST_F(ProbeEngine, FlowsTakeTurnsASpacingApart)
{
    m_spacingNs = 100;
    Open("abc");
    SendData("cab", 0);
    EXPECT_EQ(m_sent.size(), 1U);
    EXPECT_FALSE(m_engine.IsIdle());
    EXPECT_EQ(m_engine.GetNextNs(), 100);
    m_engine.SendDue(99);
    EXPECT_TRUE(Answer("c", 0, 99)) << "whose next probe waits for its turn";
    Run(1000);
    EXPECT_EQ(m_sent, (Times{{0, "c"}, {100, "a"}, {200, "b"}, {300, "c"}}));
    EXPECT_TRUE(m_engine.IsIdle());
}

TEST_F(ProbeEngine, AProbeThatWaitsForItsTurnIsWithdrawnIfNothingIsInFlightOrTheFlowEnds)
{
    m_spacingNs = 100;
    Open("abcd");
    SendData("abcd", 0);
    m_flows["b"].inFlight = false;
    m_engine.Forget("c", m_flows["c"].probes);
    m_flows.erase("c");
    Open("c"); // another flow with the same name, which has not sent anything
    Run(1000);
    EXPECT_EQ(m_sent, (Times{{0, "a"}, {100, "d"}}));
    m_flows["b"].inFlight = true;
    SendData("b", 1000);
    EXPECT_EQ(m_sent.back(), std::pair(int64_t{1000}, std::string("b")));
}

TEST_F(ProbeEngine, FlowsWithTheSameTimeAreServedInTheOrderOfTheirKeys)
{
    Open("bca");
    SendData("cab", 0);
    Run(TIMEOUT);
    EXPECT_EQ(m_lost, (Times{{TIMEOUT, "a"}, {TIMEOUT, "b"}, {TIMEOUT, "c"}}));
}

TEST_F(ProbeEngine, AFlowMayEndWhenItsProbeTimesOut)
{
    Open("ab");
    m_endsWhenLost = "a";
    SendData("ab", 0);
    Run(10 * TIMEOUT);
    EXPECT_EQ(std::count(m_lost.begin(), m_lost.end(), std::pair(TIMEOUT, std::string("a"))), 1);
    EXPECT_EQ(m_lost[1], std::pair(TIMEOUT, std::string("b")));
}

TEST_F(ProbeEngine, ProbesPauseForTThenTwoTWhileNothingIsSentOrAcknowledged)
{
    Open("a", PAUSE_AFTER);
    SendData("a", 0);
    int64_t nowNs = 0;
    for (uint64_t number = 0; number < PAUSE_AFTER; ++number)
    {
        nowNs += 100;
        EXPECT_TRUE(Answer("a", number, nowNs));
    }
    EXPECT_EQ(m_sent.size(), PAUSE_AFTER) << "the answer to the last one starts none at once";
    Run(nowNs + T - 1);
    EXPECT_EQ(m_sent.size(), PAUSE_AFTER);
    Run(nowNs + T);
    EXPECT_EQ(m_sent.back(), std::pair(nowNs + T, std::string("a")));
    nowNs += T + 100;
    EXPECT_TRUE(Answer("a", PAUSE_AFTER, nowNs));
    Run(nowNs + 2 * T);
    EXPECT_EQ(m_sent.back(), std::pair(nowNs + 2 * T, std::string("a")));
    EXPECT_EQ(m_sent.size(), PAUSE_AFTER + 2);
}

TEST_F(ProbeEngine, AnAcknowledgementEndsAPauseAtOnceAndDataDoes)
{
    Open("ab", PAUSE_AFTER);
    for (const std::string key : {"a", "b"})
    {
        m_sent.clear();
        const int64_t startNs = key == "a" ? 0 : 10 * T;
        SendData(key, startNs);
        for (uint64_t number = 0; number < PAUSE_AFTER; ++number)
        {
            Answer(key, number, startNs + 100);
        }
        ASSERT_EQ(m_sent.size(), PAUSE_AFTER);
        if (key == "a")
        {
            m_engine.OnAcknowledged(key, m_flows[key].probes, startNs + 150);
        }
        else
        {
            SendData(key, startNs + 150);
        }
        EXPECT_EQ(m_sent.back(), std::pair(startNs + 150, key));
        EXPECT_TRUE(Answer(key, PAUSE_AFTER, startNs + 250));
        EXPECT_EQ(m_sent.size(), PAUSE_AFTER + 2) << "answers are counted anew";
        m_engine.OnAcknowledged(key, m_flows[key].probes, startNs + 260);
        EXPECT_EQ(m_sent.size(), PAUSE_AFTER + 2) << "one is out";
    }
}

TEST_F(ProbeEngine, WithoutALimitProbesNeverPause)
{
    Open("a");
    SendData("a", 0);
    for (uint64_t number = 0; number < 1000; ++number)
    {
        ASSERT_TRUE(Answer("a", number, static_cast<int64_t>(100 * (number + 1))));
    }
    EXPECT_EQ(m_sent.size(), 1001U);
}

TEST_F(ProbeEngine, AFlowIsLookedAtNoOftenerThanItsTimeIsSet)
{
    // Each answer postpones the time-outs, so no probe times out. After the engine has checked a
    // flow, it must not check it again before the shortest time-out has passed.
    constexpr int64_t flows = 26;
    Open("abcdefghijklmnopqrstuvwxyz");
    SendData("abcdefghijklmnopqrstuvwxyz", 0);
    std::mt19937 random(1);
    constexpr int64_t answers = 100'000; // one per ns
    for (int64_t nowNs = 1; nowNs <= answers; ++nowNs)
    {
        const std::string key(1, static_cast<char>('a' + random() % flows));
        ASSERT_TRUE(Answer(key, m_flows[key].probes.GetDepartures() - 1, nowNs));
        Run(nowNs);
    }
    EXPECT_TRUE(m_lost.empty());
    EXPECT_LE(m_runs, 2 * flows * answers / TIMEOUT);
    Run(answers + 2 * TIMEOUT);
    EXPECT_GE(m_lost.size(), size_t{flows}) << "without answers all time out";
}

} // namespace
