/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "qbb-net-device.h"

#include "hpcc-frame-handler.h"
#include "hpcc-frame-sizes.h"
#include "qbb-port-parts.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/log.h"
#include "ns3/mac48-address.h"
#include "ns3/node.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("QbbNetDevice");

NS_OBJECT_ENSURE_REGISTERED(QbbNetDevice);

QbbNetDevice::QbbNetDevice()
    : m_parts(new QbbPortParts(*this, *this, *this, m_counts)),
      m_egress(m_parts->egress),
      m_flowControl(m_parts->flowControl)
{
}

QbbNetDevice::QbbNetDevice(const QbbNetDevice& other)
    : NetDevice(other),
      QbbLinkEnd(),
      QbbPortSettings(other),
      QbbPortCounters(),
      AgendaClient(),
      m_parts(new QbbPortParts(*this, *this, *this, m_counts)),
      m_egress(m_parts->egress),
      m_flowControl(m_parts->flowControl)
{
    HPCC_REFUSE_IF(other.m_node,
                   "ns3::QbbNetDevice: a copy of port " + std::to_string(other.m_portIndex) +
                       " of node " + std::to_string(other.m_node->GetId()) +
                       "; allowed is a copy of a port without a node");
    if (const auto scheduler = GetSchedulerObject())
    {
        scheduler->SetOwner(this);
    }
}

QbbNetDevice::~QbbNetDevice() = default;

std::string
QbbNetDevice::Name() const
{
    return "node " + std::to_string(m_node->GetId()) + ", port " + std::to_string(m_portIndex);
}

void
QbbNetDevice::Attach(Ptr<QbbChannel> channel)
{
    NS_LOG_FUNCTION(this << channel);
    QbbPortParts::RequireNode(m_node, "Attach");
    HPCC_REFUSE_IF(!channel || m_channel,
                   "ns3::QbbNetDevice::Attach: " + Name() +
                       (channel ? ": it is attached already; attach it only once"
                                : ": the channel is null; pass a channel"));
    CheckRounding();
    RequireScheduler();
    m_channel = channel;
    channel->Attach(this, *this);
}

void
QbbNetDevice::NotifyLinkUp(QbbChannel* channel)
{
    m_link = channel;
    m_agenda->LimitLag(channel->GetDelayNs());
    m_linkChange();
}

void
QbbNetDevice::Install(FrameHandler& handler, const std::string& where)
{
    HPCC_REFUSE_IF(m_egress.GetHandler(),
                   where + ": " + Name() +
                       " has an installed ns3::RdmaHost or ns3::QbbSwitch already; allowed "
                       "is one of them");
    SetFrameHandler(&handler);
    SetInstalled(!m_egress.Pulls());
}

void
QbbNetDevice::SetFrameHandler(FrameHandler* handler)
{
    m_egress.SetHandler(handler);
}

void
QbbNetDevice::ScheduleLink(int64_t atNs, bool up)
{
    QbbPortParts::RequireNode(m_node, "ScheduleLink");
    if (const int64_t nowNs = m_agenda->NowNs(); atNs < nowNs)
    {
        throw HpccInputError("ns3::QbbNetDevice::ScheduleLink: " + Name() + ": " +
                             std::to_string(atNs) + " ns; allowed is " + std::to_string(nowNs) +
                             " ns, which is now, or later");
    }
    m_linkPlan.emplace_back(atNs, up);
    m_agenda->Schedule(AgendaKind::LINK_CHANGE, m_portIndex, atNs);
}

void
QbbNetDevice::Due(AgendaKind, uint32_t, int64_t nowNs)
{
    for (const auto& [atNs, up] : m_linkPlan)
    {
        if (atNs == nowNs)
        {
            ChangeLink(up, nowNs);
        }
    }
}

void
QbbNetDevice::ChangeLink(bool up, int64_t nowNs)
{
    if (up == IsLinkUp())
    {
        return;
    }
    if (up)
    {
        m_link = PeekPointer(m_channel);
        m_flowControl.RepeatRequests();
    }
    else
    {
        m_link = nullptr;
        ++m_linkEpoch;
        m_flowControl.EndAll(nowNs);
        m_egress.DropAll();
    }
    if (FrameHandler* handler = m_egress.GetHandler())
    {
        handler->LinkChanged(*this, up);
    }
    m_linkChange();
    m_egress.TransmitNext(nowNs);
}

void
QbbNetDevice::Enqueue(Frame* frame)
{
    m_egress.Enqueue(frame);
}

void
QbbNetDevice::Emit(Frame* frame)
{
    m_egress.Emit(frame);
}

void
QbbNetDevice::Kick(int64_t atNs)
{
    m_egress.Kick(atNs);
}

void
QbbNetDevice::Drop(Frame* frame, DropReason reason)
{
    m_parts->traces.Drop(frame, reason);
}

void
QbbNetDevice::DropOutgoing(Frame* frame, DropReason reason)
{
    m_parts->traces.Drop(frame, reason, QbbPortTraces::Way::OUT);
}

void
QbbNetDevice::DropPacket(Ptr<const Packet> packet, DropReason reason)
{
    m_parts->traces.DropPacket(packet, reason);
}

void
QbbNetDevice::AddWatch(QbbPortWatch& watch)
{
    m_parts->traces.AddWatch(watch);
}

void
QbbNetDevice::NotifyEcnMark(Frame& frame)
{
    m_parts->traces.NotifyEcnMark(frame);
}

uint64_t
QbbNetDevice::GetQueueBytes() const
{
    return m_egress.GetQueueBytes();
}

uint64_t
QbbNetDevice::GetQueueBytes(uint8_t priority) const
{
    return m_egress.GetQueueBytes(priority);
}

const Frame*
QbbNetDevice::GetHead(uint8_t priority) const
{
    return m_egress.GetHead(priority);
}

void
QbbNetDevice::RequestPause(uint8_t priority)
{
    QbbPortParts::RequireNode(m_node, "RequestPause");
    m_flowControl.RequireLossless(priority);
    m_agenda->CatchUp();
    m_flowControl.RequestPause(priority);
}

void
QbbNetDevice::ReleasePause(uint8_t priority)
{
    QbbPortParts::RequireNode(m_node, "ReleasePause");
    m_agenda->CatchUp();
    m_flowControl.ReleasePause(priority);
}

bool
QbbNetDevice::IsPaused(uint8_t priority) const
{
    return m_flowControl.IsPaused(priority);
}

StackPort&
QbbNetDevice::GetStackPort()
{
    return m_parts->stack.Get();
}

void
QbbNetDevice::DeliverToStack(Frame* frame)
{
    m_parts->stack.Get().Deliver(frame);
}

void
QbbNetDevice::HandUp(Ptr<Packet> packet, uint16_t etherType)
{
    const Address from = m_channel->GetPeerAddress(this);
    if (!m_promiscuous.IsNull())
    {
        m_promiscuous(this, packet, etherType, from, GetAddress(), NetDevice::PACKET_HOST);
    }
    m_receive(this, packet, etherType, from);
}

void
QbbNetDevice::CheckSettings() const
{
    CheckPauses(m_channel ? m_channel->GetPeerRateBps(this) : 0,
                m_channel ? m_channel->GetDelayNs() : 0);
    for (const auto& check : m_checks)
    {
        check(*this);
    }
}

void
QbbNetDevice::CheckInitialized()
{
    if (IsInitialized())
    {
        CheckSettings();
    }
}

void
QbbNetDevice::DoInitialize()
{
    CheckSettings();
    // If a node with a stack of ns-3 lagged, the order of arrivals and of the stack's timers in the
    // same nanosecond would depend on the lag. Switches between such hosts also have a stack, so
    // they do not lag either.
    const bool hasStack = m_node->GetObject<Ipv4>() || m_node->GetObject<Ipv6>();
    if (m_parts->traces.WantPackets() || m_receiveErrorModel || hasStack)
    {
        m_agenda->ForbidLag();
    }
    NetDevice::DoInitialize();
}

void
QbbNetDevice::DoDispose()
{
    m_node = nullptr;
    m_link = nullptr;
    m_channel = nullptr;
    DisposeSettings();
    m_parts->stack.Dispose();
    m_receive.Nullify();
    m_promiscuous.Nullify();
    NetDevice::DoDispose();
}

// ns-3 requires the following functions of every NetDevice.

Ptr<Channel>
QbbNetDevice::GetChannel() const
{
    return m_channel;
}

void
QbbNetDevice::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
}

Address
QbbNetDevice::GetAddress() const
{
    return m_address;
}

bool
QbbNetDevice::SetMtu(const uint16_t mtu)
{
    HPCC_REFUSE_IF(mtu < m_leastMtu && mtu < m_mtu,
                   "ns3::QbbNetDevice::Mtu: " + Name() + ": " + std::to_string(mtu) +
                       " comes after HpccFabricHelper::Connect(), whose packets have up to " +
                       std::to_string(m_leastMtu) +
                       " bytes; allowed is that or more, or to set it before");
    const uint16_t before = m_mtu;
    m_mtu = mtu;
    try
    {
        CheckInitialized();
    }
    catch (const HpccInputError&)
    {
        m_mtu = before;
        throw;
    }
    return true;
}

uint16_t
QbbNetDevice::GetMtu() const
{
    return m_tso ? std::max(m_mtu, m_tsoMtu) : m_mtu;
}

bool
QbbNetDevice::IsLinkUp() const
{
    return m_link != nullptr;
}

void
QbbNetDevice::AddLinkChangeCallback(Callback<void> callback)
{
    m_linkChange.ConnectWithoutContext(callback);
}

Address
QbbNetDevice::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

Address
QbbNetDevice::GetMulticast(Ipv4Address multicastGroup) const
{
    return Mac48Address::GetMulticast(multicastGroup);
}

Address
QbbNetDevice::GetMulticast(Ipv6Address addr) const
{
    return Mac48Address::GetMulticast(addr);
}

bool
QbbNetDevice::IsBridge() const
{
    return false;
}

bool
QbbNetDevice::IsPointToPoint() const
{
    return true;
}

bool
QbbNetDevice::NeedsArp() const
{
    return false;
}

Ptr<Node>
QbbNetDevice::GetNode() const
{
    return m_node;
}

void
QbbNetDevice::SetNode(Ptr<Node> node)
{
    Ptr<NodeAgenda> agenda = NodeAgenda::Of(node);
    m_node = node;
    m_agenda = PeekPointer(agenda);
    m_portIndex = m_agenda->Register(AgendaKind::ARRIVAL, &m_parts->ingress);
    m_agenda->Register(AgendaKind::RECEIVE_DRAIN, m_portIndex, &m_parts->ingress);
    m_agenda->Register(AgendaKind::PORT_FREE, m_portIndex, &m_egress);
    m_agenda->Register(AgendaKind::LINK_CHANGE, m_portIndex, this);
    for (uint32_t p = 0; p < PRIORITIES; ++p)
    {
        const uint32_t index = m_portIndex * PRIORITIES + p;
        m_agenda->Register(AgendaKind::PAUSE_EXPIRY, index, &m_flowControl);
        m_agenda->Register(AgendaKind::PFC_REFRESH, index, &m_flowControl);
    }
}

bool
QbbNetDevice::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber)
{
    NS_LOG_FUNCTION(this << packet << dest << protocolNumber);
    QbbPortParts::RequireNode(m_node, "Send");
    HPCC_REFUSE_IF(!packet, "ns3::QbbNetDevice::Send: the packet is null; pass a packet");
    return m_parts->stack.Get().Send(packet, protocolNumber);
}

bool
QbbNetDevice::SendFrom(Ptr<Packet> packet,
                       const Address& source,
                       const Address& dest,
                       uint16_t protocolNumber)
{
    NS_LOG_FUNCTION(this << packet << source << dest << protocolNumber);
    return false;
}

void
QbbNetDevice::SetReceiveCallback(NetDevice::ReceiveCallback cb)
{
    m_receive = cb;
}

void
QbbNetDevice::SetPromiscReceiveCallback(PromiscReceiveCallback cb)
{
    m_promiscuous = cb;
}

bool
QbbNetDevice::SupportsSendFrom() const
{
    return false;
}

} // namespace ns3
