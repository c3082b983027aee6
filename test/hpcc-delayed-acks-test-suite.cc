/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-rdma.h"

#include "ns3/hpcc-monitor.h"

#include <map>

using namespace hpcctest;

namespace
{

/// Sends one message of 40 packets over a switch. Only some packets are acknowledged, or only some
/// ACKs carry telemetry.
class ReverseTestCase : public RdmaTestCase
{
  public:
    /// Expected ACKs: the number of the packet that an ACK acknowledges, and the number of the
    /// packet whose telemetry it carries, or -1 for no telemetry.
    using Acks = std::vector<std::pair<uint32_t, int64_t>>;

    ReverseTestCase(const std::string& name,
                    const std::map<std::string, std::string>& attributes,
                    Acks expected)
        : RdmaTestCase(name + ": these packets are acknowledged, by ACKs with the telemetry of "
                              "these, and of exactly that size"),
          m_attributes(attributes),
          m_expected(std::move(expected))
    {
    }

  private:
    void DoRun() override
    {
        Install(Star(2, "100Gbps", MicroSeconds(1)));
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", "int-md");
        for (const auto& [name, value] : m_attributes)
        {
            spec.feedback->SetAttribute(name, StringValue(value));
        }
        const TelemetryFormat& format = *spec.format;
        std::map<uint64_t, int64_t> packetOf; // key: time at the switch
        OnTransmit(*Fabric().GetSwitch(2)->GetPorts()[1], [&](int64_t, const Frame& frame) {
            if (frame.format)
            {
                packetOf[format.Read(frame.telemetry, 0).timestampNs] = frame.psn;
            }
        });
        Acks acks;
        OnTransmit(Host(1).GetPort(), [&](int64_t, const Frame& frame) {
            const HopTelemetry hop =
                frame.format ? format.Read(frame.telemetry, 0) : HopTelemetry{};
            acks.emplace_back(frame.psn, frame.format ? packetOf.at(hop.timestampNs) : -1);
            NS_TEST_EXPECT_MSG_EQ(frame.bytes,
                                  Host(1).AckFrameBytes(frame.format, 1),
                                  "bytes of the ACK of " << frame.psn);
        });
        Post(0, Fabric().Connect(0, 1, spec), 40000);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(acks.size(), m_expected.size(), "ACKs");
        for (size_t i = 0; i < acks.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(acks[i].first, m_expected[i].first, "packet of ACK " << i);
            NS_TEST_EXPECT_MSG_EQ(acks[i].second, m_expected[i].second, "telemetry of ACK " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), 1, "the message ends");
        NS_TEST_EXPECT_MSG_EQ(AllFramesFree(), true, "frames returned");
    }

    std::map<std::string, std::string> m_attributes; ///< attributes of RdmaFeedback
    Acks m_expected;                                 ///< ACKs in order
};

/// @return expected ACKs if each packet is acknowledged and every @p interval-th ACK carries
/// telemetry
ReverseTestCase::Acks
EveryPacket(uint32_t interval)
{
    ReverseTestCase::Acks acks;
    for (uint32_t psn = 0; psn < 40; ++psn)
    {
        acks.emplace_back(psn, psn % interval == 0 ? int64_t{psn} : -1);
    }
    return acks;
}

class UrgentAckTestCase : public RdmaTestCase
{
  public:
    UrgentAckTestCase()
        : RdmaTestCase("a receiver that measures acknowledges at once when the load crosses its "
                       "threshold, and not otherwise")
    {
    }

  private:
    /**
     * Runs an incast with a long ACK delay.
     * @param senders number of hosts that send at 100 Gb/s
     * @param urgent attribute UrgentLoad
     * @return PSN in the second ACK to host 0; 0 if there is no second ACK
     */
    uint32_t SecondAcknowledged(uint32_t senders, const std::string& urgent)
    {
        Fabric().SetHostAttribute("AckDelay", TimeValue(Seconds(1)));
        Install(Star(3, "100Gbps", MicroSeconds(1)));
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", "int-md");
        spec.feedback->SetAttribute(
            "Return",
            StringValue("ns3::RdmaAckReturn[AckInterval=1000|UrgentLoad=" + urgent + "]"));
        uint32_t second = 0;
        uint32_t acks = 0;
        OnTransmit(Host(2).GetPort(), [&](int64_t, const Frame& frame) {
            if (frame.destination == HpccFabricHelper::GetAddress(0) && acks++ == 1)
            {
                second = frame.psn;
            }
        });
        for (uint32_t host = 0; host < senders; ++host)
        {
            Post(host, Fabric().Connect(host, 2, spec), 40000);
        }
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), senders, "messages end");
        m_acknowledged.clear();
        RdmaTestCase::DoTeardown();
        return second;
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(SecondAcknowledged(2, "0"), 39, "never");
        NS_TEST_EXPECT_MSG_EQ(SecondAcknowledged(1, "1.05"), 39, "no queue, no urgency");
        // When the switch has sent n packets of each of the two senders, it has received 4 n
        // packets in total. Therefore its queue contains 2 n packets.
        const uint32_t second = SecondAcknowledged(2, "0.2");
        NS_TEST_EXPECT_MSG_GT(second, 3, "0.2 B T are 10 packets of queue");
        NS_TEST_EXPECT_MSG_LT(second, 8, "which 5 packets of each leave behind");
    }
};

class ReverseOutcomeTestCase : public RdmaTestCase
{
  public:
    ReverseOutcomeTestCase()
        : RdmaTestCase(
              "in the 16:1 incast fewer ACKs save feedback, end every flow without the help "
              "of the ACKs' timer, and keep the 99th percentile of the queue within two "
              "packets of an ACK per packet, or 20 with an ACK for more than a window")
    {
    }

  private:
    static constexpr uint32_t SENDERS = 16;

    struct Outcome
    {
        uint64_t queueBytes;
        uint64_t feedbackBytes;
    };

    Outcome Incast(const std::string& feedback)
    {
        Fabric().SetHostAttribute("AckDelay", TimeValue(Seconds(1)));
        Install(Star(SENDERS + 1, "100Gbps", MicroSeconds(1)));
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", "int-md", feedback);
        std::vector<HpccFlowPlan> flows;
        for (uint32_t host = 0; host < SENDERS; ++host)
        {
            const uint32_t qp = Fabric().Connect(host, SENDERS, spec);
            Post(host, qp, 500000);
            flows.push_back({host, SENDERS, 500000, 0, qp, 0});
        }
        HpccMonitor monitor(Fabric(), flows, 30 * Fabric().GetNetworkBaseRttNs());
        Simulator::Stop(MilliSeconds(20));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), SENDERS, feedback << ": flows finished");
        NS_TEST_EXPECT_MSG_EQ(Host(0).GetTimeouts(), 0, feedback << ": time-outs");
        const Outcome outcome{monitor.Summarize().queueP99Bytes, Host(SENDERS).GetFeedbackBytes()};
        m_acknowledged.clear();
        RdmaTestCase::DoTeardown();
        return outcome;
    }

    void DoRun() override
    {
        const Outcome every = Incast("packet");
        for (const char* feedback :
             {"packet:delayed-ack", "packet:delayed-ack-8", "packet:every-8th-ack"})
        {
            const Outcome fewer = Incast(feedback);
            // With packet:delayed-ack-8, one ACK acknowledges 8 packets, which are two and a half
            // windows.
            const uint64_t slack = feedback == std::string("packet:delayed-ack-8") ? 20 : 2;
            NS_TEST_EXPECT_MSG_LT_OR_EQ(fewer.queueBytes,
                                        every.queueBytes + slack * 1100,
                                        feedback);
            NS_TEST_EXPECT_MSG_LT(fewer.feedbackBytes, 0.9 * every.feedbackBytes, feedback);
        }
    }
};

class HpccDelayedAcksTestSuite : public TestSuite
{
  public:
    HpccDelayedAcksTestSuite();
};

HpccDelayedAcksTestSuite::HpccDelayedAcksTestSuite()
    : TestSuite("hpcc-delayed-acks", Type::SYSTEM)
{
    AddTestCase(new ReverseTestCase("AckInterval 8",
                                    {{"Return", "packet:delayed-ack-8"}},
                                    {{0, 0}, {8, 8}, {16, 16}, {24, 24}, {32, 32}, {39, 39}}));
    AddTestCase(new ReverseTestCase("ReturnInterval 8",
                                    {{"Return", "packet:every-8th-ack"}},
                                    EveryPacket(8)));
    AddTestCase(new ReverseTestCase(
        "every 8th packet asks for its ACK, AckInterval 5",
        {{"Sampling", "every-8"}, {"Return", "ns3::RdmaAckReturn[AckInterval=5]"}},
        {{0, 0},
         {5, -1},
         {8, 8},
         {13, -1},
         {16, 16},
         {21, -1},
         {24, 24},
         {29, -1},
         {32, 32},
         {37, -1},
         {39, -1}}));
    AddTestCase(new ReverseTestCase(
        "every 8th packet waits for an ACK, AckInterval 5",
        {{"Sampling", "ns3::RdmaIntervalSampling[AsksForAck=false]"},
         {"Return", "ns3::RdmaAckReturn[AckInterval=5]"}},
        {{0, 0}, {5, -1}, {10, 8}, {15, -1}, {20, 16}, {25, 24}, {30, -1}, {35, 32}, {39, -1}}));
    AddTestCase(new UrgentAckTestCase);
    AddTestCase(new ReverseOutcomeTestCase);
}

HpccDelayedAcksTestSuite g_hpccDelayedAcksTestSuite; ///< the suite

} // namespace
