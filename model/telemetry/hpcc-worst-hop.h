/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_WORST_HOP_H
#define HPCC_WORST_HOP_H

#include "hpcc-hop-telemetry.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The one hop of a path that a receiver reports, instead of all records as it got them
 * (draft-miao-tsv-hpcc-01, section 7.1: queue length, timestamp and sent bytes of the link with the
 * most inflight bytes). The draft's three values neither identify their link nor include its
 * previous record; this report does both. 52 bytes, big-endian, after a reflection header with the
 * flag REFLECTION_WORST_HOP:
 *
 * | bytes | field |
 * |---|---|
 * | 0-3 | switch id |
 * | 4-7 | port id, or place on the path in formats without one |
 * | 8-11 | queue length, bytes, saturates |
 * | 12-15 | queue length before |
 * | 16-19 | line rate, Mbit/s; 0: the format does not carry it |
 * | 20-27 | timestamp, ns, as the format has it |
 * | 28-35 | sent bytes, as the format has them; or utilisation, millionths |
 * | 36-43 | timestamp before; all ones: the receiver has no record of before |
 * | 44-51 | sent bytes, or utilisation, before |
 *
 * With the flag REFLECTION_BARE_HOP the draft's three values, 20 bytes: queue length (4),
 * timestamp (8), sent bytes or utilisation (8).
 */
struct HpccWorstHop
{
    static constexpr uint32_t WORDS = 13;     ///< words of 32 bits
    static constexpr uint32_t BARE_WORDS = 5; ///< of the draft's three values

    HopTelemetry now;    ///< the record
    HopTelemetry before; ///< that of the same hop before; no fields without one

    /**
     * @param format capabilities of the records' format
     * @param words gets WORDS words in host byte order
     */
    void Write(const TelemetryCapabilities& format, uint32_t* words) const;

    /**
     * @param format capabilities of the records' format
     * @param words WORDS words in host byte order
     */
    void Read(const TelemetryCapabilities& format, const uint32_t* words);

    /**
     * @param format capabilities of the records' format
     * @param words gets BARE_WORDS words in host byte order
     */
    void WriteBare(const TelemetryCapabilities& format, uint32_t* words) const;

    /**
     * @param format capabilities of the records' format
     * @param words BARE_WORDS words in host byte order
     */
    void ReadBare(const TelemetryCapabilities& format, const uint32_t* words);

    /**
     * @param format capabilities of a format
     * @return the capabilities that the three values keep
     */
    static TelemetryCapabilities BareCapabilities(const TelemetryCapabilities& format);

    /**
     * @param format capabilities of a format
     * @return true if one hop can be picked from them and reported
     */
    static bool CanReport(const TelemetryCapabilities& format);
};

} // namespace ns3

#endif // HPCC_WORST_HOP_H
