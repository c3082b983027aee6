/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-host.h"
#include "rdma-policy-values.h"
#include "rdma-switch-trust.h"

#include <array>

// RdmaHost's part of feedback by switches: packets ask for it, responses come in.

namespace ns3
{

namespace
{

/// @return why a response that is not genuine is rejected
FeedbackRejection
RejectionOf(RdmaSwitchTrust::Verdict verdict)
{
    return verdict == RdmaSwitchTrust::Verdict::REPLAYED ? FeedbackRejection::REPLAYED
                                                         : FeedbackRejection::FORGED;
}

/**
 * Checks a response of a switch, the same for senders and receivers.
 * @param host that has got it
 * @param authenticates the host authenticates feedback
 * @param frame the response
 * @return what is wrong with it; genuine if it need not be authenticated
 */
RdmaSwitchTrust::Verdict
CheckResponse(RdmaHost& host, bool authenticates, const Frame& frame)
{
    auto trust = host.GetObject<RdmaSwitchTrust>();
    if (!trust)
    {
        trust = CreateObject<RdmaSwitchTrust>();
        host.AggregateObject(trust);
    }
    return authenticates || trust->HasKey() ? trust->Check(frame)
                                            : RdmaSwitchTrust::Verdict::GENUINE;
}

/// @return key of a queue pair by its other end
uint64_t
PeerKey(uint32_t address, uint32_t number)
{
    return uint64_t{address} << 32 | number;
}

} // namespace

void
RdmaHost::AskForFeedback(const RdmaQueuePair& qp, Frame& frame)
{
    const RdmaFeedback& how = *qp.feedback->how;
    if (frame.format && how.SampleAsksForAck())
    {
        frame.bthFlags |= ROCE_ACK_REQUEST;
    }
    if (frame.format && how.GetSubscribe() == RdmaFeedback::BY_FLAG)
    {
        frame.telemetry.flags |= TELEMETRY_SUBSCRIBED;
    }
    else if (how.GetSubscribe() == RdmaFeedback::BY_DSCP)
    {
        frame.tos = static_cast<uint8_t>(how.GetSubscribedDscp() << 2 | (frame.tos & 3));
    }
}

RdmaQueuePair*
RdmaHost::FindByPeer(uint32_t peer, uint32_t number)
{
    for (; m_knownByPeer < m_ends.size(); ++m_knownByPeer)
    {
        const RdmaEnd& end = m_ends[m_knownByPeer];
        m_byPeer[PeerKey(end.peer, end.peerNumber)] = m_knownByPeer;
    }
    const auto found = m_byPeer.find(PeerKey(peer, number));
    return found == m_byPeer.end() ? nullptr : Find(found->second + FIRST_QPN);
}

void
RdmaHost::ReceiveSwitchResponse(Frame* frame, int64_t nowNs)
{
    const uint32_t number = frame->destinationQp;
    const bool atReceiver = frame->response.forReceiver;
    RdmaQueuePair* qp = atReceiver ? Find(number) : FindByPeer(frame->source, number);
    const bool known = atReceiver ? IndexOfNumber(number) < m_ends.size()
                                  : m_byPeer.count(PeerKey(frame->source, number)) > 0;
    if (!known)
    {
        m_port->Drop(frame, DropReason::UNKNOWN_QUEUE_PAIR);
        return;
    }
    if (!frame->format || (qp && !atReceiver && !TakeSwitchResponse(*qp, *frame, nowNs)))
    {
        m_port->Drop(frame, DropReason::MALFORMED);
        return;
    }
    m_lateSwitchResponses += !qp;
    if (qp && atReceiver && qp->receiver)
    {
        const auto verdict = CheckResponse(*this, !m_feedbackKey.empty(), *frame);
        if (verdict != RdmaSwitchTrust::Verdict::GENUINE)
        {
            RejectFeedback(*qp, RejectionOf(verdict));
            FramePool::Free(frame);
            return;
        }
        const RdmaReceiverRole& role = m_receiverRoles[m_ends[IndexOfNumber(number)].receiver];
        std::array<HopTelemetry, MAX_TELEMETRY_HOPS> hops;
        RdmaAckInfo response{};
        response.nowNs = nowNs;
        response.hops = hops.data();
        response.hopCount =
            ReadHops(*frame->format, frame->telemetry, role.dataPriority, hops.data());
        response.telemetry = &frame->format->GetCapabilities();
        ++m_switchResponses;
        FollowReceiver(*qp, qp->receiverOps->OnReceiverResponse(qp->receiver, response), nowNs);
    }
    FramePool::Free(frame);
}

bool
RdmaHost::TakeSwitchResponse(RdmaQueuePair& qp, const Frame& frame, int64_t nowNs)
{
    const uint64_t psn = UnwrapPsn(frame.psn, qp.sndUnaPsn) + 1;
    if (psn > qp.sndMaxPsn)
    {
        return false;
    }
    if (!qp.cc || psn <= qp.sndUnaPsn)
    {
        ++m_lateSwitchResponses;
        return true;
    }
    const auto verdict = CheckResponse(*this, !m_feedbackKey.empty(), frame);
    if (verdict != RdmaSwitchTrust::Verdict::GENUINE)
    {
        RejectFeedback(qp, RejectionOf(verdict));
        return true;
    }
    std::array<HopTelemetry, MAX_TELEMETRY_HOPS> hops;
    RdmaAckInfo response{};
    response.nowNs = nowNs;
    response.ackSeq = ByteOf(qp, psn);
    response.sndNxt = qp.sndNxtByte;
    response.hops = hops.data();
    response.hopCount = ReadHops(*frame.format, frame.telemetry, qp.priority, hops.data());
    response.pathId = frame.telemetry.pathId;
    response.telemetry = &frame.format->GetCapabilities();
    ++m_switchResponses;
    RdmaPolicyValues::Raise(qp, nowNs, &RdmaCongestionOps::OnSwitchResponse, response);
    Obey(qp);
    Repace(qp);
    Reschedule(qp, nowNs);
    return true;
}

} // namespace ns3
