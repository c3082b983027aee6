/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RESPONDER_H
#define RDMA_RESPONDER_H

#include "rdma-cnp-sender.h"
#include "rdma-host-core.h"
#include "rdma-queue-pair.h"
#include "rdma-reads.h"
#include "rdma-recovery.h"
#include "rdma-reflections.h"
#include "rdma-timer-heap.h"

#include "ns3/hpcc-frame.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The responders of a host. This class delivers the data packets of queue pairs in order, reports
 * complete messages, and answers packets with ACKs, NAKs and CNPs.
 */
class RdmaResponder
{
  public:
    /**
     * Creates the part that handles data packets at the responder.
     * @param core state shared by the parts of the host
     * @param cnps sends CNPs
     * @param reads handles READs
     * @param reflections writes returned telemetry into ACKs, in feedback modes other than the
     * default
     */
    RdmaResponder(RdmaHostCore& core,
                  RdmaCnpSender& cnps,
                  RdmaReads& reads,
                  RdmaReflections& reflections)
        : m_core(core),
          m_cnps(cnps),
          m_reads(reads),
          m_reflections(reflections)
    {
    }

    /**
     * Handles a data packet of a queue pair whose RdmaQueuePair::responderUses is 0.
     * @param qp the queue pair
     * @param frame the packet
     * @param nowNs current time, ns
     */
    void ReceiveData(RdmaQueuePair& qp, Frame* frame, int64_t nowNs)
    {
        AnswerMark(qp, *frame, nowNs);
        Sequence(qp, frame, false, nowNs);
    }

    /**
     * Answers a congestion mark with a CNP or with an echo in the next ACK, as configured for the
     * queue pair.
     * @param qp the queue pair
     * @param frame the packet
     * @param nowNs current time, ns
     */
    void AnswerMark(RdmaQueuePair& qp, const Frame& frame, int64_t nowNs)
    {
        if ((frame.tos & 3) == ECN_CE)
        {
            qp.echoPending = qp.congestionEcho;
            if (qp.sendsCnp)
            {
                m_cnps.SendIfDue(qp, nowNs);
            }
        }
    }

    /**
     * Handles a data packet. The expected packet is delivered and acknowledged. Other packets are
     * passed to ReceiveOutOfOrder() or ReceiveDuplicate().
     * @param qp the queue pair
     * @param frame the packet
     * @param urgent true if the packet must be acknowledged immediately
     * @param nowNs current time, ns
     */
    void Sequence(RdmaQueuePair& qp, Frame* frame, bool urgent, int64_t nowNs);

    /**
     * Delivers the expected packet.
     * @param qp the queue pair
     * @param arrival the packet
     * @param nowNs current time, ns
     */
    void Deliver(RdmaQueuePair& qp, const RdmaArrival& arrival, int64_t nowNs);

    /**
     * Reports payload that has arrived for the first time. Called before the packet is delivered.
     * @param qp the queue pair
     * @param arrival the packet
     * @param nowNs current time, ns
     */
    void TraceArrival(const RdmaQueuePair& qp, const RdmaArrival& arrival, int64_t nowNs)
    {
        if (!m_core.traces.payloadArrived.IsEmpty())
        {
            m_core.traces.payloadArrived(qp, nowNs, arrival.bytes, arrival.opcode);
        }
    }

    /// Sends the delayed ACKs that are due.
    /// @param nowNs current time, ns
    void RunTimers(int64_t nowNs);

    /// Returns the time at which the next delayed ACK is due, ns; RdmaTimerHeap::NEVER if there is
    /// none.
    int64_t NextNs() const
    {
        return m_ackTimers.TopNs();
    }

    /// Stops the timer for delayed ACKs of a queue pair.
    /// @param qp the queue pair
    void Forget(const RdmaQueuePair& qp)
    {
        m_ackTimers.Remove(qp.slot);
    }

  private:
    /// Returns the description of a data packet.
    /// @param frame a data packet
    static RdmaArrival ArrivalOf(const Frame& frame)
    {
        const bool read = frame.opcode == ROCE_READ_REQUEST;
        return {read ? frame.reth.length : 0, frame.payloadBytes, frame.opcode};
    }

    /**
     * Handles the last packet of a message, after all preceding packets have arrived.
     * @param qp the queue pair
     * @param arrival the packet
     * @param nowNs current time, ns
     */
    void FinishMessage(RdmaQueuePair& qp, const RdmaArrival& arrival, int64_t nowNs);

    /**
     * Handles an out-of-order packet.
     * @param qp the queue pair
     * @param frame a packet with a higher number than the expected packet
     * @param psn sequence number of the packet
     * @param nowNs current time, ns
     */
    void ReceiveOutOfOrder(RdmaQueuePair& qp, Frame* frame, uint64_t psn, int64_t nowNs);

    /**
     * Handles a packet that has been received before.
     * @param qp the queue pair
     * @param frame the packet
     * @param psn sequence number of the packet
     * @param nowNs current time, ns
     * @return true if the packet restarts its message and therefore is the expected packet now;
     * false if the packet has been answered as a duplicate
     */
    bool ReceiveDuplicate(RdmaQueuePair& qp, Frame* frame, uint64_t psn, int64_t nowNs);

    /// Restarts the current message of a queue pair if the recovery requires a restart.
    /// @param qp the queue pair
    /// @return true if the message restarts
    static bool Restart(RdmaQueuePair& qp);

    /**
     * Turns a received frame into an ACK or NAK, and sends this ACK or NAK.
     * @param qp the queue pair
     * @param frame the frame
     * @param syndrome syndrome of the ACK or NAK
     * @param nowNs current time, ns
     */
    void SendAck(RdmaQueuePair& qp, Frame* frame, uint8_t syndrome, int64_t nowNs);

    /**
     * Stores a received frame, which later becomes a delayed ACK.
     * @param qp the queue pair
     * @param frame the frame
     * @param nowNs current time, ns
     */
    void DelayAck(RdmaQueuePair& qp, Frame* frame, int64_t nowNs);

    /**
     * Ends the delay of an ACK because an ACK or NAK is sent now.
     * @param qp the queue pair, which has a stored frame
     * @param frame frame of the ACK or NAK; if the stored frame is another frame, the stored frame
     * is freed
     */
    void EndDelay(RdmaQueuePair& qp, const Frame* frame);

    RdmaHostCore& m_core;           ///< state shared by the parts of the host
    RdmaCnpSender& m_cnps;          ///< sends CNPs
    RdmaReads& m_reads;             ///< handles READs
    RdmaReflections& m_reflections; ///< writes returned telemetry into ACKs, in feedback modes
                                    ///< other than the default
    RdmaTimerHeap m_ackTimers;      ///< timers of delayed ACKs
};

} // namespace ns3

#endif // RDMA_RESPONDER_H
