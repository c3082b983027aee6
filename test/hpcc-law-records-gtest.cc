/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-law.h"

#include <random>

using namespace ns3;

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
    // 2^32 bytes take 343.6 ms at 100 Gb/s.
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
    // A timestamp of 24 bits in ns wraps after 16.8 ms. According to the timestamps alone, only 4
    // us have passed.
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
    parameters.missingHop = HpccParameters::MISSING_CHANGES;
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
    const uint32_t seed = hpcctest::ChooseSeed(1);
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
