/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-bottleneck-record.h"

#include "hpcc-inflight.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr double FULL_UTILIZATION = 0.95; ///< a link with a lower utilisation is assumed to have no
                                          ///< queue

} // namespace

HpccBottleneckRecord::HpccBottleneckRecord(const HpccParameters& parameters, HpccFlow& flow)
    : m_parameters(parameters),
      m_flow(flow),
      m_extreme(flow.extreme)
{
}

void
HpccBottleneckRecord::Forget()
{
    m_extreme.delayKnown = false;
    m_extreme.utilizationKnown = false;
    m_extreme.delayNs = 0;
    m_extreme.mayQueue = true;
}

bool
HpccBottleneckRecord::IsFresh(uint32_t round, int64_t atNs, int64_t nowNs) const
{
    return m_extreme.packetsPerRecord > 0
               ? static_cast<double>(nowNs - atNs) < m_parameters.baseRttNs
               : m_extreme.round - round <= 1;
}

void
HpccBottleneckRecord::Store(const HpccSample& sample, double perWindowTime)
{
    const HopTelemetry& hop = sample.hops[0];
    if (sample.ackSeq > m_extreme.roundEndSeq)
    {
        ++m_extreme.round;
        m_extreme.roundEndSeq = sample.sndNxt;
    }
    if (hop.fields & TELEMETRY_UTILIZATION)
    {
        m_extreme.u2 = hop.utilization;
        m_extreme.utilizationKnown = true;
        m_extreme.utilizationRound = m_extreme.round;
        m_extreme.utilizationAtNs = sample.nowNs;
        m_extreme.mayQueue = hop.utilization >= std::min(m_parameters.eta, FULL_UTILIZATION);
    }
    if (hop.fields & TELEMETRY_QUEUE_DELAY)
    {
        StoreDelay(hop, sample.nowNs, perWindowTime);
    }
}

void
HpccBottleneckRecord::StoreDelay(const HopTelemetry& hop, int64_t nowNs, double perWindowTime)
{
    const bool comparable = m_extreme.delayKnown &&
                            IsFresh(m_extreme.delayRound, m_extreme.delayAtNs, nowNs) &&
                            m_extreme.locator == hop.portId;
    const bool current = static_cast<double>(nowNs - m_extreme.delayAtNs) >=
                         HpccLinkPlan::CurrentFromNs(m_parameters, m_flow.sparse);
    const double delayNs =
        comparable && !current ? std::min(hop.queueDelayNs, m_extreme.delayNs) : hop.queueDelayNs;
    m_extreme.u1 = delayNs * perWindowTime;
    m_extreme.delayNs = hop.queueDelayNs;
    m_extreme.locator = hop.portId;
    m_extreme.delayKnown = true;
    m_extreme.delayRound = m_extreme.round;
    m_extreme.delayAtNs = nowNs;
    m_extreme.delayCommitSeq = m_flow.lastUpdateSeq;
}

HpccBottleneckRecord::Load
HpccBottleneckRecord::GetLoad(int64_t nowNs) const
{
    const bool delayFresh =
        m_extreme.delayKnown && IsFresh(m_extreme.delayRound, m_extreme.delayAtNs, nowNs);
    const bool unanswered = m_extreme.packetsPerRecord > 0 && m_extreme.delayKnown &&
                            m_extreme.mayQueue && m_extreme.delayCommitSeq == m_flow.lastUpdateSeq;
    const bool utilizationFresh =
        m_extreme.utilizationKnown &&
        IsFresh(m_extreme.utilizationRound, m_extreme.utilizationAtNs, nowNs);
    return {delayFresh || unanswered ? m_extreme.u1 : 0,
            utilizationFresh ? m_extreme.u2 : 1,
            utilizationFresh};
}

HpccInflight::Measurement
HpccInflight::MeasureBottleneck(HpccFlow& flow, const HpccSample& sample)
{
    const HopTelemetry& hop = sample.hops[0];
    m_outcome.hopCount = 1;
    m_outcome.hopU[0] = -1;
    if (!(hop.fields & (TELEMETRY_QUEUE_DELAY | TELEMETRY_UTILIZATION)))
    {
        ++m_skippedHops;
        return Measurement::STALE;
    }
    m_outcome.reset = FindReset(flow, sample, 1);
    const bool first = m_outcome.reset != HpccReset::NONE;
    if (!first && sample.nowNs <= flow.lastSampleNs)
    {
        return Measurement::STALE;
    }
    HpccBottleneckRecord record(m_parameters, flow);
    if (first)
    {
        record.Forget();
        StartPath(flow);
        flow.hopCount = 1;
    }
    record.Store(sample, m_perWindowTime);
    flow.records[0].switchId = 0;
    flow.records[0].portId = hop.portId;
    flow.records[0].ids = 0;
    const HpccBottleneckRecord::Load load = record.GetLoad(sample.nowNs);
    if (first && (load.u1 == 0 || SkipsFirst(flow)))
    {
        flow.lastSampleNs = sample.nowNs;
        return Measurement::FIRST;
    }
    if (!load.hasU2 && load.u1 == 0)
    {
        return Measurement::STALE;
    }
    const double u = load.u1 + load.u2;
    const double tau = first ? m_parameters.baseRttNs
                             : std::min(static_cast<double>(sample.nowNs - flow.lastSampleNs),
                                        m_parameters.baseRttNs);
    flow.utilization = Average(flow.utilization, u, tau);
    flow.lastSampleNs = sample.nowNs;
    ReportOnly(flow, u, tau);
    return Measurement::VALID;
}

} // namespace ns3
