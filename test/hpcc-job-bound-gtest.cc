/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-job.h"

#include "ns3/config.h"
#include "ns3/string.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>

using namespace ns3;

namespace
{

/**
 * Runs a job on a network, and returns its duration and the lower bound of the duration.
 * @param graph the job
 * @param topology name of the network
 * @param ports assignment of queue pairs to ports
 * @return duration and lower bound, ns
 */
std::pair<int64_t, int64_t>
TimeAndBound(const HpccJobGraph& graph,
             const std::string& topology,
             const std::string& ports = "hash")
{
    std::pair<int64_t, int64_t> times;
    {
        HpccFabricHelper fabric;
        const auto network = HpccTopology::ByName(topology);
        fabric.SetPorts(ports);
        fabric.Install(network);
        HpccFabricTransport transport(fabric, network.GetHosts());
        ConnectJob(transport, graph, HpccFabricHelper::MakePolicy("none"));
        HpccJobRun job(graph, transport, {});
        transport.Start();
        job.Start();
        fabric.EndAt(Seconds(1));
        Simulator::Run();
        times = {HpccJobReport(graph, job.GetTimes(), 0).GetIterationNs(),
                 HpccJobReport::GetBoundNs(graph, {}, fabric, network.GetHosts())};
    }
    Simulator::Destroy();
    return times;
}

/**
 * @param ranks number of ranks
 * @param bytes size of a message
 * @return a job in which each rank sends a message to every other rank
 */
HpccJobGraph
EachToEach(uint32_t ranks, uint64_t bytes)
{
    HpccJobGraph graph(ranks, "test");
    for (uint32_t source = 0; source < ranks; ++source)
    {
        for (uint32_t other = 1; other < ranks; ++other)
        {
            graph.Send(source, (source + other) % ranks, bytes, 0);
            graph.Receive((source + other) % ranks, source, bytes, 0);
        }
    }
    graph.Finish();
    return graph;
}

} // namespace

TEST(HpccJobBound, MessagesOfAQueuePairFollowOneAnother)
{
    // The job consists of ten messages and a computation that waits for the last message.
    HpccJobGraph graph(2, "test");
    uint32_t last = 0;
    for (int i = 0; i < 10; ++i)
    {
        graph.Send(0, 1, 100000, 0);
        last = graph.Receive(1, 0, 100000, 0);
    }
    graph.After(graph.Compute(1, 50000), last);
    graph.Finish();
    const auto result = RunOnStar(graph);
    EXPECT_GE(result.iterationNs + 2, result.boundNs);
    EXPECT_LT(result.iterationNs, result.boundNs + result.boundNs / 200);
}

TEST(HpccJobBound, LetsAHostUseAllItsPorts)
{
    HpccJobGraph graph(8, "test");
    for (uint32_t rank = 4; rank < 8; ++rank)
    {
        graph.Send(0, rank, 1000000, 0);
        graph.Receive(rank, 0, 1000000, 0);
    }
    graph.Finish();
    const auto [oneNs, oneBoundNs] = TimeAndBound(graph, "star:8");
    const auto [fourNs, fourBoundNs] = TimeAndBound(graph, "planes:8,4", "turns");
    EXPECT_GE(oneNs + 2, oneBoundNs); // transmission times are rounded to whole ns on each of two
                                      // links
    EXPECT_GE(fourNs + 2, fourBoundNs);
    EXPECT_NEAR(static_cast<double>(fourNs), static_cast<double>(oneNs) / 4, 5000);
}

TEST(HpccJobBound, LetsSmallMessagesOfAHostFollowOneAnother)
{
    // The switch forwards three packets of 250 bytes while later ones arrive. This takes less time
    // than one packet of 750 bytes.
    const auto [ns, boundNs] = TimeAndBound(EachToEach(4, 250), "star:4,host=1Gbps");
    EXPECT_GE(ns, boundNs);
}

TEST(HpccJobBound, IsThatOfThePortThatIsUsed)
{
    HpccJobGraph graph(2, "test");
    for (int i = 0; i < 3; ++i)
    {
        graph.Send(0, 1, 30000, 0);
        graph.Receive(1, 0, 30000, 0);
    }
    graph.Finish();
    // Port 0 leads to the star. Port 1 leads to a slow or fast switch inside the server.
    for (const char* rate : {"25Gbps", "2880Gbps"})
    {
        const auto [ns, boundNs] =
            TimeAndBound(graph, std::string("nvswitch:2,1,") + rate + ",25ns,star:4", "0");
        EXPECT_GE(ns, boundNs) << rate;
        EXPECT_LT(ns, boundNs + 500) << rate;
    }
}

TEST(HpccJobBound, CountsTheHeadersOfEachPacket)
{
    HpccJobGraph graph(2, "test");
    for (const uint64_t bytes : {1, 500, 1000, 1001})
    {
        for (int i = 0; i < 300; ++i)
        {
            graph.Send(0, 1, bytes, 0);
            graph.Receive(1, 0, bytes, 0);
        }
    }
    graph.Finish();
    const auto [ns, boundNs] = TimeAndBound(graph, "star:2");
    EXPECT_GE(ns + 2, boundNs); // transmission times are rounded to whole ns on each of two links
    EXPECT_LT(static_cast<double>(ns), 1.002 * static_cast<double>(boundNs));
}

TEST(HpccJobBound, IsNotAboveTheTimeOfPacketsOfOneByteAfterFullPackets)
{
    for (const char* recovery : {"go-back-n", "sack"})
    {
        Config::SetDefault("ns3::RdmaHost::Recovery", StringValue(recovery));
        const auto [ns, boundNs] = TimeAndBound(EachToEach(16, 1001), "star:16,host=10Gbps");
        EXPECT_GE(ns + 2, boundNs) << recovery; // transmission times are rounded to whole ns on
                                                // each of two links
        EXPECT_LT(ns, 2 * boundNs) << recovery;
    }
    Config::Reset();
}

TEST(HpccJobBound, KnowsThatFirstIsOnePort)
{
    const auto graph = EachToEach(4, 1000000);
    EXPECT_EQ(TimeAndBound(graph, "planes:4,2", "first"), TimeAndBound(graph, "planes:4,2", "0"));
}

TEST(HpccJobBound, CountsTheLinksThatHostsShare)
{
    // Each of the four hosts of a leaf sends a message to the other leaf over the links between
    // the leaves.
    HpccJobGraph graph(8, "test");
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        graph.Send(rank, rank + 4, 1000000, 0);
        graph.Receive(rank + 4, rank, 1000000, 0);
    }
    graph.Finish();
    // The bound is the transmission time of all messages on the only path between the leaves. The
    // job may take a round trip longer.
    const auto [oneNs, oneBoundNs] = TimeAndBound(graph, "leaf-spine:2,1,4,fabric=100Gbps");
    EXPECT_GE(oneNs, oneBoundNs);
    EXPECT_LT(oneNs, oneBoundNs + 15000);
    // With two spines messages can use two paths, so the bound is half as large.
    const auto [twoNs, twoBoundNs] = TimeAndBound(graph, "leaf-spine:2,2,4,fabric=100Gbps");
    EXPECT_GE(twoNs, twoBoundNs);
    EXPECT_NEAR(static_cast<double>(twoBoundNs), static_cast<double>(oneBoundNs) / 2, 2);
    // With four ports per host, each plane carries a part of the messages.
    const auto [planesNs, planesBoundNs] = TimeAndBound(graph, "planes:8,4");
    EXPECT_GE(planesNs + 2, planesBoundNs); // transmission times are rounded to whole ns on each of
                                            // two links
    EXPECT_LT(planesBoundNs, oneBoundNs / 3);
}
