/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Runs one row of the covering arrays of ./hpcc pairs. A row is a combination of policy, format,
// feedback, recovery, paths, ports, flow control, switch parts, transport and fault. The program
// runs the row in two scenarios: an incast, and a short flow that joins a long flow. It compares
// the results with the bounds of doc/pairs.rst. With --list, the program only prints all available
// names.

#include "hpcc-ip-flows.h"
#include "hpcc-pairs/hpcc-pairs-judge.h"
#include "hpcc-pairs/hpcc-pairs-row.h"

#include "ns3/config.h"
#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-presets.h"
#include "ns3/rdma-repathing.h"
#include "ns3/string.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t INCAST_SENDERS = 8;
constexpr uint64_t INCAST_BYTES = 600000;
constexpr uint64_t LONG_BYTES = 1600000;
constexpr uint64_t SHORT_BYTES = 800000;
constexpr int64_t START_NS = 10000;

/// Options that have no effect in a row. HpccExperiment would refuse them, so this program does not
/// pass them on.
struct IdleOptions
{
    bool telemetry{false}; ///< true if the policy reads no telemetry
    bool marking{false};   ///< true if the policy sends no packets that the Marker marks
};

/**
 * Returns the options of a row that have no effect.
 * @param arguments arguments of the command line
 * @param row the row that the arguments describe
 */
IdleOptions
FindIdleOptions(const std::vector<std::string>& arguments, const HpccPairsRow& row)
{
    IdleOptions idle;
    for (const auto& argument : arguments)
    {
        const std::string name = argument.substr(argument.find('=') + 1);
        if (argument.rfind("--cc=", 0) != 0 || name.find(',') != std::string::npos)
        {
            continue;
        }
        const auto other = HPCC_IP_POLICIES.find(name);
        if (other != HPCC_IP_POLICIES.end())
        {
            idle.telemetry = other->second.feedbacks.empty();
            break;
        }
        const auto spec = HpccFabricHelper::MakePolicy(name);
        ObjectFactory repathing; // with an RdmaRepathing, packets of any policy may be ECN-capable
        idle.telemetry = spec.feedbackName == "none";
        idle.marking = spec.Describe().ecn != RdmaPolicyDescription::ECT0 &&
                       row.entropy == HpccPairsRow::NOTHING &&
                       !HpccPresets::Find(RdmaRepathing::GetTypeId(), row.paths, repathing);
        break;
    }
    return idle;
}

/// Returns the row that the command line describes.
HpccPairsRow
ReadRow(const std::vector<std::string>& arguments)
{
    HpccPairsRow row;
    const std::map<std::string, std::string*> options{{"--transport", &row.transport},
                                                      {"--fault", &row.fault},
                                                      {"--paths", &row.paths},
                                                      {"--flow-control", &row.flowControl},
                                                      {"--feedback", &row.feedback},
                                                      {"--recovery", &row.recovery},
                                                      {"--ports", &row.ports},
                                                      {"--entropy", &row.entropy}};
    for (const auto& argument : arguments)
    {
        const size_t end = argument.find('=');
        const auto option = options.find(argument.substr(0, end));
        if (end != std::string::npos && option != options.end())
        {
            *option->second = argument.substr(end + 1);
        }
    }
    return row;
}

/**
 * Returns the command line of HpccExperiment for a row.
 * @param arguments arguments of the command line
 * @param row the row that the arguments describe
 */
std::vector<std::string>
MakeArguments(const std::vector<std::string>& arguments, const HpccPairsRow& row)
{
    const IdleOptions idle = FindIdleOptions(arguments, row);
    std::vector<std::string> rest{"--progress=false"};
    for (const auto& argument : arguments)
    {
        auto is = [&argument](const char* option) { return argument.rfind(option, 0) == 0; };
        if (argument == "--telemetry=" + HpccPairsRow::OWN || is("--recovery=") || is("--ports=") ||
            (idle.telemetry && (is("--telemetry=") || is("--feedback="))) ||
            argument == "--trimming=" + HpccPairsRow::NOTHING ||
            argument == "--entropy=" + HpccPairsRow::NOTHING ||
            argument == "--nic=" + HpccPairsRow::IDEAL || (idle.marking && is("--marking=")))
        {
            continue;
        }
        rest.push_back(argument);
    }
    const bool fails = row.fault == HpccPairsRow::FAILURE;
    if (fails)
    {
        rest.emplace_back("--convergence=20us");
    }
    if (row.ports != HpccPairsRow::ONE)
    {
        const std::string& move = HpccPairsRow::MOVE;
        std::string ports = row.ports;
        const size_t suffix = ports.size() - std::min(ports.size(), move.size());
        if (!fails && ports.substr(suffix) == move)
        {
            ports.resize(suffix); // remove the suffix +move, because without an outage no queue
                                  // pair moves
        }
        rest.push_back("--ports=" + ports);
    }
    if (row.transport == HpccPairsRow::RDMA && !row.recovery.empty())
    {
        rest.push_back("--recovery=" + row.recovery);
    }
    return rest;
}

/**
 * Makes an experiment run the flows of a transport other than RDMA.
 * @param experiment the experiment before Parse()
 * @param row the row
 */
void
UseOtherTransport(HpccExperiment& experiment, const HpccPairsRow& row)
{
    std::map<std::string, HpccExperiment::OtherPolicy> own;
    for (const auto& [name, policy] : HPCC_IP_POLICIES)
    {
        if (name.rfind(row.transport + "-", 0) == 0)
        {
            own[name] = policy;
        }
    }
    experiment.SetOtherPolicies(own, "probe");
    if (!row.recovery.empty() && row.recovery != HpccPairsRow::NOTHING)
    {
        Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", StringValue("ns3::" + row.recovery));
    }
    const auto repathings = HpccPresets::Names(RdmaRepathing::GetTypeId());
    HPCC_REFUSE_IF(std::find(repathings.begin(), repathings.end(), row.paths) != repathings.end(),
                   "--paths " + row.paths + ": it moves queue pairs; transport " + row.transport +
                       " has none");
}

/// Runs both scenarios of a row: the incast, and the short flow that joins a long flow.
/// @param judge runs and judges the scenarios
void
RunScenarios(HpccPairsJudge& judge)
{
    std::vector<HpccFlowPlan> incast;
    for (uint32_t i = 0; i < INCAST_SENDERS; ++i)
    {
        incast.push_back({i, INCAST_SENDERS, INCAST_BYTES, START_NS, 0, 0});
    }
    judge.Run("incast",
              DataRate("56Gbps"),
              DataRate("400Gbps"),
              INCAST_SENDERS,
              incast,
              "16-18@70us-110us,16-19@150us-190us");
    judge.Run(
        "long-short",
        DataRate("25Gbps"),
        DataRate("100Gbps"),
        2,
        {{0, 2, LONG_BYTES, START_NS, 0, 0}, {1, 2, SHORT_BYTES, HpccPairsJudge::JOIN_NS, 0, 0}},
        "4-6@300us-400us,4-7@500us-600us");
}

/// Suppresses standard output as long as this object exists.
class Muted
{
  public:
    Muted()
        : m_terminal(std::cout.rdbuf(m_text.rdbuf()))
    {
    }

    ~Muted()
    {
        std::cout.rdbuf(m_terminal);
    }

  private:
    std::ostringstream m_text;
    std::streambuf* m_terminal;
};

} // namespace

int
main(int argc, char* argv[])
{
    int verdict = 0;
    const int code = HpccExperiment::Main([&] {
        const std::vector<std::string> arguments(argv + 1, argv + argc);
        HpccPairsRow row = ReadRow(arguments);
        if (std::find(arguments.begin(), arguments.end(), "--list") != arguments.end())
        {
            HpccPairsRow::PrintFamilies(std::cout);
            return;
        }
        std::vector<std::string> rest = MakeArguments(arguments, row);
        row.Check();
        HpccExperiment experiment("hpcc-pairs", "One row of ./hpcc pairs", "hpcc++");
        experiment.AddOption("transport", "transport of the row", row.transport);
        experiment.AddOption("fault", "fault of the row", row.fault);
        if (row.transport != HpccPairsRow::RDMA)
        {
            UseOtherTransport(experiment, row);
        }
        std::vector<char*> pointers{argv[0]};
        for (auto& argument : rest)
        {
            pointers.push_back(argument.data());
        }
        experiment.Parse(static_cast<int>(pointers.size()), pointers.data());
        HpccPairsJudge judge(experiment, row);
        {
            const Muted tables; // suppress the tables of the runs: this program prints only the
                                // verdict
            if (row.transport != HpccPairsRow::RDMA)
            {
                experiment.SetPolicyAttribute("N", std::to_string(INCAST_SENDERS));
            }
            RunScenarios(judge);
        }
        experiment.WriteManifest(experiment.GetOut());
        verdict = judge.Report();
    });
    return code ? code : verdict;
}
