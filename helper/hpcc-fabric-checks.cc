/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-fabric-checks.h"

#include "hpcc-attribute-defaults.h"
#include "hpcc-class-telemetry.h"
#include "hpcc-fabric-attempt.h"
#include "hpcc-fabric-ways.h"

#include "ns3/double.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-split-at.h"
#include "ns3/hpcc-switch-responder.h"
#include "ns3/nstime.h"
#include "ns3/pointer.h"
#include "ns3/rdma-entropy.h"
#include "ns3/rdma-policy-values.h"
#include "ns3/rdma-repathing.h"
#include "ns3/rdma-subscription.h"
#include "ns3/rdma-switch-trust.h"
#include "ns3/string.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

// The part of HpccFabricHelper that refuses settings that do not fit the network.

namespace ns3
{

void
HpccFabricHelper::Checks::CheckEntropy() const
{
    if (!m_network.entropyFactory.IsTypeIdSet())
    {
        return;
    }
    HPCC_REFUSE_IF(m_network.pathFactory.IsTypeIdSet() || m_network.repathingFactory.IsTypeIdSet(),
                   m_network.NameMultipath() + " with --paths " + m_network.pathsName +
                       ": the entropy of its packets selects the paths of a flow, so nothing "
                       "else may; allowed is ecmp");
    if (!UsesSacks())
    {
        const auto allowed = HpccPresets::NamesWhere<RdmaRecovery>(
            [](const RdmaRecovery& scheme) { return scheme.UsesSacks(); });
        throw HpccInputError(
            m_network.NameMultipath() + " with --recovery " + FindRecovery().first +
            ": it needs the per-packet information of SACKs; allowed are " + JoinNames(allowed));
    }
}

void
HpccFabricHelper::Checks::CheckDevices() const
{
    for (const auto& device : m_network.devices)
    {
        if (device)
        {
            device->CheckSettings();
        }
    }
}

void
HpccFabricHelper::Checks::CheckTrimming(const RdmaPolicyDescription& needs,
                                        const PolicySpec& spec,
                                        uint32_t host,
                                        Network::Limits& limits) const
{
    if (m_network.trimming == "none")
    {
        return;
    }
    CheckTrims(spec, host, limits);
    if (!UsesSacks())
    {
        return;
    }
    HPCC_REFUSE_IF(!needs.telemetry.empty() && spec.feedback && spec.feedback->SendsProbes(),
                   spec.NamePolicy() + " with --trimming " + m_network.trimming +
                       " and --feedback " + spec.feedbackName +
                       ": trimmed packets, which are retransmitted at once, carry no "
                       "telemetry by which the policy would slow down; allowed are "
                       "feedbacks without probes, such as packet");
    HPCC_REFUSE_IF(!needs.reactsToTrims,
                   spec.NamePolicy() + " with --trimming " + m_network.trimming +
                       " and --recovery " + FindRecovery().first +
                       ": trimmed packets are retransmitted at once, and the policy does not "
                       "slow down for them, so their headers would fill the links; allowed "
                       "is a policy that does, such as one that reduces its window");
}

void
HpccFabricHelper::Checks::CheckMultipath(const RdmaPolicyDescription& needs,
                                         const PolicySpec& spec,
                                         uint32_t host) const
{
    // Reads the entropy object of the host, because a program may have replaced the object that
    // m_network.entropyFactory has made.
    PointerValue entropy;
    m_fabric.GetHost(host)->GetAttribute("Entropy", entropy);
    const auto chosen = entropy.Get<RdmaEntropy>();
    if (chosen && chosen->NeedsShares() && !needs.gradesPaths)
    {
        std::vector<std::string> allowed;
        for (const std::string& name : HpccPresets::Names(RdmaCongestionOps::GetTypeId()))
        {
            if (MakePolicy(name).Describe().gradesPaths)
            {
                allowed.push_back(name);
            }
        }
        throw HpccInputError(m_network.NameMultipath() + " with " + spec.NamePolicy() +
                             ": this entropy distributes packets by the policy's grades of the "
                             "paths, but this policy does not grade paths; allowed are the "
                             "policies " +
                             JoinNames(allowed) + ", or another entropy, such as --entropy=mixed");
    }
    HPCC_REFUSE_IF(m_network.GetMultipath() > needs.toleratedMultipath,
                   m_network.NameMultipath() + ": " + spec.NameBoth() +
                       " cannot distinguish the paths among which " +
                       (m_network.entropyFactory.IsTypeIdSet() ? m_network.entropyFactory
                                                               : m_network.pathFactory)
                           .GetTypeId()
                           .GetName() +
                       (needs.toleratedMultipath == Multipath::NONE
                            ? " occasionally moves a flow; allowed are ecmp and "
                            : " distributes the packets of one round trip; allowed are "
                              "ecmp, flowlets, and ") +
                       "telemetry with the ids of hops");
}

void
HpccFabricHelper::Checks::CheckRepathing(const PolicySpec& spec,
                                         const RdmaPolicyDescription& needs,
                                         const RdmaCongestionOps& policy) const
{
    if (!m_network.repathingFactory.IsTypeIdSet())
    {
        return;
    }
    const auto repathing = m_network.repathingFactory.Create<RdmaRepathing>();
    const std::string paths = "--paths " + m_network.pathsName;
    std::string why =
        repathing->Validate(needs.telemetry.empty() ? nullptr : &spec.format->GetCapabilities());
    HPCC_REFUSE_IF(!why.empty(), paths + " with " + spec.NameTelemetry() + ": " + why);
    if (const std::string thinning = NameThinning();
        !thinning.empty() && repathing->SendsPathProbes())
    {
        throw HpccInputError(paths + ": " + thinning +
                             ", but a path is identified by the records of all its hops; allowed "
                             "is Always");
    }
    DoubleValue eta;
    why = policy.GetAttributeFailSafe("Eta", eta) ? repathing->ValidateEta(eta.Get()) : "";
    HPCC_REFUSE_IF(!why.empty(), paths + " with " + spec.NamePolicy() + ": " + why);
}

void
HpccFabricHelper::Checks::CheckMinRate(const RdmaPolicyDescription& needs,
                                       const PolicySpec& spec,
                                       uint32_t host) const
{
    for (const auto& edge : m_network.edges[host])
    {
        if (needs.minRateBps >= edge.rateBps)
        {
            std::ostringstream line;
            line << spec.NamePolicy() << ": MinRate is " << DataRate(needs.minRateBps)
                 << ", allowed is below the line rate of host " << host << ", "
                 << DataRate(edge.rateBps) << "; otherwise the policy cannot reduce the rate";
            throw HpccInputError(line.str());
        }
    }
}

void
HpccFabricHelper::Checks::CheckStart(const PolicySpec& spec, uint32_t host, int64_t baseRttNs)
{
    uint64_t rateBps = UINT64_MAX;
    for (const auto& edge : m_network.edges[host])
    {
        rateBps = std::min(rateBps, edge.rateBps);
    }
    const Network::Start start{spec.policy, spec.format, baseRttNs, rateBps};
    if (m_network.lastStart && *m_network.lastStart == start)
    {
        return;
    }
    // The flows do not use the policy object created here.
    const HpccAttributeDefaults::Unobserved unobserved;
    const auto trial = spec.policy.Create<RdmaCongestionOps>();
    trial->SetNetworkBaseRtt(baseRttNs);
    RdmaFlowInfo info{0, rateBps, m_fabric.GetHost(host)->GetMtu(), 0, baseRttNs, 0};
    info.telemetry = spec.format ? &spec.format->GetCapabilities() : nullptr;
    info.multipath = m_network.GetMultipath();
    info.thinned = m_fabric.GetThinning();
    RdmaCongestionState* state = trial->Open(info, 0);
    const bool sound = RdmaPolicyValues::AreSound(*state, false, 0);
    std::ostringstream line;
    line << spec.NamePolicy() << ": flows of host " << host << " would start with a window of "
         << state->windowBytes << " bytes and a rate of " << state->rateBps
         << " bit/s; allowed are windows above 0 bytes and finite rates of at least 1 bit/s";
    trial->Close(state);
    HPCC_REFUSE_IF(!sound, line.str());
    m_network.lastStart = start;
}

void
HpccFabricHelper::Checks::CheckFeedback(const PolicySpec& spec, RdmaCongestionOps& policy) const
{
    const TelemetryCapabilities& carried = spec.format->GetCapabilities();
    HPCC_REFUSE_IF(spec.feedback->ReportsBottleneckHop() &&
                       !policy.Describe(&carried).bottleneckHop,
                   "--feedback " + spec.feedbackName + m_network.NameGrading() + ": " +
                       spec.NamePolicy() + " needs records of all hops, not of one");
    HPCC_REFUSE_IF(!spec.feedback->IsPrompt() && policy.Describe(&carried).promptFeedback,
                   "--feedback " + spec.feedbackName + " with " + spec.NamePolicy() +
                       ": its gains assume several telemetry samples per round trip; allowed is "
                       "telemetry on every packet or every few packets");
    std::string why = spec.feedback->ValidateFor(policy, carried, m_network.baseRttNs);
    if (!why.empty())
    {
        // Find out whether the policy or the format is the reason.
        const bool ofPolicy =
            spec.feedback->ComputesAtReceiver() && !policy.ValidateReceiver().empty();
        throw HpccInputError("--feedback " + spec.feedbackName + " with " +
                             (ofPolicy ? spec.NamePolicy() : spec.NameTelemetry()) +
                             m_network.NameGrading() + ": " + why);
    }
    if (m_network.SendsPathProbes())
    {
        why = spec.feedback->ValidateForPathProbes();
        HPCC_REFUSE_IF(!why.empty(),
                       "--paths " + m_network.pathsName + " with --feedback " + spec.feedbackName +
                           ": " + why);
    }
}

void
HpccFabricHelper::Checks::CheckBandwidth(const RdmaPolicyDescription& needs,
                                         const PolicySpec& spec) const
{
    if (m_network.ofClasses)
    {
        HpccClassTelemetry{spec.policy.GetTypeId().GetName(),
                           needs.bandwidth,
                           !needs.switchAgent.empty(),
                           spec.telemetryName,
                           *spec.format}
            .Check(m_network.ofResidual ? TelemetryAgent::RESIDUAL : TelemetryAgent::SHARE);
    }
}

void
HpccFabricHelper::Checks::CheckSwitchAgent(const RdmaPolicyDescription& needs,
                                           const PolicySpec& spec) const
{
    const std::string own = spec.format ? spec.format->GetSwitchAgent() : "";
    ObjectFactory named;
    ObjectFactory filling;
    if (own.empty() || !HpccPresets::Find(SwitchAgent::GetTypeId(), own, filling) ||
        !HpccPresets::Find(SwitchAgent::GetTypeId(), needs.switchAgent, named))
    {
        return;
    }
    const TypeId wanted = filling.GetTypeId();
    const auto fits = [&wanted](const SwitchAgent& agent) {
        const TypeId tid = agent.GetInstanceTypeId();
        return tid == wanted || tid.IsChildOf(wanted);
    };
    HPCC_REFUSE_IF(!fits(*named.Create<SwitchAgent>()),
                   spec.NamePolicy() + ": the switch agent \"" + needs.switchAgent +
                       "\" does not fill in telemetry " + spec.telemetryName + "; allowed are " +
                       JoinNames(HpccPresets::NamesWhere<SwitchAgent>(fits)));
}

void
HpccFabricHelper::Checks::CheckResponseTtl(uint32_t switches) const
{
    const auto found = m_network.switchAgents.find(SwitchResponder::GetTypeId());
    if (found == m_network.switchAgents.end() || found->second.agents.empty())
    {
        return;
    }
    UintegerValue ttl;
    found->second.agents.front().agent->GetAttribute("Ttl", ttl);
    HPCC_REFUSE_IF(ttl.Get() < switches,
                   "ns3::SwitchResponder::Ttl is " + std::to_string(ttl.Get()) +
                       "; on a path with " + std::to_string(switches) +
                       " switch(es), allowed are " + std::to_string(switches) + " to 255");
}

void
HpccFabricHelper::Checks::CheckAverage(const RdmaCongestionOps& policy,
                                       const PolicySpec& spec,
                                       int64_t baseRttNs) const
{
    ObjectFactory factory;
    TimeValue own;
    if (!(spec.format->GetCapabilities().fields & TELEMETRY_LOAD) ||
        !HpccPresets::Find(SwitchAgent::GetTypeId(), spec.format->GetSwitchAgent(), factory) ||
        !policy.GetAttributeFailSafe("T", own))
    {
        return;
    }
    TimeValue averaged;
    const auto running = m_network.switchAgents.find(factory.GetTypeId());
    if (running == m_network.switchAgents.end() ||
        !running->second.agents.front().agent->GetAttributeFailSafe("T", averaged))
    {
        return;
    }
    const int64_t ownNs = own.Get().IsZero() ? baseRttNs : own.Get().GetNanoSeconds();
    const int64_t averagedNs =
        averaged.Get().IsZero() ? m_network.baseRttNs : averaged.Get().GetNanoSeconds();
    const bool set = ownNs != baseRttNs || averagedNs != m_network.baseRttNs;
    HPCC_REFUSE_IF(set && ownNs != averagedNs,
                   policy.GetInstanceTypeId().GetName() + "::T is " + std::to_string(ownNs) +
                       " ns, but the switches average the load over " +
                       factory.GetTypeId().GetName() + "::T, " + std::to_string(averagedNs) +
                       " ns; both must be the same: set the latter, or both by --T");
}

void
HpccFabricHelper::Checks::CheckGuarantee(const PolicySpec& spec, uint32_t host) const
{
    const uint8_t own = 1U << PriorityOf(spec, host);
    m_network.dataPriorities |= own;
    m_network.relyOnShare |= spec.format ? own : 0;
    const EgressScheduler& scheduler = m_network.devices.front()->GetScheduler();
    for (uint8_t p = 0; p < PRIORITIES; ++p)
    {
        const auto ahead = static_cast<uint8_t>(scheduler.GetAhead(p) & m_network.dataPriorities);
        HPCC_REFUSE_IF(
            m_network.relyOnShare >> p & 1 && ahead,
            "ns3::TelemetryAgent::Bandwidth Share: priority " + std::to_string(p) +
                " has no guaranteed share, because data of priority " +
                std::to_string(__builtin_ctz(ahead)) +
                " is sent first; allowed are Residual, and ns3::QbbNetDevice::Weights for both "
                "priorities");
    }
}

uint8_t
HpccFabricHelper::Checks::DscpOf(const PolicySpec& spec, uint32_t host) const
{
    UintegerValue own;
    m_fabric.GetHost(host)->GetAttribute("DataDscp", own);
    return static_cast<uint8_t>(spec.dscp < 0 ? own.Get() : spec.dscp);
}

uint8_t
HpccFabricHelper::Checks::PriorityOf(const PolicySpec& spec, uint32_t host) const
{
    const auto tos = static_cast<uint8_t>(DscpOf(spec, host) << 2);
    return m_fabric.GetHost(host)->GetPort().GetPriority(tos);
}

void
HpccFabricHelper::Checks::CheckDscp(const PolicySpec& spec, uint32_t source) const
{
    const int marked = spec.format->GetMarking().dscp;
    if (marked < 0)
    {
        return;
    }
    HPCC_REFUSE_IF(m_network.trimming != "none",
                   "--trimming " + m_network.trimming + " with telemetry " + spec.telemetryName +
                       ": the format is recognised by DSCP " + std::to_string(marked) +
                       ", which trimming overwrites; allowed are formats with another mark");
    const std::string mark =
        "telemetry format " + spec.telemetryName + ": its DSCP " + std::to_string(marked);
    UintegerValue dscp;
    for (const char* name : {"CnpDscp", "AckDscp", "DataDscp"})
    {
        m_fabric.GetHost(source)->GetAttribute(name, dscp);
        HPCC_REFUSE_IF(dscp.Get() == static_cast<uint64_t>(marked),
                       mark + " is also ns3::RdmaHost::" + name +
                           "; it must be used by nothing else");
    }
    CheckPriority(mark, static_cast<uint8_t>(marked), spec, source);
}

void
HpccFabricHelper::Checks::CheckProbes(const PolicySpec& spec, uint32_t source) const
{
    if (!spec.feedback || !spec.feedback->SendsProbes())
    {
        return;
    }
    UintegerValue dscp;
    m_fabric.GetHost(source)->GetAttribute("ProbeDscp", dscp);
    const auto probe = static_cast<uint8_t>(dscp.Get());
    const std::pair dscps(DscpOf(spec, source), probe);
    if (m_network.probeDscps.count(dscps) == 0) // most hosts have the same DSCPs, so check them
                                                // only once
    {
        CheckPriority("--feedback " + spec.feedbackName + ": ns3::RdmaHost::ProbeDscp " +
                          std::to_string(probe),
                      probe,
                      spec,
                      source);
        m_network.probeDscps.insert(dscps);
    }
}

void
HpccFabricHelper::Checks::CheckReports(const PolicySpec& spec,
                                       uint32_t source,
                                       uint32_t destination,
                                       const PortPair& ports) const
{
    if (!spec.feedback || !spec.feedback->ReportsBottleneckHop())
    {
        return;
    }
    CheckBorders(spec.feedbackName);
    const std::string what = "--feedback " + spec.feedbackName;
    HPCC_REFUSE_IF(m_network.GetMultipath() == Multipath::EVERY_PACKET,
                   what + ": a report of one hop needs a single path, but " +
                       m_network.NameMultipath() +
                       " uses several per round trip; allowed are ecmp and flowlets");
    if (!spec.feedback->ReportsBareHop())
    {
        return;
    }
    const PathTimes path = m_fabric.GetPath(source, destination, ports);
    const bool equal = std::all_of(path.rates.begin(), path.rates.end(), [&path](uint64_t rate) {
        return rate == path.rates.front();
    });
    HPCC_REFUSE_IF(path.choice || !equal || m_network.GetMultipath() != Multipath::NONE ||
                       !m_network.linkEvents.empty(),
                   what + ": a report of three values does not identify its link; from host " +
                       std::to_string(source) + " to host " + std::to_string(destination) +
                       (equal ? " there are several paths" : " links have different rates") +
                       (m_network.pathsName == "ecmp"
                            ? ""
                            : ", which --paths " + m_network.pathsName + " uses") +
                       (m_network.linkEvents.empty() ? "" : ", and links fail (--fail)") +
                       "; allowed is one path, of links of one rate");
}

namespace
{

/**
 * Refuses a value of SwitchResponder::Target that sends responses to the wrong end of a queue pair:
 * the end that does not compute the window.
 * @param feedback short name of a feedback mode with switch responses
 * @param atReceiver true if the receiver computes the window, false if the sender does
 */
void
CheckTarget(const std::string& feedback, bool atReceiver)
{
    TypeId::AttributeInformation target;
    SwitchResponder::GetTypeId().LookupAttributeByName("Target", &target);
    const std::string wanted = atReceiver ? "Receiver" : "Sender";
    const std::string found = target.initialValue->SerializeToString(target.checker);
    HPCC_REFUSE_IF(IsDefaultSet(target) && found != wanted,
                   "ns3::SwitchResponder::Target is " + found + ", but with --feedback " +
                       feedback + " the " + (atReceiver ? "receiver" : "sender") +
                       " computes; allowed is " + wanted);
}

/**
 * Refuses a value of SwitchResponder::SubscribedDscp if the feedback mode uses another DSCP to
 * subscribe, which would replace this value.
 * @param feedback short name of a feedback mode with switch responses
 * @param dscp DSCP that the feedback mode uses to subscribe, or RdmaSubscription::NO_DSCP
 */
void
CheckSubscribedDscp(const std::string& feedback, int dscp)
{
    TypeId::AttributeInformation own;
    SwitchResponder::GetTypeId().LookupAttributeByName("SubscribedDscp", &own);
    const std::string found = own.initialValue->SerializeToString(own.checker);
    HPCC_REFUSE_IF(dscp != RdmaSubscription::NO_DSCP && IsDefaultSet(own) &&
                       found != std::to_string(dscp),
                   "ns3::SwitchResponder::SubscribedDscp is " + found + ", but with --feedback " +
                       feedback + " packets subscribe by DSCP " + std::to_string(dscp) +
                       "; allowed is " + std::to_string(dscp));
}

} // namespace

void
HpccFabricHelper::CheckSubscription(const PolicySpec& spec, uint32_t source, Attempt& attempt)
{
    CheckTarget(spec.feedbackName, spec.feedback->ComputesAtReceiver());
    CheckSubscribedDscp(spec.feedbackName, spec.feedback->GetSubscription()->GetDscp());
    attempt.AddAgent(spec.feedback->GetSwitchAgent());
    Ptr<RdmaSwitchTrust> trust = GetHost(source)->GetObject<RdmaSwitchTrust>();
    StringValue hostKey;
    (trust ? trust : CreateObject<RdmaSwitchTrust>())->GetAttribute("Key", hostKey);
    StringValue feedbackKey;
    GetHost(source)->GetAttribute("FeedbackKey", feedbackKey);
    HPCC_REFUSE_IF(!feedbackKey.Get().empty() && hostKey.Get().empty(),
                   "--feedback " + spec.feedbackName +
                       ": hosts with ns3::RdmaHost::FeedbackKey \"" + feedbackKey.Get() +
                       "\" reject responses of switches without a key; give "
                       "ns3::SwitchResponder::FeedbackKey and ns3::RdmaSwitchTrust::Key, "
                       "with the same value");
    for (const auto& [kind, running] : m_network->switchAgents)
    {
        for (const auto& [agent, node] : running.agents)
        {
            StringValue key;
            HPCC_REFUSE_IF(agent->GetAttributeFailSafe("FeedbackKey", key) &&
                               key.Get() != hostKey.Get(),
                           "ns3::SwitchResponder::FeedbackKey is \"" + key.Get() +
                               "\" and ns3::RdmaSwitchTrust::Key is \"" + hostKey.Get() +
                               "\"; both must be the same");
        }
    }
    const RdmaSubscription& subscription = *spec.feedback->GetSubscription();
    const int dscp = subscription.GetDscp();
    if (dscp == RdmaSubscription::NO_DSCP)
    {
        return;
    }
    Checks(*this).CheckPriority("--feedback " + spec.feedbackName + ": the DSCP of " +
                                    subscription.GetInstanceTypeId().GetName() + " " +
                                    std::to_string(dscp),
                                static_cast<uint8_t>(dscp),
                                spec,
                                source);
}

void
HpccFabricHelper::Checks::NoteFlow(const PolicySpec& spec,
                                   const RdmaCongestionOps& policy,
                                   const Flow& flow)
{
    if (m_network.hidden.count(&policy) > 0)
    {
        m_network.openFlows[EndsOf(flow)] = &policy;
    }
    if (!spec.feedback)
    {
        return;
    }
    if (spec.feedback->ReportsBottleneckHop())
    {
        m_network.bottleneckHopFeedback = spec.feedbackName;
    }
    const RdmaSubscription* subscription = PeekPointer(spec.feedback->GetSubscription());
    const int dscp = subscription ? subscription->GetDscp() : RdmaSubscription::NO_DSCP;
    if (dscp == RdmaSubscription::NO_DSCP || spec.feedback->GetSwitchAgent().empty())
    {
        return;
    }
    for (const auto& [kind, running] : m_network.switchAgents)
    {
        for (const auto& [agent, node] : running.agents)
        {
            agent->SetAttributeFailSafe("SubscribedDscp", UintegerValue(dscp));
        }
    }
}

std::array<uint32_t, 4>
HpccFabricHelper::Checks::EndsOf(const Flow& flow)
{
    return {flow.source, flow.destination, flow.ports.source, flow.ports.destination};
}

void
HpccFabricHelper::Checks::CheckPriority(const std::string& what,
                                        uint8_t dscp,
                                        const PolicySpec& spec,
                                        uint32_t source) const
{
    const uint8_t data = DscpOf(spec, source);
    for (const auto& device : m_network.devices)
    {
        if (!device)
        {
            continue;
        }
        uint8_t wanted = device->GetPriority(static_cast<uint8_t>(data << 2));
        uint8_t found = device->GetPriority(static_cast<uint8_t>(dscp << 2));
        HPCC_REFUSE_IF(found != wanted,
                       what + " has priority " + std::to_string(found) + ", but the data's DSCP " +
                           std::to_string(data) + " has " + std::to_string(wanted) +
                           "; ns3::QbbNetDevice::DscpToPriority of node " +
                           std::to_string(device->GetNode()->GetId()) + " must give both the same");
    }
}

void
HpccFabricHelper::Checks::CheckParts() const
{
    for (const auto& [node, parts] : m_network.partsOf)
    {
        HPCC_REFUSE_IF(node >= m_network.topology.GetNodes() || !m_network.topology.IsSwitch(node),
                       "ns3::HpccFabricHelper::PartsOf: node " + std::to_string(node) +
                           " is no switch of the topology; allowed are its switches");
    }
    std::map<uint32_t, std::set<uint64_t>> rates; // rates of the ports, by switch
    std::set<uint64_t> all;
    for (const auto& link : m_network.topology.GetLinks())
    {
        for (const auto& [node, rate] :
             {std::pair(link.a, link.rate), std::pair(link.b, link.GetRateBack())})
        {
            if (m_network.topology.IsSwitch(node))
            {
                rates[node].insert(rate.GetBitRate());
                all.insert(rate.GetBitRate());
            }
        }
    }
    m_network.parts.CheckRates("the switches", all);
    for (const auto& [node, parts] : m_network.partsOf)
    {
        parts.CheckRates("switch " + std::to_string(node), rates[node]);
    }
}

void
HpccFabricHelper::Checks::CheckPorts(const PolicySpec& spec) const
{
    const bool counts = spec.feedback && spec.feedback->CountsFlows();
    const bool probes = m_network.SendsPathProbes();
    HPCC_REFUSE_IF(
        (counts || probes) && m_network.topology.GetMostPorts() > 1,
        (counts ? "--feedback " + spec.feedbackName + ": it counts the flows of a host"
                : "--paths " + m_network.pathsName + ": its table of paths belongs to a host") +
            ", not of a port; with --ports " + m_network.ports +
            ", allowed are networks of hosts with one port");
}

void
HpccFabricHelper::Checks::CheckFlow(const PolicySpec& spec,
                                    RdmaCongestionOps& policy,
                                    const Flow& flow)
{
    const auto& [source, destination, ports, turn, reads] = flow;
    if (m_network.portsSetLate && !m_network.perPathBaseRtt)
    {
        const int64_t rttNs = m_fabric.GetPath(source, destination, ports).baseRttNs;
        HPCC_REFUSE_IF(rttNs > m_network.baseRttNs,
                       "ns3::HpccFabricHelper::SetPorts(\"" + m_network.ports +
                           "\") after Install(): the path from host " + std::to_string(source) +
                           " to host " + std::to_string(destination) + " has a base RTT of " +
                           std::to_string(rttNs) + " ns, above T, " +
                           std::to_string(m_network.baseRttNs) +
                           " ns; allowed is the call before Install(), or SetPerPathBaseRtt(true)");
    }
    CheckHidden(policy, flow);
    Ways(m_fabric).CheckMoves(source, destination, ports, turn, reads);
    const auto tooLong = FindLongPath(spec.format, source, destination, ports, turn);
    HPCC_REFUSE_IF(
        tooLong,
        DescribeLongPath(*spec.format, spec.telemetryName, source, destination, *tooLong));
    if (spec.feedback)
    {
        // CheckFormat() calls CheckRareRecords() only for the first flow that uses a format. Its
        // result depends on the feedback mode, so the check is repeated for each flow.
        CheckRareRecords(spec);
        CheckFeedback(spec, policy);
    }
}

} // namespace ns3
