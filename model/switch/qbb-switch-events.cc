/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "qbb-switch.h"

#include "ns3/hpcc-input-error.h"

#include <string>

// The part of QbbSwitch that handles path selectors, frames that the switch creates, losses,
// changes of links and routes, and timers of agents.

namespace ns3
{

uint32_t
QbbSwitch::FindEgress(const Frame& frame, int64_t nowNs)
{
    EcmpTable::Choices choices = m_routes.Find(frame.destination);
    if (choices.count <= 1)
    {
        return m_routes.Lookup(frame.destination, frame.flowHash);
    }
    const uint32_t egress = m_selector->Select(frame, choices, m_ports, nowNs);
    if (egress >= m_ports.size())
    {
        std::string allowed;
        for (uint32_t i = 0; i < choices.count; ++i)
        {
            allowed += (i == 0 ? "" : ", ") + std::to_string(choices.ports[i]);
        }
        throw HpccInputError(m_selector->GetInstanceTypeId().GetName() + "::Select() of node " +
                             std::to_string(m_agenda->GetNodeId()) + " returned " +
                             std::to_string(egress) + "; allowed are the ports " + allowed);
    }
    return egress;
}

void
QbbSwitch::Inject(Frame* frame)
{
    uint32_t egress = m_selector ? FindEgress(*frame, m_agenda->NowNs())
                                 : m_routes.Lookup(frame->destination, frame->flowHash);
    if (egress == EcmpTable::NO_ROUTE)
    {
        m_ports.front()->DropOutgoing(frame, DropReason::NO_ROUTE);
        return;
    }
    m_ports[egress]->Emit(frame);
}

void
QbbSwitch::OnFrameLost(QbbNetDevice& port, const Frame& frame)
{
    if (frame.kind != Frame::Kind::PFC && frame.ingressPort != Frame::NOT_ADMITTED)
    {
        ReleaseBuffer(port, frame, m_agenda->NowNs());
    }
}

void
QbbSwitch::LinkChanged(QbbNetDevice& port, bool up)
{
    const uint32_t ingress = port.GetPortIndex();
    m_routes.SetUsable(static_cast<uint16_t>(ingress), up);
    m_pausing[ingress] = 0;
    for (uint8_t priority = 0; up && priority < PRIORITIES; ++priority)
    {
        // Frames that arrived before the link failed may still be in the buffer.
        if (port.GetLosslessPriorities() >> priority & 1 && m_buffer->MustPause(ingress, priority))
        {
            m_pausing[ingress] |= 1U << priority;
            port.RequestPause(priority);
        }
    }
}

void
QbbSwitch::Due(AgendaKind kind, uint32_t index, int64_t nowNs)
{
    if (kind == AgendaKind::ROUTE_CHANGE)
    {
        for (const auto& [destination, ports] : m_routeChanges[index])
        {
            m_routes.SetRoute(destination, ports);
        }
        return;
    }
    auto [agent, port] = m_timers[index];
    int64_t atNs = agent->OnTimer(*port, nowNs);
    if (atNs > nowNs)
    {
        m_agenda->Schedule(AgendaKind::PORT_AGENT, index, atNs);
    }
}

} // namespace ns3
