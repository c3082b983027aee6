/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests the round-trip times that acknowledgements measure, and the typical behaviour of policies
// that are based on delay or power.

#include "hpcc-test-rdma.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// Sends packets under a policy that needs round-trip times, and records departures and samples.
class RttTestCase : public RdmaTestCase
{
  public:
    explicit RttTestCase(const std::string& name)
        : RdmaTestCase(name)
    {
    }

  protected:
    /// A sample of the round-trip time.
    struct Sample
    {
        uint64_t psn;     ///< packet acknowledged
        int64_t nowNs;    ///< arrival of the acknowledgement, ns
        int64_t rttNs;    ///< round-trip time, ns
        uint8_t hopsBack; ///< number of switches on the path of the acknowledgement
    };

    /**
     * Sends packets from host 0 to host 1.
     * @param packets number of packets
     * @param windowPackets window, packets
     */
    void Send(uint64_t packets, uint32_t windowPackets)
    {
        Install(Star(2, "100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        policy->needs.rttOfEachAck = true;
        policy->window = windowPackets * 1000.0;
        policy->onAck = [this](RdmaCongestionState&, const RdmaAckInfo& ack) {
            if (ack.rttNs >= 0)
            {
                m_samples.push_back({ack.ackSeq / 1000 - 1, ack.nowNs, ack.rttNs, ack.hopsBack});
            }
        };
        OnTransmit(Host(0).GetPort(), [this](int64_t nowNs, const Frame& frame) {
            m_departures[frame.psn].push_back(nowNs);
        });
        Post(0, Connect(0, 1, policy), packets * 1000);
        Simulator::Stop(MilliSeconds(20));
    }

    /// Checks that each sample is the time since the only departure of its packet.
    void CheckSamples()
    {
        for (const auto& sample : m_samples)
        {
            const auto& departures = m_departures[sample.psn];
            NS_TEST_ASSERT_MSG_EQ(departures.size(), 1, "departures of packet " << sample.psn);
            NS_TEST_EXPECT_MSG_EQ(sample.rttNs,
                                  sample.nowNs - departures.front(),
                                  "packet " << sample.psn);
            NS_TEST_EXPECT_MSG_EQ(+sample.hopsBack, 1, "one switch");
        }
    }

    std::map<uint64_t, std::vector<int64_t>> m_departures; ///< departures by packet
    std::vector<Sample> m_samples;                         ///< samples in the order of time
};

class EachAckTestCase : public RttTestCase
{
  public:
    EachAckTestCase()
        : RttTestCase("each acknowledgement tells the time since its packet left")
    {
    }

  private:
    void DoRun() override
    {
        Send(1000, 300);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_samples.size(), 1000, "samples");
        CheckSamples();
    }
};

class KarnTestCase : public RttTestCase
{
  public:
    KarnTestCase()
        : RttTestCase("what was in flight when the sender went back gives no sample")
    {
    }

  private:
    void DoRun() override
    {
        Send(1000, 100);
        Lose(1, {5, 400});
        Lose(0, {700, 701, 702});
        Simulator::Run();
        CheckSamples();
        size_t repeated = 0;
        for (const auto& [psn, departures] : m_departures)
        {
            repeated += departures.size() > 1;
        }
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), 1, "finished");
        NS_TEST_EXPECT_MSG_GT(repeated, 50, "packets sent again");
        NS_TEST_EXPECT_MSG_GT(m_samples.size(), 1000 - repeated - 110, "samples of the others");
        NS_TEST_EXPECT_MSG_LT(m_samples.size(), 1001 - repeated, "samples of the others");
    }
};

class OneSampleTestCase : public RdmaTestCase
{
  public:
    OneSampleTestCase()
        : RdmaTestCase("a policy that does not ask gets one sample a round trip")
    {
    }

  private:
    void DoRun() override
    {
        Install(Star(2, "100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        policy->window = 100'000;
        uint32_t samples = 0;
        policy->onAck = [&samples](RdmaCongestionState&, const RdmaAckInfo& ack) {
            samples += ack.rttNs >= 0;
        };
        Post(0, Connect(0, 1, policy), 1'000'000);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), 1, "finished");
        const int64_t rttNs = Fabric().GetPath(0, 1).baseRttNs;
        const auto roundTrips = static_cast<uint32_t>(m_acknowledged.front().completedNs / rttNs);
        NS_TEST_EXPECT_MSG_GT(samples, roundTrips / 2, "samples");
        NS_TEST_EXPECT_MSG_LT(samples, roundTrips + 1, "samples");
    }
};

class LossTestCase : public RdmaTestCase
{
  public:
    LossTestCase()
        : RdmaTestCase("policies of delay and power survive lost packets and lost ACKs")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string cc : {"swift", "powertcp", "theta-powertcp"})
        {
            Install(Star(2, "100Gbps", MicroSeconds(1)));
            Post(0, Fabric().Connect(0, 1, HpccFabricHelper::MakePolicy(cc)), 1'000'000);
            Lose(1, {5, 300, 301, 302, 303});
            Lose(0, {200, 201, 202, 500});
            double window = 0;
            At(MicroSeconds(50), [&] { window = Host(0).GetQueuePair(0).cc->windowBytes; });
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), 1, cc << ": finished");
            NS_TEST_EXPECT_MSG_GT(Host(0).GetQueuePair(0).retransmissions, 0, cc << ": repeated");
            NS_TEST_EXPECT_MSG_GT(window, 0, cc << ": window");
            NS_TEST_EXPECT_MSG_LT(window, 60'000, cc << ": window");
            DoTeardown();
            m_acknowledged.clear();
        }
    }
};

/// Base class with a star whose last host receives, and with measurements of the queue in front of
/// that host.
class StarTestCase : public RdmaTestCase
{
  public:
    explicit StarTestCase(const std::string& name)
        : RdmaTestCase(name)
    {
    }

  protected:
    using Settings = std::vector<std::pair<std::string, std::string>>; ///< names and values of
                                                                       ///< attributes

    /**
     * Installs a star of @p senders senders and one receiver.
     * @param senders hosts that send
     * @param rate line rate
     * @param delay propagation delay
     */
    void InstallStar(uint32_t senders, const std::string& rate, Time delay)
    {
        m_senders = senders;
        m_queue.clear();
        m_sent.clear();
        Install(Star(senders + 1, rate, delay));
        QbbNetDevice& port = *Fabric().GetSwitch(senders + 1)->GetPorts()[senders];
        OnQueue(port, [this](int64_t nowNs, uint64_t bytes) {
            m_queue.emplace_back(nowNs, static_cast<double>(bytes));
        });
        OnTransmit(port, [this, &port](int64_t nowNs, const Frame& frame) {
            m_sent.emplace_back(nowNs, port.GetLinkBytes(frame.bytes));
        });
    }

    /**
     * Connects every sender to the receiver.
     * @param cc short name of the policy
     * @param settings attributes of the policy
     * @return a queue pair per sender
     */
    std::vector<uint32_t> ConnectAll(const std::string& cc, const Settings& settings)
    {
        auto spec = HpccFabricHelper::MakePolicy(cc);
        for (const auto& [name, value] : settings)
        {
            spec.policy.Set(name, StringValue(value));
        }
        std::vector<uint32_t> queuePairs;
        for (uint32_t host = 0; host < m_senders; ++host)
        {
            queuePairs.push_back(Fabric().Connect(host, m_senders, spec));
        }
        return queuePairs;
    }

    /**
     * Returns the queue length that is not exceeded during a share of an interval.
     * @param fromNs start of the interval
     * @param toNs end of the interval
     * @param share share of the time, 0 to 1
     * @return queue length, bytes
     */
    double QueueQuantile(int64_t fromNs, int64_t toNs, double share) const
    {
        std::map<double, int64_t> held;
        for (size_t i = 0; i < m_queue.size(); ++i)
        {
            const int64_t begin = std::max(m_queue[i].first, fromNs);
            const int64_t end =
                i + 1 < m_queue.size() ? std::min(m_queue[i + 1].first, toNs) : toNs;
            held[m_queue[i].second] += std::max<int64_t>(end - begin, 0);
        }
        double left = share * static_cast<double>(toNs - fromNs);
        for (const auto& [bytes, ns] : held)
        {
            left -= static_cast<double>(ns);
            if (left <= 0)
            {
                return bytes;
            }
        }
        return held.rbegin()->first;
    }

    /**
     * Returns the mean rate at the bottleneck.
     * @param fromNs start of the interval
     * @param toNs end of the interval
     * @return rate, bit/ns
     */
    double Gbps(int64_t fromNs, int64_t toNs) const
    {
        uint64_t bytes = 0;
        for (const auto& [nowNs, linkBytes] : m_sent)
        {
            bytes += nowNs >= fromNs && nowNs < toNs ? linkBytes : 0;
        }
        return 8.0 * static_cast<double>(bytes) / static_cast<double>(toNs - fromNs);
    }

  private:
    uint32_t m_senders{0};                            ///< number of hosts that send
    std::vector<std::pair<int64_t, double>> m_queue;  ///< times of changes of the queue, ns, and
                                                      ///< bytes queued after the change
    std::vector<std::pair<int64_t, uint32_t>> m_sent; ///< start and link bytes of each frame
};

/// Tests 100 hosts with links of 10 Gb/s that send to one host. In equilibrium, each flow has C
/// target/N in flight, where C is the line rate and target is Swift's target delay.
class SubPacketTestCase : public StarTestCase
{
  public:
    SubPacketTestCase()
        : StarTestCase("Swift holds windows below one packet in an incast of 100, without a drop")
    {
    }

  private:
    static constexpr uint32_t SENDERS = 100;
    static constexpr int64_t FROM_NS = 10'000'000;
    static constexpr int64_t TO_NS = 20'000'000;

    /// Results of a run after it has settled.
    struct Outcome
    {
        double meanCwnd;  ///< mean window, packets
        double below;     ///< share of windows below one packet
        double queue;     ///< 99th percentile of the queue, bytes
        double gbps;      ///< rate at the bottleneck, Gb/s
        uint64_t trouble; ///< number of drops and pauses
    };

    Outcome Run(const std::string& cc, const Settings& settings)
    {
        InstallStar(SENDERS, "10Gbps", MicroSeconds(1));
        const auto queuePairs = ConnectAll(cc, settings);
        for (uint32_t host = 0; host < SENDERS; ++host)
        {
            Post(host, queuePairs[host], 10'000'000);
        }
        double sum = 0;
        double below = 0;
        constexpr int64_t samples = 100;
        for (int64_t i = 0; i < samples; ++i)
        {
            At(NanoSeconds(FROM_NS + i * (TO_NS - FROM_NS) / samples), [&] {
                for (uint32_t host = 0; host < SENDERS; ++host)
                {
                    const double cwnd = Host(host).GetQueuePair(0).cc->windowBytes / 1000;
                    sum += cwnd / (samples * SENDERS);
                    below += (cwnd < 1 ? 1.0 : 0.0) / (samples * SENDERS);
                }
            });
        }
        Simulator::Stop(NanoSeconds(TO_NS));
        Simulator::Run();
        const Outcome outcome{sum,
                              below,
                              QueueQuantile(FROM_NS, TO_NS, 0.99),
                              Gbps(FROM_NS, TO_NS),
                              GetDrops() + GetPauses()};
        DoTeardown();
        return outcome;
    }

    void DoRun() override
    {
        // Flow scaling raises the target delay as windows shrink. In equilibrium, C (20 + 3 + 33
        // (1/sqrt(c) - 0.1)) us = 100 c packets, so the window c is 0.67. Windows oscillate around
        // this value by Ai.
        const Outcome scaled = Run("swift", {});
        NS_TEST_EXPECT_MSG_EQ_TOL(scaled.meanCwnd, 0.67, 0.2, "mean window");
        NS_TEST_EXPECT_MSG_GT(scaled.below, 0.5, "windows below a packet");
        NS_TEST_EXPECT_MSG_LT(scaled.queue, 123.1e-6 * 10e9 / 8, "queue within the largest target");

        // At a fixed target delay of 13 us, the 100 flows together have 15 packets in flight.
        const Settings fixed{{"FsRange", "0us"}, {"BaseTarget", "10us"}};
        const Outcome small = Run("swift", fixed);
        NS_TEST_EXPECT_MSG_EQ_TOL(small.meanCwnd, 0.15, 0.05, "mean window");
        NS_TEST_EXPECT_MSG_GT(small.below, 0.9, "windows below a packet");
        NS_TEST_EXPECT_MSG_LT(small.queue, 2 * 13.1e-6 * 10e9 / 8, "queue");

        // With windows of at least one packet, 100 packets are in flight.
        Settings whole = fixed;
        whole.emplace_back("MinCwnd", "1");
        const Outcome floored = Run("swift", whole);
        NS_TEST_EXPECT_MSG_EQ_TOL(floored.meanCwnd, 1, 1e-9, "mean window");
        NS_TEST_EXPECT_MSG_GT(floored.queue, 3 * small.queue, "queue");
        for (const Outcome& outcome : {scaled, small, floored})
        {
            NS_TEST_EXPECT_MSG_EQ(outcome.trouble, 0, "drops and pauses");
            NS_TEST_EXPECT_MSG_GT(outcome.gbps, 9.9, "throughput");
        }
    }
};

/// Reproduces the figure of the PowerTCP paper in which ten flows join a running flow. T is the
/// base RTT of the longest path in the network, 28 us in the paper. The paths of these flows are
/// shorter. Therefore a flow receives ACKs before it has sent its whole first window. If T were the
/// base RTT of these paths, the queue would contain all first windows before the first ACK arrives,
/// under every policy.
class BurstTestCase : public StarTestCase
{
  public:
    explicit BurstTestCase(const std::string& rate)
        : StarTestCase("10 to 1 onto a running flow at " + rate +
                       ": PowerTCP's queue is below HPCC's from the second RTT on"),
          m_rate(rate)
    {
    }

  private:
    /// Results of a run.
    struct Outcome
    {
        double queue;  ///< 99th percentile of the queue in the 100 RTTs that follow the first RTT,
                       ///< bytes
        double median; ///< median of the queue in the next 400 RTTs, bytes
        double share;  ///< throughput in the 100 RTTs, divided by the line rate
        double rttNs;  ///< base RTT of the flows
    };

    Outcome Run(const std::string& cc, const Settings& settings = {})
    {
        constexpr int64_t joinNs = 1'000'000;
        InstallStar(11, m_rate, MicroSeconds(2));
        Fabric().SetNetworkBaseRttNs(28'000);
        const auto queuePairs = ConnectAll(cc, settings);
        for (uint32_t host = 0; host < 11; ++host)
        {
            Post(host, queuePairs[host], 50'000'000, NanoSeconds(host == 0 ? 0 : joinNs));
        }
        const int64_t rttNs = Fabric().GetPath(0, 11).baseRttNs;
        const int64_t fromNs = joinNs + rttNs;
        const int64_t midNs = fromNs + 100 * rttNs;
        const int64_t toNs = midNs + 400 * rttNs;
        Simulator::Stop(NanoSeconds(toNs));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(GetDrops(), 0, cc << ": drops");
        const double gbps = static_cast<double>(DataRate(m_rate).GetBitRate()) * 1e-9;
        const Outcome outcome{QueueQuantile(fromNs, midNs, 0.99),
                              QueueQuantile(midNs, toNs, 0.5),
                              Gbps(fromNs, midNs) / gbps,
                              static_cast<double>(rttNs)};
        DoTeardown();
        return outcome;
    }

    void DoRun() override
    {
        const Outcome hpcc = Run("hpcc");
        NS_TEST_EXPECT_MSG_LT(hpcc.share, 0.95, "HPCC undershoots after the burst");
        for (const std::string cc : {"powertcp", "powertcp:authors", "theta-powertcp:authors"})
        {
            const Outcome power = Run(cc);
            NS_TEST_EXPECT_MSG_LT(power.queue, 0.8 * hpcc.queue, cc);
            NS_TEST_EXPECT_MSG_GT(power.share, 0.96, cc << " does not undershoot");
        }
        // The window of each of the eleven flows is larger than the flow's share of the BDP, by
        // beta.
        const double bytesPerNs = static_cast<double>(DataRate(m_rate).GetBitRate()) / 8e9;
        for (const double n : {5, 10})
        {
            const Settings settings{{"N", std::to_string(static_cast<int>(n))}};
            const double theta = Run("theta-powertcp", settings).median;
            const double expected = 11 * bytesPerNs * hpcc.rttNs / n;
            NS_TEST_EXPECT_MSG_EQ_TOL(theta, 1.08 * expected, 0.15 * expected, "standing queue");
        }
    }

    std::string m_rate; ///< line rate
};

class HpccDelayPoliciesTestSuite : public TestSuite
{
  public:
    HpccDelayPoliciesTestSuite()
        : TestSuite("hpcc-delay-policies", Type::UNIT)
    {
        AddTestCase(new EachAckTestCase);
        AddTestCase(new KarnTestCase);
        AddTestCase(new OneSampleTestCase);
        AddTestCase(new LossTestCase);
        AddTestCase(new SubPacketTestCase);
        AddTestCase(new BurstTestCase("25Gbps"));
        AddTestCase(new BurstTestCase("100Gbps"));
    }
};

HpccDelayPoliciesTestSuite g_hpccDelayPoliciesTestSuite; ///< registers the suite

} // namespace
