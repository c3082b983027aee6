/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests when packets are sent, depending on windows, rates and the round robin among queue pairs.
// Also tests the shortest possible completion time of a flow.

#include "hpcc-test-rdma.h"

#include "ns3/boolean.h"
#include "ns3/rdma-no-congestion-control.h"
#include "ns3/rdma-queue-pair.h"
#include "ns3/string.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint32_t MTU = 1000; ///< default payload per packet of RdmaHost, bytes

class WindowAndRateTestCase : public RdmaTestCase
{
  public:
    WindowAndRateTestCase(double windowPackets, double gbps)
        : RdmaTestCase(NameOf(windowPackets, gbps)),
          m_window(windowPackets * MTU),
          m_rate(gbps * 1e9)
    {
    }

  private:
    static std::string NameOf(double windowPackets, double gbps)
    {
        std::ostringstream name;
        name
            << "with W of " << windowPackets << " packets and R of " << gbps * 1000
            << " Mbps less than W + MTU is in flight and packets keep the distance that R asks for";
        return name.str();
    }

    void DoRun() override
    {
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        policy->window = m_window;
        policy->rate = m_rate;
        uint32_t index = Connect(0, 1, policy);
        constexpr int64_t packets = 2000;
        Post(0, index, packets * MTU);
        const RdmaQueuePair& qp = Host(0).GetQueuePair(index);
        uint64_t mostInFlight = 0;
        int64_t firstNs = -1;
        int64_t lastNs = 0;
        double paceNs = 0;
        double mostEarlyNs = -1e18;
        OnTransmit(Host(0).GetPort(), [&](int64_t nowNs, const Frame& frame) {
            mostInFlight = std::max(mostInFlight, qp.InFlight());
            firstNs = firstNs < 0 ? nowNs : firstNs;
            lastNs = nowNs;
            mostEarlyNs = std::max(mostEarlyNs, paceNs - static_cast<double>(nowNs - firstNs));
            if (frame.psn + 1 < packets)
            {
                paceNs += Host(0).GetPort().GetLinkBytes(frame.bytes) * 8e9 / m_rate;
            }
        });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, "messages");
        if (IsStatusFailure())
        {
            return;
        }
        if (m_window < 1e9)
        {
            NS_TEST_ASSERT_MSG_LT(static_cast<double>(mostInFlight), m_window + MTU, "in flight");
        }
        NS_TEST_ASSERT_MSG_LT(mostEarlyNs, 1.001, "no packet is ahead of the pace by 1 ns");
        // With a large window, one packet is sent per pacing interval. With a small window, one
        // window is sent per round trip.
        double perRound = std::ceil(m_window / MTU);
        double packetNs = (1058 + 24) * 8e9 / m_rate;
        double roundNs = 2000 + (1058 + 24 + 62 + 24) * 8 / 100.0;
        if (perRound * packetNs > roundNs + packetNs)
        {
            NS_TEST_ASSERT_MSG_EQ_TOL(static_cast<double>(lastNs - firstNs),
                                      paceNs,
                                      1.001,
                                      "the pace is kept on average");
        }
        else
        {
            double rounds = std::ceil(packets / perRound) - 1;
            double expectedNs = rounds * std::max(roundNs, packetNs);
            NS_TEST_ASSERT_MSG_EQ_TOL(static_cast<double>(lastNs - firstNs),
                                      expectedNs,
                                      expectedNs * 0.01 + perRound * packetNs,
                                      "a window per round trip");
        }
    }

    double m_window; ///< window, bytes
    double m_rate;   ///< rate, bit/s
};

class RateChangeTestCase : public RdmaTestCase
{
  public:
    RateChangeTestCase(const std::string& name,
                       double before,
                       int64_t changeNs,
                       double after,
                       int64_t expectedNs)
        : RdmaTestCase("a packet that waits for its pace is timed again when the rate " + name),
          m_before(before),
          m_changeNs(changeNs),
          m_after(after),
          m_expectedNs(expectedNs)
    {
    }

  private:
    void DoRun() override
    {
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        policy->rate = m_before;
        policy->timerNs = m_changeNs;
        policy->onTimer = [this](RdmaCongestionState& state) { state.rateBps = m_after; };
        Post(0, Connect(0, 1, policy), 2 * MTU, NanoSeconds(0), RdmaVerb::SEND);
        std::vector<int64_t> starts;
        OnTransmit(Host(0).GetPort(),
                   [&starts](int64_t nowNs, const Frame&) { starts.push_back(nowNs); });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(starts.size(), 2, "packets");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_ASSERT_MSG_EQ(starts[0], 0, "the first goes at once");
        NS_TEST_ASSERT_MSG_EQ_TOL(starts[1], m_expectedNs, 1, "the second");
    }

    double m_before;      ///< first rate, bit/s
    int64_t m_changeNs;   ///< time of the change
    double m_after;       ///< second rate, bit/s
    int64_t m_expectedNs; ///< start of the second packet
};

class WholeNanosecondPaceTestCase : public RdmaTestCase
{
  public:
    WholeNanosecondPaceTestCase()
        : RdmaTestCase(
              "with WholeNanoseconds a pace that is exact loses 1 ns, another its fraction")
    {
    }

  private:
    void DoRun() override
    {
        Fabric().SetDeviceAttribute("WholeNanoseconds", BooleanValue(true));
        Fabric().SetDeviceAttribute("EthernetOverhead", BooleanValue(false));
        Fabric().SetHostAttribute("WireProfile", StringValue("Authors"));
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        policy->rate = 1e9;
        policy->timerNs = 20000;
        policy->onTimer = [](RdmaCongestionState& state) { state.rateBps = 3e9; };
        Post(0, Connect(0, 1, policy), 5 * MTU);
        std::vector<int64_t> starts;
        OnTransmit(Host(0).GetPort(),
                   [&starts](int64_t nowNs, const Frame&) { starts.push_back(nowNs); });
        Simulator::Run();
        // The pacing interval of 1048 bytes is 8384 ns at 1 Gb/s and 2794.67 ns at 3 Gb/s. When the
        // rate changes to 3 Gb/s after 20 us, the waiting packet may be sent at once.
        std::vector<int64_t> expected{0, 8383, 16766, 20000, 20000 + 2794};
        NS_TEST_ASSERT_MSG_EQ((starts == expected), true, "starts of packets");
    }
};

class RoundRobinTestCase : public RdmaTestCase
{
  public:
    explicit RoundRobinTestCase(uint32_t queuePairs)
        : RdmaTestCase(std::to_string(queuePairs) +
                       " queue pairs share a port round robin: after any number of turns their "
                       "bytes are within one packet, below 2 %"),
          m_queuePairs(queuePairs)
    {
    }

  private:
    void DoRun() override
    {
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        for (uint32_t i = 0; i < m_queuePairs; ++i)
        {
            Post(0, Connect(0, 1, policy), 1000 * MTU);
        }
        constexpr uint32_t turns = 60;
        Simulator::Stop(NanoSeconds(turns * m_queuePairs * (1058 + 24) * 8 / 100));
        Simulator::Run();
        uint64_t least = UINT64_MAX;
        uint64_t most = 0;
        for (uint32_t i = 0; i < m_queuePairs; ++i)
        {
            uint64_t bytes = Host(0).GetQueuePair(i).sndNxtByte;
            least = std::min(least, bytes);
            most = std::max(most, bytes);
        }
        NS_TEST_ASSERT_MSG_GT_OR_EQ(least, (turns - 1) * MTU, "the port is busy");
        NS_TEST_ASSERT_MSG_LT_OR_EQ(most - least, MTU, "within one packet");
        NS_TEST_ASSERT_MSG_LT(static_cast<double>(most - least),
                              0.02 * static_cast<double>(most),
                              "within 2 %");
    }

    uint32_t m_queuePairs; ///< number of queue pairs
};

class RejoinTestCase : public RdmaTestCase
{
  public:
    RejoinTestCase(bool atOnce, uint32_t gbps, std::vector<uint32_t> order)
        : RdmaTestCase(std::string("with RejoinAtOnce ") + (atOnce ? "true" : "false") + " and " +
                       std::to_string(gbps) +
                       "Gbps, three queue pairs posted in turn send their "
                       "packets in the expected order without a gap"),
          m_atOnce(atOnce),
          m_gbps(gbps),
          m_order(std::move(order))
    {
    }

  private:
    void DoRun() override
    {
        Fabric().SetHostAttribute("RejoinAtOnce", BooleanValue(m_atOnce));
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        policy->rate = m_gbps * 1e9;
        const Time start = MicroSeconds(1);
        std::vector<uint32_t> order;
        int64_t lastNs = 0;
        OnTransmit(Host(0).GetPort(), [&order, &lastNs](int64_t nowNs, const Frame& frame) {
            order.push_back(frame.destinationQp);
            lastNs = nowNs;
        });
        for (uint32_t i = 0; i < 3; ++i)
        {
            Post(0, Connect(0, 1, policy), 2 * MTU, start);
        }
        Simulator::Run();
        for (uint32_t& queuePair : order)
        {
            queuePair -= Host(1).GetQueuePair(0).number;
        }
        NS_TEST_ASSERT_MSG_EQ((order == m_order), true, "queue pairs of the packets");
        NS_TEST_ASSERT_MSG_LT_OR_EQ(
            lastNs,
            start.GetNanoSeconds() + 5 * 88,
            "start of the sixth packet; a packet occupies at most 87.84 ns");
    }

    bool m_atOnce;                 ///< RejoinAtOnce
    uint32_t m_gbps;               ///< rate of each queue pair
    std::vector<uint32_t> m_order; ///< queue pairs of the packets, from 0
};

class IdealFctTestCase : public RdmaTestCase
{
  public:
    IdealFctTestCase(const std::string& name,
                     HpccTopology topology,
                     uint32_t source,
                     uint32_t destination,
                     uint64_t bytes,
                     bool overhead)
        : RdmaTestCase(std::to_string(bytes) + " bytes alone in " + name + ", Ethernet overhead " +
                       (overhead ? "on" : "off") +
                       ", take the ideal time of GetIdealFctNs within 1 ns per hop"),
          m_topology(std::move(topology)),
          m_source(source),
          m_destination(destination),
          m_bytes(bytes),
          m_overhead(overhead)
    {
    }

  private:
    void DoRun() override
    {
        Fabric().SetDeviceAttribute("EthernetOverhead", BooleanValue(m_overhead));
        Install(m_topology);
        Post(m_source,
             Connect(m_source, m_destination, CreateObject<RdmaNoCongestionControl>()),
             m_bytes);
        Simulator::Run();
        auto hops = static_cast<int64_t>(Fabric().GetPath(m_source, m_destination).hops);
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, "messages");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_ASSERT_MSG_EQ_TOL(m_acknowledged[0].completedNs,
                                  Fabric().GetIdealFctNs(m_source, m_destination, m_bytes),
                                  2 * hops,
                                  "there and back");
    }

    HpccTopology m_topology; ///< the network
    uint32_t m_source;       ///< sending host
    uint32_t m_destination;  ///< receiving host
    uint64_t m_bytes;        ///< payload
    bool m_overhead;         ///< attribute EthernetOverhead
};

class IdealChoiceTestCase : public RdmaTestCase
{
  public:
    IdealChoiceTestCase()
        : RdmaTestCase("the ideal time is that of the fastest of several paths, of the port that "
                       "queue pairs are bound to, and of the headers that SACKs or the verb need")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t bytes = 1000000;
        const DataRate slow("10Gbps");
        const DataRate fast("100Gbps");
        for (bool slowFirst : {true, false})
        {
            HpccTopology network;
            for (uint32_t node = 0; node < 6; ++node)
            {
                network.AddNode(node >= 2);
            }
            network.AddLink({0, 2, fast, MicroSeconds(1)});
            network.AddLink({1, 3, fast, MicroSeconds(1)});
            for (uint32_t leaf : {2U, 3U})
            {
                network.AddLink({leaf, 4, slowFirst ? slow : fast, MicroSeconds(1)});
                network.AddLink({leaf, 5, slowFirst ? fast : slow, MicroSeconds(1)});
            }
            Install(network);
            NS_TEST_EXPECT_MSG_EQ_TOL(Fabric().GetIdealFctNs(0, 1, bytes),
                                      94900,
                                      1000,
                                      "8 us of propagation, 86.6 of transmission, 100G");
            NS_TEST_EXPECT_MSG_EQ(Fabric().GetFlowRateBps(0, 1), fast.GetBitRate(), "rate");
            RdmaTestCase::DoTeardown();
        }
        // Port 0 leads to the star. Port 1 leads to a switch inside the server, and its path is
        // shorter.
        for (const std::string rate : {"25Gbps", "2880Gbps"})
        {
            Fabric().SetPorts("0");
            Install(HpccTopology::ByName("nvswitch:2,1," + rate + ",25ns,star:4"));
            ExpectIdeal(bytes, "port 0 beside " + rate);
        }
        Fabric().SetHostAttribute("Recovery", StringValue("sack"));
        Install(HpccTopology::Star(2, {fast, fast, MicroSeconds(1)}));
        ExpectIdeal(bytes, "sack");
        Fabric().SetHostAttribute("Recovery", StringValue("go-back-n"));
        const DataRate rate("100Mbps"); // the transmission of a RETH takes 1280 ns
        for (const uint64_t size : {64, 2000})
        {
            Install(HpccTopology::Star(2, {rate, rate, MicroSeconds(1)}));
            ExpectIdeal(size, "SEND of " + std::to_string(size), RdmaVerb::SEND);
        }
        for (const auto& [there, back] : {std::pair(fast, DataRate("1Gbps")),
                                          std::pair(DataRate("1Gbps"), fast),
                                          std::pair(rate, rate)})
        {
            HpccTopology network;
            network.AddNode(false);
            network.AddNode(false);
            network.AddNode(true);
            network.AddLink({0, 2, there, NanoSeconds(100), 0, back});
            network.AddLink({2, 1, there, NanoSeconds(100), 0, back});
            for (const uint64_t size : {64, 1000, 1001, 2001, 300000})
            {
                for (const RdmaVerb verb : {RdmaVerb::WRITE, RdmaVerb::READ})
                {
                    Fabric().SetHostAttribute("RetransmitTimeout", TimeValue(Seconds(1)));
                    Install(network);
                    ExpectIdeal(size,
                                std::to_string(there.GetBitRate()) + " bit/s there, " +
                                    std::to_string(back.GetBitRate()) + " back, " +
                                    std::to_string(size) + " bytes",
                                verb);
                }
            }
        }
        const std::vector<std::pair<std::string, uint64_t>> sprayed{
            {"leaf-spine:2,4,1,fabric=25Gbps", 100000000000},
            {"planes:2,2,2,2,fabric=40Gbps", 80000000000}};
        for (const auto& [topology, rateBps] : sprayed)
        {
            Fabric().SetPaths("spray:round-robin");
            Fabric().SetHostAttribute("Recovery", StringValue("irn"));
            Install(HpccTopology::ByName(topology));
            NS_TEST_EXPECT_MSG_EQ(Fabric().GetFlowRateBps(0, 1), rateBps, topology);
            ExpectIdeal(999000, "sprayed, " + topology); // an odd number of full packets
        }
        // A queue pair uses at most as many of the four paths as it has entropy values.
        for (const auto& [values, rateBps] : {std::pair(1, UINT64_C(25000000000)),
                                              std::pair(2, UINT64_C(50000000000)),
                                              std::pair(4, UINT64_C(100000000000)),
                                              std::pair(64, UINT64_C(100000000000))})
        {
            const std::string what = "entropy values: " + std::to_string(values);
            Fabric().SetEntropy("oblivious", values);
            Fabric().SetHostAttribute("Recovery", StringValue("sack"));
            Install(HpccTopology::ByName(sprayed.front().first));
            NS_TEST_EXPECT_MSG_EQ(Fabric().GetFlowRateBps(0, 1), rateBps, what);
            const auto wireNs =
                static_cast<double>(Fabric().GetWireBytes(999000) * 8) * 1e9 / rateBps;
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(Fabric().GetIdealFctNs(0, 1, 999000)),
                                      wireNs + 9000,
                                      1000,
                                      what + ": transmission and the round trip of a packet");
            if (values == 1)
            {
                ExpectIdeal(999000, what);
            }
            else
            {
                RdmaTestCase::DoTeardown();
            }
        }
    }

    /// Expects that a message takes its ideal time if it is alone in the network.
    /// @param bytes payload
    /// @param what description of the case, for messages
    /// @param verb operation of the message
    void ExpectIdeal(uint64_t bytes, const std::string& what, RdmaVerb verb = RdmaVerb::WRITE)
    {
        auto policy = CreateObject<RdmaNoCongestionControl>();
        const uint32_t pair = Connect(0, 1, policy, verb == RdmaVerb::READ ? policy : nullptr);
        Post(0, pair, bytes, Seconds(0), verb);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, what);
        NS_TEST_EXPECT_MSG_EQ_TOL(m_acknowledged[0].completedNs,
                                  Fabric().GetIdealFctNs(0, 1, bytes, verb),
                                  8,
                                  what);
        m_acknowledged.clear();
        RdmaTestCase::DoTeardown();
    }
};

/// Tests ideal times over links that are slow in the direction of the ACKs.
class FewAcksTestCase : public RdmaTestCase
{
  public:
    FewAcksTestCase()
        : RdmaTestCase("no message is faster than the ideal time if an ACK covers several packets, "
                       "by the setting of the host, of the recovery or of the feedback")
    {
    }

  private:
    void DoRun() override
    {
        // On these links, the transmission of the message takes 24 us. The ACKs of all its packets
        // would take 208 us.
        for (const auto& [interval, recovery, feedback] :
             {std::tuple(1000, "go-back-n", ""),
              std::tuple(2, "go-back-n", ""),
              std::tuple(1, "sack", ""),
              std::tuple(1000, "sack", ""),
              std::tuple(1, "go-back-n", "packet:delayed-ack-8")})
        {
            const std::string what = std::string(recovery) + ", AckInterval " +
                                     std::to_string(interval) + ", feedback " + feedback;
            const bool oneAck = interval > 2; // if there is only one ACK, both times are equal
            Fabric().SetHostAttribute("AckInterval", UintegerValue(interval));
            Fabric().SetHostAttribute("AckDelay", TimeValue(Seconds(1)));
            Fabric().SetHostAttribute("Recovery", StringValue(recovery));
            HpccTopology network;
            network.AddNode(false);
            network.AddNode(false);
            network.AddNode(true);
            for (const uint32_t host : {0, 1})
            {
                const bool there = host == 0;
                const DataRate fast("100Gbps");
                network.AddLink({there ? host : 2,
                                 there ? 2 : host,
                                 fast,
                                 MicroSeconds(1),
                                 0,
                                 DataRate("1Gbps")});
            }
            Install(network);
            auto spec = HpccFabricHelper::MakePolicy("none");
            if (*feedback)
            {
                spec = HpccFabricHelper::MakePolicy("hpcc++", "int-md", feedback);
            }
            Post(0, Fabric().Connect(0, 1, spec), 300000);
            const int64_t idealNs =
                Fabric().GetIdealFctNs(0, 1, 300000, RdmaVerb::WRITE, spec.feedback);
            Simulator::Run();
            NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, what);
            NS_TEST_EXPECT_MSG_GT(m_acknowledged[0].completedNs + 8, idealNs, what);
            if (oneAck)
            {
                NS_TEST_EXPECT_MSG_EQ_TOL(m_acknowledged[0].completedNs, idealNs, 8, what);
            }
            m_acknowledged.clear();
            RdmaTestCase::DoTeardown();
        }
    }
};

class HpccRdmaPacingTestSuite : public TestSuite
{
  public:
    HpccRdmaPacingTestSuite()
        : TestSuite("hpcc-rdma-pacing", Type::UNIT)
    {
        for (double gbps : {0.01, 0.333, 1.0, 7.0, 33.3, 99.9, 100.0})
        {
            for (double packets : {0.4, 1.0, 3.5, 20.0, 100.0})
            {
                AddTestCase(new WindowAndRateTestCase(packets, gbps));
            }
            AddTestCase(new WindowAndRateTestCase(OPEN, gbps));
        }
        // The first of the two packets has 1,058 bytes and occupies 1,082 bytes on the link.
        AddTestCase(new RateChangeTestCase("doubles", 10e6, 100000, 20e6, 1082 * 8 * 50));
        AddTestCase(new RateChangeTestCase("makes it due", 10e6, 100000, 10e9, 100000));
        AddTestCase(new RateChangeTestCase("falls", 100e6, 50000, 10e6, 1082 * 8 * 100));
        AddTestCase(new WholeNanosecondPaceTestCase);
        AddTestCase(new RoundRobinTestCase(3));
        AddTestCase(new RoundRobinTestCase(500));
        AddTestCase(new RejoinTestCase(false, 100, {0, 1, 2, 0, 1, 2}));
        AddTestCase(new RejoinTestCase(true, 100, {0, 0, 1, 2, 1, 2}));
        AddTestCase(new RejoinTestCase(true, 90, {0, 1, 2, 0, 1, 2}));
        AddTestCase(new IdealChoiceTestCase);
        AddTestCase(new FewAcksTestCase);

        auto g = [](const std::string& rate) { return DataRate(rate); };
        HpccTopology link;
        link.AddNode(false);
        link.AddNode(false);
        link.AddLink({0, 1, g("100Gbps"), MicroSeconds(1)});
        for (uint64_t bytes : {1U, 999U, 1000U, 1001U, 1999U, 2000U, 10007U, 1000000U, 1000001U})
        {
            for (bool overhead : {true, false})
            {
                AddTestCase(new IdealFctTestCase("a link of 100G", link, 0, 1, bytes, overhead));
                AddTestCase(new IdealFctTestCase(
                    "a star of 25G",
                    HpccTopology::Star(3, {g("25Gbps"), g("25Gbps"), NanoSeconds(1160)}),
                    2,
                    0,
                    bytes,
                    overhead));
                AddTestCase(new IdealFctTestCase(
                    "a dumbbell of 100 and 400G",
                    HpccTopology::Dumbbell(2, 2, {g("100Gbps"), g("400Gbps"), MicroSeconds(1)}),
                    0,
                    3,
                    bytes,
                    overhead));
                AddTestCase(new IdealFctTestCase(
                    "a dumbbell of 100 and 10G",
                    HpccTopology::Dumbbell(2, 2, {g("100Gbps"), g("10Gbps"), MicroSeconds(1)}),
                    0,
                    3,
                    bytes,
                    overhead));
                AddTestCase(new IdealFctTestCase(
                    "a fat-tree of k = 4, 6 hops",
                    HpccTopology::FatTree(4, {g("100Gbps"), g("400Gbps"), NanoSeconds(500)}),
                    0,
                    15,
                    bytes,
                    overhead));
            }
        }
    }
};

HpccRdmaPacingTestSuite g_hpccRdmaPacingTestSuite; ///< the suite

} // namespace
