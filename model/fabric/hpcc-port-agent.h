/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_PORT_AGENT_H
#define HPCC_PORT_AGENT_H

#include "hpcc-frame.h"

#include <cstdint>

namespace ns3
{

class QbbNetDevice;

/**
 * @ingroup hpcc
 *
 * A function of a switch's egress port beyond forwarding: telemetry, marks, rates computed by the
 * switch, responses. Agents of a port run in the order in which they were added.
 *
 * An agent may change a frame's headers and telemetry and must keep Frame::bytes exact; the buffer
 * stays charged with the admitted size. It may emit a frame of its own with QbbNetDevice::Emit() or
 * through the switch.
 */
class PortAgent
{
  public:
    virtual ~PortAgent() = default;

    /**
     * Handles a frame that was admitted and is about to join the port's queue.
     * @param port the egress port
     * @param frame the frame
     * @param nowNs simulated time, ns
     */
    virtual void OnEnqueue(QbbNetDevice& port, Frame& frame, int64_t nowNs)
    {
        (void)port;
        (void)frame;
        (void)nowNs;
    }

    /**
     * Handles a frame that starts its transmission: it is out of the queue and not yet in the
     * port's byte counter.
     * @param port the egress port
     * @param frame the frame
     * @param nowNs simulated time, ns
     */
    virtual void OnDequeue(QbbNetDevice& port, Frame& frame, int64_t nowNs)
    {
        (void)port;
        (void)frame;
        (void)nowNs;
    }

    /**
     * Handles the timer at the time that OnTimer returned last; first called when simulated time
     * starts.
     * @param port the egress port
     * @param nowNs simulated time, ns
     * @return when to call again, ns; not later than nowNs means never
     */
    virtual int64_t OnTimer(QbbNetDevice& port, int64_t nowNs)
    {
        (void)port;
        (void)nowNs;
        return 0;
    }

    /// @return EcnCodepoint of the packets that this agent marks, in the place of the switch's
    /// EcnMarker; ECN_NOT_ECT if it marks none
    virtual uint8_t GetMarkedCodepoint() const
    {
        return ECN_NOT_ECT;
    }

    /// @return true if OnEnqueue is wanted
    virtual bool WantsEnqueue() const
    {
        return false;
    }

    /// @return true if OnTimer is wanted
    virtual bool WantsTimer() const
    {
        return false;
    }
};

} // namespace ns3

#endif // HPCC_PORT_AGENT_H
