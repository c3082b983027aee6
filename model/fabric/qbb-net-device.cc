/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "qbb-net-device.h"

#include "hpcc-frame-codec.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/log.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("QbbNetDevice");

NS_OBJECT_ENSURE_REGISTERED(QbbNetDevice);

namespace
{

constexpr uint64_t BITS_NS = 8ULL * 1000 * 1000 * 1000; ///< bits a byte times ns a second

/// @return true if exactly one bit is set
bool
IsSingle(uint8_t mask)
{
    return (mask & (mask - 1)) == 0;
}

/// @return index of the only set bit
uint8_t
IndexOf(uint8_t mask)
{
    return static_cast<uint8_t>(__builtin_ctz(mask));
}

} // namespace

TypeId
QbbNetDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::QbbNetDevice")
            .SetParent<NetDevice>()
            .SetGroupName("Hpcc")
            .AddConstructor<QbbNetDevice>()
            .AddAttribute("DataRate",
                          "Line rate, 1 Mb/s to 10 Tb/s.",
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
            .AddAttribute("Weights",
                          "Priorities that share by deficit weighted round robin: "
                          "\"priority:weight\" pairs separated by commas; empty: none, strict "
                          "priority. See EgressScheduler.",
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
    NS_ABORT_MSG_UNLESS(m_node, "QbbNetDevice::Attach: add the device to a node first");
    m_channel = channel;
    channel->Attach(this);
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

void
QbbNetDevice::FrameQueue::Push(Frame* frame)
{
    frame->next = nullptr;
    if (tail)
    {
        tail->next = frame;
    }
    else
    {
        head = frame;
    }
    tail = frame;
    bytes += frame->bytes;
}

Frame*
QbbNetDevice::FrameQueue::Pop()
{
    Frame* frame = head;
    head = frame->next;
    if (head)
    {
        head->Prefetch();
    }
    else
    {
        tail = nullptr;
    }
    bytes -= frame->bytes;
    return frame;
}

Frame*
QbbNetDevice::FrameQueue::PopFirst(uint8_t open)
{
    Frame* before = nullptr;
    Frame* frame = head;
    while (frame && !(open >> frame->priority & 1))
    {
        before = frame;
        frame = frame->next;
    }
    if (!frame || !before)
    {
        return frame ? Pop() : nullptr;
    }
    before->next = frame->next;
    if (tail == frame)
    {
        tail = before;
    }
    bytes -= frame->bytes;
    return frame;
}

void
QbbNetDevice::Enqueue(Frame* frame)
{
    if (!m_link)
    {
        Drop(frame, DropReason::LINK_DOWN);
        return;
    }
    uint8_t priority = frame->priority;
    if (!m_enqueueTrace.IsEmpty())
    {
        m_enqueueTrace(PacketOf(*frame));
    }
    int64_t nowNs = m_agenda->CatchUp();
    if (nowNs >= m_freeNs && !HasQueued() && !m_starting && !(m_paused >> priority & 1))
    {
        m_scheduler.Served(priority);
        StartTransmission(frame, nowNs);
        return;
    }
    m_queues[priority].Push(frame);
    m_queued |= 1U << priority;
    m_totalBytes += frame->bytes;
    NotifyQueue(priority);
    TransmitNext(nowNs);
}

void
QbbNetDevice::Emit(Frame* frame)
{
    if (!m_link)
    {
        Drop(frame, DropReason::LINK_DOWN);
        return;
    }
    int64_t nowNs = m_agenda->CatchUp();
    if (frame->kind == Frame::Kind::PFC)
    {
        m_control.Push(frame);
    }
    else
    {
        frame->priority = m_dscpMap[frame->tos];
        frame->ingressPort = Frame::NOT_ADMITTED;
        m_emitted.Push(frame);
    }
    TransmitNext(nowNs);
}

void
QbbNetDevice::Kick(int64_t atNs)
{
    if (!m_link)
    {
        return;
    }
    int64_t nowNs = m_agenda->CatchUp();
    int64_t startNs = std::max(atNs, m_freeNs);
    if (startNs > nowNs)
    {
        NoteWake(startNs);
    }
    else
    {
        TransmitNext(nowNs);
    }
}

void
QbbNetDevice::NoteWake(int64_t atNs)
{
    if (atNs < m_wakeNs)
    {
        m_wakeNs = atNs;
        m_agenda->Note(AgendaKind::PORT_FREE, m_portIndex, atNs);
    }
}

void
QbbNetDevice::TransmitNext(int64_t nowNs)
{
    if (m_starting || m_wakeNs <= nowNs || !m_link)
    {
        return;
    }
    if (nowNs < m_freeNs)
    {
        NoteWake(m_freeNs);
        return;
    }
    if (Frame* frame = SelectFrame(nowNs))
    {
        StartTransmission(frame, nowNs);
    }
    else if (m_pulls)
    {
        int64_t atNs = m_handler->NextPullNs(*this, static_cast<uint8_t>(~m_paused), nowNs + 1);
        if (atNs != FrameHandler::NEVER)
        {
            NoteWake(atNs);
        }
    }
}

Frame*
QbbNetDevice::SelectFrame(int64_t nowNs)
{
    if (m_control.head)
    {
        return m_control.Pop();
    }
    auto open = static_cast<uint8_t>(~m_paused);
    if (m_emitted.head)
    {
        if (Frame* frame = m_emitted.PopFirst(open))
        {
            return frame;
        }
    }
    uint8_t queued = m_queued & open;
    uint8_t pullable = m_pulls ? m_handler->ReadyPriorities(*this, nowNs) & open : 0;
    while (uint8_t candidates = queued | pullable)
    {
        uint8_t priority =
            IsSingle(candidates) ? IndexOf(candidates) : m_scheduler.Choose(candidates);
        uint8_t bit = 1U << priority;
        FrameQueue& queue = m_queues[priority];
        bool pull = pullable & bit;
        if (pull && queued & bit)
        {
            pull = !queue.head->IsRoceFeedback() && !(m_pulledLast & bit);
        }
        if (!pull)
        {
            Frame* frame = queue.Pop();
            if (!queue.head)
            {
                m_queued &= ~bit;
            }
            m_totalBytes -= frame->bytes;
            m_scheduler.Served(priority);
            m_pulledLast &= ~bit;
            NotifyQueue(priority);
            return frame;
        }
        if (Frame* frame = m_handler->PullFrame(*this, priority, nowNs))
        {
            m_scheduler.Served(priority);
            m_pulledLast |= bit;
            return frame;
        }
        pullable &= ~bit;
    }
    return nullptr;
}

void
QbbNetDevice::StartTransmission(Frame* frame, int64_t nowNs)
{
    m_starting = true;
    if (m_handler)
    {
        m_handler->StartOfTransmission(*this, *frame, nowNs);
    }
    uint32_t linkBytes = GetLinkBytes(frame->bytes);
    if (frame->kind == Frame::Kind::PFC)
    {
        TracePfc(*frame, m_pfcSentTrace);
    }
    else
    {
        ++m_txFrames;
    }
    if (!m_transmitTrace.IsEmpty())
    {
        m_transmitTrace(nowNs, *frame);
    }
    if (!m_dequeueTrace.IsEmpty())
    {
        m_dequeueTrace(PacketOf(*frame));
    }
    if (!m_snifferTrace.IsEmpty())
    {
        m_snifferTrace(PacketOf(*frame));
    }
    uint32_t txBytes = m_countOverhead || !m_ethernetOverhead ? linkBytes : frame->bytes + 4;
    m_txBytes += txBytes;
    if (m_countsClasses)
    {
        CountClass(*frame, txBytes, linkBytes);
    }
    uint64_t numerator = linkBytes * BITS_NS;
    if (nowNs == m_freeNs && !m_wholeNanoseconds)
    {
        numerator += m_remainder;
    }
    uint64_t durationNs = (m_wholeNanoseconds ? numerator - 1 : numerator) / m_rateBps;
    m_remainder = numerator % m_rateBps;
    m_freeNs = nowNs + static_cast<int64_t>(durationNs);
    m_starting = false;
    frame->linkEpoch = m_linkEpoch;
    m_link->Transmit(this, frame, m_freeNs);
    if (HasQueued())
    {
        NoteWake(m_freeNs);
    }
    else if (m_pulls)
    {
        int64_t atNs = m_handler->NextPullNs(*this, static_cast<uint8_t>(~m_paused), m_freeNs);
        if (atNs != FrameHandler::NEVER)
        {
            NoteWake(atNs);
        }
    }
}

void
QbbNetDevice::CountClass(const Frame& frame, uint32_t txBytes, uint32_t linkBytes)
{
    if (frame.kind == Frame::Kind::PFC)
    {
        m_lastPriority = PRIORITIES;
        return;
    }
    m_lastPriority = frame.priority;
    m_classTxBytes[frame.priority] += txBytes;
    m_scheduler.Charge(frame.priority, linkBytes);
}

uint32_t
QbbNetDevice::GetLinkBytes(uint32_t bytes) const
{
    return m_ethernetOverhead ? std::max(bytes, MIN_FRAME_BYTES) + ETHERNET_OVERHEAD_BYTES : bytes;
}

uint32_t
QbbNetDevice::GetMaxFrameBytes() const
{
    return m_mtu + ETHERNET_HEADER_BYTES + MAX_TELEMETRY_TAG_BYTES;
}

void
QbbNetDevice::AnnounceArrival(Frame* frame)
{
    frame->next = nullptr;
    if (m_inFlightTail)
    {
        m_inFlightTail->next = frame;
    }
    else
    {
        m_inFlightHead = frame;
        m_agenda->Note(AgendaKind::ARRIVAL, m_portIndex, frame->arrivalNs);
    }
    m_inFlightTail = frame;
}

void
QbbNetDevice::Due(AgendaKind kind, uint32_t index, int64_t nowNs)
{
    switch (kind)
    {
    case AgendaKind::ARRIVAL: {
        Frame* frame = m_inFlightHead;
        m_inFlightHead = frame->next;
        if (m_inFlightHead)
        {
            m_agenda->Note(AgendaKind::ARRIVAL, m_portIndex, m_inFlightHead->arrivalNs);
            if (m_inFlightHead->next)
            {
                m_inFlightHead->next->Prefetch();
            }
            if (m_pulls)
            {
                m_handler->ExpectFrame(*m_inFlightHead);
            }
        }
        else
        {
            m_inFlightTail = nullptr;
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
QbbNetDevice::ScheduleLink(int64_t atNs, bool up)
{
    m_linkPlan.emplace_back(atNs, up);
    m_agenda->Note(AgendaKind::LINK_CHANGE, m_portIndex, atNs);
}

void
QbbNetDevice::ChangeLink(bool up, int64_t nowNs)
{
    if (up == IsLinkUp())
    {
        return;
    }
    if (up)
    {
        m_link = PeekPointer(m_channel);
    }
    else
    {
        GoDown(nowNs);
    }
    if (m_handler)
    {
        m_handler->LinkChanged(*this, up);
    }
    m_linkChange();
    TransmitNext(nowNs);
}

void
QbbNetDevice::Lose(FrameQueue& queue, DropReason reason)
{
    while (queue.head)
    {
        Frame* frame = queue.Pop();
        if (m_handler)
        {
            m_handler->LoseFrame(*this, *frame);
        }
        Drop(frame, reason);
    }
}

void
QbbNetDevice::DropQueue(uint8_t priority, DropReason reason)
{
    FrameQueue& queue = m_queues[priority];
    if (queue.head)
    {
        m_totalBytes -= queue.bytes;
        m_queued &= ~(1U << priority);
        Lose(queue, reason);
        NotifyQueue(priority);
    }
}

void
QbbNetDevice::GoDown(int64_t nowNs)
{
    m_link = nullptr;
    ++m_linkEpoch;
    for (uint8_t p = 0; p < PRIORITIES; ++p)
    {
        m_pause[p].refreshNs = 0;
        if (m_paused >> p & 1)
        {
            EndPause(p, nowNs, false);
        }
    }
    auto lose = [this](FrameQueue& queue) { Lose(queue, DropReason::LINK_DOWN); };
    lose(m_control);
    lose(m_emitted);
    m_queued = 0;
    m_totalBytes = 0;
    for (uint8_t p = 0; p < PRIORITIES; ++p)
    {
        if (m_queues[p].head)
        {
            lose(m_queues[p]);
            NotifyQueue(p);
        }
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
QbbNetDevice::JoinReceiveBuffer(Frame* frame, int64_t nowNs)
{
    if (m_receiveQueue.bytes + frame->bytes > m_receiveBufferBytes)
    {
        Drop(frame, DropReason::RECEIVE_BUFFER);
        return;
    }
    bool idle = !m_receiveQueue.head;
    m_receiveQueue.Push(frame);
    if (idle)
    {
        uint64_t numerator = frame->bytes * BITS_NS;
        m_drainRemainder = numerator % m_drainBps;
        m_agenda->Note(AgendaKind::RECEIVE_DRAIN,
                       m_portIndex,
                       nowNs + static_cast<int64_t>(numerator / m_drainBps));
    }
    if (m_receiveQueue.bytes > m_receivePauseBytes)
    {
        for (uint8_t p = 0; p < PRIORITIES; ++p)
        {
            if (GetLosslessPriorities() >> p & 1 && m_pause[p].refreshNs == 0)
            {
                RequestPause(p);
            }
        }
    }
}

void
QbbNetDevice::DrainReceiveBuffer(int64_t nowNs)
{
    Frame* frame = m_receiveQueue.Pop();
    if (m_receiveQueue.head)
    {
        uint64_t numerator = m_receiveQueue.head->bytes * BITS_NS + m_drainRemainder;
        m_drainRemainder = numerator % m_drainBps;
        m_agenda->Note(AgendaKind::RECEIVE_DRAIN,
                       m_portIndex,
                       nowNs + static_cast<int64_t>(numerator / m_drainBps));
    }
    if (m_receiveQueue.bytes <= m_receiveResumeBytes)
    {
        for (uint8_t p = 0; p < PRIORITIES; ++p)
        {
            if (m_pause[p].refreshNs != 0)
            {
                ReleasePause(p);
            }
        }
    }
    Deliver(frame, nowNs);
}

int64_t
QbbNetDevice::QuantaNs(uint16_t quanta) const
{
    return static_cast<int64_t>(quanta * 512ULL * 1000 * 1000 * 1000 / m_rateBps);
}

void
QbbNetDevice::ReceivePfc(const Frame& frame, int64_t nowNs)
{
    bool resumed = false;
    for (uint8_t p = 0; p < PRIORITIES; ++p)
    {
        if (!(frame.pfc.classEnable >> p & 1))
        {
            continue;
        }
        uint16_t quanta = frame.pfc.quanta[p];
        m_pfcReceivedTrace(p, quanta);
        if (!(GetLosslessPriorities() >> p & 1))
        {
            continue;
        }
        bool paused = m_paused >> p & 1;
        if (quanta == 0)
        {
            if (paused)
            {
                EndPause(p, nowNs, false);
                resumed = true;
            }
            continue;
        }
        if (!paused)
        {
            m_paused |= 1U << p;
            ++m_pauses;
            m_pause[p].sinceNs = nowNs;
            m_pauseStartTrace(p, nowNs);
        }
        m_pause[p].untilNs = nowNs + QuantaNs(quanta);
        m_agenda->Note(AgendaKind::PAUSE_EXPIRY, m_portIndex * PRIORITIES + p, m_pause[p].untilNs);
    }
    if (resumed)
    {
        TransmitNext(nowNs);
    }
}

void
QbbNetDevice::EndPause(uint8_t priority, int64_t nowNs, bool expired)
{
    m_paused &= ~(1U << priority);
    ++m_pausesEnded;
    m_pausedNs += nowNs - m_pause[priority].sinceNs;
    m_pause[priority].endNs = nowNs;
    m_pauseEndTrace(priority, m_pause[priority].sinceNs, nowNs, expired);
}

void
QbbNetDevice::RequestPause(uint8_t priority)
{
    if (!(GetLosslessPriorities() >> priority & 1))
    {
        return;
    }
    SendPfc(priority, m_pauseQuanta);
    m_pause[priority].refreshNs =
        m_agenda->NowNs() + std::max<int64_t>(QuantaNs(m_pauseQuanta) / 2, 1);
    m_agenda->Note(AgendaKind::PFC_REFRESH,
                   m_portIndex * PRIORITIES + priority,
                   m_pause[priority].refreshNs);
}

void
QbbNetDevice::ReleasePause(uint8_t priority)
{
    if (m_pause[priority].refreshNs == 0)
    {
        return;
    }
    m_pause[priority].refreshNs = 0;
    SendPfc(priority, 0);
}

void
QbbNetDevice::SendPfc(uint8_t priority, uint16_t quanta)
{
    Frame* waiting = m_control.tail;
    Frame* frame = waiting ? waiting : m_agenda->Frames().Allocate();
    if (!waiting)
    {
        frame->kind = Frame::Kind::PFC;
        frame->bytes = MIN_FRAME_BYTES;
        frame->opcode = 0;
        frame->tos = 0;
        frame->pfc.classEnable = 0;
        frame->pfc.quanta.fill(0);
    }
    frame->pfc.classEnable |= 1U << priority;
    frame->pfc.quanta[priority] = quanta;
    if (!waiting)
    {
        Emit(frame);
    }
}

void
QbbNetDevice::TracePfc(const Frame& frame, const TracedCallback<uint8_t, uint16_t>& trace) const
{
    for (uint8_t p = 0; p < PRIORITIES; ++p)
    {
        if (frame.pfc.classEnable >> p & 1)
        {
            trace(p, frame.pfc.quanta[p]);
        }
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

void
QbbNetDevice::NotifyQueue(uint8_t priority)
{
    if (!m_queueBytesTrace.IsEmpty())
    {
        m_queueBytesTrace(priority, m_queues[priority].bytes, m_totalBytes);
    }
    if (m_ip.GetStopped())
    {
        m_ip.QueueShrank(priority);
    }
}

Ptr<const Packet>
QbbNetDevice::PacketOf(Frame& frame)
{
    QbbNetDevice* peer = m_link ? m_link->GetPeer(this) : nullptr;
    std::vector<uint8_t> bytes =
        FrameCodec::Encode(frame, m_address, peer ? peer->m_address : Mac48Address::GetBroadcast());
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
    return m_ip.Send(packet, protocolNumber);
}

void
QbbNetDevice::DeliverToStack(Frame* frame)
{
    m_ip.Deliver(frame);
}

Address
QbbNetDevice::GetPeerAddress() const
{
    return m_channel->GetPeer(this)->m_address;
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
    NS_ABORT_MSG_IF(bps < 1000000 || bps > 10000000000000ULL,
                    "QbbNetDevice::DataRate " << rate << " is outside 1 Mb/s to 10 Tb/s");
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
    m_scheduler.SetRing(priorities);
}

uint8_t
QbbNetDevice::GetLossless() const
{
    return m_lossless;
}

void
QbbNetDevice::SetWeights(std::string text)
{
    std::string why;
    NS_ABORT_MSG_UNLESS(m_scheduler.SetWeights(text, why), "QbbNetDevice::Weights: " << why);
    m_countsClasses = m_countsClasses || !text.empty();
}

std::string
QbbNetDevice::GetWeights() const
{
    return m_scheduler.GetWeights();
}

void
QbbNetDevice::SetQuantum(uint32_t bytes)
{
    m_scheduler.SetQuantum(bytes);
}

uint32_t
QbbNetDevice::GetQuantum() const
{
    return m_scheduler.GetQuantum();
}

void
QbbNetDevice::SetDscpMap(std::string text)
{
    std::string why;
    NS_ABORT_MSG_UNLESS(m_dscpMap.Parse(text, why), "QbbNetDevice::DscpToPriority: " << why);
}

std::string
QbbNetDevice::GetDscpMap() const
{
    return m_dscpMap.ToString();
}

void
QbbNetDevice::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
QbbNetDevice::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
QbbNetDevice::GetChannel() const
{
    return m_channel;
}

void
QbbNetDevice::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
}

Address
QbbNetDevice::GetAddress() const
{
    return m_address;
}

bool
QbbNetDevice::SetMtu(const uint16_t mtu)
{
    m_mtu = mtu;
    return true;
}

uint16_t
QbbNetDevice::GetMtu() const
{
    return m_mtu;
}

bool
QbbNetDevice::IsLinkUp() const
{
    return m_link != nullptr;
}

void
QbbNetDevice::AddLinkChangeCallback(Callback<void> callback)
{
    m_linkChange.ConnectWithoutContext(callback);
}

bool
QbbNetDevice::IsBroadcast() const
{
    return true;
}

Address
QbbNetDevice::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
QbbNetDevice::IsMulticast() const
{
    return true;
}

Address
QbbNetDevice::GetMulticast(Ipv4Address multicastGroup) const
{
    return Mac48Address::GetMulticast(multicastGroup);
}

Address
QbbNetDevice::GetMulticast(Ipv6Address addr) const
{
    return Mac48Address::GetMulticast(addr);
}

bool
QbbNetDevice::IsBridge() const
{
    return false;
}

bool
QbbNetDevice::IsPointToPoint() const
{
    return true;
}

bool
QbbNetDevice::NeedsArp() const
{
    return false;
}

Ptr<Node>
QbbNetDevice::GetNode() const
{
    return m_node;
}

void
QbbNetDevice::SetNode(Ptr<Node> node)
{
    m_node = node;
    Ptr<NodeAgenda> agenda = NodeAgenda::Of(node);
    m_agenda = PeekPointer(agenda);
    m_portIndex = m_agenda->Register(AgendaKind::ARRIVAL, this);
    m_agenda->Register(AgendaKind::PORT_FREE, m_portIndex, this);
    m_agenda->Register(AgendaKind::RECEIVE_DRAIN, m_portIndex, this);
    m_agenda->Register(AgendaKind::LINK_CHANGE, m_portIndex, this);
    for (uint32_t p = 0; p < PRIORITIES; ++p)
    {
        m_agenda->Register(AgendaKind::PAUSE_EXPIRY, m_portIndex * PRIORITIES + p, this);
        m_agenda->Register(AgendaKind::PFC_REFRESH, m_portIndex * PRIORITIES + p, this);
    }
}

void
QbbNetDevice::SetReceiveCallback(NetDevice::ReceiveCallback cb)
{
    m_ip.receive = cb;
}

void
QbbNetDevice::SetPromiscReceiveCallback(PromiscReceiveCallback cb)
{
    m_ip.promiscuous = cb;
}

bool
QbbNetDevice::SupportsSendFrom() const
{
    return false;
}

void
QbbNetDevice::DoInitialize()
{
    // Until the refresh leaves, it may wait for a frame and a PFC frame; the pause before may not.
    uint64_t waitBits =
        8 * uint64_t{GetLinkBytes(GetMaxFrameBytes()) + GetLinkBytes(MIN_FRAME_BYTES)};
    NS_ABORT_MSG_IF(m_pfcEnabled && m_lossless && m_pauseQuanta * 512ULL / 2 < waitBits,
                    "QbbNetDevice::PauseQuanta " << m_pauseQuanta << " is less than "
                                                 << (2 * waitBits + 511) / 512
                                                 << ", the time of two frames of Mtu " << m_mtu
                                                 << ": a refresh could come too late");
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
    m_ip.Dispose();
    NetDevice::DoDispose();
}

} // namespace ns3
