/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/boolean.h"
#include "ns3/hpcc-frame-codec.h"
#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-ioam-trace-format.h"
#include "ns3/uinteger.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

using Bytes = std::vector<uint8_t>;

constexpr uint32_t AMPLE_ROOM = 10000;
constexpr uint16_t NAMESPACE = 123;
constexpr uint8_t UDP_PROTOCOL = 17;
const Mac48Address SOURCE("02:00:00:00:00:01");
const Mac48Address DESTINATION("02:00:00:00:00:02");

/// What a frame has in front of and behind the hop-by-hop header in all vectors.
const std::string ADDRESSES = "fd68706363000000000000000a000001fd68706363000000000000000a000002";
const std::string ETHERNET = "02000000000202000000000186dd";
const std::string WRITE_ONLY =
    "c00112b7003000000a40ffff00000012800000671122334455667788deadbeef0000"
    "10000000000000000000b75a5568";
/// The records of both hops, in the order of bits and in that of the figure.
const std::string FIRST = "3f00000100c900ca3b9ac9ff00000000ffffff00";
const std::string SECOND = "3eabcdeffffe0000000000110012345600000007";
const std::string FIRST_DELAY = "3f00000100c900ca3b9ac9ff000004d200000000ffffff00";
const std::string SECOND_DELAY = "3eabcdeffffe000000000011800000000012345600000007";
const std::string FIRST_FIGURE = "3f00000100c900ca000000003b9ac9ffffffff00";
const std::string SECOND_FIGURE = "3eabcdeffffe0000001234560000001100000007";
const std::string FIRST_BOTH = "3f00000100c900ca000000003b9ac9ff000004d2ffffff00";
const std::string SECOND_BOTH = "3eabcdeffffe000000123456000000118000000000000007";

std::string
ToHex(const Bytes& bytes)
{
    std::string hex;
    for (uint8_t byte : bytes)
    {
        hex += "0123456789abcdef"[byte >> 4];
        hex += "0123456789abcdef"[byte & 0xf];
    }
    return hex;
}

Bytes
FromHex(const std::string& hex)
{
    Bytes bytes;
    for (size_t i = 0; i + 1 < hex.size(); i += 2)
    {
        bytes.push_back(static_cast<uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
    }
    return bytes;
}

/// What is chosen of a format.
struct Choice
{
    bool incremental{false};
    bool hopLatency{false};
    bool txBytes{true};
    bool figureOrder{false};
    uint8_t hops{0};
    uint16_t space{NAMESPACE};
};

Ptr<IoamTraceFormat>
CreateFormat(const Choice& choice = {})
{
    auto format = CreateObject<IoamTraceFormat>();
    format->SetAttribute("Incremental", BooleanValue(choice.incremental));
    format->SetAttribute("HopLatency", BooleanValue(choice.hopLatency));
    format->SetAttribute("TxBytes", BooleanValue(choice.txBytes));
    format->SetAttribute("FigureOrder", BooleanValue(choice.figureOrder));
    format->SetAttribute("NamespaceId", UintegerValue(choice.space));
    format->SetAttribute("Hops", UintegerValue(choice.hops));
    return format;
}

/// @return every combination of the boolean attributes
std::vector<Choice>
AllChoices()
{
    std::vector<Choice> choices;
    for (unsigned bits = 0; bits < 16; ++bits)
    {
        choices.push_back({(bits & 1) != 0, (bits & 2) != 0, (bits & 4) == 0, (bits & 8) != 0});
    }
    return choices;
}

TelemetryStack
OpenStack(const TelemetryFormat& format)
{
    TelemetryStack stack{};
    format.Open(stack, {ROCE_UDP_PORT, UDP_PROTOCOL, 26});
    return stack;
}

HopSnapshot
FirstHop()
{
    HopSnapshot hop{};
    hop.ttl = 63;
    hop.switchId = 1;
    hop.ingressPort = 201;
    hop.egressPort = 202;
    hop.timestampNs = 5999999999;
    hop.hopLatencyNs = 1234;
    hop.queueBytes = 0;
    hop.txBytes = 0x7ffffff00;
    hop.bandwidthBps = 100000000000;
    return hop;
}

HopSnapshot
SecondHop()
{
    HopSnapshot hop = FirstHop();
    hop.ttl = 62;
    hop.switchId = 0xabcdef;
    hop.ingressPort = 0xfffe;
    hop.egressPort = 0;
    hop.timestampNs = 6000000017;
    hop.hopLatencyNs = 0xffffffff;
    hop.queueBytes = 0x123456;
    hop.txBytes = 7;
    return hop;
}

HopTelemetry
InsertAndRead(const TelemetryFormat& format, const HopSnapshot& hop)
{
    TelemetryStack stack = OpenStack(format);
    EXPECT_GE(format.Insert(stack, hop, AMPLE_ROOM), 0);
    return format.Read(stack, 0);
}

Bytes
ToBytes(const TelemetryFormat& format, const TelemetryStack& stack)
{
    Bytes bytes(format.GetWireBytes(stack));
    format.Serialize(stack, bytes.data());
    return bytes;
}

size_t
FromBytes(const TelemetryFormat& format, Bytes bytes, TelemetryStack& stack)
{
    bytes.shrink_to_fit();
    return format.Deserialize(bytes.data(), bytes.size(), stack);
}

/// A WRITE ONLY of 8 bytes, whose telemetry is open.
void
FillFrame(Frame& frame, const TelemetryFormat& format)
{
    frame.kind = Frame::Kind::ROCE;
    frame.source = 0x0a000001;
    frame.destination = 0x0a000002;
    frame.sourcePort = 0xc001;
    frame.destinationPort = ROCE_UDP_PORT;
    frame.protocol = UDP_PROTOCOL;
    frame.tos = 26 << 2 | ECN_ECT0;
    frame.ttl = 64;
    frame.ipv6 = true;
    frame.opcode = ROCE_WRITE_ONLY;
    frame.bthFlags = ROCE_ACK_REQUEST;
    frame.destinationQp = 0x12;
    frame.psn = 103;
    frame.payloadBytes = 8;
    frame.reth = {0x1122334455667788, 0xdeadbeef, 4096};
    frame.format = &format;
    format.Open(frame.telemetry, {ROCE_UDP_PORT, UDP_PROTOCOL, 26});
}

/// @return a frame from everything in front of its payload length and behind its hop-by-hop header
std::string
VectorOf(const std::string& lengthAndHopLimit, const std::string& hopByHop)
{
    return ETHERNET + "66a00000" + lengthAndHopLimit + ADDRESSES + hopByHop + WRITE_ONLY;
}

/// Vectors of whole frames.
class IoamVector : public testing::Test
{
  protected:
    /**
     * Encode what hops make of a frame, and read it back.
     * @param choice the format
     * @param hops 0 to 3; the third is a copy of the second
     * @param expected the bytes
     */
    static void Check(const Choice& choice, uint32_t hops, const std::string& expected)
    {
        SCOPED_TRACE(expected);
        Ptr<IoamTraceFormat> format = CreateFormat(choice);
        Frame frame{};
        FillFrame(frame, *format);
        for (uint32_t hop = 0; hop < hops; ++hop)
        {
            frame.ttl = hop == 0 ? 63 : 62;
            format->Insert(frame.telemetry, hop == 0 ? FirstHop() : SecondHop(), AMPLE_ROOM);
        }
        EXPECT_EQ(ToHex(FrameCodec::Encode(frame, SOURCE, DESTINATION)), expected);

        FrameCodec codec;
        codec.AddFormat(PeekPointer(format));
        Bytes bytes = FromHex(expected);
        Frame read{};
        std::string why;
        ASSERT_TRUE(codec.Decode(bytes.data(), bytes.size(), read, why)) << why;
        ASSERT_EQ(read.format, PeekPointer(format));
        EXPECT_EQ(read.ttl, frame.ttl);
        EXPECT_EQ(read.protocol, UDP_PROTOCOL);
        ASSERT_EQ(read.telemetry.hops, frame.telemetry.hops);
        EXPECT_EQ(read.telemetry.remainingHops, frame.telemetry.remainingHops);
        EXPECT_EQ(read.telemetry.flags, frame.telemetry.flags);
        EXPECT_EQ(ToHex(FrameCodec::Encode(read, SOURCE, DESTINATION)), expected);
    }
};

} // namespace

// The frames that test/oracle/make_ioam_vectors.py prints.

TEST_F(IoamVector, PreAllocatedTrace)
{
    Check({false, false, true, false, 3},
          2,
          VectorOf("0080003e",
                   "1109010031460000007b2805d2080000" + std::string(40, '0') + SECOND + FIRST +
                       "01020000"));
}

TEST_F(IoamVector, PreAllocatedTraceThatOverflows)
{
    Check({false, false, true, false, 2},
          3,
          VectorOf("0068003e", "1106010031320000007b2c00d2080000" + SECOND + FIRST));
}

TEST_F(IoamVector, IncrementalTrace)
{
    Choice incremental{true};
    Check(incremental, 0, VectorOf("00400040", "11010100310a0001007b283cd2080000"));
    Check(incremental,
          1,
          VectorOf("0058003f", "11040100311e0001007b2837d2080000" + FIRST + "01020000"));
    Check(incremental,
          2,
          VectorOf("0068003e", "1106010031320001007b2832d2080000" + SECOND + FIRST));
}

TEST_F(IoamVector, TransitDelay)
{
    Check({false, true, true, false, 2},
          2,
          VectorOf("0070003e", "11070100313a0000007b3000da080000" + SECOND_DELAY + FIRST_DELAY));
}

TEST_F(IoamVector, OrderOfTheDraftsFigure)
{
    Check({false, false, true, true, 2},
          2,
          VectorOf("0068003e", "1106010031320000007b2800d2080000" + SECOND_FIGURE + FIRST_FIGURE));
    Check({false, true, true, true, 2},
          2,
          VectorOf("0070003e", "11070100313a0000007b3000da080000" + SECOND_BOTH + FIRST_BOTH));
}

TEST(IoamTraceFormat, SizesFollowTheTraceType)
{
    struct
    {
        bool hopLatency;
        bool txBytes;
        uint32_t type;
        uint32_t maxHops;
        uint32_t bytes;
        uint32_t hopBytes;
    } const cases[] = {{false, true, 0xd20800, 12, 256, 24},
                       {true, true, 0xda0800, 10, 256, 24},
                       {false, false, 0xd20000, 15, 256, 16},
                       {true, false, 0xda0000, 12, 256, 24}};

    for (const auto& c : cases)
    {
        Ptr<IoamTraceFormat> filled = CreateFormat({false, c.hopLatency, c.txBytes});
        EXPECT_EQ(filled->GetTraceType(), c.type);
        EXPECT_EQ(filled->GetMaxHops(), c.maxHops);
        EXPECT_EQ(OpenStack(*filled).remainingHops, c.maxHops);
        EXPECT_EQ(filled->GetBaseBytes(), c.bytes);
        EXPECT_EQ(filled->GetHopBytes(), 0u);
        Ptr<IoamTraceFormat> growing = CreateFormat({true, c.hopLatency, c.txBytes});
        EXPECT_EQ(growing->GetBaseBytes(), 16u);
        EXPECT_EQ(growing->GetHopBytes(), c.hopBytes);
    }
    uint32_t expected[] = {16, 40, 56, 80, 96, 120};
    for (uint8_t hops : {1, 2, 3, 5, 12})
    {
        uint32_t bytes = hops == 12 ? 256 : expected[hops];
        EXPECT_EQ(CreateFormat({false, false, true, false, hops})->GetBaseBytes(), bytes);
    }
}

TEST(IoamTraceFormat, TheIncrementalTraceGrowsBy24And16BytesInTurn)
{
    Ptr<IoamTraceFormat> format = CreateFormat({true});
    TelemetryStack stack = OpenStack(*format);
    for (int hop = 0; hop < 12; ++hop)
    {
        uint32_t before = format->GetWireBytes(stack);
        EXPECT_EQ(before % 8, 0u);
        EXPECT_EQ(format->Insert(stack, FirstHop(), 24), hop % 2 == 0 ? 24 : 16);
        EXPECT_EQ(format->GetWireBytes(stack), before + (hop % 2 == 0 ? 24 : 16));
    }
    EXPECT_EQ(format->Insert(stack, FirstHop(), 24), TelemetryFormat::NOT_INSERTED);
    EXPECT_EQ(format->GetWireBytes(stack), 256u);
}

TEST(IoamTraceFormat, AHopBeyondTheMtuSetsTheOverflowFlag)
{
    Ptr<IoamTraceFormat> growing = CreateFormat({true});
    TelemetryStack stack = OpenStack(*growing);
    EXPECT_EQ(growing->Insert(stack, FirstHop(), 23), TelemetryFormat::NOT_INSERTED);
    EXPECT_EQ(stack.flags, TELEMETRY_HOPS_EXCEEDED);
    EXPECT_EQ(stack.skippedHops, 1);
    EXPECT_EQ(ToHex(ToBytes(*growing, stack)), "11010100310a0001007b2c3cd2080000");
    EXPECT_EQ(growing->Insert(stack, FirstHop(), 24), 24);
    EXPECT_EQ(growing->Insert(stack, FirstHop(), 16), 16);

    Ptr<IoamTraceFormat> filled = CreateFormat();
    stack = OpenStack(*filled);
    EXPECT_EQ(filled->Insert(stack, FirstHop(), 0), 0);
}

TEST(IoamTraceFormat, AllValuesSurvive)
{
    for (const Choice& choice : AllChoices())
    {
        Ptr<IoamTraceFormat> format = CreateFormat(choice);
        HopTelemetry hop = InsertAndRead(*format, FirstHop());
        EXPECT_EQ(hop.fields, format->GetCapabilities().fields);
        EXPECT_EQ(hop.switchId, 1u);
        EXPECT_EQ(hop.portId, 202u);
        EXPECT_EQ(hop.timestampNs, 999999999u);
        EXPECT_EQ(hop.queueBytes, 0u);
        EXPECT_EQ(hop.hopLatencyNs, choice.hopLatency ? 1234u : 0u);
        EXPECT_EQ(hop.txBytes, choice.txBytes ? 0xffffff00u : 0u);
    }
}

TEST(IoamTraceFormat, TimeAndBytesWrapAtTheDeclaredModulus)
{
    Ptr<IoamTraceFormat> format = CreateFormat();
    const TelemetryCapabilities& wire = format->GetCapabilities();
    EXPECT_EQ(wire.timestampModulus, 1000000000u);
    EXPECT_EQ(wire.txBytesModulus, 1ULL << 32);
    HopTelemetry older = InsertAndRead(*format, FirstHop());
    HopTelemetry newer = InsertAndRead(*format, SecondHop());
    EXPECT_EQ(ModularDifference(newer.timestampNs, older.timestampNs, wire.timestampModulus), 18u);
    EXPECT_EQ(ModularDifference(newer.txBytes, older.txBytes, wire.txBytesModulus), 0x107u);
}

TEST(IoamTraceFormat, ValuesSaturateBelowAllOnes)
{
    Ptr<IoamTraceFormat> format = CreateFormat({false, true});
    HopSnapshot hop = FirstHop();
    for (uint64_t bytes : {0xfffffffeULL, 0xffffffffULL, 0x100000000ULL, ~0ULL})
    {
        hop.queueBytes = bytes;
        EXPECT_EQ(InsertAndRead(*format, hop).queueBytes, 0xfffffffeu);
    }
    hop.txBytes = 0x5ffffffff;
    EXPECT_EQ(InsertAndRead(*format, hop).txBytes, 0xfffffffeu);
    for (uint32_t ns : {0x7fffffffu, 0x80000000u, 0x80000001u, 0xffffffffu})
    {
        hop.hopLatencyNs = ns;
        EXPECT_EQ(InsertAndRead(*format, hop).hopLatencyNs, std::min(ns, 0x80000000u));
    }
}

TEST(IoamTraceFormat, WhatIsNotAvailableIsLeftOut)
{
    for (const Choice& choice : AllChoices())
    {
        Ptr<IoamTraceFormat> format = CreateFormat(choice);
        TelemetryStack stack = OpenStack(*format);
        stack.words.fill(0xffffffff);
        stack.hops = 2;
        EXPECT_EQ(format->Read(stack, 1).fields, 0);
        EXPECT_EQ(format->Read(stack, 1).portId, 1u);
    }
    Ptr<IoamTraceFormat> format = CreateFormat();
    TelemetryStack stack = OpenStack(*format);
    format->Insert(stack, FirstHop(), 0);
    stack.words[2] = 1000000000;
    EXPECT_FALSE(format->Read(stack, 0).fields & TELEMETRY_TIMESTAMP) << "no fraction of a second";
    HopSnapshot hop = FirstHop();
    hop.switchId = 0x1000001;
    hop.egressPort = 0x10001;
    uint16_t ids = InsertAndRead(*format, hop).fields & (TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID);
    EXPECT_EQ(ids, 0) << "an id that does not fit is not cut off";
}

TEST(IoamTraceFormat, NetworksThatDoNotFitAreRefused)
{
    Ptr<IoamTraceFormat> format = CreateFormat();
    const TelemetryNetwork fits{0xfffffe, 0xfffe, 5, 800000000000, 42949672};
    EXPECT_EQ(format->Validate(fits), "");
    TelemetryNetwork network = fits;
    network.largestSwitchId = 0xffffff;
    EXPECT_EQ(format->Validate(network), "switch id 16777215 does not fit; at most 16777214");
    network = fits;
    network.largestPortId = 0xffff;
    EXPECT_EQ(format->Validate(network), "port id 65535 does not fit; at most 65534");
    network = fits;
    network.baseRttNs = 500000001;
    EXPECT_EQ(format->Validate(network),
              "base RTT 500000001 ns is too long for timestamps that wrap at 1000000000 ns; at "
              "most 500000000 ns");
    network = fits;
    ++network.baseRttNs;
    EXPECT_EQ(format->Validate(network),
              "base RTT 42949673 ns is too long for byte counters that wrap at 4294967296 bytes at "
              "800000000000 bit/s; at most 42949672 ns");
    EXPECT_EQ(CreateFormat({false, false, false})->Validate(network), "");
}

TEST(IoamTraceFormat, ForeignHeadersAreRefused)
{
    Ptr<IoamTraceFormat> format = CreateFormat({false, false, true, false, 3});
    TelemetryStack stack = OpenStack(*format);
    format->Insert(stack, FirstHop(), 0);
    const Bytes good = ToBytes(*format, stack);

    struct
    {
        size_t byte;
        uint8_t value;
    } const changes[] = {
        {1, 8},                          // shorter than its option
        {1, 10},                         // longer than the packet
        {2, 5},                          // router alert
        {3, 1},                          // padding that covers the option's type
        {4, 0x11},                       // an option that hops must not change
        {5, 9},                          // shorter than a trace header
        {5, 0x45},                       // no whole words
        {7, 1},                          // incremental
        {7, 3},                          // edge to edge
        {9, 0x7c},                       // another namespace
        {10, 0x20},                      // NodeLen 4
        {10, 0x2a},                      // loopback
        {10, 0x29},                      // active
        {11, 0x0b},                      // room that is not for whole records
        {11, 0x14},                      // more room than there is
        {12, 0xda},                      // another trace type
        {13, 0x09}, {14, 0x01}, {76, 0}, // no padding
        {79, 1},
    };

    for (const auto& change : changes)
    {
        Bytes bytes = good;
        ASSERT_NE(bytes[change.byte], change.value) << "byte " << change.byte;
        bytes[change.byte] = change.value;
        TelemetryStack read{};
        EXPECT_EQ(FromBytes(*format, bytes, read), 0u)
            << "byte " << change.byte << " is " << +change.value;
    }
    Bytes reserved = good;
    reserved[6] = 0xab;
    reserved[11] |= 0x80;
    reserved[15] = 0xcd;
    reserved.push_back(0xef);
    TelemetryStack read{};
    EXPECT_EQ(FromBytes(*format, reserved, read), good.size()) << "reserved bits are ignored";
    EXPECT_EQ(read.hops, 1);
    EXPECT_EQ(read.remainingHops, 2);
    EXPECT_EQ(read.flags, 0);
}

TEST(IoamTraceFormat, MoreRecordsThanAnOptionHoldsAreRefused)
{
    Ptr<IoamTraceFormat> format = CreateFormat({true});
    TelemetryStack stack = OpenStack(*format);
    format->Insert(stack, FirstHop(), AMPLE_ROOM);
    Bytes bytes = ToBytes(*format, stack);
    bytes[11] = 60;
    TelemetryStack read{};
    EXPECT_EQ(FromBytes(*format, bytes, read), 0u);
    bytes[11] = 55;
    EXPECT_EQ(FromBytes(*format, bytes, read), bytes.size());
    Bytes records(13 * 20);
    EXPECT_EQ(format->DeserializeRecords(records.data(), records.size(), 13, read), 0u);
    EXPECT_EQ(format->DeserializeRecords(records.data(), records.size(), 12, read), 240u);
}

TEST(IoamTraceFormat, AnyStackIsReadBackByItsOwnTraceTypeOnly)
{
    const char* wanted = std::getenv("HPCC_TEST_SEED");
    uint32_t seed = wanted ? std::strtoul(wanted, nullptr, 10) : std::random_device()();
    std::cout << "HPCC_TEST_SEED=" << seed << "\n";
    std::mt19937_64 random(seed);
    std::vector<Ptr<IoamTraceFormat>> formats;
    std::set<uint8_t> ids;
    for (const Choice& choice : AllChoices())
    {
        formats.push_back(CreateFormat(choice));
        ids.insert(formats.back()->GetReflectionId());
    }
    EXPECT_EQ(ids.size(), formats.size());
    for (int i = 0; i < 4000; ++i)
    {
        const IoamTraceFormat& format = *formats[random() % formats.size()];
        TelemetryStack stack = OpenStack(format);
        for (uint64_t hops = random() % 17; hops > 0; --hops)
        {
            HopSnapshot hop{};
            hop.timestampNs = random();
            hop.txBytes = random();
            hop.queueBytes = random() >> random() % 64;
            hop.switchId = random() >> random() % 64;
            hop.egressPort = random() >> random() % 64;
            hop.ingressPort = random() >> random() % 64;
            hop.hopLatencyNs = random();
            hop.ttl = random();
            format.Insert(stack, hop, random() % 8 ? AMPLE_ROOM : 20);
        }
        Bytes bytes = ToBytes(format, stack);
        for (const auto& other : formats)
        {
            TelemetryStack read{};
            bool same = other->GetTraceType() == format.GetTraceType() &&
                        other->GetHopBytes() == format.GetHopBytes();
            ASSERT_EQ(FromBytes(*other, bytes, read), same ? bytes.size() : 0) << "seed " << seed;
        }
        TelemetryStack read{};
        ASSERT_EQ(FromBytes(format, bytes, read), bytes.size());
        ASSERT_EQ(read.hops, stack.hops);
        ASSERT_EQ(read.remainingHops, stack.remainingHops);
        ASSERT_EQ(read.flags, stack.flags);
        ASSERT_EQ(read.originalProtocol, UDP_PROTOCOL);
        ASSERT_EQ(ToHex(ToBytes(format, read)), ToHex(bytes));
    }
}

TEST(IoamTraceFormat, ABorderForgetsTheNewestRecords)
{
    for (bool incremental : {false, true})
    {
        Ptr<IoamTraceFormat> format = CreateFormat({incremental});
        EXPECT_FALSE(format->CarriesLoad());
        TelemetryStack stack = OpenStack(*format);
        format->Insert(stack, FirstHop(), AMPLE_ROOM);
        Bytes one = ToBytes(*format, stack);
        format->Insert(stack, SecondHop(), AMPLE_ROOM);
        format->Insert(stack, SecondHop(), AMPLE_ROOM);
        format->Truncate(stack, 1);
        EXPECT_EQ(ToHex(ToBytes(*format, stack)), ToHex(one));
    }
}

TEST(IoamTraceFormatDeathTest, MoreHopsThanAnOptionHasRoomForAreRefused)
{
    EXPECT_DEATH(CreateFormat({false, true, true, false, 11}),
                 "Hops is 11, but an option has room for 10 records of 24 bytes");
}

// Routers of the Linux kernel, by test/oracle/check_ioam_kernel.py.

namespace
{

/// What the routers are sent, by name.
const std::map<std::string, Choice> KERNEL_CASES{
    {"room-for-3", {false, false, false, false, 3}},
    {"room-for-1", {false, false, false, false, 1}},
    {"tx-bytes", {false, false, true, false, 0}},
    {"transit-delay", {false, true, true, false, 0}},
    {"transit-delay-only", {false, true, false, false, 0}},
};

/// The routers' ids, as check_ioam_kernel.py sets them.
struct Router
{
    uint32_t node;
    uint32_t ingress;
    uint32_t egress;
};

constexpr Router ROUTERS[] = {{1, 201, 202}, {2, 301, 302}};

/// @param name a file @return where the oracle's script wants it; empty if it is not running
std::string
OraclePath(const std::string& name)
{
    const char* directory = std::getenv("HPCC_ORACLE_DIR");
    return directory ? directory + ("/" + name) : "";
}

Bytes
SentToRouters(const Choice& choice)
{
    Frame frame{};
    Ptr<IoamTraceFormat> format = CreateFormat(choice);
    FillFrame(frame, *format);
    return FrameCodec::Encode(frame, SOURCE, DESTINATION);
}

/// @return the bytes from the IP header on
std::string
IpOf(const Bytes& frame)
{
    return ToHex({frame.begin() + ETHERNET_HEADER_BYTES, frame.end()});
}

/// Take out what clocks and queues decide, and what the kernel does not report.
void
TakeOut(const Choice& choice, TelemetryStack& stack)
{
    uint32_t words = 4 + choice.hopLatency + choice.txBytes;
    for (uint32_t hop = 0; hop < stack.hops; ++hop)
    {
        std::fill_n(&stack.words[hop * words + 2], words - 2, 0);
    }
}

/// A frame as it was sent to the routers and as it came out behind them.
struct Passage
{
    std::string name;
    Bytes sent;
    Bytes received;
};

std::vector<Passage>
ReadPassages(const std::string& path)
{
    std::ifstream file(path);
    std::vector<Passage> passages;
    std::string name;
    std::string sent;
    std::string received;
    while (file >> name >> sent >> received)
    {
        passages.push_back({name, FromHex(sent), FromHex(received)});
    }
    return passages;
}

} // namespace

/**
 * With HPCC_ORACLE_DIR set, leaves ioam-sent.txt there for check_ioam_kernel.py.
 */
TEST(IoamKernel, RoutersWereSentThePacketsOfToday)
{
    std::string path = OraclePath("ioam-sent.txt");
    if (!path.empty())
    {
        std::ofstream file(path);
        for (const auto& [name, choice] : KERNEL_CASES)
        {
            file << name << " " << ToHex(SentToRouters(choice)) << "\n";
        }
        ASSERT_TRUE(file.flush()) << path;
    }
    auto passages = ReadPassages(NS_TEST_SOURCEDIR "/data/ioam/linux-6.18.txt");
    ASSERT_EQ(passages.size(), KERNEL_CASES.size());
    for (const Passage& passage : passages)
    {
        EXPECT_EQ(ToHex(passage.sent), ToHex(SentToRouters(KERNEL_CASES.at(passage.name))));
    }
}

/**
 * What two routers of Linux made of a packet is what two switches make of it. The passages are a
 * recorded run's, or with HPCC_ORACLE_DIR set those in ioam-received.txt there.
 */
TEST(IoamKernel, RoutersAndSwitchesFillAPacketAlike)
{
    std::string live = OraclePath("ioam-received.txt");
    auto passages =
        ReadPassages(live.empty() ? NS_TEST_SOURCEDIR "/data/ioam/linux-6.18.txt" : live);
    ASSERT_EQ(passages.size(), KERNEL_CASES.size());
    for (const Passage& passage : passages)
    {
        SCOPED_TRACE(passage.name);
        const Choice& choice = KERNEL_CASES.at(passage.name);
        Ptr<IoamTraceFormat> format = CreateFormat(choice);
        FrameCodec codec;
        codec.AddFormat(PeekPointer(format));
        std::string why;
        Frame routed{};
        ASSERT_TRUE(codec.Decode(passage.received.data(), passage.received.size(), routed, why))
            << why;
        ASSERT_EQ(routed.format, PeekPointer(format));
        EXPECT_EQ(IpOf(FrameCodec::Encode(routed, SOURCE, DESTINATION)), IpOf(passage.received));

        Frame switched{};
        ASSERT_TRUE(codec.Decode(passage.sent.data(), passage.sent.size(), switched, why)) << why;
        for (const Router& router : ROUTERS)
        {
            HopSnapshot hop{};
            hop.ttl = --switched.ttl;
            hop.switchId = router.node;
            hop.ingressPort = router.ingress;
            hop.egressPort = router.egress;
            format->Insert(switched.telemetry, hop, 0);
        }
        ASSERT_EQ(routed.telemetry.hops, switched.telemetry.hops);
        for (uint32_t i = 0; i < routed.telemetry.hops; ++i)
        {
            HopTelemetry hop = format->Read(routed.telemetry, i);
            EXPECT_EQ(hop.fields,
                      TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID | TELEMETRY_TIMESTAMP |
                          TELEMETRY_QUEUE)
                << "Linux reports neither transit delay nor bytes";
            EXPECT_EQ(hop.switchId, ROUTERS[i].node);
            EXPECT_EQ(hop.portId, ROUTERS[i].egress);
            EXPECT_LT(hop.timestampNs, 1000000u) << "Linux counts microseconds";
        }
        TakeOut(choice, routed.telemetry);
        TakeOut(choice, switched.telemetry);
        EXPECT_EQ(ToHex(FrameCodec::Encode(switched, SOURCE, DESTINATION)),
                  ToHex(FrameCodec::Encode(routed, SOURCE, DESTINATION)));
    }
}
