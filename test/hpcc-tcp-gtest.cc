/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/hpcc-frame-codec.h"
#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-ip-headers.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-tcp-nic.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/object-factory.h"
#include "ns3/qbb-ip-port.h"
#include "ns3/tcp-header.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint8_t PROBE_TOS = 21 << 2;
constexpr size_t IP = ETHERNET_HEADER_BYTES;

/// @param name short name of a format @return it, marked by the probes' DSCP if by one
Ptr<TelemetryFormat>
MakeFormat(const std::string& name)
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

/// @param ipv6 which IP @return the IP and TCP headers of a probe
Ptr<Packet>
MakePacket(bool ipv6)
{
    auto packet = Create<Packet>();
    TcpHeader tcp;
    tcp.SetSourcePort(49153);
    tcp.SetDestinationPort(5000);
    tcp.SetSequenceNumber(SequenceNumber32(0xfedcba98));
    tcp.SetFlags(TcpHeader::ACK);
    packet->AddHeader(tcp);
    if (ipv6)
    {
        Ipv6Header ip;
        ip.SetSource(Ipv6Address(Ipv6AddressOf(0x0b000001).data()));
        ip.SetDestination(Ipv6Address(Ipv6AddressOf(0x0b000002).data()));
        ip.SetNextHeader(6);
        ip.SetPayloadLength(20);
        ip.SetTrafficClass(PROBE_TOS);
        ip.SetHopLimit(64);
        packet->AddHeader(ip);
    }
    else
    {
        Ipv4Header ip;
        ip.SetSource(Ipv4Address(0x0b000001));
        ip.SetDestination(Ipv4Address(0x0b000002));
        ip.SetProtocol(6);
        ip.SetPayloadSize(20);
        ip.SetTos(PROBE_TOS);
        ip.SetTtl(64);
        packet->AddHeader(ip);
    }
    return packet;
}

/// A format, and the IP in which it travels.
struct Case
{
    const char* format; ///< short name
    bool ipv6;          ///< which IP
};

class TcpProbe : public testing::TestWithParam<Case>
{
};

TEST_P(TcpProbe, KeepsItsTelemetryAndItsFiveTupleOnTheWire)
{
    auto format = MakeFormat(GetParam().format);
    ASSERT_EQ(HpccTcpNic::Validate(*format), "");
    FramePool pool;
    Frame* frame = pool.Allocate();
    auto packet = MakePacket(GetParam().ipv6);
    DropReason why;
    ASSERT_TRUE(QbbIpPort::FillFrame(packet, GetParam().ipv6 ? 0x86dd : 0x0800, *frame, why));
    frame->format = PeekPointer(format);
    format->Open(frame->telemetry, {frame->destinationPort, 6, 0});
    frame->bytes =
        std::max(ETHERNET_HEADER_BYTES + packet->GetSize() + format->GetWireBytes(frame->telemetry),
                 MIN_FRAME_BYTES);
    ASSERT_TRUE(frame->CollectsTelemetry());
    for (uint32_t hop = 0; hop < 3; ++hop)
    {
        HopSnapshot snapshot{};
        snapshot.timestampNs = 1000 + hop;
        snapshot.txBytes = 4096 * (hop + 1);
        snapshot.bandwidthBps = 100000000000;
        snapshot.queueBytes = 5120 * hop;
        snapshot.switchId = 7 + hop;
        snapshot.egressPort = 2;
        snapshot.utilizationPpm = 250000 * hop;
        const int32_t grown = format->Insert(frame->telemetry, snapshot, 1000);
        ASSERT_GE(grown, 0);
        frame->bytes += grown;
    }
    const auto bytes = FrameCodec::Encode(*frame, Mac48Address(), Mac48Address());
    ASSERT_EQ(bytes.size(), frame->bytes);

    FrameCodec codec;
    codec.AddFormat(PeekPointer(format));
    Frame* decoded = pool.Allocate();
    std::string message;
    ASSERT_TRUE(codec.Decode(bytes.data(), bytes.size(), *decoded, message)) << message;
    EXPECT_EQ(decoded->kind, Frame::Kind::IP);
    EXPECT_EQ(decoded->format, PeekPointer(format));
    EXPECT_EQ(decoded->flowHash, frame->flowHash);
    EXPECT_EQ(decoded->sourcePort, 49153);
    EXPECT_EQ(decoded->destinationPort, 5000);
    EXPECT_EQ(decoded->tos, PROBE_TOS);
    EXPECT_EQ(decoded->protocol, 6);
    EXPECT_EQ(decoded->ipv6, GetParam().ipv6);
    ASSERT_EQ(decoded->packet->GetSize(), packet->GetSize());
    ASSERT_EQ(decoded->telemetry.hops, frame->telemetry.hops);
    for (uint32_t hop = 0; hop < frame->telemetry.hops; ++hop)
    {
        const HopTelemetry sent = format->Read(frame->telemetry, hop);
        const HopTelemetry got = format->Read(decoded->telemetry, hop);
        EXPECT_EQ(got.fields, sent.fields);
        EXPECT_EQ(got.queueBytes, sent.queueBytes);
        EXPECT_EQ(got.switchId, sent.switchId);
    }
    FramePool::Free(frame);
    FramePool::Free(decoded);
}

INSTANTIATE_TEST_SUITE_P(Formats,
                         TcpProbe,
                         testing::Values(Case{"int-md:dscp", false},
                                         Case{"int-md:dscp", true},
                                         Case{"ioam", true},
                                         Case{"csig-wide", false}));

TEST(TcpProbeFormats, ThoseThatNeedUdpAreRefused)
{
    for (const char* name : {"int-md", "sigcomm19", "ifa"})
    {
        EXPECT_NE(HpccTcpNic::Validate(*MakeFormat(name)), "") << name;
    }
}

TEST(TcpProbeBytes, FollowTheTcpHeader)
{
    auto format = MakeFormat("int-md:dscp");
    FramePool pool;
    Frame* frame = pool.Allocate();
    DropReason why;
    ASSERT_TRUE(QbbIpPort::FillFrame(MakePacket(false), 0x0800, *frame, why));
    frame->format = PeekPointer(format);
    format->Open(frame->telemetry, {5000, 6, 26});
    const auto bytes = FrameCodec::Encode(*frame, Mac48Address(), Mac48Address());
    // IPv4 20, TCP 20, INT shim 4 and INT-MD header 12 (INT specification 2.1, section 5.7.1).
    EXPECT_EQ(bytes[IP + 2] << 8 | bytes[IP + 3], 56);
    EXPECT_EQ(bytes[IP + 1] >> 2, 21);
    EXPECT_EQ(bytes[IP + 9], 6);
    const uint8_t* shim = &bytes[IP + 40];
    EXPECT_EQ(shim[0] >> 4, 1) << "type: INT-MD";
    EXPECT_EQ(shim[0] >> 2 & 3, 0) << "NPT: the original DSCP is in the shim";
    EXPECT_EQ(shim[1], 3) << "words behind the shim";
    EXPECT_EQ(shim[3] >> 2, 26) << "original DSCP";
    FramePool::Free(frame);
}

} // namespace
