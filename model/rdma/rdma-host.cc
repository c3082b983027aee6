/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-host.h"

#include "rdma-policy-values.h"

#include "ns3/boolean.h"
#include "ns3/enum.h"
#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-compat.h"
#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-reflection-header.h"
#include "ns3/hpcc-roce-packet.h"
#include "ns3/ipv4-address.h"
#include "ns3/log.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>
#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaHost");

NS_OBJECT_ENSURE_REGISTERED(RdmaHost);

namespace
{

/**
 * Refuses what RdmaHost::Post() cannot post.
 *
 * @param queuePair its index
 * @param why what is wrong, and what is allowed
 */
[[noreturn]] void
RefusePost(uint32_t queuePair, const std::string& why)
{
    throw HpccInputError("ns3::RdmaHost::Post: queue pair " + std::to_string(queuePair) + ": " +
                         why);
}

} // namespace

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
            .AddAttribute("ProbeDscp",
                          "DSCP of probes. It must have the priority of DataDscp, so that probes "
                          "wait in the queues of data.",
                          UintegerValue(25),
                          MakeUintegerAccessor(&RdmaHost::m_probeDscp),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddAttribute("ProbeSpacing",
                          "Shortest time between two probes of this host, whatever its queue "
                          "pairs; 0 for no limit.",
                          TimeValue(NanoSeconds(0)),
                          MakeTimeAccessor(&RdmaHost::m_probeSpacing),
                          MakeTimeChecker(NanoSeconds(0)))
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
            .AddAttribute("PaceByRate",
                          "Whether packets are paced by the policy's rate; off: by the line rate, "
                          "so that only the window bounds the sender.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RdmaHost::m_paceByRate),
                          MakeBooleanChecker())
            .AddAttribute("Repathing",
                          "When queue pairs that this host connects change their UDP source port, "
                          "and so their path. Null: never.",
                          PointerValue(),
                          MakePointerAccessor(&RdmaHost::m_repathing),
                          MakePointerChecker<RdmaRepathing>())
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
            .AddTraceSource("PathChange",
                            "A queue pair takes another path from now on.",
                            MakeTraceSourceAccessor(&RdmaHost::m_pathTrace),
                            "ns3::RdmaHost::PathChangeTracedCallback")
            .AddTraceSource("HeldBack",
                            "A new flow is held back because all paths are full.",
                            MakeTraceSourceAccessor(&RdmaHost::m_heldTrace),
                            "ns3::RdmaHost::HeldBackTracedCallback")
            .AddTraceSource("FeedbackRejected",
                            "Reflected telemetry, or a window computed at the receiver, was "
                            "ignored, and why. The acknowledgement that carried it counts.",
                            MakeTraceSourceAccessor(&RdmaHost::m_feedbackRejectedTrace),
                            "ns3::RdmaHost::FeedbackRejectedTracedCallback");
    return tid;
}

RdmaHost::RdmaHost()
    : m_scheduler(m_queuePairs),
      m_random(CreateObject<UniformRandomVariable>())
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
            if (m_port)
            {
                throw HpccInputError("ns3::RdmaHost::Install: node " +
                                     std::to_string(node->GetId()) +
                                     " has several devices of ns3::QbbNetDevice; allowed is one");
            }
            m_port = port;
        }
    }
    if (!m_port)
    {
        throw HpccInputError("ns3::RdmaHost::Install: node " + std::to_string(node->GetId()) +
                             " has no device of ns3::QbbNetDevice; it needs one");
    }
    m_agenda = &m_port->GetAgenda();
    m_address = address;
    m_port->SetFrameHandler(this);
    m_timer = m_agenda->Register(AgendaKind::HOST_TIMER, this);
}

void
RdmaHost::SetInventory(Ptr<const TelemetryInventory> inventory)
{
    m_inventories.fill(inventory);
}

void
RdmaHost::SetInventory(uint8_t priority, Ptr<const TelemetryInventory> inventory)
{
    m_inventories[priority] = inventory;
}

int64_t
RdmaHost::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return STREAMS;
}

const RdmaRecovery&
RdmaHost::FindRecovery(const std::string& name)
{
    Ptr<RdmaRecovery>& recovery = m_recoveries[name];
    if (!recovery)
    {
        ObjectFactory factory;
        if (!HpccPresets::Find(RdmaRecovery::GetTypeId(), name, factory))
        {
            throw HpccInputError(DescribeUnknownPreset("ns3::RdmaHost::Recovery: unknown",
                                                       name,
                                                       RdmaRecovery::GetTypeId()));
        }
        recovery = factory.Create<RdmaRecovery>();
        const std::string why = recovery->Validate();
        if (!why.empty())
        {
            throw HpccInputError(why);
        }
    }
    return *recovery;
}

uint32_t
RdmaHost::Post(uint32_t queuePair, RdmaVerb verb, uint64_t bytes)
{
    if (queuePair >= m_ends.size() || m_ends[queuePair].sender == RdmaEnd::NO_ROLE)
    {
        RefusePost(queuePair,
                   queuePair >= m_ends.size()
                       ? "there is none; the host has " + std::to_string(m_ends.size())
                       : "it has no policy at this end; give RdmaQueuePairConfig::responderPolicy");
    }
    if (bytes == 0 || verb == RdmaVerb::READ_RESPONSE)
    {
        RefusePost(queuePair,
                   bytes == 0 ? "a message of 0 bytes; at least 1 is allowed"
                              : "the verb is READ_RESPONSE; allowed are SEND, WRITE and READ");
    }
    int64_t nowNs = m_agenda->CatchUp();
    const RdmaEnd& end = m_ends[queuePair];
    RdmaQueuePair& qp = end.slot == RdmaEnd::NONE ? Open(queuePair) : m_queuePairs[end.slot];
    if (qp.singleMessage && (end.done || qp.messages > 0))
    {
        RefusePost(queuePair, "a second message; RdmaQueuePairConfig::singleMessage allows one");
    }
    uint64_t address = 0;
    if (verb == RdmaVerb::READ)
    {
        if (!qp.readable || bytes > UINT32_MAX)
        {
            RefusePost(queuePair,
                       qp.readable ? "a READ of " + std::to_string(bytes) +
                                         " bytes; at most 4294967295 "
                                         "are allowed"
                                   : "READ needs a policy for the responses; give "
                                     "RdmaQueuePairConfig::responderPolicy");
        }
        RdmaReads& reads = qp.Rare().reads;
        address = reads.endByte;
        reads.open.push_back({qp.endPsn, address, bytes, nowNs, qp.messages});
        reads.endByte += bytes;
    }
    return Append(qp, verb, bytes, address, nowNs);
}

uint32_t
RdmaHost::Append(RdmaQueuePair& qp, RdmaVerb verb, uint64_t bytes, uint64_t address, int64_t nowNs)
{
    auto* message = static_cast<RdmaMessage*>(m_messages.malloc());
    *message = {nullptr,
                qp.endPsn,
                verb == RdmaVerb::READ ? 1 : (bytes + qp.mtu - 1) / qp.mtu,
                qp.endByte,
                bytes,
                nowNs,
                address,
                qp.messages++,
                verb};
    qp.endPsn += message->packets;
    qp.endByte += message->SequenceBytes();
    bool idle = !qp.oldest;
    (qp.newest && qp.oldest ? qp.newest->next : qp.oldest) = message;
    qp.newest = message;
    if (!qp.current)
    {
        qp.current = message;
    }
    if (!qp.cc)
    {
        const RdmaEnd& end = m_ends[IndexOfNumber(qp.number)];
        RdmaFlowInfo info = FlowInfoOf(m_senderRoles[end.sender].config);
        info.flowId = qp.number;
        info.firstSeq = qp.sndNxtByte;
        qp.cc = qp.ops->Open(info, nowNs);
        qp.hasWindow = qp.cc->windowBytes < std::numeric_limits<double>::infinity();
        RdmaPolicyValues::Check(qp, nowNs, nowNs);
        Obey(qp);
        if (qp.path)
        {
            HoldBack(qp, nowNs);
        }
    }
    else if (idle)
    {
        qp.idleNs = std::max(qp.idleNs, nowNs - qp.idleSinceNs);
        const RdmaRestartInfo restart{nowNs, qp.sndNxtByte};
        RdmaPolicyValues::Raise(qp, nowNs, &RdmaCongestionOps::OnRestart, restart);
        Obey(qp);
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
                     (HasAeth(opcode) ? AETH_BYTES : 0) + (payloadBytes + 3) / 4 * 4 + ICRC_BYTES;
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

bool
RdmaHost::IsAddressed(const Frame& frame) const
{
    if (frame.destination != m_address)
    {
        return false;
    }
    // A switch's response to the sender names the receiver's end, which is looked up by address.
    const uint32_t index = IndexOfNumber(frame.destinationQp);
    return index >= m_ends.size() || m_ends[index].peer == frame.source ||
           (frame.opcode == ROCE_SWITCH_RESPONSE && !frame.response.forReceiver);
}

void
RdmaHost::ReceiveFrame(QbbNetDevice& port, Frame* frame, int64_t nowNs)
{
    if (frame->kind == Frame::Kind::IP)
    {
        port.DeliverToStack(frame);
    }
    else if (!IsAddressed(*frame))
    {
        port.Drop(frame, DropReason::WRONG_ADDRESS);
    }
    else if (frame->opcode == ROCE_ACK)
    {
        ReceiveAck(frame, nowNs);
    }
    else if (frame->opcode == ROCE_CNP)
    {
        ReceiveCnp(frame, nowNs);
    }
    else if (frame->opcode == ROCE_SWITCH_RESPONSE)
    {
        ReceiveSwitchResponse(frame, nowNs);
    }
    else if (frame->opcode == ROCE_PROBE)
    {
        ReceiveProbe(frame, nowNs);
    }
    else if (frame->opcode == ROCE_NOTIFICATION)
    {
        ReceiveNotification(frame, nowNs);
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
        m_agenda->Note(AgendaKind::HOST_TIMER, m_timer, atNs);
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
                        m_receiverTimers.TopNs(),
                        m_probeTimers.TopNs(),
                        m_wantedProbes.empty() ? RdmaTimerHeap::NEVER : m_nextProbeNs}));
}

void
RdmaHost::RunTimers(int64_t nowNs)
{
    while (m_policyTimers.TopNs() <= nowNs)
    {
        RdmaQueuePair& qp = m_queuePairs[m_policyTimers.TopId()];
        m_policyTimers.Remove(IndexOf(qp));
        RdmaPolicyValues::Raise(qp, nowNs, &RdmaCongestionOps::OnTimer, nowNs, 1);
        Obey(qp);
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
        FollowReceiver(qp, qp.receiverOps->OnReceiverTimer(qp.receiver, nowNs), nowNs, 1);
    }
    RunProbeTimers(nowNs);
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
    m_senderRoles.clear();
    m_receiverRoles.clear();
    m_recoveries.clear();
    m_inventories.fill(nullptr);
    m_repathing = nullptr;
    Object::DoDispose();
}

} // namespace ns3
