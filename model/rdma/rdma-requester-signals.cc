/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-receiver-control.h"
#include "rdma-requester.h"

#include <algorithm>

// This file handles the following packets for the requester: NACKs for trimmed packets, repeated
// READ requests, and CNPs. ACKs and NAKs are handled in rdma-requester.cc.

namespace ns3
{

void
RdmaRequester::AcknowledgeTrimmed(RdmaQueuePair& qp, Frame* frame, int64_t nowNs)
{
    Hops hops;
    RdmaAckInfo ack{};
    ack.nowNs = nowNs;
    ack.rttNs = -1;
    ack.negative = true;
    ack.entropy = frame->sourcePort;
    ack.hops = hops.data();
    const bool known = m_sacks.OnTrimmed(qp, *frame, ack);
    if (known && frame->format)
    {
        m_feedback.ReadAck(qp, *frame, false, 0, ack);
    }
    FramePool::Free(frame);
    if (ack.hopCount > 0)
    {
        m_pacer.Raise(qp, nowNs, &RdmaCongestionOps::OnAck, ack);
    }
    if (known)
    {
        m_pacer.Apply(qp, nowNs);
    }
}

void
RdmaRequester::GoBackTo(RdmaQueuePair& qp, uint64_t psn, const Frame& request, int64_t nowNs)
{
    if (psn > qp.sndMaxPsn)
    {
        return;
    }
    const uint64_t unaBefore = qp.sndUnaPsn;
    Hops hops;
    RdmaAckInfo ack{};
    ack.nowNs = nowNs;
    ack.hops = hops.data();
    ack.negative = true;
    BeginAck(qp, psn, request, ack);
    m_recovery.OnNak(qp, psn, nowNs);
    ack.ackSeq = psn == qp.sndUnaPsn ? qp.sndUnaByte : 0;
    ack.sndNxt = qp.sndNxtByte;
    if (qp.requesterUses & USES_PATHS)
    {
        const auto packets = static_cast<uint32_t>(std::max(psn, unaBefore) - unaBefore);
        m_paths.Follow(qp, {packets, false, request.sourcePort, false}, ack);
    }
    EndAck(qp, ack);
}

void
RdmaRequester::ReceiveCnp(RdmaQueuePair& qp, Frame* frame, int64_t nowNs)
{
    const RdmaNotification notification = RdmaReceiverControl::Read(*frame);
    const bool computed =
        qp.requesterUses & USES_FEEDBACK && qp.feedback->how->ComputesAtReceiver();
    const bool given = computed ? notification.given : notification.rateBps > 0 && qp.receiverPart;
    if (!computed || !given || m_feedback.AcceptWindow(qp, *frame))
    {
        const RdmaCongestionMessage message{nowNs, given ? &notification : nullptr};
        m_pacer.Raise(qp, nowNs, &RdmaCongestionOps::OnCongestionMessage, message);
    }
    FramePool::Free(frame);
    m_pacer.Apply(qp, nowNs);
}

} // namespace ns3
