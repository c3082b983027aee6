/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FABRIC_NETWORK_H
#define HPCC_FABRIC_NETWORK_H

#include "hpcc-fabric-helper.h"

#include "ns3/hpcc-ranks.h"
#include "ns3/hpcc-telemetry-agent.h"
#include "ns3/hpcc-telemetry-inventory.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The settings of an HpccFabricHelper and the network that it has built by them.
 */
struct HpccFabricHelper::Network
{
    /// A neighbour of a node.
    struct Edge
    {
        uint32_t neighbour; ///< node at the other end
        uint16_t port;      ///< own port
        uint64_t rateBps;   ///< line rate
        int64_t delayNs;    ///< propagation delay
        uint32_t link;      ///< number of the link
    };

    /// A planned change of a link.
    struct LinkEvent
    {
        int64_t atNs;  ///< when
        uint32_t link; ///< which
        bool up;       ///< what it becomes
    };

    /// Which links are known to be down from a given time on.
    struct LinkState
    {
        int64_t atNs;           ///< from when on
        std::vector<bool> down; ///< by link
    };

    /// The shortest ways of all nodes to a port of a host.
    struct Tree
    {
        uint32_t host;                  ///< the host
        uint32_t link;                  ///< link of the port
        std::vector<uint32_t> distance; ///< links, by node; UINT32_MAX without a way
        std::vector<double> roundTrip;  ///< base RTT by node, ns
    };

    /// A switch agent.
    struct RunningAgent
    {
        Ptr<SwitchAgent> agent; ///< installed if its switch is here
        uint32_t node;          ///< number of its switch
    };

    /// Switch agents of one class.
    struct SwitchAgents
    {
        std::string name;                 ///< short name
        std::vector<RunningAgent> agents; ///< of the switches, in the order of their numbers
    };

    /**
     * Checks whether this process has a node.
     * @param node a node
     * @return true if this process has it
     */
    bool IsHere(uint32_t node) const;

    /**
     * Exchanges bytes between all ranks.
     * @param mine bytes of this rank
     * @return of all ranks, by rank
     */
    std::vector<std::string> ExchangeBytes(const std::string& mine) const;

    /**
     * Finds the agenda of a node.
     * @param node number of a node
     * @return its agenda, which knows whether it is here
     */
    NodeAgenda& AgendaOf(uint32_t node) const;

    /**
     * Finds the exchangeable parts of a node.
     * @param node a node
     * @return its parts; of a host the scheduler counts
     */
    const HpccSwitchParts& FindParts(uint32_t node) const;

    /// @return how far the packets of a flow take different paths
    PathSpread GetSpread() const;

    /// @return the option that spreads the packets of a flow over paths, and its value
    std::string NameSpread() const;

    /**
     * Gives the random variables of a switch agent fixed streams.
     * @param running an agent
     * @param stream first stream
     * @return streams used, at its rank
     */
    int64_t AssignStreams(const RunningAgent& running, int64_t stream) const;

    Time maxLag;                         ///< of every node; 0 leaves the attribute alone
    ObjectFactory deviceFactory;         ///< makes devices
    ObjectFactory channelFactory;        ///< makes channels
    HpccSwitchParts parts;               ///< of all switches
    ObjectFactory nicFactory;            ///< makes the delays of hosts
    ObjectFactory agentFactory;          ///< makes telemetry agents
    ObjectFactory hostFactory;           ///< makes RDMA stacks
    ObjectFactory repathingFactory;      ///< makes RdmaRepathing; untyped: none
    PathSpread spread{PathSpread::NONE}; ///< what path selectors do
    bool probesChecked{false};           ///< CheckProbes() has passed
    bool perPathBaseRtt{false};          ///< see SetPerPathBaseRtt()
    bool baseRttChosen{false};           ///< SetPerPathBaseRtt() has been called
    std::string ports{"hash"};           ///< see SetPorts(), without +move
    bool movesPorts{false};              ///< +move of SetPorts()
    std::map<uint32_t, uint32_t> turns;  ///< queue pairs connected, by source
    std::map<std::pair<size_t, uint32_t>, Tree> trees; ///< by state of links and address
    std::string pathsName{"ecmp"};                     ///< see SetPaths()
    std::string trimming{"none"};                      ///< see SetTrimming()
    std::string entropyName{"none"};                   ///< see SetEntropy()
    ObjectFactory entropyFactory;                      ///< makes RdmaEntropy; untyped: none
    ObjectFactory pathFactory;                         ///< makes path selectors; untyped: ECMP
    std::vector<LinkEvent> linkEvents;                 ///< planned, by time
    /// Routes before the first planned change, by switch and address; of those that change.
    std::map<std::pair<uint32_t, uint32_t>, std::vector<uint16_t>> wholeRoutes;
    std::map<uint32_t, HpccSwitchParts> partsOf; ///< see PartsOf()
    Time convergenceDelay{MicroSeconds(100)};    ///< see SetConvergenceDelay()
    HpccTopology topology;                       ///< the topology
    NodeContainer nodes;                         ///< the nodes
    Ptr<HpccRanks> ranks;                        ///< see SetRanks()
    std::vector<uint32_t> rankOf;                ///< rank by node
    std::vector<Ptr<QbbNetDevice>> devices;      ///< both ends of each link
    std::vector<std::vector<Edge>> edges;        ///< by node
    std::vector<Ptr<TelemetryAgent>> agents;     ///< of the switches
    std::map<TypeId, SwitchAgents> switchAgents; ///< by class
    int64_t nextStream{-1}; ///< first stream for what is still to come; -1 before AssignStreams()
    std::vector<uint32_t> borders;                       ///< switches with a TelemetryBorder
    std::map<Ptr<TelemetryFormat>, std::string> formats; ///< that fit, with their names
    std::map<std::string, bool> usesSacks;               ///< by name of a recovery
    std::string worstHopFeedback; ///< name of a feedback in use that reports one hop; empty: none
    Ptr<TelemetryInventory> inventory;                              ///< line rates of all links
    std::vector<std::pair<std::string, Ptr<PcapFileWrapper>>> pcap; ///< files by name
    bool ofClasses{false};     ///< records are about classes (TelemetryAgent::Bandwidth)
    bool ofResidual{false};    ///< and about what they leave each other
    uint8_t dataPriorities{0}; ///< priorities of data
    uint8_t relyOnShare{0};    ///< of these, those whose telemetry refers to a guaranteed share
    uint32_t switchHops{0};    ///< most switches on a path
    std::map<std::pair<uint32_t, const TelemetryFormat*>,
             std::vector<std::pair<std::string, Ptr<RdmaCongestionOps>>>>
        policies;                  ///< by host and format; the key text names type and attributes
    std::ostringstream policyText; ///< writes that text; a new stream for each would be slower
    int64_t baseRttNs{0};          ///< T
};

} // namespace ns3

#endif // HPCC_FABRIC_NETWORK_H
