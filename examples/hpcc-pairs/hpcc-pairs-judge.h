/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_PAIRS_JUDGE_H
#define HPCC_PAIRS_JUDGE_H

#include "hpcc-pairs-row.h"

#include "ns3/hpcc-experiment.h"
#include "ns3/rdma-control-goal.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class HpccIpFlows;

/**
 * @ingroup hpcc
 *
 * Runs the scenarios of one row of ./hpcc pairs, and compares their results with the bounds of
 * doc/pairs.rst. A row is a combination of exchangeable parts, such as policy and recovery; see
 * HpccPairsRow.
 */
class HpccPairsJudge
{
  public:
    static constexpr int64_t JOIN_NS = 200000; ///< time at which the last flow starts, ns

    /**
     * Creates an object that tests one row.
     * @param experiment experiment after Parse()
     * @param row row that the command line sets
     */
    HpccPairsJudge(HpccExperiment& experiment, const HpccPairsRow& row);
    ~HpccPairsJudge();

    /**
     * Runs a scenario.
     * @param name name of the scenario
     * @param rate line rate
     * @param between rate of the links between switches
     * @param senders number of senders that share the receiver's link
     * @param flows the flows
     * @param outages outages for HpccPairsRow::FAILURE
     */
    void Run(const std::string& name,
             DataRate rate,
             DataRate between,
             uint32_t senders,
             const std::vector<HpccFlowPlan>& flows,
             const std::string& outages);

    /// Prints the verdict.
    /// @return exit code: 1 if a bound is violated, else 0
    int Report() const;

  private:
    /// A bound and the measured value.
    struct Check
    {
        std::string bound; ///< description of the bound and of where it comes from
        double value;      ///< measured value
        double limit;      ///< allowed value
        bool atLeast;      ///< true if limit is a lower bound, false if it is an upper bound

        /// Returns how close the value is to its limit: 1 if it equals the limit, more than 1 if it
        /// violates the limit.
        double Severity() const
        {
            if (atLeast ? value >= limit : value <= limit)
            {
                const double of = atLeast ? value : limit;
                return of > 0 ? (atLeast ? limit : value) / of : 0;
            }
            const double of = atLeast ? value : limit;
            return of > 0 ? std::max(1.0001, (atLeast ? limit : value) / of) : HUGE_VAL;
        }
    };

    /// Results of a simulation that its summary does not contain.
    struct Measured
    {
        double baseRttNs{0};     ///< T
        uint64_t openPauses{0};  ///< number of pauses that have not ended, although the port that
                                 ///< requested them no longer needs them
        uint64_t lost{0};        ///< number of frames dropped
        uint64_t noMemory{0};    ///< number of frames dropped or trimmed for lack of memory
        uint64_t undelivered{0}; ///< number of flows whose last byte has not arrived
        uint64_t lostBytes{0};   ///< payload that a transport without recovery has lost
        int64_t lastNs{0};       ///< last completion, ns
        double markBytes{0};     ///< queue length above which every packet is marked, bytes;
                                 ///< infinite if the marker is not an EcnMarker
        uint32_t switchHops{0};  ///< number of switches on the first flow's path
        bool reordered{false};   ///< true if recovery treats reordered packets as lost
        double timeoutNs{0};     ///< retransmission time-out of the first flow's sender, ns; see
                                 ///< FindTimeoutNs()
        bool atReceiver{false};  ///< true if the bottleneck port, which the summary describes, is
                                 ///< the port to the receiver
    };

    /**
     * Makes a scenario.
     * @param rate line rate
     * @param between rate of the links between switches
     * @param senders number of senders
     * @param flows the flows
     * @return the scenario
     */
    HpccExperiment::Scenario MakeScenario(DataRate rate,
                                          DataRate between,
                                          uint32_t senders,
                                          const std::vector<HpccFlowPlan>& flows);

    /**
     * Records the results of a run that its summary does not contain.
     * @param fabric the network
     * @param monitor monitor of the flows
     */
    void Measure(HpccFabricHelper& fabric, const HpccMonitor& monitor);

    /**
     * Returns the retransmission time-out of a sender, ns. For TCP, this is the minimum time-out.
     * @param fabric the network
     * @param host the sender
     */
    double FindTimeoutNs(const HpccFabricHelper& fabric, uint32_t host) const;

    /**
     * Returns true if the policy should reach its goal within 30 base RTTs, that is, before the
     * settled interval starts. This is so if enough packets carry telemetry, and if a receiver that
     * computes the window does not commit by time alone.
     * @param rateBps line rate
     * @param baseRttNs T
     * @param flows number of flows that share the receiver's link
     */
    bool Settles(double rateBps, double baseRttNs, size_t flows) const;

    /**
     * Returns the queue length, utilisation and fairness that the policy should reach.
     * @param bottleneck the receiver's link. The caller need not set the members that describe
     * feedback: this function sets them for RDMA, and other transports do not use them
     */
    RdmaControlGoal::Goal FindGoal(RdmaControlGoal::Bottleneck bottleneck) const;

    /**
     * Compares a run with its bounds.
     * @param summary summary of the run
     * @param rateBps line rate
     * @param flows the flows
     */
    void Compare(const HpccSummary& summary,
                 double rateBps,
                 const std::vector<HpccFlowPlan>& flows);

    /**
     * Adds a bound to the checks. Skips an infinite bound, unless it is the first bound.
     * @param bound description of the bound and of where it comes from
     * @param value measured value
     * @param limit allowed value
     * @param atLeast true if limit is a lower bound, false if it is an upper bound
     */
    void Add(const std::string& bound, double value, double limit, bool atLeast = false);

    HpccExperiment& m_experiment;           ///< runs the scenarios
    HpccPairsRow m_row;                     ///< row that is tested
    std::string m_name;                     ///< name of the scenario
    Measured m_measured;                    ///< results of the last run
    HpccFabricHelper::PolicySpec m_spec;    ///< policy of RDMA flows
    std::unique_ptr<HpccIpFlows> m_ipFlows; ///< flows of transports other than RDMA
    std::vector<Check> m_checks;            ///< all bounds checked so far, with the measured values
};

} // namespace ns3

#endif // HPCC_PAIRS_JUDGE_H
