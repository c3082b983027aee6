/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-reflector.h"
#include "ns3/string.h"

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Record of a switch that is returned.
struct Report
{
    uint32_t switchId;
    uint64_t timeNs;
    uint64_t queueBytes;
};

class RdmaReflectorTest : public ::testing::Test
{
  protected:
    static Ptr<TelemetryFormat> MakeFormat(const std::string& name)
    {
        ObjectFactory factory;
        EXPECT_TRUE(HpccPresets::Find(TelemetryFormat::GetTypeId(), name, factory));
        return factory.Create<TelemetryFormat>();
    }

    /**
     * @param attributes attributes of RdmaAckReturn, such as "ReturnInterval=3"
     * @return a feedback mode with these attributes
     */
    static Ptr<RdmaFeedback> Returning(const std::string& attributes)
    {
        return CreateObjectWithAttributes<RdmaFeedback>(
            "Return",
            StringValue("ns3::RdmaAckReturn[" + attributes + "]"));
    }

    void Start(const std::string& attributes = "AckInterval=0")
    {
        m_reflector = std::make_unique<RdmaReflector>(*Returning(attributes), 5000);
    }

    TelemetryStack StackOf(const std::vector<Report>& reports) const
    {
        TelemetryStack stack;
        m_format->Open(stack, {4791, 17, 26});
        for (const auto& report : reports)
        {
            HopSnapshot hop{};
            hop.switchId = report.switchId;
            hop.egressPort = 1;
            hop.timestampNs = report.timeNs;
            hop.queueBytes = report.queueBytes;
            hop.bandwidthBps = 100'000'000'000;
            hop.txBytes = report.timeNs;
            hop.ttl = 60;
            EXPECT_NE(m_format->Insert(stack, hop, 1000), TelemetryFormat::NOT_INSERTED);
        }
        return stack;
    }

    bool Take(const std::vector<Report>& reports)
    {
        Frame frame{};
        frame.format = PeekPointer(m_format);
        frame.telemetry = StackOf(reports);
        return m_reflector->Take(frame);
    }

    /// Returns the switch, time and queue of each record that the next ACK returns.
    std::vector<std::vector<uint64_t>> Fill()
    {
        Frame ack{};
        m_reflector->Fill(ack);
        std::vector<std::vector<uint64_t>> returned;
        for (uint32_t i = 0; ack.format && i < ack.telemetry.hops; ++i)
        {
            const HopTelemetry hop = ack.format->Read(ack.telemetry, i);
            returned.push_back({hop.switchId, hop.timestampNs, hop.queueBytes});
        }
        return returned;
    }

    using Rows = std::vector<std::vector<uint64_t>>;

    Ptr<TelemetryFormat> m_format{MakeFormat("int-md")};
    std::unique_ptr<RdmaReflector> m_reflector;
};

TEST_F(RdmaReflectorTest, AnAckReturnsTheNewestReportsOnce)
{
    Start();
    EXPECT_EQ(Fill(), Rows()) << "nothing yet";
    EXPECT_TRUE(Take({{1, 1000, 500}, {2, 1100, 0}})) << "the first one is urgent";
    EXPECT_FALSE(Take({{1, 2000, 300}, {2, 2100, 7}}));
    EXPECT_EQ(Fill(), (Rows{{1, 2000, 300}, {2, 2100, 7}}));
    EXPECT_EQ(Fill(), Rows());
}

TEST_F(RdmaReflectorTest, AHopThatSkippedTheNewestPacketKeepsItsReport)
{
    Start();
    Take({{1, 1000, 500}, {2, 1100, 10}, {3, 1200, 0}});
    Take({{1, 2000, 300}, {3, 2200, 9}});
    EXPECT_EQ(Fill(), (Rows{{1, 2000, 300}, {2, 1100, 10}, {3, 2200, 9}}));
    Take({{2, 3000, 1}});
    Take({{1, 4000, 2}, {2, 4100, 3}});
    EXPECT_EQ(Fill(), (Rows{{1, 4000, 2}, {2, 4100, 3}})) << "more hops than before";
    Take({{1, 5000, 2}, {2, 5100, 3}});
    Take({{2, 6000, 2}, {1, 6100, 3}});
    EXPECT_EQ(Fill(), (Rows{{2, 6000, 2}, {1, 6100, 3}})) << "another path";
}

TEST_F(RdmaReflectorTest, EveryNthAckReturnsTelemetryOrTheNextOne)
{
    Start("ReturnInterval=3");
    Take({{1, 1000, 0}});
    EXPECT_EQ(Fill(), (Rows{{1, 1000, 0}})) << "the first one";
    Take({{1, 2000, 0}});
    EXPECT_EQ(Fill(), Rows());
    EXPECT_EQ(Fill(), Rows());
    Take({{1, 3000, 0}});
    EXPECT_EQ(Fill(), (Rows{{1, 3000, 0}}));
    for (int i = 0; i < 5; ++i)
    {
        EXPECT_EQ(Fill(), Rows()) << "there is none";
    }
    Take({{1, 4000, 0}});
    EXPECT_EQ(Fill(), (Rows{{1, 4000, 0}}));
}

TEST_F(RdmaReflectorTest, TheLargestQueueSinceTheLastAckIsReturnedInEveryStackedFormat)
{
    for (const char* name : {"int-md", "int-md:latency", "int-md-no-ts", "ifa", "ioam"})
    {
        m_format = MakeFormat(name);
        const bool timed = m_format->GetCapabilities().fields & TELEMETRY_TIMESTAMP;
        for (bool largest : {false, true})
        {
            const std::string attribute = largest ? "LargestQueue=true" : "LargestQueue=false";
            EXPECT_EQ(Returning(attribute)->CheckFormat(*m_format), "");
            Start(attribute);
            Take({{1, 1000, 256}, {2, 1100, 5120}});
            Take({{1, 2000, 5120}, {2, 2100, 256}});
            Take({{1, 3000, 1024}, {2, 3100, 1024}});
            const uint64_t queue = largest ? 5120 : 1024;
            EXPECT_EQ(Fill(), (Rows{{1, timed ? 3000U : 0, queue}, {2, timed ? 3100U : 0, queue}}))
                << name;
            Take({{1, 4000, 256}, {2, 4100, 256}});
            EXPECT_EQ(Fill()[0][2], 256) << "since the last ACK";
        }
    }
}

TEST(RdmaFeedback, PacketsThatCollectForARecordThatComesBack)
{
    const std::map<std::string, std::pair<uint32_t, uint32_t>> expected{
        {"packet", {0, 4}},
        {"switch", {0, 4}},
        {"notification", {0, 0}},
        {"receiver", {0, 0}},
        {"probe", {1, 1}},
        {"every-8", {1, 1}},
        {"random", {1, 1}},
        {"per-rtt", {1, 1}},
        {"packet:delayed-ack", {2, 2}},
        {"packet:every-8th-ack", {8, 32}},
    };
    for (const auto& [name, packets] : expected)
    {
        ObjectFactory factory;
        ASSERT_TRUE(RdmaFeedback::Find(name, factory));
        auto feedback = factory.Create<RdmaFeedback>();
        EXPECT_EQ(feedback->PacketsPerRecord(1), packets.first) << name;
        EXPECT_EQ(feedback->PacketsPerRecord(4), packets.second) << name << ", ACKs for four";
    }
}

TEST_F(RdmaReflectorTest, FormatsWhoseRecordsCannotBeMergedAreRefusedTheLargestQueue)
{
    EXPECT_EQ(
        Returning("LargestQueue=true")->CheckFormat(*MakeFormat("sigcomm19")),
        "ns3::RdmaAckReturn::LargestQueue is true, but records of ns3::Sigcomm19Format cannot "
        "be merged; allowed is false");
    EXPECT_EQ(Returning("LargestQueue=false")->CheckFormat(*MakeFormat("sigcomm19")), "");
}

TEST_F(RdmaReflectorTest, ALoadThatCrossesTheThresholdFromBelowIsUrgentOnce)
{
    Start("UrgentLoad=0.95");
    ASSERT_TRUE(m_reflector->Measures());
    const TelemetryCapabilities format{TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID |
                                           TELEMETRY_TIMESTAMP | TELEMETRY_QUEUE |
                                           TELEMETRY_UTILIZATION | TELEMETRY_BANDWIDTH,
                                       0,
                                       0,
                                       false};
    int64_t now = 0;
    auto crosses = [&](double utilization, uint64_t queue) {
        now += 1000;
        HopTelemetry hop{};
        hop.fields = format.fields;
        hop.switchId = 1;
        hop.portId = 1;
        hop.timestampNs = static_cast<uint64_t>(now);
        hop.queueBytes = queue;
        hop.utilization = utilization;
        hop.bandwidthBps = 100'000'000'000;
        return m_reflector->IsUrgent({now, 0, 0, 0, &hop, 1, 0, 0, &format});
    };
    EXPECT_FALSE(crosses(1, 50000)) << "the first record";
    EXPECT_FALSE(crosses(0.9, 0));
    EXPECT_FALSE(crosses(0.9, 50000)) << "the smaller of two queues counts";
    EXPECT_TRUE(crosses(0.9, 50000));
    EXPECT_FALSE(crosses(0.9, 60000)) << "it is above";
    EXPECT_FALSE(crosses(0.9, 0));
    EXPECT_TRUE(crosses(0.96, 0));
}

TEST_F(RdmaReflectorTest, WithoutAnUrgentLoadNothingIsMeasured)
{
    Start();
    EXPECT_FALSE(m_reflector->Measures());
}

} // namespace
