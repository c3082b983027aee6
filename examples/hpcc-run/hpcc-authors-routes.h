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
 * Finds the same routes as the HPCC authors' simulator, with the next hops in the same order. That
 * simulator runs a breadth-first search from each host. A switch lists its next hops in the order
 * in which the search reaches them. The search visits the neighbours of a node in the order of the
 * memory addresses of their objects. These addresses descend with the switch numbers: each switch
 * object is so large that it gets a separate memory mapping, and the kernel places later mappings
 * at lower addresses. Therefore the search visits switches with larger numbers first. If several
 * links join two nodes, only the last of them is used.
 */
class AuthorsRoutes
{
  public:
    /**
     * Reads the network.
     * @param fabric the network, installed
     * @param down numbers of the links of @p fabric that are ignored because they are down
     * @param reversed true if the links of @p fabric are in the reverse order of the topology file
     */
    AuthorsRoutes(const HpccFabricHelper& fabric, const std::vector<uint32_t>& down, bool reversed);

    /**
     * Finds the next hops to a host.
     * @param host the host
     * @return for each node, its ports towards the host, in order
     */
    std::vector<std::vector<uint16_t>> PortsTo(uint32_t host) const;

  private:
    /// A neighbour of a node.
    struct Neighbour
    {
        uint32_t node; ///< number of the neighbour
        uint16_t port; ///< the node's port to the neighbour
        bool up;       ///< false if the link is ignored
    };

    /**
     * Finds a port.
     * @param node a node
     * @param neighbour one of its neighbours
     * @return the port of @p node to @p neighbour
     */
    uint16_t PortTo(uint32_t node, uint32_t neighbour) const;

    const HpccTopology& m_topology;                   ///< the network
    std::vector<std::vector<Neighbour>> m_neighbours; ///< neighbours by node, largest number first
};

} // namespace ns3

#endif // HPCC_AUTHORS_ROUTES_H
