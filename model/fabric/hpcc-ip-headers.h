/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_IP_HEADERS_H
#define HPCC_IP_HEADERS_H

#include "hpcc-frame-sizes.h"
#include "hpcc-frame.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Returns the IPv6 address of a host. The address consists of the unique local prefix (RFC 4193)
 * fd68:7063:6300::/96 and the IPv4 address by which frames identify the host.
 * @param address IPv4 address, host byte order
 * @return 16 bytes in network order
 */
std::array<uint8_t, 16> Ipv6AddressOf(uint32_t address);

/**
 * @ingroup hpcc
 *
 * Writes, checks and changes the headers of IPv4 (RFC 791), IPv6 (RFC 8200), UDP and TCP in the
 * bytes of a packet. Each function accepts both versions of IP. Check() determines the version from
 * the EtherType, WriteUdp() from Frame::ipv6, and other functions from the first byte. Extension
 * headers of IPv6 are regarded as payload.
 */
namespace IpHeaders
{

constexpr uint16_t IPV4_ETHERTYPE = 0x0800;
constexpr uint16_t IPV6_ETHERTYPE = 0x86dd;
constexpr uint8_t HOP_BY_HOP_HEADER = 0; ///< protocol number
constexpr uint8_t TCP_PROTOCOL = 6;
constexpr uint8_t UDP_PROTOCOL = 17;
constexpr size_t TCP_HEADER_BYTES = 20; ///< without options

/**
 * Returns true if a packet begins with an IPv6 header.
 * @param ip the bytes of a packet
 */
inline bool
IsIpv6(const uint8_t* ip)
{
    return ip[0] >> 4 == 6;
}

/**
 * Returns the size of an IP header, including options, bytes.
 * @param ip the bytes of a packet
 */
inline size_t
HeaderBytes(const uint8_t* ip)
{
    return IsIpv6(ip) ? IPV6_HEADER_BYTES : (ip[0] & 0xf) * 4U;
}

/**
 * Returns the field of an IP header that contains the protocol of the next header.
 * @param ip the bytes of a packet
 */
inline uint8_t&
ProtocolOf(uint8_t* ip)
{
    return ip[IsIpv6(ip) ? 6 : 9];
}

/**
 * Returns true if a packet is an IPv4 fragment, including the first fragment.
 * @param ip an IP header
 */
bool IsFragment(const uint8_t* ip);

/**
 * Returns true if a packet is an IPv4 fragment other than the first, and therefore has no ports.
 * @param ip an IP header
 */
bool IsLaterFragment(const uint8_t* ip);

/**
 * Returns the size of a UDP or TCP header, bytes; 0 for another protocol, or if the header exceeds
 * @p size.
 * @param protocol protocol number of the header
 * @param transport bytes of the header
 * @param size bytes available
 */
size_t TransportHeaderBytes(uint8_t protocol, const uint8_t* transport, size_t size);

/**
 * Writes the IP and UDP headers of a RoCE packet, without options. DF is set; flow label and UDP
 * checksum are 0.
 * @param frame provides addresses, ports, TOS and TTL
 * @param ipBytes size of the packet, both headers included
 * @param out zeroed room for both headers
 */
void WriteUdp(const Frame& frame, size_t ipBytes, uint8_t* out);

/**
 * Writes TOS and TTL, or traffic class and hop limit, and updates the checksum.
 * @param frame provides TOS and TTL
 * @param ip a complete IP header
 */
void WriteTosAndTtl(const Frame& frame, uint8_t* ip);

/**
 * Writes the size of the packet and updates the checksum.
 * @param ipBytes the size, IP header included
 * @param ip a complete IP header
 */
void WriteSize(size_t ipBytes, uint8_t* ip);

/**
 * Checks the IP header of a packet.
 * @param etherType IPV4_ETHERTYPE or IPV6_ETHERTYPE
 * @param ip the bytes behind the EtherType
 * @param size number of bytes, the padding of Ethernet included
 * @param why set to the reason on failure
 * @return size of the IP packet, bytes; 0 if its header is invalid
 */
size_t Check(uint16_t etherType, const uint8_t* ip, size_t size, std::string& why);

/**
 * Fills a frame's addresses, protocol, ipv6, ipId, tos and ttl from an IP header.
 * @param ip an IP header that has passed Check()
 * @param frame frame to fill
 */
void Read(const uint8_t* ip, Frame& frame);

/**
 * Fills a frame's ports from the first 4 bytes behind the IP header; missing bytes are read as
 * zeros.
 * @param ip a packet whose IP header has passed Check()
 * @param frame frame to fill
 */
void ReadPorts(const std::vector<uint8_t>& ip, Frame& frame);

} // namespace IpHeaders

} // namespace ns3

#endif // HPCC_IP_HEADERS_H
