/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-feedback-collector.h"

#include "rdma-reflector.h"

#include "ns3/hpcc-roce-packet.h"

#include <array>

namespace ns3
{

void
RdmaFeedbackCollector::ReceiveData(RdmaQueuePair& qp, Frame* frame, int64_t nowNs)
{
    Frame* notification = nullptr;
    if (qp.reflector && frame->format)
    {
        if (IsPathProbe(qp, *frame))
        {
            AnswerPathProbe(qp, frame, nowNs);
            return;
        }
        if (qp.reflector->Notifies())
        {
            notification = DetachTelemetry(*frame);
        }
    }
    m_responder.AnswerMark(qp, *frame, nowNs);
    m_receivers.OnArrival(qp, *frame, nowNs);
    const bool urgent = qp.reflector && frame->format && Collect(qp, *frame, nowNs);
    if (qp.responderUses & USES_SACK)
    {
        m_sacks.Sequence(qp, frame, urgent, nowNs);
    }
    else
    {
        m_responder.Sequence(qp, frame, urgent, nowNs);
    }
    if (notification)
    {
        SendNotification(qp, notification, notification->psn, nowNs);
    }
}

void
RdmaFeedbackCollector::ReceiveProbe(RdmaQueuePair& qp, Frame* frame, int64_t nowNs)
{
    if (qp.responderUses & USES_SACK && !frame->format)
    {
        m_sacks.ReceiveProbe(qp, frame, nowNs);
        return;
    }
    if (!qp.reflector || !qp.reflector->Notifies())
    {
        m_core.Drop(frame, DropReason::MALFORMED);
        return;
    }
    SendNotification(qp, frame, frame->msn << 24 | frame->psn, nowNs);
}

void
RdmaFeedbackCollector::ReceiveTrimmed(RdmaQueuePair& qp, Frame* frame, int64_t nowNs)
{
    Frame* notification = nullptr;
    if (frame->format)
    {
        if (qp.reflector && qp.reflector->Notifies())
        {
            notification = DetachTelemetry(*frame);
            notification->trimmed = false;
        }
        m_receivers.OnArrival(qp, *frame, nowNs);
        if (qp.reflector && frame->format)
        {
            Collect(qp, *frame, nowNs);
        }
    }
    m_sacks.ReceiveTrimmed(qp, frame, nowNs);
    if (notification)
    {
        SendNotification(qp, notification, notification->psn, nowNs);
    }
}

bool
RdmaFeedbackCollector::IsPathProbe(const RdmaQueuePair& qp, const Frame& frame)
{
    const bool likeOne =
        qp.responderUses & USES_SACK
            ? frame.opcode == ROCE_WRITE_ONLY && frame.payloadBytes == 0
            : frame.opcode == ROCE_WRITE_MIDDLE || frame.opcode == ROCE_SEND_MIDDLE;
    if (!qp.reflector->AnswersPathProbes() || !likeOne)
    {
        return false;
    }
    const uint64_t psn = UnwrapPsn(frame.psn, qp.expectedPsn);
    return psn < qp.expectedPsn && psn != qp.messagePsn;
}

void
RdmaFeedbackCollector::AnswerPathProbe(RdmaQueuePair& qp, Frame* frame, int64_t nowNs)
{
    ++qp.duplicates;
    m_core.packets.FillAcknowledgement(qp, *frame, ROCE_ACK, ROCE_SYNDROME_ACK);
    m_reflections.Finish(qp, *frame, true, nowNs);
    frame->bytes = m_core.packets.AckBytes(*frame);
    frame->packet = nullptr;
    m_core.SendFeedback(frame);
}

bool
RdmaFeedbackCollector::Collect(RdmaQueuePair& qp, const Frame& frame, int64_t nowNs)
{
    const bool first = qp.reflector->Take(frame);
    if (!qp.reflector->Measures())
    {
        return first;
    }
    std::array<HopTelemetry, MAX_TELEMETRY_HOPS> hops;
    const uint32_t count =
        m_core.telemetry.ReadHops(*frame.format, frame.telemetry, frame.priority, hops.data());
    const bool urgent = qp.reflector->IsUrgent({nowNs,
                                                0,
                                                0,
                                                0,
                                                hops.data(),
                                                count,
                                                frame.telemetry.pathId,
                                                0,
                                                &frame.format->GetCapabilities()});
    return first || urgent;
}

Frame*
RdmaFeedbackCollector::DetachTelemetry(Frame& frame)
{
    Frame* notification = m_core.agenda->Frames().Clone(frame);
    notification->psn = (frame.psn + 1) & 0xffffff;
    frame.format = nullptr;
    return notification;
}

void
RdmaFeedbackCollector::SendNotification(RdmaQueuePair& qp,
                                        Frame* frame,
                                        uint32_t named,
                                        int64_t nowNs)
{
    m_core.packets.FillAcknowledgement(qp, *frame, ROCE_NOTIFICATION, ROCE_SYNDROME_ACK);
    frame->reflection.namedPsn = named;
    m_reflections.Finish(qp, *frame, false, nowNs);
    frame->bytes = RoceFrameBytes(*frame);
    frame->packet = nullptr;
    ++m_core.counts.notificationsSent;
    m_core.SendFeedback(frame);
}

} // namespace ns3
