/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The window around a rate, for any policy without one.

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
        if (ops->Needs() & RdmaCongestionOps::NEED_TELEMETRY ||
            !ops->Validate(13000, nullptr).empty())
        {
            continue;
        }
        ++wrapped;
        RateQueuePair qp(ops);
        EXPECT_DOUBLE_EQ(qp.State()->windowBytes, 162500) << name;
        EXPECT_EQ(ops->GetDefaultMarking(), plain.Create<RdmaCongestionOps>()->GetDefaultMarking());
        EXPECT_EQ(ops->Needs(), plain.Create<RdmaCongestionOps>()->Needs());
        EXPECT_EQ(ops->GetCnpIntervalNs(), plain.Create<RdmaCongestionOps>()->GetCnpIntervalNs());
        EXPECT_EQ(ops->WantsSent(), plain.Create<RdmaCongestionOps>()->WantsSent());
    }
    EXPECT_GE(wrapped, 11); // 4 names of DCQCN, 4 of TIMELY, 2 of patched TIMELY, none
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
                    ops->OnCnp(qp->State(), nowNs);
                }
                ops->OnSent(qp->State(), nowNs, 1048);
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
                      ", which has a window of its own; allowed are policies without");
    }
}

TEST(RdmaWindowedTest, ValidateSaysWhatIsMissingOrWrongInside)
{
    auto empty = CreateObject<RdmaWindowed>();
    empty->SetNetworkBaseRtt(13000);
    EXPECT_EQ(empty->Needs(), 0U);
    EXPECT_EQ(empty->GetDefaultMarking(), "");
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
