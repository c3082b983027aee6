/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_FEEDBACK_COLLECTOR_H
#define RDMA_FEEDBACK_COLLECTOR_H

#include "rdma-host-core.h"
#include "rdma-queue-pair.h"
#include "rdma-receiver-policies.h"
#include "rdma-reflections.h"
#include "rdma-responder.h"
#include "rdma-sack-responder.h"

#include "ns3/hpcc-frame.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Receives probes, and the data packets of queue pairs for which RdmaQueuePair::responderUses is
 * not 0. It stores the telemetry of these packets, runs policies at the receiver, answers path
 * probes, sends notifications, and then passes data packets to the responder.
 */
class RdmaFeedbackCollector
{
  public:
    /**
     * Creates the part that handles data packets with telemetry.
     * @param core state shared by the parts of the host
     * @param responder delivers data packets in order
     * @param sacks accepts data packets of queue pairs with SACKs
     * @param reflections fills acknowledgements
     * @param receivers runs policies at the receiver
     */
    RdmaFeedbackCollector(RdmaHostCore& core,
                          RdmaResponder& responder,
                          RdmaSackResponder& sacks,
                          RdmaReflections& reflections,
                          RdmaReceiverPolicies& receivers)
        : m_core(core),
          m_responder(responder),
          m_sacks(sacks),
          m_reflections(reflections),
          m_receivers(receivers)
    {
    }

    /**
     * Handles a data packet.
     * @param qp its queue pair
     * @param frame the packet
     * @param nowNs current time, ns
     */
    void ReceiveData(RdmaQueuePair& qp, Frame* frame, int64_t nowNs);

    /**
     * Handles a trimmed data packet of a queue pair with SACKs. Its telemetry is returned like the
     * telemetry of other packets.
     * @param qp its queue pair
     * @param frame the packet
     * @param nowNs current time, ns
     */
    void ReceiveTrimmed(RdmaQueuePair& qp, Frame* frame, int64_t nowNs);

    /**
     * Handles a probe.
     * @param qp its queue pair
     * @param frame the probe
     * @param nowNs current time, ns
     */
    void ReceiveProbe(RdmaQueuePair& qp, Frame* frame, int64_t nowNs);

  private:
    /**
     * Returns true if a packet is a path probe whose telemetry AnswerPathProbe() returns.
     * @param qp a queue pair
     * @param frame a data packet with telemetry
     */
    static bool IsPathProbe(const RdmaQueuePair& qp, const Frame& frame);

    /**
     * Turns a path probe into its ACK and sends it.
     * @param qp the queue pair
     * @param frame the path probe
     * @param nowNs current time, ns
     */
    void AnswerPathProbe(RdmaQueuePair& qp, Frame* frame, int64_t nowNs);

    /**
     * Stores the telemetry of a data packet for the ACK that returns it.
     * @param qp a queue pair with a reflector
     * @param frame the packet, with telemetry
     * @param nowNs current time, ns
     * @return true if the packet must be acknowledged at once
     */
    bool Collect(RdmaQueuePair& qp, const Frame& frame, int64_t nowNs);

    /**
     * Moves the telemetry of a data packet to a new frame.
     * @param frame the data packet
     * @return the new frame; its PSN is one more than the PSN of the data packet
     */
    Frame* DetachTelemetry(Frame& frame);

    /**
     * Turns a frame into a notification and sends it.
     * @param qp the queue pair
     * @param frame the frame
     * @param named the packet that the notification answers, see Frame::Reflection
     * @param nowNs current time, ns
     */
    void SendNotification(RdmaQueuePair& qp, Frame* frame, uint32_t named, int64_t nowNs);

    RdmaHostCore& m_core;              ///< state shared by the parts of the host
    RdmaResponder& m_responder;        ///< delivers data packets in order
    RdmaSackResponder& m_sacks;        ///< accepts data packets of queue pairs with SACKs
    RdmaReflections& m_reflections;    ///< fills acknowledgements
    RdmaReceiverPolicies& m_receivers; ///< runs policies at the receiver
};

} // namespace ns3

#endif // RDMA_FEEDBACK_COLLECTOR_H
