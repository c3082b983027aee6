/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FABRIC_WAYS_H
#define HPCC_FABRIC_WAYS_H

#include "hpcc-fabric-network.h"

#include "ns3/hpcc-ecmp-table.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Finds the paths ("ways") between the hosts of a network. It computes routes, the ports of queue
 * pairs, and delays in the empty network. The class has no state of its own; it uses
 * HpccFabricHelper::Network.
 */
class HpccFabricHelper::Ways
{
  public:
    using Edge = Network::Edge;           ///< see Network
    using LinkState = Network::LinkState; ///< see Network
    using Tree = Network::Tree;           ///< see Network

    static constexpr size_t WHOLE = SIZE_MAX; ///< index of the state in which all links are up

    /// A path between two ports.
    struct Way
    {
        uint32_t hops;        ///< number of links
        double roundTrip;     ///< base RTT, ns
        uint32_t destination; ///< port of the destination
    };

    /// Creates an object that computes the paths of a network.
    /// @param fabric the helper; must not be moved while this object is in use
    explicit Ways(const HpccFabricHelper& fabric)
        : m_fabric(fabric),
          m_network(*fabric.m_network)
    {
    }

    /// Returns the states of the links after planned changes, one state per time of a change. Each
    /// state applies from the time at which routes reflect the changes.
    std::vector<LinkState> LinkStates() const;

    /**
     * Finds the shortest paths from all nodes to a port.
     * @param destination a host
     * @param port index of a port of this host
     * @param down links to leave out
     * @return the paths to this port
     */
    Tree WaysTo(uint32_t destination, uint32_t port, const std::vector<bool>& down) const;

    /**
     * Returns true if a link may be the first link of a path to a port.
     * @param tree paths to a port
     * @param edge a link, as seen from the node where the path begins
     * @return true if the link ends at the port, or at a switch with a path to the port
     */
    bool LeadsTo(const Tree& tree, const Edge& edge) const;

    /**
     * Finds the path to a port that begins at a given port of another host.
     * @param tree paths to a port
     * @param edge port of another host, at which the path begins
     * @param down links to leave out
     * @return the path between the two ports, with UINT32_MAX links if there is none; its
     * destination is not set
     */
    Way WayBy(const Tree& tree, const Edge& edge, const std::vector<bool>& down) const;

    /**
     * Finds the shortest paths from all nodes to a port, like WaysTo(), but computes them only once
     * per state of the links.
     * @param destination a host
     * @param port index of a port of this host
     * @param state index of a state of the links in LinkStates(); WHOLE: all links are up
     * @param down links that are down in that state
     * @return the paths to this port
     */
    const Tree& TreeTo(uint32_t destination,
                       uint32_t port,
                       size_t state,
                       const std::vector<bool>& down) const;

    /**
     * Raises Network::longestPath to the number of switches on the longest path to a port.
     * @param tree paths to a port
     * @param down links to leave out
     */
    void NoteLongest(const Tree& tree, const std::vector<bool>& down);

    /**
     * Finds the switches of a path. If several paths are equally short, uses the first one.
     * @param tree paths to a port
     * @param edge port of another host, at which the path begins
     * @param down links to leave out
     * @return the switches in order; empty if there is no path
     */
    std::vector<uint32_t> SwitchesOf(const Tree& tree,
                                     const Edge& edge,
                                     const std::vector<bool>& down) const;

    /// The switches of the path that a flow takes from a given time on.
    struct PathSince
    {
        int64_t atNs;                   ///< the time, ns; -1: from the start
        std::vector<uint32_t> switches; ///< switches in the order of the path; empty if there is no
                                        ///< path
    };

    /**
     * Finds the paths of a flow before and after each planned change of links. If several paths are
     * equally short, uses the first one.
     * @param source host that sends
     * @param destination the other host
     * @param ports ports of the two hosts at the start
     * @param turn number passed to ChoosePorts() for @p ports; PortsLater() uses it to select ports
     * after failures
     * @return a path from the start, and one per change
     */
    std::vector<PathSince> SwitchesOverTime(uint32_t source,
                                            uint32_t destination,
                                            const PortPair& ports,
                                            uint32_t turn) const;

    /**
     * Finds the paths between two hosts.
     * @param source a host
     * @param destination another host
     * @param state index of a state of the links in LinkStates(); WHOLE: all links are up
     * @param down links that are down in that state
     * @return for each port of the source: the path to the closest port of the destination
     */
    std::vector<Way> WaysBetween(uint32_t source,
                                 uint32_t destination,
                                 size_t state,
                                 const std::vector<bool>& down) const;

    /**
     * Finds the paths between two hosts, with all links up.
     * @param source a host
     * @param destination another host
     * @return for each port of the source: the path to the closest port of the destination
     */
    std::vector<Way> WaysBetween(uint32_t source, uint32_t destination) const;

    /**
     * Selects the closest pairs of ports.
     * @param ways paths by port of the source
     * @return the closest pairs of ports
     */
    static std::vector<PortPair> Closest(const std::vector<Way>& ways);

    /**
     * Chooses the ports of a queue pair.
     * @param source a host
     * @param destination another host
     * @param turn number that selects one of the closest pairs of ports; not used if SetPorts() has
     * fixed the port of the source
     * @return the ports
     */
    PortPair ChoosePorts(uint32_t source, uint32_t destination, uint32_t turn) const;

    /**
     * Finds the ports of a queue pair after each planned change of links, see SetPorts().
     * @param source a host
     * @param destination another host
     * @param bound ports of the queue pair before the changes
     * @param turn number passed to ChoosePorts() for @p bound; selects one of the closest pairs of
     * ports if @p bound cannot be used
     * @param states states of the links after the changes
     * @return ports of the queue pair, by state
     */
    std::vector<PortPair> PortsLater(uint32_t source,
                                     uint32_t destination,
                                     const PortPair& bound,
                                     uint32_t turn,
                                     const std::vector<LinkState>& states) const;

    /**
     * Plans the moves of a new queue pair to other ports.
     * @param source a host
     * @param queuePair index of the queue pair at the source
     * @param destination another host
     * @param peerQueuePair index of the queue pair at the destination
     * @param bound ports to which the queue pair is bound now
     * @param turn number passed to ChoosePorts() for @p bound; PortsLater() uses it to select ports
     * after failures
     */
    void PlanMoves(uint32_t source,
                   uint32_t queuePair,
                   uint32_t destination,
                   uint32_t peerQueuePair,
                   const PortPair& bound,
                   uint32_t turn) const;

    /**
     * Refuses a queue pair that would move to ports with another rate (see SetPorts()), because the
     * line rate and T of a queue pair never change. For the same reason, refuses ports with another
     * base RTT if T is selected per path. Also refuses a queue pair that is connected too late:
     * after a failure that would have moved it, and before the recovery of its path.
     * @param source a host
     * @param destination another host
     * @param bound ports of the queue pair
     * @param turn number passed to ChoosePorts() for @p bound; PortsLater() uses it to select ports
     * after failures
     * @param reads true if the destination sends, too
     */
    void CheckMoves(uint32_t source,
                    uint32_t destination,
                    const PortPair& bound,
                    uint32_t turn,
                    bool reads) const;

    /**
     * Refuses a move of one direction of a queue pair, see CheckMoves().
     * @param source the host that sends
     * @param destination the other host
     * @param bound ports of the queue pair
     * @param next ports of the queue pair after a failure
     */
    void CheckMove(uint32_t source,
                   uint32_t destination,
                   const PortPair& bound,
                   const PortPair& next) const;

    /**
     * Finds the next hops of a switch.
     * @param tree paths to a port
     * @param node a switch
     * @param down links to leave out
     * @return ports of the switch on shortest paths
     */
    std::vector<uint16_t> PortsOf(const Tree& tree,
                                  uint32_t node,
                                  const std::vector<bool>& down) const;

    /// A path: the rates of its links, starting at the source, bit/s; and the sum of their
    /// propagation delays, ns.
    using Route = std::pair<std::vector<uint64_t>, int64_t>;

    /**
     * Finds the shortest paths between two hosts as if all links were up.
     * @param source a host
     * @param destination another host
     * @param pairs pairs of ports of the two hosts to consider
     * @return the distinct combinations of rates and delay that the paths have; at least one
     */
    std::set<Route> Routes(uint32_t source,
                           uint32_t destination,
                           const std::vector<PortPair>& pairs) const;

    /**
     * Finds the links of all shortest paths between two hosts as if all links were up.
     * @param source a host
     * @param destination another host
     * @param pairs pairs of ports of the two hosts to consider
     * @return the stages, see GetStages()
     */
    std::vector<Stage> StagesOf(uint32_t source,
                                uint32_t destination,
                                const std::vector<PortPair>& pairs) const;

    /**
     * Returns the number of shortest paths that a queue pair of a host may use at the same time: 1
     * without spraying, the number of entropy values if the host sprays, and UINT32_MAX if switches
     * spray.
     * @param source the host
     */
    uint32_t CountPaths(uint32_t source) const;

    /**
     * Returns the sum of the rates of the fastest links of a stage.
     * @param stage stage whose links are considered
     * @param paths largest number of links to add up
     * @return the sums in the direction of the stage and in the reverse direction, bit/s
     */
    std::pair<uint64_t, uint64_t> StageRates(const Stage& stage, uint32_t paths) const;

    /**
     * Finds the next hops of a switch, with all links up.
     * @param node a switch
     * @param address address of a host's port
     * @return ports of the switch on shortest paths, valid until routes change
     */
    EcmpTable::Choices WholeRoute(uint32_t node, uint32_t address) const;

    /**
     * Finds the next hops of a node, with all links up.
     * @param own ports by which host @p source sends. The function returns them if @p node is @p
     * source. They must outlive the result
     * @param source number of the host that sends
     * @param node the source or a switch
     * @param address address of a host's port
     * @return own, or the ports of WholeRoute()
     */
    EcmpTable::Choices PortsOr(const std::vector<uint16_t>& own,
                               uint32_t source,
                               uint32_t node,
                               uint32_t address) const;

    /**
     * Groups the hosts whose ports lead to the same switches at the same rates and delays.
     * @return the groups in the order of their first hosts; hosts ascend within a group
     */
    std::vector<std::vector<uint32_t>> HostsByAttachment() const;

    /**
     * Sets the routes of all switches to a port of some hosts.
     * @param tree shortest paths to that port of the first host
     * @param hosts a group of HostsByAttachment()
     * @param port index of the port at each host
     */
    void SetRoutes(const Tree& tree, const std::vector<uint32_t>& hosts, uint32_t port);

    /**
     * Finds the routes to a host's port that change when links go down or come up as planned.
     * @param host number of the host
     * @param port port of the host
     * @param states states of the links after the changes
     * @param changes receives the routes after planned changes, by switch and state
     */
    void PlanRoutes(uint32_t host,
                    uint32_t port,
                    const std::vector<LinkState>& states,
                    std::map<std::pair<uint32_t, size_t>, QbbSwitch::RouteChanges>& changes);

    /**
     * Computes the time that a message takes alone in the network.
     * @param source a host
     * @param destination another host
     * @param bytes payload of the message
     * @param verb operation of the message
     * @param acknowledged true: the time ends when the last ACK arrives at the sender; false: when
     *                     the last byte of the message arrives
     * @param feedback feedback of the queue pair; null: the default
     * @return the time, ns
     */
    int64_t IdealNs(uint32_t source,
                    uint32_t destination,
                    uint64_t bytes,
                    RdmaVerb verb,
                    bool acknowledged,
                    const RdmaFeedback* feedback) const;

    /// Computes every switch's routes, including those after planned changes, and the largest base
    /// RTT.
    void ComputeRoutes();

    /**
     * Computes the transmission time of a frame.
     * @param rateBps line rate, bit/s
     * @param frameBytes size of the frame without FCS, bytes
     * @return transmission time, ns
     */
    double TransmissionNs(uint64_t rateBps, uint32_t frameBytes) const;

    /**
     * Returns the transmission time of a frame, multiplied by the line rate in bit/s.
     * @param frameBytes size of the frame without FCS, bytes
     * @return the product, bit ns/s
     */
    double LinkBits(uint32_t frameBytes) const;

    /**
     * Follows the path between two ports, see HpccFabricHelper::GetPath().
     * @param source a host
     * @param destination another host
     * @param ports ports of the two hosts, which must exist
     * @param listRates false leaves PathTimes::rates empty, which saves an allocation
     * @return properties of the path
     */
    PathTimes FollowPath(uint32_t source,
                         uint32_t destination,
                         const PortPair& ports,
                         bool listRates) const;

  private:
    /// The ACKs whose times IdealNs() includes in its result.
    enum class IdealAcks : uint8_t
    {
        NONE,        ///< no ACK
        LAST_PACKET, ///< the ACK of the last packet; there may be fewer ACKs than packets
        EACH_PACKET, ///< one ACK for each packet
        REQUEST,     ///< the ACK of a READ request
    };

    /// The number of data packets of a message, and the sizes of its frames in bytes, for
    /// IdealNs().
    struct IdealFrames
    {
        uint64_t packets; ///< number of data packets
        uint32_t first;   ///< the first data packet
        uint32_t middle;  ///< a data packet between first and last
        uint32_t last;    ///< the last or only data packet
        uint32_t ack;     ///< an ACK
        uint32_t request; ///< a READ request
    };

    /**
     * Returns true if a host sends an ACK for each data packet.
     * @param responder the host
     * @param sacks recovery of the hosts if it uses SACKs; otherwise null
     * @param feedback feedback of the queue pair; null: the default
     * @return false if an ACK may acknowledge several packets
     */
    bool AcksEachPacket(uint32_t responder,
                        const RdmaRecovery* sacks,
                        const RdmaFeedback* feedback) const;

    /**
     * Computes the frames of a message.
     * @param source the host that sends the data
     * @param bytes payload of the message
     * @param verb operation of the message
     * @param sacks true if the recovery of the hosts uses SACKs
     * @return the frames
     */
    IdealFrames FramesOf(uint32_t source, uint64_t bytes, RdmaVerb verb, bool sacks) const;

    /**
     * Computes the time for which a sprayed packet occupies the slowest stage of its path, see
     * GetStages(). If a stage has more links than there are entropy values, packets use only as
     * many links as there are entropy values; the result assumes that these are the fastest links.
     * @param source the host that sends the data
     * @param destination the other host
     * @param pair ports of the two hosts
     * @param frames frames of the message
     * @param ackPerPacket true if each packet has an ACK
     * @return the time, ns; 0 if packets of a queue pair use one path
     */
    double SlowestStageNs(uint32_t source,
                          uint32_t destination,
                          const PortPair& pair,
                          const IdealFrames& frames,
                          bool ackPerPacket) const;

    /**
     * Computes the time of a message on a route, without propagation.
     * @param route the route of the data
     * @param back the route of the ACKs, or of the request of a READ
     * @param slowestNs result of SlowestStageNs(); 0: packets are not sprayed
     * @param frames frames of the message
     * @param acks ACKs to include
     * @return the time, ns
     */
    double ChainNs(const Route& route,
                   const Route& back,
                   double slowestNs,
                   const IdealFrames& frames,
                   IdealAcks acks) const;

    const HpccFabricHelper& m_fabric; ///< the helper
    Network& m_network;               ///< network of the helper
};

} // namespace ns3

#endif // HPCC_FABRIC_WAYS_H
