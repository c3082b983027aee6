/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-spray-paths.h"

#include "ns3/hpcc-type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(SprayPaths);

TypeId
SprayPaths::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<SprayPaths, PathSelector>("ns3::SprayPaths")
                            .Presets("spray;"
                                     "spray:round-robin=Order:RoundRobin")
                            .Attribute("Order",
                                       "Choice of the port of each frame: Random, or RoundRobin, "
                                       "ports of equal cost in turn.",
                                       HpccField(&SprayPaths::m_order,
                                                 SprayPaths::RANDOM,
                                                 SprayPaths::RANDOM,
                                                 "Random",
                                                 SprayPaths::ROUND_ROBIN,
                                                 "RoundRobin"));
    return tid;
}

SprayPaths::SprayPaths()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

uint32_t
SprayPaths::Select(const Frame&,
                   const EcmpTable::Choices& choices,
                   const std::vector<QbbNetDevice*>&,
                   int64_t)
{
    if (m_order == RANDOM)
    {
        return choices.ports[m_random->GetInteger(0, choices.count - 1)];
    }
    if (m_next.size() <= choices.group)
    {
        m_next.resize(choices.group + 1, NO_TURN);
    }
    uint32_t& next = m_next[choices.group];
    next =
        next == NO_TURN ? m_random->GetInteger(0, choices.count - 1) : (next + 1) % choices.count;
    return choices.ports[next];
}

Multipath
SprayPaths::GetMultipath() const
{
    return Multipath::EVERY_PACKET;
}

int64_t
SprayPaths::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

} // namespace ns3
