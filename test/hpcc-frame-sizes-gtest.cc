/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-refusal.h"

#include "ns3/boolean.h"
#include "ns3/error-model.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-roce-packet.h"
#include "ns3/pointer.h"
#include "ns3/rdma-feedback.h"
#include "ns3/rdma-host.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>

using namespace ns3;

namespace
{

/// Counts the frames of a run, and those whose size is not the sum of the sizes of their headers
/// and payload.
struct Sizes
{
    uint64_t frames{0};       ///< RoCE frames that ports sent
    uint64_t wrong{0};        ///< frames of a wrong size
    uint32_t bytes{0};        ///< size of the first wrong frame
    uint32_t encodedBytes{0}; ///< sum of the sizes of the headers and payload of this frame

    /// Handles a frame that a port sends.
    void Check(int64_t, const Frame& frame)
    {
        if (frame.kind != Frame::Kind::ROCE)
        {
            return;
        }
        ++frames;
        const uint32_t encoded = RoceFrameBytes(frame);
        if (frame.bytes != encoded && wrong++ == 0)
        {
            bytes = frame.bytes;
            encodedBytes = encoded;
        }
    }
};

/// Messages of a run, their loss rate, and the scheme of loss recovery.
struct Load
{
    RdmaVerb verb;    ///< verb of the messages
    const char* name; ///< recovery
    double loss;      ///< rate of random losses
};

/**
 * Runs two flows to one host, and checks the sizes of their frames.
 * @param format short name of a telemetry format
 * @param feedback short name of a feedback mode
 * @param load the messages
 * @return counts of the frames; all are 0 if the combination is refused
 */
Sizes
SizesOf(const std::string& format, const std::string& feedback, const Load& load)
{
    Sizes sizes;
    const std::string refusal = hpcctest::RefusalOf([&] {
        HpccFabricHelper fabric;
        fabric.SetHostAttribute("Recovery", StringValue(load.name));
        fabric.Install(HpccTopology::ByName("star:3"));
        const auto spec = HpccFabricHelper::MakePolicy("hpcc++", format, feedback);
        for (const uint32_t source : {0, 1})
        {
            const uint32_t queuePair = fabric.Connect(source, 2, spec);
            fabric.AddMessage(source, queuePair, 20500, Time(0), load.verb);
        }
        int64_t stream = 1;
        for (const auto& device : fabric.GetDevices())
        {
            device->TraceConnectWithoutContext("Transmit", MakeCallback(&Sizes::Check, &sizes));
            if (load.loss > 0)
            {
                auto model = CreateObject<RateErrorModel>();
                model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
                model->SetRate(load.loss);
                model->AssignStreams(stream++);
                device->SetAttribute("ReceiveErrorModel", PointerValue(model));
            }
        }
        fabric.EndAt(MilliSeconds(2));
        Simulator::Run();
    });
    Simulator::Destroy();
    return refusal.empty() ? sizes : Sizes();
}

} // namespace

TEST(FrameSizes, AreThoseOfHeadersTelemetryAndPayloadUnderEachFormatAndFeedback)
{
    uint32_t ran = 0;
    for (const std::string& format : HpccPresets::Names(TelemetryFormat::GetTypeId()))
    {
        for (const std::string& feedback : HpccPresets::Names(RdmaFeedback::GetTypeId()))
        {
            for (const Load& load : {Load{RdmaVerb::WRITE, "go-back-n", 0},
                                     Load{RdmaVerb::READ, "go-back-n", 0},
                                     Load{RdmaVerb::WRITE, "sack:sleek", 0.05}})
            {
                const Sizes sizes = SizesOf(format, feedback, load);
                EXPECT_EQ(sizes.wrong, 0U)
                    << format << ", " << feedback << ", " << load.name << ", verb "
                    << static_cast<int>(load.verb) << ": " << sizes.bytes << " bytes in place of "
                    << sizes.encodedBytes;
                ran += sizes.frames > 100 ? 1 : 0;
            }
        }
    }
    EXPECT_GT(ran, 150U);
}

TEST(FrameSizes, APlainAckHasTheSizeOfItsFrame)
{
    for (const bool ipv6 : {false, true})
    {
        for (const char* key : {"", "secret"})
        {
            const auto host = CreateObject<RdmaHost>();
            host->SetAttribute("Ipv6", BooleanValue(ipv6));
            host->SetAttribute("FeedbackKey", StringValue(key));
            Frame ack;
            ack.kind = Frame::Kind::ROCE;
            ack.opcode = ROCE_ACK;
            ack.syndrome = ROCE_SYNDROME_ACK;
            ack.ipv6 = ipv6;
            ack.payloadBytes = 0;
            ack.format = nullptr;
            ack.reflection.flags = 0;
            ack.telemetry = TelemetryStack();
            EXPECT_EQ(host->AckFrameBytes(nullptr, 0), RoceFrameBytes(ack)) << ipv6 << key;
        }
    }
}

TEST(FrameSizes, ATrimmedPacketKeepsAllHeadersAlsoIfItsProfileDoesNotPad)
{
    for (uint16_t payload = 1; payload <= 4086; ++payload)
    {
        Frame frame;
        frame.kind = Frame::Kind::ROCE;
        frame.opcode = ROCE_WRITE_ONLY;
        frame.ipv6 = false;
        frame.payloadBytes = payload;
        frame.format = nullptr;
        frame.telemetry = TelemetryStack();
        frame.bytes = payload + 64U; // profile Uec
        EXPECT_EQ(RocePacket::GetTrimmedBytes(frame, 0), 64U) << payload;
        frame.bytes = RoceFrameBytes(frame); // profile Roce: the payload is padded
        Frame empty = frame;
        empty.payloadBytes = 0;
        EXPECT_EQ(RocePacket::GetTrimmedBytes(frame, 0), RoceFrameBytes(empty)) << payload;
    }
}
