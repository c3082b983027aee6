/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-tcp-fields.h"

#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-ip-headers.h"
#include "ns3/node.h"
#include "ns3/tcp-header.h"

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>

namespace ns3
{

using namespace boost::endian;
using IpHeaders::TCP_HEADER_BYTES;
using IpHeaders::TCP_PROTOCOL;

bool
HpccTcpFields::Parse(const Frame& frame, HpccTcpFields& fields)
{
    if (frame.destinationPort == 0)
    {
        return false; // not TCP or UDP, or a fragment, which may begin without a TCP header
    }
    std::array<uint8_t, 60 + TCP_HEADER_BYTES> bytes{};
    const uint32_t size = frame.packet->CopyData(bytes.data(), bytes.size());
    const uint32_t ipBytes = frame.ipv6 ? IPV6_HEADER_BYTES : (bytes[0] & 0xf) * 4U;
    if (frame.protocol != TCP_PROTOCOL || size < ipBytes + TCP_HEADER_BYTES)
    {
        return false;
    }
    const uint8_t* tcp = &bytes[ipBytes];
    fields.sequence = load_big_u32(tcp + 4);
    fields.acknowledged = load_big_u32(tcp + 8);
    fields.headerBytes = (tcp[12] >> 4) * 4U;
    fields.offset = ipBytes + fields.headerBytes;
    fields.flags = tcp[13];
    const uint32_t total = frame.packet->GetSize();
    fields.payloadBytes = total - std::min(total, fields.offset);
    return fields.headerBytes >= TCP_HEADER_BYTES && fields.offset <= total;
}

bool
HpccTcpFields::ReadFragment(const Frame& frame, uint16_t& source, uint16_t& destination)
{
    constexpr uint8_t ipv6Fragment = 44;    // next header of a fragment (RFC 8200, section 4.5)
    constexpr uint32_t ipv6HeaderBytes = 8; // size of the fragment header
    if (frame.destinationPort != 0 || frame.protocol != (frame.ipv6 ? ipv6Fragment : TCP_PROTOCOL))
    {
        return false;
    }
    std::array<uint8_t, 60 + 4> bytes{};
    const uint32_t size = frame.packet->CopyData(bytes.data(), bytes.size());
    uint32_t ipBytes = (bytes[0] & 0xf) * 4U;
    bool first = (load_big_u16(&bytes[6]) & 0x3fff) == 0x2000;
    if (frame.ipv6)
    {
        const uint8_t* header = &bytes[IPV6_HEADER_BYTES];
        ipBytes = IPV6_HEADER_BYTES + ipv6HeaderBytes;
        first = header[0] == TCP_PROTOCOL && load_big_u16(header + 2) == 1;
    }
    if (!first || size < ipBytes + 4)
    {
        return false;
    }
    source = load_big_u16(&bytes[ipBytes]);
    destination = load_big_u16(&bytes[ipBytes + 2]);
    return true;
}

Ptr<Packet>
HpccTcpFields::Pack(const HpccNicIp& ip, Ptr<Packet> payload) const
{
    TcpHeader tcp;
    tcp.SetSourcePort(ip.reverse ? ip.like.destinationPort : ip.like.sourcePort);
    tcp.SetDestinationPort(ip.reverse ? ip.like.sourcePort : ip.like.destinationPort);
    tcp.SetSequenceNumber(SequenceNumber32(sequence));
    tcp.SetAckNumber(SequenceNumber32(acknowledged));
    tcp.SetFlags(TcpHeader::ACK);
    if (Node::ChecksumEnabled())
    {
        tcp.EnableChecksums();
        tcp.InitializeChecksum(ip.GetSource(), ip.GetDestination(), TCP_PROTOCOL);
    }
    payload->AddHeader(tcp);
    ip.AddTo(payload);
    return payload;
}

std::vector<uint8_t>
HpccTcpFields::GetNumbers() const
{
    std::vector<uint8_t> bytes(8);
    store_big_u32(bytes.data(), sequence);
    store_big_u32(bytes.data() + 4, acknowledged);
    return bytes;
}

} // namespace ns3
