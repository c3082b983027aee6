/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests the control law that keeps a window per hop.

#include "hpcc-test-seeds.h"

#include "ns3/hpcc-law.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace ns3;

namespace
{

constexpr double LINE_RATE = 100e9; ///< bit/s; 12.5 bytes per ns
constexpr double W_INIT = 62500;
constexpr double WAI = 31.25;
constexpr double ETA = 0.95;

/// Returns a record of a port of 100 Gb/s that has used the share @p share of its rate since time
/// 0.
HopTelemetry
Hop(uint32_t switchId, uint64_t timestampNs, double share, uint64_t queueBytes = 0)
{
    HopTelemetry hop{};
    hop.fields = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID | TELEMETRY_TIMESTAMP |
                 TELEMETRY_TX_BYTES | TELEMETRY_QUEUE | TELEMETRY_BANDWIDTH;
    hop.switchId = switchId;
    hop.portId = 1;
    hop.timestampNs = timestampNs;
    hop.txBytes = static_cast<uint64_t>(12.5 * static_cast<double>(timestampNs) * share);
    hop.queueBytes = queueBytes;
    hop.bandwidthBps = 100'000'000'000;
    return hop;
}

class HpccHopWindowsTest : public ::testing::Test
{
  protected:
    HpccHopWindowsTest()
    {
        parameters.maxStage = 0;
        parameters.perHop = true;
    }

    void Open()
    {
        law.SetParameters(parameters);
        law.Open(flow, LINE_RATE, 0);
    }

    const HpccOutcome& Ack(const std::vector<HopTelemetry>& hops, uint64_t ackSeq, uint64_t sndNxt)
    {
        return law.NewAck(flow,
                          {static_cast<int64_t>(hops.back().timestampNs),
                           ackSeq,
                           sndNxt,
                           0,
                           hops.data(),
                           static_cast<uint32_t>(hops.size()),
                           0,
                           0,
                           &format});
    }

    const HpccFlow::HopWindow& At(size_t hop) const
    {
        return (*flow.hopWindows)[hop];
    }

    HpccParameters parameters;
    TelemetryCapabilities format{Hop(1, 0, 0).fields, 0, 0, false};
    HpccLaw law;
    HpccFlow flow;
};

TEST_F(HpccHopWindowsTest, EachHopFollowsItsOwnLoadAndTheSmallestWindowIsW)
{
    Open();
    Ack({Hop(1, 1000, 0.5), Hop(2, 1000, 0.8)}, 1000, 70000);
    // T has passed since the first records. Therefore tau is T, and U of each hop equals its u'.
    const auto& outcome = Ack({Hop(1, 6000, 0.5), Hop(2, 6000, 0.8, 0)}, 70001, 80000);
    EXPECT_EQ(outcome.branch, HpccBranch::COMMIT);
    EXPECT_DOUBLE_EQ(At(0).utilization, 0.5);
    EXPECT_DOUBLE_EQ(At(1).utilization, 0.8);
    EXPECT_DOUBLE_EQ(At(0).referenceBytes, W_INIT); // 0.95/0.5, bounded by W_init
    EXPECT_DOUBLE_EQ(flow.windowBytes, W_INIT);
    // Two ACKs of one round report a fully used link with a queue at the second hop: u' = 1 + 2.
    // Both reactions start from the Wc of the second hop.
    auto full = Hop(2, 11000, 0, 125000);
    full.txBytes = Hop(2, 6000, 0.8).txBytes + 62500;
    Ack({Hop(1, 11000, 0.5), full}, 75000, 90000);
    auto later = full;
    later.timestampNs = 16000;
    later.txBytes += 62500;
    // Line 5 uses the smaller of two queue lengths. For the first of the two ACKs, this is the
    // empty queue in the earlier record.
    EXPECT_NEAR(flow.windowBytes, W_INIT / (1 / ETA) + WAI, 1e-6);
    Ack({Hop(1, 16000, 0.5), later}, 80001, 95000);
    const double w = W_INIT / (3 / ETA) + WAI;
    EXPECT_NEAR(flow.windowBytes, w, 1e-6);
    EXPECT_NEAR(flow.referenceBytes, w, 1e-6);
    EXPECT_NEAR(At(1).referenceBytes, w, 1e-6);
    EXPECT_DOUBLE_EQ(At(0).referenceBytes, W_INIT) << "the first hop has kept its window";
}

TEST_F(HpccHopWindowsTest, AHopThatIsNoLongerTheBottleneckDoesNotHoldItsWindowAgainstAnother)
{
    // First hop 1 is fully loaded, then hop 2. With one window, W has been reduced because of hop
    // 1, and is reduced further because of hop 2. With a window per hop, the reduction because of
    // hop 2 starts from W_init.
    double w[2];
    for (bool perHop : {false, true})
    {
        parameters.perHop = perHop;
        Open();
        Ack({Hop(1, 1000, 1, 0), Hop(2, 1000, 0.1, 0)}, 1000, 70000);
        Ack({Hop(1, 6000, 1, 0), Hop(2, 6000, 0.1, 0)}, 70001, 80000);
        auto first = Hop(1, 11000, 0);
        first.txBytes = Hop(1, 6000, 1).txBytes + 6250;
        auto second = Hop(2, 11000, 0);
        second.txBytes = Hop(2, 6000, 0.1).txBytes + 62500;
        Ack({first, second}, 80001, 90000);
        w[perHop] = flow.windowBytes;
    }
    EXPECT_NEAR(w[0], (W_INIT * ETA + WAI) * ETA + WAI, 1e-6);
    EXPECT_NEAR(w[1], W_INIT * ETA + WAI, 1e-6);
}

TEST_F(HpccHopWindowsTest, AHopThatIsNotMeasuredKeepsItsWindow)
{
    Open();
    Ack({Hop(1, 1000, 1), Hop(2, 1000, 1)}, 1000, 70000);
    Ack({Hop(1, 6000, 1), Hop(2, 6000, 1)}, 70001, 80000);
    const double once = W_INIT * ETA + WAI;
    EXPECT_NEAR(At(0).referenceBytes, once, 1e-6);
    // In two rounds, the record of the first hop is older than the record that was processed last
    // for this hop.
    Ack({Hop(1, 5000, 1), Hop(2, 11000, 1)}, 80001, 90000);
    Ack({Hop(1, 5000, 1), Hop(2, 16000, 1)}, 90001, 95000);
    EXPECT_NEAR(At(0).referenceBytes, once, 1e-6) << "one measurement, one commit";
    EXPECT_NEAR(At(1).referenceBytes, (once * ETA + WAI) * ETA + WAI, 1e-6);
}

TEST_F(HpccHopWindowsTest, HopsOfANewPathBeginWithTheFlowsReference)
{
    Open();
    Ack({Hop(1, 1000, 1), Hop(2, 1000, 0.2)}, 1000, 70000);
    Ack({Hop(1, 6000, 1), Hop(2, 6000, 0.2)}, 70001, 80000);
    const double w = flow.referenceBytes;
    ASSERT_LT(w, W_INIT);
    ASSERT_DOUBLE_EQ(At(1).referenceBytes, W_INIT);
    EXPECT_EQ(Ack({Hop(1, 11000, 1), Hop(3, 11000, 0.2)}, 80001, 90000).reset,
              HpccReset::PATH_CHANGE);
    for (size_t hop : {0, 1})
    {
        EXPECT_EQ(At(hop).referenceBytes, w);
        EXPECT_EQ(At(hop).utilization, parameters.initialU);
    }
    law.Rollback(flow, 85000, true);
    EXPECT_EQ(Ack({Hop(1, 16000, 1), Hop(3, 16000, 0.2)}, 90001, 95000).reset, HpccReset::TIMEOUT);
    EXPECT_EQ(At(1).referenceBytes, w);
}

TEST_F(HpccHopWindowsTest, AnEstimatedFirstSampleCountsForEachHopWithAQueue)
{
    parameters.firstSample = HpccParameters::FIRST_ESTIMATE;
    Open();
    Ack({Hop(1, 1000, 1, 62500), Hop(2, 1000, 1)}, 1000, 70000);
    EXPECT_NEAR(At(0).utilization, 2, 1e-12);
    EXPECT_NEAR(flow.windowBytes, W_INIT / (2 / ETA) + WAI, 1e-6);
    EXPECT_EQ(At(1).referenceBytes, W_INIT) << "no queue, no measurement";
}

TEST_F(HpccHopWindowsTest, WhileReportsAreDoubtedNoHopGrowsFasterThanWai)
{
    Open();
    Ack({Hop(1, 1000, 1), Hop(2, 1000, 0.1)}, 1000, 70000);
    Ack({Hop(1, 6000, 1), Hop(2, 6000, 0.1)}, 70001, 80000);
    const double w = flow.referenceBytes;
    flow.growthCapped = true;
    auto idle = Hop(1, 11000, 0);
    idle.txBytes = Hop(1, 6000, 1).txBytes;
    Ack({idle, Hop(2, 11000, 0.1)}, 80001, 90000);
    EXPECT_NEAR(flow.windowBytes, w + WAI, 1e-6);
    EXPECT_NEAR(At(1).referenceBytes, w + WAI, 1e-6);
}

TEST_F(HpccHopWindowsTest, OverOneHopItIsThePlainLaw)
{
    const uint32_t seed = hpcctest::ChooseSeed(1);
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    for (int run = 0; run < 200; ++run)
    {
        HpccLaw laws[2];
        HpccFlow flows[2];
        parameters.maxStage = random() % 6;
        for (bool perHop : {false, true})
        {
            parameters.perHop = perHop;
            laws[perHop].SetParameters(parameters);
            laws[perHop].Open(flows[perHop], LINE_RATE, 0);
        }
        HopTelemetry hop = Hop(1, 1000, 0);
        uint64_t acked = 1000;
        for (int i = 0; i < 100; ++i)
        {
            const uint64_t gap = random() % 4 == 0 ? 0 : random() % 8000;
            hop.timestampNs += gap;
            hop.txBytes += gap * (random() % 13);
            hop.queueBytes = random() % 3 == 0 ? random() % 200000 : 0;
            hop.switchId = random() % 50 == 0 ? 2 : 1;
            acked += random() % 30000;
            const bool respond = random() % 8 == 0;
            const uint64_t sinceNs = random() % 8000;
            for (bool perHop : {false, true})
            {
                laws[perHop].NewAck(flows[perHop],
                                    {static_cast<int64_t>(hop.timestampNs),
                                     acked,
                                     acked + 60000,
                                     0,
                                     &hop,
                                     1,
                                     0,
                                     0,
                                     &format});
                if (respond)
                {
                    laws[perHop].TakeResponse(flows[perHop],
                                              {static_cast<int64_t>(hop.timestampNs + sinceNs),
                                               acked + 30000,
                                               acked + 60000,
                                               0,
                                               &hop,
                                               1,
                                               0,
                                               0,
                                               &format});
                }
            }
            ASSERT_DOUBLE_EQ(flows[0].windowBytes, flows[1].windowBytes);
            ASSERT_DOUBLE_EQ(flows[0].referenceBytes, flows[1].referenceBytes);
            ASSERT_EQ(flows[0].incStage, flows[1].incStage);
        }
    }
}

TEST_F(HpccHopWindowsTest, AQuietPathAfterATimeoutGivesTheWindowOfThePlainLaw)
{
    parameters.quietLoad = 0.5;
    parameters.initialWindow = 0.1;
    double w[2];
    for (bool perHop : {false, true})
    {
        parameters.perHop = perHop;
        Open();
        Ack({Hop(1, 1000, 1)}, 1000, 70000);
        law.Rollback(flow, 1000, true);
        ASSERT_EQ(flow.hopCount, 0);
        const auto& outcome = law.NewAck(flow, {11001, 70001, 80000, 0, nullptr, 0, 0, 0, &format});
        EXPECT_EQ(outcome.branch, HpccBranch::COMMIT);
        w[perHop] = flow.windowBytes;
        EXPECT_EQ(flow.referenceBytes, flow.windowBytes);
    }
    EXPECT_NEAR(w[0], 0.1 * W_INIT / (0.5 / ETA) + WAI, 1e-6) << "line 13";
    EXPECT_EQ(w[1], w[0]);
}

TEST_F(HpccHopWindowsTest, AQuietPathCountsAsQuietLoadAtEachHop)
{
    parameters.quietLoad = 0.5;
    Open();
    Ack({Hop(1, 1000, 1), Hop(2, 1000, 1)}, 1000, 70000);
    Ack({Hop(1, 6000, 1), Hop(2, 6000, 1)}, 70001, 80000);
    const double w = flow.windowBytes;
    ASSERT_LT(w, W_INIT);
    // More than 2 T have passed without a record.
    law.NewAck(flow, {16001, 80001, 90000, 0, nullptr, 0, 0, 0, &format});
    EXPECT_NEAR(flow.windowBytes, std::min(w / (0.5 / ETA) + WAI, W_INIT), 1e-6);
    EXPECT_EQ(At(0).referenceBytes, flow.windowBytes);
    EXPECT_EQ(At(1).referenceBytes, flow.windowBytes);
}

TEST_F(HpccHopWindowsTest, ASwitchResponseLowersTheHopThatItBlamesAndTheNextCommitStartsThere)
{
    Open();
    Ack({Hop(1, 1000, 0.5), Hop(2, 1000, 0.5)}, 1000, 70000);
    Ack({Hop(1, 6000, 0.5), Hop(2, 6000, 0.5)}, 70001, 80000);
    ASSERT_EQ(flow.windowBytes, W_INIT);
    // One T later, the record of the second switch contains a queue of B T, so u' is 2 instead of
    // 0.5.
    const std::vector<HopTelemetry> reports{Hop(1, 11000, 0.5), Hop(2, 11000, 0.5, 62500)};
    law.TakeResponse(flow, {11000, 81000, 90000, 0, reports.data(), 2, 0, 0, &format});
    const double w = W_INIT / (2 / ETA) + WAI;
    EXPECT_NEAR(flow.windowBytes, w, 1e-6);
    EXPECT_NEAR(At(1).referenceBytes, w, 1e-6);
    EXPECT_EQ(At(0).referenceBytes, W_INIT) << "this hop has no queue";
    // At the next commit the load of both hops is eta, so only W_ai is added.
    Ack({Hop(1, 16000, 0.5), Hop(2, 16000, 0.5)}, 85000, 95000);
    auto first = Hop(1, 21000, 0);
    first.txBytes = Hop(1, 16000, 0.5).txBytes + 59375;
    auto second = Hop(2, 21000, 0);
    second.txBytes = Hop(2, 16000, 0.5).txBytes + 59375;
    const auto& outcome = Ack({first, second}, 90001, 100000);
    ASSERT_EQ(outcome.branch, HpccBranch::COMMIT);
    EXPECT_NEAR(flow.windowBytes, w + WAI, 1e-6);
    EXPECT_NEAR(flow.referenceBytes, w + WAI, 1e-6);
}

TEST_F(HpccHopWindowsTest, ASwitchResponseOfAHopThatIsNotKnownLowersAllHops)
{
    Open();
    Ack({Hop(1, 1000, 0.5), Hop(2, 1000, 0.5)}, 1000, 70000);
    const auto report = Hop(7, 6000, 0.5, 62500);
    law.TakeResponse(flow, {6000, 71000, 90000, 0, &report, 1, 0, 0, &format});
    const double w = W_INIT / (2 / ETA) + WAI;
    EXPECT_NEAR(flow.referenceBytes, w, 1e-6);
    EXPECT_NEAR(At(0).referenceBytes, w, 1e-6);
    EXPECT_NEAR(At(1).referenceBytes, w, 1e-6);
}

TEST_F(HpccHopWindowsTest, OneAckOnTheWayBetweenCommitsReactsFromTheReferenceOfTheHop)
{
    Open();
    Ack({Hop(1, 1000, 1), Hop(2, 1000, 0.9)}, 1000, 70000);
    Ack({Hop(1, 6000, 1), Hop(2, 6000, 0.9)}, 2000, 71000);
    const double w = flow.windowBytes;
    EXPECT_NEAR(w, W_INIT * ETA + WAI, 1e-6);
    Ack({Hop(1, 11000, 1), Hop(2, 11000, 0.9)}, 3000, 72000);
    EXPECT_EQ(flow.windowBytes, w) << "the same load twice is no second cut";
    EXPECT_EQ(flow.referenceBytes, W_INIT);
}

} // namespace
