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

double
HpccLinkRecords::EstimateFirst(const HpccInflight& inflight,
                               const HpccLinkPlan& plan,
                               uint64_t queue,
                               double nsPerByte)
{
    return 1 + static_cast<double>(queue) * (plan.sojourn ? 1 : nsPerByte) *
                   inflight.GetPerWindowTime();
}

} // namespace ns3
