/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-tcp-outcome.h"
#include "hpcc-test-tcp.h"

#include "ns3/boolean.h"
#include "ns3/global-value.h"
#include "ns3/hpcc-monitor.h"
#include "ns3/hpcc-port-agent.h"

#include <cstdlib>
#include <list>
#include <random>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint32_t SEGMENT = 1000;

/// Short queues, full links and fair shares, against probes.
class OutcomeTestCase : public TestCase
{
  public:
    OutcomeTestCase(const std::string& feedback, uint32_t senders, const std::string& name)
        : TestCase(name + " with options (" + feedback +
                   ") has at least the goodput of one with probes, and no longer a queue but for a "
                   "packet or two"),
          m_feedback(feedback),
          m_senders(senders)
    {
    }

  private:
    void DoRun() override
    {
        const TcpOutcome probes = Measure("Probe");
        const TcpOutcome options = Measure(m_feedback);
        NS_TEST_EXPECT_MSG_GT(options.goodput, probes.goodput, "goodput, Gb/s");
        NS_TEST_EXPECT_MSG_LT(options.summary.queueP99Bytes,
                              probes.summary.queueP99Bytes + 2 * (SEGMENT + 100),
                              "99th percentile of the queue");
        NS_TEST_EXPECT_MSG_LT(options.summary.queueP99Bytes, 8000, "the same, in all");
        NS_TEST_EXPECT_MSG_GT(options.summary.jainIndex, 0.97, "Jain's index");
        NS_TEST_EXPECT_MSG_EQ(options.summary.drops, 0, "drops");
    }

    TcpOutcome Measure(const std::string& feedback) const
    {
        const uint64_t bytes = m_senders > 2 ? 1000000 : 20000000;
        Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpHpccPlusPlus"));
        Config::SetDefault("ns3::TcpHpccPlusPlus::N", UintegerValue(m_senders > 2 ? 100 : 10));
        HpccFabricHelper fabric;
        fabric.Install(HpccTopology::Star(m_senders + 1, FAST));
        HpccInternetHelper internet;
        internet.SetIpv6(false);
        internet.Install(fabric);
        HpccTcpHelper tcp;
        tcp.SetNicAttribute("Feedback", StringValue(feedback));
        tcp.Install(fabric);
        std::vector<HpccFlowPlan> flows;
        for (uint32_t i = 0; i < m_senders; ++i)
        {
            const bool joins = m_senders == 2 && i > 0;
            flows.push_back(
                {i, m_senders, joins ? bytes / 10 : bytes, joins ? 210000 : 10000, 0, 0});
        }
        const TcpOutcome result = RunBulk(fabric, flows);
        Simulator::Destroy();
        Config::Reset();
        return result;
    }

    std::string m_feedback; ///< attribute of the cards
    uint32_t m_senders;     ///< at once; of two the second joins later and is short
};

/// Sends some frames twice.
class Duplicator : public PortAgent
{
  public:
    /// @param seed of what is drawn
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

    /// @return frames sent twice
    uint64_t GetCopies() const
    {
        return m_copies;
    }

  private:
    std::mt19937_64 m_random; ///< what is drawn from
    uint64_t m_copies{0};     ///< see GetCopies()
};

class RandomCompactTestCase : public TestCase
{
  public:
    RandomCompactTestCase()
        : TestCase("the bytes that were sent arrive under losses, reordering, duplicates "
                   "and a link failure, with options in segments, in random runs")
    {
    }

  private:
    void DoRun() override
    {
        const char* seed = std::getenv("HPCC_TEST_SEED");
        const char* runs = std::getenv("HPCC_TEST_RUNS");
        const uint64_t first = seed ? std::stoull(seed) : 1;
        const uint64_t count = runs ? std::stoull(runs) : 100;
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));
        for (uint64_t i = first; i < first + count; ++i)
        {
            Run(i);
        }
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(false));
        if (count > 20)
        {
            NS_TEST_EXPECT_MSG_GT(m_lost, 0, "frames lost");
            NS_TEST_EXPECT_MSG_GT(m_copies, 0, "frames sent twice");
            NS_TEST_EXPECT_MSG_GT(m_answers, 1000, "answers");
        }
    }

    void Run(uint64_t seed)
    {
        constexpr uint32_t connections = 4;
        constexpr uint32_t hosts = 4;
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
            fabric.ScheduleLinkDown(4 + draw(4), MicroSeconds(20 + draw(50)));
        }
        fabric.Install(WithLosses(HpccTopology::LeafSpine(2, 2, 2, FAST), losses[draw(3)]));
        fabric.AssignStreams(static_cast<int64_t>(1000 * seed));
        std::list<Duplicator> duplicators;
        if (draw(2))
        {
            for (uint32_t node = hosts; node < fabric.GetTopology().GetNodes(); ++node)
            {
                duplicators.emplace_back(seed + node);
                fabric.GetSwitch(node)->AddAgent(&duplicators.back());
            }
        }
        HpccInternetHelper internet;
        internet.Install(fabric);
        HpccTcpHelper tcp;
        tcp.SetSegmentSize(536 + draw(8960 - 536 + 1));
        tcp.SetNicAttribute("Feedback", StringValue(draw(2) ? "Compact" : "CompactReceiver"));
        const uint32_t granularity = draw(3);
        tcp.SetNicAttribute("TagEvery", UintegerValue(granularity == 1 ? 2 + draw(10) : 1));
        tcp.SetNicAttribute("TagOncePerRtt", BooleanValue(granularity == 2));
        tcp.Install(fabric);
        Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1 + draw(2)));
        Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(MicroSeconds(50)));
        Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(draw(2)));
        Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue(draw(2) ? "On" : "Off"));
        Streams streams(20000 + draw(200000));
        for (uint32_t host = 0; host < hosts; ++host)
        {
            streams.Listen(fabric.GetNodes().Get(host));
        }
        for (uint32_t i = 0; i < connections; ++i)
        {
            const uint32_t from = draw(hosts);
            const uint32_t to = (from + 1 + draw(3)) % hosts;
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
        }
        for (const auto& duplicator : duplicators)
        {
            m_copies += duplicator.GetCopies();
        }
        for (uint32_t host = 0; host < hosts; ++host)
        {
            auto card = fabric.GetNodes().Get(host)->GetObject<HpccTcpNic>();
            m_answers += card->GetCounters().answersReceived;
            NS_TEST_EXPECT_MSG_EQ(card->GetConnections() + card->GetCompact()->GetPeers() +
                                      card->GetCompact()->GetPending(),
                                  0,
                                  "left at card " << host << ", HPCC_TEST_SEED=" << seed);
        }
        Simulator::Destroy();
        Config::Reset();
    }

    uint64_t m_lost{0};    ///< frames lost
    uint64_t m_copies{0};  ///< frames sent twice
    uint64_t m_answers{0}; ///< answers
};

/// Whole runs with the largest load in an option of TCP.
class HpccTcpCompactRunsTestSuite : public TestSuite
{
  public:
    HpccTcpCompactRunsTestSuite()
        : TestSuite("hpcc-tcp-compact-runs", Type::SYSTEM)
    {
        for (const char* feedback : {"Compact", "CompactReceiver"})
        {
            AddTestCase(new OutcomeTestCase(feedback, 16, "an incast of 16"));
            AddTestCase(new OutcomeTestCase(feedback, 2, "a long flow that a short one joins,"));
        }
        AddTestCase(new RandomCompactTestCase);
    }
};

HpccTcpCompactRunsTestSuite g_hpccTcpCompactRunsTestSuite; ///< the suite

} // namespace
