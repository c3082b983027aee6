/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-no-congestion-control.h"

#include "ns3/hpcc-type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaNoCongestionControl);

TypeId
RdmaNoCongestionControl::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<RdmaNoCongestionControl, RdmaCongestionOps>("ns3::RdmaNoCongestionControl")
            .Presets("none");
    return tid;
}

void
RdmaNoCongestionControl::DoOpen(RdmaCongestionState&, const RdmaFlowInfo&, int64_t)
{
}

} // namespace ns3
