/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_TCP_H
#define HPCC_TEST_TCP_H

#include "hpcc-test-streams.h"

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

/// Contains the base class of tests with fabrics in which ns-3's TCP runs HPCC++.
namespace hpcctest
{

using namespace ns3;

/// Base class of tests with a fabric in which ns-3's TCP runs HPCC++.
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

    /**
     * Installs a bulk transfer.
     * @param from number of the sending host
     * @param to number of the receiving host
     * @param bytes payload
     * @param port TCP port
     * @param at start time
     * @param ipv6 true for IPv6, false for IPv4
     */
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

    /**
     * Installs an incast: hosts 0 to @p senders - 1 send to ports 5000, 5001, ... of host @p
     * senders.
     * @param senders number of senders
     * @param bytes payload of each flow
     * @param ipv6 true for IPv6, false for IPv4
     */
    void AddIncast(uint32_t senders, uint64_t bytes, bool ipv6)
    {
        for (uint32_t i = 0; i < senders; ++i)
        {
            const auto port = static_cast<uint16_t>(5000 + i);
            AddBulk(i, senders, bytes, port, MicroSeconds(10), ipv6);
        }
    }

    /**
     * Expects that all probes of a NIC have been answered and that it stores no connections.
     * @param host number of the NIC's host
     * @return number of probes that the NIC has sent
     */
    uint64_t ExpectAnswered(uint32_t host)
    {
        const auto& counters = NicOf(host)->GetCounters();
        // An answer that arrives after its connection has closed is ignored.
        NS_TEST_EXPECT_MSG_EQ(counters.answersReceived + counters.ignored,
                              counters.probesSent,
                              "answers to host " << host);
        NS_TEST_EXPECT_MSG_LT(counters.ignored, 2, "answers ignored by host " << host);
        NS_TEST_EXPECT_MSG_EQ(counters.unknownLinks, 0, "unknown links at host " << host);
        NS_TEST_EXPECT_MSG_EQ(NicOf(host)->GetConnections(), 0, "connections of host " << host);
        return counters.probesSent;
    }

    static void ReceivedBy(TcpTestCase* test, size_t flow, Ptr<const Packet> packet, const Address&)
    {
        test->m_received[flow] += packet->GetSize();
    }

    /// Starts to add the remote port of each connection that falls back at a host to m_fallen.
    /// @param host number of the host
    void NoteFallBacks(uint32_t host)
    {
        NicOf(host)->TraceConnectWithoutContext("FellBack",
                                                MakeCallback(&TcpTestCase::FellBack, this));
    }

    /// Returns the NIC of @p host.
    Ptr<HpccTcpNic> NicOf(uint32_t host) const
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
    HpccInternetHelper m_internet;        ///< IP stacks of the network
    HpccTcpHelper m_tcp;                  ///< HPCC++ in these stacks
    std::vector<Ptr<PacketSink>> m_sinks; ///< receivers
    std::vector<uint64_t> m_received;     ///< payload received, bytes, by flow
    std::vector<uint16_t> m_fallen;       ///< remote ports of connections that fell back

  private:
    void FellBack(uint16_t, uint16_t remotePort, std::string)
    {
        m_fallen.push_back(remotePort);
    }
};

} // namespace hpcctest

#endif // HPCC_TEST_TCP_H
