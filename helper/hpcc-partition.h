/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_PARTITION_H
#define HPCC_PARTITION_H

#include "hpcc-topology.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Assigns the nodes of a distributed simulation to ranks.
 *
 * The level of a switch is its distance to the nearest host. Removing the switches of the highest
 * level divides the network into pods. Removing all switches above level 1 divides it into racks.
 * With two levels of switches, each pod is one rack.
 *
 * Either pods or racks are assigned to the ranks, in the order of their first hosts, so that all
 * ranks have about the same number of hosts. Each switch above the pods or racks is assigned to the
 * rank to which most of its links lead; ties are broken round-robin.
 */
class HpccPartition
{
  public:
    /**
     * Assigns the nodes of a network to ranks.
     * @param topology the network
     * @param how "pod", "rack", or a list of nodes and their ranks that names each node once, such
     * as 0-15:0,16-31:1
     * @param ranks number of ranks, at least 1
     * @throw HpccInputError if @p how is invalid, leaves a node out, or leaves a rank without nodes
     */
    HpccPartition(const HpccTopology& topology, const std::string& how, uint32_t ranks);

    /// Returns the rank of each node.
    const std::vector<uint32_t>& GetRankOf() const
    {
        return m_rankOf;
    }

    /// Returns the number of links that join switches of different ranks, divided by the number of
    /// all links between switches; 0 if no link joins two switches.
    double GetCutShare() const;

    /// Returns the load imbalance. The load of a rank is the sum of its port rates; the imbalance
    /// is the largest load divided by the mean load of all ranks.
    double GetImbalance() const;

  private:
    /// Neighbours by node.
    using Neighbours = std::vector<std::vector<uint32_t>>;

    /// Assigns a rank to each group of hosts connected by switches up to a level.
    /// @param level highest level of the connecting switches
    void Group(uint32_t level);
    /**
     * Finds a group of hosts connected by switches. To mark its nodes as found, assigns them to
     * rank 0 for now.
     * @param first a host of the group
     * @param level highest level of switches that connect the group
     * @param neighbours neighbours by node
     * @return nodes of the group
     */
    std::vector<uint32_t> FindGroup(uint32_t first, uint32_t level, const Neighbours& neighbours);
    /// Assigns each switch above a level to the rank of most of its neighbours. If several ranks
    /// have equally many neighbours, these ranks get switches round-robin.
    /// @param level highest level of the switches that already have ranks
    /// @param neighbours neighbours by node
    void AssignUpper(uint32_t level, const Neighbours& neighbours);
    /// Reads the ranks of nodes from a list.
    /// @param text see the constructor
    void Read(const std::string& text);

    const HpccTopology& m_topology; ///< the network
    uint32_t m_ranks;               ///< number of ranks
    std::vector<uint32_t> m_level;  ///< level by node; 0: host
    std::vector<uint32_t> m_rankOf; ///< rank by node
};

} // namespace ns3

#endif // HPCC_PARTITION_H
