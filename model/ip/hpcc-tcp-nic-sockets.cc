/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-tcp-nic.h"

#include "ns3/pointer.h"

#include <iterator>

// The part of HpccTcpNic that looks at TCP's sockets.

namespace ns3
{

Ptr<TcpHpccPlusPlus>
HpccTcpNic::OpsOf(const TcpSocketBase& socket)
{
    PointerValue found;
    socket.GetAttribute("CongestionOps", found);
    return DynamicCast<TcpHpccPlusPlus>(found.GetObject());
}

void
HpccTcpNic::NotePassing()
{
    if (m_askNs == NEVER || m_rests > 0)
    {
        m_rests = 0;
        AskLater(m_port->GetAgenda().NowNs());
    }
}

void
HpccTcpNic::AskLater(int64_t nowNs)
{
    const bool knows =
        !m_connections.empty() || !m_arriving.empty() || (m_compact && m_compact->GetPeers() > 0);
    m_askNs = NEVER;
    if (knows && m_socketCheck.IsStrictlyPositive() && m_rests < MAX_RESTS)
    {
        m_askNs = nowNs + (m_socketCheck.GetNanoSeconds() << m_rests);
        m_port->GetAgenda().Note(AgendaKind::HOST_TIMER, m_askTimer, m_askNs);
    }
}

void
HpccTcpNic::AskTcp(int64_t nowNs)
{
    const auto sockets = HpccTcpSockets::List(*m_port->GetNode());
    m_sockets.Clear();
    for (auto it = m_connections.begin(); it != m_connections.end();)
    {
        const auto known = it++;
        if (!sockets.count(known->first))
        {
            WakePacer(known->first);
            m_connections.erase(known);
        }
    }
    for (auto it = m_arriving.begin(); it != m_arriving.end();)
    {
        it = sockets.count(it->first) ? std::next(it) : m_arriving.erase(it);
    }
    if (m_compact)
    {
        m_compact->Keep([&sockets](const Key& key) { return sockets.count(key) > 0; });
    }
    ++m_rests;
    AskLater(nowNs);
}

} // namespace ns3
