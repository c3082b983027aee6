/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-prober.h"

#include "ns3/hpcc-roce-headers.h"
#include "ns3/hpcc-roce-packet.h"

namespace ns3
{

namespace
{

constexpr uint8_t NUMBER_BITS = 7;
constexpr uint32_t NUMBER_MASK = (1U << NUMBER_BITS) - 1;

/**
 * @param psn snd_nxt in packets
 * @param number of a probe
 * @return what names the probe: snd_nxt, and its number on the wire
 */
uint64_t
ProbeId(uint64_t psn, uint64_t number)
{
    return psn << NUMBER_BITS | (number & NUMBER_MASK);
}

/**
 * @param frame a frame
 * @return true if it is a probe
 */
bool
IsProbe(const Frame& frame)
{
    return frame.kind == Frame::Kind::ROCE && frame.opcode == ROCE_PROBE;
}

} // namespace

void
RdmaProber::OnData(const RdmaQueuePair& qp)
{
    if (qp.feedback->probes->OnData())
    {
        m_wanted.push_back(qp.number);
    }
}

void
RdmaProber::OnTransmission(Frame& frame, int64_t nowNs)
{
    if (!IsProbe(frame))
    {
        Send(nowNs);
        return;
    }
    if (const RdmaQueuePair* qp = TakeWaiting(frame, nowNs))
    {
        frame.psn = qp->sndNxtPsn & 0xffffff;
        frame.msn = (qp->feedback->probes->GetDepartures() - 1) & NUMBER_MASK;
        frame.packet = nullptr;
    }
}

void
RdmaProber::OnLoss(const Frame& frame, int64_t nowNs)
{
    if (IsProbe(frame))
    {
        TakeWaiting(frame, nowNs);
    }
}

RdmaQueuePair*
RdmaProber::TakeWaiting(const Frame& frame, int64_t nowNs)
{
    const auto waiting = std::find_if(m_waiting.begin(),
                                      m_waiting.end(),
                                      [&frame](const Waiting& w) { return w.frame == &frame; });
    if (waiting == m_waiting.end())
    {
        return nullptr;
    }
    RdmaQueuePair* qp = m_core.connections.Find(waiting->owner);
    m_waiting.erase(waiting);
    if (!qp || !qp->cc)
    {
        return nullptr;
    }
    OnDeparture(*qp, nowNs);
    return qp;
}

void
RdmaProber::OnDeparture(RdmaQueuePair& qp, int64_t nowNs)
{
    HpccProbes& probes = *qp.feedback->probes;
    probes.OnDeparture(ProbeId(qp.sndNxtPsn, probes.GetDepartures()), qp.sndNxtByte, nowNs);
    m_timers.Set(qp.slot, probes.GetTimeoutNs());
    m_core.ScheduleTimers(probes.GetTimeoutNs());
}

void
RdmaProber::Send(int64_t nowNs)
{
    while (!m_wanted.empty() && m_nextNs <= nowNs)
    {
        RdmaQueuePair* qp = m_core.connections.Find(m_wanted.front());
        m_wanted.pop_front();
        if (!qp || !qp->cc)
        {
            continue;
        }
        if (qp->PacketsInFlight() == 0)
        {
            qp->feedback->probes->Withdraw();
            continue;
        }
        Frame* frame = Make(*qp);
        m_pacer.ReportProbe(*qp, *frame, nowNs);
        m_nextNs = nowNs + m_core.settings.probeSpacing.GetNanoSeconds();
        ++m_core.counts.probesSent;
        m_core.counts.probeBytes += frame->bytes;
        if (m_core.port->IsLinkUp())
        {
            m_waiting.push_back({frame, qp->number});
        }
        else
        {
            OnDeparture(*qp, nowNs);
        }
        m_core.SendFeedback(frame);
    }
    if (!m_wanted.empty())
    {
        m_core.ScheduleTimers(m_nextNs);
    }
}

Frame*
RdmaProber::Make(RdmaQueuePair& qp)
{
    Frame* frame = m_core.agenda->Frames().Allocate();
    m_core.packets.FillHeaders(qp, *frame);
    frame->tos = static_cast<uint8_t>(m_core.settings.probeDscp << 2 | (qp.tos & 3));
    frame->priority = m_core.port->GetPriority(frame->tos);
    frame->opcode = ROCE_PROBE;
    frame->psn = qp.sndNxtPsn & 0xffffff;
    frame->payloadBytes = 0;
    frame->format = qp.format;
    RdmaPackets::OpenTelemetry(qp, *frame);
    frame->bytes = RoceFrameBytes(*frame);
    return frame;
}

HpccProbes::Answer
RdmaProber::OnAnswer(RdmaQueuePair& qp, uint64_t psn, uint32_t number, int64_t nowNs)
{
    return qp.feedback->probes->OnAnswer(ProbeId(psn, number), nowNs);
}

void
RdmaProber::Continue(RdmaQueuePair& qp, int64_t nowNs)
{
    HpccProbes& probes = *qp.feedback->probes;
    if (probes.Continue(nowNs, qp.PacketsInFlight() > 0))
    {
        m_wanted.push_back(qp.number);
    }
    m_timers.Set(qp.slot, probes.GetTimeoutNs());
    Send(nowNs);
}

void
RdmaProber::RunTimers(int64_t nowNs)
{
    while (m_timers.TopNs() <= nowNs)
    {
        RdmaQueuePair& qp = m_core.connections.queuePairs[m_timers.TopId()];
        m_timers.Remove(qp.slot);
        if (qp.cc)
        {
            Continue(qp, nowNs);
        }
    }
    if (!m_wanted.empty())
    {
        Send(nowNs);
    }
}

} // namespace ns3
