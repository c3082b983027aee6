/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-poster.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/node-list.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <string>

namespace ns3
{

namespace
{

/**
 * Throws an HpccInputError for a message that RdmaHost::Post() cannot post.
 * @param queuePair index of the queue pair
 * @param why description of the error and of the allowed values
 */
[[noreturn]] void
RefusePost(uint32_t queuePair, const std::string& why)
{
    throw HpccInputError("ns3::RdmaHost::Post: queue pair " + std::to_string(queuePair) + ": " +
                         why);
}

/**
 * Finds the node whose callback is running, if the clock of this node is behind ns-3's clock.
 * @return agenda of the node; null if there is no such node
 */
Ptr<NodeAgenda>
FindLateCaller()
{
    const uint32_t node = Simulator::GetContext();
    if (node >= NodeList::GetNNodes())
    {
        return nullptr;
    }
    Ptr<NodeAgenda> agenda = NodeList::GetNode(node)->GetObject<NodeAgenda>();
    return agenda && agenda->NowNs() < Simulator::Now().GetTimeStep() ? agenda : nullptr;
}

} // namespace

void
RdmaPoster::CheckMessage(uint32_t queuePair, RdmaVerb verb, uint64_t bytes, bool first) const
{
    CheckRequest(queuePair, verb, bytes);
    const RdmaQueuePair* open = m_core.connections.Find(RdmaConnections::NumberOfIndex(queuePair));
    const uint32_t posted = open ? open->messages : 0;
    Check(queuePair, verb, bytes, first ? posted : posted + 1);
}

void
RdmaPoster::CheckRequest(uint32_t queuePair, RdmaVerb verb, uint64_t bytes) const
{
    const RdmaConnections& connections = m_core.connections;
    connections.RequireRoles("ns3::RdmaHost::Post: ");
    const bool known = queuePair < connections.GetSize();
    if (!known || connections.GetEnd(queuePair).sender == RdmaEnd::NO_ROLE)
    {
        RefusePost(queuePair,
                   known ? "it has no policy at this end; give RdmaQueuePairConfig::responderPolicy"
                         : "it does not exist; the host has " +
                               std::to_string(connections.GetSize()) + " queue pairs");
    }
    if (bytes < 1 || bytes > RDMA_MAX_MESSAGE_BYTES)
    {
        RefusePost(queuePair,
                   "a message of " + std::to_string(bytes) + " bytes; allowed are 1 to " +
                       std::to_string(RDMA_MAX_MESSAGE_BYTES));
    }
    if (verb >= RdmaVerb::READ_RESPONSE)
    {
        RefusePost(queuePair,
                   "the verb is " +
                       (verb == RdmaVerb::READ_RESPONSE
                            ? std::string("READ_RESPONSE")
                            : "number " + std::to_string(static_cast<uint32_t>(verb))) +
                       "; allowed are SEND, WRITE and READ");
    }
}

uint32_t
RdmaPoster::Post(uint32_t queuePair, RdmaVerb verb, uint64_t bytes)
{
    CheckRequest(queuePair, verb, bytes);
    const int64_t nowNs = m_core.agenda->CatchUp();
    // If the clock of this host is still behind ns-3's clock after CatchUp(), a callback of this
    // host is running, so the post is allowed.
    if (const auto caller = FindLateCaller(); caller && nowNs == Simulator::Now().GetTimeStep())
    {
        RefusePost(queuePair,
                   "a callback of node " + std::to_string(caller->GetNodeId()) + " posts at node " +
                       std::to_string(m_core.agenda->GetNodeId()) +
                       ", so that the time of the message would depend on NodeAgenda::MaxLag; "
                       "allowed are posts at the node of the callback, or MaxLag 0, as with "
                       "--max-lag=0ns");
    }
    RdmaQueuePair* const open = m_core.connections.Find(RdmaConnections::NumberOfIndex(queuePair));
    RdmaQueuePair& qp = open ? *open : m_connector.Open(queuePair);
    const uint32_t number =
        qp.messages + (m_core.nic ? m_core.nic->CountHeld(RdmaNic::POST, qp.number) : 0);
    Check(queuePair, verb, bytes, number);
    m_core.Post(qp, nowNs, [this, &qp, verb, bytes, postedNs = nowNs](int64_t dueNs) {
        if (verb == RdmaVerb::READ)
        {
            m_reads.Post(qp, bytes, postedNs, dueNs);
        }
        else
        {
            m_requester.Append(qp, verb, bytes, 0, dueNs);
            qp.newest->postedNs = postedNs;
        }
    });
    if (!m_core.traces.messagePosted.IsEmpty())
    {
        m_core.traces.messagePosted({m_core.connections.HostOf(qp.local),
                                     m_core.connections.HostOf(qp.peer),
                                     qp.number,
                                     number,
                                     qp.udpSourcePort,
                                     bytes,
                                     nowNs,
                                     -1});
    }
    return number;
}

void
RdmaPoster::Check(uint32_t queuePair, RdmaVerb verb, uint64_t bytes, uint32_t number) const
{
    const RdmaEnd& end = m_core.connections.GetEnd(queuePair);
    const RdmaSenderRole& role = m_core.connections.SenderRoleOf(end);
    if (role.config.singleMessage && (end.done || number > 0))
    {
        RefusePost(queuePair, "a second message; RdmaQueuePairConfig::singleMessage allows one");
    }
    if (verb == RdmaVerb::READ && (!role.readable || bytes > UINT32_MAX))
    {
        RefusePost(queuePair,
                   role.readable ? "a READ of " + std::to_string(bytes) +
                                       " bytes; allowed are at most 4294967295"
                                 : "READ needs a policy for the responses; connect with reads "
                                   "(HpccFabricHelper::Connect(), or "
                                   "RdmaQueuePairConfig::responderPolicy)");
    }
    if (verb != RdmaVerb::WRITE && m_connector.UsesSacks(role))
    {
        RefusePost(queuePair,
                   "the verb is not WRITE, the only verb that a recovery with SACKs supports");
    }
    if (const uint8_t now = m_core.port->GetPriority(role.tos); now != role.priority)
    {
        RefusePost(queuePair,
                   "ns3::QbbNetDevice::DscpToPriority of the host gives DSCP " +
                       std::to_string(role.tos >> 2) + " priority " + std::to_string(now) +
                       ", but gave it priority " + std::to_string(role.priority) +
                       " when the queue pair was connected; set the map before Connect()");
    }
}

} // namespace ns3
