/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-experiment-checks.h"

#include "hpcc-attribute-defaults.h"
#include "hpcc-csv-file.h"
#include "hpcc-outages.h"

#include "ns3/global-value.h"
#include "ns3/hpcc-marker.h"
#include "ns3/hpcc-pfc-watchdog.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-ranks.h"
#include "ns3/hpcc-split-at.h"
#include "ns3/hpcc-telemetry-agent.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/rdma-host.h"
#include "ns3/rdma-nic.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

// The part of HpccExperiment that refuses, before the first run, options without effect and runs
// that would fail.

namespace ns3
{

namespace
{

constexpr const char* PASSED = "passed";           ///< last line that the process of Rehearse()
                                                   ///< prints if it refuses no run
constexpr const char* REFUSED = "refused: ";       ///< start of the last line that this process
                                                   ///< prints if it refuses a run
const std::string AGENT = "ns3::TelemetryAgent::"; ///< start of the names of attributes of
                                                   ///< TelemetryAgent
const std::string SETS_ANOTHER = "a short name, another option or "; ///< start of the reason why a
                                                                     ///< default has no effect

/**
 * Returns the reason for a refusal; empty if no run is refused.
 * @param said standard error of the process in which Rehearse() has built all networks
 * @param name name of the program
 */
std::string
RefusalIn(std::FILE* said, const std::string& name)
{
    std::string text;
    std::rewind(said);
    for (int c = std::fgetc(said); c != EOF; c = std::fgetc(said))
    {
        text += static_cast<char>(c);
    }
    std::istringstream in(text);
    std::string first;
    std::string last;
    for (std::string line; std::getline(in, line); last = line)
    {
        first = first.empty() ? line : first;
    }
    if (last == PASSED)
    {
        return "";
    }
    if (last.rfind(REFUSED, 0) == 0)
    {
        return last.substr(std::strlen(REFUSED));
    }
    // ns-3 has aborted and printed cond="...", msg="...", the time, and the place in the source.
    const std::string before = "msg=\"";
    const size_t begin = first.find(before);
    const size_t end = first.find("\", +", begin);
    if (begin != std::string::npos && end != std::string::npos)
    {
        first = first.substr(begin + before.size(), end - begin - before.size());
    }
    return first.empty() ? name + ": the check of the runs failed" : first;
}

/**
 * Returns true if a switch has several next hops to a host.
 * @param fabric a network
 */
bool
HasSeveralPaths(const HpccFabricHelper& fabric)
{
    const HpccTopology& topology = fabric.GetTopology();
    const std::vector<uint32_t> hosts = topology.GetHosts();
    for (uint32_t node = 0; node < topology.GetNodes(); ++node)
    {
        for (size_t i = 0; topology.IsSwitch(node) && i < hosts.size(); ++i)
        {
            const EcmpTable& routes = fabric.GetSwitch(node)->GetRoutes();
            for (uint32_t port = 0; port < fabric.GetPorts(hosts[i]); ++port)
            {
                if (routes.FindWhole(HpccFabricHelper::GetAddress(hosts[i], port)).count > 1)
                {
                    return true;
                }
            }
        }
    }
    return false;
}

} // namespace

void
HpccExperiment::Check(const Scenario& scenario, const Configure& configure)
{
    Describe(scenario.topology);
    Checks(*this).CheckStop(scenario.stop);
    const std::vector<Plan> plans = Planner(*this).MakePlans();
    Checks(*this).CheckEffects(plans, scenario);
    Rehearse(plans, scenario, configure);
    m_values->checked = true;
}

void
HpccExperiment::Rehearse(const std::vector<Plan>& plans,
                         const Scenario& scenario,
                         const Configure& configure)
{
    std::string refused;
    if (!m_values->ranks || m_values->ranks->GetRank() == 0)
    {
        std::unique_ptr<std::FILE, int (*)(std::FILE*)> said(std::tmpfile(), std::fclose);
        std::cout.flush();
        std::cerr.flush();
        const pid_t child = said ? fork() : -1;
        HPCC_REFUSE_IF(child < 0, m_values->name + ": cannot start a process that checks the runs");
        if (child == 0)
        {
            dup2(fileno(said.get()), STDERR_FILENO);
            std::cout.setstate(std::ios::failbit);
            refused = RehearseHere(plans, scenario, configure);
            std::cerr << '\n' << (refused.empty() ? PASSED : REFUSED + refused) << std::endl;
            std::_Exit(0);
        }
        int status = 0;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        {
        }
        refused = RefusalIn(said.get(), m_values->name);
    }
    if (m_values->ranks)
    {
        refused = m_values->ranks->Exchange(refused).front();
    }
    HPCC_REFUSE_IF(!refused.empty(), refused);
}

std::string
HpccExperiment::RehearseHere(const std::vector<Plan>& plans,
                             const Scenario& scenario,
                             const Configure& configure)
{
    if (m_values->ranks)
    {
        // This process must not finalise MPI, which only the parent process may do. The destructor
        // of the ranks would finalise MPI. Therefore an additional reference keeps the ranks alive.
        // This process ends by _Exit(), which calls no destructors.
        m_values->ranks->Ref();
        m_values->ranks = nullptr;
        GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::DefaultSimulatorImpl"));
    }
    m_values->progress = false;
    m_values->warns = false;
    try
    {
        for (const auto& plan : plans)
        {
            RunOne(plan, scenario, configure, nullptr, nullptr);
        }
        Checks(*this).CheckNoted(plans, scenario);
        Checks(*this).CheckDefaults(false);
        Checks(*this).CheckDependents();
        m_values->untilUsed = true;
        for (const auto& plan : plans)
        {
            if (Checks(*this).HasIdleDefaults())
            {
                RunOne(plan, scenario, configure, nullptr, nullptr);
            }
        }
        Checks(*this).CheckDefaults(true);
    }
    catch (const std::exception& error)
    {
        return error.what();
    }
    return "";
}

void
HpccExperiment::Checks::CheckStop(Time stop) const
{
    if (stop >= NanoSeconds(1) && stop <= NanoSeconds(HpccFlowPlan::MAX_START_NS))
    {
        return;
    }
    std::string what =
        m_values.name + ": the end of the run, " + std::to_string(stop.GetNanoSeconds()) + " ns,";
    for (const std::string option : {"stop", "end"})
    {
        if (m_experiment.IsGiven(option))
        {
            what = "--" + option + ": \"" + m_experiment.m_given.at(option) + "\"";
        }
    }
    throw HpccInputError(what + " is outside 1ns to 100000s");
}

void
HpccExperiment::Checks::WarnOf(const HpccFabricHelper::PolicySpec& spec,
                               const HpccFabricHelper& fabric,
                               bool several) const
{
    if (!m_values.warns)
    {
        return;
    }
    // The flows do not use the policy object created here.
    const HpccAttributeDefaults::Unobserved unobserved;
    const auto policy = spec.policy.Create<RdmaCongestionOps>();
    const int64_t baseRttNs = fabric.GetNetworkBaseRttNs();
    policy->SetNetworkBaseRtt(baseRttNs);
    const bool countsFlows = spec.feedback && spec.feedback->CountsFlows();
    Warn(RdmaSettingWarnings::Find(*policy,
                                   baseRttNs,
                                   countsFlows,
                                   DescribeFlows(fabric, several && !countsFlows)));
}

void
HpccExperiment::Checks::WarnOfPaths(const HpccFabricHelper& fabric,
                                    const HpccMonitor& monitor) const
{
    if (!m_values.warns)
    {
        return;
    }
    const std::string start = m_values.name + ": warning: ";
    const bool chooses = m_experiment.IsGiven("paths") && m_values.paths != "ecmp";
    if (chooses && m_values.outages.empty() && !HasSeveralPaths(fabric))
    {
        std::cerr << start << "--paths=" << m_values.paths
                  << " has no choice: no two hosts are joined by several shortest paths"
                  << std::endl;
    }
    else if (fabric.LosesOrder())
    {
        std::cerr << start << "with --paths=" << m_values.paths
                  << " packets overtake one another, which recovery " << m_values.recovery
                  << " treats as losses" << std::endl;
    }
    const auto& flows = monitor.GetFlows();
    const bool binds = m_values.ports == "first" || m_values.ports == "turns";
    if (binds && m_experiment.IsGiven("ports") && !flows.empty() &&
        std::none_of(flows.begin(), flows.end(), [&fabric](const HpccFlowPlan& flow) {
            return fabric.HasPortChoice(flow.source, flow.destination);
        }))
    {
        std::cerr << start << "--ports=" << m_values.ports
                  << " has no choice: each flow has one closest pair of ports" << std::endl;
    }
}

void
HpccExperiment::Checks::CheckSettle(int64_t beginNs, Time stop) const
{
    HPCC_REFUSE_IF(m_experiment.IsGiven("settle") && beginNs >= stop.GetNanoSeconds(),
                   "--settle=" + m_values.settle + ": statistics would begin at " +
                       FormatUs(beginNs) + " us, but the run ends at " +
                       FormatUs(stop.GetNanoSeconds()) +
                       " us at the latest; allowed is a shorter time");
}

void
HpccExperiment::Checks::CheckEffects(const std::vector<Plan>& plans, const Scenario& scenario) const
{
    CheckConditions();
    CheckLawOptions();
    const bool undeclared = HasUnnamedPolicies(scenario);
    const Specs specs = undeclared ? Specs{} : ListSpecs(plans, scenario);
    CheckPortsAndLinks(scenario);
    HpccOutages(m_values.outages).CheckBegins(scenario.stop);
    CheckWatchdog(scenario.stop);
    if (scenario.bulk)
    {
        m_experiment.RefuseGiven({"settle"},
                                 m_values.name + " has no statistics that begin after a time");
        m_experiment.RefuseGiven({"queue-resolution"}, m_values.name + " writes no queue.csv");
    }
    ObjectFactory repathing; // with an RdmaRepathing, packets of any policy may be ECN-capable
    const bool repaths = HpccPresets::Find(RdmaRepathing::GetTypeId(), m_values.paths, repathing);
    if (m_values.entropy == "none" && !scenario.drive && !repaths && !undeclared)
    {
        CheckMarking(specs);
        CheckMarks(specs);
    }
    if (!specs.empty())
    {
        CheckHosts(specs, scenario.stop, repaths);
    }
    if (scenario.drive && !m_values.besideRdma)
    {
        CheckRdmaOptions(repaths);
    }
    CheckTelemetry(plans,
                   undeclared || std::any_of(specs.begin(), specs.end(), [](const auto& spec) {
                       return spec.format != nullptr;
                   }));
    if (m_values.pcap)
    {
        m_experiment.RefuseGiven({"ns3::PcapFileWrapper::NanosecMode"},
                                 "times in pcap files are always in ns");
        m_values.attributes.SetUsed("ns3::PcapFileWrapper::CaptureSize");
    }
}

void
HpccExperiment::Checks::CheckConditions() const
{
    for (const auto& [option, value] : m_experiment.m_given)
    {
        const size_t colons = option.rfind("::");
        TypeId tid;
        if (colons != std::string::npos &&
            TypeId::LookupByNameFailSafe(option.substr(0, colons), &tid))
        {
            const std::string why = HpccTypeId::FindUnmetCondition(tid, option.substr(colons + 2));
            if (!why.empty())
            {
                m_experiment.RefuseGiven({option}, why);
            }
        }
    }
}

void
HpccExperiment::Checks::CheckLawOptions() const
{
    for (const auto& [option, attribute] :
         {std::pair("eta", "Eta"), {"max-stage", "MaxStage"}, {"wai", "Wai"}})
    {
        if (m_values.policyAttributes.count(attribute))
        {
            m_experiment.RefuseGiven({option}, m_values.name + " sets " + attribute + " itself");
        }
        if (m_values.taken.count(attribute) == 0)
        {
            m_experiment.RefuseGiven({option},
                                     JoinNames(m_values.policies) + " has no " + attribute);
        }
    }
}

void
HpccExperiment::Checks::CheckPortsAndLinks(const Scenario& scenario) const
{
    if (m_values.outages.empty())
    {
        m_experiment.RefuseGiven({"convergence"}, "no link fails; give --fail too");
    }
    const bool moves = m_values.ports.find("+move") != std::string::npos;
    if (scenario.topology.GetMostPorts() == 1 || (moves && m_values.outages.empty()))
    {
        m_experiment.RefuseGiven({"ports"},
                                 moves && m_values.outages.empty()
                                     ? "no link fails; give --fail too"
                                     : "each host has one port");
    }
}

void
HpccExperiment::Checks::CheckWatchdog(Time stop) const
{
    ObjectFactory watchdog;
    if (m_values.watchdog.empty() ||
        !HpccPresets::Find(PfcWatchdog::GetTypeId(), m_values.watchdog, watchdog))
    {
        return;
    }
    const HpccAttributeDefaults::Unobserved unobserved;
    TimeValue detection;
    watchdog.Create<PfcWatchdog>()->GetAttribute("DetectionTime", detection);
    HPCC_REFUSE_IF(detection.Get() >= stop,
                   "--watchdog=" + m_values.watchdog +
                       " has no effect: " + watchdog.GetTypeId().GetName() + "::DetectionTime is " +
                       FormatUs(detection.Get().GetNanoSeconds()) + " us, but the run ends at " +
                       FormatUs(stop.GetNanoSeconds()) +
                       " us at the latest; allowed is a shorter DetectionTime");
}

void
HpccExperiment::Checks::CheckMarking(const Specs& specs) const
{
    // A port agent of the policy, not the Marker, marks ECT(1) packets.
    if (std::all_of(specs.begin(), specs.end(), [](const auto& spec) {
            return spec.Describe().ecn != RdmaPolicyDescription::ECT0;
        }))
    {
        const std::string why = "no policy of this run sends ECN-capable packets with ECT(0)";
        m_experiment.RefuseGiven({"marking"}, why);
        m_experiment.RefuseGivenOf(Marker::GetTypeId(), {}, why);
    }
}

void
HpccExperiment::Checks::CheckRdmaOptions(bool repaths) const
{
    const std::string why = "no flow of this run uses RDMA";
    if (repaths)
    {
        m_experiment.RefuseGiven({"paths"}, why);
    }
    m_experiment.RefuseGiven(
        {"recovery", "bdp-cap", "qp-csv", "ack-priority", "nic", "trimming", "entropy", "evs"},
        why);
    // The allowed attributes also affect TCP. By default the size of TCP's segments is
    // RdmaHost::Mtu, and the network's base RTT is computed from the sizes of RDMA packets.
    m_experiment.RefuseGivenOf(RdmaHost::GetTypeId(),
                               {"Mtu", "Ipv6", "WireProfile", "AuthorsHeaderBytes"},
                               why);
    m_experiment.RefuseGivenOf(RdmaNic::GetTypeId(), {}, why);
}

void
HpccExperiment::Checks::CheckTelemetry(const std::vector<Plan>& plans, bool besideReads) const
{
    const bool carries = std::any_of(plans.begin(), plans.end(), [](const Plan& plan) {
        return plan.spec.feedbackName != "none";
    });
    if (carries)
    {
        return;
    }
    std::string readsNone;
    for (const auto& policy : m_values.policies)
    {
        readsNone += (readsNone.empty() ? "policy " : ", policy ") + policy;
    }
    readsNone += m_values.policies.size() > 1 ? " read no telemetry" : " reads no telemetry";
    for (const auto& [given, value] : m_experiment.m_given)
    {
        const bool agents = given.rfind(TelemetryAgent::GetTypeId().GetName() + "::", 0) == 0;
        const bool idle = given == "telemetry" || given == "feedback" ||
                          (!besideReads && (given == "borders" || agents));
        if (idle && !value.empty())
        {
            m_experiment.RefuseGiven({given}, readsNone);
        }
    }
}

void
HpccExperiment::Checks::CheckMarks(const Specs& specs) const
{
    std::map<std::string, std::pair<bool, bool>> marks; // by format, two flags: true if a UDP port
                                                        // marks packets; true if a DSCP marks
                                                        // packets
    bool responds = false;                              // true if switch responses use a format of
                                                        // their own
    for (const auto& spec : specs)
    {
        responds = responds || (spec.feedback && !spec.feedback->GetSwitchAgent().empty());
        if (spec.format)
        {
            auto& [port, dscp] = marks[spec.format->GetInstanceTypeId().GetName()];
            port = port || spec.format->GetMarking().udpPort > 0;
            dscp = dscp || spec.format->GetMarking().dscp >= 0;
        }
    }
    for (const auto& [format, by] : marks)
    {
        if (!by.first && !responds)
        {
            m_experiment.RefuseGiven({format + "::UdpPort"}, "no UDP port marks its packets");
        }
        if (!by.second)
        {
            m_experiment.RefuseGiven({format + "::Dscp"}, "no DSCP marks its packets");
        }
    }
}

void
HpccExperiment::Checks::CheckDefaults(bool simulated) const
{
    for (const auto& unused : m_values.attributes.GetUnused())
    {
        if (m_experiment.m_defaults.count(unused.name) ||
            (!simulated && MayBeMadeLater(unused.tid)) ||
            (!m_values.otherPolicies.empty() && !unused.known))
        {
            continue;
        }
        throw HpccInputError("--" + unused.name + "=" + unused.text + " has no effect: " +
                             (unused.made
                                  ? SETS_ANOTHER + m_values.name + " itself sets another value"
                                  : "there is no " + unused.tid.GetName() + " in this run"));
    }
    CheckFormatDefaults();
}

void
HpccExperiment::Checks::CheckFormatDefaults() const
{
    if (!m_values.formats.empty() && !(m_values.formatFields & TELEMETRY_TIMESTAMP))
    {
        m_experiment.RefuseGiven(
            {AGENT + "ClockOffset", AGENT + "ClockDriftPpm", AGENT + "ClockResolution"},
            "no telemetry format of this run carries timestamps");
    }
    if (!m_values.formats.empty() && !(m_values.formatFields & TELEMETRY_UTILIZATION) &&
        !m_experiment.IsGiven(AGENT + "Bandwidth"))
    {
        m_experiment.RefuseGiven({AGENT + "UtilizationWindow"},
                                 "no telemetry format of this run carries the utilisation");
    }
    if (!m_values.formats.empty() && !m_values.insertsRecords)
    {
        m_experiment.RefuseGiven({AGENT + "Insertion",
                                  AGENT + "IntervalScope",
                                  AGENT + "Interval",
                                  AGENT + "CongestionThreshold",
                                  AGENT + "QueueScope"},
                                 "the switches have another agent for each telemetry format of "
                                 "this run, which writes into every packet");
    }
    if (m_values.insertsRecords && !m_values.reportsQueues &&
        !m_experiment.IsGiven(AGENT + "Insertion"))
    {
        m_experiment.RefuseGiven({AGENT + "QueueScope"},
                                 "no telemetry format of this run carries the length of a queue");
    }
    const TypeId base = TelemetryFormat::GetTypeId();
    for (uint16_t i = 0; !m_values.formats.empty() && i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        const bool inUse =
            std::any_of(m_values.formats.begin(),
                        m_values.formats.end(),
                        [tid](const TypeId& used) { return used == tid || used.IsChildOf(tid); });
        for (size_t j = 0; tid.IsChildOf(base) && j < tid.GetAttributeN(); ++j)
        {
            const std::string name = tid.GetName() + "::" + tid.GetAttribute(j).name;
            if (m_values.formatValues.count(name) == 0)
            {
                m_experiment.RefuseGiven({name},
                                         inUse ? SETS_ANOTHER + m_values.name +
                                                     " itself sets another value"
                                               : "there is no " + tid.GetName() + " in this run");
            }
        }
    }
}

void
HpccExperiment::Checks::NoteFormats(const Plan& plan, const HpccFabricHelper& fabric)
{
    for (const auto& format : fabric.GetFormats())
    {
        NoteFormat(*format);
    }
    ObjectFactory factory; // makes the telemetry format of a run with TCP or UDP
    if (HpccPresets::Find(TelemetryFormat::GetTypeId(), plan.spec.telemetryName, factory))
    {
        const auto format = factory.Create<TelemetryFormat>();
        NoteFields(*format);
        if (m_values.formats.count(factory.GetTypeId()) == 0)
        {
            NoteFormat(*format);
        }
    }
}

void
HpccExperiment::Checks::NoteFields(const TelemetryFormat& format)
{
    const uint16_t fields = format.GetCapabilities().fields;
    m_values.formatFields |= fields;
    if (format.GetSwitchAgent().empty())
    {
        const bool sojourn = fields & TELEMETRY_HOP_LATENCY;
        m_values.insertsRecords = true;
        m_values.reportsQueues = m_values.reportsQueues || fields & TELEMETRY_QUEUE ||
                                 (fields & TELEMETRY_QUEUE_DELAY && !sojourn);
    }
}

void
HpccExperiment::Checks::NoteFormat(const TelemetryFormat& format)
{
    const TypeId type = format.GetInstanceTypeId();
    m_values.formats.insert(type);
    NoteFields(format);
    // A setter may change the notation of a value. Therefore compare the values that objects
    // return.
    const auto plain = type.HasConstructor()
                           ? ObjectFactory(type.GetName()).Create<TelemetryFormat>()
                           : Ptr<TelemetryFormat>();
    for (TypeId tid = type; tid.IsChildOf(TelemetryFormat::GetTypeId()); tid = tid.GetParent())
    {
        for (size_t i = 0; i < tid.GetAttributeN(); ++i)
        {
            const std::string attribute = tid.GetAttribute(i).name;
            const std::string name = tid.GetName() + "::" + attribute;
            StringValue given;
            StringValue value;
            if (m_experiment.IsGiven(name) &&
                (!plain || !plain->GetAttributeFailSafe(attribute, given) ||
                 !format.GetAttributeFailSafe(attribute, value) || given.Get() == value.Get()))
            {
                m_values.formatValues.insert(name);
            }
        }
    }
}

bool
HpccExperiment::Checks::MayBeMadeLater(TypeId tid) const
{
    if (m_values.otherPolicies.empty() || tid.IsChildOf(RdmaCongestionOps::GetTypeId()))
    {
        return false;
    }
    bool ofAnother = false;
    for (const auto& [name, other] : m_values.otherPolicies)
    {
        ofAnother = ofAnother || other.className == tid.GetName();
    }
    for (const auto& policy : m_values.policies)
    {
        const auto found = m_values.otherPolicies.find(policy);
        ofAnother = ofAnother && (found == m_values.otherPolicies.end() ||
                                  found->second.className != tid.GetName());
    }
    return !ofAnother;
}

bool
HpccExperiment::Checks::HasIdleDefaults() const
{
    const auto unused = m_values.attributes.GetUnused();
    return std::any_of(unused.begin(), unused.end(), [this](const auto& one) {
        return one.known && m_experiment.m_defaults.count(one.name) == 0;
    });
}

void
HpccExperiment::RefuseFabricOptions(const std::vector<std::string>& options,
                                    const std::string& why) const
{
    RefuseGiven(options, why);
    for (const auto& [option, value] : m_given)
    {
        if (m_values->fabricOptions.count(option) > 0 || HpccAttributeDefaults::IsFullName(option))
        {
            RefuseGiven({option}, why);
        }
    }
}

} // namespace ns3
