/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-entropy.h"

#include "ns3/hpcc-type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaEntropy);

TypeId
RdmaEntropy::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<RdmaEntropy, Object>("ns3::RdmaEntropy")
            .Attribute("Evs",
                       "Number of entropy values that packets of a queue pair use.",
                       OfConnect(HpccField(&RdmaEntropy::m_values, 64, 1, MAX_VALUES)));
    return tid;
}

HpccAttribute
RdmaEntropy::OfConnect(const HpccAttribute& attribute)
{
    return attribute.FixedAfter<RdmaEntropy>(
        "the first Connect() of a host that uses the object",
        [](const RdmaEntropy& entropy) { return entropy.IsFixed(); });
}

std::string
RdmaEntropy::Validate() const
{
    if (!NeedsPowerOfTwo() || (m_values & (m_values - 1)) == 0)
    {
        return "";
    }
    return GetInstanceTypeId().GetName() + "::Evs " + std::to_string(m_values) +
           " is no power of two; allowed are 1, 2, 4 to " + std::to_string(MAX_VALUES);
}

} // namespace ns3
