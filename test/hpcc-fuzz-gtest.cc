/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fuzz/fuzz-targets.h"
#include "hpcc-test-fuzz.h"

using namespace ns3;
using namespace hpcctest;

namespace
{

/// Fuzzes the decoders of RoCEv2 frames and of telemetry.
class FrameFuzzTest : public FuzzTest
{
  protected:
    /// @return a target that calls @p function on m_targets
    Target Calling(bool (FuzzTargets::*function)(const Bytes&) const) const
    {
        return [this, function](const Bytes& input) { return (m_targets.*function)(input); };
    }

    /// Returns an input for FuzzTargets::Frames(): a frame with or without a format.
    Bytes FrameSeed(const TelemetryFormat* format,
                    uint8_t opcode,
                    uint8_t syndrome = ROCE_SYNDROME_ACK)
    {
        Frame frame{};
        frame.kind = Frame::Kind::ROCE;
        frame.opcode = opcode;
        frame.syndrome = syndrome;
        frame.sack = {Draw(UINT64_MAX), Draw(1 << 20), 9, 10, 7, RoceSack::RESENT};
        frame.source = Draw(UINT32_MAX);
        frame.destination = Draw(UINT32_MAX);
        frame.sourcePort = 0xc001;
        frame.destinationPort = ROCE_UDP_PORT;
        frame.protocol = 17;
        frame.ttl = 64;
        frame.ipv6 = Draw(1) || (format && format->GetMarking().ipv6);
        frame.psn = Draw(0xffffff);
        const bool empty = frame.IsRoceFeedback() || opcode == ROCE_PROBE;
        frame.payloadBytes = empty ? 0 : Draw(99);
        frame.format = opcode == ROCE_CNP ? nullptr : format;
        if (frame.format)
        {
            frame.telemetry = RandomStack(*format);
            int dscp = format->GetMarking().dscp;
            frame.tos = dscp < 0 || frame.IsRoceFeedback() ? 0 : static_cast<uint8_t>(dscp << 2);
            if (frame.IsAcknowledgement() && Draw(1))
            {
                frame.reflection.flags = REFLECTION_AUTHENTICATED;
            }
        }
        Bytes seed{FuzzTargets::RAW};
        Append(seed,
               FrameCodec::Encode(frame,
                                  Mac48Address("02:00:00:00:00:01"),
                                  Mac48Address("02:00:00:00:00:02")));
        return seed;
    }

    /// Returns an input for FuzzTargets::Frames() that FuzzTargets::Assemble() reads. @p chosen is
    /// the number of the format among the presets, from 1.
    Bytes AssembledSeed(size_t chosen, const TelemetryFormat& format)
    {
        Bytes content = FrameSeed(nullptr, ROCE_WRITE_ONLY);
        size_t ipBytes = IpHeaderBytes(content[1 + ETHERNET_HEADER_BYTES] >> 4 == 6);
        content.erase(content.begin(),
                      content.begin() + 1 + ETHERNET_HEADER_BYTES + ipBytes + UDP_HEADER_BYTES);
        content.resize(content.size() - ICRC_BYTES);
        Bytes telemetry = WireBytes(format, RandomStack(format));
        if (format.GetMarking().position == TelemetryPosition::TAG)
        {
            telemetry.erase(telemetry.begin(), telemetry.begin() + 2);
        }
        Bytes seed{FuzzTargets::ASSEMBLED, static_cast<uint8_t>(chosen), uint8_t(Draw(1))};
        Append(seed, telemetry.size(), 2);
        Append(seed, telemetry);
        Append(seed, content);
        return seed;
    }

    FuzzTargets m_targets; ///< the targets
};

} // namespace

TEST_F(FrameFuzzTest, NoFrameBreaksTheCodec)
{
    std::vector<Bytes> seeds;
    for (uint8_t opcode :
         {ROCE_SEND_MIDDLE, ROCE_WRITE_ONLY, ROCE_ACK, ROCE_CNP, ROCE_PROBE, ROCE_NOTIFICATION})
    {
        seeds.push_back(FrameSeed(nullptr, opcode));
    }
    for (uint8_t syndrome : {ROCE_SYNDROME_SACK, ROCE_SYNDROME_NACK_TRIMMED})
    {
        seeds.push_back(FrameSeed(nullptr, ROCE_ACK, syndrome));
    }
    Bytes pfc{FuzzTargets::RAW};
    Append(pfc, FrameCodec::EncodePause(1000, Mac48Address("02:00:00:00:00:01")));
    seeds.push_back(pfc);
    for (size_t i = 0; i < m_targets.GetPresets(); ++i)
    {
        const TelemetryFormat& format = *m_targets.GetFormats()[i];
        seeds.push_back(FrameSeed(&format, ROCE_WRITE_ONLY));
        seeds.push_back(FrameSeed(&format, ROCE_ACK));
        seeds.push_back(FrameSeed(&format, ROCE_ACK, ROCE_SYNDROME_SACK));
        seeds.push_back(FrameSeed(&format, ROCE_PROBE));
        seeds.push_back(FrameSeed(&format, ROCE_NOTIFICATION));
        seeds.push_back(AssembledSeed(i + 1, format));
    }
    Run("frames", Calling(&FuzzTargets::Frames), seeds);
}

TEST_F(FrameFuzzTest, NoBytesBreakAFormat)
{
    std::vector<Bytes> seeds;
    const auto& formats = m_targets.GetFormats();
    for (size_t i = 0; i < formats.size(); ++i)
    {
        TelemetryStack stack = RandomStack(*formats[i]);
        Bytes whole{static_cast<uint8_t>(i), 0};
        Append(whole, WireBytes(*formats[i], stack));
        seeds.push_back(whole);
        Bytes records{static_cast<uint8_t>(i), 1, stack.hops};
        Append(records, RecordBytes(*formats[i], stack));
        if (records.size() > 3)
        {
            seeds.push_back(records);
        }
    }
    Run("formats", Calling(&FuzzTargets::Formats), seeds);
}

TEST_F(FrameFuzzTest, RecordsSurviveWhateverFlagsTheirReflectionHas)
{
    for (const auto& format : m_targets.GetFormats())
    {
        for (int flags = 0; flags <= UINT8_MAX; ++flags)
        {
            TelemetryStack stack = RandomStack(*format);
            stack.flags = flags;
            Bytes records = RecordBytes(*format, stack);
            TelemetryStack read;
            format->Open(read, {ROCE_UDP_PORT, 17, 0});
            read.hops = stack.hops;
            ASSERT_EQ(format->GetReflectedBytes(read), records.size());
            ASSERT_EQ(format->DeserializeRecords(records.data(), records.size(), stack.hops, read),
                      records.size())
                << format->GetInstanceTypeId().GetName() << " of " << +stack.hops
                << " hops with flags " << flags;
        }
    }
}

TEST_F(FrameFuzzTest, NoBytesBreakAHeader)
{
    std::vector<Bytes> seeds{{0, 0x11, 16, 13, 1, 0, 9, 0x12, 0x34},
                             {1, 1, 1, 0, 8},
                             {2},
                             {3},
                             {4},
                             {5}};
    seeds[1].resize(1 + PfcHeader::PFC_BYTES, 0x55);
    seeds.push_back({1, 0, 1, 0x12, 0x34});
    for (size_t i = 2; i < 6; ++i)
    {
        seeds[i].resize(1 + RoceSackHeader::BYTES, 0xa5);
    }
    Run("headers", Calling(&FuzzTargets::Headers), seeds);
}

TEST_F(FrameFuzzTest, NoRecordsGiveAPolicyAnAbsurdValue)
{
    std::vector<Bytes> seeds;
    const auto& formats = m_targets.GetFormats();
    for (size_t i = 0; i < formats.size(); ++i)
    {
        for (int flow = 0; flow < 4; ++flow)
        {
            Bytes seed{static_cast<uint8_t>(i), static_cast<uint8_t>(Draw(255))};
            for (int ack = 0; ack < 4; ++ack)
            {
                TelemetryStack stack = RandomStack(*formats[i]);
                Append(seed, Draw(20000), 4);
                Append(seed, Draw(4000), 2);
                Append(seed, Draw(4000), 2);
                Append(seed, 0, 2);
                Append(seed, Draw(3), 2);
                seed.push_back(stack.hops);
                Append(seed, RecordBytes(*formats[i], stack));
            }
            seeds.push_back(seed);
        }
    }
    Run("law", Calling(&FuzzTargets::Law), seeds);
}
