/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_DSCP_PRIORITY_MAP_H
#define HPCC_DSCP_PRIORITY_MAP_H

#include <array>
#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Maps the 64 DSCP values to the 8 priorities of a port. As text, the map looks like "26:3,48:6";
 * DSCPs that are not listed have priority 0.
 */
class DscpPriorityMap
{
  public:
    /// The usual mapping in RoCE networks, in which data with DSCP 24 or 26 has priority 3 and CNPs
    /// with DSCP 48 have priority 6. Probes have DSCP 25. Data packets have DSCP 23 if their
    /// telemetry format is marked by a DSCP. Both have priority 3. Trimmed packets have DSCP 41 or
    /// 42 and priority 5.
    static constexpr const char* DEFAULT = "23:3,24:3,25:3,26:3,41:5,42:5,48:6";

    static constexpr uint8_t TRIMMED = 41;             ///< DSCP of trimmed packets
    static constexpr uint8_t TRIMMED_AT_LAST_HOP = 42; ///< DSCP of packets trimmed at the last hop

    DscpPriorityMap() = default;

    /// Creates the map from a table.
    /// @param priorities priorities by DSCP
    explicit DscpPriorityMap(const std::array<uint8_t, 64>& priorities)
        : m_priority(priorities)
    {
    }

    /**
     * Sets the map from a text.
     * @param text "dscp:priority" pairs, separated by commas; DSCP 0 to 63, each at most once,
     * priority 0 to 7
     * @param why set to the reason on failure
     * @return true if the text is well-formed; otherwise the map is unchanged
     */
    bool Parse(const std::string& text, std::string& why);

    /// Returns the map as text in the syntax of Parse().
    std::string ToString() const;

    /// Returns the priorities by DSCP.
    const std::array<uint8_t, 64>& GetPriorities() const
    {
        return m_priority;
    }

  private:
    std::array<uint8_t, 64> m_priority{}; ///< priority of each DSCP
};

} // namespace ns3

#endif // HPCC_DSCP_PRIORITY_MAP_H
