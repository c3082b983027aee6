/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FABRIC_HELPER_H
#define HPCC_FABRIC_HELPER_H

#include "hpcc-switch-parts.h"
#include "hpcc-topology.h"

#include "ns3/hpcc-switch-agent.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/qbb-net-device.h"
#include "ns3/qbb-switch.h"
#include "ns3/rdma-application.h"
#include "ns3/rdma-host.h"
#include "ns3/trace-helper.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

class HpccRanks;
class TelemetryInventory;

/**
 * @ingroup hpcc
 *
 * Builds an RDMA network from a topology: nodes, QbbNetDevices, QbbChannels, switches with routes,
 * hosts with RdmaHost and one RdmaApplication each. Attributes are set beforehand, as with ns-3's
 * other helpers; then Install(), then policies and flows.
 *
 * Host number i of the topology has the address 11.0.0.1 + i; each of its links is a port, and port
 * p has the address 11.0.0.1 + i + 131072 p. Node ids of ns-3 follow the topology's numbers.
 */
class HpccFabricHelper : public PcapHelperForDevice
{
  public:
    HpccFabricHelper();
    ~HpccFabricHelper();
    HpccFabricHelper& operator=(HpccFabricHelper&& other);

    /**
     * @param name attribute of every QbbNetDevice
     * @param value its value
     */
    void SetDeviceAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Chooses the packet memory of all switches; before SetBufferAttribute() and Install().
     * @param name short name of a BufferPolicy, dynamic by default; others throw HpccInputError
     * with the choices
     */
    void SetBuffer(const std::string& name);

    /**
     * Chooses how all switches mark packets; before SetEcnAttribute() and Install().
     * @param name short name of a Marker, red by default; others throw HpccInputError with the
     * choices
     */
    void SetMarking(const std::string& name);

    /**
     * Chooses which priority sends next at all ports, those of hosts too; before Install().
     * @param name short name of an EgressScheduler, ring by default; others throw HpccInputError
     * with the choices
     */
    void SetScheduler(const std::string& name);

    /**
     * Chooses how switches trim packets whose queue is full; before Install(), which throws
     * HpccInputError if the priorities that it would trim are lossless. Connect() refuses telemetry
     * that is recognised by a DSCP, which trimming would overwrite.
     * @param name short name of a PacketTrimmer; none, the default; others throw HpccInputError
     * with the choices
     */
    void SetTrimming(const std::string& name);

    /**
     * Chooses how hosts choose the entropy of each packet; before Install(), which throws
     * HpccInputError if the recovery of the hosts does not use SACKs, or if SetPaths() has chosen
     * anything but ECMP. Connect() refuses policies as SetPaths() says.
     * @param name short name of an RdmaEntropy; none, the default; others throw HpccInputError with
     * the choices
     * @param values number of entropy values; 0 takes the attribute's default. A number that the
     * choice cannot have throws HpccInputError
     */
    void SetEntropy(const std::string& name, uint32_t values = 0);

    /**
     * Chooses the processing delays of all hosts; before Install().
     * @param name short name of an RdmaNic, ideal by default; others throw HpccInputError with the
     * choices
     */
    void SetNic(const std::string& name);

    /**
     * Refuses a processing delay of the hosts that is longer than a run; after Install().
     * @param run the longest run; a longer delay throws HpccInputError
     */
    void CheckNic(Time run) const;

    /**
     * @param name attribute of every switch's BufferPolicy; throws HpccInputError if it has none
     * of that name
     * @param value its value
     */
    void SetBufferAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @param name attribute of every switch's Marker, of whatever class; throws HpccInputError if
     * it has none of that name
     * @param value its value
     */
    void SetEcnAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Gives every switch's Marker the thresholds that a policy is meant for, if it has any.
     * @param thresholds as of EcnMarker::Thresholds
     * @return false if SetMarking() has chosen a Marker without the attribute Thresholds
     */
    bool SetThresholds(const std::string& thresholds);

    /**
     * Gives a switch parts of its own, in place of those that the functions above set for all; they
     * are a copy of the latter as they are at the first call. Before Install(), which throws
     * HpccInputError if the node is no switch, and if schedulers differ while
     * TelemetryAgent::Bandwidth refers to shares.
     * @param node number of a switch in the topology
     * @return its parts, to be changed
     */
    HpccSwitchParts& PartsOf(uint32_t node);

    /**
     * @param name attribute of every switch's TelemetryAgent
     * @param value its value
     */
    void SetTelemetryAgentAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @param name attribute of every RdmaHost
     * @param value its value
     */
    void SetHostAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Chooses how packets find one of several shortest paths; before Install(). Connect() refuses a
     * policy that the spread of a flow's packets would mislead, see
     * RdmaPolicyDescription::toleratedSpread.
     * @param name ecmp, or the short name of a PathSelector for all switches, or of an
     * RdmaRepathing for all hosts; others throw HpccInputError with the choices
     */
    void SetPaths(const std::string& name);

    /**
     * Chooses how queue pairs are bound to the ports of their hosts; before Connect(). Candidates
     * are, for each port of the source, the closest port of the destination: fewest links, then
     * smallest base RTT, then the same number. Of these, only the closest pairs are used.
     * @param name one of
     * - hash: a hash of the addresses and of the number of the queue pair chooses;
     * - turns: the queue pairs of a source take turns (rail affinity, where a job has one queue
     * pair per rail);
     * - first: the lowest port;
     * - a number: that port of the source, and the same or the closest port of the destination.
     * .
     * Followed by +move: when a planned change of links leaves a queue pair no way between its
     * ports, it moves to other ports after the convergence delay, and back as soon. Without: it
     * waits for the link. Others throw HpccInputError with the choices
     */
    void SetPorts(const std::string& name);

    /// @return true if packets may be reordered and the recovery treats reordering as loss
    bool LosesOrder() const;

    /// Selects the base RTT of its own path as T of a queue pair, instead of the network's; before
    /// Connect(). What switches measure over T stays network-wide. The default, if there are hosts
    /// whose ports have different rates or delays.
    /// @param perPath true to select it
    void SetPerPathBaseRtt(bool perPath);

    /**
     * Schedules that a link goes down; before Install(). Its two ends react at once: what is queued
     * on it or on its way is lost, and a switch sends nothing more that way. All switches change
     * their routes after the convergence delay to what is shortest without the link; until then,
     * packets whose only way was this link are dropped with DropReason::NO_ROUTE.
     *
     * T and ideal completion times remain those of the whole network. Queue pairs may move to other
     * ports, see SetPorts().
     * @param link its number in the topology
     * @param at when, above 0. Install() throws HpccInputError if a link goes down twice, or comes
     * up without having been down
     */
    void ScheduleLinkDown(uint32_t link, Time at);

    /**
     * Schedules that a link comes up again; before Install(). Its ends can send on it at once;
     * routes use it after the convergence delay.
     * @param link its number in the topology
     * @param at when, after it went down
     */
    void ScheduleLinkUp(uint32_t link, Time at);

    /// Sets the delay from the change of a link until all switches have changed their routes;
    /// before Install().
    /// @param delay the delay; 100 us by default
    void SetConvergenceDelay(Time delay);

    /**
     * Lets nodes lag behind ns-3's clock, which is faster and changes no result.
     * @param lag NodeAgenda::MaxLag of every node; see there what callbacks must know
     */
    void SetMaxLag(Time lag);

    /**
     * Builds the network.
     * @param topology the network
     */
    void Install(const HpccTopology& topology);

    /// Parameters for making a policy and a format; see MakePolicy().
    struct PolicySpec
    {
        ObjectFactory policy;        ///< makes RdmaCongestionOps
        Ptr<TelemetryFormat> format; ///< telemetry; null without
        std::string telemetryName;   ///< its short name; "none" without
        int8_t dscp{-1};             ///< DSCP of data, 0 to 63; -1 takes RdmaHost::DataDscp
        Ptr<RdmaFeedback> feedback;  ///< how telemetry travels; null: on every packet, in its ACK
        std::string feedbackName{"packet"}; ///< its short name; "none" without telemetry
        std::string policyName{}; ///< short name of the policy; empty takes its class's name

        /// @return the needs of the policy with this telemetry
        RdmaPolicyDescription Describe() const;
        /// @return what a refusal calls the policy: "policy NAME"
        std::string NamePolicy() const;
        /// @return what a refusal calls policy and telemetry: "policy NAME with telemetry NAME"
        std::string NameBoth() const;
        /// @return how an error message refers to the telemetry: "telemetry NAME"; as NameBoth() if
        /// policy or format has a switch agent, or if there is no format
        std::string NameTelemetry() const;
    };

    /**
     * Resolves short names.
     * @param cc short name of a policy
     * @param telemetry short name of a format; empty takes the policy's default
     * @param feedback short name of an RdmaFeedback
     * @return what Connect() wants; unknown names throw HpccInputError with the choices
     */
    static PolicySpec MakePolicy(const std::string& cc,
                                 const std::string& telemetry = "",
                                 const std::string& feedback = "packet");

    /**
     * Makes the links from one node to another a domain edge, see TelemetryBorder. Refused if
     * records are about classes (TelemetryAgent::Bandwidth), for telemetry formats that cannot
     * cross it (TelemetryFormat::CrossesBorder()) and for feedback of one hop
     * (RdmaFeedback::ReportsBottleneckHop()), be they connected before or after.
     * @param node a switch at the domain edge
     * @param neighbour a node outside; without a link to it throws HpccInputError
     */
    void AddTelemetryBorder(uint32_t node, uint32_t neighbour);

    /**
     * Makes every switch run an agent, once. Connect() does so for what its policy or format names.
     * Refused with HpccInputError: an unknown name, and another name of a class that runs already.
     * @param name short name of the SwitchAgent
     */
    void AddSwitchAgent(const std::string& name);

    /**
     * Shares the simulation with other processes. Every process calls it, with the same arguments,
     * before Install().
     * @param ranks the processes
     * @param rankOf rank of each node; throws HpccInputError in Install() if it does not fit
     */
    void SetRanks(Ptr<HpccRanks> ranks, const std::vector<uint32_t>& rankOf);

    /// @return the processes that share the simulation; null if it is not shared
    Ptr<HpccRanks> GetRanks() const;

    /**
     * Finds a cyclic buffer dependency: paused egress queues of switches, of which each waits for
     * the next because that one holds frames that came from it. PFC alone does not resolve it. With
     * several ranks all of them call it.
     * @return the switches, each one paused by the next and the last by the first; empty if there
     * is none now
     */
    std::vector<uint32_t> FindPauseCycle() const;

    /**
     * Adds up what each rank has counted at its nodes, if there are several; all of them call it at
     * the same time.
     * @param counts of this rank; those of all of them afterwards
     */
    void AddUp(std::vector<uint64_t>& counts) const;

    /**
     * Throws HpccInputError if packets of ns-3's IP stack may be too large to cross between ranks.
     * @param what their size comes from, such as "TCP segments of 1000 bytes"
     * @param bytes the largest, from the IP header on
     * @param telemetry whether they carry telemetry
     */
    void CheckPackets(const std::string& what, uint32_t bytes, bool telemetry) const;

    /**
     * @param node a node
     * @return true if this process has it
     */
    bool IsHere(uint32_t node) const;

    /**
     * Connects two hosts by a queue pair.
     * @param source host that sends
     * @param destination host that receives
     * @param spec policy and telemetry; hosts share one policy object per spec and host
     * @param udpSourcePort 0 derives one
     * @param singleMessage true if it carries one message and takes little memory before and after
     * that
     * @param reads the destination answers READs, under the same policy
     * @return index of the queue pair at the source
     */
    uint32_t Connect(uint32_t source,
                     uint32_t destination,
                     const PolicySpec& spec,
                     uint16_t udpSourcePort = 0,
                     bool singleMessage = false,
                     bool reads = false);

    /**
     * Schedules a message.
     * @param source host that sends
     * @param queuePair as returned by Connect()
     * @param bytes payload
     * @param at when
     * @param verb what it does; READ needs a queue pair connected with reads
     */
    void AddMessage(uint32_t source,
                    uint32_t queuePair,
                    uint64_t bytes,
                    Time at,
                    RdmaVerb verb = RdmaVerb::WRITE);

    /**
     * Gives every random variable its own stream, derived from node and port numbers.
     * @param stream first stream
     * @return streams used
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * Ends the simulation at a time. What is due at that time or later happens at no node, so
     * results do not depend on the order in which ns-3 runs the events of that nanosecond.
     * @param at when, later than now
     */
    void EndAt(Time at) const;

    /**
     * Makes every node process what has been due before now. Call it before reading state that
     * nodes with NodeAgenda::MaxLag have not updated yet.
     */
    void CatchUp() const;

    /// Times of a path, for an empty network.
    struct PathTimes
    {
        int64_t baseRttNs;           ///< one full packet there and its ACK back, ns
        int64_t propagationNs;       ///< propagation one way, ns
        uint64_t bottleneckBps;      ///< slowest link, bit/s
        uint32_t hops;               ///< links
        std::vector<uint64_t> rates; ///< links in order, bit/s
        bool choice{false};          ///< there are other paths of equal cost
    };

    /// The ports at both ends of a queue pair.
    struct PortPair
    {
        uint32_t source;      ///< port of the source
        uint32_t destination; ///< port of the destination

        /// @param other another pair
        /// @return true if it is the same
        bool operator==(const PortPair& other) const
        {
            return source == other.source && destination == other.destination;
        }
    };

    /**
     * @param source a host
     * @param destination another host
     * @return the pairs of ports that SetPorts() chooses from, by port of the source
     */
    std::vector<PortPair> GetClosestPorts(uint32_t source, uint32_t destination) const;

    /**
     * @param source a host
     * @param destination another host
     * @return times of the path in the whole network, whatever links are down, by the first of
     * equal-cost ports
     */
    PathTimes GetPath(uint32_t source, uint32_t destination) const;

    /**
     * @param source a host
     * @param destination another host
     * @param ports their ports
     * @return the same between these ports
     */
    PathTimes GetPath(uint32_t source, uint32_t destination, const PortPair& ports) const;

    /**
     * Returns the time that a message would take alone in the network, until its last byte is
     * acknowledged: store-and-forward of its packets, one behind the other, and of an ACK for each,
     * or of the request of a READ. Without telemetry.
     * @param source a host
     * @param destination another host
     * @param bytes payload of the message
     * @param verb what it does
     * @return the time, ns
     */
    int64_t GetIdealFctNs(uint32_t source,
                          uint32_t destination,
                          uint64_t bytes,
                          RdmaVerb verb = RdmaVerb::WRITE) const;

    /**
     * @param source a host
     * @param destination another host
     * @param bytes payload of a message
     * @return as GetIdealFctNs(), but until the last byte has arrived, ns
     */
    int64_t GetIdealDeliveryNs(uint32_t source, uint32_t destination, uint64_t bytes) const;

    /// Links of which every byte between two hosts takes one.
    struct Stage
    {
        std::vector<std::pair<uint32_t, uint16_t>> links; ///< nodes and their ports, ascending
        uint64_t rateBps;                                 ///< of all together, bit/s
    };

    /**
     * Returns the links of all shortest paths between two hosts in the whole network, whatever
     * links are down: those of the closest ports of the source first, then those that a switch
     * further on may choose, and so on.
     * @param source a host
     * @param destination another host
     * @return as many stages as a path has links
     */
    std::vector<Stage> GetStages(uint32_t source, uint32_t destination) const;

    /**
     * @param rateBps rate of a link, bit/s
     * @return time of a byte of payload there in packets of full size without telemetry, ns
     */
    double GetByteNs(uint64_t rateBps) const;

    /// @param host a host
    /// @return its ports
    uint32_t GetPorts(uint32_t host) const;

    /**
     * Returns the ideal time of GetIdealFctNs() by the formula of the HPCC authors' simulator:
     * propagation there and back, one payload over each link, then all packets with headers of 48
     * bytes over the slowest link. The first packet is counted twice there; ACKs are not.
     * @param source a host
     * @param destination another host
     * @param bytes payload of the message
     * @return the time, ns
     */
    int64_t GetAuthorsIdealFctNs(uint32_t source, uint32_t destination, uint64_t bytes) const;

    /// @return classes of the telemetry formats of the queue pairs, and of responses by switches
    std::set<TypeId> GetFormatTypes() const;

    /**
     * @return T: the largest base RTT over all pairs of hosts, propagation plus store-and-forward
     * of one full packet and its ACK, ns
     */
    int64_t GetNetworkBaseRttNs() const;

    /// Sets the network-wide T instead of the computed one; before Connect().
    /// @param baseRttNs T, ns
    void SetNetworkBaseRttNs(int64_t baseRttNs);

    /// @return the nodes, numbered as in the topology
    const NodeContainer& GetNodes() const;

    /**
     * @param host number of a host
     * @return its RDMA stack; for a host at another rank a stand-in without applications, made at
     * the first call
     */
    Ptr<RdmaHost> GetHost(uint32_t host) const;

    /**
     * @param node number of a switch
     * @return the switch
     */
    Ptr<QbbSwitch> GetSwitch(uint32_t node) const;

    /// @return all devices: both ends of each link in the order of the topology's links. Null where
    /// the node is at another rank, except for the first link and if HpccRanks::NeedsBothEnds() is
    /// true
    const std::vector<Ptr<QbbNetDevice>>& GetDevices() const;

    /**
     * Finds a port of a node. Throws HpccInputError if the node has no such port.
     * @param node number of a host or switch in the topology
     * @param port index of the port: ports count from 0 in the order of the topology's links
     * @return the port; null if the node is at another rank
     */
    Ptr<QbbNetDevice> GetDevice(uint32_t node, uint32_t port) const;

    /**
     * Finds the port of a node that leads to a neighbour, the first if several links do. Throws
     * HpccInputError if no link joins the two.
     * @param node number of a host or switch in the topology
     * @param neighbour number of the node at the other end
     * @return the port; null if the node is at another rank
     */
    Ptr<QbbNetDevice> GetDeviceTo(uint32_t node, uint32_t neighbour) const;

    /**
     * @param device index in GetDevices()
     * @return number of its node
     */
    uint32_t GetNodeOf(size_t device) const;

    /**
     * @param device index in GetDevices()
     * @return its port index there
     */
    uint32_t GetPortOf(size_t device) const;

    /// @return line rates of the switches' ports
    Ptr<const TelemetryInventory> GetInventory() const;

    /// Checks the telemetry format of a policy, gives it what it needs of the network, and makes it
    /// known to all ranks. Throws HpccInputError if it does not fit the network. Connect() does the
    /// same.
    /// @param spec the policy
    void CheckFormat(const PolicySpec& spec) const;

    /// @return the topology
    const HpccTopology& GetTopology() const;

    /// Completes the pcap files; one that could not be written, as on a full disk, throws
    /// HpccInputError. Nothing may happen in the network after that.
    void ClosePcap();

    /**
     * @param host number of a host
     * @param port one of its ports
     * @return the port's IPv4 address
     */
    static uint32_t GetAddress(uint32_t host, uint32_t port = 0);

    /**
     * @param address IPv4 address of a port of a host
     * @return the host's number
     */
    static uint32_t GetHostNumber(uint32_t address);

  protected:
    void EnablePcapInternal(std::string prefix,
                            Ptr<NetDevice> device,
                            bool promiscuous,
                            bool explicitFilename) override;

  private:
    struct Network;
    class Checks;
    class Installer;
    class Ways;

    /**
     * @param host a host
     * @param spec what it wants
     * @param pathRttNs base RTT of the queue pair, ns
     * @return the host's policy object for it
     */
    Ptr<RdmaCongestionOps> FindPolicy(uint32_t host, const PolicySpec& spec, int64_t pathRttNs);

    /// Makes the switches trim, if SetTrimming() says so.
    void InstallTrimming();

    /**
     * Sets up the switches for a spec that wants responses by them. Refuses it if some port puts
     * the DSCP into another priority than the data of the host.
     * @param spec the spec
     * @param source the host
     */
    void Subscribe(const PolicySpec& spec, uint32_t source);

    std::unique_ptr<Network> m_network; ///< settings, and what was built by them
};

} // namespace ns3

#endif // HPCC_FABRIC_HELPER_H
