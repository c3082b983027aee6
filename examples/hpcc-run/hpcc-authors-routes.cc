/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-authors-routes.h"

#include <algorithm>
#include <functional>
#include <map>

namespace ns3
{

AuthorsRoutes::AuthorsRoutes(const HpccFabricHelper& fabric,
                             const std::vector<uint32_t>& down,
                             bool reversed)
    : m_topology(fabric.GetTopology()),
      m_neighbours(m_topology.GetNodes())
{
    const auto links = static_cast<uint32_t>(m_topology.GetLinks().size());
    std::vector<std::map<uint32_t, Neighbour, std::greater<>>> last(m_topology.GetNodes());
    for (uint32_t i = 0; i < links; ++i)
    {
        const uint32_t link = reversed ? links - 1 - i : i;
        const auto& [a, b, rate, delay, errors, back] = m_topology.GetLinks()[link];
        const bool up = std::find(down.begin(), down.end(), link) == down.end();
        last[a][b] = {b, static_cast<uint16_t>(fabric.GetPortOf(2 * link)), up};
        last[b][a] = {a, static_cast<uint16_t>(fabric.GetPortOf(2 * link + 1)), up};
    }
    for (uint32_t node = 0; node < m_topology.GetNodes(); ++node)
    {
        for (const auto& [number, neighbour] : last[node])
        {
            m_neighbours[node].push_back(neighbour);
        }
    }
}

std::vector<std::vector<uint16_t>>
AuthorsRoutes::PortsTo(uint32_t host) const
{
    std::vector<std::vector<uint16_t>> ports(m_topology.GetNodes());
    std::vector<uint32_t> distance(m_topology.GetNodes(), UINT32_MAX);
    std::vector<uint32_t> reached{host};
    distance[host] = 0;
    for (size_t i = 0; i < reached.size(); ++i)
    {
        const uint32_t now = reached[i];
        for (const auto& [node, port, up] : m_neighbours[now])
        {
            if (!up)
            {
                continue;
            }
            if (distance[node] == UINT32_MAX)
            {
                distance[node] = distance[now] + 1;
                if (m_topology.IsSwitch(node))
                {
                    reached.push_back(node);
                }
            }
            if (distance[node] == distance[now] + 1)
            {
                ports[node].push_back(PortTo(node, now));
            }
        }
    }
    return ports;
}

uint16_t
AuthorsRoutes::PortTo(uint32_t node, uint32_t neighbour) const
{
    const auto& all = m_neighbours[node];
    return std::lower_bound(all.begin(),
                            all.end(),
                            neighbour,
                            [](const Neighbour& n, uint32_t number) { return n.node > number; })
        ->port;
}

} // namespace ns3
