/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-fabric-attempt.h"
#include "hpcc-fabric-checks.h"
#include "hpcc-fabric-ways.h"

#include "ns3/hpcc-link-plan.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-split-at.h"
#include "ns3/hpcc-switch-responder.h"
#include "ns3/nstime.h"
#include "ns3/string.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// The part of HpccFabricHelper that refuses telemetry formats that do not fit the network.

namespace ns3
{

namespace
{

/**
 * Returns the number of records for which a packet has room; UINT32_MAX if there is room on every
 * path.
 * @param format a telemetry format
 */
uint32_t
RoomOf(const TelemetryFormat& format)
{
    if (format.GetCapabilities().pathExtreme || !format.GetSwitchAgent().empty())
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

/**
 * Throws HpccInputError if a telemetry format does not suit a network.
 * @param format format to check
 * @param name short name of the format
 * @param network description of the network
 */
void
ValidateFormat(const TelemetryFormat& format,
               const std::string& name,
               const TelemetryNetwork& network)
{
    const std::string why = format.Validate(network);
    HPCC_REFUSE_IF(!why.empty(), "telemetry format " + name + ": " + why);
}

} // namespace

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

TelemetryNetwork
HpccFabricHelper::Checks::DescribeNetwork(int64_t baseRttNs) const
{
    TelemetryNetwork
        network{0, 0, m_network.switchHops, 0, baseRttNs, m_network.ofClasses, ListPorts()};
    for (uint32_t node = 0; node < m_network.topology.GetNodes(); ++node)
    {
        if (m_network.topology.IsSwitch(node))
        {
            network.largestSwitchId = node;
            network.largestPortId =
                std::max(network.largestPortId,
                         static_cast<uint32_t>(m_network.edges[node].size()) - 1);
        }
        for (const auto& edge : m_network.edges[node])
        {
            network.fastestBps = std::max(network.fastestBps, edge.rateBps);
        }
    }
    return network;
}

void
HpccFabricHelper::Checks::CheckBaseRtt(int64_t baseRttNs) const
{
    if (baseRttNs == m_network.baseRttNs)
    {
        return;
    }
    HPCC_REFUSE_IF(m_network.hostOfNic,
                   "ns3::HpccFabricHelper::SetNetworkBaseRttNs: " + std::to_string(baseRttNs) +
                       " ns, but host " + std::to_string(*m_network.hostOfNic) +
                       " has a NIC for UDP or TCP, which keeps its T, " +
                       std::to_string(m_network.baseRttNs) +
                       " ns; call it before the NIC's Install()");
    for (const auto& [format, name] : m_network.formats)
    {
        ValidateFormat(*format, name, DescribeNetwork(baseRttNs));
    }
}

void
HpccFabricHelper::CheckFormat(const PolicySpec& spec,
                              const std::vector<StackPackets>& packets) const
{
    m_network->RequireComplete("CheckFormat");
    HPCC_REFUSE_IF(!spec.format,
                   "ns3::HpccFabricHelper::CheckFormat: PolicySpec::format is not set; set it, "
                   "for example by HpccFabricHelper::MakePolicy() for a policy that reads "
                   "telemetry");
    Attempt attempt(*this);
    attempt.AddFormat(spec);
    // Only the specification of an RDMA flow has a policy. Connect() checks such flows itself.
    const ObjectFactory& policy = spec.policy;
    if (!policy.IsTypeIdSet() && m_network->ofClasses && !m_network->ofResidual)
    {
        Checks(*this).CheckGuarantee(spec, m_network->topology.GetHosts().front());
    }
    if (!policy.IsTypeIdSet() && !spec.format->GetSwitchAgent().empty())
    {
        attempt.AddAgent(spec.format->GetSwitchAgent());
    }
    for (const auto& ofStack : packets)
    {
        Checks(*this).RequireStackRoom(ofStack, attempt.GetLimits());
    }
    attempt.Keep();
}

void
HpccFabricHelper::Attempt::AddFormat(const PolicySpec& spec)
{
    const Checks checks(m_fabric);
    checks.CheckBorders(spec.telemetryName, *spec.format);
    if (m_network.formats.count(spec.format))
    {
        return;
    }
    checks.CheckThinning(spec.telemetryName, *spec.format);
    checks.CheckClocks(spec.telemetryName, *spec.format);
    checks.CheckRareRecords(spec);
    const TelemetryNetwork network = checks.DescribeNetwork(m_network.baseRttNs);
    ValidateFormat(*spec.format, spec.telemetryName, network);
    HPCC_REFUSE_IF(!spec.format->Claim(),
                   "telemetry format " + spec.telemetryName +
                       ": this object already serves another network; create one per network");
    m_format = spec.format;
    m_network.formats[m_format] = spec.telemetryName;
    m_format->Learn(network);
    if (const uint32_t room = RoomOf(*m_format); room < UINT32_MAX)
    {
        m_network.room[m_format] = room;
    }
}

void
HpccFabricHelper::OnFormat(
    const std::function<void(const Ptr<const TelemetryFormat>&)>& notify) const
{
    m_network->onFormat.push_back(notify);
    for (const auto& [format, name] : m_network->formats)
    {
        notify(format);
    }
}

Multipath
HpccFabricHelper::GetSwitchMultipath() const
{
    return m_network->multipath;
}

TelemetryThinning
HpccFabricHelper::GetThinning() const
{
    if (m_network->thinning)
    {
        return *m_network->thinning;
    }
    m_network->RequireInstalled("GetThinning");
    TelemetryThinning thinning = NOT_THINNED;
    for (const auto& agent : m_network->agents)
    {
        thinning = std::max(thinning, agent->GetThinning());
    }
    return thinning;
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
        const auto& agent = responders->second.agents.front().agent;
        formats.emplace_back(DynamicCast<SwitchResponder>(agent)->GetFormat());
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
    const auto allowed = HpccPresets::NamesWhere<TelemetryFormat>(
        [](const TelemetryFormat& other) { return other.CrossesBorder(); });
    throw HpccInputError(
        "telemetry format " + name + ": its records may not cross the domain edge of node " +
        std::to_string(m_network.borders.front().first) +
        ", and it has no room for a load instead; allowed are " + JoinNames(allowed));
}

std::string
HpccFabricHelper::Checks::NameThinning() const
{
    const auto found = std::find_if(m_network.agents.begin(),
                                    m_network.agents.end(),
                                    [](const auto& agent) { return agent->IsThinned(); });
    if (found == m_network.agents.end())
    {
        return "";
    }
    StringValue insertion;
    (*found)->GetAttribute("Insertion", insertion);
    return "ns3::TelemetryAgent::Insertion is " + insertion.Get();
}

void
HpccFabricHelper::Checks::CheckThinning(const std::string& name,
                                        const TelemetryFormat& format) const
{
    const std::string thinning = NameThinning();
    HPCC_REFUSE_IF(!thinning.empty() && format.GetCapabilities().pathExtreme &&
                       format.GetSwitchAgent().empty(),
                   "telemetry format " + name + ": " + thinning +
                       ", but a packet without the record of any switch reports an idle "
                       "path; allowed is Always");
}

void
HpccFabricHelper::Checks::CheckClocks(const std::string& name, const TelemetryFormat& format) const
{
    const TelemetryCapabilities& carried = format.GetCapabilities();
    if (!(carried.fields & TELEMETRY_TIMESTAMP) || !format.GetSwitchAgent().empty())
    {
        return;
    }
    const uint64_t mostNs = HpccLinkPlan::HalfRange(carried.timestampModulus);
    for (const auto& agent : m_network.agents)
    {
        TimeValue resolution;
        agent->GetAttribute("ClockResolution", resolution);
        const int64_t stepNs = resolution.Get().GetNanoSeconds();
        HPCC_REFUSE_IF(static_cast<uint64_t>(stepNs) > mostNs,
                       "telemetry format " + name + ": ns3::TelemetryAgent::ClockResolution is " +
                           std::to_string(stepNs) + " ns, but timestamps repeat every " +
                           std::to_string(carried.timestampModulus) +
                           " ns, so later ones would count as older; allowed is up to " +
                           std::to_string(mostNs) + " ns");
    }
}

bool
HpccFabricHelper::Checks::HasRareRecords() const
{
    return m_network.thinning ? m_network.rareRecords
                              : std::any_of(m_network.agents.begin(),
                                            m_network.agents.end(),
                                            [](const auto& agent) { return agent->IsRare(); });
}

void
HpccFabricHelper::Checks::CheckRareRecords(const PolicySpec& spec) const
{
    if (m_fabric.GetThinning() != THINNED_BY_TIME || !HasRareRecords())
    {
        return;
    }
    const bool sampled = spec.feedback && spec.feedback->GetSampling();
    const bool sacks = UsesSacks() && !(spec.feedback && spec.feedback->IsNotified());
    HPCC_REFUSE_IF(
        sampled || sacks,
        (sampled ? "--feedback " + spec.feedbackName : "--recovery " + FindRecovery().first) +
            ": ns3::TelemetryAgent::Insertion is Interval with IntervalScope EachPort, and only "
            "some packets return records, so a flow gets "
            "few of the records of a port; allowed are IntervalScope EachFlow, and Insertion "
            "Always or Congestion");
}

void
HpccFabricHelper::Checks::CheckBorders(const std::string& feedback) const
{
    HPCC_REFUSE_IF(!m_network.borders.empty() && !feedback.empty(),
                   "--feedback " + feedback +
                       ": it reports one hop, and the telemetry border of node " +
                       std::to_string(m_network.borders.front().first) +
                       " lets only a load pass; allowed is feedback of all hops");
}

void
HpccFabricHelper::Checks::CheckBorders() const
{
    CheckBorders(m_network.bottleneckHopFeedback);
    for (const auto& [format, name] : m_network.formats)
    {
        CheckBorders(name, *format);
    }
    for (const auto& flow : m_network.openFlows)
    {
        CheckOpenFlow(flow);
    }
}

std::vector<bool>
HpccFabricHelper::Checks::ListBorders(uint32_t source,
                                      uint32_t destination,
                                      const PortPair& ports) const
{
    std::vector<uint32_t> switches;
    const uint32_t address = m_fabric.GetAddress(destination, ports.destination);
    uint32_t node = m_network.edges[source][ports.source].neighbour;
    while (node != destination)
    {
        switches.push_back(node);
        const uint16_t port = *Ways(m_fabric).WholeRoute(node, address).begin();
        node = m_network.edges[node][port].neighbour;
    }
    return ListBorders(switches, destination);
}

std::vector<bool>
HpccFabricHelper::Checks::ListBorders(const std::vector<uint32_t>& switches,
                                      uint32_t destination) const
{
    std::vector<bool> borders;
    for (size_t i = 0; i < switches.size(); ++i)
    {
        const std::pair link(switches[i], i + 1 < switches.size() ? switches[i + 1] : destination);
        borders.push_back(std::count(m_network.borders.begin(), m_network.borders.end(), link) > 0);
    }
    return borders;
}

bool
HpccFabricHelper::CrossesBorder(uint32_t source, uint32_t destination) const
{
    m_network->RequireTwoHosts("CrossesBorder", source, destination);
    GetPath(source, destination, {0, 0}); // throws if there is no route between these ports
    const std::vector<bool> borders = Checks(*this).ListBorders(source, destination, {0, 0});
    return std::count(borders.begin(), borders.end(), true) > 0;
}

void
HpccFabricHelper::Checks::NoteHidden(const PolicySpec& spec, const RdmaCongestionOps& policy)
{
    if (!spec.format || spec.format->GetCapabilities().pathExtreme)
    {
        return;
    }
    TelemetryCapabilities passed = spec.format->GetCapabilities();
    passed.fields &= ~TELEMETRY_HOP_LATENCY;
    std::string why = policy.Validate(m_network.baseRttNs, &passed);
    if (why.empty())
    {
        why = policy.Describe(&spec.format->GetCapabilities()).refusesLoads;
    }
    if (!why.empty())
    {
        m_network.hidden[&policy] = {spec.NameBoth(), why};
    }
}

void
HpccFabricHelper::Checks::CheckHidden(const RdmaCongestionOps& policy, const Flow& flow) const
{
    if (m_network.hidden.count(&policy) > 0)
    {
        CheckOpenFlow({EndsOf(flow), &policy});
    }
}

void
HpccFabricHelper::Checks::CheckOpenFlow(const Network::OpenFlow& flow) const
{
    if (m_network.borders.empty())
    {
        return;
    }
    const auto& [ends, policy] = flow;
    const auto borders = ListBorders(ends[0], ends[1], {ends[2], ends[3]});
    if (std::count(borders.begin(), borders.end(), true) > 0)
    {
        const auto& [name, why] = m_network.hidden.at(policy);
        throw HpccInputError(name + ": the telemetry border of node " +
                             std::to_string(m_network.borders.front().first) +
                             " lets only a load pass: " + why);
    }
}

std::optional<uint32_t>
HpccFabricHelper::Checks::GetTightRoom(const Ptr<TelemetryFormat>& format) const
{
    const auto room = m_network.room.find(format);
    return room == m_network.room.end() || m_network.longestPath <= room->second ||
                   m_fabric.GetThinning() != NOT_THINNED
               ? std::nullopt
               : std::optional(room->second);
}

std::optional<HpccFabricHelper::Checks::LongPath>
HpccFabricHelper::Checks::FindLongPath(const Ptr<TelemetryFormat>& format,
                                       uint32_t source,
                                       uint32_t destination,
                                       const PortPair& ports,
                                       uint32_t turn) const
{
    const auto room = GetTightRoom(format);
    if (!room)
    {
        return std::nullopt;
    }
    for (const auto& [atNs, switches] :
         Ways(m_fabric).SwitchesOverTime(source, destination, ports, turn))
    {
        uint32_t needed = 0;
        uint32_t outside = 0; // number of records for domains that the packet has left, one per
                              // domain
        uint32_t inside = 0;  // number of records of the domain in which the packet is
        for (const bool border : ListBorders(switches, destination))
        {
            ++inside;
            needed = std::max(needed, outside + inside);
            outside += border ? 1 : 0;
            inside = border ? 0 : inside;
        }
        if (needed > *room)
        {
            return LongPath{static_cast<uint32_t>(switches.size()), needed, *room, atNs};
        }
    }
    return std::nullopt;
}

std::string
HpccFabricHelper::Checks::DescribeLongPath(const TelemetryFormat& format,
                                           const std::string& name,
                                           uint32_t source,
                                           uint32_t destination,
                                           const LongPath& path)
{
    return "telemetry format " + name + " (" + format.GetInstanceTypeId().GetName() + "): " +
           (path.sinceNs < 0 ? ""
                             : "from " + std::to_string(path.sinceNs) +
                                   " ns on, when routes avoid the links that are down, ") +
           "the path from host " + std::to_string(source) + " to host " +
           std::to_string(destination) + " has " + std::to_string(path.switches) +
           " switches and needs room for " + std::to_string(path.needed) +
           " records, but a packet has room for " + std::to_string(path.room) +
           "; allowed are shorter paths and formats with more room";
}

std::function<std::string(uint32_t)>
HpccFabricHelper::MakePeerCheck(const Ptr<TelemetryFormat>& format, uint32_t source) const
{
    m_network->RequireNode("MakePeerCheck", source);
    m_network->RequireComplete("MakePeerCheck");
    HPCC_REFUSE_IF(m_network->formats.count(format) == 0,
                   "ns3::HpccFabricHelper::MakePeerCheck: the format of host " +
                       std::to_string(source) + " is " +
                       (format ? format->GetInstanceTypeId().GetName() : "null") +
                       ", which is not in use; allowed are formats that have passed CheckFormat()");
    m_network->hostOfNic = m_network->hostOfNic.value_or(source);
    if (!Checks(*this).GetTightRoom(format))
    {
        return {};
    }
    std::map<uint32_t, std::pair<uint32_t, Checks::LongPath>> refused;
    for (const uint32_t host : m_network->topology.GetHosts())
    {
        if (host == source)
        {
            continue;
        }
        if (const auto path = Checks(*this).FindLongPath(format, source, host, {0, 0}, 0))
        {
            refused.emplace(GetAddress(host), std::pair(host, *path));
        }
    }
    return [format, name = m_network->formats.at(format), source, refused](uint32_t address) {
        const auto found = refused.find(address);
        return found == refused.end() ? std::string()
                                      : Checks::DescribeLongPath(*format,
                                                                 name,
                                                                 source,
                                                                 found->second.first,
                                                                 found->second.second);
    };
}

} // namespace ns3
