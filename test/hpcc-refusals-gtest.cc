/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-leaks.h"
#include "hpcc-test-star-refusals.h"

#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-internet-helper.h"
#include "ns3/hpcc-iwarp-helper.h"
#include "ns3/hpcc-iwarp-target.h"
#include "ns3/hpcc-iwarp-writer.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-switch-agent.h"
#include "ns3/hpcc-tcp-helper.h"
#include "ns3/hpcc-tcp-nic.h"
#include "ns3/hpcc-udp-helper.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/qbb-channel.h"
#include "ns3/qbb-helper.h"
#include "ns3/qbb-net-device.h"
#include "ns3/qbb-switch.h"
#include "ns3/rdma-application.h"
#include "ns3/rdma-host.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <iostream>
#include <map>
#include <string>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// A policy that declares a receiver-side part although it has none.
class HalvedPolicy : public RdmaCongestionOpsBase<RdmaCongestionState>
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::hpcctest::HalvedPolicy").SetParent<RdmaCongestionOps>();
        return tid;
    }

    RdmaPolicyDescription Describe(const TelemetryCapabilities*) const override
    {
        RdmaPolicyDescription needs;
        needs.receiverPart = true;
        return needs;
    }

  private:
    void DoOpen(RdmaCongestionState&, const RdmaFlowInfo&, int64_t) override
    {
    }
};

/// Posts a message from the first call of a trace sink.
struct Poster
{
    Ptr<RdmaHost> host;             ///< host that sends the message
    uint32_t queuePair;             ///< queue pair for the message
    std::string said{"not called"}; ///< message with which the post was refused; empty: the message
                                    ///< was posted

    /// Sink of RdmaHost's trace source MessageAcknowledged.
    void Post(const RdmaMessageRecord&)
    {
        if (said == "not called")
        {
            said = RefusalOf([this] { host->Post(queuePair, RdmaVerb::WRITE, 1000); });
        }
    }
};

/// A policy that uses the utilisation in records.
class UtilizationPolicy : public RdmaCongestionOpsBase<RdmaCongestionState>
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::hpcctest::UtilizationPolicy").SetParent<RdmaCongestionOps>();
        return tid;
    }

    RdmaPolicyDescription Describe(const TelemetryCapabilities*) const override
    {
        RdmaPolicyDescription needs;
        needs.telemetry = "int-md";
        needs.requests = requests;
        return needs;
    }

    void OnAck(RdmaCongestionState*, const RdmaAckInfo& ack) override
    {
        for (uint32_t i = 0; i < ack.hopCount; ++i)
        {
            ++(ack.hops[i].fields & TELEMETRY_UTILIZATION ? with : without);
        }
    }

    uint16_t requests{0}; ///< RdmaPolicyDescription::requests
    uint32_t with{0};     ///< number of records with a utilisation
    uint32_t without{0};  ///< number of records without a utilisation

  private:
    void DoOpen(RdmaCongestionState&, const RdmaFlowInfo&, int64_t) override
    {
    }
};

/// Tests that classes of the module refuse arguments of a user's program that they cannot use.
class Refusals : public StarRefusals
{
  protected:
    /// Returns the configuration of a queue pair with the policy @p policy.
    static RdmaQueuePairConfig ConfigOf(const std::string& policy)
    {
        RdmaQueuePairConfig config;
        ObjectFactory factory;
        HpccPresets::Find(RdmaCongestionOps::GetTypeId(), policy, factory);
        config.policy = factory.Create<RdmaCongestionOps>();
        config.networkBaseRttNs = config.baseRttNs = 4000;
        return config;
    }
};

TEST_F(Refusals, APolicyGetsTheQuantityThatItRequestsOrIsRefusedIfItRequestsNone)
{
    const Ptr<RdmaHost> host = Fabric().GetHost(0);
    const Ptr<RdmaHost> peer = Fabric().GetHost(1);
    auto policy = CreateObject<UtilizationPolicy>();
    auto config = ConfigOf("dcqcn");
    config.policy = policy;
    config.telemetry = HpccFabricHelper::MakePolicy("hpcc++", "csig").format;
    const auto connect = [&] { host->Connect(peer, config); };
    for (const uint16_t requests : {0, static_cast<int>(TELEMETRY_QUEUE)})
    {
        policy->requests = requests;
        Expect(RefusalOf(connect),
               {"ns3::hpcctest::UtilizationPolicy::Describe() sets requests to " +
                    std::to_string(requests) + ", but a packet of ns3::CsigCompactFormat",
                "allowed is"});
    }
    policy->requests = TELEMETRY_UTILIZATION;
    Fabric().Connect(1, 0, HpccFabricHelper::MakePolicy("hpcc++", "csig")); // makes the switches
                                                                            // insert CSIG
    const uint32_t queuePair = host->Connect(peer, config);
    Fabric().AddMessage(0, queuePair, 100000, MicroSeconds(1));
    Simulator::Run();
    EXPECT_EQ(policy->with, 100U);
    EXPECT_EQ(policy->without, 0U);
}

TEST_F(Refusals, AQueuePairThatCannotBeConnectedIsRefusedInOneLine)
{
    const Ptr<RdmaHost> host = Fabric().GetHost(0);
    const Ptr<RdmaHost> peer = Fabric().GetHost(1);
    const auto connect = [&](const Ptr<RdmaHost>& to, const RdmaQueuePairConfig& config) {
        return RefusalOf([&] { host->Connect(to, config); });
    };
    Expect(connect(peer, {}), {"RdmaHost::Connect", "policy is null", "dcqcn"});
    Expect(connect(host, ConfigOf("dcqcn")), {"RdmaHost::Connect", "node 0 is itself", "another"});
    Expect(connect(nullptr, ConfigOf("dcqcn")), {"RdmaHost::Connect", "is null", "another node"});
    Expect(connect(peer, ConfigOf("hpcc++")),
           {"telemetry is null", "ns3::RdmaHpccPlusPlus", "int-md"});
    auto halved = ConfigOf("dcqcn");
    halved.policy = CreateObject<HalvedPolicy>();
    Expect(connect(peer, halved), {"HalvedPolicy::Describe()", "receiverPart", "GetReceiver()"});
    for (const int dscp : {70, 64, -2})
    {
        auto marked = ConfigOf("dcqcn");
        marked.dscp = static_cast<int8_t>(dscp);
        Expect(connect(peer, marked),
               {"RdmaQueuePairConfig::dscp is " + std::to_string(dscp), "0 to 63"});
    }
    for (const auto& [member, name] :
         {std::pair(&RdmaQueuePairConfig::baseRttNs, "baseRttNs"),
          std::pair(&RdmaQueuePairConfig::responderBaseRttNs, "responderBaseRttNs"),
          std::pair(&RdmaQueuePairConfig::networkBaseRttNs, "networkBaseRttNs")})
    {
        auto negative = ConfigOf("dcqcn");
        negative.*member = -5;
        Expect(connect(peer, negative),
               {std::string("RdmaQueuePairConfig::") + name + " is -5 ns", "at least 0 ns"});
    }
    peer->SetAttribute("FeedbackKey", StringValue("other"));
    Expect(connect(peer, ConfigOf("dcqcn")),
           {"FeedbackKey of 11.0.0.1 and 11.0.0.2 differ", "the same"});
    Expect(RefusalOf([&] { CreateObject<RdmaHost>()->Connect(peer, ConfigOf("dcqcn")); }),
           {"RdmaHost::Connect", "call Install() first"});
    EXPECT_THROW(host->GetQueuePair(7), HpccInputError);
    peer->SetAttribute("FeedbackKey", StringValue(""));
    EXPECT_EQ(connect(peer, ConfigOf("dcqcn")), "");
}

TEST_F(Refusals, ATimeOutThatEndsBeforeTheFirstAckCanArriveIsRefusedInOneLine)
{
    const auto connect = [&](const std::string& recovery, Time baseRtt) {
        auto config = ConfigOf("dcqcn");
        config.recovery = recovery;
        config.networkBaseRttNs = config.baseRttNs = baseRtt.GetNanoSeconds();
        return RefusalOf([&] { Fabric().GetHost(0)->Connect(Fabric().GetHost(1), config); });
    };
    for (const std::string recovery : {"", "go-back-n", "go-back-0"})
    {
        Expect(connect(recovery, MicroSeconds(4000)),
               {"ns3::RdmaHost::RetransmitTimeout is 4000000 ns",
                "from 11.0.0.1 to 11.0.0.2 takes 4000000 ns",
                "allowed is above 4000000 ns"});
        EXPECT_EQ(connect(recovery, MicroSeconds(3999)), "");
    }
    Expect(connect("irn", MicroSeconds(320)),
           {"ns3::RdmaIrn::RtoHigh is 320000 ns", "takes 320000 ns", "allowed is above 320000 ns"});
    EXPECT_EQ(connect("irn", MicroSeconds(319)), "");
    EXPECT_EQ(connect("sack", MilliSeconds(40)), "");
    Config::SetDefault("ns3::RdmaSack::Rto", TimeValue(MicroSeconds(320)));
    Expect(connect("sack:sleek", MicroSeconds(320)),
           {"ns3::RdmaSack::Rto is 320000 ns", "takes 320000 ns", "allowed is above 320000 ns"});
    EXPECT_EQ(connect("sack:sleek", MicroSeconds(319)), "");
    Config::SetDefault("ns3::RdmaSack::Rto", TimeValue(Time(0)));
}

TEST_F(Refusals, APolicyThatNeedsMoreThanADomainEdgeLetsPassIsRefusedInOneLine)
{
    Fabric().AddTelemetryBorder(2, 1);
    const auto connect =
        [&](const std::string& policy, const std::string& telemetry, uint32_t source) {
            const auto spec = HpccFabricHelper::MakePolicy(policy, telemetry);
            return RefusalOf([&] { Fabric().Connect(source, 1 - source, spec); });
        };
    Expect(connect("hpcc++:sojourn", "int-md:latency", 0),
           {"hpcc++:sojourn", "border of node 2", "only a load pass", "QueueSignal Sojourn needs"});
    Expect(connect("hpcc++:sojourn", "ifa", 0), {"only a load pass", "QueueSignal Sojourn needs"});
    Expect(connect("hpcc:rx-rate", "", 0), {"border of node 2", "RateTerm Rx needs"});
    for (const std::string policy : {"hpcc++:sojourn", "hpcc:rx-rate"})
    {
        EXPECT_EQ(connect(policy, "ifa", 1), "") << "the path has no domain edge";
    }
    for (const std::string policy : {"hpcc", "hpcc++", "hpcc:per-hop", "powertcp"})
    {
        EXPECT_EQ(connect(policy, "ifa", 0), "") << policy;
    }
}

TEST_F(Refusals, ADomainEdgeOnThePathOfAConnectedFlowIsRefusedInOneLineIfItHidesAValue)
{
    for (const bool there : {true, false})
    {
        HpccFabricHelper fabric;
        fabric.Install(HpccTopology::Star(2, FAST));
        fabric.Connect(there ? 0 : 1,
                       there ? 1 : 0,
                       HpccFabricHelper::MakePolicy("hpcc++:sojourn", "int-md:latency"));
        fabric.Connect(0, 1, HpccFabricHelper::MakePolicy("hpcc++"));
        const std::string said = RefusalOf([&fabric] { fabric.AddTelemetryBorder(2, 1); });
        if (there)
        {
            Expect(said, {"hpcc++:sojourn", "border of node 2", "QueueSignal Sojourn needs"});
        }
        else
        {
            EXPECT_EQ(said, "") << "the edge is not on the path of the flow";
        }
    }
}

TEST_F(Refusals, APolicyWhoseFlowsCannotStartIsRefusedWhenItConnects)
{
    auto spec = HpccFabricHelper::MakePolicy("hpcc++");
    spec.policy.Set("InitialWindow", DoubleValue(1e-12));
    Expect(RefusalOf([&] { Fabric().Connect(0, 1, spec); }),
           {"policy hpcc++: flows of host 0 would start with", "a rate of 0.1 bit/s", "allowed"});
    spec.policy.Set("InitialWindow", DoubleValue(1e-10));
    EXPECT_EQ(RefusalOf([&] { Fabric().Connect(0, 1, spec); }), "");
}

TEST_F(Refusals, PowerTcpIsRefusedWhereUncongestedPortsInsertNoRecords)
{
    for (const auto& [insertion, expected] :
         std::map<std::string, std::string>{{"Always", ""},
                                            {"Interval", ""},
                                            {"Congestion", "ns3::RdmaPowerTcp: switches insert"}})
    {
        HpccFabricHelper fabric;
        fabric.SetTelemetryAgentAttribute("Insertion", StringValue(insertion));
        fabric.Install(HpccTopology::Star(2, FAST));
        const std::string said =
            RefusalOf([&] { fabric.Connect(0, 1, HpccFabricHelper::MakePolicy("powertcp")); });
        EXPECT_EQ(said.substr(0, expected.size()), expected) << insertion;
        EXPECT_EQ(said.empty(), expected.empty()) << said;
    }
}

TEST_F(Refusals, AMessageThatCannotBePostedIsRefusedInOneLine)
{
    const Ptr<RdmaHost> host = Fabric().GetHost(0);
    const Ptr<RdmaHost> peer = Fabric().GetHost(1);
    const uint32_t plain = host->Connect(peer, ConfigOf("dcqcn"));
    auto config = ConfigOf("dcqcn");
    config.singleMessage = true;
    const uint32_t single = host->Connect(peer, config);
    config = ConfigOf("dcqcn");
    config.responderPolicy = config.policy;
    const uint32_t readable = host->Connect(peer, config);
    const auto post = [](const Ptr<RdmaHost>& at, uint32_t pair, RdmaVerb verb, uint64_t bytes) {
        return RefusalOf([&] { at->Post(pair, verb, bytes); });
    };
    Expect(post(host, 99, RdmaVerb::WRITE, 1), {"RdmaHost::Post: queue pair 99", "the host has 3"});
    Expect(post(host, plain, RdmaVerb::WRITE, 0),
           {"RdmaHost::Post", "0 bytes", "allowed are 1 to"});
    Expect(post(host, plain, RdmaVerb::READ_RESPONSE, 1), {"READ_RESPONSE", "WRITE and READ"});
    Expect(post(host, plain, static_cast<RdmaVerb>(77), 1), {"number 77", "WRITE and READ"});
    Expect(post(host, plain, RdmaVerb::READ, 1), {"READ needs a policy", "responderPolicy"});
    Expect(post(peer, plain, RdmaVerb::WRITE, 1), {"no policy at this end", "responderPolicy"});
    Expect(post(host, readable, RdmaVerb::READ, 4294967296), {"4294967296", "at most 4294967295"});
    EXPECT_EQ(post(host, single, RdmaVerb::WRITE, 1), "");
    Expect(post(host, single, RdmaVerb::WRITE, 1), {"a second message", "singleMessage"});
}

TEST_F(Refusals, APlannedMessageThatCannotBePostedIsRefusedBeforeItsTime)
{
    const LeaksAllowed allowed; // Simulator::Run() ends by an exception
    const auto plan = [](HpccFabricHelper& fabric, uint32_t pair, RdmaVerb verb, uint64_t bytes) {
        return RefusalOf([&] { fabric.AddMessage(0, pair, bytes, Seconds(1), verb); });
    };
    const auto spec = HpccFabricHelper::MakePolicy("dcqcn");
    const uint32_t plain = Fabric().Connect(0, 1, spec);
    const uint32_t readable = Fabric().Connect(0, 1, spec, 0, false, true);
    const uint32_t single = Fabric().Connect(0, 1, spec, 0, true);
    Expect(plan(Fabric(), plain, RdmaVerb::READ, 1), {"READ needs a policy", "with reads"});
    Expect(plan(Fabric(), single, RdmaVerb::READ, 1), {"READ needs a policy", "responderPolicy"});
    Expect(plan(Fabric(), plain, RdmaVerb::READ_RESPONSE, 1), {"READ_RESPONSE", "WRITE and READ"});
    Expect(plan(Fabric(), readable, RdmaVerb::READ, 4294967296), {"at most 4294967295"});
    EXPECT_EQ(plan(Fabric(), readable, RdmaVerb::READ, 1), "");
    EXPECT_EQ(plan(Fabric(), single, RdmaVerb::WRITE, 1), "");
    EXPECT_EQ(plan(Fabric(), single, RdmaVerb::WRITE, 1), "");
    Simulator::Stop(MicroSeconds(1));
    Expect(RefusalOf([] { Simulator::Run(); }), {"a second message", "singleMessage"});
    Simulator::Destroy();

    HpccFabricHelper sacks;
    sacks.SetHostAttribute("Recovery", StringValue("sack"));
    sacks.Install(HpccTopology::Star(2, FAST));
    for (const bool one : {false, true})
    {
        const uint32_t pair = sacks.Connect(0, 1, spec, 0, one);
        Expect(plan(sacks, pair, RdmaVerb::SEND, 1), {"not WRITE", "SACKs"});
        EXPECT_EQ(plan(sacks, pair, RdmaVerb::WRITE, 1), "");
    }
}

TEST_F(Refusals, AnotherPriorityThanThatOfTheConnectedQueuePairIsRefusedBeforeTheFirstMessage)
{
    const LeaksAllowed allowed; // Simulator::Run() ends by an exception
    const std::string original = "26:3,48:6";
    const auto map = [this](uint32_t host, const std::string& text) {
        Fabric().GetDevice(host, 0)->SetAttribute("DscpToPriority", StringValue(text));
    };
    const auto add = [this](uint32_t queuePair) {
        return RefusalOf([&] { Fabric().AddMessage(0, queuePair, 1000, Seconds(1)); });
    };
    map(0, original);
    const uint32_t queuePair = Fabric().Connect(0, 1, HpccFabricHelper::MakePolicy("none"));
    const std::vector<std::string> expected{"DscpToPriority of the host gives DSCP 26 priority 5",
                                            "priority 3 when the queue pair was connected"};
    map(0, "26:5,48:6");
    Expect(add(queuePair), expected);
    map(0, "26:3,48:5");
    EXPECT_EQ(add(queuePair), "") << "the priority of the data does not change";
    map(0, "26:5,48:6");
    Simulator::Stop(MicroSeconds(1));
    Expect(RefusalOf([] { Simulator::Run(); }), expected);
}

TEST_F(Refusals, AMessageThatACallbackOfALaggingNodePostsAtAnotherNodeIsRefusedInOneLine)
{
    for (const int64_t lagNs : {0, 900})
    {
        HpccFabricHelper fabric;
        fabric.SetMaxLag(NanoSeconds(lagNs));
        fabric.Install(HpccTopology::Star(3, FAST));
        const auto spec = HpccFabricHelper::MakePolicy("dcqcn");
        Poster own{fabric.GetHost(0), fabric.Connect(0, 1, spec)};
        Poster other{fabric.GetHost(2), fabric.Connect(2, 1, spec)};
        for (Poster* poster : {&own, &other})
        {
            own.host->TraceConnectWithoutContext("MessageAcknowledged",
                                                 MakeCallback(&Poster::Post, poster));
        }
        fabric.AddMessage(0, own.queuePair, 10000, Time(0));
        Simulator::Stop(MicroSeconds(100));
        Simulator::Run();
        EXPECT_EQ(own.said, "") << "MaxLag " << lagNs;
        if (lagNs == 0)
        {
            EXPECT_EQ(other.said, "");
        }
        else
        {
            const auto idOf = [&](uint32_t i) {
                return std::to_string(fabric.GetNodes().Get(i)->GetId());
            };
            Expect(other.said,
                   {"RdmaHost::Post: queue pair",
                    "a callback of node " + idOf(0) + " posts at node " + idOf(2),
                    "allowed are",
                    "--max-lag=0ns"});
        }
        Simulator::Destroy();
    }
}

TEST_F(Refusals, ADeviceASwitchOrAHostThatCannotBeInstalledIsRefusedInOneLine)
{
    const auto node = CreateObject<Node>();
    Expect(RefusalOf([&] { CreateObject<RdmaHost>()->Install(node, 1); }),
           {"RdmaHost::Install: node ", "0 devices of ns3::QbbNetDevice"});
    const auto channel = CreateObject<QbbChannel>();
    Expect(RefusalOf([&] { CreateObject<QbbNetDevice>()->Attach(channel); }),
           {"QbbNetDevice::Attach", "Node::AddDevice()"});
    const auto port = CreateObject<QbbNetDevice>();
    node->AddDevice(port);
    Expect(RefusalOf([&] { port->Attach(nullptr); }),
           {"QbbNetDevice::Attach: node ", "port 0: the channel is null"});
    Expect(RefusalOf([&] { CreateObject<QbbSwitch>()->Install(nullptr); }),
           {"QbbSwitch::Install: the node is null"});
    Expect(RefusalOf([&] { CreateObject<QbbSwitch>()->AddAgent(nullptr); }),
           {"QbbSwitch::AddAgent: the agent is null"});
    Expect(RefusalOf([&] { CreateObject<RdmaHost>()->Install(nullptr, 1); }),
           {"RdmaHost::Install: the node is null"});
    Expect(RefusalOf([&] { CreateObject<QbbSwitch>()->Install(node); }),
           {"QbbSwitch::Install: node ", "device 0 has no channel", "QbbNetDevice::Attach()"});
    node->AddDevice(CreateObject<QbbNetDevice>());
    Expect(RefusalOf([&] { CreateObject<RdmaHost>()->Install(node, 1); }),
           {"2 devices of ns3::QbbNetDevice and 1 addresses", "each with an address"});
    Expect(RefusalOf([&] {
               for (uint32_t i = 0; i < 3; ++i)
               {
                   const auto device = CreateObject<QbbNetDevice>();
                   node->AddDevice(device);
                   device->Attach(channel);
               }
           }),
           {"QbbChannel::Attach: a third device", "two"});
    const auto other = CreateObject<QbbChannel>();
    port->Attach(other);
    for (const auto& again : {other, CreateObject<QbbChannel>()})
    {
        Expect(RefusalOf([&] { port->Attach(again); }),
               {"QbbNetDevice::Attach: node ", "port 0: it is attached already"});
    }
    EXPECT_EQ(other->GetNDevices(), 1U) << "the other end is free";
    Expect(RefusalOf([&] { QbbHelper().Install(NodeContainer(node)); }),
           {"QbbHelper::Install: 1 nodes", "at least 2"});
    Expect(RefusalOf([&] { Fabric().GetSwitch(2)->Install(Fabric().GetNodes().Get(2)); }),
           {"QbbSwitch::Install: node ", "installed already"});
    const auto application = CreateObject<RdmaApplication>();
    node->AddApplication(application);
    Expect(RefusalOf([&] { application->Initialize(); }),
           {"RdmaApplication: node ", "no ns3::RdmaHost"});
}

TEST_F(Refusals, MessagesAtOrAfterTheStopTimeAreRefusedInOneLine)
{
    const auto application =
        DynamicCast<RdmaApplication>(Fabric().GetNodes().Get(0)->GetApplication(0));
    for (int64_t us : {1, 5, 7})
    {
        application->AddMessage(MicroSeconds(us), 0, 1000);
    }
    application->SetStopTime(MicroSeconds(5));
    Expect(RefusalOf([&] { application->Initialize(); }),
           {"RdmaApplication: node 0: 2 of 3 messages are due at or after StopTime, 5000 ns",
            "the last at 7000 ns"});
}

TEST_F(Refusals, ASwitchAgentBeforeThereAreSwitchesIsRefusedInOneLine)
{
    HpccFabricHelper fabric;
    Expect(RefusalOf([&] { fabric.AddSwitchAgent("rcp"); }),
           {"switch agent \"rcp\"", "no switches yet", "HpccFabricHelper::Install()"});
    fabric.Install(HpccTopology::Star(2, FAST));
    EXPECT_EQ(RefusalOf([&] { fabric.AddSwitchAgent("rcp"); }), "");
    EXPECT_NE(fabric.GetSwitch(2)->GetObject<SwitchAgent>(), nullptr);
}

TEST_F(Refusals, WhatAFabricCannotDoIsRefusedInOneLine)
{
    Expect(RefusalOf([&] { Fabric().Install(HpccTopology::Star(2, FAST)); }),
           {"HpccFabricHelper::Install: a topology of 3 nodes", "once"});
    Expect(RefusalOf([&] { Fabric().AddMessage(2, 0, 1, Time(0)); }),
           {"AddMessage: node 2 has no ns3::RdmaApplication", "hosts"});
    Expect(RefusalOf([&] { Fabric().GetPath(0, 7); }),
           {"GetPath: node 7 does not exist; nodes are 0 to 2"});
    HpccInternetHelper internet;
    internet.Install(Fabric());
    Expect(RefusalOf([&] { internet.Install(Fabric()); }),
           {"HpccInternetHelper::Install", "already"});
}

TEST_F(Refusals, WhatAnIpHostCannotDoIsRefusedInOneLine)
{
    const auto node = Fabric().GetNodes().Get(0);
    const InetSocketAddress to(HpccInternetHelper::GetIpv4Address(1), 9);
    HpccInternetHelper internet;
    for (const std::string size : {"nonsense", "100", "16MB 3", ""})
    {
        Expect(RefusalOf([&] { internet.SetQueueSize(size); }),
               {"SetQueueSize: \"" + size + "\"", "16MB"});
    }
    internet.Install(Fabric());
    HpccUdpHelper udp;
    Expect(RefusalOf([&] { udp.SetPacketSize(100000); }),
           {"HpccUdpHelper::SetPacketSize: 100000", "from 24 to 65507, or 0"});
    udp.Install(Fabric());
    Expect(RefusalOf([&] { udp.Install(Fabric()); }), {"HpccUdpNic: host", "already"});
    HpccTcpHelper tcp;
    tcp.Install(Fabric());
    Expect(RefusalOf([&] { tcp.Install(Fabric()); }), {"HpccTcpNic: host", "already"});
    const Ipv6Address own6 = HpccInternetHelper::GetIpv6Address(0);
    for (const Address& own : {Address(InetSocketAddress(Ipv4Address::GetLoopback(), 9)),
                               Address(InetSocketAddress(HpccInternetHelper::GetIpv4Address(0), 9)),
                               Address(Inet6SocketAddress(own6, 9))})
    {
        Expect(RefusalOf([&] { udp.Add(node, own, 1000, Time(0)); }),
               {"HpccUdpHelper::Add", "node 0 itself", "other hosts"});
    }
    EXPECT_EQ(RefusalOf([&] { udp.Add(node, to, 1000, Time(0)); }), "");
    Expect(RefusalOf([&] { Fabric().EnablePcapAll("/nosuch/host"); }),
           {"cannot write /nosuch/host", "existing directory"});
    Config::Reset();
}

TEST_F(Refusals, AnAddressThatIsNotSetIsRefusedInOneLine)
{
    HpccInternetHelper internet;
    internet.Install(Fabric());
    HpccUdpHelper udp;
    udp.Install(Fabric());
    const auto node = Fabric().GetNodes().Get(0);
    Expect(RefusalOf([&] {
               udp.Add(node, Address(), 1000, Time(0));
               Simulator::Run();
           }),
           {"HpccUdpApplication::Remote is not set", "InetSocketAddress"});
    Simulator::Destroy();
    for (Ptr<Application> application : {Ptr<Application>(CreateObject<HpccIwarpWriter>()),
                                         Ptr<Application>(CreateObject<HpccIwarpTarget>())})
    {
        const auto other = CreateObject<Node>();
        other->AddApplication(application);
        Expect(RefusalOf([&] {
                   application->Initialize();
                   Simulator::Run();
               }),
               {application->GetInstanceTypeId().GetName(), "is not set", "InetSocketAddress"});
        Simulator::Destroy();
    }
}

TEST_F(Refusals, AnApplicationThatIsNotOfIwarpIsRefusedInOneLine)
{
    Expect(
        RefusalOf([] { HpccIwarpHelper::Observe(CreateObject<HpccIwarpWriter>()); }),
        {"HpccIwarpHelper::Observe", "is ns3::HpccIwarpWriter", "allowed is ns3::HpccIwarpTarget"});
    Expect(
        RefusalOf([] { HpccIwarpHelper::GetError(nullptr); }),
        {"HpccIwarpHelper::GetError", "is null", "ns3::HpccIwarpTarget or ns3::HpccIwarpWriter"});
}

TEST_F(Refusals, AnotherTimeResolutionIsRefusedInOneLine)
{
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            Time::SetResolution(Time::PS);
            std::cerr << RefusalOf([] { CreateObject<NodeAgenda>(); });
            std::_Exit(2);
        },
        testing::ExitedWithCode(2),
        "^ns3::Time::SetResolution: another resolution than Time::NS is not allowed");
}

} // namespace
