/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-frame-sizes.h"
#include "qbb-net-device.h"

#include <algorithm>

// The part of QbbNetDevice that pauses its neighbour, and is paused: PFC, and the receive buffer of
// a host.

namespace ns3
{

void
QbbNetDevice::JoinReceiveBuffer(Frame* frame, int64_t nowNs)
{
    if (m_receiveQueue.bytes + frame->bytes > m_receiveBufferBytes)
    {
        Drop(frame, DropReason::RECEIVE_BUFFER);
        return;
    }
    bool idle = !m_receiveQueue.head;
    m_receiveQueue.Push(frame);
    if (idle)
    {
        uint64_t numerator = frame->bytes * BITS_NS;
        m_drainRemainder = numerator % m_drainBps;
        m_agenda->Note(AgendaKind::RECEIVE_DRAIN,
                       m_portIndex,
                       nowNs + static_cast<int64_t>(numerator / m_drainBps));
    }
    if (m_receiveQueue.bytes > m_receivePauseBytes)
    {
        for (uint8_t p = 0; p < PRIORITIES; ++p)
        {
            if (GetLosslessPriorities() >> p & 1 && m_pause[p].refreshNs == 0)
            {
                RequestPause(p);
            }
        }
    }
}

void
QbbNetDevice::DrainReceiveBuffer(int64_t nowNs)
{
    Frame* frame = m_receiveQueue.Pop();
    if (m_receiveQueue.head)
    {
        uint64_t numerator = m_receiveQueue.head->bytes * BITS_NS + m_drainRemainder;
        m_drainRemainder = numerator % m_drainBps;
        m_agenda->Note(AgendaKind::RECEIVE_DRAIN,
                       m_portIndex,
                       nowNs + static_cast<int64_t>(numerator / m_drainBps));
    }
    if (m_receiveQueue.bytes <= m_receiveResumeBytes)
    {
        for (uint8_t p = 0; p < PRIORITIES; ++p)
        {
            if (m_pause[p].refreshNs != 0)
            {
                ReleasePause(p);
            }
        }
    }
    Deliver(frame, nowNs);
}

int64_t
QbbNetDevice::QuantaNs(uint16_t quanta) const
{
    return static_cast<int64_t>(quanta * 512ULL * 1000 * 1000 * 1000 / m_rateBps);
}

void
QbbNetDevice::ReceivePfc(const Frame& frame, int64_t nowNs)
{
    bool resumed = false;
    for (uint8_t p = 0; p < PRIORITIES; ++p)
    {
        if (!(frame.pfc.classEnable >> p & 1))
        {
            continue;
        }
        uint16_t quanta = frame.pfc.quanta[p];
        m_pfcReceivedTrace(p, quanta);
        if (!(GetLosslessPriorities() >> p & 1))
        {
            continue;
        }
        bool paused = m_paused >> p & 1;
        if (quanta == 0)
        {
            if (paused)
            {
                EndPause(p, nowNs, false);
                resumed = true;
            }
            continue;
        }
        if (!paused)
        {
            m_paused |= 1U << p;
            ++m_pauses;
            m_pause[p].sinceNs = nowNs;
            m_pauseStartTrace(p, nowNs);
        }
        m_pause[p].untilNs = nowNs + QuantaNs(quanta);
        m_agenda->Note(AgendaKind::PAUSE_EXPIRY, m_portIndex * PRIORITIES + p, m_pause[p].untilNs);
    }
    if (resumed)
    {
        TransmitNext(nowNs);
    }
}

void
QbbNetDevice::EndPause(uint8_t priority, int64_t nowNs, bool expired)
{
    m_paused &= ~(1U << priority);
    ++m_pausesEnded;
    m_pausedNs += nowNs - m_pause[priority].sinceNs;
    m_pause[priority].endNs = nowNs;
    m_pauseEndTrace(priority, m_pause[priority].sinceNs, nowNs, expired);
}

void
QbbNetDevice::RequestPause(uint8_t priority)
{
    if (!(GetLosslessPriorities() >> priority & 1))
    {
        return;
    }
    SendPfc(priority, m_pauseQuanta);
    m_pause[priority].refreshNs =
        m_agenda->NowNs() + std::max<int64_t>(QuantaNs(m_pauseQuanta) / 2, 1);
    m_agenda->Note(AgendaKind::PFC_REFRESH,
                   m_portIndex * PRIORITIES + priority,
                   m_pause[priority].refreshNs);
}

void
QbbNetDevice::ReleasePause(uint8_t priority)
{
    if (m_pause[priority].refreshNs == 0)
    {
        return;
    }
    m_pause[priority].refreshNs = 0;
    SendPfc(priority, 0);
}

void
QbbNetDevice::SendPfc(uint8_t priority, uint16_t quanta)
{
    Frame* waiting = m_control.tail;
    Frame* frame = waiting ? waiting : m_agenda->Frames().Allocate();
    if (!waiting)
    {
        frame->kind = Frame::Kind::PFC;
        frame->bytes = MIN_FRAME_BYTES;
        frame->opcode = 0;
        frame->tos = 0;
        frame->pfc.classEnable = 0;
        frame->pfc.quanta.fill(0);
    }
    frame->pfc.classEnable |= 1U << priority;
    frame->pfc.quanta[priority] = quanta;
    if (!waiting)
    {
        Emit(frame);
    }
}

void
QbbNetDevice::TracePfc(const Frame& frame, const TracedCallback<uint8_t, uint16_t>& trace) const
{
    for (uint8_t p = 0; p < PRIORITIES; ++p)
    {
        if (frame.pfc.classEnable >> p & 1)
        {
            trace(p, frame.pfc.quanta[p]);
        }
    }
}

} // namespace ns3
