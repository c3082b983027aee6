/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-uec-topology.h"

#include "hpcc-uec-lines.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <set>
#include <utility>

namespace ns3
{

namespace
{

constexpr uint32_t MAX_NODES = 65536;  ///< largest number of hosts
constexpr uint64_t GBPS = 1000000000;  ///< bit/s
constexpr int64_t FAT_TREE_NS = 1000;  ///< link delay of the default fat-tree, see FatTree(), ns
constexpr uint32_t MAX_RADIX = 100000; ///< largest number of links of a switch in one direction

/// Returns @p text in lower case.
std::string
Lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return text;
}

} // namespace

HpccUecTopology
HpccUecTopology::Load(const std::string& path)
{
    std::ifstream in(path);
    HPCC_REFUSE_IF(!in, "cannot read " + path);
    return Read(in, path);
}

HpccUecTopology
HpccUecTopology::Read(std::istream& text, const std::string& name)
{
    HpccUecLines in(text, name);
    HpccUecTopology topology;
    topology.ReadHead(in);
    std::set<std::pair<uint32_t, std::string>> seen;
    uint32_t tier = 0;
    do
    {
        if (in.IsComment())
        {
            continue;
        }
        const std::string key = Lower(in.Word("a key"));
        if (key == "tier")
        {
            tier = in.Number<uint32_t>(key, 0);
            if (tier >= topology.m_tiers)
            {
                in.Refuse("tier " + std::to_string(tier) + ": tiers are 0 to " +
                          std::to_string(topology.m_tiers - 1));
            }
        }
        else
        {
            topology.ReadKey(in, tier, key);
        }
        if (!seen.insert({tier, key}).second)
        {
            in.Refuse(key + " is given twice for tier " + std::to_string(tier));
        }
        in.EndLine();
    } while (in.Next());
    for (tier = 0; tier < topology.m_tiers; ++tier)
    {
        for (const char* key :
             {"tier", "downlink_speed_gbps", "downlink_latency_ns", "radix_down", "radix_up"})
        {
            const bool none = tier + 1 == topology.m_tiers && key == std::string("radix_up");
            if (!none && seen.count({tier, key}) == 0)
            {
                in.Refuse(std::string(key) + " of tier " + std::to_string(tier) + " is missing");
            }
        }
    }
    topology.Shape(in);
    return topology;
}

void
HpccUecTopology::ReadHead(HpccUecLines& in)
{
    const std::map<std::string, uint32_t*> values{{"nodes", &m_nodes},
                                                  {"tiers", &m_tiers},
                                                  {"podsize", &m_podSize}};
    bool more = in.Next();
    for (; more; more = in.Next())
    {
        if (in.IsComment())
        {
            continue;
        }
        const std::string key = Lower(in.Word("a key"));
        if (key == "tier")
        {
            break;
        }
        const auto found = values.find(key);
        if (found == values.end())
        {
            in.Refuse("unknown key \"" + key +
                      "\"; choices before the first tier: Nodes, Tiers, "
                      "Podsize");
        }
        if (*found->second > 0)
        {
            in.Refuse(key + " is given twice");
        }
        *found->second = in.Number<uint32_t>(key, 1);
        in.EndLine();
    }
    for (const auto& [key, value] : values)
    {
        if (*value == 0)
        {
            in.Refuse(key + " is missing before the first tier");
        }
    }
    if (!more || m_tiers < 2 || m_tiers > m_tier.size())
    {
        in.Refuse(more ? "tiers " + std::to_string(m_tiers) + " is neither 2 nor 3"
                       : "there is no tier");
    }
    if (m_nodes > MAX_NODES)
    {
        in.Refuse("nodes " + std::to_string(m_nodes) + " is above " + std::to_string(MAX_NODES));
    }
    in.Rewind();
}

void
HpccUecTopology::ReadKey(HpccUecLines& in, uint32_t number, const std::string& key)
{
    Tier& tier = m_tier[number];
    const std::map<std::string, uint32_t*> counts{{"radix_down", &tier.radixDown},
                                                  {"radix_up", &tier.radixUp},
                                                  {"oversubscribed", &tier.oversubscribed},
                                                  {"bundle", &tier.bundle}};
    const auto count = counts.find(key);
    const bool top = number + 1 == m_tiers;
    if (top && (key == "radix_up" || key == "queue_up" || key == "oversubscribed"))
    {
        in.Refuse(key + ": the top tier has no links upwards");
    }
    if (count != counts.end())
    {
        *count->second = in.Number<uint32_t>(key, 1);
        if (*count->second > MAX_RADIX)
        {
            in.Refuse(key + " is above " + std::to_string(MAX_RADIX));
        }
    }
    else if (key == "downlink_speed_gbps")
    {
        const auto gbps = in.Number<uint32_t>(key, 1);
        tier.downlinkBps = gbps * GBPS;
        if (gbps > 10000)
        {
            in.Refuse(key + " is above 10000");
        }
    }
    else if (key == "downlink_latency_ns")
    {
        tier.linkNs = in.Number<int32_t>(key, 1);
    }
    else if (key == "switch_latency_ns")
    {
        tier.switchNs = in.Number<int32_t>(key, 0);
        if (tier.switchNs % 2 != 0)
        {
            in.Refuse(
                key + " " + std::to_string(tier.switchNs) +
                " is odd; allowed are even numbers, because each link of the switch gets half "
                "of it, in whole ns");
        }
    }
    else if (key == "queue_up" || key == "queue_down")
    {
        in.Number<uint64_t>(key, 0);
        m_hasQueues = true;
    }
    else
    {
        in.Refuse("unknown key \"" + key +
                  "\"; choices: Tier, Downlink_speed_Gbps, Downlink_Latency_ns, Radix_Down, "
                  "Radix_Up, Switch_Latency_ns, Oversubscribed, Bundle, Queue_Up, Queue_Down");
    }
}

void
HpccUecTopology::Shape(const HpccUecLines& in)
{
    // Returns a quotient. Refuses the file if it is not a whole number or is 0.
    auto divide = [&in](uint64_t number, uint64_t by, const std::string& what) {
        if (by == 0 || number % by != 0 || number == 0)
        {
            in.Refuse(what + ": " + std::to_string(number) + " / " + std::to_string(by) +
                      " is not a whole number from 1 on");
        }
        return static_cast<uint32_t>(number / by);
    };
    // Refuses the file if two ways to compute a number give different results.
    auto match = [&in](uint64_t a, uint64_t b, const std::string& what) {
        if (a != b)
        {
            in.Refuse(what + " gives " + std::to_string(a) + " and " + std::to_string(b));
        }
    };
    const auto& [tor, agg, core] = m_tier;
    m_pods = divide(m_nodes, m_podSize, "pods, nodes / podsize");
    m_torsPerPod = divide(m_podSize, tor.radixDown, "switches of tier 0, podsize / radix_down");
    match(tor.radixDown / tor.radixUp,
          tor.oversubscribed,
          "tier 0: radix_down / radix_up and "
          "oversubscribed");
    match(tor.bundle, 1, "tier 0: bundle, which is one link for each host,");
    const uint64_t up = divide(m_nodes * tor.downlinkBps / GBPS,
                               agg.downlinkBps / GBPS * tor.oversubscribed,
                               "links of tier 0 upwards, nodes x speed / (speed of tier 1 x "
                               "oversubscribed)");
    m_aggsPerPod = divide(up,
                          uint64_t{m_pods} * agg.radixDown,
                          "switches of tier 1 in a pod, links upwards "
                          "of tier 0 / (pods x radix_down)");
    match(uint64_t{m_aggsPerPod} * agg.bundle,
          tor.radixUp,
          "tiers 0 and 1: switches of tier 1 in a pod x bundle and radix_up of tier 0");
    if (m_tiers == 2)
    {
        match(m_pods, 1, "two tiers: pods, nodes / podsize,");
        return;
    }
    const uint64_t top = divide(up * (agg.downlinkBps / GBPS),
                                core.downlinkBps / GBPS * agg.oversubscribed,
                                "links of tier 1 upwards, those of tier 0 x speed / (speed of tier "
                                "2 x oversubscribed)");
    m_cores = divide(top,
                     core.radixDown,
                     "switches of tier 2, links upwards of tier 1 / "
                     "radix_down");
    const uint32_t coresPerAgg =
        divide(m_cores, m_aggsPerPod, "switches of tier 2 / switches of tier 1 in a pod");
    match(uint64_t{coresPerAgg} * core.bundle,
          agg.radixUp,
          "tiers 1 and 2: switches of tier 2 for one of tier 1 x bundle and radix_up of tier 1");
}

HpccUecTopology
HpccUecTopology::FatTree(uint32_t nodes, DataRate rate)
{
    uint64_t k = 2;
    while (k * k * k / 4 < nodes)
    {
        k += 2;
    }
    HPCC_REFUSE_IF(k * k * k / 4 != nodes,
                   "Nodes " + std::to_string(nodes) +
                       ": there is no fat-tree of k^3/4 hosts with that many; give --topo");
    const auto half = static_cast<uint32_t>(k / 2);
    HpccUecTopology topology;
    topology.m_nodes = nodes;
    topology.m_tiers = 3;
    topology.m_podSize = half * half;
    topology.m_pods = 2 * half;
    topology.m_torsPerPod = topology.m_aggsPerPod = half;
    topology.m_cores = half * half;
    for (auto& tier : topology.m_tier)
    {
        tier.downlinkBps = rate.GetBitRate();
        tier.radixDown = tier.radixUp = half;
        tier.linkNs = FAT_TREE_NS;
    }
    topology.m_tier[2].radixDown = 2 * half;
    topology.m_tier[2].radixUp = 0;
    return topology;
}

int64_t
HpccUecTopology::GetDiameterNs() const
{
    int64_t total = m_tier[m_tiers - 1].switchNs;
    for (uint32_t tier = 0; tier < m_tiers; ++tier)
    {
        total += 2 * m_tier[tier].linkNs + (tier + 1 < m_tiers ? 2 * m_tier[tier].switchNs : 0);
    }
    return total;
}

HpccTopology::Link
HpccUecTopology::LinkBelow(uint32_t tier) const
{
    const int64_t belowNs = tier > 0 ? m_tier[tier - 1].switchNs : 0;
    const int64_t latencyNs = (m_tier[tier].switchNs + belowNs) / 2;
    HpccTopology::Link link{};
    link.rate = DataRate(m_tier[tier].downlinkBps);
    link.delay = NanoSeconds(m_tier[tier].linkNs + latencyNs);
    return link;
}

HpccTopology
HpccUecTopology::Build(uint32_t degraded) const
{
    const uint32_t tors = m_pods * m_torsPerPod;
    const uint32_t aggs = m_pods * m_aggsPerPod;
    const uint32_t coresPerAgg = m_tiers == 3 ? m_cores / m_aggsPerPod : 0;
    const uint32_t most = m_tiers == 2 ? aggs : (aggs - 1) * m_aggsPerPod + coresPerAgg;
    HPCC_REFUSE_IF(degraded > most,
                   "--failed: " + std::to_string(degraded) + " is above " + std::to_string(most) +
                       ", all that can be degraded");
    HpccTopology topology;
    for (uint32_t node = 0; node < m_nodes + tors + aggs + m_cores; ++node)
    {
        topology.AddNode(node >= m_nodes);
    }
    // End a is the lower end of the link, so rateBack is the rate of the downward direction.
    auto add = [&topology](HpccTopology::Link link, uint32_t below, uint32_t above, uint32_t n) {
        link.a = below;
        link.b = above;
        for (uint32_t i = 0; i < n; ++i)
        {
            topology.AddLink(link);
        }
    };
    std::set<uint64_t> whole;
    for (uint32_t tier = 0; tier < m_tiers; ++tier)
    {
        whole.insert(m_tier[tier].downlinkBps);
    }
    // Marking thresholds are selected by the rate of a port, and degraded links need other
    // thresholds than undegraded links. Therefore no degraded link may have the rate of an
    // undegraded link. If it would, its rate is reduced by 1 bit/s.
    auto degrade = [&whole](DataRate rate) {
        const auto bps =
            static_cast<uint64_t>(static_cast<double>(rate.GetBitRate()) * DEGRADED_SHARE);
        return DataRate(bps - whole.count(bps));
    };
    for (uint32_t host = 0; host < m_nodes; ++host)
    {
        add(LinkBelow(0), host, m_nodes + host / m_tier[0].radixDown, 1);
    }
    for (uint32_t tor = 0; tor < tors; ++tor)
    {
        for (uint32_t i = 0; i < m_aggsPerPod; ++i)
        {
            HpccTopology::Link link = LinkBelow(1);
            link.rate = m_tiers == 2 && i < degraded ? degrade(link.rate) : link.rate;
            const uint32_t agg = tor / m_torsPerPod * m_aggsPerPod + i;
            add(link, m_nodes + tor, m_nodes + tors + agg, m_tier[1].bundle);
        }
    }
    for (uint32_t agg = 0; agg < aggs; ++agg)
    {
        for (uint32_t i = 0; i < coresPerAgg; ++i)
        {
            HpccTopology::Link link = LinkBelow(2);
            if (i + agg * m_aggsPerPod < degraded)
            {
                link.rateBack = degrade(link.rate);
            }
            const uint32_t core = agg % m_aggsPerPod + m_aggsPerPod * i;
            add(link, m_nodes + tors + agg, m_nodes + tors + aggs + core, m_tier[2].bundle);
        }
    }
    return topology;
}

} // namespace ns3
