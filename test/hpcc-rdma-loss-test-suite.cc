/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests losses of packets and ACKs with go-back-n.

#include "hpcc-test-losses.h"
#include "hpcc-test-rdma.h"
#include "hpcc-test-text.h"

#include "ns3/rdma-hpcc-plus-plus.h"
#include "ns3/rdma-queue-pair.h"
#include "ns3/rng-seed-manager.h"

#include <list>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint32_t MTU = 1000; ///< default payload per packet of RdmaHost, bytes

class LossTestCase : public RdmaTestCase
{
  public:
    /// Expected consequences of the losses.
    struct Expected
    {
        uint64_t naks;            ///< NAKs sent
        uint64_t timeouts;        ///< time-outs
        uint64_t retransmissions; ///< packets retransmitted
        uint64_t duplicates;      ///< packets received twice
    };

    LossTestCase(const std::string& name,
                 std::list<uint32_t> packets,
                 std::list<uint32_t> acks,
                 Expected expected)
        : RdmaTestCase(name),
          m_packets(std::move(packets)),
          m_acks(std::move(acks)),
          m_expected(expected)
    {
    }

  private:
    void DoRun() override
    {
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        policy->window = 5 * MTU;
        uint32_t index = Connect(0, 1, policy);
        Post(0, index, 99 * MTU + 1);
        Lose(1, m_packets);
        Lose(0, m_acks);
        uint64_t nakNumber = UINT64_MAX;
        OnTransmit(Host(1).GetPort(), [&](int64_t, const Frame& frame) {
            if (frame.syndrome == ROCE_SYNDROME_NAK_SEQUENCE)
            {
                nakNumber = frame.psn;
            }
        });
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        const auto& qp = Host(0).GetQueuePair(index);
        const auto& remote = Host(1).GetQueuePair(0);
        NS_TEST_ASSERT_MSG_EQ(m_delivered.size(), 1, "deliveries");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_ASSERT_MSG_EQ(m_delivered[0].bytes, 99 * MTU + 1, "bytes delivered");
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, "acknowledgements");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_ASSERT_MSG_EQ(remote.receivedBytes, 99 * MTU + 1, "bytes in order");
        NS_TEST_ASSERT_MSG_EQ(Host(1).GetNaksSent(), m_expected.naks, "NAKs sent");
        NS_TEST_ASSERT_MSG_EQ(policy->naks, m_expected.naks, "NAKs received");
        NS_TEST_ASSERT_MSG_EQ(Host(0).GetTimeouts(), m_expected.timeouts, "time-outs");
        NS_TEST_ASSERT_MSG_EQ(qp.retransmissions, m_expected.retransmissions, "sent again");
        NS_TEST_ASSERT_MSG_EQ(remote.duplicates, m_expected.duplicates, "duplicates");
        if (m_expected.naks)
        {
            NS_TEST_ASSERT_MSG_EQ(nakNumber, m_packets.front(), "the NAK names the lost packet");
        }
        // The default time-out is 4 ms. Without time-outs, the flow takes 20 round trips.
        NS_TEST_ASSERT_MSG_EQ_TOL(m_acknowledged[0].completedNs,
                                  static_cast<int64_t>(m_expected.timeouts) * 4000000 + 30000,
                                  30000,
                                  "nothing but time-outs takes long");
        NS_TEST_ASSERT_MSG_EQ(AllFramesFree(), true, "frames");
    }

    std::list<uint32_t> m_packets; ///< lost packets, by order of arrival
    std::list<uint32_t> m_acks;    ///< lost ACKs, by order of arrival
    Expected m_expected;           ///< expected consequences
};

class RandomLossTestCase : public RdmaTestCase
{
  public:
    explicit RandomLossTestCase(double rate)
        : RdmaTestCase("with a share of " + Text(rate) +
                       " of all packets and ACKs lost at random, every byte of every message is "
                       "delivered once and in order"),
          m_rate(rate)
    {
    }

  private:
    void DoRun() override
    {
        RngSeedManager::SetSeed(1);
        RngSeedManager::SetRun(1);
        Fabric().SetHostAttribute("RetransmitTimeout", TimeValue(MicroSeconds(100)));
        Fabric().SetHostAttribute("NakInterval", TimeValue(MicroSeconds(20)));
        Install(WithLosses(Star(4, "100Gbps", MicroSeconds(1)), m_rate));
        auto spec = HpccFabricHelper::MakePolicy("hpcc++");
        auto fixed = CreateObject<FixedPolicy>();
        fixed->window = 30 * MTU;
        constexpr uint32_t messages = 20;
        for (uint32_t host = 0; host < 3; ++host)
        {
            for (uint32_t qp : {Fabric().Connect(host, 3, spec), Connect(host, 3, fixed)})
            {
                for (uint32_t i = 0; i < messages; ++i)
                {
                    Post(host,
                         qp,
                         BytesOf(i),
                         MicroSeconds(5 * i),
                         i % 2 ? RdmaVerb::SEND : RdmaVerb::WRITE);
                }
            }
        }
        Simulator::Stop(Seconds(5));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 6 * messages, "acknowledged");
        NS_TEST_ASSERT_MSG_EQ(m_delivered.size(), 6 * messages, "delivered");
        if (IsStatusFailure())
        {
            return;
        }
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> next;
        for (const auto& record : m_delivered)
        {
            uint32_t& index = next[{record.source, record.queuePair}];
            NS_TEST_ASSERT_MSG_EQ(record.index, index, "order");
            NS_TEST_ASSERT_MSG_EQ(record.bytes, BytesOf(index), "bytes");
            ++index;
        }
        NS_TEST_ASSERT_MSG_GT(GetDrops(), 0, "packets were lost");
        NS_TEST_ASSERT_MSG_EQ(AllFramesFree(), true, "frames");
    }

    /// Returns the size of the message with number @p message, bytes.
    static uint64_t BytesOf(uint32_t message)
    {
        return 1 + message * 4999;
    }

    double m_rate; ///< share of lost packets
};

/// Tests that a rollback is not treated as an idle time, because the requester always has data in
/// flight.
class NoIdleAfterNakTestCase : public RdmaTestCase
{
  public:
    NoIdleAfterNakTestCase()
        : RdmaTestCase("going back after a NAK does not count as an idle gap: HPCC++ keeps its "
                       "records")
    {
    }

  private:
    void DoRun() override
    {
        Install(Star(2, "100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<RdmaHpccPlusPlus>();
        policy->SetNetworkBaseRtt(Fabric().GetNetworkBaseRttNs());
        RdmaQueuePairConfig config;
        config.policy = policy;
        config.telemetry = HpccFabricHelper::MakePolicy("hpcc++").format;
        uint32_t qp = Host(0).Connect(Fabric().GetHost(1), config);
        policy->TraceConnectWithoutContext("Reset",
                                           MakeCallback(&NoIdleAfterNakTestCase::Reset, this));
        Lose(1, {500});
        Post(0, qp, 1000 * MTU);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, "messages");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_ASSERT_MSG_EQ(Host(1).GetNaksSent(), 1, "NAKs");
        NS_TEST_ASSERT_MSG_EQ(m_resets.size(), 1, "resets");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_ASSERT_MSG_EQ((m_resets[0] == HpccReset::FIRST_RECORD), true, "reason");
    }

    void Reset(uint32_t, HpccReset reason)
    {
        m_resets.push_back(reason);
    }

    std::vector<HpccReset> m_resets; ///< reasons of the resets
};

/// Tests a message that takes five times as long as the time-out, and always has packets in flight.
class ProgressTestCase : public RdmaTestCase
{
  public:
    ProgressTestCase()
        : RdmaTestCase("the time-out counts from the last progress")
    {
    }

  private:
    void DoRun() override
    {
        Fabric().SetHostAttribute("RetransmitTimeout", TimeValue(MicroSeconds(20)));
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        policy->window = 50 * MTU;
        Post(0, Connect(0, 1, policy), 1250 * MTU);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, "messages");
        NS_TEST_EXPECT_MSG_EQ(Host(0).GetTimeouts(), 0, "time-outs");
    }
};

class HpccRdmaLossTestSuite : public TestSuite
{
  public:
    HpccRdmaLossTestSuite()
        : TestSuite("hpcc-rdma-loss", Type::UNIT)
    {
        // The window has 5 packets. Lost packets and ACKs are numbered by arrival, including
        // retransmissions.
        AddTestCase(new LossTestCase("one lost packet: a NAK, and the window is retransmitted",
                                     {10},
                                     {},
                                     {1, 0, 5, 0}));
        AddTestCase(
            new LossTestCase("one lost packet and the first retransmission of it: the time-out "
                             "helps, since a NAK is not repeated so soon",
                             {10, 15},
                             {},
                             {1, 1, 10, 0}));
        AddTestCase(new LossTestCase("the last packet is lost: the time-out helps",
                                     {99},
                                     {},
                                     {0, 1, 1, 0}));
        AddTestCase(new LossTestCase("the last ACK is lost: the time-out helps, the duplicate is "
                                     "acknowledged and not delivered again",
                                     {},
                                     {99},
                                     {0, 1, 1, 1}));
        AddTestCase(new LossTestCase("the last two packets' ACKs are lost: both duplicates are "
                                     "acknowledged",
                                     {},
                                     {98, 99},
                                     {0, 1, 2, 2}));
        AddTestCase(new LossTestCase("a lost ACK in the middle is covered by the next",
                                     {},
                                     {50},
                                     {0, 0, 0, 0}));
        AddTestCase(new LossTestCase("the first packet is lost", {0}, {}, {1, 0, 5, 0}));
        AddTestCase(new ProgressTestCase);
        for (double rate : {1e-3, 1e-2, 5e-2})
        {
            AddTestCase(new RandomLossTestCase(rate));
        }
        AddTestCase(new NoIdleAfterNakTestCase);
    }
};

HpccRdmaLossTestSuite g_hpccRdmaLossTestSuite; ///< the suite

} // namespace
