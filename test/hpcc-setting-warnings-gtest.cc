/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests the warnings about policy settings that are allowed but have less effect than expected.

#include "ns3/hpcc-presets.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/rdma-fixed-rate.h"
#include "ns3/rdma-hpcc-plus-plus.h"
#include "ns3/rdma-setting-warnings.h"
#include "ns3/string.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr int64_t BASE_RTT_NS = 4187; ///< base RTT of the network

/**
 * @param name short name of a policy
 * @param attributes attributes and values
 * @param baseRttNs base RTT of the network, ns
 * @param flows number of flows with the policy
 * @return warnings about the policy
 */
std::vector<std::string>
WarningsOf(const std::string& name,
           const std::vector<std::pair<std::string, std::string>>& attributes = {},
           int64_t baseRttNs = BASE_RTT_NS,
           const RdmaSettingWarnings::Flows& flows = {100'000'000'000, 1000, true})
{
    ObjectFactory factory;
    EXPECT_TRUE(HpccPresets::Find(RdmaCongestionOps::GetTypeId(), name, factory));
    for (const auto& [attribute, value] : attributes)
    {
        factory.Set(attribute, StringValue(value));
    }
    auto policy = factory.Create<RdmaCongestionOps>();
    policy->SetNetworkBaseRtt(baseRttNs);
    return RdmaSettingWarnings::Find(*policy, baseRttNs, true, flows);
}

/// @param line expected warning
/// @return a list that contains only this warning
std::vector<std::string>
Only(const std::string& line)
{
    return {line};
}

} // namespace

TEST(RdmaSettingWarningsTest, NoPolicyWarnsWithItsDefaults)
{
    for (const std::string& name : HpccPresets::Names(RdmaCongestionOps::GetTypeId()))
    {
        EXPECT_EQ(WarningsOf(name), std::vector<std::string>()) << name;
    }
}

TEST(RdmaSettingWarningsTest, EachPolicyWarnsOfATBelowThatOfTheNetwork)
{
    size_t policies = 0;
    std::vector<std::string> names = HpccPresets::Names(RdmaCongestionOps::GetTypeId());
    names.emplace_back("timely+win");
    for (const std::string& name : names)
    {
        ObjectFactory factory;
        ASSERT_TRUE(HpccPresets::Find(RdmaCongestionOps::GetTypeId(), name, factory));
        TypeId::AttributeInformation info;
        if (!factory.GetTypeId().LookupAttributeByName("T", &info))
        {
            continue;
        }
        ++policies;
        EXPECT_EQ(WarningsOf(name, {{"T", "1us"}}, BASE_RTT_NS, {}),
                  Only(factory.GetTypeId().GetName() +
                       "::T = 1.000 us is below the largest base RTT of the network, 4.187 us: "
                       "flows on the longest paths cannot fill them"))
            << name;
        EXPECT_EQ(WarningsOf(name, {{"T", "4187ns"}}), std::vector<std::string>()) << name;
    }
    EXPECT_GT(policies, 20U);
}

TEST(RdmaSettingWarningsTest, HpccWarnsIfWaiWinsOverN)
{
    EXPECT_EQ(WarningsOf("hpcc", {{"N", "7"}}),
              Only("ns3::RdmaHpcc::N has no effect: Wai is 80 bytes"));
    EXPECT_EQ(WarningsOf("hpcc++", {{"N", "7"}, {"Wai", "62.5"}}),
              Only("ns3::RdmaHpccPlusPlus::N has no effect: Wai is 62.5 bytes"));
    EXPECT_EQ(WarningsOf("hpcc++", {{"N", "7"}}), std::vector<std::string>());
    EXPECT_EQ(WarningsOf("hpcc++", {{"Wai", "62.5"}}), std::vector<std::string>());
    EXPECT_EQ(WarningsOf("hpcc", {{"RateAi", "40Mbps"}}), std::vector<std::string>())
        << "Wai has its default";
    EXPECT_EQ(WarningsOf("hpcc", {{"RateAi", "40Mbps"}, {"Wai", "81"}}),
              Only("ns3::RdmaHpcc::Wai has no effect: RateAi is 40000000bps"));
    EXPECT_EQ(WarningsOf("hpcc", {{"RateAi", "40Mbps"}, {"N", "7"}}),
              Only("ns3::RdmaHpcc::N has no effect: RateAi is 40000000bps"));
}

TEST(RdmaSettingWarningsTest, HpccWarnsOfAnIncreaseThatIsTooSmallForEqualRates)
{
    const RdmaSettingWarnings::Flows slow{25'000'000'000, 1000, true};
    const std::string rest =
        " bytes, less than 2 % of a packet: flows that start together may keep "
        "unequal rates for a long time; Wai = 80 is usually enough";
    const auto warnings =
        [](const char* attribute, const char* value, const RdmaSettingWarnings::Flows& flows) {
            return WarningsOf("hpcc++", {{attribute, value}}, BASE_RTT_NS, flows);
        };
    // W_init is 25 Gb/s * 4187 ns = 13084 bytes.
    EXPECT_EQ(warnings("N", "100", slow),
              Only("ns3::RdmaHpccPlusPlus::N makes W_ai 6.54219" + rest));
    EXPECT_EQ(warnings("Wai", "19.5", slow), Only("ns3::RdmaHpccPlusPlus::Wai is 19.5" + rest));
    EXPECT_EQ(warnings("Wai", "20", slow), std::vector<std::string>());
    EXPECT_EQ(warnings("MaxStage", "0", slow), std::vector<std::string>());
    EXPECT_EQ(warnings("N", "32", slow), std::vector<std::string>());
    EXPECT_EQ(warnings("N", "100", {25'000'000'000, 1000, false}), std::vector<std::string>())
        << "one flow";
}

TEST(RdmaSettingWarningsTest, HpccWarnsOfSettingsOfPartsThatAreNotInUse)
{
    EXPECT_EQ(WarningsOf("hpcc++", {{"FeedbackSlack", "0.7"}}),
              Only("ns3::RdmaHpccPlusPlus::FeedbackSlack has no effect: CheckFeedback is false"));
    EXPECT_EQ(WarningsOf("hpcc", {{"FeedbackSlack", "0.7"}, {"CheckFeedback", "true"}}),
              std::vector<std::string>());

    const auto policy = CreateObject<RdmaHpccPlusPlus>();
    policy->SetAttribute("CountedShare", StringValue("0.7"));
    EXPECT_EQ(RdmaSettingWarnings::Find(*policy, BASE_RTT_NS, true, {}),
              std::vector<std::string>());
    EXPECT_EQ(RdmaSettingWarnings::Find(*policy, BASE_RTT_NS, false, {}),
              Only("ns3::RdmaHpccPlusPlus::CountedShare has no effect: the feedback does not count "
                   "flows"));
}

TEST(RdmaSettingWarningsTest, SwiftWarnsOfATargetThatIsNotAboveTheNetworksBaseRtt)
{
    EXPECT_EQ(WarningsOf("swift", {{"BaseTarget", "5us"}}, 5000),
              Only("ns3::RdmaSwift::BaseTarget = 5.000 us is not above the largest base RTT of the "
                   "network, 5.000 us: flows on the longest paths depend on HopScale to fill "
                   "them"));
    EXPECT_EQ(WarningsOf("swift", {{"BaseTarget", "5us"}}, 4999), std::vector<std::string>());
}

TEST(RdmaFixedRateTest, ThePoliciesThatNeverSetARateSaySo)
{
    std::vector<std::string> names = HpccPresets::Names(RdmaCongestionOps::GetTypeId());
    names.insert(names.end(), {"none+win", "timely+win"});
    std::vector<std::string> fixed;
    for (const std::string& name : names)
    {
        ObjectFactory factory;
        ASSERT_TRUE(HpccPresets::Find(RdmaCongestionOps::GetTypeId(), name, factory));
        const auto policy = factory.Create<RdmaCongestionOps>();
        const auto* rate = dynamic_cast<const RdmaFixedRate*>(PeekPointer(policy));
        if (rate && rate->KeepsLineRate())
        {
            fixed.push_back(name);
        }
    }
    EXPECT_EQ(fixed,
              (std::vector<std::string>{"none",
                                        "nscc",
                                        "nscc:drop",
                                        "nscc:htsim",
                                        "nscc:htsim-drop",
                                        "nscc:median",
                                        "none+win"}));
}
