/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests when an RDMA responder sends ACKs, CNPs and echoes of marks, and that no window ever
// stalls.

#include "hpcc-test-rdma.h"
#include "hpcc-test-text.h"

#include "ns3/rdma-queue-pair.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint32_t MTU = 1000; ///< default payload per packet of RdmaHost, bytes

class AckIntervalTestCase : public RdmaTestCase
{
  public:
    AckIntervalTestCase(const std::string& name,
                        uint32_t interval,
                        double rate,
                        uint64_t packets,
                        uint64_t acks)
        : RdmaTestCase(name),
          m_interval(interval),
          m_rate(rate),
          m_packets(packets),
          m_acks(acks)
    {
    }

  private:
    void DoRun() override
    {
        Fabric().SetHostAttribute("AckInterval", UintegerValue(m_interval));
        Fabric().SetHostAttribute("AckDelay", TimeValue(MicroSeconds(10)));
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        policy->rate = m_rate;
        Post(0, Connect(0, 1, policy), m_packets * MTU);
        uint64_t sent = 0;
        int64_t longest = 0;
        std::vector<int64_t> arrived;
        OnTransmit(Host(0).GetPort(), [&](int64_t nowNs, const Frame& frame) {
            arrived.push_back(nowNs + Host(0).GetPort().GetLinkBytes(frame.bytes) * 8 / 100 + 1000);
        });
        uint64_t acknowledged = 0;
        OnTransmit(Host(1).GetPort(), [&](int64_t nowNs, const Frame& frame) {
            ++sent;
            longest = std::max(longest, nowNs - arrived[acknowledged]);
            acknowledged = frame.psn + 1;
        });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, "messages");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_ASSERT_MSG_EQ(sent, m_acks, "ACKs sent");
        NS_TEST_ASSERT_MSG_EQ(policy->acks, m_acks, "ACKs received");
        NS_TEST_ASSERT_MSG_LT_OR_EQ(longest, 10001, "no packet waits longer than AckDelay");
        NS_TEST_ASSERT_MSG_EQ(AllFramesFree(), true, "frames");
    }

    uint32_t m_interval; ///< AckInterval
    double m_rate;       ///< rate, bit/s
    uint64_t m_packets;  ///< packets of the message
    uint64_t m_acks;     ///< expected ACKs
};

/// Tests windows that are smaller than the number of packets per ACK. In some other simulators,
/// such windows stall.
class SmallWindowTestCase : public RdmaTestCase
{
  public:
    explicit SmallWindowTestCase(double packets)
        : RdmaTestCase("with an ACK every 8 packets and a long ACK delay, a window of " +
                       Text(packets) +
                       " packets moves once per round trip and never waits for the delay"),
          m_window(packets)
    {
    }

  private:
    void DoRun() override
    {
        Fabric().SetHostAttribute("AckInterval", UintegerValue(8));
        Fabric().SetHostAttribute("AckDelay", TimeValue(MilliSeconds(100)));
        Fabric().SetHostAttribute("RetransmitTimeout", TimeValue(Seconds(1)));
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        policy->window = m_window * MTU;
        constexpr uint64_t packets = 1000;
        Post(0, Connect(0, 1, policy), packets * MTU);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, "messages");
        if (IsStatusFailure())
        {
            return;
        }
        // The packets of a window are sent without gaps. The ACK of the last packet permits the
        // next window.
        double perRound = std::ceil(m_window);
        double roundNs = static_cast<double>(Fabric().GetNetworkBaseRttNs()) +
                         (perRound - 1) * (1058 + 24) * 8 / 100;
        NS_TEST_ASSERT_MSG_LT(static_cast<double>(m_acknowledged[0].completedNs),
                              (std::ceil(packets / perRound) + 1) * roundNs,
                              "round trips");
    }

    double m_window; ///< window, packets
};

class ShrinkingWindowTestCase : public RdmaTestCase
{
  public:
    ShrinkingWindowTestCase()
        : RdmaTestCase("a window that shrinks below what is in flight waits for the ACK delay, not "
                       "for the time-out")
    {
    }

  private:
    void DoRun() override
    {
        Fabric().SetHostAttribute("AckInterval", UintegerValue(1000));
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        policy->window = 50 * MTU;
        policy->timerNs = 1500;
        policy->onTimer = [](RdmaCongestionState& state) { state.windowBytes = 2 * MTU; };
        Post(0, Connect(0, 1, policy), 100 * MTU);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, "messages");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_ASSERT_MSG_EQ(Host(0).GetTimeouts(), 0, "time-outs");
        NS_TEST_ASSERT_MSG_EQ(Host(0).GetQueuePair(0).retransmissions, 0, "sent again");
        // The message takes 50 round trips of 2 packets each, and one AckDelay of 10 us.
        NS_TEST_ASSERT_MSG_LT(m_acknowledged[0].completedNs, 50 * 2500 + 12000, "time");
    }
};

class CnpTestCase : public RdmaTestCase
{
  public:
    CnpTestCase(int64_t policyNs, int64_t attributeNs)
        : RdmaTestCase("while every packet is marked, a queue pair gets CNPs exactly as often as " +
                       (attributeNs ? "CnpInterval, " + std::to_string(attributeNs)
                                    : "the policy's interval, " + std::to_string(policyNs)) +
                       " ns, allows"),
          m_policyNs(policyNs),
          m_attributeNs(attributeNs)
    {
    }

  private:
    void DoRun() override
    {
        // With Kmax 1, a packet is marked if another packet waits.
        Fabric().SetEcnAttribute("Thresholds", StringValue("10Gbps:0:1:1"));
        Fabric().SetHostAttribute("CnpInterval", TimeValue(NanoSeconds(m_attributeNs)));
        Install(Star(3, "10Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        policy->needs.ecn = RdmaPolicyDescription::ECT0;
        policy->needs.cnps = true;
        policy->needs.cnpIntervalNs = m_policyNs;
        for (uint32_t host : {0, 1})
        {
            // Each host has two queue pairs, because the CNP interval applies to each queue pair
            // separately.
            for (int i = 0; i < 2; ++i)
            {
                Post(host, Connect(host, 2, policy), 300 * MTU);
            }
        }
        std::map<std::pair<uint32_t, uint32_t>, std::vector<int64_t>> cnps;
        OnTransmit(Host(2).GetPort(), [&cnps](int64_t nowNs, const Frame& frame) {
            if (frame.opcode == ROCE_CNP)
            {
                cnps[{frame.destination, frame.destinationQp}].push_back(nowNs);
            }
        });
        Simulator::Run();
        int64_t intervalNs = m_attributeNs ? m_attributeNs : m_policyNs;
        // Each of the four queue pairs sends a packet every 4 packet times.
        int64_t turnNs = 4 * (1058 + 24) * 8 / 10;
        uint64_t sent = 0;
        NS_TEST_ASSERT_MSG_EQ(cnps.size(), 4, "queue pairs");
        if (IsStatusFailure())
        {
            return;
        }
        for (const auto& [key, times] : cnps)
        {
            sent += times.size();
            NS_TEST_ASSERT_MSG_GT(times.size(), 5, "CNPs");
            for (size_t i = 1; i < times.size(); ++i)
            {
                int64_t gap = times[i] - times[i - 1];
                // A CNP waits only for the ACKs and CNPs that are sent at the same time.
                NS_TEST_ASSERT_MSG_GT_OR_EQ(gap, intervalNs - 200, "interval");
                NS_TEST_ASSERT_MSG_LT_OR_EQ(gap, intervalNs + turnNs + 200, "a mark is answered");
            }
        }
        NS_TEST_ASSERT_MSG_EQ(Host(2).GetCnpsSent(), sent, "CNPs sent");
        NS_TEST_ASSERT_MSG_EQ(policy->cnps, sent, "CNPs received");
        NS_TEST_ASSERT_MSG_EQ(policy->echoes, 0, "no echo in ACKs");
    }

    int64_t m_policyNs;    ///< interval that the policy requests
    int64_t m_attributeNs; ///< attribute CnpInterval of the host; 0: use the interval of the policy
};

class EchoTestCase : public RdmaTestCase
{
  public:
    EchoTestCase(bool wantsCnp, uint32_t interval)
        : RdmaTestCase("ACKs every " + std::to_string(interval) +
                       " packets echo marks by BECN, and no CNP is sent, if " +
                       (wantsCnp ? "the host is told to" : "the policy wants ECN without CNPs")),
          m_wantsCnp(wantsCnp),
          m_interval(interval)
    {
    }

  private:
    void DoRun() override
    {
        Fabric().SetEcnAttribute("Thresholds", StringValue("10Gbps:0:1:1"));
        Fabric().SetHostAttribute("AckInterval", UintegerValue(m_interval));
        Fabric().SetHostAttribute("AckDelay", TimeValue(MilliSeconds(1)));
        if (m_wantsCnp)
        {
            Fabric().SetHostAttribute("CongestionEcho", StringValue("Ack"));
        }
        Install(Star(3, "10Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        policy->needs.ecn = RdmaPolicyDescription::ECT0;
        if (m_wantsCnp)
        {
            policy->needs.cnps = true;
        }
        Post(0, Connect(0, 2, policy), 200 * MTU);
        Post(1, Connect(1, 2, policy), 200 * MTU);
        uint64_t marks = 0;
        OnTransmit(*Fabric().GetSwitch(3)->GetPorts()[2],
                   [&](int64_t, const Frame& frame) { marks += (frame.tos & 3) == ECN_CE; });
        uint64_t echoes = 0;
        OnTransmit(Host(2).GetPort(), [&](int64_t, const Frame& frame) {
            echoes += (frame.bthFlags & ROCE_BECN) != 0;
        });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_GT(marks, 300, "marks");
        NS_TEST_ASSERT_MSG_EQ(policy->echoes, echoes, "echoes received");
        NS_TEST_ASSERT_MSG_EQ(Host(2).GetCnpsSent(), 0, "CNPs");
        if (m_interval == 1)
        {
            NS_TEST_ASSERT_MSG_EQ(echoes, marks, "one echo per mark");
        }
        else
        {
            NS_TEST_ASSERT_MSG_GT_OR_EQ(echoes, marks / m_interval, "one echo per ACK");
            NS_TEST_ASSERT_MSG_LT_OR_EQ(echoes, policy->acks, "one echo per ACK");
        }
    }

    bool m_wantsCnp;     ///< true if the policy requests CNPs; the host echoes marks in both cases
    uint32_t m_interval; ///< AckInterval
};

class HpccRdmaAcksTestSuite : public TestSuite
{
  public:
    HpccRdmaAcksTestSuite()
        : TestSuite("hpcc-rdma-acks", Type::UNIT)
    {
        AddTestCase(
            new AckIntervalTestCase("AckInterval 1: every packet has its ACK", 1, 0, 80, 80));
        AddTestCase(new AckIntervalTestCase("AckInterval 8: an ACK every 8 packets", 8, 0, 80, 10));
        AddTestCase(new AckIntervalTestCase(
            "AckInterval 8: the last packet of a message does not wait for others",
            8,
            0,
            81,
            11));
        // At 1 Gb/s, a packet of 1,082 bytes arrives every 8.7 us. An ACK is delayed by 10 us, and
        // therefore covers 2 packets.
        AddTestCase(
            new AckIntervalTestCase("AckInterval 1000: slow packets are acknowledged by delay",
                                    1000,
                                    1e9,
                                    80,
                                    40));
        for (double packets : {0.3, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 7.9, 8.0, 9.0})
        {
            AddTestCase(new SmallWindowTestCase(packets));
        }
        AddTestCase(new ShrinkingWindowTestCase);

        AddTestCase(new CnpTestCase(50000, 0));
        AddTestCase(new CnpTestCase(50000, 20000));
        AddTestCase(new CnpTestCase(0, 10000));
        AddTestCase(new EchoTestCase(false, 1));
        AddTestCase(new EchoTestCase(true, 1));
        AddTestCase(new EchoTestCase(true, 8));
    }
};

HpccRdmaAcksTestSuite g_hpccRdmaAcksTestSuite; ///< the suite

} // namespace
