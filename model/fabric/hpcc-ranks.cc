/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-ranks.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(HpccRanks);

TypeId
HpccRanks::GetTypeId()
{
    static TypeId tid = TypeId("ns3::HpccRanks").SetParent<Object>().SetGroupName("Hpcc");
    return tid;
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

} // namespace ns3
