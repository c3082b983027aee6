/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-telemetry.h"

#include "ns3/hpcc-sigcomm19-format.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace hpcctest;

TEST(Sigcomm19Format, IsFortyTwoBytesWithAnyNumberOfHops)
{
    for (const char* preset : {"sigcomm19", "sigcomm19:authors"})
    {
        Ptr<TelemetryFormat> format = CreateFormat(preset);
        TelemetryStack stack = OpenStack(*format);
        EXPECT_EQ(ToHex(ToBytes(*format, stack)), std::string(84, '0'));
        for (int hop = 0; hop < 7; ++hop)
        {
            format->Insert(stack, PlainHop(), 0);
            EXPECT_EQ(format->GetWireBytes(stack), 42u);
            EXPECT_EQ(format->GetReflectedBytes(stack), 42u);
        }
        EXPECT_EQ(stack.hops, 5);
    }
}

TEST(Sigcomm19Format, BytesFollowThePapersLayout)
{
    Ptr<TelemetryFormat> format = CreateFormat("sigcomm19");
    TelemetryStack stack = OpenStack(*format);
    HopSnapshot hop = PlainHop();
    hop.switchId = 0xabc123;
    hop.timestampNs = 0xff456789;
    hop.txBytes = 0x12345 * 128 + 127;
    hop.queueBytes = 0x6789 * 80 + 79;
    format->Insert(stack, hop, 0);
    // nHop is 1 and pathID is 0x123. The code of 100G is 4. Fields of 24, 20 and 16 bits follow
    // this code.
    EXPECT_EQ(ToHex(ToBytes(*format, stack)), "11234456789123456789" + std::string(64, '0'));
}

TEST(Sigcomm19Format, BytesFollowTheAuthorsLayout)
{
    Ptr<TelemetryFormat> format = CreateFormat("sigcomm19:authors");
    TelemetryStack stack = OpenStack(*format);
    HopSnapshot hop = PlainHop();
    hop.timestampNs = 0x456789;
    hop.txBytes = 0x12345 * 128;
    hop.queueBytes = 0x16789 * 80;
    format->Insert(stack, hop, 0);
    // The code of 100G is 2, in bits 0 to 2. The time starts at bit 3, the bytes at bit 27, and
    // qlen at bit 47.
    uint64_t record = 2 | 0x456789ULL << 3 | 0x12345ULL << 27 | 0x16789ULL << 47;
    std::vector<uint8_t> expected(42);
    for (int i = 0; i < 8; ++i)
    {
        expected[i] = record >> (8 * i);
    }
    expected[40] = 1;
    EXPECT_EQ(ToHex(ToBytes(*format, stack)), ToHex(expected));
}

TEST(Sigcomm19Format, ValuesAreRoundedDownToUnits)
{
    Ptr<TelemetryFormat> format = CreateFormat("sigcomm19");
    HopSnapshot hop = PlainHop();
    hop.txBytes = 1000;
    hop.queueBytes = 1000;
    HopTelemetry read = InsertAndRead(*format, hop);
    EXPECT_EQ(read.txBytes, 896u);
    EXPECT_EQ(read.queueBytes, 960u);
    hop.queueBytes = 79;
    EXPECT_EQ(InsertAndRead(*format, hop).queueBytes, 0u);

    format->SetAttribute("UnitMultiplier", UintegerValue(3));
    hop.queueBytes = 1000;
    read = InsertAndRead(*format, hop);
    EXPECT_EQ(read.txBytes, 768u);
    EXPECT_EQ(read.queueBytes, 960u);
    EXPECT_EQ(format->GetCapabilities().txBytesModulus, (1u << 20) * 128ULL * 3);
}

TEST(Sigcomm19Format, TimeAndBytesWrapAtTheDeclaredModulus)
{
    for (const char* preset : {"sigcomm19", "sigcomm19:authors"})
    {
        Ptr<TelemetryFormat> format = CreateFormat(preset);
        const TelemetryCapabilities& wire = format->GetCapabilities();
        EXPECT_EQ(wire.timestampModulus, 16777216u);
        EXPECT_EQ(wire.txBytesModulus, 134217728u);
        HopSnapshot before = PlainHop();
        before.timestampNs = 5 * wire.timestampModulus - 100;
        before.txBytes = 9 * wire.txBytesModulus - 1280;
        HopSnapshot after = before;
        after.timestampNs += 300;
        after.txBytes += 2560;
        HopTelemetry older = InsertAndRead(*format, before);
        HopTelemetry newer = InsertAndRead(*format, after);
        EXPECT_LT(newer.timestampNs, older.timestampNs);
        EXPECT_LT(newer.txBytes, older.txBytes);
        EXPECT_EQ(ModularDifference(newer.timestampNs, older.timestampNs, wire.timestampModulus),
                  300u);
        EXPECT_EQ(ModularDifference(newer.txBytes, older.txBytes, wire.txBytesModulus), 2560u);
    }
}

TEST(Sigcomm19Format, QueueSaturatesAndNeverWraps)
{
    HopSnapshot hop = PlainHop();
    for (uint64_t bytes : {65535 * 80ULL, 65536 * 80ULL, 131071 * 80ULL, 1ULL << 40, ~0ULL})
    {
        hop.queueBytes = bytes;
        EXPECT_EQ(InsertAndRead(*CreateFormat("sigcomm19"), hop).queueBytes, 65535u * 80);
        EXPECT_EQ(InsertAndRead(*CreateFormat("sigcomm19:authors"), hop).queueBytes,
                  std::min<uint64_t>(bytes / 80, 131071) * 80);
    }
}

TEST(Sigcomm19Format, RatesOutsideTheTableReadAsNotAvailable)
{
    for (const char* preset : {"sigcomm19", "sigcomm19:authors"})
    {
        Ptr<TelemetryFormat> format = CreateFormat(preset);
        HopSnapshot hop = PlainHop();
        for (uint64_t gbps : {10, 25, 50, 100, 200, 400, 800})
        {
            hop.bandwidthBps = gbps * GBPS;
            HopTelemetry read = InsertAndRead(*format, hop);
            EXPECT_TRUE(read.fields & TELEMETRY_BANDWIDTH);
            EXPECT_EQ(read.bandwidthBps, gbps * GBPS);
        }
        for (uint64_t bps : {uint64_t{0}, 100 * GBPS - 1, 33 * GBPS, ~uint64_t{0}})
        {
            hop.bandwidthBps = bps;
            EXPECT_FALSE(InsertAndRead(*format, hop).fields & TELEMETRY_BANDWIDTH);
        }
    }
}

TEST(Sigcomm19Format, CodesThatTheTableLeavesAreTheOtherRatesOfTheNetwork)
{
    const std::vector<uint64_t> others{20 * GBPS, 56 * GBPS, 300 * GBPS, 800 * GBPS / 3};
    for (const auto& [preset, rates] : {std::pair<const char*, size_t>("sigcomm19", 4),
                                        std::pair<const char*, size_t>("sigcomm19:authors", 1)})
    {
        SCOPED_TRACE(preset);
        TelemetryNetwork network{20, 16, 5, 400 * GBPS, 10000};
        network.ports.push_back({1, 0, 100 * GBPS, 1, PortDirection::DOWN});
        for (size_t i = 0; i < rates; ++i)
        {
            network.ports.push_back({2, static_cast<uint32_t>(i), others[i], 1, PortDirection::UP});
        }
        Ptr<TelemetryFormat> format = CreateFormat(preset);
        ASSERT_EQ(format->Validate(network), "");
        format->Learn(network);
        HopSnapshot hop = PlainHop();
        for (const auto& port : network.ports)
        {
            hop.bandwidthBps = port.rateBps;
            const HopTelemetry read = InsertAndRead(*format, hop);
            EXPECT_TRUE(read.fields & TELEMETRY_BANDWIDTH);
            EXPECT_EQ(read.bandwidthBps, port.rateBps);
        }
        network.ports.push_back({3, 0, 33 * GBPS, 1, PortDirection::UP});
        const std::string why = format->Validate(network);
        EXPECT_NE(why.find("400"), std::string::npos) << why;
        EXPECT_NE(why.find(rates == 1 ? "and 1 other Gb/s; the network has 20, 33 Gb/s"
                                      : "and 4 other Gb/s; the network has 20, 33, 56, "),
                  std::string::npos)
            << why;
    }
}

TEST(Sigcomm19Format, ABorderLeavesALoadAndAnOpaquePath)
{
    Ptr<TelemetryFormat> format = CreateFormat("sigcomm19");
    EXPECT_FALSE(CreateFormat("sigcomm19:authors")->CarriesLoad()) << "it has no code left";
    ASSERT_TRUE(format->CarriesLoad());
    std::set<uint16_t> paths;
    for (uint32_t id : {3, 5})
    {
        TelemetryStack stack = OpenStack(*format);
        HopSnapshot hop = PlainHop();
        for (int i = 0; i < 6; ++i)
        {
            hop.switchId = i ? 8 * i : id;
            format->Insert(stack, hop, AMPLE_ROOM);
        }
        const uint16_t inside = stack.pathId;
        format->Truncate(stack, 0);
        format->AppendLoad(stack, 1.25, 7);
        EXPECT_NE(stack.pathId, inside);
        paths.insert(stack.pathId);
        format->Insert(stack, PlainHop(), AMPLE_ROOM);
        TelemetryStack read;
        ASSERT_EQ(FromBytes(*format, ToBytes(*format, stack), read), Sigcomm19Format::BYTES);
        ASSERT_EQ(+read.hops, 2);
        EXPECT_EQ(read.flags, 0);
        EXPECT_EQ(format->Read(read, 0).fields, TELEMETRY_LOAD);
        EXPECT_DOUBLE_EQ(format->Read(read, 0).load, 1.25);
        EXPECT_FALSE(format->Read(read, 1).fields & TELEMETRY_LOAD);
        format->Truncate(stack, 0);
        format->AppendLoad(stack, 1e9, 7);
        EXPECT_DOUBLE_EQ(format->Read(stack, 0).load, 4294.967295) << "saturates";
    }
    EXPECT_EQ(paths.size(), 2u) << "each path has its own";
}

TEST(Sigcomm19Format, PathIdIsTheXorOfAllSwitchesPassed)
{
    Ptr<TelemetryFormat> format = CreateFormat("sigcomm19");
    EXPECT_TRUE(format->GetCapabilities().pathIdentified);
    TelemetryStack stack = OpenStack(*format);
    uint16_t expected = 0;
    for (uint32_t id : {0x1001u, 0xfffu, 0x35u, 0x800u, 0x12u, 0x421u})
    {
        HopSnapshot hop = PlainHop();
        hop.switchId = id;
        format->Insert(stack, hop, 0);
        expected ^= id & 0xfff;
    }
    EXPECT_EQ(stack.pathId, expected);
    EXPECT_FALSE(CreateFormat("sigcomm19:authors")->GetCapabilities().pathIdentified);
}

TEST(Sigcomm19Format, AHopIsIdentifiedByItsPosition)
{
    Ptr<TelemetryFormat> format = CreateFormat("sigcomm19");
    TelemetryStack stack = OpenStack(*format);
    for (uint32_t hop = 0; hop < 5; ++hop)
    {
        format->Insert(stack, PlainHop(), 0);
        EXPECT_EQ(format->Read(stack, hop).portId, hop);
    }
}

TEST(Sigcomm19Format, AHopCountThatNoPathCanReachIsRefused)
{
    Ptr<TelemetryFormat> format = CreateFormat("sigcomm19:authors");
    std::vector<uint8_t> bytes(42);
    TelemetryStack read{};
    bytes[40] = 260 & 0xff;
    bytes[41] = 260 >> 8;
    EXPECT_EQ(FromBytes(*format, bytes, read), 42u);
    EXPECT_EQ(read.hops, 5);
    EXPECT_EQ(read.skippedHops, 255);
    ++bytes[40];
    EXPECT_EQ(FromBytes(*format, bytes, read), 0u);
}
