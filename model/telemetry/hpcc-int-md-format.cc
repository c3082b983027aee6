/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-int-md-format.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-type-id.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <string>

namespace ns3
{

using namespace boost::endian;

NS_OBJECT_ENSURE_REGISTERED(IntMdFormat);

namespace
{

constexpr uint16_t DEFAULT_PORT = 0x4568;
constexpr uint8_t DEFAULT_DSCP = 0x17;
constexpr uint8_t FIRST_REFLECTION_ID = 16;

constexpr uint32_t SHIM_BYTES = 4;
constexpr uint32_t HEADER_WORDS = 3;
constexpr uint32_t BASE_BYTES = SHIM_BYTES + 4 * HEADER_WORDS;
constexpr uint8_t SHIM_TYPE_MD = 1;
constexpr uint8_t SHIM_NPT_NONE = 0;
constexpr uint8_t SHIM_NPT_UDP_PORT = 1;

constexpr uint16_t SUBSCRIBED_FLAG = 0x8000;

constexpr uint32_t VERSION = 2;
constexpr uint32_t DISCARD_BIT = 1 << 27;
constexpr uint32_t HOPS_EXCEEDED_BIT = 1 << 26;
constexpr uint32_t MTU_EXCEEDED_BIT = 1 << 25;

constexpr uint16_t ALWAYS_INSTRUCTIONS = 0xd100;
constexpr uint16_t HOP_LATENCY_INSTRUCTION = 0x2000;
constexpr uint16_t EGRESS_TIMESTAMP_INSTRUCTION = 0x0400;

constexpr uint32_t NOT_AVAILABLE = 0xffffffff;
constexpr uint32_t NO_PORT = 0xffff;
constexpr uint32_t NO_OCCUPANCY = 0xffffff;
constexpr uint32_t LINE_RATE_PPM = 1000000;

/// @return the upper 6 bits of the shim
uint8_t
ShimTypeAndNpt(bool udpPort)
{
    return SHIM_TYPE_MD << 2 | (udpPort ? SHIM_NPT_UDP_PORT : SHIM_NPT_NONE);
}

uint32_t
PortOnWire(uint32_t port)
{
    return std::min(port, NO_PORT);
}

} // namespace

TypeId
IntMdFormat::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<IntMdFormat, StackedTelemetryFormat>("ns3::IntMdFormat")
            .Attribute(
                "Marking",
                "Mark of packets with INT: UdpPort, the UDP destination port; or Dscp, the DSCP.",
                HpccProperty(&IntMdFormat::SetMarkedBy,
                             &IntMdFormat::GetMarkedBy,
                             IntMdFormat::UDP_PORT,
                             IntMdFormat::UDP_PORT,
                             "UdpPort",
                             IntMdFormat::DSCP,
                             "Dscp"))
            .Attribute("UdpPort",
                       "With Marking=UdpPort: UDP destination port that marks INT. None is "
                       "assigned; all nodes of an INT domain must use the same one.",
                       HpccProperty(&IntMdFormat::SetPort, &IntMdFormat::GetPort, DEFAULT_PORT, 1))
            .Attribute(
                "Dscp",
                "With Marking=Dscp: DSCP that marks INT. It must be used by nothing else and map "
                "to the priority of the hosts' data at every port.",
                HpccProperty(&IntMdFormat::SetDscp, &IntMdFormat::GetDscp, DEFAULT_DSCP, 0, 63))
            .Attribute("EgressTimestamp",
                       "Whether records contain the egress timestamp, ns (instruction bit 5).",
                       HpccProperty(&IntMdFormat::SetEgressTimestamp,
                                    &IntMdFormat::GetEgressTimestamp,
                                    true))
            .Attribute(
                "HopLatency",
                "Whether records contain the time spent in the switch, ns (instruction bit 2).",
                HpccProperty(&IntMdFormat::SetHopLatency, &IntMdFormat::GetHopLatency, false))
            .Attribute(
                "RemainingHops",
                "Remaining Hop Count set by the source. 0: as many as fit a frame, the upper "
                "limit: 13 by default, 16 without timestamp, 11 with it and HopLatency.",
                HpccProperty(&IntMdFormat::SetRemainingHops,
                             &IntMdFormat::GetRemainingHops,
                             0,
                             0,
                             MAX_TELEMETRY_HOPS))
            .Presets("int-md;int-md:dscp=Marking:Dscp;int-md:latency=HopLatency:true;"
                     "int-md-no-ts=EgressTimestamp:false");
    return tid;
}

IntMdFormat::IntMdFormat()
    : m_port(DEFAULT_PORT),
      m_dscp(DEFAULT_DSCP)
{
    Configure();
}

void
IntMdFormat::SetMarkedBy(MarkedBy markedBy)
{
    m_markedBy = markedBy;
    Configure();
}

IntMdFormat::MarkedBy
IntMdFormat::GetMarkedBy() const
{
    return m_markedBy;
}

void
IntMdFormat::SetPort(uint16_t port)
{
    m_port = port;
    Configure();
}

uint16_t
IntMdFormat::GetPort() const
{
    return m_port;
}

void
IntMdFormat::SetDscp(uint8_t dscp)
{
    m_dscp = dscp;
    Configure();
}

uint8_t
IntMdFormat::GetDscp() const
{
    return m_dscp;
}

void
IntMdFormat::SetEgressTimestamp(bool enable)
{
    m_egressTimestamp = enable;
    Configure();
}

bool
IntMdFormat::GetEgressTimestamp() const
{
    return m_egressTimestamp;
}

void
IntMdFormat::SetHopLatency(bool enable)
{
    m_hopLatency = enable;
    Configure();
}

bool
IntMdFormat::GetHopLatency() const
{
    return m_hopLatency;
}

void
IntMdFormat::SetRemainingHops(uint8_t hops)
{
    m_remainingHops = hops;
    Configure();
}

uint8_t
IntMdFormat::GetRemainingHops() const
{
    return m_remainingHops;
}

void
IntMdFormat::Configure()
{
    m_marking.udpPort = m_markedBy == UDP_PORT ? m_port : 0;
    m_marking.dscp = static_cast<int8_t>(m_markedBy == DSCP ? m_dscp : -1);
    SetRecordWords(4 + (m_hopLatency ? 1 : 0) + (m_egressTimestamp ? 2 : 0));
    m_capabilities.fields = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID | TELEMETRY_QUEUE |
                            TELEMETRY_UTILIZATION | (m_hopLatency ? TELEMETRY_HOP_LATENCY : 0) |
                            (m_egressTimestamp ? TELEMETRY_TIMESTAMP : 0);
    if (m_remainingHops > GetMaxHops())
    {
        throw HpccInputError("ns3::IntMdFormat: RemainingHops is " +
                             std::to_string(m_remainingHops) + ", but a frame has room for " +
                             std::to_string(GetMaxHops()) + " records of " +
                             std::to_string(GetHopBytes()) + " bytes");
    }
}

uint16_t
IntMdFormat::GetInstructionBitmap() const
{
    return ALWAYS_INSTRUCTIONS | (m_hopLatency ? HOP_LATENCY_INSTRUCTION : 0) |
           (m_egressTimestamp ? EGRESS_TIMESTAMP_INSTRUCTION : 0);
}

uint8_t
IntMdFormat::GetReflectionId() const
{
    return FIRST_REFLECTION_ID + (m_egressTimestamp ? 0 : 1) + (m_hopLatency ? 2 : 0);
}

StackedTelemetryFormat::QueueField
IntMdFormat::GetQueueField() const
{
    return {m_hopLatency ? 3U : 2U, NO_OCCUPANCY};
}

void
IntMdFormat::DoOpen(TelemetryStack& stack) const
{
    stack.remainingHops = m_remainingHops ? m_remainingHops : GetMaxHops();
}

int32_t
IntMdFormat::Insert(TelemetryStack& stack, const HopSnapshot& hop, uint32_t roomBytes) const
{
    if (stack.remainingHops == 0 || roomBytes < GetHopBytes())
    {
        return Skip(stack,
                    stack.remainingHops == 0 ? TELEMETRY_HOPS_EXCEEDED : TELEMETRY_MTU_EXCEEDED);
    }
    uint32_t* word = Push(stack);
    *word++ = hop.switchId;
    *word++ = PortOnWire(hop.ingressPort) << 16 | PortOnWire(hop.egressPort);
    if (m_hopLatency)
    {
        *word++ = hop.hopLatencyNs;
    }
    *word++ = static_cast<uint32_t>(hop.queueId) << 24 |
              static_cast<uint32_t>(std::min<uint64_t>(hop.queueBytes, NO_OCCUPANCY - 1));
    if (m_egressTimestamp)
    {
        *word++ = hop.timestampNs >> 32;
        *word++ = hop.timestampNs & 0xffffffff;
    }
    *word = hop.utilizationPpm;
    return static_cast<int32_t>(GetHopBytes());
}

HopTelemetry
IntMdFormat::Read(const TelemetryStack& stack, uint32_t index) const
{
    const uint32_t* word = RecordOf(stack, index);
    HopTelemetry hop{};
    hop.portId = index;
    Set(hop, hop.switchId, word[0], TELEMETRY_SWITCH_ID, word[0] != NOT_AVAILABLE);
    uint32_t port = word[1] & 0xffff;
    Set(hop, hop.portId, port, TELEMETRY_PORT_ID, port != NO_PORT);
    word += 2;
    if (m_hopLatency)
    {
        Set(hop, hop.hopLatencyNs, *word, TELEMETRY_HOP_LATENCY, *word != NOT_AVAILABLE);
        ++word;
    }
    uint32_t occupancy = *word++ & 0xffffff;
    Set(hop, hop.queueBytes, occupancy, TELEMETRY_QUEUE, occupancy != NO_OCCUPANCY);
    if (m_egressTimestamp)
    {
        uint64_t timestamp = static_cast<uint64_t>(word[0]) << 32 | word[1];
        Set(hop, hop.timestampNs, timestamp, TELEMETRY_TIMESTAMP, timestamp != UINT64_MAX);
        word += 2;
    }
    if (!(hop.fields & (TELEMETRY_PORT_ID | TELEMETRY_QUEUE)))
    {
        Set(hop, hop.load, *word / 1e6, TELEMETRY_LOAD, *word != NOT_AVAILABLE);
        return hop;
    }
    Set(hop,
        hop.utilization,
        std::min(*word, LINE_RATE_PPM) / 1e6,
        TELEMETRY_UTILIZATION,
        *word != NOT_AVAILABLE);
    return hop;
}

bool
IntMdFormat::CarriesSubscription() const
{
    return true;
}

bool
IntMdFormat::CarriesLoad() const
{
    return true;
}

void
IntMdFormat::AppendLoad(TelemetryStack& stack, double load, uint32_t tag) const
{
    uint32_t* word = Push(stack);
    std::fill_n(word, GetRecordWords(), NOT_AVAILABLE);
    word[0] = std::min(tag, NOT_AVAILABLE - 1);
    word[GetRecordWords() - 1] =
        static_cast<uint32_t>(std::min(load * 1e6 + 0.5, NOT_AVAILABLE - 1.0));
}

uint32_t
IntMdFormat::GetBaseBytes() const
{
    return BASE_BYTES;
}

uint32_t
IntMdFormat::GetHopBytes() const
{
    return GetRecordBytes();
}

void
IntMdFormat::Serialize(const TelemetryStack& stack, uint8_t* out) const
{
    const bool udpPort = m_markedBy == UDP_PORT;
    out[0] = ShimTypeAndNpt(udpPort) << 2;
    out[1] = HEADER_WORDS + stack.hops * GetRecordWords();
    store_big_u16(out + 2, udpPort ? stack.originalPort : stack.originalDscp << 2);
    uint32_t header = VERSION << 28 | GetRecordWords() << 8 | stack.remainingHops;
    header |= stack.flags & TELEMETRY_HOPS_EXCEEDED ? HOPS_EXCEEDED_BIT : 0;
    header |= stack.flags & TELEMETRY_MTU_EXCEEDED ? MTU_EXCEEDED_BIT : 0;
    store_big_u32(out + 4, header);
    store_big_u16(out + 8, GetInstructionBitmap());
    const bool subscribed = stack.flags & TELEMETRY_SUBSCRIBED;
    store_big_u16(out + 10, subscribed ? DOMAIN_ID : 0);
    store_big_u16(out + 12, 0);
    store_big_u16(out + 14, subscribed ? SUBSCRIBED_FLAG : 0);
    SerializeRecords(stack, out + BASE_BYTES);
}

size_t
IntMdFormat::Deserialize(const uint8_t* in, size_t size, TelemetryStack& stack) const
{
    const bool udpPort = m_markedBy == UDP_PORT;
    if (size < BASE_BYTES || in[0] >> 2 != ShimTypeAndNpt(udpPort) || in[1] < HEADER_WORDS)
    {
        return 0;
    }
    uint32_t header = load_big_u32(in + 4);
    uint16_t instructions = load_big_u16(in + 8);
    uint16_t domain = load_big_u16(in + 10);
    if (header >> 28 != VERSION || header & DISCARD_BIT ||
        (header >> 8 & 0x1f) != GetRecordWords() || instructions != GetInstructionBitmap() ||
        (domain != 0 && domain != DOMAIN_ID))
    {
        return 0;
    }
    uint32_t stackWords = in[1] - HEADER_WORDS;
    uint32_t hops = stackWords / GetRecordWords();
    uint8_t remainingHops = header & 0xff;
    if (hops + remainingHops > GetMaxHops() ||
        DeserializeRecords(in + BASE_BYTES, size - BASE_BYTES, hops, stack) != 4 * stackWords)
    {
        return 0;
    }
    stack.remainingHops = remainingHops;
    stack.flags = (header & HOPS_EXCEEDED_BIT ? TELEMETRY_HOPS_EXCEEDED : 0) |
                  (header & MTU_EXCEEDED_BIT ? TELEMETRY_MTU_EXCEEDED : 0) |
                  (domain && load_big_u16(in + 14) & SUBSCRIBED_FLAG ? TELEMETRY_SUBSCRIBED : 0);
    if (udpPort)
    {
        stack.originalPort = load_big_u16(in + 2);
    }
    else
    {
        stack.originalDscp = in[3] >> 2;
    }
    return BASE_BYTES + 4 * stackWords;
}

} // namespace ns3
