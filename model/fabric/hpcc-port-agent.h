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

/// Decision of an agent about a frame, before the switch's buffer policy decides whether to admit
/// the frame.
struct EnqueueVerdict
{
    /// The action that the agent has decided.
    enum Action : uint8_t
    {
        ADMIT,  ///< the agent accepts the frame; then the next agent decides. After the last agent,
                ///< the buffer policy decides
        REFUSE, ///< drop the frame with DropReason::REFUSED
        TRIM,   ///< cut the frame's payload and change its DSCP, then proceed as with ADMIT
        TRIM_LAST, ///< trim the last frame that waits in the queue of the arriving frame, and move
                   ///< it to the queue of its new DSCP; then proceed with the arriving frame as
                   ///< with ADMIT
        DROP_LAST, ///< drop the last frame that waits in the queue of the arriving frame, with
                   ///< DropReason::REFUSED; then proceed with the arriving frame as with ADMIT
    };

    Action action{ADMIT};     ///< the decision
    uint16_t payloadBytes{0}; ///< TRIM, TRIM_LAST: payload that remains, bytes
    uint8_t dscp{0}; ///< TRIM, TRIM_LAST: DSCP of the trimmed frame; 0 selects TrimPlan::dscp. dscp
                     ///< and TrimPlan::dscp must map to the same priority
};

/// Priorities that an agent may trim, and the DSCP of trimmed frames. These priorities, and the
/// priority of trimmed frames, must be lossy at every port of the switch; otherwise QbbSwitch
/// throws HpccInputError. Frames of a lossless priority are never dropped, so they need not be
/// trimmed. If trimmed frames had a lossless priority, they could exhaust the headroom of this
/// priority. Before a frame is trimmed, the neighbour sends it with another priority, even while
/// the lossless priority is paused.
struct TrimPlan
{
    uint8_t priorities{0}; ///< priorities that the agent trims, one bit each; 0: the agent never
                           ///< trims
    /// DSCP of trimmed frames, which determines their priority at this and later switches
    uint8_t dscp{0};
    uint32_t payload{0};             ///< payload that a trimmed frame keeps, bytes
    uint64_t leastBytes{UINT64_MAX}; ///< a frame of at most this size is not trimmed at a port
                                     ///< where no other frame of its priority waits or is being
                                     ///< sent
};

/**
 * @ingroup hpcc
 *
 * An object that performs a function of a switch's egress port other than forwarding. Examples are
 * inserting telemetry, marking packets, computing rates, and sending responses. The agents of a
 * port are called in the order in which they were added.
 *
 * For an arriving frame, the switch first calls Decide() of the agents for which Decides() is true.
 * The switch then calls OnEnqueue(), provided that the buffer policy has admitted the frame and
 * that WantsEnqueue() is true for at least one agent of the switch. OnTimer() is called only if
 * WantsTimer() is true. The switch calls Decides(), WantsEnqueue() and WantsTimer() only once per
 * agent, when the agent is added.
 *
 * An agent may change a frame's headers and telemetry, and must then update Frame::bytes; the
 * buffer remains charged for the admitted size. An agent may emit new frames with
 * QbbNetDevice::Emit() or through the switch.
 */
class PortAgent
{
  public:
    virtual ~PortAgent() = default;

    /**
     * Decides about a frame that has a route, before the buffer is charged for it. Called only if
     * Decides() is true, and not for a frame emitted at this port.
     * @param port the egress port, whose queues do not contain the frame
     * @param frame the frame, which an earlier agent may have trimmed
     * @param nowNs simulated time, ns
     * @return the decision. With TRIM and TRIM_LAST, the frame to trim must be RoCE data with more
     * payload than payloadBytes, and GetTrimPlan() must contain its priority. With TRIM_LAST and
     * DROP_LAST, another frame of the same priority must wait at the port. If a condition is
     * violated, the program aborts
     */
    virtual EnqueueVerdict Decide(const QbbNetDevice& port, const Frame& frame, int64_t nowNs)
    {
        (void)port;
        (void)frame;
        (void)nowNs;
        return {};
    }

    /**
     * Handles a frame that has been admitted and is about to join the port's queue. Called only if
     * WantsEnqueue() is true for at least one agent of the switch.
     * @param port the egress port
     * @param frame frame that joins the queue
     * @param nowNs simulated time, ns
     */
    virtual void OnEnqueue(QbbNetDevice& port, Frame& frame, int64_t nowNs)
    {
        (void)port;
        (void)frame;
        (void)nowNs;
    }

    /**
     * Handles a frame whose transmission starts. The frame has left the queue, but the port's byte
     * counter does not include it yet. Called only for frames that the buffer has admitted, not for
     * PFC frames or frames emitted at this port.
     * @param port the egress port
     * @param frame frame whose first bit is sent now
     * @param nowNs simulated time, ns
     */
    virtual void OnDequeue(QbbNetDevice& port, Frame& frame, int64_t nowNs)
    {
        (void)port;
        (void)frame;
        (void)nowNs;
    }

    /**
     * Handles the timer. Called only if WantsTimer() is true: when simulated time starts, and then
     * at the time returned by the previous call.
     * @param port the egress port
     * @param nowNs simulated time, ns
     * @return time of the next call, ns; a time not later than nowNs stops the timer
     */
    virtual int64_t OnTimer(QbbNetDevice& port, int64_t nowNs)
    {
        (void)port;
        (void)nowNs;
        return 0;
    }

    /// Returns the EcnCodepoint of the packets that this agent marks; the switch's Marker does not
    /// mark such packets. Returns ECN_NOT_ECT if the agent marks no packets.
    virtual uint8_t GetMarkedCodepoint() const
    {
        return ECN_NOT_ECT;
    }

    /// Returns true if Decide() must be called.
    virtual bool Decides() const
    {
        return false;
    }

    /// Returns the priorities that this agent trims, and the DSCP of trimmed frames.
    virtual TrimPlan GetTrimPlan() const
    {
        return {};
    }

    /// Returns true if this agent needs OnEnqueue(). If any agent of a switch needs OnEnqueue(),
    /// the switch calls this function of all its agents.
    virtual bool WantsEnqueue() const
    {
        return false;
    }

    /// Returns true if OnTimer() must be called.
    virtual bool WantsTimer() const
    {
        return false;
    }
};

} // namespace ns3

#endif // HPCC_PORT_AGENT_H
