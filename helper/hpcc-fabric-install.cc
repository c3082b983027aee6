/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-fabric-helper.h"

#include "ns3/error-model.h"
#include "ns3/hpcc-class-meter.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-ranks.h"
#include "ns3/hpcc-telemetry-agent.h"
#include "ns3/hpcc-telemetry-inventory.h"
#include "ns3/log.h"
#include "ns3/object-factory.h"
#include "ns3/pointer.h"
#include "ns3/rdma-entropy.h"
#include "ns3/rdma-nic.h"
#include "ns3/rdma-recovery.h"
#include "ns3/string.h"

#include <string>
#include <utility>

// The part of HpccFabricHelper that makes the network: links, devices, switches and hosts.

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("HpccFabricHelper");

Ptr<const TelemetryInventory>
HpccFabricHelper::GetInventory() const
{
    return m_inventory;
}

void
HpccFabricHelper::Install(const HpccTopology& topology)
{
    NS_LOG_FUNCTION(this);
    if (m_nodes.GetN() != 0)
    {
        throw HpccInputError("ns3::HpccFabricHelper::Install: a topology of " +
                             std::to_string(m_nodes.GetN()) +
                             " nodes is installed already; Install() may be called once");
    }
    topology.Validate();
    m_topology = topology;
    CheckParts();
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
    DefaultBaseRtt();
    SetNetworkBaseRttNs(m_baseRttNs);
    CheckEntropy();
    InstallTrimming();
}

void
HpccFabricHelper::InstallTrimming()
{
    if (m_trimming == "none")
    {
        return;
    }
    StringValue recovery;
    GetHost(m_topology.GetHosts().front())->GetAttribute("Recovery", recovery);
    ObjectFactory factory;
    if (HpccPresets::Find(RdmaRecovery::GetTypeId(), recovery.Get(), factory))
    {
        const auto terms = factory.Create<RdmaRecovery>()->GetSackTerms({1, 1, 0, 1});
        if (terms && terms->sleek)
        {
            throw HpccInputError("--trimming " + m_trimming + " with --recovery " + recovery.Get() +
                                 ": it infers losses from packets that wait for one before them, "
                                 "as all do that overtake a trimmed packet; allowed are recoveries "
                                 "without RdmaSack::Sleek, such as sack");
        }
    }
    ObjectFactory trimmer;
    HpccPresets::Find(SwitchAgent::GetTypeId(), m_trimming, trimmer);
    trimmer.Create<SwitchAgent>(); // what is wrong with its attributes is no matter of PFC
    try
    {
        AddSwitchAgent(m_trimming);
    }
    catch (const HpccInputError& error)
    {
        throw HpccInputError("--trimming " + m_trimming +
                             " with --flow-control pfc: " + error.what());
    }
}

void
HpccFabricHelper::InstallLink(const HpccTopology::Link& link)
{
    const bool cut = IsHere(link.a) != IsHere(link.b);
    // The first link exists at all ranks, so that there is always a device to query.
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
        const uint64_t rateBps = (node == link.a ? link.rate : link.GetRateBack()).GetBitRate();
        const auto port = static_cast<uint16_t>(m_edges[node].size());
        const int64_t delayNs = link.delay.GetNanoSeconds();
        m_edges[node].push_back({neighbour, port, rateBps, delayNs, number});
        if (!whole && !IsHere(node))
        {
            elsewhere = Mac48Address::Allocate();
            m_devices.push_back(nullptr);
            continue;
        }
        auto device = InstallDevice(node, rateBps);
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
    if (auto scheduler = FindParts(node).MakeScheduler())
    {
        device->SetAttribute("Scheduler", PointerValue(scheduler));
    }
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
        const HpccSwitchParts& parts = FindParts(i);
        device->SetAttribute("Buffer", PointerValue(parts.MakeBuffer()));
        device->SetAttribute("EcnMarker", PointerValue(parts.MakeMarker()));
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
    std::vector<uint32_t> further;
    for (const auto& edge : m_edges[i])
    {
        if (!m_devices[2 * edge.link + (m_topology.GetLinks()[edge.link].a == i ? 0 : 1)])
        {
            InstallDevice(i, edge.rateBps)->SetIfIndex(edge.port);
        }
        if (edge.port > 0)
        {
            further.push_back(GetAddress(i, edge.port));
        }
    }
    auto host = m_hostFactory.Create<RdmaHost>();
    PointerValue nic;
    host->GetAttribute("Nic", nic);
    if (!nic.Get<RdmaNic>())
    {
        host->SetAttribute("Nic", PointerValue(m_nicFactory.Create<RdmaNic>()));
    }
    if (m_entropyFactory.IsTypeIdSet())
    {
        host->SetAttribute("Entropy", PointerValue(m_entropyFactory.Create<RdmaEntropy>()));
    }
    host->Install(node, GetAddress(i), further);
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
    const TelemetryAgent::Bandwidth bandwidth = m_agents.front()->GetBandwidth();
    m_ofClasses = bandwidth != TelemetryAgent::LINE_RATE;
    m_ofResidual = bandwidth == TelemetryAgent::RESIDUAL;
    const EgressScheduler& scheduler = m_devices.front()->GetScheduler();
    for (uint8_t p = 0; p < PRIORITIES && m_ofClasses; ++p)
    {
        if (!(scheduler.GetShare(p) > 0))
        {
            throw HpccInputError(
                "ns3::TelemetryAgent::Bandwidth is about shares of the link, but " +
                scheduler.GetInstanceTypeId().GetName() +
                " guarantees none; LineRate, or another scheduler is allowed");
        }
    }
    for (size_t i = 0; i < m_devices.size() && m_ofClasses; ++i)
    {
        for (uint8_t p = 0; m_devices[i] && p < PRIORITIES; ++p)
        {
            const EgressScheduler& own = m_devices[i]->GetScheduler();
            if (own.GetShare(p) != scheduler.GetShare(p) ||
                own.GetAhead(p) != scheduler.GetAhead(p))
            {
                throw HpccInputError(
                    "ns3::TelemetryAgent::Bandwidth is about shares of the link, but the scheduler "
                    "of node " +
                    std::to_string(GetNodeOf(i)) +
                    " has others than that of node 0; LineRate, or equal schedulers are allowed");
            }
        }
    }
    for (uint8_t p = 0; p < PRIORITIES && m_ofClasses && !m_ofResidual; ++p)
    {
        auto shares = Create<TelemetryInventory>();
        for (uint32_t i = 0; i < m_topology.GetNodes(); ++i)
        {
            for (const auto& edge : m_edges[i])
            {
                const ClassMeter meter(scheduler, edge.rateBps);
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

} // namespace ns3
