/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-rcp-format.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RcpFormat);

namespace
{

constexpr uint16_t DEFAULT_PORT = 61470;
constexpr double BPS_PER_KBPS = 1e3;
constexpr double MOST_KBPS = 0xffffffff;

} // namespace

TypeId
RcpFormat::GetTypeId()
{
    static TypeId tid =
        AddUdpPort(HpccTypeId::Of<RcpFormat, AgentTelemetryFormat>("ns3::RcpFormat"), DEFAULT_PORT)
            .Presets("rcp");
    return tid;
}

RcpFormat::RcpFormat()
    : AgentTelemetryFormat(4 * WORDS, TELEMETRY_RATE, WORDS, REFLECTION_ID)
{
}

std::string
RcpFormat::GetSwitchAgent() const
{
    return "rcp";
}

std::string
RcpFormat::Validate(const TelemetryNetwork& network) const
{
    if (static_cast<double>(network.fastestBps) > MOST_KBPS * BPS_PER_KBPS)
    {
        return "has room for rates up to 4294967295 kb/s, a line rate is " +
               std::to_string(network.fastestBps) + " bit/s";
    }
    return "";
}

HopTelemetry
RcpFormat::Read(const TelemetryStack& stack, uint32_t) const
{
    HopTelemetry hop{};
    if (const uint32_t kbps = stack.words[RATE_KBPS])
    {
        hop.rateBps = kbps * BPS_PER_KBPS;
        hop.fields = TELEMETRY_RATE;
    }
    return hop;
}

uint32_t
RcpFormat::ToKbps(double rateBps)
{
    return static_cast<uint32_t>(std::clamp(rateBps / BPS_PER_KBPS, 1.0, MOST_KBPS));
}

void
RcpFormat::Grant(TelemetryStack& stack, double rateBps)
{
    uint32_t& kbps = stack.words[RATE_KBPS];
    const uint32_t granted = ToKbps(rateBps);
    kbps = kbps == 0 ? granted : std::min(kbps, granted);
}

} // namespace ns3
