/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-policy-checks.h"

#include "ns3/data-rate.h"
#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-presets.h"
#include "ns3/ipv4-address.h"

#include <sstream>

namespace ns3
{

namespace
{

const std::string CALL = "ns3::RdmaHost::Connect: "; ///< start of error messages

} // namespace

RdmaPolicyDescription
RdmaPolicyChecks::Describe(const RdmaCongestionOps& policy, const RdmaQueuePairConfig& config)
{
    return policy.Describe(config.telemetry ? &config.telemetry->GetCapabilities() : nullptr);
}

RdmaPolicyDescription
RdmaPolicyChecks::Check(const RdmaQueuePairConfig& config)
{
    HPCC_REFUSE_IF(!config.policy,
                   CALL +
                       "RdmaQueuePairConfig::policy is null; allowed is a congestion "
                       "control, such as " +
                       HpccPresets::Choices(RdmaCongestionOps::GetTypeId()));
    RdmaPolicyDescription needs = Describe(*config.policy, config);
    HPCC_REFUSE_IF(!needs.telemetry.empty() && !config.telemetry,
                   CALL + "RdmaQueuePairConfig::telemetry is null, but " +
                       config.policy->GetInstanceTypeId().GetName() +
                       " needs a telemetry format, such as " + needs.telemetry);
    HPCC_REFUSE_IF(!needs.telemetry.empty() &&
                       config.telemetry->GetCapabilities().CarryOneOfSeveral() &&
                       !(needs.requests & config.telemetry->GetCapabilities().fields),
                   CALL + config.policy->GetInstanceTypeId().GetName() +
                       "::Describe() sets requests to " + std::to_string(needs.requests) +
                       ", but a packet of " + config.telemetry->GetInstanceTypeId().GetName() +
                       " carries one quantity on request; allowed is the TelemetryField bit of "
                       "a quantity that the format carries");
    HPCC_REFUSE_IF(needs.receiverPart && !config.policy->GetReceiver(),
                   CALL + config.policy->GetInstanceTypeId().GetName() +
                       "::Describe() sets receiverPart to true, but GetReceiver() returns "
                       "null; allowed is the part of the policy that runs at the receiver");
    HPCC_REFUSE_IF(
        needs.hopIds && config.thinned && config.switches > 1 &&
            !(config.telemetry->GetCapabilities().fields & TELEMETRY_SWITCH_ID),
        config.policy->GetInstanceTypeId().GetName() + " with " +
            config.telemetry->GetInstanceTypeId().GetName() + " on a path with " +
            std::to_string(config.switches) +
            " switches: records have no switch ids, and switches insert them into some "
            "packets only (ns3::TelemetryAgent::Insertion), so the policy cannot "
            "recognise hops that have skipped a packet; allowed are Insertion Always, and formats "
            "with switch ids, such as int-md");
    if (config.feedback && config.telemetry)
    {
        const std::string why = config.feedback->ValidateFor(*config.policy,
                                                             config.telemetry->GetCapabilities(),
                                                             config.networkBaseRttNs);
        HPCC_REFUSE_IF(!why.empty(), why);
    }
    return needs;
}

void
RdmaPolicyChecks::CheckValues(const RdmaQueuePairConfig& config,
                              const RdmaPolicyDescription& needs,
                              const RdmaHostCore& core)
{
    const RdmaCongestionOps& policy = *config.policy;
    const uint64_t lineRateBps = core.ports[config.port].device->GetRateBps();
    if (needs.minRateBps >= lineRateBps)
    {
        std::ostringstream line;
        line << CALL << policy.GetInstanceTypeId().GetName() << ": MinRate is "
             << DataRate(needs.minRateBps) << ", allowed is below the line rate of host "
             << Ipv4Address(core.address) << ", " << DataRate(lineRateBps)
             << "; otherwise the policy cannot reduce the rate";
        throw HpccInputError(line.str());
    }
    if (m_validated.IsOf(config))
    {
        return;
    }
    TelemetryCapabilities carried{};
    if (config.telemetry)
    {
        carried = config.telemetry->GetCapabilities();
    }
    const TelemetryCapabilities* const telemetry = config.telemetry ? &carried : nullptr;
    std::string why = policy.Validate(policy.GetNetworkBaseRttNs(), telemetry);
    if (why.empty() && config.feedback && config.feedback->ReportsBottleneckHop())
    {
        carried.fields &= ~TELEMETRY_HOP_LATENCY; // HpccBottleneckHop has no field for the latency
        why = policy.Validate(policy.GetNetworkBaseRttNs(), telemetry);
    }
    HPCC_REFUSE_IF(!why.empty(), CALL + why);
    m_validated = {config.policy, config.telemetry, config.feedback};
}

} // namespace ns3
