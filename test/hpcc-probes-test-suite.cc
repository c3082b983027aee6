/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests when probes are sent, what they contain, and where they go.

#include "hpcc-test-bytes.h"
#include "hpcc-test-out-of-band.h"

#include "ns3/hpcc-frame-codec.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace hpcctest;

namespace
{

/// Tests the probes of one flow that lasts a few round trips.
class ProbeTestCase : public OutOfBandTestCase
{
  public:
    explicit ProbeTestCase(const std::string& telemetry)
        : OutOfBandTestCase("probes over " + telemetry +
                            ": one per round trip, like the flow's data but for the request"),
          m_telemetry(telemetry)
    {
    }

  private:
    static constexpr uint32_t PACKETS = 500;

    void DoRun() override
    {
        Build(2);
        auto spec = SpecOf("probe", m_telemetry);
        Post(0, Fabric().Connect(0, 1, spec), PACKETS * 1000);
        Run(MilliSeconds(1));
        ExpectQuiet(1);
        const Sights data = SentData(0);
        const Sights probes = Sent(0, ROCE_PROBE);
        const Sights answers = Sent(1, ROCE_NOTIFICATION);
        NS_TEST_ASSERT_MSG_EQ(data.size(), PACKETS, "packets");
        NS_TEST_ASSERT_MSG_EQ(probes.size(), answers.size(), "each probe is answered");
        NS_TEST_ASSERT_MSG_EQ(probes.size(), Host(0).GetProbesSent(), "probes are counted");
        // The round trip of a probe consists of 4 us of propagation, the store-and-forward delays
        // of small packets, and the transmission of at most one data packet for which it waits.
        const auto endNs = static_cast<uint64_t>(m_acknowledged[0].completedNs);
        NS_TEST_EXPECT_MSG_LT_OR_EQ(probes.size(), endNs / 4000 + 1, "one per round trip");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(probes.size(), endNs / 4250, "one per round trip");
        NS_TEST_EXPECT_MSG_EQ(m_sights[0][1].opcode, ROCE_PROBE, "right after the first packet");
        NS_TEST_EXPECT_MSG_EQ(probes[0].psn, 1, "one packet had left");
        for (const auto& packet : data)
        {
            NS_TEST_EXPECT_MSG_EQ(packet.hasFormat, false, "data carries nothing");
        }
        for (const auto& ack : Sent(1, ROCE_ACK))
        {
            NS_TEST_EXPECT_MSG_EQ(ack.hasFormat, false, "nor do ACKs");
        }
        const uint32_t empty = spec.format->GetCapabilities().pathExtreme ? 1 : 0;
        const int marked = spec.format->GetMarking().dscp;
        for (size_t i = 0; i < probes.size(); ++i)
        {
            const Sight& probe = probes[i];
            auto before = std::count_if(data.begin(), data.end(), [&probe](const Sight& packet) {
                return packet.atNs < probe.atNs;
            });
            NS_TEST_EXPECT_MSG_EQ(probe.psn, before, "it says where the sender stands");
            NS_TEST_EXPECT_MSG_EQ(+probe.priority, +data[0].priority, "queue of the data");
            NS_TEST_EXPECT_MSG_EQ((probe.tos >> 2), (marked < 0 ? 25 : marked), "DSCP");
            NS_TEST_EXPECT_MSG_EQ(probe.sourcePort, data[0].sourcePort, "source port of the data");
            NS_TEST_EXPECT_MSG_EQ(probe.flowHash, data[0].flowHash, "path of the data");
            NS_TEST_EXPECT_MSG_EQ(probe.qp, data[0].qp, "queue pair of the data");
            NS_TEST_EXPECT_MSG_EQ(probe.hasFormat, true, "it asks");
            NS_TEST_EXPECT_MSG_EQ(probe.hops, empty, "and no hop has told yet");
            NS_TEST_EXPECT_MSG_EQ((probe.exact && answers[i].exact), true, "sizes");
            NS_TEST_EXPECT_MSG_EQ(answers[i].named, probe.psn, "what is answered");
            NS_TEST_EXPECT_MSG_EQ(answers[i].hops, 1, "what the switch has told");
            if (i > 0)
            {
                // The answer takes two link delays of 1 us and a store-and-forward delay. The next
                // probe then waits for at most one data packet in transmission.
                const int64_t back = answers[i - 1].atNs + 2000;
                NS_TEST_EXPECT_MSG_GT(probe.atNs, back, "not before the answer");
                NS_TEST_EXPECT_MSG_LT(probe.atNs, back + 120, "but at once");
            }
        }
    }

    std::string m_telemetry; ///< short name of the format
};

/// Compares the bytes on the wire with values derived by hand from the layouts.
class ProbeBytesTestCase : public OutOfBandTestCase
{
  public:
    ProbeBytesTestCase()
        : OutOfBandTestCase("probe, its telemetry and its notification, byte for byte")
    {
    }

  private:
    void DoRun() override
    {
        Build(2);
        std::vector<std::string> seen;
        OnTransmit(*Fabric().GetSwitch(2)->GetPorts()[1], [&](int64_t, const Frame& frame) {
            if (frame.opcode == ROCE_PROBE)
            {
                seen.push_back(ToHex(FrameCodec::Encode(frame, SOURCE, SOURCE)));
            }
        });
        OnTransmit(Host(1).GetPort(), [&](int64_t, const Frame& frame) {
            if (frame.opcode == ROCE_NOTIFICATION)
            {
                seen.push_back(ToHex(FrameCodec::Encode(frame, SOURCE, SOURCE)));
            }
        });
        Post(0, Fabric().Connect(0, 1, SpecOf("probe"), 0xc001), 1000);
        Run(MilliSeconds(1));
        ExpectQuiet(1);
        NS_TEST_ASSERT_MSG_EQ(seen.size(), 2, "a probe and its answer");
        const std::string& probe = seen[0];
        const std::string& answer = seen[1];
        // The sizes in bytes are: Ethernet 14, IPv4 20, UDP 8, INT-MD 16 plus 24 for one hop, BTH
        // 12, ICRC 4.
        NS_TEST_EXPECT_MSG_EQ(probe.substr(2 * 15, 2), "64", "DSCP 25, not ECN-capable");
        NS_TEST_EXPECT_MSG_EQ(probe.substr(2 * 34, 4), "c001", "the data's source port");
        const size_t bth = probe.size() - 2 * 16;
        NS_TEST_EXPECT_MSG_EQ(probe.substr(bth, 24), "c040ffff0000000200000001", "BTH");
        // The sizes in bytes are: Ethernet 14, IPv4 20, UDP 8, BTH 12, AETH 4, number 4, reflection
        // 8; records and ICRC follow.
        NS_TEST_EXPECT_MSG_EQ(answer.substr(2 * 42, 24), "c140ffff0000000200000000", "BTH");
        NS_TEST_EXPECT_MSG_EQ(answer.substr(2 * 54, 16), "1f00000100000001", "AETH and number");
        NS_TEST_EXPECT_MSG_EQ(answer.substr(2 * 62, 2), "10", "version of the reflection");
        NS_TEST_EXPECT_MSG_EQ(answer.substr(2 * 64, 2), "01", "one record");
        const size_t record = 2 * 70;
        const std::string hop = answer.substr(record, answer.size() - record - 8);
        NS_TEST_EXPECT_MSG_EQ((probe.find(hop) != std::string::npos), true, "as received");
        NS_TEST_EXPECT_MSG_EQ(hop.substr(0, 8), "00000002", "switch 2");
    }
};

/// Tests that each answer to a probe causes one commit, even while the window permits no
/// transmission.
class ClosedWindowTestCase : public OutOfBandTestCase
{
  public:
    ClosedWindowTestCase()
        : OutOfBandTestCase("each answer commits once, even while the window is closed")
    {
    }

  private:
    void DoRun() override
    {
        Build(2);
        auto policy = CreateObject<FixedPolicy>();
        policy->needs.telemetry = "int-md";
        policy->window = 1000;
        uint64_t lastUpdateSeq = 0;
        uint32_t answers = 0;
        uint32_t commits = 0;
        policy->onAck = [&](RdmaCongestionState&, const RdmaAckInfo& ack) {
            if (ack.hopCount == 0)
            {
                return;
            }
            ++answers;
            if (ack.ackSeq > lastUpdateSeq)
            {
                ++commits;
                lastUpdateSeq = ack.sndNxt;
            }
        };
        RdmaQueuePairConfig config;
        config.policy = policy;
        auto spec = SpecOf("probe");
        config.telemetry = spec.format;
        config.feedback = spec.feedback;
        config.networkBaseRttNs = m_networkRttNs;
        // The transmission of a packet of 1,000 bytes takes longer than that of a probe. Therefore
        // the packet is still in flight when some answers arrive.
        Post(0, Host(0).Connect(Fabric().GetHost(1), config), 100000);
        Run(MilliSeconds(2));
        ExpectQuiet(1);
        NS_TEST_EXPECT_MSG_GT(answers, 95, "about one per packet");
        NS_TEST_EXPECT_MSG_EQ(commits, answers, "each commits");
    }
};

/// Tests the loss of probes and answers.
class LostProbeTestCase : public OutOfBandTestCase
{
  public:
    explicit LostProbeTestCase(bool answer)
        : OutOfBandTestCase(answer ? "a lost answer: another probe after 4 T"
                                   : "a lost probe: another one after 4 T"),
          m_answer(answer)
    {
    }

  private:
    void DoRun() override
    {
        Build(2);
        // The first arrivals are data, probe, data, ... at host 1, and ACK, answer, ... at host 0.
        Lose(m_answer ? 0 : 1, {1});
        Post(0, Fabric().Connect(0, 1, SpecOf("probe")), 1000000);
        Run(MilliSeconds(1));
        ExpectQuiet(1);
        const Sights probes = Sent(0, ROCE_PROBE);
        const int64_t gap = probes[1].atNs - probes[0].atNs;
        NS_TEST_EXPECT_MSG_GT_OR_EQ(gap, 4 * m_networkRttNs, "not earlier");
        NS_TEST_EXPECT_MSG_LT(gap, 4 * m_networkRttNs + 120, "after the packet that has begun");
        NS_TEST_EXPECT_MSG_LT(probes[2].atNs - probes[1].atNs, m_networkRttNs, "then as ever");
        NS_TEST_EXPECT_MSG_EQ(Host(0).GetTimeouts(), 0, "data is not sent again");
        NS_TEST_EXPECT_MSG_EQ(Host(0).GetQueuePair(0).retransmissions, 0, "nothing is");
    }

    bool m_answer; ///< true: the answer is lost; false: the probe is lost
};

/// Tests that a flow stops sending probes when it stops sending data, and resumes both together.
class PausesTestCase : public OutOfBandTestCase
{
  public:
    PausesTestCase()
        : OutOfBandTestCase("without data in flight there are no probes, and the next data packet "
                            "starts them again")
    {
    }

  private:
    void DoRun() override
    {
        Build(2);
        uint32_t qp = Fabric().Connect(0, 1, SpecOf("probe"));
        Post(0, qp, 100000);
        Post(0, qp, 100000, MicroSeconds(100));
        Run(MilliSeconds(1));
        ExpectQuiet(2);
        const int64_t endNs = m_acknowledged[0].completedNs;
        bool after = false;
        for (const Sight& probe : Sent(0, ROCE_PROBE))
        {
            NS_TEST_EXPECT_MSG_EQ((probe.atNs < endNs || probe.atNs > 100000), true, "silence");
            if (probe.atNs > 100000 && !after)
            {
                after = true;
                NS_TEST_EXPECT_MSG_EQ(probe.psn, 101, "after the first packet");
            }
        }
        NS_TEST_EXPECT_MSG_EQ(after, true, "they start again");
    }
};

/// Tests probes while the priority of the data is paused.
class PausedTestCase : public OutOfBandTestCase
{
  public:
    PausedTestCase()
        : OutOfBandTestCase("PFC pauses of their class stop probes, and nothing else does")
    {
    }

  private:
    void DoRun() override
    {
        Build(2);
        Post(0, Fabric().Connect(0, 1, SpecOf("probe")), 1000000);
        At(MicroSeconds(20), [this] {
            QbbNetDevice& port = *Fabric().GetSwitch(2)->GetPorts()[0];
            Frame* pause = port.GetAgenda().Frames().Allocate();
            pause->kind = Frame::Kind::PFC;
            pause->bytes = MIN_FRAME_BYTES;
            pause->pfc.classEnable = 1 << 3;
            pause->pfc.quanta = {};
            pause->pfc.quanta[3] = 4000; // 20.48 us
            port.Emit(pause);
        });
        Run(MilliSeconds(1));
        ExpectQuiet(1);
        // The pause is sent at 20 us and takes effect after a delay of 1 us, when the frame in
        // transmission has ended. It lasts 20.48 us.
        const int64_t fromNs = 21200;
        const int64_t untilNs = 41300;
        uint32_t probes = 0;
        for (const Sight& sight : m_sights[0])
        {
            NS_TEST_EXPECT_MSG_EQ((sight.atNs < fromNs || sight.atNs > untilNs), true, sight.atNs);
            probes += sight.opcode == ROCE_PROBE && sight.atNs > untilNs && sight.atNs < 42000;
        }
        NS_TEST_EXPECT_MSG_EQ(probes, 1, "the one that has waited, and no other");
    }
};

/// Tests the limit on the probes of all flows of a host together.
class BudgetTestCase : public OutOfBandTestCase
{
  public:
    BudgetTestCase()
        : OutOfBandTestCase("a host keeps its spacing of probes, and its flows take turns")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t flows = 8;
        constexpr int64_t spacingNs = 2000;
        Fabric().SetHostAttribute("ProbeSpacing", TimeValue(NanoSeconds(spacingNs)));
        Build(2);
        for (uint32_t i = 0; i < flows; ++i)
        {
            Post(0, Fabric().Connect(0, 1, SpecOf("probe")), 250000);
        }
        Run(MilliSeconds(1));
        ExpectQuiet(flows);
        const Sights probes = Sent(0, ROCE_PROBE);
        std::map<uint32_t, uint32_t> turns;
        NS_TEST_ASSERT_MSG_GT(probes.size(), 70, "2 MB take 173 us");
        for (size_t i = 1; i < 70; ++i)
        {
            // Each probe waits for the frame in transmission. Therefore the gap between two probes
            // may be shorter or longer by the transmission time of a frame.
            const int64_t gapNs = probes[i].atNs - probes[i - 1].atNs;
            NS_TEST_EXPECT_MSG_GT(gapNs, spacingNs - 90, "not denser");
            NS_TEST_EXPECT_MSG_LT(gapNs, spacingNs + 90, "with so many flows, nor sparser");
            ++turns[probes[i].qp];
        }
        for (const auto& [qp, count] : turns)
        {
            NS_TEST_EXPECT_MSG_GT(count, 6, "turns of " << qp);
        }
        NS_TEST_EXPECT_MSG_EQ(turns.size(), flows, "all have turns");
    }
};

/// Tests the probes of many flows. The probes wait for one another, and data is sent between them.
class ManyFlowsTestCase : public OutOfBandTestCase
{
  public:
    ManyFlowsTestCase()
        : OutOfBandTestCase(
              "a probe carries the next number to be sent, which identifies its answer")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t flows = 16;
        Build(2);
        uint64_t answers = 0;
        const auto spec = SpecOf("probe");
        for (uint32_t i = 0; i < flows; ++i)
        {
            auto policy = CreateObject<FixedPolicy>();
            policy->needs.telemetry = "int-md";
            policy->window = 20000;
            policy->onAck = [&answers](RdmaCongestionState&, const RdmaAckInfo& ack) {
                answers += ack.hopCount;
            };
            RdmaQueuePairConfig config;
            config.policy = policy;
            config.telemetry = spec.format;
            config.feedback = spec.feedback;
            config.networkBaseRttNs = m_networkRttNs;
            Post(0, Host(0).Connect(Fabric().GetHost(1), config), 200000);
        }
        Run(MilliSeconds(2));
        ExpectQuiet(flows);
        const size_t probes = Sent(0, ROCE_PROBE).size();
        NS_TEST_EXPECT_MSG_GT(probes, 10 * flows, "probes");
        NS_TEST_EXPECT_MSG_EQ(answers, probes, "answers used");
    }
};

/// Tests that probes use the paths of their flows.
class PathTestCase : public OutOfBandTestCase
{
  public:
    explicit PathTestCase(const std::string& telemetry)
        : OutOfBandTestCase(telemetry + ": probes take the path of their flow's data"),
          m_telemetry(telemetry)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t flows = 16;
        Install(HpccTopology::LeafSpine(2, 4, 2, {}));
        std::map<uint16_t, std::set<const QbbNetDevice*>> data;
        std::map<uint16_t, std::set<const QbbNetDevice*>> probes;
        std::set<const QbbNetDevice*> used;
        for (const auto& device : Fabric().GetDevices())
        {
            OnTransmit(*device, [&, port = PeekPointer(device)](int64_t, const Frame& frame) {
                if (frame.kind == Frame::Kind::ROCE && !frame.IsRoceFeedback())
                {
                    auto& ports = frame.opcode == ROCE_PROBE ? probes : data;
                    ports[frame.sourcePort].insert(port);
                    used.insert(port);
                }
            });
        }
        for (uint16_t i = 0; i < flows; ++i)
        {
            Post(0, Fabric().Connect(0, 2, SpecOf("probe", m_telemetry), 0xc000 + i), 100000);
        }
        Run(MilliSeconds(2));
        ExpectQuiet(flows);
        NS_TEST_EXPECT_MSG_EQ(data.size(), flows, "flows");
        NS_TEST_EXPECT_MSG_GT(used.size(), 8, "of several paths");
        NS_TEST_EXPECT_MSG_EQ((data == probes), true, "the same ports");
    }

    std::string m_telemetry; ///< short name of the format
};

/// Tests that settings are refused if the headers cannot encode them.
class RefusalTestCase : public RdmaTestCase
{
  public:
    RefusalTestCase()
        : RdmaTestCase("reports of one hop are refused where the sender would misinterpret them")
    {
    }

  private:
    void Expect(const std::string& what, const std::function<void()>& action)
    {
        std::string message;
        try
        {
            action();
        }
        catch (const HpccInputError& error)
        {
            message = error.what();
        }
        NS_TEST_EXPECT_MSG_NE(message.find(what), std::string::npos, what << " in: " << message);
        NS_TEST_EXPECT_MSG_EQ(message.find('\n'), std::string::npos, "one line");
    }

    void DoRun() override
    {
        auto make = HpccFabricHelper::MakePolicy;
        Expect("allowed is the report of all hops",
               [&] { make("hpcc++", "csig", "roce-reference"); });

        Install(HpccTopology::LeafSpine(2, 2, 1, {}));
        Expect("needs records of all hops",
               [&] { Fabric().Connect(0, 1, make("powertcp", "", "packet:worst-hop")); });
        auto strict = SpecOf("roce-reference:strict");
        Expect("there are several paths", [&] { Fabric().Connect(0, 1, strict); });
        Fabric().Connect(0, 1, SpecOf("roce-reference"));
        RdmaTestCase::DoTeardown();

        Install(HpccTopology::Dumbbell(1,
                                       1,
                                       {DataRate("100Gbps"), DataRate("40Gbps"), MicroSeconds(1)}));
        Expect("different rates", [&] { Fabric().Connect(0, 1, strict); });
        RdmaTestCase::DoTeardown();

        Fabric().SetPaths("spray");
        Install(HpccTopology::LeafSpine(2, 2, 1, {}));
        Expect("several per round trip", [&] { Fabric().Connect(0, 1, SpecOf("roce-reference")); });
        RdmaTestCase::DoTeardown();

        Fabric().SetHostAttribute("ProbeDscp", UintegerValue(48));
        Install(Star(2, "100Gbps", MicroSeconds(1)));
        Expect("ns3::RdmaHost::ProbeDscp 48", [&] { Fabric().Connect(0, 1, SpecOf("probe")); });
    }
};

class HpccProbesTestSuite : public TestSuite
{
  public:
    HpccProbesTestSuite()
        : TestSuite("hpcc-probes", Type::UNIT)
    {
        for (const char* telemetry : {"int-md", "int-md:dscp", "ifa", "ioam", "sigcomm19", "csig"})
        {
            AddTestCase(new ProbeTestCase(telemetry));
        }
        AddTestCase(new ProbeBytesTestCase);
        AddTestCase(new ClosedWindowTestCase);
        AddTestCase(new LostProbeTestCase(false));
        AddTestCase(new LostProbeTestCase(true));
        AddTestCase(new PausesTestCase);
        AddTestCase(new PausedTestCase);
        AddTestCase(new BudgetTestCase);
        AddTestCase(new ManyFlowsTestCase);
        for (const char* telemetry : {"int-md", "ifa", "ioam"})
        {
            AddTestCase(new PathTestCase(telemetry));
        }
        AddTestCase(new RefusalTestCase);
    }
};

HpccProbesTestSuite g_hpccProbesTestSuite; ///< registers itself

} // namespace
