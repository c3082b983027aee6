/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-attribute-defaults.h"
#include "hpcc-fabric-attempt.h"
#include "hpcc-fabric-checks.h"
#include "hpcc-fabric-network.h"
#include "hpcc-fabric-ways.h"

#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-frame.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-reflection-ids.h"
#include "ns3/hpcc-telemetry-agent.h"
#include "ns3/rdma-application.h"

#include <algorithm>
#include <sstream>
#include <string>

// The part of HpccFabricHelper that makes policies by name, connects queue pairs, and schedules
// messages.

namespace ns3
{

namespace
{

/**
 * Refuses a specification without a policy.
 * @param who start of the message, empty or with a colon
 * @param spec specification to check
 */
void
RequirePolicy(const std::string& who, const HpccFabricHelper::PolicySpec& spec)
{
    HPCC_REFUSE_IF(!spec.policy.IsSet(),
                   who + "PolicySpec::policy is not set; set it, for example by "
                         "HpccFabricHelper::MakePolicy()");
}

/**
 * Refuses a specification without a policy, or with a DSCP outside the valid range.
 * @param source source of the flow, for the message
 * @param destination destination of the flow
 * @param spec specification to check
 */
void
CheckSpec(uint32_t source, uint32_t destination, const HpccFabricHelper::PolicySpec& spec)
{
    const bool exists = spec.dscp >= -1 && spec.dscp <= 63;
    if (exists && spec.policy.IsSet())
    {
        return; // saves the time to build an error message for each flow
    }
    const std::string flow =
        "flow " + std::to_string(source) + " -> " + std::to_string(destination) + ": ";
    RequirePolicy(flow, spec);
    HPCC_REFUSE_IF(!exists,
                   flow + "PolicySpec::dscp " + std::to_string(spec.dscp) +
                       " is outside 0 to 63, or -1 for ns3::RdmaHost::DataDscp");
}

/**
 * Refuses a flow whose ends are not two hosts.
 * @param topology the network
 * @param source source of the flow
 * @param destination destination of the flow
 */
void
CheckEnds(const HpccTopology& topology, uint32_t source, uint32_t destination)
{
    for (uint32_t host : {source, destination})
    {
        HPCC_REFUSE_IF(host >= topology.GetNodes() || topology.IsSwitch(host),
                       "flow " + std::to_string(source) + " -> " + std::to_string(destination) +
                           ": node " + std::to_string(host) + " is not a host of the topology");
    }
    HPCC_REFUSE_IF(source == destination,
                   "flow from host " + std::to_string(source) + " to itself");
}

} // namespace

RdmaPolicyDescription
HpccFabricHelper::PolicySpec::Describe() const
{
    RequirePolicy("ns3::HpccFabricHelper::PolicySpec::Describe: ", *this);
    // The flows do not use the policy object created here.
    const HpccAttributeDefaults::Unobserved unobserved;
    return policy.Create<RdmaCongestionOps>()->Describe(format ? &format->GetCapabilities()
                                                               : nullptr);
}

std::string
HpccFabricHelper::PolicySpec::NamePolicy() const
{
    if (policyName.empty())
    {
        RequirePolicy("ns3::HpccFabricHelper::PolicySpec::NamePolicy: ", *this);
    }
    return "policy " + (policyName.empty() ? policy.GetTypeId().GetName() : policyName);
}

std::string
HpccFabricHelper::PolicySpec::NameBoth() const
{
    return NamePolicy() + (format ? " with telemetry " + telemetryName : "");
}

std::string
HpccFabricHelper::PolicySpec::NameTelemetry() const
{
    const bool bound =
        !Describe().switchAgent.empty() || (format && !format->GetSwitchAgent().empty());
    return !format || bound ? NameBoth() : "telemetry " + telemetryName;
}

HpccFabricHelper::PolicySpec
HpccFabricHelper::MakePolicy(const std::string& cc,
                             const std::string& telemetry,
                             const std::string& feedback)
{
    PolicySpec spec;
    ObjectFactory policy;
    HPCC_REFUSE_IF(
        !HpccPresets::Find(RdmaCongestionOps::GetTypeId(), cc, policy),
        DescribeUnknownPreset("--cc: unknown policy", cc, RdmaCongestionOps::GetTypeId()));
    spec.policy = policy;
    const RdmaPolicyDescription needs = spec.Describe();
    spec.policyName = cc;
    spec.telemetryName = "none";
    spec.feedbackName = "none";
    ObjectFactory feedbackFactory;
    HPCC_REFUSE_IF(
        !RdmaFeedback::Find(feedback, feedbackFactory),
        DescribeUnknownPreset("--feedback: unknown", feedback, RdmaFeedbackPart::GetTypeId()));
    ObjectFactory format;
    HPCC_REFUSE_IF(!telemetry.empty() &&
                       !HpccPresets::Find(TelemetryFormat::GetTypeId(), telemetry, format),
                   DescribeUnknownPreset("--telemetry: unknown format",
                                         telemetry,
                                         TelemetryFormat::GetTypeId()));
    if (!needs.telemetry.empty())
    {
        spec.telemetryName = telemetry.empty() ? needs.telemetry : telemetry;
        HPCC_REFUSE_IF(
            !HpccPresets::Find(TelemetryFormat::GetTypeId(), spec.telemetryName, format),
            DescribeUnknownPreset("policy " + cc + ": its own telemetry format is unknown:",
                                  spec.telemetryName,
                                  TelemetryFormat::GetTypeId()));
        spec.format = format.Create<TelemetryFormat>();
        ReflectionIds::Check(*spec.format);
        spec.feedbackName = feedback;
        spec.feedback = feedbackFactory.Create<RdmaFeedback>();
        const std::string why = spec.feedback->CheckFormat(*spec.format);
        HPCC_REFUSE_IF(!why.empty(),
                       "--feedback " + feedback + " with " + spec.NameTelemetry() + ": " + why);
    }
    return spec;
}

uint32_t
HpccFabricHelper::Connect(uint32_t source,
                          uint32_t destination,
                          const PolicySpec& spec,
                          uint16_t udpSourcePort,
                          bool singleMessage,
                          bool reads)
{
    CheckEnds(m_network->topology, source, destination);
    m_network->RequireComplete("Connect");
    CheckSpec(source, destination, spec);
    Attempt attempt(*this);
    uint32_t& turns = m_network->turns[source];
    uint32_t turn = turns;
    const auto& edges = m_network->edges;
    // If both hosts have one port, the turn selects nothing.
    if ((edges[source].size() > 1 || edges[destination].size() > 1) && m_network->ports == "hash")
    {
        const auto number = static_cast<uint16_t>(turn);
        turn = HashFiveTuple(GetAddress(source),
                             GetAddress(destination),
                             number,
                             udpSourcePort,
                             static_cast<uint8_t>(turn >> 16));
    }
    Checks checks(*this);
    checks.CheckPorts(spec);
    const PortPair ports = Ways(*this).ChoosePorts(source, destination, turn);
    const PathTimes path = Ways(*this).FollowPath(source, destination, ports, false);
    const int64_t pathRttNs = path.baseRttNs;
    if (m_network->ofClasses && !m_network->ofResidual)
    {
        checks.CheckGuarantee(spec, source);
    }
    const Checks::Flow flow{source, destination, ports, turn, reads};
    RdmaQueuePairConfig config;
    config.policy = FindPolicy(source, spec, pathRttNs, attempt);
    checks.CheckFlow(spec, *config.policy, flow);
    if (reads)
    {
        config.responderBaseRttNs =
            GetPath(destination, source, {ports.destination, ports.source}).baseRttNs;
        config.responderPolicy = FindPolicy(destination, spec, config.responderBaseRttNs, attempt);
    }
    if (m_network->tight.count(spec.format) > 0)
    {
        checks.CheckMtus(spec, source, destination, ports, turn, false);
        if (reads)
        {
            checks.CheckMtus(spec, source, destination, ports, turn, true);
        }
    }
    if (spec.feedback && !spec.feedback->GetSwitchAgent().empty())
    {
        CheckSubscription(spec, source, attempt);
    }
    checks.CheckReports(spec, source, destination, ports);
    config.telemetry = spec.format;
    config.dscp = spec.dscp;
    config.feedback = spec.feedback;
    config.thinned = spec.format ? GetThinning() : NOT_THINNED;
    config.udpSourcePort = udpSourcePort;
    config.baseRttNs = pathRttNs;
    config.multipath = m_network->GetMultipath();
    config.networkBaseRttNs = m_network->baseRttNs;
    config.singleMessage = singleMessage;
    config.port = static_cast<uint8_t>(ports.source);
    config.peerPort = static_cast<uint8_t>(ports.destination);
    config.switches = path.hops - 1;
    if (!m_network->linkEvents.empty())
    {
        for (const auto& [atNs, switches] :
             Ways(*this).SwitchesOverTime(source, destination, ports, turn))
        {
            config.switches = std::max(config.switches, static_cast<uint32_t>(switches.size()));
        }
    }
    if (spec.feedback && spec.feedback->GetSubscription())
    {
        checks.CheckResponseTtl(config.switches);
    }
    const Ptr<RdmaHost> peer = GetHost(destination);
    const uint32_t peerQueuePair = peer->GetQueuePairs();
    const uint32_t queuePair = GetHost(source)->Connect(peer, config);
    // All checks come before this line. If one of them throws, attempt undoes the changes.
    attempt.Keep();
    ++turns;
    checks.NoteFlow(spec, *config.policy, flow);
    if (m_network->movesPorts)
    {
        Ways(*this).PlanMoves(source, queuePair, destination, peerQueuePair, ports, turn);
    }
    return queuePair;
}

void
HpccFabricHelper::CheckUse(uint32_t host,
                           const PolicySpec& spec,
                           RdmaCongestionOps& policy,
                           int64_t rttNs,
                           Attempt& attempt)
{
    TelemetryCapabilities carried{};
    if (spec.format)
    {
        carried = spec.format->GetCapabilities();
    }
    std::string why = policy.Validate(rttNs, spec.format ? &carried : nullptr);
    HPCC_REFUSE_IF(!why.empty(), spec.NameBoth() + m_network->NameGrading() + ": " + why);
    if (spec.feedback && spec.feedback->ReportsBottleneckHop())
    {
        carried.fields &= ~TELEMETRY_HOP_LATENCY; // HpccBottleneckHop has no field for the latency
        why = policy.Validate(rttNs, &carried);
    }
    HPCC_REFUSE_IF(!why.empty(),
                   spec.NamePolicy() + " with --feedback " + spec.feedbackName + ": " + why);
    const RdmaPolicyDescription needs =
        policy.Describe(spec.format ? &spec.format->GetCapabilities() : nullptr);
    if (spec.format)
    {
        attempt.AddFormat(spec);
        Checks(*this).CheckBandwidth(needs, spec);
        Checks(*this).CheckDscp(spec, host);
    }
    Checks(*this).CheckMinRate(needs, spec, host);
    Checks(*this).NoteTightPorts(spec, host);
    Checks(*this).CheckMultipath(needs, spec, host);
    Checks(*this).CheckTrimming(needs, spec, host, attempt.GetLimits());
    Checks(*this).CheckBuffers(needs, spec, host, attempt.GetLimits());
    Checks(*this).CheckRepathing(spec, needs, policy);
    Checks(*this).CheckProbes(spec, host);
    Checks(*this).CheckSwitchAgent(needs, spec);
    std::string agent = needs.switchAgent;
    if (agent.empty() && spec.format)
    {
        agent = spec.format->GetSwitchAgent();
    }
    if (!agent.empty())
    {
        attempt.AddAgent(agent);
    }
    if (spec.format)
    {
        Checks(*this).CheckAverage(policy, spec, rttNs);
    }
    Checks(*this).CheckStart(spec, host, rttNs);
}

Ptr<RdmaCongestionOps>
HpccFabricHelper::FindPolicy(uint32_t host,
                             const PolicySpec& spec,
                             int64_t pathRttNs,
                             Attempt& attempt)
{
    const int64_t policyRttNs = m_network->perPathBaseRtt ? pathRttNs : m_network->baseRttNs;
    // All hosts of other ranks share one policy object, because their policies never run in this
    // process.
    auto& known = m_network->policies[{IsHere(host) ? host : UINT32_MAX, PeekPointer(spec.format)}];
    const auto sharesPolicy = [&](const Network::PolicyInUse& entry) {
        return entry.baseRttNs == policyRttNs && entry.factory == spec.policy;
    };
    auto found = std::find_if(known.begin(), known.end(), [&](const auto& entry) {
        return entry.feedback == spec.feedback && entry.dscp == spec.dscp && sharesPolicy(entry);
    });
    if (found == known.end())
    {
        const auto shared = std::find_if(known.begin(), known.end(), sharesPolicy);
        Ptr<RdmaCongestionOps> policy;
        if (shared == known.end())
        {
            policy = spec.policy.Create<RdmaCongestionOps>();
            policy->SetNetworkBaseRtt(policyRttNs);
        }
        else
        {
            policy = shared->policy;
        }
        CheckUse(host, spec, *policy, policyRttNs, attempt);
        attempt.AddPolicy(known,
                          {spec.policy,
                           policyRttNs,
                           spec.feedback,
                           spec.dscp,
                           policy,
                           policy->Describe(nullptr).longestBaseRttNs});
        Checks(*this).NoteHidden(spec, *policy);
        found = known.end() - 1;
    }
    HPCC_REFUSE_IF(found->longestBaseRttNs > 0 && pathRttNs > found->longestBaseRttNs,
                   spec.NamePolicy() + ": " + found->policy->Describe(nullptr).longestBaseRttIs +
                       ": " + std::to_string(found->longestBaseRttNs) +
                       " ns, allowed is at least the base RTT of the path from host " +
                       std::to_string(host) + ", " + std::to_string(pathRttNs) +
                       " ns; otherwise a flow slows down even without a queue");
    return found->policy;
}

void
HpccFabricHelper::AddMessage(uint32_t source,
                             uint32_t queuePair,
                             uint64_t bytes,
                             Time at,
                             RdmaVerb verb)
{
    m_network->RequireNode("AddMessage", source);
    m_network->RequireComplete("AddMessage");
    if (!m_network->IsHere(source))
    {
        return;
    }
    Ptr<Node> node = m_network->nodes.Get(source);
    for (uint32_t i = 0; i < node->GetNApplications(); ++i)
    {
        if (auto application = DynamicCast<RdmaApplication>(node->GetApplication(i)))
        {
            const uint32_t queuePairs = GetHost(source)->GetQueuePairs();
            HPCC_REFUSE_IF(queuePair >= queuePairs,
                           "ns3::HpccFabricHelper::AddMessage: host " + std::to_string(source) +
                               " has no queue pair " + std::to_string(queuePair) + "; it has " +
                               std::to_string(queuePairs) + ", counted from 0");
            application->AddMessage(at, queuePair, bytes, verb);
            return;
        }
    }
    throw HpccInputError("ns3::HpccFabricHelper::AddMessage: node " + std::to_string(source) +
                         " has no ns3::RdmaApplication; allowed are the hosts of the topology");
}

uint64_t
HpccFabricHelper::GetWireBytes(uint64_t bytes) const
{
    m_network->RequireInstalled("GetWireBytes");
    RequireAtLeast("ns3::HpccFabricHelper::GetWireBytes: bytes", bytes, 1);
    const auto host = GetHost(m_network->topology.GetHosts().front());
    const uint32_t mtu = host->GetMtu();
    const uint64_t packets = (bytes - 1) / mtu + 1;
    const auto lastBytes = static_cast<uint32_t>(bytes - (packets - 1) * mtu);
    const bool sacks = Checks(*this).UsesSacks(); // with SACKs, the opcode of each packet is "only"
    const auto wire = [&](uint32_t payload, uint8_t opcode) {
        const uint8_t own = sacks || packets == 1 ? uint8_t{ROCE_WRITE_ONLY} : opcode;
        const uint32_t frame = host->DataFrameBytes(payload, own, nullptr);
        return uint64_t{m_network->devices.front()->GetLinkBytes(frame)};
    };
    const uint64_t last = wire(lastBytes, ROCE_WRITE_LAST);
    return packets == 1
               ? last
               : wire(mtu, ROCE_WRITE_FIRST) + (packets - 2) * wire(mtu, ROCE_WRITE_MIDDLE) + last;
}

int64_t
HpccFabricHelper::GetIdealFctNs(uint32_t source,
                                uint32_t destination,
                                uint64_t bytes,
                                RdmaVerb verb,
                                const Ptr<const RdmaFeedback>& feedback) const
{
    m_network->RequireTwoHosts("GetIdealFctNs", source, destination);
    HPCC_REFUSE_IF(verb > RdmaVerb::READ_RESPONSE,
                   "ns3::HpccFabricHelper::GetIdealFctNs: the verb is number " +
                       std::to_string(static_cast<uint32_t>(verb)) +
                       "; allowed are those of ns3::RdmaVerb");
    return Ways(*this).IdealNs(source, destination, bytes, verb, true, PeekPointer(feedback));
}

int64_t
HpccFabricHelper::GetIdealDeliveryNs(uint32_t source, uint32_t destination, uint64_t bytes) const
{
    m_network->RequireTwoHosts("GetIdealDeliveryNs", source, destination);
    return Ways(*this).IdealNs(source, destination, bytes, RdmaVerb::WRITE, false, nullptr);
}

} // namespace ns3
