/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests Swift, and the store of departure times that it uses, step by step. Expected values are
// computed by hand from the paper's formulas.

#include "hpcc-test-policies.h"
#include "hpcc-test-seeds.h"

#include "ns3/nstime.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/rdma-departures.h"
#include "ns3/rdma-swift.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>

using namespace ns3;
using namespace hpcctest;

namespace
{

using QueuePair = StateQueuePair<RdmaSwiftState>;

} // namespace

// ---------------------------------------------------------------------------------------------
// Departure times

TEST(RdmaDeparturesTest, EachPacketInFlightIsFoundWhateverTheWindowDoes)
{
    const uint32_t seed = ChooseSeed();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    RdmaDepartures departures;
    std::map<uint64_t, int64_t> expected;
    uint64_t unacknowledged = 0;
    uint64_t next = 0;
    for (int64_t now = 0; now < 20000; ++now)
    {
        const uint64_t window = now < 10000 ? 10 : 3000;
        if (next - unacknowledged < window && random() % 4 != 0)
        {
            departures.Add(next, unacknowledged, now);
            expected[next++] = now;
        }
        else if (next > unacknowledged)
        {
            const uint64_t psn = unacknowledged + random() % (next - unacknowledged);
            ASSERT_EQ(departures.Find(psn), expected.at(psn));
            unacknowledged = psn + 1;
        }
        if (random() % 1000 == 0)
        {
            departures.Forget(next);
            for (auto& [psn, time] : expected)
            {
                time = -1;
            }
        }
    }
    EXPECT_GT(next, 3000U);
}

// ---------------------------------------------------------------------------------------------
// Swift

TEST(RdmaSwiftTest, NamesAndNeeds)
{
    for (const std::string name : {"swift", "swift:htsim"})
    {
        auto ops = Make(name);
        EXPECT_EQ(ops->GetInstanceTypeId(), RdmaSwift::GetTypeId());
        EXPECT_TRUE(ops->Describe(nullptr).rttOfEachAck);
        EXPECT_EQ(ops->Validate(5 * US, nullptr), "");
    }
    EXPECT_DOUBLE_EQ(QueuePair(Make("swift:htsim")).Own().cwnd, 12);
}

TEST(RdmaSwiftTest, AFlowStartsWithTheWindowOfLineRateAndBaseRtt)
{
    QueuePair qp(Make("swift"), 4 * US);
    EXPECT_DOUBLE_EQ(qp.Window(), 50'000);
    EXPECT_DOUBLE_EQ(qp.Gbps(), 100);
    EXPECT_DOUBLE_EQ(QueuePair(Make("swift", {{"InitialCwnd", "12"}})).Window(), 12'000);
    EXPECT_DOUBLE_EQ(QueuePair(Make("swift"), 0).Window(), 250'000) << "BaseTarget";
}

TEST(RdmaSwiftTest, TheTargetGrowsWithHopsAndAsTheWindowShrinks)
{
    auto ops = DynamicCast<RdmaSwift>(Make("swift"));
    const double a = 100'000 / (1 / std::sqrt(0.1) - 0.1);
    EXPECT_NEAR(a, 32655.4, 0.1);
    EXPECT_NEAR(ops->GetTargetNs(1, 1), 20'000 + 3053 + a * 0.9, 1e-6);
    EXPECT_NEAR(ops->GetTargetNs(4, 5), 20'000 + 5 * 3053 + a * 0.4, 1e-6);
    EXPECT_NEAR(ops->GetTargetNs(1.5, 0) - ops->GetTargetNs(1, 0),
                a * (1 / std::sqrt(1.5) - 1),
                1e-6)
        << "fractions of a packet count";
    EXPECT_NEAR(ops->GetTargetNs(0.25, 0), 20'000 + a * 1.9, 1e-6)
        << "a window below one packet is not one of none";
    EXPECT_NEAR(ops->GetTargetNs(0.1, 0), 120'000, 1e-6);
    EXPECT_DOUBLE_EQ(ops->GetTargetNs(0.001, 0), 120'000) << "FsRange is the most";
    EXPECT_NEAR(ops->GetTargetNs(100, 0), 20'000, 1e-6);
    EXPECT_DOUBLE_EQ(ops->GetTargetNs(400, 0), 20'000) << "never below";

    ops->SetAttribute("FsRange", TimeValue(Time(0)));
    EXPECT_DOUBLE_EQ(ops->GetTargetNs(0.1, 2), 26'106);
}

TEST(RdmaSwiftTest, BelowTheTargetTheWindowGrowsByAiPerRoundTrip)
{
    QueuePair qp(Make("swift", {{"InitialCwnd", "10"}}));
    qp.Rtt(10 * US, 5 * US);
    EXPECT_DOUBLE_EQ(qp.Own().cwnd, 10.1);
    qp.Rtt(11 * US, 5 * US, true, 3000);
    EXPECT_DOUBLE_EQ(qp.Own().cwnd, 10.1 + 3 / 10.1);
    qp.Rtt(12 * US, 5 * US, true, 0);
    EXPECT_DOUBLE_EQ(qp.Own().cwnd, 10.1 + 3 / 10.1);

    QueuePair small(Make("swift", {{"InitialCwnd", "0.25"}, {"Ai", "0.125"}}));
    small.Rtt(10 * US, 5 * US);
    EXPECT_DOUBLE_EQ(small.Own().cwnd, 0.375) << "below 1 the step is not divided by the window";
    small.Rtt(20 * US, 5 * US, true, 2000);
    EXPECT_DOUBLE_EQ(small.Own().cwnd, 0.625);
}

TEST(RdmaSwiftTest, AtAndAboveTheTargetItFallsWithTheExcessAtMostByMaxMdf)
{
    const Settings plain{{"InitialCwnd", "100"}, {"HopScale", "0us"}};
    QueuePair qp(Make("swift", plain));
    qp.Rtt(100 * US, 25 * US);
    EXPECT_NEAR(qp.Own().cwnd, 100 * (1 - 0.8 * 5 / 25), 1e-9);

    QueuePair far(Make("swift", plain));
    far.Rtt(100 * US, 2000 * US);
    EXPECT_DOUBLE_EQ(far.Own().cwnd, 50);

    QueuePair exact(Make("swift", plain));
    exact.Rtt(100 * US, 20 * US);
    EXPECT_DOUBLE_EQ(exact.Own().cwnd, 100) << "no increase at the target";
}

TEST(RdmaSwiftTest, ItFallsOncePerRoundTrip)
{
    QueuePair qp(Make("swift", {{"InitialCwnd", "100"}, {"HopScale", "0us"}, {"FsRange", "0us"}}));
    qp.Rtt(100 * US, 40 * US);
    EXPECT_DOUBLE_EQ(qp.Own().cwnd, 60);
    qp.Rtt(120 * US, 40 * US);
    qp.Rtt(139 * US, 40 * US);
    EXPECT_DOUBLE_EQ(qp.Own().cwnd, 60) << "acknowledgements in between do not prolong the wait";
    qp.Rtt(140 * US, 40 * US);
    EXPECT_DOUBLE_EQ(qp.Own().cwnd, 36);
    qp.Rtt(150 * US, 10 * US);
    const double raised = 36 + 1 / 36.0;
    EXPECT_DOUBLE_EQ(qp.Own().cwnd, raised) << "it may grow at once";
    qp.Rtt(190 * US, 40 * US);
    EXPECT_DOUBLE_EQ(qp.Own().cwnd, raised * 0.6) << "an increase does not restart the wait";
}

TEST(RdmaSwiftTest, BelowOnePacketTheyLeaveOneRoundTripByTheWindowApart)
{
    QueuePair qp(Make("swift", {{"InitialCwnd", "1"}, {"FsRange", "0us"}}));
    EXPECT_DOUBLE_EQ(qp.Gbps(), 100) << "one packet is not paced";
    qp.Rtt(100 * US, 80 * US);
    ASSERT_DOUBLE_EQ(qp.Own().cwnd, 0.5);
    const double intervalNs = 1090 * 8 / qp.Gbps();
    EXPECT_NEAR(intervalNs, 80'000 / qp.Own().cwnd, 1e-6);
    qp.Rtt(150 * US, 40 * US);
    EXPECT_NEAR(1090 * 8 / qp.Gbps(), 40'000 / qp.Own().cwnd, 1e-6)
        << "the last RTT, also without a change of the window";
    EXPECT_DOUBLE_EQ(qp.Window(), 1000 * qp.Own().cwnd);
}

TEST(RdmaSwiftTest, TheWindowStaysBetweenItsLimits)
{
    QueuePair qp(Make("swift", {{"MaxCwnd", "50.5"}}));
    EXPECT_DOUBLE_EQ(qp.Own().cwnd, 50.5);
    qp.Rtt(10 * US, 5 * US);
    EXPECT_DOUBLE_EQ(qp.Own().cwnd, 50.5);
    for (int i = 1; i < 40; ++i)
    {
        qp.Rtt(i * 10'000 * US, 9000 * US);
    }
    EXPECT_DOUBLE_EQ(qp.Own().cwnd, 0.001);
    EXPECT_NEAR(1090 * 8 / qp.Gbps(), 9e9, 1) << "1,000 round trips";
}

TEST(RdmaSwiftTest, ALossTakesMaxMdfOncePerRoundTripAndManyTimeoutsTakeAll)
{
    const Settings settings{{"InitialCwnd", "64"}, {"RetxResetThreshold", "3"}};
    QueuePair qp(Make("swift", settings));
    qp.Rollback(100 * US, false);
    EXPECT_DOUBLE_EQ(qp.Own().cwnd, 32);
    qp.Rollback(104 * US, false);
    EXPECT_DOUBLE_EQ(qp.Own().cwnd, 32) << "within a round trip";
    qp.Rollback(105 * US, true);
    EXPECT_DOUBLE_EQ(qp.Own().cwnd, 16);
    qp.Rollback(200 * US, true);
    EXPECT_DOUBLE_EQ(qp.Own().cwnd, 8);
    qp.Rollback(201 * US, true);
    qp.Rollback(202 * US, true);
    EXPECT_DOUBLE_EQ(qp.Own().cwnd, 8) << "further packets of the same window";
    qp.Rollback(205 * US, true);
    EXPECT_DOUBLE_EQ(qp.Own().cwnd, 0.001) << "the third in a row";

    QueuePair progressing(Make("swift", settings));
    for (int i = 1; i <= 6; ++i)
    {
        progressing.Rollback(i * 100 * US, true);
        RdmaAckInfo ack = EmptyAck(i * 100 * US + 1);
        ack.newlyAckedBytes = 1000;
        progressing.Ack(ack, true);
    }
    EXPECT_DOUBLE_EQ(progressing.Own().cwnd, 1) << "64/2^6: progress ends the row";
}

TEST(RdmaSwiftTest, AnAcknowledgementWithoutASampleLeavesAWindowOfAPacketOrMoreAlone)
{
    QueuePair qp(Make("swift", {{"InitialCwnd", "10"}}));
    qp.Rtt(100 * US, -1);
    EXPECT_DOUBLE_EQ(qp.Own().cwnd, 10);
}

TEST(RdmaSwiftTest, AMessageThatRestartsWithoutSamplesDoesNotStayBelowAPacket)
{
    QueuePair qp(Make("swift", {{"InitialCwnd", "0.01"}}));
    qp.Rtt(100 * US, -1);
    EXPECT_DOUBLE_EQ(qp.Own().cwnd, 1.01) << "0.01 + Ai";
    qp.Rtt(200 * US, -1);
    EXPECT_DOUBLE_EQ(qp.Own().cwnd, 1.01);
}

TEST(RdmaSwiftTest, RefusesWhatCannotBe)
{
    EXPECT_EQ(Why("swift", {{"FsMinCwnd", "100"}}),
              "ns3::RdmaSwift::FsMinCwnd is 100, allowed is below FsMaxCwnd, 100");
    EXPECT_EQ(Why("swift", {{"MaxCwnd", "0.0001"}}),
              "ns3::RdmaSwift::MinCwnd is 0.001, allowed is at most MaxCwnd, 0.0001");
    for (const std::string attribute :
         {"Ai", "Beta", "MaxMdf", "FsMinCwnd", "FsMaxCwnd", "MinCwnd", "MaxCwnd"})
    {
        EXPECT_FALSE(Takes("swift", attribute, "0")) << attribute;
    }
    EXPECT_FALSE(Takes("swift", "MaxMdf", "1"));
    EXPECT_FALSE(Takes("swift", "InitialCwnd", "-1"));
    EXPECT_FALSE(Takes("swift", "RetxResetThreshold", "0"));
    EXPECT_FALSE(Takes("swift", "BaseTarget", "0us"));
    EXPECT_FALSE(Takes("swift", "HopScale", "-1us"));
    EXPECT_FALSE(Takes("swift", "FsRange", "-1us"));
}
