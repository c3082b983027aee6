/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-job.h"

#include "ns3/hpcc-input-error.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <string>

using namespace ns3;

namespace
{

constexpr double DATA_BYTES = 9082; ///< bytes of a full packet on the wire, with preamble and gap
constexpr double ACK_BYTES = 88;    ///< bytes of the packet's ACK on the wire

/// @return m / B, ns: transmission time of a message on a link that also carries the ACKs of a
/// message of the same size
double
LinkNs(double bytes)
{
    return bytes / 9000 * (DATA_BYTES + ACK_BYTES) * 8 / 100;
}

/// @return latency a, ns: propagation over two links with a delay of 1 us, plus the transmission of
/// the last packet on the second link
double
LatencyNs(double bytes)
{
    return 2000 + (std::min(bytes, 9000.0) + 82) * 8 / 100;
}

/// @return a + m / B, ns
double
StepNs(double bytes)
{
    return LatencyNs(bytes) + LinkNs(bytes);
}

/// @return the plan of an operation with one algorithm
HpccCollectivePlan
PlanOf(const std::string& operation, const std::string& algorithm, uint64_t bytes)
{
    HpccCollectivePlan plan;
    plan.operation = operation;
    plan.algorithms = {algorithm};
    plan.bytes = bytes;
    return plan;
}

/// Expects that a collective takes the time @p formNs, ns, in an idle star.
void
ExpectTime(const HpccCollectivePlan& plan, uint32_t ranks, double formNs, double tolerance)
{
    const auto graph = GraphOf(plan, ranks);
    const auto result = RunOnStar(graph);
    const std::string what = plan.operation + " " + plan.algorithms.front() + " of " +
                             std::to_string(plan.bytes) + " bytes, ranks " + std::to_string(ranks);
    EXPECT_EQ(result.unfinished, 0) << what;
    EXPECT_NEAR(static_cast<double>(result.iterationNs) / formNs, 1, tolerance) << what;
    EXPECT_GE(result.iterationNs, result.boundNs) << what;
}

} // namespace

TEST(HpccCollectives, RingsTakeTheTimeOfTheClosedForm)
{
    for (uint32_t n : {2, 4, 8, 16, 64})
    {
        const uint64_t bytes = n == 64 ? 6400000 : 1000000 * n;
        const double block = static_cast<double>(bytes) / n;
        ExpectTime(PlanOf("all-reduce", "ring", bytes), n, 2 * (n - 1) * StepNs(block), 0.01);
        ExpectTime(PlanOf("reduce-scatter", "ring", bytes), n, (n - 1) * StepNs(block), 0.01);
        ExpectTime(PlanOf("all-gather", "ring", bytes), n, (n - 1) * StepNs(block), 0.01);
    }
    ExpectTime(PlanOf("all-reduce", "ring", 64 * 1024), 8, 14 * StepNs(8192), 0.01);
}

TEST(HpccCollectives, DirectExchangesTakeTheTimeOfTheClosedForm)
{
    for (uint32_t n : {2, 4, 8, 16, 64})
    {
        const uint64_t bytes = n == 64 ? 64 * 90000 : 900000 * n;
        const double block = static_cast<double>(bytes) / n;
        const double once = LatencyNs(9000) + (n - 1) * LinkNs(block);
        ExpectTime(PlanOf("all-to-all", "direct", bytes), n, once, 0.01);
        ExpectTime(PlanOf("reduce-scatter", "direct", bytes), n, once, 0.01);
        ExpectTime(PlanOf("all-reduce", "direct", bytes), n, 2 * once, 0.01);
        auto one = PlanOf("all-to-all", "direct", bytes);
        one.window = 1;
        ExpectTime(one, n, (n - 1) * StepNs(block), 0.01);
    }
}

TEST(HpccCollectives, HalvingDoublingTakesTheTimeOfTheClosedForm)
{
    for (uint32_t n : {2, 4, 8, 16, 64})
    {
        const uint64_t bytes = 9000 * 64 * 10;
        const double levels = std::log2(n);
        const double form =
            2 * levels * LatencyNs(9000) + 2 * LinkNs(static_cast<double>(bytes) * (n - 1) / n);
        ExpectTime(PlanOf("all-reduce", "halving-doubling", bytes), n, form, 0.01);
        ExpectTime(PlanOf("all-gather", "halving-doubling", bytes), n, form / 2, 0.01);
    }
}

TEST(HpccCollectives, TreesTakeTheTimeOfTheClosedForm)
{
    for (uint32_t n : {4, 8, 16, 64})
    {
        // Two children share the link of their parent in both directions. The root of each tree has
        // only one child.
        const uint64_t bytes = 9000 * 400;
        const double half = static_cast<double>(bytes) / 2;
        const double depth = std::log2(n) - 1;
        const double form =
            2 * (depth * (LatencyNs(9000) + 2 * LinkNs(half)) + LatencyNs(9000) + LinkNs(half));
        ExpectTime(PlanOf("all-reduce", "tree", bytes), n, form, 0.03);
        // A member sends to its second child when its message to the first child has been
        // acknowledged.
        const double levels = depth + 1;
        const double down = levels * StepNs(static_cast<double>(bytes)) + depth * 2000;
        ExpectTime(PlanOf("broadcast", "tree", bytes), n, down, 0.03);
    }
}

TEST(HpccCollectives, ABroadcastEndsWhenItsLastMemberHasReceived)
{
    for (const char* algorithm : {"ring", "tree"})
    {
        const auto result = RunOnStar(GraphOf(PlanOf("broadcast", algorithm, 1), 2));
        EXPECT_GE(result.iterationNs + 1, result.boundNs) << algorithm; // frames take whole ns
        EXPECT_LT(result.iterationNs, result.boundNs + 10)
            << "no way back of an ACK: " << algorithm;
    }
}

TEST(HpccCollectives, HierarchiesTakeTheSumOfTheirPhases)
{
    const std::vector<std::vector<uint32_t>> shapes{{2, 2}, {4, 2}, {4, 4}, {8, 8}, {4, 4, 4}};
    for (const auto& shape : shapes)
    {
        uint32_t n = 1;
        double form = 0;
        double exchange = 0;
        auto plan = PlanOf("all-reduce", "ring", 64 * 90000);
        double bytes = static_cast<double>(plan.bytes);
        for (size_t i = 0; i < shape.size(); ++i)
        {
            n *= shape[i];
            form += 2 * (shape[i] - 1) * StepNs(bytes / shape[i]);
            bytes /= shape[i];
            exchange += LatencyNs(9000) +
                        (shape[i] - 1) * LinkNs(static_cast<double>(plan.bytes) / shape[i]);
        }
        plan.dimensions = shape;
        ExpectTime(plan, n, form, 0.03);
        auto all = PlanOf("all-to-all", "direct", plan.bytes);
        all.dimensions = shape;
        ExpectTime(all, n, exchange, 0.03);
    }
}

TEST(HpccCollectives, ChunksOfAChainFollowOneAnother)
{
    auto plan = PlanOf("broadcast", "ring", 9000 * 400);
    plan.chunks = 20;
    const double chunk = static_cast<double>(plan.bytes) / 20;
    ExpectTime(plan, 8, 7 * LatencyNs(9000) + (6 + 20) * LinkNs(chunk), 0.03);
}

TEST(HpccCollectives, ChunksMakeATreeFaster)
{
    auto plan = PlanOf("all-reduce", "tree", 9000 * 800);
    const auto whole = RunOnStar(GraphOf(plan, 8));
    plan.chunks = 16;
    const auto parts = RunOnStar(GraphOf(plan, 8));
    EXPECT_LT(parts.iterationNs, 0.6 * static_cast<double>(whole.iterationNs));
    // Each link carries the data twice.
    EXPECT_GT(static_cast<double>(parts.iterationNs), 1.7 * LinkNs(9000 * 800));
}

TEST(HpccCollectives, ChannelsShareTheLinkAndHideTheLatency)
{
    auto plan = PlanOf("all-reduce", "ring", 9000 * 8 * 40);
    plan.channels = 4;
    const auto result = RunOnStar(GraphOf(plan, 8));
    EXPECT_GT(static_cast<double>(result.iterationNs), 14 * LinkNs(9000 * 40));
    EXPECT_LT(static_cast<double>(result.iterationNs), 14 * LinkNs(9000 * 40) + 2 * StepNs(90000));
}

TEST(HpccCollectives, EveryAlgorithmSendsTheBytesOfItsSchedule)
{
    for (uint32_t n : {2, 3, 5, 8})
    {
        for (const char* algorithm : {"ring", "direct", "tree"})
        {
            for (uint32_t chunks : {1, 4})
            {
                auto plan = PlanOf("all-reduce", algorithm, 1000 * n);
                plan.chunks = chunks;
                const auto graph = GraphOf(plan, n);
                uint64_t sent = 0;
                for (const auto& o : graph.GetOperations())
                {
                    sent += o.kind == HpccJobGraph::Kind::SEND ? o.amount : 0;
                }
                EXPECT_EQ(sent, 2000 * n * (n - 1)) << algorithm << " " << n << " " << chunks;
            }
        }
    }
}

TEST(HpccCollectives, PartsAreRoundedUpToWholeBytes)
{
    auto plan = PlanOf("all-reduce", "ring", 7);
    plan.channels = 3;
    const auto graph = GraphOf(plan, 8);
    uint64_t messages = 0;
    for (const auto& o : graph.GetOperations())
    {
        if (o.kind == HpccJobGraph::Kind::SEND)
        {
            ++messages;
            EXPECT_EQ(o.amount, 1);
        }
    }
    EXPECT_EQ(messages, 3 * 8 * 14);
}

TEST(HpccCollectives, PlansThatCannotBeAreRefused)
{
    const auto refusal = [](HpccCollectivePlan plan, uint32_t ranks) {
        return HpccCollectives::Check(plan, ranks);
    };
    auto plan = PlanOf("all-reduce", "ring", 1000);
    EXPECT_EQ(refusal(plan, 4), "");
    EXPECT_NE(refusal(plan, 1).find("at least 2"), std::string::npos);
    plan.algorithms = {"rings"};
    EXPECT_NE(refusal(plan, 4).find("did you mean \"ring\""), std::string::npos);
    plan.algorithms = {"halving-doubling"};
    EXPECT_NE(refusal(plan, 6).find("power of two"), std::string::npos);
    plan.algorithms = {"ring"};
    plan.dimensions = {2, 3};
    EXPECT_NE(refusal(plan, 4).find("do not multiply to 4"), std::string::npos);
    plan.dimensions = {};
    plan.operation = "gather";
    EXPECT_NE(refusal(plan, 4).find("unknown collective"), std::string::npos);
    plan.operation = "all-to-all";
    EXPECT_NE(refusal(plan, 4).find("direct"), std::string::npos);
    plan = PlanOf("all-reduce", "ring", 1000);
    plan.window = 2;
    EXPECT_NE(refusal(plan, 4).find("only direct has one"), std::string::npos);
    plan = PlanOf("all-reduce", "ring", 0);
    EXPECT_NE(refusal(plan, 4).find("0 bytes"), std::string::npos);
}
