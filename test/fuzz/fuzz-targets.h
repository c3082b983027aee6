/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FUZZ_TARGETS_H
#define HPCC_FUZZ_TARGETS_H

#include "fuzz-input.h"

#include "ns3/boolean.h"
#include "ns3/enum.h"
#include "ns3/hpcc-frame-codec.h"
#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-law.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-reflection-header.h"
#include "ns3/hpcc-roce-headers.h"
#include "ns3/hpcc-roce-packet.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/string.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

/// Fuzz targets: functions whose input a fuzzer chooses, and which check properties that must hold
/// for all inputs.
namespace hpcctest
{

using namespace ns3;

/**
 * Fuzz targets for decoders of RoCEv2 frames and of every registered telemetry format. They are run
 * by libFuzzer, and by a GoogleTest whose inputs are seeds and random changes of seeds. A target
 * returns true if the decoder accepts the input, false if the decoder refuses it. If a property
 * does not hold, the target throws std::logic_error. The sanitizers detect other faults.
 */
class FuzzTargets
{
  public:
    FuzzTargets()
    {
        TypeId base = TelemetryFormat::GetTypeId();
        for (const std::string& name : HpccPresets::Names(base))
        {
            ObjectFactory factory;
            HpccPresets::Find(base, name, factory);
            m_formats.push_back(factory.Create<TelemetryFormat>());
            m_codec.AddFormat(PeekPointer(m_formats.back()));
        }
        m_presets = m_formats.size();
        for (const std::string& name : HpccPresets::Names(base))
        {
            AddVariants(base, name);
        }
    }

    /// @return all presets of formats, followed by variants in which one Boolean or enumeration
    /// attribute differs
    const std::vector<Ptr<TelemetryFormat>>& GetFormats() const
    {
        return m_formats;
    }

    /// Returns the number of presets among the formats.
    size_t GetPresets() const
    {
        return m_presets;
    }

    /// The first byte of an input for Frames(). It determines the meaning of the other bytes.
    enum FrameInput : uint8_t
    {
        RAW,      ///< the other bytes are a frame
        ASSEMBLED ///< see Assemble()
    };

    /**
     * Requires that FrameCodec::Decode() either reads a frame, or refuses it and states a reason.
     * Encode() followed by another Decode() must return an equal frame.
     * @param bytes a FrameInput, then the content for it
     */
    bool Frames(const Bytes& bytes) const
    {
        FuzzInput input(bytes);
        Bytes frame = input.Number() % 2 == RAW ? input.Rest() : Assemble(input);
        Bytes once = Decoded(frame);
        if (once.empty())
        {
            return false;
        }
        Require(once.size() <= frame.size(), "a frame grows when it is read and written");
        Require(Decoded(once) == once, "a frame written by the codec reads differently");
        return true;
    }

    /**
     * Requires that the readers of TelemetryFormat either refuse the input, or return a stack that
     * can be read, written, extended by hops and read again.
     * @param bytes number of the format, 0 for Deserialize() or 1 for DeserializeRecords(), number
     * of hops in the latter case, then the bytes to read
     */
    bool Formats(const Bytes& bytes) const
    {
        FuzzInput input(bytes);
        const TelemetryFormat& format = *m_formats[input.Number() % m_formats.size()];
        bool records = input.Number() % 2;
        uint8_t hops = records ? input.Number() : 0;
        Bytes rest = input.Rest();
        auto read = [&](const Bytes& from, TelemetryStack& stack) {
            format.Open(stack, {ROCE_UDP_PORT, 17, 0});
            return records ? format.DeserializeRecords(from.data(), from.size(), hops, stack)
                           : format.Deserialize(from.data(), from.size(), stack);
        };
        TelemetryStack stack;
        size_t used = read(rest, stack);
        Require(used <= rest.size(), "more bytes are consumed than there are");
        if (used == 0)
        {
            return false;
        }
        RequireSound(format, stack);
        Bytes written(records ? format.GetReflectedBytes(stack) : format.GetWireBytes(stack));
        records ? format.SerializeRecords(stack, written.data())
                : format.Serialize(stack, written.data());
        TelemetryStack again;
        Require(read(written, again) == written.size(), "what a format writes it does not read");
        RequireSame(format, stack, again);
        Cross(format, again);
        Grow(format, stack);
        return true;
    }

    /**
     * Requires that a header either refuses the input, or reads the same values again after it has
     * written them.
     * @param bytes number of the header, then the header
     */
    bool Headers(const Bytes& bytes) const
    {
        FuzzInput input(bytes);
        switch (input.Number() % 6)
        {
        case 0:
            return Reflection(input.Rest());
        case 1:
            return Pfc(input.Rest());
        case 2:
            return RoceHeader<RoceBthHeader>(input.Take(BTH_BYTES, true));
        case 3:
            return RoceHeader<RoceRethHeader>(input.Take(RETH_BYTES, true));
        case 4:
            return RoceHeader<RoceAethHeader>(input.Take(AETH_BYTES, true));
        default:
            return RoceHeader<RoceSackHeader>(input.Take(RoceSackHeader::BYTES, true));
        }
    }

    /**
     * Requires that window, rate and U stay within their limits for all records.
     * @param bytes number of the format, parameters of the control law (see ParametersOf()), then
     * for each acknowledgement: ns since the previous acknowledgement, 4 bytes; bytes newly
     * acknowledged, 2; bytes newly sent, 2; ns without data in flight, 2; number of flows from the
     * receiver, 2; hops, 1; records
     */
    bool Law(const Bytes& bytes) const
    {
        constexpr double lineRate = 100e9;
        FuzzInput input(bytes);
        const TelemetryFormat& format = *m_formats[input.Number() % m_formats.size()];
        HpccLaw law;
        law.SetParameters(ParametersOf(static_cast<uint8_t>(input.Number())));
        HpccFlow flow;
        law.Open(flow, lineRate, 0);
        HpccSample sample{};
        sample.telemetry = &format.GetCapabilities();
        while (input.Left() > 0)
        {
            sample.nowNs += static_cast<int64_t>(input.Number(4));
            sample.ackSeq += input.Number(2);
            sample.sndNxt = std::max(sample.sndNxt + input.Number(2), sample.ackSeq);
            sample.idleNs = static_cast<int64_t>(input.Number(2));
            sample.reportedFlows = input.Number(2);
            uint8_t hops = input.Number();
            Bytes rest = input.Rest();
            TelemetryStack stack;
            format.Open(stack, {ROCE_UDP_PORT, 17, 0});
            size_t used = format.DeserializeRecords(rest.data(), rest.size(), hops, stack);
            if (used == 0 && hops > 0)
            {
                return false;
            }
            input.Skip(used);
            std::array<HopTelemetry, MAX_TELEMETRY_HOPS> hopsRead;
            RequireSound(format, stack);
            for (uint32_t i = 0; i < stack.hops; ++i)
            {
                hopsRead[i] = format.Read(stack, i);
                if (!(hopsRead[i].fields & TELEMETRY_BANDWIDTH))
                {
                    hopsRead[i].bandwidthBps = static_cast<uint64_t>(lineRate);
                    hopsRead[i].fields |= TELEMETRY_BANDWIDTH;
                }
            }
            sample.hops = hopsRead.data();
            sample.hopCount = stack.hops;
            sample.pathId = stack.pathId;
            RequireSane(law, flow, law.NewAck(flow, sample));
        }
        return true;
    }

    /**
     * Builds a frame with correct lengths, marks and ICRC, because a fuzzer does not find a valid
     * ICRC by chance. The input consists of the number of the format, 0 for none; a byte whose bit
     * 0 selects IPv6; the size of the telemetry, 2 bytes; the telemetry; and all bytes from the BTH
     * up to the ICRC.
     * @param input the input after its first byte
     * @return the frame
     */
    Bytes Assemble(FuzzInput& input) const
    {
        size_t chosen = input.Number() % (m_presets + 1);
        const TelemetryFormat* format = chosen ? PeekPointer(m_formats[chosen - 1]) : nullptr;
        TelemetryMarking marking = format ? format->GetMarking() : TelemetryMarking();
        Frame frame{};
        frame.kind = Frame::Kind::ROCE;
        frame.opcode = ROCE_SEND_ONLY;
        frame.source = 0x0b000001;
        frame.destination = 0x0b000002;
        frame.sourcePort = 0xc001;
        frame.destinationPort = ROCE_UDP_PORT;
        frame.ttl = 64;
        frame.tos = marking.dscp < 0 ? 0 : static_cast<uint8_t>(marking.dscp << 2);
        frame.ipv6 = (input.Number() & 1) || marking.ipv6;
        Bytes telemetry = input.Take(input.Number(2) % 512);
        Bytes content = input.Rest();
        content.resize(std::max<size_t>((content.size() + 3) / 4 * 4, BTH_BYTES));
        frame.payloadBytes = content.size() - BTH_BYTES;

        Bytes bytes = FrameCodec::Encode(frame,
                                         Mac48Address("02:00:00:00:00:01"),
                                         Mac48Address("02:00:00:00:00:02"));
        size_t ip = ETHERNET_HEADER_BYTES;
        size_t udp = ip + IpHeaderBytes(frame.ipv6);
        size_t icrc = udp + UDP_HEADER_BYTES + content.size();
        std::copy(content.begin(), content.end(), bytes.begin() + udp + UDP_HEADER_BYTES);
        uint32_t crc = RocePacket::InvariantCrc(&bytes[ip], icrc - ip);
        for (size_t i = 0; i < ICRC_BYTES; ++i)
        {
            bytes[icrc + i] = static_cast<uint8_t>(crc >> 8 * i);
        }
        bytes.resize(icrc + ICRC_BYTES);
        if (format)
        {
            Insert(marking, frame.ipv6, telemetry, bytes);
        }
        bytes.resize(std::max<size_t>(bytes.size(), MIN_FRAME_BYTES));
        return bytes;
    }

    /**
     * Throws if a stack has contents that its format cannot carry.
     * @param format the format
     * @param stack the stack
     */
    static void RequireSound(const TelemetryFormat& format, const TelemetryStack& stack)
    {
        Require(stack.hops <= MAX_TELEMETRY_HOPS, "a stack has more hops than anyone has room for");
        const TelemetryCapabilities& says = format.GetCapabilities();
        for (uint32_t i = 0; i < stack.hops; ++i)
        {
            HopTelemetry hop = format.Read(stack, i);
            auto share = [&hop](uint16_t bit, double value, double most) {
                Require(!(hop.fields & bit) || (value >= 0 && value <= most),
                        "a share, time or load is no number or out of range");
            };
            auto below = [&hop](uint16_t bit, uint64_t value, uint64_t modulus) {
                Require(!(hop.fields & bit) || modulus == 0 || value < modulus,
                        "a counter or timestamp is not below its modulus");
            };
            uint16_t allowed = says.fields | (format.CarriesLoad() ? TELEMETRY_LOAD : 0);
            Require((hop.fields & ~allowed) == 0, "a record has what the format cannot carry");
            Require(!(hop.fields & TELEMETRY_BANDWIDTH) || hop.bandwidthBps > 0, "a rate is 0");
            share(TELEMETRY_UTILIZATION, hop.utilization, 1);
            share(TELEMETRY_QUEUE_DELAY, hop.queueDelayNs, 1e18);
            share(TELEMETRY_LOAD, hop.load, 1e9);
            below(TELEMETRY_TIMESTAMP, hop.timestampNs, says.timestampModulus);
            below(TELEMETRY_TX_BYTES, hop.txBytes, says.txBytesModulus);
        }
    }

  private:
    void AddVariants(TypeId base, const std::string& name)
    {
        ObjectFactory preset;
        HpccPresets::Find(base, name, preset);
        Ptr<TelemetryFormat> original = preset.Create<TelemetryFormat>();
        TypeId type = preset.GetTypeId();
        for (size_t i = 0; i < type.GetAttributeN(); ++i)
        {
            TypeId::AttributeInformation attribute = type.GetAttribute(i);
            if (!(attribute.flags & TypeId::ATTR_SET) || !attribute.accessor->HasSetter())
            {
                continue;
            }
            StringValue now;
            original->GetAttribute(attribute.name, now);
            for (const std::string& value : ChoicesOf(attribute))
            {
                if (value != now.Get())
                {
                    ObjectFactory factory = preset;
                    factory.Set(attribute.name, StringValue(value));
                    m_formats.push_back(factory.Create<TelemetryFormat>());
                }
            }
        }
    }

    /**
     * Returns the values that a Boolean or enumeration attribute accepts.
     * @param attribute the attribute
     * @return the values as text
     */
    static std::vector<std::string> ChoicesOf(const TypeId::AttributeInformation& attribute)
    {
        std::vector<std::string> choices;
        if (attribute.checker->GetValueTypeName() == "ns3::BooleanValue")
        {
            choices = {"true", "false"};
        }
        else if (attribute.checker->GetValueTypeName() == "ns3::EnumValue")
        {
            std::istringstream names(attribute.checker->GetUnderlyingTypeInformation());
            for (std::string name; std::getline(names, name, '|');)
            {
                choices.push_back(name);
            }
        }
        return choices;
    }

    /// Inserts telemetry into a frame without telemetry, and marks the frame. The result is like a
    /// frame from a source that has passed some hops.
    static void Insert(const TelemetryMarking& marking,
                       bool ipv6,
                       const Bytes& telemetry,
                       Bytes& bytes)
    {
        auto add16 = [&bytes](size_t at, size_t value) {
            value += bytes[at] << 8 | bytes[at + 1];
            bytes[at] = static_cast<uint8_t>(value >> 8);
            bytes[at + 1] = static_cast<uint8_t>(value);
        };
        constexpr size_t etherType = 12;
        size_t ip = ETHERNET_HEADER_BYTES;
        size_t udp = ip + IpHeaderBytes(ipv6);
        if (marking.position == TelemetryPosition::TAG)
        {
            Bytes tag{static_cast<uint8_t>(marking.etherType >> 8),
                      static_cast<uint8_t>(marking.etherType)};
            tag.insert(tag.end(), telemetry.begin(), telemetry.end());
            bytes.insert(bytes.begin() + etherType, tag.begin(), tag.end());
            return;
        }
        size_t lead = std::min<size_t>(
            marking.position == TelemetryPosition::NETWORK ? telemetry.size() : marking.leadBytes,
            telemetry.size());
        if (marking.protocol >= 0)
        {
            bytes[ip + (ipv6 ? 6 : 9)] = static_cast<uint8_t>(marking.protocol);
        }
        if (marking.udpPort)
        {
            bytes[udp + 2] = static_cast<uint8_t>(marking.udpPort >> 8);
            bytes[udp + 3] = static_cast<uint8_t>(marking.udpPort);
        }
        if (marking.inUdpLength)
        {
            add16(udp + 4, telemetry.size() - lead);
        }
        add16(ip + (ipv6 ? 4 : 2), telemetry.size());
        if (!ipv6)
        {
            FixChecksum(&bytes[ip]);
        }
        bytes.insert(bytes.begin() + udp + UDP_HEADER_BYTES,
                     telemetry.begin() + lead,
                     telemetry.end());
        bytes.insert(bytes.begin() + udp, telemetry.begin(), telemetry.begin() + lead);
    }

    /// Corrects the checksum of an IPv4 header of 20 bytes.
    /// @param header the header
    static void FixChecksum(uint8_t* header)
    {
        header[10] = header[11] = 0;
        uint32_t sum = 0;
        for (size_t i = 0; i < IPV4_HEADER_BYTES; i += 2)
        {
            sum += header[i] << 8 | header[i + 1];
        }
        sum = (sum & 0xffff) + (sum >> 16);
        sum = ~(sum + (sum >> 16));
        header[10] = static_cast<uint8_t>(sum >> 8);
        header[11] = static_cast<uint8_t>(sum);
    }

    /**
     * Decodes a frame and encodes the result.
     * @param bytes the frame
     * @return the bytes from Encode(); empty if Decode() refuses the frame
     */
    Bytes Decoded(const Bytes& bytes) const
    {
        Frame frame{};
        std::string why;
        if (!m_codec.Decode(bytes.data(), bytes.size(), frame, why))
        {
            Require(!why.empty(), "a refusal gives no reason");
            return {};
        }
        Require(frame.bytes == bytes.size(), "the size of a frame is not its bytes");
        if (frame.format)
        {
            RequireSound(*frame.format, frame.telemetry);
        }
        return FrameCodec::Encode(frame,
                                  Mac48Address("02:00:00:00:00:01"),
                                  Mac48Address("02:00:00:00:00:02"));
    }

    static void RequireSame(const TelemetryFormat& format,
                            const TelemetryStack& a,
                            const TelemetryStack& b)
    {
        Require(a.hops == b.hops && a.flags == b.flags, "hops or flags change");
        for (uint32_t i = 0; i < a.hops; ++i)
        {
            HopTelemetry x = format.Read(a, i);
            HopTelemetry y = format.Read(b, i);
            Require(x.fields == y.fields && x.timestampNs == y.timestampNs &&
                        x.txBytes == y.txBytes && x.bandwidthBps == y.bandwidthBps &&
                        x.queueBytes == y.queueBytes && x.utilization == y.utilization &&
                        x.queueDelayNs == y.queueDelayNs && x.load == y.load &&
                        x.switchId == y.switchId && x.portId == y.portId &&
                        x.hopLatencyNs == y.hopLatencyNs,
                    "a record changes when it is written and read");
        }
    }

    /// Passes a stack through a domain edge: removes a record, and appends a load if the format
    /// carries loads.
    static void Cross(const TelemetryFormat& format, TelemetryStack& stack)
    {
        if (stack.hops == 0)
        {
            return;
        }
        const uint32_t kept = stack.hops - 1;
        format.Truncate(stack, kept);
        if (format.GetCapabilities().pathExtreme)
        {
            TelemetryStack fresh;
            format.Open(fresh, {ROCE_UDP_PORT, 17, 0, stack.request});
            RequireSame(format, stack, fresh);
            return;
        }
        Require(stack.hops <= kept, "records are still there after a border");
        if (format.CarriesLoad())
        {
            format.AppendLoad(stack, 1.5, 7);
            RequireSound(format, stack);
        }
        Bytes written(format.GetWireBytes(stack));
        format.Serialize(stack, written.data());
    }

    /// Passes a stack through more hops than it can record.
    static void Grow(const TelemetryFormat& format, TelemetryStack& stack)
    {
        HopSnapshot hop{};
        hop.bandwidthBps = 100000000000;
        for (uint32_t i = 0; i <= MAX_TELEMETRY_HOPS; ++i)
        {
            uint32_t before = format.GetWireBytes(stack);
            int32_t grown = format.Insert(stack, hop, 1000);
            Require(format.GetWireBytes(stack) ==
                        before + (grown == TelemetryFormat::NOT_INSERTED ? 0 : grown),
                    "a hop's bytes are not what the stack grows by");
        }
        RequireSound(format, stack);
        Bytes written(format.GetWireBytes(stack));
        format.Serialize(stack, written.data());
    }

    static bool Reflection(const Bytes& bytes)
    {
        HpccReflectionHeader header;
        if (header.Deserialize(bytes.data(), bytes.size()) == 0)
        {
            return false;
        }
        Require(header.hops <= MAX_TELEMETRY_HOPS, "a reflection has too many hops");
        Bytes written(HpccReflectionHeader::BYTES);
        header.Serialize(written.data());
        Require(std::equal(written.begin(), written.end(), bytes.begin()), "a reflection changes");
        return true;
    }

    static bool Pfc(const Bytes& bytes)
    {
        PfcHeader header;
        std::string why;
        if (!header.Deserialize(bytes.data(), bytes.size(), why))
        {
            Require(!why.empty(), "a refusal gives no reason");
            return false;
        }
        Bytes written(PfcHeader::PFC_BYTES);
        header.Serialize(written.data());
        PfcHeader again;
        Require(again.Deserialize(written.data(), written.size(), why) &&
                    again.classEnable == header.classEnable && again.quanta == header.quanta,
                "a PFC frame changes");
        return true;
    }

    /// Requires that a header reads any bytes, and that it writes reserved bits as 0.
    template <typename Header>
    static bool RoceHeader(const Bytes& bytes)
    {
        Header header;
        header.Deserialize(bytes.data());
        Bytes once(bytes.size());
        header.Serialize(once.data());
        Header again;
        again.Deserialize(once.data());
        Bytes twice(bytes.size());
        again.Serialize(twice.data());
        Require(once == twice, "a RoCE header changes");
        return true;
    }

    /// Returns the control law's parameters that the bits of @p choices select.
    static HpccParameters ParametersOf(uint8_t choices)
    {
        HpccParameters parameters;
        parameters.queueFilter = static_cast<HpccParameters::QueueFilter>((choices & 3) % 3);
        parameters.reaction = static_cast<HpccParameters::Reaction>((choices >> 2 & 3) % 3);
        parameters.firstSample = static_cast<HpccParameters::FirstSample>(choices >> 4 & 1);
        parameters.rateTerm = static_cast<HpccParameters::RateTerm>(choices >> 5 & 1);
        parameters.idleGapResets = choices >> 6 & 1;
        parameters.minRateBps = choices >> 7 ? 1e8 : 0;
        return parameters;
    }

    static void RequireSane(const HpccLaw& law, const HpccFlow& flow, const HpccOutcome& outcome)
    {
        auto window = [&flow, eta = law.GetParameters().eta](double bytes) {
            // W_ai is smallest at the largest N that a receiver can report.
            double least = std::max(flow.minBytes, flow.initialBytes * (1 - eta) / 65536);
            return bytes >= least && bytes <= flow.initialBytes;
        };
        Require(window(flow.windowBytes), "W is not between its limits");
        Require(window(flow.referenceBytes), "Wc is not between its limits");
        Require(std::isfinite(flow.utilization) && flow.utilization >= 0, "U is no load");
        Require(flow.waiBytes > 0 && flow.waiBytes <= flow.initialBytes, "W_ai is no increase");
        double rate = law.RateBps(flow);
        Require(rate > 0 && rate <= flow.lineRateBps, "R is not between 0 and the line rate");
        if (outcome.branch != HpccBranch::NONE && outcome.hopCount > 0)
        {
            Require(outcome.bottleneck < outcome.hopCount, "the bottleneck is no hop of the path");
            Require(std::isfinite(outcome.u) && outcome.u >= 0, "u' is no load");
        }
    }

    std::vector<Ptr<TelemetryFormat>> m_formats; ///< see GetFormats()
    size_t m_presets{0};                         ///< see GetPresets()
    FrameCodec m_codec;                          ///< codec for the presets
};

} // namespace hpcctest

#endif // HPCC_FUZZ_TARGETS_H
