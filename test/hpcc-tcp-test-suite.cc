/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/boolean.h"
#include "ns3/bulk-send-helper.h"
#include "ns3/config.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-frame-codec.h"
#include "ns3/hpcc-internet-helper.h"
#include "ns3/hpcc-tcp-helper.h"
#include "ns3/hpcc-tcp-nic.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/pointer.h"
#include "ns3/qbb-ip-port.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-header.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

const HpccTopology::LinkSpeeds FAST{DataRate("100Gbps"),
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
        sink->TraceConnectWithoutContext(
            "Rx",
            Callback<void, Ptr<const Packet>, const Address&>(
                [this, flow](Ptr<const Packet> packet, const Address&) {
                    m_received[flow] += packet->GetSize();
                }));
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

    HpccFabricHelper m_fabric;             ///< the network
    HpccInternetHelper m_internet;         ///< its stacks
    HpccTcpHelper m_tcp;                   ///< HPCC++ in them
    std::vector<Ptr<PacketSink>> m_sinks;  ///< receivers
    std::vector<uint64_t> m_received;      ///< payload by flow
};

class IncastTestCase : public TcpTestCase
{
  public:
    explicit IncastTestCase(bool ipv6)
        : TcpTestCase(std::string("an incast of HPCC++ TCP in ") + (ipv6 ? "IPv6" : "IPv4") +
                      " keeps its queue short by probes that TCP never sees"),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t senders = 8;
        constexpr uint64_t bytes = 1000000;
        Make(HpccTopology::Star(senders + 1, FAST));
        for (uint32_t i = 0; i < senders; ++i)
        {
            AddBulk(i, senders, bytes, 5000 + i, MicroSeconds(10), m_ipv6);
            m_fabric.GetHost(i)->GetPort().TraceConnectWithoutContext(
                "Transmit",
                MakeCallback(&IncastTestCase::Transmitted, this));
        }
        for (uint32_t host = 0; host <= senders; ++host)
        {
            m_fabric.GetNodes().Get(host)->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext(
                "Rx",
                MakeCallback(&IncastTestCase::ReachedIp, this));
        }
        auto* bottleneck = m_fabric.GetSwitch(senders + 1)->GetPorts()[senders];
        bottleneck->TraceConnectWithoutContext("QueueBytes",
                                               MakeCallback(&IncastTestCase::Queued, this));
        bottleneck->TraceConnectWithoutContext("Transmit",
                                               MakeCallback(&IncastTestCase::Arriving, this));
        Simulator::Stop(MilliSeconds(3));
        Simulator::Run();
        HpccTcpNic::Counters sent;
        for (uint32_t i = 0; i < senders; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(m_received[i], bytes, "bytes of flow " << i);
            const auto& counters = CardOf(i)->GetCounters();
            NS_TEST_EXPECT_MSG_GT(counters.probesSent, 20, "probes of flow " << i);
            NS_TEST_EXPECT_MSG_EQ(counters.answersReceived, counters.probesSent, "answers");
            NS_TEST_EXPECT_MSG_EQ(counters.ignored + counters.probeTimeouts, 0, "misses");
            NS_TEST_EXPECT_MSG_EQ(counters.unknownLinks, 0, "unknown links");
            NS_TEST_EXPECT_MSG_EQ(CardOf(i)->GetConnections(), 0, "connections left");
            sent.probesSent += counters.probesSent;
        }
        NS_TEST_EXPECT_MSG_EQ(CardOf(senders)->GetCounters().probesReceived,
                              sent.probesSent,
                              "probes received");
        NS_TEST_EXPECT_MSG_EQ(m_probes, sent.probesSent, "probes at the bottleneck");
        NS_TEST_EXPECT_MSG_EQ(m_wrong, 0, "probes without DSCP, hash or telemetry");
        NS_TEST_EXPECT_MSG_EQ(m_marked, 0, "probes and answers that reached ns-3's IP");
        std::cerr << "peak " << m_peak << " late peak " << m_latePeak << " probes " << m_probes << " end " << m_lastNs << "\n";
        NS_TEST_EXPECT_MSG_LT(m_latePeak, m_peak / 4, "longest queue after 200 us");
    }

    void Transmitted(int64_t, const Frame& frame)
    {
        if (!frame.format)
        {
            m_hashes.insert(frame.flowHash);
        }
    }

    void Arriving(int64_t nowNs, const Frame& frame)
    {
        m_lastNs = nowNs;
        if (frame.format)
        {
            ++m_probes;
            m_wrong += frame.tos >> 2 != 21 || m_hashes.count(frame.flowHash) == 0 ||
                       frame.telemetry.hops != 1;
        }
    }

    void ReachedIp(Ptr<const Packet> packet, Ptr<Ipv4>, uint32_t)
    {
        Ipv4Header ip;
        packet->PeekHeader(ip);
        m_marked += ip.GetTos() != 0;
    }

    void Queued(uint8_t, uint64_t, uint64_t bytes)
    {
        m_peak = std::max(m_peak, bytes);
        if (Simulator::Now() > MicroSeconds(200))
        {
            m_latePeak = std::max(m_latePeak, bytes);
        }
    }

    bool m_ipv6;                 ///< which IP
    std::set<uint32_t> m_hashes; ///< of the flows' packets
    uint64_t m_probes{0};        ///< probes at the bottleneck
    uint64_t m_wrong{0};         ///< of which wrong
    uint64_t m_marked{0};        ///< packets with a DSCP at ns-3's IP
    uint64_t m_peak{0};          ///< longest queue, bytes
    uint64_t m_latePeak{0};      ///< the same from 200 us on
    int64_t m_lastNs{0};
};

/// HPCC++ on ns-3's TCP.
class HpccTcpTestSuite : public TestSuite
{
  public:
    HpccTcpTestSuite()
        : TestSuite("hpcc-tcp", Type::SYSTEM)
    {
        AddTestCase(new IncastTestCase(false));
        AddTestCase(new IncastTestCase(true));
    }
};

HpccTcpTestSuite g_hpccTcpTestSuite; ///< the suite

} // namespace
