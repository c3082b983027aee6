/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fuzz/fuzz-targets.h"
#include "hpcc-test-seeds.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iostream>
#include <random>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// What libFuzzer runs for hours, here for a moment, in any build.
class FuzzTest : public testing::Test
{
  protected:
    using Target = bool (FuzzTargets::*)(const Bytes&) const;

    FuzzTest()
    {
        m_seed = ChooseSeed();
        m_random.seed(m_seed);
        std::cout << "HPCC_TEST_SEED=" << m_seed << "\n";
    }

    /// A number from 0 to a limit.
    uint64_t Draw(uint64_t limit)
    {
        return std::uniform_int_distribution<uint64_t>(0, limit)(m_random);
    }

    /**
     * Run a target with seeds and with changes of them. With HPCC_FUZZ_CORPUS set, leave the seeds
     * in a directory of that one, for libFuzzer.
     * @param name the directory
     * @param target what is run
     * @param seeds inputs that lead into every branch
     */
    void Run(const std::string& name, Target target, const std::vector<Bytes>& seeds)
    {
        constexpr int changes = 100000;
        for (size_t i = 0; i < seeds.size(); ++i)
        {
            EXPECT_TRUE(Run(target, seeds[i])) << "seed " << i << " is refused";
            Keep(name, i, seeds[i]);
        }
        int reads = 0;
        for (int i = 0; i < changes && !HasFailure(); ++i)
        {
            reads += Run(target, Changed(seeds));
        }
        EXPECT_GT(reads, changes / 20) << "what is refused at once tests little";
    }

    /// A stack of at least one record, some of them with a border's.
    TelemetryStack RandomStack(const TelemetryFormat& format)
    {
        TelemetryStack stack;
        format.Open(stack, {ROCE_UDP_PORT, 17, 0});
        uint64_t hops = 1 + Draw(12);
        for (uint64_t i = 0; i < hops; ++i)
        {
            HopSnapshot hop{};
            hop.timestampNs = Draw(1ULL << 34);
            hop.txBytes = Draw(1ULL << 40);
            hop.bandwidthBps = (Draw(7) + 1) * 25000000000;
            hop.queueBytes = Draw(1) ? Draw(1 << 25) : 0;
            hop.switchId = Draw(0xfff);
            hop.egressPort = Draw(0xff);
            hop.hopLatencyNs = Draw(1 << 20);
            hop.utilizationPpm = Draw(1000000);
            hop.queueId = Draw(7);
            hop.ttl = 64;
            format.Insert(stack, hop, i == 0 || Draw(9) ? 9000 : 0);
        }
        if (format.CarriesLoad() && Draw(3) == 0)
        {
            format.Truncate(stack, stack.hops - 1);
            format.AppendLoad(stack, static_cast<double>(Draw(3000)) / 1000, 7);
        }
        return stack;
    }

    static Bytes WireBytes(const TelemetryFormat& format, const TelemetryStack& stack)
    {
        Bytes bytes(format.GetWireBytes(stack));
        format.Serialize(stack, bytes.data());
        return bytes;
    }

    static Bytes RecordBytes(const TelemetryFormat& format, const TelemetryStack& stack)
    {
        Bytes bytes(format.GetReflectedBytes(stack));
        format.SerializeRecords(stack, bytes.data());
        return bytes;
    }

    static void Append(Bytes& bytes, const Bytes& more)
    {
        bytes.insert(bytes.end(), more.begin(), more.end());
    }

    static void Append(Bytes& bytes, uint64_t number, size_t size)
    {
        while (size-- > 0)
        {
            bytes.push_back(static_cast<uint8_t>(number >> 8 * size));
        }
    }

    /// A frame of a format, or of none, as FuzzTargets::Frames() takes it.
    Bytes FrameSeed(const TelemetryFormat* format, uint8_t opcode)
    {
        Frame frame{};
        frame.kind = Frame::Kind::ROCE;
        frame.opcode = opcode;
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

    /// The same in parts, with a number of the format among the presets, from 1.
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

    uint32_t m_seed;          ///< of m_random
    std::mt19937_64 m_random; ///< what changes are drawn from
    FuzzTargets m_targets;    ///< what is run

  private:
    bool Run(Target target, const Bytes& input)
    {
        try
        {
            return (m_targets.*target)(input);
        }
        catch (const std::logic_error& error)
        {
            std::string hex;
            for (uint8_t byte : input)
            {
                hex += "0123456789abcdef"[byte >> 4];
                hex += "0123456789abcdef"[byte & 0xf];
            }
            ADD_FAILURE() << error.what() << ": " << hex;
            return false;
        }
    }

    static void Keep(const std::string& name, size_t number, const Bytes& seed)
    {
        if (const char* corpus = std::getenv("HPCC_FUZZ_CORPUS"))
        {
            std::filesystem::path directory = std::filesystem::path(corpus) / name;
            std::filesystem::create_directories(directory);
            std::ofstream file(directory / ("seed-" + std::to_string(number)), std::ios::binary);
            file.write(reinterpret_cast<const char*>(seed.data()),
                       static_cast<std::streamsize>(seed.size()));
            ASSERT_TRUE(file) << directory;
        }
    }

    /// A seed, cut off, spliced with another, lengthened, or with other bytes in some places.
    Bytes Changed(const std::vector<Bytes>& seeds)
    {
        Bytes bytes = seeds[Draw(seeds.size() - 1)];
        if (Draw(3) == 0)
        {
            bytes.resize(Draw(bytes.size() + 40));
        }
        if (Draw(7) == 0)
        {
            const Bytes& other = seeds[Draw(seeds.size() - 1)];
            bytes.insert(bytes.end(), other.begin() + Draw(other.size()), other.end());
        }
        for (uint64_t changes = Draw(4); changes > 0 && !bytes.empty(); --changes)
        {
            constexpr uint8_t edges[] = {0, 1, 0x7f, 0x80, 0xff};
            uint64_t last = bytes.size() - 1;
            bytes[Draw(Draw(1) ? last : std::min<uint64_t>(last, 40))] =
                Draw(1) ? edges[Draw(std::size(edges) - 1)] : Draw(255);
        }
        return bytes;
    }
};

} // namespace

TEST_F(FuzzTest, NoFrameBreaksTheCodec)
{
    std::vector<Bytes> seeds;
    for (uint8_t opcode :
         {ROCE_SEND_MIDDLE, ROCE_WRITE_ONLY, ROCE_ACK, ROCE_CNP, ROCE_PROBE, ROCE_NOTIFICATION})
    {
        seeds.push_back(FrameSeed(nullptr, opcode));
    }
    Bytes pfc{FuzzTargets::RAW};
    Append(pfc, FrameCodec::EncodePause(1000, Mac48Address("02:00:00:00:00:01")));
    seeds.push_back(pfc);
    for (size_t i = 0; i < m_targets.GetPresets(); ++i)
    {
        const TelemetryFormat& format = *m_targets.GetFormats()[i];
        seeds.push_back(FrameSeed(&format, ROCE_WRITE_ONLY));
        seeds.push_back(FrameSeed(&format, ROCE_ACK));
        seeds.push_back(FrameSeed(&format, ROCE_PROBE));
        seeds.push_back(FrameSeed(&format, ROCE_NOTIFICATION));
        seeds.push_back(AssembledSeed(i + 1, format));
    }
    Run("frames", &FuzzTargets::Frames, seeds);
}

TEST_F(FuzzTest, NoBytesBreakAFormat)
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
    Run("formats", &FuzzTargets::Formats, seeds);
}

TEST_F(FuzzTest, RecordsSurviveWhateverFlagsTheirReflectionHas)
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

TEST_F(FuzzTest, NoBytesBreakAHeader)
{
    std::vector<Bytes> seeds{{0, 0x11, 16, 13, 1, 0, 9, 0x12, 0x34},
                             {1, 1, 1, 0, 8},
                             {2},
                             {3},
                             {4}};
    seeds[1].resize(1 + PfcHeader::PFC_BYTES, 0x55);
    seeds.push_back({1, 0, 1, 0x12, 0x34});
    for (size_t i = 2; i < 5; ++i)
    {
        seeds[i].resize(1 + RETH_BYTES, 0xa5);
    }
    Run("headers", &FuzzTargets::Headers, seeds);
}

TEST_F(FuzzTest, NoRecordsGiveAPolicyAnAbsurdValue)
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
    Run("law", &FuzzTargets::Law, seeds);
}
