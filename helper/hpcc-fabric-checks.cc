/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-fabric-helper.h"

#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-ranks.h"
#include "ns3/hpcc-switch-responder.h"
#include "ns3/pointer.h"
#include "ns3/rdma-entropy.h"
#include "ns3/rdma-recovery.h"
#include "ns3/rdma-subscription.h"
#include "ns3/rdma-switch-trust.h"
#include "ns3/string.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

// The part of HpccFabricHelper that refuses what does not fit the network.

namespace ns3
{

std::string
HpccFabricHelper::NameSpread() const
{
    return m_entropyFactory.IsTypeIdSet() ? "--entropy " + m_entropyName : "--paths " + m_pathsName;
}

bool
HpccFabricHelper::UsesSacks() const
{
    StringValue recovery;
    GetHost(m_topology.GetHosts().front())->GetAttribute("Recovery", recovery);
    ObjectFactory factory;
    return HpccPresets::Find(RdmaRecovery::GetTypeId(), recovery.Get(), factory) &&
           factory.Create<RdmaRecovery>()->UsesSacks();
}

void
HpccFabricHelper::CheckEntropy() const
{
    if (!m_entropyFactory.IsTypeIdSet())
    {
        return;
    }
    if (m_pathFactory.IsTypeIdSet() || m_repathingFactory.IsTypeIdSet())
    {
        throw HpccInputError(NameSpread() + " with --paths " + m_pathsName +
                             ": the entropy of its packets selects the paths of a flow, so nothing "
                             "else may; allowed is ecmp");
    }
    if (!UsesSacks())
    {
        StringValue recovery;
        GetHost(m_topology.GetHosts().front())->GetAttribute("Recovery", recovery);
        ObjectFactory factory;
        std::string allowed;
        for (const std::string& name : HpccPresets::Names(RdmaRecovery::GetTypeId()))
        {
            HpccPresets::Find(RdmaRecovery::GetTypeId(), name, factory);
            if (factory.Create<RdmaRecovery>()->UsesSacks())
            {
                allowed += (allowed.empty() ? "" : ", ") + name;
            }
        }
        throw HpccInputError(NameSpread() + " with --recovery " + recovery.Get() +
                             ": it needs what SACKs say of each packet; allowed are " + allowed);
    }
}

void
HpccFabricHelper::CheckTrimming(const RdmaPolicyDescription& needs, const PolicySpec& spec) const
{
    if (m_trimming == "none" || !UsesSacks())
    {
        return;
    }
    if (!needs.telemetry.empty() && spec.feedback && spec.feedback->SendsProbes())
    {
        throw HpccInputError(spec.NamePolicy() + " with --trimming " + m_trimming +
                             " and --feedback " + spec.feedbackName +
                             ": trimmed packets, which are retransmitted at once, carry no "
                             "telemetry by which the policy would slow down; allowed are "
                             "feedbacks without probes, such as packet");
    }
    if (!needs.reactsToTrims)
    {
        StringValue recovery;
        GetHost(m_topology.GetHosts().front())->GetAttribute("Recovery", recovery);
        throw HpccInputError(spec.NamePolicy() + " with --trimming " + m_trimming +
                             " and --recovery " + recovery.Get() +
                             ": trimmed packets are retransmitted at once, and the policy does not "
                             "slow down for them, so their headers would fill the links; allowed "
                             "is a policy that does, such as one that reduces its window");
    }
}

void
HpccFabricHelper::CheckSpread(const RdmaPolicyDescription& needs,
                              const PolicySpec& spec,
                              uint32_t host) const
{
    // Not m_entropyFactory: a program may have given the host another entropy.
    PointerValue entropy;
    GetHost(host)->GetAttribute("Entropy", entropy);
    const auto chosen = entropy.Get<RdmaEntropy>();
    if (chosen && chosen->NeedsShares() && !needs.gradesPaths)
    {
        throw HpccInputError(NameSpread() + " with " + spec.NamePolicy() +
                             ": it divides packets as a policy grades the paths, and this one "
                             "grades none; allowed are policies by (switch, port) and other "
                             "entropies, such as mixed");
    }
    if (GetSpread() > needs.toleratedSpread)
    {
        throw HpccInputError(NameSpread() + ": " + spec.NameBoth() +
                             " cannot tell the paths of a flow apart that " +
                             (m_entropyFactory.IsTypeIdSet() ? m_entropyFactory : m_pathFactory)
                                 .GetTypeId()
                                 .GetName() +
                             (needs.toleratedSpread == PathSpread::NONE
                                  ? " takes now and then; allowed are ecmp and "
                                  : " takes in one round trip; allowed are ecmp, flowlets, "
                                    "and ") +
                             "telemetry with the ids of hops");
    }
}

std::vector<TelemetryPort>
HpccFabricHelper::ListPorts() const
{
    std::vector<uint32_t> stage(m_topology.GetNodes(), UINT32_MAX);
    std::vector<uint32_t> reached = m_topology.GetHosts();
    for (const uint32_t host : reached)
    {
        stage[host] = 0;
    }
    for (size_t i = 0; i < reached.size(); ++i)
    {
        for (const auto& edge : m_edges[reached[i]])
        {
            if (stage[edge.neighbour] == UINT32_MAX)
            {
                stage[edge.neighbour] = stage[reached[i]] + 1;
                reached.push_back(edge.neighbour);
            }
        }
    }
    std::vector<TelemetryPort> ports;
    for (const uint32_t node : reached)
    {
        for (const auto& edge : m_edges[node])
        {
            const uint32_t there = stage[edge.neighbour];
            const PortDirection direction = there > stage[node]   ? PortDirection::UP
                                            : there < stage[node] ? PortDirection::DOWN
                                                                  : PortDirection::LEVEL;
            if (m_topology.IsSwitch(node))
            {
                ports.push_back({node, edge.port, edge.rateBps, stage[node], direction});
            }
        }
    }
    return ports;
}

void
HpccFabricHelper::CheckFormat(const PolicySpec& spec) const
{
    CheckBorders(spec.telemetryName, *spec.format);
    if (m_formats.count(spec.format))
    {
        return;
    }
    TelemetryNetwork network{0, 0, m_switchHops, 0, m_baseRttNs, m_ofClasses, ListPorts()};
    for (uint32_t node = 0; node < m_topology.GetNodes(); ++node)
    {
        if (m_topology.IsSwitch(node))
        {
            network.largestSwitchId = node;
            network.largestPortId =
                std::max(network.largestPortId, static_cast<uint32_t>(m_edges[node].size()) - 1);
        }
        for (const auto& edge : m_edges[node])
        {
            network.fastestBps = std::max(network.fastestBps, edge.rateBps);
        }
    }
    std::string why = spec.format->Validate(network);
    if (!why.empty())
    {
        throw HpccInputError("telemetry format " + spec.telemetryName + ": " + why);
    }
    spec.format->Learn(network);
    m_formats[spec.format] = spec.telemetryName;
    if (m_ranks)
    {
        m_ranks->AddFormat(PeekPointer(spec.format));
    }
}

std::set<TypeId>
HpccFabricHelper::GetFormatTypes() const
{
    std::set<TypeId> types;
    for (const auto& [format, name] : m_formats)
    {
        types.insert(format->GetInstanceTypeId());
    }
    const auto responders = m_switchAgents.find(SwitchResponder::GetTypeId());
    if (responders != m_switchAgents.end())
    {
        StringValue name;
        responders->second.agents.front().agent->GetAttribute("Format", name);
        ObjectFactory format;
        if (HpccPresets::Find(TelemetryFormat::GetTypeId(), name.Get(), format))
        {
            types.insert(format.GetTypeId());
        }
    }
    return types;
}

void
HpccFabricHelper::CheckBorders(const std::string& name, const TelemetryFormat& format) const
{
    if (m_borders.empty() || format.CrossesBorder())
    {
        return;
    }
    std::string allowed;
    for (const std::string& other : HpccPresets::Names(TelemetryFormat::GetTypeId()))
    {
        ObjectFactory factory;
        if (HpccPresets::Find(TelemetryFormat::GetTypeId(), other, factory) &&
            factory.Create<TelemetryFormat>()->CrossesBorder())
        {
            allowed += (allowed.empty() ? "" : ", ") + other;
        }
    }
    throw HpccInputError("telemetry format " + name +
                         ": what it reports may not cross the telemetry border of node " +
                         std::to_string(m_borders.front()) +
                         ", and it has no room for a load instead; allowed are " + allowed);
}

void
HpccFabricHelper::CheckBorders(const std::string& feedback) const
{
    if (!m_borders.empty() && !feedback.empty())
    {
        throw HpccInputError("--feedback " + feedback +
                             ": it reports one hop, and the telemetry border of node " +
                             std::to_string(m_borders.front()) +
                             " lets only a load pass; allowed is feedback of all hops");
    }
}

void
HpccFabricHelper::CheckBandwidth(const RdmaPolicyDescription& needs, const PolicySpec& spec) const
{
    if (!m_ofClasses)
    {
        return;
    }
    const TelemetryCapabilities& carried = spec.format->GetCapabilities();
    constexpr uint16_t ids = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID;
    const bool normalised = carried.pathExtreme || !needs.bandwidth;
    std::string why;
    if (!needs.switchAgent.empty() || !spec.format->GetPortAgent().empty())
    {
        why = "the switch agent that it needs measures whole ports; LineRate is allowed";
    }
    else if (m_ofResidual && carried.fields & TELEMETRY_TX_BYTES)
    {
        why = "it has one byte counter and cannot say what others leave; Share, LineRate, or a "
              "format that carries the utilisation is allowed";
    }
    else if (m_ofResidual && !normalised)
    {
        why = "it does not say what others leave, which " + spec.policy.GetTypeId().GetName() +
              " must know to judge a queue length; Share, LineRate, or a sojourn time as the queue "
              "signal is allowed";
    }
    else if (!m_ofResidual && !normalised && (carried.fields & ids) != ids)
    {
        why = "it does not say which hop a share belongs to; LineRate, or a format with the ids of "
              "hops is allowed";
    }
    if (!why.empty())
    {
        throw HpccInputError("ns3::TelemetryAgent::Bandwidth " +
                             std::string(m_ofResidual ? "Residual" : "Share") +
                             " with telemetry format " + spec.telemetryName + ": " + why);
    }
}

void
HpccFabricHelper::CheckGuarantee(const PolicySpec& spec, uint32_t host)
{
    const uint8_t own = 1U << PriorityOf(spec, host);
    m_dataPriorities |= own;
    m_relyOnShare |= spec.format ? own : 0;
    const EgressScheduler& scheduler = m_devices.front()->GetScheduler();
    for (uint8_t p = 0; p < PRIORITIES; ++p)
    {
        const auto ahead = static_cast<uint8_t>(scheduler.GetAhead(p) & m_dataPriorities);
        if (m_relyOnShare >> p & 1 && ahead)
        {
            throw HpccInputError(
                "ns3::TelemetryAgent::Bandwidth Share: priority " + std::to_string(p) +
                " is guaranteed nothing, for data of priority " +
                std::to_string(__builtin_ctz(ahead)) +
                " goes first; Residual, or ns3::QbbNetDevice::Weights for both is allowed");
        }
    }
}

uint8_t
HpccFabricHelper::PriorityOf(const PolicySpec& spec, uint32_t host) const
{
    UintegerValue dscp(static_cast<uint64_t>(std::max<int>(spec.dscp, 0)));
    if (spec.dscp < 0)
    {
        GetHost(host)->GetAttribute("DataDscp", dscp);
    }
    return GetHost(host)->GetPort().GetPriority(static_cast<uint8_t>(dscp.Get() << 2));
}

void
HpccFabricHelper::CheckDscp(const PolicySpec& spec, uint32_t source) const
{
    const int marked = spec.format->GetMarking().dscp;
    if (marked < 0)
    {
        return;
    }
    if (m_trimming != "none")
    {
        throw HpccInputError("--trimming " + m_trimming + " with telemetry " + spec.telemetryName +
                             ": the format is recognised by DSCP " + std::to_string(marked) +
                             ", which trimming overwrites; allowed are formats with another mark");
    }
    const std::string mark =
        "telemetry format " + spec.telemetryName + ": its DSCP " + std::to_string(marked);
    UintegerValue dscp;
    for (const char* name : {"CnpDscp", "AckDscp", "DataDscp"})
    {
        GetHost(source)->GetAttribute(name, dscp);
        if (dscp.Get() == static_cast<uint64_t>(marked))
        {
            throw HpccInputError(mark + " is also ns3::RdmaHost::" + name +
                                 "; it must be used by nothing else");
        }
    }
    CheckPriority(mark, static_cast<uint8_t>(marked), spec, source);
}

void
HpccFabricHelper::CheckProbes(const PolicySpec& spec, uint32_t source)
{
    if (m_probesChecked || !spec.feedback || !spec.feedback->SendsProbes())
    {
        return;
    }
    m_probesChecked = true;
    UintegerValue dscp;
    GetHost(source)->GetAttribute("ProbeDscp", dscp);
    CheckPriority("--feedback " + spec.feedbackName + ": ns3::RdmaHost::ProbeDscp " +
                      std::to_string(dscp.Get()),
                  static_cast<uint8_t>(dscp.Get()),
                  spec,
                  source);
}

void
HpccFabricHelper::CheckReports(const PolicySpec& spec,
                               uint32_t source,
                               uint32_t destination,
                               const PortPair& ports)
{
    if (!spec.feedback || !spec.feedback->ReportsBottleneckHop())
    {
        return;
    }
    m_worstHopFeedback = spec.feedbackName;
    CheckBorders(m_worstHopFeedback);
    const std::string what = "--feedback " + spec.feedbackName;
    if (GetSpread() == PathSpread::EVERY_PACKET)
    {
        throw HpccInputError(what + ": a report of one hop needs a single path, but " +
                             NameSpread() +
                             " uses several per round trip; allowed are ecmp and flowlets");
    }
    if (!spec.feedback->ReportsBareHop())
    {
        return;
    }
    const PathTimes path = GetPath(source, destination, ports);
    const bool equal = std::all_of(path.rates.begin(), path.rates.end(), [&path](uint64_t rate) {
        return rate == path.rates.front();
    });
    if (path.choice || !equal || GetSpread() != PathSpread::NONE || !m_linkEvents.empty())
    {
        throw HpccInputError(
            what + ": three values do not identify their link; from host " +
            std::to_string(source) + " to host " + std::to_string(destination) +
            (equal ? " there are several paths" : " links have different rates") +
            (m_pathsName == "ecmp" ? "" : ", which --paths " + m_pathsName + " takes") +
            (m_linkEvents.empty() ? "" : ", and links fail (--fail)") +
            "; allowed is one path, of links of one rate");
    }
}

namespace
{

/**
 * Refuses a SwitchResponder::Target that was set to the end that does not compute.
 * @param feedback short name of a feedback mode that has switches respond
 * @param atReceiver the receiver computes
 */
void
CheckTarget(const std::string& feedback, bool atReceiver)
{
    TypeId::AttributeInformation target;
    SwitchResponder::GetTypeId().LookupAttributeByName("Target", &target);
    const bool given = PeekPointer(target.initialValue) != PeekPointer(target.originalInitialValue);
    const std::string wanted = atReceiver ? "Receiver" : "Sender";
    const std::string found = target.initialValue->SerializeToString(target.checker);
    if (given && found != wanted)
    {
        throw HpccInputError("ns3::SwitchResponder::Target is " + found + ", but with --feedback " +
                             feedback + " the " + (atReceiver ? "receiver" : "sender") +
                             " computes; allowed is " + wanted);
    }
}

} // namespace

void
HpccFabricHelper::Subscribe(const PolicySpec& spec, uint32_t source)
{
    CheckTarget(spec.feedbackName, spec.feedback->ComputesAtReceiver());
    AddSwitchAgent(spec.feedback->GetPortAgent());
    Ptr<RdmaSwitchTrust> trust = GetHost(source)->GetObject<RdmaSwitchTrust>();
    StringValue hostKey;
    (trust ? trust : CreateObject<RdmaSwitchTrust>())->GetAttribute("Key", hostKey);
    for (const auto& [kind, running] : m_switchAgents)
    {
        for (const auto& [agent, node] : running.agents)
        {
            StringValue key;
            if (agent->GetAttributeFailSafe("FeedbackKey", key) && key.Get() != hostKey.Get())
            {
                throw HpccInputError("ns3::SwitchResponder::FeedbackKey is \"" + key.Get() +
                                     "\" and ns3::RdmaSwitchTrust::Key is \"" + hostKey.Get() +
                                     "\"; both must be the same");
            }
        }
    }
    const RdmaSubscription& subscription = *spec.feedback->GetSubscription();
    const int dscp = subscription.GetDscp();
    if (dscp == RdmaSubscription::NO_DSCP)
    {
        return;
    }
    CheckPriority("--feedback " + spec.feedbackName + ": the DSCP of " +
                      subscription.GetInstanceTypeId().GetName() + " " + std::to_string(dscp),
                  static_cast<uint8_t>(dscp),
                  spec,
                  source);
    for (const auto& [kind, running] : m_switchAgents)
    {
        for (const auto& [agent, node] : running.agents)
        {
            agent->SetAttributeFailSafe("SubscribedDscp", UintegerValue(dscp));
        }
    }
}

void
HpccFabricHelper::CheckPriority(const std::string& what,
                                uint8_t dscp,
                                const PolicySpec& spec,
                                uint32_t source) const
{
    UintegerValue own;
    GetHost(source)->GetAttribute("DataDscp", own);
    const auto data = static_cast<uint8_t>(spec.dscp < 0 ? own.Get() : spec.dscp);
    for (const auto& device : m_devices)
    {
        if (!device)
        {
            continue;
        }
        uint8_t wanted = device->GetPriority(static_cast<uint8_t>(data << 2));
        uint8_t found = device->GetPriority(static_cast<uint8_t>(dscp << 2));
        if (found != wanted)
        {
            throw HpccInputError(
                what + " has priority " + std::to_string(found) + ", but the data's DSCP " +
                std::to_string(data) + " has " + std::to_string(wanted) +
                "; ns3::QbbNetDevice::DscpToPriority of node " +
                std::to_string(device->GetNode()->GetId()) + " must give both the same");
        }
    }
}

} // namespace ns3
