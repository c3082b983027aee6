/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-partition.h"

#include "hpcc-word-reader.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <sstream>

namespace ns3
{

namespace
{

constexpr uint32_t NONE = UINT32_MAX;

/// Returns the neighbours by node.
std::vector<std::vector<uint32_t>>
NeighboursIn(const HpccTopology& topology)
{
    std::vector<std::vector<uint32_t>> neighbours(topology.GetNodes());
    for (const auto& link : topology.GetLinks())
    {
        neighbours[link.a].push_back(link.b);
        neighbours[link.b].push_back(link.a);
    }
    return neighbours;
}

} // namespace

HpccPartition::HpccPartition(const HpccTopology& topology, const std::string& how, uint32_t ranks)
    : m_topology(topology),
      m_ranks(ranks),
      m_level(topology.GetLevels()),
      m_rankOf(topology.GetNodes(), NONE)
{
    if (how == "pod")
    {
        Group(*std::max_element(m_level.begin(), m_level.end()) - 1);
    }
    else if (how == "rack")
    {
        Group(1);
    }
    else
    {
        Read(how);
    }
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        HPCC_REFUSE_IF(std::find(m_rankOf.begin(), m_rankOf.end(), rank) == m_rankOf.end(),
                       "--partition: \"" + how + "\" leaves rank " + std::to_string(rank) + " of " +
                           std::to_string(ranks) + " without a node");
    }
}

void
HpccPartition::Group(uint32_t level)
{
    const auto neighbours = NeighboursIn(m_topology);
    const auto hosts = static_cast<double>(m_topology.GetHosts().size());
    uint32_t before = 0;
    for (uint32_t first : m_topology.GetHosts())
    {
        if (m_rankOf[first] != NONE)
        {
            continue;
        }
        const std::vector<uint32_t> group = FindGroup(first, level, neighbours);
        const auto own =
            static_cast<uint32_t>(std::count_if(group.begin(), group.end(), [this](uint32_t node) {
                return m_level[node] == 0;
            }));
        const double middle = before + own / 2.0;
        const auto rank = std::min(static_cast<uint32_t>(middle / hosts * m_ranks), m_ranks - 1);
        for (uint32_t node : group)
        {
            m_rankOf[node] = rank;
        }
        before += own;
    }
    AssignUpper(level, neighbours);
}

std::vector<uint32_t>
HpccPartition::FindGroup(uint32_t first, uint32_t level, const Neighbours& neighbours)
{
    std::deque<uint32_t> frontier{first};
    std::vector<uint32_t> group;
    m_rankOf[first] = 0;
    while (!frontier.empty())
    {
        const uint32_t node = frontier.front();
        frontier.pop_front();
        group.push_back(node);
        for (uint32_t neighbour : neighbours[node])
        {
            if (m_rankOf[neighbour] == NONE && m_level[neighbour] <= level)
            {
                m_rankOf[neighbour] = 0;
                frontier.push_back(neighbour);
            }
        }
    }
    return group;
}

void
HpccPartition::AssignUpper(uint32_t level, const Neighbours& neighbours)
{
    uint32_t turn = 0;
    for (uint32_t above = level + 1;
         std::find(m_rankOf.begin(), m_rankOf.end(), NONE) != m_rankOf.end();
         ++above)
    {
        for (uint32_t node = 0; node < m_rankOf.size(); ++node)
        {
            if (m_level[node] != above || m_rankOf[node] != NONE)
            {
                continue;
            }
            std::vector<uint32_t> links(m_ranks, 0);
            for (uint32_t neighbour : neighbours[node])
            {
                if (m_rankOf[neighbour] != NONE)
                {
                    ++links[m_rankOf[neighbour]];
                }
            }
            const uint32_t most = *std::max_element(links.begin(), links.end());
            while (links[turn % m_ranks] != most)
            {
                ++turn;
            }
            m_rankOf[node] = turn++ % m_ranks;
        }
    }
}

void
HpccPartition::Read(const std::string& text)
{
    auto refuse = [&text](const std::string& why) {
        throw HpccInputError("--partition: \"" + text + "\": " + why +
                             "; allowed are pod, rack, or a list such as 0-15:0,16-31:1");
    };
    for (const std::string& item : SplitAt(text, ','))
    {
        std::istringstream in(item);
        uint32_t first = 0;
        uint32_t last = 0;
        uint32_t rank = 0;
        char mark = 0;
        char rest = 0;
        bool right = static_cast<bool>(in >> first >> mark);
        last = first;
        if (right && mark == '-')
        {
            right = static_cast<bool>(in >> last >> mark);
        }
        right = right && mark == ':' && in >> rank && !(in >> rest);
        if (!right || item.find_first_of(" +") != std::string::npos)
        {
            refuse("\"" + item + "\" is not NODE:RANK or NODE-NODE:RANK");
        }
        if (last < first || last >= m_rankOf.size() || rank >= m_ranks)
        {
            refuse("nodes are 0 to " + std::to_string(m_rankOf.size() - 1) + ", ranks 0 to " +
                   std::to_string(m_ranks - 1));
        }
        for (uint32_t node = first; node <= last; ++node)
        {
            if (m_rankOf[node] != NONE)
            {
                refuse("node " + std::to_string(node) + " has two ranks");
            }
            m_rankOf[node] = rank;
        }
    }
    const auto missing = std::find(m_rankOf.begin(), m_rankOf.end(), NONE);
    if (missing != m_rankOf.end())
    {
        refuse("node " + std::to_string(missing - m_rankOf.begin()) + " has no rank");
    }
}

double
HpccPartition::GetCutShare() const
{
    uint32_t links = 0;
    uint32_t cut = 0;
    for (const auto& link : m_topology.GetLinks())
    {
        if (m_level[link.a] > 0 && m_level[link.b] > 0)
        {
            ++links;
            cut += m_rankOf[link.a] != m_rankOf[link.b];
        }
    }
    return links > 0 ? static_cast<double>(cut) / links : 0;
}

double
HpccPartition::GetImbalance() const
{
    std::vector<double> load(m_ranks, 0);
    for (const auto& link : m_topology.GetLinks())
    {
        load[m_rankOf[link.a]] += static_cast<double>(link.rate.GetBitRate());
        load[m_rankOf[link.b]] += static_cast<double>(link.GetRateBack().GetBitRate());
    }
    const double sum = std::accumulate(load.begin(), load.end(), 0.0);
    return *std::max_element(load.begin(), load.end()) * m_ranks / sum;
}

} // namespace ns3
