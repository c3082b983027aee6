/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A link fails and is restored while every host sends across the network. How much is lost, how
// deep is the dip in throughput, and how do the path selectors (--paths) compare?

#include "ns3/hpcc-experiment.h"

#include <algorithm>
#include <iostream>

using namespace ns3;

namespace
{

constexpr uint32_t MAX_FLOWS = 1000000; ///< largest number of flows per host

} // namespace

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        std::string topology = "leaf-spine:2,4,8";
        uint32_t flowsPerHost = 2;
        uint64_t bytes = 4000000;
        HpccExperiment experiment("hpcc-failure",
                                  "A link fails while every host sends to a host in the other "
                                  "half of the network; by default (--fail) the first link "
                                  "between switches, from 200 us to 600 us",
                                  "hpcc++,dcqcn");
        experiment.AddOption("topology",
                             "the network, such as fat-tree:4: " + HpccTopology::Usage(),
                             topology);
        experiment.AddOption("flows", "flows of each host, at least 1", flowsPerHost);
        experiment.AddOption("bytes", "payload of each flow, bytes, at least 1", bytes);
        experiment.Parse(argc, argv);
        RequireRange("--flows", flowsPerHost, 1, MAX_FLOWS);
        RequireAtLeast("--bytes", bytes, 1);
        HpccExperiment::Scenario scenario;
        scenario.topology = HpccTopology::ByName(topology);
        const auto& links = scenario.topology.GetLinks();
        const auto between =
            std::find_if(links.begin(), links.end(), [&scenario](const auto& link) {
                return scenario.topology.IsSwitch(link.a) && scenario.topology.IsSwitch(link.b);
            });
        if (between != links.end())
        {
            experiment.SetOutages(std::to_string(between->a) + "-" + std::to_string(between->b) +
                                  "@200us-600us");
        }
        const auto hosts = scenario.topology.GetHosts();
        for (size_t i = 0; i < hosts.size(); ++i)
        {
            for (uint32_t flow = 0; flow < flowsPerHost; ++flow)
            {
                uint32_t other = hosts[(i + hosts.size() / 2) % hosts.size()];
                scenario.flows.push_back({hosts[i], other, bytes, 0, 0, 0});
            }
        }
        scenario.perFlowSeries = true;
        experiment.Run(scenario);
        if (between == links.end() && !experiment.IsGiven("fail"))
        {
            std::cerr << "hpcc-failure: warning: no link failed, because --topology=" << topology
                      << " has no link between switches; --fail names another link\n";
        }
    });
}
