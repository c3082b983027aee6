/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-ecmp-table.h"

#include <algorithm>

namespace ns3
{

void
EcmpTable::SetSeed(uint32_t seed)
{
    m_seed = seed * 0x2c1b3c6dU + 0x297a2d39U;
}

void
EcmpTable::SetRoute(uint32_t destination, const std::vector<uint16_t>& ports)
{
    if (m_groupOf.empty())
    {
        m_base = destination;
    }
    if (destination < m_base)
    {
        m_groupOf.insert(m_groupOf.begin(), m_base - destination, 0);
        m_base = destination;
    }
    if (destination - m_base >= m_groupOf.size())
    {
        m_groupOf.resize(destination - m_base + 1, 0);
    }
    uint16_t group = 0;
    if (!ports.empty())
    {
        auto found = std::find(m_groups.begin() + 1, m_groups.end(), ports);
        group = static_cast<uint16_t>(found - m_groups.begin());
        if (found == m_groups.end())
        {
            m_groups.push_back(ports);
        }
    }
    m_groupOf[destination - m_base] = group;
}

std::vector<uint16_t>
EcmpTable::GetRoute(uint32_t destination) const
{
    uint32_t index = destination - m_base;
    return index < m_groupOf.size() ? m_groups[m_groupOf[index]] : std::vector<uint16_t>();
}

} // namespace ns3
