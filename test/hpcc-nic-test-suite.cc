/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests that each processing delay of a host shifts the intended times, and no other times.

#include "hpcc-test-nic.h"
#include "hpcc-test-text.h"

#include "ns3/config.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/random-variable-stream.h"
#include "ns3/string.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// The times of a message of one packet that a delay shifts.
struct Moved
{
    bool data;      ///< true if the packet of the message leaves later
    bool ack;       ///< true if the ACK leaves later
    bool policy;    ///< true if the policy receives the ACK later
    bool delivered; ///< true if the receiver's application is notified later
};

class ExactDelayTestCase : public NicTestCase
{
  public:
    ExactDelayTestCase(const std::string& attribute, const std::string& effect, Moved moved)
        : NicTestCase(attribute + " moves " + effect + " by exactly its value"),
          m_attribute(attribute),
          m_moved(moved)
    {
    }

  private:
    void DoRun() override
    {
        constexpr int64_t delayNs = 1234;
        const Outcome ideal = Run({});
        const Outcome late = Run({{m_attribute, Constant(delayNs)}});
        const auto expect = [&](const char* what, int64_t before, int64_t after, bool moved) {
            NS_TEST_EXPECT_MSG_EQ(after - before, (moved ? delayNs : 0), what);
        };
        NS_TEST_ASSERT_MSG_EQ(ideal.acknowledged.size(), 1, "messages");
        NS_TEST_ASSERT_MSG_EQ(late.acknowledged.size(), 1, "messages");
        NS_TEST_ASSERT_MSG_EQ(late.delivered.size(), 1, "messages");
        if (IsStatusFailure())
        {
            return;
        }
        expect("packet",
               ideal.sender.at(ROCE_WRITE_ONLY).atNs[0],
               late.sender.at(ROCE_WRITE_ONLY).atNs[0],
               m_moved.data);
        expect("ACK",
               ideal.receiver.at(ROCE_ACK).atNs[0],
               late.receiver.at(ROCE_ACK).atNs[0],
               m_moved.ack);
        expect("policy", ideal.policyNs[0], late.policyNs[0], m_moved.policy);
        expect("receiver",
               ideal.delivered[0].completedNs,
               late.delivered[0].completedNs,
               m_moved.delivered);
        expect("completion",
               ideal.acknowledged[0].completedNs,
               late.acknowledged[0].completedNs,
               true);
        expect("post", ideal.acknowledged[0].postedNs, late.acknowledged[0].postedNs, false);
    }

    std::string m_attribute; ///< attribute of RdmaNic
    Moved m_moved;           ///< times that the attribute shifts
};

class CnpDelayTestCase : public NicTestCase
{
  public:
    CnpDelayTestCase()
        : NicTestCase("CnpTurnaround moves CNPs by exactly its value, and no ACK")
    {
    }

  private:
    Outcome Incast(const Delays& delays)
    {
        SetDelays(delays);
        Fabric().SetEcnAttribute("Thresholds", StringValue("10Gbps:0:1:1"));
        Install(Star(3, "10Gbps", MicroSeconds(1)));
        Outcome outcome;
        Observe(outcome, 2);
        auto policy = CreateObject<FixedPolicy>();
        policy->needs.ecn = RdmaPolicyDescription::ECT0;
        policy->needs.cnps = true;
        policy->needs.cnpIntervalNs = 1000000;
        Post(0, Connect(0, 2, policy), 20 * MTU);
        Post(1, Connect(1, 2, policy), 20 * MTU);
        return Finish(outcome);
    }

    void DoRun() override
    {
        const Outcome ideal = Incast({});
        const Outcome late = Incast({{"CnpTurnaround", Constant(200000)}});
        NS_TEST_ASSERT_MSG_EQ(late.receiver.count(ROCE_CNP), 1, "CNPs");
        const Sent& before = ideal.receiver.at(ROCE_CNP);
        const Sent& after = late.receiver.at(ROCE_CNP);
        NS_TEST_ASSERT_MSG_EQ(before.atNs.size(), 2, "CNPs, one of each queue pair");
        NS_TEST_ASSERT_MSG_EQ(after.atNs.size(), 2, "CNPs, one of each queue pair");
        for (size_t i = 0; i < before.atNs.size(); ++i)
        {
            // A CNP may have to wait until the port has sent an ACK.
            NS_TEST_EXPECT_MSG_LT_OR_EQ(before.atNs[i] + 200000 - after.atNs[i], 68, "CNP");
            NS_TEST_EXPECT_MSG_LT_OR_EQ(after.atNs[i] - before.atNs[i] - 200000, 68, "CNP");
        }
        NS_TEST_EXPECT_MSG_EQ(late.receiver.at(ROCE_ACK).atNs.size(),
                              ideal.receiver.at(ROCE_ACK).atNs.size(),
                              "ACKs");
    }
};

class AckOrderTestCase : public NicTestCase
{
  public:
    AckOrderTestCase()
        : NicTestCase("with random delays, ACKs of a queue pair keep their order, those of two "
                      "queue pairs need not")
    {
    }

  private:
    void DoRun() override
    {
        SetDelays({{"AckTurnaround", UpTo(20000)}});
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        Outcome outcome;
        Observe(outcome, 1);
        for (int i = 0; i < 2; ++i)
        {
            Post(0, Connect(0, 1, CreateObject<FixedPolicy>()), 100 * MTU);
        }
        Finish(outcome);
        NS_TEST_EXPECT_MSG_EQ(outcome.acknowledged.size(), 2, "messages");
        const Sent& acks = outcome.receiver.at(ROCE_ACK);
        NS_TEST_EXPECT_MSG_EQ(acks.frames.size(), 200, "ACKs");
        std::map<uint32_t, uint32_t> next;
        uint32_t ahead = 0;
        for (const FrameHeaders& ack : acks.frames)
        {
            NS_TEST_EXPECT_MSG_EQ(ack.psn, next[ack.destinationQp], "order within a queue pair");
            next[ack.destinationQp] = ack.psn + 1;
            uint32_t most = 0;
            uint32_t least = 100;
            for (const auto& [queuePair, psn] : next)
            {
                most = std::max(most, psn);
                least = std::min(least, psn);
            }
            ahead = std::max(ahead, most - (next.size() < 2 ? 0 : least));
        }
        // The two queue pairs send alternately. Therefore, without delays, one queue pair would be
        // at most one ACK ahead of the other.
        NS_TEST_EXPECT_MSG_GT(ahead, 3, "one queue pair's ACKs overtake the other's");
    }
};

class FeedbackOrderTestCase : public NicTestCase
{
  public:
    FeedbackOrderTestCase()
        : NicTestCase("with random delays, the policy has the ACKs in their order")
    {
    }

  private:
    void DoRun() override
    {
        const Outcome outcome = Run({{"FeedbackDelay", UpTo(20000)}}, {100});
        NS_TEST_ASSERT_MSG_EQ(outcome.ackSeqs.size(), 100, "ACKs");
        bool waited = false;
        for (size_t i = 0; i < outcome.ackSeqs.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(outcome.ackSeqs[i], (i + 1) * MTU, "order");
            waited = waited || (i > 0 && outcome.policyNs[i] == outcome.policyNs[i - 1]);
        }
        NS_TEST_EXPECT_MSG_EQ(waited, true, "an ACK waits for the one before it");
    }
};

class PostOrderTestCase : public NicTestCase
{
  public:
    explicit PostOrderTestCase(RdmaVerb verb)
        : NicTestCase(std::string(verb == RdmaVerb::READ ? "READs" : "messages") +
                      " with random delays are sent, and complete, in the order of their posts"),
          m_verb(verb)
    {
    }

  private:
    void DoRun() override
    {
        const Outcome outcome = Run({{"PostDelay", UpTo(20000)}, {"CompletionDelay", UpTo(20000)}},
                                    {3, 1, 2, 1, 1, 4},
                                    m_verb);
        NS_TEST_ASSERT_MSG_EQ(outcome.acknowledged.size(), 6, "messages");
        NS_TEST_ASSERT_MSG_EQ(outcome.delivered.size(), 6, "messages");
        int64_t lastNs = 0;
        for (uint32_t i = 0; i < 6; ++i)
        {
            const RdmaMessageRecord& record = outcome.acknowledged[i];
            NS_TEST_EXPECT_MSG_EQ(record.index, i, "number");
            NS_TEST_EXPECT_MSG_EQ(record.postedNs, 100 * i, "post");
            NS_TEST_EXPECT_MSG_GT_OR_EQ(record.completedNs, lastNs, "completion");
            NS_TEST_EXPECT_MSG_EQ(outcome.delivered[i].bytes, record.bytes, "delivery");
            lastNs = record.completedNs;
            if (m_verb == RdmaVerb::READ)
            {
                NS_TEST_EXPECT_MSG_EQ(record.completedNs,
                                      outcome.delivered[i].completedNs,
                                      "a READ completes once");
            }
        }
    }

    RdmaVerb m_verb; ///< operation of the messages
};

class NumberTestCase : public NicTestCase
{
  public:
    NumberTestCase()
        : NicTestCase("Post() returns a message's number, and refuses a second one on a queue pair "
                      "for one message, while the first waits")
    {
    }

  private:
    void DoRun() override
    {
        SetDelays({{"PostDelay", Constant(5000)}});
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        const uint32_t several = Connect(0, 1, CreateObject<FixedPolicy>());
        RdmaQueuePairConfig config;
        config.policy = CreateObject<FixedPolicy>();
        config.singleMessage = true;
        const uint32_t single = Host(0).Connect(Fabric().GetHost(1), config);
        std::vector<uint32_t> numbers;
        std::string refusal;
        At(MicroSeconds(1), [&] {
            for (int i = 0; i < 3; ++i)
            {
                numbers.push_back(Host(0).Post(several, RdmaVerb::WRITE, MTU));
            }
            Host(0).Post(single, RdmaVerb::WRITE, MTU);
            try
            {
                Host(0).Post(single, RdmaVerb::WRITE, MTU);
            }
            catch (const HpccInputError& error)
            {
                refusal = error.what();
            }
        });
        Outcome outcome;
        Finish(outcome);
        NS_TEST_EXPECT_MSG_EQ((numbers == std::vector<uint32_t>{0, 1, 2}), true, "numbers");
        NS_TEST_EXPECT_MSG_NE(refusal.find("a second message"), std::string::npos, refusal);
        NS_TEST_EXPECT_MSG_EQ(outcome.acknowledged.size(), 4, "messages");
    }
};

class StreamsTestCase : public NicTestCase
{
  public:
    StreamsTestCase()
        : NicTestCase("delays depend on the assigned streams alone, and each host has its own")
    {
    }

  private:
    /// @return completion times of six messages
    std::vector<int64_t> Times(int64_t stream)
    {
        const Outcome outcome = Run({{"PostDelay", UpTo(20000)}, {"AckTurnaround", UpTo(20000)}},
                                    {1, 1, 1, 1, 1, 1},
                                    RdmaVerb::WRITE,
                                    stream);
        std::vector<int64_t> times;
        for (const auto& record : outcome.acknowledged)
        {
            times.push_back(record.completedNs);
        }
        return times;
    }

    void DoRun() override
    {
        const auto first = Times(1);
        NS_TEST_EXPECT_MSG_EQ((Times(1) == first), true, "the same streams");
        NS_TEST_EXPECT_MSG_EQ((Times(1000) == first), false, "others");

        SetDelays({{"PostDelay", UpTo(1000000)}});
        Install(Star(3, "100Gbps", MicroSeconds(1)));
        NS_TEST_EXPECT_MSG_EQ(Host(0).AssignStreams(0),
                              RdmaHost::STREAMS,
                              "delays move no other stream");
        for (uint32_t host : {0, 1})
        {
            Post(host, Connect(host, 2, CreateObject<FixedPolicy>()), MTU);
        }
        Outcome outcome;
        Finish(outcome);
        NS_TEST_ASSERT_MSG_EQ(outcome.acknowledged.size(), 2, "messages");
        NS_TEST_EXPECT_MSG_GT(outcome.acknowledged[1].completedNs -
                                  outcome.acknowledged[0].completedNs,
                              1000,
                              "two hosts draw different delays");
    }
};

class LagTestCase : public NicTestCase
{
  public:
    /// @param shared true: all hosts share one random variable per delay, as with
    /// Config::SetDefault()
    explicit LagTestCase(bool shared)
        : NicTestCase(std::string("results with delays do not depend on how far nodes lag behind "
                                  "the clock") +
                      (shared ? ", if all hosts have the same default" : "")),
          m_shared(shared)
    {
    }

  private:
    std::vector<int64_t> Times(Time lag)
    {
        const Delays delays{{"PostDelay", UpTo(3000)},
                            {"AckTurnaround", UpTo(3000)},
                            {"FeedbackDelay", UpTo(3000)},
                            {"CompletionDelay", UpTo(3000)}};
        SetDelays(delays);
        for (const auto& [name, value] : m_shared ? delays : Delays())
        {
            Config::SetDefault("ns3::RdmaNic::" + name, StringValue(value));
        }
        Fabric().SetMaxLag(lag);
        Install(Star(5, "10Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        policy->window = 8 * MTU;
        for (uint32_t host = 0; host < 4; ++host)
        {
            Post(host, Connect(host, 4, policy), 40 * MTU);
        }
        Outcome outcome;
        Finish(outcome);
        std::vector<int64_t> times;
        for (const auto& record : outcome.acknowledged)
        {
            times.push_back(record.completedNs);
        }
        std::sort(times.begin(), times.end());
        return times;
    }

    void DoRun() override
    {
        const auto exact = Times(NanoSeconds(0));
        NS_TEST_EXPECT_MSG_EQ(exact.size(), 4, "messages");
        NS_TEST_EXPECT_MSG_EQ((Times(MicroSeconds(10)) == exact), true, "completion times");
    }

    bool m_shared;
};

class HpccNicTestSuite : public TestSuite
{
  public:
    HpccNicTestSuite()
        : TestSuite("hpcc-nic", Type::UNIT)
    {
        AddTestCase(new ExactDelayTestCase("PostDelay",
                                           "the first packet and all that follows",
                                           {true, true, true, true}));
        AddTestCase(new ExactDelayTestCase("AckTurnaround",
                                           "the ACK and all that follows",
                                           {false, true, true, false}));
        AddTestCase(new ExactDelayTestCase("FeedbackDelay",
                                           "the policy's event and the completion",
                                           {false, false, true, false}));
        AddTestCase(new ExactDelayTestCase("CompletionDelay",
                                           "the completions at both ends",
                                           {false, false, false, true}));
        AddTestCase(new CnpDelayTestCase);
        AddTestCase(new AckOrderTestCase);
        AddTestCase(new FeedbackOrderTestCase);
        AddTestCase(new PostOrderTestCase(RdmaVerb::WRITE));
        AddTestCase(new PostOrderTestCase(RdmaVerb::READ));
        AddTestCase(new NumberTestCase);
        AddTestCase(new StreamsTestCase);
        AddTestCase(new LagTestCase(true));
        AddTestCase(new LagTestCase(false));
    }
};

HpccNicTestSuite g_hpccNicTestSuite; ///< the suite

} // namespace
