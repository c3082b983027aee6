/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Queue pairs with SACKs whose packets arrive out of order by many round trips.

#include "hpcc-test-recovery.h"

#include <string>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint64_t BYTES = 500500; ///< payload of a message: 501 packets
constexpr uint32_t HOSTS = 4;      ///< hosts on each of two leaves
constexpr uint32_t SPINES = 4;     ///< spines, which are the paths

/// Packets of one of four paths arrive ten base RTTs late.
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
        constexpr int64_t baseRttNs = 8800; // of the other paths: 4 us and four frames, both ways
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

/// Packets that arrive late.
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
    }
};

/// Registers the suite.
HpccSackOrderTestSuite g_hpccSackOrderTestSuite;

} // namespace
