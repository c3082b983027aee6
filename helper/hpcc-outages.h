/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_OUTAGES_H
#define HPCC_OUTAGES_H

#include "hpcc-monitor.h"
#include "hpcc-topology.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

class HpccFabricHelper;

/**
 * @ingroup hpcc
 *
 * Link failures, parsed from the option --fail=.
 */
class HpccOutages
{
  public:
    /**
     * Reads outages from a text.
     * @param text empty, or outages separated by commas. Each outage is LINKS\@DOWN or
     * LINKS\@DOWN-UP, such as 320-340@100us-1ms: the links go down at the time DOWN and come up at
     * the time UP. Other text throws HpccInputError. LINKS is one of
     * - A-B: all links between the nodes A and B;
     * - A-B\#K: only the K-th of these links, from 0, in the order of the topology;
     * - A: all links of the node A.
     */
    explicit HpccOutages(const std::string& text);

    /**
     * Schedules the outages in a network.
     * @param topology topology of the network; if a link does not exist, throws HpccInputError
     * @param fabric the network, before Install()
     */
    void Schedule(const HpccTopology& topology, HpccFabricHelper& fabric) const;

    /**
     * Refuses an outage that begins at or after the end of the run.
     * @param stop latest end of the run
     */
    void CheckBegins(Time stop) const;

    /**
     * If outages had not begun when a run ended, prints a warning that names them.
     * @param run name of the program and the run, with which the warning begins
     * @param endNs end of the run, ns
     */
    void Print(const std::string& run, int64_t endNs) const;

    /// Properties of a run on which CheckFlows() depends.
    struct Run
    {
        bool queuePairs; ///< true if the flows are connected queue pairs; false for other
                         ///< transports, whose flows may use all ports of their hosts
        bool movesPorts; ///< true if queue pairs move to other ports after failures
        bool stop;       ///< true if the program has the option --stop
    };

    /**
     * Refuses outages without an end if they would make a flow retransmit packets forever. This
     * happens if the last path between the flow's hosts fails before the flow can have finished,
     * while the source still has a link.
     * @param fabric the network, after Install()
     * @param flows flows of the network; flows that are NOT_PLANNED are not checked
     * @param run properties of the run
     * @return by flow: time of the failure that leaves the flow without a path until the end of the
     * run, ns; INT64_MAX if there is none. Empty if every outage has an end
     */
    std::vector<int64_t> CheckFlows(const HpccFabricHelper& fabric,
                                    const std::vector<HpccFlowPlan>& flows,
                                    const Run& run) const;

    /**
     * If an outage has cut off flows before they had finished, prints a warning that names them.
     * CheckFlows() cannot predict all such flows, because it assumes the shortest possible
     * completion time of each flow.
     * @param run name of the program and the run, with which the warning begins
     * @param monitor results of the run
     * @param cutOffsNs result of CheckFlows()
     * @param endNs end of the run, ns
     */
    void PrintLost(const std::string& run,
                   const HpccMonitor& monitor,
                   const std::vector<int64_t>& cutOffsNs,
                   int64_t endNs) const;

  private:
    static constexpr uint32_t ALL = UINT32_MAX; ///< any node, or all links
    static constexpr uint32_t ANY = UINT32_MAX; ///< all ports of a host

    /// An outage of one or several links.
    struct Outage
    {
        std::string text; ///< text as given
        uint32_t a;       ///< one end
        uint32_t b;       ///< the other end; ALL: any node
        uint32_t number;  ///< index among the links between both ends; ALL: all of these links
        Time down;        ///< time of the failure
        Time up;          ///< time of the recovery; 0: never
    };

    /**
     * Finds the links of an outage.
     * @param outage outage as given
     * @param topology topology of the network; if the link does not exist, throws HpccInputError
     * @return numbers of the links
     */
    static std::vector<uint32_t> LinksOf(const Outage& outage, const HpccTopology& topology);

    /// Returns the outages that never end, as given on the command line, separated by commas.
    std::string NameLasting() const;

    /// The ports that a flow uses; ANY: all ports of the host.
    struct Ports
    {
        uint32_t source;      ///< port of the source
        uint32_t destination; ///< port of the destination
    };

    /**
     * Returns the ports that a flow uses.
     * @param fabric the network, after Install()
     * @param flow the flow
     * @param run properties of the run
     */
    static Ports PortsOf(const HpccFabricHelper& fabric, const HpccFlowPlan& flow, const Run& run);

    /// Results of HpccFabricHelper::FindCutOffsNs() for a host, by port of this host.
    using CutOffs = std::map<uint32_t, std::vector<std::vector<int64_t>>>;

    /**
     * Returns the time of the failure that leaves a flow without a path until the end of the run,
     * ns; INT64_MAX if there is none.
     * @param fabric the network, after Install()
     * @param flow the flow
     * @param ports ports of the flow
     * @param known results computed so far for the destination of the flow. This function adds the
     * results that it computes itself
     */
    static int64_t CutOffNs(const HpccFabricHelper& fabric,
                            const HpccFlowPlan& flow,
                            const Ports& ports,
                            CutOffs& known);

    /**
     * Returns true if a host keeps at least one link, that is, a link that does not fail for good.
     * @param host number of the host
     * @param port the port whose link is checked; ANY: all ports
     * @param topology topology of the network
     */
    bool KeepsLink(uint32_t host, uint32_t port, const HpccTopology& topology) const;

    std::vector<Outage> m_outages; ///< outages in the order given
};

/**
 * @ingroup hpcc
 *
 * Links that are domain edges for telemetry, parsed from the option --borders=.
 */
class HpccBorders
{
  public:
    /**
     * Reads domain edges from a text.
     * @param text empty, or links separated by commas, each SWITCH-NODE: links from that switch to
     * that node lead out of the domain. Other text throws HpccInputError
     */
    explicit HpccBorders(const std::string& text);

    /// Adds the domain edges to a network.
    /// @param fabric the network, after Install(); if a link does not exist, throws HpccInputError
    void AddTo(HpccFabricHelper& fabric) const;

    /**
     * Refuses a link if no packet that collects telemetry can cross it, for example because all
     * flows go in the opposite direction. ACKs and answers to probes collect no telemetry.
     * @param fabric the network, after Install()
     * @param flows flows of the network; without flows nothing is refused
     */
    void CheckFlows(const HpccFabricHelper& fabric, const std::vector<HpccFlowPlan>& flows) const;

  private:
    std::vector<std::pair<uint32_t, uint32_t>> m_links; ///< links, each given by the switch inside
                                                        ///< and the node outside the domain
};

} // namespace ns3

#endif // HPCC_OUTAGES_H
