/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-ip-nic.h"

#include "qbb-ip-port.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/node.h"
#include "ns3/uinteger.h"

#include <array>
#include <boost/endian/conversion.hpp>

namespace ns3
{

HpccTypeId
HpccIpNic::AddCommon(HpccTypeId tid)
{
    return tid
        .Attribute("ProbeDscp",
                   "DSCP of probes; must map to the priority of the data. No other packet of this "
                   "transport may have it.",
                   HpccField(&HpccIpNic::m_probeDscp, 21, 0, 63))
        .Attribute("ResponseDscp",
                   "DSCP of answers to probes. No other packet of this transport may have it.",
                   HpccField(&HpccIpNic::m_responseDscp, 22, 0, 63))
        .Attribute("FeedbackKey",
                   "Secret that all hosts share to authenticate feedback. Empty: it is not "
                   "authenticated.",
                   HpccField(&HpccIpNic::m_feedbackKey, ""))
        .Attribute("CountFlows",
                   "Whether the NIC counts arriving flows by priority and reports their number to "
                   "the senders, which use it as N.",
                   HpccField(&HpccIpNic::m_countFlows, false))
        .Attribute("CountWindow",
                   "With CountFlows: time after a data packet for which its flow is counted. 0: "
                   "the network's base RTT.",
                   HpccField(&HpccIpNic::m_countWindow, Time(0), Time(0)))
        .Trace("ProbeSent",
               "A probe has left the port.",
               &HpccIpNic::m_probeTrace,
               "ns3::HpccIpNic::ProbeSentTracedCallback");
}

std::string
HpccIpNic::Validate(const TelemetryFormat& format)
{
    return HpccNicPackets::Validate(format);
}

std::string
HpccIpNic::CheckCount(const TelemetryFormat& format) const
{
    return m_countFlows && format.GetCapabilities().pathExtreme
               ? GetInstanceTypeId().GetName() +
                     "::CountFlows is true, allowed is false with telemetry format " +
                     format.GetInstanceTypeId().GetName() + ", which does not identify the last hop"
               : "";
}

void
HpccIpNic::CheckDscps() const
{
    HPCC_REFUSE_IF(m_probeDscp == m_responseDscp,
                   GetInstanceTypeId().GetName() + "::ProbeDscp and ResponseDscp are both " +
                       std::to_string(m_probeDscp) + "; they must differ");
}

void
HpccIpNic::CheckDscp(uint8_t dscp, const std::string& packets) const
{
    const bool probe = TellsProbesByDscp() && dscp == m_probeDscp;
    HPCC_REFUSE_IF(probe || (TellsAnswersByDscp() && dscp == m_responseDscp),
                   GetInstanceTypeId().GetName() +
                       (probe ? "::ProbeDscp is " : "::ResponseDscp is ") + std::to_string(dscp) +
                       ", the DSCP of " + packets + ", so that the NIC would treat them as " +
                       (probe ? "probes" : "answers") + "; allowed is any other DSCP from 0 to 63");
}

void
HpccIpNic::CheckForeign(const Frame& frame) const
{
    const uint8_t dscp = frame.tos >> 2;
    if (dscp == m_probeDscp || dscp == m_responseDscp) // saves the time to build the text
    {
        CheckDscp(dscp,
                  "packets from port " + std::to_string(frame.sourcePort) + " to port " +
                      std::to_string(frame.destinationPort) + " at node " +
                      std::to_string(m_port->GetNode()->GetId()));
    }
}

void
HpccIpNic::CheckData(uint8_t dscp) const
{
    CheckDscp(dscp, "the data packets");
    if (!(TellsProbesByDscp() || m_needsProbePriority) || !m_port)
    {
        return;
    }
    const uint8_t wanted = m_port->GetPriority(static_cast<uint8_t>(dscp << 2));
    const uint8_t found = m_port->GetPriority(static_cast<uint8_t>(m_probeDscp << 2));
    HPCC_REFUSE_IF(wanted != found,
                   GetInstanceTypeId().GetName() + "::ProbeDscp " + std::to_string(m_probeDscp) +
                       " has priority " + std::to_string(found) + ", but data with DSCP " +
                       std::to_string(dscp) + " has " + std::to_string(wanted) +
                       "; ns3::QbbNetDevice::DscpToPriority must give both the same");
}

void
HpccIpNic::CheckPeer(uint32_t address) const
{
    const std::string why = m_peerCheck ? m_peerCheck(address) : "";
    HPCC_REFUSE_IF(!why.empty(), why);
}

void
HpccIpNic::CheckTtl(uint8_t ttl) const
{
    const std::string why = m_format ? m_format->CheckTtl(ttl) : "";
    HPCC_REFUSE_IF(!why.empty(), GetInstanceTypeId().GetName() + ": " + why);
}

void
HpccIpNic::CheckPeer(const Address& remote) const
{
    if (m_port)
    {
        const auto& node = *m_port->GetNode();
        const Ptr<Object> ip = InetSocketAddress::IsMatchingType(remote)
                                   ? Ptr<Object>(node.GetObject<Ipv4L3Protocol>())
                                   : Ptr<Object>(node.GetObject<Ipv6L3Protocol>());
        UintegerValue ttl;
        if (ip && ip->GetAttributeFailSafe("DefaultTtl", ttl))
        {
            CheckTtl(static_cast<uint8_t>(ttl.Get()));
        }
    }
    if (InetSocketAddress::IsMatchingType(remote))
    {
        CheckPeer(InetSocketAddress::ConvertFrom(remote).GetIpv4().Get());
    }
    else if (Inet6SocketAddress::IsMatchingType(remote))
    {
        std::array<uint8_t, 16> bytes{};
        Inet6SocketAddress::ConvertFrom(remote).GetIpv6().GetBytes(bytes.data());
        CheckPeer(boost::endian::load_big_u32(&bytes[12]));
    }
}

void
HpccIpNic::Install(Ptr<QbbNetDevice> port,
                   Ptr<const TelemetryFormat> format,
                   Ptr<const TelemetryInventory> inventory,
                   int64_t baseRttNs)
{
    const std::string name = GetInstanceTypeId().GetName();
    HPCC_REFUSE_IF(!port || !format,
                   name + "::Install: the " + (port ? "format" : "port") + " is null; pass a " +
                       (port ? "telemetry format" : "port of the host"));
    const std::string why = Check(*format);
    HPCC_REFUSE_IF(!why.empty(), name + "::Install: " + why);
    const int marked = format->GetMarking().dscp;
    HPCC_REFUSE_IF(marked >= 0 && marked != m_probeDscp,
                   name + "::ProbeDscp is " + std::to_string(m_probeDscp) +
                       ", but the DSCP that marks telemetry is " + std::to_string(marked) +
                       "; both must be the same");
    CheckDscps();
    m_port = port;
    m_format = format;
    m_packets.Open(port, format, inventory);
    m_baseRttNs = baseRttNs;
    for (HpccFlowCounter& counter : m_flowCounters)
    {
        counter.Cover(m_countWindow.IsZero() ? baseRttNs : m_countWindow.GetNanoSeconds());
    }
    m_timer = m_port->GetAgenda().Register(AgendaKind::HOST_TIMER, this);
    QbbIpPort::Of(*m_port).AddTap(this);
    DoInstall();
}

void
HpccIpNic::ScheduleProbes(int64_t atNs)
{
    m_port->GetAgenda().Schedule(AgendaKind::HOST_TIMER, m_timer, atNs);
}

void
HpccIpNic::Due(AgendaKind, uint32_t, int64_t nowNs)
{
    m_probes.RunTimers(nowNs);
}

void
HpccIpNic::DoDispose()
{
    m_packets.Close();
    m_port = nullptr;
    m_format = nullptr;
    Object::DoDispose();
}

} // namespace ns3
