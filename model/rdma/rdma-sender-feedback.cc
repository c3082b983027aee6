/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-sender-feedback.h"

#include "rdma-subscription.h"

#include "ns3/hpcc-feedback-authenticator.h"
#include "ns3/hpcc-reflection-header.h"
#include "ns3/hpcc-roce-feedback.h"

namespace ns3
{

namespace
{

/// Without authentication, a message is also regarded as new if its number is lower than the newest
/// number by this difference or more. Without this rule, a single forged message with a high number
/// could block all genuine messages.
constexpr int64_t OLD_MESSAGES = 64;

} // namespace

void
RdmaSenderFeedback::FillData(RdmaQueuePair& qp, Frame& frame, int64_t nowNs)
{
    const RdmaFeedback& how = *qp.feedback->how;
    frame.bthFlags |= qp.feedback->GetEpoch();
    const bool collects = qp.format && Samples(qp, frame, nowNs);
    if (collects)
    {
        frame.format = qp.format;
        RdmaPackets::OpenTelemetry(qp, frame);
        if (how.SampleAsksForAck())
        {
            frame.bthFlags |= ROCE_ACK_REQUEST;
        }
    }
    if (how.GetSubscription())
    {
        how.GetSubscription()->Mark(frame, collects);
    }
}

bool
RdmaSenderFeedback::Samples(RdmaQueuePair& qp, const Frame& frame, int64_t nowNs)
{
    RdmaFeedbackState& state = *qp.feedback;
    if (state.probes)
    {
        m_prober.OnData(qp);
        return false;
    }
    return !state.sampling || state.sampling->Collects(frame, nowNs, *m_core.random);
}

void
RdmaSenderFeedback::ReadAck(RdmaQueuePair& qp,
                            const Frame& frame,
                            bool accepted,
                            uint32_t packets,
                            RdmaAckInfo& ack)
{
    const bool ofPathProbe = qp.path && frame.format && RdmaPathMover::AnswersPathProbe(qp, frame);
    if (frame.format && (accepted || Accept(qp, frame)))
    {
        if (!ofPathProbe && (frame.ReportsBottleneckHop() ||
                             (qp.feedback && qp.feedback->how->ReportsBottleneckHop())))
        {
            ReadReport(qp, frame, ack);
            RdmaTelemetryReader::ReadContext(qp, frame, ack);
        }
        else
        {
            m_core.telemetry.ReadAck(qp, frame, ack);
        }
    }
    if (qp.path)
    {
        const bool marked = frame.bthFlags & ROCE_BECN;
        m_paths.Follow(qp, {packets, marked, frame.sourcePort, ofPathProbe}, ack);
    }
}

void
RdmaSenderFeedback::ReadReport(const RdmaQueuePair& qp, const Frame& frame, RdmaAckInfo& ack)
{
    const TelemetryCapabilities& carried = frame.format->GetCapabilities();
    ack.telemetry = &carried;
    const uint8_t agreed = qp.feedback ? qp.feedback->how->GetReportFlag() : 0;
    if (!(frame.reflection.flags & agreed))
    {
        return;
    }
    HopTelemetry& hop = *const_cast<HopTelemetry*>(ack.hops);
    if (agreed == REFLECTION_BARE_HOP)
    {
        m_report.ReadBare(carried, frame.telemetry.words.data());
        hop = m_report.now;
        hop.bandwidthBps = m_core.PortOf(qp).device->GetRateBps();
        hop.fields |= TELEMETRY_BANDWIDTH;
        m_bare = HpccBottleneckHop::BareCapabilities(carried);
        ack.telemetry = &m_bare;
    }
    else
    {
        m_report.Read(carried, frame.telemetry.words.data());
        hop = m_report.now;
        m_core.telemetry.LookUpRate(hop, qp.priority);
        ack.previous = &m_report.before;
    }
    ack.hopCount = 1;
}

bool
RdmaSenderFeedback::Accept(RdmaQueuePair& qp, const Frame& frame)
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
    Reject(qp, authentic ? FeedbackRejection::REPLAYED : FeedbackRejection::FORGED);
    return false;
}

bool
RdmaSenderFeedback::AcceptWindow(RdmaQueuePair& qp, const Frame& frame)
{
    const Frame::Notification& message = frame.notification;
    uint64_t& newest = qp.feedback->message;
    const int64_t ahead = static_cast<int16_t>(message.number - static_cast<uint16_t>(newest));
    const uint64_t number = newest + static_cast<uint64_t>(ahead);
    if (qp.authenticator && (!message.authenticated ||
                             message.tag != SignNotification(*qp.authenticator, number, frame)))
    {
        Reject(qp, FeedbackRejection::FORGED);
        return false;
    }
    if (ahead <= 0 && (qp.authenticator || ahead > -OLD_MESSAGES))
    {
        Reject(qp, FeedbackRejection::REPLAYED);
        return false;
    }
    newest = number;
    return true;
}

void
RdmaSenderFeedback::Reject(const RdmaQueuePair& qp, FeedbackRejection why)
{
    ++m_core.counts.rejectedFeedback[static_cast<size_t>(why)];
    m_core.traces.feedbackRejected(qp, why);
}

} // namespace ns3
