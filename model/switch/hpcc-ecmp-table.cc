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
                              m_allPorts.begin() + known.first,
                              m_allPorts.begin() + known.first + known.all);
        });
        group = static_cast<uint16_t>(found - m_groups.begin());
        if (found == m_groups.end())
        {
            auto count = static_cast<uint32_t>(ports.size());
            m_groups.push_back({static_cast<uint32_t>(m_allPorts.size()), count, count});
            m_allPorts.insert(m_allPorts.end(), ports.begin(), ports.end());
            m_ports.resize(m_allPorts.size());
            Refresh(m_groups.back());
        }
    }
    m_groupOf[destination - m_base] = group;
}

void
EcmpTable::SetUsable(uint16_t port, bool usable)
{
    if (m_unusable.size() <= port)
    {
        m_unusable.resize(port + 1, false);
    }
    m_unusable[port] = !usable;
    for (auto& group : m_groups)
    {
        Refresh(group);
    }
}

void
EcmpTable::Refresh(Group& group)
{
    auto first = m_allPorts.begin() + group.first;
    auto end = std::copy_if(
        first,
        first + group.all,
        m_ports.begin() + group.first,
        [this](uint16_t port) { return port >= m_unusable.size() || !m_unusable[port]; });
    group.size = static_cast<uint32_t>(end - (m_ports.begin() + group.first));
}

std::vector<uint16_t>
EcmpTable::GetRoute(uint32_t destination) const
{
    Choices choices = Find(destination);
    return {choices.ports, choices.ports + choices.count};
}

} // namespace ns3
