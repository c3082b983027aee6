/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests policies whose control law runs at the switches: the shares that flows reach, and the
// coexistence with other policies.

#include "hpcc-test-rdma.h"

#include "ns3/config.h"
#include "ns3/hpcc-switch-agent.h"
#include "ns3/hpcc-type-id.h"

#include <algorithm>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr double LINE_BPS = 100e9;

/**
 * Base class with a row of switches. One long flow crosses all links between the switches. In
 * addition, each of these links has its own short flows. Every host has only one flow, so the links
 * of the row are the only bottlenecks.
 */
class ParkingLotTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    /**
     * @param shorts number of short flows on each link of the row
     */
    void Build(const std::vector<uint32_t>& shorts)
    {
        const DataRate rate("100Gbps");
        const Time delay = MicroSeconds(1);
        HpccTopology topology;
        std::vector<uint32_t> row;
        for (size_t i = 0; i <= shorts.size(); ++i)
        {
            row.push_back(topology.AddNode(true));
            if (i > 0)
            {
                topology.AddLink({row[i - 1], row[i], rate, delay});
            }
        }
        auto flow = [&](uint32_t from, uint32_t to) {
            const uint32_t source = topology.AddNode(false);
            const uint32_t destination = topology.AddNode(false);
            topology.AddLink({source, row[from], rate, delay});
            topology.AddLink({destination, row[to], rate, delay});
            m_ends.emplace_back(source, destination);
        };
        flow(0, static_cast<uint32_t>(shorts.size()));
        for (uint32_t i = 0; i < shorts.size(); ++i)
        {
            for (uint32_t n = 0; n < shorts[i]; ++n)
            {
                flow(i, i + 1);
            }
        }
        Install(topology);
    }

    /**
     * Runs all flows with unlimited data.
     * @param policy short names of the policies of the flows, in order; the last name is used for
     * all further flows
     * @param from start of the measurement
     * @param until end of the measurement and of the run
     * @return goodput of each flow, the long flow first, as a share of the goodput that this flow
     * could reach alone on a link
     */
    std::vector<double> Run(const std::vector<std::string>& policy, Time from, Time until)
    {
        std::vector<HpccFabricHelper::PolicySpec> specs;
        for (const auto& name : policy)
        {
            specs.push_back(HpccFabricHelper::MakePolicy(name));
        }
        std::vector<double> bytes(m_ends.size(), 0);
        std::vector<double> shares;
        for (size_t i = 0; i < m_ends.size(); ++i)
        {
            const auto& spec = specs[std::min(i, specs.size() - 1)];
            auto [source, destination] = m_ends[i];
            const uint32_t qp = Fabric().Connect(source, destination, spec);
            Post(source, qp, 1'000'000'000, static_cast<double>(i) * m_stagger);
            OnReceived(destination, [&bytes, from, i](int64_t nowNs, uint32_t received) {
                bytes[i] += nowNs >= from.GetNanoSeconds() ? received : 0;
            });
            RdmaHost& host = Host(source);
            const uint32_t linkBytes = host.GetPort().GetLinkBytes(
                host.DataFrameBytes(host.GetMtu(), ROCE_WRITE_MIDDLE, PeekPointer(spec.format)));
            shares.push_back(8 / (until - from).GetSeconds() * linkBytes / host.GetMtu() /
                             LINE_BPS);
        }
        Fabric().EndAt(until);
        Simulator::Run();
        for (size_t i = 0; i < shares.size(); ++i)
        {
            shares[i] *= bytes[i];
        }
        NS_TEST_EXPECT_MSG_EQ(GetDrops(), 0, "drops");
        return shares;
    }

    /**
     * Expects max-min shares.
     * @param shares measured shares
     * @param expected max-min shares
     * @param tolerance relative tolerance
     */
    void ExpectShares(const std::vector<double>& shares,
                      const std::vector<double>& expected,
                      double tolerance)
    {
        for (size_t i = 0; i < shares.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(shares[i],
                                      expected[i],
                                      tolerance * expected[i],
                                      "share of flow " << i);
        }
    }

    void DoTeardown() override
    {
        RdmaTestCase::DoTeardown();
        m_ends.clear();
        m_hooks.clear();
    }

    Time m_stagger; ///< time between two consecutive starts

  private:
    using ReceivedHook = std::function<void(int64_t nowNs, uint32_t bytes)>;

    /**
     * Sets a function that is called for bytes that a host receives in order.
     * @param host the host
     * @param hook the function
     */
    void OnReceived(uint32_t host, ReceivedHook hook)
    {
        m_hooks.push_back(std::move(hook));
        Host(host).TraceConnectWithoutContext(
            "Received",
            MakeBoundCallback(&ParkingLotTestCase::CallHook, &m_hooks.back()));
    }

    static void CallHook(ReceivedHook* hook, const RdmaQueuePair&, int64_t nowNs, uint32_t bytes)
    {
        (*hook)(nowNs, bytes);
    }

    std::vector<std::pair<uint32_t, uint32_t>> m_ends; ///< source and destination of each flow
    std::list<ReceivedHook> m_hooks;                   ///< functions that are called on arrivals
};

/// Compares the shares of flows with the max-min fair shares.
class MaxMinTestCase : public ParkingLotTestCase
{
  public:
    /**
     * @param policy short name of the policy
     * @param shorts number of short flows on each link
     * @param expected max-min share of each flow
     * @param tolerance relative tolerance
     */
    MaxMinTestCase(const std::string& policy,
                   const std::vector<uint32_t>& shorts,
                   const std::vector<double>& expected,
                   double tolerance)
        : ParkingLotTestCase(policy + " gives each flow its max-min share of " +
                             std::to_string(shorts.size()) + " links with " +
                             std::to_string(shorts.back()) + " short flows on the last"),
          m_policy(policy),
          m_shorts(shorts),
          m_expected(expected),
          m_tolerance(tolerance)
    {
    }

  private:
    void DoRun() override
    {
        Build(m_shorts);
        ExpectShares(Run({m_policy}, MilliSeconds(1), MilliSeconds(3)), m_expected, m_tolerance);
    }

    std::string m_policy;
    std::vector<uint32_t> m_shorts;
    std::vector<double> m_expected;
    double m_tolerance;
};

/// Tests the effect of a parameter of a control law on the shares of a parking lot of two links.
class ParameterTestCase : public ParkingLotTestCase
{
  public:
    /**
     * @param name the sentence that the case proves
     * @param policy short name of the policy
     * @param attribute name of the attribute, including its class
     * @param value value of the attribute
     * @param expected share of every flow with this value
     */
    ParameterTestCase(const std::string& name,
                      const std::string& policy,
                      const std::string& attribute,
                      double value,
                      double expected)
        : ParkingLotTestCase(name),
          m_policy(policy),
          m_attribute(attribute),
          m_value(value),
          m_expected(expected)
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault(m_attribute, DoubleValue(m_value));
        Build({1, 1});
        auto shares = Run({m_policy}, MilliSeconds(1), MilliSeconds(3));
        ExpectShares(shares, {m_expected, m_expected, m_expected}, 0.05);
    }

    void DoTeardown() override
    {
        Config::Reset();
        ParkingLotTestCase::DoTeardown();
    }

    std::string m_policy;
    std::string m_attribute;
    double m_value;
    double m_expected;
};

/// Tests two flows on one link. The second flow starts later.
class ShuffleTestCase : public ParkingLotTestCase
{
  public:
    ShuffleTestCase()
        : ParkingLotTestCase("the bandwidth that xcp shuffles gives a later flow its share")
    {
    }

  private:
    void DoRun() override
    {
        const auto shuffled = Share(0.1);
        ExpectShares(shuffled, {0.5, 0.5}, 0.05);
        const auto unshuffled = Share(0);
        NS_TEST_EXPECT_MSG_GT(unshuffled[0], 0.6, "the first flow keeps what it had");
    }

    std::vector<double> Share(double gamma)
    {
        Config::SetDefault("ns3::XcpAgent::Gamma", DoubleValue(gamma));
        m_stagger = MicroSeconds(300);
        Build({1});
        auto shares = Run({"xcp"}, MilliSeconds(1), MilliSeconds(2));
        DoTeardown();
        return shares;
    }

    void DoTeardown() override
    {
        Config::Reset();
        ParkingLotTestCase::DoTeardown();
    }
};

/// Tests a flow that shares one link with a flow of dcqcn.
class CoexistenceTestCase : public ParkingLotTestCase
{
  public:
    explicit CoexistenceTestCase(const std::string& policy)
        : ParkingLotTestCase(policy + " makes room for dcqcn, which its switches count"),
          m_policy(policy)
    {
    }

  private:
    void DoRun() override
    {
        Build({1});
        uint64_t peak = 0;
        uint64_t late = 0;
        OnQueue(*Fabric().GetSwitch(0)->GetPorts()[0], [&](int64_t nowNs, uint64_t bytes) {
            peak = std::max(peak, bytes);
            late = nowNs > 2'000'000 ? std::max(late, bytes) : late;
        });
        auto shares = Run({m_policy, "dcqcn"}, MilliSeconds(2), MilliSeconds(5));
        // dcqcn keeps the link full and maintains a queue. Therefore the other policy reduces its
        // rate. If switches ignored the traffic of dcqcn, the other policy would keep half of the
        // link.
        NS_TEST_EXPECT_MSG_GT(shares[0], 0.0001, m_policy << " goes on");
        NS_TEST_EXPECT_MSG_LT(shares[0], 0.05, m_policy << " makes room");
        NS_TEST_EXPECT_MSG_EQ_TOL(shares[0] + shares[1], 1, 0.01, "the link is full");
        // The bound is the threshold above which packets are marked for dcqcn at this rate.
        NS_TEST_EXPECT_MSG_LT(late, 400'000, "queue after the start, whose peak is " << peak);
    }

    std::string m_policy;
};

/// Tests that policies with a switch agent and other policies can share a link.
class TogetherTestCase : public ParkingLotTestCase
{
  public:
    TogetherTestCase()
        : ParkingLotTestCase("all agents run side by side and leave the others' headers alone")
    {
    }

  private:
    void DoRun() override
    {
        Build({4});
        const auto shares =
            Run({"rcp", "xcp", "hpcc-pint", "hpcc++", "dcqcn"}, MilliSeconds(1), MilliSeconds(2));
        double sum = 0;
        for (size_t i = 0; i < shares.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_GT(shares[i], 0.0005, "share of flow " << i);
            sum += shares[i];
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(sum, 1, 0.01, "the link is in use");
    }
};

/// Base class with an incast: 16 endless flows start at the same time and send to one host at 100
/// Gb/s.
class IncastTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    /// Measurements at the port to the receiver.
    struct Outcome
    {
        double peakBytes;    ///< longest queue
        double settledBytes; ///< longest queue in the second half of the run, bytes
        double share;        ///< rate in the second half of the run, as a share of the line rate
        double jain;         ///< Jain's index of the numbers of packets of the flows in the second
                             ///< half of the run
    };

    /**
     * Runs an incast of 16 flows.
     * @param cc short name of the policy
     * @param telemetry short name of the format; empty: the default of the policy
     * @param until end of the run
     * @param attributes attributes of the policy
     */
    Outcome Incast(const std::string& cc,
                   const std::string& telemetry,
                   Time until,
                   const std::map<std::string, double>& attributes = {})
    {
        constexpr uint32_t senders = 16;
        const int64_t halfNs = until.GetNanoSeconds() / 2;
        auto spec = HpccFabricHelper::MakePolicy(cc, telemetry);
        for (const auto& [name, value] : attributes)
        {
            spec.policy.Set(name, DoubleValue(value));
        }
        Install(Star(senders + 1, "100Gbps", MicroSeconds(1)));
        for (uint32_t i = 1; i <= senders; ++i)
        {
            Post(i, Fabric().Connect(i, 0, spec), 1'000'000'000);
        }
        Outcome outcome{};
        std::map<uint32_t, double> packets;
        QbbNetDevice& port = *Fabric().GetSwitch(senders + 1)->GetPorts()[0];
        OnQueue(port, [&outcome, halfNs](int64_t nowNs, uint64_t bytes) {
            const auto queue = static_cast<double>(bytes);
            outcome.peakBytes = std::max(outcome.peakBytes, queue);
            outcome.settledBytes = std::max(outcome.settledBytes, nowNs > halfNs ? queue : 0);
        });
        OnTransmit(port, [&](int64_t nowNs, const Frame& frame) {
            if (nowNs > halfNs)
            {
                outcome.share += port.GetLinkBytes(frame.bytes) * 8e9 / (halfNs * LINE_BPS);
                packets[frame.source] += 1;
            }
        });
        Fabric().EndAt(until);
        Simulator::Run();
        double sum = 0;
        double squares = 0;
        for (const auto& [source, count] : packets)
        {
            sum += count;
            squares += count * count;
        }
        outcome.jain = sum * sum / (senders * squares);
        NS_TEST_EXPECT_MSG_EQ(GetDrops() + GetPauses(), 0, "drops and pauses");
        DoTeardown();
        return outcome;
    }
};

class PintIncastTestCase : public IncastTestCase
{
  public:
    PintIncastTestCase()
        : IncastTestCase("hpcc-pint bounds the queue of an incast as hpcc does")
    {
    }

  private:
    void DoRun() override
    {
        const auto hpcc = Incast("hpcc", "", MicroSeconds(600), {});
        const auto pint = Incast("hpcc-pint", "", MicroSeconds(600), {});
        // The peak consists of (N - 1) windows of B T. With HPCC, a packet has 42 bytes of
        // telemetry, and with HPCC-PINT it has 1 byte.
        NS_TEST_EXPECT_MSG_LT(pint.peakBytes, hpcc.peakBytes, "peak");
        NS_TEST_EXPECT_MSG_GT(pint.peakBytes, 0.9 * hpcc.peakBytes, "peak");
        NS_TEST_EXPECT_MSG_LT(pint.settledBytes, 20'000, "queue at the end");
        NS_TEST_EXPECT_MSG_EQ_TOL(pint.share, 0.95, 0.05, "the link is used up to eta");
        const auto eta = Incast("hpcc-pint", "", MicroSeconds(600), {{"Eta", 0.8}});
        NS_TEST_EXPECT_MSG_LT(eta.share, pint.share - 0.08, "and eta is its own");
    }
};

class PintSamplingTestCase : public IncastTestCase
{
  public:
    PintSamplingTestCase()
        : IncastTestCase("hpcc-pint with a digest in one of 16 packets still converges")
    {
    }

  private:
    void DoRun() override
    {
        const auto sampled = Incast("hpcc-pint", "pint:16", MilliSeconds(4), {});
        NS_TEST_EXPECT_MSG_LT(sampled.settledBytes, 20'000, "queue, from a peak of 850 KB");
        NS_TEST_EXPECT_MSG_EQ_TOL(sampled.share, 0.95, 0.03, "the link is used up to eta");
        NS_TEST_EXPECT_MSG_GT(sampled.jain, 0.97, "fairness");
        const auto rare = Incast("hpcc-pint", "pint:256", MilliSeconds(4), {});
        NS_TEST_EXPECT_MSG_LT(rare.jain, 0.9, "one of 256 is too few, as in the paper");
    }
};

/// A user-defined switch agent that counts frames.
class CountingAgent : public SwitchAgent
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            HpccTypeId::Of<CountingAgent, SwitchAgent>("ns3::hpcctest::CountingAgent")
                .Presets("test-count;test-count:twice=Step:2")
                .Attribute("Step", "What a frame counts.", HpccField(&CountingAgent::m_step, 1));
        return tid;
    }

    void Install(const std::vector<QbbNetDevice*>& ports, Time baseRtt) override
    {
        ++installed;
        counts.resize(ports.size());
        rttNs = baseRtt.GetNanoSeconds();
    }

    int64_t AssignStreams(int64_t stream) override
    {
        firstStream = stream;
        return 3;
    }

    void OnDequeue(QbbNetDevice& port, Frame&, int64_t) override
    {
        counts[port.GetPortIndex()] += m_step;
    }

    uint32_t installed{0};        ///< number of calls of Install()
    int64_t rttNs{0};             ///< base RTT passed to Install()
    int64_t firstStream{-1};      ///< first random stream
    std::vector<uint32_t> counts; ///< frames by port

  private:
    uint32_t m_step; ///< attribute Step
};

NS_OBJECT_ENSURE_REGISTERED(CountingAgent);

class AgentTestCase : public RdmaTestCase
{
  public:
    AgentTestCase()
        : RdmaTestCase("each switch runs at most one agent per class, and the agent sees all "
                       "frames")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t packets = 10;
        Install(HpccTopology::Dumbbell(1, 1, {}));
        Fabric().AddSwitchAgent("test-count:twice");
        Fabric().AddSwitchAgent("test-count:twice");
        ExpectRefusal("test-count",
                      "switch agent \"test-count\": the switches run \"test-count:twice\" "
                      "already; a switch runs at most one agent per class");
        ExpectRefusal("nosuch", "unknown switch agent \"nosuch\"; choices: ");
        Post(0, Connect(0, 1, CreateObject<FixedPolicy>()), packets * 1000);
        Simulator::Run();
        int64_t stream = -1;
        for (uint32_t node : {2, 3})
        {
            auto agent = Fabric().GetNodes().Get(node)->GetObject<CountingAgent>();
            NS_TEST_ASSERT_MSG_NE(agent, nullptr, "node " << node);
            NS_TEST_EXPECT_MSG_EQ(agent->installed, 1, "installations");
            NS_TEST_EXPECT_MSG_EQ(agent->rttNs, Fabric().GetNetworkBaseRttNs(), "base RTT");
            NS_TEST_EXPECT_MSG_EQ(agent->counts.size(), 2, "ports");
            for (uint32_t count : agent->counts)
            {
                NS_TEST_EXPECT_MSG_EQ(count, 2 * packets, "packets or ACKs of a port");
            }
            NS_TEST_EXPECT_MSG_GT(agent->firstStream, stream, "a stream of its own");
            stream = agent->firstStream + 2;
        }
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), 1, "messages");
    }

    void ExpectRefusal(const std::string& name, const std::string& begin)
    {
        std::string why;
        try
        {
            Fabric().AddSwitchAgent(name);
        }
        catch (const HpccInputError& error)
        {
            why = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(why.substr(0, begin.size()), begin, "refusal of " << name);
    }
};

class HpccSwitchLawsTestSuite : public TestSuite
{
  public:
    HpccSwitchLawsTestSuite()
        : TestSuite("hpcc-switch-laws", Type::UNIT)
    {
        auto add = [this](TestCase* test) { AddTestCase(test); };
        add(new AgentTestCase);
        const double third = 1.0 / 3;
        for (const std::string policy : {"rcp", "rcp:fct", "xcp"})
        {
            add(new MaxMinTestCase(policy, {1, 1}, {0.5, 0.5, 0.5}, 0.05));
            add(new MaxMinTestCase(policy, {1, 1, 1}, {0.5, 0.5, 0.5, 0.5}, 0.05));
            // At the first link, XCP's shuffling offers bandwidth to the long flow. This flow
            // cannot use the bandwidth, because its bottleneck is the second link. Therefore the
            // first link is not full.
            add(new MaxMinTestCase(policy,
                                   {1, 2},
                                   {third, 2 * third, third, third},
                                   policy == "xcp" ? 0.1 : 0.05));
        }
        add(new ParameterTestCase("rcp fills the share of the line rate that it is given",
                                  "rcp",
                                  "ns3::RcpAgent::TargetShare",
                                  0.9,
                                  0.45));
        add(new ShuffleTestCase);
        for (const std::string policy : {"rcp", "xcp", "hpcc-pint"})
        {
            add(new CoexistenceTestCase(policy));
        }
        add(new TogetherTestCase);
        add(new PintIncastTestCase);
        add(new PintSamplingTestCase);
    }
};

HpccSwitchLawsTestSuite g_hpccSwitchLawsTestSuite; ///< registers itself

} // namespace
