/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-nic-format.h"

#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-nic-packets.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-reflection-ids.h"
#include "ns3/hpcc-telemetry-inventory.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/object-factory.h"
#include "ns3/uinteger.h"

namespace ns3
{

void
RequireNetwork(const std::string& helper, const HpccFabricHelper& fabric)
{
    if (fabric.GetNodes().GetN() == 0)
    {
        throw HpccInputError("ns3::" + helper +
                             ": the fabric has no network yet: "
                             "HpccFabricHelper::Install() comes before " +
                             helper);
    }
}

Ptr<TelemetryFormat>
FindNicFormat(const std::string& name)
{
    ObjectFactory factory;
    if (!HpccPresets::Find(TelemetryFormat::GetTypeId(), name, factory))
    {
        throw HpccInputError(DescribeUnknownPreset("--telemetry: unknown format",
                                                   name,
                                                   TelemetryFormat::GetTypeId()));
    }
    auto format = factory.Create<TelemetryFormat>();
    const std::string why = HpccNicPackets::Validate(*format);
    if (!why.empty())
    {
        throw HpccInputError("--telemetry " + name + ": " + why);
    }
    return format;
}

Ptr<TelemetryFormat>
MakeNicFormat(const HpccFabricHelper& fabric,
              const std::string& name,
              Ptr<Object> nic,
              const NicFormatCheck& validate)
{
    auto format = FindNicFormat(name);
    AdoptNicFormat(fabric, name, format, nic, validate);
    return format;
}

void
AdoptNicFormat(const HpccFabricHelper& fabric,
               const std::string& name,
               Ptr<TelemetryFormat> format,
               Ptr<Object> nic,
               const NicFormatCheck& validate)
{
    const std::string why = validate(*format);
    if (!why.empty())
    {
        throw HpccInputError(why);
    }
    ReflectionIds::Check(*format);
    for (uint32_t host : fabric.GetTopology().GetHosts())
    {
        if (format->GetMarking().ipv6 && !fabric.GetNodes().Get(host)->GetObject<Ipv6L3Protocol>())
        {
            throw HpccInputError("telemetry format " + name + " exists in IPv6 only, and host " +
                                 std::to_string(host) + " has no IPv6");
        }
    }
    if (format->GetMarking().dscp >= 0)
    {
        UintegerValue dscp;
        nic->GetAttribute("ProbeDscp", dscp);
        format->SetAttribute("Dscp", dscp);
    }
    HpccFabricHelper::PolicySpec spec;
    spec.telemetryName = name;
    spec.format = format;
    fabric.CheckFormat(spec);
}

void
InstallNic(const HpccFabricHelper& fabric,
           uint32_t host,
           Ptr<HpccIpNic> nic,
           Ptr<TelemetryFormat> format)
{
    nic->Install(Ptr<QbbNetDevice>(&fabric.GetHost(host)->GetPort()),
                 format,
                 fabric.GetInventory(),
                 fabric.GetNetworkBaseRttNs());
    nic->SetPeerCheck(fabric.MakePeerCheck(format, host));
    fabric.GetNodes().Get(host)->AggregateObject(nic);
}

} // namespace ns3
