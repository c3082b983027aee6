/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-rdma.h"

#include "ns3/hpcc-frame-codec.h"
#include "ns3/hpcc-idle-path-forger.h"
#include "ns3/hpcc-node-agenda.h"
#include "ns3/hpcc-port-agent.h"
#include "ns3/hpcc-roce-headers.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/hpcc-worst-hop.h"
#include "ns3/rdma-hpcc-base.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <set>

/// Feedback by probes and notifications.

using namespace hpcctest;

namespace
{

/// Telemetry of a format on any policy.
HpccFabricHelper::PolicySpec
SpecOf(const std::string& feedback, const std::string& telemetry = "int-md")
{
    return HpccFabricHelper::MakePolicy("hpcc++", telemetry, feedback);
}

/// A star at 100 Gb/s whose frames are noted as they leave hosts.
class OutOfBandTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    /// A frame that begins its transmission.
    struct Sight
    {
        int64_t atNs;        ///< when
        uint32_t bytes;      ///< its size
        uint8_t opcode;      ///< its opcode
        uint32_t psn;        ///< its number
        uint32_t named;      ///< of a notification: what it names
        uint32_t qp;         ///< destination queue pair
        uint32_t hops;       ///< records; 0 without telemetry
        bool hasFormat;      ///< it carries telemetry
        uint8_t priority;    ///< its priority
        uint8_t tos;         ///< its TOS
        uint16_t sourcePort; ///< its UDP source port
        uint32_t flowHash;   ///< of its 5-tuple
        bool exact;          ///< its size is that of its bytes
    };

    using Sights = std::vector<Sight>;

    /// @param hosts hosts of the star that is built now
    void Build(uint32_t hosts)
    {
        Install(Star(hosts, "100Gbps", MicroSeconds(1)));
        m_sights.assign(hosts, {});
        for (uint32_t host = 0; host < hosts; ++host)
        {
            OnTransmit(Host(host).GetPort(), [this, host](int64_t nowNs, const Frame& frame) {
                m_sights[host].push_back(Look(nowNs, frame));
            });
        }
        m_networkRttNs = Fabric().GetNetworkBaseRttNs();
    }

    static Sight Look(int64_t nowNs, const Frame& frame)
    {
        const Mac48Address mac("02:00:00:00:00:01");
        return {nowNs,
                frame.bytes,
                frame.opcode,
                frame.psn,
                frame.opcode == ROCE_NOTIFICATION ? frame.reflection.namedPsn & 0xffffff : 0,
                frame.destinationQp,
                frame.format ? frame.telemetry.hops : 0U,
                frame.format != nullptr,
                frame.priority,
                frame.tos,
                frame.sourcePort,
                frame.flowHash,
                FrameCodec::Encode(frame, mac, mac).size() == frame.bytes};
    }

    /// @param host that has sent @param opcode of frames @return them
    Sights Sent(uint32_t host, uint8_t opcode) const
    {
        Sights found;
        std::copy_if(m_sights[host].begin(),
                     m_sights[host].end(),
                     std::back_inserter(found),
                     [opcode](const Sight& sight) { return sight.opcode == opcode; });
        return found;
    }

    /// @param host that has sent @return what it has sent that is neither feedback nor a probe
    Sights SentData(uint32_t host) const
    {
        Sights found;
        std::copy_if(m_sights[host].begin(),
                     m_sights[host].end(),
                     std::back_inserter(found),
                     [](const Sight& sight) { return sight.opcode < ROCE_ACK; });
        return found;
    }

    void Run(Time until)
    {
        Simulator::Stop(until);
        Simulator::Run();
    }

    /// After all messages: nothing is left.
    void ExpectQuiet(size_t messages)
    {
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), messages, "messages that end");
        NS_TEST_EXPECT_MSG_EQ(AllFramesFree(), true, "frames are back in their pools");
    }

    std::vector<Sights> m_sights; ///< by host
    int64_t m_networkRttNs{0};    ///< T
};

/// One flow of a few round trips.
class ProbeTestCase : public OutOfBandTestCase
{
  public:
    explicit ProbeTestCase(const std::string& telemetry)
        : OutOfBandTestCase("probes over " + telemetry +
                            ": one a round trip, like the flow's data but for what they ask"),
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
        // A round trip is 4 us, a store-and-forward of small packets, and a wait for one of data.
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
                // 1 us twice, a store-and-forward at the switch, and at most one data packet that
                // has begun.
                const int64_t back = answers[i - 1].atNs + 2000;
                NS_TEST_EXPECT_MSG_GT(probe.atNs, back, "not before the answer");
                NS_TEST_EXPECT_MSG_LT(probe.atNs, back + 120, "but at once");
            }
        }
    }

    std::string m_telemetry; ///< format
};

/// Bytes on the wire, made by hand from the layouts.
class ProbeBytesTestCase : public OutOfBandTestCase
{
  public:
    ProbeBytesTestCase()
        : OutOfBandTestCase("probe, its telemetry and its notification, byte for byte")
    {
    }

  private:
    static std::string Hex(const Frame& frame)
    {
        const Mac48Address mac("02:00:00:00:00:01");
        std::string hex;
        for (uint8_t byte : FrameCodec::Encode(frame, mac, mac))
        {
            constexpr char digits[] = "0123456789abcdef";
            hex += digits[byte >> 4];
            hex += digits[byte & 0xf];
        }
        return hex;
    }

    void DoRun() override
    {
        Build(2);
        std::vector<std::string> seen;
        OnTransmit(*Fabric().GetSwitch(2)->GetPorts()[1], [&](int64_t, const Frame& frame) {
            if (frame.opcode == ROCE_PROBE)
            {
                seen.push_back(Hex(frame));
            }
        });
        OnTransmit(Host(1).GetPort(), [&](int64_t, const Frame& frame) {
            if (frame.opcode == ROCE_NOTIFICATION)
            {
                seen.push_back(Hex(frame));
            }
        });
        Post(0, Fabric().Connect(0, 1, SpecOf("probe"), 0xc001), 1000);
        Run(MilliSeconds(1));
        ExpectQuiet(1);
        NS_TEST_ASSERT_MSG_EQ(seen.size(), 2, "a probe and its answer");
        const std::string& probe = seen[0];
        const std::string& answer = seen[1];
        // Ethernet 14, IPv4 20, UDP 8, INT-MD 16 and 24 of one hop, BTH 12, ICRC 4.
        NS_TEST_EXPECT_MSG_EQ(probe.substr(2 * 15, 2), "64", "DSCP 25, not ECN-capable");
        NS_TEST_EXPECT_MSG_EQ(probe.substr(2 * 34, 4), "c001", "the data's source port");
        const size_t bth = probe.size() - 2 * 16;
        NS_TEST_EXPECT_MSG_EQ(probe.substr(bth, 24), "c040ffff0000000200000001", "BTH");
        // Ethernet 14, IPv4 20, UDP 8, BTH 12, AETH 4, number 4, reflection 8, records, ICRC.
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

/// A policy that holds the window and looks at sequence numbers.
class ClosedWindowTestCase : public OutOfBandTestCase
{
  public:
    ClosedWindowTestCase()
        : OutOfBandTestCase("each answer commits, once, also while the window lets nothing go")
    {
    }

  private:
    void DoRun() override
    {
        Build(2);
        auto policy = CreateObject<FixedPolicy>();
        policy->needs = RdmaCongestionOps::NEED_TELEMETRY;
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
        // A packet of 1,000 bytes takes longer than a probe: some answers find it still in flight.
        Post(0, Host(0).Connect(Fabric().GetHost(1), config), 100000);
        Run(MilliSeconds(2));
        ExpectQuiet(1);
        NS_TEST_EXPECT_MSG_GT(answers, 95, "about one per packet");
        NS_TEST_EXPECT_MSG_EQ(commits, answers, "each commits");
    }
};

/// Probes and answers that get lost.
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
        // The first frames that arrive: data, probe, data, ... at host 1, ACK, answer, ... at 0.
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

    bool m_answer; ///< the answer is lost, not the probe
};

/// Data pauses; probes go on with it.
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

/// The data's priority is paused.
class PausedTestCase : public OutOfBandTestCase
{
  public:
    PausedTestCase()
        : OutOfBandTestCase("probes are paused with their class and wait for nothing else")
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
        // 20 us, 1 us of delay, at most one frame that has begun; the pause lasts 20.48 us.
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

/// A budget for all flows of a host.
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
            // A probe waits for the frame that has begun, so its neighbour may be that much closer.
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

/// One notification per data packet.
class NotificationTestCase : public OutOfBandTestCase
{
  public:
    NotificationTestCase()
        : OutOfBandTestCase("notifications: one per data packet, whatever ACKs do")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t packets = 400;
        Fabric().SetHostAttribute("AckInterval", UintegerValue(8));
        Build(2);
        Post(0, Fabric().Connect(0, 1, SpecOf("notification")), packets * 1000);
        Run(MilliSeconds(1));
        ExpectQuiet(1);
        const Sights told = Sent(1, ROCE_NOTIFICATION);
        const Sights acks = Sent(1, ROCE_ACK);
        NS_TEST_EXPECT_MSG_EQ(Sent(0, ROCE_PROBE).size(), 0, "data collects");
        NS_TEST_ASSERT_MSG_EQ(told.size(), packets, "one per packet");
        NS_TEST_EXPECT_MSG_LT(acks.size(), packets / 3, "ACKs keep their own schedule");
        for (const Sight& ack : acks)
        {
            NS_TEST_EXPECT_MSG_EQ(ack.hasFormat, false, "and carry nothing");
        }
        for (uint32_t i = 0; i < packets; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(told[i].named, i + 1, "what is answered");
            NS_TEST_EXPECT_MSG_EQ(told[i].psn, i, "what is acknowledged");
            NS_TEST_EXPECT_MSG_EQ(told[i].hops, 1, "what is told");
            NS_TEST_EXPECT_MSG_EQ(told[i].exact, true, "its size");
        }
        // snd_una moves with notifications: the window never waits for the eighth packet's ACK.
        const double idealNs = packets * 1000 * 8 / 100 * 1.12;
        NS_TEST_EXPECT_MSG_LT(static_cast<double>(m_acknowledged[0].completedNs),
                              idealNs + 2.0 * static_cast<double>(m_networkRttNs),
                              "time");
    }
};

/// Notifications to a queue pair that asked for none, probes to one that does not answer.
class UnwantedTestCase : public OutOfBandTestCase
{
  public:
    UnwantedTestCase()
        : OutOfBandTestCase("probes and notifications that nobody has agreed on are dropped")
    {
    }

  private:
    void DoRun() override
    {
        Build(2);
        uint32_t qp = Fabric().Connect(0, 1, SpecOf("packet"));
        Post(0, qp, 1000000);
        for (auto [from, opcode] : {std::pair(0, ROCE_PROBE), std::pair(1, ROCE_NOTIFICATION)})
        {
            At(MicroSeconds(20), [this, from = from, opcode = opcode] {
                QbbNetDevice& port = Host(from).GetPort();
                Frame* frame = port.GetAgenda().Frames().Allocate();
                frame->kind = Frame::Kind::ROCE;
                frame->source = Host(from).GetAddress();
                frame->destination = Host(1 - from).GetAddress();
                frame->sourcePort = 0xc001;
                frame->destinationPort = ROCE_UDP_PORT;
                frame->protocol = 17;
                frame->ttl = 64;
                frame->tos = 26 << 2;
                frame->priority = 3;
                frame->ipv6 = false;
                frame->opcode = opcode;
                frame->bthFlags = 0;
                frame->destinationQp = 2;
                frame->psn = 500;
                frame->payloadBytes = 0;
                frame->syndrome = ROCE_SYNDROME_ACK;
                frame->reflection.flags = 0;
                frame->reflection.namedPsn = 500;
                frame->bytes = RoceFrameBytes(*frame);
                port.Enqueue(frame);
            });
        }
        Run(MilliSeconds(1));
        ExpectQuiet(1);
        for (uint32_t host : {0, 1})
        {
            NS_TEST_EXPECT_MSG_EQ(Host(host).GetPort().GetDrops(DropReason::MALFORMED), 1, host);
        }
        NS_TEST_EXPECT_MSG_EQ(Host(1).GetQueuePair(0).receivedBytes, 1000000, "data is unharmed");
    }
};

/// Probes take the ways of their flows.
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

    std::string m_telemetry; ///< format
};

/// What probes take of a link.
class CostTestCase : public OutOfBandTestCase
{
  public:
    CostTestCase(uint32_t flows, Time spacing)
        : OutOfBandTestCase("probes of " + std::to_string(flows) + " flows" +
                            (spacing.IsZero() ? "" : " with a budget") +
                            " take at most n times their bytes over B T of a link"),
          m_flows(flows),
          m_spacing(spacing)
    {
    }

  private:
    static constexpr int64_t FROM_NS = 100000;
    static constexpr int64_t UNTIL_NS = 300000;

    void DoRun() override
    {
        Fabric().SetHostAttribute("ProbeSpacing", TimeValue(m_spacing));
        Build(2);
        for (uint32_t i = 0; i < m_flows; ++i)
        {
            Post(0, Fabric().Connect(0, 1, SpecOf("probe")), 5000000 / m_flows);
        }
        uint64_t probeBytes = 0;
        uint64_t answerBytes = 0;
        QbbNetDevice& there = *Fabric().GetSwitch(2)->GetPorts()[1];
        OnTransmit(there, [&](int64_t nowNs, const Frame& frame) {
            const bool counts = nowNs >= FROM_NS && nowNs < UNTIL_NS;
            probeBytes +=
                counts && frame.opcode == ROCE_PROBE ? there.GetLinkBytes(frame.bytes) : 0;
        });
        QbbNetDevice& back = Host(1).GetPort();
        OnTransmit(back, [&](int64_t nowNs, const Frame& frame) {
            const bool counts = nowNs >= FROM_NS && nowNs < UNTIL_NS;
            answerBytes +=
                counts && frame.opcode == ROCE_NOTIFICATION ? back.GetLinkBytes(frame.bytes) : 0;
        });
        Run(MilliSeconds(2));
        ExpectQuiet(m_flows);
        const double linkBytes = 100e9 / 8 * (UNTIL_NS - FROM_NS) * 1e-9;
        // 122 bytes with the record of one hop. Those probes that wait for no data packet take
        // 4.05 us, which is less than T.
        const double byFlows = m_flows * 122 * 8 / (100 * 4050.0);
        const double byBudget =
            m_spacing.IsZero() ? 1 : 122 * 8 / (100.0 * m_spacing.GetNanoSeconds()) * 1.01;
        const double share = static_cast<double>(probeBytes) / linkBytes;
        const double shareBack = static_cast<double>(answerBytes) / linkBytes;
        std::cout << "hpcc-probes: " << m_flows << " flows, spacing " << m_spacing.GetNanoSeconds()
                  << " ns: probes " << 100 * share << " %, notifications " << 100 * shareBack
                  << " %, bound " << 100 * std::min(byFlows, byBudget) << " %, last end "
                  << m_acknowledged.back().completedNs << " ns\n";
        NS_TEST_EXPECT_MSG_LT(share, std::min(byFlows, byBudget), "there");
        NS_TEST_EXPECT_MSG_GT(share, 0.5 * std::min(byFlows, byBudget), "and they are sent");
        if (m_flows == 1)
        {
            NS_TEST_EXPECT_MSG_LT(share, 0.005, "one flow, there");
            NS_TEST_EXPECT_MSG_LT(shareBack, 0.005, "one flow, back");
        }
    }

    uint32_t m_flows; ///< from host 0 to host 1
    Time m_spacing;   ///< budget
};

/// The 16:1 incast of the paper by several ways of feedback.
class OutcomeTestCase : public OutOfBandTestCase
{
  public:
    OutcomeTestCase()
        : OutOfBandTestCase("16:1 incast: what probes, notifications and reports of one hop keep "
                            "of the default")
    {
    }

  private:
    static constexpr uint32_t SENDERS = 16;

    /// What a run shows.
    struct Outcome
    {
        double lastUs;        ///< last completion
        double gbps;          ///< of the bottleneck from 60 to 500 us
        uint64_t queueBytes;  ///< its largest queue from 200 us on
        double overheadBytes; ///< telemetry and feedback over payload, on the senders' links
    };

    Outcome Incast(const std::string& feedback)
    {
        Build(SENDERS + 1);
        QbbNetDevice& port = *Fabric().GetSwitch(SENDERS + 1)->GetPorts()[SENDERS];
        Outcome outcome{};
        uint64_t busy = 0;
        OnTransmit(port, [&](int64_t nowNs, const Frame& frame) {
            busy += nowNs >= 60000 && nowNs < 500000 ? port.GetLinkBytes(frame.bytes) : 0;
        });
        OnQueue(port, [&outcome](int64_t nowNs, uint64_t bytes) {
            outcome.queueBytes = nowNs > 200000 ? std::max(outcome.queueBytes, bytes) : 0;
        });
        for (uint32_t host = 0; host < SENDERS; ++host)
        {
            Post(host, Fabric().Connect(host, SENDERS, SpecOf(feedback)), 500000);
        }
        Run(MilliSeconds(5));
        ExpectQuiet(SENDERS);
        NS_TEST_EXPECT_MSG_EQ(GetDrops(), 0, "nothing is lost");
        outcome.lastUs = static_cast<double>(m_acknowledged.back().completedNs) / 1e3;
        outcome.gbps = static_cast<double>(busy) * 8 / 440000;
        std::cout << "hpcc-probes: 16:1 incast, " << feedback << ": last " << outcome.lastUs
                  << " us, " << outcome.gbps << " Gb/s, queue after 200 us " << outcome.queueBytes
                  << " bytes\n";
        m_acknowledged.clear();
        RdmaTestCase::DoTeardown();
        return outcome;
    }

    void DoRun() override
    {
        const Outcome usual = Incast("packet");
        for (const char* feedback : {"probe",
                                     "notification",
                                     "roce-reference",
                                     "roce-reference:strict",
                                     "packet:worst-hop"})
        {
            const Outcome other = Incast(feedback);
            NS_TEST_EXPECT_MSG_GT(other.gbps, 0.93 * usual.gbps, feedback << ": throughput");
            NS_TEST_EXPECT_MSG_LT(other.lastUs, 1.08 * usual.lastUs, feedback << ": last end");
            NS_TEST_EXPECT_MSG_LT(other.queueBytes, usual.queueBytes + 12 * 1100, feedback);
        }
    }
};

/// One switch, one hop to report: it makes no difference that it is the only one.
class ReportTestCase : public OutOfBandTestCase
{
  public:
    ReportTestCase()
        : OutOfBandTestCase("a report of one hop is what is said of the worst link, with what that "
                            "said before")
    {
    }

  private:
    /// A report as it leaves the receiver.
    struct Report
    {
        HpccWorstHop hop; ///< what it says
        uint32_t bytes;   ///< of the notification
    };

    void DoRun() override
    {
        Install(
            HpccTopology::ParkingLot(2,
                                     {DataRate("100Gbps"), DataRate("100Gbps"), MicroSeconds(1)}));
        auto spec = SpecOf("roce-reference", "ifa");
        std::vector<Report> reports;
        OnTransmit(Host(1).GetPort(), [&](int64_t, const Frame& frame) {
            if (frame.opcode == ROCE_NOTIFICATION && frame.format)
            {
                NS_TEST_EXPECT_MSG_EQ(+frame.reflection.flags, REFLECTION_WORST_HOP, "flag");
                NS_TEST_EXPECT_MSG_EQ(+frame.telemetry.hops, 1, "one hop of three");
                HpccWorstHop hop;
                hop.Read(frame.format->GetCapabilities(), frame.telemetry.words.data());
                reports.push_back({hop, frame.bytes});
            }
        });
        Post(0, Fabric().Connect(0, 1, spec), 2000000);
        // First the first link is shared, then the second one.
        Post(2, Fabric().Connect(2, 3, spec), 500000, MicroSeconds(20));
        Post(4, Fabric().Connect(4, 5, spec), 500000, MicroSeconds(160));
        std::map<uint32_t, uint32_t> samples;
        double largestU = 0;
        m_samples = &samples;
        m_largestU = &largestU;
        auto* ops = Host(0).GetQueuePair(0).ops;
        ops->TraceConnectWithoutContext("HopU", MakeCallback(&ReportTestCase::NoteHopU, this));
        Run(MilliSeconds(2));
        ExpectQuiet(3);
        NS_TEST_ASSERT_MSG_GT(reports.size(), 40, "one a round trip");
        NS_TEST_EXPECT_MSG_EQ(reports[0].hop.before.fields, 0, "nothing before the first");
        std::map<uint32_t, HopTelemetry> last;
        std::set<uint32_t> moves;
        for (size_t i = 1; i < reports.size(); ++i)
        {
            const HpccWorstHop& hop = reports[i].hop;
            NS_TEST_EXPECT_MSG_NE(hop.before.fields, 0, "the receiver knows all links");
            NS_TEST_EXPECT_MSG_LT(hop.before.timestampNs, hop.now.timestampNs, "earlier");
            // Ethernet 14, IPv4 20, UDP 8, BTH 12, AETH 4, number 4, reflection 8, report, ICRC 4.
            NS_TEST_EXPECT_MSG_EQ(reports[i].bytes, 74 + 52, "size");
            moves.insert(hop.now.switchId);
        }
        NS_TEST_EXPECT_MSG_GT(moves.size(), 1, "the bottleneck moves");
        NS_TEST_EXPECT_MSG_EQ(samples.size(), moves.size(), "the sender knows where it is");
        NS_TEST_EXPECT_MSG_LT(largestU, 6, "no counter is subtracted from another's");
    }

    void NoteHopU(uint32_t, uint32_t, uint32_t switchId, uint32_t, double u)
    {
        ++(*m_samples)[switchId];
        *m_largestU = std::max(*m_largestU, u);
    }

    std::map<uint32_t, uint32_t>* m_samples{nullptr}; ///< by switch
    double* m_largestU{nullptr};                      ///< largest u'
};

/// The bottleneck moves between two links.
class MovingBottleneckTestCase : public OutOfBandTestCase
{
  public:
    MovingBottleneckTestCase()
        : OutOfBandTestCase(
              "a bottleneck that moves: reports of one hop serve as well as all, bare "
              "ones mislead")
    {
    }

  private:
    /// What a run shows.
    struct Outcome
    {
        size_t ended{0};    ///< flows that end
        double longUs{0};   ///< completion of the long flow
        double largestU{0}; ///< largest u' that it sees
        uint64_t queue{0};  ///< largest queue from 100 us on
    };

    Outcome Chain(const std::string& feedback)
    {
        Install(
            HpccTopology::ParkingLot(2,
                                     {DataRate("100Gbps"), DataRate("100Gbps"), MicroSeconds(1)}));
        auto spec = SpecOf(feedback, "ifa");
        const uint32_t first = Fabric().Connect(2, 3, spec);
        const uint32_t second = Fabric().Connect(4, 5, spec);
        Post(0, Fabric().Connect(0, 1, spec), 3000000);
        for (uint32_t i = 0; i < 4; ++i)
        {
            Post(2, first, 300000, MicroSeconds(50 + 120 * i));
            Post(4, second, 300000, MicroSeconds(110 + 120 * i));
        }
        Outcome outcome;
        m_largestU = &outcome.largestU;
        Host(0).GetQueuePair(0).ops->TraceConnectWithoutContext(
            "HopU",
            MakeCallback(&MovingBottleneckTestCase::NoteHopU, this));
        for (const auto& device : Fabric().GetDevices())
        {
            OnQueue(*device, [&outcome](int64_t nowNs, uint64_t bytes) {
                outcome.queue = nowNs > 100000 ? std::max(outcome.queue, bytes) : 0;
            });
        }
        Run(MilliSeconds(5));
        outcome.ended = m_acknowledged.size();
        for (const auto& record : m_acknowledged)
        {
            if (record.source == Host(0).GetAddress())
            {
                outcome.longUs = static_cast<double>(record.completedNs) / 1e3;
            }
        }
        std::cout << "hpcc-probes: moving bottleneck, " << feedback << ": " << outcome.ended
                  << " of 9 flows end, the long one after " << outcome.longUs << " us, largest u' "
                  << outcome.largestU << ", queue " << outcome.queue << " bytes\n";
        m_acknowledged.clear();
        RdmaTestCase::DoTeardown();
        return outcome;
    }

    void NoteHopU(uint32_t, uint32_t, uint32_t, uint32_t, double u)
    {
        *m_largestU = std::max(*m_largestU, u);
    }

    void DoRun() override
    {
        const Outcome all = Chain("probe");
        const Outcome one = Chain("roce-reference");
        const Outcome bare = Chain("roce-reference:strict");
        NS_TEST_EXPECT_MSG_EQ(all.ended, 9, "flows that end");
        NS_TEST_EXPECT_MSG_EQ(one.ended, 9, "flows that end");
        NS_TEST_EXPECT_MSG_EQ_TOL(one.longUs, all.longUs, 0.1 * all.longUs, "time");
        NS_TEST_EXPECT_MSG_LT(one.largestU, 6, "what links say");
        NS_TEST_EXPECT_MSG_GT(bare.largestU, 20, "counters of two links subtracted");
    }

    double* m_largestU{nullptr}; ///< largest u'
};

/// What cannot be said is refused.
class RefusalTestCase : public RdmaTestCase
{
  public:
    RefusalTestCase()
        : RdmaTestCase("reports of one hop are refused where they would mislead")
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
        Expect("AllHops is allowed", [&] { make("hpcc++", "csig", "roce-reference"); });
        Expect("needs records of all hops", [&] { make("powertcp", "", "packet:worst-hop"); });

        Install(HpccTopology::LeafSpine(2, 2, 1, {}));
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
        Expect("several in one round trip",
               [&] { Fabric().Connect(0, 1, SpecOf("roce-reference")); });
        RdmaTestCase::DoTeardown();

        Fabric().SetHostAttribute("ProbeDscp", UintegerValue(48));
        Install(Star(2, "100Gbps", MicroSeconds(1)));
        Expect("ns3::RdmaHost::ProbeDscp 48", [&] { Fabric().Connect(0, 1, SpecOf("probe")); });
    }
};

/// Duplicates, delays and forges probes and notifications that pass a switch.
class Mangler : public PortAgent
{
  public:
    /// @param seed of what it does @param forgesNumbers whether forged ones acknowledge anything
    Mangler(uint32_t seed, bool forgesNumbers)
        : m_random(seed),
          m_forgesNumbers(forgesNumbers)
    {
    }

    /// Free what is held.
    void Clear()
    {
        for (auto& [port, frame] : m_held)
        {
            if (frame)
            {
                FramePool::Free(frame);
            }
        }
        m_held.clear();
    }

    bool WantsEnqueue() const override
    {
        return true;
    }

    void OnEnqueue(QbbNetDevice& port, Frame& frame, int64_t) override
    {
        if (frame.kind != Frame::Kind::ROCE)
        {
            return;
        }
        FramePool& pool = NodeAgenda::Of(port.GetNode())->Frames();
        if (Frame*& held = m_held[&port]; held && Draw(7) == 0)
        {
            port.Emit(held); // what was held comes late
            held = nullptr;
        }
        if (frame.opcode != ROCE_PROBE && !(frame.IsAcknowledgement() && frame.format))
        {
            return;
        }
        if (Draw(19) == 0)
        {
            port.Emit(pool.Clone(frame));
        }
        if (Draw(19) == 0 && !m_held[&port])
        {
            m_held[&port] = pool.Clone(frame);
        }
        if (Draw(19) == 0)
        {
            Frame* forged = pool.Clone(frame);
            Forge(*forged);
            port.Emit(forged);
        }
    }

    uint64_t forged{0}; ///< notifications and ACKs forged

  private:
    uint32_t Draw(uint32_t most)
    {
        return static_cast<uint32_t>(m_random() % (most + 1));
    }

    void Forge(Frame& frame)
    {
        if (frame.opcode == ROCE_PROBE)
        {
            frame.psn = (frame.psn + Draw(200) - 100) & 0xffffff;
            return;
        }
        ++forged;
        if (frame.ReportsWorstHop())
        {
            frame.telemetry.words[Draw(HpccWorstHop::WORDS - 1)] =
                static_cast<uint32_t>(m_random());
        }
        else
        {
            m_forger.Forge(*frame.format, frame.telemetry);
        }
        if (frame.opcode == ROCE_NOTIFICATION && Draw(1))
        {
            frame.reflection.namedPsn = frame.reflection.namedPsn + Draw(40) - 20;
        }
        if (m_forgesNumbers)
        {
            frame.psn = (frame.psn + Draw(40) - 20) & 0xffffff;
        }
        if (Draw(3) == 0)
        {
            frame.reflectionSeq = static_cast<uint16_t>(frame.reflectionSeq + Draw(4));
        }
    }

    std::mt19937 m_random;                  ///< what is drawn from
    bool m_forgesNumbers;                   ///< see the constructor
    IdlePathForger m_forger;                ///< of records
    std::map<QbbNetDevice*, Frame*> m_held; ///< kept to be late
};

/// Losses, duplicates, disorder, forgeries.
class MangledTestCase : public OutOfBandTestCase
{
  public:
    MangledTestCase()
        : OutOfBandTestCase("whatever becomes of probes and notifications, no flow stalls, no "
                            "window runs away, and probes do not multiply")
    {
    }

  private:
    void DoRun() override
    {
        auto from = [](const char* name, uint32_t value) {
            const char* given = std::getenv(name);
            return given ? static_cast<uint32_t>(std::stoul(given)) : value;
        };
        const uint32_t seed = from("HPCC_TEST_SEED", 1);
        const uint32_t rounds = from("HPCC_TEST_RUNS", 12);
        std::cout << "hpcc-probes: HPCC_TEST_SEED=" << seed << " HPCC_TEST_RUNS=" << rounds << "\n";
        std::mt19937 random(seed);
        for (uint32_t round = 0; round < rounds && !IsStatusFailure(); ++round)
        {
            Once(round, random());
        }
        std::cout << "hpcc-probes: " << m_probes << " probes, " << m_late << " time-outs of data, "
                  << m_forged << " forgeries, " << m_rejected << " rejected\n";
        NS_TEST_EXPECT_MSG_GT(m_forged, 0, "something is forged");
        NS_TEST_EXPECT_MSG_GT(m_rejected, 0, "and rejected");
    }

    void Once(uint32_t round, uint32_t seed)
    {
        std::mt19937 random(seed);
        auto draw = [&random](uint32_t most) {
            return static_cast<uint32_t>(random() % (most + 1));
        };
        const char* ways[] = {"probe", "notification", "roce-reference", "packet:worst-hop"};
        const char* formats[] = {"int-md", "ifa", "sigcomm19", "int-md-no-ts", "ioam"};
        const std::string feedback = ways[round % 4];
        const std::string telemetry = formats[draw(4)];
        const std::string what = std::to_string(round) + ": " + feedback + ", " + telemetry +
                                 ", seed " + std::to_string(seed);
        const bool keyed = draw(1);
        Fabric().SetHostAttribute("FeedbackKey", StringValue(keyed ? "secret" : ""));
        Fabric().SetHostAttribute("RetransmitTimeout", TimeValue(MicroSeconds(100 + draw(200))));
        Fabric().SetHostAttribute("NakInterval", TimeValue(MicroSeconds(10 + draw(50))));
        Fabric().SetHostAttribute("AckInterval", UintegerValue(1 + draw(7)));
        Fabric().SetHostAttribute("ProbeSpacing", TimeValue(NanoSeconds(draw(1) * draw(3000))));
        Fabric().SetHostAttribute("Recovery", StringValue(draw(1) ? "irn" : "go-back-n"));
        constexpr uint32_t hosts = 4;
        Install(Star(hosts, "100Gbps", MicroSeconds(1)));
        const double loss = 0.002 * draw(10);
        for (const auto& device : Fabric().GetDevices())
        {
            auto model = CreateObject<RateErrorModel>();
            model->SetAttribute("ErrorRate", DoubleValue(loss));
            model->SetAttribute("ErrorUnit", StringValue("ERROR_UNIT_PACKET"));
            model->AssignStreams(draw(1000000));
            device->SetAttribute("ReceiveErrorModel", PointerValue(model));
        }
        // Who could forge acknowledgements could drop data: only a key helps.
        Mangler mangler(draw(1000000), keyed && feedback != "packet:worst-hop");
        Fabric().GetSwitch(hosts)->AddAgent(&mangler);
        auto spec = SpecOf(feedback, telemetry);
        double largest = 0;
        double smallest = 1e9;
        uint64_t bytes = 0;
        size_t messages = 0;
        uint32_t flows = 0;
        m_largest = &largest;
        m_smallest = &smallest;
        for (uint32_t host = 0; host + 1 < hosts; ++host)
        {
            for (uint32_t i = 0, last = draw(2); i <= last; ++i)
            {
                const bool single = i > 0 && draw(1);
                const uint32_t qp = Fabric().Connect(host, hosts - 1, spec, 0, single);
                if (i == 0)
                {
                    Host(host).GetQueuePair(qp).ops->TraceConnectWithoutContext(
                        "Window",
                        MakeCallback(&MangledTestCase::NoteWindow, this));
                }
                ++flows;
                const uint64_t size = 1 + draw(300000);
                Post(host, qp, size, MicroSeconds(draw(50)));
                bytes += size;
                ++messages;
            }
        }
        Simulator::Stop(MilliSeconds(400));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), messages, what << ": messages that end");
        uint64_t received = 0;
        for (const auto& record : m_delivered)
        {
            received += record.bytes;
        }
        NS_TEST_EXPECT_MSG_EQ(received, bytes, what << ": bytes delivered");
        const double initial = 100e9 / 8e9 * static_cast<double>(Fabric().GetNetworkBaseRttNs());
        NS_TEST_EXPECT_MSG_LT_OR_EQ(largest, initial * 1.0001, what << ": window");
        NS_TEST_EXPECT_MSG_GT(smallest, 0, what << ": window");
        const double lastUs = static_cast<double>(m_acknowledged.back().completedNs) / 1e3;
        for (uint32_t host = 0; host < hosts; ++host)
        {
            m_probes += Host(host).GetProbesSent();
            m_late += Host(host).GetTimeouts();
            m_rejected += Host(host).GetRejectedFeedback(FeedbackRejection::FORGED);
            // Each round trip takes 4 us at least, but for answers that are forged halfway.
            NS_TEST_EXPECT_MSG_LT(static_cast<double>(Host(host).GetProbesSent()),
                                  flows * (lastUs / 2 + 2),
                                  what << ": probes");
        }
        m_forged += mangler.forged;
        mangler.Clear();
        NS_TEST_EXPECT_MSG_EQ(AllFramesFree(), true, what << ": frames");
        m_acknowledged.clear();
        m_delivered.clear();
        RdmaTestCase::DoTeardown();
    }

    void NoteWindow(uint32_t, double bytes)
    {
        *m_largest = std::max(*m_largest, bytes);
        *m_smallest = std::min(*m_smallest, bytes);
    }

    double* m_largest{nullptr};  ///< largest window
    double* m_smallest{nullptr}; ///< smallest window
    uint64_t m_probes{0};        ///< in all runs
    uint64_t m_late{0};          ///< in all runs
    uint64_t m_forged{0};        ///< in all runs
    uint64_t m_rejected{0};      ///< in all runs
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
        AddTestCase(new NotificationTestCase);
        AddTestCase(new UnwantedTestCase);
        for (const char* telemetry : {"int-md", "ifa", "ioam"})
        {
            AddTestCase(new PathTestCase(telemetry));
        }
        for (uint32_t flows : {1, 4, 16, 64})
        {
            AddTestCase(new CostTestCase(flows, Time(0)));
            AddTestCase(new CostTestCase(flows, NanoSeconds(4160)));
        }
        AddTestCase(new OutcomeTestCase);
        AddTestCase(new ReportTestCase);
        AddTestCase(new MovingBottleneckTestCase);
        AddTestCase(new RefusalTestCase);
        AddTestCase(new MangledTestCase);
    }
};

HpccProbesTestSuite g_hpccProbesTestSuite; ///< registers itself

} // namespace
