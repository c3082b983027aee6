/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-fabric-helper.h"

#include "hpcc-fabric-attempt.h"
#include "hpcc-fabric-checks.h"
#include "hpcc-fabric-installer.h"
#include "hpcc-fabric-network.h"
#include "hpcc-factory-attribute.h"

#include "ns3/error-model.h"
#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-packet-trimmer.h"
#include "ns3/hpcc-pcap-file.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-ranks.h"
#include "ns3/hpcc-telemetry-agent.h"
#include "ns3/hpcc-telemetry-border.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/pcap-file-wrapper.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rdma-entropy.h"
#include "ns3/rdma-nic.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint32_t FIRST_ADDRESS = 0x0b000001; ///< 11.0.0.1
/// Difference between the addresses of two consecutive ports of a host. The addresses of port 0 of
/// all hosts come first, then those of port 1, and so on.
constexpr uint32_t ADDRESSES_PER_PORT = HpccTopology::MAX_NODES;

/**
 * Returns the random variables that are attributes of an error model, for example the two of a
 * BurstErrorModel. The result is empty for a RateErrorModel, which
 * HpccFabricHelper::AssignStreams() handles separately.
 * @param model an error model
 */
std::vector<Ptr<RandomVariableStream>>
RandomVariablesOf(const ErrorModel& model)
{
    std::vector<Ptr<RandomVariableStream>> variables;
    TypeId tid = model.GetInstanceTypeId();
    for (; tid.IsChildOf(ErrorModel::GetTypeId()) && tid != RateErrorModel::GetTypeId();
         tid = tid.GetParent())
    {
        for (size_t i = 0; i < tid.GetAttributeN(); ++i)
        {
            PointerValue value;
            if (model.GetAttributeFailSafe(tid.GetAttribute(i).name, value) &&
                value.Get<RandomVariableStream>())
            {
                variables.push_back(value.Get<RandomVariableStream>());
            }
        }
    }
    return variables;
}

/**
 * Assigns streams to the random variables of the ports' error models. Each port gets the same
 * number of streams.
 *
 * @param models the error model of each port; null if it has none or is at another rank
 * @param stream first stream
 * @return number of streams used
 */
int64_t
AssignErrorStreams(const std::vector<Ptr<ErrorModel>>& models, int64_t stream)
{
    size_t most = 0;
    std::vector<std::vector<Ptr<RandomVariableStream>>> ofPorts(models.size());
    for (size_t i = 0; i < models.size(); ++i)
    {
        if (models[i])
        {
            ofPorts[i] = RandomVariablesOf(*models[i]);
            most = std::max(most, ofPorts[i].size());
        }
    }
    for (size_t i = 0; i < models.size(); ++i)
    {
        for (size_t j = 0; j < ofPorts[i].size(); ++j)
        {
            ofPorts[i][j]->SetStream(stream + static_cast<int64_t>(i * most + j));
        }
    }
    return static_cast<int64_t>(models.size() * most);
}

/**
 * Refuses a time below 0.
 *
 * @param function name of the function that got the time, for the message
 * @param time time to check
 */
void
RequireNotNegative(const std::string& function, Time time)
{
    HPCC_REFUSE_IF(time.IsStrictlyNegative(),
                   "ns3::HpccFabricHelper::" + function + ": " +
                       std::to_string(time.GetNanoSeconds()) + " ns; allowed is at least 0 ns");
}

/**
 * Throws HpccInputError if a time is so long that the sum of this and other times may exceed
 * INT64_MAX ns.
 * @param function name of the function whose argument @p time is
 * @param time the time
 */
void
RequireNotHuge(const std::string& function, Time time)
{
    HPCC_REFUSE_IF(time > Seconds(1e9),
                   "ns3::HpccFabricHelper::" + function + ": " +
                       std::to_string(time.GetNanoSeconds()) +
                       " ns; allowed is at most 1000000000 s");
}

} // namespace

HpccFabricHelper::HpccFabricHelper()
    : m_network(std::make_unique<Network>())
{
    m_network->deviceFactory.SetTypeId("ns3::QbbNetDevice");
    m_network->channelFactory.SetTypeId("ns3::QbbChannel");
    m_network->agentFactory.SetTypeId("ns3::TelemetryAgent");
    m_network->hostFactory.SetTypeId("ns3::RdmaHost");
    m_network->nicFactory.SetTypeId("ns3::RdmaNic");
}

HpccFabricHelper::~HpccFabricHelper() = default;

HpccFabricHelper& HpccFabricHelper::operator=(HpccFabricHelper&& other) = default;

void
HpccFabricHelper::SetBuffer(const std::string& name)
{
    m_network->RequireNotInstalled("SetBuffer");
    m_network->parts.SetBuffer(name);
}

void
HpccFabricHelper::SetMarking(const std::string& name)
{
    m_network->RequireNotInstalled("SetMarking");
    m_network->parts.SetMarking(name);
}

void
HpccFabricHelper::SetScheduler(const std::string& name)
{
    m_network->RequireNotInstalled("SetScheduler");
    m_network->parts.SetScheduler(name);
}

void
HpccFabricHelper::SetBufferAttribute(const std::string& name, const AttributeValue& value)
{
    m_network->RequireNotInstalled("SetBufferAttribute");
    m_network->parts.SetBufferAttribute(name, value);
}

void
HpccFabricHelper::SetEcnAttribute(const std::string& name, const AttributeValue& value)
{
    m_network->RequireNotInstalled("SetEcnAttribute");
    m_network->parts.SetEcnAttribute(name, value);
}

bool
HpccFabricHelper::SetThresholds(const std::string& thresholds)
{
    m_network->RequireNotInstalled("SetThresholds");
    return m_network->parts.SetThresholds(thresholds);
}

void
HpccFabricHelper::RequireComplete(const std::string& function) const
{
    m_network->RequireComplete(function.c_str());
}

int64_t
HpccFabricHelper::GetNetworkBaseRttNs() const
{
    m_network->RequireInstalled("GetNetworkBaseRttNs");
    return m_network->baseRttNs;
}

const NodeContainer&
HpccFabricHelper::GetNodes() const
{
    return m_network->nodes;
}

const std::vector<Ptr<QbbNetDevice>>&
HpccFabricHelper::GetDevices() const
{
    return m_network->devices;
}

const HpccTopology&
HpccFabricHelper::GetTopology() const
{
    return m_network->topology;
}

void
HpccFabricHelper::SetMaxLag(Time lag)
{
    m_network->RequireNotInstalled("SetMaxLag");
    RequireNotNegative("SetMaxLag", lag);
    m_network->maxLag = lag;
}

void
HpccFabricHelper::SetDeviceAttribute(const std::string& name, const AttributeValue& value)
{
    m_network->RequireNotInstalled("SetDeviceAttribute");
    HPCC_REFUSE_IF(name == "DataRate",
                   "ns3::HpccFabricHelper::SetDeviceAttribute: the topology sets "
                   "ns3::QbbNetDevice::DataRate; set HpccTopology::Link::rate instead");
    HPCC_REFUSE_IF(name == "Scheduler",
                   "ns3::HpccFabricHelper::SetDeviceAttribute: each port needs a scheduler of its "
                   "own; call SetScheduler() instead");
    SetFactoryAttribute(m_network->deviceFactory, name, value);
}

HpccSwitchParts&
HpccFabricHelper::PartsOf(uint32_t node)
{
    m_network->RequireNotInstalled("PartsOf");
    return m_network->partsOf.insert({node, m_network->parts.Copy()}).first->second;
}

void
HpccFabricHelper::SetTrimming(const std::string& name)
{
    m_network->RequireNotInstalled("SetTrimming");
    ObjectFactory factory;
    HPCC_REFUSE_IF(
        name != "none" && !HpccPresets::Find(PacketTrimmer::GetTypeId(), name, factory),
        DescribeUnknownPreset("--trimming: unknown", name, PacketTrimmer::GetTypeId(), {"none"}));
    m_network->trimming = name;
}

void
HpccFabricHelper::SetEntropy(const std::string& name, uint32_t values)
{
    m_network->RequireNotInstalled("SetEntropy");
    m_network->entropyName = name;
    m_network->entropyFactory = ObjectFactory();
    m_network->sprays =
        name != "none" &&
        HpccPresets::Find(RdmaEntropy::GetTypeId(), name, m_network->entropyFactory);
    HPCC_REFUSE_IF(
        name != "none" && !m_network->sprays,
        DescribeUnknownPreset("--entropy: unknown", name, RdmaEntropy::GetTypeId(), {"none"}));
    if (name == "none")
    {
        return;
    }
    if (values > 0)
    {
        RequireRange("--evs", values, 1, RdmaEntropy::MAX_VALUES);
        m_network->entropyFactory.Set("Evs", UintegerValue(values));
    }
    const std::string why = m_network->entropyFactory.Create<RdmaEntropy>()->Validate();
    HPCC_REFUSE_IF(!why.empty(), "--entropy " + name + ": " + why);
}

void
HpccFabricHelper::SetNic(const std::string& name)
{
    m_network->RequireNotInstalled("SetNic");
    HPCC_REFUSE_IF(!HpccPresets::Find(RdmaNic::GetTypeId(), name, m_network->nicFactory),
                   DescribeUnknownPreset("--nic: unknown", name, RdmaNic::GetTypeId()));
}

void
HpccFabricHelper::CheckNic(Time run) const
{
    m_network->RequireInstalled("CheckNic");
    PointerValue nic;
    GetHost(m_network->topology.GetHosts().front())->GetAttribute("Nic", nic);
    const std::string why = nic.Get<RdmaNic>()->Validate(run);
    HPCC_REFUSE_IF(!why.empty(), why + ", the longest run");
}

void
HpccFabricHelper::SetTelemetryAgentAttribute(const std::string& name, const AttributeValue& value)
{
    m_network->RequireNotInstalled("SetTelemetryAgentAttribute");
    SetFactoryAttribute(m_network->agentFactory, name, value);
}

void
HpccFabricHelper::SetHostAttribute(const std::string& name, const AttributeValue& value)
{
    m_network->RequireNotInstalled("SetHostAttribute");
    SetFactoryAttribute(m_network->hostFactory, name, value);
}

void
HpccFabricHelper::SetPaths(const std::string& name)
{
    m_network->RequireNotInstalled("SetPaths");
    m_network->pathsName = name;
    m_network->pathFactory = ObjectFactory();
    m_network->repathingFactory = ObjectFactory();
    m_network->multipath = Multipath::NONE;
    const bool selects = HpccPresets::Find(PathSelector::GetTypeId(), name, m_network->pathFactory);
    const bool repaths = m_network->repaths =
        HpccPresets::Find(RdmaRepathing::GetTypeId(), name, m_network->repathingFactory);
    HPCC_REFUSE_IF(selects + repaths + (name == "ecmp") > 1,
                   "--paths: \"" + name + "\" is a name of " +
                       (selects ? m_network->pathFactory.GetTypeId().GetName()
                                : m_network->repathingFactory.GetTypeId().GetName()) +
                       " and of " +
                       (name == "ecmp" ? "the paths of ns3::QbbSwitch"
                                       : m_network->repathingFactory.GetTypeId().GetName()) +
                       "; choose different names");
    if (selects)
    {
        m_network->multipath = m_network->pathFactory.Create<PathSelector>()->GetMultipath();
    }
    else if (name != "ecmp" && !repaths)
    {
        std::vector<std::string> others{"ecmp"};
        for (const auto& selector : HpccPresets::Names(PathSelector::GetTypeId()))
        {
            others.push_back(selector);
        }
        throw HpccInputError(
            DescribeUnknownPreset("--paths: unknown", name, RdmaRepathing::GetTypeId(), others));
    }
}

bool
HpccFabricHelper::LosesOrder() const
{
    m_network->RequireInstalled("LosesOrder");
    const Ptr<RdmaRecovery>& scheme = Checks(*this).FindRecovery().second;
    return m_network->GetMultipath() == Multipath::EVERY_PACKET && scheme &&
           !scheme->ToleratesReordering();
}

void
HpccFabricHelper::SetPerPathBaseRtt(bool perPath)
{
    if (perPath != m_network->perPathBaseRtt)
    {
        m_network->RequireUnconnected("SetPerPathBaseRtt");
    }
    m_network->baseRttChosen = true;
    m_network->perPathBaseRtt = perPath;
}

void
HpccFabricHelper::ScheduleLinkDown(uint32_t link, Time at)
{
    m_network->RequireNotInstalled("ScheduleLinkDown");
    RequireNotHuge("ScheduleLinkDown", at);
    m_network->linkEvents.push_back({at.GetNanoSeconds(), link, false});
}

void
HpccFabricHelper::ScheduleLinkUp(uint32_t link, Time at)
{
    m_network->RequireNotInstalled("ScheduleLinkUp");
    RequireNotHuge("ScheduleLinkUp", at);
    m_network->linkEvents.push_back({at.GetNanoSeconds(), link, true});
}

void
HpccFabricHelper::SetConvergenceDelay(Time delay)
{
    m_network->RequireNotInstalled("SetConvergenceDelay");
    RequireNotNegative("SetConvergenceDelay", delay);
    RequireNotHuge("SetConvergenceDelay", delay);
    m_network->convergenceDelay = delay;
}

void
HpccFabricHelper::SetNetworkBaseRttNs(int64_t baseRttNs)
{
    m_network->RequireInstalled("SetNetworkBaseRttNs");
    if (m_network->complete) // Install() calls this function, too
    {
        m_network->RequireNotRemoved("SetNetworkBaseRttNs");
    }
    HPCC_REFUSE_IF(baseRttNs < 1 || baseRttNs > MAX_BASE_RTT_NS,
                   "ns3::HpccFabricHelper::SetNetworkBaseRttNs: " + std::to_string(baseRttNs) +
                       " ns is outside 1 ns to " + std::to_string(MAX_BASE_RTT_NS) + " ns");
    m_network->RequireUnconnected("SetNetworkBaseRttNs");
    Checks(*this).CheckBaseRtt(baseRttNs);
    const std::string agent = m_network->SetBaseRttOfAgents(baseRttNs);
    if (!agent.empty())
    {
        // Some agents have already accepted the new value. Set their T back to the old value.
        m_network->SetBaseRttOfAgents(m_network->baseRttNs);
        throw HpccInputError("ns3::HpccFabricHelper::SetNetworkBaseRttNs: the switches already "
                             "have " +
                             agent + ", which uses the base RTT; call it before AddSwitchAgent()");
    }
    m_network->baseRttNs = baseRttNs;
    for (const auto& agent : m_network->agents)
    {
        agent->SetDefaultWindow(NanoSeconds(baseRttNs));
    }
    for (const auto& [node, neighbour] : m_network->borders)
    {
        if (auto border = m_network->nodes.Get(node)->GetObject<TelemetryBorder>())
        {
            border->SetDefaultBaseRtt(NanoSeconds(baseRttNs));
        }
    }
}

void
HpccFabricHelper::AddTelemetryBorder(uint32_t node, uint32_t neighbour)
{
    m_network->RequireComplete("AddTelemetryBorder");
    HPCC_REFUSE_IF(m_network->ofClasses,
                   "domain edge: it summarises records of ports, but with this "
                   "ns3::TelemetryAgent::Bandwidth they are records of classes; allowed is "
                   "LineRate");
    std::vector<uint16_t> ports;
    if (node < m_network->topology.GetNodes() && m_network->topology.IsSwitch(node))
    {
        for (const auto& edge : m_network->edges[node])
        {
            if (edge.neighbour == neighbour)
            {
                ports.push_back(edge.port);
            }
        }
    }
    HPCC_REFUSE_IF(ports.empty(),
                   "telemetry border from node " + std::to_string(node) + " to node " +
                       std::to_string(neighbour) +
                       ": no link leads from a switch of that number to that node");
    m_network->borders.emplace_back(node, neighbour);
    try
    {
        Checks(*this).CheckBorders();
    }
    catch (const HpccInputError&)
    {
        m_network->borders.pop_back();
        throw;
    }
    auto border = m_network->nodes.Get(node)->GetObject<TelemetryBorder>();
    if (!border)
    {
        border = CreateObject<TelemetryBorder>();
        border->SetInventory(m_network->inventory);
        border->SetDefaultBaseRtt(NanoSeconds(m_network->baseRttNs));
        GetSwitch(node)->AddAgent(PeekPointer(border));
        m_network->nodes.Get(node)->AggregateObject(border);
    }
    for (const uint16_t port : ports)
    {
        border->AddPort(port);
    }
}

void
HpccFabricHelper::AddSwitchAgent(const std::string& name)
{
    HPCC_REFUSE_IF(m_network->devices.empty(),
                   "switch agent \"" + name +
                       "\": the network has no switches yet; HpccFabricHelper::Install(), or "
                       "Scenario::connected of HpccExperiment, comes first");
    m_network->RequireNotRemoved("AddSwitchAgent");
    Attempt attempt(*this);
    attempt.AddAgent(name);
    attempt.Keep();
}

int64_t
HpccFabricHelper::GetNextStream() const
{
    return m_network->nextStream;
}

int64_t
HpccFabricHelper::AssignStreams(int64_t stream)
{
    m_network->RequireComplete("AssignStreams");
    int64_t first = stream;
    for (uint32_t i = 0; i < m_network->nodes.GetN(); ++i)
    {
        if (m_network->topology.IsSwitch(i))
        {
            stream += IsHere(i) ? 0 : QbbSwitch::STREAMS_PER_PORT * m_network->edges[i].size();
            stream += GetSwitch(i)->AssignStreams(stream);
        }
    }
    std::vector<Ptr<ErrorModel>> models(m_network->devices.size());
    for (size_t i = 0; i < m_network->devices.size(); ++i)
    {
        if (!m_network->devices[i])
        {
            stream += m_network->topology.GetLinks()[i / 2].errorRate > 0 ? 1 : 0;
            continue;
        }
        PointerValue errors;
        m_network->devices[i]->GetAttribute("ReceiveErrorModel", errors);
        models[i] = errors.Get<ErrorModel>();
        if (auto model = DynamicCast<RateErrorModel>(models[i]))
        {
            stream += model->AssignStreams(stream);
        }
    }
    for (const auto& [kind, running] : m_network->switchAgents)
    {
        for (const auto& agent : running.agents)
        {
            stream += m_network->AssignStreams(agent, stream);
        }
    }
    const auto hosts = m_network->topology.GetHosts();
    for (uint32_t i : hosts)
    {
        stream += IsHere(i) ? GetHost(i)->AssignStreams(stream) : RdmaHost::STREAMS;
    }
    stream += AssignErrorStreams(models, stream);
    m_network->nextStream = stream;
    return stream - first;
}

void
HpccFabricHelper::EndAt(Time at) const
{
    m_network->RequireComplete("EndAt");
    HPCC_REFUSE_IF(at <= Simulator::Now(),
                   "ns3::HpccFabricHelper::EndAt: " + std::to_string(at.GetNanoSeconds()) +
                       " ns; allowed is later than " +
                       std::to_string(Simulator::Now().GetNanoSeconds()) + " ns, which is now");
    for (uint32_t i = 0; i < m_network->nodes.GetN(); ++i)
    {
        if (IsHere(i))
        {
            m_network->AgendaOf(i).EndAt(at.GetNanoSeconds());
        }
    }
    Simulator::Stop(at - Simulator::Now());
}

void
HpccFabricHelper::CatchUp() const
{
    if (m_network->ranks)
    {
        m_network->ranks->CatchUp();
    }
    for (uint32_t i = 0; i < m_network->nodes.GetN(); ++i)
    {
        if (IsHere(i))
        {
            m_network->AgendaOf(i).CatchUp();
        }
    }
}

Ptr<RdmaHost>
HpccFabricHelper::GetHost(uint32_t host) const
{
    m_network->RequireNode("GetHost", host);
    HPCC_REFUSE_IF(m_network->topology.IsSwitch(host),
                   "ns3::HpccFabricHelper::GetHost: node " + std::to_string(host) +
                       " is a switch; allowed are the hosts of the topology");
    const Ptr<RdmaHost>& stack = m_network->hosts[host];
    if (!stack && IsHere(host))
    {
        m_network->RequireComplete("GetHost");
    }
    return stack || IsHere(host) ? stack : Installer(*this).InstallHost(host);
}

Ptr<QbbSwitch>
HpccFabricHelper::GetSwitch(uint32_t node) const
{
    m_network->RequireNode("GetSwitch", node);
    HPCC_REFUSE_IF(!m_network->topology.IsSwitch(node),
                   "ns3::HpccFabricHelper::GetSwitch: node " + std::to_string(node) +
                       " is a host; allowed are the switches of the topology");
    if (!m_network->switches[node])
    {
        m_network->RequireComplete("GetSwitch");
    }
    return m_network->switches[node];
}

uint32_t
HpccFabricHelper::GetAddress(uint32_t host, uint32_t port)
{
    return FIRST_ADDRESS + host + port * ADDRESSES_PER_PORT;
}

uint32_t
HpccFabricHelper::GetHostNumber(uint32_t address)
{
    return (address - FIRST_ADDRESS) % ADDRESSES_PER_PORT;
}

void
HpccFabricHelper::EnablePcapInternal(std::string prefix,
                                     Ptr<NetDevice> device,
                                     bool,
                                     bool explicitFilename)
{
    HPCC_REFUSE_IF(!device && !m_network->ranks, // ports of other ranks are null
                   "ns3::HpccFabricHelper::EnablePcap: the device is null; pass a device");
    const auto port = DynamicCast<QbbNetDevice>(device);
    if (!port)
    {
        return; // EnablePcapAll() passes the devices of all classes
    }
    m_network->RequireComplete("EnablePcap");
    const std::string name =
        explicitFilename ? prefix : PcapHelper().GetFilenameFromDevice(prefix, device);
    m_network->pcap.emplace_back(name, RecordFrames(port, name));
}

void
HpccFabricHelper::ClosePcap()
{
    for (const auto& [name, file] : m_network->pcap)
    {
        file->Close();
        HPCC_REFUSE_IF(file->Fail(), "--pcap: cannot write " + name);
    }
    m_network->pcap.clear();
}

} // namespace ns3
