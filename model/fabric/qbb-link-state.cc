/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-frame-handler.h"
#include "qbb-net-device.h"

// The part of QbbNetDevice that goes down and comes up with its link, and loses what waits.

namespace ns3
{

void
QbbNetDevice::ScheduleLink(int64_t atNs, bool up)
{
    m_linkPlan.emplace_back(atNs, up);
    m_agenda->Note(AgendaKind::LINK_CHANGE, m_portIndex, atNs);
}

void
QbbNetDevice::ChangeLink(bool up, int64_t nowNs)
{
    if (up == IsLinkUp())
    {
        return;
    }
    if (up)
    {
        m_link = PeekPointer(m_channel);
    }
    else
    {
        GoDown(nowNs);
    }
    if (m_handler)
    {
        m_handler->LinkChanged(*this, up);
    }
    m_linkChange();
    TransmitNext(nowNs);
}

void
QbbNetDevice::Lose(FrameQueue& queue, DropReason reason)
{
    while (queue.head)
    {
        Frame* frame = queue.Pop();
        if (m_handler)
        {
            m_handler->LoseFrame(*this, *frame);
        }
        Drop(frame, reason);
    }
}

void
QbbNetDevice::DropQueue(uint8_t priority, DropReason reason)
{
    FrameQueue& queue = m_queues[priority];
    if (queue.head)
    {
        m_totalBytes -= queue.bytes;
        m_queued &= ~(1U << priority);
        Lose(queue, reason);
        NotifyQueue(priority);
    }
}

void
QbbNetDevice::GoDown(int64_t nowNs)
{
    m_link = nullptr;
    ++m_linkEpoch;
    for (uint8_t p = 0; p < PRIORITIES; ++p)
    {
        m_pause[p].refreshNs = 0;
        if (m_paused >> p & 1)
        {
            EndPause(p, nowNs, false);
        }
    }
    auto lose = [this](FrameQueue& queue) { Lose(queue, DropReason::LINK_DOWN); };
    lose(m_control);
    lose(m_emitted);
    m_queued = 0;
    m_totalBytes = 0;
    for (uint8_t p = 0; p < PRIORITIES; ++p)
    {
        if (m_queues[p].head)
        {
            lose(m_queues[p]);
            NotifyQueue(p);
        }
    }
}

} // namespace ns3
