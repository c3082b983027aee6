/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Compares HPCC++ with DCTCP, CUBIC and BBR in ns-3's TCP. HPCC++ controls TCP, UDP or iWARP, which
// is RDMA over TCP (draft-miao-tsv-hpcc-01, sections 7 and 7.2). Applications create an incast,
// short flows that join a long flow, or flows that start one after the other.

#include "hpcc-ip-flows.h"

#include "ns3/boolean.h"
#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-ranks.h"
#include "ns3/hpcc-tcp-nic.h"
#include "ns3/hpcc-udp-nic.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

const std::string RDMA_HPCC = "hpcc++"; ///< policy of --rdma

/// Defaults of a value of --scenario.
struct Kind
{
    uint32_t senders; ///< default of --senders
    uint64_t bytes;   ///< default of --bytes
};

const std::map<std::string, Kind> KINDS{{"incast", {16, 2000000}},
                                        {"long-short", {2, 20000000}},
                                        {"fairness", {4, 40000000}}};

/// Map from DSCPs to priorities with --rdma. Data, probes and answers of all transports have the
/// same priority, so that they share queues.
const std::string ONE_PRIORITY = "0:3,21:3,22:3,23:3,24:3,26:3,48:6";

/// Counters of the NICs, each summed over all hosts.
struct NicCounts
{
    uint64_t probes{0};    ///< probes sent
    uint64_t timeouts{0};  ///< probes that timed out
    uint64_t answers{0};   ///< answers received
    uint64_t bytes{0};     ///< bytes of all probes and answers
    uint64_t fallbacks{0}; ///< number of TCP connections that have fallen back to another
                           ///< congestion control

    /// Adds the counters of one NIC.
    /// @param counters counters of the NIC
    template <typename Counters>
    void Add(const Counters& counters)
    {
        probes += counters.probesSent;
        timeouts += counters.probeTimeouts;
        answers += counters.answersReceived;
        bytes += counters.bytes;
    }
};

/**
 * Refuses --expected-flows, which sets N of the control law, if no policy of the run uses N, or if
 * the command line also sets N of a policy by its full name.
 * @param experiment the experiment after Parse()
 * @param rdma --rdma
 */
void
CheckExpectedFlows(const HpccExperiment& experiment, uint32_t rdma)
{
    std::vector<std::string> classes;
    for (const auto& policy : experiment.GetPolicies())
    {
        classes.push_back(HPCC_IP_POLICIES.at(policy).className);
    }
    if (rdma > 0)
    {
        classes.push_back(HpccFabricHelper::MakePolicy(RDMA_HPCC).policy.GetTypeId().GetName());
    }
    bool used = false;
    for (const auto& name : classes)
    {
        TypeId::AttributeInformation info;
        if (!TypeId::LookupByName(name).LookupAttributeByName("N", &info))
        {
            continue;
        }
        used = true;
        const std::string attribute = name + "::N";
        if (experiment.IsGiven(attribute))
        {
            experiment.RefuseGiven({"expected-flows"},
                                   "--" + attribute + " sets it; allowed is one of them");
        }
    }
    if (!used)
    {
        experiment.RefuseGiven({"expected-flows"}, "no policy of this run has N");
    }
}

/**
 * Refuses settings that no flow of the run uses: settings of probes if all feedback modes use TCP
 * options, settings of ns-3's pacing if all TCP flows run HPCC++, and settings of TSO and GRO if no
 * flow uses TCP.
 * @param experiment the experiment after Parse()
 * @param rdma --rdma
 */
void
CheckUnused(const HpccExperiment& experiment, uint32_t rdma)
{
    std::istringstream feedbacks(experiment.GetFeedback());
    bool probes = false;
    for (std::string feedback; std::getline(feedbacks, feedback, ',');)
    {
        probes = probes || feedback.rfind("compact", 0) != 0;
    }
    if (!probes)
    {
        const std::string why = "--feedback " + experiment.GetFeedback() + " has no probes";
        experiment.RefuseGiven({"ns3::HpccTcpNic::PauseAfter",
                                "ns3::HpccTcpNic::ProbeDscp",
                                "ns3::HpccTcpNic::ResponseDscp"},
                               why);
        if (rdma == 0)
        {
            experiment.RefuseGiven(
                {"ns3::TelemetryAgent::Insertion", "ns3::TelemetryAgent::IntervalScope"},
                why + ", and every switch updates the option of TCP");
        }
    }
    const auto& policies = experiment.GetPolicies();
    if (std::all_of(policies.begin(), policies.end(), [](const std::string& policy) {
            return policy == HPCC || policy == IWARP_HPCC;
        }))
    {
        experiment.RefuseGiven({"ns3::TcpSocketState::EnablePacing"},
                               HPCC_IP_POLICIES.at(HPCC).className + " always paces");
    }
    if (std::all_of(policies.begin(), policies.end(), [](const std::string& policy) {
            return policy == UDP_HPCC;
        }))
    {
        experiment.RefuseGiven({"ns3::QbbNetDevice::Gro", "ns3::QbbNetDevice::Tso"},
                               "no flow of this run uses TCP");
    }
}

/// Returns the counters of the NICs, each summed over all hosts.
/// @param fabric the network
NicCounts
CountersOf(const HpccFabricHelper& fabric)
{
    NicCounts sum;
    for (uint32_t host : fabric.GetTopology().GetHosts())
    {
        Ptr<Node> node = fabric.GetNodes().Get(host);
        if (auto nic = node->GetObject<HpccTcpNic>())
        {
            sum.Add(nic->GetCounters());
            sum.fallbacks += nic->GetFallbacks();
        }
        if (auto nic = node->GetObject<HpccUdpNic>())
        {
            sum.Add(nic->GetCounters());
        }
    }
    std::vector<uint64_t> counts{sum.probes, sum.timeouts, sum.answers, sum.bytes, sum.fallbacks};
    fabric.AddUp(counts);
    return {counts[0], counts[1], counts[2], counts[3], counts[4]};
}

/// Options of the program.
struct Options
{
    std::string kind = "incast";
    uint32_t senders = 0;
    uint64_t bytes = 0;
    Time gap = MicroSeconds(200);
    DataRate rate{"100Gbps"};
    Time delay = MicroSeconds(1);
    bool ipv6 = false;
    uint32_t expectedFlows = 0;
    uint32_t rdma = 0;

    static constexpr int64_t FIRST_NS = 10000; ///< start of the first flow, ns

    /// Adds the options to --help and to the command line.
    void AddTo(HpccExperiment& experiment)
    {
        experiment.AddOption("scenario",
                             "incast: all senders start at once; long-short: all but the first "
                             "start --gap later, with a tenth of the payload; fairness: each "
                             "starts --gap after the previous one",
                             kind);
        experiment.AddOption("senders",
                             "hosts that send to one receiver, 2 to 1000; 0: 16 for incast, 2 for "
                             "long-short, 4 for fairness",
                             senders);
        experiment.AddOption("bytes",
                             "payload of a flow, bytes, at least 120; 0: 2 MB for incast, 20 MB "
                             "for long-short, 40 MB for fairness",
                             bytes);
        experiment.AddOption("gap", "time between starts, for long-short and fairness", gap);
        experiment.AddOption("rate", "rate of every link", rate);
        experiment.AddOption("delay", "propagation delay of every link", delay);
        experiment.AddOption("ipv6",
                             "use IPv6 instead of IPv4, also for RDMA and ideal times",
                             ipv6);
        experiment.AddOption("expected-flows",
                             "N, the number of flows on a link for which W_ai is set; 0: the "
                             "number of senders",
                             expectedFlows);
        experiment.AddOption("rdma",
                             "number of senders, counted from the last one, that use RDMA with "
                             "HPCC++ instead of --cc, in the same priority; --telemetry and "
                             "--feedback do not apply to them",
                             rdma);
    }

    /// Checks the options. Sets options with the value 0 to the defaults of the scenario.
    void Complete(const HpccExperiment& experiment)
    {
        const auto known = KINDS.find(kind);
        HPCC_REFUSE_IF(
            known == KINDS.end(),
            DescribeUnknown("--scenario: unknown", kind, {"fairness", "incast", "long-short"}));
        if (kind == "incast")
        {
            experiment.RefuseGiven({"gap"}, "in an incast all flows start at once");
        }
        senders = senders ? senders : known->second.senders;
        bytes = bytes ? bytes : known->second.bytes;
        RequireRange("--senders", senders, 2, 1000);
        HPCC_REFUSE_IF(bytes < 120, "--bytes: " + std::to_string(bytes) + "; at least 120");
        const auto& policies = experiment.GetPolicies();
        if (experiment.GetRanks() &&
            std::find(policies.begin(), policies.end(), UDP_HPCC) != policies.end())
        {
            // To detect the end of a flow that has lost datagrams, the program must observe both
            // the sender and the receiver.
            throw HpccInputError("--mpi: " + UDP_HPCC + " runs in one process only");
        }
        HPCC_REFUSE_IF(rdma >= senders,
                       "--rdma: " + std::to_string(rdma) +
                           " leaves no sender for --cc; allowed is less than --senders, " +
                           std::to_string(senders));
        HPCC_REFUSE_IF(rdma > 0 && experiment.GetRanks(), "--mpi: --rdma runs in one process only");
        CheckExpectedFlows(experiment, rdma);
        CheckUnused(experiment, rdma);
        expectedFlows = expectedFlows ? expectedFlows : senders;
    }

    /// Returns the network and the flows.
    HpccExperiment::Scenario MakeScenario() const
    {
        HpccExperiment::Scenario scenario;
        scenario.topology = HpccTopology::Star(senders + 1, {rate, rate, delay, {}, {}});
        for (uint32_t i = 0; i < senders; ++i)
        {
            const int64_t steps = kind == "incast" ? 0 : kind == "fairness" ? i : std::min(i, 1U);
            const uint64_t payload = kind == "long-short" && i > 0 ? bytes / 10 : bytes;
            scenario.flows.push_back(
                {i, senders, payload, FIRST_NS + steps * gap.GetNanoSeconds(), 0, 0});
        }
        scenario.perFlowSeries = kind != "incast";
        return scenario;
    }
};

} // namespace

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        Options options;
        HpccExperiment experiment("hpcc-tcp",
                                  "HPCC++ for ns-3's TCP and UDP, and for iWARP",
                                  "tcp-hpcc++,tcp-dctcp,tcp-cubic,tcp-bbr");
        experiment.SetOtherPolicies(HPCC_IP_POLICIES, "probe");
        options.AddTo(experiment);
        experiment.AddTable("tcp.csv", 1);
        experiment.AddTable("qdisc.csv", 2);
        experiment.Parse(argc, argv);
        options.Complete(experiment);
        experiment.SetPolicyAttribute("N", std::to_string(options.expectedFlows));
        HpccExperiment::Scenario scenario = options.MakeScenario();
        HpccCsvFile tcp(experiment.PathOf("tcp.csv"),
                        "cc,w_init_bytes,first_rtt_bytes,goodput_gbps,probes,probe_timeouts,"
                        "answers,probe_bytes,lost_bytes,fallbacks");
        HpccCsvFile queues(experiment.PathOf("qdisc.csv"), "cc,host,peak_bytes,mean_bytes,drops");
        std::unique_ptr<HpccIpFlows> flows;
        const HpccIpWishes wishes{options.ipv6,
                                  options.rdma,
                                  options.rdma > 0 ? experiment.RdmaSpecOf(RDMA_HPCC)
                                                   : HpccFabricHelper::PolicySpec()};
        if (options.rdma > 0)
        {
            scenario.beside = {RDMA_HPCC};
        }
        scenario.drive = [&](HpccFabricHelper& fabric,
                             const HpccExperiment::Transport& transport,
                             HpccMonitor& monitor) {
            flows = std::make_unique<HpccIpFlows>(fabric, transport, monitor, wishes);
        };
        scenario.addsUp = true;
        scenario.tables = {&tcp, &queues};
        scenario.finished = [&](HpccFabricHelper& fabric,
                                const std::vector<HpccFlowPlan>&,
                                const HpccMonitor& monitor) {
            flows->Merge(fabric);
            const double window = static_cast<double>(options.rate.GetBitRate()) / 8e9 *
                                  static_cast<double>(fabric.GetNetworkBaseRttNs());
            const auto counters = CountersOf(fabric);
            tcp << experiment.GetLabel() << "," << FormatFixed(window, 0) << ","
                << FormatFixed((options.senders - 1) * window, 0) << ","
                << FormatGbps(monitor.GetGoodputGbps() * 1e9) << "," << counters.probes << ","
                << counters.timeouts << "," << counters.answers << "," << counters.bytes << ","
                << flows->GetLostBytes() << "," << counters.fallbacks << "\n";
            const auto endNs =
                static_cast<double>(Simulator::Now().GetNanoSeconds() - Options::FIRST_NS);
            for (const auto& queue : flows->GetQueues())
            {
                queues << experiment.GetLabel() << "," << queue.host << "," << queue.peakBytes
                       << "," << FormatFixed(queue.byteNs / endNs, 1) << "," << queue.drops << "\n";
            }
        };
        if (options.ipv6)
        {
            experiment.RefuseGiven({"ns3::RdmaHost::Ipv6"}, "--ipv6 sets it");
        }
        experiment.Run(scenario, [&options](HpccFabricHelper& fabric) {
            if (options.ipv6)
            {
                fabric.SetHostAttribute("Ipv6", BooleanValue(true));
            }
            if (options.rdma > 0)
            {
                fabric.SetDeviceAttribute("DscpToPriority", StringValue(ONE_PRIORITY));
            }
        });
        tcp.Commit();
        queues.Commit();
    });
}
