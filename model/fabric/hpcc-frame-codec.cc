/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-frame-codec.h"

#include "hpcc-roce-headers.h"

#include "ns3/abort.h"
#include "ns3/hpcc-reflection-header.h"
#include "ns3/hpcc-telemetry-format.h"

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
constexpr uint16_t MAC_CONTROL_ETHERTYPE = 0x8808;
constexpr uint8_t UDP_PROTOCOL = 17;
constexpr uint16_t IPV4_DONT_FRAGMENT = 0x4000;
constexpr uint16_t IPV4_FRAGMENT_MASK = 0x3fff;
constexpr uint16_t IPV4_OFFSET_MASK = 0x1fff;
constexpr size_t BTH_OFFSET = IPV4_HEADER_BYTES + UDP_HEADER_BYTES;
constexpr std::array<uint8_t, 6> MAC_CONTROL_ADDRESS{0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};

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

/// @return bytes of what the pad fills up: the payload, or what an ACK reflects
uint32_t
ContentBytes(const Frame& frame)
{
    if (!frame.IsRoceFeedback())
    {
        return frame.payloadBytes;
    }
    return frame.format && frame.opcode == ROCE_ACK
               ? HpccReflectionHeader::BYTES + frame.format->GetReflectedBytes(frame.telemetry)
               : 0;
}

/// @return bytes between the BTH and what the pad fills up
constexpr uint32_t
ExtendedHeaderBytes(uint8_t opcode)
{
    return HasReth(opcode)      ? RETH_BYTES
           : opcode == ROCE_ACK ? AETH_BYTES
           : opcode == ROCE_CNP ? CNP_PADDING_BYTES
                                : 0;
}

/// @return bytes between the BTH and the ICRC
uint32_t
BytesAfterBth(const Frame& frame)
{
    uint32_t contentBytes = ContentBytes(frame);
    return ExtendedHeaderBytes(frame.opcode) + contentBytes + PadBytes(contentBytes);
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
WriteEthernet(const Mac48Address& destination, const Mac48Address& source, uint8_t* out)
{
    destination.CopyTo(out);
    source.CopyTo(out + 6);
    store_big_u16(out + 12, IPV4_ETHERTYPE);
}

void
WriteIpv4Udp(const Frame& frame, uint32_t ipBytes, uint16_t destinationPort, uint8_t* out)
{
    out[0] = 0x45;
    out[1] = frame.tos;
    store_big_u16(out + 2, static_cast<uint16_t>(ipBytes));
    store_big_u16(out + 4, frame.ipId);
    store_big_u16(out + 6, IPV4_DONT_FRAGMENT);
    out[8] = frame.ttl;
    out[9] = UDP_PROTOCOL;
    store_big_u16(out + 10, 0);
    store_big_u32(out + 12, frame.source);
    store_big_u32(out + 16, frame.destination);
    store_big_u16(out + 10, Ipv4Checksum(out, IPV4_HEADER_BYTES));
    uint8_t* udp = out + IPV4_HEADER_BYTES;
    store_big_u16(udp, frame.sourcePort);
    store_big_u16(udp + 2, destinationPort);
    store_big_u16(udp + 4, static_cast<uint16_t>(ipBytes - IPV4_HEADER_BYTES));
    store_big_u16(udp + 6, 0);
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
    bth.psn = frame.opcode == ROCE_CNP ? 0 : frame.psn;
    bth.Serialize(out);
}

void
WriteReflection(const Frame& frame, uint8_t* out)
{
    HpccReflectionHeader reflection;
    reflection.formatId = frame.format->GetReflectionId();
    reflection.hops = frame.telemetry.hops;
    reflection.stackFlags = frame.telemetry.flags;
    reflection.flows = frame.reportedFlows;
    reflection.sequence = frame.reflectionSeq;
    reflection.Serialize(out);
    frame.format->SerializeRecords(frame.telemetry, out + HpccReflectionHeader::BYTES);
}

void
WriteExtendedHeaders(const Frame& frame, uint8_t* out)
{
    if (HasReth(frame.opcode))
    {
        RoceRethHeader reth{frame.reth.address, frame.reth.key, frame.reth.length};
        reth.Serialize(out);
    }
    else if (frame.opcode == ROCE_ACK)
    {
        RoceAethHeader aeth{frame.syndrome, frame.msn};
        aeth.Serialize(out);
        if (frame.format)
        {
            WriteReflection(frame, out + AETH_BYTES);
        }
    }
}

std::vector<uint8_t>
EncodeRoce(const Frame& frame, const Mac48Address& source, const Mac48Address& destination)
{
    uint32_t telemetryBytes = TelemetryBytes(frame);
    uint32_t bareBytes = BTH_OFFSET + BTH_BYTES + BytesAfterBth(frame) + ICRC_BYTES;
    uint32_t ipBytes = bareBytes + telemetryBytes;
    NS_ABORT_MSG_IF(ipBytes > 0xffff, "RoCE packet of " << ipBytes << " bytes does not fit IPv4");

    std::vector<uint8_t> bytes(std::max(ETHERNET_HEADER_BYTES + ipBytes, MIN_FRAME_BYTES));
    WriteEthernet(destination, source, bytes.data());

    // The ICRC is that of the bare packet, so make that first and then open it for the telemetry.
    uint8_t* ip = bytes.data() + ETHERNET_HEADER_BYTES;
    WriteIpv4Udp(frame, bareBytes, frame.destinationPort, ip);
    WriteBth(frame, ip + BTH_OFFSET);
    WriteExtendedHeaders(frame, ip + BTH_OFFSET + BTH_BYTES);
    store_little_u32(ip + bareBytes - ICRC_BYTES,
                     FrameCodec::InvariantCrc(ip, bareBytes - ICRC_BYTES));
    if (telemetryBytes)
    {
        uint16_t port = frame.format->GetUdpPort();
        std::copy_backward(ip + BTH_OFFSET, ip + bareBytes, ip + ipBytes);
        WriteIpv4Udp(frame, ipBytes, port ? port : frame.destinationPort, ip);
        frame.format->Serialize(frame.telemetry, ip + BTH_OFFSET);
    }
    return bytes;
}

std::vector<uint8_t>
EncodeIp(const Frame& frame, const Mac48Address& source, const Mac48Address& destination)
{
    uint32_t ipBytes = frame.packet->GetSize();
    std::vector<uint8_t> bytes(std::max(ETHERNET_HEADER_BYTES + ipBytes, MIN_FRAME_BYTES));
    WriteEthernet(destination, source, bytes.data());
    uint8_t* ip = bytes.data() + ETHERNET_HEADER_BYTES;
    frame.packet->CopyData(ip, ipBytes);
    size_t headerBytes = (ip[0] & 0xf) * 4U;
    NS_ABORT_MSG_IF(ip[0] >> 4 != 4 || headerBytes < IPV4_HEADER_BYTES || headerBytes > ipBytes,
                    "the packet of an IP frame is not IPv4");
    ip[1] = frame.tos;
    ip[8] = frame.ttl;
    store_big_u16(ip + 10, 0);
    store_big_u16(ip + 10, Ipv4Checksum(ip, headerBytes));
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
    size_t headerBytes = (ip[0] & 0xf) * 4U;
    size_t ipBytes = load_big_u16(ip + 2);
    if (ip[0] >> 4 != 4)
    {
        why = "IP version is not 4";
    }
    else if (headerBytes < IPV4_HEADER_BYTES || headerBytes > ipBytes)
    {
        why = "IPv4 header length is wrong";
    }
    else if (ipBytes > size)
    {
        why = "IPv4 packet is cut off";
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

/// Fill what every IPv4 packet has. The ports are the first 4 bytes of whatever it carries.
void
ReadIpv4(const uint8_t* ip, size_t ipBytes, Frame& frame)
{
    size_t headerBytes = (ip[0] & 0xf) * 4U;
    std::array<uint8_t, 4> ports{};
    std::copy_n(ip + headerBytes, std::min(ports.size(), ipBytes - headerBytes), ports.begin());
    frame.tos = ip[1];
    frame.ipId = load_big_u16(ip + 4);
    frame.ttl = ip[8];
    frame.protocol = ip[9];
    frame.source = load_big_u32(ip + 12);
    frame.destination = load_big_u32(ip + 16);
    frame.sourcePort = load_big_u16(ports.data());
    frame.destinationPort = load_big_u16(ports.data() + 2);
}

/// @return the ICRC of a packet once its telemetry has been taken out
uint32_t
BareInvariantCrc(const uint8_t* ip, size_t size, size_t telemetryBytes, uint16_t port)
{
    std::vector<uint8_t> bare(ip, ip + size);
    bare.erase(bare.begin() + BTH_OFFSET, bare.begin() + BTH_OFFSET + telemetryBytes);
    store_big_u16(bare.data() + 2, static_cast<uint16_t>(load_big_u16(ip + 2) - telemetryBytes));
    uint8_t* udp = bare.data() + IPV4_HEADER_BYTES;
    store_big_u16(udp + 2, port);
    store_big_u16(udp + 4, static_cast<uint16_t>(load_big_u16(udp + 4) - telemetryBytes));
    return FrameCodec::InvariantCrc(bare.data(), bare.size());
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
    return true;
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
    size_t udp = (ip[0] & 0xf) * 4U;
    std::array<uint8_t, maxMaskedBytes> head;
    size_t headBytes = std::min(size, udp + UDP_HEADER_BYTES + BTH_BYTES);
    std::copy_n(ip, headBytes, head.begin());
    head[1] = 0xff;
    head[8] = 0xff;
    head[10] = head[11] = 0xff;
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
    uint16_t etherType = load_big_u16(bytes + 12);
    bool known = false;
    if (etherType == MAC_CONTROL_ETHERTYPE)
    {
        known = DecodePfc(bytes, size, frame, why);
    }
    else if (etherType == IPV4_ETHERTYPE)
    {
        known = DecodeIpv4(bytes, size, frame, packet, why);
    }
    else
    {
        why = "EtherType " + std::to_string(etherType) + " is neither IPv4 nor MAC control";
    }
    if (known)
    {
        frame.bytes = size;
        frame.packet = packet;
    }
    return known;
}

bool
FrameCodec::DecodeIpv4(const uint8_t* bytes,
                       size_t size,
                       Frame& frame,
                       Ptr<Packet>& packet,
                       std::string& why) const
{
    const uint8_t* ip = bytes + ETHERNET_HEADER_BYTES;
    size_t ipBytes = CheckIpv4(ip, size - ETHERNET_HEADER_BYTES, why);
    if (ipBytes == 0)
    {
        return false;
    }
    ReadIpv4(ip, ipBytes, frame);
    if (!IsRoce(ip, frame))
    {
        frame.kind = Frame::Kind::IP;
        packet = Create<Packet>(ip, ipBytes);
    }
    else if (!DecodeRoce(ip, ipBytes, frame, why))
    {
        return false;
    }
    frame.flowHash = HashFiveTuple(frame.source,
                                   frame.destination,
                                   frame.sourcePort,
                                   frame.destinationPort,
                                   frame.protocol);
    return true;
}

bool
FrameCodec::IsRoce(const uint8_t* ip, const Frame& frame) const
{
    bool laterFragment = load_big_u16(ip + 6) & IPV4_OFFSET_MASK;
    if (frame.protocol != UDP_PROTOCOL || laterFragment)
    {
        return false;
    }
    return frame.destinationPort == ROCE_UDP_PORT ||
           std::any_of(m_formats.begin(), m_formats.end(), [&](const TelemetryFormat* format) {
               return format->GetUdpPort() == frame.destinationPort && frame.destinationPort != 0;
           });
}

bool
FrameCodec::DecodeRoce(const uint8_t* ip, size_t size, Frame& frame, std::string& why) const
{
    if ((ip[0] & 0xf) * 4U != IPV4_HEADER_BYTES || load_big_u16(ip + 6) & IPV4_FRAGMENT_MASK)
    {
        why = "RoCE packet is fragmented or has IPv4 options";
        return false;
    }
    if (size < BTH_OFFSET || load_big_u16(ip + IPV4_HEADER_BYTES + 4) != size - IPV4_HEADER_BYTES)
    {
        why = "UDP length is wrong";
        return false;
    }
    frame.kind = Frame::Kind::ROCE;
    size_t telemetryBytes = 0;
    if (frame.destinationPort != ROCE_UDP_PORT)
    {
        telemetryBytes = DecodeTelemetry(ip + BTH_OFFSET, size - BTH_OFFSET, frame);
        if (telemetryBytes == 0)
        {
            why = "telemetry is malformed";
            return false;
        }
        frame.destinationPort = frame.telemetry.originalPort;
    }
    if (frame.destinationPort != ROCE_UDP_PORT)
    {
        why = "telemetry in something other than RoCE";
        return false;
    }
    size_t bthOffset = BTH_OFFSET + telemetryBytes;
    if (size < bthOffset + BTH_BYTES + ICRC_BYTES)
    {
        why = "BTH is cut off";
        return false;
    }
    size_t end = size - ICRC_BYTES;
    if (BareInvariantCrc(ip, end, telemetryBytes, frame.destinationPort) !=
        load_little_u32(ip + end))
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
        why = "telemetry in front of an ACK, NAK or CNP";
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
    size_t contentBytes = size - headerBytes - bth.padBytes;
    if (PadBytes(contentBytes) != bth.padBytes || (frame.opcode == ROCE_CNP && contentBytes))
    {
        why = "packet length does not fit its BTH opcode and pad count";
        return false;
    }
    if (frame.opcode == ROCE_ACK)
    {
        RoceAethHeader aeth;
        aeth.Deserialize(in);
        frame.syndrome = aeth.syndrome;
        frame.msn = aeth.msn;
        return contentBytes == 0 || DecodeReflection(in + AETH_BYTES, contentBytes, frame, why);
    }
    if (HasReth(frame.opcode))
    {
        RoceRethHeader reth;
        reth.Deserialize(in);
        frame.reth = {reth.address, reth.key, reth.length};
    }
    frame.payloadBytes = contentBytes;
    return true;
}

size_t
FrameCodec::DecodeTelemetry(const uint8_t* in, size_t size, Frame& frame) const
{
    for (const TelemetryFormat* format : m_formats)
    {
        if (format->GetUdpPort() != frame.destinationPort)
        {
            continue;
        }
        if (size_t used = format->Deserialize(in, size, frame.telemetry))
        {
            frame.format = format;
            return used;
        }
    }
    return 0;
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
    TelemetryStack& stack = frame.telemetry;
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

uint32_t
RoceFrameBytes(const Frame& frame)
{
    return std::max(ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES + UDP_HEADER_BYTES +
                        TelemetryBytes(frame) + BTH_BYTES + BytesAfterBth(frame) + ICRC_BYTES,
                    MIN_FRAME_BYTES);
}

} // namespace ns3
