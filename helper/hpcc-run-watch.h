/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_RUN_WATCH_H
#define HPCC_RUN_WATCH_H

#include "hpcc-experiment.h"
#include "hpcc-signals.h"

#include "ns3/nstime.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Checks a run at intervals of simulated time. Reports progress, and ends the run when every flow
 * has finished or is lost, or at a given time. Each check takes place 1 ns before a possible end of
 * the run. At the end itself it would be too late, because some nodes may already have processed
 * events that are due then.
 */
class HpccRunWatch
{
  public:
    /**
     * Schedules the first check of a run.
     * @param fabric the network
     * @param monitor monitor of the run
     * @param signals signals that end the run
     * @param name name of the run, for the reports
     * @param flows number of flows at all ranks together
     * @param first earliest time of the first check
     * @param stop latest end of the run
     * @param linger time from the last completion until the end
     * @param progress true to report progress
     * @param beside returns the state of the program's activities other than the flows; empty if
     * there are none
     */
    HpccRunWatch(const HpccFabricHelper& fabric,
                 const HpccMonitor& monitor,
                 HpccSignals& signals,
                 const std::string& name,
                 size_t flows,
                 Time first,
                 Time stop,
                 Time linger,
                 bool progress,
                 const std::function<HpccExperiment::Progress()>& beside);

    /**
     * Lets the run end even if flows that a failure has cut off for good have not finished. Such a
     * flow counts as lost if it still has not finished at 10 ms plus 30 base RTTs after the
     * failure. This time is usually long enough for ACKs that were under way when the link failed.
     * @param cutOffsNs by flow: time of the failure, ns; INT64_MAX if the flow is not cut off.
     * Empty if no flow is cut off
     */
    void SetCutOffs(const std::vector<int64_t>& cutOffsNs);

    /**
     * Sets a function that each check calls.
     * @param check the function; when it is called, all nodes have caught up with the time of the
     * check
     */
    void SetOnCheck(const std::function<void()>& check)
    {
        m_onCheck = check;
    }

    /// Returns the signal that has ended the run, at any rank; 0 if none has.
    int GetSignal() const
    {
        return m_signal;
    }

  private:
    /// Schedules the next check 1 ns before a time, or 1 ns before the latest end of the run if
    /// that is earlier.
    /// @param end the time
    void LookBefore(Time end);
    /// Returns two numbers. The first is the number of flows that were cut off long enough ago to
    /// count as lost, see SetCutOffs(). The second is the number of these flows that have finished
    /// at this rank.
    std::pair<uint64_t, uint64_t> CountCutOff() const;
    /// Updates the number of unfinished flows, the state of the other activities and the signal,
    /// over all ranks.
    /// @return true if the run may end: at all ranks, every flow is lost or finished at least the
    /// linger time ago, and the activities other than the flows are done
    bool AreFinished();
    /// Returns true if the program's activities other than the flows have been WAITING for 1 ms.
    bool IsStuck();
    /// Ends the run, or reports progress and schedules the next check.
    void Look();
    /// Reports progress on standard error.
    void Report() const;

    const HpccFabricHelper& m_fabric;                          ///< the network
    const HpccMonitor& m_monitor;                              ///< monitor of the run
    HpccSignals& m_signals;                                    ///< signals that end the run
    int m_signal{0};                                           ///< the signal that has ended the
                                                               ///< run
    std::string m_name;                                        ///< name of the run
    uint64_t m_flows;                                          ///< number of flows
    uint64_t m_unfinished{0};                                  ///< number of flows that have not
                                                               ///< finished
    Time m_stop;                                               ///< latest end of the run
    Time m_linger;                                             ///< time for which the run continues
                                                               ///< after the last completion
    Time m_end;                                                ///< time of the next possible end
    bool m_progress;                                           ///< true to report progress
    const std::function<HpccExperiment::Progress()>& m_beside; ///< returns the state of other
                                                               ///< activities
    std::function<void()> m_onCheck;                           ///< function that each check calls;
                                                               ///< may be empty
    HpccExperiment::Progress m_state{HpccExperiment::Progress::DONE}; ///< result of m_beside at the
                                                                      ///< last check, over all
                                                                      ///< processes
    std::vector<std::pair<size_t, int64_t>>
        m_cutOffsNs;   ///< flows that a failure cuts off, and the time of the failure, ns
    Time m_waitsSince; ///< time since which m_state has been
                       ///< WAITING
    std::chrono::steady_clock::time_point m_begin; ///< real time of the start
    std::chrono::steady_clock::time_point m_last;  ///< real time of the last report
};

} // namespace ns3

#endif // HPCC_RUN_WATCH_H
