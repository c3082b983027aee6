/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_MESSAGE_MATCHER_H
#define HPCC_MESSAGE_MATCHER_H

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Matches the messages that arrive at a rank with the receives that the rank has posted, by source
 * and tag. Each message matches the oldest unmatched receive with the same source and tag, and each
 * receive matches the oldest unmatched message with the same source and tag. ANY fits every source
 * or tag. Sizes are not compared.
 *
 * @tparam Arrival data stored for a message that arrives before its receive
 * @tparam Receive data stored for a receive that is posted before its message arrives
 */
template <typename Arrival, typename Receive>
class HpccMessageMatcher
{
  public:
    static constexpr uint32_t ANY = UINT32_MAX; ///< any source or tag

    /**
     * Matches a message that has arrived.
     * @param source rank that sent the message
     * @param tag tag of the message
     * @param arrival data to store if no posted receive matches the message
     * @return the receive that matches, if any
     */
    std::optional<Receive> Arrive(uint32_t source, uint32_t tag, const Arrival& arrival)
    {
        auto first = m_receives.end();
        for (const Key& key : {Key{source, tag}, Key{source, ANY}, Key{ANY, tag}, Key{ANY, ANY}})
        {
            // Wildcards are rare: most jobs have none.
            const auto found =
                m_wildcards || key == Key{source, tag} ? m_receives.find(key) : m_receives.end();
            if (found != m_receives.end() &&
                (first == m_receives.end() ||
                 found->second.front().first < first->second.front().first))
            {
                first = found;
            }
        }
        if (first == m_receives.end())
        {
            m_arrivals[{source, tag}].push_back({m_order++, arrival});
            return std::nullopt;
        }
        Receive receive = first->second.front().second;
        Pop(m_receives, first);
        return receive;
    }

    /**
     * Matches a receive that is posted.
     * @param source rank from which a message is expected, or ANY
     * @param tag tag of the message, or ANY
     * @param receive data to store if no message that has arrived matches the receive
     * @return the message that matches, if any
     */
    std::optional<Arrival> Post(uint32_t source, uint32_t tag, const Receive& receive)
    {
        auto first = m_arrivals.end();
        if (source != ANY && tag != ANY)
        {
            first = m_arrivals.find({source, tag});
        }
        else
        {
            m_wildcards = true;
            for (auto at = m_arrivals.begin(); at != m_arrivals.end(); ++at)
            {
                const bool fits = (source == ANY || source == at->first.first) &&
                                  (tag == ANY || tag == at->first.second);
                if (fits && (first == m_arrivals.end() ||
                             at->second.front().first < first->second.front().first))
                {
                    first = at;
                }
            }
        }
        if (first == m_arrivals.end())
        {
            m_receives[{source, tag}].push_back({m_order++, receive});
            return std::nullopt;
        }
        Arrival arrival = first->second.front().second;
        Pop(m_arrivals, first);
        return arrival;
    }

  private:
    using Key = std::pair<uint32_t, uint32_t>; ///< source and tag
    /// Unmatched items by key, the oldest first. Each item has a number that gives the order of
    /// arrival or posting.
    template <typename Item>
    using Waiting = std::map<Key, std::deque<std::pair<uint64_t, Item>>>;

    /**
     * Removes the oldest item of a key.
     * @tparam Item Arrival or Receive
     * @param waiting the unmatched items
     * @param at the key's entry
     */
    template <typename Item>
    static void Pop(Waiting<Item>& waiting, typename Waiting<Item>::iterator at)
    {
        at->second.pop_front();
        if (at->second.empty())
        {
            waiting.erase(at);
        }
    }

    Waiting<Arrival> m_arrivals; ///< messages without a receive
    Waiting<Receive> m_receives; ///< receives without a message
    uint64_t m_order{0};         ///< order number of the next unmatched item
    bool m_wildcards{false};     ///< true once a receive with ANY has been posted; the search is
                                 ///< faster before that
};

} // namespace ns3

#endif // HPCC_MESSAGE_MATCHER_H
