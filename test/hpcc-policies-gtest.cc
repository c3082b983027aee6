/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-policies.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/hpcc-presets.h"
#include "ns3/nstime.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/rdma-dcqcn.h"
#include "ns3/rdma-hpcc-plus-plus.h"
#include "ns3/rdma-hpcc.h"
#include "ns3/rdma-no-congestion-control.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();

RdmaFlowInfo
Flow(uint64_t lineRateBps = LINE_RATE, uint32_t flowId = 7)
{
    return {flowId, lineRateBps, 1000, 90, 0, 0};
}

RdmaAckInfo
Ack(int64_t nowNs, uint64_t ackSeq, uint64_t sndNxt, const std::vector<HopTelemetry>& hops)
{
    RdmaAckInfo ack = EmptyAck(nowNs);
    ack.ackSeq = ackSeq;
    ack.sndNxt = sndNxt;
    ack.hops = hops.data();
    ack.hopCount = static_cast<uint32_t>(hops.size());
    ack.telemetry = &INT;
    return ack;
}

/// A queue pair with the properties of Flow().
class QueuePair : public PolicyQueuePair
{
  public:
    explicit QueuePair(const Ptr<RdmaCongestionOps>& ops, uint64_t lineRateBps = LINE_RATE)
        : PolicyQueuePair(ops, Flow(lineRateBps))
    {
    }
};

} // namespace

// ---------------------------------------------------------------------------------------------
// Names

TEST(PolicyPresetsTest, EachShortNameMakesItsClassWithItsParameters)
{
    const std::vector<std::pair<std::string, TypeId>> names{
        {"hpcc++", RdmaHpccPlusPlus::GetTypeId()},
        {"hpcc++:authors", RdmaHpccPlusPlus::GetTypeId()},
        {"hpcc", RdmaHpcc::GetTypeId()},
        {"hpcc:authors", RdmaHpcc::GetTypeId()},
        {"hpcc:rx-rate", RdmaHpcc::GetTypeId()},
        {"hpcc:per-ack", RdmaHpcc::GetTypeId()},
        {"hpcc:per-rtt", RdmaHpcc::GetTypeId()},
        {"dcqcn", RdmaDcqcn::GetTypeId()},
        {"dcqcn:authors", RdmaDcqcn::GetTypeId()},
        {"dcqcn:vendor", RdmaDcqcn::GetTypeId()},
        {"dcqcn:paper", RdmaDcqcn::GetTypeId()},
        {"none", RdmaNoCongestionControl::GetTypeId()},
    };
    for (const auto& [name, type] : names)
    {
        EXPECT_EQ(Make(name)->GetInstanceTypeId(), type) << name;
    }
}

TEST(PolicyPresetsTest, AnUnknownNameIsNotFound)
{
    ObjectFactory factory;
    EXPECT_FALSE(HpccPresets::Find(RdmaCongestionOps::GetTypeId(), "hpcc+", factory));
}

TEST(PolicyPresetsTest, HpccPlusPlusHasTheDraftsDefaults)
{
    auto ops = Make("hpcc++");
    EXPECT_EQ(Get<TimeValue>(ops, "T").Get(), MicroSeconds(5));
    EXPECT_EQ(Get<DoubleValue>(ops, "Eta").Get(), 0.95);
    EXPECT_EQ(Get<UintegerValue>(ops, "MaxStage").Get(), 5U);
    EXPECT_EQ(Get<DoubleValue>(ops, "Wai").Get(), 0);
    EXPECT_EQ(Get<UintegerValue>(ops, "N").Get(), 100U);
    EXPECT_EQ(Get<DoubleValue>(ops, "InitialU").Get(), 1);
    EXPECT_EQ(Get<DataRateValue>(ops, "MinRate").Get().GetBitRate(), 0U);
    EXPECT_EQ(Get<UintegerValue>(Make("hpcc++:authors"), "MaxStage").Get(), 0U);
    EXPECT_EQ(ops->Describe(nullptr).telemetry, "int-md");
}

TEST(PolicyPresetsTest, HpccHasThePapersDefaults)
{
    auto ops = Make("hpcc");
    EXPECT_EQ(Get<TimeValue>(ops, "T").Get(), MicroSeconds(13));
    EXPECT_EQ(Get<DoubleValue>(ops, "Eta").Get(), 0.95);
    EXPECT_EQ(Get<UintegerValue>(ops, "MaxStage").Get(), 5U);
    EXPECT_EQ(Get<DoubleValue>(ops, "Wai").Get(), 80);
    EXPECT_EQ(ops->Describe(nullptr).telemetry, "sigcomm19");
}

TEST(PolicyPresetsTest, OnePoliciesDefaultsDoNotChangeTheOthers)
{
    Config::SetDefault("ns3::RdmaHpcc::Eta", DoubleValue(0.99));
    EXPECT_EQ(Get<DoubleValue>(Make("hpcc"), "Eta").Get(), 0.99);
    EXPECT_EQ(Get<DoubleValue>(Make("hpcc++"), "Eta").Get(), 0.95);
    Config::SetDefault("ns3::RdmaHpcc::Eta", DoubleValue(0.95));
}

// ---------------------------------------------------------------------------------------------
// No congestion control

TEST(RdmaNoCongestionControlTest, SendsAtLineRateWithoutAWindowWhateverComes)
{
    auto ops = Make("none");
    EXPECT_EQ(ops->Describe(nullptr).telemetry, "");
    EXPECT_EQ(ops->Describe(nullptr).ecn, RdmaPolicyDescription::NOT_ECT);
    EXPECT_FALSE(ops->Describe(nullptr).cnps);
    EXPECT_FALSE(ops->Describe(nullptr).sentPackets);
    EXPECT_EQ(ops->Validate(0, nullptr), "");
    QueuePair qp(ops);
    ops->OnCongestionMessage(qp.State(), {1000});
    RdmaAckInfo echo = Ack(2000, 0, 0, {});
    echo.congestionExperienced = true;
    ops->OnAck(qp.State(), echo);
    EXPECT_EQ(qp.State()->rateBps, 100e9);
    EXPECT_EQ(qp.State()->windowBytes, std::numeric_limits<double>::infinity());
    EXPECT_EQ(qp.State()->timerNs, NEVER);
    EXPECT_EQ(qp.State()->flowId, 7U);
}

// ---------------------------------------------------------------------------------------------
// HPCC and HPCC++

TEST(RdmaHpccTest, AFlowStartsAtLineRateWithTheWindowOfT)
{
    for (const auto& [name, windowBytes] :
         std::vector<std::pair<std::string, double>>{{"hpcc++", 62500}, {"hpcc", 162500}})
    {
        QueuePair qp(Make(name));
        EXPECT_EQ(qp.State()->rateBps, 100e9);
        EXPECT_DOUBLE_EQ(qp.State()->windowBytes, windowBytes);
        EXPECT_EQ(qp.State()->timerNs, NEVER);
    }
}

TEST(RdmaHpccTest, EachFlowsWindowFollowsItsOwnLineRate)
{
    auto ops = Make("hpcc++");
    QueuePair fast(ops, 400'000'000'000);
    QueuePair slow(ops, 25'000'000'000);
    EXPECT_DOUBLE_EQ(fast.State()->windowBytes, 250000);
    EXPECT_DOUBLE_EQ(slow.State()->windowBytes, 15625);
}

TEST(RdmaHpccTest, TheNetworksBaseRttIsTakenUnlessTheUserSetsT)
{
    auto ops = Make("hpcc++");
    ops->SetNetworkBaseRtt(4160);
    EXPECT_EQ(Get<TimeValue>(ops, "T").Get(), NanoSeconds(4160));
    EXPECT_DOUBLE_EQ(QueuePair(ops).State()->windowBytes, 52000);

    ops->SetAttribute("T", TimeValue(MicroSeconds(5)));
    EXPECT_EQ(Get<TimeValue>(ops, "T").Get(), MicroSeconds(5));

    Config::SetDefault("ns3::RdmaHpccPlusPlus::T", TimeValue(MicroSeconds(9)));
    auto configured = Make("hpcc++");
    configured->SetNetworkBaseRtt(4160);
    EXPECT_EQ(Get<TimeValue>(configured, "T").Get(), MicroSeconds(9));
    Config::SetDefault("ns3::RdmaHpccPlusPlus::T", TimeValue(Time(0)));
}

TEST(RdmaHpccTest, AnAcknowledgementMovesWindowAndRateTogether)
{
    auto ops = Make("hpcc++");
    QueuePair qp(ops);
    std::vector<HopTelemetry> hops{Hop(1000, 0, 62500)};
    ops->OnAck(qp.State(), Ack(3000, 1000, 62500, hops));
    EXPECT_DOUBLE_EQ(qp.State()->windowBytes, 62500);
    hops = {Hop(6000, 62500, 62500)};
    ops->OnAck(qp.State(), Ack(8000, 2000, 62500, hops));
    const double expected = 62500 / (2 / 0.95) + 31.25;
    EXPECT_NEAR(qp.State()->windowBytes, expected, 1e-9);
    EXPECT_NEAR(qp.State()->rateBps, expected * 8e9 / 5000, 1e-3);
}

TEST(RdmaHpccTest, AnAcknowledgementWithoutTelemetryLeavesWindowAndRateAlone)
{
    auto ops = Make("hpcc++");
    QueuePair qp(ops);
    const std::vector<HopTelemetry> hops{Hop(1000, 0, 62500)};
    RdmaAckInfo withoutFormat = Ack(1000, 1000, 62500, hops);
    withoutFormat.telemetry = nullptr;
    ops->OnAck(qp.State(), withoutFormat);
    ops->OnAck(qp.State(), Ack(1000, 1000, 62500, {}));
    EXPECT_DOUBLE_EQ(qp.State()->windowBytes, 62500);
}

TEST(RdmaHpccTest, TheAuthorsSetRaisesTheWindowOfAnIdlePathAtOnceTheDraftsStepByStep)
{
    for (const std::string name : {"hpcc++", "hpcc++:authors"})
    {
        auto ops = Make(name);
        QueuePair qp(ops);
        const std::vector<HopTelemetry> hops{Hop(1000, 0, 62500),
                                             Hop(6000, 62500, 62500),
                                             Hop(11000, 93750, 0)};
        for (uint64_t i = 0; i < 3; ++i)
        {
            std::vector<HopTelemetry> record{hops[i]};
            ops->OnAck(qp.State(), Ack(8000, 62501 * i, 62500 * (i + 1), record));
        }
        const double congested = 62500 / (2 / 0.95) + 31.25;
        EXPECT_NEAR(qp.State()->windowBytes,
                    name == "hpcc++" ? congested + 31.25 : congested * 0.95 / 0.5 + 31.25,
                    1e-9);
    }
}

TEST(RdmaHpccTest, ANegativeAcknowledgementWithNewTelemetryCounts)
{
    auto ops = Make("hpcc++");
    QueuePair qp(ops);
    std::vector<HopTelemetry> hops{Hop(1000, 0, 62500)};
    ops->OnAck(qp.State(), Ack(3000, 1000, 62500, hops));
    hops = {Hop(6000, 62500, 62500)};
    RdmaAckInfo nak = Ack(8000, 1000, 62500, hops);
    nak.negative = true;
    ops->OnAck(qp.State(), nak);
    EXPECT_LT(qp.State()->windowBytes, 32000);
}

TEST(RdmaHpccTest, TheAuthorsAdditiveIncreaseIs10MbpsPer25GbpsOfLineRate)
{
    auto ops = Make("hpcc:authors");
    ops->SetNetworkBaseRtt(4160);
    for (uint64_t gbps : {25, 100, 400})
    {
        QueuePair qp(ops, gbps * 1'000'000'000);
        const auto* state = static_cast<const RdmaHpccState*>(qp.State());
        EXPECT_NEAR(state->flow.waiBytes * 8e9 / 4160, 0.4e6 * gbps, 1e-3);
        EXPECT_NEAR(state->flow.minBytes * 8e9 / 4160, 1e9, 1e-3);
    }
}

TEST(RdmaHpccTest, ARestartKeepsTheWindowUnlessTheUserWantsLineRate)
{
    for (bool lineRate : {false, true})
    {
        auto ops = Make("hpcc++");
        ops->SetAttribute("RestartAtLineRate", BooleanValue(lineRate));
        QueuePair qp(ops);
        std::vector<HopTelemetry> hops{Hop(1000, 0, 62500)};
        ops->OnAck(qp.State(), Ack(3000, 1000, 62500, hops));
        hops = {Hop(6000, 62500, 62500)};
        ops->OnAck(qp.State(), Ack(8000, 62501, 62600, hops));
        const double window = qp.State()->windowBytes;
        ASSERT_LT(window, 62500);
        ops->OnRestart(qp.State(), {1'000'000, 62600});
        EXPECT_EQ(qp.State()->windowBytes, lineRate ? 62500 : window);
    }
}

TEST(RdmaHpccTest, ValidateNamesAttributeValueAndWhatIsAllowed)
{
    auto ops = Make("hpcc++");
    EXPECT_EQ(ops->Validate(5000, &INT), "");
    EXPECT_EQ(ops->Validate(5000, nullptr),
              "ns3::RdmaHpccPlusPlus needs a telemetry format, for instance int-md");

    TelemetryCapabilities format = INT;
    format.fields &= ~TELEMETRY_QUEUE;
    EXPECT_EQ(ops->Validate(5000, &format),
              "ns3::RdmaHpccPlusPlus: the telemetry format carries no queue length");
    format = INT;
    format.fields &= ~TELEMETRY_TX_BYTES;
    EXPECT_EQ(
        ops->Validate(5000, &format),
        "ns3::RdmaHpccPlusPlus: the telemetry format carries neither sent bytes nor utilisation");
    format.fields |= TELEMETRY_UTILIZATION;
    EXPECT_EQ(ops->Validate(5000, &format), "");

    ops->SetAttribute("Eta", DoubleValue(1.5));
    EXPECT_EQ(ops->Validate(5000, &INT),
              "ns3::RdmaHpccPlusPlus::Eta is 1.5, allowed without Wai is below 1: "
              "W_init (1 - Eta)/N must be above 0");
    ops->SetAttribute("Wai", DoubleValue(31.25));
    EXPECT_EQ(ops->Validate(5000, &INT), "");
    ops->SetAttribute("Eta", DoubleValue(0));
    EXPECT_EQ(ops->Validate(5000, &INT),
              "ns3::RdmaHpccPlusPlus::Eta is 0, allowed is above 0 and at most 2");
}

TEST(RdmaHpccTest, AttributesRefuseValuesOutOfRange)
{
    auto ops = Make("hpcc++");
    EXPECT_FALSE(ops->SetAttributeFailSafe("Eta", DoubleValue(2.1)));
    EXPECT_FALSE(ops->SetAttributeFailSafe("Wai", DoubleValue(-1)));
    EXPECT_FALSE(ops->SetAttributeFailSafe("N", UintegerValue(0)));
    EXPECT_FALSE(ops->SetAttributeFailSafe("T", TimeValue(NanoSeconds(-1))));
    EXPECT_FALSE(ops->SetAttributeFailSafe("QueueFilter", StringValue("Max")));
    EXPECT_TRUE(ops->SetAttributeFailSafe("QueueFilter", StringValue("Auto")));
    EXPECT_TRUE(ops->SetAttributeFailSafe("FirstSample", StringValue("Estimate")));
}

TEST(RdmaHpccTest, TheBottleneckIsKnownIfItsRecordNamesSwitchAndPort)
{
    struct Case
    {
        uint16_t missing; ///< fields that the record lacks
        int64_t node;     ///< expected switch
        int64_t port;     ///< expected port
    };

    for (const auto& [missing, node, port] :
         {Case{0, 3, 4},
          Case{TELEMETRY_PORT_ID, 3, -1},
          Case{TELEMETRY_SWITCH_ID, -1, -1},
          Case{TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID, -1, -1}})
    {
        const uint16_t fields = INT_FIELDS & ~missing;
        for (const std::string name : {"hpcc++", "hpcc", "powertcp"})
        {
            SampledQueuePair qp(Make(name));
            EXPECT_EQ(qp.Observe().bottleneckSwitch, -1) << name;
            int64_t nowNs = 8 * US;
            for (HopTelemetry hop : {Hop(1000, 0, 0), Hop(6000, 62'500, 62'500)})
            {
                hop.fields = fields;
                qp.Records(nowNs, {hop}, true, {fields, 0, 0, false});
                nowNs += 5 * US;
            }
            EXPECT_EQ(qp.Observe().bottleneckSwitch, node) << name << ", " << missing;
            EXPECT_EQ(qp.Observe().bottleneckPort, port) << name << ", " << missing;
        }
    }
}

TEST(RdmaHpccTest, ALocatorIsNoPort)
{
    for (const auto field : {TELEMETRY_QUEUE_DELAY, TELEMETRY_LOAD})
    {
        HopTelemetry hop{};
        hop.fields = field;
        hop.portId = 5;
        (field == TELEMETRY_LOAD ? hop.load : hop.queueDelayNs) = 2;
        SampledQueuePair qp(Make("hpcc++"));
        for (const int64_t nowNs : {8 * US, 13 * US, 18 * US})
        {
            qp.Records(nowNs, {hop}, true, {static_cast<uint16_t>(field), 0, 0, false, true});
        }
        EXPECT_GT(qp.Observe().utilization, 0);
        EXPECT_EQ(qp.Observe().bottleneckSwitch, -1);
        EXPECT_EQ(qp.Observe().bottleneckPort, -1);
    }
}

namespace
{

struct Recorder
{
    void Value(uint32_t flowId, double value)
    {
        flow = flowId;
        values.push_back(value);
    }

    void Stage(uint32_t, uint32_t stage)
    {
        stages.push_back(stage);
    }

    void HopU(uint32_t, uint32_t hop, uint32_t switchId, uint32_t portId, double u)
    {
        EXPECT_EQ(hop, 0U);
        EXPECT_EQ(switchId, 3U);
        EXPECT_EQ(portId, 4U);
        values.push_back(u);
    }

    void Reaction(uint32_t, HpccBranch branch)
    {
        branches.push_back(branch);
    }

    void Reset(uint32_t, HpccReset reason)
    {
        resets.push_back(reason);
    }

    uint32_t flow{0};
    std::vector<double> values;
    std::vector<uint32_t> stages;
    std::vector<HpccBranch> branches;
    std::vector<HpccReset> resets;
};

} // namespace

TEST(RdmaHpccTest, TraceSourcesTellWhatEachAcknowledgementDid)
{
    auto ops = Make("hpcc++");
    Recorder window;
    Recorder reference;
    Recorder rate;
    Recorder utilization;
    Recorder hopU;
    Recorder other;
    auto value = [&ops](const std::string& name, Recorder& to) {
        EXPECT_TRUE(ops->TraceConnectWithoutContext(name, MakeCallback(&Recorder::Value, &to)));
    };
    value("Window", window);
    value("ReferenceWindow", reference);
    value("Rate", rate);
    value("Utilization", utilization);
    EXPECT_TRUE(ops->TraceConnectWithoutContext("HopU", MakeCallback(&Recorder::HopU, &hopU)));
    EXPECT_TRUE(
        ops->TraceConnectWithoutContext("IncStage", MakeCallback(&Recorder::Stage, &other)));
    EXPECT_TRUE(
        ops->TraceConnectWithoutContext("Reaction", MakeCallback(&Recorder::Reaction, &other)));
    EXPECT_TRUE(ops->TraceConnectWithoutContext("Reset", MakeCallback(&Recorder::Reset, &other)));

    QueuePair qp(ops);
    const std::vector<std::pair<HopTelemetry, uint64_t>> acks{{Hop(1000, 0, 62500), 1000},
                                                              {Hop(6000, 62500, 62500), 2000},
                                                              {Hop(11000, 93750, 0), 62501}};
    for (const auto& [hop, seq] : acks)
    {
        std::vector<HopTelemetry> hops{hop};
        ops->OnAck(qp.State(), Ack(static_cast<int64_t>(hop.timestampNs) + 2000, seq, 62500, hops));
    }
    const double fast = 62500 / (2 / 0.95) + 31.25;
    EXPECT_EQ(window.flow, 7U);
    ASSERT_EQ(window.values.size(), 3U);
    EXPECT_NEAR(window.values[1], fast, 1e-9);
    EXPECT_NEAR(window.values[2], 62500, 1e-9);
    EXPECT_EQ(rate.values.size(), 3U);
    EXPECT_EQ(reference.values.size(), 2U);
    EXPECT_EQ(utilization.values, (std::vector<double>{1, 2, 0.5}));
    EXPECT_EQ(hopU.values, (std::vector<double>{2, 0.5}));
    EXPECT_EQ(other.stages, (std::vector<uint32_t>{0, 1}));
    EXPECT_EQ(other.branches, (std::vector<HpccBranch>{HpccBranch::FAST, HpccBranch::COMMIT}));
    EXPECT_EQ(other.resets, (std::vector<HpccReset>{HpccReset::FIRST_RECORD}));
}
