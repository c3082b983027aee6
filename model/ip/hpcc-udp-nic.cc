/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-udp-nic.h"

#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-ip-headers.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/udp-header.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(HpccUdpTag);
NS_OBJECT_ENSURE_REGISTERED(HpccUdpNic);

namespace
{

using IpHeaders::UDP_PROTOCOL;

/// Returns a UDP packet over IPv4 or IPv6. The packet has no checksum, because switches would not
/// update it.
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
    static TypeId tid = HpccTypeId::Of<HpccUdpTag, Tag>("ns3::HpccUdpTag");
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
        AddCommon(HpccTypeId::Of<HpccUdpNic, Object>("ns3::HpccUdpNic"))
            .Attribute(
                "ProbeSpacing",
                "Shortest time between two probes of the host, over all its flows. 0: no limit.",
                HpccField(&HpccUdpNic::m_probeSpacing, Time(0), Time(0)))
            .Attribute(
                "ForgetAfter",
                "Time without arrivals after which the NIC may remove the payload count of a flow.",
                HpccField(&HpccUdpNic::m_forgetAfter, Seconds(1), Time(1)));
    return tid;
}

std::string
HpccUdpNic::Check(const TelemetryFormat& format) const
{
    const std::string why = CheckCount(format);
    return why.empty() ? Validate(format) : why;
}

void
HpccUdpNic::Open(const Key& key, HpccUdpSender* sender)
{
    HPCC_REFUSE_IF(!sender, "ns3::HpccUdpNic::Open: the sender is null; pass a sender");
    const auto [known, isNew] = m_flows.try_emplace(key);
    HPCC_REFUSE_IF(!isNew,
                   "ns3::HpccUdpNic::Open: two senders with port " +
                       std::to_string(std::get<1>(key)) + " to the same peer; allowed is one");
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
    const int64_t nowNs = NowNs();
    if (m_ended.size() >= m_sweepEndedAt)
    {
        SweepEnded(nowNs);
    }
    const auto known = m_flows.find(key);
    m_probes.Forget(key, known->second.probes);
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
HpccUdpNic::Sending(QbbNetDevice&, Frame& frame)
{
    uint32_t offset = 0;
    HpccUdpTag tag;
    if (!Parse(frame, offset))
    {
        return;
    }
    CheckForeign(frame);
    if (!frame.packet->PeekPacketTag(tag))
    {
        return;
    }
    const auto known = m_flows.find(KeyOfSent(frame));
    if (known == m_flows.end())
    {
        return;
    }
    Flow& flow = known->second;
    if (flow.sndNxt == 0)
    {
        CheckData(frame.tos >> 2);
        CheckPeer(frame.destination);
        CheckTtl(frame.ttl);
    }
    flow.Follow(frame);
    flow.sndNxt = std::max(flow.sndNxt, tag.GetEnd());
    m_probes.OnData(known->first, flow.probes);
}

void
HpccUdpNic::Sent(QbbNetDevice&)
{
    m_probes.SendDue(NowNs());
}

HpccProbes*
HpccUdpNic::FindProbes(const Key& key)
{
    const auto known = m_flows.find(key);
    return known == m_flows.end() ? nullptr : &known->second.probes;
}

bool
HpccUdpNic::HasDataInFlight(const Key& key)
{
    const Flow& flow = m_flows.at(key);
    return flow.settled < flow.sndNxt;
}

void
HpccUdpNic::SendProbe(const Key& key, int64_t)
{
    Flow& flow = m_flows.at(key);
    HpccUdpProbeHeader header;
    header.number = flow.firstNumber + static_cast<uint32_t>(flow.probes.GetDepartures());
    header.bytes = flow.sndNxt;
    std::vector<uint8_t> payload(HpccUdpProbeHeader::BYTES);
    header.Serialize(payload.data());
    EmitProbe(key,
              flow,
              UDP_PROTOCOL,
              header.number,
              flow.sender->AskNext(),
              [&payload](const HpccNicIp& ip) { return Pack(ip, payload); });
}

void
HpccUdpNic::ProbeTimedOut(const Key& key, int64_t)
{
    ++m_counters.probeTimeouts;
    const Flow& flow = m_flows.at(key);
    flow.sender->GivenUp(flow.probes.GetTimeoutsInRow());
}

int64_t
HpccUdpNic::GetProbeSpacingNs() const
{
    return m_probeSpacing.GetNanoSeconds();
}

bool
HpccUdpNic::Received(QbbNetDevice&, Frame& frame)
{
    uint32_t offset = 0;
    if (!Parse(frame, offset))
    {
        return false;
    }
    const Key key = KeyOfReceived(frame);
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
    const int64_t nowNs = NowNs();
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
    EmitAnswer(frame, [&payload](const HpccNicIp& ip) { return Pack(ip, payload); });
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
    if (known == m_flows.end() ||
        !m_packets.Read(in,
                        size,
                        m_port->GetPriority(known->second.tos),
                        reflection,
                        m_counters.unknownLinks) ||
        !IsGenuine(known->second, frame, header, reflection))
    {
        ++m_counters.ignored;
        return;
    }
    Flow& flow = known->second;
    const int64_t nowNs = NowNs();
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
    const HpccUdpAnswer told{answer.byte,
                             flow.received,
                             answer.sentNs,
                             m_packets.MakeSample(reflection, {nowNs, answer.ackSeq, flow.sndNxt})};
    m_probes.Continue(key, flow.probes, nowNs);
    flow.sender->Answered(told);
}

void
HpccUdpNic::DoDispose()
{
    m_flows.clear();
    m_arrivals.clear();
    HpccIpNic::DoDispose();
}

} // namespace ns3
