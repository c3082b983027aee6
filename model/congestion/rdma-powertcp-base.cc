/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-powertcp-base.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaPowerTcpBase);

namespace
{

constexpr uint32_t DEFAULT_N = 10; ///< default of the attribute N

} // namespace

TypeId
RdmaPowerTcpBase::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<RdmaPowerTcpBase, RdmaCongestionOps>("ns3::RdmaPowerTcpBase")
                            .Trace("Window",
                                   "Window W, bytes.",
                                   &RdmaPowerTcpBase::m_traceWindow,
                                   "ns3::RdmaPowerTcpBase::FlowValueTracedCallback")
                            .Trace("Rate",
                                   "Pacing rate R, bit/s.",
                                   &RdmaPowerTcpBase::m_traceRate,
                                   "ns3::RdmaPowerTcpBase::FlowValueTracedCallback")
                            .Trace("Power",
                                   "Smoothed normalised power p.",
                                   &RdmaPowerTcpBase::m_tracePower,
                                   "ns3::RdmaPowerTcpBase::FlowValueTracedCallback");
    return tid;
}

HpccTypeId
RdmaPowerTcpBase::AddParameters(HpccTypeId tid, UpdateTime update)
{
    return tid
        .Attribute("T",
                   "Base RTT tau. 0: the base RTT of the network.",
                   HpccField(&RdmaPowerTcpBase::m_baseRtt, Time(0), Time(0)))
        .Attribute(
            "Gamma",
            "Weight of the new window in the average with the old one.",
            HpccField(&RdmaPowerTcpBase::m_gamma, 0.9, std::numeric_limits<double>::min(), 1))
        .Attribute("RateAi",
                   "Additive increase beta/tau as a rate. 0: the line rate divided by N.",
                   HpccField(&RdmaPowerTcpBase::m_rateAi, DataRate(0)))
        .Attribute("N",
                   "Expected number of flows of the sender's port, used if RateAi is 0.",
                   HpccField(&RdmaPowerTcpBase::m_expectedFlows, DEFAULT_N, 1))
        .Attribute("Eta",
                   "Target power.",
                   HpccField(&RdmaPowerTcpBase::m_eta, 1, std::numeric_limits<double>::min(), 2))
        .Attribute("MinCurrent",
                   "Lower bound of the current, as a share of the line rate.",
                   HpccField(&RdmaPowerTcpBase::m_minCurrent, 0.5, 0, 1))
        .Attribute("EwmaWindow",
                   "Window that is averaged with the new one: Current; or Reference, that of a "
                   "round trip ago.",
                   HpccField(&RdmaPowerTcpBase::m_ewmaWindow,
                             EWMA_CURRENT,
                             EWMA_CURRENT,
                             "Current",
                             EWMA_REFERENCE,
                             "Reference")
                       .OnlyIf("Update", "Ack"))
        .Attribute("Update",
                   "When the window is computed from the power: Ack, with each new power; or "
                   "RoundTrip, once per round trip.",
                   HpccField(&RdmaPowerTcpBase::m_update,
                             update,
                             UPDATE_ACK,
                             "Ack",
                             UPDATE_ROUND_TRIP,
                             "RoundTrip"))
        .Attribute(
            "MinRate",
            "Lower bound of the rate; the lower bound of the window is MinRate times tau. 0: none.",
            HpccField(&RdmaPowerTcpBase::m_minRate, DataRate(0)));
}

RdmaPolicyDescription
RdmaPowerTcpBase::Describe(const TelemetryCapabilities*) const
{
    RdmaPolicyDescription needs;
    needs.minRateBps = m_minRate.GetBitRate();
    return needs;
}

std::string
RdmaPowerTcpBase::Validate(int64_t baseRttNs, const TelemetryCapabilities*) const
{
    if (m_rateAi.GetBitRate() > 0 && m_expectedFlows != DEFAULT_N)
    {
        std::ostringstream message;
        message << GetInstanceTypeId().GetName() << "::N is " << m_expectedFlows << ", allowed is "
                << DEFAULT_N << ": N has no effect, because RateAi is " << m_rateAi;
        return message.str();
    }
    return baseRttNs > 0 ? "" : ValidateBaseRtt(m_baseRtt);
}

double
RdmaPowerTcpBase::GetBaseRttNs() const
{
    return BaseRttNs(m_baseRtt);
}

bool
RdmaPowerTcpBase::HasBaseRtt() const
{
    return !m_baseRtt.IsZero();
}

double
RdmaPowerTcpBase::GetMinCurrent() const
{
    return m_minCurrent;
}

void
RdmaPowerTcpBase::Start(RdmaPowerTcpState& state, const RdmaFlowInfo& info, double tauNs)
{
    const double bytesPerBps = tauNs / 8e9;
    state.tauNs = tauNs;
    state.lineRateBps = static_cast<double>(info.lineRateBps);
    state.maxBytes = state.lineRateBps * bytesPerBps;
    state.minBytes =
        std::min(static_cast<double>(m_minRate.GetBitRate()) * bytesPerBps, state.maxBytes);
    state.betaBytes = m_rateAi.GetBitRate() > 0
                          ? static_cast<double>(m_rateAi.GetBitRate()) * bytesPerBps
                          : state.maxBytes / m_expectedFlows;
    state.windowBytes = state.maxBytes;
    state.referenceBytes = state.maxBytes;
    state.lastUpdateSeq = info.firstSeq;
    Trace(state);
}

void
RdmaPowerTcpBase::Follow(RdmaPowerTcpState& state, const RdmaAckInfo& ack)
{
    const bool roundTrip = ack.ackSeq > state.lastUpdateSeq;
    if (roundTrip || m_update == UPDATE_ACK)
    {
        const double old = m_ewmaWindow == EWMA_CURRENT ? state.windowBytes : state.referenceBytes;
        const double window =
            m_gamma * (state.referenceBytes * m_eta / state.power + state.betaBytes) +
            (1 - m_gamma) * old;
        state.windowBytes = std::max(std::min(window, state.maxBytes), state.minBytes);
        state.rateBps = state.windowBytes < state.maxBytes ? state.windowBytes * 8e9 / state.tauNs
                                                           : state.lineRateBps;
    }
    if (roundTrip)
    {
        state.referenceBytes = state.windowBytes;
        state.lastUpdateSeq = ack.sndNxt;
    }
    Trace(state);
}

RdmaCongestionSample
RdmaPowerTcpBase::Observe(const RdmaCongestionState* state) const
{
    const auto& own = *static_cast<const RdmaPowerTcpState*>(state);
    RdmaCongestionSample sample = RdmaCongestionDefaults::Observe(state);
    sample.referenceWindowBytes = own.referenceBytes;
    sample.utilization = own.power;
    return sample;
}

void
RdmaPowerTcpBase::Trace(const RdmaPowerTcpState& state)
{
    m_traceWindow(state.flowId, state.windowBytes);
    m_traceRate(state.flowId, state.rateBps);
    m_tracePower(state.flowId, state.power);
}

RdmaControlGoal::Goal
RdmaPowerTcpBase::GetGoal(const Bottleneck& bottleneck) const
{
    if (m_minCurrent == 0)
    {
        return {}; // without MinCurrent, a draining queue opens all windows together
    }
    // According to theorem 1 of the paper, the queue is the sum of the flows' additive increases.
    // The bound is twice this sum, plus one packet per flow, plus 1.5 BDPs or more, because the
    // samples of a round trip take time to return. The control law divides the reference window by
    // the power. The division is stable because the power is smoothed over tau. Samples that are
    // tau or more apart replace the smoothed power. The windows then oscillate, because each sample
    // is out of date: it reflects windows from before the last round trip and before the last
    // sample. In each round trip of an oscillation, the reference windows, whose sum is a BDP at
    // first, grow by a factor of at most Eta/MinCurrent. The packet that fills a window requests an
    // ACK, so two samples are at most one window plus one packet apart.
    const double share = bottleneck.GetBdp() / bottleneck.flows;
    const double sampleBytes = std::min(bottleneck.packetsPerSample * bottleneck.packetBytes,
                                        share + bottleneck.packetBytes);
    const double growth = std::pow(std::max(m_eta / m_minCurrent, 1.0), 1 + sampleBytes / share);
    const double swing = std::max(1.5, std::min(growth, bottleneck.flows) - 1);
    const double increase = m_rateAi.GetBitRate() > 0
                                ? bottleneck.BytesIn(bottleneck.baseRttNs) *
                                      static_cast<double>(m_rateAi.GetBitRate()) /
                                      bottleneck.rateBps
                                : bottleneck.GetBdp() / m_expectedFlows;
    // Additive increase has made the rates of the flows equal once the increases of successive
    // round trips add up to a fair share.
    constexpr double settlingRtts = 30;
    const bool fairSoon = settlingRtts * increase >= bottleneck.GetBdp() / bottleneck.flows;
    return {swing * bottleneck.GetBdp() +
                bottleneck.flows * (2 * increase + bottleneck.packetBytes),
            0.8,
            fairSoon ? FAIR : 0};
}

} // namespace ns3
