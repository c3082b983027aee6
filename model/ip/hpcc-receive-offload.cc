/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-receive-offload.h"

#include "ns3/hpcc-ip-headers.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

using IpHeaders::TCP_PROTOCOL;

} // namespace

ReceiveOffload::ReceiveOffload(NodeAgenda& agenda, Up up)
    : m_agenda(agenda),
      m_up(std::move(up)),
      m_timer(agenda.Register(AgendaKind::HOST_TIMER, this))
{
}

void
ReceiveOffload::HandUp(Ptr<Packet> packet, bool ipv6)
{
    ++m_counters.handedUp;
    m_up(packet, ipv6);
}

std::map<ReceiveOffload::Key, ReceiveOffload::Held>::iterator
ReceiveOffload::Release(std::map<Key, Held>::iterator held)
{
    const bool ipv6 = std::get<4>(held->first);
    Ptr<Packet> packet = held->second.joiner.Finish();
    const auto next = m_held.erase(held);
    HandUp(packet, ipv6);
    return next;
}

void
ReceiveOffload::Take(Ptr<Packet> packet, const Frame& frame, const Times& times)
{
    const int64_t nowNs = m_agenda.NowNs();
    ++m_counters.received;
    m_times = times;
    m_lastNs = nowNs;
    TcpSegment segment;
    if (frame.protocol != TCP_PROTOCOL || !TcpSegment::Parse(packet, frame.ipv6, segment))
    {
        HandUp(packet, frame.ipv6);
        return;
    }
    const Key key{frame.source,
                  frame.destination,
                  frame.sourcePort,
                  frame.destinationPort,
                  frame.ipv6};
    auto held = m_held.find(key);
    if (held != m_held.end() && !held->second.joiner.Add(segment))
    {
        Release(held);
        held = m_held.end();
    }
    if (held == m_held.end())
    {
        TcpJoiner joiner;
        if (!joiner.Begin(segment))
        {
            HandUp(packet, frame.ipv6);
            return;
        }
        held = m_held.emplace(key, Held{std::move(joiner), nowNs}).first;
    }
    if (held->second.joiner.IsComplete())
    {
        Release(held);
    }
    else if (m_notedNs == NEVER)
    {
        ScheduleTimer(nowNs + std::min(times.gapNs, times.timeoutNs));
    }
}

void
ReceiveOffload::ScheduleTimer(int64_t atNs)
{
    m_notedNs = atNs;
    m_agenda.Schedule(AgendaKind::HOST_TIMER, m_timer, atNs);
}

void
ReceiveOffload::Due(AgendaKind, uint32_t, int64_t nowNs)
{
    m_notedNs = NEVER;
    const bool isOver = nowNs >= m_lastNs + m_times.gapNs;
    int64_t nextNs = m_lastNs + m_times.gapNs;
    for (auto held = m_held.begin(); held != m_held.end();)
    {
        const int64_t lastNs = held->second.firstNs + m_times.timeoutNs;
        if (isOver || nowNs >= lastNs)
        {
            held = Release(held);
            continue;
        }
        nextNs = std::min(nextNs, lastNs);
        ++held;
    }
    if (!m_held.empty())
    {
        ScheduleTimer(nextNs);
    }
}

} // namespace ns3
