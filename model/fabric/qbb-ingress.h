/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef QBB_INGRESS_H
#define QBB_INGRESS_H

#include "hpcc-frame-queue.h"
#include "hpcc-frame.h"
#include "hpcc-node-agenda.h"
#include "qbb-port-core.h"

#include <cstdint>

namespace ns3
{

class LazyStackPort;
class QbbEgress;
class QbbFlowControl;

/**
 * @ingroup hpcc
 *
 * The part of a port that receives frames. QbbIngress applies the receive error model, sets the
 * priority of a frame, models the receive buffer of a host, and delivers frames to the node.
 */
class QbbIngress : public AgendaClient
{
  public:
    /**
     * Creates the receiving part of a port.
     * @param core state shared by the parts of the port
     * @param egress provides the handler of the node's frames
     * @param flowControl receives PFC frames, and pauses the neighbour when the receive buffer
     * fills
     * @param stack receives IP frames if there is no handler
     */
    QbbIngress(const QbbPortCore& core,
               QbbEgress& egress,
               QbbFlowControl& flowControl,
               LazyStackPort& stack)
        : m_core(core),
          m_egress(egress),
          m_flowControl(flowControl),
          m_stack(stack)
    {
    }

    void Due(AgendaKind kind, uint32_t index, int64_t nowNs) override;

  private:
    /**
     * Handles a frame that has arrived.
     * @param frame frame that has arrived
     * @param nowNs current time, ns
     */
    void Receive(Frame* frame, int64_t nowNs);

    /**
     * Passes a frame that has left the receive buffer to the node.
     * @param frame frame to deliver
     * @param nowNs current time, ns
     */
    void Deliver(Frame* frame, int64_t nowNs);

    /**
     * Puts a frame into the receive buffer, or drops it if there is no room.
     * @param frame frame that has arrived
     * @param nowNs current time, ns
     */
    void JoinBuffer(Frame* frame, int64_t nowNs);

    /// Removes the first frame from the receive buffer and delivers it.
    /// @param nowNs current time, ns
    void DrainBuffer(int64_t nowNs);

    /**
     * Schedules the removal of the first frame from the receive buffer.
     * @param nowNs time at which draining of this frame starts, ns
     */
    void ScheduleDrain(int64_t nowNs);

    const QbbPortCore m_core;      ///< state shared by the parts
    QbbEgress& m_egress;           ///< see the constructor
    QbbFlowControl& m_flowControl; ///< see the constructor
    LazyStackPort& m_stack;        ///< see the constructor
    FrameQueue m_buffer;           ///< receive buffer; its first frame is being drained
    uint64_t m_drainRemainder{0};  ///< fraction of a ns by which draining of the first frame ends
                                   ///< after the scheduled time, multiplied by the drain rate in
                                   ///< bit/s
};

} // namespace ns3

#endif // QBB_INGRESS_H
