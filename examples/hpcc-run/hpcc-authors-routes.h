/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_AUTHORS_ROUTES_H
#define HPCC_AUTHORS_ROUTES_H

#include "ns3/hpcc-fabric-helper.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Finds the routes that the authors' simulator finds, in its order. It searches breadth first from
 * each host. A switch lists its next hops in the order in which the search reaches them, and the
 * search visits the neighbours of a node by the addresses of their objects in memory. A switch
 * there is so large that each gets a memory mapping of its own, and the kernel places later
 * mappings lower: so switches with larger numbers come first. Of several links between two nodes,
 * the last one counts.
 */
class AuthorsRoutes
{
  public:
    /**
     * Reads the network.
     * @param fabric the network, installed
     * @param down links that do not count, by number there
     * @param reversed whether the links stand in the opposite order of the topology file
     */
    AuthorsRoutes(const HpccFabricHelper& fabric, const std::vector<uint32_t>& down, bool reversed);

    /**
     * Finds the next hops to a host.
     * @param host the host
     * @return ports towards it, in order, by node
     */
    std::vector<std::vector<uint16_t>> PortsTo(uint32_t host) const;

  private:
    /// A neighbour of a node.
    struct Neighbour
    {
        uint32_t node; ///< its number
        uint16_t port; ///< the node's port to it
        bool up;       ///< whether the link counts
    };

    /**
     * Finds a port.
     * @param node a node
     * @param neighbour one of its neighbours
     * @return its port to it
     */
    uint16_t PortTo(uint32_t node, uint32_t neighbour) const;

    const HpccTopology& m_topology;                   ///< the network
    std::vector<std::vector<Neighbour>> m_neighbours; ///< by node, largest number first
};

} // namespace ns3

#endif // HPCC_AUTHORS_ROUTES_H
