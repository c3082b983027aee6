/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-hpcc-plus-plus.h"

#include "ns3/hpcc-type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaHpccPlusPlus);

TypeId
RdmaHpccPlusPlus::GetTypeId()
{
    static TypeId tid =
        AddParameters(HpccTypeId::Of<RdmaHpccPlusPlus, RdmaHpccBase>("ns3::RdmaHpccPlusPlus"),
                      GetDefaults())
            .Presets("hpcc++;hpcc++:authors=MaxStage:0;hpcc++:sojourn=QueueSignal:Sojourn;"
                     "hpcc++:per-hop=PerHop:true");
    return tid;
}

RdmaHpccBase::Defaults
RdmaHpccPlusPlus::GetDefaults()
{
    return {MicroSeconds(5), 0};
}

RdmaHpccPlusPlus::RdmaHpccPlusPlus()
    : RdmaHpccBase(GetDefaults())
{
}

std::string
RdmaHpccPlusPlus::GetDefaultTelemetry() const
{
    return TakesSojourn() ? "int-md:latency" : "int-md";
}

} // namespace ns3
