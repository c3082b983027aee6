/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-fabric-checks.h"
#include "hpcc-fabric-ways.h"

#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-csv-file.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/pointer.h"
#include "ns3/rdma-entropy.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>

// The part of HpccFabricHelper that binds queue pairs to the ports of hosts. It also finds the path
// and the links between the ports of two hosts, and the hosts that use a link or that a failure
// cuts off.

namespace ns3
{

void
HpccFabricHelper::SetPorts(const std::string& name)
{
    const std::string suffix = "+move";
    const size_t plus = name.find('+');
    const std::string how = name.substr(0, plus);
    const bool number = !how.empty() && how.size() <= 2 &&
                        how.find_first_not_of("0123456789") == std::string::npos &&
                        std::stoul(how) < HpccTopology::MAX_PORTS;
    const bool known = how == "hash" || how == "turns" || how == "first";
    HPCC_REFUSE_IF((!number && !known) ||
                       (plus != std::string::npos && name.substr(plus) != suffix),
                   DescribeUnknown("--ports: unknown",
                                   name,
                                   {"hash",
                                    "turns",
                                    "first",
                                    "0 to 63",
                                    "hash+move",
                                    "turns+move",
                                    "first+move",
                                    "0+move to 63+move"}));
    m_network->portsSetLate = number && m_network->nodes.GetN() > 0;
    m_network->ports = how;
    m_network->movesPorts = plus != std::string::npos;
}

HpccFabricHelper::Ways::Way
HpccFabricHelper::Ways::WayBy(const Tree& tree,
                              const Edge& edge,
                              const std::vector<bool>& down) const
{
    if (down[edge.link] || !LeadsTo(tree, edge))
    {
        return {UINT32_MAX, 0, 0};
    }
    Ptr<RdmaHost> host = m_fabric.GetHost(m_network.topology.GetHosts().front());
    return {tree.distance[edge.neighbour] + 1,
            tree.roundTrip[edge.neighbour] + 2.0 * static_cast<double>(edge.delayNs) +
                TransmissionNs(edge.rateBps,
                               host->DataFrameBytes(host->GetMtu(), ROCE_WRITE_MIDDLE, nullptr)) +
                TransmissionNs(edge.backBps, host->AckFrameBytes(nullptr, 0)),
            0};
}

const HpccFabricHelper::Ways::Tree&
HpccFabricHelper::Ways::TreeTo(uint32_t destination,
                               uint32_t port,
                               size_t state,
                               const std::vector<bool>& down) const
{
    const std::pair key(state, GetAddress(destination, port));
    auto tree = m_network.trees.find(key);
    if (tree == m_network.trees.end())
    {
        tree = m_network.trees.emplace(key, WaysTo(destination, port, down)).first;
    }
    return tree->second;
}

std::vector<HpccFabricHelper::Ways::Way>
HpccFabricHelper::Ways::WaysBetween(uint32_t source,
                                    uint32_t destination,
                                    size_t state,
                                    const std::vector<bool>& down) const
{
    std::vector<Way> ways;
    for (const auto& mine : m_network.edges[source])
    {
        Way best{UINT32_MAX, 0, 0};
        for (const auto& theirs : m_network.edges[destination])
        {
            Way way = WayBy(TreeTo(destination, theirs.port, state, down), mine, down);
            way.destination = theirs.port;
            const auto rank = [&mine](const Way& one) {
                return std::tuple(one.hops, one.roundTrip, one.destination != mine.port);
            };
            best = rank(way) < rank(best) ? way : best;
        }
        ways.push_back(best);
    }
    return ways;
}

std::vector<HpccFabricHelper::Ways::Way>
HpccFabricHelper::Ways::WaysBetween(uint32_t source, uint32_t destination) const
{
    return WaysBetween(source,
                       destination,
                       WHOLE,
                       std::vector<bool>(m_network.topology.GetLinks().size(), false));
}

std::vector<HpccFabricHelper::PortPair>
HpccFabricHelper::Ways::Closest(const std::vector<Way>& ways)
{
    std::vector<PortPair> pairs;
    Way best{UINT32_MAX, 0, 0};
    for (uint32_t port = 0; port < ways.size(); ++port)
    {
        const Way& way = ways[port];
        const std::pair mine(way.hops, way.roundTrip);
        const std::pair theirs(best.hops, best.roundTrip);
        if (mine < theirs)
        {
            pairs.clear();
            best = way;
        }
        if (way.hops != UINT32_MAX && mine <= theirs)
        {
            pairs.push_back({port, way.destination});
        }
    }
    return pairs;
}

std::vector<HpccFabricHelper::PortPair>
HpccFabricHelper::GetClosestPorts(uint32_t source, uint32_t destination) const
{
    m_network->RequireTwoHosts("GetClosestPorts", source, destination);
    if (m_network->edges[source].size() <= 1 && m_network->edges[destination].size() <= 1)
    {
        return {PortPair{0, 0}};
    }
    const auto ways = Ways(*this).WaysBetween(source, destination);
    const auto port = m_network->GetFixedPort();
    if (port && *port < ways.size() && ways[*port].hops != UINT32_MAX)
    {
        return {PortPair{*port, ways[*port].destination}};
    }
    auto pairs = Ways(*this).Closest(ways);
    if (m_network->ports == "first")
    {
        pairs.resize(std::min<size_t>(pairs.size(), 1));
    }
    return pairs;
}

bool
HpccFabricHelper::HasPortChoice(uint32_t source, uint32_t destination) const
{
    m_network->RequireTwoHosts("HasPortChoice", source, destination);
    const Ways ways(*this);
    const bool several =
        m_network->edges[source].size() > 1 || m_network->edges[destination].size() > 1;
    return several && ways.Closest(ways.WaysBetween(source, destination)).size() > 1;
}

std::vector<HpccFabricHelper::Stage>
HpccFabricHelper::GetStages(uint32_t source, uint32_t destination) const
{
    m_network->RequireTwoHosts("GetStages", source, destination);
    return Ways(*this).StagesOf(source, destination, GetClosestPorts(source, destination));
}

std::vector<HpccFabricHelper::Stage>
HpccFabricHelper::Ways::StagesOf(uint32_t source,
                                 uint32_t destination,
                                 const std::vector<PortPair>& pairs) const
{
    // Each pair consists of a node at which a link of the stage begins, and an address of the
    // destination.
    std::set<std::pair<uint32_t, uint32_t>> at;
    std::map<uint32_t, std::set<uint16_t>> first;
    for (const auto& ports : pairs)
    {
        const uint32_t address = GetAddress(destination, ports.destination);
        at.insert({source, address});
        first[address].insert(static_cast<uint16_t>(ports.source));
    }
    std::vector<Stage> stages;
    while (!at.empty())
    {
        std::set<std::pair<uint32_t, uint16_t>> links;
        std::set<std::pair<uint32_t, uint32_t>> next;
        for (const auto& [node, address] : at)
        {
            const std::vector<uint16_t> own(first[address].begin(), first[address].end());
            for (uint16_t port : PortsOr(own, source, node, address))
            {
                links.insert({node, port});
                if (m_network.edges[node][port].neighbour != destination)
                {
                    next.insert({m_network.edges[node][port].neighbour, address});
                }
            }
        }
        Stage stage{{links.begin(), links.end()}, 0};
        for (const auto& [node, port] : links)
        {
            stage.rateBps += m_network.edges[node][port].rateBps;
        }
        stages.push_back(std::move(stage));
        at = std::move(next);
    }
    return stages;
}

uint32_t
HpccFabricHelper::Ways::CountPaths(uint32_t source) const
{
    if (m_network.GetMultipath() != Multipath::EVERY_PACKET)
    {
        return 1;
    }
    if (!m_network.entropyFactory.IsTypeIdSet())
    {
        return UINT32_MAX;
    }
    PointerValue entropy; // a program may have replaced the entropy object that entropyFactory has
                          // made
    m_fabric.GetHost(source)->GetAttribute("Entropy", entropy);
    const auto own = entropy.Get<RdmaEntropy>();
    return own ? own->GetValues() : 1;
}

std::pair<uint64_t, uint64_t>
HpccFabricHelper::Ways::StageRates(const Stage& stage, uint32_t paths) const
{
    std::vector<std::pair<uint64_t, uint64_t>> rates;
    for (const auto& [node, port] : stage.links)
    {
        const Edge& edge = m_network.edges[node][port];
        rates.emplace_back(edge.rateBps, edge.backBps);
    }
    std::sort(rates.rbegin(), rates.rend());
    rates.resize(std::min<size_t>(rates.size(), paths));
    std::pair<uint64_t, uint64_t> sum{0, 0};
    for (const auto& [bps, backBps] : rates)
    {
        sum.first += bps;
        sum.second += backBps;
    }
    return sum;
}

uint64_t
HpccFabricHelper::GetFlowRateBps(uint32_t source, uint32_t destination) const
{
    m_network->RequireTwoHosts("GetFlowRateBps", source, destination);
    const Ways ways(*this);
    const auto pairs = GetClosestPorts(source, destination);
    uint64_t most = 0;
    const uint32_t paths = ways.CountPaths(source);
    if (paths > 1)
    {
        for (const PortPair& pair : pairs)
        {
            uint64_t least = UINT64_MAX;
            for (const Stage& stage : ways.StagesOf(source, destination, {pair}))
            {
                least = std::min(least, ways.StageRates(stage, paths).first);
            }
            most = std::max(most, least);
        }
        return most;
    }
    for (const auto& route : ways.Routes(source, destination, pairs))
    {
        most = std::max(most, *std::min_element(route.first.begin(), route.first.end()));
    }
    return most;
}

HpccFabricHelper::PathTimes
HpccFabricHelper::Ways::FollowPath(uint32_t source,
                                   uint32_t destination,
                                   const PortPair& ports,
                                   bool listRates) const
{
    auto& [dataBits, ackBits] = m_network.linkBits[source];
    if (dataBits == 0)
    {
        const Ptr<RdmaHost> host = m_fabric.GetHost(source);
        dataBits = LinkBits(host->DataFrameBytes(host->GetMtu(), ROCE_WRITE_MIDDLE, nullptr));
        ackBits = LinkBits(host->AckFrameBytes(nullptr, 0));
    }
    const uint32_t address = GetAddress(destination, ports.destination);
    PathTimes path{0, 0, std::numeric_limits<uint64_t>::max(), 0, {}, false};
    path.rates.reserve(listRates ? m_network.longestPath + 1 : 0);
    const auto roundTripOf = [data = dataBits, ack = ackBits](const Edge& edge) {
        return 2.0 * static_cast<double>(edge.delayNs) + data / static_cast<double>(edge.rateBps) +
               ack / static_cast<double>(edge.backBps);
    };
    double roundTrip = 0;
    for (uint32_t node = source; node != destination;)
    {
        const Edge* edge = &m_network.edges[node][node == source ? ports.source : 0];
        if (m_network.topology.IsSwitch(node))
        {
            const auto next = WholeRoute(node, address);
            HPCC_REFUSE_IF(next.count == 0,
                           "node " + std::to_string(node) + " has no route from node " +
                               std::to_string(source) + " to node " + std::to_string(destination) +
                               ", port " + std::to_string(ports.destination) +
                               "; allowed are hosts and ports that links join");
            edge = &m_network.edges[node][*next.begin()];
            path.choice = path.choice || next.count > 1;
        }
        path.propagationNs += edge->delayNs;
        path.bottleneckBps = std::min(path.bottleneckBps, edge->rateBps);
        if (listRates)
        {
            path.rates.push_back(edge->rateBps);
        }
        roundTrip += roundTripOf(*edge);
        ++path.hops;
        node = edge->neighbour;
    }
    if (path.choice && !m_network.even)
    {
        std::map<uint32_t, double> largest{{source, 0}}; // largest base RTT by node, after i hops
        for (uint32_t i = 0; i < path.hops; ++i)
        {
            std::map<uint32_t, double> further;
            for (const auto& [node, before] : largest)
            {
                const std::vector<uint16_t> own{static_cast<uint16_t>(ports.source)};
                for (const uint16_t port : PortsOr(own, source, node, address))
                {
                    const auto& edge = m_network.edges[node][port];
                    double& ns = further[edge.neighbour];
                    ns = std::max(ns, before + roundTripOf(edge));
                }
            }
            largest = std::move(further);
        }
        roundTrip = largest.at(destination);
    }
    path.baseRttNs = static_cast<int64_t>(std::ceil(roundTrip));
    return path;
}

HpccFabricHelper::PortPair
HpccFabricHelper::Ways::ChoosePorts(uint32_t source, uint32_t destination, uint32_t turn) const
{
    const auto ports = static_cast<uint32_t>(m_network.edges[source].size());
    if (const auto fixed = m_network.GetFixedPort())
    {
        const uint32_t wanted = *fixed;
        const auto ways = wanted < ports ? WaysBetween(source, destination) : std::vector<Way>();
        HPCC_REFUSE_IF(ways.empty() || ways[wanted].hops == UINT32_MAX,
                       "--ports " + m_network.ports + ": flow " + std::to_string(source) + " -> " +
                           std::to_string(destination) + ": host " + std::to_string(source) +
                           (ways.empty()
                                ? " has " + std::to_string(ports) + " ports, counted from 0"
                                : " does not reach that host by this port"));
        return {wanted, ways[wanted].destination};
    }
    if (ports == 1 && m_network.edges[destination].size() == 1)
    {
        return {0, 0}; // there is only one pair of ports; saves the allocation of a vector
    }
    const auto pairs = m_fabric.GetClosestPorts(source, destination);
    return pairs[turn % pairs.size()];
}

std::vector<HpccFabricHelper::Ways::PathSince>
HpccFabricHelper::Ways::SwitchesOverTime(uint32_t source,
                                         uint32_t destination,
                                         const PortPair& ports,
                                         uint32_t turn) const
{
    auto states = LinkStates();
    auto pairs = PortsLater(source, destination, ports, turn, states);
    states.insert(states.begin(),
                  {-1, std::vector<bool>(m_network.topology.GetLinks().size(), false)});
    pairs.insert(pairs.begin(), ports);
    std::vector<PathSince> paths;
    for (size_t i = 0; i < states.size(); ++i)
    {
        const auto& [atNs, down] = states[i];
        const auto& tree = TreeTo(destination, pairs[i].destination, i == 0 ? WHOLE : i - 1, down);
        paths.push_back({atNs, SwitchesOf(tree, m_network.edges[source][pairs[i].source], down)});
    }
    return paths;
}

std::vector<HpccFabricHelper::PortPair>
HpccFabricHelper::Ways::PortsLater(uint32_t source,
                                   uint32_t destination,
                                   const PortPair& bound,
                                   uint32_t turn,
                                   const std::vector<LinkState>& states) const
{
    std::vector<PortPair> later(states.size(), bound);
    for (size_t i = 0; m_network.movesPorts && i < states.size(); ++i)
    {
        const auto& down = states[i].down;
        const Tree& tree = TreeTo(destination, bound.destination, i, down);
        const Edge& own = m_network.edges[source][bound.source];
        const auto pairs = Closest(WaysBetween(source, destination, i, down));
        const bool usable = WayBy(tree, own, down).hops != UINT32_MAX;
        later[i] = usable || pairs.empty() ? bound : pairs[turn % pairs.size()];
    }
    return later;
}

void
HpccFabricHelper::Ways::CheckMoves(uint32_t source,
                                   uint32_t destination,
                                   const PortPair& bound,
                                   uint32_t turn,
                                   bool reads) const
{
    if (!m_network.movesPorts)
    {
        return;
    }
    const auto states = LinkStates();
    const auto later = PortsLater(source, destination, bound, turn, states);
    const int64_t nowNs = Simulator::Now().GetNanoSeconds();
    for (size_t i = 0; i < states.size(); ++i)
    {
        const PortPair& next = later[i];
        const bool last = i + 1 == states.size() || states[i + 1].atNs > nowNs;
        HPCC_REFUSE_IF(states[i].atNs <= nowNs && last && !(next == bound),
                       "ns3::HpccFabricHelper::Connect: flow " + std::to_string(source) + " -> " +
                           std::to_string(destination) + " at " + std::to_string(nowNs) +
                           " ns is later than " + std::to_string(states[i].atNs) +
                           " ns, when --ports " + m_network.ports +
                           "+move would have moved it after a failure; allowed is an earlier "
                           "Connect(), or one after the recovery of its path");
        CheckMove(source, destination, bound, next);
        if (reads)
        {
            CheckMove(destination,
                      source,
                      {bound.destination, bound.source},
                      {next.destination, next.source});
        }
    }
}

void
HpccFabricHelper::Ways::CheckMove(uint32_t source,
                                  uint32_t destination,
                                  const PortPair& bound,
                                  const PortPair& next) const
{
    if (next == bound)
    {
        return;
    }
    const PathTimes before = m_fabric.GetPath(source, destination, bound);
    const PathTimes after = m_fabric.GetPath(source, destination, next);
    const bool ofPath = m_network.perPathBaseRtt;
    if (before.rates.front() == after.rates.front() &&
        (!ofPath || before.baseRttNs == after.baseRttNs))
    {
        return;
    }
    const auto describe = [](uint32_t port, const PathTimes& path) {
        return "port " + std::to_string(port) + " with " +
               FormatGbps(static_cast<double>(path.rates.front())) + " Gb/s and a base RTT of " +
               std::to_string(path.baseRttNs) + " ns";
    };
    throw HpccInputError("--ports " + m_network.ports + "+move: after a failure flow " +
                         std::to_string(source) + " -> " + std::to_string(destination) +
                         " would move from " + describe(bound.source, before) + " to " +
                         describe(next.source, after) + "; allowed are ports of the same rate" +
                         (ofPath ? " and base RTT" : "") +
                         ", since a queue pair keeps its line rate and T");
}

void
HpccFabricHelper::Ways::PlanMoves(uint32_t source,
                                  uint32_t queuePair,
                                  uint32_t destination,
                                  uint32_t peerQueuePair,
                                  const PortPair& bound,
                                  uint32_t turn) const
{
    const auto states = LinkStates();
    const auto later = PortsLater(source, destination, bound, turn, states);
    PortPair now = bound;
    for (size_t i = 0; i < states.size(); ++i)
    {
        const PortPair next = later[i];
        if (next == now || states[i].atNs <= Simulator::Now().GetNanoSeconds())
        {
            continue; // no move is needed if the ports stay the same, or if the change of links is
                      // in the past: CheckMoves() has ensured that past moves cancel out
        }
        now = next;
        if (m_network.IsHere(source))
        {
            m_fabric.GetHost(source)->MoveQueuePair(queuePair,
                                                    states[i].atNs,
                                                    next.source,
                                                    GetAddress(destination, next.destination));
        }
        if (m_network.IsHere(destination))
        {
            m_fabric.GetHost(destination)
                ->MoveQueuePair(peerQueuePair,
                                states[i].atNs,
                                next.destination,
                                GetAddress(source, next.source));
        }
    }
}

std::vector<std::vector<int64_t>>
HpccFabricHelper::FindCutOffsNs(uint32_t destination, uint32_t port) const
{
    m_network->RequireNode("FindCutOffsNs", destination);
    const Ways ways(*this);
    const auto states = ways.LinkStates();
    std::vector<std::vector<int64_t>> cutOffsNs(m_network->topology.GetNodes());
    // Ports that have had no path in any state that the loop has visited, with their hosts. The
    // loop visits the last state first.
    std::vector<std::pair<uint32_t, const Network::Edge*>> ports;
    for (uint32_t host : m_network->topology.GetHosts())
    {
        cutOffsNs[host].assign(m_network->edges[host].size(), INT64_MAX);
        for (const auto& edge : m_network->edges[host])
        {
            if (host != destination)
            {
                ports.emplace_back(host, &edge);
            }
        }
    }
    for (auto state = states.rbegin(); state != states.rend() && !ports.empty(); ++state)
    {
        const auto tree = ways.WaysTo(destination, port, state->down);
        const auto reaches = [&](const auto& from) {
            return !state->down[from.second->link] && ways.LeadsTo(tree, *from.second);
        };
        ports.erase(std::remove_if(ports.begin(), ports.end(), reaches), ports.end());
        for (const auto& from : ports)
        {
            cutOffsNs[from.first][from.second->port] =
                state->atNs - m_network->convergenceDelay.GetNanoSeconds();
        }
    }
    return cutOffsNs;
}

std::vector<bool>
HpccFabricHelper::FindUsers(uint32_t node, uint32_t neighbour, uint32_t destination) const
{
    m_network->RequireNode("FindUsers", std::max({node, neighbour, destination}));
    const Ways ways(*this);
    auto states = ways.LinkStates();
    states.insert(states.begin(),
                  {0, std::vector<bool>(m_network->topology.GetLinks().size(), false)});
    std::vector<bool> users(m_network->topology.GetNodes(), false);
    for (const auto& [atNs, down] : states)
    {
        for (const auto& port : m_network->edges[destination])
        {
            const auto tree = ways.WaysTo(destination, port.port, down);
            const auto next = ways.PortsOf(tree, node, down);
            std::deque<uint32_t> frontier; // nodes from which a path leads over the link
            if (std::any_of(next.begin(), next.end(), [&](uint16_t out) {
                    return m_network->edges[node][out].neighbour == neighbour;
                }))
            {
                frontier.push_back(node);
            }
            std::vector<bool> seen(users.size(), false);
            for (; !frontier.empty(); frontier.pop_front())
            {
                const uint32_t at = frontier.front();
                for (const auto& edge : m_network->edges[at])
                {
                    const uint32_t before = edge.neighbour;
                    if (down[edge.link] || seen[before] || before == destination)
                    {
                        continue;
                    }
                    if (!m_network->topology.IsSwitch(before))
                    {
                        users[before] = true;
                    }
                    else if (tree.distance[before] == tree.distance[at] + 1)
                    {
                        seen[before] = true;
                        frontier.push_back(before);
                    }
                }
            }
        }
    }
    return users;
}

uint32_t
HpccFabricHelper::GetPorts(uint32_t host) const
{
    m_network->RequireNode("GetPorts", host);
    return static_cast<uint32_t>(m_network->edges[host].size());
}

} // namespace ns3
