/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-csig-format.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <sstream>

namespace ns3
{

using namespace boost::endian;

NS_OBJECT_ENSURE_REGISTERED(CsigFormat);

namespace
{

/// An EtherType of another protocol, which must not mark CSIG.
struct ForeignEtherType
{
    uint16_t number;
    const char* owner;
};

constexpr ForeignEtherType FOREIGN_ETHERTYPES[] = {{0x0800, "IPv4"},
                                                   {0x0806, "ARP"},
                                                   {0x8100, "VLAN tags"},
                                                   {0x86dd, "IPv6"},
                                                   {0x8808, "MAC control"},
                                                   {0x88a8, "VLAN service tags"}};

constexpr uint32_t ETHERTYPE_BYTES = 2;
constexpr double PPM = 1e6;
constexpr double MBPS = 1e6;
constexpr uint64_t GBPS = 1000000000;
constexpr uint32_t MAX_SKIPPED = 255;

/// Line rates by locator code, Gb/s.
constexpr std::array<uint32_t, 11> CAPACITIES{1, 10, 25, 40, 50, 100, 200, 400, 800, 1600, 3200};

uint64_t
TagOf(const TelemetryStack& stack)
{
    return static_cast<uint64_t>(stack.words[0]) << 32 | stack.words[1];
}

void
SetTag(TelemetryStack& stack, uint64_t tag)
{
    stack.words[0] = static_cast<uint32_t>(tag >> 32);
    stack.words[1] = static_cast<uint32_t>(tag);
}

template <typename Field>
uint32_t
Get(uint64_t tag, const Field& field)
{
    return tag >> field.shift & field.Max();
}

template <typename Field>
uint64_t
With(uint64_t tag, const Field& field, uint32_t value)
{
    uint64_t mask = static_cast<uint64_t>(field.Max()) << field.shift;
    return (tag & ~mask) | static_cast<uint64_t>(value) << field.shift;
}

} // namespace

TypeId
CsigFormat::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<CsigFormat, TelemetryFormat>("ns3::CsigFormat")
            .Attribute(
                "BitLayout",
                "Bit layout of the tag: Ietf, that of the IETF draft; or Uec, that of OCP SAI.",
                HpccField(&CsigFormat::m_bitLayout,
                          CsigFormat::IETF,
                          CsigFormat::IETF,
                          "Ietf",
                          CsigFormat::UEC,
                          "Uec"))
            .Attribute("QueueSignal",
                       "Signal that carries the queue delay: NormalizedQueue, qlen/B (type 3); or "
                       "HopDelay, the packet's delay at the hop (type 2).",
                       HpccField(&CsigFormat::m_queueSignal,
                                 CsigFormat::NORMALIZED_QUEUE,
                                 CsigFormat::NORMALIZED_QUEUE,
                                 "NormalizedQueue",
                                 CsigFormat::HOP_DELAY,
                                 "HopDelay")
                           .Then(&CsigFormat::DeriveFields))
            .Attribute("UtilizationSignal",
                       "Signal that carries the utilisation: AvailableShare, ABW/C (type 1); or "
                       "AvailableBandwidth, ABW (type 0).",
                       HpccField(&CsigFormat::m_utilizationSignal,
                                 CsigFormat::AVAILABLE_SHARE,
                                 CsigFormat::AVAILABLE_SHARE,
                                 "AvailableShare",
                                 CsigFormat::AVAILABLE_BANDWIDTH,
                                 "AvailableBandwidth"))
            .Attribute("Locator",
                       "Content of the locator: Capacity, a code of the line rate; Stage, stage "
                       "and direction; Port, egress port; Position, position on the path.",
                       HpccField(&CsigFormat::m_locator,
                                 CsigFormat::CAPACITY,
                                 CsigFormat::CAPACITY,
                                 "Capacity",
                                 CsigFormat::STAGE,
                                 "Stage",
                                 CsigFormat::PORT,
                                 "Port",
                                 CsigFormat::POSITION,
                                 "Position"))
            .Attribute("InitialTtl",
                       "With Locator=Position: TTL with which hosts send, ns3::RdmaHost::Ttl.",
                       HpccField(&CsigFormat::m_initialTtl, 64, 1).OnlyIf("Locator", "Position"));
    return tid;
}

HpccTypeId
CsigFormat::AddEtherType(HpccTypeId tid, uint16_t etherType)
{
    return tid.Attribute(
        "EtherType",
        "EtherType that marks the tag. None is assigned; the default is a placeholder.",
        HpccProperty(&CsigFormat::SetEtherType, &CsigFormat::GetEtherType, etherType, 0x0600));
}

CsigFormat::CsigFormat(const Layout& ietf, const Layout& uec, uint8_t reflectionId)
    : m_layouts{ietf, uec},
      m_reflectionId(reflectionId)
{
    m_marking.position = TelemetryPosition::TAG;
    m_capabilities.fields = TELEMETRY_QUEUE_DELAY | TELEMETRY_UTILIZATION;
    m_capabilities.pathExtreme = true;
}

void
CsigFormat::DeriveFields()
{
    m_capabilities.fields &= ~TELEMETRY_HOP_LATENCY;
    m_capabilities.fields |= m_queueSignal == HOP_DELAY ? TELEMETRY_HOP_LATENCY : 0;
}

void
CsigFormat::SetEtherType(uint16_t etherType)
{
    m_marking.etherType = etherType;
}

uint16_t
CsigFormat::GetEtherType() const
{
    return m_marking.etherType;
}

std::string
CsigFormat::Validate(const TelemetryNetwork& network) const
{
    std::ostringstream why;
    const auto* const foreign = std::find_if(
        std::begin(FOREIGN_ETHERTYPES),
        std::end(FOREIGN_ETHERTYPES),
        [this](const ForeignEtherType& other) { return other.number == m_marking.etherType; });
    if (foreign != std::end(FOREIGN_ETHERTYPES))
    {
        why << "EtherType " << m_marking.etherType << " is used by " << foreign->owner
            << "; allowed are numbers that no protocol in the network has";
    }
    else if (m_utilizationSignal == AVAILABLE_BANDWIDTH && network.classBandwidths)
    {
        why << "UtilizationSignal AvailableBandwidth does not support traffic classes: no locator "
               "represents their rates; allowed is AvailableShare";
    }
    else if (const std::string locator = CheckLocator(network); !locator.empty())
    {
        return locator;
    }
    else
    {
        return CheckSteps(network);
    }
    return why.str();
}

std::string
CsigFormat::CheckLocator(const TelemetryNetwork& network) const
{
    std::ostringstream why;
    const uint32_t nobody = GetLayout().locator.Max();
    const bool needsRate = m_utilizationSignal == AVAILABLE_BANDWIDTH;
    if (m_locator == PORT && network.largestPortId >= nobody)
    {
        why << "Locator Port has room for port " << nobody - 1 << ", the network has port "
            << network.largestPortId << "; allowed are Capacity, Stage and Position";
    }
    else if (m_locator == POSITION &&
             network.switchHops >= std::min<uint32_t>(nobody, m_initialTtl))
    {
        why << "Locator Position has room for " << std::min<uint32_t>(nobody, m_initialTtl) - 1
            << " switches, a path has " << network.switchHops;
    }
    else if (needsRate && (m_locator == PORT || m_locator == POSITION))
    {
        why << "UtilizationSignal AvailableBandwidth needs Locator Capacity or Stage: without the "
               "line rate it reports no utilisation";
    }
    else if (needsRate && m_locator == CAPACITY)
    {
        for (const auto& port : network.ports)
        {
            if (HopSnapshot hop{}; hop.bandwidthBps = port.rateBps, LocatorOf(hop) == nobody)
            {
                why << "UtilizationSignal AvailableBandwidth: no locator code exists for the line "
                       "rate of port "
                    << port.portId << " of switch " << port.switchId << ", " << port.rateBps
                    << " bit/s; allowed are 1 Gb/s to 3200 Gb/s of the table, Locator Stage, and "
                       "AvailableShare";
                break;
            }
        }
    }
    else if (m_locator == STAGE)
    {
        const std::vector<uint64_t> rates = StageRates(network);
        for (const auto& port : network.ports)
        {
            const uint32_t stage = StageOf(port);
            if (stage >= nobody)
            {
                why << "Locator Stage has room for stage " << nobody / 4 << ", switch "
                    << port.switchId << " is at stage " << port.stage;
                break;
            }
            if (needsRate && rates[stage] == 0)
            {
                why << "UtilizationSignal AvailableBandwidth with Locator Stage: ports of stage "
                    << port.stage << " in one direction, among them port " << port.portId
                    << " of switch " << port.switchId << " with " << port.rateBps / 1e9
                    << " Gb/s, have different line rates; allowed are Locator Capacity, and "
                       "AvailableShare";
                break;
            }
        }
    }
    return why.str();
}

uint32_t
CsigFormat::StageOf(const TelemetryPort& port)
{
    return 4 * (port.stage - 1) + static_cast<uint32_t>(port.direction);
}

std::vector<uint64_t>
CsigFormat::StageRates(const TelemetryNetwork& network) const
{
    std::vector<uint64_t> rates;
    std::vector<bool> known;
    for (const auto& port : network.ports)
    {
        const uint32_t stage = StageOf(port);
        if (stage >= rates.size())
        {
            rates.resize(stage + 1, 0);
            known.resize(stage + 1, false);
        }
        rates[stage] = known[stage] && rates[stage] != port.rateBps ? 0 : port.rateBps;
        known[stage] = true;
    }
    return rates;
}

void
CsigFormat::Learn(const TelemetryNetwork& network)
{
    m_stages.clear();
    m_stageRates = StageRates(network);
    for (const auto& port : network.ports)
    {
        m_stages.resize(std::max<size_t>(m_stages.size(), port.switchId + 1));
        auto& stages = m_stages[port.switchId];
        stages.resize(std::max<size_t>(stages.size(), port.portId + 1), GetLayout().locator.Max());
        stages[port.portId] = StageOf(port);
    }
}

uint64_t
CsigFormat::CapacityOf(uint32_t locator) const
{
    if (m_locator == CAPACITY)
    {
        return locator < CAPACITIES.size() ? CAPACITIES[locator] * GBPS : 0;
    }
    return m_locator == STAGE && locator < m_stageRates.size() ? m_stageRates[locator] : 0;
}

bool
CsigFormat::CrossesBorder() const
{
    return m_utilizationSignal != AVAILABLE_BANDWIDTH;
}

void
CsigFormat::ForgetOrigin(TelemetryStack& stack) const
{
    const Layout& layout = GetLayout();
    SetTag(stack, With(TagOf(stack), layout.locator, layout.locator.Max()));
}

std::string
CsigFormat::CheckTtl(uint8_t ttl) const
{
    return m_locator != POSITION || ttl == m_initialTtl
               ? ""
               : "with ns3::CsigFormat::Locator Position, switches count their position from "
                 "InitialTtl, " +
                     std::to_string(m_initialTtl) + ", but packets leave with TTL " +
                     std::to_string(ttl) + "; allowed is the same value, or another Locator";
}

uint8_t
CsigFormat::GetReflectionId() const
{
    return m_reflectionId + m_bitLayout;
}

void
CsigFormat::DoOpen(TelemetryStack& stack) const
{
    const Layout& layout = GetLayout();
    uint32_t type = stack.request == TELEMETRY_UTILIZATION ? m_utilizationSignal : m_queueSignal;
    stack.request = IsMinimum(type) ? TELEMETRY_UTILIZATION : TELEMETRY_QUEUE_DELAY;
    stack.hops = 1;
    stack.remainingHops = 0;
    uint64_t tag = With(0, layout.type, type);
    tag = With(tag, layout.signal, IsMinimum(type) ? MaxNumber() : 0);
    SetTag(stack, With(tag, layout.locator, layout.locator.Max()));
}

double
CsigFormat::Measure(uint32_t type, const HopSnapshot& hop)
{
    const double share = std::max(PPM - hop.utilizationPpm, 0.0);
    const auto bps = static_cast<double>(hop.bandwidthBps);
    switch (type)
    {
    case AVAILABLE_BANDWIDTH:
        return share * (bps / MBPS) / PPM;
    case AVAILABLE_SHARE:
        return share;
    case HOP_DELAY:
        return hop.hopLatencyNs;
    default:
        return static_cast<double>(hop.queueBytes) * 8e9 / bps;
    }
}

uint32_t
CsigFormat::LocatorOf(const HopSnapshot& hop) const
{
    const uint32_t nobody = GetLayout().locator.Max();
    switch (m_locator)
    {
    case PORT:
        return std::min(hop.egressPort, nobody);
    case STAGE:
        return hop.switchId < m_stages.size() && hop.egressPort < m_stages[hop.switchId].size()
                   ? m_stages[hop.switchId][hop.egressPort]
                   : nobody;
    case POSITION:
        return hop.ttl < m_initialTtl ? std::min<uint32_t>(m_initialTtl - hop.ttl, nobody) : nobody;
    default:
        for (uint32_t code = 0; code < CAPACITIES.size(); ++code)
        {
            if (CAPACITIES[code] * GBPS == hop.bandwidthBps)
            {
                return code;
            }
        }
        return nobody;
    }
}

int32_t
CsigFormat::Insert(TelemetryStack& stack, const HopSnapshot& hop, uint32_t) const
{
    const Layout& layout = GetLayout();
    const uint64_t tag = TagOf(stack);
    const uint32_t type = Get(tag, layout.type);
    if (type >= SIGNALS || tag & layout.trimmed)
    {
        stack.skippedHops = std::min<uint32_t>(stack.skippedHops + 1, MAX_SKIPPED);
        return NOT_INSERTED;
    }
    const uint32_t worst = Get(tag, layout.signal);
    const uint32_t own = Quantise(type, Measure(type, hop));
    if (IsMinimum(type) ? own < worst : own > worst)
    {
        SetTag(stack, With(With(tag, layout.signal, own), layout.locator, LocatorOf(hop)));
    }
    return 0;
}

HopTelemetry
CsigFormat::Read(const TelemetryStack& stack, uint32_t) const
{
    const Layout& layout = GetLayout();
    const uint64_t tag = TagOf(stack);
    const uint32_t type = Get(tag, layout.type);
    HopTelemetry hop{};
    hop.portId = Get(tag, layout.locator);
    if (type >= SIGNALS)
    {
        return hop;
    }
    const uint32_t number = Get(tag, layout.signal);
    const double lower = number > 0 ? GetEdge(type, number - 1) : 0;
    const double value = (lower + GetEdge(type, number)) / 2;
    if (!IsMinimum(type))
    {
        hop.queueDelayNs = value;
        hop.fields = TELEMETRY_QUEUE_DELAY;
        return hop;
    }
    double capacity = PPM;
    if (type == AVAILABLE_BANDWIDTH)
    {
        const uint64_t bps = CapacityOf(hop.portId);
        if (bps == 0 && number < MaxNumber())
        {
            return hop;
        }
        // The sender inserts MaxNumber(). If the tag still contains this number, every hop has at
        // least the available bandwidth that the number represents. In this case, the utilisation
        // is 0 if the line rate is unknown.
        capacity = bps > 0 ? static_cast<double>(bps) / MBPS : value;
    }
    hop.utilization = std::clamp(1 - value / capacity, 0.0, 1.0);
    hop.fields = TELEMETRY_UTILIZATION;
    return hop;
}

uint32_t
CsigFormat::GetBaseBytes() const
{
    return ETHERTYPE_BYTES + GetLayout().bytes;
}

uint32_t
CsigFormat::GetHopBytes() const
{
    return 0;
}

uint32_t
CsigFormat::GetReflectedBytes(const TelemetryStack&) const
{
    return GetLayout().bytes;
}

void
CsigFormat::Serialize(const TelemetryStack& stack, uint8_t* out) const
{
    store_big_u16(out, m_marking.etherType);
    SerializeRecords(stack, out + ETHERTYPE_BYTES);
}

size_t
CsigFormat::Deserialize(const uint8_t* in, size_t size, TelemetryStack& stack) const
{
    if (size < GetBaseBytes() || load_big_u16(in) != m_marking.etherType)
    {
        return 0;
    }
    return ETHERTYPE_BYTES +
           DeserializeRecords(in + ETHERTYPE_BYTES, size - ETHERTYPE_BYTES, 1, stack);
}

void
CsigFormat::SerializeRecords(const TelemetryStack& stack, uint8_t* out) const
{
    const uint64_t tag = TagOf(stack);
    for (uint32_t i = GetLayout().bytes; i-- > 0;)
    {
        *out++ = static_cast<uint8_t>(tag >> 8 * i);
    }
}

size_t
CsigFormat::DeserializeRecords(const uint8_t* in,
                               size_t size,
                               uint8_t hops,
                               TelemetryStack& stack) const
{
    const Layout& layout = GetLayout();
    if (hops != 1 || size < layout.bytes)
    {
        return 0;
    }
    uint64_t tag = 0;
    for (uint32_t i = 0; i < layout.bytes; ++i)
    {
        tag = tag << 8 | in[i];
    }
    const bool minimum = IsMinimum(Get(tag, layout.type));
    const uint16_t request = minimum ? TELEMETRY_UTILIZATION : TELEMETRY_QUEUE_DELAY;
    Open(stack, {0, 0, 0, request});
    SetTag(stack, tag);
    return layout.bytes;
}

std::array<double, CsigFormat::UNITS>
CsigFormat::LargestValues(const TelemetryNetwork& network) const
{
    std::array<double, UNITS> largest{};
    largest[DELAY] = static_cast<double>(network.baseRttNs);
    largest[UnitOf(m_utilizationSignal)] = m_utilizationSignal == AVAILABLE_BANDWIDTH
                                               ? static_cast<double>(network.fastestBps) / MBPS
                                               : PPM;
    return largest;
}

} // namespace ns3
