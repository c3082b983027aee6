/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-port-loads.h"

#include "hpcc-link-plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3
{

namespace
{

constexpr uint64_t OLD_ROUNDS = 16;          ///< a path is forgotten when more than this many
                                             ///< samples per known path have arrived since its
                                             ///< last sample
constexpr double VALID_ROUNDS = 2;           ///< with sparse samples, U of a port that all paths
                                             ///< share is valid for this many times T after the
                                             ///< port's last record
constexpr double LARGEST_CHANCE_QUEUE = 0.5; ///< upper limit of the queue that is attributed to
                                             ///< packets meeting by chance, in bandwidth-delay
                                             ///< products

} // namespace

HpccPortLoads::HpccPortLoads(Combine combine,
                             uint32_t values,
                             uint32_t packetBytes,
                             const HpccParameters& parameters)
    : m_combine(combine),
      m_parameters(parameters),
      m_chanceBytes(parameters.eta < 1
                        ? packetBytes * parameters.eta * parameters.eta / (2 * (1 - parameters.eta))
                        : std::numeric_limits<double>::infinity()),
      m_pathOf(values, NO_PATH),
      m_shares(values, 1.0F)
{
}

size_t
HpccPortLoads::CountPaths() const
{
    return m_used;
}

void
HpccPortLoads::FindPorts(const HpccSample& sample, uint32_t hops)
{
    for (uint32_t i = 0; i < hops; ++i)
    {
        const HopTelemetry& hop = sample.hops[i];
        const auto known = std::find_if(m_ports.begin(), m_ports.end(), [&](const Port& port) {
            return port.record.switchId == hop.switchId && port.record.portId == hop.portId;
        });
        m_hops[i] = static_cast<uint16_t>(known - m_ports.begin());
        if (known == m_ports.end())
        {
            HpccFlow::Record record{};
            record.SetIds(hop, hop.portId);
            m_ports.push_back({record, -1, m_parameters.initialU, 0, false});
        }
    }
}

bool
HpccPortLoads::IsLongest(uint32_t hops)
{
    if (++m_lists > OLD_ROUNDS * std::max<size_t>(m_used, 1))
    {
        m_longestBefore = m_longest;
        m_longest = 0;
        m_lists = 1;
    }
    m_longest = std::max(m_longest, hops);
    return hops >= m_longestBefore && hops == m_longest;
}

uint16_t
HpccPortLoads::FindPath(const HpccSample& sample, uint32_t hops)
{
    const auto same = [&](const Path& path) {
        return path.hops == hops &&
               std::equal(m_hops.begin(), m_hops.begin() + hops, path.ports.begin());
    };
    auto path = std::find_if(m_paths.begin(), m_paths.end(), same);
    if (path != m_paths.end())
    {
        return static_cast<uint16_t>(path - m_paths.begin());
    }
    path = std::find_if(m_paths.begin(), m_paths.end(), [](const Path& unused) {
        return unused.hops == 0;
    });
    if (path == m_paths.end() && m_paths.size() == MOST_PATHS)
    {
        path = std::min_element(m_paths.begin(), m_paths.end(), [](const auto& a, const auto& b) {
            return a.lastSample < b.lastSample;
        });
        Drop(*path);
    }
    if (path == m_paths.end())
    {
        path = m_paths.insert(path, Path{});
    }
    *path = {m_hops, 0, m_samples, sample.nowNs, 0, 0, 1, -1, 0, static_cast<uint8_t>(hops)};
    for (uint32_t i = 0; i < hops; ++i)
    {
        ++m_ports[m_hops[i]].paths;
    }
    ++m_used;
    return static_cast<uint16_t>(path - m_paths.begin());
}

void
HpccPortLoads::Drop(Path& path)
{
    const auto number = static_cast<uint16_t>(&path - m_paths.data());
    std::replace(m_pathOf.begin(), m_pathOf.end(), number, NO_PATH);
    for (uint32_t i = 0; i < path.hops; ++i)
    {
        --m_ports[path.ports[i]].paths;
    }
    path.hops = 0;
    --m_used;
}

void
HpccPortLoads::DropOld()
{
    for (Path& path : m_paths)
    {
        if (path.hops > 0 && m_samples - path.lastSample > OLD_ROUNDS * m_used)
        {
            Drop(path);
        }
    }
}

void
HpccPortLoads::AssignValue()
{
    const uint16_t before = m_pathOf[m_value];
    if (before == m_path)
    {
        return;
    }
    m_pathOf[m_value] = m_path;
    ++m_paths[m_path].values;
    if (before != NO_PATH && --m_paths[before].values == 0)
    {
        Drop(m_paths[before]);
    }
    Publish();
}

void
HpccPortLoads::Select(HpccFlow& flow, const HpccSample& sample, uint32_t hops)
{
    FindPorts(sample, hops);
    const bool complete = !flow.sparse || IsLongest(hops);
    m_samples += complete;
    m_path = complete ? FindPath(sample, hops) : NO_PATH;
    if (m_path != NO_PATH && m_value != NO_VALUE)
    {
        AssignValue();
    }
    else if (m_pathOf.empty())
    {
        DropOld();
    }
    const bool idle =
        m_parameters.idleGapResets && static_cast<double>(sample.idleNs) > m_parameters.baseRttNs;
    if (idle)
    {
        std::for_each(m_ports.begin(), m_ports.end(), [](Port& port) {
            port.record.counted = false;
        });
    }
    const uint64_t wrapNs = HpccLinkPlan::HalfRange(sample.telemetry->timestampModulus);
    bool known = false;
    flow.lastSampleNs = 0;
    for (uint32_t i = 0; i < hops; ++i)
    {
        const Port& port = m_ports[m_hops[i]];
        flow.records[i] = port.record;
        flow.records[i].counted =
            port.record.counted && static_cast<uint64_t>(sample.nowNs - port.atNs) <= wrapNs;
        flow.lastSampleNs = std::max(flow.lastSampleNs, port.atNs);
        known = known || port.atNs >= 0;
    }
    flow.hopCount = known ? static_cast<uint8_t>(hops) : 0;
    flow.pathId = sample.pathId;
    flow.otherPaths = m_measured;
    flow.pendingReset = HpccReset::FIRST_RECORD;
    if (static_cast<uint64_t>(sample.nowNs - flow.lastSampleNs) > wrapNs)
    {
        flow.lastSampleNs = sample.nowNs;
    }
}

double
HpccPortLoads::Update(HpccFlow& flow, const HpccSample& sample, const double* hopU)
{
    for (uint32_t i = 0; i < flow.hopCount; ++i)
    {
        Port& port = m_ports[m_hops[i]];
        const HpccFlow::Record& now = flow.records[i];
        double tau = m_parameters.baseRttNs;
        if (port.record.counted && now.counted)
        {
            tau = std::min(
                tau,
                static_cast<double>(ModularDifference(now.timestampNs,
                                                      port.record.timestampNs,
                                                      sample.telemetry->timestampModulus)));
        }
        if (hopU[i] >= 0)
        {
            const double chance = IsShared(port) ? 0 : ChanceLoad(now, port.record);
            const double weight = tau / m_parameters.baseRttNs;
            port.u = (1 - weight) * port.u + weight * std::max(hopU[i] - chance, 0.0);
            port.measured = true;
        }
        port.record = now;
        port.atNs = sample.nowNs;
    }
    if (m_path != NO_PATH)
    {
        CountSample();
    }
    MeasurePaths(sample.nowNs, flow.sparse);
    if (m_path != NO_PATH && !m_shares.empty())
    {
        Grade(sample.nowNs);
    }
    const double known = CombinePaths();
    const double u = known < 0 ? LargestOfSample(flow.hopCount) : known;
    m_measured = m_measured || u >= 0;
    return u;
}

double
HpccPortLoads::LargestOfSample(uint32_t hops) const
{
    double u = -1;
    for (uint32_t i = 0; i < hops; ++i)
    {
        const Port& port = m_ports[m_hops[i]];
        u = port.measured ? std::max(u, port.u) : u;
    }
    return u;
}

double
HpccPortLoads::ChanceLoad(const HpccFlow::Record& now, const HpccFlow::Record& before) const
{
    const auto queue =
        static_cast<double>(before.counted ? std::min(now.queue, before.queue) : now.queue);
    const bool sojourn = m_parameters.queueSignal == HpccParameters::SIGNAL_SOJOURN;
    const double queueNs = sojourn ? queue : queue * now.nsPerByte;
    const double windowNs =
        m_parameters.windowNs > 0 ? m_parameters.windowNs : m_parameters.baseRttNs; // as in line 5
    return std::min(
        {queueNs / windowNs, m_chanceBytes * now.nsPerByte / windowNs, LARGEST_CHANCE_QUEUE});
}

void
HpccPortLoads::CountSample()
{
    const double kept = 1 - 1 / (WINDOW * static_cast<double>(m_used));
    for (Path& path : m_paths)
    {
        path.weight *= kept;
    }
    m_paths[m_path].weight += 1;
    ++m_paths[m_path].samples;
    m_paths[m_path].lastSample = m_samples;
}

void
HpccPortLoads::MeasurePaths(int64_t nowNs, bool sparse)
{
    const double validNs = sparse
                               ? VALID_ROUNDS * m_parameters.baseRttNs * static_cast<double>(m_used)
                               : std::numeric_limits<double>::infinity();
    m_sharedU = -1;
    for (Path& path : m_paths)
    {
        path.u = -1;
        path.capacity = std::numeric_limits<double>::infinity();
        for (uint32_t i = 0; i < path.hops; ++i)
        {
            const Port& port = m_ports[path.ports[i]];
            if (!port.measured || static_cast<double>(nowNs - port.atNs) * port.paths > validNs)
            {
                continue;
            }
            const bool shared = m_samples == 1 ? i + 1U == path.hops : IsShared(port);
            if (shared)
            {
                m_sharedU = std::max(m_sharedU, port.u);
            }
            if (!shared || m_combine != SHARED_AND_MEAN)
            {
                path.u = std::max(path.u, port.u);
                path.capacity =
                    std::min(path.capacity, static_cast<double>(port.record.bandwidthBps));
            }
        }
    }
}

double
HpccPortLoads::WeightedMean() const
{
    double least = std::numeric_limits<double>::infinity();
    for (const Path& path : m_paths)
    {
        least = path.u >= 0 ? std::min(least, path.u) : least;
    }
    const double most = LARGEST_EXCESS * std::max(least, m_parameters.eta);
    double sum = 0;
    double weight = 0;
    for (const Path& path : m_paths)
    {
        if (path.u >= 0)
        {
            const double part = (m_shares.empty() ? path.weight : path.share) * path.capacity;
            sum += part * std::min(path.u, most);
            weight += part;
        }
    }
    return weight > 0 ? sum / weight : -1;
}

double
HpccPortLoads::HarmonicMean() const
{
    double before = 0;
    double after = 0;
    for (const Path& path : m_paths)
    {
        if (path.u >= 0)
        {
            const double window = m_shares.empty() ? path.weight : path.share;
            before += window;
            after += window / std::max(path.u, QUIET);
        }
    }
    return before > 0 ? before / after : -1;
}

double
HpccPortLoads::ChanceOfUnknownPath() const
{
    const auto once = std::count_if(m_paths.begin(), m_paths.end(), [](const Path& path) {
        return path.hops > 0 && path.samples == 1;
    });
    return m_samples > 0 ? static_cast<double>(once) / static_cast<double>(m_samples) : 1;
}

double
HpccPortLoads::CombinePaths()
{
    if (m_combine == SHARED_AND_MEAN)
    {
        const double mean = WeightedMean();
        const double unknown = ChanceOfUnknownPath();
        return std::max(m_sharedU,
                        mean < 0 ? mean : (1 - unknown) * mean + unknown * m_parameters.eta);
    }
    if (m_combine == PER_PATH)
    {
        return HarmonicMean();
    }
    m_sorted.clear();
    double sum = 0;
    for (const Path& path : m_paths)
    {
        if (path.u >= 0)
        {
            m_sorted.push_back(path.u);
            sum += path.u;
        }
    }
    if (m_sorted.empty())
    {
        return -1;
    }
    if (m_combine == MEAN)
    {
        return sum / static_cast<double>(m_sorted.size());
    }
    const size_t last = m_sorted.size() - 1;
    const auto wanted =
        m_sorted.begin() + static_cast<std::ptrdiff_t>(m_combine == MEDIAN ? last / 2 : last);
    std::nth_element(m_sorted.begin(), wanted, m_sorted.end());
    return *wanted;
}

void
HpccPortLoads::Grade(int64_t nowNs)
{
    Path& path = m_paths[m_path];
    const auto sinceNs = static_cast<double>(nowNs - path.gradedNs);
    if (m_used < 2 || path.u < 0 || sinceNs < m_parameters.baseRttNs)
    {
        return;
    }
    path.gradedNs = nowNs;
    const bool perPath = m_combine == PER_PATH;
    const double mean = perPath ? HarmonicMean() : WeightedMean();
    const double ratio = std::max(mean, QUIET) / std::max(path.u, QUIET);
    path.share *= std::clamp(perPath ? ratio : std::sqrt(ratio), 1 / LARGEST_STEP, LARGEST_STEP);
    double largest = 0;
    for (const Path& other : m_paths)
    {
        largest = std::max(largest, other.hops > 0 ? other.share : 0);
    }
    for (Path& other : m_paths)
    {
        other.share = std::max(other.share / largest, LEAST_SHARE);
    }
    Publish();
}

void
HpccPortLoads::Publish()
{
    double known = 0;
    for (const Path& path : m_paths)
    {
        known += path.hops > 0 ? path.values : 0;
    }
    const double average = known / static_cast<double>(std::max<size_t>(m_used, 1));
    float largest = 0;
    for (size_t value = 0; value < m_shares.size(); ++value)
    {
        const uint16_t path = m_pathOf[value];
        m_shares[value] =
            path == NO_PATH
                ? 1.0F
                : static_cast<float>(m_paths[path].share * average / m_paths[path].values);
        largest = std::max(largest, m_shares[value]);
    }
    for (float& share : m_shares)
    {
        share /= largest;
    }
}

} // namespace ns3
