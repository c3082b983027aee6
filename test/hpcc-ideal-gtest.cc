/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-monitor.h"
#include "ns3/hpcc-topology.h"
#include "ns3/rdma-host.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>

using namespace ns3;

namespace
{

constexpr uint64_t BYTES = 300000; ///< size of a message

/// Tests with a star of four hosts. Links are slow in the direction of the ACKs: the transmission
/// of a message takes 24 us, and that of the ACKs of all its packets takes 208 us.
class IdealTimes : public testing::Test
{
  protected:
    ~IdealTimes() override
    {
        Simulator::Destroy();
    }

    /// Builds the network: hosts 0 and 2 send, hosts 1 and 3 receive.
    void Install()
    {
        HpccTopology network;
        for (uint32_t node = 0; node < 5; ++node)
        {
            network.AddNode(node == 4);
        }
        for (const uint32_t host : {0, 1, 2, 3})
        {
            const bool sends = host % 2 == 0;
            network.AddLink({sends ? host : 4,
                             sends ? 4 : host,
                             DataRate("100Gbps"),
                             MicroSeconds(1),
                             0,
                             DataRate("1Gbps")});
        }
        m_fabric.SetHostAttribute("AckDelay", TimeValue(Seconds(1)));
        m_fabric.SetHostAttribute("RetransmitTimeout", TimeValue(Seconds(2)));
        m_fabric.Install(network);
    }

    /// Returns a policy.
    /// @param feedback short name of the feedback mode
    static HpccFabricHelper::PolicySpec Spec(const std::string& feedback)
    {
        return HpccFabricHelper::MakePolicy("hpcc++", "int-md", feedback);
    }

    /// Connects a host to the host with the next number, and plans a message.
    /// @param source the host
    /// @param spec policy of the queue pair
    HpccFlowPlan Connect(uint32_t source, const HpccFabricHelper::PolicySpec& spec)
    {
        const uint32_t queuePair = m_fabric.Connect(source, source + 1, spec);
        m_fabric.AddMessage(source, queuePair, BYTES, Time(0));
        return {source, source + 1, BYTES, 0, queuePair, 0};
    }

    HpccFabricHelper m_fabric; ///< the network
};

} // namespace

TEST_F(IdealTimes, TheFeedbackOfAFlowChangesTheIdealTimeOfNoOtherFlow)
{
    Install();
    const int64_t alone = m_fabric.GetIdealFctNs(0, 1, BYTES);
    Connect(2, Spec("packet:delayed-ack-8"));
    EXPECT_GT(alone, 200000) << "an ACK of each packet";
    EXPECT_EQ(m_fabric.GetIdealFctNs(0, 1, BYTES), alone);
    EXPECT_EQ(m_fabric.GetIdealFctNs(2, 3, BYTES), alone) << "with the default feedback";
}

TEST_F(IdealTimes, AMonitorUsesTheFeedbackOfEachFlowWhetherItIsConnectedBeforeOrLater)
{
    Install();
    const auto spec = Spec("packet");
    const auto delayed = Spec("packet:delayed-ack-8");
    const HpccFlowPlan each = Connect(0, spec);
    const HpccFlowPlan few = Connect(2, delayed);
    const int64_t eachNs = m_fabric.GetIdealFctNs(0, 1, BYTES, RdmaVerb::WRITE, spec.feedback);
    const int64_t fewNs = m_fabric.GetIdealFctNs(2, 3, BYTES, RdmaVerb::WRITE, delayed.feedback);
    EXPECT_GT(eachNs, 200000);
    EXPECT_LT(fewNs, 40000);
    HpccFlowPlan later = few;
    ++later.queuePair;
    HpccMonitor monitor(m_fabric, {each, few, later}, 0);
    EXPECT_EQ(monitor.GetResults()[0].idealNs, eachNs);
    EXPECT_EQ(monitor.GetResults()[1].idealNs, fewNs);
    EXPECT_EQ(monitor.GetResults()[2].idealNs, eachNs) << "not connected";
    EXPECT_EQ(Connect(2, delayed).queuePair, later.queuePair);
    Simulator::Stop(MilliSeconds(2));
    Simulator::Run();
    EXPECT_EQ(monitor.GetUnfinished(), 0U);
    EXPECT_EQ(monitor.GetResults()[0].idealNs, eachNs);
    EXPECT_EQ(monitor.GetResults()[1].idealNs, fewNs);
    EXPECT_EQ(monitor.GetResults()[2].idealNs, fewNs) << "connected since";
}

TEST_F(IdealTimes, ThePacketsPerAckOfTheFeedbackReplaceThoseOfTheHost)
{
    m_fabric.SetHostAttribute("AckInterval", UintegerValue(8));
    Install();
    auto each = Spec("packet");
    each.feedback = CreateObject<RdmaFeedback>();
    each.feedback->SetAttribute("Return", StringValue("ns3::RdmaAckReturn[AckInterval=1]"));
    const auto host = m_fabric.GetHost(1);
    EXPECT_EQ(host->GetAckInterval(), 8U);
    EXPECT_EQ(host->GetAckInterval(PeekPointer(each.feedback)), 1U);
    EXPECT_LT(m_fabric.GetIdealFctNs(0, 1, BYTES), 40000);
    EXPECT_GT(m_fabric.GetIdealFctNs(0, 1, BYTES, RdmaVerb::WRITE, each.feedback), 200000);
}

TEST_F(IdealTimes, AHostKnowsTheFeedbackOfItsQueuePairs)
{
    Install();
    const auto delayed = Spec("packet:delayed-ack-8");
    const uint32_t first = Connect(0, Spec("packet")).queuePair;
    const uint32_t second = Connect(0, delayed).queuePair;
    const auto host = m_fabric.GetHost(0);
    EXPECT_FALSE(host->GetFeedback(first)) << "the default";
    EXPECT_EQ(host->GetFeedback(second), delayed.feedback);
    EXPECT_FALSE(host->GetFeedback(second + 1)) << "there is none";
    EXPECT_FALSE(m_fabric.GetHost(1)->GetFeedback(second)) << "that end does not send";
    Simulator::Destroy();
    EXPECT_FALSE(host->GetFeedback(second));
}

namespace
{

/**
 * Returns a topology of two hosts at two switches, which are joined by parallel links.
 * @param between links between the switches, nodes 2 and 3
 */
HpccTopology
Parallel(const std::vector<HpccTopology::Link>& between)
{
    HpccTopology network;
    for (const bool isSwitch : {false, false, true, true})
    {
        network.AddNode(isSwitch);
    }
    const DataRate rate("100Gbps");
    network.AddLink({0, 2, rate, MicroSeconds(1)});
    network.AddLink({1, 3, rate, MicroSeconds(1)});
    for (const auto& link : between)
    {
        network.AddLink(link);
    }
    return network;
}

} // namespace

TEST_F(IdealTimes, TheBaseRttIsThatOfTheSlowestShortestPathInAnyOrderOfTheLinks)
{
    const DataRate rate("100Gbps");
    const HpccTopology::Link near{2, 3, rate, MicroSeconds(1)};
    const HpccTopology::Link far{2, 3, rate, MicroSeconds(100)};
    HpccFabricHelper single;
    single.Install(Parallel({far}));
    const int64_t expectedNs = single.GetNetworkBaseRttNs();
    EXPECT_GT(expectedNs, 204000);
    for (const auto& links : {std::vector{near, far}, {far, near}})
    {
        HpccFabricHelper fabric;
        fabric.Install(Parallel(links));
        EXPECT_EQ(fabric.GetNetworkBaseRttNs(), expectedNs);
        EXPECT_EQ(fabric.GetPath(0, 1).baseRttNs, expectedNs);
        EXPECT_EQ(fabric.GetPath(1, 0).baseRttNs, expectedNs);
    }
}

TEST_F(IdealTimes, AcksMayTakeAnotherRouteThanTheirData)
{
    const DataRate fast("100Gbps");
    const DataRate slow("1Gbps");
    HpccFabricHelper single;
    single.Install(Parallel({{2, 3, fast, MicroSeconds(1)}}));
    HpccFabricHelper fabric;
    fabric.Install(
        Parallel({{2, 3, fast, MicroSeconds(1), 0, slow}, {2, 3, slow, MicroSeconds(1), 0, fast}}));
    EXPECT_EQ(fabric.GetIdealFctNs(0, 1, BYTES), single.GetIdealFctNs(0, 1, BYTES));
    EXPECT_EQ(fabric.GetIdealFctNs(0, 1, BYTES, RdmaVerb::READ),
              single.GetIdealFctNs(0, 1, BYTES, RdmaVerb::READ));
    EXPECT_EQ(fabric.GetIdealDeliveryNs(0, 1, BYTES), single.GetIdealDeliveryNs(0, 1, BYTES));
}
