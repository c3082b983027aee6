/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-frame-codec.h"

#include "hpcc-roce-headers.h"
#include "hpcc-tcp-options.h"

#include "ns3/abort.h"
#include "ns3/hpcc-reflection-header.h"
#include "ns3/hpcc-tcp-option-format.h"
#include "ns3/hpcc-worst-hop.h"
#include "ns3/node.h"

#include <algorithm>
#include <array>
#include <boost/crc.hpp>
#include <boost/endian/conversion.hpp>

namespace ns3
{

using namespace boost::endian;

namespace
{

constexpr uint16_t IPV4_ETHERTYPE = 0x0800;
constexpr uint16_t IPV6_ETHERTYPE = 0x86dd;
constexpr uint16_t MAC_CONTROL_ETHERTYPE = 0x8808;
constexpr uint8_t TCP_PROTOCOL = 6;
constexpr uint8_t UDP_PROTOCOL = 17;
constexpr size_t TCP_HEADER_BYTES = 20; ///< without options
constexpr uint8_t HOP_BY_HOP_HEADER = 0;
constexpr uint16_t IPV4_DONT_FRAGMENT = 0x4000;
constexpr uint16_t IPV4_FRAGMENT_MASK = 0x3fff;
constexpr uint16_t IPV4_OFFSET_MASK = 0x1fff;
constexpr size_t ETHERTYPE_OFFSET = 12;
constexpr std::array<uint8_t, 6> MAC_CONTROL_ADDRESS{0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};
constexpr std::array<uint8_t, 12> IPV6_PREFIX{0xfd, 0x68, 0x70, 0x63, 0x63};

/// @return pad bytes after so many bytes of payload
constexpr uint32_t
PadBytes(uint32_t payloadBytes)
{
    return -payloadBytes & 3;
}

/// @return bytes of the telemetry in front of the BTH
uint32_t
TelemetryBytes(const Frame& frame)
{
    return frame.CollectsTelemetry() ? frame.format->GetWireBytes(frame.telemetry) : 0;
}

/// @return bytes of what the pad fills up: the payload, or what is reflected
uint32_t
ContentBytes(const Frame& frame)
{
    if (!frame.IsRoceFeedback())
    {
        return frame.payloadBytes;
    }
    return frame.format && frame.MayReflect() ? ReflectionBytes(frame) : 0;
}

/// @return bytes between the BTH and what the pad fills up, but for OptionalBytes()
constexpr uint32_t
ExtendedHeaderBytes(uint8_t opcode)
{
    return HasReth(opcode)                  ? RETH_BYTES
           : HasAeth(opcode)                ? AETH_BYTES
           : opcode == ROCE_CNP             ? RoceNotificationHeader::BYTES
           : opcode == ROCE_SWITCH_RESPONSE ? RoceSwitchResponseHeader::BYTES
                                            : 0;
}

/// @return bytes between the AETH and the reflection header, or behind what a CNP says
uint32_t
OptionalBytes(const Frame& frame)
{
    if (frame.opcode == ROCE_CNP)
    {
        return frame.notification.authenticated ? sizeof(FeedbackTag) : 0;
    }
    return frame.NamesPacket() ? NAMED_PSN_BYTES : 0;
}

/// @return bytes between the BTH and the ICRC
uint32_t
BytesAfterBth(const Frame& frame)
{
    uint32_t contentBytes = ContentBytes(frame);
    return ExtendedHeaderBytes(frame.opcode) + OptionalBytes(frame) + contentBytes +
           PadBytes(contentBytes);
}

/// @return the IPv4 header checksum over so many bytes; 0 if the right one is among them
uint16_t
Ipv4Checksum(const uint8_t* header, size_t size)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < size; i += 2)
    {
        sum += load_big_u16(header + i);
    }
    while (sum >> 16)
    {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return static_cast<uint16_t>(~sum);
}

std::vector<uint8_t>
MacControl(const Mac48Address& source)
{
    std::vector<uint8_t> bytes(MIN_FRAME_BYTES);
    std::copy(MAC_CONTROL_ADDRESS.begin(), MAC_CONTROL_ADDRESS.end(), bytes.begin());
    source.CopyTo(bytes.data() + 6);
    store_big_u16(bytes.data() + 12, MAC_CONTROL_ETHERTYPE);
    return bytes;
}

void
WriteEthernet(const Mac48Address& destination, const Mac48Address& source, bool ipv6, uint8_t* out)
{
    destination.CopyTo(out);
    source.CopyTo(out + 6);
    store_big_u16(out + ETHERTYPE_OFFSET, ipv6 ? IPV6_ETHERTYPE : IPV4_ETHERTYPE);
}

/// @return true if the bytes begin with an IPv6 header
bool
IsIpv6(const uint8_t* ip)
{
    return ip[0] >> 4 == 6;
}

/// @return bytes of the IP header
size_t
HeaderBytes(const uint8_t* ip)
{
    return IsIpv6(ip) ? IPV6_HEADER_BYTES : (ip[0] & 0xf) * 4U;
}

/// Write the header checksum, if the header has one.
void
WriteIpChecksum(uint8_t* ip)
{
    if (!IsIpv6(ip))
    {
        store_big_u16(ip + 10, 0);
        store_big_u16(ip + 10, Ipv4Checksum(ip, HeaderBytes(ip)));
    }
}

/// Write the size of the packet, header included, into a complete header.
void
WriteIpBytes(size_t ipBytes, uint8_t* ip)
{
    bool ipv6 = IsIpv6(ip);
    store_big_u16(ip + (ipv6 ? 4 : 2), ipBytes - (ipv6 ? IPV6_HEADER_BYTES : 0));
    WriteIpChecksum(ip);
}

/// @return where the header says what follows it
uint8_t&
ProtocolOf(uint8_t* ip)
{
    return ip[IsIpv6(ip) ? 6 : 9];
}

/// Write TOS and TTL, or traffic class and hop limit.
void
WriteTosAndTtl(const Frame& frame, uint8_t* ip)
{
    if (IsIpv6(ip))
    {
        store_big_u16(ip, 0x6000 | frame.tos << 4 | (ip[1] & 0xf));
        ip[7] = frame.ttl;
    }
    else
    {
        ip[1] = frame.tos;
        ip[8] = frame.ttl;
        WriteIpChecksum(ip);
    }
}

void
WriteIpUdp(const Frame& frame, size_t ipBytes, uint8_t* out)
{
    out[0] = frame.ipv6 ? 0x60 : 0x45;
    if (frame.ipv6)
    {
        auto source = Ipv6AddressOf(frame.source);
        auto destination = Ipv6AddressOf(frame.destination);
        std::copy(source.begin(), source.end(), out + 8);
        std::copy(destination.begin(), destination.end(), out + 24);
    }
    else
    {
        store_big_u16(out + 4, frame.ipId);
        store_big_u16(out + 6, IPV4_DONT_FRAGMENT);
        store_big_u32(out + 12, frame.source);
        store_big_u32(out + 16, frame.destination);
    }
    ProtocolOf(out) = UDP_PROTOCOL;
    WriteTosAndTtl(frame, out);
    WriteIpBytes(ipBytes, out);
    uint8_t* udp = out + HeaderBytes(out);
    store_big_u16(udp, frame.sourcePort);
    store_big_u16(udp + 2, frame.destinationPort);
    store_big_u16(udp + 4, static_cast<uint16_t>(ipBytes - HeaderBytes(out)));
}

/// @return bytes of the UDP or TCP header; 0 if it is another one or does not fit
size_t
TransportHeaderBytes(uint8_t protocol, const uint8_t* transport, size_t size)
{
    if (protocol == TCP_PROTOCOL && size >= TCP_HEADER_BYTES)
    {
        const size_t bytes = (transport[12] >> 4) * 4U;
        return bytes >= TCP_HEADER_BYTES && bytes <= size ? bytes : 0;
    }
    return protocol == UDP_PROTOCOL && size >= UDP_HEADER_BYTES ? UDP_HEADER_BYTES : 0;
}

/// Put telemetry into a frame that has none, and mark it.
void
InsertTelemetry(const Frame& frame, std::vector<uint8_t>& bytes)
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
        WriteIpBytes(bytes.size() - ETHERNET_HEADER_BYTES + telemetry.size(), ip);
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
    size_t udpOffset = udp - bytes.data();
    const size_t udpBytes = TransportHeaderBytes(protocol, udp, bytes.size() - udpOffset);
    WriteIpBytes(bytes.size() - ETHERNET_HEADER_BYTES + telemetry.size(), ip);
    bytes.insert(bytes.begin() + udpOffset + udpBytes,
                 telemetry.begin() + leadBytes,
                 telemetry.end());
    bytes.insert(bytes.begin() + udpOffset, telemetry.begin(), telemetry.begin() + leadBytes);
}

void
WriteBth(const Frame& frame, uint8_t* out)
{
    RoceBthHeader bth;
    bth.opcode = frame.opcode;
    bth.solicited = frame.bthFlags & ROCE_SOLICITED;
    bth.migrated = frame.opcode != ROCE_CNP;
    bth.padBytes = PadBytes(ContentBytes(frame));
    bth.fecn = frame.bthFlags & ROCE_FECN;
    bth.becn = frame.bthFlags & ROCE_BECN || frame.opcode == ROCE_CNP;
    bth.destinationQp = frame.destinationQp;
    bth.ackRequest = frame.bthFlags & ROCE_ACK_REQUEST;
    bth.note = frame.opcode == ROCE_PROBE ? frame.msn & 0x7f : frame.bthFlags >> RoceEpoch::SHIFT;
    bth.psn = frame.opcode == ROCE_CNP ? 0 : frame.psn;
    bth.Serialize(out);
}

/// @return words of a report of the worst hop
uint32_t
ReportWords(uint8_t flags)
{
    return flags & REFLECTION_WORST_HOP ? HpccWorstHop::WORDS : HpccWorstHop::BARE_WORDS;
}

void
WriteReflection(const Frame& frame, uint8_t* out)
{
    HpccReflectionHeader reflection;
    reflection.flags = frame.reflection.flags;
    reflection.formatId = frame.format->GetReflectionId();
    reflection.hops = frame.telemetry.hops;
    reflection.stackFlags = frame.telemetry.flags;
    reflection.flows = frame.reportedFlows;
    reflection.sequence = frame.reflectionSeq;
    reflection.Serialize(out);
    out += HpccReflectionHeader::BYTES;
    if (reflection.flags & REFLECTION_AUTHENTICATED)
    {
        out = std::copy(frame.reflection.tag.begin(), frame.reflection.tag.end(), out);
    }
    if (!frame.ReportsWorstHop())
    {
        frame.format->SerializeRecords(frame.telemetry, out);
        return;
    }
    for (uint32_t i = 0; i < ReportWords(frame.reflection.flags); ++i)
    {
        store_big_u32(out + 4 * i, frame.telemetry.words[i]);
    }
}

void
WriteNotification(const Frame& frame, uint8_t* out)
{
    RoceNotificationHeader header;
    header.kind = frame.notification.kind;
    header.congested = frame.notification.congested;
    header.authenticated = frame.notification.authenticated;
    header.number = frame.notification.number;
    header.value = frame.notification.value;
    header.Serialize(out);
}

void
WriteExtendedHeaders(const Frame& frame, uint8_t* out)
{
    if (HasReth(frame.opcode))
    {
        RoceRethHeader reth{frame.reth.address, frame.reth.key, frame.reth.length};
        reth.Serialize(out);
    }
    else if (HasAeth(frame.opcode))
    {
        RoceAethHeader aeth{frame.syndrome, frame.msn};
        aeth.Serialize(out);
        out += AETH_BYTES;
        if (frame.NamesPacket())
        {
            RoceNamedPsnHeader{frame.reflection.namedPsn}.Serialize(out);
            out += NAMED_PSN_BYTES;
        }
        if (frame.format && frame.IsAcknowledgement())
        {
            WriteReflection(frame, out);
        }
    }
    else if (frame.opcode == ROCE_SWITCH_RESPONSE)
    {
        RoceSwitchResponseHeader{frame.response.forReceiver, frame.response.switchId}.Serialize(
            out);
        if (frame.format)
        {
            WriteReflection(frame, out + RoceSwitchResponseHeader::BYTES);
        }
    }
    else if (frame.opcode == ROCE_CNP)
    {
        WriteNotification(frame, out);
        if (frame.notification.authenticated)
        {
            const FeedbackTag& tag = frame.notification.tag;
            std::copy(tag.begin(), tag.end(), out + RoceNotificationHeader::BYTES);
        }
    }
}

std::vector<uint8_t>
EncodeRoce(const Frame& frame, const Mac48Address& source, const Mac48Address& destination)
{
    size_t bthOffset = IpHeaderBytes(frame.ipv6) + UDP_HEADER_BYTES;
    size_t ipBytes = bthOffset + BTH_BYTES + BytesAfterBth(frame) + ICRC_BYTES;
    NS_ABORT_MSG_IF(ipBytes + TelemetryBytes(frame) > 0xffff,
                    "RoCE packet of " << ipBytes + TelemetryBytes(frame)
                                      << " bytes does not fit IP");

    // The ICRC is that of the bare packet, so make that first and then open it for the telemetry.
    std::vector<uint8_t> bytes(ETHERNET_HEADER_BYTES + ipBytes);
    WriteEthernet(destination, source, frame.ipv6, bytes.data());
    uint8_t* ip = bytes.data() + ETHERNET_HEADER_BYTES;
    WriteIpUdp(frame, ipBytes, ip);
    WriteBth(frame, ip + bthOffset);
    WriteExtendedHeaders(frame, ip + bthOffset + BTH_BYTES);
    store_little_u32(ip + ipBytes - ICRC_BYTES, FrameCodec::InvariantCrc(ip, ipBytes - ICRC_BYTES));
    if (frame.CollectsTelemetry())
    {
        InsertTelemetry(frame, bytes);
    }
    bytes.resize(std::max<size_t>(bytes.size(), MIN_FRAME_BYTES));
    return bytes;
}

std::vector<uint8_t>
EncodeIp(const Frame& frame, const Mac48Address& source, const Mac48Address& destination)
{
    uint32_t ipBytes = frame.packet->GetSize();
    std::vector<uint8_t> bytes(ETHERNET_HEADER_BYTES + std::max(ipBytes, IPV4_HEADER_BYTES));
    uint8_t* ip = bytes.data() + ETHERNET_HEADER_BYTES;
    frame.packet->CopyData(ip, ipBytes);
    WriteEthernet(destination, source, IsIpv6(ip), bytes.data());
    NS_ABORT_MSG_IF((!IsIpv6(ip) && ip[0] >> 4 != 4) || HeaderBytes(ip) > ipBytes ||
                        HeaderBytes(ip) < IPV4_HEADER_BYTES,
                    "the packet of an IP frame is not IP");
    WriteTosAndTtl(frame, ip);
    if (frame.CollectsTelemetry())
    {
        InsertTelemetry(frame, bytes);
    }
    bytes.resize(std::max<size_t>(bytes.size(), MIN_FRAME_BYTES));
    return bytes;
}

std::vector<uint8_t>
EncodePfc(const Frame& frame, const Mac48Address& source)
{
    std::vector<uint8_t> bytes = MacControl(source);
    PfcHeader pfc{static_cast<uint8_t>(frame.pfc.classEnable), frame.pfc.quanta};
    pfc.Serialize(bytes.data() + ETHERNET_HEADER_BYTES);
    return bytes;
}

bool
DecodePfc(const uint8_t* bytes, size_t size, Frame& frame, std::string& why)
{
    if (!std::equal(MAC_CONTROL_ADDRESS.begin(), MAC_CONTROL_ADDRESS.end(), bytes))
    {
        why = "MAC control frame is not to 01:80:c2:00:00:01";
        return false;
    }
    PfcHeader pfc;
    if (!pfc.Deserialize(bytes + ETHERNET_HEADER_BYTES, size - ETHERNET_HEADER_BYTES, why))
    {
        return false;
    }
    frame.kind = Frame::Kind::PFC;
    frame.pfc.classEnable = pfc.classEnable;
    frame.pfc.quanta = pfc.quanta;
    return true;
}

/// @return bytes of the IPv4 packet, 0 if its header is not right
size_t
CheckIpv4(const uint8_t* ip, size_t size, std::string& why)
{
    size_t headerBytes = size < IPV4_HEADER_BYTES ? 0 : HeaderBytes(ip);
    size_t ipBytes = headerBytes ? load_big_u16(ip + 2) : 0;
    if (ipBytes > size)
    {
        why = "IPv4 packet is cut off";
    }
    else if (headerBytes < IPV4_HEADER_BYTES || headerBytes > ipBytes)
    {
        why = "IPv4 header length is wrong";
    }
    else if (Ipv4Checksum(ip, headerBytes) != 0)
    {
        why = "IPv4 header checksum is wrong";
    }
    else
    {
        return ipBytes;
    }
    return 0;
}

/// @return bytes of the IPv6 packet, 0 if its header is not right
size_t
CheckIpv6(const uint8_t* ip, size_t size, std::string& why)
{
    size_t ipBytes = size < IPV6_HEADER_BYTES ? SIZE_MAX : IPV6_HEADER_BYTES + load_big_u16(ip + 4);
    if (ipBytes > size)
    {
        why = "IPv6 packet is cut off";
        return 0;
    }
    return ipBytes;
}

/// @return bytes of the IP packet, 0 if its header is not right
size_t
CheckIp(uint16_t etherType, const uint8_t* ip, size_t size, std::string& why)
{
    int version = etherType == IPV6_ETHERTYPE ? 6 : 4;
    if (size == 0 || ip[0] >> 4 != version)
    {
        why = "IP version is not " + std::to_string(version);
        return 0;
    }
    return version == 6 ? CheckIpv6(ip, size, why) : CheckIpv4(ip, size, why);
}

/// Fill what the IP header says.
void
ReadIp(const uint8_t* ip, Frame& frame)
{
    frame.ipv6 = IsIpv6(ip);
    frame.ipId = frame.ipv6 ? 0 : load_big_u16(ip + 4);
    frame.tos = frame.ipv6 ? load_big_u16(ip) >> 4 & 0xff : ip[1];
    frame.ttl = ip[frame.ipv6 ? 7 : 8];
    frame.protocol = ip[frame.ipv6 ? 6 : 9];
    frame.source = load_big_u32(ip + (frame.ipv6 ? 20 : 12));
    frame.destination = load_big_u32(ip + (frame.ipv6 ? 36 : 16));
}

/// Fill the ports: the first 4 bytes of whatever the packet carries.
void
ReadPorts(const std::vector<uint8_t>& ip, Frame& frame)
{
    size_t headerBytes = HeaderBytes(ip.data());
    std::array<uint8_t, 4> ports{};
    std::copy_n(ip.data() + headerBytes,
                std::min(ports.size(), ip.size() - headerBytes),
                ports.begin());
    frame.sourcePort = load_big_u16(ports.data());
    frame.destinationPort = load_big_u16(ports.data() + 2);
}

/// @return true if this is a fragment other than the first
bool
IsLaterFragment(const uint8_t* ip)
{
    return !IsIpv6(ip) && load_big_u16(ip + 6) & IPV4_OFFSET_MASK;
}

/// Take an option out of a segment of TCP. @return true if it was there
bool
StripOption(const TcpOptionFormat& format, std::vector<uint8_t>& ip, TelemetryStack& stack)
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
        WriteIpBytes(ip.size(), ip.data());
    }
    return at > 0;
}

/// @return true if a packet may carry telemetry of a format behind its IP or UDP header
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

/// Fill the fields of the BTH.
bool
ReadBth(const RoceBthHeader& bth, Frame& frame, std::string& why)
{
    if (!IsRoceOpcode(bth.opcode))
    {
        why = "BTH opcode " + std::to_string(bth.opcode) + " is not known";
        return false;
    }
    if (bth.version != 0 || bth.partition != 0xffff)
    {
        why = bth.version != 0 ? "BTH version is not 0" : "P_Key is not 0xffff";
        return false;
    }
    frame.opcode = bth.opcode;
    frame.bthFlags = (bth.ackRequest ? ROCE_ACK_REQUEST : 0) | (bth.fecn ? ROCE_FECN : 0) |
                     (bth.becn ? ROCE_BECN : 0) | (bth.solicited ? ROCE_SOLICITED : 0);
    frame.destinationQp = bth.destinationQp;
    frame.psn = bth.psn;
    if (frame.opcode == ROCE_PROBE)
    {
        frame.msn = bth.note;
    }
    else
    {
        frame.bthFlags |= (bth.note & RoceEpoch::MASK) << RoceEpoch::SHIFT;
    }
    return true;
}

/// @return true if a frame's telemetry may stand behind the header of TCP, or of UDP without RoCE
bool
MayJoinTransport(const Frame& frame)
{
    // Marked by an IP protocol, a format must say which header it stands behind.
    const TelemetryMarking& marking = frame.format->GetMarking();
    return (frame.protocol == TCP_PROTOCOL || frame.protocol == UDP_PROTOCOL) &&
           (marking.position != TelemetryPosition::TRANSPORT || marking.protocol < 0 ||
            marking.protocolAt >= 0);
}

} // namespace

void
FrameCodec::AddFormat(const TelemetryFormat* format)
{
    m_formats.push_back(format);
}

std::vector<uint8_t>
FrameCodec::Encode(const Frame& frame, const Mac48Address& source, const Mac48Address& destination)
{
    switch (frame.kind)
    {
    case Frame::Kind::ROCE:
        return EncodeRoce(frame, source, destination);
    case Frame::Kind::IP:
        return EncodeIp(frame, source, destination);
    case Frame::Kind::PFC:
        return EncodePfc(frame, source);
    }
    NS_ABORT_MSG("frame of unknown kind");
}

std::vector<uint8_t>
FrameCodec::EncodePause(uint16_t quanta, const Mac48Address& source)
{
    std::vector<uint8_t> bytes = MacControl(source);
    PfcHeader::SerializePause(quanta, bytes.data() + ETHERNET_HEADER_BYTES);
    return bytes;
}

uint32_t
FrameCodec::InvariantCrc(const uint8_t* ip, size_t size)
{
    constexpr size_t maxMaskedBytes = 60 + UDP_HEADER_BYTES + BTH_BYTES;
    size_t udp = HeaderBytes(ip);
    std::array<uint8_t, maxMaskedBytes> head;
    size_t headBytes = std::min(size, udp + UDP_HEADER_BYTES + BTH_BYTES);
    std::copy_n(ip, headBytes, head.begin());
    if (IsIpv6(ip))
    {
        head[0] = 0x6f;
        head[1] = head[2] = head[3] = 0xff;
        head[7] = 0xff;
    }
    else
    {
        head[1] = 0xff;
        head[8] = 0xff;
        head[10] = head[11] = 0xff;
    }
    head[udp + 6] = head[udp + 7] = 0xff;
    head[udp + UDP_HEADER_BYTES + 4] = 0xff;

    boost::crc_32_type crc;
    std::array<uint8_t, 8> ones;
    ones.fill(0xff);
    crc.process_bytes(ones.data(), ones.size());
    crc.process_bytes(head.data(), headBytes);
    crc.process_bytes(ip + headBytes, size - headBytes);
    return crc.checksum();
}

std::array<uint8_t, 16>
Ipv6AddressOf(uint32_t address)
{
    std::array<uint8_t, 16> bytes;
    std::copy(IPV6_PREFIX.begin(), IPV6_PREFIX.end(), bytes.begin());
    store_big_u32(bytes.data() + IPV6_PREFIX.size(), address);
    return bytes;
}

struct FrameCodec::Bare
{
    std::vector<uint8_t> ip; ///< the bytes from the IP header on, without padding
};

bool
FrameCodec::Decode(const uint8_t* bytes, size_t size, Frame& frame, std::string& why) const
{
    if (size < MIN_FRAME_BYTES)
    {
        why = "frame of " + std::to_string(size) + " bytes is a runt";
        return false;
    }
    frame.opcode = 0;
    frame.payloadBytes = 0;
    frame.format = nullptr;
    Ptr<Packet> packet;
    if (load_big_u16(bytes + ETHERTYPE_OFFSET) == MAC_CONTROL_ETHERTYPE)
    {
        if (!DecodePfc(bytes, size, frame, why))
        {
            return false;
        }
    }
    else
    {
        Bare bare;
        if (!Strip(bytes + ETHERTYPE_OFFSET, size - ETHERTYPE_OFFSET, frame, bare, why))
        {
            return false;
        }
        bool roce = frame.protocol == UDP_PROTOCOL && frame.destinationPort == ROCE_UDP_PORT &&
                    !IsLaterFragment(bare.ip.data());
        if (!roce && frame.format && !MayJoinTransport(frame))
        {
            why = "telemetry in something other than UDP and TCP";
            return false;
        }
        if (roce && !DecodeRoce(bare, frame, why))
        {
            return false;
        }
        frame.flowHash = HashFiveTuple(frame.source,
                                       frame.destination,
                                       frame.sourcePort,
                                       frame.destinationPort,
                                       frame.protocol);
        frame.kind = roce ? Frame::Kind::ROCE : Frame::Kind::IP;
        if (!roce)
        {
            packet = Create<Packet>(bare.ip.data(), bare.ip.size());
        }
    }
    frame.bytes = size;
    frame.packet = packet;
    return true;
}

bool
FrameCodec::Strip(const uint8_t* in, size_t size, Frame& frame, Bare& bare, std::string& why) const
{
    uint16_t etherType = load_big_u16(in);
    bool tagged = false;
    for (const TelemetryFormat* format : m_formats)
    {
        const TelemetryMarking& marking = format->GetMarking();
        if (frame.format || marking.position != TelemetryPosition::TAG ||
            marking.etherType != etherType)
        {
            continue;
        }
        tagged = true;
        size_t used = format->Deserialize(in, size, frame.telemetry);
        if (used && used + 2 <= size)
        {
            frame.format = format;
            in += used;
            size -= used;
        }
    }
    if (tagged)
    {
        etherType = frame.format ? load_big_u16(in) : 0;
    }
    if (etherType != IPV4_ETHERTYPE && etherType != IPV6_ETHERTYPE)
    {
        why = tagged ? "telemetry is malformed"
                     : "EtherType " + std::to_string(etherType) + " is neither IP nor MAC control";
        return false;
    }
    size_t ipBytes = CheckIp(etherType, in + 2, size - 2, why);
    if (ipBytes == 0)
    {
        return false;
    }
    bare.ip.assign(in + 2, in + 2 + ipBytes);
    ReadIp(bare.ip.data(), frame);
    ReadPorts(bare.ip, frame);
    bool marked = false;
    for (const TelemetryFormat* format : m_formats)
    {
        const auto* option = dynamic_cast<const TcpOptionFormat*>(format);
        if (option && !frame.format && frame.protocol == TCP_PROTOCOL &&
            StripOption(*option, bare.ip, frame.telemetry))
        {
            frame.format = format;
        }
        if (!frame.format && IsMarked(format->GetMarking(), bare.ip, frame))
        {
            // A hop-by-hop header or a DSCP may be someone else's.
            const TelemetryMarking& marking = format->GetMarking();
            marked = marked || marking.udpPort || marking.protocol > HOP_BY_HOP_HEADER;
            StripIp(*format, frame, bare);
        }
    }
    if (marked && !frame.format)
    {
        why = "telemetry is malformed";
        return false;
    }
    if (frame.format)
    {
        const TelemetryMarking& marking = frame.format->GetMarking();
        TelemetryStack& stack = frame.telemetry;
        stack.originalProtocol = frame.protocol;
        stack.originalPort = frame.destinationPort;
        stack.originalDscp = marking.dscp < 0 ? frame.tos >> 2 : stack.originalDscp;
    }
    return true;
}

bool
FrameCodec::StripIp(const TelemetryFormat& format, Frame& frame, Bare& bare)
{
    const TelemetryMarking& marking = format.GetMarking();
    std::vector<uint8_t>& ip = bare.ip;
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
    WriteIpBytes(ip.size(), ip.data());
    if (marking.udpPort)
    {
        store_big_u16(ip.data() + HeaderBytes(ip.data()) + 2, stack.originalPort);
    }
    ReadPorts(ip, frame);
    return true;
}

bool
FrameCodec::DecodeRoce(const Bare& bare, Frame& frame, std::string& why) const
{
    const uint8_t* ip = bare.ip.data();
    const size_t size = bare.ip.size();
    const size_t headerBytes = IpHeaderBytes(frame.ipv6);
    if (HeaderBytes(ip) != headerBytes ||
        (!frame.ipv6 && load_big_u16(ip + 6) & IPV4_FRAGMENT_MASK))
    {
        why = "RoCE packet is fragmented or has IPv4 options";
        return false;
    }
    const size_t bthOffset = headerBytes + UDP_HEADER_BYTES;
    if (size < bthOffset || load_big_u16(ip + headerBytes + 4) != size - headerBytes)
    {
        why = "UDP length is wrong";
        return false;
    }
    if (size < bthOffset + BTH_BYTES + ICRC_BYTES)
    {
        why = "BTH is cut off";
        return false;
    }
    const size_t end = size - ICRC_BYTES;
    if (InvariantCrc(ip, end) != load_little_u32(ip + end))
    {
        why = "ICRC is wrong";
        return false;
    }
    return DecodeTransport(ip + bthOffset, end - bthOffset, frame, why);
}

bool
FrameCodec::DecodeTransport(const uint8_t* in, size_t size, Frame& frame, std::string& why) const
{
    RoceBthHeader bth;
    bth.Deserialize(in);
    if (!ReadBth(bth, frame, why))
    {
        return false;
    }
    if (frame.format && frame.IsRoceFeedback())
    {
        why = "telemetry in front of feedback";
        return false;
    }
    size_t headerBytes = ExtendedHeaderBytes(frame.opcode);
    in += BTH_BYTES;
    size -= BTH_BYTES;
    if (size < headerBytes + bth.padBytes)
    {
        why = "packet is too short for its BTH opcode and pad count";
        return false;
    }
    if (HasAeth(frame.opcode))
    {
        RoceAethHeader aeth;
        aeth.Deserialize(in);
        frame.syndrome = aeth.syndrome;
        frame.msn = aeth.msn;
        headerBytes += OptionalBytes(frame);
        if (size < headerBytes + bth.padBytes)
        {
            why = "selective NAK or notification does not name a packet";
            return false;
        }
    }
    else if (frame.opcode == ROCE_CNP)
    {
        RoceNotificationHeader header;
        header.Deserialize(in);
        frame.notification =
            {header.value, header.kind, header.congested, header.authenticated, header.number, {}};
        headerBytes += OptionalBytes(frame);
        if (size < headerBytes)
        {
            why = "authenticator of the CNP is cut off";
            return false;
        }
    }
    size_t contentBytes = size - headerBytes - bth.padBytes;
    const bool empty =
        frame.opcode == ROCE_CNP || frame.opcode == ROCE_READ_REQUEST || frame.opcode == ROCE_PROBE;
    if (PadBytes(contentBytes) != bth.padBytes || (empty && contentBytes))
    {
        why = "packet length does not fit its BTH opcode and pad count";
        return false;
    }
    if (frame.IsAcknowledgement())
    {
        if (frame.NamesPacket())
        {
            RoceNamedPsnHeader named;
            named.Deserialize(in + AETH_BYTES);
            frame.reflection.namedPsn = frame.IsSelective() ? named.psn & 0xffffff : named.psn;
        }
        frame.reflection.flags = 0;
        return contentBytes == 0 || DecodeReflection(in + headerBytes, contentBytes, frame, why);
    }
    if (frame.opcode == ROCE_SWITCH_RESPONSE)
    {
        RoceSwitchResponseHeader response;
        if (!response.Deserialize(in))
        {
            why = "switch response is of an unknown version";
            return false;
        }
        frame.response.flags = 0;
        frame.response.switchId = response.switchId;
        frame.response.forReceiver = response.forReceiver;
        return contentBytes == 0 || DecodeReflection(in + headerBytes, contentBytes, frame, why);
    }
    if (HasReth(frame.opcode))
    {
        RoceRethHeader reth;
        reth.Deserialize(in);
        frame.reth = {reth.address, reth.key, reth.length};
    }
    else if (frame.opcode == ROCE_CNP)
    {
        FeedbackTag& tag = frame.notification.tag;
        std::copy_n(in + RoceNotificationHeader::BYTES,
                    frame.notification.authenticated ? tag.size() : 0,
                    tag.begin());
    }
    frame.payloadBytes = contentBytes;
    return true;
}

bool
FrameCodec::DecodeReflection(const uint8_t* in, size_t size, Frame& frame, std::string& why) const
{
    HpccReflectionHeader reflection;
    if (reflection.Deserialize(in, size) == 0)
    {
        why = "reflection header is malformed";
        return false;
    }
    in += HpccReflectionHeader::BYTES;
    size -= HpccReflectionHeader::BYTES;
    frame.reflection.flags = reflection.flags;
    if (reflection.flags & REFLECTION_AUTHENTICATED)
    {
        FeedbackTag& tag = frame.reflection.tag;
        if (size < tag.size())
        {
            why = "authenticator of the reflection header is cut off";
            return false;
        }
        std::copy_n(in, tag.size(), tag.begin());
        in += tag.size();
        size -= tag.size();
    }
    TelemetryStack& stack = frame.telemetry;
    if (frame.ReportsWorstHop())
    {
        return DecodeReport(in, size, reflection, frame, why);
    }
    for (const TelemetryFormat* format : m_formats)
    {
        stack.hops = reflection.hops;
        if (format->GetReflectionId() == reflection.formatId &&
            format->GetReflectedBytes(stack) == size &&
            format->DeserializeRecords(in, size, reflection.hops, stack) == size)
        {
            frame.format = format;
            stack.flags = reflection.stackFlags;
            frame.reportedFlows = reflection.flows;
            frame.reflectionSeq = reflection.sequence;
            return true;
        }
    }
    why = "no known telemetry format reads the records after the reflection header";
    return false;
}

bool
FrameCodec::DecodeReport(const uint8_t* in,
                         size_t size,
                         const HpccReflectionHeader& reflection,
                         Frame& frame,
                         std::string& why) const
{
    auto known = std::find_if(m_formats.begin(), m_formats.end(), [&](const auto* format) {
        return format->GetReflectionId() == reflection.formatId;
    });
    const uint32_t words = ReportWords(reflection.flags);
    if (known == m_formats.end() || reflection.hops != 1 || size != 4 * words)
    {
        why = known == m_formats.end()
                  ? "no known telemetry format reads the records after the reflection header"
                  : "report of one hop has the wrong size";
        return false;
    }
    frame.format = *known;
    frame.reportedFlows = reflection.flows;
    frame.reflectionSeq = reflection.sequence;
    frame.telemetry.hops = 1;
    frame.telemetry.flags = reflection.stackFlags;
    frame.telemetry.pathId = 0;
    for (uint32_t i = 0; i < words; ++i)
    {
        frame.telemetry.words[i] = load_big_u32(in + 4 * i);
    }
    return true;
}

uint32_t
ReflectionBytes(const Frame& frame)
{
    const uint32_t recordBytes = frame.ReportsWorstHop()
                                     ? 4 * ReportWords(frame.reflection.flags)
                                     : frame.format->GetReflectedBytes(frame.telemetry);
    uint32_t tagBytes = frame.reflection.flags & REFLECTION_AUTHENTICATED ? sizeof(FeedbackTag) : 0;
    return HpccReflectionHeader::BYTES + tagBytes + recordBytes;
}

FeedbackTag
SignReflection(const FeedbackAuthenticator& authenticator, uint64_t number, const Frame& frame)
{
    std::vector<uint8_t> message(ReflectionBytes(frame));
    WriteReflection(frame, message.data());
    auto tag = message.begin() + HpccReflectionHeader::BYTES;
    message.erase(tag, tag + sizeof(FeedbackTag));
    if (frame.opcode == ROCE_NOTIFICATION)
    {
        message.resize(message.size() + 2 * NAMED_PSN_BYTES);
        uint8_t* numbers = message.data() + message.size() - 2 * NAMED_PSN_BYTES;
        RoceNamedPsnHeader{frame.psn}.Serialize(numbers);
        RoceNamedPsnHeader{frame.reflection.namedPsn}.Serialize(numbers + NAMED_PSN_BYTES);
    }
    return authenticator.Sign(number, message.data(), message.size());
}

FeedbackTag
SignNotification(const FeedbackAuthenticator& authenticator, uint64_t number, const Frame& frame)
{
    std::array<uint8_t, RoceNotificationHeader::BYTES> message;
    WriteNotification(frame, message.data());
    return authenticator.Sign(number, message.data(), message.size());
}

uint32_t
RoceFrameBytes(const Frame& frame)
{
    return std::max(ETHERNET_HEADER_BYTES + IpHeaderBytes(frame.ipv6) + UDP_HEADER_BYTES +
                        TelemetryBytes(frame) + BTH_BYTES + BytesAfterBth(frame) + ICRC_BYTES,
                    MIN_FRAME_BYTES);
}

} // namespace ns3
