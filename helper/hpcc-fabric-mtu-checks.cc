/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-fabric-checks.h"
#include "hpcc-fabric-ways.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-roce-headers.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// The part of HpccFabricHelper that refuses frames that do not fit the MTUs of switches.

namespace ns3
{

bool
HpccFabricHelper::Checks::FitsAllPorts(const Ptr<TelemetryFormat>& format, uint32_t bytes)
{
    const auto [known, isNew] = m_network.fits.try_emplace({format, bytes}, true);
    for (size_t i = 0; isNew && known->second && i < m_network.devices.size(); ++i)
    {
        known->second = !m_network.devices[i] ||
                        !m_network.topology.IsSwitch(m_fabric.GetNodeOf(i)) ||
                        bytes <= m_network.devices[i]->GetMaxFrameBytes(PeekPointer(format));
    }
    return known->second;
}

HpccFabricHelper::Checks::FrameGrowth
HpccFabricHelper::Checks::GrowthOf(const PolicySpec& spec, uint32_t host) const
{
    const Ptr<RdmaHost> sender = m_fabric.GetHost(host);
    const uint32_t mtu = sender->GetMtu();
    const auto room = m_network.room.find(spec.format);
    return {mtu,
            sender->DataFrameBytes(mtu, ROCE_WRITE_ONLY, PeekPointer(spec.format)),
            spec.format ? spec.format->GetHopBytes() : 0,
            room == m_network.room.end() ? UINT32_MAX : room->second};
}

void
HpccFabricHelper::Checks::NoteTightPorts(const PolicySpec& spec, uint32_t host)
{
    if (!FitsAllPorts(spec.format, GrowthOf(spec, host).BytesWith(m_network.longestPath)))
    {
        m_network.tight.insert(spec.format);
    }
}

void
HpccFabricHelper::Checks::CheckMtus(const PolicySpec& spec,
                                    uint32_t source,
                                    uint32_t destination,
                                    const PortPair& ports,
                                    uint32_t turn,
                                    bool responses)
{
    const FrameGrowth growth = GrowthOf(spec, responses ? destination : source);
    const Ways ways(m_fabric);
    auto states = ways.LinkStates();
    auto pairs = ways.PortsLater(source, destination, ports, turn, states);
    states.insert(states.begin(),
                  {-1, std::vector<bool>(m_network.topology.GetLinks().size(), false)});
    pairs.insert(pairs.begin(), ports);
    for (size_t i = 0; i < states.size(); ++i)
    {
        const auto& down = states[i].down;
        const size_t state = i == 0 ? Ways::WHOLE : i - 1;
        const auto [mine, theirs] = pairs[i];
        const auto& tree = responses ? ways.TreeTo(source, mine, state, down)
                                     : ways.TreeTo(destination, theirs, state, down);
        const auto& first =
            responses ? m_network.edges[destination][theirs] : m_network.edges[source][mine];
        if (!down[first.link] && ways.LeadsTo(tree, first))
        {
            CheckMtus(spec, growth, tree, first.neighbour, down);
        }
    }
}

void
HpccFabricHelper::Checks::CheckMtus(const PolicySpec& spec,
                                    const FrameGrowth& growth,
                                    const Network::Tree& tree,
                                    uint32_t node,
                                    const std::vector<bool>& down) const
{
    using Place = std::tuple<uint32_t, uint32_t, uint32_t>; // switch, records of domains that the
                                                            // packet has left, and of its domain
    for (std::set<Place> at{{node, 0, 0}}; !at.empty();)
    {
        std::set<Place> next;
        for (const auto& [here, outside, inside] : at)
        {
            for (const uint16_t port : Ways(m_fabric).PortsOf(tree, here, down))
            {
                const Ptr<QbbNetDevice> device = m_fabric.GetDevice(here, port);
                const uint32_t bytes = growth.BytesWith(outside + inside + 1);
                if (device && bytes > device->GetMaxFrameBytes(PeekPointer(spec.format)))
                {
                    throw HpccInputError(
                        "ns3::QbbNetDevice::Mtu of node " + std::to_string(here) + ", port " +
                        std::to_string(port) + ", is " + std::to_string(device->GetWireMtu()) +
                        ", but frames of ns3::RdmaHost::Mtu " + std::to_string(growth.payload) +
                        (growth.perHop == 0
                             ? " need "
                             : " with telemetry " + spec.telemetryName + " of " +
                                   std::to_string(outside + inside + 1) + " switches need ") +
                        std::to_string(device->GetWireMtu() + bytes -
                                       device->GetMaxFrameBytes(PeekPointer(spec.format))) +
                        "; allowed is that or more, or a smaller ns3::RdmaHost::Mtu (--mtu)");
                }
                const uint32_t neighbour = m_network.edges[here][port].neighbour;
                const bool border = std::count(m_network.borders.begin(),
                                               m_network.borders.end(),
                                               std::pair(here, neighbour)) > 0;
                if (neighbour != tree.host)
                {
                    next.insert(border ? Place{neighbour, outside + 1, 0}
                                       : Place{neighbour, outside, inside + 1});
                }
            }
        }
        at = std::move(next);
    }
}

} // namespace ns3
