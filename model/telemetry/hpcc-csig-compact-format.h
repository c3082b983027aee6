/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_CSIG_COMPACT_FORMAT_H
#define HPCC_CSIG_COMPACT_FORMAT_H

#include "hpcc-csig-format.h"

#include <array>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * CSIG's compact tag of 4 bytes: EtherType (2 bytes), then type (3 bits), reserved (1), signal (5)
 * and locator (7) (draft-miao-ccwg-hpcc-info-04, figure 4). The short name is "csig"; "csig:delay"
 * selects QueueSignal HopDelay.
 *
 * The signal field contains the number of a bucket. There are up to 32 buckets. The following
 * attributes list the upper edges of the buckets, 2 to 32 increasing numbers. An empty list selects
 * the default:
 * - BandwidthBuckets: ABW, Mb/s; default 100 times 1.33^k, up to 691 Gb/s.
 * - ShareBuckets: ABW/C, percent; default 32 equal steps.
 * - DelayBuckets: PD and nQD, ns; default 0, then 80 times 1.35^k, up to 650 us.
 */
class CsigCompactFormat : public CsigFormat
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    CsigCompactFormat();

  private:
    /// Value of an attribute that lists buckets.
    struct Buckets
    {
        std::string text;          ///< the attribute as set by the user
        std::vector<double> edges; ///< upper edges of the buckets, in the unit of the signals
        std::string problem;       ///< error in the text; empty if none
    };

    uint32_t Quantise(uint32_t type, double value) const override;
    double GetEdge(uint32_t type, uint32_t number) const override;
    std::string CheckSteps(const TelemetryNetwork& network) const override;

    /**
     * Sets an attribute that lists buckets. If the text is invalid, stores an error message for
     * Validate().
     * @tparam U unit of the signals that the attribute describes
     * @param text upper edges of the buckets, separated by commas or spaces
     */
    template <Unit U>
    void SetBuckets(std::string text);

    /**
     * Returns the attribute that lists the buckets of a unit, as set by the user.
     * @tparam U unit of the signals that the attribute describes
     */
    template <Unit U>
    std::string GetBuckets() const;

    std::array<Buckets, UNITS> m_buckets; ///< buckets, indexed by Unit
};

} // namespace ns3

#endif // HPCC_CSIG_COMPACT_FORMAT_H
