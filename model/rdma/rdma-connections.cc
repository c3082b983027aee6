/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-connections.h"

#include "ns3/hpcc-input-error.h"

#include <string>

namespace ns3
{

namespace
{

/**
 * Returns the index of a role in @p roles, and adds the role first if @p roles contains no equal
 * role. Throws HpccInputError if the role would be the 65536th.
 * @param roles all sender roles or all receiver roles of a host
 * @param role the role to find or add
 */
template <typename Role>
uint16_t
StoreIn(std::vector<Role>& roles, const Role& role)
{
    for (size_t i = roles.size(); i-- > 0;) // usually the last role is equal
    {
        if (roles[i] == role)
        {
            return static_cast<uint16_t>(i);
        }
    }
    HPCC_REFUSE_IF(roles.size() >= RdmaEnd::NO_ROLE,
                   "ns3::RdmaHost::Connect: a host has queue pairs of 65535 "
                   "configurations, the largest allowed number");
    roles.push_back(role);
    return static_cast<uint16_t>(roles.size() - 1);
}

} // namespace

uint16_t
RdmaConnections::StoreRole(const RdmaSenderRole& role)
{
    return StoreIn(m_senderRoles, role);
}

uint16_t
RdmaConnections::StoreRole(const RdmaReceiverRole& role)
{
    return StoreIn(m_receiverRoles, role);
}

Ptr<const RdmaFeedback>
RdmaConnections::FeedbackOf(uint32_t index) const
{
    const size_t role = index < m_ends.size() ? m_ends[index].sender : RdmaEnd::NO_ROLE;
    return role < m_senderRoles.size() ? m_senderRoles[role].config.feedback : nullptr;
}

void
RdmaConnections::ForgetRoles()
{
    for (size_t index = 0; index < m_ends.size(); ++index)
    {
        if (!m_open[index].queuePair)
        {
            m_ends[index].slot = RdmaEnd::NONE; // without a role, no state can be created
        }
    }
    m_senderRoles.clear();
    m_receiverRoles.clear();
    m_forgotten = true;
}

void
RdmaConnections::RequireRoles(const char* call) const
{
    HPCC_REFUSE_IF(m_forgotten,
                   std::string(call) +
                       "Simulator::Destroy() has removed the host; use hosts of another network");
}

void
RdmaConnections::ReserveSlot(uint32_t index)
{
    if (m_freeSlots.empty())
    {
        m_ends[index].slot = queuePairs.AddSlot();
        return;
    }
    m_ends[index].slot = m_freeSlots.back();
    m_freeSlots.pop_back();
}

RdmaQueuePair&
RdmaConnections::CreateState(uint32_t index)
{
    RdmaEnd& end = m_ends[index];
    if (end.slot == RdmaEnd::NONE)
    {
        ReserveSlot(index);
    }
    RdmaQueuePair& qp = queuePairs.Use(end.slot);
    m_open[index].queuePair = &qp;
    qp.slot = end.slot;
    qp.number = NumberOfIndex(index);
    qp.peerNumber = end.peerNumber;
    qp.peer = end.peer;
    qp.port = end.port;
    qp.udpSourcePort = end.udpSourcePort;
    return qp;
}

void
RdmaConnections::FreeSlot(RdmaQueuePair& qp)
{
    const uint32_t index = IndexOfNumber(qp.number);
    RdmaEnd& end = m_ends[index];
    end.donePsn = static_cast<uint32_t>(qp.expectedPsn);
    end.done = true;
    m_freeSlots.push_back(end.slot);
    end.slot = RdmaEnd::NONE;
    m_open[index].queuePair = nullptr;
    qp = RdmaQueuePair();
}

} // namespace ns3
