/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-pairs-judge.h"

#include "../hpcc-ip-flows.h"

#include "ns3/double.h"
#include "ns3/hpcc-buffer-policy.h"
#include "ns3/hpcc-ecn-marker.h"
#include "ns3/hpcc-nic-format.h"
#include "ns3/nstime.h"
#include "ns3/pointer.h"
#include "ns3/qbb-net-device.h"
#include "ns3/qbb-switch.h"
#include "ns3/rdma-host.h"
#include "ns3/rdma-receiver-computation.h"
#include "ns3/rdma-sampling.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <iostream>

namespace ns3
{

namespace
{

constexpr double LOSS_RATE = 1e-3;
constexpr int64_t LONGEST_NS = 2000000000; ///< longest simulated time of a run, ns
constexpr int64_t LIVELOCK_NS = 10000000;  ///< longest simulated time of a run that may never
                                           ///< deliver all messages, ns
constexpr int64_t RESTART_NS = 200000000;  ///< longest simulated time of a run in which losses
                                           ///< restart messages, ns
constexpr int64_t QUIET_NS = 200000; ///< time after the last completion within which all pauses
                                     ///< must end, ns

/**
 * Returns true if a port no longer needs the pauses that it has requested from its neighbour,
 * because it buffers little data. Always true for a port of a host. The result can be false only in
 * a run that is stopped early, while frames are still in the buffers.
 * @param fabric the network
 * @param device index of the port in GetDevices() of @p fabric
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

/// Returns how many packets a flow sends for each packet whose telemetry is returned. Returns
/// infinity if telemetry is returned only once per round trip.
double
PacketsPerSample(const Ptr<RdmaFeedback>& feedback)
{
    if (!feedback)
    {
        return 1;
    }
    constexpr uint32_t eachPacket = 1; // default of ns3::RdmaHost::AckInterval
    const uint32_t interval =
        feedback->GetSampling() ? feedback->GetSampling()->Describe().interval : 1;
    const double perSample = interval == 0 ? HUGE_VAL : interval;
    return perSample * std::max(feedback->PacketsPerRecord(eachPacket), 1U);
}

/// Returns true if a format carries the hop latency but not the queue length.
bool
GivesQueueAsTime(const TelemetryFormat& format)
{
    const uint32_t fields = format.GetCapabilities().fields;
    return fields & TELEMETRY_HOP_LATENCY && !(fields & TELEMETRY_QUEUE);
}

/// Returns outages of the receiver's links, for HpccExperiment::SetOutages(). The first link of the
/// receiver fails during the first of the @p outages, and its second link during the second.
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

} // namespace

HpccPairsJudge::HpccPairsJudge(HpccExperiment& experiment, const HpccPairsRow& row)
    : m_experiment(experiment),
      m_row(row)
{
}

HpccPairsJudge::~HpccPairsJudge() = default;

void
HpccPairsJudge::Run(const std::string& name,
                    DataRate rate,
                    DataRate between,
                    uint32_t senders,
                    const std::vector<HpccFlowPlan>& flows,
                    const std::string& outages)
{
    m_name = name;
    m_measured = {};
    if (m_row.transport == HpccPairsRow::RDMA)
    {
        m_spec = HpccFabricHelper::MakePolicy(m_experiment.GetPolicies().front(),
                                              m_experiment.GetTelemetry(),
                                              m_row.feedback);
    }
    HpccExperiment::Scenario scenario = MakeScenario(rate, between, senders, flows);
    const std::string out = m_experiment.GetOut();
    m_experiment.SetOut(out + "/" + name);
    if (m_row.fault == HpccPairsRow::FAILURE)
    {
        m_experiment.SetOutages(m_row.ports == HpccPairsRow::ONE
                                    ? outages
                                    : AtReceiver(outages, scenario.topology, senders));
    }
    const HpccSummary summary = m_experiment.Run(scenario).front();
    m_experiment.SetOut(out);
    Compare(summary, static_cast<double>(rate.GetBitRate()), flows);
}

HpccExperiment::Scenario
HpccPairsJudge::MakeScenario(DataRate rate,
                             DataRate between,
                             uint32_t senders,
                             const std::vector<HpccFlowPlan>& flows)
{
    HpccExperiment::Scenario scenario;
    // Links between switches are at least four times as fast as links of hosts. Therefore the
    // receiver's link is the bottleneck, whatever path each flow is hashed onto.
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
        link.errorRate = last && m_row.fault == HpccPairsRow::LOSS ? LOSS_RATE : 0;
        scenario.topology.AddLink(link);
    }
    scenario.flows = flows;
    const bool restarts = m_row.RestartsMessages() && m_row.flowControl == "lossy";
    scenario.stop = NanoSeconds(m_row.MayLivelock() ? LIVELOCK_NS
                                : restarts          ? RESTART_NS
                                                    : LONGEST_NS);
    scenario.linger = NanoSeconds(QUIET_NS);
    if (m_row.transport != HpccPairsRow::RDMA)
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
    return scenario;
}

void
HpccPairsJudge::Compare(const HpccSummary& summary,
                        double rateBps,
                        const std::vector<HpccFlowPlan>& flows)
{
    const Measured& m = m_measured;
    uint64_t bytes = 0;
    for (const auto& flow : flows)
    {
        bytes += flow.bytes;
    }
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
    // A receiver sends its next SACK only after GetSackBytes() bytes have arrived. This delay
    // lowers the utilisation.
    const double bdpBytes = rateBps * m.baseRttNs / 8e9;
    goal.utilization *= bdpBytes / (bdpBytes + m_row.GetSackBytes());
    const bool clean = m_row.fault == HpccPairsRow::NOTHING && m.noMemory == 0 && !m.reordered &&
                       summary.settled && settles;
    const bool livelock =
        m_row.MayLivelock() || (m_row.RestartsMessages() && m.noMemory > 0 && m.undelivered > 0);
    Add("flows with a byte undelivered (conservation)",
        static_cast<double>(m.undelivered),
        livelock ? HUGE_VAL : 0);
    // In a livelock, flows still send when the run is stopped, so some pauses may not have ended.
    Add("pauses left open (IEEE 802.1Qbb: each pause ends)",
        static_cast<double>(m.openPauses),
        livelock && m.undelivered > 0 ? HUGE_VAL : 0);
    if (m_row.fault == HpccPairsRow::NOTHING && m_row.flowControl == "pfc" &&
        m_row.transport == HpccPairsRow::RDMA)
    {
        Add("frames dropped for memory under PFC (lossless)", static_cast<double>(m.noMemory), 0);
    }
    if (m_row.fault == HpccPairsRow::NOTHING)
    {
        Add("payload lost in bytes", static_cast<double>(m.lostBytes), m.lost > 0 ? HUGE_VAL : 0);
    }
    // If hosts have several ports, flows may be hashed onto different ports and thus not share a
    // link.
    const bool shared = clean && m_row.ports == HpccPairsRow::ONE;
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
        // The limit is the sum of four durations: the transmission of all messages at the goal's
        // utilisation, 30 base RTTs, the last start of a flow, and the cost of all stalls. A stall
        // is a loss or an outage. The cost of a stall is the sum of
        // - a time-out, and a second time-out of twice the length if the retransmission is also
        //   lost,
        // - the longest time for which the algorithm does not send,
        // - the transmission of all messages at the line rate, because go-back-0 retransmits whole
        //   messages.
        const double again = static_cast<double>(bytes) * 8e9 / rateBps;
        const auto stalls =
            static_cast<double>(m_row.fault == HpccPairsRow::FAILURE ? 2 + m.noMemory : m.lost);
        Add("last completion in us (goal and 3 time-outs a stall)",
            static_cast<double>(m.lastNs) / 1e3,
            (again / goal.utilization + 30 * m.baseRttNs + JOIN_NS +
             stalls * (3 * m.timeoutNs + goal.silenceNs + again)) /
                1e3);
    }
}

double
HpccPairsJudge::FindTimeoutNs(const HpccFabricHelper& fabric, uint32_t host) const
{
    TimeValue timeout;
    if (m_row.transport == HpccPairsRow::RDMA)
    {
        fabric.GetHost(host)->GetAttribute("RetransmitTimeout", timeout);
    }
    else
    {
        // HpccTcpHelper has set the default of this attribute.
        TypeId::AttributeInformation info;
        TypeId::LookupByName("ns3::TcpSocketBase").LookupAttributeByName("MinRto", &info);
        timeout.DeserializeFromString(info.initialValue->SerializeToString(info.checker),
                                      info.checker);
    }
    return timeout.Get().GetDouble();
}

void
HpccPairsJudge::Measure(HpccFabricHelper& fabric, const HpccMonitor& monitor)
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
        // A UDP flow that loses a datagram never delivers all of its bytes. Do not count such a
        // flow here, because lostBytes already contains its lost bytes.
        const bool mayLose = m_row.transport == "udp";
        m.undelivered += result.endNs < 0 || (!mayLose && result.receiverEndNs < 0);
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
            const uint32_t last = link.a == flow.destination ? link.b : link.a;
            const uint32_t port = fabric.GetDeviceTo(last, flow.destination)->GetPortIndex();
            m.atReceiver = monitor.GetBottleneck() == std::pair(last, port);
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
HpccPairsJudge::Settles(double rateBps, double baseRttNs, size_t flows) const
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
        // A receiver that commits by time alone reduces the window several times because of the
        // same queue; see doc/feedback-receiver.rst.
        literal = computation && computation->GetCommitRule() == RdmaReceiverInfo::TIME;
        everyPacket = !m_spec.feedback->IsSparse(0);
    }
    const double packets = rateBps * rtts * baseRttNs / 8e9 / 1100 / static_cast<double>(flows);
    const bool enough = share.Get() == 1 || (everyPacket && share.Get() * packets >= fewestSamples);
    return !literal && enough;
}

RdmaControlGoal::Goal
HpccPairsJudge::FindGoal(RdmaControlGoal::Bottleneck bottleneck) const
{
    RdmaControlGoal::Goal goal;
    const std::string& name = m_experiment.GetPolicies().front();
    if (m_row.transport == HpccPairsRow::RDMA)
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
        // If telemetry contains a latency instead of a queue length, two packets that arrive at the
        // same time look like a queue.
        const std::string& given = m_experiment.GetTelemetry();
        const auto format = FindNicFormat(given.empty() ? other.telemetry : given);
        const double met =
            GivesQueueAsTime(*format) ? 2 * bottleneck.packetBytes / bottleneck.GetBdp() : 0;
        goal = {bottleneck.GetBdp(), 0.6 - met, 0.75};
    }
    else if (!other.marking.empty())
    {
        // According to section 3.3 of the DCTCP paper, the largest queue is the marking threshold K
        // plus one packet per flow. In slow start, the queue doubles before the sender receives the
        // first mark. Therefore the bound is twice this queue, plus the bytes in flight on the
        // path.
        goal = {2 * (bottleneck.markBytes + bottleneck.flows * bottleneck.packetBytes) +
                    bottleneck.GetBdp(),
                0.9,
                0.75};
    }
    return goal;
}

void
HpccPairsJudge::Add(const std::string& bound, double value, double limit, bool atLeast)
{
    // Keep the first bound even if it is infinite, because Report() needs at least one bound.
    if (std::isfinite(limit) || m_checks.empty())
    {
        m_checks.push_back({m_name + ": " + bound, value, limit, atLeast});
    }
}

int
HpccPairsJudge::Report() const
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

} // namespace ns3
