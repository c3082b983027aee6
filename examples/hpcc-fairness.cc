/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Flows to one host join one after the other and leave when they are done. How fast do they come to
// share the link? After figure 9d of "HPCC: High Precision Congestion Control" (SIGCOMM 2019).

#include "ns3/hpcc-experiment.h"

using namespace ns3;

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        uint32_t flows = 4;
        uint64_t bytes = 20000000;
        Time gap = MilliSeconds(1);
        DataRate rate("100Gbps");
        Time delay = MicroSeconds(1);
        HpccExperiment experiment("hpcc-fairness",
                                  "Flows join one after the other and share a link",
                                  "hpcc++,hpcc,dcqcn");
        experiment.AddOption("flows", "number of flows, at least 1", flows);
        experiment.AddOption("bytes", "payload of each flow, bytes, at least 1", bytes);
        experiment.AddOption("gap", "time between two joins", gap);
        experiment.AddOption("rate", "rate of every link", rate);
        experiment.AddOption("delay", "propagation delay of every link", delay);
        experiment.Parse(argc, argv);
        if (flows < 1)
        {
            throw HpccInputError("--flows: 0 is not allowed; at least 1");
        }
        if (bytes < 1)
        {
            throw HpccInputError("--bytes: 0 is not allowed; at least 1");
        }
        HpccExperiment::Scenario scenario;
        scenario.topology = HpccTopology::Star(flows + 1, {rate, rate, delay});
        for (uint32_t i = 0; i < flows; ++i)
        {
            scenario.flows.push_back({i, flows, bytes, i * gap.GetNanoSeconds(), 0, 0});
        }
        scenario.perFlowSeries = true;
        experiment.Run(scenario);
    });
}
