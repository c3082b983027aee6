/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-fabric-attempt.h"

#include "hpcc-fabric-checks.h"

#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-ranks.h"
#include "ns3/hpcc-switch-responder.h"
#include "ns3/hpcc-telemetry-agent.h"

#include <algorithm>

namespace ns3
{

HpccFabricHelper::Attempt::Attempt(const HpccFabricHelper& fabric)
    : m_fabric(fabric),
      m_network(*fabric.m_network),
      m_dataPriorities(m_network.dataPriorities),
      m_relyOnShare(m_network.relyOnShare),
      m_recoveries(m_network.recoveries.size())
{
}

HpccFabricHelper::Attempt::~Attempt()
{
    if (m_kept)
    {
        return;
    }
    m_network.dataPriorities = m_dataPriorities;
    m_network.relyOnShare = m_relyOnShare;
    m_network.fits.clear(); // Mtu of a port may be lower in a later call
    while (m_network.recoveries.size() > m_recoveries)
    {
        m_network.recoveries.pop_back(); // a later call may use other defaults of the attributes
    }
    for (const auto& [kind, format] : m_agents)
    {
        m_network.switchAgents.erase(kind);
    }
    for (auto list = m_lists.rbegin(); list != m_lists.rend(); ++list)
    {
        const Ptr<RdmaCongestionOps> policy = (*list)->back().policy;
        (*list)->pop_back();
        const bool used = std::any_of((*list)->begin(), (*list)->end(), [&](const auto& entry) {
            return entry.policy == policy;
        });
        if (!used)
        {
            m_network.hidden.erase(PeekPointer(policy));
        }
    }
    if (m_format)
    {
        m_network.formats.erase(m_format);
        m_network.room.erase(m_format);
        m_format->Release();
    }
}

void
HpccFabricHelper::Attempt::AddAgent(const std::string& name)
{
    ObjectFactory factory;
    HPCC_REFUSE_IF(!HpccPresets::Find(SwitchAgent::GetTypeId(), name, factory),
                   DescribeUnknownPreset("unknown switch agent", name, SwitchAgent::GetTypeId()));
    if (const auto kind = m_network.switchAgents.find(factory.GetTypeId());
        kind != m_network.switchAgents.end())
    {
        HPCC_REFUSE_IF(kind->second.name != name,
                       "switch agent \"" + name + "\": the switches run \"" + kind->second.name +
                           "\" already; a switch runs at most one agent per class");
        return;
    }
    Ptr<TelemetryFormat> format; // shared by the responders of all switches
    Network::SwitchAgents made{name, {}};
    for (uint32_t i = 0; i < m_network.topology.GetNodes(); ++i)
    {
        if (!m_network.topology.IsSwitch(i))
        {
            continue;
        }
        const auto agent = factory.Create<SwitchAgent>();
        made.agents.push_back({agent, i});
        if (auto responder = DynamicCast<SwitchResponder>(agent))
        {
            format = responder->ShareFormat(format);
        }
        if (m_network.IsHere(i))
        {
            agent->Install(m_fabric.GetSwitch(i)->GetPorts(), NanoSeconds(m_network.baseRttNs));
            m_fabric.GetSwitch(i)->CheckAgent(*agent);
        }
    }
    m_network.switchAgents[factory.GetTypeId()] = std::move(made);
    m_agents.emplace_back(factory.GetTypeId(), format);
}

void
HpccFabricHelper::Attempt::AddPolicy(std::vector<Network::PolicyInUse>& known,
                                     Network::PolicyInUse entry)
{
    known.push_back(std::move(entry));
    m_lists.push_back(&known);
}

void
HpccFabricHelper::Attempt::Keep()
{
    m_kept = true;
    for (const auto& set : m_limits)
    {
        set();
    }
    if (m_format && !m_network.thinning)
    {
        m_network.rareRecords = Checks(m_fabric).HasRareRecords();
        m_network.thinning = m_fabric.GetThinning();
        for (const auto& agent : m_network.agents)
        {
            agent->FixInsertion();
        }
    }
    if (m_format && m_network.ranks)
    {
        m_network.ranks->AddFormat(PeekPointer(m_format));
    }
    for (size_t i = 0; m_format && i < m_network.onFormat.size(); ++i)
    {
        m_network.onFormat[i](m_format);
    }
    for (const auto& agents : m_agents)
    {
        Start(agents);
    }
}

void
HpccFabricHelper::Attempt::Start(const Agents& agents)
{
    const auto& [kind, format] = agents;
    for (const auto& running : m_network.switchAgents[kind].agents)
    {
        if (m_network.IsHere(running.node))
        {
            m_fabric.GetSwitch(running.node)->AddAgent(PeekPointer(running.agent));
            m_network.nodes.Get(running.node)->AggregateObject(running.agent);
        }
        if (m_network.nextStream >= 0)
        {
            m_network.nextStream += m_network.AssignStreams(running, m_network.nextStream);
        }
    }
    if (format && m_network.ranks)
    {
        m_network.ranks->AddFormat(PeekPointer(format));
    }
}

} // namespace ns3
