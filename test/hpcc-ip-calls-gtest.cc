/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-refusal.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-internet-helper.h"
#include "ns3/hpcc-iwarp-helper.h"
#include "ns3/hpcc-roce-packet.h"
#include "ns3/hpcc-tcp-fields.h"
#include "ns3/hpcc-tcp-helper.h"
#include "ns3/hpcc-udp-application.h"
#include "ns3/hpcc-udp-helper.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv6-extension-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/packet.h"
#include "ns3/qbb-ip-port.h"
#include "ns3/rdma-host.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/string.h"
#include "ns3/tcp-header.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace hpcctest;

// Tests calls of the helpers for TCP, UDP and iWARP: in any order, at any time, and with any queue.

namespace
{

constexpr uint32_t HOSTS = 3;         ///< number of hosts of the star
constexpr uint32_t TARGET = 2;        ///< number of the host that receives
constexpr uint32_t SMALL_QUEUE = 500; ///< less than a full packet, bytes

class IpCalls : public testing::Test
{
  protected:
    void TearDown() override
    {
        Simulator::Destroy();
        Config::Reset();
    }

    /// Returns the address of the receiver.
    static InetSocketAddress To()
    {
        return {HpccInternetHelper::GetIpv4Address(TARGET), 9};
    }

    /// Installs a star whose hosts have IP stacks.
    void Make()
    {
        m_fabric.Install(HpccTopology::Star(HOSTS, {}));
        m_internet.Install(m_fabric);
    }

    /// Returns a host.
    /// @param host number of the host
    Ptr<Node> NodeOf(uint32_t host) const
    {
        return m_fabric.GetNodes().Get(host);
    }

    HpccFabricHelper m_fabric;     ///< the network
    HpccInternetHelper m_internet; ///< IP stacks of the network
};

void
Note(std::vector<int64_t>* times, Ptr<const Packet>)
{
    times->push_back(Simulator::Now().GetMicroSeconds());
}

void
AddBytes(uint64_t* bytes, const RdmaMessageRecord& message)
{
    *bytes += message.bytes;
}

void
CountDrop(uint64_t* drops, Ptr<const Packet>, DropReason)
{
    ++*drops;
}

/// Returns the payload size of a sender's datagrams, bytes.
/// @param sender the sender
uint64_t
PacketSizeOf(Ptr<Application> sender)
{
    UintegerValue size;
    sender->GetAttribute("PacketSize", size);
    return size.Get();
}

} // namespace

TEST_F(IpCalls, AnApplicationThatIsAddedDuringTheRunStartsAtItsTime)
{
    Make();
    HpccUdpHelper udp;
    udp.Install(m_fabric);
    HpccTcpHelper().Install(m_fabric);
    HpccIwarpHelper iwarp;
    const auto target = iwarp.AddTarget(NodeOf(TARGET), To(), 1000);
    std::vector<int64_t> sent;
    std::vector<std::string> refused;
    Simulator::Schedule(MilliSeconds(1), [&] {
        udp.Add(NodeOf(0), To(), 1000, MicroSeconds(1500))
            ->TraceConnectWithoutContext("Tx", MakeBoundCallback(&Note, &sent));
        udp.Add(NodeOf(0), To(), 1000, MilliSeconds(1))
            ->TraceConnectWithoutContext("Tx", MakeBoundCallback(&Note, &sent));
        iwarp.AddWriter(NodeOf(1), To(), 1000, MicroSeconds(1500));
        const Time past = MicroSeconds(999);
        refused.push_back(RefusalOf([&] { udp.Add(NodeOf(0), To(), 1000, past); }));
        refused.push_back(RefusalOf([&] { iwarp.AddWriter(NodeOf(1), To(), 1000, past); }));
    });
    bool early = true;
    Simulator::Schedule(MicroSeconds(1499),
                        [&] { early = HpccIwarpHelper::Observe(target).placedBytes > 0; });
    Simulator::Stop(MicroSeconds(1600));
    Simulator::Run();
    EXPECT_EQ(sent, (std::vector<int64_t>{1000, 1500}));
    EXPECT_FALSE(early);
    EXPECT_EQ(HpccIwarpHelper::Observe(target).placedBytes, 1000U);
    for (const auto& why : refused)
    {
        EXPECT_NE(why.find("the start is 999000 ns; allowed is at least 1000000 ns"),
                  std::string::npos)
            << why;
    }
    EXPECT_EQ(refused.size(), 2U);
}

TEST_F(IpCalls, SendersAreAddedAfterNicsOfAnyHelper)
{
    m_fabric.SetHostAttribute("Mtu", UintegerValue(4000));
    Make();
    HpccUdpHelper udp;
    HpccUdpHelper other;
    other.SetPacketSize(2000);
    const auto add = [&](HpccUdpHelper& helper) {
        return helper.Add(NodeOf(0), To(), 1000000, MicroSeconds(10));
    };
    const std::string why = RefusalOf([&] { add(udp); });
    EXPECT_NE(why.find("HpccUdpHelper::Add: node 0 has no HpccUdpNic"), std::string::npos) << why;
    udp.Install(m_fabric);
    EXPECT_EQ(PacketSizeOf(add(udp)), 4000U) << "RdmaHost::Mtu";
    EXPECT_EQ(PacketSizeOf(add(other)), 2000U) << "SetPacketSize()";
    HpccUdpHelper third;
    EXPECT_EQ(PacketSizeOf(add(third)), 4000U) << "RdmaHost::Mtu";
}

TEST_F(IpCalls, ADefaultOfHpccThatComesAfterTheStacksIsRefused)
{
    const std::string type = "ns3::TcpL4Protocol::SocketType";
    const StringValue hpcc("ns3::TcpHpccPlusPlus");
    for (const std::string order : {"before", "after", "after, and set in a host", "never"})
    {
        HpccFabricHelper fabric;
        fabric.Install(HpccTopology::Star(HOSTS, {}));
        if (order == "before")
        {
            Config::SetDefault(type, hpcc);
        }
        HpccInternetHelper internet;
        internet.Install(fabric);
        if (order.rfind("after", 0) == 0)
        {
            Config::SetDefault(type, hpcc);
        }
        if (order.find("host") != std::string::npos)
        {
            Config::Set("/NodeList/1/$ns3::TcpL4Protocol/SocketType", hpcc);
        }
        const std::string why = RefusalOf([&] { HpccTcpHelper().Install(fabric); });
        EXPECT_EQ(why.find(type + " is ns3::TcpHpccPlusPlus by default, but the hosts have "
                                  "ns3::TcpCubic") != std::string::npos,
                  order == "after")
            << order << ": " << why;
        EXPECT_EQ(why.empty(), order != "after") << order << ": " << why;
        Simulator::Destroy();
        Config::Reset();
    }
}

TEST_F(IpCalls, QueuesThatNeverHoldAFullPacketAreRefusedInOneLine)
{
    const std::vector<std::pair<std::string, std::string>> queues{
        {"QueueLimit", "node 0: ns3::QbbNetDevice::QueueLimit is 500, allowed is at least "},
        {"ReceiveBuffer", "node 0: ns3::QbbNetDevice::ReceiveBuffer is 500, allowed is at least "},
        {"QueueBytes", "ns3::StaticBuffer admits at most 500 bytes of priority 0 at a port"}};
    for (const auto& [queue, text] : queues)
    {
        HpccFabricHelper fabric;
        fabric.SetDeviceAttribute("PfcEnabled", StringValue("false"));
        if (queue == "QueueBytes")
        {
            fabric.SetBuffer("static");
            fabric.SetBufferAttribute(queue, UintegerValue(SMALL_QUEUE));
        }
        else
        {
            fabric.SetDeviceAttribute("ReceiveDrainRate", StringValue("50Gbps"));
            fabric.SetDeviceAttribute(queue, UintegerValue(SMALL_QUEUE));
            fabric.SetDeviceAttribute("ReceivePauseThreshold", UintegerValue(100));
            fabric.SetDeviceAttribute("ReceiveResumeThreshold", UintegerValue(50));
        }
        fabric.Install(HpccTopology::Star(HOSTS, {}));
        HpccInternetHelper internet;
        internet.Install(fabric);
        for (const std::string& why : {RefusalOf([&] { HpccTcpHelper().Install(fabric); }),
                                       RefusalOf([&] { HpccTcpHelper().Tune(fabric); }),
                                       RefusalOf([&] { HpccUdpHelper().Install(fabric); })})
        {
            EXPECT_NE(why.find(text), std::string::npos) << queue << ": " << why;
            EXPECT_EQ(why.find('\n'), std::string::npos);
        }
        Simulator::Destroy();
    }
}

TEST_F(IpCalls, AReceiveBufferThatWouldLoseDataOfALosslessPriorityIsRefused)
{
    // Data have DSCP 0, and the probes of HPCC++ have DSCP 24.
    for (const uint32_t bytes : {108000U, 2000000U})
    {
        HpccFabricHelper fabric;
        fabric.SetDeviceAttribute("DscpToPriority", StringValue("0:3,24:3,26:3"));
        fabric.SetDeviceAttribute("ReceiveDrainRate", StringValue("40Gbps"));
        fabric.SetDeviceAttribute("ReceiveBuffer", UintegerValue(bytes));
        fabric.SetDeviceAttribute("ReceivePauseThreshold", UintegerValue(100000));
        fabric.SetDeviceAttribute("ReceiveResumeThreshold", UintegerValue(50000));
        fabric.Install(HpccTopology::Star(HOSTS, {}));
        HpccInternetHelper internet;
        internet.Install(fabric);
        for (const std::string& why : {RefusalOf([&] { HpccTcpHelper().Tune(fabric); }),
                                       RefusalOf([&] { HpccTcpHelper().Install(fabric); }),
                                       RefusalOf([&] { HpccUdpHelper().Install(fabric); })})
        {
            EXPECT_EQ(why.find("bytes that arrive before a pause takes effect") !=
                          std::string::npos,
                      bytes == 108000)
                << bytes << ": " << why;
        }
        Simulator::Destroy();
    }
}

namespace
{

constexpr uint16_t MARKED_PORT = 5000; ///< UDP port that marks packets with telemetry
constexpr uint8_t MARKED_DSCP = 23;    ///< DSCP that marks packets with telemetry

/// A datagram from a socket that was not created by a helper of this module.
struct Datagram
{
    uint16_t port;  ///< destination port
    uint8_t dscp;   ///< DSCP
    uint32_t bytes; ///< payload
};

/// Sends a datagram.
/// @param node the sender
/// @param datagram the datagram
void
Send(Ptr<Node> node, const Datagram& datagram)
{
    const auto socket = Socket::CreateSocket(node, TypeId::LookupByName("ns3::UdpSocketFactory"));
    socket->Bind();
    socket->Connect(InetSocketAddress(HpccInternetHelper::GetIpv4Address(TARGET), datagram.port));
    socket->SetIpTos(datagram.dscp << 2);
    socket->Send(Create<Packet>(datagram.bytes));
}

/// Returns a policy whose packets are marked as carrying telemetry.
/// @param byPort true: MARKED_PORT; false: MARKED_DSCP
HpccFabricHelper::PolicySpec
MakeMarked(bool byPort)
{
    auto spec = HpccFabricHelper::MakePolicy("hpcc++", byPort ? "int-md" : "int-md:dscp");
    spec.format->SetAttribute("UdpPort", UintegerValue(MARKED_PORT));
    return spec;
}

/// Returns the error message with which MakeMarked() is refused for a queue pair; empty if it is
/// accepted.
/// @param byPort see MakeMarked()
/// @param node number of the sender
std::string
MarkRefusal(bool byPort, uint32_t node)
{
    return (byPort ? "UDP port 5000 marks packets of ns3::IntMdFormat, but is the destination port"
                   : "DSCP 23 marks packets of ns3::IntMdFormat, but is the DSCP") +
           (" of a packet of node " + std::to_string(node)) +
           " without telemetry; allowed is any other " + (byPort ? "port" : "DSCP");
}

} // namespace

TEST_F(IpCalls, ADatagramMayNotHaveTheMarkOfTelemetry)
{
    constexpr uint32_t WHOLE = 1000;
    constexpr uint32_t FRAGMENTED = 9000; // larger than the MTU, so the datagram is fragmented
    for (const bool byPort : {true, false})
    {
        for (const bool stacksFirst : {true, false})
        {
            for (const auto& datagram : std::vector<Datagram>{{MARKED_PORT, 0, WHOLE},
                                                              {MARKED_PORT, 0, FRAGMENTED},
                                                              {9, MARKED_DSCP, WHOLE},
                                                              {9, MARKED_DSCP, FRAGMENTED},
                                                              {9, 0, WHOLE},
                                                              {9, 0, FRAGMENTED}})
            {
                HpccFabricHelper fabric;
                fabric.Install(HpccTopology::Star(HOSTS, {}));
                HpccInternetHelper internet;
                if (stacksFirst)
                {
                    internet.Install(fabric);
                }
                fabric.CheckFormat(MakeMarked(byPort));
                if (!stacksFirst)
                {
                    internet.Install(fabric);
                }
                // Catch the exception inside the event, because an exception that leaves an event
                // would leak the event.
                std::string why;
                Simulator::Schedule(MicroSeconds(1), [&] {
                    why = RefusalOf([&] { Send(fabric.GetNodes().Get(1), datagram); });
                });
                Simulator::Run();
                const bool marked =
                    byPort ? datagram.port == MARKED_PORT : datagram.dscp == MARKED_DSCP;
                EXPECT_EQ(why, marked ? MarkRefusal(byPort, 1) : "")
                    << datagram.port << " " << +datagram.dscp << " " << datagram.bytes;
                Simulator::Destroy();
            }
        }
    }
}

TEST_F(IpCalls, ASenderWithTheMarkOfTelemetryIsRefusedWhenItIsAdded)
{
    Make();
    constexpr uint8_t OTHER_DSCP = 24; // DSCP with the same priority as MARKED_DSCP
    HpccUdpHelper udp;
    udp.SetNicAttribute("ProbeDscp", UintegerValue(25)); // the same priority
    udp.Install(m_fabric);
    m_fabric.CheckFormat(MakeMarked(true));
    m_fabric.CheckFormat(MakeMarked(false));
    const auto add = [&](uint16_t port, uint8_t dscp) {
        udp.SetAttribute("Tos", UintegerValue(dscp << 2));
        const InetSocketAddress to(HpccInternetHelper::GetIpv4Address(TARGET), port);
        udp.Add(NodeOf(0), to, 1000, MicroSeconds(1));
    };
    EXPECT_EQ(RefusalOf([&] { add(MARKED_PORT, OTHER_DSCP); }), MarkRefusal(true, 0));
    EXPECT_EQ(RefusalOf([&] { add(9, MARKED_DSCP); }), MarkRefusal(false, 0));
    EXPECT_EQ(RefusalOf([&] { add(9, OTHER_DSCP); }), "");
}

TEST_F(IpCalls, DataOfTcpMayHaveThePortOfTelemetryButNotItsDscp)
{
    HpccInternetHelper internet[2];
    const auto run = [&internet](bool byPort) {
        HpccFabricHelper fabric;
        fabric.Install(HpccTopology::Star(HOSTS, {}));
        internet[byPort].Install(fabric);
        fabric.CheckFormat(MakeMarked(byPort));
        const auto type = TypeId::LookupByName("ns3::TcpSocketFactory");
        const auto server = Socket::CreateSocket(fabric.GetNodes().Get(TARGET), type);
        server->Bind(InetSocketAddress(Ipv4Address::GetAny(), MARKED_PORT));
        server->Listen();
        const auto client = Socket::CreateSocket(fabric.GetNodes().Get(1), type);
        client->Bind();
        Simulator::Schedule(MicroSeconds(1), [client] {
            client->Connect(
                InetSocketAddress(HpccInternetHelper::GetIpv4Address(TARGET), MARKED_PORT));
        });
        Simulator::Schedule(MilliSeconds(1), [client] {
            client->SetIpTos(MARKED_DSCP << 2); // set it again, because Connect() has reset it
            client->Send(Create<Packet>(1000));
        });
        Simulator::Stop(MilliSeconds(2));
        return RefusalOf([] { Simulator::Run(); });
    };
    EXPECT_EQ(run(true), "");
    Simulator::Destroy();
    EXPECT_EQ(run(false), MarkRefusal(false, 1));
}

TEST_F(IpCalls, AShareNeedsAGuaranteeAgainstDataOfRdma)
{
    // TCP and its probes have priority 0. RDMA has priority 3, which is served first by strict
    // priority.
    m_fabric.SetTelemetryAgentAttribute("Bandwidth", StringValue("Share"));
    Make();
    HpccTcpHelper().Install(m_fabric);
    EXPECT_EQ(
        RefusalOf([&] { m_fabric.Connect(0, TARGET, HpccFabricHelper::MakePolicy("dcqcn")); }),
        "ns3::TelemetryAgent::Bandwidth Share: priority 0 has no guaranteed share, because data of "
        "priority 3 is sent first; allowed are Residual, and ns3::QbbNetDevice::Weights for both "
        "priorities");
}

namespace
{

/**
 * Opens a connection from host 1 to TARGET.
 * @param fabric the network
 * @param ipv6 true for IPv6
 * @return the client's socket; the connection is open from 1 ms on
 */
Ptr<Socket>
OpenConnection(HpccFabricHelper& fabric, bool ipv6 = false)
{
    constexpr uint16_t port = 7000;
    const auto type = TypeId::LookupByName("ns3::TcpSocketFactory");
    const auto server = Socket::CreateSocket(fabric.GetNodes().Get(TARGET), type);
    const auto client = Socket::CreateSocket(fabric.GetNodes().Get(1), type);
    Address to = InetSocketAddress(HpccInternetHelper::GetIpv4Address(TARGET), port);
    if (ipv6)
    {
        to = Inet6SocketAddress(HpccInternetHelper::GetIpv6Address(TARGET), port);
        server->Bind(Inet6SocketAddress(Ipv6Address::GetAny(), port));
        client->Bind6();
    }
    else
    {
        server->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
        client->Bind();
    }
    server->Listen();
    Simulator::Schedule(MicroSeconds(1), [client, to] { client->Connect(to); });
    return client;
}

} // namespace

TEST_F(IpCalls, DataInBandNeedsThePriorityWhoseShareWasChecked)
{
    // Data in band keeps its DSCP with CSIG. The share is checked for ProbeDscp, 21.
    for (const std::string bandwidth : {"LineRate", "Share"})
    {
        for (const uint8_t dscp : {0, 24})
        {
            HpccFabricHelper fabric;
            HpccInternetHelper internet;
            HpccTcpHelper tcp;
            Config::SetDefault("ns3::TcpL4Protocol::SocketType",
                               StringValue("ns3::TcpHpccPlusPlus"));
            fabric.SetTelemetryAgentAttribute("Bandwidth", StringValue(bandwidth));
            fabric.Install(HpccTopology::Star(HOSTS, {}));
            internet.Install(fabric);
            tcp.SetTelemetry("csig");
            tcp.SetNicAttribute("Feedback", StringValue("InBand"));
            tcp.Install(fabric);
            const auto client = OpenConnection(fabric);
            std::string why;
            Simulator::Schedule(MilliSeconds(1), [&why, client, dscp] {
                client->SetIpTos(dscp << 2);
                why = RefusalOf([client] { client->Send(Create<Packet>(1000)); });
            });
            Simulator::Stop(MilliSeconds(2));
            why += RefusalOf([] { Simulator::Run(); });
            EXPECT_EQ(why,
                      bandwidth == "Share" && dscp == 24
                          ? "ns3::HpccTcpNic::ProbeDscp 21 has priority 0, but data with DSCP 24 "
                            "has 3; ns3::QbbNetDevice::DscpToPriority must give both the same"
                          : "")
                << bandwidth << " " << +dscp;
            Simulator::Destroy();
            Config::Reset();
        }
    }
}

TEST_F(IpCalls, AConnectionOfHpccWhoseSegmentsIpFragmentsIsRefused)
{
    for (const std::string type : {"ns3::TcpHpccPlusPlus", "ns3::TcpNewReno"})
    {
        for (const bool ipv6 : {false, true})
        {
            for (const uint32_t segment : {8000U, 12000U})
            {
                HpccFabricHelper fabric;
                HpccInternetHelper internet;
                HpccTcpHelper tcp;
                Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue(type));
                fabric.Install(HpccTopology::Star(HOSTS, {}));
                internet.Install(fabric);
                tcp.Install(fabric);
                const auto client = OpenConnection(fabric, ipv6);
                client->SetAttribute("SegmentSize", UintegerValue(segment));
                Simulator::Schedule(MilliSeconds(1),
                                    [client] { client->Send(Create<Packet>(50000)); });
                Simulator::Stop(MilliSeconds(3));
                const std::string why = RefusalOf([] { Simulator::Run(); });
                const bool refused = segment == 12000 && type == "ns3::TcpHpccPlusPlus";
                EXPECT_EQ(why.find("ns3::TcpSocket::SegmentSize: the segments from port ") == 0 &&
                              why.find(" of node 1 to port 7000 exceed ns3::QbbNetDevice::Mtu, "
                                       "9216") != std::string::npos,
                          refused)
                    << type << " " << ipv6 << " " << segment << ": " << why;
                EXPECT_EQ(why.empty(), !refused) << why;
                UintegerValue buffer;
                client->GetAttribute("SndBufSize", buffer);
                EXPECT_EQ(client->GetTxAvailable() == buffer.Get(), !refused)
                    << "all data is acknowledged";
                Simulator::Destroy();
                Config::Reset();
            }
        }
    }
}

TEST_F(IpCalls, LaterFragmentsAreNotReadAsSegments)
{
    constexpr uint16_t ports[] = {49152, 7000};
    TcpHeader tcp;
    tcp.SetSourcePort(ports[0]);
    tcp.SetDestinationPort(ports[1]);
    auto whole = Create<Packet>(3000);
    whole->AddHeader(tcp);
    FramePool pool;
    for (const bool ipv6 : {false, true})
    {
        for (const uint32_t offset : {0U, 1480U})
        {
            auto packet = whole->CreateFragment(offset, offset ? whole->GetSize() - offset : 1480);
            if (ipv6)
            {
                Ipv6ExtensionFragmentHeader fragment;
                fragment.SetNextHeader(6);
                fragment.SetOffset(offset);
                fragment.SetMoreFragment(offset == 0);
                packet->AddHeader(fragment);
                Ipv6Header ip;
                ip.SetSource(HpccInternetHelper::GetIpv6Address(0));
                ip.SetDestination(HpccInternetHelper::GetIpv6Address(1));
                ip.SetNextHeader(44);
                ip.SetPayloadLength(packet->GetSize());
                packet->AddHeader(ip);
            }
            else
            {
                Ipv4Header ip;
                ip.SetSource(HpccInternetHelper::GetIpv4Address(0));
                ip.SetDestination(HpccInternetHelper::GetIpv4Address(1));
                ip.SetProtocol(6);
                ip.SetPayloadSize(packet->GetSize());
                ip.SetFragmentOffset(offset);
                ip.SetMayFragment();
                offset == 0 ? ip.SetMoreFragments() : ip.SetLastFragment();
                packet->AddHeader(ip);
            }
            Frame* frame = pool.Allocate();
            DropReason reason;
            ASSERT_TRUE(QbbIpPort::FillFrame(packet, ipv6 ? 0x86dd : 0x0800, *frame, reason));
            HpccTcpFields fields;
            EXPECT_FALSE(HpccTcpFields::Parse(*frame, fields)) << ipv6 << " " << offset;
            uint16_t found[] = {0, 0};
            EXPECT_EQ(HpccTcpFields::ReadFragment(*frame, found[0], found[1]), offset == 0);
            EXPECT_EQ(found[0], offset ? 0 : ports[0]);
            EXPECT_EQ(found[1], offset ? 0 : ports[1]);
            FramePool::Free(frame);
        }
    }
}

TEST_F(IpCalls, ADatagramToThePortOfRoceReachesItsSocketAndNoQueuePair)
{
    Make();
    constexpr uint64_t bytes = 200000;
    const auto spec = HpccFabricHelper::MakePolicy("hpcc++", "int-md");
    const uint32_t queuePair = m_fabric.Connect(0, TARGET, spec);
    m_fabric.AddMessage(0, queuePair, bytes, MicroSeconds(5));
    // Payloads that would be RoCE packets to this queue pair, whole, cut off and with bit errors.
    std::mt19937 random(1);
    std::vector<std::vector<uint8_t>> sent;
    for (const uint8_t opcode : {ROCE_WRITE_ONLY,
                                 ROCE_READ_REQUEST,
                                 ROCE_ACK,
                                 ROCE_CNP,
                                 ROCE_PROBE,
                                 ROCE_NOTIFICATION,
                                 ROCE_SWITCH_RESPONSE})
    {
        std::vector<uint8_t> bth{opcode, 0x40, 0xff, 0xff, 0, 0, 0, 2, 0x80, 0, 0, 5};
        for (const size_t size : {1U, 11U, 12U, 13U, 16U, 28U, 60U, 1000U, 12000U})
        {
            std::vector<uint8_t> payload(size);
            std::generate(payload.begin(), payload.end(), [&random] { return random(); });
            std::copy_n(bth.begin(), std::min(size, bth.size()), payload.begin());
            sent.push_back(payload);
        }
    }
    const auto type = TypeId::LookupByName("ns3::UdpSocketFactory");
    std::vector<std::vector<uint8_t>> received;
    const auto server = Socket::CreateSocket(NodeOf(TARGET), type);
    server->Bind(InetSocketAddress(Ipv4Address::GetAny(), ROCE_UDP_PORT));
    server->SetAttribute("RcvBufSize", UintegerValue(10'000'000));
    server->SetRecvCallback([&received](Ptr<Socket> socket) {
        while (const auto packet = socket->Recv())
        {
            received.emplace_back(packet->GetSize());
            packet->CopyData(received.back().data(), packet->GetSize());
        }
    });
    const auto client = Socket::CreateSocket(NodeOf(1), type);
    client->Bind();
    client->Connect(InetSocketAddress(HpccInternetHelper::GetIpv4Address(TARGET), ROCE_UDP_PORT));
    client->SetIpTos(26 << 2); // DSCP of the data of queue pairs
    for (size_t i = 0; i < sent.size(); ++i)
    {
        Simulator::Schedule(MicroSeconds(1 + i), [client, payload = sent[i]] {
            client->Send(Create<Packet>(payload.data(), payload.size()));
        });
    }
    uint64_t delivered = 0;
    m_fabric.GetHost(TARGET)->TraceConnectWithoutContext("MessageDelivered",
                                                         MakeBoundCallback(&AddBytes, &delivered));
    uint64_t drops = 0;
    for (const auto& device : m_fabric.GetDevices())
    {
        device->TraceConnectWithoutContext("Drop", MakeBoundCallback(&CountDrop, &drops));
    }
    Simulator::Stop(MilliSeconds(2));
    Simulator::Run();
    EXPECT_EQ(received, sent);
    EXPECT_EQ(delivered, bytes);
    EXPECT_EQ(drops, 0U);
}

TEST_F(IpCalls, TheHelperOfTheStacksMayEndBeforeTheRun)
{
    m_fabric.Install(HpccTopology::Star(HOSTS, {}));
    HpccInternetHelper().Install(m_fabric);
    // Memory that the helper has freed is likely to be in one of these blocks.
    using Block = std::array<uint8_t, sizeof(HpccInternetHelper::Queue)>;
    std::vector<std::unique_ptr<Block>> blocks;
    for (uint32_t i = 0; i < 1000; ++i)
    {
        blocks.push_back(std::make_unique<Block>());
        blocks.back()->fill(0);
    }
    HpccUdpHelper udp;
    udp.Install(m_fabric);
    udp.Add(NodeOf(0), To(), 100000, MicroSeconds(1));
    Simulator::Stop(MilliSeconds(2));
    Simulator::Run();
    for (const auto& block : blocks)
    {
        EXPECT_EQ(*block, Block{});
    }
}

TEST_F(IpCalls, AConnectionOpensOnALinkWithALongDelay)
{
    m_fabric.SetDeviceAttribute("PfcEnabled", BooleanValue(false));
    m_fabric.Install(
        HpccTopology::Star(HOSTS, {DataRate("10Mbps"), DataRate("10Mbps"), MilliSeconds(200)}));
    m_internet.Install(m_fabric);
    HpccTcpHelper().Install(m_fabric);
    HpccIwarpHelper iwarp;
    const auto target = iwarp.AddTarget(NodeOf(TARGET), To(), 1000);
    iwarp.AddWriter(NodeOf(0), To(), 1000, MicroSeconds(1));
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    EXPECT_EQ(HpccIwarpHelper::Observe(target).placedBytes, 1000U);
}
