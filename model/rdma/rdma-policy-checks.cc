/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-policy-checks.h"

#include "ns3/data-rate.h"
#include "ns3/double.h"
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

/// A member of RdmaPolicyDescription.
struct Member
{
    const char* name; ///< name of the member
    std::string text; ///< value of the member
};

/// Returns the members of a description, except those that are only bounds. Every new member of
/// RdmaPolicyDescription belongs in this list, unless it is a bound.
/// @param needs the description
std::vector<Member>
MembersOf(const RdmaPolicyDescription& needs)
{
    const auto text = [](auto value) { return std::to_string(static_cast<int64_t>(value)); };
    return {{"telemetry", needs.telemetry},
            {"requests", text(needs.requests)},
            {"bottleneckHop", text(needs.bottleneckHop)},
            {"refusesLoads", needs.refusesLoads},
            {"promptFeedback", text(needs.promptFeedback)},
            {"hopIds", text(needs.hopIds)},
            {"bandwidth", text(needs.bandwidth)},
            {"toleratedMultipath", text(needs.toleratedMultipath)},
            {"rttOfEachAck", text(needs.rttOfEachAck)},
            {"reactsToTrims", text(needs.reactsToTrims)},
            {"gradesPaths", text(needs.gradesPaths)},
            {"sentPackets", text(needs.sentPackets)},
            {"ecn", text(needs.ecn)},
            {"cnps", text(needs.cnps)},
            {"cnpIntervalNs", text(needs.cnpIntervalNs)},
            {"receiverPart", text(needs.receiverPart)},
            {"marking", needs.marking},
            {"switchAgent", needs.switchAgent}};
}

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
    CheckMinRate(CALL, config, needs, core);
    Validate(CALL, config, core);
}

void
RdmaPolicyChecks::CheckMinRate(const std::string& call,
                               const RdmaQueuePairConfig& config,
                               const RdmaPolicyDescription& needs,
                               const RdmaHostCore& core)
{
    const uint64_t lineRateBps = core.ports[config.port].device->GetRateBps();
    if (needs.minRateBps >= lineRateBps)
    {
        std::ostringstream line;
        line << call << config.policy->GetInstanceTypeId().GetName() << ": MinRate is "
             << DataRate(needs.minRateBps) << ", allowed is below the line rate of host "
             << Ipv4Address(core.address) << ", " << DataRate(lineRateBps)
             << "; otherwise the policy cannot reduce the rate";
        throw HpccInputError(line.str());
    }
}

void
RdmaPolicyChecks::Validate(const std::string& call,
                           const RdmaQueuePairConfig& config,
                           const RdmaHostCore& core)
{
    if (m_validated.IsOf(config))
    {
        return;
    }
    const RdmaCongestionOps& policy = *config.policy;
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
    DoubleValue eta;
    if (why.empty() && core.settings.repathing && policy.GetAttributeFailSafe("Eta", eta))
    {
        why = core.settings.repathing->ValidateEta(eta.Get());
        why = why.empty() ? why : policy.GetInstanceTypeId().GetName() + ": " + why;
    }
    HPCC_REFUSE_IF(!why.empty(), call + why);
    m_validated = {config.policy, config.telemetry, config.feedback};
}

void
RdmaPolicyChecks::Note(uint16_t role, const RdmaQueuePairConfig& config)
{
    if (role == m_needs.size())
    {
        m_needs.push_back(Describe(*config.policy, config));
    }
}

void
RdmaPolicyChecks::CheckAgain(const RdmaHostCore& core)
{
    m_validated = {};
    std::ostringstream call;
    call << "host " << Ipv4Address(core.address) << ", attributes set after Connect(): ";
    for (size_t i = 0; i < m_needs.size(); ++i)
    {
        const RdmaQueuePairConfig& config = core.connections.SenderRole(i).config;
        const RdmaPolicyDescription needs = Describe(*config.policy, config);
        const std::string name = config.policy->GetInstanceTypeId().GetName();
        const auto before = MembersOf(m_needs[i]);
        const auto now = MembersOf(needs);
        for (size_t member = 0; member < now.size(); ++member)
        {
            HPCC_REFUSE_IF(now[member].text != before[member].text,
                           call.str() + name + "::Describe() changes " + now[member].name +
                               " from \"" + before[member].text + "\" to \"" + now[member].text +
                               "\", but the queue pairs use the former; set "
                               "the attribute before Connect(), or in PolicySpec");
        }
        const int64_t longestNs = needs.longestBaseRttNs;
        HPCC_REFUSE_IF(longestNs != m_needs[i].longestBaseRttNs && longestNs > 0 &&
                           config.baseRttNs > longestNs,
                       call.str() + needs.longestBaseRttIs + ": " + std::to_string(longestNs) +
                           " ns, allowed is at least the base RTT of the path, " +
                           std::to_string(config.baseRttNs) + " ns");
        std::string why;
        if (config.feedback && config.telemetry)
        {
            why = config.feedback->ValidateFor(*config.policy,
                                               config.telemetry->GetCapabilities(),
                                               config.networkBaseRttNs);
        }
        HPCC_REFUSE_IF(!why.empty(), call.str() + name + ": " + why);
        CheckMinRate(call.str(), config, needs, core);
        Validate(call.str(), config, core);
    }
}

} // namespace ns3
