/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-tcp.h"
#include "hpcc-test-udp.h"

#include "ns3/string.h"

#include <string>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint32_t SENDERS = 4;
constexpr uint64_t LONG_BYTES = 12000000;
constexpr uint64_t SHORT_BYTES = 500000;
const Time END = MicroSeconds(1500);

/// Returns a network of two leaves and four spines. All senders are at the first leaf, and the
/// receiver is at the second leaf.
HpccTopology
Leaves()
{
    return HpccTopology::LeafSpine(2,
                                   SENDERS,
                                   4,
                                   {DataRate("100Gbps"), DataRate("100Gbps"), MicroSeconds(1)});
}

/// Tests an incast of TCP flows over several paths.
class TcpPathsTestCase : public TcpTestCase
{
  public:
    explicit TcpPathsTestCase(const std::string& feedback)
        : TcpTestCase("a TCP flow with feedback " + feedback +
                      " whose packets are sprayed over four paths sends at least 0.95 times as "
                      "much as on one path, at first among three others and then alone"),
          m_feedback(feedback)
    {
    }

  private:
    void DoRun() override
    {
        const auto one = static_cast<double>(Run("ecmp"));
        NS_TEST_EXPECT_MSG_GT(one * 8 / END.GetDouble(), 30, "goodput on one path, Gb/s");
        NS_TEST_EXPECT_MSG_GT(static_cast<double>(Run("spray")), 0.95 * one, "sprayed, bytes");
    }

    /// Returns how much payload of the longest flow has arrived, bytes.
    /// @param paths selector of paths
    uint64_t Run(const std::string& paths)
    {
        DoTeardown();
        m_received.clear();
        m_fabric = HpccFabricHelper();
        m_internet = HpccInternetHelper();
        m_tcp = HpccTcpHelper();
        m_fabric.SetPaths(paths);
        m_tcp.SetNicAttribute("Feedback", StringValue(m_feedback));
        Make(Leaves());
        m_fabric.AssignStreams(1);
        for (uint32_t i = 0; i < SENDERS; ++i)
        {
            AddBulk(i, SENDERS, i == 0 ? LONG_BYTES : SHORT_BYTES, static_cast<uint16_t>(5000 + i));
        }
        Simulator::Stop(END);
        Simulator::Run();
        return m_received[0];
    }

    std::string m_feedback; ///< HpccTcpNic::Feedback
};

/// Tests an incast of UDP flows over several paths.
class UdpPathsTestCase : public UdpTestCase
{
  public:
    UdpPathsTestCase()
        : UdpTestCase("a UDP flow whose packets are sprayed over four paths sends at least 0.95 "
                      "times as much as on one path, at first among three others and then alone")
    {
    }

  private:
    void DoRun() override
    {
        const auto one = static_cast<double>(Run("ecmp"));
        NS_TEST_EXPECT_MSG_GT(one * 8 / END.GetDouble(), 30, "goodput on one path, Gb/s");
        NS_TEST_EXPECT_MSG_GT(static_cast<double>(Run("spray")), 0.95 * one, "sprayed, bytes");
    }

    /// Returns how much payload of the longest flow has arrived, bytes.
    /// @param paths selector of paths
    uint64_t Run(const std::string& paths)
    {
        DoTeardown();
        m_net = UdpNetwork();
        m_net.fabric.SetPaths(paths);
        m_net.Make(Leaves());
        m_net.fabric.AssignStreams(1);
        for (uint32_t i = 0; i < SENDERS; ++i)
        {
            m_net.Add(i, SENDERS, i == 0 ? LONG_BYTES : SHORT_BYTES);
        }
        Simulator::Stop(END);
        Simulator::Run();
        return m_net.senders[0]->GetWindow().GetReceived();
    }
};

class HpccIpPathsTestSuite : public TestSuite
{
  public:
    HpccIpPathsTestSuite()
        : TestSuite("hpcc-ip-paths", Type::SYSTEM)
    {
        AddTestCase(new TcpPathsTestCase("Probe"));
        AddTestCase(new TcpPathsTestCase("InBand"));
        AddTestCase(new UdpPathsTestCase);
    }
};

HpccIpPathsTestSuite g_hpccIpPathsTestSuite; ///< the suite

} // namespace
