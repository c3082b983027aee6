/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests when TCP sends segments under HPCC++, and the headers of these segments.

#include "hpcc-test-refusal.h"
#include "hpcc-test-tcp.h"

#include "ns3/boolean.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/tcp-socket-factory.h"

#include <cstdint>
#include <string>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint16_t PORT = 80;      ///< port of the listening sockets
constexpr uint8_t OTHER_DSCP = 24; ///< a DSCP whose priority differs from that of the data

/// Base class with connections that send data in one direction or in both directions.
class SendingTestCase : public TcpTestCase
{
  protected:
    explicit SendingTestCase(const std::string& name)
        : TcpTestCase(name)
    {
    }

    /// Makes a host accept connections and send data on each of them.
    /// @param host number of the host
    /// @param bytes payload that the host sends on each connection; may be 0
    void Listen(uint32_t host, uint32_t bytes)
    {
        m_answer = bytes;
        auto socket = MakeSocket(host);
        socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), PORT));
        socket->Listen();
        socket->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                  MakeCallback(&SendingTestCase::Accepted, this));
    }

    /**
     * Opens a connection after 10 us, and sends data on it.
     * @param from number of the sending host
     * @param to number of the listening host
     * @param bytes payload
     * @param early true if the application writes before the handshake
     */
    void Open(uint32_t from, uint32_t to, uint32_t bytes, bool early)
    {
        m_question = bytes;
        m_early = early;
        const auto socket = MakeSocket(from);
        m_clients.push_back(socket);
        Simulator::ScheduleWithContext(m_fabric.GetNodes().Get(from)->GetId(),
                                       MicroSeconds(10),
                                       &SendingTestCase::Connect,
                                       this,
                                       socket,
                                       to);
    }

    void DoTeardown() override
    {
        m_clients.clear();
        TcpTestCase::DoTeardown();
    }

    std::vector<Ptr<Socket>> m_clients; ///< sockets that have opened connections
    uint64_t m_bytes{0};                ///< payload that has arrived
    int64_t m_lastNs{0};                ///< time at which the last payload arrived, ns

  private:
    /// Returns a new socket of @p host.
    Ptr<Socket> MakeSocket(uint32_t host)
    {
        return Socket::CreateSocket(m_fabric.GetNodes().Get(host), TcpSocketFactory::GetTypeId());
    }

    void Connect(Ptr<Socket> socket, uint32_t to)
    {
        socket->SetRecvCallback(MakeCallback(&SendingTestCase::Readable, this));
        if (!m_early)
        {
            socket->SetConnectCallback(MakeCallback(&SendingTestCase::Connected, this),
                                       MakeNullCallback<void, Ptr<Socket>>());
        }
        socket->Connect(InetSocketAddress(HpccInternetHelper::GetIpv4Address(to), PORT));
        if (m_early)
        {
            Connected(socket);
        }
    }

    void Connected(Ptr<Socket> socket)
    {
        socket->Send(Create<Packet>(m_question));
    }

    void Accepted(Ptr<Socket> socket, const Address&)
    {
        socket->SetRecvCallback(MakeCallback(&SendingTestCase::Readable, this));
        if (m_answer > 0)
        {
            socket->Send(Create<Packet>(m_answer));
        }
    }

    void Readable(Ptr<Socket> socket)
    {
        while (const auto packet = socket->Recv())
        {
            m_bytes += packet->GetSize();
            m_lastNs = Simulator::Now().GetNanoSeconds();
        }
    }

    uint32_t m_question{0}; ///< payload that clients send
    uint32_t m_answer{0};   ///< payload that servers send
    bool m_early{false};    ///< see Open()
};

/// Tests that the second segment follows the first one at the pacing rate, although ns-3 starts its
/// timer before the rate is known.
class FirstSegmentsTestCase : public SendingTestCase
{
  public:
    explicit FirstSegmentsTestCase(bool early)
        : SendingTestCase(std::string("the first segments are paced at W by T, data written ") +
                          (early ? "before" : "after") + " the handshake"),
          m_writesEarly(early)
    {
    }

  private:
    void DoRun() override
    {
        auto links = FAST;
        links.delay = MicroSeconds(100);
        Make(HpccTopology::Star(2, links));
        m_fabric.GetNodes().Get(0)->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext(
            "Tx",
            MakeCallback(&FirstSegmentsTestCase::Left, this));
        Listen(1, 0);
        Open(0, 1, 100000, m_writesEarly);
        Simulator::Stop(MilliSeconds(5));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_bytes, 100000, "bytes delivered");
        NS_TEST_ASSERT_MSG_GT(m_leftNs.size(), 3, "segments with data");
        // W/T is the line rate, 100 Gb/s. A segment of 1,000 bytes occupies less than 1,100 bytes
        // on the link. At the pacing rate that ns-3 chooses, the gap would be RTT/20, which is 20
        // us.
        for (size_t i = 1; i < 4; ++i)
        {
            NS_TEST_EXPECT_MSG_LT(m_leftNs[i] - m_leftNs[i - 1], 88, "ns after segment " << i - 1);
        }
    }

    void Left(Ptr<const Packet> packet, Ptr<Ipv4>, uint32_t)
    {
        if (packet->GetSize() > 1000)
        {
            m_leftNs.push_back(Simulator::Now().GetNanoSeconds());
        }
    }

    bool m_writesEarly;            ///< see Open()
    std::vector<int64_t> m_leftNs; ///< times at which IP sent segments with data, ns
};

/// Tests data in both directions of a connection. ns-3's TCP discards a segment together with its
/// data if an earlier ACK has acknowledged more than the segment does.
class BothWaysTestCase : public SendingTestCase
{
  public:
    explicit BothWaysTestCase(bool gro)
        : SendingTestCase(std::string("data in both directions does not stall with Tso") +
                          (gro ? " and Gro" : "")),
          m_gro(gro)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t hosts = 4;
        constexpr uint32_t bytes = 500000;
        Config::SetDefault("ns3::QbbNetDevice::Tso", BooleanValue(true));
        Config::SetDefault("ns3::QbbNetDevice::Gro", BooleanValue(m_gro));
        Make(HpccTopology::Star(hosts, FAST));
        for (uint32_t host = 0; host < hosts; ++host)
        {
            Listen(host, bytes);
            Open(host, (host + hosts / 2) % hosts, bytes, false);
        }
        Simulator::Stop(MilliSeconds(50));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_bytes, 2ULL * hosts * bytes, "bytes delivered");
        // Each link carries two streams in each direction, which takes 80 us at the line rate. A
        // time-out of TCP takes 5 ms.
        NS_TEST_EXPECT_MSG_LT(m_lastNs, 400000, "ns until the last byte has arrived");
    }

    bool m_gro; ///< QbbNetDevice::Gro
};

/// Tests that a new TOS is checked in the same way as the TOS of the first data.
class OtherTosTestCase : public SendingTestCase
{
  public:
    OtherTosTestCase()
        : SendingTestCase("a TOS that moves the data out of the probes' priority is refused")
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::QbbNetDevice::DscpToPriority", StringValue("24:3,26:3"));
        Make(HpccTopology::Star(2, FAST));
        Listen(1, 0);
        Open(0, 1, 2000000, false);
        Simulator::Stop(MilliSeconds(5));
        // DSCP 8 has priority 0, like the data and the probes.
        Simulator::Schedule(MicroSeconds(50), &Socket::SetIpTos, m_clients.at(0), 8 << 2);
        Simulator::Schedule(MicroSeconds(90), &Socket::SetIpTos, m_clients.at(0), OTHER_DSCP << 2);
        const std::string said = RefusalOf([] { Simulator::Run(); });
        NS_TEST_EXPECT_MSG_NE(said.find("ProbeDscp 21 has priority 0, but data with DSCP 24 has 3"),
                              std::string::npos,
                              "said: " << said);
        NS_TEST_EXPECT_MSG_GT(Simulator::Now(), MicroSeconds(89), "the other DSCP is accepted");
    }
};

class HpccTcpSendingTestSuite : public TestSuite
{
  public:
    HpccTcpSendingTestSuite()
        : TestSuite("hpcc-tcp-sending", Type::SYSTEM)
    {
        AddTestCase(new FirstSegmentsTestCase(false));
        AddTestCase(new FirstSegmentsTestCase(true));
        AddTestCase(new BothWaysTestCase(false));
        AddTestCase(new BothWaysTestCase(true));
        AddTestCase(new OtherTosTestCase);
    }
};

HpccTcpSendingTestSuite g_hpccTcpSendingTestSuite; ///< the suite

} // namespace
