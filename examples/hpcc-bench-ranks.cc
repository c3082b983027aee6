/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Measures the speed of a simulation in one process or in several processes, and prints it as one
// JSON object. The speed is based on wall-clock time. This time does not include the start and end
// of MPI and the construction of the network. examples/bench-ranks.py compares one process with
// several processes.

#include "hpcc-bench-permutation.h"

#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-ranks.h"

#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        uint32_t k = 8;
        Time duration = MicroSeconds(400);
        HpccExperiment experiment("hpcc-bench-ranks",
                                  "Packet-hops per second of one process or, with --mpi, of "
                                  "several, for a permutation of a fat-tree's hosts in which each "
                                  "flow crosses the core",
                                  "hpcc");
        experiment.AddOption("k", "ports of a switch, even", k);
        experiment.AddOption("duration", "simulated time", duration);
        experiment.Parse(argc, argv);
        HPCC_REFUSE_IF(duration < MicroSeconds(1), "--duration is at least 1us");
        HPCC_REFUSE_IF(experiment.GetPolicies().size() > 1, "--cc: a benchmark runs one policy");
        const Ptr<HpccRanks> ranks = experiment.GetRanks();
        if (ranks)
        {
            ranks->Begin();
        }
        Load load{HpccTopology::FatTree(k, {}),
                  1,
                  duration,
                  experiment.GetPolicies().front(),
                  experiment.GetTelemetry(),
                  false,
                  [&](auto& fabric, const auto& topology) { experiment.SetUp(fabric, topology); },
                  [&] { experiment.RefuseIdleDefaults(); }};
        const Measurement m = RunPermutation(load);
        if (ranks)
        {
            ranks->End();
        }
        const auto hops = static_cast<double>(m.packetHops);
        std::cout << "{\"benchmark\": \"ranks-fat-tree-k" << k
                  << "\", \"ranks\": " << (ranks ? ranks->GetSize() : 1)
                  << ", \"packet_hops\": " << m.packetHops << ", \"seconds\": " << m.seconds
                  << ", \"packet_hops_per_second\": " << static_cast<uint64_t>(hops / m.seconds)
                  << "}" << std::endl;
    });
}
