/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-star-refusals.h"

#include "ns3/config.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-internet-helper.h"
#include "ns3/hpcc-pint-agent.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-switch-responder.h"
#include "ns3/hpcc-tcp-helper.h"
#include "ns3/hpcc-tcp-nic.h"
#include "ns3/hpcc-udp-helper.h"
#include "ns3/hpcc-udp-nic.h"
#include "ns3/node.h"
#include "ns3/qbb-channel.h"
#include "ns3/qbb-net-device.h"
#include "ns3/rdma-host.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

using Call = std::pair<std::string, std::function<void()>>;

/// Tests that refused calls have no effect, and that calls without a network, a node or a packet
/// are refused.
class CallRefusals : public StarRefusals
{
  protected:
    ~CallRefusals() override
    {
        Config::Reset();
    }

    /// Returns the refusal of a queue pair from host 0 to host 1; empty if it is connected.
    std::string Connect(HpccFabricHelper& fabric, const HpccFabricHelper::PolicySpec& spec)
    {
        return RefusalOf([&] { fabric.Connect(0, 1, spec); });
    }

    /// Returns the refusal of a queue pair that the hosts refuse, after the network has accepted
    /// it.
    std::string ConnectRefusedByHost(const HpccFabricHelper::PolicySpec& spec)
    {
        return ConnectRefusedByHost(Fabric(), spec);
    }

    /// Does the same in another network.
    std::string ConnectRefusedByHost(HpccFabricHelper& fabric,
                                     const HpccFabricHelper::PolicySpec& spec)
    {
        const Ptr<RdmaHost> peer = fabric.GetHost(1);
        peer->SetAttribute("FeedbackKey", StringValue("other"));
        const std::string said = Connect(fabric, spec);
        peer->SetAttribute("FeedbackKey", StringValue(""));
        return said;
    }
};

TEST_F(CallRefusals, ARefusedConnectionStartsNoSwitchAgentAndUsesNoStreams)
{
    Fabric().AssignStreams(1);
    const int64_t stream = Fabric().GetNextStream();
    auto spec = HpccFabricHelper::MakePolicy("hpcc-pint");
    spec.policy.Set("T", TimeValue(MicroSeconds(50)));
    for (uint32_t attempt = 0; attempt < 2; ++attempt)
    {
        Expect(Connect(Fabric(), spec),
               {"ns3::RdmaHpccPint::T is 50000 ns", "ns3::PintAgent::T", "both must be the same"});
        EXPECT_EQ(Fabric().GetNextStream(), stream);
        EXPECT_FALSE(Fabric().GetNodes().Get(2)->GetObject<PintAgent>());
        EXPECT_TRUE(Fabric().GetFormats().empty());
    }
    spec.policy.Set("T", TimeValue(Time(0)));
    const uint32_t queuePair = Fabric().Connect(0, 1, spec);
    EXPECT_EQ(Fabric().GetNextStream(), stream + 2) << "one stream per port of the switch";
    EXPECT_TRUE(Fabric().GetNodes().Get(2)->GetObject<PintAgent>());
    EXPECT_EQ(Fabric().GetFormats().size(), 1U);
    Fabric().AddMessage(0, queuePair, 10000, Time(0));
    Simulator::Run();
    EXPECT_EQ(Fabric().GetHost(0)->GetQueuePair(queuePair).sndUnaByte, 10000U);
}

TEST_F(CallRefusals, ARefusedSubscriptionStartsNoSwitchAgent)
{
    HpccFabricHelper fabric;
    fabric.Install(HpccTopology::LeafSpine(2, 2, 1, FAST));
    const auto spec = HpccFabricHelper::MakePolicy("hpcc++", "", "switch");
    Config::SetDefault("ns3::SwitchResponder::Ttl", UintegerValue(2));
    Expect(Connect(fabric, spec), {"ns3::SwitchResponder::Ttl is 2", "3 switch(es)"});
    EXPECT_FALSE(fabric.GetNodes().Get(2)->GetObject<SwitchResponder>());
    Config::SetDefault("ns3::SwitchResponder::Ttl", UintegerValue(64));
    EXPECT_EQ(Connect(fabric, spec), "");
    EXPECT_TRUE(fabric.GetNodes().Get(2)->GetObject<SwitchResponder>());
}

TEST_F(CallRefusals, ARefusedConnectionDoesNotRestrictDomainEdges)
{
    for (const auto& [policy, telemetry, feedback] :
         {std::tuple("hpcc++", "", "roce-reference"), // reports one hop
          std::tuple("hpcc++:sojourn", "", "packet"), // needs the time in the switch
          std::tuple("powertcp", "sigcomm19", "packet")})
    {
        const auto spec = HpccFabricHelper::MakePolicy(policy, telemetry, feedback);
        Expect(ConnectRefusedByHost(spec), {"FeedbackKey of 11.0.0.1 and 11.0.0.2 differ"});
        EXPECT_TRUE(Fabric().GetFormats().empty());
    }
    EXPECT_EQ(RefusalOf([&] { Fabric().AddTelemetryBorder(2, 1); }), "");
    EXPECT_TRUE(Fabric().CrossesBorder(0, 1));
}

TEST_F(CallRefusals, ARefusedConnectionTakesNoShareFromOtherPriorities)
{
    HpccFabricHelper fabric;
    fabric.SetTelemetryAgentAttribute("Bandwidth", StringValue("Share"));
    fabric.Install(HpccTopology::Star(2, FAST));
    auto first = HpccFabricHelper::MakePolicy("hpcc++");
    first.dscp = 48; // a priority that is sent before that of RdmaHost::DataDscp
    const auto spec = HpccFabricHelper::MakePolicy("hpcc++");
    Expect(ConnectRefusedByHost(fabric, first), {"FeedbackKey of 11.0.0.1 and 11.0.0.2 differ"});
    EXPECT_EQ(Connect(fabric, spec), "");
    Expect(Connect(fabric, first), {"Share", "priority"});
}

TEST_F(CallRefusals, ARefusedDomainEdgeDoesNotRemain)
{
    EXPECT_EQ(Connect(Fabric(), HpccFabricHelper::MakePolicy("hpcc++", "", "roce-reference")), "");
    Expect(RefusalOf([&] { Fabric().AddTelemetryBorder(2, 1); }),
           {"--feedback roce-reference", "node 2", "allowed is feedback of all hops"});
    EXPECT_FALSE(Fabric().CrossesBorder(0, 1));
    EXPECT_EQ(Connect(Fabric(), HpccFabricHelper::MakePolicy("hpcc++:sojourn")), "");
}

TEST_F(CallRefusals, AHostThatRefusesAQueuePairFixesNoFeedbackMode)
{
    const auto spec = HpccFabricHelper::MakePolicy("hpcc++", "", "every-8");
    EXPECT_NE(ConnectRefusedByHost(spec), "");
    const auto feedback = ConstCast<RdmaFeedback>(spec.feedback);
    EXPECT_EQ(RefusalOf([&] { feedback->SetAttribute("Sampling", StringValue("per-rtt")); }), "");
    EXPECT_EQ(Connect(Fabric(), spec), "");
    EXPECT_NE(RefusalOf([&] { feedback->SetAttribute("Sampling", StringValue("every-8")); }), "");
}

TEST_F(CallRefusals, AHostRefusesAPolicyWhoseAttributesDoNotWork)
{
    const auto connect = [this](const std::string& policy,
                                const std::string& feedback,
                                const std::function<void(HpccFabricHelper::PolicySpec&)>& change) {
        auto spec = HpccFabricHelper::MakePolicy(policy, "", feedback);
        change(spec);
        RdmaQueuePairConfig config;
        config.policy = spec.policy.Create<RdmaCongestionOps>();
        config.telemetry = spec.format;
        config.feedback = spec.feedback;
        return RefusalOf([&] { Fabric().GetHost(0)->Connect(Fabric().GetHost(1), config); });
    };
    const std::string start = "ns3::RdmaHost::Connect: ns3::Rdma";
    Expect(connect("swift",
                   "packet",
                   [](auto& spec) { spec.policy.Set("MinCwnd", DoubleValue(1e9)); }),
           {start + "Swift::MinCwnd is 1e+09, allowed is at most MaxCwnd"});
    Expect(connect("dctcp", "packet", [](auto&) {}),
           {start + "Dctcp::T is 0 and the network's base RTT is unknown", "above 0"});
    Expect(
        connect("dcqcn",
                "packet",
                [](auto& spec) { spec.policy.Set("MinRate", DataRateValue(DataRate("100Gbps"))); }),
        {start + "Dcqcn: MinRate is 100000000000bps, allowed is below the line rate of host ",
         "11.0.0.1, 100000000000bps"});
    Expect(connect("hpcc++:sojourn", "roce-reference", [](auto&) {}),
           {start + "HpccPlusPlus::QueueSignal Sojourn needs the time in the switch"});
    EXPECT_EQ(connect("dcqcn", "packet", [](auto&) {}), "");
    EXPECT_EQ(connect("dctcp",
                      "packet",
                      [](auto& spec) { spec.policy.Set("T", TimeValue(MicroSeconds(4))); }),
              "");
    EXPECT_EQ(Fabric().GetHost(0)->GetQueuePairs(), 2U);
    EXPECT_EQ(Fabric().GetHost(1)->GetQueuePairs(), 2U);
}

TEST_F(CallRefusals, AHostRefusesTheAttributesOfThePolicyOfReadResponses)
{
    RdmaQueuePairConfig config;
    auto spec = HpccFabricHelper::MakePolicy("dcqcn");
    config.policy = spec.policy.Create<RdmaCongestionOps>();
    spec.policy.Set("MinRate", DataRateValue(DataRate("100Gbps")));
    config.responderPolicy = spec.policy.Create<RdmaCongestionOps>();
    Expect(RefusalOf([&] { Fabric().GetHost(0)->Connect(Fabric().GetHost(1), config); }),
           {"ns3::RdmaDcqcn: MinRate is 100000000000bps", "host 11.0.0.2"});
    EXPECT_EQ(Fabric().GetHost(0)->GetQueuePairs(), 0U);
}

TEST_F(CallRefusals, ANullPacketNodePortOrSenderIsRefusedInOneLine)
{
    const Ptr<QbbNetDevice> port = Fabric().GetDevice(0, 0);
    Expect(RefusalOf([&] { port->Send(nullptr, Address(), 0x0800); }),
           {"ns3::QbbNetDevice::Send: the packet is null; pass a packet"});
    const auto single = CreateObject<QbbNetDevice>();
    Expect(RefusalOf([&] { Fabric().EnablePcap("none", Ptr<NetDevice>()); }),
           {"ns3::HpccFabricHelper::EnablePcap: the device is null; pass a device"});
    for (const auto& [function, call] :
         {Call("Send", [&] { single->Send(Create<Packet>(100), Address(), 0x0800); }),
          Call("Attach", [&] { single->Attach(CreateObject<QbbChannel>()); }),
          Call("ScheduleLink", [&] { single->ScheduleLink(5, false); }),
          Call("RequestPause", [&] { single->RequestPause(3); }),
          Call("ReleasePause", [&] { single->ReleasePause(3); })})
    {
        Expect(RefusalOf(call),
               {"ns3::QbbNetDevice::" + function +
                ": the device has no node; call Node::AddDevice() first"});
    }
    for (const auto& call : {std::function<void()>([] { NodeAgenda::Of(nullptr); }),
                             std::function<void()>([&] { single->SetNode(nullptr); })})
    {
        Expect(RefusalOf(call), {"ns3::NodeAgenda::Of: the node is null; pass a node"});
    }
    const auto format = HpccFabricHelper::MakePolicy("hpcc++").format;
    for (const Ptr<HpccIpNic>& nic :
         {Ptr<HpccIpNic>(CreateObject<HpccUdpNic>()), Ptr<HpccIpNic>(CreateObject<HpccTcpNic>())})
    {
        const std::string install = nic->GetInstanceTypeId().GetName() + "::Install: ";
        Expect(RefusalOf([&] { nic->Install(nullptr, format, nullptr, 4000); }),
               {install + "the port is null; pass a port of the host"});
        Expect(RefusalOf([&] { nic->Install(port, nullptr, nullptr, 4000); }),
               {install + "the format is null; pass a telemetry format"});
    }
    const auto udp = CreateObject<HpccUdpNic>();
    Expect(RefusalOf([&] { udp->Open({}, nullptr); }),
           {"ns3::HpccUdpNic::Open: the sender is null; pass a sender"});
    EXPECT_EQ(udp->GetFlows(), 0U);
}

TEST_F(CallRefusals, ANetworkThatDestroyHasRemovedGetsNoStack)
{
    HpccFabricHelper& fabric = Fabric();
    Simulator::Run();
    Simulator::Destroy();
    const auto spec = HpccFabricHelper::MakePolicy("hpcc++");
    for (const auto& [function, call] :
         {Call("HpccFabricHelper::CheckRoom", [&] { fabric.CheckRoom("datagrams", 1500, 0); }),
          Call("HpccFabricHelper::CheckFormat", [&] { fabric.CheckFormat(spec); }),
          Call("HpccFabricHelper::AddTelemetryBorder", [&] { fabric.AddTelemetryBorder(2, 1); }),
          Call("HpccFabricHelper::SetNetworkBaseRttNs", [&] { fabric.SetNetworkBaseRttNs(9000); }),
          Call("HpccFabricHelper::MakePeerCheck", [&] { fabric.MakePeerCheck(spec.format, 0); }),
          Call("HpccInternetHelper::Install", [&] { HpccInternetHelper().Install(fabric); }),
          Call("HpccUdpHelper::Install", [&] { HpccUdpHelper().Install(fabric); }),
          Call("HpccTcpHelper::Install", [&] { HpccTcpHelper().Install(fabric); }),
          Call("HpccTcpHelper::Tune", [&] { HpccTcpHelper().Tune(fabric); })})
    {
        Expect(RefusalOf(call),
               {"ns3::" + function + ": Simulator::Destroy() has removed the network",
                "another HpccFabricHelper"});
    }
}

TEST_F(CallRefusals, ANetworkThatInstallHasRefusedGetsNoStack)
{
    HpccFabricHelper fabric;
    fabric.SetScheduler("fifo");
    fabric.SetDeviceAttribute("Weights", StringValue("1:1,3:2"));
    EXPECT_NE(RefusalOf([&] { fabric.Install(HpccTopology::Star(2, FAST)); }), "");
    for (const auto& [function, call] :
         {Call("HpccFabricHelper::CheckRoom", [&] { fabric.CheckRoom("datagrams", 1500, 0); }),
          Call("HpccFabricHelper::AddTelemetryBorder", [&] { fabric.AddTelemetryBorder(2, 1); }),
          Call("HpccInternetHelper::Install", [&] { HpccInternetHelper().Install(fabric); })})
    {
        Expect(RefusalOf(call), {"ns3::" + function + ": Install() has refused the network"});
    }
}

TEST_F(CallRefusals, AValueOfANetworkThatIsNotInstalledIsRefusedInOneLine)
{
    const HpccFabricHelper fabric;
    const auto format = HpccFabricHelper::MakePolicy("hpcc++").format;
    for (const auto& [function, call] :
         {Call("GetNetworkBaseRttNs", [&] { fabric.GetNetworkBaseRttNs(); }),
          Call("GetInventory", [&] { fabric.GetInventory(0); }),
          Call("GetThinning", [&] { fabric.GetThinning(); }),
          Call("CheckRoom", [&] { fabric.CheckRoom("datagrams", 1500, 0); }),
          Call("CheckPackets", [&] { fabric.CheckPackets("datagrams", 1500, false); }),
          Call("MakePeerCheck", [&] { fabric.MakePeerCheck(format, 0); }),
          Call("RequireComplete", [&] { fabric.RequireComplete("RequireComplete"); })})
    {
        Expect(RefusalOf(call), {"ns3::HpccFabricHelper::" + function + ": ", "after Install()"});
    }
    EXPECT_EQ(fabric.GetNodes().GetN(), 0U);
    EXPECT_TRUE(fabric.GetDevices().empty());
    EXPECT_EQ(fabric.GetTopology().GetNodes(), 0U);
    EXPECT_TRUE(fabric.GetFormats().empty());
    EXPECT_TRUE(fabric.FindPauseCycle().empty());
    Expect(RefusalOf([&] { Fabric().GetInventory(8); }), {"GetInventory: priority", "8", "7"});
    Expect(RefusalOf([&] { Fabric().GetHost(0)->SetInventory(8, nullptr); }),
           {"RdmaHost::SetInventory: priority", "8", "7"});
    for (const auto& [text, unused] : {std::pair(std::string("null"), Ptr<TelemetryFormat>()),
                                       std::pair(std::string("ns3::"), format)})
    {
        Expect(RefusalOf([&, it = unused] { Fabric().MakePeerCheck(it, 0); }),
               {"MakePeerCheck: the format of host 0 is " + text, "CheckFormat()"});
    }
}

/// Throws an exception when it is called for the first time.
void
ThrowOnce(bool* thrown, const RdmaMessageRecord&)
{
    if (!std::exchange(*thrown, true))
    {
        throw std::runtime_error("a trace sink");
    }
}

TEST_F(CallRefusals, PlannedMessagesFollowAnExceptionOfATraceSink)
{
    const LeaksAllowed allowed; // Simulator::Run() ends by an exception
    for (const Time& lag : {Time(0), MicroSeconds(1)})
    {
        HpccFabricHelper fabric;
        fabric.SetMaxLag(lag);
        fabric.Install(HpccTopology::Star(2, FAST));
        const uint32_t queuePair = fabric.Connect(0, 1, HpccFabricHelper::MakePolicy("none"));
        for (const int64_t us : {1, 1, 2, 500})
        {
            fabric.AddMessage(0, queuePair, 1000, MicroSeconds(us));
        }
        bool thrown = false;
        fabric.GetHost(0)->TraceConnectWithoutContext("MessagePosted",
                                                      MakeBoundCallback(&ThrowOnce, &thrown));
        EXPECT_THROW(Simulator::Run(), std::runtime_error);
        Simulator::Run();
        EXPECT_EQ(fabric.GetHost(0)->GetQueuePair(queuePair).sndUnaByte, 4000U) << lag;
        Simulator::Destroy();
    }
}

TEST_F(CallRefusals, AQueueFilterWithoutEffectIsNamedWithItsValue)
{
    for (const std::string value : {"Min", "Current", "Auto"})
    {
        auto spec = HpccFabricHelper::MakePolicy("hpcc-pint");
        spec.policy.Set("QueueFilter", StringValue(value));
        Expect(Connect(Fabric(), spec),
               {"ns3::RdmaHpccPint::QueueFilter is " + value + ", allowed is Default: "});
    }
}

} // namespace
