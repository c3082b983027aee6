/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_SEGMENT_GATE_H
#define HPCC_SEGMENT_GATE_H

#include "hpcc-tcp-segment.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Decides when to send the segments that segmentation offload (QbbNetDevice::Tso) cuts from TCP's
 * large segments.
 */
class SegmentGate
{
  public:
    virtual ~SegmentGate() = default;

    /**
     * Handles a TCP segment that the stack sends. Passes each of the resulting packets to
     * QbbIpPort::SendWhole(), immediately or later.
     * @param segment the stack's segment
     * @param segments the resulting packets, each from its IP header on; a single packet if the
     * segment was not cut
     * @param limit payload of each of these packets except the last, bytes
     * @return false if a resulting packet has been dropped
     */
    virtual bool Take(const TcpSegment& segment,
                      const std::vector<Ptr<Packet>>& segments,
                      uint32_t limit) = 0;
};

} // namespace ns3

#endif // HPCC_SEGMENT_GATE_H
