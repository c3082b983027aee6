/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// One short flow, or several that start together, join a long flow on a link. How soon does the
// long flow yield bandwidth, and how soon does it regain the link? The example follows figures 9a
// and 9c of "HPCC: High Precision Congestion Control" (SIGCOMM 2019), whose testbed has 25 Gb/s and
// a base RTT of 5.4 us.

#include "ns3/hpcc-experiment.h"

using namespace ns3;

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        uint64_t longBytes = 12000000;
        uint64_t shortBytes = 1000000;
        uint32_t shorts = 1;
        Time join = MilliSeconds(1);
        DataRate rate("25Gbps");
        Time delay = NanoSeconds(1160);
        HpccExperiment experiment("hpcc-long-short",
                                  "Short flows join a long one on the same link",
                                  "hpcc++,hpcc,dcqcn");
        experiment.AddOption("long-bytes",
                             "payload of the long flow, bytes, at least 1",
                             longBytes);
        experiment.AddOption("short-bytes",
                             "payload of a short flow, bytes, at least 1",
                             shortBytes);
        experiment.AddOption("shorts", "number of short flows, at least 1", shorts);
        experiment.AddOption("join", "start of the short flows", join);
        experiment.AddOption("rate", "rate of every link", rate);
        experiment.AddOption("delay", "propagation delay of every link", delay);
        experiment.Parse(argc, argv);
        HPCC_REFUSE_IF(longBytes < 1 || shortBytes < 1,
                       "--long-bytes and --short-bytes: at least 1");
        RequireRange("--shorts", shorts, 1, HpccTopology::MAX_NODES);
        HpccExperiment::Scenario scenario;
        uint32_t receiver = shorts + 1;
        scenario.topology = HpccTopology::Star(receiver + 1, {rate, rate, delay});
        scenario.flows = {{0, receiver, longBytes, 0, 0, 0}};
        for (uint32_t host = 1; host < receiver; ++host)
        {
            scenario.flows.push_back({host, receiver, shortBytes, join.GetNanoSeconds(), 0, 0});
        }
        scenario.perFlowSeries = true;
        experiment.Run(scenario);
    });
}
