/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/hpcc-law.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint16_t IDS = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID;
constexpr uint16_t COUNTERS =
    TELEMETRY_TIMESTAMP | TELEMETRY_TX_BYTES | TELEMETRY_QUEUE | TELEMETRY_BANDWIDTH;

/// 100 Gb/s: 12.5 bytes per ns. With T = 5 us, W_init = 62500 bytes and W_ai = 31.25 bytes (N =
/// 100).
constexpr double LINE_RATE = 100e9;
constexpr double W_INIT = 62500;

/// The random tests' seed: 1, or what the environment says.
unsigned
Seed()
{
    const char* seed = std::getenv("HPCC_TEST_SEED");
    return seed ? static_cast<unsigned>(std::strtoul(seed, nullptr, 10)) : 1;
}

/// A record of a 100 Gb/s port of a switch.
HopTelemetry
Hop(uint32_t switchId, uint64_t timestampNs, uint64_t txBytes, uint64_t queueBytes)
{
    HopTelemetry hop{};
    hop.fields = IDS | COUNTERS;
    hop.switchId = switchId;
    hop.portId = 1;
    hop.timestampNs = timestampNs;
    hop.txBytes = txBytes;
    hop.queueBytes = queueBytes;
    hop.bandwidthBps = 100'000'000'000;
    return hop;
}

class HpccLawTest : public ::testing::Test
{
  protected:
    void Open()
    {
        law.SetParameters(parameters);
        law.Open(flow, LINE_RATE, 0);
    }

    /// Hand records to the law at the time of the last one's own timestamp unless told otherwise.
    const HpccOutcome& Ack(const std::vector<HopTelemetry>& hops,
                           uint64_t ackSeq,
                           uint64_t sndNxt,
                           int64_t nowNs = -1,
                           int64_t idleNs = 0)
    {
        if (nowNs < 0)
        {
            nowNs = hops.empty() ? 0 : static_cast<int64_t>(hops.back().timestampNs);
        }
        return law.NewAck(flow,
                          {nowNs,
                           ackSeq,
                           sndNxt,
                           idleNs,
                           hops.data(),
                           static_cast<uint32_t>(hops.size()),
                           pathId,
                           reportedFlows,
                           &format});
    }

    /// What an acknowledgement that says nothing new must leave alone.
    struct Held
    {
        double windowBytes;
        double utilization;
        uint64_t lastUpdateSeq;
    };

    Held Hold() const
    {
        return {flow.windowBytes, flow.utilization, flow.lastUpdateSeq};
    }

    HpccParameters parameters;
    TelemetryCapabilities format{IDS | COUNTERS, 0, 0, false};
    uint16_t pathId{0};
    uint16_t reportedFlows{0};
    HpccLaw law;
    HpccFlow flow;
};

/// One acknowledgement and the state after it.
struct Step
{
    uint64_t timestampNs;
    uint64_t txBytes;
    uint64_t queueBytes;
    uint64_t ackSeq;
    uint64_t sndNxt;
    double utilization;
    double window;
    double reference;
    uint32_t incStage;
};

/// Lines 1 to 27 evaluated in exact fractions, independently of the code: first record, fast
/// reactions, seq equal to lastUpdateSeq, a commit, a record more than T after the last, additive
/// steps, the multiplicative one after five.
const std::vector<Step> MAX_STAGE_5{
    {10000, 100000, 62500, 1000, 62500, 1, 62500, 62500, 0},
    {11000, 112500, 125000, 2000, 63500, 1.2, 49510.416666666664, 62500, 0},
    {12000, 125000, 250000, 62500, 64500, 1.56, 38092.147435897437, 62500, 0},
    {13000, 137500, 250000, 62501, 65000, 2.248, 26443.616548042704, 26443.616548042704, 0},
    {15000, 162500, 125000, 64000, 66000, 2.5488, 9887.4316229757405, 26443.616548042704, 0},
    {20000, 200000, 0, 65001, 70000, 0.6, 26474.866548042704, 26474.866548042704, 1},
    {26000, 230000, 0, 70001, 75000, 0.4, 26506.116548042704, 26506.116548042704, 2},
    {31000, 260000, 0, 75001, 80000, 0.48, 26537.366548042704, 26537.366548042704, 3},
    {36000, 290000, 0, 80001, 85000, 0.48, 26568.616548042704, 26568.616548042704, 4},
    {41000, 320000, 0, 85001, 90000, 0.48, 26599.866548042704, 26599.866548042704, 5},
    {46000, 350000, 0, 90001, 95000, 0.48, 52676.819209667854, 52676.819209667854, 0},
    {51000, 380000, 0, 95001, 99000, 0.48, 52708.069209667854, 52708.069209667854, 1},
};

const std::vector<Step> MAX_STAGE_0{
    {10000, 100000, 62500, 1000, 62500, 1, 62500, 62500, 0},
    {11000, 112500, 125000, 2000, 63500, 1.2, 49510.416666666664, 62500, 0},
    {12000, 125000, 250000, 62500, 64500, 1.56, 38092.147435897437, 62500, 0},
    {13000, 137500, 250000, 62501, 65000, 2.248, 26443.616548042704, 26443.616548042704, 0},
    {15000, 162500, 125000, 64000, 66000, 2.5488, 9887.4316229757405, 26443.616548042704, 0},
    {20000, 200000, 0, 65001, 70000, 0.6, 41900.309534400949, 41900.309534400949, 0},
    {26000, 230000, 0, 70001, 75000, 0.4, 62500, 62500, 0},
    {31000, 260000, 0, 75001, 80000, 0.48, 62500, 62500, 0},
};

} // namespace

class HpccLawSequenceTest : public HpccLawTest, public ::testing::WithParamInterface<uint32_t>
{
};

TEST_P(HpccLawSequenceTest, NewAckFollowsTheDraftsLinesToNineDigits)
{
    parameters.maxStage = GetParam();
    Open();
    for (const auto& step : GetParam() == 5 ? MAX_STAGE_5 : MAX_STAGE_0)
    {
        SCOPED_TRACE(step.timestampNs);
        Ack({Hop(1, step.timestampNs, step.txBytes, step.queueBytes)}, step.ackSeq, step.sndNxt);
        EXPECT_NEAR(flow.utilization, step.utilization, 1e-9);
        EXPECT_NEAR(flow.windowBytes, step.window, 1e-9 * step.window);
        EXPECT_NEAR(flow.referenceBytes, step.reference, 1e-9 * step.reference);
        EXPECT_EQ(flow.incStage, step.incStage);
        EXPECT_NEAR(law.RateBps(flow), step.window * 8e9 / 5000, 1e-9 * LINE_RATE);
    }
}

TEST_P(HpccLawSequenceTest, TheTimeInTheQueueStandsForItsLength)
{
    // A queue of q bytes takes 0.08 q ns at 100 Gb/s. What the record says of the length, and with
    // the utilisation what it says of the bandwidth, is not looked at.
    parameters.maxStage = GetParam();
    parameters.queueSignal = HpccParameters::SIGNAL_SOJOURN;
    for (bool counters : {true, false})
    {
        SCOPED_TRACE(counters);
        Open();
        format.fields = IDS | TELEMETRY_TIMESTAMP | TELEMETRY_HOP_LATENCY |
                        (counters ? TELEMETRY_TX_BYTES : TELEMETRY_UTILIZATION);
        Step last{};
        for (const auto& step : GetParam() == 5 ? MAX_STAGE_5 : MAX_STAGE_0)
        {
            SCOPED_TRACE(step.timestampNs);
            HopTelemetry hop = Hop(1, step.timestampNs, step.txBytes, 12345);
            hop.hopLatencyNs = static_cast<uint32_t>(step.queueBytes * 8 / 100);
            hop.bandwidthBps = counters ? hop.bandwidthBps : 0;
            hop.utilization = static_cast<double>(step.txBytes - last.txBytes) * 0.08 /
                              static_cast<double>(step.timestampNs - last.timestampNs);
            hop.fields = format.fields;
            Ack({hop}, step.ackSeq, step.sndNxt);
            EXPECT_NEAR(flow.utilization, step.utilization, 1e-9);
            EXPECT_NEAR(flow.windowBytes, step.window, 1e-9 * step.window);
            last = step;
        }
    }
    EXPECT_EQ(law.GetSkippedHops(), 0u);
    HopTelemetry hop = Hop(1, 60000, 900000, 0);
    hop.fields = IDS | COUNTERS | TELEMETRY_UTILIZATION;
    Ack({hop}, 200000, 300000);
    EXPECT_EQ(law.GetSkippedHops(), 1u) << "a record without the time in the queue";
}

INSTANTIATE_TEST_SUITE_P(MaxStage, HpccLawSequenceTest, ::testing::Values(0, 5));

TEST_F(HpccLawTest, WhatNeedsABandwidth)
{
    const TelemetryCapabilities counters{IDS | COUNTERS | TELEMETRY_HOP_LATENCY, 0, 0, false};
    const TelemetryCapabilities utilization{IDS | TELEMETRY_QUEUE | TELEMETRY_UTILIZATION |
                                                TELEMETRY_HOP_LATENCY,
                                            0,
                                            0,
                                            false};
    const TelemetryCapabilities extreme{TELEMETRY_QUEUE_DELAY | TELEMETRY_UTILIZATION,
                                        0,
                                        0,
                                        false,
                                        true};
    EXPECT_TRUE(HpccLaw::NeedsBandwidth(parameters, counters));
    EXPECT_TRUE(HpccLaw::NeedsBandwidth(parameters, utilization));
    EXPECT_FALSE(HpccLaw::NeedsBandwidth(parameters, extreme));
    parameters.queueSignal = HpccParameters::SIGNAL_SOJOURN;
    EXPECT_TRUE(HpccLaw::NeedsBandwidth(parameters, counters));
    EXPECT_FALSE(HpccLaw::NeedsBandwidth(parameters, utilization));
    EXPECT_FALSE(HpccLaw::NeedsBandwidth(parameters, extreme));
}

TEST_F(HpccLawTest, WithTheTimeInTheQueueAFirstRecordCanBeEstimated)
{
    parameters.firstSample = HpccParameters::FIRST_ESTIMATE;
    parameters.queueSignal = HpccParameters::SIGNAL_SOJOURN;
    format.fields = IDS | COUNTERS | TELEMETRY_HOP_LATENCY;
    Open();
    HopTelemetry hop = Hop(1, 1000, 0, 0);
    hop.fields = format.fields;
    hop.hopLatencyNs = 2500;
    Ack({hop}, 1, 62500);
    EXPECT_NEAR(flow.utilization, 1.5, 1e-12);
}

// ---------------------------------------------------------------------------------------------
// Start, first record, commit rule

TEST_F(HpccLawTest, AFlowStartsWithTheWindowOfItsLineRateAndTheRuleForWai)
{
    Open();
    EXPECT_DOUBLE_EQ(flow.windowBytes, W_INIT);
    EXPECT_DOUBLE_EQ(flow.referenceBytes, W_INIT);
    EXPECT_NEAR(flow.waiBytes, 31.25, 1e-12);
    EXPECT_EQ(flow.utilization, 1);
    EXPECT_EQ(law.RateBps(flow), LINE_RATE);
}

TEST_F(HpccLawTest, TheFirstRecordIsOnlyStoredAndDefersTheFirstCommitToTheNextRound)
{
    Open();
    const auto& outcome = Ack({Hop(1, 1000, 0, 500000)}, 1000, 62500);
    EXPECT_EQ(outcome.branch, HpccBranch::NONE);
    EXPECT_EQ(outcome.reset, HpccReset::FIRST_RECORD);
    EXPECT_EQ(flow.windowBytes, W_INIT);
    EXPECT_EQ(flow.utilization, 1);
    EXPECT_EQ(flow.lastUpdateSeq, 62500U);
    EXPECT_EQ(Ack({Hop(1, 2000, 12500, 500000)}, 62500, 63000).branch, HpccBranch::FAST);
    EXPECT_EQ(Ack({Hop(1, 3000, 25000, 500000)}, 62501, 64000).branch, HpccBranch::COMMIT);
    EXPECT_EQ(flow.lastUpdateSeq, 64000U);
}

TEST_F(HpccLawTest, AnEstimatingFirstRecordCommitsOnePlusTheQueueInUnitsOfBT)
{
    parameters.firstSample = HpccParameters::FIRST_ESTIMATE;
    Open();
    const auto& outcome = Ack({Hop(1, 1000, 0, 62500), Hop(2, 1000, 0, 187500)}, 1000, 62500);
    EXPECT_EQ(outcome.branch, HpccBranch::COMMIT);
    EXPECT_EQ(outcome.reset, HpccReset::FIRST_RECORD);
    EXPECT_EQ(outcome.bottleneck, 1);
    EXPECT_DOUBLE_EQ(flow.utilization, 4);
    EXPECT_DOUBLE_EQ(flow.referenceBytes, 62500 / (4 / 0.95) + 31.25);
    EXPECT_EQ(flow.lastUpdateSeq, 62500U);
}

TEST_F(HpccLawTest, AnEstimatingFirstRecordOfANewPathCommitsWithinARound)
{
    parameters.firstSample = HpccParameters::FIRST_ESTIMATE;
    Open();
    Ack({Hop(1, 1000, 0, 0)}, 1000, 62500);
    const auto& outcome = Ack({Hop(2, 2000, 0, 62500)}, 2000, 62600);
    EXPECT_EQ(outcome.reset, HpccReset::PATH_CHANGE);
    EXPECT_EQ(outcome.branch, HpccBranch::COMMIT);
    EXPECT_DOUBLE_EQ(flow.utilization, 2);
    EXPECT_EQ(flow.lastUpdateSeq, 62600U);
}

TEST_F(HpccLawTest, AnEstimatingFirstRecordWithoutAQueueIsOnlyStored)
{
    parameters.firstSample = HpccParameters::FIRST_ESTIMATE;
    Open();
    EXPECT_EQ(Ack({Hop(1, 1000, 0, 0)}, 1000, 62500).branch, HpccBranch::NONE);
    EXPECT_EQ(flow.windowBytes, W_INIT);
}

TEST_F(HpccLawTest, AFlowWhoseFirstSequenceNumberIsZeroIsNoSpecialCase)
{
    Open();
    Ack({Hop(1, 1000, 0, 0)}, 0, 0);
    EXPECT_EQ(flow.lastUpdateSeq, 0U);
    EXPECT_EQ(Ack({Hop(1, 2000, 6250, 0)}, 1, 10).branch, HpccBranch::COMMIT);
}

TEST_F(HpccLawTest, SequenceNumbersBeyond32BitsCommitLikeSmallOnes)
{
    const uint64_t base = uint64_t{1} << 32;
    Open();
    Ack({Hop(1, 1000, 0, 0)}, base - 10, base + 20);
    EXPECT_EQ(Ack({Hop(1, 2000, 6250, 0)}, base + 20, base + 30).branch, HpccBranch::FAST);
    EXPECT_EQ(Ack({Hop(1, 3000, 12500, 0)}, base + 21, base + 40).branch, HpccBranch::COMMIT);
}

TEST_F(HpccLawTest, ARollbackLetsTheNextRoundCommitAndKeepsTheWindow)
{
    Open();
    Ack({Hop(1, 1000, 0, 0)}, 1000, 62500);
    Ack({Hop(1, 2000, 6250, 0)}, 62501, 120000);
    const double window = flow.windowBytes;
    law.Rollback(flow, 70000, false);
    EXPECT_EQ(flow.lastUpdateSeq, 70000U);
    EXPECT_EQ(flow.windowBytes, window);
    EXPECT_EQ(Ack({Hop(1, 3000, 12500, 0)}, 70001, 80000).branch, HpccBranch::COMMIT);
    law.Rollback(flow, 90000, false);
    EXPECT_EQ(flow.lastUpdateSeq, 80000U);
}

TEST_F(HpccLawTest, ATimeoutDropsTheRecordsButNotTheWindow)
{
    Open();
    Ack({Hop(1, 1000, 0, 0)}, 1000, 62500);
    Ack({Hop(1, 6000, 62500, 125000)}, 62501, 70000);
    Ack({Hop(1, 11000, 125000, 125000)}, 70001, 75000);
    const double window = flow.windowBytes;
    const double utilization = flow.utilization;
    ASSERT_LT(window, W_INIT);
    law.Rollback(flow, 70001, true);
    const auto& outcome = Ack({Hop(1, 16000, 130000, 0)}, 75001, 80000);
    EXPECT_EQ(outcome.reset, HpccReset::TIMEOUT);
    EXPECT_EQ(outcome.branch, HpccBranch::NONE);
    EXPECT_EQ(flow.windowBytes, window);
    EXPECT_EQ(flow.utilization, utilization);
    EXPECT_EQ(Ack({Hop(1, 17000, 131000, 0)}, 80001, 81000).reset, HpccReset::NONE);
}

TEST_F(HpccLawTest, ARestartIsANewFlow)
{
    Open();
    Ack({Hop(1, 1000, 0, 0)}, 1000, 62500);
    Ack({Hop(1, 6000, 62500, 625000)}, 62501, 70000);
    Ack({Hop(1, 11000, 125000, 625000)}, 70001, 80000);
    ASSERT_LT(flow.windowBytes, W_INIT);
    law.Restart(flow, 80000);
    EXPECT_EQ(flow.windowBytes, W_INIT);
    EXPECT_EQ(flow.referenceBytes, W_INIT);
    EXPECT_EQ(flow.utilization, 1);
    EXPECT_NE(Ack({Hop(1, 90000, 130000, 0)}, 80001, 90000).reset, HpccReset::NONE);
}

// ---------------------------------------------------------------------------------------------
// MeasureInflight

TEST_F(HpccLawTest, TauIsThatOfTheHopWithTheLargestUtilisation)
{
    Open();
    Ack({Hop(1, 1000, 0, 0), Hop(2, 1000, 0, 0)}, 1000, 62500);
    // u' = 0.5 over 2000 ns and 0.8 over 1000 ns.
    const auto& outcome = Ack({Hop(1, 3000, 12500, 0), Hop(2, 2000, 10000, 0)}, 2000, 62500);
    EXPECT_EQ(outcome.bottleneck, 1);
    EXPECT_EQ(outcome.switchId, 2U);
    EXPECT_DOUBLE_EQ(outcome.hopU[0], 0.5);
    EXPECT_DOUBLE_EQ(outcome.hopU[1], 0.8);
    EXPECT_DOUBLE_EQ(outcome.tauNs, 1000);
    EXPECT_DOUBLE_EQ(flow.utilization, 0.8 * 1 + 0.2 * 0.8);
}

TEST_F(HpccLawTest, OfEquallyUtilisedHopsTheFirstOnThePathGivesTau)
{
    Open();
    Ack({Hop(1, 1000, 0, 0), Hop(2, 1000, 0, 0)}, 1000, 62500);
    const auto& outcome = Ack({Hop(1, 3000, 12500, 0), Hop(2, 2000, 6250, 0)}, 2000, 62500);
    EXPECT_EQ(outcome.bottleneck, 0);
    EXPECT_DOUBLE_EQ(outcome.tauNs, 2000);
}

TEST_F(HpccLawTest, AnIdlePathPullsUDownByItsOwnTau)
{
    Open();
    Ack({Hop(1, 1000, 0, 0), Hop(2, 1000, 0, 0)}, 1000, 62500);
    const auto& outcome = Ack({Hop(1, 2000, 0, 0), Hop(2, 3000, 0, 0)}, 2000, 62500);
    EXPECT_DOUBLE_EQ(outcome.tauNs, 1000);
    EXPECT_DOUBLE_EQ(flow.utilization, 0.8);
}

TEST_F(HpccLawTest, TauIsCappedAtT)
{
    Open();
    Ack({Hop(1, 1000, 0, 0)}, 1000, 62500);
    EXPECT_DOUBLE_EQ(Ack({Hop(1, 101000, 625000, 0)}, 2000, 62500).tauNs, 5000);
    EXPECT_DOUBLE_EQ(flow.utilization, 0.5);
}

TEST_F(HpccLawTest, ZeroUtilisationGivesTheInitialWindowAndNoDivisionByZero)
{
    parameters.maxStage = 0;
    Open();
    Ack({Hop(1, 1000, 0, 0)}, 1000, 62500);
    flow.referenceBytes = 1000;
    Ack({Hop(1, 6000, 0, 0)}, 62501, 70000);
    EXPECT_EQ(flow.utilization, 0);
    EXPECT_EQ(flow.windowBytes, W_INIT);
    EXPECT_EQ(flow.referenceBytes, W_INIT);
}

TEST_F(HpccLawTest, TheBoundedWindowIsWhatTheReferenceStores)
{
    Open();
    Ack({Hop(1, 1000, 0, 0)}, 1000, 62500);
    for (uint64_t i = 1; i <= 20; ++i)
    {
        Ack({Hop(1, 1000 + 5000 * i, 100 * i, 0)}, 62500 * i + 1, 62500 * (i + 1));
        EXPECT_EQ(flow.windowBytes, W_INIT);
        EXPECT_EQ(flow.referenceBytes, W_INIT);
        EXPECT_EQ(law.RateBps(flow), LINE_RATE);
    }
}

TEST_F(HpccLawTest, TheFloorOfTheRateIsStoredInTheReferenceToo)
{
    parameters.minRateBps = 1e9;
    Open();
    Ack({Hop(1, 1000, 0, 1 << 30)}, 1000, 62500);
    Ack({Hop(1, 6000, 62500, 1 << 30)}, 62501, 70000);
    EXPECT_DOUBLE_EQ(flow.windowBytes, 625);
    EXPECT_DOUBLE_EQ(flow.referenceBytes, 625);
    EXPECT_DOUBLE_EQ(law.RateBps(flow), 1e9);
}

TEST_F(HpccLawTest, WithoutAFloorTheWindowStaysAboveWai)
{
    Open();
    Ack({Hop(1, 1000, 0, uint64_t{1} << 40)}, 1000, 62500);
    for (uint64_t i = 1; i <= 50; ++i)
    {
        Ack({Hop(1, 1000 + 5000 * i, 62500 * i, uint64_t{1} << 40)},
            62500 * i + 1,
            62500 * (i + 1));
    }
    EXPECT_GE(flow.windowBytes, 31.25);
    EXPECT_LT(flow.windowBytes, 31.26);
}

TEST_F(HpccLawTest, TheQueueFilterTakesTheSmallerTheCurrentOrByAge)
{
    const struct
    {
        HpccParameters::QueueFilter filter;
        uint64_t dts;
        double expected;
    } cases[] = {
        {HpccParameters::QUEUE_MIN, 1000, 0.2},
        {HpccParameters::QUEUE_MIN, 5000, 0.2},
        {HpccParameters::QUEUE_CURRENT, 1000, 0.6},
        {HpccParameters::QUEUE_CURRENT, 5000, 0.6},
        {HpccParameters::QUEUE_AUTO, 4999, 0.2},
        {HpccParameters::QUEUE_AUTO, 5000, 0.6},
    };

    for (const auto& c : cases)
    {
        parameters.queueFilter = c.filter;
        Open();
        Ack({Hop(1, 1000, 0, 12500)}, 1000, 62500);
        EXPECT_NEAR(Ack({Hop(1, 1000 + c.dts, 0, 37500)}, 2000, 62500).u, c.expected, 1e-12);
    }
}

TEST_F(HpccLawTest, TheArrivalRateIsTheDepartureRatePlusTheGrowthOfTheQueue)
{
    parameters.rateTerm = HpccParameters::RATE_RX;
    Open();
    Ack({Hop(1, 1000, 0, 10000)}, 1000, 62500);
    // 12500 bytes left and the queue grew by 5000 in 1000 ns: 17500 came, 1.4 of the line rate.
    EXPECT_NEAR(Ack({Hop(1, 2000, 12500, 15000)}, 2000, 62500).u, 1.4 + 10000 / W_INIT, 1e-12);
    // 12500 bytes left and the queue lost 15000: quantised counters must not make it negative.
    EXPECT_NEAR(Ack({Hop(1, 3000, 25000, 0)}, 3000, 62500).u, 0, 1e-12);
}

// ---------------------------------------------------------------------------------------------
// Freshness, wrap, path

TEST_F(HpccLawTest, AnOvertakenRecordChangesNothing)
{
    format.timestampModulus = 1 << 24;
    format.txBytesModulus = uint64_t{1} << 27;
    Open();
    Ack({Hop(1, 1000, 0, 0)}, 1000, 62500, 1000);
    Ack({Hop(1, 3000, 25000, 0)}, 3000, 62500, 3000);
    const Held before = Hold();
    const auto& outcome = Ack({Hop(1, 2000, 12500, 400000)}, 62501, 70000, 4000);
    EXPECT_EQ(outcome.branch, HpccBranch::NONE);
    EXPECT_EQ(outcome.reset, HpccReset::NONE);
    EXPECT_EQ(flow.windowBytes, before.windowBytes);
    EXPECT_EQ(flow.utilization, before.utilization);
    EXPECT_EQ(flow.lastUpdateSeq, before.lastUpdateSeq);
    EXPECT_EQ(flow.records[0].timestampNs, 3000U);
    EXPECT_EQ(flow.records[0].queue, 0U);
    EXPECT_DOUBLE_EQ(Ack({Hop(1, 4000, 37500, 0)}, 62501, 70000, 5000).tauNs, 1000);
}

TEST_F(HpccLawTest, ARepeatedRecordChangesNothing)
{
    Open();
    Ack({Hop(1, 1000, 0, 0)}, 1000, 62500);
    Ack({Hop(1, 2000, 12500, 400000)}, 2000, 62500);
    const Held before = Hold();
    EXPECT_EQ(Ack({Hop(1, 2000, 12500, 400000)}, 62501, 70000).branch, HpccBranch::NONE);
    EXPECT_EQ(flow.utilization, before.utilization);
    EXPECT_EQ(flow.lastUpdateSeq, before.lastUpdateSeq);
}

TEST_F(HpccLawTest, OneOvertakenHopDoesNotHoldBackTheOthers)
{
    Open();
    Ack({Hop(1, 2000, 0, 0), Hop(2, 1000, 0, 0)}, 1000, 62500);
    const auto& outcome = Ack({Hop(1, 1500, 0, 900000), Hop(2, 2000, 10000, 0)}, 2000, 62500);
    EXPECT_EQ(outcome.branch, HpccBranch::FAST);
    EXPECT_LT(outcome.hopU[0], 0);
    EXPECT_DOUBLE_EQ(outcome.u, 0.8);
    EXPECT_EQ(flow.records[0].timestampNs, 2000U);
}

TEST_F(HpccLawTest, CountersThatWrapOnceAreReadThrough)
{
    format.timestampModulus = 1 << 24;
    format.txBytesModulus = uint64_t{1} << 27;
    Open();
    const uint64_t ts = (1 << 24) - 400;
    const uint64_t tx = (uint64_t{1} << 27) - 5000;
    Ack({Hop(1, ts, tx, 0)}, 1000, 62500, 50000);
    const auto& outcome = Ack({Hop(1, 600, 7500, 0)}, 2000, 62500, 51000);
    EXPECT_DOUBLE_EQ(outcome.tauNs, 1000);
    EXPECT_DOUBLE_EQ(outcome.u, 1);
}

TEST_F(HpccLawTest, DecimalTimestampsWrapAtASecond)
{
    format.timestampModulus = 1'000'000'000;
    Open();
    Ack({Hop(1, 999'999'500, 0, 0)}, 1000, 62500, 999'999'500);
    EXPECT_DOUBLE_EQ(Ack({Hop(1, 500, 12500, 0)}, 2000, 62500, 1'000'000'500).tauNs, 1000);
}

TEST_F(HpccLawTest, AByteCounterThatMayHaveWrappedTwiceMakesAFirstRecord)
{
    // 2^32 bytes at 100 Gb/s: 343.6 ms.
    format.txBytesModulus = uint64_t{1} << 32;
    Open();
    Ack({Hop(1, 1000, 0, 0)}, 1000, 62500);
    const auto& valid = Ack({Hop(1, 343'000'000, 62500, 0)}, 62501, 70000);
    EXPECT_EQ(valid.branch, HpccBranch::COMMIT);
    const auto& wrapped = Ack({Hop(1, 687'000'000, 1'000'000, 0)}, 70001, 80000);
    EXPECT_EQ(wrapped.branch, HpccBranch::NONE);
    EXPECT_EQ(wrapped.reset, HpccReset::COUNTER_WRAP);
    EXPECT_EQ(flow.lastUpdateSeq, 80000U);
    EXPECT_EQ(Ack({Hop(1, 687'001'000, 1'006'250, 0)}, 80001, 80002).u, 0.5);
}

TEST_F(HpccLawTest, AWrappedHopIsAFirstRecordForItselfOnly)
{
    format.txBytesModulus = uint64_t{1} << 32;
    Open();
    auto slow = [](uint64_t ts, uint64_t tx) {
        auto hop = Hop(2, ts, tx, 0);
        hop.bandwidthBps = 10'000'000'000;
        return hop;
    };
    Ack({Hop(1, 1000, 0, 0), slow(1000, 0)}, 1000, 62500);
    const auto& outcome =
        Ack({Hop(1, 400'001'000, 999, 0), slow(400'001'000, 100'000'000)}, 62501, 70000);
    EXPECT_EQ(outcome.branch, HpccBranch::COMMIT);
    EXPECT_LT(outcome.hopU[0], 0);
    EXPECT_DOUBLE_EQ(outcome.u, 0.2);
}

TEST_F(HpccLawTest, ATimeInWhichTimestampsMayHaveGoneRoundMakesAFirstRecord)
{
    // 24 bit ns: 16.8 ms. The timestamps alone would give 4 us.
    format.timestampModulus = 1 << 24;
    format.txBytesModulus = uint64_t{1} << 27;
    Open();
    Ack({Hop(1, 1000, 0, 0)}, 1000, 62500, 1000);
    const auto& outcome = Ack({Hop(1, 5000, 3'000'000, 0)}, 62501, 70000, 5000 + (1 << 24));
    EXPECT_EQ(outcome.reset, HpccReset::COUNTER_WRAP);
    EXPECT_EQ(flow.utilization, 1);
    EXPECT_EQ(flow.windowBytes, W_INIT);
}

TEST_F(HpccLawTest, AWideCounterThatGoesBackMakesAFirstRecord)
{
    Open();
    Ack({Hop(1, 1000, 1'000'000, 0)}, 1000, 62500);
    EXPECT_EQ(Ack({Hop(1, 2000, 10, 0)}, 2000, 62500).reset, HpccReset::COUNTER_WRAP);
    EXPECT_DOUBLE_EQ(Ack({Hop(1, 3000, 6260, 0)}, 3000, 62500).u, 0.5);
}

TEST_F(HpccLawTest, AnIdleGapAboveTMakesAFirstRecordAndKeepsWAndU)
{
    Open();
    Ack({Hop(1, 1000, 0, 0)}, 1000, 62500);
    Ack({Hop(1, 6000, 62500, 125000)}, 62501, 70000);
    Ack({Hop(1, 11000, 125000, 125000)}, 70001, 80000);
    const Held before = Hold();
    ASSERT_LT(before.windowBytes, W_INIT);
    EXPECT_EQ(Ack({Hop(1, 500'000, 130000, 0)}, 80001, 90000, 500'000, 5001).reset,
              HpccReset::IDLE_GAP);
    EXPECT_EQ(flow.windowBytes, before.windowBytes);
    EXPECT_EQ(flow.utilization, before.utilization);
    EXPECT_EQ(Ack({Hop(1, 600'000, 130000, 0)}, 90001, 95000, 600'000, 5000).branch,
              HpccBranch::COMMIT);
}

TEST_F(HpccLawTest, ALongGapUnderAQueueIsNoIdleGap)
{
    Open();
    Ack({Hop(1, 1000, 0, 800000)}, 1000, 62500);
    EXPECT_EQ(Ack({Hop(1, 71000, 875000, 800000)}, 62501, 70000).branch, HpccBranch::COMMIT);
    EXPECT_DOUBLE_EQ(flow.utilization, 13.8);
}

TEST_F(HpccLawTest, AnIdleGapCanBeReadLiterally)
{
    parameters.idleGapResets = false;
    Open();
    Ack({Hop(1, 1000, 0, 0)}, 1000, 62500);
    EXPECT_EQ(Ack({Hop(1, 900'000, 100, 0)}, 62501, 70000, 900'000, 890'000).branch,
              HpccBranch::COMMIT);
}

TEST_F(HpccLawTest, AnotherListOfHopsDropsRecordsUAndStageButNotTheWindow)
{
    Open();
    Ack({Hop(1, 1000, 0, 0), Hop(2, 1000, 0, 0)}, 1000, 62500);
    Ack({Hop(1, 6000, 31250, 0), Hop(2, 6000, 0, 0)}, 62501, 70000);
    ASSERT_EQ(flow.incStage, 1U);
    flow.windowBytes = 30000;
    flow.referenceBytes = 40000;
    const auto& outcome = Ack({Hop(1, 11000, 62500, 0), Hop(3, 11000, 5, 0)}, 70001, 80000);
    EXPECT_EQ(outcome.reset, HpccReset::PATH_CHANGE);
    EXPECT_EQ(outcome.branch, HpccBranch::NONE);
    EXPECT_EQ(flow.utilization, 1);
    EXPECT_EQ(flow.incStage, 0U);
    EXPECT_EQ(flow.windowBytes, 30000);
    EXPECT_EQ(flow.referenceBytes, 40000);
    EXPECT_EQ(flow.lastUpdateSeq, 80000U);
    EXPECT_DOUBLE_EQ(Ack({Hop(1, 12000, 68750, 0), Hop(3, 12000, 5, 0)}, 80001, 80002).u, 0.5);
}

TEST_F(HpccLawTest, AnotherOrderPortOrNumberOfHopsIsAPathChange)
{
    auto otherPort = Hop(2, 2000, 0, 0);
    otherPort.portId = 9;
    const std::vector<std::vector<HopTelemetry>> others{
        {Hop(2, 2000, 0, 0), Hop(1, 2000, 0, 0)},
        {Hop(1, 2000, 0, 0), otherPort},
        {Hop(1, 2000, 0, 0)},
        {Hop(1, 2000, 0, 0), Hop(2, 2000, 0, 0), Hop(3, 2000, 0, 0)},
    };
    for (const auto& other : others)
    {
        Open();
        Ack({Hop(1, 1000, 0, 0), Hop(2, 1000, 0, 0)}, 1000, 62500);
        EXPECT_EQ(Ack(other, 2000, 62500).reset, HpccReset::PATH_CHANGE);
    }
}

TEST_F(HpccLawTest, WithoutIdsThePathIdentifierOrTheNumberOfHopsTellsAPathChange)
{
    format = {COUNTERS, 0, 0, true};
    auto anonymous = [](uint64_t ts) {
        auto hop = Hop(0, ts, 0, 0);
        hop.fields = COUNTERS;
        return hop;
    };
    Open();
    pathId = 0x123;
    Ack({anonymous(1000), anonymous(1000)}, 1000, 62500);
    EXPECT_EQ(Ack({anonymous(2000), anonymous(2000)}, 2000, 62500).reset, HpccReset::NONE);
    pathId = 0x124;
    EXPECT_EQ(Ack({anonymous(3000), anonymous(3000)}, 3000, 62500).reset, HpccReset::PATH_CHANGE);
    EXPECT_EQ(Ack({anonymous(4000)}, 4000, 62500).reset, HpccReset::PATH_CHANGE);
}

// ---------------------------------------------------------------------------------------------
// Missing and odd fields

TEST_F(HpccLawTest, AHopOfUnknownBandwidthIsSkippedAndCounted)
{
    Open();
    auto unknown = [](uint64_t ts) {
        auto hop = Hop(2, ts, ts * 1000, 999999);
        hop.bandwidthBps = 0;
        return hop;
    };
    Ack({Hop(1, 1000, 0, 0), unknown(1000)}, 1000, 62500);
    const auto& outcome = Ack({Hop(1, 2000, 6250, 0), unknown(2000)}, 2000, 62500);
    EXPECT_DOUBLE_EQ(outcome.u, 0.5);
    EXPECT_LT(outcome.hopU[1], 0);
    EXPECT_EQ(law.GetSkippedHops(), 2U);
}

TEST_F(HpccLawTest, APathOfOnlyUnknownBandwidthsLeavesTheFlowAlone)
{
    Open();
    auto hop = Hop(1, 1000, 0, 10);
    hop.bandwidthBps = 0;
    Ack({hop}, 1000, 62500);
    hop.timestampNs = 2000;
    EXPECT_EQ(Ack({hop}, 62501, 70000).branch, HpccBranch::NONE);
    EXPECT_EQ(flow.windowBytes, W_INIT);
    EXPECT_EQ(flow.utilization, 1);
}

TEST_F(HpccLawTest, AFieldThatIsNotAvailableCostsOnlyItsOwnRecord)
{
    Open();
    Ack({Hop(1, 1000, 0, 0), Hop(2, 1000, 0, 0)}, 1000, 62500);
    auto torn = Hop(2, 2000, 0xffffffff, 0);
    torn.fields &= ~TELEMETRY_TX_BYTES;
    EXPECT_DOUBLE_EQ(Ack({Hop(1, 2000, 6250, 0), torn}, 2000, 62500).u, 0.5);
    EXPECT_LT(Ack({Hop(1, 3000, 12500, 0), Hop(2, 3000, 20000, 0)}, 3000, 62500).hopU[1], 0);
    EXPECT_DOUBLE_EQ(Ack({Hop(1, 4000, 12500, 0), Hop(2, 4000, 30000, 0)}, 4000, 62500).u, 0.8);
    EXPECT_EQ(law.GetSkippedHops(), 1U);
}

TEST_F(HpccLawTest, UtilisationOnTheWireIsTheSecondTermOfLineFive)
{
    format.fields = IDS | TELEMETRY_TIMESTAMP | TELEMETRY_QUEUE | TELEMETRY_UTILIZATION;
    auto hop = [this](uint64_t ts, double utilization, uint64_t queue) {
        auto h = Hop(1, ts, 0, queue);
        h.fields = format.fields;
        h.utilization = utilization;
        return h;
    };
    Open();
    Ack({hop(1000, 0.9, 6250)}, 1000, 62500);
    const auto& outcome = Ack({hop(2000, 0.75, 12500)}, 2000, 62500);
    EXPECT_DOUBLE_EQ(outcome.u, 0.85);
    EXPECT_DOUBLE_EQ(outcome.tauNs, 1000);
}

TEST_F(HpccLawTest, WithoutTimestampsTauIsTheReadersOwnClockCappedAtT)
{
    format.fields = IDS | TELEMETRY_QUEUE | TELEMETRY_UTILIZATION;
    auto hop = Hop(1, 0, 0, 0);
    hop.fields = format.fields;
    hop.utilization = 0.5;
    Open();
    Ack({hop}, 1000, 62500, 10'000);
    EXPECT_DOUBLE_EQ(Ack({hop}, 2000, 62500, 11'250).tauNs, 1250);
    EXPECT_EQ(Ack({hop}, 2500, 62500, 11'250).branch, HpccBranch::NONE);
    EXPECT_DOUBLE_EQ(Ack({hop}, 3000, 62500, 90'000'000'000).tauNs, 5000);
    EXPECT_DOUBLE_EQ(flow.utilization, 0.5);
}

TEST_F(HpccLawTest, ByteCountersWithoutTimestampsAreReadByTheReadersOwnClock)
{
    format.fields = IDS | TELEMETRY_QUEUE | TELEMETRY_TX_BYTES | TELEMETRY_BANDWIDTH;
    auto hop = [this](uint64_t tx) {
        auto h = Hop(1, 0, tx, 0);
        h.fields = format.fields;
        return h;
    };
    Open();
    Ack({hop(0)}, 1000, 62500, 10'000);
    EXPECT_DOUBLE_EQ(Ack({hop(62500)}, 2000, 62500, 20'000).u, 0.5);
}

TEST_F(HpccLawTest, MoreHopsThanFitAreSurvivedWithThoseThatFit)
{
    Open();
    std::vector<HopTelemetry> hops;
    for (uint32_t i = 0; i < MAX_TELEMETRY_HOPS + 4; ++i)
    {
        hops.push_back(Hop(i + 1, 1000, 0, 0));
    }
    Ack(hops, 1000, 62500);
    for (auto& hop : hops)
    {
        hop.timestampNs = 2000;
        hop.txBytes = 6250;
    }
    const auto& outcome = Ack(hops, 62501, 70000);
    EXPECT_EQ(outcome.branch, HpccBranch::COMMIT);
    EXPECT_EQ(outcome.hopCount, MAX_TELEMETRY_HOPS);
    EXPECT_DOUBLE_EQ(outcome.u, 0.5);
    EXPECT_EQ(law.GetSkippedHops(), 8U);
}

TEST_F(HpccLawTest, AnAcknowledgementWithoutRecordsChangesNothing)
{
    Open();
    Ack({Hop(1, 1000, 0, 0)}, 1000, 62500);
    EXPECT_EQ(Ack({}, 62501, 70000).branch, HpccBranch::NONE);
    EXPECT_EQ(flow.lastUpdateSeq, 62500U);
    EXPECT_EQ(flow.hopCount, 1);
}

TEST_F(HpccLawTest, ABandwidthThatChangesIsUsedAtOnce)
{
    Open();
    Ack({Hop(1, 1000, 0, 0)}, 1000, 62500);
    auto hop = Hop(1, 2000, 6250, 0);
    hop.bandwidthBps = 50'000'000'000;
    EXPECT_DOUBLE_EQ(Ack({hop}, 2000, 62500).u, 1);
}

TEST_F(HpccLawTest, ArbitraryRecordsNeverMakeAnythingInfiniteOrNotANumber)
{
    const unsigned seed = Seed();
    std::mt19937_64 random(seed);
    SCOPED_TRACE(seed);
    auto pick = [&random](std::initializer_list<uint64_t> values) {
        return values.begin()[random() % values.size()];
    };
    for (int round = 0; round < 200; ++round)
    {
        parameters.maxStage = random() % 3;
        parameters.queueFilter = static_cast<HpccParameters::QueueFilter>(random() % 3);
        parameters.firstSample = static_cast<HpccParameters::FirstSample>(random() % 2);
        parameters.rateTerm = static_cast<HpccParameters::RateTerm>(random() % 2);
        format = {static_cast<uint16_t>(random() & 0xff),
                  pick({0, 1 << 24, 1'000'000'000}),
                  pick({0, uint64_t{1} << 27, uint64_t{1} << 32}),
                  random() % 2 == 0};
        Open();
        int64_t now = 0;
        for (int i = 0; i < 200; ++i)
        {
            now += static_cast<int64_t>(random() % 10000);
            std::vector<HopTelemetry> hops(random() % 4 ? 2 : random() % 20);
            for (auto& hop : hops)
            {
                hop = Hop(static_cast<uint32_t>(random() % 2),
                          pick({0, static_cast<uint64_t>(now), random(), UINT64_MAX}),
                          pick({0, random() % 100000, random(), UINT64_MAX}),
                          pick({0, random() % 100000, random(), UINT64_MAX}));
                hop.bandwidthBps = pick({0, 1, 100'000'000'000, UINT64_MAX});
                hop.utilization = 0.5;
                hop.fields = random() % 4 ? 0xff : static_cast<uint16_t>(random() & 0xff);
            }
            Ack(hops, random() % 100000, random() % 100000, now);
            ASSERT_TRUE(std::isfinite(flow.utilization) && flow.utilization >= 0);
            ASSERT_TRUE(flow.windowBytes > 0 && flow.windowBytes <= W_INIT) << flow.windowBytes;
            ASSERT_TRUE(flow.referenceBytes > 0 && flow.referenceBytes <= W_INIT);
            ASSERT_LE(law.RateBps(flow), LINE_RATE);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Loads, and records of the worst hop only

TEST_F(HpccLawTest, ALoadIsTheFirstTermAndTheSecond)
{
    Open();
    HopTelemetry border{};
    border.fields = IDS | TELEMETRY_LOAD;
    border.switchId = 9;
    border.portId = 77;
    border.load = 1.5;
    Ack({Hop(1, 1000, 0, 0), border}, 1000, 62500, 1000);
    EXPECT_EQ(law.GetOutcome().reset, HpccReset::FIRST_RECORD);
    const auto& outcome = Ack({Hop(1, 2000, 6250, 0), border}, 2000, 63500, 2500);
    EXPECT_DOUBLE_EQ(outcome.hopU[0], 0.5);
    EXPECT_EQ(outcome.hopU[1], 1.5);
    EXPECT_EQ(outcome.bottleneck, 1);
    EXPECT_EQ(outcome.portId, 77U);
    EXPECT_EQ(outcome.tauNs, 1500) << "the reader's clock";
    EXPECT_DOUBLE_EQ(flow.utilization, 0.7 * 1 + 0.3 * 1.5);
    EXPECT_EQ(law.GetSkippedHops(), 0U);
    border.portId = 78;
    EXPECT_EQ(Ack({Hop(1, 3000, 12500, 0), border}, 3000, 64500, 3500).reset,
              HpccReset::PATH_CHANGE)
        << "the tag stands for the path inside";
}

/// Acknowledgements that carry one quantity of the worst hop.
class HpccExtremeTest : public HpccLawTest
{
  protected:
    HpccExtremeTest()
    {
        format = {TELEMETRY_QUEUE_DELAY | TELEMETRY_UTILIZATION, 0, 0, false, true};
    }

    /// One more acknowledgement of 1000 bytes, 1 us after the last one, in one round.
    const HpccOutcome& Delay(double ns, uint32_t locator = 5)
    {
        HopTelemetry hop{};
        hop.fields = TELEMETRY_QUEUE_DELAY;
        hop.queueDelayNs = ns;
        hop.portId = locator;
        return Next(hop);
    }

    const HpccOutcome& Utilization(double utilization)
    {
        HopTelemetry hop{};
        hop.fields = TELEMETRY_UTILIZATION;
        hop.utilization = utilization;
        hop.portId = 5;
        return Next(hop);
    }

    const HpccOutcome& Next(const HopTelemetry& hop)
    {
        nowNs += 1000;
        ackSeq += 1000;
        return Ack({hop}, ackSeq, sndNxt, nowNs, idleNs);
    }

    /// The acknowledgements that follow are of a new round.
    void BeginRound()
    {
        ackSeq = sndNxt;
        sndNxt += 62500;
    }

    int64_t nowNs{0};
    int64_t idleNs{0};
    uint64_t ackSeq{0};
    uint64_t sndNxt{62500};
};

TEST_F(HpccExtremeTest, TheLoadIsTheLastQueueTermPlusTheLastUtilisation)
{
    Open();
    EXPECT_EQ(Utilization(0.9).reset, HpccReset::FIRST_RECORD);
    EXPECT_EQ(flow.lastUpdateSeq, 62500U);
    EXPECT_EQ(flow.windowBytes, W_INIT);
    EXPECT_DOUBLE_EQ(Delay(1000).u, 0.2 + 0.9);
    EXPECT_EQ(law.GetOutcome().branch, HpccBranch::FAST);
    EXPECT_EQ(law.GetOutcome().tauNs, 1000);
    EXPECT_DOUBLE_EQ(flow.utilization, 0.8 * 1 + 0.2 * 1.1);
    EXPECT_EQ(law.GetOutcome().portId, 5U);
    EXPECT_DOUBLE_EQ(Utilization(0.8).u, 0.2 + 0.8);
    EXPECT_DOUBLE_EQ(Delay(0).u, 0.8);
    EXPECT_EQ(flow.windowBytes, law.ComputeWind(flow, false));
    BeginRound();
    EXPECT_EQ(Utilization(0.7).branch, HpccBranch::COMMIT);
    EXPECT_EQ(flow.lastUpdateSeq, sndNxt);
}

TEST_F(HpccExtremeTest, TheSmallerOfTwoQueuesCountsOnlyAtOneLocator)
{
    Open();
    Utilization(0.9);
    Delay(1000);
    EXPECT_DOUBLE_EQ(Delay(2000).u, 0.2 + 0.9);
    EXPECT_DOUBLE_EQ(Delay(3000).u, 0.4 + 0.9)
        << "smaller than this is the last one, not the least";
    EXPECT_DOUBLE_EQ(Delay(4000, 6).u, 0.8 + 0.9) << "another hop's queue says nothing of this one";
    EXPECT_DOUBLE_EQ(Delay(500, 6).u, 0.1 + 0.9);
    parameters.queueFilter = HpccParameters::QUEUE_CURRENT;
    law.SetParameters(parameters);
    EXPECT_DOUBLE_EQ(Delay(2000, 6).u, 0.4 + 0.9);
}

TEST_F(HpccExtremeTest, ATermLivesThroughTheRoundAfterItsOwn)
{
    Open();
    Utilization(0.6);
    Delay(1000);
    BeginRound();
    EXPECT_DOUBLE_EQ(Delay(1000).u, 0.2 + 0.6);
    BeginRound();
    EXPECT_DOUBLE_EQ(Delay(1000).u, 0.2 + 1) << "two rounds old; a queue means a busy link";
    EXPECT_DOUBLE_EQ(Utilization(0.7).u, 0.2 + 0.7);
    BeginRound();
    EXPECT_DOUBLE_EQ(Utilization(0.7).u, 0.2 + 0.7);
    BeginRound();
    EXPECT_DOUBLE_EQ(Utilization(0.7).u, 0.7) << "a queue two rounds ago is none";
    EXPECT_DOUBLE_EQ(Delay(4000).u, 0.8 + 0.7) << "nor is it what to take the smaller one with";
}

TEST_F(HpccExtremeTest, WithoutAQueueAMissingUtilisationMeasuresNothingUntilItComes)
{
    Open();
    Delay(0);
    EXPECT_EQ(Delay(0).branch, HpccBranch::NONE);
    EXPECT_EQ(Delay(0).branch, HpccBranch::NONE);
    EXPECT_EQ(flow.utilization, 1);
    EXPECT_EQ(Utilization(0.5).u, 0.5);
    EXPECT_EQ(law.GetOutcome().tauNs, 3000) << "the time since the last measurement";
    EXPECT_DOUBLE_EQ(flow.utilization, 0.4 * 1 + 0.6 * 0.5);
}

TEST_F(HpccExtremeTest, TheSenderAsksForTheQueueWhileThereIsOneAndEveryFourthTimeForTheOther)
{
    Open();
    auto four = [this] {
        std::string asked;
        for (int i = 0; i < 8; ++i)
        {
            asked += HpccLaw::WantedSignal(flow) == TELEMETRY_QUEUE_DELAY ? 'q' : 'u';
            HpccLaw::NoteSent(flow);
        }
        return asked;
    };
    EXPECT_EQ(four(), "uuuquuuq");
    Delay(100);
    EXPECT_EQ(four(), "qqquqqqu");
    Utilization(0.9);
    EXPECT_EQ(four(), "qqquqqqu");
    Delay(0);
    EXPECT_EQ(four(), "uuuquuuq");
}

TEST_F(HpccExtremeTest, AnotherPathATimeoutARestartAndAnIdleGapDropBothTerms)
{
    for (auto reason :
         {HpccReset::PATH_CHANGE, HpccReset::TIMEOUT, HpccReset::IDLE_GAP, HpccReset::FIRST_RECORD})
    {
        SCOPED_TRACE(static_cast<int>(reason));
        Open();
        Utilization(0.9);
        Delay(1000);
        flow.incStage = 2;
        const double before = flow.utilization;
        if (reason == HpccReset::PATH_CHANGE)
        {
            law.ChangePath(flow);
        }
        else if (reason == HpccReset::TIMEOUT)
        {
            law.Rollback(flow, 62500, true);
        }
        else if (reason == HpccReset::FIRST_RECORD)
        {
            Open();
        }
        idleNs = reason == HpccReset::IDLE_GAP ? 5001 : 0;
        EXPECT_EQ(Delay(0).reset, reason);
        EXPECT_EQ(law.GetOutcome().branch, HpccBranch::NONE);
        idleNs = 0;
        EXPECT_EQ(HpccLaw::WantedSignal(flow), TELEMETRY_UTILIZATION);
        const bool fresh = reason == HpccReset::PATH_CHANGE || reason == HpccReset::FIRST_RECORD;
        EXPECT_EQ(flow.utilization, fresh ? 1 : before);
        EXPECT_EQ(flow.incStage, fresh ? 0U : 2U);
        EXPECT_EQ(Delay(500).u, 0.1 + 1) << "the utilisation of before is gone";
    }
}

TEST_F(HpccExtremeTest, AChangeOfPathMakesStackedRecordsFirstOnesToo)
{
    format = {IDS | COUNTERS, 0, 0, false};
    Open();
    Ack({Hop(1, 1000, 0, 0)}, 1000, 62500);
    law.ChangePath(flow);
    EXPECT_EQ(Ack({Hop(1, 2000, 6250, 0)}, 2000, 63500).reset, HpccReset::PATH_CHANGE);
    EXPECT_EQ(Ack({Hop(1, 3000, 12500, 0)}, 3000, 64500).reset, HpccReset::NONE);
}

TEST_F(HpccExtremeTest, AnEstimatingFirstQueueCommitsOnePlusItsTerm)
{
    parameters.firstSample = HpccParameters::FIRST_ESTIMATE;
    Open();
    EXPECT_EQ(Delay(15000).branch, HpccBranch::COMMIT);
    EXPECT_DOUBLE_EQ(flow.utilization, 4);
    EXPECT_DOUBLE_EQ(flow.referenceBytes, 62500 / (4 / 0.95) + 31.25);
}

TEST_F(HpccExtremeTest, ARecordOfNeitherQuantityOrOfTheSameInstantChangesNothing)
{
    Open();
    Utilization(0.9);
    HopTelemetry none{};
    EXPECT_EQ(Next(none).branch, HpccBranch::NONE);
    EXPECT_EQ(law.GetSkippedHops(), 1U);
    nowNs -= 2000;
    EXPECT_EQ(Delay(10000).branch, HpccBranch::NONE);
    EXPECT_EQ(Utilization(0.9).u, 0.9);
}

// ---------------------------------------------------------------------------------------------
// Reactions and N

TEST_F(HpccLawTest, FastReactionsToOneQueueDoNotCompound)
{
    // Exact: W depends on Wc, which stays within a round (SIGCOMM 2019, section 3.2). Reacting to
    // every acknowledgement from the last window instead divides by U/eta each time.
    for (auto reaction : {HpccParameters::REACT_REFERENCE, HpccParameters::REACT_PER_ACK})
    {
        parameters.reaction = reaction;
        parameters.initialU = 2;
        Open();
        flow.waiBytes = 0;
        Ack({Hop(1, 1000, 0, 62500)}, 1000, 62500);
        Ack({Hop(1, 2000, 12500, 62500)}, 2000, 62500);
        const double first = flow.windowBytes;
        Ack({Hop(1, 3000, 25000, 62500)}, 3000, 62500);
        EXPECT_DOUBLE_EQ(first, W_INIT * 0.475);
        EXPECT_DOUBLE_EQ(flow.windowBytes,
                         reaction == HpccParameters::REACT_REFERENCE ? first : first * 0.475);
    }
}

TEST_F(HpccLawTest, PerRttReactionChangesTheWindowOnCommitsOnlyButKeepsMeasuring)
{
    parameters.reaction = HpccParameters::REACT_PER_RTT;
    Open();
    Ack({Hop(1, 1000, 0, 62500)}, 1000, 62500);
    EXPECT_EQ(Ack({Hop(1, 3500, 31250, 62500)}, 2000, 62500).branch, HpccBranch::NONE);
    EXPECT_EQ(flow.windowBytes, W_INIT);
    EXPECT_DOUBLE_EQ(flow.utilization, 1.5);
    EXPECT_EQ(Ack({Hop(1, 6000, 62500, 62500)}, 62501, 62600).branch, HpccBranch::COMMIT);
    EXPECT_DOUBLE_EQ(flow.windowBytes, W_INIT / (1.75 / 0.95) + 31.25);
}

TEST_F(HpccLawTest, TheAverageOfAConstantIsThatConstantHoweverItIsSplit)
{
    // Line 9 with u = U is the identity; with u != U the weights of one T multiply as (1 - tau/T).
    Open();
    Ack({Hop(1, 1000, 0, 0)}, 1000, 1 << 30);
    for (uint64_t ts = 1000; ts < 6000; ts += 250)
    {
        Ack({Hop(1, ts + 250, (ts - 750) * 25 / 2, 0)}, 2000, 1 << 30);
        EXPECT_DOUBLE_EQ(flow.utilization, 1);
    }
    Ack({Hop(1, 7000, 5000 * 25 / 2, 0)}, 2000, 1 << 30);
    Ack({Hop(1, 9000, 5000 * 25 / 2, 0)}, 2000, 1 << 30);
    EXPECT_NEAR(flow.utilization, (1 - 0.2) * (1 - 0.4), 1e-12);
}

TEST_F(HpccLawTest, CountedFlowsTakeAShareOfTheHeadroomButNoLessThanN)
{
    const std::vector<std::pair<uint16_t, double>> expected{{1, 0.2},
                                                            {2, 0.1},
                                                            {10, 0.02},
                                                            {20, 0.01},
                                                            {50, 0.01},
                                                            {100, 0.01},
                                                            {400, 0.0025}};
    uint64_t ts = 1000;
    Open();
    Ack({Hop(1, ts, 0, 0)}, 1000, 62500);
    for (auto [flows, share] : expected)
    {
        ts += 1000;
        reportedFlows = flows;
        Ack({Hop(1, ts, ts, 0)}, 62501 * ts, 62502 * ts);
        EXPECT_NEAR(flow.waiBytes, W_INIT * 0.05 * share, 1e-9) << flows << " flows";
    }
}

TEST_F(HpccLawTest, TheReceiversCountReplacesNOnlyWhileTheLastHopIsTheBottleneck)
{
    parameters.countedShare = 1;
    Open();
    reportedFlows = 5;
    Ack({Hop(1, 1000, 0, 0), Hop(2, 1000, 0, 0)}, 1000, 62500);
    Ack({Hop(1, 2000, 100, 0), Hop(2, 2000, 6250, 0)}, 62501, 70000);
    EXPECT_NEAR(flow.waiBytes, W_INIT * 0.05 / 5, 1e-9);
    Ack({Hop(1, 3000, 10000, 0), Hop(2, 3000, 6250, 0)}, 70001, 80000);
    EXPECT_NEAR(flow.waiBytes, W_INIT * 0.05 / 100, 1e-9);
    // Only the last round counts: two samples of one, then one of the next.
    for (uint64_t i = 1; i <= 2; ++i)
    {
        Ack({Hop(1, 3000 + 100 * i, 10000, 0), Hop(2, 3000 + 100 * i, 6250 + 500 * i, 0)},
            70001 + (i == 2 ? 10000 : 0),
            90000);
    }
    EXPECT_NEAR(flow.waiBytes, W_INIT * 0.05 / 5, 1e-9);
    Ack({Hop(1, 3400, 10500, 0), Hop(2, 3400, 7750, 0)}, 90001, 95000);
    EXPECT_NEAR(flow.waiBytes, W_INIT * 0.05 / 100, 1e-9);
    parameters.waiBytes = 80;
    Open();
    Ack({Hop(1, 4000, 10000, 0), Hop(2, 4000, 12500, 0)}, 80001, 90000);
    EXPECT_DOUBLE_EQ(flow.waiBytes, 80);
}

// ---------------------------------------------------------------------------------------------
// Properties on a synchronous fluid network: every flow gets one record per T of each link on its
// path.

namespace
{

/// Links that report the load of the flows crossing them, as SIGCOMM 2019, appendix A.2 has it.
class FluidNetwork
{
  public:
    static constexpr uint64_t T =
        1'000'000; ///< ns; large so that whole bytes are 1e-12 of a window

    FluidNetwork(const HpccParameters& parameters, const std::vector<double>& capacityBps)
        : m_capacityBps(capacityBps),
          m_txBytes(capacityBps.size(), 1000),
          m_format{IDS | COUNTERS, 0, 0, false}
    {
        HpccParameters p = parameters;
        p.baseRttNs = T;
        m_law.SetParameters(p);
    }

    HpccFlow& AddFlow(const std::vector<uint32_t>& path, double windowBytes)
    {
        m_paths.push_back(path);
        m_flows.emplace_back();
        m_law.Open(m_flows.back(), 1e17, 0);
        m_flows.back().windowBytes = windowBytes;
        m_flows.back().referenceBytes = windowBytes;
        return m_flows.back();
    }

    void SetWai(double waiBytes)
    {
        for (auto& flow : m_flows)
        {
            flow.waiBytes = waiBytes;
        }
    }

    double Load(uint32_t link) const
    {
        double bytes = 0;
        for (size_t f = 0; f < m_flows.size(); ++f)
        {
            if (std::count(m_paths[f].begin(), m_paths[f].end(), link))
            {
                bytes += m_flows[f].windowBytes;
            }
        }
        return bytes * 8e9 / T;
    }

    void Round()
    {
        if (m_now == 0)
        {
            Report();
        }
        for (size_t i = 0; i < m_capacityBps.size(); ++i)
        {
            m_txBytes[i] += static_cast<uint64_t>(std::llround(Load(i) * T / 8e9));
        }
        Report();
    }

    std::vector<HpccFlow>& Flows()
    {
        return m_flows;
    }

  private:
    void Report()
    {
        m_now += T;
        for (size_t f = 0; f < m_flows.size(); ++f)
        {
            std::vector<HopTelemetry> hops;
            for (uint32_t link : m_paths[f])
            {
                auto hop = Hop(link, m_now, m_txBytes[link], 0);
                hop.bandwidthBps = static_cast<uint64_t>(m_capacityBps[link]);
                hops.push_back(hop);
            }
            m_law.NewAck(m_flows[f],
                         {static_cast<int64_t>(m_now),
                          m_now,
                          m_now,
                          0,
                          hops.data(),
                          static_cast<uint32_t>(hops.size()),
                          0,
                          0,
                          &m_format});
        }
    }

    HpccLaw m_law;
    std::vector<double> m_capacityBps;
    std::vector<uint64_t> m_txBytes;
    TelemetryCapabilities m_format;
    std::vector<std::vector<uint32_t>> m_paths;
    std::vector<HpccFlow> m_flows;
    uint64_t m_now{0};
};

} // namespace

TEST(HpccFluidTest, OneRoundBringsASingleBottleneckExactlyToEta)
{
    // SIGCOMM 2019, appendix A.2, exact for one resource: Y(1) = eta B.
    const unsigned seed = Seed();
    std::mt19937_64 random(seed);
    SCOPED_TRACE(seed);
    for (int i = 0; i < 300; ++i)
    {
        HpccParameters parameters;
        parameters.maxStage = 0;
        FluidNetwork network(parameters, {4e15});
        std::uniform_real_distribution<double> window(1e8, 5e11);
        for (size_t flows = 1 + random() % 8; flows > 0; --flows)
        {
            network.AddFlow({0}, window(random));
        }
        network.SetWai(0);
        network.Round();
        EXPECT_NEAR(network.Load(0) / 4e15, 0.95, 1e-8);
    }
}

TEST(HpccFluidTest, AfterOneRoundNoLinkIsAboveEtaAndNoFlowSlowsDown)
{
    // SIGCOMM 2019, appendix A.2, statements (i) and (ii), W_ai = 0. Not its statement (iii),
    // constant after as many rounds as there are links: with capacities (1, 2), one flow on both
    // links and one on the second, the latter's rate goes 2/5, 4/7, 8/11 ... and is never constant.
    const unsigned seed = Seed();
    std::mt19937_64 random(seed);
    SCOPED_TRACE(seed);
    std::uniform_real_distribution<double> capacity(1e15, 8e15);
    std::uniform_real_distribution<double> window(1e8, 5e11);
    for (int i = 0; i < 300; ++i)
    {
        std::vector<double> capacities(1 + random() % 6);
        for (auto& c : capacities)
        {
            c = std::floor(capacity(random));
        }
        HpccParameters parameters;
        parameters.maxStage = 0;
        FluidNetwork network(parameters, capacities);
        for (size_t flows = 1 + random() % 8; flows > 0; --flows)
        {
            std::vector<uint32_t> path;
            while (path.empty())
            {
                for (uint32_t link = 0; link < capacities.size(); ++link)
                {
                    if (random() % 2)
                    {
                        path.push_back(link);
                    }
                }
            }
            network.AddFlow(path, window(random));
        }
        network.SetWai(0);
        network.Round();
        for (int round = 1; round < 20; ++round)
        {
            std::vector<double> before;
            for (const auto& flow : network.Flows())
            {
                before.push_back(flow.windowBytes);
            }
            for (uint32_t link = 0; link < capacities.size(); ++link)
            {
                ASSERT_LE(network.Load(link) / capacities[link], 0.95 * (1 + 1e-7));
            }
            network.Round();
            for (size_t f = 0; f < before.size(); ++f)
            {
                ASSERT_GE(network.Flows()[f].windowBytes, before[f] * (1 - 1e-7));
            }
        }
    }
}

TEST(HpccFluidTest, ARateHeldElsewhereLeavesAnErrorThatShrinksByItsShareOfTheLink)
{
    // The counterexample above: with C = (1, 2), R_b = 2/5, 4/7, 8/11, 16/19 of the first link's
    // capacity, the share of flow a on link 2 being 1/2, so that 1/R - 1 halves.
    HpccParameters parameters;
    parameters.maxStage = 0;
    parameters.eta = 1;
    parameters.waiBytes = 1;
    FluidNetwork network(parameters, {4e15, 8e15});
    const double unit = 4e15 * FluidNetwork::T / 8e9;
    network.AddFlow({0, 1}, 2 * unit);
    network.AddFlow({1}, 0.5 * unit);
    network.SetWai(0);
    for (double expected : {2.0 / 5, 4.0 / 7, 8.0 / 11, 16.0 / 19, 32.0 / 35})
    {
        network.Round();
        EXPECT_NEAR(network.Flows()[0].windowBytes / unit, 1, 1e-7);
        EXPECT_NEAR(network.Flows()[1].windowBytes / unit, expected, 1e-7);
    }
}

TEST(HpccFluidTest, EquilibriumUtilisationIsEtaPlusNWaiOverBT)
{
    // From W = Wc/(U/eta) + W_ai at a fixed point (SIGCOMM 2019, appendix A.3), as long as it is
    // below 1.
    for (uint32_t flows : {2U, 16U})
    {
        for (double share : {1e-4, 1e-3, 0.003})
        {
            HpccParameters parameters;
            parameters.maxStage = 0;
            FluidNetwork network(parameters, {4e15});
            const double bt = 4e15 * FluidNetwork::T / 8e9;
            for (uint32_t f = 0; f < flows; ++f)
            {
                network.AddFlow({0}, bt * (f + 1) / flows);
            }
            network.SetWai(share * bt);
            for (int round = 0; round < 500; ++round)
            {
                network.Round();
            }
            EXPECT_NEAR(network.Load(0) / 4e15, 0.95 + flows * share, 1e-6);
        }
    }
}

TEST(HpccFluidTest, UnfairnessDecaysWithTheTimeConstantThatWaiSets)
{
    // A deviation from the fair share W* shrinks by 1 - W_ai/W* per round: time constant -T/ln(1 -
    // W_ai/W*). Bar: 2 %.
    for (uint32_t flows : {2U, 16U})
    {
        for (double share : {1e-4, 1e-3})
        {
            HpccParameters parameters;
            parameters.maxStage = 0;
            FluidNetwork network(parameters, {4e15});
            const double bt = 4e15 * FluidNetwork::T / 8e9;
            for (uint32_t f = 0; f < flows; ++f)
            {
                network.AddFlow({0}, bt / flows * (f == 0 ? 1.4 : 1 - 0.4 / (flows - 1)));
            }
            network.SetWai(share * bt);
            const double fair = (0.95 + flows * share) * bt / flows;
            for (int round = 0; round < 20; ++round)
            {
                network.Round();
            }
            const double before = network.Flows()[0].windowBytes - fair;
            const int rounds = 100;
            for (int round = 0; round < rounds; ++round)
            {
                network.Round();
            }
            const double after = network.Flows()[0].windowBytes - fair;
            const double constant = -rounds / std::log(after / before);
            EXPECT_NEAR(constant, -1 / std::log(1 - share * bt / fair), 0.02 * constant);
        }
    }
}

TEST(HpccFluidTest, AFreedLinkIsTakenWithinMaxStageAndTwoRounds)
{
    // maxStage additive steps, then one multiplicative one (lines 12 and 13); one round to notice.
    for (uint32_t maxStage : {0U, 5U})
    {
        HpccParameters parameters;
        parameters.maxStage = maxStage;
        FluidNetwork network(parameters, {4e15});
        const double bt = 4e15 * FluidNetwork::T / 8e9;
        network.AddFlow({0}, 0.475 * bt);
        network.AddFlow({0}, 0.475 * bt);
        network.SetWai(1e-4 * bt);
        for (int round = 0; round < 30; ++round)
        {
            network.Round();
        }
        network.Flows().pop_back();
        uint32_t rounds = 0;
        while (network.Load(0) < 0.9 * 4e15 && rounds < 100)
        {
            network.Round();
            ++rounds;
        }
        EXPECT_LE(rounds, maxStage + 2);
        EXPECT_GE(rounds, 1U);
    }
}
