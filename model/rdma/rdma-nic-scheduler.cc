/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-nic-scheduler.h"

#include <algorithm>

namespace ns3
{

void
RdmaNicScheduler::JoinRing(RdmaQueuePair& qp)
{
    Ring& ring = m_rings[qp.priority];
    qp.nextReady = nullptr;
    if (ring.tail)
    {
        ring.tail->nextReady = &qp;
    }
    else
    {
        ring.head = &qp;
    }
    ring.tail = &qp;
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

void
RdmaNicScheduler::Remove(RdmaQueuePair& qp, uint32_t index)
{
    using Schedule = RdmaQueuePair::Schedule;
    if (qp.schedule == Schedule::PACED)
    {
        m_paced.Remove(index);
    }
    else if (qp.schedule == Schedule::READY)
    {
        Ring& ring = m_rings[qp.priority];
        RdmaQueuePair* before = nullptr;
        for (RdmaQueuePair* other = ring.head; other != &qp; other = other->nextReady)
        {
            before = other;
        }
        (before ? before->nextReady : ring.head) = qp.nextReady;
        ring.tail = ring.tail == &qp ? before : ring.tail;
        m_ready &= ring.head ? UINT8_MAX : ~(1U << qp.priority);
    }
    qp.schedule = Schedule::IDLE;
}

uint8_t
RdmaNicScheduler::Ready(int64_t nowNs)
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
    RdmaQueuePair* qp = ring.head;
    ring.head = qp->nextReady;
    if (!ring.head)
    {
        ring.tail = nullptr;
        m_ready &= ~(1U << priority);
    }
    else
    {
        PrefetchLines(ring.head->nextReady, sizeof(RdmaQueuePair));
        PrefetchLines(ring.head->current, sizeof(RdmaMessage));
        PrefetchLines(ring.head->cc, PREFETCHED_STATE_BYTES);
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

} // namespace ns3
