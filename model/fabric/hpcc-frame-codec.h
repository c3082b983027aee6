/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FRAME_CODEC_H
#define HPCC_FRAME_CODEC_H

#include "hpcc-frame.h"

#include "ns3/mac48-address.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

class TelemetryFormat;
struct HpccReflectionHeader;

/**
 * @ingroup hpcc
 *
 * Turns frames into the bytes on the wire and back. Frame to bytes to frame is the identity on
 * everything the wire carries. The FCS, preamble and gap are not among the bytes, as in a pcap of
 * link type Ethernet.
 *
 * - RoCE data: Ethernet II, IPv4 (20 bytes, DF set) or IPv6 (40 bytes, flow label 0), UDP (checksum
 *   0, which RFC 6935 lets tunnels and RoCEv2 use in IPv6 too), BTH, RETH or AETH if the opcode has
 *   one, payload, pad, ICRC. The payload is virtual: written as zeros, not read.
 * - RoCE ACK, NAK and notification: as data, with AETH, RoceNamedPsnHeader (in selective NAKs and
 *   notifications), reflection header and records after the BTH.
 * - RoCE switch response: as data, with RoceSwitchResponseHeader, reflection header and records
 *   after the BTH.
 * - RoCE probe: as data, with nothing between BTH and ICRC.
 * - RoCE CNP: as data, with a RoceNotificationHeader after the BTH, in which BECN is 1, PSN and
 *   MigReq are 0.
 * - IP: Ethernet II and the frame's packet, with tos and ttl from the frame and a right header
 *   checksum, whether or not ns-3 computes checksums.
 *   A probe of TCP has telemetry in front of, in or behind its headers as data of RoCE has, and no
 *   payload of its own.
 * - PFC: destination 01:80:c2:00:00:01, EtherType 0x8808. Decode() also takes an 802.3x PAUSE, as a
 *   PFC frame that gives all eight priorities the same time.
 *
 * All are filled up with zeros to 60 bytes. MigReq is 1 in all BTHs but a CNP's, P_Key is 0xffff in
 * all. Decode() takes either MigReq, but no other P_Key.
 *
 * Telemetry stands where its format's TelemetryMarking says. The ICRC is that of the packet without
 * telemetry: to a switch the BTH is opaque, so it cannot recompute the ICRC when it inserts a
 * report. The receiver takes the telemetry out, restores lengths, port and protocol, and then
 * checks the ICRC; a hop-by-hop header, for which no rule exists, is treated alike, as if it were
 * absent. The reflection header of an ACK is not touched on the way and is covered.
 */
class FrameCodec
{
  public:
    /**
     * Register a format for Decode(); Encode() uses the frame's own.
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
     * @param size how many
     * @param frame filled on success: fields that are not on the wire are left alone, packet is
     * null but for an IP frame, opcode and payloadBytes are 0 but for a RoCE frame. On failure its
     * fields are undefined, but for next, pool and packet, which are as before
     * @param why set to what is wrong on failure
     * @return true if the bytes are a frame of a known kind with a right ICRC or header checksum
     */
    bool Decode(const uint8_t* bytes, size_t size, Frame& frame, std::string& why) const;

    /**
     * The invariant CRC of a RoCEv2 packet (IBTA Annex A17): CRC-32 with the fields that routers
     * change set to ones.
     * @param ip the bytes from the IPv4 header to the byte before the ICRC
     * @param size how many, at least 40
     * @return the CRC; on the wire it stands least significant byte first
     */
    static uint32_t InvariantCrc(const uint8_t* ip, size_t size);

  private:
    /// A packet whose telemetry has been taken out: what the sending host had without it.
    struct Bare;

    /**
     * Take the telemetry out of a packet.
     * @param in the bytes of a frame from the EtherType or the tag on
     * @param size how many
     * @param frame its format and telemetry are filled if there is any
     * @param bare the packet without it, on success
     * @param why set to what is wrong on failure
     * @return true if all is right
     */
    bool Strip(const uint8_t* in, size_t size, Frame& frame, Bare& bare, std::string& why) const;

    /**
     * Take out what a format has behind the IP header, the UDP header, or both.
     * @param format a format whose marking the packet has
     * @param frame its format and telemetry are filled on success
     * @param bare the packet; without the telemetry on success
     * @return true if the format can read it
     */
    static bool StripIp(const TelemetryFormat& format, Frame& frame, Bare& bare);

    /**
     * @param bare an IP packet without telemetry
     * @param frame filled on success, packet excepted
     * @param why set to what is wrong on failure
     * @return true if this is RoCE and right
     */
    bool DecodeRoce(const Bare& bare, Frame& frame, std::string& why) const;

    /**
     * @param in the bytes from the BTH to the one before the ICRC
     * @param size how many, at least BTH_BYTES
     * @param frame filled on success
     * @param why set to what is wrong on failure
     * @return true if all is right
     */
    bool DecodeTransport(const uint8_t* in, size_t size, Frame& frame, std::string& why) const;

    /**
     * Read what an acknowledgement has after its AETH and RoceNamedPsnHeader.
     * @param in the bytes of the reflection header and its records
     * @param size how many
     * @param frame its format, telemetry and reflection fields are filled on success
     * @param why set to what is wrong on failure
     * @return true if a known format can read all of it
     */
    bool DecodeReflection(const uint8_t* in, size_t size, Frame& frame, std::string& why) const;

    /**
     * Read what follows a reflection header that has a HpccWorstHop in place of records.
     * @param in its bytes
     * @param size how many
     * @param reflection the header
     * @param frame its format, telemetry and reflection fields are filled on success
     * @param why set to what is wrong on failure
     * @return true if the format is known and the size right
     */
    bool DecodeReport(const uint8_t* in,
                      size_t size,
                      const HpccReflectionHeader& reflection,
                      Frame& frame,
                      std::string& why) const;

    std::vector<const TelemetryFormat*> m_formats; ///< known to Decode()
};

/// Sizes on the wire of what precedes and follows the payload, bytes.
constexpr uint32_t ETHERNET_HEADER_BYTES = 14;
constexpr uint32_t IPV4_HEADER_BYTES = 20;
constexpr uint32_t IPV6_HEADER_BYTES = 40;
constexpr uint32_t UDP_HEADER_BYTES = 8;
constexpr uint32_t BTH_BYTES = 12;
constexpr uint32_t RETH_BYTES = 16;
constexpr uint32_t AETH_BYTES = 4;
constexpr uint32_t NAMED_PSN_BYTES = 4; ///< RoceNamedPsnHeader
constexpr uint32_t ICRC_BYTES = 4;
constexpr uint32_t MIN_FRAME_BYTES = 60;         ///< without FCS
constexpr uint32_t ETHERNET_OVERHEAD_BYTES = 24; ///< FCS 4, preamble and SFD 8, gap 12

/**
 * @param opcode a BTH opcode
 * @return true if a packet of that opcode has a RETH
 */
constexpr bool
HasReth(uint8_t opcode)
{
    return opcode == ROCE_WRITE_FIRST || opcode == ROCE_WRITE_ONLY || opcode == ROCE_READ_REQUEST;
}

/**
 * @param opcode a BTH opcode
 * @return true if a packet of that opcode has an AETH
 */
constexpr bool
HasAeth(uint8_t opcode)
{
    return opcode == ROCE_ACK || opcode == ROCE_READ_RESPONSE_FIRST ||
           opcode == ROCE_READ_RESPONSE_LAST || opcode == ROCE_READ_RESPONSE_ONLY ||
           opcode == ROCE_NOTIFICATION;
}

/**
 * @param opcode a BTH opcode
 * @return true if the module knows it, see RoceOpcode
 */
constexpr bool
IsRoceOpcode(uint8_t opcode)
{
    return opcode <= ROCE_ACK ? ((1U << opcode) & 0b11'1111'0101'1101'0111) != 0
                              : opcode == ROCE_CNP || opcode == ROCE_PROBE ||
                                    opcode == ROCE_NOTIFICATION || opcode == ROCE_SWITCH_RESPONSE;
}

/**
 * @param ipv6 true for IPv6
 * @return bytes of the IP header
 */
constexpr uint32_t
IpHeaderBytes(bool ipv6)
{
    return ipv6 ? IPV6_HEADER_BYTES : IPV4_HEADER_BYTES;
}

/**
 * The IPv6 address of a host that frames name by its IPv4 address: the unique local prefix (RFC
 * 4193) fd68:7063:6300::/96 followed by the IPv4 address.
 * @param address IPv4 address, host byte order
 * @return 16 bytes in network order
 */
std::array<uint8_t, 16> Ipv6AddressOf(uint32_t address);

/**
 * @param frame an acknowledgement that returns telemetry
 * @return bytes of the reflection header, its authenticator and its records
 */
uint32_t ReflectionBytes(const Frame& frame);

/**
 * @param authenticator of the queue pair
 * @param number message number; frame.reflectionSeq has its lowest 16 bits
 * @param frame an acknowledgement that returns telemetry, with the flag REFLECTION_AUTHENTICATED
 * @return the tag that it must carry; the one in the frame does not matter. It covers reflection
 * header and records, in a notification also both sequence numbers
 */
FeedbackTag SignReflection(const FeedbackAuthenticator& authenticator,
                           uint64_t number,
                           const Frame& frame);

/**
 * @param authenticator of the queue pair
 * @param number message number; frame.notification.number has its lowest 16 bits
 * @param frame a CNP, authenticated
 * @return the tag that it must carry; the one in the frame does not matter
 */
FeedbackTag SignNotification(const FeedbackAuthenticator& authenticator,
                             uint64_t number,
                             const Frame& frame);

/**
 * @param frame a RoCE frame with kind, opcode, payload, ipv6, format and telemetry set
 * @return its size on the wire without FCS, at least 60
 */
uint32_t RoceFrameBytes(const Frame& frame);

} // namespace ns3

#endif // HPCC_FRAME_CODEC_H
