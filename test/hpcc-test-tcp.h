/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_TCP_H
#define HPCC_TEST_TCP_H

#include "ns3/bulk-send-helper.h"
#include "ns3/config.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-internet-helper.h"
#include "ns3/hpcc-tcp-helper.h"
#include "ns3/hpcc-tcp-nic.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

/// Fabrics in which ns-3's TCP runs HPCC++, and connections of known content over them.
namespace hpcctest
{

using namespace ns3;

/// Links of 100 Gb/s and 1 us.
inline const HpccTopology::LinkSpeeds FAST{DataRate("100Gbps"),
                                           DataRate("100Gbps"),
                                           MicroSeconds(1),
                                           {},
                                           {}};

/// A fabric in which ns-3's TCP runs HPCC++.
class TcpTestCase : public TestCase
{
  public:
    explicit TcpTestCase(const std::string& name)
        : TestCase(name)
    {
    }

  protected:
    /// @param topology the network
    void Make(const HpccTopology& topology)
    {
        Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpHpccPlusPlus"));
        m_fabric.Install(topology);
        m_internet.Install(m_fabric);
        m_tcp.Install(m_fabric);
    }

    /// @param from host that sends @param to host that receives @param bytes how much
    /// @param port TCP port @param at when @param ipv6 which IP
    void AddBulk(uint32_t from,
                 uint32_t to,
                 uint64_t bytes,
                 uint16_t port,
                 Time at = MicroSeconds(10),
                 bool ipv6 = false)
    {
        const Address remote =
            ipv6 ? Address(Inet6SocketAddress(HpccInternetHelper::GetIpv6Address(to), port))
                 : Address(InetSocketAddress(HpccInternetHelper::GetIpv4Address(to), port));
        const Address local = ipv6 ? Address(Inet6SocketAddress(Ipv6Address::GetAny(), port))
                                   : Address(InetSocketAddress(Ipv4Address::GetAny(), port));
        BulkSendHelper bulk("ns3::TcpSocketFactory", remote);
        bulk.SetAttribute("MaxBytes", UintegerValue(bytes));
        bulk.SetAttribute("SendSize", UintegerValue(64000));
        bulk.Install(m_fabric.GetNodes().Get(from)).Start(at);
        auto applications =
            PacketSinkHelper("ns3::TcpSocketFactory", local).Install(m_fabric.GetNodes().Get(to));
        auto sink = DynamicCast<PacketSink>(applications.Get(0));
        m_received.push_back(0);
        const size_t flow = m_sinks.size();
        m_sinks.push_back(sink);
        sink->TraceConnectWithoutContext("Rx",
                                         MakeBoundCallback(&TcpTestCase::ReceivedBy, this, flow));
    }

    static void ReceivedBy(TcpTestCase* test, size_t flow, Ptr<const Packet> packet, const Address&)
    {
        test->m_received[flow] += packet->GetSize();
    }

    /// @param host number of a host @return its card
    Ptr<HpccTcpNic> CardOf(uint32_t host) const
    {
        return m_fabric.GetNodes().Get(host)->GetObject<HpccTcpNic>();
    }

    void DoTeardown() override
    {
        m_sinks.clear();
        Simulator::Destroy();
        Config::Reset();
    }

    HpccFabricHelper m_fabric;            ///< the network
    HpccInternetHelper m_internet;        ///< its stacks
    HpccTcpHelper m_tcp;                  ///< HPCC++ in them
    std::vector<Ptr<PacketSink>> m_sinks; ///< receivers
    std::vector<uint64_t> m_received;     ///< payload by flow
};

/// Connections that carry a known stream each, and what arrives of it.
class Streams
{
  public:
    /// @param bytes of each stream
    explicit Streams(uint32_t bytes)
        : m_content(bytes)
    {
        for (uint64_t i = 0; i < bytes; ++i)
        {
            m_content[i] = static_cast<uint8_t>(i * 167 + (i >> 8) * 13 + (i >> 16));
        }
    }

    /// @param node where to take connections
    void Listen(Ptr<Node> node)
    {
        auto tcp = TypeId::LookupByName("ns3::TcpSocketFactory");
        for (const Address& local : {Address(InetSocketAddress(Ipv4Address::GetAny(), PORT)),
                                     Address(Inet6SocketAddress(Ipv6Address::GetAny(), PORT))})
        {
            auto socket = Socket::CreateSocket(node, tcp);
            socket->Bind(local);
            socket->Listen();
            socket->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                      MakeCallback(&Streams::Accepted, this));
        }
    }

    /// @param tos of the segments that senders send in IPv4 once they are connected
    void SetTos(uint8_t tos)
    {
        m_tos = tos;
    }

    /// @param node that sends @param host that listens @param ipv6 which IP
    void Open(Ptr<Node> node, uint32_t host, bool ipv6)
    {
        auto socket = Socket::CreateSocket(node, TypeId::LookupByName("ns3::TcpSocketFactory"));
        socket->SetConnectCallback(MakeCallback(&Streams::Connected, this),
                                   MakeNullCallback<void, Ptr<Socket>>());
        socket->Connect(
            ipv6 ? Address(Inet6SocketAddress(HpccInternetHelper::GetIpv6Address(host), PORT))
                 : Address(InetSocketAddress(HpccInternetHelper::GetIpv4Address(host), PORT)));
    }

    /// @return bytes that differ from those sent
    uint64_t GetWrong() const
    {
        return m_wrong;
    }

    /// @return streams that have arrived whole
    uint64_t GetComplete() const
    {
        return std::count_if(m_received.begin(), m_received.end(), [this](const auto& stream) {
            return stream.second == m_content.size();
        });
    }

  private:
    static constexpr uint16_t PORT = 80; ///< where to listen

    void Connected(Ptr<Socket> socket)
    {
        socket->SetIpTos(m_tos);
        socket->Send(m_content.data(), m_content.size(), 0);
        socket->Close();
    }

    void Accepted(Ptr<Socket> socket, const Address&)
    {
        m_received[socket] = 0;
        socket->SetRecvCallback(MakeCallback(&Streams::Readable, this));
        socket->SetCloseCallbacks(MakeCallback(&Streams::Closed, this),
                                  MakeNullCallback<void, Ptr<Socket>>());
    }

    void Closed(Ptr<Socket> socket)
    {
        socket->Close();
    }

    void Readable(Ptr<Socket> socket)
    {
        while (auto packet = socket->Recv())
        {
            std::vector<uint8_t> bytes(packet->GetSize());
            packet->CopyData(bytes.data(), bytes.size());
            uint64_t& at = m_received[socket];
            for (uint8_t byte : bytes)
            {
                m_wrong += at >= m_content.size() || byte != m_content[at];
                ++at;
            }
        }
    }

    std::vector<uint8_t> m_content;             ///< of each stream
    uint8_t m_tos{0};                           ///< see SetTos()
    std::map<Ptr<Socket>, uint64_t> m_received; ///< bytes by stream
    uint64_t m_wrong{0};                        ///< see GetWrong()
};

/// @param topology a network @param lossRate of each link @return the network with losses
inline HpccTopology
WithLosses(const HpccTopology& topology, double lossRate)
{
    HpccTopology lossy;
    for (uint32_t node = 0; node < topology.GetNodes(); ++node)
    {
        lossy.AddNode(topology.IsSwitch(node));
    }
    for (auto link : topology.GetLinks())
    {
        link.errorRate = lossRate;
        lossy.AddLink(link);
    }
    return lossy;
}

} // namespace hpcctest

#endif // HPCC_TEST_TCP_H
