/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-int-md-format.h"
#include "hpcc-int-md-layout.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-type-id.h"

#include <string>

// Attributes of INT-MD, and the marking, sizes and capabilities that follow from them.

namespace ns3
{

using namespace IntMdLayout;

NS_OBJECT_ENSURE_REGISTERED(IntMdFormat);

namespace
{

constexpr uint16_t DEFAULT_PORT = 0x4568;
constexpr uint8_t DEFAULT_DSCP = 0x17;
constexpr uint8_t FIRST_REFLECTION_ID = 16;

constexpr uint16_t ALWAYS_INSTRUCTIONS = 0xd100;
constexpr uint16_t HOP_LATENCY_INSTRUCTION = 0x2000;
constexpr uint16_t EGRESS_TIMESTAMP_INSTRUCTION = 0x0400;

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

} // namespace ns3
