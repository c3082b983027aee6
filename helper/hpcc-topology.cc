/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-topology.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace ns3
{

namespace
{

/// Refuses a network with too many nodes of a kind. The number of nodes is the product of the
/// factors. A factor may be so large that the product would exceed 64 bits.
void
RequireNodes(const std::string& name, std::initializer_list<uint64_t> factors)
{
    uint64_t nodes = 1;
    for (uint64_t factor : factors)
    {
        nodes = factor <= HpccTopology::MAX_NODES ? nodes * factor : HpccTopology::MAX_NODES + 1ULL;
        HPCC_REFUSE_IF(nodes > HpccTopology::MAX_NODES,
                       name + ": more than " + std::to_string(HpccTopology::MAX_NODES) +
                           " nodes of a kind");
    }
}

/// Refuses a network with too many links between switches. The number of these links is the product
/// of two numbers.
void
RequireLinks(const std::string& name, uint64_t each, uint64_t others)
{
    HPCC_REFUSE_IF(each * others > HpccTopology::MAX_LINKS,
                   name + ": " + std::to_string(each) + " times " + std::to_string(others) +
                       " links between switches; allowed are at most " +
                       std::to_string(HpccTopology::MAX_LINKS));
}

/// Returns a network without links; hosts come first.
HpccTopology
Nodes(uint32_t hosts, uint32_t switches)
{
    HpccTopology t;
    for (uint32_t i = 0; i < hosts + switches; ++i)
    {
        t.AddNode(i >= hosts);
    }
    return t;
}

} // namespace

HpccTopology
HpccTopology::Star(uint32_t hosts, const LinkSpeeds& speeds)
{
    HPCC_REFUSE_IF(hosts < 2, "star: " + std::to_string(hosts) + " hosts; at least 2 are needed");
    RequireNodes("star", {hosts});
    HpccTopology t = Nodes(hosts, 1);
    for (uint32_t i = 0; i < hosts; ++i)
    {
        t.AddLink({i, hosts, speeds.host, speeds.delay});
    }
    return t;
}

HpccTopology
HpccTopology::Dumbbell(uint32_t left, uint32_t right, const LinkSpeeds& speeds)
{
    HPCC_REFUSE_IF(!(left >= 1 && right >= 1), "dumbbell: each side needs at least 1 host");
    RequireNodes("dumbbell", {left});
    RequireNodes("dumbbell", {right});
    const uint32_t leftSwitch = left + right;
    const uint32_t rightSwitch = leftSwitch + 1;
    HpccTopology t = Nodes(left + right, 2);
    for (uint32_t i = 0; i < left + right; ++i)
    {
        t.AddLink({i, i < left ? leftSwitch : rightSwitch, speeds.host, speeds.delay});
    }
    t.AddLink({leftSwitch, rightSwitch, speeds.fabric, speeds.GetFabricDelay()});
    return t;
}

HpccTopology
HpccTopology::LeafSpine(uint32_t leaves,
                        uint32_t spines,
                        uint32_t hostsPerLeaf,
                        const LinkSpeeds& speeds)
{
    RequireNodes("leaf-spine", {leaves, hostsPerLeaf});
    return MixedRates(spines, hostsPerLeaf, std::vector<DataRate>(leaves, speeds.host), speeds);
}

DataRate
HpccTopology::OversubscribedRate(uint32_t spines,
                                 uint32_t hostsPerLeaf,
                                 DataRate host,
                                 double ratio)
{
    HPCC_REFUSE_IF(!(spines >= 1 && hostsPerLeaf >= 1 && ratio > 0),
                   "oversubscription: ratio " + std::to_string(ratio) +
                       ", spines and hosts per leaf must be above 0");
    double leafBps = static_cast<double>(host.GetBitRate()) * hostsPerLeaf;
    return DataRate(static_cast<uint64_t>(std::llround(leafBps / (spines * ratio))));
}

HpccTopology
HpccTopology::MixedRates(uint32_t spines,
                         uint32_t hostsPerLeaf,
                         const std::vector<DataRate>& rates,
                         const LinkSpeeds& speeds)
{
    HPCC_REFUSE_IF(!(!rates.empty() && spines >= 1 && hostsPerLeaf >= 1),
                   "leaf-spine: leaves, spines and hosts per leaf must be at least 1");
    auto leaves = static_cast<uint32_t>(rates.size());
    RequireNodes("leaf-spine", {leaves, hostsPerLeaf});
    RequireNodes("leaf-spine", {spines});
    RequireLinks("leaf-spine", leaves, spines);
    uint32_t hosts = leaves * hostsPerLeaf;
    HpccTopology t = Nodes(hosts, leaves + spines);
    for (uint32_t i = 0; i < hosts; ++i)
    {
        uint32_t leaf = i / hostsPerLeaf;
        t.AddLink({i, hosts + leaf, rates[leaf], speeds.delay});
    }
    for (uint32_t leaf = 0; leaf < leaves; ++leaf)
    {
        for (uint32_t spine = 0; spine < spines; ++spine)
        {
            t.AddLink(
                {hosts + leaf, hosts + leaves + spine, speeds.fabric, speeds.GetFabricDelay()});
        }
    }
    return t;
}

HpccTopology
HpccTopology::ParkingLot(uint32_t bottlenecks, const LinkSpeeds& speeds)
{
    HPCC_REFUSE_IF(bottlenecks < 1, "parking-lot: at least 1 bottleneck is needed");
    RequireNodes("parking-lot", {bottlenecks, 3});
    uint32_t hosts = 2 + 2 * bottlenecks;
    HpccTopology t = Nodes(hosts, bottlenecks + 1);
    t.AddLink({0, hosts, speeds.host, speeds.delay});
    t.AddLink({1, hosts + bottlenecks, speeds.host, speeds.delay});
    for (uint32_t i = 0; i < bottlenecks; ++i)
    {
        t.AddLink({2 + 2 * i, hosts + i, speeds.host, speeds.delay});
        t.AddLink({3 + 2 * i, hosts + i + 1, speeds.host, speeds.delay});
    }
    for (uint32_t i = 0; i < bottlenecks; ++i)
    {
        t.AddLink({hosts + i, hosts + i + 1, speeds.fabric, speeds.GetFabricDelay()});
    }
    return t;
}

HpccTopology
HpccTopology::Clos(const ClosShape& shape, const LinkSpeeds& speeds)
{
    const auto& [hosts, pods, tors, aggs, coresPerAgg] = shape;
    HPCC_REFUSE_IF(!(pods >= 1 && tors >= 1 && aggs >= 1 && (coresPerAgg >= 1 || pods == 1)),
                   "pods: numbers of pods, racks, aggs and cores must be at least 1");
    RequireNodes("pods", {hosts});
    RequireNodes("pods", {pods, tors});
    RequireNodes("pods", {pods, aggs});
    RequireNodes("pods", {aggs, coresPerAgg});
    RequireLinks("pods", uint64_t{pods} * tors, aggs);
    RequireLinks("pods", uint64_t{pods} * aggs, coresPerAgg);
    HPCC_REFUSE_IF(!(hosts >= 2 && hosts >= pods * tors),
                   "pods: " + std::to_string(hosts) +
                       " hosts; at least 2 and one per rack are needed");
    const uint32_t firstTor = hosts;
    const uint32_t firstAgg = firstTor + pods * tors;
    const uint32_t firstCore = firstAgg + pods * aggs;
    HpccTopology t = Nodes(hosts, firstCore - hosts + aggs * coresPerAgg);
    for (uint32_t i = 0; i < hosts; ++i)
    {
        auto tor = static_cast<uint32_t>(uint64_t{i} * pods * tors / hosts);
        t.AddLink({i, firstTor + tor, speeds.host, speeds.delay});
    }
    for (uint32_t pod = 0; pod < pods; ++pod)
    {
        for (uint32_t tor = pod * tors; tor < (pod + 1) * tors; ++tor)
        {
            for (uint32_t a = 0; a < aggs; ++a)
            {
                t.AddLink({firstTor + tor,
                           firstAgg + pod * aggs + a,
                           speeds.fabric,
                           speeds.GetFabricDelay()});
            }
        }
        for (uint32_t a = 0; a < aggs; ++a)
        {
            for (uint32_t c = a * coresPerAgg; c < (a + 1) * coresPerAgg; ++c)
            {
                t.AddLink({firstAgg + pod * aggs + a,
                           firstCore + c,
                           speeds.fabric,
                           speeds.GetCoreDelay()});
            }
        }
    }
    return t;
}

HpccTopology
HpccTopology::Rail(uint32_t servers, uint32_t gpus, uint32_t spines, const LinkSpeeds& speeds)
{
    HPCC_REFUSE_IF(!(servers >= 1 && gpus >= 1 && spines >= 1),
                   "rail: servers, GPUs and spines must be at least 1");
    RequireNodes("rail", {servers, gpus});
    RequireNodes("rail", {spines});
    RequireLinks("rail", gpus, spines);
    const uint32_t hosts = servers * gpus;
    HpccTopology t = Nodes(hosts, gpus + spines);
    for (uint32_t i = 0; i < hosts; ++i)
    {
        t.AddLink({i, hosts + i % gpus, speeds.host, speeds.delay});
    }
    for (uint32_t leaf = hosts; leaf < hosts + gpus; ++leaf)
    {
        for (uint32_t spine = hosts + gpus; spine < t.GetNodes(); ++spine)
        {
            t.AddLink({leaf, spine, speeds.fabric, speeds.GetFabricDelay()});
        }
    }
    return t;
}

HpccTopology
HpccTopology::Planes(uint32_t hosts,
                     uint32_t planes,
                     uint32_t leaves,
                     uint32_t spines,
                     const LinkSpeeds& speeds)
{
    HPCC_REFUSE_IF(!(planes >= 1 && planes <= MAX_PORTS),
                   "planes: " + std::to_string(planes) + " planes; allowed are 1 to " +
                       std::to_string(MAX_PORTS));
    HPCC_REFUSE_IF(
        !(leaves >= 1 && hosts >= 2 && hosts >= leaves && (spines >= 1 || leaves == 1)),
        "planes: at least 2 hosts, 1 leaf with a host, and 1 spine between leaves are needed");
    RequireNodes("planes", {hosts});
    RequireNodes("planes", {planes, leaves});
    RequireNodes("planes", {planes, spines});
    RequireLinks("planes", uint64_t{planes} * leaves, spines);
    HpccTopology t = Nodes(hosts, planes * (leaves + spines));
    for (uint32_t plane = 0; plane < planes; ++plane)
    {
        const uint32_t first = hosts + plane * (leaves + spines);
        for (uint32_t i = 0; i < hosts; ++i)
        {
            const auto leaf = static_cast<uint32_t>(uint64_t{i} * leaves / hosts);
            t.AddLink({i, first + leaf, speeds.host, speeds.delay});
        }
        for (uint32_t leaf = first; leaf < first + leaves; ++leaf)
        {
            for (uint32_t spine = first + leaves; spine < first + leaves + spines; ++spine)
            {
                t.AddLink({leaf, spine, speeds.fabric, speeds.GetFabricDelay()});
            }
        }
    }
    return t;
}

void
HpccTopology::AddServers(const Servers& servers)
{
    const auto hosts = GetHosts();
    HPCC_REFUSE_IF(!(servers.gpus >= 2 && hosts.size() % servers.gpus == 0),
                   "nvswitch: servers of " + std::to_string(servers.gpus) +
                       " GPUs in a network of " + std::to_string(hosts.size()) +
                       " hosts; allowed is at least 2, and a divisor of the hosts");
    HPCC_REFUSE_IF(!(servers.switches >= 1 && servers.switches < MAX_PORTS),
                   "nvswitch: " + std::to_string(servers.switches) +
                       " switches of a server; allowed are 1 to " + std::to_string(MAX_PORTS - 1));
    for (size_t first = 0; first < hosts.size(); first += servers.gpus)
    {
        for (uint32_t i = 0; i < servers.switches; ++i)
        {
            const uint32_t inner = AddNode(true);
            for (size_t gpu = first; gpu < first + servers.gpus; ++gpu)
            {
                AddLink({hosts[gpu], inner, servers.rate, servers.delay});
            }
        }
    }
}

HpccTopology
HpccTopology::FatTree(uint32_t k, const LinkSpeeds& speeds)
{
    HPCC_REFUSE_IF(!(k >= 2 && k <= 80 && k % 2 == 0),
                   "fat-tree: k " + std::to_string(k) + " is not an even number from 2 to 80");
    uint32_t half = k / 2;
    return Clos({k * half * half, k, half, half, half}, speeds);
}

uint32_t
HpccTopology::AddNode(bool isSwitch)
{
    m_isSwitch.push_back(isSwitch);
    m_degree.push_back(0);
    return GetNodes() - 1;
}

std::string
HpccTopology::DescribeNodes() const
{
    return m_isSwitch.empty() ? "the topology has no nodes"
                              : "nodes are 0 to " + std::to_string(GetNodes() - 1);
}

void
HpccTopology::RefuseNode(uint32_t node) const
{
    throw HpccInputError("ns3::HpccTopology: node " + std::to_string(node) + " does not exist; " +
                         DescribeNodes());
}

void
HpccTopology::AddLink(const Link& link)
{
    std::string name = "link " + std::to_string(link.a) + " - " + std::to_string(link.b);
    HPCC_REFUSE_IF(!(link.a < GetNodes() && link.b < GetNodes()), name + ": " + DescribeNodes());
    HPCC_REFUSE_IF(link.a == link.b, name + " joins a node with itself");
    for (const uint64_t bps : {link.rate.GetBitRate(), link.GetRateBack().GetBitRate()})
    {
        HPCC_REFUSE_IF(!(bps >= 1000000 && bps <= 10000000000000ULL),
                       name + ": rate " + std::to_string(bps) +
                           " bit/s is outside 1 Mb/s to 10 Tb/s");
    }
    HPCC_REFUSE_IF(link.delay < NanoSeconds(1), name + ": the delay is less than 1 ns");
    HPCC_REFUSE_IF(!(link.errorRate >= 0 && link.errorRate < 1),
                   name + ": error rate " + std::to_string(link.errorRate) + " is outside [0, 1)");
    HPCC_REFUSE_IF(m_links.size() >= MAX_LINKS,
                   name + ": more than " + std::to_string(MAX_LINKS) + " links are not allowed");
    for (uint32_t node : {link.a, link.b})
    {
        HPCC_REFUSE_IF(!(m_isSwitch[node] || m_degree[node] < MAX_PORTS),
                       name + ": host " + std::to_string(node) + " has " +
                           std::to_string(MAX_PORTS) + " links already; more are not allowed");
    }
    ++m_degree[link.a];
    ++m_degree[link.b];
    m_links.push_back(link);
}

void
HpccTopology::Validate() const
{
    // Connected components of a graph whose vertices are the switches and the ports of hosts. The
    // vertices are numbered: first the nodes, then both ends of each link.
    std::vector<uint32_t> root(GetNodes() + 2 * m_links.size());
    std::iota(root.begin(), root.end(), 0);
    auto find = [&root](uint32_t vertex) {
        while (root[vertex] != vertex)
        {
            vertex = root[vertex] = root[root[vertex]];
        }
        return vertex;
    };
    auto vertexOf = [this](uint32_t node, size_t end) {
        return m_isSwitch[node] ? node : GetNodes() + static_cast<uint32_t>(end);
    };
    for (size_t i = 0; i < m_links.size(); ++i)
    {
        root[find(vertexOf(m_links[i].a, 2 * i))] = find(vertexOf(m_links[i].b, 2 * i + 1));
    }
    std::vector<std::set<uint32_t>> networks(GetNodes());
    for (size_t i = 0; i < m_links.size(); ++i)
    {
        networks[m_links[i].a].insert(find(vertexOf(m_links[i].a, 2 * i)));
        networks[m_links[i].b].insert(find(vertexOf(m_links[i].b, 2 * i + 1)));
    }
    auto hosts = GetHosts();
    HPCC_REFUSE_IF(hosts.size() < 2, "topology: fewer than 2 hosts");
    // For each set of connected components that occurs: the first host whose ports are in exactly
    // these components.
    std::map<std::set<uint32_t>, uint32_t> kinds;
    for (uint32_t host : hosts)
    {
        const std::string name = "topology: host " + std::to_string(host);
        HPCC_REFUSE_IF(m_degree[host] < 1, name + " has no link");
        HPCC_REFUSE_IF(host >= MAX_NODES,
                       name + ": hosts are numbers up to " + std::to_string(MAX_NODES - 1) +
                           ", before switches");
        kinds.try_emplace(networks[host], host);
    }
    for (const auto& [mine, host] : kinds)
    {
        for (const auto& [theirs, other] : kinds)
        {
            std::vector<uint32_t> both;
            std::set_intersection(mine.begin(),
                                  mine.end(),
                                  theirs.begin(),
                                  theirs.end(),
                                  std::back_inserter(both));
            HPCC_REFUSE_IF(both.empty(),
                           "topology: host " + std::to_string(std::max(host, other)) +
                               " cannot reach host " + std::to_string(std::min(host, other)));
        }
    }
}

uint32_t
HpccTopology::GetMostPorts() const
{
    uint32_t most = 0;
    for (uint32_t host : GetHosts())
    {
        most = std::max(most, m_degree[host]);
    }
    return most;
}

std::vector<uint32_t>
HpccTopology::GetHosts() const
{
    std::vector<uint32_t> hosts;
    for (uint32_t i = 0; i < GetNodes(); ++i)
    {
        if (!m_isSwitch[i])
        {
            hosts.push_back(i);
        }
    }
    return hosts;
}

std::vector<uint32_t>
HpccTopology::GetLevels() const
{
    std::vector<uint32_t> levels;
    for (bool isSwitch : m_isSwitch)
    {
        levels.push_back(isSwitch ? UINT32_MAX : 0);
    }
    bool more = true;
    for (uint32_t level = 0; more; ++level)
    {
        more = false;
        for (const auto& link : m_links)
        {
            for (const auto& [near, far] : {std::pair(link.a, link.b), std::pair(link.b, link.a)})
            {
                if (levels[near] == level && levels[far] == UINT32_MAX)
                {
                    levels[far] = level + 1;
                    more = true;
                }
            }
        }
    }
    return levels;
}

std::vector<uint32_t>
HpccTopology::FindLinks(uint32_t a, uint32_t b) const
{
    std::vector<uint32_t> found;
    for (uint32_t i = 0; i < m_links.size(); ++i)
    {
        const Link& link = m_links[i];
        if ((link.a == a && link.b == b) || (link.a == b && link.b == a))
        {
            found.push_back(i);
        }
    }
    return found;
}

} // namespace ns3
