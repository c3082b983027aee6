/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-telemetry.h"

#include "ns3/enum.h"
#include "ns3/hpcc-csig-format.h"
#include "ns3/hpcc-presets.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

using Settings = std::vector<std::pair<std::string, std::string>>;

/// Output of test/oracle/make_csig_vectors.py. The tests of CSIG in FBOSS also contain the first
/// two tags.
const std::map<std::string, std::string> TAGS{
    {"FBOSS ABW/C 0x17 at 5", "99002b85"},
    {"FBOSS ABW/C 0x10 at 0x42", "99002842"},
    {"sender, ABW/C", "99002fff"},
    {"sender, nQD", "9900607f"},
    {"PD 9 at 3", "99004483"},
    {"UEC, nQD 12 at 33, trimmed", "99006643"},
    {"UEC, sender, ABW", "99000ffe"},
    {"expanded, nQD 0xabcde at 0x1234", "990112343abcde00"},
    {"expanded, sender, ABW/C", "9901ffff1fffff00"},
    {"expanded UEC, PD 7 at 0x2345, trimmed", "9901468b20000700"},
};

Ptr<TelemetryFormat>
Make(const std::string& preset, const Settings& settings = {})
{
    ObjectFactory factory;
    EXPECT_TRUE(HpccPresets::Find(TelemetryFormat::GetTypeId(), preset, factory)) << preset;
    for (const auto& [name, value] : settings)
    {
        factory.Set(name, StringValue(value));
    }
    return factory.Create<TelemetryFormat>();
}

std::string
HexOf(const TelemetryFormat& format, const TelemetryStack& stack)
{
    return ToHex(ToBytes(format, stack));
}

TelemetryStack
Open(const TelemetryFormat& format, uint16_t request)
{
    TelemetryStack stack{};
    format.Open(stack, {4791, 17, 26, request});
    return stack;
}

/// @return a stack from the bytes of one of TAGS
TelemetryStack
Parse(const TelemetryFormat& format, const std::string& name)
{
    Bytes bytes = FromHex(TAGS.at(name));
    TelemetryStack stack{};
    EXPECT_EQ(format.Deserialize(bytes.data(), bytes.size(), stack), bytes.size()) << name;
    EXPECT_EQ(HexOf(format, stack), TAGS.at(name));
    return stack;
}

/// Returns a hop at a port of 100 Gb/s.
HopSnapshot
Hop(uint64_t queueBytes, uint32_t utilizationPpm, uint32_t port = 1)
{
    HopSnapshot hop{};
    hop.bandwidthBps = 100 * GBPS;
    hop.queueBytes = queueBytes;
    hop.utilizationPpm = utilizationPpm;
    hop.egressPort = port;
    hop.ttl = 63;
    return hop;
}

/// Returns the record that is read from a packet after it has passed one hop.
HopTelemetry
Through(const TelemetryFormat& format, uint16_t request, const HopSnapshot& hop)
{
    TelemetryStack stack = Open(format, request);
    EXPECT_EQ(format.Insert(stack, hop, 0), 0);
    return format.Read(stack, 0);
}

/// A network whose properties are within the limits of the default settings.
const TelemetryNetwork NETWORK{20, 16, 5, 400 * GBPS, 10000};

/// Returns a network with a leaf and a spine. At leaf 3, port 0 leads to a host at 33 Gb/s, and
/// port 1 leads to spine 4 at 80 Gb/s. At spine 4, port 0 leads to the leaf, and port 1 leads to
/// another spine at 25 Gb/s.
TelemetryNetwork
TwoStages()
{
    TelemetryNetwork network = NETWORK;
    network.ports = {{3, 0, 33 * GBPS, 1, PortDirection::DOWN},
                     {3, 1, 80 * GBPS, 1, PortDirection::UP},
                     {4, 0, 80 * GBPS, 2, PortDirection::DOWN},
                     {4, 1, 25 * GBPS, 2, PortDirection::LEVEL}};
    return network;
}

} // namespace

TEST(CsigFormat, ASenderOpensTheBestValueOfTheSignalThatItAsksFor)
{
    auto csig = Make("csig");
    EXPECT_EQ(HexOf(*csig, Open(*csig, TELEMETRY_UTILIZATION)), TAGS.at("sender, ABW/C"));
    EXPECT_EQ(HexOf(*csig, Open(*csig, TELEMETRY_QUEUE_DELAY)), TAGS.at("sender, nQD"));
    EXPECT_EQ(HexOf(*csig, Open(*csig, 0)), TAGS.at("sender, nQD"));
    EXPECT_EQ(Open(*csig, 0).request, TELEMETRY_QUEUE_DELAY);
    auto wide = Make("csig-wide");
    EXPECT_EQ(HexOf(*wide, Open(*wide, TELEMETRY_UTILIZATION)), TAGS.at("expanded, sender, ABW/C"));
    auto uec = Make("csig", {{"BitLayout", "Uec"}, {"UtilizationSignal", "AvailableBandwidth"}});
    EXPECT_EQ(HexOf(*uec, Open(*uec, TELEMETRY_UTILIZATION)), TAGS.at("UEC, sender, ABW"));
    auto delay = Make("csig", {{"QueueSignal", "HopDelay"}});
    EXPECT_EQ(HexOf(*delay, Open(*delay, TELEMETRY_QUEUE_DELAY)), "9900407f");
    for (const auto& format : {csig, wide})
    {
        EXPECT_TRUE(format->GetCapabilities().pathExtreme);
        EXPECT_EQ(format->GetHopBytes(), 0u);
    }
    EXPECT_EQ(csig->GetBaseBytes(), 4u);
    EXPECT_EQ(wide->GetBaseBytes(), 8u);
}

TEST(CsigFormat, TagsOfOthersAreReadAndWrittenByteForByte)
{
    auto csig = Make("csig");
    // Bucket 0x17 of 32 equal steps: 23/32 to 24/32 of the line rate are free.
    HopTelemetry hop = csig->Read(Parse(*csig, "FBOSS ABW/C 0x17 at 5"), 0);
    EXPECT_EQ(hop.fields, TELEMETRY_UTILIZATION);
    EXPECT_DOUBLE_EQ(hop.utilization, 1 - 23.5 / 32);
    EXPECT_EQ(hop.portId, 5u);
    hop = csig->Read(Parse(*csig, "FBOSS ABW/C 0x10 at 0x42"), 0);
    EXPECT_DOUBLE_EQ(hop.utilization, 1 - 16.5 / 32);
    EXPECT_EQ(hop.portId, 0x42u);
    hop = csig->Read(Parse(*csig, "PD 9 at 3"), 0);
    EXPECT_EQ(hop.fields, TELEMETRY_QUEUE_DELAY);
    EXPECT_NEAR(hop.queueDelayNs, 80 * (std::pow(1.35, 7) + std::pow(1.35, 8)) / 2, 1e-9);

    auto wide = Make("csig-wide");
    hop = wide->Read(Parse(*wide, "expanded, nQD 0xabcde at 0x1234"), 0);
    EXPECT_EQ(hop.fields, TELEMETRY_QUEUE_DELAY);
    EXPECT_DOUBLE_EQ(hop.queueDelayNs, (0xabcde - 0.5) * 128);
    EXPECT_EQ(hop.portId, 0x1234u);
    hop = wide->Read(Parse(*wide, "expanded, sender, ABW/C"), 0);
    EXPECT_EQ(hop.utilization, 0) << "numbers beyond the line rate are an idle link";

    auto uec = Make("csig", {{"BitLayout", "Uec"}});
    hop = uec->Read(Parse(*uec, "UEC, nQD 12 at 33, trimmed"), 0);
    EXPECT_EQ(hop.portId, 33u);
    EXPECT_NEAR(hop.queueDelayNs, 80 * (std::pow(1.35, 10) + std::pow(1.35, 11)) / 2, 1e-9);
    auto wideUec = Make("csig-wide", {{"BitLayout", "Uec"}});
    hop = wideUec->Read(Parse(*wideUec, "expanded UEC, PD 7 at 0x2345, trimmed"), 0);
    EXPECT_EQ(hop.portId, 0x2345u);
    EXPECT_EQ(hop.queueDelayNs, 6.5 * 128);
}

TEST(CsigFormat, OnlyAWorseHopReplacesSignalAndLocatorTogether)
{
    for (const char* preset : {"csig", "csig-wide"})
    {
        auto format = Make(preset, {{"Locator", "Port"}});
        TelemetryStack stack = Open(*format, TELEMETRY_QUEUE_DELAY);
        auto pass = [&](const HopSnapshot& hop) {
            EXPECT_EQ(format->Insert(stack, hop, 0), 0);
            return format->Read(stack, 0);
        };
        EXPECT_EQ(pass(Hop(0, 0, 1)).portId, preset == std::string("csig") ? 127u : 65535u);
        HopTelemetry second = pass(Hop(20000, 0, 2));
        EXPECT_EQ(second.portId, 2u);
        EXPECT_NEAR(second.queueDelayNs, 1600, 270);
        EXPECT_EQ(pass(Hop(20001, 0, 3)).portId, 2u) << "the same bucket is not worse";
        EXPECT_EQ(pass(Hop(10000, 0, 4)).queueDelayNs, second.queueDelayNs);
        EXPECT_EQ(pass(Hop(200000, 0, 5)).portId, 5u);
        EXPECT_EQ(stack.hops, 1);
        EXPECT_EQ(stack.request, TELEMETRY_QUEUE_DELAY);

        stack = Open(*format, TELEMETRY_UTILIZATION);
        EXPECT_EQ(pass(Hop(0, 500000, 6)).portId, 6u);
        EXPECT_EQ(pass(Hop(0, 400000, 7)).portId, 6u);
        HopTelemetry worst = pass(Hop(0, 900000, 8));
        EXPECT_EQ(worst.portId, 8u);
        EXPECT_EQ(worst.fields, TELEMETRY_UTILIZATION);
        EXPECT_NEAR(worst.utilization, 0.9, 1.0 / 64);
    }
}

TEST(CsigFormat, ReadingGivesTheMiddleOfTheBucketAndAnEmptyQueueIsABucketOfItsOwn)
{
    auto csig = Make("csig");
    auto delay = [](const Ptr<TelemetryFormat>& format, uint64_t bytes) {
        return Through(*format, TELEMETRY_QUEUE_DELAY, Hop(bytes, 0)).queueDelayNs;
    };
    EXPECT_EQ(delay(csig, 0), 0);
    EXPECT_EQ(delay(csig, 1), 40) << "above 0 and up to 80 ns";
    EXPECT_EQ(delay(csig, 1000), 40) << "edges are inclusive";
    EXPECT_EQ(delay(csig, 1001), 94) << "80 to 108 ns";
    EXPECT_EQ(delay(csig, UINT64_MAX / 2), delay(csig, 100000000)) << "the last bucket is open";
    auto share = [](const Ptr<TelemetryFormat>& format, uint32_t ppm) {
        return Through(*format, TELEMETRY_UTILIZATION, Hop(0, ppm)).utilization;
    };
    EXPECT_DOUBLE_EQ(share(csig, 1000000), 1 - 0.5 / 32);
    EXPECT_DOUBLE_EQ(share(csig, 968750), 1 - 0.5 / 32);
    EXPECT_DOUBLE_EQ(share(csig, 968749), 1 - 1.5 / 32);
    EXPECT_DOUBLE_EQ(share(csig, 0), 0.5 / 32);

    auto wide = Make("csig-wide");
    EXPECT_EQ(delay(wide, 0), 0);
    EXPECT_EQ(delay(wide, 1), 64);
    EXPECT_EQ(delay(wide, 1600), 64);
    EXPECT_EQ(delay(wide, 1601), 192);
    EXPECT_EQ(delay(wide, UINT64_MAX / 2), (0xfffff - 0.5) * 128);
    EXPECT_NEAR(share(wide, 123456), 0.123456, 1e-6);
    auto shifted = Make("csig-wide", {{"DelayBase", "1024"}, {"DelayStep", "256"}});
    EXPECT_EQ(delay(shifted, 0), 512) << "up to the base is one step";
    EXPECT_EQ(delay(shifted, 12801), 1152);
}

TEST(CsigFormat, BucketsAreConfigurable)
{
    auto csig = Make("csig", {{"DelayBuckets", "0,100,1000 20000"}, {"ShareBuckets", "5 10 100"}});
    EXPECT_EQ(csig->Validate(NETWORK), "");
    EXPECT_EQ(Through(*csig, TELEMETRY_QUEUE_DELAY, Hop(1250, 0)).queueDelayNs, 50);
    EXPECT_EQ(Through(*csig, TELEMETRY_QUEUE_DELAY, Hop(125000, 0)).queueDelayNs, 10500);
    EXPECT_DOUBLE_EQ(Through(*csig, TELEMETRY_UTILIZATION, Hop(0, 920000)).utilization, 0.925);
    EXPECT_DOUBLE_EQ(Through(*csig, TELEMETRY_UTILIZATION, Hop(0, 0)).utilization, 0.45)
        << "the sender's best value is the last bucket";
}

TEST(CsigFormat, AvailableBandwidthBecomesUtilisationByTheCapacityInTheLocator)
{
    for (const char* preset : {"csig", "csig-wide"})
    {
        auto format = Make(preset, {{"UtilizationSignal", "AvailableBandwidth"}});
        EXPECT_EQ(format->Validate(NETWORK), "");
        TelemetryStack stack = Open(*format, TELEMETRY_UTILIZATION);
        EXPECT_EQ(format->Read(stack, 0).utilization, 0) << "nobody found less than the best";
        HopSnapshot fast = Hop(0, 900000);
        fast.bandwidthBps = 400 * GBPS;
        format->Insert(stack, fast, 0);
        HopTelemetry hop = format->Read(stack, 0);
        EXPECT_EQ(hop.fields, TELEMETRY_UTILIZATION);
        EXPECT_EQ(hop.portId, 7u);
        EXPECT_NEAR(hop.utilization, 0.9, 0.02);
        format->Insert(stack, Hop(0, 800000), 0);
        hop = format->Read(stack, 0);
        EXPECT_EQ(hop.portId, 5u) << "20 Gb/s free of 100 are less than 40 of 400";
        EXPECT_NEAR(hop.utilization, 0.8, 0.04);
        HopSnapshot odd = Hop(0, 1000000);
        odd.bandwidthBps = 33 * GBPS;
        format->Insert(stack, odd, 0);
        EXPECT_EQ(format->Read(stack, 0).fields, 0) << "of a rate that no code stands for";
    }
}

TEST(CsigFormat, TheLocatorIsCapacityPortOrPosition)
{
    auto locator = [](const Settings& settings, const HopSnapshot& hop) {
        return Through(*Make("csig", settings), TELEMETRY_QUEUE_DELAY, hop).portId;
    };
    HopSnapshot hop = Hop(100000, 0, 9);
    EXPECT_EQ(locator({}, hop), 5u);
    EXPECT_EQ(locator({{"Locator", "Port"}}, hop), 9u);
    EXPECT_EQ(locator({{"Locator", "Position"}}, hop), 1u);
    EXPECT_EQ(locator({{"Locator", "Position"}, {"InitialTtl", "70"}}, hop), 7u);
    EXPECT_EQ(locator({{"Locator", "Stage"}}, hop), 127u) << "it knows nothing of the network";
    hop.egressPort = 300;
    EXPECT_EQ(locator({{"Locator", "Port"}}, hop), 127u) << "not truncated";
    EXPECT_EQ(locator({{"Locator", "Port"}, {"BitLayout", "Uec"}}, hop), 63u);
    hop.ttl = 64;
    EXPECT_EQ(locator({{"Locator", "Position"}}, hop), 127u);
    hop.bandwidthBps = 33 * GBPS;
    EXPECT_EQ(locator({}, hop), 127u);
}

TEST(CsigFormat, StageAndDirectionTellTheLineRateThatAvailableBandwidthIsAShareOf)
{
    for (const char* preset : {"csig", "csig-wide"})
    {
        auto format =
            Make(preset, {{"UtilizationSignal", "AvailableBandwidth"}, {"Locator", "Stage"}});
        const TelemetryNetwork network = TwoStages();
        ASSERT_EQ(format->Validate(network), "");
        format->Learn(network);
        const std::vector<uint32_t> locators{0, 1, 4, 6};
        for (size_t i = 0; i < network.ports.size(); ++i)
        {
            HopSnapshot hop = Hop(0, 750000, network.ports[i].portId);
            hop.switchId = network.ports[i].switchId;
            hop.bandwidthBps = network.ports[i].rateBps;
            const HopTelemetry read = Through(*format, TELEMETRY_UTILIZATION, hop);
            EXPECT_EQ(read.portId, locators[i]) << "4 (stage - 1), and 0 down, 1 up, 2 level";
            EXPECT_EQ(read.fields, TELEMETRY_UTILIZATION);
            EXPECT_NEAR(read.utilization, 0.75, 0.04) << "a step of 33 % of a quarter";
        }
        HopSnapshot stranger = Hop(0, 750000, 5);
        EXPECT_EQ(Through(*format, TELEMETRY_UTILIZATION, stranger).fields, 0);
    }
}

TEST(CsigFormat, ABorderLeavesTheSignalAndForgetsWhoseItIs)
{
    for (const char* preset : {"csig", "csig-wide"})
    {
        for (const uint16_t request : {TELEMETRY_QUEUE_DELAY, TELEMETRY_UTILIZATION})
        {
            auto format = Make(preset, {{"Locator", "Port"}});
            EXPECT_TRUE(format->CrossesBorder());
            TelemetryStack stack = Open(*format, request);
            format->Insert(stack, Hop(100000, 900000, 9), 0);
            const HopTelemetry inside = format->Read(stack, 0);
            format->ForgetOrigin(stack);
            const HopTelemetry outside = format->Read(stack, 0);
            EXPECT_EQ(inside.portId, 9u);
            EXPECT_EQ(outside.portId, format->Read(Open(*format, request), 0).portId);
            EXPECT_EQ(outside.fields, inside.fields);
            EXPECT_EQ(outside.queueDelayNs, inside.queueDelayNs);
            EXPECT_EQ(outside.utilization, inside.utilization);
        }
        EXPECT_FALSE(Make(preset, {{"UtilizationSignal", "AvailableBandwidth"}})->CrossesBorder())
            << "bandwidth is no ratio";
    }
}

TEST(CsigFormat, UnknownTypesAndTrimmedPacketsAreLeftAloneAndCounted)
{
    auto csig = Make("csig");
    Bytes bytes = FromHex("9900bfff");
    TelemetryStack stack{};
    ASSERT_EQ(csig->Deserialize(bytes.data(), bytes.size(), stack), 4u);
    EXPECT_EQ(csig->Insert(stack, Hop(100000, 1000000), 0), TelemetryFormat::NOT_INSERTED);
    EXPECT_EQ(stack.skippedHops, 1);
    EXPECT_EQ(csig->Read(stack, 0).fields, 0);
    EXPECT_EQ(HexOf(*csig, stack), "9900bfff");
    auto uec = Make("csig", {{"BitLayout", "Uec"}});
    stack = Parse(*uec, "UEC, nQD 12 at 33, trimmed");
    EXPECT_EQ(uec->Insert(stack, Hop(10000000, 0), 0), TelemetryFormat::NOT_INSERTED);
    EXPECT_EQ(HexOf(*uec, stack), TAGS.at("UEC, nQD 12 at 33, trimmed"));
}

TEST(CsigFormat, ForeignAndCutOffBytesAreRefused)
{
    auto csig = Make("csig");
    TelemetryStack stack{};
    for (const char* hex : {"99012b85", "08002b85", "99002b", "99", ""})
    {
        Bytes bytes = FromHex(hex);
        EXPECT_EQ(csig->Deserialize(bytes.data(), bytes.size(), stack), 0u) << hex;
    }
    const Bytes record = FromHex("2b85");
    EXPECT_EQ(csig->DeserializeRecords(record.data(), 1, 1, stack), 0u);
    EXPECT_EQ(csig->DeserializeRecords(record.data(), 2, 0, stack), 0u);
    EXPECT_EQ(csig->DeserializeRecords(record.data(), 2, 2, stack), 0u);
    EXPECT_EQ(csig->DeserializeRecords(record.data(), 2, 1, stack), 2u);
}

TEST(CsigFormat, ATagSurvivesTheWayThereAndBack)
{
    const uint32_t seed = ChooseSeed();
    SCOPED_TRACE("HPCC_TEST_SEED=" + std::to_string(seed));
    std::mt19937_64 random(seed);
    for (const char* preset : {"csig", "csig-wide"})
    {
        for (const char* layout : {"Ietf", "Uec"})
        {
            auto format = Make(preset, {{"BitLayout", layout}, {"Locator", "Port"}});
            for (int i = 0; i < 5000; ++i)
            {
                TelemetryStack stack =
                    Open(*format, random() % 2 ? TELEMETRY_UTILIZATION : TELEMETRY_QUEUE_DELAY);
                double worstDelay = 0;
                double worstShare = 0;
                for (uint64_t hops = random() % 6; hops > 0; --hops)
                {
                    HopSnapshot hop = Hop(random() % 3000000, random() % 1000001, random() % 90);
                    format->Insert(stack, hop, 0);
                    worstDelay = std::max(worstDelay, static_cast<double>(hop.queueBytes) * 0.08);
                    worstShare = std::max(worstShare, hop.utilizationPpm / 1e6);
                }
                Bytes bytes(format->GetWireBytes(stack));
                format->Serialize(stack, bytes.data());
                TelemetryStack received{};
                ASSERT_EQ(format->Deserialize(bytes.data(), bytes.size(), received), bytes.size());
                Bytes records(format->GetReflectedBytes(received));
                format->SerializeRecords(received, records.data());
                TelemetryStack back{};
                ASSERT_EQ(format->DeserializeRecords(records.data(), records.size(), 1, back),
                          records.size());
                HopTelemetry sent = format->Read(stack, 0);
                HopTelemetry read = format->Read(back, 0);
                EXPECT_EQ(read.fields, stack.request);
                EXPECT_EQ(read.fields, sent.fields);
                EXPECT_EQ(read.portId, sent.portId);
                EXPECT_EQ(read.queueDelayNs, sent.queueDelayNs);
                EXPECT_EQ(read.utilization, sent.utilization);
                EXPECT_EQ(back.request, stack.request);
                if (read.fields == TELEMETRY_QUEUE_DELAY)
                {
                    EXPECT_NEAR(read.queueDelayNs, worstDelay, std::max(64.0, 0.176 * worstDelay));
                }
                else
                {
                    EXPECT_NEAR(read.utilization, worstShare, 1.0 / 64 + 1e-9);
                }
            }
        }
    }
}

/// Settings that are refused for a network, and the reason in the error message.
struct Refusal
{
    const char* preset;
    Settings settings;
    TelemetryNetwork network;
    const char* why;
};

TEST(CsigFormat, WhatANetworkCannotHaveIsRefusedInOneLine)
{
    TelemetryNetwork ports = NETWORK;
    ports.largestPortId = 127;
    TelemetryNetwork longPaths = NETWORK;
    longPaths.switchHops = 64;
    TelemetryNetwork tall = TwoStages();
    tall.ports[2].stage = 33;
    TelemetryNetwork mixed = TwoStages();
    mixed.ports.push_back({3, 2, 100 * GBPS, 1, PortDirection::UP});
    TelemetryNetwork odd = NETWORK;
    odd.ports = {{3, 0, 100 * GBPS, 1, PortDirection::UP}, {3, 1, 33 * GBPS, 1, PortDirection::UP}};
    TelemetryNetwork slow = NETWORK;
    slow.baseRttNs = 100000000;
    TelemetryNetwork fast = NETWORK;
    fast.fastestBps = 3200 * GBPS;
    const std::vector<Refusal> refusals{
        {"csig", {{"Locator", "Port"}}, ports, "Locator Port has room for port 126"},
        {"csig", {{"Locator", "Position"}}, longPaths, "Locator Position has room for 63 switches"},
        {"csig", {{"Locator", "Stage"}}, tall, "Locator Stage has room for stage 31, switch 4"},
        {"csig",
         {{"Locator", "Stage"}, {"UtilizationSignal", "AvailableBandwidth"}},
         mixed,
         "among them port 1 of switch 3 with 80 Gb/s, have different line rates"},
        {"csig",
         {{"Locator", "Port"}, {"UtilizationSignal", "AvailableBandwidth"}},
         NETWORK,
         "UtilizationSignal AvailableBandwidth needs Locator Capacity or Stage"},
        {"csig",
         {{"UtilizationSignal", "AvailableBandwidth"}},
         odd,
         "no locator code exists for the line rate of port 1 of switch 3, 33000000000 bit/s"},
        {"csig", {{"EtherType", "2048"}}, NETWORK, "EtherType 2048 is used by IPv4"},
        {"csig", {{"EtherType", "2054"}}, NETWORK, "EtherType 2054 is used by ARP"},
        {"csig", {{"EtherType", "33024"}}, NETWORK, "EtherType 33024 is used by VLAN tags"},
        {"csig-wide", {{"EtherType", "34525"}}, NETWORK, "EtherType 34525 is used by IPv6"},
        {"csig-wide", {{"EtherType", "34824"}}, NETWORK, "EtherType 34824 is used by MAC control"},
        {"csig-wide",
         {{"EtherType", "34984"}},
         NETWORK,
         "EtherType 34984 is used by VLAN service tags"},
        {"csig", {{"DelayBuckets", "0 5 5"}}, NETWORK, "DelayBuckets is \"0 5 5\", allowed are 2"},
        {"csig", {{"ShareBuckets", "5 x"}}, NETWORK, "ShareBuckets is \"5 x\", allowed are 2 to"},
        {"csig", {{"DelayBuckets", "-1 5"}}, NETWORK, "allowed are 2 to 32 increasing numbers, ns"},
        {"csig", {{"ShareBuckets", "50 90"}}, NETWORK, "ShareBuckets ends at 90 percent, below"},
        {"csig", {}, slow, "DelayBuckets ends at"},
        {"csig", {{"UtilizationSignal", "AvailableBandwidth"}}, fast, "BandwidthBuckets ends at"},
        {"csig-wide", {{"DelayStep", "100"}}, NETWORK, "DelayBase is 0 and DelayStep 100"},
        {"csig-wide", {{"ShareBase", "3"}}, NETWORK, "ShareBase is 3 and ShareStep 1"},
        {"csig-wide",
         {{"UtilizationSignal", "AvailableBandwidth"}, {"BandwidthStep", "1"}},
         fast,
         "BandwidthStep is 1, so that the steps end"},
    };
    for (const auto& [preset, settings, network, why] : refusals)
    {
        std::string line = Make(preset, settings)->Validate(network);
        EXPECT_NE(line.find(why), std::string::npos) << "\"" << line << "\" for " << why;
        EXPECT_EQ(line.find('\n'), std::string::npos);
    }
    for (const char* preset : {"csig", "csig-wide"})
    {
        for (const char* layout : {"Ietf", "Uec"})
        {
            for (const char* locator : {"Capacity", "Port", "Stage", "Position"})
            {
                auto format = Make(preset, {{"BitLayout", layout}, {"Locator", locator}});
                EXPECT_EQ(format->Validate(NETWORK), "");
            }
        }
    }
}

TEST(CsigFormat, StepsOfASignalThatIsNotSentNeedNotCoverTheNetwork)
{
    TelemetryNetwork fast = NETWORK;
    fast.fastestBps = 3200 * GBPS;
    EXPECT_EQ(Make("csig")->Validate(fast), "");
    EXPECT_EQ(Make("csig-wide", {{"BandwidthStep", "1"}})->Validate(fast), "");
    const Settings bandwidth{{"UtilizationSignal", "AvailableBandwidth"}};
    Settings shortShare = bandwidth;
    shortShare.emplace_back("ShareBuckets", "5 10");
    EXPECT_EQ(Make("csig", shortShare)->Validate(NETWORK), "");
}

TEST(CsigFormat, PositionsNeedTheTtlWithWhichHostsSend)
{
    for (const char* preset : {"csig", "csig-wide"})
    {
        const auto position = Make(preset, {{"Locator", "Position"}});
        EXPECT_EQ(position->CheckTtl(64), "");
        EXPECT_EQ(position->CheckTtl(40),
                  "with ns3::CsigFormat::Locator Position, switches count their position from "
                  "InitialTtl, 64, but packets leave with TTL 40; allowed is the same value, or "
                  "another Locator");
        const auto other = Make(preset, {{"Locator", "Position"}, {"InitialTtl", "40"}});
        EXPECT_EQ(other->CheckTtl(40), "");
        EXPECT_EQ(Make(preset, {{"Locator", "Port"}})->CheckTtl(40), "");
    }
}
