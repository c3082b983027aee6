/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-ioam.h"
#include "hpcc-test-refusal.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace hpcctest;

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
        Ptr<IoamTraceFormat> filled = CreateIoam({false, c.hopLatency, c.txBytes});
        EXPECT_EQ(filled->GetTraceType(), c.type);
        EXPECT_EQ(filled->GetMaxHops(), c.maxHops);
        EXPECT_EQ(OpenStack(*filled).remainingHops, c.maxHops);
        EXPECT_EQ(filled->GetBaseBytes(), c.bytes);
        EXPECT_EQ(filled->GetHopBytes(), 0u);
        Ptr<IoamTraceFormat> growing = CreateIoam({true, c.hopLatency, c.txBytes});
        EXPECT_EQ(growing->GetBaseBytes(), 16u);
        EXPECT_EQ(growing->GetHopBytes(), c.hopBytes);
    }
    uint32_t expected[] = {16, 40, 56, 80, 96, 120};
    for (uint8_t hops : {1, 2, 3, 5, 12})
    {
        uint32_t bytes = hops == 12 ? 256 : expected[hops];
        EXPECT_EQ(CreateIoam({false, false, true, false, hops})->GetBaseBytes(), bytes);
    }
}

TEST(IoamTraceFormat, TheIncrementalTraceGrowsBy24And16BytesInTurn)
{
    Ptr<IoamTraceFormat> format = CreateIoam({true});
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
    Ptr<IoamTraceFormat> growing = CreateIoam({true});
    TelemetryStack stack = OpenStack(*growing);
    EXPECT_EQ(growing->Insert(stack, FirstHop(), 23), TelemetryFormat::NOT_INSERTED);
    EXPECT_EQ(stack.flags, TELEMETRY_HOPS_EXCEEDED);
    EXPECT_EQ(stack.skippedHops, 1);
    EXPECT_EQ(ToHex(ToBytes(*growing, stack)), "11010100310a0001007b2c3cd2080000");
    EXPECT_EQ(growing->Insert(stack, FirstHop(), 24), 24);
    EXPECT_EQ(growing->Insert(stack, FirstHop(), 16), 16);

    Ptr<IoamTraceFormat> filled = CreateIoam();
    stack = OpenStack(*filled);
    EXPECT_EQ(filled->Insert(stack, FirstHop(), 0), 0);
}

TEST(IoamTraceFormat, AllValuesSurvive)
{
    for (const Choice& choice : AllChoices())
    {
        Ptr<IoamTraceFormat> format = CreateIoam(choice);
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
    Ptr<IoamTraceFormat> format = CreateIoam();
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
    Ptr<IoamTraceFormat> format = CreateIoam({false, true});
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
        Ptr<IoamTraceFormat> format = CreateIoam(choice);
        TelemetryStack stack = OpenStack(*format);
        stack.words.fill(0xffffffff);
        stack.hops = 2;
        EXPECT_EQ(format->Read(stack, 1).fields, 0);
        EXPECT_EQ(format->Read(stack, 1).portId, 1u);
    }
    Ptr<IoamTraceFormat> format = CreateIoam();
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
    Ptr<IoamTraceFormat> format = CreateIoam();
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
    EXPECT_EQ(CreateIoam({false, false, false})->Validate(network), "");
}

TEST(IoamTraceFormat, ForeignHeadersAreRefused)
{
    Ptr<IoamTraceFormat> format = CreateIoam({false, false, true, false, 3});
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
        {5, 0x45},                       // not whole words
        {7, 1},                          // incremental
        {7, 3},                          // edge to edge
        {9, 0x7c},                       // another namespace
        {10, 0x20},                      // NodeLen 4
        {10, 0x2a},                      // loopback
        {10, 0x29},                      // active
        {11, 0x0b},                      // room for a fraction of a record
        {11, 0x14},                      // more room than the option has
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
    Ptr<IoamTraceFormat> format = CreateIoam({true});
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
    const uint32_t seed = ChooseSeed();
    SCOPED_TRACE("HPCC_TEST_SEED=" + std::to_string(seed));
    std::mt19937_64 random(seed);
    std::vector<Ptr<IoamTraceFormat>> formats;
    std::set<uint8_t> ids;
    for (const Choice& choice : AllChoices())
    {
        formats.push_back(CreateIoam(choice));
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
            ASSERT_EQ(FromBytes(*other, bytes, read), same ? bytes.size() : 0);
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
        Ptr<IoamTraceFormat> format = CreateIoam({incremental});
        EXPECT_TRUE(format->CarriesLoad());
        TelemetryStack stack = OpenStack(*format);
        format->Insert(stack, FirstHop(), AMPLE_ROOM);
        Bytes one = ToBytes(*format, stack);
        format->Insert(stack, SecondHop(), AMPLE_ROOM);
        format->Insert(stack, SecondHop(), AMPLE_ROOM);
        format->Truncate(stack, 1);
        EXPECT_EQ(ToHex(ToBytes(*format, stack)), ToHex(one));
    }
}

TEST(IoamTraceFormat, MoreHopsThanAnOptionHasRoomForAreRefused)
{
    const std::string why = RefusalOf([] { CreateIoam({false, true, true, false, 11}); });
    EXPECT_NE(why.find("Hops is 11, but an option has room for 10 records of 24 bytes"),
              std::string::npos)
        << why;
}
