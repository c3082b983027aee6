/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_VALUE_LOADS_H
#define HPCC_VALUE_LOADS_H

#include "hpcc-flow.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Grades the entropy values of a flow, for formats such as CSIG whose only record contains either
 * the queue delay or the utilisation of the bottleneck hop (HpccSignalRequest::AsksInTurn()). These
 * formats do not identify the ports of a path, so each entropy value is treated as a path of its
 * own. The load of a value is computed from the records of its packets:
 *
 *   u = (last queue delay)/windowNs + last utilisation
 *
 * windowNs is an argument of the constructor, by default T. Until the first utilisation arrives,
 * the utilisation is assumed to be 1 if the last queue delay is above 0. If this delay is 0 or
 * unknown, the value has no load yet.
 *
 * Shares are defined as in HpccPortLoads: the share of a value is proportional to the number of
 * packets that should be sent with the value. Once per T, when a sample of the value arrives, the
 * value's share is multiplied by sqrt(mean load/own load), limited to [1/2, 2]. In this ratio, a
 * load below HpccPortLoads::QUIET counts as QUIET. The mean is taken over the values with a load,
 * weighted by their shares. Shares are scaled so that the largest is 1, and are at least
 * HpccPortLoads::LEAST_SHARE. The shares do not affect U of the flow, which averages the records of
 * all values.
 */
class HpccValueLoads : public HpccPathState
{
  public:
    /**
     * Creates the values, none of which has a load.
     * @param values number of entropy values
     * @param baseRttNs T, ns
     * @param windowNs time by which queue delays are divided instead of T, ns; 0 selects T
     */
    HpccValueLoads(uint32_t values, double baseRttNs, double windowNs = 0);

    void SetValue(uint32_t value) override;
    const std::vector<float>& GetShares() const override;
    void Select(HpccFlow& flow, const HpccSample& sample, uint32_t hops) override;
    double Update(HpccFlow& flow, const HpccSample& sample, const double* hopU) override;

  private:
    /// State of an entropy value.
    struct Value
    {
        double delay{-1};       ///< last queue delay divided by windowNs; negative: none yet
        double utilization{-1}; ///< last utilisation; negative: none yet
        int64_t gradedNs{0};    ///< local clock when the share of the value was last set, ns

        /// Returns the load of the value; negative if no load is known.
        double GetLoad() const;
    };

    /// Returns the mean load, see the class description; NaN if no value has a load.
    double GetMean() const;

    double m_baseRttNs;          ///< T, ns
    double m_windowNs;           ///< time by which queue delays are divided, ns
    uint32_t m_value{NO_VALUE};  ///< see SetValue()
    std::vector<Value> m_values; ///< states of the entropy values, indexed by value
    std::vector<float> m_shares; ///< see GetShares()
};

} // namespace ns3

#endif // HPCC_VALUE_LOADS_H
