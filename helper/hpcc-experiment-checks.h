/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_EXPERIMENT_CHECKS_H
#define HPCC_EXPERIMENT_CHECKS_H

#include "hpcc-experiment-plans.h"
#include "hpcc-experiment-values.h"

#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Refuses, before the first run, options without effect and runs that would fail. Objects are
 * temporary; all state is in Values.
 */
class HpccExperiment::Checks
{
  public:
    /// @param experiment the experiment; must outlive this
    explicit Checks(const HpccExperiment& experiment)
        : m_experiment(experiment),
          m_values(*experiment.m_values)
    {
    }

    /**
     * Refuses an end of the runs that is not after 0 or is beyond the latest start of a flow.
     * @param stop the end
     */
    void CheckStop(Time stop) const;

    /**
     * Refuses options that have no effect on any run.
     *
     * @param plans the runs
     * @param scenario the scenario
     */
    void CheckEffects(const std::vector<Plan>& plans, const Scenario& scenario) const;

    /**
     * Refuses attributes of RdmaHost and RdmaNic that no recovery, policy or feedback of the runs
     * uses.
     * @param plans the runs; all flows are RDMA flows of their policies
     * @param stop end of the runs
     * @param repaths true if hosts may move flows to other paths
     */
    void CheckHosts(const std::vector<Plan>& plans, Time stop, bool repaths) const;

    /// Refuses attributes of CNPs if no run sends any.
    /// @param plans the runs; all flows are RDMA flows of their policies
    void CheckCnps(const std::vector<Plan>& plans) const;

    /// Refuses an interval between NAKs if NoteHosts() found no host that uses it.
    void CheckNaks() const;

    /// Finds out whether a responder may drop out-of-order packets, see Values::sendsNaks.
    /// @param fabric the network of a run, connected
    void NoteHosts(const HpccFabricHelper& fabric);

    /**
     * Refuses a UDP port or a DSCP of telemetry formats that marks no packets of the runs.
     * @param plans the runs; all flows are RDMA flows of their policies
     */
    void CheckMarks(const std::vector<Plan>& plans) const;

    /**
     * Refuses defaults of attributes that have no effect on any run.
     * @param simulated true if a run was simulated, so that objects created during a run exist
     */
    void CheckDefaults(bool simulated) const;

    /**
     * Refuses attributes of telemetry formats that no format of the runs has. GetUnused() does not
     * report them, because objects of all formats are created to compare their reflection ids.
     */
    void CheckFormatDefaults() const;

    /**
     * Adds the formats of a run to Values::formats and Values::formatValues.
     * @param plan the run
     * @param fabric its network, connected
     */
    void NoteFormats(const Plan& plan, const HpccFabricHelper& fabric);

    /// Adds a format to Values::formats and Values::formatValues.
    /// @param format the format
    void NoteFormat(const TelemetryFormat& format);

    /**
     * @param tid a class
     * @return true if its objects may be created during a run, as sockets are
     */
    bool MayBeMadeLater(TypeId tid) const;

    /// @return true if the command line gives a default that no object has used so far
    bool HasIdleDefaults() const;

  private:
    const HpccExperiment& m_experiment; ///< the experiment
    Values& m_values;                   ///< its values
};

} // namespace ns3

#endif // HPCC_EXPERIMENT_CHECKS_H
