/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-pacer.h"

#include <cmath>

namespace ns3
{

namespace
{

/**
 * Computes a time in the same way as ns-3 computes Seconds(8 * bytes/rate): as a double, which is
 * truncated to a multiple of 2^-64 s and then to whole ns. If the exact time is a whole number of
 * ns, the result is usually 1 ns less.
 * @param bytes bytes to send
 * @param rateBps rate, bit/s
 * @return the time, ns
 */
double
TruncatedNs(uint32_t bytes, double rateBps)
{
    double seconds = std::floor(std::ldexp(bytes * 8.0 / std::floor(rateBps), 64));
    seconds = std::ldexp(seconds, -64);
    double ns = std::floor(seconds * 1e9);
    return std::fma(seconds, 1e9, -ns) < 0 ? ns - 1 : ns;
}

} // namespace

void
RdmaPacer::Obey(const RdmaQueuePair& qp)
{
    m_policyTimers.Set(qp.slot, qp.cc->timerNs);
    if (qp.cc->timerNs != RdmaTimerHeap::NEVER)
    {
        m_core.ScheduleTimers(qp.cc->timerNs);
    }
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
RdmaPacer::Pace(RdmaQueuePair& qp) const
{
    const QbbNetDevice& port = *m_core.PortOf(qp).device;
    double bps =
        m_core.settings.paceByRate ? qp.cc->rateBps : static_cast<double>(port.GetRateBps());
    if (m_core.nic)
    {
        bps = m_core.nic->Limit(bps, port.GetRateBps());
    }
    qp.nextSendNs =
        qp.departureNs + (port.TruncatesToNanoseconds() ? TruncatedNs(qp.lastLinkBytes, bps)
                                                        : qp.lastLinkBytes * 8e9 / bps);
}

void
RdmaPacer::Reschedule(RdmaQueuePair& qp, int64_t nowNs)
{
    const RdmaHostCore::Port& port = m_core.PortOf(qp);
    int64_t atNs = port.scheduler->Update(qp, qp.slot, nowNs);
    if (atNs != RdmaTimerHeap::NEVER)
    {
        port.device->GetEgress().Kick(atNs);
    }
}

void
RdmaPacer::StartTimeout(RdmaQueuePair& qp, int64_t nowNs)
{
    qp.progressNs = nowNs;
    const int64_t atNs = qp.TimeoutNs();
    if (atNs < qp.timeoutArmedNs)
    {
        qp.timeoutArmedNs = atNs;
        m_timeouts.Set(qp.slot, atNs);
        m_core.ScheduleTimers(atNs);
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

} // namespace ns3
