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
 * Inserts telemetry into the bytes of a frame that collects it, at the position of its format's
 * TelemetryMarking, and removes it. Removal restores the packet that the sending host would have
 * sent without telemetry, including lengths, port, protocol and header checksum.
 *
 * The lengths and checksum of IP always include telemetry inside the IP packet; UDP's length
 * includes it if TelemetryMarking::inUdpLength is true. The checksums of UDP and TCP are not
 * changed, except TCP's for a TCP option.
 */
namespace TelemetryPlacement
{

/// Result of the search for a tag in a frame.
enum class Tag : uint8_t
{
    NONE,     ///< no known format uses this EtherType
    READ,     ///< there was a tag, and it was read
    MALFORMED ///< the EtherType is that of a format that cannot read the tag
};

/**
 * Inserts the telemetry of a frame.
 * @param frame frame with format and telemetry; aborts if the format is a TCP option and the packet
 * is not TCP
 * @param bytes the frame without telemetry, with an Ethernet and a complete IP header
 */
void Insert(const Frame& frame, std::vector<uint8_t>& bytes);

/**
 * Reads a telemetry tag in front of the EtherType.
 * @param formats the known formats; the first that can read it is used
 * @param in the bytes from the EtherType on; moved to the EtherType behind the tag if the tag was
 * read
 * @param size number of bytes from @p in on
 * @param frame its format and telemetry are filled if the tag was read
 * @return the result
 */
Tag ReadTag(const std::vector<const TelemetryFormat*>& formats,
            const uint8_t*& in,
            size_t& size,
            Frame& frame);

/**
 * Removes telemetry from an IP packet, unless the frame already has a format, and fills the fields
 * of TelemetryStack that describe the packet without telemetry.
 * @param formats the known formats; the first that can read it is used
 * @param ip the packet, whose IP header is valid; without telemetry on success
 * @param frame frame with the values of the IP header and the ports, which are updated; format and
 * telemetry are filled if there is telemetry
 * @return false if the packet has a port or protocol dedicated to a format, but no format can read
 * it. True even for a hop-by-hop header or DSCP that no format can read, because it may have
 * another purpose
 */
bool Remove(const std::vector<const TelemetryFormat*>& formats,
            std::vector<uint8_t>& ip,
            Frame& frame);

/**
 * @param frame frame with a format, and with the protocol of the packet without telemetry
 * @return true if its telemetry may follow the header of TCP, or of UDP without RoCE
 */
bool FitsTransport(const Frame& frame);

} // namespace TelemetryPlacement

} // namespace ns3

#endif // HPCC_TELEMETRY_PLACEMENT_H
