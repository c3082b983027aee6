/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-reads.h"

#include "ns3/hpcc-roce-packet.h"

namespace ns3
{

void
RdmaReads::Post(RdmaQueuePair& qp, uint64_t bytes, int64_t postedNs, int64_t nowNs)
{
    RdmaOpenReads& reads = qp.Rare().reads;
    const uint64_t address = reads.endByte;
    reads.open.push_back({qp.endPsn, address, bytes, postedNs, qp.messages});
    reads.endByte += bytes;
    m_requester.Append(qp, RdmaVerb::READ, bytes, address, nowNs);
}

void
RdmaReads::Deliver(RdmaQueuePair& qp, const RdmaArrival& arrival, int64_t nowNs)
{
    if (arrival.opcode == ROCE_READ_REQUEST)
    {
        m_core.Post(qp, nowNs, [this, &qp, bytes = arrival.readBytes](int64_t dueNs) {
            m_requester.Append(qp, RdmaVerb::READ_RESPONSE, bytes, 0, dueNs);
        });
    }
    else
    {
        Complete(qp, nowNs);
    }
}

void
RdmaReads::Complete(RdmaQueuePair& qp, int64_t nowNs)
{
    if (const RdmaRead* read = qp.CurrentRead())
    {
        const RdmaMessageRecord arrived = m_core.NameHosts(
            {qp.local, qp.peer, qp.number, read->index, 0, qp.messageBytes, -1, nowNs});
        RdmaMessageRecord acknowledged = arrived;
        acknowledged.udpSourcePort = qp.udpSourcePort;
        acknowledged.postedNs = read->postedNs;
        m_core.traces.lastByteArrived(arrived);
        m_core.traces.lastByteAcknowledged(acknowledged);
        m_core.Complete(arrived,
                        [this, port = acknowledged.udpSourcePort, postedNs = acknowledged.postedNs](
                            RdmaMessageRecord complete) {
                            m_core.traces.messageDelivered(complete);
                            complete.udpSourcePort = port;
                            complete.postedNs = postedNs;
                            m_core.traces.messageAcknowledged(complete);
                        });
        qp.rare->reads.open.pop_front();
    }
}

void
RdmaReads::RequestRest(const RdmaQueuePair& qp)
{
    const RdmaRead* read = qp.CurrentRead();
    if (!read)
    {
        return;
    }
    Frame* frame = m_core.agenda->Frames().Allocate();
    m_core.packets.FillHeaders(qp, *frame);
    frame->tos = qp.tos;
    frame->priority = qp.priority;
    frame->opcode = ROCE_READ_REQUEST;
    frame->psn = read->requestPsn & 0xffffff;
    frame->payloadBytes = 0;
    frame->reth.address = qp.receivedBytes;
    frame->reth.key = qp.peerNumber;
    frame->reth.length = static_cast<uint32_t>(read->firstByte + read->bytes - qp.receivedBytes);
    frame->bytes = RoceFrameBytes(*frame);
    m_core.SendFeedback(frame);
}

void
RdmaReads::Retransmit(RdmaQueuePair& qp, const Frame& request, int64_t nowNs)
{
    // A repeated request for data of a later message is ignored, because it does not prove that all
    // data of the preceding messages have arrived.
    const RdmaMessage* message = qp.oldest;
    if (message && request.reth.address - message->firstByte < message->bytes)
    {
        const uint64_t ahead = (request.reth.address - message->firstByte) / qp.mtu;
        m_requester.GoBackTo(qp, message->firstPsn + ahead, request, nowNs);
    }
}

} // namespace ns3
