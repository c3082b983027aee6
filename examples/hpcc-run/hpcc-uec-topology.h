/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_UEC_TOPOLOGY_H
#define HPCC_UEC_TOPOLOGY_H

#include "ns3/data-rate.h"
#include "ns3/hpcc-topology.h"

#include <array>
#include <cstdint>
#include <istream>
#include <string>

namespace ns3
{

class HpccUecLines;

/**
 * @ingroup hpcc
 *
 * A topology of uet-htsim, the reference simulator of Ultra Ethernet. With two tiers it is a
 * leaf-spine network. With three tiers, the switches of tiers 0 and 1 form pods, and the switches
 * of tier 2 join the pods.
 *
 * The file begins with the lines "Nodes N", "Tiers 2" or "Tiers 3", and "Podsize N". Then, for each
 * tier, there is a line "Tier T" and lines with a key and a value. Tier 0 contains the switches to
 * which hosts are connected. Keys are case-insensitive: Downlink_speed_Gbps, Downlink_Latency_ns,
 * Radix_Down, Radix_Up (except in the top tier), Switch_Latency_ns (default 0), Oversubscribed
 * (default 1), Bundle (default 1). Queue_Up and Queue_Down are allowed but have no effect, as in
 * uet-htsim. Lines that begin with '#' are comments. An error in the file throws an HpccInputError
 * that names file and line.
 *
 * The numbers of the nodes begin with the hosts. The switches of tier 0, of tier 1 and of tier 2
 * follow. In each tier, switches are numbered pod by pod. Switch j of tier 1 in each pod has links
 * to switches j, j + n, ... of tier 2, where n is the number of switches of tier 1 in a pod. The
 * latency of a switch must be an even number of ns. It is modelled by adding half of the latency to
 * the delay of each link of the switch.
 */
class HpccUecTopology
{
  public:
    static constexpr double DEGRADED_SHARE = 0.25; ///< rate of a degraded link divided by its full
                                                   ///< rate

    /// The switches of a tier.
    struct Tier
    {
        uint64_t downlinkBps{0};    ///< rate of each link downwards, bit/s
        uint32_t radixDown{0};      ///< number of a switch's links downwards
        uint32_t radixUp{0};        ///< number of a switch's links upwards; 0 in the top tier
        int64_t linkNs{0};          ///< propagation delay of each link downwards, ns
        int64_t switchNs{0};        ///< latency of a switch, ns
        uint32_t oversubscribed{1}; ///< radixDown / radixUp
        uint32_t bundle{1};         ///< number of parallel links between a switch and a switch
                                    ///< below it
    };

    /**
     * Reads a topology file.
     * @param path the file
     * @return the topology
     */
    static HpccUecTopology Load(const std::string& path);

    /**
     * Reads a topology from a stream.
     * @param in text in the format of the files
     * @param name name of the text in error messages
     * @return the topology
     */
    static HpccUecTopology Read(std::istream& in, const std::string& name);

    /**
     * Returns the network that uet-htsim uses if no topology file is given: the k-ary fat-tree of
     * three tiers with link delays of 1 us.
     * @param nodes number of hosts; throws HpccInputError if there is no even k with k^3/4 hosts
     * @param rate rate of all links
     * @return the topology
     */
    static HpccUecTopology FatTree(uint32_t nodes, DataRate rate);

    /**
     * Builds the network.
     * @param degraded value of --failed, which determines the links with a reduced rate
     * (DEGRADED_SHARE). With two tiers, it is a number of switches of tier 1, and all links of
     * these switches are degraded in both directions. With three tiers, link i from switch s of
     * tier 1 to tier 2 is degraded in the downward direction if i + s * A < degraded, where A is
     * the number of switches of tier 1 per pod. A number that is too large throws HpccInputError
     * @return the network
     */
    HpccTopology Build(uint32_t degraded) const;

    /// Returns the number of hosts.
    uint32_t GetNodes() const
    {
        return m_nodes;
    }

    /// Returns the number of links of the longest path between two hosts.
    uint32_t GetHops() const
    {
        return 2 * m_tiers;
    }

    /// Returns the one-way delay of the longest path without transmission times, ns: propagation
    /// plus the latencies of the switches.
    int64_t GetDiameterNs() const;

    /**
     * Returns the switches of a tier.
     * @param tier a tier
     */
    const Tier& GetTier(uint32_t tier) const
    {
        return m_tier.at(tier);
    }

    /// Returns the number of tiers.
    uint32_t GetTiers() const
    {
        return m_tiers;
    }

    /// Returns true if the file contains sizes of queues. They have no effect.
    bool HasQueues() const
    {
        return m_hasQueues;
    }

  private:
    /**
     * Reads the head.
     * @param in the file. On return, the line of the first tier has been read
     */
    void ReadHead(HpccUecLines& in);
    /**
     * Reads a line of a tier.
     * @param in the line
     * @param number number of the tier
     * @param key key of the line, in lower case
     */
    void ReadKey(HpccUecLines& in, uint32_t number, const std::string& key);
    /**
     * Computes the number of switches in each tier, from the sizes in the file.
     * @param in the file, for error messages
     */
    void Shape(const HpccUecLines& in);
    /**
     * Returns the rate and the delay of the links from the switches of a tier downwards. The delay
     * includes the share of the switches' latencies.
     * @param tier a tier
     */
    HpccTopology::Link LinkBelow(uint32_t tier) const;

    uint32_t m_nodes{0};          ///< number of hosts
    uint32_t m_tiers{0};          ///< number of tiers
    uint32_t m_podSize{0};        ///< number of hosts per pod
    std::array<Tier, 3> m_tier{}; ///< tiers by number
    uint32_t m_pods{0};           ///< number of pods
    uint32_t m_torsPerPod{0};     ///< number of switches of tier 0 in a pod
    uint32_t m_aggsPerPod{0};     ///< number of switches of tier 1 in a pod
    uint32_t m_cores{0};          ///< number of switches of tier 2
    bool m_hasQueues{false};      ///< true if the file contains sizes of queues
};

} // namespace ns3

#endif // HPCC_UEC_TOPOLOGY_H
