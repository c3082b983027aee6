/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A trace of one's own: the window of each queue pair, in a table beside those of HpccExperiment.

#include "cut-policy.h"
#include "hpcc-own-policy.h"

#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/qbb-net-device.h"
#include "ns3/rdma-host.h"

#include <list>

using namespace ns3;

// begin sink
/// Writes the windows of a host's queue pairs.
struct WindowSink
{
    HpccCsvFile& file;
    std::string label; ///< of the run
    Ptr<RdmaHost> host;

    void Changed(uint32_t flowId, double window)
    {
        file << label << "," << FormatUs(host->GetPort().GetAgenda().NowNs()) << ","
             << host->GetPort().GetNode()->GetId() << "," << flowId << "," << FormatFixed(window, 1)
             << "\n";
    }
};

// end sink
int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        // begin connect
        HpccExperiment experiment("windows", "Four flows to one host", "aimd,cut");
        experiment.AddTable("window.csv", 4);
        experiment.Parse(argc, argv);
        HpccExperiment::Scenario scenario;
        scenario.topology = HpccTopology::Star(5, {});
        for (uint32_t source = 0; source < 4; ++source)
        {
            scenario.flows.push_back({source, 4, 1000000, 0, 0, 0});
        }
        HpccCsvFile file(experiment.PathOf("window.csv"),
                         "cc,time_us,host,queue_pair,window_bytes");
        scenario.tables = {&file};
        std::list<WindowSink> sinks;
        scenario.connected = [&](HpccFabricHelper& fabric) {
            for (uint32_t source = 0; source < 4; ++source)
            {
                const Ptr<RdmaHost> host = fabric.GetHost(source);
                sinks.push_back({file, experiment.GetLabel(), host});
                const bool connected = host->GetQueuePair(0).ops->TraceConnectWithoutContext(
                    "Window",
                    MakeCallback(&WindowSink::Changed, &sinks.back()));
                if (!connected)
                {
                    throw HpccInputError("windows: " + experiment.GetLabel() +
                                         " has no trace source Window");
                }
            }
        };
        experiment.Run(scenario);
        file.Commit();
        // end connect
    });
}
