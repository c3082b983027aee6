/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-udp-helper.h"

#include "hpcc-ip-checks.h"
#include "hpcc-nic-format.h"

#include "ns3/hpcc-attribute-defaults.h"
#include "ns3/hpcc-factory-attribute.h"
#include "ns3/hpcc-udp-application.h"
#include "ns3/hpcc-udp-nic.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/qbb-ip-port.h"
#include "ns3/udp-l4-protocol.h"
#include "ns3/udp-socket.h"
#include "ns3/uinteger.h"

namespace ns3
{

namespace
{

constexpr uint32_t MIN_HEADERS_BYTES = 28; ///< headers of IPv4 and UDP

/// Returns true if an address belongs to a node.
bool
IsOwn(const Node& node, const Address& address)
{
    if (InetSocketAddress::IsMatchingType(address))
    {
        const auto ipv4 = node.GetObject<Ipv4>();
        return ipv4 &&
               ipv4->GetInterfaceForAddress(InetSocketAddress::ConvertFrom(address).GetIpv4()) >= 0;
    }
    const auto ipv6 = node.GetObject<Ipv6>();
    return ipv6 && Inet6SocketAddress::IsMatchingType(address) &&
           ipv6->GetInterfaceForAddress(Inet6SocketAddress::ConvertFrom(address).GetIpv6()) >= 0;
}

/// Returns the port of a socket address; 0 for other addresses.
uint16_t
PortOf(const Address& address)
{
    if (InetSocketAddress::IsMatchingType(address))
    {
        return InetSocketAddress::ConvertFrom(address).GetPort();
    }
    return Inet6SocketAddress::IsMatchingType(address)
               ? Inet6SocketAddress::ConvertFrom(address).GetPort()
               : 0;
}

/**
 * Refuses a default receive buffer of ns-3's UDP sockets that is smaller than a datagram. Such
 * sockets would drop every datagram, after ports have counted it as received.
 * @param packetBytes payload of a datagram, bytes
 */
void
CheckSockets(uint64_t packetBytes)
{
    TypeId::AttributeInformation buffer;
    UdpSocket::GetTypeId().LookupAttributeByName("RcvBufSize", &buffer);
    const uint64_t bytes = DynamicCast<const UintegerValue>(buffer.initialValue)->Get();
    HPCC_REFUSE_IF(bytes < packetBytes,
                   "ns3::UdpSocket::RcvBufSize is " + std::to_string(bytes) +
                       ", allowed is at least " + std::to_string(packetBytes) +
                       ", as datagrams of ns3::HpccUdpApplication::PacketSize " +
                       std::to_string(packetBytes) + " have that many bytes of payload");
}

} // namespace

HpccUdpHelper::HpccUdpHelper()
{
    m_nicFactory.SetTypeId("ns3::HpccUdpNic");
    m_factory.SetTypeId("ns3::HpccUdpApplication");
}

void
HpccUdpHelper::SetNicAttribute(const std::string& name, const AttributeValue& value)
{
    RequireBeforeInstall("HpccUdpHelper::SetNicAttribute", m_installed);
    SetFactoryAttribute(m_nicFactory, name, value);
}

void
HpccUdpHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    RequireNotSetBy(
        "HpccUdpHelper::SetAttribute",
        name,
        {{"PacketSize", "SetPacketSize()"}, {"Remote", "Add()"}, {"MaxBytes", "Add()"}});
    SetFactoryAttribute(m_factory, name, value);
}

void
HpccUdpHelper::SetTelemetry(const std::string& name)
{
    RequireBeforeInstall("HpccUdpHelper::SetTelemetry", m_installed);
    m_telemetry = name;
}

void
HpccUdpHelper::SetPacketSize(uint32_t bytes)
{
    RequireBeforeInstall("HpccUdpHelper::SetPacketSize", m_installed);
    TypeId::AttributeInformation size;
    HpccUdpApplication::GetTypeId().LookupAttributeByName("PacketSize", &size);
    HPCC_REFUSE_IF(bytes != 0 && !size.checker->Check(UintegerValue(bytes)),
                   "ns3::HpccUdpHelper::SetPacketSize: " + std::to_string(bytes) +
                       " is not allowed; " + DescribeValues(*size.checker) +
                       ", or 0 for ns3::RdmaHost::Mtu");
    m_packetBytes = bytes;
}

void
HpccUdpHelper::Install(const HpccFabricHelper& fabric)
{
    RequireNetwork("HpccUdpHelper::Install", fabric);
    const auto& hosts = fabric.GetTopology().GetHosts();
    m_factory.Set(
        "PacketSize",
        UintegerValue(m_packetBytes ? m_packetBytes : fabric.GetHost(hosts.front())->GetMtu()));
    // Add() overrides a default that the user has set for MaxBytes, so that this default has no
    // effect. MaxBytes is set here, too, so that the program recognises the default as unused.
    m_factory.Set("MaxBytes", UintegerValue(0));
    const auto sender = m_factory.Create<HpccUdpApplication>();
    const auto nic = m_nicFactory.Create<HpccUdpNic>();
    const NicLaw law{sender->GetInstanceTypeId().GetName(),
                     sender->GetLawParameters(),
                     [&sender, &nic](const TelemetryFormat& candidate) {
                         const std::string why = nic->Check(candidate);
                         return why.empty() ? sender->Validate(candidate.GetCapabilities()) : why;
                     }};
    const auto spec = MakeNicSpec(fabric, m_telemetry, FindNicFormat(m_telemetry), nic, law);
    UintegerValue size;
    UintegerValue tos;
    sender->GetAttribute("PacketSize", size);
    sender->GetAttribute("Tos", tos);
    CheckSockets(size.Get());
    CheckNics(fabric, *nic, UdpL4Protocol::GetTypeId(), "UDP", "HpccUdpHelper");
    fabric.CheckFormat(
        spec,
        {{"datagrams of ns3::HpccUdpApplication::PacketSize " + std::to_string(size.Get()),
          static_cast<uint32_t>(size.Get()) + MIN_HEADERS_BYTES,
          static_cast<uint8_t>(tos.Get() >> 2)}});
    // All checks come before this line, so that a refused call changes nothing.
    for (uint32_t host : hosts)
    {
        InstallNic(fabric, host, m_nicFactory.Create<HpccUdpNic>(), spec.format);
    }
    m_installed = true;
}

Ptr<Application>
HpccUdpHelper::Add(Ptr<Node> node, const Address& remote, uint64_t bytes, Time start)
{
    RequireNode("HpccUdpHelper::Add", node);
    RequireStart("HpccUdpHelper::Add", start);
    const auto nic = node->GetObject<HpccUdpNic>();
    HPCC_REFUSE_IF(!nic,
                   "ns3::HpccUdpHelper::Add: node " + std::to_string(node->GetId()) +
                       " has no HpccUdpNic; allowed are the hosts of a network after "
                       "HpccUdpHelper::Install()");
    HPCC_REFUSE_IF(IsOwn(*node, remote),
                   "ns3::HpccUdpHelper::Add: the address to send to is one of node " +
                       std::to_string(node->GetId()) +
                       " itself; allowed are addresses of other hosts");
    if (!m_installed) // another HpccUdpHelper has installed the NICs, so this helper has not set
                      // the packet size yet
    {
        m_factory.Set(
            "PacketSize",
            UintegerValue(m_packetBytes ? m_packetBytes : node->GetObject<RdmaHost>()->GetMtu()));
    }
    m_factory.Set("Remote", AddressValue(remote));
    m_factory.Set("MaxBytes", UintegerValue(bytes));
    auto sender = m_factory.Create<HpccUdpApplication>();
    UintegerValue tos;
    sender->GetAttribute("Tos", tos);
    nic->CheckData(static_cast<uint8_t>(tos.Get() >> 2));
    nic->CheckPeer(remote);
    QbbIpPort::Of(*nic->GetPort()).CheckMark(PortOf(remote), static_cast<uint8_t>(tos.Get() >> 2));
    if (!m_installed)
    {
        UintegerValue size;
        sender->GetAttribute("PacketSize", size);
        CheckSockets(size.Get());
    }
    RequireMinRateBelow(HpccUdpApplication::GetTypeId().GetName() + "::MinRate",
                        sender->GetLawParameters().minRateBps,
                        "node " + std::to_string(node->GetId()),
                        nic->GetPort()->GetRateBps());
    StartAt(node, sender, start);
    return sender;
}

} // namespace ns3
