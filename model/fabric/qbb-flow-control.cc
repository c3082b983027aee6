/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "qbb-flow-control.h"

#include "hpcc-frame-sizes.h"
#include "qbb-channel.h"
#include "qbb-egress.h"
#include "qbb-port-settings.h"
#include "qbb-port-traces.h"

#include "ns3/hpcc-input-error.h"

#include <algorithm>
#include <string>

namespace ns3
{

int64_t
QbbFlowControl::QuantaNs(uint16_t quanta, uint64_t rateBps)
{
    return static_cast<int64_t>(quanta * 512ULL * 1000 * 1000 * 1000 / rateBps);
}

int64_t
QbbFlowControl::RefreshNs(uint16_t quanta) const
{
    const QbbChannel* link = m_core.end.GetLink();
    const uint64_t peerBps = link ? link->GetPeerRateBps(&m_core.end) : 0;
    const uint64_t rateBps = std::max(m_core.settings.GetRateBps(), peerBps);
    return std::max<int64_t>(QuantaNs(quanta, rateBps) / 2, 1);
}

uint32_t
QbbFlowControl::AgendaIndex(uint8_t priority) const
{
    return m_core.end.GetPortIndex() * PRIORITIES + priority;
}

bool
QbbFlowControl::IsPaused(uint8_t priority) const
{
    return m_egress.GetPaused() >> priority & 1;
}

int64_t
QbbFlowControl::GetPausedNs(int64_t nowNs) const
{
    int64_t pausedNs = m_core.counts.pausedNs;
    for (uint8_t p = 0; p < PRIORITIES; ++p)
    {
        pausedNs += IsPaused(p) ? nowNs - m_pause[p].sinceNs : 0;
    }
    return pausedNs;
}

void
QbbFlowControl::Receive(const Frame& frame, int64_t nowNs)
{
    bool resumed = false;
    for (uint8_t p = 0; p < PRIORITIES; ++p)
    {
        if (!(frame.pfc.classEnable >> p & 1))
        {
            continue;
        }
        uint16_t quanta = frame.pfc.quanta[p];
        m_core.traces.NotifyPfcReceived(p, quanta);
        if (!(m_core.settings.GetLosslessPriorities() >> p & 1))
        {
            continue;
        }
        if (quanta == 0)
        {
            if (IsPaused(p))
            {
                EndPause(p, nowNs, false);
                resumed = true;
            }
            continue;
        }
        if (!IsPaused(p))
        {
            m_egress.SetPaused(m_egress.GetPaused() | 1U << p);
            ++m_core.counts.pauses;
            m_pause[p].sinceNs = nowNs;
            m_core.traces.NotifyPauseStart(p, nowNs);
        }
        m_pause[p].untilNs = nowNs + QuantaNs(quanta, m_core.settings.GetRateBps());
        m_core.end.GetAgenda().Schedule(AgendaKind::PAUSE_EXPIRY,
                                        AgendaIndex(p),
                                        m_pause[p].untilNs);
    }
    if (resumed)
    {
        m_egress.TransmitNext(nowNs);
    }
}

void
QbbFlowControl::EndPause(uint8_t priority, int64_t nowNs, bool expired)
{
    m_egress.SetPaused(m_egress.GetPaused() & ~(1U << priority));
    ++m_core.counts.pausesEnded;
    m_core.counts.pausedNs += nowNs - m_pause[priority].sinceNs;
    m_pause[priority].endNs = nowNs;
    m_core.traces.NotifyPauseEnd(priority, m_pause[priority].sinceNs, nowNs, expired);
}

void
QbbFlowControl::EndAll(int64_t nowNs)
{
    for (uint8_t p = 0; p < PRIORITIES; ++p)
    {
        m_pause[p].refreshNs = 0;
        if (IsPaused(p))
        {
            EndPause(p, nowNs, false);
        }
    }
}

void
QbbFlowControl::RequireLossless(uint8_t priority) const
{
    HPCC_REFUSE_IF(
        priority >= PRIORITIES || !(m_core.settings.GetLosslessPriorities() >> priority & 1),
        "ns3::QbbNetDevice::RequestPause: node " +
            std::to_string(m_core.end.GetAgenda().GetNodeId()) + ", port " +
            std::to_string(m_core.end.GetPortIndex()) + ": priority " + std::to_string(priority) +
            " is not lossless; allowed are ns3::QbbNetDevice::LosslessPriorities with "
            "PfcEnabled");
}

void
QbbFlowControl::RepeatRequests()
{
    for (uint8_t p = 0; p < PRIORITIES; ++p)
    {
        if (RequestsPause(p))
        {
            RequestPause(p);
        }
    }
}

void
QbbFlowControl::RequestPause(uint8_t priority)
{
    if (!(m_core.settings.GetLosslessPriorities() >> priority & 1))
    {
        return;
    }
    const uint16_t quanta = m_core.settings.GetPauseQuanta();
    SendPfc(priority, quanta);
    NodeAgenda& agenda = m_core.end.GetAgenda();
    m_pause[priority].refreshNs = agenda.NowNs() + RefreshNs(quanta);
    agenda.Schedule(AgendaKind::PFC_REFRESH, AgendaIndex(priority), m_pause[priority].refreshNs);
}

void
QbbFlowControl::ReleasePause(uint8_t priority)
{
    HPCC_REFUSE_IF(priority >= PRIORITIES,
                   "ns3::QbbNetDevice::ReleasePause: priority " + std::to_string(priority) +
                       " does not exist; allowed are 0 to 7");
    if (!RequestsPause(priority))
    {
        return;
    }
    m_pause[priority].refreshNs = 0;
    SendPfc(priority, 0);
}

void
QbbFlowControl::SendPfc(uint8_t priority, uint16_t quanta)
{
    Frame* waiting = m_egress.GetWaitingPfc();
    Frame* frame = waiting ? waiting : m_core.end.GetAgenda().Frames().Allocate();
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
        m_egress.Emit(frame);
    }
}

void
QbbFlowControl::Due(AgendaKind kind, uint32_t index, int64_t nowNs)
{
    const uint8_t priority = index % PRIORITIES;
    if (kind == AgendaKind::PFC_REFRESH)
    {
        if (m_pause[priority].refreshNs == nowNs)
        {
            RequestPause(priority);
        }
    }
    else if (IsPaused(priority) && nowNs >= m_pause[priority].untilNs)
    {
        EndPause(priority, nowNs, true);
        m_egress.TransmitNext(nowNs);
    }
}

} // namespace ns3
