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
 * Turns frames into the bytes on the wire and back. Encoding and then decoding restores every field
 * that is on the wire. The FCS, preamble and gap are not among the bytes, as in a pcap of link type
 * Ethernet.
 *
 * - RoCE: Ethernet II, IPv4 (20 bytes, DF set) or IPv6 (40 bytes, flow label 0), UDP (checksum 0,
 *   which RFC 6935 lets tunnels and RoCEv2 use in IPv6 too), and what RocePacket describes.
 * - IP: Ethernet II and the frame's packet, with tos and ttl from the frame and a right header
 *   checksum, whether or not ns-3 computes checksums. A probe of TCP has telemetry in front of, in
 *   or behind its headers, as RoCE data has, and no payload of its own.
 * - PFC: destination 01:80:c2:00:00:01, EtherType 0x8808. Decode() also takes an 802.3x PAUSE, as a
 *   PFC frame that gives all eight priorities the same time.
 *
 * All are padded with zeros to 60 bytes.
 *
 * Telemetry stands where its format's TelemetryMarking says (TelemetryPlacement). The ICRC is that
 * of the packet without telemetry: to a switch the BTH is opaque, so it cannot recompute the ICRC
 * when it inserts a report. The receiver takes the telemetry out, restores lengths, port and
 * protocol, and then checks the ICRC; a hop-by-hop header, for which no rule exists, is treated in
 * the same way, as if it were absent. The reflection header of an ACK does not change on the way
 * and is covered.
 */
class FrameCodec
{
  public:
    /**
     * Registers a format for Decode(); Encode() uses the frame's own. Throws HpccInputError if a
     * format of another class has the same reflection id.
     * @param format recognised in data by its marking, in feedback by its reflection id. Of several
     * that have the same, the first that can read the bytes is taken. Must live as long as the
     * codec
     */
    void AddFormat(const TelemetryFormat* format);

    /**
     * @param frame a frame; an IP frame needs its packet
     * @param source source MAC address
     * @param destination destination MAC address; ignored for PFC
     * @return the bytes; their number is frame.bytes if the frame was built to the standard header
     * sizes
     */
    static std::vector<uint8_t> Encode(const Frame& frame,
                                       const Mac48Address& source,
                                       const Mac48Address& destination);

    /**
     * @param quanta pause time in units of 512 bit times; 0 resumes
     * @param source source MAC address
     * @return the bytes of an 802.3x PAUSE frame, which no Frame encodes to
     */
    static std::vector<uint8_t> EncodePause(uint16_t quanta, const Mac48Address& source);

    /**
     * Bytes after the end of the IPv4 packet are taken as padding. The UDP checksum is not checked:
     * telemetry may have made it wrong, and the ICRC covers more. A frame below 60 bytes is refused
     * as a runt.
     *
     * @param bytes the bytes of a frame, without FCS
     * @param size number of bytes
     * @param frame filled on success: fields that are not on the wire are left alone, packet is
     * null except for an IP frame, opcode and payloadBytes are 0 except for a RoCE frame. On
     * failure its fields are undefined, except next, pool and packet, which are as before
     * @param why set to the reason on failure
     * @return true if the bytes are a frame of a known kind with a right ICRC or header checksum
     */
    bool Decode(const uint8_t* bytes, size_t size, Frame& frame, std::string& why) const;

  private:
    /**
     * @param in the bytes of a frame from the EtherType or the tag on
     * @param size number of bytes
     * @param frame filled on success, packet excepted
     * @param packet the packet of an IP frame
     * @param why set to the reason on failure
     * @return true if all is right
     */
    bool DecodeIp(const uint8_t* in,
                  size_t size,
                  Frame& frame,
                  Ptr<Packet>& packet,
                  std::string& why) const;

    std::vector<const TelemetryFormat*> m_formats; ///< known to Decode()
};

} // namespace ns3

#endif // HPCC_FRAME_CODEC_H
