/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-link-records.h"

namespace ns3
{

HpccLinkChange
HpccLinkRecords::CompareIncomplete(HpccFlow& flow,
                                   const HpccSample& sample,
                                   uint32_t i,
                                   bool missing)
{
    const HopTelemetry& hop = sample.hops[i];
    HpccFlow::Record& last = flow.records[i];
    HpccLinkChange link{};
    link.missing = missing;
    link.load = -1;
    last.counted = last.counted && missing;
    if (hop.fields & TELEMETRY_LOAD && sample.nowNs > flow.lastSampleNs)
    {
        link.load = hop.load;
        link.dtNs = static_cast<double>(sample.nowNs - flow.lastSampleNs);
    }
    return link;
}

void
HpccLinkRecords::EstimateFirst(HpccLinkChange& link) const
{
    const double nsPerUnit = m_plan.sojourn ? 1 : link.nsPerByte;
    link.load =
        1 + static_cast<double>(link.queueBytes) * nsPerUnit * m_inflight.GetPerWindowTime();
    link.dtNs = m_inflight.GetParameters().baseRttNs;
}

} // namespace ns3
