/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FLOW_TIMERS_H
#define HPCC_FLOW_TIMERS_H

#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Finds the flows of a NIC whose timers have expired, without reading the others. Each flow keeps
 * the earliest time that was set for it. An earlier time replaces it; a later one does not, so the
 * owner checks a flow when it comes due, and sets its time again. A flow may end without notice:
 * the owner then ignores its key.
 * @tparam Key names a flow; flows of the same time come due in the order of their keys
 */
template <typename Key>
class HpccFlowTimers
{
  public:
    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max(); ///< no time

    /**
     * Sets the time of a flow, unless an earlier one is set.
     * @param key the flow
     * @param armedNs the flow's time as set, ns; NEVER for a new flow
     * @param atNs its time, ns; NEVER is ignored
     * @return true if it was set
     */
    bool Set(const Key& key, int64_t& armedNs, int64_t atNs)
    {
        if (atNs >= armedNs)
        {
            return false;
        }
        armedNs = atNs;
        m_items.emplace(atNs, key);
        return true;
    }

    /// @return the earliest time, ns; NEVER if there is none
    int64_t GetNextNs() const
    {
        return m_items.empty() ? NEVER : m_items.top().first;
    }

    /// Takes the first flow out.
    /// @return its time and key; only if GetNextNs() is not NEVER
    std::pair<int64_t, Key> Pop()
    {
        const std::pair<int64_t, Key> first = m_items.top();
        m_items.pop();
        return first;
    }

  private:
    using Item = std::pair<int64_t, Key>; ///< time, flow

    std::priority_queue<Item, std::vector<Item>, std::greater<Item>> m_items; ///< earliest first
};

} // namespace ns3

#endif // HPCC_FLOW_TIMERS_H
