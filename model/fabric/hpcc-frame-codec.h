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
 * Converts frames to the bytes on the wire and back. Encoding and then decoding restores every
 * field that is on the wire. The bytes do not include FCS, preamble and gap, as in a pcap file of
 * link type Ethernet.
 *
 * - RoCE: Ethernet II, IPv4 (20 bytes, DF set) or IPv6 (40 bytes, flow label 0), UDP (checksum 0,
 *   which RFC 6935 allows tunnels and RoCEv2 to use in IPv6, too), and the bytes that RocePacket
 *   describes.
 * - IP: Ethernet II and the frame's packet, with tos and ttl of the frame and a correct header
 *   checksum, whether or not ns-3 computes checksums. A TCP probe has telemetry in front of, in or
 *   behind its headers, like RoCE data, and no payload.
 * - PFC: destination 01:80:c2:00:00:01, EtherType 0x8808. Decode() also accepts an 802.3x PAUSE, as
 *   a PFC frame with the same time for all eight priorities.
 *
 * All frames are padded with zeros to 60 bytes.
 *
 * The TelemetryMarking of its format determines the position of telemetry (TelemetryPlacement). The
 * ICRC is that of the packet without telemetry: a switch does not look into the BTH, so it cannot
 * recompute the ICRC when it inserts a record. The receiver removes the telemetry, restores
 * lengths, port and protocol, and then checks the ICRC. A hop-by-hop header, for which no rule
 * exists, is excluded from the ICRC in the same way. The reflection header of an ACK does not
 * change on the way, so the ICRC covers it.
 */
class FrameCodec
{
  public:
    /**
     * Registers a format for Decode(); Encode() uses that of the frame. Throws HpccInputError if a
     * format of another class has the same reflection id.
     * @param format the format; recognised in data by its marking, in feedback by its reflection
     * id. If several formats match, the first that can read the bytes is used. Must live as long as
     * the codec
     */
    void AddFormat(const TelemetryFormat* format);

    /**
     * @param frame a frame; an IP frame needs its packet
     * @param source source MAC address
     * @param destination destination MAC address; ignored for PFC
     * @return the bytes; their number is frame.bytes if the frame has the standard header sizes
     */
    static std::vector<uint8_t> Encode(const Frame& frame,
                                       const Mac48Address& source,
                                       const Mac48Address& destination);

    /**
     * @param quanta pause time in units of 512 bit times; 0 resumes
     * @param source source MAC address
     * @return the bytes of an 802.3x PAUSE frame; Encode() never writes one
     */
    static std::vector<uint8_t> EncodePause(uint16_t quanta, const Mac48Address& source);

    /**
     * Decodes a frame. Bytes after the end of the IPv4 packet are regarded as padding. The UDP
     * checksum is not checked: telemetry may have invalidated it, and the ICRC covers more fields.
     * A frame below 60 bytes is refused as a runt.
     *
     * @param bytes the bytes of a frame, without FCS
     * @param size number of bytes
     * @param frame filled on success: fields that are not on the wire are not changed, packet is
     * null except in an IP frame, opcode and payloadBytes are 0 except in a RoCE frame. On failure
     * its fields are undefined, except next, pool and packet, which are not changed
     * @param why set to the reason on failure
     * @return true if the bytes are a frame of a known kind with a correct ICRC or header checksum
     */
    bool Decode(const uint8_t* bytes, size_t size, Frame& frame, std::string& why) const;

  private:
    /**
     * @param in the bytes of a frame from the EtherType or the tag on
     * @param size number of bytes
     * @param frame filled on success, except packet
     * @param packet the packet of an IP frame
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
