/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-connections.h"

#include "ns3/hpcc-input-error.h"

#include <algorithm>

namespace ns3
{

namespace
{

/**
 * Returns the index of a role in @p roles, after adding the role unless an equal one is there.
 * Throws HpccInputError if there are 65536 roles already.
 * @param roles the roles of a host
 * @param role a role
 */
template <typename Role>
uint16_t
KeepIn(std::vector<Role>& roles, const Role& role)
{
    auto found = std::find(roles.rbegin(), roles.rend(), role);
    if (found == roles.rend())
    {
        HPCC_REFUSE_IF(roles.size() > UINT16_MAX,
                       "ns3::RdmaHost::Connect: a host has queue pairs of 65536 "
                       "configurations; at most as many are allowed");
        roles.push_back(role);
        found = roles.rbegin();
    }
    return static_cast<uint16_t>(&*found - roles.data());
}

} // namespace

uint16_t
RdmaConnections::Keep(const RdmaSenderRole& role)
{
    return KeepIn(m_senderRoles, role);
}

uint16_t
RdmaConnections::Keep(const RdmaReceiverRole& role)
{
    return KeepIn(m_receiverRoles, role);
}

void
RdmaConnections::ForgetRoles()
{
    m_senderRoles.clear();
    m_receiverRoles.clear();
}

RdmaQueuePair&
RdmaConnections::TakeSlot(uint32_t index)
{
    if (m_freeSlots.empty())
    {
        m_freeSlots.push_back(static_cast<uint32_t>(queuePairs.size()));
        queuePairs.emplace_back();
    }
    RdmaEnd& end = m_ends[index];
    end.slot = m_freeSlots.back();
    m_freeSlots.pop_back();
    RdmaQueuePair& qp = queuePairs[end.slot];
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
    RdmaEnd& end = m_ends[IndexOfNumber(qp.number)];
    end.donePsn = static_cast<uint32_t>(qp.expectedPsn);
    end.done = true;
    m_freeSlots.push_back(end.slot);
    end.slot = RdmaEnd::NONE;
    qp = RdmaQueuePair();
}

} // namespace ns3
