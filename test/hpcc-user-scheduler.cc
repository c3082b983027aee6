/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-user-scheduler.h"

#include "ns3/hpcc-type-id.h"
#include "ns3/qbb-net-device.h"

using namespace ns3;

namespace hpcctest
{

NS_OBJECT_ENSURE_REGISTERED(LongestQueue);

TypeId
LongestQueue::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<LongestQueue, EgressScheduler>("ns3::hpcctest::LongestQueue")
                            .Presets("longest-queue");
    return tid;
}

uint8_t
LongestQueue::Choose(uint8_t candidates, const QbbNetDevice& port)
{
    uint8_t longest = 0;
    int64_t most = -1;
    for (uint8_t p = PRIORITIES; p-- > 0;)
    {
        const auto bytes = static_cast<int64_t>(port.GetQueueBytes(p));
        if (candidates >> p & 1 && bytes > most)
        {
            longest = p;
            most = bytes;
        }
    }
    return longest;
}

} // namespace hpcctest
