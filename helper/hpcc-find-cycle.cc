/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-find-cycle.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// The state of the search at a node.
enum class Mark : uint8_t
{
    UNSEEN,
    ON_WALK, ///< on the path from the start of the search to the current node
    DONE,    ///< no cycle can be reached from the node
};

} // namespace

std::vector<uint32_t>
FindCycle(const std::vector<std::vector<uint32_t>>& edges)
{
    std::vector<Mark> marks(edges.size(), Mark::UNSEEN);
    for (uint32_t start = 0; start < edges.size(); ++start)
    {
        if (marks[start] != Mark::UNSEEN)
        {
            continue;
        }
        std::vector<uint32_t> walk{start};
        std::vector<size_t> taken{0}; // for each node on the current path: number of its edges that
                                      // have been followed
        marks[start] = Mark::ON_WALK;
        while (!walk.empty())
        {
            const uint32_t node = walk.back();
            if (taken.back() == edges[node].size())
            {
                marks[node] = Mark::DONE;
                walk.pop_back();
                taken.pop_back();
                continue;
            }
            const uint32_t next = edges[node][taken.back()++];
            if (marks[next] == Mark::ON_WALK)
            {
                walk.erase(walk.begin(), std::find(walk.begin(), walk.end(), next));
                return walk;
            }
            if (marks[next] == Mark::UNSEEN)
            {
                marks[next] = Mark::ON_WALK;
                walk.push_back(next);
                taken.push_back(0);
            }
        }
    }
    return {};
}

} // namespace ns3
