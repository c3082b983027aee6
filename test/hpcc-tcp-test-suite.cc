/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-bottleneck.h"
#include "hpcc-test-losses.h"
#include "hpcc-test-seeds.h"
#include "hpcc-test-tcp.h"

#include "ns3/config.h"
#include "ns3/hpcc-frame-codec.h"
#include "ns3/qbb-ip-port.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-hpcc-plus-plus.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/test.h"

#include <string>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

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
        IncastWatch watch;
        watch.Watch(m_fabric);
        watch.leaving = [this](const Frame& frame) {
            m_unmarked += frame.format && frame.tos >> 2 != 21;
        };
        AddIncast(senders, bytes, m_ipv6);
        Simulator::Stop(MilliSeconds(3));
        Simulator::Run();
        uint64_t sent = 0;
        for (uint32_t i = 0; i < senders; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(m_received[i], bytes, "bytes of flow " << i);
            const uint64_t probes = ExpectAnswered(i);
            NS_TEST_EXPECT_MSG_GT(probes, 20, "probes of flow " << i);
            sent += probes;
        }
        NS_TEST_EXPECT_MSG_EQ(NicOf(senders)->GetCounters().probesReceived,
                              sent,
                              "probes received");
        NS_TEST_EXPECT_MSG_EQ(watch.collecting, sent, "probes at the bottleneck");
        NS_TEST_EXPECT_MSG_EQ(watch.strange, 0, "probes without a flow's hash or telemetry");
        NS_TEST_EXPECT_MSG_EQ(m_unmarked, 0, "probes without their DSCP");
        NS_TEST_EXPECT_MSG_EQ(watch.marked, 0, "probes and answers that reached ns-3's IP");
        NS_TEST_EXPECT_MSG_LT(watch.latePeak, watch.peak / 4, "longest queue after 200 us");
    }

    bool m_ipv6;            ///< true for IPv6
    uint64_t m_unmarked{0}; ///< number of probes without the DSCP of probes
};

class FallBackTestCase : public TcpTestCase
{
  public:
    explicit FallBackTestCase(const std::string& feedback)
        : TcpTestCase("where nobody answers telemetry (" + feedback +
                      "), a connection falls back to NewReno and finishes; where somebody does, "
                      "it does not"),
          m_feedback(feedback)
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t bytes = FullOrShort(30000000, 6000000);
        m_tcp.SetNicAttribute("Feedback", StringValue(m_feedback));
        Make(HpccTopology::Star(3, FAST));
        QbbIpPort::Of(m_fabric.GetHost(2)->GetPort()).RemoveTaps();
        AddBulk(0, 2, bytes, 5000);
        AddBulk(0, 1, bytes, 5001);
        NoteFallBacks(0);
        Simulator::Stop(MilliSeconds(50));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_received[0], bytes, "bytes of the flow without answers");
        NS_TEST_EXPECT_MSG_EQ(m_received[1], bytes, "bytes of the flow with answers");
        NS_TEST_EXPECT_MSG_EQ((m_fallen == std::vector<uint16_t>{5000}),
                              true,
                              "remote port of the connection that fell back");
        NS_TEST_EXPECT_MSG_EQ(NicOf(0)->GetCounters().probeTimeouts, 8, "probes given up");
        NS_TEST_EXPECT_MSG_EQ(NicOf(0)->GetConnections(), 0, "connections left");
    }

    std::string m_feedback; ///< attribute Feedback of the NICs
};

class OtherControlTestCase : public TcpTestCase
{
  public:
    OtherControlTestCase()
        : TcpTestCase("connections with another congestion control are not probed")
    {
    }

  private:
    void DoRun() override
    {
        Make(HpccTopology::Star(2, FAST));
        Config::Set("/NodeList/*/$ns3::TcpL4Protocol/SocketType",
                    TypeIdValue(TypeId::LookupByName("ns3::TcpCubic")));
        AddBulk(0, 1, 200000, 5000);
        Simulator::Stop(MilliSeconds(50));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_received[0], 200000, "bytes");
        NS_TEST_EXPECT_MSG_EQ(NicOf(0)->GetCounters().probesSent, 0, "probes");
        NS_TEST_EXPECT_MSG_EQ(NicOf(0)->GetConnections(), 0, "connections left");
    }
};

/// Tests flows whose window is smaller than a segment.
class SmallWindowTestCase : public TcpTestCase
{
  public:
    SmallWindowTestCase()
        : TcpTestCase("flows with less than a segment per round trip are not idle between segments "
                      "and fill the link")
    {
    }

  private:
    void DoRun() override
    {
        // B T is 52 KB, so each of 16 flows has a window of 3.3 KB. At 75 % of the link rate, all
        // data would arrive within 520 us.
        constexpr uint32_t senders = 16;
        constexpr uint64_t bytes = 300000;
        m_tcp.SetSegmentSize(4000);
        Make(HpccTopology::Star(senders + 1, FAST));
        for (uint32_t i = 0; i < senders; ++i)
        {
            AddBulk(i, senders, bytes, static_cast<uint16_t>(5000 + i));
        }
        Simulator::Stop(MicroSeconds(800));
        Simulator::Run();
        for (uint32_t i = 0; i < senders; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(m_received[i], bytes, "bytes of flow " << i << " by 800 us");
        }
    }
};

class IdleTestCase : public TcpTestCase
{
  public:
    IdleTestCase()
        : TcpTestCase("after an idle time the first answer is a first record, and the second one "
                      "gives a window")
    {
    }

  private:
    static constexpr int64_t AGAIN_NS = 400000;
    static constexpr uint32_t BYTES = 50000;

    void DoRun() override
    {
        constexpr uint16_t port = 5000;
        Make(HpccTopology::Star(2, FAST));
        auto sink =
            DynamicCast<PacketSink>(PacketSinkHelper("ns3::TcpSocketFactory",
                                                     InetSocketAddress(Ipv4Address::GetAny(), port))
                                        .Install(m_fabric.GetNodes().Get(1))
                                        .Get(0));
        auto socket = DynamicCast<TcpSocketBase>(
            Socket::CreateSocket(m_fabric.GetNodes().Get(0), TcpSocketFactory::GetTypeId()));
        auto control = CreateObject<TcpHpccPlusPlus>();
        control->TraceConnectWithoutContext("Window", MakeCallback(&IdleTestCase::Note, this));
        socket->SetCongestionControlAlgorithm(control);
        socket->Bind();
        Simulator::Schedule(MicroSeconds(10), [socket] {
            socket->Connect(InetSocketAddress(HpccInternetHelper::GetIpv4Address(1), port));
        });
        for (int64_t atNs : {AGAIN_NS / 4, AGAIN_NS})
        {
            Simulator::Schedule(NanoSeconds(atNs),
                                [socket] { socket->Send(Create<Packet>(BYTES), 0); });
        }
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(sink->GetTotalRx(), 2 * BYTES, "bytes");
        NS_TEST_EXPECT_MSG_GT(m_before, 0, "windows before the idle time");
        const auto t = static_cast<double>(m_fabric.GetNetworkBaseRttNs());
        NS_TEST_EXPECT_MSG_GT(static_cast<double>(m_firstNs - AGAIN_NS),
                              1.5 * t,
                              "first window afterwards: with the second answer");
        NS_TEST_EXPECT_MSG_LT(static_cast<double>(m_firstNs - AGAIN_NS), 3 * t, "no later");
    }

    void Note(double, double, int64_t nowNs)
    {
        m_before += nowNs < AGAIN_NS;
        if (nowNs >= AGAIN_NS && m_firstNs == 0)
        {
            m_firstNs = nowNs;
        }
    }

    uint32_t m_before{0}; ///< number of windows computed before the idle time
    int64_t m_firstNs{0}; ///< time of the first window computed after the idle time, ns
};

class LossTestCase : public TcpTestCase
{
  public:
    explicit LossTestCase(double lossRate)
        : TcpTestCase("the bytes of many short connections arrive with losses of " +
                      std::to_string(lossRate) + " on each link, and the NIC forgets them"),
          m_lossRate(lossRate)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t connections = 60;
        Make(WithLosses(HpccTopology::Star(2, FAST), m_lossRate));
        m_fabric.AssignStreams(7);
        Streams streams(150000);
        streams.Listen(m_fabric.GetNodes().Get(1));
        for (uint32_t i = 0; i < connections; ++i)
        {
            Simulator::Schedule(MicroSeconds(10 + 20 * i), [this, &streams] {
                streams.Open(m_fabric.GetNodes().Get(0), 1, false);
            });
        }
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(streams.GetWrong(), 0, "wrong bytes");
        NS_TEST_EXPECT_MSG_EQ(streams.GetComplete(), connections, "whole streams");
        NS_TEST_EXPECT_MSG_EQ(NicOf(0)->GetConnections(), 0, "connections left at the NIC");
    }

    double m_lossRate; ///< loss rate of each link
};

/// Tests a route that leads to a wrong host for some time.
class MisroutedTestCase : public TcpTestCase
{
  public:
    explicit MisroutedTestCase(bool ipv6)
        : TcpTestCase(std::string(ipv6 ? "IPv6" : "IPv4") +
                      ": a segment for another host is dropped as such: neither answered nor "
                      "forwarded"),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t bytes = 300000;
        Make(HpccTopology::Star(3, {}));
        const uint32_t destination = HpccFabricHelper::GetAddress(1);
        m_fabric.GetSwitch(3)->ScheduleRoutes(30000, {{destination, {2}}});
        m_fabric.GetSwitch(3)->ScheduleRoutes(40000, {{destination, {1}}});
        AddBulk(0, 1, bytes, 5000, MicroSeconds(10), m_ipv6);
        Simulator::Stop(Seconds(2));
        Simulator::Run();
        const QbbNetDevice& wrong = m_fabric.GetHost(2)->GetPort();
        NS_TEST_EXPECT_MSG_GT(wrong.GetDrops(DropReason::WRONG_ADDRESS), 0, "counted");
        NS_TEST_EXPECT_MSG_EQ(wrong.GetTxFrames(), 0, "sent by the host that they reached");
        NS_TEST_EXPECT_MSG_EQ(NicOf(2)->GetCounters().probesReceived, 0, "probes for another");
        NS_TEST_EXPECT_MSG_EQ(m_received.at(0), bytes, "delivered");
    }

    bool m_ipv6; ///< true for IPv6, false for IPv4
};

class HpccTcpTestSuite : public TestSuite
{
  public:
    HpccTcpTestSuite()
        : TestSuite("hpcc-tcp", Type::SYSTEM)
    {
        AddTestCase(new IncastTestCase(false));
        AddTestCase(new IncastTestCase(true));
        for (const char* feedback : {"Probe", "InBand", "Compact", "CompactReceiver"})
        {
            AddTestCase(new FallBackTestCase(feedback));
        }
        AddTestCase(new OtherControlTestCase);
        AddTestCase(new SmallWindowTestCase);
        AddTestCase(new IdleTestCase);
        AddTestCase(new LossTestCase(0));
        AddTestCase(new LossTestCase(0.01));
        AddTestCase(new MisroutedTestCase(false));
        AddTestCase(new MisroutedTestCase(true));
    }
};

HpccTcpTestSuite g_hpccTcpTestSuite; ///< the suite

} // namespace
