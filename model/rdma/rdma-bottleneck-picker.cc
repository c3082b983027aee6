/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-bottleneck-picker.h"

namespace ns3
{

RdmaBottleneckPicker::RdmaBottleneckPicker(int64_t baseRttNs)
{
    HpccParameters parameters;
    if (baseRttNs > 0)
    {
        parameters.baseRttNs = static_cast<double>(baseRttNs);
    }
    parameters.queueFilter = HpccParameters::QUEUE_AUTO;
    parameters.missingHop = HpccParameters::MISSING_SKIPS;
    m_inflight.SetParameters(parameters);
}

uint32_t
RdmaBottleneckPicker::PickFirst(const HpccSample& sample)
{
    uint32_t picked = sample.hopCount;
    double longest = -1;
    for (uint32_t i = 0; i < sample.hopCount; ++i)
    {
        const HopTelemetry& hop = sample.hops[i];
        if (!(hop.fields & TELEMETRY_QUEUE) || hop.bandwidthBps == 0)
        {
            continue;
        }
        const double queue =
            static_cast<double>(hop.queueBytes) / static_cast<double>(hop.bandwidthBps);
        if (queue > longest ||
            (queue == longest && hop.bandwidthBps < sample.hops[picked].bandwidthBps))
        {
            longest = queue;
            picked = i;
        }
    }
    return picked;
}

bool
RdmaBottleneckPicker::Pick(const HpccSample& sample, HpccBottleneckHop& report)
{
    const auto records = m_flow.records;
    const uint32_t known = m_flow.hopCount;
    report.before = {};
    switch (m_inflight.MeasureInflight(m_flow, sample))
    {
    case HpccInflight::Measurement::STALE:
        return false;
    case HpccInflight::Measurement::FIRST: {
        const uint32_t picked = PickFirst(sample);
        if (picked == sample.hopCount)
        {
            return false;
        }
        report.now = sample.hops[picked];
        return true;
    }
    case HpccInflight::Measurement::VALID:
        break;
    }
    // Hops may be missing in the sample, so the same hop may have different indices in L and in the
    // sample.
    const HpccFlow::Record& last = records[m_inflight.GetOutcome().bottleneck];
    for (uint32_t i = 0; i < sample.hopCount; ++i)
    {
        const HopTelemetry& hop = sample.hops[i];
        const bool ids = hop.fields & TELEMETRY_SWITCH_ID;
        if (hop.portId != last.portId || (ids && hop.switchId != last.switchId) ||
            !(hop.fields & TELEMETRY_QUEUE))
        {
            continue;
        }
        report.now = hop;
        if (m_inflight.GetOutcome().bottleneck < known && last.counted)
        {
            report.before = hop;
            report.before.timestampNs = last.timestampNs;
            report.before.txBytes = last.txBytes;
            report.before.queueBytes = last.queue;
        }
        return true;
    }
    return false;
}

} // namespace ns3
