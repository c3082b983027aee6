/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-udp-application.h"

#include "qbb-ip-port.h"

#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/seq-ts-header.h"
#include "ns3/simulator.h"
#include "ns3/udp-socket-factory.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <cmath>
#include <sstream>
#include <string>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(HpccUdpApplication);

namespace
{

constexpr uint32_t SEQUENCE_BYTES = 12; ///< size of a SeqTsHeader
constexpr int64_t WATCH_RTTS = 64;

} // namespace

TypeId
HpccUdpApplication::GetTypeId()
{
    static TypeId tid =
        AddTo(HpccTypeId::Of<HpccUdpApplication, Application>("ns3::HpccUdpApplication"),
              Defaults{})
            .Attribute("Remote",
                       "Address to send to: an InetSocketAddress or Inet6SocketAddress.",
                       HpccField(&HpccUdpApplication::m_remote, AddressValue()))
            .Attribute(
                "PacketSize",
                "Payload of a datagram, bytes; at most the payload that fits the port's Mtu.",
                HpccField(&HpccUdpApplication::m_packetBytes, 1000, 2 * SEQUENCE_BYTES, 65507))
            .Attribute("MaxBytes",
                       "Payload to send in all, bytes, 12 or more. 0: no limit.",
                       HpccField(&HpccUdpApplication::m_maxBytes, 0))
            .Attribute("Tos",
                       "TOS of datagrams, whose DSCP determines their priority.",
                       HpccField(&HpccUdpApplication::m_tos, 0))
            .Attribute(
                "InFlight",
                "Data in flight: Presumed, data sent after a probe counts as acknowledged evenly "
                "over an RTT; Settled, only answers reduce it, so one W is sent per two RTTs.",
                HpccField(&HpccUdpApplication::m_inFlight,
                          HpccUdpWindow::PRESUMED,
                          HpccUdpWindow::PRESUMED,
                          "Presumed",
                          HpccUdpWindow::SETTLED,
                          "Settled"))
            .Attribute("MaxUnanswered",
                       "Consecutive probes without an answer after which the flow falls back.",
                       HpccField(&HpccUdpApplication::m_maxUnanswered, 8, 1))
            .Attribute("FallbackDatagrams",
                       "Datagrams that may be sent per timed-out probe while no answers arrive.",
                       HpccField(&HpccUdpApplication::m_fallbackDatagrams, 1, 1, 65535))
            .Trace("Tx",
                   "A datagram is sent; gives its payload as a packet.",
                   &HpccUdpApplication::m_txTrace,
                   "ns3::Packet::TracedCallback")
            .Trace("Window",
                   "The window has been computed.",
                   &HpccUdpApplication::m_windowTrace,
                   "ns3::HpccUdpApplication::WindowTracedCallback")
            .Trace("Lost",
                   "The payload known to be lost has changed, in either direction.",
                   &HpccUdpApplication::m_lostTrace,
                   "ns3::HpccUdpApplication::LostTracedCallback")
            .Trace("FellBack",
                   "A fall-back starts because no answers arrive, or ends because one has arrived.",
                   &HpccUdpApplication::m_fellBackTrace,
                   "ns3::HpccUdpApplication::FellBackTracedCallback")
            .Trace("Doubt",
                   "Telemetry begins to be doubted, or is trusted again.",
                   &HpccUdpApplication::m_doubtTrace,
                   "ns3::HpccUdpApplication::DoubtTracedCallback")
            .Trace("Finished",
                   "All payload has been sent, and nothing is in flight.",
                   &HpccUdpApplication::m_finishedTrace,
                   "ns3::HpccUdpApplication::FinishedTracedCallback");
    return tid;
}

HpccUdpApplication::HpccUdpApplication() = default;

HpccUdpApplication::~HpccUdpApplication() = default;

std::string
HpccUdpApplication::Validate(const TelemetryCapabilities& telemetry) const
{
    const std::string name = GetTypeId().GetName();
    return idleGapResets ? ValidateLaw(name, telemetry)
                         : name + "::IdleGapResets is false, allowed is true: the application "
                                  "measures no idle time";
}

int64_t
HpccUdpApplication::NetworkBaseRttNs() const
{
    return m_nic ? m_nic->GetBaseRttNs() : 0;
}

uint32_t
HpccUdpApplication::GetIpBytes() const
{
    return Inet6SocketAddress::IsMatchingType(m_remote) ? IPV6_HEADER_BYTES : IPV4_HEADER_BYTES;
}

void
HpccUdpApplication::Check() const
{
    const std::string name = "ns3::HpccUdpApplication";
    const bool ipv4 = InetSocketAddress::IsMatchingType(m_remote);
    HPCC_REFUSE_IF(!ipv4 && !Inet6SocketAddress::IsMatchingType(m_remote),
                   name + "::Remote is not set; allowed is an InetSocketAddress or "
                          "Inet6SocketAddress");
    HPCC_REFUSE_IF(!m_nic,
                   name + ": node " + std::to_string(GetNode()->GetId()) +
                       " has no HpccUdpNic; HpccUdpHelper::Install() puts one there");
    const TelemetryFormat& format = m_nic->GetFormat();
    if (format.GetMarking().ipv6 && ipv4)
    {
        std::ostringstream address;
        address << InetSocketAddress::ConvertFrom(m_remote).GetIpv4();
        throw HpccInputError(name + "::Remote is " + address.str() + ", but " +
                             format.GetInstanceTypeId().GetName() +
                             " exists in IPv6 only; allowed is an Inet6SocketAddress");
    }
    const uint32_t room = m_nic->GetPort()->GetWireMtu() - GetIpBytes() - UDP_HEADER_BYTES;
    HPCC_REFUSE_IF(m_packetBytes > room,
                   name + "::PacketSize is " + std::to_string(m_packetBytes) +
                       ", allowed is at most " + std::to_string(room));
    HPCC_REFUSE_IF(m_maxBytes > 0 && m_maxBytes < SEQUENCE_BYTES,
                   name + "::MaxBytes is " + std::to_string(m_maxBytes) + ", allowed is 0 or " +
                       std::to_string(SEQUENCE_BYTES) + " and more");
    const std::string why = Validate(format.GetCapabilities());
    HPCC_REFUSE_IF(!why.empty(), why);
}

HpccUdpNic::Key
HpccUdpApplication::Connect()
{
    const bool ipv6 = Inet6SocketAddress::IsMatchingType(m_remote);
    m_socket = Socket::CreateSocket(GetNode(), UdpSocketFactory::GetTypeId());
    const int bound = ipv6 ? m_socket->Bind6() : m_socket->Bind();
    HPCC_REFUSE_IF(bound != 0 || m_socket->Connect(m_remote) != 0,
                   "ns3::HpccUdpApplication::Remote: node " + std::to_string(GetNode()->GetId()) +
                       " cannot reach it; allowed is an address that it has a route to");
    m_socket->ShutdownRecv();
    Address local;
    m_socket->GetSockName(local);
    if (ipv6)
    {
        m_socket->SetIpv6Tclass(m_tos);
        const auto remote = Inet6SocketAddress::ConvertFrom(m_remote);
        uint8_t bytes[16];
        remote.GetIpv6().GetBytes(bytes);
        const uint32_t address = boost::endian::load_big_u32(&bytes[12]);
        return {address, Inet6SocketAddress::ConvertFrom(local).GetPort(), remote.GetPort(), true};
    }
    m_socket->SetIpTos(m_tos);
    const auto remote = InetSocketAddress::ConvertFrom(m_remote);
    return {remote.GetIpv4().Get(),
            InetSocketAddress::ConvertFrom(local).GetPort(),
            remote.GetPort(),
            false};
}

void
HpccUdpApplication::StartApplication()
{
    m_nic = GetNode()->GetObject<HpccUdpNic>();
    Check();
    const QbbNetDevice& port = *m_nic->GetPort();
    const uint32_t packetBytes =
        m_packetBytes + UDP_HEADER_BYTES + GetIpBytes() + ETHERNET_HEADER_BYTES;
    m_overheadBytes = port.GetLinkBytes(packetBytes) - m_packetBytes;
    m_law.SetParameters(GetLawParameters());
    m_law.Open(m_flow, static_cast<double>(port.GetRateBps()), 0);
    m_flow.sparse = true;
    m_flow.sprayed = m_nic->IsSprayed();
    m_flow.thinned = m_nic->GetThinning();
    OpenCheck(m_checkState, GetBaseRttNs());
    m_window.Open(m_inFlight);
    m_key = Connect();
    m_nic->Open(m_key, this);
    ScheduleWatch();
    Schedule();
}

uint32_t
HpccUdpApplication::GetNextBytes() const
{
    const uint64_t left = m_maxBytes - m_window.GetSent();
    if (m_maxBytes == 0 || left >= m_packetBytes + SEQUENCE_BYTES)
    {
        return m_packetBytes;
    }
    return static_cast<uint32_t>(left <= m_packetBytes ? left : left - SEQUENCE_BYTES);
}

void
HpccUdpApplication::Schedule()
{
    m_sendEvent.Cancel();
    if (!m_socket || GetNextBytes() == 0)
    {
        return;
    }
    const int64_t nowNs = Simulator::Now().GetNanoSeconds();
    const double window = m_fallenBack ? static_cast<double>(m_fallbackDatagrams) * m_packetBytes
                                       : m_flow.windowBytes;
    const int64_t openNs = m_window.GetOpenNs(window, nowNs);
    if (openNs != HpccUdpWindow::NEVER)
    {
        const int64_t atNs = std::max(openNs, static_cast<int64_t>(std::ceil(m_nextNs)));
        m_sendEvent = Simulator::Schedule(NanoSeconds(std::max(atNs, nowNs) - nowNs),
                                          &HpccUdpApplication::Send,
                                          this);
    }
}

void
HpccUdpApplication::Send()
{
    const uint32_t bytes = GetNextBytes();
    SeqTsHeader sequence;
    sequence.SetSeq(m_sequence++);
    auto packet = Create<Packet>(bytes - SEQUENCE_BYTES);
    packet->AddHeader(sequence);
    m_window.OnSent(bytes);
    packet->AddPacketTag(HpccUdpTag(m_window.GetSent()));
    const auto nowNs = static_cast<double>(Simulator::Now().GetNanoSeconds());
    m_nextNs = std::max(m_nextNs, nowNs - 1) +
               (bytes + m_overheadBytes) * 8e9 / std::max(1.0, m_law.RateBps(m_flow));
    m_txTrace(packet);
    m_socket->Send(packet);
    Schedule();
}

void
HpccUdpApplication::NoteLost(uint64_t before)
{
    const uint64_t lost = m_window.GetLost();
    if (lost != before)
    {
        m_lostTrace(lost, static_cast<int64_t>(lost - before), Simulator::Now().GetNanoSeconds());
    }
}

void
HpccUdpApplication::Answered(const HpccUdpAnswer& answer)
{
    const int64_t nowNs = answer.sample.nowNs;
    if (m_fallenBack)
    {
        m_fallenBack = false;
        m_law.Rollback(m_flow, m_flow.lastUpdateSeq, true);
        m_fellBackTrace(false, nowNs);
    }
    const uint64_t lost = m_window.GetLost();
    const uint64_t received = m_window.GetReceived();
    m_window.OnAnswer(answer.probeBytes, answer.receivedBytes, answer.sentNs, nowNs);
    NoteLost(lost);
    const View view{nowNs - answer.sentNs,
                    m_window.GetReceived() - received,
                    m_window.GetSent() - m_window.GetReceived() - m_window.GetLost()};
    if (CheckReport(m_checkState, m_flow, answer.sample, view))
    {
        m_doubtTrace(m_flow.growthCapped, nowNs);
    }
    if (m_law.NewAck(m_flow, answer.sample).branch != HpccBranch::NONE)
    {
        m_windowTrace(m_flow.windowBytes, m_flow.utilization, nowNs);
    }
    Schedule();
    FinishIfDone();
}

void
HpccUdpApplication::GivenUp(uint32_t inRow)
{
    if (inRow >= m_maxUnanswered)
    {
        FallBack();
    }
}

void
HpccUdpApplication::FallBack()
{
    if (!m_fallenBack)
    {
        m_fallenBack = true;
        m_fellBackTrace(true, Simulator::Now().GetNanoSeconds());
    }
    const uint64_t lost = m_window.GetLost();
    m_window.GiveUp();
    NoteLost(lost);
    Schedule();
    FinishIfDone();
}

void
HpccUdpApplication::ScheduleWatch()
{
    const int64_t baseRttNs = std::max<int64_t>(1, m_nic->GetBaseRttNs());
    m_watchEvent =
        Simulator::Schedule(NanoSeconds(WATCH_RTTS * baseRttNs), &HpccUdpApplication::Watch, this);
}

void
HpccUdpApplication::Watch()
{
    ScheduleWatch();
    const bool still = m_watched == m_sequence && !m_window.IsSettled();
    m_watched = m_sequence;
    if (still && !m_nic->IsProbing(m_key))
    {
        FallBack();
    }
}

void
HpccUdpApplication::FinishIfDone()
{
    if (m_socket && !m_finished && GetNextBytes() == 0 && m_window.IsSettled())
    {
        m_finished = true;
        Leave();
        m_finishedTrace(m_window.GetReceived(),
                        m_window.GetLost(),
                        Simulator::Now().GetNanoSeconds());
    }
}

void
HpccUdpApplication::Leave()
{
    m_sendEvent.Cancel();
    m_watchEvent.Cancel();
    if (m_socket)
    {
        m_socket->Close();
        m_socket = nullptr;
        m_nic->Close(m_key);
    }
}

void
HpccUdpApplication::StopApplication()
{
    Leave();
}

void
HpccUdpApplication::DoDispose()
{
    m_sendEvent.Cancel();
    m_watchEvent.Cancel();
    m_socket = nullptr;
    m_nic = nullptr;
    Application::DoDispose();
}

} // namespace ns3
