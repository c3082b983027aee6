/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TOPOLOGY_H
#define HPCC_TOPOLOGY_H

#include "ns3/data-rate.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The plan of a network: its hosts, switches and links. A plan needs no ns-3 objects.
 */
class HpccTopology
{
  public:
    /// Largest number of hosts, and largest number of switches. For each port number, the addresses
    /// of the hosts' ports form a range of this size.
    static constexpr uint32_t MAX_NODES = 131072;

    /// Largest number of links. A link of a fat-tree takes about 12 KB of memory. The largest
    /// fat-tree, fat-tree:80, has 384,000 links.
    static constexpr uint64_t MAX_LINKS = 524288;

    /// Largest number of ports of a host. Each link of a host has its own port.
    static constexpr uint32_t MAX_PORTS = 64;

    /// A link between two nodes.
    struct Link
    {
        uint32_t a;          ///< one node
        uint32_t b;          ///< the other node
        DataRate rate;       ///< line rate in both directions, or from a to b if rateBack is set
        Time delay;          ///< propagation delay
        double errorRate{0}; ///< share of the packets in each direction that are lost because of
                             ///< errors, 0 to below 1
        DataRate rateBack{}; ///< line rate from b to a; 0: equal to rate

        /// Returns the line rate from b to a.
        DataRate GetRateBack() const
        {
            return rateBack.GetBitRate() > 0 ? rateBack : rate;
        }
    };

    /// Rates and delays of the links that the builders make.
    struct LinkSpeeds
    {
        DataRate host{"100Gbps"};    ///< line rate of links of hosts
        DataRate fabric{"100Gbps"};  ///< line rate of links between switches
        Time delay{MicroSeconds(1)}; ///< propagation delay of links of hosts
        Time fabricDelay{};          ///< delay of links between switches; 0: equal to delay
        Time coreDelay{};            ///< delay of links of core switches; 0: equal to fabricDelay

        /// Returns the propagation delay of links between switches.
        Time GetFabricDelay() const
        {
            return fabricDelay.IsZero() ? delay : fabricDelay;
        }

        /// Returns the propagation delay of links of core switches.
        Time GetCoreDelay() const
        {
            return coreDelay.IsZero() ? GetFabricDelay() : coreDelay;
        }
    };

    /// Servers with several GPUs. Each GPU is a host.
    struct Servers
    {
        uint32_t gpus;     ///< number of hosts per server, numbered consecutively, at least 2
        uint32_t switches; ///< number of switches inside a server, 1 to MAX_PORTS - 1; each GPU has
                           ///< a port to each of these switches
        DataRate rate;     ///< rate of the links to these switches
        Time delay;        ///< delay of the links to these switches
    };

    /// Sizes of a three-layer network of pods.
    struct ClosShape
    {
        uint32_t hosts; ///< number of hosts, which are distributed evenly over the racks, in order
        uint32_t pods;  ///< number of pods, at least 1
        uint32_t tors;  ///< top-of-rack switches ("racks") per pod, each linked to all aggs of its
                        ///< pod
        uint32_t aggs;  ///< aggregation switches ("aggs") per pod
        uint32_t coresPerAgg; ///< core switches of each agg; agg i of every pod is linked to the
                              ///< same cores
    };

    /**
     * Makes a network of hosts on one switch. Nodes: hosts 0 to hosts - 1, then the switch.
     * @param hosts number of hosts, at least 2
     * @param speeds rates and delay
     * @return the topology
     */
    static HpccTopology Star(uint32_t hosts, const LinkSpeeds& speeds);

    /**
     * Makes two switches with hosts, joined by a link. Nodes: hosts of the left switch from 0 on,
     * hosts of the right switch, the left switch, the right switch.
     * @param left number of hosts on the left switch, at least 1
     * @param right number of hosts on the right switch, at least 1
     * @param speeds rates and delay; the link between the switches has the fabric rate
     * @return the topology
     */
    static HpccTopology Dumbbell(uint32_t left, uint32_t right, const LinkSpeeds& speeds);

    /**
     * Makes a leaf-spine network: leaf switches with hosts, each linked to all spine switches.
     * Nodes: hosts of leaf 0 from 0 on, hosts of the other leaves, the leaves, the spines. Ports of
     * a leaf: its hosts, then the spines, each in the order of their numbers.
     * @param leaves leaf switches, at least 1
     * @param spines spine switches, at least 1
     * @param hostsPerLeaf number of hosts on each leaf, at least 1
     * @param speeds rates and delay
     * @return the topology
     */
    static HpccTopology LeafSpine(uint32_t leaves,
                                  uint32_t spines,
                                  uint32_t hostsPerLeaf,
                                  const LinkSpeeds& speeds);

    /**
     * Returns the uplink rate of a leaf-spine network with a given oversubscription ratio.
     * @param spines spine switches, at least 1
     * @param hostsPerLeaf number of hosts on each leaf, at least 1
     * @param host rate of the hosts' links
     * @param ratio host bandwidth of a leaf divided by its uplink bandwidth, above 0
     * @return rate of each uplink, rounded to 1 bit/s, for LinkSpeeds::fabric
     */
    static DataRate OversubscribedRate(uint32_t spines,
                                       uint32_t hostsPerLeaf,
                                       DataRate host,
                                       double ratio);

    /**
     * Makes a leaf-spine network with one host rate per leaf. Nodes are numbered as in LeafSpine().
     * @param spines spine switches, at least 1
     * @param hostsPerLeaf number of hosts on each leaf, at least 1
     * @param rates rate of the hosts' links by leaf, at least one
     * @param speeds rate between switches, and delays; the rate of hosts is not used
     * @return the topology
     */
    static HpccTopology MixedRates(uint32_t spines,
                                   uint32_t hostsPerLeaf,
                                   const std::vector<DataRate>& rates,
                                   const LinkSpeeds& speeds);

    /**
     * Makes a chain of switches. Host 0 is on the first switch and host 1 on the last switch, so
     * the path between them contains all links of the chain. For each link i of the chain, counted
     * from 0, host 2 + 2i is on the switch before the link, and host 3 + 2i is on the switch behind
     * it. Nodes: 2 + 2 * bottlenecks hosts, then the switches in the order of the chain.
     * @param bottlenecks number of links between switches, at least 1
     * @param speeds rates and delay
     * @return the topology
     */
    static HpccTopology ParkingLot(uint32_t bottlenecks, const LinkSpeeds& speeds);

    /**
     * Makes a network of pods. Nodes: hosts from 0 on, racks, aggs, cores, each in pod order. Ports
     * of a rack: its hosts, then its aggs. Ports of an agg: its racks, then its cores. Ports of a
     * core: the pods.
     * @param shape sizes of the network. There must be at least 2 hosts, and one per rack. All
     * other sizes are at least 1, except that coresPerAgg may be 0 if there is one pod
     * @param speeds rates and delays
     * @return the topology
     */
    static HpccTopology Clos(const ClosShape& shape, const LinkSpeeds& speeds);

    /**
     * Makes a rail-optimised network: GPU j of every server is a host on leaf j, its rail. Nodes:
     * hosts server by server from 0 on, the leaves, the spines. Ports as in LeafSpine().
     * @param servers servers, at least 1
     * @param gpus number of hosts per server, and of leaves, at least 1
     * @param spines spine switches, at least 1
     * @param speeds rates and delay
     * @return the topology
     */
    static HpccTopology Rail(uint32_t servers,
                             uint32_t gpus,
                             uint32_t spines,
                             const LinkSpeeds& speeds);

    /**
     * Makes a network of separate planes. Each host has a port in each plane, in order.
     * @param hosts number of hosts, at least 2, distributed evenly over the leaves, in order
     * @param planes planes, 1 to MAX_PORTS
     * @param leaves leaf switches of each plane, at least 1
     * @param spines spine switches of each plane; 0 is allowed if there is one leaf
     * @param speeds rates and delay
     * @return the topology. Nodes: the hosts, then plane by plane its leaves and its spines
     */
    static HpccTopology Planes(uint32_t hosts,
                               uint32_t planes,
                               uint32_t leaves,
                               uint32_t spines,
                               const LinkSpeeds& speeds);

    /**
     * Adds switches inside servers, such as NVSwitches, to a network. These switches are numbered
     * after the network's nodes; a host's ports to them are numbered after its other ports.
     * @param servers the servers; the number of hosts must be a multiple of the GPUs per server
     */
    void AddServers(const Servers& servers);

    /**
     * Makes the k-ary fat-tree of Al-Fares et al., SIGCOMM 2008: k pods, k^3/4 hosts. Nodes and
     * ports are numbered as in Clos(): k^3/4 hosts, k^2/2 racks, k^2/2 aggs, k^2/4 cores.
     * @param k number of ports of a switch, even, 2 to 80
     * @param speeds rates and delay
     * @return the topology
     */
    static HpccTopology FatTree(uint32_t k, const LinkSpeeds& speeds);

    /**
     * Reads a topology in the file format of the HPCC authors' simulator. The file begins with the
     * numbers of nodes, switches and links. Then it lists the switches, and for each link its two
     * ends, rate, delay and error rate.
     * @param path the file; an error in it throws an HpccInputError that names file and line
     * @return the topology
     */
    static HpccTopology ReadFile(const std::string& path);

    /**
     * Reads a topology in the file format of SimAI. First come the numbers of nodes, GPUs per
     * server, switches in servers, other switches and links, and the type of GPU, which is ignored.
     * Then the file lists the switches in servers, the other switches, and for each link its two
     * ends, rate, delay and error rate. GPUs are the hosts; each of their links is a port.
     * @param path the file; an error in it throws an HpccInputError that names file and line
     * @return the topology
     */
    static HpccTopology ReadSimAiFile(const std::string& path);

    /// Returns the names for ByName() with their values, for --help.
    static std::string Usage();

    /**
     * Makes a topology from its name, as for an option --topology=.
     *
     * A name may be followed by a colon and values separated by commas. First come the values
     * listed below. Then come options that set LinkSpeeds: host=RATE, fabric=RATE, delay=TIME,
     * fabric-delay=TIME and core-delay=TIME. Unless stated below, the defaults of rates are 100Gbps
     * and that of delay is 1us; fabric-delay is by default equal to delay, and core-delay to
     * fabric-delay. Each of these options may occur once, and only if the network has links to
     * which it applies. Except in networks from files, hosts have the lowest numbers. The builders
     * above document the numbers of the switches; the option --describe of the examples prints
     * them.
     * - star:HOSTS, dumbbell:LEFT,RIGHT, parking-lot:BOTTLENECKS, fat-tree:K
     * - leaf-spine:LEAVES,SPINES,HOSTS-PER-LEAF with over=RATIO in place of fabric=, see
     *   OversubscribedRate()
     * - mixed-rates:SPINES,HOSTS-PER-LEAF,RATE,... one leaf per rate
     * - paper-fat-tree: the network of the HPCC paper's simulations (SIGCOMM 2019, section 5.1),
     *   with 320 hosts, 5 pods of 4 racks (320 to 339) and 4 aggs (340 to 359), and 16 cores (360
     *   to 375). Links between switches have 400 Gb/s
     * - testbed-pod: the PoD of 230 servers in section 2 of the same paper, with 16 racks (230 to
     *   245) and 8 aggs (246 to 253). A host has one port of 50 Gb/s, whereas the servers have two
     *   ports of 25 Gb/s. We assume that each rack has a link to each agg
     * - testbed: the same paper's testbed of 32 servers in 4 racks (32 to 35) under one agg (36),
     *   with one port of 25 Gb/s per server instead of two. Delays are set to give the paper's base
     *   RTTs: 5.4 us in a rack and 8.5 us between racks
     * - powertcp: the network of PowerTCP's simulations (NSDI 2022, section 4.1), with 256 hosts, 8
     *   racks (256 to 263), 8 aggs (264 to 271) and 4 cores (272 to 275). Links have 25 Gb/s to
     *   hosts and 100 Gb/s between switches; the delay to the cores is 5 us. The text of the paper
     *   gives 2 cores; the topology file that its authors published contains 4, as here
     * - rail:SERVERS,GPUS,SPINES, see Rail(); planes:HOSTS,PLANES or
     *   planes:HOSTS,PLANES,LEAVES,SPINES, see Planes()
     * - nvswitch:GPUS,SWITCHES,RATE,DELAY,TOPOLOGY: another topology by name, in which each group
     *   of GPUS hosts is a server with SWITCHES switches inside, see AddServers()
     * - file:PATH, see ReadFile(); simai:PATH, see ReadSimAiFile(). No other values may follow
     *
     * @param spec name and values
     * @return the topology; an error in the text throws HpccInputError
     */
    static HpccTopology ByName(const std::string& spec);

    /**
     * Adds a node.
     * @param isSwitch true for a switch, false for a host
     * @return number of the node
     */
    uint32_t AddNode(bool isSwitch);

    /**
     * Adds a link. Several links may join the same two nodes. Each link of a host gets its own
     * port; ports are numbered in the order of the calls. Refuses unknown nodes, a link from a node
     * to itself, more than MAX_PORTS links of a host, and more than MAX_LINKS links. Also refuses
     * rates outside 1 Mb/s to 10 Tb/s, a delay below 1 ns, and an error rate outside [0, 1).
     * @param link ends, rates, delay and error rate of the link
     */
    void AddLink(const Link& link);

    /// Refuses a network with fewer than 2 hosts, a host without a link, and a host whose number is
    /// MAX_NODES or more. Also refuses a network in which two hosts have no path between any of
    /// their ports. Paths do not lead through hosts, because hosts do not forward packets.
    void Validate() const;

    /// Returns the number of nodes.
    uint32_t GetNodes() const
    {
        return static_cast<uint32_t>(m_isSwitch.size());
    }

    /**
     * Returns true if a node is a switch; throws HpccInputError if the node does not exist.
     * @param node number of the node
     */
    bool IsSwitch(uint32_t node) const
    {
        RequireNode(node);
        return m_isSwitch[node];
    }

    /**
     * Returns the number of links of a node; throws HpccInputError if the node does not exist.
     * @param node number of the node
     */
    uint32_t GetDegree(uint32_t node) const
    {
        RequireNode(node);
        return m_degree[node];
    }

    /// Returns the largest number of ports of a host.
    uint32_t GetMostPorts() const;

    /// Returns the hosts in ascending order.
    std::vector<uint32_t> GetHosts() const;

    /// Returns the number of links to the nearest host, by node; UINT32_MAX if no host is
    /// reachable.
    std::vector<uint32_t> GetLevels() const;

    /**
     * Returns the numbers of the links between two nodes, in the order in which they were added.
     * @param a a node
     * @param b another node
     */
    std::vector<uint32_t> FindLinks(uint32_t a, uint32_t b) const;

    /// Returns the links in the order in which they were added.
    const std::vector<Link>& GetLinks() const
    {
        return m_links;
    }

  private:
    /// Returns the range of node numbers as text, for error messages.
    std::string DescribeNodes() const;

    /// Throws HpccInputError if a node does not exist.
    /// @param node number of the node
    void RequireNode(uint32_t node) const
    {
        if (node >= m_degree.size())
        {
            RefuseNode(node);
        }
    }

    /// Throws the error of RequireNode().
    /// @param node number that is refused
    [[noreturn]] void RefuseNode(uint32_t node) const;

    std::vector<bool> m_isSwitch;   ///< true for switches, by node
    std::vector<uint32_t> m_degree; ///< number of links, by node
    std::vector<Link> m_links;      ///< links
};

/// Largest number of switches per row of a drawing. With more switches, a drawing would be
/// illegible.
constexpr uint32_t MAX_DRAWN_SWITCHES = 64;

/**
 * @ingroup hpcc
 *
 * Describes a topology. The first line contains the numbers of hosts, switches and links. Then one
 * line per switch lists the nodes to which its ports lead, and the links' rates and propagation
 * delays.
 * @param topology the network
 * @return the text
 */
std::string DescribeTopology(const HpccTopology& topology);

/**
 * @ingroup hpcc
 *
 * Draws a topology with the numbers of its nodes. Hosts are at the bottom. There is a row of
 * switches for each distance from the hosts, and a colour for each kind of link.
 * @param topology the network
 * @return the picture as SVG, 1,100 pixels wide; empty if a row would have more than
 * MAX_DRAWN_SWITCHES switches
 */
std::string DrawTopology(const HpccTopology& topology);

} // namespace ns3

#endif // HPCC_TOPOLOGY_H
