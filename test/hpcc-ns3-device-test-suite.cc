/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-network.h"

#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-frame-codec.h"
#include "ns3/hpcc-node-agenda.h"
#include "ns3/hpcc-port-agent.h"
#include "ns3/hpcc-roce-headers.h"
#include "ns3/icmpv4.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/pcap-file.h"
#include "ns3/socket.h"

#include <algorithm>
#include <map>
#include <string>

using namespace ns3;
using namespace hpcctest;

namespace
{

/**
 * Tests the packet traces of every device in a network of two switches with one RDMA message.
 */
class PacketTraceTestCase : public TestCase
{
  public:
    PacketTraceTestCase()
        : TestCase("packets of trace sources keep one uid along the path and show the bytes of "
                   "each hop: TTL, telemetry, and a right checksum")
    {
    }

  private:
    /// A packet as observed at a device.
    struct Sight
    {
        uint32_t node;              ///< number of the node
        uint64_t uid;               ///< id of the packet
        std::vector<uint8_t> bytes; ///< bytes of the packet
    };

    void DoRun() override
    {
        HpccFabricHelper fabric;
        fabric.Install(HpccTopology::Dumbbell(1, 1, {}));
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", "int-md");
        uint32_t qp = fabric.Connect(0, 1, spec);
        fabric.AddMessage(0, qp, 100, Seconds(0));
        for (const auto& device : fabric.GetDevices())
        {
            device->TraceConnectWithoutContext(
                "Dequeue",
                MakeBoundCallback(&PacketTraceTestCase::See, this, device->GetNode()->GetId()));
        }
        fabric.GetDevices()[2]->TraceConnectWithoutContext(
            "MacRx",
            MakeBoundCallback(&PacketTraceTestCase::See, this, uint32_t{100}));
        uint32_t first = fabric.GetNodes().Get(0)->GetId();
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();

        std::map<uint64_t, std::vector<Sight>> byUid;
        for (const auto& sight : m_sights)
        {
            byUid[sight.uid].push_back(sight);
        }
        NS_TEST_ASSERT_MSG_EQ(byUid.size(), 2, "uids: the data packet and its ACK");
        FrameCodec codec;
        codec.AddFormat(PeekPointer(spec.format));
        for (const auto& [uid, sights] : byUid)
        {
            bool data = sights[0].node == first;
            std::vector<uint32_t> path =
                data ? std::vector<uint32_t>{first, first + 2, first + 3, 100}
                     : std::vector<uint32_t>{first + 1, first + 3, first + 2};
            NS_TEST_ASSERT_MSG_EQ(sights.size(), path.size(), "sights");
            for (size_t hop = 0; hop < sights.size(); ++hop)
            {
                NS_TEST_ASSERT_MSG_EQ(sights[hop].node, path[hop], "node");
                Frame frame;
                std::string why;
                bool good =
                    codec.Decode(sights[hop].bytes.data(), sights[hop].bytes.size(), frame, why);
                NS_TEST_ASSERT_MSG_EQ(good, true, "hop " << hop << ": " << why);
                size_t switches = std::min<size_t>(hop, 2);
                NS_TEST_ASSERT_MSG_EQ(+frame.ttl, 64 - switches, "TTL");
                NS_TEST_ASSERT_MSG_EQ((frame.opcode == (data ? ROCE_WRITE_ONLY : ROCE_ACK)),
                                      true,
                                      "opcode");
                size_t hops = data ? switches : 2;
                NS_TEST_ASSERT_MSG_EQ((frame.format != nullptr), true, "telemetry");
                NS_TEST_ASSERT_MSG_EQ(+frame.telemetry.hops, hops, "records");
                size_t grown = data ? hops * spec.format->GetHopBytes() : 0;
                NS_TEST_ASSERT_MSG_EQ(sights[hop].bytes.size(),
                                      sights[0].bytes.size() + grown,
                                      "size on the wire");
            }
        }
        Simulator::Destroy();
    }

    static void See(PacketTraceTestCase* test, uint32_t node, Ptr<const Packet> packet)
    {
        Sight sight{node, packet->GetUid(), std::vector<uint8_t>(packet->GetSize())};
        packet->CopyData(sight.bytes.data(), packet->GetSize());
        test->m_sights.push_back(sight);
    }

    std::vector<Sight> m_sights; ///< packets in order of time
};

/// Counts the frames that pass a switch with and without an ns-3 packet.
class PacketSpy : public PortAgent
{
  public:
    void OnDequeue(QbbNetDevice&, Frame& frame, int64_t) override
    {
        (frame.packet ? with : without)++;
    }

    uint32_t with{0};    ///< frames with a packet
    uint32_t without{0}; ///< frames without a packet
};

class NoPacketTestCase : public NetworkTestCase
{
  public:
    NoPacketTestCase()
        : NetworkTestCase("no packet is made of a frame while nobody looks, and of every frame "
                          "from where somebody looks")
    {
    }

  private:
    void DoRun() override
    {
        MakeStar(2, "8Gbps", NanoSeconds(100));
        PacketSpy spy;
        m_switch->AddAgent(&spy);
        m_hosts[0]->toPull[3] = 10;
        m_ports[0]->Kick(0);
        At(MicroSeconds(100), [this] {
            m_ports[0]->TraceConnectWithoutContext("Dequeue",
                                                   MakeCallback(&NoPacketTestCase::Look, this));
            m_hosts[0]->toPull[3] = 7;
            m_ports[0]->Kick(0);
        });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_looked, 7, "packets seen");
        NS_TEST_ASSERT_MSG_EQ(spy.without, 10, "frames without packet");
        NS_TEST_ASSERT_MSG_EQ(spy.with, 7, "frames with packet");
        NS_TEST_ASSERT_MSG_EQ(GetOutstandingFrames(), 0, "frames still held");
    }

    void Look(Ptr<const Packet>)
    {
        ++m_looked;
    }

    uint32_t m_looked{0}; ///< number of packets seen
};

/// Tests two hosts with ns-3's IP stack, joined directly or through a switch.
class IpTestCase : public NetworkTestCase
{
  public:
    explicit IpTestCase(bool throughSwitch)
        : NetworkTestCase(std::string("two hosts of ns-3's IP stack, ") +
                          (throughSwitch ? "with a switch between them" : "directly joined") +
                          ", exchange UDP and ICMP packets"),
          m_through(throughSwitch)
    {
    }

  private:
    void DoRun() override
    {
        NodeContainer nodes;
        nodes.Create(2);
        NetDeviceContainer devices;
        if (m_through)
        {
            auto hub = CreateObject<Node>();
            for (uint32_t i = 0; i < 2; ++i)
            {
                devices.Add(Join(nodes.Get(i), hub, "8Gbps", MicroSeconds(1))[0]);
            }
            m_switch = CreateObject<QbbSwitch>();
            m_switch->Install(hub);
            hub->AggregateObject(m_switch);
            for (uint16_t i = 0; i < 2; ++i)
            {
                m_switch->GetRoutes().SetRoute(AddressOf(i), {i});
            }
        }
        else
        {
            for (const auto& port : Join(nodes.Get(0), nodes.Get(1), "8Gbps", MicroSeconds(1)))
            {
                devices.Add(port);
            }
        }
        for (uint32_t i = 0; i < 2; ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(devices.Get(i)->IsPointToPoint(), true, "IsPointToPoint");
            NS_TEST_ASSERT_MSG_EQ(devices.Get(i)->NeedsArp(), false, "NeedsArp");
            NS_TEST_ASSERT_MSG_EQ(devices.Get(i)->IsLinkUp(), true, "IsLinkUp");
            devices.Get(i)->TraceConnectWithoutContext("PromiscSniffer",
                                                       MakeCallback(&IpTestCase::Sniff, this));
        }
        InternetStackHelper stack;
        stack.Install(nodes);
        Ipv4AddressHelper addresses("11.0.0.0", "255.255.255.0", "0.0.0.1");
        auto interfaces = addresses.Assign(devices);

        auto udp = TypeId::LookupByName("ns3::UdpSocketFactory");
        auto server = Socket::CreateSocket(nodes.Get(1), udp);
        server->Bind(InetSocketAddress(Ipv4Address::GetAny(), 7));
        server->SetIpRecvTos(true);
        server->SetRecvCallback(MakeCallback(&IpTestCase::Echo, this));
        auto client = Socket::CreateSocket(nodes.Get(0), udp);
        client->SetRecvCallback(MakeCallback(&IpTestCase::Collect, this));
        client->Connect(InetSocketAddress(interfaces.GetAddress(1), 7));
        client->SetIpTos(104);
        for (uint32_t i = 0; i < 10; ++i)
        {
            // The sizes range from one byte to several fragments.
            Simulator::Schedule(MicroSeconds(100 * i),
                                [client, i] { client->Send(Create<Packet>(1 + 2000 * i)); });
        }
        auto ping =
            Socket::CreateSocket(nodes.Get(0), TypeId::LookupByName("ns3::Ipv4RawSocketFactory"));
        ping->SetAttribute("Protocol", UintegerValue(1));
        ping->SetRecvCallback(MakeCallback(&IpTestCase::Pong, this));
        ping->Connect(InetSocketAddress(interfaces.GetAddress(1), 0));
        Simulator::Schedule(MilliSeconds(5), [ping] {
            auto packet = Create<Packet>(56);
            Icmpv4Echo echo;
            echo.SetData(packet);
            auto request = Create<Packet>();
            request->AddHeader(echo);
            Icmpv4Header icmp;
            icmp.SetType(Icmpv4Header::ICMPV4_ECHO);
            icmp.SetCode(0);
            request->AddHeader(icmp);
            ping->Send(request);
        });
        Simulator::Run();
        std::vector<uint32_t> sizes;
        for (uint32_t i = 0; i < 10; ++i)
        {
            sizes.push_back(1 + 2000 * i);
        }
        NS_TEST_ASSERT_MSG_EQ((m_echoed == sizes), true, "UDP payloads at the server");
        NS_TEST_ASSERT_MSG_EQ((m_collected == sizes), true, "UDP payloads back at the client");
        NS_TEST_ASSERT_MSG_EQ(m_pongs, 1, "ICMP echo replies");
        NS_TEST_ASSERT_MSG_EQ(m_tos, 104, "TOS of the server's packets");
        // The TTL is 64 initially; the switch decrements the TTL.
        NS_TEST_ASSERT_MSG_EQ(m_pongTtl, 64 - (m_through ? 1 : 0), "TTL at the end");
        NS_TEST_ASSERT_MSG_GT(m_sniffed, 40, "frames sniffed");
        NS_TEST_ASSERT_MSG_EQ(m_bad, 0, "frames whose bytes are not an Ethernet frame: " << m_why);
    }

    void Echo(Ptr<Socket> socket)
    {
        Address from;
        while (auto packet = socket->RecvFrom(from))
        {
            SocketIpTosTag tag;
            if (packet->RemovePacketTag(tag))
            {
                m_tos = tag.GetTos();
            }
            m_echoed.push_back(packet->GetSize());
            socket->SendTo(Create<Packet>(packet->GetSize()), 0, from);
        }
    }

    void Collect(Ptr<Socket> socket)
    {
        while (auto packet = socket->Recv())
        {
            m_collected.push_back(packet->GetSize());
        }
    }

    void Pong(Ptr<Socket> socket)
    {
        while (auto packet = socket->Recv())
        {
            Ipv4Header ip;
            packet->RemoveHeader(ip);
            Icmpv4Header icmp;
            packet->RemoveHeader(icmp);
            m_pongs += icmp.GetType() == Icmpv4Header::ICMPV4_ECHO_REPLY;
            m_pongTtl = ip.GetTtl();
        }
    }

    void Sniff(Ptr<const Packet> packet)
    {
        ++m_sniffed;
        std::vector<uint8_t> bytes(packet->GetSize());
        packet->CopyData(bytes.data(), bytes.size());
        Frame frame;
        if (!FrameCodec().Decode(bytes.data(), bytes.size(), frame, m_why))
        {
            ++m_bad;
        }
    }

    bool m_through;                    ///< true if a switch joins the hosts
    std::vector<uint32_t> m_echoed;    ///< payload sizes at the server
    std::vector<uint32_t> m_collected; ///< payload sizes at the client
    uint32_t m_pongs{0};               ///< ICMP echo replies
    uint32_t m_pongTtl{0};             ///< TTL of the last reply
    uint32_t m_tos{0};                 ///< TOS of a packet at the server
    uint32_t m_sniffed{0};             ///< frames that the sniffer traced
    uint32_t m_bad{0};                 ///< frames in m_sniffed with wrong bytes
    std::string m_why;                 ///< description of the first fault
};

class NotIpv4TestCase : public NetworkTestCase
{
  public:
    NotIpv4TestCase()
        : NetworkTestCase("a packet of ns-3's stack that is not IPv4 is dropped as malformed")
    {
    }

  private:
    void DoRun() override
    {
        MakeLink("8Gbps", NanoSeconds(100));
        m_ports[0]->TraceConnectWithoutContext("Drop",
                                               MakeCallback(&NotIpv4TestCase::Dropped, this));
        auto broadcast = Mac48Address::GetBroadcast();
        NS_TEST_ASSERT_MSG_EQ(m_ports[0]->Send(Create<Packet>(100), broadcast, 0x86dd),
                              false,
                              "IPv6");
        NS_TEST_ASSERT_MSG_EQ(m_ports[0]->GetDrops(DropReason::MALFORMED), 1, "counted");
        NS_TEST_ASSERT_MSG_EQ(m_sizes.size(), 1, "traced");
        NS_TEST_ASSERT_MSG_EQ(GetOutstandingFrames(), 0, "frames still held");
    }

    void Dropped(Ptr<const Packet> packet, DropReason)
    {
        m_sizes.push_back(packet->GetSize());
    }

    std::vector<uint32_t> m_sizes; ///< sizes of traced packets
};

class LagTestCase : public TestCase
{
  public:
    LagTestCase()
        : TestCase("nodes lag by less than their shortest link, and not at all where ns-3 looks at "
                   "its own clock")
    {
    }

  private:
    void DoRun() override
    {
        HpccFabricHelper fabric;
        HpccTopology topology;
        for (uint32_t node = 0; node < 5; ++node)
        {
            topology.AddNode(node == 4);
        }
        for (uint32_t host = 0; host < 4; ++host)
        {
            topology.AddLink({host, 4, DataRate("100Gbps"), NanoSeconds(500 + 100 * host), 0});
        }
        fabric.SetMaxLag(NanoSeconds(650));
        fabric.Install(topology);
        fabric.GetDevices()[0]->TraceConnectWithoutContext("MacRx",
                                                           MakeCallback(&LagTestCase::Received));
        fabric.GetDevices()[2]->SetAttribute("ReceiveErrorModel",
                                             PointerValue(CreateObject<RateErrorModel>()));
        InternetStackHelper().Install(fabric.GetNodes().Get(2));
        Simulator::Stop(NanoSeconds(1));
        Simulator::Run();
        const std::vector<int64_t> expected{0, 0, 0, 650, 499};
        for (uint32_t node = 0; node < 5; ++node)
        {
            NS_TEST_EXPECT_MSG_EQ(NodeAgenda::Of(fabric.GetNodes().Get(node))->GetLagNs(),
                                  expected[node],
                                  "lag of node " << node << ": traced, lossy, IP, plain, switch");
        }
        Simulator::Destroy();
    }

    static void Received(Ptr<const Packet>)
    {
    }
};

class PcapTestCase : public TestCase
{
  public:
    PcapTestCase()
        : TestCase("the pcap file of a host has link type Ethernet and every frame of its port, "
                   "PFC included, with the bytes that the codec reads back and the MAC address of "
                   "the sending port as source")
    {
    }

  private:
    /**
     * Runs the network while the host writes a capture.
     * @param file path of the capture, complete on return
     * @return number of frames that the host has sent
     */
    uint64_t Record(const std::string& file)
    {
        HpccFabricHelper fabric;
        fabric.SetBufferAttribute("Alpha", DoubleValue(1.0 / 1024));
        fabric.Install(HpccTopology::Star(4, {}));
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", "int-md");
        for (uint32_t host = 0; host < 3; ++host)
        {
            fabric.AddMessage(host, fabric.Connect(host, 3, spec), 100000, Seconds(0));
        }
        Ptr<QbbNetDevice> port = fabric.GetDevices()[0];
        m_own = port->GetMacAddress();
        m_peer = fabric.GetDevices()[1]->GetMacAddress();
        fabric.EnablePcap(file, port, true, true);
        port->TraceConnectWithoutContext("MacRx", MakeCallback(&PcapTestCase::Received, this));
        port->TraceConnectWithoutContext("PfcReceived", MakeCallback(&PcapTestCase::Paused, this));
        Simulator::Stop(MilliSeconds(10));
        Simulator::Run();
        uint64_t sent = port->GetTxFrames();
        Simulator::Destroy();
        return sent;
    }

    void DoRun() override
    {
        std::string file = CreateTempDirFilename("host.pcap");
        uint64_t sent = Record(file);
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", "int-md");
        PcapFile pcap;
        pcap.Open(file, std::ios::in);
        NS_TEST_ASSERT_MSG_EQ(pcap.Fail(), false, "cannot open " << file);
        NS_TEST_ASSERT_MSG_EQ(pcap.GetMagic(), 0xa1b23c4d, "magic of a file with ns");
        NS_TEST_ASSERT_MSG_EQ(pcap.GetDataLinkType(), 1, "Ethernet");
        FrameCodec codec;
        codec.AddFormat(PeekPointer(spec.format));
        uint64_t records = 0;
        uint64_t pfc = 0;
        for (;;)
        {
            std::vector<uint8_t> bytes(20000);
            uint32_t seconds;
            uint32_t microseconds;
            uint32_t included;
            uint32_t original;
            uint32_t read;
            pcap.Read(bytes.data(),
                      static_cast<uint32_t>(bytes.size()),
                      seconds,
                      microseconds,
                      included,
                      original,
                      read);
            if (pcap.Eof())
            {
                break;
            }
            ++records;
            NS_TEST_ASSERT_MSG_EQ(included, original, "whole frames");
            NS_TEST_ASSERT_MSG_EQ(read, original, "whole frames");
            Frame frame;
            std::string why;
            NS_TEST_ASSERT_MSG_EQ(codec.Decode(bytes.data(), read, frame, why),
                                  true,
                                  "record " << records << ": " << why);
            const bool isPfc = frame.kind == Frame::Kind::PFC;
            pfc += isPfc;
            const bool leaves = !isPfc && frame.source == HpccFabricHelper::GetAddress(0);
            Mac48Address destination;
            Mac48Address source;
            destination.CopyFrom(&bytes[0]);
            source.CopyFrom(&bytes[6]);
            NS_TEST_ASSERT_MSG_EQ(source, (leaves ? m_own : m_peer), "source of " << records);
            NS_TEST_ASSERT_MSG_EQ(destination,
                                  (isPfc    ? Mac48Address("01:80:c2:00:00:01")
                                   : leaves ? m_peer
                                            : m_own),
                                  "destination of " << records);
        }
        NS_TEST_ASSERT_MSG_GT(m_paused, 0, "the run has PFC");
        NS_TEST_ASSERT_MSG_EQ(pfc, m_paused, "PFC frames");
        NS_TEST_ASSERT_MSG_EQ(records, sent + m_received + m_paused, "records");
    }

    void Received(Ptr<const Packet>)
    {
        ++m_received;
    }

    void Paused(uint8_t, uint16_t)
    {
        ++m_paused;
    }

    Mac48Address m_own;     ///< MAC address of the host's port
    Mac48Address m_peer;    ///< MAC address of the switch's port
    uint64_t m_received{0}; ///< frames received, PFC excluded
    uint64_t m_paused{0};   ///< PFC frames received
};

/// Tests the port as an ns-3 device: packet traces, captures and IP.
class HpccNs3DeviceTestSuite : public TestSuite
{
  public:
    HpccNs3DeviceTestSuite()
        : TestSuite("hpcc-ns3-device", Type::UNIT)
    {
        AddTestCase(new PacketTraceTestCase);
        AddTestCase(new NoPacketTestCase);
        AddTestCase(new IpTestCase(false));
        AddTestCase(new IpTestCase(true));
        AddTestCase(new NotIpv4TestCase);
        AddTestCase(new LagTestCase);
        AddTestCase(new PcapTestCase);
    }
};

/// Registers the suite.
HpccNs3DeviceTestSuite g_hpccNs3DeviceTestSuite;

} // namespace
