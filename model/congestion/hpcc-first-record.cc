/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-inflight.h"
#include "hpcc-link-records.h"
#include "hpcc-reaction.h"

#include <algorithm>

// Handles records that are treated as the first of a path, for one of the reasons in HpccReset.
// These records are not compared with stored records.

namespace ns3
{

bool
HpccInflight::SkipsFirst(const HpccFlow& flow) const
{
    return m_parameters.firstSample == HpccParameters::FIRST_SKIP ||
           (m_parameters.firstSample == HpccParameters::FIRST_DEFAULT && !flow.sparse);
}

void
HpccInflight::StartPath(HpccFlow& flow) const
{
    if (m_outcome.reset == HpccReset::PATH_CHANGE)
    {
        flow.utilization = m_parameters.initialU;
        flow.incStage = 0;
    }
}

HpccInflight::Measurement
HpccInflight::StoreFirst(HpccFlow& flow, const HpccSample& sample)
{
    StartPath(flow);
    if (m_outcome.reset == HpccReset::IDLE_GAP)
    {
        flow.paths.clear();
    }
    if (flow.hopWindows && (flow.hopCount == 0 || m_outcome.reset == HpccReset::PATH_CHANGE))
    {
        flow.hopWindows->fill({flow.referenceBytes, flow.utilization, flow.incStage, false});
    }
    double u = 0;
    uint32_t bottleneck = 0;
    for (uint32_t i = 0; i < m_outcome.hopCount; ++i)
    {
        const double load = StoreFirstOfHop(flow, sample, i);
        m_outcome.hopU[i] = -1;
        if (flow.hopWindows && load > 0 && !SkipsFirst(flow))
        {
            AverageHop((*flow.hopWindows)[i], 1 + load, m_parameters.baseRttNs);
        }
        if (load > u)
        {
            u = load;
            bottleneck = i;
        }
    }
    flow.hopCount = m_outcome.hopCount;
    flow.pathId = sample.pathId;
    flow.lastSampleNs = sample.nowNs;
    flow.lastLoads.clear();
    if (u == 0 || SkipsFirst(flow))
    {
        return Measurement::FIRST;
    }
    double tau = m_parameters.baseRttNs;
    if (HpccReaction::IsOfOtherPath(flow, m_outcome.reset))
    {
        tau /= static_cast<double>(std::max<size_t>(flow.paths.size(), 1));
        flow.utilization = Average(flow.utilization, 1 + u, tau);
    }
    else
    {
        flow.utilization = 1 + u;
    }
    m_outcome.hopU[bottleneck] = 1 + u;
    Report(flow, bottleneck, 1 + u, tau);
    return Measurement::VALID;
}

double
HpccInflight::StoreFirstOfHop(HpccFlow& flow, const HpccSample& sample, uint32_t i)
{
    const HopTelemetry& hop = sample.hops[i];
    HpccFlow::Record& record = flow.records[i];
    record.SetIds(hop, i);
    record.bandwidthBps = 0;
    record.counted = false;
    if ((hop.fields & m_plan.required) != m_plan.required ||
        (hop.bandwidthBps == 0 && m_plan.needsBandwidth))
    {
        m_skippedHops += !(hop.fields & TELEMETRY_LOAD);
        // The record of a domain edge contains u' itself. The caller adds 1 to the returned value,
        // so u' - 1 is returned.
        return hop.fields & TELEMETRY_LOAD ? hop.load - 1 : 0;
    }
    record.SetBandwidth(hop);
    const uint64_t queue = m_plan.sojourn ? hop.hopLatencyNs : hop.queueBytes;
    record.Store(hop, queue);
    return static_cast<double>(queue) * (m_plan.sojourn ? 1 : record.nsPerByte) * m_perWindowTime;
}

} // namespace ns3
