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
        for (size_t end : {2 * event.link, 2 * event.link + 1})
        {
            if (IsHere(GetNodeOf(end)))
            {
                m_devices[end]->ScheduleLink(event.atNs, event.up);
            }
        }
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
HpccFabricHelper::Install(const HpccTopology& topology)
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(m_nodes.GetN() != 0, "HpccFabricHelper::Install: already installed");
    topology.Validate();
    m_topology = topology;
    CreateNodes();
    for (uint32_t i = 0; m_maxLag.IsStrictlyPositive() && i < m_nodes.GetN(); ++i)
    {
        if (IsHere(i))
        {
            AgendaOf(i).SetAttribute("MaxLag", TimeValue(m_maxLag));
        }
    }
    m_edges.resize(topology.GetNodes());
    for (const auto& link : topology.GetLinks())
    {
        InstallLink(link);
    }
    m_inventory = Create<TelemetryInventory>();
    for (uint32_t i = 0; i < topology.GetNodes(); ++i)
    {
        if (topology.IsSwitch(i))
        {
            InstallSwitch(i);
        }
        else if (IsHere(i))
        {
            InstallHost(i);
            m_nodes.Get(i)->AddApplication(CreateObject<RdmaApplication>());
        }
    }
    ShareInventory();
    JoinRanks();
    PlanLinks();
    ComputeRoutes();
    SetNetworkBaseRttNs(m_baseRttNs);
}

void
HpccFabricHelper::InstallLink(const HpccTopology::Link& link)
{
    const bool cut = IsHere(link.a) != IsHere(link.b);
    // The first link is everywhere, so that there is always a device to ask.
    const bool whole = m_devices.empty() || (cut && m_ranks->NeedsBothEnds());
    const auto number = static_cast<uint32_t>(m_devices.size() / 2);
    Ptr<QbbChannel> channel;
    if (whole || IsHere(link.a) || IsHere(link.b))
    {
        m_channelFactory.Set("Delay", TimeValue(link.delay));
        channel = m_channelFactory.Create<QbbChannel>();
    }
    Mac48Address elsewhere;
    for (auto [node, neighbour] : {std::pair(link.a, link.b), std::pair(link.b, link.a)})
    {
        const auto port = static_cast<uint16_t>(m_edges[node].size());
        const int64_t delayNs = link.delay.GetNanoSeconds();
        m_edges[node].push_back({neighbour, port, link.rate.GetBitRate(), delayNs, number});
        if (!whole && !IsHere(node))
        {
            elsewhere = Mac48Address::Allocate();
            m_devices.push_back(nullptr);
            continue;
        }
        auto device = InstallDevice(node, link.rate.GetBitRate());
        device->SetIfIndex(port);
        device->Attach(channel);
        if (link.errorRate > 0)
        {
            auto errors = CreateObject<RateErrorModel>();
            errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
            errors->SetRate(link.errorRate);
            device->SetAttribute("ReceiveErrorModel", PointerValue(errors));
        }
        m_devices.push_back(device);
    }
    if (cut && !whole)
    {
        channel->AttachElsewhere(m_rankOf[IsHere(link.a) ? link.b : link.a], elsewhere);
    }
}

NodeAgenda&
HpccFabricHelper::AgendaOf(uint32_t node) const
{
    NodeAgenda& agenda = *NodeAgenda::Of(m_nodes.Get(node));
    if (!IsHere(node))
    {
        agenda.SetForeign();
    }
    return agenda;
}

Ptr<QbbNetDevice>
HpccFabricHelper::InstallDevice(uint32_t node, uint64_t rateBps) const
{
    AgendaOf(node);
    auto device = m_deviceFactory.Create<QbbNetDevice>();
    device->SetAttribute("DataRate", DataRateValue(DataRate(rateBps)));
    m_nodes.Get(node)->AddDevice(device);
    return device;
}

void
HpccFabricHelper::InstallSwitch(uint32_t i)
{
    Ptr<Node> node = m_nodes.Get(i);
    AgendaOf(i);
    auto device = CreateObject<QbbSwitch>();
    if (IsHere(i))
    {
        device->SetAttribute("Buffer", PointerValue(m_bufferFactory.Create<SharedBuffer>()));
        device->SetAttribute("EcnMarker", PointerValue(m_ecnFactory.Create<EcnMarker>()));
    }
    if (m_pathFactory.IsTypeIdSet())
    {
        device->SetAttribute("PathSelector", PointerValue(m_pathFactory.Create<PathSelector>()));
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

Ptr<RdmaHost>
HpccFabricHelper::InstallHost(uint32_t i) const
{
    Ptr<Node> node = m_nodes.Get(i);
    const Edge& edge = m_edges[i].front();
    if (!m_devices[2 * edge.link + (m_topology.GetLinks()[edge.link].a == i ? 0 : 1)])
    {
        InstallDevice(i, edge.rateBps);
    }
    auto host = m_hostFactory.Create<RdmaHost>();
    host->Install(node, GetAddress(i));
    if (m_repathingFactory.IsTypeIdSet())
    {
        host->SetAttribute("Repathing", PointerValue(m_repathingFactory.Create<RdmaRepathing>()));
    }
    host->SetInventory(m_inventory);
    node->AggregateObject(host);
    return host;
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
            if (IsHere(host))
            {
                GetHost(host)->SetInventory(p, shares);
            }
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
            if (IsHere(i))
            {
                Ptr<QbbSwitch> device = GetSwitch(i);
                agent->Install(device->GetPorts(), NanoSeconds(m_baseRttNs));
                device->AddAgent(PeekPointer(agent));
                m_nodes.Get(i)->AggregateObject(agent);
            }
            kind->second.agents.push_back({agent, i});
            if (m_nextStream >= 0)
            {
                m_nextStream += AssignStreams(kind->second.agents.back(), m_nextStream);
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
    // What never runs here, all hosts elsewhere may share.
    auto& known = m_policies[{IsHere(host) ? host : UINT32_MAX, PeekPointer(spec.format)}];
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
            stream += IsHere(i) ? 0 : QbbSwitch::STREAMS_PER_PORT * m_edges[i].size();
            stream += GetSwitch(i)->AssignStreams(stream);
        }
    }
    for (size_t i = 0; i < m_devices.size(); ++i)
    {
        if (!m_devices[i])
        {
            stream += m_topology.GetLinks()[i / 2].errorRate > 0 ? 1 : 0;
            continue;
        }
        PointerValue errors;
        m_devices[i]->GetAttribute("ReceiveErrorModel", errors);
        if (auto model = errors.Get<RateErrorModel>())
        {
            stream += model->AssignStreams(stream);
        }
    }
    for (const auto& [kind, running] : m_switchAgents)
    {
        for (const auto& agent : running.agents)
        {
            stream += AssignStreams(agent, stream);
        }
    }
    for (uint32_t i : m_topology.GetHosts())
    {
        stream += IsHere(i) ? GetHost(i)->AssignStreams(stream) : RdmaHost::STREAMS;
    }
    m_nextStream = stream;
    return stream - first;
}

int64_t
HpccFabricHelper::AssignStreams(const RunningAgent& running, int64_t stream) const
{
    return IsHere(running.node)
               ? running.agent->AssignStreams(stream)
               : running.agent->CountStreams(static_cast<uint32_t>(m_edges[running.node].size()));
}

void
HpccFabricHelper::EndAt(Time at) const
{
    for (uint32_t i = 0; i < m_nodes.GetN(); ++i)
    {
        if (IsHere(i))
        {
            AgendaOf(i).EndAt(at.GetNanoSeconds());
        }
    }
    Simulator::Stop(at - Simulator::Now());
}

void
HpccFabricHelper::CatchUp() const
{
    for (uint32_t i = 0; i < m_nodes.GetN(); ++i)
    {
        if (IsHere(i))
        {
            AgendaOf(i).CatchUp();
        }
    }
}

Ptr<RdmaHost>
HpccFabricHelper::GetHost(uint32_t host) const
{
    Ptr<RdmaHost> stack = m_nodes.Get(host)->GetObject<RdmaHost>();
    return stack || IsHere(host) ? stack : InstallHost(host);
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
