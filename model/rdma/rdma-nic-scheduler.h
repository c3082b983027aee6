/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_NIC_SCHEDULER_H
#define RDMA_NIC_SCHEDULER_H

#include "rdma-queue-pair.h"
#include "rdma-timer-heap.h"

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Decides which queue pair sends next: per priority a ring of queue pairs that may send now, served
 * round robin, and one heap of those that wait for their pacing time. There is no software queue in
 * front of the port.
 */
class RdmaNicScheduler
{
  public:
    /// @param queuePairs the host's queue pairs, by slot
    explicit RdmaNicScheduler(RdmaQueuePairs& queuePairs)
        : m_queuePairs(queuePairs)
    {
    }

    /**
     * Updates the schedule for a queue pair whose window, rate or messages have changed.
     * @param qp the queue pair
     * @param index its slot
     * @param nowNs current time, ns
     * @return when it may send, ns; RdmaTimerHeap::NEVER if it may not
     */
    int64_t Update(RdmaQueuePair& qp, uint32_t index, int64_t nowNs);

    /**
     * Removes a queue pair from the schedule.
     * @param qp the queue pair
     * @param index its index
     */
    void Remove(RdmaQueuePair& qp, uint32_t index);

    /**
     * @param nowNs current time, ns
     * @return priorities with a queue pair in the ring, after moving those whose pacing time has
     * come
     */
    uint8_t Ready(int64_t nowNs);

    /**
     * @param priority one of Ready()
     * @return the queue pair whose turn it is, out of the ring; check it before sending
     */
    RdmaQueuePair* Next(uint8_t priority);

    /**
     * @param priorities priorities that may send, one bit each
     * @param freeNs when the port is free, ns
     * @return the earliest time from then on at which some queue pair may send, ns;
     * RdmaTimerHeap::NEVER if none
     */
    int64_t NextNs(uint8_t priorities, int64_t freeNs) const;

  private:
    /// Adds a queue pair to the ring of its priority.
    /// @param qp the queue pair
    void JoinRing(RdmaQueuePair& qp);

    /// A ring of queue pairs.
    struct Ring
    {
        RdmaQueuePair* head{nullptr}; ///< the queue pair whose turn it is
        RdmaQueuePair* tail{nullptr}; ///< last
    };

    RdmaQueuePairs& m_queuePairs;         ///< by slot
    std::array<Ring, PRIORITIES> m_rings; ///< may send now
    uint8_t m_ready{0};                   ///< priorities with a ring that is not empty
    RdmaTimerHeap m_paced;                ///< wait for their pacing time
};

} // namespace ns3

#endif // RDMA_NIC_SCHEDULER_H
