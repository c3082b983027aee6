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
 * The header behind the UDP header of a probe and of its answer. In a probe nothing follows it, in
 * an answer the telemetry. No standard defines it. 16 bytes, big-endian:
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
        PROBE = 1,  ///< of the flow's sender
        ANSWER = 2, ///< of its receiver
    };

    static constexpr uint32_t BYTES = 16; ///< size on the wire
    static constexpr uint8_t VERSION = 1; ///< the version described here

    Kind kind{PROBE};   ///< see Kind
    uint32_t number{0}; ///< names the probe: counts the flow's probes from any number, with
                        ///< FeedbackKey never reused by the NIC; an answer repeats it
    uint64_t bytes{0};  ///< payload of the flow: sent before the probe; received before it, and
                        ///< ever, if an answer

    /**
     * Writes the header.
     * @param out at least BYTES bytes
     */
    void Serialize(uint8_t* out) const;

    /**
     * Reads the header. Refused: another version, another kind.
     * @param in the bytes
     * @param size bytes available
     * @return BYTES; 0 if refused or too short, the header is then unchanged
     */
    size_t Deserialize(const uint8_t* in, size_t size);
};

} // namespace ns3

#endif // HPCC_UDP_PROBE_HEADER_H
