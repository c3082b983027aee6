/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The processing delays of hosts: each has its exact effect, and no other.

#include "hpcc-test-rdma.h"
#include "hpcc-test-text.h"

#include "ns3/data-rate.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rdma-nic.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint32_t MTU = 1000; ///< default of RdmaHost

/// Attributes of ns3::RdmaNic by name.
using Delays = std::map<std::string, std::string>;

/// @param ns the delay, ns
/// @return a random variable that is constant
std::string
Constant(int64_t ns)
{
    return "ns3::ConstantRandomVariable[Constant=" + std::to_string(ns) + "]";
}

/// @param ns longest delay, ns
/// @return a random variable between 0 and that
std::string
UpTo(int64_t ns)
{
    return "ns3::UniformRandomVariable[Min=0|Max=" + std::to_string(ns) + "]";
}

/// Frames of a kind that a host has sent.
struct Sent
{
    std::vector<int64_t> atNs;        ///< when each started its transmission, ns
    std::vector<FrameHeaders> frames; ///< headers of each
};

/// A test case with hosts that have delays.
class NicTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    /// What happened in a run.
    struct Outcome
    {
        std::map<uint8_t, Sent> sender;              ///< frames of host 0 by opcode
        std::map<uint8_t, Sent> receiver;            ///< frames of the last host by opcode
        std::vector<int64_t> policyNs;               ///< when the policy of host 0 had ACKs, ns
        std::vector<uint64_t> ackSeqs;               ///< what they acknowledged, bytes
        std::vector<RdmaMessageRecord> acknowledged; ///< completions at host 0
        std::vector<RdmaMessageRecord> delivered;    ///< and at the receiver
    };

    /// Prepares hosts with delays.
    /// @param delays the delays
    void SetDelays(const Delays& delays)
    {
        for (const auto& [name, value] : delays)
        {
            m_saved[name] = Attribute(name).initialValue;
            RdmaNic::GetTypeId().SetAttributeInitialValue(
                IndexOf(name),
                name == "RateStep" ? Ptr<AttributeValue>(Create<DataRateValue>(DataRate(value)))
                                   : Ptr<AttributeValue>(Create<StringValue>(value)));
        }
    }

    /// Observes the frames of two hosts.
    /// @param outcome gets them
    /// @param receiver number of the host that receives
    void Observe(Outcome& outcome, uint32_t receiver)
    {
        for (auto [host, sent] :
             {std::pair(0U, &outcome.sender), std::pair(receiver, &outcome.receiver)})
        {
            OnTransmit(Host(host).GetPort(), [sent = sent](int64_t nowNs, const Frame& frame) {
                (*sent)[frame.opcode].atNs.push_back(nowNs);
                (*sent)[frame.opcode].frames.push_back(frame);
            });
        }
    }

    /**
     * Sends messages from one host to another on one link.
     * @param delays of both hosts
     * @param packets of the messages, posted 100 ns apart
     * @param verb what the messages do
     * @param stream first random stream
     * @return what happened
     */
    Outcome Run(const Delays& delays,
                const std::vector<uint64_t>& packets = {1},
                RdmaVerb verb = RdmaVerb::WRITE,
                int64_t stream = 1)
    {
        SetDelays(delays);
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        Fabric().AssignStreams(stream);
        Outcome outcome;
        Observe(outcome, 1);
        auto policy = CreateObject<FixedPolicy>();
        policy->onAck = [&outcome](RdmaCongestionState&, const RdmaAckInfo& ack) {
            outcome.policyNs.push_back(ack.nowNs);
            outcome.ackSeqs.push_back(ack.ackSeq);
        };
        Ptr<FixedPolicy> responder;
        if (verb == RdmaVerb::READ)
        {
            responder = CreateObject<FixedPolicy>();
        }
        const uint32_t queuePair = Connect(0, 1, policy, responder);
        for (size_t i = 0; i < packets.size(); ++i)
        {
            Post(0, queuePair, packets[i] * MTU, NanoSeconds(100 * i), verb);
        }
        return Finish(outcome);
    }

    /**
     * Runs the simulation and ends it.
     * @param outcome what is observed
     * @return the same, with the completions
     */
    Outcome Finish(Outcome& outcome)
    {
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(AllFramesFree(), true, "every frame is back in its pool");
        NS_TEST_EXPECT_MSG_EQ(GetDrops(), 0, "drops");
        outcome.acknowledged = std::exchange(m_acknowledged, {});
        outcome.delivered = std::exchange(m_delivered, {});
        DoTeardown();
        return outcome;
    }

    void DoTeardown() override
    {
        RdmaTestCase::DoTeardown();
        for (const auto& [name, value] : m_saved)
        {
            RdmaNic::GetTypeId().SetAttributeInitialValue(IndexOf(name), value);
        }
        m_saved.clear();
    }

  private:
    static size_t IndexOf(const std::string& name)
    {
        size_t index = 0;
        while (RdmaNic::GetTypeId().GetAttribute(index).name != name)
        {
            ++index;
        }
        return index;
    }

    static TypeId::AttributeInformation Attribute(const std::string& name)
    {
        return RdmaNic::GetTypeId().GetAttribute(IndexOf(name));
    }

    std::map<std::string, Ptr<const AttributeValue>> m_saved; ///< defaults by name
};

/// Which times of a message of one packet a delay moves.
struct Moved
{
    bool data;      ///< its packet leaves later
    bool ack;       ///< its ACK leaves later
    bool policy;    ///< the policy has the ACK later
    bool delivered; ///< the receiver's application knows later
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

    std::string m_attribute; ///< of RdmaNic
    Moved m_moved;           ///< what it moves
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
            // A CNP may wait for one ACK that the port sends.
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
        // The packets of both leave in turn: without delays an ACK is one ahead at most.
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

    RdmaVerb m_verb; ///< of the messages
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
        NS_TEST_EXPECT_MSG_EQ(Host(0).CountStreams(), 1 + RdmaNic::STREAMS, "streams");
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
    LagTestCase()
        : NicTestCase("results with delays do not depend on how far nodes lag behind the clock")
    {
    }

  private:
    std::vector<int64_t> Times(Time lag)
    {
        SetDelays({{"PostDelay", UpTo(3000)},
                   {"AckTurnaround", UpTo(3000)},
                   {"FeedbackDelay", UpTo(3000)},
                   {"CompletionDelay", UpTo(3000)}});
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
};

class RateStepTestCase : public NicTestCase
{
  public:
    RateStepTestCase(double rateGbps, const std::string& step, double pacedGbps)
        : NicTestCase("a rate limiter with steps of " + step + " sends " + Text(rateGbps) +
                      " Gbps at " + Text(pacedGbps)),
          m_rateBps(rateGbps * 1e9),
          m_step(step),
          m_pacedBps(pacedGbps * 1e9)
    {
    }

  private:
    void DoRun() override
    {
        SetDelays({{"RateStep", m_step}});
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        Outcome outcome;
        Observe(outcome, 1);
        auto policy = CreateObject<FixedPolicy>();
        policy->rate = m_rateBps;
        Post(0, Connect(0, 1, policy), 101 * MTU);
        Finish(outcome);
        const auto& middle = outcome.sender[ROCE_WRITE_MIDDLE].atNs;
        NS_TEST_ASSERT_MSG_EQ(middle.size(), 99, "packets");
        const double gapNs = static_cast<double>(middle.back() - middle.front()) / 98;
        NS_TEST_EXPECT_MSG_EQ_TOL(gapNs, (1058 + 24) * 8e9 / m_pacedBps, 0.1, "pacing");
    }

    double m_rateBps;   ///< of the policy
    std::string m_step; ///< RateStep
    double m_pacedBps;  ///< expected
};

class PresetTestCase : public NicTestCase
{
  public:
    PresetTestCase()
        : NicTestCase("ideal hosts have no NIC to visit; pcie adds 1507 ns before the first packet "
                      "and 200 ns at completion")
    {
    }

  private:
    Outcome RunPreset(const std::string& name)
    {
        Fabric().SetNic(name);
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        m_streams = Host(0).CountStreams();
        Outcome outcome;
        Observe(outcome, 1);
        Post(0, Connect(0, 1, CreateObject<FixedPolicy>()), MTU);
        return Finish(outcome);
    }

    void DoRun() override
    {
        const Outcome ideal = RunPreset("ideal");
        NS_TEST_EXPECT_MSG_EQ(m_streams, 1, "an ideal host draws no delay");
        const Outcome pcie = RunPreset("pcie");
        NS_TEST_ASSERT_MSG_EQ(pcie.acknowledged.size(), 1, "messages");
        NS_TEST_ASSERT_MSG_EQ(ideal.acknowledged.size(), 1, "messages");
        NS_TEST_EXPECT_MSG_EQ(pcie.sender.at(ROCE_WRITE_ONLY).atNs[0] -
                                  ideal.sender.at(ROCE_WRITE_ONLY).atNs[0],
                              1507,
                              "packet");
        NS_TEST_EXPECT_MSG_EQ(pcie.acknowledged[0].completedNs - ideal.acknowledged[0].completedNs,
                              1707,
                              "completion");
    }

    int64_t m_streams{0}; ///< of a host
};

class RefusalTestCase : public NicTestCase
{
  public:
    RefusalTestCase()
        : NicTestCase("delays that a random variable may draw below 0, or beyond the run, are "
                      "refused; so is a NIC of two hosts, and a negative draw")
    {
    }

  private:
    /// @return why a delay is refused for a run of 1 ms
    static std::string Refusal(const std::string& variable)
    {
        auto nic = CreateObject<RdmaNic>();
        nic->SetAttribute("AckTurnaround", StringValue(variable));
        return nic->Validate(MilliSeconds(1));
    }

    void DoRun() override
    {
        for (const auto& [variable, line] : std::vector<std::pair<std::string, std::string>>{
                 {Constant(-1), "Constant=-1; allowed are 0 to 1000000 ns"},
                 {Constant(1000001), "Constant=1000001; allowed"},
                 {"ns3::UniformRandomVariable[Min=-5|Max=7]", "Min=-5"},
                 {"ns3::UniformRandomVariable[Min=0|Max=2e6]", "Max=2000000; allowed"},
                 {"ns3::ExponentialRandomVariable[Mean=2e6]", "Mean=2000000; allowed"},
                 {"ns3::NormalRandomVariable[Mean=5|Variance=9]", "Mean=5 and Bound=1e+307"},
                 {"ns3::NormalRandomVariable[Mean=5|Variance=9|Bound=6]", "Mean=5 and Bound=6"}})
        {
            const std::string said = Refusal(variable);
            NS_TEST_EXPECT_MSG_NE(said.find(line), std::string::npos, variable + ": " + said);
            NS_TEST_EXPECT_MSG_NE(said.find("ns3::RdmaNic::AckTurnaround"), 1, said);
        }
        for (const std::string& variable :
             {Constant(0),
              Constant(1000000),
              UpTo(1000),
              std::string("ns3::NormalRandomVariable[Mean=5|Variance=9|Bound=5]")})
        {
            NS_TEST_EXPECT_MSG_EQ(Refusal(variable), "", variable);
        }
        ShareNic();
        DrawNegative();
    }

    void ShareNic()
    {
        auto nic = CreateObject<RdmaNic>();
        nic->SetAttribute("PostDelay", StringValue(Constant(1)));
        Fabric().SetHostAttribute("Nic", PointerValue(nic));
        std::string said;
        try
        {
            Install(BackToBack("100Gbps", MicroSeconds(1)));
        }
        catch (const HpccInputError& error)
        {
            said = error.what();
        }
        NS_TEST_EXPECT_MSG_NE(said.find("two hosts"), std::string::npos, said);
        DoTeardown();
    }

    void DrawNegative()
    {
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto variable = CreateObject<DeterministicRandomVariable>();
        double values[] = {7, -3};
        variable->SetValueArray(values, 2);
        auto nic = CreateObject<RdmaNic>();
        nic->SetAttribute("PostDelay", PointerValue(variable));
        nic->Install(Host(0).GetPort(), Host(0));
        std::string said;
        try
        {
            for (uint64_t key : {1, 2})
            {
                nic->Hold(RdmaNic::POST, key, 0, [](int64_t) {});
            }
        }
        catch (const HpccInputError& error)
        {
            said = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(said,
                              "ns3::RdmaNic::PostDelay of node 0 draws -3 ns at 0 ns; allowed are "
                              "delays from 0 to 3.6e+12 ns",
                              "a negative draw");
        Simulator::Destroy();
    }
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
        AddTestCase(new LagTestCase);
        AddTestCase(new RateStepTestCase(2.7, "1Gbps", 2));
        AddTestCase(new RateStepTestCase(0.3, "1Gbps", 1));
        AddTestCase(new RateStepTestCase(3, "1Gbps", 3));
        AddTestCase(new RateStepTestCase(100, "7Gbps", 100));
        AddTestCase(new PresetTestCase);
        AddTestCase(new RefusalTestCase);
    }
};

HpccNicTestSuite g_hpccNicTestSuite; ///< the suite

} // namespace
