/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/hpcc-law-attributes.h"
#include "ns3/hpcc-udp-application.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/rdma-hpcc-plus-plus.h"
#include "ns3/string.h"
#include "ns3/tcp-hpcc-plus-plus.h"
#include "ns3/tcp-socket-state.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

// Tests that the attributes of the control law and their defaults are the same for RDMA, TCP and
// UDP.

namespace
{

const std::vector<std::string> CLASSES{"ns3::RdmaHpccPlusPlus",
                                       "ns3::TcpHpccPlusPlus",
                                       "ns3::HpccUdpApplication"};

/// Returns an object of a class that has the attributes of the control law.
Ptr<Object>
Make(const std::string& name)
{
    ObjectFactory factory;
    factory.SetTypeId(name);
    return factory.Create<Object>();
}

HpccParameters
ParametersOf(const Ptr<Object>& object)
{
    return dynamic_cast<const HpccLawAttributes&>(*object).GetLawParameters();
}

} // namespace

TEST(LawAttributesTest, RdmaTcpAndUdpHaveTheSameWithTheSameDefaults)
{
    const TypeId rdma = TypeId::LookupByName(CLASSES[0]);
    uint32_t compared = 0;
    for (std::size_t i = 0; i < rdma.GetAttributeN(); ++i)
    {
        const TypeId::AttributeInformation own = rdma.GetAttribute(i);
        if (own.name == "RestartAtLineRate" || own.name == "WindowTime" || own.name == "RateAi" ||
            own.name.rfind("Presets.", 0) == 0)
        {
            continue; // only RDMA has these attributes: for messages of queue pairs, for window and
                      // increase of the HPCC authors' simulator, and for short names
        }
        for (const std::string& name : CLASSES)
        {
            TypeId::AttributeInformation other;
            ASSERT_TRUE(TypeId::LookupByName(name).LookupAttributeByName(own.name, &other))
                << name << " has no " << own.name;
            EXPECT_EQ(other.initialValue->SerializeToString(other.checker),
                      own.initialValue->SerializeToString(own.checker))
                << own.name;
            ++compared;
        }
    }
    EXPECT_GE(compared, 3 * 20U);
}

TEST(LawAttributesTest, TheirDefaultsAreThoseOfTheParameters)
{
    const HpccParameters expected;
    for (const std::string& name : CLASSES)
    {
        const HpccParameters parameters = ParametersOf(Make(name));
        EXPECT_EQ(parameters.baseRttNs, expected.baseRttNs) << name;
        EXPECT_EQ(parameters.eta, expected.eta) << name;
        EXPECT_EQ(parameters.maxStage, expected.maxStage) << name;
        EXPECT_EQ(parameters.waiBytes, expected.waiBytes) << name;
        EXPECT_EQ(parameters.expectedFlows, expected.expectedFlows) << name;
        EXPECT_EQ(parameters.queueFilter, HpccParameters::QUEUE_DEFAULT) << name;
        EXPECT_EQ(parameters.firstSample, HpccParameters::FIRST_DEFAULT) << name;
        EXPECT_EQ(parameters.missingHop, HpccParameters::MISSING_SKIPS) << name;
        EXPECT_EQ(parameters.quietLoad, expected.quietLoad) << name;
    }
}

TEST(LawAttributesTest, EachOneReachesTheLaw)
{
    for (const std::string& name : CLASSES)
    {
        auto object = Make(name);
        const std::vector<std::pair<const char*, const char*>> values{{"T", "7us"},
                                                                      {"Eta", "0.9"},
                                                                      {"MaxStage", "2"},
                                                                      {"Wai", "33"},
                                                                      {"N", "44"},
                                                                      {"CountedShare", "0.5"},
                                                                      {"InitialU", "0.25"},
                                                                      {"MinRate", "3Gbps"},
                                                                      {"InitialWindow", "0.75"},
                                                                      {"QueueSignal", "Sojourn"},
                                                                      {"QueueFilter", "Current"},
                                                                      {"RateTerm", "Rx"},
                                                                      {"FirstSample", "Estimate"},
                                                                      {"MissingHop", "Changes"},
                                                                      {"QuietLoad", "0.5"},
                                                                      {"IdleGapResets", "false"},
                                                                      {"Reaction", "PerRtt"},
                                                                      {"PerHop", "true"},
                                                                      {"SkipEmptyHops", "true"}};
        for (const auto& [attribute, value] : values)
        {
            object->SetAttribute(attribute, StringValue(value));
        }
        const HpccParameters parameters = ParametersOf(object);
        EXPECT_EQ(parameters.baseRttNs, 7000) << name;
        EXPECT_EQ(parameters.eta, 0.9) << name;
        EXPECT_EQ(parameters.maxStage, 2U) << name;
        EXPECT_EQ(parameters.waiBytes, 33) << name;
        EXPECT_EQ(parameters.expectedFlows, 44U) << name;
        EXPECT_EQ(parameters.countedShare, 0.5) << name;
        EXPECT_EQ(parameters.initialU, 0.25) << name;
        EXPECT_EQ(parameters.minRateBps, 3e9) << name;
        EXPECT_EQ(parameters.initialWindow, 0.75) << name;
        EXPECT_EQ(parameters.queueSignal, HpccParameters::SIGNAL_SOJOURN) << name;
        EXPECT_EQ(parameters.queueFilter, HpccParameters::QUEUE_CURRENT) << name;
        EXPECT_EQ(parameters.rateTerm, HpccParameters::RATE_RX) << name;
        EXPECT_EQ(parameters.firstSample, HpccParameters::FIRST_ESTIMATE) << name;
        EXPECT_EQ(parameters.missingHop, HpccParameters::MISSING_CHANGES) << name;
        EXPECT_EQ(parameters.quietLoad, 0.5) << name;
        EXPECT_FALSE(parameters.idleGapResets) << name;
        EXPECT_EQ(parameters.reaction, HpccParameters::REACT_PER_RTT) << name;
        EXPECT_TRUE(parameters.perHop) << name;
        EXPECT_TRUE(parameters.skipEmptyHops) << name;
    }
}

TEST(LawAttributesTest, TheFeedbackOfATcpConnectionIsSparseSoItsFirstRecordCounts)
{
    auto state = CreateObject<TcpSocketState>();
    state->m_segmentSize = 1000;
    auto control = CreateObject<TcpHpccPlusPlus>();
    control->Init(state);
    control->Open({100e9, 5000, 0, 0, 1000});
    HopTelemetry hop{};
    const TelemetryCapabilities format{TELEMETRY_SWITCH_ID | TELEMETRY_TIMESTAMP |
                                           TELEMETRY_TX_BYTES | TELEMETRY_QUEUE |
                                           TELEMETRY_BANDWIDTH,
                                       0,
                                       0,
                                       false};
    hop.fields = format.fields;
    hop.bandwidthBps = 100'000'000'000;
    hop.queueBytes = 62500; // one bandwidth-delay product
    control->OnTelemetry({10000, 1000, 2000, 0, &hop, 1, 0, 0, &format}, {});
    // Line 13 is applied with u' = 1 + 1.
    EXPECT_DOUBLE_EQ(control->GetWindowBytes(), 62500 / (2 / 0.95) + 31.25);
}

TEST(LawAttributesTest, RateAiGivesWaiForEveryBaseRtt)
{
    const auto object = Make("ns3::RdmaHpcc");
    auto& policy = dynamic_cast<RdmaCongestionOps&>(*object);
    EXPECT_DOUBLE_EQ(ParametersOf(object).waiBytes, 80);
    object->SetAttribute("RateAi", StringValue("40Mbps"));
    for (const auto& [networkNs, bytes] : {std::pair(4160, 20.8), std::pair(8320, 41.6)})
    {
        policy.SetNetworkBaseRtt(networkNs);
        EXPECT_DOUBLE_EQ(ParametersOf(object).waiBytes, bytes) << networkNs;
    }
    object->SetAttribute("T", StringValue("10us"));
    EXPECT_DOUBLE_EQ(ParametersOf(object).waiBytes, 50);
    object->SetAttribute("WindowTime", StringValue("5us"));
    EXPECT_DOUBLE_EQ(ParametersOf(object).waiBytes, 25);
    EXPECT_DOUBLE_EQ(ParametersOf(object).baseRttNs, 10000);
    EXPECT_DOUBLE_EQ(ParametersOf(object).windowNs, 5000);

    // If Wai is not set and Eta is 1, W_ai is 0. RateAi sets W_ai.
    const auto& law = dynamic_cast<const HpccLawAttributes&>(*object);
    const TelemetryCapabilities counters{TELEMETRY_TIMESTAMP | TELEMETRY_TX_BYTES |
                                             TELEMETRY_QUEUE | TELEMETRY_BANDWIDTH,
                                         0,
                                         0,
                                         false};
    object->SetAttribute("Eta", StringValue("1"));
    object->SetAttribute("Wai", StringValue("0"));
    EXPECT_EQ(law.ValidateLaw("name", counters), "");
    object->SetAttribute("RateAi", StringValue("0bps"));
    EXPECT_NE(law.ValidateLaw("name", counters), "");
}
