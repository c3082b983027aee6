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
 * Decides when the TCP segments of a host with QbbNetDevice::Tso leave, once they are cut.
 */
class SegmentGate
{
  public:
    virtual ~SegmentGate() = default;

    /**
     * Handles a TCP segment that the stack sends. Each segment that it was cut into goes to
     * QbbIpPort::SendWhole(), now or later.
     * @param segment the stack's segment
     * @param segments the resulting packets, each from its IP header on; only the original if it is
     * small
     * @param limit payload of all these segments except the last, bytes
     * @return false if one has been dropped
     */
    virtual bool Take(const TcpSegment& segment,
                      const std::vector<Ptr<Packet>>& segments,
                      uint32_t limit) = 0;
};

} // namespace ns3

#endif // HPCC_SEGMENT_GATE_H
