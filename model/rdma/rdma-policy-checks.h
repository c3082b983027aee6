/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_POLICY_CHECKS_H
#define RDMA_POLICY_CHECKS_H

#include "rdma-host-core.h"

#include "ns3/hpcc-telemetry-format.h"
#include "ns3/ptr.h"
#include "ns3/rdma-congestion-ops.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Checks the policies of a host's new queue pairs. A check that fails throws HpccInputError.
 */
class RdmaPolicyChecks
{
  public:
    /**
     * Returns the RdmaPolicyDescription of a policy with the telemetry format of a queue pair.
     * @param policy the policy
     * @param config configuration of the queue pair
     */
    static RdmaPolicyDescription Describe(const RdmaCongestionOps& policy,
                                          const RdmaQueuePairConfig& config);

    /// Refuses a policy, telemetry format and feedback mode that do not work together.
    /// @param config the configuration of the queue pair
    /// @return RdmaPolicyDescription of the policy with the telemetry format of the queue pair
    static RdmaPolicyDescription Check(const RdmaQueuePairConfig& config);

    /**
     * Refuses a policy if RdmaCongestionOps::Validate() refuses the values of its attributes, or if
     * its lowest rate is the line rate of its port or more. The attributes are not validated again
     * if the last queue pair used the same policy, format and feedback mode.
     * @param config configuration of a queue pair whose sender is the host
     * @param needs description of the policy of the queue pair
     * @param core state shared by the parts of the host
     */
    void CheckValues(const RdmaQueuePairConfig& config,
                     const RdmaPolicyDescription& needs,
                     const RdmaHostCore& core);

    /**
     * Stores the description of a policy for CheckAgain().
     * @param role number of the sender role of a new queue pair. If the role is not new, its
     * description has already been stored
     * @param config configuration that the role stores
     */
    void Note(uint16_t role, const RdmaQueuePairConfig& config);

    /**
     * Checks all policies again before the run starts, because a program may have changed
     * attributes of a policy since CheckValues(). Refuses a change of the policy's description,
     * because the queue pairs, the other hosts and the switches use the first description. The
     * exceptions are members that are only bounds: they must suit the queue pairs.
     * @param core state shared by the parts of the host
     */
    void CheckAgain(const RdmaHostCore& core);

    /// Releases the objects that were checked last.
    void Dispose()
    {
        m_validated = {};
    }

  private:
    /**
     * Refuses a policy whose lowest rate is the line rate of its port or more.
     * @param call start of the message
     * @param config configuration of a queue pair whose sender is the host
     * @param needs description of the policy of the queue pair
     * @param core state shared by the parts of the host
     */
    static void CheckMinRate(const std::string& call,
                             const RdmaQueuePairConfig& config,
                             const RdmaPolicyDescription& needs,
                             const RdmaHostCore& core);

    /**
     * Refuses a policy if RdmaCongestionOps::Validate() or RdmaRepathing::ValidateEta() refuses the
     * values of its attributes, unless the last call had the same policy, format and feedback mode.
     * @param call start of the message
     * @param config configuration of a queue pair whose sender is the host
     * @param core state shared by the parts of the host
     */
    void Validate(const std::string& call,
                  const RdmaQueuePairConfig& config,
                  const RdmaHostCore& core);

    /// A policy that has passed RdmaCongestionOps::Validate() for a format and a feedback mode.
    struct Validated
    {
        Ptr<RdmaCongestionOps> policy;        ///< the policy
        Ptr<const TelemetryFormat> telemetry; ///< the format; null: none
        Ptr<const RdmaFeedback> feedback;     ///< the feedback mode; null: the default

        /// Returns true if all three objects are those of a queue pair.
        /// @param config configuration of a queue pair
        bool IsOf(const RdmaQueuePairConfig& config) const
        {
            return policy == config.policy && telemetry == config.telemetry &&
                   feedback == config.feedback;
        }
    };

    Validated m_validated; ///< combination that passed last; if the next queue pair uses the same
                           ///< combination, it is not validated again
    std::vector<RdmaPolicyDescription> m_needs; ///< descriptions of policies when their first
                                                ///< queue pair was connected, by sender role
};

} // namespace ns3

#endif // RDMA_POLICY_CHECKS_H
