/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_STREAMS_H
#define HPCC_TEST_STREAMS_H

#include "ns3/hpcc-internet-helper.h"
#include "ns3/hpcc-topology.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/socket.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

/// Contains TCP connections of which every received byte is checked.
namespace hpcctest
{

using namespace ns3;

/// Links of 100 Gb/s with a delay of 1 us.
inline const HpccTopology::LinkSpeeds FAST{DataRate("100Gbps"),
                                           DataRate("100Gbps"),
                                           MicroSeconds(1),
                                           {},
                                           {}};

/// Connections that each carry a known stream, and a check of the received bytes.
class Streams
{
  public:
    /// @param bytes length of each stream
    explicit Streams(uint32_t bytes)
        : m_content(bytes)
    {
        for (uint64_t i = 0; i < bytes; ++i)
        {
            m_content[i] = static_cast<uint8_t>(i * 167 + (i >> 8) * 13 + (i >> 16));
        }
    }

    /// Accepts connections at a node.
    /// @param node the node
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

    /// Sets the TOS of the segments that senders send over IPv4 after they have connected.
    /// @param tos the TOS
    void SetTos(uint8_t tos)
    {
        m_tos = tos;
    }

    /**
     * Opens a connection.
     * @param node sending node
     * @param host number of the listening host
     * @param ipv6 true for IPv6, false for IPv4
     */
    void Open(Ptr<Node> node, uint32_t host, bool ipv6)
    {
        auto socket = Socket::CreateSocket(node, TypeId::LookupByName("ns3::TcpSocketFactory"));
        socket->SetConnectCallback(MakeCallback(&Streams::Connected, this),
                                   MakeNullCallback<void, Ptr<Socket>>());
        socket->Connect(
            ipv6 ? Address(Inet6SocketAddress(HpccInternetHelper::GetIpv6Address(host), PORT))
                 : Address(InetSocketAddress(HpccInternetHelper::GetIpv4Address(host), PORT)));
    }

    /// @return number of received bytes that differ from the bytes sent
    uint64_t GetWrong() const
    {
        return m_wrong;
    }

    /// @return number of streams that have arrived completely
    uint64_t GetComplete() const
    {
        return std::count_if(m_received.begin(), m_received.end(), [this](const auto& stream) {
            return stream.second == m_content.size();
        });
    }

  private:
    static constexpr uint16_t PORT = 80; ///< port of the listening sockets

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

    std::vector<uint8_t> m_content;             ///< content of each stream
    uint8_t m_tos{0};                           ///< see SetTos()
    std::map<Ptr<Socket>, uint64_t> m_received; ///< number of bytes received, by stream
    uint64_t m_wrong{0};                        ///< see GetWrong()
};

} // namespace hpcctest

#endif // HPCC_TEST_STREAMS_H
