/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TIMER_HEAP_H
#define RDMA_TIMER_HEAP_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * A 4-ary heap of times, earliest first, with at most one time per queue pair. Equal times are
 * ordered by slot. Entries can be moved and removed at any position: an acknowledgement changes the
 * time of its queue pair, whose entry may be anywhere in the heap.
 */
class RdmaTimerHeap
{
  public:
    static constexpr int64_t NEVER = INT64_MAX; ///< time of a timer that is not set

    /**
     * Sets or moves the time of a queue pair.
     * @param id slot of the queue pair
     * @param atNs time, ns; NEVER removes the queue pair
     */
    void Set(uint32_t id, int64_t atNs);

    /// Removes the time of a queue pair, if there is one.
    /// @param id slot of the queue pair
    void Remove(uint32_t id);

    /// Returns the earliest time, ns; NEVER if there is none.
    int64_t TopNs() const
    {
        return m_items.empty() ? NEVER : m_items.front().atNs;
    }

    /// Returns the slot of the queue pair with the earliest time.
    uint32_t TopId() const
    {
        return m_items.front().id;
    }

  private:
    static constexpr uint32_t ABSENT = UINT32_MAX; ///< position of a queue pair that is not in the
                                                   ///< heap

    /// An entry of the heap.
    struct Item
    {
        int64_t atNs; ///< time, ns
        uint32_t id;  ///< slot of the queue pair

        /**
         * Returns true if this entry is earlier than another.
         * @param other entry to compare with
         */
        bool operator<(const Item& other) const
        {
            return atNs != other.atNs ? atNs < other.atNs : id < other.id;
        }
    };

    /**
     * Moves an empty position up the heap until the heap order allows @p item there, and stores the
     * item there.
     * @param hole index of the empty position
     * @param item item to store
     */
    void SiftUp(uint32_t hole, Item item);
    /**
     * Moves an empty position down the heap until the heap order allows @p item there, and stores
     * the item there.
     * @param hole index of the empty position
     * @param item item to store
     */
    void SiftDown(uint32_t hole, Item item);

    std::vector<Item> m_items;        ///< entries in heap order
    std::vector<uint32_t> m_position; ///< position in the heap, by slot
};

} // namespace ns3

#endif // RDMA_TIMER_HEAP_H
