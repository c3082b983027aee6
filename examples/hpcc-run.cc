/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Runs a config of the HPCC authors' simulator (alibaba-edu/High-Precision-Congestion-Control):
// same network, same flows, same wire profile. Writes its fct, pfc and qlen files next to our
// tables in --out, or with --config-outputs where the config specifies.

#include "hpcc-run/hpcc-authors-policies.h"
#include "hpcc-run/hpcc-authors-run.h"

#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        std::string path;
        bool configOutputs = false;
        bool acksFirst = false;
        HpccExperiment experiment(
            "hpcc-run",
            "Run a config, topology and flow file of the HPCC authors' simulator. "
            "Relative paths count from the config file or its parent folder.",
            "none");
        experiment.AddOption("config", "the config file", path);
        experiment.AddOption("config-outputs",
                             "write fct, pfc and qlen files where the config says, over what is "
                             "there, instead of into --out",
                             configOutputs);
        experiment.AddOption("acks-first",
                             "ACKs precede data in switches, as with attribute AckHighPrio of that "
                             "simulator's switches",
                             acksFirst);
        experiment.Parse(argc, argv);
        experiment.SetPaths(HpccAuthorsRun::PATHS);
        if (path.empty())
        {
            throw HpccInputError("hpcc-run: --config=FILE is needed");
        }
        HpccAuthorsConfig config(path);
        for (const auto& remark : config.GetRemarks())
        {
            std::cerr << remark << std::endl;
        }
        experiment.RefuseGiven(
            {"feedback", "eta", "max-stage", "wai", "mtu", "ethernet-overhead", "ack-priority"},
            "the config file gives the policy, its parameters and the wire");
        auto spec = MakeAuthorsPolicy(config);
        HpccAuthorsRun run(config);
        ConfigureAuthorsRun(config, run);
        run.SetAcksFirst(acksFirst);
        if (!configOutputs)
        {
            run.SetOutputDirectory(experiment.GetOut());
        }
        experiment.SetPolicies({GetAuthorsPolicyName(config)},
                               spec.format ? spec.telemetryName : "");
        experiment.Run(run.MakeScenario(spec), [&](HpccFabricHelper& fabric) {
            run.Configure(fabric);
            ConfigureAuthorsHosts(config, fabric);
        });
    });
}
