/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_JOB_REPORT_H
#define HPCC_JOB_REPORT_H

#include "hpcc-job-graph.h"
#include "hpcc-job-run.h"

#include "ns3/hpcc-fabric-helper.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Computes the results of a job that has run.
 */
class HpccJobReport
{
  public:
    using Times = std::vector<HpccJobRun::Times>; ///< times by operation

    /// The time of a collective.
    struct CollectiveTime
    {
        int64_t beginNs{-1}; ///< start of the first operation, ns; -1: not begun
        int64_t endNs{-1};   ///< end at the last member, ns; -1: not ended

        /// Returns the time from the start at the first member to the end at the last one, ns.
        int64_t GetNs() const
        {
            return endNs - beginNs;
        }
    };

    /// A time span in which a rank computed or communicated.
    struct Interval
    {
        uint32_t rank;       ///< the rank
        uint32_t collective; ///< number of the collective; HpccJobGraph::NONE: a computation, or
                             ///< messages outside collectives
        bool computation;    ///< true: the rank computed
        int64_t beginNs;     ///< beginning, ns
        int64_t endNs;       ///< end, ns; -1: not ended
    };

    /**
     * Creates the report of a job.
     * @param graph the job; must outlive this object
     * @param times times of the job's operations, from all processes
     * @param startNs start of the job, ns
     */
    HpccJobReport(const HpccJobGraph& graph, Times times, int64_t startNs);

    /**
     * Collects the times of operations from all processes. All processes must call this function.
     * @param fabric the network
     * @param times times of this process
     * @return times of all processes
     */
    static Times Merge(const HpccFabricHelper& fabric, const Times& times);

    /// Returns true if all computations and receives have ended. Sends may still wait for their
    /// acknowledgements.
    bool IsFinished() const
    {
        return m_finished;
    }

    /// Returns the time from the start of the job until all computations and receives have ended,
    /// ns.
    int64_t GetIterationNs() const;

    /// Returns the time for which a rank waits for messages and does not compute, ns: the largest
    /// value of any rank. A rank always waits for its receives. It waits for a send only if another
    /// operation waits for the end of this send.
    int64_t GetExposedNs() const;

    /// Returns the times of the collectives of the graph.
    std::vector<CollectiveTime> GetCollectives() const;

    /// Returns the activities of the ranks, sorted by rank and beginning: computations,
    /// collectives, and messages outside collectives. Activities that took no time are left out.
    std::vector<Interval> GetIntervals() const;

    /**
     * Returns a lower bound of the time of a job in an empty network, see HpccJobBound. The bound
     * is the larger of two times: the time of the longest chain of computations and messages, and
     * the time that the most loaded links need for all bytes. Jitter of computations is ignored.
     *
     * The order of computations of a stream, of messages of a queue pair, and of receives of one
     * source and tag may depend on the network. The chain has the order of an empty network. With
     * another order, a job may be faster than the bound (R. L. Graham, "Bounds on multiprocessing
     * timing anomalies", SIAM J. Appl. Math. 17, 1969).
     *
     * @param graph the job
     * @param settings settings of the job
     * @param fabric the network after Install()
     * @param hosts hosts by rank
     * @return the time, ns
     */
    static int64_t GetBoundNs(const HpccJobGraph& graph,
                              const HpccJobSettings& settings,
                              const HpccFabricHelper& fabric,
                              const std::vector<uint32_t>& hosts);

  private:
    const HpccJobGraph& m_graph; ///< the job
    Times m_times;               ///< times by operation
    int64_t m_startNs;           ///< start, ns
    bool m_finished{true};       ///< true if all computations and receives have ended
};

} // namespace ns3

#endif // HPCC_JOB_REPORT_H
