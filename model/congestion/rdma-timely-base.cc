/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-timely-base.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaTimelyBase);

TypeId
RdmaTimelyBase::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<RdmaTimelyBase, RdmaCongestionOps>("ns3::RdmaTimelyBase")
                            .Trace("Rate",
                                   "Rate at the start and at each update, bit/s.",
                                   &RdmaTimelyBase::m_traceRate,
                                   "ns3::RdmaTimelyBase::FlowValueTracedCallback")
                            .Trace("Rtt",
                                   "RTT sample of each update, ns.",
                                   &RdmaTimelyBase::m_traceRtt,
                                   "ns3::RdmaTimelyBase::FlowValueTracedCallback")
                            .Trace("Gradient",
                                   "Normalised RTT gradient at each update.",
                                   &RdmaTimelyBase::m_traceGradient,
                                   "ns3::RdmaTimelyBase::FlowValueTracedCallback");
    return tid;
}

HpccTypeId
RdmaTimelyBase::AddParameters(HpccTypeId tid, double beta)
{
    constexpr double ABOVE_0 = std::numeric_limits<double>::min();
    return tid
        .Attribute("TLow",
                   "RTT below which the rate always rises; at most THigh.",
                   HpccField(&RdmaTimelyBase::m_tLow, MicroSeconds(50), Time(0)))
        .Attribute("THigh",
                   "RTT above which the rate always falls.",
                   HpccField(&RdmaTimelyBase::m_tHigh, MicroSeconds(500), NanoSeconds(1)))
        .Attribute("MinRtt",
                   "RTT difference that corresponds to a gradient of 1.",
                   HpccField(&RdmaTimelyBase::m_minRtt, MicroSeconds(20), NanoSeconds(1)))
        .Attribute("EwmaWeight",
                   "Weight alpha of a new RTT difference in the average.",
                   HpccField(&RdmaTimelyBase::m_ewmaWeight, 0.875, ABOVE_0, 1))
        .Attribute("Beta",
                   "Factor of the multiplicative decrease.",
                   HpccField(&RdmaTimelyBase::m_beta, beta, ABOVE_0, 1))
        .Attribute("Delta",
                   "Additive increase of the rate at a line rate of ReferenceRate.",
                   HpccField(&RdmaTimelyBase::m_delta, DataRate("10Mbps")))
        .Attribute(
            "ReferenceRate",
            "Line rate for which Delta holds; at other line rates it is scaled. 0: no scaling.",
            HpccField(&RdmaTimelyBase::m_referenceRate, DataRate("10Gbps")))
        .Attribute(
            "UpdateBytes",
            "Bytes acknowledged between two updates of the rate. 0: one update per round trip.",
            HpccField(&RdmaTimelyBase::m_updateBytes, 0))
        .Attribute("ScaleWithTime",
                   "Whether an increase by Delta, or a decrease above THigh, is reduced if the "
                   "last update was less than MinRtt ago.",
                   HpccField(&RdmaTimelyBase::m_scaleWithTime, false))
        .Attribute("MaxCut",
                   "Largest share by which an update reduces the rate.",
                   HpccField(&RdmaTimelyBase::m_maxCut, 1, ABOVE_0, 1))
        .Attribute("MinRate",
                   "Lower bound of the rate, above 0.",
                   HpccField(&RdmaTimelyBase::m_minRate, DataRate("1Gbps")));
}

RdmaPolicyDescription
RdmaTimelyBase::Describe(const TelemetryCapabilities*) const
{
    RdmaPolicyDescription needs;
    needs.minRateBps = m_minRate.GetBitRate();
    needs.longestBaseRttNs = m_tHigh.GetNanoSeconds();
    needs.longestBaseRttIs = GetInstanceTypeId().GetName() + "::THigh";
    return needs;
}

std::string
RdmaTimelyBase::Validate(int64_t, const TelemetryCapabilities*) const
{
    if (m_tLow > m_tHigh)
    {
        std::ostringstream message;
        message << GetInstanceTypeId().GetName() << "::TLow is " << m_tLow.As(Time::US)
                << ", allowed is at most THigh, " << m_tHigh.As(Time::US);
        return message.str();
    }
    return ValidateMinRate(m_minRate);
}

bool
RdmaTimelyBase::IsBetween(const Sample& sample) const
{
    return sample.rttNs >= static_cast<double>(m_tLow.GetNanoSeconds()) &&
           sample.rttNs <= static_cast<double>(m_tHigh.GetNanoSeconds());
}

Time
RdmaTimelyBase::GetTLow() const
{
    return m_tLow;
}

double
RdmaTimelyBase::GetBeta() const
{
    return m_beta;
}

double
RdmaTimelyBase::IncreaseFactor(RdmaTimelyState&, const Sample&) const
{
    return 1;
}

void
RdmaTimelyBase::DoOpen(RdmaTimelyState& state, const RdmaFlowInfo& info, int64_t)
{
    state.lineRateBps = state.rateBps;
    state.updateSeq = info.firstSeq;
    m_traceRate(state.flowId, state.rateBps);
}

void
RdmaTimelyBase::OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack)
{
    auto& own = Own(state);
    own.ackedBytes += ack.newlyAckedBytes;
    const bool first = own.lastRttNs < 0;
    const bool due =
        m_updateBytes > 0 ? own.ackedBytes >= m_updateBytes : ack.ackSeq > own.updateSeq;
    if (ack.rttNs < 0 || !(first || due))
    {
        return;
    }
    const auto minRttNs = static_cast<double>(m_minRtt.GetNanoSeconds());
    const int64_t diffNs = first ? 0 : ack.rttNs - own.lastRttNs;
    own.rttDiffNs = (1 - m_ewmaWeight) * own.rttDiffNs + m_ewmaWeight * static_cast<double>(diffNs);
    const double elapsed = static_cast<double>(ack.nowNs - own.updatedNs) / minRttNs;
    own.lastRttNs = ack.rttNs;
    own.updatedNs = ack.nowNs;
    own.updateSeq = ack.sndNxt;
    own.ackedBytes = 0;
    if (first)
    {
        return;
    }
    Sample sample{};
    sample.rttNs = static_cast<double>(ack.rttNs);
    sample.diffNs = static_cast<double>(diffNs);
    sample.gradient = own.rttDiffNs / minRttNs;
    sample.deltaBps = static_cast<double>(m_delta.GetBitRate());
    if (m_referenceRate.GetBitRate() > 0)
    {
        sample.deltaBps *= own.lineRateBps / static_cast<double>(m_referenceRate.GetBitRate());
    }
    sample.scale = m_scaleWithTime ? std::min(1.0, elapsed) : 1;
    own.rateBps = NewRate(own, sample);
    m_traceRtt(own.flowId, sample.rttNs);
    m_traceGradient(own.flowId, sample.gradient);
    m_traceRate(own.flowId, own.rateBps);
}

double
RdmaTimelyBase::NewRate(RdmaTimelyState& state, const Sample& sample) const
{
    const double increaseBps = IncreaseFactor(state, sample) * sample.deltaBps * sample.scale;
    double rateBps = 0;
    if (IsBetween(sample))
    {
        rateBps = RateBetween(state.rateBps, sample, increaseBps);
    }
    else if (sample.rttNs < static_cast<double>(m_tLow.GetNanoSeconds()))
    {
        rateBps = state.rateBps + increaseBps;
    }
    else
    {
        const double above = 1 - static_cast<double>(m_tHigh.GetNanoSeconds()) / sample.rttNs;
        rateBps = state.rateBps * (1 - m_beta * sample.scale * above);
    }
    const double floorBps =
        std::min(static_cast<double>(m_minRate.GetBitRate()), state.lineRateBps);
    rateBps = std::max(rateBps, state.rateBps * (1 - m_maxCut));
    return std::clamp(rateBps, floorBps, state.lineRateBps);
}

RdmaControlGoal::Goal
RdmaTimelyBase::GetGoal(const Bottleneck& bottleneck) const
{
    // All flows reduce their rates at the first sample of an RTT above THigh. This sample is itself
    // delayed by THigh, because its packet waits in the queue.
    const double reactionNs = bottleneck.baseRttNs + 2 * m_tHigh.GetDouble();
    return {bottleneck.BytesIn(reactionNs) + (bottleneck.flows - 1) * bottleneck.GetBdp(), 0, 0};
}

} // namespace ns3
