/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-hpcc.h"

#include "ns3/boolean.h"
#include "ns3/enum.h"
#include "ns3/hpcc-compat.h"
#include "ns3/hpcc-presets.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaHpcc);

TypeId
RdmaHpcc::GetTypeId()
{
    static TypeId tid =
        AddHpccPresets(AddParameters(TypeId("ns3::RdmaHpcc")
                                         .SetParent<RdmaHpccBase>()
                                         .SetGroupName("Hpcc")
                                         .AddConstructor<RdmaHpcc>(),
                                     GetDefaults()),
                       "hpcc;"
                       "hpcc:authors=MaxStage:0,Wai:0,N:125,MinRate:1Gbps;"
                       "hpcc:rx-rate=MaxStage:0,RateTerm:Rx;"
                       "hpcc:per-hop=MaxStage:0,PerHop:true;"
                       "hpcc:per-ack=MaxStage:0,Reaction:PerAck;"
                       "hpcc:per-rtt=MaxStage:0,Reaction:PerRtt")
            .AddAttribute(
                "RateTerm",
                "Rate that line 5 adds to the queue: departures or arrivals.",
                EnumValue(HpccParameters::RATE_TX),
                MakeHpccEnumAccessor<HpccParameters::RateTerm>(&RdmaHpcc::m_rateTerm),
                MakeEnumChecker(HpccParameters::RATE_TX, "Tx", HpccParameters::RATE_RX, "Rx"))
            .AddAttribute("Reaction",
                          "How the window follows U between two commits.",
                          EnumValue(HpccParameters::REACT_REFERENCE),
                          MakeHpccEnumAccessor<HpccParameters::Reaction>(&RdmaHpcc::m_reaction),
                          MakeEnumChecker(HpccParameters::REACT_REFERENCE,
                                          "Reference",
                                          HpccParameters::REACT_PER_ACK,
                                          "PerAck",
                                          HpccParameters::REACT_PER_RTT,
                                          "PerRtt"))
            .AddAttribute("SkipEmptyHops",
                          "Whether acknowledgements between two commits ignore hops whose record "
                          "says an empty queue.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaHpcc::m_skipEmptyHops),
                          MakeBooleanChecker());
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

HpccParameters
RdmaHpcc::GetParameters() const
{
    HpccParameters parameters = RdmaHpccBase::GetParameters();
    parameters.rateTerm = m_rateTerm;
    parameters.reaction = m_reaction;
    parameters.skipEmptyHops = m_skipEmptyHops;
    return parameters;
}

std::string
RdmaHpcc::Validate(int64_t baseRttNs, const TelemetryCapabilities* telemetry) const
{
    const std::string why = RdmaHpccBase::Validate(baseRttNs, telemetry);
    if (!why.empty() || !m_skipEmptyHops)
    {
        return why;
    }
    const std::string name = GetInstanceTypeId().GetName() + "::SkipEmptyHops true ";
    if (telemetry->pathExtreme || TakesSojourn() || !(telemetry->fields & TELEMETRY_QUEUE))
    {
        return name + "needs the queue length of each hop, which the telemetry format does not "
                      "carry or QueueSignal does not take; false is allowed";
    }
    if (m_reaction != HpccParameters::REACT_REFERENCE)
    {
        return name + "needs Reaction Reference; others do not react between two commits";
    }
    return "";
}

} // namespace ns3
