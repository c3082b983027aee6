/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-rdma.h"

#include "ns3/hpcc-ifa-format.h"
#include "ns3/hpcc-monitor.h"
#include "ns3/hpcc-telemetry-format.h"

using namespace hpcctest;

namespace
{

/// Tests an incast in which 16 hosts send 500 KB each to one host. All links have 100 Gb/s and a
/// delay of 1 us.
class FormatIncastTestCase : public RdmaTestCase
{
  public:
    explicit FormatIncastTestCase(const std::string& telemetry)
        : RdmaTestCase(telemetry +
                       ": a 16:1 incast under HPCC++ ends without drops, and from 150 us "
                       "on the 95th percentile of the queue is at most 6 packets"),
          m_telemetry(telemetry)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t senders = 16;
        constexpr uint64_t bytes = 500000;
        constexpr int64_t settleNs = 150000;
        Install(Star(senders + 1, "100Gbps", MicroSeconds(1)));
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", m_telemetry);
        std::vector<HpccFlowPlan> flows;
        for (uint32_t host = 0; host < senders; ++host)
        {
            uint32_t qp = Fabric().Connect(host, senders, spec);
            Post(host, qp, bytes);
            flows.push_back({host, senders, bytes, 0, qp, 0});
        }
        RdmaHost& receiver = Host(senders);
        const uint32_t packetBytes = receiver.DataFrameBytes(receiver.GetMtu(),
                                                             ROCE_WRITE_MIDDLE,
                                                             PeekPointer(spec.format)) +
                                     spec.format->GetHopBytes();
        HpccMonitor monitor(Fabric(), flows, settleNs);
        Simulator::Stop(MilliSeconds(20));
        Simulator::Run();
        HpccSummary summary = monitor.Summarize();
        NS_TEST_ASSERT_MSG_EQ(summary.flowsFinished, senders, "flows finished");
        NS_TEST_ASSERT_MSG_EQ(GetDrops(), 0, "drops");
        NS_TEST_ASSERT_MSG_GT(summary.firstCompletionNs, 2 * settleNs, "time to measure");
        NS_TEST_ASSERT_MSG_LT_OR_EQ(summary.queueP95Bytes, 6 * packetBytes, "95th percentile");
        NS_TEST_ASSERT_MSG_EQ(Host(0).GetUnknownLinks(), 0, "links without a rate");
        NS_TEST_ASSERT_MSG_EQ(AllFramesFree(), true, "frames returned");
    }

    std::string m_telemetry; ///< short name of the format
};

class UnknownSpeedTestCase : public RdmaTestCase
{
  public:
    UnknownSpeedTestCase()
        : RdmaTestCase("a line rate that IFA has no code for is looked up; one that it has is not")
    {
    }

  private:
    void DoRun() override
    {
        for (uint64_t gbps : {400, 800})
        {
            Install(Star(2, std::to_string(gbps) + "Gbps", MicroSeconds(1)));
            auto policy = CreateObject<FixedPolicy>();
            policy->needs.telemetry = "int-md";
            uint32_t read = 0;
            auto format = CreateObject<IfaFormat>();
            policy->onAck = [&](RdmaCongestionState&, const RdmaAckInfo& ack) {
                read += ack.hopCount;
                NS_TEST_ASSERT_MSG_EQ(ack.hops[0].bandwidthBps, gbps * 1000000000, "line rate");
                NS_TEST_ASSERT_MSG_NE((ack.hops[0].fields & TELEMETRY_BANDWIDTH), 0, "is known");
            };
            Host(0).SetInventory(gbps == 400 ? Create<TelemetryInventory>() : Known(gbps));
            RdmaQueuePairConfig config;
            config.policy = policy;
            config.telemetry = format;
            Post(0, Host(0).Connect(Fabric().GetHost(1), config), 5000);
            Simulator::Run();
            NS_TEST_ASSERT_MSG_EQ(read, 5, "records");
            RdmaTestCase::DoTeardown();
        }
    }

    /// Returns an inventory that contains only the switch port to host 1.
    /// @param gbps rate of this port, Gb/s
    static Ptr<TelemetryInventory> Known(uint64_t gbps)
    {
        auto inventory = Create<TelemetryInventory>();
        inventory->Add(2, 1, gbps * 1000000000);
        return inventory;
    }
};

class RefusedDscpTestCase : public RdmaTestCase
{
  public:
    RefusedDscpTestCase()
        : RdmaTestCase("a DSCP that marks telemetry must have the data's priority at every port, "
                       "and must not be sent anyway")
    {
    }

  private:
    void DoRun() override
    {
        const std::string mark = "telemetry format int-md:dscp: its DSCP 23 ";
        const std::string unequal = "; ns3::QbbNetDevice::DscpToPriority of node ";
        Expect("", "by default");

        Fabric().SetDeviceAttribute("DscpToPriority", StringValue("26:3,48:6"));
        Expect(mark + "has priority 0, but the data's DSCP 26 has 3" + unequal +
                   "0 must give both the same",
               "no port knows it");

        for (const std::string name : {"DataDscp", "AckDscp", "CnpDscp"})
        {
            Fabric().SetHostAttribute(name, UintegerValue(23));
            Expect(mark + "is also ns3::RdmaHost::" + name + "; it must be used by nothing else",
                   name);
        }

        Install(Star(2, "100Gbps", MicroSeconds(1)));
        Fabric().GetSwitch(2)->GetPorts()[1]->SetAttribute("DscpToPriority",
                                                           StringValue("23:2,26:3,48:6"));
        Expect(mark + "has priority 2, but the data's DSCP 26 has 3" + unequal +
                   "2 must give both the same",
               "one port differs");
    }

    /**
     * Expects that Connect() refuses the format with a given message, or accepts it.
     * @param refusal expected error message; empty if the format is accepted
     * @param when circumstances, for messages of the test
     */
    void Expect(const std::string& refusal, const std::string& when)
    {
        if (Fabric().GetDevices().empty())
        {
            Install(Star(2, "100Gbps", MicroSeconds(1)));
        }
        std::string why;
        try
        {
            Fabric().Connect(0, 1, HpccFabricHelper::MakePolicy("hpcc++", "int-md:dscp"));
        }
        catch (const HpccInputError& error)
        {
            why = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(why, refusal, when);
        RdmaTestCase::DoTeardown();
    }
};

class HpccMarkingsTestSuite : public TestSuite
{
  public:
    HpccMarkingsTestSuite();
};

HpccMarkingsTestSuite::HpccMarkingsTestSuite()
    : TestSuite("hpcc-markings", Type::SYSTEM)
{
    for (const char* telemetry : {"ifa", "int-md:dscp", "int-md:latency"})
    {
        AddTestCase(new FormatIncastTestCase(telemetry));
    }
    AddTestCase(new UnknownSpeedTestCase);
    AddTestCase(new RefusedDscpTestCase);
}

HpccMarkingsTestSuite g_hpccMarkingsTestSuite; ///< the suite

} // namespace
