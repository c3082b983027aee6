/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-refusal.h"

#include "ns3/boolean.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-internet-helper.h"
#include "ns3/hpcc-monitor.h"
#include "ns3/hpcc-packet-trimmer.h"
#include "ns3/hpcc-priority-scheduler.h"
#include "ns3/hpcc-switch-agent.h"
#include "ns3/hpcc-tcp-helper.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/hpcc-udp-helper.h"
#include "ns3/pointer.h"
#include "ns3/qbb-net-device.h"
#include "ns3/qbb-switch.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace hpcctest;

// Tests that results depend neither on the order of a program's calls nor on the lag of the nodes.

namespace
{

constexpr uint32_t HOSTS = 5;      ///< number of hosts of the star; the last host receives
constexpr uint32_t SWITCH = HOSTS; ///< the switch

/// A switch agent that counts the frames that its switch sends.
class FrameCounter : public SwitchAgent
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = HpccTypeId::Of<FrameCounter, SwitchAgent>("ns3::hpcctest::FrameCounter")
                                .Presets("frame-counter");
        return tid;
    }

    void Install(const std::vector<QbbNetDevice*>&, Time) override
    {
    }

    void OnDequeue(QbbNetDevice&, Frame&, int64_t) override
    {
        ++frames;
    }

    uint64_t frames{0}; ///< number of frames
};

NS_OBJECT_ENSURE_REGISTERED(FrameCounter);

class CallOrder : public testing::Test
{
  protected:
    void TearDown() override
    {
        Simulator::Destroy();
    }

    /**
     * Connects each other host to the last host, and plans a message from each of them.
     * @param fabric network of HOSTS hosts
     * @param policy short name of the policy
     * @param bytes size of a message
     * @return the flows
     */
    static std::vector<HpccFlowPlan> Incast(HpccFabricHelper& fabric,
                                            const std::string& policy,
                                            uint64_t bytes)
    {
        std::vector<HpccFlowPlan> plan;
        const auto spec = HpccFabricHelper::MakePolicy(policy);
        for (uint32_t host = 0; host + 1 < HOSTS; ++host)
        {
            const uint32_t queuePair = fabric.Connect(host, HOSTS - 1, spec);
            plan.push_back({host, HOSTS - 1, bytes, 0, queuePair, 0});
            fabric.AddMessage(host, queuePair, bytes, NanoSeconds(0));
        }
        return plan;
    }
};

} // namespace

TEST_F(CallOrder, PausesThatAProgramRequestsDoNotDependOnTheLag)
{
    constexpr uint32_t PAUSES = 20;
    constexpr int64_t PAUSE_NS = 350; // less than the largest lag
    for (const int64_t lagNs : {0, 200, 1000})
    {
        HpccFabricHelper fabric;
        fabric.SetMaxLag(NanoSeconds(lagNs));
        fabric.Install(HpccTopology::Star(HOSTS, {}));
        Incast(fabric, "none", 1000000);
        const auto spec = HpccFabricHelper::MakePolicy("none");
        for (uint32_t host = 0; host + 1 < HOSTS; ++host) // make the pause wait for the end of a
                                                          // data frame
        {
            const uint32_t queuePair = fabric.Connect(HOSTS - 1, host, spec);
            fabric.AddMessage(HOSTS - 1, queuePair, 1000000, NanoSeconds(0));
        }
        const Ptr<QbbNetDevice> port = fabric.GetDeviceTo(HOSTS - 1, SWITCH);
        for (uint32_t i = 0; i < PAUSES; ++i)
        {
            const int64_t atNs = 5000 + 2 * PAUSE_NS * i;
            Simulator::Schedule(NanoSeconds(atNs), [port] { port->RequestPause(3); });
            Simulator::Schedule(NanoSeconds(atNs + PAUSE_NS), [port] { port->ReleasePause(3); });
        }
        fabric.EndAt(MicroSeconds(100));
        Simulator::Run();
        fabric.CatchUp();
        const Ptr<QbbNetDevice> paused = fabric.GetDeviceTo(SWITCH, HOSTS - 1);
        EXPECT_EQ(paused->GetPauses(), PAUSES) << "lag of " << lagNs << " ns";
        EXPECT_NEAR(paused->GetPausedNs(), PAUSE_NS * PAUSES, 90.0 * PAUSES) << "a frame may wait";
        Simulator::Destroy();
    }
}

TEST_F(CallOrder, ASwitchAgentThatIsAddedDuringTheRunDoesNotDependOnTheLag)
{
    std::vector<uint64_t> frames;
    for (const int64_t lagNs : {0, 900})
    {
        HpccFabricHelper fabric;
        fabric.SetMaxLag(NanoSeconds(lagNs));
        fabric.Install(HpccTopology::Star(HOSTS, {}));
        Incast(fabric, "none", 100000);
        Simulator::Schedule(NanoSeconds(20005), [&] { fabric.AddSwitchAgent("frame-counter"); });
        fabric.EndAt(MicroSeconds(200));
        Simulator::Run();
        fabric.CatchUp();
        frames.push_back(fabric.GetSwitch(SWITCH)->GetObject<FrameCounter>()->frames);
        Simulator::Destroy();
    }
    EXPECT_GT(frames[0], 100U);
    EXPECT_EQ(frames[0], frames[1]);
}

TEST_F(CallOrder, TheTrimmingThresholdFollowsTheNetworksBaseRtt)
{
    HpccFabricHelper fabric;
    fabric.SetHostAttribute("Recovery", StringValue("sack"));
    fabric.SetDeviceAttribute("PfcEnabled", BooleanValue(false));
    fabric.SetTrimming("coin");
    fabric.Install(HpccTopology::Star(HOSTS, {}));
    const auto trimmer = fabric.GetNodes().Get(SWITCH)->GetObject<PacketTrimmer>();
    ASSERT_TRUE(trimmer);
    EXPECT_EQ(trimmer->GetTrimPlan().leastBytes,
              static_cast<uint64_t>(fabric.GetNetworkBaseRttNs()) * 100 / 8);
    fabric.SetNetworkBaseRttNs(16000);
    EXPECT_EQ(trimmer->GetTrimPlan().leastBytes, 200000U) << "100 Gb/s for 16 us";
}

TEST_F(CallOrder, TheBaseRttMayBeSetBeforeOrAfterADomainEdge)
{
    std::vector<double> ends;
    for (const bool edgeFirst : {false, true})
    {
        HpccFabricHelper fabric;
        fabric.Install(HpccTopology::Star(HOSTS, {}));
        if (edgeFirst)
        {
            fabric.AddTelemetryBorder(SWITCH, HOSTS - 1);
        }
        fabric.SetNetworkBaseRttNs(41600);
        if (!edgeFirst)
        {
            fabric.AddTelemetryBorder(SWITCH, HOSTS - 1);
        }
        HpccMonitor monitor(fabric, Incast(fabric, "hpcc++", 600000), 100000);
        fabric.EndAt(MilliSeconds(5));
        Simulator::Run();
        fabric.CatchUp();
        ends.push_back(monitor.Summarize().fctP99Us);
        EXPECT_EQ(monitor.GetUnfinished(), 0U);
        Simulator::Destroy();
    }
    EXPECT_EQ(ends[0], ends[1]);
}

TEST_F(CallOrder, ABaseRttThatASwitchAgentHasUsedIsRefusedInOneLine)
{
    HpccFabricHelper fabric;
    fabric.Install(HpccTopology::Star(HOSTS, {}));
    fabric.AddSwitchAgent("pfc-watchdog"); // the watchdog uses no base RTT
    fabric.SetNetworkBaseRttNs(20000);
    fabric.AddSwitchAgent("rcp");
    const std::string why = RefusalOf([&] { fabric.SetNetworkBaseRttNs(30000); });
    EXPECT_NE(why.find("the switches already have ns3::RcpAgent"), std::string::npos) << why;
    EXPECT_EQ(why.find('\n'), std::string::npos);
    EXPECT_EQ(fabric.GetNetworkBaseRttNs(), 20000) << "unchanged";
}

TEST_F(CallOrder, ARefusedBaseRttChangesNoSwitchAgent)
{
    HpccFabricHelper fabric;
    fabric.SetHostAttribute("Recovery", StringValue("sack"));
    fabric.SetDeviceAttribute("PfcEnabled", BooleanValue(false));
    fabric.SetTrimming("coin");
    fabric.Install(HpccTopology::Star(HOSTS, {}));
    fabric.SetNetworkBaseRttNs(20000);
    fabric.AddSwitchAgent("rcp");
    EXPECT_NE(RefusalOf([&] { fabric.SetNetworkBaseRttNs(16000); }), "");
    const auto trimmer = fabric.GetNodes().Get(SWITCH)->GetObject<PacketTrimmer>();
    ASSERT_TRUE(trimmer);
    EXPECT_EQ(trimmer->GetTrimPlan().leastBytes, 250000U) << "100 Gb/s for 20 us";
}

TEST_F(CallOrder, ABaseRttThatNicsOfUdpOrTcpHaveReadIsRefusedInOneLine)
{
    for (const bool udp : {false, true})
    {
        HpccFabricHelper fabric;
        fabric.Install(HpccTopology::Star(HOSTS, {}));
        fabric.SetNetworkBaseRttNs(20000);
        HpccInternetHelper().Install(fabric);
        if (udp)
        {
            HpccUdpHelper().Install(fabric);
        }
        else
        {
            HpccTcpHelper().Install(fabric);
        }
        EXPECT_EQ(RefusalOf([&] { fabric.SetNetworkBaseRttNs(20000); }), "") << "the same value";
        const std::string why = RefusalOf([&] { fabric.SetNetworkBaseRttNs(30000); });
        EXPECT_NE(why.find("SetNetworkBaseRttNs: 30000 ns, but host 0 has a NIC for UDP or TCP"),
                  std::string::npos)
            << why;
        EXPECT_NE(why.find("its T, 20000 ns"), std::string::npos) << why;
        EXPECT_EQ(why.find('\n'), std::string::npos);
        EXPECT_EQ(fabric.GetNetworkBaseRttNs(), 20000) << "unchanged";
        Simulator::Destroy();
    }
}

TEST_F(CallOrder, ABaseRttTooLongForAFormatThatHasPassedIsRefusedInOneLine)
{
    HpccFabricHelper fabric;
    fabric.Install(HpccTopology::Star(HOSTS, {}));
    fabric.CheckFormat(HpccFabricHelper::MakePolicy("hpcc", "sigcomm19"));
    EXPECT_EQ(RefusalOf([&] { fabric.SetNetworkBaseRttNs(100000); }), "");
    const std::string why = RefusalOf([&] { fabric.SetNetworkBaseRttNs(10'000'000); });
    EXPECT_NE(why.find("telemetry format sigcomm19: T is 10"), std::string::npos) << why;
    EXPECT_EQ(why.find('\n'), std::string::npos);
    EXPECT_EQ(fabric.GetNetworkBaseRttNs(), 100000) << "unchanged";
}

TEST_F(CallOrder, TheChoiceOfTIsTheSameForAllQueuePairs)
{
    HpccFabricHelper fabric;
    fabric.Install(HpccTopology::Star(HOSTS, {}));
    fabric.SetPerPathBaseRtt(true);
    fabric.Connect(1, 2, HpccFabricHelper::MakePolicy("hpcc++"));
    EXPECT_EQ(RefusalOf([&] { fabric.SetPerPathBaseRtt(true); }), "") << "unchanged";
    const std::string why = RefusalOf([&] { fabric.SetPerPathBaseRtt(false); });
    EXPECT_NE(why.find("SetPerPathBaseRtt: host 1 has connected 1 queue pairs already; call it "
                       "before Connect()"),
              std::string::npos)
        << why;
}

TEST_F(CallOrder, WithoutPfcNoPriorityIsLossless)
{
    const StringValue lossless("24"); // priorities 3 and 4
    for (const bool pfc : {false, true})
    {
        for (const bool pfcFirst : {false, true})
        {
            auto scheduler = CreateObject<PriorityScheduler>();
            auto port = CreateObject<QbbNetDevice>();
            port->SetAttribute("Scheduler", PointerValue(scheduler));
            port->SetAttribute(pfcFirst ? "PfcEnabled" : "LosslessPriorities",
                               pfcFirst ? StringValue(pfc ? "true" : "false") : lossless);
            port->SetAttribute(pfcFirst ? "LosslessPriorities" : "PfcEnabled",
                               pfcFirst ? lossless : StringValue(pfc ? "true" : "false"));
            EXPECT_EQ(scheduler->GetAhead(3) >> 4 & 1, pfc ? 0 : 1)
                << "only lossless priorities take turns";
        }
    }
}

TEST_F(CallOrder, APriorityIsPausedAgainWhenItsLinkReturns)
{
    // A fast port fills the buffer. Its link fails for a short time while the buffer still contains
    // its frames.
    HpccFabricHelper fabric;
    fabric.SetBufferAttribute("BufferBytes", UintegerValue(1000000));
    HpccTopology topology = HpccTopology::Star(HOSTS, {});
    fabric.ScheduleLinkDown(0, MicroSeconds(60));
    fabric.ScheduleLinkUp(0, MicroSeconds(60) + NanoSeconds(500));
    fabric.Install(topology);
    Incast(fabric, "none", 2000000);
    uint64_t before = 0;
    const Ptr<QbbNetDevice> host = fabric.GetDeviceTo(0, SWITCH);
    Simulator::Schedule(MicroSeconds(60) - NanoSeconds(1), [&] {
        fabric.CatchUp();
        EXPECT_TRUE(host->IsPaused(3)) << "a full buffer";
        before = host->GetPauses();
    });
    // The pause takes effect after the delay of the link and the transmission times of a data frame
    // and of the PFC frame.
    Simulator::Schedule(MicroSeconds(61) + NanoSeconds(700), [&] {
        fabric.CatchUp();
        EXPECT_TRUE(host->IsPaused(3)) << "the buffer is still full";
        EXPECT_EQ(host->GetPauses(), before + 1);
    });
    fabric.EndAt(MicroSeconds(70));
    Simulator::Run();
}

TEST_F(CallOrder, ALinkThatReturnsIsPausedAgainBeforeTheBufferOverflows)
{
    // During the failure the bytes stored for the port fall below the threshold for pauses, but not
    // below the threshold for resumes. Therefore the switch has sent neither a pause nor a resume
    // when the link returns.
    HpccFabricHelper fabric;
    fabric.SetBufferAttribute("BufferBytes", UintegerValue(3000000));
    fabric.SetBufferAttribute("ResumeOffset", UintegerValue(1000000));
    fabric.ScheduleLinkDown(0, MicroSeconds(60));
    fabric.ScheduleLinkUp(0, MicroSeconds(62));
    fabric.Install(HpccTopology::Star(HOSTS, {}));
    Incast(fabric, "none", 2000000);
    const Ptr<QbbNetDevice> host = fabric.GetDeviceTo(0, SWITCH);
    uint64_t before = 0;
    Simulator::Schedule(MicroSeconds(60) - NanoSeconds(1), [&] {
        fabric.CatchUp();
        EXPECT_TRUE(host->IsPaused(3)) << "a full buffer";
        before = host->GetPauses();
    });
    Simulator::Schedule(NanoSeconds(63500), [&] {
        fabric.CatchUp();
        EXPECT_FALSE(host->IsPaused(3)) << "there is room again";
    });
    fabric.EndAt(MicroSeconds(100));
    Simulator::Run();
    fabric.CatchUp();
    EXPECT_TRUE(host->IsPaused(3)) << "the buffer is full again";
    EXPECT_EQ(host->GetPauses(), before + 1);
    for (uint32_t port = 0; port < HOSTS; ++port)
    {
        EXPECT_EQ(fabric.GetDevice(SWITCH, port)->GetDrops(DropReason::BUFFER_FULL), 0U);
    }
}
