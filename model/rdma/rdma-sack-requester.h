/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SACK_REQUESTER_H
#define RDMA_SACK_REQUESTER_H

#include "rdma-host-core.h"
#include "rdma-pacer.h"
#include "rdma-queue-pair.h"
#include "rdma-sack-sender.h"

#include "ns3/hpcc-frame.h"
#include "ns3/rdma-congestion-ops.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The requester's half of a host's queue pairs with SACKs. This class sets header fields of data
 * packets, and updates the state of packets after SACKs, NACKs for trimmed packets and time-outs.
 * See RdmaSack.
 */
class RdmaSackRequester
{
  public:
    /**
     * Creates the requester's part for queue pairs with SACKs.
     * @param core state shared by the parts of the host
     * @param pacer timers of the host's requesters
     */
    RdmaSackRequester(RdmaHostCore& core, RdmaPacer& pacer)
        : m_core(core),
          m_pacer(pacer)
    {
    }

    /**
     * Sets those header fields of a data packet that differ with SACKs: opcode, RETH, flags of the
     * BTH and, if there are entropy values, UDP source port. Also records the departure of the
     * packet.
     * @param qp the queue pair
     * @param frame the packet, which is sent now; its header fields already have the values for
     * queue pairs without SACKs
     * @param psn sequence number of the packet
     * @param message the message of the packet
     * @param again true for a retransmission
     * @param nowNs current time, ns
     */
    void FillData(RdmaQueuePair& qp,
                  Frame& frame,
                  uint64_t psn,
                  const RdmaMessage& message,
                  bool again,
                  int64_t nowNs);

    /**
     * Begins to handle a SACK or NACK, before its cumulative acknowledgement is applied.
     * @param qp a queue pair
     * @param frame a frame for which HasSack() is true
     * @param psn number of the packet that the responder expects
     * @param nowNs current time, ns
     * @return false if the frame has been dropped, because it cannot be an answer to this queue
     * pair
     */
    bool Begin(RdmaQueuePair& qp, Frame* frame, uint64_t psn, int64_t nowNs);

    /**
     * Applies the selective part of a SACK.
     * @param qp the queue pair
     * @param frame the SACK
     * @param ack receives the results; the fields of the cumulative acknowledgement are already set
     */
    void Apply(RdmaQueuePair& qp, const Frame& frame, RdmaAckInfo& ack);

    /**
     * Handles a NACK for a trimmed packet.
     * @param qp a queue pair with SACKs
     * @param frame the NACK
     * @param ack receives the departure time and the entropy value of the packet; nowNs is already
     * set
     * @return true if the packet has been marked as lost; false if it is not in flight, or if it
     * has been retransmitted since the transmission that the NACK answers
     */
    bool OnTrimmed(RdmaQueuePair& qp, const Frame& frame, RdmaAckInfo& ack);

    /**
     * Handles the expired timer of a queue pair: time-outs, probes and stalls.
     * @param qp the queue pair
     * @param nowNs current time, ns
     */
    void OnTimer(RdmaQueuePair& qp, int64_t nowNs);

  private:
    /**
     * Marks a packet in flight as lost, and reports the loss to the policy.
     * @param qp the queue pair
     * @param psn number of the packet
     * @param loss event for the policy, with time and cause; this function sets the other members
     */
    void Lose(RdmaQueuePair& qp, uint64_t psn, RdmaLossInfo loss);

    /**
     * Reports the fate of a packet to the RdmaEntropyState of a queue pair, if it has one.
     * @param qp the queue pair
     * @param value entropy value of the packet
     * @param feedback the fate of the packet
     * @param nowNs current time, ns
     */
    static void Report(RdmaQueuePair& qp,
                       uint16_t value,
                       RdmaEntropyFeedback feedback,
                       int64_t nowNs);

    /**
     * Infers losses from the number of packets that wait at the responder, see RdmaSack::Sleek.
     * @param qp the queue pair
     * @param sack the responder's SACK
     * @param nowNs current time, ns
     */
    void InferLosses(RdmaQueuePair& qp, const RoceSack& sack, int64_t nowNs);

    /**
     * Starts to retransmit the unacknowledged packets that were sent up to a given time, if there
     * are any. If a recovery is already active, it starts again at the first unacknowledged packet,
     * and thus also repeats its own retransmissions that are still unacknowledged.
     * @param qp the queue pair
     * @param sentByNs latest departure time of packets to retransmit, ns; packets sent later may
     * still arrive
     * @param nowNs current time, ns
     */
    void EnterSleek(RdmaQueuePair& qp, int64_t sentByNs, int64_t nowNs);

    /**
     * Sends a probe.
     * @param qp the queue pair
     * @param nowNs current time, ns
     */
    void SendProbe(RdmaQueuePair& qp, int64_t nowNs);

    /**
     * Sets the timer of a queue pair to the earliest of three times: the next time-out of a packet
     * in flight, the next probe, and the check for a stall.
     * @param qp the queue pair
     * @param nowNs current time, ns
     */
    void Rearm(RdmaQueuePair& qp, int64_t nowNs);

    RdmaHostCore& m_core; ///< state shared by the parts of the host
    RdmaPacer& m_pacer;   ///< timers of the host's requesters
    int64_t m_sentNs{0};  ///< departure time of the packet that the present SACK answers, ns; 0 if
                          ///< unknown
    int64_t m_rttNs{-1};  ///< round-trip time sample of the present SACK, ns; -1 if there is none
};

} // namespace ns3

#endif // RDMA_SACK_REQUESTER_H
