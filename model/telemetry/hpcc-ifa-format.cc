/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-ifa-format.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>
#include <sstream>

namespace ns3
{

using namespace boost::endian;

NS_OBJECT_ENSURE_REGISTERED(IfaFormat);

namespace
{

constexpr uint8_t REFLECTION_ID = 32;
constexpr uint8_t EXPERIMENTAL_PROTOCOL = 253; // RFC 3692; Broadcom's SDK uses it for IFA

/// A protocol number that must not mark IFA, because it belongs to another protocol.
struct ForeignProtocol
{
    uint8_t number;
    const char* owner;
};

constexpr ForeignProtocol FOREIGN_PROTOCOLS[] = {{1, "ICMP"},
                                                 {4, "IPv4 in IP"},
                                                 {6, "TCP"},
                                                 {17, "UDP"},
                                                 {41, "IPv6 in IP"},
                                                 {43, "IPv6's routing header"},
                                                 {44, "IPv6's fragment header"},
                                                 {50, "ESP"},
                                                 {51, "AH"},
                                                 {58, "ICMPv6"},
                                                 {60, "IPv6's destination options"}};

constexpr uint32_t HEADER_BYTES = 4;
constexpr int8_t PROTOCOL_AT = 1;
constexpr uint32_t BASE_BYTES = 2 * HEADER_BYTES;
constexpr uint8_t VERSION_AND_GNS = 0x2f;
constexpr uint8_t INBAND_FLAG = 0x04;
constexpr uint8_t FURTHER_HEADER_FLAGS = 0x11;
constexpr uint8_t REQUEST_EVERYTHING = 0xff;

constexpr uint32_t MAX_SWITCH_ID = (1 << 20) - 1;
constexpr uint32_t MAX_PORT_ID = 0xffff;
constexpr uint64_t MAX_CELLS = 0xffff;
constexpr uint32_t SECONDS_MASK = (1 << 20) - 1;
constexpr uint64_t NS_PER_SECOND = 1000000000;
constexpr uint64_t TIME_MODULUS = (SECONDS_MASK + 1) * NS_PER_SECOND;
constexpr uint64_t TX_BYTES_MODULUS = uint64_t{1} << 32;

constexpr uint64_t GBPS = 1000000000;
constexpr std::array<uint64_t, 7>
    SPEEDS{10 * GBPS, 25 * GBPS, 40 * GBPS, 50 * GBPS, 100 * GBPS, 200 * GBPS, 400 * GBPS};
constexpr uint32_t OTHER_SPEED = 15;
constexpr double LOAD_UNITS = 1e6;

uint32_t
SpeedCode(uint64_t bandwidthBps)
{
    auto found = std::find(SPEEDS.begin(), SPEEDS.end(), bandwidthBps);
    return found == SPEEDS.end() ? OTHER_SPEED : static_cast<uint32_t>(found - SPEEDS.begin());
}

} // namespace

TypeId
IfaFormat::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<IfaFormat, StackedTelemetryFormat>("ns3::IfaFormat")
            .Attribute("Protocol",
                       "IP protocol number that marks IFA, not that of another protocol. None is "
                       "assigned; all nodes of an IFA zone must use the same one.",
                       HpccProperty(&IfaFormat::SetProtocol,
                                    &IfaFormat::GetProtocol,
                                    EXPERIMENTAL_PROTOCOL,
                                    1))
            .Attribute("HopLimit",
                       "Hop Limit set by the source: maximum number of records that hops may "
                       "insert. 0: none. A frame has room for at most 10.",
                       HpccField(&IfaFormat::m_hopLimit, MAX_TELEMETRY_WORDS / RECORD_WORDS))
            .Attribute(
                "MaxLength",
                "Max Length of the metadata stack, in words of 4 bytes; a record has 8 words.",
                HpccField(&IfaFormat::m_maxLength, 255, RECORD_WORDS))
            .Attribute("Lns",
                       "Number of the local name space (LNS) whose records have the layout of the "
                       "draft's figure 1. None is published.",
                       HpccField(&IfaFormat::m_lns, 0, 0, 15))
            .Attribute("CellBytes",
                       "Unit of queue lengths in records, bytes; a property of the switching chip.",
                       HpccField(&IfaFormat::m_cellBytes, 256, 1, 65536))
            .Presets("ifa");
    return tid;
}

IfaFormat::IfaFormat()
{
    SetRecordWords(RECORD_WORDS);
    m_capabilities.fields = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID | TELEMETRY_TIMESTAMP |
                            TELEMETRY_TX_BYTES | TELEMETRY_QUEUE | TELEMETRY_BANDWIDTH |
                            TELEMETRY_HOP_LATENCY;
    m_capabilities.timestampModulus = TIME_MODULUS;
    m_capabilities.txBytesModulus = TX_BYTES_MODULUS;
    m_marking.leadBytes = HEADER_BYTES;
    m_marking.protocolAt = PROTOCOL_AT;
    m_marking.inUdpLength = false;
}

void
IfaFormat::SetProtocol(uint8_t protocol)
{
    m_marking.protocol = protocol;
}

uint8_t
IfaFormat::GetProtocol() const
{
    return static_cast<uint8_t>(m_marking.protocol);
}

uint8_t
IfaFormat::GetReflectionId() const
{
    return REFLECTION_ID;
}

std::string
IfaFormat::Validate(const TelemetryNetwork& network) const
{
    std::ostringstream why;
    const double wrapNs = TX_BYTES_MODULUS * 8e9 / static_cast<double>(network.fastestBps);
    const auto* const foreign = std::find_if(
        std::begin(FOREIGN_PROTOCOLS),
        std::end(FOREIGN_PROTOCOLS),
        [this](const ForeignProtocol& other) { return other.number == GetProtocol(); });
    if (foreign != std::end(FOREIGN_PROTOCOLS))
    {
        why << "Protocol is " << +GetProtocol() << ", the number of " << foreign->owner
            << "; allowed are numbers of no other protocol: 253 is for experiments";
    }
    else if (network.largestSwitchId > MAX_SWITCH_ID)
    {
        why << "switch id " << network.largestSwitchId << " does not fit its 20 bits, up to "
            << MAX_SWITCH_ID;
    }
    else if (network.largestPortId > MAX_PORT_ID)
    {
        why << "port id " << network.largestPortId << " does not fit its 16 bits, up to "
            << MAX_PORT_ID;
    }
    else if (wrapNs <= static_cast<double>(network.baseRttNs))
    {
        why << "its sent-bytes field of 32 bits wraps in " << wrapNs / 1e6 << " ms at "
            << static_cast<double>(network.fastestBps) / 1e9
            << " Gb/s; T must be below this time, but is "
            << static_cast<double>(network.baseRttNs) / 1e6 << " ms";
    }
    return why.str();
}

StackedTelemetryFormat::QueueField
IfaFormat::GetQueueField() const
{
    return {6, MAX_CELLS};
}

void
IfaFormat::DoOpen(TelemetryStack& stack) const
{
    stack.remainingHops = m_hopLimit;
}

int32_t
IfaFormat::Insert(TelemetryStack& stack, const HopSnapshot& hop, uint32_t roomBytes) const
{
    const uint32_t words = (stack.hops + 1) * RECORD_WORDS;
    if (stack.remainingHops == 0 || words > m_maxLength || words > MAX_TELEMETRY_WORDS ||
        roomBytes < GetHopBytes() || hop.switchId > MAX_SWITCH_ID || hop.egressPort > MAX_PORT_ID ||
        hop.ingressPort > MAX_PORT_ID)
    {
        return Skip(stack, TELEMETRY_NO_FLAG);
    }
    const uint64_t received =
        (hop.timestampNs % TIME_MODULUS + TIME_MODULUS - hop.hopLatencyNs) % TIME_MODULUS;
    const uint64_t cells =
        hop.queueBytes / m_cellBytes + (hop.queueBytes % m_cellBytes != 0 ? 1 : 0);
    uint32_t* word = Push(stack);
    word[0] = static_cast<uint32_t>(m_lns) << 28 | hop.switchId << 8 | hop.ttl;
    word[1] = SpeedCode(hop.bandwidthBps) << 28 | (hop.ecn & 0x3U) << 26 |
              (hop.queueId & 0x3fU) << 20 | static_cast<uint32_t>(received / NS_PER_SECOND);
    word[2] = hop.egressPort << 16 | hop.ingressPort;
    word[3] = static_cast<uint32_t>(received % NS_PER_SECOND);
    word[4] = hop.hopLatencyNs;
    word[5] = static_cast<uint32_t>(hop.txBytes);
    word[6] = static_cast<uint32_t>(std::min(cells, MAX_CELLS));
    word[7] = 0;
    return static_cast<int32_t>(GetHopBytes());
}

HopTelemetry
IfaFormat::Read(const TelemetryStack& stack, uint32_t index) const
{
    const uint32_t* word = RecordOf(stack, index);
    HopTelemetry hop{};
    hop.portId = index;
    if (word[0] >> 28 != m_lns)
    {
        return hop;
    }
    hop.switchId = word[0] >> 8 & MAX_SWITCH_ID;
    if (word[7] != 0)
    {
        hop.load = (word[7] - 1) / LOAD_UNITS;
        hop.fields = TELEMETRY_SWITCH_ID | TELEMETRY_LOAD;
        return hop;
    }
    hop.fields = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID | TELEMETRY_TX_BYTES | TELEMETRY_QUEUE |
                 TELEMETRY_HOP_LATENCY;
    hop.portId = word[2] >> 16;
    hop.hopLatencyNs = word[4];
    hop.txBytes = word[5];
    hop.queueBytes = (word[6] & MAX_CELLS) * m_cellBytes;
    const uint64_t egress = (word[1] & SECONDS_MASK) * NS_PER_SECOND + word[3] + word[4];
    Set(hop, hop.timestampNs, egress % TIME_MODULUS, TELEMETRY_TIMESTAMP, word[3] < NS_PER_SECOND);
    const uint32_t speed = word[1] >> 28;
    const bool known = speed < SPEEDS.size();
    Set(hop, hop.bandwidthBps, known ? SPEEDS[speed] : 0, TELEMETRY_BANDWIDTH, known);
    return hop;
}

bool
IfaFormat::CarriesLoad() const
{
    return true;
}

void
IfaFormat::AppendLoad(TelemetryStack& stack, double load, uint32_t tag) const
{
    uint32_t* word = Push(stack);
    std::fill_n(word, RECORD_WORDS, 0);
    word[0] = static_cast<uint32_t>(m_lns) << 28 | (tag & MAX_SWITCH_ID) << 8;
    word[1] = OTHER_SPEED << 28;
    word[7] = static_cast<uint32_t>(std::min(load * LOAD_UNITS + 1.5, UINT32_MAX + 0.0));
}

uint32_t
IfaFormat::GetBaseBytes() const
{
    return BASE_BYTES;
}

uint32_t
IfaFormat::GetHopBytes() const
{
    return GetRecordBytes();
}

void
IfaFormat::Serialize(const TelemetryStack& stack, uint8_t* out) const
{
    out[0] = VERSION_AND_GNS;
    out[PROTOCOL_AT] = stack.originalProtocol;
    out[2] = INBAND_FLAG;
    out[3] = m_maxLength;
    out[4] = REQUEST_EVERYTHING;
    out[5] = 0;
    out[6] = stack.remainingHops;
    out[7] = static_cast<uint8_t>(stack.hops * RECORD_WORDS);
    SerializeRecords(stack, out + BASE_BYTES);
}

size_t
IfaFormat::Deserialize(const uint8_t* in, size_t size, TelemetryStack& stack) const
{
    if (size < BASE_BYTES || in[0] != VERSION_AND_GNS || in[2] & FURTHER_HEADER_FLAGS ||
        in[3] != m_maxLength || in[7] > m_maxLength)
    {
        return 0;
    }
    const uint8_t hops = in[7] / RECORD_WORDS;
    const size_t stackBytes = 4U * in[7];
    if (DeserializeRecords(in + BASE_BYTES, size - BASE_BYTES, hops, stack) != stackBytes)
    {
        return 0;
    }
    stack.remainingHops = in[6];
    stack.originalProtocol = in[PROTOCOL_AT];
    return BASE_BYTES + stackBytes;
}

} // namespace ns3
