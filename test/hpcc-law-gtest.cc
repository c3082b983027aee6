/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-law.h"

#include <algorithm>

using namespace ns3;

namespace
{

/// An acknowledgement and the expected state after it.
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

/// Results of lines 1 to 27, computed in exact fractions by a separate program. The steps include
/// the first record, fast reactions, a seq equal to lastUpdateSeq, a commit, a record more than T
/// after the previous record, additive steps, and the multiplicative step after five additive
/// steps.
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

TEST_F(HpccLawTest, SkippedEmptyHopsCountInCommitsOnly)
{
    parameters.maxStage = 0;
    parameters.skipEmptyHops = true;
    Open();
    Ack({Hop(1, 10000, 100000), Hop(2, 10000, 100000)}, 1000, 62500);
    // This acknowledgement does not commit. Hop 1 has no queue. Therefore only hop 2 is measured,
    // relative to its own last record.
    Ack({Hop(1, 11000, 112500), Hop(2, 11000, 106250, 12500)}, 2000, 63500);
    EXPECT_NEAR(flow.utilization, 0.8 + 0.2 * 0.5, 1e-12) << "u' of hop 2 is 0.5, its queue was 0";
    EXPECT_NEAR(flow.windowBytes, std::min(62500 * 0.95 / 0.9 + 31.25, W_INIT), 1e-6);
    // Neither hop has a queue: nothing changes, and no record is stored.
    const Held held = Hold();
    Ack({Hop(1, 12000, 125000), Hop(2, 12000, 118750)}, 3000, 64000);
    EXPECT_EQ(flow.windowBytes, held.windowBytes);
    EXPECT_EQ(flow.utilization, held.utilization);
    EXPECT_EQ(flow.records[0].txBytes, 100000u);
    // A commit measures both hops. Hop 1 is measured since its first record, and its link was fully
    // used.
    Ack({Hop(1, 13000, 137500), Hop(2, 13000, 118750)}, 62501, 70000);
    EXPECT_EQ(flow.records[0].txBytes, 137500u);
    EXPECT_NEAR(flow.utilization, 0.4 * 0.9 + 0.6 * 1, 1e-12);
    EXPECT_NEAR(flow.referenceBytes, 62500 * 0.95 / 0.96 + 31.25, 1e-6);
}

TEST_P(HpccLawSequenceTest, TheTimeInTheQueueStandsForItsLength)
{
    // At 100 Gb/s, q bytes drain in 0.08 q ns. The queue length in the record is ignored. If the
    // record carries the utilisation, its bandwidth is also ignored.
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

TEST_F(HpccLawTest, AUOfExactlyEtaIsAMultiplicativeStep)
{
    Open();
    flow.utilization = parameters.eta;
    flow.incStage = 2;
    EXPECT_EQ(law.ComputeWind(flow, true), W_INIT) << "W/(U/eta) + W_ai, at most W_init";
    EXPECT_EQ(flow.incStage, 0U) << "line 15, not line 19";
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
    // In 1000 ns, 12500 bytes left and the queue grew by 5000 bytes. Therefore 17500 bytes arrived,
    // which is 1.4 times the line rate.
    EXPECT_NEAR(Ack({Hop(1, 2000, 12500, 15000)}, 2000, 62500).u, 1.4 + 10000 / W_INIT, 1e-12);
    // According to the records, 12500 bytes left and the queue shrank by 15000 bytes. This is
    // impossible, but quantised counters may have such values. The arrival rate must not be
    // negative.
    EXPECT_NEAR(Ack({Hop(1, 3000, 25000, 0)}, 3000, 62500).u, 0, 1e-12);
}

// ---------------------------------------------------------------------------------------------
// Reactions and N

TEST_F(HpccLawTest, FastReactionsToOneQueueDoNotCompound)
{
    // W is computed from Wc, which is constant within a round (SIGCOMM 2019, section 3.2). If it
    // were computed from the last W, every acknowledgement would divide W by U/eta.
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

TEST_F(HpccLawTest, RttSampleMeasuresFromTheTelemetryOfCommitsOnly)
{
    parameters.reaction = HpccParameters::REACT_RTT_SAMPLE;
    Open();
    Ack({Hop(1, 1000, 0, 62500)}, 1000, 62500);
    EXPECT_EQ(Ack({Hop(1, 3500, 31250, 0)}, 2000, 62500).branch, HpccBranch::NONE);
    EXPECT_EQ(flow.windowBytes, W_INIT);
    EXPECT_DOUBLE_EQ(flow.utilization, 1);
    // The measurement covers T since the first record: txRate is B, and the queue of 62,500 bytes
    // is B T.
    EXPECT_EQ(Ack({Hop(1, 6000, 62500, 62500)}, 62501, 62600).branch, HpccBranch::COMMIT);
    EXPECT_DOUBLE_EQ(flow.utilization, 2);
    EXPECT_DOUBLE_EQ(flow.windowBytes, W_INIT / (2 / 0.95) + 31.25);
}

TEST_F(HpccLawTest, TheAverageOfAConstantIsThatConstantHoweverItIsSplit)
{
    // If u = U, line 9 does not change U. Otherwise successive steps multiply the difference by
    // their factors (1 - tau/T).
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
    // Only samples of the last round are averaged. This test passes two samples of one round, then
    // one sample of the next round.
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

TEST_F(HpccLawTest, WithAWindowOfItsOwnItIsTheLawOfTheAuthorsSimulator)
{
    // The path has a base RTT of 24,480 ns. It leads from a NIC of 100 Gb/s over a link of 25 Gb/s.
    // In the authors' simulator, the window is the base RTT times 25 Gb/s, and the algorithm adapts
    // a rate; see RdmaHw::UpdateRateHp() with MI_THRESH 0 and FAST_REACT 1.
    constexpr double T = 24480;
    constexpr double WINDOW = 76500;
    constexpr double SLOW = 25e9;
    constexpr double RATE_AI = 500e6;
    constexpr double MIN_RATE = 1e9;
    parameters.baseRttNs = T;
    parameters.windowNs = WINDOW * 8e9 / LINE_RATE;
    parameters.waiBytes = RATE_AI * parameters.windowNs / 8e9;
    parameters.minRateBps = MIN_RATE;
    parameters.maxStage = 0;
    Open();
    EXPECT_DOUBLE_EQ(flow.windowBytes, WINDOW);
    double rate = LINE_RATE;
    double current = LINE_RATE;
    double average = 1;
    uint64_t lastUpdate = 0;
    HopTelemetry last = Hop(1, 10000, 100000, 0);
    for (uint64_t i = 1; i <= 200; ++i)
    {
        HopTelemetry now = Hop(1,
                               last.timestampNs + 300 + 97 * (i % 7),
                               last.txBytes + 500 + 311 * (i % 5),
                               i % 40 < 20 ? 1000 * (i % 23) : 4000 * (i % 19));
        now.bandwidthBps = static_cast<uint64_t>(SLOW);
        const uint64_t ackSeq = 1000 * i;
        const uint64_t sndNxt = ackSeq + 20000;
        Ack({now}, ackSeq, sndNxt);
        if (lastUpdate == 0)
        {
            lastUpdate = sndNxt;
        }
        else
        {
            const auto tau = static_cast<double>(now.timestampNs - last.timestampNs);
            const double txRate = static_cast<double>(now.txBytes - last.txBytes) * 8e9 / tau;
            const auto queue = static_cast<double>(std::min(now.queueBytes, last.queueBytes));
            const double u = txRate / SLOW + queue * LINE_RATE / SLOW / WINDOW;
            average = (average * (T - tau) + u * tau) / T;
            rate = current / (average / 0.95) + RATE_AI;
            rate = std::min(std::max(rate, MIN_RATE), LINE_RATE);
            if (ackSeq > lastUpdate)
            {
                current = rate;
                lastUpdate = sndNxt;
            }
        }
        last = now;
        ASSERT_NEAR(flow.utilization, average, 1e-9) << i;
        ASSERT_NEAR(law.RateBps(flow), rate, 1e-6 * rate) << i;
        ASSERT_NEAR(flow.windowBytes, WINDOW * rate / LINE_RATE, 1e-6 * WINDOW) << i;
    }
    EXPECT_LT(rate, LINE_RATE / 2) << "the law has reacted";
}
