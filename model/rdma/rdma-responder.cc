/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-responder.h"

// This file handles in-order data packets and sends ACKs. Out-of-order packets and duplicates are
// handled in rdma-responder-gaps.cc, delayed ACKs in rdma-responder-delays.cc.

namespace ns3
{

void
RdmaResponder::Deliver(RdmaQueuePair& qp, const RdmaArrival& arrival, int64_t nowNs)
{
    ++qp.expectedPsn;
    qp.nakSent = false;
    qp.receivedBytes += arrival.bytes;
    qp.messageBytes += arrival.bytes;
    if (!m_core.traces.received.IsEmpty())
    {
        m_core.traces.received(qp, nowNs, arrival.bytes);
    }
    if (EndsRoceMessage(arrival.opcode))
    {
        FinishMessage(qp, arrival, nowNs);
    }
}

void
RdmaResponder::FinishMessage(RdmaQueuePair& qp, const RdmaArrival& arrival, int64_t nowNs)
{
    if (arrival.opcode == ROCE_READ_REQUEST || RdmaReads::IsResponse(arrival.opcode))
    {
        m_reads.Deliver(qp, arrival, nowNs);
    }
    else
    {
        const RdmaMessageRecord record = m_core.NameHosts({qp.peer,
                                                           qp.local,
                                                           qp.peerNumber,
                                                           qp.deliveredMessages,
                                                           0,
                                                           qp.messageBytes,
                                                           -1,
                                                           nowNs});
        m_core.traces.lastByteArrived(record);
        m_core.Complete(record, [this](const RdmaMessageRecord& reported) {
            m_core.traces.messageDelivered(reported);
        });
    }
    ++qp.deliveredMessages;
    qp.messageBytes = 0;
    qp.messagePsn = qp.expectedPsn;
}

void
RdmaResponder::Sequence(RdmaQueuePair& qp, Frame* frame, bool urgent, int64_t nowNs)
{
    const uint64_t psn = UnwrapPsn(frame->psn, qp.expectedPsn);
    if (psn > qp.expectedPsn)
    {
        ReceiveOutOfOrder(qp, frame, psn, nowNs);
        return;
    }
    if (psn < qp.expectedPsn && !ReceiveDuplicate(qp, frame, psn, nowNs))
    {
        return;
    }
    const bool fillsGap = qp.keeps;
    if (!qp.restarted || psn >= qp.furthestPsn)
    {
        TraceArrival(qp, ArrivalOf(*frame), nowNs);
    }
    Deliver(qp, ArrivalOf(*frame), nowNs);
    RdmaArrival kept;
    while (qp.keeps && qp.Sequencing().Take(qp.expectedPsn, kept))
    {
        Deliver(qp, kept, nowNs);
        qp.keeps = qp.Sequencing().HasKept();
    }
    ++qp.unacknowledged;
    if (qp.unacknowledged >= qp.ackInterval || frame->bthFlags & ROCE_ACK_REQUEST || fillsGap ||
        urgent)
    {
        SendAck(qp, frame, ROCE_SYNDROME_ACK, nowNs);
    }
    else
    {
        DelayAck(qp, frame, nowNs);
    }
}

void
RdmaResponder::SendAck(RdmaQueuePair& qp, Frame* frame, uint8_t syndrome, int64_t nowNs)
{
    if (qp.pendingAck)
    {
        EndDelay(qp, frame);
    }
    qp.unacknowledged = 0;
    const uint32_t named = frame->psn;
    m_core.packets.FillAcknowledgement(qp, *frame, ROCE_ACK, syndrome);
    frame->reflection.namedPsn = named;
    if (qp.echoPending)
    {
        frame->bthFlags = ROCE_BECN;
        qp.echoPending = false;
    }
    if (qp.responderUses)
    {
        m_reflections.FillAck(qp, *frame, nowNs);
    }
    else if (frame->format)
    {
        RdmaReflections::Number(qp, *frame);
    }
    frame->bytes = m_core.packets.AckBytes(*frame);
    frame->packet = nullptr;
    m_core.SendFeedback(frame);
}

} // namespace ns3
