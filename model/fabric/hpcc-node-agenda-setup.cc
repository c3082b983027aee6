/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-node-agenda.h"

#include "ns3/abort.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-type-id.h"

#include <algorithm>
#include <string>

// The part of NodeAgenda that registers clients and sets attributes.

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(NodeAgenda);

TypeId
NodeAgenda::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<NodeAgenda, Object>("ns3::NodeAgenda")
            .Attribute("MaxLag",
                       "Time by which the node may lag behind ns-3's clock to process many items "
                       "in one event; limited by the delays of its links. 0: no lag.",
                       HpccProperty(&NodeAgenda::SetMaxLag,
                                    &NodeAgenda::GetMaxLag,
                                    NanoSeconds(0),
                                    NanoSeconds(0)));
    return tid;
}

NodeAgenda::NodeAgenda()
    : m_event(Ptr<EventImpl>(new Event(this), false))
{
    HPCC_REFUSE_IF(Time::GetResolution() != Time::NS,
                   "ns3::Time::SetResolution: another resolution than Time::NS is not "
                   "allowed with hpcc; links keep their exact rates without a finer one");
}

NodeAgenda::~NodeAgenda() = default;

Ptr<NodeAgenda>
NodeAgenda::Of(Ptr<Node> node)
{
    HPCC_REFUSE_IF(!node, "ns3::NodeAgenda::Of: the node is null; pass a node");
    Ptr<NodeAgenda> agenda = node->GetObject<NodeAgenda>();
    if (!agenda)
    {
        agenda = CreateObject<NodeAgenda>();
        agenda->m_nodeId = node->GetId();
        node->AggregateObject(agenda);
    }
    return agenda;
}

void
NodeAgenda::NotifyNewAggregate()
{
    if (Ptr<Node> node = GetObject<Node>())
    {
        m_nodeId = node->GetId();
    }
    Object::NotifyNewAggregate();
}

void
NodeAgenda::Register(AgendaKind kind, uint32_t index, AgendaClient* client)
{
    auto& clients = m_clients[static_cast<size_t>(kind)];
    if (clients.size() <= index)
    {
        clients.resize(index + 1, nullptr);
    }
    NS_ABORT_MSG_IF(clients[index] && clients[index] != client,
                    "NodeAgenda::Register: node " << m_nodeId << ", kind "
                                                  << static_cast<uint32_t>(kind) << ", index "
                                                  << index << " has a client already");
    clients[index] = client;
}

uint32_t
NodeAgenda::Register(AgendaKind kind, AgendaClient* client)
{
    auto index = static_cast<uint32_t>(m_clients[static_cast<size_t>(kind)].size());
    Register(kind, index, client);
    return index;
}

void
NodeAgenda::SetMaxLag(Time lag)
{
    const int64_t lagNs = std::min(lag.GetNanoSeconds(), m_lagLimitNs);
    HPCC_REFUSE_IF(lagNs > m_lagCapNs,
                   "ns3::NodeAgenda::MaxLag: node " + std::to_string(m_nodeId) + " would lag by " +
                       std::to_string(lagNs) + " ns, but an ns3::HpccMonitor expects at most " +
                       std::to_string(m_lagCapNs) +
                       " ns; allowed is that or less, or a larger MaxLag before the monitor "
                       "exists, as by HpccFabricHelper::SetMaxLag()");
    CatchUp(); // with a shorter lag, the deadlines of items could be in the past
    m_maxLagNs = lag.GetNanoSeconds();
    m_lagNs = lagNs;
    Arm();
}

Time
NodeAgenda::GetMaxLag() const
{
    return NanoSeconds(m_maxLagNs);
}

void
NodeAgenda::LimitLag(int64_t delayNs)
{
    CatchUp(); // see SetMaxLag()
    m_lagLimitNs = std::clamp<int64_t>(delayNs - 1, 0, m_lagLimitNs);
    m_lagNs = std::min(m_maxLagNs, m_lagLimitNs);
    Arm();
}

void
NodeAgenda::LagWithin(int64_t stepNs, AgendaSource* source)
{
    m_stepNs = stepNs;
    m_source = source;
    Arm();
}

void
NodeAgenda::EndAt(int64_t atNs)
{
    m_endNs = m_foreign ? 0 : atNs;
    Arm();
}

void
NodeAgenda::SetForeign()
{
    m_foreign = true;
    m_endNs = 0;
}

} // namespace ns3
