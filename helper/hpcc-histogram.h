/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_HISTOGRAM_H
#define HPCC_HISTOGRAM_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Counts of whole numbers in bounded memory: exact below 1024; above that, in steps of at most
 * 1/512 of the number.
 */
class HpccHistogram
{
  public:
    /// Counts a number.
    /// @param value the number
    void Add(uint64_t value)
    {
        size_t bin = BinOf(value);
        if (m_counts.size() <= bin)
        {
            m_counts.resize(bin + 1, 0);
        }
        ++m_counts[bin];
        ++m_total;
    }

    /// @return how often which number was counted, by step
    const std::vector<uint64_t>& GetCounts() const
    {
        return m_counts;
    }

    /// Adds the counts of another histogram.
    /// @param counts the counts
    void Merge(const std::vector<uint64_t>& counts);

    /// @return numbers counted
    uint64_t GetTotal() const
    {
        return m_total;
    }

    /**
     * @param q a share, 0 to 1
     * @return smallest number that this share of the counted ones does not exceed, rounded down to
     * the step; 0 if none was counted
     */
    uint64_t GetQuantile(double q) const;

    /// A step with numbers in it.
    struct Step
    {
        uint64_t value; ///< its smallest number
        double share;   ///< share of the counted numbers up to its end, 0 to 1
    };

    /// @return the distribution
    std::vector<Step> GetSteps() const;

  private:
    static constexpr uint32_t BITS = 9; ///< resolution

    /**
     * @param value a number
     * @return its bin
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
     * @param bin a bin
     * @return its smallest number
     */
    static uint64_t ValueOf(size_t bin);

    std::vector<uint64_t> m_counts; ///< by bin
    uint64_t m_total{0};            ///< sum
};

} // namespace ns3

#endif // HPCC_HISTOGRAM_H
