/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-xcp-law.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

XcpLaw::XcpLaw(const XcpParameters& parameters, double lineRateBps, double rttNs)
    : m_parameters(parameters),
      m_bytesPerNs(lineRateBps / 8e9),
      m_rttNs(rttNs),
      m_intervalNs(IntervalNs()),
      m_endNs(m_intervalNs),
      m_queueEndNs(m_intervalNs)
{
}

int64_t
XcpLaw::IntervalNs() const
{
    return std::max<int64_t>(std::llround(std::min(m_rttNs, m_parameters.longestIntervalNs)), 1);
}

void
XcpLaw::CatchUp(int64_t nowNs, uint64_t queueBytes)
{
    while (nowNs >= std::min(m_endNs, m_queueEndNs))
    {
        if (m_queueEndNs <= m_endNs)
        {
            UpdateQueue(queueBytes);
            continue;
        }
        const bool silent = m_bytes == 0;
        Update();
        if (silent && nowNs >= m_endNs)
        {
            const int64_t skipped = (nowNs - m_endNs) / m_intervalNs * m_intervalNs;
            m_endNs += skipped;
            m_queueEndNs += skipped;
        }
    }
}

void
XcpLaw::Arrive(uint32_t bytes, uint64_t queueBytes)
{
    m_bytes += bytes;
    m_leastQueue = std::min(m_leastQueue, queueBytes);
}

void
XcpLaw::Count(uint32_t bytes, const Flow& flow)
{
    const double share = flow.rttNs * bytes / flow.cwndBytes;
    m_ourBytes += bytes;
    m_sum += share;
    m_rttSum += flow.rttNs * share;
}

void
XcpLaw::UpdateQueue(uint64_t queueBytes)
{
    m_leastQueue = std::min(m_leastQueue, queueBytes);
    m_persistentQueue = static_cast<double>(m_leastQueue);
    m_leastQueue = queueBytes;
    const double queueNs = static_cast<double>(queueBytes) / m_bytesPerNs;
    m_queueEndNs += std::max<int64_t>(std::llround(std::max(m_rttNs - queueNs, m_rttNs / 10)), 1);
}

void
XcpLaw::Update()
{
    if (m_sum > 0)
    {
        m_lastSum = m_sum;
        m_lastBytes = m_ourBytes;
        m_rttNs = m_rttSum / m_sum;
    }
    const double arrival = static_cast<double>(m_bytes) / static_cast<double>(m_intervalNs);
    m_phi = m_parameters.alpha * m_rttNs * (m_bytesPerNs - arrival) -
            m_parameters.beta * m_persistentQueue; // equation 1
    m_shuffled =
        std::max(0.0, m_parameters.gamma * arrival * m_rttNs - std::abs(m_phi)); // equation 2
    // Equations 1 and 2 are for one round trip. An interval shorter than a round trip distributes a
    // proportional part.
    const double part = std::min(1.0, m_parameters.longestIntervalNs / m_rttNs);
    m_positivePool = part * (m_shuffled + std::max(m_phi, 0.0)) / m_rttNs;
    m_negativePool = part * (m_shuffled + std::max(-m_phi, 0.0)) / m_rttNs;
    m_positive = m_lastSum > 0 ? m_positivePool / m_lastSum : 0;     // equation 6
    m_negative = m_lastBytes > 0 ? m_negativePool / m_lastBytes : 0; // equation 9

    m_intervalNs = IntervalNs();
    m_endNs += m_intervalNs;
    m_bytes = 0;
    m_ourBytes = 0;
    m_sum = 0;
    m_rttSum = 0;
}

double
XcpLaw::Depart(uint32_t bytes, const Flow& flow, double wantedBytes)
{
    const double wanted = wantedBytes / flow.rttNs;
    double positive =
        std::min(m_positivePool, m_positive * flow.rttNs * bytes / flow.cwndBytes); // equation 4
    double negative = std::min(m_negativePool, m_negative * bytes);                 // equation 7
    const double feedback = positive - negative;
    if (wanted < feedback)
    {
        negative = std::min(m_negativePool, negative + (feedback - wanted));
        positive = std::max(wanted + negative, 0.0);
    }
    m_positivePool = std::max(m_positivePool - positive, 0.0);
    m_negativePool -= negative;
    return std::min(wanted, feedback) * flow.rttNs;
}

} // namespace ns3
