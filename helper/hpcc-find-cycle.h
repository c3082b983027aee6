/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FIND_CYCLE_H
#define HPCC_FIND_CYCLE_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * Finds a cycle of a directed graph by depth-first search.
 * @param edges successors by node; nodes are numbered from 0 on
 * @return the nodes of a cycle, in order; empty if there is none
 */
std::vector<uint32_t> FindCycle(const std::vector<std::vector<uint32_t>>& edges);

} // namespace ns3

#endif // HPCC_FIND_CYCLE_H
