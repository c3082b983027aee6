/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "qbb-ingress.h"

#include "qbb-flow-control.h"
#include "qbb-port-settings.h"
#include "qbb-port-traces.h"

// The functions of QbbIngress that model the receive buffer. The functions for a port without a
// receive buffer are in qbb-port.cc.

namespace ns3
{

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
    const uint64_t drainBps = m_core.settings.GetReceiveBuffer().drainBps;
    const uint64_t numerator = m_buffer.head->bytes * QbbPortSettings::BITS_NS + m_drainRemainder;
    m_drainRemainder = numerator % drainBps;
    m_core.end.GetAgenda().Schedule(AgendaKind::RECEIVE_DRAIN,
                                    m_core.end.GetPortIndex(),
                                    nowNs + static_cast<int64_t>(numerator / drainBps));
}

} // namespace ns3
