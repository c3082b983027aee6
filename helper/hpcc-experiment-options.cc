/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-attribute-defaults.h"
#include "hpcc-experiment-plans.h"
#include "hpcc-experiment-values.h"
#include "hpcc-outages.h"
#include "hpcc-output-directory.h"
#include "hpcc-word-reader.h"

#include "ns3/config.h"
#include "ns3/global-value.h"
#include "ns3/hpcc-buffer-policy.h"
#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-marker.h"
#include "ns3/hpcc-packet-trimmer.h"
#include "ns3/hpcc-pfc-watchdog.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-ranks.h"
#include "ns3/hpcc-split-at.h"
#include "ns3/rdma-entropy.h"
#include "ns3/rdma-host.h"
#include "ns3/rdma-nic.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

// The part of HpccExperiment that reads the command line.

namespace ns3
{

namespace
{

/// Options of ns-3's CommandLine that print something and end the program.
const std::set<std::string> PRINT_OPTIONS{"PrintAttributes",
                                          "PrintGlobals",
                                          "PrintGroup",
                                          "PrintGroups",
                                          "PrintHelp",
                                          "PrintTypeIds",
                                          "PrintVersion"};

/**
 * Refuses a class or group that does not exist, which ns-3 would refuse in a message of its own or
 * ignore.
 * @param option "help" or one of PRINT_OPTIONS
 * @param value value of the option
 */
void
CheckPrint(const std::string& option, const std::string& value)
{
    TypeId tid;
    HPCC_REFUSE_IF(option == "PrintAttributes" && !TypeId::LookupByNameFailSafe(value, &tid),
                   "--PrintAttributes: there is no class \"" + value +
                       "\"; --PrintTypeIds lists all classes");
    bool exists = option != "PrintGroup";
    for (uint16_t i = 0; i < TypeId::GetRegisteredN() && !exists; ++i)
    {
        exists = TypeId::GetRegistered(i).GetGroupName() == value;
    }
    HPCC_REFUSE_IF(!exists,
                   "--PrintGroup: there is no group \"" + value +
                       "\"; --PrintGroups lists all groups");
}

/**
 * Refuses a list with an empty item, or with an item that occurs twice.
 * @param what the option
 * @param items the items of the list
 */
void
CheckItems(const std::string& what, const std::vector<std::string>& items)
{
    for (size_t i = 0; i < items.size(); ++i)
    {
        HPCC_REFUSE_IF(items[i].empty(),
                       what + ": item " + std::to_string(i + 1) +
                           " of the list is empty; a name is needed");
        HPCC_REFUSE_IF(std::find(items.begin(),
                                 items.begin() + static_cast<int64_t>(i),
                                 items[i]) != items.begin() + static_cast<int64_t>(i),
                       what + ": \"" + items[i] + "\" is given twice");
    }
}

/// Returns a word with the quotes that a POSIX shell needs to read it as one word. The result
/// equals that of Python's shlex.quote().
/// @param text the word of a command line
std::string
QuoteForShell(const std::string& text)
{
    const std::string plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "_@%+=:,./-";
    if (!text.empty() && text.find_first_not_of(plain) == std::string::npos)
    {
        return text;
    }
    std::string quoted = "'";
    for (const char c : text)
    {
        quoted += c == '\'' ? "'\"'\"'" : std::string(1, c);
    }
    return quoted + "'";
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

/// Attributes that a program itself sets on each object, so that a default has no effect. The text
/// gives the reason, or the option to use instead.
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

/// Environment variables from which ns-3 reads attribute defaults and global values.
constexpr const char* ATTRIBUTES_OF_NS3 = "NS_ATTRIBUTE_DEFAULT";
constexpr const char* GLOBALS_OF_NS3 = "NS_GLOBAL_VALUE";

/**
 * Refuses an environment variable of ns-3 if it contains a given setting, because this program
 * makes that setting itself.
 * @param variable name of the variable, whose content is NAME=VALUE;NAME=VALUE...
 * @param name name of the setting
 * @param instead what to do instead
 */
void
RefuseInEnvironment(const char* variable, const std::string& name, const std::string& instead)
{
    const char* content = std::getenv(variable);
    for (const std::string& setting : SplitAt(content ? content : "", ';'))
    {
        HPCC_REFUSE_IF(setting.substr(0, setting.find('=')) == name,
                       std::string(variable) + ": " + setting + " would have no effect; " +
                           instead);
    }
}

/// Returns the options that have no effect in a network without pauses.
std::vector<std::string>
ListPauseOptions()
{
    const HpccAttributeDefaults::Unobserved unobserved;
    std::vector<std::string> options{"watchdog"};
    for (const std::string& name : HpccPresets::Names(BufferPolicy::GetTypeId()))
    {
        ObjectFactory factory;
        HpccPresets::Find(BufferPolicy::GetTypeId(), name, factory);
        for (const auto& attribute : factory.Create<BufferPolicy>()->GetPauseAttributes())
        {
            options.push_back(factory.GetTypeId().GetName() + "::" + attribute);
        }
    }
    options.insert(options.end(),
                   {"ns3::QbbNetDevice::LosslessPriorities",
                    "ns3::QbbNetDevice::PauseQuanta",
                    "ns3::QbbNetDevice::ReceivePauseThreshold",
                    "ns3::QbbNetDevice::ReceiveResumeThreshold"});
    return options;
}

} // namespace

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
    static const std::map<std::string, long double> units =
        {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}};
    std::istringstream in(text);
    long double number = 0;
    std::string unit;
    HPCC_REFUSE_IF(text.find_first_of(" \t\n") != std::string::npos || !(in >> number >> unit) ||
                       number < 0 || units.count(unit) == 0,
                   "--" + option + ": \"" + text +
                       "\" is not a time such as 4.16us; units are ns, us, ms, s, min, h");
    const long double ns = number * units.at(unit);
    HPCC_REFUSE_IF(ns > HpccFlowPlan::MAX_START_NS,
                   "--" + option + ": \"" + text + "\" is too long; at most " +
                       std::to_string(HpccFlowPlan::MAX_START_NS / 1000000000) + "s");
    HPCC_REFUSE_IF(!IsWhole(ns), "--" + option + ": \"" + text + "\" is not a whole number of ns");
    return NanoSeconds(std::llround(ns));
}

bool
HpccExperiment::ParseOption(const std::string& argument)
{
    HPCC_REFUSE_IF(argument.rfind("--", 0) != 0,
                   m_values->name + ": unexpected argument \"" + argument + "\"; see --help");
    const auto equals = argument.find('=');
    const std::string option =
        argument.substr(2, equals == std::string::npos ? equals : equals - 2);
    const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    if (option == "help" || PRINT_OPTIONS.count(option) > 0)
    {
        CheckPrint(option, value);
        return false;
    }
    const auto given = m_given.find(option);
    const bool list = m_listTexts.count(option) > 0;
    HPCC_REFUSE_IF(
        given != m_given.end() && m_defaults.count(option) == 0 && given->second != value && !list,
        "--" + option + " is given twice: \"" + given->second + "\" and \"" + value + "\"");
    if (HpccAttributeDefaults::IsFullName(option))
    {
        if (const auto found = SET_BY_PROGRAM.find(option); found != SET_BY_PROGRAM.end())
        {
            throw HpccInputError("--" + option + ": \"" + value + "\" would have no effect; " +
                                 found->second);
        }
        m_values->attributes.Set(option, value);
    }
    else if (auto found = m_options.find(option); found != m_options.end())
    {
        found->second(value);
    }
    else if (option == "SchedulerType")
    {
        HPCC_REFUSE_IF(!GlobalValue::BindFailSafe(option, StringValue(value)),
                       "--SchedulerType: ns-3 has no scheduler \"" + value + "\"");
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
    std::vector<std::string> names(PRINT_OPTIONS.begin(), PRINT_OPTIONS.end());
    names.insert(names.end(), {"help", "SchedulerType"});
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
    throw HpccInputError(m_values->name + ": unknown option --" + option +
                         (nearest.empty() ? "" : "; did you mean \"--" + nearest + "\"?") +
                         "; see --help");
}

void
HpccExperiment::MergeSynonyms()
{
    RefuseInEnvironment(GLOBALS_OF_NS3, "RngSeed", "give --seed");
    RefuseInEnvironment(GLOBALS_OF_NS3, "RngRun", "give --run");
    for (const auto& [attribute, why] : SET_BY_PROGRAM)
    {
        RefuseInEnvironment(ATTRIBUTES_OF_NS3, attribute, why);
    }
    for (const auto& [option, attribute] : SYNONYMS)
    {
        const std::string name = m_options.count(option) > 0 ? option : attribute;
        RefuseInEnvironment(ATTRIBUTES_OF_NS3, attribute, "give --" + name);
        const auto full = m_given.find(attribute);
        if (full == m_given.end() || m_options.count(option) == 0)
        {
            continue;
        }
        HPCC_REFUSE_IF(IsGiven(option),
                       "--" + std::string(option) + " and --" + attribute +
                           " are the same setting; allowed is one of them");
        m_options[option](full->second);
        m_values->attributes.SetUsed(attribute);
    }
    const std::string pfc = "ns3::QbbNetDevice::PfcEnabled";
    if (m_values->flowControl == "lossy")
    {
        RefuseInEnvironment(ATTRIBUTES_OF_NS3, pfc, "--flow-control=lossy sets it");
        HPCC_REFUSE_IF(m_given.count(pfc),
                       "--" + pfc + "=" + m_given[pfc] +
                           " has no effect: --flow-control=lossy sets it");
    }
    const std::string ack = "ns3::RdmaHost::AckDscp";
    HPCC_REFUSE_IF(IsGiven("ack-priority") && m_given.count(ack),
                   "--ack-priority and --" + ack + " are the same setting; allowed is one of them");
}

void
HpccExperiment::CheckIdle() const
{
    if (m_values->runs == 1)
    {
        RefuseGiven({"parallel", "only-run"}, "there is one run; give --runs too");
    }
    if (m_values->describe)
    {
        RefuseGiven({"runs"}, "--describe runs nothing");
    }
    if (m_values->mpi.empty())
    {
        RefuseGiven({"partition"}, "there is one process; give --mpi too");
    }
}

void
HpccExperiment::CheckRecovery()
{
    TypeId::AttributeInformation info;
    if (m_values->recovery.empty())
    {
        RdmaHost::GetTypeId().LookupAttributeByName("Recovery", &info);
        m_values->recovery = info.initialValue->SerializeToString(info.checker);
    }
    ObjectFactory factory;
    HPCC_REFUSE_IF(!HpccPresets::Find(RdmaRecovery::GetTypeId(), m_values->recovery, factory),
                   DescribeUnknownPreset("--recovery: unknown",
                                         m_values->recovery,
                                         RdmaRecovery::GetTypeId()));
    if (!m_values->bdpCap.empty())
    {
        TypeId tid = factory.GetTypeId();
        HPCC_REFUSE_IF(!tid.LookupAttributeByName("BdpCap", &info),
                       "--bdp-cap: " + m_values->recovery +
                           " has no limit on the packets in flight");
        const std::string attribute = tid.GetName() + "::BdpCap";
        HPCC_REFUSE_IF(IsGiven(attribute),
                       "--bdp-cap and --" + attribute +
                           " are the same setting; allowed is one of them");
        Config::SetDefault(attribute, *ReadAttribute("--bdp-cap", info.checker, m_values->bdpCap));
    }
    std::string why = factory.Create<RdmaRecovery>()->Validate();
    HPCC_REFUSE_IF(!why.empty(), why);
}

void
HpccExperiment::RefuseGiven(const std::vector<std::string>& options, const std::string& why) const
{
    std::vector<std::string> names = options;
    for (const auto& [option, attribute] : SYNONYMS)
    {
        if (std::find(options.begin(), options.end(), option) != options.end())
        {
            names.emplace_back(attribute);
        }
    }
    for (const auto& name : names)
    {
        HPCC_REFUSE_IF(IsGiven(name),
                       "--" + name + "=" + m_given.at(name) + " has no effect: " + why);
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
        if (colons != std::string::npos &&
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
    if (policies != m_values->policies)
    {
        RefuseGiven({"cc"}, m_values->name + " runs another policy here, " + policies.front());
    }
    if (telemetry != m_values->telemetry)
    {
        RefuseGiven({"telemetry"},
                    m_values->name + " uses " +
                        (telemetry.empty() ? "the format of its policy" : telemetry));
    }
    m_values->policies = policies;
    m_values->telemetry = telemetry;
}

void
HpccExperiment::ReadArguments(int argc, char* argv[], const std::vector<std::string>& defaults)
{
    m_values->commandText.clear();
    for (const char* name : {ATTRIBUTES_OF_NS3, GLOBALS_OF_NS3})
    {
        const char* value = std::getenv(name);
        if (value && *value != '\0')
        {
            m_values->commandText += std::string(name) + "=" + QuoteForShell(value) + " ";
        }
    }
    m_values->commandText += std::filesystem::path(argv[0]).filename().string();
    for (const auto& argument : defaults)
    {
        ParseOption(argument);
    }
    std::string attributes;
    for (const auto& [option, value] : m_given)
    {
        m_defaults.insert(option);
        attributes += m_options.count(option) > 0 ? "" : "\n    --" + option + "=" + value;
    }
    m_command.Usage(m_values->usage +
                    (attributes.empty() ? "" : "\n\nAttributes by default:" + attributes));
    for (const auto& add : m_help)
    {
        add();
    }
    std::vector<char*> rest{argv[0]};
    for (int i = 1; i < argc; ++i)
    {
        const std::string argument = argv[i];
        // With --runs, each run is a separate process with the user's options and --only-run. The
        // command in its manifest lacks --only-run, so that it is the same for all runs.
        m_values->commandText +=
            argument.rfind("--only-run=", 0) == 0 ? "" : " " + QuoteForShell(argument);
        if (!ParseOption(argument))
        {
            rest.push_back(argv[i]);
            continue;
        }
        m_defaults.erase(argument.substr(2, std::min(argument.find('='), argument.size()) - 2));
    }
    m_command.Parse(static_cast<int>(rest.size()), rest.data());
}

void
HpccExperiment::CheckParts() const
{
    HpccFabricHelper parts;
    parts.SetPaths(m_values->paths);
    parts.SetPorts(m_values->ports);
    parts.SetBuffer(m_values->buffer);
    parts.SetMarking(m_values->marking);
    parts.SetScheduler(m_values->scheduler);
    parts.SetTrimming(m_values->trimming);
    parts.SetEntropy(m_values->entropy, m_values->entropyValues);
    if (m_values->entropy == "none")
    {
        RefuseGiven({"evs"}, "--entropy is none");
    }
    else if (IsGiven("evs"))
    {
        RequireRange("--evs", m_values->entropyValues, 1, RdmaEntropy::MAX_VALUES);
    }
    parts.SetNic(m_values->nic);
}

void
HpccExperiment::ReadLists()
{
    m_values->policies = SplitAt(m_values->ccText, ',');
    HPCC_REFUSE_IF(m_values->policies.empty(), "--cc: at least one policy is needed");
    m_values->feedbacks = SplitAt(m_values->feedback, ',');
    HPCC_REFUSE_IF(m_values->feedbacks.empty(), "--feedback: at least one feedback mode is needed");
    CheckItems("--cc", m_values->policies);
    CheckItems("--feedback", m_values->feedbacks);
    CheckItems("--telemetry", SplitAt(m_values->telemetry, ','));
}

void
HpccExperiment::CheckRanges() const
{
    RequireRange("--seed", m_values->seed, 1, MAX_SEED);
    RequireRange("--runs", m_values->runs, 1, 10000);
    HPCC_REFUSE_IF(m_values->run > UINT64_MAX - (m_values->runs - 1),
                   "--run: " + std::to_string(m_values->runs) + " runs from " +
                       std::to_string(m_values->run) + " on exceed the largest run number, " +
                       std::to_string(UINT64_MAX));
    HPCC_REFUSE_IF(m_values->mtu < 64 || m_values->mtu > 9000,
                   "--mtu: " + std::to_string(m_values->mtu) + " is outside 64 to 9000 bytes");
    for (const auto& [option, text] :
         {std::pair("T", m_values->baseRtt), std::pair("settle", m_values->settle)})
    {
        if (!text.empty() && (text != Values::PATH || option != std::string("T")))
        {
            const Time time = ParseTime(option, text);
            HPCC_REFUSE_IF(option == std::string("T") && time < NanoSeconds(1),
                           "--T: \"" + text + "\" is not allowed; at least 1ns");
        }
    }
    HPCC_REFUSE_IF(
        m_values->queueResolution < NanoSeconds(1) || m_values->queueResolution > MilliSeconds(1),
        "--queue-resolution: " + std::to_string(m_values->queueResolution.GetNanoSeconds()) +
            " ns is outside 1ns to 1ms");
}

DataRate
HpccExperiment::ParseRate(const std::string& option, const std::string& text)
{
    return ReadRate("--" + option, text);
}

void
HpccExperiment::CheckFlowControl() const
{
    HPCC_REFUSE_IF(
        m_values->flowControl != "pfc" && m_values->flowControl != "lossy",
        DescribeUnknown("--flow-control: unknown", m_values->flowControl, {"lossy", "pfc"}));
    ObjectFactory watchdog;
    HPCC_REFUSE_IF(
        !m_values->watchdog.empty() &&
            !HpccPresets::Find(PfcWatchdog::GetTypeId(), m_values->watchdog, watchdog),
        DescribeUnknownPreset("--watchdog: unknown", m_values->watchdog, PfcWatchdog::GetTypeId()));
    if (m_values->flowControl == "lossy")
    {
        RefuseGiven(ListPauseOptions(), "with --flow-control=lossy no queue is paused");
    }
    const std::string pfc = "ns3::QbbNetDevice::PfcEnabled";
    if (m_given.count(pfc) && !ParseBool(pfc, m_given.at(pfc)))
    {
        RefuseGiven(ListPauseOptions(), "with --" + pfc + "=false no queue is paused");
    }
    if (!m_given.count("ns3::QbbNetDevice::ReceiveDrainRate"))
    {
        RefuseGiven({"ns3::QbbNetDevice::ReceiveBuffer",
                     "ns3::QbbNetDevice::ReceivePauseThreshold",
                     "ns3::QbbNetDevice::ReceiveResumeThreshold"},
                    "hosts receive without a limit; give ns3::QbbNetDevice::ReceiveDrainRate too");
    }
    HPCC_REFUSE_IF(
        m_values->ackPriority != "data" && m_values->ackPriority != "high",
        DescribeUnknown("--ack-priority: unknown", m_values->ackPriority, {"data", "high"}));
}

void
HpccExperiment::Parse(int argc, char* argv[], const std::vector<std::string>& defaults)
{
    ReadArguments(argc, argv, defaults);
    if (m_values->version)
    {
        PrintVersion();
    }
    MergeSynonyms();
    CheckParts();
    ReadLists();
    CheckRanges();
    CheckFlowControl();
    CheckIdle();
    CheckRecovery();
    HpccOutages outages(m_values->outages);
    HpccBorders borders(m_values->borders);
    Planner(*this).MakePlans();
    JoinRanks();
    if (m_given.erase("only-run") > 0)
    {
        TakeOnlyRun();
    }
    else if (m_values->runs > 1 && !m_values->checkOnly)
    {
        Repeat({argv + 1, argv + argc});
    }
    RngSeedManager::SetSeed(m_values->seed);
    RngSeedManager::SetRun(m_values->run);
}

void
HpccExperiment::JoinRanks()
{
    struct Engine
    {
        const char* ranks;     ///< name of a class derived from HpccRanks
        const char* simulator; ///< name of a class derived from SimulatorImpl
    };

    static const std::map<std::string, Engine> engines = {
        {"distributed", {"ns3::HpccMpiMessages", "ns3::DistributedSimulatorImpl"}},
        {"null-message", {"ns3::HpccMpiMessages", "ns3::NullMessageSimulatorImpl"}},
        {"windows", {"ns3::HpccMpiWindows", "ns3::DefaultSimulatorImpl"}}};
    if (m_values->mpi.empty())
    {
        return;
    }
    const auto engine = engines.find(m_values->mpi);
    HPCC_REFUSE_IF(engine == engines.end(),
                   DescribeUnknown("--mpi: unknown",
                                   m_values->mpi,
                                   {"distributed", "null-message", "windows"}));
    for (const char* option : {"pcap", "qp-csv", "runs"})
    {
        HPCC_REFUSE_IF(m_given.count(option),
                       "--mpi cannot be combined with --" + std::string(option));
    }
    TypeId tid;
    HPCC_REFUSE_IF(!TypeId::LookupByNameFailSafe(engine->second.ranks, &tid),
                   "--mpi: this build has no MPI; build one with ./hpcc mpi");
    GlobalValue::Bind("SimulatorImplementationType", StringValue(engine->second.simulator));
    ObjectFactory factory;
    factory.SetTypeId(tid);
    m_values->ranks = factory.Create<HpccRanks>();
    if (m_values->ranks->GetRank() > 0)
    {
        m_values->progress = false;
        m_values->warns = false;
        std::cout.setstate(std::ios::failbit);
    }
}

} // namespace ns3
