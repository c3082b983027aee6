/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-switch-agent.h"

#include "ns3/hpcc-type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(SwitchAgent);

TypeId
SwitchAgent::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<SwitchAgent, Object>("ns3::SwitchAgent");
    return tid;
}

bool
SwitchAgent::SetBaseRtt(Time)
{
    return false;
}

uint64_t
SwitchAgent::GetTrimThreshold(uint32_t) const
{
    return 0;
}

int64_t
SwitchAgent::AssignStreams(int64_t)
{
    return 0;
}

int64_t
SwitchAgent::CountStreams(uint32_t) const
{
    return 0;
}

} // namespace ns3
