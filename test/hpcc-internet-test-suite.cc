/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/bulk-send-helper.h"
#include "ns3/config.h"
#include "ns3/flow-monitor-helper.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-internet-helper.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/qbb-egress.h"
#include "ns3/qbb-ip-port.h"
#include "ns3/qbb-switch.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/udp-client-server-helper.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <vector>

using namespace ns3;

namespace
{

const HpccTopology::LinkSpeeds SPEEDS{DataRate("10Gbps"),
                                      DataRate("10Gbps"),
                                      MicroSeconds(1),
                                      {},
                                      {}};

/// Base class with a fabric whose hosts have ns-3's IP stack.
class StackTestCase : public TestCase
{
  public:
    explicit StackTestCase(const std::string& name)
        : TestCase(name)
    {
    }

  protected:
    /// @param topology the network
    void Make(const HpccTopology& topology)
    {
        m_fabric.Install(topology);
        m_internet.Install(m_fabric);
        for (const auto& device : m_fabric.GetDevices())
        {
            device->TraceConnectWithoutContext("Drop", MakeCallback(&StackTestCase::Dropped, this));
        }
    }

    /**
     * Returns the socket address of a host.
     * @param host number of the host
     * @param port TCP or UDP port
     * @param ipv6 true for IPv6, false for IPv4
     */
    static Address AddressAt(uint32_t host, uint16_t port, bool ipv6)
    {
        return ipv6 ? Address(Inet6SocketAddress(HpccInternetHelper::GetIpv6Address(host), port))
                    : Address(InetSocketAddress(HpccInternetHelper::GetIpv4Address(host), port));
    }

    /**
     * Installs a bulk transfer over TCP.
     * @param from host that sends
     * @param to host that receives
     * @param bytes size of the payload, bytes
     * @param port TCP port
     * @param ipv6 true for IPv6, false for IPv4
     * @return the receiver
     */
    Ptr<PacketSink> AddBulk(uint32_t from, uint32_t to, uint64_t bytes, uint16_t port, bool ipv6)
    {
        const auto& nodes = m_fabric.GetNodes();
        BulkSendHelper bulk("ns3::TcpSocketFactory", AddressAt(to, port, ipv6));
        bulk.SetAttribute("MaxBytes", UintegerValue(bytes));
        bulk.Install(nodes.Get(from)).Start(MicroSeconds(10));
        PacketSinkHelper sink("ns3::TcpSocketFactory",
                              ipv6 ? Address(Inet6SocketAddress(Ipv6Address::GetAny(), port))
                                   : Address(InetSocketAddress(Ipv4Address::GetAny(), port)));
        return DynamicCast<PacketSink>(sink.Install(nodes.Get(to)).Get(0));
    }

    void Dropped(Ptr<const Packet>, DropReason reason)
    {
        ++m_drops[reason];
    }

    void DoTeardown() override
    {
        Simulator::Destroy();
        Config::Reset();
    }

    HpccFabricHelper m_fabric;              ///< the network
    HpccInternetHelper m_internet;          ///< IP stacks of its hosts
    std::map<DropReason, uint64_t> m_drops; ///< number of drops by reason, sum over all devices
};

class MixTestCase : public StackTestCase
{
  public:
    explicit MixTestCase(bool ipv6)
        : StackTestCase(std::string("TCP and UDP in ") + (ipv6 ? "IPv6" : "IPv4") +
                        " cross a fat-tree by all its ways, next to RDMA"),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t hosts = 16;
        constexpr uint64_t bytes = 200000;
        Make(HpccTopology::FatTree(4, SPEEDS));
        std::vector<Ptr<PacketSink>> sinks;
        std::vector<Ptr<UdpServer>> servers;
        const auto spec = HpccFabricHelper::MakePolicy("hpcc++");
        uint64_t delivered = 0;
        for (uint32_t i = 0; i < hosts; ++i)
        {
            const uint32_t to = (i + 5) % hosts;
            sinks.push_back(AddBulk(i, to, bytes, 5000, m_ipv6));
            UdpServerHelper server(6000);
            servers.push_back(
                DynamicCast<UdpServer>(server.Install(m_fabric.GetNodes().Get(to)).Get(0)));
            UdpClientHelper client(AddressAt(to, 6000, m_ipv6));
            client.SetAttribute("MaxPackets", UintegerValue(20));
            client.SetAttribute("Interval", TimeValue(MicroSeconds(5)));
            client.Install(m_fabric.GetNodes().Get(i)).Start(MicroSeconds(10));
            m_fabric.AddMessage(i, m_fabric.Connect(i, to, spec), bytes, MicroSeconds(10));
            m_fabric.GetHost(to)->TraceConnectWithoutContext("MessageDelivered",
                                                             MakeBoundCallback(&Count, &delivered));
        }
        for (uint32_t node = hosts; node < m_fabric.GetNodes().GetN(); ++node)
        {
            for (auto* port : m_fabric.GetSwitch(node)->GetPorts())
            {
                port->TraceConnectWithoutContext("Transmit",
                                                 MakeBoundCallback(&Sent, &m_carriers, node));
            }
        }
        Simulator::Stop(Seconds(2));
        Simulator::Run();
        for (uint32_t i = 0; i < hosts; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(sinks[i]->GetTotalRx(), bytes, "TCP bytes from host " << i);
            NS_TEST_EXPECT_MSG_EQ(servers[i]->GetReceived(), 20, "UDP packets from host " << i);
        }
        NS_TEST_ASSERT_MSG_EQ(delivered, hosts, "RDMA messages");
        // The four core switches have the highest numbers.
        const uint32_t last = m_fabric.GetNodes().GetN() - 1;
        for (uint32_t core = last - 3; core <= last; ++core)
        {
            NS_TEST_EXPECT_MSG_GT(m_carriers[core], 0, "IP frames over core " << core);
        }
        for (const auto& [reason, count] : m_drops)
        {
            NS_TEST_EXPECT_MSG_EQ(count, 0, "drops: " << ToString(reason));
        }
    }

    static void Count(uint64_t* count, const RdmaMessageRecord&)
    {
        ++*count;
    }

    static void Sent(std::map<uint32_t, uint64_t>* carriers,
                     uint32_t node,
                     int64_t,
                     const Frame& frame)
    {
        (*carriers)[node] += frame.kind == Frame::Kind::IP;
    }

    bool m_ipv6;                             ///< true for IPv6
    std::map<uint32_t, uint64_t> m_carriers; ///< number of IP frames that each switch has sent
};

class RouterTestCase : public StackTestCase
{
  public:
    RouterTestCase()
        : StackTestCase("PopulateRoutingTables() and FlowMonitor work on all nodes of a fabric")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t bytes = 300000;
        Make(HpccTopology::LeafSpine(2, 2, 2, SPEEDS));
        auto near = AddBulk(0, 1, bytes, 5000, false);
        auto far = AddBulk(0, 3, bytes, 5001, false);
        FlowMonitorHelper helper;
        auto monitor = helper.InstallAll();
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
        Simulator::Stop(Seconds(2));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(near->GetTotalRx(), bytes, "bytes to the same leaf");
        NS_TEST_ASSERT_MSG_EQ(far->GetTotalRx(), bytes, "bytes to the other leaf");
        monitor->CheckForLostPackets();
        NS_TEST_ASSERT_MSG_EQ(monitor->GetFlowStats().size(), 4, "flows, two with data");
        for (const auto& [flow, stats] : monitor->GetFlowStats())
        {
            NS_TEST_EXPECT_MSG_GT(stats.txPackets, 0, "packets sent in flow " << flow);
            NS_TEST_EXPECT_MSG_EQ(stats.rxPackets, stats.txPackets, "received in flow " << flow);
            NS_TEST_EXPECT_MSG_EQ(stats.lostPackets, 0, "lost in flow " << flow);
        }
    }
};

class BackpressureTestCase : public StackTestCase
{
  public:
    BackpressureTestCase()
        : StackTestCase("what TCP sends ahead of the link waits in the queue disc of its priority, "
                        "and a priority that is paused holds up no other")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t bytes = 1000000;
        Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(500));
        Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(2 * bytes));
        Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(2 * bytes));
        Make(HpccTopology::Star(2, SPEEDS));
        auto sink = AddBulk(0, 1, bytes, 5000, false);
        auto& port = m_fabric.GetHost(0)->GetPort();
        port.TraceConnectWithoutContext("QueueBytes",
                                        MakeCallback(&BackpressureTestCase::Queued, this));
        // DSCP 26 selects the lossless priority 3, which is paused until the end of the test.
        auto socket = Socket::CreateSocket(m_fabric.GetNodes().Get(0),
                                           TypeId::LookupByName("ns3::UdpSocketFactory"));
        socket->Connect(AddressAt(1, 7, false));
        socket->SetIpTos(26 << 2);
        Simulator::Schedule(MicroSeconds(5), [this, socket] {
            m_fabric.GetDevices()[1]->RequestPause(3);
            for (uint32_t i = 0; i < 100; ++i)
            {
                Simulator::Schedule(MicroSeconds(5),
                                    [socket] { socket->Send(Create<Packet>(1000)); });
            }
        });
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(sink->GetTotalRx(), bytes, "TCP bytes");
        const auto& queue = *m_internet.GetQueues()[0];
        constexpr uint64_t limit = 20000 + 1500;
        NS_TEST_EXPECT_MSG_LT(m_peak[0], limit, "most bytes in the port's queue of TCP");
        NS_TEST_EXPECT_MSG_GT(m_peak[0], 10000, "most bytes in the port's queue of TCP");
        NS_TEST_EXPECT_MSG_LT(m_peak[3], limit, "bytes in the paused queue");
        NS_TEST_EXPECT_MSG_GT(queue.peakBytes, 100000, "most bytes in the queue disc");
        // 20 packets of 1,028 bytes are at the port, and the queue disc has dequeued one more
        // packet.
        NS_TEST_EXPECT_MSG_EQ(queue.bytes, 79 * 1028, "bytes left");
        NS_TEST_EXPECT_MSG_EQ(queue.drops, 0, "drops");
        NS_TEST_EXPECT_MSG_EQ(port.GetEgress().GetStopped(), 1 << 3, "queues stopped");
        NS_TEST_EXPECT_MSG_EQ(m_drops.count(DropReason::QUEUE_LIMIT), 0, "drops at the port");
    }

    void Queued(uint8_t priority, uint64_t bytes, uint64_t, int64_t)
    {
        m_peak[priority] = std::max(m_peak[priority], bytes);
    }

    std::map<uint8_t, uint64_t> m_peak; ///< longest queue of each priority at the port, bytes
};

class RefusalTestCase : public StackTestCase
{
  public:
    RefusalTestCase()
        : StackTestCase("packets for several hosts, of other networks or too large are dropped "
                        "with the reason, and the configuration of ns-3's IPv6 stack is not")
    {
    }

  private:
    void DoRun() override
    {
        Make(HpccTopology::Star(2, SPEEDS));
        auto& port = m_fabric.GetHost(0)->GetPort();
        for (const char* to : {"224.0.0.9", "255.255.255.255", "239.1.2.3"})
        {
            SendIpv4(port, to, 100);
        }
        NS_TEST_EXPECT_MSG_EQ(port.GetDrops(DropReason::MULTICAST), 3, "for several, IPv4");
        SendIpv6(port, "fd68:7063:6300::b00:1", "ff02::1");
        NS_TEST_EXPECT_MSG_EQ(port.GetDrops(DropReason::MULTICAST), 4, "for several, IPv6");
        SendIpv6(port, "fd68:7063:6300::b00:1", "fd68:7063:6301::b00:2");
        SendIpv6(port, "fe80::1", "fd68:7063:6300::b00:2");
        NS_TEST_EXPECT_MSG_EQ(port.GetDrops(DropReason::FOREIGN_ADDRESS), 2, "other networks");
        SendIpv4(port, "11.0.0.2", port.GetMtu() - 19);
        NS_TEST_EXPECT_MSG_EQ(port.GetDrops(DropReason::FRAME_TOO_LARGE), 1, "too large");
        NS_TEST_EXPECT_MSG_EQ(port.Send(Create<Packet>(100), Address(), 0x0806), false, "ARP");
        NS_TEST_EXPECT_MSG_EQ(port.GetDrops(DropReason::MALFORMED), 1, "malformed");
        NS_TEST_EXPECT_MSG_EQ(port.GetDrops(), 8, "drops counted");
        uint64_t traced = 0;
        for (const auto& [reason, count] : m_drops)
        {
            traced += count;
        }
        NS_TEST_EXPECT_MSG_EQ(traced, 8, "drops traced");
        SendIpv4(port, "11.0.0.2", port.GetMtu() - 20);
        SendIpv6(port, "fd68:7063:6300::b00:1", "fd68:7063:6300::b00:2");
        NS_TEST_EXPECT_MSG_EQ(port.GetDrops(), 8, "drops");
        const char* own = "fe80::200:ff:fe00:1";
        NS_TEST_EXPECT_MSG_EQ(SendIcmpv6(port, own, "ff02::2", 133), true, "router solicitation");
        NS_TEST_EXPECT_MSG_EQ(SendIcmpv6(port, "::", "ff02::2", 133), true, "without an address");
        NS_TEST_EXPECT_MSG_EQ(SendIcmpv6(port, "::", "ff02::1:ff00:1", 135),
                              true,
                              "duplicate address detection");
        NS_TEST_EXPECT_MSG_EQ(port.GetDrops(), 8, "drops");
        for (const auto& [from, type] : {std::pair(own, 134), {own, 135}, {own, 128}, {"::", 128}})
        {
            NS_TEST_EXPECT_MSG_EQ(SendIcmpv6(port, from, "ff02::1", static_cast<uint8_t>(type)),
                                  false,
                                  "a router's advertisement, a search for an address, echoes");
        }
        NS_TEST_EXPECT_MSG_EQ(port.GetDrops(DropReason::MULTICAST), 8, "for several, IPv6");
    }

    static void SendIpv4(QbbNetDevice& port, const char* to, uint32_t bytes)
    {
        auto packet = Create<Packet>(bytes);
        Ipv4Header ip;
        ip.SetSource("11.0.0.1");
        ip.SetDestination(to);
        ip.SetPayloadSize(bytes);
        packet->AddHeader(ip);
        port.Send(packet, Address(), 0x0800);
    }

    static void SendIpv6(QbbNetDevice& port, const char* from, const char* to)
    {
        auto packet = Create<Packet>(100);
        Ipv6Header ip;
        ip.SetSource(from);
        ip.SetDestination(to);
        ip.SetPayloadLength(100);
        packet->AddHeader(ip);
        port.Send(packet, Address(), 0x86dd);
    }

    /**
     * Sends an ICMPv6 packet through a port. Returns false if the port drops it.
     * @param port port of a host
     * @param from source address of the packet
     * @param to destination address of the packet
     * @param type ICMPv6 type of the packet
     * @return false if the port drops the packet
     */
    static bool SendIcmpv6(QbbNetDevice& port, const char* from, const char* to, uint8_t type)
    {
        auto packet = Create<Packet>(&type, 1);
        packet->AddPaddingAtEnd(23);
        Ipv6Header ip;
        ip.SetSource(from);
        ip.SetDestination(to);
        ip.SetNextHeader(58);
        ip.SetPayloadLength(24);
        packet->AddHeader(ip);
        return port.Send(packet, Address(), 0x86dd);
    }
};

/// Tests packets of ns-3's IP stack. One of them is larger than the MTU of the last port.
class SwitchMtuTestCase : public StackTestCase
{
  public:
    SwitchMtuTestCase()
        : StackTestCase("a switch drops the packets of the stack that exceed the MTU of the port "
                        "that they leave by, with the reason, and no others")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t fitting = 1500 - 20 - 8; // IPv4 and UDP headers
        Make(HpccTopology::Star(2, SPEEDS));
        const auto& ports = m_fabric.GetSwitch(2)->GetPorts();
        ports[1]->SetMtu(1500);
        PacketSinkHelper sink("ns3::UdpSocketFactory", AddressAt(1, 7, false));
        auto received = DynamicCast<PacketSink>(sink.Install(m_fabric.GetNodes().Get(1)).Get(0));
        auto socket = Socket::CreateSocket(m_fabric.GetNodes().Get(0),
                                           TypeId::LookupByName("ns3::UdpSocketFactory"));
        socket->Connect(AddressAt(1, 7, false));
        for (const uint32_t bytes : {fitting + 1, fitting, 9000U})
        {
            Simulator::Schedule(MicroSeconds(5), [=] { socket->Send(Create<Packet>(bytes)); });
        }
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(received->GetTotalRx(), fitting, "payload that fits");
        NS_TEST_EXPECT_MSG_EQ(ports[0]->GetDrops(DropReason::FRAME_TOO_LARGE), 2, "counted");
        NS_TEST_EXPECT_MSG_EQ(m_drops[DropReason::FRAME_TOO_LARGE], 2, "traced");
    }
};

/// Tests ns-3's IP stack over the fabric.
class HpccInternetTestSuite : public TestSuite
{
  public:
    HpccInternetTestSuite()
        : TestSuite("hpcc-internet", Type::SYSTEM)
    {
        AddTestCase(new MixTestCase(false));
        AddTestCase(new MixTestCase(true));
        AddTestCase(new RouterTestCase);
        AddTestCase(new BackpressureTestCase);
        AddTestCase(new RefusalTestCase);
        AddTestCase(new SwitchMtuTestCase);
    }
};

HpccInternetTestSuite g_hpccInternetTestSuite; ///< the suite

} // namespace
