/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-frame-codec.h"

#include "hpcc-ip-headers.h"
#include "hpcc-roce-headers.h"
#include "hpcc-roce-packet.h"
#include "hpcc-telemetry-placement.h"

#include "ns3/abort.h"
#include "ns3/hpcc-reflection-ids.h"

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>

namespace ns3
{

using namespace boost::endian;

namespace
{

constexpr uint16_t MAC_CONTROL_ETHERTYPE = 0x8808;
constexpr size_t ETHERTYPE_OFFSET = 12;
constexpr std::array<uint8_t, 6> MAC_CONTROL_ADDRESS{0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};

std::vector<uint8_t>
MacControl(const Mac48Address& source)
{
    std::vector<uint8_t> bytes(MIN_FRAME_BYTES);
    std::copy(MAC_CONTROL_ADDRESS.begin(), MAC_CONTROL_ADDRESS.end(), bytes.begin());
    source.CopyTo(bytes.data() + 6);
    store_big_u16(bytes.data() + ETHERTYPE_OFFSET, MAC_CONTROL_ETHERTYPE);
    return bytes;
}

void
WriteEthernet(const Mac48Address& destination, const Mac48Address& source, bool ipv6, uint8_t* out)
{
    destination.CopyTo(out);
    source.CopyTo(out + 6);
    store_big_u16(out + ETHERTYPE_OFFSET,
                  ipv6 ? IpHeaders::IPV6_ETHERTYPE : IpHeaders::IPV4_ETHERTYPE);
}

/// Adds the telemetry and the padding.
void
Complete(const Frame& frame, std::vector<uint8_t>& bytes)
{
    if (frame.CollectsTelemetry())
    {
        TelemetryPlacement::Insert(frame, bytes);
    }
    bytes.resize(std::max<size_t>(bytes.size(), MIN_FRAME_BYTES));
}

std::vector<uint8_t>
EncodeRoce(const Frame& frame, const Mac48Address& source, const Mac48Address& destination)
{
    const size_t ipBytes =
        IpHeaderBytes(frame.ipv6) + UDP_HEADER_BYTES + RocePacket::TransportBytes(frame);
    const uint32_t withTelemetry = RoceFrameBytes(frame) - ETHERNET_HEADER_BYTES;
    NS_ABORT_MSG_IF(withTelemetry > 0xffff,
                    "RoCE packet of " << withTelemetry << " bytes does not fit IP");

    // The ICRC is computed for the packet without telemetry, so the telemetry is inserted later.
    std::vector<uint8_t> bytes(ETHERNET_HEADER_BYTES + ipBytes);
    WriteEthernet(destination, source, frame.ipv6, bytes.data());
    uint8_t* ip = bytes.data() + ETHERNET_HEADER_BYTES;
    IpHeaders::WriteUdp(frame, ipBytes, ip);
    RocePacket::Write(frame, ip, ipBytes);
    Complete(frame, bytes);
    return bytes;
}

std::vector<uint8_t>
EncodeIp(const Frame& frame, const Mac48Address& source, const Mac48Address& destination)
{
    uint32_t ipBytes = frame.packet->GetSize();
    std::vector<uint8_t> bytes(ETHERNET_HEADER_BYTES + std::max(ipBytes, IPV4_HEADER_BYTES));
    uint8_t* ip = bytes.data() + ETHERNET_HEADER_BYTES;
    frame.packet->CopyData(ip, ipBytes);
    WriteEthernet(destination, source, IpHeaders::IsIpv6(ip), bytes.data());
    NS_ABORT_MSG_IF((!IpHeaders::IsIpv6(ip) && ip[0] >> 4 != 4) ||
                        IpHeaders::HeaderBytes(ip) > ipBytes ||
                        IpHeaders::HeaderBytes(ip) < IPV4_HEADER_BYTES,
                    "the packet of an IP frame is not IP");
    IpHeaders::WriteTosAndTtl(frame, ip);
    Complete(frame, bytes);
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

} // namespace

void
FrameCodec::AddFormat(const TelemetryFormat* format)
{
    ReflectionIds::Check(*format, m_formats);
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
    frame.trimmed = false;
    frame.format = nullptr;
    Ptr<Packet> packet;
    const bool control = load_big_u16(bytes + ETHERTYPE_OFFSET) == MAC_CONTROL_ETHERTYPE;
    if (!(control
              ? DecodePfc(bytes, size, frame, why)
              : DecodeIp(bytes + ETHERTYPE_OFFSET, size - ETHERTYPE_OFFSET, frame, packet, why)))
    {
        return false;
    }
    frame.bytes = size;
    frame.packet = packet;
    return true;
}

bool
FrameCodec::DecodeIp(const uint8_t* in,
                     size_t size,
                     Frame& frame,
                     Ptr<Packet>& packet,
                     std::string& why) const
{
    using TelemetryPlacement::Tag;
    const Tag tag = TelemetryPlacement::ReadTag(m_formats, in, size, frame);
    const uint16_t etherType = load_big_u16(in);
    if (etherType != IpHeaders::IPV4_ETHERTYPE && etherType != IpHeaders::IPV6_ETHERTYPE)
    {
        why = tag == Tag::NONE
                  ? "EtherType " + std::to_string(etherType) + " is neither IP nor MAC control"
                  : "telemetry is malformed";
        return false;
    }
    const size_t ipBytes = IpHeaders::Check(etherType, in + 2, size - 2, why);
    if (ipBytes == 0)
    {
        return false;
    }
    std::vector<uint8_t> ip(in + 2, in + 2 + ipBytes);
    IpHeaders::Read(ip.data(), frame);
    IpHeaders::ReadPorts(ip, frame);
    if (!TelemetryPlacement::Remove(m_formats, ip, frame))
    {
        why = "telemetry is malformed";
        return false;
    }
    const bool roce = frame.protocol == IpHeaders::UDP_PROTOCOL &&
                      frame.destinationPort == ROCE_UDP_PORT &&
                      !IpHeaders::IsLaterFragment(ip.data());
    if (!roce && frame.format && !TelemetryPlacement::FitsTransport(frame))
    {
        why = "telemetry in something other than UDP and TCP";
        return false;
    }
    if (roce && !RocePacket::Read(m_formats, ip, frame, why))
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
        packet = Create<Packet>(ip.data(), ip.size());
    }
    return true;
}

} // namespace ns3
