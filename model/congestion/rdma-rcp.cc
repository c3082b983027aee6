/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-rcp.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaRcp);

namespace
{

constexpr double RTT_GAIN = 1.0 / 8;

} // namespace

TypeId
RdmaRcp::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<RdmaRcp, RdmaCongestionOps>("ns3::RdmaRcp")
            .Presets("rcp;rcp:fct=PortAgent:rcp:fct")
            .Attribute("PortAgent",
                       "Short name of the SwitchAgent that every switch runs.",
                       HpccField(&RdmaRcp::m_portAgent, "rcp"))
            .Attribute("StartAtLineRate",
                       "Whether flows start at the line rate. False: with one packet per RTT.",
                       HpccField(&RdmaRcp::m_startAtLineRate, false))
            .Trace("Rate",
                   "Rate R, bit/s.",
                   &RdmaRcp::m_traceRate,
                   "ns3::RdmaRcp::FlowValueTracedCallback");
    return tid;
}

RdmaPolicyDescription
RdmaRcp::Describe(const TelemetryCapabilities*) const
{
    RdmaPolicyDescription needs;
    needs.telemetry = "rcp";
    needs.promptFeedback = true;
    needs.rttOfEachAck = true;
    needs.switchAgent = m_portAgent;
    return needs;
}

std::string
RdmaRcp::Validate(int64_t, const TelemetryCapabilities* telemetry) const
{
    if (!telemetry || !(telemetry->fields & TELEMETRY_RATE) ||
        telemetry->senderWords != RcpFormat::WORDS)
    {
        return GetInstanceTypeId().GetName() + " needs the telemetry format " +
               Describe(telemetry).telemetry;
    }
    return "";
}

void
RdmaRcp::DoOpen(RdmaRcpState& state, const RdmaFlowInfo& info, int64_t nowNs)
{
    state.lineRateBps = state.rateBps;
    const int64_t rttNs = info.baseRttNs > 0 ? info.baseRttNs : GetNetworkBaseRttNs();
    state.startRateBps = m_startAtLineRate || rttNs <= 0 ? state.lineRateBps
                                                         : (info.mtuBytes + info.headerBytes) *
                                                               8e9 / static_cast<double>(rttNs);
    state.words[RcpFormat::RATE_KBPS] = RcpFormat::ToKbps(state.lineRateBps);
    state.telemetryWords = state.words.data();
    state.grantedNs = nowNs;
    SetRate(state, state.startRateBps);
}

void
RdmaRcp::OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack)
{
    auto& own = Own(state);
    if (ack.rttNs > 0)
    {
        const auto rtt = static_cast<double>(ack.rttNs);
        own.rttNs = own.rttNs > 0 ? own.rttNs + RTT_GAIN * (rtt - own.rttNs) : rtt;
        own.words[RcpFormat::RTT_NS] = static_cast<uint32_t>(own.rttNs);
    }
    if (ack.hopCount > 0 && ack.hops[0].fields & TELEMETRY_RATE)
    {
        own.grantedNs = ack.nowNs;
        SetRate(own, ack.hops[0].rateBps);
    }
}

void
RdmaRcp::OnRestart(RdmaCongestionState* state, const RdmaRestartInfo& restart)
{
    auto& own = Own(state);
    if (static_cast<double>(restart.nowNs - own.grantedNs) > own.rttNs)
    {
        SetRate(own, std::min(own.rateBps, own.startRateBps));
    }
}

void
RdmaRcp::SetRate(RdmaRcpState& state, double rateBps)
{
    state.rateBps = std::min(rateBps, state.lineRateBps);
    m_traceRate(state.flowId, state.rateBps);
}

RdmaControlGoal::Goal
RdmaRcp::GetGoal(const Bottleneck& bottleneck) const
{
    // Switches distribute the line rate and drain the queue over a round trip. If only some packets
    // return a rate, a flow uses a rate that is several round trips old; the slower the flow, the
    // older the rate. The rates then oscillate for longer than the goal allows.
    return bottleneck.everyPacket ? Goal{bottleneck.GetBdp(), 0.2, FAIR} : Goal{};
}

} // namespace ns3
