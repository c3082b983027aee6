/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-path-selector.h"

#include "ns3/hpcc-type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PathSelector);

TypeId
PathSelector::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<PathSelector, Object>("ns3::PathSelector");
    return tid;
}

int64_t
PathSelector::AssignStreams(int64_t)
{
    return 0;
}

} // namespace ns3
