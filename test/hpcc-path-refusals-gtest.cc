/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-star-refusals.h"

#include "ns3/bulk-send-helper.h"
#include "ns3/config.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-internet-helper.h"
#include "ns3/hpcc-tcp-helper.h"
#include "ns3/hpcc-tcp-nic.h"
#include "ns3/hpcc-udp-helper.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/qbb-net-device.h"
#include "ns3/rdma-host.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// Tests that queue pairs and connections are refused if their paths have too many switches, ports
/// with too small an MTU, or ports that differ after a planned failure.
class PathRefusals : public StarRefusals
{
};

} // namespace

TEST_F(PathRefusals, APathWithMoreSwitchesThanAPacketHasRoomForRecordsIsRefusedInOneLine)
{
    // Switches 12 to 17 form a chain. Host 0 is connected to switch 12, and host 1 to switch 17.
    HpccFabricHelper fabric;
    fabric.Install(HpccTopology::ParkingLot(5, FAST));
    const auto connect = [&](const std::string& telemetry, uint32_t source, uint32_t destination) {
        const auto spec = HpccFabricHelper::MakePolicy("hpcc", telemetry);
        return RefusalOf([&] { fabric.Connect(source, destination, spec); });
    };
    for (const std::string format : {"sigcomm19", "sigcomm19:authors"})
    {
        Expect(connect(format, 0, 1),
               {"telemetry format " + format + " (ns3::Sigcomm19Format)",
                "has 6 switches and needs room for 6 records",
                "has room for 5; allowed are"});
        EXPECT_EQ(connect(format, 2, 3), "") << "a short path";
        EXPECT_EQ(connect(format, 0, 9), "") << "five switches";
    }
    for (const std::string format : {"int-md", "ifa", "ioam", "csig"})
    {
        EXPECT_EQ(connect(format, 0, 1), "") << format;
    }
    for (const auto& [format, attribute, value] : {std::tuple("int-md", "RemainingHops", 5),
                                                   {"ifa", "HopLimit", 5},
                                                   {"ifa", "MaxLength", 47}})
    {
        const auto spec = HpccFabricHelper::MakePolicy("hpcc", format);
        spec.format->SetAttribute(attribute, UintegerValue(value));
        Expect(RefusalOf([&] { fabric.Connect(0, 1, spec); }), {format, "has room for 5"});
    }
    HpccFabricHelper edged;
    edged.Install(HpccTopology::ParkingLot(5, FAST));
    const auto spec = HpccFabricHelper::MakePolicy("hpcc");
    edged.AddTelemetryBorder(17, 1);
    Expect(RefusalOf([&] { edged.Connect(0, 1, spec); }), {"room for 6 records"});
    edged.AddTelemetryBorder(16, 17);
    EXPECT_EQ(RefusalOf([&] { edged.Connect(0, 1, spec); }), "") << "five records become one";
}

TEST_F(PathRefusals, ASwitchPortWithoutRoomForAFullPacketAndItsRecordsIsRefusedInOneLine)
{
    // Hosts 0 and 1 are at switch 4, hosts 2 and 3 at switch 5. A full packet has 28 bytes of IP
    // and UDP headers, 32 bytes of RoCEv2 headers, and 4,096 bytes of payload. INT-MD adds 16
    // bytes, and 24 bytes per switch.
    const auto connect = [](uint32_t mtu, const std::string& telemetry, uint32_t destination) {
        HpccFabricHelper fabric;
        fabric.SetHostAttribute("Mtu", UintegerValue(4096));
        fabric.Install(HpccTopology::Dumbbell(2, 2, FAST));
        fabric.GetDeviceTo(5, 2)->SetAttribute("Mtu", UintegerValue(mtu));
        const auto spec = telemetry.empty() ? HpccFabricHelper::MakePolicy("none")
                                            : HpccFabricHelper::MakePolicy("hpcc", telemetry);
        const std::string there = RefusalOf([&] { fabric.Connect(0, destination, spec); });
        EXPECT_EQ(there, RefusalOf([&] { fabric.Connect(destination, 0, spec, 0, false, true); }))
            << "the data of a READ take the same way";
        return there;
    };
    Expect(connect(1500, "", 2),
           {"ns3::QbbNetDevice::Mtu of node 5, port ",
            "is 1500, but frames of ns3::RdmaHost::Mtu 4096 need 4156; allowed is that or more"});
    Expect(connect(4155, "", 2), {"need 4156"});
    EXPECT_EQ(connect(4156, "", 2), "");
    EXPECT_EQ(connect(1500, "int-md", 3), "") << "the port is on no path to that host";
    for (const std::string telemetry : {"int-md", "ifa"})
    {
        Expect(connect(4156, telemetry, 2),
               {"with telemetry " + telemetry + " of 2 switches need "});
    }
    Expect(connect(4219, "int-md", 2), {"need 4220"});
    EXPECT_EQ(connect(4220, "int-md", 2), "");
}

TEST_F(PathRefusals, APathWithTooManySwitchesAfterAPlannedFailureIsRefusedInOneLine)
{
    // Hosts 0 to 2 are at leaves 3 to 5. Without the links 3-6 and 4-7, the path from host 0 to
    // host 1 leads over both spines and the leaf of host 2.
    const auto topology = HpccTopology::LeafSpine(3, 2, 1, FAST);
    const auto connect = [&](Time second, uint32_t room, uint32_t source, uint32_t destination) {
        HpccFabricHelper fabric;
        fabric.SetConvergenceDelay(MicroSeconds(10));
        fabric.ScheduleLinkDown(topology.FindLinks(3, 6).front(), MicroSeconds(5));
        fabric.ScheduleLinkUp(topology.FindLinks(3, 6).front(), MicroSeconds(20));
        fabric.ScheduleLinkDown(topology.FindLinks(4, 7).front(), second);
        fabric.Install(topology);
        const auto spec = HpccFabricHelper::MakePolicy("hpcc", "ifa");
        spec.format->SetAttribute("HopLimit", UintegerValue(room));
        return RefusalOf([&] { fabric.Connect(source, destination, spec); });
    };
    Expect(connect(MicroSeconds(7), 4, 0, 1),
           {"telemetry format ifa (ns3::IfaFormat): from 17000 ns on, when routes avoid the links "
            "that are down, the path from host 0 to host 1 has 5 switches and needs room for 5 "
            "records, but a packet has room for 4"});
    Expect(connect(MicroSeconds(7), 4, 1, 0), {"from host 1 to host 0 has 5 switches"});
    EXPECT_EQ(connect(MicroSeconds(7), 5, 0, 1), "") << "room for all";
    EXPECT_EQ(connect(MicroSeconds(7), 4, 0, 2), "") << "another path, of three switches";
    EXPECT_EQ(connect(MicroSeconds(30), 4, 0, 1), "") << "only one of the links is down at a time";
}

TEST_F(PathRefusals, AMoveToAPortOfAnotherRateOrBaseRttIsRefusedInOneLine)
{
    // Each host has a port to switch 2 and a port to switch 3.
    const DataRate fast("100Gbps");
    const auto connect = [&](const char* rate, Time delay, bool perPath, bool reads = false) {
        HpccTopology topology;
        for (uint32_t node = 0; node < 4; ++node)
        {
            topology.AddNode(node >= 2);
        }
        for (const uint32_t host : {0, 1})
        {
            topology.AddLink({host, 2, fast, MicroSeconds(1)});
        }
        for (const uint32_t host : {0, 1})
        {
            // With READs, only host 1 sends data to switch 3 at this rate.
            topology.AddLink({host, 3, reads && host == 0 ? fast : DataRate(rate), delay, 0, fast});
        }
        HpccFabricHelper fabric;
        fabric.SetPorts("0+move");
        fabric.ScheduleLinkDown(0, MicroSeconds(5));
        fabric.SetPerPathBaseRtt(perPath);
        fabric.Install(topology);
        const auto spec = HpccFabricHelper::MakePolicy("hpcc++");
        const std::string writes = RefusalOf([&] { fabric.Connect(0, 1, spec); });
        EXPECT_TRUE(!reads || writes.empty()) << writes;
        return reads ? RefusalOf([&] { fabric.Connect(0, 1, spec, 0, false, true); }) : writes;
    };
    EXPECT_EQ(connect("100Gbps", MicroSeconds(1), true), "");
    EXPECT_EQ(connect("100Gbps", MicroSeconds(9), false), "") << "the T of the network fits both";
    Expect(connect("100Gbps", MicroSeconds(9), true),
           {"--ports 0+move: after a failure flow 0 -> 1 would move from port 0 with 100.000 Gb/s "
            "and a base RTT of 4",
            "to port 1 with 100.000 Gb/s and a base RTT of 36",
            "allowed are ports of the same rate and base RTT"});
    Expect(
        connect("25Gbps", MicroSeconds(1), false),
        {"flow 0 -> 1", "to port 1 with 25.000 Gb/s", "allowed are ports of the same rate, since"});
    Expect(
        connect("25Gbps", MicroSeconds(1), false, true),
        {"flow 1 -> 0", "to port 1 with 25.000 Gb/s", "allowed are ports of the same rate, since"});
}

TEST_F(PathRefusals, AProgramMayNotMoveAQueuePairToAPortOfAnotherRate)
{
    HpccTopology topology;
    for (uint32_t node = 0; node < 3; ++node)
    {
        topology.AddNode(node == 2);
    }
    topology.AddLink({0, 2, DataRate("100Gbps"), MicroSeconds(1)});
    topology.AddLink({0, 2, DataRate("25Gbps"), MicroSeconds(1)});
    topology.AddLink({1, 2, DataRate("100Gbps"), MicroSeconds(1)});
    HpccFabricHelper fabric;
    fabric.SetPorts("0");
    fabric.Install(topology);
    const uint32_t queuePair =
        fabric.Connect(0, 1, HpccFabricHelper::MakePolicy("none"), 0, false, false);
    Expect(RefusalOf([&] {
               fabric.GetHost(0)->MoveQueuePair(queuePair,
                                                1000,
                                                1,
                                                HpccFabricHelper::GetAddress(1, 0));
           }),
           {"MoveQueuePair: queue pair",
            "from port 0 with 100000000000 bit/s to port 1 with 25000000000 bit/s",
            "ports of the same rate"});
}

TEST_F(PathRefusals, AMoveToAPortWithTooManySwitchesIsRefusedInOneLine)
{
    // Each of the two hosts has a port to switch 2. The path between their other ports has three
    // switches.
    HpccTopology topology;
    for (uint32_t node = 0; node < 6; ++node)
    {
        topology.AddNode(node >= 2);
    }
    for (const auto& [a, b] : {std::pair(0U, 2U), {1U, 2U}, {0U, 3U}, {3U, 4U}, {4U, 5U}, {5U, 1U}})
    {
        topology.AddLink({a, b, DataRate("100Gbps"), MicroSeconds(1)});
    }
    for (const std::string ports : {"hash", "hash+move"})
    {
        HpccFabricHelper fabric;
        fabric.SetPorts(ports);
        fabric.ScheduleLinkDown(0, MicroSeconds(5));
        fabric.Install(topology);
        const auto spec = HpccFabricHelper::MakePolicy("hpcc", "ifa");
        spec.format->SetAttribute("HopLimit", UintegerValue(2));
        const std::string said = RefusalOf([&] { fabric.Connect(0, 1, spec); });
        if (ports == "hash")
        {
            EXPECT_EQ(said, "") << "the queue pair stays at its port";
            continue;
        }
        Expect(said, {"from 105000 ns on", "has 3 switches", "has room for 2"});
    }
}

TEST_F(PathRefusals, ATcpOrUdpFlowOverAPathWithTooManySwitchesIsRefusedInOneLine)
{
    // Eleven switches form a row between hosts 0 and 1, but IFA can carry only ten records.
    const std::vector<std::string> expected{"telemetry format ifa (ns3::IfaFormat): the path from "
                                            "host 0 to host 1 has 11 switches and needs room for "
                                            "11 records, but a packet has room for 10"};
    const auto remote = [](uint32_t host) {
        return InetSocketAddress(HpccInternetHelper::GetIpv4Address(host), 9);
    };
    const auto topology = HpccTopology::ParkingLot(10, FAST);
    for (const bool udp : {true, false})
    {
        HpccFabricHelper fabric;
        fabric.Install(topology);
        Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpHpccPlusPlus"));
        HpccInternetHelper internet;
        internet.Install(fabric);
        const auto node = fabric.GetNodes().Get(0);
        HpccUdpHelper udpHelper;
        if (udp)
        {
            udpHelper.SetTelemetry("ifa");
            udpHelper.Install(fabric);
            Expect(RefusalOf([&] { udpHelper.Add(node, remote(1), 10000, Time(0)); }), expected);
            Expect(RefusalOf([&] {
                       udpHelper.Add(node,
                                     Inet6SocketAddress(HpccInternetHelper::GetIpv6Address(1), 9),
                                     10000,
                                     Time(0));
                   }),
                   expected);
            EXPECT_EQ(RefusalOf([&] { udpHelper.Add(node, remote(2), 10000, Time(0)); }), "")
                << "a short path";
            Simulator::Destroy();
            continue;
        }
        HpccTcpHelper tcp;
        tcp.SetTelemetry("ifa");
        tcp.Install(fabric);
        const auto nic = node->GetObject<HpccTcpNic>();
        Expect(RefusalOf([&] { nic->CheckPeer(remote(1)); }), expected);
        EXPECT_EQ(RefusalOf([&] { nic->CheckPeer(remote(2)); }), "") << "a short path";
        // A program that does not call CheckPeer() gets the same error when its flow sends its
        // first data.
        PacketSinkHelper("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 9))
            .Install(fabric.GetNodes().Get(1));
        BulkSendHelper("ns3::TcpSocketFactory", remote(1)).Install(node).Start(Time(0));
        Simulator::Stop(MilliSeconds(1));
        Expect(RefusalOf([] { Simulator::Run(); }), expected);
        Simulator::Destroy();
    }
    Config::Reset();
}

TEST_F(PathRefusals, FlowsWhosePacketsLeaveWithATtlFromWhichPositionsAreWrongAreRefused)
{
    const std::vector<std::string> expected{
        "with ns3::CsigFormat::Locator Position",
        "from InitialTtl, 64, but packets leave with TTL 40; allowed is the same value"};
    Config::SetDefault("ns3::CsigFormat::Locator", StringValue("Position"));
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpHpccPlusPlus"));
    const auto topology = HpccTopology::Star(3, FAST);
    {
        HpccFabricHelper fabric;
        fabric.Install(topology);
        const auto spec = HpccFabricHelper::MakePolicy("hpcc++", "csig");
        fabric.GetHost(1)->SetAttribute("Ttl", UintegerValue(40));
        EXPECT_EQ(RefusalOf([&] { fabric.Connect(0, 1, spec); }), "") << "the receiver's TTL";
        Expect(RefusalOf([&] { fabric.Connect(1, 2, spec); }), expected);
        Expect(RefusalOf([&] { fabric.Connect(1, 2, spec); }), {"ns3::RdmaHost::Ttl of 11.0.0.2"});
    }
    Simulator::Destroy();
    for (const bool udp : {true, false})
    {
        HpccFabricHelper fabric;
        fabric.Install(topology);
        HpccInternetHelper internet;
        internet.Install(fabric);
        const auto node = fabric.GetNodes().Get(0);
        const InetSocketAddress remote(HpccInternetHelper::GetIpv4Address(1), 9);
        const auto send = [&node](const std::string& protocol) {
            node->GetObject<Object>(TypeId::LookupByName("ns3::" + protocol + "L3Protocol"))
                ->SetAttribute("DefaultTtl", UintegerValue(40));
        };
        if (udp)
        {
            HpccUdpHelper helper;
            helper.SetTelemetry("csig");
            helper.Install(fabric);
            send("Ipv6");
            EXPECT_EQ(RefusalOf([&] { helper.Add(node, remote, 10000, Time(0)); }), "");
            send("Ipv4");
            Expect(RefusalOf([&] { helper.Add(node, remote, 10000, Time(0)); }), expected);
        }
        else
        {
            HpccTcpHelper tcp;
            tcp.SetTelemetry("csig");
            tcp.Install(fabric);
            send("Ipv4");
            PacketSinkHelper("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 9))
                .Install(fabric.GetNodes().Get(1));
            BulkSendHelper("ns3::TcpSocketFactory", remote).Install(node).Start(Time(0));
            Simulator::Stop(MilliSeconds(1));
            Expect(RefusalOf([] { Simulator::Run(); }), expected);
        }
        Simulator::Destroy();
    }
    Config::Reset();
}
