/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-csig-compact-format.h"

#include "ns3/hpcc-split-at.h"
#include "ns3/hpcc-type-id.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CsigCompactFormat);

namespace
{

constexpr uint16_t ETHERTYPE = 0x9900;
constexpr uint8_t REFLECTION_ID = 64;
constexpr size_t BUCKETS = 32;

/// An attribute that lists buckets, and the unit of its numbers.
struct BucketRule
{
    const char* attribute;
    const char* unitName;
    double scale; ///< units of the signal per unit of the attribute
};

constexpr BucketRule BUCKET_RULES[] = {{"BandwidthBuckets", "Mb/s", 1},
                                       {"ShareBuckets", "percent", 1e4},
                                       {"DelayBuckets", "ns", 1}};

std::vector<double>
Geometric(double first, double ratio, size_t count)
{
    std::vector<double> edges;
    for (size_t k = 0; k < count; ++k)
    {
        edges.push_back(first * std::pow(ratio, k));
    }
    return edges;
}

/// Returns the default edges of BUCKET_RULES[unit], in the attribute's unit.
std::vector<double>
DefaultEdges(size_t unit)
{
    if (unit == 0)
    {
        return Geometric(100, 1.33, BUCKETS);
    }
    std::vector<double> edges;
    if (unit == 1)
    {
        for (size_t k = 1; k <= BUCKETS; ++k)
        {
            edges.push_back(100.0 * static_cast<double>(k) / BUCKETS);
        }
        return edges;
    }
    edges = Geometric(80, 1.35, BUCKETS - 1);
    edges.insert(edges.begin(), 0);
    return edges;
}

} // namespace

TypeId
CsigCompactFormat::GetTypeId()
{
    static TypeId tid =
        AddEtherType(HpccTypeId::Of<CsigCompactFormat, CsigFormat>("ns3::CsigCompactFormat"),
                     ETHERTYPE)
            .Attribute("BandwidthBuckets",
                       "Upper edges of the buckets of available bandwidth (ABW), Mb/s: 2 to 32 "
                       "increasing numbers. Empty: 100 times 1.33^k.",
                       HpccProperty(&CsigCompactFormat::SetBuckets<BANDWIDTH>,
                                    &CsigCompactFormat::GetBuckets<BANDWIDTH>,
                                    "")
                           .OnlyIf("UtilizationSignal", "AvailableBandwidth"))
            .Attribute("ShareBuckets",
                       "Upper edges of the buckets of the available share (ABW/C), percent: 2 to "
                       "32 increasing numbers. Empty: 32 equal steps.",
                       HpccProperty(&CsigCompactFormat::SetBuckets<SHARE>,
                                    &CsigCompactFormat::GetBuckets<SHARE>,
                                    "")
                           .OnlyIf("UtilizationSignal", "AvailableShare"))
            .Attribute("DelayBuckets",
                       "Upper edges of the buckets of delays (PD and nQD), ns: 2 to 32 increasing "
                       "numbers. Empty: 0 and 80 times 1.35^k.",
                       HpccProperty(&CsigCompactFormat::SetBuckets<DELAY>,
                                    &CsigCompactFormat::GetBuckets<DELAY>,
                                    ""))
            .Presets("csig;csig:delay=QueueSignal:HopDelay");
    return tid;
}

CsigCompactFormat::CsigCompactFormat()
    : CsigFormat({2, {13, 3}, {7, 5}, {0, 7}, 0}, {2, {13, 3}, {7, 5}, {1, 6}, 1}, REFLECTION_ID)
{
    SetBuckets<BANDWIDTH>("");
    SetBuckets<SHARE>("");
    SetBuckets<DELAY>("");
}

template <CsigFormat::Unit U>
void
CsigCompactFormat::SetBuckets(std::string text)
{
    const BucketRule& rule = BUCKET_RULES[U];
    Buckets& buckets = m_buckets[U];
    buckets.text = text;
    buckets.problem.clear();
    bool numbers = true;
    std::vector<double> edges;
    for (const std::string& part : SplitAt(text, ','))
    {
        const size_t before = edges.size();
        std::istringstream words(part);
        for (double edge; words >> edge;)
        {
            edges.push_back(edge);
        }
        numbers = numbers && words.eof() && edges.size() > before;
    }
    const bool increasing = std::is_sorted(edges.begin(), edges.end(), std::less_equal<>());
    if (!numbers || (!edges.empty() && (edges.size() < 2 || edges.size() > BUCKETS || !increasing ||
                                        !(edges[0] >= 0))))
    {
        buckets.problem = std::string(rule.attribute) + " is \"" + buckets.text +
                          "\", allowed are 2 to 32 increasing numbers, " + rule.unitName;
        edges.clear();
    }
    buckets.edges = edges.empty() ? DefaultEdges(U) : edges;
    for (double& edge : buckets.edges)
    {
        edge *= rule.scale;
    }
}

template <CsigFormat::Unit U>
std::string
CsigCompactFormat::GetBuckets() const
{
    return m_buckets[U].text;
}

uint32_t
CsigCompactFormat::Quantise(uint32_t type, double value) const
{
    const std::vector<double>& edges = m_buckets[UnitOf(type)].edges;
    auto bucket = std::lower_bound(edges.begin(), edges.end() - 1, value);
    return static_cast<uint32_t>(bucket - edges.begin());
}

double
CsigCompactFormat::GetEdge(uint32_t type, uint32_t number) const
{
    const std::vector<double>& edges = m_buckets[UnitOf(type)].edges;
    return edges[std::min<size_t>(number, edges.size() - 1)];
}

std::string
CsigCompactFormat::CheckSteps(const TelemetryNetwork& network) const
{
    const std::array<double, UNITS> needed = LargestValues(network);
    for (size_t unit = 0; unit < UNITS; ++unit)
    {
        const BucketRule& rule = BUCKET_RULES[unit];
        const Buckets& buckets = m_buckets[unit];
        if (!buckets.problem.empty())
        {
            return buckets.problem;
        }
        if (buckets.edges.back() < needed[unit])
        {
            std::ostringstream why;
            why << rule.attribute << " ends at " << buckets.edges.back() / rule.scale << " "
                << rule.unitName << ", below the " << needed[unit] / rule.scale
                << " that the network needs (line rate, 100 percent, base RTT)";
            return why.str();
        }
    }
    return "";
}

} // namespace ns3
