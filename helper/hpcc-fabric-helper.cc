/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-fabric-helper.h"

#include "hpcc-byte-stream.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/hpcc-frame-codec.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-telemetry-border.h"
#include "ns3/log.h"
#include "ns3/pcap-file-wrapper.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("HpccFabricHelper");

namespace
{

constexpr uint32_t FIRST_ADDRESS = 0x0b000001; ///< 11.0.0.1
constexpr uint64_t AUTHORS_HEADER_BYTES = 48;  ///< of a data packet in the authors' simulator

} // namespace

HpccFabricHelper::HpccFabricHelper()
{
    m_deviceFactory.SetTypeId("ns3::QbbNetDevice");
    m_channelFactory.SetTypeId("ns3::QbbChannel");
    m_bufferFactory.SetTypeId("ns3::SharedBuffer");
    m_ecnFactory.SetTypeId("ns3::EcnMarker");
    m_agentFactory.SetTypeId("ns3::TelemetryAgent");
    m_hostFactory.SetTypeId("ns3::RdmaHost");
}

void
HpccFabricHelper::SetMaxLag(Time lag)
{
    m_maxLag = lag;
}

void
HpccFabricHelper::SetDeviceAttribute(const std::string& name, const AttributeValue& value)
{
    m_deviceFactory.Set(name, value);
}

void
HpccFabricHelper::SetBufferAttribute(const std::string& name, const AttributeValue& value)
{
    m_bufferFactory.Set(name, value);
}

void
HpccFabricHelper::SetEcnAttribute(const std::string& name, const AttributeValue& value)
{
    m_ecnFactory.Set(name, value);
}

void
HpccFabricHelper::SetTelemetryAgentAttribute(const std::string& name, const AttributeValue& value)
{
    m_agentFactory.Set(name, value);
}

void
HpccFabricHelper::SetHostAttribute(const std::string& name, const AttributeValue& value)
{
    m_hostFactory.Set(name, value);
}

void
HpccFabricHelper::SetPaths(const std::string& name)
{
    m_pathFactory = ObjectFactory();
    m_repathingFactory = ObjectFactory();
    m_spread = PathSpread::NONE;
    if (HpccPresets::Find(PathSelector::GetTypeId(), name, m_pathFactory))
    {
        m_spread = m_pathFactory.Create<PathSelector>()->GetSpread();
    }
    else if (name != "ecmp" &&
             !HpccPresets::Find(RdmaRepathing::GetTypeId(), name, m_repathingFactory))
    {
        throw HpccInputError("--paths: unknown \"" + name + "\"; choices: ecmp, " +
                             HpccPresets::Choices(PathSelector::GetTypeId()) + ", " +
                             HpccPresets::Choices(RdmaRepathing::GetTypeId()));
    }
}

bool
HpccFabricHelper::LosesOrder() const
{
    StringValue name;
    GetHost(m_topology.GetHosts().front())->GetAttribute("Recovery", name);
    ObjectFactory recovery;
    return m_spread == PathSpread::EVERY_PACKET &&
           HpccPresets::Find(RdmaRecovery::GetTypeId(), name.Get(), recovery) &&
           !recovery.Create<RdmaRecovery>()->ToleratesReordering();
}

void
HpccFabricHelper::SetPerPathBaseRtt(bool perPath)
{
    m_perPathBaseRtt = perPath;
}

void
HpccFabricHelper::ScheduleLinkDown(uint32_t link, Time at)
{
    m_linkEvents.push_back({at.GetNanoSeconds(), link, false});
}

void
HpccFabricHelper::ScheduleLinkUp(uint32_t link, Time at)
{
    m_linkEvents.push_back({at.GetNanoSeconds(), link, true});
}

void
HpccFabricHelper::SetConvergenceDelay(Time delay)
{
    m_convergenceDelay = delay;
}

void
HpccFabricHelper::PlanLinks()
{
    std::stable_sort(m_linkEvents.begin(), m_linkEvents.end(), [](const auto& a, const auto& b) {
        return a.atNs < b.atNs;
    });
    const auto& links = m_topology.GetLinks();
    std::map<uint32_t, LinkEvent> last;
    for (const auto& event : m_linkEvents)
    {
        const std::string what = "link " + std::to_string(event.link) + " goes " +
                                 (event.up ? "up" : "down") + " at " + std::to_string(event.atNs) +
                                 " ns, but ";
        if (event.link >= links.size())
        {
            throw HpccInputError(what + "links are 0 to " + std::to_string(links.size() - 1));
        }
        auto [before, isFirst] = last.try_emplace(event.link, LinkEvent{0, event.link, true});
        if (event.up == before->second.up || event.atNs <= before->second.atNs)
        {
            throw HpccInputError(
                what +
                (isFirst && event.atNs > 0
                     ? "it has not been down"
                     : "it went " + std::string(before->second.up ? "up" : "down") + " at " +
                           std::to_string(before->second.atNs) + " ns; down and up take turns"));
        }
        before->second = event;
        m_devices[2 * event.link]->ScheduleLink(event.atNs, event.up);
        m_devices[2 * event.link + 1]->ScheduleLink(event.atNs, event.up);
    }
}

std::vector<HpccFabricHelper::LinkState>
HpccFabricHelper::LinkStates() const
{
    std::vector<LinkState> states;
    std::vector<bool> down(m_topology.GetLinks().size(), false);
    for (const auto& event : m_linkEvents)
    {
        down[event.link] = !event.up;
        int64_t atNs = event.atNs + m_convergenceDelay.GetNanoSeconds();
        if (states.empty() || states.back().atNs != atNs)
        {
            states.push_back({atNs, {}});
        }
        states.back().down = down;
    }
    return states;
}

void
HpccFabricHelper::SetRanks(Ptr<HpccRanks> ranks, const std::vector<uint32_t>& rankOf)
{
    m_ranks = ranks;
    m_rankOf = rankOf;
}

std::vector<uint32_t>
HpccFabricHelper::FindPauseCycle() const
{
    std::vector<uint64_t> held(m_devices.size(), 0);
    for (size_t i = 0; i < m_devices.size(); ++i)
    {
        for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
        {
            const QbbNetDevice& port = *m_devices[i];
            held[i] += port.IsPaused(priority) && port.GetQueueBytes(priority) > 0 ? 1 : 0;
        }
    }
    AddUp(held);
    // Follow the pauses from every switch; who comes back to one of the walk has found a circle.
    const uint32_t nodes = m_topology.GetNodes();
    std::vector<std::vector<uint32_t>> waitsFor(nodes);
    const auto& links = m_topology.GetLinks();
    for (size_t i = 0; i < links.size(); ++i)
    {
        if (m_topology.IsSwitch(links[i].a) && m_topology.IsSwitch(links[i].b))
        {
            if (held[2 * i] > 0)
            {
                waitsFor[links[i].a].push_back(links[i].b);
            }
            if (held[2 * i + 1] > 0)
            {
                waitsFor[links[i].b].push_back(links[i].a);
            }
        }
    }

    enum Mark : uint8_t
    {
        UNSEEN,
        ON_WALK,
        DONE
    };

    std::vector<Mark> marks(nodes, UNSEEN);
    for (uint32_t start = 0; start < nodes; ++start)
    {
        if (marks[start] != UNSEEN)
        {
            continue;
        }
        std::vector<uint32_t> walk{start};
        std::vector<size_t> taken{0};
        marks[start] = ON_WALK;
        while (!walk.empty())
        {
            const uint32_t node = walk.back();
            if (taken.back() == waitsFor[node].size())
            {
                marks[node] = DONE;
                walk.pop_back();
                taken.pop_back();
                continue;
            }
            const uint32_t next = waitsFor[node][taken.back()++];
            if (marks[next] == ON_WALK)
            {
                walk.erase(walk.begin(), std::find(walk.begin(), walk.end(), next));
                return walk;
            }
            if (marks[next] == UNSEEN)
            {
                marks[next] = ON_WALK;
                walk.push_back(next);
                taken.push_back(0);
            }
        }
    }
    return {};
}

void
HpccFabricHelper::AddUp(std::vector<uint64_t>& counts) const
{
    if (!m_ranks)
    {
        return;
    }
    HpccByteStream mine;
    mine.Put(counts);
    std::fill(counts.begin(), counts.end(), 0);
    for (const std::string& bytes : m_ranks->Exchange(mine.GetBytes()))
    {
        const auto theirs = HpccByteStream(bytes).GetVector<uint64_t>();
        std::transform(theirs.begin(), theirs.end(), counts.begin(), counts.begin(), std::plus<>());
    }
}

void
HpccFabricHelper::CreateNodes()
{
    if (!m_ranks)
    {
        m_nodes.Create(m_topology.GetNodes());
        return;
    }
    if (m_rankOf.size() != m_topology.GetNodes())
    {
        throw HpccInputError("ranks are given for " + std::to_string(m_rankOf.size()) +
                             " nodes; the topology has " + std::to_string(m_topology.GetNodes()));
    }
    for (uint32_t i = 0; i < m_topology.GetNodes(); ++i)
    {
        if (m_rankOf[i] >= m_ranks->GetSize())
        {
            throw HpccInputError("node " + std::to_string(i) + " is for rank " +
                                 std::to_string(m_rankOf[i]) + "; ranks are 0 to " +
                                 std::to_string(m_ranks->GetSize() - 1));
        }
        auto node = CreateObject<Node>(m_rankOf[i]);
        m_nodes.Add(node);
        if (!IsHere(i))
        {
            NodeAgenda::Of(node)->SetForeign();
        }
    }
}

void
HpccFabricHelper::JoinRanks()
{
    const auto& links = m_topology.GetLinks();
    for (size_t i = 0; m_ranks && i < links.size(); ++i)
    {
        const bool a = IsHere(links[i].a);
        if (a != IsHere(links[i].b))
        {
            QbbNetDevice& here = *m_devices[2 * i + (a ? 0 : 1)];
            m_ranks->Join(*here.GetQbbChannel(), here);
        }
    }
}

void
HpccFabricHelper::Install(const HpccTopology& topology)
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(m_nodes.GetN() != 0, "HpccFabricHelper::Install: already installed");
    topology.Validate();
    m_topology = topology;
    CreateNodes();
    for (uint32_t i = 0; m_maxLag.IsStrictlyPositive() && i < m_nodes.GetN(); ++i)
    {
        NodeAgenda::Of(m_nodes.Get(i))->SetAttribute("MaxLag", TimeValue(m_maxLag));
    }
    m_edges.resize(topology.GetNodes());
    std::vector<uint16_t> ports(topology.GetNodes(), 0);
    for (const auto& link : topology.GetLinks())
    {
        m_channelFactory.Set("Delay", TimeValue(link.delay));
        auto channel = m_channelFactory.Create<QbbChannel>();
        for (auto [node, neighbour] : {std::pair(link.a, link.b), std::pair(link.b, link.a)})
        {
            m_deviceFactory.Set("DataRate", DataRateValue(link.rate));
            auto device = m_deviceFactory.Create<QbbNetDevice>();
            m_nodes.Get(node)->AddDevice(device);
            device->Attach(channel);
            if (link.errorRate > 0)
            {
                auto errors = CreateObject<RateErrorModel>();
                errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
                errors->SetRate(link.errorRate);
                device->SetAttribute("ReceiveErrorModel", PointerValue(errors));
            }
            m_edges[node].push_back({neighbour,
                                     ports[node]++,
                                     link.rate.GetBitRate(),
                                     link.delay.GetNanoSeconds(),
                                     static_cast<uint32_t>(m_devices.size() / 2)});
            m_devices.push_back(device);
        }
    }
    m_inventory = Create<TelemetryInventory>();
    for (uint32_t i = 0; i < topology.GetNodes(); ++i)
    {
        Ptr<Node> node = m_nodes.Get(i);
        if (topology.IsSwitch(i))
        {
            auto device = CreateObject<QbbSwitch>();
            device->SetAttribute("Buffer", PointerValue(m_bufferFactory.Create<SharedBuffer>()));
            device->SetAttribute("EcnMarker", PointerValue(m_ecnFactory.Create<EcnMarker>()));
            if (m_pathFactory.IsTypeIdSet())
            {
                device->SetAttribute("PathSelector",
                                     PointerValue(m_pathFactory.Create<PathSelector>()));
            }
            device->Install(node);
            auto agent = m_agentFactory.Create<TelemetryAgent>();
            agent->SetSwitch(i, static_cast<uint32_t>(device->GetPorts().size()));
            device->AddAgent(PeekPointer(agent));
            device->AggregateObject(agent);
            node->AggregateObject(device);
            m_agents.push_back(agent);
            for (const auto& edge : m_edges[i])
            {
                m_inventory->Add(i, edge.port, edge.rateBps);
            }
        }
        else
        {
            auto host = m_hostFactory.Create<RdmaHost>();
            host->Install(node, GetAddress(i));
            if (m_repathingFactory.IsTypeIdSet())
            {
                host->SetAttribute("Repathing",
                                   PointerValue(m_repathingFactory.Create<RdmaRepathing>()));
            }
            host->SetInventory(m_inventory);
            node->AggregateObject(host);
            node->AddApplication(CreateObject<RdmaApplication>());
        }
    }
    ShareInventory();
    JoinRanks();
    PlanLinks();
    ComputeRoutes();
    SetNetworkBaseRttNs(m_baseRttNs);
}

void
HpccFabricHelper::ShareInventory()
{
    if (m_agents.empty())
    {
        return;
    }
    m_bandwidth = m_agents.front()->GetBandwidth();
    for (uint8_t p = 0; p < PRIORITIES && m_bandwidth == TelemetryAgent::SHARE; ++p)
    {
        auto shares = Create<TelemetryInventory>();
        for (uint32_t i = 0; i < m_topology.GetNodes(); ++i)
        {
            for (const auto& edge : m_edges[i])
            {
                const ClassMeter meter(m_devices.front()->GetScheduler(), edge.rateBps);
                shares->Add(i, edge.port, meter.GetShareBps(p));
            }
        }
        for (uint32_t host : m_topology.GetHosts())
        {
            GetHost(host)->SetInventory(p, shares);
        }
    }
}

void
HpccFabricHelper::SetNetworkBaseRttNs(int64_t baseRttNs)
{
    m_baseRttNs = baseRttNs;
    for (const auto& agent : m_agents)
    {
        agent->SetDefaultWindow(NanoSeconds(baseRttNs));
    }
}

double
HpccFabricHelper::TransmissionNs(uint64_t rateBps, uint32_t frameBytes) const
{
    return m_devices.front()->GetLinkBytes(frameBytes) * 8e9 / static_cast<double>(rateBps);
}

HpccFabricHelper::Tree
HpccFabricHelper::WaysTo(uint32_t destination, const std::vector<bool>& down) const
{
    Ptr<RdmaHost> host = GetHost(destination);
    const uint32_t dataBytes = host->DataFrameBytes(host->GetMtu(), ROCE_WRITE_MIDDLE, nullptr);
    const uint32_t ackBytes = host->AckFrameBytes(nullptr, 0);
    Tree tree{std::vector<uint32_t>(m_topology.GetNodes(), UINT32_MAX),
              std::vector<double>(m_topology.GetNodes(), 0)};
    tree.distance[destination] = 0;
    std::deque<uint32_t> frontier{destination};
    while (!frontier.empty())
    {
        uint32_t node = frontier.front();
        frontier.pop_front();
        if (node != destination && !m_topology.IsSwitch(node))
        {
            continue;
        }
        for (const auto& edge : m_edges[node])
        {
            if (!down[edge.link] && tree.distance[edge.neighbour] == UINT32_MAX)
            {
                tree.distance[edge.neighbour] = tree.distance[node] + 1;
                tree.roundTrip[edge.neighbour] = tree.roundTrip[node] +
                                                 2.0 * static_cast<double>(edge.delayNs) +
                                                 TransmissionNs(edge.rateBps, dataBytes) +
                                                 TransmissionNs(edge.rateBps, ackBytes);
                frontier.push_back(edge.neighbour);
            }
        }
    }
    return tree;
}

std::vector<uint16_t>
HpccFabricHelper::PortsOf(const Tree& tree, uint32_t node, const std::vector<bool>& down) const
{
    std::vector<uint16_t> ports;
    for (const auto& edge : m_edges[node])
    {
        if (!down[edge.link] && tree.distance[node] != UINT32_MAX &&
            tree.distance[edge.neighbour] + 1 == tree.distance[node])
        {
            ports.push_back(edge.port);
        }
    }
    return ports;
}

void
HpccFabricHelper::ComputeRoutes()
{
    const std::vector<bool> allUp(m_topology.GetLinks().size(), false);
    const std::vector<LinkState> states = LinkStates();
    std::map<std::pair<uint32_t, size_t>, QbbSwitch::RouteChanges> changes;
    double largest = 0;
    for (uint32_t destination : m_topology.GetHosts())
    {
        Tree tree = WaysTo(destination, allUp);
        for (uint32_t host : m_topology.GetHosts())
        {
            largest = std::max(largest, tree.roundTrip[host]);
            m_switchHops = host == destination ? m_switchHops
                                               : std::max(m_switchHops, tree.distance[host] - 1);
        }
        std::vector<Tree> later;
        for (const auto& state : states)
        {
            later.push_back(WaysTo(destination, state.down));
        }
        for (uint32_t node = 0; node < m_topology.GetNodes(); ++node)
        {
            if (!m_topology.IsSwitch(node))
            {
                continue;
            }
            std::vector<uint16_t> ports = PortsOf(tree, node, allUp);
            GetSwitch(node)->GetRoutes().SetRoute(GetAddress(destination), ports);
            for (size_t i = 0; i < states.size(); ++i)
            {
                std::vector<uint16_t> next = PortsOf(later[i], node, states[i].down);
                if (next != ports)
                {
                    ports = next;
                    changes[{node, i}].emplace_back(GetAddress(destination), ports);
                }
            }
        }
    }
    for (auto& [where, routes] : changes)
    {
        GetSwitch(where.first)->ScheduleRoutes(states[where.second].atNs, std::move(routes));
    }
    m_baseRttNs = static_cast<int64_t>(std::ceil(largest));
}

HpccFabricHelper::PathTimes
HpccFabricHelper::GetPath(uint32_t source, uint32_t destination) const
{
    Ptr<RdmaHost> host = GetHost(source);
    uint32_t dataBytes = host->DataFrameBytes(host->GetMtu(), ROCE_WRITE_MIDDLE, nullptr);
    uint32_t ackBytes = host->AckFrameBytes(nullptr, 0);
    PathTimes path{0, 0, std::numeric_limits<uint64_t>::max(), 0, {}, false};
    double roundTrip = 0;
    for (uint32_t node = source; node != destination;)
    {
        const Edge* edge = &m_edges[node].front();
        if (m_topology.IsSwitch(node))
        {
            auto ports = GetSwitch(node)->GetRoutes().GetRoute(GetAddress(destination));
            NS_ABORT_MSG_IF(ports.empty(),
                            "no route from host " << source << " to host " << destination);
            edge = &m_edges[node][ports.front()];
            path.choice = path.choice || ports.size() > 1;
        }
        path.propagationNs += edge->delayNs;
        path.bottleneckBps = std::min(path.bottleneckBps, edge->rateBps);
        path.rates.push_back(edge->rateBps);
        roundTrip += 2.0 * static_cast<double>(edge->delayNs) +
                     TransmissionNs(edge->rateBps, dataBytes) +
                     TransmissionNs(edge->rateBps, ackBytes);
        ++path.hops;
        node = edge->neighbour;
    }
    path.baseRttNs = static_cast<int64_t>(std::ceil(roundTrip));
    return path;
}

int64_t
HpccFabricHelper::GetIdealFctNs(uint32_t source,
                                uint32_t destination,
                                uint64_t bytes,
                                RdmaVerb verb) const
{
    return IdealNs(source, destination, bytes, verb, true);
}

int64_t
HpccFabricHelper::GetIdealDeliveryNs(uint32_t source, uint32_t destination, uint64_t bytes) const
{
    return IdealNs(source, destination, bytes, RdmaVerb::WRITE, false);
}

int64_t
HpccFabricHelper::IdealNs(uint32_t source,
                          uint32_t destination,
                          uint64_t bytes,
                          RdmaVerb verb,
                          bool acknowledged) const
{
    const bool read = verb == RdmaVerb::READ;
    if (read)
    {
        std::swap(source, destination);
    }
    Ptr<RdmaHost> host = GetHost(source);
    PathTimes path = GetPath(source, destination);
    uint32_t mtu = host->GetMtu();
    uint64_t packets = (bytes + mtu - 1) / mtu;
    auto lastBytes = static_cast<uint32_t>(bytes - (packets - 1) * mtu);
    const uint8_t first = read ? ROCE_READ_RESPONSE_FIRST : ROCE_WRITE_FIRST;
    const uint8_t last = read ? ROCE_READ_RESPONSE_LAST : ROCE_WRITE_LAST;
    const uint8_t only = read ? ROCE_READ_RESPONSE_ONLY : ROCE_WRITE_ONLY;
    uint32_t firstFrame = host->DataFrameBytes(mtu, first, nullptr);
    uint32_t middleFrame = host->DataFrameBytes(mtu, ROCE_WRITE_MIDDLE, nullptr);
    uint32_t lastFrame = host->DataFrameBytes(lastBytes, packets == 1 ? only : last, nullptr);
    // The request of a READ goes ahead of the data, the ACK follows; their times add up alike.
    uint32_t ack = read ? host->DataFrameBytes(0, ROCE_READ_REQUEST, nullptr)
                        : host->AckFrameBytes(nullptr, 0);

    // What the first, a middle and the last packet take on each link, and their ACKs on each link
    // back.
    struct Times
    {
        double first;
        double middle;
        double last;
    };

    std::vector<Times> links;
    for (uint64_t rate : path.rates)
    {
        links.push_back({TransmissionNs(rate, firstFrame),
                         TransmissionNs(rate, middleFrame),
                         TransmissionNs(rate, lastFrame)});
    }
    for (auto rate = path.rates.rbegin(); acknowledged && rate != path.rates.rend(); ++rate)
    {
        double ns = TransmissionNs(*rate, ack);
        links.push_back({ns, ns, ns});
    }
    // The last bit follows the longest chain of frames that wait for one another: the first packet
    // up to a link, the middle ones from there to another, all of them on the slowest between, and
    // the last from there on.
    double longest = 0;
    double head = 0;
    for (size_t i = 0; i < links.size(); ++i)
    {
        head += packets > 1 ? links[i].first : 0;
        double middle = 0;
        double slowest = 0;
        for (size_t j = i; j < (packets > 2 ? links.size() : i + 1); ++j)
        {
            double chain = head;
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
    double ns = (acknowledged ? 2.0 : 1.0) * static_cast<double>(path.propagationNs) + longest;
    return static_cast<int64_t>(std::ceil(ns));
}

int64_t
HpccFabricHelper::GetAuthorsIdealFctNs(uint32_t source, uint32_t destination, uint64_t bytes) const
{
    PathTimes path = GetPath(source, destination);
    uint64_t mtu = GetHost(source)->GetMtu();
    auto ns = static_cast<uint64_t>(2 * path.propagationNs);
    for (uint64_t rate : path.rates)
    {
        ns += mtu * 8000000000 / rate;
    }
    uint64_t wireBytes = bytes + (bytes + mtu - 1) / mtu * AUTHORS_HEADER_BYTES;
    return static_cast<int64_t>(ns + wireBytes * 8000000000 / path.bottleneckBps);
}

std::string
HpccFabricHelper::PolicySpec::GetMarking() const
{
    return policy.Create<RdmaCongestionOps>()->GetDefaultMarking();
}

HpccFabricHelper::PolicySpec
HpccFabricHelper::MakePolicy(const std::string& cc,
                             const std::string& telemetry,
                             const std::string& feedback)
{
    PolicySpec spec;
    if (!HpccPresets::Find(RdmaCongestionOps::GetTypeId(), cc, spec.policy))
    {
        throw HpccInputError("--cc: unknown policy \"" + cc + "\"; choices: " +
                             HpccPresets::Choices(RdmaCongestionOps::GetTypeId()));
    }
    auto policy = spec.policy.Create<RdmaCongestionOps>();
    spec.telemetryName = "none";
    spec.feedbackName = "none";
    ObjectFactory feedbackFactory;
    if (!HpccPresets::Find(RdmaFeedback::GetTypeId(), feedback, feedbackFactory))
    {
        throw HpccInputError("--feedback: unknown \"" + feedback +
                             "\"; choices: " + HpccPresets::Choices(RdmaFeedback::GetTypeId()));
    }
    ObjectFactory format;
    if (!telemetry.empty() && !HpccPresets::Find(TelemetryFormat::GetTypeId(), telemetry, format))
    {
        throw HpccInputError("--telemetry: unknown format \"" + telemetry +
                             "\"; choices: " + HpccPresets::Choices(TelemetryFormat::GetTypeId()));
    }
    if (policy->Needs() & RdmaCongestionOps::NEED_TELEMETRY)
    {
        spec.telemetryName = telemetry.empty() ? policy->GetDefaultTelemetry() : telemetry;
        NS_ABORT_MSG_UNLESS(
            HpccPresets::Find(TelemetryFormat::GetTypeId(), spec.telemetryName, format),
            "policy " << cc << " names the unknown format " << spec.telemetryName);
        spec.format = format.Create<TelemetryFormat>();
        spec.feedbackName = feedback;
        spec.feedback = feedbackFactory.Create<RdmaFeedback>();
        std::string why = spec.feedback->Validate();
        if (why.empty())
        {
            why = spec.feedback->CheckFormat(*spec.format);
        }
        if (why.empty() && spec.feedback->ReportsWorstHop() && !policy->TakesWorstHop())
        {
            why = "--feedback " + feedback + ": policy " + cc +
                  " needs records of all hops, not of one";
        }
        if (!why.empty())
        {
            throw HpccInputError(why);
        }
    }
    return spec;
}

void
HpccFabricHelper::AddTelemetryBorder(uint32_t node, uint32_t neighbour)
{
    if (m_bandwidth != TelemetryAgent::LINE_RATE)
    {
        throw HpccInputError("telemetry border: it sums up reports about ports, but "
                             "ns3::TelemetryAgent::Bandwidth makes them about classes; LineRate is "
                             "allowed");
    }
    bool found = false;
    if (node < m_topology.GetNodes() && m_topology.IsSwitch(node))
    {
        auto border = m_nodes.Get(node)->GetObject<TelemetryBorder>();
        if (!border)
        {
            border = CreateObject<TelemetryBorder>();
            border->SetInventory(m_inventory);
            border->SetDefaultBaseRtt(NanoSeconds(m_baseRttNs));
            GetSwitch(node)->AddAgent(PeekPointer(border));
            m_nodes.Get(node)->AggregateObject(border);
        }
        for (const auto& edge : m_edges[node])
        {
            if (edge.neighbour == neighbour)
            {
                border->AddPort(edge.port);
                found = true;
            }
        }
    }
    if (!found)
    {
        throw HpccInputError("telemetry border from node " + std::to_string(node) + " to node " +
                             std::to_string(neighbour) +
                             ": no link leads from a switch of that number to that node");
    }
}

void
HpccFabricHelper::AddSwitchAgent(const std::string& name)
{
    ObjectFactory factory;
    if (!HpccPresets::Find(SwitchAgent::GetTypeId(), name, factory))
    {
        throw HpccInputError("unknown switch agent \"" + name +
                             "\"; choices: " + HpccPresets::Choices(SwitchAgent::GetTypeId()));
    }
    auto [kind, added] = m_switchAgents.insert({factory.GetTypeId(), {name, {}}});
    if (!added)
    {
        if (kind->second.name != name)
        {
            throw HpccInputError("switch agent \"" + name + "\": the switches run \"" +
                                 kind->second.name +
                                 "\" already, and a switch runs one of a class");
        }
        return;
    }
    for (uint32_t i = 0; i < m_topology.GetNodes(); ++i)
    {
        if (m_topology.IsSwitch(i))
        {
            auto agent = factory.Create<SwitchAgent>();
            Ptr<QbbSwitch> device = GetSwitch(i);
            agent->Install(device->GetPorts(), NanoSeconds(m_baseRttNs));
            device->AddAgent(PeekPointer(agent));
            m_nodes.Get(i)->AggregateObject(agent);
            kind->second.agents.push_back(agent);
            if (m_nextStream >= 0)
            {
                m_nextStream += agent->AssignStreams(m_nextStream);
            }
        }
    }
}

uint32_t
HpccFabricHelper::Connect(uint32_t source,
                          uint32_t destination,
                          const PolicySpec& spec,
                          uint16_t udpSourcePort,
                          bool singleMessage,
                          bool reads)
{
    for (uint32_t host : {source, destination})
    {
        if (host >= m_topology.GetNodes() || m_topology.IsSwitch(host))
        {
            throw HpccInputError("flow " + std::to_string(source) + " -> " +
                                 std::to_string(destination) + ": node " + std::to_string(host) +
                                 " is not a host of the topology");
        }
    }
    if (source == destination)
    {
        throw HpccInputError("flow from host " + std::to_string(source) + " to itself");
    }
    const int64_t pathRttNs = GetPath(source, destination).baseRttNs;
    if (m_bandwidth == TelemetryAgent::SHARE)
    {
        CheckGuarantee(spec, source);
    }
    RdmaQueuePairConfig config;
    config.policy = FindPolicy(source, spec, pathRttNs);
    if (spec.feedback)
    {
        const std::string why =
            spec.feedback->ValidateFor(*config.policy, spec.format->GetCapabilities(), m_baseRttNs);
        if (!why.empty())
        {
            throw HpccInputError(why);
        }
    }
    if (reads)
    {
        config.responderPolicy = FindPolicy(destination, spec, pathRttNs);
    }
    CheckProbes(spec, source);
    if (spec.feedback && !spec.feedback->GetPortAgent().empty())
    {
        Subscribe(spec, source);
    }
    CheckReports(spec, source, destination);
    config.telemetry = spec.format;
    config.dscp = spec.dscp;
    config.feedback = spec.feedback;
    config.thinned = !m_agents.empty() && m_agents.front()->IsThinned();
    config.udpSourcePort = udpSourcePort;
    config.baseRttNs = pathRttNs;
    config.spread = m_spread;
    config.networkBaseRttNs = m_baseRttNs;
    config.singleMessage = singleMessage;
    return GetHost(source)->Connect(GetHost(destination), config);
}

Ptr<RdmaCongestionOps>
HpccFabricHelper::FindPolicy(uint32_t host, const PolicySpec& spec, int64_t pathRttNs)
{
    const int64_t policyRttNs = m_perPathBaseRtt ? pathRttNs : m_baseRttNs;
    std::ostringstream key;
    key << spec.policy << " " << policyRttNs;
    auto& known = m_policies[{host, PeekPointer(spec.format)}];
    auto found = std::find_if(known.begin(), known.end(), [&key](const auto& entry) {
        return entry.first == key.str();
    });
    if (found == known.end())
    {
        auto policy = spec.policy.Create<RdmaCongestionOps>();
        policy->SetNetworkBaseRtt(policyRttNs);
        TelemetryCapabilities carried{};
        if (spec.format)
        {
            carried = spec.format->GetCapabilities();
        }
        if (spec.feedback && spec.feedback->ReportsWorstHop())
        {
            carried.fields &= ~TELEMETRY_HOP_LATENCY; // HpccWorstHop has no room for it
        }
        std::string why = policy->Validate(policyRttNs, spec.format ? &carried : nullptr);
        if (!why.empty())
        {
            throw HpccInputError(why);
        }
        if (spec.format)
        {
            if (m_ranks)
            {
                m_ranks->AddFormat(PeekPointer(spec.format));
            }
            CheckFormat(spec);
            CheckBandwidth(*policy, spec);
            CheckDscp(spec, host);
        }
        CheckSpread(*policy, spec);
        if (m_repathingFactory.IsTypeIdSet())
        {
            const bool carries = policy->Needs() & RdmaCongestionOps::NEED_TELEMETRY;
            why = m_repathingFactory.Create<RdmaRepathing>()->Validate(
                carries ? &spec.format->GetCapabilities() : nullptr);
            if (!why.empty())
            {
                throw HpccInputError("--paths: " + why + "; policy " +
                                     spec.policy.GetTypeId().GetName() + " with telemetry " +
                                     spec.telemetryName);
            }
        }
        std::string agent = policy->GetPortAgent();
        if (agent.empty() && spec.format)
        {
            agent = spec.format->GetPortAgent();
        }
        if (!agent.empty())
        {
            AddSwitchAgent(agent);
        }
        known.emplace_back(key.str(), policy);
        found = known.end() - 1;
    }
    return found->second;
}

void
HpccFabricHelper::CheckSpread(const RdmaCongestionOps& policy, const PolicySpec& spec) const
{
    auto tolerated =
        policy.GetToleratedSpread(spec.format ? &spec.format->GetCapabilities() : nullptr);
    if (m_spread > tolerated)
    {
        throw HpccInputError("--paths: " + spec.policy.GetTypeId().GetName() + " with telemetry " +
                             spec.telemetryName + " cannot tell the paths of a flow apart that " +
                             m_pathFactory.GetTypeId().GetName() +
                             (tolerated == PathSpread::NONE
                                  ? " takes now and then; allowed are ecmp and "
                                  : " takes in one round trip; allowed are ecmp, flowlets, "
                                    "and ") +
                             "telemetry with the ids of hops");
    }
}

void
HpccFabricHelper::CheckFormat(const PolicySpec& spec) const
{
    TelemetryNetwork network{0,
                             0,
                             m_switchHops,
                             0,
                             m_baseRttNs,
                             m_bandwidth != TelemetryAgent::LINE_RATE};
    for (uint32_t node = 0; node < m_topology.GetNodes(); ++node)
    {
        if (m_topology.IsSwitch(node))
        {
            network.largestSwitchId = node;
            network.largestPortId =
                std::max(network.largestPortId, static_cast<uint32_t>(m_edges[node].size()) - 1);
        }
        for (const auto& edge : m_edges[node])
        {
            network.fastestBps = std::max(network.fastestBps, edge.rateBps);
        }
    }
    std::string why = spec.format->Validate(network);
    if (!why.empty())
    {
        throw HpccInputError("telemetry format " + spec.telemetryName + ": " + why);
    }
}

void
HpccFabricHelper::CheckBandwidth(const RdmaCongestionOps& policy, const PolicySpec& spec) const
{
    if (m_bandwidth == TelemetryAgent::LINE_RATE)
    {
        return;
    }
    const TelemetryCapabilities& carried = spec.format->GetCapabilities();
    constexpr uint16_t ids = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID;
    const bool residual = m_bandwidth == TelemetryAgent::RESIDUAL;
    const bool normalised = carried.pathExtreme || !policy.NeedsBandwidth(carried);
    std::string why;
    if (!policy.GetPortAgent().empty() || !spec.format->GetPortAgent().empty())
    {
        why = "the switch agent that it needs measures whole ports; LineRate is allowed";
    }
    else if (residual && carried.fields & TELEMETRY_TX_BYTES)
    {
        why = "it has one byte counter and cannot say what others leave; Share, LineRate, or a "
              "format that carries the utilisation is allowed";
    }
    else if (residual && !normalised)
    {
        why = "it does not say what others leave, which " + spec.policy.GetTypeId().GetName() +
              " must know to judge a queue length; Share, LineRate, or a sojourn time as the queue "
              "signal is allowed";
    }
    else if (!residual && !normalised && (carried.fields & ids) != ids)
    {
        why = "it does not say which hop a share belongs to; LineRate, or a format with the ids of "
              "hops is allowed";
    }
    if (!why.empty())
    {
        throw HpccInputError("ns3::TelemetryAgent::Bandwidth " +
                             std::string(residual ? "Residual" : "Share") +
                             " with telemetry format " + spec.telemetryName + ": " + why);
    }
}

void
HpccFabricHelper::CheckGuarantee(const PolicySpec& spec, uint32_t host)
{
    const uint8_t own = 1U << PriorityOf(spec, host);
    m_dataPriorities |= own;
    m_relyOnShare |= spec.format ? own : 0;
    const EgressScheduler& scheduler = m_devices.front()->GetScheduler();
    for (uint8_t p = 0; p < PRIORITIES; ++p)
    {
        const auto ahead = static_cast<uint8_t>(scheduler.GetAhead(p) & m_dataPriorities);
        if (m_relyOnShare >> p & 1 && ahead)
        {
            throw HpccInputError(
                "ns3::TelemetryAgent::Bandwidth Share: priority " + std::to_string(p) +
                " is guaranteed nothing, for data of priority " +
                std::to_string(__builtin_ctz(ahead)) +
                " goes first; Residual, or ns3::QbbNetDevice::Weights for both is allowed");
        }
    }
}

uint8_t
HpccFabricHelper::PriorityOf(const PolicySpec& spec, uint32_t host) const
{
    UintegerValue dscp(static_cast<uint64_t>(std::max<int>(spec.dscp, 0)));
    if (spec.dscp < 0)
    {
        GetHost(host)->GetAttribute("DataDscp", dscp);
    }
    return GetHost(host)->GetPort().GetPriority(static_cast<uint8_t>(dscp.Get() << 2));
}

void
HpccFabricHelper::CheckDscp(const PolicySpec& spec, uint32_t source) const
{
    const int marked = spec.format->GetMarking().dscp;
    if (marked < 0)
    {
        return;
    }
    const std::string mark =
        "telemetry format " + spec.telemetryName + ": its DSCP " + std::to_string(marked);
    UintegerValue dscp;
    for (const char* name : {"CnpDscp", "AckDscp", "DataDscp"})
    {
        GetHost(source)->GetAttribute(name, dscp);
        if (dscp.Get() == static_cast<uint64_t>(marked))
        {
            throw HpccInputError(mark + " is also ns3::RdmaHost::" + name +
                                 "; it must be used by nothing else");
        }
    }
    CheckPriority(mark, static_cast<uint8_t>(marked), spec, source);
}

void
HpccFabricHelper::CheckProbes(const PolicySpec& spec, uint32_t source)
{
    if (m_probesChecked || !spec.feedback || !spec.feedback->SendsProbes())
    {
        return;
    }
    m_probesChecked = true;
    UintegerValue dscp;
    GetHost(source)->GetAttribute("ProbeDscp", dscp);
    CheckPriority("--feedback " + spec.feedbackName + ": ns3::RdmaHost::ProbeDscp " +
                      std::to_string(dscp.Get()),
                  static_cast<uint8_t>(dscp.Get()),
                  spec,
                  source);
}

void
HpccFabricHelper::CheckReports(const PolicySpec& spec, uint32_t source, uint32_t destination) const
{
    if (!spec.feedback || !spec.feedback->ReportsWorstHop())
    {
        return;
    }
    const std::string what = "--feedback " + spec.feedbackName;
    if (m_spread == PathSpread::EVERY_PACKET)
    {
        throw HpccInputError(what + ": one hop is reported of one path, but " +
                             m_pathFactory.GetTypeId().GetName() +
                             " takes several in one round trip; allowed are ecmp and flowlets");
    }
    if (!spec.feedback->ReportsBareHop())
    {
        return;
    }
    const PathTimes path = GetPath(source, destination);
    const bool equal = std::all_of(path.rates.begin(), path.rates.end(), [&path](uint64_t rate) {
        return rate == path.rates.front();
    });
    if (path.choice || !equal || m_spread != PathSpread::NONE || !m_linkEvents.empty())
    {
        throw HpccInputError(what + ": three values do not say of which link they are; from host " +
                             std::to_string(source) + " to host " + std::to_string(destination) +
                             (equal ? " there are several paths" : " links have different rates") +
                             "; allowed is one path, of links of one rate");
    }
}

void
HpccFabricHelper::Subscribe(const PolicySpec& spec, uint32_t source)
{
    AddSwitchAgent(spec.feedback->GetPortAgent());
    if (spec.feedback->GetSubscribe() != RdmaFeedback::BY_DSCP)
    {
        return;
    }
    const uint8_t dscp = spec.feedback->GetSubscribedDscp();
    CheckPriority("--feedback " + spec.feedbackName + ": ns3::RdmaFeedback::SubscribedDscp " +
                      std::to_string(dscp),
                  dscp,
                  spec,
                  source);
    for (const auto& [kind, running] : m_switchAgents)
    {
        for (const auto& agent : running.agents)
        {
            agent->SetAttributeFailSafe("SubscribedDscp", UintegerValue(dscp));
        }
    }
}

void
HpccFabricHelper::CheckPriority(const std::string& what,
                                uint8_t dscp,
                                const PolicySpec& spec,
                                uint32_t source) const
{
    UintegerValue own;
    GetHost(source)->GetAttribute("DataDscp", own);
    const auto data = static_cast<uint8_t>(spec.dscp < 0 ? own.Get() : spec.dscp);
    for (const auto& device : m_devices)
    {
        uint8_t wanted = device->GetPriority(static_cast<uint8_t>(data << 2));
        uint8_t found = device->GetPriority(static_cast<uint8_t>(dscp << 2));
        if (found != wanted)
        {
            throw HpccInputError(
                what + " has priority " + std::to_string(found) + ", but the data's DSCP " +
                std::to_string(data) + " has " + std::to_string(wanted) +
                "; ns3::QbbNetDevice::DscpToPriority of node " +
                std::to_string(device->GetNode()->GetId()) + " must give both the same");
        }
    }
}

void
HpccFabricHelper::AddMessage(uint32_t source,
                             uint32_t queuePair,
                             uint64_t bytes,
                             Time at,
                             RdmaVerb verb)
{
    if (!IsHere(source))
    {
        return;
    }
    Ptr<Node> node = m_nodes.Get(source);
    for (uint32_t i = 0; i < node->GetNApplications(); ++i)
    {
        if (auto application = DynamicCast<RdmaApplication>(node->GetApplication(i)))
        {
            application->AddMessage(at, queuePair, bytes, verb);
            return;
        }
    }
    NS_ABORT_MSG("HpccFabricHelper::AddMessage: node " << source << " has no RdmaApplication");
}

int64_t
HpccFabricHelper::AssignStreams(int64_t stream)
{
    int64_t first = stream;
    for (uint32_t i = 0; i < m_nodes.GetN(); ++i)
    {
        if (m_topology.IsSwitch(i))
        {
            stream += GetSwitch(i)->AssignStreams(stream);
        }
    }
    for (const auto& device : m_devices)
    {
        PointerValue errors;
        device->GetAttribute("ReceiveErrorModel", errors);
        if (auto model = errors.Get<RateErrorModel>())
        {
            stream += model->AssignStreams(stream);
        }
    }
    for (const auto& [kind, running] : m_switchAgents)
    {
        for (const auto& agent : running.agents)
        {
            stream += agent->AssignStreams(stream);
        }
    }
    for (uint32_t i = 0; i < m_nodes.GetN(); ++i)
    {
        if (!m_topology.IsSwitch(i))
        {
            stream += GetHost(i)->AssignStreams(stream);
        }
    }
    m_nextStream = stream;
    return stream - first;
}

void
HpccFabricHelper::EndAt(Time at) const
{
    for (uint32_t i = 0; i < m_nodes.GetN(); ++i)
    {
        NodeAgenda::Of(m_nodes.Get(i))->EndAt(at.GetNanoSeconds());
    }
    Simulator::Stop(at - Simulator::Now());
}

void
HpccFabricHelper::CatchUp() const
{
    for (uint32_t i = 0; i < m_nodes.GetN(); ++i)
    {
        NodeAgenda::Of(m_nodes.Get(i))->CatchUp();
    }
}

Ptr<RdmaHost>
HpccFabricHelper::GetHost(uint32_t host) const
{
    return m_nodes.Get(host)->GetObject<RdmaHost>();
}

Ptr<QbbSwitch>
HpccFabricHelper::GetSwitch(uint32_t node) const
{
    return m_nodes.Get(node)->GetObject<QbbSwitch>();
}

uint32_t
HpccFabricHelper::GetAddress(uint32_t host)
{
    return FIRST_ADDRESS + host;
}

uint32_t
HpccFabricHelper::GetHostNumber(uint32_t address)
{
    return address - FIRST_ADDRESS;
}

void
HpccFabricHelper::EnablePcapInternal(std::string prefix,
                                     Ptr<NetDevice> device,
                                     bool,
                                     bool explicitFilename)
{
    if (!DynamicCast<QbbNetDevice>(device))
    {
        return;
    }
    PcapHelper pcap;
    std::string name = explicitFilename ? prefix : pcap.GetFilenameFromDevice(prefix, device);
    Ptr<PcapFileWrapper> file = pcap.CreateFile(name, std::ios::out, PcapHelper::DLT_EN10MB);
    pcap.HookDefaultSink<QbbNetDevice>(DynamicCast<QbbNetDevice>(device), "PromiscSniffer", file);
}

} // namespace ns3
