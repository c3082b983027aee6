/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-roce-packet.h"

#include "hpcc-frame-sizes.h"
#include "hpcc-roce-feedback.h"
#include "hpcc-roce-headers.h"

#include "ns3/hpcc-reflection-header.h"
#include "ns3/hpcc-telemetry-format.h"

#include <algorithm>

// The functions that compute the sizes of RoCE packets. The bytes are written and read in
// hpcc-roce-codec.cc.

namespace ns3
{

namespace
{

/// Returns the size of the telemetry before the BTH, bytes.
uint32_t
TelemetryBytes(const Frame& frame)
{
    return frame.CollectsTelemetry() ? frame.format->GetWireBytes(frame.telemetry) : 0;
}

} // namespace

uint32_t
RocePacket::ContentBytes(const Frame& frame)
{
    if (!frame.IsRoceFeedback())
    {
        return frame.payloadBytes;
    }
    return frame.format && frame.MayReflect() ? ReflectionBytes(frame) : 0;
}

uint32_t
RocePacket::ExtendedHeaderBytes(uint8_t opcode)
{
    return HasReth(opcode)                  ? RETH_BYTES
           : HasAeth(opcode)                ? AETH_BYTES
           : opcode == ROCE_CNP             ? RoceNotificationHeader::BYTES
           : opcode == ROCE_SWITCH_RESPONSE ? RoceSwitchResponseHeader::BYTES
                                            : 0;
}

uint32_t
RocePacket::OptionalBytes(const Frame& frame)
{
    if (frame.opcode == ROCE_CNP)
    {
        return frame.notification.authenticated ? sizeof(FeedbackTag) : 0;
    }
    return frame.NamesPacket() ? NAMED_PSN_BYTES : frame.HasSack() ? RoceSackHeader::BYTES : 0;
}

uint32_t
ReflectionBytes(const Frame& frame)
{
    const uint32_t recordBytes = frame.ReportsBottleneckHop()
                                     ? 4 * RoceFeedback::ReportWords(frame.reflection.flags)
                                     : frame.format->GetReflectedBytes(frame.telemetry);
    uint32_t tagBytes = frame.reflection.flags & REFLECTION_AUTHENTICATED ? sizeof(FeedbackTag) : 0;
    return HpccReflectionHeader::BYTES + tagBytes + recordBytes;
}

uint32_t
RoceFrameBytes(const Frame& frame)
{
    return std::max(ETHERNET_HEADER_BYTES + IpHeaderBytes(frame.ipv6) + UDP_HEADER_BYTES +
                        TelemetryBytes(frame) + RocePacket::TransportBytes(frame),
                    MIN_FRAME_BYTES);
}

uint32_t
RocePacket::TransportBytes(const Frame& frame)
{
    const uint32_t contentBytes = ContentBytes(frame);
    return BTH_BYTES + ExtendedHeaderBytes(frame.opcode) + OptionalBytes(frame) + contentBytes +
           PadBytes(contentBytes) + ICRC_BYTES;
}

} // namespace ns3
