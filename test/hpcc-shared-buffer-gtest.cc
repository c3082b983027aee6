/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-shared-buffer.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

using Verdict = SharedBuffer::Verdict;

/// Attributes of a SharedBuffer.
struct BufferSpec
{
    uint64_t bytes{1000000};     ///< BufferBytes
    uint64_t reserved{1000};     ///< ReservedBytes
    uint64_t headroom{20000};    ///< HeadroomBytes
    uint64_t resumeOffset{3000}; ///< ResumeOffset
    double alpha{0.5};           ///< Alpha
    double egressAlpha{1.0};     ///< EgressAlpha
    std::string alphaPerRate;    ///< AlphaPerRate
    uint32_t ports{4};           ///< number of equal ports
    uint8_t lossless{1 << 3};    ///< lossless priorities
    bool perPort{false};         ///< SetAsidePerPort
};

/// Properties of a port: 100 Gb/s, delay 1 us, frames of up to 1 KB.
constexpr uint64_t RATE = 100000000000;
constexpr int64_t DELAY_NS = 1000;
constexpr uint32_t MAX_FRAME = 1100;

Ptr<SharedBuffer>
MakeBuffer(const BufferSpec& spec)
{
    auto buffer = CreateObject<SharedBuffer>();
    buffer->SetAttribute("BufferBytes", UintegerValue(spec.bytes));
    buffer->SetAttribute("ReservedBytes", UintegerValue(spec.reserved));
    buffer->SetAttribute("HeadroomBytes", UintegerValue(spec.headroom));
    buffer->SetAttribute("ResumeOffset", UintegerValue(spec.resumeOffset));
    buffer->SetAttribute("Alpha", DoubleValue(spec.alpha));
    buffer->SetAttribute("EgressAlpha", DoubleValue(spec.egressAlpha));
    buffer->SetAttribute("AlphaPerRate", StringValue(spec.alphaPerRate));
    buffer->SetAttribute("SetAsidePerPort", BooleanValue(spec.perPort));
    for (uint32_t i = 0; i < spec.ports; ++i)
    {
        buffer->AddPort({RATE, DELAY_NS, MAX_FRAME, spec.lossless});
    }
    return buffer;
}

/// Admits frames until the port must pause its neighbour.
/// @return number of admitted frames
uint64_t
FillUntilPause(SharedBuffer& buffer, uint32_t ingress, uint8_t priority, uint32_t frameBytes)
{
    uint64_t frames = 0;
    while (!buffer.MustPause(ingress, priority))
    {
        EXPECT_EQ(buffer.Admit(ingress, 0, priority, frameBytes, 0), Verdict::ADMIT);
        ++frames;
    }
    return frames;
}

TEST(SharedBuffer, WhatIsSetAsideIsReservationsAndOneHeadroomPerLosslessQueue)
{
    BufferSpec spec;
    spec.lossless = 1 << 3 | 1 << 4;
    EXPECT_EQ(MakeBuffer(spec)->GetSharedBytes(), 1000000 - 4 * (8 * 1000 + 2 * 20000));
}

TEST(SharedBuffer, PerPortItIsOneReservationAndOneHeadroomWhateverIsLossless)
{
    BufferSpec spec;
    spec.perPort = true;
    spec.lossless = 0xfe;
    EXPECT_EQ(MakeBuffer(spec)->GetSharedBytes(), 1000000 - 4 * (1000 + 20000));
}

TEST(SharedBuffer, PerPortAFrameFillsItsReservationAndThresholdsAreWholeBytes)
{
    // Four ports set aside 84,000 bytes. Of two frames of 600 bytes, 1,000 bytes are stored in
    // reserved memory.
    BufferSpec spec;
    spec.perPort = true;
    auto buffer = MakeBuffer(spec);
    EXPECT_EQ(buffer->Admit(0, 1, 3, 600, 0), Verdict::ADMIT);
    EXPECT_EQ(buffer->Admit(0, 1, 3, 600, 0), Verdict::ADMIT);
    EXPECT_EQ(buffer->GetSharedUsedBytes(), 200u);
    buffer->Release(0, 1, 3, 600, 0);
    EXPECT_EQ(buffer->GetSharedUsedBytes(), 0u);
    buffer->Release(0, 1, 3, 600, 0);
    EXPECT_TRUE(buffer->IsEmpty());
    // 41 bytes are shared. If 4 of them are used, the threshold is 0.125 * 37 = 4.6, which is
    // truncated to 4 bytes.
    spec.bytes = 84041;
    spec.alpha = 0.125;
    buffer = MakeBuffer(spec);
    EXPECT_EQ(buffer->Admit(0, 1, 3, 1004, 0), Verdict::ADMIT);
    EXPECT_EQ(buffer->GetSharedUsedBytes(), 4u);
    EXPECT_TRUE(buffer->MustPause(0, 3));
}

TEST(SharedBuffer, HeadroomIsTheRoundTripAndThreeFramesAndEightPfcFrames)
{
    BufferSpec spec;
    spec.headroom = 0;
    // In 2 * 1 us, 100 Gb/s carry 25,000 bytes. A PFC frame occupies 84 bytes.
    EXPECT_EQ(MakeBuffer(spec)->GetHeadroomBytes(0), 25000 + 1 + 3 * MAX_FRAME + 8 * 84);
    spec.lossless = 0;
    EXPECT_EQ(MakeBuffer(spec)->GetHeadroomBytes(0), 0);
}

TEST(SharedBuffer, AloneAQueueTakesItsReservationAndAlphaOverOnePlusAlphaOfTheSharedPart)
{
    for (double alpha : {1.0 / 64, 0.125, 0.5, 1.0, 8.0})
    {
        BufferSpec spec;
        spec.alpha = alpha;
        auto buffer = MakeBuffer(spec);
        auto shared = static_cast<double>(buffer->GetSharedBytes());
        FillUntilPause(*buffer, 1, 3, 100);
        // The expected value follows from the equation for one queue in Choudhury and Hahne 1998.
        // The tolerance is one frame.
        EXPECT_NEAR(static_cast<double>(buffer->GetSharedUsedBytes()),
                    alpha / (1 + alpha) * shared,
                    101)
            << alpha;
        uint64_t beyond = buffer->GetUsedBytes() - buffer->GetSharedUsedBytes() - 1000;
        EXPECT_LE(beyond, 100) << "reservation, shared part, at most one frame of headroom";
    }
}

TEST(SharedBuffer, QueuesShareByTheDynamicThreshold)
{
    BufferSpec spec;
    spec.alpha = 1;
    auto buffer = MakeBuffer(spec);
    auto shared = static_cast<double>(buffer->GetSharedBytes());
    // The n queues are filled in turn, one frame at a time. The share of each is alpha / (1 + n
    // alpha).
    bool more = true;
    while (more)
    {
        more = false;
        for (uint32_t port = 0; port < 3; ++port)
        {
            if (!buffer->MustPause(port, 3))
            {
                buffer->Admit(port, 3, 3, 100, 0);
                more = true;
            }
        }
    }
    EXPECT_NEAR(static_cast<double>(buffer->GetSharedUsedBytes()), 3.0 / 4 * shared, 500);
}

TEST(SharedBuffer, AlphaDependsOnThePortsSpeed)
{
    BufferSpec spec;
    spec.alphaPerRate = "400Gbps:0.125,100Gbps:1";
    auto buffer = MakeBuffer(spec);
    FillUntilPause(*buffer, 0, 3, 100);
    EXPECT_NEAR(static_cast<double>(buffer->GetSharedUsedBytes()),
                static_cast<double>(buffer->GetSharedBytes()) / 2,
                101);
}

TEST(SharedBuffer, ReservedBytesCannotBeTakenByOthers)
{
    BufferSpec spec;
    spec.egressAlpha = 64;
    auto buffer = MakeBuffer(spec);
    // Lossy priority 0 of port 0 uses as much as it can get.
    while (buffer->Admit(0, 0, 0, 10, 0) == Verdict::ADMIT)
    {
    }
    // All lossy priorities of all ports still have their reserved bytes.
    for (uint32_t port = 0; port < 4; ++port)
    {
        for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
        {
            if (port != 0 || priority != 0)
            {
                EXPECT_EQ(buffer->Admit(port, 1, priority, 1000, 0), Verdict::ADMIT);
            }
        }
    }
    EXPECT_LE(buffer->GetUsedBytes(), 1000000);
}

TEST(SharedBuffer, TheLargestFrameIsTheLargestThatAnEmptySwitchAdmits)
{
    for (const bool perPort : {false, true})
    {
        for (const uint64_t reserved : {0, 700, 70000})
        {
            for (const uint64_t headroom : {500, 5000, 50000})
            {
                for (const double alpha : {0.001, 0.1, 4.0})
                {
                    BufferSpec spec;
                    spec.reserved = reserved;
                    spec.headroom = headroom;
                    spec.alpha = alpha;
                    spec.egressAlpha = alpha;
                    spec.ports = 1;
                    spec.perPort = perPort;
                    for (const uint8_t priority : {2, 3}) // lossy, lossless
                    {
                        const auto most =
                            static_cast<uint32_t>(MakeBuffer(spec)->GetLargestFrameBytes(priority));
                        EXPECT_EQ(MakeBuffer(spec)->Admit(0, 0, priority, most, 0), Verdict::ADMIT)
                            << perPort << reserved << headroom << alpha << +priority;
                        EXPECT_NE(MakeBuffer(spec)->Admit(0, 0, priority, most + 1, 0),
                                  Verdict::ADMIT)
                            << perPort << reserved << headroom << alpha << +priority;
                    }
                }
            }
        }
    }
}

TEST(SharedBuffer, TheLargestQueueIsWhatALossyQueueAloneHolds)
{
    constexpr uint32_t bytes = 100;
    for (const bool perPort : {false, true})
    {
        for (const uint64_t reserved : {0, 700, 20000, 100000})
        {
            for (const double alpha : {0.001, 0.1, 1.0, 4.0})
            {
                BufferSpec spec;
                spec.bytes = 5000000;
                spec.reserved = reserved;
                spec.egressAlpha = alpha;
                spec.perPort = perPort;
                auto buffer = MakeBuffer(spec);
                const uint64_t most = buffer->GetLargestQueueBytes(1, 2, bytes);
                uint64_t held = 0;
                for (uint32_t ingress = 0; ingress < spec.ports;)
                {
                    // Use up the reservations of all ports before the shared memory.
                    const bool fits = held + bytes <= (ingress + 1) * reserved;
                    const bool last = ingress + 1 == spec.ports;
                    if ((fits || last) && buffer->Admit(ingress, 1, 2, bytes, 0) == Verdict::ADMIT)
                    {
                        held += bytes;
                    }
                    else
                    {
                        ++ingress;
                    }
                }
                EXPECT_LE(held, most) << perPort << reserved << " " << alpha;
                EXPECT_GT(held + 2 * bytes, most) << perPort << reserved << " " << alpha;
            }
        }
    }
}

TEST(SharedBuffer, EveryLosslessQueueHasAHeadroomOfItsOwn)
{
    BufferSpec spec;
    spec.lossless = 0xff;
    spec.alpha = 1e-6;
    auto buffer = MakeBuffer(spec);
    for (uint32_t port = 0; port < 4; ++port)
    {
        for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
        {
            EXPECT_EQ(buffer->Admit(port, 0, priority, 1000, 0), Verdict::ADMIT) << "reserved";
            for (uint32_t i = 0; i < 20; ++i)
            {
                EXPECT_EQ(buffer->Admit(port, 0, priority, 1000, 0), Verdict::ADMIT) << "headroom";
                EXPECT_TRUE(buffer->MustPause(port, priority));
            }
            EXPECT_EQ(buffer->Admit(port, 0, priority, 1000, 0), Verdict::BUFFER_FULL);
        }
    }
}

TEST(SharedBuffer, ALossyEgressQueueIsLimitedAndTheRefusedFrameIsNotCharged)
{
    BufferSpec spec;
    spec.egressAlpha = 0.5;
    auto buffer = MakeBuffer(spec);
    auto shared = static_cast<double>(buffer->GetSharedBytes());
    uint32_t ingress = 0;
    uint64_t admitted = 0;
    while (buffer->Admit(ingress, 2, 0, 100, 0) == Verdict::ADMIT)
    {
        admitted += 100;
        ingress = (ingress + 1) % 4;
    }
    // q = alpha * (S - s) + reserved. Four ingress queues use their reserved bytes, and s is the
    // number of bytes beyond them.
    double expected = (0.5 * (shared + 4 * 1000) + 1000) / 1.5;
    EXPECT_NEAR(static_cast<double>(admitted), expected, 201);
    EXPECT_EQ(buffer->Admit(0, 2, 0, 100, 0), Verdict::EGRESS_LIMIT);
    EXPECT_EQ(buffer->GetUsedBytes(), admitted);
    EXPECT_EQ(buffer->Admit(0, 1, 0, 100, 0), Verdict::ADMIT)
        << "another egress port is not limited";
    EXPECT_EQ(buffer->Admit(0, 2, 3, 100, 0), Verdict::ADMIT) << "nor is a lossless priority";
}

TEST(SharedBuffer, AQueueThatReachesItsThresholdExactlyMustPause)
{
    BufferSpec spec;
    spec.reserved = 0;
    spec.alpha = 1;
    auto buffer = MakeBuffer(spec);
    // The headrooms of four ports are set aside from 1,000,000 bytes. With Alpha 1, the threshold
    // is half of the remaining memory.
    EXPECT_EQ(FillUntilPause(*buffer, 1, 3, 1000), 460U);
    EXPECT_EQ(buffer->GetSharedUsedBytes(), 460000U) << "none is in the headroom";
}

TEST(SharedBuffer, APauseEndsOnlyBelowTheThresholdByTheResumeOffset)
{
    BufferSpec spec;
    spec.alpha = 1;
    auto buffer = MakeBuffer(spec);
    uint64_t frames = FillUntilPause(*buffer, 1, 3, 100);
    uint64_t atPause = buffer->GetSharedUsedBytes();
    while (!buffer->MayResume(1, 3))
    {
        buffer->Release(1, 0, 3, 100, 0);
        --frames;
    }
    uint64_t atResume = buffer->GetSharedUsedBytes();
    // The pause ends when shared + offset <= alpha * (S - shared). A release changes both sides.
    // Therefore, with alpha 1, the pause ends when half of the offset has been released.
    EXPECT_NEAR(static_cast<double>(atPause - atResume), 3000.0 / 2, 200);
    while (frames-- > 0)
    {
        EXPECT_TRUE(buffer->MayResume(1, 3));
        buffer->Release(1, 0, 3, 100, 0);
    }
    EXPECT_TRUE(buffer->IsEmpty());
}

TEST(SharedBuffer, APauseEndsWhenTheQueueIsEmptyHoweverSmallTheThreshold)
{
    BufferSpec spec;
    spec.alpha = 1e-6;
    auto buffer = MakeBuffer(spec);
    for (int i = 0; i < 3; ++i)
    {
        buffer->Admit(1, 0, 3, 1000, 0);
    }
    EXPECT_TRUE(buffer->MustPause(1, 3));
    buffer->Release(1, 0, 3, 1000, 0);
    EXPECT_FALSE(buffer->MayResume(1, 3)) << "headroom in use";
    buffer->Release(1, 0, 3, 1000, 0);
    EXPECT_TRUE(buffer->MayResume(1, 3));
}

TEST(SharedBuffer, WhateverComesAndGoesTheBooksBalance)
{
    std::mt19937_64 random(1);
    for (int run = 0; run < 50; ++run)
    {
        BufferSpec spec;
        spec.bytes = 200000 + random() % 100000;
        spec.headroom = 3000 + random() % 3000;
        spec.alpha = std::ldexp(1.0, static_cast<int>(random() % 8) - 5);
        spec.egressAlpha = std::ldexp(1.0, static_cast<int>(random() % 8) - 5);
        spec.lossless = static_cast<uint8_t>(random());
        auto buffer = MakeBuffer(spec);
        ASSERT_EQ(buffer->Validate(), "");

        struct Held
        {
            uint32_t ingress;
            uint32_t egress;
            uint8_t priority;
            uint32_t bytes;
        };

        std::vector<Held> held;
        std::map<std::pair<uint32_t, uint8_t>, uint64_t> byIngress;
        uint64_t sum = 0;
        for (int step = 0; step < 5000; ++step)
        {
            if (held.empty() || random() % 100 < (step < 3000 ? 60U : 40U))
            {
                Held frame{static_cast<uint32_t>(random() % 4),
                           static_cast<uint32_t>(random() % 4),
                           static_cast<uint8_t>(random() % 8),
                           static_cast<uint32_t>(60 + random() % 1500)};
                auto verdict =
                    buffer->Admit(frame.ingress, frame.egress, frame.priority, frame.bytes, 0);
                bool lossless = spec.lossless >> frame.priority & 1;
                EXPECT_FALSE(lossless && verdict == Verdict::EGRESS_LIMIT);
                if (verdict == Verdict::ADMIT)
                {
                    held.push_back(frame);
                    sum += frame.bytes;
                    byIngress[{frame.ingress, frame.priority}] += frame.bytes;
                }
            }
            else
            {
                std::swap(held[random() % held.size()], held.back());
                const Held& frame = held.back();
                buffer->Release(frame.ingress, frame.egress, frame.priority, frame.bytes, 0);
                sum -= frame.bytes;
                byIngress[{frame.ingress, frame.priority}] -= frame.bytes;
                if (byIngress[{frame.ingress, frame.priority}] == 0)
                {
                    EXPECT_TRUE(buffer->MayResume(frame.ingress, frame.priority)) << "no deadlock";
                }
                held.pop_back();
            }
            ASSERT_EQ(buffer->GetUsedBytes(), sum);
            ASSERT_LE(sum, spec.bytes) << "the memory is not oversubscribed";
            ASSERT_LE(buffer->GetSharedUsedBytes(), buffer->GetSharedBytes());
        }
        for (const auto& frame : held)
        {
            EXPECT_FALSE(buffer->IsEmpty());
            buffer->Release(frame.ingress, frame.egress, frame.priority, frame.bytes, 0);
        }
        EXPECT_TRUE(buffer->IsEmpty());
    }
}

TEST(SharedBuffer, HeadroomCoversWhatANeighbourOfAnotherRateSends)
{
    // The neighbour sends at its rate for 2 us and, in addition, while the port under test sends a
    // frame and 8 PFC frames at its own rate.
    const BufferPolicy::PortLimits equal{25000000000, 1000, MAX_FRAME, 1 << 3};
    const BufferPolicy::PortLimits faster{25000000000, 1000, MAX_FRAME, 1 << 3, 100000000000};
    const BufferPolicy::PortLimits slower{100000000000, 1000, MAX_FRAME, 1 << 3, 25000000000};
    EXPECT_EQ(BufferPolicy::GetHeadroomBytes(equal), 6250 + 1 + 3 * MAX_FRAME + 8 * 84);
    EXPECT_EQ(BufferPolicy::GetHeadroomBytes(faster),
              25000 + 1 + 2 * MAX_FRAME + 4 * (MAX_FRAME + 8 * 84));
    EXPECT_EQ(BufferPolicy::GetHeadroomBytes(slower),
              6250 + 1 + 2 * MAX_FRAME + (MAX_FRAME + 8 * 84 + 3) / 4);
    for (const auto& [limits, delays] :
         {std::pair(equal, uint64_t{3125}), std::pair(faster, uint64_t{12500})})
    {
        auto buffer = CreateObject<SharedBuffer>();
        buffer->SetAttribute("HeadroomDelays", DoubleValue(1));
        buffer->AddPort(limits);
        EXPECT_EQ(buffer->GetHeadroomBytes(0), delays);
    }
}

TEST(SharedBuffer, MemoryThatIsAllSetAsideIsRefusedWithOneLine)
{
    BufferSpec spec;
    spec.bytes = 4 * (8 * 1000 + 20000);
    std::string why = MakeBuffer(spec)->Validate();
    EXPECT_NE(why.find("BufferBytes 112000"), std::string::npos) << why;
    EXPECT_NE(why.find("112000 bytes set aside"), std::string::npos) << why;
    EXPECT_EQ(why.find('\n'), std::string::npos);
    ++spec.bytes;
    EXPECT_EQ(MakeBuffer(spec)->Validate(), "");
}

TEST(SharedBufferTest, MalformedAlphasAreRefused)
{
    for (const char* text :
         {"400Gbps", "400Gbps:", "400Gbps:0", "400Gbps:-1", "400Gbps:0.5x", "x:0.5", "0bps:1", ","})
    {
        auto buffer = CreateObject<SharedBuffer>();
        try
        {
            buffer->SetAttribute("AlphaPerRate", StringValue(text));
            ADD_FAILURE() << text;
        }
        catch (const HpccInputError& error)
        {
            EXPECT_NE(std::string(error.what()).find("RATE:ALPHA"), std::string::npos)
                << error.what();
        }
    }
}

TEST(SharedBufferTest, TwoAlphasForOneRateAreRefused)
{
    auto buffer = CreateObject<SharedBuffer>();
    try
    {
        buffer->SetAttribute("AlphaPerRate", StringValue("25Gbps:1,100Gbps:0.5,25000Mbps:2"));
        ADD_FAILURE();
    }
    catch (const HpccInputError& error)
    {
        EXPECT_STREQ(error.what(),
                     "ns3::SharedBuffer::AlphaPerRate: \"25000Mbps:2\" is the second entry for "
                     "25000000000bps; allowed is one per rate");
    }
}

} // namespace
