/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests notifications: when they are sent, and what the sender does with those that are late,
// repeated or not requested.

#include "hpcc-test-out-of-band.h"

#include "ns3/hpcc-roce-packet.h"

#include <utility>
#include <vector>

using namespace hpcctest;

namespace
{

/// Tests one notification per data packet.
class NotificationTestCase : public OutOfBandTestCase
{
  public:
    NotificationTestCase()
        : OutOfBandTestCase("one per data packet, whatever ACKs do")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t packets = 400;
        Fabric().SetHostAttribute("AckInterval", UintegerValue(8));
        Build(2);
        Post(0, Fabric().Connect(0, 1, SpecOf("notification")), packets * 1000);
        Run(MilliSeconds(1));
        ExpectQuiet(1);
        const Sights told = Sent(1, ROCE_NOTIFICATION);
        const Sights acks = Sent(1, ROCE_ACK);
        NS_TEST_EXPECT_MSG_EQ(Sent(0, ROCE_PROBE).size(), 0, "data collects");
        NS_TEST_ASSERT_MSG_EQ(told.size(), packets, "one per packet");
        NS_TEST_EXPECT_MSG_LT(acks.size(), packets / 3, "ACKs keep their own schedule");
        for (const Sight& ack : acks)
        {
            NS_TEST_EXPECT_MSG_EQ(ack.hasFormat, false, "and carry nothing");
        }
        for (uint32_t i = 0; i < packets; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(told[i].named, i + 1, "what is answered");
            NS_TEST_EXPECT_MSG_EQ(told[i].psn, i, "what is acknowledged");
            NS_TEST_EXPECT_MSG_EQ(told[i].hops, 1, "what is told");
            NS_TEST_EXPECT_MSG_EQ(told[i].exact, true, "its size");
        }
        // Notifications advance snd_una. Therefore the sender never waits for the ACK of the eighth
        // packet.
        const double idealNs = packets * 1000 * 8 / 100 * 1.12;
        NS_TEST_EXPECT_MSG_LT(static_cast<double>(m_acknowledged[0].completedNs),
                              idealNs + 2.0 * static_cast<double>(m_networkRttNs),
                              "time");
    }
};

/// Tests notifications that the policy did not request, and probes to a queue pair that does not
/// answer.
class UnwantedTestCase : public OutOfBandTestCase
{
  public:
    UnwantedTestCase()
        : OutOfBandTestCase("unexpected probes and notifications are dropped")
    {
    }

  private:
    void DoRun() override
    {
        Build(2);
        uint32_t qp = Fabric().Connect(0, 1, SpecOf("packet"));
        Post(0, qp, 1000000);
        for (auto [from, opcode] : {std::pair(0, ROCE_PROBE), std::pair(1, ROCE_NOTIFICATION)})
        {
            At(MicroSeconds(20), [this, from = from, opcode = opcode] {
                QbbNetDevice& port = Host(from).GetPort();
                Frame* frame = port.GetAgenda().Frames().Allocate();
                frame->kind = Frame::Kind::ROCE;
                frame->source = Host(from).GetAddress();
                frame->destination = Host(1 - from).GetAddress();
                frame->sourcePort = 0xc001;
                frame->destinationPort = ROCE_UDP_PORT;
                frame->protocol = 17;
                frame->ttl = 64;
                frame->tos = 26 << 2;
                frame->priority = 3;
                frame->ipv6 = false;
                frame->opcode = opcode;
                frame->bthFlags = 0;
                frame->destinationQp = 2;
                frame->psn = 500;
                frame->payloadBytes = 0;
                frame->syndrome = ROCE_SYNDROME_ACK;
                frame->reflection.flags = 0;
                frame->reflection.namedPsn = 500;
                frame->bytes = RoceFrameBytes(*frame);
                port.Enqueue(frame);
            });
        }
        Run(MilliSeconds(1));
        ExpectQuiet(1);
        for (uint32_t host : {0, 1})
        {
            NS_TEST_EXPECT_MSG_EQ(Host(host).GetPort().GetDrops(DropReason::MALFORMED), 1, host);
        }
        NS_TEST_EXPECT_MSG_EQ(Host(1).GetQueuePair(0).receivedBytes, 1000000, "data is unharmed");
    }
};

/// Tests feedback that is late or repeated, or that answers a probe that was never sent.
class LateNotificationTestCase : public OutOfBandTestCase
{
  public:
    /// Kind of late feedback.
    enum class Late
    {
        NOTIFICATION,    ///< notification for an acknowledged data packet
        REPEATED_ANSWER, ///< answer to a probe that has been answered before
        UNKNOWN_ANSWER   ///< answer to a probe that was never sent
    };

    explicit LateNotificationTestCase(Late late)
        : OutOfBandTestCase(late == Late::NOTIFICATION
                                ? "a late notification is older than all that is acknowledged"
                            : late == Late::REPEATED_ANSWER
                                ? "the telemetry of a repeated answer is not used"
                                : "the telemetry of an answer to a probe never sent is not used"),
          m_late(late)
    {
    }

  private:
    void DoRun() override
    {
        const bool probes = m_late != Late::NOTIFICATION;
        Build(2);
        Frame first{};
        OnTransmit(Host(1).GetPort(), [&first](int64_t, const Frame& frame) {
            if (frame.opcode == ROCE_NOTIFICATION && !first.format)
            {
                first = frame;
                first.packet = nullptr;
            }
        });
        auto policy = CreateObject<FixedPolicy>();
        policy->needs.telemetry = "int-md";
        std::vector<RdmaAckInfo> late;
        bool injecting = false;
        uint64_t reports = 0;
        policy->onAck = [&](RdmaCongestionState&, const RdmaAckInfo& ack) {
            reports += ack.hopCount;
            if (injecting)
            {
                late.push_back(ack);
            }
        };
        const auto spec = SpecOf(probes ? "probe" : "notification");
        RdmaQueuePairConfig config;
        config.policy = policy;
        config.telemetry = spec.format;
        config.feedback = spec.feedback;
        config.networkBaseRttNs = m_networkRttNs;
        Post(0, Host(0).Connect(Fabric().GetHost(1), config), 1000000);
        At(MicroSeconds(40), [&] {
            QbbNetDevice& port = Host(0).GetPort();
            Frame* frame = port.GetAgenda().Frames().Clone(first);
            if (m_late == Late::UNKNOWN_ANSWER)
            {
                frame->reflection.namedPsn ^= 0x55000000;
            }
            injecting = true;
            Host(0).ReceiveFrame(port, frame, port.GetAgenda().CatchUp());
            injecting = false;
        });
        Run(MilliSeconds(1));
        ExpectQuiet(1);
        NS_TEST_EXPECT_MSG_GT(reports, 10, "reports in time");
        NS_TEST_ASSERT_MSG_EQ(late.size(), 1, "it counts as an acknowledgement");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_EXPECT_MSG_EQ(late[0].ackSeq, 0, "older than all that is acknowledged");
        NS_TEST_EXPECT_MSG_EQ(late[0].hopCount, (probes ? 0 : 1), "records");
        NS_TEST_EXPECT_MSG_EQ((late[0].telemetry == nullptr), probes, "without telemetry");
        NS_TEST_EXPECT_MSG_EQ(late[0].newlyAckedBytes, 0, "bytes acknowledged");
    }

    Late m_late; ///< kind of late feedback
};

class HpccNotificationsTestSuite : public TestSuite
{
  public:
    HpccNotificationsTestSuite()
        : TestSuite("hpcc-notifications", Type::UNIT)
    {
        AddTestCase(new NotificationTestCase);
        AddTestCase(new UnwantedTestCase);
        using Late = LateNotificationTestCase::Late;
        for (Late late : {Late::NOTIFICATION, Late::REPEATED_ANSWER, Late::UNKNOWN_ANSWER})
        {
            AddTestCase(new LateNotificationTestCase(late));
        }
    }
};

HpccNotificationsTestSuite g_hpccNotificationsTestSuite; ///< registers itself

} // namespace
