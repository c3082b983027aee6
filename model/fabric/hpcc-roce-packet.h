/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_ROCE_PACKET_H
#define HPCC_ROCE_PACKET_H

#include "hpcc-frame.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

class TelemetryFormat;

/**
 * Returns true if packets with an opcode have a RETH.
 * @param opcode a BTH opcode
 */
constexpr bool
HasReth(uint8_t opcode)
{
    return opcode == ROCE_WRITE_FIRST || opcode == ROCE_WRITE_ONLY || opcode == ROCE_READ_REQUEST;
}

/**
 * Returns true if packets with an opcode have an AETH.
 * @param opcode a BTH opcode
 */
constexpr bool
HasAeth(uint8_t opcode)
{
    return opcode == ROCE_ACK || opcode == ROCE_READ_RESPONSE_FIRST ||
           opcode == ROCE_READ_RESPONSE_LAST || opcode == ROCE_READ_RESPONSE_ONLY ||
           opcode == ROCE_NOTIFICATION;
}

/**
 * Returns true if an opcode is a value of RoceOpcode.
 * @param opcode a BTH opcode
 */
constexpr bool
IsRoceOpcode(uint8_t opcode)
{
    return opcode <= ROCE_ACK ? ((1U << opcode) & 0b11'1111'0101'1101'0111) != 0
                              : opcode == ROCE_CNP || opcode == ROCE_PROBE ||
                                    opcode == ROCE_NOTIFICATION || opcode == ROCE_SWITCH_RESPONSE;
}

/**
 * Returns the size of a RoCE frame on the wire without FCS, bytes, at least 60.
 * @param frame a RoCE frame with kind, opcode, payload, ipv6, format and telemetry set
 */
uint32_t RoceFrameBytes(const Frame& frame);

/**
 * @ingroup hpcc
 *
 * Writes and reads the bytes of a RoCEv2 packet behind its UDP header.
 *
 * - Data: BTH, RETH or AETH if the opcode has one, payload, pad, ICRC. The payload is virtual: it
 *   is written as zeros and not read.
 * - ACK, NAK and notification: like data, but with AETH, RoceNamedPsnHeader (only in selective
 *   NAKs and notifications), reflection header and records after the BTH (RoceFeedback).
 * - Switch response: like data, but with RoceSwitchResponseHeader, reflection header and records
 *   after the BTH.
 * - Probe: like data, but with nothing between BTH and ICRC.
 * - CNP: like data, but with a RoceNotificationHeader after the BTH. In the BTH, BECN is 1, and
 *   PSN and MigReq are 0.
 *
 * MigReq is 1 in all BTHs except those of CNPs; P_Key is 0xffff in all BTHs. Read() accepts both
 * values of MigReq, but no other P_Key.
 */
namespace RocePacket
{

/// Returns the number of pad bytes after the content.
/// @param contentBytes size of the content, bytes
constexpr uint32_t
PadBytes(uint32_t contentBytes)
{
    return -contentBytes & 3;
}

/// Returns the size of a frame's content, which precedes the pad, bytes: the payload, or the
/// reflected telemetry.
/// @param frame a RoCE frame
uint32_t ContentBytes(const Frame& frame);

/// Returns the number of bytes between the BTH and the content, without OptionalBytes().
/// @param opcode opcode of a RoCE frame
uint32_t ExtendedHeaderBytes(uint8_t opcode);

/// Returns the size of the optional headers, bytes. Optional headers are between AETH and
/// reflection header or, in a CNP, after the notification header.
/// @param frame a RoCE frame
uint32_t OptionalBytes(const Frame& frame);

/**
 * Returns the number of bytes from the BTH to the ICRC, including both.
 * @param frame a RoCE frame
 */
uint32_t TransportBytes(const Frame& frame);

/**
 * Returns true if a frame is a RoCE data packet that still has payload to remove.
 * @param frame frame to check
 * @param payloadBytes payload that would remain after trimming, bytes; the frame must have more
 * payload
 */
bool CanTrim(const Frame& frame, uint32_t payloadBytes);

/**
 * Returns the size of a frame after Trim(), without FCS, bytes.
 * @param frame a frame for which CanTrim() is true
 * @param payloadBytes payload that would remain, bytes
 */
uint32_t GetTrimmedBytes(const Frame& frame, uint32_t payloadBytes);

/**
 * Cuts the payload of a packet. The packet remains a valid RoCE packet with all headers and the
 * telemetry; pad, lengths and ICRC correspond to the new size. Frame::trimmed is set.
 * @param frame a frame for which CanTrim() is true
 * @param payloadBytes payload that remains, bytes
 */
void Trim(Frame& frame, uint32_t payloadBytes);

/**
 * Writes the bytes of a RoCE packet behind its UDP header.
 * @param frame a RoCE frame
 * @param ip the packet, with correct IP and UDP headers and otherwise zeros
 * @param size bytes of the packet
 */
void Write(const Frame& frame, uint8_t* ip, size_t size);

/**
 * Reads a RoCE packet into a frame.
 * @param formats known formats, which read reflected telemetry
 * @param ip a packet without telemetry, whose IP header is valid
 * @param frame frame with the values of the IP header; its other fields are filled on success. If
 * its format is already set, telemetry has been removed from the packet. Feedback from which
 * telemetry has been removed is refused, because feedback must not collect telemetry
 * @param why set to the reason on failure
 * @return true if this is a valid RoCE packet
 */
bool Read(const std::vector<const TelemetryFormat*>& formats,
          const std::vector<uint8_t>& ip,
          Frame& frame,
          std::string& why);

/**
 * Computes the invariant CRC of a RoCEv2 packet (IBTA Annex A17): a CRC-32 of the packet in which
 * all bits of the fields that routers change are set to 1.
 * @param ip the bytes from the IP header to the byte before the ICRC
 * @param size number of bytes, at least 40
 * @return the CRC; its least significant byte is sent first
 */
uint32_t InvariantCrc(const uint8_t* ip, size_t size);

} // namespace RocePacket

} // namespace ns3

#endif // HPCC_ROCE_PACKET_H
