/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests Rx-HPCC (draft-miao-tsv-hpcc-01, section 6.3.2) by packet simulation: the times of its
// messages, its effect on an incast, the number N of flows that the receiver counts, and the time
// until flows have fair shares.

#include "hpcc-test-receiver.h"

#include "ns3/hpcc-roce-headers.h"
#include "ns3/hpcc-roce-packet.h"

#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// Checks all messages on the link of the receiver and on the links of the senders.
class MessagesTestCase : public RxTestCase
{
  public:
    explicit MessagesTestCase(const std::string& feedback)
        : RxTestCase(feedback +
                     ": a window travels once per commit, in a message of 74 bytes; ACKs "
                     "carry no telemetry, data packets the epoch of the newest window"),
          m_feedback(feedback)
    {
    }

  private:
    /// State of a sender.
    struct Sender
    {
        uint16_t number{0};            ///< number of the newest message received
        uint64_t value{0};             ///< value in the newest message received
        uint16_t sent{0};              ///< number of the newest message sent to the sender
        int64_t sentNs{INT64_MIN / 2}; ///< time at which the newest message was sent to the sender,
                                       ///< ns
        uint8_t epoch{0};              ///< epoch of its newest data packet at the receiver
        uint64_t epochs{0};            ///< number of messages that were sent when epoch was the
                                       ///< number of the preceding message
        uint32_t queuePair{0};         ///< index of its queue pair
    };

    void DoRun() override
    {
        constexpr uint32_t senders = 3;
        const bool rate = m_feedback == "receiver:rate";
        const bool literal = m_feedback == "receiver:literal";
        Install(Star(senders + 1, "100Gbps", MicroSeconds(1)));
        const int64_t baseRttNs = Fabric().GetNetworkBaseRttNs();
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", "", m_feedback);
        std::vector<Sender> states(senders);
        uint64_t acks = 0;
        uint64_t data = 0;
        uint64_t wrong = 0;
        for (uint32_t host = 0; host < senders; ++host)
        {
            states[host].queuePair = Fabric().Connect(host, senders, spec);
            Post(host, states[host].queuePair, 1000000);
            OnTransmit(Host(host).GetPort(), [&, host](int64_t, const Frame& frame) {
                wrong += frame.bthFlags >> RoceEpoch::SHIFT != (states[host].number & 15);
                wrong += !frame.format;
                ++data;
            });
            OnTransmit(*Fabric().GetSwitch(senders + 1)->GetPorts()[host],
                       [&, host](int64_t nowNs, const Frame& frame) {
                           if (TellsWindow(frame))
                           {
                               Arrive(states[host], frame, nowNs, host);
                           }
                       });
        }
        // The receiver gets a frame one propagation delay after the switch has sent it.
        OnTransmit(*Fabric().GetSwitch(senders + 1)->GetPorts()[senders],
                   [&](int64_t, const Frame& frame) {
                       const uint32_t host = HpccFabricHelper::GetHostNumber(frame.source);
                       const uint8_t epoch = frame.bthFlags >> RoceEpoch::SHIFT;
                       At(NanoSeconds(1001 + frame.bytes * 8 / 100),
                          [&states, host, epoch] { states[host].epoch = epoch; });
                   });
        OnTransmit(Host(senders).GetPort(), [&](int64_t nowNs, const Frame& frame) {
            acks += frame.opcode == ROCE_ACK;
            wrong += frame.format != nullptr;
            if (frame.opcode != ROCE_CNP)
            {
                return;
            }
            Sender& to = states[HpccFabricHelper::GetHostNumber(frame.destination)];
            ++to.sent;
            const auto& message = frame.notification;
            wrong += message.number != to.sent;
            wrong += message.kind !=
                     (rate ? RoceNotificationHeader::RATE : RoceNotificationHeader::WINDOW);
            wrong += frame.bytes != 74 || RoceFrameBytes(frame) != 74;
            // A message waits for the frame in transmission, which is at most an ACK of 64 bytes
            // plus 24 bytes of link overhead.
            wrong += nowNs - to.sentNs <= baseRttNs - 10;
            to.sentNs = nowNs;
            to.epochs += to.epoch == ((to.sent - 1) & 15);
        });
        Simulator::Stop(MilliSeconds(3));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), senders, "flows");
        NS_TEST_EXPECT_MSG_EQ(wrong, 0, "frames that are not as they should be");
        NS_TEST_EXPECT_MSG_EQ(data, senders * 1000, "data packets");
        NS_TEST_EXPECT_MSG_EQ(acks, senders * 1000, "an ACK each");
        for (const Sender& sender : states)
        {
            NS_TEST_EXPECT_MSG_GT(sender.sent, 20, "messages");
            NS_TEST_EXPECT_MSG_EQ(sender.number, sender.sent, "none is lost");
            if (literal)
            {
                NS_TEST_EXPECT_MSG_LT(sender.epochs, sender.sent, "some did not wait");
            }
            else
            {
                NS_TEST_EXPECT_MSG_EQ(sender.epochs, sender.sent, "each waits for its epoch");
            }
        }
        NS_TEST_EXPECT_MSG_GT(m_compared, 60, "windows compared");
    }

    /// Processes a message when it leaves the switch. The sender receives it one propagation delay
    /// later.
    void Arrive(Sender& sender, const Frame& frame, int64_t nowNs, uint32_t host)
    {
        const auto message = frame.notification;
        const int64_t atNs = nowNs + 1000 + (frame.bytes + 24) * 8 / 100;
        At(NanoSeconds(atNs - Simulator::Now().GetNanoSeconds()), [&sender, message] {
            sender.number = message.number;
            sender.value = message.value;
        });
        At(NanoSeconds(atNs + 1 - Simulator::Now().GetNanoSeconds()), [this, &sender, host] {
            const RdmaCongestionState* state = Host(host).GetQueuePair(sender.queuePair).cc;
            const double said = static_cast<double>(sender.value);
            const double told = m_feedback == "receiver:rate" ? state->rateBps - said
                                                              : state->windowBytes - said / 65536;
            NS_TEST_EXPECT_MSG_EQ_TOL(told, 0, 1e-3, "the sender obeys");
            ++m_compared;
        });
    }

    std::string m_feedback; ///< short name of the feedback
    uint64_t m_compared{0}; ///< number of windows compared
};

class RxIncastTestCase : public RxTestCase
{
  public:
    RxIncastTestCase()
        : RxTestCase(
              "incast of 16: Rx-HPCC keeps the link at 88 Gb per s or more and every flow ends; "
              "by time alone it cuts too often")
    {
    }

  private:
    void DoRun() override
    {
        const Outcome sender = RunIncast("packet");
        const Outcome epoch = RunIncast("receiver");
        const Outcome rate = RunIncast("receiver:rate");
        const Outcome literal = RunIncast("receiver:literal");
        Print("packet", sender);
        Print("receiver", epoch);
        Print("receiver:literal", literal);
        NS_TEST_EXPECT_MSG_EQ(epoch.finished, SENDERS, "every flow ends");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(epoch.meanGbps, 88.0, "mean");
        NS_TEST_EXPECT_MSG_LT(epoch.lastUs, 1.05 * sender.lastUs, "last flow");
        NS_TEST_EXPECT_MSG_LT(epoch.queueP99, sender.queueP99 + 3 * 1090, "queue");
        NS_TEST_EXPECT_MSG_EQ(epoch.telemetry, 0, "ACKs with telemetry");
        NS_TEST_EXPECT_MSG_EQ(sender.telemetry, sender.acks, "by default all have it");
        NS_TEST_EXPECT_MSG_LT(epoch.windows * 3, epoch.acks, "messages");
        NS_TEST_EXPECT_MSG_LT(epoch.feedbackBytes, sender.feedbackBytes, "bytes of feedback");
        NS_TEST_EXPECT_MSG_EQ_TOL(rate.lastUs, epoch.lastUs, 0.01 * epoch.lastUs, "R is W/T");
        // The queue drains in 70 us, which is 16 T. Therefore the rate is reduced in 16 intervals.
        NS_TEST_EXPECT_MSG_LT(literal.meanGbps, 60.0, "mean by time");
        NS_TEST_EXPECT_MSG_LT(literal.worstGbps, 10.0, "and at times hardly anything");
    }

    void Print(const std::string& name, const Outcome& outcome)
    {
        std::cout << name << ": mean " << outcome.meanGbps << " Gb/s, last flow " << outcome.lastUs
                  << " us, p99 " << outcome.queueP99 << " bytes, " << outcome.acks << " ACKs, "
                  << outcome.windows << " windows, " << outcome.feedbackBytes << " bytes\n";
    }
};

class SprayedRxTestCase : public RxTestCase
{
  public:
    SprayedRxTestCase()
        : RxTestCase("a receiver that computes takes no packet with another entropy for a flow "
                     "that has moved: it controls sprayed queue pairs as those that are not")
    {
    }

  private:
    void DoRun() override
    {
        const Outcome one = RunSack("none");
        const Outcome sprayed = RunSack("oblivious");
        NS_TEST_EXPECT_MSG_EQ(sprayed.finished, SENDERS, "every flow ends");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(sprayed.meanGbps, 0.95 * one.meanGbps, "mean");
        NS_TEST_EXPECT_MSG_LT(sprayed.queueP99, 2 * one.queueP99, "queue");
    }

    /// @param entropy short name of the entropy; "none" for none
    /// @return results of an incast with SACKs
    Outcome RunSack(const std::string& entropy)
    {
        Fabric().SetHostAttribute("Recovery", StringValue("sack"));
        Fabric().SetEntropy(entropy);
        const Outcome outcome = RunIncast("receiver");
        std::cout << entropy << ": mean " << outcome.meanGbps << " Gb/s, p99 " << outcome.queueP99
                  << " bytes, " << outcome.finished << " flows\n";
        return outcome;
    }
};

class SackFeedbackTestCase : public RxTestCase
{
  public:
    /**
     * @param feedback short name of the feedback
     * @param delay allowed factor by which the incast's completion time increases
     */
    SackFeedbackTestCase(const std::string& feedback, double delay)
        : RxTestCase("a sender with SACKs reacts to feedback " + feedback +
                     " once a round trip, as one without"),
          m_feedback(feedback),
          m_delay(delay)
    {
    }

  private:
    void DoRun() override
    {
        const Outcome plain = RunIncast(m_feedback);
        Fabric().SetHostAttribute("Recovery", StringValue("sack"));
        const Outcome sack = RunIncast(m_feedback);
        std::cout << m_feedback << ": last flow " << plain.lastUs << " us, with SACKs "
                  << sack.lastUs << "; mean " << plain.meanGbps << " and " << sack.meanGbps
                  << " Gb/s\n";
        NS_TEST_EXPECT_MSG_EQ(sack.finished, SENDERS, "every flow ends");
        NS_TEST_EXPECT_MSG_LT(sack.lastUs, m_delay * plain.lastUs, "last flow");
    }

    std::string m_feedback; ///< short name of the feedback
    double m_delay;         ///< allowed factor by which the incast's completion time increases
};

class PpsTestCase : public RxTestCase
{
  public:
    PpsTestCase()
        : RxTestCase("Rx-HPCC with ACKs of several packets: fewer packets back, and the control "
                     "that the default has with as few ACKs")
    {
    }

  private:
    void DoRun() override
    {
        // At a fair share of the link, a window has four packets. The last packet of a window
        // requests an ACK.
        const Outcome each = RunIncast("receiver");
        NS_TEST_EXPECT_MSG_EQ(each.acks, SENDERS * BYTES / 1000, "an ACK per packet");
        for (uint32_t interval : {2, 8})
        {
            const Outcome fewer = RunIncast("receiver", interval);
            const Outcome sender = RunIncast("packet", interval);
            NS_TEST_EXPECT_MSG_EQ(fewer.finished, SENDERS, "every flow ends");
            NS_TEST_EXPECT_MSG_LT(std::min(interval, 4U) * fewer.acks, 1.25 * each.acks, "ACKs");
            NS_TEST_EXPECT_MSG_GT(fewer.meanGbps, 0.95 * sender.meanGbps, "mean");
            NS_TEST_EXPECT_MSG_LT(fewer.lastUs, 1.05 * sender.lastUs, "last flow");
        }
    }
};

class FormatsTestCase : public RxTestCase
{
  public:
    explicit FormatsTestCase(const std::string& telemetry)
        : RxTestCase("Rx-HPCC over " + telemetry + ": every flow ends and the link is busy"),
          m_telemetry(telemetry)
    {
    }

  private:
    void DoRun() override
    {
        const Outcome sender = RunIncast("packet", 1, m_telemetry);
        const Outcome receiver = RunIncast("receiver", 1, m_telemetry);
        NS_TEST_EXPECT_MSG_EQ(receiver.finished, SENDERS, "every flow ends");
        NS_TEST_EXPECT_MSG_LT(receiver.lastUs, 1.1 * sender.lastUs, "last flow");
        NS_TEST_EXPECT_MSG_GT(receiver.meanGbps, sender.meanGbps - 8, "mean");
    }

    std::string m_telemetry; ///< short name of the format
};

/// Tests three hosts that send in one traffic class, and two hosts that send in another. The
/// feedback to one of the three hosts does not contain the number of flows.
class CountTestCase : public RxTestCase
{
  public:
    CountTestCase()
        : RxTestCase("ACKs tell the flows of their class that have come in the last T, those of "
                     "queue pairs that do not count included")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t senders = 5;
        Install(Star(senders + 1, "100Gbps", MicroSeconds(1)));
        std::map<uint32_t, std::set<uint16_t>> reported;
        OnTransmit(Host(senders).GetPort(), [&](int64_t nowNs, const Frame& frame) {
            if (frame.opcode == ROCE_ACK && nowNs > 200000 && nowNs < 250000)
            {
                reported[HpccFabricHelper::GetHostNumber(frame.destination)].insert(
                    frame.reportedFlows);
            }
            m_late = nowNs > 800000 ? frame.reportedFlows : m_late;
        });
        for (uint32_t host = 0; host < senders; ++host)
        {
            Host(host).SetAttribute("DataDscp", UintegerValue(host < 3 ? 26 : 18));
            auto spec =
                HpccFabricHelper::MakePolicy("hpcc++", "", host == 1 ? "packet" : "packet:n");
            Post(host, Fabric().Connect(host, senders, spec), host == 0 ? 8000000 : 1000000);
        }
        NS_TEST_ASSERT_MSG_NE(+Host(0).GetQueuePair(0).priority,
                              +Host(4).GetQueuePair(0).priority,
                              "two classes");
        Simulator::Stop(MilliSeconds(2));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), senders, "flows");
        for (uint32_t host = 0; host < senders; ++host)
        {
            const uint16_t flows = host == 1 ? 0 : host < 3 ? 3 : 2;
            NS_TEST_EXPECT_MSG_EQ(reported[host].size(), 1, "host " << host);
            NS_TEST_EXPECT_MSG_EQ(*reported[host].begin(), flows, "host " << host);
        }
        NS_TEST_EXPECT_MSG_EQ(m_late, 1, "the one that is left");
    }

    uint16_t m_late{0}; ///< last reported number of flows
};

/// Tests two flows that start with 90 and 10 percent of W_init; T is 13 us.
class FairnessTestCase : public RxTestCase
{
  public:
    explicit FairnessTestCase(const std::string& feedback)
        : RxTestCase(feedback +
                     ":n: from a split of 90 to 10, flows are fair at least 5 times sooner "
                     "than with W_ai of 80 bytes, at most 2 packets more in the queue"),
          m_feedback(feedback)
    {
    }

  private:
    static constexpr int64_t WINDOW_NS = 50000;

    /// Results of a run.
    struct Fairness
    {
        int64_t afterNs;   ///< time after which Jain's index stays at or above 0.99; -1 for never
        uint64_t queueP99; ///< 99th percentile of the queue after 1 ms, bytes
        double gbps;       ///< goodput after 1 ms
    };

    void DoRun() override
    {
        const Fairness counted = Run(m_feedback + ":n", 0, 10000000);
        NS_TEST_ASSERT_MSG_GT(counted.afterNs, 0, "it becomes fair");
        const Fairness fixed =
            Run(m_feedback, 80, std::max(5 * counted.afterNs, int64_t{20000000}));
        std::cout << m_feedback << ":n fair after " << counted.afterNs / 1000 << " us, p99 "
                  << counted.queueP99 << " bytes, " << counted.gbps << " Gb/s; 80 bytes: "
                  << (fixed.afterNs < 0 ? "never" : "after " + std::to_string(fixed.afterNs / 1000))
                  << " in 20000 us, p99 " << fixed.queueP99 << " bytes, " << fixed.gbps
                  << " Gb/s\n";
        NS_TEST_EXPECT_MSG_EQ((fixed.afterNs < 0 || fixed.afterNs >= 5 * counted.afterNs),
                              true,
                              "fair after " << fixed.afterNs << " ns");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(counted.queueP99, fixed.queueP99 + 2 * 1078, "queue");
        NS_TEST_EXPECT_MSG_GT(counted.gbps, 0.98 * fixed.gbps, "throughput");
    }

    Fairness Run(const std::string& feedback, double wai, int64_t untilNs)
    {
        Install(Star(3, "100Gbps", NanoSeconds(3200)));
        Fabric().SetNetworkBaseRttNs(13000);
        for (uint32_t host : {0, 1})
        {
            auto spec = HpccFabricHelper::MakePolicy("hpcc++", "", feedback);
            spec.policy.Set("Wai", DoubleValue(wai));
            spec.policy.Set("InitialWindow", DoubleValue(host == 0 ? 0.9 : 0.1));
            Post(host, Fabric().Connect(host, 2, spec), uint64_t{1} << 30);
        }
        QbbNetDevice& port = *Fabric().GetSwitch(3)->GetPorts()[2];
        std::map<int64_t, std::array<double, 2>> windows;
        OnTransmit(port, [&](int64_t nowNs, const Frame& frame) {
            windows[nowNs / WINDOW_NS][HpccFabricHelper::GetHostNumber(frame.source)] +=
                frame.payloadBytes;
        });
        std::map<uint64_t, int64_t> heldNs;
        uint64_t queued = 0;
        int64_t sinceNs = 0;
        OnQueue(port, [&](int64_t nowNs, uint64_t bytes) {
            heldNs[queued] += std::max<int64_t>(nowNs - std::max<int64_t>(sinceNs, 1000000), 0);
            queued = bytes;
            sinceNs = nowNs;
        });
        Fabric().EndAt(NanoSeconds(untilNs));
        Simulator::Run();
        Fairness fairness{-1, Quantile(heldNs, 0.99), 0};
        for (const auto& [window, bytes] : windows)
        {
            const auto [a, b] = bytes;
            if ((window + 1) * WINDOW_NS > untilNs)
            {
                break;
            }
            const bool fair = (a + b) * (a + b) >= 0.99 * 2 * (a * a + b * b);
            fairness.afterNs = !fair                  ? -1
                               : fairness.afterNs < 0 ? window * WINDOW_NS
                                                      : fairness.afterNs;
            if (window * WINDOW_NS >= 1000000)
            {
                fairness.gbps += (a + b) * 8 / static_cast<double>(untilNs - 1000000);
            }
        }
        Again();
        return fairness;
    }

    std::string m_feedback; ///< short name of the feedback without counting
};

class HpccReceiverTestSuite : public TestSuite
{
  public:
    HpccReceiverTestSuite()
        : TestSuite("hpcc-receiver", Type::UNIT)
    {
        for (const char* feedback : {"receiver", "receiver:rate", "receiver:literal"})
        {
            AddTestCase(new MessagesTestCase(feedback));
        }
        AddTestCase(new RxIncastTestCase);
        AddTestCase(new SprayedRxTestCase);
        AddTestCase(new SackFeedbackTestCase("notification", 1.05));
        AddTestCase(new SackFeedbackTestCase("probe", 1.05));
        // With feedback "switch", ACKs return the telemetry. SACKs are less frequent than ACKs, so
        // the factor is larger.
        AddTestCase(new SackFeedbackTestCase("switch", 1.25));
        AddTestCase(new PpsTestCase);
        for (const char* telemetry : {"sigcomm19", "ifa", "ioam", "csig-wide", "int-md-no-ts"})
        {
            AddTestCase(new FormatsTestCase(telemetry));
        }
        AddTestCase(new CountTestCase);
        AddTestCase(new FairnessTestCase("packet"));
        AddTestCase(new FairnessTestCase("receiver"));
    }
};

HpccReceiverTestSuite g_hpccReceiverTestSuite; ///< the suite

} // namespace
