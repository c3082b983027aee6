/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "qbb-egress.h"

#include "qbb-channel.h"
#include "qbb-port-settings.h"
#include "qbb-port-traces.h"

#include <algorithm>

// The functions of QbbEgress that emit frames, count bytes per class, and drop frames. The
// functions that queue and send ordinary frames are in qbb-port.cc.

namespace ns3
{

Frame*
QbbEgress::TakeLast(uint8_t priority)
{
    FrameQueue& queue = m_queues[priority];
    Frame* frame = queue.PopLast();
    if (!queue.head)
    {
        m_queued &= ~(1U << priority);
    }
    m_totalBytes -= frame->bytes;
    NotifyQueue(priority, m_core.end.GetAgenda().NowNs());
    return frame;
}

void
QbbEgress::Emit(Frame* frame)
{
    if (!m_core.end.GetLink())
    {
        m_core.traces.Drop(frame, DropReason::LINK_DOWN, QbbPortTraces::Way::OUT);
        return;
    }
    int64_t nowNs = m_core.end.GetAgenda().CatchUp();
    if (frame->kind == Frame::Kind::PFC)
    {
        m_control.Push(frame);
    }
    else
    {
        frame->priority = m_core.settings.GetPriority(frame->tos);
        frame->ingressPort = Frame::NOT_ADMITTED;
        m_emitted.Push(frame);
    }
    TransmitNext(nowNs);
}

void
QbbEgress::CountClass(const Frame& frame, uint32_t txBytes, uint32_t linkBytes)
{
    if (frame.kind == Frame::Kind::PFC)
    {
        m_lastPriority = PRIORITIES;
        return;
    }
    m_lastPriority = frame.priority;
    m_core.counts.classTxBytes[frame.priority] += txBytes;
    m_core.settings.GetScheduler().Charge(frame.priority, linkBytes);
}

void
QbbEgress::Lose(FrameQueue& queue, DropReason reason)
{
    while (queue.head)
    {
        Frame* frame = queue.Pop();
        if (m_handler)
        {
            m_handler->OnFrameLost(m_core.device, *frame);
        }
        m_core.traces.Drop(frame, reason, QbbPortTraces::Way::OUT);
    }
}

void
QbbEgress::DropQueue(uint8_t priority, DropReason reason)
{
    FrameQueue& queue = m_queues[priority];
    if (queue.head)
    {
        m_totalBytes -= queue.bytes;
        m_queued &= ~(1U << priority);
        Lose(queue, reason);
        NotifyQueue(priority, m_core.end.GetAgenda().NowNs());
    }
}

void
QbbEgress::DropAll()
{
    Lose(m_control, DropReason::LINK_DOWN);
    Lose(m_emitted, DropReason::LINK_DOWN);
    m_queued = 0;
    m_totalBytes = 0;
    for (uint8_t p = 0; p < PRIORITIES; ++p)
    {
        if (m_queues[p].head)
        {
            Lose(m_queues[p], DropReason::LINK_DOWN);
            NotifyQueue(p, m_core.end.GetAgenda().NowNs());
        }
    }
}

std::vector<uint16_t>
QbbEgress::GetIngressPorts(uint8_t priority) const
{
    std::vector<uint16_t> ports;
    for (const Frame* frame = m_queues[priority].head; frame; frame = frame->next)
    {
        const auto place = std::lower_bound(ports.begin(), ports.end(), frame->ingressPort);
        if (frame->ingressPort != Frame::NOT_ADMITTED &&
            (place == ports.end() || *place != frame->ingressPort))
        {
            ports.insert(place, frame->ingressPort);
        }
    }
    return ports;
}

} // namespace ns3
