/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-bottleneck-picker.h"
#include "rdma-report.h"

#include "ns3/hpcc-type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaBottleneckReport);

TypeId
RdmaBottleneckReport::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<RdmaBottleneckReport, RdmaReport>("ns3::RdmaBottleneckReport")
            .Presets("packet:worst-hop")
            .Attribute("Bare",
                       "Whether only queue length, timestamp and sent bytes of the bottleneck hop "
                       "are returned, without its id. False: its whole record.",
                       HpccField(&RdmaBottleneckReport::m_bare, false));
    return tid;
}

std::unique_ptr<RdmaReport::Flow>
RdmaBottleneckReport::Open(int64_t networkBaseRttNs) const
{
    return std::make_unique<RdmaBottleneckPicker>(networkBaseRttNs);
}

} // namespace ns3
