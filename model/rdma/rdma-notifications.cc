/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-notifications.h"

namespace ns3
{

void
RdmaNotifications::Receive(RdmaQueuePair& qp, Frame* frame, int64_t nowNs)
{
    const uint64_t named = UnwrapPsn(frame->reflection.namedPsn & 0xffffff, qp.sndUnaPsn);
    if (!qp.feedback || !qp.feedback->how->IsNotified() || named > qp.sndMaxPsn)
    {
        m_core.Drop(frame, DropReason::MALFORMED);
        return;
    }
    if (frame->format ? !m_feedback.Accept(qp, *frame) : qp.authenticator != nullptr)
    {
        FramePool::Free(frame);
        return;
    }
    const bool probed = qp.feedback->probes != nullptr;
    HpccProbes::Answer answer{true, 0, 0, 0};
    if (probed)
    {
        answer = RdmaProber::OnAnswer(qp, named, frame->reflection.namedPsn >> 24, nowNs);
    }
    else
    {
        answer.ackSeq = qp.PositionOf(named);
    }
    if (probed && qp.sack)
    {
        answer.ackSeq = static_cast<uint64_t>(answer.sentNs);
    }
    if (!answer.known)
    {
        frame->format = nullptr;
    }
    m_requester.Acknowledge(qp, frame, &answer.ackSeq, nowNs);
    if (probed && answer.known && qp.cc)
    {
        m_prober.Continue(qp, nowNs);
    }
}

} // namespace ns3
