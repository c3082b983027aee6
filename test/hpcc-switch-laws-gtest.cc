/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The laws that switches run, their headers and their senders: each against steps computed by hand
// from the papers.

#include "ns3/boolean.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-rcp-format.h"
#include "ns3/hpcc-rcp-law.h"
#include "ns3/hpcc-switch-agent.h"
#include "ns3/rdma-rcp.h"
#include "ns3/string.h"

#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

constexpr int64_t US = 1000;
constexpr double GBPS = 1e9;
constexpr uint64_t LINE_BPS = 100'000'000'000;

using Bytes = std::vector<uint8_t>;

template <typename Base>
Ptr<Base>
Make(const std::string& name)
{
    ObjectFactory factory;
    EXPECT_TRUE(HpccPresets::Find(Base::GetTypeId(), name, factory)) << name;
    return factory.Create<Base>();
}

/// @return a header as a source opens it
TelemetryStack
Opened(const TelemetryFormat& format, const uint32_t* words = nullptr)
{
    TelemetryStack stack;
    format.Open(stack, {4791, 17, 26, 0, words});
    return stack;
}

/// @return the bytes of a header, in data and in its ACK alike
Bytes
Written(const TelemetryFormat& format, const TelemetryStack& stack)
{
    Bytes data(format.GetWireBytes(stack));
    format.Serialize(stack, data.data());
    Bytes records(format.GetReflectedBytes(stack));
    format.SerializeRecords(stack, records.data());
    EXPECT_EQ(data, records);
    TelemetryStack read;
    EXPECT_EQ(format.Deserialize(data.data(), data.size(), read), data.size());
    Bytes again(format.GetWireBytes(read));
    format.Serialize(read, again.data());
    EXPECT_EQ(again, data);
    EXPECT_EQ(format.Deserialize(data.data(), data.size() - 1, read), 0u) << "cut off";
    EXPECT_EQ(format.DeserializeRecords(data.data(), data.size(), 2, read), 0u) << "two records";
    return data;
}

/// A queue pair of 100 Gb/s, packets of 1000 + 60 bytes and a base RTT of 10 us.
class Sender
{
  public:
    explicit Sender(Ptr<RdmaCongestionOps> ops)
        : m_ops(ops),
          m_state(ops->Open({7, LINE_BPS, 1000, 60, 10 * US, 0, nullptr}, 0))
    {
    }

    ~Sender()
    {
        m_ops->Close(m_state);
    }

    Sender(const Sender&) = delete;
    Sender& operator=(const Sender&) = delete;

    /// An ACK of some packets, with a record.
    void Ack(int64_t nowNs, int64_t rttNs, const HopTelemetry& hop, uint32_t packets = 1)
    {
        RdmaAckInfo ack{};
        m_acked += 1000 * packets;
        ack.nowNs = nowNs;
        ack.ackSeq = m_acked;
        ack.sndNxt = m_acked + 20000;
        ack.newlyAckedBytes = 1000 * packets;
        ack.rttNs = rttNs;
        ack.hops = &hop;
        ack.hopCount = 1;
        m_ops->OnAck(m_state, ack);
    }

    /// The sender has had nothing to send.
    void Restart(int64_t nowNs)
    {
        m_ops->OnRestart(m_state, nowNs, m_acked);
    }

    const RdmaCongestionState& State() const
    {
        return *m_state;
    }

    /// @return a word that packets tell the switches
    uint32_t Word(uint32_t index) const
    {
        return m_state->telemetryWords[index];
    }

  private:
    Ptr<RdmaCongestionOps> m_ops;
    RdmaCongestionState* m_state;
    uint64_t m_acked{0};
};

HopTelemetry
Granted(double rateBps)
{
    HopTelemetry hop{};
    hop.rateBps = rateBps;
    hop.fields = TELEMETRY_RATE;
    return hop;
}

} // namespace

// ---------------------------------------------------------------------------------------------
// What policies bring along

TEST(SwitchAgents, EveryPolicyAndFormatNamesOneThatThereIs)
{
    uint32_t named = 0;
    auto check = [&named](const std::string& who, const std::string& agent) {
        ObjectFactory factory;
        named += !agent.empty();
        EXPECT_TRUE(agent.empty() || HpccPresets::Find(SwitchAgent::GetTypeId(), agent, factory))
            << who << " names " << agent;
    };
    for (const auto& name : HpccPresets::Names(RdmaCongestionOps::GetTypeId()))
    {
        auto policy = Make<RdmaCongestionOps>(name);
        check(name, policy->GetPortAgent());
        if (!policy->GetDefaultTelemetry().empty())
        {
            check(name, Make<TelemetryFormat>(policy->GetDefaultTelemetry())->GetPortAgent());
        }
    }
    EXPECT_GT(named, 0u);
    EXPECT_EQ(Make<RdmaCongestionOps>("rcp+win")->GetPortAgent(), "rcp");
}

// ---------------------------------------------------------------------------------------------
// RCP

TEST(RcpLaw, AStepIsThatOfTheEquation)
{
    RcpParameters parameters;
    parameters.initialShare = 0.5;
    RcpLaw law(parameters, LINE_BPS, 10 * US);
    EXPECT_DOUBLE_EQ(law.GetRateBps(), 50 * GBPS);
    law.Arrive(100000, 0); // 80 Gb/s over 10 us
    law.CatchUp(10 * US - 1, 0);
    EXPECT_DOUBLE_EQ(law.GetRateBps(), 50 * GBPS) << "the interval is not over";
    law.CatchUp(10 * US, 12500); // 10 Gb/s over 10 us
    // (0.4 (100 - 80) - 0.226 10)/100 = 0.0574
    EXPECT_NEAR(law.GetRateBps(), 50 * GBPS * 1.0574, 1);
}

TEST(RcpLaw, AlphaAndBetaAreThoseGiven)
{
    RcpParameters parameters;
    parameters.alpha = 0.1;
    parameters.beta = 1;
    parameters.targetShare = 0.9;
    parameters.initialShare = 0.5;
    RcpLaw law(parameters, LINE_BPS, 10 * US);
    EXPECT_DOUBLE_EQ(law.GetRateBps(), 45 * GBPS);
    law.Arrive(100000, 0);
    law.CatchUp(10 * US, 12500);
    // (0.1 (90 - 80) - 10)/90 = -0.1
    EXPECT_NEAR(law.GetRateBps(), 45 * GBPS * 0.9, 1);
}

TEST(RcpLaw, TheAverageRttIsWeightedByBytesAndSetsTheInterval)
{
    RcpLaw law({}, LINE_BPS, 10 * US);
    law.Arrive(1000, 12 * US);
    law.Arrive(3000, 20 * US);
    law.Arrive(9000, 0); // tells none
    law.CatchUp(10 * US, 0);
    EXPECT_DOUBLE_EQ(law.GetRttNs(), 18 * US);
    law.Arrive(1000, 30 * US);
    law.CatchUp(28 * US - 1, 0);
    EXPECT_DOUBLE_EQ(law.GetRttNs(), 18 * US) << "the interval lasts 18 us";
    law.CatchUp(28 * US, 0);
    EXPECT_DOUBLE_EQ(law.GetRttNs(), 30 * US);
}

TEST(RcpLaw, AShorterIntervalWeighsLess)
{
    RcpParameters parameters;
    parameters.initialShare = 0.5;
    parameters.longestIntervalNs = 5 * US;
    RcpLaw law(parameters, LINE_BPS, 10 * US);
    law.Arrive(50000, 20 * US); // 80 Gb/s over 5 us
    law.CatchUp(5 * US, 0);
    EXPECT_DOUBLE_EQ(law.GetRttNs(), 15 * US); // half of the way
    // 5/15 of 0.4 (100 - 80)/100
    EXPECT_NEAR(law.GetRateBps(), 50 * GBPS * (1 + 0.08 / 3), 1);
}

TEST(RcpLaw, IntervalsOfSilenceCountWheneverTheyAreClosed)
{
    RcpParameters parameters;
    parameters.initialShare = 0.01;
    RcpLaw often(parameters, LINE_BPS, 10 * US);
    RcpLaw once(parameters, LINE_BPS, 10 * US);
    for (int64_t nowNs = 0; nowNs <= 65 * US; nowNs += 100)
    {
        often.CatchUp(nowNs, 2500);
    }
    once.CatchUp(65 * US, 2500);
    EXPECT_DOUBLE_EQ(often.GetRateBps(), once.GetRateBps());
    // 6 times 0.4 - 0.226 2/100
    EXPECT_NEAR(once.GetRateBps(), GBPS * std::pow(1.39548, 6), 1);
    once.CatchUp(int64_t{1} << 60, 0); // 36 years take no time
    EXPECT_DOUBLE_EQ(once.GetRateBps(), LINE_BPS);
    once.Arrive(250000, 0);
    once.CatchUp((int64_t{1} << 60) + 10 * US, 0);
    EXPECT_NEAR(once.GetRateBps(), LINE_BPS * 0.6, 1) << "intervals go on as before";
}

// A register of whole Mb/s never leaves a floor of a few of them: 1.4 times 1 is 1.
TEST(RcpLaw, TheRateLeavesItsFloorAndTheHeaderTellsEachStep)
{
    RcpLaw law({}, LINE_BPS, 10e6);
    for (int64_t interval = 1; interval <= 3; ++interval)
    {
        law.Arrive(2'000'000'000, 0);
        law.CatchUp(interval * 10'000'000, 1'000'000'000);
    }
    EXPECT_DOUBLE_EQ(law.GetRateBps(), 80000) << "a tenth of 1000 bytes in 10 ms";
    uint32_t last = 80;
    for (int64_t interval = 4; interval < 54; ++interval)
    {
        law.CatchUp(interval * 10'000'000, 0);
        TelemetryStack stack = Opened(*CreateObject<RcpFormat>());
        RcpFormat::Grant(stack, law.GetRateBps());
        const uint32_t kbps = stack.words[RcpFormat::RATE_KBPS];
        EXPECT_TRUE(kbps > last || kbps == 100'000'000) << kbps;
        last = kbps;
    }
    EXPECT_EQ(last, 100'000'000u) << "1.4^50 times the floor is beyond the line rate";
}

TEST(RcpFormat, TheHeaderIsRateAndRtt)
{
    auto format = Make<TelemetryFormat>("rcp");
    const uint32_t words[] = {100'000'000, 5000};
    TelemetryStack stack = Opened(*format, words);
    EXPECT_EQ(Written(*format, stack), (Bytes{0x05, 0xf5, 0xe1, 0, 0, 0, 0x13, 0x88}));
    EXPECT_EQ(RcpFormat::GetRttNs(stack), 5000u);
    EXPECT_EQ(format->Read(stack, 0).fields, TELEMETRY_RATE);
    EXPECT_EQ(format->Read(stack, 0).rateBps, 100 * GBPS);
    EXPECT_EQ(format->GetBaseBytes(), 8u);
    EXPECT_EQ(format->Validate({1, 1, 1, LINE_BPS, 5000}), "");
    EXPECT_NE(format->Validate({1, 1, 1, 5'000'000'000'000, 5000}), "");
}

TEST(RcpFormat, TheLeastRateStays)
{
    auto format = Make<TelemetryFormat>("rcp");
    TelemetryStack stack = Opened(*format);
    EXPECT_EQ(format->Read(stack, 0).fields, 0) << "nobody has said anything";
    for (auto [granted, kbps] : {std::pair(40.0009 * GBPS, 40'000'900u),
                                 std::pair(60 * GBPS, 40'000'900u),
                                 std::pair(7999.0, 7u),
                                 std::pair(3.0, 1u)})
    {
        RcpFormat::Grant(stack, granted);
        EXPECT_EQ(stack.words[0], kbps);
    }
}

TEST(RdmaRcpTest, TheRateIsThatOfThePathAndThereIsNoWindow)
{
    Sender sender(Make<RdmaCongestionOps>("rcp"));
    EXPECT_DOUBLE_EQ(sender.State().rateBps, 1060 * 8 / 10e-6) << "a packet per RTT";
    EXPECT_TRUE(std::isinf(sender.State().windowBytes));
    EXPECT_EQ(sender.Word(RcpFormat::RATE_KBPS), 100'000'000u);
    EXPECT_EQ(sender.Word(RcpFormat::RTT_NS), 0u);
    sender.Ack(10 * US, 12 * US, Granted(30 * GBPS));
    EXPECT_DOUBLE_EQ(sender.State().rateBps, 30 * GBPS);
    EXPECT_EQ(sender.Word(RcpFormat::RTT_NS), 12u * US);
    sender.Ack(11 * US, 20 * US, Granted(200 * GBPS));
    EXPECT_DOUBLE_EQ(sender.State().rateBps, 100 * GBPS) << "the line rate at most";
    EXPECT_EQ(sender.Word(RcpFormat::RTT_NS), 13u * US) << "an eighth of the way";
    sender.Ack(12 * US, -1, HopTelemetry{});
    EXPECT_DOUBLE_EQ(sender.State().rateBps, 100 * GBPS) << "a record without a rate says nothing";
    EXPECT_TRUE(std::isinf(sender.State().windowBytes));
}

TEST(RdmaRcpTest, AfterAnRttOfSilenceItAsksAgain)
{
    Sender sender(Make<RdmaCongestionOps>("rcp"));
    sender.Ack(10 * US, 12 * US, Granted(30 * GBPS));
    sender.Restart(22 * US);
    EXPECT_DOUBLE_EQ(sender.State().rateBps, 30 * GBPS);
    sender.Restart(22 * US + 1);
    EXPECT_DOUBLE_EQ(sender.State().rateBps, 1060 * 8 / 10e-6);

    auto bold = Make<RdmaCongestionOps>("rcp");
    bold->SetAttribute("StartAtLineRate", BooleanValue(true));
    EXPECT_DOUBLE_EQ(Sender(bold).State().rateBps, 100 * GBPS);
}

TEST(RdmaRcpTest, OtherTelemetryIsRefused)
{
    auto rcp = Make<RdmaCongestionOps>("rcp");
    EXPECT_EQ(rcp->Validate(5000, &Make<TelemetryFormat>("rcp")->GetCapabilities()), "");
    const std::string why = "ns3::RdmaRcp needs the telemetry format rcp";
    EXPECT_EQ(rcp->Validate(5000, nullptr), why);
    EXPECT_EQ(rcp->Validate(5000, &Make<TelemetryFormat>("csig")->GetCapabilities()), why);
    EXPECT_EQ(Make<RdmaCongestionOps>("rcp:fct")->GetPortAgent(), "rcp:fct");
}
