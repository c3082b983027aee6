/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-fabric-helper.h"

#include "ns3/error-model.h"
#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-packet-trimmer.h"
#include "ns3/hpcc-pcap-link-type.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-ranks.h"
#include "ns3/hpcc-telemetry-agent.h"
#include "ns3/hpcc-telemetry-border.h"
#include "ns3/hpcc-telemetry-inventory.h"
#include "ns3/pcap-file-wrapper.h"
#include "ns3/pointer.h"
#include "ns3/rdma-entropy.h"
#include "ns3/rdma-nic.h"
#include "ns3/rdma-recovery.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint32_t FIRST_ADDRESS = 0x0b000001; ///< 11.0.0.1
/// Addresses of port 0 of all hosts, then those of port 1.
constexpr uint32_t ADDRESSES_PER_PORT = HpccTopology::MAX_NODES;

} // namespace

HpccFabricHelper::HpccFabricHelper()
{
    m_deviceFactory.SetTypeId("ns3::QbbNetDevice");
    m_channelFactory.SetTypeId("ns3::QbbChannel");
    m_agentFactory.SetTypeId("ns3::TelemetryAgent");
    m_hostFactory.SetTypeId("ns3::RdmaHost");
    m_nicFactory.SetTypeId("ns3::RdmaNic");
}

HpccFabricHelper::~HpccFabricHelper() = default;

HpccFabricHelper& HpccFabricHelper::operator=(HpccFabricHelper&& other) = default;

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

HpccSwitchParts&
HpccFabricHelper::PartsOf(uint32_t node)
{
    return m_partsOf.insert({node, m_parts}).first->second;
}

const HpccSwitchParts&
HpccFabricHelper::FindParts(uint32_t node) const
{
    const auto own = m_partsOf.find(node);
    return own == m_partsOf.end() ? m_parts : own->second;
}

void
HpccFabricHelper::CheckParts() const
{
    for (const auto& [node, parts] : m_partsOf)
    {
        if (node >= m_topology.GetNodes() || !m_topology.IsSwitch(node))
        {
            throw HpccInputError("ns3::HpccFabricHelper::PartsOf: node " + std::to_string(node) +
                                 " is no switch of the topology; its switches are allowed");
        }
    }
}

void
HpccFabricHelper::SetTrimming(const std::string& name)
{
    ObjectFactory factory;
    if (name != "none" && !HpccPresets::Find(PacketTrimmer::GetTypeId(), name, factory))
    {
        throw HpccInputError(DescribeUnknownPreset("--trimming: unknown",
                                                   name,
                                                   PacketTrimmer::GetTypeId(),
                                                   {"none"}));
    }
    m_trimming = name;
}

void
HpccFabricHelper::SetEntropy(const std::string& name, uint32_t values)
{
    m_entropyName = name;
    m_entropyFactory = ObjectFactory();
    if (name != "none" && !HpccPresets::Find(RdmaEntropy::GetTypeId(), name, m_entropyFactory))
    {
        throw HpccInputError(
            DescribeUnknownPreset("--entropy: unknown", name, RdmaEntropy::GetTypeId(), {"none"}));
    }
    if (name == "none")
    {
        return;
    }
    if (values > RdmaEntropy::MAX_VALUES)
    {
        throw HpccInputError("--evs: " + std::to_string(values) + " is outside 1 to " +
                             std::to_string(RdmaEntropy::MAX_VALUES));
    }
    if (values > 0)
    {
        m_entropyFactory.Set("Evs", UintegerValue(values));
    }
    const std::string why = m_entropyFactory.Create<RdmaEntropy>()->Validate();
    if (!why.empty())
    {
        throw HpccInputError("--entropy " + name + ": " + why);
    }
}

void
HpccFabricHelper::SetNic(const std::string& name)
{
    if (!HpccPresets::Find(RdmaNic::GetTypeId(), name, m_nicFactory))
    {
        throw HpccInputError(DescribeUnknownPreset("--nic: unknown", name, RdmaNic::GetTypeId()));
    }
}

void
HpccFabricHelper::CheckNic(Time run) const
{
    PointerValue nic;
    GetHost(m_topology.GetHosts().front())->GetAttribute("Nic", nic);
    const std::string why = nic.Get<RdmaNic>()->Validate(run);
    if (!why.empty())
    {
        throw HpccInputError(why + ", the longest run");
    }
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
    m_pathsName = name;
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
        std::vector<std::string> others{"ecmp"};
        for (const auto& selector : HpccPresets::Names(PathSelector::GetTypeId()))
        {
            others.push_back(selector);
        }
        throw HpccInputError(
            DescribeUnknownPreset("--paths: unknown", name, RdmaRepathing::GetTypeId(), others));
    }
}

bool
HpccFabricHelper::LosesOrder() const
{
    StringValue name;
    GetHost(m_topology.GetHosts().front())->GetAttribute("Recovery", name);
    ObjectFactory recovery;
    return GetSpread() == PathSpread::EVERY_PACKET &&
           HpccPresets::Find(RdmaRecovery::GetTypeId(), name.Get(), recovery) &&
           !recovery.Create<RdmaRecovery>()->ToleratesReordering();
}

PathSpread
HpccFabricHelper::GetSpread() const
{
    return m_entropyFactory.IsTypeIdSet() ? PathSpread::EVERY_PACKET : m_spread;
}

void
HpccFabricHelper::SetPerPathBaseRtt(bool perPath)
{
    m_baseRttChosen = true;
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
HpccFabricHelper::SetNetworkBaseRttNs(int64_t baseRttNs)
{
    m_baseRttNs = baseRttNs;
    for (const auto& agent : m_agents)
    {
        agent->SetDefaultWindow(NanoSeconds(baseRttNs));
    }
}

void
HpccFabricHelper::AddTelemetryBorder(uint32_t node, uint32_t neighbour)
{
    if (m_ofClasses)
    {
        throw HpccInputError("telemetry border: it sums up records about ports, but "
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
    if (found)
    {
        m_borders.push_back(node);
        CheckBorders(m_worstHopFeedback);
        for (const auto& [format, name] : m_formats)
        {
            CheckBorders(name, *format);
        }
    }
    else
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
        throw HpccInputError(
            DescribeUnknownPreset("unknown switch agent", name, SwitchAgent::GetTypeId()));
    }
    auto [kind, added] = m_switchAgents.insert({factory.GetTypeId(), {name, {}}});
    if (!added)
    {
        if (kind->second.name != name)
        {
            throw HpccInputError("switch agent \"" + name + "\": the switches run \"" +
                                 kind->second.name +
                                 "\" already, and a switch runs one agent of a class");
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
    const auto hosts = m_topology.GetHosts();
    for (uint32_t i : hosts)
    {
        // All have the same delays; the first is known everywhere.
        stream +=
            IsHere(i) ? GetHost(i)->AssignStreams(stream) : GetHost(hosts.front())->CountStreams();
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
    if (m_ranks)
    {
        m_ranks->CatchUp();
    }
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
HpccFabricHelper::GetAddress(uint32_t host, uint32_t port)
{
    return FIRST_ADDRESS + host + port * ADDRESSES_PER_PORT;
}

uint32_t
HpccFabricHelper::GetHostNumber(uint32_t address)
{
    return (address - FIRST_ADDRESS) % ADDRESSES_PER_PORT;
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
    Ptr<PcapFileWrapper> file = pcap.CreateFile(name, std::ios::out, PCAP_ETHERNET);
    pcap.HookDefaultSink<QbbNetDevice>(DynamicCast<QbbNetDevice>(device), "PromiscSniffer", file);
    m_pcap.emplace_back(name, file);
}

void
HpccFabricHelper::ClosePcap()
{
    for (const auto& [name, file] : m_pcap)
    {
        file->Close();
        if (file->Fail())
        {
            throw HpccInputError("--pcap: cannot write " + name);
        }
    }
    m_pcap.clear();
}

} // namespace ns3
