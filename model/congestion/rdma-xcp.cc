/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-xcp.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaXcp);

namespace
{

constexpr double RTT_GAIN = 1.0 / 8;
constexpr double LOSS_SHARE = 0.5;
constexpr double HEADER_BYTES = 4 * XcpFormat::WORDS;

} // namespace

TypeId
RdmaXcp::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<RdmaXcp, RdmaCongestionOps>("ns3::RdmaXcp")
                            .Presets("xcp")
                            .Attribute("PortAgent",
                                       "Short name of the SwitchAgent that every switch runs.",
                                       HpccField(&RdmaXcp::m_portAgent, "xcp"))
                            .Attribute("InitialPackets",
                                       "Initial window, in full packets.",
                                       HpccField(&RdmaXcp::m_initialPackets, 1, 1))
                            .Trace("Window",
                                   "Window cwnd, bytes on the link.",
                                   &RdmaXcp::m_traceWindow,
                                   "ns3::RdmaXcp::FlowValueTracedCallback")
                            .Trace("Feedback",
                                   "H_feedback of an acknowledgement, bytes on the link.",
                                   &RdmaXcp::m_traceFeedback,
                                   "ns3::RdmaXcp::FlowValueTracedCallback");
    return tid;
}

RdmaPolicyDescription
RdmaXcp::Describe(const TelemetryCapabilities*) const
{
    RdmaPolicyDescription needs;
    needs.telemetry = "xcp";
    needs.rttOfEachAck = true;
    needs.switchAgent = m_portAgent;
    return needs;
}

std::string
RdmaXcp::Validate(int64_t, const TelemetryCapabilities* telemetry) const
{
    if (!telemetry || !(telemetry->fields & TELEMETRY_FEEDBACK) ||
        telemetry->senderWords != XcpFormat::WORDS)
    {
        return GetInstanceTypeId().GetName() + " needs the telemetry format " +
               Describe(telemetry).telemetry;
    }
    return "";
}

void
RdmaXcp::DoOpen(RdmaXcpState& state, const RdmaFlowInfo& info, int64_t nowNs)
{
    state.lineRateBps = state.rateBps;
    state.mtuBytes = info.mtuBytes;
    state.packetBytes = info.mtuBytes + info.headerBytes + HEADER_BYTES;
    state.payloadShare = state.mtuBytes / state.packetBytes;
    state.rttNs = static_cast<double>(info.baseRttNs > 0 ? info.baseRttNs : GetNetworkBaseRttNs());
    state.telemetryWords = state.words.data();
    state.feedbackNs = nowNs;
    SetWindow(state, m_initialPackets * state.packetBytes);
}

void
RdmaXcp::SetWindow(RdmaXcpState& state, double cwndBytes)
{
    constexpr double most = UINT32_MAX; // H_cwnd and H_rtt have 32 bits
    const double wanted =
        std::clamp(state.lineRateBps * state.rttNs / 8e9, state.packetBytes, most);
    state.cwndBytes = std::clamp(cwndBytes, state.packetBytes, wanted);
    state.windowBytes = state.cwndBytes * state.payloadShare;
    state.rateBps = state.rttNs > 0
                        ? std::min(state.cwndBytes * 8e9 / state.rttNs, state.lineRateBps)
                        : state.lineRateBps;
    state.words[XcpFormat::CWND_BYTES] = static_cast<uint32_t>(state.cwndBytes);
    state.words[XcpFormat::RTT_NS] = static_cast<uint32_t>(std::min(state.rttNs, most));
    state.words[XcpFormat::FEEDBACK] =
        XcpFormat::FromBytes((wanted - state.cwndBytes) * state.packetBytes / state.cwndBytes);
    m_traceWindow(state.flowId, state.cwndBytes);
}

void
RdmaXcp::OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack)
{
    auto& own = Own(state);
    if (ack.rttNs > 0)
    {
        const auto rtt = static_cast<double>(ack.rttNs);
        own.rttNs = own.rttNs > 0 ? own.rttNs + RTT_GAIN * (rtt - own.rttNs) : rtt;
    }
    double change = 0;
    if (ack.hopCount > 0 && ack.hops[0].fields & TELEMETRY_FEEDBACK)
    {
        const double packets = static_cast<double>(ack.newlyAckedBytes) / own.mtuBytes;
        change = ack.hops[0].feedbackBytes * std::max(packets, 1.0);
        own.feedbackNs = ack.nowNs;
        m_traceFeedback(own.flowId, ack.hops[0].feedbackBytes);
    }
    SetWindow(own, own.cwndBytes + change);
}

void
RdmaXcp::OnLoss(RdmaCongestionState* state, const RdmaLossInfo& loss)
{
    auto& own = Own(state);
    if (static_cast<double>(loss.nowNs - own.cutNs) >= own.rttNs)
    {
        own.cutNs = loss.nowNs;
        SetWindow(own,
                  loss.cause == RdmaLossInfo::TIMEOUT ? own.packetBytes
                                                      : own.cwndBytes * LOSS_SHARE);
    }
}

void
RdmaXcp::OnRestart(RdmaCongestionState* state, const RdmaRestartInfo& restart)
{
    auto& own = Own(state);
    if (static_cast<double>(restart.nowNs - own.feedbackNs) > own.rttNs)
    {
        SetWindow(own, std::min(own.cwndBytes, m_initialPackets * own.packetBytes));
    }
}

RdmaControlGoal::Goal
RdmaXcp::GetGoal(const Bottleneck& bottleneck) const
{
    // Switches distribute the spare bandwidth and drain the standing queue (the paper, section
    // 3.5). Shuffling a tenth of the traffic makes the rates of flows equal within tens of round
    // trips. If few packets return feedback, random differences between the rates last longer.
    return {bottleneck.GetBdp(), 0.8, bottleneck.prompt ? FAIR : 0};
}

} // namespace ns3
