/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests loss recovery by sack:sleek if retransmissions are also lost.

#include "hpcc-test-recovery.h"

#include <list>
#include <numeric>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint64_t MTU = 1000; ///< payload of a packet, bytes

/// Tests losses during a recovery.
class LostAgainTestCase : public RecoveryTestCase
{
  public:
    LostAgainTestCase()
        : RecoveryTestCase("the answer to a probe restarts a recovery of sack:sleek, and time-outs "
                           "during a recovery retransmit nothing")
    {
    }

  private:
    void DoRun() override
    {
        Send(30, {29, 32}); // the last packet, and its retransmission after a probe
        NS_TEST_EXPECT_MSG_LT(m_acknowledged[0].completedNs, 60000, "the end");
        NS_TEST_EXPECT_MSG_EQ(Host(0).GetQueuePair(0).retransmissions, 2, "retransmissions");
        NS_TEST_EXPECT_MSG_EQ(Host(0).GetTimeouts(), 0, "time-outs");
        Again();

        // Packet 20 starts a recovery. Then the link fails until 300 frames have been lost.
        std::list<uint32_t> lost(300);
        std::iota(lost.begin(), lost.end(), 34);
        lost.push_front(20);
        Send(2000, lost);
        NS_TEST_EXPECT_MSG_EQ(Host(0).GetTimeouts(), 1, "the retransmission of packet 20");
        NS_TEST_EXPECT_MSG_LT(Host(0).GetQueuePair(0).retransmissions,
                              60,
                              "one window, not one per time-out");
    }

    /**
     * Sends a message and waits for its end.
     * @param packets size of the message, packets
     * @param lost indices of the frames that are lost, in the order of arrival
     */
    void Send(uint64_t packets, const std::list<uint32_t>& lost)
    {
        Use("sack:sleek");
        Install(BackToBack("10Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        policy->window = 40000;
        Post(0, Connect(0, 1, policy), packets * MTU);
        Lose(1, lost);
        Simulator::Stop(MilliSeconds(50));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, "messages acknowledged");
        NS_TEST_EXPECT_MSG_EQ(m_delivered.size(), 1, "messages delivered");
        NS_TEST_EXPECT_MSG_EQ(AllFramesFree(), true, "frames");
    }
};

/// Tests recoveries of sack:sleek.
class HpccSleekTestSuite : public TestSuite
{
  public:
    HpccSleekTestSuite()
        : TestSuite("hpcc-sleek", Type::UNIT)
    {
        AddTestCase(new LostAgainTestCase);
    }
};

/// Registers the suite.
HpccSleekTestSuite g_hpccSleekTestSuite;

} // namespace
