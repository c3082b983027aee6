/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_SOJOURN_MARKER_H
#define HPCC_SOJOURN_MARKER_H

#include "hpcc-marker.h"

#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * ECN marking by the time that a frame has spent in the switch (TCN: Bai et al., "Enabling ECN over
 * Generic Packet Scheduling", CoNEXT 2016). A frame that has waited for longer than Threshold is
 * marked. The acceptable length of a queue depends on the priority's share of the link, but the
 * acceptable waiting time does not.
 */
class SojournMarker final : public Marker
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void AddPort(uint64_t rateBps) override;
    bool MustMark(const QbbNetDevice& port, const Frame& frame, int64_t nowNs) override;

  private:
    /// Sets the attribute Threshold.
    /// @param threshold time above which a frame is marked
    void SetThreshold(Time threshold);
    /// Returns the attribute Threshold.
    Time GetThreshold() const;

    int64_t m_thresholdNs; ///< attribute Threshold, ns
};

} // namespace ns3

#endif // HPCC_SOJOURN_MARKER_H
