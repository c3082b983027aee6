/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-hpcc.h"

#include "ns3/hpcc-type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaHpcc);

TypeId
RdmaHpcc::GetTypeId()
{
    static TypeId tid =
        AddParameters(HpccTypeId::Of<RdmaHpcc, RdmaHpccBase>("ns3::RdmaHpcc"), GetDefaults())
            .Presets("hpcc;"
                     "hpcc:authors=MaxStage:0,Wai:0,N:125,MinRate:1Gbps;"
                     "hpcc:rx-rate=MaxStage:0,RateTerm:Rx;"
                     "hpcc:per-hop=MaxStage:0,PerHop:true;"
                     "hpcc:per-ack=MaxStage:0,Reaction:PerAck;"
                     "hpcc:per-rtt=MaxStage:0,Reaction:PerRtt");
    return tid;
}

RdmaHpccBase::Defaults
RdmaHpcc::GetDefaults()
{
    return {MicroSeconds(13), 80};
}

RdmaHpcc::RdmaHpcc()
    : RdmaHpccBase(GetDefaults())
{
}

std::string
RdmaHpcc::GetDefaultTelemetry() const
{
    return "sigcomm19";
}

} // namespace ns3
