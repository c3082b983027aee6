/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-refusal.h"

#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-flow-trace.h"
#include "ns3/hpcc-monitor.h"
#include "ns3/hpcc-topology.h"
#include "ns3/hpcc-workload-monitor.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Tests of monitors in a star of three hosts.
class Monitors : public testing::Test
{
  protected:
    Monitors()
    {
        m_fabric.Install(HpccTopology::Star(3, {}));
    }

    ~Monitors() override
    {
        Simulator::Destroy();
    }

    /**
     * Plans a flow of 100000 bytes at time 0.
     * @param source source of the flow, whose destination is host 1
     * @return the flow
     */
    HpccFlowPlan Plan(uint32_t source)
    {
        const auto queuePair = m_fabric.Connect(source, 1, m_spec);
        m_fabric.AddMessage(source, queuePair, 100000, Time(0));
        return {source, 1, 100000, 0, queuePair, 0};
    }

    /// Simulates 1 ms.
    static void Run()
    {
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
    }

    /**
     * Returns the payload of a flow according to its series, bytes.
     * @param monitor the monitor
     * @param flow the flow
     * @return bytes
     */
    static double BytesOf(const HpccMonitor& monitor, size_t flow)
    {
        double bytes = 0;
        for (const auto& sample : monitor.GetFlowSeries(flow))
        {
            bytes += sample.value * HpccMonitor::BIN_NS / 8;
        }
        return bytes;
    }

    /**
     * Expects a refusal.
     * @param call a call
     * @param part text that the error message must contain
     */
    template <typename Call>
    static void ExpectRefusal(const Call& call, const std::string& part)
    {
        const std::string line = hpcctest::RefusalOf(call);
        EXPECT_NE(line.find(part), std::string::npos) << part << ": \"" << line << "\"";
    }

    HpccFabricHelper m_fabric;                                                  ///< the network
    HpccFabricHelper::PolicySpec m_spec{HpccFabricHelper::MakePolicy("dcqcn")}; ///< the policy
};

} // namespace

TEST_F(Monitors, ResultsAfterTheEndOfTheSimulatorAreRefused)
{
    HpccMonitor monitor(m_fabric, {Plan(0), Plan(2)}, 0, HpccMonitor::FLOW_SERIES);
    Run();
    EXPECT_EQ(monitor.Summarize().endNs, 1000000);
    EXPECT_GT(monitor.GetThroughputSeries().size(), 1U);
    const size_t rows = monitor.GetQueueSeries().size();
    Simulator::Destroy();
    const std::string line = "call it before Simulator::Destroy()";
    ExpectRefusal([&] { monitor.Summarize(); }, line);
    ExpectRefusal([&] { monitor.GetThroughputSeries(); }, line);
    ExpectRefusal([&] { monitor.GetFlowSeries(0); }, line);
    EXPECT_EQ(monitor.GetQueueSeries().size(), rows);
}

TEST_F(Monitors, PayloadOfReadsAndOfWritesOfOneQueuePairCountsForTheirOwnFlows)
{
    const auto queuePair = m_fabric.Connect(0, 1, m_spec, 0, false, true);
    m_fabric.AddMessage(0, queuePair, 100000, Time(0), RdmaVerb::READ);
    m_fabric.AddMessage(1, 0, 50000, Time(0));
    HpccMonitor monitor(m_fabric,
                        {{0, 1, 100000, 0, queuePair, 0, RdmaVerb::READ}, {1, 0, 50000, 0, 0, 0}},
                        0,
                        HpccMonitor::FLOW_SERIES);
    Run();
    ASSERT_EQ(monitor.Summarize().flowsFinished, 2U);
    EXPECT_NEAR(BytesOf(monitor, 0), 100000, 1);
    EXPECT_NEAR(BytesOf(monitor, 1), 50000, 1);
}

TEST_F(Monitors, PayloadAheadOfAGapCountsForALaterMessage)
{
    for (const uint32_t host : {0, 1})
    {
        m_fabric.GetHost(host)->SetAttribute("Recovery", StringValue("irn"));
    }
    const auto queuePair = m_fabric.Connect(0, 1, m_spec, 0, false, true);
    m_fabric.AddMessage(0, queuePair, 5000, Time(0));
    m_fabric.AddMessage(0, queuePair, 100000, Time(0), RdmaVerb::READ);
    m_fabric.AddMessage(0, queuePair, 50000, Time(0));
    auto loss = CreateObject<ReceiveListErrorModel>();
    loss->SetList({4}); // the last packet of the first WRITE
    m_fabric.GetDevice(1, 0)->SetAttribute("ReceiveErrorModel", PointerValue(loss));
    const std::vector<HpccFlowPlan> flows{{0, 1, 5000, 0, queuePair, 0},
                                          {0, 1, 100000, 0, queuePair, 1, RdmaVerb::READ},
                                          {0, 1, 50000, 0, queuePair, 2}};
    HpccMonitor monitor(m_fabric, flows, 0, HpccMonitor::FLOW_SERIES);
    Run();
    ASSERT_EQ(monitor.Summarize().flowsFinished, 3U);
    ASSERT_EQ(monitor.Summarize().drops, 1U);
    for (size_t flow = 0; flow < flows.size(); ++flow)
    {
        EXPECT_NEAR(BytesOf(monitor, flow), static_cast<double>(flows[flow].bytes), 1) << flow;
    }
}

TEST_F(Monitors, MessagesNumberedInAnotherOrderThanTheirStartsAreRefusedIfPayloadIsCounted)
{
    const std::vector<HpccFlowPlan> flows{{0, 1, 5000, 50000, 3, 0}, {0, 1, 100000, 0, 3, 1}};
    ExpectRefusal([&] { HpccMonitor(m_fabric, flows, 0); },
                  "message 1 of queue pair 3 of host 0 starts at 0 ns, before message 0 at 50000 "
                  "ns; allowed are numbers in the order of the starts");
    HpccMonitor(m_fabric, flows, 0, HpccMonitor::COUNTS);
    HpccMonitor(m_fabric, {{0, 1, 5000, 0, 3, 0}, {0, 1, 100000, 0, 3, 1}}, 0);
    HpccMonitor(m_fabric,
                {{0, 1, 5000, 50000, 3, 0}, {0, 1, 5000, HpccFlowPlan::NOT_PLANNED, 3, 1}},
                0);
}

TEST_F(Monitors, TwoFlowsThatAreTheSameMessageAreRefused)
{
    const uint32_t queuePair = m_fabric.Connect(0, 1, m_spec);
    for (const int64_t startNs : {int64_t{0}, HpccFlowPlan::NOT_PLANNED})
    {
        std::vector<HpccFlowPlan> flows{{0, 1, 5000, startNs, queuePair, 0},
                                        {0, 1, 5000, startNs, queuePair, 1},
                                        {0, 1, 9000, HpccFlowPlan::NOT_PLANNED, queuePair, 0}};
        ExpectRefusal([&] { HpccMonitor(m_fabric, flows, 0, HpccMonitor::COUNTS); },
                      "flows 0 and 2 are both message 0 of queue pair 0 of host 0; "
                      "HpccFlowPlan::message numbers the messages of a queue pair from 0");
        flows.back().message = 2;
        HpccMonitor(m_fabric, flows, 0);
    }
}

TEST_F(Monitors, FiguresOfARunThatDoesNotSettleAreNaN)
{
    HpccMonitor monitor(m_fabric, {Plan(0)}, 500000);
    Run();
    const HpccSummary summary = monitor.Summarize();
    EXPECT_FALSE(summary.settled);
    EXPECT_TRUE(std::isnan(summary.queueMeanBytes));
    EXPECT_TRUE(std::isnan(summary.throughputMeanGbps));
    EXPECT_TRUE(std::isnan(summary.throughputMinGbps));
}

TEST_F(Monitors, SeriesThatAreNotRecordedAreRefused)
{
    HpccMonitor counts(m_fabric, {Plan(0)}, 0, HpccMonitor::COUNTS);
    HpccMonitor series(m_fabric, {{0, 1, 100000, 0, 0, 0}}, 0);
    Run();
    counts.Summarize();
    series.Summarize();
    const std::string line =
        ": a monitor with COUNTS has no series; allowed are SERIES and FLOW_SERIES";
    ExpectRefusal([&] { counts.GetThroughputSeries(); }, "GetThroughputSeries" + line);
    ExpectRefusal([&] { counts.GetQueueSeries(); }, "GetQueueSeries" + line);
    ExpectRefusal([&] { counts.GetMeanQueueBytes(); }, "GetMeanQueueBytes" + line);
    ExpectRefusal([&] { counts.GetFlowSeries(0); },
                  "has no series; allowed is a monitor with FLOW_SERIES");
    ExpectRefusal([&] { series.GetFlowSeries(0); },
                  "has no series; allowed is a monitor with FLOW_SERIES");
    EXPECT_GT(series.GetThroughputSeries().size(), 1U);
}

TEST_F(Monitors, AMonitorBeforeTheNetworkOrAfterTheFirstStartIsRefused)
{
    HpccFabricHelper early;
    ExpectRefusal([&] { HpccMonitor(early, {}, 0); },
                  "there is no network yet; create the monitor after "
                  "HpccFabricHelper::Install()");
    const HpccFlowPlan flow = Plan(0);
    Run();
    ExpectRefusal([&] { HpccMonitor(m_fabric, {flow}, 0); },
                  "the first flow starts at 0 ns, but the time is 1000000 ns; create the monitor "
                  "before the first start");
    HpccMonitor(m_fabric, {{0, 1, 1000, 1000000, 0, 1}}, 0);
}

TEST_F(Monitors, FramesBeforeTheFirstPlannedStartAreInNoBin)
{
    const auto queuePair = m_fabric.Connect(0, 1, m_spec);
    m_fabric.AddMessage(0, queuePair, 100000, MicroSeconds(10));
    m_fabric.AddMessage(0, queuePair, 100000, MicroSeconds(50));
    HpccMonitor monitor(m_fabric,
                        {{0, 1, 100000, HpccFlowPlan::NOT_PLANNED, queuePair, 0},
                         {0, 1, 100000, 50000, queuePair, 1}},
                        0,
                        HpccMonitor::FLOW_SERIES);
    Run();
    EXPECT_EQ(monitor.GetThroughputSeries().front().timeNs, 50000);
    for (const auto& sample : monitor.GetThroughputSeries())
    {
        EXPECT_LE(sample.value, 100.001) << sample.timeNs;
    }
    EXPECT_EQ(BytesOf(monitor, 0), 0);
    EXPECT_EQ(BytesOf(monitor, 1), 100000);
}

TEST_F(Monitors, TheStartThatAnApplicationChoosesIsKnownOnceTheMessageIsPosted)
{
    const auto queuePair = m_fabric.Connect(0, 1, m_spec, 0, false, true);
    m_fabric.AddMessage(0, queuePair, 1000000000, MicroSeconds(30));
    m_fabric.AddMessage(0, queuePair, 1000, MicroSeconds(40), RdmaVerb::READ);
    m_fabric.AddMessage(0, queuePair, 1000, MilliSeconds(2));
    std::vector<HpccFlowPlan> flows;
    for (uint32_t message = 0; message < 3; ++message)
    {
        flows.push_back({0, 1, 1000, HpccFlowPlan::NOT_PLANNED, queuePair, message});
    }
    HpccMonitor monitor(m_fabric, flows, 0);
    Run();
    ASSERT_EQ(monitor.Summarize().flowsFinished, 0U);
    EXPECT_EQ(monitor.GetFlows()[0].startNs, 30000);
    EXPECT_EQ(monitor.GetFlows()[1].startNs, 40000);
    EXPECT_EQ(monitor.GetFlows()[2].startNs, HpccFlowPlan::NOT_PLANNED);
}

TEST_F(Monitors, FairnessIsMeasuredFromTheLastStartThatAnApplicationChooses)
{
    const auto run = [this](bool planned, int64_t startUs) {
        HpccFabricHelper fabric;
        fabric.Install(HpccTopology::Star(3, {}));
        fabric.AssignStreams(1);
        std::vector<HpccFlowPlan> flows;
        for (uint32_t source : {0, 2})
        {
            const int64_t startNs = source == 0 ? 0 : startUs * 1000;
            const auto queuePair = fabric.Connect(source, 1, m_spec);
            fabric.AddMessage(source, queuePair, 1000000, NanoSeconds(startNs));
            const bool known = planned || source == 0;
            flows.push_back(
                {source, 1, 1000000, known ? startNs : HpccFlowPlan::NOT_PLANNED, queuePair, 0});
        }
        HpccMonitor monitor(fabric, flows, 0);
        Run();
        const double jain = monitor.Summarize().jainIndex;
        Simulator::Destroy();
        return jain;
    };
    EXPECT_GT(run(true, 20), 0.5);
    EXPECT_EQ(run(false, 20), run(true, 20));
    EXPECT_TRUE(std::isnan(run(true, 500))) << "the first flow has ended";
    EXPECT_TRUE(std::isnan(run(false, 500)));
    EXPECT_TRUE(std::isnan(run(false, 2000))) << "not posted";
}

TEST_F(Monitors, GoodputIsThePayloadOfTheSettledIntervalOverItsLength)
{
    const HpccFlowPlan flow = Plan(0);
    const HpccFlowPlan other = Plan(2);
    HpccMonitor all(m_fabric, {flow, other}, 0);
    HpccMonitor late(m_fabric, {flow, other}, 500000);
    HpccMonitor part(m_fabric, {flow, other}, 10000);
    Run();
    const int64_t endNs = all.Summarize().firstCompletionNs;
    late.Summarize();
    part.Summarize();
    // The flows share the link. Therefore, at the first completion, all flows have received all of
    // their payload except a few packets.
    const double bytes = all.GetGoodputGbps() * static_cast<double>(endNs) / 8;
    EXPECT_GT(bytes, 180000);
    EXPECT_LE(bytes, 200000.001);
    const double rest = part.GetGoodputGbps() * static_cast<double>(endNs - 10000) / 8;
    EXPECT_LT(rest, bytes - 80000) << "the link carries 100 Gb/s, from 3 us on";
    EXPECT_TRUE(std::isnan(late.GetGoodputGbps()));
    Simulator::Destroy();
    ExpectRefusal([&] { all.GetGoodputGbps(); }, "call it before Simulator::Destroy()");
}

TEST_F(Monitors, TheSettledIntervalEndsWithoutTheDelayOfTheCompletion)
{
    struct Results
    {
        HpccSummary summary;
        std::vector<HpccFlowOutcome> flows;
        double goodputGbps;
    };

    const auto run = [this](int64_t delayNs, uint64_t readBytes) {
        auto delay = CreateObject<ConstantRandomVariable>();
        delay->SetAttribute("Constant", DoubleValue(static_cast<double>(delayNs)));
        Config::SetDefault("ns3::RdmaNic::CompletionDelay", PointerValue(delay));
        HpccFabricHelper fabric;
        fabric.Install(HpccTopology::Star(3, {}));
        Config::Reset();
        fabric.AssignStreams(1);
        std::vector<HpccFlowPlan> flows;
        for (const uint32_t source : {0, 2})
        {
            const uint64_t bytes = 1000000 + 400000 * source;
            const auto queuePair = fabric.Connect(source, 1, m_spec);
            fabric.AddMessage(source, queuePair, bytes, Time(0));
            flows.push_back({source, 1, bytes, 0, queuePair, 0});
        }
        const auto reader = fabric.Connect(0, 1, m_spec, 0, false, true);
        fabric.AddMessage(0, reader, readBytes, Time(0), RdmaVerb::READ);
        flows.push_back({0, 1, readBytes, 0, reader, 0, RdmaVerb::READ});
        HpccMonitor monitor(fabric, flows, 30000, HpccMonitor::FLOW_SERIES);
        Run();
        Results results{monitor.Summarize(), monitor.GetResults(), monitor.GetGoodputGbps()};
        Simulator::Destroy();
        return results;
    };
    // The flow that ends first is a WRITE in one run and a READ in the other.
    for (const auto& [readBytes, first] : {std::pair(5000000, 0), {2000000, 2}})
    {
        const Results ideal = run(0, readBytes);
        const Results late = run(100000, readBytes);
        ASSERT_EQ(ideal.summary.flowsFinished, 3U);
        ASSERT_EQ(late.summary.flowsFinished, 3U);
        for (size_t i = 0; i < 3; ++i)
        {
            EXPECT_EQ(late.flows[i].endNs, ideal.flows[i].endNs + 100000);
            EXPECT_EQ(late.flows[i].receiverEndNs, ideal.flows[i].receiverEndNs + 100000);
            for (const Results* results : {&ideal, &late})
            {
                EXPECT_EQ(results->flows[i].acknowledgedNs, ideal.flows[i].endNs);
                EXPECT_EQ(results->flows[i].arrivedNs, ideal.flows[i].receiverEndNs);
            }
        }
        EXPECT_EQ(late.summary.firstCompletionNs, ideal.flows[first].endNs);
        EXPECT_EQ(late.summary.jainIndex, ideal.summary.jainIndex);
        EXPECT_EQ(late.summary.queueMeanBytes, ideal.summary.queueMeanBytes);
        EXPECT_EQ(late.summary.queueP95Bytes, ideal.summary.queueP95Bytes);
        EXPECT_EQ(late.summary.throughputMeanGbps, ideal.summary.throughputMeanGbps);
        EXPECT_EQ(late.summary.throughputMinGbps, ideal.summary.throughputMinGbps);
        EXPECT_EQ(late.goodputGbps, ideal.goodputGbps);
    }
}

TEST_F(Monitors, AllBytesOfPathProbesAreOverhead)
{
    struct Hops
    {
        static void Note(Hops* hops, int64_t, const Frame& frame)
        {
            const bool data = frame.payloadBytes > 0;
            hops->payload += frame.payloadBytes;
            hops->overhead += data ? frame.format->GetWireBytes(frame.telemetry) : frame.bytes;
        }

        uint64_t payload{0};
        uint64_t overhead{0};
    };

    for (const std::string recovery : {"go-back-n", "sack"})
    {
        HpccFabricHelper fabric;
        fabric.SetPaths("migrate");
        fabric.SetHostAttribute("Recovery", StringValue(recovery));
        fabric.Install(HpccTopology::LeafSpine(2, 2, 4, {}));
        fabric.AssignStreams(1);
        const auto spec = HpccFabricHelper::MakePolicy("hpcc++");
        std::vector<HpccFlowPlan> flows;
        for (uint32_t i = 0; i < 4; ++i)
        {
            const auto queuePair = fabric.Connect(i, 4 + i, spec);
            fabric.AddMessage(i, queuePair, 500000, Time(0));
            flows.push_back({i, 4 + i, 500000, 0, queuePair, 0});
        }
        HpccMonitor monitor(fabric, flows, 0);
        Hops hops;
        for (const auto& device : fabric.GetDevices())
        {
            device->TraceConnectWithoutContext("Transmit", MakeBoundCallback(&Hops::Note, &hops));
        }
        Run();
        EXPECT_GT(fabric.GetHost(0)->GetPathProbes(), 0U) << recovery;
        EXPECT_DOUBLE_EQ(monitor.Summarize().wireOverheadPercent,
                         100.0 * static_cast<double>(hops.overhead) /
                             static_cast<double>(hops.payload))
            << recovery;
        Simulator::Destroy();
    }
}

TEST_F(Monitors, AFlowThatDoesNotExistIsRefused)
{
    HpccMonitor monitor(m_fabric, {Plan(0)}, 0);
    const std::string line = ": flow 1 does not exist; allowed are the first 1 flows";
    ExpectRefusal([&] { monitor.SetIdealNs(1, 1000); }, "SetIdealNs" + line);
    ExpectRefusal([&] { monitor.NoteReceived(1, 0, 1); }, "NoteReceived" + line);
    ExpectRefusal([&] { monitor.NoteFinished(1, 0); }, "NoteFinished" + line);
    ExpectRefusal([&] { monitor.NoteLost(1, 0); }, "NoteLost" + line);
    ExpectRefusal([&] { monitor.GetFlowSeries(1); }, "GetFlowSeries" + line);
    HpccMonitor counts(m_fabric, {{0, 1, 100000, 0, 0, 0}}, 0, HpccMonitor::COUNTS);
    counts.NoteReceived(0, 0, 1);
}

TEST_F(Monitors, SlowdownsNeedABinAndTheClassAndResultOfEachFlow)
{
    HpccFlowTrace trace;
    trace.Add({0, 1, 1000, 0, 0, 0}, HpccFlowClass::INCAST);
    const auto slowdowns = [&trace](std::vector<HpccFlowPlan> flows, size_t results, size_t bins) {
        return HpccWorkloadMonitor::GetSlowdowns(flows,
                                                 trace,
                                                 std::vector<HpccFlowOutcome>(results),
                                                 HpccFlowClass::INCAST,
                                                 bins,
                                                 1);
    };
    const auto flows = trace.GetFlows();
    EXPECT_TRUE(slowdowns(flows, 1, 1).empty());
    ExpectRefusal([&] { slowdowns(flows, 1, 0); }, "0 bins and 1 results of 1 flows");
    ExpectRefusal([&] { slowdowns(flows, 0, 1); }, "1 bins and 0 results of 1 flows");
    ExpectRefusal(
        [&] {
            slowdowns({flows[0], flows[0]}, 2, 1);
        },
        "GetClass: flow 1 does not exist; allowed are the first 1 flows");
}
