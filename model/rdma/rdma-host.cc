/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-host.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/enum.h"
#include "ns3/hpcc-compat.h"
#include "ns3/hpcc-frame-codec.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-reflection-header.h"
#include "ns3/ipv4-address.h"
#include "ns3/log.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>
#include <tuple>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaHost");

NS_OBJECT_ENSURE_REGISTERED(RdmaHost);

TypeId
RdmaHost::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaHost")
            .SetParent<Object>()
            .SetGroupName("Hpcc")
            .AddConstructor<RdmaHost>()
            .AddAttribute("Mtu",
                          "Largest payload of a packet, bytes.",
                          UintegerValue(1000),
                          MakeUintegerAccessor(&RdmaHost::m_mtu),
                          MakeUintegerChecker<uint32_t>(64, 9000))
            .AddAttribute("DataDscp",
                          "DSCP of data packets.",
                          UintegerValue(26),
                          MakeUintegerAccessor(&RdmaHost::m_dataDscp),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddAttribute("AckDscp",
                          "DSCP of ACKs and NAKs, which decides on their priority.",
                          UintegerValue(26),
                          MakeUintegerAccessor(&RdmaHost::m_ackDscp),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddAttribute("CnpDscp",
                          "DSCP of CNPs, which decides on their priority.",
                          UintegerValue(48),
                          MakeUintegerAccessor(&RdmaHost::m_cnpDscp),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddAttribute("Ttl",
                          "TTL of packets.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&RdmaHost::m_ttl),
                          MakeUintegerChecker<uint8_t>(1))
            .AddAttribute("Ipv6",
                          "Send everything in IPv6. Off: only what a telemetry format needs.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaHost::m_ipv6),
                          MakeBooleanChecker())
            .AddAttribute("FeedbackKey",
                          "Secret that both hosts share to authenticate reflected telemetry. "
                          "Empty: it is not authenticated.",
                          StringValue(""),
                          MakeStringAccessor(&RdmaHost::m_feedbackKey),
                          MakeStringChecker())
            .AddAttribute("DishonestFrom",
                          "From this time on the host reports idle paths to those that send to "
                          "it, which an authenticator does not prevent.",
                          TimeValue(Time::Max()),
                          MakeTimeAccessor(&RdmaHost::m_dishonestFrom),
                          MakeTimeChecker())
            .AddAttribute("AckInterval",
                          "Packets per ACK. A packet that asks for it, such as the last of a "
                          "message or the one that "
                          "closes the window, is acknowledged at once.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RdmaHost::m_ackInterval),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("AckDelay",
                          "Longest time that an ACK waits for AckInterval packets.",
                          TimeValue(MicroSeconds(10)),
                          MakeTimeAccessor(&RdmaHost::m_ackDelay),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("Recovery",
                          "Short name of the loss recovery of queue pairs that this host connects.",
                          StringValue("go-back-n"),
                          MakeStringAccessor(&RdmaHost::m_recovery),
                          MakeStringChecker())
            .AddAttribute("RetransmitTimeout",
                          "Time without progress after which packets in flight are sent again, "
                          "unless the recovery has a time-out of its own.",
                          TimeValue(MilliSeconds(4)),
                          MakeTimeAccessor(&RdmaHost::m_retransmitTimeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("NakInterval",
                          "Time after which a NAK for the same packet may be repeated.",
                          TimeValue(MicroSeconds(500)),
                          MakeTimeAccessor(&RdmaHost::m_nakInterval),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute(
                "CnpInterval",
                "Shortest time between two CNPs of a queue pair; 0 takes what the policy asks for.",
                TimeValue(NanoSeconds(0)),
                MakeTimeAccessor(&RdmaHost::m_cnpInterval),
                MakeTimeChecker(NanoSeconds(0)))
            .AddAttribute("CongestionEcho",
                          "How marks are reported: Cnp or Ack.",
                          EnumValue(RdmaHost::ECHO_CNP),
                          MakeHpccEnumAccessor<CongestionEcho>(&RdmaHost::m_congestionEcho),
                          MakeEnumChecker(RdmaHost::ECHO_CNP, "Cnp", RdmaHost::ECHO_ACK, "Ack"))
            .AddAttribute(
                "RetimePending",
                "Recompute the time of the next packet when the rate changes; off: the new rate "
                "counts from the packet after it.",
                BooleanValue(true),
                MakeBooleanAccessor(&RdmaHost::m_retimePending),
                MakeBooleanChecker())
            .AddAttribute("WireProfile",
                          "Header sizes: Roce, or Authors for the HPCC authors' simulator.",
                          EnumValue(RdmaHost::ROCE),
                          MakeHpccEnumAccessor<WireProfile>(&RdmaHost::m_wireProfile),
                          MakeEnumChecker(RdmaHost::ROCE, "Roce", RdmaHost::AUTHORS, "Authors"))
            .AddAttribute("AuthorsHeaderBytes",
                          "Bytes before the payload of a data packet of the profile Authors, "
                          "without telemetry; 56 where that simulator carries a timestamp.",
                          UintegerValue(48),
                          MakeUintegerAccessor(&RdmaHost::m_authorsHeaderBytes),
                          MakeUintegerChecker<uint32_t>(48, 256))
            .AddTraceSource("MessageAcknowledged",
                            "The last byte of a message posted here is acknowledged.",
                            MakeTraceSourceAccessor(&RdmaHost::m_acknowledgedTrace),
                            "ns3::RdmaHost::MessageTracedCallback")
            .AddTraceSource("MessageDelivered",
                            "The last byte of a message for this host has arrived.",
                            MakeTraceSourceAccessor(&RdmaHost::m_deliveredTrace),
                            "ns3::RdmaHost::MessageTracedCallback")
            .AddTraceSource("Acknowledged",
                            "An acknowledgement has been processed.",
                            MakeTraceSourceAccessor(&RdmaHost::m_ackTrace),
                            "ns3::RdmaHost::AcknowledgedTracedCallback")
            .AddTraceSource("Received",
                            "Payload has arrived in order.",
                            MakeTraceSourceAccessor(&RdmaHost::m_receivedTrace),
                            "ns3::RdmaHost::ReceivedTracedCallback")
            .AddTraceSource("FeedbackRejected",
                            "Reflected telemetry was ignored, and why. The acknowledgement that "
                            "carried it counts.",
                            MakeTraceSourceAccessor(&RdmaHost::m_feedbackRejectedTrace),
                            "ns3::RdmaHost::FeedbackRejectedTracedCallback");
    return tid;
}

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
        NS_ABORT_MSG_IF(roles.size() > UINT16_MAX,
                        "RdmaHost: more than 2^16 kinds of queue pairs at a host");
        roles.push_back(role);
        found = roles.rbegin();
    }
    return static_cast<uint16_t>(&*found - roles.data());
}

} // namespace

RdmaHost::RdmaHost()
    : m_scheduler(m_queuePairs)
{
}

RdmaHost::~RdmaHost() = default;

void
RdmaHost::Install(Ptr<Node> node, uint32_t address)
{
    NS_LOG_FUNCTION(this << node << address);
    for (uint32_t i = 0; i < node->GetNDevices(); ++i)
    {
        if (auto* port = dynamic_cast<QbbNetDevice*>(PeekPointer(node->GetDevice(i))))
        {
            NS_ABORT_MSG_IF(m_port,
                            "RdmaHost::Install: node " << node->GetId()
                                                       << " has more than one QbbNetDevice");
            m_port = port;
        }
    }
    NS_ABORT_MSG_UNLESS(m_port,
                        "RdmaHost::Install: node " << node->GetId() << " has no QbbNetDevice");
    m_agenda = &m_port->GetAgenda();
    m_address = address;
    m_port->SetFrameHandler(this);
    m_agenda->Register(AgendaKind::HOST_TIMER, 0, this);
}

void
RdmaHost::SetInventory(Ptr<const TelemetryInventory> inventory)
{
    m_inventory = inventory;
}

uint32_t
RdmaHost::Connect(Ptr<RdmaHost> peer, const RdmaQueuePairConfig& config)
{
    NS_ABORT_MSG_UNLESS(config.policy, "RdmaHost::Connect: a queue pair needs a policy");
    NS_ABORT_MSG_IF(peer == this, "RdmaHost::Connect: a host does not connect to itself");
    uint32_t needs = config.policy->Needs();
    NS_ABORT_MSG_IF((needs & RdmaCongestionOps::NEED_TELEMETRY) && !config.telemetry,
                    config.policy->GetInstanceTypeId().GetName()
                        << " needs telemetry, none is chosen");
    NS_ABORT_MSG_IF(m_feedbackKey != peer->m_feedbackKey,
                    "RdmaHost::FeedbackKey of " << Ipv4Address(m_address) << " and "
                                                << Ipv4Address(peer->m_address) << " differ");
    RequesterRole role{config, false};
    if (!(needs & RdmaCongestionOps::NEED_TELEMETRY))
    {
        role.config.telemetry = nullptr;
    }
    role.ipv6 = UsesIpv6(PeekPointer(role.config.telemetry));
    role.config.udpSourcePort = 0;
    role.config.recovery = config.recovery.empty() ? m_recovery : config.recovery;
    // An authenticator numbers the reflections of its queue pair: it has to live as long.
    role.config.singleMessage = config.singleMessage && m_feedbackKey.empty();
    auto index = static_cast<uint32_t>(m_ends.size());
    auto peerIndex = static_cast<uint32_t>(peer->m_ends.size());
    NS_ABORT_MSG_IF(std::max(index, peerIndex) + FIRST_QPN > 0xffffff,
                    "RdmaHost: more than 2^24 queue pairs");
    uint16_t port = config.udpSourcePort;
    if (port == 0)
    {
        port = static_cast<uint16_t>(0xc000 + ((index + FIRST_QPN) * 2654435761U >> 18));
    }
    m_ends.push_back({peer->m_address,
                      peerIndex + FIRST_QPN,
                      End::NONE,
                      0,
                      port,
                      Keep(m_requesterRoles, role),
                      true,
                      false});
    auto peerRole = peer->MakeResponderRole(role);
    peer->m_ends.push_back({m_address,
                            index + FIRST_QPN,
                            End::NONE,
                            0,
                            port,
                            Keep(peer->m_responderRoles, peerRole),
                            false,
                            false});
    uint32_t full = DataFrameBytes(m_mtu, ROCE_WRITE_MIDDLE, PeekPointer(role.config.telemetry));
    NS_ABORT_MSG_IF(full > m_port->GetMaxFrameBytes(),
                    "RdmaHost: packets of Mtu " << m_mtu << " make frames of " << full
                                                << " bytes, telemetry included, but "
                                                   "QbbNetDevice::Mtu allows "
                                                << m_port->GetMaxFrameBytes());
    if (role.config.singleMessage)
    {
        return index;
    }
    RdmaQueuePair& own = Open(index);
    RdmaQueuePair& remote = peer->Open(peerIndex);
    if (own.format && !m_feedbackKey.empty())
    {
        std::ostringstream context;
        context << own.local << "/" << own.number << "-" << own.peer << "/" << own.peerNumber;
        m_authenticators.emplace_back(m_feedbackKey, context.str());
        own.authenticator = remote.authenticator = &m_authenticators.back();
    }
    return index;
}

bool
RdmaHost::RequesterRole::operator==(const RequesterRole& other) const
{
    auto key = [](const RequesterRole& role) {
        const RdmaQueuePairConfig& c = role.config;
        return std::tie(c.policy,
                        c.telemetry,
                        c.baseRttNs,
                        c.networkBaseRttNs,
                        c.singleMessage,
                        c.recovery,
                        role.ipv6);
    };
    return key(*this) == key(other);
}

bool
RdmaHost::ResponderRole::operator==(const ResponderRole& other) const
{
    auto key = [](const ResponderRole& role) {
        return std::tie(role.receiverPolicy,
                        role.cnpIntervalNs,
                        role.sendsCnp,
                        role.congestionEcho,
                        role.ipv6,
                        role.singleMessage,
                        role.recovery);
    };
    return key(*this) == key(other);
}

RdmaHost::ResponderRole
RdmaHost::MakeResponderRole(const RequesterRole& like) const
{
    const Ptr<RdmaCongestionOps>& policy = like.config.policy;
    const uint32_t needs = policy->Needs();
    const bool ecn = needs & RdmaCongestionOps::NEED_ECN;
    const bool cnp = needs & RdmaCongestionOps::NEED_CNP;
    const bool receives = needs & RdmaCongestionOps::NEED_RECEIVER;
    return {receives ? policy : nullptr,
            like.config.recovery,
            m_cnpInterval.IsZero() ? policy->GetCnpIntervalNs() : m_cnpInterval.GetNanoSeconds(),
            cnp && m_congestionEcho == ECHO_CNP,
            ecn && !receives && (!cnp || m_congestionEcho == ECHO_ACK),
            like.ipv6,
            like.config.singleMessage};
}

RdmaQueuePair&
RdmaHost::Open(uint32_t index)
{
    End& end = m_ends[index];
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
    if (end.requester)
    {
        SetUpRequester(qp, m_requesterRoles[end.role]);
    }
    else
    {
        SetUpResponder(qp, m_responderRoles[end.role]);
        qp.expectedPsn = qp.messagePsn = end.donePsn;
        qp.deliveredMessages = end.done ? 1 : 0;
    }
    return qp;
}

void
RdmaHost::SetUpRequester(RdmaQueuePair& qp, const RequesterRole& role)
{
    const RdmaQueuePairConfig& config = role.config;
    qp.ipv6 = role.ipv6;
    qp.singleMessage = config.singleMessage;
    uint32_t needs = config.policy->Needs();
    qp.ops = PeekPointer(config.policy);
    qp.format = PeekPointer(config.telemetry);
    qp.baseRttNs = config.baseRttNs;
    const RdmaRecovery& recovery = FindRecovery(config.recovery);
    qp.retransmission = recovery.MakeRetransmission();
    qp.limits = recovery.GetLimits({m_port->GetRateBps(),
                                    m_mtu,
                                    config.networkBaseRttNs,
                                    m_retransmitTimeout.GetNanoSeconds()});
    if (needs & RdmaCongestionOps::NEED_RTT)
    {
        qp.departures = std::make_unique<RdmaDepartures>();
    }
    bool ecn = needs & RdmaCongestionOps::NEED_ECN;
    const EcnCodepoint ect = needs & RdmaCongestionOps::NEED_ECT1 ? ECN_ECT1 : ECN_ECT0;
    qp.tos = m_dataDscp << 2 | (ecn ? ect : ECN_NOT_ECT);
    qp.priority = m_port->GetPriority(qp.tos);
}

void
RdmaHost::SetUpResponder(RdmaQueuePair& qp, const ResponderRole& role)
{
    qp.ipv6 = role.ipv6;
    qp.singleMessage = role.singleMessage;
    qp.sequencing = FindRecovery(role.recovery).MakeSequencing();
    qp.receiverOps = PeekPointer(role.receiverPolicy);
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
         {&m_policyTimers, &m_timeoutTimers, &m_ackTimers, &m_receiverTimers})
    {
        timers->Remove(qp.slot);
    }
    End& end = m_ends[IndexOfNumber(qp.number)];
    end.donePsn = static_cast<uint32_t>(qp.expectedPsn);
    end.done = true;
    m_freeSlots.push_back(end.slot);
    end.slot = End::NONE;
    qp = RdmaQueuePair();
}

const RdmaQueuePair&
RdmaHost::GetQueuePair(uint32_t queuePair) const
{
    NS_ABORT_MSG_IF(m_ends[queuePair].slot == End::NONE,
                    "RdmaHost::GetQueuePair: queue pair " << queuePair << " is not in use");
    return m_queuePairs[m_ends[queuePair].slot];
}

const RdmaRecovery&
RdmaHost::FindRecovery(const std::string& name)
{
    Ptr<RdmaRecovery>& recovery = m_recoveries[name];
    if (!recovery)
    {
        ObjectFactory factory;
        NS_ABORT_MSG_UNLESS(HpccPresets::Find(RdmaRecovery::GetTypeId(), name, factory),
                            "RdmaHost::Recovery: unknown \""
                                << name << "\"; choices: "
                                << HpccPresets::Choices(RdmaRecovery::GetTypeId()));
        recovery = factory.Create<RdmaRecovery>();
        std::string why = recovery->Validate();
        NS_ABORT_MSG_UNLESS(why.empty(), why);
    }
    return *recovery;
}

RdmaQueuePair*
RdmaHost::Find(uint32_t number)
{
    uint32_t index = IndexOfNumber(number);
    if (index >= m_ends.size() || m_ends[index].slot == End::NONE)
    {
        return nullptr;
    }
    return &m_queuePairs[m_ends[index].slot];
}

RdmaQueuePair*
RdmaHost::FindResponder(uint32_t number)
{
    RdmaQueuePair* qp = Find(number);
    uint32_t index = IndexOfNumber(number);
    if (!qp && index < m_ends.size() && !m_ends[index].requester)
    {
        qp = &Open(index);
    }
    return qp;
}

uint32_t
RdmaHost::Post(uint32_t queuePair, RdmaVerb verb, uint64_t bytes)
{
    NS_ABORT_MSG_IF(queuePair >= m_ends.size(),
                    "RdmaHost::Post: queue pair " << queuePair << " of " << m_ends.size());
    NS_ABORT_MSG_IF(bytes == 0, "RdmaHost::Post: a message has at least 1 byte");
    NS_ABORT_MSG_UNLESS(m_ends[queuePair].requester,
                        "RdmaHost::Post: queue pair " << queuePair << " has no policy at this end");
    int64_t nowNs = m_agenda->CatchUp();
    const End& end = m_ends[queuePair];
    RdmaQueuePair& qp = end.slot == End::NONE ? Open(queuePair) : m_queuePairs[end.slot];
    NS_ABORT_MSG_IF(qp.singleMessage && (end.done || qp.messages > 0),
                    "RdmaHost::Post: queue pair " << queuePair << " is for a single message");
    auto* message = static_cast<RdmaMessage*>(m_messages.malloc());
    *message = {nullptr,
                qp.endPsn,
                (bytes + qp.mtu - 1) / qp.mtu,
                qp.endByte,
                bytes,
                nowNs,
                qp.messages++,
                verb};
    qp.endPsn += message->packets;
    qp.endByte += bytes;
    bool idle = !qp.oldest;
    (qp.newest && qp.oldest ? qp.newest->next : qp.oldest) = message;
    qp.newest = message;
    if (!qp.current)
    {
        qp.current = message;
    }
    if (!qp.cc)
    {
        RdmaFlowInfo info{};
        info.flowId = qp.number;
        info.lineRateBps = m_port->GetRateBps();
        info.mtuBytes = qp.mtu;
        info.headerBytes =
            m_port->GetLinkBytes(DataFrameBytes(qp.mtu, ROCE_WRITE_MIDDLE, nullptr)) - qp.mtu;
        info.baseRttNs = qp.baseRttNs;
        info.firstSeq = qp.sndNxtByte;
        info.telemetry = qp.format ? &qp.format->GetCapabilities() : nullptr;
        qp.cc = qp.ops->Open(info, nowNs);
        UpdatePolicyTimer(qp);
    }
    else if (idle)
    {
        qp.idleNs = std::max(qp.idleNs, nowNs - qp.idleSinceNs);
        qp.ops->OnRestart(qp.cc, nowNs, qp.sndNxtByte);
        Repace(qp);
    }
    Reschedule(qp, nowNs);
    return message->index;
}

bool
RdmaHost::UsesIpv6(const TelemetryFormat* format) const
{
    return m_ipv6 || (format && format->GetMarking().ipv6);
}

uint32_t
RdmaHost::DataFrameBytes(uint32_t payloadBytes, uint8_t opcode, const TelemetryFormat* format) const
{
    uint32_t telemetryBytes = format ? format->GetBaseBytes() : 0;
    if (m_wireProfile == AUTHORS)
    {
        return m_authorsHeaderBytes + telemetryBytes + payloadBytes;
    }
    uint32_t bytes = ETHERNET_HEADER_BYTES + IpHeaderBytes(UsesIpv6(format)) + UDP_HEADER_BYTES +
                     telemetryBytes + BTH_BYTES + (HasReth(opcode) ? RETH_BYTES : 0) +
                     (payloadBytes + 3) / 4 * 4 + ICRC_BYTES;
    return std::max(bytes, MIN_FRAME_BYTES);
}

uint32_t
RdmaHost::AckFrameBytes(const TelemetryFormat* format, uint32_t hops) const
{
    TelemetryStack stack;
    if (format)
    {
        format->Open(stack, {ROCE_UDP_PORT, 17, 0});
        stack.hops = static_cast<uint8_t>(hops);
    }
    if (m_wireProfile == AUTHORS)
    {
        return std::max(46 + (format ? format->GetReflectedBytes(stack) : 0), MIN_FRAME_BYTES);
    }
    Frame frame;
    frame.opcode = ROCE_ACK;
    frame.syndrome = ROCE_SYNDROME_ACK;
    frame.ipv6 = UsesIpv6(format);
    frame.payloadBytes = 0;
    frame.format = format;
    frame.reflection.flags = m_feedbackKey.empty() ? 0 : REFLECTION_AUTHENTICATED;
    frame.telemetry = stack;
    return RoceFrameBytes(frame);
}

void
RdmaHost::ExpectFrame(const Frame& frame)
{
    if (frame.kind != Frame::Kind::ROCE)
    {
        return;
    }
    if (const RdmaQueuePair* qp = Find(frame.destinationQp))
    {
        PrefetchLines(qp, sizeof(RdmaQueuePair));
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
    return m_scheduler.Ready(nowNs);
}

Frame*
RdmaHost::PullFrame(QbbNetDevice&, uint8_t priority, int64_t nowNs)
{
    while (m_scheduler.Ready(nowNs) >> priority & 1)
    {
        RdmaQueuePair& qp = *m_scheduler.Next(priority);
        Frame* frame = nullptr;
        if (qp.MaySend() && static_cast<int64_t>(qp.nextSendNs) <= nowNs)
        {
            frame = MakePacket(qp, nowNs);
        }
        m_scheduler.Update(qp, IndexOf(qp), nowNs);
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
    return m_scheduler.NextNs(priorities, freeNs);
}

void
RdmaHost::ReceiveFrame(QbbNetDevice& port, Frame* frame, int64_t nowNs)
{
    if (frame->kind == Frame::Kind::IP)
    {
        port.DeliverToStack(frame);
    }
    else if (frame->opcode == ROCE_ACK)
    {
        ReceiveAck(frame, nowNs);
    }
    else if (frame->opcode == ROCE_CNP)
    {
        ReceiveCnp(frame, nowNs);
    }
    else
    {
        ReceiveData(frame, nowNs);
    }
}

void
RdmaHost::Reschedule(RdmaQueuePair& qp, int64_t nowNs)
{
    int64_t atNs = m_scheduler.Update(qp, IndexOf(qp), nowNs);
    if (atNs != RdmaTimerHeap::NEVER)
    {
        m_port->Kick(atNs);
    }
}

void
RdmaHost::NoteTimer(int64_t atNs)
{
    if (atNs < m_notedNs)
    {
        m_notedNs = atNs;
        m_agenda->Note(AgendaKind::HOST_TIMER, 0, atNs);
    }
}

void
RdmaHost::Due(AgendaKind, uint32_t, int64_t nowNs)
{
    if (nowNs >= m_notedNs)
    {
        m_notedNs = RdmaTimerHeap::NEVER;
    }
    RunTimers(nowNs);
    NoteTimer(std::min({m_policyTimers.TopNs(),
                        m_timeoutTimers.TopNs(),
                        m_ackTimers.TopNs(),
                        m_receiverTimers.TopNs()}));
}

void
RdmaHost::RunTimers(int64_t nowNs)
{
    while (m_policyTimers.TopNs() <= nowNs)
    {
        RdmaQueuePair& qp = m_queuePairs[m_policyTimers.TopId()];
        m_policyTimers.Remove(IndexOf(qp));
        qp.ops->OnTimer(qp.cc, nowNs);
        UpdatePolicyTimer(qp);
        Repace(qp);
        Reschedule(qp, nowNs);
    }
    while (m_timeoutTimers.TopNs() <= nowNs)
    {
        RdmaQueuePair& qp = m_queuePairs[m_timeoutTimers.TopId()];
        m_timeoutTimers.Remove(IndexOf(qp));
        qp.timeoutArmedNs = RdmaTimerHeap::NEVER;
        if (qp.progressNs < 0)
        {
            continue;
        }
        if (qp.TimeoutNs() <= nowNs)
        {
            OnTimeout(qp, nowNs);
        }
        else
        {
            qp.timeoutArmedNs = qp.TimeoutNs();
            m_timeoutTimers.Set(IndexOf(qp), qp.timeoutArmedNs);
        }
    }
    while (m_ackTimers.TopNs() <= nowNs)
    {
        RdmaQueuePair& qp = m_queuePairs[m_ackTimers.TopId()];
        m_ackTimers.Remove(IndexOf(qp));
        if (qp.pendingAck)
        {
            SendAck(qp, qp.pendingAck, ROCE_SYNDROME_ACK, nowNs);
        }
    }
    while (m_receiverTimers.TopNs() <= nowNs)
    {
        RdmaQueuePair& qp = m_queuePairs[m_receiverTimers.TopId()];
        FollowReceiver(qp, qp.receiverOps->OnReceiverTimer(qp.receiver, nowNs));
    }
}

void
RdmaHost::DoDispose()
{
    for (auto& qp : m_queuePairs)
    {
        if (qp.cc)
        {
            qp.ops->Close(qp.cc);
            qp.cc = nullptr;
        }
        if (qp.receiver)
        {
            qp.receiverOps->CloseReceiver(qp.receiver);
            qp.receiver = nullptr;
        }
    }
    m_requesterRoles.clear();
    m_responderRoles.clear();
    m_recoveries.clear();
    m_inventory = nullptr;
    Object::DoDispose();
}

} // namespace ns3
