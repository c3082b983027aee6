/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Rx-HPCC in packets (draft-miao-tsv-hpcc-01, section 6.3.2): what is sent when, and what it does
// to an incast. N as the receiver counts it, and how much sooner flows are fair with it.

#include "hpcc-test-rdma.h"

#include "ns3/hpcc-port-agent.h"
#include "ns3/hpcc-roce-headers.h"
#include "ns3/hpcc-roce-packet.h"
#include "ns3/rdma-hpcc-base.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <set>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint32_t SENDERS = 16;
constexpr uint64_t BYTES = 500000;

/// @return true if a frame tells a window or a rate
bool
TellsWindow(const Frame& frame)
{
    return frame.kind == Frame::Kind::ROCE && frame.opcode == ROCE_CNP &&
           frame.notification.kind != RoceNotificationHeader::NONE;
}

/// 16 hosts send 500 KB each to one at 100 Gb/s through one switch: T is 4.3 us.
class RxTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    /// What comes of an incast.
    struct Outcome
    {
        double meanGbps;        ///< of the receiver's link, 10 us bins from 60 us on to 500 us
        double worstGbps;       ///< least of these
        size_t finished;        ///< flows
        double lastUs;          ///< completion time of the last one
        uint64_t queueP99;      ///< 99th percentile of the queue from 120 to 500 us, bytes
        uint64_t acks;          ///< ACKs and NAKs sent by the receiver
        uint64_t windows;       ///< messages that tell a window or rate
        uint64_t telemetry;     ///< ACKs with telemetry
        uint64_t feedbackBytes; ///< of the receiver
    };

    /**
     * @param feedback short name
     * @param ackInterval packets per ACK
     * @param telemetry short name of the format
     * @return what comes of the incast
     */
    Outcome RunIncast(const std::string& feedback,
                      uint32_t ackInterval = 1,
                      const std::string& telemetry = "")
    {
        Fabric().SetHostAttribute("AckInterval", UintegerValue(ackInterval));
        Install(Star(SENDERS + 1, "100Gbps", MicroSeconds(1)));
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", telemetry, feedback);
        for (uint32_t host = 0; host < SENDERS; ++host)
        {
            Post(host, Fabric().Connect(host, SENDERS, spec, 0, true), BYTES);
        }
        Outcome outcome{};
        QbbNetDevice& port = *Fabric().GetSwitch(SENDERS + 1)->GetPorts()[SENDERS];
        std::map<int64_t, uint64_t> bins;
        OnTransmit(port, [&](int64_t nowNs, const Frame& frame) {
            bins[nowNs / 10000] += port.GetLinkBytes(frame.bytes);
        });
        std::map<uint64_t, int64_t> heldNs;
        uint64_t queued = 0;
        int64_t sinceNs = 0;
        OnQueue(port, [&](int64_t nowNs, uint64_t bytes) {
            const int64_t ns =
                std::min<int64_t>(nowNs, 500000) - std::max<int64_t>(sinceNs, 120000);
            heldNs[queued] += std::max<int64_t>(ns, 0);
            queued = bytes;
            sinceNs = nowNs;
        });
        OnTransmit(Host(SENDERS).GetPort(), [&](int64_t, const Frame& frame) {
            outcome.acks += frame.opcode == ROCE_ACK;
            outcome.telemetry += frame.opcode == ROCE_ACK && frame.format;
            outcome.windows += TellsWindow(frame);
        });
        Simulator::Stop(MilliSeconds(5));
        Simulator::Run();
        outcome.finished = m_acknowledged.size();
        outcome.lastUs = m_acknowledged.empty()
                             ? 0
                             : static_cast<double>(m_acknowledged.back().completedNs) / 1e3;
        outcome.worstGbps = OPEN;
        for (int64_t bin = 6; bin < 50; ++bin)
        {
            const double gbps = static_cast<double>(bins[bin]) * 8 / 10000;
            outcome.meanGbps += gbps / 44;
            outcome.worstGbps = std::min(outcome.worstGbps, gbps);
        }
        outcome.queueP99 = Quantile(heldNs, 0.99);
        outcome.feedbackBytes = Host(SENDERS).GetFeedbackBytes();
        NS_TEST_EXPECT_MSG_EQ(AllFramesFree(), true, "frames");
        Again();
        return outcome;
    }

    /// @param time by value @param share of it @return the least value that covers so much
    static uint64_t Quantile(const std::map<uint64_t, int64_t>& time, double share)
    {
        double total = 0;
        for (const auto& [value, ns] : time)
        {
            total += static_cast<double>(ns);
        }
        double seen = 0;
        for (const auto& [value, ns] : time)
        {
            seen += static_cast<double>(ns);
            if (seen >= share * total)
            {
                return value;
            }
        }
        return 0;
    }

    /// Begin another simulation.
    void Again()
    {
        m_acknowledged.clear();
        m_delivered.clear();
        RdmaTestCase::DoTeardown();
    }
};

/// Everything that crosses the link of the receiver and those of two senders.
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
    /// A sender.
    struct Sender
    {
        uint16_t number{0};            ///< of the newest message that has reached it
        uint64_t value{0};             ///< what it said
        uint16_t sent{0};              ///< number of the newest message sent to it
        int64_t sentNs{INT64_MIN / 2}; ///< when
        uint8_t epoch{0};              ///< of the newest data packet at the receiver
        uint64_t epochs{0};            ///< messages that followed a packet under the one before
        uint32_t queuePair{0};         ///< its
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
        // Arrivals at the receiver are transmissions of the switch, one propagation delay later.
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
            // A message waits for what has begun: at most an ACK of 64 bytes and the link's 24.
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

    /// A message leaves the switch; the sender has it a propagation delay later.
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

    std::string m_feedback; ///< short name
    uint64_t m_compared{0}; ///< windows
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
        // The queue of 70 us is 16 T: it is cut for as often.
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
        // A share of the link is a window of four packets, of which the last asks for its ACK.
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

    std::string m_telemetry; ///< format
};

/// Three hosts send in one class and two in another, one of the three without counting.
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

    uint16_t m_late{0}; ///< reported last
};

/// Two flows with 90 and 10 percent of W_init, T = 13 us.
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

    /// What comes of a run.
    struct Fairness
    {
        int64_t afterNs;   ///< Jain's index stays at 0.99 or above from then on; -1 for never
        uint64_t queueP99; ///< 99th percentile of the queue from 1 ms on, bytes
        double gbps;       ///< payload from 1 ms on
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

    std::string m_feedback; ///< short name without counting
};

/// What a switch in wrong hands does to messages that tell windows.
class Meddler : public PortAgent
{
  public:
    /// Decides on a message: it may change the frame, and emit others.
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

    /// @param frame is lost: its queue pair is not known
    static void Lose(Frame& frame)
    {
        frame.destinationQp = 0xffffff;
    }
};

class LostTestCase : public RxTestCase
{
  public:
    LostTestCase()
        : RxTestCase("while windows are lost the sender keeps the last one, the receiver goes on "
                     "after 2 T, and the first that comes through corrects")
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

/// Two flows; the messages to the first are attacked.
class AttackTestCase : public RxTestCase
{
  public:
    AttackTestCase(const std::string& attack, const std::string& key)
        : RxTestCase(attack + " windows " +
                     (key.empty() ? "without a key: W stays within its bounds and both flows end"
                                  : "with a key: each is counted and none obeyed")),
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
                // Just ahead of the true one, or far: number 30000 later.
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
        // What comes once the flow has ended is nobody's.
        if (!m_key.empty())
        {
            const bool old = m_attack == "replayed";
            NS_TEST_EXPECT_MSG_EQ((old ? forged : replayed), 0, "counted as such");
            NS_TEST_EXPECT_MSG_GT((old ? replayed : forged) + 2, attacks, "each is counted");
            NS_TEST_EXPECT_MSG_LT(largest, 3, "none is obeyed");
        }
        else if (m_attack == "replayed")
        {
            // Further back it cannot be told from a new one: a forger's must not keep others out.
            NS_TEST_EXPECT_MSG_GT(replayed, 60, "the number is old for 64 messages");
        }
        else
        {
            NS_TEST_EXPECT_MSG_EQ(forged, 0, "nobody can tell");
            NS_TEST_EXPECT_MSG_GT(largest, 10, "it is obeyed");
            // A number far ahead does not keep the true ones out.
            const size_t expected = m_attack == "far ahead" ? 2 * attacks : attacks;
            NS_TEST_EXPECT_MSG_GT(applied.size() + 3, expected, "windows taken");
        }
        m_acknowledged.clear();
    }

    static void Note(std::vector<double>* applied, uint32_t, double window)
    {
        applied->push_back(window);
    }

    std::string m_attack; ///< what is done
    std::string m_key;    ///< FeedbackKey
};

/// Messages lost, doubled, held back and forged at random, beside losses of everything.
class RandomMessagesTestCase : public RxTestCase
{
  public:
    RandomMessagesTestCase()
        : RxTestCase(
              "whatever happens to windows on their way, every flow ends, W stays within its "
              "bounds, and with a key only what the receiver said is obeyed")
    {
    }

  private:
    void DoRun() override
    {
        auto from = [](const char* name, uint32_t value) {
            const char* given = std::getenv(name);
            return given ? static_cast<uint32_t>(std::stoul(given)) : value;
        };
        const uint32_t seed = from("HPCC_TEST_SEED", 1);
        const uint32_t rounds = from("HPCC_TEST_RUNS", 20);
        std::cout << "hpcc-receiver: HPCC_TEST_SEED=" << seed << " HPCC_TEST_RUNS=" << rounds
                  << "\n";
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
        std::cout << "hpcc-receiver: " << m_messages << " messages, " << m_meddled
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
        HpccTopology star = Star(senders + 1, "100Gbps", MicroSeconds(1));
        HpccTopology topology;
        for (uint32_t i = 0; i < star.GetNodes(); ++i)
        {
            topology.AddNode(star.IsSwitch(i));
        }
        for (auto link : star.GetLinks())
        {
            link.errorRate = loss;
            topology.AddLink(link);
        }
        Install(topology);
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", format, feedback);
        Meddler meddler;
        meddler.onMessage = [&](QbbNetDevice& port, Frame& frame, int64_t) {
            ++m_messages;
            if (m_truth.count({frame.destinationQp, frame.destination, frame.notification.value}) ==
                0)
            {
                return; // emitted below
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

    /// @param port where a true message leaves @param frame it @param draw of random numbers
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
        if (what == 1) // forged: beside the true one, or in its place
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
        else // doubled, or held back
        {
            At(NanoSeconds(draw(60000)), [copy, &port] { port.Emit(copy); });
        }
        if (what == 3 || (what == 1 && draw(1)))
        {
            Meddler::Lose(frame);
        }
    }

    /// @param qp a queue pair that an ACK has reached
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

    /// @param qp a queue pair @param value of its window @return true if the receiver has said it,
    /// or less than the least
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
    bool m_keyed{false};                                        ///< there is a key
    bool m_rate{false};                                         ///< rates are told
    int64_t m_tNs{0};                                           ///< T
    uint64_t m_wrong{0};                                        ///< windows that should not be
    uint64_t m_messages{0};                                     ///< of all rounds
    uint64_t m_meddled{0};                                      ///< of these
    int64_t m_longestUs{0};                                     ///< until the last message ended
};

class RefusedTestCase : public RxTestCase
{
  public:
    RefusedTestCase()
        : RxTestCase("what cannot compute at the receiver, or count flows, is refused with a line "
                     "that says so")
    {
    }

  private:
    void DoRun() override
    {
        Install(Star(3, "100Gbps", MicroSeconds(1)));
        Expect("powertcp", "", "receiver", "", "ns3::RdmaPowerTcp cannot compute at the receiver");
        Expect("hpcc++", "", "receiver", "CheckFeedback", "ns3::RdmaHpccPlusPlus::CheckFeedback");
        Expect("hpcc++", "", "receiver:n", "RestartAtLineRate", "::RestartAtLineRate is true");
        Expect("hpcc++", "csig", "receiver:n", "", "ns3::RdmaFeedback::CountFlows is true");
        Expect("hpcc++", "csig", "packet:n", "", "ns3::RdmaFeedback::CountFlows is true");
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
        AddTestCase(new PpsTestCase);
        for (const char* telemetry : {"sigcomm19", "ifa", "ioam", "csig-wide", "int-md-no-ts"})
        {
            AddTestCase(new FormatsTestCase(telemetry));
        }
        AddTestCase(new CountTestCase);
        AddTestCase(new FairnessTestCase("packet"));
        AddTestCase(new FairnessTestCase("receiver"));
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

HpccReceiverTestSuite g_hpccReceiverTestSuite; ///< registers itself

} // namespace
