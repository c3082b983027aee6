/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TIMELY_H
#define RDMA_TIMELY_H

#include "rdma-timely-base.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * TIMELY, SIGCOMM 2015, Algorithm 1; see RdmaTimelyBase. With an RTT from TLow to THigh, the rate
 * rises by N Delta if the gradient g is at most 0. Otherwise the rate is multiplied by 1 - Beta g.
 * N is 1. After HyperSteps consecutive updates with falling RTT, N is HyperFactor (hyperactive
 * increase) while the RTT is at least TLow.
 *
 * Names and their settings:
 *
 * - "timely": the configuration with which HPCC (SIGCOMM 2019) is compared. TLow 50 us, THigh 500
 *   us, Beta 0.8 and Delta 10 Mb/s per 10 Gb/s of line rate are from section 6 of the TIMELY paper.
 *   That paper does not give EwmaWeight and MinRtt; 0.875 and 20 us are from footnote 4 of "ECN or
 *   Delay" (CoNEXT 2016). There is one update per round trip, and MinRate is 1 Gb/s. These are the
 *   class's defaults.
 * - "timely:authors": as "timely", but with the hyperactive increase of the simulator published
 *   with HPCC. That simulator counts increases of any kind, including those below TLow, and also
 *   multiplies increases below TLow.
 * - "timely:paper": SIGCOMM 2015, section 6, for 10 Gb/s: segments of 16 KB, a Delta that does not
 *   grow with the line rate, and ScaleWithTime, which is from section 5. MinRate equals Delta.
 * - "timely:snippet": the code published by TIMELY's authors, with "recommended values" for
 *   segments of 64 KB. EwmaWeight is 0.02, THigh 1 ms, MinRate 10 Mb/s, and ScaleWithTime is set.
 *   An update decreases the rate by at most a half. Hyperactive increase starts after five
 *   consecutive samples that are each below the previous one.
 *
 * Attributes in addition to those of RdmaTimelyBase:
 *
 * - HyperSteps: number of updates, at least 1. HyperFactor: N, at least 1.
 * - HyperCount: the updates that count as one of the HyperSteps. Gradient: updates with a negative
 *   gradient. Difference: updates whose RTT is below the previous RTT. Increase: updates that raise
 *   the rate, as in the simulator published with HPCC; after HyperSteps of these updates, every
 *   further increase is multiplied by N.
 */
class RdmaTimely : public RdmaTimelyBase
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

  private:
    /// The updates that count towards hyperactive increase.
    enum HyperCount
    {
        HYPER_GRADIENT,   ///< g < 0
        HYPER_DIFFERENCE, ///< the RTT is below the previous RTT
        HYPER_INCREASE,   ///< the rate rises, at any RTT
    };

    double IncreaseFactor(RdmaTimelyState& state, const Sample& sample) const override;
    double RateBetween(double rateBps, const Sample& sample, double increaseBps) const override;

    uint32_t m_hyperSteps;   ///< number of consecutive updates before hyperactive increase
    double m_hyperFactor;    ///< N
    HyperCount m_hyperCount; ///< which updates count
};

} // namespace ns3

#endif // RDMA_TIMELY_H
