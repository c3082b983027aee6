/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Shows how the three parameters of the control law, eta, maxStage and W_ai
// (draft-miao-tsv-hpcc-01, section 5.3), affect queue length, link utilisation and the shares of
// the flows. W_ai = W_init (1 - eta)/N depends on N, the number of flows that the algorithm
// assumes. The actual number of flows may be larger or smaller than N.

#include "ns3/hpcc-csv-file.h"
#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-split-at.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * Parses numbers. Each must be at least @p least and less than @p below.
 * @param option name of the option in error messages
 * @param text numbers separated by commas
 * @param least lower bound, inclusive
 * @param below upper bound, exclusive
 * @return the numbers
 */
std::vector<double>
Numbers(const std::string& option, const std::string& text, double least, double below)
{
    std::vector<double> numbers;
    for (const auto& item : SplitAt(text, ','))
    {
        std::istringstream in(item);
        double number = 0;
        HPCC_REFUSE_IF(!(in >> number) || !in.eof() || number < least || number >= below,
                       "--" + option + ": \"" + item + "\" is not a number from " +
                           FormatFixed(least, 2) + " on and below " + FormatFixed(below, 2));
        HPCC_REFUSE_IF(std::find(numbers.begin(), numbers.end(), number) != numbers.end(),
                       "--" + option + ": \"" + item + "\" is given twice");
        numbers.push_back(number);
    }
    HPCC_REFUSE_IF(numbers.empty(), "--" + option + ": at least one number is needed");
    return numbers;
}

/// A combination of parameters that is simulated.
struct Point
{
    double eta;
    double stage;
    uint32_t flows;
};

/// Options of the program.
struct Options
{
    std::string etas = "0.9,0.95,0.98";
    std::string stages = "0,5";
    std::string counts = "4,8,16,32,64";
    uint32_t expected = 16;
    Time duration = MilliSeconds(5);
    Time gap = MicroSeconds(10);
    DataRate rate{"100Gbps"};
    Time delay = MicroSeconds(1);

    /// Adds the options to --help and to the command line.
    void AddTo(HpccExperiment& experiment)
    {
        experiment.AddOption("etas",
                             "values of eta, separated by commas, at least 0.1 and below 1",
                             etas);
        experiment.AddOption("max-stages",
                             "values of maxStage, separated by commas, 0 to 1000",
                             stages);
        experiment.AddOption("flows", "numbers of flows, separated by commas, 1 to 1000", counts);
        experiment.AddOption("expected-flows",
                             "N, the number of flows for which W_ai is set, at least 1",
                             expected);
        experiment.AddOption("duration",
                             "approximate time during which all flows run, above 0",
                             duration);
        experiment.AddOption("gap", "time between successive starts", gap);
        experiment.AddOption("rate", "rate of every link", rate);
        experiment.AddOption("delay", "propagation delay of every link", delay);
    }

    /// Checks the options.
    /// @return the combinations to simulate
    std::vector<Point> MakePoints() const
    {
        RequireAtLeast("--expected-flows", expected, 1);
        HPCC_REFUSE_IF(!duration.IsStrictlyPositive(), "--duration: 0 is not allowed; above 0");
        auto etaValues = Numbers("etas", etas, 0.1, 1);
        auto stageValues = Numbers("max-stages", stages, 0, 1001);
        auto countValues = Numbers("flows", counts, 1, 1001);
        std::vector<Point> points;
        for (double eta : etaValues)
        {
            for (double stage : stageValues)
            {
                for (double count : countValues)
                {
                    points.push_back({eta, stage, static_cast<uint32_t>(count)});
                }
            }
        }
        return points;
    }

    /// Returns the network and the flows for a combination, and sets the attributes of the policies
    /// to its values.
    HpccExperiment::Scenario MakeScenario(HpccExperiment& experiment, const Point& point) const
    {
        experiment.SetPolicyAttribute("Eta", FormatFixed(point.eta, 6));
        experiment.SetPolicyAttribute("MaxStage", FormatFixed(point.stage, 0));
        const double bytes =
            static_cast<double>(rate.GetBitRate()) / 8 * duration.GetSeconds() / point.flows;
        HpccExperiment::Scenario scenario;
        scenario.topology = HpccTopology::Star(point.flows + 1, {rate, rate, delay});
        for (uint32_t i = 0; i < point.flows; ++i)
        {
            scenario.flows.push_back(
                {i, point.flows, static_cast<uint64_t>(bytes) + 1, i * gap.GetNanoSeconds(), 0, 0});
        }
        return scenario;
    }
};

/**
 * Writes the results of a run into a row that already contains the parameters of the run.
 * @param table table whose last row is completed
 * @param s results of the run
 * @param rate rate of every link
 */
void
WriteResults(HpccCsvFile& table, const HpccSummary& s, DataRate rate)
{
    if (s.settled)
    {
        table << FormatFixed(s.queueMeanBytes, 1) << "," << s.queueP95Bytes << ","
              << s.queueP99Bytes << ","
              << FormatFixed(s.throughputMeanGbps * 1e9 / static_cast<double>(rate.GetBitRate()),
                             5);
    }
    else
    {
        table << "nan,nan,nan,nan";
    }
    table << "," << FormatFixed(s.jainIndex, 6) << "\n";
}

/**
 * Simulates a combination of parameters. Returns the summaries of its runs.
 * @param experiment the experiment
 * @param scenario network and flows for the combination
 * @param name name of the combination in error messages
 * @param later number of combinations that remain after this one
 */
std::vector<HpccSummary>
RunPoint(HpccExperiment& experiment,
         const HpccExperiment::Scenario& scenario,
         const std::string& name,
         size_t later)
{
    try
    {
        return experiment.Run(scenario);
    }
    catch (const HpccExperiment::Interrupted& interrupted)
    {
        throw HpccExperiment::Interrupted(
            std::string(interrupted.what()) +
                (later > 0
                     ? "; also missing: the " + std::to_string(later) + " points after " + name
                     : ""),
            interrupted.signal);
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        Options options;
        HpccExperiment experiment("hpcc-parameters",
                                  "Sweeps of eta, maxStage and the number of flows",
                                  "hpcc++");
        options.AddTo(experiment);
        experiment.AddTable("parameters.csv", 5);
        experiment.Parse(argc, argv);
        const std::vector<Point> points = options.MakePoints();
        const std::string out = experiment.GetOut();
        HpccCsvFile table(experiment.PathOf("parameters.csv"),
                          "cc,eta,max_stage,expected_flows,flows,queue_mean_bytes,queue_p95_bytes,"
                          "queue_p99_bytes,utilization,jain_index");
        experiment.SetPolicyAttribute("N", std::to_string(options.expected));
        experiment.SetPolicyAttribute("Wai", "0");
        const std::vector<std::string> labels = experiment.GetLabels();
        for (const auto& point : points)
        {
            experiment.Check(options.MakeScenario(experiment, point));
        }
        for (size_t number = 0; number < points.size(); ++number)
        {
            const Point& point = points[number];
            const std::string columns =
                FormatFixed(point.eta, 3) + "," + FormatFixed(point.stage, 0) + "," +
                std::to_string(options.expected) + "," + std::to_string(point.flows);
            std::string name = columns;
            std::replace(name.begin(), name.end(), ',', '-');
            experiment.SetOut(out + "/" + name);
            const auto summaries = RunPoint(experiment,
                                            options.MakeScenario(experiment, point),
                                            name,
                                            points.size() - number - 1);
            for (size_t i = 0; i < summaries.size(); ++i)
            {
                table << labels[i] << "," << columns << ",";
                WriteResults(table, summaries[i], options.rate);
            }
            table.Save();
        }
        table.Commit();
        experiment.WriteManifest(out);
    });
}
