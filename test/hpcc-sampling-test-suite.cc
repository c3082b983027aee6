/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-rdma.h"

#include "ns3/hpcc-monitor.h"
#include "ns3/rdma-hpcc-base.h"

#include <map>
#include <set>

using namespace hpcctest;

namespace
{

/// One message of 40 packets, of which the sender chooses those that collect.
class ForwardTestCase : public RdmaTestCase
{
  public:
    ForwardTestCase(const std::string& feedback, const std::set<uint32_t>& sampled)
        : RdmaTestCase(feedback + ": the packets meant to collect telemetry carry it, with their "
                                  "ACKs; the others and theirs are as without telemetry"),
          m_feedback(feedback),
          m_sampled(sampled)
    {
    }

  private:
    void DoRun() override
    {
        Install(Star(2, "100Gbps", MicroSeconds(1)));
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", "int-md", m_feedback);
        const uint32_t qp = Fabric().Connect(0, 1, spec);
        const TelemetryFormat* format = PeekPointer(spec.format);
        uint32_t packets = 0;
        uint32_t acks = 0;
        OnTransmit(Host(0).GetPort(), [&](int64_t, const Frame& frame) {
            const bool sampled = m_sampled.count(frame.psn);
            packets += frame.payloadBytes > 0;
            NS_TEST_EXPECT_MSG_EQ((frame.format != nullptr), sampled, "packet " << frame.psn);
            NS_TEST_EXPECT_MSG_EQ(frame.bytes,
                                  Host(0).DataFrameBytes(frame.payloadBytes,
                                                         frame.opcode,
                                                         sampled ? format : nullptr),
                                  "its bytes");
        });
        OnTransmit(Host(1).GetPort(), [&](int64_t, const Frame& frame) {
            const bool sampled = m_sampled.count(frame.psn);
            ++acks;
            NS_TEST_EXPECT_MSG_EQ((frame.format != nullptr), sampled, "ACK " << frame.psn);
            NS_TEST_EXPECT_MSG_EQ(frame.bytes,
                                  Host(1).AckFrameBytes(sampled ? format : nullptr, 1),
                                  "its bytes");
        });
        Post(0, qp, 40000);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(packets, 40, "packets");
        NS_TEST_EXPECT_MSG_EQ(acks, 40, "ACKs");
        NS_TEST_EXPECT_MSG_EQ(AllFramesFree(), true, "frames returned");
    }

    std::string m_feedback;       ///< short name
    std::set<uint32_t> m_sampled; ///< packets that collect
};

/// Two flows over two switches that insert once in a while.
class ThinnedTestCase : public RdmaTestCase
{
  public:
    ThinnedTestCase()
        : RdmaTestCase("switches that insert once per interval and flow do so, and a hop that "
                       "skips a packet is no path change")
    {
    }

  private:
    static constexpr int64_t INTERVAL_NS = 5000;

    void DoRun() override
    {
        Fabric().SetTelemetryAgentAttribute("Insertion", StringValue("Interval"));
        Fabric().SetTelemetryAgentAttribute("IntervalScope", StringValue("EachFlow"));
        HpccTopology topology;
        for (uint32_t node = 0; node < 6; ++node)
        {
            topology.AddNode(node >= 4);
        }
        const DataRate rate("100Gbps");
        for (auto [a, b] :
             std::vector<std::pair<uint32_t, uint32_t>>{{0, 4}, {1, 4}, {2, 5}, {3, 5}, {4, 5}})
        {
            topology.AddLink({a, b, rate, MicroSeconds(1)});
        }
        Install(topology);
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", "int-md");
        std::map<uint32_t, uint32_t> resets;
        for (uint32_t host : {0, 1})
        {
            const uint32_t qp = Fabric().Connect(host, host + 2, spec);
            Post(host, qp, 2000000);
            auto* ops = dynamic_cast<RdmaHpccBase*>(Host(host).GetQueuePair(qp).ops);
            ops->TraceConnectWithoutContext("Reset", MakeBoundCallback(&CountReset, &resets));
            for (uint32_t at : {4, 5})
            {
                Count(*Fabric().GetSwitch(at)->GetPorts()[at == 4 ? 2 : host], at - 4);
            }
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), 2, "flows finished");
        const int64_t windows = m_acknowledged.back().completedNs / INTERVAL_NS;
        NS_TEST_EXPECT_MSG_GT(m_packets[0], 20, "packets without a report");
        NS_TEST_EXPECT_MSG_GT(m_packets[1], 20, "packets with one");
        NS_TEST_EXPECT_MSG_GT(m_packets[2], 0, "packets with both");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(m_packets[1] + 2 * m_packets[2],
                                    2 * 2 * (windows + 1),
                                    "reports, one per switch, flow and interval");
        NS_TEST_EXPECT_MSG_EQ(resets[static_cast<uint32_t>(HpccReset::PATH_CHANGE)],
                              0,
                              "paths taken for changed");
    }

    /// @param port of a switch @param before reports of the switches before
    void Count(QbbNetDevice& port, uint32_t before)
    {
        OnTransmit(port, [this, before](int64_t, const Frame& frame) {
            if (before == 1 && frame.payloadBytes > 0)
            {
                ++m_packets[frame.telemetry.hops];
            }
        });
    }

    static void CountReset(std::map<uint32_t, uint32_t>* resets, uint32_t, HpccReset why)
    {
        ++(*resets)[static_cast<uint32_t>(why)];
    }

    std::map<uint32_t, uint64_t> m_packets; ///< that arrive, by reports
};

/// The 16:1 incast of 500 KB.
class SparseIncastTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    static constexpr uint32_t SENDERS = 16;

    /// @param feedback short name @param literal whether the law is the draft's to the letter
    /// @return what happened from 30 T on
    HpccSummary Incast(const std::string& feedback, bool literal)
    {
        Install(Star(SENDERS + 1, "100Gbps", MicroSeconds(1)));
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", "int-md", feedback);
        if (literal)
        {
            spec.policy.Set("QueueFilter", StringValue("Min"));
            spec.policy.Set("FirstSample", StringValue("Skip"));
        }
        std::vector<HpccFlowPlan> flows;
        for (uint32_t host = 0; host < SENDERS; ++host)
        {
            const uint32_t qp = Fabric().Connect(host, SENDERS, spec);
            Post(host, qp, 500000);
            flows.push_back({host, SENDERS, 500000, 0, qp, 0});
        }
        HpccMonitor monitor(Fabric(), flows, 30 * Fabric().GetNetworkBaseRttNs());
        Simulator::Stop(MilliSeconds(20));
        Simulator::Run();
        const HpccSummary summary = monitor.Summarize();
        NS_TEST_EXPECT_MSG_EQ(summary.flowsFinished, SENDERS, feedback << ": flows finished");
        NS_TEST_EXPECT_MSG_EQ(GetDrops(), 0, feedback << ": drops");
        m_acknowledged.clear();
        RdmaTestCase::DoTeardown();
        return summary;
    }
};

class ForwardOutcomeTestCase : public SparseIncastTestCase
{
  public:
    ForwardOutcomeTestCase()
        : SparseIncastTestCase("sparse samples keep the 99th percentile of the queue within two "
                               "packets of that with every packet; without the rules for them a "
                               "sample per RTT leaves more than 100 KB")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t every = Incast("packet", false).queueP99Bytes;
        for (const char* feedback : {"every-8", "random", "per-rtt"})
        {
            NS_TEST_EXPECT_MSG_LT_OR_EQ(Incast(feedback, false).queueP99Bytes,
                                        every + 2 * 1100,
                                        feedback);
        }
        NS_TEST_EXPECT_MSG_GT(Incast("per-rtt", true).queueP99Bytes, 100000, "literally");
        NS_TEST_EXPECT_MSG_EQ(Incast("packet", true).queueP99Bytes,
                              every,
                              "with every packet the rules are the literal ones");
    }
};

class ThinnedOutcomeTestCase : public SparseIncastTestCase
{
  public:
    ThinnedOutcomeTestCase()
        : SparseIncastTestCase("switches that insert once per interval and flow, or while they "
                               "have a queue, keep it as short as with every packet")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t every = Incast("packet", false).queueP99Bytes;
        Fabric().SetTelemetryAgentAttribute("Insertion", StringValue("Congestion"));
        NS_TEST_EXPECT_MSG_LT_OR_EQ(Incast("packet", false).queueP99Bytes,
                                    every + 2 * 1100,
                                    "upon congestion");
        Fabric().SetTelemetryAgentAttribute("Insertion", StringValue("Interval"));
        Fabric().SetTelemetryAgentAttribute("IntervalScope", StringValue("EachFlow"));
        NS_TEST_EXPECT_MSG_LT_OR_EQ(Incast("packet", false).queueP99Bytes,
                                    every + 2 * 1100,
                                    "per flow");
        Fabric().SetTelemetryAgentAttribute("Insertion", StringValue("Interval"));
        NS_TEST_EXPECT_MSG_GT(Incast("packet", false).queueP99Bytes,
                              5 * every,
                              "per port: the flows share the samples of one");
    }
};

class HpccSamplingTestSuite : public TestSuite
{
  public:
    HpccSamplingTestSuite();
};

HpccSamplingTestSuite::HpccSamplingTestSuite()
    : TestSuite("hpcc-sampling", Type::SYSTEM)
{
    AddTestCase(new ForwardTestCase("every-8", {0, 8, 16, 24, 32}));
    AddTestCase(new ForwardTestCase("per-rtt", {0}));
    AddTestCase(new ThinnedTestCase);
    AddTestCase(new ForwardOutcomeTestCase);
    AddTestCase(new ThinnedOutcomeTestCase);
}

HpccSamplingTestSuite g_hpccSamplingTestSuite; ///< the suite

} // namespace
