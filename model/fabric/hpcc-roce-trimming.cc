/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-frame-sizes.h"
#include "hpcc-roce-packet.h"

#include <algorithm>

// The functions that trim RoCE packets.

namespace ns3
{

bool
RocePacket::CanTrim(const Frame& frame, uint32_t payloadBytes)
{
    return frame.kind == Frame::Kind::ROCE && !frame.IsRoceFeedback() &&
           frame.payloadBytes > payloadBytes;
}

uint32_t
RocePacket::GetTrimmedBytes(const Frame& frame, uint32_t payloadBytes)
{
    const bool padded = frame.bytes == RoceFrameBytes(frame); // false in profiles without pad
    const uint32_t before = frame.payloadBytes + (padded ? PadBytes(frame.payloadBytes) : 0);
    const uint32_t after = payloadBytes + (padded ? PadBytes(payloadBytes) : 0);
    return std::max(frame.bytes - (before - after), MIN_FRAME_BYTES);
}

void
RocePacket::Trim(Frame& frame, uint32_t payloadBytes)
{
    frame.bytes = GetTrimmedBytes(frame, payloadBytes);
    frame.payloadBytes = static_cast<uint16_t>(payloadBytes);
    frame.trimmed = true;
}

} // namespace ns3
