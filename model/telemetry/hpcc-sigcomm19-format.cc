/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-sigcomm19-format.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>
#include <iterator>
#include <set>
#include <sstream>

namespace ns3
{

using namespace boost::endian;

NS_OBJECT_ENSURE_REGISTERED(Sigcomm19Format);

namespace
{

constexpr uint16_t ROCE_PORT = 4791;
constexpr uint16_t DEFAULT_PORT = 61465;
constexpr uint32_t PATH_BYTES = 2;
constexpr uint32_t RECORD_BYTES = 8;
constexpr uint32_t MAX_SKIPPED = 255;
constexpr uint32_t TX_UNIT_BYTES = 128;
constexpr uint32_t QUEUE_UNIT_BYTES = 80;
constexpr uint64_t TIMESTAMP_MASK = (1 << 24) - 1;
constexpr uint64_t TX_MASK = (1 << 20) - 1;
constexpr uint16_t PATH_MASK = (1 << 12) - 1;
constexpr uint64_t GBPS = 1000000000;
constexpr uint64_t LOAD_MASK = 0xffffffff;
constexpr double LOAD_UNITS = 1e6;

uint64_t
GetRecord(const TelemetryStack& stack, uint32_t index)
{
    return static_cast<uint64_t>(stack.words[2 * index]) << 32 | stack.words[2 * index + 1];
}

void
SetRecord(TelemetryStack& stack, uint32_t index, uint64_t record)
{
    stack.words[2 * index] = record >> 32;
    stack.words[2 * index + 1] = record & 0xffffffff;
}

} // namespace

/// Positions of the fields of a 64-bit record, and codes of the line rate.
struct Sigcomm19Format::Layout
{
    uint8_t rateShift;
    uint8_t timestampShift;
    uint8_t txShift;
    uint8_t queueShift;
    uint32_t queueMask;
    uint32_t maxHopCount;
    uint8_t unknownRate;
    uint8_t rates;
    std::array<uint16_t, 11> rateGbps;

    /**
     * Returns the code of a line rate in the table, or `rates` if the table does not contain the
     * line rate.
     * @param bps the line rate, bit/s
     */
    uint64_t CodeOf(uint64_t bps) const
    {
        uint64_t code = 0;
        while (code < rates && rateGbps[code] * GBPS != bps)
        {
            ++code;
        }
        return code;
    }

    /// Returns true if the first code after the codes of the table marks a record that contains a
    /// load instead of the state of a hop.
    bool HasLoadCode() const
    {
        return unknownRate > rates;
    }

    /// Returns the number of spare codes for other line rates.
    size_t SpareCodes() const
    {
        return unknownRate + 1 - rates - (HasLoadCode() ? 1 : 0);
    }
};

const Sigcomm19Format::Layout Sigcomm19Format::PAPER =
    {60, 36, 16, 0, 0xffff, 15, 15, 11, {10, 25, 40, 50, 100, 200, 400, 800, 1, 1600, 3200}};

const Sigcomm19Format::Layout Sigcomm19Format::AUTHORS =
    {0, 3, 27, 47, 0x1ffff, 0xffff, 7, 7, {25, 50, 100, 200, 400, 10, 800}};

TypeId
Sigcomm19Format::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<Sigcomm19Format, TelemetryFormat>("ns3::Sigcomm19Format")
            .Attribute("UdpPort",
                       "UDP destination port that marks packets of this format.",
                       HpccProperty(&Sigcomm19Format::SetUdpPort,
                                    &Sigcomm19Format::GetUdpPort,
                                    DEFAULT_PORT,
                                    1))
            .Attribute("SimulatorLayout",
                       "Whether records have the layout of the authors' simulator. False: that of "
                       "the paper.",
                       HpccProperty(&Sigcomm19Format::SetSimulatorLayout,
                                    &Sigcomm19Format::HasSimulatorLayout,
                                    false))
            .Attribute(
                "UnitMultiplier",
                "Multiplier of the units in records: sent bytes in units of 128 bytes and queue in "
                "units of 80 bytes, each times this (INT_MULTI in the authors' simulator).",
                HpccProperty(&Sigcomm19Format::SetUnitMultiplier,
                             &Sigcomm19Format::GetUnitMultiplier,
                             1,
                             1,
                             4096))
            .Presets("sigcomm19;sigcomm19:authors=SimulatorLayout:true,UdpPort:61466");
    return tid;
}

Sigcomm19Format::Sigcomm19Format()
    : m_layout(&PAPER)
{
    UpdateCapabilities();
}

void
Sigcomm19Format::SetSimulatorLayout(bool simulator)
{
    m_layout = simulator ? &AUTHORS : &PAPER;
    UpdateCapabilities();
}

bool
Sigcomm19Format::HasSimulatorLayout() const
{
    return m_layout == &AUTHORS;
}

void
Sigcomm19Format::SetUnitMultiplier(uint32_t multiplier)
{
    m_multiplier = multiplier;
    UpdateCapabilities();
}

uint32_t
Sigcomm19Format::GetUnitMultiplier() const
{
    return m_multiplier;
}

void
Sigcomm19Format::UpdateCapabilities()
{
    m_capabilities.fields =
        TELEMETRY_TIMESTAMP | TELEMETRY_TX_BYTES | TELEMETRY_QUEUE | TELEMETRY_BANDWIDTH;
    m_capabilities.timestampModulus = TIMESTAMP_MASK + 1;
    m_capabilities.txBytesModulus = (TX_MASK + 1) * TX_UNIT_BYTES * m_multiplier;
    m_capabilities.pathIdentified = !HasSimulatorLayout();
}

uint8_t
Sigcomm19Format::GetReflectionId() const
{
    return HasSimulatorLayout() ? 2 : 1;
}

std::string
Sigcomm19Format::Validate(const TelemetryNetwork& network) const
{
    const auto baseRttNs = static_cast<double>(network.baseRttNs);
    const double wrapNs = static_cast<double>(m_capabilities.txBytesModulus) * 8e9 /
                          static_cast<double>(network.fastestBps);
    std::ostringstream why;
    if (network.baseRttNs > static_cast<int64_t>(m_capabilities.timestampModulus / 2))
    {
        why << "T is " << baseRttNs / 1e6 << " ms, but its 24-bit timestamps allow at most "
            << static_cast<double>(m_capabilities.timestampModulus / 2) / 1e6 << " ms";
    }
    else if (const auto others = OtherRates(network); others.size() > m_layout->SpareCodes())
    {
        const char* comma = "";
        why << "its code of the line rate stands for ";
        for (uint8_t code = 0; code < m_layout->rates; ++code)
        {
            why << m_layout->rateGbps[code] << ", ";
        }
        why << "and " << m_layout->SpareCodes() << " other Gb/s; the network has ";
        for (const uint64_t bps : others)
        {
            why << comma << static_cast<double>(bps) / 1e9;
            comma = ", ";
        }
        why << " Gb/s";
    }
    else if (baseRttNs >= wrapNs)
    {
        why << "its sent-bytes field of 20 bits wraps in " << wrapNs / 1e6 << " ms at "
            << static_cast<double>(network.fastestBps) / 1e9
            << " Gb/s; T must be below this time, but is " << baseRttNs / 1e6
            << " ms; increase UnitMultiplier";
    }
    return why.str();
}

void
Sigcomm19Format::Learn(const TelemetryNetwork& network)
{
    m_otherRates = OtherRates(network);
}

std::vector<uint64_t>
Sigcomm19Format::OtherRates(const TelemetryNetwork& network) const
{
    std::set<uint64_t> others;
    for (const auto& port : network.ports)
    {
        if (!network.classBandwidths && m_layout->CodeOf(port.rateBps) == m_layout->rates)
        {
            others.insert(port.rateBps);
        }
    }
    return {others.begin(), others.end()};
}

uint64_t
Sigcomm19Format::EncodeRate(uint64_t bps) const
{
    const uint64_t code = m_layout->CodeOf(bps);
    if (code < m_layout->rates)
    {
        return code;
    }
    const auto other = std::find(m_otherRates.begin(), m_otherRates.end(), bps);
    return m_layout->unknownRate -
           (other == m_otherRates.end() ? 0 : std::distance(m_otherRates.begin(), other));
}

uint64_t
Sigcomm19Format::DecodeRate(uint64_t code) const
{
    if (code < m_layout->rates)
    {
        return m_layout->rateGbps[code] * GBPS;
    }
    const uint64_t other = m_layout->unknownRate - code;
    return other < m_otherRates.size() ? m_otherRates[other] : 0;
}

void
Sigcomm19Format::DoOpen(TelemetryStack& stack) const
{
    stack.remainingHops = MAX_HOPS;
}

int32_t
Sigcomm19Format::Insert(TelemetryStack& stack, const HopSnapshot& hop, uint32_t) const
{
    if (m_capabilities.pathIdentified)
    {
        stack.pathId ^= hop.switchId & PATH_MASK;
    }
    if (stack.hops == MAX_HOPS)
    {
        stack.flags |= TELEMETRY_HOPS_EXCEEDED;
        stack.skippedHops = std::min<uint32_t>(stack.skippedHops + 1, MAX_SKIPPED);
        return NOT_INSERTED;
    }
    uint64_t txUnits = hop.txBytes / TX_UNIT_BYTES;
    uint64_t queueUnits = hop.queueBytes / QUEUE_UNIT_BYTES;
    if (m_multiplier != 1)
    {
        txUnits /= m_multiplier;
        queueUnits /= m_multiplier;
    }
    uint64_t record = EncodeRate(hop.bandwidthBps) << m_layout->rateShift |
                      (hop.timestampNs & TIMESTAMP_MASK) << m_layout->timestampShift |
                      (txUnits & TX_MASK) << m_layout->txShift |
                      std::min<uint64_t>(queueUnits, m_layout->queueMask) << m_layout->queueShift;
    SetRecord(stack, stack.hops, record);
    ++stack.hops;
    --stack.remainingHops;
    return 0;
}

bool
Sigcomm19Format::CarriesLoad() const
{
    return m_layout->HasLoadCode();
}

void
Sigcomm19Format::Truncate(TelemetryStack& stack, uint32_t hops) const
{
    stack.hops = static_cast<uint8_t>(hops);
    stack.remainingHops = static_cast<uint8_t>(MAX_HOPS - hops);
    if (hops < MAX_HOPS)
    {
        stack.skippedHops = 0;
        stack.flags &= ~TELEMETRY_HOPS_EXCEEDED;
    }
}

void
Sigcomm19Format::AppendLoad(TelemetryStack& stack, double load, uint32_t tag) const
{
    const auto ppm = static_cast<uint64_t>(std::min(load * LOAD_UNITS + 0.5, LOAD_MASK + 0.0));
    SetRecord(stack,
              stack.hops,
              static_cast<uint64_t>(m_layout->rates) << m_layout->rateShift | ppm);
    ++stack.hops;
    --stack.remainingHops;
    stack.pathId = (stack.pathId ^ tag) * 0x9e3779b1U >> 20 & PATH_MASK;
}

HopTelemetry
Sigcomm19Format::Read(const TelemetryStack& stack, uint32_t index) const
{
    uint64_t record = GetRecord(stack, index);
    HopTelemetry hop{};
    const uint64_t code = record >> m_layout->rateShift & m_layout->unknownRate;
    if (m_layout->HasLoadCode() && code == m_layout->rates)
    {
        hop.load = static_cast<double>(record & LOAD_MASK) / LOAD_UNITS;
        hop.portId = index;
        hop.fields = TELEMETRY_LOAD;
        return hop;
    }
    hop.timestampNs = record >> m_layout->timestampShift & TIMESTAMP_MASK;
    hop.txBytes = (record >> m_layout->txShift & TX_MASK) * TX_UNIT_BYTES * m_multiplier;
    hop.queueBytes =
        (record >> m_layout->queueShift & m_layout->queueMask) * QUEUE_UNIT_BYTES * m_multiplier;
    hop.portId = index;
    hop.fields = TELEMETRY_TIMESTAMP | TELEMETRY_TX_BYTES | TELEMETRY_QUEUE;
    hop.bandwidthBps = DecodeRate(code);
    hop.fields |= hop.bandwidthBps > 0 ? TELEMETRY_BANDWIDTH : 0;
    return hop;
}

uint32_t
Sigcomm19Format::GetBaseBytes() const
{
    return BYTES;
}

uint32_t
Sigcomm19Format::GetHopBytes() const
{
    return 0;
}

uint32_t
Sigcomm19Format::GetReflectedBytes(const TelemetryStack&) const
{
    return BYTES;
}

void
Sigcomm19Format::Serialize(const TelemetryStack& stack, uint8_t* out) const
{
    bool simulator = HasSimulatorLayout();
    uint32_t hopCount = stack.hops;
    if (stack.hops == MAX_HOPS && stack.flags & TELEMETRY_HOPS_EXCEEDED)
    {
        hopCount =
            std::min(MAX_HOPS + std::max<uint32_t>(stack.skippedHops, 1), m_layout->maxHopCount);
    }
    std::fill(out, out + BYTES, 0);
    if (simulator)
    {
        store_little_u16(out + BYTES - PATH_BYTES, hopCount);
    }
    else
    {
        store_big_u16(out, hopCount << 12 | (stack.pathId & PATH_MASK));
        out += PATH_BYTES;
    }
    for (uint32_t index = 0; index < stack.hops; ++index)
    {
        uint8_t* record = out + RECORD_BYTES * index;
        simulator ? store_little_u64(record, GetRecord(stack, index))
                  : store_big_u64(record, GetRecord(stack, index));
    }
}

size_t
Sigcomm19Format::Deserialize(const uint8_t* in, size_t size, TelemetryStack& stack) const
{
    if (size < BYTES)
    {
        return 0;
    }
    bool simulator = HasSimulatorLayout();
    uint32_t hopCount = simulator ? load_little_u16(in + BYTES - PATH_BYTES) : in[0] >> 4;
    if (hopCount > MAX_HOPS + MAX_SKIPPED)
    {
        return 0;
    }
    Open(stack, {ROCE_PORT, 17, 0});
    stack.hops = std::min(hopCount, MAX_HOPS);
    stack.remainingHops = MAX_HOPS - stack.hops;
    stack.skippedHops = hopCount - stack.hops;
    stack.flags = stack.skippedHops ? TELEMETRY_HOPS_EXCEEDED : 0;
    if (!simulator)
    {
        stack.pathId = load_big_u16(in) & PATH_MASK;
        in += PATH_BYTES;
    }
    for (uint32_t index = 0; index < stack.hops; ++index)
    {
        const uint8_t* record = in + RECORD_BYTES * index;
        SetRecord(stack, index, simulator ? load_little_u64(record) : load_big_u64(record));
    }
    return BYTES;
}

void
Sigcomm19Format::SerializeRecords(const TelemetryStack& stack, uint8_t* out) const
{
    Serialize(stack, out);
}

size_t
Sigcomm19Format::DeserializeRecords(const uint8_t* in,
                                    size_t size,
                                    uint8_t hops,
                                    TelemetryStack& stack) const
{
    TelemetryStack read;
    if (Deserialize(in, size, read) == 0 || read.hops != hops)
    {
        return 0;
    }
    stack = read;
    return BYTES;
}

} // namespace ns3
