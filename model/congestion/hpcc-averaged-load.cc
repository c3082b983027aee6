/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-inflight.h"

// Replaces lines 1 to 10 of the draft's algorithm for formats in which the switches average the
// load of the bottleneck hop, such as PINT (SIGCOMM 2020). These formats have
// TelemetryCapabilities::pathExtreme and TELEMETRY_LOAD. U is set to the load in the record. Only
// some packets carry a load. A record without a load is ignored; HpccInflight::GetSkippedHops()
// does not count such records.

namespace ns3
{

HpccInflight::Measurement
HpccInflight::TakeAveragedLoad(HpccFlow& flow, const HpccSample& sample)
{
    const HopTelemetry& hop = sample.hops[0];
    m_outcome.hopCount = 1;
    m_outcome.hopU[0] = -1;
    if (!(hop.fields & TELEMETRY_LOAD))
    {
        return Measurement::STALE;
    }
    m_outcome.reset = flow.hopCount == 0 ? flow.pendingReset : HpccReset::NONE;
    if (m_outcome.reset == HpccReset::PATH_CHANGE)
    {
        flow.incStage = 0;
    }
    flow.hopCount = 1;
    flow.records[0].switchId = 0;
    flow.records[0].portId = hop.portId;
    flow.records[0].ids = 0;
    flow.lastSampleNs = sample.nowNs;
    flow.utilization = hop.load;
    ReportOnly(flow, hop.load, m_parameters.baseRttNs);
    const bool first = m_outcome.reset != HpccReset::NONE;
    return first && SkipsFirst(flow) ? Measurement::FIRST : Measurement::VALID;
}

} // namespace ns3
