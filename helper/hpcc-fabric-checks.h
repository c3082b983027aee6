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
 * Refuses settings, policies and flows that do not fit the network of an HpccFabricHelper, by
 * HpccInputError. Made where it is used; it keeps nothing but what Network has.
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
     * Refuses feedback and paths that know hosts with one port only, if some have several.
     * @param spec what a host wants
     */
    void CheckPorts(const PolicySpec& spec) const;

    /// Refuses PartsOf() of nodes that are no switches.
    void CheckParts() const;

    /// @return true if the recovery of the hosts uses SACKs
    bool UsesSacks() const;

    /**
     * Refuses a policy that trimmed packets do not slow down where they are retransmitted at once.
     * @param needs what the policy needs
     * @param spec the policy
     */
    void CheckTrimming(const RdmaPolicyDescription& needs, const PolicySpec& spec) const;

    /// Refuses entropy with what it does not go with.
    void CheckEntropy() const;

    /// @return what is known of the switches' ports
    std::vector<TelemetryPort> ListPorts() const;

    /**
     * Refuses a format that cannot cross a domain edge, if there is one.
     * @param name of the format
     * @param format the format
     */
    void CheckBorders(const std::string& name, const TelemetryFormat& format) const;

    /// Refuses feedback that reports one hop, if there is a domain edge.
    /// @param feedback short name of the feedback
    void CheckBorders(const std::string& feedback) const;

    /**
     * Refuses a policy that the network's path selectors mislead.
     * @param needs of the policy
     * @param spec the spec
     * @param host the host that sends
     */
    void CheckSpread(const RdmaPolicyDescription& needs,
                     const PolicySpec& spec,
                     uint32_t host) const;

    /**
     * Finds the priority of data.
     * @param spec what a host wants
     * @param host the host
     * @return priority of its data
     */
    uint8_t PriorityOf(const PolicySpec& spec, uint32_t host) const;

    /**
     * Refuses a policy that cannot work with records about classes.
     * @param needs of the policy
     * @param spec the spec
     */
    void CheckBandwidth(const RdmaPolicyDescription& needs, const PolicySpec& spec) const;

    /**
     * Refuses a policy whose class relies on a share that another class takes.
     * @param spec what a host wants
     * @param host the host
     */
    void CheckGuarantee(const PolicySpec& spec, uint32_t host);

    /**
     * Refuses telemetry marked by a DSCP that some port puts into another priority than the data of
     * the host, or that the host sends anyway.
     * @param spec the spec
     * @param source the host
     */
    void CheckDscp(const PolicySpec& spec, uint32_t source) const;

    /**
     * Refuses probes that some port puts into another priority than the data of the host.
     * @param spec the spec
     * @param source the host
     */
    void CheckProbes(const PolicySpec& spec, uint32_t source);

    /**
     * Refuses bare reports of hops unless all links of the path have one rate, and reports of one
     * hop while packets take several paths.
     * @param spec the spec
     * @param source of the path
     * @param destination of the path
     * @param ports of both
     */
    void CheckReports(const PolicySpec& spec,
                      uint32_t source,
                      uint32_t destination,
                      const PortPair& ports);

    /**
     * Refuses a DSCP that some port puts into another priority than the data of the host.
     * @param what has the DSCP, for a message
     * @param dscp the DSCP
     * @param spec the policy, whose packets of data set the priority
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
