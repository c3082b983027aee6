/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Compares three parts of HPCC-PINT with values computed by hand from the paper: the load of a
// port, the digest of a load in packets, and the sender.

#include "hpcc-test-switch-laws.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/hpcc-pint-format.h"
#include "ns3/hpcc-port-load.h"
#include "ns3/rdma-hpcc-pint.h"

#include <cmath>

using namespace hpcctest;

namespace
{

Ptr<PintFormat>
MakePint(const std::string& name)
{
    return DynamicCast<PintFormat>(Make<TelemetryFormat>(name));
}

HopTelemetry
Loaded(double load)
{
    HopTelemetry hop{};
    hop.load = load;
    hop.fields = TELEMETRY_LOAD;
    return hop;
}

} // namespace

TEST(PortLoad, TheAverageIsThatOfThePaper)
{
    PortLoad port(LINE_BPS, 10 * US); // B T is 125000 bytes
    EXPECT_NEAR(port.Update(1 * US, 0, 12500), 0.1 * 0.1, 1e-12);
    EXPECT_NEAR(port.Update(2 * US, 12500, 12500), 0.9 * 0.01 + 0.1 * (0.1 + 1), 1e-12);
    // After more than T, only the new sample is used.
    EXPECT_NEAR(port.Update(50 * US, 25000, 25000), 0.2 + 0.1, 1e-12);
}

TEST(PortLoad, AFullLinkWithoutAQueueHasLoadOne)
{
    PortLoad port(LINE_BPS, 10 * US);
    double load = 0;
    for (uint64_t packet = 1; packet < 2000; ++packet)
    {
        load = port.Update(static_cast<int64_t>(packet) * 80, packet * 1000, 0);
    }
    EXPECT_NEAR(load, 1, 1e-3);
}

TEST(PintFormat, ADigestIsAByteWithinFivePercent)
{
    auto format = MakePint("pint");
    EXPECT_EQ(format->GetBaseBytes(), 1u);
    for (double load = 0.0011; load < 240; load *= 1.0173)
    {
        for (double random : {0.0, 0.3, 0.9999})
        {
            EXPECT_NEAR(format->Decode(format->Encode(load, random)) / load, 1, 0.05);
        }
    }
    EXPECT_EQ(format->Encode(0, 0), 1u) << "0 would say that nobody has written";
    EXPECT_EQ(format->Encode(1e9, 0), 255u);
    EXPECT_NEAR(format->Decode(255), 0.001 * std::pow(1.05, 254), 1e-9);
    EXPECT_EQ(format->Encode(0.001 * std::pow(1.05, 141.0001), 0.5), 142u) << "0.97";
}

TEST(PintFormat, TheMeanOfWhatIsReadIsTheLoad)
{
    auto format = MakePint("pint");
    for (double load : {0.0123, 0.777, 0.95, 1.31, 61.0})
    {
        constexpr int draws = 10000;
        double sum = 0;
        for (int i = 0; i < draws; ++i)
        {
            sum += format->Decode(format->Encode(load, (i + 0.5) / draws));
        }
        EXPECT_NEAR(sum / draws / load, 1, 1e-5);
    }
}

TEST(PintFormat, TheLargestLoadOfThePathStays)
{
    auto format = MakePint("pint");
    TelemetryStack stack = Opened(*format);
    EXPECT_EQ(Written(*format, stack), Bytes{0});
    EXPECT_EQ(format->Read(stack, 0).fields, 0) << "nobody has written";
    format->Raise(stack, 100);
    format->Raise(stack, 142);
    format->Raise(stack, 141);
    EXPECT_EQ(Written(*format, stack), Bytes{142});
    EXPECT_EQ(format->Read(stack, 0).fields, TELEMETRY_LOAD);
    EXPECT_DOUBLE_EQ(format->Read(stack, 0).load, format->Decode(142));
}

TEST(PintFormat, TheSimulatorsDigestHasTwoBytesAndStepsOfAFivehundredtwelfth)
{
    auto format = MakePint("pint:authors");
    format->SetAttribute("LogBase", DoubleValue(1.01)); // as set by the paper's run.py
    EXPECT_EQ(format->Validate({}), "");
    EXPECT_EQ(format->GetBaseBytes(), 2u);
    EXPECT_NE(format->GetReflectionId(), MakePint("pint")->GetReflectionId());
    for (double steps : {1, 2, 100, 486, 487, 512, 32768, 262144})
    {
        const double load = steps / 512;
        for (double random : {0.0, 0.3, 0.9999})
        {
            EXPECT_NEAR(format->Decode(format->Encode(load, random)) / load, 1, 0.0101) << steps;
            EXPECT_EQ(format->Encode(load, random), format->Encode((steps - 0.9) / 512, random))
                << "rounded up to " << steps;
        }
    }
    EXPECT_EQ(format->Encode(0, 0), 1u);
    EXPECT_DOUBLE_EQ(format->Decode(1), 1.0 / 512);
    TelemetryStack stack = Opened(*format);
    EXPECT_EQ(Written(*format, stack), (Bytes{0, 0}));
    format->Raise(stack, 0x123);
    EXPECT_EQ(Written(*format, stack), (Bytes{1, 0x23}));
    EXPECT_DOUBLE_EQ(format->Read(stack, 0).load, std::pow(1.01, 0x122) / 512);
}

TEST(PintFormat, TheHashChoosesTheShareOfPackets)
{
    EXPECT_TRUE(MakePint("pint")->Chooses(0xffffffff));
    auto format = MakePint("pint:16");
    EXPECT_TRUE(format->Chooses(0x0fffffff));
    EXPECT_FALSE(format->Chooses(0x10000000));
    EXPECT_TRUE(MakePint("pint:256")->Chooses(0x00ffffff));
    EXPECT_FALSE(MakePint("pint:256")->Chooses(0x01000000));
}

TEST(PintFormat, ALogBaseThatCannotTellAnIncastIsRefused)
{
    auto format = MakePint("pint");
    EXPECT_EQ(format->Validate({}), "");
    format->SetAttribute("LogBase", DoubleValue(1.045));
    EXPECT_EQ(format->Validate({}), "");
    format->SetAttribute("LogBase", DoubleValue(1.01));
    EXPECT_EQ(format->Validate({}),
              "LogBase 1.01 encodes loads up to 0.0125207; it must encode 64, as 1.045 and larger "
              "values do");
}

TEST(RdmaHpccPintTest, TheLawIsHpccsWithTheUOfTheSwitches)
{
    auto format = Make<TelemetryFormat>("pint");
    const TelemetryCapabilities& telemetry = format->GetCapabilities();
    auto pint = DynamicCast<RdmaHpccPint>(Make<RdmaCongestionOps>("hpcc-pint"));
    pint->SetNetworkBaseRtt(10 * US);
    EXPECT_EQ(pint->Validate(10 * US, &telemetry), "");
    LawSender sender(pint, &telemetry);
    EXPECT_FALSE(pint->Describe(nullptr).sentPackets);
    EXPECT_DOUBLE_EQ(sender.State().windowBytes, 125000);
    sender.Ack(10 * US, -1, HopTelemetry{});
    sender.Ack(10 * US, -1, Loaded(4)); // starts the round
    EXPECT_DOUBLE_EQ(sender.State().windowBytes, 125000);
    sender.Ack(11 * US, -1, Loaded(1.9)); // fast reaction
    EXPECT_DOUBLE_EQ(sender.State().windowBytes, 125000 / 2 + 80);
    sender.Ack(11 * US, -1, Loaded(3.8)); // reaction that starts from the same Wc, without
                                          // averaging
    EXPECT_DOUBLE_EQ(sender.State().windowBytes, 125000.0 / 4 + 80);
    EXPECT_DOUBLE_EQ(sender.State().rateBps, (125000.0 / 4 + 80) * 8 / 10e-6);
    sender.Ack(20 * US, -1, Loaded(1.9), 30); // commit
    EXPECT_DOUBLE_EQ(sender.State().windowBytes, 62580);
    sender.Ack(21 * US, -1, HopTelemetry{}, 40); // packet without a digest
    EXPECT_DOUBLE_EQ(sender.State().windowBytes, 62580);
    sender.Ack(22 * US, -1, Loaded(0.76), 40); // maxStage 0: immediate increase
    EXPECT_DOUBLE_EQ(sender.State().windowBytes, 62580 / 0.8 + 80);
    EXPECT_EQ(pint->GetLaw().GetSkippedHops(), 0u);
    EXPECT_EQ(pint->Observe(&sender.State()).utilization, 0.76);
}

TEST(RdmaHpccPintTest, WhatNeedsMoreThanALoadIsRefused)
{
    auto format = Make<TelemetryFormat>("pint");
    const TelemetryCapabilities& telemetry = format->GetCapabilities();
    EXPECT_EQ(Make<RdmaCongestionOps>("hpcc++")->Validate(5000, &telemetry), "");
    EXPECT_EQ(Make<RdmaCongestionOps>("hpcc-pint:authors")->Validate(5000, &telemetry), "");
    EXPECT_NE(Make<RdmaCongestionOps>("hpcc:rx-rate")->Validate(5000, &telemetry), "");
    EXPECT_NE(Make<RdmaCongestionOps>("powertcp")->Validate(5000, &telemetry), "");
    auto pint = Make<RdmaCongestionOps>("hpcc-pint");
    pint->SetAttribute("CheckFeedback", BooleanValue(true));
    EXPECT_EQ(pint->Validate(5000, &telemetry),
              "ns3::RdmaHpccPint::CheckFeedback needs queue lengths or delays, which the telemetry "
              "format does not carry");
    for (const char* name : {"rcp", "xcp"})
    {
        EXPECT_NE(Make<RdmaCongestionOps>("hpcc-pint")
                      ->Validate(5000, &Make<TelemetryFormat>(name)->GetCapabilities()),
                  "");
    }
}
