/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-host-parts.h"
#include "rdma-host.h"

// This file dispatches frames to the parts of RdmaHost. Timers, and control frames other than ACKs,
// are dispatched in rdma-host.cc.

namespace ns3
{

void
RdmaHost::PrefetchFor(const Frame& frame)
{
    const bool roce = frame.kind == Frame::Kind::ROCE;
    const auto* open = roce ? m_parts->core.connections.FindOpen(frame.destinationQp) : nullptr;
    if (!open || !open->queuePair)
    {
        return;
    }
    if (frame.IsRoceFeedback())
    {
        RdmaQueuePair::PrefetchRequester(open->queuePair);
        PrefetchLines(open->policy, RdmaQueuePair::ACK_STATE_BYTES);
    }
    else
    {
        RdmaQueuePair::PrefetchResponder(open->queuePair);
    }
}

uint8_t
RdmaHost::ReadyPriorities(QbbNetDevice& port, int64_t nowNs)
{
    return m_parts->core.SchedulerOf(port).ReadyPriorities(nowNs);
}

Frame*
RdmaHost::PullFrame(QbbNetDevice& port, uint8_t priority, int64_t nowNs)
{
    RdmaNicScheduler& scheduler = m_parts->core.SchedulerOf(port);
    while (scheduler.ReadyPriorities(nowNs) >> priority & 1)
    {
        RdmaQueuePair& qp = *scheduler.Next(priority);
        Frame* frame = nullptr;
        if (qp.MaySend() && static_cast<int64_t>(qp.nextSendNs) <= nowNs)
        {
            frame = m_parts->requester.MakePacket(qp, nowNs);
        }
        scheduler.Update(qp, qp.slot, frame ? m_parts->pacer.EndOfTurnNs(qp, nowNs) : nowNs);
        if (frame)
        {
            return frame;
        }
        if (qp.singleMessage)
        {
            LeaveIfDone(qp, nowNs);
        }
    }
    return nullptr;
}

int64_t
RdmaHost::NextPullNs(QbbNetDevice& port, uint8_t priorities, int64_t freeNs)
{
    return m_parts->core.SchedulerOf(port).NextNs(priorities, freeNs);
}

void
RdmaHost::StartOfTransmission(QbbNetDevice&, Frame& frame, int64_t nowNs)
{
    if (!m_parts->prober.IsIdle())
    {
        m_parts->prober.OnTransmission(frame, nowNs);
    }
}

uint32_t
RdmaHost::IndexOfNumber(uint32_t number)
{
    return RdmaConnections::IndexOfNumber(number);
}

void
RdmaHost::ReceiveFrame(QbbNetDevice& port, Frame* frame, int64_t nowNs)
{
    if (frame->kind == Frame::Kind::IP)
    {
        port.DeliverToStack(frame);
    }
    else if (!m_parts->core.IsAddressed(*frame))
    {
        port.Drop(frame, DropReason::WRONG_ADDRESS);
    }
    else if (m_parts->core.nic && m_parts->core.nic->HoldIncoming(port, frame, nowNs))
    {
        return;
    }
    else if (frame->opcode == ROCE_ACK)
    {
        ReceiveAck(frame, nowNs);
    }
    else if (frame->IsRoceFeedback() || frame->opcode == ROCE_PROBE)
    {
        ReceiveControl(frame, nowNs);
    }
    else
    {
        ReceiveData(frame, nowNs);
    }
}

void
RdmaHost::ReceiveAck(Frame* frame, int64_t nowNs)
{
    if (RdmaQueuePair* qp = m_parts->core.FindRequester(frame))
    {
        m_parts->requester.ReceiveAck(*qp, frame, nowNs);
        if (qp->singleMessage && !qp->oldest)
        {
            LeaveIfDone(*qp, nowNs);
        }
    }
}

void
RdmaHost::ReceiveData(Frame* frame, int64_t nowNs)
{
    RdmaQueuePair* qp = m_parts->connector.FindResponder(frame);
    if (!qp)
    {
        return;
    }
    if (frame->trimmed)
    {
        if (qp->responderUses & USES_SACK)
        {
            m_parts->collector.ReceiveTrimmed(*qp, frame, nowNs);
        }
        else
        {
            m_parts->core.Drop(frame, DropReason::TRIMMED);
        }
    }
    else if (frame->opcode == ROCE_READ_REQUEST && !RdmaReads::CanAnswer(*qp, *frame))
    {
        m_parts->core.Drop(frame, DropReason::MALFORMED);
    }
    else if (qp->responderUses)
    {
        m_parts->collector.ReceiveData(*qp, frame, nowNs);
    }
    else
    {
        m_parts->responder.ReceiveData(*qp, frame, nowNs);
    }
    if (qp->singleMessage)
    {
        LeaveIfDone(*qp, nowNs);
    }
}

} // namespace ns3
