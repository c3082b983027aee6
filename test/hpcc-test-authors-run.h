/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_AUTHORS_RUN_H
#define HPCC_TEST_AUTHORS_RUN_H

#include "../examples/hpcc-run/hpcc-authors-policies.h"
#include "../examples/hpcc-run/hpcc-authors-run.h"

#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

/// Helpers that run config files of the HPCC authors' simulator.
namespace hpcctest
{

using namespace ns3;

inline const std::string DATA =
    std::filesystem::absolute(std::string(NS_TEST_SOURCEDIR) + "/data/authors").string() + "/";

/// Results of a run.
struct Outcome
{
    std::map<std::string, double> fctNs; ///< completion times by source, start and bytes
    double peakBytes{0};                 ///< longest queue, bytes
    double meanBytes{0};                 ///< see HpccMonitor::GetMeanQueueBytes()
    uint64_t pauses{0};                  ///< number of pauses in the pfc file
    uint64_t errors{0};                  ///< number of packets lost because of errors
};

/// @return completion times from an fct file, by source, bytes and start
inline std::map<std::string, double>
ReadFct(const std::string& path)
{
    std::map<std::string, double> fct;
    std::ifstream in(path);
    std::string sip;
    std::string dip;
    std::string sport;
    std::string dport;
    std::string bytes;
    std::string start;
    double ns = 0;
    double standalone = 0;
    while (in >> sip >> dip >> sport >> dport >> bytes >> start >> ns >> standalone)
    {
        fct[sip + " " + bytes + " " + start] = ns;
    }
    return fct;
}

/// Returns the number of rows of a pfc file that report a pause.
inline uint64_t
CountPauses(const std::string& path)
{
    std::ifstream in(path);
    uint64_t pauses = 0;
    for (std::array<int64_t, 5> row{}; in >> row[0] >> row[1] >> row[2] >> row[3] >> row[4];)
    {
        pauses += row[4];
    }
    return pauses;
}

/**
 * Runs a config file.
 * @param path the config
 * @param run number of the run
 * @param fctPath path of the fct file to write; the pfc file gets the suffix .pfc
 * @param acksFirst true if switches send ACKs before data
 * @param qlenPath path of the qlen file to write; none if empty
 * @param end end of the run; 0 for the end in the config
 * @return results of the run
 */
inline Outcome
RunFile(const std::string& path,
        uint64_t run,
        const std::string& fctPath,
        bool acksFirst = false,
        const std::string& qlenPath = "",
        Time end = Time(0))
{
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(run);
    Outcome outcome;
    HpccAuthorsConfig config(path);
    {
        auto spec = MakeAuthorsPolicy(config);
        HpccAuthorsRun authors(config);
        ConfigureAuthorsRun(config, authors);
        authors.SetAcksFirst(acksFirst);
        authors.SetOutputs(fctPath, fctPath + ".pfc", qlenPath);
        auto scenario = authors.MakeScenario(spec);
        HpccFabricHelper fabric;
        fabric.SetPaths(HpccAuthorsRun::PATHS);
        authors.Configure(fabric);
        ConfigureAuthorsHosts(config, fabric);
        fabric.Install(scenario.topology);
        fabric.AssignStreams(1);
        fabric.SetNetworkBaseRttNs(scenario.baseRttNs);
        for (auto& flow : scenario.flows)
        {
            flow.queuePair = scenario.connect(fabric, flow, spec);
            fabric.AddMessage(flow.source, flow.queuePair, flow.bytes, NanoSeconds(flow.startNs));
        }
        HpccMonitor monitor(fabric, scenario.flows, scenario.flows.back().startNs);
        scenario.connected(fabric);
        Simulator::Stop(end.IsZero() ? scenario.stop : end);
        Simulator::Run();
        scenario.finished(fabric, scenario.flows, monitor);
        outcome.peakBytes = static_cast<double>(monitor.Summarize().queuePeakBytes);
        outcome.meanBytes = monitor.GetMeanQueueBytes();
        for (const auto& device : fabric.GetDevices())
        {
            outcome.errors += device->GetDrops(DropReason::RECEIVE_ERROR);
        }
    }
    Simulator::Destroy();
    outcome.fctNs = ReadFct(fctPath);
    outcome.pauses = CountPauses(fctPath + ".pfc");
    return outcome;
}

/// Runs a config from the test data.
inline Outcome
RunConfig(const std::string& name, uint64_t run, const std::string& fctPath)
{
    return RunFile(DATA + "config/" + name + ".txt", run, fctPath);
}

/**
 * Writes a variant of a config from the test data.
 * @param path path of the variant
 * @param name name of the config
 * @param values values by key, which replace those of the config or are added
 * @return the path
 */
inline std::string
WriteVariant(const std::string& path,
             const std::string& name,
             std::map<std::string, std::string> values)
{
    std::ifstream in(DATA + "config/" + name + ".txt");
    std::ofstream out(path);
    for (std::string line; std::getline(in, line);)
    {
        std::istringstream words(line);
        std::string key;
        std::string value;
        words >> key >> value;
        if (values.count(key) == 0 && (key == "TOPOLOGY_FILE" || key == "FLOW_FILE"))
        {
            values[key] = DATA + value;
        }
        if (values.count(key) == 0)
        {
            out << line << "\n";
        }
    }
    for (const auto& [key, value] : values)
    {
        out << key << " " << value << "\n";
    }
    return path;
}

/**
 * Writes a flow file: 16 flows of 500 KB that start within 1 us.
 * @param path path of the file
 * @param run number of the run, which determines the start times
 */
inline void
WriteJitteredIncast(const std::string& path, uint32_t run)
{
    std::ofstream out(path);
    out << "16\n" << std::fixed << std::setprecision(9);
    std::vector<std::pair<uint32_t, uint32_t>> starts;
    for (uint32_t source = 0; source < 16; ++source)
    {
        starts.emplace_back((source * 7919 + run * 104729) * 2654435761U >> 22, source);
    }
    std::sort(starts.begin(), starts.end());
    for (auto [ns, source] : starts)
    {
        out << source << " 16 3 100 500000 " << 2 + ns * 1e-9 << "\n";
    }
}

/// @return smallest, mean and largest value
inline std::array<double, 3>
MinMeanMax(const std::map<std::string, double>& fct)
{
    std::array<double, 3> result{1e18, 0, 0};
    for (const auto& [key, ns] : fct)
    {
        result[0] = std::min(result[0], ns);
        result[1] += ns / static_cast<double>(fct.size());
        result[2] = std::max(result[2], ns);
    }
    return result;
}

} // namespace hpcctest

#endif // HPCC_TEST_AUTHORS_RUN_H
