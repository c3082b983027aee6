/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-host-parts.h"
#include "rdma-host.h"
#include "rdma-switch-trust.h"

#include <algorithm>

// RdmaHost passes frames and timers to its parts.

namespace ns3
{

void
RdmaHost::ExpectFrame(const Frame& frame)
{
    const bool roce = frame.kind == Frame::Kind::ROCE;
    if (const auto* qp = roce ? m_parts->core.connections.Find(frame.destinationQp) : nullptr)
    {
        PrefetchLines(qp, RdmaQueuePair::HOT_BYTES);
        if (frame.IsRoceFeedback())
        {
            PrefetchLines(qp->cc, PREFETCHED_STATE_BYTES);
        }
    }
}

bool
RdmaHost::SuppliesFrames() const
{
    return true;
}

uint8_t
RdmaHost::ReadyPriorities(QbbNetDevice& port, int64_t nowNs)
{
    return m_parts->core.SchedulerOf(port).Ready(nowNs);
}

Frame*
RdmaHost::PullFrame(QbbNetDevice& port, uint8_t priority, int64_t nowNs)
{
    RdmaNicScheduler& scheduler = m_parts->core.SchedulerOf(port);
    while (scheduler.Ready(nowNs) >> priority & 1)
    {
        RdmaQueuePair& qp = *scheduler.Next(priority);
        Frame* frame = nullptr;
        if (qp.MaySend() && static_cast<int64_t>(qp.nextSendNs) <= nowNs)
        {
            frame = m_parts->requester.MakePacket(qp, nowNs);
        }
        scheduler.Update(qp, qp.slot, nowNs);
        if (frame)
        {
            return frame;
        }
        LeaveIfDone(qp, nowNs);
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

void
RdmaHost::LoseFrame(QbbNetDevice&, const Frame& frame)
{
    m_parts->prober.OnLoss(frame, m_parts->core.agenda->NowNs());
}

RdmaQueuePair*
RdmaHost::FindResponder(Frame* frame)
{
    RdmaConnections& connections = m_parts->core.connections;
    const RdmaEnd* end = connections.FindEnd(frame->destinationQp);
    if (!end || end->receiver == RdmaEnd::NO_ROLE)
    {
        m_parts->core.Drop(frame, DropReason::UNKNOWN_QUEUE_PAIR);
        return nullptr;
    }
    return end->slot == RdmaEnd::NONE
               ? &m_parts->connector.Open(IndexOfNumber(frame->destinationQp))
               : &connections.queuePairs[end->slot];
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
        if (!qp->oldest)
        {
            LeaveIfDone(*qp, nowNs);
        }
    }
}

void
RdmaHost::ReceiveData(Frame* frame, int64_t nowNs)
{
    RdmaQueuePair* qp = FindResponder(frame);
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
    LeaveIfDone(*qp, nowNs);
}

void
RdmaHost::ReceiveControl(Frame* frame, int64_t nowNs)
{
    if (frame->opcode == ROCE_SWITCH_RESPONSE)
    {
        m_parts->responses.Receive(frame, RdmaSwitchTrust::Of(*this), nowNs);
    }
    else if (frame->opcode == ROCE_PROBE)
    {
        if (RdmaQueuePair* qp = FindResponder(frame))
        {
            m_parts->collector.ReceiveProbe(*qp, frame, nowNs);
            LeaveIfDone(*qp, nowNs);
        }
    }
    else if (RdmaQueuePair* qp = m_parts->core.FindRequester(frame))
    {
        if (frame->opcode == ROCE_CNP)
        {
            m_parts->requester.ReceiveCnp(*qp, frame, nowNs);
            return;
        }
        m_parts->notifications.Receive(*qp, frame, nowNs);
        if (!qp->oldest)
        {
            LeaveIfDone(*qp, nowNs);
        }
    }
}

void
RdmaHost::LeaveIfDone(RdmaQueuePair& qp, int64_t nowNs)
{
    if (!qp.singleMessage || qp.expectedPsn > UINT32_MAX)
    {
        return;
    }
    bool done = qp.deliveredMessages > 0 && !qp.pendingAck;
    if (qp.ops)
    {
        done = qp.messages > 0 && !qp.cc;
        m_parts->core.PortOf(qp).scheduler->Update(qp, qp.slot, nowNs);
    }
    if (!done || qp.schedule != RdmaQueuePair::Schedule::IDLE)
    {
        return;
    }
    m_parts->receivers.Close(qp);
    m_parts->pacer.Forget(qp);
    m_parts->responder.Forget(qp);
    m_parts->prober.Forget(qp);
    m_parts->core.connections.FreeSlot(qp);
}

void
RdmaHost::Due(AgendaKind, uint32_t, int64_t nowNs)
{
    RdmaHostCore& core = m_parts->core;
    if (nowNs >= core.timersNs)
    {
        core.timersNs = RdmaTimerHeap::NEVER;
    }
    m_parts->mover.RunMoves(nowNs);
    m_parts->pacer.RunPolicyTimers(nowNs);
    m_parts->recovery.RunTimeouts(nowNs);
    m_parts->responder.RunTimers(nowNs);
    m_parts->receivers.RunTimers(nowNs);
    m_parts->prober.RunTimers(nowNs);
    core.ScheduleTimers(std::min({m_parts->pacer.NextNs(),
                                  m_parts->mover.NextNs(),
                                  m_parts->responder.NextNs(),
                                  m_parts->receivers.NextNs(),
                                  m_parts->prober.NextNs()}));
}

} // namespace ns3
