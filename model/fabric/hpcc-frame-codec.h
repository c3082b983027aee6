/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FRAME_CODEC_H
#define HPCC_FRAME_CODEC_H

#include "hpcc-frame-sizes.h"
#include "hpcc-frame.h"

#include "ns3/mac48-address.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

class TelemetryFormat;

/**
 * @ingroup hpcc
 *
 * Converts frames to the bytes on the wire and back. Decoding the bytes of an encoded frame
 * restores every field that is on the wire. As in a pcap file of link type Ethernet, the bytes do
 * not include FCS, preamble and gap.
 *
 * - RoCE: Ethernet II, IPv4 (20 bytes, DF set) or IPv6 (40 bytes, flow label 0), UDP (checksum 0,
 *   in IPv6 as well, see RFC 6935), and the bytes that RocePacket describes.
 * - IP: Ethernet II and the ns-3 packet, but with the TOS and TTL of the Frame object. The header
 *   checksum is correct even if ns-3 does not compute checksums. A TCP probe has no payload. As in
 *   RoCE data, the format determines whether the telemetry of a TCP probe is in front of, inside or
 *   behind the headers.
 * - PFC: destination 01:80:c2:00:00:01, EtherType 0x8808. Decode() also accepts an 802.3x PAUSE
 *   frame, and converts it to a PFC frame with the same pause time for all eight priorities.
 *
 * All frames are padded with zeros to 60 bytes.
 *
 * The TelemetryMarking of a format determines the position of its telemetry (TelemetryPlacement).
 * The ICRC is computed for the packet without telemetry. A switch does not process the BTH, so a
 * switch that inserts a record cannot recompute the ICRC. The receiver removes the telemetry,
 * restores lengths, port and protocol, and then checks the ICRC. No standard defines whether the
 * ICRC covers a hop-by-hop header; here the ICRC does not cover it. The ICRC covers the reflection
 * header of an ACK, because this header does not change on the way.
 */
class FrameCodec
{
  public:
    /**
     * Registers a telemetry format for Decode(); Encode() uses the format of the frame. Throws
     * HpccInputError if a format of another class has the same reflection id.
     * @param format the format; its marking identifies it in data packets, and its reflection id in
     * feedback. If several formats match, the first format that can read the bytes is used. Must
     * live as long as the codec
     */
    void AddFormat(const TelemetryFormat* format);

    /**
     * Returns the bytes of a frame. If the headers of the frame have their standard sizes, the
     * number of bytes equals frame.bytes.
     * @param frame a frame; an IP frame must have its ns-3 packet
     * @param source source MAC address
     * @param destination destination MAC address; ignored for PFC
     */
    static std::vector<uint8_t> Encode(const Frame& frame,
                                       const Mac48Address& source,
                                       const Mac48Address& destination);

    /**
     * Returns the bytes of an 802.3x PAUSE frame, which Encode() never writes.
     * @param quanta pause time in units of 512 bit times; 0 resumes
     * @param source source MAC address
     */
    static std::vector<uint8_t> EncodePause(uint16_t quanta, const Mac48Address& source);

    /**
     * Decodes a frame. Bytes after the end of the IP packet are regarded as padding. The UDP
     * checksum is not checked, because inserted telemetry may have made this checksum wrong, and
     * because the ICRC covers more fields. A frame shorter than 60 bytes is refused.
     *
     * @param bytes the bytes of a frame, without FCS
     * @param size number of bytes
     * @param frame receives the values on success. Fields that are not on the wire are not changed.
     * The field packet is null unless the frame is an IP frame. The fields opcode and payloadBytes
     * are 0 unless the frame is a RoCE frame. On failure, the fields next, pool and packet are not
     * changed, and all other fields are undefined
     * @param why set to the reason on failure
     * @return true if the bytes are a frame of a known kind with a correct ICRC (RoCE) or header
     * checksum (IP)
     */
    bool Decode(const uint8_t* bytes, size_t size, Frame& frame, std::string& why) const;

  private:
    /**
     * Decodes an IP frame.
     * @param in the bytes of a frame, starting with the EtherType or with the telemetry tag before
     * it
     * @param size number of bytes
     * @param frame receives the values on success, except packet
     * @param packet receives the packet of the frame on success
     * @param why set to the reason on failure
     * @return true if the bytes are valid
     */
    bool DecodeIp(const uint8_t* in,
                  size_t size,
                  Frame& frame,
                  Ptr<Packet>& packet,
                  std::string& why) const;

    std::vector<const TelemetryFormat*> m_formats; ///< formats known to Decode()
};

} // namespace ns3

#endif // HPCC_FRAME_CODEC_H
