/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-losses.h"
#include "hpcc-test-seeds.h"
#include "hpcc-test-udp.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/hpcc-frame.h"
#include "ns3/hpcc-ip-tap.h"
#include "ns3/qbb-ip-port.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint8_t UDP = 17;
constexpr uint8_t PROBE_DSCP = 21;
constexpr uint8_t ANSWER_DSCP = 22;

/// Drops, duplicates, delays and changes packets that arrive at a host, before its NIC processes
/// them.
class Disturber : public IpTap
{
  public:
    /// What happens to a packet.
    enum Fate
    {
        PASSES,
        IS_LOST,
        COMES_TWICE, ///< the second copy arrives later
        COMES_LATER,
        IS_CHANGED, ///< one byte of the UDP payload is changed; changed datagrams are dropped
    };

    using Chooser = std::function<Fate(const Frame&)>; ///< selects the fate of a UDP packet

    /**
     * @param port port of the packets
     * @param random source of delays and bytes
     * @param choose selects the fate of a packet
     */
    Disturber(QbbNetDevice& port, std::mt19937_64& random, Chooser choose)
        : m_port(port),
          m_random(random),
          m_choose(std::move(choose))
    {
        QbbIpPort::Of(port).AddTap(this);
    }

    void Sending(QbbNetDevice&, Frame&) override
    {
    }

    void Sent(QbbNetDevice&) override
    {
    }

    bool Received(QbbNetDevice&, Frame& frame) override
    {
        const bool again = m_again;
        m_again = false;
        if (again || frame.protocol != UDP)
        {
            return false;
        }
        const Fate fate = m_choose(frame);
        const bool marked = frame.tos >> 2 == PROBE_DSCP || frame.tos >> 2 == ANSWER_DSCP;
        switch (fate)
        {
        case PASSES:
            return false;
        case IS_LOST:
            return Lose(frame);
        case IS_CHANGED:
            return marked ? Change(frame) : Lose(frame);
        case COMES_TWICE:
            m_repeated += marked ? 0 : Payload(frame);
            Later(frame);
            return false;
        case COMES_LATER:
            Later(frame);
            return true;
        }
        return false;
    }

    /// @return payload of dropped datagrams, bytes
    uint64_t GetLost() const
    {
        return m_lost;
    }

    /// @return payload of duplicated datagrams, bytes
    uint64_t GetRepeated() const
    {
        return m_repeated;
    }

  private:
    static uint32_t Payload(const Frame& frame)
    {
        return frame.packet->GetSize() - (frame.ipv6 ? 48 : 28);
    }

    bool Lose(const Frame& frame)
    {
        const uint8_t dscp = frame.tos >> 2;
        m_lost += dscp == PROBE_DSCP || dscp == ANSWER_DSCP ? 0 : Payload(frame);
        return true;
    }

    bool Change(Frame& frame)
    {
        std::vector<uint8_t> bytes(frame.packet->GetSize());
        frame.packet->CopyData(bytes.data(), bytes.size());
        const size_t first = bytes.size() - Payload(frame);
        bytes[first + m_random() % Payload(frame)] ^= static_cast<uint8_t>(1 + m_random() % 255);
        frame.packet = Create<Packet>(bytes.data(), bytes.size());
        return false;
    }

    void Later(const Frame& frame)
    {
        Frame* copy = m_port.GetAgenda().Frames().Clone(frame);
        copy->packet = frame.packet->Copy();
        Simulator::Schedule(NanoSeconds(m_random() % 30000), [this, copy] {
            m_again = true;
            QbbIpPort::Of(m_port).Deliver(copy);
        });
    }

    QbbNetDevice& m_port;      ///< the port
    std::mt19937_64& m_random; ///< source of delays and bytes
    Chooser m_choose;          ///< selects the fate
    bool m_again{false};       ///< true if the next packet is a duplicate
    uint64_t m_lost{0};        ///< see GetLost()
    uint64_t m_repeated{0};    ///< see GetRepeated()
};

class LossTestCase : public UdpTestCase
{
  public:
    LossTestCase()
        : UdpTestCase("each datagram lost is counted, and traced")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t bytes = 2000000;
        m_net.Make(WithLosses(HpccTopology::Star(2, FAST), 0.01));
        m_net.fabric.AssignStreams(7);
        auto sender = m_net.Add(0, 1, bytes);
        sender->TraceConnectWithoutContext("Lost", MakeCallback(&LossTestCase::Lost, this));
        sender->TraceConnectWithoutContext("Finished", MakeCallback(&LossTestCase::Finished, this));
        sender->TraceConnectWithoutContext("Tx", MakeCallback(&LossTestCase::Sent, this));
        Simulator::Stop(MilliSeconds(50));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_sent, bytes, "traced as sent");
        NS_TEST_EXPECT_MSG_EQ(m_finished, 1, "times finished");
        const uint64_t arrived = m_net.servers[0]->GetReceived() * 1000;
        NS_TEST_EXPECT_MSG_GT(m_lost, 0, "lost");
        NS_TEST_EXPECT_MSG_EQ(m_lost, bytes - arrived, "lost");
        NS_TEST_EXPECT_MSG_EQ(m_changes, static_cast<int64_t>(m_lost), "sum of the changes");
        NS_TEST_EXPECT_MSG_EQ(sender->GetWindow().GetLost(), m_lost, "as the sender says");
        NS_TEST_EXPECT_MSG_EQ(sender->GetWindow().GetReceived(), arrived, "received");
        NS_TEST_EXPECT_MSG_EQ(sender->HasFallenBack(), false, "fallen back");
    }

    void Sent(Ptr<const Packet> packet)
    {
        m_sent += packet->GetSize();
    }

    void Lost(uint64_t lost, int64_t change, int64_t)
    {
        m_lost = lost;
        m_changes += change;
    }

    void Finished(uint64_t received, uint64_t lost, int64_t)
    {
        ++m_finished;
        NS_TEST_EXPECT_MSG_EQ(received + lost, m_sent, "received and lost");
    }

    uint64_t m_sent{0};     ///< payload sent
    uint64_t m_lost{0};     ///< payload lost
    int64_t m_changes{0};   ///< sum of the changes of m_lost
    uint32_t m_finished{0}; ///< calls of Finished()
};

class QueueLimitTestCase : public UdpTestCase
{
  public:
    QueueLimitTestCase()
        : UdpTestCase("datagrams that the host itself drops are counted as lost, too")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t bytes = 200000;
        // Two flows share one port, whose queue disc can contain four datagrams.
        m_net.internet.SetQueueSize("4p");
        m_net.fabric.SetDeviceAttribute("QueueStop", UintegerValue(2000));
        m_net.Make(HpccTopology::Star(3, FAST));
        m_net.Add(0, 1, bytes);
        m_net.Add(0, 2, bytes);
        m_net.Add(0, 1, bytes);
        Simulator::Stop(MilliSeconds(50));
        Simulator::Run();
        uint64_t lost = 0;
        for (size_t i = 0; i < m_net.senders.size(); ++i)
        {
            const auto& sender = *m_net.senders[i];
            NS_TEST_EXPECT_MSG_EQ(sender.HasFinished(), true, "end of flow " << i);
            NS_TEST_EXPECT_MSG_EQ(sender.GetWindow().GetReceived(),
                                  m_net.servers[i]->GetReceived() * 1000,
                                  "received of flow " << i);
            lost += sender.GetWindow().GetLost();
        }
        NS_TEST_EXPECT_MSG_GT(lost, 0, "lost");
        NS_TEST_EXPECT_MSG_EQ(lost,
                              m_net.internet.GetQueues()[0]->drops * 1000,
                              "lost at the host");
    }
};

class UnansweredTestCase : public UdpTestCase
{
  public:
    UnansweredTestCase()
        : UdpTestCase("without answers a datagram leaves per time-out, and all goes on when they "
                      "come again; another peer is not affected")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t bytes = 100000000;
        constexpr int64_t silentUs = 1000;
        constexpr int64_t spokenUs = 11000;
        m_net.Make(HpccTopology::Star(3, FAST));
        auto sender = m_net.Add(0, 2, bytes);
        m_net.Add(0, 1, 1000000);
        sender->TraceConnectWithoutContext("FellBack",
                                           MakeCallback(&UnansweredTestCase::FellBack, this));
        auto& port = QbbIpPort::Of(m_net.fabric.GetHost(2)->GetPort());
        auto sent = [&sender] { return sender->GetWindow().GetSent(); };
        uint64_t before = 0;
        uint64_t middle = 0;
        uint64_t after = 0;
        // patienceUs is the time after which MaxUnanswered probes have timed out, where T is the
        // largest base RTT of the network.
        const int64_t patienceUs = 250 * m_net.fabric.GetNetworkBaseRttNs() / 1000;
        Simulator::Schedule(MicroSeconds(silentUs), [&port] { port.RemoveTaps(); });
        Simulator::Schedule(MicroSeconds(silentUs + patienceUs), [&] { before = sent(); });
        Simulator::Schedule(MicroSeconds(spokenUs), [&] {
            middle = sent();
            port.AddTap(PeekPointer(m_net.NicOf(2)));
        });
        Simulator::Schedule(MicroSeconds(spokenUs + 1000), [&] { after = sent(); });
        Simulator::Stop(MicroSeconds(spokenUs + 1001));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_net.senders[1]->HasFinished(), true, "the other peer's flow");
        NS_TEST_EXPECT_MSG_EQ(m_net.senders[1]->GetWindow().GetLost(),
                              0,
                              "the other peer's losses");
        const auto perTimeout = static_cast<uint64_t>((spokenUs - silentUs - patienceUs) * 1000 /
                                                      (32 * m_net.fabric.GetNetworkBaseRttNs()));
        NS_TEST_EXPECT_MSG_GT((middle - before) / 1000,
                              perTimeout / 2,
                              "datagrams without answers");
        NS_TEST_EXPECT_MSG_LT((middle - before) / 1000,
                              2 * perTimeout,
                              "datagrams without answers");
        NS_TEST_EXPECT_MSG_GT(after - middle, 5000000, "bytes in the next ms");
        NS_TEST_EXPECT_MSG_EQ((m_fallen == std::vector<bool>{true, false}), true, "fell back once");
    }

    void FellBack(bool fallen, int64_t)
    {
        m_fallen.push_back(fallen);
    }

    std::vector<bool> m_fallen; ///< values that the trace source has reported
};

class PeerTestCase : public UdpTestCase
{
  public:
    PeerTestCase()
        : UdpTestCase("a second flow with the ports of the first begins its own count")
    {
    }

  private:
    void DoRun() override
    {
        m_net.Make(HpccTopology::Star(2, FAST));
        auto nodes = m_net.fabric.GetNodes();
        UdpServerHelper(5000).Install(nodes.Get(1));
        const InetSocketAddress remote(HpccInternetHelper::GetIpv4Address(1), 5000);
        std::vector<Ptr<HpccUdpApplication>> senders;
        for (int64_t atUs : {10, 1000})
        {
            senders.push_back(DynamicCast<HpccUdpApplication>(
                m_net.udp.Add(nodes.Get(0), remote, 300000, MicroSeconds(atUs))));
        }
        Simulator::Schedule(MicroSeconds(500), [this] { GoRoundThePorts(); });
        m_net.NicOf(0)->TraceConnectWithoutContext("ProbeSent",
                                                   MakeCallback(&PeerTestCase::ProbeSent, this));
        Simulator::Stop(MilliSeconds(3));
        Simulator::Run();
        for (const auto& sender : senders)
        {
            NS_TEST_EXPECT_MSG_EQ(sender->HasFinished(), true, "finished");
            NS_TEST_EXPECT_MSG_EQ(sender->GetWindow().GetReceived(), 300000, "received");
            NS_TEST_EXPECT_MSG_EQ(sender->GetWindow().GetLost(), 0, "lost");
        }
        NS_TEST_EXPECT_MSG_EQ(m_ports.size(), 1, "ports");
        NS_TEST_EXPECT_MSG_EQ(m_net.NicOf(0)->GetCounters().ignored, 0, "answers ignored");
    }

    /// Allocates all other ephemeral ports in turn, so that the next one is the port of the first
    /// flow.
    void GoRoundThePorts()
    {
        for (uint32_t i = 0; i < 65536 - 49152 - 1; ++i)
        {
            auto socket = Socket::CreateSocket(m_net.fabric.GetNodes().Get(0),
                                               TypeId::LookupByName("ns3::UdpSocketFactory"));
            socket->Bind();
            socket->Close();
        }
    }

    void ProbeSent(uint16_t localPort, uint16_t, uint64_t, int64_t)
    {
        m_ports.insert(localPort);
    }

    std::set<uint16_t> m_ports; ///< ports of the flows
};

/// Passes every answer to the NIC twice.
class AnswerRepeater : public IpTap
{
  public:
    void Sending(QbbNetDevice&, Frame&) override
    {
    }

    void Sent(QbbNetDevice&) override
    {
    }

    bool Received(QbbNetDevice& port, Frame& frame) override
    {
        if (frame.tos >> 2 == ANSWER_DSCP)
        {
            ++repeated;
            nic->Received(port, frame);
        }
        return false;
    }

    Ptr<HpccUdpNic> nic;  ///< NIC of the host
    uint64_t repeated{0}; ///< number of answers passed twice
};

class RepeatedAnswersTestCase : public UdpTestCase
{
  public:
    RepeatedAnswersTestCase()
        : UdpTestCase("an answer that comes twice is used once")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t bytes = 2000000;
        m_net.Make(HpccTopology::Star(2, FAST));
        auto& port = QbbIpPort::Of(m_net.fabric.GetHost(0)->GetPort());
        m_repeater.nic = m_net.NicOf(0);
        port.RemoveTaps();
        port.AddTap(&m_repeater);
        port.AddTap(PeekPointer(m_net.NicOf(0)));
        auto sender = m_net.Add(0, 1, bytes);
        Simulator::Stop(MilliSeconds(10));
        Simulator::Run();
        const auto& counters = m_net.NicOf(0)->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(sender->GetWindow().GetReceived(), bytes, "bytes");
        NS_TEST_EXPECT_MSG_GT(m_repeater.repeated, 10, "answers");
        NS_TEST_EXPECT_MSG_EQ(counters.answersReceived, m_repeater.repeated, "used");
        NS_TEST_EXPECT_MSG_EQ(counters.ignored, m_repeater.repeated, "ignored");
        m_repeater.nic = nullptr;
    }

    AnswerRepeater m_repeater; ///< repeats answers at the sender
};

class ForgetTestCase : public UdpTestCase
{
  public:
    ForgetTestCase()
        : UdpTestCase("a peer that forgets the count of a flow has forgotten nothing else")
    {
    }

  private:
    void DoRun() override
    {
        m_net.udp.SetNicAttribute("ForgetAfter", TimeValue(NanoSeconds(1)));
        m_net.Make(HpccTopology::Star(3, FAST));
        auto sender = m_net.Add(0, 2, 3000000);
        // Because of datagrams from many ports, the NIC of the receiver discards its counts.
        for (uint32_t i = 0; i < 3000; ++i)
        {
            Simulator::Schedule(MicroSeconds(30) + NanoSeconds(50 * i), [this] {
                auto socket = Socket::CreateSocket(m_net.fabric.GetNodes().Get(1),
                                                   TypeId::LookupByName("ns3::UdpSocketFactory"));
                socket->Bind();
                socket->Connect(InetSocketAddress(HpccInternetHelper::GetIpv4Address(2), 9));
                socket->Send(Create<Packet>(20));
                socket->Close();
            });
        }
        Simulator::Stop(MilliSeconds(3));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_GT(m_net.NicOf(2)->GetCounters().forgotten, 1000, "forgotten");
        NS_TEST_EXPECT_MSG_EQ(sender->HasFinished(), true, "finished");
        NS_TEST_EXPECT_MSG_EQ(sender->GetWindow().GetReceived() + sender->GetWindow().GetLost(),
                              3000000,
                              "received and lost");
        // Only bytes that arrived after the last answer and before the NIC discarded the count are
        // regarded as lost.
        NS_TEST_EXPECT_MSG_LT(sender->GetWindow().GetLost(), 300000, "counted as lost");
    }
};

class RandomTestCase : public TestCase
{
  public:
    RandomTestCase()
        : TestCase("lost, repeated, overtaken and changed probes, answers and datagrams neither "
                   "stall a flow nor open its window, in random runs")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t count = ForSeeds(200, [this](uint64_t seed) { Run(seed); });
        if (count > 20)
        {
            NS_TEST_EXPECT_MSG_GT(m_lost, 0, "bytes lost");
            NS_TEST_EXPECT_MSG_GT(m_ignored, 0, "answers ignored");
            NS_TEST_EXPECT_MSG_GT(m_unanswered, 0, "probes given up");
        }
    }

    void Run(uint64_t seed)
    {
        constexpr uint32_t flows = 4;
        std::mt19937_64 random(seed);
        auto draw = [&random](uint32_t choices) {
            return static_cast<uint32_t>(random() % choices);
        };
        const double losses[] = {0, 0.001, 0.01};
        UdpNetwork net;
        net.fabric.SetPaths(draw(2) ? "spray" : "ecmp");
        if (draw(2))
        {
            net.fabric.ScheduleLinkDown(4 + draw(4), MicroSeconds(20 + draw(50)));
        }
        net.udp.SetPacketSize(100 + draw(8900));
        net.udp.SetAttribute("InFlight", StringValue(draw(2) ? "Presumed" : "Settled"));
        net.udp.SetAttribute("MaxUnanswered", UintegerValue(1 + draw(8)));
        net.Make(WithLosses(HpccTopology::LeafSpine(2, 2, 2, FAST), losses[draw(3)]));
        net.fabric.AssignStreams(static_cast<int64_t>(1000 * seed));
        const uint32_t permille[] = {0, 10, 200};
        const uint32_t share = permille[draw(3)];
        std::vector<std::unique_ptr<Disturber>> disturbers;
        for (uint32_t host = 0; host < 4; ++host)
        {
            auto& port = net.fabric.GetHost(host)->GetPort();
            QbbIpPort::Of(port).RemoveTaps();
            disturbers.push_back(
                std::make_unique<Disturber>(port, random, [&draw, share](const Frame&) {
                    return draw(1000) < share ? static_cast<Disturber::Fate>(1 + draw(4))
                                              : Disturber::PASSES;
                }));
            QbbIpPort::Of(port).AddTap(PeekPointer(net.NicOf(host)));
        }
        for (uint32_t i = 0; i < flows; ++i)
        {
            const uint32_t from = draw(4);
            net.Add(from,
                    (from + 1 + draw(3)) % 4,
                    20000 + draw(200000),
                    MicroSeconds(10 + draw(40)),
                    draw(2))
                ->TraceConnectWithoutContext("Window",
                                             MakeCallback(&RandomTestCase::WindowComputed, this));
        }
        m_windowLimit = 12.5 * static_cast<double>(net.fabric.GetNetworkBaseRttNs()) + 1;
        Simulator::Stop(Seconds(2));
        Simulator::Run();
        for (uint32_t i = 0; i < flows; ++i)
        {
            const auto& sender = *net.senders[i];
            const HpccUdpWindow& window = sender.GetWindow();
            NS_TEST_EXPECT_MSG_EQ(sender.HasFinished(),
                                  true,
                                  "end of flow " << i << ", HPCC_TEST_SEED=" << seed);
            NS_TEST_EXPECT_MSG_EQ(window.GetReceived() + window.GetLost(),
                                  window.GetSent(),
                                  "received and lost, HPCC_TEST_SEED=" << seed);
            m_lost += window.GetLost();
        }
        for (uint32_t host = 0; host < 4; ++host)
        {
            m_unanswered += net.NicOf(host)->GetCounters().probeTimeouts;
            m_ignored += net.NicOf(host)->GetCounters().ignored;
        }
        NS_TEST_EXPECT_MSG_EQ(m_tooLarge, 0, "windows above W_init, HPCC_TEST_SEED=" << seed);
        net.senders.clear();
        net.servers.clear();
        Simulator::Destroy();
        Config::Reset();
    }

    void WindowComputed(double windowBytes, double, int64_t)
    {
        m_tooLarge += windowBytes <= 0 || windowBytes > m_windowLimit;
    }

    double m_windowLimit{0};  ///< W_init
    uint64_t m_tooLarge{0};   ///< number of windows outside their bounds
    uint64_t m_lost{0};       ///< bytes lost
    uint64_t m_ignored{0};    ///< number of unreadable or unexpected answers and probes
    uint64_t m_unanswered{0}; ///< number of probes that timed out
};

class RefusalTestCase : public UdpTestCase
{
  public:
    RefusalTestCase()
        : UdpTestCase("what cannot work is refused by name")
    {
    }

  private:
    void DoRun() override
    {
        m_net.fabric.Install(HpccTopology::Star(2, FAST));
        Refused([](HpccUdpHelper&) {}, "host 0 has no UDP");
        m_net.internet.Install(m_net.fabric);
        Refused([](auto& udp) { udp.SetTelemetry("nonsense"); }, "unknown format \"nonsense\"");
        Refused([](auto& udp) { udp.SetTelemetry("int-md"); }, "marked by a UDP port");
        Refused([](auto& udp) { udp.SetAttribute("Eta", DoubleValue(0)); },
                "ns3::HpccUdpApplication::Eta is 0");
        Refused([](auto& udp) { udp.SetAttribute("Eta", DoubleValue(1)); },
                "ns3::HpccUdpApplication::Eta is 1");
        auto sender = CreateObject<HpccUdpApplication>();
        for (const auto& [name, value] :
             std::vector<std::pair<std::string, uint64_t>>{{"PacketSize", 23},
                                                           {"PacketSize", 65508},
                                                           {"MaxUnanswered", 0},
                                                           {"FallbackDatagrams", 0},
                                                           {"Tos", 256}})
        {
            NS_TEST_EXPECT_MSG_EQ(sender->SetAttributeFailSafe(name, UintegerValue(value)),
                                  false,
                                  name << " " << value);
        }
    }

    /**
     * Expects that a helper refuses invalid settings.
     * @param spoil function that makes the settings invalid
     * @param why part of the error message
     */
    void Refused(const std::function<void(HpccUdpHelper&)>& spoil, const std::string& why)
    {
        HpccUdpHelper udp;
        spoil(udp);
        std::string said;
        try
        {
            udp.Install(m_net.fabric);
        }
        catch (const HpccInputError& error)
        {
            said = error.what();
        }
        NS_TEST_EXPECT_MSG_NE(said.find(why), std::string::npos, "\"" << said << "\": " << why);
    }
};

/// Tests HPCC++ for UDP when the network or the peer has faults.
class HpccUdpLossesTestSuite : public TestSuite
{
  public:
    HpccUdpLossesTestSuite()
        : TestSuite("hpcc-udp-losses", Type::SYSTEM)
    {
        AddTestCase(new LossTestCase);
        AddTestCase(new QueueLimitTestCase);
        AddTestCase(new UnansweredTestCase);
        AddTestCase(new PeerTestCase);
        AddTestCase(new RepeatedAnswersTestCase);
        AddTestCase(new ForgetTestCase);
        AddTestCase(new RandomTestCase);
        AddTestCase(new RefusalTestCase);
    }
};

HpccUdpLossesTestSuite g_hpccUdpLossesTestSuite; ///< the suite

} // namespace
