/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-ip-headers.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>

namespace ns3
{

using namespace boost::endian;

namespace
{

constexpr uint16_t IPV4_DONT_FRAGMENT = 0x4000;
constexpr uint16_t IPV4_FRAGMENT_MASK = 0x3fff;
constexpr uint16_t IPV4_OFFSET_MASK = 0x1fff;
constexpr std::array<uint8_t, 12> IPV6_PREFIX{0xfd, 0x68, 0x70, 0x63, 0x63};

/// Returns the IPv4 header checksum of @p size bytes. If these bytes contain a correct checksum,
/// the result is 0.
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

/// Writes the header checksum if the packet is IPv4; an IPv6 header has no checksum.
void
WriteIpChecksum(uint8_t* ip)
{
    if (!IpHeaders::IsIpv6(ip))
    {
        store_big_u16(ip + 10, 0);
        store_big_u16(ip + 10, Ipv4Checksum(ip, IpHeaders::HeaderBytes(ip)));
    }
}

/// Returns the size of an IPv4 packet, bytes; 0 if its header is invalid, with the reason in @p
/// why.
size_t
CheckIpv4(const uint8_t* ip, size_t size, std::string& why)
{
    size_t headerBytes = size < IPV4_HEADER_BYTES ? 0 : IpHeaders::HeaderBytes(ip);
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

/// Returns the size of an IPv6 packet, bytes; 0 if its header is invalid, with the reason in @p
/// why.
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

} // namespace

std::array<uint8_t, 16>
Ipv6AddressOf(uint32_t address)
{
    std::array<uint8_t, 16> bytes;
    std::copy(IPV6_PREFIX.begin(), IPV6_PREFIX.end(), bytes.begin());
    store_big_u32(bytes.data() + IPV6_PREFIX.size(), address);
    return bytes;
}

bool
IpHeaders::IsFragment(const uint8_t* ip)
{
    return !IsIpv6(ip) && load_big_u16(ip + 6) & IPV4_FRAGMENT_MASK;
}

bool
IpHeaders::IsLaterFragment(const uint8_t* ip)
{
    return !IsIpv6(ip) && load_big_u16(ip + 6) & IPV4_OFFSET_MASK;
}

size_t
IpHeaders::TransportHeaderBytes(uint8_t protocol, const uint8_t* transport, size_t size)
{
    if (protocol == TCP_PROTOCOL && size >= TCP_HEADER_BYTES)
    {
        const size_t bytes = (transport[12] >> 4) * 4U;
        return bytes >= TCP_HEADER_BYTES && bytes <= size ? bytes : 0;
    }
    return protocol == UDP_PROTOCOL && size >= UDP_HEADER_BYTES ? UDP_HEADER_BYTES : 0;
}

void
IpHeaders::WriteUdp(const Frame& frame, size_t ipBytes, uint8_t* out)
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
    WriteSize(ipBytes, out);
    uint8_t* udp = out + HeaderBytes(out);
    store_big_u16(udp, frame.sourcePort);
    store_big_u16(udp + 2, frame.destinationPort);
    store_big_u16(udp + 4, static_cast<uint16_t>(ipBytes - HeaderBytes(out)));
}

void
IpHeaders::WriteTosAndTtl(const Frame& frame, uint8_t* ip)
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
IpHeaders::WriteSize(size_t ipBytes, uint8_t* ip)
{
    bool ipv6 = IsIpv6(ip);
    store_big_u16(ip + (ipv6 ? 4 : 2), ipBytes - (ipv6 ? IPV6_HEADER_BYTES : 0));
    WriteIpChecksum(ip);
}

size_t
IpHeaders::Check(uint16_t etherType, const uint8_t* ip, size_t size, std::string& why)
{
    int version = etherType == IPV6_ETHERTYPE ? 6 : 4;
    if (size == 0 || ip[0] >> 4 != version)
    {
        why = "IP version is not " + std::to_string(version);
        return 0;
    }
    return version == 6 ? CheckIpv6(ip, size, why) : CheckIpv4(ip, size, why);
}

void
IpHeaders::Read(const uint8_t* ip, Frame& frame)
{
    frame.ipv6 = IsIpv6(ip);
    frame.ipId = frame.ipv6 ? 0 : load_big_u16(ip + 4);
    frame.tos = frame.ipv6 ? load_big_u16(ip) >> 4 & 0xff : ip[1];
    frame.ttl = ip[frame.ipv6 ? 7 : 8];
    frame.protocol = ip[frame.ipv6 ? 6 : 9];
    frame.source = load_big_u32(ip + (frame.ipv6 ? 20 : 12));
    frame.destination = load_big_u32(ip + (frame.ipv6 ? 36 : 16));
}

void
IpHeaders::ReadPorts(const std::vector<uint8_t>& ip, Frame& frame)
{
    size_t headerBytes = HeaderBytes(ip.data());
    std::array<uint8_t, 4> ports{};
    std::copy_n(ip.data() + headerBytes,
                std::min(ports.size(), ip.size() - headerBytes),
                ports.begin());
    frame.sourcePort = load_big_u16(ports.data());
    frame.destinationPort = load_big_u16(ports.data() + 2);
}

} // namespace ns3
