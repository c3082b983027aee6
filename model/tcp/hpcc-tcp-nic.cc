/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-tcp-nic.h"

#include "hpcc-tso-pacer.h"

#include "ns3/abort.h"
#include "ns3/enum.h"
#include "ns3/hpcc-compat.h"
#include "ns3/hpcc-frame-codec.h"
#include "ns3/hpcc-reflection-header.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/object-ptr-container.h"
#include "ns3/pointer.h"
#include "ns3/qbb-ip-port.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>
#include <vector>

namespace ns3
{

using namespace boost::endian;

NS_OBJECT_ENSURE_REGISTERED(HpccTcpNic);

namespace
{

constexpr uint8_t TCP_PROTOCOL = 6;
constexpr uint32_t TCP_HEADER_BYTES = 20;
constexpr uint8_t FIN_OR_RST = TcpHeader::FIN | TcpHeader::RST;

/// @return a number of 32 bits with those above it that bring it nearest to another
uint64_t
Unwrap(uint32_t low, uint64_t near)
{
    return near + static_cast<uint64_t>(static_cast<int64_t>(
                      static_cast<int32_t>(low - static_cast<uint32_t>(near))));
}

/// The fields of a packet that the card makes.
struct Packing
{
    const Frame& like;     ///< addresses and ports
    bool reverse;          ///< with source and destination exchanged
    uint8_t tos;           ///< TOS
    uint8_t ttl;           ///< TTL
    uint16_t ipId;         ///< IPv4 identification
    uint32_t sequence;     ///< of TCP
    uint32_t acknowledged; ///< of TCP
};

/// @return a packet of TCP in IPv4 or IPv6
Ptr<Packet>
Pack(const Packing& p, Ptr<Packet> payload)
{
    const uint32_t source = p.reverse ? p.like.destination : p.like.source;
    const uint32_t destination = p.reverse ? p.like.source : p.like.destination;
    const Address from = p.like.ipv6 ? Address(Ipv6Address(Ipv6AddressOf(source).data()))
                                     : Address(Ipv4Address(source));
    const Address to = p.like.ipv6 ? Address(Ipv6Address(Ipv6AddressOf(destination).data()))
                                   : Address(Ipv4Address(destination));
    TcpHeader tcp;
    tcp.SetSourcePort(p.reverse ? p.like.destinationPort : p.like.sourcePort);
    tcp.SetDestinationPort(p.reverse ? p.like.sourcePort : p.like.destinationPort);
    tcp.SetSequenceNumber(SequenceNumber32(p.sequence));
    tcp.SetAckNumber(SequenceNumber32(p.acknowledged));
    tcp.SetFlags(TcpHeader::ACK);
    if (Node::ChecksumEnabled())
    {
        tcp.EnableChecksums();
        tcp.InitializeChecksum(from, to, TCP_PROTOCOL);
    }
    payload->AddHeader(tcp);
    if (p.like.ipv6)
    {
        Ipv6Header ip;
        ip.SetSource(Ipv6Address::ConvertFrom(from));
        ip.SetDestination(Ipv6Address::ConvertFrom(to));
        ip.SetNextHeader(TCP_PROTOCOL);
        ip.SetPayloadLength(static_cast<uint16_t>(payload->GetSize()));
        ip.SetTrafficClass(p.tos);
        ip.SetHopLimit(p.ttl);
        payload->AddHeader(ip);
    }
    else
    {
        Ipv4Header ip;
        ip.SetSource(Ipv4Address::ConvertFrom(from));
        ip.SetDestination(Ipv4Address::ConvertFrom(to));
        ip.SetProtocol(TCP_PROTOCOL);
        ip.SetPayloadSize(static_cast<uint16_t>(payload->GetSize()));
        ip.SetTos(p.tos);
        ip.SetTtl(p.ttl);
        ip.SetIdentification(p.ipId);
        ip.SetDontFragment();
        if (Node::ChecksumEnabled())
        {
            ip.EnableChecksum();
        }
        payload->AddHeader(ip);
    }
    return payload;
}

} // namespace

TypeId
HpccTcpNic::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::HpccTcpNic")
            .SetParent<Object>()
            .SetGroupName("Hpcc")
            .AddConstructor<HpccTcpNic>()
            .AddAttribute(
                "Feedback",
                "What carries telemetry: a probe per round trip, or every data segment.",
                EnumValue(HpccTcpNic::PROBE),
                MakeHpccEnumAccessor<Feedback>(&HpccTcpNic::m_feedback),
                MakeEnumChecker(HpccTcpNic::PROBE, "Probe", HpccTcpNic::IN_BAND, "InBand"))
            .AddAttribute("ProbeDscp",
                          "DSCP of probes, of the priority of the data and used by nothing else.",
                          UintegerValue(21),
                          MakeUintegerAccessor(&HpccTcpNic::m_probeDscp),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddAttribute("ResponseDscp",
                          "DSCP of answers to probes, used by nothing else.",
                          UintegerValue(22),
                          MakeUintegerAccessor(&HpccTcpNic::m_responseDscp),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddAttribute("MaxUnanswered",
                          "Probes without an answer, one after the other, after which a connection "
                          "falls back.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&HpccTcpNic::m_maxUnanswered),
                          MakeUintegerChecker<uint32_t>(1))
            .AddTraceSource("ProbeSent",
                            "A probe leaves.",
                            MakeTraceSourceAccessor(&HpccTcpNic::m_probeTrace),
                            "ns3::HpccTcpNic::ProbeSentTracedCallback")
            .AddTraceSource("FellBack",
                            "A connection has fallen back.",
                            MakeTraceSourceAccessor(&HpccTcpNic::m_fellBackTrace),
                            "ns3::HpccTcpNic::FellBackTracedCallback");
    return tid;
}

HpccTcpNic::HpccTcpNic()
    : m_sending(m_connections.end())
{
}

HpccTcpNic::~HpccTcpNic() = default;

std::string
HpccTcpNic::Validate(const TelemetryFormat& format)
{
    const TelemetryMarking& marking = format.GetMarking();
    if (marking.udpPort || marking.leadBytes ||
        (marking.position == TelemetryPosition::TRANSPORT && marking.dscp < 0))
    {
        return "telemetry format " + format.GetInstanceTypeId().GetName() +
               " is marked by a UDP port or stands behind UDP; allowed for TCP are formats marked "
               "by a DSCP, such as int-md:dscp, or in front of TCP";
    }
    return "";
}

void
HpccTcpNic::Install(Ptr<QbbNetDevice> port,
                    Ptr<const TelemetryFormat> format,
                    Ptr<const TelemetryInventory> inventory,
                    int64_t baseRttNs)
{
    const std::string why = Validate(*format);
    NS_ABORT_MSG_UNLESS(why.empty(), "HpccTcpNic::Install: " << why);
    const int marked = format->GetMarking().dscp;
    NS_ABORT_MSG_IF(marked >= 0 && marked != m_probeDscp,
                    "HpccTcpNic::ProbeDscp is " << +m_probeDscp << ", but the DSCP that marks "
                                                << "telemetry is " << marked
                                                << "; both must be the same");
    NS_ABORT_MSG_IF(m_probeDscp == m_responseDscp,
                    "HpccTcpNic::ProbeDscp and ResponseDscp are both " << +m_probeDscp
                                                                       << "; they must differ");
    m_port = port;
    m_format = format;
    m_inventory = inventory;
    m_baseRttNs = baseRttNs;
    m_timer = m_port->GetAgenda().Register(AgendaKind::HOST_TIMER, this);
    m_port->GetIpPort().SetTap(this);
    if (m_port->GetOffload().tso)
    {
        m_pacer = std::make_unique<HpccTsoPacer>(*this, *m_port);
        m_port->GetIpPort().SetPieceGate(m_pacer.get());
    }
}

bool
HpccTcpNic::Parse(const Frame& frame, Segment& segment)
{
    std::array<uint8_t, 60 + TCP_HEADER_BYTES> bytes{};
    const uint32_t size = frame.packet->CopyData(bytes.data(), bytes.size());
    const uint32_t ipBytes = frame.ipv6 ? IPV6_HEADER_BYTES : (bytes[0] & 0xf) * 4U;
    if (frame.protocol != TCP_PROTOCOL || size < ipBytes + TCP_HEADER_BYTES)
    {
        return false;
    }
    const uint8_t* tcp = &bytes[ipBytes];
    segment.sequence = load_big_u32(tcp + 4);
    segment.acknowledged = load_big_u32(tcp + 8);
    segment.offset = ipBytes + (tcp[12] >> 4) * 4U;
    segment.flags = tcp[13];
    const uint32_t total = frame.packet->GetSize();
    segment.payloadBytes = total - std::min(total, segment.offset);
    return segment.offset >= ipBytes + TCP_HEADER_BYTES && segment.offset <= total;
}

Ptr<TcpHpccPlusPlus>
HpccTcpNic::FindOps(const Key& key) const
{
    const auto& [remote, localPort, remotePort, ipv6] = key;
    const Address peer =
        ipv6 ? Address(Inet6SocketAddress(Ipv6Address(Ipv6AddressOf(remote).data()), remotePort))
             : Address(InetSocketAddress(Ipv4Address(remote), remotePort));
    ObjectPtrContainerValue sockets;
    m_port->GetNode()->GetObject<TcpL4Protocol>()->GetAttribute("SocketList", sockets);
    for (auto it = sockets.Begin(); it != sockets.End(); ++it)
    {
        auto socket = DynamicCast<TcpSocketBase>(it->second);
        Address local;
        Address other;
        if (socket->GetPeerName(other) != 0 || socket->GetSockName(local) != 0 || other != peer)
        {
            continue;
        }
        const uint16_t port = ipv6 ? Inet6SocketAddress::ConvertFrom(local).GetPort()
                                   : InetSocketAddress::ConvertFrom(local).GetPort();
        if (port == localPort)
        {
            PointerValue ops;
            socket->GetAttribute("CongestionOps", ops);
            return DynamicCast<TcpHpccPlusPlus>(ops.GetObject());
        }
    }
    return nullptr;
}

HpccTcpNic::Connection
HpccTcpNic::Find(const Key& key, const Frame& frame) const
{
    Connection connection;
    connection.ops = FindOps(key);
    if (connection.ops)
    {
        const std::string why = connection.ops->Validate(m_format->GetCapabilities());
        NS_ABORT_MSG_UNLESS(why.empty(), why);
        const uint8_t wanted = m_port->GetPriority(frame.tos);
        const uint8_t found = m_port->GetPriority(static_cast<uint8_t>(m_probeDscp << 2));
        NS_ABORT_MSG_IF(wanted != found,
                        "HpccTcpNic::ProbeDscp " << +m_probeDscp << " has priority " << +found
                                                 << ", but TCP's data with DSCP "
                                                 << (frame.tos >> 2) << " has " << +wanted
                                                 << "; ns3::QbbNetDevice::DscpToPriority must give "
                                                    "both the same");
    }
    return connection;
}

void
HpccTcpNic::NoteData(Connection& connection, const Segment& segment, const Frame& frame)
{
    const int64_t nowNs = m_port->GetAgenda().NowNs();
    connection.local = frame.source;
    connection.tos = frame.tos;
    connection.ttl = frame.ttl;
    connection.lastAck = segment.acknowledged;
    if (connection.idleSinceNs >= 0)
    {
        connection.idleNs = std::max(connection.idleNs, nowNs - connection.idleSinceNs);
        connection.idleSinceNs = -1;
    }
    const uint64_t end = Unwrap(segment.sequence + segment.payloadBytes, connection.sndNxt);
    connection.sndNxt = std::max(connection.sndNxt, end);
}

void
HpccTcpNic::Sending(QbbNetDevice&, Frame& frame)
{
    Segment segment;
    m_sending = m_connections.end();
    if (!Parse(frame, segment))
    {
        return;
    }
    const Key key{frame.destination, frame.sourcePort, frame.destinationPort, frame.ipv6};
    auto known = m_connections.find(key);
    if (segment.flags & TcpHeader::SYN && known != m_connections.end())
    {
        m_connections.erase(known);
        return;
    }
    if (segment.payloadBytes > 0)
    {
        if (known == m_connections.end())
        {
            known = m_connections.emplace(key, Find(key, frame)).first;
            Connection& connection = known->second;
            connection.sndUna = connection.sndNxt = segment.sequence;
            if (connection.ops)
            {
                connection.ops->Open({static_cast<double>(m_port->GetRateBps()),
                                      m_baseRttNs,
                                      m_port->GetLinkBytes(frame.bytes) - segment.payloadBytes,
                                      segment.sequence,
                                      m_port->GetIpPort().GetWirePayload(segment.offset)});
            }
        }
        if (known->second.ops && !known->second.ops->HasFallenBack())
        {
            NoteData(known->second, segment, frame);
            if (m_feedback == IN_BAND)
            {
                AddTelemetry(frame, known->second);
            }
            else
            {
                m_sending = known;
            }
        }
    }
    if (segment.flags & FIN_OR_RST && known != m_connections.end())
    {
        const Connection& connection = known->second;
        known->second.closing = true;
        if (!connection.ops || connection.ops->HasFallenBack() || segment.flags & TcpHeader::RST ||
            connection.sndUna >= connection.sndNxt)
        {
            m_connections.erase(known);
            m_sending = m_connections.end();
        }
    }
}

void
HpccTcpNic::Sent(QbbNetDevice&)
{
    if (m_sending != m_connections.end() && m_sending->second.timeoutNs == NEVER)
    {
        SendProbe(m_sending->first, m_sending->second, m_port->GetAgenda().NowNs());
    }
    m_sending = m_connections.end();
}

void
HpccTcpNic::AddTelemetry(Frame& frame, Connection& connection)
{
    frame.format = PeekPointer(m_format);
    m_format->Open(frame.telemetry,
                   {frame.destinationPort, TCP_PROTOCOL, static_cast<uint8_t>(frame.tos >> 2)});
    frame.tos = static_cast<uint8_t>(m_probeDscp << 2 | (frame.tos & 3));
    const uint32_t added = m_format->GetWireBytes(frame.telemetry);
    frame.bytes =
        std::max(frame.packet->GetSize() + ETHERNET_HEADER_BYTES + added, MIN_FRAME_BYTES);
    ++m_counters.probesSent;
    m_counters.bytes += added;
    if (connection.timeoutNs == NEVER)
    {
        Await(connection, m_port->GetAgenda().NowNs());
    }
}

void
HpccTcpNic::Await(Connection& connection, int64_t nowNs)
{
    connection.timeoutNs = nowNs + (std::max(4 * m_baseRttNs, 2 * connection.rttNs)
                                    << std::min(connection.unanswered, MAX_DOUBLINGS));
    NoteTimer(connection.timeoutNs);
}

void
HpccTcpNic::SendProbe(const Key& key, Connection& connection, int64_t nowNs)
{
    Frame* frame = m_port->GetAgenda().Frames().Allocate();
    std::tie(frame->destination, frame->sourcePort, frame->destinationPort, frame->ipv6) = key;
    frame->source = connection.local;
    Ptr<Packet> packet = Pack({*frame,
                               false,
                               static_cast<uint8_t>(m_probeDscp << 2),
                               connection.ttl,
                               connection.identification++,
                               static_cast<uint32_t>(connection.sndNxt),
                               connection.lastAck},
                              Create<Packet>());
    DropReason why;
    NS_ABORT_UNLESS(QbbIpPort::FillFrame(packet, frame->ipv6 ? 0x86dd : 0x0800, *frame, why));
    frame->format = PeekPointer(m_format);
    m_format->Open(
        frame->telemetry,
        {frame->destinationPort, TCP_PROTOCOL, static_cast<uint8_t>(connection.tos >> 2)});
    frame->bytes = std::max(ETHERNET_HEADER_BYTES + packet->GetSize() +
                                m_format->GetWireBytes(frame->telemetry),
                            MIN_FRAME_BYTES);
    frame->priority = m_port->GetPriority(frame->tos);
    frame->ingressPort = Frame::NOT_ADMITTED;
    if (connection.probes.size() == MAX_PROBES)
    {
        connection.probes.pop_front();
    }
    connection.probes.push_back({connection.sndNxt, nowNs, connection.answers});
    Await(connection, nowNs);
    ++m_counters.probesSent;
    m_counters.bytes += frame->bytes;
    m_probeTrace(frame->sourcePort, frame->destinationPort, connection.sndNxt, nowNs);
    m_port->Enqueue(frame);
}

bool
HpccTcpNic::Received(QbbNetDevice&, Frame& frame)
{
    Segment segment;
    const uint8_t dscp = frame.tos >> 2;
    const bool parsed = Parse(frame, segment);
    const Key key{frame.source, frame.destinationPort, frame.sourcePort, frame.ipv6};
    WakePacer(key);
    if (parsed && dscp == m_probeDscp)
    {
        Answer(frame, segment);
        if (segment.payloadBytes == 0)
        {
            return true;
        }
        frame.tos = static_cast<uint8_t>((frame.format ? frame.telemetry.originalDscp << 2 : 0) |
                                         (frame.tos & 3));
    }
    if (parsed && dscp == m_responseDscp)
    {
        TakeAnswer(key, frame, segment);
        return true;
    }
    auto known = parsed ? m_connections.find(key) : m_connections.end();
    if (known != m_connections.end() && known->second.ops && segment.flags & TcpHeader::ACK)
    {
        Connection& connection = known->second;
        const uint64_t una = Unwrap(segment.acknowledged, connection.sndUna);
        connection.sndUna = std::max(connection.sndUna, una);
        const bool idle = connection.sndUna >= connection.sndNxt;
        if (idle && connection.closing)
        {
            m_connections.erase(known);
        }
        else if (idle && connection.idleSinceNs < 0)
        {
            connection.idleSinceNs = m_port->GetAgenda().NowNs();
        }
    }
    return false;
}

void
HpccTcpNic::Answer(const Frame& probe, const Segment& segment)
{
    ++m_counters.probesReceived;
    if (!probe.format)
    {
        ++m_counters.ignored;
        return;
    }
    HpccReflectionHeader reflection;
    reflection.formatId = probe.telemetry.hops ? probe.format->GetReflectionId() : 0;
    reflection.hops = probe.telemetry.hops;
    reflection.stackFlags = probe.telemetry.flags;
    std::vector<uint8_t> bytes(HpccReflectionHeader::BYTES +
                               probe.format->GetReflectedBytes(probe.telemetry));
    reflection.Serialize(bytes.data());
    probe.format->SerializeRecords(probe.telemetry, bytes.data() + HpccReflectionHeader::BYTES);
    Ptr<Packet> packet = Pack({probe,
                               true,
                               static_cast<uint8_t>(m_responseDscp << 2),
                               64,
                               static_cast<uint16_t>(m_counters.answersSent),
                               segment.acknowledged,
                               segment.sequence + segment.payloadBytes},
                              Create<Packet>(bytes.data(), bytes.size()));
    Frame* frame = m_port->GetAgenda().Frames().Allocate();
    DropReason why;
    NS_ABORT_UNLESS(QbbIpPort::FillFrame(packet, probe.ipv6 ? 0x86dd : 0x0800, *frame, why));
    frame->opcode = ROCE_ACK;
    frame->priority = m_port->GetPriority(frame->tos);
    frame->ingressPort = Frame::NOT_ADMITTED;
    ++m_counters.answersSent;
    m_counters.bytes += frame->bytes;
    m_port->Enqueue(frame);
}

bool
HpccTcpNic::ReadAnswer(const Frame& frame,
                       const Segment& segment,
                       std::array<HopTelemetry, MAX_TELEMETRY_HOPS>& hops,
                       TelemetryStack& stack)
{
    std::vector<uint8_t> bytes(frame.packet->GetSize());
    frame.packet->CopyData(bytes.data(), bytes.size());
    const uint8_t* in = bytes.data() + segment.offset;
    HpccReflectionHeader reflection;
    if (reflection.Deserialize(in, segment.payloadBytes) == 0 ||
        reflection.formatId != m_format->GetReflectionId() ||
        m_format->DeserializeRecords(in + HpccReflectionHeader::BYTES,
                                     segment.payloadBytes - HpccReflectionHeader::BYTES,
                                     reflection.hops,
                                     stack) == 0)
    {
        return false;
    }
    stack.hops = reflection.hops;
    stack.flags = reflection.stackFlags;
    const bool carriesRate = m_format->GetCapabilities().fields & TELEMETRY_BANDWIDTH;
    for (uint32_t i = 0; i < stack.hops; ++i)
    {
        HopTelemetry& hop = hops[i] = m_format->Read(stack, i);
        if (carriesRate || hop.fields & TELEMETRY_LOAD)
        {
            continue;
        }
        hop.bandwidthBps = m_inventory->Lookup(hop.switchId, hop.portId);
        hop.fields |= hop.bandwidthBps ? TELEMETRY_BANDWIDTH : 0;
        m_counters.unknownLinks += hop.bandwidthBps == 0;
    }
    return true;
}

bool
HpccTcpNic::Match(Connection& connection, const Segment& segment, HpccSample& sample, int64_t nowNs)
{
    if (m_feedback == IN_BAND)
    {
        sample.ackSeq = Unwrap(segment.acknowledged, connection.sndUna);
        connection.timeoutNs = NEVER;
        if (sample.ackSeq < connection.sndNxt)
        {
            Await(connection, nowNs);
        }
        return true;
    }
    auto& probes = connection.probes;
    auto probe = std::find_if(probes.begin(), probes.end(), [&segment](const auto& one) {
        return static_cast<uint32_t>(one.byte) == segment.acknowledged;
    });
    if (probe == probes.end())
    {
        return false;
    }
    sample.ackSeq = probe->byte + (probe->answers == connection.answers);
    connection.rttNs = nowNs - probe->sentNs;
    ++connection.answers;
    probes.erase(probes.begin(), probe + 1);
    if (probes.empty())
    {
        connection.timeoutNs = NEVER;
    }
    return true;
}

void
HpccTcpNic::TakeAnswer(const Key& key, const Frame& frame, const Segment& segment)
{
    auto known = m_connections.find(key);
    std::array<HopTelemetry, MAX_TELEMETRY_HOPS> hops;
    TelemetryStack stack{};
    if (known == m_connections.end() || !known->second.ops ||
        !ReadAnswer(frame, segment, hops, stack))
    {
        ++m_counters.ignored;
        return;
    }
    Connection& connection = known->second;
    const int64_t nowNs = m_port->GetAgenda().NowNs();
    HpccSample sample{};
    if (!Match(connection, segment, sample, nowNs))
    {
        ++m_counters.ignored;
        return;
    }
    ++m_counters.answersReceived;
    connection.unanswered = 0;
    sample.nowNs = nowNs;
    sample.sndNxt = connection.sndNxt;
    sample.idleNs = connection.idleNs;
    sample.hops = hops.data();
    sample.hopCount = stack.hops;
    sample.pathId = stack.pathId;
    sample.telemetry = &m_format->GetCapabilities();
    connection.idleNs = 0;
    connection.ops->OnTelemetry(sample);
    if (m_feedback == PROBE && connection.probes.empty() && connection.sndUna < connection.sndNxt &&
        !connection.ops->HasFallenBack())
    {
        SendProbe(key, connection, nowNs);
    }
}

void
HpccTcpNic::GiveUp(const Key& key, Connection& connection, int64_t nowNs)
{
    ++m_counters.probeTimeouts;
    connection.timeoutNs = NEVER;
    if (++connection.unanswered >= m_maxUnanswered)
    {
        const std::string why = std::to_string(connection.unanswered) + " probes without an answer";
        connection.ops->FallBack(why);
        m_fellBackTrace(std::get<1>(key), std::get<2>(key), why);
        WakePacer(key);
    }
    else if (connection.sndUna < connection.sndNxt)
    {
        if (m_feedback == PROBE)
        {
            SendProbe(key, connection, nowNs);
        }
        else
        {
            Await(connection, nowNs);
        }
    }
}

void
HpccTcpNic::NoteTimer(int64_t atNs)
{
    if (atNs < m_notedNs)
    {
        m_notedNs = atNs;
        m_port->GetAgenda().Note(AgendaKind::HOST_TIMER, m_timer, atNs);
    }
}

void
HpccTcpNic::Due(AgendaKind, uint32_t, int64_t nowNs)
{
    if (nowNs < m_notedNs)
    {
        return;
    }
    m_notedNs = NEVER;
    int64_t nextNs = NEVER;
    for (auto& [key, connection] : m_connections)
    {
        if (connection.timeoutNs <= nowNs)
        {
            GiveUp(key, connection, nowNs);
        }
        nextNs = std::min(nextNs, connection.timeoutNs);
    }
    if (nextNs != NEVER)
    {
        NoteTimer(nextNs);
    }
}

void
HpccTcpNic::DoDispose()
{
    m_connections.clear();
    m_sending = m_connections.end();
    m_port = nullptr;
    m_format = nullptr;
    m_inventory = nullptr;
    Object::DoDispose();
}

} // namespace ns3
