/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests the wrapper that adds a window to any policy that has only a rate.

#include "hpcc-test-event-policy.h"
#include "hpcc-test-rate-policies.h"

#include "ns3/nstime.h"
#include "ns3/pointer.h"
#include "ns3/rdma-windowed.h"
#include "ns3/string.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace hpcctest;

TEST(RdmaWindowedTest, EachNameOfAPolicyWithoutAWindowCanBeGivenOne)
{
    int wrapped = 0;
    for (const auto& name : HpccPresets::Names(RdmaCongestionOps::GetTypeId()))
    {
        ObjectFactory plain;
        ObjectFactory windowed;
        ASSERT_TRUE(HpccPresets::Find(RdmaCongestionOps::GetTypeId(), name, plain));
        ASSERT_TRUE(HpccPresets::Find(RdmaCongestionOps::GetTypeId(), name + "+win", windowed));
        EXPECT_EQ(windowed.GetTypeId(), RdmaWindowed::GetTypeId());
        auto ops = windowed.Create<RdmaCongestionOps>();
        ops->SetNetworkBaseRtt(13000);
        PointerValue inner;
        ops->GetAttribute("Inner", inner);
        EXPECT_EQ(inner.Get<RdmaCongestionOps>()->GetInstanceTypeId(), plain.GetTypeId()) << name;
        const RdmaPolicyDescription needs = ops->Describe(nullptr);
        if (!needs.telemetry.empty() || !ops->Validate(13000, nullptr).empty())
        {
            continue;
        }
        ++wrapped;
        RateQueuePair qp(ops);
        EXPECT_DOUBLE_EQ(qp.State()->windowBytes, 162500) << name;
        const auto plainNeeds = plain.Create<RdmaCongestionOps>()->Describe(nullptr);
        EXPECT_EQ(needs.marking, plainNeeds.marking);
        EXPECT_EQ(needs.ecn, plainNeeds.ecn);
        EXPECT_EQ(needs.cnps, plainNeeds.cnps);
        EXPECT_EQ(needs.cnpIntervalNs, plainNeeds.cnpIntervalNs);
        EXPECT_EQ(needs.sentPackets, plainNeeds.sentPackets);
    }
    EXPECT_GE(wrapped, 11); // 4 short names of DCQCN, 4 of TIMELY, 2 of patched TIMELY, and "none"
}

TEST(RdmaWindowedTest, TheParametersOfAVariantAreThoseInside)
{
    PointerValue inner;
    MakeRate("dcqcn:paper+win")->GetAttribute("Inner", inner);
    EXPECT_EQ(Get<TimeValue>(inner.Get<RdmaCongestionOps>(), "IncreaseInterval").Get(),
              MicroSeconds(55));
}

TEST(RdmaWindowedTest, RateAndTimerAreThePolicysAndTheWindowFollows)
{
    for (const std::string name : {"dcqcn", "dcqcn:paper", "timely"})
    {
        auto plainOps = MakeRate(name);
        auto windowedOps = MakeRate(name + "+win");
        RateQueuePair plain(plainOps);
        RateQueuePair windowed(windowedOps);
        uint64_t random = 1;
        for (int i = 1; i < 5000; ++i)
        {
            random = random * 6364136223846793005 + 1442695040888963407;
            const int64_t nowNs = i * 10 * US;
            for (auto [ops, qp] : {std::pair(plainOps, &plain), std::pair(windowedOps, &windowed)})
            {
                while (qp->State()->timerNs <= nowNs)
                {
                    ops->OnTimer(qp->State(), qp->State()->timerNs);
                }
                if (random >> 63)
                {
                    ops->OnCongestionMessage(qp->State(), {nowNs});
                }
                ops->OnSent(qp->State(), {nowNs, 1048, 0});
                qp->RoundTrip(1 + static_cast<int64_t>(random >> 45) % (600 * US));
            }
            ASSERT_EQ(windowed.Bps(), plain.Bps()) << name;
            ASSERT_EQ(windowed.State()->timerNs, plain.State()->timerNs) << name;
            ASSERT_NEAR(windowed.State()->windowBytes, plain.Bps() * 13e-6 / 8, 1e-6);
            ASSERT_NEAR(windowedOps->Observe(windowed.State()).windowBytes,
                        plain.Bps() * 13e-6 / 8,
                        1e-6);
        }
        EXPECT_LT(plain.Gbps(), 99) << name;
    }
}

TEST(RdmaWindowedTest, EachEventReachesThePolicyInsideAndTheWindowFollows)
{
    auto ops = CreateObject<RdmaWindowed>();
    ops->SetAttribute("Policy", StringValue(EventPolicy::GetTypeId().GetName()));
    ops->SetAttribute("T", TimeValue(MicroSeconds(8)));
    PointerValue pointer;
    ops->GetAttribute("Inner", pointer);
    const Ptr<EventPolicy> inner = pointer.Get<EventPolicy>();
    std::vector<std::string> events;
    inner->onEvent = [&events](const std::string& event, RdmaCongestionState& state) {
        events.push_back(event);
        state.rateBps = 1e9 * static_cast<double>(events.size());
    };
    RateQueuePair qp(ops);
    const auto raise = [&](auto event, const auto& info) {
        (PeekPointer(ops)->*event)(qp.State(), info);
    };
    uint32_t raised = 0;
    for (const auto& [name, event] : EveryEvent(raise))
    {
        event();
        ASSERT_EQ(events.size(), ++raised) << name;
        EXPECT_EQ(events.back(), name);
        EXPECT_DOUBLE_EQ(qp.State()->windowBytes, 1000.0 * raised) << name; // R T
    }
    EXPECT_EQ(raised, 8U);
}

TEST(RdmaWindowedTest, NeedsStateAndReceiverPartAreThoseInside)
{
    auto ops = CreateObject<RdmaWindowed>();
    ops->SetAttribute("Policy", StringValue(EventPolicy::GetTypeId().GetName()));
    ops->SetAttribute("T", TimeValue(MicroSeconds(8)));
    PointerValue pointer;
    ops->GetAttribute("Inner", pointer);
    const Ptr<EventPolicy> inner = pointer.Get<EventPolicy>();
    EXPECT_EQ(ops->GetReceiver(), static_cast<RdmaReceiverOps*>(PeekPointer(inner)));
    for (const TelemetryCapabilities* telemetry :
         {static_cast<const TelemetryCapabilities*>(nullptr), &INT})
    {
        const RdmaPolicyDescription needs = ops->Describe(telemetry);
        const RdmaPolicyDescription own = inner->Describe(telemetry);
        EXPECT_EQ(needs.telemetry, own.telemetry);
        EXPECT_EQ(needs.toleratedMultipath, own.toleratedMultipath);
        EXPECT_EQ(needs.bandwidth, own.bandwidth);
        EXPECT_EQ(needs.bottleneckHop, own.bottleneckHop);
        EXPECT_EQ(needs.receiverPart, own.receiverPart);
    }
    RateQueuePair qp(ops);
    EXPECT_EQ(ops->Observe(qp.State()).stage, 5);
    EXPECT_DOUBLE_EQ(ops->Observe(qp.State()).windowBytes, 100'000);
}

TEST(RdmaWindowedTest, PoliciesWithAWindowAreRefused)
{
    for (const auto& [name, type] :
         std::vector<std::pair<std::string, std::string>>{{"dctcp+win", "ns3::RdmaDctcp"},
                                                          {"dcqcn+win+win", "ns3::RdmaWindowed"}})
    {
        ObjectFactory factory;
        ASSERT_TRUE(HpccPresets::Find(RdmaCongestionOps::GetTypeId(), name, factory));
        auto ops = factory.Create<RdmaCongestionOps>();
        ops->SetNetworkBaseRtt(13000);
        EXPECT_EQ(ops->Validate(13000, nullptr),
                  "ns3::RdmaWindowed::Policy is " + type +
                      ", which has a window of its own; allowed are policies without a window");
    }
}

TEST(RdmaWindowedTest, ValidateSaysWhatIsMissingOrWrongInside)
{
    auto empty = CreateObject<RdmaWindowed>();
    empty->SetNetworkBaseRtt(13000);
    EXPECT_EQ(empty->Describe(nullptr).telemetry, "");
    EXPECT_EQ(empty->Describe(nullptr).marking, "");
    EXPECT_EQ(empty->GetReceiver(), nullptr); // the feedback mode asks before Validate()
    EXPECT_EQ(empty->Validate(13000, nullptr),
              "ns3::RdmaWindowed::Policy is ns3::RdmaCongestionOps, allowed are policies");
    ObjectFactory factory;
    ASSERT_TRUE(HpccPresets::Find(RdmaCongestionOps::GetTypeId(), "timely+win", factory));
    auto ops = factory.Create<RdmaCongestionOps>();
    EXPECT_EQ(ops->Validate(0, nullptr),
              "ns3::RdmaWindowed::T is 0 and the network's base RTT is unknown: T must be above 0");
    ops->SetAttribute("T", TimeValue(MicroSeconds(5)));
    EXPECT_EQ(ops->Validate(0, nullptr), "");
    EXPECT_DOUBLE_EQ(RateQueuePair(ops).State()->windowBytes, 62500);
    ops->SetAttribute("Policy", StringValue("ns3::RdmaTimely[MinRate=0bps]"));
    EXPECT_EQ(ops->Validate(0, nullptr), "ns3::RdmaTimely::MinRate is 0bps, allowed is above 0");
}

TEST(RdmaWindowedTest, NamesThatAreNoPolicysAreNotFoundAndTheChoicesTellOfTheSuffix)
{
    ObjectFactory factory;
    const TypeId base = RdmaCongestionOps::GetTypeId();
    for (const auto* name : {"+win", "nosuch+win", "dcqcn+wi", "dcqcn+win:paper", "*+win"})
    {
        EXPECT_FALSE(HpccPresets::Find(base, name, factory)) << name;
    }
    const std::string choices = HpccPresets::Choices(base);
    EXPECT_EQ(choices.substr(choices.rfind(' ') + 1), "NAME+win");
}
