/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-pacer.h"

#include "rdma-nic-scheduler.h"

#include <algorithm>

// This file determines when a queue pair may send. RdmaPacer computes the time of the next packet
// of each queue pair. RdmaNicScheduler stores these times in an RdmaTimerHeap. For each priority,
// it also has a ring of the queue pairs that may send now. The next packet is a packet of the first
// queue pair in a ring. Expired timers are handled in rdma-timers.cc.

namespace ns3
{

void
RdmaPacer::SchedulePolicyTimer(const RdmaQueuePair& qp)
{
    m_policyTimers.Set(qp.slot, qp.cc->timerNs);
    if (qp.cc->timerNs != RdmaTimerHeap::NEVER)
    {
        m_core.ScheduleTimers(qp.cc->timerNs);
    }
}

void
RdmaPacer::Pace(RdmaQueuePair& qp) const
{
    const QbbNetDevice& port = *m_core.PortOf(qp).device;
    double bps =
        m_core.settings.paceByRate ? qp.cc->rateBps : static_cast<double>(port.GetRateBps());
    if (m_core.nic)
    {
        bps = m_core.nic->Limit(bps, port.GetRateBps());
    }
    qp.nextSendNs =
        qp.departureNs + (port.GetRounding().truncates ? TruncatedNs(qp.lastLinkBytes, bps)
                                                       : qp.lastLinkBytes * 8e9 / bps);
}

void
RdmaPacer::Reschedule(RdmaQueuePair& qp, int64_t nowNs)
{
    const RdmaHostCore::Port& port = m_core.PortOf(qp);
    int64_t atNs = port.scheduler->Update(qp, qp.slot, nowNs);
    if (atNs != RdmaTimerHeap::NEVER)
    {
        port.device->GetEgress().Kick(atNs);
    }
}

int64_t
RdmaPacer::EndOfTurnNs(const RdmaQueuePair& qp, int64_t nowNs) const
{
    if (!m_core.settings.rejoinAtOnce)
    {
        return nowNs;
    }
    const auto bps = static_cast<double>(m_core.PortOf(qp).device->GetRateBps());
    return nowNs + 1 + static_cast<int64_t>(qp.lastLinkBytes * 8e9 / bps);
}

void
RdmaPacer::StartTimeout(RdmaQueuePair& qp, int64_t nowNs)
{
    qp.progressNs = nowNs;
    const int64_t atNs = qp.TimeoutNs();
    if (atNs < qp.timeoutArmedNs)
    {
        qp.timeoutArmedNs = atNs;
        m_timeouts.Set(qp.slot, atNs);
        m_core.ScheduleTimers(atNs);
    }
}

void
RdmaNicScheduler::JoinRing(RdmaQueuePair& qp)
{
    Ring& ring = m_rings[qp.priority];
    if (ring.full())
    {
        ring.set_capacity(2 * ring.capacity() + 1);
    }
    ring.push_back(&qp);
    qp.schedule = RdmaQueuePair::Schedule::READY;
    m_ready |= 1U << qp.priority;
}

int64_t
RdmaNicScheduler::Update(RdmaQueuePair& qp, uint32_t index, int64_t nowNs)
{
    using Schedule = RdmaQueuePair::Schedule;
    if (qp.schedule == Schedule::READY)
    {
        return nowNs;
    }
    if (!qp.MaySend())
    {
        if (qp.schedule == Schedule::PACED)
        {
            m_paced.Remove(index);
            qp.schedule = Schedule::IDLE;
        }
        return RdmaTimerHeap::NEVER;
    }
    auto atNs = static_cast<int64_t>(qp.nextSendNs);
    if (atNs > nowNs)
    {
        m_paced.Set(index, atNs);
        qp.schedule = Schedule::PACED;
        return atNs;
    }
    if (qp.schedule == Schedule::PACED)
    {
        m_paced.Remove(index);
    }
    JoinRing(qp);
    return nowNs;
}

uint8_t
RdmaNicScheduler::ReadyPriorities(int64_t nowNs)
{
    while (m_paced.TopNs() <= nowNs)
    {
        uint32_t index = m_paced.TopId();
        m_paced.Remove(index);
        JoinRing(m_queuePairs[index]);
    }
    return m_ready;
}

RdmaQueuePair*
RdmaNicScheduler::Next(uint8_t priority)
{
    Ring& ring = m_rings[priority];
    RdmaQueuePair* qp = ring.front();
    ring.pop_front();
    if (ring.empty())
    {
        m_ready &= ~(1U << priority);
    }
    if (ring.size() >= AHEAD)
    {
        RdmaQueuePair::PrefetchRequester(ring[AHEAD - 1]);
    }
    if (ring.size() > 1)
    {
        const RdmaQueuePair& next = *ring[1];
        PrefetchLines(next.current, sizeof(RdmaMessage));
        PrefetchLines(next.cc, next.reportsSent ? RdmaQueuePair::ACK_STATE_BYTES : 1);
    }
    qp->schedule = RdmaQueuePair::Schedule::IDLE;
    return qp;
}

int64_t
RdmaNicScheduler::NextNs(uint8_t priorities, int64_t freeNs) const
{
    if (m_ready & priorities)
    {
        return freeNs;
    }
    int64_t pacedNs = m_paced.TopNs();
    return pacedNs == RdmaTimerHeap::NEVER ? pacedNs : std::max(pacedNs, freeNs);
}

void
RdmaTimerHeap::SiftUp(uint32_t hole, Item item)
{
    while (hole > 0)
    {
        uint32_t parent = (hole - 1) / 4;
        if (!(item < m_items[parent]))
        {
            break;
        }
        m_items[hole] = m_items[parent];
        m_position[m_items[hole].id] = hole;
        hole = parent;
    }
    m_items[hole] = item;
    m_position[item.id] = hole;
}

void
RdmaTimerHeap::SiftDown(uint32_t hole, Item item)
{
    auto size = static_cast<uint32_t>(m_items.size());
    for (uint32_t child = 4 * hole + 1; child < size; child = 4 * hole + 1)
    {
        uint32_t end = std::min(child + 4, size);
        uint32_t least = child;
        for (uint32_t i = child + 1; i < end; ++i)
        {
            if (m_items[i] < m_items[least])
            {
                least = i;
            }
        }
        if (!(m_items[least] < item))
        {
            break;
        }
        m_items[hole] = m_items[least];
        m_position[m_items[hole].id] = hole;
        hole = least;
    }
    m_items[hole] = item;
    m_position[item.id] = hole;
}

void
RdmaTimerHeap::Set(uint32_t id, int64_t atNs)
{
    if (atNs == NEVER)
    {
        Remove(id);
        return;
    }
    if (id >= m_position.size())
    {
        m_position.resize(id + 1, ABSENT);
    }
    Item item{atNs, id};
    uint32_t position = m_position[id];
    if (position == ABSENT)
    {
        m_items.push_back(item);
        SiftUp(static_cast<uint32_t>(m_items.size() - 1), item);
    }
    else if (item < m_items[position])
    {
        SiftUp(position, item);
    }
    else
    {
        SiftDown(position, item);
    }
}

void
RdmaTimerHeap::Remove(uint32_t id)
{
    if (id >= m_position.size() || m_position[id] == ABSENT)
    {
        return;
    }
    uint32_t position = m_position[id];
    m_position[id] = ABSENT;
    Item last = m_items.back();
    m_items.pop_back();
    if (position == m_items.size())
    {
        return;
    }
    if (last < m_items[position])
    {
        SiftUp(position, last);
    }
    else
    {
        SiftDown(position, last);
    }
}

} // namespace ns3
