/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-refusal.h"

#include "ns3/hpcc-byte-stream.h"
#include "ns3/hpcc-find-cycle.h"
#include "ns3/hpcc-histogram.h"
#include "ns3/hpcc-partition.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

// Tests the functions that divide a simulation among several processes and merge the results.

using namespace ns3;
using hpcctest::RefusalOf;

namespace
{

using List = std::vector<uint32_t>;

std::string
RefusalOf(const HpccTopology& topology, const std::string& how, uint32_t ranks)
{
    try
    {
        HpccPartition(topology, how, ranks);
    }
    catch (const HpccInputError& error)
    {
        return error.what();
    }
    return "";
}

} // namespace

TEST(HpccPartition, PodsStayTogetherAndEachRankHasAsManyHosts)
{
    const auto topology = HpccTopology::ByName("fat-tree:4");
    const HpccPartition partition(topology, "pod", 2);
    const List& rankOf = partition.GetRankOf();
    const auto hosts = topology.GetHosts();
    for (size_t i = 0; i < hosts.size(); ++i)
    {
        EXPECT_EQ(rankOf[hosts[i]], i < hosts.size() / 2 ? 0U : 1U) << "host " << i;
    }
    // Of the 32 links between switches, 16 links lead to cores. The partition cuts half of the
    // links of each core, and no other links.
    EXPECT_DOUBLE_EQ(partition.GetCutShare(), 8.0 / 32);
    EXPECT_DOUBLE_EQ(partition.GetImbalance(), 1);
}

TEST(HpccPartition, TheCutShareCountsNoLinksOfHosts)
{
    // Nodes 0 to 3 are hosts at switch 4, and nodes 5 to 8 are hosts at switch 9. Rank 0 owns all
    // hosts.
    const auto topology = HpccTopology::Dumbbell(4, 4, {});
    const HpccPartition apart(topology, "0-7:0,8-9:1", 2);
    EXPECT_DOUBLE_EQ(apart.GetCutShare(), 0);
    const HpccPartition both(topology, "0-8:0,9:1", 2);
    EXPECT_DOUBLE_EQ(both.GetCutShare(), 1);
}

TEST(HpccPartition, TheImbalanceCountsThePortsAtBothEndsOfALink)
{
    HpccTopology topology;
    for (const bool isSwitch : {false, false, true})
    {
        topology.AddNode(isSwitch);
    }
    topology.AddLink({0, 2, DataRate("100Gbps"), MicroSeconds(1), 0, DataRate("300Gbps")});
    topology.AddLink({1, 2, DataRate("100Gbps"), MicroSeconds(1)});
    const HpccPartition partition(topology, "0-1:0,2:1", 2);
    EXPECT_DOUBLE_EQ(partition.GetImbalance(), 4.0 / 3);
}

TEST(HpccPartition, RacksStayTogetherWherePodsAreTooFew)
{
    const auto topology = HpccTopology::ByName("fat-tree:4");
    const HpccPartition partition(topology, "rack", 8);
    const List& rankOf = partition.GetRankOf();
    const auto hosts = topology.GetHosts();
    for (size_t i = 0; i < hosts.size(); ++i)
    {
        EXPECT_EQ(rankOf[hosts[i]], i / 2) << "host " << i;
    }
    EXPECT_NE(RefusalOf(topology, "pod", 8).find("without a node"), std::string::npos);
}

TEST(HpccPartition, AListNamesEachNodeOnce)
{
    const auto topology = HpccTopology::Star(3, {});
    EXPECT_EQ(HpccPartition(topology, "0-1:1,2-3:0", 2).GetRankOf(), (List{1, 1, 0, 0}));
    EXPECT_EQ(HpccPartition(topology, "3:0,0:1,1:1,2:1", 2).GetRankOf(), (List{1, 1, 1, 0}));
    for (const char* wrong : {"0-2:0",
                              "0-3:0,3:1",
                              "0-4:0",
                              "0-3:2",
                              "3-0:0",
                              "0-3",
                              "0-3:0x",
                              "",
                              "nosuch",
                              "0-1:0,,2-3:1"})
    {
        EXPECT_NE(RefusalOf(topology, wrong, 2), "") << '"' << wrong << '"';
    }
}

TEST(FindCycle, FindsACycleAndNamesItsNodesInOrder)
{
    EXPECT_EQ(FindCycle({}), List{});
    EXPECT_EQ(FindCycle({{1}, {2}, {}}), List{}) << "a chain";
    EXPECT_EQ(FindCycle({{1, 2}, {3}, {3}, {}}), List{}) << "two ways to one node";
    EXPECT_EQ(FindCycle({{0}}), List{0}) << "a node that waits for itself";
    List cycle = FindCycle({{1}, {2, 4}, {3}, {}, {5}, {1}});
    ASSERT_EQ(cycle.size(), 3U);
    std::rotate(cycle.begin(), std::find(cycle.begin(), cycle.end(), 1U), cycle.end());
    EXPECT_EQ(cycle, (List{1, 4, 5})) << "without what leads to it";
}

TEST(HpccHistogram, MergesAsIfAllHadBeenCountedInOne)
{
    HpccHistogram all;
    HpccHistogram parts[2];
    for (uint64_t value = 0; value < 100000; value += 7)
    {
        all.Add(value);
        parts[value % 3 == 0].Add(value);
    }
    HpccHistogram merged;
    merged.Merge(parts[0].GetCounts(), parts[0].GetMost());
    merged.Merge(parts[1].GetCounts(), parts[1].GetMost());
    EXPECT_EQ(merged.GetTotal(), all.GetTotal());
    EXPECT_EQ(merged.GetCounts(), all.GetCounts());
    for (double q : {0.99, 1.0})
    {
        EXPECT_EQ(merged.GetQuantile(q), all.GetQuantile(q)) << q;
    }
}

TEST(HpccByteStream, ReadsWhatWasWritten)
{
    HpccByteStream out;
    out.Put(uint32_t{7});
    out.Put(std::vector<int64_t>{-1, 2});
    out.Put(std::vector<double>{});
    out.Put(true);
    HpccByteStream in(out.GetBytes());
    EXPECT_EQ(in.Get<uint32_t>(), 7U);
    EXPECT_EQ(in.GetVector<int64_t>(), (std::vector<int64_t>{-1, 2}));
    EXPECT_TRUE(in.GetVector<double>().empty());
    EXPECT_FALSE(in.IsAtEnd());
    EXPECT_TRUE(in.Get<bool>());
    EXPECT_TRUE(in.IsAtEnd());
}

TEST(HpccByteStream, RefusesBytesThatDoNotMatchWhatIsRead)
{
    HpccByteStream out;
    out.Put(std::vector<uint64_t>{7, 7});
    const std::string whole = out.GetBytes();
    const auto refusal = [](const std::string& bytes) {
        return RefusalOf([&bytes] {
            HpccByteStream in(bytes);
            in.GetVector<uint64_t>();
            in.RequireEnd();
        });
    };
    EXPECT_EQ(refusal(whole), "");
    const std::string line =
        "--mpi: the data of the ranks do not match; all ranks must run the same command";
    for (size_t length = 0; length < whole.size(); ++length)
    {
        EXPECT_EQ(refusal(whole.substr(0, length)), line) << length << " bytes";
    }
    EXPECT_EQ(refusal(whole + "x"), line);
    HpccByteStream huge;
    huge.Put(SIZE_MAX);
    EXPECT_EQ(refusal(huge.GetBytes()), line) << "nothing of this size is allocated";
    HpccByteStream index;
    index.Put(uint32_t{5});
    EXPECT_EQ(HpccByteStream(index.GetBytes()).GetIndex(6), 5U);
    EXPECT_EQ(RefusalOf([&index] { HpccByteStream(index.GetBytes()).GetIndex(5); }), line);
}
