/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-topology.h"

#include <numeric>

namespace ns3
{

namespace
{

void
Require(bool condition, const std::string& message)
{
    if (!condition)
    {
        throw HpccInputError(message);
    }
}

} // namespace

HpccTopology
HpccTopology::Star(uint32_t hosts, const LinkSpeeds& speeds)
{
    Require(hosts >= 2, "star: " + std::to_string(hosts) + " hosts; at least 2 are needed");
    HpccTopology t;
    for (uint32_t i = 0; i < hosts; ++i)
    {
        t.AddNode(false);
    }
    uint32_t hub = t.AddNode(true);
    for (uint32_t i = 0; i < hosts; ++i)
    {
        t.AddLink({i, hub, speeds.host, speeds.delay});
    }
    return t;
}

HpccTopology
HpccTopology::Dumbbell(uint32_t left, uint32_t right, const LinkSpeeds& speeds)
{
    Require(left >= 1 && right >= 1, "dumbbell: each side needs at least 1 host");
    HpccTopology t;
    for (uint32_t i = 0; i < left + right; ++i)
    {
        t.AddNode(false);
    }
    uint32_t leftSwitch = t.AddNode(true);
    uint32_t rightSwitch = t.AddNode(true);
    for (uint32_t i = 0; i < left + right; ++i)
    {
        t.AddLink({i, i < left ? leftSwitch : rightSwitch, speeds.host, speeds.delay});
    }
    t.AddLink({leftSwitch, rightSwitch, speeds.fabric, speeds.delay});
    return t;
}

HpccTopology
HpccTopology::LeafSpine(uint32_t leaves,
                        uint32_t spines,
                        uint32_t hostsPerLeaf,
                        const LinkSpeeds& speeds)
{
    Require(leaves >= 1 && spines >= 1 && hostsPerLeaf >= 1,
            "leaf-spine: leaves, spines and hosts per leaf must be at least 1");
    HpccTopology t;
    for (uint32_t i = 0; i < leaves * hostsPerLeaf; ++i)
    {
        t.AddNode(false);
    }
    for (uint32_t i = 0; i < leaves + spines; ++i)
    {
        t.AddNode(true);
    }
    uint32_t hosts = leaves * hostsPerLeaf;
    for (uint32_t i = 0; i < hosts; ++i)
    {
        t.AddLink({i, hosts + i / hostsPerLeaf, speeds.host, speeds.delay});
    }
    for (uint32_t leaf = 0; leaf < leaves; ++leaf)
    {
        for (uint32_t spine = 0; spine < spines; ++spine)
        {
            t.AddLink({hosts + leaf, hosts + leaves + spine, speeds.fabric, speeds.delay});
        }
    }
    return t;
}

HpccTopology
HpccTopology::FatTree(uint32_t k, const LinkSpeeds& speeds)
{
    Require(k >= 2 && k <= 64 && k % 2 == 0,
            "fat-tree: k " + std::to_string(k) + " is not an even number from 2 to 64");
    uint32_t half = k / 2;
    uint32_t hosts = k * half * half;
    uint32_t edges = k * half;
    HpccTopology t;
    for (uint32_t i = 0; i < hosts; ++i)
    {
        t.AddNode(false);
    }
    for (uint32_t i = 0; i < 2 * edges + half * half; ++i)
    {
        t.AddNode(true);
    }
    for (uint32_t i = 0; i < hosts; ++i)
    {
        t.AddLink({i, hosts + i / half, speeds.host, speeds.delay});
    }
    for (uint32_t pod = 0; pod < k; ++pod)
    {
        for (uint32_t e = 0; e < half; ++e)
        {
            for (uint32_t a = 0; a < half; ++a)
            {
                t.AddLink({hosts + pod * half + e,
                           hosts + edges + pod * half + a,
                           speeds.fabric,
                           speeds.delay});
            }
        }
        for (uint32_t a = 0; a < half; ++a)
        {
            for (uint32_t c = 0; c < half; ++c)
            {
                t.AddLink({hosts + edges + pod * half + a,
                           hosts + 2 * edges + a * half + c,
                           speeds.fabric,
                           speeds.delay});
            }
        }
    }
    return t;
}

uint32_t
HpccTopology::AddNode(bool isSwitch)
{
    m_isSwitch.push_back(isSwitch);
    m_degree.push_back(0);
    return GetNodes() - 1;
}

void
HpccTopology::AddLink(const Link& link)
{
    std::string name = "link " + std::to_string(link.a) + " - " + std::to_string(link.b);
    Require(link.a < GetNodes() && link.b < GetNodes(),
            name + ": nodes are 0 to " + std::to_string(GetNodes() - 1));
    Require(link.a != link.b, name + " joins a node with itself");
    Require(link.rate.GetBitRate() >= 1000000 && link.rate.GetBitRate() <= 10000000000000ULL,
            name + ": rate " + std::to_string(link.rate.GetBitRate()) +
                " bit/s is outside 1 Mb/s to 10 Tb/s");
    Require(link.delay >= NanoSeconds(1), name + ": the delay is less than 1 ns");
    Require(link.errorRate >= 0 && link.errorRate < 1,
            name + ": error rate " + std::to_string(link.errorRate) + " is outside [0, 1)");
    for (uint32_t node : {link.a, link.b})
    {
        ++m_degree[node];
        Require(m_isSwitch[node] || m_degree[node] == 1,
                name + ": host " + std::to_string(node) + " has a link already; a host has one");
    }
    m_links.push_back(link);
}

void
HpccTopology::Validate() const
{
    std::vector<uint32_t> root(GetNodes());
    std::iota(root.begin(), root.end(), 0);
    auto find = [&root](uint32_t node) {
        while (root[node] != node)
        {
            node = root[node] = root[root[node]];
        }
        return node;
    };
    for (const auto& link : m_links)
    {
        root[find(link.a)] = find(link.b);
    }
    auto hosts = GetHosts();
    Require(hosts.size() >= 2, "topology: fewer than 2 hosts");
    for (uint32_t host : hosts)
    {
        Require(m_degree[host] == 1, "topology: host " + std::to_string(host) + " has no link");
        Require(find(host) == find(hosts[0]),
                "topology: host " + std::to_string(host) + " cannot reach host " +
                    std::to_string(hosts[0]));
    }
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

} // namespace ns3
