/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FUZZ_IP_TARGETS_H
#define HPCC_FUZZ_IP_TARGETS_H

#include "fuzz-targets.h"

#include "ns3/hpcc-frame-serializer.h"
#include "ns3/hpcc-iwarp-framing.h"
#include "ns3/hpcc-nic-packets.h"
#include "ns3/hpcc-tcp-options.h"
#include "ns3/hpcc-tcp-segment.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/hpcc-udp-probe-header.h"
#include "ns3/packet.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace hpcctest
{

/**
 * Fuzz targets for decoders of data from ns3::TcpSocket, ns3::UdpSocket and other ranks. A target
 * passes an input to a decoder. It returns true if the decoder accepts the input, false if the
 * decoder refuses it. If a property does not hold, the target throws std::logic_error. The
 * sanitizers detect other faults.
 */
class FuzzIpTargets
{
  public:
    FuzzIpTargets()
    {
        TypeId base = TelemetryFormat::GetTypeId();
        for (const std::string& name : HpccPresets::Names(base))
        {
            ObjectFactory factory;
            HpccPresets::Find(base, name, factory);
            auto format = factory.Create<TelemetryFormat>();
            m_serializer.AddFormat(PeekPointer(format));
            m_rankFormats.push_back(format);
            if (HpccNicPackets::Validate(*format).empty())
            {
                m_nicFormats.push_back(format);
            }
        }
        m_inventory->Add(1, 1, 100000000000);
    }

    /// @return the formats that packets of TCP and UDP can carry
    const std::vector<Ptr<TelemetryFormat>>& GetNicFormats() const
    {
        return m_nicFormats;
    }

    /// @return the formats that messages of ranks can carry
    const std::vector<Ptr<TelemetryFormat>>& GetRankFormats() const
    {
        return m_rankFormats;
    }

    /// @return the serializer of the messages that RankMessages() reads
    const FrameSerializer& GetSerializer() const
    {
        return m_serializer;
    }

    /// Bits of the first byte of an input for Mpa().
    enum MpaInput : uint8_t
    {
        REPLY = 1,  ///< the start-up frame is a reply
        NO_CRC = 2, ///< CRCs are not checked
    };

    /**
     * Requires that MpaReader returns the same items however the stream is divided into TCP
     * segments, that decoding and encoding do not change an item, and that the reader returns no
     * items after an error.
     * @param bytes MpaInput bits, 1 byte; size of TCP segments, 1 byte, 0 for a single segment; the
     * stream
     */
    bool Mpa(const Bytes& bytes) const
    {
        FuzzInput input(bytes);
        const auto choices = static_cast<uint8_t>(input.Number());
        const size_t cut = input.Number();
        const Bytes stream = input.Rest();
        const MpaItems whole = ReadStream(stream, choices, stream.size());
        Require(ReadStream(stream, choices, cut).written == whole.written,
                "how TCP cuts the stream changes what is read");
        return whole.items > 0;
    }

    /**
     * Requires that HpccUdpProbeHeader either refuses the input, or writes the same bytes that it
     * has read. Reserved bytes are written as 0.
     * @param bytes the header
     */
    bool UdpProbe(const Bytes& bytes) const
    {
        HpccUdpProbeHeader header;
        if (header.Deserialize(bytes.data(), bytes.size()) == 0)
        {
            return false;
        }
        Bytes written(HpccUdpProbeHeader::BYTES);
        header.Serialize(written.data());
        Bytes expected(bytes.begin(), bytes.begin() + HpccUdpProbeHeader::BYTES);
        expected[2] = expected[3] = 0;
        Require(written == expected, "a probe header changes when it is read and written");
        return true;
    }

    /**
     * Requires that HpccNicPackets either refuses the answer to a probe, or reads records that the
     * format can carry.
     * @param bytes number of the format, then reflection header and records
     */
    bool NicPackets(const Bytes& bytes) const
    {
        FuzzInput input(bytes);
        Ptr<TelemetryFormat> format = m_nicFormats[input.Number() % m_nicFormats.size()];
        HpccNicPackets packets;
        packets.Open(nullptr, format, m_inventory);
        HpccNicPackets::Reflection reflection;
        const TelemetryStack& stack = reflection.stack;
        format->Open(reflection.stack, {ROCE_UDP_PORT, 17, 0});
        uint64_t unknownLinks = 0;
        const Bytes rest = input.Rest();
        if (!packets.Read(rest.data(), rest.size(), 0, reflection, unknownLinks))
        {
            return false;
        }
        Require(unknownLinks <= stack.hops, "more links are unknown than there are records");
        FuzzTargets::RequireSound(*format, stack);
        return true;
    }

    /**
     * Requires that TcpSegment::Parse() either refuses a packet or returns a segment. Pack()
     * followed by another Parse() must return an equal segment. Cut() must preserve every byte of
     * its payload.
     * @param bytes bit 0: IPv6; then the packet from the IP header on
     */
    bool Segments(const Bytes& bytes) const
    {
        FuzzInput input(bytes);
        const bool ipv6 = input.Number() & 1;
        const Bytes rest = input.Rest();
        TcpSegment segment;
        if (!TcpSegment::Parse(Create<Packet>(rest.data(), rest.size()), ipv6, segment))
        {
            return false;
        }
        const Bytes once = BytesOf(segment.Pack());
        TcpSegment again;
        Require(TcpSegment::Parse(Create<Packet>(once.data(), once.size()), ipv6, again),
                "a segment that was read is refused when it is written");
        Require(BytesOf(again.Pack()) == once, "a segment changes when it is read and written");
        const uint32_t payloadBytes = segment.payload->GetSize();
        uint32_t cutBytes = 0;
        constexpr uint32_t limit = 100;
        if (payloadBytes > limit)
        {
            for (const auto& part : segment.Cut(limit))
            {
                TcpSegment cut;
                Require(TcpSegment::Parse(part, ipv6, cut), "a part of a segment is refused");
                cutBytes += cut.payload->GetSize();
            }
            Require(cutBytes == payloadBytes, "payload is lost when a segment is cut");
        }
        return true;
    }

    /**
     * Requires that TcpOptions::Find() stays within the header, and that Remove() undoes Insert().
     * @param bytes size of the option to insert, 1 to 4 words; then a TCP segment
     */
    bool Options(const Bytes& bytes) const
    {
        FuzzInput input(bytes);
        const size_t size = 4 * (1 + input.Number() % 4);
        const Bytes segment = input.Rest();
        constexpr size_t fixedBytes = 20;
        size_t options = 0;
        TcpOptions::Find(segment.data(), segment.size(), [&](const uint8_t* at, size_t left) {
            Require(at >= segment.data() + fixedBytes &&
                        at + left <= segment.data() + segment.size() && left > 0,
                    "an option is found outside the header");
            ++options;
            return false;
        });
        if (segment.size() < fixedBytes)
        {
            return false;
        }
        const size_t headerBytes = (segment[12] >> 4) * 4U;
        if (headerBytes < fixedBytes || headerBytes + size > TcpOptions::MAX_HEADER_BYTES ||
            headerBytes > segment.size())
        {
            return options > 0;
        }
        constexpr uint8_t experimental = 253;
        Bytes option(size, 0x5a);
        option[0] = experimental;
        option[1] = static_cast<uint8_t>(size);
        Bytes changed = segment;
        TcpOptions::Insert(changed, 0, option, true);
        const size_t at =
            TcpOptions::Find(changed.data(), changed.size(), [](const uint8_t* found, size_t) {
                return *found == experimental;
            });
        Require(at == fixedBytes, "an inserted option is not the first");
        TcpOptions::Remove(changed, 0, at, size, true);
        // Compare modulo 0xffff, because zero has two representations in one's complement.
        const auto sum = [](const Bytes& tcp) { return (tcp[16] << 8 | tcp[17]) % 0xffff; };
        Require(sum(changed) == sum(segment), "the checksum changes");
        changed[16] = segment[16];
        changed[17] = segment[17];
        Require(changed == segment, "a segment changes when an option comes and goes");
        return true;
    }

    /**
     * Requires that FrameSerializer::Read() either reads frames from a message of another rank, or
     * refuses the message and states a reason. Append() followed by another Read() must return
     * equal frames. The target does not test frames that contain a packet, because ns-3 serialises
     * packets.
     * @param bytes a message
     */
    bool RankMessages(const Bytes& bytes) const
    {
        const auto* next = reinterpret_cast<const char*>(bytes.data());
        const char* const end = next + bytes.size();
        uint32_t frames = 0;
        while (next < end)
        {
            FrameSerializer::Message message{};
            Frame* frame = m_frames->Allocate();
            const std::string wrong = m_serializer.Read(next, end, *frame, message);
            if (wrong.empty())
            {
                ++frames;
                RequireSameMessage(*frame, message.link);
            }
            FramePool::Free(frame);
            if (!wrong.empty())
            {
                break;
            }
        }
        return frames > 0;
    }

    /// Returns the bytes of @p packet.
    static Bytes BytesOf(Ptr<const Packet> packet)
    {
        Bytes bytes(packet->GetSize());
        packet->CopyData(bytes.data(), static_cast<uint32_t>(bytes.size()));
        return bytes;
    }

  private:
    /// Items read from a stream.
    struct MpaItems
    {
        uint32_t items{0};                          ///< items read without an error
        Bytes written;                              ///< the items after encoding them
        HpccIwarpError error{HpccIwarpError::NONE}; ///< error that ended the stream
    };

    static MpaItems ReadStream(const Bytes& stream, uint8_t choices, size_t cut)
    {
        MpaReader reader(choices & REPLY);
        reader.SetCrc((choices & NO_CRC) == 0);
        MpaItems result;
        size_t at = 0;
        do
        {
            const size_t size = std::min(cut ? cut : stream.size(), stream.size() - at);
            reader.Append(stream.data() + at, size);
            at += size;
            ReadItems(reader, result);
        } while (at < stream.size());
        result.error = reader.GetError();
        if (result.error != HpccIwarpError::NONE)
        {
            Require(reader.Next() == MpaReader::Item::ERROR, "a reader goes on after an error");
        }
        return result;
    }

    static void ReadItems(MpaReader& reader, MpaItems& result)
    {
        for (;;)
        {
            Bytes bytes;
            switch (reader.Next())
            {
            case MpaReader::Item::NONE:
            case MpaReader::Item::ERROR:
                return;
            case MpaReader::Item::START:
                Require(reader.GetStart().privateData.size() <= MpaStart::MAX_PRIVATE_BYTES,
                        "more private data is read than is allowed");
                bytes = EncodeMpaStart(reader.GetStart());
                RequireSameStart(reader.GetStart(), bytes);
                break;
            case MpaReader::Item::SEGMENT:
                bytes = EncodeFpdu(reader.GetSegment(),
                                   reader.GetPayload(),
                                   reader.GetPayloadBytes(),
                                   true);
                RequireSameSegment(reader, bytes);
                break;
            }
            ++result.items;
            result.written.insert(result.written.end(), bytes.begin(), bytes.end());
        }
    }

    /// Requires that encoding and decoding do not change a start-up frame.
    static void RequireSameStart(const MpaStart& a, const Bytes& bytes)
    {
        MpaReader second(a.reply);
        second.Append(bytes.data(), bytes.size());
        Require(second.Next() == MpaReader::Item::START && second.IsBetweenFrames(),
                "a start-up frame that was written is not read");
        const MpaStart& b = second.GetStart();
        Require(a.reply == b.reply && a.markers == b.markers && a.crc == b.crc &&
                    a.rejected == b.rejected && a.revision == b.revision &&
                    a.privateData == b.privateData,
                "a start-up frame changes when it is written and read");
    }

    /// Requires that encoding and decoding do not change an FPDU.
    static void RequireSameSegment(const MpaReader& reader, const Bytes& fpdu)
    {
        MpaReader second(false);
        const Bytes start = EncodeMpaStart({});
        second.Append(start.data(), start.size());
        second.Append(fpdu.data(), fpdu.size());
        Require(second.Next() == MpaReader::Item::START &&
                    second.Next() == MpaReader::Item::SEGMENT && second.IsBetweenFrames(),
                "an FPDU that was written is not read");
        const DdpSegment& a = reader.GetSegment();
        const DdpSegment& b = second.GetSegment();
        Require(a.last == b.last && a.opcode == b.opcode && a.stag == b.stag &&
                    a.offset == b.offset && a.queue == b.queue && a.message == b.message &&
                    a.messageOffset == b.messageOffset &&
                    reader.GetPayloadBytes() == second.GetPayloadBytes() &&
                    std::equal(reader.GetPayload(),
                               reader.GetPayload() + reader.GetPayloadBytes(),
                               second.GetPayload()),
                "a segment changes when it is written and read");
    }

    /// Requires that a frame, except its packet, is unchanged after it has been written to a
    /// message and read again.
    void RequireSameMessage(const Frame& frame, uint32_t link) const
    {
        Require(!frame.format || frame.telemetry.hops <= MAX_TELEMETRY_HOPS,
                "a frame has more hops than anyone has room for");
        std::string once;
        m_serializer.Append(link, frame, once);
        const char* next = once.data();
        Frame* again = m_frames->Allocate();
        FrameSerializer::Message message{};
        const std::string wrong =
            m_serializer.Read(next, once.data() + once.size(), *again, message);
        Require(wrong.empty() && next == once.data() + once.size(),
                "a message that was written is not read");
        std::string twice;
        again->next = frame.next;
        m_serializer.Append(message.link, *again, twice);
        FramePool::Free(again);
        Require(once == twice, "a frame changes when it is written and read");
    }

    FrameSerializer m_serializer;                       ///< serializer of RankMessages()
    std::unique_ptr<FramePool> m_frames{new FramePool}; ///< frames of RankMessages()
    std::vector<Ptr<TelemetryFormat>> m_rankFormats;    ///< see GetRankFormats()
    std::vector<Ptr<TelemetryFormat>> m_nicFormats;     ///< see GetNicFormats()
    Ptr<TelemetryInventory> m_inventory{
        Create<TelemetryInventory>()}; ///< line rates for NicPackets()
};

} // namespace hpcctest

#endif // HPCC_FUZZ_IP_TARGETS_H
