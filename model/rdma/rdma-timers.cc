/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-nic-scheduler.h"
#include "rdma-pacer.h"

#include <algorithm>
#include <cmath>

// This file handles expired timers of queue pairs, and contains rarely used functions of RdmaPacer
// and RdmaNicScheduler.

namespace ns3
{

double
RdmaPacer::TruncatedNs(uint32_t bytes, double rateBps)
{
    double seconds = std::floor(std::ldexp(bytes * 8.0 / std::floor(rateBps), 64));
    seconds = std::ldexp(seconds, -64);
    double ns = std::floor(seconds * 1e9);
    return std::fma(seconds, 1e9, -ns) < 0 ? ns - 1 : ns;
}

void
RdmaPacer::ReportProbe(const RdmaQueuePair& qp, const Frame& frame, int64_t nowNs)
{
    if (const uint16_t request = qp.cc->telemetryRequest)
    {
        const RdmaSentInfo sent{nowNs, m_core.port->GetLinkBytes(frame.bytes), request};
        Raise(qp, nowNs, &RdmaCongestionOps::OnSent, sent);
    }
}

void
RdmaPacer::RunPolicyTimers(int64_t nowNs)
{
    while (m_policyTimers.TopNs() <= nowNs)
    {
        RdmaQueuePair& qp = m_core.connections.queuePairs[m_policyTimers.TopId()];
        m_policyTimers.Remove(qp.slot);
        Raise(qp, nowNs, &RdmaCongestionOps::OnTimer, nowNs, 1);
        Apply(qp, nowNs);
    }
}

RdmaQueuePair*
RdmaPacer::TakeTimedOut(int64_t nowNs)
{
    while (m_timeouts.TopNs() <= nowNs)
    {
        RdmaQueuePair& qp = m_core.connections.queuePairs[m_timeouts.TopId()];
        m_timeouts.Remove(qp.slot);
        qp.timeoutArmedNs = RdmaTimerHeap::NEVER;
        if (qp.progressNs == RdmaQueuePair::NOT_RUNNING)
        {
            continue;
        }
        if (qp.TimeoutNs() <= nowNs)
        {
            return &qp;
        }
        qp.timeoutArmedNs = qp.TimeoutNs();
        m_timeouts.Set(qp.slot, qp.timeoutArmedNs);
    }
    return nullptr;
}

void
RdmaNicScheduler::Remove(RdmaQueuePair& qp, uint32_t index)
{
    using Schedule = RdmaQueuePair::Schedule;
    if (qp.schedule == Schedule::PACED)
    {
        m_paced.Remove(index);
    }
    else if (qp.schedule == Schedule::READY)
    {
        Ring& ring = m_rings[qp.priority];
        ring.erase(std::find(ring.begin(), ring.end(), &qp));
        m_ready &= ring.empty() ? ~(1U << qp.priority) : UINT8_MAX;
    }
    qp.schedule = Schedule::IDLE;
}

} // namespace ns3
