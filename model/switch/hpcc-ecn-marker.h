/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_ECN_MARKER_H
#define HPCC_ECN_MARKER_H

#include "ns3/object.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * ECN marking by the instantaneous length of the egress queue, as DCQCN's RED: never at or below
 * Kmin, always above Kmax, with a probability that grows linearly from 0 to Pmax in between.
 */
class EcnMarker : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// Thresholds of a port.
    struct Thresholds
    {
        double kminBytes; ///< no mark up to here
        double kmaxBytes; ///< always a mark above
        double pmax;      ///< probability at kmaxBytes
    };

    /**
     * @param rateBps speed of a port, bit/s
     * @return its thresholds: the entry of its speed, or the first entry scaled with the speed
     */
    Thresholds ForRate(uint64_t rateBps) const;

    /// @return true if switches mark at all
    bool IsEnabled() const
    {
        return m_enabled;
    }

  private:
    /// An entry of the attribute.
    struct Entry
    {
        uint64_t rateBps;      ///< speed
        Thresholds thresholds; ///< thresholds at that speed
    };

    /// @param text the attribute
    void SetText(std::string text);
    /// @return the attribute
    std::string GetText() const;

    bool m_enabled;               ///< attribute
    std::string m_text;           ///< attribute
    std::vector<Entry> m_entries; ///< parsed
};

} // namespace ns3

#endif // HPCC_ECN_MARKER_H
