/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-hpcc-pint.h"

#include "ns3/hpcc-type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaHpccPint);

TypeId
RdmaHpccPint::GetTypeId()
{
    static TypeId tid =
        AddParameters(HpccTypeId::Of<RdmaHpccPint, RdmaHpccBase>("ns3::RdmaHpccPint"),
                      GetDefaults())
            .Presets("hpcc-pint=MaxStage:0;"
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
