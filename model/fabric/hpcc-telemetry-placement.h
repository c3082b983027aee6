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
 * Inserts telemetry into the bytes of a frame that collects it, at the place that its format's
 * TelemetryMarking gives, and removes it. Removal leaves the packet as the sending host would have
 * sent it without telemetry: lengths, port, protocol and header checksum are restored.
 *
 * Lengths and checksum of IP always cover telemetry in IP; UDP's length does if the marking says
 * so. The checksums of UDP and TCP are left alone, except TCP's for options of TCP.
 */
namespace TelemetryPlacement
{

/// Whether a frame has a tag.
enum class Tag : uint8_t
{
    NONE,     ///< no known format uses this EtherType
    READ,     ///< there was one, and it was read
    MALFORMED ///< a format's mark is there, but it cannot read what follows
};

/**
 * Puts telemetry in.
 * @param frame has format and telemetry; aborts if the format is an option of TCP and the packet is
 * not TCP
 * @param bytes the frame without telemetry, with an Ethernet and a complete IP header
 */
void Insert(const Frame& frame, std::vector<uint8_t>& bytes);

/**
 * Reads telemetry in front of the EtherType.
 * @param formats the known ones; the first that can read it is taken
 * @param in bytes from the EtherType on; the EtherType behind the tag if that was read
 * @param size number of bytes from there on
 * @param frame its format and telemetry are filled if the tag was read
 * @return whether there was a tag, and whether it was read
 */
Tag ReadTag(const std::vector<const TelemetryFormat*>& formats,
            const uint8_t*& in,
            size_t& size,
            Frame& frame);

/**
 * Removes telemetry from an IP packet, unless the frame has a format already, and fills the fields
 * of TelemetryStack that describe the packet without it.
 * @param formats the known ones; the first that can read it is taken
 * @param ip the packet, whose IP header is right; without telemetry on success
 * @param frame has what the IP header and the ports say, brought up to date; format and telemetry
 * are filled if there is any
 * @return false if the packet is marked by a port or a protocol of a format's own, but no format
 * can read it. A hop-by-hop header or a DSCP may belong to something else
 */
bool Remove(const std::vector<const TelemetryFormat*>& formats,
            std::vector<uint8_t>& ip,
            Frame& frame);

/**
 * @param frame has a format, and protocol of the packet without telemetry
 * @return true if its telemetry may stand behind the header of TCP, or of UDP without RoCE
 */
bool FitsTransport(const Frame& frame);

} // namespace TelemetryPlacement

} // namespace ns3

#endif // HPCC_TELEMETRY_PLACEMENT_H
