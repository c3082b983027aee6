/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-flow-sizes.h"

#include "hpcc-topology.h"

#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-split-at.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <sstream>

#ifndef HPCC_DIR
#error "HPCC_DIR must name the directory of the module"
#endif

namespace ns3
{

namespace
{

constexpr std::array NAMES = {"websearch", "fb-hadoop", "ali-storage", "google-rpc"};

/**
 * Returns a number with no more digits than necessary.
 * @param number any number
 */
std::string
TextOf(double number)
{
    std::ostringstream out;
    out << number;
    return out.str();
}

} // namespace

std::string
HpccFlowSizes::Choices()
{
    return JoinNames({NAMES.begin(), NAMES.end()});
}

HpccFlowSizes
HpccFlowSizes::Load(const std::string& nameOrPath)
{
    bool known = std::find(NAMES.begin(), NAMES.end(), nameOrPath) != NAMES.end();
    std::string path =
        known ? std::string(HPCC_DIR) + "/helper/data/" + nameOrPath + ".txt" : nameOrPath;
    std::ifstream in(path);
    HPCC_REFUSE_IF(!in,
                   "workload: cannot read \"" + path + "\"; it is a file or one of " + Choices() +
                       SuggestNearest(path, {NAMES.begin(), NAMES.end()}));
    return {in, path};
}

HpccFlowSizes::HpccFlowSizes(std::istream& in, const std::string& name)
{
    std::string text;
    uint32_t line = 0;
    auto require = [&](bool condition, const std::string& what) {
        HPCC_REFUSE_IF(!condition, name + ":" + std::to_string(line) + ": " + what);
    };
    while (std::getline(in, text))
    {
        ++line;
        std::istringstream words(text.substr(0, text.find('#')));
        Point point{};
        std::string rest;
        if (!(words >> std::ws).good())
        {
            continue;
        }
        require(words >> point.bytes >> point.share && !(words >> rest),
                "a line is a size in bytes and a share in percent, not \"" + text + "\"");
        require(point.bytes >= 0 && point.bytes <= 1e15,
                "size " + TextOf(point.bytes) + " is outside 0 to 10^15 bytes");
        require(point.share >= 0 && point.share <= 100,
                "share " + TextOf(point.share) + " is outside 0 to 100 %");
        point.share /= 100;
        require(m_points.empty() ||
                    (point.bytes >= m_points.back().bytes && point.share >= m_points.back().share),
                "sizes and shares must not decrease, but " + text + " follows a larger one");
        m_points.push_back(point);
    }
    require(!m_points.empty(), "there is no point of a distribution");
    const std::string last = "the last share is " + TextOf(100 * m_points.back().share);
    require(std::abs(m_points.back().share - 0.01) > 1e-12,
            last + ", not 100: shares are in percent, not fractions of 1");
    require(m_points.back().share == 1, last + " %, not 100: the file is truncated");
    require(m_points.back().bytes >= 1, "all sizes are 0");
    // GetBytes() raises sizes below 1 to 1.
    m_meanBytes = std::max(m_points.front().bytes, 1.0) * m_points.front().share;
    for (size_t i = 1; i < m_points.size(); ++i)
    {
        m_meanBytes += (m_points[i].share - m_points[i - 1].share) *
                       std::max((m_points[i].bytes + m_points[i - 1].bytes) / 2, 1.0);
    }
}

uint64_t
HpccFlowSizes::GetBytes(double share) const
{
    auto upper =
        std::lower_bound(m_points.begin(),
                         m_points.end(),
                         share,
                         [](const Point& point, double value) { return point.share < value; });
    double bytes = m_points.back().bytes;
    if (upper == m_points.begin())
    {
        bytes = upper->bytes;
    }
    else if (upper != m_points.end())
    {
        const Point& lower = *(upper - 1);
        bytes = lower.bytes +
                (upper->bytes - lower.bytes) * (share - lower.share) / (upper->share - lower.share);
    }
    return static_cast<uint64_t>(std::max(1.0, std::floor(bytes)));
}

} // namespace ns3
