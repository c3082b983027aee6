/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-telemetry.h"

#include "ns3/hpcc-frame-codec.h"
#include "ns3/hpcc-ifa-format.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint64_t SECOND = 1000000000;

/// Output of test/oracle/make_ifa_vectors.py: both headers, then two records.
const std::string EMPTY = "2f1104ffff000a00";
const std::string TWO_HOPS = "2f1104ffff000810"
                             "0abcde3efc600009fffe12343b9ac9ff00000007000000050000000700000000"
                             "0000073f40300005000200010000007b000001c8000003150000000300000000";
/// A whole frame with the records of TWO_HOPS.
const std::string FRAME =
    "0200000000020200000000010800456a00a4000140003efd26f00a0000010a0000022f1104ffc00112b700480000"
    "ff0008100abcde3efc600009fffe12343b9ac9ff000000070000000500000007000000000000073f403000050002"
    "00010000007b000001c8000003150000000300000000"
    "0a40ffff00000012800000671122334455667788deadbeef00000020"
    "00000000000000000000000000000000000000000000000000000000000000004ca5c625";

/// The packet that a Broadcom Jericho 2 received as a transit node, and the packet that it sent,
/// from the IP header on. They are from cint_ifa2.c of OpenBCM. TCP follows IFA. The records belong
/// to Broadcom's local name space 2, and differ from the records in figure 1.
const std::string BROADCOM_IN =
    "4500007f0000000080fdf8fec08001017fffff022f0600ff3a98000000000000000000000010001000000000ff00ff"
    "082000ffff40008000000000000000000000000000000000000000000000000000000000000111000000000222ffff"
    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20";
const std::string BROADCOM_OUT =
    "4500009f000000007ffdf9dec08001017fffff022f0600ff3a98000000000000000000000010001000000000ff00fe"
    "102000ffff4000800067800009ff4436639a00252e1b83000000c800cb000000002000ffff40008000000000000000"
    "000000000000000000000000000000000000000000000111000000000222ffff000102030405060708090a0b0c0d0e"
    "0f101112131415161718191a1b1c1d1e1f20";

/// Returns the first hop of the vectors.
HopSnapshot
Near()
{
    HopSnapshot hop = PlainHop();
    hop.timestampNs = 5 * SECOND + 123 + 456;
    hop.txBytes = 789;
    hop.queueBytes = 768;
    hop.hopLatencyNs = 456;
    return hop;
}

/// Returns the second hop of the vectors. The values of this hop cause carries and wraps, and there
/// is no code for its speed.
HopSnapshot
Far()
{
    HopSnapshot hop{};
    hop.timestampNs = ((1 << 20) + 9) * SECOND + 999999999 + 7;
    hop.txBytes = (1ULL << 32) + 5;
    hop.bandwidthBps = 800 * GBPS;
    hop.queueBytes = 6 * 256 + 1;
    hop.switchId = 0xabcde;
    hop.egressPort = 0xfffe;
    hop.ingressPort = 0x1234;
    hop.hopLatencyNs = 7;
    hop.queueId = 6;
    hop.ttl = 62;
    hop.ecn = 3;
    return hop;
}

class IfaFormatTest : public testing::Test
{
  protected:
    TelemetryStack OpenStack() const
    {
        return hpcctest::OpenStack(*m_format);
    }

    /// @return a stack with the two hops of the vectors
    TelemetryStack TwoHops() const
    {
        TelemetryStack stack = OpenStack();
        EXPECT_EQ(m_format->Insert(stack, Near(), AMPLE_ROOM), 32);
        EXPECT_EQ(m_format->Insert(stack, Far(), AMPLE_ROOM), 32);
        return stack;
    }

    HopTelemetry InsertAndRead(const HopSnapshot& hop) const
    {
        TelemetryStack stack = OpenStack();
        EXPECT_EQ(m_format->Insert(stack, hop, AMPLE_ROOM), 32);
        return m_format->Read(stack, 0);
    }

    Bytes ToBytes(const TelemetryStack& stack) const
    {
        return hpcctest::ToBytes(*m_format, stack);
    }

    size_t FromBytes(const Bytes& bytes, TelemetryStack& stack) const
    {
        return hpcctest::FromBytes(*m_format, bytes, stack);
    }

    void Set(const std::string& attribute, uint64_t value)
    {
        m_format->SetAttribute(attribute, UintegerValue(value));
    }

    Ptr<IfaFormat> m_format{CreateObject<IfaFormat>()}; ///< format under test
};

} // namespace

TEST_F(IfaFormatTest, BytesEqualThoseThatAPythonScriptMakes)
{
    EXPECT_EQ(ToHex(ToBytes(OpenStack())), EMPTY);
    EXPECT_EQ(ToHex(ToBytes(TwoHops())), TWO_HOPS);
    EXPECT_EQ(ToHex(RecordsToBytes(*m_format, TwoHops())), TWO_HOPS.substr(16));
}

TEST_F(IfaFormatTest, ReadsWhatAPythonScriptMade)
{
    TelemetryStack stack{};
    ASSERT_EQ(FromBytes(FromHex(TWO_HOPS), stack), 72u);
    EXPECT_EQ(stack.hops, 2);
    EXPECT_EQ(stack.remainingHops, 8);
    EXPECT_EQ(stack.originalProtocol, 17);
    HopTelemetry near = m_format->Read(stack, 0);
    EXPECT_EQ(near.fields, m_format->GetCapabilities().fields);
    EXPECT_EQ(near.switchId, 7u);
    EXPECT_EQ(near.portId, 2u);
    EXPECT_EQ(near.timestampNs, 5 * SECOND + 579);
    EXPECT_EQ(near.txBytes, 789u);
    EXPECT_EQ(near.bandwidthBps, 100 * GBPS);
    EXPECT_EQ(near.queueBytes, 768u);
    EXPECT_EQ(near.hopLatencyNs, 456u);
    HopTelemetry far = m_format->Read(stack, 1);
    EXPECT_EQ(far.fields, m_format->GetCapabilities().fields & ~TELEMETRY_BANDWIDTH);
    EXPECT_EQ(far.switchId, 0xabcdeu);
    EXPECT_EQ(far.portId, 0xfffeu);
    EXPECT_EQ(far.timestampNs, 10 * SECOND + 6);
    EXPECT_EQ(far.txBytes, 5u);
    EXPECT_EQ(far.queueBytes, 7 * 256u);
    EXPECT_EQ(far.hopLatencyNs, 7u);
}

TEST_F(IfaFormatTest, TheFrameIsTheOneThatAPythonScriptMakes)
{
    FrameCodec codec;
    codec.AddFormat(PeekPointer(m_format));
    FramePool pool;
    Frame* frame = pool.Allocate();
    const Bytes bytes = FromHex(FRAME);
    std::string why;
    ASSERT_TRUE(codec.Decode(bytes.data(), bytes.size(), *frame, why)) << why;
    EXPECT_EQ(frame->format, PeekPointer(m_format));
    EXPECT_EQ(ToHex(ToBytes(frame->telemetry)), TWO_HOPS);
    EXPECT_EQ(frame->protocol, 17);
    EXPECT_EQ(frame->payloadBytes, 32);
    EXPECT_EQ(frame->ttl, 62);
    EXPECT_EQ(frame->tos, 26 << 2 | 2);
    EXPECT_EQ(ToHex(FrameCodec::Encode(*frame, SOURCE, DESTINATION)), FRAME);
    FramePool::Free(frame);
}

TEST_F(IfaFormatTest, HeadersOfABroadcomTransitNodeAreReadAndWritten)
{
    constexpr size_t ip = 20;
    constexpr size_t tcp = 20;
    constexpr size_t lead = 4;
    Set("Lns", 2);
    Set("HopLimit", 255);
    auto telemetry = [](const std::string& packet) {
        return FromHex(packet.substr(2 * ip, 2 * lead) + packet.substr(2 * (ip + lead + tcp)));
    };
    EXPECT_EQ(FromHex(BROADCOM_IN)[9], m_format->GetMarking().protocol);
    uint8_t hops = 0;
    for (const auto& packet : {BROADCOM_IN, BROADCOM_OUT})
    {
        ++hops;
        Bytes bytes = telemetry(packet);
        TelemetryStack stack{};
        size_t used = FromBytes(bytes, stack);
        ASSERT_EQ(used, 8 + 32u * hops);
        EXPECT_EQ(stack.hops, hops);
        EXPECT_EQ(stack.remainingHops, 256 - hops);
        EXPECT_EQ(stack.originalProtocol, 6);
        bytes.resize(used);
        bytes[2] = 0x04; // Broadcom's example has an inband flag of 0
        EXPECT_EQ(ToHex(ToBytes(stack)), ToHex(bytes));
    }
    // The record that the packet contained on arrival must remain the first record.
    TelemetryStack before{};
    TelemetryStack after{};
    FromBytes(telemetry(BROADCOM_IN), before);
    FromBytes(telemetry(BROADCOM_OUT), after);
    EXPECT_TRUE(std::equal(before.words.begin(), before.words.begin() + 8, after.words.begin()));
}

TEST_F(IfaFormatTest, RandomHopsSurviveTheWireButForWhatItRounds)
{
    const uint32_t seed = ChooseSeed();
    SCOPED_TRACE("HPCC_TEST_SEED=" + std::to_string(seed));
    std::mt19937_64 random(seed);
    constexpr uint64_t table[] = {10, 25, 40, 50, 100, 200, 400};
    for (int i = 0; i < 5000; ++i)
    {
        std::vector<HopSnapshot> hops(random() % 11);
        const uint32_t cell = 1 + random() % 65536;
        Set("CellBytes", cell);
        Set("Lns", random() % 16);
        TelemetryStack stack = OpenStack();
        for (HopSnapshot& hop : hops)
        {
            hop.timestampNs = random() >> random() % 64;
            hop.txBytes = random();
            hop.bandwidthBps = table[random() % 7] * GBPS;
            hop.queueBytes = random() >> random() % 64;
            hop.switchId = random() % (1 << 20);
            hop.egressPort = random() % (1 << 16);
            hop.ingressPort = random() % (1 << 16);
            hop.hopLatencyNs = static_cast<uint32_t>(random());
            hop.queueId = random() % 8;
            hop.ttl = static_cast<uint8_t>(random());
            hop.ecn = random() % 4;
            ASSERT_EQ(m_format->Insert(stack, hop, AMPLE_ROOM), 32);
        }
        TelemetryStack read{};
        ASSERT_EQ(FromBytes(ToBytes(stack), read), 8 + 32 * hops.size());
        for (uint32_t at = 0; at < hops.size(); ++at)
        {
            const HopSnapshot& hop = hops[at];
            HopTelemetry found = m_format->Read(read, at);
            EXPECT_EQ(found.timestampNs, hop.timestampNs % ((1 << 20) * SECOND));
            EXPECT_EQ(found.txBytes, hop.txBytes % (1ULL << 32));
            EXPECT_EQ(found.bandwidthBps, hop.bandwidthBps);
            EXPECT_EQ(found.switchId, hop.switchId);
            EXPECT_EQ(found.portId, hop.egressPort);
            EXPECT_EQ(found.hopLatencyNs, hop.hopLatencyNs);
            EXPECT_EQ(found.queueBytes % cell, 0u);
            if (found.queueBytes < 65535ULL * cell)
            {
                EXPECT_GE(found.queueBytes, hop.queueBytes);
                EXPECT_LT(found.queueBytes, hop.queueBytes + cell);
            }
            else
            {
                EXPECT_GT(hop.queueBytes, 65534ULL * cell);
            }
        }
    }
}

TEST_F(IfaFormatTest, QueueLengthIsRoundedUpAndSaturates)
{
    struct
    {
        uint64_t bytes;
        uint64_t read;
    } const cases[] = {{0, 0},
                       {1, 256},
                       {256, 256},
                       {257, 512},
                       {65535 * 256, 65535 * 256},
                       {65535 * 256 + 1, 65535 * 256},
                       {std::numeric_limits<uint64_t>::max(), 65535 * 256}};

    HopSnapshot hop = Near();
    for (const auto& c : cases)
    {
        hop.queueBytes = c.bytes;
        HopTelemetry read = InsertAndRead(hop);
        EXPECT_EQ(read.queueBytes, c.read);
        EXPECT_TRUE(read.fields & TELEMETRY_QUEUE);
    }
    Set("CellBytes", 80);
    hop.queueBytes = 81;
    EXPECT_EQ(InsertAndRead(hop).queueBytes, 160u);
}

TEST_F(IfaFormatTest, SpeedsOutsideTheTableAreLeftToTheInventory)
{
    HopSnapshot hop = Near();
    for (uint64_t gbps : {10, 25, 40, 50, 100, 200, 400})
    {
        hop.bandwidthBps = gbps * GBPS;
        EXPECT_EQ(InsertAndRead(hop).bandwidthBps, gbps * GBPS);
    }
    for (uint64_t bps : {uint64_t{0}, GBPS, 800 * GBPS, 100 * GBPS + 1})
    {
        hop.bandwidthBps = bps;
        HopTelemetry read = InsertAndRead(hop);
        EXPECT_FALSE(read.fields & TELEMETRY_BANDWIDTH);
        EXPECT_EQ(read.bandwidthBps, 0u);
    }
    TelemetryStack stack = TwoHops();
    for (uint32_t code = 7; code < 16; ++code)
    {
        stack.words[1] = code << 28;
        EXPECT_FALSE(m_format->Read(stack, 0).fields & TELEMETRY_BANDWIDTH);
    }
}

TEST_F(IfaFormatTest, TimeAndBytesWrapAtTheDeclaredModulus)
{
    const TelemetryCapabilities& wire = m_format->GetCapabilities();
    EXPECT_EQ(wire.timestampModulus, 1048576 * SECOND);
    EXPECT_EQ(wire.txBytesModulus, 4294967296u);
    HopSnapshot before = Near();
    before.timestampNs = 3 * wire.timestampModulus - 100;
    before.txBytes = 9 * wire.txBytesModulus - 1280;
    HopSnapshot after = before;
    after.timestampNs += 300; // received before the wrap of the timestamp, sent after it
    after.txBytes += 2560;
    HopTelemetry older = InsertAndRead(before);
    HopTelemetry newer = InsertAndRead(after);
    EXPECT_LT(newer.timestampNs, older.timestampNs);
    EXPECT_LT(newer.txBytes, older.txBytes);
    EXPECT_EQ(ModularDifference(newer.timestampNs, older.timestampNs, wire.timestampModulus), 300u);
    EXPECT_EQ(ModularDifference(newer.txBytes, older.txBytes, wire.txBytesModulus), 2560u);
}

TEST_F(IfaFormatTest, AClockBehindItsSojournTimeStillGivesTheEgressTime)
{
    HopSnapshot hop = Near();
    hop.timestampNs = 100; // a coarse clock that has just started
    hop.hopLatencyNs = 5000;
    EXPECT_EQ(InsertAndRead(hop).timestampNs, 100u);
}

TEST_F(IfaFormatTest, AReceiveTimeOfASecondOrMoreOfNsGivesNoTimestamp)
{
    TelemetryStack stack = TwoHops();
    stack.words[3] = 999999999;
    EXPECT_TRUE(m_format->Read(stack, 0).fields & TELEMETRY_TIMESTAMP);
    stack.words[3] = 1000000000;
    EXPECT_FALSE(m_format->Read(stack, 0).fields & TELEMETRY_TIMESTAMP);
}

TEST_F(IfaFormatTest, ARecordOfAnotherNameSpaceHasNoFields)
{
    TelemetryStack stack = TwoHops();
    stack.words[8] |= 1U << 28;
    EXPECT_EQ(m_format->Read(stack, 0).fields, m_format->GetCapabilities().fields);
    EXPECT_EQ(m_format->Read(stack, 1).fields, 0);
    EXPECT_EQ(m_format->Read(stack, 1).portId, 1u);
}

TEST_F(IfaFormatTest, AHopWhoseIdsDoNotFitInsertsNothing)
{
    TelemetryStack stack = OpenStack();
    HopSnapshot fits = Near();
    fits.switchId = 0xfffff;
    fits.egressPort = fits.ingressPort = 0xffff;
    EXPECT_EQ(m_format->Insert(stack, fits, AMPLE_ROOM), 32);
    EXPECT_EQ(m_format->Read(stack, 0).switchId, 0xfffffu);
    EXPECT_EQ(m_format->Read(stack, 0).portId, 0xffffu);
    for (uint32_t HopSnapshot::*id :
         {&HopSnapshot::switchId, &HopSnapshot::egressPort, &HopSnapshot::ingressPort})
    {
        HopSnapshot hop = fits;
        ++(hop.*id);
        const uint8_t skipped = stack.skippedHops;
        EXPECT_EQ(m_format->Insert(stack, hop, AMPLE_ROOM), TelemetryFormat::NOT_INSERTED);
        EXPECT_EQ(stack.skippedHops, skipped + 1);
    }
    EXPECT_EQ(stack.hops, 1);
    EXPECT_EQ(stack.remainingHops, 9);
    EXPECT_EQ(stack.flags, 0);
}

TEST_F(IfaFormatTest, HopLimitMaxLengthMtuAndTheFramesRoomEachStopInsertion)
{
    struct
    {
        uint8_t hopLimit;
        uint8_t maxLength;
        int inserted;
    } const cases[] = {{0, 255, 0}, {3, 255, 3}, {255, 8, 1}, {255, 31, 3}, {255, 255, 10}};

    for (const auto& c : cases)
    {
        Set("HopLimit", c.hopLimit);
        Set("MaxLength", c.maxLength);
        TelemetryStack stack = OpenStack();
        int inserted = 0;
        while (inserted < 20 && m_format->Insert(stack, Near(), AMPLE_ROOM) == 32)
        {
            ++inserted;
        }
        EXPECT_EQ(inserted, c.inserted);
        EXPECT_EQ(stack.remainingHops, c.hopLimit - inserted);
        EXPECT_EQ(stack.skippedHops, 1);
        Bytes bytes = ToBytes(stack);
        EXPECT_EQ(bytes[3], c.maxLength);
        EXPECT_EQ(bytes[6], c.hopLimit - inserted);
        EXPECT_EQ(bytes[7], 8 * inserted);
    }
    TelemetryStack stack = OpenStack();
    EXPECT_EQ(m_format->Insert(stack, Near(), 31), TelemetryFormat::NOT_INSERTED);
    EXPECT_EQ(stack.hops, 0);
    EXPECT_EQ(m_format->Insert(stack, Near(), 32), 32);
}

TEST_F(IfaFormatTest, ForeignHeadersAreRefused)
{
    const Bytes good = FromHex(TWO_HOPS);

    struct
    {
        size_t byte;
        uint8_t value;
        size_t used;
    } const changes[] = {
        {0, 0x3f, 0},  // version 3
        {0, 0x2e, 0},  // another global name space
        {2, 0x05, 0},  // a checksum header follows
        {2, 0x14, 0},  // a fragment header follows
        {2, 0xee, 72}, // other flags are ignored
        {3, 0xfe, 0},  // another Max Length
        {7, 15, 0},    // not a whole record
        {7, 24, 0},    // longer than the packet
        {7, 88, 0},    // more records than a frame can contain
        {4, 0, 72},    // request and action vectors are ignored
        {5, 0x80, 72},
    };

    for (const auto& change : changes)
    {
        Bytes bytes = good;
        bytes[change.byte] = change.value;
        TelemetryStack read{};
        EXPECT_EQ(FromBytes(bytes, read), change.used)
            << "byte " << change.byte << ", " << +change.value;
    }
    Bytes longer = good;
    longer[7] = 88;
    longer.resize(1000);
    TelemetryStack read{};
    EXPECT_EQ(FromBytes(longer, read), 0u);
}

TEST_F(IfaFormatTest, NetworksThatItCannotDescribeAreRefused)
{
    const TelemetryNetwork fits{0xfffff, 0xffff, 5, 800 * GBPS, 5000};
    EXPECT_EQ(m_format->Validate(fits), "");
    TelemetryNetwork network = fits;
    network.largestSwitchId = 0x100000;
    EXPECT_EQ(m_format->Validate(network),
              "switch id 1048576 does not fit its 20 bits, up to 1048575");
    network = fits;
    network.largestPortId = 0x10000;
    EXPECT_EQ(m_format->Validate(network), "port id 65536 does not fit its 16 bits, up to 65535");
    network = fits;
    network.fastestBps = 400 * GBPS;
    network.baseRttNs = 85899345;
    EXPECT_EQ(m_format->Validate(network), "");
    ++network.baseRttNs;
    EXPECT_EQ(m_format->Validate(network),
              "its sent-bytes field of 32 bits wraps in 85.8993 ms at 400 Gb/s; T must be below "
              "this time, but is 85.8993 ms");
    for (const uint8_t own : {1, 4, 6, 17, 41, 43, 44, 50, 51, 58, 60})
    {
        Set("Protocol", own);
        EXPECT_EQ(m_format->Validate(fits).find("Protocol is " + std::to_string(own) +
                                                ", the number of "),
                  0U)
            << m_format->Validate(fits);
    }
    for (const uint8_t free : {61, 131, 253, 254})
    {
        Set("Protocol", free);
        EXPECT_EQ(m_format->Validate(fits), "");
    }
}
