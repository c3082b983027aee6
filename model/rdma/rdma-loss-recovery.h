/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_LOSS_RECOVERY_H
#define RDMA_LOSS_RECOVERY_H

#include "rdma-host-core.h"
#include "rdma-pacer.h"
#include "rdma-path-mover.h"
#include "rdma-queue-pair.h"
#include "rdma-sack-requester.h"

#include "ns3/rdma-congestion-ops.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The requester's half of loss recovery at a host: carries out what the RdmaRetransmission of a
 * queue pair decides after NAKs and time-outs. Packets that are acknowledged in order do not reach
 * it.
 */
class RdmaLossRecovery
{
  public:
    /**
     * @param core state shared by the parts of the host
     * @param pacer the times of its requesters
     * @param paths notified of time-outs
     * @param sacks handles queue pairs with SACKs
     */
    RdmaLossRecovery(RdmaHostCore& core,
                     RdmaPacer& pacer,
                     RdmaPathMover& paths,
                     RdmaSackRequester& sacks)
        : m_core(core),
          m_pacer(pacer),
          m_paths(paths),
          m_sacks(sacks)
    {
    }

    /**
     * Takes a lost packet, which leaves now.
     * @param qp a queue pair that has lost packets
     * @param nowNs current time, ns
     * @return the packet
     */
    uint64_t TakeLost(RdmaQueuePair& qp, int64_t nowNs);

    /**
     * Handles an acknowledgement of a queue pair with RdmaQueuePair::rare.
     * @param qp the queue pair, whose sndUnaPsn has moved
     * @param bytes how far sndUnaByte has moved
     * @return number of these that were acknowledged before
     */
    uint64_t OnAcknowledged(RdmaQueuePair& qp, uint64_t bytes);

    /**
     * Handles a NAK.
     * @param qp the queue pair
     * @param psn the packet that the responder expects
     * @param nowNs current time, ns
     */
    void OnNak(RdmaQueuePair& qp, uint64_t psn, int64_t nowNs);

    /**
     * Handles a selective NAK.
     * @param qp the queue pair
     * @param psn the responder has kept this packet
     * @param ack gets the sample of its round-trip time, and its bytes if they are newly
     * acknowledged
     */
    void OnSelectiveNak(RdmaQueuePair& qp, uint64_t psn, RdmaAckInfo& ack);

    /// Handles the retransmission time-outs that have come.
    /// @param nowNs current time, ns
    void RunTimeouts(int64_t nowNs);

  private:
    /**
     * @param qp a queue pair
     * @return where it stands
     */
    static RdmaRetransmission::Position PositionOf(const RdmaQueuePair& qp);

    /// Updates the flags of a queue pair whose retransmission may have changed.
    /// @param qp the queue pair
    static void UpdateFlags(RdmaQueuePair& qp);

    /**
     * @param qp a queue pair
     * @param psn the responder has kept this packet
     * @param ack gets the sample of its round-trip time
     * @return bytes newly acknowledged
     */
    static uint64_t TakeSelective(RdmaQueuePair& qp, uint64_t psn, RdmaAckInfo& ack);

    /**
     * Retransmits from a packet on.
     * @param qp the queue pair
     * @param psn the first packet to retransmit, in the oldest message
     * @param nowNs current time, ns
     * @param timeout true after a time-out
     */
    void Rollback(RdmaQueuePair& qp, uint64_t psn, int64_t nowNs, bool timeout);

    /**
     * Recovers from a loss.
     * @param qp a queue pair that has lost packets
     * @param backTo packet to go back to, or RdmaRetransmission::NONE
     * @param nowNs current time, ns
     * @param timeout true after a time-out
     */
    void Recover(RdmaQueuePair& qp, uint64_t backTo, int64_t nowNs, bool timeout);

    /**
     * Reports a loss to the policy.
     * @param qp the queue pair
     * @param timeout true after a time-out
     * @param nowNs current time, ns
     */
    void RaiseLoss(const RdmaQueuePair& qp, bool timeout, int64_t nowNs);

    /**
     * Handles the retransmission time-out of a queue pair.
     * @param qp the queue pair
     * @param nowNs current time, ns
     */
    void OnTimeout(RdmaQueuePair& qp, int64_t nowNs);

    RdmaHostCore& m_core;       ///< state shared by the parts of the host
    RdmaPacer& m_pacer;         ///< the times of its requesters
    RdmaPathMover& m_paths;     ///< notified of time-outs
    RdmaSackRequester& m_sacks; ///< handles queue pairs with SACKs
};

} // namespace ns3

#endif // RDMA_LOSS_RECOVERY_H
