/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-tcp.h"

#include "ns3/hpcc-ip-tap.h"
#include "ns3/qbb-ip-port.h"

#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint32_t HOSTS = 3;
constexpr uint32_t SERVER = 2;
constexpr uint16_t PORT = 80;
const Time LONG_AFTER = MilliSeconds(500);

/// How a connection ends.
enum class End
{
    CLOSE_AT_ONCE, ///< the sender closes while all data is outstanding
    RESET,         ///< the receiver closes with unread data, which causes a reset
    ABORT,    ///< the sender closes with unread data, while data, probes and answers are in flight
    HALF_OPEN ///< the receiver closes after it has read all data, while the sender continues
};

const char*
NameOf(End end)
{
    switch (end)
    {
    case End::CLOSE_AT_ONCE:
        return "are closed with their data outstanding";
    case End::RESET:
        return "are reset in flight";
    case End::ABORT:
        return "are reset by their sender with all in flight";
    case End::HALF_OPEN:
        return "are closed by the receiver first";
    }
    return "";
}

/// Tests connections that end in a given way: the state that NICs store afterwards, and the number
/// of later events.
class LifecycleTestCase : public TcpTestCase
{
  public:
    LifecycleTestCase(const std::string& feedback, End end)
        : TcpTestCase("connections (" + feedback + ") that " + NameOf(end) +
                      " leave nothing behind at the NICs, and nothing stalls"),
          m_feedback(feedback),
          m_end(end)
    {
    }

  private:
    static constexpr uint32_t CONNECTIONS = 40;
    static constexpr uint32_t BYTES = 200000;

    void DoRun() override
    {
        m_tcp.SetNicAttribute("Feedback", StringValue(m_feedback));
        Make(HpccTopology::Star(HOSTS, FAST));
        auto listener = MakeSocket(SERVER);
        listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), PORT));
        listener->Listen();
        listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                    MakeCallback(&LifecycleTestCase::Accepted, this));
        for (uint32_t i = 0; i < CONNECTIONS; ++i)
        {
            Simulator::Schedule(MicroSeconds(10 + 30 * i), [this, i] { Open(i % 2); });
        }
        // This flow lasts until the end of the run. The ends of other flows must not disturb it.
        AddBulk(0, 1, 2000000, 5000);
        Simulator::Stop(LONG_AFTER);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_opened, CONNECTIONS, "connections");
        NS_TEST_EXPECT_MSG_EQ(m_received[0], 2000000, "bytes of the flow that goes on");
        if (m_end == End::CLOSE_AT_ONCE)
        {
            NS_TEST_EXPECT_MSG_EQ(m_arrived, uint64_t{CONNECTIONS} * BYTES, "bytes");
        }
        uint64_t sent = 0;
        for (uint32_t host = 0; host < HOSTS; ++host)
        {
            const auto nic = NicOf(host);
            NS_TEST_EXPECT_MSG_EQ(nic->GetConnections(), 0, "connections at NIC " << host);
            if (const auto* compact = nic->GetCompact())
            {
                NS_TEST_EXPECT_MSG_EQ(compact->GetPeers(), 0, "peers at NIC " << host);
                NS_TEST_EXPECT_MSG_EQ(compact->GetPending(), 0, "answers kept at NIC " << host);
            }
            sent += nic->GetCounters().probesSent;
        }
        NS_TEST_EXPECT_MSG_GT(sent, CONNECTIONS, "probes or segments that collect");
        if (m_end == End::ABORT)
        {
            NS_TEST_EXPECT_MSG_EQ(m_aborted, CONNECTIONS, "resets");
            NS_TEST_EXPECT_MSG_GT(m_arrived, uint64_t{CONNECTIONS} * 1000, "bytes before");
            NS_TEST_EXPECT_MSG_LT(m_arrived, uint64_t{CONNECTIONS} * BYTES / 2, "bytes before");
        }
        // An idle network has no events, no matter how long the simulation continues.
        const uint64_t events = Simulator::GetEventCount();
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_LT(Simulator::GetEventCount() - events, 10, "events afterwards");
        listener->Close();
    }

    Ptr<Socket> MakeSocket(uint32_t host)
    {
        return Socket::CreateSocket(m_fabric.GetNodes().Get(host),
                                    TypeId::LookupByName("ns3::TcpSocketFactory"));
    }

    void Open(uint32_t host)
    {
        auto socket = MakeSocket(host);
        socket->SetConnectCallback(MakeCallback(&LifecycleTestCase::Connected, this),
                                   MakeNullCallback<void, Ptr<Socket>>());
        socket->SetCloseCallbacks(MakeCallback(&LifecycleTestCase::PeerClosed, this),
                                  MakeNullCallback<void, Ptr<Socket>>());
        socket->Connect(InetSocketAddress(HpccInternetHelper::GetIpv4Address(SERVER), PORT));
        ++m_opened;
    }

    void Connected(Ptr<Socket> socket)
    {
        const std::vector<uint8_t> content(BYTES, 7);
        socket->Send(content.data(), content.size(), 0);
        if (m_end == End::CLOSE_AT_ONCE)
        {
            socket->Close();
        }
        else if (m_end == End::ABORT)
        {
            Simulator::Schedule(MicroSeconds(6), [this, socket] { Abort(socket); });
        }
    }

    /// Closes a socket that has unread data from the receiver, so that it sends a reset.
    void Abort(Ptr<Socket> socket)
    {
        NS_TEST_EXPECT_MSG_GT(socket->GetRxAvailable(), 0, "unread bytes");
        NS_TEST_EXPECT_MSG_LT(socket->GetTxAvailable(), SocketBuffer(socket), "bytes in flight");
        socket->Close();
        ++m_aborted;
    }

    static uint32_t SocketBuffer(Ptr<Socket> socket)
    {
        UintegerValue bytes;
        socket->GetAttribute("SndBufSize", bytes);
        return static_cast<uint32_t>(bytes.Get());
    }

    void Accepted(Ptr<Socket> socket, const Address&)
    {
        socket->SetCloseCallbacks(MakeCallback(&LifecycleTestCase::PeerClosed, this),
                                  MakeNullCallback<void, Ptr<Socket>>());
        if (m_end != End::RESET)
        {
            socket->SetRecvCallback(MakeCallback(&LifecycleTestCase::Readable, this));
        }
        if (m_end == End::ABORT)
        {
            const std::vector<uint8_t> greeting(100, 7);
            socket->Send(greeting.data(), greeting.size(), 0);
        }
        else if (m_end != End::CLOSE_AT_ONCE)
        {
            Simulator::Schedule(MicroSeconds(10), [socket] { socket->Close(); });
        }
    }

    void Readable(Ptr<Socket> socket)
    {
        while (auto packet = socket->Recv())
        {
            m_arrived += packet->GetSize();
        }
    }

    void PeerClosed(Ptr<Socket> socket)
    {
        socket->Close();
    }

    std::string m_feedback; ///< attribute Feedback of the NICs
    End m_end;              ///< way in which every connection ends
    uint32_t m_opened{0};   ///< connections opened
    uint32_t m_aborted{0};  ///< connections reset by the sender
    uint64_t m_arrived{0};  ///< number of bytes that the server has read
};

/// Drops all packets that arrive at a host, before its NIC and TCP process them.
class Deafness : public IpTap
{
  public:
    void Sending(QbbNetDevice&, Frame&) override
    {
    }

    void Sent(QbbNetDevice&) override
    {
    }

    bool Received(QbbNetDevice&, Frame&) override
    {
        return true;
    }
};

/// Tests a connection whose sender gives up without sending a reset.
class GivenUpTestCase : public TcpTestCase
{
  public:
    GivenUpTestCase(const std::string& control, const std::string& feedback, bool checks)
        : TcpTestCase("a connection of " + control + " (" + feedback +
                      ") whose sender gives up is " + (checks ? "" : "not ") +
                      "forgotten by its NIC, that of the receiver, which is still open, is not"),
          m_control(control),
          m_feedback(feedback),
          m_checks(checks)
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::HpccTcpNic::SocketCheck", TimeValue(Seconds(m_checks ? 1 : 0)));
        m_tcp.SetNicAttribute("Feedback", StringValue(m_feedback));
        Make(HpccTopology::Star(2, FAST));
        Config::Set("/NodeList/*/$ns3::TcpL4Protocol/SocketType",
                    TypeIdValue(TypeId::LookupByName("ns3::" + m_control)));
        // The sockets remain in memory, because applications have references to them.
        AddBulk(0, 1, 10000000, PORT);
        Simulator::Schedule(MicroSeconds(200), [this] {
            auto& port = QbbIpPort::Of(m_fabric.GetHost(0)->GetPort());
            port.RemoveTaps();
            port.AddTap(&m_deafness);
            port.AddTap(PeekPointer(NicOf(0)));
        });
        Run(MilliSeconds(300));
        ExpectKnown(1);
        NS_TEST_EXPECT_MSG_GT(m_received[0], 0, "bytes");
        NS_TEST_EXPECT_MSG_LT(m_received[0], 10000000, "bytes");
        Run(Seconds(5));
        ExpectKnown(m_checks ? 0 : 1);
        // The NIC must eventually stop checking its sockets.
        const uint64_t events = Simulator::GetEventCount();
        Run(Seconds(600));
        NS_TEST_EXPECT_MSG_LT(Simulator::GetEventCount() - events, 30, "events");
        const uint64_t last = Simulator::GetEventCount();
        Run(Seconds(10000));
        NS_TEST_EXPECT_MSG_EQ(Simulator::GetEventCount() - last, 1, "events but for the stop");
        ExpectKnown(m_checks ? 0 : 1);
    }

    void Run(Time time)
    {
        Simulator::Stop(time);
        Simulator::Run();
    }

    /// Expects that the NICs store the state of a given number of connections.
    /// @param connections expected number of connections at the sender's NIC; with TCP options,
    /// also the expected number of peers
    void ExpectKnown(size_t connections)
    {
        const auto nic = NicOf(0);
        NS_TEST_EXPECT_MSG_EQ(nic->GetConnections(), connections, "connections");
        if (const auto* compact = nic->GetCompact())
        {
            NS_TEST_EXPECT_MSG_EQ(compact->GetPeers(), connections, "peers");
            NS_TEST_EXPECT_MSG_EQ(NicOf(1)->GetCompact()->GetPeers(), 1, "at the receiver");
        }
    }

    std::string m_control;  ///< congestion control
    std::string m_feedback; ///< attribute Feedback of the NICs
    bool m_checks;          ///< true if the NICs check their sockets
    Deafness m_deafness;    ///< drops arrivals at the sender
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
        constexpr uint8_t answerDscp = 22;
        if (frame.tos >> 2 == answerDscp)
        {
            ++repeated;
            nic->Received(port, frame);
        }
        return false;
    }

    Ptr<HpccTcpNic> nic;  ///< NIC of the host
    uint64_t repeated{0}; ///< number of answers passed twice
};

class RepeatedAnswersTestCase : public TcpTestCase
{
  public:
    RepeatedAnswersTestCase()
        : TcpTestCase("an answer that comes twice is used once")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t bytes = 2000000;
        Make(HpccTopology::Star(2, FAST));
        auto& port = QbbIpPort::Of(m_fabric.GetHost(0)->GetPort());
        m_repeater.nic = NicOf(0);
        port.RemoveTaps();
        port.AddTap(&m_repeater);
        port.AddTap(PeekPointer(NicOf(0)));
        AddBulk(0, 1, bytes, PORT);
        Simulator::Stop(MilliSeconds(10));
        Simulator::Run();
        const auto& counters = NicOf(0)->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(m_received[0], bytes, "bytes");
        NS_TEST_EXPECT_MSG_GT(m_repeater.repeated, 10, "answers");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(counters.answersReceived, m_repeater.repeated, "used");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(counters.ignored, m_repeater.repeated, "ignored");
        m_repeater.nic = nullptr;
    }

    AnswerRepeater m_repeater; ///< repeats answers at the sender
};

class HpccTcpLifecycleTestSuite : public TestSuite
{
  public:
    HpccTcpLifecycleTestSuite()
        : TestSuite("hpcc-tcp-lifecycle", Type::SYSTEM)
    {
        for (const char* feedback : {"Probe", "InBand", "Compact", "CompactReceiver"})
        {
            for (End end : {End::CLOSE_AT_ONCE, End::RESET, End::ABORT, End::HALF_OPEN})
            {
                AddTestCase(new LifecycleTestCase(feedback, end));
            }
            AddTestCase(new GivenUpTestCase("TcpHpccPlusPlus", feedback, true));
            AddTestCase(new GivenUpTestCase("TcpCubic", feedback, true));
            AddTestCase(new GivenUpTestCase("TcpHpccPlusPlus", feedback, false));
        }
        AddTestCase(new RepeatedAnswersTestCase);
    }
};

HpccTcpLifecycleTestSuite g_hpccTcpLifecycleTestSuite; ///< the suite

} // namespace
