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
 * Receives all probes, and the data packets of queue pairs whose responder uses optional features
 * (RdmaQueuePair::responderUses is not 0). This class stores the telemetry of probes and data
 * packets, runs policies at the receiver, passes data packets to the responder, answers path probes
 * and sends notifications.
 */
class RdmaFeedbackCollector
{
  public:
    /**
     * Creates the part that collects telemetry at the receiver.
     * @param core state shared by the parts of the host
     * @param responder delivers data packets in order
     * @param sacks accepts data packets of queue pairs with SACKs
     * @param reflections writes returned telemetry into acknowledgements
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
     * @param qp queue pair of the packet
     * @param frame the packet
     * @param nowNs current time, ns
     */
    void ReceiveData(RdmaQueuePair& qp, Frame* frame, int64_t nowNs);

    /**
     * Handles a trimmed data packet of a queue pair with SACKs. The telemetry of the trimmed packet
     * is returned like the telemetry of other packets.
     * @param qp queue pair of the packet
     * @param frame the packet
     * @param nowNs current time, ns
     */
    void ReceiveTrimmed(RdmaQueuePair& qp, Frame* frame, int64_t nowNs);

    /**
     * Handles a probe.
     * @param qp queue pair of the packet
     * @param frame the probe
     * @param nowNs current time, ns
     */
    void ReceiveProbe(RdmaQueuePair& qp, Frame* frame, int64_t nowNs);

  private:
    /**
     * Returns true if a packet is a path probe that AnswerPathProbe() must answer.
     * @param qp a queue pair
     * @param frame a data packet with telemetry
     */
    static bool IsPathProbe(const RdmaQueuePair& qp, const Frame& frame);

    /**
     * Turns a path probe into an ACK and sends this ACK.
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
     * @return true if the packet must be acknowledged immediately
     */
    bool Collect(RdmaQueuePair& qp, const Frame& frame, int64_t nowNs);

    /**
     * Moves the telemetry of a data packet to a new frame.
     * @param frame the data packet
     * @return the new frame; its PSN is that of the data packet plus 1, by which a notification
     * identifies the packet (see RoceNamedPsnHeader)
     */
    Frame* DetachTelemetry(Frame& frame);

    /**
     * Turns a frame into a notification and sends this notification.
     * @param qp the queue pair
     * @param frame a probe, or a frame from DetachTelemetry()
     * @param named identifies the answered packet or probe, see RoceNamedPsnHeader
     * @param nowNs current time, ns
     */
    void SendNotification(RdmaQueuePair& qp, Frame* frame, uint32_t named, int64_t nowNs);

    RdmaHostCore& m_core;              ///< state shared by the parts of the host
    RdmaResponder& m_responder;        ///< delivers data packets in order
    RdmaSackResponder& m_sacks;        ///< accepts data packets of queue pairs with SACKs
    RdmaReflections& m_reflections;    ///< writes returned telemetry into ACKs
    RdmaReceiverPolicies& m_receivers; ///< runs policies at the receiver
};

} // namespace ns3

#endif // RDMA_FEEDBACK_COLLECTOR_H
