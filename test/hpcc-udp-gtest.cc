/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-nic-probe.h"
#include "hpcc-test-refusal.h"
#include "hpcc-test-udp.h"

#include "ns3/hpcc-udp-nic.h"
#include "ns3/hpcc-udp-probe-header.h"
#include "ns3/hpcc-udp-window.h"
#include "ns3/udp-header.h"

#include <array>

using namespace ns3;
using namespace hpcctest;

namespace
{

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
    // The probe was sent after the first of ten datagrams.
    window.OnAnswer(1000, 1000, 0, RTT);
    EXPECT_EQ(window.GetInFlight(RTT), 9000);
    EXPECT_EQ(window.GetInFlight(RTT + RTT / 2), 4500);
    EXPECT_EQ(window.GetInFlight(5 * RTT), 0);
    EXPECT_EQ(window.GetLost(), 0U);
    const int64_t openNs = window.GetOpenNs(6000, RTT);
    EXPECT_EQ(openNs, RTT + RTT / 3 + 1);
    EXPECT_LT(window.GetInFlight(openNs), 6000);
    EXPECT_GE(window.GetInFlight(openNs - 1), 6000);
    // Bytes sent after the answer are regarded as in flight until the next answer.
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
    // Of the datagrams that were regarded as lost, two had only been reordered.
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

/// Returns a probe, starting with the IP header.
/// @param ipv6 true for IPv6, false for IPv4
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
    udp.SetSourcePort(SOURCE_PORT);
    udp.SetDestinationPort(9);
    packet->AddHeader(udp);
    Frame like{};
    like.source = SOURCE;
    like.destination = RECEIVER;
    like.ipv6 = ipv6;
    HpccNicIp{like, false, 17, PROBE_TOS, 64, 1}.AddTo(packet);
    return packet;
}

class UdpTelemetry : public testing::TestWithParam<WireCase>
{
};

TEST_P(UdpTelemetry, AndWhatItJoinsAreKeptOnTheWire)
{
    const auto format = MakeMarkedFormat(GetParam().format);
    ASSERT_EQ(HpccUdpNic::Validate(*format), "");
    ExpectKept(MakeProbe(GetParam().ipv6), GetParam().ipv6, *format);
}

INSTANTIATE_TEST_SUITE_P(Formats,
                         UdpTelemetry,
                         testing::Values(WireCase{"int-md:dscp", false},
                                         WireCase{"int-md:dscp", true},
                                         WireCase{"ioam", true},
                                         WireCase{"ifa", false},
                                         WireCase{"csig-wide", true}));

TEST(UdpTelemetryFormats, ThoseMarkedByAPortAreRefused)
{
    for (const char* name : {"int-md", "sigcomm19"})
    {
        EXPECT_NE(HpccUdpNic::Validate(*MakeMarkedFormat(name)), "") << name;
    }
}

TEST(UdpTelemetryFormats, ThoseOfIpv6AreRefusedOverIpv4)
{
    const std::string why = RefusalOf([] {
        UdpNetwork net;
        net.udp.SetTelemetry("ioam");
        net.Make(HpccTopology::Star(2, FAST));
        net.Add(0, 1, 100000);
        Simulator::Run();
    });
    Simulator::Destroy();
    EXPECT_EQ(why.rfind("ns3::HpccUdpApplication::Remote is ", 0), 0U) << why;
    EXPECT_NE(why.find(", but ns3::IoamTraceFormat exists in IPv6 only; allowed is an "
                       "Inet6SocketAddress"),
              std::string::npos)
        << why;
}

TEST(UdpProbeBytes, FollowTheUdpHeader)
{
    auto format = MakeMarkedFormat("int-md:dscp");
    FramePool pool;
    Frame* frame = pool.Allocate();
    DropReason why;
    ASSERT_TRUE(QbbIpPort::FillFrame(MakeProbe(false), 0x0800, *frame, why));
    frame->format = PeekPointer(format);
    format->Open(frame->telemetry, {9, 17, 26});
    const auto bytes = FrameCodec::Encode(*frame, Mac48Address(), Mac48Address());
    const uint8_t* ip = &bytes[ETHERNET_HEADER_BYTES];
    // The sizes in bytes are: IPv4 20, UDP 8, INT shim 4, INT-MD header 12 (INT specification 2.1,
    // section 5.7.1), payload 16.
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
