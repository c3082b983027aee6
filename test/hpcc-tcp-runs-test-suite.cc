/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-losses.h"
#include "hpcc-test-seeds.h"
#include "hpcc-test-tcp.h"

#include "ns3/boolean.h"
#include "ns3/hpcc-port-agent.h"
#include "ns3/hpcc-receive-offload.h"
#include "ns3/qbb-ip-port.h"

#include <iostream>
#include <list>
#include <random>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint32_t HOSTS = 4;
constexpr uint32_t CONNECTIONS = 4;
constexpr uint8_t PROBE_DSCP = 21;
constexpr uint8_t ANSWER_DSCP = 22;

/// A port agent that sends some frames twice.
class Duplicator : public PortAgent
{
  public:
    /// @param seed seed of the random choices
    explicit Duplicator(uint64_t seed)
        : m_random(seed)
    {
    }

    void OnDequeue(QbbNetDevice& port, Frame& frame, int64_t) override
    {
        if (frame.packet && m_random() % 50 == 0)
        {
            Frame* clone = port.GetAgenda().Frames().Clone(frame);
            clone->packet = frame.packet->Copy();
            port.Emit(clone);
            ++m_copies;
        }
    }

    /// @return number of frames sent twice
    uint64_t GetCopies() const
    {
        return m_copies;
    }

  private:
    std::mt19937_64 m_random; ///< source of random choices
    uint64_t m_copies{0};     ///< see GetCopies()
};

/// Drops probes, answers, and acknowledgements that return telemetry, before a NIC processes them.
class FeedbackLoser : public IpTap
{
  public:
    /**
     * Installs itself in front of the NIC of a host.
     * @param host the host
     * @param permille share of feedback to drop, per mille
     * @param seed seed of the random choices
     */
    FeedbackLoser(RdmaHost& host, Ptr<HpccTcpNic> nic, uint32_t permille, uint64_t seed)
        : m_permille(permille),
          m_random(seed)
    {
        auto& port = QbbIpPort::Of(host.GetPort());
        port.RemoveTaps();
        port.AddTap(this);
        port.AddTap(PeekPointer(nic));
    }

    void Sending(QbbNetDevice&, Frame&) override
    {
    }

    void Sent(QbbNetDevice&) override
    {
    }

    bool Received(QbbNetDevice&, Frame& frame) override
    {
        constexpr uint32_t headers = 120;
        const uint8_t dscp = frame.tos >> 2;
        const bool bare = frame.packet->GetSize() <= headers;
        const bool feedback =
            dscp == ANSWER_DSCP || (bare && (dscp == PROBE_DSCP || frame.format != nullptr));
        const bool loses = feedback && m_random() % 1000 < m_permille;
        m_lost += loses;
        return loses;
    }

    /// Returns the number of packets dropped.
    uint64_t GetLost() const
    {
        return m_lost;
    }

  private:
    uint32_t m_permille;      ///< share of feedback that is dropped, per mille
    std::mt19937_64 m_random; ///< source of random choices
    uint64_t m_lost{0};       ///< see GetLost()
};

/// Counts of events, summed over all runs.
struct Met
{
    uint64_t lost{0};       ///< number of frames lost on links
    uint64_t cut{0};        ///< number of frames lost because a link failed
    uint64_t copies{0};     ///< number of frames sent twice
    uint64_t feedback{0};   ///< number of probes, answers and acknowledgements dropped
    uint64_t unanswered{0}; ///< number of probes or segments that timed out
    uint64_t answers{0};    ///< number of answers received
    uint64_t fellBack{0};   ///< number of connections that fell back
    uint64_t received{0};   ///< number of packets received at ports that join segments
    uint64_t handedUp{0};   ///< number of packets that these ports passed to IP
};

/// The random network of a run and its faults, without the flows.
class Conditions
{
  public:
    /// @param seed seed of the run
    explicit Conditions(uint64_t seed)
        : m_seed(seed),
          m_random(seed)
    {
        SetDefaults();
        MakeFabric();
        InstallTcp();
    }

    /// Returns a random number below @p choices.
    uint32_t Draw(uint32_t choices)
    {
        return static_cast<uint32_t>(m_random() % choices);
    }

    /// Returns the NIC of @p host.
    Ptr<HpccTcpNic> NicOf(uint32_t host) const
    {
        return fabric.GetNodes().Get(host)->GetObject<HpccTcpNic>();
    }

    /// Adds the counts of this run to the sums over all runs.
    /// @param met sums over all runs
    void Add(Met& met) const
    {
        for (const auto& device : fabric.GetDevices())
        {
            met.lost += device->GetDrops(DropReason::RECEIVE_ERROR);
            met.cut += device->GetDrops(DropReason::LINK_DOWN);
            if (const auto* offload = QbbIpPort::Of(*device).GetReceiveOffload())
            {
                met.received += offload->GetCounters().received;
                met.handedUp += offload->GetCounters().handedUp;
            }
        }
        for (const auto& duplicator : m_duplicators)
        {
            met.copies += duplicator.GetCopies();
        }
        for (const auto& loser : m_losers)
        {
            met.feedback += loser.GetLost();
        }
        for (uint32_t host = 0; host < HOSTS; ++host)
        {
            const auto& counters = NicOf(host)->GetCounters();
            met.unanswered += counters.probeTimeouts;
            met.answers += counters.answersReceived;
        }
        met.fellBack += m_fellBack;
    }

    HpccFabricHelper fabric; ///< the network

  private:
    void SetDefaults()
    {
        const char* const others[] = {"TcpDctcp", "TcpCubic", "TcpNewReno"};
        const std::string type = Draw(5) ? "TcpHpccPlusPlus" : others[Draw(3)];
        Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::" + type));
        Config::SetDefault("ns3::QbbNetDevice::Tso", BooleanValue(Draw(2)));
        Config::SetDefault("ns3::QbbNetDevice::TsoMtu", UintegerValue(9216 + Draw(56000)));
        Config::SetDefault("ns3::QbbNetDevice::Gro", BooleanValue(Draw(2)));
        Config::SetDefault("ns3::QbbNetDevice::GroTimeout",
                           TimeValue(NanoSeconds(1 + Draw(20000))));
        Config::SetDefault("ns3::QbbNetDevice::GroGap", TimeValue(NanoSeconds(1 + Draw(2000))));
        Config::SetDefault("ns3::HpccTcpNic::MaxUnanswered", UintegerValue(1 + Draw(8)));
        Config::SetGlobal("ChecksumEnabled", BooleanValue(Draw(2)));
    }

    void MakeFabric()
    {
        const double losses[] = {0, 0.001, 0.01};
        fabric.SetPaths(Draw(2) ? "spray" : "ecmp");
        if (Draw(2))
        {
            // The link joins a leaf and a spine.
            fabric.ScheduleLinkDown(4 + Draw(4), MicroSeconds(20 + Draw(50)));
        }
        fabric.Install(WithLosses(HpccTopology::LeafSpine(2, 2, 2, FAST), losses[Draw(3)]));
        fabric.AssignStreams(static_cast<int64_t>(1000 * m_seed));
        if (Draw(3) == 0)
        {
            for (uint32_t node = HOSTS; node < fabric.GetTopology().GetNodes(); ++node)
            {
                m_duplicators.emplace_back(m_seed + node);
                fabric.GetSwitch(node)->AddAgent(&m_duplicators.back());
            }
        }
    }

    void InstallTcp()
    {
        const char* const feedbacks[] = {"Probe", "InBand", "Compact", "CompactReceiver"};
        const char* const formats[] =
            {"int-md:dscp", "ifa", "csig", "csig-wide", "ioam", "ioam-incremental"};
        const uint32_t permille[] = {0, 10, 200};
        m_internet.Install(fabric);
        HpccTcpHelper tcp;
        tcp.SetSegmentSize(536 + Draw(8960 - 536 + 1));
        const uint32_t feedback = Draw(4);
        tcp.SetNicAttribute("Feedback", StringValue(feedbacks[feedback]));
        const uint32_t choice = Draw(6);
        if (feedback < 2)
        {
            tcp.SetTelemetry(formats[choice]);
        }
        else
        {
            tcp.SetNicAttribute("TagEvery", UintegerValue(choice % 3 == 1 ? 2 + Draw(10) : 1));
            tcp.SetNicAttribute("TagOncePerRtt", BooleanValue(choice % 3 == 2));
        }
        tcp.Install(fabric);
        const uint32_t share = permille[Draw(3)];
        for (uint32_t host = 0; host < HOSTS; ++host)
        {
            m_losers.emplace_back(*fabric.GetHost(host), NicOf(host), share, m_seed + host);
            NicOf(host)->TraceConnectWithoutContext("FellBack",
                                                    MakeCallback(&Conditions::FellBack, this));
        }
        Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1 + Draw(2)));
        Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(MicroSeconds(50)));
        Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(Draw(2)));
        Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(Draw(2)));
        Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue(Draw(2) ? "On" : "Off"));
    }

    void FellBack(uint16_t, uint16_t, std::string)
    {
        ++m_fellBack;
    }

    uint64_t m_seed;                     ///< seed of the run
    std::mt19937_64 m_random;            ///< source of random choices
    HpccInternetHelper m_internet;       ///< IP stacks of the network
    std::list<Duplicator> m_duplicators; ///< duplicators in switches
    std::list<FeedbackLoser> m_losers;   ///< droppers of feedback in hosts
    uint64_t m_fellBack{0};              ///< number of connections that fell back
};

class RandomTestCase : public TestCase
{
  public:
    RandomTestCase()
        : TestCase("the bytes that were sent arrive, whatever carries telemetry, under losses, "
                   "reordering, duplicates, lost feedback and a link failure, with and without "
                   "segmentation and joining, in random runs, and NICs forget them")
    {
    }

  private:
    static constexpr uint64_t QUICK_RUNS = 60; ///< number of runs if HPCC_TEST_RUNS is not set

    void DoRun() override
    {
        const uint64_t runs = ForSeeds(QUICK_RUNS, [this](uint64_t seed) { Run(seed); });
        std::cout << runs << " runs: " << m_met.lost << " frames lost, " << m_met.cut
                  << " with a link, " << m_met.copies << " sent twice, " << m_met.feedback
                  << " of feedback lost, " << m_met.unanswered << " given up, " << m_met.fellBack
                  << " connections fell back, " << m_met.answers << " answers, "
                  << m_met.received - m_met.handedUp << " packets joined\n";
        if (runs < 20)
        {
            return;
        }
        NS_TEST_EXPECT_MSG_GT(m_met.lost, 0, "frames lost");
        NS_TEST_EXPECT_MSG_GT(m_met.cut, 0, "frames lost with a link");
        NS_TEST_EXPECT_MSG_GT(m_met.copies, 0, "frames sent twice");
        NS_TEST_EXPECT_MSG_GT(m_met.feedback, 0, "feedback lost");
        NS_TEST_EXPECT_MSG_GT(m_met.unanswered, 0, "probes given up");
        NS_TEST_EXPECT_MSG_GT(m_met.fellBack, 0, "connections that fell back");
        NS_TEST_EXPECT_MSG_GT(m_met.answers, 1000, "answers");
        NS_TEST_EXPECT_MSG_LT(m_met.handedUp, m_met.received, "packets joined");
    }

    void Run(uint64_t seed)
    {
        {
            Conditions run(seed);
            RunFlows(run, seed);
        }
        Config::Reset();
    }

    void RunFlows(Conditions& run, uint64_t seed)
    {
        Streams streams(20000 + run.Draw(400000));
        for (uint32_t host = 0; host < HOSTS; ++host)
        {
            streams.Listen(run.fabric.GetNodes().Get(host));
        }
        for (uint32_t i = 0; i < CONNECTIONS; ++i)
        {
            const uint32_t from = run.Draw(HOSTS);
            const uint32_t to = (from + 1 + run.Draw(HOSTS - 1)) % HOSTS;
            const bool ipv6 = run.Draw(2);
            Ptr<Node> node = run.fabric.GetNodes().Get(from);
            Simulator::Schedule(MicroSeconds(10 + run.Draw(40)),
                                [node, &streams, to, ipv6] { streams.Open(node, to, ipv6); });
        }
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(streams.GetWrong(), 0, "wrong bytes, HPCC_TEST_SEED=" << seed);
        NS_TEST_EXPECT_MSG_EQ(streams.GetComplete(),
                              CONNECTIONS,
                              "whole streams, HPCC_TEST_SEED=" << seed);
        run.Add(m_met);
        for (uint32_t host = 0; host < HOSTS; ++host)
        {
            const auto nic = run.NicOf(host);
            const auto* compact = nic->GetCompact();
            const std::string where =
                " at NIC " + std::to_string(host) + ", HPCC_TEST_SEED=" + std::to_string(seed);
            NS_TEST_EXPECT_MSG_EQ(nic->GetConnections(), 0, "connections left" << where);
            NS_TEST_EXPECT_MSG_EQ((compact ? compact->GetPeers() : 0), 0, "peers left" << where);
            NS_TEST_EXPECT_MSG_EQ((compact ? compact->GetPending() : 0),
                                  0,
                                  "answers kept" << where);
        }
        Simulator::Destroy();
    }

    Met m_met; ///< sums over all runs
};

/// Tests random runs of HPCC++ on ns-3's TCP.
class HpccTcpRunsTestSuite : public TestSuite
{
  public:
    HpccTcpRunsTestSuite()
        : TestSuite("hpcc-tcp-runs", Type::SYSTEM)
    {
        AddTestCase(new RandomTestCase);
    }
};

HpccTcpRunsTestSuite g_hpccTcpRunsTestSuite; ///< the suite

} // namespace
