/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../examples/hpcc-run/hpcc-uec-matrix.h"
#include "../examples/hpcc-run/hpcc-uec-topology.h"
#include "../examples/hpcc-run/hpcc-uec-triggers.h"

#include "ns3/hpcc-input-error.h"

#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

const std::string HEAD = "Nodes 16\nConnections 1\n";

const std::string SPINE = "Nodes 32\nTiers 2\nPodsize 32\n\n"
                          "Tier 0\nDownlink_speed_Gbps 100\nRadix_Down 8\nRadix_Up 2\n"
                          "Downlink_Latency_ns 1000\nSwitch_Latency_ns 0\nOversubscribed 4\n\n"
                          "Tier 1\nDownlink_speed_Gbps 100\nRadix_Down 4\n"
                          "Downlink_Latency_ns 1000\nSwitch_Latency_ns 0\n";

const std::string PODS =
    "# two links between an agg and a core\n"
    "Nodes 8\nTiers 3\nPodsize 4\n"
    "Tier 0\ndownlink_speed_gbps 200\nRadix_Down 2\nRadix_Up 2\n"
    "Downlink_Latency_ns 300\nSwitch_Latency_ns 100\n"
    "Tier 1\n# of the pods\nDownlink_speed_Gbps 200\nRadix_Down 2\nRadix_Up 4\n"
    "Downlink_Latency_ns 400\nSwitch_Latency_ns 200\nBundle 1\n"
    "Tier 2\nDownlink_speed_Gbps 100\nRadix_Down 4\n"
    "Downlink_Latency_ns 500\nSwitch_Latency_ns 302\nBundle 2\nQueue_Down 7\n";

HpccUecMatrix
Matrix(const std::string& text)
{
    std::istringstream in(text);
    return HpccUecMatrix::Read(in, "m.cm");
}

HpccUecTopology
Topology(const std::string& text)
{
    std::istringstream in(text);
    return HpccUecTopology::Read(in, "t.topo");
}

/// @return the message of the HpccInputError that an action causes; empty if there is none
template <typename Action>
std::string
Refusal(const Action& action)
{
    try
    {
        action();
    }
    catch (const HpccInputError& error)
    {
        return error.what();
    }
    return "";
}

/// @return @p text with the only occurrence of @p from replaced by @p to
std::string
Replaced(std::string text, const std::string& from, const std::string& to)
{
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

/// @return rates of the links between two nodes in both directions, Gb/s
std::vector<std::pair<uint64_t, uint64_t>>
Rates(const HpccTopology& topology, uint32_t a, uint32_t b)
{
    std::vector<std::pair<uint64_t, uint64_t>> rates;
    for (const uint32_t number : topology.FindLinks(a, b))
    {
        const auto& link = topology.GetLinks()[number];
        const uint64_t there = link.rate.GetBitRate() / 1000000000;
        const uint64_t back = link.GetRateBack().GetBitRate() / 1000000000;
        rates.push_back(link.a == a ? std::pair(there, back) : std::pair(back, there));
    }
    return rates;
}

} // namespace

TEST(HpccUecMatrix, FlowsHaveTheirEndsSizesAndStartsWithoutFractions)
{
    const auto matrix = Matrix("# made by hand\n\nNodes 16\nConnections 3\n"
                               "0->13 start 0 size 2000000\n"
                               "8->0 id 7 start 40.9 size 250000 prio 3\n"
                               "9->0 size 1 start 1000000\n");
    EXPECT_EQ(matrix.GetNodes(), 16U);
    ASSERT_EQ(matrix.GetFlows().size(), 3U);
    const auto& flow = matrix.GetFlows()[1];
    EXPECT_EQ(flow.source, 8U);
    EXPECT_EQ(flow.destination, 0U);
    EXPECT_EQ(flow.id, 7U);
    EXPECT_EQ(flow.startUs, 40);
    EXPECT_EQ(flow.bytes, 250000U);
    EXPECT_EQ(flow.line, 6U);
    EXPECT_EQ(matrix.GetFlows()[2].startUs, 1000000);
    EXPECT_TRUE(matrix.HasPriorities());
    EXPECT_FALSE(Matrix(HEAD + "0->1 start 0 size 1\n").HasPriorities());
}

TEST(HpccUecMatrix, TriggersHaveTheirKindsAndFlows)
{
    const auto matrix = Matrix("Nodes 4\nConnections 3\nTriggers 2\n"
                               "0->1 id 1 start 0 size 10 send_done_trigger 5\n"
                               "1->2 id 2 trigger 5 size 10 recv_done_trigger 6\n"
                               "2->3 id 3 trigger 6 size 10\n"
                               "trigger id 5 oneshot\ntrigger id 6 barrier count 1\n");
    EXPECT_EQ(matrix.GetFlows()[0].sendDone, 5U);
    EXPECT_EQ(matrix.GetFlows()[1].trigger, 5U);
    EXPECT_EQ(matrix.GetFlows()[1].startUs, -1);
    EXPECT_EQ(matrix.GetFlows()[1].receiveDone, 6U);
    EXPECT_EQ(matrix.GetTriggers().at(5).kind, HpccUecMatrix::TriggerKind::ONESHOT);
    EXPECT_EQ(matrix.GetTriggers().at(6).kind, HpccUecMatrix::TriggerKind::BARRIER);
    EXPECT_EQ(matrix.GetTriggers().at(6).count, 1U);
}

TEST(HpccUecMatrix, TriggersThatTooFewFlowsActivateAreFound)
{
    const std::string flows = "0->1 start 0 size 9 send_done_trigger 1\n"
                              "1->2 id 2 trigger 1 size 9\n2->3 id 3 trigger 1 size 9\n";
    const std::string head = "Nodes 4\nConnections 3\nTriggers 1\n";
    using Starved = std::vector<uint32_t>;
    EXPECT_EQ(Matrix(head + flows + "trigger id 1 oneshot\n").FindStarved(), Starved{});
    EXPECT_EQ(Matrix(head + flows + "trigger id 1 barrier count 1\n").FindStarved(), Starved{});
    EXPECT_EQ(Matrix(head + flows + "trigger id 1 barrier count 2\n").FindStarved(), Starved{1});
    EXPECT_EQ(Matrix(head + flows + "trigger id 1 multishot\n").FindStarved(), Starved{1});
}

TEST(HpccUecTriggers, EachKindStartsItsFlowsInItsWay)
{
    const auto matrix = Matrix("Nodes 4\nConnections 8\nTriggers 3\n"
                               "0->1 start 0 size 9 send_done_trigger 1\n"
                               "0->2 start 0 size 9 send_done_trigger 2 recv_done_trigger 2\n"
                               "0->3 start 0 size 9 send_done_trigger 3 recv_done_trigger 3\n"
                               "1->2 id 4 trigger 1 size 9\n1->3 id 5 trigger 1 size 9\n"
                               "2->1 id 6 trigger 2 size 9\n2->3 id 7 trigger 2 size 9\n"
                               "3->1 id 8 trigger 3 size 9\n"
                               "trigger id 1 oneshot\ntrigger id 2 multishot\n"
                               "trigger id 3 barrier count 2\n");
    HpccUecTriggers triggers(matrix);
    using Flows = std::vector<size_t>;
    EXPECT_EQ(triggers.Activate(1), (Flows{3, 4}));
    EXPECT_EQ(triggers.Activate(2), Flows{5});
    EXPECT_EQ(triggers.Activate(2), Flows{6});
    EXPECT_EQ(triggers.Activate(2), Flows{});
    EXPECT_EQ(triggers.Activate(3), Flows{});
    EXPECT_EQ(triggers.Activate(3), Flows{7});
}

TEST(HpccUecMatrix, WhatIsWrongIsRefusedWithFileAndLine)
{
    const std::string flow = "0->13 start 0 size 10";
    const std::vector<std::pair<std::string, std::string>> cases{
        {"", "m.cm:1: at least 2 Nodes are needed before the first flow"},
        {"Nodes 1\n" + flow, "m.cm:2: at least 2 Nodes"},
        {"Nodes 16\n", "m.cm:1: there is no flow"},
        {"Nodes 65537\n" + flow, "m.cm:1: Nodes 65537 is above 65536"},
        {"Nodes 16\nNodes 16\n" + flow, "m.cm:2: Nodes is given twice"},
        {"Nodes 16 4\n" + flow, "m.cm:1: \"4\" is one word too many"},
        {"Nodes -1\n" + flow, "m.cm:1: Nodes \"-1\" is not a whole number from 0 on"},
        {"Hosts 16\n" + flow, "m.cm:1: unknown key \"Hosts\""},
        {"Nodes 16\nConnections 1\nFailures 1\n" + flow, "m.cm:3: failure lines"},
        {HEAD + flow + "\n" + flow, "m.cm:4: Connections announces 1, but there are 2"},
        {"Nodes 16\nConnections 2\n" + flow, "m.cm:3: Connections announces 2, but there are 1"},
        {HEAD + flow + "\n# a comment", "m.cm:4: \"#\" begins neither a flow"},
        {HEAD + flow + "\nfailure switch_type TOR", "m.cm:4: failure lines are not supported"},
        {HEAD + "16->0 start 0 size 10", "m.cm:3: host 16: hosts are 0 to 15"},
        {HEAD + "a->0 start 0 size 10", "m.cm:3: the source \"a\" is not a whole number"},
        {HEAD + "3->3 start 0 size 10", "m.cm:3: a flow from host 3 to itself"},
        {HEAD + "0->3 start 0", "m.cm:3: the flow has no size"},
        {HEAD + "0->3 start 0 size", "m.cm:3: size is missing at the end of the line"},
        {HEAD + "0->3 start 0 size 0", "m.cm:3: size \"0\" is not a whole number from 1 on"},
        {HEAD + "0->3 start -1 size 9", "m.cm:3: start \"-1\" is not a number from 0 on"},
        {HEAD + "0->3 start 5e9 size 9", "m.cm:3: start is above 4294967295 us"},
        {HEAD + "0->3 start 0 start 1 size 9", "m.cm:3: start is given twice"},
        {HEAD + "0->3 size 9", "m.cm:3: the flow has neither start nor trigger"},
        {HEAD + "0->3 id 1 start 0 trigger 1 size 9", "m.cm:3: the flow has both"},
        {HEAD + "0->3 trigger 1 size 9", "m.cm:3: a flow with a trigger needs an id"},
        {HEAD + "0->3 id 0 start 0 size 9", "m.cm:3: id \"0\" is not a whole number from 1 on"},
        {HEAD + "0->3 id 1 msg 1 start 0 size 9", "m.cm:3: msg is not supported"},
        {HEAD + "0->3 start 0 bytes 9", "m.cm:3: unknown key \"bytes\""},
        {HEAD + "0->3 start 0 size 9 send_done_trigger 4", "m.cm:3: there is no trigger 4"},
        {"Nodes 4\nConnections 2\n0->1 id 1 start 0 size 9\n1->2 id 1 start 0 size 9",
         "m.cm:4: id 1 is that of line 3"},
        {"Nodes 4\nConnections 1\nTriggers 1\n0->1 start 0 size 9\ntrigger id 2 oneshot",
         "m.cm:5: trigger 2 starts no flow"},
        {"Nodes 4\nConnections 3\nTriggers 1\n0->1 start 0 size 9 send_done_trigger 2\n"
         "1->2 start 0 size 9 send_done_trigger 2\n2->3 id 1 trigger 2 size 9\n"
         "trigger id 2 oneshot",
         "m.cm:7: trigger 2 is activated 2 times; allowed is at most 1"},
        {"Nodes 4\nConnections 2\nTriggers 1\n"
         "0->1 start 0 size 9 send_done_trigger 2 recv_done_trigger 2\n"
         "2->3 id 1 trigger 2 size 9\ntrigger id 2 barrier count 1",
         "m.cm:6: trigger 2 is activated 2 times; allowed is at most 1"},
        {"Nodes 4\nConnections 1\nTriggers 1\n0->1 id 1 trigger 2 size 9 send_done_trigger 2\n"
         "trigger id 2 oneshot",
         "m.cm:4: all flows wait for triggers; at least one needs a start"},
        {HEAD + "trigger oneshot", "m.cm:3: the trigger has no id"},
        {HEAD + "trigger id 1", "m.cm:3: the trigger is neither oneshot, multishot nor barrier"},
        {HEAD + "trigger id 1 barrier", "m.cm:3: a barrier has a count"},
        {HEAD + "trigger id 1 oneshot count 2", "m.cm:3: a barrier has a count"},
        {HEAD + "trigger id 1 oneshot barrier", "m.cm:3: the trigger has two kinds"},
        {HEAD + "trigger id 1 always", "m.cm:3: unknown key \"always\""},
        {HEAD + "trigger id 1 oneshot\ntrigger id 1 oneshot",
         "m.cm:4: trigger 1 is that of line 3"},
    };
    for (const auto& [text, words] : cases)
    {
        EXPECT_EQ(Refusal([&text = text] { Matrix(text); }).substr(0, words.size()), words) << text;
    }
    EXPECT_EQ(Refusal([] { HpccUecMatrix::Load("/nowhere/x.cm"); }), "cannot read /nowhere/x.cm");
}

TEST(HpccUecTopology, ALeafSpineHasItsLinks)
{
    const auto read = Topology(SPINE);
    EXPECT_EQ(read.GetHops(), 4U);
    EXPECT_EQ(read.GetDiameterNs(), 4000);
    EXPECT_FALSE(read.HasQueues());
    const auto topology = read.Build(0);
    topology.Validate();
    EXPECT_EQ(topology.GetHosts().size(), 32U);
    EXPECT_EQ(topology.GetNodes(), 32U + 4 + 2);
    EXPECT_EQ(topology.GetLinks().size(), 32U + 8);
    EXPECT_EQ(topology.FindLinks(8, 33).size(), 1U);
    EXPECT_EQ(Rates(topology, 35, 37), (std::vector<std::pair<uint64_t, uint64_t>>{{100, 100}}));
}

TEST(HpccUecTopology, PodsHaveTheirBundlesAndRates)
{
    const auto read = Topology(PODS);
    EXPECT_TRUE(read.HasQueues());
    const auto topology = read.Build(0);
    topology.Validate();
    // The network has 8 hosts, 4 switches of tier 0 from number 8 on, 4 of tier 1 from 12 on, and 4
    // of tier 2 from 16 on.
    EXPECT_EQ(topology.GetNodes(), 20U);
    EXPECT_EQ(topology.GetLinks().size(), 8U + 8 + 16);
    EXPECT_EQ(Rates(topology, 0, 8), (std::vector<std::pair<uint64_t, uint64_t>>{{200, 200}}));
    // Switch j of tier 1 in each pod is connected to switches j and j + 2 of tier 2.
    EXPECT_EQ(Rates(topology, 12, 16),
              (std::vector<std::pair<uint64_t, uint64_t>>{{100, 100}, {100, 100}}));
    EXPECT_EQ(topology.FindLinks(12, 17).size(), 0U);
    EXPECT_EQ(topology.FindLinks(12, 18).size(), 2U);
    EXPECT_EQ(topology.FindLinks(15, 19).size(), 2U);
}

TEST(HpccUecTopology, LatenciesOfSwitchesCountOnThePath)
{
    const auto read = Topology(PODS);
    EXPECT_EQ(read.GetDiameterNs(), 2 * (300 + 400 + 500) + 2 * (100 + 200) + 302);
    const auto topology = read.Build(0);
    auto delayNs = [&topology](uint32_t a, uint32_t b) {
        return topology.GetLinks()[topology.FindLinks(a, b).front()].delay.GetNanoSeconds();
    };
    const int64_t oneWay = 2 * (delayNs(0, 8) + delayNs(8, 12) + delayNs(12, 16));
    EXPECT_EQ(oneWay, read.GetDiameterNs());
}

TEST(HpccUecTopology, ADegradedSpineIsSlowInBothDirections)
{
    const auto topology = Topology(SPINE).Build(1);
    using Pairs = std::vector<std::pair<uint64_t, uint64_t>>;
    for (uint32_t tor = 32; tor < 36; ++tor)
    {
        EXPECT_EQ(Rates(topology, tor, 36), (Pairs{{25, 25}}));
        EXPECT_EQ(Rates(topology, tor, 37), (Pairs{{100, 100}}));
    }
}

TEST(HpccUecTopology, ADegradedCoreLinkIsSlowDownwards)
{
    // With k = 4, there are 16 hosts. Switches of tier 0 start at number 16, of tier 1 at 24, and
    // of tier 2 at 32.
    const auto topology = HpccUecTopology::FatTree(16, DataRate("100Gbps")).Build(3);
    using Pairs = std::vector<std::pair<uint64_t, uint64_t>>;
    EXPECT_EQ(Rates(topology, 24, 32), (Pairs{{100, 25}}));
    EXPECT_EQ(Rates(topology, 24, 34), (Pairs{{100, 25}}));
    EXPECT_EQ(Rates(topology, 25, 33), (Pairs{{100, 25}}));
    EXPECT_EQ(Rates(topology, 25, 35), (Pairs{{100, 100}}));
    EXPECT_EQ(Rates(topology, 26, 32), (Pairs{{100, 100}}));
}

TEST(HpccUecTopology, ASwitchMayHaveMoreOrFewerCoreLinksThanAPodHasSwitches)
{
    // A pod has 2 switches of tier 1. Each is connected to one switch of tier 2 by a bundle of 2
    // links. Switches of tier 0 start at number 8, of tier 1 at 12, and of tier 2 at 16. Link 0 of
    // switch s of tier 1 is degraded if 2 s < N.
    const std::string few = Replaced(Replaced(PODS, "Radix_Up 4", "Radix_Up 2"),
                                     "Downlink_Latency_ns 400",
                                     "Downlink_Latency_ns 400\nOversubscribed 2");
    const auto topology = Topology(few).Build(3);
    using Pairs = std::vector<std::pair<uint64_t, uint64_t>>;
    EXPECT_EQ(Rates(topology, 12, 16), (Pairs{{100, 25}, {100, 25}}));
    EXPECT_EQ(Rates(topology, 13, 17), (Pairs{{100, 25}, {100, 25}}));
    EXPECT_EQ(Rates(topology, 14, 16), (Pairs{{100, 100}, {100, 100}}));
    EXPECT_EQ(Refusal([&few] { Topology(few).Build(8); }),
              "--failed: 8 is above 7, all that can be degraded");
}

TEST(HpccUecTopology, WithoutAFileItIsAFatTree)
{
    for (const uint32_t nodes : {2, 16, 54, 128, 1024})
    {
        const auto read = HpccUecTopology::FatTree(nodes, DataRate("100Gbps"));
        EXPECT_EQ(read.GetHops(), 6U);
        EXPECT_EQ(read.GetDiameterNs(), 6000);
        const auto topology = read.Build(0);
        topology.Validate();
        EXPECT_EQ(topology.GetHosts().size(), nodes);
        EXPECT_EQ(topology.GetLinks().size(), 3 * nodes);
    }
    EXPECT_EQ(Refusal([] { HpccUecTopology::FatTree(17, DataRate("100Gbps")); }),
              "Nodes 17: there is no fat-tree of k^3/4 hosts with that many; give --topo");
}

TEST(HpccUecTopology, WhatIsWrongIsRefusedWithFileAndLine)
{
    const std::vector<std::pair<std::string, std::string>> cases{
        {"", "t.topo:1: nodes is missing before the first tier"},
        {"Nodes 4\nTiers 2\nPodsize 4\n", "t.topo:3: there is no tier"},
        {Replaced(SPINE, "Tiers 2", "Tiers 4"), "t.topo:5: tiers 4 is neither 2 nor 3"},
        {Replaced(SPINE, "Podsize 32\n", ""), "t.topo:4: podsize is missing before the first tier"},
        {Replaced(SPINE, "Podsize 32", "Podsize 32 1"), "t.topo:3: \"1\" is one word too many"},
        {Replaced(SPINE, "Podsize", "Pod"), "t.topo:3: unknown key \"pod\""},
        {Replaced(SPINE, "Tiers 2", "Tiers 2\nTiers 2"), "t.topo:3: tiers is given twice"},
        {Replaced(SPINE, "Tier 1", "Tier 2"), "t.topo:13: tier 2: tiers are 0 to 1"},
        {Replaced(SPINE, "Tier 1", "Tier 0"), "t.topo:13: tier is given twice for tier 0"},
        {Replaced(SPINE, "Radix_Up 2\n", ""), "t.topo:16: radix_up of tier 0 is missing"},
        {Replaced(SPINE, "Radix_Up 2", "Radix_Up 2\nRadix_Up 2"), "t.topo:9: radix_up is given"},
        {Replaced(SPINE, "Radix_Down 4\n", "Radix_Down 4\nRadix_Up 4\n"),
         "t.topo:16: radix_up: the top tier has no links upwards"},
        {Replaced(SPINE, "Radix_Up 2", "Radix_Up x"), "t.topo:8: radix_up \"x\" is not a whole"},
        {Replaced(SPINE, "Radix_Up 2", "Radix_Up"), "t.topo:8: radix_up is missing at the end"},
        {Replaced(SPINE, "Radix_Up 2", "Uplinks 2"), "t.topo:8: unknown key \"uplinks\""},
        {Replaced(SPINE, "Nodes 32", "Nodes 33"), "t.topo:17: pods, nodes / podsize: 33 / 32"},
        {Replaced(SPINE, "Nodes 32", "Nodes 70000"), "t.topo:5: nodes 70000 is above 65536"},
        {Replaced(SPINE, "Nodes 32", "Nodes 64"),
         "t.topo:17: two tiers: pods, nodes / podsize, gives 2 and 1"},
        {Replaced(SPINE, "Radix_Down 8", "Radix_Down 7"),
         "t.topo:17: switches of tier 0, podsize / radix_down: 32 / 7"},
        {Replaced(SPINE, "Oversubscribed 4", "Oversubscribed 2"),
         "t.topo:17: tier 0: radix_down / radix_up and oversubscribed gives 4 and 2"},
        {Replaced(SPINE, "Radix_Down 4", "Radix_Down 8"),
         "t.topo:17: tiers 0 and 1: switches of tier 1 in a pod x bundle and radix_up of tier 0 "
         "gives 1 and 2"},
        {Replaced(PODS, "Switch_Latency_ns 302", "Switch_Latency_ns 301"),
         "t.topo:23: switch_latency_ns 301 is odd; allowed are even numbers"},
        {Replaced(PODS, "Bundle 2", "Bundle 1"), "t.topo:25: tiers 1 and 2: switches of tier 2"},
    };
    for (const auto& [text, words] : cases)
    {
        EXPECT_EQ(Refusal([&text = text] { Topology(text); }).substr(0, words.size()), words)
            << text;
    }
    EXPECT_EQ(Refusal([] { HpccUecTopology::Load("/nowhere/x"); }), "cannot read /nowhere/x");
    EXPECT_EQ(Refusal([] { Topology(SPINE).Build(3); }),
              "--failed: 3 is above 2, all that can be degraded");
}
