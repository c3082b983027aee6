/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-nic-probe.h"

#include "ns3/hpcc-nic-packets.h"
#include "ns3/hpcc-tcp-nic.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-hpcc-plus-plus.h"
#include "ns3/tcp-option-ts.h"
#include "ns3/tcp-socket-state.h"

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint8_t TCP = 6;
constexpr size_t IP = ETHERNET_HEADER_BYTES;

/// Returns a probe or a data segment, from the IP header on.
/// @param wire format, IP version and type of the packet
Ptr<Packet>
MakePacket(const WireCase& wire)
{
    std::vector<uint8_t> payload(wire.data ? 1000 : 0);
    for (size_t i = 0; i < payload.size(); ++i)
    {
        payload[i] = static_cast<uint8_t>(7 * i);
    }
    auto packet = Create<Packet>(payload.data(), payload.size());
    TcpHeader tcp;
    tcp.SetSourcePort(SOURCE_PORT);
    tcp.SetDestinationPort(5000);
    tcp.SetSequenceNumber(SequenceNumber32(0xfedcba98));
    tcp.SetFlags(TcpHeader::ACK);
    if (wire.data)
    {
        tcp.AppendOption(CreateObject<TcpOptionTS>());
    }
    packet->AddHeader(tcp);
    Frame like{};
    like.source = SOURCE;
    like.destination = RECEIVER;
    like.ipv6 = wire.ipv6;
    HpccNicIp{like, false, TCP, PROBE_TOS, 64, 1}.AddTo(packet);
    return packet;
}

class TcpTelemetry : public testing::TestWithParam<WireCase>
{
};

TEST_P(TcpTelemetry, AndWhatItJoinsAreKeptOnTheWire)
{
    const auto format = MakeMarkedFormat(GetParam().format);
    ASSERT_EQ(HpccTcpNic::Validate(*format), "");
    ExpectKept(MakePacket(GetParam()), GetParam().ipv6, *format);
}

INSTANTIATE_TEST_SUITE_P(Formats,
                         TcpTelemetry,
                         testing::Values(WireCase{"int-md:dscp", false},
                                         WireCase{"int-md:dscp", true},
                                         WireCase{"int-md:dscp", false, true},
                                         WireCase{"ioam", true},
                                         WireCase{"ioam-incremental", true, true},
                                         WireCase{"ifa", false},
                                         WireCase{"ifa", true},
                                         WireCase{"ifa", false, true},
                                         WireCase{"ifa", true, true},
                                         WireCase{"csig", false},
                                         WireCase{"csig", true, true},
                                         WireCase{"csig-wide", false, true}));

TEST(TcpTelemetryFormats, ThoseThatNeedUdpAreRefused)
{
    for (const char* name : {"int-md", "sigcomm19"})
    {
        const std::string why = HpccTcpNic::Validate(*MakeMarkedFormat(name));
        EXPECT_NE(why.find("UDP port"), std::string::npos) << name;
        EXPECT_EQ(why.substr(why.rfind(": ")),
                  ": csig, csig-wide, csig-wide:delay, csig:delay, ifa, int-md:dscp, ioam, "
                  "ioam-incremental, ioam:latency")
            << name;
    }
}

TEST(TcpTelemetryBytes, OfIfaStandInFrontOfAndBehindTheTcpHeader)
{
    const auto format = MakeMarkedFormat("ifa");
    FramePool pool;
    Frame* frame = pool.Allocate();
    const auto packet = MakePacket({"ifa", false, true});
    Collect(packet, false, *format, *frame);
    const auto bytes = FrameCodec::Encode(*frame, Mac48Address(), Mac48Address());
    const uint8_t* ip = &bytes[IP];
    // The sizes in bytes are: IPv4 20, IFA header 4, TCP with an option 32, metadata header 4,
    // three records of 32 each, payload 1000.
    EXPECT_EQ(ip[2] << 8 | ip[3], 20 + 4 + 32 + 4 + 96 + 1000);
    EXPECT_EQ(ip[9], 253) << "protocol of IFA";
    EXPECT_EQ(ip[20], 0x2f) << "version 2, the name space is local";
    EXPECT_EQ(ip[21], TCP) << "NextHdr";
    const auto bare = BytesOf(packet);
    EXPECT_TRUE(std::equal(&bare[20], &bare[52], ip + 24)) << "TCP header and option";
    EXPECT_EQ(ip[56 + 3], 24) << "words of the stack";
    EXPECT_EQ(ip[60 + 3], 64) << "TTL that the last hop has put into its record";
    EXPECT_TRUE(std::equal(bare.begin() + 52, bare.end(), ip + 156)) << "payload";
    FramePool::Free(frame);
}

/// Tests with the state of a socket and HPCC++, which has opened a connection at 100 Gb/s with T =
/// 5 us. W_init is 62,500 bytes.
class TcpControl : public testing::Test
{
  public:
    void Count(double, double, int64_t)
    {
        ++windows;
    }

  protected:
    void SetUp() override
    {
        state->m_segmentSize = 1000;
        state->m_maxPacingRate = DataRate("400Gbps");
        control->Init(state);
        control->Open({100e9, 5000, 250, 1, 1000});
    }

    /**
     * Passes a record of one hop to the congestion control.
     * @param atNs time of the record
     * @param txBytes transmit counter of the hop
     * @return true if the window was computed
     */
    bool Report(int64_t atNs, uint64_t txBytes)
    {
        const uint64_t before = windows;
        HopTelemetry hop{};
        hop.fields = format.fields;
        hop.switchId = 1;
        hop.timestampNs = static_cast<uint64_t>(atNs);
        hop.txBytes = txBytes;
        hop.bandwidthBps = 100'000'000'000;
        const auto seq = static_cast<uint64_t>(atNs);
        control->OnTelemetry({atNs, seq, seq + 1, 0, &hop, 1, 0, 0, &format}, {});
        return windows > before;
    }

    TelemetryCapabilities format{TELEMETRY_SWITCH_ID | TELEMETRY_TIMESTAMP | TELEMETRY_TX_BYTES |
                                     TELEMETRY_QUEUE | TELEMETRY_BANDWIDTH,
                                 0,
                                 0,
                                 false};
    Ptr<TcpSocketState> state{CreateObject<TcpSocketState>()};
    Ptr<TcpHpccPlusPlus> control{CreateObject<TcpHpccPlusPlus>()};
    uint64_t windows{0};
};

TEST_F(TcpControl, WindowsAreRoundedUpToWholeSegments)
{
    control->OnWindow(1500, 0);
    EXPECT_EQ(state->m_cWnd, 2000U);
    control->OnWindow(3000, 0);
    EXPECT_EQ(state->m_cWnd, 3000U);
}

TEST_F(TcpControl, WhileALossIsRepairedTheWindowDoesNotGrow)
{
    state->m_cWnd = 3000;
    state->m_congState = TcpSocketState::CA_RECOVERY;
    control->OnWindow(50000, 0);
    EXPECT_EQ(state->m_cWnd, 3000U);
    control->OnWindow(2000, 0);
    EXPECT_EQ(state->m_cWnd, 2000U) << "but falls";
    state->m_congState = TcpSocketState::CA_OPEN;
    control->OnWindow(50000, 0);
    EXPECT_EQ(state->m_cWnd, 50000U);
}

TEST_F(TcpControl, ATimeOutDropsTheRecords)
{
    control->TraceConnectWithoutContext("Window", MakeCallback(&TcpControl::Count, this));
    EXPECT_FALSE(Report(10000, 0)) << "the first record";
    EXPECT_TRUE(Report(20000, 100000));
    control->CongestionStateSet(state, TcpSocketState::CA_LOSS);
    EXPECT_FALSE(Report(30000, 200000)) << "a first record again";
    EXPECT_TRUE(Report(40000, 300000));
}

TEST(TcpPacing, LeavesRoomForHeadersOnTheLink)
{
    auto state = CreateObject<TcpSocketState>();
    state->m_segmentSize = 1000;
    state->m_maxPacingRate = DataRate("400Gbps");
    auto control = CreateObject<TcpHpccPlusPlus>();
    control->Init(state);
    control->Open({100e9, 5000, 250, 1, 1000});
    // TCP's rate refers to payload, which is 1,000 of the 1,250 bytes that a segment occupies on
    // the link.
    EXPECT_EQ(state->m_pacingRate.Get().GetBitRate(), 80'000'000'000U);
}

TEST(TcpProbeBytes, FollowTheTcpHeader)
{
    auto format = MakeMarkedFormat("int-md:dscp");
    FramePool pool;
    Frame* frame = pool.Allocate();
    DropReason why;
    ASSERT_TRUE(QbbIpPort::FillFrame(MakePacket({"", false}), 0x0800, *frame, why));
    frame->format = PeekPointer(format);
    format->Open(frame->telemetry, {5000, 6, 26});
    const auto bytes = FrameCodec::Encode(*frame, Mac48Address(), Mac48Address());
    // The sizes in bytes are: IPv4 20, TCP 20, INT shim 4 and INT-MD header 12 (INT specification
    // 2.1, section 5.7.1).
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
