/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A network, its traffic and its traces, without HpccExperiment: two racks of four hosts, joined by
// one link of half the capacity of a rack. Hosts of the first rack send random flows to the second
// one, and host 0 posts a message whenever its preceding message is acknowledged.

#include "ns3/command-line.h"
#include "ns3/double.h"
#include "ns3/hpcc-closed-loop.h"
#include "ns3/hpcc-csv-file.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/qbb-net-device.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rdma-host.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <fstream>
#include <iostream>
#include <string>

using namespace ns3;

// begin traces
/// Counts completed messages and the time that they took.
struct Completions
{
    uint32_t messages{0};
    Time sum;

    void Add(const RdmaMessageRecord& message)
    {
        ++messages;
        sum += NanoSeconds(message.completedNs - message.postedNs);
    }
};

/// Writes the queue of a port whenever it changes.
struct QueueFile
{
    Ptr<QbbNetDevice> port;
    std::ofstream file;

    void Changed(uint8_t, uint64_t, uint64_t portBytes, int64_t nowNs)
    {
        file << FormatUs(nowNs) << "," << portBytes << "\n";
    }
};

// end traces
int
main(int argc, char* argv[])
{
    std::string cc = "hpcc++";
    uint32_t seed = 1;
    CommandLine cmd(__FILE__);
    cmd.AddValue("cc", "policy", cc);
    cmd.AddValue("seed", "seed of random numbers", seed);
    cmd.Parse(argc, argv);
    RngSeedManager::SetSeed(seed);

    // begin policy
    HpccFabricHelper::PolicySpec policy;
    try
    {
        policy = HpccFabricHelper::MakePolicy(cc);
    }
    catch (const HpccInputError& error)
    {
        std::cerr << "two-racks: " << error.what() << "\n";
        return 1;
    }
    // end policy
    // begin topology
    HpccTopology topology;
    for (uint32_t host = 0; host < 8; ++host)
    {
        topology.AddNode(false);
    }
    const uint32_t leftSwitch = topology.AddNode(true);
    const uint32_t rightSwitch = topology.AddNode(true);
    for (uint32_t host = 0; host < 8; ++host)
    {
        topology.AddLink(
            {host, host < 4 ? leftSwitch : rightSwitch, DataRate("100Gbps"), MicroSeconds(1)});
    }
    topology.AddLink({leftSwitch, rightSwitch, DataRate("200Gbps"), MicroSeconds(2)});

    HpccFabricHelper fabric;
    fabric.SetHostAttribute("Mtu", UintegerValue(4096));
    fabric.SetBufferAttribute("BufferBytes", UintegerValue(4000000));
    fabric.PartsOf(rightSwitch).SetBufferAttribute("BufferBytes", UintegerValue(8000000));
    const std::string thresholds = policy.Describe().marking;
    if (!thresholds.empty())
    {
        fabric.SetThresholds(thresholds);
    }
    fabric.Install(topology);
    fabric.AssignStreams(1);
    // end topology
    // begin traffic
    auto size = CreateObject<ExponentialRandomVariable>();
    auto gap = CreateObject<ExponentialRandomVariable>();
    size->SetAttribute("Mean", DoubleValue(200000));
    gap->SetAttribute("Mean", DoubleValue(40)); // us: 40 Gb/s per host
    size->SetStream(100);
    gap->SetStream(101);
    for (uint32_t source = 1; source < 4; ++source)
    {
        const uint32_t queuePair = fabric.Connect(source, 4 + source, policy);
        for (double us = gap->GetValue(); us < 1000; us += gap->GetValue())
        {
            const auto bytes = static_cast<uint64_t>(size->GetValue()) + 1;
            fabric.AddMessage(source,
                              queuePair,
                              bytes,
                              NanoSeconds(static_cast<int64_t>(us * 1e3)));
        }
    }
    // end traffic
    // begin closed loop
    uint32_t left = 10;
    const auto nextBytes = [&left] { return left > 0 ? (--left, 100000) : 0; };
    HpccClosedLoop loop(fabric, 0, fabric.Connect(0, 4, policy), nextBytes, MicroSeconds(10));
    // end closed loop
    // begin connect
    Completions completions;
    for (uint32_t host = 0; host < 4; ++host)
    {
        fabric.GetHost(host)->TraceConnectWithoutContext(
            "MessageAcknowledged",
            MakeCallback(&Completions::Add, &completions));
    }
    QueueFile queue{fabric.GetDeviceTo(leftSwitch, rightSwitch), std::ofstream("queue.csv")};
    queue.file << "time_us,queue_bytes\n";
    queue.port->TraceConnectWithoutContext("QueueBytes", MakeCallback(&QueueFile::Changed, &queue));

    Simulator::Stop(MilliSeconds(3));
    Simulator::Run();
    std::cout << cc << ": " << completions.messages << " messages, mean completion time "
              << completions.sum.GetNanoSeconds() / 1e3 / completions.messages << " us, "
              << loop.GetCompleted() << " of them in the closed loop\n";
    Simulator::Destroy();
    // end connect
}
