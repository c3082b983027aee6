/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-nic-packets.h"

#include "qbb-ip-port.h"

#include "ns3/abort.h"
#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-ip-headers.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-split-at.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/qbb-egress.h"

#include <algorithm>

namespace ns3
{

namespace
{

/**
 * Returns an IPv4 address, or the IPv6 address derived from it.
 * @param address an IPv4 address
 * @param ipv6 true for IPv6, false for IPv4
 */
Address
AddressOf(uint32_t address, bool ipv6)
{
    return ipv6 ? Address(Ipv6Address(Ipv6AddressOf(address).data()))
                : Address(Ipv4Address(address));
}

/**
 * Returns true if the marking of a format changes neither addresses nor ports. If the marking
 * changes the protocol, the format must also store the original protocol.
 * @param format a format
 */
bool
IsSuitable(const TelemetryFormat& format)
{
    const TelemetryMarking& marking = format.GetMarking();
    return !marking.udpPort && (marking.position != TelemetryPosition::TRANSPORT ||
                                marking.dscp >= 0 || marking.protocolAt >= 0);
}

} // namespace

Address
HpccNicIp::GetSource() const
{
    return AddressOf(reverse ? like.destination : like.source, like.ipv6);
}

Address
HpccNicIp::GetDestination() const
{
    return AddressOf(reverse ? like.source : like.destination, like.ipv6);
}

void
HpccNicIp::AddTo(Ptr<Packet> packet) const
{
    const auto bytes = static_cast<uint16_t>(packet->GetSize());
    if (like.ipv6)
    {
        Ipv6Header ip;
        ip.SetSource(Ipv6Address::ConvertFrom(GetSource()));
        ip.SetDestination(Ipv6Address::ConvertFrom(GetDestination()));
        ip.SetNextHeader(protocol);
        ip.SetPayloadLength(bytes);
        ip.SetTrafficClass(tos);
        ip.SetHopLimit(ttl);
        packet->AddHeader(ip);
        return;
    }
    Ipv4Header ip;
    ip.SetSource(Ipv4Address::ConvertFrom(GetSource()));
    ip.SetDestination(Ipv4Address::ConvertFrom(GetDestination()));
    ip.SetProtocol(protocol);
    ip.SetPayloadSize(bytes);
    ip.SetTos(tos);
    ip.SetTtl(ttl);
    ip.SetIdentification(identification);
    ip.SetDontFragment();
    if (Node::ChecksumEnabled())
    {
        ip.EnableChecksum();
    }
    packet->AddHeader(ip);
}

std::string
HpccNicPackets::Validate(const TelemetryFormat& format)
{
    return IsSuitable(format)
               ? ""
               : "telemetry format " + format.GetInstanceTypeId().GetName() +
                     " is marked by a UDP port; allowed for ns-3's TCP and UDP are formats marked "
                     "by a DSCP or by what is in front of TCP or UDP: " +
                     JoinNames(HpccPresets::NamesWhere<TelemetryFormat>(IsSuitable));
}

void
HpccNicPackets::Open(Ptr<QbbNetDevice> port,
                     Ptr<const TelemetryFormat> format,
                     Ptr<const TelemetryInventory> inventory)
{
    m_port = port;
    m_format = format;
    m_inventories.fill(inventory);
}

void
HpccNicPackets::SetInventory(uint8_t priority, Ptr<const TelemetryInventory> inventory)
{
    m_inventories[priority] = inventory;
}

void
HpccNicPackets::Close()
{
    Open(nullptr, nullptr, nullptr);
}

Frame*
HpccNicPackets::MakeFrame(Ptr<Packet> packet, bool ipv6) const
{
    Frame* frame = m_port->GetAgenda().Frames().Allocate();
    DropReason why;
    NS_ABORT_UNLESS(
        QbbIpPort::FillFrame(packet,
                             ipv6 ? IpHeaders::IPV6_ETHERTYPE : IpHeaders::IPV4_ETHERTYPE,
                             *frame,
                             why));
    frame->priority = m_port->GetPriority(frame->tos);
    frame->ingressPort = Frame::NOT_ADMITTED;
    return frame;
}

uint32_t
HpccNicPackets::SendProbe(Ptr<Packet> packet,
                          bool ipv6,
                          uint8_t originalDscp,
                          uint16_t request) const
{
    Frame* frame = MakeFrame(packet, ipv6);
    frame->opcode = ROCE_PROBE;
    AddTelemetry(*frame, originalDscp, request);
    const uint32_t bytes = frame->bytes;
    m_port->GetEgress().Enqueue(frame);
    return bytes;
}

uint32_t
HpccNicPackets::AddTelemetry(Frame& frame, uint8_t originalDscp, uint16_t request) const
{
    frame.format = PeekPointer(m_format);
    m_format->Open(frame.telemetry, {frame.destinationPort, frame.protocol, originalDscp, request});
    const uint32_t added = m_format->GetWireBytes(frame.telemetry);
    frame.bytes =
        std::max(ETHERNET_HEADER_BYTES + frame.packet->GetSize() + added, MIN_FRAME_BYTES);
    return added;
}

uint32_t
HpccNicPackets::SendAnswer(Ptr<Packet> packet, bool ipv6) const
{
    Frame* frame = MakeFrame(packet, ipv6);
    frame->opcode = ROCE_ACK;
    const uint32_t bytes = frame->bytes;
    m_port->GetEgress().Enqueue(frame);
    return bytes;
}

std::vector<uint8_t>
HpccNicPackets::Reflect(const Frame& probe, const Note& note)
{
    HpccReflectionHeader reflection;
    const bool any = probe.format && probe.telemetry.hops;
    uint32_t size = HpccReflectionHeader::BYTES;
    reflection.flows = note.flows;
    if (note.proof)
    {
        reflection.flags |= REFLECTION_AUTHENTICATED;
        reflection.sequence = static_cast<uint16_t>(note.number);
    }
    if (probe.format)
    {
        reflection.formatId = any ? probe.format->GetReflectionId() : 0;
        reflection.hops = probe.telemetry.hops;
        reflection.stackFlags = probe.telemetry.flags;
        size += probe.format->GetReflectedBytes(probe.telemetry);
    }
    std::vector<uint8_t> bytes(size);
    reflection.Serialize(bytes.data());
    if (probe.format)
    {
        probe.format->SerializeRecords(probe.telemetry, bytes.data() + HpccReflectionHeader::BYTES);
    }
    if (note.proof)
    {
        std::vector<uint8_t> message = bytes;
        message.insert(message.end(), note.around.begin(), note.around.end());
        const FeedbackTag tag = note.proof->Sign(note.number, message);
        bytes.insert(bytes.begin() + HpccReflectionHeader::BYTES, tag.begin(), tag.end());
    }
    return bytes;
}

bool
HpccNicPackets::Read(const uint8_t* in,
                     size_t size,
                     uint8_t priority,
                     Reflection& reflection,
                     uint64_t& unknownLinks) const
{
    HpccReflectionHeader& header = reflection.header;
    TelemetryStack& stack = reflection.stack;
    stack.hops = 0;
    if (header.Deserialize(in, size) == 0)
    {
        return false;
    }
    const uint8_t* records = in + HpccReflectionHeader::BYTES;
    size -= HpccReflectionHeader::BYTES;
    if (reflection.IsSigned())
    {
        if (size < reflection.tag.size())
        {
            return false;
        }
        std::copy_n(records, reflection.tag.size(), reflection.tag.begin());
        records += reflection.tag.size();
        size -= reflection.tag.size();
    }
    reflection.message.assign(in, in + HpccReflectionHeader::BYTES);
    reflection.message.insert(reflection.message.end(), records, records + size);
    if (header.formatId == 0)
    {
        return true;
    }
    if (header.formatId != m_format->GetReflectionId() ||
        m_format->DeserializeRecords(records, size, header.hops, stack) == 0)
    {
        return false;
    }
    stack.hops = header.hops;
    stack.flags = header.stackFlags;
    // A format that carries line rates cannot encode every rate, so the inventory completes the
    // records.
    const auto& inventory = m_inventories[priority];
    const bool lookUp = inventory && !m_format->GetCapabilities().pathExtreme;
    for (uint32_t i = 0; i < stack.hops; ++i)
    {
        HopTelemetry& hop = reflection.hops[i] = m_format->Read(stack, i);
        if (!lookUp || hop.fields & (TELEMETRY_LOAD | TELEMETRY_BANDWIDTH))
        {
            continue;
        }
        hop.bandwidthBps = inventory->Lookup(hop.switchId, hop.portId);
        hop.fields |= hop.bandwidthBps ? TELEMETRY_BANDWIDTH : 0;
        unknownLinks += hop.bandwidthBps == 0;
    }
    return true;
}

HpccFeedbackProof::Verdict
HpccNicPackets::CheckProof(const Reflection& reflection,
                           const std::vector<uint8_t>& around,
                           HpccFeedbackProof& proof)
{
    if (!reflection.IsSigned())
    {
        return HpccFeedbackProof::Verdict::FORGED;
    }
    std::vector<uint8_t> message = reflection.message;
    message.insert(message.end(), around.begin(), around.end());
    return proof.Check(reflection.header.sequence, 16, reflection.tag, message);
}

HpccSample
HpccNicPackets::MakeSample(const Reflection& reflection, const Reading& reading) const
{
    HpccSample sample{};
    sample.nowNs = reading.nowNs;
    sample.ackSeq = reading.ackSeq;
    sample.sndNxt = reading.sndNxt;
    sample.hops = reflection.hops.data();
    sample.hopCount = reflection.stack.hops;
    sample.pathId = reflection.stack.pathId;
    sample.reportedFlows = reflection.header.flows;
    sample.telemetry = &m_format->GetCapabilities();
    return sample;
}

} // namespace ns3
