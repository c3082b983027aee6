/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_WORKLOAD_MONITOR_H
#define HPCC_WORKLOAD_MONITOR_H

#include "hpcc-csv-file.h"
#include "hpcc-fabric-helper.h"
#include "hpcc-flow-trace.h"
#include "hpcc-histogram.h"
#include "hpcc-monitor.h"

#include "ns3/hpcc-node-agenda.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Measures a workload: queues of all switch ports sampled at equal intervals, round-trip times, and
 * slowdowns by size. The memory needed does not grow with simulated time. This object must outlive
 * the simulation.
 */
class HpccWorkloadMonitor
{
  public:
    /**
     * Connects a monitor to the switches and hosts of a network that this process simulates.
     * @param fabric the network
     * @param sampleNs time between two samples of the queues, ns, at least 1; less throws
     * HpccInputError
     * @param untilNs latest time of a sample, ns
     * @param fromNs a time in ns, at least 0; the first sample is taken at the first multiple of @p
     * sampleNs after this time
     */
    HpccWorkloadMonitor(HpccFabricHelper& fabric,
                        int64_t sampleNs,
                        int64_t untilNs,
                        int64_t fromNs = 0);

    ~HpccWorkloadMonitor();

    /**
     * Merges the counts of the other ranks, if several ranks share the simulation. All ranks must
     * call this function after the run.
     * @param fabric the network
     */
    void Merge(const HpccFabricHelper& fabric);

    /// Returns the histogram of queue samples. A sample is the number of bytes in all queues of one
    /// switch port.
    const HpccHistogram& GetQueues() const
    {
        return m_queues;
    }

    /// Returns the histogram of samples of the round-trip time, ns.
    const HpccHistogram& GetRtts() const
    {
        return m_rtts;
    }

    /// Slowdowns of flows of one class and of similar size.
    struct SlowdownBin
    {
        size_t number{0};     ///< number of the bin, from 1
        uint64_t maxBytes{0}; ///< size of the largest flow, bytes
        size_t flows{0};      ///< number of flows
        double p50{0};        ///< median slowdown
        double p95{0};        ///< 95th percentile of the slowdown
        double p99{0};        ///< 99th percentile of the slowdown
        double mean{0};       ///< mean slowdown
    };

    /**
     * Returns the slowdown (completion time divided by ideal completion time) by size. Finished
     * flows are sorted by size and divided into bins with equal numbers of flows. Throws
     * HpccInputError if a flow has no class or result.
     * @param flows all flows
     * @param trace trace with the classes of the flows
     * @param results outcomes of the flows
     * @param flowClass the class of flows to count
     * @param bins number of bins, at least 1; with 1, all flows are in one bin
     * @param floor lower bound applied to each slowdown
     * @return the bins that are not empty; with fewer flows than bins, some numbers are missing
     */
    static std::vector<SlowdownBin> GetSlowdowns(const std::vector<HpccFlowPlan>& flows,
                                                 const HpccFlowTrace& trace,
                                                 const std::vector<HpccFlowOutcome>& results,
                                                 HpccFlowClass flowClass,
                                                 size_t bins,
                                                 double floor);

  private:
    /// Samples the queues of a switch.
    class Sampler;

    /**
     * Records an acknowledgement.
     * @param qp a queue pair
     * @param nowNs time of arrival, ns
     * @param rttNs sample of the round-trip time, ns; -1 if there is none
     */
    void Acknowledged(const RdmaQueuePair& qp, int64_t nowNs, int64_t rttNs);

    std::vector<std::unique_ptr<Sampler>> m_samplers; ///< one per switch
    HpccHistogram m_queues;                           ///< histogram of queue samples, bytes
    HpccHistogram m_rtts;                             ///< histogram of round-trip time samples, ns
};

} // namespace ns3

#endif // HPCC_WORKLOAD_MONITOR_H
