/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_BOTTLENECK_HOP_H
#define HPCC_BOTTLENECK_HOP_H

#include "hpcc-hop-telemetry.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The bottleneck hop of a path, which a receiver reports instead of all records. In
 * draft-miao-tsv-hpcc-01, section 7.1, a report contains queue length, timestamp and sent bytes of
 * the link with the most bytes in flight. These three values do not identify the link, and do not
 * include its previous record. Therefore the report of this class also contains the ids and the
 * previous record. The report follows a reflection header with the flag REFLECTION_BOTTLENECK_HOP
 * and has 52 bytes, big-endian:
 *
 * | bytes | field |
 * |---|---|
 * | 0-3 | switch id |
 * | 4-7 | port id, or position on the path in formats without port ids |
 * | 8-11 | queue length, bytes, saturates |
 * | 12-15 | previous queue length |
 * | 16-19 | line rate, Mbit/s; 0: the format does not carry it |
 * | 20-27 | timestamp, ns, as the format carries it |
 * | 28-35 | sent bytes, as the format carries them; or utilisation, millionths |
 * | 36-43 | previous timestamp; all ones: the receiver has no previous record |
 * | 44-51 | previous sent bytes, or previous utilisation |
 *
 * With the flag REFLECTION_BARE_HOP, the report contains only the draft's three values and has 20
 * bytes: queue length (4), timestamp (8), sent bytes or utilisation (8).
 */
struct HpccBottleneckHop
{
    static constexpr uint32_t WORDS = 13;     ///< length of the report, 32-bit words
    static constexpr uint32_t BARE_WORDS = 5; ///< length of the report of the draft's three values,
                                              ///< 32-bit words

    HopTelemetry now;    ///< newest record of the bottleneck hop
    HopTelemetry before; ///< previous record of the same hop; without fields if there is none

    /**
     * Writes the report of a hop.
     * @param format capabilities of the records' format
     * @param words output, WORDS words in host byte order
     */
    void Write(const TelemetryCapabilities& format, uint32_t* words) const;

    /**
     * Reads the report of a hop.
     * @param format capabilities of the records' format
     * @param words WORDS words in host byte order
     */
    void Read(const TelemetryCapabilities& format, const uint32_t* words);

    /**
     * Writes the report that consists of the draft's three values.
     * @param format capabilities of the records' format
     * @param words output, BARE_WORDS words in host byte order
     */
    void WriteBare(const TelemetryCapabilities& format, uint32_t* words) const;

    /**
     * Reads the report that consists of the draft's three values.
     * @param format capabilities of the records' format
     * @param words BARE_WORDS words in host byte order
     */
    void ReadBare(const TelemetryCapabilities& format, const uint32_t* words);

    /**
     * Returns the capabilities of a report of the draft's three values.
     * @param format capabilities of a format
     */
    static TelemetryCapabilities BareCapabilities(const TelemetryCapabilities& format);

    /**
     * Returns true if the bottleneck hop can be chosen from the format's records and reported.
     * @param format capabilities of a format
     */
    static bool CanReport(const TelemetryCapabilities& format);
};

} // namespace ns3

#endif // HPCC_BOTTLENECK_HOP_H
