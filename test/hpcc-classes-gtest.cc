/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-seeds.h"

#include "ns3/hpcc-class-meter.h"
#include "ns3/hpcc-csig-compact-format.h"
#include "ns3/hpcc-egress-scheduler.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-priority-scheduler.h"
#include "ns3/qbb-net-device.h"
#include "ns3/string.h"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <iostream>
#include <random>
#include <string>

using namespace ns3;

namespace
{

constexpr uint32_t QUANTUM = 1600; ///< quantum of the smallest weight, bytes

/**
 * Returns the class settings of a port.
 * @param weights see EgressScheduler::Classes
 * @param lossless bit mask of the lossless priorities
 */
EgressScheduler::Classes
ClassesOf(const std::string& weights, uint8_t lossless = 1 << 3)
{
    EgressScheduler::Classes classes;
    std::string why;
    EXPECT_TRUE(classes.SetWeights(weights, why)) << why;
    classes.lossless = lossless;
    classes.quantumBytes = QUANTUM;
    return classes;
}

/// Returns a scheduler with the given weights.
/// @param weights see EgressScheduler::Classes
Ptr<EgressScheduler>
Weighted(const std::string& weights)
{
    auto scheduler = CreateObject<PriorityScheduler>();
    scheduler->SetClasses(ClassesOf(weights));
    return scheduler;
}

/**
 * Returns the reason why @p weights are refused.
 * @param weights see EgressScheduler::Classes
 * @return the reason; empty if they are accepted
 */
std::string
Refusal(const std::string& weights)
{
    EgressScheduler::Classes classes;
    std::string why;
    return classes.SetWeights(weights, why) ? "" : why;
}

/// A port that always has a frame of each class that may send.
struct Port
{
    Ptr<EgressScheduler> scheduler{Weighted("")};           ///< scheduler under test
    Ptr<QbbNetDevice> device{CreateObject<QbbNetDevice>()}; ///< device passed to the scheduler;
                                                            ///< contains no frames
    std::array<uint32_t, PRIORITIES> frameBytes{};          ///< size of a class's frames
    std::array<uint64_t, PRIORITIES> sent{};                ///< bytes sent, by class
    std::string order;                                      ///< classes in the order of service

    /**
     * Sends one frame of the class that the scheduler chooses.
     * @param candidates bit mask of the classes that may send
     * @return the chosen class
     */
    uint8_t Send(uint8_t candidates)
    {
        const uint8_t priority = scheduler->Choose(candidates, *device);
        EXPECT_TRUE(candidates >> priority & 1);
        if (scheduler->GetWatched() >> priority & 1)
        {
            scheduler->Served(priority);
        }
        scheduler->Charge(priority, frameBytes[priority]);
        sent[priority] += frameBytes[priority];
        order += std::to_string(priority);
        return priority;
    }

    /**
     * Sends frames until they have at least @p bytes bytes in total.
     * @param candidates bit mask of the classes that may send
     * @param bytes number of bytes to send, at least
     */
    void SendBytes(uint8_t candidates, uint64_t bytes)
    {
        for (uint64_t done = 0; done < bytes;)
        {
            done += frameBytes[Send(candidates)];
        }
    }
};

/// Returns a bit mask of the given priorities.
template <typename... P>
uint8_t
Bits(P... priorities)
{
    return static_cast<uint8_t>(((1U << priorities) | ...));
}

} // namespace

TEST(PriorityScheduler, WithoutWeightsTheHigherPriorityGoesFirstAndTheRingTakesTurns)
{
    Port port;
    port.scheduler->SetClasses(ClassesOf("", Bits(3, 4)));
    for (int i = 0; i < 4; ++i)
    {
        port.Send(Bits(0, 2, 3, 4));
    }
    port.Send(Bits(3, 4, 5));
    port.Send(Bits(0, 2));
    EXPECT_EQ(port.order, "343452");
    EXPECT_EQ(port.scheduler->GetShare(3), 0.5);
    EXPECT_EQ(port.scheduler->GetShare(5), 1);
    EXPECT_EQ(port.scheduler->GetPeers(3), Bits(4));
    EXPECT_EQ(port.scheduler->GetPeers(5), 0);
    EXPECT_EQ(port.scheduler->GetAhead(3), Bits(5, 6, 7));
    EXPECT_EQ(port.scheduler->GetAhead(2), Bits(3, 4, 5, 6, 7));
}

TEST(PriorityScheduler, AClassSendsItsQuantumInATurn)
{
    Port port;
    port.scheduler = Weighted("3:1,4:3");
    port.frameBytes.fill(800);
    for (int i = 0; i < 16; ++i)
    {
        port.Send(Bits(3, 4));
    }
    EXPECT_EQ(port.order, "3344444433444444");
}

TEST(PriorityScheduler, SharesFollowTheWeightsWhateverTheSizesOfFrames)
{
    for (uint32_t big : {84U, 1090U, 4200U, 9242U})
    {
        Port port;
        port.scheduler = Weighted("1:1,3:3,4:4");
        port.frameBytes = {0, 84, 0, big, 1090, 0, 0, 0};
        constexpr uint64_t bytes = 8'000'000;
        port.SendBytes(Bits(1, 3, 4), bytes);
        for (uint8_t priority : {1, 3, 4})
        {
            const double share = port.scheduler->GetShare(priority);
            const double ideal = share * bytes;
            const double quantum = 8 * share * QUANTUM;
            // The number of bytes that a class has sent differs from its share by less than the
            // bytes of one of its turns plus one frame of each class.
            EXPECT_NEAR(static_cast<double>(port.sent[priority]), ideal, quantum + big + 1090 + 84)
                << "class " << +priority << ", frames of " << big;
        }
    }
}

TEST(PriorityScheduler, SharesAreExactHoweverSmallTheQuantum)
{
    EgressScheduler::Classes classes = ClassesOf("3:99,4:100");
    classes.quantumBytes = 64;
    auto scheduler = CreateObject<PriorityScheduler>();
    scheduler->SetClasses(classes);
    Port port;
    port.scheduler = scheduler;
    port.frameBytes.fill(1000);
    for (int i = 0; i < 199 * 100; ++i)
    {
        port.Send(Bits(3, 4));
    }
    EXPECT_NEAR(static_cast<double>(port.sent[4]) / static_cast<double>(port.sent[3]),
                100.0 / 99,
                0.0005);
}

TEST(PriorityScheduler, WhatAClassOverdrawsItPaysBack)
{
    // A frame of 9242 bytes is as long as 5.8 quanta. Therefore only the other class sends in the
    // next 5 or 6 turns.
    Port port;
    port.scheduler = Weighted("3:1,4:1");
    port.frameBytes = {0, 0, 0, 9242, 1600, 0, 0, 0};
    for (int i = 0; i < 14; ++i)
    {
        port.Send(Bits(3, 4));
    }
    EXPECT_EQ(port.order, "34444434444443");
}

TEST(PriorityScheduler, NoByteIsIdleWhileSomeClassMaySend)
{
    Port port;
    port.scheduler = Weighted("3:1,4:100");
    port.frameBytes.fill(1000);
    port.SendBytes(Bits(3), 5'000'000);
    EXPECT_EQ(port.sent[3], 5'000'000u);
    // Class 3 is not charged for the bytes that it sent while no other class had frames. Therefore
    // its turn comes after one quantum of class 4.
    port.order.clear();
    port.SendBytes(Bits(3, 4), 163'000);
    EXPECT_NE(port.order.find('3'), std::string::npos);
    EXPECT_GE(port.sent[4], 158'000u);
}

TEST(PriorityScheduler, AClassWithoutFramesSavesNothingUp)
{
    Port port;
    port.scheduler = Weighted("3:1,4:1");
    port.frameBytes.fill(800);
    port.SendBytes(Bits(4), 1'000'000);
    port.order.clear();
    for (int i = 0; i < 8; ++i)
    {
        port.Send(Bits(3, 4));
    }
    EXPECT_TRUE(port.order == "33443344" || port.order == "43344334") << port.order;
}

TEST(PriorityScheduler, APausedClassHasItsShareAgainAfterwardsAndNoMore)
{
    Port port;
    port.scheduler = Weighted("3:1,4:1");
    port.frameBytes.fill(1000);
    // Class 3 is often paused during its turn. It must not accumulate the unused parts of these
    // turns.
    for (int pause = 0; pause < 1000; ++pause)
    {
        while (port.Send(Bits(3, 4)) != 3)
        {
        }
        port.Send(Bits(4));
    }
    port.sent.fill(0);
    port.SendBytes(Bits(3, 4), 20'000);
    EXPECT_NEAR(static_cast<double>(port.sent[3]), 10'000, QUANTUM + 1000);
}

TEST(PriorityScheduler, ADebtIsPaidOffInTheTurnsThatAClassMisses)
{
    Port port;
    port.scheduler = Weighted("3:1,4:1");
    port.frameBytes = {0, 0, 0, 9242, 1000, 0, 0, 0};
    // Class 3 has at most one frame at a time. Its next frame always arrives slightly after its
    // turn.
    uint64_t big = 0;
    for (int i = 0; i < 10'000; ++i)
    {
        big += port.Send(i % 2 == 0 ? Bits(3, 4) : Bits(4)) == 3;
    }
    EXPECT_LE(port.sent[3], port.sent[4] + 9242);
    EXPECT_GT(big, 500u);
    port.SendBytes(Bits(4), 100'000);
    port.order.clear();
    port.Send(Bits(3, 4));
    port.Send(Bits(3, 4));
    port.Send(Bits(3, 4));
    EXPECT_NE(port.order.find('3'), std::string::npos) << "an idle time clears the debt";
}

TEST(PriorityScheduler, PrioritiesWithoutAWeightAreStrict)
{
    Port port;
    port.scheduler = Weighted("1:1,4:1");
    port.frameBytes.fill(1600);
    for (uint8_t candidates : {Bits(1, 2, 3, 4, 6), Bits(1, 2, 3, 4), Bits(1, 2, 3, 4), Bits(2, 3)})
    {
        port.Send(candidates);
    }
    EXPECT_EQ(port.order.front(), '6') << "above the group's highest member";
    EXPECT_EQ(port.order.back(), '3') << "below it, also where the ring was";
    EXPECT_TRUE(port.order == "6143" || port.order == "6413") << port.order;
    EXPECT_EQ(port.scheduler->GetAhead(1), Bits(5, 6, 7));
    EXPECT_EQ(port.scheduler->GetAhead(4), Bits(5, 6, 7));
    EXPECT_EQ(port.scheduler->GetAhead(2), Bits(1, 3, 4, 5, 6, 7));
    EXPECT_EQ(port.scheduler->GetAhead(0), Bits(1, 2, 3, 4, 5, 6, 7));
    EXPECT_EQ(port.scheduler->GetPeers(4), Bits(1));
    EXPECT_EQ(port.scheduler->GetShare(3), 1);
}

TEST(PriorityScheduler, FramesThatGoAheadOfAllAreChargedToTheirClass)
{
    Port port;
    port.scheduler = Weighted("3:1,4:1");
    port.frameBytes.fill(1000);
    for (int i = 0; i < 1000; ++i)
    {
        port.scheduler->Charge(3, 100);
        port.sent[3] += 100;
        port.Send(Bits(3, 4));
    }
    EXPECT_NEAR(static_cast<double>(port.sent[3]), static_cast<double>(port.sent[4]), 3000);
}

TEST(PriorityScheduler, WhateverMaySendNoClassLosesMoreThanATurn)
{
    const uint32_t seed = hpcctest::ChooseSeed(20261121);
    std::cout << "HPCC_TEST_SEED=" << seed << std::endl;
    std::mt19937_64 random(seed);
    for (int run = 0; run < 200; ++run)
    {
        Port port;
        const uint32_t a = 1 + random() % 10;
        const uint32_t b = 1 + random() % 10;
        port.scheduler = Weighted("2:" + std::to_string(a) + ",5:" + std::to_string(b) + ",7:1");
        port.frameBytes.fill(84 + random() % 9000);
        port.frameBytes[5] = 84 + random() % 9000;
        // Classes 2 and 5 always have frames; class 7 has frames only some of the time.
        for (int i = 0; i < 3000; ++i)
        {
            port.Send(random() % 3 ? Bits(2, 5) : Bits(2, 5, 7));
        }
        const double turns = static_cast<double>(port.sent[2]) / a;
        const double others = static_cast<double>(port.sent[5]) / b;
        const double slack = 2 * (QUANTUM * 10 + 9100);
        EXPECT_NEAR(turns, others, slack) << "weights " << a << " and " << b << ", run " << run;
        EXPECT_LE(static_cast<double>(port.sent[7]), turns + slack);
    }
}

TEST(PriorityScheduler, WeightsThatMakeNoSenseAreRefusedAndLeaveTheOldOnes)
{
    EXPECT_EQ(Refusal(""), "");
    EXPECT_EQ(Refusal("0:1,7:100"), "");
    for (const char* bad : {"3",
                            "3:",
                            "3:0,4:1",
                            "3:1,4:101",
                            "8:1,3:1",
                            "-1:1,3:1",
                            "3:-1,4:1",
                            "3:1.5,4:1",
                            "3:1 4:1",
                            "a:1,3:1",
                            ",",
                            "3:1,,4:1"})
    {
        EXPECT_NE(Refusal(bad).find("is not PRIORITY:WEIGHT"), std::string::npos) << bad;
    }
    // This negative number equals 3 modulo 2^32.
    EXPECT_NE(Refusal("-4294967293:1,4:1").find("is not PRIORITY:WEIGHT"), std::string::npos);
    EXPECT_EQ(Refusal("3:1,3:2"), "priority 3 has two weights");
    EXPECT_EQ(Refusal("3:1"), "\"3:1\" has one weight; at least two are needed");
    EgressScheduler::Classes classes = ClassesOf("4:3,3:1");
    std::string why;
    EXPECT_FALSE(classes.SetWeights("4:1", why));
    EXPECT_EQ(classes.GetWeights(), "3:1,4:3");
    auto scheduler = Weighted("4:3,3:1");
    EXPECT_EQ(scheduler->GetShare(4), 0.75);
    EXPECT_TRUE(classes.SetWeights("", why));
    EXPECT_EQ(classes.GetWeights(), "");
    scheduler->SetClasses(classes);
    EXPECT_EQ(scheduler->GetShare(3), 1) << "the ring is back";
}

// ---------------------------------------------------------------------------------------------
// A class's share of the line rate

TEST(ClassMeter, WithWeightsAClassHasItsShareOrWhatTheOthersLeave)
{
    ClassMeter meter(*Weighted("3:1,4:3"), 100'000'000'000);
    EXPECT_EQ(meter.GetShareBps(3), 25'000'000'000u);
    EXPECT_EQ(meter.GetShareBps(4), 75'000'000'000u);
    EXPECT_EQ(meter.GetResidualBps(3), 100'000'000'000u) << "before the first window";
    // In 10 us, 100 Gb/s carry 125000 bytes.
    meter.Close({0, 0, 0, 25'000, 50'000, 0, 0, 0}, 10'000);
    EXPECT_EQ(meter.GetResidualBps(3), 60'000'000'000u) << "the other one uses 40 of 75";
    EXPECT_EQ(meter.GetResidualBps(4), 80'000'000'000u) << "20 are used";
    EXPECT_EQ(meter.GetSentBps(3), 20e9);
    meter.Close({0, 0, 0, 5'000, 120'000, 0, 0, 0}, 10'000);
    EXPECT_EQ(meter.GetResidualBps(3), 25'000'000'000u) << "never below the share";
    EXPECT_EQ(meter.GetShareBps(3), 25'000'000'000u) << "which is what it was";
}

TEST(ClassMeter, WhatGoesFirstIsNotThereToShareAndWhatComesLastDoesNotCount)
{
    ClassMeter meter(*Weighted("3:1,4:1"), 100'000'000'000);
    meter.Close({50'000, 0, 0, 12'500, 37'500, 0, 25'000, 0}, 10'000);
    EXPECT_EQ(meter.GetResidualBps(6), 100'000'000'000u) << "nobody goes before it";
    EXPECT_EQ(meter.GetResidualBps(3), 50'000'000'000u) << "100 - 20 - 30; priority 0 may wait";
    EXPECT_EQ(meter.GetResidualBps(4), 70'000'000'000u) << "100 - 20 - 10";
    EXPECT_EQ(meter.GetResidualBps(0), 40'000'000'000u) << "all others go first: 100 - 60";
    meter.Close({0, 0, 0, 10'000, 90'000, 0, 25'000, 0}, 10'000);
    EXPECT_EQ(meter.GetResidualBps(3), 40'000'000'000u) << "half of what priority 6 leaves";
}

TEST(ClassMeter, UnderStrictPriorityAClassHasWhatIsLeft)
{
    ClassMeter meter(*Weighted(""), 100'000'000'000);
    meter.Close({0, 0, 0, 50'000, 50'000, 0, 0, 0}, 10'000);
    EXPECT_EQ(meter.GetResidualBps(4), 100'000'000'000u);
    EXPECT_EQ(meter.GetResidualBps(3), 60'000'000'000u);
    meter.Close({0, 0, 0, 0, 126'000, 0, 0, 0}, 10'000);
    EXPECT_EQ(meter.GetResidualBps(3), 0u) << "not below 0";
}

// ---------------------------------------------------------------------------------------------
// Signals that formats can carry, and refusals

TEST(QueueSignal, SojournNeedsAFormatThatCarriesIt)
{
    const auto refusal = [](const std::string& format) {
        const auto spec = HpccFabricHelper::MakePolicy("hpcc++:sojourn", format);
        return spec.policy.Create<RdmaCongestionOps>()->Validate(5000,
                                                                 &spec.format->GetCapabilities());
    };
    for (const char* format :
         {"", "int-md:latency", "ifa", "ioam:latency", "csig:delay", "csig-wide:delay"})
    {
        EXPECT_EQ(refusal(format), "") << format;
    }
    for (const char* format : {"int-md",
                               "int-md-no-ts",
                               "ioam",
                               "ioam-incremental",
                               "csig",
                               "csig-wide",
                               "sigcomm19",
                               "pint"})
    {
        EXPECT_EQ(refusal(format),
                  "ns3::RdmaHpccPlusPlus::QueueSignal Sojourn needs the time in the switch, which "
                  "the telemetry format does not carry; allowed is Length")
            << format;
    }
    EXPECT_EQ(HpccFabricHelper::MakePolicy("hpcc++:sojourn").telemetryName, "int-md:latency");
}

TEST(QueueSignal, CsigSaysWhetherItsQueueDelayIsASojournTime)
{
    auto format = CreateObject<CsigCompactFormat>();
    EXPECT_FALSE(format->GetCapabilities().fields & TELEMETRY_HOP_LATENCY);
    format->SetAttribute("QueueSignal", StringValue("HopDelay"));
    EXPECT_TRUE(format->GetCapabilities().fields & TELEMETRY_HOP_LATENCY);
    format->SetAttribute("QueueSignal", StringValue("NormalizedQueue"));
    EXPECT_FALSE(format->GetCapabilities().fields & TELEMETRY_HOP_LATENCY);
}
