/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests PacketTrimmer and CoinDropAgent: which packets they trim or drop, and how they limit the
// queues.

#include "hpcc-test-drops.h"
#include "hpcc-test-network.h"
#include "hpcc-test-refusal.h"

#include "ns3/enum.h"
#include "ns3/hpcc-coin-drop-agent.h"
#include "ns3/hpcc-dscp-priority-map.h"
#include "ns3/hpcc-packet-trimmer.h"

#include <algorithm>
#include <string>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint32_t BYTES = 1002;           ///< frame size
constexpr uint64_t THRESHOLD = 10 * BYTES; ///< threshold of the trimmer
constexpr uint32_t FRAMES = 300;           ///< number of frames from each of two hosts
constexpr uint8_t DATA = 1;                ///< priority of data
constexpr uint8_t HEADERS = 5;             ///< priority of trimmed packets

/// Observes each frame before another agent decides whether to trim or drop it.
class Watcher : public PortAgent
{
  public:
    uint32_t psn{0};    ///< number of the last frame
    uint32_t source{0}; ///< source of the last frame
    uint64_t most{0};   ///< largest number of data bytes queued
    uint64_t joined{0}; ///< number of frames that have joined a queue

    bool Decides() const override
    {
        return true;
    }

    EnqueueVerdict Decide(const QbbNetDevice&, const Frame& frame, int64_t) override
    {
        psn = frame.psn;
        source = frame.source;
        return {};
    }

    bool WantsEnqueue() const override
    {
        return true;
    }

    void OnEnqueue(QbbNetDevice& port, Frame& frame, int64_t) override
    {
        ++joined;
        most = std::max(most, port.GetQueueBytes(DATA) + (frame.trimmed ? 0 : frame.bytes));
    }
};

/// Tests the port of a host that two hosts overload at twice its rate.
class PacketTrimmerTestCase : public NetworkTestCase
{
  public:
    /**
     * @param name the sentence that the case proves
     * @param victim PacketTrimmer::Victim
     * @param perRate true: set the threshold per port rate
     */
    PacketTrimmerTestCase(const std::string& name,
                          PacketTrimmer::Victim victim,
                          bool perRate = false)
        : NetworkTestCase(name),
          m_victim(victim),
          m_perRate(perRate)
    {
    }

  private:
    void Trimmed(const Frame& frame, uint32_t egress)
    {
        NS_TEST_EXPECT_MSG_EQ(egress, 2, "port that is trimmed");
        NS_TEST_EXPECT_MSG_EQ((frame.tos >> 2),
                              +DscpPriorityMap::TRIMMED_AT_LAST_HOP,
                              "DSCP at the last hop");
        ++m_trims;
        m_last += frame.psn != m_watcher.psn || frame.source != m_watcher.source;
    }

    void DoRun() override
    {
        m_device.Set("DscpToPriority", StringValue("1:1,41:5,42:5"));
        MakeStar(3, "8Gbps", NanoSeconds(100));
        auto trimmer = CreateObject<PacketTrimmer>();
        trimmer->SetAttribute("Threshold", UintegerValue(m_perRate ? BYTES : THRESHOLD));
        if (m_perRate)
        {
            const std::string rates = "100Gbps:1,8Gbps:" + std::to_string(THRESHOLD);
            trimmer->SetAttribute("ThresholdPerRate", StringValue(rates));
        }
        trimmer->SetAttribute("Priorities", UintegerValue(1 << DATA));
        trimmer->SetAttribute("Victim", EnumValue(m_victim));
        trimmer->Install(m_switch->GetPorts(), MicroSeconds(1));
        NS_TEST_EXPECT_MSG_EQ(trimmer->AssignStreams(1), 1, "streams");
        m_switch->AddAgent(&m_watcher);
        m_switch->AddAgent(PeekPointer(trimmer));
        m_switch->TraceConnectWithoutContext("Trim",
                                             MakeCallback(&PacketTrimmerTestCase::Trimmed, this));
        for (uint32_t host : {0, 1})
        {
            for (uint32_t psn = 0; psn < FRAMES; ++psn)
            {
                FrameSpec spec{BYTES, DATA, psn, host, 2};
                Send(host, spec);
            }
        }
        Simulator::Run();
        const auto& arrivals = m_hosts[2]->arrivals;
        const auto headers = static_cast<uint64_t>(
            std::count_if(arrivals.begin(), arrivals.end(), [](const Note& note) {
                return note.priority == HEADERS;
            }));
        NS_TEST_EXPECT_MSG_EQ(m_switch->GetBuffer()->IsEmpty(), true, "empty in the end");
        NS_TEST_EXPECT_MSG_EQ(GetOutstandingFrames(), 0, "frames still held");
        NS_TEST_EXPECT_MSG_EQ(m_trims, m_switch->GetTrims(), "counted");
        NS_TEST_EXPECT_MSG_EQ(headers, m_trims, "headers arrived");
        NS_TEST_EXPECT_MSG_EQ(arrivals.size(),
                              2 * FRAMES - CountDrops(*m_switch, DropReason::REFUSED),
                              "all that was not refused");
        Check();
    }

    void Check()
    {
        // This number includes the frame in transmission. A frame whose last bit leaves in this
        // nanosecond is not included.
        NS_TEST_EXPECT_MSG_LT_OR_EQ(m_watcher.most, THRESHOLD, "data that waits");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(m_watcher.most, THRESHOLD - BYTES, "and no less");
        const uint64_t refused = CountDrops(*m_switch, DropReason::REFUSED);
        NS_TEST_EXPECT_MSG_EQ(refused, 0, "refused");
        NS_TEST_EXPECT_MSG_GT(m_trims, 250, "trims");
        const double share = static_cast<double>(m_last) / static_cast<double>(m_trims);
        const bool coin = m_victim == PacketTrimmer::COIN;
        NS_TEST_EXPECT_MSG_EQ_TOL(share,
                                  (coin ? 0.5 : 0),
                                  (coin ? 0.1 : 0),
                                  "share of trims of the last packet that waits");
    }

    PacketTrimmer::Victim m_victim;
    bool m_perRate;
    Watcher m_watcher;
    uint64_t m_trims{0}; ///< trimmed packets
    uint64_t m_last{0};  ///< number of trimmed packets that were already queued
};

/// Tests two hosts that overload the port of a third host. At this port, trimmed packets are sent
/// only when no data waits.
class HeaderLimitTestCase : public NetworkTestCase
{
  public:
    HeaderLimitTestCase()
        : NetworkTestCase("trimmed packets fill twice the threshold as far as one more fits; "
                          "instead of a further one, the packet to trim is dropped")
    {
    }

  private:
    static constexpr uint8_t LOW = 0;        ///< priority of trimmed packets
    static constexpr uint32_t KEPT = 400;    ///< payload that a trimmed packet keeps
    static constexpr uint32_t TRIMMED = 458; ///< size of a trimmed packet

    /// Also observes the trimmed packets.
    class HeaderWatcher : public Watcher
    {
      public:
        uint64_t most{0}; ///< largest number of bytes of trimmed packets in the queue

        void OnEnqueue(QbbNetDevice& port, Frame& frame, int64_t nowNs) override
        {
            Watcher::OnEnqueue(port, frame, nowNs);
            if (frame.trimmed)
            {
                most = std::max(most, port.GetQueueBytes(LOW) + frame.bytes);
            }
        }
    };

    void Trimmed(const Frame& frame, uint32_t)
    {
        m_last += frame.psn != m_watcher.psn || frame.source != m_watcher.source;
    }

    void DoRun() override
    {
        m_device.Set("DscpToPriority", StringValue("1:1,41:0,42:0"));
        MakeStar(3, "8Gbps", NanoSeconds(100));
        auto trimmer = CreateObject<PacketTrimmer>();
        trimmer->SetAttribute("Threshold", UintegerValue(THRESHOLD));
        trimmer->SetAttribute("Priorities", UintegerValue(1 << DATA));
        trimmer->SetAttribute("Payload", UintegerValue(KEPT));
        trimmer->Install(m_switch->GetPorts(), MicroSeconds(1));
        trimmer->AssignStreams(1);
        m_switch->AddAgent(&m_watcher);
        m_switch->AddAgent(PeekPointer(trimmer));
        m_switch->TraceConnectWithoutContext("Trim",
                                             MakeCallback(&HeaderLimitTestCase::Trimmed, this));
        for (uint32_t host : {0, 1})
        {
            for (uint32_t psn = 0; psn < FRAMES; ++psn)
            {
                Send(host, {BYTES, DATA, psn, host, 2});
            }
        }
        Simulator::Run();
        const uint64_t refused = CountDrops(*m_switch, DropReason::REFUSED);
        NS_TEST_EXPECT_MSG_GT(refused, 200, "refused");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(m_watcher.most, 2 * THRESHOLD, "trimmed packets that wait");
        NS_TEST_EXPECT_MSG_GT(m_watcher.most, 2 * THRESHOLD - TRIMMED, "and no room for one more");
        const auto& arrivals = m_hosts[2]->arrivals;
        const auto data = static_cast<uint64_t>(
            std::count_if(arrivals.begin(), arrivals.end(), [](const Note& note) {
                return note.priority == DATA;
            }));
        // Data that has joined the queue is delivered, trimmed there or dropped there.
        const uint64_t dropped = m_watcher.joined - m_switch->GetTrims() - data - m_last;
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(dropped) / static_cast<double>(refused),
                                  0.5,
                                  0.1,
                                  "share of drops of the last packet that waits");
    }

    HeaderWatcher m_watcher;
    uint64_t m_last{0}; ///< number of trimmed packets that were already queued
};

class PriorityOfHeadersTestCase : public NetworkTestCase
{
  public:
    PriorityOfHeadersTestCase()
        : NetworkTestCase("a port to a host that gives DSCP 42 another priority than DSCP 41 is "
                          "refused")
    {
    }

  private:
    void DoRun() override
    {
        m_device.Set("DscpToPriority", StringValue("1:1,41:4,42:5"));
        MakeStar(3, "8Gbps", NanoSeconds(100));
        const std::string why = RefusalOf([this] {
            CreateObject<PacketTrimmer>()->Install(m_switch->GetPorts(), MicroSeconds(1));
        });
        NS_TEST_EXPECT_MSG_NE(why.find("port 0: DSCP 42 has priority 5"), std::string::npos, why);
        NS_TEST_EXPECT_MSG_NE(why.find("allowed is 4"), std::string::npos, why);
    }
};

/// Tests CoinDropAgent at the port of a host that two hosts overload at twice its rate.
class CoinDropTestCase : public NetworkTestCase
{
  public:
    CoinDropTestCase()
        : NetworkTestCase("what would bring the data at a port above the limit costs it the "
                          "arriving frame or the last one that waits, each half of the times")
    {
    }

  private:
    void DoRun() override
    {
        m_device.Set("DscpToPriority", StringValue("1:1"));
        MakeStar(3, "8Gbps", NanoSeconds(100));
        auto dropper = CreateObject<CoinDropAgent>();
        dropper->SetAttribute("LimitPerRate", StringValue("8Gbps:" + std::to_string(THRESHOLD)));
        dropper->Install(m_switch->GetPorts(), MicroSeconds(1));
        NS_TEST_EXPECT_MSG_EQ(dropper->AssignStreams(1), 1, "streams");
        m_switch->AddAgent(&m_watcher);
        m_switch->AddAgent(PeekPointer(dropper));
        for (uint32_t psn = 0; psn < FRAMES; ++psn)
        {
            for (uint32_t host : {0, 1})
            {
                FrameSpec spec{BYTES, DATA, psn, host, 2};
                Send(host, spec);
            }
        }
        Simulator::Run();
        const uint64_t refused = CountDrops(*m_switch, DropReason::REFUSED);
        const auto& arrivals = m_hosts[2]->arrivals;
        NS_TEST_EXPECT_MSG_EQ(m_switch->GetBuffer()->IsEmpty(), true, "empty in the end");
        NS_TEST_EXPECT_MSG_EQ(GetOutstandingFrames(), 0, "frames still held");
        NS_TEST_EXPECT_MSG_EQ(arrivals.size(), 2 * FRAMES - refused, "all that was not dropped");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(m_watcher.most, THRESHOLD, "data that waits");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(m_watcher.most, THRESHOLD - BYTES, "and no less");
        // In the time of one frame, two frames arrive and one leaves. Therefore one frame is
        // dropped in each such time.
        NS_TEST_EXPECT_MSG_GT(refused, 250, "drops");
        const double last = static_cast<double>(m_watcher.joined) - arrivals.size();
        NS_TEST_EXPECT_MSG_EQ_TOL(last / static_cast<double>(refused),
                                  0.5,
                                  0.1,
                                  "share of drops of the last frame that waits");
    }

    Watcher m_watcher;
};

/// Tests of PacketTrimmer and CoinDropAgent.
class HpccPacketTrimmerTestSuite : public TestSuite
{
  public:
    HpccPacketTrimmerTestSuite()
        : TestSuite("hpcc-packet-trimmer", Type::UNIT)
    {
        AddTestCase(new PacketTrimmerTestCase("arriving: what would bring the data at a port above "
                                              "the threshold is trimmed, and nothing is lost",
                                              PacketTrimmer::ARRIVING));
        AddTestCase(new PacketTrimmerTestCase("coin: half of the trims are of the last packet that "
                                              "waits, in whose place the new one joins",
                                              PacketTrimmer::COIN));
        AddTestCase(new PacketTrimmerTestCase("ports of a rate have the threshold of that rate",
                                              PacketTrimmer::ARRIVING,
                                              true));
        AddTestCase(new HeaderLimitTestCase);
        AddTestCase(new PriorityOfHeadersTestCase);
        AddTestCase(new CoinDropTestCase);
    }
};

/// Registers the suite.
HpccPacketTrimmerTestSuite g_hpccPacketTrimmerTestSuite;

} // namespace
