/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-telemetry-format.h"

#include "ns3/abort.h"
#include "ns3/hpcc-type-id.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TelemetryFormat);

TypeId
TelemetryFormat::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<TelemetryFormat, Object>("ns3::TelemetryFormat");
    return tid;
}

std::string
TelemetryFormat::Validate(const TelemetryNetwork&) const
{
    return "";
}

std::string
TelemetryFormat::CheckTtl(uint8_t) const
{
    return "";
}

void
TelemetryFormat::Learn(const TelemetryNetwork&)
{
}

uint32_t
TelemetryFormat::GetUsedWords(const TelemetryStack&) const
{
    return GetHopBytes() > 0 ? MAX_TELEMETRY_WORDS
                             : std::min(GetBaseBytes() / 4 + 2, MAX_TELEMETRY_WORDS);
}

std::string
TelemetryFormat::GetSwitchAgent() const
{
    return "";
}

void
TelemetryFormat::Tell(TelemetryStack&, const uint32_t*) const
{
}

bool
TelemetryFormat::CarriesLoad() const
{
    return false;
}

bool
TelemetryFormat::CrossesBorder() const
{
    return CarriesLoad();
}

void
TelemetryFormat::ForgetOrigin(TelemetryStack&) const
{
}

void
TelemetryFormat::Truncate(TelemetryStack& stack, uint32_t) const
{
    Open(stack, {stack.originalPort, stack.originalProtocol, stack.originalDscp, stack.request});
}

void
TelemetryFormat::Merge(TelemetryStack& stack, const TelemetryStack& later, bool) const
{
    stack = later;
}

bool
TelemetryFormat::CarriesSubscription() const
{
    return false;
}

bool
TelemetryFormat::MergesQueues() const
{
    return false;
}

void
TelemetryFormat::AppendLoad(TelemetryStack&, double, uint32_t) const
{
    NS_ABORT_MSG(GetInstanceTypeId().GetName() << " cannot report a load");
}

void
TelemetryFormat::SetUdpPort(uint16_t port)
{
    m_marking.udpPort = port;
}

uint16_t
TelemetryFormat::GetUdpPort() const
{
    return m_marking.udpPort;
}

} // namespace ns3
