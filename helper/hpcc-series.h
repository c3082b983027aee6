/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_SERIES_H
#define HPCC_SERIES_H

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * A time series of a value that changes in steps, with few rows and the right mean.
 *
 * A value that lasts at least the resolution gets a row of its own. Shorter ones that follow each
 * other are joined, until they have lasted for the resolution, in one row with their time-weighted
 * mean. There are at most two rows per resolution in the long run. The time-weighted mean of the
 * rows is that of the value, over any time that begins and ends with a row.
 */
class HpccSeries
{
  public:
    /// A row of a series. Its value lasts until the next row.
    struct Sample
    {
        int64_t timeNs; ///< when it begins, ns
        double value;   ///< the value, or the mean of short ones
    };

    /// @param resolutionNs shortest time that a value needs for a row of its own, ns, at least 1
    explicit HpccSeries(int64_t resolutionNs)
        : m_resolutionNs(resolutionNs)
    {
    }

    /**
     * Takes over rows, to which nothing is added any more.
     * @param rows rows
     */
    explicit HpccSeries(std::vector<Sample> rows)
        : m_resolutionNs(1),
          m_rows(std::move(rows))
    {
    }

    /**
     * Adds a value. Successive calls must be contiguous in time. A value that lasts 0 ns does not
     * count, and one that is added twice in a row lasts as long as both.
     * @param fromNs when it begins, ns
     * @param toNs when it ends, ns
     * @param value the value
     * @param cutsNs in ascending order, times at which a row of short values ends, ns; -1 for none
     */
    void Add(int64_t fromNs,
             int64_t toNs,
             double value,
             const std::array<int64_t, 2>& cutsNs = {-1, -1});

    /**
     * @param sinceNs when the last value began, ns
     * @param value the last value
     * @return all rows, ending with the last value
     */
    std::vector<Sample> GetRows(int64_t sinceNs, double value) const;

  private:
    /// Writes the value that was added last as rows.
    void Settle();
    /// Adds the last value to the row of short values.
    /// @param untilNs until when the value lasted, ns
    void Join(int64_t untilNs);
    /// Completes the row of short values, if there is one.
    void Close();
    /// Appends a row, unless its value is that of the row before.
    /// @param row the row
    void Append(const Sample& row);

    int64_t m_resolutionNs;                  ///< see the constructor
    std::vector<Sample> m_rows;              ///< complete rows
    int64_t m_openNs{-1};                    ///< start of the row of short values, ns; -1: none
    double m_area{0};                        ///< value times ns of that row
    int64_t m_lastNs{0};                     ///< start of what was added last and is in no row, ns
    int64_t m_endNs{0};                      ///< its end, ns
    double m_last{0};                        ///< its value
    std::array<int64_t, 2> m_cutsNs{-1, -1}; ///< see Add()
};

} // namespace ns3

#endif // HPCC_SERIES_H
