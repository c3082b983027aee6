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
 * A time series of a value that changes in steps. It has few rows, and the mean of the rows is
 * exact.
 *
 * A value that lasts at least as long as the resolution gets its own row. Consecutive shorter
 * values are joined in one row, which contains their time-weighted mean, until together they have
 * lasted as long as the resolution. On average over a long time, the number of rows is at most
 * twice the time divided by the resolution. Between the starts of any two rows, the time-weighted
 * mean of the rows equals the mean of the value.
 */
class HpccSeries
{
  public:
    /// A row of a series. Its value lasts until the next row.
    struct Sample
    {
        int64_t timeNs; ///< start of the row, ns
        double value;   ///< the value, or the mean of joined values
    };

    /// Creates an empty series.
    /// @param resolutionNs shortest duration of a value with its own row, ns, at least 1
    explicit HpccSeries(int64_t resolutionNs)
        : m_resolutionNs(resolutionNs)
    {
    }

    /**
     * Makes a series of complete rows, to which no value may be added.
     * @param rows rows of the series
     */
    explicit HpccSeries(std::vector<Sample> rows)
        : m_resolutionNs(1),
          m_rows(std::move(rows))
    {
    }

    /**
     * Adds a value. Successive calls must be contiguous in time. A value that lasts 0 ns is
     * ignored; equal values of successive calls are treated as one.
     * @param fromNs start of the interval in which the value applies, ns
     * @param toNs end of this interval, ns
     * @param value value in this interval
     * @param cutsNs times, ascending, at which a row of joined values must end, ns; -1 for none
     */
    void Add(int64_t fromNs,
             int64_t toNs,
             double value,
             const std::array<int64_t, 2>& cutsNs = {-1, -1});

    /**
     * Sets the times at which rows of joined values must end, see Add(). They apply to all values
     * that are not in a row yet and to later values, until the next call of this function.
     * @param cutsNs times, ascending, ns; -1 for none
     */
    void SetCuts(const std::array<int64_t, 2>& cutsNs)
    {
        m_cutsNs = cutsNs;
    }

    /**
     * Adds a value like Add(), but keeps the times at which rows must end.
     * @param fromNs start of the interval in which the value applies, ns
     * @param toNs end of this interval, ns
     * @param value value in this interval
     */
    void AddNext(int64_t fromNs, int64_t toNs, double value)
    {
        if (toNs <= fromNs)
        {
            return;
        }
        if (value == m_last && m_endNs > m_lastNs)
        {
            m_endNs = toNs;
            return;
        }
        if (m_openNs >= 0 && m_endNs - m_openNs < m_resolutionNs && !IsCut())
        {
            // This most frequent case does the same as Settle(), but without a function call.
            m_area += m_last * static_cast<double>(m_endNs - m_lastNs);
        }
        else
        {
            Settle();
        }
        m_lastNs = fromNs;
        m_endNs = toNs;
        m_last = value;
    }

    /**
     * Returns the rows of the series, completed by the last value.
     * @param sinceNs start of the last value, ns
     * @param value the last value
     * @return all rows, ending with the last value
     */
    std::vector<Sample> GetRows(int64_t sinceNs, double value) const;

  private:
    /// Returns true if a row of joined values must end within the last value.
    bool IsCut() const
    {
        return (m_lastNs < m_cutsNs[0] && m_cutsNs[0] <= m_endNs) ||
               (m_lastNs < m_cutsNs[1] && m_cutsNs[1] <= m_endNs);
    }

    /// Moves the last value into the rows, as a row or as a part of the row of joined values.
    void Settle();
    /// Adds the last value to the row of joined values.
    /// @param untilNs end of the value, ns
    void Join(int64_t untilNs);
    /// Completes the row of joined values, if there is one.
    void Close();
    /// Appends a row, unless its value equals that of the previous row.
    /// @param row row that follows the previous row
    void Append(const Sample& row);

    int64_t m_resolutionNs;     ///< shortest duration of a value with its own row, ns
    std::vector<Sample> m_rows; ///< complete rows
    int64_t m_openNs{-1};       ///< start of the row of joined values, ns; -1: none
    double m_area{0};           ///< integral of the value over the row of joined values so far, in
                                ///< units of the value times ns
    int64_t m_lastNs{0};        ///< start of the last value, which is in no row yet, ns
    int64_t m_endNs{0};         ///< end of the last value, ns
    double m_last{0};           ///< the last value
    std::array<int64_t, 2> m_cutsNs{-1, -1}; ///< times at which rows of joined values must end, ns;
                                             ///< -1: none
};

} // namespace ns3

#endif // HPCC_SERIES_H
