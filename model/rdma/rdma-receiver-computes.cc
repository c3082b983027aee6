/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-host.h"

#include "ns3/hpcc-roce-feedback.h"

#include <array>

// RdmaHost where policies run at the receiver: what they see of packets, how their notifications
// travel, and what the sender accepts. It also counts the flows of a link.

namespace ns3
{

namespace
{

/// Older messages than this many before the newest are taken for newer ones: numbers that only a
/// forger can have used must not keep the true ones out.
constexpr int64_t OLD_MESSAGES = 64;

} // namespace

void
RdmaHost::CountFlow(RdmaQueuePair& qp, const Frame& frame, int64_t nowNs)
{
    if (!qp.control)
    {
        qp.control = std::make_unique<RdmaReceiverControl>();
    }
    qp.control->Count(m_flowCounters[frame.priority], nowNs);
}

void
RdmaHost::RunReceiver(RdmaQueuePair& qp, Frame& frame, int64_t nowNs)
{
    const RdmaReceiverRole& role = m_receiverRoles[m_ends[IndexOfNumber(qp.number)].receiver];
    const bool computes = qp.control && qp.control->Computes();
    if (!qp.receiver)
    {
        RdmaReceiverInfo info{role.flow, RdmaCommitRule::EPOCH, computes};
        info.flow.flowId = qp.peerNumber;
        if (computes)
        {
            info.commitRule = role.feedback->GetCommitRule();
        }
        qp.receiver = qp.receiverOps->OpenReceiver(info);
    }
    RdmaArrivalInfo arrival{nowNs, m_port->GetLinkBytes(frame.bytes), (frame.tos & 3) == ECN_CE};
    std::array<HopTelemetry, MAX_TELEMETRY_HOPS> hops;
    if (computes)
    {
        qp.control->Note(frame, EndsRoceMessage(frame.opcode), arrival);
        if (frame.format)
        {
            if (nowNs >= m_dishonestFrom.GetNanoSeconds())
            {
                m_forgers[qp.number].Forge(*frame.format, frame.telemetry);
            }
            arrival.hops = hops.data();
            arrival.hopCount =
                ReadHops(*frame.format, frame.telemetry, frame.priority, hops.data());
            arrival.pathId = frame.telemetry.pathId;
            arrival.telemetry = &frame.format->GetCapabilities();
            frame.format = nullptr;
        }
    }
    FollowReceiver(qp, qp.receiverOps->OnArrival(qp.receiver, arrival), nowNs);
}

void
RdmaHost::WriteWindow(RdmaQueuePair& qp, const RdmaNotification& notification, Frame& frame)
{
    const uint64_t number = qp.control->Write(notification, frame);
    if (qp.signer)
    {
        frame.notification.authenticated = true;
        frame.notification.tag = SignNotification(*qp.signer, number, frame);
    }
}

bool
RdmaHost::AcceptWindow(RdmaQueuePair& qp, const Frame& frame)
{
    const Frame::Notification& message = frame.notification;
    uint64_t& newest = qp.feedback->message;
    const int64_t ahead = static_cast<int16_t>(message.number - static_cast<uint16_t>(newest));
    const uint64_t number = newest + static_cast<uint64_t>(ahead);
    if (qp.authenticator && (!message.authenticated ||
                             message.tag != SignNotification(*qp.authenticator, number, frame)))
    {
        RejectFeedback(qp, FeedbackRejection::FORGED);
        return false;
    }
    if (ahead <= 0 && (qp.authenticator || ahead > -OLD_MESSAGES))
    {
        RejectFeedback(qp, FeedbackRejection::REPLAYED);
        return false;
    }
    newest = number;
    return true;
}

} // namespace ns3
