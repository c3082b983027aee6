/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "qbb-net-device.h"

#include "hpcc-frame-codec.h"
#include "hpcc-frame-sizes.h"
#include "hpcc-priority-scheduler.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/log.h"
#include "ns3/object-factory.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("QbbNetDevice");

NS_OBJECT_ENSURE_REGISTERED(QbbNetDevice);

TypeId
QbbNetDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::QbbNetDevice")
            .SetParent<NetDevice>()
            .SetGroupName("Hpcc")
            .AddConstructor<QbbNetDevice>()
            .AddAttribute("DataRate",
                          "Line rate, 1 kb/s to 10 Tb/s.",
                          DataRateValue(DataRate("100Gbps")),
                          MakeDataRateAccessor(&QbbNetDevice::SetRate, &QbbNetDevice::GetRate),
                          MakeDataRateChecker())
            .AddAttribute("Mtu",
                          "Largest IP packet, bytes.",
                          UintegerValue(9216),
                          MakeUintegerAccessor(&QbbNetDevice::SetMtu, &QbbNetDevice::GetMtu),
                          MakeUintegerChecker<uint16_t>(576))
            .AddAttribute(
                "DscpToPriority",
                "Priority of each DSCP: \"dscp:priority\" pairs separated by commas, others 0.",
                StringValue(DscpPriorityMap::DEFAULT),
                MakeStringAccessor(&QbbNetDevice::SetDscpMap, &QbbNetDevice::GetDscpMap),
                MakeStringChecker())
            .AddAttribute(
                "EthernetOverhead",
                "Let a frame occupy the link for FCS, preamble, gap and at least 84 bytes. Off for "
                "simulators that ignore this.",
                BooleanValue(true),
                MakeBooleanAccessor(&QbbNetDevice::m_ethernetOverhead),
                MakeBooleanChecker())
            .AddAttribute("CountOverhead",
                          "Count in txBytes what a frame occupies, the unit of the line rate; off: "
                          "without preamble and gap.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&QbbNetDevice::m_countOverhead),
                          MakeBooleanChecker())
            .AddAttribute("WholeNanoseconds",
                          "Shorten each transmission time to the last whole ns before its end, as "
                          "simulators do that hold seconds in binary fractions: 83.84 ns is 83, 80 "
                          "is 79. Links are a little too fast.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&QbbNetDevice::m_wholeNanoseconds),
                          MakeBooleanChecker())
            .AddAttribute("PfcEnabled",
                          "Send and obey priority-based flow control.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&QbbNetDevice::m_pfcEnabled),
                          MakeBooleanChecker())
            .AddAttribute(
                "LosslessPriorities",
                "Priorities under flow control, one bit each.",
                UintegerValue(1 << 3),
                MakeUintegerAccessor(&QbbNetDevice::SetLossless, &QbbNetDevice::GetLossless),
                MakeUintegerChecker<uint8_t>())
            .AddAttribute(
                "Scheduler",
                "What decides which priority sends next. Null: a PriorityScheduler.",
                PointerValue(),
                MakePointerAccessor(&QbbNetDevice::SetScheduler, &QbbNetDevice::GetSchedulerObject),
                MakePointerChecker<EgressScheduler>())
            .AddAttribute("Weights",
                          "Priorities that share by deficit weighted round robin: "
                          "\"priority:weight\" pairs separated by commas; empty: none. See "
                          "PriorityScheduler.",
                          StringValue(""),
                          MakeStringAccessor(&QbbNetDevice::SetWeights, &QbbNetDevice::GetWeights),
                          MakeStringChecker())
            .AddAttribute(
                "Quantum",
                "Bytes that the smallest of Weights may send in a turn, bytes on the "
                "link. Less than a largest frame costs time, more makes bursts.",
                UintegerValue(1600),
                MakeUintegerAccessor(&QbbNetDevice::SetQuantum, &QbbNetDevice::GetQuantum),
                MakeUintegerChecker<uint32_t>(64, 1000000))
            .AddAttribute("PauseQuanta",
                          "Pause time of a sent PFC frame, in 512 bit times, at least that of two "
                          "largest frames. "
                          "It is repeated at half time.",
                          UintegerValue(65535),
                          MakeUintegerAccessor(&QbbNetDevice::m_pauseQuanta),
                          MakeUintegerChecker<uint16_t>(2))
            .AddAttribute(
                "ReceiveDrainRate",
                "Rate at which the host empties its receive buffer; 0 is at once.",
                DataRateValue(DataRate(0)),
                MakeDataRateAccessor(&QbbNetDevice::SetDrainRate, &QbbNetDevice::GetDrainRate),
                MakeDataRateChecker())
            .AddAttribute(
                "ReceiveBuffer",
                "Receive buffer of the host, bytes. A frame that does not fit is dropped.",
                UintegerValue(2 * 1024 * 1024),
                MakeUintegerAccessor(&QbbNetDevice::m_receiveBufferBytes),
                MakeUintegerChecker<uint64_t>(1))
            .AddAttribute(
                "ReceivePauseThreshold",
                "Fill of the receive buffer above which the host pauses its neighbour, bytes.",
                UintegerValue(1024 * 1024),
                MakeUintegerAccessor(&QbbNetDevice::m_receivePauseBytes),
                MakeUintegerChecker<uint64_t>())
            .AddAttribute(
                "ReceiveResumeThreshold",
                "Fill of the receive buffer at or below which the neighbour may resume, bytes.",
                UintegerValue(512 * 1024),
                MakeUintegerAccessor(&QbbNetDevice::m_receiveResumeBytes),
                MakeUintegerChecker<uint64_t>())
            .AddAttribute("QueueLimit",
                          "Bytes that ns-3's IP stack may queue here for transmission.",
                          UintegerValue(10 * 1024 * 1024),
                          MakeUintegerAccessor(&QbbNetDevice::m_queueLimitBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("QueueStop",
                          "Bytes in the queue of a priority from which on ns-3's traffic control "
                          "holds back packets of that priority, where a helper has enabled that.",
                          UintegerValue(20000),
                          MakeUintegerAccessor(&QbbNetDevice::m_queueStopBytes),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("Tso",
                          "Offer ns-3's stack TsoMtu, and cut TCP's segments to what the Mtu and "
                          "TsoSegment allow.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&QbbNetDevice::m_tso),
                          MakeBooleanChecker())
            .AddAttribute("TsoMtu",
                          "Mtu that the stack sees with Tso, bytes; at least Mtu.",
                          UintegerValue(MAX_OFFLOAD_BYTES),
                          MakeUintegerAccessor(&QbbNetDevice::m_tsoMtu),
                          MakeUintegerChecker<uint16_t>(1280, MAX_OFFLOAD_BYTES))
            .AddAttribute("TsoSegment",
                          "Payload of a TCP segment that Tso makes, 536 to 8960 bytes; 0, or "
                          "what is too much for it, is what fits the Mtu.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&QbbNetDevice::m_tsoSegmentBytes),
                          MakeUintegerChecker<uint16_t>(0, 8960))
            .AddAttribute("Gro",
                          "Join consecutive TCP segments that arrive before they go to ns-3's "
                          "stack. For hosts, not for routers.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&QbbNetDevice::m_gro),
                          MakeBooleanChecker())
            .AddAttribute("GroGap",
                          "Time without a packet of IP after which what is held goes up.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&QbbNetDevice::m_groGap),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("GroTimeout",
                          "Longest time for which a segment is held.",
                          TimeValue(MicroSeconds(2)),
                          MakeTimeAccessor(&QbbNetDevice::m_groTimeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("ReceiveErrorModel",
                          "Corrupts frames on receipt.",
                          PointerValue(),
                          MakePointerAccessor(&QbbNetDevice::m_receiveErrorModel),
                          MakePointerChecker<ErrorModel>())
            .AddTraceSource("Enqueue",
                            "A frame joins an egress queue.",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_enqueueTrace),
                            "ns3::QbbNetDevice::PacketTracedCallback")
            .AddTraceSource("Dequeue",
                            "A frame starts its transmission.",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_dequeueTrace),
                            "ns3::QbbNetDevice::PacketTracedCallback")
            .AddTraceSource("Drop",
                            "A frame is dropped, with the reason.",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_dropTrace),
                            "ns3::QbbNetDevice::DropTracedCallback")
            .AddTraceSource("EcnMark",
                            "A frame is marked CE.",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_ecnMarkTrace),
                            "ns3::QbbNetDevice::PacketTracedCallback")
            .AddTraceSource("MacRx",
                            "A frame has been received.",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_macRxTrace),
                            "ns3::QbbNetDevice::PacketTracedCallback")
            .AddTraceSource(
                "PromiscSniffer",
                "Every frame that starts its transmission or is received, PFC included, for pcap.",
                MakeTraceSourceAccessor(&QbbNetDevice::m_snifferTrace),
                "ns3::QbbNetDevice::PacketTracedCallback")
            .AddTraceSource("PfcSent",
                            "A PFC frame is sent; called for each priority in it.",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_pfcSentTrace),
                            "ns3::QbbNetDevice::PfcTracedCallback")
            .AddTraceSource("PfcReceived",
                            "A PFC frame is received; called for each priority in it.",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_pfcReceivedTrace),
                            "ns3::QbbNetDevice::PfcTracedCallback")
            .AddTraceSource("PauseStart",
                            "A priority is paused.",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_pauseStartTrace),
                            "ns3::QbbNetDevice::PauseStartTracedCallback")
            .AddTraceSource("PauseEnd",
                            "A pause ends by resume or expiry.",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_pauseEndTrace),
                            "ns3::QbbNetDevice::PauseEndTracedCallback")
            .AddTraceSource("QueueBytes",
                            "The bytes of an egress queue have changed.",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_queueBytesTrace),
                            "ns3::QbbNetDevice::QueueBytesTracedCallback")
            .AddTraceSource(
                "Transmit",
                "A frame starts its transmission; gives the frame itself and makes no packet.",
                MakeTraceSourceAccessor(&QbbNetDevice::m_transmitTrace),
                "ns3::QbbNetDevice::TransmitTracedCallback");
    return tid;
}

QbbNetDevice::QbbNetDevice()
    : m_address(Mac48Address::Allocate())
{
}

QbbNetDevice::~QbbNetDevice() = default;

void
QbbNetDevice::Attach(Ptr<QbbChannel> channel)
{
    NS_LOG_FUNCTION(this << channel);
    if (!m_node)
    {
        throw HpccInputError("ns3::QbbNetDevice::Attach: the device has no node; call "
                             "Node::AddDevice() first");
    }
    if (!m_scheduler)
    {
        m_scheduler = CreateObject<PriorityScheduler>();
    }
    ConfigureScheduler();
    m_channel = channel;
    channel->Attach(this, *this);
}

void
QbbNetDevice::NotifyLinkUp(QbbChannel* channel)
{
    m_link = channel;
    m_agenda->LimitLag(channel->GetDelayNs());
    m_linkChange();
}

void
QbbNetDevice::SetFrameHandler(FrameHandler* handler)
{
    m_handler = handler;
    m_pulls = handler && handler->SuppliesFrames();
}

uint32_t
QbbNetDevice::GetMaxFrameBytes() const
{
    return m_mtu + ETHERNET_HEADER_BYTES + MAX_TELEMETRY_TAG_BYTES;
}

void
QbbNetDevice::Due(AgendaKind kind, uint32_t index, int64_t nowNs)
{
    switch (kind)
    {
    case AgendaKind::ARRIVAL: {
        Frame* frame = TakeArrival();
        const Frame* next = GetNextArrival();
        if (next && m_pulls)
        {
            m_handler->ExpectFrame(*next);
        }
        Receive(frame, nowNs);
        break;
    }
    case AgendaKind::PORT_FREE:
        if (nowNs >= m_wakeNs)
        {
            m_wakeNs = FrameHandler::NEVER;
        }
        TransmitNext(nowNs);
        break;
    case AgendaKind::PAUSE_EXPIRY: {
        uint8_t priority = index % PRIORITIES;
        if (m_paused >> priority & 1 && nowNs >= m_pause[priority].untilNs)
        {
            EndPause(priority, nowNs, true);
            TransmitNext(nowNs);
        }
        break;
    }
    case AgendaKind::PFC_REFRESH: {
        uint8_t priority = index % PRIORITIES;
        if (m_pause[priority].refreshNs == nowNs)
        {
            RequestPause(priority);
        }
        break;
    }
    case AgendaKind::RECEIVE_DRAIN:
        DrainReceiveBuffer(nowNs);
        break;
    case AgendaKind::LINK_CHANGE:
        for (const auto& [atNs, up] : m_linkPlan)
        {
            if (atNs == nowNs)
            {
                ChangeLink(up, nowNs);
            }
        }
        break;
    default:
        NS_ABORT_MSG("QbbNetDevice: unexpected agenda item");
    }
}

void
QbbNetDevice::Receive(Frame* frame, int64_t nowNs)
{
    if (frame->linkEpoch != m_linkEpoch)
    {
        Drop(frame, DropReason::LINK_DOWN);
        return;
    }
    if (m_receiveErrorModel && m_receiveErrorModel->IsEnabled())
    {
        PacketOf(*frame);
        if (m_receiveErrorModel->IsCorrupt(frame->packet))
        {
            Drop(frame, DropReason::RECEIVE_ERROR);
            return;
        }
    }
    if (!m_snifferTrace.IsEmpty())
    {
        m_snifferTrace(PacketOf(*frame));
    }
    if (frame->kind == Frame::Kind::PFC)
    {
        ReceivePfc(*frame, nowNs);
        FramePool::Free(frame);
        return;
    }
    if (!m_macRxTrace.IsEmpty())
    {
        m_macRxTrace(PacketOf(*frame));
    }
    frame->priority = m_dscpMap[frame->tos];
    if (m_drainBps == 0)
    {
        Deliver(frame, nowNs);
    }
    else
    {
        JoinReceiveBuffer(frame, nowNs);
    }
}

void
QbbNetDevice::Deliver(Frame* frame, int64_t nowNs)
{
    if (m_handler)
    {
        m_handler->ReceiveFrame(*this, frame, nowNs);
    }
    else if (frame->kind == Frame::Kind::IP)
    {
        DeliverToStack(frame);
    }
    else
    {
        Drop(frame, DropReason::NO_RECEIVER);
    }
}

void
QbbNetDevice::Drop(Frame* frame, DropReason reason)
{
    NS_LOG_LOGIC("node " << m_node->GetId() << " port " << m_portIndex
                         << " drops a frame: " << ToString(reason));
    ++m_drops[static_cast<size_t>(reason)];
    if (!m_dropTrace.IsEmpty())
    {
        m_dropTrace(PacketOf(*frame), reason);
    }
    FramePool::Free(frame);
}

void
QbbNetDevice::DropPacket(Ptr<const Packet> packet, DropReason reason)
{
    ++m_drops[static_cast<size_t>(reason)];
    m_dropTrace(packet, reason);
}

uint64_t
QbbNetDevice::GetDrops() const
{
    return std::accumulate(m_drops.begin(), m_drops.end(), uint64_t{0});
}

void
QbbNetDevice::NotifyEcnMark(Frame& frame)
{
    if (!m_ecnMarkTrace.IsEmpty())
    {
        m_ecnMarkTrace(PacketOf(frame));
    }
}

Ptr<const Packet>
QbbNetDevice::PacketOf(Frame& frame)
{
    const auto peer = m_link ? Mac48Address::ConvertFrom(m_link->GetPeerAddress(this))
                             : Mac48Address::GetBroadcast();
    std::vector<uint8_t> bytes = FrameCodec::Encode(frame, m_address, peer);
    bytes.resize(frame.bytes);
    Ptr<Packet> packet = Create<Packet>(bytes.data(), bytes.size());
    if (frame.packet)
    {
        Ptr<Packet> now = packet;
        packet = frame.packet->Copy();
        packet->RemoveAtEnd(packet->GetSize());
        packet->AddAtEnd(now);
    }
    if (frame.kind != Frame::Kind::IP)
    {
        frame.packet = packet;
    }
    return packet;
}

bool
QbbNetDevice::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber)
{
    NS_LOG_FUNCTION(this << packet << dest << protocolNumber);
    return GetStackPort().Send(packet, protocolNumber);
}

void
QbbNetDevice::DeliverToStack(Frame* frame)
{
    GetStackPort().Deliver(frame);
}

void
QbbNetDevice::HandUp(Ptr<Packet> packet, uint16_t etherType)
{
    const Address from = GetPeerAddress();
    if (!m_promiscuous.IsNull())
    {
        m_promiscuous(this, packet, etherType, from, GetAddress(), NetDevice::PACKET_HOST);
    }
    m_receive(this, packet, etherType, from);
}

StackPort&
QbbNetDevice::GetStackPort()
{
    if (!m_stack)
    {
        TypeId type;
        NS_ABORT_MSG_UNLESS(TypeId::LookupByNameFailSafe("ns3::QbbIpPort", &type),
                            "QbbNetDevice: this build has no ns3::QbbIpPort, which packets of "
                            "ns-3's IP stack need");
        ObjectFactory factory;
        factory.SetTypeId(type);
        m_stack = factory.Create<StackPort>();
        m_stack->SetDevice(*this);
    }
    return *m_stack;
}

Address
QbbNetDevice::GetPeerAddress() const
{
    return m_channel->GetPeerAddress(this);
}

bool
QbbNetDevice::SendFrom(Ptr<Packet> packet,
                       const Address& source,
                       const Address& dest,
                       uint16_t protocolNumber)
{
    NS_LOG_FUNCTION(this << packet << source << dest << protocolNumber);
    return false;
}

void
QbbNetDevice::SetRate(DataRate rate)
{
    uint64_t bps = rate.GetBitRate();
    if (bps < 1000 || bps > 10000000000000ULL)
    {
        throw HpccInputError("ns3::QbbNetDevice::DataRate " + std::to_string(bps) +
                             "bps is outside 1 kb/s to 10 Tb/s");
    }
    m_rateBps = bps;
}

DataRate
QbbNetDevice::GetRate() const
{
    return DataRate(m_rateBps);
}

void
QbbNetDevice::SetDrainRate(DataRate rate)
{
    m_drainBps = rate.GetBitRate();
}

DataRate
QbbNetDevice::GetDrainRate() const
{
    return DataRate(m_drainBps);
}

void
QbbNetDevice::SetLossless(uint8_t priorities)
{
    m_lossless = priorities;
    ConfigureScheduler();
}

uint8_t
QbbNetDevice::GetLossless() const
{
    return m_lossless;
}

void
QbbNetDevice::SetScheduler(Ptr<EgressScheduler> scheduler)
{
    m_scheduler = scheduler;
    if (!m_scheduler && m_channel)
    {
        m_scheduler = CreateObject<PriorityScheduler>();
    }
    ConfigureScheduler();
}

Ptr<EgressScheduler>
QbbNetDevice::GetSchedulerObject() const
{
    return m_scheduler;
}

void
QbbNetDevice::ConfigureScheduler()
{
    m_classes.lossless = m_lossless;
    if (m_scheduler)
    {
        m_scheduler->SetClasses(m_classes);
        m_watched = m_scheduler->GetWatched();
        m_countsClasses = m_countsClasses || m_scheduler->WantsBytes();
    }
}

void
QbbNetDevice::SetWeights(std::string text)
{
    std::string why;
    if (!m_classes.SetWeights(text, why))
    {
        throw HpccInputError("ns3::QbbNetDevice::Weights: " + why);
    }
    ConfigureScheduler();
}

std::string
QbbNetDevice::GetWeights() const
{
    return m_classes.GetWeights();
}

void
QbbNetDevice::SetQuantum(uint32_t bytes)
{
    m_classes.quantumBytes = bytes;
    ConfigureScheduler();
}

uint32_t
QbbNetDevice::GetQuantum() const
{
    return m_classes.quantumBytes;
}

void
QbbNetDevice::SetDscpMap(std::string text)
{
    std::string why;
    if (!m_dscpMap.Parse(text, why))
    {
        throw HpccInputError("ns3::QbbNetDevice::DscpToPriority: " + why);
    }
}

std::string
QbbNetDevice::GetDscpMap() const
{
    return m_dscpMap.ToString();
}

void
QbbNetDevice::DoInitialize()
{
    // The refresh may wait for a frame and a PFC frame before it leaves; the previous pause must
    // not expire by then.
    uint64_t waitBits =
        8 * uint64_t{GetLinkBytes(GetMaxFrameBytes()) + GetLinkBytes(MIN_FRAME_BYTES)};
    if (m_pfcEnabled && m_lossless && m_pauseQuanta * 512ULL / 2 < waitBits)
    {
        throw HpccInputError("ns3::QbbNetDevice::PauseQuanta " + std::to_string(m_pauseQuanta) +
                             " is less than " + std::to_string((2 * waitBits + 511) / 512) +
                             ", the time of two frames of Mtu " + std::to_string(m_mtu) +
                             ": a refresh could come too late");
    }
    bool traced =
        !(m_snifferTrace.IsEmpty() && m_macRxTrace.IsEmpty() && m_enqueueTrace.IsEmpty() &&
          m_dequeueTrace.IsEmpty() && m_dropTrace.IsEmpty() && m_ecnMarkTrace.IsEmpty());
    bool forwards = m_handler && !m_pulls;
    bool hasStack = !forwards && (m_node->GetObject<Ipv4>() || m_node->GetObject<Ipv6>());
    if (traced || m_receiveErrorModel || hasStack)
    {
        m_agenda->ForbidLag();
    }
    NetDevice::DoInitialize();
}

void
QbbNetDevice::DoDispose()
{
    m_node = nullptr;
    m_link = nullptr;
    m_channel = nullptr;
    m_receiveErrorModel = nullptr;
    m_scheduler = nullptr;
    if (m_stack)
    {
        m_stack->Dispose();
    }
    m_receive.Nullify();
    m_promiscuous.Nullify();
    NetDevice::DoDispose();
}

} // namespace ns3
