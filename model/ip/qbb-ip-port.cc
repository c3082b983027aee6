/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "qbb-ip-port.h"

#include "hpcc-receive-offload.h"
#include "hpcc-segment-gate.h"
#include "hpcc-tcp-segment.h"

#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-ip-headers.h"
#include "ns3/hpcc-stack-port.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/qbb-egress.h"
#include "ns3/qbb-net-device.h"
#include "ns3/queue-item.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>
#include <string>
#include <vector>

namespace ns3
{

using namespace boost::endian;

namespace
{

using IpHeaders::IPV4_ETHERTYPE;
using IpHeaders::IPV6_ETHERTYPE;
using IpHeaders::TCP_PROTOCOL;
using IpHeaders::UDP_PROTOCOL;

constexpr uint16_t IPV4_FRAGMENT_MASK = 0x3fff; ///< more fragments, and fragment offset
constexpr uint16_t IPV4_OFFSET_MASK = 0x1fff;   ///< fragment offset
constexpr uint32_t MAX_IPV4_HEADER_BYTES = 60;
constexpr uint32_t PORTS_BYTES = 4;
constexpr uint8_t ICMPV6_PROTOCOL = 58;
constexpr uint8_t ROUTER_SOLICITATION = 133;   ///< ICMPv6 type (RFC 4861)
constexpr uint8_t NEIGHBOR_SOLICITATION = 135; ///< ICMPv6 type (RFC 4861)

/// The bytes from the start of the IP header to the ports.
using Start = std::array<uint8_t, MAX_IPV4_HEADER_BYTES + PORTS_BYTES>;

/// Fills a frame from an IPv4 header, and returns the size of the header, bytes; 0 if the header is
/// malformed.
uint32_t
FillIpv4(const Start& start, uint32_t size, Frame& frame)
{
    const uint32_t headerBytes = (start[0] & 0xf) * 4U;
    if (start[0] >> 4 != 4 || headerBytes < IPV4_HEADER_BYTES || headerBytes > size)
    {
        return 0;
    }
    frame.ipv6 = false;
    frame.tos = start[1];
    frame.ttl = start[8];
    frame.protocol = start[9];
    frame.source = load_big_u32(&start[12]);
    frame.destination = load_big_u32(&start[16]);
    return headerBytes;
}

/// Fills a frame from an IPv6 header, and returns the size of the header, bytes; 0 if the header is
/// malformed.
uint32_t
FillIpv6(const Start& start, uint32_t size, Frame& frame)
{
    if (start[0] >> 4 != 6 || size < IPV6_HEADER_BYTES)
    {
        return 0;
    }
    frame.ipv6 = true;
    frame.tos = load_big_u16(start.data()) >> 4 & 0xff;
    frame.ttl = start[7];
    frame.protocol = start[6];
    frame.source = load_big_u32(&start[20]);
    frame.destination = load_big_u32(&start[36]);
    return IPV6_HEADER_BYTES;
}

/// Returns true if a packet may be addressed to more than one host.
bool
IsForSeveral(const Start& start, const Frame& frame)
{
    return frame.ipv6 ? start[24] == 0xff
                      : frame.destination >> 28 == 0xe || frame.destination == UINT32_MAX;
}

/// Returns true if a packet for several hosts serves only to configure ns-3's IPv6 stack. Such a
/// packet is a router solicitation, or a neighbour solicitation without a source address. The
/// latter searches for another host with the same address (duplicate address detection).
bool
IsConfiguration(Ptr<const Packet> packet, const Frame& frame)
{
    std::array<uint8_t, IPV6_HEADER_BYTES + 1> start{};
    packet->CopyData(start.data(), start.size());
    const uint8_t type = start[IPV6_HEADER_BYTES];
    return frame.ipv6 && frame.protocol == ICMPV6_PROTOCOL &&
           (type == ROUTER_SOLICITATION ||
            (type == NEIGHBOR_SOLICITATION &&
             std::all_of(&start[8], &start[24], [](uint8_t byte) { return byte == 0; })));
}

/// Returns true if the addresses in an IPv6 header are those that Ipv6AddressOf() derives from the
/// frame's addresses.
bool
AreOurs(const Start& start, const Frame& frame)
{
    const auto source = Ipv6AddressOf(frame.source);
    const auto destination = Ipv6AddressOf(frame.destination);
    return std::equal(source.begin(), source.end(), &start[8]) &&
           std::equal(destination.begin(), destination.end(), &start[24]);
}

/// Returns the destination port of a UDP packet, even if the packet is the first of several
/// fragments; 0 for a later fragment.
uint16_t
UdpPortOf(const Frame& frame)
{
    if (frame.destinationPort)
    {
        return frame.destinationPort;
    }
    Start start{};
    frame.packet->CopyData(start.data(), start.size());
    const bool later = frame.ipv6 || load_big_u16(&start[6]) & IPV4_OFFSET_MASK;
    return later ? 0 : load_big_u16(&start[(start[0] & 0xf) * 4U + 2]);
}

} // namespace

NS_OBJECT_ENSURE_REGISTERED(QbbIpPort);

TypeId
QbbIpPort::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<QbbIpPort, StackPort>("ns3::QbbIpPort");
    return tid;
}

QbbIpPort::QbbIpPort() = default;

QbbIpPort::~QbbIpPort() = default;

QbbIpPort&
QbbIpPort::Of(QbbNetDevice& device)
{
    return static_cast<QbbIpPort&>(device.GetStackPort()); // no other class implements StackPort
}

void
QbbIpPort::SetDevice(QbbNetDevice& device)
{
    m_device = &device;
}

void
QbbIpPort::AddFormat(Ptr<const TelemetryFormat> format)
{
    const TelemetryMarking& marking = format->GetMarking();
    if (marking.udpPort || marking.dscp >= 0)
    {
        m_marked.push_back(format);
    }
}

void
QbbIpPort::CheckMark(uint16_t port, uint8_t dscp) const
{
    for (const auto& format : m_marked)
    {
        const TelemetryMarking& marking = format->GetMarking();
        const bool byPort = marking.udpPort && marking.udpPort == port;
        HPCC_REFUSE_IF(
            byPort || marking.dscp == dscp,
            (byPort ? "UDP port " + std::to_string(port) : "DSCP " + std::to_string(dscp)) +
                " marks packets of " + format->GetInstanceTypeId().GetName() + ", but is the " +
                (byPort ? "destination port" : "DSCP") + " of a packet of node " +
                std::to_string(m_device->GetNode()->GetId()) +
                " without telemetry; allowed is any other " + (byPort ? "port" : "DSCP"));
    }
}

void
QbbIpPort::CheckFrame(const Frame& frame) const
{
    const uint8_t dscp = frame.tos >> 2;
    if (frame.format)
    {
        return;
    }
    if (frame.protocol == UDP_PROTOCOL)
    {
        CheckMark(UdpPortOf(frame), dscp);
        return;
    }
    const bool marked = std::any_of(m_marked.begin(), m_marked.end(), [dscp](const auto& format) {
        return format->GetMarking().dscp == dscp;
    });
    if (!marked)
    {
        return;
    }
    TcpSegment segment;
    if (TcpSegment::Parse(frame.packet, frame.ipv6, segment) && segment.payload->GetSize() > 0)
    {
        CheckMark(0, dscp);
    }
}

void
QbbIpPort::EnableQueues()
{
    if (m_queues)
    {
        return;
    }
    m_queues =
        CreateObjectWithAttributes<NetDeviceQueueInterface>("NTxQueues", UintegerValue(PRIORITIES));
    m_queues->SetSelectQueueCallback([this](Ptr<QueueItem> item) -> std::size_t {
        uint8_t tos = 0;
        item->GetUint8Value(QueueItem::IP_DSFIELD, tos);
        return m_device->GetPriority(tos);
    });
    m_device->AggregateObject(m_queues);
}

bool
QbbIpPort::FillFrame(Ptr<Packet> packet, uint16_t etherType, Frame& frame, DropReason& why)
{
    Start start{};
    const uint32_t size = packet->CopyData(start.data(), start.size());
    const uint32_t headerBytes = etherType == IPV4_ETHERTYPE   ? FillIpv4(start, size, frame)
                                 : etherType == IPV6_ETHERTYPE ? FillIpv6(start, size, frame)
                                                               : 0;
    if (headerBytes == 0)
    {
        why = DropReason::MALFORMED;
        return false;
    }
    if (IsForSeveral(start, frame))
    {
        why = DropReason::MULTICAST;
        return false;
    }
    if (frame.ipv6 && !AreOurs(start, frame))
    {
        why = DropReason::FOREIGN_ADDRESS;
        return false;
    }
    frame.kind = Frame::Kind::IP;
    frame.packet = packet;
    frame.bytes = std::max(packet->GetSize() + ETHERNET_HEADER_BYTES, MIN_FRAME_BYTES);
    frame.opcode = 0;
    frame.payloadBytes = 0;
    frame.sourcePort = 0;
    frame.destinationPort = 0;
    const bool whole = frame.ipv6 || !(load_big_u16(&start[6]) & IPV4_FRAGMENT_MASK);
    if (whole && (frame.protocol == UDP_PROTOCOL || frame.protocol == TCP_PROTOCOL))
    {
        frame.sourcePort = load_big_u16(&start[headerBytes]);
        frame.destinationPort = load_big_u16(&start[headerBytes + 2]);
    }
    frame.flowHash = HashFiveTuple(frame.source,
                                   frame.destination,
                                   frame.sourcePort,
                                   frame.destinationPort,
                                   frame.protocol);
    return true;
}

bool
QbbIpPort::Send(Ptr<Packet> packet, uint16_t etherType)
{
    TcpSegment segment;
    return m_device->GetOffload().tso &&
                   (etherType == IPV4_ETHERTYPE || etherType == IPV6_ETHERTYPE) &&
                   TcpSegment::Parse(packet, etherType == IPV6_ETHERTYPE, segment)
               ? SendTcp(segment, packet, etherType)
               : SendWhole(packet, etherType);
}

uint32_t
QbbIpPort::GetWirePayload(uint32_t headerBytes) const
{
    const auto offload = m_device->GetOffload();
    if (!offload.tso)
    {
        return UINT32_MAX;
    }
    const uint32_t room = m_device->GetWireMtu() - headerBytes;
    return offload.segmentBytes ? std::min<uint32_t>(offload.segmentBytes, room) : room;
}

bool
QbbIpPort::SendTcp(const TcpSegment& segment, Ptr<Packet> packet, uint16_t etherType)
{
    const uint32_t limit = GetWirePayload(segment.headerBytes);
    std::vector<Ptr<Packet>> segments{packet};
    if (segment.payload->GetSize() > limit)
    {
        segments = segment.Cut(limit);
    }
    if (m_gate)
    {
        return m_gate->Take(segment, segments, limit);
    }
    bool sent = true;
    for (const auto& part : segments)
    {
        sent = SendWhole(part, etherType) && sent;
    }
    return sent;
}

bool
QbbIpPort::SendWhole(Ptr<Packet> packet, uint16_t etherType)
{
    DropReason why = DropReason::FRAME_TOO_LARGE;
    Frame* frame = m_device->GetAgenda().Frames().Allocate();
    if (packet->GetSize() > m_device->GetWireMtu() || !FillFrame(packet, etherType, *frame, why))
    {
        const bool ignored = why == DropReason::MULTICAST && IsConfiguration(packet, *frame);
        FramePool::Free(frame);
        if (!ignored)
        {
            m_device->DropPacket(packet, why);
        }
        return ignored;
    }
    if (m_device->GetEgress().GetQueueBytes() + frame->bytes > m_device->GetStackQueue().limitBytes)
    {
        m_device->DropOutgoing(frame, DropReason::QUEUE_LIMIT);
        return false;
    }
    for (IpTap* tap : m_taps)
    {
        tap->Sending(*m_device, *frame);
    }
    if (!m_marked.empty())
    {
        CheckFrame(*frame);
    }
    const uint8_t priority = frame->priority = m_device->GetPriority(frame->tos);
    m_device->GetEgress().Enqueue(frame);
    for (IpTap* tap : m_taps)
    {
        tap->Sent(*m_device);
    }
    if (m_queues &&
        m_device->GetEgress().GetQueueBytes(priority) >= m_device->GetStackQueue().stopBytes)
    {
        m_queues->GetTxQueue(priority)->Stop();
        QbbEgress& egress = m_device->GetEgress();
        egress.SetStopped(egress.GetStopped() | 1U << priority);
    }
    return true;
}

void
QbbIpPort::QueueChanged(uint8_t priority)
{
    QbbEgress& egress = m_device->GetEgress();
    if (egress.GetStopped() >> priority & 1 &&
        egress.GetQueueBytes(priority) < m_device->GetStackQueue().stopBytes)
    {
        egress.SetStopped(egress.GetStopped() & ~(1U << priority));
        m_queues->GetTxQueue(priority)->Wake();
    }
}

Ptr<Packet>
QbbIpPort::PacketFor(const Frame& frame)
{
    Ptr<Packet> packet = frame.packet->Copy();
    if (frame.ipv6)
    {
        Ipv6Header ip;
        packet->RemoveHeader(ip);
        ip.SetHopLimit(frame.ttl);
        ip.SetTrafficClass(frame.tos);
        packet->AddHeader(ip);
    }
    else
    {
        Ipv4Header ip;
        packet->RemoveHeader(ip);
        ip.SetTtl(frame.ttl);
        ip.SetTos(frame.tos);
        if (Node::ChecksumEnabled())
        {
            ip.EnableChecksum();
        }
        packet->AddHeader(ip);
    }
    return packet;
}

void
QbbIpPort::Deliver(Frame* frame)
{
    if ((frame->destination ^ m_address) & m_addressMask)
    {
        m_device->Drop(frame, DropReason::WRONG_ADDRESS);
        return;
    }
    if (std::any_of(m_taps.begin(), m_taps.end(), [this, frame](IpTap* tap) {
            return tap->Received(*m_device, *frame);
        }))
    {
        FramePool::Free(frame);
        return;
    }
    if (!m_device->HasReceiver())
    {
        m_device->Drop(frame, DropReason::NO_RECEIVER);
        return;
    }
    const auto offload = m_device->GetOffload();
    if (!offload.gro)
    {
        HandUp(PacketFor(*frame), frame->ipv6);
    }
    else
    {
        if (!m_receiveOffload)
        {
            m_receiveOffload = std::make_unique<ReceiveOffload>(
                m_device->GetAgenda(),
                [this](Ptr<Packet> packet, bool ipv6) { HandUp(packet, ipv6); });
        }
        m_receiveOffload->Take(PacketFor(*frame), *frame, {offload.gapNs, offload.timeoutNs});
    }
    FramePool::Free(frame);
}

void
QbbIpPort::HandUp(Ptr<Packet> packet, bool ipv6)
{
    m_device->HandUp(packet, ipv6 ? IPV6_ETHERTYPE : IPV4_ETHERTYPE);
}

void
QbbIpPort::DoDispose()
{
    m_taps.clear();
    m_marked.clear();
    m_gate = nullptr;
    m_queues = nullptr;
    if (m_receiveOffload)
    {
        m_receiveOffload->Clear();
    }
    StackPort::DoDispose();
}

} // namespace ns3
