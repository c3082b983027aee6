/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-rcp-law.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

constexpr double FLOOR_PACKET_BYTES = 1000;

} // namespace

RcpLaw::RcpLaw(const RcpParameters& parameters, double lineRateBps, double rttNs)
    : m_parameters(parameters),
      m_targetBps(parameters.targetShare * lineRateBps),
      m_rateBps(parameters.initialShare * m_targetBps),
      m_rttNs(rttNs),
      m_intervalNs(IntervalNs()),
      m_endNs(m_intervalNs)
{
}

int64_t
RcpLaw::IntervalNs() const
{
    return std::max<int64_t>(std::llround(std::min(m_rttNs, m_parameters.longestIntervalNs)), 1);
}

void
RcpLaw::CatchUp(int64_t nowNs, uint64_t queueBytes)
{
    while (nowNs >= m_endNs)
    {
        const bool silent = m_bytes == 0;
        const double before = m_rateBps;
        Update(queueBytes);
        if (silent && m_rateBps == before && nowNs >= m_endNs)
        {
            m_endNs += (nowNs - m_endNs) / m_intervalNs * m_intervalNs + m_intervalNs;
        }
    }
}

void
RcpLaw::Arrive(uint32_t bytes, double rttNs)
{
    m_bytes += bytes;
    if (rttNs > 0)
    {
        m_rttBytes += bytes;
        m_rttSum += rttNs * bytes;
    }
}

void
RcpLaw::Update(uint64_t queueBytes)
{
    const auto interval = static_cast<double>(m_intervalNs);
    if (m_rttBytes > 0)
    {
        const double mean = m_rttSum / static_cast<double>(m_rttBytes);
        m_rttNs += std::min(interval / m_rttNs, 1.0) * (mean - m_rttNs);
    }
    const double arrivalBps = static_cast<double>(m_bytes) * 8e9 / interval;
    const double drainBps = static_cast<double>(queueBytes) * 8e9 / m_rttNs;
    const double change =
        interval / m_rttNs *
        (m_parameters.alpha * (m_targetBps - arrivalBps) - m_parameters.beta * drainBps) /
        m_targetBps;
    const double floorBps = m_parameters.minPacketsPerRtt * FLOOR_PACKET_BYTES * 8e9 / m_rttNs;
    m_rateBps = std::clamp(m_rateBps * (1 + change), std::min(floorBps, m_targetBps), m_targetBps);

    m_intervalNs = IntervalNs();
    m_endNs += m_intervalNs;
    m_bytes = 0;
    m_rttBytes = 0;
    m_rttSum = 0;
}

} // namespace ns3
