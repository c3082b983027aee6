/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-responder.h"

#include <algorithm>

// This file handles out-of-order packets and duplicates.

namespace ns3
{

bool
RdmaResponder::Restart(RdmaQueuePair& qp)
{
    uint64_t psn = qp.Sequencing().RestartAt(qp.expectedPsn, qp.messagePsn);
    if (psn == qp.expectedPsn)
    {
        return false;
    }
    qp.restarted = true;
    qp.furthestPsn = std::max(qp.furthestPsn, qp.expectedPsn);
    qp.expectedPsn = psn;
    qp.receivedBytes -= qp.messageBytes;
    qp.messageBytes = 0;
    return true;
}

void
RdmaResponder::ReceiveOutOfOrder(RdmaQueuePair& qp, Frame* frame, uint64_t psn, int64_t nowNs)
{
    ++qp.outOfOrder;
    auto fate = qp.Sequencing().OnOutOfOrder(qp.expectedPsn, psn, ArrivalOf(*frame));
    m_core.traces.outOfOrder(qp, nowNs, fate != RdmaSequencing::Fate::DROPPED);
    if (fate != RdmaSequencing::Fate::DROPPED)
    {
        qp.keeps = true;
        qp.duplicates += fate == RdmaSequencing::Fate::REPEATED;
        if (fate == RdmaSequencing::Fate::KEPT)
        {
            TraceArrival(qp, ArrivalOf(*frame), nowNs);
        }
        ++m_core.counts.naksSent;
        SendAck(qp, frame, ROCE_SYNDROME_NAK_SELECTIVE, nowNs);
        return;
    }
    Restart(qp);
    if (qp.nakSent && nowNs - qp.lastNakNs < m_core.settings.nakInterval.GetNanoSeconds())
    {
        FramePool::Free(frame);
        return;
    }
    qp.nakSent = true;
    qp.lastNakNs = nowNs;
    ++m_core.counts.naksSent;
    if (RdmaReads::IsResponse(frame->opcode))
    {
        FramePool::Free(frame);
        m_reads.RequestRest(qp);
        return;
    }
    SendAck(qp, frame, ROCE_SYNDROME_NAK_SEQUENCE, nowNs);
}

bool
RdmaResponder::ReceiveDuplicate(RdmaQueuePair& qp, Frame* frame, uint64_t psn, int64_t nowNs)
{
    ++qp.duplicates;
    if (frame->opcode == ROCE_READ_REQUEST)
    {
        m_reads.Retransmit(qp, *frame, nowNs);
    }
    if (psn != qp.messagePsn || !Restart(qp))
    {
        SendAck(qp, frame, ROCE_SYNDROME_ACK, nowNs);
        return false;
    }
    return true;
}

} // namespace ns3
