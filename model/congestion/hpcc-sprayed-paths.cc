/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-flow.h"

#include <algorithm>

// Selects L of a sample's path for a flow whose packets are sprayed over several paths. Such a flow
// has an L for each path.

namespace ns3
{

namespace
{

/**
 * Returns a number that identifies the path of a sample.
 * @param sample the sample
 * @param hops number of records to use
 */
uint64_t
KeyOf(const HpccSample& sample, uint32_t hops)
{
    uint64_t key = hops;
    for (uint32_t i = 0; i < hops; ++i)
    {
        const HopTelemetry& hop = sample.hops[i];
        const uint64_t id = hop.fields & TELEMETRY_SWITCH_ID ? uint64_t{hop.switchId} << 32 : 0;
        const uint64_t port = hop.fields & TELEMETRY_PORT_ID ? hop.portId : i;
        key = ((key ^ id ^ port) * 0x9e3779b97f4a7c15) ^ key >> 29;
    }
    return key;
}

} // namespace

void
HpccFlow::SelectPath(const HpccSample& sample, uint32_t hops)
{
    const uint64_t key = KeyOf(sample, hops);
    if (key == pathKey && hopCount > 0)
    {
        return;
    }
    auto find = [this](uint64_t wanted) {
        return std::find_if(paths.begin(), paths.end(), [wanted](const auto& path) {
            return path.key == wanted;
        });
    };
    if (auto old = find(pathKey); hopCount > 0 && old != paths.end())
    {
        old->lastSampleNs = lastSampleNs;
        old->pathId = pathId;
        old->records.assign(records.begin(), records.begin() + hopCount);
    }
    pathKey = key;
    auto path = find(key);
    if (path != paths.end())
    {
        std::copy(path->records.begin(), path->records.end(), records.begin());
        hopCount = static_cast<uint8_t>(path->records.size());
        lastSampleNs = path->lastSampleNs;
        pathId = path->pathId;
        otherPaths = paths.size() > 1;
        return;
    }
    otherPaths = hopCount > 0;
    if (otherPaths)
    {
        hopCount = 0;
        pendingReset = HpccReset::FIRST_RECORD;
    }
    if (paths.size() == MAX_PATHS)
    {
        paths.erase(std::min_element(paths.begin(), paths.end(), [](const auto& a, const auto& b) {
            return a.lastSampleNs < b.lastSampleNs;
        }));
    }
    paths.push_back({key, sample.nowNs, sample.pathId, {}});
}

} // namespace ns3
