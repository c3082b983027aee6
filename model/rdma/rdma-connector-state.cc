/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-connector.h"
#include "rdma-departures.h"
#include "rdma-feedback-state.h"
#include "rdma-receiver-control.h"
#include "rdma-reflector.h"
#include "rdma-sack-sender.h"
#include "rdma-sack-state.h"

#include <memory>
#include <sstream>

// Creates the state of queue pairs when they are first used. Connect() is in rdma-connector.cc.

namespace ns3
{

void
RdmaConnector::ReserveEnds(uint32_t index, RdmaConnector& peer, uint32_t peerIndex)
{
    if (m_core.settings.feedbackKey.empty())
    {
        ReserveEnd(index);
        peer.ReserveEnd(peerIndex);
        return;
    }
    // Both ends refer to the same authenticators. Therefore both states are created, even if
    // another process simulates one of the ends.
    RdmaQueuePair& qp = Open(index);
    RdmaQueuePair& other = peer.Open(peerIndex);
    Authenticate(qp, other);
    peer.Authenticate(other, qp);
}

void
RdmaConnector::ReserveEnd(uint32_t index)
{
    // If another process simulates the end, this process stores only its RdmaEnd record.
    if (m_core.agenda->IsForeign())
    {
        return;
    }
    m_core.connections.ReserveSlot(index);
    const RdmaEnd& end = m_core.connections.GetEnd(index);
    if (end.receiver != RdmaEnd::NO_ROLE)
    {
        const RdmaReceiverRole& role = m_core.connections.GetReceiverRole(end.receiver);
        FindRecovery(role.recovery); // creates the recovery now, because defaults of attributes may
                                     // change later
        if (role.countWindowNs > 0)
        {
            m_receivers.CountFlows(role.countWindowNs);
        }
    }
}

void
RdmaConnector::OpenAll()
{
    ++m_changes;
    for (uint32_t index = 0; index < m_core.connections.GetSize(); ++index)
    {
        FindInUse(index);
    }
}

void
RdmaConnector::Authenticate(RdmaQueuePair& sender, RdmaQueuePair& receiver)
{
    if (!sender.format || m_core.settings.feedbackKey.empty())
    {
        return;
    }
    std::ostringstream context;
    context << sender.local << "/" << sender.number << "-" << sender.peer << "/"
            << sender.peerNumber;
    m_authenticators.emplace_back(m_core.settings.feedbackKey, context.str());
    sender.authenticator = receiver.signer = &m_authenticators.back();
    sender.requesterUses |= USES_AUTHENTICATOR;
    receiver.responderUses |= USES_SIGNER;
}

RdmaQueuePair&
RdmaConnector::Open(uint32_t index)
{
    RdmaQueuePair& qp = m_core.connections.CreateState(index);
    const RdmaEnd& end = m_core.connections.GetEnd(index);
    qp.local = m_core.PortOf(qp).address;
    qp.mtu = m_core.settings.mtu;
    qp.flowHash = HashFiveTuple(qp.local, qp.peer, qp.udpSourcePort, ROCE_UDP_PORT, 17);
    if (end.receiver != RdmaEnd::NO_ROLE)
    {
        SetUpReceiver(qp, m_core.connections.ReceiverRoleOf(qp));
        qp.expectedPsn = qp.messagePsn = end.donePsn;
        qp.deliveredMessages = end.done ? 1 : 0;
    }
    if (end.sender != RdmaEnd::NO_ROLE)
    {
        SetUpSender(qp, m_core.connections.SenderRoleOf(qp));
    }
    return qp;
}

void
RdmaConnector::SetUpSender(RdmaQueuePair& qp, const RdmaSenderRole& role)
{
    const RdmaQueuePairConfig& config = role.config;
    qp.ipv6 = role.ipv6;
    qp.singleMessage = config.singleMessage;
    qp.ops = PeekPointer(config.policy);
    qp.format = PeekPointer(config.telemetry);
    qp.baseRttNs = config.baseRttNs;
    qp.echoForPolicy = role.echoForPolicy;
    if (config.feedback)
    {
        qp.feedback = std::make_unique<RdmaFeedbackState>();
        config.feedback->Open(*qp.feedback, config.networkBaseRttNs);
        qp.requesterUses |= USES_FEEDBACK;
    }
    if (role.repaths)
    {
        qp.path = m_core.settings.repathing->MakeState();
        qp.requesterUses |= USES_PATHS;
    }
    const RdmaRecovery& recovery = FindRecovery(config.recovery);
    qp.recovery = &recovery;
    qp.limits = recovery.GetLimits(PathOf(qp.port, config.networkBaseRttNs));
    qp.reportsSent = role.reportsSent;
    qp.receiverPart = role.receiverPart;
    if (role.rttOfEachAck && !recovery.UsesSacks())
    {
        qp.departures = std::make_unique<RdmaDepartures>();
    }
    qp.tos = role.tos;
    qp.priority = role.priority;
    if (recovery.UsesSacks())
    {
        SetUpSacks(qp, recovery, config);
    }
}

void
RdmaConnector::SetUpSacks(RdmaQueuePair& qp,
                          const RdmaRecovery& recovery,
                          const RdmaQueuePairConfig& config)
{
    auto& sender = static_cast<RdmaSackSender&>(qp.Retransmission());
    qp.sack.reset(new RdmaSackState{sender,
                                    recovery.GetSackTerms(PathOf(qp.port, config.networkBaseRttNs)),
                                    nullptr});
    qp.sack->terms->ackBytes =
        SackBytes(*qp.sack->terms, AckIntervalOf(PeekPointer(config.feedback)), qp.mtu);
    if (m_core.settings.entropy)
    {
        qp.sack->entropy = m_core.settings.entropy->MakeState();
        qp.sack->entropyValues = m_core.settings.entropy->GetValues();
        qp.sack->obeysShares = m_core.settings.entropy->NeedsShares();
    }
    qp.requesterUses |= SENDS_SPRAYED;
    qp.rttPsn = RdmaQueuePair::NO_RTT_PSN;
    qp.recovering = true;
    qp.lostNeedsRoom = true;
}

void
RdmaConnector::SetUpReceiver(RdmaQueuePair& qp, const RdmaReceiverRole& role)
{
    qp.receives = true;
    qp.ipv6 = role.ipv6;
    qp.singleMessage = role.singleMessage;
    qp.recovery = &FindRecovery(role.recovery);
    qp.ackInterval = AckIntervalOf(PeekPointer(role.feedback));
    if (role.policy)
    {
        qp.receiverOps = role.policy->GetReceiver();
        qp.responderUses |= USES_RECEIVER_POLICY;
    }
    if (role.feedback)
    {
        qp.reflector = std::make_unique<RdmaReflector>(*role.feedback,
                                                       role.networkBaseRttNs,
                                                       role.answersPathProbes);
        qp.responderUses |= USES_REFLECTOR;
    }
    if (role.feedback && (role.feedback->ComputesAtReceiver() || role.feedback->CountsFlows()))
    {
        qp.control =
            std::make_unique<RdmaReceiverControl>(PeekPointer(role.feedback),
                                                  role.flow.multipath == Multipath::EVERY_PACKET);
    }
    if (qp.recovery->UsesSacks())
    {
        const auto terms = qp.recovery->GetSackTerms(PathOf(qp.port, role.networkBaseRttNs));
        qp.sackReceiver.reset(new RdmaSackReceiver{SackBytes(*terms, qp.ackInterval, qp.mtu)});
        qp.responderUses |= USES_SACK;
    }
    if (role.countWindowNs > 0)
    {
        m_receivers.CountFlows(role.countWindowNs);
    }
    if (m_receivers.CountsFlows())
    {
        qp.responderUses |= USES_FLOW_COUNT;
    }
    if (m_core.settings.IsEverDishonest())
    {
        qp.responderUses |= USES_FORGER;
    }
    qp.sendsCnp = role.sendsCnp;
    qp.cnpIntervalNs = role.cnpIntervalNs;
    qp.congestionEcho = role.congestionEcho;
}

} // namespace ns3
