/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A user's program with a user-defined telemetry format, feedback sampling and path selector. It
// runs eight flows over two spines to one host, and prints the bytes that each spine has forwarded.

#include "ns3/hpcc-experiment.h"
#include "ns3/qbb-net-device.h"
#include "ns3/qbb-switch.h"

#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        constexpr uint32_t hosts = 16;
        uint64_t bytes = 500000;
        HpccExperiment experiment("parts", "Flows with parts that a user wrote", "hpcc++");
        experiment.AddOption("bytes", "payload of each flow, bytes", bytes);
        experiment.Parse(argc, argv);
        HpccExperiment::Scenario scenario;
        scenario.topology = HpccTopology::LeafSpine(2, 2, hosts / 2, {});
        for (uint32_t host = 0; host < hosts / 2; ++host)
        {
            scenario.flows.push_back({host, hosts / 2, bytes, 0, 0, 0});
        }
        scenario.finished =
            [](HpccFabricHelper& fabric, const std::vector<HpccFlowPlan>&, const HpccMonitor&) {
                for (uint32_t spine : {hosts + 2, hosts + 3})
                {
                    uint64_t forwarded = 0;
                    for (const auto* port : fabric.GetSwitch(spine)->GetPorts())
                    {
                        forwarded += port->GetTxBytes();
                    }
                    std::cout << "spine " << spine << " " << forwarded << std::endl;
                }
            };
        experiment.Run(scenario);
    });
}
