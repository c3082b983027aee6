/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-hpcc-pint.h"

#include "ns3/hpcc-presets.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaHpccPint);

TypeId
RdmaHpccPint::GetTypeId()
{
    static TypeId tid = AddHpccPresets(AddParameters(TypeId("ns3::RdmaHpccPint")
                                                         .SetParent<RdmaHpccBase>()
                                                         .SetGroupName("Hpcc")
                                                         .AddConstructor<RdmaHpccPint>(),
                                                     GetDefaults()),
                                       "hpcc-pint=MaxStage:0;"
                                       "hpcc-pint:authors=MaxStage:0,Wai:0,N:125,MinRate:1Gbps");
    return tid;
}

RdmaHpccBase::Defaults
RdmaHpccPint::GetDefaults()
{
    return {MicroSeconds(13), 80};
}

RdmaHpccPint::RdmaHpccPint()
    : RdmaHpccBase(GetDefaults())
{
}

std::string
RdmaHpccPint::GetDefaultTelemetry() const
{
    return "pint";
}

} // namespace ns3
