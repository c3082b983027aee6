/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_IP_TAP_H
#define HPCC_IP_TAP_H

#include "ns3/hpcc-frame.h"

namespace ns3
{

class QbbNetDevice;

/**
 * @ingroup hpcc
 *
 * Processes the packets between ns-3's IP stack and a host's port, as NIC firmware would. Frames
 * that a tap emits by QbbNetDevice::Emit() or Enqueue() do not pass through the tap.
 */
class IpTap
{
  public:
    virtual ~IpTap() = default;

    /**
     * Handles a packet from the stack just before it joins the port's queue.
     * @param port the port
     * @param frame the frame; its packet begins with the IP header. The tap may change the TOS and
     * add telemetry, and must then update Frame::bytes
     */
    virtual void Sending(QbbNetDevice& port, Frame& frame) = 0;

    /**
     * Reports that the packet of the last call of Sending() has joined the port's queue, or has
     * left immediately because the port was idle.
     * @param port the port
     */
    virtual void Sent(QbbNetDevice& port) = 0;

    /**
     * Handles a packet that has arrived, just before it is passed to the stack.
     * @param port the port
     * @param frame the frame; the tap may change the TOS
     * @return true if the tap has consumed the packet; the port then does not pass the packet to
     * the stack
     */
    virtual bool Received(QbbNetDevice& port, Frame& frame) = 0;
};

} // namespace ns3

#endif // HPCC_IP_TAP_H
