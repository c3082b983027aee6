/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-responder.h"

#include <algorithm>

namespace ns3
{

namespace
{

/**
 * @param frame a data packet
 * @return its description
 */
RdmaArrival
ArrivalOf(const Frame& frame)
{
    const bool read = frame.opcode == ROCE_READ_REQUEST;
    return {read ? frame.reth.length : 0, frame.payloadBytes, frame.opcode};
}

} // namespace

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
        m_core.Complete(
            {qp.peer, qp.local, qp.peerNumber, qp.deliveredMessages, 0, qp.messageBytes, -1, nowNs},
            [this](const RdmaMessageRecord& record) { m_core.traces.messageDelivered(record); });
    }
    ++qp.deliveredMessages;
    qp.messageBytes = 0;
    qp.messagePsn = qp.expectedPsn;
}

bool
RdmaResponder::Restart(RdmaQueuePair& qp)
{
    uint64_t psn = qp.Sequencing().RestartAt(qp.expectedPsn, qp.messagePsn);
    if (psn == qp.expectedPsn)
    {
        return false;
    }
    qp.restarted = true;
    qp.furthestPsn = std::max(qp.furthestPsn, qp.expectedPsn);
    qp.expectedPsn = psn;
    qp.receivedBytes -= qp.messageBytes;
    qp.messageBytes = 0;
    return true;
}

void
RdmaResponder::ReceiveOutOfOrder(RdmaQueuePair& qp, Frame* frame, uint64_t psn, int64_t nowNs)
{
    ++qp.outOfOrder;
    auto fate = qp.Sequencing().OnOutOfOrder(qp.expectedPsn, psn, ArrivalOf(*frame));
    m_core.traces.outOfOrder(qp, nowNs, fate != RdmaSequencing::Fate::DROPPED);
    if (fate != RdmaSequencing::Fate::DROPPED)
    {
        qp.keeps = true;
        qp.duplicates += fate == RdmaSequencing::Fate::REPEATED;
        if (fate == RdmaSequencing::Fate::KEPT)
        {
            TraceArrival(qp, ArrivalOf(*frame), nowNs);
        }
        ++m_core.counts.naksSent;
        SendAck(qp, frame, ROCE_SYNDROME_NAK_SELECTIVE, nowNs);
        return;
    }
    Restart(qp);
    if (qp.nakSent && nowNs - qp.lastNakNs < m_core.settings.nakInterval.GetNanoSeconds())
    {
        FramePool::Free(frame);
        return;
    }
    qp.nakSent = true;
    qp.lastNakNs = nowNs;
    ++m_core.counts.naksSent;
    if (RdmaReads::IsResponse(frame->opcode))
    {
        FramePool::Free(frame);
        m_reads.RequestRest(qp);
        return;
    }
    SendAck(qp, frame, ROCE_SYNDROME_NAK_SEQUENCE, nowNs);
}

bool
RdmaResponder::ReceiveDuplicate(RdmaQueuePair& qp, Frame* frame, uint64_t psn, int64_t nowNs)
{
    ++qp.duplicates;
    if (frame->opcode == ROCE_READ_REQUEST)
    {
        m_reads.Retransmit(qp, *frame, nowNs);
    }
    if (psn != qp.messagePsn || !Restart(qp))
    {
        SendAck(qp, frame, ROCE_SYNDROME_ACK, nowNs);
        return false;
    }
    return true;
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
RdmaResponder::DelayAck(RdmaQueuePair& qp, Frame* frame, int64_t nowNs)
{
    if (qp.pendingAck)
    {
        FramePool::Free(qp.pendingAck);
    }
    else
    {
        const int64_t dueNs = nowNs + m_core.settings.ackDelay.GetNanoSeconds();
        m_ackTimers.Set(qp.slot, dueNs);
        m_core.ScheduleTimers(dueNs);
    }
    qp.pendingAck = frame;
}

void
RdmaResponder::SendAck(RdmaQueuePair& qp, Frame* frame, uint8_t syndrome, int64_t nowNs)
{
    if (qp.pendingAck)
    {
        m_ackTimers.Remove(qp.slot);
        if (qp.pendingAck != frame)
        {
            FramePool::Free(qp.pendingAck);
        }
        qp.pendingAck = nullptr;
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

void
RdmaResponder::RunTimers(int64_t nowNs)
{
    while (m_ackTimers.TopNs() <= nowNs)
    {
        RdmaQueuePair& qp = m_core.connections.queuePairs[m_ackTimers.TopId()];
        m_ackTimers.Remove(qp.slot);
        if (qp.pendingAck)
        {
            SendAck(qp, qp.pendingAck, ROCE_SYNDROME_ACK, nowNs);
        }
    }
}

} // namespace ns3
