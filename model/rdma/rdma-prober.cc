/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-prober.h"

#include "ns3/hpcc-roce-headers.h"
#include "ns3/hpcc-roce-packet.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint8_t NUMBER_BITS = 7;
constexpr uint32_t NUMBER_MASK = (1U << NUMBER_BITS) - 1;

/**
 * Returns the identifier by which the answer to a probe is recognised. The identifier consists of
 * the number of the next data packet (RdmaQueuePair::sndNxtPsn) and the number of the probe.
 * @param psn value of sndNxtPsn when the probe was sent
 * @param number number of the probe
 */
uint64_t
ProbeId(uint64_t psn, uint64_t number)
{
    return psn << NUMBER_BITS | (number & NUMBER_MASK);
}

/**
 * Returns true if a frame is a probe.
 * @param frame a frame
 */
bool
IsProbe(const Frame& frame)
{
    return frame.kind == Frame::Kind::ROCE && frame.opcode == ROCE_PROBE;
}

} // namespace

void
RdmaProber::OnTransmission(Frame& frame, int64_t nowNs)
{
    if (!IsProbe(frame))
    {
        m_engine.SendDue(nowNs);
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
    m_engine.OnDeparture(qp.slot,
                         probes,
                         ProbeId(qp.sndNxtPsn, probes.GetDepartures()),
                         qp.sndNxtByte,
                         nowNs);
}

HpccProbes*
RdmaProber::FindProbes(const uint32_t& slot)
{
    const RdmaQueuePair& qp = m_core.connections.queuePairs[slot];
    return qp.cc && qp.feedback ? qp.feedback->probes.get() : nullptr;
}

bool
RdmaProber::HasDataInFlight(const uint32_t& slot)
{
    return m_core.connections.queuePairs[slot].PacketsInFlight() > 0;
}

void
RdmaProber::SendProbe(const uint32_t& slot, int64_t nowNs)
{
    RdmaQueuePair& qp = m_core.connections.queuePairs[slot];
    Frame* frame = Make(qp);
    m_pacer.ReportProbe(qp, *frame, nowNs);
    ++m_core.counts.probesSent;
    m_core.counts.probeBytes += frame->bytes;
    if (m_core.PortOf(qp).device->IsLinkUp())
    {
        m_waiting.push_back({frame, qp.number});
    }
    else
    {
        OnDeparture(qp, nowNs);
    }
    m_core.SendFeedback(frame);
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

} // namespace ns3
