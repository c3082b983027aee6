/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests the buffer of a switch: limits of lossy classes, headroom of lossless classes, and an empty
// buffer at the end.

#include "hpcc-test-drops.h"
#include "hpcc-test-network.h"

#include "ns3/double.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-node-agenda.h"
#include "ns3/hpcc-shared-buffer.h"
#include "ns3/hpcc-telemetry-agent.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string>

using namespace ns3;
using namespace hpcctest;

namespace
{

class EgressLimitTestCase : public NetworkTestCase
{
  public:
    EgressLimitTestCase()
        : NetworkTestCase("a lossy class is limited at its egress queue: what is over is dropped, "
                          "counted and traced, and nobody is paused")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t frames = 2000;
        m_buffer.Set("BufferBytes", UintegerValue(1000000));
        m_buffer.Set("HeadroomBytes", UintegerValue(10000));
        m_buffer.Set("ReservedBytes", UintegerValue(1000));
        m_buffer.Set("EgressAlpha", DoubleValue(0.5));
        m_marker.Set("Enabled", BooleanValue(false));
        MakeStar(3, "8Gbps", NanoSeconds(100));
        DropLog log;
        log.Watch(*m_switch);
        uint64_t peak = 0;
        Observer observer;
        observer.onDequeue = [&peak](QbbNetDevice& port, Frame&, int64_t) {
            peak = std::max(peak, port.GetQueueBytes(0) + 1000);
        };
        m_switch->AddAgent(&observer);
        for (uint32_t host = 0; host < 2; ++host)
        {
            m_hosts[host]->make = [this, host](uint8_t) {
                return MakeFrame(*m_ports[host], {1000, 0, 0, host, 2});
            };
            m_hosts[host]->toPull[0] = frames;
            m_ports[host]->Kick(0);
        }
        Simulator::Run();
        uint64_t dropped = CountDrops(*m_switch, DropReason::EGRESS_LIMIT);
        NS_TEST_ASSERT_MSG_EQ(log.Get(DropReason::EGRESS_LIMIT), dropped, "all are traced");
        NS_TEST_ASSERT_MSG_EQ(log.GetAll(), dropped, "for no other reason");
        NS_TEST_ASSERT_MSG_EQ(m_hosts[2]->arrivals.size() + dropped, 2 * frames, "conservation");
        // q = alpha (S - s) + r with s = q - 2 r; 24 reservations and 3 headrooms are set aside.
        double shared = 1000000 - 24 * 1000 - 3 * 10000;
        double limit = (0.5 * (shared + 2 * 1000) + 1000) / 1.5;
        NS_TEST_ASSERT_MSG_EQ_TOL(static_cast<double>(peak), limit, 2000, "longest queue");
        NS_TEST_ASSERT_MSG_EQ_TOL(
            static_cast<double>(dropped),
            frames - limit / 1000,
            3,
            "drops: what two hosts send less what one link and the queue take");
        for (const auto& port : m_ports)
        {
            NS_TEST_ASSERT_MSG_EQ(port->GetPauses(), 0, "pauses");
        }
        NS_TEST_ASSERT_MSG_EQ(m_switch->GetBuffer()->IsEmpty(), true, "empty in the end");
    }
};

/**
 * Tests a burst while other queues are congested. Two hosts keep three queues of priority 1
 * congested. After 1 ms, two further hosts send a burst of priority 2 to another port. B is the
 * memory, and Q is the memory in use. Alpha is 0.5 in both policies.
 */
class BackgroundTestCase : public NetworkTestCase
{
  public:
    /**
     * @param policy class of the buffer policy
     * @param attribute attribute of the policy that sets Alpha
     * @param share peak of the queue of the burst as a share of B
     */
    BackgroundTestCase(const std::string& policy, const std::string& attribute, double share)
        : NetworkTestCase(policy + " leaves " + std::to_string(share) +
                          " of the memory to a burst of another priority than congested queues"),
          m_policy(policy),
          m_attribute(attribute),
          m_share(share)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t senders = 8;
        constexpr double memory = 1e6;
        m_buffer.SetTypeId(m_policy);
        m_buffer.Set("BufferBytes", UintegerValue(static_cast<uint64_t>(memory)));
        m_buffer.Set(m_attribute, DoubleValue(0.5));
        if (m_policy == "ns3::SharedBuffer")
        {
            m_buffer.Set("ReservedBytes", UintegerValue(0));
        }
        m_marker.Set("Enabled", BooleanValue(false));
        m_device.Set("LosslessPriorities", UintegerValue(0));
        m_device.Set("DscpToPriority", StringValue(DSCP_IS_PRIORITY));
        MakeStar(12, "8Gbps", NanoSeconds(100));
        uint64_t peak = 0;
        Observer observer;
        observer.onDequeue = [&peak](QbbNetDevice& port, Frame&, int64_t) {
            peak = std::max(peak, port.GetQueueBytes(2) + 1000);
        };
        m_switch->AddAgent(&observer);
        for (uint32_t host = 0; host < senders; ++host)
        {
            const uint32_t receiver = senders + host / 2;
            m_hosts[host]->make = [this, host, receiver](uint8_t priority) {
                return MakeFrame(*m_ports[host], {1000, priority, 0, host, receiver});
            };
            const bool burst = host >= 6;
            Simulator::Schedule(burst ? MilliSeconds(1) : Time(0), [this, host, burst] {
                m_hosts[host]->toPull[burst ? 2 : 1] = burst ? 800 : 3000;
                m_ports[host]->Kick(burst ? 2 : 1);
            });
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(peak) / memory, m_share, 0.005, "the burst");
        NS_TEST_EXPECT_MSG_EQ(m_switch->GetBuffer()->IsEmpty(), true, "empty in the end");
    }

    std::string m_policy;
    std::string m_attribute;
    double m_share;
};

/**
 * Tests the worst case for headroom. The receiver has paused the switch, shared memory is used up,
 * and frames of the largest size arrive without gaps. The PFC frame waits for the transmission of a
 * frame of the largest size through the same port. In repeated runs, this transmission has been in
 * progress for 0 up to its whole duration.
 */
class HeadroomTestCase : public NetworkTestCase
{
  public:
    HeadroomTestCase(uint32_t gbps, int64_t delayNs, uint16_t mtu, uint8_t lossless)
        : NetworkTestCase(
              "computed headroom suffices at " + std::to_string(gbps) + " Gbps and " +
              std::to_string(delayNs) + " ns with packets of " + std::to_string(mtu) +
              " bytes, lossless priorities: " + std::to_string(__builtin_popcount(lossless))),
          m_gbps(gbps),
          m_delayNs(delayNs),
          m_mtu(mtu),
          m_lossless(lossless)
    {
    }

  private:
    void DoRun() override
    {
        m_device.Set("Mtu", UintegerValue(m_mtu));
        m_device.Set("LosslessPriorities", UintegerValue(m_lossless));
        m_buffer.Set("ReservedBytes", UintegerValue(0));
        m_buffer.Set("Alpha", DoubleValue(1e-6));
        m_buffer.Set("BufferBytes", UintegerValue(1U << 27));
        MakeStar(2, std::to_string(m_gbps) + "Gbps", NanoSeconds(m_delayNs));
        uint32_t frameBytes = m_mtu + ETHERNET_HEADER_BYTES;
        uint32_t linkBytes = m_ports[0]->GetLinkBytes(frameBytes);
        auto frameNs = static_cast<int64_t>(linkBytes * 8 / m_gbps + 1);
        std::array<uint64_t, 2> arrived{};
        std::array<uint64_t, 2> sent{};
        for (uint32_t host = 0; host < 2; ++host)
        {
            m_hosts[host]->keepNotes = false;
            m_hosts[host]->make = [this, host, frameBytes](uint8_t priority) {
                return MakeFrame(*m_ports[host], {frameBytes, priority, 0, host, 1 - host});
            };
            m_hosts[host]->onReceive = [&arrived, host](Frame&, int64_t) { ++arrived[host]; };
            m_hosts[host]->onStart = [&sent, host](Frame& frame, int64_t) {
                sent[host] += frame.kind != Frame::Kind::PFC;
            };
        }
        uint64_t peak = 0;
        Observer observer;
        observer.onEnqueue = [&peak](QbbNetDevice& port, Frame& frame, int64_t) {
            if (port.GetPortIndex() == 1)
            {
                peak = std::max(peak, port.GetQueueBytes(frame.priority) + frame.bytes);
            }
        };
        m_switch->AddAgent(&observer);

        int64_t roundTripNs = 2 * m_delayNs + 3 * frameNs;
        int64_t episodes = std::clamp<int64_t>(20000 / (roundTripNs / frameNs), 10, 300);
        for (int64_t i = 0; i < episodes; ++i)
        {
            int64_t beginNs = i * 8 * roundTripNs;
            int64_t sendNs = beginNs + roundTripNs;
            int64_t phaseNs = 1 + (i == 0 ? 0 : i * frameNs / episodes);
            AtAll(beginNs, [this](uint8_t p) { m_ports[1]->RequestPause(p); });
            At(NanoSeconds(sendNs - phaseNs), [this, frameBytes] {
                Send(1, {frameBytes, 0, 0, 1, 0});
            });
            AtAll(sendNs, [this](uint8_t p) {
                m_hosts[0]->toPull[p] = UINT64_MAX;
                m_ports[0]->Kick(0);
            });
            AtAll(sendNs + 2 * roundTripNs, [this](uint8_t p) { m_hosts[0]->toPull[p] = 0; });
            AtAll(sendNs + 3 * roundTripNs, [this](uint8_t p) { m_ports[1]->ReleasePause(p); });
        }
        Simulator::Run();

        uint64_t headroom = DynamicCast<SharedBuffer>(m_switch->GetBuffer())->GetHeadroomBytes(0);
        NS_TEST_ASSERT_MSG_EQ(CountDrops(*m_switch, DropReason::BUFFER_FULL), 0, "drops");
        NS_TEST_ASSERT_MSG_LT_OR_EQ(peak, headroom, "bytes held");
        NS_TEST_ASSERT_MSG_EQ(arrived[1], sent[0], "frames there");
        NS_TEST_ASSERT_MSG_EQ(arrived[0], sent[1], "frames back");
        NS_TEST_ASSERT_MSG_EQ(sent[1], static_cast<uint64_t>(episodes), "frames back");
        NS_TEST_ASSERT_MSG_EQ(m_switch->GetBuffer()->IsEmpty(), true, "empty in the end");
        NS_TEST_ASSERT_MSG_GT_OR_EQ(m_ports[0]->GetPauses(),
                                    static_cast<uint64_t>(episodes),
                                    "pauses");
        NS_TEST_ASSERT_MSG_EQ(m_ports[0]->GetPausesEnded(), m_ports[0]->GetPauses(), "all closed");
        if (__builtin_popcount(m_lossless) == 1)
        {
            // A single lossless priority is the worst case. In this case the headroom exceeds the
            // peak only because of the rounding to whole frames and because of link overhead, which
            // is not stored in the buffer.
            double onLink = static_cast<double>(peak) / frameBytes * linkBytes;
            NS_TEST_ASSERT_MSG_GT_OR_EQ(onLink,
                                        2.0 * static_cast<double>(m_delayNs) * m_gbps / 8 +
                                            2 * linkBytes,
                                        "link bytes held");
        }
    }

    /**
     * Schedules an action for each lossless priority.
     * @param atNs time of the action
     * @param action the action; gets the priority
     */
    void AtAll(int64_t atNs, const std::function<void(uint8_t)>& action)
    {
        At(NanoSeconds(atNs), [this, action] {
            for (uint8_t p = 0; p < PRIORITIES; ++p)
            {
                if (m_lossless >> p & 1)
                {
                    action(p);
                }
            }
        });
    }

    uint32_t m_gbps;    ///< line rate
    int64_t m_delayNs;  ///< propagation delay
    uint16_t m_mtu;     ///< MTU of every device
    uint8_t m_lossless; ///< lossless priorities
};

/// Tests the pauses that a switch requests while, for 2 ms, two hosts overload the port of a third
/// host.
class PauseRequestTestCase : public NetworkTestCase
{
  public:
    explicit PauseRequestTestCase(bool fails)
        : NetworkTestCase(fails ? "a switch pauses a neighbour anew whose link has failed while it "
                                  "was paused"
                                : "a switch requests a pause once, and does not repeat it with "
                                  "every frame that still comes"),
          m_fails(fails)
    {
    }

  private:
    void DoRun() override
    {
        m_buffer.Set("BufferBytes", UintegerValue(400000));
        m_buffer.Set("HeadroomBytes", UintegerValue(10000));
        m_buffer.Set("Alpha", DoubleValue(1));
        m_buffer.Set("ResumeOffset", UintegerValue(50000)); // such that no pause ends while the
                                                            // link is down
        MakeStar(3, "8Gbps", NanoSeconds(1000));
        for (uint32_t host = 0; host < 2; ++host)
        {
            m_hosts[host]->make = [this, host](uint8_t priority) {
                return MakeFrame(*m_ports[host], {1000, priority, 0, host, 2});
            };
            m_hosts[host]->toPull[3] = 1000;
            m_ports[host]->Kick(0);
            m_switch->GetPorts()[host]->TraceConnectWithoutContext(
                "PfcSent",
                MakeCallback(&PauseRequestTestCase::Sent, this));
        }
        m_ports[0]->TraceConnectWithoutContext("PauseStart",
                                               MakeCallback(&PauseRequestTestCase::Paused, this));
        Simulator::Run();
        const uint64_t pauses = m_ports[0]->GetPauses() + m_ports[1]->GetPauses();
        NS_TEST_EXPECT_MSG_GT(pauses, 2, "pauses");
        NS_TEST_EXPECT_MSG_EQ(CountDrops(*m_switch, DropReason::BUFFER_FULL), 0, "drops");
        NS_TEST_EXPECT_MSG_EQ(m_switch->GetBuffer()->IsEmpty(), true, "empty in the end");
        if (m_fails)
        {
            NS_TEST_EXPECT_MSG_GT(m_ports[0]->GetPauses(), FAILS_IN_PAUSE, "paused again");
        }
        else
        {
            // A pause expires only after 4.2 ms. All pauses in this test are much shorter, so none
            // must be renewed.
            NS_TEST_EXPECT_MSG_EQ(m_requests, pauses, "PFC frames that ask for a pause");
        }
    }

    void Sent(uint8_t, uint16_t quanta)
    {
        m_requests += quanta > 0;
    }

    void Paused(uint8_t, int64_t nowNs)
    {
        if (++m_pauses == FAILS_IN_PAUSE && m_fails)
        {
            for (auto* port : {PeekPointer(m_ports[0]), m_switch->GetPorts()[0]})
            {
                port->ScheduleLink(nowNs + 1000, false);
                port->ScheduleLink(nowNs + 2000, true);
            }
        }
    }

    static constexpr uint64_t FAILS_IN_PAUSE =
        3; ///< number of pauses of host 0 until its link fails

    bool m_fails;           ///< true if the link of host 0 fails for 1 us during a pause
    uint64_t m_pauses{0};   ///< number of pauses of host 0
    uint64_t m_requests{0}; ///< number of PFC frames that request a pause
};

class DrainTestCase : public TestCase
{
  public:
    explicit DrainTestCase(const std::string& telemetry)
        : TestCase("after an incast with telemetry " + telemetry +
                   " over several switches every buffer counter is zero"),
          m_telemetry(telemetry)
    {
    }

  private:
    void DoRun() override
    {
        HpccFabricHelper fabric;
        fabric.SetBufferAttribute("Alpha", DoubleValue(1.0 / 256));
        auto topology = HpccTopology::LeafSpine(2, 2, 5, {});
        fabric.Install(topology);
        fabric.AssignStreams(1);
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", m_telemetry);
        uint32_t finished = 0;
        for (uint32_t host = 1; host < 10; ++host)
        {
            fabric.AddMessage(host, fabric.Connect(host, 0, spec), 100000, Seconds(0));
        }
        fabric.GetHost(0)->TraceConnectWithoutContext(
            "MessageDelivered",
            MakeBoundCallback(&DrainTestCase::Count, &finished));
        uint64_t inserted = 0;
        Simulator::Stop(MilliSeconds(50));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(finished, 9, "messages delivered");
        for (uint32_t node = 10; node < 14; ++node)
        {
            auto device = fabric.GetSwitch(node);
            NS_TEST_ASSERT_MSG_EQ(device->GetBuffer()->IsEmpty(), true, "switch " << node);
            NS_TEST_ASSERT_MSG_EQ(device->GetBuffer()->GetUsedBytes(), 0, "switch " << node);
            inserted += device->GetObject<TelemetryAgent>()->GetInserted();
        }
        NS_TEST_ASSERT_MSG_GT(inserted, 900, "records inserted");
        for (uint32_t node = 0; node < 14; ++node)
        {
            auto agenda = NodeAgenda::Of(fabric.GetNodes().Get(node));
            NS_TEST_ASSERT_MSG_EQ(agenda->Frames().GetOutstanding(), 0, "frames of node " << node);
        }
        Simulator::Destroy();
    }

    static void Count(uint32_t* finished, const RdmaMessageRecord&)
    {
        ++*finished;
    }

    std::string m_telemetry; ///< short name of the format
};

/// Tests the buffer of a switch.
class HpccSwitchBufferTestSuite : public TestSuite
{
  public:
    HpccSwitchBufferTestSuite()
        : TestSuite("hpcc-switch-buffer", Type::UNIT)
    {
        AddTestCase(new EgressLimitTestCase);
        // With dynamic thresholds, each of the four queues has Alpha (B - Q). With ABM, the queue
        // of the burst has Alpha (B - Q), and each of the three other queues has a third of this.
        AddTestCase(
            new BackgroundTestCase("ns3::SharedBuffer", "EgressAlpha", 0.5 / (1 + 4 * 0.5)));
        AddTestCase(new BackgroundTestCase("ns3::AbmBuffer", "Alpha", 0.5 / (1 + 2 * 0.5)));
        AddTestCase(new PauseRequestTestCase(false));
        AddTestCase(new PauseRequestTestCase(true));
        for (uint32_t gbps : {10, 25, 40, 50, 100, 200, 400, 800})
        {
            for (int64_t delayNs : {1, 100, 1000, 10000, 100000})
            {
                AddTestCase(new HeadroomTestCase(gbps, delayNs, 9000, 1 << 3));
            }
        }
        for (int64_t delayNs : {1, 1000})
        {
            AddTestCase(new HeadroomTestCase(100, delayNs, 1500, 1 << 3));
            AddTestCase(new HeadroomTestCase(100, delayNs, 576, 0xfe));
            AddTestCase(new HeadroomTestCase(800, delayNs, 1500, 0xfe));
        }
        AddTestCase(new DrainTestCase("sigcomm19"));
        AddTestCase(new DrainTestCase("int-md"));
    }
};

/// Registers the suite.
HpccSwitchBufferTestSuite g_hpccSwitchBufferTestSuite;

} // namespace
