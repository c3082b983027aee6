/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/double.h"
#include "ns3/hpcc-abm-buffer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace ns3;

namespace
{

using Verdict = BufferPolicy::Verdict;

constexpr double MEMORY = 1e6;
constexpr int64_t INTERVAL = 10000; ///< default of attribute Interval, ns

/**
 * Returns a buffer of 1 MB with Alpha 0.5 and four ports at 8 Gb/s, which is 1 byte per ns.
 * @param lossless bit mask of the lossless priorities
 */
Ptr<AbmBuffer>
MakeBuffer(uint8_t lossless = 0)
{
    auto buffer = CreateObject<AbmBuffer>();
    buffer->SetAttribute("BufferBytes", UintegerValue(static_cast<uint64_t>(MEMORY)));
    for (uint32_t i = 0; i < 4; ++i)
    {
        buffer->AddPort({8000000000, 1000, 1100, lossless});
    }
    return buffer;
}

/**
 * Admits frames of 100 bytes until one is refused.
 * @param buffer the buffer
 * @param egress egress port
 * @param priority priority of the frames
 * @param nowNs time, ns
 * @return bytes admitted
 */
uint64_t
Fill(AbmBuffer& buffer, uint32_t egress, uint8_t priority, int64_t nowNs)
{
    uint64_t bytes = 0;
    while (buffer.Admit(0, egress, priority, 100, nowNs) == Verdict::ADMIT)
    {
        bytes += 100;
    }
    return bytes;
}

} // namespace

TEST(AbmBuffer, ASingleQueueHoldsAlphaTimesWhatItLeavesFree)
{
    auto buffer = MakeBuffer();
    EXPECT_NEAR(static_cast<double>(Fill(*buffer, 1, 2, 0)), MEMORY * 0.5 / 1.5, 100);
    EXPECT_EQ(buffer->Admit(0, 1, 2, 100, 0), Verdict::EGRESS_LIMIT);
    EXPECT_EQ(buffer->Admit(0, 1, 2, 2000000, 0), Verdict::BUFFER_FULL);
    const uint64_t used = buffer->GetUsedBytes();
    buffer->Release(0, 1, 2, 100, 0);
    EXPECT_EQ(buffer->GetUsedBytes(), used - 100);
}

TEST(AbmBuffer, TheLargestQueueIsWhatAQueueAloneHolds)
{
    for (const double alpha : {0.001, 0.5, 1.0, 64.0})
    {
        auto buffer = MakeBuffer();
        buffer->SetAttribute("Alpha", DoubleValue(alpha));
        const uint64_t most = buffer->GetLargestQueueBytes(1, 2, 100);
        const uint64_t held = Fill(*buffer, 1, 2, 0);
        EXPECT_LE(held, most) << alpha;
        EXPECT_GT(held + 100, most) << alpha;
    }
}

TEST(AbmBuffer, CongestedQueuesOfAPriorityShareTheThresholdAndOtherPrioritiesDoNotSeeTheirNumber)
{
    auto buffer = MakeBuffer();
    Fill(*buffer, 0, 2, 0);
    Fill(*buffer, 1, 2, 0);
    const double free = MEMORY - static_cast<double>(buffer->GetUsedBytes());
    EXPECT_DOUBLE_EQ(buffer->GetThresholdBytes(3, 2), 0.5 * free) << "not yet measured";
    // The first queue was filled up to a higher threshold, and the second queue up to the present
    // threshold. Both queues exceed 0.9 of the present threshold.
    buffer->Admit(0, 3, 7, 100, INTERVAL - 1);
    EXPECT_DOUBLE_EQ(buffer->GetThresholdBytes(3, 2), 0.5 * (free - 100)) << "before Interval";
    buffer->Admit(0, 3, 7, 100, INTERVAL);
    EXPECT_DOUBLE_EQ(buffer->GetThresholdBytes(3, 2), 0.5 / 2 * (free - 200));
    EXPECT_DOUBLE_EQ(buffer->GetThresholdBytes(3, 5), 0.5 * (free - 200));
}

TEST(AbmBuffer, AQueueThatGetsHalfOfItsPortHoldsHalfAndOneThatGetsNothingAnEighth)
{
    auto buffer = MakeBuffer();
    for (uint8_t priority : {1, 2, 3})
    {
        ASSERT_EQ(buffer->Admit(0, 0, priority, 20000, 0), Verdict::ADMIT);
    }
    buffer->Admit(0, 3, 7, 100, INTERVAL); // all queues were empty at the start
    const double whole = buffer->GetThresholdBytes(0, 1);
    buffer->Release(0, 0, 1, 5000, INTERVAL + 5000);
    buffer->Release(0, 0, 2, 2500, INTERVAL + 7500);
    buffer->Admit(0, 3, 7, 7500, 2 * INTERVAL); // the same amount of memory is free as before
    EXPECT_DOUBLE_EQ(buffer->GetThresholdBytes(0, 1), whole * 0.5) << "5000 bytes in 10000 ns";
    EXPECT_DOUBLE_EQ(buffer->GetThresholdBytes(0, 2), whole * 0.25);
    EXPECT_DOUBLE_EQ(buffer->GetThresholdBytes(0, 3), whole / 8) << "nothing";
    EXPECT_DOUBLE_EQ(buffer->GetThresholdBytes(1, 1), whole) << "empty";
}

TEST(AbmBuffer, AQueueThatDrainsAtLineRateHasItsWholeThresholdWhateverTheSizeOfItsFrames)
{
    for (const uint32_t bytes : {40U, 122U, 1000U})
    {
        auto buffer = CreateObject<AbmBuffer>();
        buffer->SetAttribute("BufferBytes", UintegerValue(static_cast<uint64_t>(MEMORY)));
        for (uint32_t i = 0; i < 2; ++i)
        {
            buffer->AddPort({8000000000, 1000, 1100, 0, 8000000000, 24}); // 1 byte per ns
        }
        // A frame is padded to 60 bytes. On the link it occupies 24 bytes more.
        const int64_t frameNs = std::max(bytes, 60U) + 24;
        for (uint32_t i = 0; i < 200; ++i)
        {
            ASSERT_EQ(buffer->Admit(0, 0, 1, bytes, 0), Verdict::ADMIT);
        }
        buffer->Admit(0, 1, 7, 100, INTERVAL); // all queues were empty at the start
        for (uint32_t i = 0; i < 120; ++i)
        {
            buffer->Release(0, 0, 1, bytes, INTERVAL + i * frameNs);
        }
        buffer->Admit(0, 1, 7, 100, INTERVAL + 120 * frameNs);
        EXPECT_DOUBLE_EQ(buffer->GetThresholdBytes(0, 1), buffer->GetThresholdBytes(0, 2))
            << bytes << " bytes";
    }
}

TEST(AbmBuffer, AQueueThatWasEmptyForAMomentHasItsWholeThresholdHoweverLittleItSends)
{
    auto buffer = MakeBuffer();
    buffer->Admit(0, 0, 1, 1000, 0);
    buffer->Admit(0, 3, 7, 100, INTERVAL);
    const double whole = buffer->GetThresholdBytes(0, 1);
    buffer->Release(0, 0, 1, 1000, INTERVAL + 1);
    buffer->Admit(0, 0, 1, 1000, INTERVAL + 2);
    buffer->Admit(0, 3, 6, 100, 2 * INTERVAL);
    EXPECT_DOUBLE_EQ(buffer->GetThresholdBytes(0, 1), whole - 50) << "only 100 bytes are missing";
}

TEST(AbmBuffer, LosslessPrioritiesAreRefused)
{
    EXPECT_EQ(MakeBuffer()->Validate(), "");
    EXPECT_EQ(MakeBuffer(1 << 3)->Validate(),
              "buffer abm with flow control pfc: the thresholds of AbmBuffer are those of lossy "
              "queues; allowed is --flow-control=lossy");
}
