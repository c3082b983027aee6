/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-histogram.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

uint64_t
HpccHistogram::ValueOf(size_t bin)
{
    size_t block = bin >> BITS;
    if (block < 2)
    {
        return bin;
    }
    uint64_t mantissa = (bin & ((size_t{1} << BITS) - 1)) + (uint64_t{1} << BITS);
    return mantissa << (block - 1);
}

void
HpccHistogram::Merge(const std::vector<uint64_t>& counts, uint64_t most)
{
    m_most = std::max(m_most, most);
    m_counts.resize(std::max(m_counts.size(), counts.size()), 0);
    for (size_t bin = 0; bin < counts.size(); ++bin)
    {
        m_counts[bin] += counts[bin];
        m_total += counts[bin];
    }
}

uint64_t
HpccHistogram::GetQuantile(double q) const
{
    auto rank = static_cast<uint64_t>(std::ceil(q * static_cast<double>(m_total)));
    rank = std::max<uint64_t>(rank, 1);
    uint64_t below = 0;
    for (size_t bin = 0; bin < m_counts.size(); ++bin)
    {
        below += m_counts[bin];
        if (below >= rank)
        {
            return std::min(ValueOf(bin + 1) - 1, m_most);
        }
    }
    return 0;
}

std::vector<HpccHistogram::Step>
HpccHistogram::GetSteps() const
{
    std::vector<Step> steps;
    uint64_t below = 0;
    for (size_t bin = 0; bin < m_counts.size(); ++bin)
    {
        below += m_counts[bin];
        if (m_counts[bin] > 0)
        {
            steps.push_back(
                {ValueOf(bin), static_cast<double>(below) / static_cast<double>(m_total)});
        }
    }
    return steps;
}

} // namespace ns3
