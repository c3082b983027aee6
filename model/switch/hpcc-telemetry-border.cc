/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-telemetry-border.h"

#include "ns3/hpcc-telemetry-format.h"
#include "ns3/qbb-net-device.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TelemetryBorder);

TypeId
TelemetryBorder::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TelemetryBorder")
            .SetParent<Object>()
            .SetGroupName("Hpcc")
            .AddConstructor<TelemetryBorder>()
            .AddAttribute("Secret",
                          "What path tags are mixed with, so that nobody outside can work out the "
                          "path.",
                          UintegerValue(0x5eed),
                          MakeUintegerAccessor(&TelemetryBorder::m_secret),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("T",
                          "Base RTT by which queues become loads; 0 for the network's.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&TelemetryBorder::m_baseRtt),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("Removed",
                            "A frame lost the reports of this side, for their load could not be "
                            "told: port index.",
                            MakeTraceSourceAccessor(&TelemetryBorder::m_removedTrace),
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

void
TelemetryBorder::OnDequeue(QbbNetDevice& port, Frame& frame, int64_t)
{
    uint32_t portIndex = port.GetPortIndex();
    if (portIndex >= m_leadsOut.size() || !m_leadsOut[portIndex] || !frame.CollectsTelemetry())
    {
        return;
    }
    constexpr uint16_t needed = TELEMETRY_QUEUE | TELEMETRY_UTILIZATION;
    const TelemetryFormat& format = *frame.format;
    TelemetryStack& stack = frame.telemetry;
    uint32_t first = stack.hops;
    bool told = format.CarriesLoad();
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
        told = told && (hop.fields & needed) == needed && rate > 0;
        load = std::max(load,
                        static_cast<double>(hop.queueBytes) * 8e9 /
                                (static_cast<double>(rate) * m_baseRttNs) +
                            hop.utilization);
        tag = HashFiveTuple(tag, hop.switchId, hop.portId & 0xffff, hop.portId >> 16, 0);
    }
    if (first == stack.hops)
    {
        return;
    }
    uint32_t before = format.GetWireBytes(stack);
    format.Truncate(stack, first);
    if (told)
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
