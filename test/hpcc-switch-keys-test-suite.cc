/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-rdma.h"

#include "ns3/config.h"
#include "ns3/hpcc-frame-codec.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-switch-responder.h"
#include "ns3/rdma-feedback.h"
#include "ns3/string.h"

#include <cstdint>
#include <string>
#include <vector>

// Tests responses of switches in networks that require authenticated feedback.

using namespace ns3;
using namespace hpcctest;

namespace
{

/// A policy with a part at the sender and a part at the receiver. Both count the switch responses
/// that they get.
class RespondedPolicy : public FixedPolicy, public IdleReceiver
{
  public:
    uint64_t atSender{0};   ///< number of responses at the sender
    uint64_t atReceiver{0}; ///< number of responses at the receiver

    RdmaReceiverOps* GetReceiver() override
    {
        return this;
    }

    void OnSwitchResponse(RdmaCongestionState*, const RdmaAckInfo&) override
    {
        ++atSender;
    }

    RdmaNotification OnReceiverResponse(RdmaReceiverState*, const RdmaAckInfo&) override
    {
        ++atReceiver;
        return {};
    }
};

/// Base class in which host 0 sends to host 1. Both are connected to switch 2, which sends
/// responses because the link to host 1 is slow.
class SwitchKeyTestCase : public RdmaTestCase
{
  public:
    SwitchKeyTestCase(bool forReceiver)
        : RdmaTestCase(std::string(forReceiver ? "receiver" : "sender") +
                       ": with a key, a response is taken if the switch has the switches' key, and "
                       "not if it has none or another, if it is changed, or if it is repeated"),
          m_forReceiver(forReceiver)
    {
    }

  private:
    static constexpr uint32_t SWITCH = 2;

    /// What happens to responses on their path.
    enum Fate
    {
        PASS,
        CHANGE, ///< inverts one bit of the record
        REPEAT, ///< replaces each later response by the first response
    };

    /// Results of a run.
    struct Outcome
    {
        uint64_t sent;     ///< number of responses that the switch sent
        uint64_t taken;    ///< number of responses passed to the policy
        uint64_t forged;   ///< number of responses rejected as forged
        uint64_t replayed; ///< number of responses rejected as replayed
    };

    /**
     * Runs the network with the given keys.
     * @param feedbackKey key of feedback at the hosts
     * @param switchKey key of switch responses at the hosts
     * @param agentKey key of switch responses at the switch
     */
    Outcome Run(const std::string& feedbackKey,
                const std::string& switchKey,
                const std::string& agentKey,
                Fate fate = PASS)
    {
        Fabric().SetHostAttribute("FeedbackKey", StringValue(feedbackKey));
        Config::SetDefault("ns3::RdmaSwitchTrust::Key", StringValue(switchKey));
        HpccTopology topology;
        for (uint32_t node = 0; node < 3; ++node)
        {
            topology.AddNode(node == SWITCH);
        }
        topology.AddLink({0, SWITCH, DataRate("100Gbps"), MicroSeconds(1)});
        topology.AddLink({1, SWITCH, DataRate("25Gbps"), MicroSeconds(1)});
        Install(topology);
        Frame first{};
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", "int-md", "switch");
        Fabric().AddSwitchAgent("switch-response");
        auto responder = Fabric().GetNodes().Get(SWITCH)->GetObject<SwitchResponder>();
        responder->SetAttribute("Target", StringValue(m_forReceiver ? "Receiver" : "Sender"));
        responder->SetAttribute("FeedbackKey", StringValue(agentKey));
        auto policy = CreateObject<RespondedPolicy>();
        policy->needs.telemetry = "int-md";
        policy->needs.receiverPart = true;
        policy->window = 50000;
        RdmaQueuePairConfig config;
        config.policy = policy;
        config.telemetry = spec.format;
        config.feedback = spec.feedback;
        config.networkBaseRttNs = Fabric().GetNetworkBaseRttNs();
        Post(0, Host(0).Connect(Fabric().GetHost(1), config), 200000);
        responder->TraceConnectWithoutContext("Response",
                                              MakeCallback(&SwitchKeyTestCase::Check, this));
        m_format = PeekPointer(spec.format);
        m_fate = fate;
        m_first = &first;
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), 1, "the message ends");
        const RdmaHost& host = Host(m_forReceiver ? 1 : 0);
        const Outcome outcome{responder->GetResponses(),
                              m_forReceiver ? policy->atReceiver : policy->atSender,
                              host.GetRejectedFeedback(FeedbackRejection::FORGED),
                              host.GetRejectedFeedback(FeedbackRejection::REPLAYED)};
        NS_TEST_EXPECT_MSG_GT(outcome.sent, 3, "responses");
        NS_TEST_EXPECT_MSG_EQ((m_forReceiver ? policy->atSender : policy->atReceiver),
                              0,
                              "at the other end");
        NS_TEST_EXPECT_MSG_EQ(AllFramesFree(), true, "frames");
        m_acknowledged.clear();
        RdmaTestCase::DoTeardown();
        Config::Reset();
        return outcome;
    }

    /// Checks that the encoded bytes of a response match its frame and can be decoded, then applies
    /// m_fate to it.
    void Check(uint32_t, const Frame& frame)
    {
        FrameCodec codec;
        codec.AddFormat(m_format);
        const auto wire = FrameCodec::Encode(frame,
                                             Mac48Address("02:00:00:00:00:01"),
                                             Mac48Address("02:00:00:00:00:02"));
        NS_TEST_EXPECT_MSG_EQ(wire.size(), frame.bytes, "bytes on the wire");
        Frame read{};
        std::string why;
        NS_TEST_EXPECT_MSG_EQ(codec.Decode(wire.data(), wire.size(), read, why), true, why);
        NS_TEST_EXPECT_MSG_EQ(+read.response.flags, +frame.response.flags, "flags");
        NS_TEST_EXPECT_MSG_EQ((!frame.response.flags || read.response.tag == frame.response.tag),
                              true,
                              "authenticator");
        auto& response = const_cast<Frame&>(frame);
        if (m_fate == CHANGE)
        {
            response.telemetry.words[2] ^= 1;
        }
        else if (m_fate == REPEAT && m_first->bytes > 0)
        {
            response.telemetry = m_first->telemetry;
            response.response = m_first->response;
            response.psn = m_first->psn;
            response.reflectionSeq = m_first->reflectionSeq;
        }
        else if (m_fate == REPEAT)
        {
            static_cast<FrameHeaders&>(*m_first) = frame;
            m_first->telemetry = frame.telemetry;
        }
    }

    void DoRun() override
    {
        const Outcome open = Run("", "", "");
        NS_TEST_EXPECT_MSG_GT(open.taken, 3, "taken without a key");
        for (const char* feedbackKey : {"", "secret"})
        {
            const Outcome keyed = Run(feedbackKey, "switches", "switches");
            NS_TEST_EXPECT_MSG_GT(keyed.taken, 3, "taken with the switches' key");
            NS_TEST_EXPECT_MSG_EQ(keyed.forged + keyed.replayed, 0, "none is rejected");
            const Outcome other = Run(feedbackKey, "switches", "others");
            NS_TEST_EXPECT_MSG_EQ(other.taken, 0, "with another key");
            NS_TEST_EXPECT_MSG_GT(other.forged, 3, "each is noticed");
            const Outcome none = Run(feedbackKey, "switches", "");
            NS_TEST_EXPECT_MSG_EQ(none.taken, 0, "without an authenticator");
            NS_TEST_EXPECT_MSG_GT(none.forged, 3, "each is noticed");
        }
        const Outcome without = Run("secret", "", "");
        NS_TEST_EXPECT_MSG_EQ(without.taken, 0, "a host that has a key, and none for switches");
        NS_TEST_EXPECT_MSG_GT(without.forged, 3, "each is noticed");
        const Outcome changed = Run("secret", "switches", "switches", CHANGE);
        NS_TEST_EXPECT_MSG_EQ(changed.taken, 0, "changed");
        NS_TEST_EXPECT_MSG_GT(changed.forged, 3, "each is noticed");
        const Outcome repeated = Run("secret", "switches", "switches", REPEAT);
        NS_TEST_EXPECT_MSG_LT_OR_EQ(repeated.taken, 1, "repeated");
        NS_TEST_EXPECT_MSG_EQ(repeated.forged, 0, "genuine");
        NS_TEST_EXPECT_MSG_EQ((m_forReceiver ? repeated.replayed > 3 : true), true, "noticed");
    }

    bool m_forReceiver;                       ///< true if responses are sent to the receiver
    const TelemetryFormat* m_format{nullptr}; ///< format of the packets
    Fate m_fate{PASS};                        ///< what happens to responses
    Frame* m_first{nullptr};                  ///< the first response
};

class UnequalKeysTestCase : public RdmaTestCase
{
  public:
    /**
     * @param feedbackKey key of feedback at the hosts
     * @param switchKey key of switch responses at the hosts; switches have no key
     * @param line the expected refusal
     */
    UnequalKeysTestCase(const std::string& feedbackKey,
                        const std::string& switchKey,
                        const std::string& line)
        : RdmaTestCase("hosts whose keys make them reject all responses are refused: FeedbackKey " +
                       feedbackKey + ", key of switches " + switchKey),
          m_feedbackKey(feedbackKey),
          m_switchKey(switchKey),
          m_line(line)
    {
    }

  private:
    void DoRun() override
    {
        Fabric().SetHostAttribute("FeedbackKey", StringValue(m_feedbackKey));
        Config::SetDefault("ns3::RdmaSwitchTrust::Key", StringValue(m_switchKey));
        Install(Star(2, "100Gbps", MicroSeconds(1)));
        std::string line;
        try
        {
            Fabric().Connect(0, 1, HpccFabricHelper::MakePolicy("hpcc++", "int-md", "switch"));
        }
        catch (const HpccInputError& error)
        {
            line = error.what();
        }
        Config::Reset();
        NS_TEST_EXPECT_MSG_EQ(line, m_line, "refused");
    }

    std::string m_feedbackKey; ///< FeedbackKey of the hosts
    std::string m_switchKey;   ///< key of switches at the hosts
    std::string m_line;        ///< expected refusal
};

class HpccSwitchKeysTestSuite : public TestSuite
{
  public:
    HpccSwitchKeysTestSuite()
        : TestSuite("hpcc-switch-keys", Type::SYSTEM)
    {
        AddTestCase(new SwitchKeyTestCase(false));
        AddTestCase(new SwitchKeyTestCase(true));
        AddTestCase(new UnequalKeysTestCase("",
                                            "one",
                                            "ns3::SwitchResponder::FeedbackKey is \"\" and "
                                            "ns3::RdmaSwitchTrust::Key is \"one\"; both must be "
                                            "the same"));
        AddTestCase(new UnequalKeysTestCase(
            "secret",
            "",
            "--feedback switch: hosts with ns3::RdmaHost::FeedbackKey \"secret\" reject responses "
            "of "
            "switches without a key; give ns3::SwitchResponder::FeedbackKey and "
            "ns3::RdmaSwitchTrust::Key, with the same value"));
    }
};

HpccSwitchKeysTestSuite g_hpccSwitchKeysTestSuite; ///< the suite

} // namespace
