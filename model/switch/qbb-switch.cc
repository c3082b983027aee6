/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "qbb-switch.h"

#include "ns3/qbb-egress.h"

// The part of QbbSwitch that forwards frames. Attributes are in qbb-switch-setup.cc, trimming is in
// qbb-switch-trimming.cc, and path selectors and rare events are in qbb-switch-events.cc.

namespace ns3
{

void
QbbSwitch::ReceiveFrame(QbbNetDevice& port, Frame* frame, int64_t nowNs)
{
    if (frame->ttl <= 1)
    {
        port.Drop(frame, DropReason::TTL_EXPIRED);
        return;
    }
    --frame->ttl;
    uint32_t egress = m_selector ? FindEgress(*frame, nowNs)
                                 : m_routes.Lookup(frame->destination, frame->flowHash);
    if (egress == EcmpTable::NO_ROUTE)
    {
        port.Drop(frame, DropReason::NO_ROUTE);
        return;
    }
    if (frame->kind == Frame::Kind::IP &&
        frame->bytes > m_ports[egress]->GetMaxFrameBytes(frame->format))
    {
        port.Drop(frame, DropReason::FRAME_TOO_LARGE);
        return;
    }
    if (!m_deciders.empty() && !IsWanted(*frame, egress, nowNs))
    {
        port.Drop(frame, DropReason::REFUSED);
        return;
    }
    Store(port, frame, egress, nowNs);
}

void
QbbSwitch::Store(QbbNetDevice& port, Frame* frame, uint32_t egress, int64_t nowNs)
{
    uint32_t ingress = port.GetPortIndex();
    uint8_t priority = frame->priority;
    auto verdict = m_buffer->Admit(ingress, egress, priority, frame->bytes, nowNs);
    if (verdict != BufferPolicy::Verdict::ADMIT)
    {
        port.Drop(frame,
                  verdict == BufferPolicy::Verdict::BUFFER_FULL ? DropReason::BUFFER_FULL
                                                                : DropReason::EGRESS_LIMIT);
        return;
    }
    frame->ingressPort = static_cast<uint16_t>(ingress);
    frame->admittedBytes = frame->bytes;
    if (port.GetLosslessPriorities() >> priority & 1 && !(m_pausing[ingress] >> priority & 1) &&
        m_buffer->MustPause(ingress, priority))
    {
        m_pausing[ingress] |= 1U << priority;
        port.RequestPause(priority);
    }
    QbbNetDevice& out = *m_ports[egress];
    if (m_agentsWantEnqueue)
    {
        for (auto* agent : m_agents)
        {
            agent->OnEnqueue(out, *frame, nowNs);
        }
    }
    out.GetEgress().Enqueue(frame);
}

void
QbbSwitch::StartOfTransmission(QbbNetDevice& port, Frame& frame, int64_t nowNs)
{
    if (frame.kind == Frame::Kind::PFC || frame.ingressPort == Frame::NOT_ADMITTED)
    {
        return;
    }
    ReleaseBuffer(port, frame, nowNs);
    if (m_marked >> (frame.tos & 3) & 1 && m_marker->MustMark(port, frame, nowNs))
    {
        frame.tos |= ECN_CE;
        ++m_marks;
        port.NotifyEcnMark(frame);
    }
    for (auto* agent : m_agents)
    {
        agent->OnDequeue(port, frame, nowNs);
    }
}

void
QbbSwitch::ReleaseBuffer(QbbNetDevice& port, const Frame& frame, int64_t nowNs)
{
    uint32_t ingress = frame.ingressPort;
    uint8_t priority = frame.priority;
    m_buffer->Release(ingress, port.GetPortIndex(), priority, frame.admittedBytes, nowNs);
    if (m_pausing[ingress] >> priority & 1 && m_buffer->MayResume(ingress, priority))
    {
        m_pausing[ingress] &= ~(1U << priority);
        m_ports[ingress]->ReleasePause(priority);
    }
}

} // namespace ns3
