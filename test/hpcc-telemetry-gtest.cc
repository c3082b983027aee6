/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-telemetry.h"

#include "ns3/hpcc-frame-codec.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-int-md-format.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-reflection-header.h"
#include "ns3/hpcc-reflection-ids.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <iostream>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// A user-defined format that derives from a format of the module and has its own short name.
class DerivedFormat : public IntMdFormat
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = HpccTypeId::Of<DerivedFormat, IntMdFormat>("ns3::HpccTestDerivedFormat")
                                .Presets("test-derived;test-derived:slow=HopLatency:true");
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

    /// @return a telemetry stack that a packet may carry after a random path
    TelemetryStack RandomStack()
    {
        TelemetryStack stack = OpenStack(*m_format);
        for (uint32_t hops = m_random() % 20; hops > 0; --hops)
        {
            m_format->Insert(stack, RandomHop(m_random), m_random() % 8 ? AMPLE_ROOM : 3);
        }
        return stack;
    }

    uint32_t m_seed;               ///< seed of m_random, printed with every failure
    std::mt19937_64 m_random;      ///< source of random choices
    Ptr<TelemetryFormat> m_format; ///< format under test
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
    const bool says = GetParam() != std::string("ifa"); // ifa has no flag for hops without a record
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
    EXPECT_EQ(ToHex(bytes), "151103021234abcd");
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

TEST(Borders, ALoadIsReadAsItWasWrittenInEveryFormatThatHasRoomForIt)
{
    for (const char* name : {"int-md",
                             "int-md-no-ts",
                             "int-md:latency",
                             "ifa",
                             "ioam",
                             "ioam:latency",
                             "ioam-incremental",
                             "sigcomm19"})
    {
        SCOPED_TRACE(name);
        Ptr<TelemetryFormat> format = CreateFormat(name);
        ASSERT_TRUE(format->CarriesLoad());
        EXPECT_TRUE(format->CrossesBorder());
        const uint16_t ids = format->GetCapabilities().fields & TELEMETRY_SWITCH_ID;
        for (const double load : {0.0, 0.5, 1.234567, 4000.0})
        {
            TelemetryStack stack = OpenStack(*format);
            format->Insert(stack, PlainHop(), AMPLE_ROOM);
            format->Insert(stack, PlainHop(), AMPLE_ROOM);
            format->Truncate(stack, 1);
            format->AppendLoad(stack, load, 0xfedcba98);
            TelemetryStack read;
            const Bytes bytes = ToBytes(*format, stack);
            ASSERT_EQ(FromBytes(*format, bytes, read), bytes.size());
            ASSERT_EQ(+read.hops, 2);
            EXPECT_EQ(format->Read(read, 0).fields & TELEMETRY_LOAD, 0);
            EXPECT_EQ(format->Read(read, 1).fields, ids | TELEMETRY_LOAD) << "and no more";
            EXPECT_NEAR(format->Read(read, 1).load, load, 1e-6);
        }
    }
    for (const char* name : {"sigcomm19:authors", "rcp", "xcp"})
    {
        EXPECT_FALSE(CreateFormat(name)->CrossesBorder()) << name;
    }
    EXPECT_TRUE(CreateFormat("pint")->CrossesBorder()) << "it carries nothing but a load";
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

/// Base class of two parts that have the same short name.
class DisputedPart : public Object
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::hpcctest::DisputedPart").SetParent<Object>();
        return tid;
    }
};

/// A part that registers its own short name, and also the short name of another part.
template <int NUMBER>
class Claimant : public DisputedPart
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = HpccTypeId::Of<Claimant, DisputedPart>("ns3::hpcctest::Claimant" +
                                                                   std::to_string(NUMBER))
                                .Presets("own-" + std::to_string(NUMBER) + ";disputed");
        return tid;
    }
};

TEST(Presets, TwoPartsWithOneNameEndTheProgramWithBothNames)
{
    Claimant<1>::GetTypeId();
    const TypeId base = DisputedPart::GetTypeId();
    ObjectFactory factory;
    EXPECT_TRUE(HpccPresets::Find(base, "disputed", factory));
    Claimant<2>::GetTypeId();
    for (const char* name : {"disputed", "own-1", "unknown"})
    {
        try
        {
            HpccPresets::Find(base, name, factory);
            FAIL() << name << " is found";
        }
        catch (const HpccInputError& error)
        {
            EXPECT_STREQ(error.what(),
                         "short name \"disputed\" is claimed by ns3::hpcctest::Claimant1 and "
                         "ns3::hpcctest::Claimant2; a name belongs to one class");
        }
    }
    EXPECT_THROW(HpccPresets::Names(base), HpccInputError);
    EXPECT_THROW(HpccPresets::Choices(base), HpccInputError);
}

/// A format that registers the reflection id of a format of the module.
class ImpostorFormat : public IntMdFormat
{
  public:
    /// Registers this class with TelemetryFormat as its parent instead of IntMdFormat.
    static TypeId GetTypeId()
    {
        static TypeId tid =
            HpccTypeId::Of<ImpostorFormat, TelemetryFormat>("ns3::hpcctest::ImpostorFormat");
        return tid;
    }
};

TEST(ReflectionIdsTest, ThoseOfThisProgramAreDisjoint)
{
    const TypeId base = TelemetryFormat::GetTypeId();
    for (const std::string& name : HpccPresets::Names(base))
    {
        EXPECT_NO_THROW(ReflectionIds::Check(*CreateFormat(name))) << name;
    }
}

/// Prints the HpccInputError that @p body throws, and ends the process. The exit code is 0 if it
/// throws none.
void
ExitAfter(const std::function<void()>& body)
{
    try
    {
        body();
    }
    catch (const HpccInputError& error)
    {
        std::cerr << error.what() << std::endl;
        std::_Exit(2);
    }
    std::_Exit(0);
}

TEST(ReflectionIdsTest, TwoFormatsWithOneIdEndTheProgramWithBothNames)
{
    // The test registers a class in a separate process, because a class stays registered.
    constexpr const char* line = "reflection id [0-9]+ is claimed by ns3::IntMdFormat and "
                                 "ns3::hpcctest::ImpostorFormat; an id belongs to one class of "
                                 "telemetry formats";
    const auto exits = testing::ExitedWithCode(2);
    EXPECT_EXIT(ExitAfter([] {
                    ImpostorFormat::GetTypeId();
                    ReflectionIds::Check(*CreateFormat("int-md"));
                }),
                exits,
                line);
    EXPECT_EXIT(ExitAfter([] {
                    FrameCodec codec;
                    auto original = CreateFormat("int-md");
                    auto impostor = CreateObject<ImpostorFormat>();
                    codec.AddFormat(PeekPointer(original));
                    codec.AddFormat(PeekPointer(impostor));
                }),
                exits,
                line);
}

TEST(ReflectionIdsTest, APortOfRoceOrOfAnotherFormatIsRefused)
{
    const auto refusal = [](uint16_t port) -> std::string {
        const auto format = CreateFormat("int-md");
        format->SetAttribute("UdpPort", UintegerValue(port));
        try
        {
            ReflectionIds::Check(*format);
        }
        catch (const HpccInputError& error)
        {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(
        refusal(4791),
        "ns3::IntMdFormat marks packets by UDP port 4791, which is RoCEv2's own; allowed is a "
        "port of no other format");
    for (const uint16_t port : {61465, 61466})
    {
        EXPECT_EQ(refusal(port),
                  "UDP port " + std::to_string(port) +
                      " marks packets of ns3::IntMdFormat and ns3::Sigcomm19Format; a port belongs "
                      "to one class of telemetry formats");
    }
    EXPECT_EQ(refusal(1000), "");
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
