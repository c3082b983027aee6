/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests loss recovery in complete networks: go-back-n, go-back-0 and irn, with and without PFC.

#include "hpcc-test-losses.h"
#include "hpcc-test-recovery.h"

#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint32_t MTU = 1000;       ///< default payload per packet of RdmaHost, bytes
constexpr uint64_t WRAP = 0x1000000; ///< number of packets after which the packet number on the
                                     ///< wire is 0 again

class LastPacketTestCase : public RecoveryTestCase
{
  public:
    LastPacketTestCase(uint64_t packets, Time timeout)
        : RecoveryTestCase("irn: the last of " + std::to_string(packets) +
                           " packets, lost with nothing behind it, costs RtoLow"),
          m_packets(packets),
          m_timeout(timeout)
    {
    }

  private:
    void DoRun() override
    {
        SetIrn("RtoLow", TimeValue(m_timeout));
        Use("irn");
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        uint32_t qp = Connect(0, 1, CreateObject<FixedPolicy>());
        Post(0, qp, m_packets * MTU);
        Lose(1, {static_cast<uint32_t>(m_packets) - 1});
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, "messages");
        if (IsStatusFailure())
        {
            return;
        }
        // The timer starts with the last acknowledgement. For a single packet, it starts when this
        // packet is sent. The message completes one round trip after the time-out.
        int64_t beforeNs = m_packets > 1 ? static_cast<int64_t>(m_packets) * 86 + 2100 : 0;
        NS_TEST_ASSERT_MSG_EQ_TOL(m_acknowledged[0].completedNs,
                                  beforeNs + m_timeout.GetNanoSeconds() + 2100,
                                  300,
                                  "one short time-out and one round trip");
        NS_TEST_ASSERT_MSG_EQ(Host(0).GetTimeouts(), 1, "time-outs");
        NS_TEST_ASSERT_MSG_EQ(Host(0).GetQueuePair(qp).retransmissions, 1, "sent again");
        NS_TEST_ASSERT_MSG_EQ(AllFramesFree(), true, "frames");
    }

    uint64_t m_packets; ///< number of packets of the message
    Time m_timeout;     ///< RtoLow
};

class LongTimeoutTestCase : public RecoveryTestCase
{
  public:
    LongTimeoutTestCase()
        : RecoveryTestCase("irn: with more than FewPackets in flight the time-out is RtoHigh, even "
                           "if it began with fewer")
    {
    }

  private:
    void DoRun() override
    {
        Use("irn");
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        Post(0, Connect(0, 1, CreateObject<FixedPolicy>()), 4 * MTU);
        Lose(1, {0, 1, 2, 3});
        int64_t againNs = 0;
        uint64_t sent = 0;
        OnTransmit(Host(0).GetPort(),
                   [&](int64_t nowNs, const Frame&) { againNs = ++sent == 5 ? nowNs : againNs; });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, "messages");
        NS_TEST_ASSERT_MSG_EQ(againNs, 320000, "RtoHigh after the first packet");
    }
};

class SelectiveTestCase : public RecoveryTestCase
{
  public:
    SelectiveTestCase()
        : RecoveryTestCase("irn: only what was lost is sent again, once, and no time-out is needed")
    {
    }

  private:
    void DoRun() override
    {
        Use("irn");
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        policy->needs.rttOfEachAck = true;
        uint64_t newlyAcked = 0;
        int64_t longestRttNs = 0;
        uint64_t samples = 0;
        policy->onAck = [&](RdmaCongestionState&, const RdmaAckInfo& ack) {
            newlyAcked += ack.newlyAckedBytes;
            longestRttNs = std::max(longestRttNs, ack.rttNs);
            samples += ack.rttNs >= 0;
        };
        uint32_t qp = Connect(0, 1, policy);
        Post(0, qp, 200 * MTU - 1);
        const std::list<uint32_t> lost{3, 4, 40, 41, 43, 100};
        Lose(1, lost);
        std::map<uint32_t, uint32_t> times;
        OnTransmit(Host(0).GetPort(), [&](int64_t, const Frame& frame) { ++times[frame.psn]; });
        uint64_t wrong = 0;
        OnTransmit(Host(1).GetPort(), [&](int64_t, const Frame& frame) {
            wrong += frame.IsSelective() && frame.reflection.namedPsn <= frame.psn;
        });
        Simulator::Run();
        const auto& requester = Host(0).GetQueuePair(qp);
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, "messages");
        NS_TEST_ASSERT_MSG_EQ(m_delivered.size(), 1, "messages");
        NS_TEST_ASSERT_MSG_EQ(Host(1).GetQueuePair(0).receivedBytes, 200 * MTU - 1, "bytes");
        NS_TEST_ASSERT_MSG_EQ(requester.retransmissions, lost.size(), "sent again");
        for (auto [psn, sent] : times)
        {
            NS_TEST_ASSERT_MSG_LT_OR_EQ(sent, 2, "packet " << psn);
        }
        NS_TEST_ASSERT_MSG_EQ(Host(1).GetQueuePair(0).duplicates, 0, "duplicates");
        NS_TEST_ASSERT_MSG_EQ(Host(0).GetTimeouts(), 0, "time-outs");
        NS_TEST_ASSERT_MSG_EQ(wrong, 0, "NAKs whose kept packet is not beyond the expected one");
        NS_TEST_ASSERT_MSG_EQ(newlyAcked, 200 * MTU - 1, "the policy hears of each byte once");
        // Packets are sent without gaps. On the link, a packet occupies 1,082 bytes and an ACK 90
        // bytes. The delay is 1 us in each direction.
        NS_TEST_ASSERT_MSG_LT(longestRttNs, 2400, "no sample spans the repair of a gap");
        NS_TEST_ASSERT_MSG_GT_OR_EQ(samples, 200 - lost.size(), "packets sent once have a sample");
        NS_TEST_ASSERT_MSG_EQ(requester.selectiveBytes, 0, "nothing is left over");
        NS_TEST_ASSERT_MSG_EQ(AllFramesFree(), true, "frames");
    }
};

class OneCutPerRoundTestCase : public RecoveryTestCase
{
  public:
    OneCutPerRoundTestCase()
        : RecoveryTestCase("irn: the policy is told of the first loss of a round only")
    {
    }

  private:
    /// A policy that records losses.
    class CountingPolicy : public FixedPolicy
    {
      public:
        std::vector<RdmaLossInfo> losses; ///< losses reported

        void OnLoss(RdmaCongestionState*, const RdmaLossInfo& loss) override
        {
            losses.push_back(loss);
        }
    };

    void DoRun() override
    {
        Use("irn");
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<CountingPolicy>();
        policy->window = 20 * MTU;
        Post(0, Connect(0, 1, policy), 200 * MTU);
        // Lose three packets of a window of 20 packets, and one packet of a later window.
        Lose(1, {40, 42, 44, 120});
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, "messages");
        NS_TEST_ASSERT_MSG_EQ(Host(0).GetTimeouts(), 0, "time-outs");
        NS_TEST_ASSERT_MSG_EQ(policy->losses.size(), 2, "rounds with losses");
        NS_TEST_EXPECT_MSG_EQ(policy->losses[0].lostSeq, 40 * MTU, "the first packet lost");
        NS_TEST_EXPECT_MSG_GT(policy->losses[0].sndNxt, 44 * MTU, "it does not go back");
        for (const RdmaLossInfo& loss : policy->losses)
        {
            NS_TEST_EXPECT_MSG_EQ(+loss.cause, +RdmaLossInfo::NAK, "how it was found");
        }
    }
};

class RepeatedFirstPacketTestCase : public RecoveryTestCase
{
  public:
    RepeatedFirstPacketTestCase()
        : RecoveryTestCase("go-back-0: the repeated first packet begins the message again at the "
                           "responder, which takes all of it anew")
    {
    }

  private:
    void DoRun() override
    {
        Use("go-back-0");
        Fabric().SetHostAttribute("RetransmitTimeout", TimeValue(MicroSeconds(100)));
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        const uint32_t qp = Connect(0, 1, CreateObject<FixedPolicy>());
        Post(0, qp, 10 * MTU);
        Lose(1, {9}); // the last packet: no packet follows it, so only a time-out detects the loss
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_delivered.size(), 1, "messages");
        NS_TEST_ASSERT_MSG_EQ(Host(0).GetTimeouts(), 1, "time-outs");
        NS_TEST_ASSERT_MSG_EQ(Host(0).GetQueuePair(qp).retransmissions, 10, "packets sent again");
        NS_TEST_ASSERT_MSG_EQ(Host(1).GetQueuePair(0).duplicates, 1, "only the first is a repeat");
    }
};

class RepeatedPacketRttTestCase : public RecoveryTestCase
{
  public:
    explicit RepeatedPacketRttTestCase(const std::string& scheme)
        : RecoveryTestCase(scheme + ": a packet that is sent again gives no round-trip time"),
          m_scheme(scheme)
    {
    }

  private:
    void DoRun() override
    {
        Use(m_scheme);
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        policy->window = 5 * MTU;
        int64_t longestRttNs = 0;
        uint64_t samples = 0;
        policy->onAck = [&](RdmaCongestionState&, const RdmaAckInfo& ack) {
            longestRttNs = std::max(longestRttNs, ack.rttNs);
            samples += ack.rttNs >= 0;
        };
        Post(0, Connect(0, 1, policy), 100 * MTU);
        Lose(1, {0}); // the first packet would be the first RTT sample
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, "messages");
        // Scheme sack detects this loss only by a time-out, because it is designed for networks
        // that trim packets.
        NS_TEST_ASSERT_MSG_EQ(Host(0).GetTimeouts(), (m_scheme == "sack" ? 1 : 0), "time-outs");
        NS_TEST_ASSERT_MSG_GT(samples, 5, "round-trip times");
        // A packet of 1,082 bytes on the link and an ACK of 90 bytes, with a delay of 1 us in each
        // direction, take 2,094 ns. With a retransmission, twice as much time passes.
        NS_TEST_ASSERT_MSG_LT(longestRttNs, 2400, "longest round-trip time");
    }

    std::string m_scheme; ///< short name of the scheme
};

class BdpCapTestCase : public RecoveryTestCase
{
  public:
    explicit BdpCapTestCase(uint64_t cap)
        : RecoveryTestCase("irn: without a policy's window at most " +
                           (cap ? std::to_string(cap) : std::string("a BDP of")) +
                           " packets are in flight, and the last before the limit asks for an ACK"),
          m_cap(cap)
    {
    }

  private:
    void DoRun() override
    {
        SetIrn("BdpCap", UintegerValue(m_cap));
        Use("irn");
        Fabric().SetHostAttribute("AckInterval", UintegerValue(1000));
        Install(Star(2, "100Gbps", MicroSeconds(5)));
        uint32_t qp = Connect(0, 1, CreateObject<FixedPolicy>());
        // A rate of 100 Gb/s is 12.5 bytes per ns.
        uint64_t bdp = (Fabric().GetNetworkBaseRttNs() * 125 + 10 * MTU - 1) / (10 * MTU);
        const uint64_t cap = m_cap ? m_cap : bdp;
        Post(0, qp, 2000 * MTU);
        uint64_t most = 0;
        OnTransmit(Host(0).GetPort(), [&](int64_t, const Frame&) {
            most = std::max(most, Host(0).GetQueuePair(qp).PacketsInFlight());
        });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, "messages");
        NS_TEST_ASSERT_MSG_EQ(most, cap, "most packets in flight");
        NS_TEST_ASSERT_MSG_EQ(Host(0).GetTimeouts(), 0, "nothing waited for a time-out");
    }

    uint64_t m_cap; ///< BdpCap
};

class WrapTestCase : public RecoveryTestCase
{
  public:
    explicit WrapTestCase(const std::string& scheme)
        : RecoveryTestCase(scheme + ": losses on both sides of packet 2^24 are repaired"),
          m_scheme(scheme)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t start = 3 * WRAP - 50;
        Use(m_scheme);
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto policy = CreateObject<FixedPolicy>();
        policy->window = 20 * MTU;
        uint32_t index = Connect(0, 1, policy);
        auto& qp = const_cast<RdmaQueuePair&>(Host(0).GetQueuePair(index));
        auto& remote = const_cast<RdmaQueuePair&>(Host(1).GetQueuePair(0));
        qp.sndNxtPsn = qp.sndUnaPsn = qp.sndMaxPsn = qp.endPsn = start;
        qp.sndNxtByte = qp.sndUnaByte = qp.endByte = start * MTU;
        remote.expectedPsn = remote.messagePsn = start;
        Lose(1, {45, 49, 50, 51, 60, 105});
        Lose(0, {30, 52, 53, 54, 55});
        uint64_t acrossWrap = 0;
        OnTransmit(Host(1).GetPort(), [&](int64_t, const Frame& frame) {
            acrossWrap += frame.IsSelective() && frame.reflection.namedPsn < frame.psn;
        });
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
        bool selective = m_scheme == "irn";
        NS_TEST_ASSERT_MSG_EQ((acrossWrap > 0),
                              selective,
                              "a NAK names a packet behind the wrap and expects one before");
        NS_TEST_ASSERT_MSG_EQ(AllFramesFree(), true, "frames");
    }

    std::string m_scheme; ///< short name of the scheme
};

/// Tests many messages over a link that randomly loses data packets and acknowledgements. In a
/// round trip of 20 us, 250 packets are sent. There is never a queue, so RtoHigh needs no margin
/// for queueing.
class GoodputTestCase : public RecoveryTestCase
{
  public:
    explicit GoodputTestCase(const std::string& cc)
        : RecoveryTestCase(cc + ": at 1 % random loss irn keeps most of its goodput, go-back-n "
                                "collapses, go-back-0 delivers less still"),
          m_cc(cc)
    {
    }

  private:
    void DoRun() override
    {
        std::map<std::string, double> kept;
        for (const auto& scheme : Schemes())
        {
            kept[scheme] = Kept(scheme, 0);
        }
        double wide = Kept("irn", 750);
        NS_TEST_ASSERT_MSG_GT(kept["irn"], 0.4, "irn, limited to a BDP in flight");
        NS_TEST_ASSERT_MSG_GT(wide, 0.7, "irn with three, which a repair does not exhaust");
        NS_TEST_ASSERT_MSG_LT(kept["go-back-n"], 0.3, "go-back-n");
        NS_TEST_ASSERT_MSG_LT(kept["go-back-0"], 0.7 * kept["go-back-n"], "go-back-0");
    }

    /// @return goodput with losses divided by goodput without losses
    double Kept(const std::string& scheme, uint64_t cap)
    {
        double kept = Goodput(scheme, cap, 0.01) / Goodput(scheme, cap, 0);
        std::cout << "goodput at 1 % loss, 100 Gb/s, RTT 20 us, " << m_cc << ", " << scheme
                  << (cap ? " with a cap of " + std::to_string(cap) : std::string()) << ": "
                  << 100 * kept << " % of that without loss\n";
        return kept;
    }

    /// @return goodput of messages delivered within 4 ms, Gb/s
    double Goodput(const std::string& scheme, uint64_t cap, double loss)
    {
        constexpr uint64_t bytes = 100000;
        RngSeedManager::SetSeed(1);
        RngSeedManager::SetRun(1);
        SetIrn("BdpCap", UintegerValue(cap));
        SetIrn("RtoLow", TimeValue(MicroSeconds(50)));
        SetIrn("RtoHigh", TimeValue(MicroSeconds(50)));
        Use(scheme);
        Install(WithLosses(BackToBack("100Gbps", MicroSeconds(10)), loss));
        uint32_t qp = Fabric().Connect(0, 1, HpccFabricHelper::MakePolicy(m_cc));
        for (uint32_t i = 0; i < 600; ++i)
        {
            Post(0, qp, bytes);
        }
        Simulator::Stop(MilliSeconds(4));
        Simulator::Run();
        double gbps = static_cast<double>(m_delivered.size() * bytes) * 8 / 4e6;
        Again();
        return gbps;
    }

    std::string m_cc; ///< short name of the policy
};

class LivelockTestCase : public RecoveryTestCase
{
  public:
    LivelockTestCase()
        : RecoveryTestCase("4 MB messages with 1 of 256 packets lost: go-back-0 never delivers one "
                           "(Guo et al., section 4.1), go-back-n does")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& scheme : Schemes())
        {
            RngSeedManager::SetSeed(1);
            RngSeedManager::SetRun(1);
            Use(scheme);
            Fabric().SetHostAttribute("NakInterval", TimeValue(MicroSeconds(10)));
            Install(WithLosses(BackToBack("40Gbps", NanoSeconds(100)), 1.0 / 256));
            uint32_t qp = Connect(0, 1, CreateObject<FixedPolicy>());
            for (uint32_t i = 0; i < 100; ++i)
            {
                Post(0, qp, 4000000);
            }
            Simulator::Stop(MilliSeconds(20));
            Simulator::Run();
            uint64_t sent = Host(0).GetPort().GetTxFrames();
            std::cout << "4 MB messages in 20 ms at 40 Gb/s, 1/256 lost, " << scheme << ": "
                      << m_delivered.size() << " delivered, " << sent << " packets sent\n";
            NS_TEST_ASSERT_MSG_GT(sent, 80000, scheme << ": the link is busy all the time");
            if (scheme == "go-back-0")
            {
                NS_TEST_ASSERT_MSG_EQ(m_delivered.size(), 0, "livelock");
            }
            else
            {
                NS_TEST_ASSERT_MSG_GT(m_delivered.size(), 12, scheme << ": most of 23 messages");
            }
            Again();
        }
    }
};

/// Tests that flow control has no effect on an incast without losses and pauses.
class FlowControlTestCase : public RecoveryTestCase
{
  public:
    FlowControlTestCase()
        : RecoveryTestCase("hpcc in an incast without drops or pauses: the completion times under "
                           "PFC, go-back-n and irn coincide (SIGCOMM 2019, figure 12)")
    {
    }

  private:
    void DoRun() override
    {
        auto pfc = Times("go-back-n", true);
        auto goBackN = Times("go-back-n", false);
        auto irn = Times("irn", false);
        NS_TEST_ASSERT_MSG_EQ(pfc.size(), 16, "flows");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_ASSERT_MSG_EQ((pfc == goBackN),
                              true,
                              "go-back-n without PFC is the same to the ns");
        for (size_t i = 0; i < pfc.size(); ++i)
        {
            NS_TEST_ASSERT_MSG_EQ_TOL(irn[i], pfc[i], 0.01 * pfc[i], "flow " << i);
        }
    }

    std::vector<double> Times(const std::string& scheme, bool pfc)
    {
        Use(scheme);
        Fabric().SetDeviceAttribute("PfcEnabled", BooleanValue(pfc));
        Install(Star(17, "100Gbps", MicroSeconds(1)));
        auto spec = HpccFabricHelper::MakePolicy("hpcc");
        for (uint32_t host = 0; host < 16; ++host)
        {
            Fabric().AddMessage(host, Fabric().Connect(host, 16, spec), 500000, Seconds(0));
        }
        Simulator::Stop(MilliSeconds(5));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(GetDrops(), 0, scheme << ": drops");
        NS_TEST_EXPECT_MSG_EQ(GetPauses(), 0, scheme << ": pauses");
        std::map<uint32_t, double> bySource;
        for (const auto& record : m_acknowledged)
        {
            bySource[record.source] = static_cast<double>(record.completedNs);
        }
        std::vector<double> times;
        for (auto [source, ns] : bySource)
        {
            times.push_back(ns);
        }
        Again();
        return times;
    }
};

class LossyTestCase : public RecoveryTestCase
{
  public:
    LossyTestCase()
        : RecoveryTestCase("dcqcn in an incast over lossy switches: all drops are the egress "
                           "limit's, no queue exceeds it, and irn is much sooner done than "
                           "go-back-n")
    {
    }

  private:
    /// Results of a run.
    struct Outcome
    {
        double lastUs;            ///< completion time of the last message
        uint64_t drops;           ///< dropped frames
        uint64_t retransmissions; ///< retransmitted packets
    };

    void DoRun() override
    {
        auto goBackN = Run("go-back-n");
        auto irn = Run("irn");
        for (const auto& [name, o] : {std::pair("go-back-n", goBackN), std::pair("irn", irn)})
        {
            std::cout << "lossy incast of 32 x 200 KB, dcqcn, " << name << ": last FCT " << o.lastUs
                      << " us, " << o.drops << " drops, " << o.retransmissions
                      << " packets sent again\n";
        }
        NS_TEST_ASSERT_MSG_GT(goBackN.drops, 0, "drops");
        NS_TEST_ASSERT_MSG_LT(irn.lastUs, 0.5 * goBackN.lastUs, "last completion");
        NS_TEST_ASSERT_MSG_LT(irn.drops, goBackN.drops, "drops");
    }

    Outcome Run(const std::string& scheme)
    {
        constexpr uint32_t senders = 32;
        constexpr uint64_t bytes = 200000;
        constexpr uint64_t buffer = 2000000;
        Use(scheme);
        Fabric().SetDeviceAttribute("PfcEnabled", BooleanValue(false));
        Fabric().SetBufferAttribute("BufferBytes", UintegerValue(buffer));
        Install(Star(senders + 1, "100Gbps", MicroSeconds(1)));
        auto spec = HpccFabricHelper::MakePolicy("dcqcn");
        for (uint32_t host = 0; host < senders; ++host)
        {
            Fabric().AddMessage(host, Fabric().Connect(host, senders, spec), bytes, Seconds(0));
        }
        uint64_t longest = 0;
        for (const auto& device : Fabric().GetSwitch(senders + 1)->GetPorts())
        {
            OnQueue(*device, [&longest](int64_t, uint64_t portBytes) {
                longest = std::max(longest, portBytes);
            });
        }
        Simulator::Stop(MilliSeconds(200));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), senders, scheme << ": messages");
        NS_TEST_EXPECT_MSG_EQ(m_delivered.size(), senders, scheme << ": messages");
        NS_TEST_EXPECT_MSG_EQ(GetPauses(), 0, scheme << ": pauses");
        NS_TEST_EXPECT_MSG_EQ(GetDropsFor(DropReason::EGRESS_LIMIT), GetDrops(), scheme << ": why");
        // With alpha = 1, a single queue gets half of the shared bytes, plus the reserved bytes of
        // the ports.
        NS_TEST_EXPECT_MSG_LT_OR_EQ(longest, buffer / 2 + 4096 * senders, scheme << ": queue");
        NS_TEST_EXPECT_MSG_EQ(AllFramesFree(), true, scheme << ": frames");
        Outcome outcome{0, GetDrops(), 0};
        for (const auto& record : m_acknowledged)
        {
            outcome.lastUs = std::max(outcome.lastUs, record.completedNs / 1e3);
        }
        for (uint32_t host = 0; host < senders; ++host)
        {
            outcome.retransmissions += Host(host).GetQueuePair(0).retransmissions;
        }
        Again();
        return outcome;
    }
};

class NoPolicyTestCase : public RecoveryTestCase
{
  public:
    NoPolicyTestCase()
        : RecoveryTestCase("PFC without congestion control: an incast at line rate pauses, drops "
                           "nothing and uses the link to the full")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t senders = 8;
        constexpr uint64_t bytes = 2000000;
        Fabric().SetBufferAttribute("BufferBytes", UintegerValue(4 << 20));
        Install(Star(senders + 1, "100Gbps", MicroSeconds(1)));
        auto spec = HpccFabricHelper::MakePolicy("none");
        for (uint32_t host = 0; host < senders; ++host)
        {
            Fabric().AddMessage(host, Fabric().Connect(host, senders, spec), bytes, Seconds(0));
        }
        Simulator::Stop(MilliSeconds(50));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), senders, "messages");
        NS_TEST_ASSERT_MSG_EQ(GetDrops(), 0, "drops");
        NS_TEST_ASSERT_MSG_GT(GetPauses(), 0, "pauses");
        int64_t lastNs = 0;
        for (const auto& record : m_acknowledged)
        {
            lastNs = std::max(lastNs, record.completedNs);
        }
        // A payload of 1,000 bytes occupies 1,082 bytes of the link.
        double busyNs = senders * bytes * 1.082 * 8 / 100;
        NS_TEST_ASSERT_MSG_LT(static_cast<double>(lastNs), busyNs * 1.01 + 10000, "time");
        for (uint32_t host = 0; host < senders; ++host)
        {
            NS_TEST_ASSERT_MSG_EQ(Host(host).GetQueuePair(0).retransmissions, 0, "sent again");
        }
    }
};

class HpccRecoveryTestSuite : public TestSuite
{
  public:
    HpccRecoveryTestSuite()
        : TestSuite("hpcc-recovery", Type::SYSTEM)
    {
        AddTestCase(new LastPacketTestCase(1, MicroSeconds(100)));
        AddTestCase(new LastPacketTestCase(50, MicroSeconds(100)));
        AddTestCase(new LastPacketTestCase(50, MicroSeconds(30)));
        AddTestCase(new LongTimeoutTestCase);
        AddTestCase(new SelectiveTestCase);
        AddTestCase(new OneCutPerRoundTestCase);
        AddTestCase(new RepeatedFirstPacketTestCase);
        AddTestCase(new BdpCapTestCase(0));
        AddTestCase(new BdpCapTestCase(10));
        for (const auto& scheme : Schemes())
        {
            AddTestCase(new WrapTestCase(scheme));
            AddTestCase(new RepeatedPacketRttTestCase(scheme));
        }
        AddTestCase(new GoodputTestCase("none"));
        AddTestCase(new GoodputTestCase("hpcc++"));
        AddTestCase(new LivelockTestCase);
        AddTestCase(new FlowControlTestCase);
        AddTestCase(new LossyTestCase);
        AddTestCase(new NoPolicyTestCase);
    }
};

HpccRecoveryTestSuite g_hpccRecoveryTestSuite; ///< the suite

} // namespace
