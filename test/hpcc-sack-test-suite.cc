/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests queue pairs with SACKs in complete networks: with spraying, with trimming, lossy and
// lossless.

#include "hpcc-test-losses.h"
#include "hpcc-test-recovery.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-monitor.h"
#include "ns3/hpcc-port-agent.h"
#include "ns3/hpcc-roce-headers.h"
#include "ns3/rdma-entropy.h"
#include "ns3/rdma-sack-state.h"

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <string>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint32_t MTU = 1000;     ///< default payload per packet, bytes
constexpr uint64_t BYTES = 500500; ///< payload of a message: 501 packets
constexpr uint32_t HOSTS = 4;      ///< number of hosts on each of two leaves
constexpr uint32_t SPINES = 4;     ///< number of spines, one per path

/// Base class that counts received payload.
class DeliveryTestCase : public RecoveryTestCase
{
  public:
    using RecoveryTestCase::RecoveryTestCase;

  protected:
    /// Counts the payload that hosts receive in order.
    /// @param hosts number of hosts, which are hosts 0 to @p hosts - 1
    void CountReceived(uint32_t hosts)
    {
        for (uint32_t host = 0; host < hosts; ++host)
        {
            Fabric().GetHost(host)->TraceConnectWithoutContext(
                "Received",
                MakeCallback(&DeliveryTestCase::Received, this));
        }
    }

    /// @return a policy with a window of a few tens of packets, whose packets are ECN-capable
    static Ptr<FixedPolicy> MakePolicy()
    {
        auto policy = CreateObject<FixedPolicy>();
        policy->window = 40000;
        policy->needs.ecn = RdmaPolicyDescription::ECT0;
        return policy;
    }

    uint64_t m_receivedBytes{0}; ///< payload received in order

  private:
    void Received(const RdmaQueuePair&, int64_t, uint32_t bytes)
    {
        m_receivedBytes += bytes;
    }
};

/// Tests flows from all hosts of one leaf to the hosts of the other leaf.
class SackTestCase : public DeliveryTestCase
{
  public:
    /// Properties of the network.
    struct Setting
    {
        std::string recovery; ///< short name of the scheme
        std::string entropy;  ///< short name of the entropy; "none" for none
        std::string trimming; ///< short name of the trimmer; "none" for none
        double loss{0};       ///< loss rate of each link
        bool incast{false};   ///< true if all hosts send to one host
        bool pfc{false};      ///< true if the network is lossless
    };

    SackTestCase(const std::string& name, const Setting& setting)
        : DeliveryTestCase(name + " (" + setting.recovery + ", entropy " + setting.entropy +
                           ", trimming " + setting.trimming + ")"),
          m_setting(setting)
    {
    }

  private:
    void DoRun() override
    {
        Fabric().SetDeviceAttribute("PfcEnabled", BooleanValue(m_setting.pfc));
        Fabric().SetTrimming(m_setting.trimming);
        Fabric().SetEntropy(m_setting.entropy);
        Use(m_setting.recovery);
        const auto plan =
            HpccTopology::LeafSpine(2,
                                    SPINES,
                                    HOSTS,
                                    {DataRate("10Gbps"), DataRate("10Gbps"), MicroSeconds(1)});
        Install(m_setting.loss > 0 ? WithLosses(plan, m_setting.loss) : plan);
        const uint32_t flows = HOSTS;
        for (uint32_t i = 0; i < flows; ++i)
        {
            const uint32_t to = m_setting.incast ? HOSTS : HOSTS + (i + 1) % HOSTS;
            Post(i, Connect(i, to, MakePolicy()), BYTES);
            Post(i, 0, MTU);
        }
        CountReceived(2 * HOSTS);
        Simulator::Stop(MilliSeconds(50));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 2 * flows, "messages acknowledged");
        NS_TEST_ASSERT_MSG_EQ(m_delivered.size(), 2 * flows, "messages delivered");
        NS_TEST_EXPECT_MSG_EQ(m_receivedBytes, flows * (BYTES + MTU), "each byte once");
        NS_TEST_EXPECT_MSG_EQ(AllFramesFree(), true, "frames");
        Check(flows);
    }

    void Check(uint32_t flows)
    {
        uint64_t resent = 0;
        uint64_t timeouts = 0;
        uint64_t nacks = 0;
        uint64_t sacks = 0;
        uint64_t outOfOrder = 0;
        for (uint32_t host = 0; host < 2 * HOSTS; ++host)
        {
            const RdmaHost& stack = Host(host);
            timeouts += stack.GetTimeouts();
            nacks += stack.GetTrimNacksSent();
            sacks += stack.GetSacksSent();
            for (uint32_t qp = 0; qp < stack.GetQueuePairs(); ++qp)
            {
                const RdmaQueuePair& pair = stack.GetQueuePair(qp);
                resent += pair.retransmissions;
                outOfOrder += pair.outOfOrder;
                NS_TEST_EXPECT_MSG_EQ(pair.selectiveBytes, 0, "nothing is lost in the end");
            }
        }
        const uint64_t trims = Fabric().GetSwitch(2 * HOSTS)->GetTrims() +
                               Fabric().GetSwitch(2 * HOSTS + 1)->GetTrims();
        NS_TEST_EXPECT_MSG_LT(sacks, flows * 502, "SACKs are coalesced");
        if (m_setting.entropy != "none")
        {
            NS_TEST_EXPECT_MSG_GT(outOfOrder, 0, "paths differ");
        }
        if (m_setting.pfc)
        {
            NS_TEST_EXPECT_MSG_EQ(resent, 0, "nothing is lost");
        }
        if (m_setting.trimming != "none" && m_setting.loss == 0)
        {
            NS_TEST_EXPECT_MSG_GT(trims, 20, "trims");
            NS_TEST_EXPECT_MSG_EQ(timeouts, 0, "time-outs");
            NS_TEST_EXPECT_MSG_EQ(nacks, trims, "NACKs");
            NS_TEST_EXPECT_MSG_EQ(resent, trims, "retransmissions");
        }
        if (m_setting.loss > 0)
        {
            NS_TEST_EXPECT_MSG_GT(resent, 20, "losses");
        }
    }

    Setting m_setting;
};

/// Tests hosts that send to one host, with a policy that uses telemetry.
class TrimmedTelemetryTestCase : public DeliveryTestCase
{
  public:
    TrimmedTelemetryTestCase(const std::string& feedback, const std::string& entropy)
        : DeliveryTestCase("the telemetry of trimmed packets ends a storm of trims (feedback " +
                           feedback + ", entropy " + entropy + ")"),
          m_feedback(feedback),
          m_entropy(entropy)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t senders = 16;
        constexpr uint64_t bytes = 200000;
        Fabric().SetDeviceAttribute("PfcEnabled", BooleanValue(false));
        Fabric().SetTrimming("coin");
        Fabric().SetEntropy(m_entropy);
        Use("sack");
        Install(Star(senders + 1, "100Gbps", MicroSeconds(1)));
        const auto spec = HpccFabricHelper::MakePolicy("hpcc++", "", m_feedback);
        for (uint32_t host = 0; host < senders; ++host)
        {
            const uint32_t pair = Fabric().Connect(host, senders, spec);
            Fabric().AddMessage(host, pair, bytes, NanoSeconds(0));
        }
        CountReceived(senders + 1);
        // The transmission of the payload takes 288 us at line rate. Retransmissions are sent at an
        // unreduced rate, and share the link with the headers of trimmed packets.
        Fabric().EndAt(MicroSeconds(1500));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_delivered.size(), senders, "messages delivered");
        NS_TEST_EXPECT_MSG_EQ(m_receivedBytes, senders * bytes, "each byte once");
        NS_TEST_EXPECT_MSG_GT(Host(senders).GetTrimNacksSent(), 100, "trims");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(Host(senders).GetTrimsReceived(),
                                    Host(senders).GetTrimNacksSent(),
                                    "a NACK for at most each trimmed packet");
        NS_TEST_EXPECT_MSG_EQ(AllFramesFree(), true, "frames");
    }

    std::string m_feedback; ///< short name of the feedback
    std::string m_entropy;  ///< short name of the entropy; "none" for none
};

/// Tests hosts with one port in each of two planes. A link inside one plane fails, and the link of
/// a host to the other plane also fails. Both links recover.
class SprayedPortsTestCase : public DeliveryTestCase
{
  public:
    SprayedPortsTestCase(const std::string& recovery, const std::string& entropy)
        : DeliveryTestCase("each byte arrives once between hosts with two ports, beside random "
                           "losses and links that fail (" +
                           recovery + ", entropy " + entropy + ")"),
          m_recovery(recovery),
          m_entropy(entropy)
    {
    }

  private:
    void NoteMove(const RdmaQueuePair& qp, int64_t)
    {
        m_moves[qp.port]++;
    }

    void DoRun() override
    {
        constexpr uint32_t hosts = 4;
        constexpr uint64_t bytes = 4000000;
        // Nodes 0 to 3 are hosts. Plane 0 consists of leaves 4 and 5 and spines 6 and 7, and plane
        // 1 of leaves 8 and 9 and spines 10 and 11.
        const auto plan = WithLosses(HpccTopology::Planes(hosts, 2, 2, 2, {}), 0.001);
        Fabric().SetPorts("turns+move");
        Fabric().SetEntropy(m_entropy);
        Fabric().SetConvergenceDelay(MicroSeconds(20));
        for (const auto& [from, to] : {std::pair(4U, 6U), std::pair(0U, 8U)})
        {
            const uint32_t link = plan.FindLinks(from, to).front();
            Fabric().ScheduleLinkDown(link, MicroSeconds(60));
            Fabric().ScheduleLinkUp(link, MicroSeconds(300));
        }
        Use(m_recovery);
        Install(plan);
        const auto spec = HpccFabricHelper::MakePolicy("nscc");
        for (uint32_t host = 0; host < hosts; ++host)
        {
            for (uint32_t turn = 0; turn < 2; ++turn)
            {
                const uint32_t pair = Fabric().Connect(host, (host + 2) % hosts, spec);
                Fabric().AddMessage(host, pair, bytes, NanoSeconds(0));
            }
        }
        CountReceived(hosts);
        Host(0).TraceConnectWithoutContext("PortChange",
                                           MakeCallback(&SprayedPortsTestCase::NoteMove, this));
        Fabric().EndAt(MilliSeconds(20));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 2 * hosts, "messages acknowledged");
        NS_TEST_EXPECT_MSG_EQ(m_delivered.size(), 2 * hosts, "messages delivered");
        NS_TEST_EXPECT_MSG_EQ(m_receivedBytes, 2 * hosts * bytes, "each byte once");
        NS_TEST_EXPECT_MSG_GT(m_moves[0], 0, "to the port that is left");
        NS_TEST_EXPECT_MSG_EQ(m_moves[0], m_moves[1], "and back");
        for (const auto& device : Fabric().GetDevices())
        {
            NS_TEST_EXPECT_MSG_EQ(device->GetDrops(DropReason::WRONG_ADDRESS), 0, "late frames");
        }
        NS_TEST_EXPECT_MSG_EQ(AllFramesFree(), true, "frames");
    }

    std::string m_recovery;               ///< short name of the scheme
    std::string m_entropy;                ///< short name of the entropy
    std::map<uint32_t, uint32_t> m_moves; ///< number of moves of host 0's queue pairs, by new port
};

/// A port agent that changes SACKs and NACKs, except the number of the expected packet.
class SackForger : public PortAgent
{
  public:
    bool WantsEnqueue() const override
    {
        return true;
    }

    void OnEnqueue(QbbNetDevice&, Frame& frame, int64_t) override
    {
        if (frame.kind != Frame::Kind::ROCE || !frame.HasSack() || m_random() % 4 == 0)
        {
            return;
        }
        ++m_forged;
        const auto draw = m_random();
        frame.sourcePort = static_cast<uint16_t>(0xc000 | draw);
        frame.syndrome = draw >> 16 & 1 ? ROCE_SYNDROME_SACK : ROCE_SYNDROME_NACK_TRIMMED;
        frame.bthFlags = static_cast<uint8_t>(draw >> 17 & ROCE_BECN);
        frame.sack.bitmap ^= m_random();
        frame.sack.basePsn = frame.psn + (draw >> 24 & 0x3f);
        frame.sack.psn = frame.psn + (draw >> 32 & 0x3f);
        frame.sack.receivedBytes = m_random() & RoceSackHeader::COUNT_MASK;
        frame.sack.outOfOrder = static_cast<uint16_t>(draw >> 40);
        frame.sack.flags = static_cast<uint8_t>(draw >> 56);
    }

    uint64_t m_forged{0}; ///< number of changed SACKs and NACKs

  private:
    std::mt19937_64 m_random; ///< random numbers, with the default seed
};

/// Tests SACKs with forged contents.
class ForgedSacksTestCase : public DeliveryTestCase
{
  public:
    ForgedSacksTestCase(const std::string& recovery, const std::string& entropy)
        : DeliveryTestCase("each byte arrives once whatever SACKs and their entropy state besides "
                           "the expected packet (" +
                           recovery + ", entropy " + entropy + ")"),
          m_recovery(recovery),
          m_entropy(entropy)
    {
    }

  private:
    void DoRun() override
    {
        SackForger forger;
        Fabric().SetEntropy(m_entropy);
        Use(m_recovery);
        Install(WithLosses(
            HpccTopology::LeafSpine(2,
                                    SPINES,
                                    1,
                                    {DataRate("10Gbps"), DataRate("10Gbps"), MicroSeconds(1)}),
            0.01));
        Fabric().GetSwitch(2)->AddAgent(&forger);
        Post(0, Connect(0, 1, MakePolicy()), BYTES);
        CountReceived(2);
        Simulator::Stop(MilliSeconds(200));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, "messages acknowledged");
        NS_TEST_EXPECT_MSG_EQ(m_delivered.size(), 1, "messages delivered");
        NS_TEST_EXPECT_MSG_EQ(m_receivedBytes, BYTES, "each byte once");
        NS_TEST_EXPECT_MSG_GT(forger.m_forged, 50, "forged");
        NS_TEST_EXPECT_MSG_EQ(Host(0).GetQueuePair(0).selectiveBytes, 0, "the account");
        NS_TEST_EXPECT_MSG_EQ(AllFramesFree(), true, "frames");
    }

    std::string m_recovery; ///< short name of the scheme
    std::string m_entropy;  ///< short name of the entropy
};

/// Tests the loss of the last packet of a message shortly after the start of simulated time.
class LastPacketProbeTestCase : public DeliveryTestCase
{
  public:
    LastPacketProbeTestCase()
        : DeliveryTestCase("sack:sleek finds the loss of the last packet by a probe, even before "
                           "simulated time reaches one time-out")
    {
    }

  private:
    void DoRun() override
    {
        Use("sack:sleek");
        Install(BackToBack("10Gbps", MicroSeconds(1)));
        Post(0, Connect(0, 1, MakePolicy()), 30 * MTU);
        Lose(1, {29});
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, "messages acknowledged");
        const RdmaQueuePair& qp = Host(0).GetQueuePair(0);
        NS_TEST_EXPECT_MSG_GT(qp.limits.timeoutNs, 100000, "the time-out");
        NS_TEST_EXPECT_MSG_LT(m_acknowledged[0].completedNs, 50000, "the end");
        NS_TEST_EXPECT_MSG_EQ(qp.retransmissions, 1, "retransmissions");
        NS_TEST_EXPECT_MSG_EQ(Host(0).GetTimeouts(), 0, "time-outs");
    }
};

/// Tests notifications that acknowledge packets that the sender regards as lost.
class NotifiedTestCase : public DeliveryTestCase
{
  public:
    NotifiedTestCase()
        : DeliveryTestCase("each byte arrives once if notifications acknowledge packets that count "
                           "as lost")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t senders = 4;
        Config::SetDefault("ns3::RdmaSack::Rto", TimeValue(MicroSeconds(7)));
        Use("sack");
        Install(Star(senders + 1, "10Gbps", MicroSeconds(1)));
        const auto spec = HpccFabricHelper::MakePolicy("hpcc++", "int-md", "notification");
        for (uint32_t i = 0; i < senders; ++i)
        {
            const uint32_t pair = Fabric().Connect(i, senders, spec);
            Fabric().AddMessage(i, pair, BYTES, NanoSeconds(0));
        }
        CountReceived(senders + 1);
        Simulator::Stop(MilliSeconds(50));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), senders, "messages acknowledged");
        NS_TEST_EXPECT_MSG_EQ(m_receivedBytes, senders * BYTES, "each byte once");
        uint64_t timeouts = 0;
        for (uint32_t i = 0; i < senders; ++i)
        {
            timeouts += Host(i).GetTimeouts();
            NS_TEST_EXPECT_MSG_EQ(Host(i).GetQueuePair(0).selectiveBytes, 0, "the account");
        }
        NS_TEST_EXPECT_MSG_GT(timeouts, 0, "time-outs, without a loss");
    }
};

/// Tests queues that are longer than the recovery scheme assumes.
class LongQueueTestCase : public DeliveryTestCase
{
  public:
    /// @param lossless true if the network is lossless
    explicit LongQueueTestCase(bool lossless)
        : DeliveryTestCase(std::string("a long queue of a ") + (lossless ? "lossless" : "lossy") +
                           " network that does not trim causes no time-out"),
          m_lossless(lossless)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t senders = 6;
        Fabric().SetDeviceAttribute("PfcEnabled", BooleanValue(m_lossless));
        Use("sack");
        Install(Star(senders + 1, "10Gbps", MicroSeconds(1)));
        CountReceived(senders + 1);
        for (uint32_t i = 0; i < senders; ++i)
        {
            // All windows, 40 KB each, wait in one queue, which takes 190 us to drain.
            Post(i, Connect(i, senders, MakePolicy()), BYTES);
        }
        Simulator::Stop(MilliSeconds(50));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_receivedBytes, senders * BYTES, "each byte once");
        for (uint32_t i = 0; i < senders; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(Host(i).GetTimeouts(), 0, "time-outs of host " << i);
        }
    }

    bool m_lossless; ///< true if the network is lossless
};

/// Tests a window that shrinks while no packet in flight requests a SACK.
class ShrunkWindowTestCase : public DeliveryTestCase
{
  public:
    ShrunkWindowTestCase()
        : DeliveryTestCase("a window that shrinks below what is in flight, while nothing in flight "
                           "asks for a SACK, costs no time-out")
    {
    }

  private:
    void DoRun() override
    {
        Use("sack");
        Install(Star(2, "10Gbps", MicroSeconds(10)));
        CountReceived(2);
        auto policy = MakePolicy();
        policy->rate = 1e9;
        policy->timerNs = 60000;
        // About seven packets are in flight, which are too few to trigger a SACK.
        policy->onTimer = [](RdmaCongestionState& state) { state.windowBytes = 2500; };
        Post(0, Connect(0, 1, policy), BYTES);
        Simulator::Stop(MilliSeconds(50));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_receivedBytes, BYTES, "payload");
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, "messages");
        // The message takes 10.5 ms, because after the timer only two packets are sent per round
        // trip of 42 us.
        NS_TEST_EXPECT_MSG_LT(m_acknowledged[0].completedNs, 12000000, "completion");
        NS_TEST_EXPECT_MSG_EQ(Host(0).GetTimeouts(), 0, "time-outs");
    }
};

/// Tests a policy that has a rate but no window.
class RateTestCase : public DeliveryTestCase
{
  public:
    RateTestCase()
        : DeliveryTestCase("flows of RCP, which have no window, get their rate several times per "
                           "round trip: the queue stays below a bandwidth-delay product")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t senders = 8;
        Use("sack");
        Install(Star(senders + 1, "50Gbps", MicroSeconds(1)));
        std::vector<HpccFlowPlan> flows;
        for (uint32_t i = 0; i < senders; ++i)
        {
            const uint32_t pair = Fabric().Connect(i, senders, HpccFabricHelper::MakePolicy("rcp"));
            Post(i, pair, BYTES);
            flows.push_back({i, senders, BYTES, 0, pair, 0});
        }
        const int64_t rttNs = Fabric().GetNetworkBaseRttNs();
        HpccMonitor monitor(Fabric(), flows, 30 * rttNs);
        Simulator::Stop(MilliSeconds(5));
        Simulator::Run();
        const HpccSummary summary = monitor.Summarize();
        NS_TEST_EXPECT_MSG_EQ(summary.flowsFinished, senders, "flows that end");
        const auto bdpBytes = static_cast<uint64_t>(50 * rttNs / 8);
        NS_TEST_EXPECT_MSG_LT(summary.queueP99Bytes, bdpBytes, "queue, bytes");
    }
};

/// Tests the series of received payload of a flow of two messages that loses packets.
class PayloadSeriesTestCase : public RecoveryTestCase
{
  public:
    explicit PayloadSeriesTestCase(const std::string& recovery)
        : RecoveryTestCase("each byte counts once, when it arrives, so that no flow is faster than "
                           "its link (" +
                           recovery + ")"),
          m_recovery(recovery)
    {
    }

  private:
    void DoRun() override
    {
        Use(m_recovery);
        Install(WithLosses(Star(2, "10Gbps", MicroSeconds(20)), 0.003));
        const uint32_t pair = Connect(0, 1, CreateObject<FixedPolicy>());
        Post(0, pair, BYTES);
        Post(0, pair, BYTES);
        HpccMonitor monitor(Fabric(),
                            {{0, 1, BYTES, 0, pair, 0}, {0, 1, BYTES, 0, pair, 1}},
                            0,
                            HpccMonitor::FLOW_SERIES);
        Simulator::Stop(MilliSeconds(100));
        Simulator::Run();
        uint64_t resent = Host(0).GetQueuePair(pair).retransmissions;
        NS_TEST_ASSERT_MSG_EQ(m_delivered.size(), 2, "messages delivered");
        NS_TEST_EXPECT_MSG_GT(resent, 0, "losses");
        double most = 0;
        for (size_t flow = 0; flow < 2; ++flow)
        {
            double bytes = 0;
            for (const auto& sample : monitor.GetFlowSeries(flow))
            {
                bytes += sample.value * HpccMonitor::BIN_NS / 8;
                most = std::max(most, sample.value);
            }
            NS_TEST_EXPECT_MSG_EQ_TOL(bytes, static_cast<double>(BYTES), 1, "bytes of " << flow);
        }
        NS_TEST_EXPECT_MSG_LT(most, 10, "Gb/s, the rate of the link");
        NS_TEST_EXPECT_MSG_GT(most, 8, "Gb/s");
    }

    std::string m_recovery;
};

/// Tests that settings are refused if they cannot be combined.
class SackRefusalTestCase : public RecoveryTestCase
{
  public:
    SackRefusalTestCase()
        : RecoveryTestCase("entropy without SACKs, with other paths, or with a number of values "
                           "that the scheme does not allow is refused, and so are READs, and "
                           "trimming with sack:sleek")
    {
    }

  private:
    std::string Refusal(const std::function<void()>& act)
    {
        Again();
        try
        {
            act();
        }
        catch (const HpccInputError& error)
        {
            return error.what();
        }
        return "";
    }

    void DoRun() override
    {
        const auto install = [this](const std::string& recovery, const std::string& paths) {
            Use(recovery);
            Fabric().SetPaths(paths);
            Fabric().SetEntropy("reps");
            Install(Star(2, "10Gbps", MicroSeconds(1)));
        };
        NS_TEST_EXPECT_MSG_EQ(Refusal([&] { install("go-back-n", "ecmp"); }),
                              "--entropy reps with --recovery go-back-n: it needs the per-packet "
                              "information of SACKs; allowed are sack, sack:sleek",
                              "recovery");
        NS_TEST_EXPECT_MSG_EQ(Refusal([&] { install("sack", "spray"); }).substr(0, 40),
                              "--entropy reps with --paths spray: the e",
                              "paths");
        NS_TEST_EXPECT_MSG_EQ(Refusal([&] { Fabric().SetEntropy("mixed", 48); }),
                              "--entropy mixed: ns3::MixedEntropy::Evs 48 is no power of two; "
                              "allowed are 1, 2, 4 to 16384",
                              "values");
        NS_TEST_EXPECT_MSG_EQ(
            Refusal([&] {
                install("sack", "ecmp");
                Connect(0, 1, CreateObject<FixedPolicy>(), CreateObject<FixedPolicy>());
            }),
            "ns3::RdmaHost::Connect: READs with recovery sack: this recovery supports only "
            "WRITEs; allowed are recoveries without SACKs",
            "READs");
        NS_TEST_EXPECT_MSG_EQ(Refusal([&] {
                                  Fabric().SetTrimming("coin");
                                  install("sack:sleek", "ecmp");
                              }).substr(0, 49),
                              "--trimming coin with --recovery sack:sleek: it in",
                              "trimming");
        NS_TEST_EXPECT_MSG_EQ(Refusal([&] { install("sack", "ecmp"); }), "", "allowed");
    }
};

/// Tests queue pairs with SACKs.
class HpccSackTestSuite : public TestSuite
{
  public:
    HpccSackTestSuite()
        : TestSuite("hpcc-sack", Type::UNIT)
    {
        for (const char* entropy : {"none", "oblivious", "bitmap", "reps", "mixed"})
        {
            AddTestCase(new SackTestCase("each byte arrives once, and each trim costs one "
                                         "retransmission and no time-out",
                                         {"sack", entropy, "coin", 0, true, false}));
        }
        AddTestCase(new SackTestCase("each byte arrives once beside random losses",
                                     {"sack", "reps", "coin", 0.005, false, false}));
        AddTestCase(new SackTestCase("each byte arrives once beside random losses",
                                     {"sack:sleek", "mixed", "none", 0.005, false, false}));
        for (const char* feedback :
             {"packet", "packet:worst-hop", "packet:every-8th-ack", "notification", "receiver"})
        {
            AddTestCase(new TrimmedTelemetryTestCase(feedback, "none"));
        }
        AddTestCase(new TrimmedTelemetryTestCase("packet", "oblivious"));
        for (const bool incast : {false, true})
        {
            AddTestCase(new SackTestCase("with PFC nothing is lost, and nothing is retransmitted",
                                         {"sack", "oblivious", "none", 0, incast, true}));
        }
        for (const char* entropy : {"none", "oblivious", "bitmap", "reps", "mixed"})
        {
            AddTestCase(new SprayedPortsTestCase("sack", entropy));
            AddTestCase(new ForgedSacksTestCase("sack", entropy));
        }
        AddTestCase(new SprayedPortsTestCase("sack:sleek", "mixed"));
        AddTestCase(new ForgedSacksTestCase("sack:sleek", "mixed"));
        for (const std::string& recovery : Schemes())
        {
            AddTestCase(new PayloadSeriesTestCase(recovery));
        }
        AddTestCase(new LastPacketProbeTestCase);
        AddTestCase(new NotifiedTestCase);
        AddTestCase(new ShrunkWindowTestCase);
        AddTestCase(new LongQueueTestCase(true));
        AddTestCase(new LongQueueTestCase(false));
        AddTestCase(new RateTestCase);
        AddTestCase(new SackRefusalTestCase);
    }
};

/// Registers the suite.
HpccSackTestSuite g_hpccSackTestSuite;

} // namespace
