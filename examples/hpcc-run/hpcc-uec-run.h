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
 * Runs a connection matrix of uet-htsim, the reference simulator of Ultra Ethernet, in its topology
 * and by its options: the options of hpcc-run with --cm.
 */
class HpccUecRun
{
  public:
    /// Bytes of the headers of a data packet, and of a control packet.
    static constexpr uint32_t HEADER_BYTES = 64;

    /**
     * @param trims the command line does not say --trimming=none
     * @return options that hpcc-run takes with --cm where the command line says nothing
     */
    static std::vector<std::string> Defaults(bool trims);

    /// Adds the options.
    /// @param experiment before Parse()
    void AddOptions(HpccExperiment& experiment);

    /// @return names of the options, without dashes
    static std::vector<std::string> ListOptions();

    /**
     * Reads the files and checks the options.
     * @param experiment after Parse(); gets the attributes of policies and recovery
     */
    void Prepare(HpccExperiment& experiment);

    /// @return what the files say and what changes nothing, one line each
    std::vector<std::string> GetRemarks() const;

    /**
     * Sets the attributes of devices, switches and hosts.
     * @param fabric before Install()
     */
    void Configure(HpccFabricHelper& fabric) const;

    /// @return what to run
    HpccExperiment::Scenario MakeScenario() const;

    /// @return network-wide base RTT: a full packet there and a control packet back over the
    /// longest path, at the hosts' speed, ns
    double GetRttNs() const;

    /// @return data that a port may hold, bytes
    uint64_t GetQueueBytes() const;

    /// @return bytes below which nothing is marked, and above which all is
    std::pair<uint64_t, uint64_t> GetMarkBytes() const;

  private:
    /// @return bandwidth-delay product, packets, rounded up
    uint64_t GetBdpPackets() const;
    /**
     * Checks the numbers of the options.
     * @param experiment after Parse()
     */
    void CheckNumbers(const HpccExperiment& experiment);

    /// @return true if flows wait for triggers
    bool HasTriggers() const
    {
        return !m_matrix.GetTriggers().empty();
    }

    /// Lets triggers start flows.
    /// @param scenario its flows and sourcePort are there; gets what triggers need
    void AddTriggers(HpccExperiment::Scenario& scenario) const;
    /// Reads --ecn.
    void ReadMarks();
    /**
     * Sets the attributes of the policies.
     * @param experiment after Parse()
     */
    void PreparePolicies(HpccExperiment& experiment) const;
    /**
     * Sets the attributes of the recovery.
     * @param experiment after Parse()
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
    HpccTopology m_network;     ///< the network, built
    uint32_t m_packetBytes{0};  ///< --mtu: packet with headers
    bool m_trims{true};         ///< switches trim
    uint64_t m_lowPackets{0};   ///< first of --ecn
    uint64_t m_highPackets{0};  ///< second of --ecn
};

} // namespace ns3

#endif // HPCC_UEC_RUN_H
