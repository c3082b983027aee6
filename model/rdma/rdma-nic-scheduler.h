/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_NIC_SCHEDULER_H
#define RDMA_NIC_SCHEDULER_H

#include "rdma-queue-pair.h"
#include "rdma-queue-pairs.h"
#include "rdma-timer-heap.h"

#include <array>
#include <boost/circular_buffer.hpp>
#include <cstddef>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Decides which queue pair sends next. Each priority has a ring of queue pairs that may send now,
 * which is served round robin. One heap contains all queue pairs that wait for their pacing time. A
 * data packet is created only when the port can send it, so data packets do not wait in a queue.
 */
class RdmaNicScheduler
{
  public:
    /// Creates the scheduler of a port.
    /// @param queuePairs the host's queue pairs, by slot
    explicit RdmaNicScheduler(RdmaQueuePairs& queuePairs)
        : m_queuePairs(queuePairs)
    {
    }

    /**
     * Updates the schedule for a queue pair whose window, rate or messages have changed.
     * @param qp the queue pair
     * @param index slot of the queue pair
     * @param nowNs current time, ns
     * @return time at which the queue pair may send, ns; RdmaTimerHeap::NEVER if it may not send
     */
    int64_t Update(RdmaQueuePair& qp, uint32_t index, int64_t nowNs);

    /**
     * Removes a queue pair from the schedule.
     * @param qp the queue pair
     * @param index slot of the queue pair
     */
    void Remove(RdmaQueuePair& qp, uint32_t index);

    /**
     * Moves the queue pairs whose pacing time has been reached to their rings.
     * @param nowNs current time, ns
     * @return bit mask of the priorities whose ring is not empty
     */
    uint8_t ReadyPriorities(int64_t nowNs);

    /**
     * Removes the next queue pair from the ring of a priority.
     * @param priority a priority in the mask returned by ReadyPriorities()
     * @return the queue pair whose turn it is; the caller checks whether it may still send
     */
    RdmaQueuePair* Next(uint8_t priority);

    /**
     * Returns the earliest time, at or after @p freeNs, at which a queue pair may send, ns;
     * RdmaTimerHeap::NEVER if no queue pair waits.
     * @param priorities bit mask of the priorities that may send
     * @param freeNs time from which the port is free, ns
     */
    int64_t NextNs(uint8_t priorities, int64_t freeNs) const;

  private:
    /// Adds a queue pair to the ring of its priority.
    /// @param qp the queue pair
    void JoinRing(RdmaQueuePair& qp);

    /// A ring of queue pairs, the first of which is served next. The ring is stored as an array, so
    /// that a later queue pair can be prefetched without reading the queue pairs before it.
    using Ring = boost::circular_buffer<RdmaQueuePair*>;

    /// A queue pair is prefetched this number of turns before its own turn.
    static constexpr size_t AHEAD = 4;

    RdmaQueuePairs& m_queuePairs;         ///< queue pairs in use, by slot
    std::array<Ring, PRIORITIES> m_rings; ///< queue pairs that may send now, by priority
    uint8_t m_ready{0};                   ///< bit mask of priorities whose ring is not empty
    RdmaTimerHeap m_paced;                ///< queue pairs that wait for their pacing time
};

} // namespace ns3

#endif // RDMA_NIC_SCHEDULER_H
