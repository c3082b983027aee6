/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests Rx-HPCC with messages that are lost, forged, replayed or reordered, and settings that are
// refused.

#include "hpcc-test-losses.h"
#include "hpcc-test-receiver.h"
#include "hpcc-test-seeds.h"

#include "ns3/hpcc-port-agent.h"
#include "ns3/hpcc-roce-packet.h"
#include "ns3/rdma-feedback-state.h"
#include "ns3/rdma-hpcc-base.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <functional>
#include <iostream>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// A port agent that acts as a compromised switch: it manipulates messages that carry windows.
class Meddler : public PortAgent
{
  public:
    /// Called for each message that carries a window; may change the frame and emit others.
    std::function<void(QbbNetDevice& port, Frame& frame, int64_t nowNs)> onMessage;

    void OnEnqueue(QbbNetDevice& port, Frame& frame, int64_t nowNs) override
    {
        if (TellsWindow(frame))
        {
            onMessage(port, frame, nowNs);
        }
    }

    bool WantsEnqueue() const override
    {
        return true;
    }

    /// @param frame frame that the host will discard, because its queue pair number is set to an
    /// unknown number
    static void Lose(Frame& frame)
    {
        frame.destinationQp = 0xffffff;
    }
};

class LostTestCase : public RxTestCase
{
  public:
    LostTestCase()
        : RxTestCase("while windows from the receiver are lost, the sender keeps the last one and "
                     "the receiver commits again after 2 T; the next window that arrives is "
                     "applied")
    {
    }

  private:
    void DoRun() override
    {
        Install(Star(3, "100Gbps", MicroSeconds(1)));
        const int64_t baseRttNs = Fabric().GetNetworkBaseRttNs();
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", "", "receiver");
        std::vector<int64_t> lostNs;
        uint16_t first = 0;
        uint16_t last = 0;
        Meddler meddler;
        meddler.onMessage = [&](QbbNetDevice&, Frame& frame, int64_t nowNs) {
            const bool victim = HpccFabricHelper::GetHostNumber(frame.destination) == 0;
            if (victim && nowNs > 100000 && nowNs < 300000)
            {
                first = first == 0 ? frame.notification.number : first;
                last = frame.notification.number;
                lostNs.push_back(nowNs);
                Meddler::Lose(frame);
            }
        };
        Fabric().GetSwitch(3)->AddAgent(&meddler);
        uint32_t qp = Fabric().Connect(0, 2, spec);
        Post(0, qp, 4000000);
        Post(1, Fabric().Connect(1, 2, spec), 4000000);
        double before = 0;
        auto see = [&](const RdmaQueuePair& seen, int64_t nowNs, int64_t) {
            const uint64_t message = seen.feedback->message;
            if (nowNs > 110000 && nowNs < 300000)
            {
                before = before == 0 ? seen.cc->windowBytes : before;
                NS_TEST_EXPECT_MSG_EQ(seen.cc->windowBytes, before, "W is kept");
                NS_TEST_EXPECT_MSG_EQ(message + 1, first, "the last message that came");
            }
            if (nowNs > 320000)
            {
                NS_TEST_EXPECT_MSG_GT(message, last, "the next one is taken");
            }
        };
        std::function<void(const RdmaQueuePair&, int64_t, int64_t)> hook = see;
        Host(0).TraceConnectWithoutContext("Acknowledged", MakeBoundCallback(&Call, &hook));
        Simulator::Stop(MilliSeconds(3));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), 2, "both flows end");
        NS_TEST_EXPECT_MSG_GT(lostNs.size(), 12, "messages go on");
        for (size_t i = 1; i < lostNs.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_GT(lostNs[i] - lostNs[i - 1], 2 * baseRttNs - 100, "each after 2 T");
            NS_TEST_EXPECT_MSG_LT(lostNs[i] - lostNs[i - 1], 4 * baseRttNs, "and not much more");
        }
        NS_TEST_EXPECT_MSG_EQ(Host(0).GetRejectedFeedback(FeedbackRejection::REPLAYED), 0, "old");
        Again();
    }

    static void Call(std::function<void(const RdmaQueuePair&, int64_t, int64_t)>* hook,
                     const RdmaQueuePair& qp,
                     int64_t nowNs,
                     int64_t rttNs)
    {
        (*hook)(qp, nowNs, rttNs);
    }
};

/// Tests two flows. The messages to the first flow are attacked.
class AttackTestCase : public RxTestCase
{
  public:
    AttackTestCase(const std::string& attack, const std::string& key)
        : RxTestCase(attack + " windows " +
                     (key.empty() ? "without a key: W stays within its bounds and both flows end"
                                  : "with a key: each is counted and none is applied")),
          m_attack(attack),
          m_key(key)
    {
    }

  private:
    void DoRun() override
    {
        Fabric().SetHostAttribute("FeedbackKey", StringValue(m_key));
        Install(Star(3, "100Gbps", MicroSeconds(1)));
        const double most = 100e9 / 8 * static_cast<double>(Fabric().GetNetworkBaseRttNs()) * 1e-9;
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", "", "receiver");
        uint64_t attacks = 0;
        uint64_t messages = 0;
        Frame::Notification recorded{};
        Meddler meddler;
        meddler.onMessage = [&](QbbNetDevice& port, Frame& frame, int64_t) {
            if (HpccFabricHelper::GetHostNumber(frame.destination) != 0)
            {
                return;
            }
            ++messages;
            NS_TEST_EXPECT_MSG_EQ(frame.bytes, (m_key.empty() ? 74 : 86), "size");
            NS_TEST_EXPECT_MSG_EQ(frame.bytes, RoceFrameBytes(frame), "size");
            if (messages == 1)
            {
                recorded = frame.notification;
                return;
            }
            Frame* copy = NodeAgenda::Of(port.GetNode())->Frames().Clone(frame);
            if (m_attack == "replayed")
            {
                copy->notification = recorded;
            }
            else
            {
                // The forged message has the same number as the genuine message, or a number that
                // is higher by 30000.
                copy->notification.number += m_attack == "far ahead" ? 30000 : 0;
                copy->notification.value = UINT64_MAX;
            }
            ++attacks;
            port.Emit(copy);
        };
        Fabric().GetSwitch(3)->AddAgent(&meddler);
        for (uint32_t host : {0, 1})
        {
            Post(host, Fabric().Connect(host, 2, spec, 0, false), 3000000);
        }
        std::vector<double> applied;
        Host(0).GetQueuePair(0).ops->TraceConnectWithoutContext("AppliedWindow",
                                                                MakeBoundCallback(&Note, &applied));
        Simulator::Stop(MilliSeconds(5));
        Simulator::Run();
        const uint64_t forged = Host(0).GetRejectedFeedback(FeedbackRejection::FORGED);
        const uint64_t replayed = Host(0).GetRejectedFeedback(FeedbackRejection::REPLAYED);
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), 2, "both flows end");
        NS_TEST_EXPECT_MSG_GT(attacks, 20, "attacks");
        const auto largest = static_cast<size_t>(
            std::count_if(applied.begin(), applied.end(), [most](double w) { return w >= most; }));
        for (double window : applied)
        {
            NS_TEST_EXPECT_MSG_LT_OR_EQ(window, most, "W");
        }
        // Messages that arrive after the end of the flow do not belong to any flow.
        if (!m_key.empty())
        {
            const bool old = m_attack == "replayed";
            NS_TEST_EXPECT_MSG_EQ((old ? forged : replayed), 0, "counted as such");
            NS_TEST_EXPECT_MSG_GT((old ? replayed : forged) + 2, attacks, "each is counted");
            NS_TEST_EXPECT_MSG_LT(largest, 3, "none is obeyed");
        }
        else if (m_attack == "replayed")
        {
            // A number that is much older is accepted as a new one. Otherwise a forged number could
            // block genuine messages.
            NS_TEST_EXPECT_MSG_GT(replayed, 60, "the number is old for 64 messages");
        }
        else
        {
            NS_TEST_EXPECT_MSG_EQ(forged, 0, "the forgery is not detected");
            NS_TEST_EXPECT_MSG_GT(largest, 10, "the forged window is applied");
            // A forged number far ahead does not block genuine messages.
            const size_t expected = m_attack == "far ahead" ? 2 * attacks : attacks;
            NS_TEST_EXPECT_MSG_GT(applied.size() + 3, expected, "windows taken");
        }
        m_acknowledged.clear();
    }

    static void Note(std::vector<double>* applied, uint32_t, double window)
    {
        applied->push_back(window);
    }

    std::string m_attack; ///< the attack
    std::string m_key;    ///< FeedbackKey
};

/// Tests messages that are randomly lost, duplicated, delayed and forged, while links lose frames
/// of any type.
class RandomMessagesTestCase : public RxTestCase
{
  public:
    RandomMessagesTestCase()
        : RxTestCase(
              "whatever happens to windows on their way, every flow ends, W stays within its "
              "bounds, and with a key only the receiver's own windows are applied")
    {
    }

  private:
    void DoRun() override
    {
        const auto [seed, rounds] = ChooseRuns(20);
        std::mt19937 random(seed);
        for (uint32_t round = 0; round < rounds && !IsStatusFailure(); ++round)
        {
            const uint32_t own = random();
            Run(own);
            if (IsStatusFailure())
            {
                std::cout << "failed in round " << round << "\n";
            }
        }
        std::cout << "hpcc-receiver-trust: " << m_messages << " messages, " << m_meddled
                  << " of them meddled with, longest run " << m_longestUs << " us\n";
        NS_TEST_EXPECT_MSG_GT(m_meddled, 10 * rounds, "something happens");
    }

    void Run(uint32_t seed)
    {
        std::mt19937 random(seed);
        auto draw = [&random](uint32_t most) { return random() % (uint64_t{most} + 1); };
        const uint32_t senders = 2 + draw(4);
        const bool keyed = draw(1);
        const double loss = draw(1) ? 0 : 0.0005 * static_cast<double>(draw(20));
        const char* feedbacks[] = {"receiver", "receiver:literal", "receiver:rate", "receiver:n"};
        const char* formats[] = {"int-md", "sigcomm19", "csig-wide"};
        const std::string feedback = feedbacks[draw(3)];
        const std::string format = formats[feedback == "receiver:n" ? draw(1) : draw(2)];
        const uint32_t trouble = 1 + draw(60);
        RngSeedManager::SetSeed(1 + draw(1000000));
        RngSeedManager::SetRun(1);
        Fabric().SetHostAttribute("FeedbackKey", StringValue(keyed ? "secret" : ""));
        Fabric().SetHostAttribute("AckInterval", UintegerValue(1 + draw(7)));
        Fabric().SetHostAttribute("RetransmitTimeout", TimeValue(MicroSeconds(100 + draw(200))));
        Fabric().SetHostAttribute("NakInterval", TimeValue(MicroSeconds(10 + draw(50))));
        Install(WithLosses(Star(senders + 1, "100Gbps", MicroSeconds(1)), loss));
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", format, feedback);
        Meddler meddler;
        meddler.onMessage = [&](QbbNetDevice& port, Frame& frame, int64_t) {
            ++m_messages;
            if (m_truth.count({frame.destinationQp, frame.destination, frame.notification.value}) ==
                0)
            {
                return; // the code below has emitted this frame
            }
            if (draw(99) < trouble)
            {
                ++m_meddled;
                Meddle(port, frame, draw);
            }
        };
        Fabric().GetSwitch(senders + 1)->AddAgent(&meddler);
        OnTransmit(Host(senders).GetPort(), [&](int64_t, const Frame& frame) {
            if (TellsWindow(frame))
            {
                m_truth.insert({frame.destinationQp, frame.destination, frame.notification.value});
            }
        });
        size_t flows = 0;
        for (uint32_t host = 0; host < senders; ++host)
        {
            const uint32_t qp = Fabric().Connect(host, senders, spec, 0, draw(1));
            const bool single = Host(host).GetSlots() == 0;
            const uint64_t messages = single ? 1 : 1 + draw(2);
            for (uint64_t i = 0; i < messages; ++i)
            {
                Post(host, qp, 1 + draw(300000), MicroSeconds(i * draw(100)));
                ++flows;
            }
        }
        m_keyed = keyed;
        m_rate = feedback == "receiver:rate";
        m_tNs = Fabric().GetNetworkBaseRttNs();
        m_wrong = 0;
        for (uint32_t host = 0; host < senders; ++host)
        {
            Host(host).TraceConnectWithoutContext(
                "Acknowledged",
                MakeCallback(&RandomMessagesTestCase::Check, this));
        }
        Simulator::Stop(MilliSeconds(100));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), flows, "seed " << seed << ": messages end");
        NS_TEST_EXPECT_MSG_EQ(m_wrong, 0, "seed " << seed << ": windows beyond bounds, or lies");
        if (!m_acknowledged.empty())
        {
            m_longestUs = std::max(m_longestUs, m_acknowledged.back().completedNs / 1000);
        }
        m_truth.clear();
        Again();
    }

    /**
     * Makes a message be lost, forged, duplicated or delayed.
     * @param port port from which the message leaves
     * @param frame the message
     * @param draw source of random numbers
     */
    template <typename Draw>
    static void Meddle(QbbNetDevice& port, Frame& frame, Draw draw)
    {
        const uint64_t what = draw(3);
        if (what == 0)
        {
            Meddler::Lose(frame);
            return;
        }
        Frame* copy = NodeAgenda::Of(port.GetNode())->Frames().Clone(frame);
        if (what == 1) // forged message, in addition to the genuine message or instead of it
        {
            Frame::Notification& message = copy->notification;
            message.kind = static_cast<uint8_t>(draw(3));
            message.congested = draw(1);
            message.number += static_cast<uint16_t>(draw(1) ? draw(3) : draw(65535));
            message.value = uint64_t{1} << draw(63);
            message.value = draw(3) ? message.value : 0;
            message.tag[draw(11)] ^= static_cast<uint8_t>(1 + draw(254));
            port.Emit(copy);
        }
        else // duplicated or delayed
        {
            At(NanoSeconds(draw(60000)), [copy, &port] { port.Emit(copy); });
        }
        if (what == 3 || (what == 1 && draw(1)))
        {
            Meddler::Lose(frame);
        }
    }

    /// Checks the window of a queue pair that has received an ACK.
    /// @param qp the queue pair
    void Check(const RdmaQueuePair& qp, int64_t, int64_t)
    {
        if (!qp.cc)
        {
            return;
        }
        const double most = 100e9 / 8e9 * static_cast<double>(m_tNs);
        const double window = qp.cc->windowBytes;
        m_wrong += window > most * (1 + 1e-12);
        m_wrong += window < most * 0.05 / 100 * (1 - 1e-12);
        if (m_keyed && qp.feedback->message > 0)
        {
            m_wrong += !IsTrue(qp, m_rate ? qp.cc->rateBps : window * 65536);
        }
    }

    /**
     * Returns true if the receiver has sent a value as the window or rate of a queue pair.
     * @param qp the queue pair
     * @param value value that the sender uses
     */
    bool IsTrue(const RdmaQueuePair& qp, double value) const
    {
        for (const auto& [number, address, said] : m_truth)
        {
            if (number == qp.number && address == qp.local &&
                std::abs(static_cast<double>(said) - value) < 1e-9 * value + 1)
            {
                return true;
            }
        }
        return false;
    }

    std::set<std::tuple<uint32_t, uint32_t, uint64_t>> m_truth; ///< queue pair, host, value
    bool m_keyed{false};                                        ///< true if a key is set
    bool m_rate{false};                                         ///< true if messages carry rates
                                                                ///< instead of windows
    int64_t m_tNs{0};                                           ///< T
    uint64_t m_wrong{0};                                        ///< number of windows outside their
                                                                ///< bounds
    uint64_t m_messages{0};                                     ///< number of messages in all
                                                                ///< rounds
    uint64_t m_meddled{0};                                      ///< number of manipulated messages
    int64_t m_longestUs{0}; ///< longest time until the last message ended
};

class RefusedTestCase : public RxTestCase
{
  public:
    RefusedTestCase()
        : RxTestCase("policies that cannot compute at the receiver, and formats that cannot count "
                     "flows, are refused with the reason")
    {
    }

  private:
    void DoRun() override
    {
        Install(Star(3, "100Gbps", MicroSeconds(1)));
        Expect("powertcp", "", "receiver", "", "ns3::RdmaPowerTcp cannot compute at the receiver");
        Expect("hpcc++", "", "receiver", "CheckFeedback", "ns3::RdmaHpccPlusPlus::CheckFeedback");
        Expect("hpcc++", "", "receiver:n", "RestartAtLineRate", "::RestartAtLineRate is true");
        Expect("hpcc++", "csig", "receiver:n", "", "ns3::RdmaFeedback::FlowCount is packet:n");
        Expect("hpcc++", "csig", "packet:n", "", "ns3::RdmaFeedback::FlowCount is packet:n");
        auto other = HpccFabricHelper::MakePolicy("dcqcn", "", "receiver");
        NS_TEST_EXPECT_MSG_EQ(other.feedbackName, "none", "without telemetry there is no choice");
        Fabric().Connect(0, 2, other);
    }

    void Expect(const std::string& cc,
                const std::string& telemetry,
                const std::string& feedback,
                const std::string& attribute,
                const std::string& why)
    {
        auto spec = HpccFabricHelper::MakePolicy(cc, telemetry, feedback);
        if (!attribute.empty())
        {
            spec.policy.Set(attribute, BooleanValue(true));
        }
        std::string said;
        try
        {
            Fabric().Connect(0, 2, spec);
        }
        catch (const HpccInputError& error)
        {
            said = error.what();
        }
        NS_TEST_EXPECT_MSG_NE(said.find(why), std::string::npos, cc << ": \"" << said << "\"");
        NS_TEST_EXPECT_MSG_EQ(said.find('\n'), std::string::npos, "one line");
    }
};

class HpccReceiverTrustTestSuite : public TestSuite
{
  public:
    HpccReceiverTrustTestSuite()
        : TestSuite("hpcc-receiver-trust", Type::UNIT)
    {
        AddTestCase(new LostTestCase);
        for (const char* attack : {"forged", "far ahead", "replayed"})
        {
            AddTestCase(new AttackTestCase(attack, ""));
            AddTestCase(new AttackTestCase(attack, "secret"));
        }
        AddTestCase(new RandomMessagesTestCase);
        AddTestCase(new RefusedTestCase);
    }
};

HpccReceiverTrustTestSuite g_hpccReceiverTrustTestSuite; ///< the suite

} // namespace
