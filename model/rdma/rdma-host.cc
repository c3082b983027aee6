/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-host.h"

#include "rdma-host-parts.h"
#include "rdma-switch-trust.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/log.h"

#include <algorithm>
#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaHost");

NS_OBJECT_ENSURE_REGISTERED(RdmaHost);

RdmaHost::RdmaHost()
    : m_parts(new RdmaHostParts(m_counts))
{
}

RdmaHost::~RdmaHost() = default;

void
RdmaHost::Install(Ptr<Node> node, uint32_t address, const std::vector<uint32_t>& further)
{
    NS_LOG_FUNCTION(this << node << address);
    HPCC_REFUSE_IF(!node, "ns3::RdmaHost::Install: the node is null; pass a node");
    const std::string where = "ns3::RdmaHost::Install: node " + std::to_string(node->GetId());
    HPCC_REFUSE_IF(m_parts->core.port,
                   where + ": the host is installed already; install it only once");
    std::vector<QbbNetDevice*> found;
    for (uint32_t i = 0; i < node->GetNDevices(); ++i)
    {
        if (auto* port = dynamic_cast<QbbNetDevice*>(PeekPointer(node->GetDevice(i))))
        {
            found.push_back(port);
        }
    }
    HPCC_REFUSE_IF(found.size() != 1 + further.size() || found.size() > RdmaHostCore::MAX_PORTS,
                   where + " has " + std::to_string(found.size()) +
                       " devices of ns3::QbbNetDevice and " + std::to_string(1 + further.size()) +
                       " addresses; allowed are 1 to 64 devices, each with an address");
    for (auto* port : found)
    {
        port->Install(*this, "ns3::RdmaHost::Install");
    }
    m_parts->core.Install(*found[0], address, *this);
    for (size_t i = 0; i < further.size(); ++i)
    {
        m_parts->core.AddPort(*found[1 + i], further[i]);
    }
    if (const Ptr<RdmaNic>& nic = m_parts->settings.nic; nic && !nic->IsIdeal())
    {
        nic->Install(*found[0], *this);
        m_parts->core.nic = PeekPointer(nic);
    }
}

void
RdmaHost::SetInventory(Ptr<const TelemetryInventory> inventory)
{
    m_parts->core.telemetry.SetInventory(inventory);
}

void
RdmaHost::SetInventory(uint8_t priority, Ptr<const TelemetryInventory> inventory)
{
    RequireRange("ns3::RdmaHost::SetInventory: priority", priority, 0, PRIORITIES - 1);
    m_parts->core.telemetry.SetInventory(priority, inventory);
}

int64_t
RdmaHost::AssignStreams(int64_t stream)
{
    m_parts->core.random->SetStream(stream);
    if (m_parts->core.nic)
    {
        m_parts->core.nic->AssignStreams(RdmaNic::FIRST_STREAM + stream * RdmaNic::STREAMS);
    }
    return STREAMS;
}

uint32_t
RdmaHost::Connect(Ptr<RdmaHost> peer, const RdmaQueuePairConfig& config)
{
    return m_parts->connector.Connect(peer ? &peer->m_parts->connector : nullptr, config);
}

void
RdmaHost::MoveQueuePair(uint32_t queuePair, int64_t atNs, uint32_t port, uint32_t peer)
{
    m_parts->mover.Schedule(queuePair, atNs, port, peer);
}

uint32_t
RdmaHost::Post(uint32_t queuePair, RdmaVerb verb, uint64_t bytes)
{
    return m_parts->poster.Post(queuePair, verb, bytes);
}

void
RdmaHost::CheckMessage(uint32_t queuePair, RdmaVerb verb, uint64_t bytes, bool first) const
{
    m_parts->poster.CheckMessage(queuePair, verb, bytes, first);
}

const RdmaQueuePair&
RdmaHost::GetQueuePair(uint32_t queuePair) const
{
    const RdmaQueuePair* found =
        queuePair < GetQueuePairs() ? m_parts->connector.FindInUse(queuePair) : nullptr;
    HPCC_REFUSE_IF(!found,
                   "ns3::RdmaHost::GetQueuePair: the host " +
                       (m_parts->core.agenda
                            ? "of node " + std::to_string(m_parts->core.agenda->GetNodeId()) + " "
                            : std::string()) +
                       "has no queue pair " + std::to_string(queuePair) +
                       " in use; allowed are numbers that Connect() returned, of queue pairs that "
                       "were not closed and, after Simulator::Destroy(), that have been used");
    return *found;
}

uint32_t
RdmaHost::GetQueuePairs() const
{
    return m_parts->core.connections.GetSize();
}

uint32_t
RdmaHost::GetSlots() const
{
    return m_parts->core.connections.queuePairs.GetSlots();
}

uint32_t
RdmaHost::GetPorts() const
{
    return static_cast<uint32_t>(m_parts->core.ports.size());
}

QbbNetDevice&
RdmaHost::GetPort(uint32_t port) const
{
    return m_parts->core.DeviceAt(port);
}

uint32_t
RdmaHost::GetAddress() const
{
    return m_parts->core.address;
}

uint32_t
RdmaHost::GetMtu() const
{
    return m_parts->settings.mtu;
}

uint32_t
RdmaHost::GetAckInterval(const RdmaFeedback* feedback) const
{
    return m_parts->connector.AckIntervalOf(feedback);
}

Ptr<const RdmaFeedback>
RdmaHost::GetFeedback(uint32_t queuePair) const
{
    return m_parts->core.connections.FeedbackOf(queuePair);
}

void
RdmaHost::FreezeSizes()
{
    m_parts->settings.sizesUsed = true;
}

uint32_t
RdmaHost::DataFrameBytes(uint32_t payloadBytes, uint8_t opcode, const TelemetryFormat* format) const
{
    const RdmaPackets& packets = m_parts->core.packets;
    return packets.DataBytes(payloadBytes, opcode, format, packets.UsesIpv6(format));
}

uint32_t
RdmaHost::AckFrameBytes(const TelemetryFormat* format, uint32_t hops, uint8_t syndrome) const
{
    return m_parts->core.packets.AckBytes(format, hops, syndrome);
}

void
RdmaHost::DoInitialize()
{
    m_parts->connector.CheckPolicies();
    Object::DoInitialize();
}

void
RdmaHost::DoDispose()
{
    for (RdmaQueuePair& qp : m_parts->core.connections.queuePairs)
    {
        if (qp.cc)
        {
            qp.ops->Close(qp.cc);
            qp.cc = nullptr;
        }
        m_parts->receivers.Close(qp);
    }
    m_parts->core.connections.ForgetRoles();
    m_parts->connector.Dispose();
    m_parts->core.telemetry.SetInventory(nullptr);
    m_parts->settings.repathing = nullptr;
    m_parts->settings.entropy = nullptr;
    Object::DoDispose();
}

void
RdmaHost::OnFrameLost(QbbNetDevice&, const Frame& frame)
{
    m_parts->prober.OnLoss(frame, m_parts->core.agenda->NowNs());
}

void
RdmaHost::ReceiveControl(Frame* frame, int64_t nowNs)
{
    if (frame->opcode == ROCE_SWITCH_RESPONSE)
    {
        m_parts->responses.Receive(frame, RdmaSwitchTrust::Of(*this), nowNs);
    }
    else if (frame->opcode == ROCE_PROBE)
    {
        if (RdmaQueuePair* qp = m_parts->connector.FindResponder(frame))
        {
            m_parts->collector.ReceiveProbe(*qp, frame, nowNs);
            LeaveIfDone(*qp, nowNs);
        }
    }
    else if (RdmaQueuePair* qp = m_parts->core.FindRequester(frame))
    {
        if (frame->opcode == ROCE_CNP)
        {
            m_parts->requester.ReceiveCnp(*qp, frame, nowNs);
            return;
        }
        m_parts->notifications.Receive(*qp, frame, nowNs);
        if (!qp->oldest)
        {
            LeaveIfDone(*qp, nowNs);
        }
    }
}

void
RdmaHost::LeaveIfDone(RdmaQueuePair& qp, int64_t nowNs)
{
    if (!qp.singleMessage || qp.expectedPsn > UINT32_MAX)
    {
        return;
    }
    bool done = qp.deliveredMessages > 0 && !qp.pendingAck;
    if (qp.ops)
    {
        done = qp.messages > 0 && !qp.cc;
        m_parts->core.PortOf(qp).scheduler->Update(qp, qp.slot, nowNs);
    }
    if (!done || qp.schedule != RdmaQueuePair::Schedule::IDLE)
    {
        return;
    }
    m_parts->receivers.Close(qp);
    m_parts->pacer.Forget(qp);
    m_parts->responder.Forget(qp);
    m_parts->prober.Forget(qp);
    m_parts->core.connections.FreeSlot(qp);
}

void
RdmaHost::Due(AgendaKind, uint32_t, int64_t nowNs)
{
    RdmaHostCore& core = m_parts->core;
    if (nowNs >= core.timersNs)
    {
        core.timersNs = RdmaTimerHeap::NEVER;
    }
    m_parts->mover.RunMoves(nowNs);
    m_parts->pacer.RunPolicyTimers(nowNs);
    m_parts->recovery.RunTimeouts(nowNs);
    m_parts->responder.RunTimers(nowNs);
    m_parts->receivers.RunTimers(nowNs);
    m_parts->prober.RunTimers(nowNs);
    core.ScheduleTimers(std::min({m_parts->pacer.NextNs(),
                                  m_parts->mover.NextNs(),
                                  m_parts->responder.NextNs(),
                                  m_parts->receivers.NextNs(),
                                  m_parts->prober.NextNs()}));
}

} // namespace ns3
