/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-refusal.h"

#include "ns3/error-model.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-frame.h"
#include "ns3/hpcc-priority-scheduler.h"
#include "ns3/hpcc-topology.h"
#include "ns3/mac48-address.h"
#include "ns3/node.h"
#include "ns3/object-factory.h"
#include "ns3/pointer.h"
#include "ns3/qbb-net-device.h"
#include "ns3/qbb-port-watch.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Returns the value of an attribute as text.
std::string
TextOf(const QbbNetDevice& port, const std::string& attribute)
{
    StringValue text;
    port.GetAttribute(attribute, text);
    return text.Get();
}

/// Sets an attribute to a value that differs from its default.
void
Change(QbbNetDevice& port, const TypeId::AttributeInformation& attribute)
{
    const std::string type = attribute.checker->GetValueTypeName(); // with or without ns3::
    const auto IsType = [&type](const char* name) { return type.find(name) != std::string::npos; };
    const std::string before = TextOf(port, attribute.name);
    std::string after;
    if (IsType("BooleanValue"))
    {
        after = before == "true" ? "false" : "true";
    }
    else if (IsType("UintegerValue"))
    {
        after = std::to_string(std::stoull(before) / 2 + 1);
    }
    else if (IsType("DataRateValue"))
    {
        after = "7000000000bps";
    }
    else if (IsType("TimeValue"))
    {
        after = "+7000ns";
    }
    else if (IsType("StringValue"))
    {
        after = "1:2,3:4";
    }
    ASSERT_FALSE(after.empty()) << attribute.name << " has type " << type;
    port.SetAttribute(attribute.name, StringValue(after));
    ASSERT_NE(TextOf(port, attribute.name), before) << attribute.name;
}

/// Records the calls that a port makes.
struct Recorder : QbbPortWatch
{
    std::vector<std::pair<uint64_t, int64_t>> queues; ///< bytes in all queues, time in ns
    std::vector<std::pair<int64_t, uint32_t>> frames; ///< time in ns, bytes of the frame

    void QueueChanged(uint64_t portBytes, int64_t nowNs) override
    {
        queues.emplace_back(portBytes, nowNs);
    }

    void Transmitted(int64_t nowNs, const Frame& frame) override
    {
        frames.emplace_back(nowNs, frame.bytes);
    }

    /// Sink of QueueBytes.
    void TraceQueue(uint8_t, uint64_t, uint64_t portBytes, int64_t nowNs)
    {
        QueueChanged(portBytes, nowNs);
    }
};

} // namespace

TEST(Port, ACopyHasAllAttributesOfThePort)
{
    auto port = CreateObject<QbbNetDevice>();
    auto errors = CreateObject<RateErrorModel>();
    port->SetAttribute("ReceiveErrorModel", PointerValue(errors));
    const TypeId type = QbbNetDevice::GetTypeId();
    for (size_t i = 0; i < type.GetAttributeN(); ++i)
    {
        if (type.GetAttribute(i).checker->GetValueTypeName().find("PointerValue") ==
            std::string::npos)
        {
            Change(*port, type.GetAttribute(i));
        }
    }
    auto copy = CopyObject(port);
    EXPECT_EQ(copy->GetInstanceTypeId(), type);
    EXPECT_NE(copy->GetAddress(), port->GetAddress());
    EXPECT_FALSE(copy->GetNode());
    for (size_t i = 0; i < type.GetAttributeN(); ++i)
    {
        const std::string name = type.GetAttribute(i).name;
        EXPECT_EQ(TextOf(*copy, name), TextOf(*port, name)) << name;
    }
    copy->SetAttribute("Mtu", StringValue("1500"));
    EXPECT_NE(TextOf(*port, "Mtu"), "1500") << "the copy shares its attributes with the port";
}

TEST(Port, APortWithANodeOrASchedulerIsNotCopied)
{
    auto scheduled = CreateObject<QbbNetDevice>();
    scheduled->SetAttribute("Scheduler", PointerValue(CreateObject<PriorityScheduler>()));
    EXPECT_NE(hpcctest::RefusalOf([&] { CopyObject(scheduled); }).find("two ports have the same"),
              std::string::npos);
    auto port = CreateObject<QbbNetDevice>();
    CopyObject(port);
    auto node = CreateObject<Node>();
    node->AddDevice(port);
    EXPECT_NE(hpcctest::RefusalOf([&] { CopyObject(port); }).find("a port without a node"),
              std::string::npos);
    Simulator::Destroy();
}

TEST(Port, AllPortsOfANetworkHaveTheAttributesOfTheHelper)
{
    HpccFabricHelper fabric;
    fabric.SetDeviceAttribute("Quantum", StringValue("3000"));
    HpccTopology topology = HpccTopology::Star(3, {});
    fabric.Install(topology);
    ASSERT_EQ(fabric.GetDevices().size(), 6U);
    for (size_t i = 0; i < 6; ++i)
    {
        const auto& port = fabric.GetDevices()[i];
        EXPECT_EQ(TextOf(*port, "Quantum"), "3000") << i;
        EXPECT_TRUE(port->GetNode()) << i;
        uint8_t address[6];
        Mac48Address::ConvertFrom(port->GetAddress()).CopyTo(address);
        uint8_t first[6];
        Mac48Address::ConvertFrom(fabric.GetDevices()[0]->GetAddress()).CopyTo(first);
        EXPECT_EQ(address[5] - first[5], static_cast<int>(i)) << "addresses in the order of links";
    }
    const auto next = Mac48Address::Allocate();
    uint8_t address[6];
    next.CopyTo(address);
    uint8_t last[6];
    Mac48Address::ConvertFrom(fabric.GetDevices()[5]->GetAddress()).CopyTo(last);
    EXPECT_EQ(address[5] - last[5], 1) << "an address was allocated for no port";
    Simulator::Destroy();
}

TEST(Port, AWatchSeesWhatTheTraceSourcesShow)
{
    HpccFabricHelper fabric;
    fabric.Install(HpccTopology::Star(3, {}));
    const auto spec = HpccFabricHelper::MakePolicy("dcqcn");
    for (uint32_t source : {0, 2})
    {
        fabric.AddMessage(source, fabric.Connect(source, 1, spec), 100000, Time(0));
    }
    Ptr<QbbNetDevice> port = fabric.GetDevices()[3]; // the switch's port to host 1
    Recorder first;
    Recorder second;
    Recorder traces;
    port->AddWatch(first);
    port->AddWatch(second);
    port->TraceConnectWithoutContext("QueueBytes", MakeCallback(&Recorder::TraceQueue, &traces));
    port->TraceConnectWithoutContext("Transmit", MakeCallback(&Recorder::Transmitted, &traces));
    Simulator::Stop(MilliSeconds(1));
    Simulator::Run();
    EXPECT_GT(traces.queues.size(), 10U) << "no queue";
    EXPECT_GE(traces.frames.size(), 200U) << "no traffic";
    EXPECT_EQ(first.queues, traces.queues);
    EXPECT_EQ(first.frames, traces.frames);
    EXPECT_EQ(second.queues, traces.queues);
    EXPECT_EQ(second.frames, traces.frames);
    Simulator::Destroy();
}
