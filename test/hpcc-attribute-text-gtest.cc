/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests attributes whose value is an object that is described by a text.

#include "hpcc-test-refusal.h"

#include "ns3/config.h"
#include "ns3/data-rate.h"
#include "ns3/enum.h"
#include "ns3/hpcc-attribute-text.h"
#include "ns3/hpcc-composite-scheduler.h"
#include "ns3/hpcc-rate-entry.h"
#include "ns3/pointer.h"
#include "ns3/qbb-net-device.h"
#include "ns3/qbb-switch.h"
#include "ns3/rdma-host.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace hpcctest;

TEST(HpccAttributeText, AnObjectThatNs3CannotReadIsRefusedInOneLine)
{
    const auto port = CreateObject<QbbNetDevice>();
    const auto device = CreateObject<QbbSwitch>();
    const auto host = CreateObject<RdmaHost>();
    const std::vector<std::tuple<Ptr<Object>, std::string, std::vector<std::string>>> rows{
        {port,
         "Scheduler",
         {"ns3::PriorityScheduler[Sharing=abc]",
          "ns3::PriorityScheduler[Sharing=-1]",
          "ns3::PriorityScheduler[Weights=abc]",
          "ns3::CompositeScheduler[HeadersPerData=abc]",
          "ns3::CompositeScheduler[HeadersPerData=-1]",
          "ns3::CompositeScheduler[HeadersPerData=0]",
          "ns3::CompositeScheduler[HeadersPerData=99999999999999999999]",
          "ns3::CompositeScheduler[HeaderPriorities=256]",
          "ns3::FifoScheduler[",
          "ns3::FifoScheduler[Low=1]",
          "ns3::AbmBuffer",
          "ns3::EgressScheduler",
          "wrr[Weights=abc]",
          "dwrr",
          "0",
          ""}},
        {device,
         "Buffer",
         {"ns3::AbmBuffer[Alpha=-1]",
          "ns3::AbmBuffer[Alpha=abc]",
          "ns3::AbmBuffer[Interval=1e30s]",
          "ns3::SharedBuffer[BufferBytes=-1]",
          "ns3::SharedBuffer[BufferBytes=99999999999999999999]",
          "ns3::SharedBuffer[SetAsidePerPort=2]",
          "ns3::StaticBuffer[QueueBytes=1e300]",
          "ns3::PriorityScheduler",
          "abm"}},
        {device,
         "EcnMarker",
         {"ns3::EcnMarker[Enabled=abc]",
          "ns3::CodelMarker[Target=abc]",
          "ns3::CodelMarker[Interval=-5us]",
          "ns3::SojournMarker[Threshold=-1ns]",
          "ns3::SharedBuffer"}},
        {host, "Nic", {"ns3::RdmaNic[Sharing=abc]", "pcie", "ns3::RdmaHost"}},
    };
    for (const auto& [object, attribute, texts] : rows)
    {
        const std::string name = object->GetInstanceTypeId().GetName() + "::" + attribute;
        for (const std::string& text : texts)
        {
            const std::string expected =
                name + ": \"" + text +
                "\" is not allowed; the name of a class, with attributes such as [A=1|B=2], none "
                "with attributes of its own";
            EXPECT_EQ(RefusalOf([&, object = object, attribute = attribute] {
                          object->SetAttribute(attribute, StringValue(text));
                      }),
                      expected);
            EXPECT_EQ(RefusalOf([&] { Config::SetDefault(name, StringValue(text)); }), expected);
        }
    }
}

TEST(HpccAttributeText, AnObjectThatNs3CanReadHasItsAttributes)
{
    const auto port = CreateObject<QbbNetDevice>();
    port->SetAttribute("Scheduler", StringValue("ns3::CompositeScheduler[HeadersPerData=7]"));
    PointerValue scheduler;
    port->GetAttribute("Scheduler", scheduler);
    ASSERT_TRUE(scheduler.Get<CompositeScheduler>());
    UintegerValue headers;
    scheduler.GetObject()->GetAttribute("HeadersPerData", headers);
    EXPECT_EQ(headers.Get(), 7U);
}

TEST(HpccAttributeText, AnUnknownNameOfAnEnumerationIsNotReadByNs3)
{
    const auto checker = MakeEnumChecker(1, "One", 2, "Two");
    EXPECT_EQ(RefusalOf([&checker] { ReadAttribute("--number", checker, "Three"); }),
              "--number: \"Three\" is not allowed; one of One, Two");
    EXPECT_EQ(RefusalOf([&checker] { ReadAttribute("--number", checker, "Two"); }), "");
}

TEST(HpccAttributeText, ARateWithDecimalsIsRoundedToTheNearestBitPerSecond)
{
    for (uint64_t tenths = 1; tenths <= 10000; ++tenths)
    {
        const std::string text =
            std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + "Gbps";
        const uint64_t bps = tenths * 100'000'000;
        EXPECT_EQ(ReadRate("", text).GetBitRate(), bps) << text;
        const auto entries =
            ParseRateEntries<1>("", text + ":1", "", [](const auto&) { return true; });
        EXPECT_EQ(entries.front().first, bps) << text;
    }
    EXPECT_EQ(FindRate("33.3Gb/s").value().GetBitRate(), 33'300'000'000U);
    EXPECT_EQ(FindRate("0.7MiB/s").value().GetBitRate(), 5'872'026U) << "5872025.6 bit/s";
    EXPECT_EQ(FindRate("1000000000Gbps").value().GetBitRate(), 1'000'000'000'000'000'000U);
    EXPECT_EQ(ParseRateEntries<1>("", "25Gbps:1, 100Gbps :2", "", [](const auto&) { return true; })
                  .back(),
              (std::pair<uint64_t, std::array<double, 1>>(100'000'000'000U, {2})));
    for (const char* text : {"", " ", "-1Gbps", "1Gbps2", "Gbps", "1000000001Gbps"})
    {
        EXPECT_FALSE(FindRate(text)) << text;
    }
}
