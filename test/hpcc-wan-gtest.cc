/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests formats and the control law with a round-trip time of 40 ms: counters that wrap, and
// settings that are refused.

#include "hpcc-test-seeds.h"

#include "ns3/hpcc-law.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <tuple>

using namespace ns3;

namespace
{

constexpr int64_t T_NS = 40'000'000;
constexpr double PPM = 1e6;

const std::string WAN_CSIG = "csig with delays up to 45 ms";

Ptr<TelemetryFormat>
Make(const std::string& name)
{
    ObjectFactory factory;
    const bool buckets = name == WAN_CSIG;
    EXPECT_TRUE(HpccPresets::Find(TelemetryFormat::GetTypeId(), buckets ? "csig" : name, factory));
    if (buckets)
    {
        std::string edges = "0";
        for (int k = 0; k < 31; ++k)
        {
            edges += " " + std::to_string(std::lround(1000 * std::pow(1.43, k)));
        }
        factory.Set("DelayBuckets", StringValue(edges));
    }
    return factory.Create<TelemetryFormat>();
}

std::string
Refusal(const std::string& name, uint64_t rateBps, int64_t baseRttNs)
{
    return Make(name)->Validate({20, 8, 3, rateBps, baseRttNs});
}

/// A test for one format and one line rate. The rate is in Gb/s.
class WanFormatTest : public ::testing::TestWithParam<std::tuple<std::string, uint64_t>>
{
};

/**
 * Samples a port that sends at 80 % of its rate for 20 s, at irregular intervals of up to T. The
 * byte counters of IFA and IOAM wrap every 344 ms at 100 Gb/s and every 86 ms at 400 Gb/s. The
 * timestamps of IOAM wrap every second. If a wrap were misinterpreted, u' would differ from 0.8.
 */
TEST_P(WanFormatTest, EachSampleIsReadRightWhateverHasWrapped)
{
    const auto& [name, gbps] = GetParam();
    const uint64_t rateBps = gbps * 1'000'000'000;
    const uint32_t seed = hpcctest::ChooseSeed(1);
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    auto format = Make(name);
    ASSERT_EQ(Refusal(name, rateBps, T_NS), "");
    HpccParameters parameters;
    parameters.baseRttNs = T_NS;
    HpccLaw law;
    law.SetParameters(parameters);
    HpccFlow flow;
    law.Open(flow, static_cast<double>(rateBps), 0);
    const double bytesPerNs = static_cast<double>(rateBps) / 8e9;
    int64_t nowNs = 123'456'789;
    uint64_t seq = 0;
    uint32_t measured = 0;
    for (int i = 0; nowNs < 20'000'000'000; ++i)
    {
        nowNs += random() % 3 == 0 ? T_NS : 100'000 + static_cast<int64_t>(random() % T_NS);
        HopSnapshot hop{};
        hop.timestampNs = static_cast<uint64_t>(nowNs);
        hop.txBytes = static_cast<uint64_t>(static_cast<double>(nowNs) * bytesPerNs * 0.8);
        hop.bandwidthBps = rateBps;
        hop.switchId = 3;
        hop.egressPort = 2;
        hop.utilizationPpm = static_cast<uint32_t>(0.8 * PPM);
        TelemetryStack stack;
        format->Open(stack, {4791, 17, 26, TELEMETRY_UTILIZATION});
        format->Insert(stack, hop, 1000);
        HopTelemetry record = format->Read(stack, 0);
        record.bandwidthBps = rateBps;
        record.fields |= TELEMETRY_BANDWIDTH;
        seq += 1000;
        const auto& outcome = law.NewAck(flow,
                                         {nowNs,
                                          seq,
                                          seq + 1'000'000,
                                          0,
                                          &record,
                                          1,
                                          stack.pathId,
                                          0,
                                          &format->GetCapabilities()});
        if (i > 0)
        {
            ASSERT_EQ(outcome.reset, HpccReset::NONE) << i;
            // The largest error is 1 us of quantisation in 100 us. With formats for the bottleneck
            // hop, it is half a bucket of 1/32.
            ASSERT_NEAR(outcome.u, 0.8, format->GetCapabilities().pathExtreme ? 1.0 / 64 : 0.01);
            ++measured;
        }
    }
    EXPECT_GT(measured, 500U);
}

INSTANTIATE_TEST_SUITE_P(At40Milliseconds,
                         WanFormatTest,
                         ::testing::Combine(::testing::Values("int-md",
                                                              "int-md-no-ts",
                                                              "ifa",
                                                              "ioam",
                                                              "ioam-incremental",
                                                              WAN_CSIG,
                                                              "csig-wide"),
                                            ::testing::Values(100, 400)));

TEST(WanFormats, WhoseTimestampsDoNotReachARoundTripIsRefused)
{
    for (uint64_t rate : {10'000'000'000, 100'000'000'000, 400'000'000'000})
    {
        for (const std::string name : {"sigcomm19", "sigcomm19:authors"})
        {
            EXPECT_EQ(Refusal(name, rate, T_NS),
                      "T is 40 ms, but its 24-bit timestamps allow at most 8.38861 ms");
        }
    }
    // The transmission of 2^27 bytes takes 10.7 ms at 100 Gb/s and 2.7 ms at 400 Gb/s.
    EXPECT_EQ(Refusal("sigcomm19", 100'000'000'000, 8'388'608), "");
    EXPECT_EQ(Refusal("sigcomm19", 400'000'000'000, 2'600'000), "");
    EXPECT_EQ(Refusal("sigcomm19", 400'000'000'000, 3'000'000),
              "its sent-bytes field of 20 bits wraps in 2.68435 ms at 400 Gb/s; T must be below "
              "this time, but is 3 ms; increase UnitMultiplier");
}

TEST(WanFormats, WhoseSentBytesWrapInARoundTripIsRefused)
{
    for (const std::string name : {"ifa", "ioam"})
    {
        // The transmission of 2^32 bytes takes 42.9 ms at 800 Gb/s and 21.5 ms at 1.6 Tb/s.
        EXPECT_EQ(Refusal(name, 800'000'000'000, T_NS), "");
        EXPECT_NE(Refusal(name, 1'600'000'000'000, T_NS).find("wrap"), std::string::npos) << name;
    }
    EXPECT_NE(Refusal("ioam", 1'000'000'000, 600'000'000), "") << "timestamps within a second";
    EXPECT_EQ(Refusal("int-md", 1'600'000'000'000, 600'000'000), "") << "64 bits of ns, no counter";
}

TEST(WanFormats, WhoseBucketsEndBelowARoundTripIsRefusedUntilTheyAreGiven)
{
    EXPECT_NE(Refusal("csig", 100'000'000'000, T_NS).find("DelayBuckets ends at 650284 ns"),
              std::string::npos);
    EXPECT_EQ(Refusal(WAN_CSIG, 100'000'000'000, T_NS), "");
}

} // namespace
