/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-byte-stream.h"
#include "hpcc-fabric-helper.h"

#include "ns3/hpcc-node-agenda.h"

#include <algorithm>
#include <functional>

// The part of HpccFabricHelper that shares a simulation among processes.

namespace ns3
{

void
HpccFabricHelper::SetRanks(Ptr<HpccRanks> ranks, const std::vector<uint32_t>& rankOf)
{
    m_ranks = ranks;
    m_rankOf = rankOf;
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

uint32_t
HpccFabricHelper::GetNodeOf(size_t device) const
{
    const auto& link = m_topology.GetLinks()[device / 2];
    return device % 2 == 0 ? link.a : link.b;
}

uint32_t
HpccFabricHelper::GetPortOf(size_t device) const
{
    const auto& edges = m_edges[GetNodeOf(device)];
    const auto link = static_cast<uint32_t>(device / 2);
    return std::find_if(edges.begin(),
                        edges.end(),
                        [link](const Edge& edge) { return edge.link == link; })
        ->port;
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

} // namespace ns3
