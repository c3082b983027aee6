/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-network.h"

#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-pfc-watchdog.h"
#include "ns3/qbb-egress.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"

#include <algorithm>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint32_t SWITCHES = 4;

/**
 * Tests a deadlock in a ring of switches, each with one host. All messages cross two links of the
 * ring in the same direction. Therefore the offered load of each link of the ring is twice its
 * rate, and each switch waits until the next switch has free memory.
 */
class RingTestCase : public TestCase
{
  public:
    RingTestCase(const std::string& watchdog, bool resolves, const std::string& name)
        : TestCase(name),
          m_watchdog(watchdog),
          m_resolves(resolves)
    {
    }

  private:
    void DoRun() override
    {
        HpccTopology topology;
        for (uint32_t node = 0; node < 2 * SWITCHES; ++node)
        {
            topology.AddNode(node >= SWITCHES);
        }
        for (uint32_t i = 0; i < SWITCHES; ++i)
        {
            topology.AddLink({i, SWITCHES + i, DataRate("100Gbps"), MicroSeconds(1), 0});
        }
        for (uint32_t i = 0; i < SWITCHES; ++i)
        {
            topology.AddLink({SWITCHES + i,
                              SWITCHES + (i + 1) % SWITCHES,
                              DataRate("100Gbps"),
                              MicroSeconds(1),
                              0});
        }
        HpccFabricHelper fabric;
        fabric.SetBufferAttribute("Alpha", DoubleValue(1.0 / 128));
        fabric.SetMaxLag(MicroSeconds(1));
        fabric.Install(topology);
        fabric.AssignStreams(1);
        RouteClockwise(fabric);
        if (!m_watchdog.empty())
        {
            Config::SetDefault("ns3::PfcWatchdog::DetectionTime", StringValue("500us"));
            fabric.AddSwitchAgent(m_watchdog);
            for (uint32_t i = 0; i < SWITCHES; ++i)
            {
                auto watchdog = fabric.GetNodes().Get(SWITCHES + i)->GetObject<PfcWatchdog>();
                watchdog->TraceConnectWithoutContext("Storm",
                                                     MakeCallback(&RingTestCase::Storm, this));
                watchdog->TraceConnectWithoutContext("StormEnd",
                                                     MakeCallback(&RingTestCase::StormEnd, this));
            }
        }
        for (uint32_t host = 0; host < SWITCHES; ++host)
        {
            fabric.GetHost(host)->TraceConnectWithoutContext(
                "MessageAcknowledged",
                MakeCallback(&RingTestCase::Acknowledged, this));
            const uint32_t queuePair =
                fabric.Connect(host, (host + 2) % SWITCHES, HpccFabricHelper::MakePolicy("none"));
            fabric.AddMessage(host, queuePair, 5'000'000, Seconds(0));
        }
        fabric.EndAt(MilliSeconds(60));
        Simulator::Run();
        Check(fabric);
        Simulator::Destroy();
        Config::Reset();
    }

    void Check(const HpccFabricHelper& fabric)
    {
        uint64_t dropped = 0;
        uint64_t other = 0;
        for (const auto& device : fabric.GetDevices())
        {
            dropped += device->GetDrops(DropReason::PFC_WATCHDOG);
            other += device->GetDrops();
        }
        NS_TEST_ASSERT_MSG_EQ(other - dropped, 0, "drops for other reasons");
        auto cycle = fabric.FindPauseCycle();
        if (m_resolves)
        {
            NS_TEST_ASSERT_MSG_EQ(m_finished, SWITCHES, "messages");
            NS_TEST_ASSERT_MSG_EQ(cycle.size(), 0, "switches that wait for one another");
            NS_TEST_ASSERT_MSG_GT(dropped, 0, "frames dropped by the watchdog");
            NS_TEST_ASSERT_MSG_EQ(m_ends, m_storms, "storms that have ended");
            return;
        }
        NS_TEST_ASSERT_MSG_EQ(m_finished, 0, "messages of a ring that waits for itself");
        NS_TEST_ASSERT_MSG_EQ(dropped, 0, "frames dropped");
        NS_TEST_ASSERT_MSG_EQ(cycle.size(), SWITCHES, "switches that wait for one another");
        const auto first = std::find(cycle.begin(), cycle.end(), SWITCHES);
        NS_TEST_ASSERT_MSG_EQ((first != cycle.end()), true, "the first switch is one of them");
        std::rotate(cycle.begin(), first, cycle.end());
        for (uint32_t i = 0; i < SWITCHES; ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(cycle[i], SWITCHES + i, "each waits for the next of the ring");
        }
        // There is a storm at one queue per link of the ring, and there is none at the queues to
        // hosts.
        const uint32_t expected = m_watchdog.empty() ? 0 : SWITCHES;
        NS_TEST_ASSERT_MSG_EQ(m_storms, expected, "storms");
        NS_TEST_ASSERT_MSG_EQ(m_ends, 0, "storms that have ended");
    }

    /// @param fabric network whose routes are set, such that all of them lead in the same direction
    static void RouteClockwise(HpccFabricHelper& fabric)
    {
        for (uint32_t i = 0; i < SWITCHES; ++i)
        {
            // Port 0 leads to the host. The links of the ring were added in order. Port 1 of switch
            // 0 leads to switch 1, and port 2 to the last switch. At all other switches, port 2
            // leads to the next switch.
            const uint16_t onward = i == 0 ? 1 : 2;
            for (uint32_t host = 0; host < SWITCHES; ++host)
            {
                fabric.GetSwitch(SWITCHES + i)
                    ->GetRoutes()
                    .SetRoute(HpccFabricHelper::GetAddress(host),
                              {host == i ? uint16_t{0} : onward});
            }
        }
    }

    void Acknowledged(const RdmaMessageRecord&)
    {
        ++m_finished;
    }

    void Storm(uint32_t, uint32_t port, uint8_t, int64_t sinceNs, uint64_t bytes)
    {
        ++m_storms;
        NS_TEST_EXPECT_MSG_GT(port, 0, "the port of a storm is one of the ring");
        NS_TEST_EXPECT_MSG_GT(bytes, 0, "frames wait in a storm");
        NS_TEST_EXPECT_MSG_GT(sinceNs, 0, "start of the pause");
    }

    void StormEnd(uint32_t, uint32_t, uint8_t, int64_t, uint64_t)
    {
        ++m_ends;
    }

    std::string m_watchdog; ///< short name; empty for none
    bool m_resolves;        ///< true if the watchdog resolves the deadlock
    uint32_t m_finished{0}; ///< number of completed messages
    uint32_t m_storms{0};   ///< number of storms that have started
    uint32_t m_ends{0};     ///< number of storms that have ended
};

/**
 * Tests two switches that pause each other without a cyclic buffer dependency. At each switch, a
 * single message to a slow host at the other switch waits.
 */
class SlowHostsTestCase : public TestCase
{
  public:
    SlowHostsTestCase()
        : TestCase("switches that pause each other for slow hosts are no circle")
    {
    }

  private:
    void DoRun() override
    {
        HpccTopology topology;
        for (uint32_t node = 0; node < 6; ++node)
        {
            topology.AddNode(node >= 4);
        }
        for (uint32_t host = 0; host < 4; ++host)
        {
            topology.AddLink({host, 4 + host % 2, DataRate("100Gbps"), MicroSeconds(1), 0});
        }
        topology.AddLink({4, 5, DataRate("100Gbps"), MicroSeconds(1), 0});
        HpccFabricHelper fabric;
        fabric.SetBufferAttribute("Alpha", DoubleValue(1.0 / 128));
        fabric.Install(topology);
        fabric.AssignStreams(1);
        for (uint32_t sender : {0U, 1U})
        {
            const uint32_t receiver = 3 - sender; // host at the other switch
            fabric.GetHost(receiver)->GetPort().SetAttribute("ReceiveDrainRate",
                                                             StringValue("100Mbps"));
            const uint32_t queuePair =
                fabric.Connect(sender, receiver, HpccFabricHelper::MakePolicy("none"));
            fabric.AddMessage(sender, queuePair, 20'000'000, Seconds(0));
        }
        fabric.EndAt(MilliSeconds(3));
        Simulator::Run();
        for (uint32_t end : {8U, 9U})
        {
            const auto& trunk = fabric.GetDevices()[end];
            uint32_t paused = 0;
            for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
            {
                paused += trunk->IsPaused(priority) && trunk->GetQueueBytes(priority) > 0;
            }
            NS_TEST_EXPECT_MSG_EQ(paused, 1, "queues that wait at end " << end);
        }
        NS_TEST_EXPECT_MSG_EQ(fabric.FindPauseCycle().size(), 0, "switches of a circle");
        Simulator::Destroy();
    }
};

/// Tests a port that is paused for a long time, at first with an empty queue.
class EmptyQueueTestCase : public NetworkTestCase
{
  public:
    EmptyQueueTestCase()
        : NetworkTestCase("a queue that is paused for long and empty is no storm, and is one once "
                          "a frame waits in it")
    {
    }

  private:
    void DoRun() override
    {
        MakeStar(2, "8Gbps", NanoSeconds(100));
        auto watchdog = CreateObject<PfcWatchdog>();
        watchdog->SetAttribute("DetectionTime", TimeValue(MicroSeconds(10)));
        m_switch->AddAgent(PeekPointer(watchdog));
        // The pause lasts 65535 quanta of 64 ns.
        m_ports[1]->Emit(MakePfc(*m_ports[1], 1 << 3, {0, 0, 0, 65535, 0, 0, 0, 0}));
        uint64_t whileEmpty = UINT64_MAX;
        At(MicroSeconds(100), [this, watchdog, &whileEmpty] {
            whileEmpty = watchdog->GetStorms();
            Send(0, {});
        });
        Simulator::Stop(MicroSeconds(200));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_switch->GetPorts()[1]->IsPaused(3), true, "is paused");
        NS_TEST_EXPECT_MSG_EQ(whileEmpty, 0, "storms while the queue is empty");
        NS_TEST_EXPECT_MSG_EQ(watchdog->GetStorms(), 1, "storms once a frame waits");
        NS_TEST_EXPECT_MSG_LT(Simulator::GetEventCount(), 1000, "events: a check every 1 us");
    }
};

/// Tests a port that resumes for less than the time between two checks, and is paused again.
class TwoPausesTestCase : public NetworkTestCase
{
  public:
    TwoPausesTestCase()
        : NetworkTestCase("a pause that begins soon after one in a storm is a storm of its own")
    {
    }

  private:
    void Ended(uint32_t, uint32_t, uint8_t, int64_t sinceNs, uint64_t)
    {
        m_ended.push_back(sinceNs);
    }

    void DoRun() override
    {
        MakeStar(2, "8Gbps", NanoSeconds(100));
        auto watchdog = CreateObject<PfcWatchdog>();
        watchdog->SetAttribute("DetectionTime", TimeValue(MicroSeconds(10)));
        watchdog->TraceConnectWithoutContext("StormEnd",
                                             MakeCallback(&TwoPausesTestCase::Ended, this));
        m_switch->AddAgent(PeekPointer(watchdog));
        const auto pause = [this](uint16_t quanta) {
            m_ports[1]->Emit(MakePfc(*m_ports[1], 1 << 3, {0, 0, 0, quanta, 0, 0, 0, 0}));
        };
        pause(65535);
        for (uint32_t i = 0; i < 4; ++i)
        {
            Send(0, {});
        }
        At(NanoSeconds(50100), [pause] {
            pause(0);
            pause(65535);
        });
        Simulator::Stop(MicroSeconds(90));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_GT(m_switch->GetPorts()[1]->GetEgress().GetQueueBytes(3), 0, "waits");
        NS_TEST_EXPECT_MSG_EQ(watchdog->GetStorms(), 2, "storms");
        NS_TEST_EXPECT_MSG_EQ(m_ended.size(), 1, "storms that have ended");
        const int64_t sinceNs = m_ended.empty() ? INT64_MAX : m_ended[0];
        NS_TEST_EXPECT_MSG_LT(sinceNs, 1000, "start of the first pause, ns");
    }

    std::vector<int64_t> m_ended; ///< starts of the pauses of storms that have ended, ns
};

class HpccWatchdogTestSuite : public TestSuite
{
  public:
    HpccWatchdogTestSuite()
        : TestSuite("hpcc-watchdog", Type::UNIT)
    {
        AddTestCase(new RingTestCase("",
                                     false,
                                     "a ring of switches without congestion control "
                                     "waits for itself, and the circle is named"));
        AddTestCase(new RingTestCase("pfc-watchdog",
                                     false,
                                     "the watchdog reports one storm per link of the ring"));
        AddTestCase(new RingTestCase("pfc-watchdog:drop",
                                     true,
                                     "the watchdog that drops lets all messages through"));
        AddTestCase(new SlowHostsTestCase);
        AddTestCase(new EmptyQueueTestCase);
        AddTestCase(new TwoPausesTestCase);
    }
};

HpccWatchdogTestSuite g_hpccWatchdogTestSuite; ///< registers itself

} // namespace
