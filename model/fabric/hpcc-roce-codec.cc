/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-frame-sizes.h"
#include "hpcc-ip-headers.h"
#include "hpcc-roce-feedback.h"
#include "hpcc-roce-headers.h"
#include "hpcc-roce-packet.h"

#include "ns3/hpcc-telemetry-format.h"

#include <algorithm>
#include <array>
#include <boost/crc.hpp>
#include <boost/endian/conversion.hpp>

// The functions that write and read the bytes of RoCE packets. The sizes are computed in
// hpcc-roce-packet.cc.

namespace ns3
{

using namespace boost::endian;
using namespace IpHeaders;
using namespace RocePacket;

namespace
{

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

/// Writes the bytes between the BTH and the pad.
void
WriteBody(const Frame& frame, uint8_t* out)
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
        if (frame.NamesPacket())
        {
            RoceNamedPsnHeader{frame.reflection.namedPsn}.Serialize(out + AETH_BYTES);
        }
        else if (frame.HasSack())
        {
            RoceSackHeader{frame.sack}.Serialize(out + AETH_BYTES);
        }
    }
    else if (frame.opcode == ROCE_SWITCH_RESPONSE)
    {
        RoceSwitchResponseHeader{frame.response.forReceiver, frame.response.switchId}.Serialize(
            out);
    }
    else if (frame.opcode == ROCE_CNP)
    {
        RoceFeedback::WriteNotification(frame, out);
    }
    if (frame.format && frame.MayReflect())
    {
        RoceFeedback::WriteReflection(frame,
                                      out + ExtendedHeaderBytes(frame.opcode) +
                                          OptionalBytes(frame));
    }
}

/// Fills the frame's fields from the BTH.
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

/// Reads the bytes between the BTH and the content. At least ExtendedHeaderBytes() bytes and the
/// pad are available.
bool
ReadExtendedHeaders(const uint8_t* in, size_t size, size_t padBytes, Frame& frame, std::string& why)
{
    if (HasReth(frame.opcode))
    {
        RoceRethHeader reth;
        reth.Deserialize(in);
        frame.reth = {reth.address, reth.key, reth.length};
    }
    else if (HasAeth(frame.opcode))
    {
        RoceAethHeader aeth;
        aeth.Deserialize(in);
        frame.syndrome = aeth.syndrome;
        frame.msn = aeth.msn;
        if (size < AETH_BYTES + OptionalBytes(frame) + padBytes)
        {
            why = frame.HasSack() ? "SACK or NACK is cut off"
                                  : "selective NAK or notification does not name a packet";
            return false;
        }
        if (frame.NamesPacket())
        {
            RoceNamedPsnHeader named;
            named.Deserialize(in + AETH_BYTES);
            frame.reflection.namedPsn = frame.IsSelective() ? named.psn & 0xffffff : named.psn;
        }
        else if (frame.HasSack())
        {
            RoceSackHeader header;
            header.Deserialize(in + AETH_BYTES);
            frame.sack = header.sack;
        }
        if (frame.IsAcknowledgement())
        {
            frame.reflection.flags = 0;
        }
    }
    else if (frame.opcode == ROCE_SWITCH_RESPONSE)
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
    }
    return frame.opcode != ROCE_CNP || RoceFeedback::ReadNotification(in, size, frame, why);
}

/// Reads the bytes from the BTH to the byte before the ICRC.
bool
ReadTransport(const std::vector<const TelemetryFormat*>& formats,
              const uint8_t* in,
              size_t size,
              Frame& frame,
              std::string& why)
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
    in += BTH_BYTES;
    size -= BTH_BYTES;
    if (size < ExtendedHeaderBytes(frame.opcode) + bth.padBytes)
    {
        why = "packet is too short for its BTH opcode and pad count";
        return false;
    }
    if (!ReadExtendedHeaders(in, size, bth.padBytes, frame, why))
    {
        return false;
    }
    const size_t headerBytes = ExtendedHeaderBytes(frame.opcode) + OptionalBytes(frame);
    const size_t contentBytes = size - headerBytes - bth.padBytes;
    const bool empty =
        frame.opcode == ROCE_CNP || frame.opcode == ROCE_READ_REQUEST || frame.opcode == ROCE_PROBE;
    if (PadBytes(contentBytes) != bth.padBytes || (empty && contentBytes))
    {
        why = "packet length does not fit its BTH opcode and pad count";
        return false;
    }
    if (frame.MayReflect())
    {
        return contentBytes == 0 ||
               RoceFeedback::ReadReflection(formats, in + headerBytes, contentBytes, frame, why);
    }
    frame.payloadBytes = contentBytes;
    return true;
}

} // namespace

void
RocePacket::Write(const Frame& frame, uint8_t* ip, size_t size)
{
    uint8_t* bth = ip + IpHeaderBytes(frame.ipv6) + UDP_HEADER_BYTES;
    WriteBth(frame, bth);
    WriteBody(frame, bth + BTH_BYTES);
    store_little_u32(ip + size - ICRC_BYTES, InvariantCrc(ip, size - ICRC_BYTES));
}

bool
RocePacket::Read(const std::vector<const TelemetryFormat*>& formats,
                 const std::vector<uint8_t>& ip,
                 Frame& frame,
                 std::string& why)
{
    const size_t headerBytes = IpHeaderBytes(frame.ipv6);
    if (HeaderBytes(ip.data()) != headerBytes || IsFragment(ip.data()))
    {
        why = "RoCE packet is fragmented or has IPv4 options";
        return false;
    }
    const size_t bthOffset = headerBytes + UDP_HEADER_BYTES;
    if (ip.size() < bthOffset || load_big_u16(&ip[headerBytes + 4]) != ip.size() - headerBytes)
    {
        why = "UDP length is wrong";
        return false;
    }
    if (ip.size() < bthOffset + BTH_BYTES + ICRC_BYTES)
    {
        why = "BTH is cut off";
        return false;
    }
    const size_t end = ip.size() - ICRC_BYTES;
    if (InvariantCrc(ip.data(), end) != load_little_u32(&ip[end]))
    {
        why = "ICRC is wrong";
        return false;
    }
    return ReadTransport(formats, &ip[bthOffset], end - bthOffset, frame, why);
}

uint32_t
RocePacket::InvariantCrc(const uint8_t* ip, size_t size)
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

} // namespace ns3
