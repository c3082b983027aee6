/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-network.h"
#include "hpcc-test-tcp.h"
#include "hpcc-test-udp.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/hpcc-idle-path-forger.h"
#include "ns3/object-map.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-socket-base.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

// Tests forged, replayed and dishonest feedback of TCP and UDP, and the flow counts of receivers.

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint8_t ANSWER_DSCP = 22;
constexpr uint32_t RETURNED_MASK = 0xffff;

/// Attacks on feedback on the reverse path.
enum class Attack
{
    NONE,
    ALTER,  ///< changes each feedback message
    REPLAY, ///< replaces each later feedback message by the first one
};

/// A port agent that attacks feedback at the switch port to the sender of the data.
class Meddler : public PortAgent
{
  public:
    Attack attack{Attack::NONE}; ///< the attack
    uint32_t port{0};            ///< number of the port
    uint64_t changed{0};         ///< number of messages that the attacker has changed

    void OnDequeue(QbbNetDevice& device, Frame& frame, int64_t) override
    {
        if (attack == Attack::NONE || device.GetPortIndex() != port ||
            frame.kind != Frame::Kind::IP)
        {
            return;
        }
        if (frame.tos >> 2 == ANSWER_DSCP)
        {
            MeddleWithAnswer(frame);
        }
        else if (frame.format && frame.format->GetSwitchAgent() == "max-load" &&
                 (frame.telemetry.words[1] & RETURNED_MASK) > 1)
        {
            MeddleWithOption(frame);
        }
    }

  private:
    void MeddleWithAnswer(Frame& frame)
    {
        if (attack == Attack::ALTER)
        {
            std::vector<uint8_t> bytes(frame.packet->GetSize());
            frame.packet->CopyData(bytes.data(), bytes.size());
            bytes.back() ^= 1;
            frame.packet = Create<Packet>(bytes.data(), bytes.size());
        }
        else if (!m_first)
        {
            m_first = frame.packet->Copy();
            return;
        }
        else
        {
            frame.packet = m_first->Copy();
        }
        ++changed;
    }

    void MeddleWithOption(Frame& frame)
    {
        auto& words = frame.telemetry.words;
        if (attack == Attack::ALTER)
        {
            words[1] ^= 1;
        }
        else if (m_words.empty())
        {
            m_words.assign(words.begin(), words.begin() + 6);
            return;
        }
        else
        {
            std::copy(m_words.begin(), m_words.end(), words.begin());
        }
        ++changed;
    }

    Ptr<Packet> m_first;           ///< the first answer to a probe
    std::vector<uint32_t> m_words; ///< words of the first option
};

/// Tests a TCP flow from host 0 to host 1, with an attacker on the reverse path.
class TcpIntegrityTestCase : public TcpTestCase
{
  public:
    TcpIntegrityTestCase(const std::string& feedback, const std::string& sentence)
        : TcpTestCase("TCP, " + feedback + ": " + sentence),
          m_feedback(feedback)
    {
    }

  protected:
    static constexpr uint64_t BYTES = 1000000;

    /// Size of a flow, bytes. At 100 Gb/s, the flow takes longer than the time-outs of 8 unanswered
    /// probes, which are 188 T.
    static constexpr uint64_t MANY_BYTES = 12000000;

    HpccTcpNic::Counters Run(const std::string& key, Attack attack, uint64_t bytes = BYTES)
    {
        m_tcp = HpccTcpHelper();
        m_fabric = HpccFabricHelper();
        m_internet = HpccInternetHelper();
        m_fallen.clear();
        m_received.clear();
        m_meddler = Meddler();
        m_meddler.attack = attack;
        m_tcp.SetNicAttribute("Feedback", StringValue(m_feedback));
        m_tcp.SetNicAttribute("FeedbackKey", StringValue(key));
        Make(HpccTopology::Star(2, {}));
        if (m_border)
        {
            m_fabric.AddTelemetryBorder(2, 1);
        }
        m_fabric.GetSwitch(2)->AddAgent(&m_meddler);
        NoteFallBacks(0);
        AddBulk(0, 1, bytes, 5000);
        Simulator::Stop(MilliSeconds(20));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_received.at(0), bytes, "payload");
        const HpccTcpNic::Counters counters = NicOf(0)->GetCounters();
        TcpTestCase::DoTeardown();
        return counters;
    }

    Meddler m_meddler;      ///< attacker on the reverse path
    std::string m_feedback; ///< ns3::HpccTcpNic::Feedback
    bool m_border{false};   ///< true if the receiver is beyond a domain edge
};

class TcpKeyTestCase : public TcpIntegrityTestCase
{
  public:
    TcpKeyTestCase(const std::string& feedback, bool border)
        : TcpIntegrityTestCase(feedback,
                               std::string("feedback with an authenticator is believed, all of "
                                           "it") +
                                   (border ? ", behind a border" : ""))
    {
        m_border = border;
    }

  private:
    void DoRun() override
    {
        const auto plain = Run("", Attack::NONE);
        const auto keyed = Run("secret", Attack::NONE);
        NS_TEST_EXPECT_MSG_EQ(keyed.forged + keyed.replayed, 0, "rejected");
        NS_TEST_EXPECT_MSG_EQ(m_fallen.size(), 0, "fall-backs");
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(keyed.answersReceived),
                                  static_cast<double>(plain.answersReceived),
                                  0.2 * static_cast<double>(plain.answersReceived),
                                  "answers");
        NS_TEST_EXPECT_MSG_GT(keyed.answersReceived, 10, "answers");
    }
};

class TcpAlterTestCase : public TcpIntegrityTestCase
{
  public:
    TcpAlterTestCase(const std::string& feedback, bool border)
        : TcpIntegrityTestCase(
              feedback,
              std::string("changed feedback is believed without a key; with one it is counted "
                          "and ignored, so that a connection without any falls back") +
                  (border ? ", behind a border" : ""))
    {
        m_border = border;
    }

  private:
    void DoRun() override
    {
        const bool probes = m_feedback == "Probe";
        const auto open = Run("", Attack::ALTER);
        NS_TEST_EXPECT_MSG_GT(open.answersReceived, 10, "believed");
        NS_TEST_EXPECT_MSG_EQ(open.forged, 0, "nobody looks");
        const auto keyed = Run("secret", Attack::ALTER, probes ? MANY_BYTES : BYTES);
        NS_TEST_EXPECT_MSG_GT(m_meddler.changed, 0, "changed");
        NS_TEST_EXPECT_MSG_EQ(keyed.forged, m_meddler.changed, "each is noticed");
        NS_TEST_EXPECT_MSG_EQ(keyed.answersReceived, 0, "none is believed");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(m_fallen.size(), probes, "fall-backs");
    }
};

class TcpReplayTestCase : public TcpIntegrityTestCase
{
  public:
    explicit TcpReplayTestCase(const std::string& feedback)
        : TcpIntegrityTestCase(
              feedback,
              "replayed feedback is believed without a key; with one it is counted "
              "and ignored")
    {
    }

  private:
    void DoRun() override
    {
        const auto open = Run("", Attack::REPLAY);
        NS_TEST_EXPECT_MSG_GT(open.answersReceived, 10, "believed");
        const auto keyed = Run("secret", Attack::REPLAY);
        NS_TEST_EXPECT_MSG_GT(m_meddler.changed, 0, "replayed");
        NS_TEST_EXPECT_MSG_EQ(keyed.replayed, m_meddler.changed, "each is noticed");
        NS_TEST_EXPECT_MSG_EQ(keyed.forged, 0, "as such");
        NS_TEST_EXPECT_MSG_EQ(keyed.answersReceived, 1, "the true one is believed");
    }
};

class UdpIntegrityTestCase : public UdpTestCase
{
  public:
    UdpIntegrityTestCase()
        : UdpTestCase("UDP: answers with an authenticator are believed; changed or replayed ones "
                      "are with a key ignored")
    {
    }

  private:
    HpccUdpNic::Counters Run(const std::string& key, Attack attack)
    {
        UdpNetwork net;
        net.udp.SetNicAttribute("FeedbackKey", StringValue(key));
        net.Make(HpccTopology::Star(2, {}));
        m_meddler = Meddler();
        m_meddler.attack = attack;
        net.fabric.GetSwitch(2)->AddAgent(&m_meddler);
        auto sender = net.Add(0, 1, 1000000);
        Simulator::Stop(MilliSeconds(3));
        Simulator::Run();
        m_finished = sender->HasFinished();
        m_fallenBack = sender->HasFallenBack();
        const HpccUdpNic::Counters counters = net.NicOf(0)->GetCounters();
        UdpTestCase::DoTeardown();
        return counters;
    }

    void DoRun() override
    {
        const auto plain = Run("", Attack::NONE);
        const auto keyed = Run("secret", Attack::NONE);
        NS_TEST_EXPECT_MSG_EQ(keyed.forged + keyed.ignored, 0, "ignored");
        NS_TEST_EXPECT_MSG_EQ(m_finished, true, "ends");
        NS_TEST_EXPECT_MSG_GT(keyed.answersReceived, 10, "answers");
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(keyed.answersReceived),
                                  static_cast<double>(plain.answersReceived),
                                  0.2 * static_cast<double>(plain.answersReceived),
                                  "answers");
        const auto open = Run("", Attack::ALTER);
        NS_TEST_EXPECT_MSG_GT(open.answersReceived, 10, "believed without a key");
        const auto altered = Run("secret", Attack::ALTER);
        NS_TEST_EXPECT_MSG_EQ(altered.answersReceived, 0, "none is believed");
        NS_TEST_EXPECT_MSG_GT(altered.forged, 3, "noticed");
        NS_TEST_EXPECT_MSG_EQ(altered.forged, m_meddler.changed, "each is noticed");
        NS_TEST_EXPECT_MSG_EQ(m_fallenBack, true, "falls back");
        const auto replayed = Run("secret", Attack::REPLAY);
        NS_TEST_EXPECT_MSG_EQ(replayed.answersReceived, 1, "the true one is believed");
        NS_TEST_EXPECT_MSG_EQ(replayed.ignored, m_meddler.changed, "the others are not");
    }

    Meddler m_meddler;        ///< attacker on the reverse path
    bool m_finished{false};   ///< true if the flow has finished
    bool m_fallenBack{false}; ///< true if the flow has fallen back to another congestion control
};

/// A port agent that makes the telemetry of packets to a host report an idle path.
class Liar : public PortAgent
{
  public:
    uint32_t port{0};    ///< number of the port
    int64_t fromNs{0};   ///< time of the first false report, ns
    uint64_t changed{0}; ///< number of packets that the agent has changed

    void OnDequeue(QbbNetDevice& device, Frame& frame, int64_t nowNs) override
    {
        if (device.GetPortIndex() == port && nowNs >= fromNs && frame.kind == Frame::Kind::IP &&
            frame.format && frame.telemetry.hops > 0)
        {
            m_forgers[frame.source].Forge(*frame.format, frame.telemetry);
            ++changed;
        }
    }

  private:
    std::map<uint32_t, IdlePathForger> m_forgers; ///< forgers by sender
};

class UdpLieTestCase : public UdpTestCase
{
  public:
    explicit UdpLieTestCase(bool border)
        : UdpTestCase(std::string("UDP: a receiver that reports idle paths is doubted, an honest "
                                  "one is not") +
                      (border ? ", behind a border" : "")),
          m_border(border)
    {
    }

  private:
    static constexpr uint32_t SENDERS = 4;

    /// @return number of times that a sender began to doubt the reports
    uint64_t Run(bool lies, bool check)
    {
        UdpNetwork net;
        net.udp.SetAttribute("CheckFeedback", BooleanValue(check));
        net.Make(HpccTopology::Star(SENDERS + 1, {}));
        if (m_border)
        {
            net.fabric.AddTelemetryBorder(SENDERS + 1, SENDERS);
        }
        Liar liar;
        liar.port = SENDERS;
        liar.fromNs = lies ? 100000 : std::numeric_limits<int64_t>::max();
        net.fabric.GetSwitch(SENDERS + 1)->AddAgent(&liar);
        m_doubts = 0;
        for (uint32_t host = 0; host < SENDERS; ++host)
        {
            net.Add(host, SENDERS, 1000000)
                ->TraceConnectWithoutContext("Doubt", MakeCallback(&UdpLieTestCase::Doubt, this));
        }
        Simulator::Stop(MilliSeconds(2));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((liar.changed > 0), lies, "lies");
        UdpTestCase::DoTeardown();
        return m_doubts;
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Run(false, true), 0, "an honest one");
        NS_TEST_EXPECT_MSG_GT(Run(true, true), 0, "a liar");
        NS_TEST_EXPECT_MSG_EQ(Run(true, false), 0, "nobody looks");
    }

    void Doubt(bool doubted, int64_t)
    {
        m_doubts += doubted;
    }

    bool m_border;        ///< true if the receiver is beyond a domain edge
    uint64_t m_doubts{0}; ///< times that a sender began to doubt
};

/// Returns the congestion controls of the TCP sockets of @p node.
std::vector<Ptr<TcpHpccPlusPlus>>
ControlsOf(Ptr<Node> node)
{
    std::vector<Ptr<TcpHpccPlusPlus>> controls;
    ObjectMapValue sockets;
    node->GetObject<TcpL4Protocol>()->GetAttribute("SocketList", sockets);
    for (auto it = sockets.Begin(); it != sockets.End(); ++it)
    {
        PointerValue control;
        it->second->GetAttribute("CongestionOps", control);
        if (auto own = DynamicCast<TcpHpccPlusPlus>(control.GetObject()))
        {
            controls.push_back(own);
        }
    }
    return controls;
}

class TcpLieTestCase : public TcpTestCase
{
  public:
    TcpLieTestCase(const std::string& feedback, bool border)
        : TcpTestCase("TCP, " + feedback +
                      ": a receiver that reports idle paths is doubted, an honest one is not" +
                      (border ? ", behind a border" : "")),
          m_feedback(feedback),
          m_border(border)
    {
    }

  private:
    static constexpr uint32_t SENDERS = 4;

    /// @return times that a sender began to doubt
    uint64_t Run(bool lies)
    {
        m_tcp = HpccTcpHelper();
        m_fabric = HpccFabricHelper();
        m_internet = HpccInternetHelper();
        m_doubts = 0;
        Config::SetDefault("ns3::TcpHpccPlusPlus::CheckFeedback", BooleanValue(true));
        m_tcp.SetNicAttribute("Feedback", StringValue(m_feedback));
        Make(HpccTopology::Star(SENDERS + 1, {}));
        if (m_border)
        {
            m_fabric.AddTelemetryBorder(SENDERS + 1, SENDERS);
        }
        Liar liar;
        liar.port = SENDERS;
        liar.fromNs = lies ? 150000 : std::numeric_limits<int64_t>::max();
        m_fabric.GetSwitch(SENDERS + 1)->AddAgent(&liar);
        AddIncast(SENDERS, 2000000, false);
        Simulator::Schedule(MicroSeconds(100), [this] {
            for (uint32_t host = 0; host < SENDERS; ++host)
            {
                for (const auto& control : ControlsOf(m_fabric.GetNodes().Get(host)))
                {
                    control->TraceConnectWithoutContext("Doubt",
                                                        MakeCallback(&TcpLieTestCase::Doubt, this));
                }
            }
        });
        Simulator::Stop(MilliSeconds(2));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((liar.changed > 0), lies, "lies");
        TcpTestCase::DoTeardown();
        return m_doubts;
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Run(false), 0, "an honest one");
        NS_TEST_EXPECT_MSG_GT(Run(true), 0, "a liar");
    }

    void Doubt(bool doubted, int64_t)
    {
        m_doubts += doubted;
    }

    std::string m_feedback; ///< ns3::HpccTcpNic::Feedback
    bool m_border;          ///< true if the receiver is beyond a domain edge
    uint64_t m_doubts{0};   ///< times that a sender began to doubt
};

/// W_ai with 4 counted flows, divided by W_ai with the configured N of 100. CountedShare/4, which
/// is 0.05, replaces 1/N, which is 0.01 (HpccLaw::UpdateWai(); draft-miao-tsv-hpcc-01, section
/// 6.3.2).
constexpr double COUNTED_RATIO = 5;

class TcpCountTestCase : public TcpTestCase
{
  public:
    explicit TcpCountTestCase(const std::string& feedback)
        : TcpTestCase(
              "TCP, " + feedback +
              ": the receiver counts the flows of its link, and the senders use the number"),
          m_feedback(feedback)
    {
    }

  private:
    static constexpr uint32_t SENDERS = 4;

    /// @return W_ai of host 0 at 600 us, bytes
    double Run(bool counts)
    {
        m_tcp = HpccTcpHelper();
        m_fabric = HpccFabricHelper();
        m_internet = HpccInternetHelper();
        m_tcp.SetNicAttribute("Feedback", StringValue(m_feedback));
        m_tcp.SetNicAttribute("CountFlows", BooleanValue(counts));
        Make(HpccTopology::Star(SENDERS + 1, {}));
        AddIncast(SENDERS, 4000000, false);
        double wai = 0;
        Simulator::Schedule(MicroSeconds(600), [this, &wai] {
            for (const auto& control : ControlsOf(m_fabric.GetNodes().Get(0)))
            {
                wai = std::max(wai, control->GetFlow().waiBytes);
            }
        });
        Simulator::Stop(MicroSeconds(700));
        Simulator::Run();
        TcpTestCase::DoTeardown();
        return wai;
    }

    void DoRun() override
    {
        const double without = Run(false);
        NS_TEST_EXPECT_MSG_GT(without, 0, "W_ai");
        NS_TEST_EXPECT_MSG_EQ_TOL(Run(true) / without, COUNTED_RATIO, 0.01, "W_ai with N counted");
    }

    std::string m_feedback; ///< ns3::HpccTcpNic::Feedback
};

class UdpCountTestCase : public UdpTestCase
{
  public:
    UdpCountTestCase()
        : UdpTestCase("UDP: the receiver counts the flows of its link, and the senders use the "
                      "number")
    {
    }

  private:
    static constexpr uint32_t SENDERS = 4;

    /// @return W_ai of host 0 at 600 us, bytes
    double Run(bool counts)
    {
        UdpNetwork net;
        net.udp.SetNicAttribute("CountFlows", BooleanValue(counts));
        net.Make(HpccTopology::Star(SENDERS + 1, {}));
        for (uint32_t host = 0; host < SENDERS; ++host)
        {
            net.Add(host, SENDERS, 4000000);
        }
        Simulator::Stop(MicroSeconds(600));
        Simulator::Run();
        const double wai = net.senders[0]->GetFlow().waiBytes;
        UdpTestCase::DoTeardown();
        return wai;
    }

    void DoRun() override
    {
        const double without = Run(false);
        NS_TEST_EXPECT_MSG_GT(without, 0, "W_ai");
        NS_TEST_EXPECT_MSG_EQ_TOL(Run(true) / without, COUNTED_RATIO, 0.01, "W_ai with N counted");
    }
};

class CountRefusedTestCase : public TcpTestCase
{
  public:
    CountRefusedTestCase()
        : TcpTestCase("flows are not counted for a format that does not tell the last hop from "
                      "others: refused, with both names")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* feedback : {"Compact", "CompactReceiver"})
        {
            HpccTcpHelper tcp;
            tcp.SetNicAttribute("Feedback", StringValue(feedback));
            ExpectRefused(tcp, "ns3::MaxLoadFormat");
        }
        HpccTcpHelper tcp;
        tcp.SetTelemetry("csig");
        ExpectRefused(tcp, "Csig");
    }

    void ExpectRefused(HpccTcpHelper& tcp, const std::string& format)
    {
        HpccFabricHelper fabric;
        HpccInternetHelper internet;
        tcp.SetNicAttribute("CountFlows", BooleanValue(true));
        fabric.Install(HpccTopology::Star(2, {}));
        internet.Install(fabric);
        std::string line;
        try
        {
            tcp.Install(fabric);
        }
        catch (const HpccInputError& error)
        {
            line = error.what();
        }
        NS_TEST_EXPECT_MSG_NE(line.find("ns3::HpccTcpNic::CountFlows is true"),
                              std::string::npos,
                              line);
        NS_TEST_EXPECT_MSG_NE(line.find(format), std::string::npos, line);
        TcpTestCase::DoTeardown();
    }
};

class HpccIpIntegrityTestSuite : public TestSuite
{
  public:
    HpccIpIntegrityTestSuite()
        : TestSuite("hpcc-ip-integrity", Type::SYSTEM)
    {
        for (const char* feedback : {"Probe", "InBand", "Compact", "CompactReceiver"})
        {
            AddTestCase(new TcpKeyTestCase(feedback, false));
            AddTestCase(new TcpAlterTestCase(feedback, false));
        }
        // Feedback by probes is not tested here, because an old answer never matches a probe, with
        // or without a key.
        for (const char* feedback : {"InBand", "Compact", "CompactReceiver"})
        {
            AddTestCase(new TcpReplayTestCase(feedback));
        }
        AddTestCase(new UdpIntegrityTestCase);
        AddTestCase(new UdpLieTestCase(false));
        AddTestCase(new UdpLieTestCase(true));
        for (const char* feedback : {"Probe", "InBand"})
        {
            AddTestCase(new TcpKeyTestCase(feedback, true));
            AddTestCase(new TcpAlterTestCase(feedback, true));
            AddTestCase(new TcpLieTestCase(feedback, false));
            AddTestCase(new TcpLieTestCase(feedback, true));
            AddTestCase(new TcpCountTestCase(feedback));
        }
        AddTestCase(new UdpCountTestCase);
        AddTestCase(new CountRefusedTestCase);
    }
};

HpccIpIntegrityTestSuite g_hpccIpIntegrityTestSuite; ///< the suite

} // namespace
