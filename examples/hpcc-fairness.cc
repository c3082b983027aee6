/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Flows to one host start one after the other, and each flow ends when its bytes have arrived. How
// soon do the active flows share the link equally? The example follows figure 9d of "HPCC: High
// Precision Congestion Control" (SIGCOMM 2019). With --split, the flows start together with unequal
// windows. How soon are their rates equal?

#include "ns3/double.h"
#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-split-at.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <iostream>

using namespace ns3;

namespace
{

constexpr size_t WINDOW_BINS = 5; ///< number of bins in a window of 50 us
constexpr double FAIR = 0.99;     ///< shares are regarded as equal if Jain's index is at least this
                                  ///< value

/// Returns the shares of the flows.
/// @param text percentages such as "90:10"
std::vector<double>
ParseSplit(const std::string& text)
{
    std::vector<double> shares;
    std::istringstream in(text);
    double percent = 0;
    double sum = 0;
    char separator = ':';
    while (separator == ':' && in >> percent && percent > 0)
    {
        shares.push_back(percent / 100);
        sum += percent;
        separator = ' ';
        in >> separator;
    }
    HPCC_REFUSE_IF(shares.size() < 2 || !in.eof() || separator != ' ' || sum > 100,
                   "--split: \"" + text +
                       "\" is not allowed; percentages above 0 of two or more flows, at "
                       "most 100 together, such as 90:10");
    return shares;
}

/**
 * Refuses policies that do not allow a program to set the initial window of a flow.
 * @param policies short names
 */
void
RequireInitialWindow(const std::vector<std::string>& policies)
{
    const auto has = [](TypeId policy) {
        TypeId::AttributeInformation info;
        return policy.LookupAttributeByName("InitialWindow", &info);
    };
    for (const auto& name : policies)
    {
        if (!has(HpccFabricHelper::MakePolicy(name).policy.GetTypeId()))
        {
            const auto allowed =
                HpccPresets::NamesWhere<RdmaCongestionOps>([&has](const RdmaCongestionOps& policy) {
                    return has(policy.GetInstanceTypeId());
                });
            throw HpccInputError("--split with policy " + name +
                                 ": it has no attribute InitialWindow, so that all flows start "
                                 "alike; allowed are " +
                                 JoinNames(allowed));
        }
    }
}

/// Returns the time from which the rates of all flows stay equal, ns: from this time on, Jain's
/// index of the rates is always at least FAIR. Returns -1 if the last index is below FAIR. The
/// index is computed in successive windows of 50 us, up to the end of the run or of the first flow
/// that ends. Windows in which nothing arrived are skipped.
int64_t
FairAfterNs(const HpccMonitor& monitor)
{
    std::vector<std::vector<HpccMonitor::Sample>> rates;
    int64_t endNs = Simulator::Now().GetNanoSeconds();
    for (size_t i = 0; i < monitor.GetFlows().size(); ++i)
    {
        const int64_t flowEndNs = monitor.GetResults()[i].arrivedNs;
        endNs = std::min(endNs, flowEndNs < 0 ? INT64_MAX : flowEndNs);
        rates.push_back(monitor.GetFlowSeries(i));
    }
    const int64_t originNs = rates[0][0].timeNs;
    constexpr int64_t windowNs = WINDOW_BINS * HpccMonitor::BIN_NS;
    int64_t fairNs = -1;
    size_t first = 0;
    for (int64_t startNs = originNs; startNs + windowNs <= endNs; startNs += windowNs)
    {
        double sum = 0;
        double squares = 0;
        for (const auto& series : rates)
        {
            // A series has no bins after the arrival of its last payload, so the rate is 0 there.
            double rate = 0;
            for (size_t bin = first; bin < std::min(first + WINDOW_BINS, series.size()); ++bin)
            {
                rate += series[bin].value;
            }
            sum += rate;
            squares += rate * rate;
        }
        first += WINDOW_BINS;
        if (squares == 0)
        {
            continue;
        }
        const bool fair = sum * sum >= FAIR * static_cast<double>(rates.size()) * squares;
        fairNs = !fair ? -1 : fairNs < 0 ? startNs : fairNs;
    }
    return fairNs;
}

} // namespace

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        uint32_t flows = 4;
        uint64_t bytes = 20000000;
        Time gap = MilliSeconds(1);
        DataRate rate("100Gbps");
        Time delay = MicroSeconds(1);
        std::string split;
        HpccExperiment experiment("hpcc-fairness",
                                  "Flows join one after the other and share a link",
                                  "hpcc++,hpcc,dcqcn");
        experiment.AddOption("flows", "number of flows, at least 1", flows);
        experiment.AddOption("bytes", "payload of each flow, bytes, at least 1", bytes);
        experiment.AddOption("gap", "time between successive starts", gap);
        experiment.AddOption(
            "split",
            "percentages of W_init, such as 90:10, of flows that start together, "
            "in place of --flows and --gap; reports when their rates become equal; "
            "the default of --cc is then hpcc++,hpcc",
            split);
        experiment.AddOption("rate", "rate of every link", rate);
        experiment.AddOption("delay", "propagation delay of every link", delay);
        experiment.AddTable("fairness.csv", 1);
        const bool splits = std::any_of(argv + 1, argv + argc, [](const std::string& argument) {
            return argument.rfind("--split", 0) == 0;
        });
        experiment.Parse(argc,
                         argv,
                         splits ? std::vector<std::string>{"--cc=hpcc++,hpcc"}
                                : std::vector<std::string>{});
        RequireRange("--flows", flows, 1, HpccTopology::MAX_NODES);
        RequireAtLeast("--bytes", bytes, 1);
        HpccExperiment::Scenario scenario;
        scenario.perFlowSeries = true;
        HpccCsvFile table(experiment.PathOf("fairness.csv"), "cc,fair_after_us");
        scenario.tables = {&table};
        if (!split.empty())
        {
            experiment.RefuseGiven({"flows", "gap"},
                                   "--split gives the flows, which start at once");
            const std::vector<double> shares = ParseSplit(split);
            RequireInitialWindow(experiment.GetPolicies());
            flows = static_cast<uint32_t>(shares.size());
            gap = Time(0);
            scenario.tunePolicy = [shares](size_t flow, HpccPolicyFactory& policy) {
                policy.Set("InitialWindow", DoubleValue(shares[flow]));
            };
            scenario.finished = [&](HpccFabricHelper&, const auto&, const HpccMonitor& monitor) {
                const int64_t fairNs = FairAfterNs(monitor);
                const std::string us =
                    fairNs < 0 ? "" : FormatFixed(static_cast<double>(fairNs) / 1e3, 0);
                std::cout << experiment.GetLabel() << ": Jain index "
                          << (fairNs < 0 ? "never stays at 0.99 or above"
                                         : "stays at 0.99 or above after " + us + " us")
                          << "\n";
                table << experiment.GetLabel() << "," << us << "\n";
            };
        }
        scenario.topology = HpccTopology::Star(flows + 1, {rate, rate, delay});
        for (uint32_t i = 0; i < flows; ++i)
        {
            scenario.flows.push_back({i, flows, bytes, i * gap.GetNanoSeconds(), 0, 0});
        }
        experiment.Run(scenario);
        if (!split.empty())
        {
            table.Commit();
        }
    });
}
