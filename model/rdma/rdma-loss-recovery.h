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
 * The requester's half of loss recovery at a host. After a NAK or time-out, this class executes the
 * decision of the queue pair's RdmaRetransmission. Cumulative acknowledgements are passed to this
 * class only if RdmaQueuePair::rare is not null: with SACKs, and after losses or READs.
 */
class RdmaLossRecovery
{
  public:
    /**
     * Creates the part that handles losses.
     * @param core state shared by the parts of the host
     * @param pacer timers of the host's requesters
     * @param paths handles the choice of paths; notified of time-outs
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
     * Selects the next lost packet, and records that it is retransmitted now.
     * @param qp a queue pair that has lost packets
     * @param nowNs current time, ns
     * @return sequence number of the packet
     */
    uint64_t TakeLost(RdmaQueuePair& qp, int64_t nowNs);

    /**
     * Handles an acknowledgement for a queue pair whose RdmaQueuePair::rare is not null.
     * @param qp the queue pair, whose sndUnaPsn has already advanced
     * @param bytes number of bytes by which sndUnaByte has advanced
     * @return number of these bytes that an earlier acknowledgement has already covered
     */
    uint64_t OnAcknowledged(RdmaQueuePair& qp, uint64_t bytes);

    /**
     * Handles a NAK.
     * @param qp the queue pair
     * @param psn number of the packet that the responder expects
     * @param nowNs current time, ns
     */
    void OnNak(RdmaQueuePair& qp, uint64_t psn, int64_t nowNs);

    /**
     * Handles a selective NAK.
     * @param qp the queue pair
     * @param psn packet that the responder has kept
     * @param ack receives the round-trip time sample of the packet, and the bytes of the packet if
     * they are newly acknowledged
     */
    void OnSelectiveNak(RdmaQueuePair& qp, uint64_t psn, RdmaAckInfo& ack);

    /// Handles the retransmission time-outs that have expired.
    /// @param nowNs current time, ns
    void RunTimeouts(int64_t nowNs);

  private:
    /**
     * Returns the position of a requester in the packet sequence of its queue pair.
     * @param qp a queue pair
     */
    static RdmaRetransmission::Position PositionOf(const RdmaQueuePair& qp);

    /// Updates the flags of a queue pair from the state of its RdmaRetransmission.
    /// @param qp the queue pair
    static void UpdateFlags(RdmaQueuePair& qp);

    /**
     * Processes the selective acknowledgement of a packet.
     * @param qp a queue pair
     * @param psn packet that the responder has kept
     * @param ack receives the round-trip time sample of the packet
     * @return payload newly acknowledged, bytes
     */
    static uint64_t TakeSelective(RdmaQueuePair& qp, uint64_t psn, RdmaAckInfo& ack);

    /**
     * Goes back to a packet, so that this packet and all later packets are retransmitted.
     * @param qp the queue pair
     * @param psn number of the first packet to retransmit, in the oldest message
     * @param nowNs current time, ns
     * @param timeout true after a time-out
     */
    void Rollback(RdmaQueuePair& qp, uint64_t psn, int64_t nowNs, bool timeout);

    /**
     * Goes back to a packet or starts to retransmit single packets, as RdmaRetransmission has
     * decided.
     * @param qp a queue pair that has lost packets
     * @param backTo packet to go back to; RdmaRetransmission::NONE for single packets
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
    RdmaPacer& m_pacer;         ///< timers of the host's requesters
    RdmaPathMover& m_paths;     ///< notified of time-outs
    RdmaSackRequester& m_sacks; ///< handles queue pairs with SACKs
};

} // namespace ns3

#endif // RDMA_LOSS_RECOVERY_H
