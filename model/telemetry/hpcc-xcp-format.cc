/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-xcp-format.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(XcpFormat);

namespace
{

constexpr uint16_t DEFAULT_PORT = 61471;
constexpr double UNITS_PER_BYTE = 256;

} // namespace

TypeId
XcpFormat::GetTypeId()
{
    static TypeId tid =
        AddUdpPort(HpccTypeId::Of<XcpFormat, AgentTelemetryFormat>("ns3::XcpFormat"), DEFAULT_PORT)
            .Presets("xcp");
    return tid;
}

XcpFormat::XcpFormat()
    : AgentTelemetryFormat(4 * WORDS, TELEMETRY_FEEDBACK, WORDS, REFLECTION_ID)
{
}

std::string
XcpFormat::GetSwitchAgent() const
{
    return "xcp";
}

std::string
XcpFormat::Validate(const TelemetryNetwork& network) const
{
    const double bytes =
        static_cast<double>(network.fastestBps) * static_cast<double>(network.baseRttNs) / 8e9;
    if (bytes > UINT32_MAX || network.baseRttNs > UINT32_MAX)
    {
        std::ostringstream why;
        why << "T is " << static_cast<double>(network.baseRttNs) / 1e6
            << " ms and the bandwidth-delay product " << std::llround(bytes)
            << " bytes, but its 32 bits allow at most " << UINT32_MAX / 1e6 << " ms and "
            << UINT32_MAX << " bytes";
        return why.str();
    }
    return AgentTelemetryFormat::Validate(network);
}

HopTelemetry
XcpFormat::Read(const TelemetryStack& stack, uint32_t) const
{
    HopTelemetry hop{};
    if (stack.words[RTT_NS] > 0)
    {
        hop.feedbackBytes = ToBytes(stack.words[FEEDBACK]);
        hop.fields = TELEMETRY_FEEDBACK;
    }
    return hop;
}

uint32_t
XcpFormat::FromBytes(double bytes)
{
    constexpr double most = INT32_MAX;
    const double units = std::clamp(bytes * UNITS_PER_BYTE, -most, most);
    return static_cast<uint32_t>(static_cast<int32_t>(std::lround(units)));
}

double
XcpFormat::ToBytes(uint32_t feedback)
{
    return static_cast<int32_t>(feedback) / UNITS_PER_BYTE;
}

} // namespace ns3
