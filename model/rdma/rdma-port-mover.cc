/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-port-mover.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-roce-headers.h"
#include "ns3/ipv4-address.h"

#include <sstream>
#include <string>

namespace ns3
{

void
RdmaPortMover::Schedule(uint32_t queuePair, int64_t atNs, uint32_t port, uint32_t peer)
{
    const uint32_t queuePairs = m_core.connections.GetSize();
    HPCC_REFUSE_IF(queuePair >= queuePairs || port >= m_core.ports.size() ||
                       atNs <= m_core.agenda->NowNs(),
                   "ns3::RdmaHost::MoveQueuePair: queue pair " + std::to_string(queuePair) +
                       " to port " + std::to_string(port) + " at " + std::to_string(atNs) +
                       " ns; the host has " + std::to_string(queuePairs) + " queue pairs and " +
                       std::to_string(m_core.ports.size()) + " ports; allowed is a later time");
    const RdmaConnections& connections = m_core.connections;
    const RdmaEnd& end = connections.GetEnd(queuePair);
    const uint32_t bound = end.port;
    const uint64_t boundBps = m_core.ports[bound].device->GetRateBps();
    const uint64_t rateBps = m_core.ports[port].device->GetRateBps();
    HPCC_REFUSE_IF(end.sender != RdmaEnd::NO_ROLE && rateBps != boundBps,
                   "ns3::RdmaHost::MoveQueuePair: queue pair " + std::to_string(queuePair) +
                       " from port " + std::to_string(bound) + " with " + std::to_string(boundBps) +
                       " bit/s to port " + std::to_string(port) + " with " +
                       std::to_string(rateBps) + " bit/s; allowed are ports of the same rate");
    const uint32_t host = connections.HostOf(end.peer);
    if (connections.HostOf(peer) != host)
    {
        std::ostringstream line;
        line << "ns3::RdmaHost::MoveQueuePair: queue pair " << queuePair << " to the peer's port "
             << Ipv4Address(peer) << ", which is not a port of host " << Ipv4Address(host)
             << "; allowed are the addresses of that host's ports";
        throw HpccInputError(line.str());
    }
    m_moves.emplace(atNs, Move{queuePair, static_cast<uint8_t>(port), peer});
    m_core.ScheduleTimers(atNs);
}

void
RdmaPortMover::MoveFirst(int64_t nowNs)
{
    const Move move = m_moves.begin()->second;
    m_moves.erase(m_moves.begin());
    RdmaQueuePair* const found = m_connector.FindInUse(move.queuePair);
    m_core.connections.SetPorts(move.queuePair, move.port, move.peer);
    if (!found)
    {
        return;
    }
    RdmaQueuePair& qp = *found;
    m_core.PortOf(qp).scheduler->Remove(qp, qp.slot);
    qp.port = move.port;
    qp.local = m_core.PortOf(qp).address;
    qp.peer = move.peer;
    qp.flowHash = HashFiveTuple(qp.local, qp.peer, qp.udpSourcePort, ROCE_UDP_PORT, 17);
    m_core.traces.portChange(qp, nowNs);
    if (qp.cc)
    {
        m_pacer.Raise(qp, nowNs, &RdmaCongestionOps::OnPathChange, nowNs);
        m_pacer.Apply(qp, nowNs);
    }
}

} // namespace ns3
