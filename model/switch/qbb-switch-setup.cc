/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-ecn-marker.h"
#include "hpcc-shared-buffer.h"
#include "qbb-switch.h"

#include "ns3/abort.h"
#include "ns3/data-rate.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/log.h"

#include <algorithm>
#include <string>

// The part of QbbSwitch that handles its attributes and installs its parts.

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("QbbSwitch");

NS_OBJECT_ENSURE_REGISTERED(QbbSwitch);

namespace
{

/// Returns how often packets of a flow may change their path.
/// @param selector a path selector; null for ECMP
Multipath
MultipathOf(const Ptr<PathSelector>& selector)
{
    return selector ? selector->GetMultipath() : Multipath::NONE;
}

} // namespace

TypeId
QbbSwitch::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<QbbSwitch, Object>("ns3::QbbSwitch")
            .Attribute("Buffer",
                       "The BufferPolicy that manages the packet memory. Null: a SharedBuffer.",
                       HpccProperty(&QbbSwitch::SetBuffer, &QbbSwitch::GetBuffer, nullptr))
            .Attribute("EcnMarker",
                       "The Marker that decides which packets are marked; it need not be an "
                       "EcnMarker. Null: an EcnMarker.",
                       HpccProperty(&QbbSwitch::SetMarker, &QbbSwitch::GetMarker, nullptr))
            .Attribute(
                "PathSelector",
                "The PathSelector that chooses among ports of equal cost. Null: a hash of "
                "the 5-tuple does (ECMP).",
                HpccProperty(&QbbSwitch::SetPathSelector, &QbbSwitch::GetPathSelector, nullptr))
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
    HPCC_REFUSE_IF(!node, "ns3::QbbSwitch::Install: the node is null; pass a node");
    HPCC_REFUSE_IF(m_agenda,
                   "ns3::QbbSwitch::Install: node " + std::to_string(node->GetId()) +
                       ": the switch is installed already; install it only once");
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
    m_buffer->SetOwned();
    m_marker->SetOwned();
    m_marked = m_marker->IsEnabled() ? 1U << ECN_ECT0 | 1U << ECN_ECT1 | 1U << ECN_CE : 0;
    for (uint32_t i = 0; i < node->GetNDevices(); ++i)
    {
        auto* port = dynamic_cast<QbbNetDevice*>(PeekPointer(node->GetDevice(i)));
        if (!port)
        {
            continue;
        }
        HPCC_REFUSE_IF(!port->GetQbbChannel(),
                       "ns3::QbbSwitch::Install: node " + std::to_string(node->GetId()) +
                           ", device " + std::to_string(i) +
                           " has no channel; call QbbNetDevice::Attach() first");
        port->Install(*this, "ns3::QbbSwitch::Install");
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
    HPCC_REFUSE_IF(!why.empty(), "node " + std::to_string(node->GetId()) + ": " + why);
    for (auto* agent : m_agents)
    {
        CheckAgent(*agent);
        StartAgent(agent);
    }
}

void
QbbSwitch::SetBuffer(Ptr<BufferPolicy> buffer)
{
    RequireNotInstalled("Buffer");
    m_buffer = buffer;
}

void
QbbSwitch::SetMarker(Ptr<Marker> marker)
{
    RequireNotInstalled("EcnMarker");
    m_marker = marker;
}

void
QbbSwitch::SetPathSelector(Ptr<PathSelector> selector)
{
    if (m_multipathFixed)
    {
        RequireMultipath(selector, MultipathOf(m_selector));
    }
    m_selector = selector;
}

void
QbbSwitch::FixMultipath(Multipath multipath)
{
    RequireMultipath(m_selector, multipath);
    m_multipathFixed = true;
}

void
QbbSwitch::RequireMultipath(Ptr<PathSelector> selector, Multipath multipath) const
{
    HPCC_REFUSE_IF(
        MultipathOf(selector) != multipath,
        "ns3::QbbSwitch::PathSelector: the switch of node " +
            std::to_string(m_agenda->GetNodeId()) + " gets " +
            (selector ? selector->GetInstanceTypeId().GetName() : "ECMP") +
            ", so flows would change their paths otherwise than the hosts of the network expect; "
            "choose the paths by HpccFabricHelper::SetPaths() before Install()");
}

void
QbbSwitch::RequireNotInstalled(const std::string& attribute) const
{
    HPCC_REFUSE_IF(m_agenda,
                   "ns3::QbbSwitch::" + attribute + ": the switch of node " +
                       std::to_string(m_agenda->GetNodeId()) +
                       " is installed, so the object would not know its ports; set it before "
                       "Install()");
}

void
QbbSwitch::AddAgent(PortAgent* agent)
{
    HPCC_REFUSE_IF(!agent, "ns3::QbbSwitch::AddAgent: the agent is null; pass an agent");
    CheckAgent(*agent);
    if (m_agenda)
    {
        m_agenda->CatchUp(); // the agent handles frames from now on
    }
    m_agents.push_back(agent);
    m_agentsWantEnqueue = m_agentsWantEnqueue || agent->WantsEnqueue();
    if (agent->Decides())
    {
        m_deciders.push_back(agent);
    }
    StartAgent(agent);
}

void
QbbSwitch::CheckAgent(const PortAgent& agent) const
{
    CheckTrimming(agent.GetTrimPlan());
}

void
QbbSwitch::StartAgent(PortAgent* agent)
{
    m_marked &= ~(1U << agent->GetMarkedCodepoint());
    if (agent->WantsTimer())
    {
        for (auto* port : m_ports)
        {
            uint32_t index = m_agenda->Register(AgendaKind::PORT_AGENT, this);
            m_timers.resize(index + 1);
            m_timers[index] = {agent, port};
            m_agenda->Schedule(AgendaKind::PORT_AGENT, index, m_agenda->NowNs());
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
        HPCC_REFUSE_IF(wrong,
                       "ns3::QbbSwitch::AddAgent: node " +
                           std::to_string(port->GetNode()->GetId()) + ", port " +
                           std::to_string(port->GetPortIndex()) + ": the agent trims " +
                           (wrong & plan.priorities ? "frames of" : "frames into") + " priority " +
                           std::to_string(__builtin_ctz(wrong)) +
                           ", which is lossless; allowed are lossy priorities");
    }
}

void
QbbSwitch::CheckAgents() const
{
    for (const auto* agent : m_agents)
    {
        CheckTrimming(agent->GetTrimPlan());
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

void
QbbSwitch::ScheduleRoutes(int64_t atNs, RouteChanges changes)
{
    const auto call = [this] {
        return "ns3::QbbSwitch::ScheduleRoutes: node " + std::to_string(m_agenda->GetNodeId()) +
               ": ";
    };
    HPCC_REFUSE_IF(!m_agenda, "ns3::QbbSwitch::ScheduleRoutes: call Install() first");
    HPCC_REFUSE_IF(atNs < m_agenda->NowNs(),
                   call() + std::to_string(atNs) + " ns; allowed is " +
                       std::to_string(m_agenda->NowNs()) + " ns, which is now, or later");
    for (const auto& [destination, ports] : changes)
    {
        const auto wrong = std::find_if(ports.begin(), ports.end(), [this](uint16_t port) {
            return port >= m_ports.size() && !m_agenda->IsForeign();
        });
        HPCC_REFUSE_IF(wrong != ports.end(),
                       call() + "a route by port " + std::to_string(*wrong) + "; the switch has " +
                           std::to_string(m_ports.size()) + " ports, counted from 0");
    }
    uint32_t index = m_agenda->Register(AgendaKind::ROUTE_CHANGE, this);
    m_routeChanges.push_back(std::move(changes));
    m_agenda->Schedule(AgendaKind::ROUTE_CHANGE, index, atNs);
}

void
QbbSwitch::DoInitialize()
{
    CheckAgents();
    Object::DoInitialize();
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
