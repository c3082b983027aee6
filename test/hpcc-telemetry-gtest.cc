/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/boolean.h"
#include "ns3/hpcc-int-md-format.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-reflection-header.h"
#include "ns3/hpcc-sigcomm19-format.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint64_t GBPS = 1000000000;
constexpr uint32_t AMPLE_ROOM = 10000;
constexpr uint16_t ROCE_PORT = 4791;

Ptr<TelemetryFormat>
CreateFormat(const std::string& preset)
{
    ObjectFactory factory;
    EXPECT_TRUE(HpccPresets::Find(TelemetryFormat::GetTypeId(), preset, factory)) << preset;
    return factory.Create<TelemetryFormat>();
}

TelemetryStack
OpenStack(const TelemetryFormat& format)
{
    TelemetryStack stack{};
    format.Open(stack, {ROCE_PORT, 17, 26});
    return stack;
}

HopSnapshot
PlainHop()
{
    HopSnapshot hop{};
    hop.timestampNs = 123456789;
    hop.txBytes = 128000;
    hop.bandwidthBps = 100 * GBPS;
    hop.queueBytes = 8000;
    hop.switchId = 7;
    hop.egressPort = 2;
    hop.ingressPort = 1;
    hop.hopLatencyNs = 900;
    hop.utilizationPpm = 500000;
    hop.queueId = 3;
    hop.ttl = 63;
    return hop;
}

/// Half of them with ids that any format can say.
HopSnapshot
RandomHop(std::mt19937_64& random)
{
    HopSnapshot hop{};
    hop.timestampNs = random();
    hop.txBytes = random();
    hop.bandwidthBps = std::array<uint64_t, 4>{10, 100, 400, 333}[random() % 4] * GBPS;
    hop.queueBytes = random() >> random() % 64;
    const bool smallIds = random() % 2;
    hop.switchId = smallIds ? random() % 4096 : random();
    hop.egressPort = smallIds ? random() % 256 : random() >> random() % 64;
    hop.ingressPort = smallIds ? random() % 256 : random() >> random() % 64;
    hop.hopLatencyNs = random();
    hop.utilizationPpm = random() % 1000001;
    hop.queueId = random() % 8;
    hop.ttl = random();
    hop.ecn = random() % 4;
    return hop;
}

HopTelemetry
InsertAndRead(const TelemetryFormat& format, const HopSnapshot& hop)
{
    TelemetryStack stack = OpenStack(format);
    EXPECT_GE(format.Insert(stack, hop, AMPLE_ROOM), 0);
    return format.Read(stack, 0);
}

std::vector<uint8_t>
ToBytes(const TelemetryFormat& format, const TelemetryStack& stack)
{
    std::vector<uint8_t> bytes(format.GetWireBytes(stack));
    format.Serialize(stack, bytes.data());
    return bytes;
}

std::vector<uint8_t>
RecordsToBytes(const TelemetryFormat& format, const TelemetryStack& stack)
{
    std::vector<uint8_t> bytes(format.GetReflectedBytes(stack));
    format.SerializeRecords(stack, bytes.data());
    return bytes;
}

/// Read from a heap block of exactly that size, so that a sanitizer sees a read past the end.
size_t
FromBytes(const TelemetryFormat& format, const std::vector<uint8_t>& bytes, TelemetryStack& stack)
{
    std::vector<uint8_t> exact(bytes.begin(), bytes.end());
    exact.shrink_to_fit();
    return format.Deserialize(exact.data(), exact.size(), stack);
}

std::string
Hex(const std::vector<uint8_t>& bytes)
{
    std::string text;
    for (uint8_t byte : bytes)
    {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

void
ExpectSameHop(const HopTelemetry& a, const HopTelemetry& b)
{
    EXPECT_EQ(a.timestampNs, b.timestampNs);
    EXPECT_EQ(a.txBytes, b.txBytes);
    EXPECT_EQ(a.bandwidthBps, b.bandwidthBps);
    EXPECT_EQ(a.queueBytes, b.queueBytes);
    EXPECT_EQ(a.utilization, b.utilization);
    EXPECT_EQ(a.switchId, b.switchId);
    EXPECT_EQ(a.portId, b.portId);
    EXPECT_EQ(a.hopLatencyNs, b.hopLatencyNs);
    EXPECT_EQ(a.fields, b.fields);
}

void
ExpectSameRecords(const TelemetryFormat& format, const TelemetryStack& a, const TelemetryStack& b)
{
    ASSERT_EQ(a.hops, b.hops);
    EXPECT_EQ(a.pathId, b.pathId);
    for (uint32_t i = 0; i < a.hops; ++i)
    {
        ExpectSameHop(format.Read(a, i), format.Read(b, i));
    }
}

/// @return what the environment asks for, to repeat a failure; otherwise another one each time
uint32_t
ChooseSeed()
{
    const char* wanted = std::getenv("HPCC_TEST_SEED");
    return wanted ? std::strtoul(wanted, nullptr, 10) : std::random_device()();
}

/// A format of a user's program: derived from one of ours, with a name of its own.
class DerivedFormat : public IntMdFormat
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = AddHpccPresets(TypeId("ns3::HpccTestDerivedFormat")
                                               .SetParent<IntMdFormat>()
                                               .AddConstructor<DerivedFormat>(),
                                           "test-derived;test-derived:slow=HopLatency:true");
        return tid;
    }
};

NS_OBJECT_ENSURE_REGISTERED(DerivedFormat);

} // namespace

class TelemetryFormatTest : public testing::TestWithParam<const char*>
{
  protected:
    TelemetryFormatTest()
        : m_seed(ChooseSeed()),
          m_random(m_seed),
          m_format(CreateFormat(GetParam())),
          m_trace(__FILE__, __LINE__, "repeat with HPCC_TEST_SEED=" + std::to_string(m_seed))
    {
    }

    /// @return a stack as some path may have left it
    TelemetryStack RandomStack()
    {
        TelemetryStack stack = OpenStack(*m_format);
        for (uint32_t hops = m_random() % 20; hops > 0; --hops)
        {
            m_format->Insert(stack, RandomHop(m_random), m_random() % 8 ? AMPLE_ROOM : 3);
        }
        return stack;
    }

    uint32_t m_seed;               ///< printed with every failure
    std::mt19937_64 m_random;      ///< seeded with it
    Ptr<TelemetryFormat> m_format; ///< under test
    testing::ScopedTrace m_trace;  ///< prints the seed
};

INSTANTIATE_TEST_SUITE_P(Presets,
                         TelemetryFormatTest,
                         testing::Values("sigcomm19",
                                         "sigcomm19:authors",
                                         "int-md",
                                         "int-md-no-ts",
                                         "ioam",
                                         "ioam-incremental",
                                         "int-md:dscp",
                                         "int-md:latency",
                                         "ifa",
                                         "test-derived:slow"),
                         [](const auto& info) {
                             std::string name = info.param;
                             std::replace_if(
                                 name.begin(),
                                 name.end(),
                                 [](char c) { return !std::isalnum(c); },
                                 '_');
                             return name;
                         });

TEST_P(TelemetryFormatTest, WritingAndReadingBackIsTheIdentity)
{
    for (int i = 0; i < 2000; ++i)
    {
        TelemetryStack stack = RandomStack();
        std::vector<uint8_t> bytes = ToBytes(*m_format, stack);
        TelemetryStack read{};
        ASSERT_EQ(FromBytes(*m_format, bytes, read), bytes.size());
        ExpectSameRecords(*m_format, stack, read);
        EXPECT_EQ(read.remainingHops, stack.remainingHops);
        EXPECT_EQ(read.flags, stack.flags);
        const TelemetryMarking& marking = m_format->GetMarking();
        EXPECT_TRUE(!marking.udpPort || read.originalPort == stack.originalPort);
        EXPECT_TRUE(marking.protocol < 0 || read.originalProtocol == stack.originalProtocol);
        EXPECT_TRUE(marking.dscp < 0 || read.originalDscp == stack.originalDscp);
        EXPECT_EQ(ToBytes(*m_format, read), bytes);
    }
}

TEST_P(TelemetryFormatTest, ReflectingAndReadingBackKeepsEveryRecord)
{
    for (int i = 0; i < 2000; ++i)
    {
        TelemetryStack stack = RandomStack();
        std::vector<uint8_t> bytes = RecordsToBytes(*m_format, stack);
        TelemetryStack read{};
        ASSERT_EQ(m_format->DeserializeRecords(bytes.data(), bytes.size(), stack.hops, read),
                  bytes.size());
        ExpectSameRecords(*m_format, stack, read);
        EXPECT_EQ(RecordsToBytes(*m_format, read), bytes);
    }
}

TEST_P(TelemetryFormatTest, OnlyDeclaredFieldsAreReported)
{
    for (int i = 0; i < 200; ++i)
    {
        TelemetryStack stack = RandomStack();
        for (uint32_t hop = 0; hop < stack.hops; ++hop)
        {
            uint16_t fields = m_format->Read(stack, hop).fields;
            EXPECT_EQ(fields & ~m_format->GetCapabilities().fields, 0);
        }
    }
    EXPECT_EQ(InsertAndRead(*m_format, PlainHop()).fields, m_format->GetCapabilities().fields);
}

TEST_P(TelemetryFormatTest, EveryTruncationIsRefused)
{
    for (int i = 0; i < 50; ++i)
    {
        TelemetryStack stack = RandomStack();
        std::vector<uint8_t> bytes = ToBytes(*m_format, stack);
        std::vector<uint8_t> records = RecordsToBytes(*m_format, stack);
        while (!bytes.empty())
        {
            bytes.pop_back();
            TelemetryStack read{};
            EXPECT_EQ(FromBytes(*m_format, bytes, read), 0u);
        }
        while (!records.empty())
        {
            records.pop_back();
            records.shrink_to_fit();
            TelemetryStack read{};
            EXPECT_EQ(
                m_format->DeserializeRecords(records.data(), records.size(), stack.hops, read),
                0u);
        }
    }
}

TEST_P(TelemetryFormatTest, DamagedBytesGiveNothingOrAStackThatHolds)
{
    for (int i = 0; i < 20000; ++i)
    {
        std::vector<uint8_t> bytes;
        if (i % 2)
        {
            bytes = ToBytes(*m_format, RandomStack());
            bytes[m_random() % std::min<size_t>(bytes.size(), 16)] = m_random();
        }
        else
        {
            bytes.resize(m_random() % 300);
            std::generate(bytes.begin(), bytes.end(), std::ref(m_random));
        }
        TelemetryStack stack{};
        size_t used = FromBytes(*m_format, bytes, stack);
        if (used == 0)
        {
            continue;
        }
        ASSERT_LE(used, bytes.size());
        ASSERT_EQ(used, m_format->GetWireBytes(stack));
        for (int hop = 0; hop < 20; ++hop)
        {
            m_format->Insert(stack, PlainHop(), AMPLE_ROOM);
        }
        ASSERT_LE(stack.hops, MAX_TELEMETRY_HOPS);
        ASSERT_EQ(m_format->Insert(stack, PlainHop(), AMPLE_ROOM), TelemetryFormat::NOT_INSERTED);
        for (uint32_t hop = 0; hop < stack.hops; ++hop)
        {
            m_format->Read(stack, hop);
        }
        TelemetryStack again{};
        bytes = ToBytes(*m_format, stack);
        ASSERT_EQ(FromBytes(*m_format, bytes, again), bytes.size());
    }
}

TEST_P(TelemetryFormatTest, DamagedRecordsGiveNothingOrAStackThatHolds)
{
    for (int i = 0; i < 20000; ++i)
    {
        std::vector<uint8_t> bytes(m_random() % 500);
        std::generate(bytes.begin(), bytes.end(), std::ref(m_random));
        TelemetryStack stack{};
        uint8_t hops = m_random() >> m_random() % 8;
        size_t used = m_format->DeserializeRecords(bytes.data(), bytes.size(), hops, stack);
        ASSERT_LE(used, bytes.size());
        if (used > 0)
        {
            ASSERT_EQ(stack.hops, hops);
            ASSERT_EQ(used, m_format->GetReflectedBytes(stack));
        }
    }
}

TEST_P(TelemetryFormatTest, AHopAfterTheLastRoomIsSkippedAndFlagged)
{
    const bool says = GetParam() != std::string("ifa"); // which has no flag for it
    const uint8_t flags = says ? TELEMETRY_HOPS_EXCEEDED : 0;
    TelemetryStack stack = OpenStack(*m_format);
    uint8_t room = stack.remainingHops;
    for (uint8_t hop = 0; hop < room; ++hop)
    {
        EXPECT_GE(m_format->Insert(stack, PlainHop(), AMPLE_ROOM), 0);
        EXPECT_EQ(stack.flags, 0);
    }
    uint32_t wireBytes = m_format->GetWireBytes(stack);
    for (int skipped = 1; skipped <= 300; ++skipped)
    {
        EXPECT_EQ(m_format->Insert(stack, PlainHop(), skipped % 2 ? AMPLE_ROOM : 0),
                  TelemetryFormat::NOT_INSERTED);
        EXPECT_EQ(stack.skippedHops, std::min(skipped, 255));
    }
    EXPECT_EQ(stack.hops, room);
    EXPECT_EQ(stack.remainingHops, 0);
    EXPECT_EQ(stack.flags, flags);
    EXPECT_EQ(m_format->GetWireBytes(stack), wireBytes);
    TelemetryStack read{};
    EXPECT_EQ(FromBytes(*m_format, ToBytes(*m_format, stack), read), wireBytes);
    EXPECT_EQ(read.flags, flags);
}

TEST(Sigcomm19Format, IsFortyTwoBytesWithAnyNumberOfHops)
{
    for (const char* preset : {"sigcomm19", "sigcomm19:authors"})
    {
        Ptr<TelemetryFormat> format = CreateFormat(preset);
        TelemetryStack stack = OpenStack(*format);
        EXPECT_EQ(Hex(ToBytes(*format, stack)), std::string(84, '0'));
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
    // nHop 1, pathID 0x123; 100G is code 4, then 24, 20 and 16 bits.
    EXPECT_EQ(Hex(ToBytes(*format, stack)), "11234456789123456789" + std::string(64, '0'));
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
    // 100G is code 2 in bits 0-2, time from bit 3, bytes from bit 27, qlen from bit 47.
    uint64_t record = 2 | 0x456789ULL << 3 | 0x12345ULL << 27 | 0x16789ULL << 47;
    std::vector<uint8_t> expected(42);
    for (int i = 0; i < 8; ++i)
    {
        expected[i] = record >> (8 * i);
    }
    expected[40] = 1;
    EXPECT_EQ(Hex(ToBytes(*format, stack)), Hex(expected));
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

TEST(IntMdFormat, BytesEqualAnIndependentEncoding)
{
    // Shim, header and stack of two hops, made with scapy's packet tools.
    const std::string expected = "140f12b720000608d500000000000000"
                                 "00000002000100020000" // node 2, ports 1 and 2
                                 "05dc00000000075bcd1500001388"
                                 "00000001000100020000" // node 1
                                 "05dc00000000075bcd1500001388";
    Ptr<TelemetryFormat> format = CreateFormat("int-md");
    format->SetAttribute("RemainingHops", UintegerValue(10));
    TelemetryStack stack = OpenStack(*format);
    HopSnapshot hop = PlainHop();
    hop.queueId = 0;
    hop.queueBytes = 1500;
    hop.utilizationPpm = 5000;
    for (uint32_t node : {1, 2})
    {
        hop.switchId = node;
        EXPECT_GE(format->Insert(stack, hop, AMPLE_ROOM), 0);
    }
    EXPECT_EQ(Hex(ToBytes(*format, stack)), expected);
    EXPECT_EQ(Hex(RecordsToBytes(*format, stack)), expected.substr(32));
    EXPECT_EQ(format->GetMarking().udpPort, 0x4568);
}

TEST(IntMdFormat, MarkedByDscpTheShimHasTheOriginalDscp)
{
    // As above, with NPT 0 and DSCP 26 in the upper 6 bits of the shim's last byte.
    const std::string expected = "100f006820000608d500000000000000"
                                 "00000002000100020000" // node 2, ports 1 and 2
                                 "05dc00000000075bcd1500001388"
                                 "00000001000100020000" // node 1
                                 "05dc00000000075bcd1500001388";
    Ptr<TelemetryFormat> format = CreateFormat("int-md:dscp");
    format->SetAttribute("RemainingHops", UintegerValue(10));
    TelemetryStack stack = OpenStack(*format);
    HopSnapshot hop = PlainHop();
    hop.queueId = 0;
    hop.queueBytes = 1500;
    hop.utilizationPpm = 5000;
    for (uint32_t node : {1, 2})
    {
        hop.switchId = node;
        EXPECT_GE(format->Insert(stack, hop, AMPLE_ROOM), 0);
    }
    EXPECT_EQ(Hex(ToBytes(*format, stack)), expected);
    EXPECT_EQ(format->GetMarking().dscp, 0x17);
    EXPECT_EQ(format->GetMarking().udpPort, 0);
    TelemetryStack read{};
    ASSERT_EQ(FromBytes(*format, ToBytes(*format, stack), read), expected.size() / 2);
    EXPECT_EQ(read.originalDscp, 26);
    // Neither reads what the other one has marked.
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

TEST(IntMdFormat, LengthAndCountAreThoseOfTheSpecificationsExample)
{
    // Its worked example is of two hops: Length 3 + 2 Hop ML, the count goes from 8 to 6. Its
    // bitmap (node id and queue, Hop ML 2) is none of ours; Hop ML is 6 here.
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
        {1, 8},     // no whole record
        {4, 0x10},  // version 1
        {4, 0x28},  // D
        {6, 7},     // another Hop ML
        {7, 13},    // more hops than there is room for
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

TEST(IntMdFormatDeathTest, MoreHopsThanAFrameHasRoomForAreRefused)
{
    EXPECT_DEATH(
        {
            Ptr<IntMdFormat> format = CreateObject<IntMdFormat>();
            format->SetAttribute("RemainingHops", UintegerValue(14));
        },
        "RemainingHops is 14, but a frame has room for 13");
}

TEST(ReflectionHeader, BytesFollowTheDocumentedLayout)
{
    HpccReflectionHeader header;
    header.flags = 0x5;
    header.formatId = 0x11;
    header.hops = 3;
    header.stackFlags = TELEMETRY_MTU_EXCEEDED;
    header.flows = 0x1234;
    header.sequence = 0xabcd;
    std::vector<uint8_t> bytes(HpccReflectionHeader::BYTES);
    header.Serialize(bytes.data());
    EXPECT_EQ(Hex(bytes), "151103021234abcd");
    HpccReflectionHeader read;
    ASSERT_EQ(read.Deserialize(bytes.data(), bytes.size()), 8u);
    EXPECT_EQ(read.flags, 0x5);
    EXPECT_EQ(read.formatId, 0x11);
    EXPECT_EQ(read.hops, 3);
    EXPECT_EQ(read.stackFlags, TELEMETRY_MTU_EXCEEDED);
    EXPECT_EQ(read.flows, 0x1234);
    EXPECT_EQ(read.sequence, 0xabcd);
}

TEST(ReflectionHeader, MalformedBytesAreRefused)
{
    const std::vector<uint8_t> good{0x10, 1, 5, 0, 0, 0, 0, 0};
    HpccReflectionHeader header;
    for (size_t size = 0; size < good.size(); ++size)
    {
        std::vector<uint8_t> bytes(good.begin(), good.begin() + size);
        EXPECT_EQ(header.Deserialize(bytes.data(), size), 0u);
    }
    for (auto [byte, value] : {std::pair<size_t, uint8_t>{0, 0x20}, {1, 0}, {2, 17}})
    {
        std::vector<uint8_t> bytes = good;
        bytes[byte] = value;
        EXPECT_EQ(header.Deserialize(bytes.data(), bytes.size()), 0u);
    }
    EXPECT_EQ(header.hops, 0);
    EXPECT_EQ(header.Deserialize(good.data(), good.size()), 8u);
}

TEST(Presets, EveryNameIsFoundAndSetsItsAttributes)
{
    TypeId base = TelemetryFormat::GetTypeId();
    std::vector<std::string> names = HpccPresets::Names(base);
    EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
    for (const char* name :
         {"sigcomm19", "sigcomm19:authors", "int-md", "int-md-no-ts", "ioam", "ioam-incremental"})
    {
        EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
        EXPECT_NE(HpccPresets::Choices(base).find(name), std::string::npos);
    }
    EXPECT_EQ(CreateFormat("int-md")->GetHopBytes(), 24u);
    EXPECT_EQ(CreateFormat("int-md-no-ts")->GetHopBytes(), 16u);
    EXPECT_NE(CreateFormat("sigcomm19")->GetMarking().udpPort,
              CreateFormat("sigcomm19:authors")->GetMarking().udpPort);
    ObjectFactory factory;
    EXPECT_FALSE(HpccPresets::Find(base, "sigcomm", factory));
    EXPECT_FALSE(HpccPresets::Find(base, "", factory));
}

TEST(Presets, ADerivedClassHasItsOwnNamesBesideItsParents)
{
    EXPECT_EQ(CreateFormat("test-derived")->GetInstanceTypeId(), DerivedFormat::GetTypeId());
    EXPECT_EQ(CreateFormat("int-md")->GetInstanceTypeId(), IntMdFormat::GetTypeId());
    EXPECT_EQ(CreateFormat("test-derived:slow")->GetHopBytes(), 28u);
    EXPECT_EQ(HpccPresets::Choices(DerivedFormat::GetTypeId()), "test-derived, test-derived:slow");
}

TEST(Presets, ReflectionIdsTellTheFormatsApart)
{
    std::vector<uint8_t> ids;
    for (const char* name :
         {"sigcomm19", "sigcomm19:authors", "int-md", "int-md-no-ts", "ioam", "ioam-incremental"})
    {
        ids.push_back(CreateFormat(name)->GetReflectionId());
    }
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
    EXPECT_GT(ids.front(), 0);
}
