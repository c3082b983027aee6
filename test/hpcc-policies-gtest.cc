/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/hpcc-presets.h"
#include "ns3/nstime.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/rdma-dcqcn.h"
#include "ns3/rdma-hpcc-plus-plus.h"
#include "ns3/rdma-hpcc.h"
#include "ns3/rdma-no-congestion-control.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

constexpr int64_t US = 1000;
constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();
constexpr uint16_t INT_FIELDS = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID | TELEMETRY_TIMESTAMP |
                                TELEMETRY_TX_BYTES | TELEMETRY_QUEUE | TELEMETRY_BANDWIDTH;
const TelemetryCapabilities INT{INT_FIELDS, 0, 0, false};

Ptr<RdmaCongestionOps>
Make(const std::string& name)
{
    ObjectFactory factory;
    EXPECT_TRUE(HpccPresets::Find(RdmaCongestionOps::GetTypeId(), name, factory)) << name;
    return factory.Create<RdmaCongestionOps>();
}

RdmaFlowInfo
Flow(uint64_t lineRateBps = 100'000'000'000, uint32_t flowId = 7)
{
    return {flowId, lineRateBps, 1000, 90, 0, 0};
}

RdmaAckInfo
Ack(int64_t nowNs, uint64_t ackSeq, uint64_t sndNxt, const std::vector<HopTelemetry>& hops)
{
    RdmaAckInfo ack{};
    ack.nowNs = nowNs;
    ack.ackSeq = ackSeq;
    ack.sndNxt = sndNxt;
    ack.rttNs = -1;
    ack.hops = hops.data();
    ack.hopCount = static_cast<uint32_t>(hops.size());
    ack.telemetry = &INT;
    return ack;
}

HopTelemetry
Hop(uint64_t timestampNs, uint64_t txBytes, uint64_t queueBytes)
{
    HopTelemetry hop{};
    hop.fields = INT_FIELDS;
    hop.switchId = 3;
    hop.portId = 4;
    hop.timestampNs = timestampNs;
    hop.txBytes = txBytes;
    hop.queueBytes = queueBytes;
    hop.bandwidthBps = 100'000'000'000;
    return hop;
}

/// A queue pair that follows its policy's timer, as a sender does.
class QueuePair
{
  public:
    QueuePair(const Ptr<RdmaCongestionOps>& ops, uint64_t lineRateBps = 100'000'000'000)
        : m_ops(ops),
          m_state(ops->Open(Flow(lineRateBps), 0))
    {
    }

    ~QueuePair()
    {
        m_ops->Close(m_state);
    }

    QueuePair(const QueuePair&) = delete;
    QueuePair& operator=(const QueuePair&) = delete;

    void RunUntil(int64_t nowNs)
    {
        while (m_state->timerNs <= nowNs)
        {
            const int64_t due = m_state->timerNs;
            m_ops->OnTimer(m_state, due);
            ASSERT_GT(m_state->timerNs, due);
            ++m_timers;
        }
    }

    void Cnp(int64_t nowNs)
    {
        RunUntil(nowNs);
        m_ops->OnCnp(m_state, nowNs);
    }

    void Echo(int64_t nowNs)
    {
        RunUntil(nowNs);
        RdmaAckInfo ack = Ack(nowNs, 0, 0, {});
        ack.congestionExperienced = true;
        m_ops->OnAck(m_state, ack);
    }

    void Sent(int64_t nowNs, uint32_t wireBytes)
    {
        RunUntil(nowNs);
        m_ops->OnSent(m_state, nowNs, wireBytes);
    }

    double Gbps() const
    {
        return m_state->rateBps / 1e9;
    }

    const RdmaDcqcnState& Dcqcn() const
    {
        return *static_cast<const RdmaDcqcnState*>(m_state);
    }

    double TargetGbps() const
    {
        return Dcqcn().targetBps / 1e9;
    }

    RdmaCongestionState* State() const
    {
        return m_state;
    }

    int Timers() const
    {
        return m_timers;
    }

  private:
    Ptr<RdmaCongestionOps> m_ops;
    RdmaCongestionState* m_state;
    int m_timers{0};
};

template <typename T>
T
Get(const Ptr<RdmaCongestionOps>& ops, const std::string& attribute)
{
    T value;
    ops->GetAttribute(attribute, value);
    return value;
}

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
    EXPECT_EQ(ops->GetDefaultTelemetry(), "int-md");
    EXPECT_EQ(ops->Needs(), RdmaCongestionOps::NEED_TELEMETRY);
}

TEST(PolicyPresetsTest, HpccHasThePapersDefaults)
{
    auto ops = Make("hpcc");
    EXPECT_EQ(Get<TimeValue>(ops, "T").Get(), MicroSeconds(13));
    EXPECT_EQ(Get<DoubleValue>(ops, "Eta").Get(), 0.95);
    EXPECT_EQ(Get<UintegerValue>(ops, "MaxStage").Get(), 5U);
    EXPECT_EQ(Get<DoubleValue>(ops, "Wai").Get(), 80);
    EXPECT_EQ(ops->GetDefaultTelemetry(), "sigcomm19");
    EXPECT_EQ(ops->Needs(), RdmaCongestionOps::NEED_TELEMETRY);
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
    EXPECT_EQ(ops->Needs(), 0U);
    EXPECT_FALSE(ops->WantsSent());
    EXPECT_EQ(ops->Validate(0, nullptr), "");
    QueuePair qp(ops);
    qp.Cnp(1000);
    qp.Echo(2000);
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
        ops->OnRestart(qp.State(), 1'000'000, 62600);
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
              "ns3::RdmaHpccPlusPlus::Eta is 1.5, which without Wai is allowed below 1 only: "
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

// ---------------------------------------------------------------------------------------------
// DCQCN

TEST(RdmaDcqcnTest, AFlowStartsAtLineRateWithoutAWindowOrATimer)
{
    for (const std::string name : {"dcqcn", "dcqcn:authors", "dcqcn:vendor", "dcqcn:paper"})
    {
        auto ops = Make(name);
        EXPECT_EQ(ops->Needs(), RdmaCongestionOps::NEED_ECN | RdmaCongestionOps::NEED_CNP);
        EXPECT_EQ(ops->WantsSent(), name == "dcqcn:paper");
        EXPECT_EQ(ops->Validate(0, nullptr), "");
        QueuePair qp(ops);
        EXPECT_EQ(qp.Gbps(), 100);
        EXPECT_EQ(qp.State()->windowBytes, std::numeric_limits<double>::infinity());
        EXPECT_EQ(qp.State()->timerNs, NEVER);
    }
}

TEST(RdmaDcqcnTest, ThePapersFirstCnpHalvesTheRateAtOnceAndTheNextUsesTheNewAlpha)
{
    // SIGCOMM 2015: Rt = Rc, Rc = Rc (1 - alpha/2), alpha = (1 - g) alpha + g, alpha = 1 at first.
    QueuePair qp(Make("dcqcn:paper"), 40'000'000'000);
    qp.Cnp(100 * US);
    EXPECT_DOUBLE_EQ(qp.Gbps(), 20);
    EXPECT_DOUBLE_EQ(qp.TargetGbps(), 40);
    EXPECT_DOUBLE_EQ(qp.Dcqcn().alpha, 1);
    qp.Cnp(150 * US);
    EXPECT_DOUBLE_EQ(qp.Gbps(), 10);
    EXPECT_DOUBLE_EQ(qp.TargetGbps(), 20);
}

TEST(RdmaDcqcnTest, ThePapersAlphaDecaysByGEach55UsWithoutACnp)
{
    QueuePair qp(Make("dcqcn:paper"), 40'000'000'000);
    const double g = 1.0 / 256;
    qp.Cnp(0);
    qp.RunUntil(1000 * US);
    const double before = qp.Gbps();
    qp.Cnp(1000 * US); // 18 intervals of 55 us have passed.
    const double alpha = std::pow(1 - g, 18);
    EXPECT_NEAR(qp.Gbps(), before * (1 - alpha / 2), 1e-9);
    EXPECT_NEAR(qp.Dcqcn().alpha, (1 - g) * alpha + g, 1e-12);
    EXPECT_NEAR(qp.TargetGbps(), before, 1e-9);
}

TEST(RdmaDcqcnTest, ThePapersTimerAloneRecoversFiveTimesThenAddsAndNeverHyperIncreases)
{
    // F = 5: Rc moves half way to Rt = 40 in each of five steps; then Rt += 40 Mb/s per step, since
    // min(T, BC) stays 0.
    auto ops = Make("dcqcn:paper");
    QueuePair qp(ops, 100'000'000'000);
    ops->SetAttribute("ClampTargetRate", BooleanValue(true));
    qp.Cnp(0);
    qp.Cnp(50 * US);
    double rate = 25;
    double target = 50;
    for (int step = 1; step <= 12; ++step)
    {
        qp.RunUntil(50 * US + step * 55 * US - 1);
        EXPECT_NEAR(qp.Gbps(), rate, 1e-9) << step;
        qp.RunUntil(50 * US + step * 55 * US);
        target += step > 5 ? 0.040 : 0;
        rate = (rate + target) / 2;
        EXPECT_NEAR(qp.Gbps(), rate, 1e-9) << step;
        EXPECT_NEAR(qp.TargetGbps(), target, 1e-9) << step;
    }
}

TEST(RdmaDcqcnTest, ThePapersByteCounterStepsEach10MbAndBothCountersBeyondFHyperIncrease)
{
    QueuePair qp(Make("dcqcn:paper"), 100'000'000'000);
    qp.Sent(0, 20'000'000); // Before any CNP nothing counts.
    EXPECT_EQ(qp.Gbps(), 100);
    qp.Cnp(0);
    qp.Cnp(50 * US);
    qp.Sent(51 * US, 9'999'999);
    EXPECT_DOUBLE_EQ(qp.Gbps(), 25);
    qp.Sent(51 * US, 1);
    EXPECT_DOUBLE_EQ(qp.Gbps(), 37.5);
    EXPECT_EQ(qp.Dcqcn().byteSteps, 1U);
    qp.Sent(51 * US, 50'000'000); // four more of fast recovery, one additive
    EXPECT_EQ(qp.Dcqcn().byteSteps, 6U);
    EXPECT_NEAR(qp.TargetGbps(), 50.040, 1e-9);
    qp.RunUntil(50 * US + 6 * 55 * US); // T = 0 to 5 before the step: additive
    EXPECT_EQ(qp.Dcqcn().timerSteps, 6U);
    EXPECT_NEAR(qp.TargetGbps(), 50.040 + 6 * 0.040, 1e-9);
    qp.RunUntil(50 * US + 7 * 55 * US); // min(6, 6) - 5 = 1 time R_HAI
    EXPECT_NEAR(qp.TargetGbps(), 50.280 + 0.200, 1e-9);
    qp.Sent(50 * US + 7 * 55 * US, 10'000'000); // min(7, 6) - 5 = 1
    qp.Sent(50 * US + 7 * 55 * US, 10'000'000); // min(7, 7) - 5 = 2
    EXPECT_NEAR(qp.TargetGbps(), 50.480 + 0.200 + 0.400, 1e-9);
}

TEST(RdmaDcqcnTest, ThePapersCnpRestartsTimerBytesAndSteps)
{
    QueuePair qp(Make("dcqcn:paper"), 100'000'000'000);
    qp.Cnp(0);
    qp.Sent(1000, 9'000'000);
    qp.RunUntil(110 * US);
    EXPECT_EQ(qp.Dcqcn().timerSteps, 2U);
    qp.Cnp(120 * US);
    EXPECT_EQ(qp.Dcqcn().timerSteps, 0U);
    EXPECT_EQ(qp.Dcqcn().sentBytes, 0U);
    EXPECT_EQ(qp.State()->timerNs, 175 * US);
}

TEST(RdmaDcqcnTest, ThePapersEchoesCountOncePer50UsWhileCnpsAlwaysDo)
{
    QueuePair qp(Make("dcqcn:paper"), 40'000'000'000);
    qp.Echo(0);
    EXPECT_DOUBLE_EQ(qp.Gbps(), 20);
    qp.Echo(49 * US);
    EXPECT_DOUBLE_EQ(qp.Gbps(), 20);
    qp.Cnp(49 * US);
    EXPECT_DOUBLE_EQ(qp.Gbps(), 10);
    qp.Echo(50 * US);
    EXPECT_DOUBLE_EQ(qp.Gbps(), 10);
    qp.Echo(99 * US);
    EXPECT_DOUBLE_EQ(qp.Gbps(), 5);
}

TEST(RdmaDcqcnTest, TheAuthorsFirstCnpKeepsTheRateAndCutsOneNsAfterTheFourthAlpha)
{
    // alpha = 1 at the CNP, then four updates without another: (1 - g)^4.
    QueuePair qp(Make("dcqcn:authors"));
    const double g = 1.0 / 256;
    qp.Cnp(100 * US);
    EXPECT_EQ(qp.Gbps(), 100);
    EXPECT_EQ(qp.State()->timerNs, 104 * US + 1);
    qp.RunUntil(104 * US);
    EXPECT_EQ(qp.Gbps(), 100);
    qp.RunUntil(104 * US + 1);
    EXPECT_NEAR(qp.Gbps(), 100 * (1 - std::pow(1 - g, 4) / 2), 1e-9);
    EXPECT_NEAR(qp.Dcqcn().alpha, std::pow(1 - g, 4), 1e-12);
    EXPECT_EQ(qp.TargetGbps(), 100);
    EXPECT_EQ(qp.State()->timerNs, 404 * US + 1);
}

TEST(RdmaDcqcnTest, TheAuthorsAlphaRisesInTheIntervalsThatHadACnp)
{
    QueuePair qp(Make("dcqcn:authors"));
    const double g = 1.0 / 256;
    qp.Cnp(0);
    qp.Cnp(1500);
    qp.Cnp(1600);
    qp.RunUntil(4 * US + 1);
    double alpha = 1 - g;        // at 1 us
    alpha = (1 - g) * alpha + g; // at 2 us: a CNP at 1.5 us
    alpha *= (1 - g) * (1 - g);  // at 3 and 4 us
    EXPECT_NEAR(qp.Dcqcn().alpha, alpha, 1e-12);
    EXPECT_NEAR(qp.Gbps(), 100 * (1 - alpha / 2), 1e-9);
    qp.Cnp(6500);
    alpha *= (1 - g) * (1 - g); // at 5 and 6 us
    EXPECT_NEAR(qp.Dcqcn().alpha, alpha, 1e-12);
    qp.RunUntil(8 * US + 1);
    EXPECT_NEAR(qp.Dcqcn().alpha, ((1 - g) * alpha + g) * (1 - g), 1e-12); // at 7 and 8 us
}

TEST(RdmaDcqcnTest, TheAuthorsConsecutiveCutsKeepTheTargetAndOneAfterAnIncreaseLowersIt)
{
    QueuePair qp(Make("dcqcn:authors"));
    qp.Cnp(0);
    qp.Cnp(5 * US);
    qp.RunUntil(8 * US + 1);
    const double twice = qp.Gbps();
    const double g = 1.0 / 256;
    const double first = std::pow(1 - g, 4);
    const double second = ((1 - g) * (first * (1 - g)) + g) * (1 - g) * (1 - g);
    EXPECT_NEAR(twice, 100 * (1 - first / 2) * (1 - second / 2), 1e-9);
    EXPECT_EQ(qp.TargetGbps(), 100);
    qp.RunUntil(308 * US + 1); // fast recovery
    const double recovered = (twice + 100) / 2;
    EXPECT_NEAR(qp.Gbps(), recovered, 1e-9);
    qp.Cnp(309 * US);
    qp.RunUntil(312 * US + 1);
    EXPECT_NEAR(qp.TargetGbps(), recovered, 1e-9);
    EXPECT_LT(qp.Gbps(), recovered);
}

TEST(RdmaDcqcnTest, TheAuthorsDecreaseChecksStayOnTheGridOfTheFirstCnp)
{
    QueuePair qp(Make("dcqcn:authors"));
    qp.Cnp(100);
    qp.RunUntil(5 * US);
    qp.Cnp(10'900); // Checks at 4101 + 4000 k ns.
    EXPECT_EQ(qp.State()->timerNs, 12'101);
    qp.Cnp(50'101);
    EXPECT_EQ(qp.State()->timerNs, 52'101);
}

TEST(RdmaDcqcnTest, TheAuthorsIncreaseComesBeforeTheDecreaseOfTheSameNs)
{
    // 300 us is 75 times 4 us, so each increase falls on a check.
    QueuePair qp(Make("dcqcn:authors"));
    qp.Cnp(0);
    qp.RunUntil(4 * US + 1);
    const double recovered = (qp.Gbps() + 100) / 2;
    qp.Cnp(303 * US);
    qp.RunUntil(304 * US + 1);
    EXPECT_NEAR(qp.TargetGbps(), recovered, 1e-9);
    EXPECT_NEAR(qp.Gbps(), recovered * (1 - qp.Dcqcn().alpha / 2), 1e-9);
    EXPECT_EQ(qp.Dcqcn().timerSteps, 0U);
}

TEST(RdmaDcqcnTest, ADecreaseAsOftenAsAnIncreaseComesFirst)
{
    auto ops = Make("dcqcn:authors");
    ops->SetAttribute("IncreaseInterval", TimeValue(MicroSeconds(4)));
    QueuePair qp(ops);
    qp.Cnp(0);
    qp.Cnp(5 * US);
    qp.RunUntil(8 * US + 1);
    EXPECT_EQ(qp.TargetGbps(), 100);
    EXPECT_EQ(qp.State()->timerNs, 12 * US + 1);
}

TEST(RdmaDcqcnTest, TheAuthorsIncreaseIsOneFastOneAdditiveThenHyperStepsScaledWithTheLineRate)
{
    // F = 1; 20 and 200 Mb/s at 100 Gb/s; 300 us apart, timer only.
    for (uint64_t gbps : {25, 100, 400})
    {
        QueuePair qp(Make("dcqcn:authors"), gbps * 1'000'000'000);
        const double unit = static_cast<double>(gbps) / 25;
        qp.Cnp(0);
        qp.RunUntil(4 * US + 1);
        qp.RunUntil(304 * US + 1); // Rt is still the line rate.
        qp.Cnp(305 * US);
        qp.RunUntil(308 * US + 1);
        double rate = qp.Gbps();
        double target = qp.TargetGbps();
        ASSERT_LT(target, 0.9 * static_cast<double>(gbps));
        for (int step = 1; step <= 6; ++step)
        {
            qp.RunUntil(308 * US + 1 + step * 300 * US);
            target += step == 1 ? 0 : (step == 2 ? 0.005 : 0.050) * unit;
            rate = (rate + target) / 2;
            EXPECT_NEAR(qp.TargetGbps(), target, 1e-9) << step;
            EXPECT_NEAR(qp.Gbps(), rate, 1e-9) << step;
        }
    }
}

TEST(RdmaDcqcnTest, TheAuthorsEchoOfEveryMarkCountsAsACnp)
{
    QueuePair qp(Make("dcqcn:authors"));
    for (int64_t now = 0; now < 400 * US; now += 100)
    {
        qp.Echo(now);
    }
    qp.RunUntil(401 * US);
    EXPECT_NEAR(qp.Dcqcn().alpha, 1, 0.02);
    EXPECT_EQ(qp.Gbps(), 1); // MinRate
}

TEST(RdmaDcqcnTest, TheVendorsIncreasesDoNotScaleAndItsFloorIs1Mbps)
{
    auto ops = Make("dcqcn:vendor");
    QueuePair qp(ops);
    for (int64_t now = 0; now < 400 * US; now += US)
    {
        qp.Cnp(now);
    }
    qp.RunUntil(400 * US + 1);
    EXPECT_DOUBLE_EQ(qp.State()->rateBps, 1e6);
    EXPECT_EQ(Get<DoubleValue>(ops, "Gain").Get(), 5.0 / 1024);
    qp.RunUntil(400 * US + 1 + 300 * US);
    qp.Cnp(701 * US); // after an increase: lowers the target
    qp.RunUntil(705 * US);
    const double target = qp.TargetGbps();
    qp.RunUntil(1310 * US);
    EXPECT_NEAR(qp.TargetGbps(), target + 0.005, 1e-9);
}

TEST(RdmaDcqcnTest, AFlowBackAtLineRateNeedsNoTimer)
{
    QueuePair qp(Make("dcqcn:authors"));
    qp.Cnp(0);
    qp.RunUntil(1'000'000 * US);
    EXPECT_EQ(qp.Gbps(), 100);
    EXPECT_EQ(qp.State()->timerNs, NEVER);
    EXPECT_LT(qp.Timers(), 100);
    qp.Cnp(1'000'001 * US); // Alpha has decayed to nothing and is g after one update with a CNP.
    qp.RunUntil(1'000'010 * US);
    EXPECT_NEAR(qp.Gbps(), 100 * (1 - 0.5 / 256), 0.01);
}

TEST(RdmaDcqcnTest, TheRateStaysBetweenMinRateAndLineRateWhateverComes)
{
    for (const std::string name : {"dcqcn:authors", "dcqcn:vendor", "dcqcn:paper"})
    {
        auto ops = Make(name);
        QueuePair qp(ops);
        const double floorBps =
            static_cast<double>(Get<DataRateValue>(ops, "MinRate").Get().GetBitRate());
        uint64_t random = 1;
        int64_t now = 0;
        for (int i = 0; i < 20000; ++i)
        {
            random = random * 6364136223846793005 + 1442695040888963407;
            now += static_cast<int64_t>((random >> 33) % (i % 1000 < 500 ? 3000 : 300000));
            switch ((random >> 60) % 4)
            {
            case 0:
                qp.Cnp(now);
                break;
            case 1:
                qp.Echo(now);
                break;
            default:
                qp.Sent(now, 1090);
            }
            ASSERT_GE(qp.State()->rateBps, floorBps);
            ASSERT_LE(qp.State()->rateBps, 100e9);
            ASSERT_GE(qp.Dcqcn().alpha, 0);
            ASSERT_LE(qp.Dcqcn().alpha, 1);
            ASSERT_GT(qp.State()->timerNs, now);
        }
    }
}
