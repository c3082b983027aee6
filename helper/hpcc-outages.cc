/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-outages.h"

#include "hpcc-csv-file.h"
#include "hpcc-fabric-helper.h"
#include "hpcc-word-reader.h"

#include "ns3/rdma-host.h"
#include "ns3/rdma-queue-pair.h"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

/**
 * Returns a lower bound of a flow's completion time, ns. It holds for any transport, because it
 * contains only the propagation delay and the transmission time of the payload on the slowest link
 * of the path.
 * @param fabric the network
 * @param flow the flow
 */
int64_t
LeastNs(const HpccFabricHelper& fabric, const HpccFlowPlan& flow)
{
    const auto path = fabric.GetPath(flow.source, flow.destination);
    return path.propagationNs + static_cast<int64_t>(static_cast<double>(flow.bytes) * 8e9 /
                                                     static_cast<double>(path.bottleneckBps));
}

/**
 * Returns the parts of a text before and after its first dash.
 * @param text two parts separated by the first dash
 */
std::pair<std::string, std::string>
Split(const std::string& text)
{
    auto dash = text.find('-');
    return {text.substr(0, dash), dash == std::string::npos ? "" : text.substr(dash + 1)};
}

/**
 * Reads the number of a node.
 * @param text text to read
 * @param node set to the number
 * @return true if the text is a node number
 */
bool
ReadNode(const std::string& text, uint32_t& node)
{
    std::istringstream in(text);
    return text.find_first_not_of("0123456789") == std::string::npos && in >> node;
}

} // namespace

HpccOutages::HpccOutages(const std::string& text)
{
    for (const std::string& item : SplitAt(text, ','))
    {
        Outage outage{item, 0, ALL, ALL, Time(0), Time(0)};
        auto at = item.find('@');
        const std::string links = item.substr(0, at);
        const auto mark = links.find('#');
        auto [a, b] = Split(links.substr(0, mark));
        auto [down, up] = Split(at == std::string::npos ? "" : item.substr(at + 1));
        bool forGood = at == std::string::npos || item.find('-', at) == std::string::npos;
        const bool whole = links.find('-') == std::string::npos;
        const bool one = mark != std::string::npos;
        HPCC_REFUSE_IF(!ReadNode(a, outage.a) || (!whole && !ReadNode(b, outage.b)) ||
                           (one && (whole || !ReadNode(links.substr(mark + 1), outage.number))) ||
                           !ReadTime(down, outage.down) || !outage.down.IsStrictlyPositive() ||
                           (!forGood && (!ReadTime(up, outage.up) || outage.up <= outage.down)),
                       "--fail: \"" + item +
                           "\" is not NODE-NODE@DOWN or NODE-NODE@DOWN-UP with times above 0 "
                           "in whole ns, UP after DOWN, such as 0-4@100us-1ms; "
                           "NODE-NODE#NUMBER and NODE are allowed, too");
        m_outages.push_back(outage);
    }
}

std::vector<uint32_t>
HpccOutages::LinksOf(const Outage& outage, const HpccTopology& topology)
{
    if (outage.b == ALL)
    {
        std::vector<uint32_t> links;
        for (uint32_t i = 0; i < topology.GetLinks().size(); ++i)
        {
            const auto& link = topology.GetLinks()[i];
            if (link.a == outage.a || link.b == outage.a)
            {
                links.push_back(i);
            }
        }
        HPCC_REFUSE_IF(links.empty(),
                       "--fail: \"" + outage.text + "\": node " + std::to_string(outage.a) +
                           " has no links");
        return links;
    }
    auto links = topology.FindLinks(outage.a, outage.b);
    HPCC_REFUSE_IF(
        links.empty() || (outage.number != ALL && outage.number >= links.size()),
        "--fail: \"" + outage.text + "\": " +
            (links.empty() ? "no link joins"
                           : std::to_string(links.size()) + " links, counted from 0, join") +
            " node " + std::to_string(outage.a) + " and node " + std::to_string(outage.b));
    return outage.number == ALL ? links : std::vector{links[outage.number]};
}

void
HpccOutages::Schedule(const HpccTopology& topology, HpccFabricHelper& fabric) const
{
    for (const auto& outage : m_outages)
    {
        const auto links = LinksOf(outage, topology);
        for (uint32_t link : links)
        {
            fabric.ScheduleLinkDown(link, outage.down);
            if (!outage.up.IsZero())
            {
                fabric.ScheduleLinkUp(link, outage.up);
            }
        }
    }
}

void
HpccOutages::CheckBegins(Time stop) const
{
    for (const auto& outage : m_outages)
    {
        HPCC_REFUSE_IF(outage.down >= stop,
                       "--fail: \"" + outage.text + "\" begins at " +
                           FormatUs(outage.down.GetNanoSeconds()) + " us, but the run ends at " +
                           FormatUs(stop.GetNanoSeconds()) +
                           " us at the latest; allowed is an earlier failure");
    }
}

void
HpccOutages::Print(const std::string& run, int64_t endNs) const
{
    std::string missed;
    for (const auto& outage : m_outages)
    {
        missed +=
            outage.down.GetNanoSeconds() >= endNs ? (missed.empty() ? "" : ",") + outage.text : "";
    }
    if (!missed.empty())
    {
        std::cerr << run << ": warning: the run ended at " << FormatUs(endNs)
                  << " us, before --fail " << missed << std::endl;
    }
}

std::string
HpccOutages::NameLasting() const
{
    std::string lasting;
    for (const auto& outage : m_outages)
    {
        lasting += outage.up.IsZero() ? (lasting.empty() ? "" : ",") + outage.text : "";
    }
    return lasting;
}

bool
HpccOutages::KeepsLink(uint32_t host, uint32_t port, const HpccTopology& topology) const
{
    std::set<uint32_t> lost;
    for (const auto& outage : m_outages)
    {
        if (outage.up.IsZero())
        {
            const auto links = LinksOf(outage, topology);
            lost.insert(links.begin(), links.end());
        }
    }
    const auto& links = topology.GetLinks();
    uint32_t own = 0; // number of links of the host that the loop has passed, which is the index of
                      // the host's next port
    for (uint32_t i = 0; i < links.size(); ++i)
    {
        if (links[i].a == host || links[i].b == host)
        {
            if ((port == ANY || port == own) && lost.count(i) == 0)
            {
                return true;
            }
            ++own;
        }
    }
    return false;
}

void
HpccOutages::PrintLost(const std::string& run,
                       const HpccMonitor& monitor,
                       const std::vector<int64_t>& cutOffsNs,
                       int64_t endNs) const
{
    constexpr uint32_t named = 10;
    std::string names;
    uint32_t lost = 0;
    for (size_t i = 0; i < cutOffsNs.size(); ++i)
    {
        if (cutOffsNs[i] <= endNs && monitor.GetResults()[i].endNs < 0 && ++lost <= named)
        {
            names += " " + std::to_string(i);
        }
    }
    if (lost > 0)
    {
        std::cerr << run << ": warning: --fail " << NameLasting() << " leaves no path for "
                  << (lost == 1 ? "an unfinished flow:" : "unfinished flows:") << names;
        if (lost > named)
        {
            std::cerr << " and " << lost - named << " more";
        }
        std::cerr << "; the run ended at " << FormatUs(endNs) << " us" << std::endl;
    }
}

HpccOutages::Ports
HpccOutages::PortsOf(const HpccFabricHelper& fabric, const HpccFlowPlan& flow, const Run& run)
{
    if (!run.queuePairs || run.movesPorts)
    {
        return {ANY, ANY};
    }
    const RdmaQueuePair& qp = fabric.GetHost(flow.source)->GetQueuePair(flow.queuePair);
    Ports ports{qp.port, 0};
    while (HpccFabricHelper::GetAddress(flow.destination, ports.destination) != qp.peer)
    {
        ++ports.destination;
    }
    return ports;
}

int64_t
HpccOutages::CutOffNs(const HpccFabricHelper& fabric,
                      const HpccFlowPlan& flow,
                      const Ports& ports,
                      CutOffs& known)
{
    const bool any = ports.destination == ANY;
    const uint32_t end = any ? fabric.GetPorts(flow.destination) : ports.destination + 1;
    int64_t lastNs = 0;
    for (uint32_t port = any ? 0 : ports.destination; port < end; ++port)
    {
        const auto [found, isNew] = known.try_emplace(port);
        if (isNew)
        {
            found->second = fabric.FindCutOffsNs(flow.destination, port);
        }
        const std::vector<int64_t>& byPort = found->second[flow.source];
        lastNs = std::max(lastNs,
                          ports.source == ANY ? *std::max_element(byPort.begin(), byPort.end())
                                              : byPort[ports.source]);
    }
    return lastNs;
}

std::vector<int64_t>
HpccOutages::CheckFlows(const HpccFabricHelper& fabric,
                        const std::vector<HpccFlowPlan>& flows,
                        const Run& run) const
{
    const std::string lasting = NameLasting();
    std::vector<int64_t> flowCutOffsNs(lasting.empty() ? 0 : flows.size(), INT64_MAX);
    std::vector<size_t> order(flowCutOffsNs.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&flows](size_t i, size_t j) {
        return flows[i].destination < flows[j].destination;
    });
    CutOffs known;
    uint32_t destination = ALL;
    for (size_t i : order)
    {
        if (std::exchange(destination, flows[i].destination) != flows[i].destination)
        {
            known.clear();
        }
        if (flows[i].startNs != HpccFlowPlan::NOT_PLANNED)
        {
            flowCutOffsNs[i] = CutOffNs(fabric, flows[i], PortsOf(fabric, flows[i], run), known);
        }
    }
    for (size_t i = 0; i < flowCutOffsNs.size(); ++i)
    {
        const HpccFlowPlan& flow = flows[i];
        const int64_t atNs = flowCutOffsNs[i];
        if (atNs == INT64_MAX)
        {
            continue;
        }
        const Ports ports = PortsOf(fabric, flow, run);
        const int64_t leastNs = run.queuePairs ? flow.GetIdealNs(fabric) : LeastNs(fabric, flow);
        if (flow.startNs + leastNs <= atNs ||
            !KeepsLink(flow.source, ports.source, fabric.GetTopology()))
        {
            continue;
        }
        const bool named = ports.source != ANY && (fabric.GetPorts(flow.source) > 1 ||
                                                   fabric.GetPorts(flow.destination) > 1);
        const auto name = [named](uint32_t host, uint32_t port) {
            return (named ? "port " + std::to_string(port) + " of " : "") + "host " +
                   std::to_string(host);
        };
        throw HpccInputError(
            "--fail: \"" + lasting + "\" leaves no path from " + name(flow.source, ports.source) +
            " to " + name(flow.destination, ports.destination) + " from " + FormatUs(atNs) +
            " us on, so that flow " + std::to_string(i) +
            " never ends; give the time at which the link recovers" +
            (named ? ", or --ports=...+move" : "") + (run.stop ? ", or --stop" : ""));
    }
    return flowCutOffsNs;
}

HpccBorders::HpccBorders(const std::string& text)
{
    for (const std::string& item : SplitAt(text, ','))
    {
        const auto [inside, outside] = Split(item);
        std::pair<uint32_t, uint32_t> link;
        HPCC_REFUSE_IF(!ReadNode(inside, link.first) || !ReadNode(outside, link.second),
                       "--borders: \"" + item + "\" is not SWITCH-NODE, two numbers such as 17-16");
        HPCC_REFUSE_IF(std::find(m_links.begin(), m_links.end(), link) != m_links.end(),
                       "--borders: \"" + item + "\" is given twice");
        m_links.push_back(link);
    }
}

void
HpccBorders::AddTo(HpccFabricHelper& fabric) const
{
    for (const auto& [inside, outside] : m_links)
    {
        fabric.AddTelemetryBorder(inside, outside);
    }
}

void
HpccBorders::CheckFlows(const HpccFabricHelper& fabric,
                        const std::vector<HpccFlowPlan>& flows) const
{
    std::set<std::pair<uint32_t, uint32_t>> ways; // pairs of the destination and the source of
                                                  // data, of all flows
    for (size_t i = 0; i < flows.size() && !m_links.empty(); ++i)
    {
        const HpccFlowPlan& flow = flows[i];
        ways.emplace(flow.destination, flow.source);
        if (flow.verb == RdmaVerb::READ)
        {
            ways.emplace(flow.source, flow.destination);
        }
    }
    for (const auto& [inside, outside] : m_links)
    {
        bool crossed = ways.empty();
        std::vector<bool> users;
        for (auto way = ways.begin(); way != ways.end() && !crossed; ++way)
        {
            if (way == ways.begin() || std::prev(way)->first != way->first)
            {
                users = fabric.FindUsers(inside, outside, way->first);
            }
            crossed = users[way->second];
        }
        if (!crossed)
        {
            const std::string link = std::to_string(inside) + "-" + std::to_string(outside);
            throw HpccInputError("--borders=" + link +
                                 " has no effect: no flow sends from switch " +
                                 std::to_string(inside) + " to node " + std::to_string(outside) +
                                 "; flow 0 goes from host " + std::to_string(flows.front().source) +
                                 " to host " + std::to_string(flows.front().destination) +
                                 "; allowed are links on the paths of flows");
        }
    }
}

} // namespace ns3
