/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-job.h"

#include "ns3/hpcc-abstract-transport.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-job-goal.h"
#include "ns3/hpcc-job-simai.h"

#include <gtest/gtest.h>
#include <sstream>
#include <string>

using namespace ns3;

namespace
{

using Kind = HpccJobGraph::Kind;

/// @return the job that a GOAL text describes
HpccJobGraph
Goal(const std::string& text)
{
    std::istringstream in(text);
    return ReadGoal(in, "x.goal");
}

/// @return the reason why a GOAL text is refused; empty if it is accepted
std::string
GoalRefusal(const std::string& text)
{
    try
    {
        Goal(text);
    }
    catch (const HpccInputError& error)
    {
        return error.what();
    }
    return "";
}

/// @return the job that a SimAI text describes
HpccJobGraph
SimAi(const std::string& text, const HpccSimAiChoices& choices = {})
{
    std::istringstream in(text);
    return ReadSimAi(in, "x.txt", choices);
}

/// @return the reason why a SimAI text is refused; empty if it is accepted
std::string
SimAiRefusal(const std::string& text)
{
    try
    {
        SimAi(text);
    }
    catch (const HpccInputError& error)
    {
        return error.what();
    }
    return "";
}

const std::string HEADER = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: ";

/// @return start and end of each collective on a network model with a latency of 1000 ns and a rate
/// of 1 byte/ns
std::vector<HpccJobReport::CollectiveTime>
CollectiveTimes(const HpccJobGraph& graph)
{
    HpccAbstractTransport transport(HpccAbstractTransport::Constant(1000, 1e9));
    HpccJobRun run(graph, transport, {});
    run.Start();
    transport.Run();
    const HpccJobReport report(graph, run.GetTimes(), 0);
    EXPECT_TRUE(report.IsFinished());
    return report.GetCollectives();
}

} // namespace

TEST(HpccJobReaders, GoalStatementsBecomeOperations)
{
    const auto graph = Goal("/* a\n comment */ num_ranks 3 // ranks\n"
                            "rank 0 {\n"
                            "a: send 9000000000b to 1 tag 7 cpu 2 nic 3\n"
                            "\n"
                            "b_1: calc 55 cpu 1\n"
                            "b_1 irequires a\n"
                            "recv 5b from -1 tag -1\n"
                            "}\n"
                            "rank 1 {\r\n"
                            "x: recv 9000000000b from 0 tag 7\r\n"
                            "send 5b to 0\n"
                            "}\n"
                            "rank 2 {\n}\n");
    const auto& o = graph.GetOperations();
    ASSERT_EQ(o.size(), 5);
    EXPECT_EQ(o[0].kind, Kind::SEND);
    EXPECT_EQ(o[0].amount, 9000000000);
    EXPECT_EQ(o[0].peer, 1);
    EXPECT_EQ(o[0].tag, 7);
    EXPECT_EQ(o[0].stream, 2);
    EXPECT_EQ(o[0].nic, 3);
    EXPECT_EQ(o[0].line, 4);
    EXPECT_EQ(o[1].kind, Kind::COMPUTE);
    EXPECT_EQ(o[1].amount, 55);
    EXPECT_EQ(o[1].stream, 1);
    EXPECT_EQ(o[2].peer, HpccJobGraph::ANY);
    EXPECT_EQ(o[2].tag, HpccJobGraph::ANY);
    EXPECT_EQ(o[4].rank, 1);
    EXPECT_EQ(o[4].tag, 0);
    EXPECT_EQ(graph.GetOpen()[1], 1);
    graph.ForDependants(0, [](const HpccJobGraph::Dependant& dependant) {
        EXPECT_EQ(dependant.operation, 1);
        EXPECT_TRUE(dependant.start);
    });
}

TEST(HpccJobReaders, GoalThatIsNotUnderstoodIsRefusedWithItsLine)
{
    const std::string rank = "num_ranks 1\nrank 0 {\n";
    const std::pair<std::string, std::string> cases[] = {
        {"", "x.goal:1: the file does not begin"},
        {"num_ranks 0\n", "x.goal:1: number of ranks \"0\""},
        {"num_ranks 1\n", "x.goal:2: the file ends where rank 0"},
        {"num_ranks 1\nrank 1 {\n}\n", "x.goal:2: \"rank 0 {\" is expected"},
        {rank, "x.goal:3: the file ends before"},
        {rank + "}\nrank 1 {\n}\n", "x.goal:4: text after the last rank"},
        {rank + "calc 1 nic 2\n}\n", "x.goal:3: \"nic\" is not allowed here; cpu"},
        {rank + "calc -1\n}\n", "x.goal:3: time \"-1\""},
        {rank + "calc 1 cpu\n}\n", "x.goal:3: cpu \"\""},
        {rank + "calc 1 cpu 255\n}\n", "x.goal:3: cpu \"255\""},
        {rank + "send 5 to 0\n}\n", "x.goal:3: size \"5\""},
        {rank + "send -1b to 0\n}\n", "x.goal:3: size \"-1\""},
        {rank + "send 5b from 0\n}\n", "x.goal:3: \"send\" begins no statement"},
        {rank + "send 5b to -1\n}\n", "x.goal:3: rank \"-1\""},
        {rank + "send 5b to 0 tag -1\n}\n", "x.goal:3: tag \"-1\""},
        {rank + "send 5b to 0 prio 1\n}\n", "x.goal:3: \"prio\""},
        {rank + "1a: calc 1\n}\n", "x.goal:3: label \"1a\""},
        {rank + "a: calc 1\na: calc 1\n}\n", "x.goal:4: label \"a\" is given twice"},
        {rank + "a: calc 1\na requires b\n}\n", "x.goal:4: label \"b\""},
        {rank + "/* calc 1\n}\n", "x.goal:5: the file ends before"},
        {rank + "a: calc 1\nb: calc 1\na requires b\nb requires a\n}\n", ": a cycle"},
    };
    for (const auto& [text, expected] : cases)
    {
        EXPECT_NE(GoalRefusal(text).find(expected), std::string::npos) << text << "\n"
                                                                       << GoalRefusal(text);
    }
}

TEST(HpccJobReaders, GoalMessagesOfNoBytesTakeAPacket)
{
    std::istringstream in("num_ranks 2\nrank 0 {\nsend 0b to 1\n}\nrank 1 {\nrecv 0b from 0\n}\n");
    const auto graph = ReadGoal(in, "x.goal");
    EXPECT_EQ(graph.GetOperations()[0].amount, 1);
    EXPECT_EQ(graph.GetOperations()[1].amount, 1);
}

TEST(HpccJobReaders, SimAiLayersRunForwardThenBackward)
{
    // In this text, fields are separated by tabs or blanks, and pp_comm has a fractional part.
    const auto graph =
        SimAi(HEADER + "2 ep: 1 pp: 1 vpp: 2 ga: 1 all_gpus: 4 checkpoints: 0 "
                       "checkpoint_initiates: 0 pp_comm 12.5\n2\n"
                       "a -1 100 ALLREDUCE 8000 200 ALLREDUCE 8000 300 ALLREDUCE 80000 50\n"
                       "b\t-1\t1000\tNONE\t0\t2000\tNONE\t0\t3000\tREDUCESCATTER\t8000\t0\n");
    ASSERT_EQ(graph.GetRanks(), 4);
    const auto& collectives = graph.GetCollectives();
    ASSERT_EQ(collectives.size(), 8); // forward pass of a, backward pass of b, backward pass of a
                                      // (TP and DP), each in 2 groups
    const auto times = CollectiveTimes(graph);
    // In a ring of 2 ranks, an all-reduce of S bytes takes 2 (1000 + S / 2) ns, and a
    // reduce-scatter takes 1000 + S / 2 ns.
    EXPECT_EQ(times[0].beginNs, 100);
    EXPECT_EQ(times[0].GetNs(), 10000);
    EXPECT_EQ(collectives[2].name, "reduce-scatter");
    EXPECT_EQ(times[2].beginNs, 100 + 10000 + 1 + 1000 + 2000 + 3000);
    EXPECT_EQ(times[2].GetNs(), 5000);
    // The reduce-scatter overlaps with the computation of the input gradient of a. The collective
    // of this gradient is blocking.
    EXPECT_EQ(times[4].beginNs, times[2].beginNs + 200);
    EXPECT_EQ(times[6].beginNs, times[4].endNs + 300);
    EXPECT_EQ(times[6].GetNs(), 82000);
}

TEST(HpccJobReaders, SimAiForwardWaitsForTheWeightGradientOfThePassBefore)
{
    HpccSimAiChoices choices;
    choices.passes = 2;
    const auto graph = SimAi(HEADER + "1 all_gpus: 2\n2\n"
                                      "a -1 100 NONE 0 1 NONE 0 1 ALLREDUCE 80000 7\n"
                                      "b -1 100 NONE 0 1 NONE 0 1 ALLREDUCE 80000 0\n",
                             choices);
    const auto times = CollectiveTimes(graph);
    ASSERT_EQ(times.size(), 4);
    // Collectives of the same ranks run one after another: first the collective of b, then the
    // collective of a.
    EXPECT_EQ(times[0].beginNs, 202);
    EXPECT_EQ(times[1].beginNs, 202 + 82000);
    // The second pass begins after the update of a.
    EXPECT_EQ(times[2].beginNs, times[1].endNs + 7 + 202);
}

TEST(HpccJobReaders, SimAiGroupsAreThoseOfItsMock)
{
    const auto graph =
        SimAi(HEADER + "2 ep: 2 pp: 1 all_gpus: 8\n1\n"
                       "a -1 1 ALLTOALL_EP 8000 1 NONE 0 1 ALLREDUCE_DP_EP 8000 1\n");
    std::set<std::pair<uint32_t, uint32_t>> expert;
    std::set<std::pair<uint32_t, uint32_t>> data;
    for (const auto& o : graph.GetOperations())
    {
        if (o.kind == Kind::SEND)
        {
            (graph.GetCollectives()[o.collective].name == "all-to-all" ? expert : data)
                .insert({o.rank, o.peer});
        }
    }
    using Pairs = std::set<std::pair<uint32_t, uint32_t>>;
    EXPECT_EQ(expert, (Pairs{{0, 2}, {2, 0}, {1, 3}, {3, 1}, {4, 6}, {6, 4}, {5, 7}, {7, 5}}));
    EXPECT_EQ(data, (Pairs{{0, 4}, {4, 0}, {1, 5}, {5, 1}, {2, 6}, {6, 2}, {3, 7}, {7, 3}}));
}

TEST(HpccJobReaders, SimAiGroupsOfExpertsDivideThoseOfDataBesideAPipeline)
{
    using Pairs = std::set<std::pair<uint32_t, uint32_t>>;
    const auto pairsOf = [](const std::string& type) {
        const auto graph =
            SimAi(HEADER + "2 ep: 2 pp: 2 all_gpus: 16\n1\na -1 1 NONE 0 1 NONE 0 1 " + type +
                  " 8000 1\n");
        Pairs pairs;
        for (const auto& o : graph.GetOperations())
        {
            if (o.kind == Kind::SEND && o.rank == 0)
            {
                pairs.insert({o.rank, o.peer});
            }
        }
        return pairs;
    };
    EXPECT_EQ(pairsOf("ALLTOALL"), (Pairs{{0, 4}, {0, 8}, {0, 12}})); // DP
    EXPECT_EQ(pairsOf("ALLTOALL_EP"), (Pairs{{0, 4}}));
    EXPECT_EQ(pairsOf("ALLTOALL_DP_EP"), (Pairs{{0, 8}}));
}

TEST(HpccJobReaders, SimAiLayersRunForwardAgainFromTheirCheckpoint)
{
    // Layer 3 initiates a second forward pass from layer 1, so layers 1 and 2 run forward again.
    const auto graph = SimAi(HEADER + "1 all_gpus: 2 checkpoints: 2 0 1 checkpoint_initiates: 1 3 "
                                      "pp_comm: 0\n4\n"
                                      "a -1 1000 NONE 0 1 NONE 0 1 NONE 0 0\n"
                                      "b -1 2000 NONE 0 1 NONE 0 1 NONE 0 0\n"
                                      "c -1 3000 NONE 0 1 NONE 0 1 NONE 0 0\n"
                                      "d -1 4000 NONE 0 1 NONE 0 1 ALLREDUCE 80000 0\n");
    const auto times = CollectiveTimes(graph);
    ASSERT_EQ(times.size(), 1);
    EXPECT_EQ(times[0].beginNs, 1000 + 2000 + 3000 + 4000 + 2000 + 3000 + 2);
    // A layer that runs forward again also repeats its collectives. Therefore layer 0 runs its
    // all-reduce twice.
    const auto again =
        SimAi(HEADER + "2 all_gpus: 2 checkpoints: 1 0 checkpoint_initiates: 1 1\n2\n"
                       "a -1 0 ALLREDUCE 8000 0 NONE 0 0 NONE 0 0\n"
                       "b -1 0 ALLGATHER 8000 0 NONE 0 0 NONE 0 0\n");
    const auto& collectives = again.GetCollectives();
    ASSERT_EQ(collectives.size(), 3);
    EXPECT_EQ(collectives[1].name, "all-gather");
    EXPECT_EQ(collectives[2].name, "all-reduce");
}

TEST(HpccJobReaders, SimAiBroadcastsComeFromTheFirstRankOfTheirGroup)
{
    const auto graph = SimAi(HEADER + "2 all_gpus: 4\n1\n"
                                      "a -1 0 BROADCAST 16384 0 NONE 0 0 NONE 0 0\n");
    std::vector<std::pair<uint32_t, uint32_t>> sends;
    for (const auto& o : graph.GetOperations())
    {
        if (o.kind == Kind::SEND)
        {
            EXPECT_EQ(o.amount, 16384);
            sends.emplace_back(o.rank, o.peer);
        }
    }
    EXPECT_EQ(sends, (std::vector<std::pair<uint32_t, uint32_t>>{{0, 1}, {2, 3}}));
    EXPECT_EQ(graph.GetCollectives()[0].algorithm, "tree");
}

TEST(HpccJobReaders, SimAiTextsWithoutAllGpusGetTheirRanks)
{
    const std::string layers = "\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n";
    HpccSimAiChoices choices;
    choices.ranks = 8;
    EXPECT_EQ(SimAi(HEADER + "2" + layers, choices).GetRanks(), 8);
    EXPECT_EQ(SimAi(HEADER + "2 all_gpus: 8" + layers, choices).GetRanks(), 8);
    try
    {
        SimAi(HEADER + "2 all_gpus: 4" + layers, choices);
        ADD_FAILURE() << "not refused";
    }
    catch (const HpccInputError& error)
    {
        EXPECT_STREQ(error.what(), "x.txt:1: all_gpus is 4, but ranks=8 is given");
    }
}

TEST(HpccJobReaders, SimAiThatIsNotUnderstoodIsRefusedWithItsLine)
{
    const std::string good = HEADER + "2 all_gpus: 4\n";
    const std::string layer = "a -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n";
    const std::pair<std::string, std::string> cases[] = {
        {"", "x.txt:1: the file ends where the header"},
        {"MICRO all_gpus: 4\n", "x.txt:1: unknown policy"},
        {HEADER + "2\n", "x.txt:1: all_gpus is missing"},
        {HEADER + "2 all_gpus: 5\n", "x.txt:1: all_gpus 5 is no multiple"},
        {HEADER + "2 all_gpus: 4 dp: 2\n", "x.txt:1: unknown key"},
        {HEADER + "2 all_gpus: 4 checkpoints: 2 5\n", "x.txt:1: checkpoints \"\""},
        {HEADER + "2 all_gpus: 4 checkpoints: 1 0 checkpoint_initiates: 1 2\n2\n" + layer + layer,
         "x.txt:1: checkpoint layer 2 does not exist; layers are 0 to 1"},
        {HEADER + "2 all_gpus: 4 checkpoint_initiates: 1 1\n2\n" + layer + layer,
         "x.txt:1: layer 1 initiates a second forward pass, but no checkpoint lies between it and "
         "the first layer"},
        {HEADER + "2 all_gpus: 4 checkpoints: 1 0 checkpoint_initiates: 2 2 1\n3\n" + layer +
             layer + layer,
         "x.txt:1: layer 2 initiates a second forward pass, but no checkpoint lies between it and "
         "layer 1"},
        {HEADER + "2 all_gpus: 4 checkpoints: 2 0 1 checkpoint_initiates: 1 1\n2\n" + layer + layer,
         "x.txt:1: layer 1 is a checkpoint and initiates"},
        {"HYBRID_TRANSFORMER model_parallel_NPU_group: 2 all_gpus: 4 checkpoints: 1 0\n",
         "x.txt:1: checkpoints need the policy"},
        {good + "2\n" + layer, "x.txt:4: the file ends where layer 2"},
        {good + "1\n" + layer + layer, "x.txt:4: text after the last"},
        {good + "1\na 0 1 NONE 0 1 NONE 0 1 NONE 0 1\n", "x.txt:3: dependency \"0\""},
        {good + "1\na -1 1 NONE 0 1 NONE 0 1 NONE 0\n", "x.txt:3: a layer has 12 columns"},
        {good + "1\na -1 1 ALLREDUCE 0 1 NONE 0 1 NONE 0 1\n", "x.txt:3: ALLREDUCE of 0 bytes"},
        {good + "1\na -1 1 ALLREDUCE_PP 9 1 NONE 0 1 NONE 0 1\n", "x.txt:3: unknown collective"},
        {good + "1\na -1 1.5 NONE 0 1 NONE 0 1 NONE 0 1\n", "x.txt:3: computation \"1.5\""},
    };
    for (const auto& [text, expected] : cases)
    {
        EXPECT_NE(SimAiRefusal(text).find(expected), std::string::npos) << text << "\n"
                                                                        << SimAiRefusal(text);
    }
}
