/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/hpcc-dscp-priority-map.h"
#include "ns3/hpcc-ecn-marker.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/string.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3;

namespace
{

TEST(EcnMarker, ASpeedWithAnEntryHasItsThresholdsOthersScaleTheFirst)
{
    auto marker = CreateObject<EcnMarker>();
    marker->SetAttribute("Thresholds", StringValue("25Gbps:100000:400000:0.2,100Gbps:5:6:0.7"));
    auto exact = marker->ForRate(100000000000);
    EXPECT_EQ(exact.kminBytes, 5);
    EXPECT_EQ(exact.kmaxBytes, 6);
    EXPECT_EQ(exact.pmax, 0.7);
    for (double factor : {0.4, 1.0, 2.0, 16.0, 32.0})
    {
        auto scaled = marker->ForRate(static_cast<uint64_t>(25e9 * factor));
        EXPECT_DOUBLE_EQ(scaled.kminBytes, 100000 * factor);
        EXPECT_DOUBLE_EQ(scaled.kmaxBytes, 400000 * factor);
        EXPECT_EQ(scaled.pmax, 0.2);
    }
}

TEST(EcnMarkerTest, MalformedThresholdsAreRefused)
{
    for (const char* text : {"",
                             "25Gbps",
                             "25Gbps:1:2",
                             "25Gbps:3:2:0.5",
                             "25Gbps:1:2:1.5",
                             "25Gbps:-1:2:0.5",
                             "25Gbps:1:2:0.5x",
                             "25Gbps:1;2:0.5",
                             "25Xbps:1:2:0.5",
                             "0bps:1:2:0.5",
                             "25Gbps:1:2:nan",
                             ":1:2:0.5",
                             "25Gbps:1:2:0.5,oops"})
    {
        auto marker = CreateObject<EcnMarker>();
        try
        {
            marker->SetAttribute("Thresholds", StringValue(text));
            ADD_FAILURE() << text;
        }
        catch (const HpccInputError& error)
        {
            EXPECT_NE(std::string(error.what()).find("RATE:KMIN:KMAX:PMAX"), std::string::npos)
                << error.what();
        }
    }
}

TEST(DscpPriorityMap, ReadsPairsAndGivesTheRestPriorityZero)
{
    DscpPriorityMap map;
    std::string why;
    ASSERT_TRUE(map.Parse("26:3,48:6,63:7,0:1", why)) << why;
    for (unsigned dscp = 0; dscp < 64; ++dscp)
    {
        unsigned expected = dscp == 26 ? 3 : dscp == 48 ? 6 : dscp == 63 ? 7 : dscp == 0 ? 1 : 0;
        EXPECT_EQ(map.GetPriorities()[dscp], expected) << dscp;
    }
    EXPECT_EQ(map.ToString(), "0:1,26:3,48:6,63:7");
    ASSERT_TRUE(map.Parse("", why));
    EXPECT_EQ(map.ToString(), "");
    ASSERT_TRUE(map.Parse(DscpPriorityMap::DEFAULT, why));
    EXPECT_EQ(map.GetPriorities()[26], 3);
    EXPECT_EQ(map.GetPriorities()[24], 3);
    EXPECT_EQ(map.GetPriorities()[48], 6);
}

TEST(DscpPriorityMap, RefusesWhatIsMalformedAndKeepsTheOldMap)
{
    DscpPriorityMap map;
    std::string why;
    ASSERT_TRUE(map.Parse("26:3", why));
    for (const char* text : {"64:1",
                             "26:8",
                             "26",
                             "26:",
                             ":3",
                             "26:3:1",
                             "26-3",
                             "-4294967270:3", // 26 modulo 2^32
                             "26:3,26:4",
                             "-1:3",
                             "26:-1",
                             "x",
                             "26:3,,24:3",
                             ","})
    {
        why.clear();
        EXPECT_FALSE(map.Parse(text, why)) << text;
        EXPECT_NE(why, "") << text;
        EXPECT_EQ(map.ToString(), "26:3");
    }
}

} // namespace
