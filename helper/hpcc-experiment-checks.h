/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_EXPERIMENT_CHECKS_H
#define HPCC_EXPERIMENT_CHECKS_H

#include "hpcc-experiment-plans.h"
#include "hpcc-experiment-values.h"

#include "ns3/rdma-setting-warnings.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Refuses, before the first run, options without effect and runs that would fail. The class has no
 * state of its own; it uses HpccExperiment::Values.
 */
class HpccExperiment::Checks
{
  public:
    /// RDMA policies of the runs, each with its telemetry and feedback mode.
    using Specs = std::vector<HpccFabricHelper::PolicySpec>;

    /// Creates the checks of an experiment.
    /// @param experiment the experiment; must outlive this object
    explicit Checks(const HpccExperiment& experiment)
        : m_experiment(experiment),
          m_values(*experiment.m_values)
    {
    }

    /**
     * Refuses an end of the runs outside 1 ns to HpccFlowPlan::MAX_START_NS.
     * @param stop end of the runs
     */
    void CheckStop(Time stop) const;

    /**
     * Refuses a value of --settle with which statistics would begin at or after the end of a run.
     * @param beginNs start of the statistics, ns
     * @param stop end of the run
     */
    void CheckSettle(int64_t beginNs, Time stop) const;

    /**
     * Refuses options that have no effect on any run.
     *
     * @param plans the runs
     * @param scenario scenario of all runs
     */
    void CheckEffects(const std::vector<Plan>& plans, const Scenario& scenario) const;

    /**
     * Returns the policies of all queue pairs. These are the policies of Scenario::beside and those
     * of --cc, with the values that Scenario::tunePolicy sets. If the policies of --cc belong to
     * another transport, they are left out. A program that connects queue pairs itself must name
     * their further policies in Scenario::beside.
     * @param plans the runs
     * @param scenario scenario of all runs
     */
    Specs ListSpecs(const std::vector<Plan>& plans, const Scenario& scenario) const;

    /// Returns true if the program connects RDMA flows with further policies without naming any of
    /// them in Scenario::beside. The checks that need all policies are then skipped.
    /// @param scenario scenario of all runs
    bool HasUnnamedPolicies(const Scenario& scenario) const;

    /**
     * Refuses attributes of RdmaHost and RdmaNic that no recovery, policy or feedback of the runs
     * uses.
     * @param specs the policies, at least one
     * @param stop end of the runs
     * @param repaths true if hosts may move flows to other paths
     */
    void CheckHosts(const Specs& specs, Time stop, bool repaths) const;

    /// Refuses attributes of CNPs and of echoed marks if no run sends them; call it after
    /// NoteHosts() of all runs. Refuses a policy's attribute CnpInterval if the command line sets
    /// RdmaHost::CnpInterval above 0, which takes precedence.
    /// @param specs the policies, at least one
    void CheckCnps(const Specs& specs) const;

    /**
     * Refuses an attribute that has no effect, if the command line sets it for some policy.
     * @param specs the policies
     * @param attribute name of the attribute; policies without this attribute are skipped
     * @param why reason why the attribute has no effect
     */
    void RefuseOfPolicies(const Specs& specs,
                          const std::string& attribute,
                          const std::string& why) const;

    /**
     * Refuses RdmaHost::AckInterval and attributes of feedback that no feedback of the runs uses.
     * @param specs the policies
     * @param acksAtOnce true if, in all runs, hosts acknowledge every packet as soon as it arrives
     * @param why reason for the error message if @p acksAtOnce is true
     */
    void CheckFeedbacks(const Specs& specs, bool acksAtOnce, const std::string& why) const;

    /// Refuses RdmaHost::PaceByRate and RetimePending if no policy changes the rate.
    /// @param specs the policies
    void CheckPacing(const Specs& specs) const;

    /// Refuses values of attributes of RdmaNic that name a random variable such as
    /// EmpiricalRandomVariable. Only a program can give such a variable its values; attributes
    /// cannot.
    void CheckDelays() const;

    /**
     * Refuses attributes that have no effect on any run, according to what NoteHosts() has found:
     * attributes of CNPs and echoed marks, QuietLoad of policies, and RdmaHost::NakInterval.
     * @param plans the runs
     * @param scenario scenario of all runs
     */
    void CheckNoted(const std::vector<Plan>& plans, const Scenario& scenario) const;

    /// Adds dependent attributes to Values::acting if the command line gives them and they have an
    /// effect on a network. An attribute is dependent if it has an effect only under a condition:
    /// another attribute has a certain value, a port has a certain rate, or a host has ns-3's IP
    /// stack.
    /// @param fabric the network of a run, with all objects that exist before simulated time starts
    void NoteDependents(const HpccFabricHelper& fabric);

    /// Refuses dependent attributes that have no effect on any network of the runs; see
    /// NoteDependents().
    void CheckDependents() const;

    /// Updates the flags of Values that describe hosts: sendsNaks, returnsByCnp, returnsByAck and
    /// assumesQuiet. A responder that may drop out-of-order packets may send NAKs.
    /// @param fabric the network of a run, connected
    void NoteHosts(const HpccFabricHelper& fabric);

    /**
     * Refuses the attribute UdpPort of a telemetry format if no run marks packets of the format by
     * a UDP port. Likewise refuses the attribute Dscp if no run marks packets of the format by a
     * DSCP.
     * @param specs the policies
     */
    void CheckMarks(const Specs& specs) const;

    /**
     * Refuses attribute defaults that have no effect on any run.
     * @param simulated true if a run was simulated, so that objects created during a run exist
     */
    void CheckDefaults(bool simulated) const;

    /**
     * Refuses attributes of telemetry formats that no format of the runs uses.
     * HpccAttributeDefaults::GetUnused() does not find these attributes, because the module itself
     * creates an object of every format, and this counts as a use. Also refuses an attribute of
     * TelemetryAgent if no format of the runs carries the values that the attribute affects.
     */
    void CheckFormatDefaults() const;

    /**
     * Adds the formats of a run to Values::formats and Values::formatValues.
     * @param plan the run
     * @param fabric network of the run, connected
     */
    void NoteFormats(const Plan& plan, const HpccFabricHelper& fabric);

    /// Adds the fields of a format to Values::formatFields. If a TelemetryAgent inserts the records
    /// of the format, also sets Values::insertsRecords. If these records also contain a queue
    /// length, or a queue delay that is not a sojourn time, sets Values::reportsQueues as well.
    /// @param format format that a run uses
    void NoteFields(const TelemetryFormat& format);

    /// Adds a format to Values::formats and Values::formatValues.
    /// @param format format that a run uses
    void NoteFormat(const TelemetryFormat& format);

    /**
     * Returns true if a run may create objects of a class during the simulation, as applications
     * create sockets.
     * @param tid a class
     */
    bool MayBeMadeLater(TypeId tid) const;

    /// Returns true if the command line gives a default whose use can be observed, and no object
    /// has used it so far.
    bool HasIdleDefaults() const;

    /**
     * Prints the warnings of a policy about its settings, see RdmaSettingWarnings.
     * @param spec a policy of RDMA
     * @param fabric network of the run
     * @param several true if several flows may be active at the same time
     */
    void WarnOf(const HpccFabricHelper::PolicySpec& spec,
                const HpccFabricHelper& fabric,
                bool several) const;

    /**
     * For a policy of another transport, prints the warnings of RdmaSettingWarnings::FindOfAny()
     * and FindOfIncrease(). Prints nothing for a policy of RDMA.
     * @param plan a run with the policy
     * @param fabric network of the run, with the NICs of the transport
     * @param several true if several flows may be active at the same time
     */
    void WarnOfOther(const Plan& plan, const HpccFabricHelper& fabric, bool several) const;

    /// If the command line sets a headroom, prints the warning of
    /// HpccDropReport::DescribeHeadroom(). With several ranks, all ranks must call this function.
    /// @param fabric network of the run
    void WarnOfHeadroom(const HpccFabricHelper& fabric) const;

    /// Warns if the recovery's time-out for few packets in flight does not exceed the network's
    /// base RTT.
    /// @param fabric network of the run, in which flows use RDMA
    void WarnOfTimeout(const HpccFabricHelper& fabric) const;

    /**
     * Warns if --paths or --ports has only one choice in this network. Also warns if packets may
     * overtake one another and the recovery treats overtaken packets as lost.
     * @param fabric the network of a run
     * @param monitor monitor of the flows of the run
     */
    void WarnOfPaths(const HpccFabricHelper& fabric, const HpccMonitor& monitor) const;

  private:
    /// Prints warnings.
    /// @param warnings texts of the warnings, one line each
    void Warn(const std::vector<std::string>& warnings) const;

    /**
     * Returns the properties of the flows of a run, for warnings.
     * @param fabric network of the run
     * @param several true if W_ai should suit several flows at a time; false if there is one flow,
     * or if the receivers count flows
     */
    static RdmaSettingWarnings::Flows DescribeFlows(const HpccFabricHelper& fabric, bool several);

    /// Refuses attributes that have no effect because of the value of another attribute, see
    /// HpccAttribute::OnlyIf().
    void CheckConditions() const;

    /// Refuses --eta, --max-stage and --wai if the program itself sets the attribute of the option,
    /// or if no policy has this attribute.
    void CheckLawOptions() const;

    /// Refuses --convergence if no link fails. Refuses --ports if each host has only one port, or
    /// if the value has the suffix +move and no link fails.
    /// @param scenario scenario of all runs
    void CheckPortsAndLinks(const Scenario& scenario) const;

    /// Refuses --watchdog if the runs end before the watchdog's DetectionTime has passed, so that
    /// no storm could be detected.
    /// @param stop end of the runs
    void CheckWatchdog(Time stop) const;

    /// Refuses --marking and attributes of the Marker if no policy sends packets that it marks.
    /// @param specs the policies of all flows
    void CheckMarking(const Specs& specs) const;

    /// Refuses options and attributes of RDMA. Called if no flow of the runs uses RDMA.
    /// @param repaths true if --paths names an RdmaRepathing
    void CheckRdmaOptions(bool repaths) const;

    /// Refuses options of telemetry if no policy reads telemetry.
    /// @param plans the runs
    /// @param besideReads true if a policy of flows beside those of --cc may read telemetry
    void CheckTelemetry(const std::vector<Plan>& plans, bool besideReads) const;

    const HpccExperiment& m_experiment; ///< the experiment
    Values& m_values;                   ///< values of the experiment
};

} // namespace ns3

#endif // HPCC_EXPERIMENT_CHECKS_H
