/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-idle-path-forger.h"

#include <algorithm>

namespace ns3
{

bool
IdlePathForger::CanForge(const TelemetryFormat& format)
{
    const TelemetryCapabilities& capabilities = format.GetCapabilities();
    if (!capabilities.pathExtreme)
    {
        return true;
    }
    TelemetryStack stack{};
    const uint16_t request = capabilities.CarryOneOfSeveral() ? TELEMETRY_QUEUE_DELAY : 0;
    format.Open(stack, {4791, 17, 0, request});
    return !(capabilities.fields & (TELEMETRY_RATE | TELEMETRY_FEEDBACK)) &&
           format.Read(stack, 0).fields != 0;
}

void
IdlePathForger::Forge(const TelemetryFormat& format, TelemetryStack& stack)
{
    const TelemetryStack reported = stack;
    const TelemetryOrigin origin{reported.originalPort,
                                 reported.originalProtocol,
                                 reported.originalDscp,
                                 reported.request};
    format.Open(stack, origin);
    if (format.GetCapabilities().pathExtreme)
    {
        return;
    }
    for (uint32_t i = 0; i < std::min<uint32_t>(reported.hops, MAX_TELEMETRY_HOPS); ++i)
    {
        HopTelemetry hop = format.Read(reported, i);
        if (hop.fields & TELEMETRY_LOAD)
        {
            format.AppendLoad(stack, 0, hop.switchId);
            continue;
        }
        if (i >= m_knownHops)
        {
            m_txBytes[m_knownHops++] = hop.txBytes;
        }
        HopSnapshot idle{};
        idle.timestampNs = hop.timestampNs;
        idle.txBytes = m_txBytes[i];
        idle.bandwidthBps = hop.bandwidthBps;
        idle.switchId = hop.switchId;
        idle.egressPort = hop.portId;
        format.Insert(stack, idle, UINT32_MAX);
    }
    stack.pathId = reported.pathId;
}

} // namespace ns3
