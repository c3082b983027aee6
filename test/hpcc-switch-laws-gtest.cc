/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Compares the control laws that run at switches, their packet headers and their senders with steps
// computed by hand from the papers.

#include "hpcc-test-switch-laws.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-rcp-format.h"
#include "ns3/hpcc-rcp-law.h"
#include "ns3/hpcc-switch-agent.h"
#include "ns3/hpcc-xcp-format.h"
#include "ns3/hpcc-xcp-law.h"
#include "ns3/rdma-rcp.h"
#include "ns3/rdma-xcp.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

using namespace hpcctest;

namespace
{

HopTelemetry
Granted(double rateBps)
{
    HopTelemetry hop{};
    hop.rateBps = rateBps;
    hop.fields = TELEMETRY_RATE;
    return hop;
}

HopTelemetry
Feedback(double bytes)
{
    HopTelemetry hop{};
    hop.feedbackBytes = bytes;
    hop.fields = TELEMETRY_FEEDBACK;
    return hop;
}

/// A flow of 50 packets per round trip of 10 us.
constexpr XcpLaw::Flow FLOW{50000, 10 * US};

/**
 * Passes packets of 1000 bytes of one flow to a control law.
 * @param law the control law
 * @param flow values in the headers of the packets
 * @param packets number of packets
 * @param queueBytes queue length when each packet arrives, bytes
 */
void
Pass(XcpLaw& law, const XcpLaw::Flow& flow, uint32_t packets, uint64_t queueBytes = 0)
{
    for (uint32_t i = 0; i < packets; ++i)
    {
        law.Arrive(1000, queueBytes);
        law.Count(1000, flow);
    }
}

} // namespace

// ---------------------------------------------------------------------------------------------
// Switch agents of policies

TEST(SwitchAgents, EveryPolicyAndFormatNamesOneThatThereIs)
{
    uint32_t named = 0;
    auto check = [&named](const std::string& who, const std::string& agent) {
        ObjectFactory factory;
        named += !agent.empty();
        EXPECT_TRUE(agent.empty() || HpccPresets::Find(SwitchAgent::GetTypeId(), agent, factory))
            << who << " names " << agent;
    };
    for (const auto& name : HpccPresets::Names(RdmaCongestionOps::GetTypeId()))
    {
        auto policy = Make<RdmaCongestionOps>(name);
        const RdmaPolicyDescription needs = policy->Describe(nullptr);
        check(name, needs.switchAgent);
        if (!needs.telemetry.empty())
        {
            check(name, Make<TelemetryFormat>(needs.telemetry)->GetSwitchAgent());
        }
    }
    EXPECT_GT(named, 0u);
    EXPECT_EQ(Make<RdmaCongestionOps>("rcp+win")->Describe(nullptr).switchAgent, "rcp");
}

// ---------------------------------------------------------------------------------------------
// RCP

TEST(RcpLaw, AStepIsThatOfTheEquation)
{
    RcpParameters parameters;
    parameters.initialShare = 0.5;
    RcpLaw law(parameters, LINE_BPS, 10 * US);
    EXPECT_DOUBLE_EQ(law.GetRateBps(), 50 * GBPS);
    law.Arrive(100000, 0); // 80 Gb/s over 10 us
    law.CatchUp(10 * US - 1, 0);
    EXPECT_DOUBLE_EQ(law.GetRateBps(), 50 * GBPS) << "the interval is not over";
    law.CatchUp(10 * US, 12500); // 10 Gb/s over 10 us
    // The rate changes by (0.4 (100 - 80) - 0.226 * 10)/100 = 0.0574.
    EXPECT_NEAR(law.GetRateBps(), 50 * GBPS * 1.0574, 1);
}

TEST(RcpLaw, AlphaAndBetaAreThoseGiven)
{
    RcpParameters parameters;
    parameters.alpha = 0.1;
    parameters.beta = 1;
    parameters.targetShare = 0.9;
    parameters.initialShare = 0.5;
    RcpLaw law(parameters, LINE_BPS, 10 * US);
    EXPECT_DOUBLE_EQ(law.GetRateBps(), 45 * GBPS);
    law.Arrive(100000, 0);
    law.CatchUp(10 * US, 12500);
    // The rate changes by (0.1 (90 - 80) - 10)/90 = -0.1.
    EXPECT_NEAR(law.GetRateBps(), 45 * GBPS * 0.9, 1);
}

TEST(RcpLaw, TheAverageRttIsWeightedByBytesAndSetsTheInterval)
{
    RcpLaw law({}, LINE_BPS, 10 * US);
    law.Arrive(1000, 12 * US);
    law.Arrive(3000, 20 * US);
    law.Arrive(9000, 0); // these packets carry no RTT
    law.CatchUp(10 * US, 0);
    EXPECT_DOUBLE_EQ(law.GetRttNs(), 18 * US);
    law.Arrive(1000, 30 * US);
    law.CatchUp(28 * US - 1, 0);
    EXPECT_DOUBLE_EQ(law.GetRttNs(), 18 * US) << "the interval lasts 18 us";
    law.CatchUp(28 * US, 0);
    EXPECT_DOUBLE_EQ(law.GetRttNs(), 30 * US);
}

TEST(RcpLaw, AShorterIntervalWeighsLess)
{
    RcpParameters parameters;
    parameters.initialShare = 0.5;
    parameters.longestIntervalNs = 5 * US;
    RcpLaw law(parameters, LINE_BPS, 10 * US);
    law.Arrive(50000, 20 * US); // 80 Gb/s over 5 us
    law.CatchUp(5 * US, 0);
    EXPECT_DOUBLE_EQ(law.GetRttNs(), 15 * US); // halfway from 10 to 20 us
    // The rate changes by 5/15 of 0.4 (100 - 80)/100.
    EXPECT_NEAR(law.GetRateBps(), 50 * GBPS * (1 + 0.08 / 3), 1);
}

TEST(RcpLaw, IntervalsOfSilenceCountWheneverTheyAreClosed)
{
    RcpParameters parameters;
    parameters.initialShare = 0.01;
    RcpLaw often(parameters, LINE_BPS, 10 * US);
    RcpLaw once(parameters, LINE_BPS, 10 * US);
    for (int64_t nowNs = 0; nowNs <= 65 * US; nowNs += 100)
    {
        often.CatchUp(nowNs, 2500);
    }
    once.CatchUp(65 * US, 2500);
    EXPECT_DOUBLE_EQ(often.GetRateBps(), once.GetRateBps());
    // The rate changes in six intervals, each by the factor 1 + 0.4 - 0.226 * 2/100.
    EXPECT_NEAR(once.GetRateBps(), GBPS * std::pow(1.39548, 6), 1);
    once.CatchUp(int64_t{1} << 60, 0); // 36 years later; the computation must not take noticeable
                                       // time
    EXPECT_DOUBLE_EQ(once.GetRateBps(), LINE_BPS);
    once.Arrive(250000, 0);
    once.CatchUp((int64_t{1} << 60) + 10 * US, 0);
    EXPECT_NEAR(once.GetRateBps(), LINE_BPS * 0.6, 1) << "intervals go on as before";
}

// A register of whole Mb/s could never leave a minimum of a few Mb/s, because 1.4 times 1 is
// rounded to 1.
TEST(RcpLaw, TheRateLeavesItsFloorAndTheHeaderTellsEachStep)
{
    RcpLaw law({}, LINE_BPS, 10e6);
    for (int64_t interval = 1; interval <= 3; ++interval)
    {
        law.Arrive(2'000'000'000, 0);
        law.CatchUp(interval * 10'000'000, 1'000'000'000);
    }
    EXPECT_DOUBLE_EQ(law.GetRateBps(), 80000) << "a tenth of 1000 bytes in 10 ms";
    uint32_t last = 80;
    for (int64_t interval = 4; interval < 54; ++interval)
    {
        law.CatchUp(interval * 10'000'000, 0);
        TelemetryStack stack = Opened(*CreateObject<RcpFormat>());
        RcpFormat::Grant(stack, law.GetRateBps());
        const uint32_t kbps = stack.words[RcpFormat::RATE_KBPS];
        EXPECT_TRUE(kbps > last || kbps == 100'000'000) << kbps;
        last = kbps;
    }
    EXPECT_EQ(last, 100'000'000u) << "1.4^50 times the floor is beyond the line rate";
}

TEST(RcpFormat, TheHeaderIsRateAndRtt)
{
    auto format = Make<TelemetryFormat>("rcp");
    const uint32_t words[] = {100'000'000, 5000};
    TelemetryStack stack = Opened(*format, words);
    EXPECT_EQ(Written(*format, stack), (Bytes{0x05, 0xf5, 0xe1, 0, 0, 0, 0x13, 0x88}));
    EXPECT_EQ(RcpFormat::GetRttNs(stack), 5000u);
    EXPECT_EQ(format->Read(stack, 0).fields, TELEMETRY_RATE);
    EXPECT_EQ(format->Read(stack, 0).rateBps, 100 * GBPS);
    EXPECT_EQ(format->GetBaseBytes(), 8u);
    EXPECT_EQ(format->Validate({1, 1, 1, LINE_BPS, 5000}), "");
    EXPECT_NE(format->Validate({1, 1, 1, 5'000'000'000'000, 5000}), "");
}

TEST(RcpFormat, TheLeastRateStays)
{
    auto format = Make<TelemetryFormat>("rcp");
    TelemetryStack stack = Opened(*format);
    EXPECT_EQ(format->Read(stack, 0).fields, 0) << "nobody has said anything";
    for (auto [granted, kbps] : {std::pair(40.0009 * GBPS, 40'000'900u),
                                 std::pair(60 * GBPS, 40'000'900u),
                                 std::pair(7999.0, 7u),
                                 std::pair(3.0, 1u)})
    {
        RcpFormat::Grant(stack, granted);
        EXPECT_EQ(stack.words[0], kbps);
    }
}

TEST(RdmaRcpTest, TheRateIsThatOfThePathAndThereIsNoWindow)
{
    LawSender sender(Make<RdmaCongestionOps>("rcp"));
    EXPECT_DOUBLE_EQ(sender.State().rateBps, 1060 * 8 / 10e-6) << "a packet per RTT";
    EXPECT_TRUE(std::isinf(sender.State().windowBytes));
    EXPECT_EQ(sender.Word(RcpFormat::RATE_KBPS), 100'000'000u);
    EXPECT_EQ(sender.Word(RcpFormat::RTT_NS), 0u);
    sender.Ack(10 * US, 12 * US, Granted(30 * GBPS));
    EXPECT_DOUBLE_EQ(sender.State().rateBps, 30 * GBPS);
    EXPECT_EQ(sender.Word(RcpFormat::RTT_NS), 12u * US);
    sender.Ack(11 * US, 20 * US, Granted(200 * GBPS));
    EXPECT_DOUBLE_EQ(sender.State().rateBps, 100 * GBPS) << "the line rate at most";
    EXPECT_EQ(sender.Word(RcpFormat::RTT_NS), 13u * US) << "an eighth of the way";
    sender.Ack(12 * US, -1, HopTelemetry{});
    EXPECT_DOUBLE_EQ(sender.State().rateBps, 100 * GBPS) << "a record without a rate says nothing";
    EXPECT_TRUE(std::isinf(sender.State().windowBytes));
}

TEST(RdmaRcpTest, AfterAnRttOfSilenceItAsksAgain)
{
    LawSender sender(Make<RdmaCongestionOps>("rcp"));
    sender.Ack(10 * US, 12 * US, Granted(30 * GBPS));
    sender.Restart(22 * US);
    EXPECT_DOUBLE_EQ(sender.State().rateBps, 30 * GBPS);
    sender.Restart(22 * US + 1);
    EXPECT_DOUBLE_EQ(sender.State().rateBps, 1060 * 8 / 10e-6);

    auto bold = Make<RdmaCongestionOps>("rcp");
    bold->SetAttribute("StartAtLineRate", BooleanValue(true));
    EXPECT_DOUBLE_EQ(LawSender(bold).State().rateBps, 100 * GBPS);
}

TEST(RdmaRcpTest, OtherTelemetryIsRefused)
{
    auto rcp = Make<RdmaCongestionOps>("rcp");
    EXPECT_EQ(rcp->Validate(5000, &Make<TelemetryFormat>("rcp")->GetCapabilities()), "");
    const std::string why = "ns3::RdmaRcp needs the telemetry format rcp";
    EXPECT_EQ(rcp->Validate(5000, nullptr), why);
    EXPECT_EQ(rcp->Validate(5000, &Make<TelemetryFormat>("csig")->GetCapabilities()), why);
    EXPECT_EQ(Make<RdmaCongestionOps>("rcp:fct")->Describe(nullptr).switchAgent, "rcp:fct");
}

// ---------------------------------------------------------------------------------------------
// XCP

TEST(XcpLaw, SpareBandwidthIsSharedOut)
{
    XcpLaw law({}, LINE_BPS, 10 * US);
    EXPECT_EQ(law.Depart(1000, FLOW, 500), 0) << "before the first interval";
    Pass(law, FLOW, 100); // 80 Gb/s
    law.CatchUp(10 * US, 0);
    // The feedback of 100 packets together is 0.4 * 10 us * (12.5 - 10) bytes/ns. No bandwidth is
    // shuffled, because 0.1 of 100000 bytes is not more than the feedback.
    EXPECT_NEAR(law.GetAggregateFeedback(), 10000, 1e-6);
    EXPECT_NEAR(law.GetShuffled(), 0, 1e-6);
    for (int i = 0; i < 100; ++i)
    {
        EXPECT_NEAR(law.Depart(1000, FLOW, 500), 100, 1e-6);
    }
    EXPECT_NEAR(law.Depart(1000, FLOW, 500), 0, 1e-6) << "there is no more to give";
}

TEST(XcpLaw, AnIntervalBelowTheRoundTripDistributesItsPart)
{
    XcpParameters parameters;
    parameters.longestIntervalNs = 2 * US;
    XcpLaw law(parameters, LINE_BPS, 10 * US);
    Pass(law, FLOW, 20); // 80 Gb/s
    law.CatchUp(2 * US, 0);
    EXPECT_NEAR(law.GetAggregateFeedback(), 10000, 1e-6);
    for (int i = 0; i < 20; ++i)
    {
        EXPECT_NEAR(law.Depart(1000, FLOW, 500), 100, 1e-6) << "as with an interval of 10 us";
    }
    EXPECT_NEAR(law.Depart(1000, FLOW, 500), 0, 1e-6);
}

TEST(XcpLaw, ThePersistentQueueIsTakenBackAndTrafficIsShuffled)
{
    XcpLaw law({}, LINE_BPS, 10 * US);
    law.CatchUp(10 * US, 10000); // the queue was empty at the start of the interval
    EXPECT_EQ(law.GetPersistentQueue(), 0);
    Pass(law, FLOW, 99, 12000);
    Pass(law, FLOW, 1, 10000);
    // The queue adds 0.8 us to d. Then the interval in which Q is measured restarts.
    law.CatchUp(19'200, 15000);
    EXPECT_EQ(law.GetPersistentQueue(), 10000);
    law.CatchUp(20 * US, 15000);
    EXPECT_NEAR(law.GetAggregateFeedback(), 10000 - 0.226 * 10000, 1e-6);
    EXPECT_NEAR(law.GetShuffled(), 10000 - 7740, 1e-6);
    EXPECT_NEAR(law.Depart(1000, FLOW, 500), 100 - 22.6, 1e-6);
    // A packet of a flow with twice the window gets half of the positive and the same negative
    // feedback.
    EXPECT_NEAR(law.Depart(1000, {100000, 10 * US}, 500), 50 - 22.6, 1e-6);
    // A packet of a flow with twice the RTT gets (2 x 2)/2 times the positive and twice the
    // negative feedback.
    EXPECT_NEAR(law.Depart(1000, {100000, 20 * US}, 500), 200 - 45.2, 1e-6);
}

TEST(XcpLaw, TooMuchTrafficIsCutInProportion)
{
    XcpParameters parameters;
    parameters.alpha = 0.2;
    parameters.gamma = 0.05;
    XcpLaw law(parameters, LINE_BPS, 10 * US);
    Pass(law, FLOW, 150); // 120 Gb/s
    law.CatchUp(10 * US, 25000);
    EXPECT_NEAR(law.GetAggregateFeedback(), -5000, 1e-6);
    EXPECT_NEAR(law.GetShuffled(), 2500, 1e-6);
    // The positive feedback is 2500 bytes, and the negative feedback is 7500 bytes.
    EXPECT_NEAR(law.Depart(1000, FLOW, 500), (2500.0 - 7500.0) / 150, 1e-6);
}

TEST(XcpLaw, WhatAnEarlierSwitchDeniesStaysInThePools)
{
    XcpLaw law({}, LINE_BPS, 10 * US);
    law.CatchUp(10 * US, 10000);
    Pass(law, FLOW, 100, 10000);
    law.CatchUp(20 * US, 10000);
    // The feedback of this switch is 100 - 22.6, but an earlier switch permits only 30. The
    // difference of 47.4 is also subtracted from the pool of negative feedback, which contains 2260
    // bytes at the start.
    EXPECT_NEAR(law.Depart(1000, FLOW, 30), 30, 1e-6);
    // When this pool is empty, nothing more is subtracted from it.
    for (int i = 0; i < 31; ++i)
    {
        EXPECT_NEAR(law.Depart(1000, FLOW, 30), 30, 1e-6);
    }
    EXPECT_NEAR(law.Depart(1000, FLOW, 30), 30, 1e-6);
    EXPECT_GT(law.Depart(1000, FLOW, 500), 99) << "2260 have been taken by 70 a packet";
}

TEST(XcpLaw, EachFlowCountsOnceInTheAverageRtt)
{
    XcpLaw law({}, LINE_BPS, 10 * US);
    Pass(law, {50000, 10 * US}, 50); // packets of a flow in 10 us
    Pass(law, {50000, 20 * US}, 25); // packets of another flow
    law.Arrive(9000, 0);             // traffic with other policies, which has no XCP header
    law.CatchUp(10 * US, 0);
    EXPECT_DOUBLE_EQ(law.GetRttNs(), 15 * US);
    EXPECT_NEAR(law.GetAggregateFeedback(), 0.4 * 15000 * (12.5 - 8.4), 1e-6) << "all is traffic";
}

TEST(XcpLaw, SilenceKeepsTheSumsAndTakesNoTime)
{
    XcpLaw law({}, LINE_BPS, 10 * US);
    Pass(law, FLOW, 50);
    law.CatchUp(int64_t{1} << 60, 0);
    EXPECT_NEAR(law.GetAggregateFeedback(), 0.4 * 125000, 1e-6);
    EXPECT_NEAR(law.Depart(1000, FLOW, 5000), 50000 / 50, 1e-6);
}

TEST(XcpFormat, ABandwidthDelayProductAbove32BitsIsRefused)
{
    const auto format = Make<TelemetryFormat>("xcp");
    const auto why = [&format](uint64_t bps, int64_t rttNs) {
        return format->Validate({20, 8, 3, bps, rttNs});
    };
    EXPECT_EQ(why(8'000'000'000, 4'294'967'295), "");
    EXPECT_NE(why(8'000'000'001, 4'294'967'295), "");
    EXPECT_NE(why(1'000'000'000, 4'294'967'296), "");
    EXPECT_NE(why(400'000'000'000, 102'000'000).find("5100000000 bytes, but its 32 bits"),
              std::string::npos);
}

TEST(XcpFormat, TheHeaderIsWindowRttAndFeedback)
{
    auto format = Make<TelemetryFormat>("xcp");
    const uint32_t words[] = {50000, 10000, XcpFormat::FromBytes(-22.6)};
    TelemetryStack stack = Opened(*format, words);
    EXPECT_EQ(Written(*format, stack),
              (Bytes{0, 0, 0xc3, 0x50, 0, 0, 0x27, 0x10, 0xff, 0xff, 0xe9, 0x66}));
    EXPECT_EQ(format->Read(stack, 0).fields, TELEMETRY_FEEDBACK);
    EXPECT_EQ(format->Read(stack, 0).feedbackBytes, -5786 / 256.0);
    EXPECT_EQ(format->Read(Opened(*format), 0).fields, 0) << "no RTT, no feedback";
    EXPECT_EQ(XcpFormat::ToBytes(XcpFormat::FromBytes(1e9)), INT32_MAX / 256.0) << "saturates";
    EXPECT_EQ(XcpFormat::ToBytes(XcpFormat::FromBytes(-1e9)), -INT32_MAX / 256.0);
}

TEST(RdmaXcpTest, TheWindowFollowsTheFeedback)
{
    LawSender sender(Make<RdmaCongestionOps>("xcp"));
    EXPECT_DOUBLE_EQ(sender.State().windowBytes, 1000); // 1072 bytes on the link
    EXPECT_DOUBLE_EQ(sender.State().rateBps, 1072 * 8 / 10e-6);
    EXPECT_EQ(sender.Word(XcpFormat::CWND_BYTES), 1072u);
    EXPECT_EQ(sender.Word(XcpFormat::RTT_NS), 10000u);
    EXPECT_EQ(sender.Word(XcpFormat::FEEDBACK), (125000u - 1072) * 256) << "all by one packet";
    sender.Ack(10 * US, 10 * US, Feedback(1072));
    EXPECT_DOUBLE_EQ(sender.State().windowBytes, 2000);
    EXPECT_EQ(sender.Word(XcpFormat::FEEDBACK), (125000u - 2144) * 128) << "by two packets";
    sender.Ack(11 * US, 18 * US, Feedback(536), 4);
    EXPECT_DOUBLE_EQ(sender.State().windowBytes, 4000) << "an ACK of four packets";
    EXPECT_EQ(sender.Word(XcpFormat::RTT_NS), 11000u) << "an eighth of the way";
    EXPECT_DOUBLE_EQ(sender.State().rateBps, 4 * 1072 * 8 / 11e-6);
    sender.Ack(12 * US, -1, Feedback(-5000));
    EXPECT_DOUBLE_EQ(sender.State().windowBytes, 1000) << "a packet at least";
    sender.Ack(13 * US, -1, Feedback(1e6));
    EXPECT_DOUBLE_EQ(sender.State().rateBps, 100 * GBPS) << "the line rate at most";
    EXPECT_EQ(sender.Word(XcpFormat::FEEDBACK), 0u);
    const double before = sender.State().windowBytes;
    sender.Ack(14 * US, -1, HopTelemetry{});
    EXPECT_DOUBLE_EQ(sender.State().windowBytes, before) << "a record without feedback";
}

TEST(RdmaXcpTest, LossAndSilenceShrinkTheWindow)
{
    auto xcp = Make<RdmaCongestionOps>("xcp");
    xcp->SetAttribute("InitialPackets", UintegerValue(8));
    LawSender sender(xcp);
    EXPECT_DOUBLE_EQ(sender.State().windowBytes, 8000);
    sender.Ack(10 * US, 10 * US, Feedback(8 * 1072));
    sender.Rollback(11 * US, false);
    EXPECT_DOUBLE_EQ(sender.State().windowBytes, 8000) << "half";
    sender.Rollback(20 * US, false);
    EXPECT_DOUBLE_EQ(sender.State().windowBytes, 8000) << "once in an RTT";
    sender.Rollback(21 * US, true);
    EXPECT_DOUBLE_EQ(sender.State().windowBytes, 1000);
    sender.Ack(30 * US, 10 * US, Feedback(20 * 1072));
    sender.Restart(40 * US);
    EXPECT_DOUBLE_EQ(sender.State().windowBytes, 21000);
    sender.Restart(40 * US + 1);
    EXPECT_DOUBLE_EQ(sender.State().windowBytes, 8000) << "after an RTT";
}

TEST(RdmaXcpTest, OtherTelemetryIsRefused)
{
    auto xcp = Make<RdmaCongestionOps>("xcp");
    EXPECT_EQ(xcp->Validate(5000, &Make<TelemetryFormat>("xcp")->GetCapabilities()), "");
    const std::string why = "ns3::RdmaXcp needs the telemetry format xcp";
    EXPECT_EQ(xcp->Validate(5000, nullptr), why);
    EXPECT_EQ(xcp->Validate(5000, &Make<TelemetryFormat>("rcp")->GetCapabilities()), why);
}
