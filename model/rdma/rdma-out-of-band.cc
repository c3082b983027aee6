/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-host.h"
#include "rdma-policy-values.h"

#include "ns3/hpcc-roce-headers.h"
#include "ns3/hpcc-roce-packet.h"

#include <algorithm>
#include <array>

// RdmaHost's probes and notifications: feedback apart from data packets and ACKs.

namespace ns3
{

namespace
{

constexpr uint8_t PROBE_NUMBER_BITS = 7;
constexpr uint32_t PROBE_NUMBER_MASK = (1U << PROBE_NUMBER_BITS) - 1;

/// @return what names a probe: snd_nxt in packets, and its number on the wire
uint64_t
ProbeId(uint64_t psn, uint64_t number)
{
    return psn << PROBE_NUMBER_BITS | (number & PROBE_NUMBER_MASK);
}

} // namespace

bool
RdmaHost::SamplesTelemetry(RdmaQueuePair& qp, int64_t nowNs)
{
    RdmaFeedback::State& state = *qp.feedback;
    if (!state.probes)
    {
        return state.how->Samples(state, nowNs, *m_random);
    }
    if (state.probes->OnData())
    {
        m_wantedProbes.push_back(qp.number);
    }
    return false;
}

void
RdmaHost::StartOfTransmission(QbbNetDevice&, Frame& frame, int64_t nowNs)
{
    if (frame.kind == Frame::Kind::ROCE && frame.opcode == ROCE_PROBE)
    {
        if (const RdmaQueuePair* qp = NoteProbe(frame, nowNs))
        {
            frame.psn = qp->sndNxtPsn & 0xffffff;
            frame.msn = (qp->feedback->probes->GetDepartures() - 1) & PROBE_NUMBER_MASK;
            frame.packet = nullptr;
        }
    }
    else if (!m_wantedProbes.empty())
    {
        SendProbes(nowNs);
    }
}

void
RdmaHost::LoseFrame(QbbNetDevice&, const Frame& frame)
{
    if (frame.kind == Frame::Kind::ROCE && frame.opcode == ROCE_PROBE)
    {
        NoteProbe(frame, m_agenda->NowNs());
    }
}

RdmaQueuePair*
RdmaHost::NoteProbe(const Frame& frame, int64_t nowNs)
{
    RdmaQueuePair* qp = Find(frame.reth.key);
    if (!qp || !qp->cc)
    {
        return nullptr;
    }
    HpccProbes& probes = *qp->feedback->probes;
    probes.OnDeparture(ProbeId(qp->sndNxtPsn, probes.GetDepartures()), qp->sndNxtByte, nowNs);
    m_probeTimers.Set(IndexOf(*qp), probes.GetTimeoutNs());
    NoteTimer(probes.GetTimeoutNs());
    return qp;
}

void
RdmaHost::SendProbes(int64_t nowNs)
{
    while (!m_wantedProbes.empty() && m_nextProbeNs <= nowNs)
    {
        RdmaQueuePair* qp = Find(m_wantedProbes.front());
        m_wantedProbes.pop_front();
        if (!qp || !qp->cc)
        {
            continue;
        }
        if (qp->PacketsInFlight() == 0)
        {
            qp->feedback->probes->Withdraw();
            continue;
        }
        Frame* frame = MakeProbe(*qp);
        ReportProbe(*qp, *frame, nowNs);
        m_nextProbeNs = nowNs + m_probeSpacing.GetNanoSeconds();
        ++m_probesSent;
        m_probeBytes += frame->bytes;
        m_feedbackBytes += frame->bytes;
        if (!m_port->IsLinkUp())
        {
            NoteProbe(*frame, nowNs);
        }
        m_port->Enqueue(frame);
    }
    if (!m_wantedProbes.empty())
    {
        NoteTimer(m_nextProbeNs);
    }
}

Frame*
RdmaHost::MakeProbe(RdmaQueuePair& qp)
{
    Frame* frame = m_agenda->Frames().Allocate();
    FillHeaders(qp, *frame);
    frame->tos = static_cast<uint8_t>(m_probeDscp << 2 | (qp.tos & 3));
    frame->priority = m_port->GetPriority(frame->tos);
    frame->opcode = ROCE_PROBE;
    frame->psn = qp.sndNxtPsn & 0xffffff;
    frame->payloadBytes = 0;
    frame->reth.key = qp.number; // not on the wire: whose it is, when it leaves
    frame->format = qp.format;
    OpenTelemetry(qp, *frame);
    frame->bytes = RoceFrameBytes(*frame);
    return frame;
}

void
RdmaHost::ReportProbe(RdmaQueuePair& qp, const Frame& frame, int64_t nowNs)
{
    if (const uint16_t request = qp.cc->telemetryRequest)
    {
        const RdmaSentInfo sent{nowNs, m_port->GetLinkBytes(frame.bytes), request};
        RdmaPolicyValues::Raise(qp, nowNs, &RdmaCongestionOps::OnSent, sent);
        Obey(qp);
    }
}

void
RdmaHost::ContinueProbes(RdmaQueuePair& qp, int64_t nowNs)
{
    HpccProbes& probes = *qp.feedback->probes;
    if (probes.Continue(nowNs, qp.PacketsInFlight() > 0))
    {
        m_wantedProbes.push_back(qp.number);
    }
    m_probeTimers.Set(IndexOf(qp), probes.GetTimeoutNs());
    SendProbes(nowNs);
}

void
RdmaHost::RunProbeTimers(int64_t nowNs)
{
    while (m_probeTimers.TopNs() <= nowNs)
    {
        RdmaQueuePair& qp = m_queuePairs[m_probeTimers.TopId()];
        m_probeTimers.Remove(IndexOf(qp));
        if (qp.cc)
        {
            ContinueProbes(qp, nowNs);
        }
    }
    if (!m_wantedProbes.empty())
    {
        SendProbes(nowNs);
    }
}

void
RdmaHost::ReceiveProbe(Frame* frame, int64_t nowNs)
{
    RdmaQueuePair* qp = FindReceiver(frame->destinationQp);
    if (!qp || !qp->reflector || !qp->reflector->Notifies())
    {
        m_port->Drop(frame, qp ? DropReason::MALFORMED : DropReason::UNKNOWN_QUEUE_PAIR);
        return;
    }
    SendNotification(*qp, frame, frame->msn << 24 | frame->psn, nowNs);
    LeaveIfDone(*qp, nowNs);
}

Frame*
RdmaHost::DetachTelemetry(Frame& frame)
{
    Frame* told = m_agenda->Frames().Clone(frame);
    told->psn = (frame.psn + 1) & 0xffffff;
    frame.format = nullptr;
    return told;
}

void
RdmaHost::SendNotification(RdmaQueuePair& qp, Frame* frame, uint32_t named, int64_t nowNs)
{
    const uint16_t port = frame->sourcePort;
    FillAcknowledgement(qp, *frame, ROCE_NOTIFICATION, ROCE_SYNDROME_ACK);
    EchoPort(qp, *frame, port);
    frame->reflection.namedPsn = named;
    FinishReflection(qp, *frame, false, nowNs);
    frame->bytes = RoceFrameBytes(*frame);
    frame->packet = nullptr;
    ++m_notificationsSent;
    m_feedbackBytes += frame->bytes;
    m_port->Enqueue(frame);
}

void
RdmaHost::Condense(RdmaQueuePair& qp, Frame& frame, int64_t nowNs)
{
    std::array<HopTelemetry, MAX_TELEMETRY_HOPS> hops;
    const TelemetryCapabilities& carried = frame.format->GetCapabilities();
    const uint32_t count = ReadHops(*frame.format, frame.telemetry, frame.priority, hops.data());
    const uint16_t pathId = frame.telemetry.pathId;
    if (count == 0 ||
        !qp.reflector->GetPicker()->Pick({nowNs, 0, 0, 0, hops.data(), count, pathId, 0, &carried},
                                         m_report))
    {
        frame.format = nullptr;
        return;
    }
    const bool bare = qp.reflector->ReportsBareHop();
    frame.reflection.flags |= bare ? REFLECTION_BARE_HOP : REFLECTION_WORST_HOP;
    frame.telemetry.hops = 1;
    frame.telemetry.pathId = 0;
    if (bare)
    {
        m_report.WriteBare(carried, frame.telemetry.words.data());
    }
    else
    {
        m_report.Write(carried, frame.telemetry.words.data());
    }
}

void
RdmaHost::ReadReport(const RdmaQueuePair& qp, const Frame& frame, RdmaAckInfo& ack)
{
    const uint8_t agreed = qp.feedback ? qp.feedback->how->GetReportFlag() : 0;
    if (!(frame.reflection.flags & agreed))
    {
        return;
    }
    const TelemetryCapabilities& carried = frame.format->GetCapabilities();
    HopTelemetry& hop = *const_cast<HopTelemetry*>(ack.hops);
    if (agreed == REFLECTION_BARE_HOP)
    {
        m_report.ReadBare(carried, frame.telemetry.words.data());
        hop = m_report.now;
        hop.bandwidthBps = m_port->GetRateBps();
        hop.fields |= TELEMETRY_BANDWIDTH;
        m_bare = HpccWorstHop::BareCapabilities(carried);
        ack.telemetry = &m_bare;
    }
    else
    {
        m_report.Read(carried, frame.telemetry.words.data());
        hop = m_report.now;
        const TelemetryInventory* inventory = PeekPointer(m_inventories[qp.priority]);
        if (!(hop.fields & TELEMETRY_BANDWIDTH) && inventory)
        {
            LookUpRate(hop, *inventory);
        }
        ack.previous = &m_report.before;
    }
    ack.hopCount = 1;
}

uint64_t
RdmaHost::ByteOf(const RdmaQueuePair& qp, uint64_t psn)
{
    if (psn <= qp.sndUnaPsn)
    {
        return psn == qp.sndUnaPsn ? qp.sndUnaByte : 0;
    }
    const RdmaMessage& message = MessageOf(qp, psn - 1);
    return message.firstByte + std::min((psn - message.firstPsn) * qp.mtu, message.SequenceBytes());
}

void
RdmaHost::ReceiveNotification(Frame* frame, int64_t nowNs)
{
    RdmaQueuePair* qp = FindRequester(frame);
    if (!qp)
    {
        return;
    }
    const uint64_t named = UnwrapPsn(frame->reflection.namedPsn & 0xffffff, qp->sndUnaPsn);
    if (!qp->feedback || !qp->feedback->how->IsNotified() || named > qp->sndMaxPsn)
    {
        m_port->Drop(frame, DropReason::MALFORMED);
        return;
    }
    if (frame->format ? !AcceptFeedback(*qp, *frame) : qp->authenticator != nullptr)
    {
        FramePool::Free(frame);
        return;
    }
    HpccProbes* probes = qp->feedback->probes.get();
    HpccProbes::Answer answer{true, 0, 0, 0};
    if (!probes)
    {
        answer.ackSeq = ByteOf(*qp, named);
    }
    else
    {
        answer = probes->OnAnswer(ProbeId(named, frame->reflection.namedPsn >> 24), nowNs);
    }
    if (!answer.known)
    {
        frame->format = nullptr;
    }
    Acknowledge(*qp, frame, &answer.ackSeq, nowNs);
    if (probes && answer.known && qp->cc)
    {
        ContinueProbes(*qp, nowNs);
    }
}

} // namespace ns3
