/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_QUEUE_PAIRS_H
#define RDMA_QUEUE_PAIRS_H

#include "rdma-queue-pair.h"

#include <boost/container/deque.hpp>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The queue pairs of a host, by slot. A slot is reserved when its queue pair is connected, so that
 * slots are numbered in the order of the connections. With RdmaQueuePairConfig::singleMessage, a
 * slot is assigned only when the queue pair is first used. The state of a queue pair is created
 * when the queue pair is first used. References to the state stay valid.
 */
class RdmaQueuePairs
{
    /// The standard allocator is used, because Boost's allocator does not align to cache lines.
    /// Blocks are small, because most hosts of a large network have few queue pairs.
    using Storage = boost::container::deque<
        RdmaQueuePair,
        std::allocator<RdmaQueuePair>,
        boost::container::deque_options_t<boost::container::block_size<8U>>>;

  public:
    /**
     * Returns the queue pair of a slot.
     * @param slot a slot whose state has been created
     */
    RdmaQueuePair& operator[](uint32_t slot)
    {
        return *m_bySlot[slot];
    }

    /// Returns the number of slots.
    uint32_t GetSlots() const
    {
        return static_cast<uint32_t>(m_bySlot.size());
    }

    /// Adds a slot without state.
    /// @return the slot
    uint32_t AddSlot()
    {
        m_bySlot.push_back(nullptr);
        return GetSlots() - 1;
    }

    /**
     * Returns the queue pair of a slot. The first call for a slot creates the queue pair.
     * @param slot less than GetSlots()
     */
    RdmaQueuePair& Use(uint32_t slot)
    {
        if (!m_bySlot[slot])
        {
            m_bySlot[slot] = &m_storage.emplace_back();
        }
        return *m_bySlot[slot];
    }

    /// Returns an iterator to the first queue pair created.
    Storage::iterator begin()
    {
        return m_storage.begin();
    }

    /// Returns the iterator past the last queue pair created.
    Storage::iterator end()
    {
        return m_storage.end();
    }

    /// Destroys all queue pairs.
    void Clear()
    {
        if (!m_storage.empty()) // clear() of an empty deque does undefined arithmetic
        {
            m_storage.clear();
        }
        m_bySlot.clear();
    }

  private:
    Storage m_storage;                    ///< queue pairs in the order in which they were created
    std::vector<RdmaQueuePair*> m_bySlot; ///< queue pairs by slot; null before the first use
};

} // namespace ns3

#endif // RDMA_QUEUE_PAIRS_H
