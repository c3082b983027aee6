/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Random flows in a k-ary fat-tree: every host starts flows as a Poisson process to uniformly
// chosen hosts. The logarithm of flow sizes is uniformly distributed. What are the completion times
// by size?

#include "ns3/hpcc-experiment.h"
#include "ns3/random-variable-stream.h"

#include <cmath>

using namespace ns3;

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        uint32_t k = 4;
        double load = 0.5;
        Time duration = MicroSeconds(500);
        uint64_t minBytes = 1000;
        uint64_t maxBytes = 1000000;
        DataRate rate("100Gbps");
        Time delay = MicroSeconds(1);
        HpccExperiment experiment("hpcc-fat-tree",
                                  "Random flows in a fat-tree",
                                  "hpcc++,hpcc,dcqcn");
        experiment.AddOption("k", "ports of a switch, even, 2 to 80; there are k^3/4 hosts", k);
        experiment.AddOption("load",
                             "payload per host divided by its line rate, above 0, at most 1",
                             load);
        experiment.AddOption("duration", "time during which flows start", duration);
        experiment.AddOption("min-bytes",
                             "smallest payload of a flow, bytes, at least 1",
                             minBytes);
        experiment.AddOption("max-bytes",
                             "largest payload of a flow, bytes, above --min-bytes",
                             maxBytes);
        experiment.AddOption("rate", "rate of every link", rate);
        experiment.AddOption("delay", "propagation delay of every link", delay);
        experiment.Parse(argc, argv);
        HPCC_REFUSE_IF(!(load > 0 && load <= 1),
                       "--load: " + std::to_string(load) + " is not above 0 and at most 1");
        HPCC_REFUSE_IF(minBytes < 1 || maxBytes <= minBytes,
                       "--min-bytes is at least 1, --max-bytes above it");
        HpccExperiment::Scenario scenario;
        scenario.topology = HpccTopology::FatTree(k, {rate, rate, delay});
        auto hosts = static_cast<uint32_t>(scenario.topology.GetHosts().size());
        double span = std::log(static_cast<double>(maxBytes) / static_cast<double>(minBytes));
        double meanBytes = static_cast<double>(maxBytes - minBytes) / span;
        double meanGapNs = meanBytes * 8e9 / (load * static_cast<double>(rate.GetBitRate()));
        auto gap = CreateObject<ExponentialRandomVariable>();
        auto choice = CreateObject<UniformRandomVariable>();
        gap->SetStream(1000000);
        choice->SetStream(1000001);
        for (uint32_t source = 0; source < hosts; ++source)
        {
            double atNs = gap->GetValue(meanGapNs, 0);
            for (; atNs < duration.GetNanoSeconds(); atNs += gap->GetValue(meanGapNs, 0))
            {
                uint32_t destination = (source + choice->GetInteger(1, hosts - 1)) % hosts;
                double bytes =
                    static_cast<double>(minBytes) * std::exp(span * choice->GetValue(0, 1));
                scenario.flows.push_back({source,
                                          destination,
                                          static_cast<uint64_t>(bytes),
                                          static_cast<int64_t>(atNs),
                                          0,
                                          0});
            }
        }
        HPCC_REFUSE_IF(scenario.flows.empty(), "--duration: no flow starts within it");
        experiment.Run(scenario);
    });
}
