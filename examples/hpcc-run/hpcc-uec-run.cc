/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-uec-run.h"

#include "hpcc-uec-triggers.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/hpcc-buffer-policy.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-marker.h"
#include "ns3/hpcc-packet-trimmer.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-split-at.h"
#include "ns3/object-factory.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/rdma-feedback.h"
#include "ns3/rdma-host.h"
#include "ns3/rdma-sack.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

constexpr double LOW_SHARE = 0.2;        ///< default of the first number of --ecn, in
                                         ///< bandwidth-delay products
constexpr double HIGH_SHARE = 0.8;       ///< default of the second number of --ecn, in
                                         ///< bandwidth-delay products
constexpr uint64_t DROP_BDPS = 5;        ///< default of --q without trimming, in bandwidth-delay
                                         ///< products
constexpr double RTO_FLOOR_NS = 15000;   ///< the part of the time-out that does not depend on queue
                                         ///< sizes, ns
constexpr double RTO_QUEUES = 6;         ///< the time-out includes the time in which this number of
                                         ///< full queues drains
constexpr int64_t PORT_STREAM = 1000000; ///< random stream of the UDP source ports
constexpr uint32_t FIRST_PORT = 0xc000;  ///< lowest UDP source port
constexpr uint64_t MEMORY_BYTES = 1ULL << 40; ///< memory of a switch, bytes; too large to limit
                                              ///< queues

/// Returns true if a feedback mode, used with a given policy, determines the number of packets per
/// ACK.
bool
CountsPackets(const std::string& policy, const std::string& feedback)
{
    const auto spec = HpccFabricHelper::MakePolicy(policy, "", feedback);
    return spec.feedback && spec.feedback->DescribeReturn().ackInterval > 1;
}

} // namespace

std::vector<std::string>
HpccUecRun::Defaults(bool trims)
{
    std::vector<std::string> defaults{"--recovery=sack",
                                      "--entropy=mixed",
                                      "--scheduler=composite",
                                      "--flow-control=lossy",
                                      "--ack-priority=high",
                                      "--ethernet-overhead=false",
                                      "--mtu=4150",
                                      "--ns3::QbbNetDevice::CarryFractions=true",
                                      "--ns3::RdmaHost::RejoinAtOnce=true",
                                      "--ns3::RdmaHost::WireProfile=Uec"};
    defaults.emplace_back(trims ? "--cc=nscc:htsim" : "--cc=nscc:htsim-drop");
    defaults.emplace_back(trims ? "--trimming=coin" : "--buffer=static");
    return defaults;
}

void
HpccUecRun::AddOptions(HpccExperiment& experiment)
{
    experiment.AddOption("cm",
                         "connection matrix of uet-htsim, in place of --config; --mtu then "
                         "includes the 64 bytes of headers and is 4150 by default",
                         m_matrixPath);
    experiment.AddOption("topo",
                         "with --cm: topology of uet-htsim; default: the k-ary fat-tree of three "
                         "tiers",
                         m_topologyPath);
    experiment.AddOption("linkspeed", "with --cm: rate of the hosts' links, Mb/s", m_linkMbps);
    experiment.AddOption("q",
                         "with --cm: capacity of a port for data, packets; with "
                         "--flow-control=pfc, what a port may hold before it pauses its "
                         "neighbour; default: one "
                         "bandwidth-delay product, or 5 of them if nothing is trimmed",
                         m_queuePackets);
    experiment.AddOption("ecn",
                         "with --cm: LOW,HIGH: queue lengths, packets, below which no packet and "
                         "above which every packet is marked; default: 0.2 and 0.8 "
                         "bandwidth-delay products",
                         m_ecn);
    experiment.AddOption("cwnd",
                         "with --cm: initial window, packets, for policies with InitialPackets; "
                         "default: that of the policy, for nscc the largest, 1.5 "
                         "bandwidth-delay products",
                         m_cwnd);
    experiment.AddOption("failed",
                         "with --cm: number of core links (three tiers) or spines (two tiers) "
                         "slowed to a quarter of their rate; core links only downwards",
                         m_failed);
    experiment.AddOption("sack-threshold",
                         "with --cm: bytes of received packets, headers included, after which a "
                         "SACK is sent",
                         m_sackThreshold);
    experiment.AddOption("end", "with --cm: end of the run, us", m_endUs);
}

std::vector<std::string>
HpccUecRun::ListOptions()
{
    return {"topo", "linkspeed", "q", "ecn", "cwnd", "failed", "sack-threshold", "end"};
}

void
HpccUecRun::Prepare(HpccExperiment& experiment)
{
    experiment.RefuseGiven({"ns3::RdmaHost::Mtu"}, "--mtu gives the size of packets with headers");
    CheckNumbers(experiment);
    m_matrix = HpccUecMatrix::Load(m_matrixPath);
    if (HasTriggers())
    {
        experiment.RefuseGiven({"max-lag", "mpi"},
                               "triggers of " + m_matrixPath +
                                   " start flows at other hosts at once");
        experiment.RefuseGiven({"ns3::NodeAgenda::MaxLag"}, "as --max-lag");
    }
    const DataRate rate(static_cast<uint64_t>(std::llround(m_linkMbps * 1e6)));
    m_topology = m_topologyPath.empty() ? HpccUecTopology::FatTree(m_matrix.GetNodes(), rate)
                                        : HpccUecTopology::Load(m_topologyPath);
    HPCC_REFUSE_IF(m_topology.GetNodes() != m_matrix.GetNodes(),
                   "--cm " + m_matrixPath + " has " + std::to_string(m_matrix.GetNodes()) +
                       " nodes, --topo " + m_topologyPath + " has " +
                       std::to_string(m_topology.GetNodes()));
    HPCC_REFUSE_IF(m_topology.GetTier(0).downlinkBps != rate.GetBitRate(),
                   "--linkspeed: " + FormatFixed(m_linkMbps, 0) + " Mb/s, but hosts of " +
                       m_topologyPath + " have " +
                       std::to_string(m_topology.GetTier(0).downlinkBps / 1000000) + " Mb/s");
    m_network = m_topology.Build(m_failed);
    const auto least = static_cast<uint64_t>(std::ceil(1 / HpccUecTopology::DEGRADED_SHARE));
    HPCC_REFUSE_IF(m_failed > 0 && !m_trims && GetQueueBytes() < least * m_packetBytes,
                   "--q: " + std::to_string(GetQueueBytes() / m_packetBytes) +
                       " packets with --failed=" + std::to_string(m_failed) +
                       " and --trimming=none; a degraded link " +
                       "has a quarter of them, so allowed are at least " + std::to_string(least));
    ReadMarks();
    experiment.RefuseGivenOf(BufferPolicy::GetTypeId(), {}, "--q limits the queues");
    experiment.RefuseGivenOf(Marker::GetTypeId(), {"Enabled"}, "--ecn gives the thresholds");
    for (const auto& policy : experiment.GetPolicies())
    {
        if (ObjectFactory factory;
            HpccPresets::Find(RdmaCongestionOps::GetTypeId(), policy, factory))
        {
            experiment.RefuseGiven({factory.GetTypeId().GetName() + "::Marking"},
                                   "--ecn gives the thresholds");
        }
    }
    experiment.RefuseGiven({"ns3::PacketTrimmer::Threshold",
                            "ns3::PacketTrimmer::ThresholdPerRate",
                            "ns3::CoinDropAgent::LimitPerRate"},
                           "--q limits the queues");
    PreparePolicies(experiment);
    PrepareRecovery(experiment);
}

void
HpccUecRun::CheckNumbers(const HpccExperiment& experiment)
{
    m_packetBytes = experiment.GetMtu();
    m_trims = experiment.GetTrimming() != "none";
    m_drops = !m_trims && experiment.GetFlowControl() == "lossy";
    HPCC_REFUSE_IF(m_packetBytes <= HEADER_BYTES + 64,
                   "--mtu: " + std::to_string(m_packetBytes) +
                       " is below 129 bytes; with --cm it counts the headers");
    HPCC_REFUSE_IF(!(m_linkMbps >= 1 && m_linkMbps <= 1e7),
                   "--linkspeed: " + FormatFixed(m_linkMbps, 3) + " is outside 1 to 10000000 Mb/s");
    for (const auto& [option, value] : {std::pair("sack-threshold", m_sackThreshold),
                                        std::pair("end", m_endUs),
                                        std::pair("q", m_queuePackets),
                                        std::pair("cwnd", m_cwnd)})
    {
        HPCC_REFUSE_IF(experiment.IsGiven(option) && value == 0,
                       "--" + std::string(option) + ": 0 is not allowed; at least 1");
    }
}

void
HpccUecRun::PreparePolicies(HpccExperiment& experiment) const
{
    if (m_cwnd == 0)
    {
        return;
    }
    const std::string attribute = "InitialPackets";
    const auto& names = experiment.GetPolicies();
    const bool taken = std::any_of(names.begin(), names.end(), [&attribute](const auto& name) {
        TypeId::AttributeInformation info;
        return HpccFabricHelper::MakePolicy(name).policy.GetTypeId().LookupAttributeByName(
            attribute,
            &info);
    });
    if (!taken)
    {
        experiment.RefuseGiven({"cwnd"}, "no policy of --cc has an initial window in packets");
    }
    experiment.SetPolicyAttribute(attribute, std::to_string(m_cwnd));
}

void
HpccUecRun::ReadMarks()
{
    const double packets = static_cast<double>(GetBdpPackets());
    m_lowPackets = static_cast<uint64_t>(std::ceil(packets * LOW_SHARE));
    m_highPackets = static_cast<uint64_t>(std::ceil(packets * HIGH_SHARE));
    if (!m_ecn.empty())
    {
        std::istringstream in(m_ecn);
        char comma = 0;
        uint32_t low = 0;
        uint32_t high = 0;
        HPCC_REFUSE_IF((m_ecn.find('-') != std::string::npos || !(in >> low >> comma >> high) ||
                        comma != ',' || in.peek() != EOF),
                       "--ecn: \"" + m_ecn + "\" is not LOW,HIGH, two whole numbers of packets");
        m_lowPackets = low;
        m_highPackets = high;
    }
    const uint64_t queue = GetQueueBytes() / m_packetBytes;
    HPCC_REFUSE_IF(m_lowPackets > m_highPackets || m_highPackets > queue,
                   "--ecn: " + std::to_string(m_lowPackets) + "," + std::to_string(m_highPackets) +
                       " is not LOW <= HIGH <= the queue of " + std::to_string(queue) + " packets");
}

void
HpccUecRun::PrepareRecovery(const HpccExperiment& experiment) const
{
    ObjectFactory factory;
    if (!HpccPresets::Find(RdmaRecovery::GetTypeId(), experiment.GetRecovery(), factory) ||
        factory.GetTypeId() != RdmaSack::GetTypeId())
    {
        experiment.RefuseGiven({"sack-threshold"},
                               "--recovery " + experiment.GetRecovery() + " sends no SACKs");
        return;
    }
    if (experiment.IsGiven("sack-threshold"))
    {
        experiment.RefuseGiven({"ns3::RdmaHost::AckInterval"},
                               "--sack-threshold gives the bytes per SACK");
        const auto& policies = experiment.GetPolicies();
        const auto feedbacks = SplitAt(experiment.GetFeedback(), ',');
        const auto counts = [&feedbacks](const std::string& policy) {
            return std::all_of(feedbacks.begin(), feedbacks.end(), [&policy](const auto& feedback) {
                return CountsPackets(policy, feedback);
            });
        };
        if (std::all_of(policies.begin(), policies.end(), counts))
        {
            experiment.RefuseGiven({"sack-threshold"},
                                   "--feedback " + experiment.GetFeedback() +
                                       " gives the packets per SACK");
        }
    }
    // Round the threshold up to whole packets. This is exact, because all data packets are full
    // except the last packet of a flow, which is always acknowledged.
    const uint64_t packets = (uint64_t{m_sackThreshold} + m_packetBytes - 1) / m_packetBytes;
    const std::string ackBytes = "ns3::RdmaSack::AckBytes";
    experiment.RefuseGiven({ackBytes}, "--sack-threshold sets it");
    Config::SetDefault(ackBytes, UintegerValue(packets * (m_packetBytes - HEADER_BYTES)));
    const std::string rto = "ns3::RdmaSack::Rto";
    if (!experiment.IsGiven(rto))
    {
        const double drainNs = static_cast<double>(GetQueueBytes()) * 8e3 / m_linkMbps;
        Config::SetDefault(
            rto,
            TimeValue(NanoSeconds(std::llround(RTO_FLOOR_NS + RTO_QUEUES * drainNs))));
    }
    const std::string timeoutRtts = "ns3::RdmaSack::TimeoutRtts";
    if (!experiment.IsGiven(timeoutRtts))
    {
        Config::SetDefault(timeoutRtts, UintegerValue(0));
    }
}

std::vector<std::string>
HpccUecRun::GetRemarks() const
{
    std::vector<std::string> remarks;
    for (const uint32_t trigger : m_matrix.FindStarved())
    {
        remarks.push_back(m_matrixPath + ":" +
                          std::to_string(m_matrix.GetTriggers().at(trigger).line) +
                          ": too few flows activate trigger " + std::to_string(trigger) +
                          "; not all of its flows will start");
    }
    const auto& flows = m_matrix.GetFlows();
    const auto late = std::count_if(flows.begin(), flows.end(), [this](const auto& flow) {
        return flow.startUs >= m_endUs;
    });
    if (late > 0)
    {
        remarks.push_back(
            m_matrixPath + ": " + std::to_string(late) + " of " + std::to_string(flows.size()) +
            " flows start at or after the end of the run, --end=" + std::to_string(m_endUs) +
            " us, and will send nothing");
    }
    if (m_matrix.HasPriorities())
    {
        remarks.push_back(m_matrixPath + ": prio changes nothing, as in uet-htsim");
    }
    if (m_topology.HasQueues())
    {
        remarks.push_back(m_topologyPath + ": Queue_Up and Queue_Down change nothing, as in "
                                           "uet-htsim; --q sets the size of all queues");
    }
    return remarks;
}

double
HpccUecRun::GetRttNs() const
{
    return 2 * static_cast<double>(m_topology.GetDiameterNs()) +
           m_topology.GetHops() * (m_packetBytes + HEADER_BYTES) * 8e3 / m_linkMbps;
}

uint64_t
HpccUecRun::GetBdpPackets() const
{
    return static_cast<uint64_t>(
        std::ceil(GetRttNs() * m_linkMbps / 8e3 / static_cast<double>(m_packetBytes)));
}

uint64_t
HpccUecRun::GetQueueBytes() const
{
    const uint64_t packets =
        m_queuePackets > 0 ? m_queuePackets : GetBdpPackets() * (m_trims ? 1 : DROP_BDPS);
    return packets * m_packetBytes;
}

std::pair<uint64_t, uint64_t>
HpccUecRun::GetMarkBytes() const
{
    return {m_lowPackets * m_packetBytes, m_highPackets * m_packetBytes};
}

void
HpccUecRun::Configure(HpccFabricHelper& fabric) const
{
    std::set<uint64_t> whole;
    std::set<uint64_t> degraded;
    for (uint32_t tier = 0; tier < m_topology.GetTiers(); ++tier)
    {
        whole.insert(m_topology.GetTier(tier).downlinkBps);
    }
    for (const auto& link : m_network.GetLinks())
    {
        for (const uint64_t bps : {link.rate.GetBitRate(), link.GetRateBack().GetBitRate()})
        {
            if (whole.count(bps) == 0)
            {
                degraded.insert(bps);
            }
        }
    }
    std::ostringstream marks;
    std::ostringstream queues;
    for (const auto& [rates, share] :
         {std::pair(&whole, 1.0), std::pair(&degraded, HpccUecTopology::DEGRADED_SHARE)})
    {
        for (const uint64_t bps : *rates)
        {
            const char* comma = marks.str().empty() ? "" : ",";
            auto part = [share = share](uint64_t bytes) {
                return static_cast<uint64_t>(static_cast<double>(bytes) * share);
            };
            marks << comma << bps << "bps:" << part(GetMarkBytes().first) << ":"
                  << part(GetMarkBytes().second) << ":1";
            queues << comma << bps << "bps:" << part(GetQueueBytes());
        }
    }
    if (HasTriggers())
    {
        fabric.SetMaxLag(Time(0));
    }
    fabric.SetEcnAttribute("Thresholds", StringValue(marks.str()));
    fabric.SetBufferAttribute("BufferBytes", UintegerValue(MEMORY_BYTES));
    fabric.SetHostAttribute("Mtu", UintegerValue(m_packetBytes - HEADER_BYTES));
    if (m_trims)
    {
        Config::SetDefault("ns3::PacketTrimmer::ThresholdPerRate", StringValue(queues.str()));
    }
    else
    {
        fabric.SetBufferAttribute("QueueBytesPerRate", StringValue(queues.str()));
        Config::SetDefault("ns3::CoinDropAgent::LimitPerRate", StringValue(queues.str()));
    }
}

void
HpccUecRun::AddDrops(HpccExperiment::Scenario& scenario) const
{
    if (m_drops)
    {
        scenario.connected = [before = scenario.connected](HpccFabricHelper& fabric) {
            fabric.AddSwitchAgent("coin-drop");
            if (before)
            {
                before(fabric);
            }
        };
    }
}

void
HpccUecRun::AddTriggers(HpccExperiment::Scenario& scenario) const
{
    // Each run needs new triggers. They are created when the first flow of the run is connected.
    const auto triggers = std::make_shared<std::unique_ptr<HpccUecTriggers>>();
    const auto connected = std::make_shared<size_t>(0);
    scenario.connect = [this, triggers, connected, sourcePort = scenario.sourcePort](
                           HpccFabricHelper& fabric,
                           const HpccFlowPlan& flow,
                           const HpccFabricHelper::PolicySpec& spec) {
        if ((*connected)++ % m_matrix.GetFlows().size() == 0)
        {
            *triggers = std::make_unique<HpccUecTriggers>(m_matrix);
        }
        const uint32_t queuePair =
            fabric.Connect(flow.source, flow.destination, spec, sourcePort(fabric, flow));
        (*triggers)->AddQueuePair(queuePair);
        return queuePair;
    };
    scenario.connectJob = scenario.connect;
    scenario.connected = [triggers](HpccFabricHelper& fabric) { (*triggers)->Follow(fabric); };
}

HpccExperiment::Scenario
HpccUecRun::MakeScenario() const
{
    HpccExperiment::Scenario scenario;
    scenario.startsAfterStop = true;
    scenario.topology = m_network;
    for (const auto& flow : m_matrix.GetFlows())
    {
        const int64_t startNs = flow.trigger > 0 ? HpccFlowPlan::NOT_PLANNED : flow.startUs * 1000;
        scenario.flows.push_back({flow.source, flow.destination, flow.bytes, startNs, 0, 0});
    }
    // Choose random source ports, so that paths differ between runs, as they differ between seeds
    // in uet-htsim.
    auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(PORT_STREAM);
    std::vector<uint16_t> ports;
    for (size_t i = 0; i < scenario.flows.size(); ++i)
    {
        ports.push_back(static_cast<uint16_t>(random->GetInteger(FIRST_PORT, UINT16_MAX)));
    }
    scenario.sourcePort = [ports, next = std::make_shared<size_t>(0)](const HpccFabricHelper&,
                                                                      const HpccFlowPlan&) {
        return ports[(*next)++ % ports.size()]; // each run connects the flows in the order of the
                                                // matrix
    };
    if (HasTriggers())
    {
        AddTriggers(scenario);
    }
    AddDrops(scenario);
    scenario.baseRttNs = std::llround(GetRttNs());
    scenario.stop = MicroSeconds(m_endUs);
    scenario.counts = {"rtx", "acks", "nacks"};
    scenario.count = [](HpccFabricHelper& fabric) {
        std::vector<uint64_t> counts(3, 0);
        for (const uint32_t host : fabric.GetTopology().GetHosts())
        {
            if (fabric.IsHere(host))
            {
                const auto& own = *fabric.GetHost(host);
                for (uint32_t i = 0; i < own.GetQueuePairs(); ++i)
                {
                    counts[0] += own.GetQueuePair(i).retransmissions;
                }
                counts[1] += own.GetSacksSent();
                counts[2] += own.GetTrimNacksSent();
            }
        }
        fabric.AddUp(counts);
        return counts;
    };
    return scenario;
}

} // namespace ns3
