/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-fabric-checks.h"
#include "hpcc-fabric-ways.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>

// The part of HpccFabricHelper that computes routes and the delays of paths in an empty network.

namespace ns3
{

namespace
{

/// Opcodes of the first, the last and the only data packet of a message, by RdmaVerb.
constexpr uint8_t DATA_OPCODES[][3] = {
    {ROCE_WRITE_FIRST, ROCE_WRITE_LAST, ROCE_WRITE_ONLY},
    {ROCE_SEND_FIRST, ROCE_SEND_LAST, ROCE_SEND_ONLY},
    {ROCE_READ_RESPONSE_FIRST, ROCE_READ_RESPONSE_LAST, ROCE_READ_RESPONSE_ONLY},
    {ROCE_READ_RESPONSE_FIRST, ROCE_READ_RESPONSE_LAST, ROCE_READ_RESPONSE_ONLY},
};

/// Transmission times of the packets of a message on a link, or of their ACKs on a link of the
/// return path, ns.
struct LinkTimes
{
    double first;  ///< the first packet
    double middle; ///< a packet between first and last
    double last;   ///< the last packet
    double ack; ///< the ACK of a READ request, which the responder sends after the first response;
                ///< 0 if there is none
};

/**
 * Computes when the last bit of a message arrives if the message is alone on its path. The last bit
 * arrives at the end of the longest chain of transmissions in which each transmission waits for the
 * end of the one before. Such a chain consists of three parts: the first packet travels up to a
 * link i, a middle packet travels from link i to a link j, and the last packet travels from link j
 * to the end. All middle packets are sent over the slowest link from i to j. The ACK of a READ
 * request, which is smaller than any packet, only adds its time on link i.
 * @param links the links of the path, in order, then the links of the ACKs
 * @param packets number of packets of the message
 * @return the time without propagation, ns
 */
double
LongestChain(const std::vector<LinkTimes>& links, uint64_t packets)
{
    double longest = 0;
    double head = 0;
    for (size_t i = 0; i < links.size(); ++i)
    {
        head += packets > 1 ? links[i].first : 0;
        double middle = 0;
        double slowest = 0;
        for (size_t j = i; j < (packets > 2 ? links.size() : i + 1); ++j)
        {
            double chain = head + (packets > 1 ? links[i].ack : 0);
            if (packets > 2)
            {
                middle += links[j].middle;
                slowest = std::max(slowest, links[j].middle);
                chain += middle + static_cast<double>(packets - 3) * slowest;
            }
            for (size_t k = j; k < links.size(); ++k)
            {
                chain += links[k].last;
            }
            longest = std::max(longest, chain);
        }
    }
    return longest;
}

} // namespace

double
HpccFabricHelper::Ways::TransmissionNs(uint64_t rateBps, uint32_t frameBytes) const
{
    return LinkBits(frameBytes) / static_cast<double>(rateBps);
}

double
HpccFabricHelper::Ways::LinkBits(uint32_t frameBytes) const
{
    return m_network.devices.front()->GetLinkBytes(frameBytes) * 8e9;
}

std::vector<HpccFabricHelper::Network::LinkState>
HpccFabricHelper::Ways::LinkStates() const
{
    std::vector<LinkState> states;
    std::vector<bool> down(m_network.topology.GetLinks().size(), false);
    for (const auto& event : m_network.linkEvents)
    {
        down[event.link] = !event.up;
        int64_t atNs = event.atNs + m_network.convergenceDelay.GetNanoSeconds();
        if (states.empty() || states.back().atNs != atNs)
        {
            states.push_back({atNs, {}});
        }
        states.back().down = down;
    }
    return states;
}

HpccFabricHelper::Network::Tree
HpccFabricHelper::Ways::WaysTo(uint32_t destination,
                               uint32_t port,
                               const std::vector<bool>& down) const
{
    Ptr<RdmaHost> host = m_fabric.GetHost(m_network.topology.GetHosts().front());
    const uint32_t dataBytes = host->DataFrameBytes(host->GetMtu(), ROCE_WRITE_MIDDLE, nullptr);
    const uint32_t ackBytes = host->AckFrameBytes(nullptr, 0);
    Tree tree{destination,
              m_network.edges[destination][port].link,
              std::vector<uint32_t>(m_network.topology.GetNodes(), UINT32_MAX),
              std::vector<double>(m_network.topology.GetNodes(), 0)};
    tree.distance[destination] = 0;
    std::deque<uint32_t> frontier{destination};
    while (!frontier.empty())
    {
        uint32_t node = frontier.front();
        frontier.pop_front();
        if (node != destination && !m_network.topology.IsSwitch(node))
        {
            continue;
        }
        for (const auto& edge : m_network.edges[node])
        {
            const bool other = node == destination && edge.link != tree.link;
            uint32_t& distance = tree.distance[edge.neighbour];
            if (other || down[edge.link] || distance <= tree.distance[node])
            {
                continue;
            }
            if (distance == UINT32_MAX)
            {
                distance = tree.distance[node] + 1;
                frontier.push_back(edge.neighbour);
            }
            // All shortest paths have the same number of hops, but their delays and rates may
            // differ.
            tree.roundTrip[edge.neighbour] =
                std::max(tree.roundTrip[edge.neighbour],
                         tree.roundTrip[node] + 2.0 * static_cast<double>(edge.delayNs) +
                             TransmissionNs(edge.backBps, dataBytes) +
                             TransmissionNs(edge.rateBps, ackBytes));
        }
    }
    return tree;
}

bool
HpccFabricHelper::Ways::LeadsTo(const Tree& tree, const Edge& edge) const
{
    return edge.neighbour == tree.host ? edge.link == tree.link
                                       : m_network.topology.IsSwitch(edge.neighbour) &&
                                             tree.distance[edge.neighbour] != UINT32_MAX;
}

std::vector<uint16_t>
HpccFabricHelper::Ways::PortsOf(const Tree& tree,
                                uint32_t node,
                                const std::vector<bool>& down) const
{
    std::vector<uint16_t> ports;
    for (const auto& edge : m_network.edges[node])
    {
        if (!down[edge.link] && tree.distance[node] != UINT32_MAX && LeadsTo(tree, edge) &&
            tree.distance[edge.neighbour] + 1 == tree.distance[node])
        {
            ports.push_back(edge.port);
        }
    }
    return ports;
}

void
HpccFabricHelper::Ways::NoteLongest(const Tree& tree, const std::vector<bool>& down)
{
    for (const uint32_t host : m_network.topology.GetHosts())
    {
        for (const auto& edge : m_network.edges[host])
        {
            if (host != tree.host && !down[edge.link] && LeadsTo(tree, edge))
            {
                m_network.longestPath =
                    std::max(m_network.longestPath, tree.distance[edge.neighbour]);
            }
        }
    }
}

std::vector<uint32_t>
HpccFabricHelper::Ways::SwitchesOf(const Tree& tree,
                                   const Edge& edge,
                                   const std::vector<bool>& down) const
{
    std::vector<uint32_t> switches;
    if (down[edge.link] || !LeadsTo(tree, edge))
    {
        return switches;
    }
    for (uint32_t node = edge.neighbour; node != tree.host;)
    {
        switches.push_back(node);
        node = m_network.edges[node][PortsOf(tree, node, down).front()].neighbour;
    }
    return switches;
}

std::vector<std::vector<uint32_t>>
HpccFabricHelper::Ways::HostsByAttachment() const
{
    using Attachment = std::vector<std::tuple<uint32_t, uint64_t, uint64_t, int64_t>>;
    std::map<Attachment, size_t> known;
    std::vector<std::vector<uint32_t>> groups;
    for (uint32_t host : m_network.topology.GetHosts())
    {
        Attachment attachment;
        bool shared = true;
        for (const auto& edge : m_network.edges[host])
        {
            attachment.emplace_back(edge.neighbour, edge.rateBps, edge.backBps, edge.delayNs);
            shared = shared && m_network.topology.IsSwitch(edge.neighbour);
        }
        const auto [group, isNew] = known.try_emplace(attachment, groups.size());
        if (isNew || !shared)
        {
            groups.emplace_back();
        }
        groups[shared ? group->second : groups.size() - 1].push_back(host);
    }
    return groups;
}

void
HpccFabricHelper::Ways::ComputeRoutes()
{
    const Edge* between = nullptr; // the first link between two switches
    for (uint32_t node = 0; node < m_network.topology.GetNodes(); ++node)
    {
        for (const Edge& edge : m_network.edges[node])
        {
            if (m_network.topology.IsSwitch(node) && m_network.topology.IsSwitch(edge.neighbour))
            {
                between = between ? between : &edge;
                m_network.even = m_network.even && edge.rateBps == between->rateBps &&
                                 edge.delayNs == between->delayNs;
            }
        }
    }
    const std::vector<bool> allUp(m_network.topology.GetLinks().size(), false);
    const std::vector<LinkState> states = LinkStates();
    std::map<std::pair<uint32_t, size_t>, QbbSwitch::RouteChanges> changes;
    const auto fixedPort = m_network.GetFixedPort();
    double largest = 0;
    for (const auto& hosts : HostsByAttachment())
    {
        // The first host represents all hosts of the group, because paths to different hosts of a
        // group differ only in the last link.
        const uint32_t destination = hosts.front();
        // Number of links and base RTT of the path from the closest port, by node.
        std::vector<std::pair<uint32_t, double>> closest(m_network.topology.GetNodes(),
                                                         {UINT32_MAX, 0});
        // The same values for paths from the fixed port of SetPorts(), which need not be the
        // closest port.
        auto byFixedPort = closest;
        for (const auto& port : m_network.edges[destination])
        {
            const Tree tree = WaysTo(destination, port.port, allUp);
            SetRoutes(tree, hosts, port.port);
            NoteLongest(tree, allUp);
            for (size_t node = 0; node < closest.size(); ++node)
            {
                closest[node] =
                    std::min(closest[node], {tree.distance[node], tree.roundTrip[node]});
            }
            for (uint32_t host :
                 fixedPort ? m_network.topology.GetHosts() : std::vector<uint32_t>())
            {
                if (*fixedPort < m_network.edges[host].size() && host != destination)
                {
                    const Way way = WayBy(tree, m_network.edges[host][*fixedPort], allUp);
                    byFixedPort[host] = std::min(byFixedPort[host], {way.hops, way.roundTrip});
                }
            }
        }
        for (uint32_t host : m_network.topology.GetHosts())
        {
            const auto& [hops, roundTrip] =
                byFixedPort[host].first == UINT32_MAX ? closest[host] : byFixedPort[host];
            largest = std::max(largest, roundTrip);
            m_network.switchHops = host == destination ? m_network.switchHops
                                                       : std::max(m_network.switchHops, hops - 1);
        }
        for (uint32_t host : states.empty() ? std::vector<uint32_t>() : hosts)
        {
            for (const auto& port : m_network.edges[host])
            {
                PlanRoutes(host, port.port, states, changes);
            }
        }
    }
    for (auto& [where, routes] : changes)
    {
        m_fabric.GetSwitch(where.first)
            ->ScheduleRoutes(states[where.second].atNs, std::move(routes));
    }
    m_network.baseRttNs = static_cast<int64_t>(std::ceil(largest));
}

void
HpccFabricHelper::Ways::SetRoutes(const Tree& tree,
                                  const std::vector<uint32_t>& hosts,
                                  uint32_t port)
{
    const std::vector<bool> allUp(m_network.topology.GetLinks().size(), false);
    std::vector<uint32_t> addresses;
    for (uint32_t host : hosts)
    {
        addresses.push_back(GetAddress(host, port));
    }
    for (uint32_t node = 0; node < m_network.topology.GetNodes(); ++node)
    {
        if (!m_network.topology.IsSwitch(node))
        {
            continue;
        }
        EcmpTable& routes = m_fabric.GetSwitch(node)->GetRoutes();
        if (tree.distance[node] != 1)
        {
            routes.SetRoutes(addresses, PortsOf(tree, node, allUp));
            continue;
        }
        for (const auto& edge : m_network.edges[node])
        {
            if (std::binary_search(hosts.begin(), hosts.end(), edge.neighbour) &&
                m_network.edges[edge.neighbour][port].link == edge.link)
            {
                routes.SetRoutes({GetAddress(edge.neighbour, port)}, {edge.port});
            }
        }
    }
}

void
HpccFabricHelper::Ways::PlanRoutes(
    uint32_t host,
    uint32_t port,
    const std::vector<LinkState>& states,
    std::map<std::pair<uint32_t, size_t>, QbbSwitch::RouteChanges>& changes)
{
    std::vector<Tree> later;
    for (const auto& state : states)
    {
        later.push_back(WaysTo(host, port, state.down));
        NoteLongest(later.back(), state.down);
    }
    const uint32_t address = GetAddress(host, port);
    for (uint32_t node = 0; node < m_network.topology.GetNodes(); ++node)
    {
        if (!m_network.topology.IsSwitch(node) || !m_network.IsHere(node))
        {
            continue;
        }
        const auto whole = m_fabric.GetSwitch(node)->GetRoutes().FindWhole(address);
        std::vector<uint16_t> ports(whole.begin(), whole.end());
        for (size_t i = 0; i < states.size(); ++i)
        {
            std::vector<uint16_t> next = PortsOf(later[i], node, states[i].down);
            if (next != ports)
            {
                m_network.wholeRoutes.try_emplace({node, address}, ports);
                ports = next;
                changes[{node, i}].emplace_back(address, ports);
            }
        }
    }
}

EcmpTable::Choices
HpccFabricHelper::Ways::WholeRoute(uint32_t node, uint32_t address) const
{
    if (!m_network.wholeRoutes.empty())
    {
        const auto found = m_network.wholeRoutes.find({node, address});
        if (found != m_network.wholeRoutes.end())
        {
            return {found->second.data(), static_cast<uint32_t>(found->second.size()), 0};
        }
    }
    QbbSwitch* const agent = PeekPointer(m_network.switches[node]); // null: GetSwitch() throws
    return (agent ? agent : PeekPointer(m_fabric.GetSwitch(node)))->GetRoutes().FindWhole(address);
}

EcmpTable::Choices
HpccFabricHelper::Ways::PortsOr(const std::vector<uint16_t>& own,
                                uint32_t source,
                                uint32_t node,
                                uint32_t address) const
{
    return node == source ? EcmpTable::Choices{own.data(), static_cast<uint32_t>(own.size()), 0}
                          : WholeRoute(node, address);
}

HpccFabricHelper::PathTimes
HpccFabricHelper::GetPath(uint32_t source, uint32_t destination) const
{
    m_network->RequireTwoHosts("GetPath", source, destination);
    const auto closest = GetClosestPorts(source, destination);
    return GetPath(source, destination, closest.empty() ? PortPair{0, 0} : closest.front());
}

HpccFabricHelper::PathTimes
HpccFabricHelper::GetPath(uint32_t source, uint32_t destination, const PortPair& ports) const
{
    m_network->RequireTwoHosts("GetPath", source, destination);
    for (const auto& [node, port] :
         {std::pair(source, ports.source), std::pair(destination, ports.destination)})
    {
        HPCC_REFUSE_IF(port >= m_network->edges[node].size(),
                       "ns3::HpccFabricHelper::GetPath: host " + std::to_string(node) +
                           " has no port " + std::to_string(port) + "; it has " +
                           std::to_string(m_network->edges[node].size()) + ", counted from 0");
    }
    return Ways(*this).FollowPath(source, destination, ports, true);
}

bool
HpccFabricHelper::Ways::AcksEachPacket(uint32_t responder,
                                       const RdmaRecovery* sacks,
                                       const RdmaFeedback* feedback) const
{
    Ptr<RdmaHost> host = m_fabric.GetHost(responder);
    return host->GetAckInterval(feedback) == 1 &&
           (!sacks || sacks->GetSackTerms({1, 1, 0, 1})->ackBytes <= host->GetMtu());
}

HpccFabricHelper::Ways::IdealFrames
HpccFabricHelper::Ways::FramesOf(uint32_t source, uint64_t bytes, RdmaVerb verb, bool sacks) const
{
    Ptr<RdmaHost> host = m_fabric.GetHost(source);
    const uint32_t mtu = host->GetMtu();
    // A message without payload is one packet without payload.
    const uint64_t packets = bytes > 0 ? (bytes - 1) / mtu + 1 : 1;
    const auto lastBytes = static_cast<uint32_t>(bytes - (packets - 1) * mtu);
    // With SACKs, each packet has the opcode of a message of one packet.
    const auto& [first, last, only] = DATA_OPCODES[static_cast<size_t>(verb)];
    return {packets,
            host->DataFrameBytes(mtu, sacks ? only : first, nullptr),
            host->DataFrameBytes(mtu, sacks ? only : uint8_t{ROCE_WRITE_MIDDLE}, nullptr),
            host->DataFrameBytes(lastBytes, packets == 1 || sacks ? only : last, nullptr),
            host->AckFrameBytes(nullptr, 0, sacks ? ROCE_SYNDROME_SACK : ROCE_SYNDROME_ACK),
            host->DataFrameBytes(0, ROCE_READ_REQUEST, nullptr)};
}

double
HpccFabricHelper::Ways::SlowestStageNs(uint32_t source,
                                       uint32_t destination,
                                       const PortPair& pair,
                                       const IdealFrames& frames,
                                       bool ackPerPacket) const
{
    double slowestNs = 0;
    const uint32_t paths = CountPaths(source);
    for (const auto& stage :
         paths > 1 ? StagesOf(source, destination, {pair}) : std::vector<Stage>())
    {
        const auto [bps, backBps] = StageRates(stage, paths);
        slowestNs = std::max({slowestNs,
                              TransmissionNs(bps, frames.middle),
                              ackPerPacket ? TransmissionNs(backBps, frames.ack) : 0});
    }
    return slowestNs;
}

double
HpccFabricHelper::Ways::ChainNs(const Route& route,
                                const Route& back,
                                double slowestNs,
                                const IdealFrames& frames,
                                IdealAcks acks) const
{
    std::vector<LinkTimes> links;
    std::vector<LinkTimes> linksBack;
    double requestNs = 0;
    double lastAckNs = 0;
    for (const uint64_t rate : route.first)
    {
        links.push_back({TransmissionNs(rate, frames.first),
                         TransmissionNs(rate, frames.middle),
                         TransmissionNs(rate, frames.last),
                         acks == IdealAcks::REQUEST ? TransmissionNs(rate, frames.ack) : 0});
    }
    for (const uint64_t rate : back.first)
    {
        const double ns = TransmissionNs(rate, frames.ack);
        linksBack.push_back({ns, ns, ns, 0});
        lastAckNs += acks == IdealAcks::LAST_PACKET ? ns : 0;
        requestNs += acks == IdealAcks::REQUEST ? TransmissionNs(rate, frames.request) : 0;
    }
    if (acks == IdealAcks::EACH_PACKET)
    {
        links.insert(links.end(), linksBack.begin(), linksBack.end());
    }
    double chain = LongestChain(links, frames.packets);
    if (slowestNs > 0 && std::any_of(links.begin(), links.end(), [&links](const LinkTimes& link) {
            return link.middle > links.front().middle;
        }))
    {
        // Sprayed packets use all links of a stage at the same time. Therefore they follow one
        // another at the rate of the slowest stage; after that, the last packet still has to
        // travel its own path.
        chain = static_cast<double>(frames.packets - 1) * slowestNs;
        for (const auto& link : links)
        {
            chain += link.last;
        }
    }
    return requestNs + chain + lastAckNs;
}

int64_t
HpccFabricHelper::Ways::IdealNs(uint32_t source,
                                uint32_t destination,
                                uint64_t bytes,
                                RdmaVerb verb,
                                bool acknowledged,
                                const RdmaFeedback* feedback) const
{
    auto pairs = m_fabric.GetClosestPorts(source, destination);
    const Ptr<RdmaRecovery>& recovery = Checks(m_fabric).FindRecovery().second;
    const RdmaRecovery* sacks = recovery && recovery->UsesSacks() ? PeekPointer(recovery) : nullptr;
    IdealAcks acks = IdealAcks::NONE;
    if (verb == RdmaVerb::READ)
    {
        // A request precedes the data. The ACK of the request uses the same links as the data.
        acks = IdealAcks::REQUEST;
        std::swap(source, destination);
        for (PortPair& pair : pairs)
        {
            std::swap(pair.source, pair.destination);
        }
    }
    else if (acknowledged)
    {
        acks = AcksEachPacket(destination, sacks, feedback) ? IdealAcks::EACH_PACKET
                                                            : IdealAcks::LAST_PACKET;
    }
    const IdealFrames frames = FramesOf(source, bytes, verb, sacks != nullptr);

    // For each pair of ports: combinations of a route of the data, a route back, and the time of a
    // sprayed packet on the slowest stage.
    std::set<std::tuple<Route, Route, double>> routes; // of data, of ACKs or the request
    for (const PortPair& pair : pairs)
    {
        const bool each = acks == IdealAcks::EACH_PACKET;
        const double slowestNs = SlowestStageNs(source, destination, pair, frames, each);
        const auto backs = Routes(destination, source, {{pair.destination, pair.source}});
        for (const auto& route : Routes(source, destination, {pair}))
        {
            // Switches hash ACKs and data differently, so each route of the data may occur with
            // each route of the ACKs.
            for (const auto& back : backs)
            {
                routes.insert({route, back, slowestNs});
            }
        }
    }
    if (routes.empty())
    {
        m_fabric.GetPath(source, destination); // throws: there is no route
    }

    double least = std::numeric_limits<double>::max();
    for (const auto& [route, back, slowestNs] : routes)
    {
        const int64_t delayNs = route.second + (acknowledged ? back.second : 0);
        least =
            std::min(least,
                     static_cast<double>(delayNs) + ChainNs(route, back, slowestNs, frames, acks));
    }
    return static_cast<int64_t>(std::ceil(least));
}

std::set<HpccFabricHelper::Ways::Route>
HpccFabricHelper::Ways::Routes(uint32_t source,
                               uint32_t destination,
                               const std::vector<PortPair>& pairs) const
{
    std::set<Route> routes;
    for (const auto& ports : pairs)
    {
        const uint32_t address = GetAddress(destination, ports.destination);
        std::set<std::pair<uint32_t, Route>> at{{source, {}}};
        while (!at.empty())
        {
            std::set<std::pair<uint32_t, Route>> further;
            for (const auto& [node, route] : at)
            {
                const std::vector<uint16_t> own{static_cast<uint16_t>(ports.source)};
                EcmpTable::Choices next = PortsOr(own, source, node, address);
                next.count = m_network.even ? std::min(next.count, 1U) : next.count;
                for (uint16_t port : next)
                {
                    const Edge& edge = m_network.edges[node][port];
                    Route longer = route;
                    longer.first.push_back(edge.rateBps);
                    longer.second += edge.delayNs;
                    if (edge.neighbour == destination)
                    {
                        routes.insert(std::move(longer));
                    }
                    else
                    {
                        further.insert({edge.neighbour, std::move(longer)});
                    }
                }
            }
            at = std::move(further);
        }
    }
    if (routes.empty())
    {
        m_fabric.GetPath(source, destination); // throws: there is no route
    }
    return routes;
}

} // namespace ns3
