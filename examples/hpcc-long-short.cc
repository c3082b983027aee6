/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A short flow joins a long one on a link. How soon does the long flow give way, and how soon does
// it have the link back? Figure 9a of "HPCC: High Precision Congestion Control" (SIGCOMM 2019),
// whose testbed has 25 Gb/s and a base RTT of 5.4 us.

#include "ns3/hpcc-experiment.h"

using namespace ns3;

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        uint64_t longBytes = 12000000;
        uint64_t shortBytes = 1000000;
        Time join = MilliSeconds(1);
        DataRate rate("25Gbps");
        Time delay = NanoSeconds(1160);
        HpccExperiment experiment("hpcc-long-short",
                                  "A short flow joins a long one on the same link",
                                  "hpcc++,hpcc,dcqcn");
        experiment.AddOption("long-bytes",
                             "payload of the long flow, bytes, at least 1",
                             longBytes);
        experiment.AddOption("short-bytes",
                             "payload of the short flow, bytes, at least 1",
                             shortBytes);
        experiment.AddOption("join", "when the short flow starts", join);
        experiment.AddOption("rate", "rate of every link", rate);
        experiment.AddOption("delay", "propagation delay of every link", delay);
        experiment.Parse(argc, argv);
        if (longBytes < 1 || shortBytes < 1)
        {
            throw HpccInputError("--long-bytes and --short-bytes: at least 1");
        }
        HpccExperiment::Scenario scenario;
        scenario.topology = HpccTopology::Star(3, {rate, rate, delay});
        scenario.flows = {{0, 2, longBytes, 0, 0, 0},
                          {1, 2, shortBytes, join.GetNanoSeconds(), 0, 0}};
        scenario.perFlowSeries = true;
        experiment.Run(scenario);
    });
}
