/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/hpcc-bottleneck-hop.h"
#include "ns3/hpcc-law.h"
#include "ns3/rdma-bottleneck-picker.h"

#include <array>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint16_t ALL = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID | TELEMETRY_TIMESTAMP |
                         TELEMETRY_TX_BYTES | TELEMETRY_QUEUE | TELEMETRY_BANDWIDTH;
constexpr TelemetryCapabilities COUNTERS{ALL, 0, 0, false};
constexpr double T = 4000;

HopTelemetry
Hop(uint32_t switchId, uint64_t timeNs, uint64_t txBytes, uint64_t queueBytes, uint64_t gbps = 100)
{
    HopTelemetry hop{};
    hop.switchId = switchId;
    hop.portId = 7;
    hop.timestampNs = timeNs;
    hop.txBytes = txBytes;
    hop.queueBytes = queueBytes;
    hop.bandwidthBps = gbps * 1000000000;
    hop.fields = ALL;
    return hop;
}

HpccSample
SampleOf(int64_t nowNs, const std::vector<HopTelemetry>& hops)
{
    return {nowNs, 0, 0, 0, hops.data(), static_cast<uint32_t>(hops.size()), 0, 0, &COUNTERS};
}

} // namespace

TEST(BottleneckHopTest, WordsAreThoseOfTheLayout)
{
    HpccBottleneckHop report{Hop(0x11223344, 0x0102030405060708, 0x1112131415161718, 4660),
                             Hop(0x11223344, 0x0102030405060700, 0x1112131415161000, UINT64_MAX)};
    std::array<uint32_t, HpccBottleneckHop::WORDS> words{};
    report.Write(COUNTERS, words.data());
    const std::array<uint32_t, HpccBottleneckHop::WORDS> expected{0x11223344,
                                                                  7,
                                                                  0x1234,
                                                                  0xffffffff,
                                                                  100000,
                                                                  0x01020304,
                                                                  0x05060708,
                                                                  0x11121314,
                                                                  0x15161718,
                                                                  0x01020304,
                                                                  0x05060700,
                                                                  0x11121314,
                                                                  0x15161000};
    EXPECT_EQ(words, expected);
    std::array<uint32_t, HpccBottleneckHop::BARE_WORDS> bare{};
    report.WriteBare(COUNTERS, bare.data());
    const std::array<uint32_t, HpccBottleneckHop::BARE_WORDS> three{0x1234,
                                                                    0x01020304,
                                                                    0x05060708,
                                                                    0x11121314,
                                                                    0x15161718};
    EXPECT_EQ(bare, three);
}

TEST(BottleneckHopTest, SurvivesWriteAndRead)
{
    std::mt19937_64 random(1);
    constexpr uint16_t utilization =
        (ALL & ~(TELEMETRY_TX_BYTES | TELEMETRY_BANDWIDTH)) | TELEMETRY_UTILIZATION;
    for (int i = 0; i < 1000; ++i)
    {
        TelemetryCapabilities format{random() % 2 ? ALL : utilization, 0, 0, false};
        auto draw = [&](uint32_t switchId) {
            HopTelemetry hop = Hop(switchId,
                                   random() >> 1,
                                   random() >> 1,
                                   random() % 100000000,
                                   random() % 800 + 1);
            hop.utilization = static_cast<double>(random() % 1000001) / 1e6;
            hop.fields = format.fields;
            return hop;
        };
        const auto id = static_cast<uint32_t>(random());
        HpccBottleneckHop report{draw(id), random() % 2 ? draw(id) : HopTelemetry{}};
        std::array<uint32_t, HpccBottleneckHop::WORDS> words;
        report.Write(format, words.data());
        HpccBottleneckHop read;
        read.Read(format, words.data());
        EXPECT_EQ(read.now.fields, format.fields);
        EXPECT_EQ(read.now.switchId, id);
        EXPECT_EQ(read.now.portId, 7U);
        EXPECT_EQ(read.before.fields, report.before.fields ? format.fields : 0);
        for (auto [a, b] : {std::pair(&report.now, &read.now), {&report.before, &read.before}})
        {
            if (a->fields == 0)
            {
                continue;
            }
            EXPECT_EQ(a->timestampNs, b->timestampNs);
            EXPECT_EQ(a->queueBytes, b->queueBytes);
            if (format.fields & TELEMETRY_TX_BYTES)
            {
                EXPECT_EQ(a->txBytes, b->txBytes);
                EXPECT_EQ(read.now.bandwidthBps, report.now.bandwidthBps);
            }
            else
            {
                EXPECT_EQ(a->utilization, b->utilization);
                EXPECT_EQ(read.now.bandwidthBps, 0U);
            }
        }
    }
}

TEST(BottleneckHopTest, OneRecordOfABottleneckHopCannotBePickedFrom)
{
    EXPECT_TRUE(HpccBottleneckHop::CanReport(COUNTERS));
    TelemetryCapabilities extreme = COUNTERS;
    extreme.pathExtreme = true;
    EXPECT_FALSE(HpccBottleneckHop::CanReport(extreme));
    EXPECT_FALSE(HpccBottleneckHop::CanReport({TELEMETRY_LOAD | TELEMETRY_SWITCH_ID, 0, 0, false}));
}

TEST(BottleneckHopPickerTest, FirstIsTheLongestQueueOverItsRateThenTheSlowestLink)
{
    HpccBottleneckHop report;
    RdmaBottleneckPicker idle(4000);
    ASSERT_TRUE(
        idle.Pick(SampleOf(10, {Hop(1, 1, 0, 0, 400), Hop(2, 2, 0, 0), Hop(3, 3, 0, 0)}), report));
    EXPECT_EQ(report.now.switchId, 2U);
    EXPECT_EQ(report.before.fields, 0);
    RdmaBottleneckPicker queued(4000);
    ASSERT_TRUE(queued.Pick(SampleOf(10, {Hop(1, 1, 0, 4000, 400), Hop(2, 2, 0, 2000)}), report));
    EXPECT_EQ(report.now.switchId, 2U);
}

TEST(BottleneckHopPickerTest, ThenItIsTheLargestLoadNotTheMostBytes)
{
    RdmaBottleneckPicker picker(4000);
    HpccBottleneckHop report;
    ASSERT_TRUE(picker.Pick(SampleOf(10, {Hop(1, 0, 0, 0, 400), Hop(2, 0, 0, 0)}), report));
    // In time T, a link of 400 Gb/s carries 200,000 bytes and a link of 100 Gb/s carries 50,000
    // bytes. Therefore the loads are 0.5 and 0.8.
    ASSERT_TRUE(picker.Pick(SampleOf(4010, {Hop(1, 4000, 100000, 0, 400), Hop(2, 4000, 40000, 0)}),
                            report));
    EXPECT_EQ(report.now.switchId, 2U);
    EXPECT_EQ(report.before.timestampNs, 0U);
    EXPECT_EQ(report.before.txBytes, 0U);
    // Now hop 1 has a load of 0.95, and hop 2 has a load of 0.8. The record of hop 1 is returned
    // with the previous record of the same hop, not with the record of the previous bottleneck hop.
    ASSERT_TRUE(picker.Pick(SampleOf(8010, {Hop(1, 8000, 290000, 0, 400), Hop(2, 8000, 80000, 0)}),
                            report));
    EXPECT_EQ(report.now.switchId, 1U);
    EXPECT_EQ(report.before.timestampNs, 4000U);
    EXPECT_EQ(report.before.txBytes, 100000U);
    EXPECT_FALSE(
        picker.Pick(SampleOf(8020, {Hop(1, 8000, 290000, 0, 400), Hop(2, 8000, 80000, 0)}), report))
        << "the same again";
    ASSERT_TRUE(picker.Pick(SampleOf(9000, {Hop(1, 9000, 0, 0, 400), Hop(3, 9000, 0, 0)}), report));
    EXPECT_EQ(report.before.fields, 0) << "another path";
}

TEST(BottleneckHopLawTest, ALinkIsComparedWithWhatItSaidBeforeItself)
{
    HpccParameters parameters;
    parameters.baseRttNs = T;
    HpccLaw law;
    law.SetParameters(parameters);
    HpccFlow flow;
    law.Open(flow, 100e9, 0);
    HopTelemetry nothing{};
    HopTelemetry hop = Hop(1, 1000, 5000000, 0);
    HpccSample sample{1000, 0, 10000, 0, &hop, 1, 0, 0, &COUNTERS, &nothing};
    EXPECT_EQ(law.NewAck(flow, sample).reset, HpccReset::FIRST_RECORD);

    // The record is from another link, whose byte counter is far lower.
    hop = Hop(2, 5000, 40000, 0);
    HopTelemetry before = Hop(2, 1000, 0, 0);
    sample = {5000, 10001, 20000, 0, &hop, 1, 0, 0, &COUNTERS, &before};
    const HpccOutcome& outcome = law.NewAck(flow, sample);
    EXPECT_EQ(outcome.branch, HpccBranch::COMMIT);
    EXPECT_EQ(outcome.reset, HpccReset::NONE);
    EXPECT_DOUBLE_EQ(outcome.u, 0.8);
    EXPECT_EQ(outcome.switchId, 2U);

    // The receiver has no previous record of the link: the path has changed.
    hop = Hop(2, 9000, 80000, 0);
    sample = {9000, 20001, 30000, 0, &hop, 1, 0, 0, &COUNTERS, &nothing};
    EXPECT_EQ(law.NewAck(flow, sample).reset, HpccReset::PATH_CHANGE);
}
