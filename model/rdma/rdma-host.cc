/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-host.h"

#include "rdma-host-parts.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/ipv4-address.h"
#include "ns3/log.h"

#include <algorithm>
#include <sstream>
#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaHost");

NS_OBJECT_ENSURE_REGISTERED(RdmaHost);

namespace
{

/**
 * Refuses what RdmaHost::Post() cannot post.
 *
 * @param queuePair its index
 * @param why what is wrong, and what is allowed
 */
[[noreturn]] void
RefusePost(uint32_t queuePair, const std::string& why)
{
    throw HpccInputError("ns3::RdmaHost::Post: queue pair " + std::to_string(queuePair) + ": " +
                         why);
}

} // namespace

RdmaHost::RdmaHost()
    : m_parts(new RdmaHostParts(*this, *this, m_counts))
{
}

RdmaHost::~RdmaHost() = default;

void
RdmaHost::Install(Ptr<Node> node, uint32_t address)
{
    NS_LOG_FUNCTION(this << node << address);
    QbbNetDevice* found = nullptr;
    for (uint32_t i = 0; i < node->GetNDevices(); ++i)
    {
        if (auto* port = dynamic_cast<QbbNetDevice*>(PeekPointer(node->GetDevice(i))))
        {
            if (found)
            {
                throw HpccInputError("ns3::RdmaHost::Install: node " +
                                     std::to_string(node->GetId()) +
                                     " has several devices of ns3::QbbNetDevice; allowed is one");
            }
            found = port;
        }
    }
    if (!found)
    {
        throw HpccInputError("ns3::RdmaHost::Install: node " + std::to_string(node->GetId()) +
                             " has no device of ns3::QbbNetDevice; it needs one");
    }
    m_parts->core.Install(*found, address, *this);
    found->SetFrameHandler(this);
}

void
RdmaHost::SetInventory(Ptr<const TelemetryInventory> inventory)
{
    m_parts->core.telemetry.SetInventory(inventory);
}

void
RdmaHost::SetInventory(uint8_t priority, Ptr<const TelemetryInventory> inventory)
{
    m_parts->core.telemetry.SetInventory(priority, inventory);
}

int64_t
RdmaHost::AssignStreams(int64_t stream)
{
    m_parts->core.random->SetStream(stream);
    return STREAMS;
}

uint32_t
RdmaHost::Connect(Ptr<RdmaHost> peer, const RdmaQueuePairConfig& config)
{
    return m_parts->connector.Connect(peer ? &peer->m_parts->connector : nullptr, config);
}

uint32_t
RdmaHost::Post(uint32_t queuePair, RdmaVerb verb, uint64_t bytes)
{
    RdmaConnections& connections = m_parts->core.connections;
    const uint32_t all = connections.GetSize();
    if (queuePair >= all || connections.GetEnd(queuePair).sender == RdmaEnd::NO_ROLE)
    {
        RefusePost(queuePair,
                   queuePair >= all
                       ? "there is none; the host has " + std::to_string(all)
                       : "it has no policy at this end; give RdmaQueuePairConfig::responderPolicy");
    }
    if (bytes == 0 || verb == RdmaVerb::READ_RESPONSE)
    {
        RefusePost(queuePair,
                   bytes == 0 ? "a message of 0 bytes; at least 1 is allowed"
                              : "the verb is READ_RESPONSE; allowed are SEND, WRITE and READ");
    }
    const int64_t nowNs = m_parts->core.agenda->CatchUp();
    const RdmaEnd& end = connections.GetEnd(queuePair);
    RdmaQueuePair& qp = end.slot == RdmaEnd::NONE ? m_parts->connector.Open(queuePair)
                                                  : connections.queuePairs[end.slot];
    if (qp.singleMessage && (end.done || qp.messages > 0))
    {
        RefusePost(queuePair, "a second message; RdmaQueuePairConfig::singleMessage allows one");
    }
    if (verb != RdmaVerb::READ)
    {
        return m_parts->requester.Append(qp, verb, bytes, 0, nowNs);
    }
    if (!qp.readable || bytes > UINT32_MAX)
    {
        RefusePost(queuePair,
                   qp.readable ? "a READ of " + std::to_string(bytes) +
                                     " bytes; at most 4294967295 are allowed"
                               : "READ needs a policy for the responses; give "
                                 "RdmaQueuePairConfig::responderPolicy");
    }
    return m_parts->reads.Post(qp, bytes, nowNs);
}

const RdmaQueuePair&
RdmaHost::GetQueuePair(uint32_t queuePair) const
{
    const RdmaHostCore& core = m_parts->core;
    if (queuePair >= core.connections.GetSize() ||
        core.connections.GetEnd(queuePair).slot == RdmaEnd::NONE)
    {
        std::ostringstream line;
        line << "ns3::RdmaHost::GetQueuePair: host " << Ipv4Address(core.address)
             << " has no queue pair " << queuePair
             << " in use; allowed are numbers that Connect() returned, of queue pairs that were "
                "not closed";
        throw HpccInputError(line.str());
    }
    return core.connections.queuePairs[core.connections.GetEnd(queuePair).slot];
}

uint32_t
RdmaHost::IndexOfNumber(uint32_t number)
{
    return RdmaConnections::IndexOfNumber(number);
}

uint32_t
RdmaHost::GetQueuePairs() const
{
    return m_parts->core.connections.GetSize();
}

uint32_t
RdmaHost::GetSlots() const
{
    return static_cast<uint32_t>(m_parts->core.connections.queuePairs.size());
}

QbbNetDevice&
RdmaHost::GetPort() const
{
    return *m_parts->core.port;
}

uint32_t
RdmaHost::GetAddress() const
{
    return m_parts->core.address;
}

uint32_t
RdmaHost::GetMtu() const
{
    return mtu;
}

bool
RdmaHost::UsesIpv6(const TelemetryFormat* format) const
{
    return m_parts->core.packets.UsesIpv6(format);
}

uint32_t
RdmaHost::DataFrameBytes(uint32_t payloadBytes, uint8_t opcode, const TelemetryFormat* format) const
{
    return m_parts->core.packets.DataBytes(payloadBytes, opcode, format);
}

uint32_t
RdmaHost::AckFrameBytes(const TelemetryFormat* format, uint32_t hops) const
{
    return m_parts->core.packets.AckBytes(format, hops);
}

void
RdmaHost::ExpectFrame(const Frame& frame)
{
    if (frame.kind != Frame::Kind::ROCE)
    {
        return;
    }
    if (const RdmaQueuePair* qp = m_parts->core.connections.Find(frame.destinationQp))
    {
        PrefetchLines(qp, RdmaQueuePair::HOT_BYTES);
        if (frame.IsRoceFeedback())
        {
            PrefetchLines(qp->cc, PREFETCHED_STATE_BYTES);
        }
    }
}

bool
RdmaHost::SuppliesFrames() const
{
    return true;
}

uint8_t
RdmaHost::ReadyPriorities(QbbNetDevice&, int64_t nowNs)
{
    return m_parts->core.scheduler.Ready(nowNs);
}

Frame*
RdmaHost::PullFrame(QbbNetDevice&, uint8_t priority, int64_t nowNs)
{
    RdmaNicScheduler& scheduler = m_parts->core.scheduler;
    while (scheduler.Ready(nowNs) >> priority & 1)
    {
        RdmaQueuePair& qp = *scheduler.Next(priority);
        Frame* frame = nullptr;
        if (qp.MaySend() && static_cast<int64_t>(qp.nextSendNs) <= nowNs)
        {
            frame = m_parts->requester.MakePacket(qp, nowNs);
        }
        scheduler.Update(qp, qp.slot, nowNs);
        if (frame)
        {
            return frame;
        }
        LeaveIfDone(qp, nowNs);
    }
    return nullptr;
}

int64_t
RdmaHost::NextPullNs(QbbNetDevice&, uint8_t priorities, int64_t freeNs)
{
    return m_parts->core.scheduler.NextNs(priorities, freeNs);
}

void
RdmaHost::StartOfTransmission(QbbNetDevice&, Frame& frame, int64_t nowNs)
{
    if (!m_parts->prober.IsIdle())
    {
        m_parts->prober.OnTransmission(frame, nowNs);
    }
}

void
RdmaHost::LoseFrame(QbbNetDevice&, const Frame& frame)
{
    m_parts->prober.OnLoss(frame, m_parts->core.agenda->NowNs());
}

bool
RdmaHost::IsAddressed(const Frame& frame) const
{
    if (frame.destination != m_parts->core.address)
    {
        return false;
    }
    // A switch's response to the sender names the receiver's end, which is looked up by address.
    const RdmaEnd* end = m_parts->core.connections.FindEnd(frame.destinationQp);
    return !end || end->peer == frame.source ||
           (frame.opcode == ROCE_SWITCH_RESPONSE && !frame.response.forReceiver);
}

RdmaQueuePair*
RdmaHost::FindRequester(Frame* frame)
{
    RdmaConnections& connections = m_parts->core.connections;
    RdmaQueuePair* qp = connections.Find(frame->destinationQp);
    if (qp && qp->cc)
    {
        return qp;
    }
    const RdmaEnd* end = connections.FindEnd(frame->destinationQp);
    if (qp ? qp->messages > 0 : end && end->done)
    {
        FramePool::Free(frame);
    }
    else
    {
        m_parts->core.port->Drop(frame, DropReason::UNKNOWN_QUEUE_PAIR);
    }
    return nullptr;
}

RdmaQueuePair*
RdmaHost::FindResponder(Frame* frame)
{
    RdmaConnections& connections = m_parts->core.connections;
    const RdmaEnd* end = connections.FindEnd(frame->destinationQp);
    if (!end || end->receiver == RdmaEnd::NO_ROLE)
    {
        m_parts->core.port->Drop(frame, DropReason::UNKNOWN_QUEUE_PAIR);
        return nullptr;
    }
    return end->slot == RdmaEnd::NONE
               ? &m_parts->connector.Open(IndexOfNumber(frame->destinationQp))
               : &connections.queuePairs[end->slot];
}

void
RdmaHost::ReceiveFrame(QbbNetDevice& port, Frame* frame, int64_t nowNs)
{
    if (frame->kind == Frame::Kind::IP)
    {
        port.DeliverToStack(frame);
    }
    else if (!IsAddressed(*frame))
    {
        port.Drop(frame, DropReason::WRONG_ADDRESS);
    }
    else if (frame->opcode == ROCE_ACK)
    {
        ReceiveAck(frame, nowNs);
    }
    else if (frame->IsRoceFeedback() || frame->opcode == ROCE_PROBE)
    {
        ReceiveControl(frame, nowNs);
    }
    else
    {
        ReceiveData(frame, nowNs);
    }
}

void
RdmaHost::ReceiveAck(Frame* frame, int64_t nowNs)
{
    if (RdmaQueuePair* qp = FindRequester(frame))
    {
        m_parts->requester.ReceiveAck(*qp, frame, nowNs);
        if (!qp->oldest)
        {
            LeaveIfDone(*qp, nowNs);
        }
    }
}

void
RdmaHost::ReceiveData(Frame* frame, int64_t nowNs)
{
    RdmaQueuePair* qp = FindResponder(frame);
    if (!qp)
    {
        return;
    }
    if (frame->opcode == ROCE_READ_REQUEST && !RdmaReads::CanAnswer(*qp, *frame))
    {
        m_parts->core.port->Drop(frame, DropReason::MALFORMED);
    }
    else if (qp->responderUses)
    {
        m_parts->collector.ReceiveData(*qp, frame, nowNs);
    }
    else
    {
        m_parts->responder.ReceiveData(*qp, frame, nowNs);
    }
    LeaveIfDone(*qp, nowNs);
}

void
RdmaHost::ReceiveControl(Frame* frame, int64_t nowNs)
{
    if (frame->opcode == ROCE_SWITCH_RESPONSE)
    {
        auto trust = GetObject<RdmaSwitchTrust>();
        if (!trust)
        {
            trust = CreateObject<RdmaSwitchTrust>();
            AggregateObject(trust);
        }
        m_parts->responses.Receive(frame, *trust, nowNs);
    }
    else if (frame->opcode == ROCE_PROBE)
    {
        if (RdmaQueuePair* qp = FindResponder(frame))
        {
            m_parts->collector.ReceiveProbe(*qp, frame, nowNs);
            LeaveIfDone(*qp, nowNs);
        }
    }
    else if (RdmaQueuePair* qp = FindRequester(frame))
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
        m_parts->core.scheduler.Update(qp, qp.slot, nowNs);
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
    m_parts->pacer.RunPolicyTimers(nowNs);
    m_parts->recovery.RunTimeouts(nowNs);
    m_parts->responder.RunTimers(nowNs);
    m_parts->receivers.RunTimers(nowNs);
    m_parts->prober.RunTimers(nowNs);
    core.ScheduleTimers(std::min({m_parts->pacer.NextNs(),
                                  m_parts->responder.NextNs(),
                                  m_parts->receivers.NextNs(),
                                  m_parts->prober.NextNs()}));
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
    repathing = nullptr;
    Object::DoDispose();
}

} // namespace ns3
