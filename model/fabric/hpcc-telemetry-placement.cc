/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-telemetry-placement.h"

#include "hpcc-ip-headers.h"
#include "hpcc-tcp-options.h"

#include "ns3/abort.h"
#include "ns3/hpcc-tcp-option-format.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/node.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>

namespace ns3
{

using namespace boost::endian;
using namespace IpHeaders;

namespace
{

constexpr size_t ETHERTYPE_OFFSET = ETHERNET_HEADER_BYTES - 2;

/// Removes an option from a TCP segment.
/// @return true if the segment had the option
bool
RemoveOption(const TcpOptionFormat& format, std::vector<uint8_t>& ip, TelemetryStack& stack)
{
    const size_t tcp = HeaderBytes(ip.data());
    if (ip.size() - tcp < TCP_HEADER_BYTES || IsLaterFragment(ip.data()) ||
        !TransportHeaderBytes(TCP_PROTOCOL, &ip[tcp], ip.size() - tcp))
    {
        return false;
    }
    size_t used = 0;
    const size_t at =
        TcpOptions::Find(&ip[tcp], ip.size() - tcp, [&](const uint8_t* in, size_t size) {
            used = format.Deserialize(in, size, stack);
            return used > 0;
        });
    if (at > 0)
    {
        TcpOptions::Remove(ip, tcp, at, used, Node::ChecksumEnabled());
        WriteSize(ip.size(), ip.data());
    }
    return at > 0;
}

/// Returns true if a packet has the mark of a format whose telemetry follows the IP, TCP or UDP
/// header.
bool
IsMarked(const TelemetryMarking& marking, const std::vector<uint8_t>& ip, const Frame& frame)
{
    if (marking.position == TelemetryPosition::TAG || IsLaterFragment(ip.data()) ||
        (marking.ipv6 && !frame.ipv6))
    {
        return false;
    }
    if (marking.protocol >= 0)
    {
        return frame.protocol == marking.protocol;
    }
    const bool tcp = frame.protocol == TCP_PROTOCOL && !marking.udpPort;
    return (tcp || frame.protocol == UDP_PROTOCOL) && (marking.udpPort || marking.dscp >= 0) &&
           (!marking.udpPort || frame.destinationPort == marking.udpPort) &&
           (marking.dscp < 0 || frame.tos >> 2 == marking.dscp);
}

/// Removes the telemetry of a format that follows the IP header, the transport header, or both.
/// @return true if the format can read the telemetry
bool
RemoveFrom(std::vector<uint8_t>& ip, const TelemetryFormat& format, Frame& frame)
{
    const TelemetryMarking& marking = format.GetMarking();
    const auto lead = ip.begin() + static_cast<ptrdiff_t>(HeaderBytes(ip.data()));
    TelemetryStack& stack = frame.telemetry;
    size_t used = 0;
    if (marking.position == TelemetryPosition::NETWORK)
    {
        used = format.Deserialize(&*lead, ip.end() - lead, stack);
        ip.erase(lead, lead + static_cast<ptrdiff_t>(used));
    }
    else if (const size_t size = ip.end() - lead; size >= marking.leadBytes + UDP_HEADER_BYTES)
    {
        const auto udp = lead + marking.leadBytes;
        const bool tcp =
            (marking.protocolAt < 0 ? frame.protocol : lead[marking.protocolAt]) == TCP_PROTOCOL;
        const size_t udpBytes = TransportHeaderBytes(tcp ? TCP_PROTOCOL : UDP_PROTOCOL,
                                                     &*udp,
                                                     size - marking.leadBytes);
        std::vector<uint8_t> telemetry(lead, udp);
        telemetry.insert(telemetry.end(), udp + static_cast<ptrdiff_t>(udpBytes), ip.end());
        used = udpBytes ? format.Deserialize(telemetry.data(), telemetry.size(), stack) : 0;
        const size_t behind = used - std::min<size_t>(used, marking.leadBytes);
        if (used && marking.inUdpLength && !tcp)
        {
            uint8_t* length = &*udp + 4;
            store_big_u16(length, load_big_u16(length) - static_cast<uint16_t>(behind));
        }
        if (used && marking.inUdpLength && tcp && Node::ChecksumEnabled())
        {
            TcpOptions::UpdateChecksum(&*udp,
                                       ip.end() - udp,
                                       telemetry.data() + marking.leadBytes,
                                       -static_cast<int>(behind));
        }
        ip.erase(udp + static_cast<ptrdiff_t>(udpBytes),
                 udp + static_cast<ptrdiff_t>(udpBytes + behind));
        ip.erase(lead, used ? udp : lead);
    }
    if (used == 0)
    {
        return false;
    }
    frame.format = &format;
    if (marking.protocol >= 0)
    {
        frame.protocol = ProtocolOf(ip.data()) = stack.originalProtocol;
    }
    WriteSize(ip.size(), ip.data());
    if (marking.udpPort)
    {
        store_big_u16(ip.data() + HeaderBytes(ip.data()) + 2, stack.originalPort);
    }
    ReadPorts(ip, frame);
    return true;
}

} // namespace

void
TelemetryPlacement::Insert(const Frame& frame, std::vector<uint8_t>& bytes)
{
    const TelemetryMarking& marking = frame.format->GetMarking();
    std::vector<uint8_t> telemetry(frame.format->GetWireBytes(frame.telemetry));
    frame.format->Serialize(frame.telemetry, telemetry.data());
    if (marking.position == TelemetryPosition::TAG)
    {
        bytes.insert(bytes.begin() + ETHERTYPE_OFFSET, telemetry.begin(), telemetry.end());
        return;
    }
    uint8_t* ip = bytes.data() + ETHERNET_HEADER_BYTES;
    uint8_t* udp = ip + HeaderBytes(ip);
    const uint8_t protocol = ProtocolOf(ip);
    if (dynamic_cast<const TcpOptionFormat*>(frame.format))
    {
        NS_ABORT_MSG_IF(protocol != TCP_PROTOCOL, "an option of TCP in something else");
        WriteSize(bytes.size() - ETHERNET_HEADER_BYTES + telemetry.size(), ip);
        TcpOptions::Insert(bytes, udp - bytes.data(), telemetry, Node::ChecksumEnabled());
        return;
    }
    bool network = marking.position == TelemetryPosition::NETWORK;
    size_t leadBytes = network ? telemetry.size() : marking.leadBytes;
    if (marking.protocol >= 0)
    {
        ProtocolOf(ip) = static_cast<uint8_t>(marking.protocol);
    }
    if (marking.udpPort)
    {
        store_big_u16(udp + 2, marking.udpPort);
    }
    if (!network && marking.inUdpLength && protocol == UDP_PROTOCOL)
    {
        store_big_u16(udp + 4, load_big_u16(udp + 4) + telemetry.size() - leadBytes);
    }
    if (!network && marking.inUdpLength && protocol == TCP_PROTOCOL && Node::ChecksumEnabled())
    {
        TcpOptions::UpdateChecksum(udp,
                                   bytes.data() + bytes.size() - udp,
                                   telemetry.data() + leadBytes,
                                   static_cast<int>(telemetry.size() - leadBytes));
    }
    size_t udpOffset = udp - bytes.data();
    const size_t udpBytes = TransportHeaderBytes(protocol, udp, bytes.size() - udpOffset);
    WriteSize(bytes.size() - ETHERNET_HEADER_BYTES + telemetry.size(), ip);
    bytes.insert(bytes.begin() + udpOffset + udpBytes,
                 telemetry.begin() + leadBytes,
                 telemetry.end());
    bytes.insert(bytes.begin() + udpOffset, telemetry.begin(), telemetry.begin() + leadBytes);
}

TelemetryPlacement::Tag
TelemetryPlacement::ReadTag(const std::vector<const TelemetryFormat*>& formats,
                            const uint8_t*& in,
                            size_t& size,
                            Frame& frame)
{
    const uint16_t etherType = load_big_u16(in);
    Tag tag = Tag::NONE;
    for (const TelemetryFormat* format : formats)
    {
        const TelemetryMarking& marking = format->GetMarking();
        if (marking.position != TelemetryPosition::TAG || marking.etherType != etherType)
        {
            continue;
        }
        const size_t used = format->Deserialize(in, size, frame.telemetry);
        if (used && used + 2 <= size)
        {
            frame.format = format;
            in += used;
            size -= used;
            return Tag::READ;
        }
        tag = Tag::MALFORMED;
    }
    return tag;
}

bool
TelemetryPlacement::Remove(const std::vector<const TelemetryFormat*>& formats,
                           std::vector<uint8_t>& ip,
                           Frame& frame)
{
    bool marked = false;
    for (const TelemetryFormat* format : formats)
    {
        const auto* option = dynamic_cast<const TcpOptionFormat*>(format);
        if (option && !frame.format && frame.protocol == TCP_PROTOCOL &&
            RemoveOption(*option, ip, frame.telemetry))
        {
            frame.format = format;
        }
        if (!frame.format && IsMarked(format->GetMarking(), ip, frame))
        {
            const TelemetryMarking& marking = format->GetMarking();
            marked = marked || marking.udpPort || marking.protocol > HOP_BY_HOP_HEADER;
            RemoveFrom(ip, *format, frame);
        }
    }
    if (frame.format)
    {
        const TelemetryMarking& marking = frame.format->GetMarking();
        TelemetryStack& stack = frame.telemetry;
        stack.originalProtocol = frame.protocol;
        stack.originalPort = frame.destinationPort;
        stack.originalDscp = marking.dscp < 0 ? frame.tos >> 2 : stack.originalDscp;
    }
    return frame.format || !marked;
}

bool
TelemetryPlacement::FitsTransport(const Frame& frame)
{
    // A format that is marked by an IP protocol number must store the original protocol, because
    // this protocol identifies the header that the telemetry follows.
    const TelemetryMarking& marking = frame.format->GetMarking();
    return (frame.protocol == TCP_PROTOCOL || frame.protocol == UDP_PROTOCOL) &&
           (marking.position != TelemetryPosition::TRANSPORT || marking.protocol < 0 ||
            marking.protocolAt >= 0);
}

} // namespace ns3
