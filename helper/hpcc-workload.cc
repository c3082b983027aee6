/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-workload.h"

#include "hpcc-csv-file.h"

#include "ns3/random-variable-stream.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <vector>

namespace ns3
{

namespace
{

void
CheckLoad(const std::string& option, double load)
{
    HPCC_REFUSE_IF(!(load > 0 && load <= 1),
                   option + ": " + std::to_string(load) + " is not above 0 and at most 1");
}

void
CheckDuration(Time duration)
{
    HPCC_REFUSE_IF(!duration.IsStrictlyPositive(), "--duration: 0 is not allowed; at least 1 ns");
}

/// The links of a host.
struct HostLink
{
    uint32_t host;     ///< number of the host
    uint32_t rack;     ///< switch at the other end of the first link
    uint64_t rateBps;  ///< total rate of the links of the host, bit/s
    double offeredBps; ///< rate of the payload at load 1, bit/s
};

/// Returns for each link whether it is part of a network that reaches all hosts, unlike links
/// inside servers.
std::vector<bool>
LeadToAllHosts(const HpccTopology& topology)
{
    const auto& links = topology.GetLinks();
    if (topology.GetMostPorts() == 1)
    {
        return std::vector<bool>(links.size(), true);
    }
    // Links that share a switch are connected.
    std::vector<size_t> root(links.size());
    std::iota(root.begin(), root.end(), 0);
    auto find = [&root](size_t link) {
        while (root[link] != link)
        {
            link = root[link] = root[root[link]];
        }
        return link;
    };
    std::map<uint32_t, size_t> linkOf; // first link of each switch
    for (size_t i = 0; i < links.size(); ++i)
    {
        for (uint32_t node : {links[i].a, links[i].b})
        {
            if (topology.IsSwitch(node))
            {
                root[find(i)] = find(linkOf.try_emplace(node, i).first->second);
            }
        }
    }
    std::map<size_t, std::set<uint32_t>> reached;
    for (size_t i = 0; i < links.size(); ++i)
    {
        for (uint32_t node : {links[i].a, links[i].b})
        {
            if (!topology.IsSwitch(node))
            {
                reached[find(i)].insert(node);
            }
        }
    }
    std::vector<bool> lead;
    const size_t hosts = topology.GetHosts().size();
    for (size_t i = 0; i < links.size(); ++i)
    {
        lead.push_back(reached[find(i)].size() == hosts);
    }
    return lead;
}

/// Returns the hosts in ascending order, each with the total rate of those of its links that lead
/// to all hosts. If a host has no such link, its rate is that of all its links. At load 1, the
/// traffic fills these links, unless some traffic has a shorter path over other links.
std::vector<HostLink>
HostLinks(const HpccTopology& topology)
{
    std::vector<HostLink> links;
    const auto lead = LeadToAllHosts(topology);
    std::vector<bool> leads(topology.GetNodes(), false); // by host: true if one of its links leads
                                                         // to all hosts
    for (size_t i = 0; i < lead.size(); ++i)
    {
        for (uint32_t node : {topology.GetLinks()[i].a, topology.GetLinks()[i].b})
        {
            leads[node] = leads[node] || lead[i];
        }
    }
    for (size_t i = 0; i < lead.size(); ++i)
    {
        const auto& link = topology.GetLinks()[i];
        for (auto [host, rack] : {std::pair(link.a, link.b), std::pair(link.b, link.a)})
        {
            if (!topology.IsSwitch(host) && (lead[i] || !leads[host]))
            {
                const DataRate sends = host == link.a ? link.rate : link.GetRateBack();
                const uint64_t rate = sends.GetBitRate();
                links.push_back({host, rack, rate, static_cast<double>(rate)});
            }
        }
    }
    std::stable_sort(links.begin(), links.end(), [](const HostLink& a, const HostLink& b) {
        return a.host < b.host;
    });
    std::vector<HostLink> hosts;
    for (const auto& link : links)
    {
        if (hosts.empty() || hosts.back().host != link.host)
        {
            hosts.push_back(link);
            continue;
        }
        hosts.back().rateBps += link.rateBps;
        hosts.back().offeredBps += link.offeredBps;
    }
    return hosts;
}

/// By default, load 1 fills the hosts' links. This function scales the payload so that load 1 fills
/// the racks' links to other switches instead. It refuses a load that exceeds the capacity of the
/// hosts' links.
void
ScaleToUplinks(const HpccTopology& topology, double load, std::vector<HostLink>& hosts)
{
    HPCC_REFUSE_IF(topology.GetMostPorts() > 1,
                   "--load-on: hosts with several ports have several switches; allowed is hosts, "
                   "the load on the links of hosts");
    std::map<uint32_t, double> uplinksBps;
    std::map<uint32_t, double> hostsBps;
    std::map<uint32_t, uint32_t> hostsOf;
    for (const auto& host : hosts)
    {
        hostsBps[host.rack] += static_cast<double>(host.rateBps);
        ++hostsOf[host.rack];
    }
    for (const auto& link : topology.GetLinks())
    {
        for (auto [node, other] : {std::pair(link.a, link.b), std::pair(link.b, link.a)})
        {
            if (hostsOf.count(node) && topology.IsSwitch(other))
            {
                const DataRate sends = node == link.a ? link.rate : link.GetRateBack();
                uplinksBps[node] += static_cast<double>(sends.GetBitRate());
            }
        }
    }
    for (auto& host : hosts)
    {
        double leaves = static_cast<double>(hosts.size() - hostsOf[host.rack]) /
                        static_cast<double>(hosts.size() - 1);
        HPCC_REFUSE_IF(leaves == 0 || uplinksBps[host.rack] == 0,
                       "--load-on: switch " + std::to_string(host.rack) +
                           " has hosts, but no links to other switches that lead to hosts");
        host.offeredBps *= uplinksBps[host.rack] / hostsBps[host.rack] / leaves;
    }
    // A load that exactly fills the links of a host must not be refused because of rounding errors.
    constexpr double margin = 1 + 1e-9;
    double most = 1;
    const HostLink* slowest = nullptr;
    for (const auto& host : hosts)
    {
        const double fills = static_cast<double>(host.rateBps) / host.offeredBps;
        if (fills < most)
        {
            most = fills;
            slowest = &host;
        }
    }
    HPCC_REFUSE_IF(slowest && load > most * margin,
                   "--load: at " + FormatFixed(load, 4) + " of the uplinks of switch " +
                       std::to_string(slowest->rack) + ", host " + std::to_string(slowest->host) +
                       " would send " + FormatGbps(load * slowest->offeredBps) + " Gb/s over " +
                       FormatGbps(static_cast<double>(slowest->rateBps)) +
                       " Gb/s; allowed is at most " + FormatFixed(std::floor(most * 1e4) / 1e4, 4));
}

} // namespace

void
HpccPoissonTraffic::AddTo(HpccFlowTrace& trace,
                          const HpccTopology& topology,
                          const HpccFlowSizes& sizes,
                          int64_t stream) const
{
    CheckLoad("--load", load);
    CheckDuration(duration);
    auto hosts = HostLinks(topology);
    if (loadBase == TOR_UPLINKS)
    {
        ScaleToUplinks(topology, load, hosts);
    }
    auto gap = CreateObject<ExponentialRandomVariable>();
    auto choice = CreateObject<UniformRandomVariable>();
    for (size_t i = 0; i < hosts.size(); ++i)
    {
        gap->SetStream(stream++);
        choice->SetStream(stream++);
        double meanGapNs = sizes.GetMeanBytes() * 8e9 / (load * hosts[i].offeredBps);
        double atNs = gap->GetValue(meanGapNs, 0);
        for (; atNs < static_cast<double>(duration.GetNanoSeconds());
             atNs += gap->GetValue(meanGapNs, 0))
        {
            auto step = choice->GetInteger(1, static_cast<uint32_t>(hosts.size() - 1));
            trace.Add({hosts[i].host,
                       hosts[(i + step) % hosts.size()].host,
                       sizes.GetBytes(choice->GetValue(0, 1)),
                       static_cast<int64_t>(atNs),
                       0,
                       0},
                      HpccFlowClass::BACKGROUND);
        }
    }
}

double
HpccRecurringIncast::GetMeanGapNs(const HpccTopology& topology) const
{
    double capacityBps = 0;
    for (const auto& host : HostLinks(topology))
    {
        capacityBps += static_cast<double>(host.rateBps);
    }
    return static_cast<double>(senders) * static_cast<double>(bytes) * 8e9 / (load * capacityBps);
}

void
HpccRecurringIncast::AddTo(HpccFlowTrace& trace, const HpccTopology& topology, int64_t stream) const
{
    CheckLoad("--incast-load", load);
    CheckDuration(duration);
    auto hosts = topology.GetHosts();
    auto count = static_cast<uint32_t>(hosts.size());
    HPCC_REFUSE_IF(senders < 1 || senders >= count,
                   "--incast: " + std::to_string(senders) + " senders; in a topology of " +
                       std::to_string(count) + " hosts 1 to " + std::to_string(count - 1) +
                       " are possible");
    RequireRange("--incast-bytes", bytes, 1, HpccFlowPlan::MAX_BYTES);
    auto gap = CreateObject<ExponentialRandomVariable>();
    auto choice = CreateObject<UniformRandomVariable>();
    gap->SetStream(stream);
    choice->SetStream(stream + 1);
    double meanGapNs = GetMeanGapNs(topology);
    double atNs = gap->GetValue(meanGapNs, 0);
    for (; atNs < static_cast<double>(duration.GetNanoSeconds());
         atNs += gap->GetValue(meanGapNs, 0))
    {
        // The receiver and the senders are the first hosts of a random permutation.
        for (uint32_t i = 0; i <= senders; ++i)
        {
            std::swap(hosts[i], hosts[choice->GetInteger(i, count - 1)]);
        }
        for (uint32_t i = 1; i <= senders; ++i)
        {
            trace.Add({hosts[i], hosts[0], bytes, static_cast<int64_t>(atNs), 0, 0},
                      HpccFlowClass::INCAST);
        }
    }
}

} // namespace ns3
