/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TIMED_QUEUE_H
#define HPCC_TIMED_QUEUE_H

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * A queue of events, ordered by time. Events at the same time are in the order in which Push()
 * added them.
 * @tparam Event the event, without its time
 */
template <typename Event>
class HpccTimedQueue
{
  public:
    /// An event and its time.
    struct Entry
    {
        int64_t atNs;   ///< time of the event, ns
        uint64_t order; ///< sequence number
        Event event;    ///< the event

        /**
         * Returns true if @p other comes before this event.
         * @param other another event
         */
        bool operator>(const Entry& other) const
        {
            return atNs != other.atNs ? atNs > other.atNs : order > other.order;
        }
    };

    /**
     * Adds an event.
     * @param atNs time of the event, ns
     * @param event event to add
     */
    void Push(int64_t atNs, const Event& event)
    {
        m_entries.push({atNs, m_pushed++, event});
    }

    /**
     * Adds a removed event again, with a new time. The event keeps its sequence number, which
     * determines its place among events at the same time.
     * @param entry the event
     * @param atNs new time of the event, ns
     */
    void Delay(const Entry& entry, int64_t atNs)
    {
        m_entries.push({atNs, entry.order, entry.event});
    }

    /**
     * Removes the first event.
     * @param untilNs a time, ns
     * @return the event; no value if no event is due at that time
     */
    std::optional<Entry> PopDue(int64_t untilNs)
    {
        if (m_entries.empty() || m_entries.top().atNs > untilNs)
        {
            return std::nullopt;
        }
        const Entry first = m_entries.top();
        m_entries.pop();
        return first;
    }

  private:
    std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> m_entries; ///< the events
    uint64_t m_pushed{0}; ///< number of events added so far
};

} // namespace ns3

#endif // HPCC_TIMED_QUEUE_H
