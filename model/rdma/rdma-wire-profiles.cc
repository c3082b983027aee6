/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-packets.h"

#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-reflection-header.h"
#include "ns3/hpcc-roce-packet.h"

#include <algorithm>

// This file computes the sizes of packets in the wire profiles Authors and Uec, and the size of an
// ACK for which no Frame exists yet.

namespace ns3
{

namespace
{

/// Size of an ACK in the profile Authors, without telemetry, bytes.
constexpr uint32_t AUTHORS_ACK_BYTES = 46;

/// Size of the headers of a data packet, and size of an ACK without telemetry, in the profile Uec,
/// bytes.
constexpr uint32_t UEC_BYTES = 64;

/**
 * Returns the size of an ACK in the profile Authors, without FCS, bytes.
 * @param telemetryBytes size of the telemetry that the ACK returns, bytes
 */
uint32_t
AuthorsAckBytes(uint32_t telemetryBytes)
{
    return std::max(AUTHORS_ACK_BYTES + telemetryBytes, MIN_FRAME_BYTES);
}

} // namespace

uint32_t
RdmaPackets::ProfileDataBytes(uint32_t bytes) const
{
    return bytes + (m_settings.wireProfile == RdmaHostSettings::UEC
                        ? UEC_BYTES
                        : m_settings.authorsHeaderBytes);
}

uint32_t
RdmaPackets::ProfileAckBytes(const Frame& ack) const
{
    const uint32_t telemetryBytes = ack.format ? ack.format->GetReflectedBytes(ack.telemetry) : 0;
    return m_settings.wireProfile == RdmaHostSettings::UEC ? UEC_BYTES + telemetryBytes
                                                           : AuthorsAckBytes(telemetryBytes);
}

uint32_t
RdmaPackets::AckBytes(const TelemetryFormat* format, uint32_t hops, uint8_t syndrome) const
{
    if (!format && syndrome == ROCE_SYNDROME_ACK &&
        m_settings.wireProfile == RdmaHostSettings::ROCE)
    {
        // A plain ACK has the headers of a data packet with an AETH. Its size is computed for each
        // new flow, so it is computed without a Frame.
        return DataBytes(0, ROCE_ACK, nullptr, UsesIpv6(nullptr));
    }
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

} // namespace ns3
