/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-node-agenda.h"

#include <algorithm>
#include <utility>

// The part of NodeAgenda that processes the items of a node. Clients and attributes are in
// hpcc-node-agenda-setup.cc.

namespace ns3
{

namespace
{

/// Time assigned to the item that is being processed, ns. With this time, the item stays the first
/// of the heap until it is replaced by another item or removed.
constexpr int64_t TAKEN = -1;

__extension__ using Rank = unsigned __int128; ///< time and code in one number

/// Returns time and code of an item as one number. The item with the smaller number comes first.
template <typename Item>
Rank
RankOf(const Item& item)
{
    return static_cast<Rank>(item.atNs) << 64 | item.code;
}

/// Returns 1 if an item comes before another, otherwise 0. The function avoids a branch, because
/// the processor would often mispredict the branch.
template <typename Item>
size_t
Precedes(const Item& item, const Item& other)
{
    return RankOf(item) < RankOf(other) ? 1 : 0;
}

/// Fills the vacant root of the heap: moves children up until the new item fits into the vacant
/// place.
template <typename Item>
void
FillRoot(std::vector<Item>& items, const Item& item)
{
    const size_t size = items.size();
    const Rank rank = RankOf(item);
    size_t hole = 0;
    for (size_t child = 1; child < size; child = 4 * hole + 1)
    {
        size_t first = child;
        if (child + 4 <= size)
        {
            first += Precedes(items[child + 1], items[child]);
            const size_t second = child + 2 + Precedes(items[child + 3], items[child + 2]);
            first = Precedes(items[second], items[first]) ? second : first;
        }
        else
        {
            for (size_t i = child + 1; i < size; ++i)
            {
                first = Precedes(items[i], items[first]) ? i : first;
            }
        }
        if (rank <= RankOf(items[first]))
        {
            break;
        }
        items[hole] = items[first];
        hole = first;
    }
    items[hole] = item;
}

} // namespace

void
NodeAgenda::Turn()
{
    int64_t nowNs = Simulator::Now().GetTimeStep();
    for (uint32_t i = 0; i < m_armed; ++i)
    {
        if (m_armedNs[i] == nowNs)
        {
            m_armedNs[i] = m_armedNs[--m_armed];
            break;
        }
    }
    if (!m_items.empty() && DeadlineNs() <= nowNs)
    {
        RunUntil(nowNs);
    }
}

void
NodeAgenda::RunUntil(int64_t untilNs)
{
    if (m_source)
    {
        m_source->Fetch();
    }
    untilNs = std::min(untilNs, m_endNs - 1);
    m_running = true;

    const struct Finish
    {
        NodeAgenda& agenda; ///< the agenda that runs

        /// Ends the run, even if a client has thrown an exception. The item of a client that has
        /// thrown is not processed again.
        ~Finish()
        {
            if (!agenda.m_items.empty() && agenda.m_items.front().atNs == TAKEN)
            {
                agenda.Pop();
            }
            agenda.m_running = false;
            agenda.Arm();
        }
    } finish{*this};

    while (!m_items.empty() && m_items.front().atNs <= untilNs)
    {
        // Most clients schedule a new item when an item is due. Push() puts this new item in the
        // place of the item that is being processed, which is faster than adding one and removing
        // the other.
        const uint32_t code = m_items.front().code;
        m_nowNs = std::exchange(m_items.front().atNs, TAKEN);
        uint32_t index = code & INDEX_MASK;
        auto kind = static_cast<AgendaKind>(code >> INDEX_BITS);
        m_clients[code >> INDEX_BITS][index]->Due(kind, index, m_nowNs);
        if (m_items.front().atNs == TAKEN)
        {
            Pop();
        }
    }
}

int64_t
NodeAgenda::DeadlineNs() const
{
    int64_t atNs = m_items.front().atNs;
    int64_t lastNs = m_endNs;
    if (m_stepNs < INT64_MAX)
    {
        lastNs = std::min(lastNs, (atNs / m_stepNs + 1) * m_stepNs);
    }
    return std::max(atNs, std::min(atNs + m_lagNs, lastNs - 1));
}

void
NodeAgenda::Arm()
{
    if (m_running || m_items.empty() || m_items.front().atNs >= m_endNs)
    {
        return;
    }
    int64_t atNs = DeadlineNs();
    for (uint32_t i = 0; i < m_armed; ++i)
    {
        if (m_armedNs[i] == atNs)
        {
            return;
        }
    }
    if (m_armed < m_armedNs.size())
    {
        m_armedNs[m_armed++] = atNs;
    }
    ++m_events;
    m_event->Ref();
    Simulator::ScheduleWithContext(m_nodeId,
                                   TimeStep(atNs - Simulator::Now().GetTimeStep()),
                                   PeekPointer(m_event));
}

void
NodeAgenda::Push(Item item)
{
    if (m_running && m_items.front().atNs == TAKEN)
    {
        FillRoot(m_items, item);
        return;
    }
    size_t hole = m_items.size();
    // Unlike push_back(), emplace_back() does not need the address of the item, so the compiler can
    // keep the item in registers.
    m_items.emplace_back();
    while (hole > 0)
    {
        size_t parent = (hole - 1) / 4;
        if (!(item < m_items[parent]))
        {
            break;
        }
        m_items[hole] = m_items[parent];
        hole = parent;
    }
    m_items[hole] = item;
    if (hole == 0 && !m_running)
    {
        Arm();
    }
}

NodeAgenda::Item
NodeAgenda::Pop()
{
    const Item first = m_items.front();
    const Item last = m_items.back();
    m_items.pop_back();
    if (!m_items.empty())
    {
        FillRoot(m_items, last);
    }
    return first;
}

} // namespace ns3
