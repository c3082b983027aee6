/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The code snippets of the book, as runnable programs.

#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-internet-helper.h"
#include "ns3/hpcc-iwarp-helper.h"
#include "ns3/hpcc-tcp-helper.h"
#include "ns3/hpcc-udp-helper.h"
#include "ns3/inet-socket-address.h"
#include "ns3/on-off-helper.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/rdma-host.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/udp-client-server-helper.h"
#include "ns3/udp-server.h"
#include "ns3/uinteger.h"

#include <iostream>

using namespace ns3;

uint64_t g_finished = 0;

void
Finished(const RdmaMessageRecord& message)
{
    g_finished += message.bytes;
}

void
Rdma()
{
    // begin rdma
    HpccFabricHelper fabric;
    fabric.SetHostAttribute("Mtu", UintegerValue(4096));
    fabric.SetBufferAttribute("Alpha", DoubleValue(0.5));
    fabric.Install(
        HpccTopology::LeafSpine(4,
                                2,
                                8,
                                {DataRate("100Gbps"), DataRate("400Gbps"), MicroSeconds(1)}));
    fabric.AssignStreams(1);

    auto spec = HpccFabricHelper::MakePolicy("hpcc++", "int-md");
    spec.policy.Set("MaxStage", UintegerValue(0));
    uint32_t queuePair = fabric.Connect(0, 31, spec);
    fabric.AddMessage(0, queuePair, 1000000, MicroSeconds(10));
    fabric.GetHost(0)->TraceConnectWithoutContext("MessageAcknowledged", MakeCallback(&Finished));
    fabric.EnablePcap("host-0", fabric.GetDevices().front());

    Simulator::Stop(MilliSeconds(1));
    Simulator::Run();
    Simulator::Destroy();
    // end rdma
    std::cout << "RDMA: " << g_finished << " bytes\n";
}

void
OnOff()
{
    // begin on-off
    HpccFabricHelper fabric;
    fabric.Install(HpccTopology::FatTree(4, {}));
    HpccInternetHelper internet;
    internet.Install(fabric);
    OnOffHelper onOff("ns3::UdpSocketFactory",
                      InetSocketAddress(HpccInternetHelper::GetIpv4Address(5), 9));
    // end on-off
    onOff.SetConstantRate(DataRate("1Gbps"), 1000);
    auto source = onOff.Install(fabric.GetNodes().Get(0));
    source.Stop(MilliSeconds(1));
    UdpServerHelper server(9);
    server.Install(fabric.GetNodes().Get(5));
    Simulator::Stop(MilliSeconds(2));
    Simulator::Run();
    std::cout << "OnOff: " << server.GetServer()->GetReceived() << " packets\n";
    Simulator::Destroy();
}

void
Tcp(bool compact)
{
    HpccFabricHelper fabric;
    fabric.Install(HpccTopology::Star(2, {}));
    HpccInternetHelper internet;
    if (compact)
    {
        // begin compact
        Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpHpccPlusPlus"));
        internet.Install(fabric);
        HpccTcpHelper tcp;
        tcp.SetNicAttribute("Feedback", StringValue("Compact"));
        tcp.Install(fabric);
        // end compact
    }
    else
    {
        // begin tcp
        Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpHpccPlusPlus"));
        internet.Install(fabric);
        HpccTcpHelper().Install(fabric);
        // end tcp
    }
    // begin iwarp
    const InetSocketAddress address(HpccInternetHelper::GetIpv4Address(1), 5000);
    HpccIwarpHelper iwarp;
    iwarp.SetWriterAttribute("WriteSize", UintegerValue(65536));
    auto target = iwarp.AddTarget(fabric.GetNodes().Get(1), address, 1000000);
    iwarp.AddWriter(fabric.GetNodes().Get(0), address, 1000000, MicroSeconds(10));
    // end iwarp
    Simulator::Stop(MilliSeconds(10));
    Simulator::Run();
    std::cout << "iWARP over TCP" << (compact ? ", compact: " : ": ")
              << HpccIwarpHelper::Observe(target).placedBytes << " bytes\n";
    Simulator::Destroy();
}

void
Udp()
{
    HpccFabricHelper fabric;
    fabric.Install(HpccTopology::Star(2, {}));
    const Ipv4Address address = HpccInternetHelper::GetIpv4Address(1);
    // begin udp
    HpccInternetHelper internet;
    internet.Install(fabric);
    HpccUdpHelper udp;
    udp.Install(fabric); // NICs
    udp.Add(fabric.GetNodes().Get(0), InetSocketAddress(address, 9), 1000000, MicroSeconds(10));
    UdpServerHelper server(9); // or a PacketSink
    server.Install(fabric.GetNodes().Get(1));
    // end udp
    Simulator::Stop(MilliSeconds(10));
    Simulator::Run();
    std::cout << "UDP: " << server.GetServer()->GetReceived() << " packets\n";
    Simulator::Destroy();
}

int
main()
{
    Rdma();
    OnOff();
    Tcp(false);
    Tcp(true);
    Udp();
}
