/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-telemetry-reader.h"

#include <algorithm>

namespace ns3
{

uint32_t
RdmaTelemetryReader::ReadHops(const TelemetryFormat& format,
                              const TelemetryStack& stack,
                              uint8_t priority,
                              HopTelemetry* hops)
{
    uint32_t count = std::min<uint32_t>(stack.hops, MAX_TELEMETRY_HOPS);
    const TelemetryCapabilities& carried = format.GetCapabilities();
    const TelemetryInventory* inventory = PeekPointer(m_inventories[priority]);
    const bool lookUp = inventory && !carried.pathExtreme;
    const bool carriesRate = carried.fields & TELEMETRY_BANDWIDTH;
    for (uint32_t i = 0; i < count; ++i)
    {
        hops[i] = format.Read(stack, i);
        if (lookUp && !(carriesRate && hops[i].fields & TELEMETRY_BANDWIDTH) &&
            !(hops[i].fields & TELEMETRY_LOAD))
        {
            LookUpRate(hops[i], *inventory);
        }
    }
    return count;
}

void
RdmaTelemetryReader::ReadContext(RdmaQueuePair& qp, const Frame& frame, RdmaAckInfo& ack)
{
    ack.pathId = frame.telemetry.pathId;
    ack.idleNs = qp.idleNs;
    ack.reportedFlows = frame.reportedFlows;
    qp.idleNs = 0;
}

void
RdmaTelemetryReader::ReadAck(RdmaQueuePair& qp, const Frame& frame, RdmaAckInfo& ack)
{
    ack.telemetry = &frame.format->GetCapabilities();
    ack.hopCount =
        ReadHops(*frame.format, frame.telemetry, qp.priority, const_cast<HopTelemetry*>(ack.hops));
    ReadContext(qp, frame, ack);
}

void
RdmaTelemetryReader::LookUpRate(HopTelemetry& hop, uint8_t priority)
{
    const TelemetryInventory* inventory = PeekPointer(m_inventories[priority]);
    if (!(hop.fields & TELEMETRY_BANDWIDTH) && inventory)
    {
        LookUpRate(hop, *inventory);
    }
}

void
RdmaTelemetryReader::LookUpRate(HopTelemetry& hop, const TelemetryInventory& inventory)
{
    uint64_t rate = inventory.Lookup(hop.switchId, hop.portId);
    hop.bandwidthBps = rate;
    if (rate)
    {
        hop.fields |= TELEMETRY_BANDWIDTH;
    }
    else
    {
        ++m_counts.unknownLinks;
    }
}

} // namespace ns3
