/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-experiment-values.h"

#include "hpcc-experiment-checks.h"

#include "ns3/hpcc-marker.h"
#include "ns3/hpcc-packet-trimmer.h"
#include "ns3/hpcc-presets.h"
#include "ns3/rdma-entropy.h"
#include "ns3/rdma-nic.h"

// The part of HpccExperiment that defines the options of all examples.

namespace ns3
{

namespace
{

/// Returns the help text of --feedback.
/// @param others policies of another transport; empty if the policies of RDMA are allowed
std::string
DescribeFeedback(const std::map<std::string, HpccExperiment::OtherPolicy>& others)
{
    std::map<std::string, std::string> policiesOf; // policies by their modes
    for (const auto& [policy, other] : others)
    {
        std::string modes;
        for (const auto& mode : other.feedbacks)
        {
            modes += (modes.empty() ? "" : ", ") + mode;
        }
        std::string& policies = policiesOf[modes];
        policies += (policies.empty() ? "" : ", ") + policy;
    }
    std::string text = "feedback modes, separated by commas: ";
    if (others.empty())
    {
        return text + HpccPresets::Choices(RdmaFeedbackPart::GetTypeId());
    }
    policiesOf.erase(""); // policies without telemetry
    std::string separator;
    for (const auto& [modes, policies] : policiesOf)
    {
        text += separator + "for " + policies + ": " + modes;
        separator = "; ";
    }
    return text;
}

} // namespace

HpccExperiment::HpccExperiment(const std::string& name,
                               const std::string& usage,
                               const std::string& policies)
    : m_command(name),
      m_values(std::make_unique<Values>())
{
    m_values->name = name;
    m_values->ccText = policies;
    m_values->out = "results/" + name;
    m_values->usage = usage;
    AddOption("cc", "policies to compare, separated by commas", m_values->ccText);
    AddOption("telemetry",
              "telemetry formats, separated by commas; empty: the default of each policy",
              m_values->telemetry);
    AddOption("feedback", "", m_values->feedback);
    m_help.back() = [this] { // SetOtherPolicies() may be called later
        m_command.AddValue("feedback",
                           DescribeFeedback(m_values->otherPolicies),
                           m_values->feedback);
    };
    AddOption("out", "directory for the results", m_values->out);
    AddOption("seed", "seed of random numbers, at least 1", m_values->seed);
    AddOption("run", "run number of random numbers", m_values->run);
    AddOption("runs",
              "number of runs, with run numbers from --run on; tables get means and 95 % "
              "intervals, and the files of run N are in OUT/run-N",
              m_values->runs);
    AddOption("only-run",
              "with --runs: execute only the run of this number, with its files in OUT/run-N and "
              "no means",
              m_values->onlyRun);
    AddOption("parallel",
              "with --runs: concurrent runs, without effect on results; 0: the number of "
              "processors",
              m_values->parallel);
    AddOption("check",
              "only check whether all runs are possible, and end: there are no results, and --out "
              "stays as it is",
              m_values->checkOnly);
    AddTable("summary.csv", 3);
    AddOption("pcap", "write a pcap file per device", m_values->pcap);
    AddOption("qp-csv",
              "write qp.csv: the state of each queue pair at each acknowledgement",
              m_values->queuePairCsv);
    AddOption("settle",
              "time from the last start of a flow until statistics of queue and throughput begin, "
              "such as 100us; empty: 30 base RTTs",
              m_values->settle);
    AddOption("queue-resolution",
              "shortest time for which a queue length gets its own row in queue.csv, 1ns to 1ms; "
              "shorter ones are joined in rows with their mean",
              m_values->queueResolution);
    AddOption("paths",
              "selection among several shortest paths: ecmp, " +
                  HpccPresets::Choices(PathSelector::GetTypeId()) + ", " +
                  HpccPresets::Choices(RdmaRepathing::GetTypeId()),
              m_values->paths);
    AddOption("ports",
              "port of a queue pair at hosts with several ports: hash, turns, first, or the "
              "number of a port; with the suffix +move, queue pairs that a failure (--fail) "
              "leaves without a path move to other ports after --convergence",
              m_values->ports);
    AddOption("entropy",
              "choice of the entropy of each packet, and thereby its path, by hosts: none, or " +
                  HpccPresets::Choices(RdmaEntropy::GetTypeId()) +
                  "; needs a recovery that uses SACKs",
              m_values->entropy);
    AddOption("evs",
              "with --entropy: number of entropy values, 1 to 16384; default 64",
              m_values->entropyValues);
    AddOption("buffer",
              "sharing of the packet memory of a switch: " +
                  HpccPresets::Choices(BufferPolicy::GetTypeId()),
              m_values->buffer);
    AddOption("marking",
              "ECN marking in switches: " + HpccPresets::Choices(Marker::GetTypeId()),
              m_values->marking);
    AddOption("scheduler",
              "scheduler of all ports, including those of hosts: " +
                  HpccPresets::Choices(EgressScheduler::GetTypeId()),
              m_values->scheduler);
    AddOption("trimming",
              "trimming in switches when a queue is full: none, or the choice of the packet that "
              "loses its payload: " +
                  HpccPresets::Choices(PacketTrimmer::GetTypeId()),
              m_values->trimming);
    AddOption("fail",
              "link failures, separated by commas: NODE-NODE@DOWN or NODE-NODE@DOWN-UP, such as "
              "0-4@100us-1ms; NODE-NODE#K: only number K, from 0, of several links between the "
              "two; NODE: all links of a node",
              m_values->outages);
    AddOption("convergence",
              "with --fail: time from the failure or recovery of a link until all switches use "
              "new routes, and queue pairs new ports (--ports)",
              m_values->convergence);
    AddOption("borders",
              "links of a domain edge, separated by commas: SWITCH-NODE, from the inside to the "
              "outside, such as 17-16; telemetry that leaves by these links hides the network's "
              "internals",
              m_values->borders);
    AddOption("T",
              "base RTT T: network-wide, such as 4.16us, or path for the base RTT of each path; "
              "empty: the largest base RTT of the network, or path if a host's ports differ in "
              "rate or delay",
              m_values->baseRtt);
    AddOption("eta",
              "target utilization eta, for policies that have it; empty: the policy's own",
              m_values->eta);
    AddOption("max-stage",
              "maxStage, for policies that have it; empty: the policy's own",
              m_values->maxStage);
    AddOption("wai",
              "additive increase W_ai, bytes, for policies that have it; empty: the policy's own",
              m_values->wai);
    AddOption("recovery",
              "loss recovery: " + HpccPresets::Choices(RdmaRecovery::GetTypeId()) +
                  "; empty: the value of ns3::RdmaHost::Recovery",
              m_values->recovery);
    AddOption("bdp-cap",
              "largest number of packets in flight, for recoveries with such a limit; empty: its "
              "default",
              m_values->bdpCap);
    AddOption("flow-control",
              "pfc; or lossy: no PFC, switches drop packets that exceed the limit of their egress "
              "queue",
              m_values->flowControl);
    AddOption("ack-priority",
              "priority of ACKs and NAKs: data; or high, the priority of CNPs "
              "(ns3::RdmaHost::CnpDscp), so that ACKs do not wait behind data",
              m_values->ackPriority);
    AddOption("nic",
              "processing delays of the hosts: " + HpccPresets::Choices(RdmaNic::GetTypeId()) +
                  "; attributes of ns3::RdmaNic set others",
              m_values->nic);
    AddOption("mtu", "largest payload of a packet, bytes, 64 to 9000", m_values->mtu);
    AddOption("ethernet-overhead",
              "frames also occupy the link for FCS, preamble and inter-frame gap",
              m_values->ethernetOverhead);
    AddOption("max-lag",
              "longest time by which a node may lag behind ns-3's clock, for speed; results do "
              "not depend on it (ns3::NodeAgenda::MaxLag)",
              m_values->maxLag);
    AddOption("mpi",
              "synchronisation of the processes that mpirun has started: windows, distributed or "
              "null-message; empty: one process",
              m_values->mpi);
    AddOption("watchdog",
              "watchdog for queues that stay paused for ns3::PfcWatchdog::DetectionTime: "
              "pfc-watchdog, which reports them, or pfc-watchdog:drop, which drops their frames; "
              "empty: none",
              m_values->watchdog);
    AddOption("partition",
              "with --mpi: nodes of each process: pod, rack, or a list of nodes and ranks such as "
              "0-15:0,16-31:1",
              m_values->partition);
    AddOption("describe",
              "print the network with the numbers of its nodes and ports, draw it as "
              "OUT/topology.svg, and end",
              m_values->describe);
    AddOption("version",
              "print the versions of the module and of ns-3, and end",
              m_values->version);
    AddOption("progress", "report progress on standard error", m_values->progress);
    for (const auto& [option, setter] : m_options)
    {
        m_values->fabricOptions.insert(option);
    }
    for (const char* option :
         {"out", "seed", "run", "runs", "only-run", "parallel", "check", "version", "progress"})
    {
        m_values->fabricOptions.erase(option);
    }
}

HpccExperiment::~HpccExperiment() = default;

HpccRanks*
HpccExperiment::GetRanks() const
{
    return PeekPointer(m_values->ranks);
}

void
HpccExperiment::SetOtherPolicies(const std::map<std::string, OtherPolicy>& policies,
                                 const std::string& feedback)
{
    m_values->otherPolicies = policies;
    m_values->feedback = feedback;
}

void
HpccExperiment::AddTable(const std::string& file, uint32_t keys)
{
    HPCC_REFUSE_IF(!m_values->commandText.empty(),
                   "HpccExperiment::AddTable: \"" + file +
                       "\" is added after Parse(), which starts the runs of --runs; call "
                       "AddTable() before Parse()");
    m_values->mergedTables.emplace_back(file, keys);
}

bool
HpccExperiment::IsRepeated() const
{
    return m_values->runs > 1;
}

void
HpccExperiment::RefuseIdleDefaults() const
{
    Checks(*this).CheckDefaults(true);
    EndIfChecked();
}

void
HpccExperiment::SetVariants(const std::vector<Variant>& variants)
{
    m_values->variants = variants;
}

const std::string&
HpccExperiment::GetVariant() const
{
    return m_values->variant;
}

void
HpccExperiment::SetPolicyAttribute(const std::string& attribute, const std::string& value)
{
    m_values->policyAttributes[attribute] = value;
}

const std::vector<std::string>&
HpccExperiment::GetPolicies() const
{
    return m_values->policies;
}

Time
HpccExperiment::GetMaxLag() const
{
    return m_values->maxLag;
}

const std::string&
HpccExperiment::GetTelemetry() const
{
    return m_values->telemetry;
}

const std::string&
HpccExperiment::GetFeedback() const
{
    return m_values->feedback;
}

const std::string&
HpccExperiment::GetLabel() const
{
    return m_values->label;
}

void
HpccExperiment::SetOutages(const std::string& outages)
{
    m_values->outages = m_given.count("fail") ? m_values->outages : outages;
}

void
HpccExperiment::SetPaths(const std::string& paths)
{
    m_values->paths = m_given.count("paths") ? m_values->paths : paths;
}

uint32_t
HpccExperiment::GetMtu() const
{
    return m_values->mtu;
}

const std::string&
HpccExperiment::GetRecovery() const
{
    return m_values->recovery;
}

const std::string&
HpccExperiment::GetFlowControl() const
{
    return m_values->flowControl;
}

const std::string&
HpccExperiment::GetTrimming() const
{
    return m_values->trimming;
}

const std::string&
HpccExperiment::GetOut() const
{
    return m_values->out;
}

void
HpccExperiment::SetOut(const std::string& directory)
{
    m_values->root = m_values->root.empty() ? m_values->out : m_values->root;
    m_values->out = directory;
}

void
HpccExperiment::EndIfChecked() const
{
    if (m_values->checkOnly)
    {
        throw Done();
    }
}

} // namespace ns3
