/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-tcp-outcome.h"
#include "hpcc-test-tcp.h"

#include "ns3/boolean.h"
#include "ns3/bulk-send-helper.h"
#include "ns3/config.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-frame-codec.h"
#include "ns3/hpcc-internet-helper.h"
#include "ns3/hpcc-monitor.h"
#include "ns3/hpcc-tcp-helper.h"
#include "ns3/hpcc-tcp-nic.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/qbb-ip-port.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-header.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
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
            // An answer may come when the connection is closed.
            NS_TEST_EXPECT_MSG_EQ(counters.answersReceived + counters.ignored,
                                  counters.probesSent,
                                  "answers");
            NS_TEST_EXPECT_MSG_LT(counters.ignored, 2, "answers ignored");
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
        NS_TEST_EXPECT_MSG_LT(m_latePeak, m_peak / 4, "longest queue after 200 us");
    }

    void Transmitted(int64_t, const Frame& frame)
    {
        if (!frame.format)
        {
            m_hashes.insert(frame.flowHash);
        }
    }

    void Arriving(int64_t, const Frame& frame)
    {
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
};

class InBandTestCase : public TcpTestCase
{
  public:
    InBandTestCase()
        : TcpTestCase("data segments that carry telemetry keep their TOS to TCP and a queue short")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t senders = 8;
        constexpr uint64_t bytes = 1000000;
        m_tcp.SetNicAttribute("Feedback", StringValue("InBand"));
        Make(HpccTopology::Star(senders + 1, FAST));
        for (uint32_t i = 0; i < senders; ++i)
        {
            AddBulk(i, senders, bytes, 5000 + i);
            m_fabric.GetNodes().Get(i)->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext(
                "Rx",
                MakeCallback(&InBandTestCase::ReachedIp, this));
        }
        m_fabric.GetNodes().Get(senders)->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext(
            "Rx",
            MakeCallback(&InBandTestCase::ReachedIp, this));
        auto* bottleneck = m_fabric.GetSwitch(senders + 1)->GetPorts()[senders];
        bottleneck->TraceConnectWithoutContext("QueueBytes",
                                               MakeCallback(&InBandTestCase::Queued, this));
        bottleneck->TraceConnectWithoutContext("Transmit",
                                               MakeCallback(&InBandTestCase::Transmitted, this));
        Simulator::Stop(MilliSeconds(3));
        Simulator::Run();
        for (uint32_t i = 0; i < senders; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(m_received[i], bytes, "bytes of flow " << i);
            NS_TEST_EXPECT_MSG_EQ(CardOf(i)->GetCounters().probesSent, 1000, "segments");
            NS_TEST_EXPECT_MSG_EQ(CardOf(i)->GetConnections(), 0, "connections left");
        }
        NS_TEST_EXPECT_MSG_EQ(m_bare, 0, "data segments without telemetry");
        NS_TEST_EXPECT_MSG_EQ(m_wrongBytes, 0, "frames of another size than their bytes");
        NS_TEST_EXPECT_MSG_EQ(m_marked, 0, "packets with another TOS at ns-3's IP");
        NS_TEST_EXPECT_MSG_LT(m_latePeak, 20000, "longest queue after 200 us");
    }

    void Transmitted(int64_t, const Frame& frame)
    {
        if (frame.packet->GetSize() > 1000)
        {
            m_bare += !frame.format || frame.telemetry.hops != 1;
            m_wrongBytes +=
                FrameCodec::Encode(frame, Mac48Address(), Mac48Address()).size() != frame.bytes;
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
        if (Simulator::Now() > MicroSeconds(200))
        {
            m_latePeak = std::max(m_latePeak, bytes);
        }
    }

    uint64_t m_bare{0};       ///< data segments without telemetry
    uint64_t m_wrongBytes{0}; ///< frames of another size than their bytes
    uint64_t m_marked{0};     ///< packets with a TOS at ns-3's IP
    uint64_t m_latePeak{0};   ///< longest queue from 200 us on, bytes
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
        constexpr uint64_t bytes = 30000000;
        m_tcp.SetNicAttribute("Feedback", StringValue(m_feedback));
        Make(HpccTopology::Star(3, FAST));
        m_fabric.GetHost(2)->GetPort().GetIpPort().RemoveTaps();
        AddBulk(0, 2, bytes, 5000);
        AddBulk(0, 1, bytes, 5001);
        CardOf(0)->TraceConnectWithoutContext("FellBack",
                                              MakeCallback(&FallBackTestCase::FellBack, this));
        Simulator::Stop(MilliSeconds(50));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_received[0], bytes, "bytes of the flow without answers");
        NS_TEST_EXPECT_MSG_EQ(m_received[1], bytes, "bytes of the flow with answers");
        NS_TEST_EXPECT_MSG_EQ((m_fallen == std::vector<uint16_t>{5000}),
                              true,
                              "remote port of the connection that fell back");
        NS_TEST_EXPECT_MSG_EQ(CardOf(0)->GetCounters().probeTimeouts, 8, "probes given up");
        NS_TEST_EXPECT_MSG_EQ(CardOf(0)->GetConnections(), 0, "connections left");
    }

    void FellBack(uint16_t, uint16_t remotePort, std::string)
    {
        m_fallen.push_back(remotePort);
    }

    std::string m_feedback;         ///< attribute of the cards
    std::vector<uint16_t> m_fallen; ///< remote ports of connections that fell back
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
        NS_TEST_EXPECT_MSG_EQ(CardOf(0)->GetCounters().probesSent, 0, "probes");
        NS_TEST_EXPECT_MSG_EQ(CardOf(0)->GetConnections(), 0, "connections left");
    }
};

class SharedTestCase : public TcpTestCase
{
  public:
    explicit SharedTestCase(const std::string& feedback)
        : TcpTestCase("TCP (" + feedback +
                      ") and RDMA, both with HPCC++, share a bottleneck fairly"),
          m_feedback(feedback)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t senders = 4;
        constexpr uint64_t bytes = 100000000;
        // All in one priority.
        m_fabric.SetDeviceAttribute("DscpToPriority",
                                    StringValue("0:3,21:3,22:3,23:3,24:3,26:3,48:6"));
        // As many flows as there are. With the default of 100, W_ai is so small against the noise
        // of one sample per round trip that TCP falls behind.
        Config::SetDefault("ns3::TcpHpccPlusPlus::N", UintegerValue(senders));
        m_tcp.SetNicAttribute("Feedback", StringValue(m_feedback));
        Make(HpccTopology::Star(senders + 1, FAST));
        auto spec = HpccFabricHelper::MakePolicy("hpcc++");
        spec.policy.Set("N", UintegerValue(senders));
        for (uint32_t i = 0; i < senders; ++i)
        {
            if (i % 2)
            {
                AddBulk(i, senders, bytes, 5000 + i);
            }
            else
            {
                m_fabric.AddMessage(i, m_fabric.Connect(i, senders, spec), bytes, MicroSeconds(10));
            }
        }
        m_fabric.GetHost(senders)->TraceConnectWithoutContext(
            "Received",
            MakeCallback(&SharedTestCase::Received, this));
        std::vector<uint64_t> before;
        Simulator::Schedule(MilliSeconds(1), [&] { before = Totals(); });
        Simulator::Stop(MilliSeconds(3));
        Simulator::Run();
        const auto after = Totals();
        NS_TEST_ASSERT_MSG_EQ(before.size(), senders, "flows");
        NS_TEST_ASSERT_MSG_EQ(after.size(), senders, "flows");
        double sum = 0;
        double squares = 0;
        for (size_t i = 0; i < senders; ++i)
        {
            const auto rate = static_cast<double>(after[i] - before[i]) * 8 / 2e6;
            NS_TEST_EXPECT_MSG_GT(rate, 10, "Gb/s of flow " << i << ", TCP first");
            sum += rate;
            squares += rate * rate;
        }
        NS_TEST_EXPECT_MSG_GT(sum, 75, "Gb/s of all");
        NS_TEST_EXPECT_MSG_GT(sum * sum / (senders * squares), 0.95, "Jain's index");
    }

    std::vector<uint64_t> Totals() const
    {
        std::vector<uint64_t> totals = m_received;
        for (const auto& [peer, bytes] : m_rdma)
        {
            totals.push_back(bytes);
        }
        return totals;
    }

    void Received(const RdmaQueuePair& qp, int64_t, uint32_t bytes)
    {
        m_rdma[qp.peer] += bytes;
    }

    std::string m_feedback;              ///< attribute of the cards
    std::map<uint32_t, uint64_t> m_rdma; ///< payload by sender
};

/// Flows whose window is below a segment.
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
        // B T is 52 KB, of 16 flows 3.3 KB each. At 75 % of the link all is there after 520 us.
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

/// What the drafts promise of a short queue and a full link, against DCTCP.
class ClaimTestCase : public TestCase
{
  public:
    ClaimTestCase()
        : TestCase("two HPCC++ flows hold the 99th percentile of the queue under 5 % of DCTCP's, "
                   "with 94 % of its goodput, and peak at (N-1) W_init at first")
    {
    }

  private:
    /// What a run gave.
    struct Result
    {
        TcpOutcome outcome; ///< of the flows
        double windowBytes; ///< W_init
    };

    void DoRun() override
    {
        const Result hpcc = Measure("ns3::TcpHpccPlusPlus", "");
        const Result dctcp = Measure("ns3::TcpDctcp", "100Gbps:300000:300000:1");
        NS_TEST_EXPECT_MSG_GT(dctcp.outcome.summary.queueP99Bytes, 250000, "queue of DCTCP");
        NS_TEST_EXPECT_MSG_LT(static_cast<double>(hpcc.outcome.summary.queueP99Bytes),
                              0.05 * static_cast<double>(dctcp.outcome.summary.queueP99Bytes),
                              "queue of HPCC++");
        NS_TEST_EXPECT_MSG_GT(hpcc.outcome.goodput,
                              0.94 * dctcp.outcome.goodput,
                              "goodput of HPCC++");
        // Payload and headers; a packet or two on their way do not stand in the queue.
        const auto peak = static_cast<double>(hpcc.outcome.summary.queuePeakBytes);
        NS_TEST_EXPECT_MSG_GT(peak, 0.95 * hpcc.windowBytes, "first peak");
        NS_TEST_EXPECT_MSG_LT(peak, 1.15 * hpcc.windowBytes, "first peak");
        NS_TEST_EXPECT_MSG_EQ(hpcc.outcome.summary.drops + dctcp.outcome.summary.drops, 0, "drops");
    }

    static Result Measure(const std::string& control, const std::string& marking)
    {
        constexpr uint32_t senders = 2;
        constexpr uint64_t bytes = 20000000;
        Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue(control));
        // As many flows as are to be expected; the default is 100.
        Config::SetDefault("ns3::TcpHpccPlusPlus::N", UintegerValue(10));
        HpccFabricHelper fabric;
        if (!marking.empty())
        {
            fabric.SetEcnAttribute("Thresholds", StringValue(marking));
        }
        fabric.Install(HpccTopology::Star(senders + 1, FAST));
        HpccInternetHelper internet;
        internet.SetIpv6(false);
        internet.Install(fabric);
        HpccTcpHelper().Install(fabric);
        std::vector<HpccFlowPlan> flows;
        for (uint32_t i = 0; i < senders; ++i)
        {
            flows.push_back({i, senders, bytes / (1 + 9 * i), 10000 + 200000 * i, 0, 0});
        }
        Result result{RunBulk(fabric, flows),
                      12.5 * static_cast<double>(fabric.GetNetworkBaseRttNs())};
        Simulator::Destroy();
        Config::Reset();
        return result;
    }
};

class LossTestCase : public TcpTestCase
{
  public:
    explicit LossTestCase(double lossRate)
        : TcpTestCase("the bytes of many short connections arrive with losses of " +
                      std::to_string(lossRate) + " on each link, and the card forgets them"),
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
        NS_TEST_EXPECT_MSG_EQ(CardOf(0)->GetConnections(), 0, "connections left at the card");
    }

    double m_lossRate; ///< of each link
};

class RandomTestCase : public TestCase
{
  public:
    RandomTestCase()
        : TestCase("the bytes that were sent arrive under losses, reordering, lost probes and a "
                   "link failure, in random runs")
    {
    }

  private:
    void DoRun() override
    {
        const char* seed = std::getenv("HPCC_TEST_SEED");
        const char* runs = std::getenv("HPCC_TEST_RUNS");
        const uint64_t first = seed ? std::stoull(seed) : 1;
        const uint64_t count = runs ? std::stoull(runs) : 200;
        for (uint64_t i = first; i < first + count; ++i)
        {
            Run(i);
        }
        if (count > 20)
        {
            NS_TEST_EXPECT_MSG_GT(m_lost, 0, "frames lost");
            NS_TEST_EXPECT_MSG_GT(m_cut, 0, "frames lost with a link");
            NS_TEST_EXPECT_MSG_GT(m_unanswered, 0, "probes given up");
        }
    }

    void Run(uint64_t seed)
    {
        constexpr uint32_t connections = 4;
        std::mt19937_64 random(seed);
        auto draw = [&random](uint32_t choices) {
            return static_cast<uint32_t>(random() % choices);
        };
        const double losses[] = {0, 0.001, 0.01};
        Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpHpccPlusPlus"));
        HpccFabricHelper fabric;
        fabric.SetPaths(draw(2) ? "spray" : "ecmp");
        if (draw(2))
        {
            // Between a leaf and a spine.
            fabric.ScheduleLinkDown(4 + draw(4), MicroSeconds(20 + draw(50)));
        }
        fabric.Install(WithLosses(HpccTopology::LeafSpine(2, 2, 2, FAST), losses[draw(3)]));
        fabric.AssignStreams(static_cast<int64_t>(1000 * seed));
        HpccInternetHelper internet;
        internet.Install(fabric);
        HpccTcpHelper tcp;
        tcp.SetSegmentSize(536 + draw(8960 - 536 + 1));
        tcp.SetNicAttribute("Feedback", StringValue(draw(2) ? "InBand" : "Probe"));
        tcp.Install(fabric);
        Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1 + draw(2)));
        Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(MicroSeconds(50)));
        Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(draw(2)));
        Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue(draw(2) ? "On" : "Off"));
        Streams streams(20000 + draw(200000));
        for (uint32_t host = 0; host < 4; ++host)
        {
            streams.Listen(fabric.GetNodes().Get(host));
        }
        for (uint32_t i = 0; i < connections; ++i)
        {
            const uint32_t from = draw(4);
            const uint32_t to = (from + 1 + draw(3)) % 4;
            const bool ipv6 = draw(2);
            Simulator::Schedule(MicroSeconds(10 + draw(40)), [&fabric, &streams, from, to, ipv6] {
                streams.Open(fabric.GetNodes().Get(from), to, ipv6);
            });
        }
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(streams.GetWrong(), 0, "wrong bytes, HPCC_TEST_SEED=" << seed);
        NS_TEST_EXPECT_MSG_EQ(streams.GetComplete(),
                              connections,
                              "whole streams, HPCC_TEST_SEED=" << seed);
        for (const auto& device : fabric.GetDevices())
        {
            m_lost += device->GetDrops(DropReason::RECEIVE_ERROR);
            m_cut += device->GetDrops(DropReason::LINK_DOWN);
        }
        for (uint32_t host = 0; host < 4; ++host)
        {
            m_unanswered +=
                fabric.GetNodes().Get(host)->GetObject<HpccTcpNic>()->GetCounters().probeTimeouts;
        }
        Simulator::Destroy();
        Config::Reset();
    }

    uint64_t m_lost{0};       ///< frames lost
    uint64_t m_cut{0};        ///< frames lost with a link
    uint64_t m_unanswered{0}; ///< probes given up
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
        AddTestCase(new InBandTestCase);
        AddTestCase(new FallBackTestCase("Probe"));
        AddTestCase(new FallBackTestCase("InBand"));
        AddTestCase(new OtherControlTestCase);
        AddTestCase(new SharedTestCase("Probe"));
        AddTestCase(new SharedTestCase("InBand"));
        AddTestCase(new SmallWindowTestCase);
        AddTestCase(new ClaimTestCase);
        AddTestCase(new LossTestCase(0));
        AddTestCase(new LossTestCase(0.01));
        AddTestCase(new RandomTestCase);
    }
};

HpccTcpTestSuite g_hpccTcpTestSuite; ///< the suite

} // namespace
