/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-host-parts.h"
#include "rdma-host.h"
#include "rdma-switch-trust.h"

#include <algorithm>

// RdmaHost passes control frames and timers to its parts, and frees queue pairs that are done.

namespace ns3
{

bool
RdmaHost::SuppliesFrames() const
{
    return true;
}

void
RdmaHost::LoseFrame(QbbNetDevice&, const Frame& frame)
{
    m_parts->prober.OnLoss(frame, m_parts->core.agenda->NowNs());
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
        if (RdmaQueuePair* qp = m_parts->connector.FindResponder(frame))
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
