/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "destination-paths.h"

#include "ns3/hpcc-type-id.h"

using namespace ns3;

NS_OBJECT_ENSURE_REGISTERED(DestinationPaths);

TypeId
DestinationPaths::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<DestinationPaths, PathSelector>("ns3::DestinationPaths")
                            .Presets("destination");
    return tid;
}

uint32_t
DestinationPaths::Select(const Frame& frame,
                         const EcmpTable::Choices& choices,
                         const std::vector<QbbNetDevice*>&,
                         int64_t)
{
    return choices.ports[frame.destination % choices.count];
}

Multipath
DestinationPaths::GetMultipath() const
{
    return Multipath::NONE;
}
