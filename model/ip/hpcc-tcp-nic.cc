/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-tcp-nic.h"

#include "qbb-ip-port.h"
#include "tcp-hpcc-plus-plus.h"

#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-ip-headers.h"
#include "ns3/hpcc-tcp-option-format.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/tcp-header.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(HpccTcpNic);

namespace
{

using IpHeaders::TCP_PROTOCOL;
constexpr uint8_t FIN_OR_RST = TcpHeader::FIN | TcpHeader::RST;
constexpr uint8_t SYN_OR_RST = TcpHeader::SYN | TcpHeader::RST;

} // namespace

TypeId
HpccTcpNic::GetTypeId()
{
    static TypeId tid =
        AddCommon(HpccTypeId::Of<HpccTcpNic, Object>("ns3::HpccTcpNic"))
            .Attribute(
                "Feedback",
                "Carrier of telemetry: Probe, one per round trip; InBand, each data segment; "
                "Compact, a TCP option; CompactReceiver, one from which the receiver computes W.",
                HpccField(&HpccTcpNic::m_feedback,
                          HpccTcpNic::PROBE,
                          HpccTcpNic::PROBE,
                          "Probe",
                          HpccTcpNic::IN_BAND,
                          "InBand",
                          HpccTcpNic::COMPACT,
                          "Compact",
                          HpccTcpNic::COMPACT_RECEIVER,
                          "CompactReceiver"))
            .Attribute("TagEvery",
                       "With Feedback Compact or CompactReceiver: one of this many data segments "
                       "collects telemetry.",
                       HpccField(&HpccTcpNic::m_tagEvery, 1, 1))
            .Attribute("TagOncePerRtt",
                       "With Feedback Compact or CompactReceiver: whether at most one data segment "
                       "per T collects telemetry.",
                       HpccField(&HpccTcpNic::m_tagOncePerRtt, false))
            .Attribute("MaxUnanswered",
                       "Consecutive probes without an answer after which a connection falls back.",
                       HpccField(&HpccTcpNic::m_maxUnanswered, 8, 1))
            .Attribute(
                "PauseAfter",
                "Consecutive answers or time-outs with no segment sent or acked after which probes "
                "back off, doubling from T. 0: never, and data counts as unanswered repeatedly.",
                HpccField(&HpccTcpNic::m_pauseAfter, 16))
            .Attribute("SocketCheck",
                       "Shortest time between two checks for closed sockets, whose connections are "
                       "then removed. 0: no checks; they stay until their ports are used again.",
                       HpccField(&HpccTcpNic::m_socketCheck, Seconds(1), Time(0)))
            .Trace("FellBack",
                   "A connection has fallen back; gives the reason.",
                   &HpccTcpNic::m_fellBackTrace,
                   "ns3::HpccTcpNic::FellBackTracedCallback");
    return tid;
}

std::string
HpccTcpNic::Check(const TelemetryFormat& format) const
{
    const bool option = dynamic_cast<const TcpOptionFormat*>(&format);
    if (IsCompact() != option)
    {
        return "telemetry format " + format.GetInstanceTypeId().GetName() +
               (option ? " is an option of TCP; ns3::HpccTcpNic::Feedback must be Compact or "
                         "CompactReceiver for it"
                       : " is no option of TCP, which ns3::HpccTcpNic::Feedback Compact and "
                         "CompactReceiver need");
    }
    if (!option && (m_tagEvery != 1 || m_tagOncePerRtt))
    {
        return "ns3::HpccTcpNic::TagEvery and TagOncePerRtt are for options of TCP; "
               "ns3::HpccTcpNic::Feedback must be Compact or CompactReceiver for them";
    }
    if (option &&
        static_cast<const TcpOptionFormat&>(format).IsAuthenticated() == m_feedbackKey.empty())
    {
        return "ns3::HpccTcpNic::FeedbackKey is \"" + m_feedbackKey + "\", which needs an option " +
               (m_feedbackKey.empty() ? "without" : "with") + " an authenticator";
    }
    if (m_tagEvery != 1 && m_tagOncePerRtt)
    {
        return "ns3::HpccTcpNic::TagEvery is " + std::to_string(m_tagEvery) +
               " and TagOncePerRtt is true; only one of them may be set";
    }
    const std::string why = CheckCount(format);
    return option || !why.empty() ? why : Validate(format);
}

void
HpccTcpNic::DoInstall()
{
    m_arrivals.SetKey(m_feedbackKey);
    MakeCompact();
    m_watch = std::make_unique<HpccTcpSocketWatch>(
        m_port->GetAgenda(),
        m_socketCheck.GetNanoSeconds(),
        [this] {
            return !m_connections.empty() || !m_arrivals.IsEmpty() ||
                   (m_compact && m_compact->GetPeers() > 0);
        },
        [this] { AskTcp(); });
    if (m_port->GetOffload().tso)
    {
        m_pacer = std::make_unique<HpccTsoPacer>(*this, *m_port);
        QbbIpPort::Of(*m_port).SetSegmentGate(m_pacer.get());
    }
}

HpccTcpNic::Connections::iterator
HpccTcpNic::FindLive(const Key& key)
{
    const auto known = m_connections.find(key);
    if (known != m_connections.end() && known->second.ops && !known->second.ops->HasSocket())
    {
        m_connections.erase(known);
        return m_connections.end();
    }
    return known;
}

HpccTcpNic::Connections::iterator
HpccTcpNic::Add(const Key& key, const Frame& frame, const HpccTcpFields& segment)
{
    const auto socket = m_sockets.Find(*m_port->GetNode(), key);
    if (!socket || !HpccTcpSockets::HasUnacknowledged(*socket))
    {
        return m_connections.end();
    }
    Connection connection;
    connection.ops = Connection::OpsOf(*socket);
    connection.sndUna = connection.sndNxt = connection.reportedUna = segment.sequence;
    connection.probes.Open(m_baseRttNs, MAX_DOUBLINGS, m_feedback == PROBE ? m_pauseAfter : 0);
    if (!m_feedbackKey.empty())
    {
        connection.proof.emplace(m_feedbackKey, frame, false);
    }
    if (connection.ops && m_format->GetMarking().ipv6 && !frame.ipv6)
    {
        FallBack(key, connection, "telemetry in IPv6 only");
    }
    else if (connection.ops)
    {
        OpenOps(connection, frame, segment);
    }
    return m_connections.emplace(key, connection).first;
}

void
HpccTcpNic::OpenOps(Connection& connection, const Frame& frame, const HpccTcpFields& segment)
{
    Connection::Validate(*connection.ops, *m_format, m_thinned);
    CheckData(frame.tos >> 2);
    CheckPeer(frame.destination);
    CheckTtl(frame.ttl);
    connection.ops->Open({static_cast<double>(m_port->GetRateBps()),
                          m_baseRttNs,
                          m_port->GetLinkBytes(frame.bytes) - segment.payloadBytes,
                          segment.sequence,
                          QbbIpPort::Of(*m_port).GetWirePayload(segment.offset),
                          m_sprayed,
                          m_thinned});
}

void
HpccTcpNic::Sending(QbbNetDevice&, Frame& frame)
{
    HpccTcpFields segment;
    if (!HpccTcpFields::Parse(frame, segment))
    {
        Key key = KeyOfSent(frame);
        if (HpccTcpFields::ReadFragment(frame, std::get<1>(key), std::get<2>(key)) &&
            m_fragmented.insert(key).second)
        {
            Connection::RefuseFragments(m_sockets.Find(*m_port->GetNode(), key), key, *m_port);
        }
        return;
    }
    CheckForeign(frame);
    const Key key = KeyOfSent(frame);
    auto known = FindLive(key);
    if (m_compact)
    {
        m_compact->Follow(key, segment.flags, true);
    }
    if (segment.flags & SYN_OR_RST)
    {
        m_fragmented.erase(key);
        m_arrivals.Forget(key);
    }
    if (segment.flags & TcpHeader::SYN && known != m_connections.end())
    {
        m_connections.erase(known);
        return;
    }
    bool collects = false;
    if (segment.payloadBytes > 0)
    {
        known = known == m_connections.end() ? Add(key, frame, segment) : known;
        collects = known != m_connections.end() && known->second.IsServed() &&
                   SendData(key, known->second, frame, segment);
    }
    if (m_compact)
    {
        AddOption(key, frame, segment, collects);
    }
    if (segment.flags & FIN_OR_RST && known != m_connections.end() && known->second.OnEnd(segment))
    {
        m_connections.erase(known);
    }
}

bool
HpccTcpNic::SendData(const Key& key,
                     Connection& connection,
                     Frame& frame,
                     const HpccTcpFields& segment)
{
    const int64_t nowNs = NowNs();
    if (frame.tos >> 2 != connection.tos >> 2)
    {
        CheckData(frame.tos >> 2); // the application has changed the DSCP
    }
    connection.OnData(frame, segment, nowNs);
    if (m_compact)
    {
        return m_compact->Takes(connection.turn, nowNs);
    }
    if (m_feedback == PROBE)
    {
        m_probes.OnData(key, connection.probes);
        return false;
    }
    const uint16_t request = connection.ops->AskNext(m_format->GetCapabilities(), false);
    m_counters.bytes += m_packets.AddTelemetry(frame, frame.tos >> 2, request);
    ++m_counters.probesSent;
    if (SetsDscp())
    {
        frame.tos = static_cast<uint8_t>(m_probeDscp << 2 | (frame.tos & 3));
    }
    connection.OnTelemetrySent(nowNs);
    AwaitAnswer(key, connection);
    return false;
}

void
HpccTcpNic::Sent(QbbNetDevice&)
{
    m_watch->OnPacket();
    m_probes.SendDue(NowNs());
}

void
HpccTcpNic::AwaitAnswer(const Key& key, Connection& connection)
{
    if (connection.probes.GetTimeoutNs() == NEVER)
    {
        m_probes.StartTimeout(key, connection.probes, NowNs());
    }
}

HpccProbes*
HpccTcpNic::FindProbes(const Key& key)
{
    const auto known = FindLive(key);
    return known == m_connections.end() ? nullptr : &known->second.probes;
}

bool
HpccTcpNic::HasDataInFlight(const Key& key)
{
    // The result decides whether the engine starts a further time-out. Data with telemetry gets
    // only one time-out, so in modes without probes the result is false, although data is in
    // flight. Exception: with InBand and PauseAfter 0, time-outs repeat.
    const bool repeats = m_feedback == PROBE || (m_feedback == IN_BAND && m_pauseAfter == 0);
    const Connection& connection = m_connections.at(key);
    return repeats && connection.IsServed() && connection.IsInFlight() &&
           connection.probes.GetTimeoutsInRow() < m_maxUnanswered;
}

void
HpccTcpNic::SendProbe(const Key& key, int64_t nowNs)
{
    Connection& connection = m_connections.at(key);
    if (m_feedback == IN_BAND)
    {
        m_probes.StartTimeout(key, connection.probes, nowNs);
        return;
    }
    HpccTcpFields fields{};
    fields.sequence = static_cast<uint32_t>(connection.sndNxt);
    fields.acknowledged = connection.lastAck;
    EmitProbe(key,
              connection,
              TCP_PROTOCOL,
              fields.sequence,
              connection.ops->AskNext(m_format->GetCapabilities(), true),
              [&fields](const HpccNicIp& ip) { return fields.Pack(ip, Create<Packet>()); });
}

void
HpccTcpNic::ProbeTimedOut(const Key& key, int64_t)
{
    ++m_counters.probeTimeouts;
    Connection& connection = m_connections.at(key);
    const uint32_t unanswered = connection.probes.GetTimeoutsInRow();
    if (unanswered >= m_maxUnanswered)
    {
        FallBack(key, connection, std::to_string(unanswered) + " probes without an answer");
    }
}

bool
HpccTcpNic::Received(QbbNetDevice&, Frame& frame)
{
    const Key key = KeyOfReceived(frame);
    WakePacer(key);
    m_watch->OnPacket();
    HpccTcpFields segment;
    if (!HpccTcpFields::Parse(frame, segment))
    {
        return false;
    }
    if (segment.flags & SYN_OR_RST)
    {
        CheckForeign(frame); // probes and answers have neither flag
        m_arrivals.Forget(key);
    }
    if (m_countFlows && segment.payloadBytes > 0 && frame.tos >> 2 != m_responseDscp)
    {
        m_arrivals.Count(key, frame, m_flowCounters[frame.priority], NowNs());
    }
    if (m_compact)
    {
        m_compact->Follow(key, segment.flags, false);
        if (frame.format == PeekPointer(m_format))
        {
            TakeOption(key, frame, segment);
        }
    }
    else if (TakeFeedback(key, frame, segment))
    {
        return true;
    }
    FollowAck(key, segment);
    return false;
}

bool
HpccTcpNic::TakeFeedback(const Key& key, Frame& frame, const HpccTcpFields& segment)
{
    const uint8_t dscp = frame.tos >> 2;
    if (SetsDscp() ? dscp == m_probeDscp : frame.format != nullptr)
    {
        Answer(key, frame, segment);
        if (segment.payloadBytes == 0)
        {
            return true;
        }
        if (SetsDscp())
        {
            const int original = frame.format ? frame.telemetry.originalDscp << 2 : 0;
            frame.tos = static_cast<uint8_t>(original | (frame.tos & 3));
        }
    }
    if (dscp != m_responseDscp)
    {
        return false;
    }
    const bool counts = TakeAnswer(key, frame, segment);
    m_counters.answersReceived += counts;
    m_counters.ignored += !counts;
    return true;
}

void
HpccTcpNic::FollowAck(const Key& key, const HpccTcpFields& segment)
{
    const auto known = FindLive(key);
    if (known == m_connections.end() || !(segment.flags & (TcpHeader::RST | TcpHeader::ACK)))
    {
        return;
    }
    Connection& connection = known->second;
    const int64_t nowNs = NowNs();
    if (connection.IsServed() && connection.OnAck(segment, nowNs))
    {
        m_probes.OnAcknowledged(key, connection.probes, nowNs);
    }
    if (connection.IsOver(segment))
    {
        m_connections.erase(known);
    }
}

void
HpccTcpNic::Answer(const Key& key, const Frame& probe, const HpccTcpFields& segment)
{
    ++m_counters.probesReceived;
    if (!probe.format)
    {
        ++m_counters.ignored;
        return;
    }
    HpccTcpFields fields{};
    fields.sequence = segment.acknowledged;
    fields.acknowledged = segment.sequence + segment.payloadBytes;
    HpccNicPackets::Note note;
    if (m_countFlows || !m_feedbackKey.empty())
    {
        note = m_arrivals.MakeNote(key, probe, fields.GetNumbers());
    }
    const std::vector<uint8_t> bytes = HpccNicPackets::Reflect(probe, note);
    EmitAnswer(probe, [&](const HpccNicIp& ip) {
        return fields.Pack(ip, Create<Packet>(bytes.data(), bytes.size()));
    });
}

bool
HpccTcpNic::Accept(HpccFeedbackProof::Verdict verdict)
{
    m_counters.forged += verdict == HpccFeedbackProof::Verdict::FORGED;
    m_counters.replayed += verdict == HpccFeedbackProof::Verdict::REPLAYED;
    return verdict == HpccFeedbackProof::Verdict::GENUINE;
}

bool
HpccTcpNic::ReadAnswer(Connection& connection,
                       const Frame& frame,
                       const HpccTcpFields& segment,
                       HpccNicPackets::Reflection& reflection)
{
    std::vector<uint8_t> bytes(frame.packet->GetSize());
    frame.packet->CopyData(bytes.data(), bytes.size());
    if (!m_packets.Read(bytes.data() + segment.offset,
                        segment.payloadBytes,
                        m_port->GetPriority(connection.tos),
                        reflection,
                        m_counters.unknownLinks) ||
        (reflection.stack.hops == 0 && m_thinned == NOT_THINNED))
    {
        return false;
    }
    return !connection.proof ||
           Accept(HpccNicPackets::CheckProof(reflection, segment.GetNumbers(), *connection.proof));
}

HpccProbes::Answer
HpccTcpNic::Match(const Key& key, Connection& connection, uint32_t acknowledged, int64_t& rttNs)
{
    const int64_t nowNs = NowNs();
    if (m_feedback == PROBE)
    {
        const HpccProbes::Answer answer = connection.probes.OnAnswer(acknowledged, nowNs);
        rttNs = nowNs - answer.sentNs;
        return answer;
    }
    const uint64_t ackSeq = connection.UnwrapAck(acknowledged);
    rttNs = connection.OnTelemetryAnswered(ackSeq, nowNs);
    connection.probes.StopTimeout();
    if (ackSeq < connection.sndNxt)
    {
        m_probes.StartTimeout(key, connection.probes, nowNs);
    }
    return {true, ackSeq, 0, 0};
}

bool
HpccTcpNic::TakeAnswer(const Key& key, const Frame& frame, const HpccTcpFields& segment)
{
    const auto known = FindLive(key);
    HpccNicPackets::Reflection reflection;
    if (known == m_connections.end() || !known->second.ops ||
        !ReadAnswer(known->second, frame, segment, reflection))
    {
        return false;
    }
    Connection& connection = known->second;
    int64_t rttNs = -1;
    const HpccProbes::Answer answer = Match(key, connection, segment.acknowledged, rttNs);
    if (!answer.known)
    {
        return false;
    }
    const int64_t nowNs = NowNs();
    HpccSample sample = m_packets.MakeSample(reflection, {nowNs, answer.ackSeq, connection.sndNxt});
    sample.idleNs = connection.idleNs;
    connection.idleNs = 0;
    connection.ops->OnTelemetry(sample, connection.TakeView(rttNs));
    if (m_feedback == PROBE)
    {
        m_probes.Continue(key, connection.probes, nowNs);
    }
    return true;
}

void
HpccTcpNic::FallBack(const Key& key, Connection& connection, const std::string& why)
{
    connection.ops->FallBack(why);
    ++m_fallbacks;
    m_fellBackTrace(std::get<1>(key), std::get<2>(key), why);
    WakePacer(key);
}

bool
HpccTcpNic::Allow(const Key& key, uint32_t sequence, HpccTsoPacer::Allowance& allowance) const
{
    const auto known = m_connections.find(key);
    if (known == m_connections.end() || !known->second.IsServed())
    {
        return false;
    }
    allowance = known->second.GetAllowance(sequence);
    return true;
}

void
HpccTcpNic::WakePacer(const Key& key)
{
    if (m_pacer)
    {
        m_pacer->Wake(key);
    }
}

void
HpccTcpNic::AskTcp()
{
    const auto sockets = HpccTcpSockets::List(*m_port->GetNode());
    const auto isOpen = [&sockets](const Key& key) { return sockets.count(key) > 0; };
    m_sockets.Clear();
    for (auto it = m_connections.begin(); it != m_connections.end();)
    {
        const auto known = it++;
        if (!isOpen(known->first))
        {
            WakePacer(known->first);
            m_connections.erase(known);
        }
    }
    m_arrivals.Keep(isOpen);
    if (m_compact)
    {
        m_compact->Keep(isOpen);
    }
}

void
HpccTcpNic::DoDispose()
{
    m_connections.clear();
    m_arrivals.Clear();
    m_sockets.Clear();
    m_compact.reset();
    HpccIpNic::DoDispose();
}

} // namespace ns3
