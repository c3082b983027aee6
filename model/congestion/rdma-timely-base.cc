/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-timely-base.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaTimelyBase);

TypeId
RdmaTimelyBase::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaTimelyBase")
            .SetParent<RdmaCongestionOps>()
            .SetGroupName("Hpcc")
            .AddTraceSource("Rate",
                            "Rate, bit/s, at each update.",
                            MakeTraceSourceAccessor(&RdmaTimelyBase::m_traceRate),
                            "ns3::RdmaTimelyBase::FlowValueTracedCallback")
            .AddTraceSource("Rtt",
                            "RTT sample, ns, of each update.",
                            MakeTraceSourceAccessor(&RdmaTimelyBase::m_traceRtt),
                            "ns3::RdmaTimelyBase::FlowValueTracedCallback")
            .AddTraceSource("Gradient",
                            "Normalised RTT gradient at each update.",
                            MakeTraceSourceAccessor(&RdmaTimelyBase::m_traceGradient),
                            "ns3::RdmaTimelyBase::FlowValueTracedCallback");
    return tid;
}

TypeId
RdmaTimelyBase::AddParameters(TypeId tid, double beta)
{
    constexpr double ABOVE_0 = std::numeric_limits<double>::min();
    return tid
        .AddAttribute("TLow",
                      "RTT below which the rate always rises; at most THigh.",
                      TimeValue(MicroSeconds(50)),
                      MakeTimeAccessor(&RdmaTimelyBase::m_tLow),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("THigh",
                      "RTT above which the rate always falls.",
                      TimeValue(MicroSeconds(500)),
                      MakeTimeAccessor(&RdmaTimelyBase::m_tHigh),
                      MakeTimeChecker(NanoSeconds(1)))
        .AddAttribute("MinRtt",
                      "RTT that a difference of 1 in the gradient stands for.",
                      TimeValue(MicroSeconds(20)),
                      MakeTimeAccessor(&RdmaTimelyBase::m_minRtt),
                      MakeTimeChecker(NanoSeconds(1)))
        .AddAttribute("EwmaWeight",
                      "Weight alpha of a new RTT difference.",
                      DoubleValue(0.875),
                      MakeDoubleAccessor(&RdmaTimelyBase::m_ewmaWeight),
                      MakeDoubleChecker<double>(ABOVE_0, 1))
        .AddAttribute("Beta",
                      "Multiplicative decrease factor.",
                      DoubleValue(beta),
                      MakeDoubleAccessor(&RdmaTimelyBase::m_beta),
                      MakeDoubleChecker<double>(ABOVE_0, 1))
        .AddAttribute("Delta",
                      "Additive increase at a line rate of ReferenceRate.",
                      DataRateValue(DataRate("10Mbps")),
                      MakeDataRateAccessor(&RdmaTimelyBase::m_delta),
                      MakeDataRateChecker())
        .AddAttribute("ReferenceRate",
                      "Line rate of Delta, with which it scales; 0 for no scaling.",
                      DataRateValue(DataRate("10Gbps")),
                      MakeDataRateAccessor(&RdmaTimelyBase::m_referenceRate),
                      MakeDataRateChecker())
        .AddAttribute("UpdateBytes",
                      "Bytes acknowledged between updates; 0 for one update per round trip.",
                      UintegerValue(0),
                      MakeUintegerAccessor(&RdmaTimelyBase::m_updateBytes),
                      MakeUintegerChecker<uint64_t>())
        .AddAttribute("ScaleWithTime",
                      "Whether steps shrink when updates are closer than MinRtt.",
                      BooleanValue(false),
                      MakeBooleanAccessor(&RdmaTimelyBase::m_scaleWithTime),
                      MakeBooleanChecker())
        .AddAttribute("MaxCut",
                      "Largest share of the rate that an update takes.",
                      DoubleValue(1),
                      MakeDoubleAccessor(&RdmaTimelyBase::m_maxCut),
                      MakeDoubleChecker<double>(ABOVE_0, 1))
        .AddAttribute("MinRate",
                      "Floor of the rate, above 0.",
                      DataRateValue(DataRate("1Gbps")),
                      MakeDataRateAccessor(&RdmaTimelyBase::m_minRate),
                      MakeDataRateChecker());
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
    // Above THigh all rates fall, with the first sample that shows it: a queue of THigh later.
    const double reactionNs = bottleneck.baseRttNs + 2 * m_tHigh.GetDouble();
    return {bottleneck.BytesIn(reactionNs) + (bottleneck.flows - 1) * bottleneck.GetBdp(), 0, 0};
}

} // namespace ns3
