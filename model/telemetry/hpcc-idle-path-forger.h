/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_IDLE_PATH_FORGER_H
#define HPCC_IDLE_PATH_FORGER_H

#include "hpcc-telemetry-format.h"

#include <array>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Rewrites the telemetry of one flow so that its path looks idle. The class models an attacker on
 * the return path, or a receiver that wants more than its share of the bandwidth (RFC 8888 section
 * 8). The hops, their ids and the format remain correct. Queues appear empty and other traffic
 * appears absent. The class works for each format for which CanForge() returns true.
 */
class IdlePathForger
{
  public:
    /**
     * Returns true if the records of a format can describe an idle path. Records cannot describe an
     * idle path if they carry a rate or a window change that switches compute. They cannot do so
     * either if the initial value of the record means that no switch has written a value.
     * @param format a format
     */
    static bool CanForge(const TelemetryFormat& format);

    /**
     * Replaces the records of a stack by those of an idle path.
     * @param format the telemetry's format
     * @param stack the received records, which are replaced
     */
    void Forge(const TelemetryFormat& format, TelemetryStack& stack);

  private:
    std::array<uint64_t, MAX_TELEMETRY_HOPS>
        m_txBytes{}; ///< byte counter in the first record of each hop; all later records repeat
                     ///< this value
    uint32_t m_knownHops{0}; ///< number of used entries of m_txBytes
};

} // namespace ns3

#endif // HPCC_IDLE_PATH_FORGER_H
