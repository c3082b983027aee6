/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-pint-agent.h"

#include "ns3/hpcc-pint-format.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/qbb-egress.h"
#include "ns3/qbb-net-device.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PintAgent);

TypeId
PintAgent::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<PintAgent, SwitchAgent>("ns3::PintAgent")
            .Presets("pint")
            .Attribute("T",
                       "Base RTT over which the load is averaged. 0: the base RTT of the network.",
                       HpccField(&PintAgent::m_baseRtt, Time(0), Time(0)));
    return tid;
}

void
PintAgent::DoDispose()
{
    m_ports.clear();
    SwitchAgent::DoDispose();
}

void
PintAgent::Install(const std::vector<QbbNetDevice*>& ports, Time baseRtt)
{
    const Time rtt = m_baseRtt.IsZero() ? baseRtt : m_baseRtt;
    for (const auto* port : ports)
    {
        m_ports.push_back({PortLoad(static_cast<double>(port->GetRateBps()),
                                    static_cast<double>(rtt.GetNanoSeconds())),
                           CreateObject<UniformRandomVariable>()});
    }
}

int64_t
PintAgent::AssignStreams(int64_t stream)
{
    for (const auto& port : m_ports)
    {
        port.random->SetStream(stream++);
    }
    return CountStreams(static_cast<uint32_t>(m_ports.size()));
}

int64_t
PintAgent::CountStreams(uint32_t ports) const
{
    return ports;
}

void
PintAgent::OnDequeue(QbbNetDevice& port, Frame& frame, int64_t nowNs)
{
    Port& own = m_ports[port.GetPortIndex()];
    const double load = own.load.Update(nowNs, port.GetTxBytes(), port.GetEgress().GetQueueBytes());
    if (!frame.CollectsTelemetry())
    {
        return;
    }
    const uint8_t id = frame.format->GetReflectionId();
    if (id != PintFormat::REFLECTION_ID && id != PintFormat::REFLECTION_ID + 1)
    {
        return;
    }
    const auto& format = static_cast<const PintFormat&>(*frame.format);
    const auto psn = static_cast<uint16_t>(frame.psn);
    const auto psnHigh = static_cast<uint8_t>(frame.psn >> 16);
    if (format.Chooses(HashFiveTuple(frame.flowHash, frame.destinationQp, psn, 0, psnHigh)))
    {
        format.Raise(frame.telemetry, format.Encode(load, own.random->GetValue()));
    }
}

} // namespace ns3
