/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-max-load-agent.h"

#include "ns3/hpcc-max-load-format.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/qbb-egress.h"
#include "ns3/qbb-net-device.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(MaxLoadAgent);

TypeId
MaxLoadAgent::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<MaxLoadAgent, SwitchAgent>("ns3::MaxLoadAgent")
            .Presets("max-load;max-load:queue=Scope:Queue")
            .Attribute("T",
                       "Base RTT over which the load is averaged. 0: the base RTT of the network.",
                       HpccField(&MaxLoadAgent::m_baseRtt, Time(0), Time(0)))
            .Attribute("Scope",
                       "Unit whose load is measured and inserted: Port, all queues of a port "
                       "together; or Queue, each queue of a port.",
                       HpccField(&MaxLoadAgent::m_scope,
                                 MaxLoadAgent::PORT,
                                 MaxLoadAgent::PORT,
                                 "Port",
                                 MaxLoadAgent::QUEUE,
                                 "Queue"));
    return tid;
}

void
MaxLoadAgent::Install(const std::vector<QbbNetDevice*>& ports, Time baseRtt)
{
    const Time rtt = m_baseRtt.IsZero() ? baseRtt : m_baseRtt;
    for (auto* port : ports)
    {
        m_loads.insert(m_loads.end(),
                       m_scope == QUEUE ? PRIORITIES : 1,
                       PortLoad(static_cast<double>(port->GetRateBps()),
                                static_cast<double>(rtt.GetNanoSeconds())));
        if (m_scope == QUEUE)
        {
            port->CountClasses();
        }
    }
}

void
MaxLoadAgent::OnDequeue(QbbNetDevice& port, Frame& frame, int64_t nowNs)
{
    const uint32_t index = port.GetPortIndex();
    const uint8_t queue = frame.priority;
    const double load =
        m_scope == QUEUE
            ? m_loads[index * PRIORITIES + queue].Update(nowNs,
                                                         port.GetTxBytes(queue),
                                                         port.GetEgress().GetQueueBytes(queue))
            : m_loads[index].Update(nowNs, port.GetTxBytes(), port.GetEgress().GetQueueBytes());
    if (frame.CollectsTelemetry() &&
        frame.format->GetReflectionId() == MaxLoadFormat::REFLECTION_ID)
    {
        MaxLoadFormat::Raise(frame.telemetry, MaxLoadFormat::Encode(load));
    }
}

} // namespace ns3
