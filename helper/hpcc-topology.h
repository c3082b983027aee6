/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TOPOLOGY_H
#define HPCC_TOPOLOGY_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * What a user gave cannot be used. what() is one line that names the object, the value and what is
 * allowed.
 */
class HpccInputError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/**
 * @ingroup hpcc
 *
 * A network on paper: hosts, switches and links, before any ns-3 object exists.
 */
class HpccTopology
{
  public:
    /// A link.
    struct Link
    {
        uint32_t a;          ///< one node
        uint32_t b;          ///< the other node
        DataRate rate;       ///< line rate
        Time delay;          ///< propagation delay
        double errorRate{0}; ///< share of packets lost to errors, each direction
    };

    /// Rates and delays of the builders.
    struct LinkSpeeds
    {
        DataRate host{"100Gbps"};    ///< links of hosts
        DataRate fabric{"100Gbps"};  ///< links between switches
        Time delay{MicroSeconds(1)}; ///< propagation delay of every link
    };

    /**
     * @param hosts hosts, at least 2, all on one switch
     * @param speeds rates and delay
     * @return the topology
     */
    static HpccTopology Star(uint32_t hosts, const LinkSpeeds& speeds);

    /**
     * @param left hosts on the left switch, at least 1
     * @param right hosts on the right switch, at least 1
     * @param speeds rates and delay; the link between the switches has the fabric rate
     * @return the topology; left hosts come first
     */
    static HpccTopology Dumbbell(uint32_t left, uint32_t right, const LinkSpeeds& speeds);

    /**
     * @param leaves leaf switches, at least 1
     * @param spines spine switches, at least 1
     * @param hostsPerLeaf hosts on each leaf, at least 1
     * @param speeds rates and delay
     * @return the topology; hosts of leaf 0 come first
     */
    static HpccTopology LeafSpine(uint32_t leaves,
                                  uint32_t spines,
                                  uint32_t hostsPerLeaf,
                                  const LinkSpeeds& speeds);

    /**
     * The k-ary fat-tree of Al-Fares et al., SIGCOMM 2008: k pods, k^3/4 hosts.
     * @param k ports of a switch, even, 2 to 64
     * @param speeds rates and delay
     * @return the topology; hosts in pod order come first
     */
    static HpccTopology FatTree(uint32_t k, const LinkSpeeds& speeds);

    /**
     * Add a node.
     * @param isSwitch whether it is a switch
     * @return its number
     */
    uint32_t AddNode(bool isSwitch);

    /**
     * Add a link. Refuses unknown nodes, a node linked with itself, and a host's second link.
     * @param link the link
     */
    void AddLink(const Link& link);

    /// Refuse a host without a link and a network in which some host cannot reach another.
    void Validate() const;

    /// @return number of nodes
    uint32_t GetNodes() const
    {
        return static_cast<uint32_t>(m_isSwitch.size());
    }

    /// @param node a node @return whether it is a switch
    bool IsSwitch(uint32_t node) const
    {
        return m_isSwitch[node];
    }

    /// @return the hosts in ascending order
    std::vector<uint32_t> GetHosts() const;

    /// @return the links in the order in which they were added
    const std::vector<Link>& GetLinks() const
    {
        return m_links;
    }

  private:
    std::vector<bool> m_isSwitch;   ///< by node
    std::vector<uint32_t> m_degree; ///< links by node
    std::vector<Link> m_links;      ///< links
};

} // namespace ns3

#endif // HPCC_TOPOLOGY_H
