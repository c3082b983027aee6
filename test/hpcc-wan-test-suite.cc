/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests HPCC++ without PFC over links with a delay of 10 ms.

#include "hpcc-test-rdma.h"
#include "hpcc-test-seeds.h"

#include "ns3/config.h"

#include <algorithm>
#include <map>
#include <string>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr int64_t T_NS = 40'000'000;
constexpr double LINE_BPS = 10e9;
constexpr uint32_t BDP_PACKETS = 50'000;

/// Base class with two hosts at each end of two consecutive links with a delay of 10 ms and a rate
/// of 10 Gb/s.
class WanTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    /**
     * Installs the network.
     * @param loss loss rate of each long link
     * @param cap limit of packets in flight, packets
     */
    void InstallWan(double loss, uint32_t cap)
    {
        Config::SetDefault("ns3::RdmaIrn::RtoLow", TimeValue(MilliSeconds(120)));
        Config::SetDefault("ns3::RdmaIrn::RtoHigh", TimeValue(MilliSeconds(120)));
        Config::SetDefault("ns3::RdmaIrn::BdpCap", UintegerValue(cap));
        Fabric().SetHostAttribute("Recovery", StringValue("irn"));
        Fabric().SetDeviceAttribute("PfcEnabled", BooleanValue(false));
        const DataRate rate("10Gbps");
        HpccTopology topology;
        for (bool isSwitch : {false, false, false, false, true, true, true})
        {
            topology.AddNode(isSwitch);
        }
        topology.AddLink({4, 5, rate, MilliSeconds(10), loss});
        topology.AddLink({5, 6, rate, MilliSeconds(10), loss});
        for (uint32_t host = 0; host < 4; ++host)
        {
            topology.AddLink({host, host < 2 ? 4U : 6U, rate, MicroSeconds(1)});
        }
        Install(topology);
        NS_TEST_EXPECT_MSG_EQ_TOL(Fabric().GetNetworkBaseRttNs(), T_NS, T_NS / 1000, "T");
    }

    /**
     * Returns the completion time of one transfer, ns.
     * @param loss see InstallWan()
     * @param cap see InstallWan()
     * @param bytes payload
     */
    int64_t Transfer(double loss, uint32_t cap, uint64_t bytes)
    {
        InstallWan(loss, cap);
        m_acknowledged.clear();
        const uint32_t qp = Fabric().Connect(0, 2, HpccFabricHelper::MakePolicy("hpcc++"));
        Post(0, qp, bytes);
        Simulator::Run();
        m_drops = GetDrops();
        m_again = Host(0).GetQueuePair(qp).retransmissions;
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), 1, "messages");
        NS_TEST_EXPECT_MSG_EQ(Host(2).GetQueuePair(0).receivedBytes, bytes, "bytes in order");
        const int64_t endNs = m_acknowledged.empty() ? 0 : m_acknowledged.front().completedNs;
        DoTeardown();
        return endNs;
    }

    void DoTeardown() override
    {
        Config::Reset();
        RdmaTestCase::DoTeardown();
    }

    uint64_t m_drops{0}; ///< number of drops in the last transfer
    uint64_t m_again{0}; ///< number of retransmitted packets in the last transfer
};

class LossTestCase : public WanTestCase
{
  public:
    LossTestCase()
        : WanTestCase("over 40 ms hpcc++ fills the link, and losses cost what is sent again")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t bytes = 300'000'000;
        const int64_t cleanNs = Transfer(0, 3 * BDP_PACKETS, bytes);
        NS_TEST_EXPECT_MSG_EQ(m_drops + m_again, 0, "drops and packets sent again");
        // A packet has 1000 bytes of payload and 118 bytes of headers and telemetry. One round trip
        // is subtracted from the completion time. Eta is 0.95. In addition, the queue of the first
        // round trips reduces the rate below eta for some time.
        const double bestNs = bytes * 1.118 * 8e9 / LINE_BPS;
        NS_TEST_EXPECT_MSG_LT(static_cast<double>(cleanNs - T_NS), bestNs / 0.85, "use");
        const int64_t lossyNs = Transfer(1e-4, 3 * BDP_PACKETS, bytes);
        NS_TEST_EXPECT_MSG_GT(m_drops, 50, "losses in 300,000 packets and their ACKs");
        NS_TEST_EXPECT_MSG_GT(m_again, 25, "packets sent again");
        NS_TEST_EXPECT_MSG_LT(m_again, m_drops + 20, "no others");
        NS_TEST_EXPECT_MSG_LT(lossyNs, cleanNs + 2 * T_NS, "time with losses");
        // With a limit of one bandwidth-delay product, the default of IRN, the sender stops until
        // the retransmitted packet has arrived. This takes a round trip.
        NS_TEST_EXPECT_MSG_GT(Transfer(1e-4, BDP_PACKETS, bytes),
                              lossyNs + T_NS,
                              "time with losses and IRN's limit");
    }
};

class JoinTestCase : public WanTestCase
{
  public:
    JoinTestCase()
        : WanTestCase(
              "a flow that joins at line rate overflows the switch once, and 15 round trips "
              "later the queue is short and the link in use")
    {
    }

  private:
    void DoRun() override
    {
        constexpr int64_t joinNs = 5 * T_NS;
        constexpr int64_t settledNs = joinNs + 15 * T_NS;
        constexpr int64_t endNs = settledNs + 5 * T_NS;
        InstallWan(0, 3 * BDP_PACKETS);
        QbbNetDevice& port = *Fabric().GetDevices()[0];
        double linkBytes = 0;
        uint64_t peak = 0;
        uint64_t dropsBefore = 0;
        OnTransmit(port, [&](int64_t nowNs, const Frame& frame) {
            linkBytes += nowNs >= settledNs ? port.GetLinkBytes(frame.bytes) : 0;
        });
        OnQueue(port, [&](int64_t nowNs, uint64_t bytes) {
            peak = nowNs >= settledNs ? std::max(peak, bytes) : 0;
        });
        At(NanoSeconds(settledNs), [&] { dropsBefore = GetDrops(); });
        for (uint32_t i = 0; i < 2; ++i)
        {
            Post(i,
                 Fabric().Connect(i, 2 + i, HpccFabricHelper::MakePolicy("hpcc++")),
                 5'000'000'000,
                 NanoSeconds(i * joinNs));
        }
        Fabric().EndAt(NanoSeconds(endNs));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_GT(dropsBefore, 0, "drops of the join");
        NS_TEST_EXPECT_MSG_EQ(GetDrops(), dropsBefore, "drops after it");
        NS_TEST_EXPECT_MSG_LT(peak, 20'000, "queue");
        // With MaxStage 5, the rate returns to eta in every sixth round.
        NS_TEST_EXPECT_MSG_GT(linkBytes * 8e9 / (endNs - settledNs), 0.8 * LINE_BPS, "use");
    }
};

class HpccWanTestSuite : public TestSuite
{
  public:
    HpccWanTestSuite()
        : TestSuite("hpcc-wan", Type::SYSTEM)
    {
        if (FullOrShort(true, false))
        {
            AddTestCase(new LossTestCase);
        }
        AddTestCase(new JoinTestCase);
    }
};

HpccWanTestSuite g_hpccWanTestSuite; ///< registers itself

} // namespace
