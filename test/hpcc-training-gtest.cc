/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-refusal.h"

#include "ns3/hpcc-abstract-transport.h"
#include "ns3/hpcc-job-run.h"
#include "ns3/hpcc-training-job.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace ns3;
using hpcctest::RefusalOf;

namespace
{

HpccTrainingPlan
PlanOf(uint32_t tensor, uint32_t pipeline, uint32_t data)
{
    HpccTrainingPlan plan;
    plan.tensor = tensor;
    plan.pipeline = pipeline;
    plan.data = data;
    plan.layers = 2;
    plan.microbatches = 8;
    plan.activationBytes = tensor > 1 || pipeline > 1 ? 1 : 0;
    plan.gradientBytes = data > 1 ? 1 : 0;
    plan.forwardNs = 10000;
    return plan;
}

/// @return duration of a job on links with a given latency, ns
int64_t
NsOf(const HpccTrainingPlan& plan, int64_t latencyNs)
{
    const auto graph = MakeTrainingJob(plan, "job");
    HpccAbstractTransport transport(HpccAbstractTransport::Constant(latencyNs, 1e15));
    HpccJobRun run(graph, transport, {});
    run.Start();
    transport.Run();
    EXPECT_EQ(run.GetUnfinished(), 0U);
    int64_t endNs = 0;
    for (const auto& times : run.GetTimes())
    {
        endNs = std::max(endNs, times.endNs);
    }
    return endNs;
}

} // namespace

TEST(HpccTrainingJob, APipelineWithFreeMessagesTakesMicrobatchesAndStagesLessOne)
{
    for (uint32_t stages : {1, 2, 4, 8, 16})
    {
        // At each stage, a microbatch passes 2 layers. Each takes 10 us forward, and twice as long
        // backward.
        EXPECT_EQ(NsOf(PlanOf(1, stages, 1), 0), (8 + stages - 1) * 60000) << stages;
    }
}

TEST(HpccTrainingJob, EachLayerWaitsForItsRing)
{
    // After each of the four computations of the layers, a ring needs 2 * 3 steps of 1 us.
    EXPECT_EQ(NsOf(PlanOf(4, 1, 1), 1000), 8 * (60000 + 4 * 6000));
}

TEST(HpccTrainingJob, OnlyTheLastGradientIsNotHidden)
{
    auto plan = PlanOf(1, 1, 4);
    EXPECT_EQ(NsOf(plan, 1000), 8 * 60000 + 6000);
    // The ring of the last layer could overlap with the computation of the first layer, but it
    // takes longer.
    EXPECT_EQ(NsOf(plan, 5000), 8 * 60000 - 20000 + 2 * 30000);
    plan.iterations = 3;
    EXPECT_EQ(NsOf(plan, 1000), 3 * (8 * 60000 + 6000));
}

TEST(HpccTrainingJob, MessagesAreThoseOfItsRingsAndStages)
{
    const auto graph = MakeTrainingJob(PlanOf(8, 4, 4), "job");
    const auto& operations = graph.GetOperations();
    const auto sends = std::count_if(operations.begin(), operations.end(), [](const auto& o) {
        return o.kind == HpccJobGraph::Kind::SEND;
    });
    EXPECT_EQ(graph.GetRanks(), 128U);
    EXPECT_EQ(sends, 2 * 8 * 3 * 8 * 4 + 2 * 8 * 2 * 16 * (8 * 14) + 2 * 32 * (4 * 6));
    EXPECT_EQ(graph.GetCollectives().size(), 2U * 8 * 2 * 16 + 2 * 32);
}

TEST(HpccTrainingJob, SizesOutOfRangeAreRefused)
{
    EXPECT_NE(RefusalOf([] {
                  MakeTrainingJob(PlanOf(0, 1, 1), "j");
              }).find("j: 0 tensor-parallel ranks are outside 1 to 65536"),
              std::string::npos);
    EXPECT_NE(RefusalOf([] { MakeTrainingJob(PlanOf(256, 256, 2), "j"); }).find("65536 ranks"),
              std::string::npos);
    auto plan = PlanOf(2, 1, 1);
    plan.activationBytes = 0;
    EXPECT_NE(RefusalOf([&] { MakeTrainingJob(plan, "j"); }).find("activation: 0 bytes"),
              std::string::npos);
    plan = PlanOf(1, 1, 2);
    plan.gradientBytes = 0;
    EXPECT_NE(RefusalOf([&] { MakeTrainingJob(plan, "j"); }).find("gradient: 0 bytes"),
              std::string::npos);
    plan = PlanOf(64, 64, 16);
    EXPECT_NE(RefusalOf([&] { MakeTrainingJob(plan, "j"); }).find("messages"), std::string::npos);
}

TEST(HpccTrainingJob, SizesWithoutEffectAreRefused)
{
    auto plan = PlanOf(2, 1, 1);
    plan.gradientBytes = 7;
    EXPECT_EQ(RefusalOf([&] { MakeTrainingJob(plan, "j"); }),
              "j: gradient=7 has no effect: DP is 1");
    plan = PlanOf(1, 1, 2);
    plan.activationBytes = 7;
    EXPECT_EQ(RefusalOf([&] { MakeTrainingJob(plan, "j"); }),
              "j: activation=7 has no effect: TP and PP are 1");
}
