/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-dctcp.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaDctcp);

TypeId
RdmaDctcp::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<RdmaDctcp, RdmaCongestionOps>("ns3::RdmaDctcp")
            .Presets("dctcp;"
                     "dctcp:authors=RateAi:615Mbps,LossCut:0;"
                     "dctcp:paper=Marking:10Gbps:97500:97500:1")
            .Attribute(
                "T",
                "Base RTT from which the window is computed, rate times T. 0: the base RTT of the "
                "network.",
                HpccField(&RdmaDctcp::m_baseRtt, Time(0), Time(0)))
            .Attribute(
                "Gain",
                "Weight g of the last window's share of marked bytes in alpha.",
                HpccField(&RdmaDctcp::m_gain, 1.0 / 16, std::numeric_limits<double>::min(), 1))
            .Attribute("InitialAlpha",
                       "Value of alpha before the end of the first window of data.",
                       HpccField(&RdmaDctcp::m_initialAlpha, 1, 0, 1))
            .Attribute(
                "RateAi",
                "Additive increase of the rate per window of data. 0: one packet's payload per T.",
                HpccField(&RdmaDctcp::m_rateAi, DataRate(0)))
            .Attribute("LossCut",
                       "Share by which a loss reduces the rate.",
                       HpccField(&RdmaDctcp::m_lossCut, 0.5, 0, 1))
            .Attribute("MinRate",
                       "Lower bound of the rate, above 0.",
                       HpccField(&RdmaDctcp::m_minRate, DataRate("1Gbps")))
            .Attribute("Marking",
                       "Value that EcnMarker::Thresholds of the switches should have.",
                       HpccField(&RdmaDctcp::m_marking, "10Gbps:30000:30000:1"))
            .Trace("Rate",
                   "Rate R, bit/s.",
                   &RdmaDctcp::m_traceRate,
                   "ns3::RdmaDctcp::FlowValueTracedCallback")
            .Trace("Alpha",
                   "Alpha at the end of each window of data.",
                   &RdmaDctcp::m_traceAlpha,
                   "ns3::RdmaDctcp::FlowValueTracedCallback");
    return tid;
}

RdmaPolicyDescription
RdmaDctcp::Describe(const TelemetryCapabilities*) const
{
    RdmaPolicyDescription needs;
    needs.ecn = RdmaPolicyDescription::ECT0;
    needs.reactsToTrims = m_lossCut > 0;
    needs.marking = m_marking;
    needs.minRateBps = m_minRate.GetBitRate();
    return needs;
}

std::string
RdmaDctcp::Validate(int64_t, const TelemetryCapabilities*) const
{
    const std::string why = ValidateMinRate(m_minRate);
    return why.empty() ? ValidateBaseRtt(m_baseRtt) : why;
}

void
RdmaDctcp::DoOpen(RdmaDctcpState& state, const RdmaFlowInfo& info, int64_t)
{
    state.alpha = m_initialAlpha;
    state.lineRateBps = state.rateBps;
    state.increaseBps = m_rateAi.GetBitRate() > 0 ? static_cast<double>(m_rateAi.GetBitRate())
                                                  : info.mtuBytes * 8e9 / BaseRttNs(m_baseRtt);
    state.windowEnd = info.firstSeq;
    SetRate(state, state.rateBps);
}

void
RdmaDctcp::OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack)
{
    auto& own = Own(state);
    own.ackedBytes += ack.newlyAckedBytes;
    own.markedBytes += ack.congestionExperienced ? ack.newlyAckedBytes : 0;
    const bool windowEnds = ack.ackSeq > own.windowEnd;
    if (windowEnds)
    {
        UpdateAlpha(own);
        own.windowEnd = ack.sndNxt;
    }
    own.cut = own.cut && ack.ackSeq <= own.cutEnd;
    if (ack.congestionExperienced && !own.cut)
    {
        Cut(own, own.alpha / 2, ack.sndNxt);
    }
    if (windowEnds && !own.cut)
    {
        SetRate(own, own.rateBps + own.increaseBps);
    }
}

void
RdmaDctcp::OnLoss(RdmaCongestionState* state, const RdmaLossInfo& loss)
{
    auto& own = Own(state);
    if (m_lossCut > 0 && !own.cut)
    {
        Cut(own, m_lossCut, std::max(loss.sndNxt, own.windowEnd));
    }
}

void
RdmaDctcp::UpdateAlpha(RdmaDctcpState& state)
{
    if (!state.opened)
    {
        state.opened = true;
        return;
    }
    if (state.ackedBytes == 0)
    {
        return; // the ACKs since the last update have acknowledged nothing new
    }
    const double share =
        static_cast<double>(state.markedBytes) / static_cast<double>(state.ackedBytes);
    state.alpha = (1 - m_gain) * state.alpha + m_gain * share;
    state.ackedBytes = 0;
    state.markedBytes = 0;
    m_traceAlpha(state.flowId, state.alpha);
}

void
RdmaDctcp::Cut(RdmaDctcpState& state, double share, uint64_t end)
{
    state.cut = true;
    state.cutEnd = end;
    SetRate(state, state.rateBps * (1 - share));
}

void
RdmaDctcp::SetRate(RdmaDctcpState& state, double rateBps)
{
    const double floorBps =
        std::min(static_cast<double>(m_minRate.GetBitRate()), state.lineRateBps);
    state.rateBps = std::clamp(rateBps, floorBps, state.lineRateBps);
    state.windowBytes = state.rateBps * BaseRttNs(m_baseRtt) / 8e9;
    m_traceRate(state.flowId, state.rateBps);
}

RdmaControlGoal::Goal
RdmaDctcp::GetGoal(const Bottleneck& bottleneck) const
{
    // According to section 3.3 of the paper, the queue is at most K plus one packet per flow.
    return {bottleneck.markBytes + bottleneck.flows * bottleneck.packetBytes, 0.9, FAIR};
}

} // namespace ns3
