/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-seeds.h"
#include "hpcc-test-tcp-outcome.h"
#include "hpcc-test-tcp.h"

#include "ns3/hpcc-monitor.h"

#include <map>
#include <string>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint32_t SEGMENT = 1000;

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
        // Map all traffic to one priority.
        m_fabric.SetDeviceAttribute("DscpToPriority",
                                    StringValue("0:3,21:3,22:3,23:3,24:3,26:3,48:6"));
        // Set N to the actual number of flows. With the default of 100, W_ai would be small
        // compared with the noise of one sample per round trip, and TCP flows would get less
        // throughput than RDMA flows.
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

    std::string m_feedback;              ///< attribute Feedback of the NICs
    std::map<uint32_t, uint64_t> m_rdma; ///< payload by sender
};

/// Tests the drafts' claim that the queue is short and the link is full, by comparison with DCTCP.
class ClaimTestCase : public TestCase
{
  public:
    ClaimTestCase()
        : TestCase("two HPCC++ flows hold the 99th percentile of the queue under 5 % of DCTCP's, "
                   "with 94 % of its goodput, and peak at (N-1) W_init at first")
    {
    }

  private:
    /// Results of a run.
    struct Result
    {
        TcpOutcome outcome; ///< results of the flows
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
        // The peak includes payload and headers. One or two packets in flight are not in the queue.
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
        // Set N, which determines W_ai, to the actual number of flows.
        Config::SetDefault("ns3::TcpHpccPlusPlus::N", UintegerValue(senders));
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

/// Compares queues, throughput and fairness of other feedback modes with those of probes.
class OutcomeTestCase : public TestCase
{
  public:
    OutcomeTestCase(const std::string& feedback, uint32_t senders, const std::string& name)
        : TestCase(name + " with options (" + feedback +
                   ") has at least the goodput of one with probes, and a queue at most two "
                   "packets longer"),
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

    std::string m_feedback; ///< attribute Feedback of the NICs
    uint32_t m_senders;     ///< number of senders; if there are two, the second starts later and
                            ///< sends less
};

/// Tests queues, goodput and fairness of HPCC++ in ns-3's TCP.
class HpccTcpOutcomesTestSuite : public TestSuite
{
  public:
    HpccTcpOutcomesTestSuite()
        : TestSuite("hpcc-tcp-outcomes", Type::SYSTEM)
    {
        AddTestCase(new ClaimTestCase);
        AddTestCase(new SharedTestCase("Probe"));
        AddTestCase(new SharedTestCase("InBand"));
        for (const char* feedback : {"Compact", "CompactReceiver"})
        {
            AddTestCase(new OutcomeTestCase(feedback, 16, "an incast of 16"));
            if (FullOrShort(true, false))
            {
                AddTestCase(
                    new OutcomeTestCase(feedback, 2, "a long flow that a short one joins,"));
            }
        }
    }
};

HpccTcpOutcomesTestSuite g_hpccTcpOutcomesTestSuite; ///< the suite

} // namespace
