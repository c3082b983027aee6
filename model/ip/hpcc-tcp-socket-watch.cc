/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-tcp-socket-watch.h"

#include <utility>

namespace ns3
{

HpccTcpSocketWatch::HpccTcpSocketWatch(NodeAgenda& agenda,
                                       int64_t intervalNs,
                                       std::function<bool()> knows,
                                       std::function<void()> ask)
    : m_agenda(agenda),
      m_intervalNs(intervalNs),
      m_knows(std::move(knows)),
      m_ask(std::move(ask)),
      m_timer(agenda.Register(AgendaKind::HOST_TIMER, this))
{
}

void
HpccTcpSocketWatch::OnPacket()
{
    if (m_askNs == NEVER || m_rests > 0)
    {
        m_rests = 0;
        AskLater();
    }
}

void
HpccTcpSocketWatch::AskLater()
{
    m_askNs = NEVER;
    if (m_intervalNs > 0 && m_rests < MAX_RESTS && m_knows())
    {
        m_askNs = m_agenda.NowNs() + (m_intervalNs << m_rests);
        m_agenda.Schedule(AgendaKind::HOST_TIMER, m_timer, m_askNs);
    }
}

void
HpccTcpSocketWatch::Due(AgendaKind, uint32_t, int64_t nowNs)
{
    if (nowNs >= m_askNs)
    {
        m_ask();
        ++m_rests;
        AskLater();
    }
}

} // namespace ns3
