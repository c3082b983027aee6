/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-connector.h"

#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-idle-path-forger.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-roce-headers.h"
#include "ns3/ipv4-address.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

// Checks configurations and stores roles. rdma-connector-state.cc creates the state of queue pairs.

namespace ns3
{

namespace
{

const std::string CALL = "ns3::RdmaHost::Connect: "; ///< start of error messages

/**
 * Returns an address in dotted notation.
 * @param address IPv4 address, host byte order
 */
std::string
TextOf(uint32_t address)
{
    std::ostringstream out;
    out << Ipv4Address(address);
    return out.str();
}

/**
 * Returns the configuration with which the other end of a queue pair sends READ responses. Ports
 * and base RTT are those of the other end. The policies are not swapped.
 * @param config the configuration at the end that posts the READs
 */
RdmaQueuePairConfig
ConfigOfResponses(const RdmaQueuePairConfig& config)
{
    RdmaQueuePairConfig reverse = config;
    std::swap(reverse.port, reverse.peerPort);
    reverse.baseRttNs =
        config.responderBaseRttNs > 0 ? config.responderBaseRttNs : config.baseRttNs;
    return reverse;
}

/// Refuses a DSCP or base RTT that is outside its range.
/// @param config the configuration of a queue pair
void
CheckNumbers(const RdmaQueuePairConfig& config)
{
    HPCC_REFUSE_IF(config.dscp < -1 || config.dscp > 63,
                   CALL + "RdmaQueuePairConfig::dscp is " + std::to_string(config.dscp) +
                       "; allowed are 0 to 63, and -1 for ns3::RdmaHost::DataDscp");
    using Rtt = std::pair<const char*, int64_t>;
    for (const auto& [name, ns] : {Rtt("baseRttNs", config.baseRttNs),
                                   Rtt("responderBaseRttNs", config.responderBaseRttNs),
                                   Rtt("networkBaseRttNs", config.networkBaseRttNs)})
    {
        HPCC_REFUSE_IF(ns < 0,
                       CALL + "RdmaQueuePairConfig::" + name + " is " + std::to_string(ns) +
                           " ns; allowed is at least 0 ns");
    }
}

} // namespace

RdmaPolicyDescription
RdmaConnector::Check(const RdmaConnector* peer, const RdmaQueuePairConfig& config)
{
    HPCC_REFUSE_IF(!m_core.agenda, CALL + "the host has no node; call Install() first");
    HPCC_REFUSE_IF(!peer || peer == this,
                   CALL + "the peer of node " + std::to_string(m_core.agenda->GetNodeId()) +
                       " is " + (peer ? "itself" : "null") +
                       "; allowed is the RdmaHost of another node");
    m_core.connections.RequireRoles(CALL.c_str());
    peer->m_core.connections.RequireRoles(CALL.c_str());
    CheckNumbers(config);
    RdmaPolicyDescription needs = RdmaPolicyChecks::Check(config);
    CheckEnds(*peer, config);
    return needs;
}

void
RdmaConnector::CheckEnds(const RdmaConnector& peer, const RdmaQueuePairConfig& config)
{
    HPCC_REFUSE_IF(config.telemetry && peer.m_core.settings.IsEverDishonest() &&
                       !IdlePathForger::CanForge(*config.telemetry),
                   "ns3::RdmaHost::DishonestFrom of " + TextOf(peer.m_core.address) + ": " +
                       config.telemetry->GetInstanceTypeId().GetName() +
                       " cannot describe an idle path; allowed are formats that report "
                       "queues or loads, such as int-md");
    const std::string& recovery =
        config.recovery.empty() ? m_core.settings.recovery : config.recovery;
    const RdmaRecovery& scheme = FindRecovery(recovery);
    HPCC_REFUSE_IF(
        config.responderPolicy && scheme.UsesSacks(),
        CALL + "READs with recovery " + recovery +
            ": this recovery supports only WRITEs; allowed are recoveries without SACKs");
    HPCC_REFUSE_IF(m_core.settings.feedbackKey != peer.m_core.settings.feedbackKey,
                   "ns3::RdmaHost::FeedbackKey of " + TextOf(m_core.address) + " and " +
                       TextOf(peer.m_core.address) +
                       " differ; hosts that connect must have the same");
    using Side = std::pair<const RdmaConnector*, uint8_t>;
    for (const auto& [host, port] : {Side(this, config.port), Side(&peer, config.peerPort)})
    {
        const RdmaHostCore& core = host->m_core;
        HPCC_REFUSE_IF(port >= core.ports.size(),
                       CALL + "host " + TextOf(core.address) + " has no port " +
                           std::to_string(port) + "; it has " + std::to_string(core.ports.size()) +
                           ", counted from 0");
        const uint32_t ttl = core.settings.ttl;
        const auto name = [&core] { return "ns3::RdmaHost::Ttl of " + TextOf(core.address); };
        HPCC_REFUSE_IF(ttl <= config.switches,
                       name() + " is " + std::to_string(ttl) + "; on a path with " +
                           std::to_string(config.switches) + " switch(es), allowed are " +
                           std::to_string(config.switches + 1) + " to 255");
        const bool sends = config.telemetry && (host == this || config.responderPolicy);
        const std::string why = sends ? config.telemetry->CheckTtl(ttl) : "";
        HPCC_REFUSE_IF(!why.empty(), name() + ": " + why);
    }
    CheckTimeout(scheme, peer, config);
    if (config.responderPolicy)
    {
        const std::string& own = peer.m_core.settings.recovery;
        peer.CheckTimeout(FindRecovery(config.recovery.empty() ? own : config.recovery),
                          *this,
                          ConfigOfResponses(config));
    }
    const uint32_t most = std::max(m_core.connections.GetSize(), peer.m_core.connections.GetSize());
    HPCC_REFUSE_IF(most + RdmaConnections::FIRST_QPN > RdmaConnections::MAX_QPN,
                   CALL + "a host has " + std::to_string(most) +
                       " queue pairs; allowed are no more, as their numbers have 24 bits");
}

void
RdmaConnector::CheckTimeout(const RdmaRecovery& recovery,
                            const RdmaConnector& peer,
                            const RdmaQueuePairConfig& config) const
{
    const auto limits = recovery.GetLimits(PathOf(config.port, config.networkBaseRttNs));
    const bool few = limits.packets <= limits.fewPackets; // the longer time-out never applies
    const int64_t timeoutNs = few ? limits.shortTimeoutNs : limits.timeoutNs;
    const auto leastOf = [](const RdmaHostCore& host, RdmaNic::Delay kind) {
        return host.nic ? host.nic->GetLeastNs(kind) : 0;
    };
    const int64_t nicsNs = leastOf(m_core, RdmaNic::FEEDBACK) + leastOf(peer.m_core, RdmaNic::ACK);
    const int64_t leastNs = config.baseRttNs + nicsNs;
    const auto ns = [](int64_t time) { return std::to_string(time) + " ns"; };
    HPCC_REFUSE_IF(
        config.baseRttNs > 0 && timeoutNs <= leastNs,
        (few ? recovery.GetInstanceTypeId().GetName() + ": the time-out for few packets"
             : recovery.GetTimeoutName()) +
            " is " + ns(timeoutNs) + ", but the round trip from " +
            TextOf(m_core.ports[config.port].address) + " to " +
            TextOf(peer.m_core.ports[config.peerPort].address) + " takes " + ns(leastNs) +
            " without any queue" +
            (nicsNs > 0 ? ", of which ns3::RdmaNic delays " + ns(nicsNs) : std::string()) +
            ", so all packets would be retransmitted; allowed is above " + ns(leastNs));
}

uint32_t
RdmaConnector::Connect(RdmaConnector* peer, const RdmaQueuePairConfig& config)
{
    const size_t recoveries = m_recoveries.size();
    const size_t ofPeer = peer ? peer->m_recoveries.size() : 0;
    try
    {
        return Add(peer, config);
    }
    catch (const HpccInputError&)
    {
        m_recoveries.resize(recoveries); // the next call may use other defaults of attributes
        if (peer)
        {
            peer->m_recoveries.resize(ofPeer);
        }
        throw;
    }
}

uint32_t
RdmaConnector::Add(RdmaConnector* peer, const RdmaQueuePairConfig& config)
{
    const RdmaPolicyDescription needs = Check(peer, config);
    if (!config.singleMessage && !peer->m_core.agenda->IsForeign())
    {
        // Creates the recovery of the receiver, or refuses it.
        peer->FindRecovery(config.recovery.empty() ? m_core.settings.recovery : config.recovery);
    }
    const uint32_t index = m_core.connections.GetSize();
    const uint32_t peerIndex = peer->m_core.connections.GetSize();
    const uint32_t number = RdmaConnections::NumberOfIndex(index);
    const auto derived = static_cast<uint16_t>(0xc000 + (number * 2654435761U >> 18));
    const uint16_t port = config.udpSourcePort != 0 ? config.udpSourcePort : derived;
    RdmaEnd own{peer->m_core.ports[config.peerPort].address,
                RdmaConnections::NumberOfIndex(peerIndex),
                port};
    RdmaEnd remote{m_core.ports[config.port].address, number, port};
    own.port = config.port;
    remote.port = config.peerPort;
    if (RepeatsLast(*peer, config, needs))
    {
        own.sender = m_last.own.sender;
        remote.receiver = m_last.receiver;
        CheckSender(m_core.connections.SenderRoleOf(own).config, needs);
    }
    else
    {
        ConnectRoles(config, needs, own, *peer, remote);
    }
    m_core.connections.Add(own);
    peer->m_core.connections.Add(remote);
    if (!m_core.connections.SenderRoleOf(own).config.singleMessage)
    {
        ReserveEnds(index, *peer, peerIndex);
    }
    return index;
}

void
RdmaConnector::ConnectRoles(const RdmaQueuePairConfig& config,
                            const RdmaPolicyDescription& needs,
                            RdmaEnd& own,
                            RdmaConnector& peer,
                            RdmaEnd& remote)
{
    RdmaSenderRole role = MakeSenderRole(config.policy, config, needs);
    role.readable = config.responderPolicy != nullptr;
    RdmaPolicyDescription their;
    std::optional<RdmaSenderRole> responses;
    if (config.responderPolicy)
    {
        const RdmaQueuePairConfig reverse = ConfigOfResponses(config);
        their = RdmaPolicyChecks::Describe(*config.responderPolicy, reverse);
        responses = peer.MakeSenderRole(config.responderPolicy, reverse, their);
    }
    // All checks come before this line, so that a refused queue pair changes neither host.
    FixParts(config);
    Know(peer.m_core);
    peer.Know(m_core);
    KeepRoles(role, needs, own, peer, remote);
    if (responses)
    {
        peer.FixParts(config);
        peer.KeepRoles(*responses, their, remote, *this, own);
    }
    m_last.peer = &peer;
    m_last.config = config;
    m_last.needs = NeedsOf(needs);
    m_last.changes = m_changes;
    m_last.peerChanges = peer.m_changes;
    m_last.own = own;
    m_last.receiver = remote.receiver;
}

void
RdmaConnector::FixParts(const RdmaQueuePairConfig& config) const
{
    if (config.feedback && config.telemetry)
    {
        config.feedback->Fix();
    }
    if (m_core.settings.entropy)
    {
        m_core.settings.entropy->Fix();
    }
}

void
RdmaConnector::KeepRoles(RdmaSenderRole& sender,
                         const RdmaPolicyDescription& needs,
                         RdmaEnd& own,
                         RdmaConnector& peer,
                         RdmaEnd& remote)
{
    RdmaReceiverRole receiver = peer.MakeReceiverRole(sender, needs);
    if (receiver.policy)
    {
        receiver.flow = sender.flow;
    }
    receiver.dataPriority = sender.priority;
    sender.echoForPolicy = receiver.echoForPolicy;
    own.sender = m_core.connections.StoreRole(sender);
    m_policyChecks.Note(own.sender, sender.config);
    remote.receiver = peer.m_core.connections.StoreRole(receiver);
}

RdmaSenderRole
RdmaConnector::MakeSenderRole(Ptr<RdmaCongestionOps> policy,
                              const RdmaQueuePairConfig& config,
                              const RdmaPolicyDescription& needs)
{
    RdmaSenderRole role{config,
                        {},
                        false,
                        m_core.settings.repathing != nullptr,
                        m_core.settings.repathing && m_core.settings.repathing->SendsPathProbes(),
                        m_core.settings.entropy != nullptr};
    role.config.policy = policy;
    role.config.responderPolicy = nullptr;
    role.config.udpSourcePort = 0;
    role.config.peerPort = 0;
    if (needs.telemetry.empty())
    {
        role.config.telemetry = nullptr;
    }
    if (!role.config.telemetry || (config.feedback && config.feedback->IsDefault()))
    {
        role.config.feedback = nullptr;
    }
    if (config.recovery.empty())
    {
        role.config.recovery = m_core.settings.recovery;
    }
    // A queue pair with an authenticator must keep its slot, because the state in this slot
    // contains the number of the last reflection.
    role.config.singleMessage =
        config.singleMessage && !config.responderPolicy && m_core.settings.feedbackKey.empty();
    const TelemetryFormat* format = PeekPointer(role.config.telemetry);
    role.ipv6 = m_core.packets.UsesIpv6(format);
    const bool markedForPaths =
        (role.repaths || role.sprays) && needs.ecn == RdmaPolicyDescription::NOT_ECT;
    const uint8_t ecn = markedForPaths ? RdmaPolicyDescription::ECT0 : needs.ecn;
    role.tos = DscpOf(role.config) << 2 | ecn;
    role.priority = m_core.port->GetPriority(role.tos);
    role.reportsSent = needs.sentPackets;
    role.receiverPart = needs.receiverPart;
    role.rttOfEachAck = needs.rttOfEachAck;
    CheckSender(role.config, needs);
    role.flow = FlowInfoOf(role.config, needs);
    return role;
}

void
RdmaConnector::CheckSender(const RdmaQueuePairConfig& config, const RdmaPolicyDescription& needs)
{
    m_policyChecks.CheckValues(config, needs, m_core);
    CheckSprayed(config, needs);
    CheckMtu(PeekPointer(config.telemetry), *m_core.ports[config.port].device);
}

void
RdmaConnector::CheckSprayed(const RdmaQueuePairConfig& config, const RdmaPolicyDescription& needs)
{
    const Ptr<RdmaEntropy>& entropy = m_core.settings.entropy;
    if (!entropy)
    {
        return;
    }
    const std::string name = "ns3::RdmaHost::Entropy " + entropy->GetInstanceTypeId().GetName();
    HPCC_REFUSE_IF(!FindRecovery(config.recovery).UsesSacks(),
                   name + " with recovery " + config.recovery +
                       ": entropy needs the per-packet information of SACKs; allowed is a "
                       "recovery that uses SACKs, such as sack");
    const std::string why = entropy->Validate();
    HPCC_REFUSE_IF(!why.empty(), why);
    HPCC_REFUSE_IF(entropy->NeedsShares() && !needs.gradesPaths,
                   name + " with policy " + config.policy->GetInstanceTypeId().GetName() +
                       ": this entropy needs a policy that grades paths");
}

void
RdmaConnector::CheckMtu(const TelemetryFormat* format, const QbbNetDevice& port) const
{
    // The first packet of a WRITE has the most headers.
    const uint32_t full = m_core.packets.DataBytes(m_core.settings.mtu,
                                                   ROCE_WRITE_ONLY,
                                                   format,
                                                   m_core.packets.UsesIpv6(format));
    const uint32_t allowed = port.GetMaxFrameBytes(format);
    HPCC_REFUSE_IF(full > allowed,
                   "ns3::RdmaHost::Mtu " + std::to_string(m_core.settings.mtu) + ": frames of " +
                       std::to_string(full) +
                       " bytes, telemetry included, are too long; ns3::QbbNetDevice::Mtu "
                       "allows " +
                       std::to_string(allowed));
}

RdmaFlowInfo
RdmaConnector::FlowInfoOf(const RdmaQueuePairConfig& config, const RdmaPolicyDescription& needs)
{
    RdmaFlowInfo info{};
    const uint64_t lineRateBps = m_core.ports[config.port].device->GetRateBps();
    info.lineRateBps = lineRateBps;
    info.mtuBytes = m_core.settings.mtu;
    info.headerBytes = m_core.port->GetLinkBytes(m_core.packets.DataBytes(
                           m_core.settings.mtu,
                           FullOpcode(config),
                           nullptr,
                           m_core.packets.UsesIpv6(PeekPointer(config.telemetry)))) -
                       m_core.settings.mtu;
    info.baseRttNs = config.baseRttNs;
    info.multipath = config.multipath;
    info.telemetry = config.telemetry ? &config.telemetry->GetCapabilities() : nullptr;
    info.telemetryRequest = RequestOf(config, needs);
    const double packetsPerRtt = static_cast<double>(config.networkBaseRttNs) *
                                 static_cast<double>(lineRateBps) / 8e9 / m_core.settings.mtu;
    info.sparse = config.thinned || (config.feedback && config.feedback->IsSparse(packetsPerRtt));
    info.thinned = config.thinned;
    info.packetsPerRecord =
        config.feedback ? config.feedback->PacketsPerRecord(m_core.settings.ackInterval) : 0;
    return info;
}

RdmaReceiverRole
RdmaConnector::MakeReceiverRole(const RdmaSenderRole& sender,
                                const RdmaPolicyDescription& needs) const
{
    const Ptr<RdmaCongestionOps>& policy = sender.config.policy;
    const bool ecn = needs.ecn != RdmaPolicyDescription::NOT_ECT;
    const Ptr<const RdmaFeedback>& feedback = sender.config.feedback;
    const bool receives = needs.receiverPart || (feedback && feedback->ComputesAtReceiver());
    const bool byCnp = m_core.settings.congestionEcho == RdmaHostSettings::ECHO_CNP;
    const bool echoes = ecn && !receives && (!needs.cnps || !byCnp);
    return {receives ? policy : nullptr,
            sender.config.feedback,
            sender.config.networkBaseRttNs,
            {},
            feedback ? feedback->GetCountWindowNs(sender.config.networkBaseRttNs) : 0,
            sender.config.recovery,
            m_core.settings.cnpInterval.IsZero() ? needs.cnpIntervalNs
                                                 : m_core.settings.cnpInterval.GetNanoSeconds(),
            needs.cnps && byCnp,
            echoes,
            echoes || sender.repaths || sender.sprays,
            sender.ipv6,
            sender.config.singleMessage,
            sender.probesPaths};
}

RdmaRecovery::Path
RdmaConnector::PathOf(uint32_t port, int64_t baseRttNs) const
{
    return {m_core.ports[port].device->GetRateBps(),
            m_core.settings.mtu,
            baseRttNs,
            m_core.settings.retransmitTimeout.GetNanoSeconds()};
}

uint8_t
RdmaConnector::DscpOf(const RdmaQueuePairConfig& config) const
{
    return config.dscp < 0 ? m_core.settings.dataDscp : static_cast<uint8_t>(config.dscp);
}

const RdmaRecovery&
RdmaConnector::MakeRecovery(const std::string& name)
{
    ObjectFactory factory;
    HPCC_REFUSE_IF(
        !HpccPresets::Find(RdmaRecovery::GetTypeId(), name, factory),
        DescribeUnknownPreset("ns3::RdmaHost::Recovery: unknown", name, RdmaRecovery::GetTypeId()));
    Ptr<RdmaRecovery> recovery = factory.Create<RdmaRecovery>();
    const std::string why = recovery->Validate();
    HPCC_REFUSE_IF(!why.empty(), why);
    return *m_recoveries.emplace_back(name, recovery).second;
}

} // namespace ns3
