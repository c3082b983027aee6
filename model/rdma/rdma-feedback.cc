/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-feedback.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/hpcc-compat.h"
#include "ns3/hpcc-presets.h"
#include "ns3/uinteger.h"

#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaFeedback);

TypeId
RdmaFeedback::GetTypeId()
{
    static TypeId tid =
        AddHpccPresets(TypeId("ns3::RdmaFeedback")
                           .SetParent<Object>()
                           .SetGroupName("Hpcc")
                           .AddConstructor<RdmaFeedback>(),
                       "packet;every-8=Forward:Interval;random=Forward:Random;"
                       "per-rtt=Forward:Round;packet:n=CountFlows:true;"
                       "receiver=Compute:Receiver;"
                       "receiver:literal=Compute:Receiver,CommitRule:Time;"
                       "receiver:rate=Compute:Receiver,Message:Rate;"
                       "receiver:n=Compute:Receiver,CountFlows:true")
            .AddAttribute("Forward",
                          "Which data packets collect telemetry: Packet (all), Interval, Random, "
                          "or Round.",
                          EnumValue(EVERY_PACKET),
                          MakeHpccEnumAccessor<Forward>(&RdmaFeedback::m_forward),
                          MakeEnumChecker(EVERY_PACKET,
                                          "Packet",
                                          INTERVAL,
                                          "Interval",
                                          RANDOM,
                                          "Random",
                                          ROUND,
                                          "Round"))
            .AddAttribute("Interval",
                          "One data packet in so many collects telemetry, with Forward Interval.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&RdmaFeedback::m_interval),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Probability",
                          "Share of data packets that collect telemetry, with Forward Random.",
                          DoubleValue(0.125),
                          MakeDoubleAccessor(&RdmaFeedback::m_probability),
                          MakeDoubleChecker<double>(std::numeric_limits<double>::min(), 1))
            .AddAttribute("Round",
                          "Time between two data packets that collect telemetry, with Forward "
                          "Round; 0 for the network's base RTT.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaFeedback::m_round),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Compute",
                          "Which end runs the law: Sender, or Receiver, which then sends what it "
                          "has computed.",
                          EnumValue(SENDER),
                          MakeHpccEnumAccessor<Compute>(&RdmaFeedback::m_compute),
                          MakeEnumChecker(SENDER, "Sender", RECEIVER, "Receiver"))
            .AddAttribute(
                "CommitRule",
                "When a receiver that computes commits, once T has passed: Epoch, only for a "
                "packet that left under the last window it sent; Time, at once, as line 29 of the "
                "draft has it.",
                EnumValue(RdmaCommitRule::EPOCH),
                MakeHpccEnumAccessor<RdmaCommitRule::Kind>(&RdmaFeedback::m_commitRule),
                MakeEnumChecker(RdmaCommitRule::EPOCH, "Epoch", RdmaCommitRule::TIME, "Time"))
            .AddAttribute("Message",
                          "What a receiver that computes sends: Window or Rate.",
                          EnumValue(WINDOW),
                          MakeHpccEnumAccessor<Message>(&RdmaFeedback::m_message),
                          MakeEnumChecker(WINDOW, "Window", RATE, "Rate"))
            .AddAttribute("CountFlows",
                          "Whether the receiver counts the flows that share its class of its link, "
                          "for the rule of W_ai.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaFeedback::m_countFlows),
                          MakeBooleanChecker())
            .AddAttribute("CountWindow",
                          "A flow counts for so long after a packet, with CountFlows; 0 for the "
                          "network's base RTT. The longest of those at a host is taken.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaFeedback::m_countWindow),
                          MakeTimeChecker(Time(0)));
    return tid;
}

std::string
RdmaFeedback::Validate() const
{
    return "";
}

std::string
RdmaFeedback::ValidateFor(const RdmaCongestionOps& policy,
                          const TelemetryCapabilities& telemetry,
                          int64_t networkBaseRttNs) const
{
    if (ComputesAtReceiver())
    {
        if (const std::string why = policy.ValidateReceiver(); !why.empty())
        {
            return "ns3::RdmaFeedback::Compute is Receiver: " + why;
        }
    }
    if (m_countFlows && telemetry.pathExtreme)
    {
        return "ns3::RdmaFeedback::CountFlows is true, allowed is false with a telemetry format "
               "that does not tell the last hop from others";
    }
    if (m_countFlows && GetCountWindowNs(networkBaseRttNs) == 0)
    {
        return "ns3::RdmaFeedback::CountWindow is 0 and the base RTT of the network is unknown; "
               "allowed is above 0";
    }
    return "";
}

void
RdmaFeedback::Open(State& state, int64_t networkBaseRttNs) const
{
    state.how = this;
    state.roundNs = m_round.IsZero() ? networkBaseRttNs : m_round.GetNanoSeconds();
}

bool
RdmaFeedback::Samples(State& state, int64_t nowNs, UniformRandomVariable& random) const
{
    switch (m_forward)
    {
    case INTERVAL:
        if (state.untilSample > 0)
        {
            --state.untilSample;
            return false;
        }
        state.untilSample = m_interval - 1;
        return true;
    case RANDOM:
        return random.GetValue() < m_probability;
    case ROUND:
        if (nowNs < state.nextRoundNs)
        {
            return false;
        }
        state.nextRoundNs = nowNs + state.roundNs;
        return true;
    default:
        return true;
    }
}

} // namespace ns3
