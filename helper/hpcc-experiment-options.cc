/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-card-format.h"
#include "hpcc-experiment.h"
#include "hpcc-outages.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/global-value.h"
#include "ns3/hpcc-presets.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <sstream>

// The part of HpccExperiment that reads the command line, and what simulations it asks for.

namespace ns3
{

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
    AddOption("mpi",
              "how the processes that mpirun has started keep in step: windows, distributed or "
              "null-message; empty: there is one process",
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
    static const std::map<std::string, double> units =
        {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}};
    constexpr double mostSeconds = static_cast<double>(HpccFlowPlan::MAX_START_NS) / 1e9;
    std::istringstream in(text);
    double number = 0;
    std::string unit;
    if (!(in >> number >> unit) || number < 0 || units.count(unit) == 0)
    {
        throw HpccInputError("--" + option + ": \"" + text +
                             "\" is not a time such as 4.16us; units are ns, us, ms, s, min, h");
    }
    if (number * units.at(unit) > mostSeconds)
    {
        throw HpccInputError("--" + option + ": \"" + text + "\" is too long; at most " +
                             FormatFixed(mostSeconds, 0) + "s");
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
    if (m_seed < 1 || m_seed > MAX_SEED)
    {
        throw HpccInputError("--seed: " + std::to_string(m_seed) + " is outside 1 to " +
                             std::to_string(MAX_SEED));
    }
    if (m_runs < 1 || m_runs > 10000)
    {
        throw HpccInputError("--runs: " + std::to_string(m_runs) + " is outside 1 to 10000");
    }
    if (m_run > UINT64_MAX - (m_runs - 1))
    {
        throw HpccInputError("--run: the last of " + std::to_string(m_runs) + " runs from " +
                             std::to_string(m_run) + " on is above the largest number of a run, " +
                             std::to_string(UINT64_MAX));
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
    struct Engine
    {
        const char* ranks;     ///< kind of HpccRanks
        const char* simulator; ///< kind of SimulatorImpl
    };

    static const std::map<std::string, Engine> engines = {
        {"distributed", {"ns3::HpccMpiMessages", "ns3::DistributedSimulatorImpl"}},
        {"null-message", {"ns3::HpccMpiMessages", "ns3::NullMessageSimulatorImpl"}},
        {"windows", {"ns3::HpccMpiWindows", "ns3::DefaultSimulatorImpl"}}};
    if (m_mpi.empty())
    {
        return;
    }
    const auto engine = engines.find(m_mpi);
    if (engine == engines.end())
    {
        throw HpccInputError("--mpi: unknown \"" + m_mpi +
                             "\"; choices: distributed, null-message, windows");
    }
    for (const char* option : {"pcap", "qp-csv", "runs"})
    {
        if (m_given.count(option))
        {
            throw HpccInputError("--mpi does not go with --" + std::string(option));
        }
    }
    TypeId tid;
    if (!TypeId::LookupByNameFailSafe(engine->second.ranks, &tid))
    {
        throw HpccInputError("--mpi: this build has no MPI; ./hpcc mpi makes one that has");
    }
    GlobalValue::Bind("SimulatorImplementationType", StringValue(engine->second.simulator));
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
    m_files.insert(name);
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
                Plan plan{policy, SpecOf(policy, format, feedback), policy, format, ""};
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
    SetAttributes(policy, spec, GetShared());
    return spec;
}

HpccFabricHelper::PolicySpec
HpccExperiment::RdmaSpecOf(const std::string& policy) const
{
    auto spec = HpccFabricHelper::MakePolicy(policy);
    auto values = GetShared();
    for (auto& [attribute, value] : values)
    {
        value = IsGiven(spec.policy.GetTypeId(), attribute) ? "" : value;
    }
    SetAttributes(policy, spec, values);
    return spec;
}

std::map<std::string, std::string>
HpccExperiment::GetShared() const
{
    std::map<std::string, std::string> values = m_policyAttributes;
    values.insert({{"T", m_baseRtt == PATH ? "" : m_baseRtt},
                   {"Eta", m_eta},
                   {"MaxStage", m_maxStage},
                   {"Wai", m_wai}});
    return values;
}

bool
HpccExperiment::IsGiven(TypeId tid, const std::string& attribute) const
{
    const bool given = m_given.count(tid.GetName() + "::" + attribute);
    return given || (tid.HasParent() && IsGiven(tid.GetParent(), attribute));
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
    const TypeId tid = TypeId::LookupByName(other.className);
    for (const auto& [attribute, value] : GetShared())
    {
        TypeId::AttributeInformation info;
        if (!value.empty() && !IsGiven(tid, attribute) &&
            tid.LookupAttributeByName(attribute, &info) &&
            !Config::SetDefaultFailSafe(other.className + "::" + attribute, StringValue(value)))
        {
            throw HpccInputError(policy + ": " + attribute + " \"" + value + "\" is not allowed: " +
                                 info.checker->GetUnderlyingTypeInformation());
        }
    }
    HpccFabricHelper::PolicySpec spec = HpccFabricHelper::MakePolicy("none");
    const auto own = other.ownTelemetry.find(feedback);
    spec.telemetryName = own != other.ownTelemetry.end()        ? own->second
                         : allowed.empty() || telemetry.empty() ? other.telemetry
                                                                : telemetry;
    spec.feedbackName = allowed.empty() ? "none" : feedback;
    if (!allowed.empty() && !telemetry.empty())
    {
        FindCardFormat(telemetry);
    }
    return spec;
}

} // namespace ns3
