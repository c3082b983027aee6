/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-star-refusals.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/hpcc-closed-loop.h"
#include "ns3/hpcc-collective.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-flow-trace.h"
#include "ns3/hpcc-internet-helper.h"
#include "ns3/hpcc-iwarp-helper.h"
#include "ns3/hpcc-monitor.h"
#include "ns3/hpcc-ranks.h"
#include "ns3/hpcc-tcp-helper.h"
#include "ns3/hpcc-udp-helper.h"
#include "ns3/hpcc-workload-monitor.h"
#include "ns3/inet-socket-address.h"
#include "ns3/qbb-helper.h"
#include "ns3/rdma-host.h"
#include "ns3/rdma-irn.h"
#include "ns3/rdma-sack.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// Tests that a fabric and its helpers refuse calls that come too early or too late, or have wrong
/// arguments.
class FabricRefusals : public StarRefusals
{
};

TEST_F(FabricRefusals, ASettingAfterInstallIsRefusedInOneLine)
{
    HpccFabricHelper& fabric = Fabric();
    const std::vector<std::pair<std::string, std::function<void()>>> settings{
        {"SetDeviceAttribute", [&] { fabric.SetDeviceAttribute("Mtu", UintegerValue(9000)); }},
        {"SetBuffer", [&] { fabric.SetBuffer("dynamic"); }},
        {"SetMarking", [&] { fabric.SetMarking("red"); }},
        {"SetScheduler", [&] { fabric.SetScheduler("ring"); }},
        {"SetTrimming", [&] { fabric.SetTrimming("none"); }},
        {"SetEntropy", [&] { fabric.SetEntropy("none"); }},
        {"SetNic", [&] { fabric.SetNic("ideal"); }},
        {"SetBufferAttribute",
         [&] { fabric.SetBufferAttribute("BufferBytes", UintegerValue(600000)); }},
        {"SetEcnAttribute", [&] { fabric.SetEcnAttribute("Thresholds", StringValue("")); }},
        {"SetThresholds", [&] { fabric.SetThresholds(""); }},
        {"PartsOf", [&] { fabric.PartsOf(2); }},
        {"SetTelemetryAgentAttribute",
         [&] { fabric.SetTelemetryAgentAttribute("Interval", UintegerValue(1)); }},
        {"SetHostAttribute", [&] { fabric.SetHostAttribute("Mtu", UintegerValue(4096)); }},
        {"SetPaths", [&] { fabric.SetPaths("ecmp"); }},
        {"ScheduleLinkDown", [&] { fabric.ScheduleLinkDown(1, MicroSeconds(20)); }},
        {"ScheduleLinkUp", [&] { fabric.ScheduleLinkUp(1, MicroSeconds(20)); }},
        {"SetConvergenceDelay", [&] { fabric.SetConvergenceDelay(MicroSeconds(20)); }},
        {"SetMaxLag", [&] { fabric.SetMaxLag(MicroSeconds(1)); }},
        {"SetRanks", [&] { fabric.SetRanks(nullptr, {}); }},
    };
    for (const auto& [name, set] : settings)
    {
        Expect(RefusalOf(set), {"HpccFabricHelper::" + name + ": ", "3 nodes", "before Install()"});
    }
}

TEST_F(FabricRefusals, ACallThatNeedsANetworkOrANodeIsRefusedInOneLineWithoutIt)
{
    HpccFabricHelper fabric;
    HpccInternetHelper internet;
    const auto spec = HpccFabricHelper::MakePolicy("none");
    const std::vector<std::pair<std::string, std::function<void()>>> early{
        {"GetHost", [&] { fabric.GetHost(0); }},
        {"GetSwitch", [&] { fabric.GetSwitch(2); }},
        {"AddMessage", [&] { fabric.AddMessage(0, 0, 1, Time(0)); }},
        {"CheckNic", [&] { fabric.CheckNic(Seconds(1)); }},
        {"LosesOrder", [&] { fabric.LosesOrder(); }},
        {"GetPath", [&] { fabric.GetPath(0, 1); }},
        {"GetPath",
         [&] {
             fabric.GetPath(0, 1, {0, 0});
         }},
        {"GetIdealFctNs", [&] { fabric.GetIdealFctNs(0, 1, 1000); }},
        {"GetIdealDeliveryNs", [&] { fabric.GetIdealDeliveryNs(0, 1, 1000); }},
        {"GetStages", [&] { fabric.GetStages(0, 1); }},
        {"GetFlowRateBps", [&] { fabric.GetFlowRateBps(0, 1); }},
        {"GetClosestPorts", [&] { fabric.GetClosestPorts(0, 1); }},
        {"HasPortChoice", [&] { fabric.HasPortChoice(0, 1); }},
        {"CrossesBorder", [&] { fabric.CrossesBorder(0, 1); }},
        {"CheckFormat", [&] { fabric.CheckFormat(spec); }},
        {"AssignStreams", [&] { fabric.AssignStreams(1); }},
        {"EndAt", [&] { fabric.EndAt(Seconds(1)); }},
        {"GetWireBytes", [&] { fabric.GetWireBytes(1000); }},
        {"GetPorts", [&] { fabric.GetPorts(0); }},
        {"SetNetworkBaseRttNs", [&] { fabric.SetNetworkBaseRttNs(5000); }},
    };
    for (const auto& [name, call] : early)
    {
        Expect(RefusalOf(call), {"HpccFabricHelper::" + name + ": ", "after Install()"});
    }
    Expect(RefusalOf([&] { internet.Install(fabric); }),
           {"HpccInternetHelper", "call HpccFabricHelper::Install() first"});
    Expect(RefusalOf([&] { HpccTcpHelper().Install(fabric); }),
           {"HpccTcpHelper", "call HpccFabricHelper::Install() first"});
    Expect(RefusalOf([&] { HpccTcpHelper().Tune(fabric); }),
           {"HpccTcpHelper", "call HpccFabricHelper::Install() first"});
    Expect(RefusalOf([&] { HpccUdpHelper().Install(fabric); }),
           {"HpccUdpHelper", "call HpccFabricHelper::Install() first"});
    const std::vector<std::function<void()>> unknown{
        [&] { Fabric().GetHost(99); },
        [&] { Fabric().GetSwitch(99); },
        [&] { Fabric().IsHere(99); },
        [&] { Fabric().GetPorts(99); },
        [&] { Fabric().AddMessage(99, 0, 1, Time(0)); },
        [&] {
            HpccMonitor(Fabric(), {{99, 1, 1000, 0, 0, 0}}, 0);
        },
        [&] { Fabric().GetTopology().IsSwitch(99); },
        [&] { Fabric().GetTopology().GetDegree(99); },
    };
    for (const auto& call : unknown)
    {
        Expect(RefusalOf(call), {"node 99 does not exist; nodes are 0 to 2"});
    }
    Expect(RefusalOf([&] { HpccMonitor(Fabric(), {}, 0).GetFlowSeries(3); }),
           {"GetFlowSeries: flow 3", "the first 0 flows"});
    Expect(RefusalOf([] { HpccTopology().IsSwitch(5); }), {"node 5", "no nodes"});
    Expect(RefusalOf([] {
               HpccTopology().AddLink({0, 1, FAST.host, FAST.delay});
           }),
           {"link 0 - 1", "no nodes"});
    Expect(RefusalOf([&] { Fabric().GetHost(2); }), {"GetHost: node 2 is a switch"});
    Expect(RefusalOf([&] { Fabric().GetSwitch(0); }), {"GetSwitch: node 0 is a host"});
    Expect(RefusalOf([&] { HpccClosedLoop(Fabric(), 2, 0, [] { return 1000; }); }),
           {"node 2 is a switch", "hosts"});
    const auto node = Fabric().GetNodes().Get(0);
    Expect(RefusalOf([&] { HpccIwarpHelper().AddTarget(node, Address(), 1000); }),
           {"HpccIwarpHelper: node 0 has no TCP", "HpccInternetHelper comes before"});
    Expect(RefusalOf([&] { QbbHelper().Install(node, node); }),
           {"QbbHelper::Install: both nodes are node 0", "two different nodes"});
}

TEST_F(FabricRefusals, ASettingOfAnIpHelperAfterInstallIsRefusedInOneLine)
{
    HpccInternetHelper internet;
    HpccUdpHelper udp;
    HpccTcpHelper tcp;
    udp.SetPacketSize(500);
    internet.Install(Fabric());
    udp.Install(Fabric());
    tcp.Install(Fabric());
    const std::vector<std::pair<std::string, std::function<void()>>> settings{
        {"HpccInternetHelper::SetQueueSize", [&] { internet.SetQueueSize("1p"); }},
        {"HpccInternetHelper::SetIpv6", [&] { internet.SetIpv6(false); }},
        {"HpccUdpHelper::SetPacketSize", [&] { udp.SetPacketSize(500); }},
        {"HpccUdpHelper::SetTelemetry", [&] { udp.SetTelemetry("nonsense"); }},
        {"HpccUdpHelper::SetNicAttribute",
         [&] { udp.SetNicAttribute("CountFlows", BooleanValue(true)); }},
        {"HpccTcpHelper::SetSegmentSize", [&] { tcp.SetSegmentSize(1000); }},
        {"HpccTcpHelper::SetTelemetry", [&] { tcp.SetTelemetry("nonsense"); }},
        {"HpccTcpHelper::SetNicAttribute",
         [&] { tcp.SetNicAttribute("CountFlows", BooleanValue(true)); }},
    };
    for (const auto& [name, set] : settings)
    {
        Expect(RefusalOf(set), {"ns3::" + name + ": installed already", "before Install()"});
    }
    EXPECT_EQ(RefusalOf([&] { udp.SetAttribute("Eta", DoubleValue(0.9)); }), "")
        << "has an effect on the next Add()";
    Expect(RefusalOf([&] { HpccInternetHelper().Install(Fabric()); }),
           {"HpccInternetHelper::Install: node 0 has an IP stack already", "nodes without"});
    Config::Reset();
}

TEST_F(FabricRefusals, AnArgumentThatAnIpHelperCannotUseIsRefusedInOneLine)
{
    HpccInternetHelper internet;
    internet.Install(Fabric());
    HpccUdpHelper udp;
    udp.Install(Fabric());
    HpccIwarpHelper iwarp;
    QbbHelper qbb;
    const Address to = InetSocketAddress(HpccInternetHelper::GetIpv4Address(1), 9);
    const auto node = Fabric().GetNodes().Get(0);
    const AddressValue address(to);
    const UintegerValue bytes(100);
    const std::vector<std::pair<std::vector<std::string>, std::function<void()>>> calls{
        {{"UdpHelper::SetAttribute: PacketSize is not allowed; SetPacketSize() sets it"},
         [&] { udp.SetAttribute("PacketSize", bytes); }},
        {{"UdpHelper::SetAttribute: Remote is not allowed; Add() sets it"},
         [&] { udp.SetAttribute("Remote", address); }},
        {{"UdpHelper::SetAttribute: MaxBytes is not allowed; Add() sets it"},
         [&] { udp.SetAttribute("MaxBytes", bytes); }},
        {{"SetTargetAttribute: Local is not allowed; AddTarget() sets it"},
         [&] { iwarp.SetTargetAttribute("Local", address); }},
        {{"SetTargetAttribute: RegionBytes is not allowed; AddTarget() sets it"},
         [&] { iwarp.SetTargetAttribute("RegionBytes", bytes); }},
        {{"SetWriterAttribute: Remote is not allowed; AddWriter() sets it"},
         [&] { iwarp.SetWriterAttribute("Remote", address); }},
        {{"SetWriterAttribute: MaxBytes is not allowed; AddWriter() sets it"},
         [&] { iwarp.SetWriterAttribute("MaxBytes", bytes); }},
        {{"HpccUdpHelper::Add: the start is -5000 ns", "at least 0 ns"},
         [&] { udp.Add(node, to, 1000, MicroSeconds(-5)); }},
        {{"HpccIwarpHelper::AddWriter: the start is -5000 ns", "at least 0 ns"},
         [&] { iwarp.AddWriter(node, to, 1000, MicroSeconds(-5)); }},
        {{"HpccIwarpHelper::AddTarget: bytes: 0 is not allowed; at least 1"},
         [&] { iwarp.AddTarget(node, to, 0); }},
        {{"HpccIwarpHelper::AddWriter: bytes: 0 is not allowed; at least 1"},
         [&] { iwarp.AddWriter(node, to, 0, Time(0)); }},
        {{"HpccUdpHelper::Add: the node is null"}, [&] { udp.Add(nullptr, to, 1000, Time(0)); }},
        {{"HpccIwarpHelper::AddTarget: the node is null"},
         [&] { iwarp.AddTarget(nullptr, to, 1000); }},
        {{"HpccIwarpHelper::AddWriter: the node is null"},
         [&] { iwarp.AddWriter(nullptr, to, 1000, Time(0)); }},
        {{"ns3::HpccUdpNic has no attribute", "CountFlow", "CountFlows"},
         [&] { HpccUdpHelper().SetNicAttribute("CountFlow", BooleanValue(true)); }},
        {{"ns3::HpccUdpApplication::Tos: \"256\" is not allowed"},
         [&] { udp.SetAttribute("Tos", UintegerValue(256)); }},
        {{"ns3::HpccTcpNic has no attribute", "CountFlow", "CountFlows"},
         [&] { HpccTcpHelper().SetNicAttribute("CountFlow", BooleanValue(true)); }},
        {{"ns3::HpccIwarpTarget has no attribute", "Locale"},
         [&] { iwarp.SetTargetAttribute("Locale", address); }},
        {{"ns3::HpccIwarpWriter has no attribute", "Remotes"},
         [&] { iwarp.SetWriterAttribute("Remotes", address); }},
        {{"ns3::QbbNetDevice has no attribute", "DataRates"},
         [&] { qbb.SetDeviceAttribute("DataRates", StringValue("1Gbps")); }},
        {{"ns3::QbbChannel has no attribute", "Delays", "Delay"},
         [&] { qbb.SetChannelAttribute("Delays", StringValue("1us")); }},
        {{"QbbHelper::Install: the node is null"}, [&] { qbb.Install(nullptr, node); }},
        {{"QbbHelper::Install: the node is null"}, [&] { qbb.Install(node, nullptr); }},
    };
    for (const auto& [expected, call] : calls)
    {
        Expect(RefusalOf(call), expected);
    }
}

TEST_F(FabricRefusals, ACollectiveOrALoopThatCannotRunIsRefusedInOneLine)
{
    const auto& topology = Fabric().GetTopology();
    Expect(RefusalOf([&] {
               HpccCollective({HpccCollective::RING, 1000, 1, -5}, topology);
           }),
           {"HpccCollective::Plan::startNs: -5 is outside 0 to"});
    HpccCollective ring({HpccCollective::RING, 1000, 1, 0}, topology);
    Expect(RefusalOf([&] { ring.Start(Fabric()); }),
           {"HpccCollective::Start: no message is connected", "after Connect() of all messages"});
    HpccFlowTrace trace;
    ring.AddTo(trace);
    for (const auto& flow : trace.GetFlows())
    {
        ring.Connect(Fabric(), flow, HpccFabricHelper::MakePolicy("none"));
    }
    EXPECT_EQ(RefusalOf([&] { ring.Start(Fabric()); }), "");
    Expect(RefusalOf([&] { ring.Start(Fabric()); }),
           {"HpccCollective::Start: started already", "call it once, after Connect()"});
    Expect(RefusalOf([&] { HpccClosedLoop(Fabric(), 0, 0, nullptr); }),
           {"HpccClosedLoop at host 0: nextBytes is empty", "pass a function"});
}

TEST_F(FabricRefusals, AFunctionOfTwoHostsRefusesOtherNodesInOneLine)
{
    using Call = std::function<void(uint32_t, uint32_t)>;
    HpccFabricHelper& fabric = Fabric();
    const std::vector<std::pair<std::string, Call>> calls{
        {"GetPath", [&](auto a, auto b) { fabric.GetPath(a, b); }},
        {"GetPath",
         [&](auto a, auto b) {
             fabric.GetPath(a, b, {0, 0});
         }},
        {"GetIdealFctNs", [&](auto a, auto b) { fabric.GetIdealFctNs(a, b, 1000); }},
        {"GetIdealDeliveryNs", [&](auto a, auto b) { fabric.GetIdealDeliveryNs(a, b, 1000); }},
        {"GetStages", [&](auto a, auto b) { fabric.GetStages(a, b); }},
        {"GetFlowRateBps", [&](auto a, auto b) { fabric.GetFlowRateBps(a, b); }},
        {"GetClosestPorts", [&](auto a, auto b) { fabric.GetClosestPorts(a, b); }},
        {"HasPortChoice", [&](auto a, auto b) { fabric.HasPortChoice(a, b); }},
        {"CrossesBorder", [&](auto a, auto b) { fabric.CrossesBorder(a, b); }},
    };
    for (const auto& [name, call] : calls)
    {
        const std::string start = "HpccFabricHelper::" + name + ": ";
        for (const auto& [a, b] : {std::pair(0, 99), std::pair(99, 0)})
        {
            Expect(RefusalOf([&call = call, a = a, b = b] { call(a, b); }),
                   {start + "node 99 does not exist; nodes are 0 to 2"});
        }
        for (const auto& [a, b] : {std::pair(0, 2), std::pair(2, 0)})
        {
            Expect(RefusalOf([&call = call, a = a, b = b] { call(a, b); }),
                   {start + "node 2 is a switch", "two different hosts"});
        }
        Expect(RefusalOf([&call = call] { call(1, 1); }), {start + "both ends are node 1"});
        EXPECT_EQ(RefusalOf([&call = call] { call(1, 0); }), "");
    }
    Expect(RefusalOf([&] {
               fabric.GetPath(0, 1, {5, 0});
           }),
           {"GetPath: host 0 has no port 5; it has 1, counted from 0"});
    Expect(RefusalOf([&] {
               fabric.GetPath(0, 1, {0, 1});
           }),
           {"GetPath: host 1 has no port 1; it has 1, counted from 0"});
}

TEST_F(FabricRefusals, APathBetweenPortsThatNoLinksJoinIsRefusedInOneLine)
{
    HpccFabricHelper planes;
    planes.Install(HpccTopology::Planes(4, 2, 1, 0, FAST));
    EXPECT_EQ(RefusalOf([&] { planes.GetPath(0, 1, {1, 1}); }), "");
    Expect(RefusalOf([&] {
               planes.GetPath(0, 1, {0, 1});
           }),
           {"has no route from node 0 to node 1, port 1", "links join"});
}

TEST_F(FabricRefusals, AMoveToAPortOfAnotherHostIsRefusedInOneLine)
{
    HpccFabricHelper planes;
    planes.Install(HpccTopology::Planes(4, 2, 1, 0, FAST));
    const uint32_t pair = planes.Connect(0, 1, HpccFabricHelper::MakePolicy("none"));
    const auto move = [&](uint32_t address) {
        return RefusalOf([&] { planes.GetHost(0)->MoveQueuePair(pair, 5000, 1, address); });
    };
    for (const uint32_t port : {0, 1})
    {
        EXPECT_EQ(move(HpccFabricHelper::GetAddress(1, port)), "");
        Expect(move(HpccFabricHelper::GetAddress(2, port)), {"MoveQueuePair: queue pair 0", "11."});
    }
    Expect(move(HpccFabricHelper::GetAddress(1, 2)), {"not a port of host 11.0.0.2"});
}

TEST_F(FabricRefusals, AnArgumentThatNamesNothingIsRefusedInOneLine)
{
    HpccFabricHelper& fabric = Fabric();
    const auto none = HpccFabricHelper::MakePolicy("none");
    Expect(RefusalOf([&] { fabric.CheckFormat(none); }),
           {"CheckFormat: PolicySpec::format is not set", "MakePolicy()"});
    fabric.Connect(0, 1, none);
    for (const uint32_t host : {0, 1})
    {
        Expect(RefusalOf([&] { fabric.AddMessage(host, 9, 1000, Time(0)); }),
               {"AddMessage: host " + std::to_string(host) + " has no queue pair 9; it has 1"});
    }
    EXPECT_EQ(fabric.GetNodeOf(3), 2U);
    Expect(RefusalOf([&] { fabric.GetNodeOf(4); }),
           {"device 4 does not exist", "GetDevices(), which has 4"});
    Expect(RefusalOf([&] { fabric.GetPortOf(999); }), {"device 999 does not exist"});
    const HpccFabricHelper::PolicySpec empty;
    Expect(RefusalOf([&] { empty.Describe(); }),
           {"PolicySpec::Describe: PolicySpec::policy is not set", "MakePolicy()"});
    Expect(RefusalOf([&] { empty.NamePolicy(); }),
           {"PolicySpec::NamePolicy: PolicySpec::policy is not set", "MakePolicy()"});
}

TEST_F(FabricRefusals, AMessageWithoutPayloadTakesNoLongerThanOneOfOneByte)
{
    const int64_t none = Fabric().GetIdealFctNs(0, 1, 0);
    EXPECT_GT(none, 0);
    Expect(RefusalOf([&] { Fabric().GetIdealFctNs(0, 1, 1, static_cast<RdmaVerb>(77)); }),
           {"GetIdealFctNs: the verb is number 77", "RdmaVerb"});
    EXPECT_LE(none, Fabric().GetIdealFctNs(0, 1, 1));
    EXPECT_LE(Fabric().GetIdealDeliveryNs(0, 1, 0), Fabric().GetIdealDeliveryNs(0, 1, 1));
}

TEST_F(FabricRefusals, ATimeThatHasPassedIsRefusedInOneLine)
{
    HpccFabricHelper& fabric = Fabric();
    for (const int64_t ns : {-1, 0})
    {
        Expect(RefusalOf([&] { fabric.EndAt(NanoSeconds(ns)); }),
               {"EndAt: " + std::to_string(ns) + " ns; allowed is later than 0 ns"});
    }
    Expect(RefusalOf([&] { fabric.GetDevice(2, 1)->ScheduleLink(-1, false); }),
           {"ScheduleLink: node 2, port 1: -1 ns; allowed is 0 ns, which is now, or later"});
    std::string end;
    std::string link;
    Simulator::Schedule(MicroSeconds(5), [&] {
        end = RefusalOf([&] { fabric.EndAt(MicroSeconds(5)); });
        link = RefusalOf([&] { fabric.GetDevice(0, 0)->ScheduleLink(4999, false); });
        EXPECT_EQ(RefusalOf([&] { fabric.GetDevice(0, 0)->ScheduleLink(5000, false); }), "");
        EXPECT_EQ(RefusalOf([&] { fabric.EndAt(MicroSeconds(6)); }), "");
    });
    Simulator::Run();
    Expect(end, {"EndAt: 5000 ns; allowed is later than 5000 ns"});
    Expect(link, {"ScheduleLink: node 0, port 0: 4999 ns; allowed is 5000 ns"});
    EXPECT_FALSE(fabric.GetDevice(0, 0)->IsLinkUp());
    const auto hub = fabric.GetSwitch(2);
    const auto route = [&hub](int64_t atNs, uint16_t port) {
        return RefusalOf([&] {
            hub->ScheduleRoutes(atNs, {{HpccFabricHelper::GetAddress(1), {1, port}}});
        });
    };
    Expect(route(5999, 1), {"QbbSwitch::ScheduleRoutes: node ", "5999 ns; allowed is 6000 ns"});
    Expect(route(6000, 2), {"QbbSwitch::ScheduleRoutes: node ", "port 2; the switch has 2 ports"});
    EXPECT_EQ(route(6000, 1), "");
    Expect(RefusalOf([&] { HpccMonitor(fabric, {}, 0).SetQueueResolutionNs(100); }),
           {"SetQueueResolutionNs: 100 ns is set at ", "before simulated time starts"});
}

TEST_F(FabricRefusals, ANetworkThatDestroyHasRemovedIsRefusedInOneLine)
{
    HpccFabricHelper& fabric = Fabric();
    const auto spec = HpccFabricHelper::MakePolicy("none");
    const uint32_t queuePair = fabric.Connect(0, 1, spec);
    fabric.AddMessage(0, queuePair, 1000, Time(0));
    Simulator::Run();
    Simulator::Destroy();
    EXPECT_EQ(fabric.GetHost(0)->GetQueuePair(queuePair).sndUnaByte, 1000U) << "may be read";
    const std::string why = "Simulator::Destroy() has removed the ";
    using Call = std::pair<std::string, std::function<void()>>;
    for (const auto& [function, call] :
         {Call("Connect", [&] { fabric.Connect(0, 1, spec); }),
          Call("AddMessage", [&] { fabric.AddMessage(0, queuePair, 1000, Seconds(1)); }),
          Call("AddSwitchAgent", [&] { fabric.AddSwitchAgent("rcp"); }),
          Call("AssignStreams", [&] { fabric.AssignStreams(1); }),
          Call("EndAt", [&] { fabric.EndAt(Seconds(1)); }),
          Call("EnablePcap", [&] { fabric.EnablePcap("none", fabric.GetDevices().front()); })})
    {
        Expect(RefusalOf(call), {"ns3::HpccFabricHelper::" + function + ": " + why + "network"});
    }
    RdmaQueuePairConfig config;
    config.policy = spec.policy.Create<RdmaCongestionOps>();
    const Ptr<RdmaHost> host = fabric.GetHost(0);
    Expect(RefusalOf([&] { host->Post(queuePair, RdmaVerb::WRITE, 1000); }),
           {"ns3::RdmaHost::Post: " + why + "host"});
    Expect(RefusalOf([&] { host->CheckMessage(queuePair, RdmaVerb::WRITE, 1000); }),
           {"ns3::RdmaHost::Post: " + why + "host"});
    Expect(RefusalOf([&] { host->Connect(fabric.GetHost(1), config); }),
           {"ns3::RdmaHost::Connect: " + why + "host"});
}

TEST_F(FabricRefusals, ANetworkThatInstallHasRefusedIsRefusedInOneLine)
{
    HpccFabricHelper fabric;
    fabric.SetScheduler("fifo");
    fabric.SetDeviceAttribute("Weights", StringValue("1:1,3:2"));
    Expect(RefusalOf([&] { fabric.Install(HpccTopology::Star(2, FAST)); }),
           {"ns3::QbbNetDevice::Weights \"1:1,3:2\" has no effect"});
    const auto spec = HpccFabricHelper::MakePolicy("none");
    using Call = std::pair<std::string, std::function<void()>>;
    for (const auto& [function, call] :
         {Call("Connect", [&] { fabric.Connect(0, 1, spec); }),
          Call("AddMessage", [&] { fabric.AddMessage(0, 0, 1000, Seconds(1)); }),
          Call("AssignStreams", [&] { fabric.AssignStreams(1); }),
          Call("GetHost", [&] { fabric.GetHost(0); }),
          Call("GetSwitch", [&] { fabric.GetSwitch(2); }),
          Call("FindPauseCycle", [&] { fabric.FindPauseCycle(); }),
          Call("EndAt", [&] { fabric.EndAt(Seconds(1)); })})
    {
        Expect(RefusalOf(call),
               {"ns3::HpccFabricHelper::" + function + ": Install() has refused the network",
                "another HpccFabricHelper"});
    }
}

TEST_F(FabricRefusals, AValueOutsideItsRangeIsRefusedInOneLine)
{
    HpccFabricHelper fabric;
    Expect(RefusalOf([&] { fabric.SetHostAttribute("Nope", UintegerValue(1)); }),
           {"ns3::RdmaHost has no attribute \"Nope\"; choices: ", "Mtu"});
    Expect(RefusalOf(
               [&] { fabric.SetDeviceAttribute("Scheduler", StringValue("ns3::FifoScheduler")); }),
           {"each port needs a scheduler of its own; call SetScheduler() instead"});
    Expect(RefusalOf([&] { fabric.SetDeviceAttribute("Nope", UintegerValue(1)); }),
           {"ns3::QbbNetDevice has no attribute \"Nope\"; choices: ", "Mtu"});
    Expect(RefusalOf([&] { fabric.SetHostAttribute("Mtu", UintegerValue(20)); }),
           {"ns3::RdmaHost::Mtu: \"20\" is not allowed; a whole number from 64 to 9000"});
    Expect(RefusalOf([&] { fabric.SetHostAttribute("AckDelay", StringValue("5 apples")); }),
           {"ns3::RdmaHost::AckDelay: \"5 apples\" is not allowed; a time such as 4.16us"});
    Expect(RefusalOf([&] { HpccTcpHelper().SetNicAttribute("PauseAfter", StringValue("soon")); }),
           {"ns3::HpccTcpNic::PauseAfter: \"soon\" is not allowed; a whole number"});
    Expect(RefusalOf([&] { fabric.SetDeviceAttribute("DataRate", StringValue("10Gbps")); }),
           {"ns3::QbbNetDevice::DataRate", "HpccTopology::Link::rate"});
    Expect(RefusalOf([&] { fabric.SetConvergenceDelay(MicroSeconds(-30)); }),
           {"SetConvergenceDelay: -30000 ns; allowed is at least 0 ns"});
    const std::string huge = std::to_string(INT64_MAX) + " ns; allowed is at most 1000000000 s";
    Expect(RefusalOf([&] { fabric.SetConvergenceDelay(Time::Max()); }),
           {"SetConvergenceDelay: " + huge});
    Expect(RefusalOf([&] { fabric.ScheduleLinkDown(0, Time::Max()); }),
           {"ScheduleLinkDown: " + huge});
    Expect(RefusalOf([&] { fabric.ScheduleLinkUp(0, Time::Max()); }), {"ScheduleLinkUp: " + huge});
    Expect(RefusalOf([&] { fabric.SetHostAttribute("RetransmitTimeout", TimeValue(Time::Max())); }),
           {"ns3::RdmaHost::RetransmitTimeout: ", " is not allowed; a time"});
    for (const std::string name : {"RtoLow", "RtoHigh"})
    {
        EXPECT_FALSE(CreateObject<RdmaIrn>()->SetAttributeFailSafe(name, TimeValue(Time::Max())));
    }
    EXPECT_FALSE(CreateObject<RdmaSack>()->SetAttributeFailSafe("Rto", TimeValue(Time::Max())));
    Expect(RefusalOf([&] { fabric.SetMaxLag(MicroSeconds(-1)); }),
           {"SetMaxLag: -1000 ns; allowed is at least 0 ns"});
    for (const int64_t ns : {INT64_C(-5000), INT64_C(0), INT64_MAX})
    {
        Expect(RefusalOf([&] { Fabric().SetNetworkBaseRttNs(ns); }),
               {"SetNetworkBaseRttNs: " + std::to_string(ns) + " ns is outside 1 ns to"});
    }
    for (const int64_t ns : {-5, 0})
    {
        Expect(RefusalOf([&] { HpccWorkloadMonitor(Fabric(), ns, 1000); }),
               {"HpccWorkloadMonitor: " + std::to_string(ns) + " ns", "at least 1 ns"});
    }
    for (const int64_t ns : {-5, 0})
    {
        Expect(RefusalOf([&] { HpccMonitor(Fabric(), {}, 0).SetQueueResolutionNs(ns); }),
               {"SetQueueResolutionNs: " + std::to_string(ns) + " ns", "at least 1 ns"});
    }
    auto spec = HpccFabricHelper::MakePolicy("hpcc++");
    Expect(RefusalOf([&] { spec.policy.Set("Eta", DoubleValue(0.9), "Nope", DoubleValue(1)); }),
           {"has no attribute \"Nope\""});
    for (const int dscp : {100, 64, -2})
    {
        spec.dscp = static_cast<int8_t>(dscp);
        Expect(RefusalOf([&] { Fabric().Connect(0, 1, spec); }),
               {"flow 0 -> 1: PolicySpec::dscp " + std::to_string(dscp), "0 to 63"});
    }
    spec.dscp = -1;
    Expect(RefusalOf([&] { Fabric().Connect(0, 1, {}); }),
           {"flow 0 -> 1: PolicySpec::policy is not set", "MakePolicy()"});
    EXPECT_EQ(RefusalOf([&] { Fabric().SetNetworkBaseRttNs(9000); }), "") << "none is connected";
    const uint32_t queuePair = Fabric().Connect(0, 1, spec);
    Expect(RefusalOf([&] { Fabric().SetNetworkBaseRttNs(9000); }),
           {"SetNetworkBaseRttNs: host 0 has connected 1 queue pairs", "before Connect()"});
    for (const uint64_t bytes : {uint64_t{0}, RDMA_MAX_MESSAGE_BYTES + 1, UINT64_MAX})
    {
        const std::vector<std::string> said{"a message of " + std::to_string(bytes) + " bytes",
                                            "1 to 281474976710656"};
        Expect(RefusalOf([&] { Fabric().AddMessage(0, queuePair, bytes, Time(0)); }), said);
        Expect(RefusalOf([&] { Fabric().GetHost(0)->Post(queuePair, RdmaVerb::WRITE, bytes); }),
               said);
    }
}

TEST_F(FabricRefusals, AFlowThatSlowsDownWithoutAQueueIsRefusedWhateverTIs)
{
    for (const std::string policy : {"timely", "patched-timely", "timely+win", "swift"})
    {
        HpccFabricHelper shorter;
        shorter.Install(HpccTopology::Star(2, FAST));
        shorter.SetNetworkBaseRttNs(1000000);
        EXPECT_EQ(RefusalOf([&] { shorter.Connect(0, 1, HpccFabricHelper::MakePolicy(policy)); }),
                  "")
            << policy;
        HpccFabricHelper longer;
        longer.Install(HpccTopology::Star(2, {FAST.host, FAST.fabric, MicroSeconds(150)}));
        longer.SetNetworkBaseRttNs(1000);
        Expect(RefusalOf([&] { longer.Connect(0, 1, HpccFabricHelper::MakePolicy(policy)); }),
               {"policy " + policy, "ns3::Rdma", "allowed is at least", "host 0", "60"});
    }
}

/**
 * Connects two hosts by two queue pairs with the same telemetry format, and returns the refusal of
 * the second.
 * @param fabric the network
 * @param first specification of the first queue pair
 * @param second specification of the second queue pair, except that it uses the format of @p first
 * @return message with which the second queue pair is refused
 */
std::string
RefusalOfSecond(HpccFabricHelper& fabric,
                const HpccFabricHelper::PolicySpec& first,
                HpccFabricHelper::PolicySpec second)
{
    EXPECT_EQ(RefusalOf([&] { fabric.Connect(0, 1, first); }), "");
    second.format = first.format;
    return RefusalOf([&] { fabric.Connect(0, 1, second); });
}

TEST_F(FabricRefusals, AFormatThatPassedWithOneFeedbackIsCheckedWithAnother)
{
    HpccFabricHelper trimming;
    trimming.SetHostAttribute("Recovery", StringValue("sack"));
    trimming.SetDeviceAttribute("PfcEnabled", BooleanValue(false));
    trimming.SetTrimming("coin");
    trimming.Install(HpccTopology::Star(2, FAST));
    Expect(RefusalOfSecond(trimming,
                           HpccFabricHelper::MakePolicy("hpcc++"),
                           HpccFabricHelper::MakePolicy("hpcc++", "", "probe")),
           {"policy hpcc++ with --trimming coin and --feedback probe", "allowed are feedbacks"});
    Expect(RefusalOfSecond(Fabric(),
                           HpccFabricHelper::MakePolicy("hpcc++:sojourn"),
                           HpccFabricHelper::MakePolicy("hpcc++:sojourn", "", "roce-reference")),
           {"policy hpcc++:sojourn with --feedback roce-reference", "QueueSignal Sojourn"});
}

TEST_F(FabricRefusals, AFeedbackThatPassedWithOneDscpOfDataIsCheckedWithAnother)
{
    const auto probing = HpccFabricHelper::MakePolicy("hpcc++", "", "probe");
    auto other = probing;
    other.dscp = 48; // priority 6
    Expect(RefusalOfSecond(Fabric(), probing, other),
           {"--feedback probe: ns3::RdmaHost::ProbeDscp 25 has priority 3", "DSCP 48 has 6"});
}

TEST_F(FabricRefusals, QueuePairsOfOneHostShareAPolicyWhateverTheirFeedback)
{
    const auto first = HpccFabricHelper::MakePolicy("hpcc++");
    auto second = HpccFabricHelper::MakePolicy("hpcc++", "", "every-8");
    second.format = first.format;
    const auto policyOf = [this](uint32_t queuePair) {
        return Fabric().GetHost(0)->GetQueuePair(queuePair).ops;
    };
    const auto one = policyOf(Fabric().Connect(0, 1, first));
    EXPECT_EQ(policyOf(Fabric().Connect(0, 1, second)), one);
}

TEST_F(FabricRefusals, ATelemetryFormatServesOneNetworkAtATime)
{
    const auto spec = HpccFabricHelper::MakePolicy("hpcc++", "csig");
    {
        HpccFabricHelper first;
        first.Install(HpccTopology::Star(2, FAST));
        first.Connect(0, 1, spec);
        Expect(RefusalOf([&] { Fabric().Connect(0, 1, spec); }),
               {"telemetry format csig: this object already serves another network"});
    }
    EXPECT_EQ(RefusalOf([&] { Fabric().Connect(0, 1, spec); }), "");
}

TEST_F(FabricRefusals, ARefusedCallChangesNothing)
{
    HpccTopology topology = HpccTopology::Planes(2, 2, 1, 0, FAST);
    HpccFabricHelper fabric;
    fabric.SetPorts("turns");
    fabric.Install(topology);
    auto blind = HpccFabricHelper::MakePolicy("hpcc++");
    blind.format = nullptr;
    EXPECT_NE(RefusalOf([&] { fabric.Connect(0, 1, blind); }), "");
    const auto queuePair = fabric.Connect(0, 1, HpccFabricHelper::MakePolicy("none"));
    fabric.GetHost(0)->Post(queuePair, RdmaVerb::WRITE, 1000);
    EXPECT_EQ(fabric.GetHost(0)->GetQueuePair(queuePair).port, 0U) << "the first turn";
    while (topology.GetDegree(0) < HpccTopology::MAX_PORTS)
    {
        topology.AddLink({0, 2, FAST.host, FAST.delay});
    }
    const uint32_t before = topology.GetDegree(2);
    for (const auto& [a, b] : {std::pair(2U, 0U), std::pair(0U, 2U)})
    {
        Expect(RefusalOf([&, a = a, b = b] {
                   topology.AddLink({a, b, FAST.host, FAST.delay});
               }),
               {"host 0 has 64 links already"});
        EXPECT_EQ(topology.GetDegree(0), HpccTopology::MAX_PORTS);
        EXPECT_EQ(topology.GetDegree(2), before);
    }
}

} // namespace
