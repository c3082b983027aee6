/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-reflection-ids.h"

#include "hpcc-telemetry-format.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-presets.h"
#include "ns3/object-factory.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <string>

namespace ns3
{

namespace
{

constexpr uint16_t ROCE_PORT = 4791; ///< UDP destination port of packets without telemetry

/// Returns true if two classes are derived from the same format, or one class from the other. Two
/// classes are related in this way if their closest common base class is not abstract.
bool
AreRelated(TypeId a, TypeId b)
{
    while (a != b && !b.IsChildOf(a))
    {
        a = a.GetParent();
    }
    return a.HasConstructor();
}

/// Throws HpccInputError if two formats of different classes have the same id or UDP port.
void
Compare(const TelemetryFormat& a, const TelemetryFormat& b)
{
    const TypeId first = a.GetInstanceTypeId();
    const TypeId second = b.GetInstanceTypeId();
    if (first == second || AreRelated(first, second))
    {
        return;
    }
    HPCC_REFUSE_IF(a.GetReflectionId() == b.GetReflectionId(),
                   "reflection id " + std::to_string(a.GetReflectionId()) + " is claimed by " +
                       first.GetName() + " and " + second.GetName() +
                       "; an id belongs to one class of telemetry formats");
    const uint16_t port = a.GetMarking().udpPort;
    HPCC_REFUSE_IF(port > 0 && port == b.GetMarking().udpPort,
                   "UDP port " + std::to_string(port) + " marks packets of " + first.GetName() +
                       " and " + second.GetName() +
                       "; a port belongs to one class of telemetry formats");
}

} // namespace

void
ReflectionIds::Check(const TelemetryFormat& format)
{
    HPCC_REFUSE_IF(format.GetMarking().udpPort == ROCE_PORT,
                   format.GetInstanceTypeId().GetName() + " marks packets by UDP port " +
                       std::to_string(ROCE_PORT) +
                       ", which is RoCEv2's own; allowed is a port of no other format");
    const TypeId base = TelemetryFormat::GetTypeId();
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId type = TypeId::GetRegistered(i);
        if (type.IsChildOf(base) && type.HasConstructor())
        {
            ObjectFactory factory;
            factory.SetTypeId(type);
            Compare(format, *factory.Create<TelemetryFormat>());
        }
    }
    for (const std::string& name : HpccPresets::Names(base))
    {
        ObjectFactory factory;
        HpccPresets::Find(base, name, factory);
        Compare(format, *factory.Create<TelemetryFormat>());
    }
}

void
ReflectionIds::Check(const TelemetryFormat& format,
                     const std::vector<const TelemetryFormat*>& others)
{
    for (const auto* other : others)
    {
        Compare(*other, format);
    }
}

} // namespace ns3
