/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_UDP_PROBE_HEADER_H
#define HPCC_UDP_PROBE_HEADER_H

#include <cstddef>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The header after the UDP header of a probe and of its answer. In a probe, nothing follows this
 * header; in an answer, the telemetry follows. The header is specific to this model, and has 16
 * bytes in big-endian order:
 *
 * | bytes | field |
 * |---|---|
 * | 0 | version, 1 |
 * | 1 | 1 in a probe, 2 in an answer |
 * | 2-3 | 0 |
 * | 4-7 | number of the probe |
 * | 8-15 | count of bytes |
 */
struct HpccUdpProbeHeader
{
    /// The kind of packet.
    enum Kind : uint8_t
    {
        PROBE = 1,  ///< probe from the flow's sender
        ANSWER = 2, ///< answer from the flow's receiver
    };

    static constexpr uint32_t BYTES = 16; ///< size on the wire
    static constexpr uint8_t VERSION = 1; ///< the version described here

    Kind kind{PROBE}; ///< see Kind
    /// identifies the probe; an answer repeats the number of its probe. The number increases with
    /// each probe of the flow and may start at any value. With FeedbackKey the NIC never uses a
    /// number twice for the same addresses and ports
    uint32_t number{0};
    /// payload of the flow, bytes: in a probe, the payload sent before the probe; in an answer, the
    /// payload received before the probe
    uint64_t bytes{0};

    /**
     * Writes the header.
     * @param out at least BYTES bytes
     */
    void Serialize(uint8_t* out) const;

    /**
     * Reads the header. Refuses an unknown version or kind.
     * @param in the bytes
     * @param size bytes available
     * @return BYTES; 0 if the header is refused or incomplete, and this object is then unchanged
     */
    size_t Deserialize(const uint8_t* in, size_t size);
};

} // namespace ns3

#endif // HPCC_UDP_PROBE_HEADER_H
