/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/hpcc-frame-queue.h"
#include "ns3/hpcc-frame.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <list>
#include <random>
#include <set>

using namespace ns3;

namespace
{

TEST(FrameQueue, AgreesWithAList)
{
    std::mt19937 random(1);
    FramePool pool;
    FrameQueue queue;
    std::list<Frame*> list;
    uint64_t bytes = 0;
    for (int step = 0; step < 20000; ++step)
    {
        Frame* expected = nullptr;
        Frame* frame = nullptr;
        const uint32_t action = random() % 4;
        if (action < 2)
        {
            frame = pool.Allocate();
            frame->priority = random() % PRIORITIES;
            frame->bytes = 60 + random() % 1500;
            queue.Push(frame);
            list.push_back(frame);
            bytes += frame->bytes;
        }
        else
        {
            const auto open = static_cast<uint8_t>(action == 2 ? UINT8_MAX : random());
            const auto first = std::find_if(list.begin(), list.end(), [open](const Frame* f) {
                return open >> f->priority & 1;
            });
            if (first != list.end())
            {
                expected = *first;
                list.erase(first);
                bytes -= expected->bytes;
            }
            if (action == 3 || expected)
            {
                frame = action == 2 ? queue.Pop() : queue.PopFirst(open);
            }
            ASSERT_EQ(frame, expected) << "step " << step;
            if (frame)
            {
                FramePool::Free(frame);
            }
        }
        ASSERT_EQ(queue.bytes, bytes);
        ASSERT_EQ(queue.head, list.empty() ? nullptr : list.front());
        ASSERT_EQ(queue.tail, list.empty() ? nullptr : list.back());
    }
    while (queue.head)
    {
        FramePool::Free(queue.Pop());
    }
    EXPECT_EQ(pool.GetOutstanding(), 0U);
}

TEST(FramePool, CreatesAFrameOnlyIfNoneIsFree)
{
    FramePool pool;
    std::set<Frame*> frames;
    for (int i = 0; i < 1000; ++i)
    {
        frames.insert(pool.Allocate());
    }
    EXPECT_EQ(frames.size(), 1000U);
    for (Frame* frame : frames)
    {
        FramePool::Free(frame);
    }
    EXPECT_EQ(pool.GetOutstanding(), 0U);
    for (int i = 0; i < 1000; ++i)
    {
        EXPECT_EQ(frames.erase(pool.Allocate()), 1U);
    }
}

TEST(FramePool, ReleasesThePacketsOfFramesInUse)
{
    const Ptr<Packet> packet = Create<Packet>();
    {
        FramePool pool;
        for (int i = 0; i < 100; ++i)
        {
            pool.Allocate()->packet = packet;
        }
        EXPECT_EQ(packet->GetReferenceCount(), 101U);
    }
    EXPECT_EQ(packet->GetReferenceCount(), 1U);
}

} // namespace
