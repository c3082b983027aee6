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

namespace
{

constexpr uint64_t RETH_BYTES = 16; ///< RDMA extended transport header

} // namespace

HpccJobBound::HpccJobBound(const HpccFabricHelper& fabric, std::vector<uint32_t> hosts)
    : m_fabric(fabric),
      m_hosts(std::move(hosts))
{
}

double
HpccJobBound::WireNs(uint64_t bytes, uint64_t rateBps) const
{
    return static_cast<double>(m_fabric.GetWireBytes(bytes)) * 8e9 / static_cast<double>(rateBps);
}

int64_t
HpccJobBound::ArriveNs(const HpccJobTransport::Message& message, int64_t nowNs)
{
    const uint32_t source = m_hosts[message.source];
    const uint32_t destination = m_hosts[message.destination];
    m_wireBytes[{source, destination}] += m_fabric.GetWireBytes(message.bytes);
    const auto [alone, isNew] = m_alone.insert({{source, destination, message.bytes}, {0, 0}});
    auto& [aloneNs, wireNs] = alone->second;
    if (isNew)
    {
        aloneNs = m_fabric.GetIdealDeliveryNs(source, destination, message.bytes);
        wireNs = WireNs(message.bytes, m_fabric.GetFlowRateBps(source, destination));
    }
    double& arrivalNs = m_arrivalNs[{source, destination, message.tag}];
    arrivalNs = std::max(static_cast<double>(nowNs + aloneNs), arrivalNs + wireNs);
    return static_cast<int64_t>(arrivalNs);
}

int64_t
HpccJobBound::GetLoadNs() const
{
    using Links = std::vector<std::pair<uint32_t, uint16_t>>;
    std::map<Links, std::pair<uint64_t, uint64_t>> stages; // bytes and rate
    std::map<uint32_t, uint64_t> sent;
    for (const auto& [pair, bytes] : m_wireBytes)
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
        loadNs = std::max(loadNs, static_cast<double>(bytes) * 8e9 / static_cast<double>(rateBps));
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
        const auto first = m_alone.lower_bound({host, 0, 0});
        const uint64_t rateBps =
            m_fabric.GetStages(host, std::get<1>(first->first)).front().rateBps;
        double restNs = std::numeric_limits<double>::max();
        for (auto alone = first; alone != m_alone.end() && std::get<0>(alone->first) == host;
             ++alone)
        {
            const auto [source, destination, size] = alone->first;
            const uint64_t last = (size - 1) % mtu + 1;
            // The last of several packets has no RETH. Its frame is as long as that of a single
            // packet with less payload.
            const uint64_t alike =
                size > mtu ? std::max<uint64_t>(last, RETH_BYTES + 1) - RETH_BYTES : last;
            const int64_t alikeNs = m_fabric.GetIdealDeliveryNs(source, destination, alike);
            restNs = std::min(restNs, static_cast<double>(alikeNs) - WireNs(alike, rateBps));
        }
        const double sendNs = static_cast<double>(bytes) * 8e9 / static_cast<double>(rateBps);
        leastNs = std::max(leastNs, static_cast<int64_t>(sendNs + restNs));
    }
    return leastNs;
}

} // namespace ns3
