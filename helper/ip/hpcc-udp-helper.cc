/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-udp-helper.h"

#include "hpcc-nic-format.h"

#include "ns3/hpcc-udp-application.h"
#include "ns3/hpcc-udp-nic.h"
#include "ns3/udp-l4-protocol.h"
#include "ns3/uinteger.h"

namespace ns3
{

HpccUdpHelper::HpccUdpHelper()
{
    m_nicFactory.SetTypeId("ns3::HpccUdpNic");
    m_factory.SetTypeId("ns3::HpccUdpApplication");
}

void
HpccUdpHelper::SetNicAttribute(const std::string& name, const AttributeValue& value)
{
    m_nicFactory.Set(name, value);
}

void
HpccUdpHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    m_factory.Set(name, value);
}

void
HpccUdpHelper::SetTelemetry(const std::string& name)
{
    m_telemetry = name;
}

void
HpccUdpHelper::SetPacketSize(uint32_t bytes)
{
    m_packetBytes = bytes;
}

void
HpccUdpHelper::Install(const HpccFabricHelper& fabric)
{
    RequireNetwork("HpccUdpHelper", fabric);
    const auto& hosts = fabric.GetTopology().GetHosts();
    m_factory.Set(
        "PacketSize",
        UintegerValue(m_packetBytes ? m_packetBytes : fabric.GetHost(hosts.front())->GetMtu()));
    // MaxBytes is set here, too, so that a default of it counts as unused; Add() would ignore the
    // default.
    m_factory.Set("MaxBytes", UintegerValue(0));
    const auto sender = m_factory.Create<HpccUdpApplication>();
    const auto nic = m_nicFactory.Create<HpccUdpNic>();
    const auto format =
        MakeNicFormat(fabric, m_telemetry, nic, [&sender, &nic](const TelemetryFormat& candidate) {
            const std::string why = nic->Check(candidate);
            return why.empty() ? sender->Validate(candidate.GetCapabilities()) : why;
        });
    for (uint32_t host : hosts)
    {
        Ptr<Node> node = fabric.GetNodes().Get(host);
        if (!node->GetObject<UdpL4Protocol>())
        {
            throw HpccInputError("host " + std::to_string(host) +
                                 " has no UDP: HpccInternetHelper comes before HpccUdpHelper");
        }
        InstallNic(fabric, host, m_nicFactory.Create<HpccUdpNic>(), format);
    }
}

Ptr<Application>
HpccUdpHelper::Add(Ptr<Node> node, const Address& remote, uint64_t bytes, Time start)
{
    m_factory.Set("Remote", AddressValue(remote));
    m_factory.Set("MaxBytes", UintegerValue(bytes));
    auto sender = m_factory.Create<HpccUdpApplication>();
    if (const auto nic = node->GetObject<HpccUdpNic>())
    {
        UintegerValue tos;
        sender->GetAttribute("Tos", tos);
        nic->CheckData(static_cast<uint8_t>(tos.Get() >> 2));
        nic->CheckPeer(remote);
    }
    sender->SetStartTime(start);
    node->AddApplication(sender);
    return sender;
}

} // namespace ns3
