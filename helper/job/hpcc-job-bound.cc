/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-job-bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3
{

HpccJobBound::HpccJobBound(const HpccFabricHelper& fabric, std::vector<uint32_t> hosts)
    : m_fabric(fabric),
      m_hosts(std::move(hosts))
{
}

int64_t
HpccJobBound::ArriveNs(const HpccJobTransport::Message& message, int64_t nowNs)
{
    const uint32_t source = m_hosts[message.source];
    const uint32_t destination = m_hosts[message.destination];
    m_bytes[{source, destination}] += message.bytes;
    const auto [byteNs, isNewPath] = m_byteNs.insert({{source, destination}, 0});
    if (isNewPath)
    {
        byteNs->second = m_fabric.GetByteNs(m_fabric.GetFlowRateBps(source, destination));
    }
    const auto [aloneNs, isNew] = m_aloneNs.insert({{source, destination, message.bytes}, 0});
    if (isNew)
    {
        aloneNs->second = m_fabric.GetIdealDeliveryNs(source, destination, message.bytes);
    }
    double& arrivalNs = m_arrivalNs[{source, destination, message.tag}];
    arrivalNs = std::max(static_cast<double>(nowNs + aloneNs->second),
                         arrivalNs + static_cast<double>(message.bytes) * byteNs->second);
    return static_cast<int64_t>(arrivalNs);
}

int64_t
HpccJobBound::GetLoadNs() const
{
    using Links = std::vector<std::pair<uint32_t, uint16_t>>;
    std::map<Links, std::pair<uint64_t, uint64_t>> stages; // bytes and rate
    std::map<uint32_t, uint64_t> sent;
    for (const auto& [pair, bytes] : m_bytes)
    {
        sent[pair.first] += bytes;
        for (auto& stage : m_fabric.GetStages(pair.first, pair.second))
        {
            const auto at = stages.insert({std::move(stage.links), {0, stage.rateBps}}).first;
            at->second.first += bytes;
        }
    }
    double loadNs = 0;
    for (const auto& [links, load] : stages)
    {
        const auto& [bytes, rateBps] = load;
        loadNs = std::max(loadNs, static_cast<double>(bytes) * m_fabric.GetByteNs(rateBps));
    }
    auto leastNs = static_cast<int64_t>(loadNs);
    for (const auto& [host, bytes] : sent)
    {
        if (m_fabric.GetPorts(host) > 1)
        {
            continue;
        }
        // All bytes leave by one link. After that, the last packet still has to travel the rest of
        // its path.
        const uint64_t mtu = m_fabric.GetHost(host)->GetMtu();
        const auto first = m_aloneNs.lower_bound({host, 0, 0});
        const auto stages = m_fabric.GetStages(host, std::get<1>(first->first));
        const double byteNs = m_fabric.GetByteNs(stages.front().rateBps);
        double restNs = std::numeric_limits<double>::max();
        for (auto alone = first; alone != m_aloneNs.end() && std::get<0>(alone->first) == host;
             ++alone)
        {
            const auto [source, destination, size] = alone->first;
            const uint64_t last = (size - 1) % mtu + 1;
            const int64_t lastNs = m_fabric.GetIdealDeliveryNs(source, destination, last);
            restNs =
                std::min(restNs, static_cast<double>(lastNs) - static_cast<double>(last) * byteNs);
        }
        leastNs =
            std::max(leastNs, static_cast<int64_t>(static_cast<double>(bytes) * byteNs + restNs));
    }
    return leastNs;
}

} // namespace ns3
