/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-ranks.h"

#include "ns3/hpcc-type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(HpccRanks);

TypeId
HpccRanks::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<HpccRanks, Object>("ns3::HpccRanks");
    return tid;
}

ObjectFactory
HpccRanks::GetScheduler()
{
    return ObjectFactory("ns3::PriorityQueueScheduler");
}

bool
HpccRanks::NeedsBothEnds() const
{
    return false;
}

uint32_t
HpccRanks::GetMaxPacketBytes(bool) const
{
    return UINT32_MAX;
}

void
HpccRanks::BoundDelay(int64_t)
{
}

void
HpccRanks::CatchUp()
{
}

} // namespace ns3
