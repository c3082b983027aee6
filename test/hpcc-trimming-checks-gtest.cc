/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests a check before a run: at least one queue must be able to reach the threshold above which
// packets are trimmed.

#include "hpcc-test-refusal.h"

#include "ns3/boolean.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-packet-trimmer.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/qbb-net-device.h"
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

constexpr uint64_t QUEUE = 50000; ///< size of a queue, bytes
constexpr uint64_t FRAME = 1074;  ///< size of a full frame, bytes

/// A trimmer that counts how often the plans of all objects of its class are read.
class CountedTrimmer : public PacketTrimmer
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            HpccTypeId::Of<CountedTrimmer, PacketTrimmer>("ns3::CountedTrimmer").Presets("counted");
        return tid;
    }

    TrimPlan GetTrimPlan() const override
    {
        ++s_plans;
        return PacketTrimmer::GetTrimPlan();
    }

    static inline uint64_t s_plans = 0; ///< number of plans read
};

NS_OBJECT_ENSURE_REGISTERED(CountedTrimmer);

/// Tests of networks with trimming.
class TrimmingChecks : public testing::Test
{
  protected:
    ~TrimmingChecks() override
    {
        Simulator::Destroy();
    }

    /**
     * Connects hosts 0 and 1 of a network with trimming.
     * @param network the network
     * @param buffer short name of its buffers, and attributes
     * @param thresholds PacketTrimmer::ThresholdPerRate
     * @return the message with which the connection is refused; empty if it is accepted
     */
    static std::string Connect(
        const HpccTopology& network,
        const std::pair<std::string, std::vector<std::pair<std::string, std::string>>>& buffer,
        const std::string& thresholds)
    {
        return RefusalOf([&] {
            HpccFabricHelper fabric;
            SetUp(fabric);
            fabric.SetTrimming("coin");
            fabric.SetBuffer(buffer.first);
            for (const auto& [name, value] : buffer.second)
            {
                fabric.SetBufferAttribute(name, StringValue(value));
            }
            fabric.Install(network);
            fabric.GetNodes().Get(2)->GetObject<PacketTrimmer>()->SetAttribute(
                "ThresholdPerRate",
                StringValue(thresholds));
            fabric.SetNetworkBaseRttNs(8000); // the trimmer computes its thresholds from the base
                                              // RTT
            fabric.Connect(0, 1, HpccFabricHelper::MakePolicy("nscc"));
        });
    }

    /// Sets the attributes that trimming needs.
    /// @param fabric a network
    static void SetUp(HpccFabricHelper& fabric)
    {
        fabric.SetHostAttribute("Recovery", StringValue("sack"));
        fabric.SetDeviceAttribute("PfcEnabled", BooleanValue(false));
    }

    /**
     * Returns a network of two hosts and a switch.
     * @param first rate of the link of host 0
     * @param second rate of the link of host 1
     */
    static HpccTopology Line(const std::string& first, const std::string& second)
    {
        HpccTopology network;
        network.AddNode(false);
        network.AddNode(false);
        network.AddNode(true);
        network.AddLink({0, 2, DataRate(first), MicroSeconds(1)});
        network.AddLink({1, 2, DataRate(second), MicroSeconds(1)});
        return network;
    }
};

} // namespace

TEST_F(TrimmingChecks, AQueueThatIsFullBelowTheThresholdIsRefused)
{
    const auto network = Line("100Gbps", "100Gbps");
    const std::pair fixed(
        "static",
        std::vector<std::pair<std::string, std::string>>{{"QueueBytes", std::to_string(QUEUE)}});
    // The check adds the frame in transmission and the arriving frame to the queue.
    const uint64_t reached = QUEUE + 2 * FRAME - 1;
    EXPECT_EQ(Connect(network, fixed, "100Gbps:" + std::to_string(reached)), "");
    EXPECT_EQ(Connect(network, fixed, "100Gbps:" + std::to_string(reached + 1)),
              "--trimming coin with packets of 1000 bytes of payload and priority 3: "
              "ns3::PacketTrimmer has thresholds above the largest queues, so that all ports drop "
              "packets instead of trimming them; at port 0 of node 2 the threshold is 52148 bytes, "
              "but ns3::StaticBuffer admits at most 50000; allowed are thresholds of at most that, "
              "or larger buffers");
}

TEST_F(TrimmingChecks, DynamicThresholdsCountWithWhatTheQueueItselfTakesFromThem)
{
    const auto network = Line("100Gbps", "100Gbps");
    // With Alpha 1, a queue stops growing when it contains half of the memory.
    const std::pair abm(
        "abm",
        std::vector<std::pair<std::string, std::string>>{{"BufferBytes", std::to_string(2 * QUEUE)},
                                                         {"Alpha", "1"}});
    const std::pair shared(
        "dynamic",
        std::vector<std::pair<std::string, std::string>>{{"BufferBytes", std::to_string(2 * QUEUE)},
                                                         {"ReservedBytes", "0"},
                                                         {"EgressAlpha", "1"}});
    for (const auto& buffer : {abm, shared})
    {
        const uint64_t reached = QUEUE + FRAME / 2 + 2 * FRAME - 1;
        EXPECT_EQ(Connect(network, buffer, "100Gbps:" + std::to_string(reached)), "")
            << buffer.first;
        EXPECT_NE(Connect(network, buffer, "100Gbps:" + std::to_string(reached + 1)), "")
            << buffer.first;
    }
}

TEST_F(TrimmingChecks, OnePortThatTrimsIsEnough)
{
    const auto network = Line("100Gbps", "25Gbps");
    const std::pair fixed(
        "static",
        std::vector<std::pair<std::string, std::string>>{{"QueueBytes", std::to_string(QUEUE)}});
    EXPECT_EQ(Connect(network, fixed, "100Gbps:100000,25Gbps:50000"), "");
    EXPECT_EQ(Connect(network, fixed, "100Gbps:50000,25Gbps:100000"), "");
    EXPECT_NE(Connect(network, fixed, "100Gbps:100000,25Gbps:100000"), "");
}

TEST_F(TrimmingChecks, PacketsOfASizeAndPriorityAreCheckedOnceHoweverManyHostsSend)
{
    HpccFabricHelper fabric;
    SetUp(fabric);
    fabric.SetTrimming("counted");
    fabric.Install(HpccTopology::ByName("leaf-spine:4,2,4"));
    const auto spec = HpccFabricHelper::MakePolicy("nscc");
    const uint64_t before = CountedTrimmer::s_plans;
    fabric.Connect(0, 1, spec);
    const uint64_t once = CountedTrimmer::s_plans;
    EXPECT_GT(once, before);
    for (uint32_t host = 1; host < 16; ++host)
    {
        fabric.Connect(host, 0, spec);
    }
    EXPECT_EQ(CountedTrimmer::s_plans, once);
}

TEST_F(TrimmingChecks, PrioritiesThatBecomeLosslessAfterTheInstallationOfTrimmingAreRefused)
{
    const LeaksAllowed allowed; // calls of Simulator::Run() end by an exception
    const std::string line = "ns3::QbbSwitch::AddAgent: node 2, port ";
    const auto refusal = [](const std::function<void(QbbNetDevice&, PacketTrimmer&)>& change) {
        HpccFabricHelper fabric;
        fabric.SetHostAttribute("Recovery", StringValue("sack"));
        fabric.SetDeviceAttribute("LosslessPriorities", UintegerValue(1 << 4));
        fabric.SetTrimming("coin");
        fabric.Install(Line("100Gbps", "100Gbps"));
        fabric.AddMessage(0,
                          fabric.Connect(0, 1, HpccFabricHelper::MakePolicy("nscc")),
                          1,
                          Time(0));
        const std::string said = RefusalOf([&] {
            const auto port = fabric.GetDevice(2, 0);
            change(*port, *fabric.GetNodes().Get(2)->GetObject<PacketTrimmer>());
            Simulator::Stop(MicroSeconds(1));
            Simulator::Run();
            EXPECT_EQ(Simulator::Now(), MicroSeconds(1));
        });
        EXPECT_TRUE(said.empty() || Simulator::Now().IsZero()) << "before simulated time starts";
        Simulator::Destroy();
        return said;
    };
    EXPECT_EQ(refusal([](auto&, auto&) {}), "");
    EXPECT_EQ(refusal([](auto& port, auto&) {
                  port.SetAttribute("DscpToPriority", StringValue("26:3,41:4,42:4"));
              }),
              line + "0: the agent trims frames into priority 4, which is lossless; allowed are "
                     "lossy priorities");
    EXPECT_EQ(refusal([](auto&, auto& trimmer) {
                  trimmer.SetAttribute("Priorities", UintegerValue(1 << 3 | 1 << 4));
              }),
              line +
                  "0: the agent trims frames of priority 4, which is lossless; allowed are lossy "
                  "priorities");
    EXPECT_EQ(refusal([](auto& port, auto&) {
                  port.SetAttribute("DscpToPriority", StringValue("26:3,41:6,42:5"));
              }),
              "ns3::QbbNetDevice::DscpToPriority: node 2, port 0: DSCP 42 has priority 5; with "
              "ns3::PacketTrimmer allowed is 6, the priority of DSCP 41");
    EXPECT_EQ(refusal([](auto& port, auto&) {
                  port.SetAttribute("DscpToPriority", StringValue("26:3,41:6,42:6"));
              }),
              "")
        << "another lossy priority";
    EXPECT_EQ(refusal([](auto&, auto& trimmer) {
                  trimmer.SetAttribute("Priorities", UintegerValue(1 << 3 | 1 << 2));
              }),
              "")
        << "lossy priorities";
}
