/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-path-loads.h"

#include <algorithm>

namespace ns3
{

RdmaPathLoads::RdmaPathLoads(int64_t baseRttNs)
{
    HpccParameters parameters;
    parameters.baseRttNs = static_cast<double>(baseRttNs);
    parameters.queueFilter = HpccParameters::QUEUE_AUTO;
    parameters.firstSample = HpccParameters::FIRST_ESTIMATE;
    parameters.perHop = true;
    parameters.initialU = 0;
    m_law.SetParameters(parameters);
}

uint64_t
RdmaPathLoads::KeyOf(const RdmaAckInfo& ack)
{
    uint64_t key = ack.hopCount;
    for (uint32_t i = 0; i < ack.hopCount; ++i)
    {
        const uint64_t link = uint64_t{ack.hops[i].switchId} << 32 | ack.hops[i].portId;
        key = ((key ^ link) * 0x9e3779b97f4a7c15) ^ key >> 29;
    }
    return std::max<uint64_t>(key, 1);
}

RdmaPathLoads::Path*
RdmaPathLoads::Find(uint64_t key)
{
    auto found = std::find_if(m_paths.begin(), m_paths.end(), [key](const auto& path) {
        return path->key == key;
    });
    return found == m_paths.end() ? nullptr : found->get();
}

RdmaPathLoads::Path&
RdmaPathLoads::Record(uint64_t key, const RdmaAckInfo& ack)
{
    Path* path = Find(key);
    if (!path)
    {
        if (m_paths.size() == MAX_PATHS)
        {
            m_paths.erase(
                std::min_element(m_paths.begin(), m_paths.end(), [](const auto& a, const auto& b) {
                    return a->recordedNs < b->recordedNs;
                }));
        }
        m_paths.push_back(std::make_unique<Path>());
        path = m_paths.back().get();
        path->key = key;
        m_law.Open(path->meter, 1, 0);
    }
    path->recordedNs = ack.nowNs;
    const auto measurement = m_law.MeasureInflight(
        path->meter,
        {ack.nowNs, 0, 0, 0, ack.hops, ack.hopCount, ack.pathId, 0, ack.telemetry});
    if (measurement == HpccLaw::Measurement::VALID)
    {
        path->measuredNs = ack.nowNs;
    }
    return *path;
}

double
RdmaPathLoads::GetLoad(const Path& path, const Path* except, double addedBps)
{
    double load = 0;
    for (uint32_t i = 0; i < path.meter.hopCount; ++i)
    {
        const HpccFlow::Record& link = path.meter.records[i];
        bool counts = link.bandwidthBps > 0;
        for (uint32_t j = 0; except && counts && j < except->meter.hopCount; ++j)
        {
            const HpccFlow::Record& other = except->meter.records[j];
            counts = link.switchId != other.switchId || link.portId != other.portId;
        }
        if (counts)
        {
            load = std::max(load,
                            (*path.meter.hopWindows)[i].utilization +
                                addedBps / static_cast<double>(link.bandwidthBps));
        }
    }
    return load;
}

} // namespace ns3
