/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-codec.h"

#include "ns3/hpcc-port-agent.h"
#include "ns3/pcap-file.h"

using namespace hpcctest;

namespace
{

/// Random frames, and a description of their fields.
class FrameCodecPcapTest : public FrameCodecTest
{
  protected:
    /// Writes the contents of a frame as a line of key=value pairs.
    void Describe(std::ostream& out, const KnownFormat& known, const Frame& frame) const
    {
        out << "format=" << known.name << " bytes=" << frame.bytes;
        if (frame.kind == Frame::Kind::PFC)
        {
            out << " kind=pfc class_enable=" << frame.pfc.classEnable;
            for (size_t i = 0; i < frame.pfc.quanta.size(); ++i)
            {
                out << " quanta" << i << "=" << frame.pfc.quanta[i];
            }
            out << "\n";
            return;
        }
        out << " kind=" << (frame.packet ? "ip" : "roce") << " source=" << frame.source
            << " destination=" << frame.destination << " source_port=" << frame.sourcePort
            << " destination_port=" << frame.destinationPort << " tos=" << +frame.tos
            << " ttl=" << +frame.ttl << " ip_id=" << frame.ipId << " ipv6=" << frame.ipv6;
        if (frame.kind == Frame::Kind::ROCE)
        {
            DescribeRoce(out, frame);
        }
        out << "\n";
    }

    void DescribeRoce(std::ostream& out, const Frame& frame) const
    {
        out << " opcode=" << +frame.opcode << " flags=" << +frame.bthFlags
            << " qp=" << frame.destinationQp << " psn=" << frame.psn
            << " payload_bytes=" << frame.payloadBytes << " telemetry_bytes="
            << (frame.CollectsTelemetry() ? frame.format->GetWireBytes(frame.telemetry) : 0);
        if (HasReth(frame.opcode))
        {
            out << " address=" << frame.reth.address << " key=" << frame.reth.key
                << " length=" << frame.reth.length;
        }
        if (HasAeth(frame.opcode))
        {
            out << " syndrome=" << +frame.syndrome << " msn=" << frame.msn;
        }
        if (frame.opcode == ROCE_PROBE)
        {
            out << " probe_number=" << (frame.msn & 0x7f);
        }
        if (frame.NamesPacket())
        {
            out << " named_psn=" << frame.reflection.namedPsn;
        }
        if (frame.HasSack())
        {
            const RoceSack& sack = frame.sack;
            out << " sack_flags=" << +sack.flags << " sack_psn=" << sack.psn
                << " sack_base=" << sack.basePsn << " sack_bitmap=" << sack.bitmap
                << " sack_waiting=" << sack.outOfOrder << " sack_received=" << sack.receivedBytes;
        }
        if (frame.opcode == ROCE_CNP)
        {
            const auto& notification = frame.notification;
            out << " notification=" << +notification.kind << " congested=" << notification.congested
                << " value=" << notification.value << " number=" << notification.number
                << " authenticator=h"
                << (notification.authenticated
                        ? ToHex({notification.tag.begin(), notification.tag.end()})
                        : "");
        }
        if (frame.IsAcknowledgement() && frame.format)
        {
            Bytes records;
            if (frame.ReportsBottleneckHop())
            {
                for (uint32_t i = 0; i < 4 * ReportWords(frame); ++i)
                {
                    records.push_back(
                        static_cast<uint8_t>(frame.telemetry.words[i / 4] >> 8 * (3 - i % 4)));
                }
            }
            else
            {
                records.resize(frame.format->GetReflectedBytes(frame.telemetry));
                frame.format->SerializeRecords(frame.telemetry, records.data());
            }
            const auto& reflection = frame.reflection;
            bool tagged = reflection.flags & REFLECTION_AUTHENTICATED;
            out << " reflection_flags=" << +reflection.flags << " authenticator=h"
                << (tagged ? ToHex({reflection.tag.begin(), reflection.tag.end()}) : "");
            out << " reflection_id=" << +frame.format->GetReflectionId()
                << " hops=" << +frame.telemetry.hops << " stack_flags=" << +frame.telemetry.flags
                << " flows=" << frame.reportedFlows << " sequence=" << frame.reflectionSeq
                << " reflected=" << ToHex(records);
        }
        if (frame.format)
        {
            DescribeTelemetry(out, frame);
        }
    }

    /// Writes the position of the telemetry and the records of the hops.
    void DescribeTelemetry(std::ostream& out, const Frame& frame) const
    {
        constexpr const char* positions[] = {"tag", "network", "transport"};
        const TelemetryMarking& marking = frame.format->GetMarking();
        const TelemetryStack& stack = frame.telemetry;
        out << " position=" << positions[static_cast<size_t>(marking.position)]
            << " lead_bytes=" << +marking.leadBytes << " in_udp_length=" << marking.inUdpLength
            << " marking_protocol=" << marking.protocol << " udp_port=" << marking.udpPort
            << " stack_hops=" << +stack.hops << " remaining=" << +stack.remainingHops
            << " skipped=" << +stack.skippedHops << " path=" << stack.pathId
            << " request=" << stack.request << " original_dscp=" << +stack.originalDscp
            << " telemetry_flags=" << +stack.flags;
        if (!frame.format->GetSwitchAgent().empty())
        {
            out << " header=" << ToHex(m_header);
        }
        out << " path_hops=";
        for (const Hop& hop : m_hops)
        {
            const HopSnapshot& s = hop.snapshot;
            out << hop.inserted << ":" << s.timestampNs << ":" << s.txBytes << ":" << s.bandwidthBps
                << ":" << s.queueBytes << ":" << s.switchId << ":" << s.egressPort << ":"
                << s.ingressPort << ":" << s.hopLatencyNs << ":" << s.utilizationPpm << ":"
                << +s.queueId << ":" << +s.ttl << ":" << +s.ecn << ";";
        }
    }
};

} // namespace

/**
 * If HPCC_ORACLE_DIR is set, writes frames.pcap and frames.txt to that directory. Then
 * test/oracle/check_frames.py decodes frames.pcap with other decoders, and compares the fields with
 * frames.txt.
 */
TEST_F(FrameCodecPcapTest, PcapFileHoldsTheFramesAsEncoded)
{
    SCOPED_TRACE("HPCC_TEST_SEED=" + std::to_string(m_seed));
    constexpr uint32_t ethernetLink = 1;
    constexpr uint16_t aboveOtherDissectors = 0xf800; // tshark also selects a dissector by the
                                                      // source port
    constexpr uint8_t aboveAnyNotice = 0x10;          // tshark prints a notice if the TTL is below
                                                      // 5
    constexpr int frames = 1000;
    const char* directory = std::getenv("HPCC_ORACLE_DIR");
    std::string base = directory ? directory + std::string("/")
                                 : testing::TempDir() + "hpcc-" + std::to_string(m_seed) + "-";

    std::vector<Bytes> written;
    PcapFile pcap;
    pcap.Open(base + "frames.pcap", std::ios::out);
    pcap.Init(ethernetLink);
    std::ofstream text(base + "frames.txt");
    for (int i = 0; i < frames; ++i)
    {
        const KnownFormat& known = RandomFormat();
        FramePtr frame = RandomFrame(known);
        frame->sourcePort |= aboveOtherDissectors;
        frame->ttl |= aboveAnyNotice;
        written.push_back(Encode(*frame));
        pcap.Write(i, 0, written.back().data(), written.back().size());
        Describe(text, known, *frame);
    }
    text.close();
    pcap.Close();
    ASSERT_TRUE(text);
    ASSERT_FALSE(pcap.Fail());

    pcap.Open(base + "frames.pcap", std::ios::in);
    EXPECT_EQ(pcap.GetDataLinkType(), ethernetLink);
    for (const Bytes& expected : written)
    {
        Bytes bytes(65535);
        uint32_t seconds;
        uint32_t microseconds;
        uint32_t included;
        uint32_t original;
        uint32_t size;
        pcap.Read(bytes.data(), bytes.size(), seconds, microseconds, included, original, size);
        ASSERT_FALSE(pcap.Fail());
        bytes.resize(size);
        EXPECT_EQ(original, size);
        EXPECT_EQ(ToHex(bytes), ToHex(expected));
    }
    pcap.Close();
    if (!directory)
    {
        std::remove((base + "frames.pcap").c_str());
        std::remove((base + "frames.txt").c_str());
    }
}
