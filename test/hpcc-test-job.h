/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_JOB_H
#define HPCC_TEST_JOB_H

#include "ns3/hpcc-collectives.h"
#include "ns3/hpcc-fabric-transport.h"
#include "ns3/hpcc-job-graph.h"
#include "ns3/hpcc-job-report.h"
#include "ns3/hpcc-job-run.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @param ranks number of ranks
 * @return 0 to ranks - 1
 */
inline std::vector<uint32_t>
FirstRanks(uint32_t ranks)
{
    std::vector<uint32_t> all(ranks);
    std::iota(all.begin(), all.end(), 0);
    return all;
}

/**
 * @param plan the collective
 * @param ranks members of the collective
 * @return a job that consists of this collective
 */
inline HpccJobGraph
GraphOf(const HpccCollectivePlan& plan, uint32_t ranks)
{
    HpccJobGraph graph(ranks);
    HpccCollectives(graph).Add(plan, FirstRanks(ranks));
    graph.Finish();
    return graph;
}

/**
 * Connects all messages of a job.
 * @param transport transport of the job
 * @param graph the job
 * @param spec policy and telemetry of the connections
 */
inline void
ConnectJob(HpccFabricTransport& transport,
           const HpccJobGraph& graph,
           const HpccFabricHelper::PolicySpec& spec)
{
    std::set<std::tuple<uint32_t, uint32_t, uint32_t>> connected;
    for (const auto& o : graph.GetOperations())
    {
        if (o.kind == HpccJobGraph::Kind::SEND && o.peer != o.rank &&
            connected.insert({o.rank, o.peer, o.tag}).second)
        {
            transport.Connect(o.rank, o.peer, o.tag, spec);
        }
    }
}

/// Results of a job on a star.
struct JobOnStar
{
    int64_t iterationNs;        ///< duration of an iteration, ns
    int64_t boundNs;            ///< HpccJobReport::GetBoundNs()
    HpccJobReport::Times times; ///< times of the operations
    uint64_t unfinished;        ///< number of operations that did not end
};

/**
 * Runs a job without congestion control on a star with packets of 9000 bytes. The links have a rate
 * of 100 Gb/s and a delay of 1 us.
 * @param graph the job
 * @param settings settings of the job
 * @return the results
 */
inline JobOnStar
RunOnStar(const HpccJobGraph& graph, const HpccJobSettings& settings = {})
{
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(1);
    JobOnStar result{};
    {
        HpccFabricHelper fabric;
        fabric.SetHostAttribute("Mtu", UintegerValue(9000));
        fabric.SetMaxLag(MicroSeconds(1));
        const auto topology = HpccTopology::Star(std::max(2U, graph.GetRanks()), {});
        fabric.Install(topology);
        auto hosts = topology.GetHosts();
        hosts.resize(graph.GetRanks());
        HpccFabricTransport transport(fabric, hosts);
        ConnectJob(transport, graph, HpccFabricHelper::MakePolicy("none"));
        HpccJobRun run(graph, transport, settings);
        transport.Start();
        run.Start();
        fabric.EndAt(Seconds(1));
        Simulator::Run();
        result.times = run.GetTimes();
        result.unfinished = run.GetUnfinished();
        result.iterationNs = HpccJobReport(graph, result.times, settings.startNs).GetIterationNs();
        result.boundNs = HpccJobReport::GetBoundNs(graph, settings, fabric, hosts);
    }
    Simulator::Destroy();
    return result;
}

} // namespace ns3

#endif // HPCC_TEST_JOB_H
