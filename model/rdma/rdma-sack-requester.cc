/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-sack-requester.h"

#include "rdma-sack-state.h"

#include "ns3/hpcc-roce-headers.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr double SAMPLES_PER_RTT = 8; ///< if packets collect telemetry, the requester requests at
                                      ///< least this number of SACKs per window and per base RTT
constexpr double SLEEK_WINDOWS = 1.5; ///< Sleek infers losses when the packets that wait at the
                                      ///< responder fill this number of windows
constexpr double SLEEK_FEWEST_PACKETS = 5; ///< Sleek infers losses only if at least this number of
                                           ///< packets wait at the responder
constexpr int64_t PROBE_RTTS = 3;          ///< a probe is sent if no answer arrives for this number
                                           ///< of base RTTs
constexpr int64_t LAST_PROBE_RTTS = 2;     ///< replaces PROBE_RTTS if no new packet is left to send
constexpr int64_t REPEATED_PROBE_RTTS = 5; ///< number of base RTTs from a probe to the next probe
constexpr int64_t SILENT_RTTS = 2;         ///< a stalled requester may exceed its window by one
                                           ///< packet if no answer arrives for this number of
                                           ///< round-trip times
constexpr int64_t ANSWER_RTTS = 2; ///< a SACK is regarded as missing if this number of round-trip
                                   ///< times has passed since the departure of the packet that
                                   ///< triggers the SACK
constexpr int64_t PROMPT_RTTS = 2; ///< if the answer to a probe arrives within this number of base
                                   ///< RTTs, queues are short. Packets sent before the probe that
                                   ///< are still unacknowledged are then regarded as lost

/**
 * Returns the entropy value of the packet that a SACK or NACK answers.
 * @param qp a queue pair with SACKs
 * @param frame a SACK or NACK
 */
uint16_t
EntropyOf(const RdmaQueuePair& qp, const Frame& frame)
{
    return RdmaEntropy::ValueOf(qp.udpSourcePort, frame.sourcePort);
}

/**
 * Sets the entropy value of an acknowledgement. In feedback modes other than the default the value
 * remains unset, because the acknowledgement may return the telemetry of another packet.
 * @param qp a queue pair with SACKs
 * @param frame the SACK or NACK
 * @param ack contents of the SACK or NACK
 */
void
NameEntropy(const RdmaQueuePair& qp, const Frame& frame, RdmaAckInfo& ack)
{
    if (qp.sack->entropy && !qp.feedback && !(frame.sack.flags & RoceSack::PROBE))
    {
        ack.entropyValue = EntropyOf(qp, frame);
    }
}

/**
 * Returns the number of bytes that a queue pair can send per base RTT: the smaller of its window
 * and its rate times T; the window if T is unknown.
 * @param qp a queue pair with SACKs
 */
double
BytesPerRtt(const RdmaQueuePair& qp)
{
    const auto baseRttNs = static_cast<double>(qp.sack->terms->baseRttNs);
    const double window = qp.cc->windowBytes;
    return baseRttNs > 0 ? std::min(window, qp.cc->rateBps * baseRttNs / 8e9) : window;
}

/**
 * Returns the time-out of a packet, ns: the time after its departure at which an unanswered packet
 * is regarded as lost.
 * @param qp a queue pair with SACKs
 */
int64_t
TimeoutOf(const RdmaQueuePair& qp)
{
    return std::max(qp.limits.timeoutNs, qp.sack->terms->timeoutRtts * qp.rttNs);
}

/**
 * Returns the time at which an unanswered packet is regarded as lost, ns. The responder answers a
 * packet only with its next SACK. A slow sender may send the packet that triggers this SACK only
 * after the time-out. Therefore, if the time-out has expired, this function also considers the
 * departure of that later packet.
 * @param qp a queue pair with SACKs
 * @param psn number of a packet in flight
 * @param nowNs current time, ns
 */
int64_t
LostAtNs(const RdmaQueuePair& qp, uint64_t psn, int64_t nowNs)
{
    const RdmaSackState& state = *qp.sack;
    const int64_t timeoutNs = TimeoutOf(qp);
    const int64_t dueNs = state.sender.Get(psn).sentNs + timeoutNs;
    if (dueNs > nowNs)
    {
        return dueNs;
    }
    const int64_t rttNs = std::max(qp.rttNs, state.terms->baseRttNs); // 0 if unknown
    const int64_t waitNs = rttNs > 0 ? std::min(timeoutNs, ANSWER_RTTS * rttNs) : timeoutNs;
    const int64_t sentNs = state.sender.AnswerableNs(psn, state.terms->ackBytes);
    if (sentNs > nowNs && !qp.MaySend())
    {
        return dueNs; // the window is full, so no later packet will trigger a SACK
    }
    return std::max(dueNs, std::min(sentNs, nowNs) + waitNs);
}

/// The packet whose time-out is the next to expire.
struct NextTimeout
{
    uint64_t psn; ///< the packet; NONE if no packet has a time-out
    int64_t atNs; ///< time at which the packet is regarded as lost if it is still unanswered, ns
};

/**
 * Returns the packet in flight whose time-out is the next to expire. A retransmission leaves later
 * than packets with higher numbers, so packets that were sent once and retransmissions are searched
 * separately. A Sleek recovery retransmits packets before their time-outs expire. Therefore, during
 * such a recovery, only the first packet not acknowledged has a time-out. The time-out of the first
 * packet starts when the recovery retransmits this packet.
 * @param qp a queue pair with SACKs
 * @param nowNs current time, ns
 */
NextTimeout
FindNextTimeout(const RdmaQueuePair& qp, int64_t nowNs)
{
    RdmaSackSender& sender = qp.sack->sender;
    NextTimeout next{RdmaRetransmission::NONE, nowNs + TimeoutOf(qp)};
    if (const uint64_t first = sender.GetFirst(); qp.sack->sleeking)
    {
        if (first < qp.sack->sleekNextPsn &&
            sender.Get(first).state == RdmaSackSender::State::IN_FLIGHT)
        {
            next = {first, LostAtNs(qp, first, nowNs)};
        }
        return next;
    }
    for (const uint64_t psn : {sender.OldestSentOnce(), sender.OldestResent()})
    {
        const int64_t atNs = psn == RdmaRetransmission::NONE ? 0 : LostAtNs(qp, psn, nowNs);
        if (psn != RdmaRetransmission::NONE &&
            (next.psn == RdmaRetransmission::NONE || atNs < next.atNs))
        {
            next = {psn, atNs};
        }
    }
    return next;
}

} // namespace

void
RdmaSackRequester::FillData(RdmaQueuePair& qp,
                            Frame& frame,
                            uint64_t psn,
                            const RdmaMessage& message,
                            bool again,
                            int64_t nowNs)
{
    RdmaSackState& state = *qp.sack;
    frame.opcode = ROCE_WRITE_ONLY;
    frame.reth.address = message.firstByte + (psn - message.firstPsn) * qp.mtu;
    frame.reth.key = qp.peerNumber;
    frame.reth.length = frame.payloadBytes;
    const bool last = psn - message.firstPsn + 1 == message.packets;
    state.sinceAsked += frame.payloadBytes;
    if (qp.format && state.sinceAsked * SAMPLES_PER_RTT >= BytesPerRtt(qp))
    {
        frame.bthFlags |= ROCE_ACK_REQUEST;
    }
    state.sinceAsked = frame.bthFlags & ROCE_ACK_REQUEST ? 0 : state.sinceAsked;
    frame.bthFlags |= (last ? ROCE_SOLICITED : 0) | (again ? ROCE_FECN : 0);
    uint16_t value = 0;
    if (state.entropy)
    {
        value = state.entropy->Next(*m_core.random, qp.cc->shares);
        frame.sourcePort = RdmaEntropy::PortOf(qp.udpSourcePort, value);
        frame.flowHash =
            HashFiveTuple(qp.local, qp.peer, frame.sourcePort, ROCE_UDP_PORT, frame.protocol);
    }
    if (again)
    {
        qp.selectiveBytes -= frame.payloadBytes;
    }
    state.sender.OnSent(psn, frame.payloadBytes, value, nowNs, frame.bthFlags & ROCE_ACK_REQUEST);
    state.askedPsn = frame.bthFlags & ROCE_ACK_REQUEST ? psn : state.askedPsn;
    qp.mayExceedWindow = false;
    if (qp.progressNs == RdmaQueuePair::NOT_RUNNING ||
        (again ? state.sender.OldestResent() : state.sender.OldestSentOnce()) == psn)
    {
        Rearm(qp, nowNs);
    }
}

void
RdmaSackRequester::Report(RdmaQueuePair& qp,
                          uint16_t value,
                          RdmaEntropyFeedback feedback,
                          int64_t nowNs)
{
    RdmaSackState& state = *qp.sack;
    if (state.entropy && value < state.entropyValues)
    {
        state.entropy->OnFeedback(value, feedback, nowNs);
    }
}

bool
RdmaSackRequester::Begin(RdmaQueuePair& qp, Frame* frame, uint64_t psn, int64_t nowNs)
{
    if (!qp.sack || psn > qp.sndMaxPsn)
    {
        m_core.Drop(frame, DropReason::MALFORMED);
        return false;
    }
    RdmaSackState& state = *qp.sack;
    m_rttNs = -1;
    m_sentNs = 0;
    if (frame->syndrome == ROCE_SYNDROME_SACK && !(frame->sack.flags & RoceSack::PROBE))
    {
        const uint64_t trigger = UnwrapPsn(frame->sack.psn, qp.sndUnaPsn);
        if (trigger >= state.sender.GetFirst() && trigger < state.sender.GetEnd())
        {
            m_sentNs = state.sender.Get(trigger).sentNs;
            m_rttNs = state.sender.RttOf(trigger, frame->sack.flags & RoceSack::RESENT, nowNs);
        }
        Report(qp,
               EntropyOf(qp, *frame),
               frame->bthFlags & ROCE_BECN ? RdmaEntropyFeedback::MARKED
                                           : RdmaEntropyFeedback::GOOD,
               nowNs);
    }
    return true;
}

void
RdmaSackRequester::Apply(RdmaQueuePair& qp, const Frame& frame, RdmaAckInfo& ack)
{
    RdmaSackState& state = *qp.sack;
    RdmaSackSender& sender = state.sender;
    const RoceSack& sack = frame.sack;
    const uint64_t base = UnwrapPsn(sack.basePsn, qp.sndUnaPsn);
    for (uint64_t bits = sack.bitmap; bits != 0; bits &= bits - 1)
    {
        const uint64_t psn = base + static_cast<uint64_t>(__builtin_ctzll(bits));
        if (psn < sender.GetFirst() || psn >= sender.GetEnd())
        {
            continue;
        }
        const auto before = sender.OnReceived(psn);
        const uint16_t bytes = sender.Get(psn).bytes;
        qp.selectiveBytes += before == RdmaSackSender::State::IN_FLIGHT ? bytes : 0;
        ack.newlyAckedBytes += before == RdmaSackSender::State::RECEIVED ? 0 : bytes;
    }
    if (sender.IsContradicted())
    {
        sender.OnLost(sender.GetFirst());
    }
    const uint64_t ahead = (sack.receivedBytes - state.receivedBytes) & RoceSackHeader::COUNT_MASK;
    const bool plausible = ahead <= qp.sndNxtByte - state.receivedBytes;
    ack.receivedBytes = plausible ? static_cast<int64_t>(ahead) : 0;
    state.receivedBytes += plausible ? ahead : 0;
    ack.ackSeq = static_cast<uint64_t>(m_sentNs);
    ack.sndNxt = static_cast<uint64_t>(ack.nowNs);
    NameEntropy(qp, frame, ack);
    if (m_rttNs >= 0)
    {
        ack.rttNs = qp.rttNs = m_rttNs;
    }
    if (state.terms->sleek)
    {
        InferLosses(qp, sack, ack.nowNs);
    }
    ack.inFlightBytes = qp.InFlight();
    qp.lost = sender.HasLost();
    Rearm(qp, ack.nowNs);
}

bool
RdmaSackRequester::OnTrimmed(RdmaQueuePair& qp, const Frame& frame, RdmaAckInfo& ack)
{
    RdmaSackSender& sender = qp.sack->sender;
    const int64_t nowNs = ack.nowNs;
    const bool resent = frame.sack.flags & RoceSack::RESENT;
    const bool marked = frame.bthFlags & ROCE_BECN;
    const bool lastHop = frame.sack.flags & RoceSack::LAST_HOP;
    Report(qp,
           EntropyOf(qp, frame),
           !lastHop ? RdmaEntropyFeedback::TRIMMED
           : marked ? RdmaEntropyFeedback::MARKED
                    : RdmaEntropyFeedback::GOOD,
           nowNs);
    const uint64_t psn = UnwrapPsn(frame.sack.psn, qp.sndUnaPsn);
    if (psn < sender.GetFirst() || psn >= sender.GetEnd() ||
        sender.Get(psn).state != RdmaSackSender::State::IN_FLIGHT ||
        (!resent && sender.Get(psn).sends > 1))
    {
        return false;
    }
    // Switches that trim keep queues short, so the time-out need not depend on the round-trip time.
    // When many packets are trimmed, round-trip times become longer, but this must not delay
    // time-outs.
    qp.sack->terms->timeoutRtts = 0;
    ack.ackSeq = static_cast<uint64_t>(sender.Get(psn).sentNs);
    ack.sndNxt = static_cast<uint64_t>(nowNs);
    NameEntropy(qp, frame, ack);
    RdmaLossInfo loss{nowNs, RdmaLossInfo::TRIMMED, 0, 0};
    loss.rttNs = sender.RttOf(psn, resent, nowNs);
    loss.congestionExperienced = marked;
    loss.lastHop = lastHop;
    Lose(qp, psn, loss);
    Rearm(qp, nowNs);
    return true;
}

void
RdmaSackRequester::Lose(RdmaQueuePair& qp, uint64_t psn, RdmaLossInfo loss)
{
    RdmaSackSender& sender = qp.sack->sender;
    sender.OnLost(psn);
    loss.lostBytes = sender.Get(psn).bytes;
    loss.entropy = RdmaEntropy::PortOf(qp.udpSourcePort, sender.Get(psn).entropy);
    loss.inFlightBytes = qp.InFlight();
    loss.lostSeq = static_cast<uint64_t>(sender.Get(psn).sentNs);
    loss.sndNxt = static_cast<uint64_t>(loss.nowNs);
    qp.selectiveBytes += loss.lostBytes;
    qp.lost = true;
    m_pacer.Raise(qp, loss.nowNs, &RdmaCongestionOps::OnLoss, loss);
}

void
RdmaSackRequester::InferLosses(RdmaQueuePair& qp, const RoceSack& sack, int64_t nowNs)
{
    RdmaSackState& state = *qp.sack;
    if (qp.PacketsInFlight() > 0)
    {
        const int64_t rtts = qp.current ? PROBE_RTTS : LAST_PROBE_RTTS;
        state.probeNs = nowNs + rtts * state.terms->baseRttNs;
    }
    const double window = qp.cc->windowBytes / qp.mtu;
    const double most =
        std::max(std::min(SLEEK_WINDOWS * window, state.terms->mostPackets), SLEEK_FEWEST_PACKETS);
    if (!state.sleeking && sack.outOfOrder >= most && !state.sender.HasLost())
    {
        EnterSleek(qp, nowNs, nowNs);
    }
    else if (sack.flags & RoceSack::PROBE)
    {
        const int64_t sentNs = state.probeSentNs[sack.psn % state.probeSentNs.size()];
        if (nowNs - sentNs < PROMPT_RTTS * state.terms->baseRttNs)
        {
            EnterSleek(qp, sentNs, nowNs);
        }
    }
    if (!state.sleeking)
    {
        return;
    }
    state.sleeking = qp.sndUnaPsn < state.sleekEndPsn;
    qp.lostNeedsRoom = !state.sleeking;
    const auto room = static_cast<uint64_t>(std::clamp(window, 1.0, 1e9));
    const uint64_t endPsn = std::min(state.sleekEndPsn, qp.sndUnaPsn + room);
    for (uint64_t psn = std::max(state.sleekNextPsn, qp.sndUnaPsn); psn < endPsn; ++psn)
    {
        state.sleekNextPsn = psn + 1;
        if (state.sender.Get(psn).state == RdmaSackSender::State::IN_FLIGHT)
        {
            state.sender.OnLost(psn);
            qp.selectiveBytes += state.sender.Get(psn).bytes;
        }
    }
}

void
RdmaSackRequester::EnterSleek(RdmaQueuePair& qp, int64_t sentByNs, int64_t nowNs)
{
    RdmaSackState& state = *qp.sack;
    uint64_t endPsn = qp.sndNxtPsn;
    while (endPsn > qp.sndUnaPsn && state.sender.Get(endPsn - 1).sentNs > sentByNs)
    {
        --endPsn;
    }
    if (endPsn == qp.sndUnaPsn)
    {
        return;
    }
    const bool known = state.sleeking; // OnLoss() has already been called for this recovery
    state.sleeking = true;
    state.sleekEndPsn = std::max(endPsn, state.sleekEndPsn);
    state.sleekNextPsn = qp.sndUnaPsn;
    if (known)
    {
        return;
    }
    RdmaLossInfo loss{nowNs,
                      RdmaLossInfo::NAK,
                      static_cast<uint64_t>(state.sender.Get(qp.sndUnaPsn).sentNs),
                      static_cast<uint64_t>(nowNs)};
    loss.inFlightBytes = qp.InFlight();
    m_pacer.Raise(qp, nowNs, &RdmaCongestionOps::OnLoss, loss);
}

void
RdmaSackRequester::OnTimer(RdmaQueuePair& qp, int64_t nowNs)
{
    RdmaSackState& state = *qp.sack;
    // Marks all packets whose time-outs have expired as lost before any of these packets is
    // retransmitted.
    for (NextTimeout next = FindNextTimeout(qp, nowNs); next.atNs <= nowNs;
         next = FindNextTimeout(qp, nowNs))
    {
        ++m_core.counts.timeouts;
        Report(qp, state.sender.Get(next.psn).entropy, RdmaEntropyFeedback::TIMEOUT, nowNs);
        if (state.sleeking)
        {
            // The packet is retransmitted when the next answer arrives, which may be an answer to a
            // probe. Retransmissions of a Sleek recovery need no room in the window. Therefore they
            // must wait for an answer, which shows that packets still arrive.
            state.sleekNextPsn = next.psn;
            break;
        }
        Lose(qp, next.psn, {nowNs, RdmaLossInfo::TIMEOUT, 0, 0});
    }
    if (state.terms->sleek && state.probeNs <= nowNs && qp.PacketsInFlight() > 0)
    {
        SendProbe(qp, nowNs);
    }
    qp.AllowPacketIfStalled();
    Rearm(qp, nowNs);
    m_pacer.Apply(qp, nowNs);
}

void
RdmaSackRequester::SendProbe(RdmaQueuePair& qp, int64_t nowNs)
{
    RdmaSackState& state = *qp.sack;
    Frame* frame = m_core.agenda->Frames().Allocate();
    m_core.packets.FillHeaders(qp, *frame);
    if (state.entropy)
    {
        const uint16_t value = state.entropy->Next(*m_core.random, qp.cc->shares);
        frame->sourcePort = RdmaEntropy::PortOf(qp.udpSourcePort, value);
        frame->flowHash =
            HashFiveTuple(qp.local, qp.peer, frame->sourcePort, ROCE_UDP_PORT, frame->protocol);
    }
    frame->tos = qp.tos;
    frame->priority = qp.priority;
    frame->opcode = ROCE_PROBE;
    frame->psn = ++state.probes & 0xffffff;
    frame->payloadBytes = 0;
    frame->bytes = m_core.packets.DataBytes(0, ROCE_PROBE, nullptr, qp.ipv6);
    state.probeSentNs[frame->psn % state.probeSentNs.size()] = nowNs;
    state.probeNs = nowNs + REPEATED_PROBE_RTTS * state.terms->baseRttNs;
    ++m_core.counts.probesSent;
    m_core.counts.probeBytes += frame->bytes;
    m_core.SendFeedback(frame);
}

void
RdmaSackRequester::Rearm(RdmaQueuePair& qp, int64_t nowNs)
{
    RdmaSackState& state = *qp.sack;
    if (qp.PacketsInFlight() == 0)
    {
        return;
    }
    int64_t dueNs = FindNextTimeout(qp, nowNs).atNs;
    dueNs = state.terms->sleek ? std::min(dueNs, state.probeNs) : dueNs;
    if (const int64_t rttNs = std::max(qp.rttNs, qp.baseRttNs); rttNs > 0)
    {
        // If no answer arrives within this time, none is in flight. OnTimer() then checks for a
        // stall.
        dueNs = std::min(dueNs, nowNs + SILENT_RTTS * rttNs);
    }
    m_pacer.StartTimeout(qp, std::max(dueNs, nowNs + 1) - qp.limits.timeoutNs);
}

} // namespace ns3
