/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_CODEC_H
#define HPCC_TEST_CODEC_H

#include "hpcc-test-bytes.h"
#include "hpcc-test-seeds.h"

#include "ns3/hpcc-bottleneck-hop.h"
#include "ns3/hpcc-frame-codec.h"
#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-reflection-header.h"
#include "ns3/hpcc-roce-headers.h"
#include "ns3/hpcc-roce-packet.h"
#include "ns3/hpcc-telemetry-format.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup hpcc
 * Functions that the tests of the codec share: edits of encoded frames, and random frames of every
 * format.
 */

namespace hpcctest
{

using namespace ns3;

constexpr size_t IP = ETHERNET_HEADER_BYTES;
constexpr size_t UDP = IP + IPV4_HEADER_BYTES;
constexpr size_t BTH = UDP + UDP_HEADER_BYTES;

/// Returns the big-endian 16-bit number at an offset.
inline uint16_t
Get16(const Bytes& bytes, size_t at)
{
    return static_cast<uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}

inline void
Set16(Bytes& bytes, size_t at, size_t value)
{
    bytes[at] = static_cast<uint8_t>(value >> 8);
    bytes[at + 1] = static_cast<uint8_t>(value);
}

/// Corrects the IPv4 header checksum.
inline void
FixChecksum(Bytes& frame)
{
    Set16(frame, IP + 10, 0);
    uint32_t sum = 0;
    for (size_t i = IP; i < UDP; i += 2)
    {
        sum += Get16(frame, i);
    }
    sum = (sum & 0xffff) + (sum >> 16);
    Set16(frame, IP + 10, ~(sum + (sum >> 16)));
}

/// Corrects the ICRC of a packet without telemetry.
inline void
FixIcrc(Bytes& frame)
{
    size_t end = IP + Get16(frame, IP + 2) - ICRC_BYTES;
    uint32_t icrc = RocePacket::InvariantCrc(&frame[IP], end - IP);
    for (size_t i = 0; i < ICRC_BYTES; ++i)
    {
        frame[end + i] = static_cast<uint8_t>(icrc >> 8 * i);
    }
}

/// Removes bytes from the end of the IPv4 packet, and corrects its lengths, checksum and ICRC.
inline void
ShortenPacket(Bytes& frame, size_t by)
{
    size_t ipBytes = Get16(frame, IP + 2) - by;
    Set16(frame, IP + 2, ipBytes);
    Set16(frame, UDP + 4, ipBytes - IPV4_HEADER_BYTES);
    frame.resize(std::max<size_t>(IP + ipBytes, MIN_FRAME_BYTES));
    FixChecksum(frame);
    FixIcrc(frame);
}

/// Deleter that returns a frame to its pool.
struct FreeFrame
{
    void operator()(Frame* frame) const
    {
        FramePool::Free(frame);
    }
};

using FramePtr = std::unique_ptr<Frame, FreeFrame>;

/// A telemetry format of the module, with its name and a codec that decodes it.
struct KnownFormat
{
    std::string name;            ///< short name; "none" without telemetry
    Ptr<TelemetryFormat> format; ///< null without telemetry
    FrameCodec codec; ///< decodes only this format, because several formats may have the same ports
                      ///< and ids
};

class FrameCodecTest : public testing::Test
{
  protected:
    /// A hop on the path of a frame.
    struct Hop
    {
        HopSnapshot snapshot; ///< snapshot of its port
        bool inserted;        ///< true if its record fitted into the packet
    };

    FrameCodecTest()
    {
        m_seed = ChooseSeed();
        m_random.seed(m_seed);
        RecordProperty("seed", std::to_string(m_seed));
        m_formats.push_back({"none", nullptr, FrameCodec()});
        TypeId base = TelemetryFormat::GetTypeId();
        for (const std::string& name : HpccPresets::Names(base))
        {
            ObjectFactory factory;
            EXPECT_TRUE(HpccPresets::Find(base, name, factory)) << name;
            KnownFormat known{name, factory.Create<TelemetryFormat>(), FrameCodec()};
            known.codec.AddFormat(PeekPointer(known.format));
            m_formats.push_back(known);
        }
    }

    /// Returns a random number from 0 to a limit.
    uint64_t Draw(uint64_t limit)
    {
        return std::uniform_int_distribution<uint64_t>(0, limit)(m_random);
    }

    template <typename T>
    T Draw()
    {
        return static_cast<T>(Draw(std::numeric_limits<T>::max()));
    }

    FramePtr Allocate()
    {
        return FramePtr(m_pool.Allocate());
    }

    /// Returns a RoCE frame with the header values that all scapy vectors share.
    FramePtr Roce(uint8_t opcode, uint32_t psn)
    {
        FramePtr frame = Allocate();
        frame->kind = Frame::Kind::ROCE;
        frame->source = 0x0a000001;
        frame->destination = 0x0a000002;
        frame->sourcePort = 0xc001;
        frame->destinationPort = ROCE_UDP_PORT;
        frame->protocol = 17;
        frame->tos = 26 << 2 | ECN_ECT0;
        frame->ttl = 64;
        frame->ipId = 1;
        frame->ipv6 = false;
        frame->opcode = opcode;
        frame->bthFlags = 0;
        frame->destinationQp = 0x12;
        frame->psn = psn;
        frame->payloadBytes = 0;
        frame->reth = {0x1122334455667788, 0xdeadbeef, 4096};
        if (frame->IsAcknowledgement())
        {
            frame->reflection.flags = 0;
        }
        if (opcode == ROCE_CNP)
        {
            frame->notification = {0, RoceNotificationHeader::NONE, false, false, 0, {}};
        }
        frame->syndrome = ROCE_SYNDROME_ACK;
        frame->msn = 1;
        frame->bytes = RoceFrameBytes(*frame);
        return frame;
    }

    void AddTelemetry(Frame& frame, const KnownFormat& known)
    {
        frame.format = PeekPointer(known.format);
        uint8_t dscp = frame.tos >> 2;
        constexpr uint16_t requests[] = {0, TELEMETRY_QUEUE_DELAY, TELEMETRY_UTILIZATION};
        frame.format->Open(frame.telemetry, {ROCE_UDP_PORT, 17, dscp, requests[Draw(2)]});
        if (!frame.format->GetSwitchAgent().empty())
        {
            // In simulations, switch agents write these bytes. All byte values are valid.
            m_header.resize(frame.format->GetBaseBytes());
            std::generate(m_header.begin(), m_header.end(), [this]() { return Draw<uint8_t>(); });
            TelemetryStack filled;
            frame.format->Deserialize(m_header.data(), m_header.size(), filled);
            frame.telemetry.words = filled.words;
        }
        if (int marked = frame.format->GetMarking().dscp; marked >= 0)
        {
            frame.tos = static_cast<uint8_t>(marked << 2 | (frame.tos & 3));
        }
        m_hops.clear();
        for (uint64_t hops = Draw(9); hops > 0; --hops)
        {
            HopSnapshot hop{};
            hop.timestampNs = Draw(1ULL << 40);
            hop.txBytes = Draw(1ULL << 40);
            hop.bandwidthBps = (Draw(7) + 1) * 25000000000;
            hop.queueBytes = Draw(1) ? Draw(1 << 25) : 0;
            hop.switchId = Draw(0xfff);
            hop.egressPort = Draw(0xff);
            hop.ingressPort = Draw(0xff);
            hop.hopLatencyNs = Draw(1 << 20);
            hop.utilizationPpm = Draw(1000000);
            hop.queueId = Draw(7);
            hop.ttl = Draw<uint8_t>();
            hop.ecn = Draw(3);
            int32_t grown = frame.format->Insert(frame.telemetry, hop, Draw(3) ? 9000 : 0);
            m_hops.push_back({hop, grown != TelemetryFormat::NOT_INSERTED});
        }
        if (frame.IsAcknowledgement())
        {
            constexpr uint8_t reports = REFLECTION_BOTTLENECK_HOP | REFLECTION_BARE_HOP;
            frame.reflection.flags = Draw(15) & ~reports;
            if (frame.format->GetSwitchAgent().empty() && Draw(3) == 0)
            {
                AddReport(frame);
            }
            std::generate(frame.reflection.tag.begin(), frame.reflection.tag.end(), [this]() {
                return Draw<uint8_t>();
            });
        }
        frame.reportedFlows = Draw<uint16_t>();
        frame.reflectionSeq = Draw<uint16_t>();
    }

    /// Replaces the records of all hops by one record of the bottleneck hop with random words, all
    /// of which are valid.
    void AddReport(Frame& frame)
    {
        frame.reflection.flags |= Draw(1) ? REFLECTION_BOTTLENECK_HOP : REFLECTION_BARE_HOP;
        frame.telemetry.hops = 1;
        for (uint32_t i = 0; i < HpccBottleneckHop::WORDS; ++i)
        {
            frame.telemetry.words[i] = Draw<uint32_t>();
        }
    }

    static uint32_t ReportWords(const Frame& frame)
    {
        return frame.reflection.flags & REFLECTION_BOTTLENECK_HOP ? HpccBottleneckHop::WORDS
                                                                  : HpccBottleneckHop::BARE_WORDS;
    }

    FramePtr RandomRoce(const KnownFormat& known)
    {
        constexpr uint8_t opcodes[] = {ROCE_SEND_FIRST,
                                       ROCE_SEND_MIDDLE,
                                       ROCE_SEND_LAST,
                                       ROCE_SEND_ONLY,
                                       ROCE_WRITE_FIRST,
                                       ROCE_WRITE_MIDDLE,
                                       ROCE_WRITE_LAST,
                                       ROCE_WRITE_ONLY,
                                       ROCE_READ_REQUEST,
                                       ROCE_READ_RESPONSE_FIRST,
                                       ROCE_READ_RESPONSE_MIDDLE,
                                       ROCE_READ_RESPONSE_LAST,
                                       ROCE_READ_RESPONSE_ONLY,
                                       ROCE_ACK,
                                       ROCE_ACK,
                                       ROCE_ACK,
                                       ROCE_PROBE,
                                       ROCE_NOTIFICATION,
                                       ROCE_NOTIFICATION,
                                       ROCE_CNP};
        FramePtr frame = Roce(opcodes[Draw(std::size(opcodes) - 1)], Draw(0xffffff));
        frame->source = Draw<uint32_t>();
        frame->destination = Draw<uint32_t>();
        frame->sourcePort = Draw<uint16_t>();
        frame->tos = Draw<uint8_t>();
        frame->ttl = Draw<uint8_t>();
        frame->ipv6 = Draw(1) || (known.format && known.format->GetMarking().ipv6);
        frame->ipId = frame->ipv6 ? 0 : Draw<uint16_t>();
        frame->bthFlags = Draw<uint8_t>();
        if (frame->opcode == ROCE_PROBE)
        {
            frame->bthFlags &=
                (1 << RoceEpoch::SHIFT) - 1; // in a probe, the bits of the epoch contain its number
        }
        frame->destinationQp = Draw(0xffffff);
        if (HasReth(frame->opcode))
        {
            frame->reth = {Draw<uint64_t>(), Draw<uint32_t>(), Draw<uint32_t>()};
        }
        constexpr uint8_t syndromes[] = {ROCE_SYNDROME_ACK,
                                         ROCE_SYNDROME_NAK_SEQUENCE,
                                         ROCE_SYNDROME_NAK_SELECTIVE,
                                         ROCE_SYNDROME_SACK,
                                         ROCE_SYNDROME_NACK_TRIMMED};
        frame->syndrome = syndromes[Draw(std::size(syndromes) - 1)];
        if (frame->HasSack())
        {
            frame->sack = {Draw<uint64_t>(),
                           Draw(RoceSackHeader::COUNT_MASK),
                           static_cast<uint32_t>(Draw(0xffffff)),
                           static_cast<uint32_t>(Draw(0xffffff)),
                           Draw<uint16_t>(),
                           Draw<uint8_t>()};
        }
        if (frame->NamesPacket())
        {
            frame->reflection.namedPsn = frame->IsSelective() ? Draw(0xffffff) : Draw<uint32_t>();
        }
        frame->msn = Draw(0xffffff);
        if (frame->opcode == ROCE_CNP)
        {
            frame->psn = 0;
            frame->bthFlags |= ROCE_BECN;
            frame->notification = {Draw<uint64_t>(),
                                   Draw<uint8_t>(),
                                   Draw(1) == 1,
                                   Draw(1) == 1,
                                   Draw<uint16_t>(),
                                   {}};
            FeedbackTag& tag = frame->notification.tag;
            std::generate(tag.begin(), tag.end(), [this] { return Draw<uint8_t>(); });
        }
        else if (known.format)
        {
            AddTelemetry(*frame, known);
        }
        if (!frame->IsRoceFeedback() && frame->opcode != ROCE_READ_REQUEST &&
            frame->opcode != ROCE_PROBE)
        {
            frame->payloadBytes = Draw(3) ? Draw(1500) : Draw(9000);
        }
        frame->flowHash =
            HashFiveTuple(frame->source, frame->destination, frame->sourcePort, ROCE_UDP_PORT, 17);
        frame->bytes = RoceFrameBytes(*frame);
        if (RocePacket::CanTrim(*frame, 0) && Draw(7) == 0)
        {
            RocePacket::Trim(*frame, 0);
        }
        return frame;
    }

    /// Returns a UDP packet of ns-3's IP stack, whose checksums are 0.
    FramePtr RandomIp()
    {
        FramePtr frame = Roce(0, 0);
        frame->kind = Frame::Kind::IP;
        frame->sourcePort = 0xf800 + Draw(9);
        frame->destinationPort = 9;
        Bytes ip(IPV4_HEADER_BYTES + UDP_HEADER_BYTES + Draw(1400));
        ip[0] = 0x45;
        Set16(ip, 2, ip.size());
        Set16(ip, 4, frame->ipId = Draw<uint16_t>());
        ip[8] = 64;
        ip[9] = 17;
        for (size_t i = 0; i < 4; ++i)
        {
            ip[12 + i] = static_cast<uint8_t>(frame->source >> (24 - 8 * i));
            ip[16 + i] = static_cast<uint8_t>(frame->destination >> (24 - 8 * i));
        }
        Set16(ip, 20, frame->sourcePort);
        Set16(ip, 22, frame->destinationPort);
        Set16(ip, 24, ip.size() - IPV4_HEADER_BYTES);
        std::generate(ip.begin() + 28, ip.end(), [this]() { return Draw<uint8_t>(); });
        frame->packet = Create<Packet>(ip.data(), ip.size());
        frame->ttl = 64 - Draw(9);
        frame->tos = Draw<uint8_t>();
        frame->flowHash = HashFiveTuple(frame->source,
                                        frame->destination,
                                        frame->sourcePort,
                                        frame->destinationPort,
                                        17);
        frame->bytes = std::max<uint32_t>(ip.size() + ETHERNET_HEADER_BYTES, MIN_FRAME_BYTES);
        return frame;
    }

    FramePtr RandomPfc()
    {
        FramePtr frame = Allocate();
        frame->kind = Frame::Kind::PFC;
        frame->opcode = 0;
        frame->payloadBytes = 0;
        frame->pfc.classEnable = Draw<uint8_t>();
        for (uint16_t& quanta : frame->pfc.quanta)
        {
            quanta = Draw(1) ? Draw<uint16_t>() : 0;
        }
        frame->bytes = MIN_FRAME_BYTES;
        return frame;
    }

    FramePtr RandomFrame(const KnownFormat& known)
    {
        switch (Draw(9))
        {
        case 0:
            return RandomPfc();
        case 1:
            return RandomIp();
        default:
            return RandomRoce(known);
        }
    }

    const KnownFormat& RandomFormat()
    {
        return m_formats[Draw(m_formats.size() - 1)];
    }

    /// @return number of telemetry bytes before the EtherType
    static size_t TagBytes(const Frame& frame)
    {
        bool tagged = frame.kind == Frame::Kind::ROCE && frame.CollectsTelemetry() &&
                      frame.format->GetMarking().position == TelemetryPosition::TAG;
        return tagged ? frame.format->GetWireBytes(frame.telemetry) : 0;
    }

    static Bytes Encode(const Frame& frame)
    {
        return FrameCodec::Encode(frame, SOURCE, DESTINATION);
    }

    /// Decodes a frame that must be valid.
    FramePtr Decode(const Bytes& bytes, const FrameCodec& codec = FrameCodec())
    {
        FramePtr frame = Allocate();
        std::string why;
        EXPECT_TRUE(codec.Decode(bytes.data(), bytes.size(), *frame, why)) << why;
        EXPECT_EQ(why, "");
        return frame;
    }

    /// @return the reason that the codec states for refusing the bytes
    std::string WhyNot(const Bytes& bytes, const FrameCodec& codec = FrameCodec())
    {
        FramePtr frame = Allocate();
        std::string why;
        EXPECT_FALSE(codec.Decode(bytes.data(), bytes.size(), *frame, why));
        EXPECT_EQ(frame->packet, nullptr);
        return why;
    }

    static void ExpectSameStack(const Frame& a, const Frame& b)
    {
        ASSERT_EQ(a.telemetry.hops, b.telemetry.hops);
        EXPECT_EQ(a.telemetry.flags, b.telemetry.flags);
        if (a.format->GetCapabilities().pathIdentified)
        {
            EXPECT_EQ(a.telemetry.pathId, b.telemetry.pathId);
        }
        for (uint32_t i = 0; i < a.telemetry.hops; ++i)
        {
            HopTelemetry x = a.format->Read(a.telemetry, i);
            HopTelemetry y = b.format->Read(b.telemetry, i);
            EXPECT_EQ(x.fields, y.fields);
            EXPECT_EQ(x.timestampNs, y.timestampNs);
            EXPECT_EQ(x.txBytes, y.txBytes);
            EXPECT_EQ(x.bandwidthBps, y.bandwidthBps);
            EXPECT_EQ(x.queueBytes, y.queueBytes);
            EXPECT_EQ(x.utilization, y.utilization);
            EXPECT_EQ(x.queueDelayNs, y.queueDelayNs);
            EXPECT_EQ(x.switchId, y.switchId);
            EXPECT_EQ(x.portId, y.portId);
            EXPECT_EQ(x.hopLatencyNs, y.hopLatencyNs);
        }
        if (a.IsAcknowledgement())
        {
            EXPECT_EQ(a.reportedFlows, b.reportedFlows);
            EXPECT_EQ(a.reflectionSeq, b.reflectionSeq);
        }
        else
        {
            EXPECT_EQ(a.telemetry.remainingHops, b.telemetry.remainingHops);
            EXPECT_EQ(a.telemetry.originalPort, b.telemetry.originalPort);
        }
    }

    static void ExpectSameRoce(const Frame& a, const Frame& b)
    {
        EXPECT_EQ(a.bthFlags, b.bthFlags);
        EXPECT_EQ(a.destinationQp, b.destinationQp);
        EXPECT_EQ(a.psn, b.psn);
        if (HasReth(a.opcode))
        {
            EXPECT_EQ(a.reth.address, b.reth.address);
            EXPECT_EQ(a.reth.key, b.reth.key);
            EXPECT_EQ(a.reth.length, b.reth.length);
        }
        if (HasAeth(a.opcode))
        {
            EXPECT_EQ(a.syndrome, b.syndrome);
            EXPECT_EQ(a.msn, b.msn);
        }
        if (a.opcode == ROCE_PROBE)
        {
            EXPECT_EQ(a.msn & 0x7f, b.msn);
        }
        if (a.NamesPacket())
        {
            EXPECT_EQ(a.reflection.namedPsn, b.reflection.namedPsn);
        }
        if (a.HasSack())
        {
            EXPECT_EQ(a.sack.bitmap, b.sack.bitmap);
            EXPECT_EQ(a.sack.receivedBytes, b.sack.receivedBytes);
            EXPECT_EQ(a.sack.psn, b.sack.psn);
            EXPECT_EQ(a.sack.basePsn, b.sack.basePsn);
            EXPECT_EQ(a.sack.outOfOrder, b.sack.outOfOrder);
            EXPECT_EQ(a.sack.flags, b.sack.flags);
        }
        if (a.opcode == ROCE_CNP)
        {
            EXPECT_EQ(a.notification.kind, b.notification.kind);
            EXPECT_EQ(a.notification.congested, b.notification.congested);
            EXPECT_EQ(a.notification.value, b.notification.value);
            EXPECT_EQ(a.notification.number, b.notification.number);
            ASSERT_EQ(a.notification.authenticated, b.notification.authenticated);
            if (a.notification.authenticated)
            {
                EXPECT_EQ(a.notification.tag, b.notification.tag);
            }
        }
        ASSERT_EQ(a.format, b.format);
        if (a.format && a.IsAcknowledgement())
        {
            EXPECT_EQ(a.reflection.flags, b.reflection.flags);
            if (a.reflection.flags & REFLECTION_AUTHENTICATED)
            {
                EXPECT_EQ(a.reflection.tag, b.reflection.tag);
            }
        }
        if (a.format && a.IsAcknowledgement() && a.ReportsBottleneckHop())
        {
            const auto words = a.telemetry.words.begin();
            EXPECT_TRUE(std::equal(words, words + ReportWords(a), b.telemetry.words.begin()));
        }
        else if (a.format)
        {
            ExpectSameStack(a, b);
        }
    }

    /// Expects that two frames are equal in all fields carried on the wire.
    static void ExpectSame(const Frame& a, const Frame& b)
    {
        ASSERT_EQ(a.kind, b.kind);
        EXPECT_EQ(a.bytes, b.bytes);
        EXPECT_EQ(a.opcode, b.opcode);
        EXPECT_EQ(a.payloadBytes, b.payloadBytes);
        if (a.kind == Frame::Kind::PFC)
        {
            EXPECT_EQ(a.pfc.classEnable, b.pfc.classEnable);
            EXPECT_EQ(a.pfc.quanta, b.pfc.quanta);
            return;
        }
        EXPECT_EQ(a.source, b.source);
        EXPECT_EQ(a.destination, b.destination);
        EXPECT_EQ(a.sourcePort, b.sourcePort);
        EXPECT_EQ(a.destinationPort, b.destinationPort);
        EXPECT_EQ(a.flowHash, b.flowHash);
        EXPECT_EQ(a.tos, b.tos);
        EXPECT_EQ(a.ttl, b.ttl);
        EXPECT_EQ(a.protocol, b.protocol);
        EXPECT_EQ(a.ipId, b.ipId);
        EXPECT_EQ(a.ipv6, b.ipv6);
        if (a.kind == Frame::Kind::ROCE)
        {
            ExpectSameRoce(a, b);
        }
    }

    uint32_t m_seed;                    ///< seed of m_random
    Bytes m_header;                     ///< header bytes of a format that a switch agent fills in
    std::mt19937_64 m_random;           ///< source of random frames
    FramePool m_pool;                   ///< pool of the frames
    std::vector<KnownFormat> m_formats; ///< every format of the module, and "none"
    std::vector<Hop> m_hops;            ///< hops of the telemetry added last
};

} // namespace hpcctest

#endif // HPCC_TEST_CODEC_H
