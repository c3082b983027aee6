/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_EXPERIMENT_PLANS_H
#define HPCC_EXPERIMENT_PLANS_H

#include "hpcc-experiment-values.h"

#include <map>
#include <string>
#include <vector>

namespace ns3
{

/// The plan of one simulation.
struct HpccExperiment::Plan
{
    std::string label;                 ///< label in the files
    HpccFabricHelper::PolicySpec spec; ///< policy and telemetry
    std::string policy;                ///< short name of the policy
    std::string telemetry;             ///< a name in --telemetry; empty: the policy's default
    std::string variant;               ///< name of the variant; see HpccExperiment::SetVariants()
};

/**
 * @ingroup hpcc
 *
 * Derives the simulations of an HpccExperiment from policies, formats and feedback modes. The class
 * has no state of its own; it uses HpccExperiment::Values.
 */
class HpccExperiment::Planner
{
  public:
    /// Creates the planner of an experiment.
    /// @param experiment the experiment; must outlive this object
    explicit Planner(const HpccExperiment& experiment)
        : m_experiment(experiment),
          m_values(*experiment.m_values)
    {
    }

    /**
     * Sets attributes of a policy. Skips attributes that the policy does not have.
     * @param policy short name
     * @param spec specification of the policy
     * @param values attributes and values; empty values are not set
     */
    void SetAttributes(const std::string& policy,
                       HpccFabricHelper::PolicySpec& spec,
                       const std::map<std::string, std::string>& values) const;

    /// Returns the attributes and values that SetPolicyAttribute() and the shared options set.
    std::map<std::string, std::string> GetShared() const;

    /**
     * Finds the full name, ns3::Class::Attribute, by which the command line sets an attribute.
     * @param tid class of a policy
     * @param attribute attribute of the policy
     * @return the full name; empty if the command line does not set the attribute by a full name
     */
    std::string GivenName(TypeId tid, const std::string& attribute) const;

    /**
     * Returns true if the command line sets an attribute by its full name, and this value takes
     * precedence over that of SetPolicyAttribute(). Throws HpccInputError if a shared option, such
     * as --eta, also sets the attribute, because the command line must not set it twice.
     * @param tid class of a policy
     * @param attribute attribute of the policy
     */
    bool IsGivenAlone(TypeId tid, const std::string& attribute) const;

    /**
     * Refuses an attribute that the command line sets by its full name.
     * @param tid class of a policy
     * @param attribute attribute of the policy
     * @param value the value that the attribute has instead
     */
    void RefuseGivenName(TypeId tid, const std::string& attribute, const std::string& value) const;

    /// Returns the simulations that --cc, --telemetry and --feedback request, once per variant.
    std::vector<Plan> MakePlans() const;

    /**
     * Derives the specification of a run.
     * @param policy short name
     * @param telemetry short name of a format; empty: the policy's default
     * @param feedback short name of an RdmaFeedback
     * @return specification of the run, with the shared options applied
     */
    HpccFabricHelper::PolicySpec SpecOf(const std::string& policy,
                                        const std::string& telemetry,
                                        const std::string& feedback) const;

    /**
     * Sets the marking thresholds of the switches to those that the policies of a run need, unless
     * the command line gives EcnMarker::Thresholds. Refuses an attribute Marking of a policy if it
     * has no effect. This is the case if the command line gives EcnMarker::Thresholds, if the
     * Marker has no thresholds, or if the Marker is disabled.
     * @param plan the run
     * @param beside policies of other flows through the same ports
     * @param fabric the network, before Install()
     */
    void SetMarking(const Plan& plan,
                    const std::vector<std::string>& beside,
                    HpccFabricHelper& fabric) const;

    /**
     * Returns the specification of a policy of another transport. The specification contains only
     * the names that the tables show. This function also sets the attribute defaults of the policy
     * to the values of the shared options.
     * @param policy name of a policy that was registered with SetOtherPolicies()
     * @param telemetry a name in --telemetry; empty: the policy's default
     * @param feedback a name in --feedback
     * @return a specification with the names of format and feedback mode
     */
    HpccFabricHelper::PolicySpec OtherSpecOf(const std::string& policy,
                                             const std::string& telemetry,
                                             const std::string& feedback) const;

  private:
    /**
     * Returns the thresholds that the policies of a run need at the Marker. Throws HpccInputError
     * if the policies need different thresholds, unless the command line gives
     * EcnMarker::Thresholds.
     * @param plan the run
     * @param beside policies of other flows through the same ports
     * @return value of EcnMarker::Thresholds; empty for the default
     */
    std::string ThresholdsOf(const Plan& plan, const std::vector<std::string>& beside) const;

    const HpccExperiment& m_experiment; ///< the experiment
    Values& m_values;                   ///< values of the experiment
};

} // namespace ns3

#endif // HPCC_EXPERIMENT_PLANS_H
