/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-telemetry-format.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TelemetryFormat);

TypeId
TelemetryFormat::GetTypeId()
{
    static TypeId tid = TypeId("ns3::TelemetryFormat").SetParent<Object>().SetGroupName("Hpcc");
    return tid;
}

const TelemetryCapabilities&
TelemetryFormat::GetCapabilities() const
{
    return m_capabilities;
}

std::string
TelemetryFormat::Validate(const TelemetryNetwork&) const
{
    return "";
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
