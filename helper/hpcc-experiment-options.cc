/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-experiment.h"
#include "hpcc-outages.h"
#include "hpcc-output-directory.h"

#include "ns3/global-value.h"
#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-marker.h"
#include "ns3/hpcc-packet-trimmer.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-ranks.h"
#include "ns3/rdma-entropy.h"
#include "ns3/rdma-host.h"
#include "ns3/rdma-nic.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

// The part of HpccExperiment that reads the command line.

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

namespace
{

/**
 * Refuses a list with an item that occurs twice.
 * @param what the option
 * @param items the items of the list
 */
void
CheckDistinct(const std::string& what, const std::vector<std::string>& items)
{
    for (size_t i = 0; i < items.size(); ++i)
    {
        if (std::find(items.begin(), items.begin() + static_cast<int64_t>(i), items[i]) !=
            items.begin() + static_cast<int64_t>(i))
        {
            throw HpccInputError(what + ": \"" + items[i] + "\" is given twice");
        }
    }
}

/// An option and the attribute that it sets.
struct Synonym
{
    const char* option;    ///< name without dashes
    const char* attribute; ///< full name
};

constexpr std::array<Synonym, 4> SYNONYMS{
    {{"mtu", "ns3::RdmaHost::Mtu"},
     {"ethernet-overhead", "ns3::QbbNetDevice::EthernetOverhead"},
     {"max-lag", "ns3::NodeAgenda::MaxLag"},
     {"recovery", "ns3::RdmaHost::Recovery"}}};

/// Attributes that a program sets itself on each object, and what sets them.
const std::map<std::string, std::string> SET_BY_PROGRAM{
    {"ns3::QbbNetDevice::DataRate", "each port has the rate of its link"},
    {"ns3::QbbChannel::Delay", "each link has the delay of the topology"},
    {"ns3::QbbNetDevice::Scheduler", "give --scheduler"},
    {"ns3::QbbSwitch::Buffer", "give --buffer, and the attributes of its class"},
    {"ns3::QbbSwitch::EcnMarker", "give --marking, and the attributes of its class"},
    {"ns3::QbbSwitch::PathSelector", "give --paths"},
    {"ns3::RdmaHost::Repathing", "give --paths"},
    {"ns3::RdmaHost::Entropy", "give --entropy"},
    {"ns3::RdmaHost::Nic", "give --nic, and the attributes of its class"},
    {"ns3::QbbNetDevice::TsoSegment", "it follows from the segments of TCP"}};

} // namespace

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
                  HpccPresets::Choices(RdmaFeedbackPart::GetTypeId()),
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
    AddOption("check",
              "refuse what the runs refuse before they begin, and end: nothing is simulated, and "
              "--out stays as it is",
              m_checkOnly);
    AddTable("summary.csv", 3);
    AddOption("pcap", "write a pcap file per device", m_pcap);
    AddOption("qp-csv",
              "write qp.csv: the state of each queue pair at each acknowledgement",
              m_queuePairCsv);
    AddOption("settle",
              "time after the last start at which queue and throughput statistics begin, such as "
              "100us; default 30 base RTTs",
              m_settle);
    AddOption("queue-resolution",
              "shortest time that a queue length needs for a row of its own in queue.csv, 1ns to "
              "1ms; rows of shorter ones have their mean",
              m_queueResolution);
    AddOption("paths",
              "how packets find one of several shortest paths: ecmp, " +
                  HpccPresets::Choices(PathSelector::GetTypeId()) + ", " +
                  HpccPresets::Choices(RdmaRepathing::GetTypeId()),
              m_paths);
    AddOption("ports",
              "how queue pairs are bound to the ports of hosts that have several: hash, turns, "
              "first, or the number of a port; followed by +move: they move to another port when "
              "links of their own fail (--fail), after --convergence",
              m_ports);
    AddOption("entropy",
              "how a host chooses the entropy of each packet, and so its path: none, or " +
                  HpccPresets::Choices(RdmaEntropy::GetTypeId()) +
                  "; needs a recovery that uses SACKs",
              m_entropy);
    AddOption("evs", "number of entropy values, 1 to 16384; default 64", m_entropyValues);
    AddOption("buffer",
              "who may use the memory of a switch: " +
                  HpccPresets::Choices(BufferPolicy::GetTypeId()),
              m_buffer);
    AddOption("marking",
              "which packets a switch marks: " + HpccPresets::Choices(Marker::GetTypeId()),
              m_marking);
    AddOption("scheduler",
              "which priority of a port sends next: " +
                  HpccPresets::Choices(EgressScheduler::GetTypeId()),
              m_scheduler);
    AddOption("trimming",
              "what a switch does with a packet whose queue is full beside dropping it: none, or "
              "trimming, by the packet that loses its payload: " +
                  HpccPresets::Choices(PacketTrimmer::GetTypeId()),
              m_trimming);
    AddOption(
        "fail",
        "links that fail, separated by commas: NODE-NODE@DOWN or NODE-NODE@DOWN-UP, such as "
        "0-4@100us-1ms; NODE-NODE#K: only the one numbered K of several between the two, from "
        "0; NODE: all links of a node",
        m_outages);
    AddOption("convergence",
              "time from the change of a link until all switches have other routes, and queue "
              "pairs other ports (--ports)",
              m_convergence);
    AddOption("borders",
              "links that lead out of a network that keeps its inside private, separated by "
              "commas: SWITCH-NODE, from its side, such as 17-16; records then leave as a load",
              m_borders);
    AddOption("T",
              "base RTT: network-wide, such as 4.16us, or path for each path's own; default: the "
              "largest, network-wide, or path where the ports of a host differ",
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
    AddOption("ack-priority",
              "priority of ACKs and NAKs: data, or high, that of CNPs (ns3::RdmaHost::CnpDscp), so "
              "that they wait behind no data",
              m_ackPriority);
    AddOption("nic",
              "processing delays of the hosts: " + HpccPresets::Choices(RdmaNic::GetTypeId()) +
                  "; attributes of ns3::RdmaNic set others",
              m_nic);
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
    AddOption("describe",
              "print the network with the numbers of its nodes and ports, draw it as "
              "OUT/topology.svg, and end",
              m_describe);
    AddOption("version", "print the versions of the module and of ns-3, and end", m_version);
    AddOption("progress", "report progress on standard error", m_progress);
    for (const auto& [option, setter] : m_options)
    {
        m_fabricOptions.insert(option);
    }
    for (const char* option :
         {"out", "seed", "run", "runs", "parallel", "check", "version", "progress"})
    {
        m_fabricOptions.erase(option);
    }
}

HpccExperiment::~HpccExperiment() = default;

Ptr<HpccRanks>
HpccExperiment::GetRanks() const
{
    return m_ranks;
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
    throw HpccInputError("--" + option + ": \"" + text + "\" is not allowed; true or false");
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

bool
HpccExperiment::ParseOption(const std::string& argument)
{
    if (argument.rfind("--", 0) != 0)
    {
        throw HpccInputError(m_name + ": unexpected argument \"" + argument + "\"; see --help");
    }
    const auto equals = argument.find('=');
    const std::string option =
        argument.substr(2, equals == std::string::npos ? equals : equals - 2);
    const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    if (option == "help" || option.rfind("Print", 0) == 0)
    {
        return false;
    }
    const auto given = m_given.find(option);
    const bool list = m_listTexts.count(option) > 0;
    if (given != m_given.end() && m_defaults.count(option) == 0 && given->second != value && !list)
    {
        throw HpccInputError("--" + option + " is given twice: \"" + given->second + "\" and \"" +
                             value + "\"");
    }
    if (option.rfind("ns3::", 0) == 0)
    {
        if (const auto found = SET_BY_PROGRAM.find(option); found != SET_BY_PROGRAM.end())
        {
            throw HpccInputError("--" + option + ": \"" + value + "\" would have no effect; " +
                                 found->second);
        }
        m_attributes.Set(option, value);
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
        RefuseUnknown(option);
    }
    m_given[option] = list && given != m_given.end() ? given->second + " " + value : value;
    return true;
}

void
HpccExperiment::RefuseUnknown(const std::string& option) const
{
    std::vector<std::string> names{"help", "SchedulerType"};
    for (const auto& [name, setter] : m_options)
    {
        names.push_back(name);
    }
    for (uint16_t i = 0; option.find("::") != std::string::npos && i < TypeId::GetRegisteredN();
         ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        for (size_t j = 0; j < tid.GetAttributeN(); ++j)
        {
            names.push_back(tid.GetName() + "::" + tid.GetAttribute(j).name);
        }
    }
    const std::string nearest = FindNearest(option, names);
    throw HpccInputError(m_name + ": unknown option --" + option +
                         (nearest.empty() ? "" : "; did you mean \"--" + nearest + "\"?") +
                         "; see --help");
}

void
HpccExperiment::MergeSynonyms()
{
    for (const auto& [option, attribute] : SYNONYMS)
    {
        const auto full = m_given.find(attribute);
        if (full == m_given.end() || m_options.count(option) == 0)
        {
            continue;
        }
        if (IsGiven(option))
        {
            throw HpccInputError("--" + std::string(option) + " and --" + attribute +
                                 " are the same setting; only one of them is allowed");
        }
        m_options[option](full->second);
        m_attributes.SetUsed(attribute);
    }
    const std::string pfc = "ns3::QbbNetDevice::PfcEnabled";
    if (m_flowControl == "lossy" && m_given.count(pfc))
    {
        throw HpccInputError("--" + pfc + "=" + m_given[pfc] +
                             " has no effect: --flow-control=lossy sets it");
    }
    const std::string ack = "ns3::RdmaHost::AckDscp";
    if (IsGiven("ack-priority") && m_given.count(ack))
    {
        throw HpccInputError("--ack-priority and --" + ack +
                             " are the same setting; only one of them is allowed");
    }
}

void
HpccExperiment::CheckIdle() const
{
    if (m_runs == 1)
    {
        RefuseGiven({"parallel"}, "there is one run; give --runs too");
    }
    if (m_describe)
    {
        RefuseGiven({"runs"}, "--describe runs nothing");
    }
    if (m_mpi.empty())
    {
        RefuseGiven({"partition"}, "there is one process; give --mpi too");
    }
}

void
HpccExperiment::RefuseGiven(const std::vector<std::string>& options, const std::string& why) const
{
    for (const auto& option : options)
    {
        if (IsGiven(option))
        {
            throw HpccInputError("--" + option + "=" + m_given.at(option) +
                                 " has no effect: " + why);
        }
    }
}

void
HpccExperiment::RefuseGivenOf(TypeId base,
                              const std::set<std::string>& allowed,
                              const std::string& why) const
{
    for (const auto& [option, value] : m_given)
    {
        const size_t colons = option.rfind("::");
        TypeId tid;
        if (option.rfind("ns3::", 0) == 0 &&
            TypeId::LookupByNameFailSafe(option.substr(0, colons), &tid) &&
            (tid == base || tid.IsChildOf(base)) && allowed.count(option.substr(colons + 2)) == 0)
        {
            RefuseGiven({option}, why);
        }
    }
}

void
HpccExperiment::SetPolicies(const std::vector<std::string>& policies, const std::string& telemetry)
{
    if (policies != m_policies)
    {
        RefuseGiven({"cc"}, m_name + " runs another policy here, " + policies.front());
    }
    if (telemetry != m_telemetry)
    {
        RefuseGiven({"telemetry"},
                    m_name + " takes " +
                        (telemetry.empty() ? "the format of its policy" : telemetry));
    }
    m_policies = policies;
    m_telemetry = telemetry;
}

void
HpccExperiment::Parse(int argc, char* argv[], const std::vector<std::string>& defaults)
{
    m_commandText = std::filesystem::path(argv[0]).filename().string();
    for (const auto& argument : defaults)
    {
        ParseOption(argument);
    }
    for (const auto& [option, value] : m_given)
    {
        m_defaults.insert(option);
    }
    std::vector<char*> rest{argv[0]};
    for (int i = 1; i < argc; ++i)
    {
        const std::string argument = argv[i];
        m_commandText += " " + argument;
        if (!ParseOption(argument))
        {
            rest.push_back(argv[i]);
            continue;
        }
        m_defaults.erase(argument.substr(2, std::min(argument.find('='), argument.size()) - 2));
    }
    m_command.Parse(static_cast<int>(rest.size()), rest.data());
    if (m_version)
    {
        PrintVersion();
    }
    MergeSynonyms();
    HpccFabricHelper parts;
    parts.SetPaths(m_paths);
    parts.SetPorts(m_ports);
    parts.SetBuffer(m_buffer);
    parts.SetMarking(m_marking);
    parts.SetScheduler(m_scheduler);
    parts.SetTrimming(m_trimming);
    parts.SetEntropy(m_entropy, m_entropyValues);
    if (m_entropy == "none")
    {
        RefuseGiven({"evs"}, "--entropy is none");
    }
    else if (IsGiven("evs") && m_entropyValues == 0)
    {
        throw HpccInputError("--evs: 0 is outside 1 to " + std::to_string(RdmaEntropy::MAX_VALUES));
    }
    parts.SetNic(m_nic);
    m_policies = SplitList(m_ccText);
    if (m_policies.empty())
    {
        throw HpccInputError("--cc: at least one policy is needed");
    }
    m_feedbacks = SplitList(m_feedback);
    if (m_feedbacks.empty())
    {
        throw HpccInputError("--feedback: at least one feedback mode is needed");
    }
    CheckDistinct("--cc", m_policies);
    CheckDistinct("--feedback", m_feedbacks);
    CheckDistinct("--telemetry", SplitList(m_telemetry));
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
        throw HpccInputError("--run: " + std::to_string(m_runs) + " runs from " +
                             std::to_string(m_run) + " on exceed the largest run number, " +
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
    if (m_queueResolution < NanoSeconds(1) || m_queueResolution > MilliSeconds(1))
    {
        throw HpccInputError(
            "--queue-resolution: " + std::to_string(m_queueResolution.GetNanoSeconds()) +
            " ns is outside 1ns to 1ms");
    }
    if (m_flowControl != "pfc" && m_flowControl != "lossy")
    {
        throw HpccInputError(
            DescribeUnknown("--flow-control: unknown", m_flowControl, {"lossy", "pfc"}));
    }
    if (m_ackPriority != "data" && m_ackPriority != "high")
    {
        throw HpccInputError(
            DescribeUnknown("--ack-priority: unknown", m_ackPriority, {"data", "high"}));
    }
    CheckIdle();
    CheckRecovery();
    HpccOutages outages(m_outages);
    HpccBorders borders(m_borders);
    MakePlans();
    JoinRanks();
    if (m_runs > 1 && !m_checkOnly)
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
        throw HpccInputError(
            DescribeUnknown("--mpi: unknown", m_mpi, {"distributed", "null-message", "windows"}));
    }
    for (const char* option : {"pcap", "qp-csv", "runs"})
    {
        if (m_given.count(option))
        {
            throw HpccInputError("--mpi cannot be combined with --" + std::string(option));
        }
    }
    TypeId tid;
    if (!TypeId::LookupByNameFailSafe(engine->second.ranks, &tid))
    {
        throw HpccInputError("--mpi: this build has no MPI; build one with ./hpcc mpi");
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

} // namespace ns3
