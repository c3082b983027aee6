/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PORT_MOVER_H
#define RDMA_PORT_MOVER_H

#include "rdma-connector.h"
#include "rdma-host-core.h"
#include "rdma-pacer.h"
#include "rdma-timer-heap.h"

#include <cstdint>
#include <map>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Moves the queue pairs of a host to other ports at planned times.
 */
class RdmaPortMover
{
  public:
    /**
     * Creates the part that moves queue pairs to other ports.
     * @param core state shared by the parts of the host
     * @param pacer timers of the host's requesters
     * @param connector finds the queue pairs of the host
     */
    RdmaPortMover(RdmaHostCore& core, RdmaPacer& pacer, RdmaConnector& connector)
        : m_core(core),
          m_pacer(pacer),
          m_connector(connector)
    {
    }

    /**
     * Plans a move, see RdmaHost::MoveQueuePair(). Throws HpccInputError in each of these cases:
     * the queue pair or the port does not exist; the time is not in the future; @p peer is not an
     * address of the other end's host; this end has a policy, and the new port has another line
     * rate.
     * @param queuePair index of the queue pair
     * @param atNs time of the move, ns
     * @param port new port of the queue pair
     * @param peer IPv4 address of the other end's port
     */
    void Schedule(uint32_t queuePair, int64_t atNs, uint32_t port, uint32_t peer);

    /// Executes the moves that are due.
    /// @param nowNs current time, ns
    void RunMoves(int64_t nowNs)
    {
        while (NextNs() <= nowNs)
        {
            MoveFirst(nowNs);
        }
    }

    /// Returns the time at which the next move is due, ns; RdmaTimerHeap::NEVER if there is none.
    int64_t NextNs() const
    {
        return m_moves.empty() ? RdmaTimerHeap::NEVER : m_moves.begin()->first;
    }

  private:
    /// A planned move of a queue pair to another port.
    struct Move
    {
        uint32_t queuePair; ///< index of the queue pair
        uint8_t port;       ///< new port of the queue pair
        uint32_t peer;      ///< IPv4 address of the other end's port
    };

    /// Executes the next move.
    /// @param nowNs current time, ns
    void MoveFirst(int64_t nowNs);

    RdmaHostCore& m_core;                 ///< state shared by the parts of the host
    RdmaPacer& m_pacer;                   ///< timers of the host's requesters
    RdmaConnector& m_connector;           ///< finds the queue pairs of the host
    std::multimap<int64_t, Move> m_moves; ///< planned moves, by time, ns
};

} // namespace ns3

#endif // RDMA_PORT_MOVER_H
