/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-star-refusals.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/hpcc-ecn-marker.h"
#include "ns3/hpcc-egress-scheduler.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-packet-trimmer.h"
#include "ns3/hpcc-path-selector.h"
#include "ns3/hpcc-priority-scheduler.h"
#include "ns3/hpcc-shared-buffer.h"
#include "ns3/hpcc-static-buffer.h"
#include "ns3/hpcc-telemetry-agent.h"
#include "ns3/pointer.h"
#include "ns3/qbb-channel.h"
#include "ns3/qbb-net-device.h"
#include "ns3/qbb-switch.h"
#include "ns3/rdma-feedback.h"
#include "ns3/rdma-host.h"
#include "ns3/rdma-reps-entropy.h"
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

/// A scheduler whose GetShare() returns equal shares for any weights.
class EvenScheduler : public StrayScheduler
{
  public:
    void SetClasses(const Classes&) override
    {
    }

    double GetShare(uint8_t) const override
    {
        return 0.125;
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

/// A path selector that declares that each packet may be sent to another port.
class WildPaths : public StrayPaths
{
  public:
    Multipath GetMultipath() const override
    {
        return Multipath::EVERY_PACKET;
    }
};

/// An attribute whose value an object has already used.
struct Used
{
    Ptr<Object> object;    ///< the object
    std::string attribute; ///< the attribute
    std::string value;     ///< a value that differs from the present value
    std::string call;      ///< call that has used the attribute
};

/// Tests that changes of installed switches, hosts and ports are refused if they would have no
/// effect, and that wrong choices of user-defined parts are refused.
class InstalledRefusals : public StarRefusals
{
  protected:
    /// Expects that an attribute refuses a new value, but accepts its present value.
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
                " is set after " + call,
                ", which used ",
                "; set it earlier"});
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
              {"ns3::QbbNetDevice::DataRate: ", "after Install()", "set it earlier"}},
             {[&] { port->SetAttribute("PfcEnabled", BooleanValue(false)); },
              {"ns3::QbbNetDevice::PfcEnabled: ", "after Install()", "set it earlier"}},
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
              }),
              "")
        << "queue pairs that are connected later have these values";
    ExpectFixed({hosts[1], "DishonestFrom", "1us", "the first Connect() of an honest host"});
    ExpectFixed({hosts[1], "Mtu", "4000", network});
    ExpectFixed({hosts[1], "FeedbackKey", "secret", connect});
    ExpectFixed({hosts[1], "CongestionEcho", "Ack", connect});
    ExpectFixed({hosts[1], "Ttl", "1", connect});
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

TEST_F(InstalledRefusals, PartsOfHostsThatAConnectionUsesAreFixed)
{
    auto spec = HpccFabricHelper::MakePolicy("hpcc++", "int-md", "every-8");
    Fabric().Connect(0, 1, spec);
    const std::string feedback = "the first Connect() with the object";
    const auto object = ConstCast<RdmaFeedback>(spec.feedback);
    ExpectFixed({object, "Sampling", "per-rtt", feedback});
    ExpectFixed({object, "Report", "packet:worst-hop", feedback});
    const auto entropy = CreateObject<RepsEntropy>();
    for (const uint32_t i : {0, 1})
    {
        Fabric().GetHost(i)->SetAttribute("Recovery", StringValue("sack"));
        Fabric().GetHost(i)->SetAttribute("Entropy", PointerValue(entropy));
    }
    entropy->SetAttribute("Evs", UintegerValue(32));
    Fabric().Connect(0, 1, HpccFabricHelper::MakePolicy("nscc"));
    const std::string host = "the first Connect() of a host that uses the object";
    Expect(RefusalOf([&] { entropy->SetAttribute("Evs", UintegerValue(16)); }),
           {"ns3::RdmaEntropy::Evs: 16 is set after " + host});
    for (const auto& [attribute, value] :
         {std::pair("Buffer", "16"), std::pair("FreezeTime", "1us"), std::pair("Exploration", "1")})
    {
        ExpectFixed({entropy, attribute, value, host});
    }
}

TEST_F(InstalledRefusals, PacketsOfALaggingNodeAreObservedFromTheStartOrNotAtAll)
{
    for (const int64_t lagNs : {0, 500})
    {
        HpccFabricHelper fabric;
        fabric.SetMaxLag(NanoSeconds(lagNs));
        fabric.Install(HpccTopology::Star(2, FAST));
        Simulator::Stop(MicroSeconds(1));
        Simulator::Run();
        const auto port = fabric.GetDevice(0, 0);
        const std::vector<std::string> lines{
            RefusalOf([&] {
                port->TraceConnectWithoutContext("Dequeue",
                                                 Callback<void, Ptr<const Packet>>([](auto) {}));
            }),
            RefusalOf([&] {
                const auto errors = CreateObject<RateErrorModel>();
                port->SetAttribute("ReceiveErrorModel", PointerValue(errors));
            })};
        for (const auto& line : lines)
        {
            if (lagNs == 0)
            {
                EXPECT_EQ(line, "");
                continue;
            }
            Expect(line, {"ns3::QbbNetDevice: traces of packets", "of node 0", "MaxLag 0"});
        }
        Simulator::Destroy();
    }
}

TEST_F(InstalledRefusals, PathsOfAnotherMultipathThanThatOfSetPathsAreRefusedInOneLine)
{
    const auto hub = Fabric().GetSwitch(2);
    Expect(RefusalOf(
               [&] { hub->SetAttribute("PathSelector", PointerValue(CreateObject<WildPaths>())); }),
           {"ns3::QbbSwitch::PathSelector: the switch of node 2 gets ",
            "HpccFabricHelper::SetPaths() before Install()"});
    EXPECT_FALSE(hub->GetPathSelector());
    EXPECT_EQ(RefusalOf([&] {
                  hub->SetAttribute("PathSelector", PointerValue(CreateObject<StrayPaths>()));
              }),
              "")
        << "the multipath does not change";

    const auto node = CreateObject<Node>();
    const auto alone = CreateObject<QbbSwitch>();
    alone->Install(node);
    EXPECT_EQ(RefusalOf([&] {
                  alone->SetAttribute("PathSelector", PointerValue(CreateObject<WildPaths>()));
              }),
              "")
        << "no helper has chosen the paths of this switch";

    HpccFabricHelper sprayed;
    sprayed.SetPaths("spray");
    sprayed.Install(HpccTopology::Star(2, FAST));
    Expect(RefusalOf([&] {
               sprayed.GetSwitch(2)->SetAttribute("PathSelector",
                                                  PointerValue(CreateObject<StrayPaths>()));
           }),
           {"ns3::QbbSwitch::PathSelector: the switch of node "});
}

TEST_F(InstalledRefusals, ThinningThatAFlowReliesOnIsFixed)
{
    const auto agent = Fabric().GetSwitch(2)->GetObject<TelemetryAgent>();
    EXPECT_EQ(RefusalOf([&] {
                  Fabric().Connect(0, 1, HpccFabricHelper::MakePolicy("none"));
                  agent->SetAttribute("Insertion", StringValue("Interval"));
                  agent->SetAttribute("IntervalScope", StringValue("EachFlow"));
                  Fabric().Connect(0, 1, HpccFabricHelper::MakePolicy("hpcc++", "int-md"));
                  agent->SetAttribute("Interval", StringValue("7us"));
              }),
              "");
    const std::string connect = "the first Connect() with telemetry";
    ExpectFixed({agent, "Insertion", "Always", connect});
    ExpectFixed({agent, "IntervalScope", "EachPort", connect});
}

TEST_F(InstalledRefusals, RareRecordsAreRefusedForEveryFeedbackOfAFormat)
{
    HpccFabricHelper fabric;
    fabric.SetTelemetryAgentAttribute("Insertion", StringValue("Interval"));
    fabric.Install(HpccTopology::Star(2, FAST));
    auto spec = HpccFabricHelper::MakePolicy("hpcc++", "int-md");
    EXPECT_EQ(RefusalOf([&] { fabric.Connect(0, 1, spec); }), "");
    spec.feedback = HpccFabricHelper::MakePolicy("hpcc++", "int-md", "per-rtt").feedback;
    spec.feedbackName = "per-rtt";
    Expect(RefusalOf([&] { fabric.Connect(0, 1, spec); }),
           {"--feedback per-rtt: ns3::TelemetryAgent::Insertion is Interval with IntervalScope "
            "EachPort"});
}

TEST_F(InstalledRefusals, ThinningOfAnySwitchCounts)
{
    Fabric();
    HpccFabricHelper fabric;
    fabric.Install(HpccTopology::LeafSpine(2, 2, 1, FAST));
    const auto last = fabric.GetSwitch(fabric.GetTopology().GetNodes() - 1);
    last->GetObject<TelemetryAgent>()->SetAttribute("Insertion", StringValue("Interval"));
    EXPECT_EQ(fabric.GetThinning(), THINNED_BY_TIME);
    Expect(RefusalOf([&] {
               fabric.Connect(0, 1, HpccFabricHelper::MakePolicy("hpcc++", "int-md", "per-rtt"));
           }),
           {"--feedback per-rtt: ns3::TelemetryAgent::Insertion is Interval"});
}

TEST_F(InstalledRefusals, OtherSharesThanThoseThatHostsHaveUsedAreRefusedInOneLine)
{
    for (const std::string bandwidth : {"Share", "Residual"})
    {
        HpccFabricHelper fabric;
        fabric.SetTelemetryAgentAttribute("Bandwidth", StringValue(bandwidth));
        fabric.SetDeviceAttribute("Weights", StringValue("3:3,4:1"));
        fabric.Install(HpccTopology::Star(2, FAST));
        const auto port = fabric.GetDevice(2, 0);
        const auto other = [&] { port->SetAttribute("Weights", StringValue("3:1,4:3")); };
        if (bandwidth == "Residual")
        {
            EXPECT_EQ(RefusalOf(other), "") << "hosts do not use the shares";
            continue;
        }
        Expect(RefusalOf(other), {"ns3::QbbNetDevice::Weights: ", "before Install()"});
        StringValue weights;
        port->GetAttribute("Weights", weights);
        EXPECT_EQ(weights.Get(), "3:3,4:1");
        EXPECT_EQ(RefusalOf([&] { port->SetAttribute("Weights", StringValue("3:6,4:2")); }), "")
            << "the shares are the same";
        EXPECT_EQ(RefusalOf([&] {
                      port->SetAttribute("Scheduler",
                                         PointerValue(CreateObject<PriorityScheduler>()));
                  }),
                  "")
            << "it gets the weights of the port";
        Expect(RefusalOf([&] {
                   port->SetAttribute("Scheduler", PointerValue(CreateObject<EvenScheduler>()));
               }),
               {"ns3::QbbNetDevice::Scheduler: ", "before Install()"});
    }
    EXPECT_EQ(RefusalOf([this] {
                  Fabric().GetDevice(2, 0)->SetAttribute("Weights", StringValue("3:1,4:3"));
              }),
              "")
        << "records are about the line rate";
}

TEST_F(InstalledRefusals, AReceiveBufferOfASwitchPortIsRefusedInOneLine)
{
    const auto drain = [](QbbNetDevice& port, const std::string& rate) {
        return RefusalOf([&] { port.SetAttribute("ReceiveDrainRate", StringValue(rate)); });
    };
    Expect(drain(*Fabric().GetDevice(2, 1), "50Gbps"),
           {"ns3::QbbNetDevice::ReceiveDrainRate: 50000000000bps", "switch", "allowed is 0"});
    EXPECT_EQ(drain(*Fabric().GetDevice(2, 1), "0bps"), "");
    EXPECT_EQ(drain(*Fabric().GetDevice(0, 0), "50Gbps"), "") << "the port of a host";
    Expect(RefusalOf([] {
               Config::Set("/NodeList/*/DeviceList/*/$ns3::QbbNetDevice/ReceiveDrainRate",
                           StringValue("50Gbps"));
           }),
           {"HpccFabricHelper::SetDeviceAttribute() before Install()"});
}

TEST_F(InstalledRefusals, FractionsThatAreDroppedAndCarriedAreRefusedInOneLine)
{
    for (const auto& [first, second] :
         std::vector<std::pair<std::string, std::string>>{{"WholeNanoseconds", "CarryFractions"},
                                                          {"CarryFractions", "WholeNanoseconds"}})
    {
        const auto port = Fabric().GetDevice(first == "CarryFractions" ? 0 : 2, 0);
        port->SetAttribute(first, BooleanValue(true));
        const auto& name = second;
        Expect(RefusalOf([&] { port->SetAttribute(name, BooleanValue(true)); }),
               {"ns3::QbbNetDevice::WholeNanoseconds", "set one of the two"});
        port->SetAttribute(first, BooleanValue(false));
        EXPECT_EQ(RefusalOf([&] { port->SetAttribute(name, BooleanValue(true)); }), "");
    }
}

TEST_F(InstalledRefusals, PrioritiesOfARunningNetworkAreFixed)
{
    const auto port = Fabric().GetDevice(2, 1);
    Fabric().Connect(0, 1, HpccFabricHelper::MakePolicy("none"));
    EXPECT_EQ(RefusalOf([&] { port->SetAttribute("DscpToPriority", StringValue("26:3,48:5")); }),
              "")
        << "the run has not started";
    Simulator::Stop(MicroSeconds(1));
    Simulator::Run();
    ExpectFixed({port, "DscpToPriority", "26:0,48:5", "the start of the run"});
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
    const auto own = CreateObject<PriorityScheduler>();
    const auto first = Fabric().GetDevice(2, 0);
    first->SetAttribute("Scheduler", PointerValue(own));
    Expect(
        RefusalOf([&] { Fabric().GetDevice(2, 1)->SetAttribute("Scheduler", PointerValue(own)); }),
        {"ns3::QbbNetDevice::Scheduler: two ports have the same ns3::PriorityScheduler",
         "each needs one of its own"});
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

TEST_F(InstalledRefusals, ARefusedSwitchAgentRunsAtNoSwitch)
{
    HpccFabricHelper fabric;
    fabric.Install(HpccTopology::LeafSpine(2, 2, 1, FAST));
    for (uint32_t attempt = 0; attempt < 2; ++attempt)
    {
        Expect(
            RefusalOf([&] { fabric.AddSwitchAgent("coin"); }),
            {"ns3::QbbSwitch::AddAgent: node ", "trims frames of priority 3, which is lossless"});
        for (uint32_t node = 2; node < 6; ++node)
        {
            EXPECT_FALSE(fabric.GetNodes().Get(node)->GetObject<PacketTrimmer>());
        }
    }
    const uint32_t queuePair = fabric.Connect(0, 1, HpccFabricHelper::MakePolicy("none"));
    fabric.AddMessage(0, queuePair, 10000, Time(0));
    Simulator::Run();
    EXPECT_EQ(fabric.GetHost(0)->GetQueuePair(queuePair).sndUnaByte, 10000U);
}

TEST_F(InstalledRefusals, PartsOfASwitchThatHasBeenBuiltAreFixed)
{
    HpccFabricHelper fabric;
    HpccSwitchParts& parts = fabric.PartsOf(2);
    parts.SetBufferAttribute("BufferBytes", UintegerValue(8000000));
    fabric.Install(HpccTopology::Star(2, FAST));
    using Call = std::pair<std::string, std::function<void()>>;
    for (const auto& [function, change] :
         {Call("SetBuffer", [&] { parts.SetBuffer("static"); }),
          Call("SetBufferAttribute",
               [&] { parts.SetBufferAttribute("BufferBytes", UintegerValue(1000000)); }),
          Call("SetMarking", [&] { parts.SetMarking("codel"); }),
          Call("SetEcnAttribute", [&] { parts.SetEcnAttribute("Enabled", BooleanValue(false)); }),
          Call("SetThresholds", [&] { parts.SetThresholds("100Gbps:1000:2000:1"); }),
          Call("SetScheduler", [&] { parts.SetScheduler("fifo"); }),
          Call("SetSchedulerAttribute",
               [&] { parts.SetSchedulerAttribute("Sharing", StringValue("Weights")); })})
    {
        Expect(RefusalOf(change),
               {"ns3::HpccSwitchParts::" + function +
                ": HpccFabricHelper::Install() has built "
                "switch 2 already; call it before Install()"});
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
