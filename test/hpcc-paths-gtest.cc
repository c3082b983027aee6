/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-refusal.h"

#include "ns3/enum.h"
#include "ns3/hpcc-ecmp-table.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-flowlet-paths.h"
#include "ns3/hpcc-law.h"
#include "ns3/hpcc-spray-paths.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/nstime.h"
#include "ns3/rdma-plb.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using hpcctest::RefusalOf;

namespace
{

constexpr uint32_t HOST = 0x0b000001; ///< address of the destination

/**
 * Returns the port that a selector chooses for a frame to HOST.
 * @param selector the selector under test
 * @param table table with a route to HOST
 * @param flowHash hash of the frame's flow
 * @param nowNs time of the choice
 */
uint32_t
Choose(PathSelector& selector, const EcmpTable& table, uint32_t flowHash, int64_t nowNs)
{
    Frame frame;
    frame.destination = HOST;
    frame.flowHash = flowHash;
    return selector.Select(frame, table.Find(HOST), {}, nowNs);
}

/// A path selector with short names that --paths already uses for another selector.
class AmbiguousPaths : public PathSelector
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = HpccTypeId::Of<AmbiguousPaths, PathSelector>("ns3::hpcctest::Ambiguous")
                                .Presets("plb;ecmp;ambiguous");
        return tid;
    }

    uint32_t Select(const Frame&,
                    const EcmpTable::Choices& choices,
                    const std::vector<QbbNetDevice*>&,
                    int64_t) override
    {
        return choices.ports[0];
    }

    Multipath GetMultipath() const override
    {
        return Multipath::NONE;
    }
};

/// Registers AmbiguousPaths, prints the message with which SetPaths() refuses @p name, and ends the
/// process.
/// @param name the name
[[noreturn]] void
SetAmbiguousPaths(const std::string& name)
{
    AmbiguousPaths::GetTypeId();
    HpccFabricHelper fabric;
    std::cerr << RefusalOf([&] { fabric.SetPaths(name); }) << std::endl;
    std::_Exit(2);
}

} // namespace

TEST(SetPaths, ANameWithTwoMeaningsIsRefusedWithBoth)
{
    // The test registers classes in separate processes, because a class stays registered.
    const auto exits = testing::ExitedWithCode(2);
    EXPECT_EXIT(SetAmbiguousPaths("plb"),
                exits,
                "^--paths: \"plb\" is a name of ns3::hpcctest::Ambiguous and of ns3::RdmaPlb; "
                "choose different names");
    EXPECT_EXIT(SetAmbiguousPaths("ecmp"),
                exits,
                "^--paths: \"ecmp\" is a name of ns3::hpcctest::Ambiguous and of the paths of "
                "ns3::QbbSwitch; choose different names");
    EXPECT_EXIT(SetAmbiguousPaths("ambiguous"), exits, "^\n");
}

TEST(EcmpTable, APortThatIsNotUsableIsNoChoiceUntilItIsAgain)
{
    EcmpTable table;
    table.SetRoute(HOST, {1, 2, 3});
    table.SetRoute(HOST + 1, {2});
    table.SetUsable(2, false);
    EXPECT_EQ(table.GetRoute(HOST), (std::vector<uint16_t>{1, 3}));
    EXPECT_EQ(table.Lookup(HOST + 1, 0), EcmpTable::NO_ROUTE);
    for (uint32_t hash = 0; hash < 1000; ++hash)
    {
        EXPECT_NE(table.Lookup(HOST, hash * 2654435761U), 2U);
    }
    table.SetRoute(HOST + 2, {2, 3});
    EXPECT_EQ(table.GetRoute(HOST + 2), (std::vector<uint16_t>{3})) << "routes set meanwhile";
    table.SetUsable(2, true);
    EXPECT_EQ(table.GetRoute(HOST), (std::vector<uint16_t>{1, 2, 3}));
    EXPECT_EQ(table.GetRoute(HOST + 2), (std::vector<uint16_t>{2, 3}));
    EXPECT_EQ(table.Lookup(HOST + 1, 0), 2U);
}

TEST(EcmpTable, WithAllPortsUnusableThereIsNoRoute)
{
    EcmpTable table;
    table.SetRoute(HOST, {1, 2});
    table.SetUsable(1, false);
    EXPECT_EQ(table.Lookup(HOST, 77), 2U);
    table.SetUsable(2, false);
    EXPECT_EQ(table.Lookup(HOST, 77), EcmpTable::NO_ROUTE);
    EXPECT_EQ(table.Find(HOST).count, 0U);
    EXPECT_EQ(table.Find(HOST - 1).count, 0U) << "and none to an unknown host";
}

TEST(SprayPaths, RoundRobinTakesEachPortInTurnForEachSetOfPorts)
{
    EcmpTable table;
    table.SetRoute(HOST, {4, 5, 6});
    auto selector = CreateObject<SprayPaths>();
    selector->SetAttribute("Order", StringValue("RoundRobin"));
    selector->AssignStreams(1);
    std::vector<uint32_t> taken;
    for (uint32_t i = 0; i < 9; ++i)
    {
        taken.push_back(Choose(*selector, table, i, 0));
    }
    EXPECT_EQ(std::set<uint32_t>(taken.begin(), taken.begin() + 3), (std::set<uint32_t>{4, 5, 6}));
    for (uint32_t i = 3; i < 9; ++i)
    {
        EXPECT_EQ(taken[i], taken[i - 3]);
    }
}

TEST(SprayPaths, RandomTakesEachPortAboutAsOften)
{
    EcmpTable table;
    table.SetRoute(HOST, {0, 1, 2, 3});
    auto selector = CreateObject<SprayPaths>();
    selector->AssignStreams(1);
    std::map<uint32_t, int> taken;
    for (int i = 0; i < 40000; ++i)
    {
        ++taken[Choose(*selector, table, 0, 0)];
    }
    // The standard deviation is sqrt(40000 * 1/4 * 3/4) = 87.
    for (const auto& [port, times] : taken)
    {
        EXPECT_NEAR(times, 10000, 4 * 87) << "port " << port;
    }
}

TEST(FlowletPaths, AFlowKeepsItsPortUntilTheGap)
{
    EcmpTable table;
    table.SetRoute(HOST, {0, 1, 2, 3, 4, 5, 6, 7});
    auto selector = CreateObject<FlowletPaths>();
    selector->SetAttribute("Gap", TimeValue(NanoSeconds(1000)));
    selector->AssignStreams(1);
    int64_t nowNs = 0;
    uint32_t port = Choose(*selector, table, 9, nowNs);
    std::set<uint32_t> ports;
    for (int flowlet = 0; flowlet < 50; ++flowlet)
    {
        for (int packet = 0; packet < 5; ++packet)
        {
            nowNs += 999;
            EXPECT_EQ(Choose(*selector, table, 9, nowNs), port);
        }
        nowNs += 1000;
        port = Choose(*selector, table, 9, nowNs);
        ports.insert(port);
    }
    EXPECT_EQ(selector->GetFlowlets(), 51U);
    EXPECT_EQ(ports.size(), 8U);
}

TEST(FlowletPaths, APortThatIsGoneEndsTheFlowlet)
{
    EcmpTable table;
    table.SetRoute(HOST, {0, 1, 2});
    auto selector = CreateObject<FlowletPaths>();
    selector->AssignStreams(1);
    uint32_t port = Choose(*selector, table, 9, 0);
    table.SetUsable(static_cast<uint16_t>(port), false);
    EXPECT_NE(Choose(*selector, table, 9, 1), port);
}

TEST(FlowletPaths, MoreFlowsThanEntriesShareThem)
{
    EcmpTable table;
    table.SetRoute(HOST, {0, 1, 2, 3});
    auto selector = CreateObject<FlowletPaths>();
    selector->SetAttribute("TableSize", UintegerValue(2));
    selector->AssignStreams(1);
    for (uint32_t flow = 0; flow < 100; ++flow)
    {
        Choose(*selector, table, flow, flow);
    }
    EXPECT_EQ(selector->GetFlowlets(), 2U);
}

namespace
{

/// A queue pair with PLB that has 10 packets per round.
struct PlbFlow
{
    /**
     * Acknowledges the packets of one round.
     * @param marked number of marked packets in the round
     * @param last true if no data follows this round
     * @return number of the packet in the round, counted from 1, at which the path changed; 0 if it
     * did not change
     */
    int Round(int marked, bool last = false)
    {
        int changed = 0;
        for (int i = 1; i <= 10; ++i)
        {
            ++una;
            nowNs += 100;
            uint64_t nxt = last ? end : una + 10;
            end = nxt;
            bool change = plb->OnAck(state, {nowNs, una, nxt, 1, i <= marked}).move;
            changed = change && !changed ? i : changed;
        }
        return changed;
    }

    Ptr<RdmaPlb> plb{CreateObject<RdmaPlb>()};
    RdmaPathState state;
    uint64_t una{0};
    uint64_t end{10};
    int64_t nowNs{0};
};

} // namespace

TEST(RdmaPlb, ThePathChangesAfterTwelveCongestedRoundsInARow)
{
    PlbFlow flow;
    int rounds = 0;
    while (rounds < 100 && !flow.Round(6))
    {
        ++rounds;
    }
    // The first ACK is a round by itself; the second ACK starts the first round of ten packets.
    EXPECT_NEAR(rounds, 12, 1);
    for (int i = 0; i < 10; ++i)
    {
        EXPECT_EQ(flow.Round(10), 0) << "counting starts anew";
    }
}

TEST(RdmaPlb, ARoundBelowTheShareBreaksTheRow)
{
    PlbFlow flow;
    for (int i = 0; i < 100; ++i)
    {
        EXPECT_EQ(flow.Round(i % 10 == 9 ? 0 : 10), 0) << i;
    }
    for (int i = 0; i < 100; ++i)
    {
        EXPECT_EQ(flow.Round(4), 0) << "less than half of the packets are marked";
    }
}

TEST(RdmaPlb, AnIdleQueuePairMovesAfterThreeRounds)
{
    PlbFlow flow;
    for (int i = 0; i < 6; ++i)
    {
        EXPECT_EQ(flow.Round(10), 0) << "not while packets are in flight";
    }
    EXPECT_EQ(flow.Round(10, true), 10) << "with the last acknowledgement";
}

TEST(RdmaPlb, ATimeoutSuspendsChanges)
{
    PlbFlow flow;
    flow.plb->SetAttribute("Suspension", TimeValue(NanoSeconds(50000)));
    flow.plb->OnTimeout(flow.state, flow.nowNs);
    int rounds = 0;
    while (rounds < 200 && !flow.Round(10))
    {
        ++rounds;
    }
    EXPECT_NEAR(rounds, 50, 1) << "rounds of 1000 ns";
}

namespace
{

/// The control law for a sprayed flow on two paths.
struct SprayedFlow
{
    SprayedFlow()
    {
        HpccParameters parameters;
        parameters.baseRttNs = 10000;
        law.SetParameters(parameters);
        law.Open(flow, 100e9, 0);
        flow.sprayed = true;
    }

    /**
     * Passes an acknowledgement with the record of one hop to the control law.
     * @param path 0 or 1
     * @param tsNs time at which the packet passed its first hop
     * @param txBytes transmit counter of this hop
     * @param queueBytes queue length of this hop, bytes
     * @return outcome of the control law
     */
    const HpccOutcome& Ack(uint32_t path, int64_t tsNs, uint64_t txBytes, uint64_t queueBytes)
    {
        HopTelemetry first{};
        first.fields = format.fields | TELEMETRY_BANDWIDTH;
        first.switchId = 1;
        first.portId = path;
        first.timestampNs = static_cast<uint64_t>(tsNs);
        first.txBytes = txBytes;
        first.queueBytes = queueBytes;
        first.bandwidthBps = 100000000000;
        seq += 1000;
        return law.NewAck(flow, {tsNs + 5000, seq, seq + 60000, 0, &first, 1, 0, 0, &format});
    }

    TelemetryCapabilities format{TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID | TELEMETRY_TIMESTAMP |
                                     TELEMETRY_TX_BYTES | TELEMETRY_QUEUE,
                                 0,
                                 0,
                                 false};
    HpccLaw law;
    HpccFlow flow;
    uint64_t seq{0};
};

} // namespace

TEST(HpccLaw, ASprayedFlowComparesRecordsOfOnePathOnly)
{
    SprayedFlow f;
    // Path 0 has half of its load: 6250 bytes in 1000 ns at 12.5 bytes/ns. Path 1 is fully loaded.
    // The counters of the two paths are unrelated.
    f.Ack(0, 1000, 1000000, 0);
    f.Ack(1, 1500, 50, 0);
    for (int i = 1; i <= 40; ++i)
    {
        const auto& even = f.Ack(0, 1000 + 1000 * i, 1000000 + 6250 * i, 0);
        EXPECT_EQ(even.reset, HpccReset::NONE);
        EXPECT_NEAR(even.u, 0.5, 1e-9);
        EXPECT_NEAR(even.tauNs, 500, 1e-9) << "two paths share the time";
        const auto& odd = f.Ack(1, 1500 + 1000 * i, 50 + 12500 * i, 0);
        EXPECT_EQ(odd.reset, HpccReset::NONE);
        EXPECT_NEAR(odd.u, 1, 1e-9);
    }
    EXPECT_NEAR(f.flow.utilization, 0.75, 0.02) << "the average of both";
}

TEST(HpccLaw, APathOvertakenByAnotherLosesNothing)
{
    SprayedFlow f;
    f.Ack(0, 1000, 0, 0);
    f.Ack(1, 1000, 0, 0);
    f.Ack(1, 9000, 100000, 0);
    const auto& late = f.Ack(0, 2000, 12500, 0);
    EXPECT_EQ(late.branch, HpccBranch::FAST)
        << "older than the last of the other path, but new here";
    EXPECT_NEAR(late.u, 1, 1e-9);
    double before = f.flow.utilization;
    const auto& overtaken = f.Ack(0, 1500, 6250, 0);
    EXPECT_EQ(overtaken.branch, HpccBranch::NONE) << "overtaken on its own path";
    EXPECT_EQ(f.flow.utilization, before);
}

TEST(HpccLaw, FirstRecordsOfOtherPathsCommitOncePerRoundTrip)
{
    // With sparse samples, u' is estimated from the first record of a path: u' = 1 + qlen/(B T).
    SprayedFlow f;
    f.flow.sparse = true;
    EXPECT_EQ(f.Ack(0, 1000, 0, 125000).branch, HpccBranch::COMMIT);
    EXPECT_NEAR(f.flow.utilization, 2, 1e-9);
    const double reference = f.flow.referenceBytes;
    // The packets with these records were sent before that commit.
    EXPECT_EQ(f.Ack(1, 1100, 0, 375000).branch, HpccBranch::FAST);
    EXPECT_NEAR(f.flow.utilization, (2 + 4) / 2.0, 1e-9) << "the average of both paths";
    EXPECT_EQ(f.Ack(2, 1200, 0, 0).branch, HpccBranch::NONE);
    EXPECT_EQ(f.Ack(3, 1300, 0, 125000).branch, HpccBranch::FAST);
    EXPECT_EQ(f.flow.referenceBytes, reference);
    f.seq = f.flow.lastUpdateSeq;
    EXPECT_EQ(f.Ack(4, 1400, 0, 125000).branch, HpccBranch::COMMIT) << "the next round trip";
    // A time-out discards the records of all paths.
    f.law.Rollback(f.flow, f.seq, true);
    f.seq -= 1000;
    EXPECT_EQ(f.Ack(5, 1500, 0, 125000).branch, HpccBranch::COMMIT);
}

TEST(HpccLaw, OnlyHopsWithIdsLetEveryPacketTakeAnotherPath)
{
    TelemetryCapabilities format{TELEMETRY_TIMESTAMP | TELEMETRY_TX_BYTES | TELEMETRY_QUEUE,
                                 0,
                                 0,
                                 false};
    EXPECT_EQ(HpccLaw::ToleratedMultipath(format), Multipath::NONE);
    format.pathIdentified = true;
    EXPECT_EQ(HpccLaw::ToleratedMultipath(format), Multipath::OCCASIONAL);
    format.fields |= TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID;
    EXPECT_EQ(HpccLaw::ToleratedMultipath(format), Multipath::EVERY_PACKET);
    TelemetryCapabilities extreme{TELEMETRY_QUEUE_DELAY, 0, 0, false, true};
    EXPECT_EQ(HpccLaw::ToleratedMultipath(extreme), Multipath::EVERY_PACKET);
}
