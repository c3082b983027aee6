/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-return.h"

#include "ns3/hpcc-type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaReturn);

TypeId
RdmaReturn::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<RdmaReturn, RdmaFeedbackPart>("ns3::RdmaReturn");
    return tid;
}

} // namespace ns3
