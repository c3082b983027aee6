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
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/rdma-recovery.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The settings of an HpccFabricHelper and the network that it has built from them.
 */
struct HpccFabricHelper::Network
{
    /// A neighbour of a node.
    struct Edge
    {
        uint32_t neighbour; ///< node at the other end
        uint16_t port;      ///< port of the node that leads to the neighbour
        uint64_t rateBps;   ///< line rate, bit/s
        uint64_t backBps;   ///< line rate of the neighbour's end, bit/s
        int64_t delayNs;    ///< propagation delay, ns
        uint32_t link;      ///< number of the link
    };

    /// A policy object of a host, and a combination of feedback and DSCP with which it has passed
    /// the checks.
    struct PolicyInUse
    {
        HpccPolicyFactory factory;     ///< the factory that created the policy
        int64_t baseRttNs;             ///< T, ns
        Ptr<RdmaFeedback> feedback;    ///< the feedback; null: none
        int8_t dscp;                   ///< PolicySpec::dscp
        Ptr<RdmaCongestionOps> policy; ///< the policy
        int64_t longestBaseRttNs;      ///< RdmaPolicyDescription::longestBaseRttNs
    };

    /// Properties of flows that have passed Checks::CheckStart(). Flows with the same properties
    /// need not be checked again.
    struct Start
    {
        HpccPolicyFactory factory;   ///< the factory of the policy
        Ptr<TelemetryFormat> format; ///< telemetry; may be null
        int64_t baseRttNs;           ///< T, ns
        uint64_t rateBps;            ///< lowest line rate of the host, bit/s

        /// Returns true if all properties are equal.
        /// @param other other properties
        bool operator==(const Start& other) const
        {
            return format == other.format && baseRttNs == other.baseRttNs &&
                   rateBps == other.rateBps && factory == other.factory;
        }
    };

    /// Functions that set the limits of attributes, such as the least Mtu. They are called once all
    /// checks of a call have passed, so that a refused call leaves no limits.
    using Limits = std::vector<std::function<void()>>;

    /// A flow: the numbers of its source and destination, the ports of both, and its policy.
    using OpenFlow = std::pair<const std::array<uint32_t, 4>, const RdmaCongestionOps*>;

    /// A planned change of a link.
    struct LinkEvent
    {
        int64_t atNs;  ///< time of the change, ns
        uint32_t link; ///< number of the link
        bool up;       ///< true: the link comes up; false: the link goes down
    };

    /// The state of the links that the routes reflect from a given time on.
    struct LinkState
    {
        int64_t atNs;           ///< time from which the state applies, ns
        std::vector<bool> down; ///< true: down; by link
    };

    /// The shortest paths from all nodes to a port of a host.
    struct Tree
    {
        uint32_t host;                  ///< the host
        uint32_t link;                  ///< link of the port
        std::vector<uint32_t> distance; ///< number of links from a node to the port, by node;
                                        ///< UINT32_MAX if there is no path
        std::vector<double> roundTrip;  ///< base RTT between a node and the port, by node, ns
    };

    /// A switch agent, with its switch.
    struct RunningAgent
    {
        Ptr<SwitchAgent> agent; ///< the agent, installed if this process simulates its switch
        uint32_t node;          ///< number of the agent's switch
    };

    /// Switch agents of one class.
    struct SwitchAgents
    {
        std::string name;                 ///< short name
        std::vector<RunningAgent> agents; ///< agents of all switches, in the order of the switches'
                                          ///< numbers
    };

    /**
     * Checks whether this process simulates a node.
     * @param node number of the node in the topology
     * @return true if this process simulates the node
     */
    bool IsHere(uint32_t node) const;

    /**
     * Refuses settings of a network that Install() has built already.
     * @param function function of HpccFabricHelper that would change the settings, for the message
     */
    void RequireNotInstalled(const char* function) const;

    /**
     * Throws HpccInputError if Install() has not been called.
     * @param function name of the function that needs the network, for the message: a function of
     * HpccFabricHelper, or "CLASS::FUNCTION"
     */
    void RequireInstalled(const char* function) const;

    /**
     * Throws HpccInputError after Simulator::Destroy(). Requires a network with devices.
     * @param function name of the function that changes the network, see RequireInstalled()
     */
    void RequireNotRemoved(const char* function) const;

    /**
     * Throws HpccInputError if Install() has not been called or has refused the network, and after
     * Simulator::Destroy().
     * @param function name of the function that changes the network, see RequireInstalled()
     */
    void RequireComplete(const char* function) const;

    /**
     * Throws HpccInputError if a queue pair has been connected.
     * @param function name of the function that would give T another value, for the message
     */
    void RequireUnconnected(const char* function) const;

    /**
     * Sets T of the switch agents. Stops at the first agent whose T can no longer be changed.
     * @param rttNs T, ns
     * @return class of the agent at which the function stopped; empty if T of all agents has been
     * set
     */
    std::string SetBaseRttOfAgents(int64_t rttNs) const;

    /**
     * Throws HpccInputError if Install() has not been called, or if a node is not in its topology.
     * @param function name of the function that needs the node, for the message
     * @param node number of the node
     */
    void RequireNode(const char* function, uint32_t node) const
    {
        if (node >= edges.size())
        {
            RefuseNode(function, node);
        }
    }

    /**
     * Throws the error of RequireNode().
     * @param function name of the function that was called
     * @param node number that is refused
     */
    [[noreturn]] void RefuseNode(const char* function, uint32_t node) const;

    /**
     * Throws HpccInputError unless two nodes are two different hosts of the topology of Install().
     * @param function name of the function that needs the hosts, for the message
     * @param source number of the first node
     * @param destination number of the second node
     */
    void RequireTwoHosts(const char* function, uint32_t source, uint32_t destination) const
    {
        RequireNode(function, source);
        RequireNode(function, destination);
        if (source == destination || topology.IsSwitch(source) || topology.IsSwitch(destination))
        {
            RefuseHosts(function, source, destination);
        }
    }

    /**
     * Throws the error of RequireTwoHosts() for two nodes that exist.
     * @param function name of the function that was called
     * @param source number of the first node
     * @param destination number of the second node
     */
    [[noreturn]] void RefuseHosts(const char* function,
                                  uint32_t source,
                                  uint32_t destination) const;

    /**
     * Exchanges bytes between all ranks.
     * @param mine bytes of this rank
     * @return bytes of all ranks, by rank
     */
    std::vector<std::string> ExchangeBytes(const std::string& mine) const;

    /// Releases the telemetry formats, so that other networks may use them.
    ~Network();

    /**
     * Finds the agenda of a node.
     * @param node number of a node
     * @return agenda of the node, marked as foreign if another process simulates the node
     */
    NodeAgenda& AgendaOf(uint32_t node) const;

    /**
     * Finds the exchangeable parts of a node.
     * @param node number of the node in the topology
     * @return parts of the node; a host uses only the scheduler
     */
    const HpccSwitchParts& FindParts(uint32_t node) const;

    /// Returns the port of each queue pair's source if SetPorts() was given a number.
    std::optional<uint32_t> GetFixedPort() const;

    /// Returns how often packets of a flow may change their path, because of switches or hosts.
    Multipath GetMultipath() const;

    /// Returns true if repathing at the hosts sends path probes.
    bool SendsPathProbes() const;

    /// Returns the option and its value that let packets change their paths, for error messages.
    std::string NameMultipath() const;

    /**
     * If the entropy needs a policy that computes shares of paths, returns the part of an error
     * message that names the entropy.
     * @return " under --entropy graded" if the entropy needs such a policy, otherwise empty
     */
    std::string NameGrading() const;

    /**
     * Assigns fixed streams to the random variables of a switch agent.
     * @param running the agent and its switch
     * @param stream first stream
     * @return number of streams that the agent uses, even if the agent is at another rank
     */
    int64_t AssignStreams(const RunningAgent& running, int64_t stream) const;

    Time maxLag;                          ///< MaxLag of every node; 0: attribute unchanged
    ObjectFactory deviceFactory;          ///< makes devices
    ObjectFactory channelFactory;         ///< makes channels
    HpccSwitchParts parts;                ///< parts of all switches
    ObjectFactory nicFactory;             ///< makes the delays of hosts
    ObjectFactory agentFactory;           ///< makes telemetry agents
    ObjectFactory hostFactory;            ///< makes RDMA stacks
    ObjectFactory repathingFactory;       ///< makes RdmaRepathing; no type: none
    bool repaths{false};                  ///< true if repathingFactory has a type
    Multipath multipath{Multipath::NONE}; ///< how often the path selectors of the switches change
                                          ///< the path of a flow's packets
    /// Rule by which switches select the packets that get records. It is fixed once a format has
    /// passed the checks.
    std::optional<TelemetryThinning> thinning;
    bool rareRecords{false};    ///< result of Checks::HasRareRecords(), fixed together with
                                ///< thinning
    bool perPathBaseRtt{false}; ///< true if T of a queue pair is the base RTT of its path
    bool baseRttChosen{false};  ///< true once SetPerPathBaseRtt() was called
    std::string ports{"hash"};  ///< name given to SetPorts(), without its suffix +move
    bool portsSetLate{false};   ///< true if SetPorts() chose a fixed port only after Install() had
                                ///< computed T
    bool even{true}; ///< true if all links between switches have the same rate and delay, so that
                     ///< all shortest paths between two ports take the same time
    bool movesPorts{false};  ///< true if queue pairs move to other ports after failures: the suffix
                             ///< +move of SetPorts()
    uint32_t longestPath{0}; ///< most switches on a path between any two ports, now or after
                             ///< planned changes of links
    std::map<uint32_t, uint32_t> turns; ///< number of queue pairs connected so far, by source
    std::map<std::pair<size_t, uint32_t>, Tree> trees; ///< shortest paths to a port, by state of
                                                       ///< the links and by the address of the port
    std::string pathsName{"ecmp"};                     ///< name given to SetPaths()
    std::string trimming{"none"};                      ///< name given to SetTrimming()
    std::string entropyName{"none"};                   ///< name given to SetEntropy()
    ObjectFactory entropyFactory;                      ///< makes RdmaEntropy; no type: none
    bool sprays{false};                                ///< true if entropyFactory has a type
    ObjectFactory pathFactory;                         ///< makes path selectors; no type: ECMP
    std::vector<LinkEvent> linkEvents;                 ///< planned changes, by time
    /// Routes before the first planned change, by switch and address. Contains only routes that
    /// change later.
    std::map<std::pair<uint32_t, uint32_t>, std::vector<uint16_t>> wholeRoutes;
    std::map<uint32_t, HpccSwitchParts> partsOf; ///< switches with their own parts, see PartsOf()
    Time convergenceDelay{MicroSeconds(100)};    ///< time from the change of a link until all
                                                 ///< routes have changed
    HpccTopology topology;                       ///< the topology
    NodeContainer nodes;                         ///< the nodes
    bool complete{false};                        ///< true after Install(), unless it has thrown an
                                                 ///< exception
    std::vector<Ptr<RdmaHost>> hosts;            ///< RDMA stacks of the hosts, by node
    /// Ways::LinkBits() of a full data packet and of an ACK of a host, by node; 0 before the first
    /// use. The sizes never change, see RdmaHost::FreezeSizes().
    std::vector<std::pair<double, double>> linkBits;
    std::vector<Ptr<QbbSwitch>> switches;        ///< switches, by node
    Ptr<HpccRanks> ranks;                        ///< processes that share the simulation; null if
                                                 ///< there is only one
    std::vector<uint32_t> rankOf;                ///< rank by node
    std::vector<Ptr<QbbNetDevice>> devices;      ///< both ends of each link
    std::vector<std::vector<Edge>> edges;        ///< neighbours by node
    std::vector<Ptr<TelemetryAgent>> agents;     ///< telemetry agents of the switches
    std::map<TypeId, SwitchAgents> switchAgents; ///< agents by class
    int64_t nextStream{-1}; ///< first stream of objects created later; -1 before AssignStreams()
    std::vector<std::pair<uint32_t, uint32_t>> borders;  ///< domain edges: a switch with a
                                                         ///< TelemetryBorder, and its neighbour
                                                         ///< outside the domain
    std::map<Ptr<TelemetryFormat>, std::string> formats; ///< formats that passed the checks, with
                                                         ///< their names
    std::vector<std::function<void(const Ptr<const TelemetryFormat>&)>>
        onFormat; ///< functions to call for each format that passes the checks
    std::map<Ptr<TelemetryFormat>, uint32_t>
        room; ///< number of records that fit into a packet, for formats with such a limit
    std::set<std::pair<uint32_t, uint8_t>> packets; ///< size and priority of frames that passed
                                                    ///< CheckBuffers()
    std::set<std::tuple<uint32_t, uint32_t, uint8_t>> trimmable; ///< payload, frame size and
                                                                 ///< priority of packets that
                                                                 ///< passed CheckTrims()
    std::set<std::pair<uint8_t, uint8_t>> probeDscps; ///< pairs of a DSCP of data and a DSCP of
                                                      ///< probes that passed CheckProbes()
    /// Objects that Checks::FindRecovery() has made, each with its name, in the order of creation.
    std::deque<std::pair<const std::string, Ptr<RdmaRecovery>>> recoveries;
    /// Results of Checks::FitsAllPorts() by format and size.
    std::map<std::pair<Ptr<TelemetryFormat>, uint32_t>, bool> fits;
    /// Formats whose full packets may be too large for some port of a switch, so that each path is
    /// checked. A null entry means packets without telemetry.
    std::set<Ptr<TelemetryFormat>> tight;
    std::optional<uint32_t> hostOfNic; ///< a host with a NIC for UDP or TCP. The NIC has read T, so
                                       ///< T can no longer change
    std::string bottleneckHopFeedback; ///< name of a feedback in use that reports only one hop;
                                       ///< empty: none
    Ptr<TelemetryInventory> inventory; ///< line rates of the ports of switches
    /// Guaranteed shares of the line rates in Network::inventory, by priority; null if records do
    /// not refer to shares.
    std::array<Ptr<TelemetryInventory>, PRIORITIES> shares;
    std::vector<std::pair<std::string, Ptr<PcapFileWrapper>>> pcap; ///< pcap files, with their
                                                                    ///< names
    bool ofClasses{false};     ///< true if records are per class (TelemetryAgent::Bandwidth)
    bool ofResidual{false};    ///< true if records describe the residual bandwidth
    uint8_t dataPriorities{0}; ///< bit mask of the priorities that carry data
    uint8_t relyOnShare{0};    ///< bit mask of the priorities whose data carry telemetry about a
                               ///< guaranteed share
    uint32_t switchHops{0};    ///< with all links up: most switches on a path that queue pairs use.
                               ///< If SetPorts() has chosen a fixed port, paths start at this port,
                               ///< otherwise at the closest port
    std::map<std::pair<uint32_t, const TelemetryFormat*>, std::vector<PolicyInUse>>
        policies;                   ///< policies in use by host and format
    std::optional<Start> lastStart; ///< the properties that last passed Checks::CheckStart()
    /// Policies that need values that a domain edge hides, each with its name and the reason.
    std::map<const RdmaCongestionOps*, std::pair<std::string, std::string>> hidden;
    std::map<std::array<uint32_t, 4>, const RdmaCongestionOps*> openFlows; ///< flows whose policy
                                                                           ///< is in
                                                                           ///< Network::hidden
    int64_t baseRttNs{0};                                                  ///< T, ns
    uint32_t leastMtu{0}; ///< lower bound of QbbNetDevice::Mtu at all ports: the size of the
                          ///< largest packet of a host, bytes
};

} // namespace ns3

#endif // HPCC_FABRIC_NETWORK_H
