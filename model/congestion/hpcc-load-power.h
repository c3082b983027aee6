/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_LOAD_POWER_H
#define HPCC_LOAD_POWER_H

#include <algorithm>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Replaces line 5 if HpccParameters::LOAD_POWER is selected: u' is then the normalised power of
 * PowerTCP (NSDI 2022). This power is "voltage" times "current", where the voltage is qlen/(B T) +
 * 1 and the current is rate/B.
 */
struct HpccLoadPower
{
    /**
     * Returns the normalised power: the rate term multiplied by 1 plus the queue term.
     * @param queueTerm queue term qlen/(B T)
     * @param rate rate term, rate/B
     * @param minRate lower bound of the rate term
     */
    static double Combine(double queueTerm, double rate, double minRate)
    {
        return (queueTerm + 1) * std::max(rate, minRate);
    }
};

} // namespace ns3

#endif // HPCC_LOAD_POWER_H
