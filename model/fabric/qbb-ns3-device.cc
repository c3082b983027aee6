/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "qbb-net-device.h"

#include "ns3/log.h"

#include <algorithm>

// QbbNetDevice as ns-3 sees every NetDevice.

namespace ns3
{

void
QbbNetDevice::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
QbbNetDevice::GetIfIndex() const
{
    return m_ifIndex;
}

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
    m_mtu = mtu;
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

bool
QbbNetDevice::IsBroadcast() const
{
    return true;
}

Address
QbbNetDevice::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
QbbNetDevice::IsMulticast() const
{
    return true;
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
    m_node = node;
    Ptr<NodeAgenda> agenda = NodeAgenda::Of(node);
    m_agenda = PeekPointer(agenda);
    m_portIndex = m_agenda->Register(AgendaKind::ARRIVAL, this);
    m_agenda->Register(AgendaKind::PORT_FREE, m_portIndex, this);
    m_agenda->Register(AgendaKind::RECEIVE_DRAIN, m_portIndex, this);
    m_agenda->Register(AgendaKind::LINK_CHANGE, m_portIndex, this);
    for (uint32_t p = 0; p < PRIORITIES; ++p)
    {
        m_agenda->Register(AgendaKind::PAUSE_EXPIRY, m_portIndex * PRIORITIES + p, this);
        m_agenda->Register(AgendaKind::PFC_REFRESH, m_portIndex * PRIORITIES + p, this);
    }
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
