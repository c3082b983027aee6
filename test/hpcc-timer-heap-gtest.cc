/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-timer-heap.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <utility>

using namespace ns3;

namespace
{

TEST(RdmaTimerHeap, AgreesWithASortedSet)
{
    std::mt19937 random(1);
    RdmaTimerHeap heap;
    std::map<uint32_t, int64_t> timeOf;
    std::set<std::pair<int64_t, uint32_t>> sorted;
    for (int step = 0; step < 200000; ++step)
    {
        auto id = static_cast<uint32_t>(random() % 300);
        if (auto found = timeOf.find(id); found != timeOf.end())
        {
            sorted.erase({found->second, id});
            timeOf.erase(found);
        }
        uint32_t action = random() % 10;
        if (action == 0)
        {
            heap.Remove(id);
        }
        else if (action == 1)
        {
            heap.Set(id, RdmaTimerHeap::NEVER);
        }
        else
        {
            auto atNs = static_cast<int64_t>(random() % 1000);
            heap.Set(id, atNs);
            timeOf[id] = atNs;
            sorted.insert({atNs, id});
        }
        ASSERT_EQ(heap.TopNs(), sorted.empty() ? RdmaTimerHeap::NEVER : sorted.begin()->first);
        if (!sorted.empty())
        {
            ASSERT_EQ(heap.TopId(), sorted.begin()->second) << "ties by queue pair";
        }
        if (step % 5000 == 4999)
        {
            while (!sorted.empty())
            {
                ASSERT_EQ(heap.TopNs(), sorted.begin()->first);
                ASSERT_EQ(heap.TopId(), sorted.begin()->second);
                heap.Remove(heap.TopId());
                timeOf.erase(sorted.begin()->second);
                sorted.erase(sorted.begin());
            }
            ASSERT_EQ(heap.TopNs(), RdmaTimerHeap::NEVER);
        }
    }
}

} // namespace
