/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TELEMETRY_INVENTORY_H
#define HPCC_TELEMETRY_INVENTORY_H

#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Table of the line rate of each switch port, or of a traffic class's share of this rate, for
 * formats whose records do not carry this rate. The topology helper fills it before the simulation
 * starts.
 */
class TelemetryInventory : public SimpleRefCount<TelemetryInventory>
{
  public:
    /**
     * Sets the line rate of a port.
     * @param switchId id of a switch; the table has a row for each id up to the largest
     * @param portId id of the port; a row has an entry for each id up to the largest
     * @param bandwidthBps line rate, bit/s
     */
    void Add(uint32_t switchId, uint32_t portId, uint64_t bandwidthBps)
    {
        if (m_rates.size() <= switchId)
        {
            m_rates.resize(switchId + 1);
        }
        if (m_rates[switchId].size() <= portId)
        {
            m_rates[switchId].resize(portId + 1, 0);
        }
        m_rates[switchId][portId] = bandwidthBps;
    }

    /**
     * Returns the line rate of a port, bit/s; 0 if unknown.
     * @param switchId id of a switch
     * @param portId id of the port
     */
    uint64_t Lookup(uint32_t switchId, uint32_t portId) const
    {
        return switchId < m_rates.size() && portId < m_rates[switchId].size()
                   ? m_rates[switchId][portId]
                   : 0;
    }

  private:
    std::vector<std::vector<uint64_t>> m_rates; ///< line rates by switch and port, bit/s
};

} // namespace ns3

#endif // HPCC_TELEMETRY_INVENTORY_H
