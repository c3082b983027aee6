/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-return.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaReturn);

TypeId
RdmaReturn::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaReturn").SetParent<RdmaFeedbackPart>().SetGroupName("Hpcc");
    return tid;
}

} // namespace ns3
