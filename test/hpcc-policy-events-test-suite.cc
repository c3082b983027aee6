/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests which sent packets and which lost packets a host reports to a policy.

#include "hpcc-test-rdma.h"

#include "ns3/rdma-queue-pair.h"
#include "ns3/string.h"

#include <cstdint>
#include <string>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint32_t MTU = 1000; ///< default payload per packet of RdmaHost, bytes
constexpr uint32_t PACKETS = 50;

/// A policy that stores the reports.
class ReportedPolicy : public FixedPolicy
{
  public:
    uint16_t request{0};            ///< telemetry to request
    std::vector<RdmaSentInfo> sent; ///< packets reported as sent
    std::vector<RdmaLossInfo> losses;

    RdmaCongestionState* Open(const RdmaFlowInfo& info, int64_t nowNs) override
    {
        RdmaCongestionState* state = FixedPolicy::Open(info, nowNs);
        state->telemetryRequest = request;
        return state;
    }

    void OnSent(RdmaCongestionState*, const RdmaSentInfo& packet) override
    {
        sent.push_back(packet);
    }

    void OnLoss(RdmaCongestionState*, const RdmaLossInfo& loss) override
    {
        losses.push_back(loss);
    }
};

class LossInfoTestCase : public RdmaTestCase
{
  public:
    LossInfoTestCase()
        : RdmaTestCase("go-back-n: a policy hears which byte was lost first, and whether a NAK or "
                       "a time-out has shown it")
    {
    }

  private:
    void DoRun() override
    {
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<ReportedPolicy>();
        policy->window = 5 * MTU;
        Post(0, Connect(0, 1, policy), PACKETS * MTU);
        // Lose packet 10 and the last packet. At its arrival, the last packet has an index that is
        // higher by 5, because a window of 5 packets has been retransmitted.
        Lose(1, {10, PACKETS + 4});
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, "messages");
        NS_TEST_ASSERT_MSG_EQ(policy->losses.size(), 2, "losses");
        const RdmaLossInfo& first = policy->losses[0];
        NS_TEST_EXPECT_MSG_EQ(+first.cause, +RdmaLossInfo::NAK, "packets after it have arrived");
        NS_TEST_EXPECT_MSG_EQ(first.lostSeq, 10 * MTU, "its first byte");
        NS_TEST_EXPECT_MSG_EQ(first.sndNxt, 10 * MTU, "the sender goes back to it");
        const RdmaLossInfo& last = policy->losses[1];
        NS_TEST_EXPECT_MSG_EQ(+last.cause, +RdmaLossInfo::TIMEOUT, "nothing has come after it");
        NS_TEST_EXPECT_MSG_EQ(last.lostSeq, (PACKETS - 1) * MTU, "its first byte");
        NS_TEST_EXPECT_MSG_GT(last.nowNs, first.nowNs, "later");
    }
};

class SackLossInfoTestCase : public RdmaTestCase
{
  public:
    /// @param recovery short name of a recovery with SACKs
    explicit SackLossInfoTestCase(const std::string& recovery)
        : RdmaTestCase(recovery + ": a policy hears of a loss in times: when the lost packet left, "
                                  "and the current time"),
          m_recovery(recovery)
    {
    }

  private:
    void DoRun() override
    {
        Fabric().SetHostAttribute("Recovery", StringValue(m_recovery));
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<ReportedPolicy>();
        policy->window = 20 * MTU;
        std::vector<int64_t> sentNs;
        OnTransmit(Host(0).GetPort(), [&](int64_t nowNs, const Frame& frame) {
            if (frame.payloadBytes > 0)
            {
                sentNs.push_back(nowNs);
            }
        });
        Post(0, Connect(0, 1, policy), PACKETS * MTU);
        Lose(1, {10});
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, "messages");
        NS_TEST_ASSERT_MSG_EQ(policy->losses.size(), 1, "losses");
        const RdmaLossInfo& loss = policy->losses[0];
        NS_TEST_EXPECT_MSG_EQ(loss.lostSeq, static_cast<uint64_t>(sentNs[10]), "its departure");
        NS_TEST_EXPECT_MSG_EQ(loss.sndNxt, static_cast<uint64_t>(loss.nowNs), "the current time");
    }

    std::string m_recovery; ///< short name of the recovery
};

class SentTestCase : public RdmaTestCase
{
  public:
    /**
     * @param feedback short name of the feedback mode
     * @param all true: the policy requests reports of all data packets
     * @param request telemetry that the policy requests
     */
    SentTestCase(const std::string& feedback, bool all, uint16_t request)
        : RdmaTestCase("under " + feedback + " a policy hears of " +
                       (all ? "each data packet" : "no data packet as such") +
                       (request ? ", and of each packet that collects what it has requested" : "")),
          m_feedback(feedback),
          m_all(all),
          m_request(request)
    {
    }

  private:
    void DoRun() override
    {
        Install(Star(2, "100Gbps", MicroSeconds(1)));
        const auto spec = HpccFabricHelper::MakePolicy("hpcc++", "int-md", m_feedback);
        auto policy = CreateObject<ReportedPolicy>();
        policy->needs.telemetry = "int-md";
        policy->needs.sentPackets = m_all;
        policy->request = m_request;
        RdmaQueuePairConfig config;
        config.policy = policy;
        config.telemetry = spec.format;
        config.feedback = spec.feedback;
        config.networkBaseRttNs = Fabric().GetNetworkBaseRttNs();
        uint32_t packets = 0;
        uint32_t collecting = 0;
        uint64_t linkBytes = 0; // link bytes of the packets to be reported
        OnTransmit(Host(0).GetPort(), [&](int64_t, const Frame& frame) {
            const bool data = !frame.IsRoceFeedback() && frame.opcode != ROCE_PROBE;
            const bool collects = frame.format && m_request;
            packets += data;
            collecting += collects;
            linkBytes +=
                (data && m_all) || collects ? Host(0).GetPort().GetLinkBytes(frame.bytes) : 0;
        });
        Post(0, Host(0).Connect(Fabric().GetHost(1), config), PACKETS * MTU);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(packets, PACKETS, "data packets");
        NS_TEST_ASSERT_MSG_EQ((collecting > 0), (m_request > 0), "packets that collect");
        uint64_t reported = 0;
        uint32_t requested = 0;
        for (const RdmaSentInfo& packet : policy->sent)
        {
            reported += packet.linkBytes;
            requested += packet.telemetryRequest == m_request && m_request > 0;
        }
        NS_TEST_EXPECT_MSG_EQ(reported, linkBytes, "bytes reported");
        NS_TEST_EXPECT_MSG_EQ(requested, collecting, "packets reported that collect");
    }

    std::string m_feedback; ///< short name of the feedback mode
    bool m_all;             ///< true if the policy requests reports of all data packets
    uint16_t m_request;     ///< telemetry to request
};

class HpccPolicyEventsTestSuite : public TestSuite
{
  public:
    HpccPolicyEventsTestSuite()
        : TestSuite("hpcc-policy-events", Type::UNIT)
    {
        AddTestCase(new LossInfoTestCase);
        AddTestCase(new SackLossInfoTestCase("sack"));
        AddTestCase(new SackLossInfoTestCase("sack:sleek"));
        AddTestCase(new SentTestCase("every-8", false, 0));
        AddTestCase(new SentTestCase("every-8", false, 5));
        AddTestCase(new SentTestCase("every-8", true, 5));
        AddTestCase(new SentTestCase("packet", true, 0));
        AddTestCase(new SentTestCase("probe", false, 5));
        AddTestCase(new SentTestCase("probe", true, 0));
    }
};

HpccPolicyEventsTestSuite g_hpccPolicyEventsTestSuite; ///< the suite

} // namespace
