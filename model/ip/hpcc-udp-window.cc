/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-udp-window.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

void
HpccUdpWindow::OnAnswer(uint64_t probeBytes, uint64_t receivedBytes, int64_t sentNs, int64_t nowNs)
{
    m_settled = std::max(m_settled, std::min(probeBytes, m_sent));
    m_received = std::max(m_received, std::min(receivedBytes, m_sent));
    m_draining = m_inFlight == PRESUMED ? m_sent - m_settled : 0;
    m_answerNs = nowNs;
    m_rttNs = std::max<int64_t>(1, nowNs - sentNs);
}

void
HpccUdpWindow::GiveUp()
{
    m_settled = m_sent;
    m_draining = 0;
}

double
HpccUdpWindow::GetInFlight(int64_t nowNs) const
{
    const double share =
        std::min(1.0, static_cast<double>(nowNs - m_answerNs) / static_cast<double>(m_rttNs));
    return static_cast<double>(m_sent - m_settled) - share * static_cast<double>(m_draining);
}

int64_t
HpccUdpWindow::GetOpenNs(double windowBytes, int64_t nowNs) const
{
    if (IsSettled() || GetInFlight(nowNs) < windowBytes)
    {
        return nowNs;
    }
    const double excess = static_cast<double>(m_sent - m_settled) - windowBytes;
    const auto draining = static_cast<double>(m_draining);
    if (excess >= draining)
    {
        return NEVER;
    }
    const double waitNs = std::floor(excess / draining * static_cast<double>(m_rttNs)) + 1;
    return std::max(nowNs + 1, m_answerNs + static_cast<int64_t>(waitNs));
}

} // namespace ns3
