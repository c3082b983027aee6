/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-experiment.h"

#include "hpcc-byte-stream.h"
#include "hpcc-csv-file.h"
#include "hpcc-outages.h"
#include "hpcc-partition.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/global-value.h"
#include "ns3/hpcc-presets.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <set>
#include <tuple>

#ifndef HPCC_VERSION
#define HPCC_VERSION "unknown"
#endif
#ifndef HPCC_NS3_VERSION
#define HPCC_NS3_VERSION "unknown"
#endif

namespace ns3
{

namespace
{

const std::string PATH = "path"; ///< --T=path

/// @return text as a JSON string
std::string
Json(const std::string& text)
{
    std::string out = "\"";
    for (char c : text)
    {
        if (c == '"' || c == '\\')
        {
            out += '\\';
        }
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return out + "\"";
}

/// Write a file or refuse.
void
WriteFile(const std::string& path, const std::string& text)
{
    std::ofstream out(path, std::ios::binary);
    out << text;
    out.close();
    if (!out)
    {
        throw HpccInputError("cannot write " + path);
    }
}

/// A row of qp.csv.
struct QueuePairRow
{
    int64_t timeNs;   ///< when
    uint32_t host;    ///< where
    std::string text; ///< the row
};

/// Appends a row for each acknowledgement.
void
RecordQueuePair(std::vector<QueuePairRow>* rows,
                std::string cc,
                uint32_t host,
                const RdmaQueuePair& qp,
                int64_t nowNs,
                int64_t)
{
    RdmaCongestionSample sample = qp.ops->Observe(qp.cc);
    std::ostringstream out;
    out << cc << "," << FormatUs(nowNs) << "," << host << "," << qp.number << ","
        << FormatFixed(sample.windowBytes, 1) << "," << FormatFixed(sample.referenceWindowBytes, 1)
        << "," << FormatFixed(sample.rateBps / 1e9, 6) << "," << FormatFixed(sample.utilization, 6)
        << "," << sample.stage << "," << sample.bottleneckSwitch << "," << sample.bottleneckPort
        << "," << (qp.rttNs < 0 ? "" : FormatUs(qp.rttNs)) << "\n";
    rows->push_back({nowNs, host, out.str()});
}

/// Write rows by time, then host, whatever order the hosts' events of one nanosecond had.
void
WriteSorted(std::vector<QueuePairRow>& rows, HpccCsvFile& out)
{
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
        return std::tie(a.timeNs, a.host) < std::tie(b.timeNs, b.host);
    });
    for (const auto& row : rows)
    {
        out << row.text;
    }
}

/**
 * Reports progress by simulated time and ends the run when every flow has finished, or at a given
 * time. It looks 1 ns before the run may end: from within the last nanosecond it could not end it
 * for all nodes at once.
 */
class Watch
{
  public:
    Watch(const HpccFabricHelper& fabric,
          const HpccMonitor& monitor,
          const std::string& name,
          size_t flows,
          Time first,
          Time stop,
          bool progress)
        : m_fabric(fabric),
          m_monitor(monitor),
          m_name(name),
          m_flows(flows),
          m_stop(stop),
          m_progress(progress),
          m_last(std::chrono::steady_clock::now())
    {
        LookBefore(std::max(first, MicroSeconds(10)));
    }

  private:
    void LookBefore(Time end)
    {
        m_end = std::min(end, m_stop);
        Simulator::Schedule(m_end - NanoSeconds(1) - Simulator::Now(), &Watch::Look, this);
    }

    /// @return true if all flows have finished before now, at whatever rank
    bool AreFinished()
    {
        m_unfinished = m_monitor.GetUnfinished();
        const bool last = m_monitor.AreFinishedBefore(Simulator::Now().GetNanoSeconds());
        if (!m_fabric.GetRanks())
        {
            return last;
        }
        HpccByteStream mine;
        mine.Put(m_flows - m_unfinished);
        mine.Put(m_monitor.IsSettledBefore(Simulator::Now().GetNanoSeconds()));
        bool settled = true;
        m_unfinished = m_flows;
        for (const std::string& bytes : m_fabric.GetRanks()->Exchange(mine.GetBytes()))
        {
            HpccByteStream theirs(bytes);
            m_unfinished -= theirs.Get<uint64_t>();
            settled = theirs.Get<bool>() && settled;
        }
        return settled && m_unfinished == 0;
    }

    void Look()
    {
        m_fabric.CatchUp();
        if (AreFinished() || m_end == m_stop)
        {
            m_fabric.EndAt(m_end);
            return;
        }
        auto now = std::chrono::steady_clock::now();
        if (m_progress && now - m_last > std::chrono::seconds(2))
        {
            m_last = now;
            std::cerr << m_name << ": " << Simulator::Now().As(Time::US) << " simulated, "
                      << m_flows - m_unfinished << " of " << m_flows << " flows finished"
                      << std::endl;
        }
        LookBefore(m_end + MicroSeconds(10));
    }

    const HpccFabricHelper& m_fabric;
    const HpccMonitor& m_monitor;
    std::string m_name;
    uint64_t m_flows;
    uint64_t m_unfinished{0};
    Time m_stop;
    Time m_end;
    bool m_progress;
    std::chrono::steady_clock::time_point m_last;
};

} // namespace

std::vector<std::string>
SplitList(const std::string& text)
{
    std::vector<std::string> items;
    std::istringstream in(text);
    std::string item;
    while (std::getline(in, item, ','))
    {
        items.push_back(item);
    }
    return items;
}

HpccExperiment::HpccExperiment(const std::string& name,
                               const std::string& usage,
                               const std::string& policies)
    : m_command(name),
      m_name(name),
      m_ccText(policies),
      m_out("results/" + name)
{
    m_command.Usage(usage);
    AddOption("cc", "policies to compare, separated by commas", m_ccText);
    AddOption("telemetry",
              "telemetry formats, separated by commas; empty takes each policy's own",
              m_telemetry);
    AddOption("feedback",
              "how telemetry travels, separated by commas: " +
                  HpccPresets::Choices(RdmaFeedback::GetTypeId()),
              m_feedback);
    AddOption("out", "directory for the results", m_out);
    AddOption("seed", "seed of random numbers, at least 1", m_seed);
    AddOption("run", "run number of random numbers", m_run);
    AddOption("runs",
              "runs, with run numbers from --run on; the results have means and 95 % intervals, "
              "those of run N are in OUT/run-N",
              m_runs);
    AddOption("parallel",
              "runs at the same time; 0 for the number of processors. Results do not depend on it",
              m_parallel);
    AddTable("summary.csv", 3);
    AddOption("pcap", "write a pcap file per device", m_pcap);
    AddOption("qp-csv",
              "write qp.csv: the state of each queue pair at each acknowledgement",
              m_queuePairCsv);
    AddOption("settle",
              "time after the last start at which queue and throughput statistics begin, such as "
              "100us; default 30 base RTTs",
              m_settle);
    AddOption("paths",
              "how packets find one of several shortest paths: ecmp, " +
                  HpccPresets::Choices(PathSelector::GetTypeId()) + ", " +
                  HpccPresets::Choices(RdmaRepathing::GetTypeId()),
              m_paths);
    AddOption("fail",
              "links that fail, separated by commas: NODE-NODE@DOWN or NODE-NODE@DOWN-UP, such as "
              "0-4@100us-1ms",
              m_outages);
    AddOption("convergence",
              "time from the change of a link until all switches have other routes",
              m_convergence);
    AddOption("T",
              "base RTT: network-wide, such as 4.16us, or path for each path's own; default: the "
              "largest, network-wide",
              m_baseRtt);
    AddOption("eta", "target utilization of policies that have one", m_eta);
    AddOption("max-stage", "maxStage of policies that have it", m_maxStage);
    AddOption("wai", "additive increase W_ai of policies that have it, bytes", m_wai);
    AddOption("recovery",
              "loss recovery: " + HpccPresets::Choices(RdmaRecovery::GetTypeId()) +
                  "; empty takes that of ns3::RdmaHost::Recovery",
              m_recovery);
    AddOption("bdp-cap",
              "most packets in flight, of a recovery that has a limit; default: computed",
              m_bdpCap);
    AddOption("flow-control",
              "pfc, or lossy: no PFC, switches drop by a dynamic threshold of the egress queue",
              m_flowControl);
    AddOption("mtu", "largest payload of a packet, bytes, 64 to 9000", m_mtu);
    AddOption("ethernet-overhead",
              "frames occupy the link for FCS, preamble and gap",
              m_ethernetOverhead);
    AddOption("max-lag",
              "how far nodes may lag behind ns-3's clock, for speed; results do not depend on it "
              "(ns3::NodeAgenda::MaxLag)",
              m_maxLag);
    AddOption(
        "mpi",
        "how the processes that mpirun has started keep in step: distributed or null-message; "
        "empty: there is one process",
        m_mpi);
    AddOption("watchdog",
              "what watches for queues that stay paused: pfc-watchdog, which reports, or "
              "pfc-watchdog:drop; empty for nothing. After ns3::PfcWatchdog::DetectionTime",
              m_watchdog);
    AddOption("partition",
              "with --mpi, what each process has: pod, rack, or a list of nodes and ranks such as "
              "0-15:0,16-31:1",
              m_partition);
    AddOption("progress", "report progress on standard error", m_progress);
}

bool
HpccExperiment::ParseBool(const std::string& option, const std::string& text)
{
    if (text == "1" || text == "true" || text == "t" || text.empty())
    {
        return true;
    }
    if (text == "0" || text == "false" || text == "f")
    {
        return false;
    }
    throw HpccInputError("--" + option + ": \"" + text + "\" is not true or false");
}

Time
HpccExperiment::ParseTime(const std::string& option, const std::string& text)
{
    static const std::set<std::string> units = {"ns", "us", "ms", "s", "min", "h"};
    std::istringstream in(text);
    double number = 0;
    std::string unit;
    if (!(in >> number >> unit) || number < 0 || units.count(unit) == 0)
    {
        throw HpccInputError("--" + option + ": \"" + text +
                             "\" is not a time such as 4.16us; units are ns, us, ms, s, min, h");
    }
    return Time(text);
}

void
HpccExperiment::Parse(int argc, char* argv[])
{
    m_commandText = std::filesystem::path(argv[0]).filename().string();
    std::vector<char*> rest{argv[0]};
    for (int i = 1; i < argc; ++i)
    {
        std::string argument = argv[i];
        m_commandText += " " + argument;
        if (argument.rfind("--", 0) != 0)
        {
            throw HpccInputError(m_name + ": unexpected argument \"" + argument + "\"; see --help");
        }
        auto equals = argument.find('=');
        std::string option = argument.substr(2, equals == std::string::npos ? equals : equals - 2);
        std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
        if (option == "help" || option.rfind("Print", 0) == 0)
        {
            rest.push_back(argv[i]);
            continue;
        }
        if (option.rfind("ns3::", 0) == 0)
        {
            if (!Config::SetDefaultFailSafe(option, StringValue(value)))
            {
                throw HpccInputError("--" + option + ": no such attribute, or \"" + value +
                                     "\" is outside its range");
            }
        }
        else if (auto found = m_options.find(option); found != m_options.end())
        {
            found->second(value);
        }
        else if (option == "SchedulerType")
        {
            if (!GlobalValue::BindFailSafe(option, StringValue(value)))
            {
                throw HpccInputError("--SchedulerType: ns-3 has no scheduler \"" + value + "\"");
            }
        }
        else
        {
            throw HpccInputError(m_name + ": unknown option --" + option + "; see --help");
        }
        m_given[option] = value;
    }
    m_command.Parse(static_cast<int>(rest.size()), rest.data());
    m_policies = SplitList(m_ccText);
    if (m_policies.empty())
    {
        throw HpccInputError("--cc: at least one policy is needed");
    }
    m_feedbacks = SplitList(m_feedback);
    if (m_feedbacks.empty())
    {
        throw HpccInputError("--feedback: at least one way is needed");
    }
    if (m_seed < 1)
    {
        throw HpccInputError("--seed: 0 is not allowed; at least 1");
    }
    if (m_runs < 1 || m_runs > 10000)
    {
        throw HpccInputError("--runs: " + std::to_string(m_runs) + " is outside 1 to 10000");
    }
    if (m_mtu < 64 || m_mtu > 9000)
    {
        throw HpccInputError("--mtu: " + std::to_string(m_mtu) + " is outside 64 to 9000 bytes");
    }
    for (const auto& [option, text] : {std::pair("T", m_baseRtt), std::pair("settle", m_settle)})
    {
        if (!text.empty() && (text != PATH || option != std::string("T")))
        {
            ParseTime(option, text);
        }
    }
    if (m_flowControl != "pfc" && m_flowControl != "lossy")
    {
        throw HpccInputError("--flow-control: unknown \"" + m_flowControl +
                             "\"; choices: lossy, pfc");
    }
    CheckRecovery();
    HpccFabricHelper().SetPaths(m_paths);
    HpccOutages outages(m_outages);
    MakePlans();
    JoinRanks();
    if (m_runs > 1)
    {
        Repeat();
    }
    RngSeedManager::SetSeed(m_seed);
    RngSeedManager::SetRun(m_run);
}

void
HpccExperiment::JoinRanks()
{
    static const std::map<std::string, std::string> engines = {
        {"distributed", "ns3::DistributedSimulatorImpl"},
        {"null-message", "ns3::NullMessageSimulatorImpl"}};
    if (m_mpi.empty())
    {
        return;
    }
    const auto engine = engines.find(m_mpi);
    if (engine == engines.end())
    {
        throw HpccInputError("--mpi: unknown \"" + m_mpi +
                             "\"; choices: distributed, null-message");
    }
    for (const char* option : {"pcap", "qp-csv", "runs"})
    {
        if (m_given.count(option))
        {
            throw HpccInputError("--mpi does not go with --" + std::string(option));
        }
    }
    TypeId tid;
    if (!TypeId::LookupByNameFailSafe("ns3::HpccMpiRanks", &tid))
    {
        throw HpccInputError("--mpi: this build has no MPI; ./hpcc mpi makes one that has");
    }
    GlobalValue::Bind("SimulatorImplementationType", StringValue(engine->second));
    ObjectFactory factory;
    factory.SetTypeId(tid);
    m_ranks = factory.Create<HpccRanks>();
    if (m_ranks->GetRank() > 0)
    {
        m_progress = false;
        std::cout.setstate(std::ios::failbit);
    }
}

std::string
HpccExperiment::PathOf(const std::string& name) const
{
    return m_ranks && m_ranks->GetRank() > 0 ? "" : m_out + "/" + name;
}

void
HpccExperiment::CheckRecovery()
{
    TypeId::AttributeInformation info;
    if (m_recovery.empty())
    {
        RdmaHost::GetTypeId().LookupAttributeByName("Recovery", &info);
        m_recovery = info.initialValue->SerializeToString(info.checker);
    }
    ObjectFactory factory;
    if (!HpccPresets::Find(RdmaRecovery::GetTypeId(), m_recovery, factory))
    {
        throw HpccInputError("--recovery: unknown \"" + m_recovery +
                             "\"; choices: " + HpccPresets::Choices(RdmaRecovery::GetTypeId()));
    }
    if (!m_bdpCap.empty())
    {
        TypeId tid = factory.GetTypeId();
        if (!tid.LookupAttributeByName("BdpCap", &info))
        {
            throw HpccInputError("--bdp-cap: " + m_recovery +
                                 " has no limit on the packets in flight");
        }
        if (!Config::SetDefaultFailSafe(tid.GetName() + "::BdpCap", StringValue(m_bdpCap)))
        {
            throw HpccInputError("--bdp-cap: \"" + m_bdpCap + "\" is not allowed: " +
                                 info.checker->GetUnderlyingTypeInformation());
        }
    }
    std::string why = factory.Create<RdmaRecovery>()->Validate();
    if (!why.empty())
    {
        throw HpccInputError(why);
    }
}

void
HpccExperiment::Repeat()
{
    HpccRepeatedRuns runs(m_name, m_out, m_run, m_runs);
    if (auto run = runs.Fork(m_parallel, m_progress))
    {
        m_run = *run;
        m_out = runs.GetDirectory(*run);
        m_progress = false;
        return;
    }
    runs.Merge(m_mergedTables);
    WriteManifest(m_out);
    PrintRuns();
    throw HpccRepeatedRuns::Done();
}

void
HpccExperiment::PrintRuns() const
{
    HpccRepeatedRuns::PrintMeans(std::cout,
                                 m_out + "/summary-ci.csv",
                                 {{"finished", "flows_finished", 1, 0},
                                  {"FCT p50 us", "fct_p50_us", 1, 1},
                                  {"p99 us", "fct_p99_us", 1, 1},
                                  {"peak KB", "queue_peak_bytes", 1e-3, 1},
                                  {"p99 KB", "queue_p99_bytes", 1e-3, 1},
                                  {"mean Gb/s", "throughput_mean_gbps", 1, 2},
                                  {"Jain", "jain_index", 1, 3},
                                  {"pauses", "pfc_pauses", 1, 1},
                                  {"drops", "drops", 1, 1}});
    std::cout << m_runs << " runs, mean and 95 % interval; results in " << m_out << std::endl;
}

std::vector<HpccExperiment::Plan>
HpccExperiment::MakePlans() const
{
    std::vector<std::string> formats = SplitList(m_telemetry);
    if (formats.empty())
    {
        formats.emplace_back();
    }
    std::vector<Plan> plans;
    for (const auto& policy : m_policies)
    {
        for (const auto& format : formats)
        {
            for (const auto& feedback : m_feedbacks)
            {
                Plan plan{policy, SpecOf(policy, format, feedback), policy, ""};
                const bool first = &format == &formats.front() && &feedback == &m_feedbacks.front();
                const bool varies = plan.spec.feedbackName != "none";
                if (!varies && !first)
                {
                    continue;
                }
                if (varies)
                {
                    plan.label += formats.size() > 1 ? "/" + format : "";
                    plan.label += m_feedbacks.size() > 1 ? "/" + feedback : "";
                }
                for (const auto& variant : m_variants)
                {
                    plans.push_back(plan);
                    plans.back().variant = variant.name;
                    plans.back().label += variant.name.empty() ? "" : "/" + variant.name;
                    SetAttributes(policy, plans.back().spec, variant.attributes);
                }
            }
        }
    }
    return plans;
}

void
HpccExperiment::SetAttributes(const std::string& policy,
                              HpccFabricHelper::PolicySpec& spec,
                              const std::map<std::string, std::string>& values)
{
    for (const auto& [attribute, value] : values)
    {
        TypeId::AttributeInformation info;
        if (value.empty() || !spec.policy.GetTypeId().LookupAttributeByName(attribute, &info))
        {
            continue;
        }
        if (!info.checker->CreateValidValue(StringValue(value)))
        {
            throw HpccInputError(policy + ": " + attribute + " \"" + value + "\" is not allowed: " +
                                 info.checker->GetUnderlyingTypeInformation());
        }
        spec.policy.Set(attribute, StringValue(value));
    }
}

HpccFabricHelper::PolicySpec
HpccExperiment::SpecOf(const std::string& policy,
                       const std::string& telemetry,
                       const std::string& feedback) const
{
    if (!m_otherPolicies.empty())
    {
        return OtherSpecOf(policy, telemetry, feedback);
    }
    auto spec = HpccFabricHelper::MakePolicy(policy, telemetry, feedback);
    std::map<std::string, std::string> values = m_policyAttributes;
    values.insert({{"T", m_baseRtt == PATH ? "" : m_baseRtt},
                   {"Eta", m_eta},
                   {"MaxStage", m_maxStage},
                   {"Wai", m_wai}});
    SetAttributes(policy, spec, values);
    return spec;
}

HpccFabricHelper::PolicySpec
HpccExperiment::OtherSpecOf(const std::string& policy,
                            const std::string& telemetry,
                            const std::string& feedback) const
{
    auto listed = [](const auto& items, auto name) {
        std::string text;
        for (const auto& item : items)
        {
            text += (text.empty() ? "" : ", ") + name(item);
        }
        return text;
    };
    auto found = m_otherPolicies.find(policy);
    if (found == m_otherPolicies.end())
    {
        throw HpccInputError("--cc: unknown policy \"" + policy +
                             "\"; choices: " + listed(m_otherPolicies, [](const auto& entry) {
                                 return entry.first;
                             }));
    }
    const OtherPolicy& other = found->second;
    const auto& allowed = other.feedbacks;
    if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), feedback) == allowed.end())
    {
        throw HpccInputError("--feedback: unknown \"" + feedback + "\"; choices: " +
                             listed(allowed, [](const auto& name) { return name; }));
    }
    for (const auto& [attribute, value] :
         {std::pair("Eta", m_eta), std::pair("MaxStage", m_maxStage), std::pair("Wai", m_wai)})
    {
        TypeId::AttributeInformation info;
        if (!value.empty() &&
            TypeId::LookupByName(other.className).LookupAttributeByName(attribute, &info) &&
            !Config::SetDefaultFailSafe(other.className + "::" + attribute, StringValue(value)))
        {
            throw HpccInputError(policy + ": " + attribute + " \"" + value + "\" is not allowed: " +
                                 info.checker->GetUnderlyingTypeInformation());
        }
    }
    HpccFabricHelper::PolicySpec spec = HpccFabricHelper::MakePolicy("none");
    spec.telemetryName = allowed.empty() || telemetry.empty() ? other.telemetry : telemetry;
    spec.feedbackName = allowed.empty() ? "none" : feedback;
    return spec;
}

void
HpccExperiment::MakeDirectory(const std::string& directory)
{
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (!std::filesystem::is_directory(directory))
    {
        throw HpccInputError("--out: cannot create the directory " + directory);
    }
}

std::vector<HpccSummary>
HpccExperiment::Run(const Scenario& scenario, const Configure& configure)
{
    if (m_ranks && !scenario.addsUp && (scenario.connected || scenario.finished))
    {
        throw HpccInputError("--mpi: " + m_name + " runs in one process only");
    }
    const std::vector<Plan> plans = MakePlans();
    Tables tables(*this, scenario);
    std::vector<HpccSummary> summaries;
    for (const auto& plan : plans)
    {
        summaries.push_back(RunOne(plan, scenario, configure, tables));
    }
    tables.Commit();
    WriteManifest(m_out);

    size_t width = 16;
    for (const auto& plan : plans)
    {
        width = std::max(width, plan.label.size() + 1);
    }
    std::cout << std::left << std::setw(static_cast<int>(width)) << "policy" << std::right
              << std::setw(10) << "finished" << std::setw(12) << "FCT p50 us" << std::setw(12)
              << "p99 us" << std::setw(12) << "peak KB" << std::setw(10) << "p99 KB"
              << std::setw(12) << "mean Gb/s" << std::setw(8) << "Jain" << std::setw(8) << "pauses"
              << std::setw(8) << "drops"
              << "\n";
    for (size_t i = 0; i < plans.size(); ++i)
    {
        const auto& s = summaries[i];
        std::cout << std::left << std::setw(static_cast<int>(width)) << plans[i].label << std::right
                  << std::setw(10)
                  << std::to_string(s.flowsFinished) + "/" + std::to_string(s.flowsStarted)
                  << std::setw(12) << FormatFixed(s.fctP50Us, 1) << std::setw(12)
                  << FormatFixed(s.fctP99Us, 1) << std::setw(12)
                  << FormatFixed(static_cast<double>(s.queuePeakBytes) / 1e3, 1) << std::setw(10)
                  << (s.settled ? FormatFixed(static_cast<double>(s.queueP99Bytes) / 1e3, 1) : "-")
                  << std::setw(12) << (s.settled ? FormatFixed(s.throughputMeanGbps, 2) : "-")
                  << std::setw(8) << FormatFixed(s.jainIndex, 3) << std::setw(8) << s.pfcPauses
                  << std::setw(8) << s.drops << "\n";
    }
    std::cout << "results in " << m_out << std::endl;
    return summaries;
}

HpccExperiment::Tables::Tables(const HpccExperiment& experiment, const Scenario& scenario)
{
    auto begin = [&](const std::string& name, const std::string& header) {
        files.emplace_back(experiment.PathOf(name), header);
        return &files.back();
    };
    summary = begin("summary.csv",
                    "cc,telemetry,feedback,flows_started,flows_finished,fct_p50_us,fct_p99_us,"
                    "queue_peak_bytes,queue_p95_bytes,queue_p99_bytes,throughput_mean_gbps,"
                    "throughput_min_gbps,jain_index,pfc_pauses,drops,wire_overhead_percent,"
                    "queue_mean_bytes,settle_us,first_completion_us,probes,probe_bytes,"
                    "notifications");
    fct = begin("fct.csv",
                "cc,flow,source,destination,bytes,start_us,end_us,receiver_end_us,fct_us,"
                "ideal_fct_us,slowdown" +
                    std::string(scenario.nameClass ? ",class" : ""));
    if (!scenario.bulk)
    {
        queue = begin("queue.csv", "cc,time_us,queue_bytes");
        throughput = begin("throughput.csv", "cc,time_us,throughput_gbps");
    }
    if (scenario.perFlowSeries)
    {
        flowRate = begin("flow_rate.csv", "cc,time_us,flow,throughput_gbps");
    }
    if (experiment.m_queuePairCsv)
    {
        queuePair = begin("qp.csv",
                          "cc,time_us,host,queue_pair,w_bytes,wc_bytes,rate_gbps,u,inc_stage,"
                          "bottleneck_switch,bottleneck_port,rtt_us");
    }
}

void
HpccExperiment::Tables::Commit()
{
    for (auto& file : files)
    {
        file.Commit();
    }
}

void
HpccExperiment::Tables::WriteSummary(const std::string& label,
                                     const std::string& telemetry,
                                     const std::string& feedback,
                                     const HpccSummary& s)
{
    auto settled = [&s](const std::string& text) { return s.settled ? text : "nan"; };
    *summary << label << "," << telemetry << "," << feedback << "," << s.flowsStarted << ","
             << s.flowsFinished << "," << FormatFixed(s.fctP50Us, 3) << ","
             << FormatFixed(s.fctP99Us, 3) << "," << s.queuePeakBytes << ","
             << settled(std::to_string(s.queueP95Bytes)) << ","
             << settled(std::to_string(s.queueP99Bytes)) << ","
             << settled(FormatFixed(s.throughputMeanGbps, 3)) << ","
             << settled(FormatFixed(s.throughputMinGbps, 3)) << "," << FormatFixed(s.jainIndex, 6)
             << "," << s.pfcPauses << "," << s.drops << "," << FormatFixed(s.wireOverheadPercent, 3)
             << "," << settled(FormatFixed(s.queueMeanBytes, 1)) << "," << FormatUs(s.settleNs)
             << "," << FormatUs(s.firstCompletionNs) << "," << s.probes << "," << s.probeBytes
             << "," << s.notifications << "\n";
}

void
HpccExperiment::Tables::WriteFlows(const std::string& label,
                                   const Scenario& scenario,
                                   const HpccMonitor& monitor)
{
    for (size_t i = 0; i < monitor.GetFlows().size(); ++i)
    {
        const auto& flow = monitor.GetFlows()[i];
        const auto& result = monitor.GetResults()[i];
        bool started = flow.startNs != HpccFlowPlan::NOT_PLANNED;
        *fct << label << "," << i << "," << flow.source << "," << flow.destination << ","
             << flow.bytes << "," << (started ? FormatUs(flow.startNs) : "") << ",";
        if (result.endNs >= 0)
        {
            int64_t fctNs = result.endNs - flow.startNs;
            *fct << FormatUs(result.endNs) << "," << FormatUs(result.receiverEndNs) << ","
                 << FormatUs(fctNs) << "," << FormatUs(result.idealNs) << ","
                 << FormatFixed(static_cast<double>(fctNs) / static_cast<double>(result.idealNs),
                                4);
        }
        else
        {
            *fct << ",,," << FormatUs(result.idealNs) << ",";
        }
        *fct << (scenario.nameClass ? "," + scenario.nameClass(i) : "") << "\n";
        if (flowRate)
        {
            for (const auto& sample : monitor.GetFlowSeries(i))
            {
                *flowRate << label << "," << FormatUs(sample.timeNs) << "," << i << ","
                          << FormatFixed(sample.value, 4) << "\n";
            }
        }
    }
}

void
HpccExperiment::Tables::WriteSeries(const std::string& label, const HpccMonitor& monitor)
{
    for (const auto& sample : monitor.GetQueueSeries())
    {
        *queue << label << "," << FormatUs(sample.timeNs) << "," << FormatFixed(sample.value, 0)
               << "\n";
    }
    for (const auto& sample : monitor.GetThroughputSeries())
    {
        *throughput << label << "," << FormatUs(sample.timeNs) << ","
                    << FormatFixed(sample.value, 4) << "\n";
    }
}

HpccSummary
HpccExperiment::RunOne(const Plan& plan,
                       const Scenario& scenario,
                       const Configure& configure,
                       Tables& tables)
{
    RngSeedManager::SetSeed(m_seed);
    RngSeedManager::SetRun(m_run);
    if (m_ranks)
    {
        m_ranks->Begin();
    }
    if (!m_given.count("SchedulerType"))
    {
        ObjectFactory scheduler;
        scheduler.SetTypeId("ns3::PriorityQueueScheduler");
        Simulator::SetScheduler(scheduler);
    }
    HpccSummary summary;
    m_label = plan.label;
    m_variant = plan.variant;
    {
        const auto& spec = plan.spec;
        HpccFabricHelper fabric;
        fabric.SetHostAttribute("Mtu", UintegerValue(m_mtu));
        fabric.SetHostAttribute("Recovery", StringValue(m_recovery));
        if (m_flowControl == "lossy")
        {
            fabric.SetDeviceAttribute("PfcEnabled", BooleanValue(false));
        }
        fabric.SetDeviceAttribute("EthernetOverhead", BooleanValue(m_ethernetOverhead));
        const auto other = m_otherPolicies.find(plan.policy);
        const std::string marking =
            other == m_otherPolicies.end() ? spec.GetMarking() : other->second.marking;
        if (!marking.empty() && !m_given.count("ns3::EcnMarker::Thresholds"))
        {
            fabric.SetEcnAttribute("Thresholds", StringValue(marking));
        }
        fabric.SetMaxLag(m_maxLag);
        fabric.SetPaths(m_paths);
        fabric.SetPerPathBaseRtt(m_baseRtt == PATH);
        fabric.SetConvergenceDelay(m_convergence);
        HpccOutages(m_outages).Schedule(scenario.topology, fabric);
        if (configure)
        {
            configure(fabric);
        }
        if (m_ranks)
        {
            HpccPartition partition(scenario.topology, m_partition, m_ranks->GetSize());
            fabric.SetRanks(m_ranks, partition.GetRankOf());
            if (m_progress)
            {
                std::cerr << m_name << ": " << m_ranks->GetSize() << " ranks, "
                          << FormatFixed(100 * partition.GetCutShare(), 1)
                          << " % of the links between switches are cut, the largest rank has "
                          << FormatFixed(partition.GetImbalance(), 2) << " times the mean load"
                          << std::endl;
            }
        }
        fabric.Install(scenario.topology);
        if (!m_watchdog.empty())
        {
            fabric.AddSwitchAgent(m_watchdog);
        }
        fabric.AssignStreams(1);
        if (scenario.baseRttNs > 0)
        {
            fabric.SetNetworkBaseRttNs(scenario.baseRttNs);
        }
        if (!m_baseRtt.empty() && m_baseRtt != PATH)
        {
            int64_t givenNs = Time(m_baseRtt).GetNanoSeconds();
            if (givenNs < fabric.GetNetworkBaseRttNs() && m_progress)
            {
                std::cerr << m_name << ": warning: T = " << FormatUs(givenNs)
                          << " us is below the largest base RTT of the network, "
                          << FormatUs(fabric.GetNetworkBaseRttNs()) << " us" << std::endl;
            }
            fabric.SetNetworkBaseRttNs(givenNs);
        }
        std::vector<HpccFlowPlan> flows = scenario.flows;
        int64_t firstStartNs = INT64_MAX;
        int64_t lastStartNs = 0;
        for (auto& flow : flows)
        {
            if (scenario.drive)
            {
                firstStartNs = std::min(firstStartNs, flow.startNs);
                lastStartNs = std::max(lastStartNs, flow.startNs);
                continue;
            }
            if (flow.startNs == HpccFlowPlan::NOT_PLANNED)
            {
                flow.queuePair = scenario.connectJob(fabric, flow, spec);
                continue;
            }
            auto own = spec;
            if (scenario.tunePolicy)
            {
                scenario.tunePolicy(static_cast<size_t>(&flow - flows.data()), own.policy);
            }
            flow.queuePair =
                scenario.connect
                    ? scenario.connect(fabric, flow, spec)
                    : fabric.Connect(flow.source,
                                     flow.destination,
                                     own,
                                     scenario.sourcePort ? scenario.sourcePort(fabric, flow) : 0,
                                     scenario.bulk,
                                     flow.verb == RdmaVerb::READ);
            fabric.AddMessage(flow.source,
                              flow.queuePair,
                              flow.bytes,
                              NanoSeconds(flow.startNs),
                              flow.verb);
            firstStartNs = std::min(firstStartNs, flow.startNs);
            lastStartNs = std::max(lastStartNs, flow.startNs);
        }
        int64_t settleNs =
            m_settle.empty() ? 30 * fabric.GetNetworkBaseRttNs() : Time(m_settle).GetNanoSeconds();
        HpccMonitor monitor(fabric,
                            std::move(flows),
                            lastStartNs + settleNs,
                            scenario.bulk            ? HpccMonitor::COUNTS
                            : scenario.perFlowSeries ? HpccMonitor::FLOW_SERIES
                                                     : HpccMonitor::SERIES);
        size_t flowCount = monitor.GetFlows().size();
        for (size_t i = 0; scenario.idealFctNs && i < flowCount; ++i)
        {
            monitor.SetIdealNs(i, scenario.idealFctNs(fabric, monitor.GetFlows()[i]));
        }
        std::vector<QueuePairRow> queuePairRows;
        if (m_queuePairCsv)
        {
            for (uint32_t host : scenario.topology.GetHosts())
            {
                fabric.GetHost(host)->TraceConnectWithoutContext(
                    "Acknowledged",
                    MakeBoundCallback(&RecordQueuePair, &queuePairRows, plan.label, host));
            }
        }
        if (scenario.drive)
        {
            scenario.drive(fabric, plan.policy, spec.feedbackName, monitor);
        }
        if (scenario.connected)
        {
            scenario.connected(fabric);
        }
        MakeDirectory(m_out);
        if (m_progress && fabric.LosesOrder())
        {
            std::cerr << m_name << ": warning: with --paths=" << m_paths
                      << " packets overtake one another, which recovery " << m_recovery
                      << " takes for losses" << std::endl;
        }
        if (m_pcap)
        {
            std::string name = plan.label;
            std::replace(name.begin(), name.end(), '/', '-');
            fabric.EnablePcapAll(m_out + "/" + name, true);
        }
        if (m_progress)
        {
            std::cerr << m_name << ": " << plan.policy << " with telemetry " << spec.telemetryName
                      << ", T = " << FormatUs(fabric.GetNetworkBaseRttNs()) << " us, " << flowCount
                      << " flows" << std::endl;
        }
        Watch watch(fabric,
                    monitor,
                    plan.label,
                    flowCount,
                    NanoSeconds(firstStartNs == INT64_MAX ? 0 : firstStartNs),
                    scenario.stop,
                    m_progress);
        Simulator::Run();
        summary = monitor.Summarize();
        const std::vector<uint32_t> cycle = fabric.FindPauseCycle();
        if (!cycle.empty() && summary.flowsFinished < summary.flowsStarted)
        {
            std::cerr << m_name << ": " << plan.label
                      << ": warning: deadlock, each of these switches is paused by the next:";
            for (uint32_t node : cycle)
            {
                std::cerr << " " << node;
            }
            std::cerr << std::endl;
        }
        if (m_queuePairCsv)
        {
            WriteSorted(queuePairRows, *tables.queuePair);
        }
        if (scenario.finished)
        {
            scenario.finished(fabric, monitor.GetFlows(), monitor);
        }

        tables.WriteSummary(plan.label, spec.telemetryName, spec.feedbackName, summary);
        tables.WriteFlows(plan.label, scenario, monitor);
        if (!scenario.bulk)
        {
            tables.WriteSeries(plan.label, monitor);
        }
    }
    Simulator::Destroy();
    if (m_ranks)
    {
        m_ranks->End();
    }
    return summary;
}

void
HpccExperiment::WriteManifest(const std::string& directory) const
{
    if (m_ranks && m_ranks->GetRank() > 0)
    {
        return;
    }
    std::ostringstream out;
    out << "{\n  \"command\": " << Json(m_commandText) << ",\n  \"attributes\": {";
    const char* separator = "\n";
    for (const auto& [name, value] : m_given)
    {
        out << separator << "    " << Json(name) << ": " << Json(value);
        separator = ",\n";
    }
    out << "\n  },\n  \"seed\": " << m_seed << ",\n  \"run\": " << m_run
        << ",\n  \"version\": " << Json(HPCC_VERSION)
        << ",\n  \"ns3_version\": " << Json(HPCC_NS3_VERSION) << "\n}\n";
    WriteFile(directory + "/manifest.json", out.str());
}

int
HpccExperiment::Main(const std::function<void()>& body)
{
    // ns-3 itself aborts on values that its parsers cannot read; it has said why by then.
    std::set_terminate([] {
        if (Simulator::Now().IsZero())
        {
            std::_Exit(2);
        }
        std::abort();
    });
    try
    {
        body();
        return 0;
    }
    catch (const HpccRepeatedRuns::Done&)
    {
        return 0;
    }
    catch (const HpccRepeatedRuns::Failed& failed)
    {
        std::cerr << failed.message;
        return failed.exitCode;
    }
    catch (const HpccInputError& error)
    {
        std::cerr << error.what() << std::endl;
        return 2;
    }
}

} // namespace ns3
