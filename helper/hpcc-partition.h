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
 * A switch's level is its distance to the nearest host. The parts that stay connected without the
 * switches of the highest level are the pods, which in a network of two levels are its racks; the
 * parts connected by switches of level 1 alone are the racks. Pods, or racks, go to the ranks in
 * the order of their first hosts, so that each rank has about as many hosts; the switches above go
 * to the rank that has most of their links, or alternately to those that have equally many.
 */
class HpccPartition
{
  public:
    /**
     * @param topology the network
     * @param how "pod", "rack", or a list such as 0-15:0,16-31:1 of nodes and their rank, all of
     * which it must name once
     * @param ranks at least 1
     * @throw HpccInputError if it cannot be read, leaves a node out, or a rank without a node
     */
    HpccPartition(const HpccTopology& topology, const std::string& how, uint32_t ranks);

    /// @return rank by node
    const std::vector<uint32_t>& GetRankOf() const
    {
        return m_rankOf;
    }

    /// @return share of the links between switches that join two ranks
    double GetCutShare() const;

    /// @return most bit/s of ports that a rank has, over the mean
    double GetImbalance() const;

  private:
    /// Gives each group of hosts that switches up to a level hold together a rank.
    /// @param level the level
    void Group(uint32_t level);
    /// Reads the ranks of nodes from a list.
    /// @param text see the constructor
    void Read(const std::string& text);

    const HpccTopology& m_topology; ///< the network
    uint32_t m_ranks;               ///< ranks
    std::vector<uint32_t> m_level;  ///< by node; 0 is a host
    std::vector<uint32_t> m_rankOf; ///< rank by node
};

} // namespace ns3

#endif // HPCC_PARTITION_H
