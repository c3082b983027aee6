/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-udp.h"

#include "ns3/hpcc-udp-nic.h"
#include "ns3/nstime.h"
#include "ns3/socket.h"

#include <cstdint>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

const HpccTopology::LinkSpeeds LINKS{}; ///< rate 100 Gb/s, delay 1 us

/// Number of ephemeral ports of ns-3.
constexpr uint32_t PORTS = 65536 - 49152;

/// Tests a NIC at which more flows have ended than it can store.
class EndedFlowsTestCase : public UdpTestCase
{
  public:
    EndedFlowsTestCase()
        : UdpTestCase("a NIC removes flows that have ended; a new flow on the ports of a removed "
                      "flow, which the peer still counts, counts exactly its own bytes as received")
    {
    }

  private:
    static constexpr uint32_t SHORT_FLOWS = 1100;
    static constexpr uint64_t BYTES = 300000;

    Ptr<HpccUdpApplication> Add(uint64_t bytes, Time at)
    {
        return DynamicCast<HpccUdpApplication>(
            m_net.udp.Add(m_net.fabric.GetNodes().Get(0),
                          InetSocketAddress(HpccInternetHelper::GetIpv4Address(1), 5000),
                          bytes,
                          at));
    }

    void DoRun() override
    {
        m_net.Make(HpccTopology::Star(2, LINKS));
        Ptr<HpccUdpNic> nic = m_net.NicOf(0);
        nic->SetAttribute("ForgetAfter", TimeValue(NanoSeconds(1)));
        UdpServerHelper(5000).Install(m_net.fabric.GetNodes().Get(1));
        auto first = Add(BYTES, MicroSeconds(10));
        for (uint32_t i = 0; i < SHORT_FLOWS; ++i)
        {
            Add(1000, MicroSeconds(200 + i));
        }
        Simulator::Schedule(MicroSeconds(1500), [this, nic] {
            NS_TEST_EXPECT_MSG_EQ(nic->GetFlows(), 0, "flows when all have ended");
            NS_TEST_EXPECT_MSG_LT(nic->GetEndedFlows(), SHORT_FLOWS, "flows remembered");
            for (uint32_t i = 0; i + SHORT_FLOWS + 1 < PORTS; ++i)
            {
                auto socket = Socket::CreateSocket(m_net.fabric.GetNodes().Get(0),
                                                   TypeId::LookupByName("ns3::UdpSocketFactory"));
                socket->Bind();
                socket->Close();
            }
        });
        auto last = Add(BYTES, MicroSeconds(1600));
        Simulator::Stop(MilliSeconds(3));
        Simulator::Run();
        for (const auto& sender : {first, last})
        {
            NS_TEST_EXPECT_MSG_EQ(sender->HasFinished(), true, "finished");
            NS_TEST_EXPECT_MSG_EQ(sender->GetWindow().GetReceived(), BYTES, "received");
            NS_TEST_EXPECT_MSG_EQ(sender->GetWindow().GetLost(), 0, "lost");
        }
        NS_TEST_EXPECT_MSG_EQ(nic->GetFlows(), 0, "flows in the end");
    }
};

class HpccUdpPortsTestSuite : public TestSuite
{
  public:
    HpccUdpPortsTestSuite()
        : TestSuite("hpcc-udp-ports", Type::SYSTEM)
    {
        AddTestCase(new EndedFlowsTestCase);
    }
};

HpccUdpPortsTestSuite g_hpccUdpPortsTestSuite; ///< the suite

} // namespace
