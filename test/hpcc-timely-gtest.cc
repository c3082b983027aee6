/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Compares TIMELY and patched TIMELY with steps computed by hand from the algorithms of the papers.

#include "hpcc-test-rate-policies.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/rdma-patched-timely.h"
#include "ns3/rdma-timely.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace ns3;
using namespace hpcctest;

// ---------------------------------------------------------------------------------------------
// TIMELY

TEST(RdmaTimelyTest, HasTheParametersOfThePapers)
{
    for (const auto* name : {"timely", "timely:authors", "timely:paper", "timely:snippet"})
    {
        auto ops = MakeRate(name);
        EXPECT_EQ(ops->GetInstanceTypeId(), RdmaTimely::GetTypeId());
        EXPECT_EQ(ops->Describe(nullptr).ecn, RdmaPolicyDescription::NOT_ECT);
        EXPECT_FALSE(ops->Describe(nullptr).rttOfEachAck);
        EXPECT_EQ(ops->Describe(nullptr).marking, "");
        EXPECT_EQ(Get<TimeValue>(ops, "TLow").Get(), MicroSeconds(50));
        EXPECT_EQ(Get<DoubleValue>(ops, "Beta").Get(), 0.8);
        EXPECT_EQ(Get<DataRateValue>(ops, "Delta").Get(), DataRate("10Mbps"));
    }
    auto ops = MakeRate("timely");
    EXPECT_EQ(Get<TimeValue>(ops, "THigh").Get(), MicroSeconds(500));
    EXPECT_EQ(Get<TimeValue>(ops, "MinRtt").Get(), MicroSeconds(20));
    EXPECT_EQ(Get<DoubleValue>(ops, "EwmaWeight").Get(), 0.875);
    EXPECT_EQ(Get<UintegerValue>(MakeRate("timely:paper"), "UpdateBytes").Get(), 16384U);
    EXPECT_EQ(Get<DoubleValue>(MakeRate("timely:snippet"), "EwmaWeight").Get(), 0.02);
    EXPECT_EQ(Get<DoubleValue>(MakeRate("patched-timely"), "Beta").Get(), 0.008);
}

TEST(RdmaTimelyTest, StartsAtLineRateWithoutAWindowAndStoresTheFirstSample)
{
    RateQueuePair qp(MakeRate("timely"));
    EXPECT_EQ(qp.Gbps(), 100);
    EXPECT_EQ(qp.State()->windowBytes, std::numeric_limits<double>::infinity());
    qp.Rtts({10000}); // far above THigh
    EXPECT_EQ(qp.Gbps(), 100);
}

TEST(RdmaTimelyTest, AboveTHighTheRateFallsWithTheDistance)
{
    RateQueuePair qp(MakeRate("timely"));
    qp.Rtts({1000, 1000});
    EXPECT_NEAR(qp.Gbps(), 100 * (1 - 0.8 * (1 - 500.0 / 1000)), 1e-9); // 60
    qp.Rtts({2000});
    EXPECT_NEAR(qp.Gbps(), 60 * (1 - 0.8 * (1 - 500.0 / 2000)), 1e-9); // 24
}

TEST(RdmaTimelyTest, BetweenThresholdsARisingRttCutsByTheGradient)
{
    RateQueuePair qp(MakeRate("timely"));
    qp.Rtts({100, 108});
    // d = 0.875 * 8 us = 7 us, g = 7/20 = 0.35
    EXPECT_NEAR(qp.Gbps(), 100 * (1 - 0.8 * 0.35), 1e-9); // 72
    qp.Rtts({110});
    // d = 0.125 * 7 + 0.875 * 2 = 2.625 us, g = 0.13125
    EXPECT_NEAR(qp.Gbps(), 72 * (1 - 0.8 * 0.13125), 1e-9);
}

TEST(RdmaTimelyTest, BetweenThresholdsAFallingRttRaisesTheRate)
{
    RateQueuePair qp(MakeRate("timely"));
    qp.Rtts({1000, 1000}); // 60
    qp.Rtts({400});        // g < 0
    EXPECT_NEAR(qp.Gbps(), 60.1, 1e-9);
}

TEST(RdmaTimelyTest, TheGradientIsSignedAndRemembersOldDifferences)
{
    auto ops = MakeRate("timely");
    Recorder gradient;
    ops->TraceConnectWithoutContext("Gradient", MakeCallback(&Recorder::Value, &gradient));
    RateQueuePair qp(ops);
    qp.Rtts({100, 84, 84, 84});
    ASSERT_EQ(gradient.values.size(), 3U);
    EXPECT_NEAR(gradient.values[0], -0.875 * 16 / 20, 1e-12);
    EXPECT_NEAR(gradient.values[1], -0.125 * 0.875 * 16 / 20, 1e-12);
    EXPECT_NEAR(gradient.values[2], -0.125 * 0.125 * 0.875 * 16 / 20, 1e-12);
}

TEST(RdmaTimelyTest, BelowTLowTheRateRisesWhateverTheGradient)
{
    RateQueuePair qp(MakeRate("timely"));
    qp.Rtts({1000, 1000, 10}); // 60.1
    EXPECT_NEAR(qp.Gbps(), 60.1, 1e-9);
    qp.Rtts({20, 30, 49}); // rising
    EXPECT_NEAR(qp.Gbps(), 60.4, 1e-9);
}

TEST(RdmaTimelyTest, HyperactiveIncreaseBeginsWithTheFifthNegativeGradientInARow)
{
    RateQueuePair qp(MakeRate("timely"));
    qp.Rtts({1000, 1000}); // 60
    qp.Rtts({400, 390, 380, 370});
    EXPECT_NEAR(qp.Gbps(), 60.4, 1e-9);
    qp.Rtts({360});
    EXPECT_NEAR(qp.Gbps(), 60.9, 1e-9);
    qp.Rtts({350});
    EXPECT_NEAR(qp.Gbps(), 61.4, 1e-9);
    qp.Rtts({370}); // g is about 0.875 - 0.05: the series of negative gradients ends
    const double cut = qp.Gbps();
    EXPECT_LT(cut, 61.4);
    qp.Rtts({300});
    EXPECT_NEAR(qp.Gbps(), cut + 0.1, 1e-9);
}

TEST(RdmaTimelyTest, BelowTLowThePaperHasNoHyperactiveIncreaseTheAuthorsOfHpccHave)
{
    for (const auto& [name, gain] :
         std::vector<std::pair<std::string, double>>{{"timely", 0.1}, {"timely:authors", 0.5}})
    {
        RateQueuePair qp(MakeRate(name));
        qp.Rtts({1000, 1000, 40, 39, 38, 37, 36});
        EXPECT_NEAR(qp.Gbps(), 60.5, 1e-9) << name;
        qp.Rtts({35}); // the sixth increase
        EXPECT_NEAR(qp.Gbps(), 60.5 + gain, 1e-9) << name;
    }
}

TEST(RdmaTimelyTest, TheSnippetCountsDifferencesAndTakesHalfTheRateAtMost)
{
    auto ops = MakeRate("timely:snippet");
    ops->SetAttribute("UpdateBytes", UintegerValue(0));
    RateQueuePair qp(ops);
    qp.Rtts({100'000, 100'000}); // 1 - 0.8 (1 - 1/100) = 0.208
    EXPECT_NEAR(qp.Gbps(), 50, 1e-9);
    // After a large decrease of the RTT, g stays negative for a long time. Nevertheless, RTT
    // differences of 0 are not treated as decreases.
    qp.Rtts({900, 900, 900, 900, 900, 900, 900});
    EXPECT_NEAR(qp.Gbps(), 50.7, 1e-9);
    qp.Rtts({899, 898, 897, 896});
    EXPECT_NEAR(qp.Gbps(), 51.1, 1e-9);
    qp.Rtts({895});
    EXPECT_NEAR(qp.Gbps(), 51.6, 1e-9);
}

TEST(RdmaTimelyTest, DeltaGrowsWithTheLineRateUnlessTold)
{
    for (const auto& [name, lineGbps, deltaGbps] :
         std::vector<std::tuple<std::string, uint64_t, double>>{{"timely", 10, 0.01},
                                                                {"timely", 400, 0.4},
                                                                {"timely:paper", 400, 0.01}})
    {
        auto ops = MakeRate(name);
        ops->SetAttribute("UpdateBytes", UintegerValue(0));
        RateQueuePair qp(ops, lineGbps * 1'000'000'000);
        qp.Rtts({1000, 1000});
        const double rate = qp.Gbps();
        qp.Rtts({30});
        EXPECT_NEAR(qp.Gbps(), rate + deltaGbps, 1e-9) << name << " " << lineGbps;
    }
}

TEST(RdmaTimelyTest, OneUpdatePerRoundTripHoweverManySamples)
{
    auto ops = MakeRate("timely");
    Recorder rtt;
    ops->TraceConnectWithoutContext("Rtt", MakeCallback(&Recorder::Value, &rtt));
    RateQueuePair qp(ops);
    qp.Ack(1000 * US); // the sender has sent 50 further packets
    for (int packet = 2; packet <= 50; ++packet)
    {
        qp.Ack(1000 * US);
    }
    EXPECT_TRUE(rtt.values.empty());
    EXPECT_EQ(qp.Gbps(), 100);
    qp.Ack(1000 * US);
    ASSERT_EQ(rtt.values.size(), 1U);
    EXPECT_NEAR(qp.Gbps(), 60, 1e-9);
    qp.Ack(1000 * US);
    EXPECT_NEAR(qp.Gbps(), 60, 1e-9);
}

TEST(RdmaTimelyTest, AnAckWithoutASampleNeitherUpdatesNorLosesTheTurn)
{
    RateQueuePair qp(MakeRate("timely"));
    qp.RoundTrip(1000 * US);
    qp.RoundTrip(-1);
    EXPECT_EQ(qp.Gbps(), 100);
    qp.Ack(1000 * US);
    EXPECT_NEAR(qp.Gbps(), 60, 1e-9);
}

TEST(RdmaTimelyTest, SegmentsCountBytes)
{
    auto ops = MakeRate("timely");
    ops->SetAttribute("UpdateBytes", UintegerValue(4000));
    RateQueuePair qp(ops);
    qp.Ack(1000 * US);
    for (int packet = 0; packet < 3; ++packet)
    {
        qp.Ack(1000 * US);
        EXPECT_EQ(qp.Gbps(), 100);
    }
    qp.Ack(1000 * US);
    EXPECT_NEAR(qp.Gbps(), 60, 1e-9);
}

TEST(RdmaTimelyTest, StepsShrinkWithTheTimeBetweenUpdatesIfTold)
{
    auto ops = MakeRate("timely");
    ops->SetAttribute("ScaleWithTime", BooleanValue(true));
    RateQueuePair qp(ops);
    qp.Rtts({1000, 1000});
    EXPECT_NEAR(qp.Gbps(), 60, 1e-9); // 1000 us exceed MinRtt
    qp.Rtts({5});                     // this ACK arrives 5 us after the last update
    EXPECT_NEAR(qp.Gbps(), 60 + 0.1 * 5 / 20, 1e-9);
}

TEST(RdmaTimelyTest, ASequenceNumberBeyond32BitsAndAnIdleStartAreNothingSpecial)
{
    RateQueuePair qp(MakeRate("timely"), 100'000'000'000, 5'000'000'000);
    qp.Rtts({1000});
    EXPECT_EQ(qp.Gbps(), 100);
    qp.Rtts({1000});
    EXPECT_NEAR(qp.Gbps(), 60, 1e-9);
}

TEST(RdmaTimelyTest, TheRateStaysBetweenMinRateAndLineRateWhateverComes)
{
    for (const auto* name : {"timely",
                             "timely:authors",
                             "timely:paper",
                             "timely:snippet",
                             "patched-timely",
                             "patched-timely:paper"})
    {
        auto ops = MakeRate(name);
        const auto floorBps =
            static_cast<double>(Get<DataRateValue>(ops, "MinRate").Get().GetBitRate());
        RateQueuePair qp(ops);
        uint64_t random = 1;
        double lowest = qp.Bps();
        for (int i = 0; i < 20000; ++i)
        {
            random = random * 6364136223846793005 + 1442695040888963407;
            const int64_t limit = i % 2000 < 1000 ? 3000 * US : 60 * US;
            qp.RoundTrip(1 + static_cast<int64_t>(random >> 33) % limit);
            ASSERT_GE(qp.Bps(), floorBps) << name;
            ASSERT_LE(qp.Bps(), 100e9) << name;
            lowest = std::min(lowest, qp.Bps());
        }
        EXPECT_LT(lowest, 50e9) << name;
    }
}

TEST(RdmaTimelyTest, ValidateNamesAttributeValueAndWhatIsAllowed)
{
    auto ops = MakeRate("timely");
    ops->SetAttribute("TLow", TimeValue(MicroSeconds(501)));
    EXPECT_EQ(ops->Validate(5000, nullptr),
              "ns3::RdmaTimely::TLow is +501us, allowed is at most THigh, +500us");
    ops = MakeRate("timely");
    ops->SetAttribute("MinRate", DataRateValue(DataRate(0)));
    EXPECT_EQ(ops->Validate(5000, nullptr), "ns3::RdmaTimely::MinRate is 0bps, allowed is above 0");
    ops = MakeRate("patched-timely");
    ops->SetAttribute("TLow", TimeValue(Time(0)));
    EXPECT_EQ(ops->Validate(5000, nullptr),
              "ns3::RdmaPatchedTimely::ReferenceRtt and TLow are 0: one of them "
              "must be above 0");
    ops->SetAttribute("ReferenceRtt", TimeValue(MicroSeconds(30)));
    EXPECT_EQ(ops->Validate(5000, nullptr), "");
}

TEST(RdmaTimelyTest, AttributesRefuseValuesOutOfRange)
{
    auto ops = MakeRate("timely");
    EXPECT_FALSE(ops->SetAttributeFailSafe("Beta", DoubleValue(0)));
    EXPECT_FALSE(ops->SetAttributeFailSafe("Beta", DoubleValue(1.01)));
    EXPECT_FALSE(ops->SetAttributeFailSafe("EwmaWeight", DoubleValue(0)));
    EXPECT_FALSE(ops->SetAttributeFailSafe("MinRtt", TimeValue(Time(0))));
    EXPECT_FALSE(ops->SetAttributeFailSafe("TLow", TimeValue(NanoSeconds(-1))));
    EXPECT_FALSE(ops->SetAttributeFailSafe("HyperSteps", UintegerValue(0)));
    EXPECT_FALSE(ops->SetAttributeFailSafe("HyperFactor", DoubleValue(0.5)));
    EXPECT_FALSE(ops->SetAttributeFailSafe("HyperCount", StringValue("Always")));
    EXPECT_FALSE(ops->SetAttributeFailSafe("MaxCut", DoubleValue(0)));
}

// ---------------------------------------------------------------------------------------------
// Patched TIMELY

TEST(RdmaPatchedTimelyTest, WeighsIncreaseAndDecreaseByTheGradient)
{
    struct Step
    {
        int64_t rttUs;
        double weight;
    };

    // d = 0.875 * (RTT - 100) us and g = d/20 us. For the four RTTs, g is at most -0.25, 0, 0.0875,
    // and at least 0.25.
    for (const auto& [rttUs, weight] :
         std::vector<Step>{{90, 0}, {100, 0.5}, {102, 0.675}, {106, 1}})
    {
        RateQueuePair qp(MakeRate("patched-timely"));
        qp.Rtts({1000, 1000}); // cut to 100 (1 - 0.008/2)
        const double before = qp.Gbps();
        EXPECT_NEAR(before, 99.6, 1e-9);
        auto* state = static_cast<RdmaTimelyState*>(qp.State());
        state->rttDiffNs = 0;
        state->lastRttNs = 100 * US;
        qp.Rtts({rttUs});
        const double error = (static_cast<double>(rttUs) - 50) / 50;
        EXPECT_NEAR(qp.Gbps(),
                    std::min(100.0, 0.1 * (1 - weight) + before * (1 - 0.008 * weight * error)),
                    1e-9)
            << rttUs;
    }
}

TEST(RdmaPatchedTimelyTest, BelowAndAboveTheThresholdsIsTimelyWithItsOwnBeta)
{
    RateQueuePair qp(MakeRate("patched-timely"));
    qp.Rtts({1000, 1000});
    EXPECT_NEAR(qp.Gbps(), 100 * (1 - 0.008 * 0.5), 1e-9);
    qp.Rtts({49});
    EXPECT_NEAR(qp.Gbps(), 99.7, 1e-9);
}

TEST(RdmaPatchedTimelyTest, ItsFixedPointIsFairAndWhereThePaperSays)
{
    // Two flows share a link of 10 Gb/s. Their RTT is the queueing delay, and both are updated at
    // the same times. This is a discrete form of the fluid model in the paper, in which the queue
    // converges to (1 + N delta/(beta C)) Tlow.
    auto ops = MakeRate("patched-timely");
    RateQueuePair fast(ops, 10'000'000'000);
    RateQueuePair slow(ops, 10'000'000'000);
    fast.State()->rateBps = 7e9;
    slow.State()->rateBps = 3e9;
    double queueUs = 60;
    for (int i = 0; i < 20000; ++i)
    {
        const auto rttNs = static_cast<int64_t>(queueUs * 1000);
        fast.RoundTrip(rttNs);
        slow.RoundTrip(rttNs);
        queueUs += 16 * ((fast.Bps() + slow.Bps()) / 10e9 - 1);
    }
    EXPECT_NEAR(fast.Gbps(), 5, 0.01);
    EXPECT_NEAR(slow.Gbps(), 5, 0.01);
    EXPECT_NEAR(queueUs, 50 * (1 + 2 * 0.01 / (0.008 * 10)), 0.5);
}
