/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-stack-port.h"
#include "qbb-channel.h"
#include "qbb-egress.h"
#include "qbb-flow-control.h"
#include "qbb-ingress.h"
#include "qbb-port-settings.h"
#include "qbb-port-traces.h"

#include "ns3/hpcc-input-error.h"

#include <algorithm>
#include <string>

// The functions that queue and send frames (QbbEgress) and receive frames (QbbIngress). The
// functions for drops, emitted frames and counters per class are in qbb-egress.cc. The functions
// for the receive buffer are in qbb-ingress.cc.

namespace ns3
{

namespace
{

/// Returns true if at most one bit is set.
bool
IsSingle(uint8_t mask)
{
    return (mask & (mask - 1)) == 0;
}

/// Returns the index of the only set bit.
uint8_t
IndexOf(uint8_t mask)
{
    return static_cast<uint8_t>(__builtin_ctz(mask));
}

/**
 * Throws HpccInputError because a scheduler has chosen a priority that may not send.
 * @param scheduler the scheduler
 * @param priority priority that the scheduler has chosen
 * @param candidates bit mask of the priorities that may send
 * @param node number of the node
 */
[[noreturn]] void
RefuseChoice(const EgressScheduler& scheduler, uint8_t priority, uint8_t candidates, uint32_t node)
{
    std::string allowed;
    for (uint8_t p = 0; p < PRIORITIES; ++p)
    {
        allowed += candidates >> p & 1 ? (allowed.empty() ? "" : ", ") + std::to_string(p) : "";
    }
    throw HpccInputError(scheduler.GetInstanceTypeId().GetName() + "::Choose() of node " +
                         std::to_string(node) + " returned " + std::to_string(priority) +
                         "; allowed are the candidates " + allowed);
}

} // namespace

void
QbbEgress::NotifyQueue(uint8_t priority, int64_t nowNs)
{
    m_core.traces.NotifyQueue(priority, m_queues[priority].bytes, m_totalBytes, nowNs);
    if (m_stopped)
    {
        m_stack.Get().QueueChanged(priority);
    }
}

void
QbbEgress::Enqueue(Frame* frame)
{
    if (!m_core.end.GetLink())
    {
        m_core.traces.Drop(frame, DropReason::LINK_DOWN, QbbPortTraces::Way::OUT);
        return;
    }
    uint8_t priority = frame->priority;
    m_core.traces.NotifyEnqueue(*frame);
    int64_t nowNs = m_core.end.GetAgenda().CatchUp();
    if (nowNs >= m_freeNs && !HasQueued() && !m_starting && !(m_paused >> priority & 1))
    {
        CountServed(priority);
        StartTransmission(frame, nowNs);
        return;
    }
    frame->arrivalNs = nowNs;
    m_queues[priority].Push(frame);
    m_queued |= 1U << priority;
    m_totalBytes += frame->bytes;
    NotifyQueue(priority, nowNs);
    TransmitNext(nowNs);
}

void
QbbEgress::Kick(int64_t atNs)
{
    if (!m_core.end.GetLink())
    {
        return;
    }
    int64_t nowNs = m_core.end.GetAgenda().CatchUp();
    int64_t startNs = std::max(atNs, m_freeNs);
    if (startNs > nowNs)
    {
        NoteWake(startNs);
    }
    else
    {
        TransmitNext(nowNs);
    }
}

void
QbbEgress::NoteWake(int64_t atNs)
{
    if (atNs < m_wakeNs)
    {
        m_wakeNs = atNs;
        m_core.end.GetAgenda().Schedule(AgendaKind::PORT_FREE, m_core.end.GetPortIndex(), atNs);
    }
}

void
QbbEgress::Due(AgendaKind, uint32_t, int64_t nowNs)
{
    if (nowNs >= m_wakeNs)
    {
        m_wakeNs = FrameHandler::NEVER;
    }
    TransmitNext(nowNs);
}

void
QbbEgress::TransmitNext(int64_t nowNs)
{
    if (m_starting)
    {
        m_selectAgain = true;
        return;
    }
    if (m_wakeNs <= nowNs || !m_core.end.GetLink())
    {
        return;
    }
    if (nowNs < m_freeNs)
    {
        NoteWake(m_freeNs);
        return;
    }
    // Trace sinks, the stack and the handler may pass new frames to the port while a frame is
    // selected. TransmitNext() then only sets m_selectAgain, and the selection is repeated if it
    // has found no frame.
    m_starting = true;
    Frame* frame = nullptr;
    do
    {
        m_selectAgain = false;
        frame = SelectFrame(nowNs);
    } while (!frame && m_selectAgain);
    m_starting = false;
    if (frame)
    {
        StartTransmission(frame, nowNs);
    }
    else if (m_pulls)
    {
        int64_t atNs =
            m_handler->NextPullNs(m_core.device, static_cast<uint8_t>(~m_paused), nowNs + 1);
        if (atNs != FrameHandler::NEVER)
        {
            NoteWake(atNs);
        }
    }
}

Frame*
QbbEgress::SelectFrame(int64_t nowNs)
{
    if (m_control.head)
    {
        return m_control.Pop();
    }
    auto open = static_cast<uint8_t>(~m_paused);
    if (m_emitted.head)
    {
        if (Frame* frame = m_emitted.PopFirst(open))
        {
            return frame;
        }
    }
    uint8_t queued = m_queued & open;
    uint8_t pullable = m_pulls ? m_handler->ReadyPriorities(m_core.device, nowNs) & open : 0;
    while (uint8_t candidates = queued | pullable)
    {
        uint8_t priority = IsSingle(candidates)
                               ? IndexOf(candidates)
                               : m_core.settings.GetScheduler().Choose(candidates, m_core.device);
        if (!(candidates >> priority & 1))
        {
            RefuseChoice(m_core.settings.GetScheduler(),
                         priority,
                         candidates,
                         m_core.end.GetAgenda().GetNodeId());
        }
        uint8_t bit = 1U << priority;
        FrameQueue& queue = m_queues[priority];
        bool pull = pullable & bit;
        if (pull && queued & bit)
        {
            pull = !queue.head->IsRoceFeedback() && !(m_pulledLast & bit);
        }
        if (!pull)
        {
            Frame* frame = queue.Pop();
            if (!queue.head)
            {
                m_queued &= ~bit;
            }
            m_totalBytes -= frame->bytes;
            CountServed(priority);
            m_pulledLast &= ~bit;
            NotifyQueue(priority, nowNs);
            return frame;
        }
        if (Frame* frame = m_handler->PullFrame(m_core.device, priority, nowNs))
        {
            CountServed(priority);
            m_pulledLast |= bit;
            return frame;
        }
        pullable &= ~bit;
    }
    return nullptr;
}

void
QbbEgress::StartTransmission(Frame* frame, int64_t nowNs)
{
    m_starting = true;
    if (m_handler)
    {
        m_handler->StartOfTransmission(m_core.device, *frame, nowNs);
    }
    const QbbPortSettings& settings = m_core.settings;
    const uint32_t linkBytes = settings.GetLinkBytes(frame->bytes);
    if (frame->kind == Frame::Kind::PFC)
    {
        m_core.traces.NotifyPfcSent(*frame);
    }
    else
    {
        ++m_core.counts.txFrames;
    }
    m_core.traces.NotifyTransmit(*frame, nowNs);
    const uint32_t txBytes = settings.GetCountedBytes(frame->bytes, linkBytes);
    m_core.counts.txBytes += txBytes;
    if (settings.GetPerPriority().counts)
    {
        CountClass(*frame, txBytes, linkBytes);
    }
    const auto [truncates, carries] = settings.GetRounding();
    const uint64_t rateBps = settings.GetRateBps();
    uint64_t numerator = linkBytes * QbbPortSettings::BITS_NS;
    if (nowNs == m_freeNs && !truncates)
    {
        numerator += m_remainder;
    }
    else if (carries)
    {
        numerator += frame->fraction * rateBps >> Frame::FRACTION_BITS;
    }
    const uint64_t durationNs = (truncates ? numerator - 1 : numerator) / rateBps;
    m_remainder = numerator % rateBps;
    if (carries)
    {
        frame->fraction = static_cast<uint16_t>((m_remainder << Frame::FRACTION_BITS) / rateBps);
    }
    m_freeNs = nowNs + static_cast<int64_t>(durationNs);
    m_starting = false;
    QbbLinkEnd& end = m_core.end;
    frame->linkEpoch = end.GetLinkEpoch();
    end.GetLink()->Transmit(&end, frame, m_freeNs);
    if (HasQueued())
    {
        NoteWake(m_freeNs);
    }
    else if (m_pulls)
    {
        int64_t atNs =
            m_handler->NextPullNs(m_core.device, static_cast<uint8_t>(~m_paused), m_freeNs);
        if (atNs != FrameHandler::NEVER)
        {
            NoteWake(atNs);
        }
    }
}

void
QbbEgress::CountServed(uint8_t priority)
{
    if (m_core.settings.GetPerPriority().watched >> priority & 1)
    {
        m_core.settings.GetScheduler().Served(priority);
    }
}

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
        m_egress.GetHandler()->PrefetchFor(*next);
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
    if (m_core.settings.GetReceiveBuffer().drainBps == 0)
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

} // namespace ns3
