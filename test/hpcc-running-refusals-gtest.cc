/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests changes of attributes while a network runs.

#include "hpcc-test-star-refusals.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/hpcc-abm-buffer.h"
#include "ns3/hpcc-closed-loop.h"
#include "ns3/hpcc-monitor.h"
#include "ns3/hpcc-node-agenda.h"
#include "ns3/hpcc-packet-trimmer.h"
#include "ns3/object-factory.h"
#include "ns3/pointer.h"
#include "ns3/qbb-net-device.h"
#include "ns3/qbb-switch.h"
#include "ns3/rdma-host.h"
#include "ns3/rdma-migration.h"
#include "ns3/rdma-no-congestion-control.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// A policy that needs no telemetry, and whose description depends on the format all the same.
class FormatReader : public RdmaNoCongestionControl
{
  public:
    RdmaPolicyDescription Describe(const TelemetryCapabilities* telemetry) const override
    {
        RdmaPolicyDescription needs = RdmaNoCongestionControl::Describe(telemetry);
        needs.bandwidth = !telemetry;
        return needs;
    }
};

/// Counts the calls of a trace sink.
struct SinkCalls
{
    /// Counts a call.
    void Count(uint32_t, double)
    {
        ++calls;
    }

    uint32_t calls{0}; ///< number of calls
};

/// A change of an attribute.
struct Change
{
    Ptr<Object> object;    ///< the object
    std::string attribute; ///< the attribute
    std::string value;     ///< the new value
    std::string refusal;   ///< part of the message; empty if the value is allowed
};

/// Tests changes of attributes during a run.
class RunningRefusals : public StarRefusals
{
  protected:
    /**
     * Runs a network with a flow for 10 us, and then changes attributes. Expects that a value that
     * is refused does not remain set.
     * @param fabric a network without flows
     * @param changes the changes
     */
    static void ExpectDuringRun(HpccFabricHelper& fabric, const std::vector<Change>& changes)
    {
        const uint32_t queuePair = fabric.Connect(0, 1, HpccFabricHelper::MakePolicy("none"));
        fabric.AddMessage(0, queuePair, 10'000'000, Seconds(0));
        Simulator::Stop(MicroSeconds(10));
        Simulator::Run();
        for (const auto& [object, attribute, value, refusal] : changes)
        {
            const std::string name = attribute + " " + value;
            StringValue before;
            object->GetAttribute(attribute, before);
            const std::string said =
                RefusalOf([object = object, attribute = attribute, value = value] {
                    object->SetAttribute(attribute, StringValue(value));
                });
            StringValue after;
            object->GetAttribute(attribute, after);
            if (refusal.empty())
            {
                EXPECT_EQ(said, "") << name;
                EXPECT_NE(after.Get(), before.Get()) << name;
                continue;
            }
            EXPECT_NE(said, "") << name;
            Expect(said, {refusal});
            EXPECT_EQ(after.Get(), before.Get()) << name;
        }
    }
};

} // namespace

TEST_F(RunningRefusals, ABufferThatNoLongerAdmitsThePacketsOfTheRunIsRefusedInOneLine)
{
    for (const auto& [buffer, changes] : std::vector<std::pair<std::string, std::vector<Change>>>{
             {"abm",
              {{nullptr, "BufferBytes", "1073", "node 2: ns3::AbmBuffer admits at most 536 bytes"},
               {nullptr, "Alpha", "1e-06", "node 2: ns3::AbmBuffer admits at most 33 bytes"},
               {nullptr, "BufferBytes", "200000", ""},
               {nullptr, "Alpha", "0.25", ""}}},
             {"dynamic",
              {{nullptr, "EgressAlpha", "1e-06", "node 2: ns3::SharedBuffer admits at most 33"},
               {nullptr, "EgressAlpha", "0.5", ""}}}})
    {
        HpccFabricHelper fabric;
        fabric.SetDeviceAttribute("PfcEnabled", BooleanValue(false));
        fabric.SetBuffer(buffer);
        if (buffer == "dynamic")
        {
            fabric.SetBufferAttribute("ReservedBytes", StringValue("0"));
        }
        fabric.Install(HpccTopology::Star(2, FAST));
        std::vector<Change> ofSwitch = changes;
        for (Change& change : ofSwitch)
        {
            change.object = fabric.GetSwitch(2)->GetBuffer();
        }
        ExpectDuringRun(fabric, ofSwitch);
        Simulator::Destroy();
    }
}

TEST_F(RunningRefusals, ABufferIsCheckedBetweenTheFirstConnectionAndTheRun)
{
    HpccFabricHelper fabric;
    fabric.SetDeviceAttribute("PfcEnabled", BooleanValue(false));
    fabric.SetBuffer("abm");
    fabric.Install(HpccTopology::Star(2, FAST));
    const auto buffer = fabric.GetSwitch(2)->GetBuffer();
    const auto set = [&buffer] { buffer->SetAttribute("BufferBytes", StringValue("1000")); };
    EXPECT_EQ(RefusalOf(set), "") << "no packets are known";
    Expect(RefusalOf([&] { fabric.Connect(0, 1, HpccFabricHelper::MakePolicy("none")); }),
           {"node 2: ns3::AbmBuffer admits at most 500 bytes of priority 3"});
    buffer->SetAttribute("BufferBytes", StringValue("100000"));
    fabric.Connect(0, 1, HpccFabricHelper::MakePolicy("none"));
    Expect(RefusalOf(set), {"node 2: ns3::AbmBuffer admits at most 500 bytes of priority 3"});
}

TEST_F(RunningRefusals, AReceiveBufferOrPauseThatTheRunCannotUseIsRefusedInOneLine)
{
    HpccFabricHelper fabric;
    fabric.SetDeviceAttribute("ReceiveDrainRate", StringValue("50Gbps"));
    fabric.Install(HpccTopology::Star(2, FAST));
    const Ptr<QbbNetDevice> port = fabric.GetDevice(1, 0);
    ExpectDuringRun(
        fabric,
        {{port, "PauseQuanta", "2", "ns3::QbbNetDevice::PauseQuanta 2 is less than "},
         {port, "ReceiveBuffer", "1000", "ns3::QbbNetDevice::ReceivePauseThreshold is 1048576"},
         {port, "ReceiveBuffer", "1049000", "allowed is at least "},
         {port, "ReceivePauseThreshold", "2097152", "allowed is less than 2097152"},
         {port, "ReceivePauseThreshold", "524287", "allowed is at most 524287"},
         {port, "ReceiveResumeThreshold", "1048577", "allowed is at most 1048576"},
         {port, "ReceiveResumeThreshold", "1000", ""},
         {port, "ReceivePauseThreshold", "524287", ""},
         {port, "ReceiveBuffer", "1049000", ""},
         {port, "PauseQuanta", "1000", ""},
         {port, "ReceiveDrainRate", "40000000000bps", ""}});
}

TEST_F(RunningRefusals, AReceiveBufferThatIsSmallerThanAPacketIsRefusedInOneLine)
{
    HpccFabricHelper fabric;
    fabric.SetDeviceAttribute("PfcEnabled", BooleanValue(false));
    fabric.Install(HpccTopology::Star(2, FAST));
    const Ptr<QbbNetDevice> port = fabric.GetDevice(1, 0);
    ExpectDuringRun(
        fabric,
        {{port, "ReceiveBuffer", "1000", ""},
         {port, "ReceiveDrainRate", "50000000000bps", "as packets of ns3::RdmaHost::Mtu 1000 have"},
         {port, "ReceiveBuffer", "2000", ""},
         {port, "ReceiveDrainRate", "50000000000bps", ""}});
}

TEST_F(RunningRefusals, AMemoryThatShrinksBelowItsUseAdmitsNothingUntilItIsFreed)
{
    const auto buffer = CreateObject<AbmBuffer>();
    buffer->AddPort({8000000000, 1000, 1100, 0});
    EXPECT_EQ(buffer->Admit(0, 0, 2, 5000, 0), BufferPolicy::Verdict::ADMIT);
    buffer->SetAttribute("BufferBytes", StringValue("4000"));
    EXPECT_EQ(buffer->GetThresholdBytes(0, 2), 0);
    EXPECT_EQ(buffer->Admit(0, 0, 2, 100, 20000), BufferPolicy::Verdict::BUFFER_FULL);
    buffer->Release(0, 0, 2, 5000, 20001);
    EXPECT_EQ(buffer->Admit(0, 0, 2, 100, 20001), BufferPolicy::Verdict::ADMIT);
}

TEST_F(RunningRefusals, APauseOfALossyPriorityIsRefusedInOneLine)
{
    const auto port = Fabric().GetDevice(1, 0);
    for (const auto& [priority, name] :
         std::vector<std::pair<uint8_t, std::string>>{{2, "2"}, {8, "8"}, {255, "255"}})
    {
        Expect(RefusalOf([&port = port, priority = priority] { port->RequestPause(priority); }),
               {"ns3::QbbNetDevice::RequestPause: node 1, port 0: priority " + name +
                " is not lossless; allowed are ns3::QbbNetDevice::LosslessPriorities"});
    }
    EXPECT_EQ(RefusalOf([&] { port->RequestPause(3); }), "");
    EXPECT_EQ(RefusalOf([&] { port->ReleasePause(2); }), "");
    Expect(RefusalOf([&] { port->ReleasePause(8); }),
           {"ns3::QbbNetDevice::ReleasePause: priority 8 does not exist; allowed are 0 to 7"});
    HpccFabricHelper lossy;
    lossy.SetDeviceAttribute("PfcEnabled", BooleanValue(false));
    lossy.Install(HpccTopology::Star(2, FAST));
    Expect(RefusalOf([&] { lossy.GetDevice(1, 0)->RequestPause(3); }),
           {"priority 3", "PfcEnabled"});
}

TEST_F(RunningRefusals, AnMtuBelowThePacketsOfQueuePairsIsRefusedInOneLine)
{
    constexpr uint16_t least = 1060; // 1000 bytes and the headers from IP to ICRC
    const std::vector<Ptr<QbbNetDevice>> ports{Fabric().GetDevice(0, 0), Fabric().GetDevice(2, 1)};
    for (const auto& port : ports)
    {
        EXPECT_EQ(RefusalOf([&] { port->SetAttribute("Mtu", UintegerValue(5000)); }), "");
    }
    Fabric().Connect(0, 1, HpccFabricHelper::MakePolicy("none"));
    for (const auto& port : ports)
    {
        const std::string refusal = RefusalOf([&] { port->SetMtu(least - 1); });
        Expect(refusal,
               {"ns3::QbbNetDevice::Mtu: node ",
                ": 1059 comes after HpccFabricHelper::Connect(), whose packets have up to 1060 "
                "bytes; allowed is that or more"});
        EXPECT_EQ(RefusalOf([&] { port->SetAttribute("Mtu", UintegerValue(least - 1)); }), refusal);
        EXPECT_EQ(port->GetWireMtu(), 5000);
        EXPECT_EQ(RefusalOf([&] { port->SetAttribute("Mtu", UintegerValue(least)); }), "");
    }
}

TEST_F(RunningRefusals, AnMtuForWhichPausesExpireIsRefusedInOneLine)
{
    HpccFabricHelper fabric;
    fabric.SetDeviceAttribute("PauseQuanta", StringValue("500"));
    fabric.Install(HpccTopology::Star(2, FAST));
    const Ptr<QbbNetDevice> port = fabric.GetDevice(0, 0);
    ExpectDuringRun(fabric,
                    {{port, "Mtu", "40000", "ns3::QbbNetDevice::PauseQuanta 500 is less than "},
                     {port, "Mtu", "9300", ""}});
}

TEST_F(RunningRefusals, AConnectionAfterAMoveOfItsPortsIsRefusedInOneLine)
{
    HpccTopology topology;
    for (uint32_t node = 0; node < 4; ++node)
    {
        topology.AddNode(node >= 2);
    }
    for (const auto& [host, hub] : {std::pair(0U, 2U), {1U, 2U}, {0U, 3U}, {1U, 3U}})
    {
        topology.AddLink({host, hub, FAST.host, FAST.delay});
    }
    HpccFabricHelper fabric;
    fabric.SetPorts("0+move");
    fabric.ScheduleLinkDown(0, MicroSeconds(5));
    fabric.ScheduleLinkUp(0, MicroSeconds(300));
    fabric.Install(topology);
    Simulator::Stop(MicroSeconds(200));
    Simulator::Run();
    const auto spec = HpccFabricHelper::MakePolicy("none");
    Expect(RefusalOf([&] { fabric.Connect(0, 1, spec); }),
           {"ns3::HpccFabricHelper::Connect: flow 0 -> 1 at 200000 ns is later than 105000 ns",
            "--ports 0+move",
            "allowed is an earlier Connect(), or one after the recovery of its path"});
    EXPECT_EQ(fabric.GetHost(0)->GetQueuePairs(), 0U);
    Simulator::Stop(MicroSeconds(300));
    Simulator::Run();
    EXPECT_EQ(RefusalOf([&] { fabric.Connect(0, 1, spec); }), "") << "the link is up again";
}

TEST_F(RunningRefusals, ALargerLagThanAMonitorExpectsIsRefusedInOneLine)
{
    HpccFabricHelper fabric;
    fabric.SetMaxLag(NanoSeconds(300));
    fabric.Install(HpccTopology::Star(2, FAST));
    const uint32_t queuePair = fabric.Connect(0, 1, HpccFabricHelper::MakePolicy("none"));
    const auto agenda = NodeAgenda::Of(fabric.GetNodes().Get(1));
    const auto set = [&agenda](int64_t lagNs) {
        return RefusalOf([&] { agenda->SetAttribute("MaxLag", TimeValue(NanoSeconds(lagNs))); });
    };
    EXPECT_EQ(set(400), "") << "there is no monitor";
    const HpccMonitor monitor(fabric, {{0, 1, 1000, 0, queuePair, 0}}, 0);
    Expect(set(401),
           {"ns3::NodeAgenda::MaxLag: node ",
            " would lag by 401 ns, but an ns3::HpccMonitor expects at most 400 ns",
            "allowed is that or less"});
    EXPECT_EQ(agenda->GetLagNs(), 400);
    EXPECT_EQ(set(0), "");
    EXPECT_EQ(set(400), "");
}

TEST_F(RunningRefusals, TwoClosedLoopsOnAQueuePairAreRefusedInOneLine)
{
    const auto spec = HpccFabricHelper::MakePolicy("none");
    for (uint32_t i = 0; i < 2; ++i)
    {
        Fabric().Connect(0, 1, spec);
    }
    const auto next = [] { return 1000; };
    const HpccClosedLoop loop(Fabric(), 0, 0, next);
    Expect(RefusalOf([&] { HpccClosedLoop(Fabric(), 0, 0, next); }),
           {"ns3::HpccClosedLoop at host 0: queue pair 0 already has a closed loop",
            "use one per queue pair"});
    EXPECT_EQ(RefusalOf([&] { HpccClosedLoop(Fabric(), 1, 0, next); }),
              RefusalOf([&] { Fabric().GetHost(1)->CheckMessage(0, RdmaVerb::WRITE, 1); }))
        << "the other end is not reserved";
    const HpccClosedLoop other(Fabric(), 0, 1, next);
}

TEST_F(RunningRefusals, AThresholdOfTrimmingActsBeforeTheRunAndIsFixedDuringIt)
{
    HpccFabricHelper fabric;
    fabric.SetHostAttribute("Recovery", StringValue("sack"));
    fabric.SetDeviceAttribute("PfcEnabled", BooleanValue(false));
    fabric.SetTrimming("coin");
    fabric.Install(HpccTopology::Star(2, FAST));
    const auto trimmer = fabric.GetNodes().Get(2)->GetObject<PacketTrimmer>();
    trimmer->SetAttribute("Threshold", UintegerValue(70000));
    EXPECT_EQ(trimmer->GetTrimThreshold(1), 70000U);
    trimmer->SetAttribute("ThresholdPerRate", StringValue("100Gbps:80000"));
    EXPECT_EQ(trimmer->GetTrimThreshold(1), 80000U);
    Simulator::Stop(MicroSeconds(1));
    Simulator::Run();
    Expect(RefusalOf([&] { trimmer->SetAttribute("Threshold", UintegerValue(1000)); }),
           {"ns3::PacketTrimmer::Threshold: 1000 is set after the start of the run"});
    Expect(RefusalOf([&] { trimmer->SetAttribute("ThresholdPerRate", StringValue("")); }),
           {"ns3::PacketTrimmer::ThresholdPerRate: \"\" is set after the start of the run"});
    EXPECT_EQ(trimmer->GetTrimThreshold(1), 80000U);
}

TEST_F(RunningRefusals, AChangeAfterWhichNoSwitchTrimsIsRefusedInOneLine)
{
    const std::string packets =
        "--trimming coin with packets of 1000 bytes of payload and priority 3: ns3::PacketTrimmer";
    const std::string none = packets +
                             " trims them at no switch; at least one switch needs "
                             "Priorities with that priority and a Payload below 1000 bytes";
    const std::string low = packets + " has thresholds above the largest queues";
    for (const std::string buffer : {"abm", "dynamic"})
    {
        HpccFabricHelper fabric;
        fabric.SetHostAttribute("Recovery", StringValue("sack"));
        fabric.SetDeviceAttribute("PfcEnabled", BooleanValue(false));
        fabric.SetTrimming("coin");
        fabric.SetBuffer(buffer);
        fabric.Install(HpccTopology::LeafSpine(2, 1, 1, {}));
        const auto spec = HpccFabricHelper::MakePolicy("nscc");
        fabric.AddMessage(0, fabric.Connect(0, 1, spec), 100'000, Seconds(0));
        const auto set = [&](uint32_t node, const std::string& name, const std::string& value) {
            const Ptr<PacketTrimmer> trimmer =
                fabric.GetNodes().Get(node)->GetObject<PacketTrimmer>();
            Ptr<Object> object = trimmer;
            TypeId::AttributeInformation info;
            if (!trimmer->GetInstanceTypeId().LookupAttributeByName(name, &info))
            {
                object = fabric.GetSwitch(node)->GetBuffer();
            }
            StringValue before;
            object->GetAttribute(name, before);
            const std::string said =
                RefusalOf([&] { object->SetAttribute(name, StringValue(value)); });
            StringValue after;
            object->GetAttribute(name, after);
            EXPECT_EQ(after.Get() == before.Get(), !said.empty()) << name << " " << value;
            return said;
        };
        Expect(RefusalOf([&] {
                   for (const uint32_t node : {2, 3, 4})
                   {
                       const std::string said = set(node, "Threshold", "100000000");
                       HPCC_REFUSE_IF(!said.empty(), said);
                   }
               }),
               {low});
        Simulator::Stop(MicroSeconds(10));
        Simulator::Run();
        const std::string share = buffer == "abm" ? "Alpha" : "EgressAlpha";
        // The queues of switch 4 can still reach its threshold.
        EXPECT_EQ(set(2, "Priorities", "4"), "");
        EXPECT_EQ(set(3, "Payload", "999"), "");
        Expect(set(4, share, "0.0004"), {low});
        Expect(set(4, "Priorities", "4"), {low});
        EXPECT_EQ(set(3, "Payload", "1000"), "");
        Expect(set(4, "Payload", "1000"), {none});
        EXPECT_EQ(set(2, "Priorities", "8"), "");
        Simulator::Destroy();
    }
}

TEST_F(RunningRefusals, AResumeOffsetWithoutLimitWaitsForAnEmptyPort)
{
    constexpr uint8_t priority = 3;
    for (const auto& [type, attributes] :
         std::vector<std::pair<std::string, std::vector<std::pair<std::string, std::string>>>>{
             {"ns3::StaticBuffer", {{"QueueBytes", "5000"}}},
             {"ns3::SharedBuffer", {{"ReservedBytes", "0"}}}})
    {
        ObjectFactory factory(type);
        factory.Set("ResumeOffset", StringValue("18446744073709551615"));
        for (const auto& [attribute, value] : attributes)
        {
            factory.Set(attribute, StringValue(value));
        }
        const auto buffer = factory.Create<BufferPolicy>();
        buffer->AddPort({100000000000, 1000, 1500, 1 << priority});
        ASSERT_EQ(buffer->Admit(0, 0, priority, 1000, 0), BufferPolicy::Verdict::ADMIT) << type;
        EXPECT_FALSE(buffer->MayResume(0, priority)) << type;
        buffer->Release(0, 0, priority, 1000, 0);
        EXPECT_TRUE(buffer->MayResume(0, priority)) << type;
    }
}

TEST_F(RunningRefusals, APolicyThatWasChangedAfterItsQueuePairWasConnectedIsCheckedAtTheStart)
{
    struct Case
    {
        std::string policy;                       ///< short name
        std::map<std::string, std::string> after; ///< attributes and values set after Connect()
        std::vector<std::string> refusal; ///< parts of the message; empty if the values are allowed
    };

    const std::string begin = ", attributes set after Connect(): ns3::";
    for (const Case& changed : std::vector<Case>{
             {"timely", {{"TLow", "600us"}}, {begin, "RdmaTimely::TLow is +600us, allowed is at"}},
             {"swift", {{"FsMinCwnd", "200"}}, {begin, "RdmaSwift::FsMinCwnd is 200, allowed is"}},
             {"swift",
              {{"BaseTarget", "1us"}, {"FsRange", "1us"}},
              {begin, "RdmaSwift::BaseTarget and FsRange together: 2000 ns, allowed is at least"}},
             {"hpcc++", {{"MinRate", "100Gbps"}}, {"RdmaHpccPlusPlus: MinRate is 100000000000bps"}},
             {"hpcc++", {{"RateTerm", "Rx"}}, {begin, "RdmaHpccPlusPlus"}},
             {"dcqcn",
              {{"CnpInterval", "5us"}},
              {begin, "RdmaDcqcn::Describe() changes cnpIntervalNs from \"4000\" to \"5000\""}},
             {"dctcp", {{"Marking", ""}}, {begin, "RdmaDctcp::Describe() changes marking from "}},
             {"hpcc++", {{"Eta", "0.9"}}, {}},
             {"dcqcn", {{"MinRate", "2Gbps"}}, {}},
             {"swift", {{"BaseTarget", "90us"}}, {}}})
    {
        for (const bool twice : {false, true})
        {
            for (const RdmaVerb verb : {RdmaVerb::WRITE, RdmaVerb::READ})
            {
                const bool reads = verb == RdmaVerb::READ;
                SCOPED_TRACE(changed.policy + " " + changed.after.begin()->first +
                             (twice ? ", twice" : "") + (reads ? ", READs" : ""));
                HpccFabricHelper fabric;
                fabric.Install(HpccTopology::Star(2, FAST));
                const auto spec = HpccFabricHelper::MakePolicy(changed.policy);
                const uint32_t queuePair = fabric.Connect(0, 1, spec, 0, false, reads);
                const auto& sender = fabric.GetHost(reads ? 1 : 0)->GetQueuePair(queuePair);
                for (const auto& [attribute, value] : changed.after)
                {
                    sender.ops->SetAttribute(attribute, StringValue(value));
                }
                fabric.AddMessage(0, queuePair, 1000, Seconds(0), verb);
                const std::string said = RefusalOf([&] {
                    if (twice)
                    {
                        fabric.Connect(0, 1, spec, 0, false, reads);
                    }
                    // Simulator::Run() makes this call, too. ns-3 would then leak the event.
                    fabric.GetHost(reads ? 1 : 0)->Initialize();
                });
                if (said.empty())
                {
                    Simulator::Run();
                }
                EXPECT_EQ(said.empty(), changed.refusal.empty()) << said;
                Expect(said, changed.refusal);
                EXPECT_EQ(Simulator::Now().IsZero(), !changed.refusal.empty());
                Simulator::Destroy();
            }
        }
    }
}

TEST_F(RunningRefusals, APolicyThatWasNotChangedIsAcceptedAtTheStart)
{
    HpccFabricHelper fabric;
    fabric.Install(HpccTopology::Star(2, FAST));
    RdmaQueuePairConfig config;
    config.policy = CreateObject<FormatReader>();
    config.telemetry = HpccFabricHelper::MakePolicy("hpcc++").format;
    const Ptr<RdmaHost> host = fabric.GetHost(0);
    const uint32_t queuePair = host->Connect(fabric.GetHost(1), config);
    host->Post(queuePair, RdmaVerb::WRITE, 1000);
    EXPECT_EQ(RefusalOf([] { Simulator::Run(); }), "");
    EXPECT_FALSE(Simulator::Now().IsZero());
}

TEST_F(RunningRefusals, TheChecksAtTheStartCallNoTraceSinks)
{
    HpccFabricHelper fabric;
    fabric.Install(HpccTopology::Star(2, FAST));
    const uint32_t queuePair = fabric.Connect(0, 1, HpccFabricHelper::MakePolicy("dcqcn+win"));
    PointerValue inner;
    fabric.GetHost(0)->GetQueuePair(queuePair).ops->GetAttribute("Inner", inner);
    SinkCalls rates;
    inner.GetObject()->TraceConnectWithoutContext("Rate", MakeCallback(&SinkCalls::Count, &rates));
    fabric.AddMessage(0, queuePair, 1000, MicroSeconds(5));
    Simulator::Stop(MicroSeconds(1));
    Simulator::Run();
    EXPECT_EQ(rates.calls, 0);
}

TEST_F(RunningRefusals, AnEtaBelowTheTargetOfMigrationIsRefusedByConnect)
{
    HpccFabricHelper fabric;
    const auto migration = CreateObject<RdmaMigration>();
    migration->SetAttribute("AdmissionHold", TimeValue(MicroSeconds(100)));
    migration->SetAttribute("Target", DoubleValue(0.97));
    fabric.SetHostAttribute("Repathing", PointerValue(migration));
    fabric.Install(HpccTopology::Star(2, FAST));
    RdmaQueuePairConfig config;
    const auto spec = HpccFabricHelper::MakePolicy("hpcc++");
    config.policy = spec.policy.Create<RdmaCongestionOps>();
    config.telemetry = spec.format;
    Expect(RefusalOf([&] { fabric.GetHost(0)->Connect(fabric.GetHost(1), config); }),
           {"ns3::RdmaHost::Connect: ns3::RdmaHpccPlusPlus: ns3::RdmaMigration::Target is 0.97"});
}
