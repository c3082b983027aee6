/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FABRIC_WAYS_H
#define HPCC_FABRIC_WAYS_H

#include "hpcc-fabric-network.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Finds the ways between the hosts of a network: routes, the ports of queue pairs, and the times of
 * an empty network. Made where it is used; it keeps nothing but what Network has.
 */
class HpccFabricHelper::Ways
{
  public:
    using Edge = Network::Edge;           ///< see there
    using LinkState = Network::LinkState; ///< see there
    using Tree = Network::Tree;           ///< see there

    static constexpr size_t WHOLE = SIZE_MAX; ///< the whole network

    /// A way between two ports.
    struct Way
    {
        uint32_t hops;        ///< links
        double roundTrip;     ///< base RTT, ns
        uint32_t destination; ///< port of the destination
    };

    /// @param fabric the helper; must not be moved while this is in use
    explicit Ways(const HpccFabricHelper& fabric)
        : m_fabric(fabric),
          m_network(*fabric.m_network)
    {
    }

    /// @return how the links stand after each change has become known
    std::vector<LinkState> LinkStates() const;

    /**
     * Finds the shortest ways of all nodes to a port.
     * @param destination a host
     * @param port one of its ports
     * @param down links that do not count
     * @return the ways to it
     */
    Tree WaysTo(uint32_t destination, uint32_t port, const std::vector<bool>& down) const;

    /**
     * Decides whether a link may be the first of a way.
     * @param tree ways to a port
     * @param edge of another node
     * @return true if the way by that edge begins with a link that leads there
     */
    bool LeadsTo(const Tree& tree, const Edge& edge) const;

    /**
     * Finds the way by a port.
     * @param tree ways to a port
     * @param edge port of another host
     * @param down links that do not count
     * @return the way between them, of UINT32_MAX links without one; the port is not set
     */
    Way WayBy(const Tree& tree, const Edge& edge, const std::vector<bool>& down) const;

    /**
     * Finds the ways between two hosts.
     * @param source a host
     * @param destination another host
     * @param state index of a state of the links, as in LinkStates(); WHOLE for the whole network
     * @param down links that do not count then
     * @return for each port of the source the closest port of the destination
     */
    std::vector<Way> WaysBetween(uint32_t source,
                                 uint32_t destination,
                                 size_t state,
                                 const std::vector<bool>& down) const;

    /**
     * Finds the ways between two hosts in the whole network.
     * @param source a host
     * @param destination another host
     * @return the same in the whole network
     */
    std::vector<Way> WaysBetween(uint32_t source, uint32_t destination) const;

    /**
     * Selects the closest pairs of ports.
     * @param ways by port of the source
     * @return the closest pairs of ports
     */
    static std::vector<PortPair> Closest(const std::vector<Way>& ways);

    /**
     * Chooses the ports of a queue pair.
     * @param source a host
     * @param destination another host
     * @param turn a number that chooses among pairs
     * @return the ports
     */
    PortPair ChoosePorts(uint32_t source, uint32_t destination, uint32_t turn) const;

    /**
     * Plans the moves of a new queue pair to other ports.
     * @param source a host
     * @param queuePair its index there
     * @param destination another host
     * @param peerQueuePair its index there
     * @param bound its ports
     * @param turn what has chosen them
     */
    void PlanMoves(uint32_t source,
                   uint32_t queuePair,
                   uint32_t destination,
                   uint32_t peerQueuePair,
                   const PortPair& bound,
                   uint32_t turn) const;

    /**
     * Finds the next hops of a switch.
     * @param tree ways to a host
     * @param node a switch
     * @param down links that do not count
     * @return its ports on shortest ways
     */
    std::vector<uint16_t> PortsOf(const Tree& tree,
                                  uint32_t node,
                                  const std::vector<bool>& down) const;

    /**
     * Finds the next hops of a switch, as if no link were down.
     * @param node a switch
     * @param address of a host's port
     * @return its ports on shortest ways in the whole network
     */
    std::vector<uint16_t> WholeRoute(uint32_t node, uint32_t address) const;

    /**
     * Groups the hosts whose ports lead to the same switches at the same rates and delays.
     * @return the groups by their first hosts, each in ascending order
     */
    std::vector<std::vector<uint32_t>> HostsByAttachment() const;

    /**
     * Gives all switches their routes to a port of some hosts.
     * @param tree the ways to that port of the first of them
     * @param hosts a group of HostsByAttachment()
     * @param port the port of each of them
     */
    void SetRoutes(const Tree& tree, const std::vector<uint32_t>& hosts, uint32_t port);

    /**
     * Finds the routes to a port of a host that change when links do.
     * @param host the host
     * @param port its port
     * @param states how links stand later
     * @param changes gets the routes after planned changes, by switch and state
     */
    void PlanRoutes(uint32_t host,
                    uint32_t port,
                    const std::vector<LinkState>& states,
                    std::map<std::pair<uint32_t, size_t>, QbbSwitch::RouteChanges>& changes);

    /**
     * Computes the time that a message takes alone in the network.
     * @param source a host
     * @param destination another host
     * @param bytes payload of a message
     * @param verb operation of the message
     * @param acknowledged true: the time ends when its last ACK is back; false: when its last
     *                     byte has arrived
     * @return its time alone in the network, ns
     */
    int64_t IdealNs(uint32_t source,
                    uint32_t destination,
                    uint64_t bytes,
                    RdmaVerb verb,
                    bool acknowledged) const;

    /// Fills every switch's routes, those after planned changes too, and finds the largest base
    /// RTT.
    void ComputeRoutes();

    /**
     * Computes the transmission time of a frame.
     * @param rateBps line rate
     * @param frameBytes frame
     * @return transmission time, ns
     */
    double TransmissionNs(uint64_t rateBps, uint32_t frameBytes) const;

  private:
    const HpccFabricHelper& m_fabric; ///< the helper
    Network& m_network;               ///< its network
};

} // namespace ns3

#endif // HPCC_FABRIC_WAYS_H
