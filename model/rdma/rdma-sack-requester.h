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
 * The requester's half of queue pairs with SACKs at a host: marks their packets, and follows what
 * SACKs, NACKs of trimmed packets and time-outs say of them. See RdmaSack.
 */
class RdmaSackRequester
{
  public:
    /**
     * @param core state shared by the parts of the host
     * @param pacer the times of its requesters
     */
    RdmaSackRequester(RdmaHostCore& core, RdmaPacer& pacer)
        : m_core(core),
          m_pacer(pacer)
    {
    }

    /**
     * Fills what data of a queue pair with SACKs has of its own, and notes its departure.
     * @param qp the queue pair
     * @param frame the packet, which leaves now; its other headers are set
     * @param psn its sequence number
     * @param message its message
     * @param again it was sent before
     * @param nowNs current time, ns
     */
    void FillData(RdmaQueuePair& qp,
                  Frame& frame,
                  uint64_t psn,
                  const RdmaMessage& message,
                  bool again,
                  int64_t nowNs);

    /**
     * Begins to handle a SACK, before its cumulative part is applied.
     * @param qp a queue pair
     * @param frame a frame that HasSack()
     * @param psn the packet that the responder expects
     * @param nowNs current time, ns
     * @return false if the frame does not belong to the queue pair; then it is dropped
     */
    bool Begin(RdmaQueuePair& qp, Frame* frame, uint64_t psn, int64_t nowNs);

    /**
     * Applies the rest of a SACK.
     * @param qp the queue pair
     * @param frame the SACK
     * @param ack gets what it says beyond its cumulative part
     */
    void Apply(RdmaQueuePair& qp, const Frame& frame, RdmaAckInfo& ack);

    /**
     * Handles a NACK of a trimmed packet.
     * @param qp a queue pair with SACKs
     * @param frame the NACK
     * @param ack gets when the packet left; its nowNs is set
     * @return true if the packet was in flight
     */
    bool OnTrimmed(RdmaQueuePair& qp, const Frame& frame, RdmaAckInfo& ack);

    /**
     * Handles the timer of a queue pair: time-outs and probes.
     * @param qp the queue pair
     * @param nowNs current time, ns
     */
    void OnTimer(RdmaQueuePair& qp, int64_t nowNs);

  private:
    /**
     * Counts a packet in flight as lost, and reports that to the policy.
     * @param qp the queue pair
     * @param psn the packet
     * @param loss event for the policy; its cause is set
     */
    void Lose(RdmaQueuePair& qp, uint64_t psn, RdmaLossInfo loss);

    /**
     * Reports what has become of a packet to the entropy of a queue pair.
     * @param qp the queue pair
     * @param value its entropy value
     * @param feedback its fate, as far as the sender knows
     * @param nowNs current time, ns
     */
    static void Report(RdmaQueuePair& qp,
                       uint16_t value,
                       RdmaEntropyFeedback feedback,
                       int64_t nowNs);

    /**
     * Infers losses from packets that wait at the responder: RdmaSack::Sleek.
     * @param qp the queue pair
     * @param sack the responder's SACK
     * @param nowNs current time, ns
     */
    void InferLosses(RdmaQueuePair& qp, const RoceSack& sack, int64_t nowNs);

    /**
     * Starts to retransmit all unacknowledged packets, if there are any.
     * @param qp the queue pair
     * @param sentByNs packets that left later may still arrive, ns
     * @param nowNs current time, ns
     */
    void EnterSleek(RdmaQueuePair& qp, int64_t sentByNs, int64_t nowNs);

    /**
     * Sends a probe behind the data.
     * @param qp the queue pair
     * @param nowNs current time, ns
     */
    void SendProbe(RdmaQueuePair& qp, int64_t nowNs);

    /**
     * Sets the timer of a queue pair by its oldest packet in flight and its next probe.
     * @param qp the queue pair
     * @param nowNs current time, ns
     */
    void Rearm(RdmaQueuePair& qp, int64_t nowNs);

    RdmaHostCore& m_core; ///< state shared by the parts of the host
    RdmaPacer& m_pacer;   ///< the times of its requesters
    int64_t m_sentNs{0};  ///< when the packet that it answers left, ns; 0 if unknown
    int64_t m_rttNs{-1};  ///< sample of the SACK that Begin() has begun with, ns; -1 without
};

} // namespace ns3

#endif // RDMA_SACK_REQUESTER_H
