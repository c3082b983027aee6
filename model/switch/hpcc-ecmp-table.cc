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
        auto found = std::find_if(m_groups.begin(), m_groups.end(), [&](const Group& known) {
            return std::equal(ports.begin(),
                              ports.end(),
                              m_ports.begin() + known.first,
                              m_ports.begin() + known.first + known.size);
        });
        group = static_cast<uint16_t>(found - m_groups.begin());
        if (found == m_groups.end())
        {
            m_groups.push_back(
                {static_cast<uint32_t>(m_ports.size()), static_cast<uint32_t>(ports.size())});
            m_ports.insert(m_ports.end(), ports.begin(), ports.end());
        }
    }
    m_groupOf[destination - m_base] = group;
}

std::vector<uint16_t>
EcmpTable::GetRoute(uint32_t destination) const
{
    uint32_t index = destination - m_base;
    if (index >= m_groupOf.size())
    {
        return {};
    }
    const Group& group = m_groups[m_groupOf[index]];
    auto first = m_ports.begin() + group.first;
    return {first, first + group.size};
}

} // namespace ns3
