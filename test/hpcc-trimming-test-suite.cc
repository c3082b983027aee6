/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests port agents that decide on a frame before its admission: refusal and trimming.

#include "hpcc-test-drops.h"
#include "hpcc-test-network.h"
#include "hpcc-test-rdma.h"

#include "ns3/hpcc-frame-codec.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-roce-packet.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// A port agent whose decisions the test makes, and which observes admitted frames.
class Gate : public PortAgent
{
  public:
    std::function<EnqueueVerdict(const QbbNetDevice&, const Frame&)> decide; ///< returns the
                                                                             ///< decision
    std::function<void(QbbNetDevice&, Frame&)> admitted; ///< called for each admitted frame
    TrimPlan plan;                                       ///< plan that the agent declares

    EnqueueVerdict Decide(const QbbNetDevice& port, const Frame& frame, int64_t) override
    {
        return decide(port, frame);
    }

    bool Decides() const override
    {
        return true;
    }

    TrimPlan GetTrimPlan() const override
    {
        return plan;
    }

    void OnEnqueue(QbbNetDevice& port, Frame& frame, int64_t) override
    {
        if (admitted)
        {
            admitted(port, frame);
        }
    }

    bool WantsEnqueue() const override
    {
        return true;
    }
};

/// Returns the verdict to trim a packet to @p payloadBytes of payload.
EnqueueVerdict
TrimTo(uint16_t payloadBytes)
{
    return {EnqueueVerdict::TRIM, payloadBytes};
}

class RefusingTestCase : public NetworkTestCase
{
  public:
    RefusingTestCase()
        : NetworkTestCase("a frame that an agent refuses is dropped with the reason, traced, and "
                          "neither charged nor shown to the buffer; others pass")
    {
    }

  private:
    void DoRun() override
    {
        MakeStar(2, "8Gbps", NanoSeconds(100));
        DropLog log;
        log.Watch(*m_switch);
        Gate gate;
        uint64_t held = 0;
        gate.decide = [&](const QbbNetDevice&, const Frame& frame) {
            held = m_switch->GetBuffer()->GetUsedBytes();
            return EnqueueVerdict{frame.psn % 2 ? EnqueueVerdict::REFUSE : EnqueueVerdict::ADMIT,
                                  0};
        };
        std::vector<uint32_t> admitted;
        gate.admitted = [&](QbbNetDevice&, Frame& frame) {
            admitted.push_back(frame.psn);
            NS_TEST_EXPECT_MSG_EQ(m_switch->GetBuffer()->GetUsedBytes() - held, 1000, "charged");
        };
        m_switch->AddAgent(&gate);
        for (uint32_t psn = 0; psn < 6; ++psn)
        {
            FrameSpec spec;
            spec.psn = psn;
            Send(0, spec);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((admitted == std::vector<uint32_t>{0, 2, 4}), true, "admitted");
        NS_TEST_EXPECT_MSG_EQ(m_hosts[1]->arrivals.size(), 3, "arrived");
        NS_TEST_EXPECT_MSG_EQ(CountDrops(*m_switch, DropReason::REFUSED), 3, "counted");
        NS_TEST_EXPECT_MSG_EQ(log.Get(DropReason::REFUSED), 3, "traced");
        NS_TEST_EXPECT_MSG_EQ(log.GetAll(), 3, "no other drop");
        NS_TEST_EXPECT_MSG_EQ(m_switch->GetBuffer()->IsEmpty(), true, "empty in the end");
        NS_TEST_EXPECT_MSG_EQ(GetOutstandingFrames(), 0, "frames still held");
    }
};

/// Tests two hosts that overload the port of a third host. Above a certain queue length, frames are
/// trimmed.
class TrimmingTestCase : public NetworkTestCase
{
  public:
    TrimmingTestCase()
        : NetworkTestCase("a trimmed frame keeps its headers, is a valid packet of its new size, "
                          "goes in its new priority, and is charged with its new size")
    {
    }

  private:
    static constexpr uint32_t BYTES = 1002; ///< frame size: 58 bytes of headers, 944 bytes of
                                            ///< payload
    static constexpr uint32_t KEPT = 64;    ///< payload of trimmed frames
    static constexpr uint64_t LIMIT = 5000; ///< queue length above which frames are trimmed, bytes
    static constexpr uint32_t FRAMES = 20;  ///< number of frames of each host

    void Check(Frame& frame)
    {
        if (!frame.trimmed)
        {
            NS_TEST_EXPECT_MSG_EQ(frame.bytes, BYTES, "bytes of a whole frame");
            NS_TEST_EXPECT_MSG_EQ(+frame.priority, 1, "priority of a whole frame");
            return;
        }
        ++m_trimmed;
        NS_TEST_EXPECT_MSG_EQ(frame.bytes, 58 + KEPT, "bytes");
        NS_TEST_EXPECT_MSG_EQ(+frame.priority, 6, "priority");
        NS_TEST_EXPECT_MSG_EQ(+frame.tos, (6 << 2 | ECN_ECT0), "DSCP and ECN");
        const auto mac = Mac48Address::Allocate();
        const std::vector<uint8_t> wire = FrameCodec::Encode(frame, mac, mac);
        NS_TEST_EXPECT_MSG_EQ(wire.size(), frame.bytes, "bytes on the wire");
        Frame read;
        std::string why;
        const bool valid = FrameCodec().Decode(wire.data(), wire.size(), read, why);
        NS_TEST_ASSERT_MSG_EQ(valid, true, why);
        NS_TEST_EXPECT_MSG_EQ(read.payloadBytes, KEPT, "payload");
        NS_TEST_EXPECT_MSG_EQ(read.psn, frame.psn, "PSN");
        NS_TEST_EXPECT_MSG_EQ(+read.opcode, ROCE_SEND_ONLY, "opcode");
        NS_TEST_EXPECT_MSG_EQ(read.destinationQp, frame.destinationQp, "queue pair");
        NS_TEST_EXPECT_MSG_EQ(read.flowHash, frame.flowHash, "5-tuple");
    }

    void Trimmed(const Frame& frame, uint32_t egress)
    {
        m_traced += frame.trimmed && egress == 2;
    }

    void DoRun() override
    {
        MakeStar(3, "8Gbps", NanoSeconds(100));
        Gate gate;
        gate.plan = {1 << 1, 6};
        uint64_t held = 0;
        gate.decide = [&](const QbbNetDevice& port, const Frame& frame) {
            held = m_switch->GetBuffer()->GetUsedBytes();
            return port.GetQueueBytes(frame.priority) > LIMIT ? TrimTo(KEPT) : EnqueueVerdict{};
        };
        gate.admitted = [&](QbbNetDevice& port, Frame& frame) {
            NS_TEST_EXPECT_MSG_EQ(m_switch->GetBuffer()->GetUsedBytes() - held,
                                  frame.bytes,
                                  "charged");
            NS_TEST_EXPECT_MSG_LT_OR_EQ(port.GetQueueBytes(1), LIMIT + BYTES, "whole frames");
        };
        m_switch->AddAgent(&gate);
        m_switch->TraceConnectWithoutContext("Trim",
                                             MakeCallback(&TrimmingTestCase::Trimmed, this));
        m_hosts[2]->onReceive = [this](Frame& frame, int64_t) { Check(frame); };
        for (uint32_t host : {0, 1})
        {
            for (uint32_t psn = 0; psn < FRAMES; ++psn)
            {
                FrameSpec spec{BYTES, 1, psn, host, 2};
                spec.ecn = ECN_ECT0;
                Send(host, spec);
            }
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_hosts[2]->arrivals.size(), 2 * FRAMES, "none is lost");
        NS_TEST_EXPECT_MSG_GT(m_trimmed, 5, "trimmed frames");
        NS_TEST_EXPECT_MSG_EQ(m_switch->GetTrims(), m_trimmed, "counted");
        NS_TEST_EXPECT_MSG_EQ(m_traced, m_trimmed, "traced");
        NS_TEST_EXPECT_MSG_EQ(m_switch->GetBuffer()->IsEmpty(), true, "empty in the end");
        NS_TEST_EXPECT_MSG_EQ(GetOutstandingFrames(), 0, "frames still held");
    }

    uint64_t m_trimmed{0}; ///< number of trimmed frames that have arrived
    uint64_t m_traced{0};  ///< number of trimmed frames that the trace source has reported
};

class LosslessTrimmingTestCase : public NetworkTestCase
{
  public:
    LosslessTrimmingTestCase()
        : NetworkTestCase("an agent that would trim out of or into a lossless priority is refused, "
                          "before and after the switch is installed")
    {
    }

  private:
    /// Returns the message with which an agent is refused.
    std::string Refusal(TrimPlan plan, bool before)
    {
        Gate gate;
        gate.plan = plan;
        std::string refusal;
        auto hub = CreateObject<Node>();
        AddHost(Join(CreateObject<Node>(), hub, "8Gbps", NanoSeconds(100))[0]);
        m_switch = CreateObject<QbbSwitch>();
        try
        {
            if (before)
            {
                m_switch->AddAgent(&gate);
            }
            m_switch->Install(hub);
            if (!before)
            {
                m_switch->AddAgent(&gate);
            }
        }
        catch (const HpccInputError& error)
        {
            refusal = error.what();
        }
        hub->GetDevice(0)->GetObject<QbbNetDevice>()->SetFrameHandler(nullptr);
        return refusal.substr(std::min(refusal.find(" port "), refusal.size()));
    }

    void DoRun() override
    {
        for (const bool before : {true, false})
        {
            NS_TEST_EXPECT_MSG_EQ(Refusal({1 << 1 | 1 << 3, 6}, before),
                                  " port 0: the agent trims frames of priority 3, which is "
                                  "lossless; allowed are lossy priorities",
                                  "out of it");
            NS_TEST_EXPECT_MSG_EQ(Refusal({1 << 1, 3}, before),
                                  " port 0: the agent trims frames into priority 3, which is "
                                  "lossless; allowed are lossy priorities",
                                  "into it");
            NS_TEST_EXPECT_MSG_EQ(Refusal({1 << 1, 6}, before), "", "neither");
            NS_TEST_EXPECT_MSG_EQ(Refusal({0, 3}, before), "", "no trimming");
        }
    }
};

/// Tests a message whose fifth packet is trimmed to its headers.
class TrimmedDataTestCase : public RdmaTestCase
{
  public:
    explicit TrimmedDataTestCase(const std::string& recovery, RdmaVerb verb)
        : RdmaTestCase("a trimmed packet of a " +
                       std::string(verb == RdmaVerb::READ ? "READ" : "WRITE") +
                       " is dropped by its receiver with the reason, and " + recovery +
                       " delivers every byte"),
          m_recovery(recovery),
          m_verb(verb)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t bytes = 20000;
        Fabric().SetDeviceAttribute("PfcEnabled", BooleanValue(false));
        Fabric().SetHostAttribute("Recovery", StringValue(m_recovery));
        Install(Star(2, "10Gbps", MicroSeconds(1)));
        Gate gate;
        gate.plan = {1 << 3, 26};
        const bool read = m_verb == RdmaVerb::READ;
        bool trimmed = false;
        gate.decide = [&trimmed, read](const QbbNetDevice&, const Frame& frame) {
            const bool fifth = RocePacket::CanTrim(frame, 0) && frame.psn == (read ? 4 : 5);
            const bool cut = fifth && !trimmed;
            trimmed = trimmed || fifth;
            return cut ? TrimTo(0) : EnqueueVerdict{};
        };
        Fabric().GetSwitch(2)->AddAgent(&gate);
        Post(0,
             Connect(0,
                     1,
                     CreateObject<FixedPolicy>(),
                     read ? CreateObject<FixedPolicy>() : nullptr),
             bytes,
             NanoSeconds(0),
             m_verb);
        Simulator::Stop(MilliSeconds(50));
        Simulator::Run();
        const auto& receiver = Host(read ? 0 : 1).GetPort();
        NS_TEST_EXPECT_MSG_EQ(receiver.GetDrops(DropReason::TRIMMED), 1, "dropped as trimmed");
        NS_TEST_EXPECT_MSG_EQ(GetDrops(), 1, "dropped at all");
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, "messages acknowledged");
        const auto data = std::find_if(m_delivered.begin(),
                                       m_delivered.end(),
                                       [](const auto& record) { return record.bytes == bytes; });
        NS_TEST_EXPECT_MSG_EQ((data != m_delivered.end()), true, "every byte is delivered");
        NS_TEST_EXPECT_MSG_EQ(AllFramesFree(), true, "frames");
    }

    std::string m_recovery; ///< short name
    RdmaVerb m_verb;        ///< operation of the message
};

/// Tests the decisions of port agents.
class HpccTrimmingTestSuite : public TestSuite
{
  public:
    HpccTrimmingTestSuite()
        : TestSuite("hpcc-trimming", Type::UNIT)
    {
        AddTestCase(new RefusingTestCase);
        AddTestCase(new TrimmingTestCase);
        AddTestCase(new LosslessTrimmingTestCase);
        for (const char* recovery : {"go-back-n", "irn"})
        {
            AddTestCase(new TrimmedDataTestCase(recovery, RdmaVerb::WRITE));
            AddTestCase(new TrimmedDataTestCase(recovery, RdmaVerb::READ));
        }
    }
};

/// Registers the suite.
HpccTrimmingTestSuite g_hpccTrimmingTestSuite;

} // namespace
