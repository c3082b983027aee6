/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-series.h"

namespace ns3
{

void
HpccSeries::Add(int64_t fromNs, int64_t toNs, double value, const std::array<int64_t, 2>& cutsNs)
{
    if (toNs > fromNs)
    {
        SetCuts(cutsNs);
        AddNext(fromNs, toNs, value);
    }
}

void
HpccSeries::Settle()
{
    if (m_endNs - m_lastNs >= m_resolutionNs)
    {
        Close();
        Append({m_lastNs, m_last});
        m_lastNs = m_endNs;
        return;
    }
    for (int64_t cutNs : m_cutsNs)
    {
        if (m_lastNs < cutNs && cutNs <= m_endNs)
        {
            Join(cutNs);
            Close();
        }
    }
    Join(m_endNs);
    if (m_openNs >= 0 && m_endNs - m_openNs >= m_resolutionNs)
    {
        Close();
    }
}

void
HpccSeries::Join(int64_t untilNs)
{
    if (m_lastNs < untilNs)
    {
        m_openNs = m_openNs < 0 ? m_lastNs : m_openNs;
        m_area += m_last * static_cast<double>(untilNs - m_lastNs);
        m_lastNs = untilNs;
    }
}

void
HpccSeries::Close()
{
    if (m_openNs >= 0)
    {
        Append({m_openNs, m_area / static_cast<double>(m_lastNs - m_openNs)});
        m_openNs = -1;
        m_area = 0;
    }
}

void
HpccSeries::Append(const Sample& row)
{
    if (m_rows.empty() || m_rows.back().value != row.value)
    {
        m_rows.push_back(row);
    }
}

std::vector<HpccSeries::Sample>
HpccSeries::GetRows(int64_t sinceNs, double value) const
{
    HpccSeries all = *this;
    if (m_endNs > m_lastNs && value == m_last)
    {
        sinceNs = m_lastNs;
    }
    else
    {
        all.Settle();
    }
    all.Close();
    all.Append({sinceNs, value});
    return all.m_rows;
}

} // namespace ns3
