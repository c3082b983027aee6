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
 * TIMELY, SIGCOMM 2015, Algorithm 1; see RdmaTimelyBase. With an RTT from TLow to THigh and a
 * gradient of at most 0 the rate rises by N Delta, else it is multiplied by 1 - Beta g. N is 1, and
 * HyperFactor after HyperSteps updates in a row with falling RTT: hyperactive increase, for RTTs of
 * at least TLow only.
 *
 * Names and their settings:
 *
 * - "timely": what HPCC (SIGCOMM 2019) compares itself to: TLow 50 us, THigh 500 us, Beta 0.8 and
 *   Delta 10 Mb/s per 10 Gb/s of line rate as in section 6 of the TIMELY paper, EwmaWeight 0.875
 *   and MinRtt 20 us, which that paper lacks, from footnote 4 of CoNEXT 2016; one update per round
 *   trip, MinRate 1 Gb/s. These are the class's defaults.
 * - "timely:authors": the same with the hyperactive increase of the simulator published with HPCC,
 *   which counts increases of any kind, also those below TLow, and multiplies those too.
 * - "timely:paper": SIGCOMM 2015, section 6, for 10 Gb/s: segments of 16 KB, a Delta that does not
 *   grow with the line rate, and section 5's scaling with time; MinRate is one Delta.
 * - "timely:snippet": what TIMELY's authors published as code, "recommended values" for segments of
 *   64 KB: EwmaWeight 0.02, THigh 1 ms, at most half the rate per update, hyperactive increase
 *   after five samples each below the one before.
 *
 * Attributes beside those of RdmaTimelyBase:
 *
 * - HyperSteps: updates, at least 1. HyperFactor: N, at least 1.
 * - HyperCount: which updates count: those with a negative Gradient, with a negative Difference
 *   between two samples, or, as in the simulator published with HPCC, each Increase, of which those
 *   after HyperSteps are multiplied.
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
    /// Which updates count towards hyperactive increase.
    enum HyperCount
    {
        HYPER_GRADIENT,   ///< g < 0
        HYPER_DIFFERENCE, ///< RTT below the last one
        HYPER_INCREASE,   ///< the rate rises, whatever the RTT
    };

    double IncreaseFactor(RdmaTimelyState& state, const Sample& sample) const override;
    double RateBetween(double rateBps, const Sample& sample, double increaseBps) const override;

    uint32_t m_hyperSteps;   ///< updates in a row
    double m_hyperFactor;    ///< N
    HyperCount m_hyperCount; ///< which updates count
};

} // namespace ns3

#endif // RDMA_TIMELY_H
