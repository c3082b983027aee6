/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// How well do flows use several paths, some of which are slow? Two leaf switches are joined by
// --spines paths. --slow is the number of paths whose links have the rate --slow-rate. --traffic
// selects the flows:
//   permutation  each host sends to the host at the same position of the other leaf
//   elephants    like permutation, except that four hosts of the first leaf send endless flows,
//                each on one path. The tables do not contain the endless flows
//   incast       all hosts of the first leaf send to the first host of the second
//   neighbours   three hosts of the first leaf send to the first host of the second with the policy
//                of --cc, on the paths that --entropy selects. In addition, three hosts per policy
//                of --beside send to the same host, each on one path
//
// --apart names policies of --beside. Their flows form a separate traffic class, which has priority
// 4 and DSCP 34. All other flows have priority 3. Every port divides its rate between the two
// classes in proportion to --weights, by deficit weighted round robin. By default, the telemetry of
// HPCC++ then describes a class instead of the whole port; see --class-telemetry and section 9.3 of
// draft-miao-tsv-hpcc-01.
//
// paths.csv has a row per flow:
//   cc                 policy of the run; POLICY/FORMAT if --telemetry names several formats
//   flow               number of the flow, as in fct.csv
//   beside             policy of the flow if it is one of --beside; empty if it is that of --cc
//   throughput_gbps    rate of the flow's data on the link to the receiver, with all overhead on
//                      the wire, Gb/s. The measurement starts at --from and ends when the last byte
//                      of the first completed flow has arrived, or at the end of the run if that is
//                      earlier. Only the part of a frame that is sent during the measurement is
//                      counted. nan, with a warning, if the measurement would end before --from
//
// summary.csv has the additional column trims, the number of packets that switches have trimmed.

#include "hpcc-send-times.h"

#include "ns3/enum.h"
#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-csv-file.h"
#include "ns3/hpcc-dscp-priority-map.h"
#include "ns3/hpcc-egress-scheduler.h"
#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-node-agenda.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-split-at.h"
#include "ns3/hpcc-telemetry-agent.h"
#include "ns3/object-factory.h"
#include "ns3/pointer.h"
#include "ns3/qbb-net-device.h"
#include "ns3/qbb-switch.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/rdma-entropy.h"
#include "ns3/rdma-host.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t ELEPHANTS = 4;  ///< number of endless flows
constexpr uint32_t NEIGHBOURS = 3; ///< number of flows per policy with --traffic=neighbours
constexpr uint8_t OWN = 3;         ///< priority of the flows of --cc
constexpr uint8_t APART = 4;       ///< priority of the flows of --apart
constexpr int8_t APART_DSCP = 34;  ///< DSCP of the flows of --apart

/// Telemetry format and attributes with which HPCC++ measures a traffic class instead of a port.
constexpr const char* SOJOURN_TELEMETRY = "int-md:latency";
const std::map<std::string, std::string> SOJOURN{{"QueueSignal", "Sojourn"}};

/// Bandwidth that telemetry reports, by the value of --class-telemetry.
const std::map<std::string, TelemetryAgent::Bandwidth> BANDWIDTHS{
    {"plain", TelemetryAgent::LINE_RATE},
    {"share", TelemetryAgent::SHARE},
    {"residual", TelemetryAgent::RESIDUAL}};

/// The network and its flows.
struct Study
{
    std::string traffic = "permutation";
    std::string beside = "hpcc++";
    std::string apart;
    std::string weights = "3:1,4:1";
    std::string classTelemetry = "residual";
    uint32_t spines = 16;
    uint32_t slow = 0;
    uint32_t hosts = 16; ///< number of hosts per leaf
    uint64_t bytes = 4000000;
    DataRate rate{"100Gbps"};
    DataRate slowRate{"50Gbps"};
    Time delay = MicroSeconds(1);
    Time from = MicroSeconds(200);

    std::vector<HpccFlowPlan> flows;
    std::vector<std::string> policies; ///< policies of --beside
    std::vector<std::string> policyOf; ///< by flow: the flow's policy of --beside; empty if the
                                       ///< flow uses the policy of --cc

    /// Adds the options to --help and to the command line.
    /// @param experiment the experiment before Parse()
    void AddTo(HpccExperiment& experiment);

    /// Checks the options, and sets the members flows, policies and policyOf.
    /// @param experiment the experiment after Parse(); receives the attributes for --apart
    void Plan(HpccExperiment& experiment);

    /// Sets the attributes for --apart.
    /// @param fabric the network before Install()
    void Configure(HpccFabricHelper& fabric) const;

    /// Returns the network.
    HpccTopology MakeTopology() const;

    /**
     * Connects a flow.
     * @param fabric the network
     * @param experiment the experiment after Parse()
     * @param flow the flow
     * @param spec policy of the run
     * @return index of the flow's queue pair
     */
    uint32_t Connect(HpccFabricHelper& fabric,
                     const HpccExperiment& experiment,
                     const HpccFlowPlan& flow,
                     const HpccFabricHelper::PolicySpec& spec) const;

    /// Connects and starts the endless flows of --traffic=elephants.
    /// @param fabric the network
    /// @param spec policy of the run
    void StartElephants(HpccFabricHelper& fabric, const HpccFabricHelper::PolicySpec& spec) const;

  private:
    /// Gives a host a single entropy value, so that all of its packets take one path. Throws
    /// HpccInputError if the path selector would use several paths nevertheless.
    /// @param fabric the network
    /// @param source the host
    void TakeOnePath(const HpccFabricHelper& fabric, uint32_t source) const;

    /**
     * Checks the options of --apart.
     * @param experiment see Plan()
     */
    void PlanClasses(HpccExperiment& experiment) const;

    /// Returns true if telemetry describes a traffic class instead of a port.
    bool MeasuresClasses() const
    {
        return !apart.empty() && classTelemetry != "plain";
    }
};

void
Study::PlanClasses(HpccExperiment& experiment) const
{
    if (apart.empty())
    {
        experiment.RefuseGiven({"weights", "class-telemetry"}, "--apart names no policy");
        return;
    }
    experiment.RefuseGiven({"ns3::QbbNetDevice::Weights",
                            "ns3::QbbNetDevice::DscpToPriority",
                            "ns3::QbbNetDevice::LosslessPriorities",
                            "ns3::TelemetryAgent::Bandwidth"},
                           "--apart sets it, see --weights and --class-telemetry");
    for (const auto& name : SplitAt(apart, ','))
    {
        HPCC_REFUSE_IF(std::find(policies.begin(), policies.end(), name) == policies.end(),
                       "--apart: " + name + " is not in --beside " + beside);
    }
    EgressScheduler::Classes classes;
    std::string why;
    const bool sensible = classes.SetWeights(weights, why);
    HPCC_REFUSE_IF(!sensible, "--weights: " + why);
    HPCC_REFUSE_IF(!(classes.weights[OWN] > 0 && classes.weights[APART] > 0),
                   "--weights: \"" + weights + "\" lacks priority " + std::to_string(OWN) + " or " +
                       std::to_string(APART) + ", the two classes");
    HPCC_REFUSE_IF(BANDWIDTHS.count(classTelemetry) == 0,
                   DescribeUnknown("--class-telemetry: unknown",
                                   classTelemetry,
                                   {"residual", "share", "plain"}));
    HPCC_REFUSE_IF(experiment.GetTrimming() != "none",
                   "--apart with --trimming " + experiment.GetTrimming() + ": it trims priority " +
                       std::to_string(OWN) + " only; allowed is none");
    if (MeasuresClasses())
    {
        if (experiment.GetTelemetry().empty())
        {
            experiment.SetPolicies(experiment.GetPolicies(), SOJOURN_TELEMETRY);
        }
        experiment.SetVariants({{"", SOJOURN}});
    }
}

void
Study::Configure(HpccFabricHelper& fabric) const
{
    if (apart.empty())
    {
        return;
    }
    fabric.SetTelemetryAgentAttribute("Bandwidth", EnumValue(BANDWIDTHS.at(classTelemetry)));
    fabric.SetDeviceAttribute("DscpToPriority",
                              StringValue(std::string(DscpPriorityMap::DEFAULT) + "," +
                                          std::to_string(APART_DSCP) + ":" +
                                          std::to_string(APART)));
    fabric.SetDeviceAttribute("Weights", StringValue(weights));
    fabric.SetDeviceAttribute("LosslessPriorities", UintegerValue(1U << OWN | 1U << APART));
}

void
Study::AddTo(HpccExperiment& experiment)
{
    experiment.AddOption("traffic",
                         "traffic pattern: permutation, elephants, incast, or neighbours",
                         traffic);
    experiment.AddOption("beside",
                         "with --traffic=neighbours: policies of additional flows that use "
                         "one path each, separated by commas",
                         beside);
    experiment.AddOption("apart",
                         "policies of --beside whose flows form a separate traffic class, "
                         "priority 4, separated by commas; all other flows have priority 3",
                         apart);
    experiment.AddOption("weights",
                         "with --apart: weights, 1 to 100, of the two classes, as 3:W,4:W",
                         weights);
    experiment.AddOption("class-telemetry",
                         "with --apart: scope of the telemetry: residual, the class and the "
                         "bandwidth left by the other class; share, the class and its share "
                         "by --weights; plain, the whole port",
                         classTelemetry);
    experiment.AddOption("spines", "spines, one per path, 1 to 64", spines);
    experiment.AddOption("slow", "number of slow paths, 0 to --spines", slow);
    experiment.AddOption("slow-rate", "rate of the links of slow paths", slowRate);
    experiment.AddOption("hosts", "hosts on each of the two leaves, 1 to 1000", hosts);
    experiment.AddOption("bytes", "payload of each flow, bytes, at least 1", bytes);
    experiment.AddOption("rate", "rate of all other links", rate);
    experiment.AddOption("delay", "propagation delay of every link", delay);
    experiment.AddOption("from", "start of the throughput measurement", from);
}

void
Study::Plan(HpccExperiment& experiment)
{
    RequireRange("--spines", spines, 1, 64);
    HPCC_REFUSE_IF(slow > spines,
                   "--slow: " + std::to_string(slow) + " is above " + std::to_string(spines) +
                       ", the number of spines");
    RequireRange("--hosts", hosts, 1, 1000);
    RequireAtLeast("--bytes", bytes, 1);
    if (slow == 0)
    {
        experiment.RefuseGiven({"slow-rate"}, "--slow is 0");
    }
    if (traffic != "neighbours")
    {
        experiment.RefuseGiven({"beside", "apart"}, "--traffic is " + traffic);
    }
    const auto add = [this](uint32_t source, uint32_t destination, const std::string& policy) {
        flows.push_back({source, destination, bytes, 0, 0, 0});
        policyOf.push_back(policy);
    };
    if (traffic == "permutation" || traffic == "elephants")
    {
        const uint32_t first = traffic == "elephants" ? ELEPHANTS : 0;
        HPCC_REFUSE_IF(hosts <= first,
                       "--hosts: " + std::to_string(hosts) + " with --traffic " + traffic +
                           ": at least " + std::to_string(first + 1));
        for (uint32_t i = first; i < hosts + hosts; ++i)
        {
            add(i, (i + hosts) % (2 * hosts), "");
        }
    }
    else if (traffic == "incast")
    {
        for (uint32_t i = 0; i < hosts; ++i)
        {
            add(i, hosts, "");
        }
    }
    else if (traffic == "neighbours")
    {
        policies = SplitAt(beside, ',');
        HPCC_REFUSE_IF(std::find(policies.begin(), policies.end(), "") != policies.end(),
                       "--beside: \"" + beside + "\" has an empty item; policies are needed");
        for (const std::string& policy : policies)
        {
            const TypeId family = RdmaCongestionOps::GetTypeId();
            ObjectFactory factory;
            HPCC_REFUSE_IF(!HpccPresets::Find(family, policy, factory),
                           DescribeUnknownPreset("--beside: unknown policy", policy, family));
        }
        const auto needed = static_cast<uint32_t>(NEIGHBOURS * (1 + policies.size()));
        HPCC_REFUSE_IF(hosts < needed,
                       "--hosts: " + std::to_string(hosts) + " with --beside " + beside +
                           ": at least " + std::to_string(needed));
        for (uint32_t i = 0; i < needed; ++i)
        {
            add(i, hosts, i < NEIGHBOURS ? "" : policies[i / NEIGHBOURS - 1]);
        }
    }
    else
    {
        throw HpccInputError("--traffic: unknown \"" + traffic +
                             "\"; choices: permutation, elephants, incast, neighbours");
    }
    PlanClasses(experiment);
}

HpccTopology
Study::MakeTopology() const
{
    const auto whole = HpccTopology::LeafSpine(2, spines, hosts, {rate, rate, delay});
    const uint32_t firstSpine = 2 * hosts + 2;
    HpccTopology topology;
    for (uint32_t node = 0; node < whole.GetNodes(); ++node)
    {
        topology.AddNode(whole.IsSwitch(node));
    }
    for (auto link : whole.GetLinks())
    {
        if (link.b >= firstSpine && link.b < firstSpine + slow)
        {
            link.rate = slowRate;
        }
        topology.AddLink(link);
    }
    return topology;
}

void
Study::TakeOnePath(const HpccFabricHelper& fabric, uint32_t source) const
{
    const uint32_t leaf = 2 * hosts;
    const auto selector = fabric.GetSwitch(leaf)->GetPathSelector();
    HPCC_REFUSE_IF(selector && selector->GetMultipath() != Multipath::NONE,
                   "--paths: " + selector->GetInstanceTypeId().GetName() + " with --traffic " +
                       traffic +
                       ": some flows have one path each; allowed are ecmp, plb and migrate");
    const auto host = fabric.GetHost(source);
    PointerValue sprayed;
    host->GetAttribute("Entropy", sprayed);
    ObjectFactory oblivious;
    if (sprayed.GetObject() && HpccPresets::Find(RdmaEntropy::GetTypeId(), "oblivious", oblivious))
    {
        oblivious.Set("Evs", UintegerValue(1));
        host->SetAttribute("Entropy", PointerValue(oblivious.Create<RdmaEntropy>()));
    }
}

uint32_t
Study::Connect(HpccFabricHelper& fabric,
               const HpccExperiment& experiment,
               const HpccFlowPlan& flow,
               const HpccFabricHelper::PolicySpec& spec) const
{
    const std::string& other = policyOf[flow.source - flows.front().source];
    if (other.empty())
    {
        return fabric.Connect(flow.source, flow.destination, spec);
    }
    TakeOnePath(fabric, flow.source);
    auto own = experiment.RdmaSpecOf(other);
    TypeId::AttributeInformation info;
    if (MeasuresClasses() && own.policy.GetTypeId().LookupAttributeByName("QueueSignal", &info))
    {
        own = experiment.RdmaSpecOf(other,
                                    spec.format ? spec.telemetryName : SOJOURN_TELEMETRY,
                                    SOJOURN);
    }
    const auto names = SplitAt(apart, ',');
    const bool isApart = std::find(names.begin(), names.end(), other) != names.end();
    own.dscp = isApart ? APART_DSCP : own.dscp;
    return fabric.Connect(flow.source, flow.destination, own);
}

void
Study::StartElephants(HpccFabricHelper& fabric, const HpccFabricHelper::PolicySpec& spec) const
{
    constexpr uint64_t endless = uint64_t{1} << 40;
    for (uint32_t i = 0; traffic == "elephants" && i < ELEPHANTS; ++i)
    {
        TakeOnePath(fabric, i);
        fabric.AddMessage(i, fabric.Connect(i, hosts + i, spec), endless, Time(0));
    }
}

/// Counts the bytes of each flow on the link to its receiver. The count ends when the first flow
/// completes.
class Arrivals
{
  public:
    /**
     * Creates a counter for each flow.
     * @param fabric the network
     * @param flows the flows, one per source host
     * @param from start of the measurement
     */
    Arrivals(const HpccFabricHelper& fabric, const std::vector<HpccFlowPlan>& flows, Time from)
        : m_fromNs(from.GetNanoSeconds())
    {
        for (const auto& flow : flows)
        {
            m_counts[HpccFabricHelper::GetAddress(flow.source)];
        }
        for (uint32_t i = 0; i < fabric.GetNodes().GetN(); ++i)
        {
            m_lagNs = std::max(m_lagNs, NodeAgenda::Of(fabric.GetNodes().Get(i))->GetLagNs());
        }
    }

    /// Starts to count the data that a port transmits.
    /// @param port port to a receiver
    /// @param receiver the receiver
    void Follow(const Ptr<QbbNetDevice>& port, const Ptr<RdmaHost>& receiver)
    {
        m_ports.push_back({this, PeekPointer(port), {}});
        port->TraceConnectWithoutContext("Transmit", MakeBoundCallback(&Note, &m_ports.back()));
        // Observe the receiver, because the payload on the link does not show whether a flow is
        // complete: some payload may be duplicate, and the receiver may discard some.
        receiver->TraceConnectWithoutContext("LastByteArrived",
                                             MakeCallback(&Arrivals::Arrived, this));
    }

    /**
     * Returns the throughput of a flow, bit/s; not a number if the measurement would end before it
     * starts.
     * @param flow the flow
     * @param nowNs end of the run, ns
     */
    double GetBps(const HpccFlowPlan& flow, int64_t nowNs) const
    {
        const int64_t endNs = std::min(m_endNs, nowNs);
        const Count& count = m_counts.at(HpccFabricHelper::GetAddress(flow.source));
        double bytes = count.bytes;
        for (const Sent& sent : count.recent)
        {
            bytes += sent.times.GetShare(m_fromNs, endNs) * sent.linkBytes;
        }
        return endNs <= m_fromNs ? std::numeric_limits<double>::quiet_NaN()
                                 : bytes * 8e9 / static_cast<double>(endNs - m_fromNs);
    }

  private:
    /// A port to a receiver.
    struct Port
    {
        Arrivals* all;        ///< object that contains the port
        QbbNetDevice* device; ///< the port
        HpccSendTimes times;  ///< times at which the port sends
    };

    /// A frame on a link.
    struct Sent
    {
        HpccSendTimes::Transmission times; ///< start and duration of the transmission
        uint32_t linkBytes;                ///< bytes that the frame occupies on the link
    };

    /// The bytes of a flow on the link to its receiver.
    struct Count
    {
        double bytes{0};         ///< bytes of older frames, which are final: all completions up to
                                 ///< the end of their transmission are known
        std::deque<Sent> recent; ///< newer frames, whose bytes are not final: an earlier completion
                                 ///< may still become known
    };

    static void Note(Port* port, int64_t nowNs, const Frame& frame)
    {
        Arrivals& all = *port->all;
        const uint32_t linkBytes = port->device->GetLinkBytes(frame.bytes);
        const auto times = port->times.Next(*port->device, nowNs, linkBytes);
        const auto found = all.m_counts.find(frame.source);
        if (frame.payloadBytes == 0 || found == all.m_counts.end() || nowNs >= all.m_endNs)
        {
            return;
        }
        Count& count = found->second;
        count.recent.push_back({times, linkBytes});
        // A node may process an event after the event's time, but no later than its lag allows.
        // Therefore completions are known for certain only up to knownNs.
        const auto knownNs = static_cast<double>(nowNs - all.m_lagNs);
        for (; count.recent.front().times.startNs + count.recent.front().times.ns <= knownNs;
             count.recent.pop_front())
        {
            const Sent& sent = count.recent.front();
            count.bytes += sent.times.GetShare(all.m_fromNs, all.m_endNs) * sent.linkBytes;
        }
    }

    void Arrived(const RdmaMessageRecord& record)
    {
        if (m_counts.count(record.source) > 0)
        {
            m_endNs = std::min(m_endNs, record.completedNs);
        }
    }

    int64_t m_fromNs;                   ///< start of the measurement, ns
    int64_t m_endNs{INT64_MAX};         ///< first completion so far, ns
    int64_t m_lagNs{0};                 ///< largest lag of a node, ns
    std::deque<Port> m_ports;           ///< ports to receivers
    std::map<uint32_t, Count> m_counts; ///< bytes of each flow, by source address
};

} // namespace

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        Study study;
        HpccExperiment experiment("hpcc-paths",
                                  "Flows over several paths, some of which are slow",
                                  "hpcc++:graded");
        study.AddTo(experiment);
        experiment.AddTable("paths.csv", 3);
        experiment.Parse(
            argc,
            argv,
            {"--recovery=sack", "--flow-control=lossy", "--trimming=coin", "--entropy=graded"});
        study.Plan(experiment);

        HpccCsvFile table(experiment.PathOf("paths.csv"), "cc,flow,beside,throughput_gbps");
        std::unique_ptr<Arrivals> arrivals;
        HpccExperiment::Scenario scenario;
        scenario.topology = study.MakeTopology();
        scenario.flows = study.flows;
        scenario.beside = study.policies;
        scenario.tables = {&table};
        scenario.connect = [&](HpccFabricHelper& fabric,
                               const HpccFlowPlan& flow,
                               const HpccFabricHelper::PolicySpec& spec) {
            return study.Connect(fabric, experiment, flow, spec);
        };
        scenario.connectAll = [&](HpccFabricHelper& fabric,
                                  const HpccFabricHelper::PolicySpec& spec) {
            study.StartElephants(fabric, spec);
        };
        scenario.connected = [&](HpccFabricHelper& fabric) {
            arrivals = std::make_unique<Arrivals>(fabric, study.flows, study.from);
            for (uint32_t host = 0; host < 2 * study.hosts; ++host)
            {
                const uint32_t leaf = 2 * study.hosts + host / study.hosts;
                arrivals->Follow(fabric.GetDeviceTo(leaf, host), fabric.GetHost(host));
            }
        };
        scenario.counts = {"trims"};
        scenario.count = [](HpccFabricHelper& fabric) {
            uint64_t trims = 0;
            for (uint32_t node = 0; node < fabric.GetTopology().GetNodes(); ++node)
            {
                trims +=
                    fabric.GetTopology().IsSwitch(node) ? fabric.GetSwitch(node)->GetTrims() : 0;
            }
            return std::vector<uint64_t>{trims};
        };
        scenario.finished =
            [&](HpccFabricHelper&, const std::vector<HpccFlowPlan>& flows, const HpccMonitor&) {
                const int64_t nowNs = Simulator::Now().GetNanoSeconds();
                for (size_t i = 0; i < flows.size(); ++i)
                {
                    table << experiment.GetLabel() << "," << i << "," << study.policyOf[i] << ","
                          << FormatGbps(arrivals->GetBps(flows[i], nowNs)) << "\n";
                }
                if (!flows.empty() && std::isnan(arrivals->GetBps(flows.front(), nowNs)))
                {
                    std::cerr << "hpcc-paths: warning: --from=" << study.from.GetMicroSeconds()
                              << " us: the first flow completed, or the run ended, before; "
                                 "paths.csv has no throughput"
                              << std::endl;
                }
            };
        experiment.Run(scenario, [&](HpccFabricHelper& fabric) { study.Configure(fabric); });
        table.Commit();
    });
}
