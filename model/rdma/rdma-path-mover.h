/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PATH_MOVER_H
#define RDMA_PATH_MOVER_H

#include "rdma-host-core.h"
#include "rdma-pacer.h"
#include "rdma-queue-pair.h"

#include "ns3/rdma-congestion-ops.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Executes the decisions of RdmaRepathing for the queue pairs of a host: moves queue pairs to other
 * paths by changing their UDP source ports, sends path probes, and holds back new flows. Used only
 * for queue pairs whose RdmaQueuePair::requesterUses contains USES_PATHS.
 */
class RdmaPathMover
{
  public:
    /// The properties of an acknowledgement that concern paths.
    struct Echo
    {
        uint32_t packets;    ///< number of packets acknowledged for the first time
        bool marked;         ///< true if the acknowledgement echoes a congestion mark
        uint16_t sourcePort; ///< UDP source port of the acknowledged packet
        bool ofPathProbe;    ///< true if the acknowledged packet was a path probe
    };

    /**
     * Creates the part that handles the choice of paths.
     * @param core state shared by the parts of the host
     * @param pacer timers of the host's requesters
     */
    RdmaPathMover(RdmaHostCore& core, RdmaPacer& pacer)
        : m_core(core),
          m_pacer(pacer)
    {
    }

    /**
     * Returns true if an acknowledgement answers a path probe and the feedback mode does not return
     * the records of all hops in other ACKs. In such a feedback mode, the policy gets its telemetry
     * in another way. Therefore the policy must not get the telemetry of this acknowledgement.
     * @param qp a queue pair
     * @param frame acknowledgement of the queue pair, with telemetry
     */
    static bool AnswersPathProbe(const RdmaQueuePair& qp, const Frame& frame);

    /**
     * Updates the path state of a queue pair after an acknowledgement, and moves the queue pair if
     * RdmaRepathing has decided to move it.
     * @param qp the queue pair
     * @param echo the acknowledgement
     * @param ack content of the acknowledgement for the policy; telemetry that the policy must not
     * get is removed
     */
    void Follow(RdmaQueuePair& qp, const Echo& echo, RdmaAckInfo& ack);

    /**
     * Handles a retransmission time-out.
     * @param qp the queue pair
     * @param nowNs current time, ns
     */
    void OnTimeout(RdmaQueuePair& qp, int64_t nowNs);

    /**
     * Moves a queue pair to its next path if the queue pair waits for this move and none of its
     * packets is in flight.
     * @param qp the queue pair
     * @param nowNs current time, ns
     */
    void FinishDrain(RdmaQueuePair& qp, int64_t nowNs);

    /**
     * Holds back a new flow if RdmaRepathing::HoldUntilNs() returns a time after @p nowNs.
     * @param qp queue pair that is about to send for the first time
     * @param nowNs current time, ns
     */
    void HoldBack(RdmaQueuePair& qp, int64_t nowNs);

  private:
    /// A flow that is held back before its first packet.
    struct HeldFlow
    {
        uint32_t slot;   ///< slot of the queue pair
        int64_t sinceNs; ///< time from which the flow has been held back, ns
    };

    /**
     * Changes the UDP source port of a queue pair to RdmaPathState::nextPort, or to a pseudo-random
     * port if nextPort is 0.
     * @param qp the queue pair
     * @param nowNs current time, ns
     */
    void ChangePath(RdmaQueuePair& qp, int64_t nowNs);

    /**
     * Sends a path probe, which repeats the header of the last acknowledged packet.
     * @param qp the queue pair
     * @param port UDP source port of the path probe
     * @param nowNs current time, ns
     */
    void SendPathProbe(RdmaQueuePair& qp, uint16_t port, int64_t nowNs);

    /**
     * Releases each held-back flow to a destination if RdmaRepathing::HoldUntilNs() no longer
     * requires this flow to wait.
     * @param destination IPv4 address of the other end
     * @param nowNs current time, ns
     */
    void ReleaseHeld(uint32_t destination, int64_t nowNs);

    RdmaHostCore& m_core;         ///< state shared by the parts of the host
    RdmaPacer& m_pacer;           ///< timers of the host's requesters
    std::vector<HeldFlow> m_held; ///< flows that are held back
};

} // namespace ns3

#endif // RDMA_PATH_MOVER_H
