/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-host.h"
#include "rdma-policy-values.h"

#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-reflection-header.h"
#include "ns3/hpcc-roce-feedback.h"
#include "ns3/hpcc-roce-headers.h"
#include "ns3/hpcc-roce-packet.h"

#include <algorithm>
#include <array>

// The responder's half of RdmaHost: packets in, acknowledgements and CNPs out.

namespace ns3
{

namespace
{

/// @return what is kept of a packet
RdmaArrival
ArrivalOf(const Frame& frame)
{
    bool read = frame.opcode == ROCE_READ_REQUEST;
    return {read ? frame.reth.length : 0, frame.payloadBytes, frame.opcode};
}

/// @return true if a packet answers a READ
bool
IsReadResponse(uint8_t opcode)
{
    return opcode >= ROCE_READ_RESPONSE_FIRST && opcode <= ROCE_READ_RESPONSE_ONLY;
}

} // namespace

void
RdmaHost::FillHeaders(const RdmaQueuePair& qp, Frame& frame) const
{
    frame.kind = Frame::Kind::ROCE;
    frame.source = qp.local;
    frame.destination = qp.peer;
    frame.sourcePort = qp.udpSourcePort;
    frame.destinationPort = ROCE_UDP_PORT;
    frame.protocol = 17;
    frame.ttl = m_ttl;
    frame.flowHash = qp.flowHash;
    frame.destinationQp = qp.peerNumber;
    frame.bthFlags = 0;
    frame.ipId = 0;
    frame.ipv6 = qp.ipv6;
    frame.msn = 0;
    frame.syndrome = 0;
    frame.reportedFlows = 0;
    frame.reflectionSeq = 0;
    frame.reflection.flags = 0;
}

void
RdmaHost::Deliver(RdmaQueuePair& qp, const RdmaArrival& arrival, int64_t nowNs)
{
    ++qp.expectedPsn;
    qp.nakSent = false;
    qp.receivedBytes += arrival.bytes;
    qp.messageBytes += arrival.bytes;
    if (!m_receivedTrace.IsEmpty())
    {
        m_receivedTrace(qp, nowNs, arrival.bytes);
    }
    if (!EndsRoceMessage(arrival.opcode))
    {
        return;
    }
    if (arrival.opcode == ROCE_READ_REQUEST)
    {
        Append(qp, RdmaVerb::READ_RESPONSE, arrival.readBytes, 0, nowNs);
    }
    else if (IsReadResponse(arrival.opcode))
    {
        CompleteRead(qp, nowNs);
    }
    else
    {
        m_deliveredTrace({qp.peer,
                          qp.local,
                          qp.peerNumber,
                          qp.deliveredMessages,
                          0,
                          qp.messageBytes,
                          -1,
                          nowNs});
    }
    ++qp.deliveredMessages;
    qp.messageBytes = 0;
    qp.messagePsn = qp.expectedPsn;
}

void
RdmaHost::CompleteRead(RdmaQueuePair& qp, int64_t nowNs)
{
    if (const RdmaRead* read = qp.CurrentRead())
    {
        RdmaMessageRecord
            record{qp.local, qp.peer, qp.number, read->index, 0, qp.messageBytes, -1, nowNs};
        m_deliveredTrace(record);
        record.udpSourcePort = qp.udpSourcePort;
        record.postedNs = read->postedNs;
        m_acknowledgedTrace(record);
        qp.rare->reads.open.pop_front();
    }
}

void
RdmaHost::RequestAgain(RdmaQueuePair& qp)
{
    const RdmaRead* read = qp.CurrentRead();
    if (!read)
    {
        return;
    }
    Frame* frame = m_agenda->Frames().Allocate();
    FillHeaders(qp, *frame);
    frame->tos = qp.tos;
    frame->priority = qp.priority;
    frame->opcode = ROCE_READ_REQUEST;
    frame->psn = read->requestPsn & 0xffffff;
    frame->payloadBytes = 0;
    frame->reth.address = qp.receivedBytes;
    frame->reth.key = qp.peerNumber;
    frame->reth.length = static_cast<uint32_t>(read->firstByte + read->bytes - qp.receivedBytes);
    frame->bytes = RoceFrameBytes(*frame);
    m_feedbackBytes += frame->bytes;
    m_port->Enqueue(frame);
}

void
RdmaHost::RepeatResponse(RdmaQueuePair& qp, const Frame& request, int64_t nowNs)
{
    // A repeated request for a later message does not say that everything before it has arrived.
    const RdmaMessage* message = qp.oldest;
    if (!message || request.reth.address - message->firstByte >= message->bytes)
    {
        return;
    }
    Frame* nak = m_agenda->Frames().Clone(request);
    nak->opcode = ROCE_ACK;
    nak->syndrome = ROCE_SYNDROME_NAK_SEQUENCE;
    nak->bthFlags = 0;
    nak->format = nullptr;
    uint64_t psn = message->firstPsn + (request.reth.address - message->firstByte) / qp.mtu;
    nak->psn = psn & 0xffffff;
    ReceiveAck(nak, nowNs);
}

bool
RdmaHost::Restart(RdmaQueuePair& qp)
{
    uint64_t psn = qp.Sequencing().RestartAt(qp.expectedPsn, qp.messagePsn);
    if (psn == qp.expectedPsn)
    {
        return false;
    }
    qp.expectedPsn = psn;
    qp.receivedBytes -= qp.messageBytes;
    qp.messageBytes = 0;
    return true;
}

void
RdmaHost::ReceiveEarly(RdmaQueuePair& qp, Frame* frame, uint64_t psn, int64_t nowNs)
{
    ++qp.outOfOrder;
    auto fate = qp.Sequencing().OnEarly(qp.expectedPsn, psn, ArrivalOf(*frame));
    if (fate != RdmaSequencing::Fate::DROPPED)
    {
        qp.keeps = true;
        qp.duplicates += fate == RdmaSequencing::Fate::REPEATED;
        ++m_naksSent;
        SendAck(qp, frame, ROCE_SYNDROME_NAK_SELECTIVE, nowNs);
        return;
    }
    Restart(qp);
    if (qp.nakSent && nowNs - qp.lastNakNs < m_nakInterval.GetNanoSeconds())
    {
        FramePool::Free(frame);
        return;
    }
    qp.nakSent = true;
    qp.lastNakNs = nowNs;
    ++m_naksSent;
    if (IsReadResponse(frame->opcode))
    {
        FramePool::Free(frame);
        RequestAgain(qp);
        return;
    }
    SendAck(qp, frame, ROCE_SYNDROME_NAK_SEQUENCE, nowNs);
}

void
RdmaHost::ReceiveData(Frame* frame, int64_t nowNs)
{
    RdmaQueuePair* qp = FindReceiver(frame->destinationQp);
    if (!qp)
    {
        m_port->Drop(frame, DropReason::UNKNOWN_QUEUE_PAIR);
        return;
    }
    if (frame->format && IsPathProbe(*qp, *frame))
    {
        AnswerPathProbe(*qp, frame, nowNs);
        LeaveIfDone(*qp, nowNs);
        return;
    }
    Frame* told = qp->reflector && frame->format && qp->reflector->Notifies()
                      ? DetachTelemetry(*frame)
                      : nullptr;
    Respond(*qp, frame, nowNs);
    if (told)
    {
        SendNotification(*qp, told, told->psn, nowNs);
    }
    LeaveIfDone(*qp, nowNs);
}

bool
RdmaHost::Collect(RdmaQueuePair& qp, const Frame& frame, int64_t nowNs)
{
    if (!frame.format)
    {
        return false;
    }
    const bool first = qp.reflector->Take(frame);
    if (!qp.reflector->Measures())
    {
        return first;
    }
    std::array<HopTelemetry, MAX_TELEMETRY_HOPS> hops;
    const uint32_t count = ReadHops(*frame.format, frame.telemetry, frame.priority, hops.data());
    const bool crosses = qp.reflector->Crosses({nowNs,
                                                0,
                                                0,
                                                0,
                                                hops.data(),
                                                count,
                                                frame.telemetry.pathId,
                                                0,
                                                &frame.format->GetCapabilities()});
    return first || crosses;
}

uint32_t
RdmaHost::AckIntervalOf(const RdmaQueuePair& qp) const
{
    const uint32_t own = qp.reflector ? qp.reflector->GetAckInterval() : 0;
    return own ? own : m_ackInterval;
}

void
RdmaHost::Respond(RdmaQueuePair& qp, Frame* frame, int64_t nowNs)
{
    if (frame->opcode == ROCE_READ_REQUEST && (!qp.ops || frame->reth.length == 0))
    {
        m_port->Drop(frame, DropReason::MALFORMED);
        return;
    }
    if ((frame->tos & 3) == ECN_CE)
    {
        qp.echoPending = qp.congestionEcho;
        if (qp.sendsCnp)
        {
            SendCnpIfDue(qp, nowNs);
        }
    }
    if (m_countsFlows)
    {
        CountFlow(qp, *frame, nowNs);
    }
    if (qp.receiverOps)
    {
        RunReceiver(qp, *frame, nowNs);
    }
    const bool urgent = qp.reflector && Collect(qp, *frame, nowNs);
    uint64_t psn = UnwrapPsn(frame->psn, qp.expectedPsn);
    if (psn > qp.expectedPsn)
    {
        ReceiveEarly(qp, frame, psn, nowNs);
        return;
    }
    if (psn < qp.expectedPsn)
    {
        ++qp.duplicates;
        if (frame->opcode == ROCE_READ_REQUEST)
        {
            RepeatResponse(qp, *frame, nowNs);
        }
        if (psn != qp.messagePsn || !Restart(qp))
        {
            SendAck(qp, frame, ROCE_SYNDROME_ACK, nowNs);
            return;
        }
    }
    const bool fillsGap = qp.keeps;
    Deliver(qp, ArrivalOf(*frame), nowNs);
    RdmaArrival kept;
    while (qp.keeps && qp.Sequencing().Take(qp.expectedPsn, kept))
    {
        Deliver(qp, kept, nowNs);
        qp.keeps = qp.Sequencing().HasKept();
    }
    ++qp.unacknowledged;
    if (qp.unacknowledged >= AckIntervalOf(qp) || frame->bthFlags & ROCE_ACK_REQUEST || fillsGap ||
        urgent)
    {
        SendAck(qp, frame, ROCE_SYNDROME_ACK, nowNs);
        return;
    }
    if (qp.pendingAck)
    {
        FramePool::Free(qp.pendingAck);
    }
    else
    {
        const int64_t dueNs = nowNs + m_ackDelay.GetNanoSeconds();
        m_ackTimers.Set(IndexOf(qp), dueNs);
        NoteTimer(dueNs);
    }
    qp.pendingAck = frame;
}

bool
RdmaHost::IsPathProbe(const RdmaQueuePair& qp, const Frame& frame)
{
    if (!qp.reflector || !qp.reflector->AnswersPathProbes() ||
        (frame.opcode != ROCE_WRITE_MIDDLE && frame.opcode != ROCE_SEND_MIDDLE))
    {
        return false;
    }
    const uint64_t psn = UnwrapPsn(frame.psn, qp.expectedPsn);
    return psn < qp.expectedPsn && psn != qp.messagePsn;
}

void
RdmaHost::AnswerPathProbe(RdmaQueuePair& qp, Frame* frame, int64_t nowNs)
{
    ++qp.duplicates;
    const uint16_t port = frame->sourcePort;
    FillAcknowledgement(qp, *frame, ROCE_ACK, ROCE_SYNDROME_ACK);
    EchoPort(qp, *frame, port);
    FinishAck(qp, frame, true, nowNs);
}

void
RdmaHost::EchoPort(const RdmaQueuePair& qp, Frame& frame, uint16_t port)
{
    if (port != qp.udpSourcePort)
    {
        frame.sourcePort = port;
        frame.flowHash = HashFiveTuple(qp.local, qp.peer, port, ROCE_UDP_PORT, 17);
    }
}

void
RdmaHost::SendAck(RdmaQueuePair& qp, Frame* frame, uint8_t syndrome, int64_t nowNs)
{
    if (qp.pendingAck)
    {
        m_ackTimers.Remove(IndexOf(qp));
        if (qp.pendingAck != frame)
        {
            FramePool::Free(qp.pendingAck);
        }
        qp.pendingAck = nullptr;
    }
    qp.unacknowledged = 0;
    if (qp.reflector)
    {
        qp.reflector->Fill(*frame);
    }
    const uint32_t named = frame->psn;
    const uint16_t port = frame->sourcePort;
    FillAcknowledgement(qp, *frame, ROCE_ACK, syndrome);
    EchoPort(qp, *frame, port);
    frame->reflection.namedPsn = named;
    if (qp.echoPending)
    {
        frame->bthFlags = ROCE_BECN;
        qp.echoPending = false;
    }
    FinishAck(qp, frame, false, nowNs);
}

void
RdmaHost::FinishAck(RdmaQueuePair& qp, Frame* frame, bool allHops, int64_t nowNs)
{
    FinishReflection(qp, *frame, allHops, nowNs);
    frame->bytes =
        m_wireProfile == ROCE
            ? RoceFrameBytes(*frame)
            : std::max(46 +
                           (frame->format ? frame->format->GetReflectedBytes(frame->telemetry) : 0),
                       MIN_FRAME_BYTES);
    frame->packet = nullptr;
    m_feedbackBytes += frame->bytes;
    m_port->Enqueue(frame);
}

void
RdmaHost::FillAcknowledgement(const RdmaQueuePair& qp,
                              Frame& frame,
                              uint8_t opcode,
                              uint8_t syndrome) const
{
    FillHeaders(qp, frame);
    frame.tos = m_ackDscp << 2;
    frame.priority = m_port->GetPriority(frame.tos);
    frame.opcode = opcode;
    frame.syndrome = syndrome;
    frame.msn = qp.deliveredMessages & 0xffffff;
    frame.payloadBytes = 0;
    const bool negative = syndrome != ROCE_SYNDROME_ACK;
    frame.psn = (negative ? qp.expectedPsn : qp.expectedPsn - 1) & 0xffffff;
}

void
RdmaHost::FinishReflection(RdmaQueuePair& qp, Frame& frame, bool allHops, int64_t nowNs)
{
    if (frame.format && nowNs >= m_dishonestFrom.GetNanoSeconds())
    {
        m_forgers[qp.number].Forge(*frame.format, frame.telemetry);
    }
    if (frame.format && !allHops && qp.reflector && qp.reflector->GetPicker())
    {
        Condense(qp, frame, nowNs);
    }
    if (!frame.format)
    {
        return;
    }
    frame.reportedFlows = qp.control ? qp.control->GetReportedFlows() : 0;
    ++qp.reflections;
    frame.reflectionSeq = static_cast<uint16_t>(qp.reflections);
    if (qp.signer)
    {
        frame.reflection.flags |= REFLECTION_AUTHENTICATED;
        frame.reflection.tag = SignReflection(*qp.signer, qp.reflections, frame);
    }
}

void
RdmaHost::SendCnpIfDue(RdmaQueuePair& qp, int64_t nowNs)
{
    if (nowNs - qp.lastCnpNs < qp.cnpIntervalNs)
    {
        return;
    }
    qp.lastCnpNs = nowNs;
    SendCnp(qp, {});
}

void
RdmaHost::FollowReceiver(RdmaQueuePair& qp,
                         const RdmaNotification& notification,
                         int64_t nowNs,
                         int64_t aheadNs)
{
    const bool computes = qp.control && qp.control->Computes();
    const RdmaReceiverRole& role = m_receiverRoles[m_ends[IndexOfNumber(qp.number)].receiver];
    RdmaPolicyValues::CheckReceiver(*role.policy,
                                    qp,
                                    notification,
                                    computes,
                                    nowNs,
                                    nowNs + aheadNs);
    m_receiverTimers.Set(IndexOf(qp), qp.receiver->timerNs);
    if (qp.receiver->timerNs != RdmaTimerHeap::NEVER)
    {
        NoteTimer(qp.receiver->timerNs);
    }
    if (notification.given)
    {
        SendCnp(qp, notification);
    }
}

void
RdmaHost::SendCnp(RdmaQueuePair& qp, const RdmaNotification& notification)
{
    ++m_cnpsSent;
    Frame* frame = m_agenda->Frames().Allocate();
    FillHeaders(qp, *frame);
    frame->tos = m_cnpDscp << 2;
    frame->priority = m_port->GetPriority(frame->tos);
    frame->opcode = ROCE_CNP;
    frame->bthFlags = ROCE_BECN;
    frame->psn = 0;
    frame->payloadBytes = 0;
    frame->notification = {notification.rateBps,
                           notification.given ? RoceNotificationHeader::RATE
                                              : RoceNotificationHeader::NONE,
                           notification.congested,
                           false,
                           0,
                           {}};
    if (notification.given && qp.control && qp.control->Computes())
    {
        WriteWindow(qp, notification, *frame);
    }
    frame->bytes = RoceFrameBytes(*frame);
    m_feedbackBytes += frame->bytes;
    m_port->Enqueue(frame);
}

} // namespace ns3
