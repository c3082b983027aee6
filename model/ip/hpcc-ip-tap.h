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
 * Processes, as NIC firmware would, the packets between ns-3's IP stack and a host's port. Frames
 * that the tap itself emits by QbbNetDevice::Emit() or Enqueue() do not pass through it.
 */
class IpTap
{
  public:
    virtual ~IpTap() = default;

    /**
     * Handles a packet that the stack sends and that is about to join the port's queue.
     * @param port the port
     * @param frame the frame; its packet begins with the IP header. The tap may change the TOS and
     * add telemetry, and must then update Frame::bytes
     */
    virtual void Sending(QbbNetDevice& port, Frame& frame) = 0;

    /**
     * Reports that the packet of the last Sending() has joined the port's queue, or left at once.
     * @param port the port
     */
    virtual void Sent(QbbNetDevice& port) = 0;

    /**
     * Handles a packet that has arrived and is about to be handed to the stack.
     * @param port the port
     * @param frame the frame; the tap may change the TOS
     * @return true if the packet is for the tap, so that the stack does not get it
     */
    virtual bool Received(QbbNetDevice& port, Frame& frame) = 0;
};

} // namespace ns3

#endif // HPCC_IP_TAP_H
