/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-csig-format.h"

#include "ns3/enum.h"
#include "ns3/hpcc-compat.h"
#include "ns3/hpcc-presets.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <cmath>
#include <sstream>

namespace ns3
{

using namespace boost::endian;

NS_OBJECT_ENSURE_REGISTERED(CsigFormat);
NS_OBJECT_ENSURE_REGISTERED(CsigCompactFormat);
NS_OBJECT_ENSURE_REGISTERED(CsigWideFormat);

namespace
{

constexpr uint16_t COMPACT_ETHERTYPE = 0x9900;
constexpr uint16_t WIDE_ETHERTYPE = 0x9901;
constexpr uint16_t FOREIGN_ETHERTYPES[] = {0x0800, 0x86dd, 0x8808};
constexpr uint8_t COMPACT_REFLECTION_ID = 64;
constexpr uint8_t WIDE_REFLECTION_ID = 66;

constexpr uint32_t ETHERTYPE_BYTES = 2;
constexpr double PPM = 1e6;
constexpr double MBPS = 1e6;
constexpr uint64_t GBPS = 1000000000;
constexpr uint32_t MAX_SKIPPED = 255;
constexpr size_t BUCKETS = 32;

/// By locator code, Gb/s.
constexpr std::array<uint32_t, 11> CAPACITIES{1, 10, 25, 40, 50, 100, 200, 400, 800, 1600, 3200};

/// The unit of an attribute of buckets.
struct BucketRule
{
    const char* attribute;
    const char* unitName;
    double scale; ///< signal's units per unit of the attribute
};

constexpr BucketRule BUCKET_RULES[] = {{"BandwidthBuckets", "Mb/s", 1},
                                       {"ShareBuckets", "percent", PPM / 100},
                                       {"DelayBuckets", "ns", 1}};

std::vector<double>
Geometric(double first, double ratio, size_t count)
{
    std::vector<double> edges;
    for (size_t k = 0; k < count; ++k)
    {
        edges.push_back(first * std::pow(ratio, k));
    }
    return edges;
}

/// @return default edges of BUCKET_RULES[unit], in the attribute's unit
std::vector<double>
DefaultEdges(size_t unit)
{
    if (unit == 0)
    {
        return Geometric(100, 1.33, BUCKETS);
    }
    std::vector<double> edges;
    if (unit == 1)
    {
        for (size_t k = 1; k <= BUCKETS; ++k)
        {
            edges.push_back(100.0 * static_cast<double>(k) / BUCKETS);
        }
        return edges;
    }
    edges = Geometric(80, 1.35, BUCKETS - 1);
    edges.insert(edges.begin(), 0);
    return edges;
}

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

bool
IsPowerOfTwo(uint32_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

} // namespace

TypeId
CsigFormat::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CsigFormat")
            .SetParent<TelemetryFormat>()
            .SetGroupName("Hpcc")
            .AddAttribute("BitLayout",
                          "Whose figure of the tag is followed.",
                          EnumValue(CsigFormat::IETF),
                          MakeHpccEnumAccessor<BitLayout>(&CsigFormat::m_bitLayout),
                          MakeEnumChecker(CsigFormat::IETF, "Ietf", CsigFormat::UEC, "Uec"))
            .AddAttribute("QueueSignal",
                          "Signal that carries queue delay: qlen/B (type 3) or per-hop delay (2).",
                          EnumValue(CsigFormat::NORMALIZED_QUEUE),
                          MakeHpccEnumAccessor<Signal>(&CsigFormat::SetQueueSignal,
                                                       &CsigFormat::GetQueueSignal),
                          MakeEnumChecker(CsigFormat::NORMALIZED_QUEUE,
                                          "NormalizedQueue",
                                          CsigFormat::HOP_DELAY,
                                          "HopDelay"))
            .AddAttribute("UtilizationSignal",
                          "Signal that carries utilisation: ABW/C (type 1) or ABW (0).",
                          EnumValue(CsigFormat::AVAILABLE_SHARE),
                          MakeHpccEnumAccessor<Signal>(&CsigFormat::m_utilizationSignal),
                          MakeEnumChecker(CsigFormat::AVAILABLE_SHARE,
                                          "AvailableShare",
                                          CsigFormat::AVAILABLE_BANDWIDTH,
                                          "AvailableBandwidth"))
            .AddAttribute("Locator",
                          "What the locator holds: line rate, stage and direction, port, or "
                          "position on the path.",
                          EnumValue(CsigFormat::CAPACITY),
                          MakeHpccEnumAccessor<Locator>(&CsigFormat::m_locator),
                          MakeEnumChecker(CsigFormat::CAPACITY,
                                          "Capacity",
                                          CsigFormat::STAGE,
                                          "Stage",
                                          CsigFormat::PORT,
                                          "Port",
                                          CsigFormat::POSITION,
                                          "Position"))
            .AddAttribute("InitialTtl",
                          "TTL of the hosts, by which Locator Position counts.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&CsigFormat::m_initialTtl),
                          MakeUintegerChecker<uint8_t>(1));
    return tid;
}

TypeId
CsigFormat::AddEtherType(TypeId tid, uint16_t etherType)
{
    return tid.AddAttribute(
        "EtherType",
        "Marks the tag. None is assigned; this is a placeholder.",
        UintegerValue(etherType),
        MakeUintegerAccessor(&CsigFormat::SetEtherType, &CsigFormat::GetEtherType),
        MakeUintegerChecker<uint16_t>(0x0600));
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
CsigFormat::SetQueueSignal(Signal signal)
{
    m_queueSignal = signal;
    m_capabilities.fields &= ~TELEMETRY_HOP_LATENCY;
    m_capabilities.fields |= signal == HOP_DELAY ? TELEMETRY_HOP_LATENCY : 0;
}

CsigFormat::Signal
CsigFormat::GetQueueSignal() const
{
    return m_queueSignal;
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
    if (std::count(std::begin(FOREIGN_ETHERTYPES),
                   std::end(FOREIGN_ETHERTYPES),
                   m_marking.etherType))
    {
        why << "EtherType " << m_marking.etherType
            << " is that of IPv4 (2048), IPv6 (34525) or MAC control (34824)";
    }
    else if (m_utilizationSignal == AVAILABLE_BANDWIDTH && network.classBandwidths)
    {
        why << "UtilizationSignal AvailableBandwidth says nothing of utilisation where it is that "
               "of a class, whose share has no locator; AvailableShare is allowed";
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
               "line rate it says nothing of utilisation";
    }
    else if (HopSnapshot fastest{};
             fastest.bandwidthBps = network.fastestBps,
             needsRate && m_locator == CAPACITY && LocatorOf(fastest) == nobody)
    {
        why << "UtilizationSignal AvailableBandwidth: no locator stands for a line rate of "
            << network.fastestBps << " bit/s; allowed are 1 Gb/s to 3200 Gb/s of the table";
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
        // No hop found less than the best value, so the path is hardly used, whatever the line
        // rate.
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

TypeId
CsigCompactFormat::GetTypeId()
{
    static TypeId tid = AddHpccPresets(
        AddEtherType(TypeId("ns3::CsigCompactFormat")
                         .SetParent<CsigFormat>()
                         .SetGroupName("Hpcc")
                         .AddConstructor<CsigCompactFormat>(),
                     COMPACT_ETHERTYPE)
            .AddAttribute("BandwidthBuckets",
                          "Upper edges of ABW's buckets, Mb/s; empty for 100 times 1.33^k.",
                          StringValue(""),
                          MakeStringAccessor(&CsigCompactFormat::SetBuckets<BANDWIDTH>,
                                             &CsigCompactFormat::GetBuckets<BANDWIDTH>),
                          MakeStringChecker())
            .AddAttribute("ShareBuckets",
                          "Upper edges of ABW/C's buckets, percent; empty for 32 equal steps.",
                          StringValue(""),
                          MakeStringAccessor(&CsigCompactFormat::SetBuckets<SHARE>,
                                             &CsigCompactFormat::GetBuckets<SHARE>),
                          MakeStringChecker())
            .AddAttribute(
                "DelayBuckets",
                "Upper edges of PD's and nQD's buckets, ns; empty for 0 and 80 times 1.35^k.",
                StringValue(""),
                MakeStringAccessor(&CsigCompactFormat::SetBuckets<DELAY>,
                                   &CsigCompactFormat::GetBuckets<DELAY>),
                MakeStringChecker()),
        "csig;csig:delay=QueueSignal:HopDelay");
    return tid;
}

CsigCompactFormat::CsigCompactFormat()
    : CsigFormat({2, {13, 3}, {7, 5}, {0, 7}, 0},
                 {2, {13, 3}, {7, 5}, {1, 6}, 1},
                 COMPACT_REFLECTION_ID)
{
    SetBuckets<BANDWIDTH>("");
    SetBuckets<SHARE>("");
    SetBuckets<DELAY>("");
}

template <CsigFormat::Unit U>
void
CsigCompactFormat::SetBuckets(std::string text)
{
    const BucketRule& rule = BUCKET_RULES[U];
    Buckets& buckets = m_buckets[U];
    buckets.text = text;
    buckets.problem.clear();
    std::replace(text.begin(), text.end(), ',', ' ');
    std::istringstream words(text);
    std::vector<double> edges;
    for (double edge; words >> edge;)
    {
        edges.push_back(edge);
    }
    const bool increasing = std::is_sorted(edges.begin(), edges.end(), std::less_equal<>());
    if (!words.eof() || (!edges.empty() && (edges.size() < 2 || edges.size() > BUCKETS ||
                                            !increasing || !(edges[0] >= 0))))
    {
        buckets.problem = std::string(rule.attribute) + " is \"" + buckets.text +
                          "\", allowed are 2 to 32 increasing numbers, " + rule.unitName;
        edges.clear();
    }
    buckets.edges = edges.empty() ? DefaultEdges(U) : edges;
    for (double& edge : buckets.edges)
    {
        edge *= rule.scale;
    }
}

template <CsigFormat::Unit U>
std::string
CsigCompactFormat::GetBuckets() const
{
    return m_buckets[U].text;
}

uint32_t
CsigCompactFormat::Quantise(uint32_t type, double value) const
{
    const std::vector<double>& edges = m_buckets[UnitOf(type)].edges;
    auto bucket = std::lower_bound(edges.begin(), edges.end() - 1, value);
    return static_cast<uint32_t>(bucket - edges.begin());
}

double
CsigCompactFormat::GetEdge(uint32_t type, uint32_t number) const
{
    const std::vector<double>& edges = m_buckets[UnitOf(type)].edges;
    return edges[std::min<size_t>(number, edges.size() - 1)];
}

std::string
CsigCompactFormat::CheckSteps(const TelemetryNetwork& network) const
{
    const double needed[] = {static_cast<double>(network.fastestBps) / MBPS,
                             PPM,
                             static_cast<double>(network.baseRttNs)};
    for (size_t unit = 0; unit < UNITS; ++unit)
    {
        const BucketRule& rule = BUCKET_RULES[unit];
        const Buckets& buckets = m_buckets[unit];
        if (!buckets.problem.empty())
        {
            return buckets.problem;
        }
        if (buckets.edges.back() < needed[unit])
        {
            std::ostringstream why;
            why << rule.attribute << " ends at " << buckets.edges.back() / rule.scale << " "
                << rule.unitName << ", below the " << needed[unit] / rule.scale
                << " that the network needs (line rate, 100 percent, base RTT)";
            return why.str();
        }
    }
    return "";
}

TypeId
CsigWideFormat::GetTypeId()
{
    static TypeId tid =
        AddHpccPresets(AddEtherType(TypeId("ns3::CsigWideFormat")
                                        .SetParent<CsigFormat>()
                                        .SetGroupName("Hpcc")
                                        .AddConstructor<CsigWideFormat>(),
                                    WIDE_ETHERTYPE)
                           .AddAttribute("BandwidthBase",
                                         "Start of ABW's steps, Mb/s; 0 or a power of two.",
                                         UintegerValue(0),
                                         MakeUintegerAccessor(&CsigWideFormat::m_bandwidthBase),
                                         MakeUintegerChecker<uint32_t>())
                           .AddAttribute("BandwidthStep",
                                         "Width of ABW's steps, Mb/s; a power of two.",
                                         UintegerValue(8),
                                         MakeUintegerAccessor(&CsigWideFormat::m_bandwidthStep),
                                         MakeUintegerChecker<uint32_t>(1))
                           .AddAttribute("ShareBase",
                                         "Start of ABW/C's steps, ppm; 0 or a power of two.",
                                         UintegerValue(0),
                                         MakeUintegerAccessor(&CsigWideFormat::m_shareBase),
                                         MakeUintegerChecker<uint32_t>())
                           .AddAttribute("ShareStep",
                                         "Width of ABW/C's steps, ppm; a power of two.",
                                         UintegerValue(1),
                                         MakeUintegerAccessor(&CsigWideFormat::m_shareStep),
                                         MakeUintegerChecker<uint32_t>(1))
                           .AddAttribute("DelayBase",
                                         "Start of PD's and nQD's steps, ns; 0 or a power of two.",
                                         UintegerValue(0),
                                         MakeUintegerAccessor(&CsigWideFormat::m_delayBase),
                                         MakeUintegerChecker<uint32_t>())
                           .AddAttribute("DelayStep",
                                         "Width of PD's and nQD's steps, ns; a power of two.",
                                         UintegerValue(128),
                                         MakeUintegerAccessor(&CsigWideFormat::m_delayStep),
                                         MakeUintegerChecker<uint32_t>(1)),
                       "csig-wide;csig-wide:delay=QueueSignal:HopDelay");
    return tid;
}

CsigWideFormat::CsigWideFormat()
    : CsigFormat({6, {28, 4}, {8, 20}, {32, 16}, 0},
                 {6, {28, 4}, {8, 20}, {33, 15}, uint64_t{1} << 32},
                 WIDE_REFLECTION_ID)
{
}

CsigWideFormat::Steps
CsigWideFormat::StepsOf(Unit unit) const
{
    switch (unit)
    {
    case BANDWIDTH:
        return {m_bandwidthBase, m_bandwidthStep};
    case SHARE:
        return {m_shareBase, m_shareStep};
    default:
        return {m_delayBase, m_delayStep};
    }
}

uint32_t
CsigWideFormat::Quantise(uint32_t type, double value) const
{
    const Steps steps = StepsOf(UnitOf(type));
    const double ordinal = std::ceil((value - steps.base) / steps.step) - IsMinimum(type);
    return static_cast<uint32_t>(std::clamp(ordinal, 0.0, static_cast<double>(MaxNumber())));
}

double
CsigWideFormat::GetEdge(uint32_t type, uint32_t number) const
{
    const Steps steps = StepsOf(UnitOf(type));
    return steps.base + (static_cast<double>(number) + IsMinimum(type)) * steps.step;
}

std::string
CsigWideFormat::CheckSteps(const TelemetryNetwork& network) const
{
    const char* names[] = {"Bandwidth", "Share", "Delay"};
    const double needed[] = {static_cast<double>(network.fastestBps) / MBPS,
                             PPM,
                             static_cast<double>(network.baseRttNs)};
    const uint32_t signals[] = {AVAILABLE_BANDWIDTH, AVAILABLE_SHARE, NORMALIZED_QUEUE};
    std::ostringstream why;
    for (size_t unit = 0; unit < UNITS && why.str().empty(); ++unit)
    {
        const Steps steps = StepsOf(static_cast<Unit>(unit));
        const double end = GetEdge(signals[unit], MaxNumber());
        if (!IsPowerOfTwo(steps.step) || (steps.base != 0 && !IsPowerOfTwo(steps.base)))
        {
            why << names[unit] << "Base is " << steps.base << " and " << names[unit] << "Step "
                << steps.step << ", allowed are powers of two, and a base of 0";
        }
        else if (end < needed[unit])
        {
            why << names[unit] << "Step is " << steps.step << ", so that the steps end at " << end
                << ", below the " << needed[unit]
                << " that the network needs (line rate in Mb/s, 1e6 ppm, base RTT in ns)";
        }
    }
    return why.str();
}

} // namespace ns3
