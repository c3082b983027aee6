/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Runs the input files of other simulators.
//
// --config runs a config of the HPCC authors' simulator
// (alibaba-edu/High-Precision-Congestion-Control) with the same network, the same flows, and the
// same packet sizes (wire profile) as that simulator. The program writes the files fct, pfc and
// qlen, in the formats of that simulator, to --out, together with the module's tables. With
// --config-outputs, it writes these three files to the paths in the config.
//
// --cm runs a connection matrix of uet-htsim (ultraethernet/uet-htsim), the reference simulator of
// Ultra Ethernet, in a topology of that simulator.

#include "hpcc-run/hpcc-authors-policies.h"
#include "hpcc-run/hpcc-authors-run.h"
#include "hpcc-run/hpcc-uec-run.h"

#include "ns3/hpcc-output-directory.h"

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * Returns true if an argument begins with a text.
 * @param argc argument count of main()
 * @param argv arguments of main()
 * @param begin the text, such as "--cm="
 */
bool
HasArgument(int argc, char* argv[], const std::string& begin)
{
    return std::any_of(argv + 1, argv + argc, [&begin](const char* argument) {
        return std::string(argument).rfind(begin, 0) == 0;
    });
}

/// Prints warnings on standard error.
/// @param remarks texts of the warnings
void
Print(const std::vector<std::string>& remarks)
{
    for (const auto& remark : remarks)
    {
        std::cerr << "hpcc-run: warning: " << remark << std::endl;
    }
}

/**
 * Runs a config of the HPCC authors' simulator.
 * @param experiment the experiment after Parse()
 * @param path value of --config
 * @param configOutputs --config-outputs
 * @param acksFirst --acks-first
 */
void
RunAuthors(HpccExperiment& experiment, const std::string& path, bool configOutputs, bool acksFirst)
{
    HPCC_REFUSE_IF(configOutputs && experiment.IsRepeated(),
                   "--config-outputs: all of the --runs would write the same files; execute one "
                   "run at a time");
    experiment.SetPaths(HpccAuthorsRun::PATHS);
    HpccAuthorsConfig config(path);
    Print(config.GetRemarks());
    experiment.RefuseGiven({"feedback",
                            "eta",
                            "max-stage",
                            "wai",
                            "mtu",
                            "ethernet-overhead",
                            "ack-priority",
                            "ns3::RdmaDctcp::Marking",
                            "ns3::Sigcomm19Format::UnitMultiplier",
                            "ns3::PintFormat::LogBase",
                            "ns3::PintFormat::Probability"},
                           "the config file gives the policy, its parameters and the wire");
    experiment.RefuseGiven({"fail", "convergence"},
                           "LINK_DOWN of the config file gives the link that fails");
    auto spec = MakeAuthorsPolicy(config);
    TypeId::AttributeInformation info;
    if (!config.GetFlag("GLOBAL_T", true) &&
        spec.policy.GetTypeId().LookupAttributeByName("T", &info))
    {
        experiment.RefuseGiven({"T"},
                               "GLOBAL_T 0 of the config gives each flow the base RTT of its path");
    }
    HpccAuthorsRun run(config);
    ConfigureAuthorsRun(config, run);
    run.SetAcksFirst(acksFirst);
    run.SetOwnBaseRtt(experiment.IsGiven("T") ||
                      experiment.IsGiven(spec.policy.GetTypeId().GetName() + "::T"));
    if (!configOutputs)
    {
        run.SetOutputDirectory(experiment.GetOut());
    }
    run.CheckOutputs(experiment.GetOut(), experiment.ListTables());
    for (const auto& name : configOutputs ? std::vector<std::string>() : run.ListOutputs())
    {
        experiment.PathOf(name);
    }
    experiment.SetPolicies({GetAuthorsPolicyName(config)}, spec.format ? spec.telemetryName : "");
    experiment.Run(run.MakeScenario(spec), [&](HpccFabricHelper& fabric) {
        run.Configure(fabric);
        ConfigureAuthorsHosts(config, fabric);
    });
}

/**
 * Runs a connection matrix of uet-htsim.
 * @param experiment the experiment after Parse()
 * @param run matrix and options of the run
 */
void
RunUec(HpccExperiment& experiment, HpccUecRun& run)
{
    run.Prepare(experiment);
    Print(run.GetRemarks());
    experiment.Run(run.MakeScenario(), [&run](HpccFabricHelper& fabric) { run.Configure(fabric); });
}

} // namespace

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        std::string path;
        bool configOutputs = false;
        bool acksFirst = false;
        HpccUecRun uec;
        HpccExperiment experiment("hpcc-run",
                                  "Run a config, topology and flow file of the HPCC authors' "
                                  "simulator, or a connection matrix of uet-htsim. Relative paths "
                                  "in a config start at its folder or at the parent of that "
                                  "folder.",
                                  "none");
        experiment.AddOption("config", "config file of the HPCC authors' simulator", path);
        experiment.AddOption("config-outputs",
                             "write the fct, pfc and qlen files to the paths in the config, "
                             "overwriting existing files, instead of into --out",
                             configOutputs);
        experiment.AddOption("acks-first",
                             "switches send ACKs before data, as with the attribute AckHighPrio "
                             "of the switches in the authors' simulator",
                             acksFirst);
        uec.AddOptions(experiment);
        const bool matrix = HasArgument(argc, argv, "--cm=");
        const bool trims = !HasArgument(argc, argv, "--trimming=none");
        experiment.Parse(argc,
                         argv,
                         matrix ? HpccUecRun::Defaults(trims) : std::vector<std::string>{});
        if (matrix)
        {
            experiment.RefuseGiven({"config", "config-outputs", "acks-first"},
                                   "--cm gives the flows; allowed is one of --config and --cm");
            RunUec(experiment, uec);
            return;
        }
        experiment.RefuseGiven(HpccUecRun::ListOptions(), "there is no --cm");
        HPCC_REFUSE_IF(path.empty(), "hpcc-run: --config=FILE or --cm=FILE is needed");
        RunAuthors(experiment, path, configOutputs, acksFirst);
    });
}
