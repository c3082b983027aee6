/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/hpcc-frame-codec.h"
#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/hpcc-udp-nic.h"
#include "ns3/hpcc-udp-probe-header.h"
#include "ns3/hpcc-udp-window.h"
#include "ns3/object-factory.h"
#include "ns3/qbb-ip-port.h"
#include "ns3/udp-header.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint8_t PROBE_TOS = 21 << 2;
constexpr int64_t RTT = 1000;

TEST(UdpProbeHeader, HasItsBytesInOrder)
{
    HpccUdpProbeHeader header;
    header.kind = HpccUdpProbeHeader::ANSWER;
    header.number = 0x01020304;
    header.bytes = 0x1112131415161718;
    std::array<uint8_t, HpccUdpProbeHeader::BYTES> bytes{};
    header.Serialize(bytes.data());
    const std::array<uint8_t, HpccUdpProbeHeader::BYTES>
        expected{1, 2, 0, 0, 1, 2, 3, 4, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18};
    EXPECT_EQ(bytes, expected);
    HpccUdpProbeHeader read;
    ASSERT_EQ(read.Deserialize(bytes.data(), bytes.size()), bytes.size());
    EXPECT_EQ(read.kind, header.kind);
    EXPECT_EQ(read.number, header.number);
    EXPECT_EQ(read.bytes, header.bytes);
}

TEST(UdpProbeHeader, RefusesOtherVersionsOtherKindsAndTooFewBytes)
{
    std::array<uint8_t, HpccUdpProbeHeader::BYTES> bytes{};
    HpccUdpProbeHeader().Serialize(bytes.data());
    HpccUdpProbeHeader read;
    EXPECT_EQ(read.Deserialize(bytes.data(), bytes.size() - 1), 0U);
    for (size_t offset : {0, 1})
    {
        for (uint8_t wrong : {0, 3, 255})
        {
            auto changed = bytes;
            changed[offset] = wrong;
            EXPECT_EQ(read.Deserialize(changed.data(), changed.size()), 0U) << offset;
        }
    }
}

TEST(UdpWindow, IsFullUntilTheFirstAnswer)
{
    HpccUdpWindow window;
    window.Open(HpccUdpWindow::PRESUMED);
    EXPECT_EQ(window.GetOpenNs(0.5, 7), 7) << "nothing in flight";
    window.OnSent(1000);
    EXPECT_EQ(window.GetOpenNs(1001, 10), 10);
    EXPECT_EQ(window.GetOpenNs(1000, 10), HpccUdpWindow::NEVER) << "less than W, not as much";
    EXPECT_EQ(window.GetInFlight(100000), 1000);
}

TEST(UdpWindow, DrainsOverTheNextRoundTripAndNoFurther)
{
    HpccUdpWindow window;
    window.Open(HpccUdpWindow::PRESUMED);
    for (int i = 0; i < 10; ++i)
    {
        window.OnSent(1000);
    }
    // The probe left behind the first one of ten.
    window.OnAnswer(1000, 1000, 0, RTT);
    EXPECT_EQ(window.GetInFlight(RTT), 9000);
    EXPECT_EQ(window.GetInFlight(RTT + RTT / 2), 4500);
    EXPECT_EQ(window.GetInFlight(5 * RTT), 0);
    EXPECT_EQ(window.GetLost(), 0U);
    const int64_t openNs = window.GetOpenNs(6000, RTT);
    EXPECT_EQ(openNs, RTT + RTT / 3 + 1);
    EXPECT_LT(window.GetInFlight(openNs), 6000);
    EXPECT_GE(window.GetInFlight(openNs - 1), 6000);
    // What leaves after the answer waits for the next one.
    window.OnSent(6000);
    EXPECT_EQ(window.GetInFlight(5 * RTT), 6000);
    EXPECT_EQ(window.GetOpenNs(6000, 5 * RTT), HpccUdpWindow::NEVER);
    EXPECT_LE(window.GetOpenNs(6001, RTT), 2 * RTT);
}

TEST(UdpWindow, HeldAgainstBytesSettledDrainsNothing)
{
    HpccUdpWindow window;
    window.Open(HpccUdpWindow::SETTLED);
    window.OnSent(10000);
    window.OnAnswer(1000, 1000, 0, RTT);
    EXPECT_EQ(window.GetInFlight(5 * RTT), 9000);
    EXPECT_EQ(window.GetOpenNs(9000, 5 * RTT), HpccUdpWindow::NEVER);
    EXPECT_FALSE(window.IsSettled());
    window.OnAnswer(10000, 10000, RTT, 2 * RTT);
    EXPECT_TRUE(window.IsSettled());
}

TEST(UdpWindow, WhatWasSentBeforeTheProbeAndNotReceivedIsLost)
{
    HpccUdpWindow window;
    window.Open(HpccUdpWindow::PRESUMED);
    window.OnSent(5000);
    window.OnAnswer(4000, 2500, 0, RTT);
    EXPECT_EQ(window.GetLost(), 1500U);
    EXPECT_EQ(window.GetReceived(), 2500U);
    // Two of the datagrams had only been overtaken.
    window.OnAnswer(5000, 4500, RTT, 2 * RTT);
    EXPECT_EQ(window.GetLost(), 500U);
    EXPECT_TRUE(window.IsSettled());
}

TEST(UdpWindow, GivenUpCountsAsLostUntilAnAnswerSaysOtherwise)
{
    HpccUdpWindow window;
    window.Open(HpccUdpWindow::PRESUMED);
    window.OnSent(5000);
    window.GiveUp();
    EXPECT_EQ(window.GetLost(), 5000U);
    EXPECT_EQ(window.GetInFlight(0), 0);
    window.OnAnswer(3000, 3000, 0, RTT);
    EXPECT_EQ(window.GetLost(), 2000U);
    EXPECT_TRUE(window.IsSettled()) << "an older probe does not put anything back";
}

TEST(UdpWindow, BelievesNoMoreThanWasSent)
{
    HpccUdpWindow window;
    window.Open(HpccUdpWindow::PRESUMED);
    window.OnSent(5000);
    window.OnAnswer(UINT64_MAX, UINT64_MAX, 0, 0);
    EXPECT_EQ(window.GetReceived(), 5000U);
    EXPECT_EQ(window.GetLost(), 0U);
    EXPECT_TRUE(window.IsSettled());
}

/// A format, and the IP in which it travels.
struct Case
{
    const char* format; ///< short name
    bool ipv6;          ///< which IP
};

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

/// @param ipv6 which IP @return a probe from the IP header on
Ptr<Packet>
MakeProbe(bool ipv6)
{
    HpccUdpProbeHeader header;
    header.number = 7;
    header.bytes = 123456;
    std::array<uint8_t, HpccUdpProbeHeader::BYTES> bytes{};
    header.Serialize(bytes.data());
    auto packet = Create<Packet>(bytes.data(), bytes.size());
    UdpHeader udp;
    udp.SetSourcePort(49153);
    udp.SetDestinationPort(9);
    packet->AddHeader(udp);
    Frame like{};
    like.source = 0x0b000001;
    like.destination = 0x0b000002;
    like.ipv6 = ipv6;
    HpccCardIp{like, false, 17, PROBE_TOS, 64, 1}.AddTo(packet);
    return packet;
}

class UdpProbe : public testing::TestWithParam<Case>
{
};

TEST_P(UdpProbe, KeepsItsTelemetryAndItsFiveTupleOnTheWire)
{
    auto format = MakeFormat(GetParam().format);
    ASSERT_EQ(HpccUdpNic::Validate(*format), "");
    FramePool pool;
    Frame* frame = pool.Allocate();
    auto packet = MakeProbe(GetParam().ipv6);
    DropReason why;
    ASSERT_TRUE(QbbIpPort::FillFrame(packet, GetParam().ipv6 ? 0x86dd : 0x0800, *frame, why));
    frame->format = PeekPointer(format);
    format->Open(frame->telemetry, {frame->destinationPort, 17, 0});
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
    EXPECT_EQ(decoded->destinationPort, 9);
    EXPECT_EQ(decoded->tos, PROBE_TOS);
    std::vector<uint8_t> before(packet->GetSize());
    std::vector<uint8_t> after(decoded->packet->GetSize());
    packet->CopyData(before.data(), before.size());
    decoded->packet->CopyData(after.data(), after.size());
    if (!GetParam().ipv6)
    {
        // The codec writes the header checksum; ns-3 does not, unless told to.
        std::copy_n(&after[10], 2, &before[10]);
    }
    EXPECT_EQ(after, before);
    ASSERT_EQ(decoded->telemetry.hops, 3);
    for (uint32_t hop = 0; hop < 3; ++hop)
    {
        EXPECT_EQ(format->Read(decoded->telemetry, hop).switchId,
                  format->Read(frame->telemetry, hop).switchId);
        EXPECT_EQ(format->Read(decoded->telemetry, hop).queueBytes,
                  format->Read(frame->telemetry, hop).queueBytes);
    }
    FramePool::Free(frame);
    FramePool::Free(decoded);
}

INSTANTIATE_TEST_SUITE_P(Formats,
                         UdpProbe,
                         testing::Values(Case{"int-md:dscp", false},
                                         Case{"int-md:dscp", true},
                                         Case{"ioam", true}));

TEST(UdpProbeFormats, ThoseMarkedByAPortOrAProtocolAreRefused)
{
    for (const char* name : {"int-md", "sigcomm19", "ifa"})
    {
        EXPECT_NE(HpccUdpNic::Validate(*MakeFormat(name)), "") << name;
    }
}

TEST(UdpProbeBytes, FollowTheUdpHeader)
{
    auto format = MakeFormat("int-md:dscp");
    FramePool pool;
    Frame* frame = pool.Allocate();
    DropReason why;
    ASSERT_TRUE(QbbIpPort::FillFrame(MakeProbe(false), 0x0800, *frame, why));
    frame->format = PeekPointer(format);
    format->Open(frame->telemetry, {9, 17, 26});
    const auto bytes = FrameCodec::Encode(*frame, Mac48Address(), Mac48Address());
    const uint8_t* ip = &bytes[ETHERNET_HEADER_BYTES];
    // IPv4 20, UDP 8, INT shim 4 and INT-MD header 12 (INT specification 2.1, section 5.7.1), 16.
    EXPECT_EQ(ip[2] << 8 | ip[3], 60);
    EXPECT_EQ(ip[1] >> 2, 21);
    EXPECT_EQ(ip[9], 17);
    const uint8_t* udp = ip + 20;
    EXPECT_EQ(udp[2] << 8 | udp[3], 9);
    EXPECT_EQ(udp[4] << 8 | udp[5], 40) << "UDP length counts the telemetry";
    EXPECT_EQ(udp[6] << 8 | udp[7], 0) << "no checksum";
    const uint8_t* shim = udp + 8;
    EXPECT_EQ(shim[0] >> 4, 1) << "type: INT-MD";
    EXPECT_EQ(shim[3] >> 2, 26) << "original DSCP";
    HpccUdpProbeHeader header;
    ASSERT_EQ(header.Deserialize(shim + 16, 16), 16U);
    EXPECT_EQ(header.kind, HpccUdpProbeHeader::PROBE);
    EXPECT_EQ(header.number, 7U);
    EXPECT_EQ(header.bytes, 123456U);
    FramePool::Free(frame);
}

} // namespace
