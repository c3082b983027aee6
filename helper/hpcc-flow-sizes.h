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
 * A distribution of flow sizes, given by points of its cumulative distribution function with
 * straight lines between them.
 *
 * A file has a point per line: a size in bytes and the share of flows of at most this size, in
 * percent. '#' begins a comment. Sizes and shares ascend, shares end at 100; flows below the first
 * point's share have the first point's size. The files of this module are in helper/data.
 */
class HpccFlowSizes
{
  public:
    /**
     * @param nameOrPath websearch, fb-hadoop, ali-storage, google-rpc, or a file
     * @return the distribution; an unreadable one throws HpccInputError with file and line
     */
    static HpccFlowSizes Load(const std::string& nameOrPath);

    /**
     * @param in text in the format of the files
     * @param name its name in messages
     */
    HpccFlowSizes(std::istream& in, const std::string& name);

    /// @return short names that Load() knows, separated by ", "
    static std::string Choices();

    /// @return mean size, bytes: the exact integral of the lines
    double GetMeanBytes() const
    {
        return m_meanBytes;
    }

    /**
     * @param share a share of the flows, 0 to 1
     * @return the size that this share of the flows does not exceed, whole bytes, at least 1
     */
    uint64_t GetBytes(double share) const;

  private:
    /// A point of the function.
    struct Point
    {
        double bytes; ///< size
        double share; ///< share of the flows that are at most so large, 0 to 1
    };

    std::vector<Point> m_points; ///< ascending
    double m_meanBytes{0};       ///< see GetMeanBytes()
};

} // namespace ns3

#endif // HPCC_FLOW_SIZES_H
