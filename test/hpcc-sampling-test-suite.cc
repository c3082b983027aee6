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
#include <string>
#include <tuple>
#include <vector>

using namespace hpcctest;

namespace
{

/// Tests which packets of a message of 40 packets collect telemetry.
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

    std::string m_feedback;       ///< short name of the feedback
    std::set<uint32_t> m_sampled; ///< packets that collect telemetry
};

/// Tests two flows over two switches that insert records into some packets only.
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
        const auto windows = static_cast<uint64_t>(m_acknowledged.back().completedNs / INTERVAL_NS);
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

    /**
     * Counts the data packets at a port by number of records, if @p before is 1.
     * @param port port of a switch
     * @param before number of switches on the path before the port's switch
     */
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

    std::map<uint32_t, uint64_t> m_packets; ///< arriving packets, by number of records
};

/// Tests a flow over three links. It shares each link with one other flow.
class ThinnedPathTestCase : public RdmaTestCase
{
  public:
    explicit ThinnedPathTestCase(const std::string& cc)
        : RdmaTestCase(cc + ": if each port inserts one record per interval, and flows share the "
                            "records of several ports, a flow over all of them is at most 1.1 "
                            "times as long as with records in every packet, and the 99th "
                            "percentile of the queues is below three quarters of the W_init that "
                            "a flow without control would leave there"),
          m_cc(cc)
    {
    }

  private:
    void DoRun() override
    {
        const double reference = Fct("Always");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(Fct("Interval"), 1.1 * reference, "long flow, ns");
    }

    /// Returns the completion time of the long flow, ns.
    /// @param insertion TelemetryAgent::Insertion
    double Fct(const std::string& insertion)
    {
        DoTeardown();
        m_acknowledged.clear();
        Fabric().SetTelemetryAgentAttribute("Insertion", StringValue(insertion));
        HpccTopology topology;
        for (uint32_t node = 0; node < 12; ++node)
        {
            topology.AddNode(node >= 8);
        }
        const DataRate rate("100Gbps");
        for (auto [a, b] : std::vector<std::pair<uint32_t, uint32_t>>{{0, 8},
                                                                      {1, 8},
                                                                      {2, 9},
                                                                      {3, 9},
                                                                      {4, 10},
                                                                      {5, 10},
                                                                      {6, 11},
                                                                      {7, 11},
                                                                      {8, 9},
                                                                      {9, 10},
                                                                      {10, 11}})
        {
            topology.AddLink({a, b, rate, MicroSeconds(1)});
        }
        Install(topology);
        auto spec = HpccFabricHelper::MakePolicy(m_cc, "int-md");
        std::vector<HpccFlowPlan> flows;
        for (auto [from, to] :
             std::vector<std::pair<uint32_t, uint32_t>>{{0, 7}, {1, 2}, {3, 4}, {5, 6}})
        {
            const uint32_t qp = Fabric().Connect(from, to, spec);
            Post(from, qp, 5000000);
            flows.push_back({from, to, 5000000, 0, qp, 0});
        }
        HpccMonitor monitor(Fabric(), flows, 30 * Fabric().GetNetworkBaseRttNs());
        Simulator::Stop(MilliSeconds(20));
        Simulator::Run();
        const HpccSummary summary = monitor.Summarize();
        NS_TEST_EXPECT_MSG_EQ(summary.flowsFinished, 4, insertion << ": flows finished");
        NS_TEST_EXPECT_MSG_LT(static_cast<double>(summary.queueP99Bytes),
                              0.75 * 12.5 * static_cast<double>(Fabric().GetNetworkBaseRttNs()),
                              insertion << ": queue");
        return static_cast<double>(m_acknowledged.back().completedNs);
    }

    std::string m_cc; ///< short name of the policy
};

/// Base class that runs the 16:1 incast of 500 KB.
class SparseIncastTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    static constexpr uint32_t SENDERS = 16;

    /// Parameters of a run, except the feedback.
    struct Setup
    {
        std::string cc{"hpcc++"};        ///< policy
        std::string telemetry{"int-md"}; ///< telemetry format of the policy
        std::string rate{"100Gbps"};     ///< rate of every link
        std::string locator{}; ///< locator of CSIG; if it is set, CSIG carries available bandwidth
    };

    /**
     * Runs the incast with the default setup.
     * @param feedback short name of the feedback
     * @param literal true to apply the control law exactly as the draft states it
     * @return summary after 30 T
     */
    HpccSummary Incast(const std::string& feedback, bool literal)
    {
        return Incast(Setup(), feedback, literal);
    }

    /**
     * Runs the incast.
     * @param setup policy, telemetry and links
     * @param feedback short name of the feedback
     * @param literal true to apply the control law exactly as the draft states it
     * @return summary after 30 T
     */
    HpccSummary Incast(const Setup& setup, const std::string& feedback, bool literal = false)
    {
        Install(Star(SENDERS + 1, setup.rate, MicroSeconds(1)));
        auto spec = HpccFabricHelper::MakePolicy(setup.cc, setup.telemetry, feedback);
        if (!setup.locator.empty())
        {
            spec.format->SetAttribute("UtilizationSignal", StringValue("AvailableBandwidth"));
            spec.format->SetAttribute("Locator", StringValue(setup.locator));
        }
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
        const std::string what = setup.cc + " over " + setup.telemetry + ", " + feedback;
        NS_TEST_EXPECT_MSG_EQ(summary.flowsFinished, SENDERS, what << ": flows finished");
        NS_TEST_EXPECT_MSG_EQ(GetDrops(), 0, what << ": drops");
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
        : SparseIncastTestCase("switches that insert once per interval, or while they have a "
                               "queue, keep it as short as with every packet")
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
        NS_TEST_EXPECT_MSG_LT_OR_EQ(Incast("packet", false).queueP99Bytes,
                                    every + 2 * 1100,
                                    "per port");
    }
};

class FirstRecordTestCase : public SparseIncastTestCase
{
  public:
    FirstRecordTestCase()
        : SparseIncastTestCase(
              "powertcp: if switches insert at intervals that are long for a flow, "
              "the 99th percentile of the queue is below a quarter of the windows "
              "with which the flows start, because first records count")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& [telemetry, scope, interval] : {std::tuple("int-md", "EachPort", "5us"),
                                                         {"int-md", "EachFlow", "100us"},
                                                         {"sigcomm19", "EachFlow", "100us"}})
        {
            Fabric().SetTelemetryAgentAttribute("Insertion", StringValue("Interval"));
            Fabric().SetTelemetryAgentAttribute("IntervalScope", StringValue(scope));
            Fabric().SetTelemetryAgentAttribute("Interval", StringValue(interval));
            const Setup setup{"powertcp", telemetry};
            const uint64_t queueBytes = Incast(setup, "packet").queueP99Bytes;
            const double rttNs = 4187; // T of this network
            NS_TEST_EXPECT_MSG_LT(static_cast<double>(queueBytes),
                                  0.25 * SENDERS * 12.5 * rttNs,
                                  telemetry << ", " << scope);
        }
    }
};

/// Tests the 16:1 incast with formats that need more than one sample to report both queue and rate.
class SparseFormatTestCase : public SparseIncastTestCase
{
  public:
    SparseFormatTestCase(const std::string& telemetry, const std::vector<std::string>& feedbacks)
        : SparseIncastTestCase("sparse samples over " + telemetry +
                               " keep the 99th percentile of the queue below 25 KB, a packet and a "
                               "half of each flow, whichever packets collect and whichever ACKs "
                               "return"),
          m_telemetry(telemetry),
          m_feedbacks(feedbacks)
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& feedback : m_feedbacks)
        {
            const HpccSummary summary = Incast({"hpcc++", m_telemetry, "100Gbps"}, feedback);
            NS_TEST_EXPECT_MSG_LT_OR_EQ(summary.queueP99Bytes, 25000, feedback);
        }
    }

    std::string m_telemetry;              ///< short name of the format
    std::vector<std::string> m_feedbacks; ///< short names of the feedback modes
};

/// Tests the available bandwidth in CSIG, whose locator encodes the line rate.
class StageTestCase : public SparseIncastTestCase
{
  public:
    StageTestCase()
        : SparseIncastTestCase("stage and direction tell the line rate as a code of it does, and "
                               "that of a link of 20 Gbps, for which there is no code")
    {
    }

  private:
    void DoRun() override
    {
        const HpccSummary code = Incast({"hpcc++", "csig", "100Gbps", "Capacity"}, "packet");
        const HpccSummary stage = Incast({"hpcc++", "csig", "100Gbps", "Stage"}, "packet");
        NS_TEST_EXPECT_MSG_EQ(stage.queueP99Bytes, code.queueP99Bytes, "queue");
        NS_TEST_EXPECT_MSG_EQ(stage.throughputMeanGbps, code.throughputMeanGbps, "throughput");
        const HpccSummary slow = Incast({"hpcc++", "csig", "20Gbps", "Stage"}, "packet");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(slow.queueP99Bytes, 25000, "queue at 20 Gb/s");
    }
};

/// Tests a short flow that joins a long flow on a link of 25 Gb/s, as in the example
/// hpcc-long-short.
class JoinTestCase : public RdmaTestCase
{
  public:
    explicit JoinTestCase(const std::string& telemetry)
        : RdmaTestCase("a short flow that joins a long one over " + telemetry +
                       " with a probe per round takes at most 1.2 times as long as over int-md"),
          m_telemetry(telemetry)
    {
    }

  private:
    void DoRun() override
    {
        const double reference = Fct("int-md");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(Fct(m_telemetry), 1.2 * reference, "short flow, ns");
    }

    /// Returns the completion time of the short flow, ns.
    /// @param telemetry telemetry format
    double Fct(const std::string& telemetry)
    {
        DoTeardown();
        m_acknowledged.clear();
        Install(Star(3, "25Gbps", NanoSeconds(1160)));
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", telemetry, "probe");
        Post(0, Fabric().Connect(0, 2, spec), 12000000);
        Post(1, Fabric().Connect(1, 2, spec), 1000000, MilliSeconds(1));
        Simulator::Stop(MilliSeconds(6));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), 2, telemetry << ": flows finished");
        const RdmaMessageRecord& first = m_acknowledged.front();
        NS_TEST_EXPECT_MSG_EQ(first.bytes, 1000000, telemetry << ": the short one is first");
        return static_cast<double>(first.completedNs - first.postedNs);
    }

    std::string m_telemetry; ///< short name of the format
};

/// Tests line rates for which the SIGCOMM 2019 format has no code.
class OtherRateTestCase : public SparseIncastTestCase
{
  public:
    OtherRateTestCase(const std::string& rate,
                      const std::string& cc,
                      const std::vector<std::string>& formats)
        : SparseIncastTestCase(cc + " knows a line rate of " + rate +
                               " that its telemetry has no code for: the 99th percentile of the "
                               "queue is at most twice that over int-md"),
          m_rate(rate),
          m_cc(cc),
          m_formats(formats)
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t known = Incast({m_cc, "int-md", m_rate}, "packet").queueP99Bytes;
        for (const auto& telemetry : m_formats)
        {
            const HpccSummary summary = Incast({m_cc, telemetry, m_rate}, "packet");
            NS_TEST_EXPECT_MSG_LT_OR_EQ(summary.queueP99Bytes, 2 * known, telemetry);
        }
    }

    std::string m_rate;                 ///< rate of every link
    std::string m_cc;                   ///< short name of the policy
    std::vector<std::string> m_formats; ///< short names of the formats
};

/// Tests uplinks of 267 Gb/s, for which the SIGCOMM 2019 format has no code.
class OversubscribedTestCase : public RdmaTestCase
{
  public:
    OversubscribedTestCase()
        : RdmaTestCase("with uplinks of a third of the hosts' rate, which no code tells, the 99th "
                       "percentile of the queue over sigcomm19 is at most twice that over int-md")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* cc : {"hpcc", "hpcc++", "powertcp"})
        {
            const double known = MeanOfStarts(cc, "int-md");
            NS_TEST_EXPECT_MSG_LT_OR_EQ(MeanOfStarts(cc, "sigcomm19"), 2 * known, cc);
        }
    }

    /**
     * Returns the mean 99th percentile of the queue over several calls of Exchange(). Their start
     * times differ by up to 300 ns, because the percentile of a single run depends on the start
     * times and varies by a factor of 2.
     * @param cc short name of the policy
     * @param telemetry short name of the telemetry format
     * @return mean of the 99th percentiles, bytes
     */
    double MeanOfStarts(const std::string& cc, const std::string& telemetry)
    {
        constexpr uint32_t runs = 3;
        double sum = 0;
        for (uint32_t run = 0; run < runs; ++run)
        {
            auto starts = CreateObject<UniformRandomVariable>();
            starts->SetStream(run);
            sum += static_cast<double>(Exchange(cc, telemetry, starts));
        }
        return sum / runs;
    }

    /**
     * Runs a simulation in which each host sends to one host of the other leaf.
     * @param cc short name of the policy
     * @param telemetry short name of the telemetry format
     * @param starts source of random start times, ns
     * @return 99th percentile of the queue after 15 T, bytes
     */
    uint64_t Exchange(const std::string& cc,
                      const std::string& telemetry,
                      Ptr<UniformRandomVariable> starts)
    {
        constexpr uint32_t hosts = 32;
        constexpr uint64_t bytes = 1000000;
        Install(HpccTopology::ByName("leaf-spine:2,2,16,over=3"));
        const auto spec = HpccFabricHelper::MakePolicy(cc, telemetry);
        std::vector<HpccFlowPlan> flows;
        for (uint32_t host = 0; host < hosts; ++host)
        {
            const uint32_t to = (host + hosts / 2) % hosts;
            const uint32_t qp = Fabric().Connect(host, to, spec);
            const int64_t startNs = starts->GetInteger(0, 300);
            Post(host, qp, bytes, NanoSeconds(startNs));
            flows.push_back({host, to, bytes, startNs, qp, 0});
        }
        HpccMonitor monitor(Fabric(), flows, 15 * Fabric().GetNetworkBaseRttNs());
        Simulator::Stop(MilliSeconds(5));
        Simulator::Run();
        const HpccSummary summary = monitor.Summarize();
        NS_TEST_EXPECT_MSG_EQ(summary.flowsFinished, hosts, cc << ": flows finished");
        NS_TEST_EXPECT_MSG_EQ(summary.settled, true, cc << " settles before a flow finishes");
        m_acknowledged.clear();
        RdmaTestCase::DoTeardown();
        return summary.queueP99Bytes;
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
    for (const char* cc : {"hpcc++", "hpcc", "hpcc++:per-hop", "powertcp"})
    {
        AddTestCase(new ThinnedPathTestCase(cc));
    }
    AddTestCase(new ForwardOutcomeTestCase);
    AddTestCase(new ThinnedOutcomeTestCase);
    AddTestCase(new FirstRecordTestCase);
    const std::vector<std::string> feedbacks{"every-8",
                                             "random",
                                             "per-rtt",
                                             "probe",
                                             "packet:delayed-ack",
                                             "packet:every-8th-ack"};
    AddTestCase(new SparseFormatTestCase("csig", feedbacks));
    AddTestCase(new SparseFormatTestCase("csig-wide", feedbacks));
    AddTestCase(new SparseFormatTestCase("ioam", {"packet:every-8th-ack"}));
    AddTestCase(new StageTestCase);
    AddTestCase(new JoinTestCase("csig"));
    AddTestCase(new JoinTestCase("csig-wide"));
    AddTestCase(new OtherRateTestCase("20Gbps", "hpcc", {"sigcomm19", "sigcomm19:authors"}));
    AddTestCase(new OtherRateTestCase("56Gbps", "hpcc++", {"sigcomm19"}));
    AddTestCase(new OtherRateTestCase("20Gbps", "powertcp", {"sigcomm19"}));
    AddTestCase(new OtherRateTestCase("300Gbps", "hpcc", {"sigcomm19"}));
    AddTestCase(new OversubscribedTestCase);
}

HpccSamplingTestSuite g_hpccSamplingTestSuite; ///< the suite

} // namespace
