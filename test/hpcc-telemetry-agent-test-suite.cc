/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-network.h"

#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/hpcc-roce-headers.h"
#include "ns3/hpcc-telemetry-agent.h"

#include <string>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// Transmission time of a frame of 1000 bytes at 8 Gb/s, ns.
constexpr int64_t FRAME_NS = 1000 + ETHERNET_OVERHEAD_BYTES;

/// A format that accepts every hop and stores its values.
class RecordingFormat : public TelemetryFormat
{
  public:
    mutable std::vector<HopSnapshot> hops; ///< inserted hops
    mutable std::vector<uint32_t> rooms;   ///< bytes that were available for the record at each
                                           ///< insertion
    uint32_t hopBytes{0};                  ///< bytes by which each hop makes a packet longer

    uint8_t GetReflectionId() const override
    {
        return 250;
    }

    int32_t Insert(TelemetryStack& stack, const HopSnapshot& hop, uint32_t roomBytes) const override
    {
        rooms.push_back(roomBytes);
        if (roomBytes < hopBytes)
        {
            stack.flags |= TELEMETRY_MTU_EXCEEDED;
            return NOT_INSERTED;
        }
        hops.push_back(hop);
        ++stack.hops;
        return static_cast<int32_t>(hopBytes);
    }

    HopTelemetry Read(const TelemetryStack&, uint32_t) const override
    {
        return {};
    }

    uint32_t GetBaseBytes() const override
    {
        return 0;
    }

    uint32_t GetHopBytes() const override
    {
        return hopBytes;
    }

    uint32_t GetReflectedBytes(const TelemetryStack&) const override
    {
        return 0;
    }

    void Serialize(const TelemetryStack&, uint8_t*) const override
    {
    }

    size_t Deserialize(const uint8_t*, size_t, TelemetryStack&) const override
    {
        return 0;
    }

    void SerializeRecords(const TelemetryStack&, uint8_t*) const override
    {
    }

    size_t DeserializeRecords(const uint8_t*, size_t, uint8_t, TelemetryStack&) const override
    {
        return 0;
    }

  private:
    void DoOpen(TelemetryStack&) const override
    {
    }
};

/// Base class with a star at 8 Gb/s, which is 1 ns per byte. Its switch, with number 77, has a
/// TelemetryAgent whose records are stored.
class TelemetryTestCase : public NetworkTestCase
{
  public:
    using NetworkTestCase::NetworkTestCase;

  protected:
    /// Time at which a frame that a host sends at time 0 has arrived at the switch, ns.
    static constexpr int64_t FIRST_NS = FRAME_NS + 100;

    void MakeTelemetryStar(uint32_t hosts)
    {
        MakeStar(hosts, "8Gbps", NanoSeconds(100));
        m_agentFactory.SetTypeId("ns3::TelemetryAgent");
        m_agent = m_agentFactory.Create<TelemetryAgent>();
        m_agent->SetSwitch(77, hosts);
        m_agent->SetDefaultWindow(NanoSeconds(20 * FRAME_NS));
        m_switch->AddAgent(PeekPointer(m_agent));
        m_format = CreateObject<RecordingFormat>();
    }

    /**
     * Makes a host send frames to the last host now. The frames collect telemetry.
     * @param host number of the sending host
     * @param dscp DSCP of the frames
     * @param frames number of frames
     */
    void SendReporting(uint32_t host, uint8_t dscp, uint32_t frames)
    {
        for (uint32_t i = 0; i < frames; ++i)
        {
            FrameSpec spec;
            spec.dscp = dscp;
            spec.source = host;
            spec.destination = static_cast<uint32_t>(m_hosts.size()) - 1;
            spec.format = PeekPointer(m_format);
            Send(host, spec);
        }
    }

    void DoTeardown() override
    {
        NetworkTestCase::DoTeardown();
        m_agent = nullptr;
        m_format = nullptr;
    }

    ObjectFactory m_agentFactory;  ///< factory of the agent
    Ptr<TelemetryAgent> m_agent;   ///< agent of the switch
    Ptr<RecordingFormat> m_format; ///< format of the frames
};

class SnapshotTestCase : public TelemetryTestCase
{
  public:
    SnapshotTestCase()
        : TelemetryTestCase("a report is one snapshot at the start of transmission: time, queue "
                            "without the frame, bytes sent before it, ids, sojourn")
    {
    }

  private:
    void DoRun() override
    {
        MakeTelemetryStar(3);
        SendReporting(0, 3, 3);
        At(NanoSeconds(10), [this] { SendReporting(1, 3, 3); });
        Simulator::Run();
        // Frame A0 is sent on its arrival. B0 is sent when A1 arrives. A1 is sent when A2 arrives,
        // while B1 waits.
        const std::array<uint64_t, 6> queue{0, 1000, 2000, 2000, 1000, 0};
        const std::array<int64_t, 6> waited{0, 1014, 1024, 2038, 2048, 3062};
        const auto& hops = m_format->hops;
        NS_TEST_ASSERT_MSG_EQ(hops.size(), 6, "reports");
        NS_TEST_ASSERT_MSG_EQ(m_agent->GetInserted(), 6, "reports");
        for (uint32_t i = 0; i < 6; ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(hops[i].timestampNs,
                                  static_cast<uint64_t>(FIRST_NS + FRAME_NS * i),
                                  "timestamp " << i);
            NS_TEST_ASSERT_MSG_EQ(hops[i].txBytes,
                                  static_cast<uint64_t>(FRAME_NS) * i,
                                  "txBytes " << i);
            NS_TEST_ASSERT_MSG_EQ(hops[i].queueBytes, queue[i], "queue " << i);
            NS_TEST_ASSERT_MSG_EQ(hops[i].hopLatencyNs, waited[i], "sojourn " << i);
            NS_TEST_ASSERT_MSG_EQ(hops[i].bandwidthBps, 8000000000, "bandwidth");
            NS_TEST_ASSERT_MSG_EQ(hops[i].switchId, 77, "switch id");
            NS_TEST_ASSERT_MSG_EQ(hops[i].egressPort, 2, "egress port");
            NS_TEST_ASSERT_MSG_EQ(hops[i].ingressPort, i % 2, "ingress port");
            NS_TEST_ASSERT_MSG_EQ(+hops[i].queueId, 3, "queue id");
            NS_TEST_ASSERT_MSG_EQ(+hops[i].ttl, 63, "TTL after the decrement");
        }
    }
};

class QueueScopeTestCase : public TelemetryTestCase
{
  public:
    explicit QueueScopeTestCase(bool wholePort)
        : TelemetryTestCase(wholePort
                                ? "with QueueScope WholePort a report counts all queues of the "
                                  "port"
                                : "by default a report counts the frame's own queue only"),
          m_wholePort(wholePort)
    {
    }

  private:
    void DoRun() override
    {
        m_agentFactory.SetTypeId("ns3::TelemetryAgent");
        m_agentFactory.Set(
            "QueueScope",
            EnumValue(m_wholePort ? TelemetryAgent::WHOLE_PORT : TelemetryAgent::OWN_QUEUE));
        MakeTelemetryStar(3);
        SendReporting(0, 3, 3);
        At(NanoSeconds(10), [this] { SendReporting(1, 0, 3); });
        Simulator::Run();
        // Priority 3 is served first, so the order is A0 A1 A2 B0 B1 B2. Meanwhile the frames of B
        // wait in priority 0.
        std::vector<uint64_t> own{0, 0, 0, 2000, 1000, 0};
        std::vector<uint64_t> whole{0, 1000, 2000, 2000, 1000, 0};
        std::vector<uint64_t> queues;
        for (const auto& hop : m_format->hops)
        {
            queues.push_back(hop.queueBytes);
        }
        NS_TEST_ASSERT_MSG_EQ((queues == (m_wholePort ? whole : own)), true, "queues");
    }

    bool m_wholePort; ///< true if the attribute QueueScope is WHOLE_PORT
};

class UtilizationTestCase : public TelemetryTestCase
{
  public:
    UtilizationTestCase(const std::string& name, int64_t periodNs, double share, double tolerance)
        : TelemetryTestCase(name),
          m_periodNs(periodNs),
          m_share(share),
          m_tolerance(tolerance)
    {
    }

  private:
    void DoRun() override
    {
        constexpr int64_t windowNs = 20 * FRAME_NS;
        MakeTelemetryStar(2);
        for (int64_t i = 0; i < 400; ++i)
        {
            At(NanoSeconds(i * m_periodNs), [this] { SendReporting(0, 3, 1); });
        }
        // Send a frame after a long idle time, and another frame one window later.
        int64_t late = 400 * m_periodNs + 10 * windowNs;
        late -= late % windowNs;
        At(NanoSeconds(late - FIRST_NS + 10), [this] { SendReporting(0, 3, 1); });
        At(NanoSeconds(late - FIRST_NS + windowNs + 10), [this] { SendReporting(0, 3, 1); });
        Simulator::Run();
        const auto& hops = m_format->hops;
        NS_TEST_ASSERT_MSG_EQ(hops.size(), 402, "reports");
        NS_TEST_ASSERT_MSG_EQ(hops[0].utilizationPpm, 0, "nothing sent before the first");
        for (size_t i = 0; i < 400; ++i)
        {
            if (hops[i].timestampNs >= 2 * windowNs)
            {
                NS_TEST_ASSERT_MSG_EQ_TOL(hops[i].utilizationPpm * 1e-6,
                                          m_share,
                                          m_tolerance,
                                          "report " << i);
            }
        }
        NS_TEST_ASSERT_MSG_EQ(hops[400].utilizationPpm, 0, "an idle window");
        NS_TEST_ASSERT_MSG_EQ(hops[401].utilizationPpm, 50000, "one frame in a window of twenty");
    }

    int64_t m_periodNs; ///< time between two frames
    double m_share;     ///< expected share
    double m_tolerance; ///< tolerance of the share
};

class IdleWindowTestCase : public TelemetryTestCase
{
  public:
    IdleWindowTestCase()
        : TelemetryTestCase("after one idle window a port reports a share of 0, whatever it sent "
                            "in the window before")
    {
    }

  private:
    void DoRun() override
    {
        constexpr int64_t windowNs = 20 * FRAME_NS;
        MakeTelemetryStar(2);
        // Fill two windows and a quarter of the third window, and send one frame in the fifth
        // window.
        SendReporting(0, 3, 45);
        At(NanoSeconds(4 * windowNs - FIRST_NS + 10), [this] { SendReporting(0, 3, 1); });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_format->hops.size(), 46, "reports");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_ASSERT_MSG_EQ(m_format->hops[44].utilizationPpm, 1000000, "a full window");
        NS_TEST_ASSERT_MSG_EQ(m_format->hops[45].utilizationPpm, 0, "an idle window");
    }
};

class PartOfFrameTestCase : public TelemetryTestCase
{
  public:
    PartOfFrameTestCase()
        : TelemetryTestCase("of a frame that leaves while a window ends, only the part that has "
                            "left counts")
    {
    }

  private:
    void DoRun() override
    {
        // Every second window ends during the transmission of a frame.
        constexpr int64_t windowNs = 21 * FRAME_NS / 2;
        m_agentFactory.SetTypeId("ns3::TelemetryAgent");
        m_agentFactory.Set("UtilizationWindow", TimeValue(NanoSeconds(windowNs)));
        MakeTelemetryStar(2);
        SendReporting(0, 3, 200);
        Simulator::Run();
        uint64_t less = 0;
        for (const auto& hop : m_format->hops)
        {
            less += hop.timestampNs >= 2 * windowNs && hop.utilizationPpm != 1000000;
        }
        NS_TEST_ASSERT_MSG_EQ(m_format->hops.size(), 200, "reports");
        NS_TEST_ASSERT_MSG_EQ(less, 0, "reports of less than 1 from a port that always sends");
    }
};

class ExactIntervalTestCase : public TelemetryTestCase
{
  public:
    ExactIntervalTestCase()
        : TelemetryTestCase("with Insertion Interval a report is due exactly one interval after "
                            "the last")
    {
    }

  private:
    void DoRun() override
    {
        m_agentFactory.SetTypeId("ns3::TelemetryAgent");
        m_agentFactory.Set("Insertion", EnumValue(TelemetryAgent::INTERVAL));
        m_agentFactory.Set("Interval", TimeValue(NanoSeconds(2 * FRAME_NS)));
        MakeTelemetryStar(2);
        SendReporting(0, 3, 30);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_hosts[1]->arrivals.size(), 30, "frames back to back");
        NS_TEST_ASSERT_MSG_EQ(m_format->hops.size(), 15, "every second has a report");
    }
};

class InsertionTestCase : public TelemetryTestCase
{
  public:
    InsertionTestCase(TelemetryAgent::Insertion insertion, const std::string& name)
        : TelemetryTestCase(name),
          m_insertion(insertion)
    {
    }

  private:
    void DoRun() override
    {
        constexpr int64_t intervalNs = 5 * FRAME_NS / 2;
        m_agentFactory.SetTypeId("ns3::TelemetryAgent");
        m_agentFactory.Set("Insertion", EnumValue(m_insertion));
        m_agentFactory.Set("Interval", TimeValue(NanoSeconds(intervalNs)));
        m_agentFactory.Set("CongestionThreshold", UintegerValue(4000));
        MakeTelemetryStar(3);
        m_format->hopBytes = 12;
        uint64_t congested = 0;
        Observer observer;
        observer.onDequeue = [&congested](QbbNetDevice& port, Frame& frame, int64_t) {
            congested += port.GetQueueBytes(frame.priority) > 4000;
        };
        m_switch->AddAgent(&observer);
        SendReporting(0, 3, 30);
        SendReporting(1, 3, 30);
        Simulator::Run();
        const auto& hops = m_format->hops;
        uint64_t grown = 0;
        for (const auto& note : m_hosts[2]->arrivals)
        {
            grown += note.bytes == 1012;
        }
        NS_TEST_ASSERT_MSG_EQ(m_hosts[2]->arrivals.size(), 60, "frames");
        NS_TEST_ASSERT_MSG_EQ(grown, hops.size(), "frames with a report have grown, others not");
        NS_TEST_ASSERT_MSG_EQ(m_agent->GetNotInserted(), 0, "none lacked room");
        switch (m_insertion)
        {
        case TelemetryAgent::ALWAYS:
            NS_TEST_ASSERT_MSG_EQ(hops.size(), 60, "reports");
            break;
        case TelemetryAgent::INTERVAL:
            NS_TEST_ASSERT_MSG_EQ(hops.size(), 20, "every third frame");
            for (size_t i = 1; i < hops.size(); ++i)
            {
                NS_TEST_ASSERT_MSG_GT_OR_EQ(hops[i].timestampNs,
                                            hops[i - 1].timestampNs + intervalNs,
                                            "interval");
            }
            break;
        case TelemetryAgent::CONGESTION:
            NS_TEST_ASSERT_MSG_GT(congested, 20, "frames that left a queue");
            NS_TEST_ASSERT_MSG_EQ(hops.size(), congested, "reports");
            break;
        }
    }

    TelemetryAgent::Insertion m_insertion; ///< attribute Insertion
};

class RoomTestCase : public TelemetryTestCase
{
  public:
    RoomTestCase()
        : TelemetryTestCase("a report that would exceed the egress MTU is left out, counted and "
                            "traced")
    {
    }

  private:
    void DoRun() override
    {
        m_device.Set("Mtu", UintegerValue(1000));
        MakeTelemetryStar(2);
        m_format->hopBytes = 12;
        m_agent->TraceConnectWithoutContext("NotInserted", MakeCallback(&RoomTestCase::Left, this));
        for (uint32_t bytes : {1000, 1002, 1003, 1014})
        {
            FrameSpec spec;
            spec.bytes = bytes;
            spec.format = PeekPointer(m_format);
            Send(0, spec);
        }
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ((m_format->rooms == std::vector<uint32_t>{14, 12, 11, 0}),
                              true,
                              "room up to 1000 + 14 bytes");
        NS_TEST_ASSERT_MSG_EQ(m_agent->GetInserted(), 2, "reports");
        NS_TEST_ASSERT_MSG_EQ(m_agent->GetNotInserted(), 2, "left out");
        NS_TEST_ASSERT_MSG_EQ((m_left == std::vector<uint32_t>{1, 1}), true, "traced, of port 1");
        NS_TEST_ASSERT_MSG_EQ(m_hosts[1]->arrivals[0].bytes, 1012, "grown");
        NS_TEST_ASSERT_MSG_EQ(m_hosts[1]->arrivals[2].bytes, 1003, "not grown");
        NS_TEST_ASSERT_MSG_EQ(m_switch->GetBuffer()->IsEmpty(), true, "empty in the end");
    }

    void Left(uint32_t port, uint8_t)
    {
        m_left.push_back(port);
    }

    std::vector<uint32_t> m_left; ///< ports that the trace source NotInserted has reported
};

class FeedbackIsNotTouchedTestCase : public TelemetryTestCase
{
  public:
    FeedbackIsNotTouchedTestCase()
        : TelemetryTestCase("a switch inserts into data packets that ask for it, never into ACKs "
                            "and CNPs")
    {
    }

  private:
    void DoRun() override
    {
        MakeTelemetryStar(2);
        for (uint8_t opcode : {ROCE_SEND_ONLY, ROCE_ACK, ROCE_CNP, ROCE_WRITE_MIDDLE})
        {
            FrameSpec spec;
            spec.format = PeekPointer(m_format);
            Frame* frame = MakeFrame(*m_ports[0], spec);
            frame->opcode = opcode;
            m_ports[0]->Enqueue(frame);
        }
        Send(0, {});
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_hosts[1]->arrivals.size(), 5, "frames");
        NS_TEST_ASSERT_MSG_EQ(m_format->hops.size(), 2, "reports");
    }
};

class ClockTestCase : public TelemetryTestCase
{
  public:
    ClockTestCase(int64_t offsetNs, double driftPpm, int64_t resolutionNs)
        : TelemetryTestCase("a switch's clock with offset " + std::to_string(offsetNs) +
                            " ns, drift " + std::to_string(static_cast<int>(driftPpm)) +
                            " ppm and resolution " + std::to_string(resolutionNs) +
                            " ns shows in its timestamps"),
          m_offsetNs(offsetNs),
          m_driftPpm(driftPpm),
          m_resolutionNs(resolutionNs)
    {
    }

  private:
    void DoRun() override
    {
        m_agentFactory.SetTypeId("ns3::TelemetryAgent");
        m_agentFactory.Set("ClockOffset", TimeValue(NanoSeconds(m_offsetNs)));
        m_agentFactory.Set("ClockDriftPpm", DoubleValue(m_driftPpm));
        m_agentFactory.Set("ClockResolution", TimeValue(NanoSeconds(m_resolutionNs)));
        MakeTelemetryStar(2);
        std::vector<int64_t> starts;
        Observer observer;
        observer.onDequeue = [&starts](QbbNetDevice&, Frame&, int64_t nowNs) {
            starts.push_back(nowNs);
        };
        m_switch->AddAgent(&observer);
        for (int64_t atNs : {0, 1000000, 1000000000})
        {
            At(NanoSeconds(atNs), [this] { SendReporting(0, 3, 3); });
        }
        Simulator::Run();
        const auto& hops = m_format->hops;
        NS_TEST_ASSERT_MSG_EQ(hops.size(), 9, "reports");
        for (size_t i = 0; i < hops.size(); ++i)
        {
            auto now = static_cast<double>(starts[i]);
            double clock = now + static_cast<double>(m_offsetNs) + now * m_driftPpm * 1e-6;
            auto shown = static_cast<double>(hops[i].timestampNs);
            NS_TEST_ASSERT_MSG_EQ(hops[i].timestampNs % m_resolutionNs, 0, "steps");
            NS_TEST_ASSERT_MSG_LT_OR_EQ(shown, clock, "not ahead of the clock");
            NS_TEST_ASSERT_MSG_GT(shown,
                                  clock - static_cast<double>(m_resolutionNs) - 1,
                                  "behind by less than a step");
        }
    }

    int64_t m_offsetNs;     ///< attribute ClockOffset
    double m_driftPpm;      ///< attribute ClockDriftPpm
    int64_t m_resolutionNs; ///< attribute ClockResolution
};

/// Tests the records of a port, and the frames that carry them.
class HpccTelemetryAgentTestSuite : public TestSuite
{
  public:
    HpccTelemetryAgentTestSuite()
        : TestSuite("hpcc-telemetry-agent", Type::UNIT)
    {
        AddTestCase(new SnapshotTestCase);
        AddTestCase(new QueueScopeTestCase(false));
        AddTestCase(new QueueScopeTestCase(true));
        AddTestCase(
            new UtilizationTestCase("a port that sends half the time reports a share of 0.5",
                                    2 * FRAME_NS,
                                    0.5,
                                    1e-6));
        AddTestCase(new UtilizationTestCase("a port that always sends reports a share of 1",
                                            FRAME_NS,
                                            1,
                                            1e-6));
        // The transmission of a frame takes 1/20 of the window.
        AddTestCase(new UtilizationTestCase("a share is right within one frame of the window, "
                                            "whatever the phase",
                                            1511,
                                            1024.0 / 1511,
                                            0.05));
        AddTestCase(new InsertionTestCase(TelemetryAgent::ALWAYS,
                                          "with Insertion Always every frame has a report"));
        AddTestCase(new InsertionTestCase(TelemetryAgent::INTERVAL,
                                          "with Insertion Interval reports of a port keep their "
                                          "distance"));
        AddTestCase(new InsertionTestCase(TelemetryAgent::CONGESTION,
                                          "with Insertion Congestion only frames that leave more "
                                          "than the threshold behind have a report"));
        AddTestCase(new IdleWindowTestCase);
        AddTestCase(new PartOfFrameTestCase);
        AddTestCase(new ExactIntervalTestCase);
        AddTestCase(new RoomTestCase);
        AddTestCase(new FeedbackIsNotTouchedTestCase);
        AddTestCase(new ClockTestCase(0, 0, 1));
        AddTestCase(new ClockTestCase(1234567, 0, 1));
        AddTestCase(new ClockTestCase(0, 100, 1));
        AddTestCase(new ClockTestCase(0, -100, 1));
        AddTestCase(new ClockTestCase(0, 0, 256));
        AddTestCase(new ClockTestCase(5000, -37, 8));
    }
};

/// Registers the suite.
HpccTelemetryAgentTestSuite g_hpccTelemetryAgentTestSuite;

} // namespace
