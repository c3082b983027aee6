/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-byte-stream.h"
#include "hpcc-fabric-network.h"

#include "ns3/hpcc-node-agenda.h"
#include "ns3/hpcc-ranks.h"

#include <algorithm>
#include <functional>

// The part of HpccFabricHelper that shares a simulation among processes.

namespace ns3
{

void
HpccFabricHelper::SetRanks(HpccRanks* ranks, const std::vector<uint32_t>& rankOf)
{
    m_network->RequireNotInstalled("SetRanks");
    m_network->ranks = ranks;
    m_network->rankOf = rankOf;
}

HpccRanks*
HpccFabricHelper::GetRanks() const
{
    return PeekPointer(m_network->ranks);
}

bool
HpccFabricHelper::IsHere(uint32_t node) const
{
    m_network->RequireNode("IsHere", node);
    return !m_network->ranks || m_network->rankOf[node] == m_network->ranks->GetRank();
}

void
HpccFabricHelper::CheckPackets(const std::string& what, uint32_t bytes, bool telemetry) const
{
    m_network->RequireInstalled("CheckPackets");
    const uint32_t allowed =
        m_network->ranks ? m_network->ranks->GetMaxPacketBytes(telemetry) : UINT32_MAX;
    for (size_t i = 0; i < m_network->devices.size() && bytes > allowed; i += 2)
    {
        const uint32_t a = GetNodeOf(i);
        const uint32_t b = GetNodeOf(i + 1);
        if (m_network->rankOf[a] == m_network->rankOf[b])
        {
            continue;
        }
        // If the link joins two other ranks, this rank has no device of the link. In this case, use
        // the MTU of the first device, which is the same because all ranks run the same program.
        const auto& end = m_network->devices[IsHere(a) ? i : i + 1];
        const auto& device = end ? end : m_network->devices.front();
        const uint32_t largest = std::min<uint32_t>(bytes, device->GetWireMtu());
        HPCC_REFUSE_IF(largest > allowed,
                       "link between nodes " + std::to_string(a) + " and " + std::to_string(b) +
                           ", which are at two ranks: " + what + " are packets of up to " +
                           std::to_string(largest) +
                           " bytes; an ns-3 message between ranks has room for " +
                           std::to_string(allowed) + "; allowed is any size with --mpi=windows");
    }
}

void
HpccFabricHelper::AddUp(std::vector<uint64_t>& counts) const
{
    if (!m_network->ranks)
    {
        return;
    }
    HpccByteStream mine;
    mine.Put(counts);
    std::fill(counts.begin(), counts.end(), 0);
    for (const std::string& bytes : m_network->ranks->Exchange(mine.GetBytes()))
    {
        HpccByteStream stream(bytes);
        const auto theirs = stream.GetVector<uint64_t>();
        stream.RequireEnd();
        if (theirs.size() != counts.size())
        {
            HpccByteStream::Refuse();
        }
        std::transform(theirs.begin(), theirs.end(), counts.begin(), counts.begin(), std::plus<>());
    }
}

uint32_t
HpccFabricHelper::GetNodeOf(size_t device) const
{
    const auto& links = m_network->topology.GetLinks();
    HPCC_REFUSE_IF(device / 2 >= links.size(),
                   "ns3::HpccFabricHelper: device " + std::to_string(device) +
                       " does not exist; allowed is an index of GetDevices(), which has " +
                       std::to_string(2 * links.size()));
    const auto& link = links[device / 2];
    return device % 2 == 0 ? link.a : link.b;
}

Ptr<QbbNetDevice>
HpccFabricHelper::GetDevice(uint32_t node, uint32_t port) const
{
    HPCC_REFUSE_IF(node >= m_network->edges.size(),
                   "node " + std::to_string(node) + " does not exist; the topology has " +
                       std::to_string(m_network->edges.size()) + " nodes");
    const auto& edges = m_network->edges[node];
    HPCC_REFUSE_IF(port >= edges.size(),
                   "node " + std::to_string(node) + " has no port " + std::to_string(port) +
                       "; it has " + std::to_string(edges.size()) + ", counted from 0");
    const uint32_t link = edges[port].link;
    return m_network->devices[2 * link + (m_network->topology.GetLinks()[link].a == node ? 0 : 1)];
}

Ptr<QbbNetDevice>
HpccFabricHelper::GetDeviceTo(uint32_t node, uint32_t neighbour) const
{
    const auto links = m_network->topology.FindLinks(node, neighbour);
    HPCC_REFUSE_IF(links.empty(),
                   "no link joins nodes " + std::to_string(node) + " and " +
                       std::to_string(neighbour));
    return m_network
        ->devices[2 * links[0] + (m_network->topology.GetLinks()[links[0]].a == node ? 0 : 1)];
}

uint32_t
HpccFabricHelper::GetPortOf(size_t device) const
{
    const auto& edges = m_network->edges[GetNodeOf(device)];
    const auto link = static_cast<uint32_t>(device / 2);
    return std::find_if(edges.begin(),
                        edges.end(),
                        [link](const Network::Edge& edge) { return edge.link == link; })
        ->port;
}

} // namespace ns3
