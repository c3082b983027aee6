/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_WORKLOAD_H
#define HPCC_WORKLOAD_H

#include "hpcc-flow-sizes.h"
#include "hpcc-flow-trace.h"
#include "hpcc-topology.h"

#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Poisson arrivals as in Y. Li et al., "HPCC", SIGCOMM 2019, section 5.1. Every host starts flows
 * to destinations chosen uniformly among the other hosts. Sizes follow a distribution. Each host
 * has its own random streams.
 */
struct HpccPoissonTraffic
{
    /// The capacity to which the load is relative.
    enum LoadBase
    {
        HOST_LINKS,  ///< the rate of each host's links, without links inside servers
        TOR_UPLINKS, ///< the rate of a rack's uplinks. Only traffic that leaves the rack counts, as
                     ///< in V. Addanki et al., "PowerTCP", NSDI 2022, section 4.1
    };

    double load{0.5};               ///< payload per time, divided by the capacity of loadBase;
                                    ///< above 0, at most 1
    LoadBase loadBase{HOST_LINKS};  ///< capacity to which the load is relative
    Time duration{MilliSeconds(1)}; ///< flows start between 0 and this time

    /**
     * Adds the flows to a trace.
     * @param topology the network
     * @param sizes distribution of sizes
     * @param stream number of the first random stream; each host uses two streams
     * @param trace trace to which the flows are added
     */
    void AddTo(HpccFlowTrace& trace,
               const HpccTopology& topology,
               const HpccFlowSizes& sizes,
               int64_t stream) const;
};

/**
 * @ingroup hpcc
 *
 * Incasts that recur as a Poisson process (Y. Li et al., "HPCC", SIGCOMM 2019, section 5.1). In
 * each incast, randomly chosen senders send to one randomly chosen receiver, all at the same time.
 */
struct HpccRecurringIncast
{
    uint32_t senders{60};   ///< number of hosts that send, at least 1
    uint64_t bytes{500000}; ///< payload per sender, bytes
    double load{0.02};      ///< payload per time, divided by the rate of all hosts' links; above 0,
                            ///< at most 1
    Time duration{MilliSeconds(1)}; ///< incasts start between 0 and this time

    /**
     * Returns the mean time between two incasts, ns.
     * @param topology the network
     */
    double GetMeanGapNs(const HpccTopology& topology) const;

    /**
     * Adds the flows to a trace.
     * @param topology the network; throws HpccInputError if it does not have more hosts than an
     * incast has senders
     * @param stream number of the first of two random streams
     * @param trace trace to which the flows are added
     */
    void AddTo(HpccFlowTrace& trace, const HpccTopology& topology, int64_t stream) const;
};

} // namespace ns3

#endif // HPCC_WORKLOAD_H
