/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-network.h"
#include "hpcc-test-rdma.h"

#include "ns3/hpcc-frame-codec.h"
#include "ns3/hpcc-monitor.h"
#include "ns3/hpcc-telemetry-agent.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/net-device-container.h"
#include "ns3/socket.h"

#include <algorithm>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// Base class that checks the bytes of frames on the links.
class BytesTestCase : public RdmaTestCase
{
  public:
    /// @param name the sentence that the case proves
    explicit BytesTestCase(const std::string& name)
        : RdmaTestCase(name)
    {
    }

  protected:
    /**
     * Starts to check every RoCE frame that a device sends, by encoding and decoding it.
     * @param device the device
     * @param format telemetry format of the frames; may be null
     */
    void CheckBytes(QbbNetDevice& device, Ptr<TelemetryFormat> format)
    {
        if (format)
        {
            m_codec.AddFormat(PeekPointer(format));
        }
        OnTransmit(device, [this](int64_t, const Frame& frame) {
            if (frame.kind == Frame::Kind::ROCE)
            {
                Check(frame);
            }
        });
    }

    uint64_t m_data{0};        ///< data frames checked
    uint64_t m_marked{0};      ///< data frames with CE
    uint64_t m_feedback{0};    ///< ACKs and CNPs checked
    uint32_t m_largest{0};     ///< size of the largest frame, bytes
    uint64_t m_wrong{0};       ///< frames that differ from their encoding
    std::string m_firstReason; ///< error in the first wrong frame

  private:
    void Check(const Frame& frame)
    {
        auto bytes = FrameCodec::Encode(frame,
                                        Mac48Address("02:00:00:00:00:01"),
                                        Mac48Address("02:00:00:00:00:02"));
        std::string why;
        if (bytes.size() != frame.bytes)
        {
            why = std::to_string(bytes.size()) + " bytes, not " + std::to_string(frame.bytes);
        }
        else if (m_codec.Decode(bytes.data(), bytes.size(), m_read, why) &&
                 (!m_read.ipv6 || m_read.ttl != frame.ttl || m_read.tos != frame.tos ||
                  m_read.psn != frame.psn || m_read.flowHash != frame.flowHash ||
                  m_read.format != frame.format ||
                  (frame.format && m_read.telemetry.hops != frame.telemetry.hops)))
        {
            why = "fields differ";
        }
        if (!why.empty())
        {
            m_firstReason = m_wrong++ == 0 ? why : m_firstReason;
        }
        ++(frame.IsRoceFeedback() ? m_feedback : m_data);
        m_marked += !frame.IsRoceFeedback() && (frame.tos & 3) == ECN_CE;
        m_largest = std::max(m_largest, frame.bytes);
    }

    FrameCodec m_codec; ///< decodes frames
    Frame m_read{};     ///< the frame decoded last
};

/// Tests the incast of figure 13 of "HPCC: High Precision Congestion Control" (SIGCOMM 2019) with
/// IOAM.
class IoamIncastTestCase : public BytesTestCase
{
  public:
    IoamIncastTestCase(const std::string& cc, const std::string& telemetry)
        : BytesTestCase(cc + " over " + telemetry +
                        ": 16 flows of 500 KB finish without drops, in IPv6, with at most 6 "
                        "packets queued for 95 % of the time from 150 us on"),
          m_cc(cc),
          m_telemetry(telemetry)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t senders = 16;
        constexpr uint64_t bytes = 500000;
        Install(Star(senders + 1, "100Gbps", MicroSeconds(1)));
        auto spec = HpccFabricHelper::MakePolicy(m_cc, m_telemetry);
        std::vector<HpccFlowPlan> flows;
        for (uint32_t host = 0; host < senders; ++host)
        {
            uint32_t qp = Fabric().Connect(host, senders, spec);
            Post(host, qp, bytes);
            flows.push_back({host, senders, bytes, 0, qp, 0});
        }
        QbbNetDevice& port = *Fabric().GetSwitch(senders + 1)->GetPorts()[senders];
        CheckBytes(port, spec.format);
        CheckBytes(Host(senders).GetPort(), nullptr);
        HpccMonitor monitor(Fabric(), flows, 150000);
        Simulator::Stop(MilliSeconds(20));
        Simulator::Run();
        HpccSummary summary = monitor.Summarize();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), senders, "flows finished");
        NS_TEST_ASSERT_MSG_EQ(GetDrops(), 0, "drops");
        NS_TEST_ASSERT_MSG_GT(summary.firstCompletionNs, 300000, "the interval is long enough");
        NS_TEST_ASSERT_MSG_LT_OR_EQ(summary.queueP95Bytes, 6 * m_largest, "95th percentile");
        NS_TEST_ASSERT_MSG_GT(summary.queueP95Bytes, 0, "95th percentile");
        NS_TEST_ASSERT_MSG_EQ(m_wrong, 0, m_firstReason);
        NS_TEST_ASSERT_MSG_EQ(m_data, senders * bytes / 1000, "data frames");
        NS_TEST_ASSERT_MSG_EQ(m_feedback, m_data, "ACKs");
        NS_TEST_ASSERT_MSG_EQ(AllFramesFree(), true, "frames still held");
    }

    std::string m_cc;        ///< policy
    std::string m_telemetry; ///< format
};

class FractionWrapTestCase : public RdmaTestCase
{
  public:
    explicit FractionWrapTestCase(const std::string& telemetry)
        : RdmaTestCase(telemetry + ": timestamps that pass a full second change nothing"),
          m_telemetry(telemetry)
    {
    }

  private:
    /// Results of a run.
    struct Outcome
    {
        std::vector<int64_t> completions; ///< completion times, ns
        uint64_t wraps{0};                ///< number of timestamps that are smaller than the
                                          ///< preceding timestamp
    };

    Outcome RunWith(Time offset)
    {
        constexpr uint32_t senders = 4;
        Outcome outcome;
        Fabric().SetTelemetryAgentAttribute("ClockOffset", TimeValue(offset));
        Install(Star(senders + 1, "100Gbps", MicroSeconds(1)));
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", m_telemetry);
        for (uint32_t host = 0; host < senders; ++host)
        {
            Post(host, Fabric().Connect(host, senders, spec), 500000);
        }
        uint64_t last = 0;
        OnTransmit(*Fabric().GetSwitch(senders + 1)->GetPorts()[senders],
                   [&](int64_t, const Frame& frame) {
                       if (frame.CollectsTelemetry())
                       {
                           uint64_t ns = frame.format->Read(frame.telemetry, 0).timestampNs;
                           outcome.wraps += ns < last;
                           last = ns;
                       }
                   });
        Simulator::Stop(MilliSeconds(5));
        Simulator::Run();
        for (const auto& message : m_acknowledged)
        {
            outcome.completions.push_back(message.completedNs);
        }
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), senders, "flows finished");
        m_acknowledged.clear();
        DoTeardown();
        return outcome;
    }

    void DoRun() override
    {
        Outcome plain = RunWith(Time(0));
        Outcome wrapping = RunWith(Seconds(1) - MicroSeconds(70));
        NS_TEST_ASSERT_MSG_EQ(plain.wraps, 0, "wraps");
        NS_TEST_ASSERT_MSG_EQ(wrapping.wraps, 1, "wraps");
        NS_TEST_ASSERT_MSG_EQ((plain.completions == wrapping.completions), true, "completions");
    }

    std::string m_telemetry; ///< format
};

/// A format, and the telemetry that a packet is expected to carry on a path with three switches.
struct LineCase
{
    std::string name;                     ///< the sentence that the case proves
    std::string telemetry;                ///< format
    uint8_t hops;                         ///< attribute Hops of the format
    uint16_t mtu;                         ///< MTU of all ports
    std::vector<uint32_t> telemetryBytes; ///< telemetry bytes on each link
    uint8_t records;                      ///< records at the receiver
    uint8_t flags;                        ///< flags at the receiver
};

class LineTestCase : public BytesTestCase
{
  public:
    explicit LineTestCase(const LineCase& line)
        : BytesTestCase(line.name),
          m_line(line)
    {
    }

  private:
    void DoRun() override
    {
        HpccTopology topology;
        for (uint32_t node = 0; node < 5; ++node)
        {
            topology.AddNode(node > 0 && node < 4);
            if (node > 0)
            {
                topology.AddLink({node - 1, node, DataRate("100Gbps"), MicroSeconds(1)});
            }
        }
        Install(topology);
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", m_line.telemetry);
        const uint32_t pair = Fabric().Connect(0, 4, spec);
        // Set these attributes after Connect(), because Connect() would refuse a path with too many
        // switches or a small MTU.
        spec.format->SetAttribute("Hops", UintegerValue(m_line.hops));
        for (const auto& device : Fabric().GetDevices())
        {
            device->SetMtu(m_line.mtu);
        }
        std::vector<uint32_t> telemetryBytes;
        for (uint32_t node = 0; node < 4; ++node)
        {
            // The two devices of a link follow each other. The device of the node with the lower
            // number comes first.
            QbbNetDevice& port = *Fabric().GetDevices()[2 * node];
            CheckBytes(port, node == 0 ? spec.format : nullptr);
            OnTransmit(port, [&, this](int64_t, const Frame& frame) {
                telemetryBytes.push_back(frame.format->GetWireBytes(frame.telemetry));
                NS_TEST_EXPECT_MSG_LT_OR_EQ(frame.bytes, m_line.mtu + 14U, "fits the MTU");
                m_hops = frame.telemetry.hops;
                m_flags = frame.telemetry.flags;
            });
        }
        Post(0, pair, 1000);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), 1, "finished");
        NS_TEST_ASSERT_MSG_EQ((telemetryBytes == m_line.telemetryBytes), true, "telemetry bytes");
        NS_TEST_ASSERT_MSG_EQ(m_wrong, 0, m_firstReason);
        NS_TEST_ASSERT_MSG_EQ(+m_hops, +m_line.records, "records");
        NS_TEST_ASSERT_MSG_EQ(+m_flags, +m_line.flags, "flags");
        uint64_t notInserted = 0;
        for (uint32_t node = 1; node < 4; ++node)
        {
            notInserted += Fabric().GetSwitch(node)->GetObject<TelemetryAgent>()->GetNotInserted();
        }
        NS_TEST_ASSERT_MSG_EQ(notInserted, 3U - m_line.records, "hops that are counted");
        NS_TEST_ASSERT_MSG_EQ(AllFramesFree(), true, "frames still held");
    }

    LineCase m_line;    ///< the case
    uint8_t m_hops{0};  ///< records of the frame seen last
    uint8_t m_flags{0}; ///< flags of the frame seen last
};

class Ipv6FabricTestCase : public BytesTestCase
{
  public:
    Ipv6FabricTestCase()
        : BytesTestCase("IPv6 frames are switched, marked, echoed by CNPs and paused like IPv4's")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t senders = 8;
        Fabric().SetHostAttribute("Ipv6", BooleanValue(true));
        Fabric().SetBufferAttribute("Alpha", DoubleValue(1.0 / 1024));
        Install(Star(senders + 1, "100Gbps", MicroSeconds(1)));
        auto spec = HpccFabricHelper::MakePolicy("dcqcn", "");
        for (uint32_t host = 0; host < senders; ++host)
        {
            Post(host, Fabric().Connect(host, senders, spec), 500000);
        }
        CheckBytes(*Fabric().GetSwitch(senders + 1)->GetPorts()[senders], nullptr);
        CheckBytes(Host(senders).GetPort(), nullptr);
        Simulator::Stop(MilliSeconds(50));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), senders, "flows finished");
        NS_TEST_ASSERT_MSG_EQ(GetDrops(), 0, "drops");
        NS_TEST_ASSERT_MSG_GT(GetPauses(), 0, "pauses");
        NS_TEST_ASSERT_MSG_GT(m_marked, 0, "marked frames");
        NS_TEST_ASSERT_MSG_GT(Host(senders).GetCnpsSent(), 0, "CNPs");
        NS_TEST_ASSERT_MSG_EQ(m_wrong, 0, m_firstReason);
        NS_TEST_ASSERT_MSG_EQ(m_data, senders * 500, "data frames");
        NS_TEST_ASSERT_MSG_EQ(m_feedback, m_data + Host(senders).GetCnpsSent(), "ACKs and CNPs");
    }
};

class Ipv6StackTestCase : public NetworkTestCase
{
  public:
    Ipv6StackTestCase()
        : NetworkTestCase(
              "IPv6 packets of ns-3's stack between addresses of other networks are dropped with "
              "that reason and traced; the stack's own configuration is no drop")
    {
    }

  private:
    void DoRun() override
    {
        NodeContainer nodes;
        nodes.Create(2);
        NetDeviceContainer devices;
        for (const auto& port : Join(nodes.Get(0), nodes.Get(1), "8Gbps", MicroSeconds(1)))
        {
            devices.Add(port);
            port->TraceConnectWithoutContext("Drop",
                                             MakeCallback(&Ipv6StackTestCase::Dropped, this));
        }
        InternetStackHelper().Install(nodes);
        auto interfaces = Ipv6AddressHelper().Assign(devices);
        auto socket =
            Socket::CreateSocket(nodes.Get(0), TypeId::LookupByName("ns3::UdpSocketFactory"));
        socket->Bind6();
        socket->Connect(Inet6SocketAddress(interfaces.GetAddress(1, 1), 7));
        At(Seconds(3), [socket] { socket->Send(Create<Packet>(100)); });
        Simulator::Stop(Seconds(10));
        Simulator::Run();
        uint64_t counted = 0;
        for (uint32_t i = 0; i < 2; ++i)
        {
            auto port = DynamicCast<QbbNetDevice>(devices.Get(i));
            counted += port->GetDrops();
            NS_TEST_ASSERT_MSG_EQ(port->GetTxFrames(), 0, "frames sent");
        }
        NS_TEST_ASSERT_MSG_EQ(counted, 1, "drops: the socket's packet");
        NS_TEST_ASSERT_MSG_EQ(
            DynamicCast<QbbNetDevice>(devices.Get(0))->GetDrops(DropReason::FOREIGN_ADDRESS),
            1,
            "dropped as foreign");
        NS_TEST_ASSERT_MSG_EQ(m_dropped, counted, "drops traced");
    }

    void Dropped(Ptr<const Packet>, DropReason)
    {
        ++m_dropped;
    }

    uint64_t m_dropped{0}; ///< drops traced
};

/// Tests IOAM in simulations, and the fabric with IPv6, which IOAM requires.
class HpccIoamTestSuite : public TestSuite
{
  public:
    HpccIoamTestSuite()
        : TestSuite("hpcc-ioam", Type::SYSTEM)
    {
        for (const char* telemetry : {"ioam", "ioam-incremental"})
        {
            AddTestCase(new IoamIncastTestCase("hpcc++", telemetry));
            AddTestCase(new IoamIncastTestCase("hpcc", telemetry));
            AddTestCase(new FractionWrapTestCase(telemetry));
        }
        AddTestCase(new LineTestCase({"three switches fill the room of a pre-allocated trace",
                                      "ioam",
                                      3,
                                      9216,
                                      {80, 80, 80, 80},
                                      3,
                                      0}));
        AddTestCase(new LineTestCase({"a third switch finds no room in a trace for two",
                                      "ioam",
                                      2,
                                      9216,
                                      {56, 56, 56, 56},
                                      2,
                                      TELEMETRY_HOPS_EXCEEDED}));
        AddTestCase(new LineTestCase({"an incremental trace grows at each of three switches",
                                      "ioam-incremental",
                                      0,
                                      9216,
                                      {16, 40, 56, 80},
                                      3,
                                      0}));
        // The sizes in bytes are: IPv6 40, trace 56, UDP 8, BTH 12, RETH 16, payload 1000, ICRC 4.
        AddTestCase(new LineTestCase({"an incremental trace stops growing at the path MTU",
                                      "ioam-incremental",
                                      0,
                                      1136,
                                      {16, 40, 56, 56},
                                      2,
                                      TELEMETRY_HOPS_EXCEEDED}));
        AddTestCase(new Ipv6FabricTestCase);
        AddTestCase(new Ipv6StackTestCase);
    }
};

HpccIoamTestSuite g_hpccIoamTestSuite; ///< the suite

} // namespace
