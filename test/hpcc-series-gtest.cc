/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/hpcc-series.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace ns3;

namespace
{

constexpr int64_t RESOLUTION_NS = 1000;

/// A value and its duration.
struct Step
{
    int64_t ns;   ///< duration
    double value; ///< value
};

/// @return the rows of a series whose value follows the steps, starting at time 0; the last step
/// sets the final value
std::vector<HpccSeries::Sample>
RowsOf(const std::vector<Step>& steps, const std::array<int64_t, 2>& cutsNs = {-1, -1})
{
    HpccSeries series(RESOLUTION_NS);
    int64_t fromNs = 0;
    for (size_t i = 0; i + 1 < steps.size(); ++i)
    {
        series.Add(fromNs, fromNs + steps[i].ns, steps[i].value, cutsNs);
        fromNs += steps[i].ns;
    }
    return series.GetRows(fromNs, steps.back().value);
}

/// @return the integral of rows from 0 until @p endNs
double
AreaOf(const std::vector<HpccSeries::Sample>& rows, int64_t endNs)
{
    double area = 0;
    for (size_t i = 0; i < rows.size(); ++i)
    {
        const int64_t toNs = i + 1 < rows.size() ? std::min(rows[i + 1].timeNs, endNs) : endNs;
        area += rows[i].value * static_cast<double>(std::max<int64_t>(0, toNs - rows[i].timeNs));
    }
    return area;
}

void
ExpectRows(const std::vector<HpccSeries::Sample>& rows,
           const std::vector<HpccSeries::Sample>& expected)
{
    ASSERT_EQ(rows.size(), expected.size());
    for (size_t i = 0; i < rows.size(); ++i)
    {
        EXPECT_EQ(rows[i].timeNs, expected[i].timeNs) << "row " << i;
        EXPECT_DOUBLE_EQ(rows[i].value, expected[i].value) << "row " << i;
    }
}

} // namespace

TEST(SeriesTest, AChangeShortlyAfterAnotherIsNotLost)
{
    // The queue changes from 5290 to 0 less than 1 us after the previous change, and stays empty.
    ExpectRows(RowsOf({{389000, 100}, {400, 5290}, {193000, 0}, {0, 7}}),
               {{0, 100}, {389000, 5290}, {389400, 0}, {582400, 7}});
}

TEST(SeriesTest, ShortValuesAreJoinedInTheirMean)
{
    ExpectRows(RowsOf({{600, 10}, {400, 20}, {300, 30}, {1000, 40}, {0, 50}}),
               {{0, 14}, {1000, 30}, {1300, 40}, {2300, 50}});
}

TEST(SeriesTest, AValueInterruptedFor0NsLastsOn)
{
    HpccSeries series(RESOLUTION_NS);
    series.Add(0, 700, 1);
    series.Add(700, 1400, 5);
    series.Add(1400, 1400, 9);
    series.Add(1400, 2100, 5);
    ExpectRows(series.GetRows(2100, 5), {{0, 1}, {700, 5}});
    ExpectRows(series.GetRows(2100, 6), {{0, 1}, {700, 5}, {2100, 6}});
}

TEST(SeriesTest, RowsOfShortValuesEndAtCuts)
{
    ExpectRows(RowsOf({{300, 10}, {300, 20}, {300, 30}, {2000, 40}, {0, 50}}, {450, 700}),
               {{0, 40.0 / 3}, {450, 24}, {700, 30}, {900, 40}, {2900, 50}});
}

TEST(SeriesTest, AnySeriesShowsLongValuesItsMeanAndItsLastValueInFewRows)
{
    std::mt19937_64 random(1);
    for (int run = 0; run < 200; ++run)
    {
        std::vector<Step> steps;
        int64_t endNs = 0;
        double area = 0;
        for (int i = 0; i < 300; ++i)
        {
            const uint64_t kind = random() % 8;
            const auto ns = static_cast<int64_t>(kind == 0   ? random() % 5000
                                                 : kind == 1 ? 0
                                                             : random() % 300);
            steps.push_back({ns, static_cast<double>(random() % 4) * 1000});
            endNs += ns;
            area += static_cast<double>(ns) * steps.back().value;
        }
        const int64_t cutNs = endNs / 3;
        const auto rows = RowsOf(steps, {cutNs, endNs / 2});
        EXPECT_NEAR(AreaOf(rows, endNs), area, 1e-6 * area);
        EXPECT_EQ(rows.back().value, steps.back().value);
        EXPECT_LE(rows.size(), static_cast<size_t>(2 * endNs / RESOLUTION_NS + 4));
        int64_t fromNs = 0;
        double beforeCut = 0;
        for (const Step& step : steps)
        {
            const int64_t toNs = fromNs + step.ns;
            beforeCut +=
                step.value * static_cast<double>(std::clamp<int64_t>(cutNs - fromNs, 0, step.ns));
            if (step.ns >= RESOLUTION_NS)
            {
                for (size_t i = 0; i < rows.size(); ++i)
                {
                    const int64_t rowEndNs = i + 1 < rows.size() ? rows[i + 1].timeNs : endNs;
                    if (rows[i].timeNs < toNs && rowEndNs > fromNs)
                    {
                        EXPECT_EQ(rows[i].value, step.value) << "from " << rows[i].timeNs;
                    }
                }
            }
            fromNs = toNs;
        }
        EXPECT_NEAR(AreaOf(rows, cutNs), beforeCut, 1e-6 * area);
    }
}
