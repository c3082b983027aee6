/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-timer-heap.h"

#include <algorithm>

namespace ns3
{

void
RdmaTimerHeap::SiftUp(uint32_t hole, Item item)
{
    while (hole > 0)
    {
        uint32_t parent = (hole - 1) / 4;
        if (!(item < m_items[parent]))
        {
            break;
        }
        m_items[hole] = m_items[parent];
        m_position[m_items[hole].id] = hole;
        hole = parent;
    }
    m_items[hole] = item;
    m_position[item.id] = hole;
}

void
RdmaTimerHeap::SiftDown(uint32_t hole, Item item)
{
    auto size = static_cast<uint32_t>(m_items.size());
    for (uint32_t child = 4 * hole + 1; child < size; child = 4 * hole + 1)
    {
        uint32_t end = std::min(child + 4, size);
        uint32_t least = child;
        for (uint32_t i = child + 1; i < end; ++i)
        {
            if (m_items[i] < m_items[least])
            {
                least = i;
            }
        }
        if (!(m_items[least] < item))
        {
            break;
        }
        m_items[hole] = m_items[least];
        m_position[m_items[hole].id] = hole;
        hole = least;
    }
    m_items[hole] = item;
    m_position[item.id] = hole;
}

void
RdmaTimerHeap::Set(uint32_t id, int64_t atNs)
{
    if (atNs == NEVER)
    {
        Remove(id);
        return;
    }
    if (id >= m_position.size())
    {
        m_position.resize(id + 1, ABSENT);
    }
    Item item{atNs, id};
    uint32_t position = m_position[id];
    if (position == ABSENT)
    {
        m_items.push_back(item);
        SiftUp(static_cast<uint32_t>(m_items.size() - 1), item);
    }
    else if (item < m_items[position])
    {
        SiftUp(position, item);
    }
    else
    {
        SiftDown(position, item);
    }
}

void
RdmaTimerHeap::Remove(uint32_t id)
{
    if (id >= m_position.size() || m_position[id] == ABSENT)
    {
        return;
    }
    uint32_t position = m_position[id];
    m_position[id] = ABSENT;
    Item last = m_items.back();
    m_items.pop_back();
    if (position == m_items.size())
    {
        return;
    }
    if (last < m_items[position])
    {
        SiftUp(position, last);
    }
    else
    {
        SiftDown(position, last);
    }
}

} // namespace ns3
