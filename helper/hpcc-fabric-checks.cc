/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-fabric-checks.h"

#include "hpcc-fabric-ways.h"

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

// The part of HpccFabricHelper that refuses settings that do not fit the network.

namespace ns3
{

namespace
{

constexpr uint32_t LEAST_HEADER_BYTES = 40; ///< headers that every data packet has at least

/**
 * @param format a telemetry format
 * @return number of records that fit a packet; UINT32_MAX if no path exceeds it
 */
uint32_t
RoomOf(const TelemetryFormat& format)
{
    if (format.GetCapabilities().pathExtreme || !format.GetPortAgent().empty())
    {
        return UINT32_MAX; // all hops share one record
    }
    TelemetryStack stack;
    format.Open(stack, {0, 0, 0});
    HopSnapshot hop{};
    hop.ttl = 64;
    for (uint32_t hops = 0; hops <= MAX_TELEMETRY_HOPS; ++hops)
    {
        if (format.Insert(stack, hop, UINT16_MAX) == TelemetryFormat::NOT_INSERTED)
        {
            return hops;
        }
    }
    return UINT32_MAX;
}

} // namespace

bool
HpccFabricHelper::Checks::UsesSacks() const
{
    StringValue recovery;
    m_fabric.GetHost(m_network.topology.GetHosts().front())->GetAttribute("Recovery", recovery);
    const auto [known, isNew] = m_network.usesSacks.emplace(recovery.Get(), false);
    if (isNew)
    {
        ObjectFactory factory;
        known->second = HpccPresets::Find(RdmaRecovery::GetTypeId(), recovery.Get(), factory) &&
                        factory.Create<RdmaRecovery>()->UsesSacks();
    }
    return known->second;
}

void
HpccFabricHelper::Checks::CheckEntropy() const
{
    if (!m_network.entropyFactory.IsTypeIdSet())
    {
        return;
    }
    if (m_network.pathFactory.IsTypeIdSet() || m_network.repathingFactory.IsTypeIdSet())
    {
        throw HpccInputError(m_network.NameSpread() + " with --paths " + m_network.pathsName +
                             ": the entropy of its packets selects the paths of a flow, so nothing "
                             "else may; allowed is ecmp");
    }
    if (!UsesSacks())
    {
        StringValue recovery;
        m_fabric.GetHost(m_network.topology.GetHosts().front())->GetAttribute("Recovery", recovery);
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
        throw HpccInputError(m_network.NameSpread() + " with --recovery " + recovery.Get() +
                             ": it needs what SACKs say of each packet; allowed are " + allowed);
    }
}

void
HpccFabricHelper::Checks::CheckBuffers(const PolicySpec& spec, uint32_t host) const
{
    const uint32_t mtu = m_fabric.GetHost(host)->GetMtu();
    const uint8_t priority = PriorityOf(spec, host);
    for (uint32_t node = 0; node < m_network.topology.GetNodes(); ++node)
    {
        if (!m_network.topology.IsSwitch(node) || !m_network.IsHere(node))
        {
            continue;
        }
        const Ptr<BufferPolicy> buffer = m_fabric.GetSwitch(node)->GetBuffer();
        const uint64_t most = buffer->GetLargestFrameBytes(priority);
        if (most < mtu + LEAST_HEADER_BYTES)
        {
            throw HpccInputError(
                "node " + std::to_string(node) + ": " + buffer->GetInstanceTypeId().GetName() +
                " admits at most " + std::to_string(most) + " bytes of priority " +
                std::to_string(priority) + " at a port, but packets of ns3::RdmaHost::Mtu " +
                std::to_string(mtu) + " are longer; allowed are limits of at least " +
                std::to_string(mtu + LEAST_HEADER_BYTES) + " bytes");
        }
    }
}

void
HpccFabricHelper::Checks::CheckPorts() const
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
HpccFabricHelper::Checks::CheckTrims(const PolicySpec& spec, uint32_t host) const
{
    const uint32_t mtu = m_fabric.GetHost(host)->GetMtu();
    const uint8_t priority = PriorityOf(spec, host);
    for (const auto& [kind, running] : m_network.switchAgents)
    {
        if (running.name != m_network.trimming || running.agents.empty())
        {
            continue;
        }
        TrimPlan plan = running.agents.front().agent->GetTrimPlan();
        for (const auto& [agent, node] : running.agents)
        {
            plan.leastBytes = std::min(plan.leastBytes, agent->GetTrimPlan().leastBytes);
        }
        const std::string packets = "--trimming " + m_network.trimming + " with packets of " +
                                    std::to_string(mtu) + " bytes of payload and priority " +
                                    std::to_string(priority) + ": " + kind.GetName();
        if (!(plan.priorities >> priority & 1))
        {
            throw HpccInputError(packets + "::Priorities lacks that priority; it is needed");
        }
        if (plan.payload >= mtu)
        {
            throw HpccInputError(packets + "::Payload " + std::to_string(plan.payload) +
                                 " leaves them whole; a smaller one is allowed");
        }
        if (plan.leastBytes < mtu + LEAST_HEADER_BYTES)
        {
            throw HpccInputError(packets + " has a threshold of " +
                                 std::to_string(plan.leastBytes) +
                                 " bytes and trims all of them; allowed are at least " +
                                 std::to_string(mtu + LEAST_HEADER_BYTES) + " bytes");
        }
    }
}

void
HpccFabricHelper::Checks::CheckTrimming(const RdmaPolicyDescription& needs,
                                        const PolicySpec& spec,
                                        uint32_t host) const
{
    if (m_network.trimming == "none")
    {
        return;
    }
    CheckTrims(spec, host);
    if (!UsesSacks())
    {
        return;
    }
    if (!needs.telemetry.empty() && spec.feedback && spec.feedback->SendsProbes())
    {
        throw HpccInputError(spec.NamePolicy() + " with --trimming " + m_network.trimming +
                             " and --feedback " + spec.feedbackName +
                             ": trimmed packets, which are retransmitted at once, carry no "
                             "telemetry by which the policy would slow down; allowed are "
                             "feedbacks without probes, such as packet");
    }
    if (!needs.reactsToTrims)
    {
        StringValue recovery;
        m_fabric.GetHost(m_network.topology.GetHosts().front())->GetAttribute("Recovery", recovery);
        throw HpccInputError(spec.NamePolicy() + " with --trimming " + m_network.trimming +
                             " and --recovery " + recovery.Get() +
                             ": trimmed packets are retransmitted at once, and the policy does not "
                             "slow down for them, so their headers would fill the links; allowed "
                             "is a policy that does, such as one that reduces its window");
    }
}

void
HpccFabricHelper::Checks::CheckSpread(const RdmaPolicyDescription& needs,
                                      const PolicySpec& spec,
                                      uint32_t host) const
{
    // m_network.entropyFactory may be wrong: a program may have given the host another entropy.
    PointerValue entropy;
    m_fabric.GetHost(host)->GetAttribute("Entropy", entropy);
    const auto chosen = entropy.Get<RdmaEntropy>();
    if (chosen && chosen->NeedsShares() && !needs.gradesPaths)
    {
        throw HpccInputError(m_network.NameSpread() + " with " + spec.NamePolicy() +
                             ": it divides packets as a policy grades the paths, and this one "
                             "grades none; allowed are policies by (switch, port) and other "
                             "entropies, such as mixed");
    }
    if (m_network.GetSpread() > needs.toleratedSpread)
    {
        throw HpccInputError(m_network.NameSpread() + ": " + spec.NameBoth() +
                             " cannot tell the paths of a flow apart that " +
                             (m_network.entropyFactory.IsTypeIdSet() ? m_network.entropyFactory
                                                                     : m_network.pathFactory)
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
HpccFabricHelper::Checks::ListPorts() const
{
    std::vector<uint32_t> stage(m_network.topology.GetNodes(), UINT32_MAX);
    std::vector<uint32_t> reached = m_network.topology.GetHosts();
    for (const uint32_t host : reached)
    {
        stage[host] = 0;
    }
    for (size_t i = 0; i < reached.size(); ++i)
    {
        for (const auto& edge : m_network.edges[reached[i]])
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
        for (const auto& edge : m_network.edges[node])
        {
            const uint32_t there = stage[edge.neighbour];
            const PortDirection direction = there > stage[node]   ? PortDirection::UP
                                            : there < stage[node] ? PortDirection::DOWN
                                                                  : PortDirection::LEVEL;
            if (m_network.topology.IsSwitch(node))
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
    Checks(*this).CheckBorders(spec.telemetryName, *spec.format);
    if (m_network->formats.count(spec.format))
    {
        return;
    }
    TelemetryNetwork network{0,
                             0,
                             m_network->switchHops,
                             0,
                             m_network->baseRttNs,
                             m_network->ofClasses,
                             Checks(*this).ListPorts()};
    for (uint32_t node = 0; node < m_network->topology.GetNodes(); ++node)
    {
        if (m_network->topology.IsSwitch(node))
        {
            network.largestSwitchId = node;
            network.largestPortId =
                std::max(network.largestPortId,
                         static_cast<uint32_t>(m_network->edges[node].size()) - 1);
        }
        for (const auto& edge : m_network->edges[node])
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
    m_network->formats[spec.format] = spec.telemetryName;
    if (const uint32_t room = RoomOf(*spec.format); room < UINT32_MAX)
    {
        m_network->room[spec.format] = room;
    }
    if (m_network->ranks)
    {
        m_network->ranks->AddFormat(PeekPointer(spec.format));
    }
}

std::vector<Ptr<const TelemetryFormat>>
HpccFabricHelper::GetFormats() const
{
    std::vector<Ptr<const TelemetryFormat>> formats;
    for (const auto& [format, name] : m_network->formats)
    {
        formats.emplace_back(format);
    }
    const auto responders = m_network->switchAgents.find(SwitchResponder::GetTypeId());
    if (responders != m_network->switchAgents.end())
    {
        StringValue name;
        responders->second.agents.front().agent->GetAttribute("Format", name);
        ObjectFactory format;
        if (HpccPresets::Find(TelemetryFormat::GetTypeId(), name.Get(), format))
        {
            formats.emplace_back(format.Create<TelemetryFormat>());
        }
    }
    return formats;
}

void
HpccFabricHelper::Checks::CheckBorders(const std::string& name, const TelemetryFormat& format) const
{
    if (m_network.borders.empty() || format.CrossesBorder())
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
                         std::to_string(m_network.borders.front().first) +
                         ", and it has no room for a load instead; allowed are " + allowed);
}

void
HpccFabricHelper::Checks::CheckBorders(const std::string& feedback) const
{
    if (!m_network.borders.empty() && !feedback.empty())
    {
        throw HpccInputError("--feedback " + feedback +
                             ": it reports one hop, and the telemetry border of node " +
                             std::to_string(m_network.borders.front().first) +
                             " lets only a load pass; allowed is feedback of all hops");
    }
}

std::vector<bool>
HpccFabricHelper::Checks::ListBorders(uint32_t source,
                                      uint32_t destination,
                                      const PortPair& ports) const
{
    std::vector<bool> borders;
    const uint32_t address = m_fabric.GetAddress(destination, ports.destination);
    uint32_t node = m_network.edges[source][ports.source].neighbour;
    while (node != destination)
    {
        const uint16_t port = Ways(m_fabric).WholeRoute(node, address).front();
        const uint32_t next = m_network.edges[node][port].neighbour;
        borders.push_back(std::count(m_network.borders.begin(),
                                     m_network.borders.end(),
                                     std::pair(node, next)) > 0);
        node = next;
    }
    return borders;
}

bool
HpccFabricHelper::CrossesBorder(uint32_t source, uint32_t destination) const
{
    const std::vector<bool> borders = Checks(*this).ListBorders(source, destination, {0, 0});
    return std::count(borders.begin(), borders.end(), true) > 0;
}

void
HpccFabricHelper::Checks::CheckHidden(const PolicySpec& spec,
                                      const RdmaCongestionOps& policy,
                                      uint32_t source,
                                      uint32_t destination,
                                      const PortPair& ports) const
{
    if (m_network.borders.empty() || !spec.format || spec.format->GetCapabilities().pathExtreme)
    {
        return;
    }
    TelemetryCapabilities passed = spec.format->GetCapabilities();
    passed.fields &= ~TELEMETRY_HOP_LATENCY;
    std::string why = policy.Validate(m_network.baseRttNs, &passed);
    StringValue rateTerm;
    if (why.empty() && policy.GetAttributeFailSafe("RateTerm", rateTerm) && rateTerm.Get() == "Rx")
    {
        why = policy.GetInstanceTypeId().GetName() +
              "::RateTerm Rx needs queue length and rate of each hop; Tx is allowed";
    }
    if (why.empty())
    {
        return;
    }
    const std::vector<bool> borders = ListBorders(source, destination, ports);
    if (std::count(borders.begin(), borders.end(), true) > 0)
    {
        throw HpccInputError(spec.NameBoth() + ": the telemetry border of node " +
                             std::to_string(m_network.borders.front().first) +
                             " lets only a load pass: " + why);
    }
}

void
HpccFabricHelper::Checks::CheckRoom(const PolicySpec& spec,
                                    uint32_t source,
                                    uint32_t destination,
                                    const PortPair& ports,
                                    uint32_t switches) const
{
    const auto room = m_network.room.find(spec.format);
    const bool thinned = !m_network.agents.empty() && m_network.agents.front()->IsThinned();
    if (room == m_network.room.end() || switches <= room->second || thinned)
    {
        return;
    }
    uint32_t needed = switches;
    if (!m_network.borders.empty())
    {
        uint32_t outside = 0; // loads of the domains that the packet has left
        uint32_t inside = 0;  // records of the domain in which the packet is
        needed = 0;
        for (const bool border : ListBorders(source, destination, ports))
        {
            ++inside;
            needed = std::max(needed, outside + inside);
            outside += border ? 1 : 0;
            inside = border ? 0 : inside;
        }
    }
    if (needed > room->second)
    {
        throw HpccInputError("telemetry format " + spec.telemetryName + " (" +
                             spec.format->GetInstanceTypeId().GetName() + "): the path from host " +
                             std::to_string(source) + " to host " + std::to_string(destination) +
                             " has " + std::to_string(switches) + " switches and needs room for " +
                             std::to_string(needed) + " records, but a packet has room for " +
                             std::to_string(room->second) +
                             "; allowed are shorter paths and formats with more room");
    }
}

void
HpccFabricHelper::Checks::CheckBandwidth(const RdmaPolicyDescription& needs,
                                         const PolicySpec& spec) const
{
    if (!m_network.ofClasses)
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
    else if (m_network.ofResidual && carried.fields & TELEMETRY_TX_BYTES)
    {
        why = "it has one byte counter and cannot say what others leave; Share, LineRate, or a "
              "format that carries the utilisation is allowed";
    }
    else if (m_network.ofResidual && !normalised)
    {
        why = "it does not say what others leave, which " + spec.policy.GetTypeId().GetName() +
              " must know to judge a queue length; Share, LineRate, or a sojourn time as the queue "
              "signal is allowed";
    }
    else if (!m_network.ofResidual && !normalised && (carried.fields & ids) != ids)
    {
        why = "it does not say which hop a share belongs to; LineRate, or a format with the ids of "
              "hops is allowed";
    }
    if (!why.empty())
    {
        throw HpccInputError("ns3::TelemetryAgent::Bandwidth " +
                             std::string(m_network.ofResidual ? "Residual" : "Share") +
                             " with telemetry format " + spec.telemetryName + ": " + why);
    }
}

void
HpccFabricHelper::Checks::CheckGuarantee(const PolicySpec& spec, uint32_t host)
{
    const uint8_t own = 1U << PriorityOf(spec, host);
    m_network.dataPriorities |= own;
    m_network.relyOnShare |= spec.format ? own : 0;
    const EgressScheduler& scheduler = m_network.devices.front()->GetScheduler();
    for (uint8_t p = 0; p < PRIORITIES; ++p)
    {
        const auto ahead = static_cast<uint8_t>(scheduler.GetAhead(p) & m_network.dataPriorities);
        if (m_network.relyOnShare >> p & 1 && ahead)
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
HpccFabricHelper::Checks::PriorityOf(const PolicySpec& spec, uint32_t host) const
{
    UintegerValue dscp(static_cast<uint64_t>(std::max<int>(spec.dscp, 0)));
    if (spec.dscp < 0)
    {
        m_fabric.GetHost(host)->GetAttribute("DataDscp", dscp);
    }
    return m_fabric.GetHost(host)->GetPort().GetPriority(static_cast<uint8_t>(dscp.Get() << 2));
}

void
HpccFabricHelper::Checks::CheckDscp(const PolicySpec& spec, uint32_t source) const
{
    const int marked = spec.format->GetMarking().dscp;
    if (marked < 0)
    {
        return;
    }
    if (m_network.trimming != "none")
    {
        throw HpccInputError("--trimming " + m_network.trimming + " with telemetry " +
                             spec.telemetryName + ": the format is recognised by DSCP " +
                             std::to_string(marked) +
                             ", which trimming overwrites; allowed are formats with another mark");
    }
    const std::string mark =
        "telemetry format " + spec.telemetryName + ": its DSCP " + std::to_string(marked);
    UintegerValue dscp;
    for (const char* name : {"CnpDscp", "AckDscp", "DataDscp"})
    {
        m_fabric.GetHost(source)->GetAttribute(name, dscp);
        if (dscp.Get() == static_cast<uint64_t>(marked))
        {
            throw HpccInputError(mark + " is also ns3::RdmaHost::" + name +
                                 "; it must be used by nothing else");
        }
    }
    CheckPriority(mark, static_cast<uint8_t>(marked), spec, source);
}

void
HpccFabricHelper::Checks::CheckProbes(const PolicySpec& spec, uint32_t source)
{
    if (m_network.probesChecked || !spec.feedback || !spec.feedback->SendsProbes())
    {
        return;
    }
    m_network.probesChecked = true;
    UintegerValue dscp;
    m_fabric.GetHost(source)->GetAttribute("ProbeDscp", dscp);
    CheckPriority("--feedback " + spec.feedbackName + ": ns3::RdmaHost::ProbeDscp " +
                      std::to_string(dscp.Get()),
                  static_cast<uint8_t>(dscp.Get()),
                  spec,
                  source);
}

void
HpccFabricHelper::Checks::CheckReports(const PolicySpec& spec,
                                       uint32_t source,
                                       uint32_t destination,
                                       const PortPair& ports)
{
    if (!spec.feedback || !spec.feedback->ReportsBottleneckHop())
    {
        return;
    }
    m_network.worstHopFeedback = spec.feedbackName;
    CheckBorders(m_network.worstHopFeedback);
    const std::string what = "--feedback " + spec.feedbackName;
    if (m_network.GetSpread() == PathSpread::EVERY_PACKET)
    {
        throw HpccInputError(what + ": a report of one hop needs a single path, but " +
                             m_network.NameSpread() +
                             " uses several per round trip; allowed are ecmp and flowlets");
    }
    if (!spec.feedback->ReportsBareHop())
    {
        return;
    }
    const PathTimes path = m_fabric.GetPath(source, destination, ports);
    const bool equal = std::all_of(path.rates.begin(), path.rates.end(), [&path](uint64_t rate) {
        return rate == path.rates.front();
    });
    if (path.choice || !equal || m_network.GetSpread() != PathSpread::NONE ||
        !m_network.linkEvents.empty())
    {
        throw HpccInputError(what + ": three values do not identify their link; from host " +
                             std::to_string(source) + " to host " + std::to_string(destination) +
                             (equal ? " there are several paths" : " links have different rates") +
                             (m_network.pathsName == "ecmp"
                                  ? ""
                                  : ", which --paths " + m_network.pathsName + " takes") +
                             (m_network.linkEvents.empty() ? "" : ", and links fail (--fail)") +
                             "; allowed is one path, of links of one rate");
    }
}

namespace
{

/**
 * Refuses a SwitchResponder::Target that selects the end of a queue pair at which the policy does
 * not compute.
 * @param feedback short name of a feedback mode with switch responses
 * @param atReceiver true: the receiver computes; false: the sender
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
    StringValue feedbackKey;
    GetHost(source)->GetAttribute("FeedbackKey", feedbackKey);
    if (!feedbackKey.Get().empty() && hostKey.Get().empty())
    {
        throw HpccInputError("--feedback " + spec.feedbackName +
                             ": hosts with ns3::RdmaHost::FeedbackKey \"" + feedbackKey.Get() +
                             "\" reject responses of switches without a key; give "
                             "ns3::SwitchResponder::FeedbackKey and ns3::RdmaSwitchTrust::Key, "
                             "both the same");
    }
    for (const auto& [kind, running] : m_network->switchAgents)
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
    Checks(*this).CheckPriority("--feedback " + spec.feedbackName + ": the DSCP of " +
                                    subscription.GetInstanceTypeId().GetName() + " " +
                                    std::to_string(dscp),
                                static_cast<uint8_t>(dscp),
                                spec,
                                source);
    for (const auto& [kind, running] : m_network->switchAgents)
    {
        for (const auto& [agent, node] : running.agents)
        {
            agent->SetAttributeFailSafe("SubscribedDscp", UintegerValue(dscp));
        }
    }
}

void
HpccFabricHelper::Checks::CheckPriority(const std::string& what,
                                        uint8_t dscp,
                                        const PolicySpec& spec,
                                        uint32_t source) const
{
    UintegerValue own;
    m_fabric.GetHost(source)->GetAttribute("DataDscp", own);
    const auto data = static_cast<uint8_t>(spec.dscp < 0 ? own.Get() : spec.dscp);
    for (const auto& device : m_network.devices)
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

void
HpccFabricHelper::Checks::CheckParts() const
{
    for (const auto& [node, parts] : m_network.partsOf)
    {
        if (node >= m_network.topology.GetNodes() || !m_network.topology.IsSwitch(node))
        {
            throw HpccInputError("ns3::HpccFabricHelper::PartsOf: node " + std::to_string(node) +
                                 " is no switch of the topology; its switches are allowed");
        }
    }
}

void
HpccFabricHelper::Checks::CheckPorts(const PolicySpec& spec) const
{
    const bool counts = spec.feedback && spec.feedback->CountsFlows();
    const bool probes = m_network.repathingFactory.IsTypeIdSet() &&
                        m_network.repathingFactory.Create<RdmaRepathing>()->SendsPathProbes();
    if ((counts || probes) && m_network.topology.GetMostPorts() > 1)
    {
        throw HpccInputError(
            (counts ? "--feedback " + spec.feedbackName + ": it counts the flows of a host"
                    : "--paths " + m_network.pathsName + ": its table of paths is that of a host") +
            ", not of a port; with --ports " + m_network.ports +
            ", allowed are networks of hosts with one port");
    }
}

} // namespace ns3
