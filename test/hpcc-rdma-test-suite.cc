/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests messages of the RDMA host: delivery, and sequence numbers that wrap.

#include "hpcc-test-network.h"
#include "hpcc-test-rdma.h"

#include "ns3/hpcc-drop-reason.h"
#include "ns3/rdma-queue-pair.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint32_t MTU = 1000;       ///< default payload per packet of RdmaHost, bytes
constexpr uint64_t WRAP = 0x1000000; ///< number of packets after which the packet number on the
                                     ///< wire is 0 again

class MessagesTestCase : public RdmaTestCase
{
  public:
    MessagesTestCase(const std::string& what, std::vector<std::pair<RdmaVerb, uint64_t>> messages)
        : RdmaTestCase(what + ": every message is delivered exactly once, whole and in order, then "
                              "acknowledged"),
          m_messages(std::move(messages))
    {
    }

  private:
    void DoRun() override
    {
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        uint32_t qp = Connect(0, 1, CreateObject<FixedPolicy>());
        std::vector<uint8_t> expectedOpcodes;
        for (auto [verb, bytes] : m_messages)
        {
            Post(0, qp, bytes, NanoSeconds(0), verb);
            bool write = verb == RdmaVerb::WRITE;
            uint64_t packets = (bytes + MTU - 1) / MTU;
            for (uint64_t i = 0; i < packets; ++i)
            {
                bool last = i + 1 == packets;
                uint8_t opcode = write ? ROCE_WRITE_MIDDLE : ROCE_SEND_MIDDLE;
                if (i == 0)
                {
                    opcode = last ? (write ? ROCE_WRITE_ONLY : ROCE_SEND_ONLY)
                                  : (write ? ROCE_WRITE_FIRST : ROCE_SEND_FIRST);
                }
                else if (last)
                {
                    opcode = write ? ROCE_WRITE_LAST : ROCE_SEND_LAST;
                }
                expectedOpcodes.push_back(opcode);
            }
        }
        std::vector<uint8_t> opcodes;
        uint64_t payload = 0;
        uint64_t wrongNumbers = 0;
        OnTransmit(Host(0).GetPort(), [&](int64_t, const Frame& frame) {
            wrongNumbers += frame.psn != opcodes.size();
            opcodes.push_back(frame.opcode);
            payload += frame.payloadBytes;
        });
        Simulator::Run();

        uint64_t total = 0;
        NS_TEST_ASSERT_MSG_EQ(m_delivered.size(), m_messages.size(), "messages delivered");
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), m_messages.size(), "messages acknowledged");
        if (IsStatusFailure())
        {
            return;
        }
        for (size_t i = 0; i < m_messages.size(); ++i)
        {
            uint64_t bytes = m_messages[i].second;
            total += bytes;
            NS_TEST_ASSERT_MSG_EQ(m_delivered[i].index, i, "order of delivery");
            NS_TEST_ASSERT_MSG_EQ(m_delivered[i].bytes, bytes, "bytes delivered");
            NS_TEST_ASSERT_MSG_EQ(m_acknowledged[i].index, i, "order of acknowledgement");
            NS_TEST_ASSERT_MSG_EQ(m_acknowledged[i].bytes, bytes, "bytes acknowledged");
            NS_TEST_ASSERT_MSG_EQ(m_acknowledged[i].postedNs, 0, "when it was posted");
            // The ACK of 62 bytes occupies 86 bytes of the link at 100 Gb/s, and the propagation
            // delay is 1 us.
            NS_TEST_ASSERT_MSG_EQ_TOL(m_acknowledged[i].completedNs - m_delivered[i].completedNs,
                                      1000 + 86 * 8 / 100,
                                      86 * 8 / 100 + 1,
                                      "the ACK takes its transmission time and one propagation "
                                      "delay, or waits for one more ACK");
        }
        NS_TEST_ASSERT_MSG_EQ((opcodes == expectedOpcodes), true, "opcodes of the packets");
        NS_TEST_ASSERT_MSG_EQ(wrongNumbers, 0, "packets are numbered from 0");
        NS_TEST_ASSERT_MSG_EQ(payload, total, "payload sent");
        NS_TEST_ASSERT_MSG_EQ(Host(1).GetQueuePair(0).receivedBytes, total, "payload received");
        NS_TEST_ASSERT_MSG_EQ(AllFramesFree(), true, "no frame is lost to the pools");
    }

    std::vector<std::pair<RdmaVerb, uint64_t>> m_messages; ///< operation and bytes
};

class UnwrapTestCase : public TestCase
{
  public:
    UnwrapTestCase()
        : TestCase("UnwrapPsn finds the number nearest to the reference, on both sides of any wrap")
    {
    }

  private:
    void DoRun() override
    {
        for (uint64_t reference : {WRAP - 1, WRAP, WRAP + 1, 5 * WRAP, (WRAP << 20) + 77})
        {
            for (int64_t distance : {-0x800000 + 1, -1000, -1, 0, 1, 1000, 0x800000 - 1})
            {
                uint64_t number = reference + distance;
                NS_TEST_ASSERT_MSG_EQ(UnwrapPsn(number & (WRAP - 1), reference),
                                      number,
                                      distance << " from " << reference);
            }
        }
    }
};

class WrapTestCase : public RdmaTestCase
{
  public:
    explicit WrapTestCase(bool losses)
        : RdmaTestCase(std::string("a flow whose packet numbers pass 2^24 ") +
                       (losses ? "recovers from losses on both sides of the wrap"
                               : "sends every packet once and is acknowledged"))
    {
        m_losses = losses;
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t start = 3 * WRAP - 50;
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        policy->window = 20 * MTU;
        uint32_t index = Connect(0, 1, policy);
        // Set both ends to the state after 3 * 2^24 - 50 packets.
        auto& qp = const_cast<RdmaQueuePair&>(Host(0).GetQueuePair(index));
        auto& remote = const_cast<RdmaQueuePair&>(Host(1).GetQueuePair(0));
        qp.sndNxtPsn = qp.sndUnaPsn = qp.sndMaxPsn = qp.endPsn = start;
        qp.sndNxtByte = qp.sndUnaByte = qp.endByte = start * MTU;
        remote.expectedPsn = start;
        if (m_losses)
        {
            Lose(1, {45, 49, 50, 51, 60, 105});
            Lose(0, {30, 52, 53, 54, 55});
        }
        std::vector<uint32_t> numbers;
        OnTransmit(Host(0).GetPort(),
                   [&](int64_t, const Frame& frame) { numbers.push_back(frame.psn); });
        Post(0, index, 100 * MTU);
        Post(0, index, 7);
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 2, "messages");
        NS_TEST_ASSERT_MSG_EQ(m_delivered.size(), 2, "messages");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_ASSERT_MSG_EQ(m_delivered[0].bytes, 100 * MTU, "bytes of the first");
        NS_TEST_ASSERT_MSG_EQ(m_delivered[1].bytes, 7, "bytes of the second");
        NS_TEST_ASSERT_MSG_EQ(qp.sndUnaPsn, start + 101, "numbers go on inside");
        NS_TEST_ASSERT_MSG_EQ(numbers.front(), WRAP - 50, "first number on the wire");
        NS_TEST_ASSERT_MSG_EQ(numbers.back(), 50, "last number on the wire");
        if (!m_losses)
        {
            NS_TEST_ASSERT_MSG_EQ(numbers.size(), 101, "packets");
            if (IsStatusFailure())
            {
                return;
            }
            NS_TEST_ASSERT_MSG_EQ(numbers[50], 0, "the wrap");
            NS_TEST_ASSERT_MSG_EQ(policy->acks, 101, "acknowledgements");
        }
        else
        {
            NS_TEST_ASSERT_MSG_GT(qp.retransmissions, 0, "packets sent again");
        }
        NS_TEST_ASSERT_MSG_EQ(AllFramesFree(), true, "frames");
    }

    bool m_losses; ///< true if packets and ACKs are lost
};

class UnknownQueuePairTestCase : public RdmaTestCase
{
  public:
    UnknownQueuePairTestCase()
        : RdmaTestCase("packets, ACKs and CNPs for a queue pair that does not exist are counted "
                       "and dropped")
    {
    }

  private:
    void DoRun() override
    {
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        uint32_t qp = Connect(0, 1, CreateObject<FixedPolicy>());
        for (uint32_t number : {0U, 1U, 3U, 4000U, 0xffffffU})
        {
            for (uint8_t opcode : {ROCE_WRITE_ONLY, ROCE_SEND_MIDDLE, ROCE_ACK, ROCE_CNP})
            {
                Frame* frame = MakeFrame(Host(0).GetPort(), {});
                frame->destinationQp = number;
                frame->opcode = opcode;
                Host(0).GetPort().Enqueue(frame);
            }
        }
        Post(0, qp, 10 * MTU, MicroSeconds(10));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(Host(1).GetPort().GetDrops(DropReason::UNKNOWN_QUEUE_PAIR),
                              20,
                              "counted with their reason");
        NS_TEST_ASSERT_MSG_EQ(GetDrops(), 20, "nothing else is dropped");
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, "others do not suffer");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_ASSERT_MSG_EQ(AllFramesFree(), true, "frames");
    }
};

class MisroutedTestCase : public RdmaTestCase
{
  public:
    MisroutedTestCase()
        : RdmaTestCase("a frame for another host is dropped with that reason, even if this host "
                       "has a queue pair of that number")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t packets = 200;
        Install(Star(3, "100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        const uint32_t qp = Connect(0, 1, policy);
        Connect(0, 2, policy);
        NS_TEST_ASSERT_MSG_EQ(Host(1).GetQueuePair(0).number,
                              Host(2).GetQueuePair(0).number,
                              "both hosts have the number");
        Ptr<QbbSwitch> hub = Fabric().GetSwitch(3);
        const uint32_t destination = Host(1).GetAddress();
        hub->ScheduleRoutes(5000, {{destination, {2}}});
        hub->ScheduleRoutes(15000, {{destination, {1}}});
        Post(0, qp, packets * MTU);
        Simulator::Run();
        const QbbNetDevice& wrong = Host(2).GetPort();
        const RdmaQueuePair& bystander = Host(2).GetQueuePair(0);
        NS_TEST_EXPECT_MSG_GT(wrong.GetDrops(DropReason::WRONG_ADDRESS), 0, "counted");
        NS_TEST_EXPECT_MSG_EQ(GetDrops(), wrong.GetDrops(DropReason::WRONG_ADDRESS), "no others");
        NS_TEST_EXPECT_MSG_EQ(bystander.receivedBytes + bystander.outOfOrder, 0, "accepted");
        NS_TEST_EXPECT_MSG_EQ(Host(1).GetQueuePair(0).receivedBytes, packets * MTU, "delivered");
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), 1, "messages");
        NS_TEST_EXPECT_MSG_EQ(AllFramesFree(), true, "frames");
    }
};

class StrangerTestCase : public RdmaTestCase
{
  public:
    StrangerTestCase()
        : RdmaTestCase("a frame of any kind from a host to which the queue pair is not connected "
                       "is dropped with that reason")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<uint8_t> kinds{ROCE_WRITE_ONLY,
                                         ROCE_SEND_MIDDLE,
                                         ROCE_ACK,
                                         ROCE_CNP,
                                         ROCE_PROBE,
                                         ROCE_NOTIFICATION};
        Install(Star(3, "100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        const uint32_t qp = Connect(0, 1, policy);
        Post(0, qp, 100 * MTU);
        At(MicroSeconds(4), [this, &kinds] {
            for (uint32_t victim : {0, 1})
            {
                for (uint8_t kind : kinds)
                {
                    Frame* frame = MakeFrame(Host(2).GetPort(), {});
                    frame->source = Host(2).GetAddress();
                    frame->destination = Host(victim).GetAddress();
                    frame->opcode = kind;
                    frame->syndrome = ROCE_SYNDROME_ACK;
                    frame->psn = 3;
                    Host(2).GetPort().Enqueue(frame);
                }
            }
        });
        Simulator::Run();
        for (uint32_t victim : {0, 1})
        {
            NS_TEST_EXPECT_MSG_EQ(Host(victim).GetPort().GetDrops(DropReason::WRONG_ADDRESS),
                                  kinds.size(),
                                  "counted with their reason");
        }
        NS_TEST_EXPECT_MSG_EQ(GetDrops(), 2 * kinds.size(), "nothing else is dropped");
        NS_TEST_EXPECT_MSG_EQ(policy->cnps, 0, "CNPs");
        NS_TEST_EXPECT_MSG_EQ(Host(1).GetQueuePair(0).duplicates, 0, "data");
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), 1, "others do not suffer");
    }
};

/// Tests two messages with a long pause between them.
class RestartTestCase : public RdmaTestCase
{
  public:
    RestartTestCase()
        : RdmaTestCase("when an idle queue pair sends again, the policy is notified at once, and "
                       "gets the length of the idle time with the next telemetry")
    {
    }

  private:
    /// A policy that records restarts.
    class RestartPolicy : public FixedPolicy
    {
      public:
        std::vector<std::pair<int64_t, uint64_t>> restarts; ///< time and next byte

        void OnRestart(RdmaCongestionState*, const RdmaRestartInfo& restart) override
        {
            restarts.emplace_back(restart.nowNs, restart.sndNxt);
        }
    };

    void DoRun() override
    {
        constexpr int64_t againNs = 100000;
        Install(Star(2, "100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<RestartPolicy>();
        policy->needs.telemetry = "int-md";
        std::vector<int64_t> idleNs;
        policy->onAck = [&idleNs](RdmaCongestionState&, const RdmaAckInfo& ack) {
            idleNs.push_back(ack.idleNs);
        };
        RdmaQueuePairConfig config;
        config.policy = policy;
        config.telemetry = HpccFabricHelper::MakePolicy("hpcc++").format;
        const uint32_t qp = Host(0).Connect(Fabric().GetHost(1), config);
        Post(0, qp, 10 * MTU);
        Post(0, qp, 10 * MTU, NanoSeconds(againNs));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 2, "messages");
        NS_TEST_ASSERT_MSG_EQ(policy->restarts.size(), 1, "restarts");
        NS_TEST_ASSERT_MSG_EQ(idleNs.size(), 20, "acknowledgements");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_EXPECT_MSG_EQ(policy->restarts[0].first, againNs, "when");
        NS_TEST_EXPECT_MSG_EQ(policy->restarts[0].second, 10 * MTU, "next byte");
        const int64_t idle = againNs - m_acknowledged[0].completedNs;
        for (size_t i = 0; i < idleNs.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(idleNs[i], (i == 10 ? idle : 0), "idle before packet " << i);
        }
    }
};

/// Tests that a policy gets the number of the next byte with an acknowledgement before the window
/// permits further packets.
class NextByteTestCase : public RdmaTestCase
{
  public:
    NextByteTestCase()
        : RdmaTestCase("an acknowledgement passes the next byte to be sent to the policy before "
                       "it opens the window")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t packets = 20;
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        policy->window = 5 * MTU;
        uint64_t acked = 0;
        uint64_t wrong = 0;
        policy->onAck = [&](RdmaCongestionState&, const RdmaAckInfo& ack) {
            ++acked;
            wrong += ack.ackSeq != acked * MTU ||
                     ack.sndNxt != std::min<uint64_t>(acked + 4, packets) * MTU;
        };
        Post(0, Connect(0, 1, policy), packets * MTU);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(acked, packets, "acknowledgements");
        NS_TEST_EXPECT_MSG_EQ(wrong, 0, "of these, with other numbers");
    }
};

class HpccRdmaTestSuite : public TestSuite
{
  public:
    HpccRdmaTestSuite()
        : TestSuite("hpcc-rdma", Type::UNIT)
    {
        using Messages = std::vector<std::pair<RdmaVerb, uint64_t>>;
        for (auto [verb, name] :
             {std::pair(RdmaVerb::WRITE, "WRITE"), std::pair(RdmaVerb::SEND, "SEND")})
        {
            Messages all;
            for (uint64_t bytes : {1U, MTU - 1, MTU, MTU + 1, 10 * MTU + 7})
            {
                AddTestCase(new MessagesTestCase("a " + std::string(name) + " of " +
                                                     std::to_string(bytes) + " bytes",
                                                 {{verb, bytes}}));
                all.emplace_back(verb, bytes);
            }
            AddTestCase(
                new MessagesTestCase("five " + std::string(name) + "s on one queue pair", all));
        }
        AddTestCase(new MessagesTestCase("alternating WRITEs and SENDs on one queue pair",
                                         {{RdmaVerb::WRITE, 1},
                                          {RdmaVerb::SEND, 2 * MTU},
                                          {RdmaVerb::WRITE, 3 * MTU + 1},
                                          {RdmaVerb::SEND, 5},
                                          {RdmaVerb::SEND, MTU}}));
        AddTestCase(new UnwrapTestCase);
        AddTestCase(new WrapTestCase(false));
        AddTestCase(new WrapTestCase(true));

        AddTestCase(new UnknownQueuePairTestCase);
        AddTestCase(new RestartTestCase);
        AddTestCase(new NextByteTestCase);
        AddTestCase(new MisroutedTestCase);
        AddTestCase(new StrangerTestCase);
    }
};

HpccRdmaTestSuite g_hpccRdmaTestSuite; ///< the suite

} // namespace
