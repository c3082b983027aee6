/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_NIC_PROBE_H
#define HPCC_TEST_NIC_PROBE_H

#include "ns3/hpcc-frame-codec.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/object-factory.h"
#include "ns3/qbb-ip-port.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

/// Contains packets of ns-3's IP stack with telemetry, and compares them with their encoding.
namespace hpcctest
{

using namespace ns3;

constexpr uint8_t PROBE_TOS = 21 << 2;    ///< TOS of probes
constexpr uint16_t SOURCE_PORT = 49153;   ///< source port of packets
constexpr uint32_t SOURCE = 0x0b000001;   ///< IPv4 address of the sender
constexpr uint32_t RECEIVER = 0x0b000002; ///< IPv4 address of the receiver

/// A format, and the type of the packets that carry it.
struct WireCase
{
    const char* format; ///< short name
    bool ipv6;          ///< true for IPv6
    bool data{false};   ///< true for a data segment with options, false for a probe
};

/// Returns a telemetry format. If the format marks its packets by a DSCP, this is set to the DSCP
/// of probes.
/// @param name short name of the format
inline Ptr<TelemetryFormat>
MakeMarkedFormat(const std::string& name)
{
    ObjectFactory factory;
    EXPECT_TRUE(HpccPresets::Find(TelemetryFormat::GetTypeId(), name, factory)) << name;
    auto format = factory.Create<TelemetryFormat>();
    if (format->GetMarking().dscp >= 0)
    {
        format->SetAttribute("Dscp", UintegerValue(PROBE_TOS >> 2));
    }
    return format;
}

/// Returns the bytes of @p packet.
inline std::vector<uint8_t>
BytesOf(Ptr<const Packet> packet)
{
    std::vector<uint8_t> bytes(packet->GetSize());
    packet->CopyData(bytes.data(), bytes.size());
    return bytes;
}

/**
 * Fills a frame with a packet that has collected telemetry at three hops.
 * @param packet packet from the IP header on
 * @param ipv6 true for IPv6, false for IPv4
 * @param format telemetry format
 * @param frame frame to fill with the packet and its telemetry
 */
inline void
Collect(Ptr<Packet> packet, bool ipv6, const TelemetryFormat& format, Frame& frame)
{
    DropReason why;
    ASSERT_TRUE(QbbIpPort::FillFrame(packet, ipv6 ? 0x86dd : 0x0800, frame, why));
    frame.format = &format;
    format.Open(frame.telemetry,
                {frame.destinationPort, frame.protocol, static_cast<uint8_t>(frame.tos >> 2)});
    frame.bytes =
        std::max(ETHERNET_HEADER_BYTES + packet->GetSize() + format.GetWireBytes(frame.telemetry),
                 MIN_FRAME_BYTES);
    ASSERT_TRUE(frame.CollectsTelemetry());
    for (uint32_t hop = 0; hop < 3; ++hop)
    {
        HopSnapshot snapshot{};
        snapshot.timestampNs = 1000 + hop;
        snapshot.txBytes = 4096 * (hop + 1);
        snapshot.bandwidthBps = 100000000000;
        snapshot.queueBytes = 5120 * hop;
        snapshot.switchId = 7 + hop;
        snapshot.egressPort = 2;
        snapshot.ttl = 64;
        snapshot.utilizationPpm = 250000 * hop;
        const int32_t grown = format.Insert(frame.telemetry, snapshot, 1000);
        ASSERT_GE(grown, 0);
        frame.bytes += grown;
    }
}

/**
 * Expects that encoding and decoding do not change a packet and its telemetry.
 * @param packet packet from the IP header on
 * @param ipv6 true for IPv6, false for IPv4
 * @param format telemetry format
 */
inline void
ExpectKept(Ptr<Packet> packet, bool ipv6, const TelemetryFormat& format)
{
    FramePool pool;
    Frame* frame = pool.Allocate();
    Collect(packet, ipv6, format, *frame);
    const auto bytes = FrameCodec::Encode(*frame, Mac48Address(), Mac48Address());
    ASSERT_EQ(bytes.size(), frame->bytes);

    FrameCodec codec;
    codec.AddFormat(&format);
    Frame* decoded = pool.Allocate();
    std::string message;
    ASSERT_TRUE(codec.Decode(bytes.data(), bytes.size(), *decoded, message)) << message;
    EXPECT_EQ(decoded->kind, Frame::Kind::IP);
    EXPECT_EQ(decoded->format, &format);
    EXPECT_EQ(decoded->flowHash, frame->flowHash);
    EXPECT_EQ(decoded->sourcePort, frame->sourcePort);
    EXPECT_EQ(decoded->destinationPort, frame->destinationPort);
    EXPECT_EQ(decoded->tos, frame->tos);
    EXPECT_EQ(decoded->protocol, frame->protocol);
    EXPECT_EQ(decoded->ipv6, ipv6);
    const auto sent = BytesOf(packet);
    const auto got = BytesOf(decoded->packet);
    ASSERT_EQ(got.size(), sent.size());
    const size_t header = IpHeaderBytes(ipv6);
    EXPECT_TRUE(std::equal(sent.begin() + header, sent.end(), got.begin() + header))
        << "transport header and payload";
    ASSERT_EQ(decoded->telemetry.hops, frame->telemetry.hops);
    for (uint32_t hop = 0; hop < frame->telemetry.hops; ++hop)
    {
        const HopTelemetry before = format.Read(frame->telemetry, hop);
        const HopTelemetry after = format.Read(decoded->telemetry, hop);
        EXPECT_EQ(after.fields, before.fields);
        EXPECT_EQ(after.queueBytes, before.queueBytes);
        EXPECT_EQ(after.switchId, before.switchId);
        EXPECT_EQ(after.queueDelayNs, before.queueDelayNs);
    }
    FramePool::Free(frame);
    FramePool::Free(decoded);
}

} // namespace hpcctest

#endif // HPCC_TEST_NIC_PROBE_H
