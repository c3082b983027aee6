/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-bytes.h"
#include "hpcc-test-seeds.h"

#include "ns3/hpcc-frame-codec.h"
#include "ns3/hpcc-int-md-format.h"
#include "ns3/hpcc-law.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-roce-packet.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-feedback.h"
#include "ns3/string.h"

#include <gtest/gtest.h>
#include <iostream>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// A frame as printed by test/oracle/make_codec_vectors.py.
const std::string SCAPY =
    "020000000002020000000001080045c0005400014000401125d60a0000010a000002c00112b700400000c240ffff"
    "0000001200123456100000000000000710100100000000030000000700020001030111700000000000001388000d"
    "bba0505bcb6d";

Ptr<TelemetryFormat>
MakeFormat(const std::string& name)
{
    ObjectFactory factory;
    EXPECT_TRUE(HpccPresets::Find(TelemetryFormat::GetTypeId(), name, factory)) << name;
    return factory.Create<TelemetryFormat>();
}

/// Returns a response by switch 7 to packet 0x123456 of queue pair 0x12, without records.
Frame
MakeResponse(const TelemetryFormat& format)
{
    Frame frame{};
    frame.kind = Frame::Kind::ROCE;
    frame.source = 0x0a000001;
    frame.destination = 0x0a000002;
    frame.sourcePort = 0xc001;
    frame.destinationPort = ROCE_UDP_PORT;
    frame.protocol = 17;
    frame.tos = 48 << 2;
    frame.ttl = 64;
    frame.ipId = 1;
    frame.ipv6 = format.GetMarking().ipv6;
    frame.opcode = ROCE_SWITCH_RESPONSE;
    frame.destinationQp = 0x12;
    frame.psn = 0x123456;
    frame.format = &format;
    format.Open(frame.telemetry, {ROCE_UDP_PORT, 17, 26});
    frame.reflectionSeq = 3;
    frame.response.flags = 0;
    frame.response.switchId = 7;
    frame.response.forReceiver = false;
    return frame;
}

/// Returns a random hop whose values consist of numbers of seven bits.
HopSnapshot
RandomHop(std::mt19937& random)
{
    HopSnapshot hop{};
    hop.timestampNs = random() % 128 * 1000;
    hop.txBytes = random() % 128 * 1000;
    hop.bandwidthBps = 100'000'000'000;
    hop.queueBytes = random() % 128 * 1000;
    hop.switchId = random() % 128;
    hop.egressPort = random() % 128;
    hop.utilizationPpm = random() % 1000000;
    hop.ttl = 60;
    return hop;
}

TEST(SwitchResponseCodecTest, AResponseHasTheBytesThatScapyMakes)
{
    auto format = MakeFormat("int-md");
    Frame frame = MakeResponse(*format);
    HopSnapshot hop{};
    hop.timestampNs = 5000;
    hop.queueBytes = 70000;
    hop.switchId = 7;
    hop.ingressPort = 2;
    hop.egressPort = 1;
    hop.utilizationPpm = 900000;
    hop.queueId = 3;
    format->Insert(frame.telemetry, hop, 1000);
    const std::vector<uint8_t> bytes = FrameCodec::Encode(frame, SOURCE, DESTINATION);
    EXPECT_EQ(ToHex(bytes), SCAPY);
    EXPECT_EQ(bytes.size(), RoceFrameBytes(frame));
}

TEST(SwitchResponseCodecTest, EveryFormatsResponsesSurviveTheWire)
{
    const uint32_t seed = ChooseSeed(1);
    std::cout << "HPCC_TEST_SEED=" << seed << "\n";
    std::mt19937 random(seed);
    for (const char* name :
         {"int-md", "int-md:latency", "int-md-no-ts", "ifa", "ioam", "sigcomm19", "csig"})
    {
        auto format = MakeFormat(name);
        FrameCodec codec;
        codec.AddFormat(PeekPointer(format));
        for (int i = 0; i < 100; ++i)
        {
            Frame frame = MakeResponse(*format);
            frame.psn = random() & 0xffffff;
            frame.destinationQp = random() & 0xffffff;
            frame.response.switchId = random();
            frame.response.forReceiver = random() & 1;
            frame.reflectionSeq = static_cast<uint16_t>(random());
            for (uint32_t hops = random() % 5; hops > 0; --hops)
            {
                format->Insert(frame.telemetry, RandomHop(random), 1000);
            }
            const std::vector<uint8_t> bytes = FrameCodec::Encode(frame, SOURCE, DESTINATION);
            Frame read{};
            std::string why;
            ASSERT_TRUE(codec.Decode(bytes.data(), bytes.size(), read, why)) << name << why;
            EXPECT_EQ(read.opcode, ROCE_SWITCH_RESPONSE);
            EXPECT_EQ(read.psn, frame.psn);
            EXPECT_EQ(read.destinationQp, frame.destinationQp);
            EXPECT_EQ(read.response.switchId, frame.response.switchId);
            EXPECT_EQ(read.response.forReceiver, frame.response.forReceiver);
            EXPECT_EQ(read.reflectionSeq, frame.reflectionSeq);
            EXPECT_EQ(read.telemetry.hops, frame.telemetry.hops);
            EXPECT_EQ(FrameCodec::Encode(read, SOURCE, DESTINATION), bytes) << name;
            EXPECT_FALSE(read.CollectsTelemetry());
        }
    }
}

TEST(SwitchResponseCodecTest, AnotherVersionOrABitErrorIsRefused)
{
    auto format = MakeFormat("int-md");
    FrameCodec codec;
    codec.AddFormat(PeekPointer(format));
    constexpr size_t bth = 14 + 20 + 8;
    for (bool icrcToo : {false, true})
    {
        std::vector<uint8_t> bytes = FrameCodec::Encode(MakeResponse(*format), SOURCE, DESTINATION);
        bytes[bth + 12] = 0x20;
        if (icrcToo)
        {
            const uint32_t crc = RocePacket::InvariantCrc(bytes.data() + 14, bytes.size() - 18);
            for (size_t i = 0; i < 4; ++i)
            {
                bytes[bytes.size() - 4 + i] = static_cast<uint8_t>(crc >> (8 * i));
            }
        }
        Frame read{};
        std::string why;
        EXPECT_FALSE(codec.Decode(bytes.data(), bytes.size(), read, why));
        EXPECT_EQ(why, icrcToo ? "switch response is of an unknown version" : "ICRC is wrong");
    }
}

TEST(SubscriptionTest, IntMdCarriesTheSubscriptionAsAFlagOfItsDomain)
{
    auto format = MakeFormat("int-md");
    for (bool subscribed : {false, true})
    {
        TelemetryStack stack;
        format->Open(stack, {ROCE_UDP_PORT, 17, 26});
        stack.flags |= subscribed ? TELEMETRY_SUBSCRIBED : 0;
        std::vector<uint8_t> bytes(format->GetWireBytes(stack));
        format->Serialize(stack, bytes.data());
        EXPECT_EQ(ToHex({bytes.begin() + 10, bytes.begin() + 16}),
                  subscribed ? "485000008000" : "000000000000");
        TelemetryStack read;
        ASSERT_EQ(format->Deserialize(bytes.data(), bytes.size(), read), bytes.size());
        EXPECT_EQ(read.flags, stack.flags);
        bytes[10] = 0x49;
        EXPECT_EQ(format->Deserialize(bytes.data(), bytes.size(), read), 0) << "another domain";
    }
}

TEST(SubscriptionTest, AFormatWithoutAFlagOrWithADscpOfItsOwnRefusesTheOtherWay)
{
    auto feedback = CreateObject<RdmaFeedback>();
    EXPECT_EQ(feedback->GetSwitchAgent(), "");
    feedback->SetAttribute("Subscription", StringValue("switch"));
    EXPECT_EQ(feedback->GetSwitchAgent(), "switch-response");
    EXPECT_EQ(feedback->CheckFormat(*MakeFormat("int-md")), "");
    EXPECT_EQ(feedback->CheckFormat(*MakeFormat("ifa")),
              "ns3::RdmaFeedback::Subscription is switch, but ns3::IfaFormat has no subscription "
              "flag; allowed is switch:dscp");
    feedback->SetAttribute("Subscription", StringValue("switch:dscp"));
    EXPECT_EQ(feedback->CheckFormat(*MakeFormat("ifa")), "");
    EXPECT_EQ(feedback->CheckFormat(*MakeFormat("int-md:dscp")),
              "ns3::RdmaFeedback::Subscription is switch:dscp, but ns3::IntMdFormat is itself "
              "marked by a DSCP; allowed is switch");
}

/// Tests with a flow for which B T is 62500 bytes and W_ai is 31.25 bytes.
class SwitchResponseLawTest : public ::testing::Test
{
  protected:
    static constexpr double W_INIT = 62500;

    void SetUp() override
    {
        law.SetParameters({});
        law.Open(flow, 100e9, 0);
    }

    static HopTelemetry Hop(uint64_t timestampNs, uint64_t txBytes, uint64_t queueBytes)
    {
        HopTelemetry hop{};
        hop.fields = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID | TELEMETRY_TIMESTAMP |
                     TELEMETRY_TX_BYTES | TELEMETRY_QUEUE | TELEMETRY_BANDWIDTH;
        hop.switchId = 1;
        hop.portId = 1;
        hop.timestampNs = timestampNs;
        hop.txBytes = txBytes;
        hop.queueBytes = queueBytes;
        hop.bandwidthBps = 100'000'000'000;
        return hop;
    }

    HpccSample Sample(const HopTelemetry& hop, uint64_t ackSeq, uint64_t sndNxt)
    {
        last = hop;
        return {static_cast<int64_t>(hop.timestampNs), ackSeq, sndNxt, 0, &last, 1, 0, 0, &format};
    }

    TelemetryCapabilities format{Hop(0, 0, 0).fields, 0, 0, false};
    HopTelemetry last{};
    HpccLaw law;
    HpccFlow flow;
};

TEST_F(SwitchResponseLawTest, BeforeTheFirstRecordAQueueCountsWithABusyPort)
{
    const auto& outcome = law.TakeResponse(flow, Sample(Hop(2000, 0, 62500), 1000, 20000));
    EXPECT_EQ(outcome.branch, HpccBranch::COMMIT);
    EXPECT_DOUBLE_EQ(flow.windowBytes, W_INIT / (2 / 0.95) + 31.25);
    EXPECT_EQ(flow.referenceBytes, flow.windowBytes);
    EXPECT_EQ(flow.lastUpdateSeq, 20000U);
    EXPECT_EQ(flow.utilization, 1) << "U stays";
    EXPECT_EQ(flow.hopCount, 0) << "L stays empty";
    EXPECT_EQ(law.NewAck(flow, Sample(Hop(3000, 0, 62500), 1000, 21000)).reset,
              HpccReset::FIRST_RECORD);
}

TEST_F(SwitchResponseLawTest, WithoutAQueueNothingHappens)
{
    EXPECT_EQ(law.TakeResponse(flow, Sample(Hop(2000, 0, 0), 1000, 20000)).branch,
              HpccBranch::NONE);
    EXPECT_EQ(flow.windowBytes, W_INIT);
    EXPECT_EQ(flow.lastUpdateSeq, 0U);
}

TEST_F(SwitchResponseLawTest, WIsNeverRaised)
{
    flow.windowBytes = 1000;
    flow.referenceBytes = 2000;
    law.TakeResponse(flow, Sample(Hop(2000, 0, 625), 1000, 20000));
    EXPECT_EQ(flow.windowBytes, 1000);
    EXPECT_DOUBLE_EQ(flow.referenceBytes, 2000 / (1.01 / 0.95) + 31.25);
    law.TakeResponse(flow, Sample(Hop(2001, 0, 625), 20001, 30000));
    EXPECT_EQ(flow.windowBytes, 1000);
}

TEST_F(SwitchResponseLawTest, RepeatedInARoundItDoesNotLowerFurther)
{
    for (int i = 0; i < 10; ++i)
    {
        law.TakeResponse(flow, Sample(Hop(2000, 0, 62500), 1000, 20000));
    }
    const double once = W_INIT / (2 / 0.95) + 31.25;
    EXPECT_DOUBLE_EQ(flow.referenceBytes, once);
    EXPECT_DOUBLE_EQ(flow.windowBytes, once / (2 / 0.95) + 31.25) << "a fast reaction";
}

TEST_F(SwitchResponseLawTest, TheTimeSinceTheLastSampleIsItsWeight)
{
    law.NewAck(flow, Sample(Hop(1000, 0, 0), 1000, 20000));
    law.TakeResponse(flow, Sample(Hop(2000, 0, 62500), 20001, 30000));
    EXPECT_DOUBLE_EQ(flow.windowBytes, W_INIT / (1.2 / 0.95) + 31.25);
    flow.utilization = 0.5;
    EXPECT_EQ(law.TakeResponse(flow, Sample(Hop(2000, 0, 62500), 30001, 40000)).branch,
              HpccBranch::NONE)
        << "0.7 is below eta";
}

TEST_F(SwitchResponseLawTest, UntilThePacketIsAcknowledgedWStaysBelow)
{
    law.NewAck(flow, Sample(Hop(1000, 0, 0), 1000, 20000));
    law.TakeResponse(flow, Sample(Hop(6000, 0, 62500), 5000, 30000));
    const double w = flow.windowBytes;
    EXPECT_DOUBLE_EQ(w, W_INIT / (2 / 0.95) + 31.25);
    law.NewAck(flow, Sample(Hop(2000, 0, 0), 4999, 31000));
    EXPECT_EQ(flow.windowBytes, w) << "an older record";
    law.NewAck(flow, Sample(Hop(3000, 0, 0), 5000, 31000));
    EXPECT_GT(flow.windowBytes, w) << "the packet's own";
}

TEST_F(SwitchResponseLawTest, AfterGoingBackItHoldsOnlyForWhatIsSentAgain)
{
    law.NewAck(flow, Sample(Hop(1000, 0, 0), 1000, 20000));
    law.TakeResponse(flow, Sample(Hop(6000, 0, 62500), 15000, 20000));
    const double w = flow.windowBytes;
    law.Rollback(flow, 2000, false);
    EXPECT_EQ(flow.responseSeq, 2000U) << "the packet it was about is sent again";
    law.NewAck(flow, Sample(Hop(11000, 0, 0), 3000, 21000));
    EXPECT_GT(flow.windowBytes, w);
}

TEST_F(SwitchResponseLawTest, ALoadThatRaisesUToExactlyEtaCounts)
{
    HopTelemetry hop{};
    hop.fields = TELEMETRY_LOAD;
    hop.load = law.GetParameters().eta;
    hop.timestampNs = 2000;
    EXPECT_EQ(law.TakeResponse(flow, Sample(hop, 1000, 20000)).branch, HpccBranch::COMMIT);
    EXPECT_EQ(flow.lastUpdateSeq, 20000U);
}

TEST_F(SwitchResponseLawTest, ThePacketsFullRecordIsMeasuredAsIfThereHadBeenNoResponse)
{
    HpccFlow other;
    law.Open(other, 100e9, 0);
    law.NewAck(flow, Sample(Hop(1000, 0, 0), 1000, 20000));
    law.NewAck(other, Sample(Hop(1000, 0, 0), 1000, 20000));
    law.TakeResponse(flow, Sample(Hop(3000, 25000, 62500), 2000, 30000));
    EXPECT_EQ(law.NewAck(flow, Sample(Hop(3000, 25000, 62500), 2000, 31000)).u, 1);
    EXPECT_EQ(law.NewAck(other, Sample(Hop(3000, 25000, 62500), 2000, 31000)).u, 1);
    EXPECT_EQ(flow.utilization, other.utilization);
}

} // namespace
