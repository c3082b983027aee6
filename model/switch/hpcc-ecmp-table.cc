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

uint32_t&
EcmpTable::PageOf(uint32_t destination)
{
    if (m_pages.empty())
    {
        m_base = destination;
    }
    if (destination < m_base)
    {
        const uint32_t pages = (m_base - destination + PAGE - 1) >> PAGE_BITS;
        m_pages.insert(m_pages.begin(), pages, 0);
        m_base -= pages << PAGE_BITS;
    }
    const uint32_t page = (destination - m_base) >> PAGE_BITS;
    if (page >= m_pages.size())
    {
        m_pages.resize(page + 1, 0);
    }
    return m_pages[page];
}

void
EcmpTable::Detail(uint32_t& page)
{
    if (m_unused.empty())
    {
        m_unused.push_back(static_cast<uint32_t>(m_details.size()));
        m_details.resize(m_details.size() + PAGE);
    }
    const uint32_t first = m_unused.back();
    m_unused.pop_back();
    std::fill_n(m_details.begin() + first, PAGE, static_cast<uint16_t>(page));
    page = DETAIL + first;
}

void
EcmpTable::SetRoute(uint32_t destination, const std::vector<uint16_t>& ports)
{
    SetRoutes({destination}, ports);
}

void
EcmpTable::SetRoutes(const std::vector<uint32_t>& destinations, const std::vector<uint16_t>& ports)
{
    const uint16_t group = ports.empty() ? 0 : FindGroup(ports);
    for (uint32_t destination : destinations)
    {
        uint32_t& page = PageOf(destination);
        if (page == group)
        {
            continue;
        }
        if (page < DETAIL)
        {
            Detail(page);
        }
        auto first = m_details.begin() + (page - DETAIL);
        first[(destination - m_base) % PAGE] = group;
        if (std::all_of(first, first + PAGE, [group](uint16_t other) { return other == group; }))
        {
            m_unused.push_back(page - DETAIL);
            page = group;
        }
    }
}

uint16_t
EcmpTable::FindGroup(const std::vector<uint16_t>& ports)
{
    auto found = std::find_if(m_groups.begin(), m_groups.end(), [&](const Group& known) {
        return std::equal(ports.begin(),
                          ports.end(),
                          m_allPorts.begin() + known.first,
                          m_allPorts.begin() + known.first + known.all);
    });
    const auto group = static_cast<uint16_t>(found - m_groups.begin());
    if (found == m_groups.end())
    {
        auto count = static_cast<uint32_t>(ports.size());
        m_groups.push_back({static_cast<uint32_t>(m_allPorts.size()), count, count});
        m_allPorts.insert(m_allPorts.end(), ports.begin(), ports.end());
        m_ports.resize(m_allPorts.size());
        Refresh(m_groups.back());
    }
    return group;
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
