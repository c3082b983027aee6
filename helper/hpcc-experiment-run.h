/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_EXPERIMENT_RUN_H
#define HPCC_EXPERIMENT_RUN_H

#include "hpcc-experiment-plans.h"
#include "hpcc-storm-report.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

class HpccSignals;

/**
 * @ingroup hpcc
 *
 * The network, the flows and the results of one simulation of an HpccExperiment.
 */
class HpccExperiment::OneRun
{
  public:
    /**
     * Creates an empty network.
     * @param experiment the experiment; all arguments must outlive this object
     * @param plan policy and format
     * @param scenario network and flows of the run
     * @param tables tables that get the rows; null while Rehearse() checks the runs
     */
    OneRun(HpccExperiment& experiment, const Plan& plan, const Scenario& scenario, Tables* tables);

    /// Builds the network.
    /// @param configure see HpccExperiment::Run()
    void Build(const Configure& configure);

    /// Checks and connects the flows, and creates their monitor.
    void Connect();

    /**
     * Simulates the network and writes the results.
     * @param signals signals that may end the run
     * @return the summary; empty if a signal has ended the run
     */
    HpccSummary Simulate(HpccSignals& signals);

    /// Simulates the network to find out whether objects use all defaults given on the command
    /// line. Stops as soon as all of these defaults have been used, when all flows have finished,
    /// or at the end of the run.
    void SimulateUntilUsed();

  private:
    /// The flows of a run.
    struct Flows
    {
        std::vector<HpccFlowPlan> plans; ///< the flows, with their queue pairs
        int64_t lastStartNs{0};          ///< latest planned start, ns
    };

    /// Checks the flows and connects those that do not belong to Scenario::drive.
    Flows ConnectFlows();

    /**
     * Connects a flow and posts its message.
     * @param number number of the flow
     * @param flow flow as planned
     * @return index of the queue pair at the source
     */
    uint32_t ConnectFlow(size_t number, const HpccFlowPlan& flow);

    /// Prints the warnings of the run's policies.
    void WarnOfPolicies();

    /// Finds the flows that a failure cuts off for good. Does nothing if the program or the command
    /// line sets the end of the run, or if flows give up by themselves.
    /// @param plans plans of all flows
    void FindCutOffs(const std::vector<HpccFlowPlan>& plans);

    /// Creates the monitor.
    /// @param flows flows as ConnectFlows() returned them
    void MakeMonitor(Flows flows);

    /// Starts the traces of the run, and prints its policy and flows.
    void Announce();

    /// Refuses --settle if the settled interval is too short to contain a full throughput bin.
    /// @param summary results of the run
    void CheckStatistics(const HpccSummary& summary) const;

    /// Warns of a deadlock, and prints its switches, if two conditions hold: some flows have not
    /// finished, and switches form a cycle in which each is paused by the next.
    /// @param summary results of the run
    void WarnOfDeadlock(const HpccSummary& summary);

    /// Writes the rows of the run.
    /// @param summary results of the run
    void Write(const HpccSummary& summary);

    /// Prints the storms, drops, outages and lost flows of the run.
    /// @param summary results of the run
    void ReportFaults(const HpccSummary& summary);

    HpccExperiment& m_experiment;         ///< the experiment
    Values& m_values;                     ///< values of the experiment
    const Plan& m_plan;                   ///< policy and format
    const Scenario& m_scenario;           ///< the scenario
    Tables* m_tables;                     ///< tables that get the rows; null while Rehearse()
                                          ///< checks the runs
    HpccFabricHelper m_fabric;            ///< the network
    HpccStormReport m_storms;             ///< PFC storms
    int64_t m_firstStartNs{INT64_MAX};    ///< earliest planned start of a flow, ns
    std::vector<int64_t> m_cutOffsNs;     ///< by flow: time of the failure that cuts it off, ns;
                                          ///< see HpccRunWatch::SetCutOffs()
    std::optional<HpccMonitor> m_monitor; ///< monitor of the flows, after Connect()
};

} // namespace ns3

#endif // HPCC_EXPERIMENT_RUN_H
