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

// Defines the attributes of INT-MD, and derives from them the field that identifies INT packets
// (UDP port or DSCP), the sizes and the capabilities.

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
                HpccField(&IntMdFormat::m_markedBy,
                          IntMdFormat::UDP_PORT,
                          IntMdFormat::UDP_PORT,
                          "UdpPort",
                          IntMdFormat::DSCP,
                          "Dscp")
                    .Then(&IntMdFormat::Configure))
            .Attribute(
                "UdpPort",
                "With Marking=UdpPort: UDP destination port that marks INT. None is "
                "assigned; all nodes of an INT domain must use the same one.",
                HpccField(&IntMdFormat::m_port, DEFAULT_PORT, 1).Then(&IntMdFormat::Configure))
            .Attribute(
                "Dscp",
                "With Marking=Dscp: DSCP that marks INT. It must be used by nothing else and map "
                "to the priority of the hosts' data at every port.",
                HpccField(&IntMdFormat::m_dscp, DEFAULT_DSCP, 0, 63).Then(&IntMdFormat::Configure))
            .Attribute(
                "EgressTimestamp",
                "Whether records contain the egress timestamp, ns (instruction bit 5).",
                HpccField(&IntMdFormat::m_egressTimestamp, true).Then(&IntMdFormat::Configure))
            .Attribute(
                "HopLatency",
                "Whether records contain the time spent in the switch, ns (instruction bit 2).",
                HpccField(&IntMdFormat::m_hopLatency, false).Then(&IntMdFormat::Configure))
            .Attribute(
                "RemainingHops",
                "Remaining Hop Count set by the source. 0: as many as fit a frame, the upper "
                "limit: 13 by default, 16 without timestamp, 11 with it and HopLatency.",
                HpccField(&IntMdFormat::m_remainingHops, 0, 0, MAX_TELEMETRY_HOPS)
                    .Then(&IntMdFormat::Configure))
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
IntMdFormat::Configure()
{
    m_marking.udpPort = m_markedBy == UDP_PORT ? m_port : 0;
    m_marking.dscp = static_cast<int8_t>(m_markedBy == DSCP ? m_dscp : -1);
    SetRecordWords(4 + (m_hopLatency ? 1 : 0) + (m_egressTimestamp ? 2 : 0));
    m_capabilities.fields = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID | TELEMETRY_QUEUE |
                            TELEMETRY_UTILIZATION | (m_hopLatency ? TELEMETRY_HOP_LATENCY : 0) |
                            (m_egressTimestamp ? TELEMETRY_TIMESTAMP : 0);
    HPCC_REFUSE_IF(m_remainingHops > GetMaxHops(),
                   "ns3::IntMdFormat: RemainingHops is " + std::to_string(m_remainingHops) +
                       ", but a frame has room for " + std::to_string(GetMaxHops()) +
                       " records of " + std::to_string(GetHopBytes()) + " bytes");
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
