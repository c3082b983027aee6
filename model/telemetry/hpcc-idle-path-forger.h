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
 * Rewrites the telemetry of one flow so that its path looks idle. An attacker on the return path
 * might do this, or a receiver that wants more than its share (RFC 8888 section 8). The hops, their
 * ids and the format remain correct. Queues appear empty and other traffic appears absent. Works
 * for each format for which CanForge() returns true.
 */
class IdlePathForger
{
  public:
    /**
     * Returns true if the format can describe an idle path. Returns false if its packets carry a
     * rate or a window change that switches compute, or if a value of 0 means that no switch has
     * written a value.
     * @param format a format
     */
    static bool CanForge(const TelemetryFormat& format);

    /**
     * Replaces the records of a stack by those of an idle path.
     * @param format the telemetry's format
     * @param stack the stack
     */
    void Forge(const TelemetryFormat& format, TelemetryStack& stack);

  private:
    std::array<uint64_t, MAX_TELEMETRY_HOPS>
        m_txBytes{}; ///< byte counter of each hop's first record, repeated in all later records
    uint32_t m_knownHops{0}; ///< entries of m_txBytes in use
};

} // namespace ns3

#endif // HPCC_IDLE_PATH_FORGER_H
