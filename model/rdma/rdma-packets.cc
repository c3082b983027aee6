/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-packets.h"

#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-reflection-header.h"
#include "ns3/hpcc-roce-headers.h"
#include "ns3/hpcc-roce-packet.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Bytes of an ACK in the profile Authors, without telemetry.
constexpr uint32_t AUTHORS_ACK_BYTES = 46;

/// Bytes of the headers of a data packet, and of an ACK without telemetry, in the profile Uec.
constexpr uint32_t UEC_BYTES = 64;

/**
 * @param telemetryBytes bytes of telemetry that an ACK returns in the profile Authors
 * @return size of the ACK without FCS
 */
uint32_t
AuthorsAckBytes(uint32_t telemetryBytes)
{
    return std::max(AUTHORS_ACK_BYTES + telemetryBytes, MIN_FRAME_BYTES);
}

} // namespace

bool
RdmaPackets::UsesIpv6(const TelemetryFormat* format) const
{
    return m_settings.ipv6 || (format && format->GetMarking().ipv6);
}

uint32_t
RdmaPackets::DataBytes(uint32_t payloadBytes, uint8_t opcode, const TelemetryFormat* format) const
{
    uint32_t telemetryBytes = format ? format->GetBaseBytes() : 0;
    if (m_settings.wireProfile == RdmaHostSettings::AUTHORS)
    {
        return m_settings.authorsHeaderBytes + telemetryBytes + payloadBytes;
    }
    if (m_settings.wireProfile == RdmaHostSettings::UEC)
    {
        return UEC_BYTES + telemetryBytes + payloadBytes;
    }
    uint32_t bytes = ETHERNET_HEADER_BYTES + IpHeaderBytes(UsesIpv6(format)) + UDP_HEADER_BYTES +
                     telemetryBytes + BTH_BYTES + (HasReth(opcode) ? RETH_BYTES : 0) +
                     (HasAeth(opcode) ? AETH_BYTES : 0) + (payloadBytes + 3) / 4 * 4 + ICRC_BYTES;
    return std::max(bytes, MIN_FRAME_BYTES);
}

uint32_t
RdmaPackets::AckBytes(const TelemetryFormat* format, uint32_t hops, uint8_t syndrome) const
{
    Frame frame;
    frame.opcode = ROCE_ACK;
    frame.syndrome = syndrome;
    frame.ipv6 = UsesIpv6(format);
    frame.payloadBytes = 0;
    frame.format = format;
    frame.reflection.flags = m_settings.feedbackKey.empty() ? 0 : REFLECTION_AUTHENTICATED;
    frame.telemetry = TelemetryStack();
    if (format)
    {
        format->Open(frame.telemetry, {ROCE_UDP_PORT, 17, 0});
        frame.telemetry.hops = static_cast<uint8_t>(hops);
    }
    return AckBytes(frame);
}

uint32_t
RdmaPackets::AckBytes(const Frame& ack) const
{
    if (m_settings.wireProfile == RdmaHostSettings::ROCE)
    {
        return RoceFrameBytes(ack);
    }
    const uint32_t telemetryBytes = ack.format ? ack.format->GetReflectedBytes(ack.telemetry) : 0;
    return m_settings.wireProfile == RdmaHostSettings::UEC ? UEC_BYTES + telemetryBytes
                                                           : AuthorsAckBytes(telemetryBytes);
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

} // namespace ns3
