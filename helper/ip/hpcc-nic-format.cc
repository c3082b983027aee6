/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-nic-format.h"

#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-class-telemetry.h"
#include "ns3/hpcc-inflight.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-nic-packets.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-reflection-ids.h"
#include "ns3/hpcc-telemetry-agent.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

/// Returns the bytes that the records of a number of switches add to a packet.
uint32_t
RecordBytes(const TelemetryFormat& format, uint32_t switches)
{
    if (format.GetCapabilities().pathExtreme || !format.GetSwitchAgent().empty())
    {
        return 0; // all hops share one record
    }
    TelemetryStack stack;
    format.Open(stack, {0, 0, 0});
    const uint32_t without = format.GetWireBytes(stack);
    HopSnapshot hop{};
    hop.ttl = 64;
    for (uint32_t i = 0; i < switches; ++i)
    {
        format.Insert(stack, hop, UINT16_MAX);
    }
    return format.GetWireBytes(stack) - without;
}

/**
 * Refuses switches that insert at most one record per port and TelemetryAgent::Interval. If several
 * flows used a port, most probes would get no record, and flows without records would not slow
 * down.
 * @param fabric the network
 * @param name name of the format
 */
void
CheckThinning(const HpccFabricHelper& fabric, const std::string& name)
{
    for (uint32_t node = 0; node < fabric.GetTopology().GetNodes(); ++node)
    {
        const auto agent = fabric.GetNodes().Get(node)->GetObject<TelemetryAgent>();
        StringValue insertion;
        StringValue scope;
        if (agent)
        {
            agent->GetAttribute("Insertion", insertion);
            agent->GetAttribute("IntervalScope", scope);
        }
        HPCC_REFUSE_IF(insertion.Get() == "Interval" && scope.Get() == "EachPort",
                       "telemetry format " + name +
                           ": ns3::TelemetryAgent::Insertion is Interval with IntervalScope "
                           "EachPort, which leaves most flows of TCP and UDP without "
                           "records; allowed are IntervalScope EachFlow, and Insertion "
                           "Always or Congestion");
    }
}

/// Returns the scope of the bandwidth in the records of a network's switches.
TelemetryAgent::Bandwidth
FindBandwidth(const HpccFabricHelper& fabric)
{
    for (uint32_t node = 0; node < fabric.GetTopology().GetNodes(); ++node)
    {
        if (const auto agent = fabric.GetNodes().Get(node)->GetObject<TelemetryAgent>())
        {
            return agent->GetBandwidth();
        }
    }
    return TelemetryAgent::LINE_RATE;
}

/**
 * Makes a function that refuses a path if a data packet with the records of all switches of the
 * path would be larger than the smallest Mtu of all ports.
 * @param fabric the network
 * @param source the sender
 * @param format telemetry of the packets
 * @param dataBytes size of the packets without records, bytes
 * @return the check, as in HpccFabricHelper::MakePeerCheck()
 */
std::function<std::string(uint32_t)>
MakeRoomCheck(const HpccFabricHelper& fabric,
              uint32_t source,
              const TelemetryFormat& format,
              uint32_t dataBytes)
{
    uint32_t mtu = UINT32_MAX;
    for (const auto& device : fabric.GetDevices())
    {
        mtu = device ? std::min<uint32_t>(mtu, device->GetWireMtu()) : mtu;
    }
    std::map<uint32_t, std::string> refused; // by address
    if (dataBytes + RecordBytes(format, MAX_TELEMETRY_HOPS) > mtu)
    {
        for (const uint32_t host : fabric.GetTopology().GetHosts())
        {
            const uint32_t switches = host == source ? 0 : fabric.GetPath(source, host).hops - 1;
            const uint32_t bytes = dataBytes + RecordBytes(format, switches);
            if (bytes > mtu)
            {
                refused[HpccFabricHelper::GetAddress(host)] =
                    "packets of " + std::to_string(dataBytes) + " bytes from host " +
                    std::to_string(source) + " to host " + std::to_string(host) + " have " +
                    std::to_string(bytes) + " bytes with the telemetry of " +
                    std::to_string(switches) + (switches == 1 ? " switch" : " switches") +
                    ", but ns3::QbbNetDevice::Mtu is " + std::to_string(mtu) +
                    "; allowed are smaller packets or an Mtu of that or more";
            }
        }
    }
    return [refused](uint32_t address) {
        const auto found = refused.find(address);
        return found == refused.end() ? std::string() : found->second;
    };
}

} // namespace

Ptr<TelemetryFormat>
FindNicFormat(const std::string& name)
{
    ObjectFactory factory;
    HPCC_REFUSE_IF(
        !HpccPresets::Find(TelemetryFormat::GetTypeId(), name, factory),
        DescribeUnknownPreset("--telemetry: unknown format", name, TelemetryFormat::GetTypeId()));
    auto format = factory.Create<TelemetryFormat>();
    const std::string why = HpccNicPackets::Validate(*format);
    HPCC_REFUSE_IF(!why.empty(), "--telemetry " + name + ": " + why);
    return format;
}

HpccFabricHelper::PolicySpec
MakeNicSpec(const HpccFabricHelper& fabric,
            const std::string& name,
            Ptr<TelemetryFormat> format,
            Ptr<HpccIpNic> nic,
            const NicLaw& law)
{
    const std::string why = law.validate(*format);
    HPCC_REFUSE_IF(!why.empty(), why);
    ReflectionIds::Check(*format);
    for (uint32_t host : fabric.GetTopology().GetHosts())
    {
        HPCC_REFUSE_IF(format->GetMarking().ipv6 &&
                           !fabric.GetNodes().Get(host)->GetObject<Ipv6L3Protocol>(),
                       "telemetry format " + name + " exists in IPv6 only, and host " +
                           std::to_string(host) + " has no IPv6");
    }
    UintegerValue dscp; // DSCP of probes. If probes carry the telemetry, this DSCP selects the same
                        // priority as data
    nic->GetAttribute("ProbeDscp", dscp);
    if (format->GetMarking().dscp >= 0)
    {
        format->SetAttribute("Dscp", dscp);
    }
    if (format->GetSwitchAgent().empty())
    {
        CheckThinning(fabric, name);
    }
    HpccClassTelemetry{law.name,
                       HpccInflight::NeedsBandwidth(law.parameters, format->GetCapabilities()),
                       false,
                       name,
                       *format}
        .Check(FindBandwidth(fabric));
    HpccFabricHelper::PolicySpec spec;
    spec.telemetryName = name;
    spec.dscp = static_cast<int8_t>(dscp.Get());
    spec.format = format;
    return spec;
}

void
CheckNics(const HpccFabricHelper& fabric,
          const HpccIpNic& nic,
          TypeId stack,
          const std::string& transport,
          const std::string& helper)
{
    for (const uint32_t host : fabric.GetTopology().GetHosts())
    {
        const Ptr<Node> node = fabric.GetNodes().Get(host);
        HPCC_REFUSE_IF(!node->GetObject<Object>(stack),
                       "host " + std::to_string(host) + " has no " + transport +
                           ": HpccInternetHelper comes before " + helper);
        HPCC_REFUSE_IF(node->GetObject<Object>(nic.GetInstanceTypeId()),
                       nic.GetInstanceTypeId().GetName() + ": host " + std::to_string(host) +
                           " has one already; at most one per host");
    }
    nic.CheckDscps();
}

void
InstallNic(const HpccFabricHelper& fabric,
           uint32_t host,
           Ptr<HpccIpNic> nic,
           Ptr<TelemetryFormat> format,
           uint32_t dataBytes)
{
    nic->Install(Ptr<QbbNetDevice>(&fabric.GetHost(host)->GetPort()),
                 format,
                 fabric.GetInventory(0),
                 fabric.GetNetworkBaseRttNs());
    for (uint8_t p = 0; p < PRIORITIES; ++p)
    {
        nic->SetInventory(p, fabric.GetInventory(p));
    }
    if (FindBandwidth(fabric) == TelemetryAgent::SHARE)
    {
        nic->RequireProbePriority(); // data must have this priority, because CheckFormat() has
                                     // checked only the share of this priority
    }
    nic->SetPaths(fabric.GetSwitchMultipath() == Multipath::EVERY_PACKET, fabric.GetThinning());
    const auto pathCheck = fabric.MakePeerCheck(format, host);
    if (dataBytes == 0)
    {
        nic->SetPeerCheck(pathCheck);
    }
    else
    {
        nic->SetPeerCheck([pathCheck, roomCheck = MakeRoomCheck(fabric, host, *format, dataBytes)](
                              uint32_t address) {
            const std::string why = pathCheck ? pathCheck(address) : "";
            return why.empty() ? roomCheck(address) : why;
        });
    }
    fabric.GetNodes().Get(host)->AggregateObject(nic);
}

} // namespace ns3
