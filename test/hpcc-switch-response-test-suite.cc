/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-switch-response.h"

#include "ns3/config.h"
#include "ns3/hpcc-frame-codec.h"
#include "ns3/hpcc-monitor.h"
#include "ns3/hpcc-telemetry-format.h"

#include <array>
#include <map>
#include <utility>
#include <vector>

using namespace hpcctest;

namespace
{

class StarResponseTestCase : public ResponseTestCase
{
  public:
    explicit StarResponseTestCase(const std::string& feedback)
        : ResponseTestCase(feedback + ": a switch with a queue sends the sender a response at "
                                      "once, once per flow and T, with the number of the packet "
                                      "that joined the queue; without a queue it sends none"),
          m_feedback(feedback)
    {
    }

  private:
    /**
     * Runs an incast to host 2.
     * @param senders number of senders
     * @param bytes payload of each sender
     * @return the responses
     */
    std::vector<Noted> Run(uint32_t senders, uint64_t bytes)
    {
        Install(Star(3, "100Gbps", MicroSeconds(1)));
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", "int-md", m_feedback);
        std::vector<Noted> responses;
        std::map<std::pair<uint32_t, uint32_t>, int64_t> sentNs; // by sender and packet number
        for (uint32_t host = 0; host < senders; ++host)
        {
            Post(host, Fabric().Connect(host, 2, spec), bytes);
            NoteResponses(*Fabric().GetSwitch(3)->GetPorts()[host], responses);
            OnTransmit(Host(host).GetPort(), [&](int64_t nowNs, const Frame& frame) {
                sentNs.insert({{frame.source, frame.psn}, nowNs});
            });
        }
        ResponderOf(3)->SetAttribute("Threshold", DoubleValue(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), senders, "messages end");
        NS_TEST_EXPECT_MSG_EQ(ResponderOf(3)->GetResponses(), responses.size(), "responses");
        uint64_t responseBytes = 0;
        uint64_t taken = 0;
        std::map<std::pair<uint32_t, int64_t>, uint32_t> perRound;
        FrameCodec codec;
        codec.AddFormat(PeekPointer(spec.format));
        for (const auto& [atNs, response] : responses)
        {
            NS_TEST_EXPECT_MSG_EQ(response.source, HpccFabricHelper::GetAddress(2), "source");
            const HopTelemetry hop = response.format->Read(response.telemetry, 0);
            NS_TEST_EXPECT_MSG_EQ(+response.telemetry.hops, 1, "records");
            NS_TEST_EXPECT_MSG_EQ(hop.switchId, 3, "switch");
            NS_TEST_EXPECT_MSG_EQ(hop.portId, 2, "port");
            NS_TEST_EXPECT_MSG_GT(hop.queueBytes, 0, "queue");
            NS_TEST_EXPECT_MSG_EQ(response.response.switchId, 3, "who responds");
            const auto sent = sentNs.find({response.destination, response.psn});
            NS_TEST_EXPECT_MSG_EQ((sent != sentNs.end()), true, "its packet");
            if (sent == sentNs.end())
            {
                continue;
            }
            // The response is sent when the packet has arrived at the switch: after 1 us plus the
            // transmission time of the packet, without queueing. However, the port may first have
            // to complete another frame.
            NS_TEST_EXPECT_MSG_GT(atNs, sent->second + 1080, "after the packet");
            NS_TEST_EXPECT_MSG_LT(atNs, sent->second + 1200, "at once");
            ++perRound[{response.destination,
                        static_cast<int64_t>(hop.timestampNs) / Fabric().GetNetworkBaseRttNs()}];
            responseBytes += response.bytes;
            const auto wire = FrameCodec::Encode(response,
                                                 Mac48Address("02:00:00:00:00:01"),
                                                 Mac48Address("02:00:00:00:00:02"));
            NS_TEST_EXPECT_MSG_EQ(wire.size(), response.bytes, "bytes on the wire");
            NS_TEST_EXPECT_MSG_EQ(wire.size(), 14 + 20 + 8 + 12 + 8 + 8 + 24 + 4, "by header");
            Frame read{};
            std::string why;
            NS_TEST_EXPECT_MSG_EQ(codec.Decode(wire.data(), wire.size(), read, why), true, why);
        }
        for (const auto& [flow, count] : perRound)
        {
            NS_TEST_EXPECT_MSG_EQ(count, 1, "per flow and T");
        }
        for (uint32_t host = 0; host < senders; ++host)
        {
            taken += Host(host).GetSwitchResponses() + Host(host).GetLateSwitchResponses();
        }
        NS_TEST_EXPECT_MSG_EQ(taken, responses.size(), "they reach the senders");
        NS_TEST_EXPECT_MSG_EQ(ResponderOf(3)->GetResponseBytes(), responseBytes, "bytes counted");
        NS_TEST_EXPECT_MSG_EQ(GetDrops(), 0, "drops");
        NS_TEST_EXPECT_MSG_EQ(AllFramesFree(), true, "frames returned");
        for (auto& noted : responses)
        {
            noted.frame.format = nullptr;
        }
        m_acknowledged.clear();
        RdmaTestCase::DoTeardown();
        return responses;
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Run(1, 20000).size(), 0, "without a queue");
        const std::vector<Noted> responses = Run(2, 100000);
        NS_TEST_ASSERT_MSG_GT(responses.size(), 3, "with a queue");
        NS_TEST_EXPECT_MSG_LT(responses[0].atNs, 1500, "the first one, at once");
    }

    std::string m_feedback; ///< short name of the feedback
};

class UnsubscribedTestCase : public ResponseTestCase
{
  public:
    UnsubscribedTestCase()
        : ResponseTestCase("packets that have not subscribed get no response, whatever the load, "
                           "nor do those below the threshold or too close to the last one")
    {
    }

  private:
    /**
     * Runs two senders. Only the first sender subscribes to responses.
     * @param threshold load at which the switch starts to respond
     * @param spacing minimum time between two responses
     * @return number of responses to each sender
     */
    std::array<uint64_t, 2> Run(double threshold, Time spacing)
    {
        Install(Star(3, "100Gbps", MicroSeconds(1)));
        std::array<std::vector<Noted>, 2> responses;
        for (uint32_t host : {0, 1})
        {
            auto spec =
                HpccFabricHelper::MakePolicy("hpcc++", "int-md", host == 0 ? "switch" : "packet");
            Post(host, Fabric().Connect(host, 2, spec), 100000);
            NoteResponses(*Fabric().GetSwitch(3)->GetPorts()[host], responses[host]);
        }
        ResponderOf(3)->SetAttribute("Threshold", DoubleValue(threshold));
        ResponderOf(3)->SetAttribute("Spacing", TimeValue(spacing));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), 2, "messages end");
        m_spaced = ResponderOf(3)->GetSpaced();
        m_acknowledged.clear();
        RdmaTestCase::DoTeardown();
        return {responses[0].size(), responses[1].size()};
    }

    void DoRun() override
    {
        const auto usual = Run(1, Time(0));
        NS_TEST_EXPECT_MSG_GT(usual[0], 2, "subscribed");
        NS_TEST_EXPECT_MSG_EQ(usual[1], 0, "not subscribed");
        NS_TEST_EXPECT_MSG_EQ(m_spaced, 0, "no spacing");
        NS_TEST_EXPECT_MSG_EQ(Run(3, Time(0))[0], 0, "a queue of 2 B T does not come about");
        NS_TEST_EXPECT_MSG_EQ(Run(1, MilliSeconds(10))[0], 1, "spaced");
        NS_TEST_EXPECT_MSG_GT(m_spaced, 10, "counted");
    }

    uint64_t m_spaced{0}; ///< number of responses that Spacing has suppressed
};

class PartialPathTestCase : public ResponseTestCase
{
  public:
    PartialPathTestCase()
        : ResponseTestCase("a response has the records of the hops up to the switch that sends "
                           "it; a response to a receiver that computes travels in the direction "
                           "of the packet")
    {
    }

  private:
    /// A policy that also has a part at the receiver.
    class ReceivingPolicy : public FixedPolicy, public IdleReceiver
    {
      public:
        uint32_t responses{0}; ///< number of responses that the receiver got

        RdmaReceiverOps* GetReceiver() override
        {
            return this;
        }

        RdmaNotification OnReceiverResponse(RdmaReceiverState*,
                                            const RdmaAckInfo& response) override
        {
            responses += response.hopCount == 2 && response.hops[1].queueBytes > 0 &&
                         response.hops[0].bandwidthBps == 70'000'000'000;
            return {};
        }
    };

    void DoRun() override
    {
        for (bool forReceiver : {false, true})
        {
            Run(forReceiver);
            m_acknowledged.clear();
            RdmaTestCase::DoTeardown();
        }
    }

    void Run(bool forReceiver)
    {
        // Hosts 0 and 1 are at switch 3. Host 2 is at switch 4, to which a slow link leads.
        HpccTopology topology;
        for (uint32_t node = 0; node < 5; ++node)
        {
            topology.AddNode(node >= 3);
        }
        topology.AddLink({0, 3, DataRate("100Gbps"), MicroSeconds(1)});
        topology.AddLink({1, 3, DataRate("100Gbps"), MicroSeconds(1)});
        topology.AddLink({3, 4, DataRate("100Gbps"), MicroSeconds(1)});
        topology.AddLink({2, 4, DataRate("25Gbps"), MicroSeconds(1)});
        Install(topology);
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", "int-md", "switch");
        Fabric().AddSwitchAgent("switch-response");
        for (uint32_t node : {3, 4})
        {
            ResponderOf(node)->SetAttribute("Target",
                                            StringValue(forReceiver ? "Receiver" : "Sender"));
        }
        auto policy = CreateObject<ReceivingPolicy>();
        policy->needs.telemetry = "int-md";
        policy->needs.receiverPart = true;
        policy->window = 50000;
        RdmaQueuePairConfig config;
        config.policy = policy;
        config.telemetry = spec.format;
        config.feedback = spec.feedback;
        config.networkBaseRttNs = Fabric().GetNetworkBaseRttNs();
        auto inventory = Create<TelemetryInventory>();
        inventory->Add(3, 2, 70'000'000'000);
        Host(2).SetInventory(Host(0).GetPort().GetPriority(26 << 2), inventory);
        Post(0, Host(0).Connect(Fabric().GetHost(2), config), 100000);
        std::vector<Noted> back;
        std::vector<Noted> onwards;
        NoteResponses(*Fabric().GetSwitch(4)->GetPorts()[0], back);
        NoteResponses(*Fabric().GetSwitch(4)->GetPorts()[1], onwards);
        Simulator::Run();
        const std::vector<Noted>& responses = forReceiver ? onwards : back;
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), 1, "the message ends");
        NS_TEST_ASSERT_MSG_GT(responses.size(), 3, "responses");
        NS_TEST_EXPECT_MSG_EQ((forReceiver ? back : onwards).size(), 0, "not elsewhere");
        const size_t received = forReceiver ? responses.size() : 0;
        NS_TEST_EXPECT_MSG_EQ(policy->responses, received, "received");
        for (const auto& [atNs, response] : responses)
        {
            const TelemetryFormat& format = *response.format;
            NS_TEST_ASSERT_MSG_EQ(+response.telemetry.hops, 2, "records");
            NS_TEST_EXPECT_MSG_EQ(format.Read(response.telemetry, 0).switchId, 3, "first hop");
            NS_TEST_EXPECT_MSG_EQ(format.Read(response.telemetry, 1).switchId, 4, "second hop");
            NS_TEST_EXPECT_MSG_EQ(response.response.forReceiver, forReceiver, "flag");
            NS_TEST_EXPECT_MSG_EQ(response.destination,
                                  HpccFabricHelper::GetAddress(forReceiver ? 2 : 0),
                                  "destination");
        }
    }
};

class LateResponseTestCase : public ResponseTestCase
{
  public:
    LateResponseTestCase()
        : ResponseTestCase("a response about a packet that is acknowledged is counted and not used")
    {
    }

  private:
    /// A policy that counts responses.
    class CountingPolicy : public FixedPolicy
    {
      public:
        uint64_t responses{0}; ///< number of responses passed to the policy

        void OnSwitchResponse(RdmaCongestionState*, const RdmaAckInfo&) override
        {
            ++responses;
        }
    };

    void DoRun() override
    {
        Install(Star(3, "100Gbps", MicroSeconds(1)));
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", "int-md", "switch");
        Fabric().AddSwitchAgent("switch-response");
        auto policy = CreateObject<CountingPolicy>();
        policy->needs.telemetry = "int-md";
        policy->window = 50000; // two such windows exceed the bytes that fit on the path by 48 KB
        ResponderOf(3)->SetAttribute("Threshold", DoubleValue(1));
        RdmaQueuePairConfig config;
        config.policy = policy;
        config.telemetry = spec.format;
        config.feedback = spec.feedback;
        config.networkBaseRttNs = Fabric().GetNetworkBaseRttNs();
        for (uint32_t host : {0, 1})
        {
            Post(host, Host(host).Connect(Fabric().GetHost(2), config), 500000);
        }
        std::vector<Noted> responses;
        NoteResponses(*Fabric().GetSwitch(3)->GetPorts()[0], responses);
        uint64_t lateBefore = 0;
        uint64_t takenBefore = 0;
        uint64_t responsesBefore = 0;
        At(MicroSeconds(50), [&] {
            NS_TEST_ASSERT_MSG_GT(responses.size(), 1, "responses");
            if (IsStatusFailure())
            {
                return;
            }
            QbbNetDevice& port = Host(0).GetPort();
            Frame* frame = port.GetAgenda().Frames().Clone(responses[0].frame);
            lateBefore = Host(0).GetLateSwitchResponses();
            takenBefore = Host(0).GetSwitchResponses();
            responsesBefore = policy->responses;
            Host(0).ReceiveFrame(port, frame, port.GetAgenda().CatchUp());
            NS_TEST_EXPECT_MSG_EQ(Host(0).GetLateSwitchResponses(), lateBefore + 1, "late");
            NS_TEST_EXPECT_MSG_EQ(Host(0).GetSwitchResponses(), takenBefore, "taken");
            NS_TEST_EXPECT_MSG_EQ(policy->responses, responsesBefore, "told the policy");
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), 2, "messages end");
        NS_TEST_EXPECT_MSG_GT(responsesBefore, 1, "responses in time");
    }
};

class ResponseOutcomeTestCase : public ResponseTestCase
{
  public:
    ResponseOutcomeTestCase()
        : ResponseTestCase(
              "responses take at least a third off the peak of the queue of a 16:1 "
              "incast and keep the 99th percentile within two packets of the default's")
    {
    }

  private:
    static constexpr uint32_t SENDERS = 16;

    /**
     * Runs the incast.
     * @param feedback short name of the feedback
     * @param threshold load at which the switch starts to respond; 0 for the default
     * @return summary after 30 T
     */
    HpccSummary Incast(const std::string& feedback, double threshold = 0)
    {
        Install(Star(SENDERS + 1, "100Gbps", MicroSeconds(1)));
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", "int-md", feedback);
        std::vector<HpccFlowPlan> flows;
        for (uint32_t host = 0; host < SENDERS; ++host)
        {
            const uint32_t qp = Fabric().Connect(host, SENDERS, spec);
            Post(host, qp, 500000);
            flows.push_back({host, SENDERS, 500000, 0, qp, 0});
        }
        if (threshold > 0)
        {
            ResponderOf(SENDERS + 1)->SetAttribute("Threshold", DoubleValue(threshold));
        }
        m_peak = 0;
        OnQueue(*Fabric().GetSwitch(SENDERS + 1)->GetPorts()[SENDERS],
                [this](int64_t, uint64_t bytes) { m_peak = std::max(m_peak, bytes); });
        HpccMonitor monitor(Fabric(), flows, 30 * Fabric().GetNetworkBaseRttNs());
        Simulator::Stop(MilliSeconds(20));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), SENDERS, feedback << ": flows finished");
        m_acknowledged.clear();
        const HpccSummary summary = monitor.Summarize();
        RdmaTestCase::DoTeardown();
        return summary;
    }

    void DoRun() override
    {
        const HpccSummary plain = Incast("packet");
        const uint64_t plainPeak = m_peak;
        for (const char* feedback : {"switch", "switch:dscp", "switch:per-rtt"})
        {
            const HpccSummary summary = Incast(feedback);
            NS_TEST_EXPECT_MSG_LT(m_peak, 0.67 * plainPeak, feedback << ": peak");
            NS_TEST_EXPECT_MSG_LT_OR_EQ(summary.queueP99Bytes,
                                        plain.queueP99Bytes + 2 * 1100,
                                        feedback << ": 99th percentile");
            NS_TEST_EXPECT_MSG_GT(summary.throughputMeanGbps,
                                  0.95 * plain.throughputMeanGbps,
                                  feedback << ": throughput");
        }
        // If switches respond to any queue, the first response to a flow reports almost no
        // congestion, so it reduces the window less.
        const HpccSummary any = Incast("switch", 1);
        NS_TEST_EXPECT_MSG_LT(m_peak, 0.9 * plainPeak, "any queue: peak");
        NS_TEST_EXPECT_MSG_GT(m_peak, 0.67 * plainPeak, "any queue: less than from B T on");
        NS_TEST_EXPECT_MSG_LT(any.jainIndex, plain.jainIndex - 0.1, "any queue: fairness");
    }

    uint64_t m_peak{0}; ///< peak of the last run
};

class ReceiverOutcomeTestCase : public ResponseTestCase
{
  public:
    ReceiverOutcomeTestCase()
        : ResponseTestCase(
              "receiver:switch: responses go to the receiver that computes, which then commits "
              "before T has passed; in a 16:1 incast the peak of the queue is below that of "
              "receiver, and the 99th percentile within two packets")
    {
    }

  private:
    static constexpr uint32_t SENDERS = 16;

    /**
     * Runs the incast.
     * @param feedback short name of the feedback
     * @return summary after 30 T
     */
    HpccSummary Incast(const std::string& feedback)
    {
        Install(Star(SENDERS + 1, "100Gbps", MicroSeconds(1)));
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", "int-md", feedback);
        std::vector<HpccFlowPlan> flows;
        for (uint32_t host = 0; host < SENDERS; ++host)
        {
            const uint32_t qp = Fabric().Connect(host, SENDERS, spec);
            Post(host, qp, 500000);
            flows.push_back({host, SENDERS, 500000, 0, qp, 0});
        }
        m_peak = 0;
        OnQueue(*Fabric().GetSwitch(SENDERS + 1)->GetPorts()[SENDERS],
                [this](int64_t, uint64_t bytes) { m_peak = std::max(m_peak, bytes); });
        HpccMonitor monitor(Fabric(), flows, 30 * Fabric().GetNetworkBaseRttNs());
        Simulator::Stop(MilliSeconds(20));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), SENDERS, feedback << ": flows finished");
        m_acknowledged.clear();
        uint64_t atSenders = 0;
        for (uint32_t host = 0; host < SENDERS; ++host)
        {
            atSenders += Host(host).GetSwitchResponses() + Host(host).GetLateSwitchResponses();
        }
        NS_TEST_EXPECT_MSG_EQ(atSenders, 0, feedback << ": responses to senders");
        m_taken = Host(SENDERS).GetSwitchResponses();
        const HpccSummary summary = monitor.Summarize();
        RdmaTestCase::DoTeardown();
        return summary;
    }

    void DoRun() override
    {
        const HpccSummary plain = Incast("receiver");
        const uint64_t plainPeak = m_peak;
        NS_TEST_EXPECT_MSG_EQ(m_taken, 0, "no responses");
        const HpccSummary summary = Incast("receiver:switch");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(m_taken, SENDERS, "a response of each flow at least");
        // A response that is sent to the receiver affects the sender about T after the packet was
        // sent. By then, most of W_init has also been sent.
        NS_TEST_EXPECT_MSG_LT(m_peak, plainPeak, "peak");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(summary.queueP99Bytes,
                                    plain.queueP99Bytes + 2 * 1100,
                                    "99th percentile");
        NS_TEST_EXPECT_MSG_GT(summary.throughputMeanGbps,
                              0.95 * plain.throughputMeanGbps,
                              "throughput");
    }

    uint64_t m_peak{0};  ///< peak of the last run
    uint64_t m_taken{0}; ///< number of responses that the receiver accepted
};

class TargetRefusalTestCase : public ResponseTestCase
{
  public:
    TargetRefusalTestCase()
        : ResponseTestCase("a Target at the end that does not compute is refused, and so are both "
                           "targets in one network")
    {
    }

  private:
    /**
     * Returns the message with which a network is refused.
     * @param target attribute Target of the responders; empty to leave it unset
     * @param feedback short name of the feedback of each flow
     * @return the message; empty if the network is accepted
     */
    std::string Refusal(const std::string& target, const std::vector<std::string>& feedback)
    {
        if (!target.empty())
        {
            Config::SetDefault("ns3::SwitchResponder::Target", StringValue(target));
        }
        std::string why;
        try
        {
            Install(Star(3, "100Gbps", MicroSeconds(1)));
            for (uint32_t host = 0; host < feedback.size(); ++host)
            {
                Fabric().Connect(host,
                                 2,
                                 HpccFabricHelper::MakePolicy("hpcc++", "int-md", feedback[host]));
            }
        }
        catch (const HpccInputError& error)
        {
            why = error.what();
        }
        Config::Reset();
        RdmaTestCase::DoTeardown();
        return why;
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Refusal("", {"receiver:switch"}), "", "as preset");
        NS_TEST_EXPECT_MSG_EQ(Refusal("Receiver", {"receiver:switch"}), "", "the same by name");
        NS_TEST_EXPECT_MSG_EQ(Refusal("Sender", {"switch"}), "", "and at the sender");
        NS_TEST_EXPECT_MSG_EQ(Refusal("Sender", {"receiver:switch"}),
                              "ns3::SwitchResponder::Target is Sender, but with --feedback "
                              "receiver:switch the receiver computes; allowed is "
                              "Receiver",
                              "not the end that computes");
        NS_TEST_EXPECT_MSG_EQ(Refusal("Receiver", {"switch:dscp"}),
                              "ns3::SwitchResponder::Target is Receiver, but with --feedback "
                              "switch:dscp the sender computes; allowed is Sender",
                              "nor the other way round");
        NS_TEST_EXPECT_MSG_EQ(Refusal("", {"switch", "receiver:switch"}),
                              "switch agent \"switch-response:receiver\": the switches run "
                              "\"switch-response\" already; a switch runs at most one agent per "
                              "class",
                              "both");
    }
};

class HpccSwitchResponseTestSuite : public TestSuite
{
  public:
    HpccSwitchResponseTestSuite();
};

HpccSwitchResponseTestSuite::HpccSwitchResponseTestSuite()
    : TestSuite("hpcc-switch-response", Type::SYSTEM)
{
    AddTestCase(new StarResponseTestCase("switch"));
    AddTestCase(new StarResponseTestCase("switch:dscp"));
    AddTestCase(new StarResponseTestCase("switch:per-rtt"));
    AddTestCase(new UnsubscribedTestCase);
    AddTestCase(new PartialPathTestCase);
    AddTestCase(new LateResponseTestCase);
    AddTestCase(new ResponseOutcomeTestCase);
    AddTestCase(new ReceiverOutcomeTestCase);
    AddTestCase(new TargetRefusalTestCase);
}

HpccSwitchResponseTestSuite g_hpccSwitchResponseTestSuite; ///< the suite

} // namespace
