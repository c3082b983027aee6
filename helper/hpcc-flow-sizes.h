/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FLOW_SIZES_H
#define HPCC_FLOW_SIZES_H

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * A distribution of flow sizes. Points of its cumulative distribution function are given; between
 * two points the function is linear.
 *
 * Each line of a file contains a point: a size in bytes, and the percentage of flows of at most
 * this size. '#' begins a comment. Sizes and percentages must not decrease from line to line; the
 * last percentage is 100. If the first percentage is above 0, this percentage of the flows has the
 * size of the first point. The files of this module are in helper/data.
 */
class HpccFlowSizes
{
  public:
    /**
     * Reads a distribution.
     * @param nameOrPath websearch, fb-hadoop, ali-storage, google-rpc, or the path of a file
     * @return the distribution; if it cannot be read, throws an HpccInputError that names file and
     * line
     */
    static HpccFlowSizes Load(const std::string& nameOrPath);

    /**
     * Reads a distribution from a text. An invalid text throws HpccInputError.
     * @param in text in the format described at the class
     * @param name name for error messages
     */
    HpccFlowSizes(std::istream& in, const std::string& name);

    /// Returns the short names that Load() accepts, separated by ", ".
    static std::string Choices();

    /// Returns the mean size, bytes: the exact integral of the interpolated distribution.
    double GetMeanBytes() const
    {
        return m_meanBytes;
    }

    /**
     * Returns a quantile of the flow size, rounded down to whole bytes. The result is at least 1.
     * @param share the share, 0 to 1
     */
    uint64_t GetBytes(double share) const;

  private:
    /// A point of the cumulative distribution function.
    struct Point
    {
        double bytes; ///< size, bytes
        double share; ///< share of the flows of at most this size, 0 to 1
    };

    std::vector<Point> m_points; ///< points in the order of the file
    double m_meanBytes{0};       ///< mean size, bytes
};

} // namespace ns3

#endif // HPCC_FLOW_SIZES_H
