/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_HISTOGRAM_H
#define HPCC_HISTOGRAM_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Counts of whole numbers in bounded memory. Numbers below 1024 are counted exactly. Larger numbers
 * are counted in bins whose width is at most 1/512 of the number.
 */
class HpccHistogram
{
  public:
    /// Counts a number.
    /// @param value number to count
    void Add(uint64_t value)
    {
        size_t bin = BinOf(value);
        if (m_counts.size() <= bin)
        {
            m_counts.resize(bin + 1, 0);
        }
        ++m_counts[bin];
        ++m_total;
        m_most = std::max(m_most, value);
    }

    /// Returns the counts by bin.
    const std::vector<uint64_t>& GetCounts() const
    {
        return m_counts;
    }

    /**
     * Adds the counts of another histogram.
     * @param counts counts by bin, as GetCounts() of the other histogram returns them
     * @param most largest number that the other histogram has counted
     */
    void Merge(const std::vector<uint64_t>& counts, uint64_t most);

    /// Returns the largest number; 0 if nothing has been counted.
    uint64_t GetMost() const
    {
        return m_most;
    }

    /// Returns the sum of all counts.
    uint64_t GetTotal() const
    {
        return m_total;
    }

    /**
     * Returns a quantile of the counted numbers, by the nearest-rank method. The quantile is
     * rounded up to the end of its bin, but is at most GetMost(). 0 if nothing has been counted.
     * @param q share of the numbers that are at most the quantile, 0 to 1
     */
    uint64_t GetQuantile(double q) const;

    /// A bin that is not empty.
    struct Step
    {
        uint64_t value; ///< smallest number of the bin
        double share;   ///< share of the counted numbers up to the end of the bin, 0 to 1
    };

    /// Returns the bins that are not empty.
    std::vector<Step> GetSteps() const;

  private:
    static constexpr uint32_t BITS = 9; ///< for k >= BITS, the numbers from 2^k to 2^(k+1) - 1 are
                                        ///< divided into 2^BITS bins

    /**
     * Returns the bin of a number.
     * @param value the number
     */
    static size_t BinOf(uint64_t value)
    {
        uint32_t shift = 0;
        if (value >> (BITS + 1))
        {
            shift = 63 - __builtin_clzll(value) - BITS;
        }
        return (size_t{shift} << BITS) + (value >> shift);
    }

    /**
     * Returns the smallest number that a bin counts.
     * @param bin index of the bin, from 0
     */
    static uint64_t ValueOf(size_t bin);

    std::vector<uint64_t> m_counts; ///< counts by bin
    uint64_t m_total{0};            ///< sum of all counts
    uint64_t m_most{0};             ///< largest number
};

} // namespace ns3

#endif // HPCC_HISTOGRAM_H
