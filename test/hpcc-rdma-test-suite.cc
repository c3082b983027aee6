/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-network.h"
#include "hpcc-test-rdma.h"

#include "ns3/boolean.h"
#include "ns3/hpcc-drop-reason.h"
#include "ns3/rdma-hpcc-plus-plus.h"
#include "ns3/rdma-no-congestion-control.h"
#include "ns3/rdma-queue-pair.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <sstream>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint32_t MTU = 1000;       ///< default of RdmaHost
constexpr uint64_t WRAP = 0x1000000; ///< packets after which the number on the wire is 0 again

/// @param x a value @return it, as short as possible
std::string
Text(double x)
{
    std::ostringstream out;
    out << x;
    return out.str();
}

class MessagesTestCase : public RdmaTestCase
{
  public:
    MessagesTestCase(const std::string& what, std::vector<std::pair<RdmaVerb, uint64_t>> messages)
        : RdmaTestCase(what + ": every message is delivered exactly once, whole and in order, then "
                              "acknowledged"),
          m_messages(std::move(messages))
    {
    }

  private:
    void DoRun() override
    {
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        uint32_t qp = Connect(0, 1, CreateObject<FixedPolicy>());
        std::vector<uint8_t> expectedOpcodes;
        for (auto [verb, bytes] : m_messages)
        {
            Post(0, qp, bytes, NanoSeconds(0), verb);
            bool write = verb == RdmaVerb::WRITE;
            uint64_t packets = (bytes + MTU - 1) / MTU;
            for (uint64_t i = 0; i < packets; ++i)
            {
                bool last = i + 1 == packets;
                uint8_t opcode = write ? ROCE_WRITE_MIDDLE : ROCE_SEND_MIDDLE;
                if (i == 0)
                {
                    opcode = last ? (write ? ROCE_WRITE_ONLY : ROCE_SEND_ONLY)
                                  : (write ? ROCE_WRITE_FIRST : ROCE_SEND_FIRST);
                }
                else if (last)
                {
                    opcode = write ? ROCE_WRITE_LAST : ROCE_SEND_LAST;
                }
                expectedOpcodes.push_back(opcode);
            }
        }
        std::vector<uint8_t> opcodes;
        uint64_t payload = 0;
        uint64_t wrongNumbers = 0;
        OnTransmit(Host(0).GetPort(), [&](int64_t, const Frame& frame) {
            wrongNumbers += frame.psn != opcodes.size();
            opcodes.push_back(frame.opcode);
            payload += frame.payloadBytes;
        });
        Simulator::Run();

        uint64_t total = 0;
        NS_TEST_ASSERT_MSG_EQ(m_delivered.size(), m_messages.size(), "messages delivered");
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), m_messages.size(), "messages acknowledged");
        if (IsStatusFailure())
        {
            return;
        }
        for (size_t i = 0; i < m_messages.size(); ++i)
        {
            uint64_t bytes = m_messages[i].second;
            total += bytes;
            NS_TEST_ASSERT_MSG_EQ(m_delivered[i].index, i, "order of delivery");
            NS_TEST_ASSERT_MSG_EQ(m_delivered[i].bytes, bytes, "bytes delivered");
            NS_TEST_ASSERT_MSG_EQ(m_acknowledged[i].index, i, "order of acknowledgement");
            NS_TEST_ASSERT_MSG_EQ(m_acknowledged[i].bytes, bytes, "bytes acknowledged");
            NS_TEST_ASSERT_MSG_EQ(m_acknowledged[i].postedNs, 0, "when it was posted");
            // An ACK of 62 bytes, 86 on the link, at 100 Gb/s over 1 us.
            NS_TEST_ASSERT_MSG_EQ_TOL(m_acknowledged[i].completedNs - m_delivered[i].completedNs,
                                      1000 + 86 * 8 / 100,
                                      86 * 8 / 100 + 1,
                                      "the acknowledgement takes one way, or waits for one more");
        }
        NS_TEST_ASSERT_MSG_EQ((opcodes == expectedOpcodes), true, "opcodes of the packets");
        NS_TEST_ASSERT_MSG_EQ(wrongNumbers, 0, "packets are numbered from 0");
        NS_TEST_ASSERT_MSG_EQ(payload, total, "payload sent");
        NS_TEST_ASSERT_MSG_EQ(Host(1).GetQueuePair(0).receivedBytes, total, "payload received");
        NS_TEST_ASSERT_MSG_EQ(AllFramesFree(), true, "no frame is lost to the pools");
    }

    std::vector<std::pair<RdmaVerb, uint64_t>> m_messages; ///< verb and bytes
};

class UnwrapTestCase : public TestCase
{
  public:
    UnwrapTestCase()
        : TestCase("UnwrapPsn finds the number nearest to the reference, on both sides of any wrap")
    {
    }

  private:
    void DoRun() override
    {
        for (uint64_t reference : {WRAP - 1, WRAP, WRAP + 1, 5 * WRAP, (WRAP << 20) + 77})
        {
            for (int64_t distance : {-0x800000 + 1, -1000, -1, 0, 1, 1000, 0x800000 - 1})
            {
                uint64_t number = reference + distance;
                NS_TEST_ASSERT_MSG_EQ(UnwrapPsn(number & (WRAP - 1), reference),
                                      number,
                                      distance << " from " << reference);
            }
        }
    }
};

class WrapTestCase : public RdmaTestCase
{
  public:
    explicit WrapTestCase(bool losses)
        : RdmaTestCase(std::string("a flow whose packet numbers pass 2^24 ") +
                       (losses ? "recovers from losses on both sides of the wrap"
                               : "sends every packet once and is acknowledged"))
    {
        m_losses = losses;
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t start = 3 * WRAP - 50;
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        policy->window = 20 * MTU;
        uint32_t index = Connect(0, 1, policy);
        // Both ends as they are after 3 * 2^24 - 50 packets.
        auto& qp = const_cast<RdmaQueuePair&>(Host(0).GetQueuePair(index));
        auto& remote = const_cast<RdmaQueuePair&>(Host(1).GetQueuePair(0));
        qp.sndNxtPsn = qp.sndUnaPsn = qp.sndMaxPsn = qp.endPsn = start;
        qp.sndNxtByte = qp.sndUnaByte = qp.endByte = start * MTU;
        remote.expectedPsn = start;
        if (m_losses)
        {
            Lose(1, {45, 49, 50, 51, 60, 105});
            Lose(0, {30, 52, 53, 54, 55});
        }
        std::vector<uint32_t> numbers;
        OnTransmit(Host(0).GetPort(),
                   [&](int64_t, const Frame& frame) { numbers.push_back(frame.psn); });
        Post(0, index, 100 * MTU);
        Post(0, index, 7);
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 2, "messages");
        NS_TEST_ASSERT_MSG_EQ(m_delivered.size(), 2, "messages");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_ASSERT_MSG_EQ(m_delivered[0].bytes, 100 * MTU, "bytes of the first");
        NS_TEST_ASSERT_MSG_EQ(m_delivered[1].bytes, 7, "bytes of the second");
        NS_TEST_ASSERT_MSG_EQ(qp.sndUnaPsn, start + 101, "numbers go on inside");
        NS_TEST_ASSERT_MSG_EQ(numbers.front(), WRAP - 50, "first number on the wire");
        NS_TEST_ASSERT_MSG_EQ(numbers.back(), 50, "last number on the wire");
        if (!m_losses)
        {
            NS_TEST_ASSERT_MSG_EQ(numbers.size(), 101, "packets");
            if (IsStatusFailure())
            {
                return;
            }
            NS_TEST_ASSERT_MSG_EQ(numbers[50], 0, "the wrap");
            NS_TEST_ASSERT_MSG_EQ(policy->acks, 101, "acknowledgements");
        }
        else
        {
            NS_TEST_ASSERT_MSG_GT(qp.retransmissions, 0, "packets sent again");
        }
        NS_TEST_ASSERT_MSG_EQ(AllFramesFree(), true, "frames");
    }

    bool m_losses; ///< lose packets and ACKs
};

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
    double m_rate;       ///< bit/s
    uint64_t m_packets;  ///< of the message
    uint64_t m_acks;     ///< expected
};

/// A known fault of other models: with an ACK every n packets a window below n packets stops.
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
        // A window's packets leave back to back, the last one's ACK lets the next ones go.
        double perRound = std::ceil(m_window);
        double roundNs = static_cast<double>(Fabric().GetNetworkBaseRttNs()) +
                         (perRound - 1) * (1058 + 24) * 8 / 100;
        NS_TEST_ASSERT_MSG_LT(static_cast<double>(m_acknowledged[0].completedNs),
                              (std::ceil(packets / perRound) + 1) * roundNs,
                              "round trips");
    }

    double m_window; ///< packets
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
        // 50 round trips of 2 packets and one AckDelay of 10 us.
        NS_TEST_ASSERT_MSG_LT(m_acknowledged[0].completedNs, 50 * 2500 + 12000, "time");
    }
};

class LossTestCase : public RdmaTestCase
{
  public:
    /// What must follow from the losses.
    struct Expected
    {
        uint64_t naks;            ///< NAKs
        uint64_t timeouts;        ///< time-outs
        uint64_t retransmissions; ///< packets sent again
        uint64_t duplicates;      ///< packets received twice
    };

    LossTestCase(const std::string& name,
                 std::list<uint32_t> packets,
                 std::list<uint32_t> acks,
                 Expected expected)
        : RdmaTestCase(name),
          m_packets(std::move(packets)),
          m_acks(std::move(acks)),
          m_expected(expected)
    {
    }

  private:
    void DoRun() override
    {
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        policy->window = 5 * MTU;
        uint32_t index = Connect(0, 1, policy);
        Post(0, index, 99 * MTU + 1);
        Lose(1, m_packets);
        Lose(0, m_acks);
        uint64_t nakNumber = UINT64_MAX;
        OnTransmit(Host(1).GetPort(), [&](int64_t, const Frame& frame) {
            if (frame.syndrome == ROCE_SYNDROME_NAK_SEQUENCE)
            {
                nakNumber = frame.psn;
            }
        });
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        const auto& qp = Host(0).GetQueuePair(index);
        const auto& remote = Host(1).GetQueuePair(0);
        NS_TEST_ASSERT_MSG_EQ(m_delivered.size(), 1, "deliveries");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_ASSERT_MSG_EQ(m_delivered[0].bytes, 99 * MTU + 1, "bytes delivered");
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, "acknowledgements");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_ASSERT_MSG_EQ(remote.receivedBytes, 99 * MTU + 1, "bytes in order");
        NS_TEST_ASSERT_MSG_EQ(Host(1).GetNaksSent(), m_expected.naks, "NAKs sent");
        NS_TEST_ASSERT_MSG_EQ(policy->naks, m_expected.naks, "NAKs received");
        NS_TEST_ASSERT_MSG_EQ(Host(0).GetTimeouts(), m_expected.timeouts, "time-outs");
        NS_TEST_ASSERT_MSG_EQ(qp.retransmissions, m_expected.retransmissions, "sent again");
        NS_TEST_ASSERT_MSG_EQ(remote.duplicates, m_expected.duplicates, "duplicates");
        if (m_expected.naks)
        {
            NS_TEST_ASSERT_MSG_EQ(nakNumber, m_packets.front(), "the NAK names the lost packet");
        }
        // The default time-out is 4 ms, the flow without it takes 20 round trips.
        NS_TEST_ASSERT_MSG_EQ_TOL(m_acknowledged[0].completedNs,
                                  static_cast<int64_t>(m_expected.timeouts) * 4000000 + 30000,
                                  30000,
                                  "nothing but time-outs takes long");
        NS_TEST_ASSERT_MSG_EQ(AllFramesFree(), true, "frames");
    }

    std::list<uint32_t> m_packets; ///< lost, by order of arrival
    std::list<uint32_t> m_acks;    ///< lost, by order of arrival
    Expected m_expected;           ///< what follows
};

class RandomLossTestCase : public RdmaTestCase
{
  public:
    explicit RandomLossTestCase(double rate)
        : RdmaTestCase("with a share of " + Text(rate) +
                       " of all packets and ACKs lost at random, every byte of every message is "
                       "delivered once and in order"),
          m_rate(rate)
    {
    }

  private:
    void DoRun() override
    {
        RngSeedManager::SetSeed(1);
        RngSeedManager::SetRun(1);
        Fabric().SetHostAttribute("RetransmitTimeout", TimeValue(MicroSeconds(100)));
        Fabric().SetHostAttribute("NakInterval", TimeValue(MicroSeconds(20)));
        HpccTopology topology = Star(4, "100Gbps", MicroSeconds(1));
        HpccTopology lossy;
        for (uint32_t i = 0; i < topology.GetNodes(); ++i)
        {
            lossy.AddNode(topology.IsSwitch(i));
        }
        for (auto link : topology.GetLinks())
        {
            link.errorRate = m_rate;
            lossy.AddLink(link);
        }
        Install(lossy);
        auto spec = HpccFabricHelper::MakePolicy("hpcc++");
        auto fixed = CreateObject<FixedPolicy>();
        fixed->window = 30 * MTU;
        constexpr uint32_t messages = 20;
        for (uint32_t host = 0; host < 3; ++host)
        {
            for (uint32_t qp : {Fabric().Connect(host, 3, spec), Connect(host, 3, fixed)})
            {
                for (uint32_t i = 0; i < messages; ++i)
                {
                    Post(host,
                         qp,
                         BytesOf(i),
                         MicroSeconds(5 * i),
                         i % 2 ? RdmaVerb::SEND : RdmaVerb::WRITE);
                }
            }
        }
        Simulator::Stop(Seconds(5));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 6 * messages, "acknowledged");
        NS_TEST_ASSERT_MSG_EQ(m_delivered.size(), 6 * messages, "delivered");
        if (IsStatusFailure())
        {
            return;
        }
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> next;
        for (const auto& record : m_delivered)
        {
            uint32_t& index = next[{record.source, record.queuePair}];
            NS_TEST_ASSERT_MSG_EQ(record.index, index, "order");
            NS_TEST_ASSERT_MSG_EQ(record.bytes, BytesOf(index), "bytes");
            ++index;
        }
        NS_TEST_ASSERT_MSG_GT(GetDrops(), 0, "packets were lost");
        NS_TEST_ASSERT_MSG_EQ(AllFramesFree(), true, "frames");
    }

    /// @param message number of a message @return its size
    static uint64_t BytesOf(uint32_t message)
    {
        return 1 + message * 4999;
    }

    double m_rate; ///< share lost
};

/// A rollback is not an idle time: what the requester had in flight was there all along.
class NoIdleAfterNakTestCase : public RdmaTestCase
{
  public:
    NoIdleAfterNakTestCase()
        : RdmaTestCase("going back after a NAK is no idle gap: HPCC++ keeps its records")
    {
    }

  private:
    void DoRun() override
    {
        Install(Star(2, "100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<RdmaHpccPlusPlus>();
        policy->SetNetworkBaseRtt(Fabric().GetNetworkBaseRttNs());
        RdmaQueuePairConfig config;
        config.policy = policy;
        config.telemetry = HpccFabricHelper::MakePolicy("hpcc++").format;
        uint32_t qp = Host(0).Connect(Fabric().GetHost(1), config);
        policy->TraceConnectWithoutContext("Reset",
                                           MakeCallback(&NoIdleAfterNakTestCase::Reset, this));
        Lose(1, {500});
        Post(0, qp, 1000 * MTU);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, "messages");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_ASSERT_MSG_EQ(Host(1).GetNaksSent(), 1, "NAKs");
        NS_TEST_ASSERT_MSG_EQ(m_resets.size(), 1, "resets");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_ASSERT_MSG_EQ((m_resets[0] == HpccReset::FIRST_RECORD), true, "reason");
    }

    void Reset(uint32_t, HpccReset reason)
    {
        m_resets.push_back(reason);
    }

    std::vector<HpccReset> m_resets; ///< reasons
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
        // Kmax 1: a packet is marked as soon as another one waits.
        Fabric().SetEcnAttribute("Thresholds", StringValue("10Gbps:0:1:1"));
        Fabric().SetHostAttribute("CnpInterval", TimeValue(NanoSeconds(m_attributeNs)));
        Install(Star(3, "10Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        policy->needs = RdmaCongestionOps::NEED_ECN | RdmaCongestionOps::NEED_CNP;
        policy->cnpInterval = m_policyNs;
        for (uint32_t host : {0, 1})
        {
            // Two queue pairs of each host: CNPs are counted for each alone.
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
        // Each of four queue pairs has a packet every 4 packet times.
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
                // CNPs wait for at most the ACKs and CNPs that leave at the same time.
                NS_TEST_ASSERT_MSG_GT_OR_EQ(gap, intervalNs - 200, "interval");
                NS_TEST_ASSERT_MSG_LT_OR_EQ(gap, intervalNs + turnNs + 200, "a mark is answered");
            }
        }
        NS_TEST_ASSERT_MSG_EQ(Host(2).GetCnpsSent(), sent, "CNPs sent");
        NS_TEST_ASSERT_MSG_EQ(policy->cnps, sent, "CNPs received");
        NS_TEST_ASSERT_MSG_EQ(policy->echoes, 0, "no echo in ACKs");
    }

    int64_t m_policyNs;    ///< of the policy
    int64_t m_attributeNs; ///< of the host; 0 asks the policy
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
        policy->needs = RdmaCongestionOps::NEED_ECN;
        if (m_wantsCnp)
        {
            policy->needs |= RdmaCongestionOps::NEED_CNP;
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

    bool m_wantsCnp;     ///< the policy wants CNPs, the host echoes in ACKs all the same
    uint32_t m_interval; ///< AckInterval
};

class UnknownQueuePairTestCase : public RdmaTestCase
{
  public:
    UnknownQueuePairTestCase()
        : RdmaTestCase("packets, ACKs and CNPs for a queue pair that does not exist are counted "
                       "and dropped")
    {
    }

  private:
    void DoRun() override
    {
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        uint32_t qp = Connect(0, 1, CreateObject<FixedPolicy>());
        for (uint32_t number : {0U, 1U, 3U, 4000U, 0xffffffU})
        {
            for (uint8_t opcode : {ROCE_WRITE_ONLY, ROCE_SEND_MIDDLE, ROCE_ACK, ROCE_CNP})
            {
                Frame* frame = MakeFrame(Host(0).GetPort(), {});
                frame->destinationQp = number;
                frame->opcode = opcode;
                Host(0).GetPort().Enqueue(frame);
            }
        }
        Post(0, qp, 10 * MTU, MicroSeconds(10));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(Host(1).GetPort().GetDrops(DropReason::UNKNOWN_QUEUE_PAIR),
                              20,
                              "counted with their reason");
        NS_TEST_ASSERT_MSG_EQ(GetDrops(), 20, "nothing else is dropped");
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, "others do not suffer");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_ASSERT_MSG_EQ(AllFramesFree(), true, "frames");
    }
};

class WindowAndRateTestCase : public RdmaTestCase
{
  public:
    WindowAndRateTestCase(double windowPackets, double gbps)
        : RdmaTestCase(NameOf(windowPackets, gbps)),
          m_window(windowPackets * MTU),
          m_rate(gbps * 1e9)
    {
    }

  private:
    static std::string NameOf(double windowPackets, double gbps)
    {
        std::ostringstream name;
        name
            << "with W of " << windowPackets << " packets and R of " << gbps * 1000
            << " Mbps less than W + MTU is in flight and packets keep the distance that R asks for";
        return name.str();
    }

    void DoRun() override
    {
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        policy->window = m_window;
        policy->rate = m_rate;
        uint32_t index = Connect(0, 1, policy);
        constexpr int64_t packets = 2000;
        Post(0, index, packets * MTU);
        const RdmaQueuePair& qp = Host(0).GetQueuePair(index);
        uint64_t mostInFlight = 0;
        int64_t firstNs = -1;
        int64_t lastNs = 0;
        double paceNs = 0;
        double mostEarlyNs = -1e18;
        OnTransmit(Host(0).GetPort(), [&](int64_t nowNs, const Frame& frame) {
            mostInFlight = std::max(mostInFlight, qp.InFlight());
            firstNs = firstNs < 0 ? nowNs : firstNs;
            lastNs = nowNs;
            mostEarlyNs = std::max(mostEarlyNs, paceNs - static_cast<double>(nowNs - firstNs));
            if (frame.psn + 1 < packets)
            {
                paceNs += Host(0).GetPort().GetLinkBytes(frame.bytes) * 8e9 / m_rate;
            }
        });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, "messages");
        if (IsStatusFailure())
        {
            return;
        }
        if (m_window < 1e9)
        {
            NS_TEST_ASSERT_MSG_LT(static_cast<double>(mostInFlight), m_window + MTU, "in flight");
        }
        NS_TEST_ASSERT_MSG_LT(mostEarlyNs, 1.001, "no packet is ahead of the pace by 1 ns");
        // Without feedback in the way: a packet per pace; with it, a window per round trip.
        double perRound = std::ceil(m_window / MTU);
        double packetNs = (1058 + 24) * 8e9 / m_rate;
        double roundNs = 2000 + (1058 + 24 + 62 + 24) * 8 / 100.0;
        if (perRound * packetNs > roundNs + packetNs)
        {
            NS_TEST_ASSERT_MSG_EQ_TOL(static_cast<double>(lastNs - firstNs),
                                      paceNs,
                                      1.001,
                                      "the pace is kept on average");
        }
        else
        {
            double rounds = std::ceil(packets / perRound) - 1;
            double expectedNs = rounds * std::max(roundNs, packetNs);
            NS_TEST_ASSERT_MSG_EQ_TOL(static_cast<double>(lastNs - firstNs),
                                      expectedNs,
                                      expectedNs * 0.01 + perRound * packetNs,
                                      "a window per round trip");
        }
    }

    double m_window; ///< bytes
    double m_rate;   ///< bit/s
};

class RateChangeTestCase : public RdmaTestCase
{
  public:
    RateChangeTestCase(const std::string& name,
                       double before,
                       int64_t changeNs,
                       double after,
                       int64_t expectedNs)
        : RdmaTestCase("a packet that waits for its pace is timed again when the rate " + name),
          m_before(before),
          m_changeNs(changeNs),
          m_after(after),
          m_expectedNs(expectedNs)
    {
    }

  private:
    void DoRun() override
    {
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        policy->rate = m_before;
        policy->timerNs = m_changeNs;
        policy->onTimer = [this](RdmaCongestionState& state) { state.rateBps = m_after; };
        Post(0, Connect(0, 1, policy), 2 * MTU, NanoSeconds(0), RdmaVerb::SEND);
        std::vector<int64_t> starts;
        OnTransmit(Host(0).GetPort(),
                   [&starts](int64_t nowNs, const Frame&) { starts.push_back(nowNs); });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(starts.size(), 2, "packets");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_ASSERT_MSG_EQ(starts[0], 0, "the first goes at once");
        NS_TEST_ASSERT_MSG_EQ_TOL(starts[1], m_expectedNs, 1, "the second");
    }

    double m_before;      ///< rate, bit/s
    int64_t m_changeNs;   ///< when it changes
    double m_after;       ///< rate, bit/s
    int64_t m_expectedNs; ///< start of the second packet
};

class WholeNanosecondPaceTestCase : public RdmaTestCase
{
  public:
    WholeNanosecondPaceTestCase()
        : RdmaTestCase(
              "with WholeNanoseconds a pace that is exact loses 1 ns, another its fraction")
    {
    }

  private:
    void DoRun() override
    {
        Fabric().SetDeviceAttribute("WholeNanoseconds", BooleanValue(true));
        Fabric().SetDeviceAttribute("EthernetOverhead", BooleanValue(false));
        Fabric().SetHostAttribute("WireProfile", StringValue("Authors"));
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        policy->rate = 1e9;
        policy->timerNs = 20000;
        policy->onTimer = [](RdmaCongestionState& state) { state.rateBps = 3e9; };
        Post(0, Connect(0, 1, policy), 5 * MTU);
        std::vector<int64_t> starts;
        OnTransmit(Host(0).GetPort(),
                   [&starts](int64_t nowNs, const Frame&) { starts.push_back(nowNs); });
        Simulator::Run();
        // 1048 bytes take 8384 ns at 1 Gb/s and 2794.67 ns at 3 Gb/s, the rate after 20 us, which
        // makes the waiting packet due.
        std::vector<int64_t> expected{0, 8383, 16766, 20000, 20000 + 2794};
        NS_TEST_ASSERT_MSG_EQ((starts == expected), true, "starts of packets");
    }
};

class RoundRobinTestCase : public RdmaTestCase
{
  public:
    explicit RoundRobinTestCase(uint32_t queuePairs)
        : RdmaTestCase(std::to_string(queuePairs) +
                       " queue pairs share a port round robin: after any number of turns their "
                       "bytes are within one packet, below 2 %"),
          m_queuePairs(queuePairs)
    {
    }

  private:
    void DoRun() override
    {
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        for (uint32_t i = 0; i < m_queuePairs; ++i)
        {
            Post(0, Connect(0, 1, policy), 1000 * MTU);
        }
        constexpr uint32_t turns = 60;
        Simulator::Stop(NanoSeconds(turns * m_queuePairs * (1058 + 24) * 8 / 100));
        Simulator::Run();
        uint64_t least = UINT64_MAX;
        uint64_t most = 0;
        for (uint32_t i = 0; i < m_queuePairs; ++i)
        {
            uint64_t bytes = Host(0).GetQueuePair(i).sndNxtByte;
            least = std::min(least, bytes);
            most = std::max(most, bytes);
        }
        NS_TEST_ASSERT_MSG_GT_OR_EQ(least, (turns - 1) * MTU, "the port is busy");
        NS_TEST_ASSERT_MSG_LT_OR_EQ(most - least, MTU, "within one packet");
        NS_TEST_ASSERT_MSG_LT(static_cast<double>(most - least),
                              0.02 * static_cast<double>(most),
                              "within 2 %");
    }

    uint32_t m_queuePairs; ///< how many
};

class IdealFctTestCase : public RdmaTestCase
{
  public:
    IdealFctTestCase(const std::string& name,
                     HpccTopology topology,
                     uint32_t source,
                     uint32_t destination,
                     uint64_t bytes,
                     bool overhead)
        : RdmaTestCase(std::to_string(bytes) + " bytes alone in " + name + ", Ethernet overhead " +
                       (overhead ? "on" : "off") +
                       ", take the ideal time of GetIdealFctNs within 1 ns per hop"),
          m_topology(std::move(topology)),
          m_source(source),
          m_destination(destination),
          m_bytes(bytes),
          m_overhead(overhead)
    {
    }

  private:
    void DoRun() override
    {
        Fabric().SetDeviceAttribute("EthernetOverhead", BooleanValue(m_overhead));
        Install(m_topology);
        Post(m_source,
             Connect(m_source, m_destination, CreateObject<RdmaNoCongestionControl>()),
             m_bytes);
        Simulator::Run();
        auto hops = static_cast<int64_t>(Fabric().GetPath(m_source, m_destination).hops);
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, "messages");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_ASSERT_MSG_EQ_TOL(m_acknowledged[0].completedNs,
                                  Fabric().GetIdealFctNs(m_source, m_destination, m_bytes),
                                  2 * hops,
                                  "there and back");
    }

    HpccTopology m_topology; ///< the network
    uint32_t m_source;       ///< host
    uint32_t m_destination;  ///< host
    uint64_t m_bytes;        ///< payload
    bool m_overhead;         ///< EthernetOverhead
};

class HpccRdmaTestSuite : public TestSuite
{
  public:
    HpccRdmaTestSuite();
};

HpccRdmaTestSuite::HpccRdmaTestSuite()
    : TestSuite("hpcc-rdma", Type::UNIT)
{
    using Messages = std::vector<std::pair<RdmaVerb, uint64_t>>;
    for (auto [verb, name] :
         {std::pair(RdmaVerb::WRITE, "WRITE"), std::pair(RdmaVerb::SEND, "SEND")})
    {
        Messages all;
        for (uint64_t bytes : {1U, MTU - 1, MTU, MTU + 1, 10 * MTU + 7})
        {
            AddTestCase(new MessagesTestCase("a " + std::string(name) + " of " +
                                                 std::to_string(bytes) + " bytes",
                                             {{verb, bytes}}));
            all.emplace_back(verb, bytes);
        }
        AddTestCase(new MessagesTestCase("five " + std::string(name) + "s on one queue pair", all));
    }
    AddTestCase(new MessagesTestCase("WRITEs and SENDs in turn on one queue pair",
                                     {{RdmaVerb::WRITE, 1},
                                      {RdmaVerb::SEND, 2 * MTU},
                                      {RdmaVerb::WRITE, 3 * MTU + 1},
                                      {RdmaVerb::SEND, 5},
                                      {RdmaVerb::SEND, MTU}}));
    AddTestCase(new UnwrapTestCase);
    AddTestCase(new WrapTestCase(false));
    AddTestCase(new WrapTestCase(true));

    AddTestCase(new AckIntervalTestCase("AckInterval 1: every packet has its ACK", 1, 0, 80, 80));
    AddTestCase(new AckIntervalTestCase("AckInterval 8: an ACK every 8 packets", 8, 0, 80, 10));
    AddTestCase(new AckIntervalTestCase(
        "AckInterval 8: the last packet of a message does not wait for others",
        8,
        0,
        81,
        11));
    // 1,082 bytes at 1 Gb/s are a packet every 8.7 us: an ACK waits 10 us and covers 2 packets.
    AddTestCase(new AckIntervalTestCase("AckInterval 1000: slow packets are acknowledged by delay",
                                        1000,
                                        1e9,
                                        80,
                                        40));
    for (double packets : {0.3, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 7.9, 8.0, 9.0})
    {
        AddTestCase(new SmallWindowTestCase(packets));
    }
    AddTestCase(new ShrinkingWindowTestCase);

    // Windows of 5 packets. Lost packets and ACKs are numbered by arrival, retransmissions too.
    AddTestCase(new LossTestCase("one lost packet: a NAK, and the window is sent again",
                                 {10},
                                 {},
                                 {1, 0, 5, 0}));
    AddTestCase(new LossTestCase("one lost packet and the first retransmission of it: the time-out "
                                 "helps, since a NAK is not repeated so soon",
                                 {10, 15},
                                 {},
                                 {1, 1, 10, 0}));
    AddTestCase(
        new LossTestCase("the last packet is lost: the time-out helps", {99}, {}, {0, 1, 1, 0}));
    AddTestCase(new LossTestCase("the last ACK is lost: the time-out helps, the duplicate is "
                                 "acknowledged and not delivered again",
                                 {},
                                 {99},
                                 {0, 1, 1, 1}));
    AddTestCase(new LossTestCase("the last two packets' ACKs are lost: both duplicates are "
                                 "acknowledged",
                                 {},
                                 {98, 99},
                                 {0, 1, 2, 2}));
    AddTestCase(new LossTestCase("a lost ACK in the middle is covered by the next",
                                 {},
                                 {50},
                                 {0, 0, 0, 0}));
    AddTestCase(new LossTestCase("the first packet is lost", {0}, {}, {1, 0, 5, 0}));
    for (double rate : {1e-3, 1e-2, 5e-2})
    {
        AddTestCase(new RandomLossTestCase(rate));
    }
    AddTestCase(new NoIdleAfterNakTestCase);

    AddTestCase(new CnpTestCase(50000, 0));
    AddTestCase(new CnpTestCase(50000, 20000));
    AddTestCase(new CnpTestCase(0, 10000));
    AddTestCase(new EchoTestCase(false, 1));
    AddTestCase(new EchoTestCase(true, 1));
    AddTestCase(new EchoTestCase(true, 8));
    AddTestCase(new UnknownQueuePairTestCase);

    for (double gbps : {0.01, 0.333, 1.0, 7.0, 33.3, 99.9, 100.0})
    {
        for (double packets : {0.4, 1.0, 3.5, 20.0, 100.0})
        {
            AddTestCase(new WindowAndRateTestCase(packets, gbps));
        }
        AddTestCase(new WindowAndRateTestCase(OPEN, gbps));
    }
    // The first of two packets has 1,058 bytes, 1,082 on the link.
    AddTestCase(new RateChangeTestCase("doubles", 10e6, 100000, 20e6, 1082 * 8 * 50));
    AddTestCase(new RateChangeTestCase("makes it due", 10e6, 100000, 10e9, 100000));
    AddTestCase(new RateChangeTestCase("falls", 100e6, 50000, 10e6, 1082 * 8 * 100));
    AddTestCase(new WholeNanosecondPaceTestCase);
    AddTestCase(new RoundRobinTestCase(3));
    AddTestCase(new RoundRobinTestCase(500));

    auto g = [](const std::string& rate) { return DataRate(rate); };
    HpccTopology link;
    link.AddNode(false);
    link.AddNode(false);
    link.AddLink({0, 1, g("100Gbps"), MicroSeconds(1)});
    for (uint64_t bytes : {1U, 999U, 1000U, 1001U, 1999U, 2000U, 10007U, 1000000U, 1000001U})
    {
        for (bool overhead : {true, false})
        {
            AddTestCase(new IdealFctTestCase("a link of 100G", link, 0, 1, bytes, overhead));
            AddTestCase(new IdealFctTestCase(
                "a star of 25G",
                HpccTopology::Star(3, {g("25Gbps"), g("25Gbps"), NanoSeconds(1160)}),
                2,
                0,
                bytes,
                overhead));
            AddTestCase(new IdealFctTestCase(
                "a dumbbell of 100 and 400G",
                HpccTopology::Dumbbell(2, 2, {g("100Gbps"), g("400Gbps"), MicroSeconds(1)}),
                0,
                3,
                bytes,
                overhead));
            AddTestCase(new IdealFctTestCase(
                "a dumbbell of 100 and 10G",
                HpccTopology::Dumbbell(2, 2, {g("100Gbps"), g("10Gbps"), MicroSeconds(1)}),
                0,
                3,
                bytes,
                overhead));
            AddTestCase(new IdealFctTestCase(
                "a fat-tree of k = 4, 6 hops",
                HpccTopology::FatTree(4, {g("100Gbps"), g("400Gbps"), NanoSeconds(500)}),
                0,
                15,
                bytes,
                overhead));
        }
    }
}

HpccRdmaTestSuite g_hpccRdmaTestSuite; ///< the suite

} // namespace
