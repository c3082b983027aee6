/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-ioam-trace-format.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-type-id.h"

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>
#include <sstream>
#include <string>

namespace ns3
{

using namespace boost::endian;

NS_OBJECT_ENSURE_REGISTERED(IoamTraceFormat);

namespace
{

constexpr uint8_t FIRST_REFLECTION_ID = 48;

constexpr uint8_t HOP_BY_HOP_HEADER = 0;
constexpr uint8_t PAD_N = 1;
constexpr uint8_t IOAM_OPTION = 0x31;
constexpr uint32_t OPTION_OFFSET = 4;
constexpr uint32_t OPTION_DATA_OFFSET = OPTION_OFFSET + 2;
constexpr uint32_t TRACE_OFFSET = OPTION_DATA_OFFSET + 2;
constexpr uint32_t DATA_OFFSET = TRACE_OFFSET + 8;
constexpr uint32_t MAX_DATA_WORDS = (255 - (DATA_OFFSET - OPTION_DATA_OFFSET)) / 4;
constexpr std::array<uint8_t, 4> PADDING{PAD_N, 2, 0, 0};

constexpr uint16_t OVERFLOW_FLAG = 8 << 7;
constexpr uint16_t LOOPBACK_FLAG = 4 << 7;
constexpr uint16_t ACTIVE_FLAG = 2 << 7;
constexpr uint16_t REMAINING_MASK = 0x7f;

constexpr uint32_t ALWAYS_FIELDS = 0xd20000;
constexpr uint32_t TRANSIT_DELAY_FIELD = 0x080000;
constexpr uint32_t TX_BYTES_FIELD = 0x000800;

constexpr uint32_t NOT_AVAILABLE = 0xffffffff;
constexpr uint32_t NO_NODE = 0xffffff;
constexpr uint32_t NO_INTERFACE = 0xffff;
constexpr double LOAD_UNITS = 1e6;
constexpr uint32_t DELAY_OVERFLOW = 0x80000000;
constexpr uint64_t FRACTION_MODULUS = 1000000000;
constexpr uint64_t TX_BYTES_MODULUS = 1ULL << 32;

/// Returns the size of the hop-by-hop header with @p dataWords words after the trace header, bytes.
constexpr uint32_t
HeaderBytes(uint32_t dataWords)
{
    return (DATA_OFFSET + 4 * dataWords + 7) / 8 * 8;
}

/// Returns the value, limited to the largest value that does not mean "not available".
uint32_t
Available(uint64_t value)
{
    return static_cast<uint32_t>(std::min<uint64_t>(value, NOT_AVAILABLE - 1));
}

} // namespace

TypeId
IoamTraceFormat::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<IoamTraceFormat, StackedTelemetryFormat>("ns3::IoamTraceFormat")
            .Attribute("Incremental",
                       "Whether hops insert their records and the packet grows, which RFC 9486 "
                       "does not define. False: they fill room reserved by the source.",
                       HpccField(&IoamTraceFormat::m_incremental, false))
            .Attribute("NamespaceId",
                       "Namespace-ID of IOAM. 0: the default namespace; 0x0001 to 0x7fff: "
                       "namespaces of the domain.",
                       HpccField(&IoamTraceFormat::m_namespace, 0))
            .Attribute(
                "HopLatency",
                "Whether records contain the time spent in the switch, ns (transit delay, "
                "trace type bit 4).",
                HpccField(&IoamTraceFormat::m_hopLatency, false).Then(&IoamTraceFormat::Configure))
            .Attribute(
                "TxBytes",
                "Whether records contain the counter of sent bytes (trace type bit 12, not in RFC "
                "9197).",
                HpccField(&IoamTraceFormat::m_txBytes, true).Then(&IoamTraceFormat::Configure))
            .Attribute(
                "FigureOrder",
                "Whether records have the queue depth before the timestamp, as in "
                "draft-miao-ccwg-hpcc-info-04, figure 2. False: the order of RFC 9197.",
                HpccField(&IoamTraceFormat::m_figureOrder, false).Then(&IoamTraceFormat::Configure))
            .Attribute("Hops",
                       "Records that the source allows or reserves room for. 0: as many as fit, "
                       "the largest value allowed: 12 by default, 10 with HopLatency.",
                       HpccField(&IoamTraceFormat::m_hops, 0, 0, MAX_TELEMETRY_HOPS)
                           .Then(&IoamTraceFormat::Configure))
            .Presets("ioam;ioam:latency=HopLatency:true;ioam-incremental=Incremental:true");
    return tid;
}

IoamTraceFormat::IoamTraceFormat()
{
    m_marking.position = TelemetryPosition::NETWORK;
    m_marking.protocol = HOP_BY_HOP_HEADER;
    m_marking.ipv6 = true;
    m_capabilities.timestampModulus = FRACTION_MODULUS;
    m_capabilities.txBytesModulus = TX_BYTES_MODULUS;
    Configure();
}

void
IoamTraceFormat::Configure()
{
    uint8_t words = 2;
    m_queueWord = m_figureOrder ? words++ : 0;
    m_fractionWord = words++;
    m_delayWord = m_hopLatency ? words++ : 0;
    m_queueWord = m_figureOrder ? m_queueWord : words++;
    m_txWord = m_txBytes ? words++ : 0;
    SetRecordWords(words, MAX_DATA_WORDS);
    m_capabilities.fields = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID | TELEMETRY_TIMESTAMP |
                            TELEMETRY_QUEUE | (m_hopLatency ? TELEMETRY_HOP_LATENCY : 0) |
                            (m_txBytes ? TELEMETRY_TX_BYTES : 0);
    HPCC_REFUSE_IF(m_hops > GetMaxHops(),
                   "ns3::IoamTraceFormat: Hops is " + std::to_string(m_hops) +
                       ", but an option has room for " + std::to_string(GetMaxHops()) +
                       " records of " + std::to_string(GetRecordBytes()) + " bytes");
}

uint32_t
IoamTraceFormat::GetTraceType() const
{
    return ALWAYS_FIELDS | (m_hopLatency ? TRANSIT_DELAY_FIELD : 0) |
           (m_txBytes ? TX_BYTES_FIELD : 0);
}

uint8_t
IoamTraceFormat::GetReflectionId() const
{
    return FIRST_REFLECTION_ID + (m_hopLatency ? 1 : 0) + (m_figureOrder ? 2 : 0) +
           (m_txBytes ? 0 : 4) + (m_incremental ? 8 : 0);
}

std::string
IoamTraceFormat::Validate(const TelemetryNetwork& network) const
{
    std::ostringstream why;
    auto baseRttNs = static_cast<double>(network.baseRttNs);
    double wrapNs = TX_BYTES_MODULUS * 8e9 / static_cast<double>(network.fastestBps);
    if (network.largestSwitchId >= NO_NODE)
    {
        why << "switch id " << network.largestSwitchId << " does not fit; at most " << NO_NODE - 1;
    }
    else if (network.largestPortId >= NO_INTERFACE)
    {
        why << "port id " << network.largestPortId << " does not fit; at most " << NO_INTERFACE - 1;
    }
    else if (baseRttNs > FRACTION_MODULUS / 2)
    {
        why << "base RTT " << network.baseRttNs << " ns is too long for timestamps that wrap at "
            << FRACTION_MODULUS << " ns; at most " << FRACTION_MODULUS / 2 << " ns";
    }
    else if (m_txBytes && baseRttNs > wrapNs)
    {
        why << "base RTT " << network.baseRttNs << " ns is too long for byte counters that wrap at "
            << TX_BYTES_MODULUS << " bytes at " << network.fastestBps << " bit/s; at most "
            << static_cast<int64_t>(wrapNs) << " ns";
    }
    return why.str();
}

StackedTelemetryFormat::QueueField
IoamTraceFormat::GetQueueField() const
{
    return {m_queueWord, NOT_AVAILABLE};
}

void
IoamTraceFormat::DoOpen(TelemetryStack& stack) const
{
    stack.remainingHops = m_hops ? m_hops : GetMaxHops();
}

int32_t
IoamTraceFormat::Insert(TelemetryStack& stack, const HopSnapshot& hop, uint32_t roomBytes) const
{
    const uint32_t grown =
        m_incremental ? HeaderBytes(GetDataWords(stack.hops + 1, 0)) - GetWireBytes(stack) : 0;
    if (stack.remainingHops == 0 || roomBytes < grown)
    {
        return Skip(stack, TELEMETRY_HOPS_EXCEEDED);
    }
    uint32_t* word = Push(stack);
    word[0] = static_cast<uint32_t>(hop.ttl) << 24 | std::min(hop.switchId, NO_NODE);
    word[1] =
        std::min(hop.ingressPort, NO_INTERFACE) << 16 | std::min(hop.egressPort, NO_INTERFACE);
    word[m_fractionWord] = hop.timestampNs % FRACTION_MODULUS;
    word[m_queueWord] = Available(hop.queueBytes);
    if (m_hopLatency)
    {
        word[m_delayWord] = std::min(hop.hopLatencyNs, DELAY_OVERFLOW);
    }
    if (m_txBytes)
    {
        word[m_txWord] = Available(hop.txBytes % TX_BYTES_MODULUS);
    }
    return static_cast<int32_t>(grown);
}

HopTelemetry
IoamTraceFormat::Read(const TelemetryStack& stack, uint32_t index) const
{
    const uint32_t* word = RecordOf(stack, index);
    HopTelemetry hop{};
    const uint32_t node = word[0] & NO_NODE;
    const uint32_t egress = word[1] & NO_INTERFACE;
    const uint32_t fraction = word[m_fractionWord];
    const uint32_t queue = word[m_queueWord];
    hop.portId = index;
    Set(hop, hop.switchId, node, TELEMETRY_SWITCH_ID, node != NO_NODE);
    if (word[1] == NOT_AVAILABLE && fraction == NOT_AVAILABLE && queue != NOT_AVAILABLE)
    {
        Set(hop, hop.load, queue / LOAD_UNITS, TELEMETRY_LOAD, true);
        return hop;
    }
    Set(hop, hop.portId, egress, TELEMETRY_PORT_ID, egress != NO_INTERFACE);
    Set(hop, hop.timestampNs, fraction, TELEMETRY_TIMESTAMP, fraction < FRACTION_MODULUS);
    Set(hop, hop.queueBytes, queue, TELEMETRY_QUEUE, queue != NOT_AVAILABLE);
    if (m_hopLatency)
    {
        const uint32_t delay = word[m_delayWord];
        Set(hop,
            hop.hopLatencyNs,
            std::min(delay, DELAY_OVERFLOW),
            TELEMETRY_HOP_LATENCY,
            delay != NOT_AVAILABLE);
    }
    if (m_txBytes)
    {
        const uint32_t txBytes = word[m_txWord];
        Set(hop, hop.txBytes, txBytes, TELEMETRY_TX_BYTES, txBytes != NOT_AVAILABLE);
    }
    return hop;
}

bool
IoamTraceFormat::CarriesLoad() const
{
    return true;
}

void
IoamTraceFormat::AppendLoad(TelemetryStack& stack, double load, uint32_t tag) const
{
    uint32_t* word = Push(stack);
    std::fill_n(word, GetRecordWords(), NOT_AVAILABLE);
    word[0] = std::min(tag & NO_NODE, NO_NODE - 1);
    word[m_queueWord] =
        static_cast<uint32_t>(std::min(load * LOAD_UNITS + 0.5, NOT_AVAILABLE - 1.0));
}

uint32_t
IoamTraceFormat::GetDataWords(uint32_t hops, uint32_t remainingHops) const
{
    return (m_incremental ? hops : hops + remainingHops) * GetRecordWords();
}

uint32_t
IoamTraceFormat::GetBaseBytes() const
{
    return HeaderBytes(GetDataWords(0, m_hops ? m_hops : GetMaxHops()));
}

uint32_t
IoamTraceFormat::GetHopBytes() const
{
    return m_incremental ? (GetRecordBytes() + 7) / 8 * 8 : 0;
}

uint32_t
IoamTraceFormat::GetWireBytes(const TelemetryStack& stack) const
{
    return HeaderBytes(GetDataWords(stack.hops, stack.remainingHops));
}

void
IoamTraceFormat::Serialize(const TelemetryStack& stack, uint8_t* out) const
{
    const uint32_t dataWords = GetDataWords(stack.hops, stack.remainingHops);
    const uint32_t bytes = HeaderBytes(dataWords);
    std::fill_n(out, bytes, 0);
    out[0] = stack.originalProtocol;
    out[1] = bytes / 8 - 1;
    out[2] = PAD_N;
    out[OPTION_OFFSET] = IOAM_OPTION;
    out[OPTION_OFFSET + 1] = DATA_OFFSET - OPTION_DATA_OFFSET + 4 * dataWords;
    out[OPTION_DATA_OFFSET + 1] = m_incremental;
    const uint16_t flags = stack.flags & TELEMETRY_HOPS_EXCEEDED ? OVERFLOW_FLAG : 0;
    store_big_u16(out + TRACE_OFFSET, m_namespace);
    store_big_u16(out + TRACE_OFFSET + 2,
                  GetRecordWords() << 11 | flags | stack.remainingHops * GetRecordWords());
    store_big_u32(out + TRACE_OFFSET + 4, GetTraceType() << 8);
    uint8_t* end = out + DATA_OFFSET + 4 * dataWords;
    SerializeRecords(stack, end - GetReflectedBytes(stack));
    std::copy_n(PADDING.begin(), out + bytes - end, end);
}

size_t
IoamTraceFormat::Deserialize(const uint8_t* in, size_t size, TelemetryStack& stack) const
{
    constexpr uint32_t fixedBytes = DATA_OFFSET - OPTION_DATA_OFFSET;
    if (size < DATA_OFFSET || in[2] != PAD_N || in[3] != 0 || in[OPTION_OFFSET] != IOAM_OPTION ||
        in[OPTION_OFFSET + 1] < fixedBytes || (in[OPTION_OFFSET + 1] - fixedBytes) % 4 != 0 ||
        in[OPTION_DATA_OFFSET + 1] != m_incremental)
    {
        return 0;
    }
    const uint32_t dataWords = (in[OPTION_OFFSET + 1] - fixedBytes) / 4;
    const uint32_t bytes = 8 * (in[1] + 1);
    const uint8_t* end = in + DATA_OFFSET + 4 * dataWords;
    if (bytes != HeaderBytes(dataWords) || bytes > size ||
        !std::equal(end, in + bytes, PADDING.begin()))
    {
        return 0;
    }
    const uint16_t lengths = load_big_u16(in + TRACE_OFFSET + 2);
    const uint32_t remainingWords = lengths & REMAINING_MASK;
    if (load_big_u16(in + TRACE_OFFSET) != m_namespace || lengths >> 11 != GetRecordWords() ||
        lengths & (LOOPBACK_FLAG | ACTIVE_FLAG) ||
        load_big_u32(in + TRACE_OFFSET + 4) >> 8 != GetTraceType() ||
        remainingWords % GetRecordWords() != 0 || dataWords % GetRecordWords() != 0 ||
        (!m_incremental && remainingWords > dataWords))
    {
        return 0;
    }
    const uint32_t usedWords = m_incremental ? dataWords : dataWords - remainingWords;
    const uint32_t hops = usedWords / GetRecordWords();
    const uint32_t remainingHops = remainingWords / GetRecordWords();
    if (hops + remainingHops > GetMaxHops() ||
        DeserializeRecords(end - 4 * usedWords, 4 * usedWords, hops, stack) != 4 * usedWords)
    {
        return 0;
    }
    stack.remainingHops = remainingHops;
    stack.flags = lengths & OVERFLOW_FLAG ? TELEMETRY_HOPS_EXCEEDED : 0;
    stack.originalProtocol = in[0];
    return bytes;
}

} // namespace ns3
