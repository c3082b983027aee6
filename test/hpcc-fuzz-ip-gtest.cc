/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fuzz/fuzz-ip-targets.h"
#include "hpcc-test-fuzz.h"

#include "ns3/ipv4-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-option-rfc793.h"
#include "ns3/tcp-option-sack-permitted.h"
#include "ns3/tcp-option-sack.h"
#include "ns3/tcp-option-ts.h"
#include "ns3/tcp-option-winscale.h"

using namespace ns3;
using namespace hpcctest;

namespace
{

/// Fuzzes the decoders of data from ns-3's IP stack and from other ranks.
class IpFuzzTest : public FuzzTest
{
  protected:
    /**
     * @param function a member function of FuzzIpTargets
     * @return a target that calls the function on m_targets
     */
    Target Calling(bool (FuzzIpTargets::*function)(const Bytes&) const) const
    {
        return [this, function](const Bytes& input) { return (m_targets.*function)(input); };
    }

    Bytes RandomBytes(size_t size)
    {
        Bytes bytes(size);
        for (uint8_t& byte : bytes)
        {
            byte = static_cast<uint8_t>(Draw(255));
        }
        return bytes;
    }

    /// Returns an input for FuzzIpTargets::Mpa(): a start-up frame and some FPDUs.
    Bytes MpaSeed(uint8_t choices)
    {
        Bytes seed{choices, static_cast<uint8_t>(Draw(30))};
        MpaStart start;
        start.reply = choices & FuzzIpTargets::REPLY;
        start.privateData = RandomBytes(Draw(20));
        Append(seed, EncodeMpaStart(start));
        for (uint64_t fpdus = Draw(3); fpdus > 0; --fpdus)
        {
            DdpSegment segment;
            segment.opcode = Draw(1) ? DdpSegment::RDMA_WRITE : DdpSegment::SEND;
            segment.last = Draw(1);
            const bool tagged = segment.opcode == DdpSegment::RDMA_WRITE;
            segment.stag = tagged ? Draw(UINT32_MAX) : 0;
            segment.offset = tagged ? Draw(UINT64_MAX) : 0;
            segment.message = tagged ? 0 : Draw(UINT32_MAX);
            const Bytes payload = RandomBytes(Draw(60));
            Append(seed, EncodeFpdu(segment, payload.data(), payload.size(), true));
        }
        return seed;
    }

    /// Returns a TCP segment with random options, as ns-3's sockets send it, without an IP header.
    Ptr<Packet> TcpPacket()
    {
        TcpHeader tcp;
        tcp.SetSourcePort(49153);
        tcp.SetDestinationPort(9);
        tcp.SetSequenceNumber(SequenceNumber32(Draw(UINT32_MAX)));
        tcp.SetAckNumber(SequenceNumber32(Draw(UINT32_MAX)));
        tcp.SetFlags(Draw(1) ? TcpHeader::ACK : TcpHeader::SYN | TcpHeader::ECE | TcpHeader::CWR);
        tcp.SetWindowSize(static_cast<uint16_t>(Draw(UINT16_MAX)));
        if (Draw(1))
        {
            auto time = CreateObject<TcpOptionTS>();
            time->SetTimestamp(Draw(UINT32_MAX));
            tcp.AppendOption(time);
        }
        if (tcp.GetFlags() & TcpHeader::SYN)
        {
            auto scale = CreateObject<TcpOptionWinScale>();
            scale->SetScale(static_cast<uint8_t>(Draw(14)));
            tcp.AppendOption(scale);
            auto segmentSize = CreateObject<TcpOptionMSS>();
            segmentSize->SetMSS(static_cast<uint16_t>(Draw(UINT16_MAX)));
            tcp.AppendOption(segmentSize);
            tcp.AppendOption(CreateObject<TcpOptionSackPermitted>());
        }
        else if (Draw(1))
        {
            auto sack = CreateObject<TcpOptionSack>();
            sack->AddSackBlock({SequenceNumber32(Draw(1000)), SequenceNumber32(2000)});
            tcp.AppendOption(sack);
        }
        const Bytes payload = RandomBytes(Draw(300));
        auto packet = Create<Packet>(payload.data(), static_cast<uint32_t>(payload.size()));
        packet->AddHeader(tcp);
        return packet;
    }

    /// Returns an input for FuzzIpTargets::Segments(): a segment of TcpPacket() with an IP header.
    Bytes SegmentSeed(bool ipv6)
    {
        Ptr<Packet> packet = TcpPacket();
        constexpr uint8_t tcpProtocol = 6;
        if (ipv6)
        {
            Ipv6Header ip;
            ip.SetSource(Ipv6Address("2001:db8::1"));
            ip.SetDestination(Ipv6Address("2001:db8::2"));
            ip.SetNextHeader(tcpProtocol);
            ip.SetHopLimit(64);
            ip.SetPayloadLength(static_cast<uint16_t>(packet->GetSize()));
            packet->AddHeader(ip);
        }
        else
        {
            Ipv4Header ip;
            ip.SetSource(Ipv4Address("11.0.0.1"));
            ip.SetDestination(Ipv4Address("11.0.0.2"));
            ip.SetProtocol(tcpProtocol);
            ip.SetTtl(64);
            ip.SetPayloadSize(static_cast<uint16_t>(packet->GetSize()));
            packet->AddHeader(ip);
        }
        Bytes seed{static_cast<uint8_t>(ipv6)};
        Append(seed, FuzzIpTargets::BytesOf(packet));
        return seed;
    }

    FuzzIpTargets m_targets; ///< the targets
};

} // namespace

TEST_F(IpFuzzTest, NoStreamBreaksTheReaderOfMpa)
{
    std::vector<Bytes> seeds;
    for (int i = 0; i < 40; ++i)
    {
        seeds.push_back(MpaSeed(static_cast<uint8_t>(i & 3)));
    }
    Run("mpa", Calling(&FuzzIpTargets::Mpa), seeds);
}

TEST_F(IpFuzzTest, NoBytesBreakTheHeaderOfAUdpProbe)
{
    std::vector<Bytes> seeds;
    for (auto kind : {HpccUdpProbeHeader::PROBE, HpccUdpProbeHeader::ANSWER})
    {
        HpccUdpProbeHeader header;
        header.kind = kind;
        header.number = Draw(UINT32_MAX);
        header.bytes = Draw(UINT64_MAX);
        seeds.emplace_back(HpccUdpProbeHeader::BYTES);
        header.Serialize(seeds.back().data());
    }
    Run("udp-probe", Calling(&FuzzIpTargets::UdpProbe), seeds);
}

TEST_F(IpFuzzTest, NoAnswerBreaksTheNicThatProbes)
{
    std::vector<Bytes> seeds;
    const auto& formats = m_targets.GetNicFormats();
    ASSERT_FALSE(formats.empty());
    for (size_t i = 0; i < formats.size(); ++i)
    {
        Frame probe{};
        probe.format = PeekPointer(formats[i]);
        probe.telemetry = RandomStack(*formats[i]);
        Bytes seed{static_cast<uint8_t>(i)};
        Append(seed, HpccNicPackets::Reflect(probe, {}));
        seeds.push_back(seed);
    }
    Run("nic-packets", Calling(&FuzzIpTargets::NicPackets), seeds);
}

TEST_F(IpFuzzTest, NoPacketBreaksSegmentationOffload)
{
    std::vector<Bytes> seeds;
    for (int i = 0; i < 40; ++i)
    {
        seeds.push_back(SegmentSeed(i % 2));
    }
    Run("segments", Calling(&FuzzIpTargets::Segments), seeds);
}

TEST_F(IpFuzzTest, NoOptionsBreakTheirReader)
{
    std::vector<Bytes> seeds;
    for (int i = 0; i < 40; ++i)
    {
        Bytes seed{static_cast<uint8_t>(Draw(3))};
        Append(seed, FuzzIpTargets::BytesOf(TcpPacket()));
        seeds.push_back(seed);
    }
    Run("options", Calling(&FuzzIpTargets::Options), seeds);
}

TEST_F(IpFuzzTest, NoMessageOfAnotherRankBreaksThisOne)
{
    std::vector<Bytes> seeds;
    for (const auto& format : m_targets.GetRankFormats())
    {
        std::string message;
        for (uint8_t opcode : {ROCE_WRITE_ONLY, ROCE_ACK, ROCE_SWITCH_RESPONSE})
        {
            Frame frame{};
            frame.kind = Frame::Kind::ROCE;
            frame.opcode = opcode;
            frame.psn = Draw(0xffffff);
            frame.format = opcode == ROCE_WRITE_ONLY ? PeekPointer(format) : nullptr;
            if (frame.format)
            {
                frame.telemetry = RandomStack(*format);
            }
            m_targets.GetSerializer().Append(static_cast<uint32_t>(Draw(3)), frame, message);
        }
        seeds.emplace_back(message.begin(), message.end());
    }
    Run("rank-messages", Calling(&FuzzIpTargets::RankMessages), seeds);
}
