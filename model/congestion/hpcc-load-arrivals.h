/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_LOAD_ARRIVALS_H
#define HPCC_LOAD_ARRIVALS_H

#include <algorithm>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Replaces line 4 if HpccParameters::RATE_RX is selected: the rate is the arrival rate at the
 * queue. The bytes that arrived between two records are the bytes that left plus the growth of the
 * queue. Figure 6 of the HPCC paper shows the drawback of this rate: a growing queue is counted
 * twice, in the queue length and in the rate. PowerTCP calls this rate "current".
 */
struct HpccLoadArrivals
{
    /**
     * Returns the arrival rate divided by B, or 0 if inconsistent records yield a negative rate.
     * @param txRate departure rate divided by B
     * @param queueBytes queue length in the newer record, bytes
     * @param lastQueueBytes queue length in the older record, bytes
     * @param nsPerByte 8e9/B
     * @param dtNs time between the two records, ns
     */
    static double Rate(double txRate,
                       uint64_t queueBytes,
                       uint64_t lastQueueBytes,
                       double nsPerByte,
                       double dtNs)
    {
        const double growth = static_cast<double>(queueBytes) - static_cast<double>(lastQueueBytes);
        return std::max(txRate + growth * nsPerByte / dtNs, 0.0);
    }
};

} // namespace ns3

#endif // HPCC_LOAD_ARRIVALS_H
