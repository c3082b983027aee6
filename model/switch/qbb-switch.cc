/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "qbb-switch.h"

#include "hpcc-ecn-marker.h"
#include "hpcc-shared-buffer.h"

#include "ns3/abort.h"
#include "ns3/data-rate.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-roce-packet.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/log.h"
#include "ns3/qbb-egress.h"

#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("QbbSwitch");

NS_OBJECT_ENSURE_REGISTERED(QbbSwitch);

TypeId
QbbSwitch::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<QbbSwitch, Object>("ns3::QbbSwitch")
            .Attribute("Buffer",
                       "The BufferPolicy that manages the packet memory. Null: a SharedBuffer.",
                       HpccField(&QbbSwitch::m_buffer, nullptr))
            .Attribute("EcnMarker",
                       "The Marker that decides which packets are marked; it need not be an "
                       "EcnMarker. Null: an EcnMarker.",
                       HpccField(&QbbSwitch::m_marker, nullptr))
            .Attribute("PathSelector",
                       "The PathSelector that chooses among ports of equal cost. Null: a hash of "
                       "the 5-tuple does (ECMP).",
                       HpccField(&QbbSwitch::m_selector, nullptr))
            .Trace("Trim",
                   "The payload of a frame has been trimmed at enqueue.",
                   &QbbSwitch::m_trimTrace,
                   "ns3::QbbSwitch::TrimTracedCallback");
    return tid;
}

QbbSwitch::QbbSwitch() = default;

QbbSwitch::~QbbSwitch() = default;

void
QbbSwitch::Install(Ptr<Node> node)
{
    NS_LOG_FUNCTION(this << node);
    if (m_agenda)
    {
        throw HpccInputError("ns3::QbbSwitch::Install: node " + std::to_string(node->GetId()) +
                             ": the switch is installed already; once is allowed");
    }
    m_agenda = NodeAgenda::Of(node);
    m_routes.SetSeed(node->GetId());
    if (m_agenda->IsForeign())
    {
        return;
    }
    if (!m_buffer)
    {
        m_buffer = CreateObject<SharedBuffer>();
    }
    if (!m_marker)
    {
        m_marker = CreateObject<EcnMarker>();
    }
    m_marked = m_marker->IsEnabled() ? 1U << ECN_ECT0 | 1U << ECN_ECT1 | 1U << ECN_CE : 0;
    for (uint32_t i = 0; i < node->GetNDevices(); ++i)
    {
        auto* port = dynamic_cast<QbbNetDevice*>(PeekPointer(node->GetDevice(i)));
        if (!port)
        {
            continue;
        }
        if (!port->GetQbbChannel())
        {
            throw HpccInputError("ns3::QbbSwitch::Install: node " + std::to_string(node->GetId()) +
                                 ", device " + std::to_string(i) +
                                 " has no channel; call QbbNetDevice::Attach() first");
        }
        port->SetFrameHandler(this);
        port->SetAttribute("ReceiveDrainRate", DataRateValue(DataRate(0)));
        m_ports.push_back(port);
        m_buffer->AddPort({port->GetRateBps(),
                           port->GetQbbChannel()->GetDelayNs(),
                           port->GetLinkBytes(port->GetMaxFrameBytes()),
                           port->GetLosslessPriorities(),
                           port->GetQbbChannel()->GetPeerRateBps(port),
                           port->GetLinkBytes(MIN_FRAME_BYTES) - MIN_FRAME_BYTES});
        m_marker->AddPort(port->GetRateBps());
    }
    m_pausing.assign(m_ports.size(), 0);
    const std::string why = m_buffer->Validate();
    if (!why.empty())
    {
        throw HpccInputError("node " + std::to_string(node->GetId()) + ": " + why);
    }
    for (auto* agent : m_agents)
    {
        StartAgent(agent);
    }
}

void
QbbSwitch::AddAgent(PortAgent* agent)
{
    m_agents.push_back(agent);
    m_agentsWantEnqueue = m_agentsWantEnqueue || agent->WantsEnqueue();
    if (agent->Decides())
    {
        m_deciders.push_back(agent);
    }
    StartAgent(agent);
}

void
QbbSwitch::StartAgent(PortAgent* agent)
{
    CheckTrimming(agent->GetTrimPlan());
    m_marked &= ~(1U << agent->GetMarkedCodepoint());
    if (agent->WantsTimer())
    {
        for (auto* port : m_ports)
        {
            uint32_t index = m_agenda->Register(AgendaKind::PORT_AGENT, this);
            m_timers.resize(index + 1);
            m_timers[index] = {agent, port};
            m_agenda->Note(AgendaKind::PORT_AGENT, index, m_agenda->NowNs());
        }
    }
}

void
QbbSwitch::CheckTrimming(const TrimPlan& plan) const
{
    for (const auto* port : m_ports)
    {
        const uint8_t target = 1U << port->GetPriority(static_cast<uint8_t>(plan.dscp << 2));
        const uint8_t wrong =
            (plan.priorities ? plan.priorities | target : 0) & port->GetLosslessPriorities();
        if (wrong)
        {
            throw HpccInputError("ns3::QbbSwitch::AddAgent: node " +
                                 std::to_string(port->GetNode()->GetId()) + ", port " +
                                 std::to_string(port->GetPortIndex()) + ": the agent trims " +
                                 (wrong & plan.priorities ? "frames of" : "frames into") +
                                 " priority " + std::to_string(__builtin_ctz(wrong)) +
                                 ", which is lossless; lossy priorities are allowed");
        }
    }
}

int64_t
QbbSwitch::AssignStreams(int64_t stream)
{
    for (uint32_t port = 0; port < m_ports.size(); ++port)
    {
        m_marker->SetStream(port, stream);
        stream += STREAMS_PER_PORT;
    }
    const auto marking = STREAMS_PER_PORT * static_cast<int64_t>(m_ports.size());
    return marking + (m_selector ? m_selector->AssignStreams(stream) : 0);
}

bool
QbbSwitch::IsWanted(Frame& frame, uint32_t egress, int64_t nowNs)
{
    for (auto* agent : m_deciders)
    {
        const EnqueueVerdict verdict = agent->Decide(*m_ports[egress], frame, nowNs);
        if (verdict.action == EnqueueVerdict::REFUSE)
        {
            return false;
        }
        if (verdict.action == EnqueueVerdict::TRIM)
        {
            Trim(frame, egress, agent->GetTrimPlan(), verdict);
        }
        else if (verdict.action == EnqueueVerdict::TRIM_LAST)
        {
            TrimLast(frame.priority, egress, agent->GetTrimPlan(), verdict, nowNs);
        }
    }
    return true;
}

void
QbbSwitch::Trim(Frame& frame, uint32_t egress, const TrimPlan& plan, const EnqueueVerdict& verdict)
{
    QbbNetDevice& out = *m_ports[egress];
    const uint16_t payloadBytes = verdict.payloadBytes;
    const uint8_t dscp = verdict.dscp ? verdict.dscp : plan.dscp;
    NS_ABORT_MSG_UNLESS(out.GetPriority(static_cast<uint8_t>(dscp << 2)) ==
                            out.GetPriority(static_cast<uint8_t>(plan.dscp << 2)),
                        "QbbSwitch: a port agent of node "
                            << out.GetNode()->GetId() << " trims into DSCP " << +dscp
                            << ", which has another priority than DSCP " << +plan.dscp
                            << " of its TrimPlan");
    NS_ABORT_MSG_UNLESS(
        plan.priorities >> frame.priority & 1 && RocePacket::CanTrim(frame, payloadBytes),
        "QbbSwitch: a port agent of node "
            << out.GetNode()->GetId() << " trims a frame of priority " << +frame.priority << " and "
            << frame.payloadBytes << " bytes of payload to " << payloadBytes
            << ", but an agent may trim only data of the priorities in its TrimPlan");
    RocePacket::Trim(frame, payloadBytes);
    frame.tos = static_cast<uint8_t>(dscp << 2 | (frame.tos & 3));
    frame.priority = out.GetPriority(frame.tos);
    ++m_trims;
    m_trimTrace(frame, egress);
}

void
QbbSwitch::TrimLast(uint8_t priority,
                    uint32_t egress,
                    const TrimPlan& plan,
                    const EnqueueVerdict& verdict,
                    int64_t nowNs)
{
    QbbNetDevice& out = *m_ports[egress];
    NS_ABORT_MSG_UNLESS(out.GetEgress().GetLast(priority),
                        "QbbSwitch: a port agent of node "
                            << out.GetNode()->GetId() << " trims the last frame of priority "
                            << +priority << ", whose queue is empty");
    Frame* last = out.GetEgress().TakeLast(priority);
    ReleaseBuffer(out, *last, nowNs);
    Trim(*last, egress, plan, verdict);
    Store(*m_ports[last->ingressPort], last, egress, nowNs);
}

uint32_t
QbbSwitch::FindEgress(const Frame& frame, int64_t nowNs)
{
    EcmpTable::Choices choices = m_routes.Find(frame.destination);
    return choices.count > 1 ? m_selector->Select(frame, choices, m_ports, nowNs)
                             : m_routes.Lookup(frame.destination, frame.flowHash);
}

void
QbbSwitch::ReceiveFrame(QbbNetDevice& port, Frame* frame, int64_t nowNs)
{
    if (frame->ttl <= 1)
    {
        port.Drop(frame, DropReason::TTL_EXPIRED);
        return;
    }
    --frame->ttl;
    uint32_t egress = m_selector ? FindEgress(*frame, nowNs)
                                 : m_routes.Lookup(frame->destination, frame->flowHash);
    if (egress == EcmpTable::NO_ROUTE)
    {
        port.Drop(frame, DropReason::NO_ROUTE);
        return;
    }
    if (!m_deciders.empty() && !IsWanted(*frame, egress, nowNs))
    {
        port.Drop(frame, DropReason::REFUSED);
        return;
    }
    Store(port, frame, egress, nowNs);
}

void
QbbSwitch::Store(QbbNetDevice& port, Frame* frame, uint32_t egress, int64_t nowNs)
{
    uint32_t ingress = port.GetPortIndex();
    uint8_t priority = frame->priority;
    auto verdict = m_buffer->Admit(ingress, egress, priority, frame->bytes, nowNs);
    if (verdict != BufferPolicy::Verdict::ADMIT)
    {
        port.Drop(frame,
                  verdict == BufferPolicy::Verdict::BUFFER_FULL ? DropReason::BUFFER_FULL
                                                                : DropReason::EGRESS_LIMIT);
        return;
    }
    frame->ingressPort = static_cast<uint16_t>(ingress);
    frame->admittedBytes = frame->bytes;
    if (port.GetLosslessPriorities() >> priority & 1 && !(m_pausing[ingress] >> priority & 1) &&
        m_buffer->MustPause(ingress, priority))
    {
        m_pausing[ingress] |= 1U << priority;
        port.RequestPause(priority);
    }
    QbbNetDevice& out = *m_ports[egress];
    if (m_agentsWantEnqueue)
    {
        for (auto* agent : m_agents)
        {
            agent->OnEnqueue(out, *frame, nowNs);
        }
    }
    out.GetEgress().Enqueue(frame);
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
QbbSwitch::StartOfTransmission(QbbNetDevice& port, Frame& frame, int64_t nowNs)
{
    if (frame.kind == Frame::Kind::PFC || frame.ingressPort == Frame::NOT_ADMITTED)
    {
        return;
    }
    ReleaseBuffer(port, frame, nowNs);
    if (m_marked >> (frame.tos & 3) & 1 && m_marker->MustMark(port, frame, nowNs))
    {
        frame.tos |= ECN_CE;
        ++m_marks;
        port.NotifyEcnMark(frame);
    }
    for (auto* agent : m_agents)
    {
        agent->OnDequeue(port, frame, nowNs);
    }
}

void
QbbSwitch::ReleaseBuffer(QbbNetDevice& port, const Frame& frame, int64_t nowNs)
{
    uint32_t ingress = frame.ingressPort;
    uint8_t priority = frame.priority;
    m_buffer->Release(ingress, port.GetPortIndex(), priority, frame.admittedBytes, nowNs);
    if (m_pausing[ingress] >> priority & 1 && m_buffer->MayResume(ingress, priority))
    {
        m_pausing[ingress] &= ~(1U << priority);
        m_ports[ingress]->ReleasePause(priority);
    }
}

void
QbbSwitch::LoseFrame(QbbNetDevice& port, const Frame& frame)
{
    if (frame.kind != Frame::Kind::PFC && frame.ingressPort != Frame::NOT_ADMITTED)
    {
        ReleaseBuffer(port, frame, m_agenda->NowNs());
    }
}

void
QbbSwitch::LinkChanged(QbbNetDevice& port, bool up)
{
    m_routes.SetUsable(static_cast<uint16_t>(port.GetPortIndex()), up);
    m_pausing[port.GetPortIndex()] = 0;
}

void
QbbSwitch::ScheduleRoutes(int64_t atNs, RouteChanges changes)
{
    uint32_t index = m_agenda->Register(AgendaKind::ROUTE_CHANGE, this);
    m_routeChanges.push_back(std::move(changes));
    m_agenda->Note(AgendaKind::ROUTE_CHANGE, index, atNs);
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
        m_agenda->Note(AgendaKind::PORT_AGENT, index, atNs);
    }
}

void
QbbSwitch::DoDispose()
{
    m_buffer = nullptr;
    m_marker = nullptr;
    m_selector = nullptr;
    m_agenda = nullptr;
    Object::DoDispose();
}

} // namespace ns3
