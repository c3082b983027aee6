/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-switch-responses.h"

#include <array>

namespace ns3
{

namespace
{

/**
 * Returns the key of a queue pair in m_byPeer.
 * @param address IPv4 address of the other end
 * @param number queue pair number at the other end
 */
uint64_t
PeerKey(uint32_t address, uint32_t number)
{
    return uint64_t{address} << 32 | number;
}

} // namespace

uint32_t
RdmaSwitchResponses::FindByPeer(uint32_t peer, uint32_t number)
{
    for (; m_knownByPeer < m_core.connections.GetSize(); ++m_knownByPeer)
    {
        const RdmaEnd& end = m_core.connections.GetEnd(m_knownByPeer);
        m_byPeer[PeerKey(m_core.connections.HostOf(end.peer), end.peerNumber)] = m_knownByPeer;
    }
    const auto found = m_byPeer.find(PeerKey(m_core.connections.HostOf(peer), number));
    return found == m_byPeer.end() ? RdmaEnd::NONE : found->second;
}

void
RdmaSwitchResponses::Receive(Frame* frame, RdmaSwitchTrust& trust, int64_t nowNs)
{
    const bool atReceiver = frame->response.forReceiver;
    const uint32_t index = atReceiver ? RdmaConnections::IndexOfNumber(frame->destinationQp)
                                      : FindByPeer(frame->source, frame->destinationQp);
    if (index >= m_core.connections.GetSize())
    {
        m_core.Drop(frame, DropReason::UNKNOWN_QUEUE_PAIR);
        return;
    }
    RdmaQueuePair* qp = m_connector.FindInUse(index);
    if (!frame->format || (qp && !atReceiver && !TakeAtSender(*qp, *frame, trust, nowNs)))
    {
        m_core.Drop(frame, DropReason::MALFORMED);
        return;
    }
    if (!qp)
    {
        ++m_core.counts.lateSwitchResponses;
    }
    else if (atReceiver && qp->receiver)
    {
        TakeAtReceiver(*qp, *frame, trust, nowNs);
    }
    FramePool::Free(frame);
}

bool
RdmaSwitchResponses::IsGenuine(const RdmaQueuePair& qp, const Frame& frame, RdmaSwitchTrust& trust)
{
    if (m_core.settings.feedbackKey.empty() && !trust.HasKey())
    {
        return true;
    }
    const auto verdict = trust.Check(frame);
    if (verdict != RdmaSwitchTrust::Verdict::GENUINE)
    {
        m_feedback.Reject(qp,
                          verdict == RdmaSwitchTrust::Verdict::REPLAYED
                              ? FeedbackRejection::REPLAYED
                              : FeedbackRejection::FORGED);
        return false;
    }
    return true;
}

void
RdmaSwitchResponses::TakeAtReceiver(RdmaQueuePair& qp,
                                    const Frame& frame,
                                    RdmaSwitchTrust& trust,
                                    int64_t nowNs)
{
    if (IsGenuine(qp, frame, trust))
    {
        ++m_core.counts.switchResponses;
        m_receivers.OnSwitchResponse(qp, frame, nowNs);
    }
}

bool
RdmaSwitchResponses::TakeAtSender(RdmaQueuePair& qp,
                                  const Frame& frame,
                                  RdmaSwitchTrust& trust,
                                  int64_t nowNs)
{
    const uint64_t psn = UnwrapPsn(frame.psn, qp.sndUnaPsn) + 1;
    if (psn > qp.sndMaxPsn)
    {
        return false;
    }
    if (!qp.cc || psn <= qp.sndUnaPsn)
    {
        ++m_core.counts.lateSwitchResponses;
        return true;
    }
    if (!IsGenuine(qp, frame, trust))
    {
        return true;
    }
    std::array<HopTelemetry, MAX_TELEMETRY_HOPS> hops;
    RdmaAckInfo response{};
    response.nowNs = nowNs;
    response.ackSeq = qp.PositionOf(psn);
    response.sndNxt = qp.NextPosition(nowNs);
    response.hops = hops.data();
    response.hopCount =
        m_core.telemetry.ReadHops(*frame.format, frame.telemetry, qp.priority, hops.data());
    response.pathId = frame.telemetry.pathId;
    response.telemetry = &frame.format->GetCapabilities();
    ++m_core.counts.switchResponses;
    m_pacer.Raise(qp, nowNs, &RdmaCongestionOps::OnSwitchResponse, response);
    m_pacer.Apply(qp, nowNs);
    return true;
}

} // namespace ns3
