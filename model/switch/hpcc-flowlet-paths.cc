/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-flowlet-paths.h"

#include "ns3/hpcc-type-id.h"
#include "ns3/qbb-net-device.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FlowletPaths);

TypeId
FlowletPaths::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<FlowletPaths, PathSelector>("ns3::FlowletPaths")
            .Presets("flowlet;"
                     "flowlet:least-loaded=Choice:LeastLoaded")
            .Attribute("Gap",
                       "Time without a packet of a flow after which its next packet may leave by "
                       "another port.",
                       HpccField(&FlowletPaths::m_gap, MicroSeconds(50), NanoSeconds(1)))
            .Attribute(
                "TableSize",
                "Number of entries in the table of flows; flows with the same entry share a port.",
                HpccField(&FlowletPaths::m_tableSize, 16384, 1, 1 << 24))
            .Attribute("Choice",
                       "Port of a new flowlet: Random, or LeastLoaded, the port with the fewest "
                       "bytes queued.",
                       HpccField(&FlowletPaths::m_choice,
                                 FlowletPaths::RANDOM,
                                 FlowletPaths::RANDOM,
                                 "Random",
                                 FlowletPaths::LEAST_LOADED,
                                 "LeastLoaded"));
    return tid;
}

FlowletPaths::FlowletPaths()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

uint32_t
FlowletPaths::Select(const Frame& frame,
                     const EcmpTable::Choices& choices,
                     const std::vector<QbbNetDevice*>& ports,
                     int64_t nowNs)
{
    if (m_table.empty())
    {
        m_table.resize(m_tableSize);
    }
    Entry& entry = m_table[frame.flowHash % m_tableSize];
    const uint16_t* end = choices.ports + choices.count;
    if (nowNs - entry.lastNs >= m_gap.GetNanoSeconds() ||
        std::find(choices.ports, end, entry.port) == end)
    {
        entry.port = Choose(choices, ports);
        ++m_flowlets;
    }
    entry.lastNs = nowNs;
    return entry.port;
}

uint32_t
FlowletPaths::Choose(const EcmpTable::Choices& choices, const std::vector<QbbNetDevice*>& ports)
{
    const uint32_t first = m_random->GetInteger(0, choices.count - 1);
    uint32_t best = choices.ports[first];
    for (uint32_t step = 1; m_choice == LEAST_LOADED && step < choices.count; ++step)
    {
        uint32_t port = choices.ports[(first + step) % choices.count];
        if (ports[port]->GetQueueBytes() < ports[best]->GetQueueBytes())
        {
            best = port;
        }
    }
    return best;
}

Multipath
FlowletPaths::GetMultipath() const
{
    return Multipath::OCCASIONAL;
}

int64_t
FlowletPaths::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

} // namespace ns3
