/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "qbb-ingress.h"

#include "hpcc-stack-port.h"
#include "qbb-channel.h"
#include "qbb-egress.h"
#include "qbb-flow-control.h"
#include "qbb-port-settings.h"
#include "qbb-port-traces.h"

namespace ns3
{

void
QbbIngress::Due(AgendaKind kind, uint32_t, int64_t nowNs)
{
    if (kind == AgendaKind::RECEIVE_DRAIN)
    {
        DrainBuffer(nowNs);
        return;
    }
    Frame* frame = m_core.end.TakeArrival();
    const Frame* next = m_core.end.GetNextArrival();
    if (next && m_egress.Pulls())
    {
        m_egress.GetHandler()->ExpectFrame(*next);
    }
    Receive(frame, nowNs);
}

void
QbbIngress::Receive(Frame* frame, int64_t nowNs)
{
    if (frame->linkEpoch != m_core.end.GetLinkEpoch())
    {
        m_core.traces.Drop(frame, DropReason::LINK_DOWN);
        return;
    }
    ErrorModel* errors = m_core.settings.GetReceiveErrorModel();
    if (errors && errors->IsEnabled())
    {
        m_core.traces.PacketOf(*frame, QbbPortTraces::Way::IN);
        if (errors->IsCorrupt(frame->packet))
        {
            m_core.traces.Drop(frame, DropReason::RECEIVE_ERROR);
            return;
        }
    }
    m_core.traces.NotifyArrival(*frame);
    if (frame->kind == Frame::Kind::PFC)
    {
        m_flowControl.Receive(*frame, nowNs);
        FramePool::Free(frame);
        return;
    }
    m_core.traces.NotifyReceive(*frame);
    frame->priority = m_core.settings.GetPriority(frame->tos);
    if (m_core.settings.GetDrainBps() == 0)
    {
        Deliver(frame, nowNs);
    }
    else
    {
        JoinBuffer(frame, nowNs);
    }
}

void
QbbIngress::Deliver(Frame* frame, int64_t nowNs)
{
    if (FrameHandler* handler = m_egress.GetHandler())
    {
        handler->ReceiveFrame(m_core.device, frame, nowNs);
    }
    else if (frame->kind == Frame::Kind::IP)
    {
        m_stack.Get().Deliver(frame);
    }
    else
    {
        m_core.traces.Drop(frame, DropReason::NO_RECEIVER);
    }
}

void
QbbIngress::JoinBuffer(Frame* frame, int64_t nowNs)
{
    const QbbPortSettings::ReceiveBuffer limits = m_core.settings.GetReceiveBuffer();
    if (m_buffer.bytes + frame->bytes > limits.bytes)
    {
        m_core.traces.Drop(frame, DropReason::RECEIVE_BUFFER);
        return;
    }
    bool idle = !m_buffer.head;
    m_buffer.Push(frame);
    if (idle)
    {
        m_drainRemainder = 0;
        ScheduleDrain(nowNs);
    }
    if (m_buffer.bytes > limits.pauseBytes)
    {
        for (uint8_t p = 0; p < PRIORITIES; ++p)
        {
            if (!m_flowControl.RequestsPause(p))
            {
                m_flowControl.RequestPause(p);
            }
        }
    }
}

void
QbbIngress::DrainBuffer(int64_t nowNs)
{
    Frame* frame = m_buffer.Pop();
    if (m_buffer.head)
    {
        ScheduleDrain(nowNs);
    }
    if (m_buffer.bytes <= m_core.settings.GetReceiveBuffer().resumeBytes)
    {
        for (uint8_t p = 0; p < PRIORITIES; ++p)
        {
            m_flowControl.ReleasePause(p);
        }
    }
    Deliver(frame, nowNs);
}

void
QbbIngress::ScheduleDrain(int64_t nowNs)
{
    const uint64_t drainBps = m_core.settings.GetDrainBps();
    const uint64_t numerator = m_buffer.head->bytes * QbbPortSettings::BITS_NS + m_drainRemainder;
    m_drainRemainder = numerator % drainBps;
    m_core.end.GetAgenda().Note(AgendaKind::RECEIVE_DRAIN,
                                m_core.end.GetPortIndex(),
                                nowNs + static_cast<int64_t>(numerator / drainBps));
}

} // namespace ns3
