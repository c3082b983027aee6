/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_REFLECTION_HEADER_H
#define HPCC_REFLECTION_HEADER_H

#include "hpcc-hop-telemetry.h"

#include <cstddef>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The header that returns received telemetry to the sender; it follows the AETH of an ACK. No
 * standard defines such a header. This header is our own, serves all formats, and has 8 bytes,
 * big-endian:
 *
 * | bits | field |
 * |---|---|
 * | 0-3 | version, 1 |
 * | 4-7 | flags |
 * | 8-15 | format id |
 * | 16-23 | hop count |
 * | 24-31 | stack flags |
 * | 32-47 | flows N |
 * | 48-63 | sequence |
 *
 * With the flag REFLECTION_AUTHENTICATED a FeedbackTag of 12 bytes follows. The records come last,
 * as received, in TelemetryFormat::GetReflectedBytes() bytes. The format that the format id
 * identifies writes the records by TelemetryFormat::SerializeRecords() and reads them by
 * DeserializeRecords(). A report of the bottleneck hop may replace the records, see
 * HpccBottleneckHop.
 */
struct HpccReflectionHeader
{
    uint8_t flags{0};    ///< ReflectionFlag bits, 4 bits; Deserialize() also stores undefined flags
    uint8_t formatId{0}; ///< TelemetryFormat::GetReflectionId(); 0: no records follow
    uint8_t hops{0};     ///< number of records that follow, 0 to MAX_TELEMETRY_HOPS
    uint8_t stackFlags{0}; ///< TelemetryStackFlag bits of the stack
    uint16_t flows{0};     ///< N: number of flows that the receiver counts on the last hop; 0: not
                           ///< given
    uint16_t sequence{0};  ///< number of the reflection within its queue pair, modulo 2^16

    static constexpr uint32_t BYTES = 8;  ///< size of the header on the wire, bytes
    static constexpr uint8_t VERSION = 1; ///< version of the header

    /**
     * Writes the header.
     * @param out at least BYTES bytes
     */
    void Serialize(uint8_t* out) const;

    /**
     * Reads the header. Refuses other versions, more than MAX_TELEMETRY_HOPS hops, and hops without
     * a format.
     * @param in the bytes
     * @param size bytes available
     * @return BYTES; 0 if the header is refused or too short. In that case this object is unchanged
     */
    size_t Deserialize(const uint8_t* in, size_t size);
};

} // namespace ns3

#endif // HPCC_REFLECTION_HEADER_H
