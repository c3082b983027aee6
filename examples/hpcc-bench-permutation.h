/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_BENCH_PERMUTATION_H
#define HPCC_BENCH_PERMUTATION_H

#include "hpcc-bench-measure.h"

#include "ns3/double.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-node-agenda.h"
#include "ns3/hpcc-topology.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/simulator.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup hpcc The traffic of most benchmarks, and the resources that its simulation uses.
 */

namespace ns3
{

/// Resources that a run used in its measured interval.
struct Measurement
{
    uint64_t packetHops;        ///< number of packet-hops, which are the frames sent by all ports
                                ///< of all ranks
    uint64_t events;            ///< number of ns-3 events of this rank
    double cpuSeconds;          ///< CPU time of this rank, s
    double seconds;             ///< wall-clock time until the last rank has ended, s
    double pending;             ///< mean number of pending ns-3 events
    double setupSecondsPerFlow; ///< CPU time of the set-up per flow, s
};

/// The network and the traffic of a benchmark. By default, the traffic is a permutation of the n
/// hosts: host i sends to host (i + n/2) mod n without end.
struct Load
{
    HpccTopology topology;
    uint32_t queuePairsPerHost;
    Time duration;         ///< measured interval, which begins at warmUp
    std::string cc;        ///< policy
    std::string telemetry; ///< telemetry format of the policy; empty: the policy's default
    bool saturate;         ///< true if the NIC, not the policy, limits the rate of the flows
    std::function<void(HpccFabricHelper&, const HpccTopology&)> setUp; ///< called before Install()
    std::function<void()> begin{}; ///< if set, called before the run starts
    /// If set, connects the hosts with the policy and replaces the permutation.
    std::function<void(HpccFabricHelper&, const HpccFabricHelper::PolicySpec&)> connect{};
    Time warmUp{MicroSeconds(2)}; ///< start of the measured interval
};

/// Simulates @p load and returns the resources that it used.
inline Measurement
RunPermutation(const Load& load)
{
    UseScheduler();
    Measurement m{};
    {
        auto spec = HpccFabricHelper::MakePolicy(load.cc, load.telemetry);
        TypeId::AttributeInformation info;
        if (load.saturate && spec.policy.GetTypeId().LookupAttributeByName("Eta", &info))
        {
            spec.policy.Set("Eta", DoubleValue(2));
            spec.policy.Set("Wai", DoubleValue(20));
        }
        HpccFabricHelper fabric;
        load.setUp(fabric, load.topology);
        fabric.Install(load.topology);
        fabric.AssignStreams(1);
        auto hosts = static_cast<uint32_t>(load.topology.GetHosts().size());
        double start = CpuSeconds();
        if (load.connect)
        {
            load.connect(fabric, spec);
        }
        for (uint32_t i = 0; i < hosts && !load.connect; ++i)
        {
            for (uint32_t j = 0; j < load.queuePairsPerHost; ++j)
            {
                uint32_t qp = fabric.Connect(i, (i + hosts / 2) % hosts, spec);
                fabric.AddMessage(i, qp, uint64_t{1} << 40, NanoSeconds(1 + 389 * i % 1000));
            }
        }
        m.setupSecondsPerFlow =
            (CpuSeconds() - start) / (static_cast<double>(hosts) * load.queuePairsPerHost);
        std::vector<Ptr<NodeAgenda>> agendas;
        for (uint32_t i = 0; i < fabric.GetNodes().GetN(); ++i)
        {
            agendas.push_back(NodeAgenda::Of(fabric.GetNodes().Get(i)));
        }
        if (load.begin)
        {
            load.begin();
        }
        Simulator::Stop(load.warmUp);
        Simulator::Run();
        auto hops = [&fabric] {
            fabric.CatchUp();
            std::vector<uint64_t> sum{0};
            for (const auto& device : fabric.GetDevices())
            {
                sum[0] += device ? device->GetTxFrames() : 0; // null: device of another rank
            }
            fabric.AddUp(sum);
            return sum[0];
        };
        uint64_t hopsBefore = hops();
        uint64_t eventsBefore = Simulator::GetEventCount();
        constexpr int SAMPLES = 10;
        const auto startOnWall = std::chrono::steady_clock::now();
        start = CpuSeconds();
        for (int i = 1; i <= SAMPLES; ++i)
        {
            Simulator::Stop(load.duration / SAMPLES);
            Simulator::Run();
            for (const auto& agenda : agendas)
            {
                m.pending += static_cast<double>(agenda->GetPendingEvents()) / SAMPLES;
            }
        }
        m.cpuSeconds = CpuSeconds() - start;
        m.events = Simulator::GetEventCount() - eventsBefore;
        m.packetHops = hops() - hopsBefore;
        m.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - startOnWall).count();
    }
    Simulator::Destroy();
    return m;
}

} // namespace ns3

#endif // HPCC_BENCH_PERMUTATION_H
