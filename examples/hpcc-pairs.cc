/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// One row of the covering arrays of ./hpcc pairs: an incast, and a short flow that joins a long
// one, with the given policy, format, feedback, recovery, paths, ports, flow control, switch parts,
// transport and fault. Judges them by the bounds of their class. --list prints all names that there
// are.

#include "hpcc-ip-flows.h"

#include "ns3/double.h"
#include "ns3/hpcc-buffer-policy.h"
#include "ns3/hpcc-ecn-marker.h"
#include "ns3/hpcc-egress-scheduler.h"
#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-marker.h"
#include "ns3/hpcc-nic-format.h"
#include "ns3/hpcc-packet-trimmer.h"
#include "ns3/hpcc-path-selector.h"
#include "ns3/hpcc-presets.h"
#include "ns3/nstime.h"
#include "ns3/pointer.h"
#include "ns3/rdma-control-goal.h"
#include "ns3/rdma-entropy.h"
#include "ns3/rdma-recovery.h"
#include "ns3/rdma-repathing.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

const std::string RDMA = "rdma";      ///< the transport of queue pairs
const std::string OWN = "own";        ///< telemetry: the policy's own format
const std::string NOTHING = "none";   ///< no fault; no recovery
const std::string LOSS = "loss";      ///< the receiver's link loses packets
const std::string FAILURE = "outage"; ///< each of two paths fails once
const std::string ONE = "one";        ///< ports: each host has one
const std::string MOVE = "+move";     ///< ports: queue pairs move to another one
constexpr double LOSS_RATE = 1e-3;
constexpr uint32_t INCAST_SENDERS = 8;
constexpr uint64_t INCAST_BYTES = 600000;
constexpr uint64_t LONG_BYTES = 1600000;
constexpr uint64_t SHORT_BYTES = 800000;
constexpr int64_t START_NS = 10000;
constexpr int64_t JOIN_NS = 200000;
constexpr int64_t LONGEST_NS = 2000000000; ///< a row that takes longer is stuck
constexpr int64_t LIVELOCK_NS = 10000000;  ///< time for a row that may never deliver
constexpr int64_t RESTART_NS = 200000000;  ///< the same if only losses restart a message
constexpr int64_t QUIET_NS = 200000;       ///< after the last completion: all pauses have ended

/// The family of each column of a row, and its names.
using Families = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// @return names of NAME+SUFFIX for each wrapper, where the wrapper takes the policy inside
std::vector<std::string>
WrappedPolicies()
{
    const TypeId base = RdmaCongestionOps::GetTypeId();
    constexpr int64_t anyRttNs = 10000;
    std::vector<std::string> wrapped;
    std::istringstream choices(HpccPresets::Choices(base));
    std::string choice;
    while (std::getline(choices >> std::ws, choice, ','))
    {
        if (choice.rfind("NAME", 0) != 0)
        {
            continue;
        }
        for (const auto& inner : HpccPresets::Names(base))
        {
            const std::string name = inner + choice.substr(4);
            const auto spec = HpccFabricHelper::MakePolicy(name);
            auto policy = spec.policy.Create<RdmaCongestionOps>();
            policy->SetNetworkBaseRtt(anyRttNs);
            TelemetryCapabilities carried{};
            carried = spec.format ? spec.format->GetCapabilities() : carried;
            if (policy->Validate(anyRttNs, spec.format ? &carried : nullptr).empty())
            {
                wrapped.push_back(name);
            }
        }
    }
    return wrapped;
}

/// @return the loss recoveries of ns-3's TCP, without "ns3::"
std::vector<std::string>
TcpRecoveries()
{
    std::vector<std::string> names;
    const TypeId base = TypeId::LookupByName("ns3::TcpRecoveryOps");
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId type = TypeId::GetRegistered(i);
        if (type != base && type.IsChildOf(base) && type.HasConstructor())
        {
            names.push_back(type.GetName().substr(5));
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

/// @return the names of --paths
std::vector<std::string>
Paths()
{
    std::vector<std::string> names{"ecmp"};
    for (TypeId base : {PathSelector::GetTypeId(), RdmaRepathing::GetTypeId()})
    {
        for (const auto& name : HpccPresets::Names(base))
        {
            names.push_back(name);
        }
    }
    return names;
}

/// @return the families of each transport
std::map<std::string, Families>
ListFamilies()
{
    const std::vector<std::string> formats = HpccPresets::Names(TelemetryFormat::GetTypeId());
    const Families shared{{"paths", Paths()},
                          {"flow_control", {"pfc", "lossy"}},
                          {"fault", {NOTHING, LOSS, FAILURE}},
                          {"buffer", HpccPresets::Names(BufferPolicy::GetTypeId())},
                          {"marking", HpccPresets::Names(Marker::GetTypeId())},
                          {"scheduler", HpccPresets::Names(EgressScheduler::GetTypeId())}};
    std::vector<std::string> trimming = HpccPresets::Names(PacketTrimmer::GetTypeId());
    trimming.push_back(NOTHING);
    std::vector<std::string> entropy = HpccPresets::Names(RdmaEntropy::GetTypeId());
    entropy.push_back(NOTHING);
    std::map<std::string, Families> all;
    std::vector<std::string> policies = HpccPresets::Names(RdmaCongestionOps::GetTypeId());
    for (const auto& name : WrappedPolicies())
    {
        policies.push_back(name);
    }
    all[RDMA] = {{"policy", policies},
                 {"telemetry", formats},
                 {"feedback", HpccPresets::Names(RdmaFeedbackPart::GetTypeId())},
                 {"recovery", HpccPresets::Names(RdmaRecovery::GetTypeId())},
                 {"trimming", trimming},
                 {"ports", {ONE, "hash", "turns", "first", "1" + MOVE}},
                 {"entropy", entropy}};
    std::map<std::string, std::set<std::string>> names;
    std::map<std::string, std::set<std::string>> feedbacks;
    for (const auto& [name, policy] : HPCC_IP_POLICIES)
    {
        const std::string transport = name.substr(0, name.find('-'));
        names[transport].insert(name);
        feedbacks[transport].insert(policy.feedbacks.begin(), policy.feedbacks.end());
    }
    for (const auto& [transport, some] : names)
    {
        std::vector<std::string> telemetry = formats;
        telemetry.push_back(OWN);
        const auto& ways = feedbacks[transport];
        all[transport] = {
            {"policy", {some.begin(), some.end()}},
            {"telemetry", telemetry},
            {"feedback", {ways.begin(), ways.end()}},
            {"recovery", transport == "udp" ? std::vector<std::string>{NOTHING} : TcpRecoveries()},
            {"trimming", {NOTHING}},
            {"ports", {ONE}},
            {"entropy", {NOTHING}}};
    }
    for (auto& [transport, families] : all)
    {
        families.insert(families.end(), shared.begin(), shared.end());
    }
    return all;
}

/// Prints the families as JSON.
void
PrintList()
{
    const char* outer = "";
    std::cout << "{";
    for (const auto& [transport, families] : ListFamilies())
    {
        std::cout << outer << "\"" << transport << "\": {";
        const char* middle = "";
        for (const auto& [family, names] : families)
        {
            std::cout << middle << "\n  \"" << family << "\": [";
            const char* inner = "";
            for (const auto& name : names)
            {
                std::cout << inner << "\"" << name << "\"";
                inner = ", ";
            }
            std::cout << "]";
            middle = ",";
        }
        std::cout << "}";
        outer = ",\n";
    }
    std::cout << "}" << std::endl;
}

/// A bound and the measured value.
struct Check
{
    std::string bound; ///< in words, with its source
    double value;      ///< measured
    double limit;      ///< allowed
    bool atLeast;      ///< whether limit is the least, not the most

    /// Returns the ratio of the value to its limit; above 1 the limit is violated.
    double Severity() const
    {
        if (atLeast ? value >= limit : value <= limit)
        {
            const double of = atLeast ? value : limit;
            return of > 0 ? (atLeast ? limit : value) / of : 0;
        }
        const double of = atLeast ? value : limit;
        return of > 0 ? std::max(1.0001, (atLeast ? limit : value) / of) : HUGE_VAL;
    }
};

/// Results of a simulation besides its summary.
struct Measured
{
    double baseRttNs{0};     ///< T
    uint64_t openPauses{0};  ///< pauses that never ended, though they could
    uint64_t lost{0};        ///< frames dropped
    uint64_t noMemory{0};    ///< those for lack of memory, trimmed packets included
    uint64_t undelivered{0}; ///< flows without their last byte
    uint64_t lostBytes{0};   ///< payload that a transport without recovery has lost
    int64_t lastNs{0};       ///< last completion, ns
    double markBytes{0};     ///< queue above which every packet is marked, bytes
    uint32_t switchHops{0};  ///< of the first flow's path
    bool reordered{false};   ///< recovery takes reordering for losses
    double timeoutNs{0};     ///< longest retransmission time-out, ns
    bool atReceiver{false};  ///< the port of the summary is the one to the receiver
};

/// The combination that a row of the table stands for.
struct Row
{
    std::string transport;
    std::string fault;
    std::string paths;
    std::string flowControl;
    std::string feedback;
    std::string recovery{};
    std::string ports{ONE};
    std::string entropy{NOTHING};

    /// @return true if the row needs a second path
    bool HasTwoPaths() const
    {
        return (fault == FAILURE && ports == ONE) || paths != "ecmp" || entropy != NOTHING;
    }

    /// @return the network of a scenario; its host number senders is the receiver
    HpccTopology MakeTopology(uint32_t senders,
                              const HpccTopology::LinkSpeeds& across,
                              const HpccTopology::LinkSpeeds& star) const
    {
        if (ports != ONE)
        {
            return HasTwoPaths() ? HpccTopology::Planes(2 * senders, 2, 2, 2, across)
                                 : HpccTopology::Planes(senders + 1, 2, 1, 0, star);
        }
        return HasTwoPaths() ? HpccTopology::LeafSpine(2, 2, senders, across)
                             : HpccTopology::Star(senders + 1, star);
    }

    /// @return payload after which a SACK leaves, bytes; 0 if the recovery uses none
    double GetSackBytes() const
    {
        ObjectFactory factory;
        if (!HpccPresets::Find(RdmaRecovery::GetTypeId(), recovery, factory))
        {
            return 0;
        }
        const auto terms = factory.Create<RdmaRecovery>()->GetSackTerms({1, 1, 0, 1});
        return terms ? terms->ackBytes : 0;
    }

    /// @return true if packets of one flow may take different paths
    bool ChangesPaths() const
    {
        ObjectFactory factory;
        return entropy != NOTHING ||
               HpccPresets::Find(RdmaRepathing::GetTypeId(), paths, factory) ||
               (HpccPresets::Find(PathSelector::GetTypeId(), paths, factory) &&
                factory.Create<PathSelector>()->GetSpread() != PathSpread::NONE);
    }

    /// @return true if each packet that is lost or overtaken restarts its message
    bool RestartsMessages() const
    {
        ObjectFactory factory;
        return transport == RDMA &&
               HpccPresets::Find(RdmaRecovery::GetTypeId(), recovery, factory) &&
               factory.Create<RdmaRecovery>()->RestartsMessages();
    }

    /// @return true if overtaken packets restart messages, perhaps for ever
    bool MayLivelock() const
    {
        return ChangesPaths() && RestartsMessages();
    }
};

class Judge
{
  public:
    Judge(HpccExperiment& experiment, const Row& row)
        : m_experiment(experiment),
          m_row(row)
    {
    }

    /**
     * Runs a scenario.
     * @param name name of the scenario
     * @param rate line rate
     * @param between rate between switches
     * @param senders number of senders that share the receiver's link
     * @param flows the flows
     * @param outages outages for FAILURE
     */
    void Run(const std::string& name,
             DataRate rate,
             DataRate between,
             uint32_t senders,
             const std::vector<HpccFlowPlan>& flows,
             const std::string& outages);

    /// Prints the verdict.
    /// @return exit code
    int Report() const;

  private:
    void Measure(HpccFabricHelper& fabric, const HpccMonitor& monitor);
    /**
     * Returns the retransmission time-out of a sender, ns.
     * @param fabric the network
     * @param host the sender
     */
    double FindTimeoutNs(const HpccFabricHelper& fabric, uint32_t host) const;
    /**
     * Returns true if the feedback lets the policy reach its goal in the 30 base RTTs of the
     * summary.
     * @param rateBps line rate
     * @param baseRttNs T
     * @param flows number of flows that share the line rate
     */
    bool Settles(double rateBps, double baseRttNs, size_t flows) const;
    RdmaControlGoal::Goal FindGoal(RdmaControlGoal::Bottleneck bottleneck) const;

    void Add(const std::string& bound, double value, double limit, bool atLeast = false)
    {
        if (std::isfinite(limit))
        {
            m_checks.push_back({m_name + ": " + bound, value, limit, atLeast});
        }
    }

    HpccExperiment& m_experiment;
    Row m_row;
    std::string m_name;
    Measured m_measured;
    HpccFabricHelper::PolicySpec m_spec; ///< of RDMA
    std::unique_ptr<HpccIpFlows> m_ipFlows;
    std::vector<Check> m_checks;
};

double
Judge::FindTimeoutNs(const HpccFabricHelper& fabric, uint32_t host) const
{
    TimeValue timeout;
    if (m_row.transport == RDMA)
    {
        fabric.GetHost(host)->GetAttribute("RetransmitTimeout", timeout);
    }
    else
    {
        // HpccTcpHelper has set it.
        TypeId::AttributeInformation info;
        TypeId::LookupByName("ns3::TcpSocketBase").LookupAttributeByName("MinRto", &info);
        timeout.DeserializeFromString(info.initialValue->SerializeToString(info.checker),
                                      info.checker);
    }
    return timeout.Get().GetDouble();
}

/**
 * Returns true if a port holds too little to need the pauses that it has requested from its
 * neighbour, the other end of the link. A run that was cut short may end with a port that needs
 * one.
 * @param fabric the network
 * @param device index in its GetDevices()
 */
bool
MayResume(const HpccFabricHelper& fabric, size_t device)
{
    const uint32_t node = fabric.GetNodeOf(device);
    const uint8_t lossless = fabric.GetDevices()[device]->GetLosslessPriorities();
    bool may = true;
    for (uint8_t p = 0; p < PRIORITIES && fabric.GetTopology().IsSwitch(node); ++p)
    {
        const auto buffer = fabric.GetSwitch(node)->GetBuffer();
        may = may && (!(lossless >> p & 1) || buffer->MayResume(fabric.GetPortOf(device), p));
    }
    return may;
}

void
Judge::Measure(HpccFabricHelper& fabric, const HpccMonitor& monitor)
{
    Measured& m = m_measured;
    m.baseRttNs = static_cast<double>(fabric.GetNetworkBaseRttNs());
    for (size_t i = 0; i < fabric.GetDevices().size(); ++i)
    {
        const auto& device = fabric.GetDevices()[i];
        m.openPauses +=
            MayResume(fabric, i ^ 1) ? device->GetPauses() - device->GetPausesEnded() : 0;
        m.lost += device->GetDrops();
        for (auto reason : {DropReason::BUFFER_FULL,
                            DropReason::EGRESS_LIMIT,
                            DropReason::RECEIVE_BUFFER,
                            DropReason::TRIMMED})
        {
            m.noMemory += device->GetDrops(reason);
        }
    }
    for (const auto& result : monitor.GetResults())
    {
        m.undelivered += result.endNs < 0 || result.receiverEndNs < 0;
        m.lastNs = std::max(m.lastNs, result.endNs);
    }
    const auto& flow = monitor.GetFlows().front();
    const auto path = fabric.GetPath(flow.source, flow.destination);
    m.switchHops = path.hops - 1;
    const auto& topology = fabric.GetTopology();
    for (const auto& link : topology.GetLinks())
    {
        if (link.a == flow.destination || link.b == flow.destination)
        {
            const auto port =
                fabric.GetDeviceTo(link.a == flow.destination ? link.b : link.a, flow.destination);
            m.atReceiver = monitor.GetBottleneckName() ==
                           "switch " + std::to_string(port->GetNode()->GetId()) + " port " +
                               std::to_string(port->GetPortIndex());
        }
    }
    for (uint32_t node = 0; node < topology.GetNodes() && m.markBytes == 0; ++node)
    {
        if (topology.IsSwitch(node))
        {
            PointerValue marker;
            fabric.GetSwitch(node)->GetAttribute("EcnMarker", marker);
            const auto red = marker.Get<EcnMarker>();
            m.markBytes = red ? red->ForRate(path.bottleneckBps).kmaxBytes : HUGE_VAL;
        }
    }
    m.reordered = fabric.LosesOrder();
    m.timeoutNs = FindTimeoutNs(fabric, flow.source);
    if (m_ipFlows)
    {
        m_ipFlows->Merge(fabric);
        m.lostBytes = m_ipFlows->GetLostBytes();
        m_ipFlows.reset();
    }
}

bool
Judge::Settles(double rateBps, double baseRttNs, size_t flows) const
{
    constexpr double fewestSamples = 10;
    constexpr double rtts = 30;
    DoubleValue share(1);
    if (m_spec.format)
    {
        m_spec.format->GetAttributeFailSafe("Probability", share);
    }
    bool everyPacket = true;
    bool literal = false;
    if (m_spec.feedback)
    {
        const auto& computation = m_spec.feedback->GetComputation();
        // By time alone a receiver cuts several times for one queue: doc/feedback-receiver.rst.
        literal = computation && computation->GetCommitRule() == RdmaCommitRule::TIME;
        everyPacket = !m_spec.feedback->IsSparse(0);
    }
    const double packets = rateBps * rtts * baseRttNs / 8e9 / 1100 / static_cast<double>(flows);
    const bool enough = share.Get() == 1 || (everyPacket && share.Get() * packets >= fewestSamples);
    return !literal && enough;
}

/// @return packets of a flow for each one whose telemetry comes back; infinity: one per round trip
double
PacketsPerSample(const Ptr<RdmaFeedback>& feedback)
{
    if (!feedback)
    {
        return 1;
    }
    constexpr uint32_t eachPacket = 1; // the default of ns3::RdmaHost::AckInterval
    const uint32_t interval =
        feedback->GetSampling() ? feedback->GetSampling()->Describe().interval : 1;
    const double perSample = interval == 0 ? HUGE_VAL : interval;
    return perSample * std::max(feedback->PacketsPerRecord(eachPacket), 1U);
}

/// @return true if a format says how long a packet waited, and not how long the queue is
bool
GivesQueueAsTime(const TelemetryFormat& format)
{
    const uint32_t fields = format.GetCapabilities().fields;
    return fields & TELEMETRY_HOP_LATENCY && !(fields & TELEMETRY_QUEUE);
}

RdmaControlGoal::Goal
Judge::FindGoal(RdmaControlGoal::Bottleneck bottleneck) const
{
    RdmaControlGoal::Goal goal;
    const std::string& name = m_experiment.GetPolicies().front();
    if (m_row.transport == RDMA)
    {
        const Ptr<RdmaFeedback>& feedback = m_spec.feedback;
        bottleneck.prompt =
            !m_row.ChangesPaths() &&
            (!feedback || (feedback->IsPrompt() && !feedback->ComputesAtReceiver()));
        bottleneck.packetsPerSample =
            std::max(PacketsPerSample(feedback), m_row.GetSackBytes() / bottleneck.packetBytes);
        bottleneck.everyPacket = !feedback || !feedback->IsSparse(0);
        bottleneck.queueAsTime = m_spec.format && GivesQueueAsTime(*m_spec.format);
        auto policy = m_spec.policy.Create<RdmaCongestionOps>();
        policy->SetNetworkBaseRtt(static_cast<int64_t>(bottleneck.baseRttNs));
        if (auto* declared = dynamic_cast<RdmaControlGoal*>(PeekPointer(policy)))
        {
            goal = declared->GetGoal(bottleneck);
        }
        return goal;
    }
    const auto& other = HPCC_IP_POLICIES.at(name);
    if (!other.feedbacks.empty())
    {
        // A queue given as time: two packets that meet count as a queue, as for RDMA.
        const std::string& given = m_experiment.GetTelemetry();
        const auto format = FindNicFormat(given.empty() ? other.telemetry : given);
        const double met =
            GivesQueueAsTime(*format) ? 2 * bottleneck.packetBytes / bottleneck.GetBdp() : 0;
        goal = {bottleneck.GetBdp(), 0.6 - met, 0.75};
    }
    else if (!other.marking.empty())
    {
        // The DCTCP paper, section 3.3: K and a packet of each flow. Slow start doubles that in the
        // round trip until the mark is back, on top of what is in flight.
        goal = {2 * (bottleneck.markBytes + bottleneck.flows * bottleneck.packetBytes) +
                    bottleneck.GetBdp(),
                0.9,
                0.75};
    }
    return goal;
}

/// @return outages at the receiver's ports, one after the other, at the times of others
std::string
AtReceiver(const std::string& outages, const HpccTopology& topology, uint32_t receiver)
{
    std::string own;
    size_t at = 0;
    for (const auto& link : topology.GetLinks())
    {
        if (link.a != receiver && link.b != receiver)
        {
            continue;
        }
        at = outages.find('@', at);
        const size_t end = outages.find(',', at);
        own += (own.empty() ? "" : ",") + std::to_string(link.a) + "-" + std::to_string(link.b) +
               outages.substr(at, end - at);
        at = end;
    }
    return own;
}

void
Judge::Run(const std::string& name,
           DataRate rate,
           DataRate between,
           uint32_t senders,
           const std::vector<HpccFlowPlan>& flows,
           const std::string& outages)
{
    m_name = name;
    m_measured = {};
    HpccExperiment::Scenario scenario;
    // At least four times the rate between switches: the receiver's link is the bottleneck,
    // whatever the hash does.
    const Time delay = MicroSeconds(1);
    const HpccTopology plan =
        m_row.MakeTopology(senders, {rate, between, delay}, {rate, rate, delay});
    for (uint32_t i = 0; i < plan.GetNodes(); ++i)
    {
        scenario.topology.AddNode(plan.IsSwitch(i));
    }
    for (auto link : plan.GetLinks())
    {
        const bool last = link.a == senders || link.b == senders;
        link.errorRate = last && m_row.fault == LOSS ? LOSS_RATE : 0;
        scenario.topology.AddLink(link);
    }
    scenario.flows = flows;
    const bool restarts = m_row.RestartsMessages() && m_row.flowControl == "lossy";
    scenario.stop = NanoSeconds(m_row.MayLivelock() ? LIVELOCK_NS
                                : restarts          ? RESTART_NS
                                                    : LONGEST_NS);
    scenario.linger = NanoSeconds(QUIET_NS);
    if (m_row.transport != RDMA)
    {
        scenario.drive = [this](HpccFabricHelper& fabric,
                                const HpccExperiment::Transport& transport,
                                HpccMonitor& monitor) {
            HpccIpWishes wishes{};
            wishes.ipv6 = !transport.telemetry.empty() &&
                          FindNicFormat(transport.telemetry)->GetMarking().ipv6;
            m_ipFlows = std::make_unique<HpccIpFlows>(fabric, transport, monitor, wishes);
        };
    }
    scenario.finished = [this](HpccFabricHelper& fabric,
                               const std::vector<HpccFlowPlan>&,
                               const HpccMonitor& monitor) { Measure(fabric, monitor); };
    if (m_row.transport == RDMA)
    {
        m_spec = HpccFabricHelper::MakePolicy(m_experiment.GetPolicies().front(),
                                              m_experiment.GetTelemetry(),
                                              m_row.feedback);
    }
    const std::string out = m_experiment.GetOut();
    m_experiment.SetOut(out + "/" + name);
    if (m_row.fault == FAILURE)
    {
        m_experiment.SetOutages(m_row.ports == ONE ? outages : AtReceiver(outages, plan, senders));
    }
    const HpccSummary summary = m_experiment.Run(scenario).front();
    m_experiment.SetOut(out);

    const Measured& m = m_measured;
    uint64_t bytes = 0;
    for (const auto& flow : flows)
    {
        bytes += flow.bytes;
    }
    const auto rateBps = static_cast<double>(rate.GetBitRate());
    const bool settles = Settles(rateBps, m.baseRttNs, flows.size());
    auto goal = FindGoal({rateBps,
                          m.baseRttNs,
                          static_cast<double>(flows.size()),
                          m.markBytes,
                          1100,
                          m.switchHops,
                          true,
                          true,
                          false});
    // The last SACK of a window waits until as many bytes have arrived.
    const double bdpBytes = rateBps * m.baseRttNs / 8e9;
    goal.utilization *= bdpBytes / (bdpBytes + m_row.GetSackBytes());
    const bool clean =
        m_row.fault == NOTHING && m.noMemory == 0 && !m.reordered && summary.settled && settles;
    const bool livelock =
        m_row.MayLivelock() || (m_row.RestartsMessages() && m.noMemory > 0 && m.undelivered > 0);
    Add("flows with a byte undelivered (conservation)",
        static_cast<double>(m.undelivered),
        livelock ? HUGE_VAL : 0);
    // A run whose flows never end is stopped while they send, so its pauses need not have ended.
    Add("pauses left open (IEEE 802.1Qbb: each pause ends)",
        static_cast<double>(m.openPauses),
        livelock && m.undelivered > 0 ? HUGE_VAL : 0);
    if (m_row.fault == NOTHING && m_row.flowControl == "pfc" && m_row.transport == RDMA)
    {
        Add("frames dropped for memory under PFC (lossless)", static_cast<double>(m.noMemory), 0);
    }
    if (m_row.fault == NOTHING)
    {
        Add("payload lost in bytes", static_cast<double>(m.lostBytes), m.lost > 0 ? HUGE_VAL : 0);
    }
    // With several ports, the hash decides what shares a port.
    const bool shared = clean && m_row.ports == ONE;
    if (clean)
    {
        Add("p99 queue in bytes (goal of the policy)",
            static_cast<double>(summary.queueP99Bytes),
            goal.queueBytes);
        if (shared && m.atReceiver)
        {
            Add("share of the line rate (goal of the policy)",
                summary.throughputMeanGbps * 1e9 / rateBps,
                goal.utilization,
                true);
        }
        if (shared && m_name == "incast")
        {
            Add("Jain's index (goal of the policy)", summary.jainIndex, goal.fairness, true);
        }
    }
    if (!(shared && m.atReceiver) && goal.utilization > 0 && settles && !m.reordered && !livelock)
    {
        // At the goal's throughput; each loss, and each outage, may cost a time-out, twice that if
        // the retransmission is also lost, the longest silence of the algorithm, and the whole
        // message again under go-back-0.
        const double again = static_cast<double>(bytes) * 8e9 / rateBps;
        const auto stalls = static_cast<double>(m_row.fault == FAILURE ? 2 + m.noMemory : m.lost);
        Add("last completion in us (goal and 3 time-outs a stall)",
            static_cast<double>(m.lastNs) / 1e3,
            (again / goal.utilization + 30 * m.baseRttNs + JOIN_NS +
             stalls * (3 * m.timeoutNs + goal.silenceNs + again)) /
                1e3);
    }
}

int
Judge::Report() const
{
    const auto worst =
        std::max_element(m_checks.begin(), m_checks.end(), [](const auto& a, const auto& b) {
            return a.Severity() < b.Severity();
        });
    for (const auto& check : m_checks)
    {
        std::cerr << (check.Severity() > 1 ? "FAILED " : "ok ") << check.bound
                  << (check.atLeast ? " >= " : " <= ") << check.limit << ": " << check.value
                  << std::endl;
    }
    const bool failed = worst->Severity() > 1;
    std::string bound = worst->bound + (worst->atLeast ? " >= " : " <= ") +
                        FormatFixed(worst->limit, worst->limit < 10 ? 3 : 0);
    std::replace(bound.begin(), bound.end(), ',', ';');
    std::cout << (failed ? "failed" : "passed") << "," << bound << ","
              << FormatFixed(worst->value, worst->value < 10 ? 3 : 0) << std::endl;
    return failed ? 1 : 0;
}

/// @return the row's flows: all senders at once
std::vector<HpccFlowPlan>
Incast()
{
    std::vector<HpccFlowPlan> flows;
    for (uint32_t i = 0; i < INCAST_SENDERS; ++i)
    {
        flows.push_back({i, INCAST_SENDERS, INCAST_BYTES, START_NS, 0, 0});
    }
    return flows;
}

/// The options that would change nothing in a row, which the program would refuse.
struct IdleOptions
{
    bool telemetry{false}; ///< the policy reads none
    bool marking{false};   ///< the policy sends no ECN-capable packets
};

/**
 * Returns the families that the row has by name only.
 * @param argc argc of main()
 * @param argv argv of main()
 * @param paths the choice of paths
 * @param sprayed the hosts choose the entropy of each packet
 */
IdleOptions
FindIdleOptions(int argc, char* argv[], const std::string& paths, bool sprayed)
{
    IdleOptions idle;
    for (int i = 1; i < argc; ++i)
    {
        const std::string argument = argv[i];
        const std::string name = argument.substr(argument.find('=') + 1);
        if (argument.rfind("--cc=", 0) != 0 || name.find(',') != std::string::npos)
        {
            continue;
        }
        const auto other = HPCC_IP_POLICIES.find(name);
        if (other != HPCC_IP_POLICIES.end())
        {
            idle.telemetry = other->second.feedbacks.empty();
            break;
        }
        const auto spec = HpccFabricHelper::MakePolicy(name);
        ObjectFactory repathing; // may make the packets of any policy ECN-capable
        idle.telemetry = spec.feedbackName == "none";
        idle.marking = spec.Describe().ecn == RdmaPolicyDescription::NOT_ECT && !sprayed &&
                       !HpccPresets::Find(RdmaRepathing::GetTypeId(), paths, repathing);
        break;
    }
    return idle;
}

} // namespace

int
main(int argc, char* argv[])
{
    int verdict = 0;
    const int code = HpccExperiment::Main([&] {
        Row row{RDMA, NOTHING, "ecmp", "pfc", "packet"};
        std::vector<char*> rest{argv[0]};
        std::string quiet = "--progress=false";
        std::string soon = "--convergence=20us";
        rest.push_back(quiet.data());
        bool list = false;
        for (int i = 1; i < argc; ++i)
        {
            const std::string argument = argv[i];
            row.paths = argument.rfind("--paths=", 0) == 0 ? argument.substr(8) : row.paths;
            row.entropy = argument.rfind("--entropy=", 0) == 0 ? argument.substr(10) : row.entropy;
        }
        const IdleOptions idle = FindIdleOptions(argc, argv, row.paths, row.entropy != NOTHING);
        for (int i = 1; i < argc; ++i)
        {
            const std::string argument = argv[i];
            const std::string value = argument.substr(argument.find('=') + 1);
            auto is = [&argument](const char* option) { return argument.rfind(option, 0) == 0; };
            list = list || argument == "--list";
            row.transport = is("--transport=") ? value : row.transport;
            row.fault = is("--fault=") ? value : row.fault;
            row.flowControl = is("--flow-control=") ? value : row.flowControl;
            row.feedback = is("--feedback=") ? value : row.feedback;
            row.recovery = is("--recovery=") ? value : row.recovery;
            row.ports = is("--ports=") ? value : row.ports;
            row.entropy = is("--entropy=") ? value : row.entropy;
            if (argument == "--telemetry=" + OWN || is("--recovery=") || is("--ports=") ||
                (idle.telemetry && (is("--telemetry=") || is("--feedback="))) ||
                argument == "--trimming=" + NOTHING || argument == "--entropy=" + NOTHING ||
                (idle.marking && is("--marking=")))
            {
                continue;
            }
            rest.push_back(argv[i]);
        }
        if (list)
        {
            PrintList();
            return;
        }
        if (row.fault == FAILURE)
        {
            rest.push_back(soon.data());
        }
        std::string ports = "--ports=" + row.ports;
        const size_t suffix = ports.size() - std::min(ports.size(), MOVE.size());
        if (row.fault != FAILURE && ports.substr(suffix) == MOVE)
        {
            ports.resize(suffix); // nothing moves
        }
        if (row.ports != ONE)
        {
            rest.push_back(ports.data());
        }
        const auto families = ListFamilies();
        if (families.count(row.transport) == 0)
        {
            std::string choices;
            for (const auto& [transport, names] : families)
            {
                choices += (choices.empty() ? "" : ", ") + transport;
            }
            throw HpccInputError("--transport: unknown \"" + row.transport +
                                 "\"; choices: " + choices);
        }
        if (row.fault != NOTHING && row.fault != LOSS && row.fault != FAILURE)
        {
            throw HpccInputError("--fault: unknown \"" + row.fault + "\"; choices: " + NOTHING +
                                 ", " + LOSS + ", " + FAILURE);
        }
        HpccExperiment experiment("hpcc-pairs", "One row of ./hpcc pairs", "hpcc++");
        experiment.AddOption("transport", "transport", row.transport);
        experiment.AddOption("fault", "fault", row.fault);
        std::string rdmaRecovery = "--recovery=" + row.recovery;
        if (row.transport == RDMA)
        {
            if (!row.recovery.empty())
            {
                rest.push_back(rdmaRecovery.data());
            }
        }
        else
        {
            std::map<std::string, HpccExperiment::OtherPolicy> own;
            for (const auto& [name, policy] : HPCC_IP_POLICIES)
            {
                if (name.rfind(row.transport + "-", 0) == 0)
                {
                    own[name] = policy;
                }
            }
            experiment.SetOtherPolicies(own, "probe");
            if (!row.recovery.empty() && row.recovery != NOTHING)
            {
                Config::SetDefault("ns3::TcpL4Protocol::RecoveryType",
                                   StringValue("ns3::" + row.recovery));
            }
            const auto repathings = HpccPresets::Names(RdmaRepathing::GetTypeId());
            if (std::find(repathings.begin(), repathings.end(), row.paths) != repathings.end())
            {
                throw HpccInputError("--paths " + row.paths + ": it moves queue pairs; transport " +
                                     row.transport + " has none");
            }
        }
        experiment.Parse(static_cast<int>(rest.size()), rest.data());
        // The table that each run prints is not this program's.
        auto* terminal = std::cout.rdbuf();
        std::ostringstream tables;
        Judge judge(experiment, row);
        std::cout.rdbuf(tables.rdbuf());
        try
        {
            if (row.transport != RDMA)
            {
                experiment.SetPolicyAttribute("N", std::to_string(INCAST_SENDERS));
            }
            judge.Run("incast",
                      DataRate("56Gbps"),
                      DataRate("400Gbps"),
                      INCAST_SENDERS,
                      Incast(),
                      "16-18@70us-110us,16-19@150us-190us");
            judge.Run("long-short",
                      DataRate("25Gbps"),
                      DataRate("100Gbps"),
                      2,
                      {{0, 2, LONG_BYTES, START_NS, 0, 0}, {1, 2, SHORT_BYTES, JOIN_NS, 0, 0}},
                      "4-6@300us-400us,4-7@500us-600us");
        }
        catch (...)
        {
            std::cout.rdbuf(terminal);
            throw;
        }
        std::cout.rdbuf(terminal);
        experiment.WriteManifest(experiment.GetOut());
        verdict = judge.Report();
    });
    return code ? code : verdict;
}
