/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-host.h"
#include "rdma-policy-values.h"

#include "ns3/hpcc-reflection-header.h"
#include "ns3/hpcc-roce-feedback.h"
#include "ns3/hpcc-roce-headers.h"
#include "ns3/hpcc-roce-packet.h"
#include "ns3/log.h"

#include <algorithm>
#include <array>
#include <cmath>

// The requester's half of RdmaHost: packets out, acknowledgements in.

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaRequester");

namespace
{

/// @return the opcode of a packet of a message
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

/// @return time of some bytes as ns-3 computes Seconds(8 * bytes/rate): a double, cut to multiples
/// of 2^-64 s, then to whole ns, which takes 1 ns from most times that are whole ns
double
TruncatedNs(uint32_t bytes, double rateBps)
{
    double seconds = std::floor(std::ldexp(bytes * 8.0 / std::floor(rateBps), 64));
    seconds = std::ldexp(seconds, -64);
    double ns = std::floor(seconds * 1e9);
    return std::fma(seconds, 1e9, -ns) < 0 ? ns - 1 : ns;
}

} // namespace

const RdmaMessage&
RdmaHost::MessageOf(const RdmaQueuePair& qp, uint64_t psn)
{
    const RdmaMessage* message = qp.oldest;
    while (psn - message->firstPsn >= message->packets)
    {
        message = message->next;
    }
    return *message;
}

uint16_t
RdmaHost::PayloadOf(const RdmaQueuePair& qp, const RdmaMessage& message, uint64_t psn)
{
    uint64_t index = psn - message.firstPsn;
    bool last = index + 1 == message.packets;
    return static_cast<uint16_t>(last ? message.SequenceBytes() - index * qp.mtu : qp.mtu);
}

uint64_t
RdmaHost::TakeLost(RdmaQueuePair& qp, int64_t nowNs)
{
    const uint64_t psn = qp.Retransmission().NextLost(qp.sndUnaPsn);
    qp.Retransmission().OnSentAgain(psn);
    ++qp.retransmissions;
    if (qp.rttPsn == psn)
    {
        qp.rttPsn = UINT64_MAX;
    }
    if (qp.departures)
    {
        qp.departures->ForgetOne(psn);
    }
    if (psn == qp.sndUnaPsn)
    {
        StartTimeout(qp, nowNs);
    }
    UpdateRecovery(qp);
    return psn;
}

void
RdmaHost::AdvanceNext(RdmaQueuePair& qp, uint16_t payloadBytes, bool last, int64_t nowNs)
{
    if (qp.PacketsInFlight() == 0)
    {
        StartTimeout(qp, nowNs);
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
    qp.sndNxtByte += payloadBytes;
    ++qp.sndNxtPsn;
    qp.sndMaxPsn = std::max(qp.sndMaxPsn, qp.sndNxtPsn);
    if (last)
    {
        qp.current = qp.current->next;
    }
}

Frame*
RdmaHost::MakePacket(RdmaQueuePair& qp, int64_t nowNs)
{
    const bool again = qp.lost;
    const uint64_t psn = again ? TakeLost(qp, nowNs) : qp.sndNxtPsn;
    const RdmaMessage& message = again ? MessageOf(qp, psn) : *qp.current;
    uint64_t index = psn - message.firstPsn;
    bool last = index + 1 == message.packets;
    const uint16_t sequenceBytes = PayloadOf(qp, message, psn);
    const bool request = message.verb == RdmaVerb::READ;
    const uint16_t payloadBytes = request ? 0 : sequenceBytes;

    Frame* frame = m_agenda->Frames().Allocate();
    FillHeaders(qp, *frame);
    frame->tos = qp.tos;
    frame->priority = qp.priority;
    frame->opcode = OpcodeOf(message.verb, index == 0, last);
    frame->psn = psn & 0xffffff;
    frame->payloadBytes = payloadBytes;
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
    if (!again)
    {
        AdvanceNext(qp, sequenceBytes, last, nowNs);
    }
    frame->bthFlags = last || again || !qp.HasRoom() ? ROCE_ACK_REQUEST : 0;
    bool collects = qp.format;
    if (qp.feedback)
    {
        frame->bthFlags |= qp.feedback->GetEpoch();
        collects = collects && SamplesTelemetry(qp, nowNs);
    }
    frame->format = collects ? qp.format : nullptr;
    if (collects)
    {
        OpenTelemetry(qp, *frame);
    }
    if (qp.feedback)
    {
        AskForFeedback(qp, *frame);
    }
    frame->bytes = DataFrameBytes(payloadBytes, frame->opcode, frame->format);

    qp.lastLinkBytes = m_port->GetLinkBytes(frame->bytes);
    auto now = static_cast<double>(nowNs);
    qp.departureNs = now - qp.nextSendNs < 1 ? qp.nextSendNs : now;
    Pace(qp);
    const uint16_t collected = collects ? qp.cc->telemetryRequest : 0;
    if (qp.reportsSent || collected)
    {
        const RdmaSentInfo sent{nowNs, qp.lastLinkBytes, collected};
        RdmaPolicyValues::Raise(qp, nowNs, &RdmaCongestionOps::OnSent, sent);
        Obey(qp);
        Pace(qp);
    }
    return frame;
}

void
RdmaHost::OpenTelemetry(RdmaQueuePair& qp, Frame& frame)
{
    const uint8_t dscp = frame.tos >> 2;
    qp.format->Open(
        frame.telemetry,
        {ROCE_UDP_PORT, frame.protocol, dscp, qp.cc->telemetryRequest, qp.cc->telemetryWords});
    const int marked = qp.format->GetMarking().dscp;
    if (marked >= 0)
    {
        frame.tos = static_cast<uint8_t>(marked << 2 | (frame.tos & 3));
    }
}

void
RdmaHost::Repace(RdmaQueuePair& qp) const
{
    if (m_retimePending)
    {
        Pace(qp);
    }
}

void
RdmaHost::Pace(RdmaQueuePair& qp) const
{
    const double bps = m_paceByRate ? qp.cc->rateBps : static_cast<double>(m_port->GetRateBps());
    qp.nextSendNs =
        qp.departureNs + (m_port->TruncatesToNanoseconds() ? TruncatedNs(qp.lastLinkBytes, bps)
                                                           : qp.lastLinkBytes * 8e9 / bps);
}

void
RdmaHost::StartTimeout(RdmaQueuePair& qp, int64_t nowNs)
{
    qp.progressNs = nowNs;
    const int64_t atNs = qp.TimeoutNs();
    if (atNs < qp.timeoutArmedNs)
    {
        qp.timeoutArmedNs = atNs;
        m_timeoutTimers.Set(IndexOf(qp), atNs);
        NoteTimer(atNs);
    }
}

void
RdmaHost::Obey(RdmaQueuePair& qp)
{
    m_policyTimers.Set(IndexOf(qp), qp.cc->timerNs);
    if (qp.cc->timerNs != RdmaTimerHeap::NEVER)
    {
        NoteTimer(qp.cc->timerNs);
    }
}

uint64_t
RdmaHost::Advance(RdmaQueuePair& qp, uint64_t psn, int64_t nowNs)
{
    uint64_t before = qp.sndUnaByte;
    qp.sndUnaPsn = psn;
    while (qp.oldest && qp.oldest->firstPsn + qp.oldest->packets <= psn)
    {
        RdmaMessage* done = qp.oldest;
        qp.sndUnaByte = done->firstByte + done->SequenceBytes();
        qp.oldest = done->next;
        if (qp.current == done)
        {
            qp.current = done->next;
        }
        if (done->verb < RdmaVerb::READ)
        {
            m_acknowledgedTrace({qp.local,
                                 qp.peer,
                                 qp.number,
                                 done->index,
                                 qp.udpSourcePort,
                                 done->bytes,
                                 done->postedNs,
                                 nowNs});
        }
        m_messages.free(done);
    }
    if (qp.oldest && psn > qp.oldest->firstPsn)
    {
        qp.sndUnaByte = qp.oldest->firstByte + (psn - qp.oldest->firstPsn) * qp.mtu;
    }
    if (qp.sndNxtPsn < psn)
    {
        qp.sndNxtPsn = psn;
        qp.sndNxtByte = qp.sndUnaByte;
    }
    uint64_t known = 0;
    if (qp.rare)
    {
        known = std::min(qp.sndUnaByte - before, qp.rare->repeatedBytes);
        qp.rare->repeatedBytes -= known;
    }
    if (qp.recovering)
    {
        uint64_t kept = qp.Retransmission().OnAcknowledged(psn);
        qp.selectiveBytes -= kept;
        known += kept;
        UpdateRecovery(qp);
    }
    if (qp.PacketsInFlight() == 0)
    {
        qp.progressNs = -1;
        if (!qp.oldest)
        {
            qp.idleSinceNs = nowNs;
        }
    }
    else
    {
        StartTimeout(qp, nowNs);
    }
    return qp.sndUnaByte - before - known;
}

RdmaRetransmission::Position
RdmaHost::PositionOf(const RdmaQueuePair& qp)
{
    return {qp.sndUnaPsn, qp.sndNxtPsn, qp.oldest ? qp.oldest->firstPsn : qp.sndUnaPsn};
}

void
RdmaHost::Rollback(RdmaQueuePair& qp, uint64_t psn, int64_t nowNs, bool timeout)
{
    if (psn < qp.sndUnaPsn)
    {
        uint64_t byte = qp.oldest->firstByte + (psn - qp.oldest->firstPsn) * qp.mtu;
        qp.Rare().repeatedBytes += qp.sndUnaByte - byte;
        qp.sndUnaPsn = psn;
        qp.sndUnaByte = byte;
    }
    qp.sndNxtPsn = qp.sndUnaPsn;
    qp.sndNxtByte = qp.sndUnaByte;
    qp.current = qp.oldest;
    qp.idleSinceNs = nowNs;
    qp.rttPsn = UINT64_MAX;
    if (qp.departures)
    {
        qp.departures->Forget(qp.sndMaxPsn);
    }
    RaiseLoss(qp, timeout, nowNs);
}

void
RdmaHost::RaiseLoss(RdmaQueuePair& qp, bool timeout, int64_t nowNs)
{
    const RdmaLossInfo loss{nowNs,
                            timeout ? RdmaLossInfo::TIMEOUT : RdmaLossInfo::NAK,
                            qp.sndUnaByte,
                            qp.sndNxtByte};
    RdmaPolicyValues::Raise(qp, nowNs, &RdmaCongestionOps::OnLoss, loss);
    Obey(qp);
}

void
RdmaHost::UpdateRecovery(RdmaQueuePair& qp)
{
    qp.recovering = qp.Retransmission().IsActive();
    qp.lost =
        qp.recovering && qp.Retransmission().NextLost(qp.sndUnaPsn) != RdmaRetransmission::NONE;
}

void
RdmaHost::Recover(RdmaQueuePair& qp, uint64_t backTo, int64_t nowNs, bool timeout)
{
    if (backTo != RdmaRetransmission::NONE)
    {
        Rollback(qp, backTo, nowNs, timeout);
        StartTimeout(qp, nowNs);
        return;
    }
    UpdateRecovery(qp);
    if (timeout || (qp.lost && qp.sndUnaPsn >= qp.Rare().recoveryPsn))
    {
        qp.Rare().recoveryPsn = qp.sndNxtPsn;
        RaiseLoss(qp, timeout, nowNs);
    }
}

void
RdmaHost::OnTimeout(RdmaQueuePair& qp, int64_t nowNs)
{
    NS_LOG_INFO("queue pair " << qp.number << " times out");
    ++m_timeouts;
    if (qp.path)
    {
        m_repathing->OnTimeout(*qp.path, nowNs);
    }
    Recover(qp, qp.Retransmission().OnTimeout(PositionOf(qp)), nowNs, true);
    StartTimeout(qp, nowNs);
    if (qp.path)
    {
        FinishDrain(qp, nowNs);
    }
    Repace(qp);
    Reschedule(qp, nowNs);
}

uint64_t
RdmaHost::TakeSelective(RdmaQueuePair& qp, uint64_t psn, RdmaAckInfo& ack)
{
    if (psn <= qp.sndUnaPsn || psn >= qp.sndMaxPsn)
    {
        return 0;
    }
    const uint16_t bytes = PayloadOf(qp, MessageOf(qp, psn), psn);
    if (!qp.Retransmission().OnSelective(PositionOf(qp), psn, bytes))
    {
        return 0;
    }
    qp.selectiveBytes += bytes;
    if (qp.departures)
    {
        ack.rttNs = RttSince(qp, qp.departures->Find(psn), ack.nowNs);
    }
    else if (qp.rttPsn == psn)
    {
        qp.rttPsn = UINT64_MAX;
        ack.rttNs = RttSince(qp, qp.rttSentNs, ack.nowNs);
    }
    return bytes;
}

uint32_t
RdmaHost::ReadHops(const TelemetryFormat& format,
                   const TelemetryStack& stack,
                   uint8_t priority,
                   HopTelemetry* hops)
{
    uint32_t count = std::min<uint32_t>(stack.hops, MAX_TELEMETRY_HOPS);
    const TelemetryCapabilities& carried = format.GetCapabilities();
    const TelemetryInventory* inventory = PeekPointer(m_inventories[priority]);
    const bool lookUp = inventory && !carried.pathExtreme;
    const bool carriesRate = carried.fields & TELEMETRY_BANDWIDTH;
    for (uint32_t i = 0; i < count; ++i)
    {
        hops[i] = format.Read(stack, i);
        if (lookUp && !(carriesRate && hops[i].fields & TELEMETRY_BANDWIDTH) &&
            !(hops[i].fields & TELEMETRY_LOAD))
        {
            LookUpRate(hops[i], *inventory);
        }
    }
    return count;
}

void
RdmaHost::LookUpRate(HopTelemetry& hop, const TelemetryInventory& inventory)
{
    uint64_t rate = inventory.Lookup(hop.switchId, hop.portId);
    hop.bandwidthBps = rate;
    if (rate)
    {
        hop.fields |= TELEMETRY_BANDWIDTH;
    }
    else
    {
        ++m_unknownLinks;
    }
}

void
RdmaHost::ReadTelemetry(RdmaQueuePair& qp, const Frame& frame, bool ofPathProbe, RdmaAckInfo& ack)
{
    auto* hops = const_cast<HopTelemetry*>(ack.hops);
    ack.telemetry = &frame.format->GetCapabilities();
    if (!ofPathProbe &&
        (frame.ReportsWorstHop() || (qp.feedback && qp.feedback->how->ReportsWorstHop())))
    {
        ReadReport(qp, frame, ack);
    }
    else
    {
        ack.hopCount = ReadHops(*frame.format, frame.telemetry, qp.priority, hops);
    }
    ack.pathId = frame.telemetry.pathId;
    ack.idleNs = qp.idleNs;
    ack.reportedFlows = frame.reportedFlows;
    qp.idleNs = 0;
}

bool
RdmaHost::AcceptFeedback(RdmaQueuePair& qp, const Frame& frame)
{
    if (!qp.authenticator)
    {
        return true;
    }
    auto ahead =
        static_cast<int16_t>(frame.reflectionSeq - static_cast<uint16_t>(qp.lastReflection));
    uint64_t number = qp.lastReflection + static_cast<uint64_t>(int64_t{ahead});
    bool authentic = frame.reflection.flags & REFLECTION_AUTHENTICATED &&
                     frame.reflection.tag == SignReflection(*qp.authenticator, number, frame);
    if (authentic && ahead > 0)
    {
        qp.lastReflection = number;
        return true;
    }
    RejectFeedback(qp, authentic ? FeedbackRejection::REPLAYED : FeedbackRejection::FORGED);
    return false;
}

void
RdmaHost::RejectFeedback(const RdmaQueuePair& qp, FeedbackRejection why)
{
    ++m_rejectedFeedback[static_cast<size_t>(why)];
    m_feedbackRejectedTrace(qp, why);
}

int64_t
RdmaHost::RttSince(RdmaQueuePair& qp, int64_t sentNs, int64_t nowNs)
{
    if (sentNs < 0)
    {
        return -1;
    }
    qp.rttNs = nowNs - sentNs;
    return qp.rttNs;
}

int64_t
RdmaHost::SampleRtt(RdmaQueuePair& qp, uint64_t psn, bool negative, int64_t nowNs)
{
    // While there are gaps, the arrival of the first missing packet moves the acknowledgement.
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
    return RttSince(qp, sentNs, nowNs);
}

RdmaQueuePair*
RdmaHost::FindRequester(Frame* frame)
{
    RdmaQueuePair* qp = Find(frame->destinationQp);
    uint32_t index = IndexOfNumber(frame->destinationQp);
    if (!qp && index < m_ends.size() && m_ends[index].done)
    {
        FramePool::Free(frame);
        return nullptr;
    }
    if (!qp || qp->messages == 0)
    {
        m_port->Drop(frame, DropReason::UNKNOWN_QUEUE_PAIR);
        return nullptr;
    }
    if (!qp->cc)
    {
        FramePool::Free(frame);
        return nullptr;
    }
    return qp;
}

void
RdmaHost::ReceiveAck(Frame* frame, int64_t nowNs)
{
    if (RdmaQueuePair* qp = FindRequester(frame))
    {
        Acknowledge(*qp, frame, nullptr, nowNs);
    }
}

void
RdmaHost::Acknowledge(RdmaQueuePair& qp, Frame* frame, const uint64_t* answered, int64_t nowNs)
{
    const bool selective = frame->IsSelective();
    const bool negative = selective || frame->syndrome == ROCE_SYNDROME_NAK_SEQUENCE;
    uint64_t psn = UnwrapPsn(frame->psn, qp.sndUnaPsn) + (negative ? 0 : 1);
    if (psn > qp.sndMaxPsn)
    {
        m_port->Drop(frame, DropReason::MALFORMED);
        return;
    }
    const uint64_t unaBefore = qp.sndUnaPsn;
    const bool marked = frame->bthFlags & ROCE_BECN;
    std::array<HopTelemetry, MAX_TELEMETRY_HOPS> hops;
    RdmaAckInfo ack{};
    ack.nowNs = nowNs;
    ack.hops = hops.data();
    ack.negative = negative;
    ack.entropy = frame->sourcePort;
    ack.congestionExperienced = marked && qp.echoForPolicy;
    ack.hopsBack = static_cast<uint8_t>(std::max(m_ttl - frame->ttl, 0));
    ack.rttNs = SampleRtt(qp, psn, negative, nowNs);
    if (psn > qp.sndUnaPsn)
    {
        ack.newlyAckedBytes = Advance(qp, psn, nowNs);
    }
    if (selective)
    {
        uint64_t kept = UnwrapPsn(frame->reflection.namedPsn, qp.sndUnaPsn);
        ack.newlyAckedBytes += TakeSelective(qp, kept, ack);
        Recover(qp, RdmaRetransmission::NONE, nowNs, false);
    }
    else if (negative)
    {
        uint64_t backTo = qp.Retransmission().OnNak(PositionOf(qp), psn);
        Recover(qp, backTo, nowNs, false);
    }
    ack.ackSeq = answered ? *answered : psn == qp.sndUnaPsn ? qp.sndUnaByte : 0;
    ack.sndNxt = qp.sndNxtByte;
    const bool ofPathProbe = qp.path && frame->format && AnswersPathProbe(qp, *frame);
    if (frame->format && (answered || AcceptFeedback(qp, *frame)))
    {
        ReadTelemetry(qp, *frame, ofPathProbe, ack);
    }
    if (qp.path)
    {
        FollowPath(qp,
                   *frame,
                   ack,
                   static_cast<uint32_t>(std::max(psn, unaBefore) - unaBefore),
                   ofPathProbe);
    }
    FramePool::Free(frame);
    RdmaPolicyValues::Raise(qp, nowNs, &RdmaCongestionOps::OnAck, ack);
    if (!m_ackTrace.IsEmpty())
    {
        m_ackTrace(qp, nowNs, ack.rttNs);
    }
    Obey(qp);
    Repace(qp);
    if (qp.oldest)
    {
        Reschedule(qp, nowNs);
    }
    else
    {
        CloseIfDone(qp);
        LeaveIfDone(qp, nowNs);
    }
}

void
RdmaHost::CloseIfDone(RdmaQueuePair& qp)
{
    if (qp.singleMessage)
    {
        qp.ops->Close(qp.cc);
        qp.cc = nullptr;
        m_policyTimers.Remove(IndexOf(qp));
    }
}

void
RdmaHost::ReceiveCnp(Frame* frame, int64_t nowNs)
{
    RdmaQueuePair* qp = FindRequester(frame);
    if (!qp)
    {
        return;
    }
    const bool computed = qp->feedback && qp->feedback->how->ComputesAtReceiver();
    const RdmaNotification notification = RdmaReceiverControl::Read(*frame);
    const bool given = computed ? notification.given : notification.rateBps > 0 && qp->receiverPart;
    if (!computed || !given || AcceptWindow(*qp, *frame))
    {
        const RdmaCongestionMessage message{nowNs, given ? &notification : nullptr};
        RdmaPolicyValues::Raise(*qp, nowNs, &RdmaCongestionOps::OnCongestionMessage, message);
        Obey(*qp);
    }
    FramePool::Free(frame);
    Repace(*qp);
    Reschedule(*qp, nowNs);
}

} // namespace ns3
