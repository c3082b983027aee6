/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Two traffic classes share a port by deficit weighted round robin. One class runs HPCC++. Does it
// get its share and keep its queue empty, regardless of the policy of the other class? See section
// 9.3 of draft-miao-tsv-hpcc-01. HpccClasses describes the network.
//
// There is one run per mode. In mode plain, the control law uses the queue length, the sent bytes
// and the rate of the whole port. In mode share, it uses the sojourn time, the sent bytes of the
// class and the guaranteed share of the class. In mode residual, the bandwidth that the other class
// leaves replaces the guaranteed share. By default, a policy that reads no telemetry runs only in
// mode plain. The program refuses such a policy if --modes contains another mode.
//
// classes.csv has a row per run, phase and class:
//   cc                    POLICY/MODE; POLICY/FORMAT/MODE if --telemetry names several formats
//   phase                 alone: only class own sends; shared: both classes send
//   class                 own: class that runs the policy under test; other: class that joins later
//   share_gbps            guaranteed share of the class; 0 without a guarantee
//   throughput_gbps       bandwidth that the class occupies on the link to the receiver
//   goodput_gbps          payload in throughput_gbps
//   queue_mean_bytes, queue_p99_bytes, queue_peak_bytes   queue length of the class; mean and
//                         percentile are time-weighted
//
// The program also writes the files common to all examples. Their column cc has the same values.

#include "hpcc-classes/hpcc-classes-study.h"

#include "ns3/hpcc-csv-file.h"
#include "ns3/hpcc-split-at.h"

#include <algorithm>
#include <iomanip>
#include <iostream>

using namespace ns3;

namespace
{

/// The table of this example.
class Report
{
  public:
    explicit Report(const std::string& path)
        : m_file(path,
                 "cc,phase,class,share_gbps,throughput_gbps,goodput_gbps,queue_mean_bytes,"
                 "queue_p99_bytes,queue_peak_bytes")
    {
    }

    void Add(const std::string& cc, const HpccClasses& classes)
    {
        for (auto phase : {HpccClasses::ALONE, HpccClasses::SHARED})
        {
            for (uint8_t priority : {HpccClasses::OWN, HpccClasses::OTHER})
            {
                const auto o = classes.GetOutcome(phase, priority);
                const std::string when = phase == HpccClasses::ALONE ? "alone" : "shared";
                const std::string which = priority == HpccClasses::OWN ? "own" : "other";
                m_file << cc << "," << when << "," << which << "," << FormatGbps(o.shareBps) << ","
                       << FormatGbps(o.throughputBps) << "," << FormatGbps(o.goodputBps) << ","
                       << FormatFixed(o.queueMeanBytes, 1) << "," << o.queueP99Bytes << ","
                       << o.queuePeakBytes << "\n";
                if (phase == HpccClasses::SHARED || priority == HpccClasses::OWN)
                {
                    std::cout << std::left << std::setw(16) << cc << std::setw(8) << when
                              << std::setw(7) << which << std::right << std::setw(9)
                              << FormatGbps(o.throughputBps) << " Gb/s, share "
                              << FormatGbps(o.shareBps) << ", queue mean "
                              << FormatFixed(o.queueMeanBytes / 1e3, 1) << " KB, p99 "
                              << FormatFixed(static_cast<double>(o.queueP99Bytes) / 1e3, 1)
                              << " KB\n";
                }
            }
        }
    }

    HpccCsvFile& GetTable()
    {
        return m_file;
    }

  private:
    HpccCsvFile m_file;
};

/**
 * Adds the options of the network and the flows to --help and to the command line.
 * @param experiment the experiment before Parse()
 * @param parameters receives the values of the options in Parse()
 */
void
AddOptions(HpccExperiment& experiment, HpccClasses::Parameters& parameters)
{
    experiment.AddOption("weights",
                         "weights, 1 to 100, of the own class (priority 3) and the other "
                         "class (priority 4), as 3:W,4:W; empty: none, so that the other class "
                         "goes first, or with --scheduler=dwrr all eight priorities share "
                         "equally; the other class is then lossy, even with "
                         "--flow-control=pfc",
                         parameters.weights);
    experiment.AddOption("flows",
                         "flows of the own class, which runs --cc, at least 1",
                         parameters.flows);
    experiment.AddOption("other", "policy of the other class", parameters.other);
    experiment.AddOption("other-flows",
                         "flows of the other class, at least 1",
                         parameters.otherFlows);
    experiment.AddOption("join", "start of the other class", parameters.join);
    experiment.AddOption("end", "end of the run", parameters.end);
    experiment.AddOption("warm-up",
                         "time at the start of each phase that the statistics skip",
                         parameters.settle);
    experiment.AddOption("rate",
                         "rate of the links of the own class and of the receiver",
                         parameters.rate);
    experiment.AddOption("other-rate",
                         "rate of the links of the other class's hosts",
                         parameters.otherRate);
    experiment.AddOption("delay", "propagation delay of every link", parameters.delay);
}

/**
 * Returns the variants of the runs.
 * @param experiment the experiment after Parse()
 * @param modes --modes
 */
std::vector<HpccExperiment::Variant>
MakeVariants(const HpccExperiment& experiment, const std::string& modes)
{
    std::vector<HpccExperiment::Variant> variants;
    for (const auto& name : SplitAt(modes, ','))
    {
        const auto mode = HpccClasses::ModeOf(name);
        if (std::any_of(variants.begin(), variants.end(), [&name](const auto& other) {
                return other.name == name;
            }))
        {
            throw HpccInputError("--modes: \"" + name + "\" is given twice");
        }
        variants.push_back({name,
                            {{"QueueSignal", HpccClasses::QueueSignalOf(mode)}},
                            mode != HpccClasses::PLAIN});
        for (const auto& policy : experiment.GetPolicies())
        {
            if (mode != HpccClasses::PLAIN &&
                HpccFabricHelper::MakePolicy(policy).Describe().telemetry.empty())
            {
                experiment.RefuseGiven({"modes"}, policy + " reads no telemetry; allowed is plain");
            }
        }
    }
    HPCC_REFUSE_IF(variants.empty(), "--modes: at least one is needed");
    return variants;
}

} // namespace

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        HpccClasses::Parameters parameters;
        std::string modes = "plain,share,residual";
        HpccExperiment experiment("hpcc-classes",
                                  "Two traffic classes share a port; one of them runs HPCC++",
                                  "hpcc++");
        experiment.AddOption("modes",
                             "scopes of the telemetry, of plain, share and residual, separated by "
                             "commas; a policy that reads no telemetry has only plain",
                             modes);
        AddOptions(experiment, parameters);
        experiment.AddTable("classes.csv", 3);
        experiment.Parse(argc, argv);
        HpccClasses classes(parameters);
        const auto variants = MakeVariants(experiment, modes);
        // All modes use the same telemetry format, so that only the contents of the records differ.
        const std::string telemetry =
            experiment.GetTelemetry().empty() ? "int-md:latency" : experiment.GetTelemetry();
        experiment.SetPolicies(experiment.GetPolicies(), telemetry);
        experiment.SetVariants(variants);
        Report report(experiment.PathOf("classes.csv"));
        HpccExperiment::Scenario scenario = classes.MakeScenario();
        scenario.tables = {&report.GetTable()};
        scenario.finished = [&](HpccFabricHelper&,
                                const std::vector<HpccFlowPlan>&,
                                const HpccMonitor&) { report.Add(experiment.GetLabel(), classes); };
        experiment.Run(scenario, [&](HpccFabricHelper& fabric) {
            classes.Configure(fabric, HpccClasses::ModeOf(experiment.GetVariant()));
        });
        report.GetTable().Commit();
    });
}
