/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-telemetry-border.h"

#include "ns3/hpcc-telemetry-format.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/qbb-net-device.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TelemetryBorder);

TypeId
TelemetryBorder::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<TelemetryBorder, Object>("ns3::TelemetryBorder")
            .Attribute("Secret",
                       "Number mixed into path tags, so that the path cannot be worked out from "
                       "outside the network.",
                       HpccField(&TelemetryBorder::m_secret, 0x5eed))
            .Attribute("T",
                       "Base RTT used to compute loads from queues. 0: the base RTT of the "
                       "network.",
                       HpccField(&TelemetryBorder::m_baseRtt, Time(0), Time(0)))
            .Trace("Removed",
                   "The records of this network were removed from a frame because no load could be "
                   "computed from them; gives the port index.",
                   &TelemetryBorder::m_removedTrace,
                   "ns3::TelemetryBorder::RemovedTracedCallback");
    return tid;
}

void
TelemetryBorder::AddPort(uint32_t portIndex)
{
    m_leadsOut.resize(std::max<size_t>(m_leadsOut.size(), portIndex + 1));
    m_leadsOut[portIndex] = true;
}

void
TelemetryBorder::SetInventory(Ptr<const TelemetryInventory> inventory)
{
    m_inventory = inventory;
}

void
TelemetryBorder::SetDefaultBaseRtt(Time baseRtt)
{
    m_baseRttNs = static_cast<double>((m_baseRtt.IsZero() ? baseRtt : m_baseRtt).GetNanoSeconds());
}

double
TelemetryBorder::Measure(const HopTelemetry& hop,
                         uint64_t rateBps,
                         uint64_t key,
                         int64_t nowNs,
                         Meters& meters) const
{
    if (hop.fields & TELEMETRY_UTILIZATION)
    {
        return hop.utilization;
    }
    const Reading now{nowNs, hop.timestampNs, hop.txBytes};
    Meter& meter = meters.byHop[key];
    const uint64_t modulus = meters.timestampModulus;
    const auto since = [&now, modulus](const Reading& reading) {
        return static_cast<double>(
            ModularDifference(now.timestampNs, reading.timestampNs, modulus));
    };
    const double progressNs = modulus == 0 ? std::ldexp(1.0, 63) : static_cast<double>(modulus) / 2;
    const double wrapNs = meters.txBytesModulus == 0 ? progressNs
                                                     : static_cast<double>(meters.txBytesModulus) *
                                                           8e9 / static_cast<double>(rateBps);
    const bool wrapped =
        static_cast<double>(nowNs - meter.first.atNs) >= std::min(progressNs, wrapNs);
    if (!meter.begun || wrapped)
    {
        meter = {true, now, now, hop.queueBytes > 0 ? 1.0 : 0.0};
    }
    const double quarter = m_baseRttNs / 4;
    if (since(meter.second) >= quarter && since(meter.second) <= progressNs)
    {
        meter.first = meter.second;
        meter.second = now;
    }
    const double dts = since(meter.first);
    if (dts >= quarter && dts <= progressNs)
    {
        const auto sent = static_cast<double>(
            ModularDifference(hop.txBytes, meter.first.txBytes, meters.txBytesModulus));
        meter.utilization = std::min(sent * 8e9 / (static_cast<double>(rateBps) * dts), 1.0);
    }
    return meter.utilization;
}

TelemetryBorder::Meters&
TelemetryBorder::FindMeters(const TelemetryCapabilities& carried)
{
    for (Meters& meters : m_meters)
    {
        if (meters.timestampModulus == carried.timestampModulus &&
            meters.txBytesModulus == carried.txBytesModulus)
        {
            return meters;
        }
    }
    m_meters.push_back({carried.timestampModulus, carried.txBytesModulus, {}});
    return m_meters.back();
}

void
TelemetryBorder::OnDequeue(QbbNetDevice& port, Frame& frame, int64_t nowNs)
{
    uint32_t portIndex = port.GetPortIndex();
    if (portIndex >= m_leadsOut.size() || !m_leadsOut[portIndex] || !frame.CollectsTelemetry())
    {
        return;
    }
    const TelemetryFormat& format = *frame.format;
    const TelemetryCapabilities& carried = format.GetCapabilities();
    TelemetryStack& stack = frame.telemetry;
    if (carried.pathExtreme && format.CrossesBorder())
    {
        format.ForgetOrigin(stack);
        ++m_replaced;
        return;
    }
    Meters& meters = FindMeters(carried);
    constexpr uint16_t counters = TELEMETRY_TIMESTAMP | TELEMETRY_TX_BYTES;
    uint32_t first = stack.hops;
    bool known = format.CarriesLoad();
    double load = 0;
    uint32_t tag = m_secret;
    for (; first > 0; --first)
    {
        HopTelemetry hop = format.Read(stack, first - 1);
        if (hop.fields & TELEMETRY_LOAD)
        {
            break;
        }
        uint64_t rate = hop.fields & TELEMETRY_BANDWIDTH
                            ? hop.bandwidthBps
                            : m_inventory->Lookup(hop.switchId, hop.portId);
        const bool measurable =
            hop.fields & TELEMETRY_UTILIZATION || (hop.fields & counters) == counters;
        known = known && hop.fields & TELEMETRY_QUEUE && measurable && rate > 0;
        tag = HashFiveTuple(tag, hop.switchId, hop.portId & 0xffff, hop.portId >> 16, 0);
        if (!known)
        {
            continue;
        }
        const uint64_t key = hop.fields & TELEMETRY_SWITCH_ID
                                 ? uint64_t{hop.switchId} << 32 | hop.portId
                                 : uint64_t{frame.flowHash} << 32 | stack.pathId << 8U | hop.portId;
        load = std::max(load,
                        static_cast<double>(hop.queueBytes) * 8e9 /
                                (static_cast<double>(rate) * m_baseRttNs) +
                            Measure(hop, rate, key, nowNs, meters));
    }
    if (first == stack.hops)
    {
        return;
    }
    uint32_t before = format.GetWireBytes(stack);
    format.Truncate(stack, first);
    if (known)
    {
        format.AppendLoad(stack, load, tag);
        ++m_replaced;
    }
    else
    {
        ++m_removed;
        m_removedTrace(portIndex);
    }
    frame.bytes -= before - format.GetWireBytes(stack);
}

} // namespace ns3
