/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-star-refusals.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/hpcc-ecn-marker.h"
#include "ns3/hpcc-egress-scheduler.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-path-selector.h"
#include "ns3/hpcc-priority-scheduler.h"
#include "ns3/hpcc-shared-buffer.h"
#include "ns3/hpcc-static-buffer.h"
#include "ns3/hpcc-telemetry-agent.h"
#include "ns3/pointer.h"
#include "ns3/qbb-channel.h"
#include "ns3/qbb-net-device.h"
#include "ns3/qbb-switch.h"
#include "ns3/rdma-host.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// A scheduler that chooses a priority that does not exist.
class StrayScheduler : public EgressScheduler
{
  public:
    uint8_t Choose(uint8_t, const QbbNetDevice&) override
    {
        return 9;
    }
};

/// A path selector that chooses a port that does not exist.
class StrayPaths : public PathSelector
{
  public:
    uint32_t Select(const Frame&,
                    const EcmpTable::Choices&,
                    const std::vector<QbbNetDevice*>&,
                    int64_t) override
    {
        return 99;
    }

    Multipath GetMultipath() const override
    {
        return Multipath::NONE;
    }
};

/// An attribute that an object has used.
struct Used
{
    Ptr<Object> object;    ///< the object
    std::string attribute; ///< the attribute
    std::string value;     ///< a value other than the one that it has
    std::string call;      ///< what has used it
};

/// Changes of installed switches, hosts and ports that would not take effect, and choices of their
/// parts that do not exist.
class InstalledRefusals : public StarRefusals
{
  protected:
    /// Expects that a change is refused, and that the present value is not.
    /// @param used the attribute
    static void ExpectFixed(const Used& used)
    {
        const auto& [object, attribute, value, call] = used;
        const auto set = [&](const StringValue& text) {
            return RefusalOf([&] { used.object->SetAttribute(used.attribute, text); });
        };
        StringValue before;
        object->GetAttribute(attribute, before);
        Expect(set(StringValue(value)),
               {object->GetInstanceTypeId().GetName() + "::" + attribute + ": ",
                " comes after " + call,
                ", which has used ",
                "; allowed is to set it before"});
        StringValue after;
        object->GetAttribute(attribute, after);
        EXPECT_EQ(after.Get(), before.Get()) << attribute;
        EXPECT_EQ(set(before), "") << attribute << " does not change";
    }
};

TEST_F(InstalledRefusals, WhatWouldNotReachAnInstalledSwitchOrHostIsRefusedInOneLine)
{
    const auto port = Fabric().GetDevice(2, 0);
    const auto channel = port->GetQbbChannel();
    const auto hub = Fabric().GetSwitch(2);
    const auto node = Fabric().GetNodes().Get(0);
    for (const auto& [action, expected] :
         std::vector<std::pair<std::function<void()>, std::vector<std::string>>>{
             {[&] { port->SetAttribute("DataRate", StringValue("10Gbps")); },
              {"ns3::QbbNetDevice::DataRate: ", "is installed", "before Install()"}},
             {[&] { port->SetAttribute("PfcEnabled", BooleanValue(false)); },
              {"ns3::QbbNetDevice::PfcEnabled: ", "is installed", "before Install()"}},
             {[&] { port->SetAttribute("LosslessPriorities", UintegerValue(1 << 4)); },
              {"ns3::QbbNetDevice::LosslessPriorities: ", "is installed", "before Install()"}},
             {[&] { channel->SetAttribute("Delay", TimeValue(MicroSeconds(7))); },
              {"ns3::QbbChannel::Delay: the link of node ", "1000 ns", "before Install()"}},
             {[&] { hub->SetAttribute("Buffer", PointerValue(CreateObject<SharedBuffer>())); },
              {"ns3::QbbSwitch::Buffer: the switch of node 2 is installed", "before Install()"}},
             {[&] { hub->SetAttribute("EcnMarker", PointerValue(CreateObject<EcnMarker>())); },
              {"ns3::QbbSwitch::EcnMarker: the switch of node 2", "before Install()"}},
             {[&] { Fabric().GetHost(0)->Install(node, 1); },
              {"ns3::RdmaHost::Install: node 0: the host is installed already", "once"}},
             {[&] { CreateObject<RdmaHost>()->Install(node, 1); },
              {"ns3::RdmaHost::Install: node 0, port 0 has an installed", "one of them"}},
             {[&] { CreateObject<RdmaHost>()->Install(Fabric().GetNodes().Get(2), 1, {2}); },
              {"ns3::RdmaHost::Install: node 2, port 0 has an installed", "one of them"}},
             {[&] { CreateObject<QbbSwitch>()->Install(node); },
              {"ns3::QbbSwitch::Install: node 0, port 0 has an installed", "one of them"}},
             {[&] { Fabric().GetHost(0)->GetPort(9); },
              {"ns3::RdmaHost::GetPort: port 9 does not exist; the host has 1, counted from 0"}}})
    {
        Expect(RefusalOf(action), expected);
    }
    EXPECT_EQ(RefusalOf([&] {
                  port->SetAttribute("DataRate", DataRateValue(FAST.host));
                  port->SetAttribute("PfcEnabled", BooleanValue(true));
                  port->SetAttribute("LosslessPriorities", UintegerValue(1 << 3));
                  channel->SetAttribute("Delay", TimeValue(FAST.delay));
              }),
              "")
        << "the values do not change";
}

TEST_F(InstalledRefusals, AnAttributeThatItsObjectHasUsedIsRefusedInOneLine)
{
    const auto hub = Fabric().GetSwitch(2);
    PointerValue buffer;
    PointerValue marker;
    hub->GetAttribute("Buffer", buffer);
    hub->GetAttribute("EcnMarker", marker);
    const auto parts = CreateObject<StaticBuffer>();
    parts->SetAttribute("QueueBytes", UintegerValue(1000));
    parts->AddPort({100000000000, 1000, 1500, 1 << 3});
    const auto agent = hub->GetObject<TelemetryAgent>();
    const std::vector<Ptr<RdmaHost>> hosts{Fabric().GetHost(0), Fabric().GetHost(1)};
    const std::string install = "Install() of the switch";
    const std::string network = "HpccFabricHelper::Install() or the first Connect() of the host";
    const std::string connect = "the first Connect() of the host";
    const std::vector<Used> rows{
        {buffer.GetObject(), "BufferBytes", "400000", install},
        {buffer.GetObject(), "ReservedBytes", "1", install},
        {buffer.GetObject(), "HeadroomBytes", "1", install},
        {buffer.GetObject(), "HeadroomDelays", "3", install},
        {buffer.GetObject(), "SetAsidePerPort", "true", install},
        {buffer.GetObject(), "Alpha", "0.001", install},
        {buffer.GetObject(), "AlphaPerRate", "100Gbps:0.5", install},
        {parts, "BufferBytes", "400000", install},
        {parts, "QueueBytes", "1", install},
        {parts, "HeadroomBytes", "1", install},
        {marker.GetObject(), "Enabled", "false", install},
        {marker.GetObject(), "Thresholds", "100Gbps:1000:2000:1", install},
        {agent, "Bandwidth", "Share", install},
        {agent, "UtilizationWindow", "50us", install},
        {agent, "ClockOffset", "1us", install},
        {agent, "ClockDriftPpm", "1", install},
        {agent, "ClockResolution", "1us", install},
        {Fabric().GetDevice(0, 0), "EthernetOverhead", "false", install + " or host"},
        {hosts[0], "Mtu", "4000", network},
        {hosts[0], "Ipv6", "true", network},
        {hosts[0], "WireProfile", "Authors", network},
        {hosts[0], "AuthorsHeaderBytes", "56", network},
    };
    for (const auto& row : rows)
    {
        ExpectFixed(row);
    }
    Fabric().Connect(0, 1, HpccFabricHelper::MakePolicy("none"));
    EXPECT_EQ(RefusalOf([&hosts] {
                  hosts[1]->SetAttribute("AckInterval", UintegerValue(2));
                  hosts[1]->SetAttribute("CnpInterval", TimeValue(MicroSeconds(1)));
                  hosts[1]->SetAttribute("CongestionEcho", StringValue("Ack"));
                  hosts[1]->SetAttribute("DishonestFrom", TimeValue(MicroSeconds(1)));
              }),
              "")
        << "queue pairs that come into use later have these values";
    ExpectFixed({hosts[1], "Mtu", "4000", network});
    ExpectFixed({hosts[1], "FeedbackKey", "secret", connect});
    Expect(RefusalOf([&] { buffer.GetObject()->SetAttribute("Alpha", DoubleValue(0.1250001)); }),
           {"ns3::SharedBuffer::Alpha: "});
    EXPECT_EQ(RefusalOf([&] {
                  buffer.GetObject()->SetAttribute("ResumeOffset", UintegerValue(1));
                  buffer.GetObject()->SetAttribute("EgressAlpha", DoubleValue(0.5));
                  agent->SetAttribute("Interval", StringValue("7us"));
              }),
              "")
        << "attributes that are read for each frame";
}

TEST_F(InstalledRefusals, PrioritiesThatTheHostMayUseCannotStopBeingLossless)
{
    const auto port = Fabric().GetDevice(0, 0);
    Expect(RefusalOf([&] { port->SetAttribute("LosslessPriorities", UintegerValue(0)); }),
           {"ns3::QbbNetDevice::LosslessPriorities: ", "is installed", "before Install()"});
    EXPECT_EQ(RefusalOf([&] {
                  port->SetAttribute("LosslessPriorities", UintegerValue(1 << 3 | 1 << 4));
              }),
              "")
        << "no frame has priority 4";
}

TEST_F(InstalledRefusals, ASchedulerOfTwoPortsIsRefusedInOneLine)
{
    const auto scheduler = CreateObject<PriorityScheduler>();
    HpccFabricHelper fabric;
    fabric.SetDeviceAttribute("Scheduler", PointerValue(scheduler));
    Expect(RefusalOf([&] { fabric.Install(HpccTopology::Star(2, FAST)); }),
           {"ns3::QbbNetDevice::Scheduler: two ports have the same ns3::PriorityScheduler",
            "each needs one of its own"});
    const auto own = CreateObject<PriorityScheduler>();
    const auto first = Fabric().GetDevice(2, 0);
    first->SetAttribute("Scheduler", PointerValue(own));
    Expect(
        RefusalOf([&] { Fabric().GetDevice(2, 1)->SetAttribute("Scheduler", PointerValue(own)); }),
        {"two ports have the same"});
    first->SetAttribute("Scheduler", PointerValue(CreateObject<PriorityScheduler>()));
    EXPECT_EQ(
        RefusalOf([&] { Fabric().GetDevice(2, 1)->SetAttribute("Scheduler", PointerValue(own)); }),
        "")
        << "the first port has another one";
}

TEST_F(InstalledRefusals, APartOfTwoSwitchesIsRefusedInOneLine)
{
    const std::vector<std::pair<std::string, Ptr<Object>>> parts{
        {"Buffer", CreateObject<StaticBuffer>()},
        {"EcnMarker", CreateObject<EcnMarker>()}};
    for (const auto& [attribute, part] : parts)
    {
        std::vector<Ptr<QbbSwitch>> switches;
        std::vector<Ptr<Node>> nodes;
        const auto channel = CreateObject<QbbChannel>();
        for (uint32_t i = 0; i < 2; ++i)
        {
            nodes.push_back(CreateObject<Node>());
            const auto device = CreateObject<QbbNetDevice>();
            nodes[i]->AddDevice(device);
            device->Attach(channel);
            switches.push_back(CreateObject<QbbSwitch>());
            switches[i]->SetAttribute(attribute, PointerValue(part));
        }
        EXPECT_EQ(RefusalOf([&] { switches[0]->Install(nodes[0]); }), "");
        Expect(RefusalOf([&] { switches[1]->Install(nodes[1]); }),
               {"ns3::QbbSwitch::" + attribute + ": two switches have the same " +
                    part->GetInstanceTypeId().GetName(),
                "each needs one of its own"});
    }
}

TEST_F(InstalledRefusals, APriorityOrPortThatIsNoCandidateIsRefusedInOneLine)
{
    const LeaksAllowed allowed; // both calls of Simulator::Run() end by an exception
    HpccFabricHelper fabric;
    fabric.Install(HpccTopology::LeafSpine(2, 2, 1, FAST));
    fabric.GetSwitch(2)->SetAttribute("PathSelector", PointerValue(CreateObject<StrayPaths>()));
    auto spec = HpccFabricHelper::MakePolicy("none");
    fabric.AddMessage(0, fabric.Connect(0, 1, spec), 100000, Time(0));
    Expect(RefusalOf([] { Simulator::Run(); }),
           {"::Select() of node ", "returned 99; allowed are the ports 1, 2"});
    Simulator::Destroy();
    HpccFabricHelper star;
    star.Install(HpccTopology::Star(2, FAST));
    star.GetDevice(0, 0)->SetAttribute("Scheduler", PointerValue(CreateObject<StrayScheduler>()));
    for (const int dscp : {0, 26})
    {
        spec.dscp = dscp;
        star.AddMessage(0, star.Connect(0, 1, spec), 100000, Time(0));
    }
    Expect(RefusalOf([] { Simulator::Run(); }),
           {"::Choose() of node ", "returned 9; allowed are the candidates 0, 3"});
}

} // namespace
