/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-refusal.h"

#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-internet-helper.h"
#include "ns3/hpcc-tcp-helper.h"
#include "ns3/hpcc-tcp-nic.h"
#include "ns3/hpcc-udp-helper.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-header.h"
#include "ns3/packet.h"
#include "ns3/qbb-ip-port.h"
#include "ns3/rdma-host.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/string.h"
#include "ns3/tcp-header.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>

using namespace ns3;
using namespace hpcctest;

// Tests packets of applications without HPCC++ whose DSCP is that of probes or answers.

namespace
{

constexpr uint32_t HOSTS = 3;         ///< number of hosts of the star
constexpr uint32_t TARGET = 2;        ///< number of the host that receives
constexpr uint16_t PORT = 7000;       ///< port at which TARGET receives
constexpr uint8_t PROBE_DSCP = 21;    ///< default of ProbeDscp
constexpr uint8_t RESPONSE_DSCP = 22; ///< default of ResponseDscp
constexpr uint8_t OTHER_DSCP = 20;    ///< DSCP of neither

/// Returns the beginning of the message about a DSCP; empty if it is allowed.
/// @param nic class of the NIC
/// @param dscp the DSCP
std::string
StartOf(const std::string& nic, uint8_t dscp)
{
    return dscp == OTHER_DSCP
               ? ""
               : nic + (dscp == PROBE_DSCP ? "::ProbeDscp is " : "::ResponseDscp is ") +
                     std::to_string(dscp) + ", the DSCP of packets from port ";
}

/// Returns the network of a test.
HpccTopology
MakeStar()
{
    return HpccTopology::Star(HOSTS, {});
}

/**
 * Sends 1000 bytes from host 1 to TARGET, 1 ms after a socket has been connected.
 * @param fabric the network, with IP stacks
 * @param type "ns3::TcpSocketFactory" or "ns3::UdpSocketFactory"
 * @param dscp DSCP of the data
 * @param why set to the error message; empty if there is none
 * @return number of bytes that TARGET has received
 */
uint64_t
Send(const HpccFabricHelper& fabric, const std::string& type, uint8_t dscp, std::string& why)
{
    const auto tid = TypeId::LookupByName(type);
    const auto server = Socket::CreateSocket(fabric.GetNodes().Get(TARGET), tid);
    server->Bind(InetSocketAddress(Ipv4Address::GetAny(), PORT));
    server->Listen();
    uint64_t received = 0;
    const Callback<void, Ptr<Socket>> count([&received](Ptr<Socket> socket) {
        while (const auto packet = socket->Recv())
        {
            received += packet->GetSize();
        }
    });
    server->SetRecvCallback(count);
    server->SetAcceptCallback(
        MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
        [count](Ptr<Socket> accepted, const Address&) { accepted->SetRecvCallback(count); });
    const auto client = Socket::CreateSocket(fabric.GetNodes().Get(1), tid);
    client->Bind();
    Simulator::Schedule(MicroSeconds(1), [client] {
        client->Connect(InetSocketAddress(HpccInternetHelper::GetIpv4Address(TARGET), PORT));
    });
    // UDP sends at once. The exception is caught inside the event, because an exception that leaves
    // an event would leak the event. TCP sends in a later event.
    why = "";
    Simulator::Schedule(MilliSeconds(1), [&why, client, dscp] {
        client->SetIpTos(dscp << 2); // Connect() has reset it
        why = RefusalOf([client] { client->Send(Create<Packet>(1000)); });
    });
    Simulator::Stop(MilliSeconds(2));
    why += RefusalOf([] { Simulator::Run(); });
    return received;
}

} // namespace

TEST(IpDscps, PacketsOfOtherApplicationsMayNotHaveTheDscpOfProbesOrAnswers)
{
    for (const bool tcp : {true, false})
    {
        for (const uint8_t dscp : {PROBE_DSCP, RESPONSE_DSCP, OTHER_DSCP})
        {
            SCOPED_TRACE((tcp ? "TCP " : "UDP ") + std::to_string(dscp));
            HpccFabricHelper fabric;
            HpccInternetHelper internet;
            fabric.Install(MakeStar());
            internet.Install(fabric);
            HpccTcpHelper().Install(fabric);
            HpccUdpHelper().Install(fabric);
            std::string why;
            const uint64_t received =
                Send(fabric, tcp ? "ns3::TcpSocketFactory" : "ns3::UdpSocketFactory", dscp, why);
            const std::string start = StartOf(tcp ? "ns3::HpccTcpNic" : "ns3::HpccUdpNic", dscp);
            EXPECT_EQ(why.substr(0, start.size()), start);
            EXPECT_EQ(why.empty(), start.empty()) << why;
            EXPECT_EQ(received, start.empty() ? 1000U : 0U);
            Simulator::Destroy();
        }
    }
}

TEST(IpDscps, ASynWithTheDscpOfProbesOrAnswersIsNotDiscarded)
{
    HpccFabricHelper fabric;
    HpccInternetHelper internet;
    fabric.Install(MakeStar());
    internet.Install(fabric);
    HpccTcpHelper().Install(fabric);
    const auto nic = fabric.GetNodes().Get(TARGET)->GetObject<HpccTcpNic>();
    for (const uint8_t dscp : {PROBE_DSCP, RESPONSE_DSCP, OTHER_DSCP})
    {
        // A host without an HpccTcpNic would not refuse to send this packet.
        TcpHeader tcp;
        tcp.SetSourcePort(49152);
        tcp.SetDestinationPort(PORT);
        tcp.SetFlags(TcpHeader::SYN);
        auto packet = Create<Packet>();
        packet->AddHeader(tcp);
        Ipv4Header ip;
        ip.SetSource(HpccInternetHelper::GetIpv4Address(0));
        ip.SetDestination(HpccInternetHelper::GetIpv4Address(TARGET));
        ip.SetProtocol(6);
        ip.SetPayloadSize(packet->GetSize());
        ip.SetTos(dscp << 2);
        packet->AddHeader(ip);
        Frame frame{};
        DropReason reason;
        ASSERT_TRUE(QbbIpPort::FillFrame(packet, 0x0800, frame, reason));
        const std::string why = RefusalOf([&] {
            EXPECT_FALSE(nic->Received(fabric.GetHost(TARGET)->GetPort(), frame)) << "discarded";
        });
        const std::string start = StartOf("ns3::HpccTcpNic", dscp);
        EXPECT_EQ(why.substr(0, start.size()), start);
        EXPECT_EQ(why.empty(), start.empty()) << why;
    }
    Simulator::Destroy();
}
