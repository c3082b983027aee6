/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-tcp.h"

#include "ns3/hpcc-ip-tap.h"
#include "ns3/qbb-ip-port.h"

#include <string>

using namespace ns3;
using namespace hpcctest;

namespace
{

const Time BEGIN = MicroSeconds(200);
const Time END = MilliSeconds(40);

/// Drops all data segments that arrive at a host between BEGIN and END, and no probes.
class DataLoser : public IpTap
{
  public:
    void Sending(QbbNetDevice&, Frame&) override
    {
    }

    void Sent(QbbNetDevice&) override
    {
    }

    bool Received(QbbNetDevice&, Frame& frame) override
    {
        constexpr uint32_t headers = 200;
        const bool loses = Simulator::Now() >= BEGIN && Simulator::Now() < END &&
                           frame.packet->GetSize() > headers;
        m_lost += loses;
        return loses;
    }

    /// @return number of data segments dropped
    uint64_t GetLost() const
    {
        return m_lost;
    }

  private:
    uint64_t m_lost{0}; ///< see GetLost()
};

/// Tests a connection that waits for several consecutive time-outs.
class StallTestCase : public TcpTestCase
{
  public:
    StallTestCase(const std::string& feedback, uint32_t pauseAfter)
        : TcpTestCase("while all data (" + feedback + ") is lost, " +
                      (pauseAfter ? "feedback rests, afterwards it goes on"
                                  : "by the letter, feedback does not rest")),
          m_feedback(feedback),
          m_pauseAfter(pauseAfter)
    {
    }

  private:
    static constexpr uint64_t BYTES = 20000000;

    void DoRun() override
    {
        m_tcp.SetNicAttribute("Feedback", StringValue(m_feedback));
        m_tcp.SetNicAttribute("PauseAfter", UintegerValue(m_pauseAfter));
        Make(HpccTopology::Star(2, FAST));
        auto& port = QbbIpPort::Of(m_fabric.GetHost(1)->GetPort());
        port.RemoveTaps();
        port.AddTap(&m_loser);
        port.AddTap(PeekPointer(NicOf(1)));
        NicOf(0)->TraceConnectWithoutContext("ProbeSent",
                                             MakeCallback(&StallTestCase::Probed, this));
        NicOf(0)->TraceConnectWithoutContext("FellBack",
                                             MakeCallback(&StallTestCase::FellBack, this));
        AddBulk(0, 1, BYTES, 5000);
        Simulator::Stop(MilliSeconds(300));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_received[0], BYTES, "bytes");
        NS_TEST_EXPECT_MSG_GT(m_loser.GetLost(), 3, "segments lost, and sent again");
        if (m_feedback == "Probe")
        {
            const auto rounds = static_cast<uint64_t>((END - BEGIN).GetNanoSeconds() /
                                                      m_fabric.GetNetworkBaseRttNs());
            NS_TEST_EXPECT_MSG_GT(m_before, 10, "probes before");
            NS_TEST_EXPECT_MSG_GT(m_after, 100, "probes afterwards");
            if (m_pauseAfter == 0)
            {
                NS_TEST_EXPECT_MSG_GT(m_meanwhile, rounds / 2, "probes, one a round trip");
            }
            else
            {
                // Probes are sent at the beginning and after each retransmission.
                NS_TEST_EXPECT_MSG_LT(m_meanwhile, m_pauseAfter * m_loser.GetLost(), "probes");
                // Data is sent four times. After each transmission, probes are sent at intervals of
                // T, 2 T and so on up to a time-out.
                NS_TEST_EXPECT_MSG_GT(m_meanwhile, 4 * (m_pauseAfter + 5), "probes");
                NS_TEST_EXPECT_MSG_LT(m_meanwhile, rounds / 50, "probes");
            }
        }
        const bool counts = m_feedback == "InBand" && m_pauseAfter == 0;
        NS_TEST_EXPECT_MSG_EQ(m_fellBack, (counts ? 1 : 0), "connections that fell back");
    }

    void Probed(uint16_t, uint16_t, uint64_t, int64_t nowNs)
    {
        const Time now = NanoSeconds(nowNs);
        ++(now < BEGIN ? m_before : now < END ? m_meanwhile : m_after);
    }

    void FellBack(uint16_t, uint16_t, std::string)
    {
        ++m_fellBack;
    }

    std::string m_feedback;  ///< attribute Feedback of the NICs
    uint32_t m_pauseAfter;   ///< attribute PauseAfter of the NICs
    DataLoser m_loser;       ///< drops data at the receiver
    uint64_t m_before{0};    ///< number of probes before data is dropped
    uint64_t m_meanwhile{0}; ///< number of probes while data is dropped
    uint64_t m_after{0};     ///< number of probes after data has been dropped
    uint32_t m_fellBack{0};  ///< number of connections that fell back to another congestion control
};

/// Tests the feedback of connections that wait for time-outs.
class HpccTcpStallsTestSuite : public TestSuite
{
  public:
    HpccTcpStallsTestSuite()
        : TestSuite("hpcc-tcp-stalls", Type::SYSTEM)
    {
        for (const char* feedback : {"Probe", "InBand"})
        {
            AddTestCase(new StallTestCase(feedback, 16));
            AddTestCase(new StallTestCase(feedback, 0));
        }
        AddTestCase(new StallTestCase("Probe", 1));
        AddTestCase(new StallTestCase("Compact", 16));
    }
};

HpccTcpStallsTestSuite g_hpccTcpStallsTestSuite; ///< the suite

} // namespace
