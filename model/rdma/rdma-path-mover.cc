/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-path-mover.h"

#include "rdma-feedback-state.h"
#include "rdma-policy-values.h"

#include "ns3/hpcc-roce-headers.h"

#include <algorithm>

namespace ns3
{

bool
RdmaPathMover::AnswersPathProbe(const RdmaQueuePair& qp, const Frame& frame)
{
    return frame.opcode == ROCE_ACK && !frame.ReportsBottleneckHop() && qp.feedback &&
           !qp.feedback->how->AcksReturnAllHops();
}

void
RdmaPathMover::Follow(RdmaQueuePair& qp, const Echo& echo, RdmaAckInfo& ack)
{
    static constexpr RdmaAckInfo nothing{};
    const bool ownReported = !qp.feedback || qp.feedback->how->ReturnsAllHops();
    RdmaPathState& path = *qp.path;
    const auto advice =
        m_core.settings.repathing->OnAck(path,
                                         {ack.nowNs,
                                          qp.sndUnaPsn,
                                          qp.sndMaxPsn,
                                          echo.packets,
                                          echo.marked,
                                          ownReported || echo.ofPathProbe ? &ack : &nothing,
                                          echo.sourcePort,
                                          &qp,
                                          PeekPointer(m_core.random),
                                          ownReported});
    if (path.unannounced && (qp.sndUnaPsn > path.firstPsn || advice.arrived))
    {
        path.unannounced = false;
        RdmaPolicyValues::Raise(qp, ack.nowNs, &RdmaCongestionOps::OnPathChange, ack.nowNs);
    }
    if (advice.elsewhere || echo.ofPathProbe)
    {
        ack.hopCount = 0;
        ack.telemetry = nullptr;
        qp.idleNs = std::max(qp.idleNs, ack.idleNs);
    }
    for (uint16_t port : advice.pathProbes)
    {
        SendPathProbe(qp, port, ack.nowNs);
    }
    if (advice.move)
    {
        path.nextPort = advice.port;
        path.draining = true;
        path.limitPackets = qp.limits.packets;
        if (!advice.inOrder || qp.recovery->ToleratesReordering())
        {
            ChangePath(qp, ack.nowNs);
        }
        else
        {
            qp.limits.packets = 0;
        }
    }
    FinishDrain(qp, ack.nowNs);
    ReleaseHeld(qp.peer, ack.nowNs);
}

void
RdmaPathMover::OnTimeout(RdmaQueuePair& qp, int64_t nowNs)
{
    m_core.settings.repathing->OnTimeout(*qp.path, nowNs);
}

void
RdmaPathMover::FinishDrain(RdmaQueuePair& qp, int64_t nowNs)
{
    if (qp.path->draining && qp.PacketsInFlight() == 0)
    {
        ChangePath(qp, nowNs);
    }
}

void
RdmaPathMover::ChangePath(RdmaQueuePair& qp, int64_t nowNs)
{
    RdmaPathState& path = *qp.path;
    path.draining = false;
    qp.limits.packets = path.limitPackets;
    const uint16_t before = qp.udpSourcePort;
    if (path.nextPort != 0)
    {
        ++path.changes;
        qp.udpSourcePort = path.nextPort;
    }
    else
    {
        while (qp.udpSourcePort == before)
        {
            uint32_t hash = (qp.number ^ ++path.changes * 0x85ebca77U) * 2654435761U;
            qp.udpSourcePort = static_cast<uint16_t>(0xc000 + (hash >> 18));
        }
    }
    qp.flowHash = HashFiveTuple(qp.local, qp.peer, qp.udpSourcePort, ROCE_UDP_PORT, 17);
    path.firstPsn = qp.sndNxtPsn;
    path.unannounced = true;
    m_core.traces.pathChange(qp, nowNs);
}

void
RdmaPathMover::SendPathProbe(RdmaQueuePair& qp, uint16_t port, int64_t nowNs)
{
    // Repeats the last acknowledged packet of the message in flight. The first packet of the
    // message is excluded, because repeating this packet restarts the message with some recoveries.
    if (!qp.format || !qp.oldest || qp.oldest->verb > RdmaVerb::SEND ||
        qp.sndUnaPsn < qp.oldest->firstPsn + 2)
    {
        return;
    }
    const uint64_t psn = qp.sndUnaPsn - 1;
    Frame* frame = m_core.agenda->Frames().Allocate();
    m_core.packets.FillHeaders(qp, *frame);
    frame->sourcePort = port;
    frame->flowHash = HashFiveTuple(qp.local, qp.peer, port, ROCE_UDP_PORT, 17);
    frame->tos = qp.tos;
    frame->priority = qp.priority;
    frame->opcode = qp.oldest->verb == RdmaVerb::SEND ? ROCE_SEND_MIDDLE : ROCE_WRITE_MIDDLE;
    if (qp.sack)
    {
        frame->opcode = ROCE_WRITE_ONLY;
        frame->reth.address = qp.oldest->firstByte + (psn - qp.oldest->firstPsn) * qp.mtu;
        frame->reth.key = qp.peerNumber;
        frame->reth.length = 0;
    }
    frame->psn = psn & 0xffffff;
    frame->payloadBytes = 0;
    frame->ipId = static_cast<uint16_t>(psn);
    frame->bthFlags = ROCE_ACK_REQUEST;
    frame->format = qp.format;
    RdmaPackets::OpenTelemetry(qp, *frame);
    frame->bytes = m_core.packets.DataBytes(0, frame->opcode, frame->format, qp.ipv6);
    m_pacer.ReportProbe(qp, *frame, nowNs);
    ++m_core.counts.pathProbes;
    m_core.SendFeedback(frame);
}

void
RdmaPathMover::HoldBack(RdmaQueuePair& qp, int64_t nowNs)
{
    const int64_t untilNs = m_core.settings.repathing->HoldUntilNs(qp.peer, nowNs, nowNs);
    if (untilNs > nowNs)
    {
        qp.departureNs = qp.nextSendNs = static_cast<double>(untilNs);
        m_held.push_back({qp.slot, nowNs});
        ++m_core.counts.heldFlows;
        m_core.traces.heldBack(qp, nowNs);
    }
}

void
RdmaPathMover::ReleaseHeld(uint32_t destination, int64_t nowNs)
{
    if (m_held.empty())
    {
        return;
    }
    auto over = [this, destination, nowNs](const HeldFlow& held) {
        RdmaQueuePair& qp = m_core.connections.queuePairs[held.slot];
        if (qp.sndMaxPsn > 0 || qp.nextSendNs <= static_cast<double>(nowNs))
        {
            return true;
        }
        if (qp.peer != destination)
        {
            return false;
        }
        const int64_t untilNs =
            m_core.settings.repathing->HoldUntilNs(destination, held.sinceNs, nowNs);
        qp.departureNs = qp.nextSendNs = static_cast<double>(untilNs);
        m_pacer.Reschedule(qp, nowNs);
        return untilNs <= nowNs;
    };
    m_held.erase(std::remove_if(m_held.begin(), m_held.end(), over), m_held.end());
}

} // namespace ns3
