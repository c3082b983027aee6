/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-requester.h"

#include "rdma-departures.h"
#include "rdma-sack-state.h"

#include "ns3/hpcc-roce-headers.h"
#include "ns3/hpcc-roce-packet.h"

#include <algorithm>

// This file sends data packets and handles ACKs and NAKs. Messages are appended in
// rdma-requester-messages.cc. Other packets from the responder are handled in
// rdma-requester-signals.cc.

namespace ns3
{

namespace
{

/// Returns the opcode of a packet of a message.
uint8_t
OpcodeOf(RdmaVerb verb, bool first, bool last)
{
    static constexpr uint8_t opcodes[][4] = {
        {ROCE_WRITE_MIDDLE, ROCE_WRITE_LAST, ROCE_WRITE_FIRST, ROCE_WRITE_ONLY},
        {ROCE_SEND_MIDDLE, ROCE_SEND_LAST, ROCE_SEND_FIRST, ROCE_SEND_ONLY},
        {ROCE_READ_REQUEST, ROCE_READ_REQUEST, ROCE_READ_REQUEST, ROCE_READ_REQUEST},
        {ROCE_READ_RESPONSE_MIDDLE,
         ROCE_READ_RESPONSE_LAST,
         ROCE_READ_RESPONSE_FIRST,
         ROCE_READ_RESPONSE_ONLY},
    };
    return opcodes[static_cast<size_t>(verb)][first * 2 + last];
}

} // namespace

RdmaRequester::RdmaRequester(RdmaHostCore& core,
                             RdmaPacer& pacer,
                             RdmaLossRecovery& recovery,
                             RdmaSenderFeedback& feedback,
                             RdmaPathMover& paths,
                             RdmaSackRequester& sacks)
    : m_core(core),
      m_pacer(pacer),
      m_recovery(recovery),
      m_feedback(feedback),
      m_paths(paths),
      m_sacks(sacks)
{
}

void
RdmaRequester::AdvanceNext(RdmaQueuePair& qp, uint16_t bytes, bool last, int64_t nowNs)
{
    if (qp.PacketsInFlight() == 0)
    {
        m_pacer.StartTimeout(qp, nowNs);
    }
    if (qp.sndNxtPsn < qp.sndMaxPsn)
    {
        ++qp.retransmissions;
    }
    else if (qp.departures)
    {
        qp.departures->Add(qp.sndNxtPsn, qp.sndUnaPsn, nowNs);
    }
    else if (qp.rttPsn == UINT64_MAX)
    {
        qp.rttPsn = qp.sndNxtPsn;
        qp.rttSentNs = nowNs;
    }
    qp.sndNxtByte += bytes;
    ++qp.sndNxtPsn;
    qp.sndMaxPsn = std::max(qp.sndMaxPsn, qp.sndNxtPsn);
    if (last)
    {
        qp.current = qp.current->next;
    }
}

Frame*
RdmaRequester::MakePacket(RdmaQueuePair& qp, int64_t nowNs)
{
    const bool retransmits = qp.lost;
    const uint64_t psn = retransmits ? m_recovery.TakeLost(qp, nowNs) : qp.sndNxtPsn;
    const RdmaMessage& message = retransmits ? qp.MessageOf(psn) : *qp.current;
    const bool last = psn - message.firstPsn + 1 == message.packets;
    const uint16_t sequenceBytes = message.PacketBytes(psn, qp.mtu);
    const bool request = message.verb == RdmaVerb::READ;

    Frame* frame = m_core.agenda->Frames().Allocate();
    m_core.packets.FillHeaders(qp, *frame);
    frame->tos = qp.tos;
    frame->priority = qp.priority;
    frame->opcode = OpcodeOf(message.verb, psn == message.firstPsn, last);
    frame->psn = psn & 0xffffff;
    frame->payloadBytes = request ? 0 : sequenceBytes;
    frame->ipId = static_cast<uint16_t>(psn);
    if (HasReth(frame->opcode))
    {
        frame->reth.address = request ? message.address : message.firstByte;
        frame->reth.key = qp.peerNumber;
        frame->reth.length = static_cast<uint32_t>(message.bytes);
    }
    else if (HasAeth(frame->opcode))
    {
        frame->syndrome = ROCE_SYNDROME_ACK;
        frame->msn = qp.deliveredMessages & 0xffffff;
    }
    if (!retransmits)
    {
        AdvanceNext(qp, sequenceBytes, last, nowNs);
    }
    frame->bthFlags = last || retransmits || qp.AsksForAck() ? ROCE_ACK_REQUEST : 0;
    if (qp.requesterUses & SENDS_SPRAYED)
    {
        m_sacks.FillData(qp, *frame, psn, message, retransmits, nowNs);
    }
    if (qp.requesterUses & USES_FEEDBACK)
    {
        m_feedback.FillData(qp, *frame, nowNs);
    }
    else if (qp.format)
    {
        frame->format = qp.format;
        RdmaPackets::OpenTelemetry(qp, *frame);
    }
    frame->bytes =
        m_core.packets.DataBytes(frame->payloadBytes, frame->opcode, frame->format, qp.ipv6);

    qp.lastLinkBytes = m_core.port->GetLinkBytes(frame->bytes);
    auto now = static_cast<double>(nowNs);
    qp.departureNs = now - qp.nextSendNs < 1 ? qp.nextSendNs : now;
    m_pacer.Pace(qp);
    const uint16_t collected = frame->format ? qp.cc->telemetryRequest : 0;
    if (qp.reportsSent || collected)
    {
        const RdmaSentInfo sent{nowNs, qp.lastLinkBytes, collected};
        m_pacer.Raise(qp, nowNs, &RdmaCongestionOps::OnSent, sent);
        m_pacer.Pace(qp);
    }
    return frame;
}

int64_t
RdmaRequester::SampleRtt(RdmaQueuePair& qp, uint64_t psn, bool negative, int64_t nowNs)
{
    // While packets are missing at the responder, the cumulative acknowledgement advances only when
    // the first missing packet arrives. The packets after the first missing packet may have arrived
    // long before the advance. Therefore only the first missing packet provides a valid sample.
    int64_t sentNs = -1;
    if (!qp.departures)
    {
        if (qp.rttPsn < psn)
        {
            sentNs = qp.recovering && qp.rttPsn != qp.sndUnaPsn ? -1 : qp.rttSentNs;
            qp.rttPsn = UINT64_MAX;
        }
    }
    else if (!negative && psn > qp.sndUnaPsn)
    {
        sentNs = qp.departures->Find(qp.recovering ? qp.sndUnaPsn : psn - 1);
    }
    return qp.SampleRtt(sentNs, nowNs);
}

void
RdmaRequester::FinishMessages(RdmaQueuePair& qp, int64_t nowNs)
{
    while (qp.oldest && qp.oldestEndPsn <= qp.sndUnaPsn)
    {
        RdmaMessage* done = qp.oldest;
        qp.sndUnaByte = done->firstByte + done->SequenceBytes();
        qp.oldest = done->next;
        qp.oldestEndPsn = qp.oldest ? qp.oldest->firstPsn + qp.oldest->packets : 0;
        if (qp.current == done)
        {
            qp.current = done->next;
        }
        if (done->verb < RdmaVerb::READ)
        {
            const RdmaMessageRecord record = m_core.NameHosts({qp.local,
                                                               qp.peer,
                                                               qp.number,
                                                               done->index,
                                                               qp.udpSourcePort,
                                                               done->bytes,
                                                               done->postedNs,
                                                               nowNs});
            m_core.traces.lastByteAcknowledged(record);
            m_core.Complete(record, [this](const RdmaMessageRecord& reported) {
                m_core.traces.messageAcknowledged(reported);
            });
        }
        m_messages.free(done);
    }
}

uint64_t
RdmaRequester::Advance(RdmaQueuePair& qp, uint64_t psn, int64_t nowNs)
{
    const uint64_t before = qp.sndUnaByte;
    const uint64_t packets = psn - qp.sndUnaPsn;
    qp.sndUnaPsn = psn;
    if (psn < qp.oldestEndPsn)
    {
        qp.sndUnaByte += packets * qp.mtu;
    }
    else
    {
        FinishMessages(qp, nowNs);
        if (qp.oldest)
        {
            qp.sndUnaByte = qp.oldest->firstByte + (psn - qp.oldest->firstPsn) * qp.mtu;
        }
    }
    if (qp.sndNxtPsn < psn)
    {
        qp.sndNxtPsn = psn;
        qp.sndNxtByte = qp.sndUnaByte;
    }
    const uint64_t bytes = qp.sndUnaByte - before;
    const uint64_t known = qp.rare ? m_recovery.OnAcknowledged(qp, bytes) : 0;
    if (qp.PacketsInFlight() != 0)
    {
        m_pacer.StartTimeout(qp, nowNs);
    }
    else
    {
        qp.progressNs = RdmaQueuePair::NOT_RUNNING;
        if (!qp.oldest)
        {
            qp.idleSinceNs = nowNs;
        }
    }
    return bytes - known;
}

void
RdmaRequester::BeginAck(RdmaQueuePair& qp, uint64_t psn, const Frame& frame, RdmaAckInfo& ack)
{
    ack.entropy = frame.sourcePort;
    ack.hopsBack = static_cast<uint8_t>(std::max(m_core.settings.ttl - frame.ttl, 0));
    ack.rttNs = SampleRtt(qp, psn, ack.negative, ack.nowNs);
    if (psn > qp.sndUnaPsn)
    {
        ack.newlyAckedBytes = Advance(qp, psn, ack.nowNs);
    }
}

void
RdmaRequester::Acknowledge(RdmaQueuePair& qp, Frame* frame, const uint64_t* answered, int64_t nowNs)
{
    const bool plain = frame->syndrome == ROCE_SYNDROME_ACK;
    const bool selective = !plain && frame->IsSelective();
    const bool negative = !plain && (selective || frame->syndrome == ROCE_SYNDROME_NAK_SEQUENCE);
    const bool sack = !plain && frame->HasSack();
    const uint64_t psn = UnwrapPsn(frame->psn, qp.sndUnaPsn) + (negative || sack ? 0 : 1);
    if (sack && !m_sacks.Begin(qp, frame, psn, nowNs))
    {
        return;
    }
    if (sack && frame->syndrome == ROCE_SYNDROME_NACK_TRIMMED)
    {
        AcknowledgeTrimmed(qp, frame, nowNs);
        return;
    }
    if (psn > qp.sndMaxPsn)
    {
        m_core.Drop(frame, DropReason::MALFORMED);
        return;
    }
    const uint64_t unaBefore = qp.sndUnaPsn;
    Hops hops;
    RdmaAckInfo ack{};
    ack.nowNs = nowNs;
    ack.hops = hops.data();
    ack.negative = negative;
    ack.congestionExperienced = frame->bthFlags & ROCE_BECN && qp.echoForPolicy;
    BeginAck(qp, psn, *frame, ack);
    if (selective)
    {
        m_recovery.OnSelectiveNak(qp, UnwrapPsn(frame->reflection.namedPsn, qp.sndUnaPsn), ack);
    }
    else if (negative)
    {
        m_recovery.OnNak(qp, psn, nowNs);
    }
    ack.ackSeq = answered ? *answered : psn == qp.sndUnaPsn ? qp.sndUnaByte : 0;
    ack.sndNxt = qp.sndNxtByte;
    if (sack)
    {
        m_sacks.Apply(qp, *frame, ack);
    }
    if (qp.requesterUses || (frame->format && frame->ReportsBottleneckHop()))
    {
        if (!sack && qp.requesterUses & SENDS_SPRAYED)
        {
            ack.ackSeq = answered ? *answered : 0;
            ack.sndNxt = qp.NextPosition(nowNs);
        }
        m_feedback.ReadAck(qp,
                           *frame,
                           answered,
                           static_cast<uint32_t>(std::max(psn, unaBefore) - unaBefore),
                           ack);
    }
    else if (frame->format)
    {
        m_core.telemetry.ReadAck(qp, *frame, ack);
    }
    FramePool::Free(frame);
    EndAck(qp, ack);
}

void
RdmaRequester::EndAck(RdmaQueuePair& qp, const RdmaAckInfo& ack)
{
    m_pacer.Raise(qp, ack.nowNs, &RdmaCongestionOps::OnAck, ack);
    if (!m_core.traces.acknowledged.IsEmpty())
    {
        m_core.traces.acknowledged(qp, ack.nowNs, ack.rttNs);
    }
    m_pacer.Repace(qp);
    if (qp.oldest)
    {
        m_pacer.Reschedule(qp, ack.nowNs);
    }
    else if (qp.singleMessage)
    {
        qp.ops->Close(qp.cc);
        qp.cc = nullptr;
        m_pacer.StopPolicyTimer(qp);
    }
}

} // namespace ns3
