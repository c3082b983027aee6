/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FABRIC_HELPER_H
#define HPCC_FABRIC_HELPER_H

#include "hpcc-policy-factory.h"
#include "hpcc-switch-parts.h"
#include "hpcc-topology.h"

#include "ns3/hpcc-switch-agent.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/qbb-net-device.h"
#include "ns3/qbb-switch.h"
#include "ns3/rdma-host.h"
#include "ns3/trace-helper.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

class HpccRanks;

/**
 * @ingroup hpcc
 *
 * Builds an RDMA network from a topology: nodes, QbbNetDevices, QbbChannels, switches with routes,
 * hosts with RdmaHost and one RdmaApplication each. As with ns-3's other helpers, set attributes
 * first, then call Install(), then add policies and flows. Functions throw HpccInputError in three
 * cases: a setting is made after Install(), the network is needed before Install(), or two
 * arguments that must be hosts are not two different hosts of the topology. Before Install(),
 * GetNodes(), GetDevices(), GetTopology(), GetFormats() and FindPauseCycle() return an empty
 * result.
 *
 * After Simulator::Destroy(), the results of a network can be read, but Connect(), AddMessage() and
 * the other functions that change the network throw HpccInputError. They also throw if Install()
 * has thrown an exception. In both cases, build another network with another HpccFabricHelper.
 *
 * Host number i of the topology has the address 11.0.0.1 + i. Each link of a host has its own port;
 * port p of host i has the address 11.0.0.1 + i + 131072 p. ns-3's node ids are in the order of the
 * topology's node numbers.
 */
class HpccFabricHelper : public PcapHelperForDevice
{
  public:
    HpccFabricHelper();
    ~HpccFabricHelper();
    HpccFabricHelper& operator=(HpccFabricHelper&& other);

    /**
     * Sets an attribute of every QbbNetDevice.
     * @param name name of the attribute. Throws HpccInputError if the attribute does not exist, and
     * for DataRate and Scheduler: the topology sets DataRate, and SetScheduler() sets Scheduler
     * @param value value of the attribute
     */
    void SetDeviceAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Chooses how all switches share their packet memory. Call before SetBufferAttribute() and
     * Install().
     * @param name short name of a BufferPolicy, dynamic by default; other names throw an
     * HpccInputError that lists the choices
     */
    void SetBuffer(const std::string& name);

    /**
     * Chooses how all switches mark packets. Call before SetEcnAttribute() and Install().
     * @param name short name of a Marker, red by default; other names throw an HpccInputError that
     * lists the choices
     */
    void SetMarking(const std::string& name);

    /**
     * Chooses the scheduler of all ports, including those of hosts. Call before Install().
     * @param name short name of an EgressScheduler, ring by default; other names throw an
     * HpccInputError that lists the choices
     */
    void SetScheduler(const std::string& name);

    /**
     * Chooses how switches trim packets whose queue is full. Call before Install(). Install()
     * throws HpccInputError if a trimmed priority is lossless, or if the recovery uses
     * RdmaSack::Sleek. Connect() refuses telemetry that is recognised by a DSCP, because trimming
     * would overwrite the DSCP.
     * @param name short name of a PacketTrimmer, or "none", the default; other names throw an
     * HpccInputError that lists the choices
     */
    void SetTrimming(const std::string& name);

    /**
     * Chooses how hosts select the entropy of each packet. Call before Install(). Install() throws
     * HpccInputError if the hosts' loss recovery does not use SACKs, or if SetPaths() has chosen
     * anything other than ECMP. Connect() refuses a policy that does not tolerate packets of one
     * flow on several paths, see RdmaPolicyDescription::toleratedMultipath.
     * @param name short name of an RdmaEntropy, or "none", the default; other names throw an
     * HpccInputError that lists the choices
     * @param values number of entropy values; 0 selects the default of the RdmaEntropy. A number
     * that the RdmaEntropy does not support throws HpccInputError
     */
    void SetEntropy(const std::string& name, uint32_t values = 0);

    /**
     * Chooses the processing delays of all hosts. Call before Install().
     * @param name short name of an RdmaNic, ideal by default; other names throw an HpccInputError
     * that lists the choices
     */
    void SetNic(const std::string& name);

    /**
     * Refuses processing delays of the hosts that are longer than a run. Call after Install().
     * @param run length of the longest run; a longer delay throws HpccInputError
     */
    void CheckNic(Time run) const;

    /**
     * Sets an attribute of every switch's BufferPolicy.
     * @param name name of the attribute; an unknown name throws HpccInputError
     * @param value value of the attribute
     */
    void SetBufferAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Sets an attribute of every switch's Marker.
     * @param name name of the attribute; an unknown name throws HpccInputError
     * @param value value of the attribute
     */
    void SetEcnAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Sets the attribute Thresholds of every switch's Marker to the values for which a policy is
     * designed.
     * @param thresholds in the format of EcnMarker::Thresholds
     * @return false if SetMarking() has chosen a Marker without the attribute Thresholds
     */
    bool SetThresholds(const std::string& thresholds);

    /**
     * Gives a switch its own parts. The first call for a switch copies the settings that the
     * functions above have made for all switches so far. Call before Install(). Install() throws
     * HpccInputError if the node is not a switch, or if switches have different schedulers while
     * TelemetryAgent::Bandwidth refers to shares.
     * @param node number of a switch in the topology
     * @return parts of the switch, which the caller may change until Install()
     */
    HpccSwitchParts& PartsOf(uint32_t node);

    /**
     * Sets an attribute of every switch's TelemetryAgent.
     * @param name name of the attribute
     * @param value value of the attribute
     */
    void SetTelemetryAgentAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Sets an attribute of every RdmaHost.
     * @param name name of the attribute
     * @param value value of the attribute
     */
    void SetHostAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Chooses how one of several shortest paths is selected for a packet. Call before Install().
     * Connect() refuses a policy that does not tolerate the resulting use of several paths, see
     * RdmaPolicyDescription::toleratedMultipath.
     * @param name "ecmp", or the short name of a PathSelector for all switches or of an
     * RdmaRepathing for all hosts; other names throw an HpccInputError that lists the choices
     */
    void SetPaths(const std::string& name);

    /**
     * Chooses how queue pairs are bound to the ports of their hosts. Call before Connect(). Each
     * port of the source is paired with the closest port of the destination. The closest port is
     * the one whose path to the source's port has the fewest links; ties are decided by the
     * smallest base RTT, then by the same port number. Among these pairs, only the closest ones are
     * used.
     * @param name one of
     * - hash: by a hash of the addresses, the UDP source port and the number of the queue pair;
     * - turns: each queue pair of a source gets the next of these pairs of ports in turn; so a job
     * with one queue pair per rail uses each rail once;
     * - first: the lowest port;
     * - a number: that port of the source, and the closest port of the destination.
     * . With the suffix +move, a queue pair moves to other ports if a planned change of links
     * removes all paths between its ports. The move takes place after the convergence delay. When a
     * change of links restores a path between the original ports, the queue pair moves back after
     * the same delay. Without the suffix, the queue pair waits for the link. Other values throw an
     * HpccInputError that lists the choices.
     */
    void SetPorts(const std::string& name);

    /// Returns true if packets may be reordered and the recovery treats reordering as loss.
    bool LosesOrder() const;

    /// Selects T of each queue pair: the base RTT of its path, or the network-wide T. Call before
    /// Connect(). Switches that average over T always use the network-wide T. By default T is per
    /// path if the ports of some host have different rates or delays.
    /// @param perPath true: of the path; false: of the network
    void SetPerPathBaseRtt(bool perPath);

    /**
     * Schedules a link failure. Call before Install(). Both ends of the link react immediately:
     * packets that are queued for the link or in flight on it are lost, and switches send nothing
     * more over the link. After the convergence delay all switches use the shortest routes without
     * the link. Until then, packets whose only next hop is this link are dropped with
     * DropReason::NO_ROUTE.
     *
     * T and ideal completion times do not change: they are computed with all links up. Queue pairs
     * may move to other ports, see SetPorts().
     * @param link number of the link in the topology
     * @param at time of the failure, above 0. Install() throws HpccInputError if a link that is
     * down goes down again, or if a link that is up comes up
     */
    void ScheduleLinkDown(uint32_t link, Time at);

    /**
     * Schedules the recovery of a link. Call before Install(). The ends of the link can send
     * immediately; routes use the link after the convergence delay.
     * @param link number of the link in the topology
     * @param at time of the recovery, after the failure
     */
    void ScheduleLinkUp(uint32_t link, Time at);

    /// Sets the delay from the change of a link until all switches have changed their routes. Call
    /// before Install().
    /// @param delay the delay; 100 us by default; a negative delay throws HpccInputError
    void SetConvergenceDelay(Time delay);

    /**
     * Allows nodes to lag behind ns-3's clock, which speeds up the simulation and changes no
     * result.
     * @param lag NodeAgenda::MaxLag of every node. See NodeAgenda for the rules that callbacks must
     * then follow. A negative lag throws HpccInputError
     */
    void SetMaxLag(Time lag);

    /// Builds the network.
    /// @param topology the network
    void Install(const HpccTopology& topology);

    /// The specification of a policy and its telemetry, an argument of Connect(); see MakePolicy().
    struct PolicySpec
    {
        HpccPolicyFactory policy;    ///< makes RdmaCongestionOps
        Ptr<TelemetryFormat> format; ///< telemetry format; null without telemetry
        std::string telemetryName;   ///< short name of the format; "none" without telemetry
        int8_t dscp{-1};             ///< DSCP of data, 0 to 63; -1 selects RdmaHost::DataDscp
        Ptr<RdmaFeedback> feedback;  ///< feedback mode; null: every packet carries telemetry, and
                                     ///< its ACK returns the telemetry
        std::string feedbackName{"packet"}; ///< short name; "none" without telemetry
        std::string policyName{};           ///< short name; empty: the name of the policy's class

        /// Returns what the policy needs from the network if it uses this telemetry.
        RdmaPolicyDescription Describe() const;
        /// Returns the name of the policy in error messages: "policy NAME".
        std::string NamePolicy() const;
        /// Returns the name of policy and telemetry in error messages: "policy NAME with telemetry
        /// NAME".
        std::string NameBoth() const;
        /// Returns the name of the telemetry in error messages: "telemetry NAME". Returns the text
        /// of NameBoth() if the policy or the format has a switch agent, or if there is no format.
        std::string NameTelemetry() const;
    };

    /**
     * Returns the specification of a policy, a format and a feedback mode, given their short names.
     * @param cc short name of a policy
     * @param telemetry short name of a format; empty selects the policy's default. A policy that
     * reads no telemetry gets neither format nor feedback, even if their names are given
     * @param feedback short name of an RdmaFeedback
     * @return the specification; unknown names throw an HpccInputError that lists the choices
     */
    static PolicySpec MakePolicy(const std::string& cc,
                                 const std::string& telemetry = "",
                                 const std::string& feedback = "packet");

    /**
     * Makes the links from one node to another a domain edge, see TelemetryBorder. Throws
     * HpccInputError in three cases: records are per class (TelemetryAgent::Bandwidth), a format in
     * use cannot cross the edge (TelemetryFormat::CrossesBorder()), or feedback in use reports only
     * one hop (RdmaFeedback::ReportsBottleneckHop()). After this call, Connect() refuses such
     * formats and feedback.
     * @param node a switch at the domain edge
     * @param neighbour a node outside the domain; throws HpccInputError if no link leads to it
     */
    void AddTelemetryBorder(uint32_t node, uint32_t neighbour);

    /**
     * Returns true if a domain edge (AddTelemetryBorder()) is on the path between the first ports
     * of two hosts.
     * @param source a host
     * @param destination another host
     */
    bool CrossesBorder(uint32_t source, uint32_t destination) const;

    /**
     * Finds the hosts whose packets to a given host may use a link. The packets take shortest
     * paths, with all links up or after a planned change of links.
     * @param node a switch
     * @param neighbour the node to which the link leads
     * @param destination a host
     * @return by node: true if the node is a host whose packets may use the link
     */
    std::vector<bool> FindUsers(uint32_t node, uint32_t neighbour, uint32_t destination) const;

    /// Finds the ports of other hosts that lose their last path to a given port because of planned
    /// failures, and never have a path to it again.
    /// @param destination a host
    /// @param port a port of this host
    /// @return by node and port: time of the failure that removes the last path, ns; INT64_MAX:
    /// none
    std::vector<std::vector<int64_t>> FindCutOffsNs(uint32_t destination, uint32_t port) const;

    /**
     * Installs an agent in every switch, unless the agent already runs. Call it after Install(); a
     * program with HpccExperiment calls it in Scenario::connected. Then
     * GetSwitch(node)->GetObject<Class>() returns the agent of a switch. Connect() itself installs
     * the agents that the policy and the format need. Throws HpccInputError if Install() has not
     * been called, if the name is unknown, or if an agent of the same class already runs under
     * another name.
     * @param name short name of the SwitchAgent
     */
    void AddSwitchAgent(const std::string& name);

    /**
     * Distributes the simulation over several processes. Every process calls this function, with
     * the same arguments, before Install(). Programs with HpccExperiment use --mpi instead.
     * @param ranks the processes, which this object keeps alive; null: one process
     * @param rankOf rank of each node; Install() throws HpccInputError if it does not match the
     * topology
     */
    void SetRanks(HpccRanks* ranks, const std::vector<uint32_t>& rankOf);

    /// Returns the processes that share the simulation; null if it is not shared. The class
    /// HpccRanks is private to this module, so other programs can only compare the result with
    /// null; they use IsHere() and AddUp().
    HpccRanks* GetRanks() const;

    /**
     * Finds a cyclic buffer dependency: a cycle of paused egress queues of switches. Each queue of
     * the cycle stays paused until frames that it has sent leave the next queue, so PFC alone never
     * resolves the cycle. All ranks must call this function.
     * @return the switches, each one paused by the next and the last by the first; empty if there
     * is no cycle now
     */
    std::vector<uint32_t> FindPauseCycle() const;

    /**
     * Adds up the counts of all ranks. All ranks must call this function at the same time.
     * @param counts in: counts of this rank; out: sums over all ranks
     */
    void AddUp(std::vector<uint64_t>& counts) const;

    /**
     * Throws HpccInputError if packets of ns-3's IP stack may be too large to be sent from one rank
     * to another.
     * @param what name of the packets for the error message, such as "TCP segments of 1000 bytes"
     * @param bytes size of the largest packet, including its IP header
     * @param telemetry true if the packets carry telemetry
     */
    void CheckPackets(const std::string& what, uint32_t bytes, bool telemetry) const;

    /**
     * Throws HpccInputError if packets of ns-3's IP stack do not fit the queues and buffers.
     * @param what name of the packets for the error message
     * @param bytes size of the largest packet, including its IP header
     * @param dscp DSCP of the packets, which determines their priority
     */
    void CheckRoom(const std::string& what, uint32_t bytes, uint8_t dscp) const;

    /**
     * Throws HpccInputError if the network cannot be changed: Install() has not been called or has
     * thrown an exception, or Simulator::Destroy() has been called. Other helpers call this
     * function.
     * @param function name of the function that changes the network, "CLASS::FUNCTION", for the
     * message
     */
    void RequireComplete(const std::string& function) const;

    /// Returns true if this process simulates a node.
    /// @param node number of the node in the topology
    bool IsHere(uint32_t node) const;

    /**
     * Connects two hosts by a queue pair. Throws HpccInputError if the queue pair does not fit the
     * network. Then no policy, format or switch agent is added, no streams are assigned, no limit
     * of an attribute is set, and the queue pairs of both hosts are unchanged.
     * @param source host that sends
     * @param destination host that receives
     * @param spec policy and telemetry; each host has one policy object per specification
     * @param udpSourcePort UDP source port; 0: derived from the queue pair
     * @param singleMessage true if the queue pair carries a single message. Such a queue pair uses
     * little memory before and after its message
     * @param reads true if the destination answers READs, under the same policy
     * @return index of the queue pair at the source
     */
    uint32_t Connect(uint32_t source,
                     uint32_t destination,
                     const PolicySpec& spec,
                     uint16_t udpSourcePort = 0,
                     bool singleMessage = false,
                     bool reads = false);

    /**
     * Schedules a message, unless the source is at another rank.
     * @param source host that sends
     * @param queuePair index returned by Connect(); throws HpccInputError if there is none
     * @param bytes payload, 1 to RDMA_MAX_MESSAGE_BYTES (READ: 2^32 - 1); other values throw
     * HpccInputError
     * @param at time of posting, at least 0. After simulated time has started, it must not be
     * before now. Other times throw HpccInputError
     * @param verb operation of the message; READ requires a queue pair connected with @p reads
     */
    void AddMessage(uint32_t source,
                    uint32_t queuePair,
                    uint64_t bytes,
                    Time at,
                    RdmaVerb verb = RdmaVerb::WRITE);

    /// Assigns each random variable its own stream, derived from node and port numbers.
    /// @param stream first stream
    /// @return number of streams used
    int64_t AssignStreams(int64_t stream);

    /// Returns the first stream after those in use; -1 before AssignStreams().
    int64_t GetNextStream() const;

    /**
     * Ends the simulation at a time. No node processes anything that is due at this time or later.
     * Therefore the results do not depend on the order in which ns-3 runs the events of this
     * nanosecond.
     * @param at the time, later than now; other times throw HpccInputError
     */
    void EndAt(Time at) const;

    /// Makes every node process everything that was due before now. Call it before reading the
    /// state of nodes that may lag behind (NodeAgenda::MaxLag).
    void CatchUp() const;

    /// Delays and rates of a path in an empty network.
    struct PathTimes
    {
        int64_t baseRttNs;           ///< base RTT of the slowest of the equal-cost paths, ns
        int64_t propagationNs;       ///< propagation one way, ns
        uint64_t bottleneckBps;      ///< rate of the slowest link, bit/s
        uint32_t hops;               ///< number of links
        std::vector<uint64_t> rates; ///< rates of the links in the order of the path, bit/s
        bool choice{false};          ///< true if there are other paths of equal cost
    };

    /// The ports at both ends of a queue pair.
    struct PortPair
    {
        uint32_t source;      ///< port of the source
        uint32_t destination; ///< port of the destination

        /// Returns true if two pairs are equal.
        /// @param other another pair
        bool operator==(const PortPair& other) const
        {
            return source == other.source && destination == other.destination;
        }
    };

    /// Returns the pairs of ports among which SetPorts() chooses for two hosts, in the order of the
    /// source's ports.
    /// @param source a host
    /// @param destination another host
    std::vector<PortPair> GetClosestPorts(uint32_t source, uint32_t destination) const;

    /// Returns true if the values hash, turns and first of SetPorts() choose among several pairs of
    /// ports for two hosts.
    /// @param source a host
    /// @param destination another host
    bool HasPortChoice(uint32_t source, uint32_t destination) const;

    /// Returns the delays and rates of one path, with all links up. It joins the first pair of
    /// GetClosestPorts(), and takes the first of equal-cost ports at each switch. baseRttNs is the
    /// largest base RTT of all equal-cost paths between these ports.
    /// @param source a host
    /// @param destination another host
    PathTimes GetPath(uint32_t source, uint32_t destination) const;

    /// Returns the delays and rates of the path between two ports, with all links up.
    /// @param source a host
    /// @param destination another host
    /// @param ports ports of the hosts; throws HpccInputError if a host has no such port, or if no
    /// path joins them
    PathTimes GetPath(uint32_t source, uint32_t destination, const PortPair& ports) const;

    /**
     * Returns the time that a message would take alone in the network, until its last byte is
     * acknowledged. The packets of the message are sent back to back, and each switch stores and
     * forwards them. The result includes one ACK per packet, or only the last ACK if an ACK may
     * cover several packets. For a READ, the time ends when the last response arrives. It includes
     * the request, and the request's ACK, which is sent between the first two responses. The
     * message takes the fastest of the shortest paths. If packets are sprayed, they use all
     * shortest paths between two ports, but at most as many as there are entropy values. Packets
     * have no telemetry.
     * @param source a host
     * @param destination another host
     * @param bytes payload of the message; 0: one packet without payload
     * @param verb operation of the message
     * @param feedback feedback of the queue pair, which may set the packets per ACK; null: the
     * default
     * @return the time, ns
     */
    int64_t GetIdealFctNs(uint32_t source,
                          uint32_t destination,
                          uint64_t bytes,
                          RdmaVerb verb = RdmaVerb::WRITE,
                          const Ptr<const RdmaFeedback>& feedback = nullptr) const;

    /// Returns the ideal time until the last byte of a message arrives, without its ACK, ns; see
    /// GetIdealFctNs().
    /// @param source a host
    /// @param destination another host
    /// @param bytes payload of the message
    int64_t GetIdealDeliveryNs(uint32_t source, uint32_t destination, uint64_t bytes) const;

    /// A set of parallel links between two hosts: every byte between the hosts crosses exactly one
    /// of these links.
    struct Stage
    {
        std::vector<std::pair<uint32_t, uint16_t>> links; ///< links, each given by a node and its
                                                          ///< port, in ascending order
        uint64_t rateBps;                                 ///< sum of the rates of the links, bit/s
    };

    /**
     * Returns the links of all shortest paths between two hosts, with all links up. The first stage
     * has the links of the closest ports of the source. Each further stage has the links that the
     * next switches may choose.
     * @param source a host
     * @param destination another host
     * @return the stages, one per link of a path
     */
    std::vector<Stage> GetStages(uint32_t source, uint32_t destination) const;

    /**
     * Returns the highest rate at which a flow may send if it is alone in the network. The result
     * is the rate of the slowest link on the fastest of the shortest paths. If packets are sprayed,
     * the result is the rate of the slowest stage between two ports, see GetStages(). The rate of a
     * stage is the sum of the rates of its links. If there are more links than entropy values, only
     * the fastest links count, as many as there are entropy values.
     * @param source a host
     * @param destination another host
     * @return the rate, bit/s
     */
    uint64_t GetFlowRateBps(uint32_t source, uint32_t destination) const;

    /**
     * Returns the number of bytes that a message sent as a WRITE occupies on a link, with headers
     * and without telemetry.
     * @param bytes payload of the message, at least 1
     */
    uint64_t GetWireBytes(uint64_t bytes) const;

    /// Returns the number of ports of a host.
    /// @param host number of the host
    uint32_t GetPorts(uint32_t host) const;

    /// Returns the telemetry formats in use by queue pairs, NICs and switch responses.
    std::vector<Ptr<const TelemetryFormat>> GetFormats() const;

    /// Returns the network-wide T, ns, after Install(). By default, this is the largest base RTT
    /// over all pairs of hosts. SetNetworkBaseRttNs() replaces it.
    int64_t GetNetworkBaseRttNs() const;

    static constexpr int64_t MAX_BASE_RTT_NS = 100000000000000; ///< largest T, ns: 100000 s

    /// Replaces the computed network-wide T. Call after Install(), but before the first Connect()
    /// and before a NIC for UDP or TCP is installed; a later call throws HpccInputError.
    /// @param baseRttNs T, ns, 1 to MAX_BASE_RTT_NS; other values throw HpccInputError
    void SetNetworkBaseRttNs(int64_t baseRttNs);

    /// Returns the nodes, numbered as in the topology.
    const NodeContainer& GetNodes() const;

    /**
     * Returns the RDMA stack of a host. For a host at another rank, the first call creates an
     * RdmaHost without applications that only represents the host.
     * @param host number of the host
     */
    Ptr<RdmaHost> GetHost(uint32_t host) const;

    /// Returns a switch.
    /// @param node number of the switch; the number of a host throws HpccInputError
    Ptr<QbbSwitch> GetSwitch(uint32_t node) const;

    /// Returns all devices: both ends of each link in the order of the topology's links. A device
    /// is null if its node is at another rank, with two exceptions: the devices of the first link,
    /// and, if HpccRanks::NeedsBothEnds() is true, the devices of links between this rank and
    /// another.
    const std::vector<Ptr<QbbNetDevice>>& GetDevices() const;

    /**
     * Finds a port of a node. Throws HpccInputError if the node has no such port.
     * @param node number of a host or switch in the topology
     * @param port index of the port, from 0 in the order of the topology's links
     * @return the port; null if the node is at another rank
     */
    Ptr<QbbNetDevice> GetDevice(uint32_t node, uint32_t port) const;

    /**
     * Finds the port of a node that leads to a neighbour; if several links lead there, the first
     * port. Throws HpccInputError if no link joins the two nodes.
     * @param node number of a host or switch in the topology
     * @param neighbour number of the node at the other end
     * @return the port; null if the node is at another rank
     */
    Ptr<QbbNetDevice> GetDeviceTo(uint32_t node, uint32_t neighbour) const;

    /// Returns the number of the node of a device.
    /// @param device index of the device in GetDevices()
    uint32_t GetNodeOf(size_t device) const;

    /// Returns the port index of a device at its node.
    /// @param device index of the device in GetDevices()
    uint32_t GetPortOf(size_t device) const;

    /// Returns the line rates of the switches' ports. If TelemetryAgent::Bandwidth is Share,
    /// returns instead the shares of a priority in these rates.
    /// @param priority the priority, 0 to 7
    Ptr<const TelemetryInventory> GetInventory(uint8_t priority) const;

    /// Returns how often switches may change the path of a flow's packets.
    Multipath GetSwitchMultipath() const;

    /// Returns the rule by which switches select the packets that get records.
    TelemetryThinning GetThinning() const;

    /**
     * Returns the largest number of bytes that the telemetry formats in use add to a frame that
     * arrives at a port of a switch. Frames that come directly from a host have no records yet.
     * @param node number of the switch
     * @param port number of the port
     */
    uint32_t GetArrivingTelemetryBytes(uint32_t node, uint32_t port) const;

    /// Packets of ns-3's stack.
    struct StackPackets
    {
        std::string what;  ///< name of the packets, for messages
        uint32_t bytes{0}; ///< size of the IP packets, bytes
        uint8_t dscp{0};   ///< their DSCP
    };

    /**
     * Checks the telemetry format of flows that do not use Connect(), sets the network parameters
     * that the format needs, starts the agent that the format needs in each switch, and registers
     * the format with HpccRanks. Throws HpccInputError, and changes nothing, if the format does not
     * fit the network, or if CheckRoom() refuses packets of the flows.
     * @param spec policy and format of the flows; without a policy, the flows are those of ns-3's
     * stack
     * @param packets packets of the flows, which are checked as by CheckRoom()
     */
    void CheckFormat(const PolicySpec& spec, const std::vector<StackPackets>& packets = {}) const;

    /// Calls a function for every format that passes CheckFormat(). For formats that have already
    /// passed, this function makes the calls before it returns; for other formats, the call follows
    /// when they pass. Formats of switch responses are not included.
    /// @param notify the function; must not refer to this object, and may outlive it
    void OnFormat(const std::function<void(const Ptr<const TelemetryFormat>&)>& notify) const;

    /**
     * Returns a function that checks the paths from the first port of a host, for flows that do not
     * use Connect(). The function refuses paths on which packets have no room for a record of every
     * switch, now or after a planned change of links. Connect() itself checks the paths of its
     * queue pairs. After this call, SetNetworkBaseRttNs() refuses to change T.
     * @param format telemetry that has passed CheckFormat()
     * @param source the host
     * @return the function; empty if the check would refuse no path. The function may outlive this
     * object. Given the address of another host's first port, it returns an empty string, or one
     * line that says why flows to that address are refused
     */
    std::function<std::string(uint32_t address)> MakePeerCheck(const Ptr<TelemetryFormat>& format,
                                                               uint32_t source) const;

    /// Returns the topology.
    const HpccTopology& GetTopology() const;

    /// Completes the pcap files. Throws HpccInputError if a file could not be written, for example
    /// because the disk is full. No simulation may follow.
    void ClosePcap();

    /// Returns the IPv4 address of a port.
    /// @param host number of the host
    /// @param port port of the host
    static uint32_t GetAddress(uint32_t host, uint32_t port = 0);

    /// Returns the number of the host with an address.
    /// @param address IPv4 address of a port of a host
    static uint32_t GetHostNumber(uint32_t address);

  protected:
    void EnablePcapInternal(std::string prefix,
                            Ptr<NetDevice> device,
                            bool promiscuous,
                            bool explicitFilename) override;

  private:
    struct Network;
    class Attempt;
    class Checks;
    class Installer;
    class Ways;

    /**
     * Returns the policy object of a host for a specification. Makes the object if it does not
     * exist; attributes that do not fit the network throw HpccInputError.
     * @param host number of the host
     * @param spec policy and telemetry
     * @param pathRttNs base RTT of the queue pair, ns
     * @param attempt the call of Connect(); gets a new policy object, its format and its switch
     * agents
     * @return the host's policy object for the specification
     */
    Ptr<RdmaCongestionOps> FindPolicy(uint32_t host,
                                      const PolicySpec& spec,
                                      int64_t pathRttNs,
                                      Attempt& attempt);

    /**
     * Refuses a specification that does not fit the network.
     * @param host number of the host that sends
     * @param spec policy, telemetry, feedback and DSCP
     * @param policy policy object of the host
     * @param rttNs T for the policy, ns
     * @param attempt the call of Connect(); gets the format and the switch agents that the
     * specification needs
     */
    void CheckUse(uint32_t host,
                  const PolicySpec& spec,
                  RdmaCongestionOps& policy,
                  int64_t rttNs,
                  Attempt& attempt);

    /// Installs trimming in the switches, if SetTrimming() has chosen it.
    void InstallTrimming();

    /**
     * Refuses a specification with switch responses if settings of the switches, or keys of the
     * host, do not fit it. If hosts subscribe to the responses by a DSCP, also refuses a DSCP that
     * some port maps to a priority other than the priority of the host's data.
     * @param spec policy and telemetry
     * @param source the host that sends
     * @param attempt the call of Connect(); gets the switch agent that sends the responses
     */
    void CheckSubscription(const PolicySpec& spec, uint32_t source, Attempt& attempt);

    std::unique_ptr<Network> m_network; ///< settings, and the network that Install() builds from
                                        ///< them
};

} // namespace ns3

#endif // HPCC_FABRIC_HELPER_H
