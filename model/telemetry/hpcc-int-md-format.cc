/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-int-md-format.h"

#include "hpcc-int-md-layout.h"

#include <algorithm>

// Inserts records at switches, and reads records at hosts. The attributes are in
// hpcc-int-md-attributes.cc, the bytes on the wire in hpcc-int-md-bytes.cc.

namespace ns3
{

using namespace IntMdLayout;

namespace
{

uint32_t
PortOnWire(uint32_t port)
{
    return std::min(port, NO_PORT);
}

} // namespace

void
IntMdFormat::Learn(const TelemetryNetwork& network)
{
    // A port cannot exceed its line rate, but a class can exceed its share.
    m_mostPpm = network.classBandwidths ? NOT_AVAILABLE - 1 : 1000000;
}

void
IntMdFormat::DoOpen(TelemetryStack& stack) const
{
    stack.remainingHops = m_remainingHops ? m_remainingHops : GetMaxHops();
}

int32_t
IntMdFormat::Insert(TelemetryStack& stack, const HopSnapshot& hop, uint32_t roomBytes) const
{
    if (stack.remainingHops == 0 || roomBytes < GetHopBytes())
    {
        return Skip(stack,
                    stack.remainingHops == 0 ? TELEMETRY_HOPS_EXCEEDED : TELEMETRY_MTU_EXCEEDED);
    }
    uint32_t* word = Push(stack);
    *word++ = hop.switchId;
    *word++ = PortOnWire(hop.ingressPort) << 16 | PortOnWire(hop.egressPort);
    if (m_hopLatency)
    {
        *word++ = hop.hopLatencyNs;
    }
    *word++ = static_cast<uint32_t>(hop.queueId) << 24 |
              static_cast<uint32_t>(std::min<uint64_t>(hop.queueBytes, NO_OCCUPANCY - 1));
    if (m_egressTimestamp)
    {
        *word++ = hop.timestampNs >> 32;
        *word++ = hop.timestampNs & 0xffffffff;
    }
    *word = hop.utilizationPpm;
    return static_cast<int32_t>(GetHopBytes());
}

HopTelemetry
IntMdFormat::Read(const TelemetryStack& stack, uint32_t index) const
{
    const uint32_t* word = RecordOf(stack, index);
    HopTelemetry hop{};
    hop.portId = index;
    Set(hop, hop.switchId, word[0], TELEMETRY_SWITCH_ID, word[0] != NOT_AVAILABLE);
    uint32_t port = word[1] & 0xffff;
    Set(hop, hop.portId, port, TELEMETRY_PORT_ID, port != NO_PORT);
    word += 2;
    if (m_hopLatency)
    {
        Set(hop, hop.hopLatencyNs, *word, TELEMETRY_HOP_LATENCY, *word != NOT_AVAILABLE);
        ++word;
    }
    uint32_t occupancy = *word++ & 0xffffff;
    Set(hop, hop.queueBytes, occupancy, TELEMETRY_QUEUE, occupancy != NO_OCCUPANCY);
    if (m_egressTimestamp)
    {
        uint64_t timestamp = static_cast<uint64_t>(word[0]) << 32 | word[1];
        Set(hop, hop.timestampNs, timestamp, TELEMETRY_TIMESTAMP, timestamp != UINT64_MAX);
        word += 2;
    }
    if (!(hop.fields & (TELEMETRY_PORT_ID | TELEMETRY_QUEUE)))
    {
        Set(hop, hop.load, *word / 1e6, TELEMETRY_LOAD, *word != NOT_AVAILABLE);
        return hop;
    }
    Set(hop,
        hop.utilization,
        std::min(*word, m_mostPpm) / 1e6,
        TELEMETRY_UTILIZATION,
        *word != NOT_AVAILABLE);
    return hop;
}

uint32_t
IntMdFormat::GetBaseBytes() const
{
    return BASE_BYTES;
}

uint32_t
IntMdFormat::GetHopBytes() const
{
    return GetRecordBytes();
}

} // namespace ns3
