/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-rdma.h"

#include "ns3/hpcc-frame-codec.h"
#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-roce-packet.h"
#include "ns3/hpcc-telemetry-agent.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/pcap-file.h"

#include <algorithm>
#include <map>
#include <set>

/// Tests properties that every registered telemetry format must have in a network.

using namespace ns3;
using namespace hpcctest;

namespace
{

using Bytes = std::vector<uint8_t>;

/// @return the short names of all formats
std::vector<std::string>
FormatNames()
{
    return HpccPresets::Names(TelemetryFormat::GetTypeId());
}

/// Returns the telemetry format with the short name @p name.
Ptr<TelemetryFormat>
MakeFormat(const std::string& name)
{
    ObjectFactory factory;
    HpccPresets::Find(TelemetryFormat::GetTypeId(), name, factory);
    return factory.Create<TelemetryFormat>();
}

/// A test case with queue pairs whose telemetry the test chooses.
class FormatTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    /// @return index of a new queue pair with telemetry. With udpSourcePort 0, the queue pair gets
    /// its own port
    uint32_t ConnectWith(uint32_t source,
                         uint32_t destination,
                         Ptr<RdmaCongestionOps> policy,
                         Ptr<TelemetryFormat> format,
                         uint16_t udpSourcePort = 0)
    {
        RdmaQueuePairConfig config;
        config.policy = std::move(policy);
        config.telemetry = format;
        config.udpSourcePort = udpSourcePort;
        config.baseRttNs = Fabric().GetPath(source, destination).baseRttNs;
        return Fabric().GetHost(source)->Connect(Fabric().GetHost(destination), config);
    }

    /// Returns a policy that always sends at line rate, and that requests marks, CNPs and
    /// telemetry.
    static Ptr<FixedPolicy> Greedy()
    {
        auto policy = CreateObject<FixedPolicy>();
        policy->needs.telemetry = "int-md";
        policy->needs.requests = TELEMETRY_QUEUE_DELAY;
        policy->needs.ecn = RdmaPolicyDescription::ECT0;
        policy->needs.cnps = true;
        policy->needs.cnpIntervalNs = 1000;
        return policy;
    }
};

/**
 * Tests an incast with marks, CNPs, pauses and losses that is captured at every port. A codec that
 * knows all formats decodes every captured frame. An ACK, NAK or CNP is captured four times: at
 * both ends of two links. The four captures must be equal except for TTL and MAC addresses. This
 * shows that no switch inserts anything into feedback.
 */
class CaptureTestCase : public FormatTestCase
{
  public:
    explicit CaptureTestCase(const std::string& name)
        : FormatTestCase(name + ": every captured frame decodes, ICRC and all, to the size that it "
                                "had, and feedback passes the switch unchanged"),
          m_name(name)
    {
    }

  private:
    static constexpr uint32_t SENDERS = 4;
    static constexpr uint32_t LOST = 50; ///< number of the frame that is lost on arrival

    void DoRun() override
    {
        Fabric().SetEcnAttribute("Thresholds", StringValue(MARKING));
        Fabric().SetBufferAttribute("BufferBytes", UintegerValue(600000));
        Install(Star(SENDERS + 1, "100Gbps", MicroSeconds(1)));
        Ptr<TelemetryFormat> format = MakeFormat(m_name);
        for (uint32_t sender = 1; sender <= SENDERS; ++sender)
        {
            Post(sender, ConnectWith(sender, 0, Greedy(), format), 100 * 1000 + 7);
        }
        Lose(0, {LOST});
        OnTransmit(*Fabric().GetSwitch(SENDERS + 1)->GetPorts()[0],
                   [this, number = 0U](int64_t, const Frame& frame) mutable {
                       m_bytesLost += number++ == LOST ? frame.bytes : 0;
                   });
        for (const auto& device : Fabric().GetDevices())
        {
            OnTransmit(*device,
                       [this](int64_t, const Frame& frame) { m_bytesSent += frame.bytes; });
        }
        std::string prefix = CreateTempDirFilename("capture");
        Fabric().EnablePcapAll(prefix, true);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), SENDERS, "messages");
        NS_TEST_ASSERT_MSG_EQ(GetDrops(), 1, "only what the test loses is lost");

        std::vector<Ptr<TelemetryFormat>> formats{format};
        for (const auto& name : FormatNames())
        {
            formats.push_back(MakeFormat(name));
        }
        for (const auto& known : formats)
        {
            m_codec.AddFormat(PeekPointer(known));
        }
        std::vector<std::string> captures;
        for (const auto& device : Fabric().GetDevices())
        {
            captures.push_back(PcapHelper().GetFilenameFromDevice(prefix, device));
        }
        DoTeardown(); // closes the captures
        for (const auto& capture : captures)
        {
            ReadCapture(capture, *format);
        }
        NS_TEST_EXPECT_MSG_EQ(m_bytesCaptured, 2 * m_bytesSent - m_bytesLost, "bytes captured");
        for (uint8_t opcode : {ROCE_ACK, ROCE_CNP, ROCE_WRITE_FIRST, ROCE_WRITE_LAST})
        {
            NS_TEST_EXPECT_MSG_GT(m_seen[opcode], 0, "frames of opcode " << +opcode);
        }
        NS_TEST_EXPECT_MSG_GT(m_pfc, 0, "PFC frames");
        NS_TEST_EXPECT_MSG_GT(m_naks, 0, "NAKs");
        uint64_t changed = 0;
        for (const auto& [bytes, times] : m_feedback)
        {
            changed += times % 4 != 0;
        }
        NS_TEST_EXPECT_MSG_EQ(changed, 0, "feedback that the switch has changed");
    }

    void ReadCapture(const std::string& name, const TelemetryFormat& format)
    {
        PcapFile pcap;
        pcap.Open(name, std::ios::in);
        while (true)
        {
            Bytes bytes(65535);
            uint32_t seconds;
            uint32_t microseconds;
            uint32_t included;
            uint32_t original;
            uint32_t size;
            pcap.Read(bytes.data(), bytes.size(), seconds, microseconds, included, original, size);
            if (pcap.Fail() || pcap.Eof())
            {
                break;
            }
            bytes.resize(size);
            NS_TEST_ASSERT_MSG_EQ(included, original, "bytes of a captured frame");
            m_bytesCaptured += size;
            Check(bytes, format);
        }
    }

    void Check(const Bytes& bytes, const TelemetryFormat& format)
    {
        Frame frame{};
        std::string why;
        bool decoded = m_codec.Decode(bytes.data(), bytes.size(), frame, why);
        NS_TEST_ASSERT_MSG_EQ(decoded, true, m_name << ": " << why);
        if (frame.kind == Frame::Kind::PFC)
        {
            ++m_pfc;
            return;
        }
        NS_TEST_ASSERT_MSG_EQ(RoceFrameBytes(frame), bytes.size(), "size of what was decoded");
        ++m_seen[frame.opcode];
        const TelemetryFormat* expected = frame.opcode == ROCE_CNP ? nullptr : &format;
        NS_TEST_ASSERT_MSG_EQ((frame.format == expected), true, "format that was decoded");
        Mac48Address source;
        Mac48Address destination;
        destination.CopyFrom(&bytes[0]);
        source.CopyFrom(&bytes[6]);
        NS_TEST_ASSERT_MSG_EQ((FrameCodec::Encode(frame, source, destination) == bytes),
                              true,
                              "bytes of what was decoded");
        if (frame.IsRoceFeedback())
        {
            m_naks += frame.opcode == ROCE_ACK && frame.syndrome == ROCE_SYNDROME_NAK_SEQUENCE;
            frame.ttl = 0;
            ++m_feedback[FrameCodec::Encode(frame, Mac48Address(), Mac48Address())];
        }
    }

    static constexpr const char* MARKING = "100Gbps:10000:20000:1";

    std::string m_name;                   ///< short name of the format
    FrameCodec m_codec;                   ///< codec that knows all formats, beginning with the
                                          ///< format in use
    uint64_t m_bytesSent{0};              ///< bytes sent by all ports
    uint64_t m_bytesLost{0};              ///< bytes of the frame that the test loses on arrival
    uint64_t m_bytesCaptured{0};          ///< bytes captured, sum over both ends of all links
    uint64_t m_pfc{0};                    ///< PFC frames captured
    uint64_t m_naks{0};                   ///< NAKs captured
    std::map<uint8_t, uint64_t> m_seen;   ///< frames captured, by opcode
    std::map<Bytes, uint64_t> m_feedback; ///< number of captures of each ACK, NAK or CNP, by its
                                          ///< bytes
};

/// Tests a link whose MTU is exactly the size that frames have at their source.
class MtuTestCase : public FormatTestCase
{
  public:
    explicit MtuTestCase(const std::string& name)
        : FormatTestCase(name + ": a packet that would outgrow the MTU goes without the record, "
                                "marked on the wire if the format has a mark"),
          m_name(name)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t packets = 20;
        constexpr uint32_t payload = 1000;
        Ptr<TelemetryFormat> format = MakeFormat(m_name);
        const bool grows = format->GetHopBytes() > 0;
        const bool marks = m_name != "ifa"; // ifa has no flag for hops without a record
        Frame full{};
        full.kind = Frame::Kind::ROCE;
        full.opcode = ROCE_SEND_MIDDLE;
        full.payloadBytes = payload;
        full.ipv6 = format->GetMarking().ipv6;
        full.format = PeekPointer(format);
        format->Open(full.telemetry, {ROCE_UDP_PORT, 17, 0});
        const uint32_t fullBytes = RoceFrameBytes(full);
        Install(Star(2, "100Gbps", MicroSeconds(1)));
        const uint32_t pair = ConnectWith(1, 0, Greedy(), format);
        // The MTU is set after Connect(), which would refuse it.
        Fabric().GetDeviceTo(2, 0)->SetMtu(
            static_cast<uint16_t>(fullBytes - ETHERNET_HEADER_BYTES));
        Post(1, pair, packets * payload, NanoSeconds(0), RdmaVerb::SEND);
        FrameCodec codec;
        codec.AddFormat(PeekPointer(format));
        uint32_t arrived = 0;
        OnTransmit(*Fabric().GetSwitch(2)->GetPorts()[0], [&](int64_t, const Frame& frame) {
            ++arrived;
            NS_TEST_EXPECT_MSG_EQ(frame.bytes, fullBytes, "size of a packet");
            NS_TEST_EXPECT_MSG_EQ(frame.telemetry.hops, !grows, "records in it");
            NS_TEST_EXPECT_MSG_EQ((frame.telemetry.flags != 0), (grows && marks), "its mark");
            Bytes bytes = FrameCodec::Encode(frame, Mac48Address(), Mac48Address());
            Frame decoded{};
            std::string why;
            NS_TEST_EXPECT_MSG_EQ(codec.Decode(bytes.data(), bytes.size(), decoded, why),
                                  true,
                                  why);
            NS_TEST_EXPECT_MSG_EQ(decoded.telemetry.hops, frame.telemetry.hops, "on the wire");
            NS_TEST_EXPECT_MSG_EQ(decoded.telemetry.flags, frame.telemetry.flags, "on the wire");
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_delivered.size(), 1, "messages");
        NS_TEST_EXPECT_MSG_EQ(arrived, packets, "packets");
        auto agent = Fabric().GetSwitch(2)->GetObject<TelemetryAgent>();
        NS_TEST_EXPECT_MSG_EQ(agent->GetInserted(), (grows ? 0 : packets), "records");
        NS_TEST_EXPECT_MSG_EQ(agent->GetNotInserted(), (grows ? packets : 0), "records left out");
    }

    std::string m_name; ///< short name of the format
};

/**
 * Tests the paths of queue pairs with the same 5-tuple in a leaf-spine network. One queue pair has
 * no telemetry, and there is one with each format. Formats change ports, protocols and IP versions,
 * but switches must hash the original fields.
 */
class PathTestCase : public FormatTestCase
{
  public:
    PathTestCase()
        : FormatTestCase("packets of one flow share every hop and queue, with any telemetry and "
                         "without")
    {
    }

  private:
    static constexpr uint32_t SPINES = 4;
    static constexpr uint32_t FLOWS = 16;

    void DoRun() override
    {
        auto topology = HpccTopology::LeafSpine(2, SPINES, 1, {});
        Install(topology);
        std::vector<Ptr<TelemetryFormat>> formats{nullptr};
        for (const auto& name : FormatNames())
        {
            formats.push_back(MakeFormat(name));
        }
        for (uint16_t flow = 0; flow < FLOWS; ++flow)
        {
            for (const auto& format : formats)
            {
                auto policy = format ? Greedy() : CreateObject<FixedPolicy>();
                Post(0, ConnectWith(0, 1, policy, format, PORT + flow), 3000);
            }
        }
        for (size_t i = 0; i < Fabric().GetDevices().size(); ++i)
        {
            OnTransmit(*Fabric().GetDevices()[i], [this, i](int64_t, const Frame& frame) {
                if (frame.kind == Frame::Kind::ROCE)
                {
                    m_paths[{frame.sourcePort, frame.opcode == ROCE_ACK}][frame.format].insert(
                        {i, frame.priority});
                }
            });
        }
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), FLOWS * formats.size(), "messages");
        NS_TEST_ASSERT_MSG_EQ(m_paths.size(), 2 * FLOWS, "flows there and back");
        std::set<Path> different;
        for (const auto& [flow, paths] : m_paths)
        {
            NS_TEST_ASSERT_MSG_EQ(paths.size(), formats.size(), "formats of a flow");
            for (const auto& [format, path] : paths)
            {
                // All packets of the flow must leave the host, the first leaf, the spine and the
                // last leaf by the same ports.
                NS_TEST_EXPECT_MSG_EQ(path.size(), 4, "hops of a path");
                NS_TEST_EXPECT_MSG_EQ((path == paths.begin()->second),
                                      true,
                                      (format ? format->GetInstanceTypeId().GetName() : "none")
                                          << ": the path is another one");
            }
            different.insert(paths.begin()->second);
        }
        NS_TEST_EXPECT_MSG_GT(different.size(), SPINES, "paths that flows take, both ways");
    }

    static constexpr uint16_t PORT = 50000;

    using Path = std::set<std::pair<size_t, uint8_t>>; ///< devices and priorities

    std::map<std::pair<uint16_t, bool>, std::map<const TelemetryFormat*, Path>>
        m_paths; ///< paths by source port and direction
};

class HpccFormatsTestSuite : public TestSuite
{
  public:
    HpccFormatsTestSuite()
        : TestSuite("hpcc-formats", Type::UNIT)
    {
        for (const auto& name : FormatNames())
        {
            AddTestCase(new CaptureTestCase(name));
            AddTestCase(new MtuTestCase(name));
        }
        AddTestCase(new PathTestCase);
    }
};

HpccFormatsTestSuite g_hpccFormatsTestSuite; ///< registers the suite

} // namespace
