/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-star-refusals.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-packet-trimmer.h"
#include "ns3/nstime.h"
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

/// Tests that a queue pair that the hosts refuse, after the network has accepted it, leaves nothing
/// in the network and in the hosts.
class RefusedConnect : public StarRefusals
{
  protected:
    ~RefusedConnect() override
    {
        Config::Reset();
    }

    /**
     * Connects a queue pair that host 0 refuses.
     * @param fabric the network
     * @param spec policy and telemetry
     * @param reads true for a queue pair with READs
     */
    static void ConnectInVain(HpccFabricHelper& fabric,
                              const HpccFabricHelper::PolicySpec& spec,
                              bool reads = false)
    {
        const Ptr<RdmaHost> peer = fabric.GetHost(1);
        peer->SetAttribute("FeedbackKey", StringValue("other"));
        Expect(RefusalOf([&] { fabric.Connect(0, 1, spec, 0, false, reads); }),
               {"FeedbackKey of 11.0.0.1 and 11.0.0.2 differ"});
        peer->SetAttribute("FeedbackKey", StringValue(""));
    }

    /**
     * Expects that an attribute may have a value after a refused queue pair, but not after a queue
     * pair that is connected.
     * @param fabric the network
     * @param spec policy and telemetry of both queue pairs
     * @param object object with the attribute
     * @param attribute name of the attribute
     * @param value a value that is too small for the queue pair
     */
    static void ExpectLimit(HpccFabricHelper& fabric,
                            const HpccFabricHelper::PolicySpec& spec,
                            const Ptr<Object>& object,
                            const std::string& attribute,
                            const std::string& value)
    {
        SCOPED_TRACE(attribute);
        StringValue before;
        object->GetAttribute(attribute, before);
        const auto set = [&] { object->SetAttribute(attribute, StringValue(value)); };
        ConnectInVain(fabric, spec);
        EXPECT_EQ(RefusalOf(set), "");
        object->SetAttribute(attribute, before);
        EXPECT_EQ(RefusalOf([&] { fabric.Connect(0, 1, spec); }), "");
        EXPECT_NE(RefusalOf(set), "");
    }

    /// Returns Eta of the policy of a new queue pair.
    /// @param fabric the network
    /// @param source number of the host that sends
    /// @param spec policy and telemetry
    static double EtaOfNew(HpccFabricHelper& fabric,
                           uint32_t source,
                           const HpccFabricHelper::PolicySpec& spec)
    {
        const uint32_t queuePair = fabric.Connect(source, 1 - source, spec);
        DoubleValue eta;
        fabric.GetHost(source)->GetQueuePair(queuePair).ops->GetAttribute("Eta", eta);
        return eta.Get();
    }
};

} // namespace

TEST_F(RefusedConnect, LeavesNoLimitOfAnMtu)
{
    ExpectLimit(Fabric(),
                HpccFabricHelper::MakePolicy("none"),
                Fabric().GetDevice(2, 1),
                "Mtu",
                "900");
}

TEST_F(RefusedConnect, IsNoReasonToAcceptPacketsThatExceedALowerMtu)
{
    const auto spec = HpccFabricHelper::MakePolicy("none");
    ConnectInVain(Fabric(), spec);
    Fabric().GetDevice(2, 1)->SetAttribute("Mtu", UintegerValue(900));
    Expect(RefusalOf([&] { Fabric().Connect(0, 1, spec); }), {"ns3::QbbNetDevice::Mtu", "900"});
}

TEST_F(RefusedConnect, LeavesNoQueuePairIfTheReceiverRefusesTheRecovery)
{
    HpccFabricHelper fabric;
    fabric.SetHostAttribute("Recovery", StringValue("irn"));
    fabric.Install(HpccTopology::Star(3, FAST));
    const auto spec = HpccFabricHelper::MakePolicy("none");
    fabric.Connect(0, 1, spec);
    Config::SetDefault("ns3::RdmaIrn::RtoLow", TimeValue(Seconds(1)));
    Expect(RefusalOf([&] { fabric.Connect(0, 2, spec); }), {"RdmaIrn::RtoLow", "is above RtoHigh"});
    EXPECT_EQ(fabric.GetHost(0)->GetQueuePairs(), 1U);
    EXPECT_EQ(fabric.GetHost(2)->GetQueuePairs(), 0U);
    Config::Reset();
    EXPECT_EQ(RefusalOf([&] { fabric.Connect(0, 2, spec); }), "");
}

TEST_F(RefusedConnect, LeavesNoLimitOfAReceiveBuffer)
{
    HpccFabricHelper fabric;
    fabric.SetDeviceAttribute("PfcEnabled", BooleanValue(false));
    fabric.SetDeviceAttribute("ReceiveDrainRate", StringValue("50Gbps"));
    fabric.Install(HpccTopology::Star(2, FAST));
    ConnectInVain(fabric, HpccFabricHelper::MakePolicy("none"));
    fabric.GetDevice(1, 0)->SetAttribute("ReceiveBuffer", UintegerValue(1000));
    EXPECT_EQ(RefusalOf([] { Simulator::Run(); }), "");
}

TEST_F(RefusedConnect, LeavesNoLimitOfABuffer)
{
    HpccFabricHelper fabric;
    fabric.SetDeviceAttribute("PfcEnabled", BooleanValue(false));
    fabric.SetBufferAttribute("ReservedBytes", StringValue("0"));
    fabric.Install(HpccTopology::Star(2, FAST));
    ExpectLimit(fabric,
                HpccFabricHelper::MakePolicy("none"),
                fabric.GetSwitch(2)->GetBuffer(),
                "EgressAlpha",
                "1e-06");
}

TEST_F(RefusedConnect, LeavesNoLimitOfATrimmer)
{
    HpccFabricHelper fabric;
    fabric.SetHostAttribute("Recovery", StringValue("sack"));
    fabric.SetDeviceAttribute("PfcEnabled", BooleanValue(false));
    fabric.SetTrimming("coin");
    fabric.Install(HpccTopology::Star(2, FAST));
    ExpectLimit(fabric,
                HpccFabricHelper::MakePolicy("nscc"),
                fabric.GetNodes().Get(2)->GetObject<PacketTrimmer>(),
                "Payload",
                "1000");
}

TEST_F(RefusedConnect, LeavesNoLossRecovery)
{
    HpccFabricHelper fabric;
    fabric.SetHostAttribute("Recovery", StringValue("irn"));
    fabric.Install(HpccTopology::Star(2, FAST));
    const auto spec = HpccFabricHelper::MakePolicy("none");
    Config::SetDefault("ns3::RdmaIrn::RtoLow", TimeValue(MicroSeconds(1)));
    Config::SetDefault("ns3::RdmaIrn::RtoHigh", TimeValue(MicroSeconds(2)));
    Expect(RefusalOf([&] { fabric.Connect(0, 1, spec); }), {"ns3::RdmaIrn::RtoHigh is 2000 ns"});
    Config::SetDefault("ns3::RdmaIrn::RtoHigh", TimeValue(MicroSeconds(200)));
    EXPECT_EQ(RefusalOf([&] { fabric.Connect(0, 1, spec); }), "");
}

TEST_F(RefusedConnect, LeavesNoLossRecoveryInTheNetwork)
{
    HpccTopology topology; // with a slow way back, so that a SACK for each packet takes longer than
                           // the data
    topology.AddNode(false);
    topology.AddNode(false);
    topology.AddNode(true);
    topology.AddLink({0, 2, FAST.host, FAST.delay, 0, DataRate("1Gbps")});
    topology.AddLink({1, 2, FAST.host, FAST.delay});
    std::vector<int64_t> idealNs;
    for (const auto& [refused, earlier] :
         {std::pair(false, false), std::pair(true, false), std::pair(true, true)})
    {
        HpccFabricHelper fabric;
        fabric.SetHostAttribute("Recovery", StringValue(earlier ? "go-back-n" : "sack"));
        fabric.SetTelemetryAgentAttribute("Insertion", StringValue("Interval"));
        fabric.SetTelemetryAgentAttribute("IntervalScope", StringValue("EachPort"));
        fabric.Install(topology);
        if (earlier)
        {
            fabric.GetIdealFctNs(0, 1, 1000); // the network gets another recovery before
            fabric.GetHost(0)->SetAttribute("Recovery", StringValue("sack"));
            fabric.GetHost(1)->SetAttribute("Recovery", StringValue("sack"));
        }
        Config::SetDefault("ns3::RdmaSack::AckBytes", UintegerValue(1000000));
        if (refused)
        {
            Expect(RefusalOf([&] { fabric.Connect(0, 1, HpccFabricHelper::MakePolicy("hpcc++")); }),
                   {"--recovery sack: ns3::TelemetryAgent::Insertion is Interval"});
        }
        Config::SetDefault("ns3::RdmaSack::AckBytes", UintegerValue(1));
        fabric.Connect(0, 1, HpccFabricHelper::MakePolicy("none"));
        idealNs.push_back(fabric.GetIdealFctNs(0, 1, 100000));
    }
    EXPECT_GT(idealNs[0], 50000) << "100 SACKs of 64 bytes or more at 1 Gb/s";
    EXPECT_EQ(idealNs[1], idealNs[0]);
    EXPECT_EQ(idealNs[2], idealNs[0]);
}

TEST_F(RefusedConnect, LeavesNoPolicyOfReadsAtBothHosts)
{
    const auto spec = HpccFabricHelper::MakePolicy("hpcc++");
    Config::SetDefault("ns3::RdmaHpccPlusPlus::Eta", DoubleValue(0.9));
    ConnectInVain(Fabric(), spec, true);
    EXPECT_TRUE(Fabric().GetFormats().empty());
    Config::SetDefault("ns3::RdmaHpccPlusPlus::Eta", DoubleValue(0.8));
    EXPECT_EQ(EtaOfNew(Fabric(), 0, spec), 0.8);
    EXPECT_EQ(EtaOfNew(Fabric(), 1, spec), 0.8);
}

TEST_F(RefusedConnect, LeavesAPolicyThatAnotherQueuePairShares)
{
    HpccFabricHelper fabric;
    fabric.SetHostAttribute("Recovery", StringValue("sack"));
    fabric.Install(HpccTopology::Star(2, FAST));
    const auto first = HpccFabricHelper::MakePolicy("hpcc++:sojourn"); // a domain edge hides the
                                                                       // time that it needs
    auto second = HpccFabricHelper::MakePolicy("hpcc++:sojourn", "", "every-8");
    second.format = first.format;
    Config::SetDefault("ns3::RdmaHpccPlusPlus::Eta", DoubleValue(0.9));
    EXPECT_EQ(EtaOfNew(fabric, 0, first), 0.9);
    Config::SetDefault("ns3::RdmaHpccPlusPlus::Eta", DoubleValue(0.8));
    Expect(RefusalOf([&] { fabric.Connect(0, 1, second, 0, false, true); }),
           {"ns3::RdmaHost::Connect: READs with recovery sack"});
    Expect(RefusalOf([&] { fabric.AddTelemetryBorder(2, 1); }),
           {"hpcc++:sojourn", "the telemetry border of node 2 lets only a load pass"});
    EXPECT_EQ(EtaOfNew(fabric, 0, first), 0.9);
    EXPECT_EQ(EtaOfNew(fabric, 0, second), 0.9);
    EXPECT_EQ(EtaOfNew(fabric, 1, second), 0.8);
}
