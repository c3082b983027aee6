/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests queue pairs with SACKs if some packets arrive many round trips after packets that were sent
// later, or if the sender is slow.

#include "hpcc-test-recovery.h"

#include <string>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint64_t BYTES = 500500; ///< payload of a message: 501 packets
constexpr uint32_t HOSTS = 4;      ///< number of hosts on each of two leaves
constexpr uint32_t SPINES = 4;     ///< number of spines, one per path

/// Tests packets that arrive ten base RTTs late on one of four paths.
class ReorderedTestCase : public RecoveryTestCase
{
  public:
    ReorderedTestCase(const std::string& recovery, const std::string& entropy)
        : RecoveryTestCase("each byte arrives once if one of four paths is longer by ten base "
                           "RTTs (" +
                           recovery + ", entropy " + entropy + ")"),
          m_recovery(recovery),
          m_entropy(entropy)
    {
    }

  private:
    void NoteReceived(const RdmaQueuePair&, int64_t, uint32_t bytes)
    {
        m_receivedBytes += bytes;
    }

    void NoteOutOfOrder(const RdmaQueuePair&, int64_t, bool)
    {
        ++m_outOfOrder;
    }

    void DoRun() override
    {
        // The paths over the other spines take 4 us and four frame times in each direction.
        constexpr int64_t baseRttNs = 8800;
        constexpr uint32_t slowSpine = 2 * HOSTS + 2 + SPINES - 1;
        const auto plan = HpccTopology::LeafSpine(2, SPINES, HOSTS, {});
        HpccTopology uneven;
        for (uint32_t node = 0; node < plan.GetNodes(); ++node)
        {
            uneven.AddNode(plan.IsSwitch(node));
        }
        for (auto link : plan.GetLinks())
        {
            const bool slow = link.a == slowSpine || link.b == slowSpine;
            link.delay += NanoSeconds(slow ? 10 * baseRttNs / 2 : 0);
            uneven.AddLink(link);
        }
        // A time-out that is shorter than the round trip on the slow path would be refused.
        Config::SetDefault("ns3::RdmaSack::Rto", StringValue("200us"));
        Fabric().SetEntropy(m_entropy);
        Fabric().SetDeviceAttribute("PfcEnabled", BooleanValue(false));
        Use(m_recovery);
        Install(uneven);
        Fabric().SetNetworkBaseRttNs(baseRttNs);
        for (uint32_t i = 0; i < HOSTS; ++i)
        {
            auto policy = CreateObject<FixedPolicy>();
            policy->window = 40000;
            policy->needs.ecn = RdmaPolicyDescription::ECT0;
            Post(i, Connect(i, HOSTS + i, policy), BYTES);
            Host(HOSTS + i).TraceConnectWithoutContext(
                "Received",
                MakeCallback(&ReorderedTestCase::NoteReceived, this));
            Host(HOSTS + i).TraceConnectWithoutContext(
                "OutOfOrder",
                MakeCallback(&ReorderedTestCase::NoteOutOfOrder, this));
        }
        Simulator::Stop(MilliSeconds(200));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), HOSTS, "messages acknowledged");
        NS_TEST_EXPECT_MSG_EQ(m_delivered.size(), HOSTS, "messages delivered");
        NS_TEST_EXPECT_MSG_EQ(m_receivedBytes, HOSTS * BYTES, "each byte once");
        NS_TEST_EXPECT_MSG_GT(m_outOfOrder, 100, "packets overtake");
        NS_TEST_EXPECT_MSG_EQ(AllFramesFree(), true, "frames");
    }

    std::string m_recovery;      ///< short name of the scheme
    std::string m_entropy;       ///< short name of the entropy
    uint64_t m_receivedBytes{0}; ///< payload received in order
    uint32_t m_outOfOrder{0};    ///< out-of-order packets at the receivers
};

/// Tests that no packet is retransmitted if a SACK is due only long after its first packet.
class RareSacksTestCase : public RecoveryTestCase
{
  public:
    /// Settings that cause rare SACKs.
    struct Setting
    {
        std::string name;        ///< name of the case
        std::string linkRate;    ///< rate of the links
        double rateBps;          ///< rate of the policy
        std::string rto;         ///< RdmaSack::Rto
        uint32_t ackInterval{1}; ///< RdmaHost::AckInterval
    };

    explicit RareSacksTestCase(const Setting& setting)
        : RecoveryTestCase("nothing is retransmitted without loss before a SACK is due (" +
                           setting.name + ")"),
          m_setting(setting)
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::RdmaSack::Rto", StringValue(m_setting.rto));
        Fabric().SetHostAttribute("AckInterval", UintegerValue(m_setting.ackInterval));
        Use("sack");
        const DataRate rate(m_setting.linkRate);
        Install(HpccTopology::Star(2, {rate, rate, MicroSeconds(1)}));
        auto policy = CreateObject<FixedPolicy>();
        policy->rate = m_setting.rateBps;
        Post(0, Connect(0, 1, policy), BYTES);
        Simulator::Stop(MilliSeconds(200));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), 1, "messages acknowledged");
        NS_TEST_EXPECT_MSG_EQ(Host(0).GetTimeouts(), 0, "time-outs");
        NS_TEST_EXPECT_MSG_EQ(Host(1).GetQueuePair(0).duplicates, 0, "retransmissions");
    }

    Setting m_setting; ///< settings that cause rare SACKs
};

/// Tests packets that arrive late or are sent late.
class HpccSackOrderTestSuite : public TestSuite
{
  public:
    HpccSackOrderTestSuite()
        : TestSuite("hpcc-sack-order", Type::UNIT)
    {
        for (const char* recovery : {"sack", "sack:sleek"})
        {
            AddTestCase(new ReorderedTestCase(recovery, "oblivious"));
            AddTestCase(new ReorderedTestCase(recovery, "mixed"));
        }
        // With the default of AckBytes, a SACK is due after 17 packets of 1,082 bytes, which take
        // 147 us at 1 Gb/s.
        AddTestCase(new RareSacksTestCase({"a given time-out", "1Gbps", 1e9, "40us"}));
        AddTestCase(new RareSacksTestCase({"a rate of 1 % of the line", "100Gbps", 1e9, "0s"}));
        // The message takes 434 us at 10 Gb/s, and only the last packet requests a SACK.
        AddTestCase(new RareSacksTestCase({"AckInterval", "10Gbps", 1e10, "0s", 3000}));
    }
};

/// Registers the suite.
HpccSackOrderTestSuite g_hpccSackOrderTestSuite;

} // namespace
