/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-tcp-segment.h"

#include "ns3/buffer.h"
#include "ns3/hpcc-ip-headers.h"
#include "ns3/node.h"
#include "ns3/tcp-option.h"

#include <algorithm>
#include <array>

namespace ns3
{

namespace
{

using IpHeaders::TCP_PROTOCOL;
constexpr uint32_t MIN_HEADER_BYTES = 20;
constexpr uint32_t MAX_HEADER_BYTES = 60;      // size of a TCP header with options
constexpr uint32_t OFFSET_AT = 12;             // position of the data offset in a TCP header
constexpr uint32_t MSS_OPTION_BYTES = 4;       // ns-3 aborts on any other size
constexpr uint32_t OPTION_PREFIX_BYTES = 2;    // kind and length of an option
constexpr uint32_t SACK_BLOCK_BYTES = 8;       // ns-3 always reads whole blocks
constexpr uint32_t IPV6_BYTES = 40;            // size of the fixed header
constexpr uint8_t IPV4_WITHOUT_OPTIONS = 0x45; // version and length of the header
constexpr uint8_t ENDING = TcpHeader::FIN | TcpHeader::PSH;
constexpr uint8_t JOINABLE = TcpHeader::ACK | ENDING | TcpHeader::ECE | TcpHeader::CWR;

void
EnableChecksum(const TcpSegment& segment, TcpHeader& tcp)
{
    if (!Node::ChecksumEnabled())
    {
        return;
    }
    tcp.EnableChecksums();
    if (segment.ipv6)
    {
        tcp.InitializeChecksum(segment.ipv6Header.GetSource(),
                               segment.ipv6Header.GetDestination(),
                               TCP_PROTOCOL);
    }
    else
    {
        tcp.InitializeChecksum(segment.ipv4.GetSource(),
                               segment.ipv4.GetDestination(),
                               TCP_PROTOCOL);
    }
}

std::vector<uint8_t>
OptionsOf(const TcpHeader& tcp)
{
    Buffer buffer;
    buffer.AddAtStart(tcp.GetSerializedSize());
    tcp.Serialize(buffer.Begin());
    std::vector<uint8_t> bytes(buffer.GetSize());
    buffer.CopyData(bytes.data(), bytes.size());
    return {bytes.begin() + MIN_HEADER_BYTES, bytes.end()};
}

bool
HaveSameOptions(const TcpHeader& a, const TcpHeader& b)
{
    return a.GetOptionList().empty() ? b.GetOptionList().empty() : OptionsOf(a) == OptionsOf(b);
}

bool
HaveSameIp(const TcpSegment& a, const TcpSegment& b)
{
    if (a.ipv6 != b.ipv6)
    {
        return false;
    }
    if (a.ipv6)
    {
        return a.ipv6Header.GetSource() == b.ipv6Header.GetSource() &&
               a.ipv6Header.GetDestination() == b.ipv6Header.GetDestination() &&
               a.ipv6Header.GetTrafficClass() == b.ipv6Header.GetTrafficClass() &&
               a.ipv6Header.GetHopLimit() == b.ipv6Header.GetHopLimit() &&
               a.ipv6Header.GetFlowLabel() == b.ipv6Header.GetFlowLabel();
    }
    return a.ipv4.GetSource() == b.ipv4.GetSource() &&
           a.ipv4.GetDestination() == b.ipv4.GetDestination() &&
           a.ipv4.GetTos() == b.ipv4.GetTos() && a.ipv4.GetTtl() == b.ipv4.GetTtl() &&
           a.ipv4.IsDontFragment() == b.ipv4.IsDontFragment();
}

/// Returns true if a packet that begins with a TCP header contains the whole header, and ns-3 can
/// read its options.
bool
IsTcpHeaderWhole(const Packet& packet)
{
    std::array<uint8_t, MAX_HEADER_BYTES> tcp;
    const uint32_t available = packet.CopyData(tcp.data(), tcp.size());
    if (available < MIN_HEADER_BYTES)
    {
        return false;
    }
    const uint32_t end = (tcp[OFFSET_AT] >> 4) * 4U;
    if (end < MIN_HEADER_BYTES || end > available)
    {
        return false;
    }
    for (uint32_t at = MIN_HEADER_BYTES; at < end && tcp[at] != TcpOption::END;)
    {
        const uint32_t size = tcp[at] == TcpOption::NOP ? 1 : at + 1 < end ? tcp[at + 1] : 0;
        if (size == 0 || (size == 1 && tcp[at] != TcpOption::NOP) || at + size > end ||
            (tcp[at] == TcpOption::MSS && size != MSS_OPTION_BYTES) ||
            (tcp[at] == TcpOption::SACK && size % SACK_BLOCK_BYTES != OPTION_PREFIX_BYTES))
        {
            return false;
        }
        at += size;
    }
    return true;
}

/// Returns true if a packet begins with a complete IP header. An IPv4 header must have no options.
bool
IsIpHeaderWhole(const Packet& packet, bool ipv6)
{
    std::array<uint8_t, 1> first;
    if (packet.GetSize() < (ipv6 ? IPV6_BYTES : MIN_HEADER_BYTES) ||
        packet.CopyData(first.data(), first.size()) != first.size())
    {
        return false;
    }
    return ipv6 ? first[0] >> 4 == 6 : first[0] == IPV4_WITHOUT_OPTIONS;
}

/// Returns a packet that joins the packets with indices from @p first to @p end - 1. Halves are
/// joined recursively, so that each byte is copied only a few times.
Ptr<Packet>
Merge(const std::vector<Ptr<Packet>>& packets, size_t first, size_t end)
{
    if (end - first == 1)
    {
        return packets[first];
    }
    const size_t middle = (first + end) / 2;
    Ptr<Packet> joined = Merge(packets, first, middle);
    joined->AddAtEnd(Merge(packets, middle, end));
    return joined;
}

} // namespace

bool
TcpSegment::Parse(Ptr<const Packet> packet, bool isIpv6, TcpSegment& segment)
{
    segment.ipv6 = isIpv6;
    segment.payload = packet->Copy();
    const uint32_t bytes = packet->GetSize();
    if (!IsIpHeaderWhole(*packet, isIpv6))
    {
        return false;
    }
    if (isIpv6)
    {
        if (segment.payload->RemoveHeader(segment.ipv6Header) == 0 ||
            segment.ipv6Header.GetNextHeader() != TCP_PROTOCOL)
        {
            return false;
        }
    }
    else if (segment.payload->RemoveHeader(segment.ipv4) == 0 ||
             segment.ipv4.GetProtocol() != TCP_PROTOCOL || !segment.ipv4.IsLastFragment() ||
             segment.ipv4.GetFragmentOffset() != 0)
    {
        return false;
    }
    if (!IsTcpHeaderWhole(*segment.payload))
    {
        return false;
    }
    segment.tcp = TcpHeader();
    EnableChecksum(segment, segment.tcp);
    segment.payload->RemoveHeader(segment.tcp);
    if (segment.tcp.GetSerializedSize() != segment.tcp.GetLength() * 4U)
    {
        return false; // the header is padded by more than a word, so ns-3 would not write the
                      // header that it has read
    }
    segment.isChecksumOk = !Node::ChecksumEnabled() || segment.tcp.IsChecksumOk();
    segment.headerBytes = bytes - segment.payload->GetSize();
    return true;
}

Ptr<Packet>
TcpSegment::Pack() const
{
    Ptr<Packet> packet = payload->Copy();
    TcpHeader header = tcp;
    EnableChecksum(*this, header);
    packet->AddHeader(header);
    if (ipv6)
    {
        Ipv6Header ip = ipv6Header;
        ip.SetPayloadLength(static_cast<uint16_t>(packet->GetSize()));
        packet->AddHeader(ip);
    }
    else
    {
        Ipv4Header ip = ipv4;
        ip.SetPayloadSize(static_cast<uint16_t>(packet->GetSize()));
        if (Node::ChecksumEnabled())
        {
            ip.EnableChecksum();
        }
        packet->AddHeader(ip);
    }
    return packet;
}

std::vector<Ptr<Packet>>
TcpSegment::Cut(uint32_t limit) const
{
    std::vector<Ptr<Packet>> segments;
    const uint32_t total = payload->GetSize();
    TcpSegment part = *this;
    for (uint32_t at = 0; at < total; at += limit)
    {
        const uint32_t bytes = std::min(limit, total - at);
        uint8_t flags = tcp.GetFlags();
        flags &= at + bytes < total ? ~ENDING : ~0;
        flags &= at > 0 ? ~TcpHeader::CWR : ~0;
        part.tcp.SetFlags(flags);
        part.tcp.SetSequenceNumber(tcp.GetSequenceNumber() + at);
        part.ipv4.SetIdentification(
            static_cast<uint16_t>(ipv4.GetIdentification() + segments.size()));
        part.payload = payload->CreateFragment(at, bytes);
        segments.push_back(part.Pack());
    }
    return segments;
}

bool
TcpJoiner::Ends(const TcpSegment& segment) const
{
    return segment.tcp.GetFlags() & ENDING || segment.payload->GetSize() < m_segmentBytes ||
           m_bytes + m_segmentBytes + m_first.headerBytes > m_limit;
}

bool
TcpJoiner::Begin(const TcpSegment& segment, uint32_t limit)
{
    const uint8_t flags = segment.tcp.GetFlags();
    if (!segment.isChecksumOk || segment.payload->GetSize() == 0 || flags & ~JOINABLE ||
        !(flags & TcpHeader::ACK))
    {
        return false;
    }
    m_first = segment;
    m_limit = limit;
    m_lastFlags = flags;
    m_bytes = m_segmentBytes = segment.payload->GetSize();
    m_payloads = {segment.payload};
    m_complete = Ends(segment);
    return true;
}

bool
TcpJoiner::Add(const TcpSegment& segment)
{
    const TcpHeader& a = m_first.tcp;
    const TcpHeader& b = segment.tcp;
    const uint32_t bytes = segment.payload->GetSize();
    constexpr uint8_t free = ENDING | TcpHeader::CWR;
    if (!segment.isChecksumOk || bytes == 0 || bytes > m_segmentBytes ||
        b.GetSequenceNumber() != a.GetSequenceNumber() + m_bytes || b.GetFlags() & TcpHeader::CWR ||
        (b.GetFlags() | free) != (a.GetFlags() | free) || b.GetAckNumber() != a.GetAckNumber() ||
        b.GetWindowSize() != a.GetWindowSize() || b.GetSourcePort() != a.GetSourcePort() ||
        b.GetDestinationPort() != a.GetDestinationPort() || !HaveSameIp(m_first, segment) ||
        !HaveSameOptions(a, b))
    {
        return false;
    }
    m_bytes += bytes;
    m_lastFlags = b.GetFlags();
    m_payloads.push_back(segment.payload);
    m_complete = Ends(segment);
    return true;
}

Ptr<Packet>
TcpJoiner::Finish()
{
    m_first.payload = Merge(m_payloads, 0, m_payloads.size());
    m_first.tcp.SetFlags(m_first.tcp.GetFlags() | (m_lastFlags & ENDING));
    m_payloads.clear();
    Ptr<Packet> packet = m_first.Pack();
    m_first.payload = nullptr;
    return packet;
}

} // namespace ns3
