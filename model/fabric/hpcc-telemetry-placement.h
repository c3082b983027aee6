/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TELEMETRY_PLACEMENT_H
#define HPCC_TELEMETRY_PLACEMENT_H

#include "hpcc-frame.h"

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
 * Inserts telemetry into the bytes of a frame that collects telemetry, and removes telemetry from
 * the bytes of a received frame. The TelemetryMarking of the format determines the position.
 * Removal restores the packet that the sending host would have sent without telemetry, including
 * lengths, port, protocol and header checksum.
 *
 * Lengths and checksums:
 * - The length in the IP header includes all telemetry inside the IP packet. The IPv4 header
 *   checksum is updated.
 * - The UDP length includes telemetry behind the UDP header only if TelemetryMarking::inUdpLength
 *   is true. The UDP checksum is not changed.
 * - If ns-3 computes checksums, the TCP checksum covers telemetry in a TCP option. The TCP checksum
 *   covers telemetry behind the TCP header only if inUdpLength is true.
 */
namespace TelemetryPlacement
{

/// Result of the search for a tag in a frame.
enum class Tag : uint8_t
{
    NONE,     ///< no known format uses this EtherType
    READ,     ///< a known format has read the tag
    MALFORMED ///< the EtherType is used by a known format, but the format cannot read the tag
};

/**
 * Inserts the telemetry of a frame.
 * @param frame frame with format and telemetry; aborts if the format is a TCP option and the packet
 * is not TCP
 * @param bytes the frame without telemetry, with an Ethernet and a complete IP header
 */
void Insert(const Frame& frame, std::vector<uint8_t>& bytes);

/**
 * Reads a telemetry tag before the EtherType.
 * @param formats the known formats; the first that can read the tag is used
 * @param in the bytes from the EtherType on; moved to the EtherType after the tag if the tag was
 * read
 * @param size number of bytes from @p in on
 * @param frame the frame; its format and telemetry are filled if the tag was read
 * @return the result
 */
Tag ReadTag(const std::vector<const TelemetryFormat*>& formats,
            const uint8_t*& in,
            size_t& size,
            Frame& frame);

/**
 * Removes telemetry from an IP packet, unless ReadTag() has already read the telemetry and set the
 * frame's format. Also fills the fields of TelemetryStack that describe the packet without
 * telemetry.
 * @param formats the known formats; the first that can read the telemetry is used
 * @param ip the packet, whose IP header must be valid; on success, the telemetry has been removed
 * from it
 * @param frame frame with the values of the IP header and the ports, which are updated; format and
 * telemetry are filled if the packet contains telemetry
 * @return false if the packet has a port or protocol that only telemetry uses, but no format can
 * read the telemetry. A hop-by-hop header or a DSCP may have a purpose other than telemetry. If a
 * packet matches a format only by its hop-by-hop header or DSCP, the result is therefore true even
 * if the format cannot read the packet
 */
bool Remove(const std::vector<const TelemetryFormat*>& formats,
            std::vector<uint8_t>& ip,
            Frame& frame);

/**
 * Returns true if a packet of ns-3's IP stack may carry telemetry of its frame's format. The packet
 * must be TCP or UDP. If an IP protocol number marks the format, the format must store the original
 * protocol.
 * @param frame frame with a format, and with the protocol of the packet without telemetry
 */
bool FitsTransport(const Frame& frame);

} // namespace TelemetryPlacement

} // namespace ns3

#endif // HPCC_TELEMETRY_PLACEMENT_H
