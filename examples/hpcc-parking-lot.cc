/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// One long flow crosses several links, and shares each link with a short flow that uses only this
// link. How much bandwidth does the long flow get? HPCC gives all links the same load, but does not
// give all flows the same rate. Therefore the long flow gets less than the short flows. A window
// per hop (hpcc++:per-hop) reduces the difference.

#include "ns3/hpcc-csv-file.h"
#include "ns3/hpcc-experiment.h"

using namespace ns3;

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        uint32_t bottlenecks = 2;
        uint64_t bytes = 10000000;
        DataRate rate("100Gbps");
        Time delay = MicroSeconds(1);
        HpccExperiment experiment("hpcc-parking-lot",
                                  "A flow over several links, each of which it shares with "
                                  "another flow",
                                  "hpcc++,hpcc++:per-hop,rcp");
        experiment.AddOption("bottlenecks",
                             "links that the long flow crosses, 1 to 12",
                             bottlenecks);
        experiment.AddOption("bytes", "payload of each flow, bytes, at least 1", bytes);
        experiment.AddOption("rate", "rate of every link", rate);
        experiment.AddOption("delay", "propagation delay of every link", delay);
        experiment.AddTable("parking_lot.csv", 2);
        experiment.Parse(argc, argv);
        RequireRange("--bottlenecks", bottlenecks, 1, 12);
        RequireAtLeast("--bytes", bytes, 1);
        HpccExperiment::Scenario scenario;
        scenario.topology = HpccTopology::ParkingLot(bottlenecks, {rate, rate, delay});
        for (uint32_t i = 0; i <= bottlenecks; ++i)
        {
            scenario.flows.push_back({2 * i, 2 * i + 1, bytes, 0, 0, 0});
        }
        scenario.perFlowSeries = true;
        HpccCsvFile table(experiment.PathOf("parking_lot.csv"),
                          "cc,bottlenecks,long_fct_us,short_fct_mean_us,fct_ratio");
        scenario.tables = {&table};
        scenario.finished =
            [&](HpccFabricHelper&, const std::vector<HpccFlowPlan>&, const HpccMonitor& monitor) {
                const auto& results = monitor.GetResults();
                double shorts = 0;
                for (uint32_t i = 1; i <= bottlenecks; ++i)
                {
                    shorts += static_cast<double>(results[i].endNs) / bottlenecks;
                }
                const auto whole = static_cast<double>(results[0].endNs);
                table << experiment.GetLabel() << "," << bottlenecks << ",";
                if (monitor.GetUnfinished() > 0)
                {
                    table << ",,\n";
                    return;
                }
                table << FormatFixed(whole / 1e3, 3) << "," << FormatFixed(shorts / 1e3, 3) << ","
                      << FormatFixed(whole / shorts, 4) << "\n";
            };
        experiment.Run(scenario);
        table.Commit();
    });
}
