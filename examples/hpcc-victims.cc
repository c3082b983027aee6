/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// PFC pauses stop a flow that causes congestion (the culprit), and also a flow that does not cause
// it (the victim). Which of these flows does a policy slow down? See HpccVictims for the network
// and for the definitions of limit and cut.
//
// victims.csv has a row per policy. It describes the time from --from to --end:
//   cc                    policy; POLICY/FORMAT if --telemetry names several formats
//   victim_cuts, culprit_cuts                 number of cuts of the victim and of the culprit
//   burst_cuts_mean       mean number of cuts of the flow of a burst
//   victim_lowest_gbps, culprit_lowest_gbps   lowest limit, Gb/s; nan without acknowledgement
//   victim_gbps, culprit_gbps, bursts_gbps    payload received, Gb/s; for bursts, the sum of all
//   pauses                number of pauses that have ended, sum over all ports
//   uplink_paused_us, victim_paused_us        time for which PFC has paused the uplink and the
//                         victim's host
//   last_burst_us         time from --from until all bursts were acknowledged; nan if some were not
//
// limits.csv has the limits over time, starting with the first acknowledgement. The resolution is
// 10 us; see HpccSeries for the choice of rows.
//   cc, time_us, flow (0: victim, 1: culprit), limit_gbps
//
// The program also writes the files common to all examples; flow 0 is the victim, flow 1 the
// culprit.

#include "hpcc-victims/hpcc-victims-study.h"

#include "ns3/config.h"
#include "ns3/hpcc-csv-file.h"
#include "ns3/hpcc-experiment.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Returns a limit as text in Gb/s. An infinite limit, which means that nothing was acknowledged,
/// is written as nan.
std::string
FormatLimit(double bps)
{
    return std::isinf(bps) ? "nan" : FormatGbps(bps);
}

/// The files of this example.
class Report
{
  public:
    explicit Report(const HpccExperiment& experiment)
        : m_experiment(experiment),
          m_victims(experiment.PathOf("victims.csv"),
                    "cc,victim_cuts,culprit_cuts,burst_cuts_mean,victim_lowest_gbps,"
                    "culprit_lowest_gbps,victim_gbps,culprit_gbps,bursts_gbps,pauses,"
                    "uplink_paused_us,victim_paused_us,last_burst_us"),
          m_limits(experiment.PathOf("limits.csv"), "cc,time_us,flow,limit_gbps")
    {
    }

    void Add(const HpccVictims& victims, const HpccVictims::Outcome& o)
    {
        const std::string& cc = m_experiment.GetLabel();
        m_victims << cc << "," << o.victim.cuts << "," << o.culprit.cuts << ","
                  << FormatFixed(o.burstCutsMean, 3) << "," << FormatLimit(o.victim.lowestBps)
                  << "," << FormatLimit(o.culprit.lowestBps) << ","
                  << FormatGbps(o.victim.goodputBps) << "," << FormatGbps(o.culprit.goodputBps)
                  << "," << FormatGbps(o.burstsBps) << "," << o.pauses << ","
                  << FormatUs(o.uplinkPausedNs) << "," << FormatUs(o.victimPausedNs) << ","
                  << (o.lastBurstNs < 0 ? "nan" : FormatUs(o.lastBurstNs)) << "\n";
        for (uint32_t flow : {HpccVictims::VICTIM, HpccVictims::CULPRIT})
        {
            for (const auto& sample : victims.GetLimits(flow))
            {
                m_limits << cc << "," << FormatUs(sample.timeNs) << "," << flow << ","
                         << FormatGbps(sample.value) << "\n";
            }
        }
        std::cout << cc << ": victim cut " << o.victim.cuts << " times, down to "
                  << FormatLimit(o.victim.lowestBps) << " Gb/s, culprit " << o.culprit.cuts
                  << " times; uplink paused " << FormatUs(o.uplinkPausedNs) << " us\n";
    }

    std::vector<HpccCsvFile*> GetTables()
    {
        return {&m_victims, &m_limits};
    }

  private:
    const HpccExperiment& m_experiment;
    HpccCsvFile m_victims;
    HpccCsvFile m_limits;
};

} // namespace

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        HpccVictims::Parameters parameters;
        uint64_t buffer = 2'000'000;
        // Switches should mark packets before they send pauses. Therefore the marking thresholds
        // must be low enough for the memory of a switch. By default, this program uses the
        // thresholds of the DCQCN paper (SIGCOMM 2015). Thresholds of a policy or of the command
        // line take precedence.
        Config::SetDefault("ns3::EcnMarker::Thresholds", StringValue("40Gbps:5000:200000:0.01"));
        HpccExperiment experiment("hpcc-victims",
                                  "PFC pauses delay flows that do not cause the congestion",
                                  "hpcc++,dcqcn,timely,pcn");
        experiment.AddOption("bursters", "hosts that send bursts, at least 1", parameters.bursters);
        experiment.AddOption("bursts", "bursts of each such host, at least 1", parameters.bursts);
        experiment.AddOption("burst-bytes",
                             "payload of a burst, bytes, at least 1",
                             parameters.burstBytes);
        experiment.AddOption("gap",
                             "time between the starts of successive bursts of a host",
                             parameters.gap);
        experiment.AddOption("from", "start of the first bursts", parameters.from);
        experiment.AddOption("end", "end of the run, after --from", parameters.end);
        experiment.AddOption("source",
                             "rate of the links of victim and culprit",
                             parameters.source);
        experiment.AddOption("rate", "rate of all other links", parameters.rate);
        experiment.AddOption("delay", "propagation delay of every link", parameters.delay);
        experiment.AddOption("buffer-bytes", "memory of each switch, bytes", buffer);
        experiment.AddOption("cut",
                             "relative reduction of a flow's limit that counts as a cut, above 0, "
                             "below 1",
                             parameters.cutShare);
        experiment.AddTable("victims.csv", 1);
        experiment.Parse(argc, argv);
        HpccVictims victims(parameters);

        Report report(experiment);
        HpccExperiment::Scenario scenario;
        scenario.topology = victims.MakeTopology();
        scenario.flows = victims.MakeFlows();
        scenario.perFlowSeries = true;
        scenario.stop = parameters.end;
        scenario.tables = report.GetTables();
        scenario.connected = [&](HpccFabricHelper& fabric) { victims.Watch(fabric); };
        scenario.finished = [&](HpccFabricHelper& fabric,
                                const std::vector<HpccFlowPlan>&,
                                const HpccMonitor& monitor) {
            report.Add(victims, victims.Collect(fabric, monitor));
        };
        experiment.Run(scenario, [&](HpccFabricHelper& fabric) {
            fabric.SetBufferAttribute("BufferBytes", UintegerValue(buffer));
        });
        for (auto* table : report.GetTables())
        {
            table->Commit();
        }
    });
}
