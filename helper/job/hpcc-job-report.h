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
 * Measures a job that has run.
 */
class HpccJobReport
{
  public:
    using Times = std::vector<HpccJobRun::Times>; ///< by operation

    /// The time of a collective.
    struct CollectiveTime
    {
        int64_t beginNs{-1}; ///< its first operation begins, ns; -1: it has not begun
        int64_t endNs{-1};   ///< all of its members are done, ns; -1: not all are

        /// @return from the first member that begins to the last that is done, ns
        int64_t GetNs() const
        {
            return endNs - beginNs;
        }
    };

    /// A time in which a rank did something.
    struct Interval
    {
        uint32_t rank;       ///< the rank
        uint32_t collective; ///< which; HpccJobGraph::NONE: computation, or messages of none
        bool computation;    ///< it computed
        int64_t beginNs;     ///< beginning, ns
        int64_t endNs;       ///< end, ns
    };

    /**
     * @param graph the job; must outlive this object
     * @param times of its operations, from all processes
     * @param startNs when its ranks started, ns
     */
    HpccJobReport(const HpccJobGraph& graph, Times times, int64_t startNs);

    /**
     * Merges the times of the ranks of all processes; all of them call it.
     * @param fabric the network
     * @param times of this process
     * @return of all processes
     */
    static Times Merge(const HpccFabricHelper& fabric, const Times& times);

    /// @return true if all operations have ended
    bool IsFinished() const
    {
        return m_finished;
    }

    /// @return from its start until the last computation and receive has ended, ns
    int64_t GetIterationNs() const;

    /// @return the longest time in which a rank waited for messages and did not compute, ns
    int64_t GetExposedNs() const;

    /// @return time of each collective of the graph
    std::vector<CollectiveTime> GetCollectives() const;

    /// @return what ranks did when, by rank and beginning: computations, and collectives or other
    /// messages, without those that took no time or have not ended
    std::vector<Interval> GetIntervals() const;

    /**
     * Returns the least time in which an empty network could run a job without computations of
     * random length, see HpccJobBound: the longest chain of its computations and messages, or the
     * time that the most loaded links need for all bytes.
     * @param graph the job
     * @param settings its times
     * @param fabric the network, installed
     * @param hosts by rank
     * @return the time, ns
     */
    static int64_t GetBoundNs(const HpccJobGraph& graph,
                              const HpccJobSettings& settings,
                              const HpccFabricHelper& fabric,
                              const std::vector<uint32_t>& hosts);

  private:
    const HpccJobGraph& m_graph; ///< the job
    Times m_times;               ///< by operation
    int64_t m_startNs;           ///< start
    bool m_finished{true};       ///< all have ended
};

} // namespace ns3

#endif // HPCC_JOB_REPORT_H
