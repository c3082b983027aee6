/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-sack-responder.h"

#include "rdma-irn.h"
#include "rdma-sack-state.h"

#include "ns3/hpcc-dscp-priority-map.h"
#include "ns3/hpcc-roce-headers.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint64_t BITMAP_BITS = 64; ///< bits in the bitmap of a SACK, one per packet

/**
 * Returns the out-of-order packets that a queue pair stores.
 * @param qp a queue pair with SACKs
 */
RdmaIrnSequencing&
StoreOf(RdmaQueuePair& qp)
{
    return static_cast<RdmaIrnSequencing&>(qp.Sequencing());
}

/**
 * Returns the description of a data packet.
 * @param frame a data packet of a queue pair with SACKs
 */
RdmaArrival
ArrivalOf(const Frame& frame)
{
    const bool last = frame.bthFlags & ROCE_SOLICITED;
    return {0,
            frame.payloadBytes,
            static_cast<uint8_t>(last ? ROCE_WRITE_LAST : ROCE_WRITE_MIDDLE)};
}

/**
 * Returns the flag for the answer to a packet: RoceSack::RESENT if the packet is a retransmission,
 * otherwise 0.
 * @param frame a packet
 */
uint8_t
ResentFlag(const Frame& frame)
{
    return frame.bthFlags & ROCE_FECN ? RoceSack::RESENT : 0;
}

} // namespace

bool
RdmaSackResponder::HasArrived(RdmaQueuePair& qp, uint64_t psn)
{
    return psn < qp.expectedPsn || (qp.keeps && StoreOf(qp).Has(qp.expectedPsn, psn));
}

bool
RdmaSackResponder::Accept(RdmaQueuePair& qp, const Frame& frame, uint64_t psn, int64_t nowNs)
{
    RdmaSackReceiver& state = *qp.sackReceiver;
    if (psn == qp.expectedPsn)
    {
        m_responder.TraceArrival(qp, ArrivalOf(frame), nowNs);
        m_responder.Deliver(qp, ArrivalOf(frame), nowNs);
        RdmaArrival kept;
        while (qp.keeps && StoreOf(qp).Take(qp.expectedPsn, kept))
        {
            m_responder.Deliver(qp, kept, nowNs);
            qp.keeps = StoreOf(qp).HasKept();
        }
    }
    else
    {
        ++qp.outOfOrder;
        const bool kept = StoreOf(qp).OnOutOfOrder(qp.expectedPsn, psn, ArrivalOf(frame)) !=
                          RdmaSequencing::Fate::DROPPED;
        m_core.traces.outOfOrder(qp, nowNs, kept);
        if (!kept)
        {
            return false;
        }
        qp.keeps = true;
        m_responder.TraceArrival(qp, ArrivalOf(frame), nowNs);
    }
    state.receivedBytes += frame.payloadBytes;
    state.sinceAnswer += frame.payloadBytes;
    return true;
}

void
RdmaSackResponder::Sequence(RdmaQueuePair& qp, Frame* frame, bool urgent, int64_t nowNs)
{
    RdmaSackReceiver& state = *qp.sackReceiver;
    const uint64_t psn = UnwrapPsn(frame->psn, qp.expectedPsn);
    if (frame->opcode != ROCE_WRITE_ONLY)
    {
        m_core.Drop(frame, DropReason::MALFORMED);
        return;
    }
    const uint8_t flags = ResentFlag(*frame);
    if (HasArrived(qp, psn))
    {
        ++qp.duplicates;
        Answer(qp, frame, ROCE_SYNDROME_SACK, flags, nowNs);
        return;
    }
    const bool waited = qp.keeps;
    if (!Accept(qp, *frame, psn, nowNs))
    {
        m_core.Drop(frame, DropReason::RECEIVE_BUFFER);
        return;
    }
    const bool asked = frame->bthFlags & ROCE_ACK_REQUEST;
    const bool filled = waited && !qp.keeps && state.answersAtGap;
    state.answersAtGap = (state.answersAtGap || asked) && qp.keeps;
    const bool now = urgent || asked || filled || !state.answered || (frame->tos & 3) == ECN_CE ||
                     state.sinceAnswer >= state.ackBytes;
    if (now)
    {
        Answer(qp, frame, ROCE_SYNDROME_SACK, flags, nowNs);
    }
    else
    {
        FramePool::Free(frame);
    }
}

void
RdmaSackResponder::ReceiveTrimmed(RdmaQueuePair& qp, Frame* frame, int64_t nowNs)
{
    const bool arrived = HasArrived(qp, UnwrapPsn(frame->psn, qp.expectedPsn));
    const bool lastHop = frame->tos >> 2 == DscpPriorityMap::TRIMMED_AT_LAST_HOP;
    qp.echoPending = qp.echoPending || (qp.congestionEcho && (frame->tos & 3) == ECN_CE);
    qp.duplicates += arrived;
    ++m_core.counts.trimsReceived;
    Answer(qp,
           frame,
           arrived ? ROCE_SYNDROME_SACK : ROCE_SYNDROME_NACK_TRIMMED,
           ResentFlag(*frame) | (lastHop && !arrived ? RoceSack::LAST_HOP : 0),
           nowNs);
}

void
RdmaSackResponder::ReceiveProbe(RdmaQueuePair& qp, Frame* frame, int64_t nowNs)
{
    Answer(qp, frame, ROCE_SYNDROME_SACK, RoceSack::PROBE, nowNs);
}

void
RdmaSackResponder::Answer(RdmaQueuePair& qp,
                          Frame* frame,
                          uint8_t syndrome,
                          uint8_t flags,
                          int64_t nowNs)
{
    RdmaSackReceiver& state = *qp.sackReceiver;
    RdmaIrnSequencing& store = StoreOf(qp);
    const uint32_t named = frame->psn;
    const uint64_t psn =
        flags & RoceSack::PROBE ? qp.expectedPsn : UnwrapPsn(named, qp.expectedPsn);
    const uint64_t base = std::max(psn - std::min(psn, BITMAP_BITS - 1), qp.expectedPsn + 1);
    uint64_t bitmap = 0;
    uint64_t missing = store.GetKept(); // kept packets that are not in the bitmap yet
    for (uint64_t bit = 0; bit < BITMAP_BITS && missing > 0; ++bit)
    {
        const uint64_t kept = store.Has(qp.expectedPsn, base + bit) ? 1 : 0;
        bitmap |= kept << bit;
        missing -= kept;
    }
    m_core.packets.FillAcknowledgement(qp, *frame, ROCE_ACK, syndrome);
    frame->trimmed = false;
    frame->sack = {bitmap,
                   state.receivedBytes & RoceSackHeader::COUNT_MASK,
                   named,
                   static_cast<uint32_t>(base & 0xffffff),
                   static_cast<uint16_t>(std::min<uint64_t>(store.GetKept(), UINT16_MAX)),
                   flags};
    if (qp.echoPending)
    {
        frame->bthFlags = ROCE_BECN;
        qp.echoPending = false;
    }
    if (syndrome == ROCE_SYNDROME_SACK && !(flags & RoceSack::PROBE))
    {
        state.sinceAnswer = 0;
        state.answered = true;
    }
    if (qp.responderUses & ~USES_SACK)
    {
        m_reflections.FillAck(qp, *frame, nowNs);
    }
    else if (frame->format)
    {
        RdmaReflections::Number(qp, *frame);
    }
    ++(syndrome == ROCE_SYNDROME_SACK ? m_core.counts.sacksSent : m_core.counts.trimNacksSent);
    frame->bytes = m_core.packets.AckBytes(*frame);
    frame->packet = nullptr;
    m_core.SendFeedback(frame);
}

} // namespace ns3
