/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FABRIC_CHECKS_H
#define HPCC_FABRIC_CHECKS_H

#include "hpcc-fabric-network.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Checks whether settings, policies and flows fit the network of an HpccFabricHelper, and throws
 * HpccInputError if they do not. The class has no state of its own; it uses
 * HpccFabricHelper::Network.
 */
class HpccFabricHelper::Checks
{
  public:
    /// A path on which packets have no room for a record of every switch.
    struct LongPath
    {
        uint32_t switches; ///< number of switches on the path
        uint32_t needed;   ///< number of records for which packets need room
        uint32_t room;     ///< number of records for which a packet has room
        int64_t sinceNs;   ///< time of the planned change of routes after which the path is used,
                           ///< ns; -1: the path is used while all links are up
    };

    /// Size of a host's largest data frame, which grows with the number of records in it.
    struct FrameGrowth
    {
        uint32_t payload; ///< payload, bytes
        uint32_t bytes;   ///< size without records, bytes
        uint32_t perHop;  ///< bytes of a record
        uint32_t most;    ///< largest number of records

        /// Returns the size of a frame after some switches, bytes.
        /// @param records number of switches that have inserted a record
        uint32_t BytesWith(uint32_t records) const
        {
            return bytes + std::min(records, most) * perHop;
        }
    };

    /// Creates the checks of a network.
    /// @param fabric the helper; must not be moved while this object is in use
    explicit Checks(const HpccFabricHelper& fabric)
        : m_fabric(fabric),
          m_network(*fabric.m_network)
    {
    }

    /**
     * If a host has several ports, refuses feedback modes and path selections that require hosts
     * with one port.
     * @param spec policy and telemetry
     */
    void CheckPorts(const PolicySpec& spec) const;

    /// Refuses parts that PartsOf() has created for nodes that are not switches. Also refuses lists
    /// of values by port rate that contain no rate of a switch port, see
    /// HpccSwitchParts::CheckRates().
    void CheckParts() const;

    /// Returns the name and the object of the recovery of the hosts; the object is null if the name
    /// is unknown.
    const std::pair<const std::string, Ptr<RdmaRecovery>>& FindRecovery() const;

    /// Returns true if the recovery of the hosts uses SACKs.
    bool UsesSacks() const;

    /**
     * Checks trimming with CheckTrims(). If the recovery uses SACKs, hosts retransmit trimmed
     * packets immediately. In this case, also refuses telemetry carried by probes, and policies
     * that do not slow down when packets are trimmed.
     * @param needs requirements of the policy
     * @param spec the policy
     * @param host the host that sends
     * @param limits the limits of CheckTrims() are appended
     */
    void CheckTrimming(const RdmaPolicyDescription& needs,
                       const PolicySpec& spec,
                       uint32_t host,
                       Network::Limits& limits) const;

    /**
     * Refuses trimming if it can trim none of a host's packets, or if it trims all of them. Once
     * the limits are set, attributes of trimmers and buffers refuse new values with which no port
     * would trim the packets of this host, and packets of the same size and priority are not
     * checked again.
     * @param spec policy and telemetry
     * @param host the host that sends
     * @param limits the limits are appended
     */
    void CheckTrims(const PolicySpec& spec, uint32_t host, Network::Limits& limits) const;

    /**
     * Refuses buffers that are too small for a full data packet, an ACK or a CNP of a host. Once
     * the limits are set, changes of attributes are checked, too.
     * @param needs requirements of the policy
     * @param spec policy and telemetry
     * @param host the host that sends
     * @param limits the limits are appended
     */
    void CheckBuffers(const RdmaPolicyDescription& needs,
                      const PolicySpec& spec,
                      uint32_t host,
                      Network::Limits& limits);

    /**
     * Refuses buffers of switches and receive buffers of hosts that are smaller than a frame. Also
     * refuses receive buffers that would lose frames of a lossless priority because a pause takes
     * effect too late. Once the limits are set, changes of the buffers' attributes are checked,
     * too.
     * @param bytes size of the frame when the host sends it, bytes
     * @param priority priority of the frame
     * @param what name of the packets, for the message
     * @param limits the limits are appended
     */
    void RequireRoom(uint32_t bytes,
                     uint8_t priority,
                     const std::string& what,
                     Network::Limits& limits);

    /**
     * Refuses packets of ns-3's stack as HpccFabricHelper::CheckRoom() does.
     * @param packets the packets
     * @param limits the limits are appended
     */
    void RequireStackRoom(const StackPackets& packets, Network::Limits& limits);

    /**
     * Sets the limits of RequireRoom().
     * @param fabric the network
     * @param bytes see RequireRoom()
     * @param priority see RequireRoom()
     * @param what see RequireRoom()
     */
    static void LimitRoom(const HpccFabricHelper& fabric,
                          uint32_t bytes,
                          uint8_t priority,
                          const std::string& what);

    /// Checks the settings of the ports, see QbbNetDevice::CheckSettings().
    void CheckDevices() const;

    /// Refuses an entropy if SetPaths() has chosen anything other than ECMP, or if the hosts'
    /// recovery does not use SACKs.
    void CheckEntropy() const;

    /// Returns the descriptions of the switches' ports.
    std::vector<TelemetryPort> ListPorts() const;

    /// Returns the description of the network that telemetry formats check.
    /// @param baseRttNs T, ns
    TelemetryNetwork DescribeNetwork(int64_t baseRttNs) const;

    /**
     * Refuses a new value of T if a NIC for UDP or TCP has read the old value. Also refuses it if a
     * telemetry format in use does not support the new value.
     * @param baseRttNs T, ns
     */
    void CheckBaseRtt(int64_t baseRttNs) const;

    /**
     * Refuses a format that cannot cross a domain edge, if there is a domain edge.
     * @param name name of the format
     * @param format format to check
     */
    void CheckBorders(const std::string& name, const TelemetryFormat& format) const;

    /// Returns name and value of the attribute because of which switches insert records into only
    /// some packets, for error messages; empty if all packets get records.
    std::string NameThinning() const;

    /**
     * If switches do not insert records into all packets, refuses a format in which a packet
     * without records means that its path is idle.
     * @param name name of the format
     * @param format format to check
     */
    void CheckThinning(const std::string& name, const TelemetryFormat& format) const;

    /**
     * Refuses a switch clock that advances in steps longer than half the range of the format's
     * timestamps. A control law would mistake the next timestamp for an older one.
     * @param name name of the format
     * @param format format to check
     */
    void CheckClocks(const std::string& name, const TelemetryFormat& format) const;

    /**
     * Refuses feedback and recoveries that return the records of only some packets, if some port
     * inserts only one record per interval for all flows together. Each flow would get few of these
     * records.
     * @param spec policy and telemetry
     */
    void CheckRareRecords(const PolicySpec& spec) const;
    /// Returns true if some switch inserts records so rarely that only few packets of a flow get a
    /// record.
    bool HasRareRecords() const;

    /**
     * If hosts may move flows to other paths, refuses telemetry, switches and policies that do not
     * support this.
     * @param spec policy and telemetry
     * @param needs requirements of the policy
     * @param policy policy object of the host
     */
    void CheckRepathing(const PolicySpec& spec,
                        const RdmaPolicyDescription& needs,
                        const RdmaCongestionOps& policy) const;

    /// Refuses formats, feedback and flows in use that do not tolerate the domain edges.
    void CheckBorders() const;

    /// Refuses feedback that reports only one hop, if there is a domain edge.
    /// @param feedback short name of the feedback
    void CheckBorders(const std::string& feedback) const;

    /**
     * Refuses a policy that does not tolerate the multipath in use. Also refuses a policy that does
     * not compute shares of paths if the host's entropy needs them; see
     * RdmaCongestionState::shares.
     * @param needs requirements of the policy
     * @param spec policy and telemetry
     * @param host the host that sends
     */
    void CheckMultipath(const RdmaPolicyDescription& needs,
                        const PolicySpec& spec,
                        uint32_t host) const;

    /**
     * Refuses a policy whose lowest rate is the line rate or more, because this policy could not
     * reduce the rate.
     * @param needs requirements of the policy
     * @param spec the policy
     * @param host the sender
     */
    void CheckMinRate(const RdmaPolicyDescription& needs,
                      const PolicySpec& spec,
                      uint32_t host) const;

    /**
     * Refuses a policy if hosts would refuse the initial window or rate of its flows, or if the
     * policy itself refuses the network.
     * @param spec policy and telemetry
     * @param host the host that sends
     * @param baseRttNs T of the policy unless its attribute T is set, ns
     */
    void CheckStart(const PolicySpec& spec, uint32_t host, int64_t baseRttNs);

    /**
     * Refuses feedback that does not fit the policy, the format, or the probes of SetPaths().
     * @param spec policy and telemetry, with feedback
     * @param policy policy object of the host
     */
    void CheckFeedback(const PolicySpec& spec, RdmaCongestionOps& policy) const;

    /**
     * Finds the DSCP of data.
     * @param spec policy and telemetry
     * @param host number of the host that sends
     * @return DSCP of the host's data
     */
    uint8_t DscpOf(const PolicySpec& spec, uint32_t host) const;

    /**
     * Finds the priority of data.
     * @param spec policy and telemetry
     * @param host number of the host that sends
     * @return priority of the host's data
     */
    uint8_t PriorityOf(const PolicySpec& spec, uint32_t host) const;

    /**
     * Refuses a policy or format that does not support telemetry about the bandwidth of a class,
     * see TelemetryAgent::Bandwidth.
     * @param needs requirements of the policy
     * @param spec policy and telemetry
     */
    void CheckBandwidth(const RdmaPolicyDescription& needs, const PolicySpec& spec) const;

    /**
     * Refuses a switch agent that a policy names if it does not fill in the policy's telemetry
     * format.
     * @param needs requirements of the policy
     * @param spec policy and telemetry
     */
    void CheckSwitchAgent(const RdmaPolicyDescription& needs, const PolicySpec& spec) const;

    /**
     * Refuses a SwitchResponder::Ttl with which a response of a switch may not reach its target.
     * @param switches switches on the path of the flow
     */
    void CheckResponseTtl(uint32_t switches) const;

    /**
     * Refuses a policy that reads average loads if the time over which switches average the load
     * differs from the policy's T.
     * @param policy policy object of the host
     * @param spec policy and telemetry
     * @param baseRttNs T of the policy unless its attribute T is set, ns
     */
    void CheckAverage(const RdmaCongestionOps& policy,
                      const PolicySpec& spec,
                      int64_t baseRttNs) const;

    /**
     * Finds the domain edges on a path, see HpccFabricHelper::AddTelemetryBorder().
     * @param source source of the path
     * @param destination destination of the path
     * @param ports ports at both ends
     * @return for each switch of the path, in order: true if the packet leaves a domain there
     */
    std::vector<bool> ListBorders(uint32_t source,
                                  uint32_t destination,
                                  const PortPair& ports) const;

    /**
     * Finds the domain edges on a path, see HpccFabricHelper::AddTelemetryBorder().
     * @param switches switches of the path, in order
     * @param destination destination of the path
     * @return for each switch: true if the packet leaves a domain there
     */
    std::vector<bool> ListBorders(const std::vector<uint32_t>& switches,
                                  uint32_t destination) const;

    /**
     * Stores a policy in Network::hidden if it needs a value that a domain edge hides. A domain
     * edge keeps the load of a hop, but hides the time in the switch and the rate of arriving
     * bytes.
     * @param spec policy and telemetry
     * @param policy policy object of the host
     */
    void NoteHidden(const PolicySpec& spec, const RdmaCongestionOps& policy);

    /// A queue pair that is being connected.
    struct Flow
    {
        uint32_t source;      ///< host that sends
        uint32_t destination; ///< host that receives
        PortPair ports;       ///< ports of both hosts
        uint32_t turn;        ///< number passed to ChoosePorts() for these ports; PortsLater() uses
                              ///< it to select ports after failures
        bool reads;           ///< true if the queue pair carries READs
    };

    /**
     * Refuses a queue pair if one of its paths, now or after a failure, does not suit its
     * telemetry, feedback or T.
     * @param spec policy, telemetry and feedback
     * @param policy policy object of the source
     * @param flow the queue pair
     */
    void CheckFlow(const PolicySpec& spec, RdmaCongestionOps& policy, const Flow& flow);

    /**
     * Refuses a queue pair if its policy is in Network::hidden, see NoteHidden(), and there is a
     * domain edge on its path.
     * @param policy policy object of the source
     * @param flow the queue pair
     */
    void CheckHidden(const RdmaCongestionOps& policy, const Flow& flow) const;

    /**
     * Stores what later calls must know about a connected queue pair. If its policy is in
     * Network::hidden, stores its hosts and ports, because a domain edge may be added to its path
     * later. If its feedback reports only one hop, stores the name of the feedback. Also sets the
     * DSCP by which its packets subscribe to switch responses.
     * @param spec policy, telemetry and feedback
     * @param policy policy object of the source
     * @param flow the queue pair
     */
    void NoteFlow(const PolicySpec& spec, const RdmaCongestionOps& policy, const Flow& flow);

    /// Refuses a flow that NoteFlow() has stored if there is now a domain edge on its path.
    /// @param flow entry of Network::openFlows
    void CheckOpenFlow(const Network::OpenFlow& flow) const;

    /**
     * Returns the number of records for which a packet of a format has room, if some path of the
     * network may need more.
     * @param format telemetry that has passed CheckFormat()
     * @return number of records for which there is room; no value if there is room on every path
     */
    std::optional<uint32_t> GetTightRoom(const Ptr<TelemetryFormat>& format) const;

    /**
     * Looks for a path on which packets have no room for a record of every switch, now or after a
     * planned change of links. The sender would get no records from the last switches of such a
     * path. When a packet leaves a domain, a single record replaces the records of all switches of
     * the domain.
     * @param format telemetry that has passed CheckFormat()
     * @param source source of the path
     * @param destination destination of the path
     * @param ports ports at both ends
     * @param turn number passed to ChoosePorts() for these ports; PortsLater() uses it to select
     * ports after failures
     * @return the first such path; no value if there is none
     */
    std::optional<LongPath> FindLongPath(const Ptr<TelemetryFormat>& format,
                                         uint32_t source,
                                         uint32_t destination,
                                         const PortPair& ports,
                                         uint32_t turn) const;

    /**
     * Describes a path found by FindLongPath().
     * @param format telemetry format
     * @param name short name of the format
     * @param source source of the path
     * @param destination destination of the path
     * @param path result of FindLongPath()
     * @return a line that says why the path is refused
     */
    static std::string DescribeLongPath(const TelemetryFormat& format,
                                        const std::string& name,
                                        uint32_t source,
                                        uint32_t destination,
                                        const LongPath& path);

    /**
     * If full packets of a host may be too large for some port of a switch, stores their format in
     * Network::tight, so that each path is checked.
     * @param spec policy and telemetry
     * @param host the host that sends
     */
    void NoteTightPorts(const PolicySpec& spec, uint32_t host);

    /**
     * Returns the size of the full packets that a host sends.
     * @param spec policy and telemetry
     * @param host number of the host that sends
     */
    FrameGrowth GrowthOf(const PolicySpec& spec, uint32_t host) const;

    /**
     * Returns true if frames of a given size fit all ports of switches. Checks the ports only once
     * per format and size.
     * @param format telemetry; null: none
     * @param bytes size of the frames, telemetry included
     * @return true if they fit
     */
    bool FitsAllPorts(const Ptr<TelemetryFormat>& format, uint32_t bytes);

    /**
     * Refuses a flow if the Mtu of a switch port is too small for its packets. The check concerns
     * the ports on the shortest paths of the flow, now and after each planned change of links. A
     * port must have room for a full packet with the records of all switches up to and including
     * its own; otherwise the sender would not notice a bottleneck at this port.
     * @param spec policy and telemetry
     * @param source source of the path
     * @param destination destination of the path
     * @param ports ports at both ends
     * @param turn number passed to ChoosePorts() for these ports; PortsLater() uses it to select
     * ports after failures
     * @param responses true: check the data of READs, which go from the destination to the source
     */
    void CheckMtus(const PolicySpec& spec,
                   uint32_t source,
                   uint32_t destination,
                   const PortPair& ports,
                   uint32_t turn,
                   bool responses);

    /**
     * Refuses ports whose Mtu is too small, on the shortest paths that exist while given links are
     * down.
     * @param spec policy and telemetry
     * @param growth sizes of frames
     * @param tree paths to the destination
     * @param node first switch of the path
     * @param down links to leave out
     */
    void CheckMtus(const PolicySpec& spec,
                   const FrameGrowth& growth,
                   const Network::Tree& tree,
                   uint32_t node,
                   const std::vector<bool>& down) const;

    /**
     * Refuses a policy whose telemetry refers to a guaranteed share, if data of another class have
     * strict priority over the policy's data.
     * @param spec policy and telemetry
     * @param host number of the host that sends
     */
    void CheckGuarantee(const PolicySpec& spec, uint32_t host) const;

    /**
     * If a DSCP marks packets with telemetry, refuses this telemetry in three cases: trimming is in
     * use, the host also uses this DSCP for other packets, or some port maps this DSCP to a
     * priority other than the priority of the host's data.
     * @param spec policy and telemetry
     * @param source the host
     */
    void CheckDscp(const PolicySpec& spec, uint32_t source) const;

    /**
     * Refuses probes if some port maps their DSCP to a priority other than the priority of the
     * host's data.
     * @param spec policy and telemetry
     * @param source the host
     */
    void CheckProbes(const PolicySpec& spec, uint32_t source) const;

    /**
     * Refuses feedback of the bottleneck hop if there is a domain edge, or if packets are sprayed.
     * If feedback does not identify the reported hop, there must be only one path, its links must
     * have the same rate, and no link failures may be planned.
     * @param spec policy and telemetry
     * @param source source of the path
     * @param destination destination of the path
     * @param ports ports at both ends
     */
    void CheckReports(const PolicySpec& spec,
                      uint32_t source,
                      uint32_t destination,
                      const PortPair& ports) const;

    /**
     * Refuses a DSCP that some port maps to a priority other than the priority of the host's data.
     * @param what name of the setting with the DSCP, for the error message
     * @param dscp DSCP to check, 0 to 63
     * @param spec the policy; the DSCP must select the priority of its data packets
     * @param source the host
     */
    void CheckPriority(const std::string& what,
                       uint8_t dscp,
                       const PolicySpec& spec,
                       uint32_t source) const;

  private:
    /// Returns the hosts and ports of a queue pair as a key of Network::openFlows.
    /// @param flow the queue pair
    static std::array<uint32_t, 4> EndsOf(const Flow& flow);

    const HpccFabricHelper& m_fabric; ///< the helper
    Network& m_network;               ///< network of the helper
};

} // namespace ns3

#endif // HPCC_FABRIC_CHECKS_H
