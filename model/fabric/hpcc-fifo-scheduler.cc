/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-fifo-scheduler.h"

#include "qbb-egress.h"
#include "qbb-net-device.h"

#include "ns3/hpcc-type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FifoScheduler);

TypeId
FifoScheduler::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<FifoScheduler, EgressScheduler>("ns3::FifoScheduler").Presets("fifo");
    return tid;
}

uint8_t
FifoScheduler::Choose(uint8_t candidates, const QbbNetDevice& port)
{
    return Oldest(candidates, port);
}

uint8_t
FifoScheduler::Oldest(uint8_t candidates, const QbbNetDevice& port)
{
    auto first = static_cast<uint8_t>(31 - __builtin_clz(candidates));
    int64_t firstNs = INT64_MAX;
    for (uint8_t p = PRIORITIES; p-- > 0;)
    {
        const Frame* head = candidates >> p & 1 ? port.GetEgress().GetHead(p) : nullptr;
        if (head && head->arrivalNs < firstNs)
        {
            first = p;
            firstNs = head->arrivalNs;
        }
    }
    return first;
}

} // namespace ns3
