/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-packets.h"

#include "rdma-telemetry-reader.h"

#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-roce-headers.h"
#include "ns3/hpcc-roce-packet.h"

#include <algorithm>

// This file fills headers, computes sizes, and reads and writes telemetry of packets. Sizes in wire
// profiles other than Roce are computed in rdma-wire-profiles.cc.

namespace ns3
{

uint32_t
RdmaPackets::DataBytes(uint32_t payloadBytes,
                       uint8_t opcode,
                       const TelemetryFormat* format,
                       bool ipv6) const
{
    uint32_t telemetryBytes = format ? format->GetBaseBytes() : 0;
    if (m_settings.wireProfile != RdmaHostSettings::ROCE)
    {
        return ProfileDataBytes(payloadBytes + telemetryBytes);
    }
    uint32_t bytes = ETHERNET_HEADER_BYTES + IpHeaderBytes(ipv6) + UDP_HEADER_BYTES +
                     telemetryBytes + BTH_BYTES + (HasReth(opcode) ? RETH_BYTES : 0) +
                     (HasAeth(opcode) ? AETH_BYTES : 0) + (payloadBytes + 3) / 4 * 4 + ICRC_BYTES;
    return std::max(bytes, MIN_FRAME_BYTES);
}

uint32_t
RdmaPackets::AckBytes(const Frame& ack) const
{
    return m_settings.wireProfile == RdmaHostSettings::ROCE ? RoceFrameBytes(ack)
                                                            : ProfileAckBytes(ack);
}

void
RdmaPackets::FillHeaders(const RdmaQueuePair& qp, Frame& frame) const
{
    frame.kind = Frame::Kind::ROCE;
    frame.source = qp.local;
    frame.destination = qp.peer;
    frame.sourcePort = qp.udpSourcePort;
    frame.destinationPort = ROCE_UDP_PORT;
    frame.protocol = 17;
    frame.ttl = m_settings.ttl;
    frame.flowHash = qp.flowHash;
    frame.destinationQp = qp.peerNumber;
    frame.bthFlags = 0;
    frame.ipId = 0;
    frame.ipv6 = qp.ipv6;
    frame.msn = 0;
    frame.syndrome = 0;
    frame.reportedFlows = 0;
    frame.reflectionSeq = 0;
    frame.reflection.flags = 0;
}

void
RdmaPackets::FillAcknowledgement(const RdmaQueuePair& qp,
                                 Frame& frame,
                                 uint8_t opcode,
                                 uint8_t syndrome) const
{
    const uint16_t port = frame.sourcePort;
    FillHeaders(qp, frame);
    if (port != qp.udpSourcePort)
    {
        frame.sourcePort = port;
        frame.flowHash = HashFiveTuple(qp.local, qp.peer, port, ROCE_UDP_PORT, 17);
    }
    frame.tos = m_settings.ackDscp << 2;
    frame.priority = m_port->GetPriority(frame.tos);
    frame.opcode = opcode;
    frame.syndrome = syndrome;
    frame.msn = qp.deliveredMessages & 0xffffff;
    frame.payloadBytes = 0;
    const bool negative = syndrome != ROCE_SYNDROME_ACK;
    frame.psn = (negative ? qp.expectedPsn : qp.expectedPsn - 1) & 0xffffff;
}

void
RdmaPackets::OpenTelemetry(const RdmaQueuePair& qp, Frame& frame)
{
    const uint8_t dscp = frame.tos >> 2;
    qp.format->Open(
        frame.telemetry,
        {ROCE_UDP_PORT, frame.protocol, dscp, qp.cc->telemetryRequest, qp.cc->telemetryWords});
    const int marked = qp.format->GetMarking().dscp;
    if (marked >= 0)
    {
        frame.tos = static_cast<uint8_t>(marked << 2 | (frame.tos & 3));
    }
}

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
