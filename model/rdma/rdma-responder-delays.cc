/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-responder.h"

// This file handles delayed ACKs, which occur if AckInterval is above 1.

namespace ns3
{

void
RdmaResponder::DelayAck(RdmaQueuePair& qp, Frame* frame, int64_t nowNs)
{
    if (qp.pendingAck)
    {
        FramePool::Free(qp.pendingAck);
    }
    else
    {
        const int64_t dueNs = nowNs + m_core.settings.ackDelay.GetNanoSeconds();
        m_ackTimers.Set(qp.slot, dueNs);
        m_core.ScheduleTimers(dueNs);
    }
    qp.pendingAck = frame;
}

void
RdmaResponder::EndDelay(RdmaQueuePair& qp, const Frame* frame)
{
    m_ackTimers.Remove(qp.slot);
    if (qp.pendingAck != frame)
    {
        FramePool::Free(qp.pendingAck);
    }
    qp.pendingAck = nullptr;
}

void
RdmaResponder::RunTimers(int64_t nowNs)
{
    while (m_ackTimers.TopNs() <= nowNs)
    {
        RdmaQueuePair& qp = m_core.connections.queuePairs[m_ackTimers.TopId()];
        m_ackTimers.Remove(qp.slot);
        if (qp.pendingAck)
        {
            SendAck(qp, qp.pendingAck, ROCE_SYNDROME_ACK, nowNs);
        }
    }
}

} // namespace ns3
