/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FABRIC_CHECKS_H
#define HPCC_FABRIC_CHECKS_H

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
 * Throws HpccInputError for settings, policies and flows that do not fit the network of an
 * HpccFabricHelper. Objects are temporary; all state is in Network.
 */
class HpccFabricHelper::Checks
{
  public:
    /// @param fabric the helper; must not be moved while this is in use
    explicit Checks(const HpccFabricHelper& fabric)
        : m_fabric(fabric),
          m_network(*fabric.m_network)
    {
    }

    /**
     * Refuses feedback and path selection that need hosts with one port, if some have several.
     * @param spec policy and telemetry
     */
    void CheckPorts(const PolicySpec& spec) const;

    /// Refuses PartsOf() of nodes that are not switches.
    void CheckParts() const;

    /// @return true if the recovery of the hosts uses SACKs
    bool UsesSacks() const;

    /**
     * Refuses trimming as CheckTrims() does. Refuses a policy that does not slow down when packets
     * are trimmed, if trimmed packets are retransmitted at once.
     * @param needs requirements of the policy
     * @param spec the policy
     * @param host the host that sends
     */
    void CheckTrimming(const RdmaPolicyDescription& needs,
                       const PolicySpec& spec,
                       uint32_t host) const;

    /**
     * Refuses trimming that cannot trim the packets of a host, or that trims all of them.
     * @param spec policy and telemetry
     * @param host the host that sends
     */
    void CheckTrims(const PolicySpec& spec, uint32_t host) const;

    /**
     * Refuses buffer policies that admit no packet of a host's largest payload.
     * @param spec policy and telemetry
     * @param host the host that sends
     */
    void CheckBuffers(const PolicySpec& spec, uint32_t host) const;

    /// Checks the settings of the ports, see QbbNetDevice::CheckSettings().
    void CheckDevices() const;

    /// Refuses an entropy that conflicts with other settings.
    void CheckEntropy() const;

    /// @return descriptions of the switches' ports
    std::vector<TelemetryPort> ListPorts() const;

    /**
     * Refuses a format that cannot cross a domain edge, if there is an edge.
     * @param name name of the format
     * @param format the format
     */
    void CheckBorders(const std::string& name, const TelemetryFormat& format) const;

    /// Refuses feedback that reports one hop only, if there is a domain edge.
    /// @param feedback short name of the feedback
    void CheckBorders(const std::string& feedback) const;

    /**
     * Refuses a policy that does not tolerate the spread of packets over paths.
     * @param needs requirements of the policy
     * @param spec policy and telemetry
     * @param host the host that sends
     */
    void CheckSpread(const RdmaPolicyDescription& needs,
                     const PolicySpec& spec,
                     uint32_t host) const;

    /**
     * Finds the priority of data.
     * @param spec policy and telemetry
     * @param host the host
     * @return priority of its data
     */
    uint8_t PriorityOf(const PolicySpec& spec, uint32_t host) const;

    /**
     * Refuses a policy that cannot work with per-class records.
     * @param needs requirements of the policy
     * @param spec policy and telemetry
     */
    void CheckBandwidth(const RdmaPolicyDescription& needs, const PolicySpec& spec) const;

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
     * Refuses a policy that needs more than the load that a domain edge on its path lets pass: the
     * time in a switch, or the rate at which bytes arrive there.
     * @param spec policy and telemetry
     * @param policy the policy
     * @param source source of the path
     * @param destination destination of the path
     * @param ports ports at both ends
     */
    void CheckHidden(const PolicySpec& spec,
                     const RdmaCongestionOps& policy,
                     uint32_t source,
                     uint32_t destination,
                     const PortPair& ports) const;

    /**
     * Refuses a path with more switches than packets have room for records: the policy would not
     * notice the last switches. Switches of a domain that a packet has left share one record.
     * @param spec policy and telemetry
     * @param source source of the path
     * @param destination destination of the path
     * @param ports ports at both ends
     * @param switches number of switches of the path
     */
    void CheckRoom(const PolicySpec& spec,
                   uint32_t source,
                   uint32_t destination,
                   const PortPair& ports,
                   uint32_t switches) const;

    /**
     * Refuses a policy whose class relies on a guaranteed share if data of another class have
     * strict priority.
     * @param spec policy and telemetry
     * @param host the host
     */
    void CheckGuarantee(const PolicySpec& spec, uint32_t host);

    /**
     * Refuses telemetry whose packets are marked by a DSCP, if some port maps this DSCP to a
     * priority other than that of the host's data, or if the host also uses it for other packets.
     * @param spec policy and telemetry
     * @param source the host
     */
    void CheckDscp(const PolicySpec& spec, uint32_t source) const;

    /**
     * Refuses probes that some port maps to a priority other than that of the host's data.
     * @param spec policy and telemetry
     * @param source the host
     */
    void CheckProbes(const PolicySpec& spec, uint32_t source);

    /**
     * Refuses feedback of the bottleneck hop if each packet may take another path. If this feedback
     * lacks the hop's identity, also refuses it unless there is a single path and all its links
     * have the same rate.
     * @param spec policy and telemetry
     * @param source source of the path
     * @param destination destination of the path
     * @param ports ports at both ends
     */
    void CheckReports(const PolicySpec& spec,
                      uint32_t source,
                      uint32_t destination,
                      const PortPair& ports);

    /**
     * Refuses a DSCP that some port maps to a priority other than that of the host's data.
     * @param what name of the setting with the DSCP, for the error message
     * @param dscp the DSCP
     * @param spec the policy; the DSCP must select the priority of its data packets
     * @param source the host
     */
    void CheckPriority(const std::string& what,
                       uint8_t dscp,
                       const PolicySpec& spec,
                       uint32_t source) const;

  private:
    const HpccFabricHelper& m_fabric; ///< the helper
    Network& m_network;               ///< its network
};

} // namespace ns3

#endif // HPCC_FABRIC_CHECKS_H
