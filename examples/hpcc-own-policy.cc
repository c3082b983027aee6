/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Shows how a user's program can use a congestion control of its own. The policy of
// hpcc-own-policy.h is not part of the module. Nevertheless, --cc accepts its name in addition to
// the names of the module's policies.

#include "hpcc-own-policy.h"

#include "ns3/hpcc-experiment.h"

using namespace ns3;

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        uint32_t senders = 8;
        uint64_t bytes = 2000000;
        HpccExperiment experiment("hpcc-own-policy",
                                  "An incast with a policy that is defined in this program",
                                  "aimd,aimd:gentle,hpcc++");
        experiment.AddOption("senders", "hosts that send, at least 1", senders);
        experiment.AddOption("bytes", "payload of each sender, bytes, at least 1", bytes);
        experiment.Parse(argc, argv);
        RequireRange("--senders", senders, 1, HpccTopology::MAX_NODES);
        RequireAtLeast("--bytes", bytes, 1);
        HpccExperiment::Scenario scenario;
        scenario.topology = HpccTopology::Star(senders + 1, {});
        for (uint32_t i = 0; i < senders; ++i)
        {
            scenario.flows.push_back({i, senders, bytes, 0, 0, 0});
        }
        experiment.Run(scenario);
    });
}
