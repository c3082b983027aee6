/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/hpcc-flow-timers.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

using Timers = HpccFlowTimers<std::string>;

TEST(FlowTimers, FlowsComeByTimeThenByKey)
{
    Timers timers;
    EXPECT_EQ(timers.GetNextNs(), Timers::NEVER);
    std::map<std::string, int64_t> armed;
    for (auto [key, atNs] : {std::pair("d", 5), {"b", 7}, {"a", 7}, {"c", 3}})
    {
        armed[key] = Timers::NEVER;
        EXPECT_TRUE(timers.Set(key, armed[key], atNs));
    }
    std::string order;
    while (timers.GetNextNs() != Timers::NEVER)
    {
        const auto [atNs, key] = timers.Pop();
        EXPECT_EQ(atNs, armed[key]);
        order += key;
    }
    EXPECT_EQ(order, "cdab");
}

TEST(FlowTimers, AnEarlierTimeCountsAndALaterOneDoesNot)
{
    Timers timers;
    int64_t armedNs = Timers::NEVER;
    EXPECT_FALSE(timers.Set("a", armedNs, Timers::NEVER));
    EXPECT_TRUE(timers.Set("a", armedNs, 20));
    EXPECT_FALSE(timers.Set("a", armedNs, 20));
    EXPECT_FALSE(timers.Set("a", armedNs, 30));
    EXPECT_EQ(armedNs, 20);
    EXPECT_TRUE(timers.Set("a", armedNs, 10));
    EXPECT_EQ(armedNs, 10);
    EXPECT_EQ(timers.GetNextNs(), 10);
}

TEST(FlowTimers, AFlowIsLookedAtNoOftenerThanItsTimeIsSet)
{
    // As a NIC uses it: time-outs move on with each answer, few of them expire.
    constexpr uint32_t flows = 1000;
    HpccFlowTimers<uint32_t> timers;
    std::vector<int64_t> armedNs(flows, Timers::NEVER);
    std::vector<int64_t> timeoutNs(flows);
    std::mt19937 random(1);
    uint32_t looks = 0;
    constexpr int64_t sets = 100'000; // one a nanosecond
    for (int64_t nowNs = 0; nowNs < sets; ++nowNs)
    {
        const uint32_t flow = random() % flows;
        timeoutNs[flow] = nowNs + 10'000;
        timers.Set(flow, armedNs[flow], timeoutNs[flow]);
        while (timers.GetNextNs() <= nowNs)
        {
            const auto [atNs, due] = timers.Pop();
            ASSERT_EQ(armedNs[due], atNs);
            armedNs[due] = Timers::NEVER;
            if (timeoutNs[due] > nowNs)
            {
                timers.Set(due, armedNs[due], timeoutNs[due]);
            }
            ++looks;
        }
    }
    // After a look, the next one needs a later time. To look at all flows at each expiry would be
    // hundreds of times as many.
    EXPECT_LE(looks, sets);
    EXPECT_GT(looks, flows);
}

} // namespace
