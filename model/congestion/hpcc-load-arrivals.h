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
 * Variant of line 4 with HpccParameters::RATE_RX: the arrival rate at the queue. Between two
 * records, the arrivals are the departures plus the growth of the queue. Figure 6 of the HPCC paper
 * shows the drawback of this rate: a growing queue is counted twice, in the queue length and in the
 * rate. PowerTCP calls this rate the current.
 */
struct HpccLoadArrivals
{
    /**
     * Returns the arrival rate over B; 0 if two inconsistent records would make it negative.
     * @param txRate departure rate over B
     * @param queueBytes queue of the newer record, bytes
     * @param lastQueueBytes queue of the older record, bytes
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
