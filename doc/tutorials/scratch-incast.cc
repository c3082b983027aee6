/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/hpcc-experiment.h"

using namespace ns3;

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        HpccExperiment experiment("scratch-incast", "An incast of four hosts.", "hpcc++,dcqcn");
        experiment.Parse(argc, argv);
        HpccExperiment::Scenario scenario;
        scenario.topology = HpccTopology::Star(5, {});
        for (uint32_t source = 0; source < 4; ++source)
        {
            scenario.flows.push_back({source, 4, 500000, 0, 0, 0});
        }
        experiment.Run(scenario);
    });
}
