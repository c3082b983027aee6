/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-job.h"
#include "hpcc-test-refusal.h"

#include "ns3/hpcc-abstract-transport.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-loggops.h"
#include "ns3/hpcc-message-matcher.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// @return times of a job on a network model with a latency of 1000 ns and a rate of 1 byte/ns
HpccJobReport::Times
RunConstant(const HpccJobGraph& graph, const HpccJobSettings& settings = {})
{
    HpccAbstractTransport transport(HpccAbstractTransport::Constant(1000, 1e9));
    HpccJobRun run(graph, transport, settings);
    run.Start();
    transport.Run();
    EXPECT_FALSE(run.IsBusy());
    return run.GetTimes();
}

/// @return the reason why a graph is refused; empty if it is accepted
std::string
RefusalOf(HpccJobGraph& graph)
{
    try
    {
        graph.Finish();
    }
    catch (const HpccInputError& error)
    {
        return error.what();
    }
    return "";
}

/// @return the time of a LogGOPS run, ns
int64_t
LogGopsNs(HpccJobGraph& graph, uint32_t rank, const HpccLogGops::Parameters& parameters = {})
{
    graph.Finish();
    HpccLogGops model(graph, parameters, {});
    model.Run();
    for (const auto& time : model.GetTimes())
    {
        EXPECT_GE(time.endNs, 0);
    }
    return model.GetEndNs(rank);
}

} // namespace

TEST(HpccJobGraph, GraphsThatCannotRunAreRefusedWithTheirPlace)
{
    using Kind = HpccJobGraph::Kind;
    const auto at = [](Kind kind, uint32_t rank, uint32_t peer, uint32_t tag, uint32_t line) {
        return HpccJobGraph::Operation{10, rank, peer, tag, 0, line, kind, 0, 0};
    };
    HpccJobGraph cycle(2, "a.goal");
    const uint32_t a = cycle.Add(at(Kind::COMPUTE, 0, 0, 0, 3));
    const uint32_t b = cycle.Add(at(Kind::COMPUTE, 0, 0, 0, 4));
    const uint32_t c = cycle.Add(at(Kind::COMPUTE, 0, 0, 0, 5));
    cycle.After(b, a);
    cycle.After(a, b);
    cycle.After(c, b);
    const std::string why = RefusalOf(cycle);
    EXPECT_TRUE(why.find("a.goal:3: a cycle") == 0 || why.find("a.goal:4: a cycle") == 0) << why;

    HpccJobGraph lonely(2, "b.goal");
    lonely.Add(at(Kind::SEND, 0, 1, 7, 9));
    lonely.Add(at(Kind::RECEIVE, 1, 0, 8, 10));
    EXPECT_EQ(RefusalOf(lonely),
              "b.goal:9: rank 0: send of 10 bytes to rank 1, tag 7 (b.goal:9) has no matching "
              "receive: 1 sends, 0 receives");

    HpccJobGraph missing(2, "c.goal");
    missing.Add(at(Kind::RECEIVE, 1, HpccJobGraph::ANY, 8, 10));
    EXPECT_NE(RefusalOf(missing).find("c.goal:10: "), std::string::npos);

    HpccJobGraph beyond(2, "d.goal");
    beyond.Add(at(Kind::SEND, 0, 2, 7, 6));
    EXPECT_EQ(RefusalOf(beyond), "d.goal:6: rank 2 does not exist; the job has ranks 0 to 1");

    HpccJobGraph wild(3, "e.goal");
    wild.Add(at(Kind::SEND, 0, 2, 7, 1));
    wild.Add(at(Kind::SEND, 1, 2, 9, 2));
    wild.Add(at(Kind::RECEIVE, 2, HpccJobGraph::ANY, HpccJobGraph::ANY, 3));
    wild.Add(at(Kind::RECEIVE, 2, 1, HpccJobGraph::ANY, 4));
    EXPECT_EQ(RefusalOf(wild), "");
}

TEST(HpccJobRun, WhatCannotRunIsRefused)
{
    HpccFabricHelper fabric;
    fabric.Install(HpccTopology::Star(3, {}));
    HpccJobGraph graph(2);
    const auto refusal = [&](std::vector<uint32_t> hosts, bool connect) -> std::string {
        try
        {
            HpccFabricTransport transport(fabric, std::move(hosts));
            if (connect)
            {
                transport.Connect(0, 5, 0, HpccFabricHelper::MakePolicy("dcqcn"));
            }
            HpccJobRun run(graph, transport, {});
            run.Start();
        }
        catch (const HpccInputError& error)
        {
            return error.what();
        }
        return "";
    };
    const auto expect = [](const std::string& said, const std::string& part) {
        EXPECT_NE(said.find(part), std::string::npos) << said;
    };
    graph.Send(0, 1, 1000, 7);
    graph.Receive(1, 0, 1000, 7);
    EXPECT_THROW(graph.After(3, 1), HpccInputError);
    EXPECT_THROW(graph.After(1, 9), HpccInputError);
    EXPECT_EQ(hpcctest::RefusalOf([&] { graph.Describe(99); }),
              "job: HpccJobGraph::Describe: operation 99 does not exist; the job has 2 operations, "
              "from 0 on");
    expect(refusal({0, 1}, false), "HpccJobGraph::Finish()");
    graph.Finish();
    expect(refusal({0, 1}, false), "rank 0 sends to rank 1 with tag 7");
    expect(refusal({0}, false), "rank 1 has no host; allowed are ranks below 1");
    expect(refusal({2, 1, 2}, false),
           "HpccFabricTransport: host 2 is given to ranks 0 and 2; allowed is one rank per host");
    expect(refusal({0, 1}, true), "rank 5 has no host; allowed are ranks below 2");
    Simulator::Destroy();
}

TEST(HpccJobRun, SettingsOutOfRangeAreRefusedInOneLine)
{
    HpccJobGraph graph(2);
    graph.Compute(0, 100);
    graph.Finish();
    const auto refusal = [&](const std::function<void(HpccJobSettings&)>& spoil, bool loggops) {
        HpccJobSettings settings;
        spoil(settings);
        return hpcctest::RefusalOf([&] {
            if (loggops)
            {
                HpccLogGops(graph, {}, settings);
                return;
            }
            RunConstant(graph, settings);
        });
    };
    const std::vector<std::pair<std::function<void(HpccJobSettings&)>, std::string>> bad{
        {[](auto& s) { s.startNs = -10; }, "startNs: -10 is outside 0 to 1000000000000000"},
        {[](auto& s) { s.computeScale = -10; }, "computeScale: -10.000000 is outside 0 to 1000000"},
        {[](auto& s) { s.computeScale = std::nan(""); }, "computeScale: nan is outside"},
        {[](auto& s) { s.computeScale = HUGE_VAL; }, "computeScale: inf is outside"},
        {[](auto& s) { s.sendDelayNs = -1; }, "sendDelayNs: -1 is outside"},
        {[](auto& s) { s.receiveDelayNs = -1000; }, "receiveDelayNs: -1000 is outside"},
        {[](auto& s) { s.jitter = -0.5; }, "jitter: -0.500000 is outside 0 to 1000"},
        {[](auto& s) { s.jitter = std::nan(""); }, "jitter: nan is outside"},
        {[](auto& s) { s.slow[99] = 3; }, "slow: rank 99 does not exist; the job has ranks 0 to 1"},
        {[](auto& s) { s.slow[1] = -3; }, "slow of rank 1: -3.000000 is outside 0 to 1000000"},
        {[](auto& s) { s.late[2] = 3; }, "late: rank 2 does not exist; the job has ranks 0 to 1"},
        {[](auto& s) { s.late[1] = -3; }, "late of rank 1: -3 is outside 0 to 1000000000000000"},
    };
    for (const bool loggops : {false, true})
    {
        for (const auto& [spoil, expected] : bad)
        {
            EXPECT_EQ(refusal(spoil, loggops).rfind("ns3::HpccJobSettings::" + expected, 0), 0U)
                << expected << ": " << refusal(spoil, loggops);
        }
        EXPECT_EQ(refusal(
                      [](auto& s) {
                          s.startNs = 1000000000000000;
                          s.computeScale = 0;
                          s.slow[1] = 1000000;
                          s.late[0] = 0;
                      },
                      loggops),
                  "");
    }
}

TEST(HpccJobRun, StartsItsTransportIfTheProgramHasNot)
{
    HpccJobGraph graph(2);
    graph.Compute(0, 100);
    graph.Send(0, 1, 1000, 7);
    graph.Receive(1, 0, 1000, 7);
    graph.Finish();
    const auto endNs = [&graph](bool transportFirst) {
        int64_t ns = 0;
        {
            HpccFabricHelper fabric;
            fabric.Install(HpccTopology::Star(2, {}));
            HpccFabricTransport transport(fabric, {0, 1});
            ConnectJob(transport, graph, HpccFabricHelper::MakePolicy("none"));
            HpccJobRun run(graph, transport, {});
            if (transportFirst)
            {
                transport.Start();
            }
            run.Start();
            transport.Start();
            EXPECT_EQ(hpcctest::RefusalOf([&] { run.Start(); }),
                      "ns3::HpccJobRun::Start: started already; start it only once");
            fabric.EndAt(MilliSeconds(1));
            Simulator::Run();
            EXPECT_EQ(run.GetUnfinished(), 0U);
            ns = run.GetTimes()[2].endNs;
        }
        Simulator::Destroy();
        return ns;
    };
    EXPECT_GT(endNs(false), 1000);
    EXPECT_EQ(endNs(false), endNs(true));
}

TEST(HpccMessageMatcher, FirstOfAKeyMeetsFirstAndWildcardsTakeTheirTurn)
{
    constexpr uint32_t ANY = HpccMessageMatcher<int, int>::ANY;
    HpccMessageMatcher<int, int> matcher;
    EXPECT_FALSE(matcher.Post(1, 5, 100));
    EXPECT_FALSE(matcher.Post(1, 5, 101));
    EXPECT_EQ(matcher.Arrive(1, 5, 0), 100);
    EXPECT_EQ(matcher.Arrive(1, 5, 0), 101);
    EXPECT_FALSE(matcher.Arrive(1, 5, 1));
    EXPECT_FALSE(matcher.Arrive(2, 5, 2));
    EXPECT_FALSE(matcher.Arrive(1, 5, 3));
    EXPECT_EQ(matcher.Post(2, 5, 0), 2);
    EXPECT_EQ(matcher.Post(ANY, 5, 0), 1);
    EXPECT_EQ(matcher.Post(1, ANY, 0), 3);
    EXPECT_FALSE(matcher.Post(ANY, 6, 200));
    EXPECT_FALSE(matcher.Post(3, 6, 201));
    EXPECT_EQ(matcher.Arrive(3, 6, 0), 200);
    EXPECT_EQ(matcher.Arrive(3, 6, 0), 201);
}

TEST(HpccJobRun, OperationsBeginWhenWhatTheyWaitForIsOver)
{
    HpccJobGraph graph(2);
    const uint32_t first = graph.Compute(0, 100);
    const uint32_t send = graph.Send(0, 1, 500, 7);
    const uint32_t beside = graph.Compute(0, 50, 1);
    const uint32_t receive = graph.Receive(1, 0, 500, 7);
    const uint32_t second = graph.Compute(1, 30);
    graph.After(send, first);
    graph.After(beside, first, true);
    graph.After(second, receive);
    graph.Finish();
    const auto times = RunConstant(graph);
    EXPECT_EQ(times[first].endNs, 100);
    EXPECT_EQ(times[beside].beginNs, 0);
    EXPECT_EQ(times[send].beginNs, 100);
    EXPECT_EQ(times[send].endNs, 1600);
    EXPECT_EQ(times[receive].beginNs, 0);
    EXPECT_EQ(times[receive].endNs, 1600);
    EXPECT_EQ(times[second].endNs, 1630);
    const HpccJobReport report(graph, times, 0);
    EXPECT_EQ(report.GetIterationNs(), 1630);
    EXPECT_EQ(report.GetExposedNs(), 1600);
}

TEST(HpccJobReport, ARankIsExposedWhileItWaitsForTheEndOfItsSend)
{
    for (const bool start : {false, true})
    {
        HpccJobGraph graph(2);
        const uint32_t send = graph.Send(0, 1, 500, 7);
        graph.After(graph.Compute(0, 30), send, start);
        graph.Receive(1, 0, 500, 7);
        graph.Compute(1, 5000);
        graph.Finish();
        EXPECT_EQ(HpccJobReport(graph, RunConstant(graph), 0).GetExposedNs(), start ? 0 : 1500);
    }
}

namespace
{

/// Adds a message from rank 0 to rank 0, and a join that waits for the send and the receive of this
/// message.
/// @param graph the graph that is extended
/// @return the join
uint32_t
SendToItself(HpccJobGraph& graph)
{
    const uint32_t send = graph.Send(0, 0, 500, 7);
    const uint32_t receive = graph.Receive(0, 0, 500, 7);
    const uint32_t join = graph.Compute(0, 0, HpccJobGraph::JOIN_STREAM);
    graph.After(join, send);
    graph.After(join, receive);
    return join;
}

} // namespace

TEST(HpccJobReport, ARankIsNotExposedByTheEndOfASendForWhichOnlyTheEndOfItsCollectiveWaits)
{
    for (const bool next : {false, true})
    {
        HpccJobGraph graph(1);
        const uint32_t join = SendToItself(graph);
        if (next)
        {
            graph.After(graph.Compute(0, 10), join);
        }
        graph.Finish();
        std::vector<HpccJobRun::Times> times{{0, 40}, {0, 20}, {40, 40}};
        if (next)
        {
            times.push_back({40, 50});
        }
        EXPECT_EQ(HpccJobReport(graph, times, 0).GetExposedNs(), next ? 40 : 20);
    }
}

TEST(HpccJobReport, AJobIsFinishedBeforeItsLastSendsAreAcknowledged)
{
    HpccJobGraph graph(1);
    SendToItself(graph);
    graph.Compute(0, 10);
    graph.Finish();
    const HpccJobReport report(graph, {{0, -1}, {0, 20}, {-1, -1}, {0, 10}}, 0);
    EXPECT_TRUE(report.IsFinished());
    EXPECT_EQ(report.GetIterationNs(), 20);
    EXPECT_EQ(report.GetExposedNs(), 10);
    EXPECT_FALSE(HpccJobReport(graph, {{0, 20}, {0, -1}, {-1, -1}, {0, 10}}, 0).IsFinished());
    EXPECT_FALSE(HpccJobReport(graph, {{0, 20}, {0, 20}, {20, 20}, {0, -1}}, 0).IsFinished());
}

TEST(HpccJobReport, ActivitiesThatHaveNotEndedHaveNoEnd)
{
    HpccJobGraph graph(1);
    graph.Send(0, 0, 500, 7);
    graph.Receive(0, 0, 500, 7);
    graph.Compute(0, 100);
    graph.Compute(0, 100);
    graph.Finish();
    const HpccJobReport report(graph, {{0, 40}, {20, -1}, {5, 105}, {-1, -1}}, 0);
    const auto intervals = report.GetIntervals();
    ASSERT_EQ(intervals.size(), 2U);
    EXPECT_FALSE(intervals[0].computation);
    EXPECT_EQ(intervals[0].beginNs, 0);
    EXPECT_EQ(intervals[0].endNs, -1);
    EXPECT_TRUE(intervals[1].computation);
    EXPECT_EQ(intervals[1].endNs, 105);
}

TEST(HpccJobRun, ComputationsOfAStreamRunOneAfterAnother)
{
    HpccJobGraph graph(1);
    for (uint32_t i = 0; i < 6; ++i)
    {
        graph.Compute(0, i == 2 ? 0 : 100, static_cast<uint8_t>(i / 4));
    }
    graph.Finish();
    const auto times = RunConstant(graph);
    EXPECT_EQ(times[1].beginNs, 100);
    EXPECT_EQ(times[2].endNs, 200);
    EXPECT_EQ(times[3].endNs, 300);
    EXPECT_EQ(times[4].endNs, 100);
    EXPECT_EQ(times[5].endNs, 200);
}

TEST(HpccJobRun, StragglersAndDelaysShiftTheTimes)
{
    HpccJobGraph graph(2);
    const uint32_t slow = graph.Compute(0, 100);
    const uint32_t send = graph.Send(0, 1, 500, 7);
    const uint32_t late = graph.Compute(1, 100);
    const uint32_t receive = graph.Receive(1, 0, 500, 7);
    graph.After(send, slow);
    graph.Finish();
    HpccJobSettings settings;
    settings.startNs = 10;
    settings.computeScale = 2;
    settings.slow[0] = 3;
    settings.late[1] = 5000;
    settings.sendDelayNs = 20;
    settings.receiveDelayNs = 30;
    const auto times = RunConstant(graph, settings);
    EXPECT_EQ(times[slow].endNs, 610);
    EXPECT_EQ(times[late].endNs, 5210);
    EXPECT_EQ(times[send].endNs, 610 + 20 + 1500);
    EXPECT_EQ(times[receive].endNs, 5010 + 30);
}

TEST(HpccJobRun, MessagesOfARankToItselfHaveNoSoftwareDelays)
{
    HpccJobGraph graph(1);
    const uint32_t send = graph.Send(0, 0, 500, 7);
    const uint32_t receive = graph.Receive(0, 0, 500, 7);
    graph.Finish();
    HpccJobSettings settings;
    settings.sendDelayNs = 20;
    settings.receiveDelayNs = 30;
    const auto times = RunConstant(graph, settings);
    EXPECT_EQ(times[send].endNs, 1);
    EXPECT_EQ(times[receive].endNs, 1);
}

TEST(HpccJobRun, JitterIsDrawnFromTheStreamsOfTheRanks)
{
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(1);
    HpccJobGraph graph(2);
    for (uint32_t i = 0; i < 2000; ++i)
    {
        graph.Compute(i % 2, 1000);
    }
    graph.Finish();
    HpccJobSettings settings;
    settings.jitter = 0.1;
    settings.stream = 77;
    const auto times = RunConstant(graph, settings);
    EXPECT_EQ(RunConstant(graph, settings)[1999].endNs, times[1999].endNs);
    EXPECT_NE(times[1998].endNs, times[1999].endNs);
    // Jitter adds an exponentially distributed time to each of 1000 computations. Its mean is 0.1
    // of the computation time. The total may differ from its expected value by four standard
    // deviations.
    EXPECT_NEAR(static_cast<double>(times[1999].endNs), 1.1e6, 4 * 0.1 * 1000 * std::sqrt(1000));
    settings.stream = 177;
    EXPECT_NE(RunConstant(graph, settings)[1999].endNs, times[1999].endNs);
}

TEST(HpccJobRun, RanksThatWaitForOneAnotherAreNamed)
{
    HpccJobGraph graph(2, "x.goal");
    for (uint32_t rank : {0, 1})
    {
        const uint32_t receive = graph.Receive(rank, 1 - rank, 10, 3);
        graph.After(graph.Send(rank, 1 - rank, 10, 3), receive);
    }
    graph.Finish();
    const auto lines = HpccJobRun::DescribeWaiting(graph, RunConstant(graph));
    ASSERT_EQ(lines.size(), 2);
    EXPECT_EQ(lines[1], "rank 1: receive of 10 bytes from rank 0, tag 3, waits since 0 ns");
}

TEST(HpccJobRun, MessagesOnAFabricMeetTheirReceivesByTag)
{
    HpccJobGraph graph(2);
    // Two messages are posted at the same time. Their receives are posted in the opposite order,
    // and one receive is late.
    const uint32_t big = graph.Send(0, 1, 900000, 1);
    const uint32_t small = graph.Send(0, 1, 900, 2);
    const uint32_t self = graph.Send(0, 0, 900, 2);
    const uint32_t own = graph.Receive(0, 0, 900, 2);
    const uint32_t second = graph.Receive(1, 0, 900, 2);
    const uint32_t wait = graph.Compute(1, 500000);
    const uint32_t first = graph.Receive(1, HpccJobGraph::ANY, 900000, 1);
    graph.After(first, wait);
    graph.Finish();
    const auto result = RunOnStar(graph);
    EXPECT_EQ(result.unfinished, 0);
    EXPECT_LT(result.times[second].endNs, 5000);
    EXPECT_EQ(result.times[first].endNs, 500000);
    EXPECT_EQ(result.times[own].endNs, 1);
    EXPECT_EQ(result.times[self].endNs, 1);
    EXPECT_LT(result.times[small].endNs, result.times[big].endNs);
}

TEST(HpccJobRun, QueuePairsAreReused)
{
    HpccJobGraph graph(2);
    uint32_t before = graph.Compute(0, 1000);
    uint32_t last = 0;
    for (uint32_t i = 0; i < 50; ++i)
    {
        const uint32_t send = graph.Send(0, 1, 1000 + i, 1);
        graph.After(send, before);
        before = send;
        last = graph.Receive(1, 0, 1000 + i, 1);
    }
    graph.Finish();
    const auto result = RunOnStar(graph);
    EXPECT_EQ(result.unfinished, 0);
    // Each message waits for the acknowledgement of the preceding message.
    EXPECT_GT(result.times[last].endNs, 49 * 4000);
}

TEST(HpccLogGops, RecordedOutputsOfLogGopSim)
{
    // The two jobs are a binomial-tree reduction of 1024 bytes on 8 ranks, and a dissemination on
    // 16 ranks.
    HpccJobGraph reduce(8, "reduce");
    for (uint32_t rank = 0; rank < 8; ++rank)
    {
        std::vector<uint32_t> receives;
        uint32_t bit = 1;
        for (; bit < 8 && !(rank & bit); bit *= 2)
        {
            receives.push_back(reduce.Receive(rank, rank + bit, 1024, bit));
        }
        if (rank > 0)
        {
            const uint32_t send = reduce.Send(rank, rank - bit, 1024, bit);
            for (uint32_t receive : receives)
            {
                reduce.After(send, receive);
            }
        }
    }
    EXPECT_EQ(LogGopsNs(reduce, 0), 34914);

    HpccJobGraph spread(16, "dissemination");
    for (uint32_t rank = 0; rank < 16; ++rank)
    {
        uint32_t before = HpccJobGraph::NONE;
        for (uint32_t bit = 1; bit < 16; bit *= 2)
        {
            const uint32_t send = spread.Send(rank, (rank + bit) % 16, 1, bit);
            if (before != HpccJobGraph::NONE)
            {
                spread.After(send, before);
            }
            before = spread.Receive(rank, (rank + 16 - bit) % 16, 1, bit);
        }
    }
    EXPECT_EQ(LogGopsNs(spread, 0), 22000);
}

TEST(HpccLogGops, WhatWaitsForACpuGetsItAsInLogGopSim)
{
    // The job is a ring that forwards four segments. In it, received messages and ready sends wait
    // for the CPU. The expected times are from LogGOPSim 76451de with Schedgen's pattern
    // pipelinedring on 4 ranks.
    for (const auto& [bytes, ns] : {std::pair<uint64_t, int64_t>{256, 39240}, {25000, 925464}})
    {
        HpccJobGraph ring(4, "ring");
        for (uint32_t rank = 0; rank < 4; ++rank)
        {
            for (int segment = 0; segment < 4; ++segment)
            {
                uint32_t receive = 0;
                if (rank > 0)
                {
                    receive = ring.Receive(rank, rank - 1, bytes, 0);
                }
                if (rank < 3)
                {
                    const uint32_t send = ring.Send(rank, rank + 1, bytes, 0);
                    if (rank > 0)
                    {
                        ring.After(send, receive);
                    }
                }
            }
        }
        EXPECT_EQ(LogGopsNs(ring, 3), ns);
    }
}

TEST(HpccLogGops, EachParameterHasItsEffect)
{
    const HpccLogGops::Parameters parameters{100, 10, 300, 1, 2, 50};
    HpccJobGraph eager(2);
    for (uint32_t i = 0; i < 2; ++i)
    {
        eager.Send(0, 1, 11, i);
        eager.Receive(1, 0, 11, i);
    }
    // The second message starts after g + 10 G, when the NIC is free. It reaches the receiver after
    // another o + L. There it takes o + 10 G.
    EXPECT_EQ(LogGopsNs(eager, 1, parameters), 320 + 10 + 100 + 10 + 20);

    HpccJobGraph large(2);
    const uint32_t send = large.Send(0, 1, 51, 0);
    const uint32_t compute = large.Compute(0, 5);
    large.After(compute, send);
    const uint32_t wait = large.Compute(1, 1000);
    large.After(large.Receive(1, 0, 51, 0), wait);
    // The message can be matched only at 1000 ns, when the receive is posted.
    EXPECT_EQ(LogGopsNs(large, 0, parameters), 1005);
}
