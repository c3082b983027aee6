/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-missing-hops.h"

#include <limits>

namespace ns3
{

uint32_t
HpccMissingHops::Complete(HpccFlow& flow, HpccSample& sample, double baseRttNs)
{
    constexpr int64_t never = std::numeric_limits<int64_t>::min() / 2;
    if (!(sample.telemetry->fields & TELEMETRY_SWITCH_ID))
    {
        return 0;
    }
    const uint32_t missing = Match(flow, sample);
    if (missing == 0)
    {
        return 0;
    }
    flow.lastLoads.resize(flow.hopCount, {0, never});
    for (uint32_t i = 0; i < flow.hopCount; ++i)
    {
        const HpccFlow::LastLoad& last = flow.lastLoads[i];
        if (missing >> i & 1 && static_cast<double>(sample.nowNs - last.atNs) <= 2 * baseRttNs)
        {
            m_completed[i].load = last.u;
        }
    }
    sample.hops = m_completed.data();
    sample.hopCount = flow.hopCount;
    return missing;
}

uint32_t
HpccMissingHops::Match(const HpccFlow& flow, const HpccSample& sample)
{
    uint32_t missing = 0;
    uint32_t next = 0;
    for (uint32_t i = 0; i < flow.hopCount; ++i)
    {
        const HpccFlow::Record& record = flow.records[i];
        const HopTelemetry* hop = next < sample.hopCount ? &sample.hops[next] : nullptr;
        if (hop && (hop->fields & TELEMETRY_SWITCH_ID) && hop->switchId == record.switchId &&
            (!(hop->fields & TELEMETRY_PORT_ID) || hop->portId == record.portId))
        {
            m_completed[i] = *hop;
            ++next;
            continue;
        }
        missing |= 1U << i;
        m_completed[i] = {};
        m_completed[i].fields = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID | TELEMETRY_LOAD;
        m_completed[i].switchId = record.switchId;
        m_completed[i].portId = record.portId;
        m_completed[i].load = -1; // unknown
    }
    return next < sample.hopCount ? 0 : missing;
}

} // namespace ns3
