/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-port-mover.h"

#include "ns3/hpcc-roce-headers.h"

namespace ns3
{

void
RdmaPortMover::Schedule(uint32_t queuePair, int64_t atNs, uint8_t port, uint32_t peer)
{
    m_moves.emplace(atNs, Move{queuePair, port, peer});
    m_core.ScheduleTimers(atNs);
}

void
RdmaPortMover::MoveFirst(int64_t nowNs)
{
    const Move move = m_moves.begin()->second;
    m_moves.erase(m_moves.begin());
    m_core.connections.SetPorts(move.queuePair, move.port, move.peer);
    RdmaQueuePair* const found =
        m_core.connections.Find(move.queuePair + RdmaConnections::FIRST_QPN);
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
