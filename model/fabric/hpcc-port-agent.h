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

/// What an agent decides on a frame before the switch asks its buffer.
struct EnqueueVerdict
{
    /// The decision.
    enum Action : uint8_t
    {
        ADMIT,     ///< go on: the next agent, then the buffer
        REFUSE,    ///< drop it with DropReason::REFUSED
        TRIM,      ///< cut its payload and move it to the DSCP of the TrimPlan, then go on
        TRIM_LAST, ///< trim the last frame that waits in its queue instead, which joins the queue
                   ///< of the DSCP now, then go on
    };

    Action action{ADMIT};     ///< the decision
    uint16_t payloadBytes{0}; ///< TRIM, TRIM_LAST: payload that stays, bytes
    uint8_t dscp{0}; ///< TRIM, TRIM_LAST: DSCP that the trimmed frame gets; 0 takes that of the
                     ///< TrimPlan. It must have the same priority
};

/// What an agent may trim. Neither these priorities nor the priority to which dscp maps may be
/// lossless at any port of the switch; otherwise QbbSwitch throws HpccInputError. PFC drops nothing
/// that needs to be trimmed, and a trimmed frame in a lossless priority would use the headroom of a
/// neighbour that cannot be paused for it.
struct TrimPlan
{
    uint8_t priorities{0}; ///< priorities that it trims, one bit each; 0: it never trims
    /// DSCP of trimmed frames; it determines their priority at this and later switches
    uint8_t dscp{0};
};

/**
 * @ingroup hpcc
 *
 * A function of a switch's egress port beyond forwarding: telemetry, marks, rates computed by the
 * switch, responses. Agents of a port run in the order in which they were added.
 *
 * For an arriving frame the switch asks Decide() of those agents that decide, then its buffer, then
 * it calls OnEnqueue().
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
     * Decides on a frame that has a route, before it is charged to the buffer. Not called for a
     * frame that was emitted here.
     * @param port the egress port, whose queues do not contain the frame
     * @param frame the frame; as trimmed if an agent before this one has trimmed it
     * @param nowNs simulated time, ns
     * @return the decision. The program ends if it returns TRIM or TRIM_LAST although
     * RocePacket::CanTrim() or GetTrimPlan() does not allow it for the frame that is trimmed
     */
    virtual EnqueueVerdict Decide(const QbbNetDevice& port, const Frame& frame, int64_t nowNs)
    {
        (void)port;
        (void)frame;
        (void)nowNs;
        return {};
    }

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
     * port's byte counter. Only for frames that the buffer has admitted, not for frames emitted
     * here or PFC frames.
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
    /// Marker; ECN_NOT_ECT if it marks none
    virtual uint8_t GetMarkedCodepoint() const
    {
        return ECN_NOT_ECT;
    }

    /// @return true if Decide() must be called
    virtual bool Decides() const
    {
        return false;
    }

    /// @return the priorities that it trims, and the DSCP of trimmed frames
    virtual TrimPlan GetTrimPlan() const
    {
        return {};
    }

    /// @return true if it needs OnEnqueue(). If one agent of a switch does, all of its agents are
    /// called
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
