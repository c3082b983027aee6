/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_UEC_RUN_H
#define HPCC_UEC_RUN_H

#include "hpcc-uec-matrix.h"
#include "hpcc-uec-topology.h"

#include "ns3/hpcc-experiment.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Implements hpcc-run --cm: runs a connection matrix of uet-htsim, the reference simulator of Ultra
 * Ethernet, in a topology and with options of that simulator.
 */
class HpccUecRun
{
  public:
    /// Size of the headers of a data packet, and size of a control packet, bytes.
    static constexpr uint32_t HEADER_BYTES = 64;

    /**
     * Returns the default options of hpcc-run with --cm.
     * @param trims false if the command line has --trimming=none
     */
    static std::vector<std::string> Defaults(bool trims);

    /// Adds the options of hpcc-run --cm.
    /// @param experiment the experiment before Parse()
    void AddOptions(HpccExperiment& experiment);

    /// Returns the names of the options, without dashes.
    static std::vector<std::string> ListOptions();

    /**
     * Reads the files and checks the options.
     * @param experiment the experiment after Parse(); receives the attributes of policies and
     * recovery
     */
    void Prepare(HpccExperiment& experiment);

    /// Returns warnings, one line each, about triggers that have too few activations and about
    /// inputs that have no effect.
    std::vector<std::string> GetRemarks() const;

    /**
     * Sets the attributes of devices, switches and hosts.
     * @param fabric the network before Install()
     */
    void Configure(HpccFabricHelper& fabric) const;

    /// Returns the network, the flows and the callbacks of a run.
    HpccExperiment::Scenario MakeScenario() const;

    /// Returns the network-wide base RTT, ns. It is the time for a full packet to travel forward
    /// over the longest path and for a control packet to travel back, at the speed of the hosts'
    /// links.
    double GetRttNs() const;

    /// Returns the largest length of a port's data queue, bytes.
    uint64_t GetQueueBytes() const;

    /// Returns two marking thresholds, bytes. If the queue is below the first, no packet is marked.
    /// If the queue is above the second, every packet is marked.
    std::pair<uint64_t, uint64_t> GetMarkBytes() const;

  private:
    /// Returns the bandwidth-delay product in packets, rounded up.
    uint64_t GetBdpPackets() const;
    /**
     * Checks the numbers in the options.
     * @param experiment the experiment after Parse()
     */
    void CheckNumbers(const HpccExperiment& experiment);

    /// Returns true if flows wait for triggers.
    bool HasTriggers() const
    {
        return !m_matrix.GetTriggers().empty();
    }

    /// If switches drop data packets that find a full queue, adds a switch agent. The agent decides
    /// at random whether to drop the arriving packet or the last packet in the queue.
    /// @param scenario scenario whose callback connected is extended
    void AddDrops(HpccExperiment::Scenario& scenario) const;
    /// Makes triggers start those flows of a scenario that wait for a trigger.
    /// @param scenario scenario, whose flows and sourcePort are set; receives callbacks
    void AddTriggers(HpccExperiment::Scenario& scenario) const;
    /// Parses the value of --ecn.
    void ReadMarks();
    /**
     * Sets the attributes of the policies.
     * @param experiment the experiment after Parse()
     */
    void PreparePolicies(HpccExperiment& experiment) const;
    /**
     * Sets the attributes of the recovery.
     * @param experiment the experiment after Parse()
     */
    void PrepareRecovery(const HpccExperiment& experiment) const;

    std::string m_matrixPath;        ///< --cm
    std::string m_topologyPath;      ///< --topo
    double m_linkMbps{100000};       ///< --linkspeed
    uint32_t m_queuePackets{0};      ///< --q
    std::string m_ecn;               ///< --ecn
    uint32_t m_cwnd{0};              ///< --cwnd
    uint32_t m_failed{0};            ///< --failed
    uint32_t m_sackThreshold{16384}; ///< --sack-threshold
    uint32_t m_endUs{1000};          ///< --end

    HpccUecMatrix m_matrix;     ///< the flows
    HpccUecTopology m_topology; ///< the network
    HpccTopology m_network;     ///< the same network, in which the links of --failed have a reduced
                                ///< rate
    uint32_t m_packetBytes{0};  ///< --mtu: size of a packet with headers, bytes
    bool m_trims{true};         ///< true if switches trim packets
    bool m_drops{false};        ///< true if switches drop data packets that find a full queue
    uint64_t m_lowPackets{0};   ///< first number of --ecn
    uint64_t m_highPackets{0};  ///< second number of --ecn
};

} // namespace ns3

#endif // HPCC_UEC_RUN_H
