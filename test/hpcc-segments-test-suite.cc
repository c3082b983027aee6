/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-streams.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-tcp-helper.h"
#include "ns3/hpcc-tcp-nic.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/qbb-ip-port.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/udp-client-server-helper.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <functional>
#include <string>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// Segmentation offloads of the ports and other settings of a run.
struct Offloads
{
    bool tso;             ///< true if ports divide packets into segments (TSO)
    bool gro;             ///< true if ports join segments (GRO)
    std::string feedback; ///< attribute Feedback of the NICs
    bool ipv6;            ///< true for IPv6
    uint32_t segment;     ///< payload of a segment on the wire
};

/// An incast of TCP streams, and its measurements.
class Incast
{
  public:
    static constexpr uint32_t SENDERS = 8;    ///< number of sending hosts
    static constexpr uint32_t BYTES = 400000; ///< length of each stream

    explicit Incast(const Offloads& offloads)
        : m_streams(BYTES)
    {
        Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpHpccPlusPlus"));
        Config::SetDefault("ns3::QbbNetDevice::Tso", BooleanValue(offloads.tso));
        Config::SetDefault("ns3::QbbNetDevice::Gro", BooleanValue(offloads.gro));
        HpccFabricHelper fabric;
        fabric.Install(HpccTopology::Star(SENDERS + 1, FAST));
        HpccInternetHelper internet;
        internet.Install(fabric);
        HpccTcpHelper tcp;
        tcp.SetSegmentSize(offloads.segment);
        tcp.SetNicAttribute("Feedback", StringValue(offloads.feedback));
        tcp.Install(fabric);
        Ptr<Node> sink = fabric.GetNodes().Get(SENDERS);
        m_streams.Listen(sink);
        sink->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext(
            "Rx",
            MakeCallback(&Incast::ReachedIpv4, this));
        sink->GetObject<Ipv6L3Protocol>()->TraceConnectWithoutContext(
            "Rx",
            MakeCallback(&Incast::ReachedIpv6, this));
        for (uint32_t i = 0; i < SENDERS; ++i)
        {
            Ptr<Node> node = fabric.GetNodes().Get(i);
            Simulator::Schedule(MicroSeconds(10), [this, node, &offloads] {
                m_streams.Open(node, SENDERS, offloads.ipv6);
            });
            node->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext(
                "Tx",
                MakeCallback(&Incast::LeftIpv4, this));
            node->GetObject<Ipv6L3Protocol>()->TraceConnectWithoutContext(
                "Tx",
                MakeCallback(&Incast::LeftIpv6, this));
        }
        auto* bottleneck = fabric.GetSwitch(SENDERS + 1)->GetPorts()[SENDERS];
        bottleneck->TraceConnectWithoutContext("QueueBytes", MakeCallback(&Incast::Queued, this));
        bottleneck->TraceConnectWithoutContext("Transmit",
                                               MakeCallback(&Incast::Transmitted, this));
        Simulator::Stop(MilliSeconds(20));
        Simulator::Run();
        for (uint32_t i = 0; i < SENDERS; ++i)
        {
            const auto& counters = fabric.GetNodes().Get(i)->GetObject<HpccTcpNic>()->GetCounters();
            probes += counters.probesSent;
            answers += counters.answersReceived;
        }
        complete = m_streams.GetComplete();
        wrong = m_streams.GetWrong();
        Simulator::Destroy();
        Config::Reset();
    }

    uint64_t complete{0}; ///< streams that arrived completely
    uint64_t wrong{0};    ///< number of bytes that were received with a wrong value
    uint64_t sent{0};     ///< packets sent by the senders' IP
    uint64_t received{0}; ///< packets that reached the receiver's IP
    uint64_t frames{0};   ///< frames with payload at the bottleneck
    uint32_t largest{0};  ///< largest packet at the bottleneck, bytes from the IP header on
    uint64_t peak{0};     ///< longest queue, bytes
    uint64_t latePeak{0}; ///< longest queue after 200 us, bytes
    uint64_t probes{0};   ///< number of probes, or of segments with telemetry
    uint64_t answers{0};  ///< number of answers to these packets
    Time lastByte;        ///< time at which the last frame with payload left the bottleneck

  private:
    void LeftIpv4(Ptr<const Packet>, Ptr<Ipv4>, uint32_t)
    {
        ++sent;
    }

    void LeftIpv6(Ptr<const Packet>, Ptr<Ipv6>, uint32_t)
    {
        ++sent;
    }

    void ReachedIpv4(Ptr<const Packet>, Ptr<Ipv4>, uint32_t)
    {
        ++received;
    }

    void ReachedIpv6(Ptr<const Packet>, Ptr<Ipv6>, uint32_t)
    {
        ++received;
    }

    void Transmitted(int64_t, const Frame& frame)
    {
        constexpr uint32_t headers = 100;
        if (frame.kind == Frame::Kind::IP && frame.packet->GetSize() > headers)
        {
            ++frames;
            largest = std::max(largest, frame.packet->GetSize());
            lastByte = Simulator::Now();
        }
    }

    void Queued(uint8_t, uint64_t, uint64_t bytes, int64_t)
    {
        peak = std::max(peak, bytes);
        if (Simulator::Now() > MicroSeconds(200))
        {
            latePeak = std::max(latePeak, bytes);
        }
    }

    Streams m_streams; ///< connections that are tested
};

class OffloadTestCase : public TestCase
{
  public:
    explicit OffloadTestCase(const Offloads& offloads)
        : TestCase("TCP sends few large segments, the wire has many small ones and a queue as "
                   "short as without: " +
                   offloads.feedback + (offloads.ipv6 ? ", IPv6, " : ", IPv4, ") +
                   std::to_string(offloads.segment) + " bytes"),
          m_offloads(offloads)
    {
    }

  private:
    void DoRun() override
    {
        const uint32_t headers = m_offloads.ipv6 ? 60 : 40;
        const uint32_t segments = Incast::BYTES / m_offloads.segment + 1;
        const Incast without(
            {false, false, m_offloads.feedback, m_offloads.ipv6, m_offloads.segment});
        const Incast with(m_offloads);
        for (const auto* one : {&without, &with})
        {
            NS_TEST_EXPECT_MSG_EQ(one->wrong, 0, "wrong bytes");
            NS_TEST_EXPECT_MSG_EQ(one->complete, Incast::SENDERS, "whole streams");
            NS_TEST_EXPECT_MSG_EQ(one->largest, m_offloads.segment + headers, "largest packet");
            NS_TEST_EXPECT_MSG_GT(one->frames, Incast::SENDERS * (segments - 1), "frames");
            NS_TEST_EXPECT_MSG_LT(one->frames, Incast::SENDERS * (segments + 15), "frames");
            NS_TEST_EXPECT_MSG_GT(one->answers, 8 * Incast::SENDERS, "answers");
        }
        NS_TEST_EXPECT_MSG_LT(with.sent, without.sent / 3, "packets that TCP sent");
        // If segments are large, a segment cannot be joined with the preceding segment of its
        // connection, because it arrives too late.
        const uint64_t gotWithout = without.received;
        NS_TEST_EXPECT_MSG_LT(with.received,
                              (m_offloads.segment > 5000 ? gotWithout + 1 : gotWithout * 3 / 4),
                              "packets that TCP got");
        NS_TEST_EXPECT_MSG_LT(with.peak, without.peak * 11 / 10, "longest queue");
        NS_TEST_EXPECT_MSG_LT(
            with.latePeak,
            std::max<uint64_t>(without.latePeak + 2 * (m_offloads.segment + headers), 20000),
            "longest queue after 200 us");
        NS_TEST_EXPECT_MSG_LT(with.lastByte.GetNanoSeconds(),
                              without.lastByte.GetNanoSeconds() * 3 / 2,
                              "duration");
    }

    Offloads m_offloads; ///< TCP offloads of the ports
};

class RefusedTestCase : public TestCase
{
  public:
    RefusedTestCase()
        : TestCase("segments that do not fit are refused with one line")
    {
    }

  private:
    void DoRun() override
    {
        HpccTcpHelper any;
        ExpectRefused([&] { any.SetSegmentSize(535); }, "535 bytes are outside");
        ExpectRefused([&] { any.SetSegmentSize(8961); }, "8961 bytes are outside");
        ExpectRefused([&] { Install(9000, 9216, {}); }, "9000 bytes are outside");
        ExpectRefused([&] { Install(8960, 9019, {}); }, "ns3::QbbNetDevice::Mtu is 9019");
        ExpectRefused([&] { Install(1448, 1500, {}); }, "packets of up to 1508");
        ExpectRefused([&] { Install(1440, 1500, {0}); }, "host 1 differs");
        Install(8960, 9020, {});
        Install(1440, 1500, {0, 1});
        Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(65301));
        ExpectRefused([&] { Install(1000, 1500, {}); }, "SegmentSize is 65301");
        Config::Reset();
    }

    /**
     * Installs the network.
     * @param segment payload of a segment, bytes
     * @param mtu MTU of the ports, bytes
     * @param tso hosts whose ports segment TCP packets
     */
    void Install(uint32_t segment, uint32_t mtu, const std::vector<uint32_t>& tso)
    {
        HpccFabricHelper fabric;
        fabric.Install(HpccTopology::Star(2, FAST));
        for (uint32_t host = 0; host < 2; ++host)
        {
            fabric.GetHost(host)->GetPort().SetMtu(mtu);
        }
        for (uint32_t host : tso)
        {
            fabric.GetHost(host)->GetPort().SetAttribute("Tso", BooleanValue(true));
        }
        HpccTcpHelper tcp;
        tcp.SetSegmentSize(segment);
        HpccInternetHelper internet;
        internet.Install(fabric);
        tcp.Install(fabric);
    }

    void ExpectRefused(const std::function<void()>& what, const std::string& why)
    {
        std::string said;
        try
        {
            what();
        }
        catch (const HpccInputError& error)
        {
            said = error.what();
        }
        NS_TEST_EXPECT_MSG_NE(said.find(why), std::string::npos, said << " without " << why);
        NS_TEST_EXPECT_MSG_EQ(said.find('\n'), std::string::npos, "more than a line");
        Simulator::Destroy();
    }

    void DoTeardown() override
    {
        Simulator::Destroy();
        Config::Reset();
    }
};

class LargeUdpTestCase : public TestCase
{
  public:
    LargeUdpTestCase()
        : TestCase("what is larger than the wire takes and not TCP is dropped with a reason where "
                   "a port cuts TCP, and fragmented by IP where it does not")
    {
    }

  private:
    void DoRun() override
    {
        for (bool tso : {false, true})
        {
            Config::SetDefault("ns3::QbbNetDevice::Tso", BooleanValue(tso));
            Config::SetDefault("ns3::QbbNetDevice::Mtu", UintegerValue(1500));
            HpccFabricHelper fabric;
            fabric.Install(HpccTopology::Star(2, FAST));
            HpccInternetHelper internet;
            internet.Install(fabric);
            UdpServerHelper server(6000);
            auto udp = DynamicCast<UdpServer>(server.Install(fabric.GetNodes().Get(1)).Get(0));
            UdpClientHelper client(InetSocketAddress(HpccInternetHelper::GetIpv4Address(1), 6000));
            client.SetAttribute("MaxPackets", UintegerValue(3));
            client.SetAttribute("PacketSize", UintegerValue(4000));
            client.SetAttribute("Interval", TimeValue(MicroSeconds(10)));
            client.Install(fabric.GetNodes().Get(0)).Start(MicroSeconds(10));
            Simulator::Stop(MilliSeconds(1));
            Simulator::Run();
            const auto& port = fabric.GetHost(0)->GetPort();
            NS_TEST_EXPECT_MSG_EQ(port.GetDrops(DropReason::FRAME_TOO_LARGE),
                                  (tso ? 3 : 0),
                                  "drops");
            NS_TEST_EXPECT_MSG_EQ(udp->GetReceived(), (tso ? 0 : 3), "packets received");
            Simulator::Destroy();
            Config::Reset();
        }
    }
};

/// Tests the segmentation and joining of TCP segments by ports.
class HpccSegmentsTestSuite : public TestSuite
{
  public:
    HpccSegmentsTestSuite()
        : TestSuite("hpcc-segments", Type::SYSTEM)
    {
        AddTestCase(new OffloadTestCase({true, true, "Probe", false, 536}));
        AddTestCase(new OffloadTestCase({true, true, "Probe", true, 1448}));
        AddTestCase(new OffloadTestCase({true, true, "Probe", false, 8960}));
        AddTestCase(new OffloadTestCase({true, true, "InBand", false, 1448}));
        AddTestCase(new OffloadTestCase({true, true, "InBand", true, 536}));
        AddTestCase(new OffloadTestCase({true, true, "Compact", false, 1448}));
        AddTestCase(new OffloadTestCase({true, true, "Compact", true, 8960}));
        AddTestCase(new OffloadTestCase({true, true, "CompactReceiver", false, 536}));
        AddTestCase(new OffloadTestCase({true, true, "CompactReceiver", true, 1448}));
        AddTestCase(new RefusedTestCase);
        AddTestCase(new LargeUdpTestCase);
    }
};

HpccSegmentsTestSuite g_hpccSegmentsTestSuite; ///< the suite

} // namespace
