/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-frame-sizes.h"
#include "qbb-net-device.h"

#include "ns3/abort.h"

#include <algorithm>

// The part of QbbNetDevice that queues frames, chooses the next one and sends it.

namespace ns3
{

namespace
{

/// @return true if exactly one bit is set
bool
IsSingle(uint8_t mask)
{
    return (mask & (mask - 1)) == 0;
}

/// @return index of the only set bit
uint8_t
IndexOf(uint8_t mask)
{
    return static_cast<uint8_t>(__builtin_ctz(mask));
}

} // namespace

uint32_t
QbbNetDevice::GetLinkBytes(uint32_t bytes) const
{
    return m_ethernetOverhead ? std::max(bytes, MIN_FRAME_BYTES) + ETHERNET_OVERHEAD_BYTES : bytes;
}

void
QbbNetDevice::NotifyQueue(uint8_t priority)
{
    if (!m_queueBytesTrace.IsEmpty())
    {
        m_queueBytesTrace(priority, m_queues[priority].bytes, m_totalBytes);
    }
    if (m_stopped)
    {
        m_stack->QueueShrank(priority);
    }
}

void
QbbNetDevice::FrameQueue::Push(Frame* frame)
{
    frame->next = nullptr;
    if (tail)
    {
        tail->next = frame;
    }
    else
    {
        head = frame;
    }
    tail = frame;
    bytes += frame->bytes;
}

Frame*
QbbNetDevice::FrameQueue::Pop()
{
    Frame* frame = head;
    head = frame->next;
    if (head)
    {
        head->Prefetch();
    }
    else
    {
        tail = nullptr;
    }
    bytes -= frame->bytes;
    return frame;
}

Frame*
QbbNetDevice::FrameQueue::PopFirst(uint8_t open)
{
    Frame* before = nullptr;
    Frame* frame = head;
    while (frame && !(open >> frame->priority & 1))
    {
        before = frame;
        frame = frame->next;
    }
    if (!frame || !before)
    {
        return frame ? Pop() : nullptr;
    }
    before->next = frame->next;
    if (tail == frame)
    {
        tail = before;
    }
    bytes -= frame->bytes;
    return frame;
}

void
QbbNetDevice::Enqueue(Frame* frame)
{
    if (!m_link)
    {
        Drop(frame, DropReason::LINK_DOWN);
        return;
    }
    uint8_t priority = frame->priority;
    if (!m_enqueueTrace.IsEmpty())
    {
        m_enqueueTrace(PacketOf(*frame));
    }
    int64_t nowNs = m_agenda->CatchUp();
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
    NotifyQueue(priority);
    TransmitNext(nowNs);
}

void
QbbNetDevice::Emit(Frame* frame)
{
    if (!m_link)
    {
        Drop(frame, DropReason::LINK_DOWN);
        return;
    }
    int64_t nowNs = m_agenda->CatchUp();
    if (frame->kind == Frame::Kind::PFC)
    {
        m_control.Push(frame);
    }
    else
    {
        frame->priority = m_dscpMap[frame->tos];
        frame->ingressPort = Frame::NOT_ADMITTED;
        m_emitted.Push(frame);
    }
    TransmitNext(nowNs);
}

void
QbbNetDevice::Kick(int64_t atNs)
{
    if (!m_link)
    {
        return;
    }
    int64_t nowNs = m_agenda->CatchUp();
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
QbbNetDevice::NoteWake(int64_t atNs)
{
    if (atNs < m_wakeNs)
    {
        m_wakeNs = atNs;
        m_agenda->Note(AgendaKind::PORT_FREE, m_portIndex, atNs);
    }
}

void
QbbNetDevice::TransmitNext(int64_t nowNs)
{
    if (m_starting || m_wakeNs <= nowNs || !m_link)
    {
        return;
    }
    if (nowNs < m_freeNs)
    {
        NoteWake(m_freeNs);
        return;
    }
    if (Frame* frame = SelectFrame(nowNs))
    {
        StartTransmission(frame, nowNs);
    }
    else if (m_pulls)
    {
        int64_t atNs = m_handler->NextPullNs(*this, static_cast<uint8_t>(~m_paused), nowNs + 1);
        if (atNs != FrameHandler::NEVER)
        {
            NoteWake(atNs);
        }
    }
}

Frame*
QbbNetDevice::SelectFrame(int64_t nowNs)
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
    uint8_t pullable = m_pulls ? m_handler->ReadyPriorities(*this, nowNs) & open : 0;
    while (uint8_t candidates = queued | pullable)
    {
        uint8_t priority =
            IsSingle(candidates) ? IndexOf(candidates) : m_scheduler->Choose(candidates, *this);
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
            NotifyQueue(priority);
            return frame;
        }
        if (Frame* frame = m_handler->PullFrame(*this, priority, nowNs))
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
QbbNetDevice::StartTransmission(Frame* frame, int64_t nowNs)
{
    m_starting = true;
    if (m_handler)
    {
        m_handler->StartOfTransmission(*this, *frame, nowNs);
    }
    uint32_t linkBytes = GetLinkBytes(frame->bytes);
    if (frame->kind == Frame::Kind::PFC)
    {
        TracePfc(*frame, m_pfcSentTrace);
    }
    else
    {
        ++m_txFrames;
    }
    if (!m_transmitTrace.IsEmpty())
    {
        m_transmitTrace(nowNs, *frame);
    }
    if (!m_dequeueTrace.IsEmpty())
    {
        m_dequeueTrace(PacketOf(*frame));
    }
    if (!m_snifferTrace.IsEmpty())
    {
        m_snifferTrace(PacketOf(*frame));
    }
    uint32_t txBytes = m_countOverhead || !m_ethernetOverhead ? linkBytes : frame->bytes + 4;
    m_txBytes += txBytes;
    if (m_countsClasses)
    {
        CountClass(*frame, txBytes, linkBytes);
    }
    uint64_t numerator = linkBytes * BITS_NS;
    if (nowNs == m_freeNs && !m_wholeNanoseconds)
    {
        numerator += m_remainder;
    }
    uint64_t durationNs = (m_wholeNanoseconds ? numerator - 1 : numerator) / m_rateBps;
    m_remainder = numerator % m_rateBps;
    m_freeNs = nowNs + static_cast<int64_t>(durationNs);
    m_starting = false;
    frame->linkEpoch = m_linkEpoch;
    m_link->Transmit(this, frame, m_freeNs);
    if (HasQueued())
    {
        NoteWake(m_freeNs);
    }
    else if (m_pulls)
    {
        int64_t atNs = m_handler->NextPullNs(*this, static_cast<uint8_t>(~m_paused), m_freeNs);
        if (atNs != FrameHandler::NEVER)
        {
            NoteWake(atNs);
        }
    }
}

void
QbbNetDevice::CountClass(const Frame& frame, uint32_t txBytes, uint32_t linkBytes)
{
    if (frame.kind == Frame::Kind::PFC)
    {
        m_lastPriority = PRIORITIES;
        return;
    }
    m_lastPriority = frame.priority;
    m_classTxBytes[frame.priority] += txBytes;
    m_scheduler->Charge(frame.priority, linkBytes);
}

std::vector<uint16_t>
QbbNetDevice::GetIngressPorts(uint8_t priority) const
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
