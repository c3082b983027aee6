/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-refusal.h"
#include "hpcc-test-telemetry.h"

#include "ns3/boolean.h"
#include "ns3/hpcc-int-md-format.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// Returns the telemetry stack of two hops that HEADER and RECORDS encode.
/// @param format the format; its attribute RemainingHops becomes 10
TelemetryStack
TwoHops(TelemetryFormat& format)
{
    format.SetAttribute("RemainingHops", UintegerValue(10));
    TelemetryStack stack = OpenStack(format);
    HopSnapshot hop = PlainHop();
    hop.queueId = 0;
    hop.queueBytes = 1500;
    hop.utilizationPpm = 5000;
    for (uint32_t node : {1, 2})
    {
        hop.switchId = node;
        EXPECT_GE(format.Insert(stack, hop, AMPLE_ROOM), 0);
    }
    return stack;
}

/// The bytes of TwoHops(), built with scapy: the header, then the records.
const std::string HEADER = "20000608d500000000000000";
const std::string RECORDS = "00000002000100020000" // node 2, ports 1 and 2
                            "05dc00000000075bcd1500001388"
                            "00000001000100020000" // node 1
                            "05dc00000000075bcd1500001388";

} // namespace

TEST(IntMdFormat, BytesEqualAnIndependentEncoding)
{
    Ptr<TelemetryFormat> format = CreateFormat("int-md");
    const TelemetryStack stack = TwoHops(*format);
    EXPECT_EQ(ToHex(ToBytes(*format, stack)), "140f12b7" + HEADER + RECORDS);
    EXPECT_EQ(ToHex(RecordsToBytes(*format, stack)), RECORDS);
    EXPECT_EQ(format->GetMarking().udpPort, 0x4568);
}

TEST(IntMdFormat, MarkedByDscpTheShimHasTheOriginalDscp)
{
    // The shim has NPT 0, and DSCP 26 in the upper 6 bits of its last byte.
    const std::string expected = "100f0068" + HEADER + RECORDS;
    Ptr<TelemetryFormat> format = CreateFormat("int-md:dscp");
    const TelemetryStack stack = TwoHops(*format);
    EXPECT_EQ(ToHex(ToBytes(*format, stack)), expected);
    EXPECT_EQ(format->GetMarking().dscp, 0x17);
    EXPECT_EQ(format->GetMarking().udpPort, 0);
    TelemetryStack read{};
    ASSERT_EQ(FromBytes(*format, ToBytes(*format, stack), read), expected.size() / 2);
    EXPECT_EQ(read.originalDscp, 26);
    // Neither format reads a frame that the other format has marked.
    EXPECT_EQ(FromBytes(*CreateFormat("int-md"), ToBytes(*format, stack), read), 0u);
    format->SetAttribute("Marking", StringValue("UdpPort"));
    EXPECT_EQ(format->GetMarking().dscp, -1);
    EXPECT_EQ(format->GetMarking().udpPort, 0x4568);
    EXPECT_EQ(FromBytes(*CreateFormat("int-md:dscp"), ToBytes(*format, stack), read), 0u);
}

TEST(IntMdFormat, TheLatencyPresetReportsTheTimeInTheSwitch)
{
    Ptr<TelemetryFormat> format = CreateFormat("int-md:latency");
    HopTelemetry read = InsertAndRead(*format, PlainHop());
    EXPECT_TRUE(read.fields & TELEMETRY_HOP_LATENCY);
    EXPECT_EQ(read.hopLatencyNs, PlainHop().hopLatencyNs);
    EXPECT_EQ(DynamicCast<IntMdFormat>(format)->GetInstructionBitmap(), 0xf500);
}

TEST(IntMdFormat, ARecordWithLatencyHas28BytesInTheOrderOfTheBits)
{
    // The expected bytes were computed in Python: struct.pack("!BBH", 1 << 4 | 1 << 2, 3 + 2 * 7,
    // 4791) + struct.pack("!IHHI", 2 << 28 | 7 << 8 | 8, 0xf500, 0, 0), then, newest record first,
    // for node in (2, 1): struct.pack("!IHHIIQI", node, 1, 2, 900, 3 << 24 | 1500, 123456789, 5000)
    const std::string expected = "141112b720000708f500000000000000"
                                 "000000020001000200000384"
                                 "030005dc00000000075bcd1500001388"
                                 "000000010001000200000384"
                                 "030005dc00000000075bcd1500001388";
    Ptr<TelemetryFormat> format = CreateFormat("int-md:latency");
    format->SetAttribute("RemainingHops", UintegerValue(10));
    TelemetryStack stack = OpenStack(*format);
    HopSnapshot hop = PlainHop();
    hop.queueBytes = 1500;
    hop.utilizationPpm = 5000;
    for (uint32_t node : {1, 2})
    {
        hop.switchId = node;
        EXPECT_EQ(format->Insert(stack, hop, AMPLE_ROOM), 28);
    }
    EXPECT_EQ(ToHex(ToBytes(*format, stack)), expected);
    TelemetryStack read{};
    ASSERT_EQ(FromBytes(*format, ToBytes(*format, stack), read), expected.size() / 2);
    EXPECT_EQ(format->Read(read, 1).hopLatencyNs, 900u);
    EXPECT_EQ(format->Read(read, 1).switchId, 2u);
}

TEST(IntMdFormat, LengthAndCountAreThoseOfTheSpecificationsExample)
{
    // The specification's example has two hops: Length is 3 + 2 Hop ML, and the remaining hop count
    // falls from 8 to 6. No preset has the bitmap of this example (node id and queue, Hop ML 2), so
    // the test uses Hop ML 6.
    Ptr<TelemetryFormat> format = CreateFormat("int-md");
    format->SetAttribute("RemainingHops", UintegerValue(8));
    TelemetryStack stack = OpenStack(*format);
    EXPECT_EQ(ToBytes(*format, stack)[7], 8);
    format->Insert(stack, PlainHop(), AMPLE_ROOM);
    format->Insert(stack, PlainHop(), AMPLE_ROOM);
    const std::vector<uint8_t> bytes = ToBytes(*format, stack);
    EXPECT_EQ(bytes[1], 3 + 2 * 6);
    EXPECT_EQ(bytes[6], 6);
    EXPECT_EQ(bytes[7], 6);
}

TEST(IntMdFormat, SizesFollowTheInstructionBitmap)
{
    struct
    {
        bool timestamp;
        bool latency;
        uint16_t bitmap;
        uint32_t hopBytes;
        uint32_t maxHops;
    } const cases[] = {{true, false, 0xd500, 24, 13},
                       {false, false, 0xd100, 16, 16},
                       {true, true, 0xf500, 28, 11},
                       {false, true, 0xf100, 20, 16}};

    for (const auto& c : cases)
    {
        Ptr<IntMdFormat> format = CreateObject<IntMdFormat>();
        format->SetAttribute("EgressTimestamp", BooleanValue(c.timestamp));
        format->SetAttribute("HopLatency", BooleanValue(c.latency));
        EXPECT_EQ(format->GetInstructionBitmap(), c.bitmap);
        EXPECT_EQ(format->GetHopBytes(), c.hopBytes);
        EXPECT_EQ(format->GetMaxHops(), c.maxHops);
        EXPECT_EQ(OpenStack(*format).remainingHops, c.maxHops);
        EXPECT_EQ(format->GetBaseBytes(), 16u);
    }
}

TEST(IntMdFormat, AStackOfAnotherInstructionBitmapIsRefused)
{
    Ptr<TelemetryFormat> with = CreateFormat("int-md");
    Ptr<TelemetryFormat> without = CreateFormat("int-md-no-ts");
    TelemetryStack stack = OpenStack(*with);
    TelemetryStack read{};
    EXPECT_EQ(FromBytes(*without, ToBytes(*with, stack), read), 0u);
    EXPECT_NE(with->GetReflectionId(), without->GetReflectionId());
}

TEST(IntMdFormat, AllValuesSurvive)
{
    Ptr<TelemetryFormat> format = CreateFormat("test-derived:slow");
    HopSnapshot hop = PlainHop();
    hop.timestampNs = 0x123456789abcdef0;
    HopTelemetry read = InsertAndRead(*format, hop);
    EXPECT_EQ(read.switchId, hop.switchId);
    EXPECT_EQ(read.portId, hop.egressPort);
    EXPECT_EQ(read.timestampNs, hop.timestampNs);
    EXPECT_EQ(read.queueBytes, hop.queueBytes);
    EXPECT_EQ(read.hopLatencyNs, hop.hopLatencyNs);
    EXPECT_DOUBLE_EQ(read.utilization, 0.5);
}

TEST(IntMdFormat, OnlyAClassExceedsItsBandwidth)
{
    HopSnapshot hop = PlainHop();
    hop.utilizationPpm = 20'000'000;
    for (const bool classes : {false, true})
    {
        Ptr<TelemetryFormat> format = CreateFormat("int-md");
        TelemetryNetwork network{};
        network.classBandwidths = classes;
        format->Learn(network);
        EXPECT_DOUBLE_EQ(InsertAndRead(*format, hop).utilization, classes ? 20 : 1);
    }
}

TEST(IntMdFormat, OccupancySaturatesBelowAllOnes)
{
    Ptr<TelemetryFormat> format = CreateFormat("int-md");
    HopSnapshot hop = PlainHop();
    hop.queueId = 7;
    for (uint64_t bytes : {0xfffffeULL, 0xffffffULL, 0x1000000ULL, ~0ULL})
    {
        hop.queueBytes = bytes;
        HopTelemetry read = InsertAndRead(*format, hop);
        EXPECT_TRUE(read.fields & TELEMETRY_QUEUE);
        EXPECT_EQ(read.queueBytes, 0xfffffeu);
    }
}

TEST(IntMdFormat, AllOnesReadAsNotAvailable)
{
    for (const char* preset : {"int-md", "int-md-no-ts", "test-derived:slow"})
    {
        Ptr<TelemetryFormat> format = CreateFormat(preset);
        TelemetryStack stack = OpenStack(*format);
        std::fill(stack.words.begin(), stack.words.end(), 0xffffffff);
        stack.hops = 2;
        EXPECT_EQ(format->Read(stack, 1).fields, 0);
        EXPECT_EQ(format->Read(stack, 1).portId, 1u);
    }
}

TEST(IntMdFormat, APortBeyondSixteenBitsReadsAsNotAvailable)
{
    Ptr<TelemetryFormat> format = CreateFormat("int-md");
    HopSnapshot hop = PlainHop();
    for (uint32_t port : {0xffffu, 0x10000u, 0x10002u, 0xffffffffu})
    {
        hop.egressPort = port;
        EXPECT_FALSE(InsertAndRead(*format, hop).fields & TELEMETRY_PORT_ID);
    }
    hop.ingressPort = 0x54321;
    hop.egressPort = 0xfffe;
    HopTelemetry read = InsertAndRead(*format, hop);
    EXPECT_TRUE(read.fields & TELEMETRY_PORT_ID);
    EXPECT_EQ(read.portId, 0xfffeu);
}

TEST(IntMdFormat, AHopBeyondTheMtuIsSkippedWithoutTouchingTheCount)
{
    Ptr<TelemetryFormat> format = CreateFormat("int-md");
    TelemetryStack stack = OpenStack(*format);
    EXPECT_GE(format->Insert(stack, PlainHop(), 24), 0);
    EXPECT_EQ(format->Insert(stack, PlainHop(), 23), TelemetryFormat::NOT_INSERTED);
    EXPECT_EQ(stack.flags, TELEMETRY_MTU_EXCEEDED);
    EXPECT_EQ(stack.hops, 1);
    EXPECT_EQ(stack.remainingHops, 12);
    EXPECT_EQ(stack.skippedHops, 1);
    EXPECT_EQ(ToBytes(*format, stack)[4], 0x22); // version 2, M
    EXPECT_GE(format->Insert(stack, PlainHop(), 24), 0);
    EXPECT_EQ(stack.flags, TELEMETRY_MTU_EXCEEDED);
}

TEST(IntMdFormat, AnExhaustedCountSetsOnlyTheEBit)
{
    Ptr<TelemetryFormat> format = CreateFormat("int-md");
    format->SetAttribute("RemainingHops", UintegerValue(1));
    TelemetryStack stack = OpenStack(*format);
    EXPECT_GE(format->Insert(stack, PlainHop(), AMPLE_ROOM), 0);
    EXPECT_EQ(format->Insert(stack, PlainHop(), 0), TelemetryFormat::NOT_INSERTED);
    EXPECT_EQ(stack.flags, TELEMETRY_HOPS_EXCEEDED);
    EXPECT_EQ(ToBytes(*format, stack)[4], 0x24); // version 2, E
}

TEST(IntMdFormat, ForeignHeadersAreRefused)
{
    Ptr<TelemetryFormat> format = CreateFormat("int-md");
    TelemetryStack stack = OpenStack(*format);
    format->Insert(stack, PlainHop(), AMPLE_ROOM);
    const std::vector<uint8_t> good = ToBytes(*format, stack);

    struct
    {
        size_t byte;
        uint8_t value;
    } const changes[] = {
        {0, 0x24},  // type 2
        {0, 0x10},  // NPT 0
        {1, 2},     // shorter than its header
        {1, 8},     // not a whole record
        {4, 0x10},  // version 1
        {4, 0x28},  // flag D
        {6, 7},     // another Hop ML
        {7, 13},    // more hops than a stack can contain
        {8, 0xd1},  // another bitmap
        {11, 0x01}, // another domain
    };

    for (const auto& change : changes)
    {
        std::vector<uint8_t> bytes = good;
        bytes[change.byte] = change.value;
        TelemetryStack read{};
        EXPECT_EQ(FromBytes(*format, bytes, read), 0u) << "byte " << change.byte;
    }
    std::vector<uint8_t> longer = good;
    longer[0] |= 3; // reserved bits are ignored
    longer.push_back(0xab);
    TelemetryStack read{};
    EXPECT_EQ(FromBytes(*format, longer, read), good.size());
}

TEST(IntMdFormat, MoreHopsThanAFrameHasRoomForAreRefused)
{
    const std::string why = RefusalOf([] {
        Ptr<IntMdFormat> format = CreateObject<IntMdFormat>();
        format->SetAttribute("RemainingHops", UintegerValue(14));
    });
    EXPECT_NE(why.find("RemainingHops is 14, but a frame has room for 13"), std::string::npos)
        << why;
}
