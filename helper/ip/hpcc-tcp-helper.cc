/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-tcp-helper.h"

#include "hpcc-ip-checks.h"
#include "hpcc-nic-format.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/hpcc-attribute-defaults.h"
#include "ns3/hpcc-factory-attribute.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-switch-agent.h"
#include "ns3/hpcc-tcp-nic.h"
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/string.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("HpccTcpHelper");

namespace
{

constexpr uint32_t MIN_SEGMENT_BYTES = 536;
constexpr uint32_t MAX_SEGMENT_BYTES = 8960;
constexpr uint32_t MIN_HEADERS_BYTES = 40;          ///< headers of IPv4, and of TCP without options
constexpr uint32_t MAX_HEADERS_BYTES = 60;          ///< headers of IPv6, and of TCP without options
constexpr uint32_t MAX_HEADERS_OPTIONS_BYTES = 100; ///< headers of IPv6, and of TCP with options
constexpr uint64_t MIN_BUFFER_BYTES = 4000000;
constexpr uint8_t SOCKET_DSCP = 0;      ///< DSCP of sockets without SetIpTos()
constexpr uint64_t BUFFER_WINDOWS = 64; ///< size of buffers, in multiples of rate times T
constexpr int64_t MIN_SYN_TIMEOUT_NS = 10'000'000; ///< shortest first time-out of a SYN
constexpr int64_t SYN_TIMEOUT_RTTS = 4;            ///< first time-out of a SYN, in multiples of T

/// Largest window that TCP can advertise (RFC 7323, section 2.3). A receive buffer of 2^31 bytes or
/// more would make ns-3's comparison of sequence numbers wrap around.
constexpr uint64_t MAX_WINDOW_BYTES = 65535ULL << 14;

const std::string DEFAULT_TELEMETRY = "int-md:dscp";
const std::string OPTION_TELEMETRY = "ns3::MaxLoadFormat";

/**
 * Refuses a size of TCP segments outside the allowed range.
 *
 * @param bytes payload of a segment, bytes
 * @param origin text that names the origin of the size, for the message
 */
void
CheckSegment(uint32_t bytes, const std::string& origin)
{
    HPCC_REFUSE_IF(bytes < MIN_SEGMENT_BYTES || bytes > MAX_SEGMENT_BYTES,
                   "TCP segments of " + std::to_string(bytes) + " bytes" + origin +
                       " are outside 536 to 8960");
}

/**
 * Describes full segments.
 *
 * @param segment payload of a full segment
 * @param dscp DSCP of the segments
 */
HpccFabricHelper::StackPackets
DescribeSegments(uint32_t segment, uint8_t dscp)
{
    return {"TCP segments of " + std::to_string(segment) + " bytes",
            segment + MIN_HEADERS_BYTES,
            dscp};
}

/**
 * Refuses HPCC++ as the default congestion control if no host uses it. This is the case if the
 * stacks of the hosts were installed before the default was set.
 *
 * @param fabric the network, whose hosts have TCP
 */
void
CheckSocketType(const HpccFabricHelper& fabric)
{
    const TypeId hpcc = TcpHpccPlusPlus::GetTypeId();
    TypeId::AttributeInformation type;
    TcpL4Protocol::GetTypeId().LookupAttributeByName("SocketType", &type);
    TypeIdValue used;
    for (const uint32_t host : fabric.GetTopology().GetHosts())
    {
        fabric.GetNodes().Get(host)->GetObject<TcpL4Protocol>()->GetAttribute("SocketType", used);
        if (used.Get() == hpcc)
        {
            return;
        }
    }
    HPCC_REFUSE_IF(DynamicCast<const TypeIdValue>(type.initialValue)->Get() == hpcc,
                   "ns3::TcpL4Protocol::SocketType is " + hpcc.GetName() +
                       " by default, but the hosts have " + used.Get().GetName() +
                       "; set the default before HpccInternetHelper::Install(), or call "
                       "Config::Set() for the stacks");
}

/// Returns the largest line rate of a host, bit/s.
/// @param fabric the network
uint64_t
FastestBps(const HpccFabricHelper& fabric)
{
    uint64_t fastest = 0;
    for (uint32_t host : fabric.GetTopology().GetHosts())
    {
        fastest = std::max(fastest, fabric.GetHost(host)->GetPort().GetRateBps());
    }
    return fastest;
}

/**
 * Returns the size of sockets' buffers, bytes. Refuses networks whose rate times T exceeds TCP's
 * largest window.
 *
 * @param rateBps rate of the fastest host, bit/s
 * @param baseRttNs T of the network, ns
 */
uint64_t
BufferBytes(uint64_t rateBps, int64_t baseRttNs)
{
    const auto window =
        static_cast<uint64_t>(static_cast<double>(rateBps) / 8e9 * static_cast<double>(baseRttNs));
    HPCC_REFUSE_IF(window > MAX_WINDOW_BYTES,
                   "TCP: the rate of the fastest host times the network's T of " +
                       std::to_string(baseRttNs) + " ns is " + std::to_string(window) +
                       " bytes; allowed is at most TCP's largest window, " +
                       std::to_string(MAX_WINDOW_BYTES));
    return std::clamp(BUFFER_WINDOWS * window, MIN_BUFFER_BYTES, MAX_WINDOW_BYTES);
}

} // namespace

HpccTcpHelper::HpccTcpHelper()
{
    m_nicFactory.SetTypeId("ns3::HpccTcpNic");
}

void
HpccTcpHelper::SetNicAttribute(const std::string& name, const AttributeValue& value)
{
    RequireBeforeInstall("HpccTcpHelper::SetNicAttribute", m_installed);
    SetFactoryAttribute(m_nicFactory, name, value);
}

void
HpccTcpHelper::SetTelemetry(const std::string& name)
{
    RequireBeforeInstall("HpccTcpHelper::SetTelemetry", m_installed);
    m_telemetry = name;
}

void
HpccTcpHelper::SetSegmentSize(uint32_t bytes)
{
    RequireBeforeInstall("HpccTcpHelper::SetSegmentSize", m_installed);
    if (bytes != 0)
    {
        CheckSegment(bytes, "");
    }
    m_segmentBytes = bytes;
}

uint32_t
HpccTcpHelper::FitSegment(const HpccFabricHelper& fabric, uint32_t wire)
{
    const auto hosts = fabric.GetTopology().GetHosts();
    const auto portOf = [&fabric](uint32_t host) -> QbbNetDevice& {
        return fabric.GetHost(host)->GetPort();
    };
    const bool tso = portOf(hosts.front()).GetOffload().tso;
    uint32_t segment = wire;
    for (uint32_t host : hosts)
    {
        QbbNetDevice& port = portOf(host);
        HPCC_REFUSE_IF(port.GetWireMtu() < wire + MAX_HEADERS_BYTES,
                       "TCP segments of " + std::to_string(wire) + " bytes are packets of up to " +
                           std::to_string(wire + MAX_HEADERS_BYTES) +
                           ", but ns3::QbbNetDevice::Mtu is " + std::to_string(port.GetWireMtu()));
        HPCC_REFUSE_IF(port.GetOffload().tso != tso,
                       "ns3::QbbNetDevice::Tso must be the same at all hosts; host " +
                           std::to_string(host) + " differs from the first");
        if (tso)
        {
            const uint32_t room = port.GetMtu() - MAX_HEADERS_OPTIONS_BYTES;
            segment = std::max(wire, room / wire * wire);
        }
    }
    return segment;
}

HpccTcpHelper::Settings
HpccTcpHelper::Tune(const HpccFabricHelper& fabric) const
{
    RequireNetwork("HpccTcpHelper::Tune", fabric);
    const Settings settings = FindSettings(fabric);
    const auto segments = DescribeSegments(GetSegmentBytes(fabric), SOCKET_DSCP);
    fabric.CheckRoom(segments.what, segments.bytes, segments.dscp);
    Apply(fabric, settings);
    return settings;
}

HpccTcpHelper::Settings
HpccTcpHelper::FindSettings(const HpccFabricHelper& fabric) const
{
    const uint64_t fastest = FastestBps(fabric);
    CheckRanks(fabric, false);
    const uint32_t segment = FitSegment(fabric, GetSegmentBytes(fabric));
    const int64_t baseRttNs = fabric.GetNetworkBaseRttNs();
    const std::string buffer = std::to_string(BufferBytes(fastest, baseRttNs));
    const int64_t ofSynNs = std::max(MIN_SYN_TIMEOUT_NS, SYN_TIMEOUT_RTTS * baseRttNs);
    return {{"ns3::TcpSocket::SegmentSize", std::to_string(segment)},
            {"ns3::TcpSocket::SndBufSize", buffer},
            {"ns3::TcpSocket::RcvBufSize", buffer},
            {"ns3::TcpSocket::DelAckCount", "1"},
            {"ns3::TcpSocket::ConnTimeout", std::to_string(ofSynNs) + "ns"},
            {"ns3::TcpSocketBase::MinRto", "5ms"},
            {"ns3::TcpSocketBase::ClockGranularity", "1us"},
            {"ns3::TcpSocketBase::Timestamp", "false"},
            {"ns3::TcpSocketState::MaxPacingRate", std::to_string(fastest) + "bps"}};
}

void
HpccTcpHelper::Apply(const HpccFabricHelper& fabric, const Settings& settings) const
{
    for (const uint32_t host : fabric.GetTopology().GetHosts())
    {
        QbbNetDevice& port = fabric.GetHost(host)->GetPort();
        if (port.GetOffload().tso)
        {
            port.SetAttribute("TsoSegment", UintegerValue(GetSegmentBytes(fabric)));
        }
    }
    for (const auto& [attribute, value] : settings)
    {
        Config::SetDefault(attribute, StringValue(value));
        NS_LOG_INFO(attribute << " is " << value);
    }
}

uint32_t
HpccTcpHelper::GetSegmentBytes(const HpccFabricHelper& fabric) const
{
    if (m_segmentBytes)
    {
        return m_segmentBytes;
    }
    const uint32_t mtu = fabric.GetHost(fabric.GetTopology().GetHosts().front())->GetMtu();
    CheckSegment(mtu, ", from ns3::RdmaHost::Mtu (--mtu),");
    return mtu;
}

HpccFabricHelper::PolicySpec
HpccTcpHelper::MakeTelemetry(const HpccFabricHelper& fabric, Ptr<HpccTcpNic> nic) const
{
    const auto ops = CreateObject<TcpHpccPlusPlus>();
    RequireMinRateBelow(TcpHpccPlusPlus::GetTypeId().GetName() + "::MinRate",
                        ops->GetLawParameters().minRateBps,
                        "the fastest host",
                        FastestBps(fabric));
    const NicLaw law{ops->GetInstanceTypeId().GetName(),
                     ops->GetLawParameters(),
                     [&](const TelemetryFormat& format) {
                         const std::string why = nic->Check(format);
                         return why.empty()
                                    ? ops->Validate(format.GetCapabilities(), fabric.GetThinning())
                                    : why;
                     }};
    if (!nic->IsCompact())
    {
        const std::string name = m_telemetry.empty() ? DEFAULT_TELEMETRY : m_telemetry;
        return MakeNicSpec(fabric, name, FindNicFormat(name), nic, law);
    }
    HPCC_REFUSE_IF(!m_telemetry.empty(),
                   "--telemetry: " + m_telemetry +
                       " with ns3::HpccTcpNic::Feedback Compact or CompactReceiver, which "
                       "carry nothing but " +
                       OPTION_TELEMETRY + "; omit --telemetry");
    auto option = ObjectFactory(OPTION_TELEMETRY).Create<TelemetryFormat>();
    StringValue key;
    nic->GetAttribute("FeedbackKey", key);
    option->SetAttribute("Authenticated", BooleanValue(!key.Get().empty()));
    return MakeNicSpec(fabric, OPTION_TELEMETRY, option, nic, law);
}

void
HpccTcpHelper::CheckAverage(const HpccFabricHelper& fabric, const TelemetryFormat& format)
{
    ObjectFactory factory;
    TimeValue averaged;
    // This agent is created only to read its defaults; no switch uses it.
    const HpccAttributeDefaults::Unobserved unobserved;
    if (!HpccPresets::Find(SwitchAgent::GetTypeId(), format.GetSwitchAgent(), factory) ||
        !factory.Create<SwitchAgent>()->GetAttributeFailSafe("T", averaged))
    {
        return;
    }
    const auto ops = CreateObject<TcpHpccPlusPlus>();
    ops->SetNetworkBaseRttNs(fabric.GetNetworkBaseRttNs());
    const int64_t averagedNs =
        averaged.Get().IsZero() ? fabric.GetNetworkBaseRttNs() : averaged.Get().GetNanoSeconds();
    HPCC_REFUSE_IF(
        ops->GetBaseRttNs() != averagedNs,
        TcpHpccPlusPlus::GetTypeId().GetName() + "::T is " + std::to_string(ops->GetBaseRttNs()) +
            " ns, but the switches average the load over " + factory.GetTypeId().GetName() +
            "::T, " + std::to_string(averagedNs) + " ns; both must be the same, and --T sets both");
}

void
HpccTcpHelper::CheckRoom(const HpccFabricHelper& fabric, uint32_t telemetryBytes) const
{
    const uint32_t added = MAX_HEADERS_BYTES + telemetryBytes;
    const uint32_t segment = GetSegmentBytes(fabric);
    for (uint32_t host : fabric.GetTopology().GetHosts())
    {
        const uint32_t mtu = fabric.GetHost(host)->GetPort().GetWireMtu();
        HPCC_REFUSE_IF(segment + added > mtu,
                       "TCP segments of " + std::to_string(segment) +
                           " bytes leave no room for telemetry of " +
                           std::to_string(telemetryBytes) + " in host " + std::to_string(host) +
                           "'s ns3::QbbNetDevice::Mtu of " + std::to_string(mtu) +
                           "; allowed is at most " + std::to_string(mtu - std::min(mtu, added)));
    }
}

void
HpccTcpHelper::CheckRanks(const HpccFabricHelper& fabric, bool telemetry) const
{
    const uint32_t segment = GetSegmentBytes(fabric);
    fabric.CheckPackets("TCP segments of " + std::to_string(segment) + " bytes",
                        segment + MAX_HEADERS_OPTIONS_BYTES,
                        telemetry);
}

HpccTcpHelper::Settings
HpccTcpHelper::Install(HpccFabricHelper& fabric)
{
    RequireNetwork("HpccTcpHelper::Install", fabric);
    const auto nic = m_nicFactory.Create<HpccTcpNic>();
    const auto spec = MakeTelemetry(fabric, nic);
    const auto& format = spec.format;
    const TelemetryMarking marking = format->GetMarking();
    CheckRanks(fabric, true);
    std::vector<HpccFabricHelper::StackPackets> packets{
        DescribeSegments(GetSegmentBytes(fabric), SOCKET_DSCP)};
    if (marking.dscp > SOCKET_DSCP)
    {
        // Packets of the connection have the DSCP of the format.
        packets.push_back(
            DescribeSegments(GetSegmentBytes(fabric), static_cast<uint8_t>(marking.dscp)));
    }
    const uint32_t added = marking.position == TelemetryPosition::TAG ? 0 : format->GetBaseBytes();
    uint32_t dataBytes = 0;
    if (nic->IsInData())
    {
        CheckRoom(fabric, added);
        dataBytes = GetSegmentBytes(fabric) + MAX_HEADERS_BYTES + added;
    }
    if (!format->GetSwitchAgent().empty())
    {
        CheckAverage(fabric, *format);
    }
    CheckNics(fabric, *nic, TcpL4Protocol::GetTypeId(), "TCP", "HpccTcpHelper");
    CheckSocketType(fabric);
    Settings settings = FindSettings(fabric);
    fabric.CheckFormat(spec, packets);
    // All checks come before this line, so that a refused call changes nothing.
    for (uint32_t host : fabric.GetTopology().GetHosts())
    {
        InstallNic(fabric, host, m_nicFactory.Create<HpccTcpNic>(), format, dataBytes);
    }
    Apply(fabric, settings);
    m_installed = true;
    return settings;
}

} // namespace ns3
