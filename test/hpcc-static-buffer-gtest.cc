/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/hpcc-static-buffer.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

using Verdict = BufferPolicy::Verdict;

constexpr uint32_t PORTS = 4;
constexpr uint64_t HEADROOM = 5000;

/**
 * Returns the buffer of a switch with four ports at 100 Gb/s, with links of 1 us and frames of up
 * to 1 KB.
 * @param bufferBytes BufferBytes
 * @param queueBytes QueueBytes
 * @param lossless bit mask of the lossless priorities
 */
Ptr<StaticBuffer>
MakeBuffer(uint64_t bufferBytes, uint64_t queueBytes, uint8_t lossless = 1 << 3)
{
    auto buffer = CreateObject<StaticBuffer>();
    buffer->SetAttribute("BufferBytes", UintegerValue(bufferBytes));
    buffer->SetAttribute("QueueBytes", UintegerValue(queueBytes));
    buffer->SetAttribute("HeadroomBytes", UintegerValue(HEADROOM));
    buffer->SetAttribute("ResumeOffset", UintegerValue(3000));
    for (uint32_t i = 0; i < PORTS; ++i)
    {
        buffer->AddPort({100000000000, 1000, 1100, lossless});
    }
    return buffer;
}

/// Admits frames of 1000 bytes until one is refused.
/// @return number of admitted frames
uint64_t
Fill(StaticBuffer& buffer, uint32_t ingress, uint32_t egress, uint8_t priority)
{
    uint64_t frames = 0;
    while (buffer.Admit(ingress, egress, priority, 1000, 0) == Verdict::ADMIT)
    {
        ++frames;
    }
    return frames;
}

} // namespace

TEST(StaticBuffer, ALossyQueueHoldsItsPartAndNoMoreHoweverEmptyTheOthersAre)
{
    auto buffer = MakeBuffer(1000000, 10000);
    EXPECT_EQ(Fill(*buffer, 0, 1, 2), 10u);
    EXPECT_EQ(buffer->Admit(3, 1, 2, 1, 0), Verdict::EGRESS_LIMIT) << "whatever its ingress port";
    EXPECT_EQ(buffer->GetUsedBytes(), 10000u) << "a refused frame is not charged";
    buffer->Release(0, 1, 2, 1000, 0);
    EXPECT_EQ(buffer->Admit(3, 1, 2, 1000, 0), Verdict::ADMIT);
}

TEST(StaticBuffer, PortsOfARateHaveTheirOwnPart)
{
    auto buffer = CreateObject<StaticBuffer>();
    buffer->SetAttribute("BufferBytes", UintegerValue(1000000));
    buffer->SetAttribute("QueueBytes", UintegerValue(10000));
    buffer->SetAttribute("QueueBytesPerRate", StringValue("25Gbps:3000,40Gbps:5000"));
    buffer->SetAttribute("HeadroomBytes", UintegerValue(HEADROOM));
    for (const uint64_t rateBps : {UINT64_C(100000000000), UINT64_C(25000000000)})
    {
        buffer->AddPort({rateBps, 1000, 1100, 1 << 3});
    }
    EXPECT_EQ(Fill(*buffer, 1, 0, 2), 10u);
    EXPECT_EQ(Fill(*buffer, 0, 1, 2), 3u);
    EXPECT_EQ(Fill(*buffer, 1, 0, 3), 3u + HEADROOM / 1000);
    EXPECT_TRUE(buffer->MustPause(1, 3));
    EXPECT_EQ(buffer->GetLargestFrameBytes(2), 3000u);
    EXPECT_EQ(buffer->GetLargestQueueBytes(0, 2, 1000), 10000u);
    EXPECT_EQ(buffer->GetLargestQueueBytes(1, 2, 1000), 3000u);
    // Each port has seven lossy parts and one lossless part of the memory.
    EXPECT_EQ(buffer->Validate(), "");
    const auto tooSmall = CreateObject<StaticBuffer>();
    tooSmall->SetAttribute("BufferBytes", UintegerValue(8 * 13000 + 2 * HEADROOM - 1));
    tooSmall->SetAttribute("QueueBytes", UintegerValue(10000));
    tooSmall->SetAttribute("QueueBytesPerRate", StringValue("25Gbps:3000"));
    tooSmall->SetAttribute("HeadroomBytes", UintegerValue(HEADROOM));
    for (const uint64_t rateBps : {UINT64_C(100000000000), UINT64_C(25000000000)})
    {
        tooSmall->AddPort({rateBps, 1000, 1100, 1 << 3});
    }
    EXPECT_NE(tooSmall->Validate().find("16 parts of together 104000 bytes"), std::string::npos)
        << tooSmall->Validate();
}

TEST(StaticBuffer, AQueueHasItsPartHoweverFullTheOthersAre)
{
    auto buffer = MakeBuffer(1000000, 0);
    for (uint8_t p = 0; p < PRIORITIES; ++p)
    {
        for (uint32_t port = 0; port < PORTS; ++port)
        {
            // A queue may contain (1000000 - 4 * 5000) / 32 = 30625 bytes. Priority 3 may contain
            // 35625 bytes, because it has headroom.
            EXPECT_EQ(Fill(*buffer, port, port, p), p == 3 ? 35u : 30u) << "priority " << +p;
        }
    }
    EXPECT_LE(buffer->GetUsedBytes(), 1000000u);
}

TEST(StaticBuffer, ALosslessPortPausesAboveItsPartAndHasItsHeadroomBeyond)
{
    auto buffer = MakeBuffer(1000000, 10000);
    for (int i = 0; i < 10; ++i)
    {
        EXPECT_EQ(buffer->Admit(0, 1, 3, 1000, 0), Verdict::ADMIT);
        EXPECT_FALSE(buffer->MustPause(0, 3));
    }
    EXPECT_EQ(buffer->Admit(0, 2, 3, 1000, 0), Verdict::ADMIT);
    EXPECT_TRUE(buffer->MustPause(0, 3));
    EXPECT_FALSE(buffer->MustPause(1, 3)) << "another port";
    EXPECT_EQ(Fill(*buffer, 0, 1, 3), 4u) << "15 frames are 10000 + 5000 bytes";
    EXPECT_EQ(buffer->Admit(0, 1, 3, 1, 0), Verdict::BUFFER_FULL);
    for (int held = 14; held >= 7; --held)
    {
        buffer->Release(0, held == 14 ? 2 : 1, 3, 1000, 0);
        EXPECT_EQ(buffer->MayResume(0, 3), held <= 7) << held << " frames";
    }
}

TEST(StaticBuffer, APauseEndsWhenNothingIsHeldHoweverSmallThePart)
{
    auto buffer = MakeBuffer(1000000, 500);
    EXPECT_EQ(buffer->Admit(0, 1, 3, 1000, 0), Verdict::ADMIT);
    EXPECT_TRUE(buffer->MustPause(0, 3));
    EXPECT_FALSE(buffer->MayResume(0, 3));
    buffer->Release(0, 1, 3, 1000, 0);
    EXPECT_TRUE(buffer->MayResume(0, 3));
    EXPECT_TRUE(buffer->IsEmpty());
}

TEST(StaticBuffer, PartsThatExceedTheMemoryAreRefusedWithOneLine)
{
    EXPECT_EQ(MakeBuffer(4 * 5000 + 32 * 1000, 1000)->Validate(), "");
    EXPECT_EQ(
        MakeBuffer(4 * 5000 + 32 * 1000 - 1, 1000)->Validate(),
        "StaticBuffer::BufferBytes 51999 is less than 20000 bytes of headroom and 32 parts of "
        "1000 bytes for 4 ports");
    EXPECT_EQ(
        MakeBuffer(20000, 0)->Validate(),
        "StaticBuffer::BufferBytes 20000 is less than 20000 bytes of headroom and 32 parts of "
        "1 bytes for 4 ports");
    EXPECT_EQ(MakeBuffer(20032, 0)->Validate(), "");
    // If priority 3 is lossless at only one port, there are lossy and lossless parts for this
    // priority.
    auto mixed = MakeBuffer(1000000, 0, 0);
    EXPECT_EQ(mixed->GetQueueBytes(), 1000000u / 32);
    mixed->AddPort({100000000000, 1000, 1100, 1 << 3});
    EXPECT_EQ(mixed->GetQueueBytes(), (1000000u - 5000) / 41);
}

TEST(StaticBuffer, WhateverComesAndGoesTheBooksBalanceWithinTheMemory)
{
    struct Held
    {
        uint32_t ingress;
        uint32_t egress;
        uint8_t priority;
        uint32_t bytes;
    };

    std::mt19937 random(7);
    constexpr uint64_t memory = 300000;
    auto buffer = MakeBuffer(memory, 0);
    std::vector<Held> held;
    uint64_t bytes = 0;
    uint64_t refused = 0;
    for (int i = 0; i < 100000; ++i)
    {
        if (held.empty() || random() % 5 < 3)
        {
            const Held one{static_cast<uint32_t>(random() % PORTS),
                           static_cast<uint32_t>(random() % PORTS),
                           static_cast<uint8_t>(random() % PRIORITIES),
                           static_cast<uint32_t>(64 + random() % 1000)};
            if (buffer->Admit(one.ingress, one.egress, one.priority, one.bytes, i) ==
                Verdict::ADMIT)
            {
                held.push_back(one);
                bytes += one.bytes;
            }
            else
            {
                ++refused;
            }
        }
        else
        {
            std::swap(held[random() % held.size()], held.back());
            const Held one = held.back();
            held.pop_back();
            bytes -= one.bytes;
            buffer->Release(one.ingress, one.egress, one.priority, one.bytes, i);
        }
        ASSERT_EQ(buffer->GetUsedBytes(), bytes);
        ASSERT_LE(bytes, memory);
    }
    EXPECT_GT(refused, 1000u);
    for (const auto& one : held)
    {
        buffer->Release(one.ingress, one.egress, one.priority, one.bytes, 0);
    }
    EXPECT_TRUE(buffer->IsEmpty());
}
