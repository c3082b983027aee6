/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-host.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-presets.h"
#include "ns3/ipv4-address.h"

#include <algorithm>
#include <sstream>
#include <string>

// RdmaHost's queue pairs: how they are connected, and which of them are in use.

namespace ns3
{

namespace
{

/// @return index of a role, added unless there is one like it
template <typename Role>
uint16_t
Keep(std::vector<Role>& roles, const Role& role)
{
    auto found = std::find(roles.rbegin(), roles.rend(), role);
    if (found == roles.rend())
    {
        if (roles.size() > UINT16_MAX)
        {
            throw HpccInputError("ns3::RdmaHost::Connect: a host has queue pairs of 65536 "
                                 "configurations; at most as many are allowed");
        }
        roles.push_back(role);
        found = roles.rbegin();
    }
    return static_cast<uint16_t>(&*found - roles.data());
}

/**
 * @param address of a host
 * @return its dotted form
 */
std::string
TextOf(uint32_t address)
{
    std::ostringstream out;
    out << Ipv4Address(address);
    return out.str();
}

/**
 * @param policy of a queue pair
 * @param config the queue pair
 * @return the needs of the policy with the telemetry of the queue pair
 */
RdmaPolicyDescription
DescribePolicy(const RdmaCongestionOps& policy, const RdmaQueuePairConfig& config)
{
    return policy.Describe(config.telemetry ? &config.telemetry->GetCapabilities() : nullptr);
}

/**
 * Refuses what RdmaHost::Connect() cannot connect.
 * @param host requester
 * @param agenda of its node; null before RdmaHost::Install()
 * @param peer responder
 * @param config the queue pair
 */
void
CheckConnect(const RdmaHost& host,
             const NodeAgenda* agenda,
             const Ptr<RdmaHost>& peer,
             const RdmaQueuePairConfig& config)
{
    const std::string where = "ns3::RdmaHost::Connect: ";
    if (!agenda)
    {
        throw HpccInputError(where + "the host has no node; call Install() first");
    }
    if (!peer || PeekPointer(peer) == &host)
    {
        throw HpccInputError(where + "the peer of node " + std::to_string(agenda->GetNodeId()) +
                             " is " + (peer ? "itself" : "null") +
                             "; allowed is the RdmaHost of another node");
    }
    if (!config.policy)
    {
        throw HpccInputError(where +
                             "RdmaQueuePairConfig::policy is null; allowed is a congestion "
                             "control, such as " +
                             HpccPresets::Choices(RdmaCongestionOps::GetTypeId()));
    }
    const RdmaPolicyDescription needs = DescribePolicy(*config.policy, config);
    if (!needs.telemetry.empty() && !config.telemetry)
    {
        throw HpccInputError(where + "RdmaQueuePairConfig::telemetry is null, but " +
                             config.policy->GetInstanceTypeId().GetName() +
                             " needs a telemetry format, such as " + needs.telemetry);
    }
    if (needs.receiverPart && !config.policy->GetReceiver())
    {
        throw HpccInputError(where + config.policy->GetInstanceTypeId().GetName() +
                             "::Describe() sets receiverPart to true, but GetReceiver() returns "
                             "null; allowed is the part of the policy that runs at the receiver");
    }
}

} // namespace

uint32_t
RdmaHost::Connect(Ptr<RdmaHost> peer, const RdmaQueuePairConfig& config)
{
    CheckConnect(*this, m_agenda, peer, config);
    if (config.feedback && config.telemetry)
    {
        const std::string why = config.feedback->ValidateFor(*config.policy,
                                                             config.telemetry->GetCapabilities(),
                                                             config.networkBaseRttNs);
        if (!why.empty())
        {
            throw HpccInputError(why);
        }
    }
    if (m_feedbackKey != peer->m_feedbackKey)
    {
        throw HpccInputError("ns3::RdmaHost::FeedbackKey of " + TextOf(m_address) + " and " +
                             TextOf(peer->m_address) +
                             " differ; hosts that connect must have the same");
    }
    const auto index = static_cast<uint32_t>(m_ends.size());
    const auto peerIndex = static_cast<uint32_t>(peer->m_ends.size());
    if (std::max(index, peerIndex) + FIRST_QPN > 0xffffff)
    {
        throw HpccInputError("ns3::RdmaHost::Connect: a host has " +
                             std::to_string(std::max(index, peerIndex)) +
                             " queue pairs; no more are allowed, their numbers have 24 bits");
    }
    uint16_t port = config.udpSourcePort;
    if (port == 0)
    {
        port = static_cast<uint16_t>(0xc000 + ((index + FIRST_QPN) * 2654435761U >> 18));
    }
    RdmaEnd own{peer->m_address, peerIndex + FIRST_QPN, port};
    RdmaEnd remote{m_address, index + FIRST_QPN, port};
    const RdmaSenderRole role = MakeSenderRole(config.policy, config);
    KeepRoles(role, own, *peer, remote);
    if (config.responderPolicy)
    {
        peer->KeepRoles(peer->MakeSenderRole(config.responderPolicy, config), remote, *this, own);
    }
    m_ends.push_back(own);
    peer->m_ends.push_back(remote);
    if (!role.config.singleMessage)
    {
        // An end in another process is represented by its number only, unless a secret has to be
        // shared with it.
        const bool both = !m_feedbackKey.empty();
        if (both || !m_agenda->IsForeign())
        {
            Open(index).readable = config.responderPolicy != nullptr;
        }
        if (both || !peer->m_agenda->IsForeign())
        {
            peer->Open(peerIndex);
        }
        if (both)
        {
            RdmaQueuePair& qp = *Find(index + FIRST_QPN);
            RdmaQueuePair& other = *peer->Find(peerIndex + FIRST_QPN);
            Authenticate(qp, other);
            peer->Authenticate(other, qp);
        }
    }
    return index;
}

void
RdmaHost::KeepRoles(RdmaSenderRole sender, RdmaEnd& own, RdmaHost& peer, RdmaEnd& remote)
{
    RdmaReceiverRole receiver = peer.MakeReceiverRole(sender);
    if (receiver.policy)
    {
        receiver.flow = FlowInfoOf(sender.config);
    }
    receiver.dataPriority = m_port->GetPriority(DscpOf(sender.config) << 2);
    sender.echoForPolicy = receiver.echoForPolicy;
    own.sender = Keep(m_senderRoles, sender);
    remote.receiver = Keep(peer.m_receiverRoles, receiver);
}

RdmaSenderRole
RdmaHost::MakeSenderRole(Ptr<RdmaCongestionOps> policy, const RdmaQueuePairConfig& config) const
{
    RdmaSenderRole role{config,
                        false,
                        m_repathing != nullptr,
                        m_repathing && m_repathing->SendsPathProbes()};
    role.config.policy = policy;
    role.config.responderPolicy = nullptr;
    role.config.udpSourcePort = 0;
    if (DescribePolicy(*policy, config).telemetry.empty())
    {
        role.config.telemetry = nullptr;
    }
    if (!role.config.telemetry || (config.feedback && config.feedback->IsPerPacket()))
    {
        role.config.feedback = nullptr;
    }
    if (config.recovery.empty())
    {
        role.config.recovery = m_recovery;
    }
    // An authenticator numbers the reflections of its queue pair: it has to live as long.
    role.config.singleMessage =
        config.singleMessage && !config.responderPolicy && m_feedbackKey.empty();
    const TelemetryFormat* format = PeekPointer(role.config.telemetry);
    role.ipv6 = UsesIpv6(format);
    uint32_t full = DataFrameBytes(m_mtu, ROCE_WRITE_MIDDLE, format);
    if (full > m_port->GetMaxFrameBytes())
    {
        throw HpccInputError("ns3::RdmaHost::Mtu " + std::to_string(m_mtu) + ": frames of " +
                             std::to_string(full) +
                             " bytes, telemetry included, are too long; ns3::QbbNetDevice::Mtu "
                             "allows " +
                             std::to_string(m_port->GetMaxFrameBytes()));
    }
    return role;
}

RdmaFlowInfo
RdmaHost::FlowInfoOf(const RdmaQueuePairConfig& config) const
{
    RdmaFlowInfo info{};
    info.lineRateBps = m_port->GetRateBps();
    info.mtuBytes = m_mtu;
    info.headerBytes =
        m_port->GetLinkBytes(DataFrameBytes(m_mtu, ROCE_WRITE_MIDDLE, nullptr)) - m_mtu;
    info.baseRttNs = config.baseRttNs;
    info.spread = config.spread;
    info.telemetry = config.telemetry ? &config.telemetry->GetCapabilities() : nullptr;
    info.sparse =
        config.thinned ||
        (config.feedback && config.feedback->IsSparse(PacketsPerRtt(config.networkBaseRttNs)));
    info.packetsPerRecord = config.feedback ? config.feedback->PacketsPerRecord(m_ackInterval) : 0;
    return info;
}

double
RdmaHost::PacketsPerRtt(int64_t baseRttNs) const
{
    return static_cast<double>(baseRttNs) * static_cast<double>(m_port->GetRateBps()) / 8e9 / m_mtu;
}

RdmaReceiverRole
RdmaHost::MakeReceiverRole(const RdmaSenderRole& like) const
{
    const Ptr<RdmaCongestionOps>& policy = like.config.policy;
    const RdmaPolicyDescription needs = DescribePolicy(*policy, like.config);
    const bool ecn = needs.ecn != RdmaPolicyDescription::NOT_ECT;
    const Ptr<const RdmaFeedback>& feedback = like.config.feedback;
    const bool receives = needs.receiverPart || (feedback && feedback->ComputesAtReceiver());
    const bool echoes = ecn && !receives && (!needs.cnps || m_congestionEcho == ECHO_ACK);
    return {receives ? policy : nullptr,
            like.config.feedback,
            like.config.networkBaseRttNs,
            {},
            feedback && feedback->CountsFlows()
                ? feedback->GetCountWindowNs(like.config.networkBaseRttNs)
                : 0,
            like.config.recovery,
            m_cnpInterval.IsZero() ? needs.cnpIntervalNs : m_cnpInterval.GetNanoSeconds(),
            needs.cnps && m_congestionEcho == ECHO_CNP,
            echoes,
            echoes || like.repaths,
            like.ipv6,
            like.config.singleMessage,
            like.probesPaths};
}

void
RdmaHost::Authenticate(RdmaQueuePair& sender, RdmaQueuePair& receiver)
{
    if (!sender.format || m_feedbackKey.empty())
    {
        return;
    }
    std::ostringstream context;
    context << sender.local << "/" << sender.number << "-" << sender.peer << "/"
            << sender.peerNumber;
    m_authenticators.emplace_back(m_feedbackKey, context.str());
    sender.authenticator = receiver.signer = &m_authenticators.back();
}

RdmaQueuePair&
RdmaHost::Open(uint32_t index)
{
    RdmaEnd& end = m_ends[index];
    if (m_freeSlots.empty())
    {
        m_freeSlots.push_back(static_cast<uint32_t>(m_queuePairs.size()));
        m_queuePairs.emplace_back();
    }
    end.slot = m_freeSlots.back();
    m_freeSlots.pop_back();
    RdmaQueuePair& qp = m_queuePairs[end.slot];
    qp.slot = end.slot;
    qp.number = index + FIRST_QPN;
    qp.peerNumber = end.peerNumber;
    qp.local = m_address;
    qp.peer = end.peer;
    qp.mtu = m_mtu;
    qp.udpSourcePort = end.udpSourcePort;
    qp.flowHash = HashFiveTuple(qp.local, qp.peer, qp.udpSourcePort, ROCE_UDP_PORT, 17);
    if (end.receiver != RdmaEnd::NO_ROLE)
    {
        SetUpReceiver(qp, m_receiverRoles[end.receiver]);
        qp.expectedPsn = qp.messagePsn = end.donePsn;
        qp.deliveredMessages = end.done ? 1 : 0;
    }
    if (end.sender != RdmaEnd::NO_ROLE)
    {
        SetUpSender(qp, m_senderRoles[end.sender]);
    }
    return qp;
}

void
RdmaHost::SetUpSender(RdmaQueuePair& qp, const RdmaSenderRole& role)
{
    const RdmaQueuePairConfig& config = role.config;
    const RdmaPolicyDescription needs = DescribePolicy(*config.policy, config);
    qp.ipv6 = role.ipv6;
    qp.singleMessage = config.singleMessage;
    qp.ops = PeekPointer(config.policy);
    qp.format = PeekPointer(config.telemetry);
    qp.baseRttNs = config.baseRttNs;
    qp.spread = config.spread;
    qp.echoForPolicy = role.echoForPolicy;
    qp.thinned = config.thinned;
    if (config.feedback)
    {
        qp.feedback = std::make_unique<RdmaFeedback::State>();
        config.feedback->Open(*qp.feedback, config.networkBaseRttNs);
    }
    if (role.repaths)
    {
        qp.path = m_repathing->MakeState();
    }
    const RdmaRecovery& recovery = FindRecovery(config.recovery);
    qp.recovery = &recovery;
    qp.limits = recovery.GetLimits({m_port->GetRateBps(),
                                    m_mtu,
                                    config.networkBaseRttNs,
                                    m_retransmitTimeout.GetNanoSeconds()});
    qp.reportsSent = needs.sentPackets;
    qp.receiverPart = needs.receiverPart;
    if (needs.rttOfEachAck)
    {
        qp.departures = std::make_unique<RdmaDepartures>();
    }
    const bool markedForPaths = role.repaths && needs.ecn == RdmaPolicyDescription::NOT_ECT;
    const uint8_t ecn = markedForPaths ? RdmaPolicyDescription::ECT0 : needs.ecn;
    qp.tos = DscpOf(config) << 2 | ecn;
    qp.priority = m_port->GetPriority(qp.tos);
}

uint8_t
RdmaHost::DscpOf(const RdmaQueuePairConfig& config) const
{
    return config.dscp < 0 ? m_dataDscp : static_cast<uint8_t>(config.dscp);
}

void
RdmaHost::SetUpReceiver(RdmaQueuePair& qp, const RdmaReceiverRole& role)
{
    qp.ipv6 = role.ipv6;
    qp.singleMessage = role.singleMessage;
    qp.recovery = &FindRecovery(role.recovery);
    qp.receiverOps = role.policy ? role.policy->GetReceiver() : nullptr;
    if (role.feedback)
    {
        qp.reflector = std::make_unique<RdmaReflector>(*role.feedback,
                                                       role.networkBaseRttNs,
                                                       role.answersPathProbes);
    }
    if (role.feedback && (role.feedback->ComputesAtReceiver() || role.feedback->CountsFlows()))
    {
        qp.control = std::make_unique<RdmaReceiverControl>(PeekPointer(role.feedback));
    }
    if (role.countWindowNs > 0)
    {
        m_countsFlows = true;
        for (HpccFlowCounter& counter : m_flowCounters)
        {
            counter.Cover(role.countWindowNs);
        }
    }
    qp.sendsCnp = role.sendsCnp;
    qp.cnpIntervalNs = role.cnpIntervalNs;
    qp.congestionEcho = role.congestionEcho;
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
        m_scheduler.Update(qp, IndexOf(qp), nowNs);
    }
    if (!done || qp.schedule != RdmaQueuePair::Schedule::IDLE)
    {
        return;
    }
    if (qp.receiver)
    {
        qp.receiverOps->CloseReceiver(qp.receiver);
    }
    for (RdmaTimerHeap* timers :
         {&m_policyTimers, &m_timeoutTimers, &m_ackTimers, &m_receiverTimers, &m_probeTimers})
    {
        timers->Remove(qp.slot);
    }
    RdmaEnd& end = m_ends[IndexOfNumber(qp.number)];
    end.donePsn = static_cast<uint32_t>(qp.expectedPsn);
    end.done = true;
    m_freeSlots.push_back(end.slot);
    end.slot = RdmaEnd::NONE;
    qp = RdmaQueuePair();
}

const RdmaQueuePair&
RdmaHost::GetQueuePair(uint32_t queuePair) const
{
    if (queuePair >= m_ends.size() || m_ends[queuePair].slot == RdmaEnd::NONE)
    {
        throw HpccInputError("ns3::RdmaHost::GetQueuePair: host " + TextOf(m_address) +
                             " has no queue pair " + std::to_string(queuePair) +
                             " in use; allowed are numbers that Connect() returned, of queue pairs "
                             "that were not closed");
    }
    return m_queuePairs[m_ends[queuePair].slot];
}

RdmaQueuePair*
RdmaHost::Find(uint32_t number)
{
    uint32_t index = IndexOfNumber(number);
    if (index >= m_ends.size() || m_ends[index].slot == RdmaEnd::NONE)
    {
        return nullptr;
    }
    return &m_queuePairs[m_ends[index].slot];
}

RdmaQueuePair*
RdmaHost::FindReceiver(uint32_t number)
{
    uint32_t index = IndexOfNumber(number);
    if (index >= m_ends.size() || m_ends[index].receiver == RdmaEnd::NO_ROLE)
    {
        return nullptr;
    }
    const RdmaEnd& end = m_ends[index];
    return end.slot == RdmaEnd::NONE ? &Open(index) : &m_queuePairs[end.slot];
}

} // namespace ns3
