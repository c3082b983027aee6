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

double
HpccJobBound::WireNs(uint64_t wireBytes, uint64_t rateBps)
{
    return static_cast<double>(wireBytes) * 8e9 / static_cast<double>(rateBps);
}

int64_t
HpccJobBound::ArriveNs(const HpccJobTransport::Message& message, int64_t nowNs)
{
    const uint32_t source = m_hosts[message.source];
    const uint32_t destination = m_hosts[message.destination];
    const uint64_t bytes = std::max<uint64_t>(message.bytes, 1); // HpccFabricTransport sends at
                                                                 // least 1 byte
    const auto [found, isNew] = m_alone.insert({{source, destination, bytes}, {}});
    Alone& alone = found->second;
    if (isNew)
    {
        alone.ns = m_fabric.GetIdealDeliveryNs(source, destination, bytes);
        alone.wireBytes = m_fabric.GetWireBytes(bytes);
        alone.wireNs = WireNs(alone.wireBytes, m_fabric.GetFlowRateBps(source, destination));
    }
    m_wireBytes[{source, destination}] += alone.wireBytes;
    double& arrivalNs = m_arrivalNs[{source, destination, message.tag}];
    arrivalNs = std::max(static_cast<double>(nowNs + alone.ns), arrivalNs + alone.wireNs);
    return static_cast<int64_t>(arrivalNs);
}

double
HpccJobBound::LastPacketNs(uint32_t source,
                           uint32_t destination,
                           uint64_t bytes,
                           uint64_t rateBps) const
{
    const uint64_t mtu = m_fabric.GetHost(source)->GetMtu();
    const uint64_t before = (bytes - 1) / mtu * mtu;
    const uint64_t wireBytes =
        m_fabric.GetWireBytes(bytes) - (before > 0 ? m_fabric.GetWireBytes(before) : 0);
    // The time of a single packet grows linearly with its bytes on a link, so two sizes determine
    // it.
    const uint64_t least = m_fabric.GetWireBytes(1);
    const auto leastNs = static_cast<double>(m_fabric.GetIdealDeliveryNs(source, destination, 1));
    const auto mostNs = static_cast<double>(m_fabric.GetIdealDeliveryNs(source, destination, mtu));
    const double byteNs =
        (mostNs - leastNs) / static_cast<double>(m_fabric.GetWireBytes(mtu) - least);
    return leastNs + (static_cast<double>(wireBytes) - static_cast<double>(least)) * byteNs -
           WireNs(wireBytes, rateBps);
}

int64_t
HpccJobBound::GetLoadNs() const
{
    using Links = std::vector<std::pair<uint32_t, uint16_t>>;
    std::map<Links, std::pair<uint64_t, uint64_t>> stages; // wire bytes, and rate in bit/s
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
        loadNs = std::max(loadNs, WireNs(bytes, rateBps));
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
        const auto first = m_alone.lower_bound({host, 0, 0});
        const uint64_t rateBps =
            m_fabric.GetStages(host, std::get<1>(first->first)).front().rateBps;
        double restNs = std::numeric_limits<double>::max();
        for (auto alone = first; alone != m_alone.end() && std::get<0>(alone->first) == host;
             ++alone)
        {
            const auto& [source, destination, size] = alone->first;
            restNs = std::min(restNs, LastPacketNs(source, destination, size, rateBps));
        }
        leastNs = std::max(leastNs, static_cast<int64_t>(WireNs(bytes, rateBps) + restNs));
    }
    return leastNs;
}

} // namespace ns3
