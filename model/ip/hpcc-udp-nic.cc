/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-udp-nic.h"

#include "qbb-ip-port.h"

#include "ns3/boolean.h"
#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-ip-headers.h"
#include "ns3/string.h"
#include "ns3/udp-header.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(HpccUdpTag);
NS_OBJECT_ENSURE_REGISTERED(HpccUdpNic);

namespace
{

using IpHeaders::UDP_PROTOCOL;

constexpr uint8_t TTL = 64;

/// @return a packet of UDP in IPv4 or IPv6, without a checksum, which switches would not keep right
Ptr<Packet>
Pack(const HpccNicIp& ip, const std::vector<uint8_t>& payload)
{
    auto packet = Create<Packet>(payload.data(), payload.size());
    UdpHeader udp;
    udp.SetSourcePort(ip.reverse ? ip.like.destinationPort : ip.like.sourcePort);
    udp.SetDestinationPort(ip.reverse ? ip.like.sourcePort : ip.like.destinationPort);
    packet->AddHeader(udp);
    ip.AddTo(packet);
    return packet;
}

} // namespace

TypeId
HpccUdpTag::GetTypeId()
{
    static TypeId tid = TypeId("ns3::HpccUdpTag")
                            .SetParent<Tag>()
                            .SetGroupName("Hpcc")
                            .AddConstructor<HpccUdpTag>();
    return tid;
}

TypeId
HpccUdpTag::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
HpccUdpTag::GetSerializedSize() const
{
    return sizeof(m_end);
}

void
HpccUdpTag::Serialize(TagBuffer i) const
{
    i.WriteU64(m_end);
}

void
HpccUdpTag::Deserialize(TagBuffer i)
{
    m_end = i.ReadU64();
}

void
HpccUdpTag::Print(std::ostream& os) const
{
    os << "end=" << m_end;
}

TypeId
HpccUdpNic::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::HpccUdpNic")
            .SetParent<Object>()
            .SetGroupName("Hpcc")
            .AddConstructor<HpccUdpNic>()
            .AddAttribute("ProbeDscp",
                          "DSCP of probes, of the priority of the data and used by no other UDP.",
                          UintegerValue(21),
                          MakeUintegerAccessor(&HpccUdpNic::m_probeDscp),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddAttribute("ResponseDscp",
                          "DSCP of answers to probes, used by no other UDP.",
                          UintegerValue(22),
                          MakeUintegerAccessor(&HpccUdpNic::m_responseDscp),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddAttribute("ProbeSpacing",
                          "Shortest time between two probes of the host.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&HpccUdpNic::m_probeSpacing),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ForgetAfter",
                          "The count of a flow from which nothing has come for so long may begin "
                          "anew.",
                          TimeValue(Seconds(1)),
                          MakeTimeAccessor(&HpccUdpNic::m_forgetAfter),
                          MakeTimeChecker(Time(1)))
            .AddAttribute(
                "FeedbackKey",
                "Secret that all hosts share to authenticate answers. Empty: they are not "
                "authenticated.",
                StringValue(""),
                MakeStringAccessor(&HpccUdpNic::m_feedbackKey),
                MakeStringChecker())
            .AddAttribute("CountFlows",
                          "Whether the NIC counts the flows that share a class of its link, and "
                          "tells the senders, for the rule of W_ai.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&HpccUdpNic::m_countFlows),
                          MakeBooleanChecker())
            .AddAttribute("CountWindow",
                          "A flow counts for so long after a datagram, with CountFlows; 0 for the "
                          "network's base RTT.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&HpccUdpNic::m_countWindow),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("ProbeSent",
                            "A probe leaves.",
                            MakeTraceSourceAccessor(&HpccUdpNic::m_probeTrace),
                            "ns3::HpccUdpNic::ProbeSentTracedCallback");
    return tid;
}

HpccUdpNic::HpccUdpNic() = default;

HpccUdpNic::~HpccUdpNic() = default;

std::string
HpccUdpNic::Validate(const TelemetryFormat& format)
{
    return HpccNicPackets::Validate(format);
}

std::string
HpccUdpNic::Check(const TelemetryFormat& format) const
{
    if (m_countFlows && format.GetCapabilities().pathExtreme)
    {
        return "ns3::HpccUdpNic::CountFlows is true, allowed is false with telemetry format " +
               format.GetInstanceTypeId().GetName() +
               ", which does not tell the last hop from others";
    }
    return Validate(format);
}

void
HpccUdpNic::Install(Ptr<QbbNetDevice> port,
                    Ptr<const TelemetryFormat> format,
                    Ptr<const TelemetryInventory> inventory,
                    int64_t baseRttNs)
{
    const std::string why = Check(*format);
    if (!why.empty())
    {
        throw HpccInputError("ns3::HpccUdpNic::Install: " + why);
    }
    const int marked = format->GetMarking().dscp;
    if (marked >= 0 && marked != m_probeDscp)
    {
        throw HpccInputError("ns3::HpccUdpNic::ProbeDscp is " + std::to_string(m_probeDscp) +
                             ", but the DSCP that marks telemetry is " + std::to_string(marked) +
                             "; both must be the same");
    }
    if (m_probeDscp == m_responseDscp)
    {
        throw HpccInputError("ns3::HpccUdpNic::ProbeDscp and ResponseDscp are both " +
                             std::to_string(m_probeDscp) + "; they must differ");
    }
    m_port = port;
    m_format = format;
    m_packets.Open(port, format, inventory);
    m_baseRttNs = baseRttNs;
    for (HpccFlowCounter& counter : m_flowCounters)
    {
        counter.Cover(m_countWindow.IsZero() ? baseRttNs : m_countWindow.GetNanoSeconds());
    }
    m_timer = m_port->GetAgenda().Register(AgendaKind::HOST_TIMER, this);
    QbbIpPort::Of(*m_port).AddTap(this);
}

void
HpccUdpNic::Open(const Key& key, HpccUdpSender* sender)
{
    const auto [known, isNew] = m_flows.try_emplace(key);
    if (!isNew)
    {
        throw HpccInputError("ns3::HpccUdpNic::Open: two senders with port " +
                             std::to_string(std::get<1>(key)) +
                             " to the same peer; allowed is one");
    }
    Flow& flow = known->second;
    flow.sender = sender;
    flow.probes.Open(m_baseRttNs, MAX_DOUBLINGS);
    flow.firstNumber = m_feedbackKey.empty() ? 0 : static_cast<uint32_t>(m_counters.probesSent);
    const auto before = m_ended.find(key);
    flow.countUnknown = before == m_ended.end() && m_hasForgotten;
    if (before != m_ended.end())
    {
        flow.counted = before->second.counted;
        m_ended.erase(before);
    }
}

void
HpccUdpNic::Close(const Key& key)
{
    const int64_t nowNs = m_port->GetAgenda().NowNs();
    if (m_ended.size() >= m_sweepEndedAt)
    {
        SweepEnded(nowNs);
    }
    const auto known = m_flows.find(key);
    m_ended[key] = {known->second.counted, nowNs};
    m_flows.erase(known);
}

void
HpccUdpNic::SweepEnded(int64_t nowNs)
{
    const int64_t oldestNs = nowNs - m_forgetAfter.GetNanoSeconds();
    for (auto it = m_ended.begin(); it != m_ended.end();)
    {
        const bool old = it->second.endNs < oldestNs;
        m_hasForgotten = m_hasForgotten || old;
        it = old ? m_ended.erase(it) : std::next(it);
    }
    m_sweepEndedAt = std::max<size_t>(m_sweepEndedAt, 2 * m_ended.size());
}

bool
HpccUdpNic::IsProbing(const Key& key) const
{
    const HpccProbes& probes = m_flows.at(key).probes;
    return probes.IsWanted() || probes.GetTimeoutNs() != NEVER;
}

bool
HpccUdpNic::Parse(const Frame& frame, uint32_t& offset)
{
    uint8_t first = 0;
    frame.packet->CopyData(&first, 1);
    offset = (frame.ipv6 ? IPV6_HEADER_BYTES : (first & 0xf) * 4U) + UDP_HEADER_BYTES;
    return frame.protocol == UDP_PROTOCOL && frame.destinationPort != 0 &&
           frame.packet->GetSize() >= offset;
}

void
HpccUdpNic::CheckPriority(const Frame& frame) const
{
    const uint8_t wanted = m_port->GetPriority(frame.tos);
    const uint8_t found = m_port->GetPriority(static_cast<uint8_t>(m_probeDscp << 2));
    if (wanted != found)
    {
        throw HpccInputError("ns3::HpccUdpNic::ProbeDscp " + std::to_string(m_probeDscp) +
                             " has priority " + std::to_string(found) +
                             ", but the flow's data with DSCP " + std::to_string(frame.tos >> 2) +
                             " has " + std::to_string(wanted) +
                             "; ns3::QbbNetDevice::DscpToPriority must give both the same");
    }
}

void
HpccUdpNic::Sending(QbbNetDevice&, Frame& frame)
{
    uint32_t offset = 0;
    HpccUdpTag tag;
    if (!Parse(frame, offset) || !frame.packet->PeekPacketTag(tag))
    {
        return;
    }
    auto known = m_flows.find(
        {frame.destination, frame.sourcePort, frame.destinationPort, bool{frame.ipv6}});
    if (known == m_flows.end())
    {
        return;
    }
    Flow& flow = known->second;
    if (flow.sndNxt == 0)
    {
        CheckPriority(frame);
    }
    flow.local = frame.source;
    flow.tos = frame.tos;
    flow.ttl = frame.ttl;
    flow.sndNxt = std::max(flow.sndNxt, tag.GetEnd());
    if (flow.probes.OnData())
    {
        m_wanted.push_back(known->first);
    }
}

void
HpccUdpNic::Sent(QbbNetDevice&)
{
    if (!m_wanted.empty())
    {
        SendProbes(m_port->GetAgenda().NowNs());
    }
}

void
HpccUdpNic::SendProbes(int64_t nowNs)
{
    while (!m_wanted.empty() && m_nextProbeNs <= nowNs)
    {
        const Key key = m_wanted.front();
        m_wanted.pop_front();
        const auto known = m_flows.find(key);
        if (known == m_flows.end() || !known->second.probes.IsWanted())
        {
            continue;
        }
        Flow& flow = known->second;
        if (flow.settled == flow.sndNxt)
        {
            flow.probes.Withdraw();
            continue;
        }
        SendProbe(key, flow, nowNs);
        m_nextProbeNs = nowNs + m_probeSpacing.GetNanoSeconds();
    }
    if (!m_wanted.empty())
    {
        NoteTimer(m_nextProbeNs);
    }
}

void
HpccUdpNic::SendProbe(const Key& key, Flow& flow, int64_t nowNs)
{
    Frame like{};
    bool ipv6 = false;
    std::tie(like.destination, like.sourcePort, like.destinationPort, ipv6) = key;
    like.ipv6 = ipv6;
    like.source = flow.local;
    const uint16_t request = flow.sender->AskNext();
    HpccUdpProbeHeader header;
    header.number = flow.firstNumber + static_cast<uint32_t>(flow.probes.GetDepartures());
    header.bytes = flow.sndNxt;
    std::vector<uint8_t> payload(HpccUdpProbeHeader::BYTES);
    header.Serialize(payload.data());
    flow.probes.OnDeparture(header.number, flow.sndNxt, nowNs);
    Arm(key, flow);
    ++m_counters.probesSent;
    m_probeTrace(like.sourcePort, like.destinationPort, flow.sndNxt, nowNs);
    Ptr<Packet> packet = Pack({like,
                               false,
                               UDP_PROTOCOL,
                               static_cast<uint8_t>(m_probeDscp << 2),
                               flow.ttl,
                               flow.identification++},
                              payload);
    m_counters.bytes += m_packets.SendProbe(packet, like.ipv6, flow.tos >> 2, request);
}

bool
HpccUdpNic::Received(QbbNetDevice&, Frame& frame)
{
    uint32_t offset = 0;
    if (!Parse(frame, offset))
    {
        return false;
    }
    const Key key{frame.source, frame.destinationPort, frame.sourcePort, bool{frame.ipv6}};
    const uint32_t size = frame.packet->GetSize() - offset;
    const uint8_t dscp = frame.tos >> 2;
    if (dscp != m_probeDscp && dscp != m_responseDscp)
    {
        Count(key, frame, size);
        return false;
    }
    std::vector<uint8_t> bytes(frame.packet->GetSize());
    frame.packet->CopyData(bytes.data(), bytes.size());
    HpccUdpProbeHeader header;
    const auto kind = dscp == m_probeDscp ? HpccUdpProbeHeader::PROBE : HpccUdpProbeHeader::ANSWER;
    if (header.Deserialize(&bytes[offset], size) == 0 || header.kind != kind)
    {
        ++m_counters.ignored;
    }
    else if (kind == HpccUdpProbeHeader::PROBE)
    {
        Answer(key, frame, header.number);
    }
    else
    {
        const uint32_t used = HpccUdpProbeHeader::BYTES;
        TakeAnswer(key, frame, header, &bytes[offset] + used, size - used);
    }
    return true;
}

void
HpccUdpNic::Count(const Key& key, const Frame& frame, uint32_t bytes)
{
    const int64_t nowNs = m_port->GetAgenda().NowNs();
    if (m_arrivals.size() >= m_sweepAt)
    {
        Sweep(nowNs);
    }
    Arrival& arrival = m_arrivals[key];
    arrival.bytes += bytes;
    arrival.lastNs = nowNs;
    if (m_countFlows)
    {
        arrival.flows = m_flowCounters[frame.priority].Count(arrival.flow, nowNs);
    }
}

void
HpccUdpNic::Sweep(int64_t nowNs)
{
    const int64_t oldestNs = nowNs - m_forgetAfter.GetNanoSeconds();
    for (auto it = m_arrivals.begin(); it != m_arrivals.end();)
    {
        const bool ended = it->second.lastNs < oldestNs;
        m_counters.forgotten += ended;
        it = ended ? m_arrivals.erase(it) : std::next(it);
    }
    m_sweepAt = std::max<size_t>(m_sweepAt, 2 * m_arrivals.size());
}

void
HpccUdpNic::Answer(const Key& key, const Frame& frame, uint32_t number)
{
    ++m_counters.probesReceived;
    HpccUdpProbeHeader header;
    header.kind = HpccUdpProbeHeader::ANSWER;
    header.number = number;
    const auto arrival = m_arrivals.find(key);
    header.bytes = arrival == m_arrivals.end() ? 0 : arrival->second.bytes;
    std::vector<uint8_t> payload(HpccUdpProbeHeader::BYTES);
    header.Serialize(payload.data());
    HpccNicPackets::Note note;
    note.flows = arrival == m_arrivals.end() ? 0 : arrival->second.flows;
    std::optional<HpccFeedbackProof> proof;
    if (!m_feedbackKey.empty())
    {
        proof.emplace(m_feedbackKey, frame, false);
        note.proof = &*proof;
        note.number = number;
        note.around = payload;
    }
    const std::vector<uint8_t> reflection = HpccNicPackets::Reflect(frame, note);
    payload.insert(payload.end(), reflection.begin(), reflection.end());
    Ptr<Packet> packet = Pack({frame,
                               true,
                               UDP_PROTOCOL,
                               static_cast<uint8_t>(m_responseDscp << 2),
                               TTL,
                               static_cast<uint16_t>(m_counters.answersSent)},
                              payload);
    ++m_counters.answersSent;
    m_counters.bytes += m_packets.SendAnswer(packet, frame.ipv6);
}

bool
HpccUdpNic::IsGenuine(Flow& flow,
                      const Frame& frame,
                      const HpccUdpProbeHeader& header,
                      HpccNicPackets::Reflection& reflection)
{
    if (m_feedbackKey.empty())
    {
        return true;
    }
    if (!flow.proof)
    {
        flow.proof.emplace(m_feedbackKey, frame, true);
    }
    const size_t reflectedBytes = reflection.message.size();
    reflection.message.resize(reflectedBytes + HpccUdpProbeHeader::BYTES);
    header.Serialize(reflection.message.data() + reflectedBytes);
    const bool genuine = reflection.IsSigned() &&
                         flow.proof->Sign(header.number, reflection.message) == reflection.tag;
    m_counters.forged += !genuine;
    return genuine;
}

void
HpccUdpNic::TakeAnswer(const Key& key,
                       const Frame& frame,
                       const HpccUdpProbeHeader& header,
                       const uint8_t* in,
                       size_t size)
{
    auto known = m_flows.find(key);
    HpccNicPackets::Reflection reflection;
    if (known == m_flows.end() || !m_packets.Read(in, size, reflection, m_counters.unknownLinks) ||
        !IsGenuine(known->second, frame, header, reflection))
    {
        ++m_counters.ignored;
        return;
    }
    Flow& flow = known->second;
    const int64_t nowNs = m_port->GetAgenda().NowNs();
    const HpccProbes::Answer answer = flow.probes.OnAnswer(header.number, nowNs);
    if (!answer.known)
    {
        ++m_counters.ignored;
        return;
    }
    ++m_counters.answersReceived;
    flow.settled = std::max(flow.settled, answer.byte);
    if (flow.countUnknown)
    {
        flow.countUnknown = false;
        flow.counted = header.bytes - std::min(header.bytes, answer.byte);
    }
    flow.received += header.bytes - (header.bytes < flow.counted ? 0 : flow.counted);
    flow.counted = header.bytes;
    HpccUdpAnswer told{answer.byte, flow.received, answer.sentNs, {}};
    told.sample.nowNs = nowNs;
    told.sample.ackSeq = answer.ackSeq;
    told.sample.sndNxt = flow.sndNxt;
    told.sample.hops = reflection.hops.data();
    told.sample.hopCount = reflection.stack.hops;
    told.sample.pathId = reflection.stack.pathId;
    told.sample.reportedFlows = reflection.header.flows;
    told.sample.telemetry = &m_format->GetCapabilities();
    if (flow.probes.Continue(nowNs, flow.settled < flow.sndNxt))
    {
        m_wanted.push_back(key);
        SendProbes(nowNs);
    }
    flow.sender->Answered(told);
}

void
HpccUdpNic::GiveUp(const Key& key, Flow& flow, int64_t nowNs)
{
    ++m_counters.probeTimeouts;
    const bool wanted = flow.probes.Continue(nowNs, flow.settled < flow.sndNxt);
    const uint32_t inRow = flow.probes.GetTimeoutsInRow();
    if (wanted)
    {
        m_wanted.push_back(key);
        SendProbes(nowNs);
    }
    flow.sender->GivenUp(inRow);
}

void
HpccUdpNic::Arm(const Key& key, Flow& flow)
{
    if (m_timers.Set(key, flow.armedNs, flow.probes.GetTimeoutNs()))
    {
        NoteTimer(flow.armedNs);
    }
}

void
HpccUdpNic::NoteTimer(int64_t atNs)
{
    if (atNs < m_notedNs)
    {
        m_notedNs = atNs;
        m_port->GetAgenda().Note(AgendaKind::HOST_TIMER, m_timer, atNs);
    }
}

void
HpccUdpNic::Due(AgendaKind, uint32_t, int64_t nowNs)
{
    if (nowNs < m_notedNs)
    {
        return;
    }
    m_notedNs = NEVER;
    while (m_timers.GetNextNs() <= nowNs)
    {
        const auto [atNs, key] = m_timers.Pop();
        auto known = m_flows.find(key);
        if (known == m_flows.end() || known->second.armedNs != atNs)
        {
            continue;
        }
        known->second.armedNs = NEVER;
        if (known->second.probes.GetTimeoutNs() <= nowNs)
        {
            GiveUp(key, known->second, nowNs);
        }
        known = m_flows.find(key);
        if (known != m_flows.end())
        {
            Arm(key, known->second);
        }
    }
    if (m_timers.GetNextNs() != NEVER)
    {
        NoteTimer(m_timers.GetNextNs());
    }
    SendProbes(nowNs);
}

void
HpccUdpNic::DoDispose()
{
    m_wanted.clear();
    m_flows.clear();
    m_arrivals.clear();
    m_packets.Close();
    m_port = nullptr;
    m_format = nullptr;
    Object::DoDispose();
}

} // namespace ns3
