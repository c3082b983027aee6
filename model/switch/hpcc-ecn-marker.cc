/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-ecn-marker.h"

#include "hpcc-rate-entry.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/qbb-egress.h"
#include "ns3/qbb-net-device.h"

#include <array>
#include <string>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(EcnMarker);

TypeId
EcnMarker::GetTypeId()
{
    const auto fixed = [](const HpccAttribute& attribute) {
        return attribute.FixedAfter<EcnMarker>(
            "Install() of the switch",
            [](const EcnMarker& marker) { return !marker.m_ports.empty(); });
    };
    static TypeId tid =
        HpccTypeId::Of<EcnMarker, Marker>("ns3::EcnMarker")
            .Presets("red")
            .Attribute("Enabled",
                       "Whether ECN-capable packets are marked.",
                       fixed(HpccField(&EcnMarker::m_enabled, true)))
            .Attribute(
                "Thresholds",
                "\"rate:kmin:kmax:pmax\" entries separated by commas, kmin and kmax in bytes; "
                "other rates use the first entry, scaled. Default: DCQCN in HPCC's paper.",
                fixed(HpccField(&EcnMarker::m_text, "25Gbps:100000:400000:0.2"))
                    .Then(&EcnMarker::ParseThresholds)
                    .OnlyIf("Enabled", "true"));
    return tid;
}

void
EcnMarker::ParseThresholds()
{
    std::vector<Entry> parsed;
    for (const auto& [rateBps, values] :
         ParseRateEntries<3>("ns3::EcnMarker::Thresholds",
                             m_text,
                             "RATE:KMIN:KMAX:PMAX with 0 <= KMIN <= KMAX, 0 <= PMAX <= 1",
                             [](const std::array<double, 3>& values) {
                                 return values[0] <= values[1] && values[2] <= 1;
                             }))
    {
        parsed.push_back({rateBps, {values[0], values[1], values[2]}});
    }
    HPCC_REFUSE_IF(parsed.empty(),
                   "ns3::EcnMarker::Thresholds: at least one RATE:KMIN:KMAX:PMAX is needed");
    m_entries = parsed;
}

EcnMarker::Thresholds
EcnMarker::ForRate(uint64_t rateBps) const
{
    for (const auto& entry : m_entries)
    {
        if (entry.rateBps == rateBps)
        {
            return entry.thresholds;
        }
    }
    Thresholds scaled = m_entries.front().thresholds;
    double factor = static_cast<double>(rateBps) / static_cast<double>(m_entries.front().rateBps);
    scaled.kminBytes *= factor;
    scaled.kmaxBytes *= factor;
    return scaled;
}

void
EcnMarker::AddPort(uint64_t rateBps)
{
    m_ports.push_back({ForRate(rateBps), CreateObject<UniformRandomVariable>()});
}

bool
EcnMarker::MustMark(const QbbNetDevice& port, const Frame& frame, int64_t)
{
    const auto bytes = static_cast<double>(port.GetEgress().GetQueueBytes(frame.priority));
    const Port& own = m_ports[port.GetPortIndex()];
    const Thresholds& t = own.thresholds;
    if (bytes <= t.kminBytes)
    {
        return false;
    }
    if (bytes > t.kmaxBytes)
    {
        return true;
    }
    const double p = t.pmax * (bytes - t.kminBytes) / (t.kmaxBytes - t.kminBytes);
    return own.probability->GetValue() < p;
}

bool
EcnMarker::IsEnabled() const
{
    return m_enabled;
}

void
EcnMarker::SetStream(uint32_t port, int64_t stream)
{
    m_ports[port].probability->SetStream(stream);
}

void
EcnMarker::SetVariable(Ptr<RandomVariableStream> probability)
{
    for (auto& port : m_ports)
    {
        port.probability = probability;
    }
}

void
EcnMarker::DoDispose()
{
    m_ports.clear();
    Marker::DoDispose();
}

} // namespace ns3
