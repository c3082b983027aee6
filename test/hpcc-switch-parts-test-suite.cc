/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests the exchangeable parts of a switch in a network: markers, schedulers and buffer policies.

#include "hpcc-test-drops.h"
#include "hpcc-test-network.h"

#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-static-buffer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr int64_t FRAME_NS = 1024; ///< transmission time of a frame of 1000 bytes with 24 bytes of
                                   ///< overhead at 8 Gb/s, ns

/// Tests marks by sojourn time: two hosts repeatedly send one frame each to a third host at the
/// same time.
class SojournTestCase : public NetworkTestCase
{
  public:
    SojournTestCase()
        : NetworkTestCase("a frame is marked exactly if it was in the switch for longer than the "
                          "threshold")
    {
    }

  private:
    void DoRun() override
    {
        // Frames 0 to 7 arrive in pairs and are sent one after the other. Frame k waits for ceil(k
        // / 2) frames.
        for (const auto& [thresholdNs, expected] : {std::pair(2 * FRAME_NS, "-----+++"),
                                                    std::pair(2 * FRAME_NS - 1, "---+++++"),
                                                    std::pair(int64_t{0}, "-+++++++"),
                                                    std::pair(4 * FRAME_NS, "--------")})
        {
            m_marker.SetTypeId("ns3::SojournMarker");
            m_marker.Set("Threshold", TimeValue(NanoSeconds(thresholdNs)));
            MakeStar(3, "8Gbps", NanoSeconds(100));
            NS_TEST_EXPECT_MSG_EQ(MarksOfTwoBursts(),
                                  expected,
                                  "threshold " << thresholdNs << " ns");
            DoTeardown();
        }
    }
};

/// Tests marks by CoDel while two hosts overload the port of a third host.
class CoDelTestCase : public NetworkTestCase
{
  public:
    CoDelTestCase()
        : NetworkTestCase("CoDel starts to mark one interval after the time in the switch exceeds "
                          "the target; further marks follow after the interval divided by the "
                          "square root of their number")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t frames = 400;
        constexpr int64_t targetNs = 5000;
        constexpr int64_t intervalNs = 20000;
        m_marker.SetTypeId("ns3::CoDelMarker");
        m_marker.Set("Target", TimeValue(NanoSeconds(targetNs)));
        m_marker.Set("Interval", TimeValue(NanoSeconds(intervalNs)));
        MakeStar(3, "8Gbps", NanoSeconds(100));
        for (uint32_t host : {0, 1})
        {
            m_hosts[host]->make = [this, host](uint8_t) {
                FrameSpec spec;
                spec.source = host;
                spec.destination = 2;
                spec.ecn = ECN_ECT0;
                return MakeFrame(*m_ports[host], spec);
            };
            m_hosts[host]->toPull[3] = frames;
            m_ports[host]->Kick(0);
        }
        std::vector<int64_t> starts;
        std::vector<int64_t> marks;
        Observer observer;
        observer.onDequeue = [&](QbbNetDevice&, Frame& frame, int64_t nowNs) {
            starts.push_back(nowNs);
            if ((frame.tos & 3) == ECN_CE)
            {
                marks.push_back(nowNs);
            }
        };
        m_switch->AddAgent(&observer);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(starts.size(), 2 * frames, "frames");
        // Frame k waits for ceil(k / 2) frames. Therefore frame 9 is the first frame whose delay
        // exceeds the target.
        static_assert((9 + 1) / 2 * FRAME_NS > targetNs && 8 / 2 * FRAME_NS < targetNs);
        const auto firstAt = [&starts](int64_t atNs) {
            return *std::lower_bound(starts.begin(), starts.end(), atNs);
        };
        std::vector<int64_t> expected{firstAt(starts[9] + intervalNs)};
        auto nextNs = static_cast<double>(expected.front());
        // The last two frames are not marked, because at most one frame remains when they are sent.
        const int64_t lastNs = starts[2 * frames - 3];
        for (int count = 1; nextNs + intervalNs / std::sqrt(count) <= static_cast<double>(lastNs);
             ++count)
        {
            nextNs += intervalNs / std::sqrt(count);
            expected.push_back(firstAt(static_cast<int64_t>(nextNs)));
        }
        NS_TEST_ASSERT_MSG_GT(expected.size(), 300, "more marks than intervals");
        NS_TEST_ASSERT_MSG_EQ_TOL(static_cast<double>(marks.size()),
                                  static_cast<double>(expected.size()),
                                  1,
                                  "marks");
        for (size_t i = 0; i < std::min(marks.size(), expected.size()); ++i)
        {
            // Rounding to ns may move a mark by one frame.
            NS_TEST_ASSERT_MSG_EQ_TOL(marks[i], expected[i], FRAME_NS, "mark " << i);
        }
    }
};

/// Tests the order of transmission if a host sends frames of one priority and, half a frame time
/// later, another host sends frames of a higher priority.
class OrderTestCase : public NetworkTestCase
{
  public:
    /**
     * @param name the sentence that the case proves
     * @param scheduler short name of the scheduler
     * @param priorities priorities of hosts 0 and 1
     * @param expected priorities in the order of transmission
     * @param perData attribute HeadersPerData of composite; 0 for the default
     */
    OrderTestCase(const std::string& name,
                  const std::string& scheduler,
                  std::array<uint8_t, 2> priorities,
                  const std::string& expected,
                  uint32_t perData = 0)
        : NetworkTestCase(name),
          m_name(scheduler),
          m_priorities(priorities),
          m_expected(expected),
          m_perData(perData)
    {
    }

  private:
    void DoRun() override
    {
        const bool found = HpccPresets::Find(EgressScheduler::GetTypeId(), m_name, m_scheduler);
        NS_TEST_ASSERT_MSG_EQ(found, true, m_name);
        if (m_perData > 0)
        {
            m_scheduler.Set("HeadersPerData", UintegerValue(m_perData));
        }
        m_device.Set("LosslessPriorities", UintegerValue(1 << 3 | 1 << 4));
        MakeStar(3, "8Gbps", NanoSeconds(100));
        for (uint32_t host : {0, 1})
        {
            At(NanoSeconds(500 * host), [this, host] {
                for (int i = 0; i < 5; ++i)
                {
                    FrameSpec spec;
                    spec.dscp = m_priorities[host];
                    spec.source = host;
                    spec.destination = 2;
                    Send(host, spec);
                }
            });
        }
        Simulator::Run();
        std::string order;
        for (const auto& note : m_hosts[2]->arrivals)
        {
            order += std::to_string(note.priority);
        }
        NS_TEST_EXPECT_MSG_EQ(order, m_expected, "order of scheduler " << m_name);
    }

    std::string m_name;
    std::array<uint8_t, 2> m_priorities;
    std::string m_expected;
    uint32_t m_perData;
};

/// Tests two hosts that overload the port of a third host in two priorities, with different frame
/// sizes.
class EqualSharesTestCase : public NetworkTestCase
{
  public:
    EqualSharesTestCase()
        : NetworkTestCase("dwrr without weights gives priorities with frames of different sizes "
                          "equal shares of the link, within a quantum and a frame")
    {
    }

  private:
    void DoRun() override
    {
        const bool found = HpccPresets::Find(EgressScheduler::GetTypeId(), "dwrr", m_scheduler);
        NS_TEST_ASSERT_MSG_EQ(found, true, "dwrr");
        MakeStar(3, "8Gbps", NanoSeconds(100));
        const std::array<uint32_t, 2> bytes{1000, 300};
        for (uint32_t host : {0, 1})
        {
            const auto priority = static_cast<uint8_t>(host == 0 ? 1 : 5);
            m_hosts[host]->make = [this, host, priority, &bytes](uint8_t) {
                FrameSpec spec;
                spec.bytes = bytes[host];
                spec.dscp = priority;
                spec.source = host;
                spec.destination = 2;
                return MakeFrame(*m_ports[host], spec);
            };
            m_hosts[host]->toPull[priority] = host == 0 ? 300 : 900;
            m_ports[host]->Kick(0);
        }
        Simulator::Run();
        // Both queues contain frames as long as the hosts send, which is 280 us.
        double ahead = 0;
        size_t frames = 0;
        for (const auto& note : m_hosts[2]->arrivals)
        {
            if (note.atNs < 280000)
            {
                ahead += note.priority == 1 ? 1024.0 : -324.0;
                ++frames;
                NS_TEST_ASSERT_MSG_LT_OR_EQ(std::abs(ahead), 1600 + 1024 + 324, "bytes ahead");
            }
        }
        NS_TEST_ASSERT_MSG_GT(frames, 500, "frames");
    }
};

class SchedulerRefusalTestCase : public NetworkTestCase
{
  public:
    SchedulerRefusalTestCase()
        : NetworkTestCase("weights, and telemetry about shares, are refused with a scheduler that "
                          "gives no shares")
    {
    }

  private:
    static std::string Refusal(const std::string& scheduler,
                               const std::string& weights,
                               const std::string& bandwidth)
    {
        std::string refusal;
        try
        {
            HpccFabricHelper fabric;
            fabric.SetScheduler(scheduler);
            fabric.SetDeviceAttribute("Weights", StringValue(weights));
            fabric.SetTelemetryAgentAttribute("Bandwidth", StringValue(bandwidth));
            fabric.Install(HpccTopology::Star(2, {}));
        }
        catch (const HpccInputError& error)
        {
            refusal = error.what();
        }
        Simulator::Destroy();
        return refusal;
    }

    void DoRun() override
    {
        const std::string weights = "ns3::QbbNetDevice::Weights \"3:1,4:2\" has no effect: this ";
        const std::string none = " gives no shares; allowed is none, or another scheduler";
        NS_TEST_EXPECT_MSG_EQ(Refusal("fifo", "3:1,4:2", "LineRate"),
                              weights + "ns3::FifoScheduler" + none,
                              "fifo");
        NS_TEST_EXPECT_MSG_EQ(Refusal("strict", "3:1,4:2", "LineRate"),
                              weights + "ns3::PriorityScheduler" + none,
                              "strict");
        NS_TEST_EXPECT_MSG_EQ(Refusal("dwrr", "3:1,4:2", "Share"), "", "dwrr");
        NS_TEST_EXPECT_MSG_EQ(Refusal("ring", "3:1,4:2", "Share"), "", "ring");
        NS_TEST_EXPECT_MSG_EQ(Refusal("fifo", "", "LineRate"), "", "fifo alone");
        for (const char* bandwidth : {"Share", "Residual"})
        {
            NS_TEST_EXPECT_MSG_EQ(Refusal("fifo", "", bandwidth),
                                  "ns3::TelemetryAgent::Bandwidth is about shares of the link, "
                                  "but ns3::FifoScheduler guarantees none; allowed are LineRate "
                                  "and schedulers that guarantee shares",
                                  bandwidth);
        }
    }
};

/// Tests two hosts that overload the port of a third host in a lossless priority.
class StaticLosslessTestCase : public NetworkTestCase
{
  public:
    StaticLosslessTestCase()
        : NetworkTestCase("with the static buffer a lossless port never holds more than its part "
                          "and its headroom, pauses, and drops nothing")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t part = 20000;
        constexpr uint32_t frames = 1000;
        m_buffer.SetTypeId("ns3::StaticBuffer");
        m_buffer.Set("QueueBytes", UintegerValue(part));
        m_device.Set("Mtu", UintegerValue(1000));
        MakeStar(3, "8Gbps", NanoSeconds(1000));
        for (uint32_t host : {0, 1})
        {
            m_hosts[host]->make = [this, host](uint8_t) {
                FrameSpec spec;
                spec.source = host;
                spec.destination = 2;
                return MakeFrame(*m_ports[host], spec);
            };
            m_hosts[host]->toPull[3] = frames;
            m_ports[host]->Kick(0);
        }
        uint64_t peak = 0;
        Observer observer;
        observer.onEnqueue = [&](QbbNetDevice&, Frame&, int64_t) {
            peak = std::max(peak, m_switch->GetBuffer()->GetUsedBytes());
        };
        m_switch->AddAgent(&observer);
        Simulator::Run();
        const auto& ports = m_switch->GetPorts();
        const uint64_t headroom =
            BufferPolicy::GetHeadroomBytes({ports[0]->GetRateBps(),
                                            1000,
                                            ports[0]->GetLinkBytes(ports[0]->GetMaxFrameBytes()),
                                            1 << 3});
        NS_TEST_ASSERT_MSG_EQ(m_hosts[2]->arrivals.size(), 2 * frames, "frames arrived");
        NS_TEST_ASSERT_MSG_EQ(CountDrops(*m_switch, DropReason::BUFFER_FULL), 0, "drops");
        NS_TEST_ASSERT_MSG_GT(m_ports[0]->GetPauses(), 2, "pauses");
        NS_TEST_ASSERT_MSG_GT(peak, 2 * part, "both ports fill their parts");
        NS_TEST_ASSERT_MSG_LT_OR_EQ(peak, 2 * (part + headroom), "and their headroom at most");
        NS_TEST_ASSERT_MSG_EQ(m_switch->GetBuffer()->IsEmpty(), true, "empty in the end");
    }
};

/// Tests the exchangeable parts of a switch.
class HpccSwitchPartsTestSuite : public TestSuite
{
  public:
    HpccSwitchPartsTestSuite()
        : TestSuite("hpcc-switch-parts", Type::UNIT)
    {
        AddTestCase(new SojournTestCase);
        AddTestCase(new CoDelTestCase);
        AddTestCase(new OrderTestCase("fifo sends frames of all priorities in the order of arrival",
                                      "fifo",
                                      {1, 5},
                                      "1515151515"));
        AddTestCase(new OrderTestCase("strict starves a lower lossless priority",
                                      "strict",
                                      {3, 4},
                                      "3444443333"));
        AddTestCase(new OrderTestCase("ring lets lossless priorities take turns",
                                      "ring",
                                      {3, 4},
                                      "3434343434"));
        AddTestCase(new OrderTestCase("ring sends a higher lossy priority first",
                                      "ring",
                                      {1, 5},
                                      "1555551111"));
        AddTestCase(new OrderTestCase("composite sends headers before data",
                                      "composite",
                                      {1, 5},
                                      "1555551111"));
        AddTestCase(new OrderTestCase("composite sends headers of all priorities in the order of "
                                      "arrival",
                                      "composite",
                                      {5, 6},
                                      "5656565656"));
        AddTestCase(new OrderTestCase("composite sends data of all priorities in the order of "
                                      "arrival",
                                      "composite",
                                      {0, 3},
                                      "0303030303"));
        AddTestCase(
            new OrderTestCase("composite sends a frame of data after HeadersPerData headers",
                              "composite",
                              {1, 5},
                              "1551551511",
                              2));
        AddTestCase(new EqualSharesTestCase);
        AddTestCase(new SchedulerRefusalTestCase);
        AddTestCase(new StaticLosslessTestCase);
    }
};

/// Registers the suite.
HpccSwitchPartsTestSuite g_hpccSwitchPartsTestSuite;

} // namespace
