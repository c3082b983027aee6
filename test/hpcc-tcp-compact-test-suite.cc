/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-network.h"
#include "hpcc-test-tcp.h"

#include "ns3/boolean.h"
#include "ns3/global-value.h"
#include "ns3/hpcc-frame-codec.h"
#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-max-load-agent.h"
#include "ns3/hpcc-max-load-format.h"
#include "ns3/hpcc-port-load.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-header.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/qbb-ip-port.h"
#include "ns3/tcp-header.h"

#include <functional>
#include <limits>
#include <list>
#include <map>
#include <tuple>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint8_t OPTION_KIND = 253;
constexpr uint32_t OPTION_BYTES = 8;
constexpr uint32_t SEGMENT = 1000;

/// Fields of a TCP segment on the wire.
struct Wire
{
    bool option{false};       ///< true if the options begin with the option of this module
    bool checksum{false};     ///< true if the checksum is correct
    bool sized{false};        ///< true if the frame size equals the encoded size
    uint16_t exId{0};         ///< experiment identifier of the option
    uint16_t collected{0};    ///< first value of the option
    uint16_t returned{0};     ///< second value of the option
    uint32_t sequence{0};     ///< sequence number
    uint32_t payloadBytes{0}; ///< payload
};

/// Returns the big-endian 16-bit number at @p bytes.
uint16_t
Get16(const uint8_t* bytes)
{
    return static_cast<uint16_t>(bytes[0] << 8 | bytes[1]);
}

/// Returns the fields that the bytes of a TCP frame contain.
/// @param frame the frame
Wire
Read(const Frame& frame)
{
    const auto bytes = FrameCodec::Encode(frame, Mac48Address(), Mac48Address());
    const uint8_t* ip = bytes.data() + ETHERNET_HEADER_BYTES;
    const size_t headerBytes = IpHeaderBytes(frame.ipv6);
    const size_t ipBytes = frame.ipv6 ? IPV6_HEADER_BYTES + Get16(ip + 4) : Get16(ip + 2);
    const uint8_t* tcp = ip + headerBytes;
    Wire wire;
    wire.sized = bytes.size() == frame.bytes;
    wire.sequence = static_cast<uint32_t>(Get16(tcp + 4)) << 16 | Get16(tcp + 6);
    wire.payloadBytes = static_cast<uint32_t>(ipBytes - headerBytes) - (tcp[12] >> 4) * 4U;
    if (tcp[12] >> 4 >= 7)
    {
        wire.option = tcp[20] == OPTION_KIND && tcp[21] == OPTION_BYTES;
        wire.exId = Get16(tcp + 22);
        wire.collected = Get16(tcp + 24);
        wire.returned = Get16(tcp + 26);
    }
    uint32_t sum = 6 + static_cast<uint32_t>(ipBytes - headerBytes);
    for (size_t i = frame.ipv6 ? 8 : 12; i < ipBytes; ++i)
    {
        sum += i % 2 ? ip[i] : ip[i] << 8;
    }
    while (sum >> 16)
    {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    wire.checksum = sum == 0xffff;
    return wire;
}

/// Counts all packets that reach ns-3's IP by TOS, and those that still contain the option of this
/// module.
class IpWatch
{
  public:
    /// Observes the IP stack of a node.
    /// @param node the node
    void Watch(Ptr<Node> node)
    {
        node->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext(
            "Rx",
            MakeCallback(&IpWatch::Ipv4Received, this));
        node->GetObject<Ipv6L3Protocol>()->TraceConnectWithoutContext(
            "Rx",
            MakeCallback(&IpWatch::Ipv6Received, this));
    }

    std::map<uint8_t, uint64_t> packets; ///< packets by TOS
    uint64_t options{0};                 ///< number of packets with the option

  private:
    void Ipv4Received(Ptr<const Packet> packet, Ptr<Ipv4>, uint32_t)
    {
        Ipv4Header ip;
        Ptr<Packet> copy = packet->Copy();
        copy->RemoveHeader(ip);
        Note(copy, ip.GetTos());
    }

    void Ipv6Received(Ptr<const Packet> packet, Ptr<Ipv6>, uint32_t)
    {
        Ipv6Header ip;
        Ptr<Packet> copy = packet->Copy();
        copy->RemoveHeader(ip);
        Note(copy, ip.GetTrafficClass());
    }

    void Note(Ptr<Packet> segment, uint8_t tos)
    {
        TcpHeader tcp;
        segment->PeekHeader(tcp);
        ++packets[tos];
        for (const auto& option : tcp.GetOptionList())
        {
            options += option->GetKind() == OPTION_KIND;
        }
    }
};

/// Base class with a fabric in which TCP uses options and checksums.
class CompactTestCase : public TcpTestCase
{
  public:
    explicit CompactTestCase(const std::string& name)
        : TcpTestCase(name)
    {
    }

  protected:
    void DoSetup() override
    {
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));
    }

    void DoTeardown() override
    {
        TcpTestCase::DoTeardown();
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(false));
    }

    /// Expects that the NICs no longer store states of connections.
    /// @param hosts number of hosts
    void ExpectForgotten(uint32_t hosts)
    {
        for (uint32_t host = 0; host < hosts; ++host)
        {
            NS_TEST_EXPECT_MSG_EQ(NicOf(host)->GetConnections(), 0, "connections of " << host);
            NS_TEST_EXPECT_MSG_EQ(NicOf(host)->GetCompact()->GetPeers(), 0, "peers of " << host);
            NS_TEST_EXPECT_MSG_EQ(NicOf(host)->GetCompact()->GetPending(),
                                  0,
                                  "connections of " << host << " to answer");
        }
    }
};

class OptionTestCase : public CompactTestCase
{
  public:
    OptionTestCase(const std::string& feedback, bool ipv6)
        : CompactTestCase("an option of TCP (" + feedback + ", " + (ipv6 ? "IPv6" : "IPv4") +
                          ") is in every data segment and ACK, right on the wire, keeps a queue "
                          "short and does not reach TCP"),
          m_feedback(feedback),
          m_ipv6(ipv6)
    {
    }

  private:
    static constexpr uint32_t SENDERS = 8;

    void DoRun() override
    {
        constexpr uint64_t bytes = 1000000;
        m_tcp.SetNicAttribute("Feedback", StringValue(m_feedback));
        Make(HpccTopology::Star(SENDERS + 1, FAST));
        IpWatch watch;
        for (uint32_t host = 0; host <= SENDERS; ++host)
        {
            watch.Watch(m_fabric.GetNodes().Get(host));
        }
        for (uint32_t i = 0; i < SENDERS; ++i)
        {
            AddBulk(i, SENDERS, bytes, 5000 + i, MicroSeconds(10), m_ipv6);
        }
        auto* bottleneck = m_fabric.GetSwitch(SENDERS + 1)->GetPorts()[SENDERS];
        bottleneck->TraceConnectWithoutContext("QueueBytes",
                                               MakeCallback(&OptionTestCase::Queued, this));
        bottleneck->TraceConnectWithoutContext("Transmit",
                                               MakeCallback(&OptionTestCase::DataLeaves, this));
        m_fabric.GetHost(SENDERS)->GetPort().TraceConnectWithoutContext(
            "Transmit",
            MakeCallback(&OptionTestCase::AckLeaves, this));
        Simulator::Stop(MilliSeconds(3));
        Simulator::Run();
        for (uint32_t i = 0; i < SENDERS; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(m_received[i], bytes, "bytes of flow " << i);
            const auto& counters = NicOf(i)->GetCounters();
            NS_TEST_EXPECT_MSG_EQ(counters.probesSent, bytes / SEGMENT, "segments that collect");
            NS_TEST_EXPECT_MSG_EQ(counters.bytes,
                                  OPTION_BYTES * counters.probesSent,
                                  "bytes of options");
            NS_TEST_EXPECT_MSG_EQ(counters.answersReceived + counters.ignored,
                                  counters.probesSent,
                                  "answers");
            NS_TEST_EXPECT_MSG_LT(counters.ignored, 2, "answers after the end");
            NS_TEST_EXPECT_MSG_EQ(counters.noRoom, 0, "segments without room");
        }
        const auto& receiver = NicOf(SENDERS)->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(receiver.probesReceived, SENDERS * bytes / SEGMENT, "collected");
        NS_TEST_EXPECT_MSG_EQ(receiver.answersSent, receiver.probesReceived, "returned");
        NS_TEST_EXPECT_MSG_EQ(m_data, SENDERS * bytes / SEGMENT, "data segments");
        NS_TEST_EXPECT_MSG_EQ(m_wrong, 0, "segments that are wrong on the wire");
        NS_TEST_EXPECT_MSG_EQ(watch.options, 0, "options that reached ns-3's IP");
        NS_TEST_EXPECT_MSG_EQ(watch.packets.size(), 1, "values of the TOS at ns-3's IP");
        NS_TEST_EXPECT_MSG_GT(watch.packets[0], 16000, "packets without TOS at ns-3's IP");
        NS_TEST_EXPECT_MSG_GT(m_peak, 200000, "longest queue: the incast's");
        NS_TEST_EXPECT_MSG_LT(m_latePeak, 15000, "longest queue after 200 us");
        ExpectForgotten(SENDERS + 1);
    }

    void DataLeaves(int64_t, const Frame& frame)
    {
        const Wire wire = Read(frame);
        m_wrong += !wire.checksum || !wire.sized || frame.tos != 0 ||
                   wire.option != (wire.payloadBytes > 0);
        if (wire.payloadBytes > 0)
        {
            ++m_data;
            m_wrong += wire.exId != 0x4850 || wire.collected == 0 || wire.returned != 0;
        }
    }

    void AckLeaves(int64_t, const Frame& frame)
    {
        const Wire wire = Read(frame);
        m_wrong += !wire.checksum || !wire.sized || frame.tos != 0;
        const uint16_t exId = m_feedback == "Compact" ? 0x4850 : 0x4857;
        m_wrong += wire.option && (wire.exId != exId || wire.collected != 0 || wire.returned == 0);
    }

    void Queued(uint8_t, uint64_t, uint64_t bytes, int64_t)
    {
        m_peak = std::max(m_peak, bytes);
        if (Simulator::Now() > MicroSeconds(200))
        {
            m_latePeak = std::max(m_latePeak, bytes);
        }
    }

    std::string m_feedback; ///< Feedback attribute of the NICs
    bool m_ipv6;            ///< true for IPv6
    uint64_t m_data{0};     ///< data segments at the bottleneck
    uint64_t m_wrong{0};    ///< wrong data segments and ACKs
    uint64_t m_peak{0};     ///< longest queue, bytes
    uint64_t m_latePeak{0}; ///< longest queue after 200 us, bytes
};

/// Compares the load that each hop inserts with a load that the test computes.
class HopTestCase : public CompactTestCase
{
  public:
    explicit HopTestCase(bool queues)
        : CompactTestCase(std::string("each of three hops replaces the load by that of its own ") +
                          (queues ? "queue" : "port") +
                          " if it is larger, and the checksum is right behind it"),
          m_queues(queues)
    {
    }

  private:
    static constexpr uint32_t HOSTS = 4;
    static constexpr uint32_t SWITCHES = 3;

    void DoRun() override
    {
        if (m_queues)
        {
            Config::SetDefault("ns3::MaxLoadAgent::Scope", StringValue("Queue"));
        }
        // The traffic consists of flows to host 2 and, in another priority, flows between hosts 0
        // and 3.
        m_fabric.SetDeviceAttribute("DscpToPriority", StringValue("10:1"));
        m_tcp.SetNicAttribute("Feedback", StringValue("Compact"));
        Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpHpccPlusPlus"));
        m_fabric.Install(HpccTopology::LeafSpine(2, 1, 2, FAST));
        m_internet.Install(m_fabric);
        std::list<Observer> observers;
        auto observe = [&](std::function<void(uint32_t, QbbNetDevice&, Frame&, int64_t)> what) {
            for (uint32_t node = HOSTS; node < HOSTS + SWITCHES; ++node)
            {
                observers.emplace_back();
                observers.back().onDequeue =
                    [what, node](QbbNetDevice& port, Frame& frame, int64_t nowNs) {
                        what(node, port, frame, nowNs);
                    };
                m_fabric.GetSwitch(node)->AddAgent(&observers.back());
            }
        };
        observe([this](uint32_t node, QbbNetDevice& port, Frame& frame, int64_t nowNs) {
            Before(node, port, frame, nowNs);
        });
        m_tcp.Install(m_fabric);
        observe(
            [this](uint32_t node, QbbNetDevice&, Frame& frame, int64_t) { After(node, frame); });
        for (uint32_t from : {0, 1, 3})
        {
            AddBulk(from, 2, 1000000, 5000 + from, MicroSeconds(10 + 100 * from));
        }
        Simulator::Stop(MilliSeconds(3));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_received[0] + m_received[1] + m_received[2], 3000000, "bytes");
        NS_TEST_EXPECT_MSG_EQ(m_wrong, 0, "values other than the larger one");
        NS_TEST_EXPECT_MSG_EQ(m_badChecksums, 0, "wrong checksums");
        for (uint32_t node = HOSTS; node < HOSTS + SWITCHES; ++node)
        {
            NS_TEST_EXPECT_MSG_GT(m_raised[node], 100, "replaced by node " << node);
        }
        NS_TEST_EXPECT_MSG_GT(m_kept[5], 100, "left as it was by the last hop");
        NS_TEST_EXPECT_MSG_GT(m_kept[6], 100, "left as it was by the second hop");
        ExpectForgotten(HOSTS);
    }

    void Before(uint32_t node, QbbNetDevice& port, Frame& frame, int64_t nowNs)
    {
        if (m_queues)
        {
            port.CountClasses();
        }
        const uint8_t queue = m_queues ? frame.priority : 0;
        const auto [load, added] =
            m_loads.try_emplace({node, port.GetPortIndex(), queue},
                                PortLoad(static_cast<double>(port.GetRateBps()),
                                         static_cast<double>(m_fabric.GetNetworkBaseRttNs())));
        const double own =
            m_queues ? load->second.Update(nowNs, port.GetTxBytes(queue), port.GetQueueBytes(queue))
                     : load->second.Update(nowNs, port.GetTxBytes(), port.GetQueueBytes());
        if (frame.format)
        {
            m_before = Read(frame).collected;
            m_expected = std::max(m_before, MaxLoadFormat::Encode(own));
        }
    }

    void After(uint32_t node, const Frame& frame)
    {
        if (frame.format)
        {
            const Wire wire = Read(frame);
            m_wrong += wire.collected != m_expected;
            m_badChecksums += !wire.checksum;
            ++(wire.collected > m_before ? m_raised : m_kept)[node];
        }
    }

    bool m_queues; ///< true: loads per queue; false: loads per port
    std::map<std::tuple<uint32_t, uint32_t, uint8_t>, PortLoad> m_loads; ///< expected loads
    uint16_t m_before{0};                  ///< old value in the current frame
    uint16_t m_expected{0};                ///< expected new value
    uint64_t m_wrong{0};                   ///< number of unexpected values
    uint64_t m_badChecksums{0};            ///< number of wrong checksums
    std::map<uint32_t, uint64_t> m_raised; ///< number of values that were raised, by node
    std::map<uint32_t, uint64_t> m_kept;   ///< number of values that were not changed, by node
};

class GranularityTestCase : public CompactTestCase
{
  public:
    GranularityTestCase(const std::string& attribute, const std::string& value)
        : CompactTestCase("with " + attribute + " " + value +
                          " only some data segments collect, and the queue stays short"),
          m_attribute(attribute),
          m_value(value)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t senders = 4;
        constexpr uint64_t bytes = 2000000;
        m_tcp.SetNicAttribute("Feedback", StringValue("Compact"));
        m_tcp.SetNicAttribute(m_attribute, StringValue(m_value));
        Make(HpccTopology::Star(senders + 1, FAST));
        for (uint32_t i = 0; i < senders; ++i)
        {
            AddBulk(i, senders, bytes, 5000 + i);
        }
        m_fabric.GetHost(0)->GetPort().TraceConnectWithoutContext(
            "Transmit",
            MakeCallback(&GranularityTestCase::Leaves, this));
        m_fabric.GetSwitch(senders + 1)
            ->GetPorts()[senders]
            ->TraceConnectWithoutContext("QueueBytes",
                                         MakeCallback(&GranularityTestCase::Queued, this));
        Simulator::Stop(MilliSeconds(3));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_received[0], bytes, "bytes");
        const auto& counters = NicOf(0)->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(counters.probesSent, m_tags.size(), "segments that collect");
        NS_TEST_EXPECT_MSG_EQ(m_tags.front(), 0, "the first one does");
        if (m_attribute == "TagEvery")
        {
            const uint64_t every = std::stoul(m_value);
            NS_TEST_EXPECT_MSG_EQ(m_tags.size(), (m_segments + every - 1) / every, "of all");
            for (size_t i = 0; i < m_tags.size(); ++i)
            {
                NS_TEST_ASSERT_MSG_EQ(m_tags[i], i * every, "place of number " << i);
            }
        }
        else
        {
            // A tagged segment is queued when it is due, and is sent slightly later. Therefore the
            // gaps vary.
            NS_TEST_EXPECT_MSG_GT(m_leastGapNs,
                                  m_fabric.GetNetworkBaseRttNs() - 2000,
                                  "shortest time between two");
            NS_TEST_EXPECT_MSG_GT(m_tags.size(), 80, "segments that collect");
            NS_TEST_EXPECT_MSG_LT(m_tags.size(), 200, "segments that collect");
        }
        NS_TEST_EXPECT_MSG_LT(m_latePeak, 20000, "longest queue after 200 us");
        ExpectForgotten(senders + 1);
    }

    void Leaves(int64_t nowNs, const Frame& frame)
    {
        if (Read(frame).payloadBytes == 0)
        {
            return;
        }
        if (frame.format)
        {
            m_leastGapNs = m_tags.empty() ? m_leastGapNs : std::min(m_leastGapNs, nowNs - m_lastNs);
            m_lastNs = nowNs;
            m_tags.push_back(m_segments);
        }
        ++m_segments;
    }

    void Queued(uint8_t, uint64_t, uint64_t bytes, int64_t)
    {
        if (Simulator::Now() > MicroSeconds(200))
        {
            m_latePeak = std::max(m_latePeak, bytes);
        }
    }

    std::string m_attribute;      ///< attribute of the NICs
    std::string m_value;          ///< value of the attribute
    std::vector<uint64_t> m_tags; ///< numbers of the data segments that collect telemetry
    uint64_t m_segments{0};       ///< data segments
    int64_t m_lastNs{0};          ///< time at which the last tagged segment was sent, ns
    int64_t m_leastGapNs{std::numeric_limits<int64_t>::max()}; ///< shortest gap between two tagged
                                                               ///< segments, ns
    uint64_t m_latePeak{0};                                    ///< longest queue after 200 us
};

class TosTestCase : public CompactTestCase
{
  public:
    explicit TosTestCase(uint8_t tos)
        : CompactTestCase("segments with an option keep their TOS " + std::to_string(tos)),
          m_tos(tos)
    {
    }

  private:
    void DoRun() override
    {
        m_tcp.SetNicAttribute("Feedback", StringValue("Compact"));
        Make(HpccTopology::Star(2, FAST));
        IpWatch watch;
        watch.Watch(m_fabric.GetNodes().Get(1));
        Streams streams(300000);
        streams.SetTos(m_tos);
        streams.Listen(m_fabric.GetNodes().Get(1));
        Simulator::Schedule(MicroSeconds(10),
                            [&] { streams.Open(m_fabric.GetNodes().Get(0), 1, false); });
        Simulator::Stop(MilliSeconds(20));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(streams.GetWrong(), 0, "wrong bytes");
        NS_TEST_EXPECT_MSG_EQ(streams.GetComplete(), 1, "whole streams");
        NS_TEST_EXPECT_MSG_EQ(watch.packets.size(), 2, "values of the TOS");
        NS_TEST_EXPECT_MSG_LT(watch.packets[0], 3, "packets before it was set");
        NS_TEST_EXPECT_MSG_GT(watch.packets[m_tos], 300, "packets with the TOS");
        NS_TEST_EXPECT_MSG_GT(NicOf(0)->GetCounters().answersReceived, 290, "answers");
        NS_TEST_EXPECT_MSG_EQ(NicOf(1)->GetCounters().ignored, 0, "ignored");
        ExpectForgotten(2);
    }

    uint8_t m_tos; ///< TOS of the data
};

class RefusedTestCase : public CompactTestCase
{
  public:
    RefusedTestCase()
        : CompactTestCase("settings that do not go with an option of TCP are refused with a line")
    {
    }

  private:
    void DoRun() override
    {
        m_fabric.Install(HpccTopology::Star(2, FAST));
        m_internet.Install(m_fabric);
        HpccTcpHelper compact;
        compact.SetNicAttribute("Feedback", StringValue("Compact"));
        compact.SetTelemetry("ioam");
        Expect(compact,
               "--telemetry: ioam with ns3::HpccTcpNic::Feedback Compact or CompactReceiver, which "
               "carry nothing but ns3::MaxLoadFormat; omit --telemetry");
        HpccTcpHelper probes;
        probes.SetNicAttribute("TagOncePerRtt", BooleanValue(true));
        Expect(probes,
               "ns3::HpccTcpNic::TagEvery and TagOncePerRtt are for options of TCP; "
               "ns3::HpccTcpNic::Feedback must be Compact or CompactReceiver for them");
        HpccTcpHelper tight;
        tight.SetNicAttribute("Feedback", StringValue("CompactReceiver"));
        m_fabric.GetHost(1)->GetPort().SetMtu(1067);
        Expect(tight,
               "TCP segments of 1000 bytes leave no room for telemetry of 8 in host 1's "
               "ns3::QbbNetDevice::Mtu of 1067; allowed is at most 999");
    }

    void Expect(HpccTcpHelper& helper, const std::string& message)
    {
        std::string why;
        try
        {
            helper.Install(m_fabric);
        }
        catch (const HpccInputError& error)
        {
            why = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(why, message, "what is wrong");
    }
};

/// Tests the TCP option that carries the largest load of a path.
class HpccTcpCompactTestSuite : public TestSuite
{
  public:
    HpccTcpCompactTestSuite()
        : TestSuite("hpcc-tcp-compact", Type::SYSTEM)
    {
        for (const char* feedback : {"Compact", "CompactReceiver"})
        {
            AddTestCase(new OptionTestCase(feedback, false));
            AddTestCase(new OptionTestCase(feedback, true));
        }
        AddTestCase(new HopTestCase(false));
        AddTestCase(new HopTestCase(true));
        AddTestCase(new GranularityTestCase("TagEvery", "8"));
        AddTestCase(new GranularityTestCase("TagOncePerRtt", "true"));
        AddTestCase(new TosTestCase(10 << 2));
        AddTestCase(new TosTestCase(21 << 2)); // the TOS that probes have
        AddTestCase(new RefusedTestCase);
    }
};

HpccTcpCompactTestSuite g_hpccTcpCompactTestSuite; ///< the suite

} // namespace
