/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "qbb-channel.h"

#include "hpcc-ranks.h"
#include "qbb-port-settings.h"

#include "ns3/abort.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/log.h"
#include "ns3/node.h"

#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("QbbChannel");

NS_OBJECT_ENSURE_REGISTERED(QbbChannel);

TypeId
QbbChannel::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<QbbChannel, Channel>("ns3::QbbChannel")
            .Attribute("Delay",
                       "Propagation delay, at least 1 ns. For a link between two ranks, reading it "
                       "returns the lookahead of the distributed simulation.",
                       HpccProperty(&QbbChannel::SetDelay,
                                    &QbbChannel::GetDelay,
                                    MicroSeconds(1),
                                    NanoSeconds(1)));
    return tid;
}

void
QbbChannel::Attach(Ptr<NetDevice> device, QbbLinkEnd& end)
{
    NS_LOG_FUNCTION(this << device);
    std::size_t i = GetNDevices();
    HPCC_REFUSE_IF(i >= m_devices.size(),
                   "ns3::QbbChannel::Attach: a third device; allowed are two; ns3::QbbHelper "
                   "joins more than two by a switch");
    m_devices[i] = device;
    m_ends[i] = &end;
    if (i == 1)
    {
        m_ends[0]->NotifyLinkUp(this);
        m_ends[1]->NotifyLinkUp(this);
    }
}

void
QbbChannel::AttachElsewhere(uint32_t rank, Mac48Address address, uint64_t rateBps)
{
    NS_LOG_FUNCTION(this << rank << address << rateBps);
    NS_ABORT_MSG_UNLESS(GetNDevices() == 1,
                        "QbbChannel::AttachElsewhere: one device is attached before");
    m_other = rank;
    m_elsewhere = address;
    m_elsewhereBps = rateBps;
    m_ends[0]->NotifyLinkUp(this);
}

void
QbbChannel::Carry(Frame* frame)
{
    m_ranks->Carry(m_other, m_number, frame);
}

void
QbbChannel::SetRanks(HpccRanks* ranks, uint32_t other, uint32_t number, int64_t lookaheadNs)
{
    m_ranks = ranks;
    m_other = other;
    m_number = number;
    m_lookaheadNs = lookaheadNs;
    m_leastDelayNs = m_delayNs;
}

Ptr<NetDevice>
QbbChannel::GetPeer(const QbbLinkEnd* end) const
{
    return m_devices[end == m_ends[0] ? 1 : 0];
}

Address
QbbChannel::GetPeerAddress(const QbbLinkEnd* end) const
{
    const Ptr<NetDevice> peer = GetPeer(end);
    return peer ? peer->GetAddress() : Address(m_elsewhere);
}

uint64_t
QbbChannel::GetPeerRateBps(const QbbLinkEnd* end) const
{
    const QbbLinkEnd* peer = m_ends[end == m_ends[0] ? 1 : 0];
    return peer ? peer->GetSendRateBps() : m_elsewhereBps;
}

uint32_t
QbbChannel::GetPeerRank(const QbbLinkEnd* end) const
{
    const Ptr<NetDevice> peer = GetPeer(end);
    return peer ? peer->GetNode()->GetSystemId() : m_other;
}

int64_t
QbbChannel::GetDelayNs() const
{
    return m_delayNs;
}

std::size_t
QbbChannel::GetNDevices() const
{
    return (m_ends[0] ? 1 : 0) + (m_ends[1] ? 1 : 0);
}

Ptr<NetDevice>
QbbChannel::GetDevice(std::size_t i) const
{
    return m_devices.at(i);
}

void
QbbChannel::DoDispose()
{
    m_devices.fill(nullptr);
    m_ends.fill(nullptr);
    Channel::DoDispose();
}

void
QbbChannel::SetDelay(Time delay)
{
    HPCC_REFUSE_IF(delay.GetNanoSeconds() < m_leastDelayNs,
                   "ns3::QbbChannel::Delay is " + std::to_string(delay.GetNanoSeconds()) +
                       " ns, allowed is at least " + std::to_string(m_leastDelayNs) +
                       " ns, the delay when ranks joined the link");
    for (const auto& device : m_devices)
    {
        const auto* port = dynamic_cast<const QbbPortSettings*>(PeekPointer(device));
        HPCC_REFUSE_IF(port && port->IsInstalled() && delay.GetNanoSeconds() != m_delayNs,
                       "ns3::QbbChannel::Delay: the link of node " +
                           std::to_string(device->GetNode()->GetId()) +
                           " is installed at its switch or host, which has used " +
                           std::to_string(m_delayNs) + " ns; set it before Install()");
    }
    m_delayNs = delay.GetNanoSeconds();
    for (auto* end : m_ends)
    {
        if (end)
        {
            end->GetAgenda().LimitLag(m_delayNs);
        }
    }
}

Time
QbbChannel::GetDelay() const
{
    return NanoSeconds(m_ranks ? m_lookaheadNs : m_delayNs);
}

} // namespace ns3
