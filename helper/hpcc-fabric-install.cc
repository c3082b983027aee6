/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-fabric-checks.h"
#include "hpcc-fabric-installer.h"
#include "hpcc-fabric-ways.h"

#include "ns3/error-model.h"
#include "ns3/hpcc-class-meter.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-ranks.h"
#include "ns3/hpcc-telemetry-agent.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/log.h"
#include "ns3/object-factory.h"
#include "ns3/pointer.h"
#include "ns3/rdma-application.h"
#include "ns3/rdma-entropy.h"
#include "ns3/rdma-nic.h"

#include <algorithm>
#include <string>
#include <utility>

// The part of HpccFabricHelper that builds the network: links, devices, switches and hosts.

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("HpccFabricHelper");

Ptr<const TelemetryInventory>
HpccFabricHelper::GetInventory(uint8_t priority) const
{
    m_network->RequireInstalled("GetInventory");
    RequireRange("ns3::HpccFabricHelper::GetInventory: priority", priority, 0, PRIORITIES - 1);
    const auto& shares = m_network->shares[priority];
    return shares ? shares : m_network->inventory;
}

void
HpccFabricHelper::Install(const HpccTopology& topology)
{
    NS_LOG_FUNCTION(this);
    HPCC_REFUSE_IF(m_network->nodes.GetN() != 0,
                   "ns3::HpccFabricHelper::Install: a topology of " +
                       std::to_string(m_network->nodes.GetN()) +
                       " nodes is installed already; Install() may be called once");
    topology.Validate();
    m_network->topology = topology;
    Checks(*this).CheckParts();
    Installer installer(*this);
    installer.CreateNodes();
    m_network->edges.resize(topology.GetNodes());
    m_network->hosts.resize(topology.GetNodes());
    m_network->linkBits.resize(topology.GetNodes());
    m_network->switches.resize(topology.GetNodes());
    for (uint32_t i = 0; m_network->maxLag.IsStrictlyPositive() && i < m_network->nodes.GetN(); ++i)
    {
        if (IsHere(i))
        {
            m_network->AgendaOf(i).SetAttribute("MaxLag", TimeValue(m_network->maxLag));
        }
    }
    for (const auto& link : topology.GetLinks())
    {
        installer.InstallLink(link);
    }
    m_network->inventory = Create<TelemetryInventory>();
    for (uint32_t i = 0; i < topology.GetNodes(); ++i)
    {
        if (topology.IsSwitch(i))
        {
            installer.InstallSwitch(i);
        }
        else if (IsHere(i))
        {
            installer.InstallHost(i);
            m_network->nodes.Get(i)->AddApplication(CreateObject<RdmaApplication>());
        }
    }
    for (auto& [node, parts] : m_network->partsOf)
    {
        parts.Fix(node);
    }
    installer.ShareInventory();
    installer.JoinRanks();
    installer.PlanLinks();
    Ways(*this).ComputeRoutes();
    installer.DefaultBaseRtt();
    SetNetworkBaseRttNs(m_network->baseRttNs);
    Checks(*this).CheckEntropy();
    Checks(*this).CheckDevices();
    InstallTrimming();
    m_network->complete = true;
}

void
HpccFabricHelper::InstallTrimming()
{
    if (m_network->trimming == "none")
    {
        return;
    }
    const auto& [recovery, scheme] = Checks(*this).FindRecovery();
    const auto terms = scheme ? scheme->GetSackTerms({1, 1, 0, 1}) : nullptr;
    HPCC_REFUSE_IF(terms && terms->sleek,
                   "--trimming " + m_network->trimming + " with --recovery " + recovery +
                       ": it infers losses from packets that wait for an earlier one, as do all "
                       "packets that overtake a trimmed packet; allowed are recoveries without "
                       "RdmaSack::Sleek, such as sack");
    ObjectFactory trimmer;
    HpccPresets::Find(SwitchAgent::GetTypeId(), m_network->trimming, trimmer);
    trimmer.Create<SwitchAgent>(); // outside the try block, because errors in the trimmer's
                                   // attributes have nothing to do with PFC
    try
    {
        AddSwitchAgent(m_network->trimming);
    }
    catch (const HpccInputError& error)
    {
        const bool pfc = m_network->devices.front()->GetLosslessPriorities();
        throw HpccInputError("--trimming " + m_network->trimming + " with --flow-control " +
                             (pfc ? "pfc: " : "lossy: ") + error.what());
    }
}

void
HpccFabricHelper::Installer::InstallLink(const HpccTopology::Link& link)
{
    const bool cut = m_network.IsHere(link.a) != m_network.IsHere(link.b);
    // Every rank creates the devices of the first link, so that there is always a device whose
    // attributes can be read.
    const bool whole = m_network.devices.empty() || (cut && m_network.ranks->NeedsBothEnds());
    const auto number = static_cast<uint32_t>(m_network.devices.size() / 2);
    Ptr<QbbChannel> channel;
    if (whole || m_network.IsHere(link.a) || m_network.IsHere(link.b))
    {
        m_network.channelFactory.Set("Delay", TimeValue(link.delay));
        channel = m_network.channelFactory.Create<QbbChannel>();
    }
    Mac48Address elsewhere;
    uint64_t elsewhereBps = 0;
    for (auto [node, neighbour] : {std::pair(link.a, link.b), std::pair(link.b, link.a)})
    {
        const uint64_t rateBps = (node == link.a ? link.rate : link.GetRateBack()).GetBitRate();
        const uint64_t backBps = (node == link.a ? link.GetRateBack() : link.rate).GetBitRate();
        const auto port = static_cast<uint16_t>(m_network.edges[node].size());
        const int64_t delayNs = link.delay.GetNanoSeconds();
        m_network.edges[node].push_back({neighbour, port, rateBps, backBps, delayNs, number});
        if (!whole && !m_network.IsHere(node))
        {
            elsewhere = Mac48Address::Allocate();
            elsewhereBps = rateBps;
            m_network.devices.push_back(nullptr);
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
        m_network.devices.push_back(device);
    }
    if (cut && !whole)
    {
        channel->AttachElsewhere(m_network.rankOf[m_network.IsHere(link.a) ? link.b : link.a],
                                 elsewhere,
                                 elsewhereBps);
    }
}

Ptr<QbbNetDevice>
HpccFabricHelper::Installer::MakePort()
{
    // Copying a port is faster than creating one with its attributes. Therefore the port for the
    // next call is a copy of this port, made before the caller changes this port. Each new port
    // gets the next MAC address, so every copy must be used. With ranks, the ports of other ranks
    // get addresses, too, so no port can be made in advance.
    auto port = m_next ? m_next : m_network.deviceFactory.Create<QbbNetDevice>();
    const size_t ports = 2 * m_network.topology.GetLinks().size();
    bool copies = !m_network.ranks && m_network.devices.size() + 1 < ports;
    if (copies && !m_next)
    {
        PointerValue scheduler;
        port->GetAttribute("Scheduler", scheduler);
        copies = !scheduler.GetObject(); // a copy would have the same scheduler object, which ports
                                         // cannot share
    }
    m_next = copies ? CopyObject(port) : nullptr;
    return port;
}

Ptr<QbbNetDevice>
HpccFabricHelper::Installer::InstallDevice(uint32_t node, uint64_t rateBps)
{
    m_network.AgendaOf(node);
    auto device = MakePort();
    device->SetAttribute("DataRate", DataRateValue(DataRate(rateBps)));
    if (auto scheduler = m_network.FindParts(node).MakeScheduler())
    {
        device->SetAttribute("Scheduler", PointerValue(scheduler));
    }
    m_network.nodes.Get(node)->AddDevice(device);
    return device;
}

void
HpccFabricHelper::Installer::InstallSwitch(uint32_t i)
{
    Ptr<Node> node = m_network.nodes.Get(i);
    m_network.AgendaOf(i);
    auto device = CreateObject<QbbSwitch>();
    if (m_network.IsHere(i))
    {
        const HpccSwitchParts& parts = m_network.FindParts(i);
        device->SetAttribute("Buffer", PointerValue(parts.MakeBuffer()));
        device->SetAttribute("EcnMarker", PointerValue(parts.MakeMarker()));
    }
    if (m_network.pathFactory.IsTypeIdSet())
    {
        device->SetAttribute("PathSelector",
                             PointerValue(m_network.pathFactory.Create<PathSelector>()));
    }
    device->Install(node);
    device->FixMultipath(m_network.multipath);
    auto agent = m_network.agentFactory.Create<TelemetryAgent>();
    agent->SetSwitch(i, static_cast<uint32_t>(device->GetPorts().size()));
    device->AddAgent(PeekPointer(agent));
    device->AggregateObject(agent);
    node->AggregateObject(device);
    m_network.switches[i] = device;
    m_network.agents.push_back(agent);
    for (const auto& edge : m_network.edges[i])
    {
        m_network.inventory->Add(i, edge.port, edge.rateBps);
    }
}

Ptr<RdmaHost>
HpccFabricHelper::Installer::InstallHost(uint32_t i)
{
    Ptr<Node> node = m_network.nodes.Get(i);
    std::vector<uint32_t> further;
    for (const auto& edge : m_network.edges[i])
    {
        if (!m_network.devices[2 * edge.link +
                               (m_network.topology.GetLinks()[edge.link].a == i ? 0 : 1)])
        {
            InstallDevice(i, edge.rateBps)->SetIfIndex(edge.port);
        }
        if (edge.port > 0)
        {
            further.push_back(GetAddress(i, edge.port));
        }
    }
    auto host = m_network.hostFactory.Create<RdmaHost>();
    PointerValue nic;
    host->GetAttribute("Nic", nic);
    if (!nic.Get<RdmaNic>())
    {
        host->SetAttribute("Nic", PointerValue(m_network.nicFactory.Create<RdmaNic>()));
    }
    if (m_network.entropyFactory.IsTypeIdSet())
    {
        host->SetAttribute("Entropy", PointerValue(m_network.entropyFactory.Create<RdmaEntropy>()));
    }
    host->Install(node, GetAddress(i), further);
    if (m_network.repathingFactory.IsTypeIdSet())
    {
        host->SetAttribute("Repathing",
                           PointerValue(m_network.repathingFactory.Create<RdmaRepathing>()));
    }
    host->SetInventory(m_network.inventory);
    host->FreezeSizes();
    node->AggregateObject(host);
    m_network.hosts[i] = host;
    return host;
}

void
HpccFabricHelper::Installer::ShareInventory()
{
    if (m_network.agents.empty())
    {
        return;
    }
    const TelemetryAgent::Bandwidth bandwidth = m_network.agents.front()->GetBandwidth();
    m_network.ofClasses = bandwidth != TelemetryAgent::LINE_RATE;
    m_network.ofResidual = bandwidth == TelemetryAgent::RESIDUAL;
    const EgressScheduler& scheduler = m_network.devices.front()->GetScheduler();
    for (uint8_t p = 0; p < PRIORITIES && m_network.ofClasses; ++p)
    {
        HPCC_REFUSE_IF(!(scheduler.GetShare(p) > 0),
                       "ns3::TelemetryAgent::Bandwidth is about shares of the link, but " +
                           scheduler.GetInstanceTypeId().GetName() +
                           " guarantees none; allowed are LineRate and schedulers that guarantee "
                           "shares");
    }
    for (size_t i = 0; i < m_network.devices.size() && m_network.ofClasses; ++i)
    {
        for (uint8_t p = 0; m_network.devices[i] && p < PRIORITIES; ++p)
        {
            const EgressScheduler& own = m_network.devices[i]->GetScheduler();
            HPCC_REFUSE_IF(
                own.GetShare(p) != scheduler.GetShare(p) ||
                    own.GetAhead(p) != scheduler.GetAhead(p),
                "ns3::TelemetryAgent::Bandwidth is about shares of the link, but the shares of "
                "the scheduler of node " +
                    std::to_string(m_fabric.GetNodeOf(i)) +
                    " differ from those of node 0; allowed are LineRate and equal schedulers");
        }
    }
    const bool sharesUsed = m_network.ofClasses && !m_network.ofResidual;
    for (size_t i = 0; i < m_network.devices.size() && sharesUsed; ++i)
    {
        if (m_network.devices[i])
        {
            m_network.devices[i]->FixShares();
        }
    }
    for (uint8_t p = 0; p < PRIORITIES && sharesUsed; ++p)
    {
        auto& shares = m_network.shares[p] = Create<TelemetryInventory>();
        for (uint32_t i = 0; i < m_network.topology.GetNodes(); ++i)
        {
            for (const auto& edge : m_network.edges[i])
            {
                const ClassMeter meter(scheduler, edge.rateBps);
                shares->Add(i, edge.port, meter.GetShareBps(p));
            }
        }
        for (uint32_t host : m_network.topology.GetHosts())
        {
            if (m_network.IsHere(host))
            {
                m_fabric.GetHost(host)->SetInventory(p, shares);
            }
        }
    }
}

void
HpccFabricHelper::Installer::PlanLinks()
{
    std::stable_sort(m_network.linkEvents.begin(),
                     m_network.linkEvents.end(),
                     [](const auto& a, const auto& b) { return a.atNs < b.atNs; });
    const auto& links = m_network.topology.GetLinks();
    std::map<uint32_t, LinkEvent> last;
    for (const auto& event : m_network.linkEvents)
    {
        const std::string what = "link " + std::to_string(event.link) + " goes " +
                                 (event.up ? "up" : "down") + " at " + std::to_string(event.atNs) +
                                 " ns, but ";
        HPCC_REFUSE_IF(event.link >= links.size(),
                       what + "links are 0 to " + std::to_string(links.size() - 1));
        auto [before, isFirst] = last.try_emplace(event.link, LinkEvent{0, event.link, true});
        HPCC_REFUSE_IF(event.up == before->second.up || event.atNs <= before->second.atNs,
                       what + (isFirst && event.atNs > 0
                                   ? "it has not been down"
                                   : "it went " + std::string(before->second.up ? "up" : "down") +
                                         " at " + std::to_string(before->second.atNs) +
                                         " ns; down and up must alternate"));
        before->second = event;
        for (size_t end : {2 * event.link, 2 * event.link + 1})
        {
            if (m_network.IsHere(m_fabric.GetNodeOf(end)))
            {
                m_network.devices[end]->ScheduleLink(event.atNs, event.up);
            }
        }
    }
}

void
HpccFabricHelper::Installer::DefaultBaseRtt()
{
    for (uint32_t host : m_network.topology.GetHosts())
    {
        const auto& edges = m_network.edges[host];
        const bool differ = std::any_of(edges.begin(), edges.end(), [&edges](const Edge& edge) {
            return edge.rateBps != edges.front().rateBps || edge.backBps != edges.front().backBps ||
                   edge.delayNs != edges.front().delayNs;
        });
        m_network.perPathBaseRtt = m_network.perPathBaseRtt || (differ && !m_network.baseRttChosen);
    }
}

void
HpccFabricHelper::Installer::CreateNodes()
{
    if (!m_network.ranks)
    {
        m_network.nodes.Create(m_network.topology.GetNodes());
        return;
    }
    HPCC_REFUSE_IF(m_network.rankOf.size() != m_network.topology.GetNodes(),
                   "ranks are given for " + std::to_string(m_network.rankOf.size()) +
                       " nodes; the topology has " + std::to_string(m_network.topology.GetNodes()));
    for (uint32_t i = 0; i < m_network.topology.GetNodes(); ++i)
    {
        HPCC_REFUSE_IF(m_network.rankOf[i] >= m_network.ranks->GetSize(),
                       "node " + std::to_string(i) + " is for rank " +
                           std::to_string(m_network.rankOf[i]) + "; ranks are 0 to " +
                           std::to_string(m_network.ranks->GetSize() - 1));
        m_network.nodes.Add(CreateObject<Node>(m_network.rankOf[i]));
    }
}

void
HpccFabricHelper::Installer::JoinRanks()
{
    const auto& links = m_network.topology.GetLinks();
    for (size_t i = 0; m_network.ranks && i < links.size(); ++i)
    {
        if (m_network.rankOf[links[i].a] != m_network.rankOf[links[i].b])
        {
            m_network.ranks->BoundDelay(links[i].delay.GetNanoSeconds());
        }
    }
    for (size_t i = 0; m_network.ranks && i < links.size(); ++i)
    {
        const bool a = m_network.IsHere(links[i].a);
        if (a != m_network.IsHere(links[i].b))
        {
            QbbNetDevice& here = *m_network.devices[2 * i + (a ? 0 : 1)];
            m_network.ranks->Join(*here.GetQbbChannel(), here);
        }
    }
}

} // namespace ns3
