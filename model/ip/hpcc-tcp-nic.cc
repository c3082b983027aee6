/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-tcp-nic.h"

#include "hpcc-tcp-sequence.h"
#include "qbb-ip-port.h"

#include "ns3/boolean.h"
#include "ns3/enum.h"
#include "ns3/hpcc-compat.h"
#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-ip-headers.h"
#include "ns3/string.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>
#include <string>
#include <vector>

namespace ns3
{

using namespace boost::endian;

NS_OBJECT_ENSURE_REGISTERED(HpccTcpNic);

namespace
{

using IpHeaders::TCP_HEADER_BYTES;
using IpHeaders::TCP_PROTOCOL;
constexpr uint8_t FIN_OR_RST = TcpHeader::FIN | TcpHeader::RST;

/// The fields of a packet that the NIC generates.
struct Packing
{
    HpccNicIp ip;          ///< IP header; the frame has the ports, too
    uint32_t sequence;     ///< of TCP
    uint32_t acknowledged; ///< of TCP
};

/// @return a packet of TCP in IPv4 or IPv6
Ptr<Packet>
Pack(const Packing& p, Ptr<Packet> payload)
{
    TcpHeader tcp;
    const Frame& like = p.ip.like;
    tcp.SetSourcePort(p.ip.reverse ? like.destinationPort : like.sourcePort);
    tcp.SetDestinationPort(p.ip.reverse ? like.sourcePort : like.destinationPort);
    tcp.SetSequenceNumber(SequenceNumber32(p.sequence));
    tcp.SetAckNumber(SequenceNumber32(p.acknowledged));
    tcp.SetFlags(TcpHeader::ACK);
    if (Node::ChecksumEnabled())
    {
        tcp.EnableChecksums();
        tcp.InitializeChecksum(p.ip.GetSource(), p.ip.GetDestination(), TCP_PROTOCOL);
    }
    payload->AddHeader(tcp);
    p.ip.AddTo(payload);
    return payload;
}

/// @return what the proof of an answer covers besides its reflection
std::vector<uint8_t>
Around(uint32_t sequence, uint32_t acknowledged)
{
    std::vector<uint8_t> bytes(8);
    store_big_u32(bytes.data(), sequence);
    store_big_u32(bytes.data() + 4, acknowledged);
    return bytes;
}

/**
 * @param socket TCP's
 * @return true if all that it has sent has been acknowledged: what leaves now has waited for too
 * long
 */
bool
IsAcknowledged(const TcpSocketBase& socket)
{
    UintegerValue buffer;
    socket.GetAttribute("SndBufSize", buffer);
    return socket.GetTxAvailable() >= buffer.Get();
}

} // namespace

TypeId
HpccTcpNic::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::HpccTcpNic")
            .SetParent<Object>()
            .SetGroupName("Hpcc")
            .AddConstructor<HpccTcpNic>()
            .AddAttribute(
                "Feedback",
                "What carries telemetry: a probe per round trip, every data segment, or an "
                "option of TCP that returns to the sender or is used by the receiver.",
                EnumValue(HpccTcpNic::PROBE),
                MakeHpccEnumAccessor<Feedback>(&HpccTcpNic::m_feedback),
                MakeEnumChecker(HpccTcpNic::PROBE,
                                "Probe",
                                HpccTcpNic::IN_BAND,
                                "InBand",
                                HpccTcpNic::COMPACT,
                                "Compact",
                                HpccTcpNic::COMPACT_RECEIVER,
                                "CompactReceiver"))
            .AddAttribute("TagEvery",
                          "With an option of TCP: one of so many data segments collects.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&HpccTcpNic::m_tagEvery),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("TagOncePerRtt",
                          "With an option of TCP: at most one data segment per T collects.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&HpccTcpNic::m_tagOncePerRtt),
                          MakeBooleanChecker())
            .AddAttribute("ProbeDscp",
                          "DSCP of probes, of the priority of the data and used by nothing else.",
                          UintegerValue(21),
                          MakeUintegerAccessor(&HpccTcpNic::m_probeDscp),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddAttribute("ResponseDscp",
                          "DSCP of answers to probes, used by nothing else.",
                          UintegerValue(22),
                          MakeUintegerAccessor(&HpccTcpNic::m_responseDscp),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddAttribute("MaxUnanswered",
                          "Probes without an answer, one after the other, after which a connection "
                          "falls back.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&HpccTcpNic::m_maxUnanswered),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute(
                "PauseAfter",
                "Answers to probes or time-outs, one after the other, with no data segment sent or "
                "acknowledged in between, after which the next probe waits for T, and each further "
                "one for twice as long, until one is: what was in flight has been lost. 0: probes "
                "go on, and data with telemetry goes on counting as unanswered.",
                UintegerValue(16),
                MakeUintegerAccessor(&HpccTcpNic::m_pauseAfter),
                MakeUintegerChecker<uint32_t>())
            .AddAttribute("SocketCheck",
                          "How long after a segment the NIC asks TCP which sockets are left, and "
                          "forgets the other connections; at most so often. 0: never, so that what "
                          "ends without a segment stays until the NIC sees its ports again.",
                          TimeValue(Seconds(1)),
                          MakeTimeAccessor(&HpccTcpNic::m_socketCheck),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("FeedbackKey",
                          "Secret that all hosts share to authenticate answers and what options "
                          "return. Empty: they are not authenticated.",
                          StringValue(""),
                          MakeStringAccessor(&HpccTcpNic::m_feedbackKey),
                          MakeStringChecker())
            .AddAttribute("CountFlows",
                          "Whether the NIC counts the connections that share a class of its link, "
                          "and tells the senders, for the rule of W_ai.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&HpccTcpNic::m_countFlows),
                          MakeBooleanChecker())
            .AddAttribute("CountWindow",
                          "A connection counts for so long after a data segment, with CountFlows; "
                          "0 for the network's base RTT.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&HpccTcpNic::m_countWindow),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("ProbeSent",
                            "A probe leaves.",
                            MakeTraceSourceAccessor(&HpccTcpNic::m_probeTrace),
                            "ns3::HpccTcpNic::ProbeSentTracedCallback")
            .AddTraceSource("FellBack",
                            "A connection has fallen back.",
                            MakeTraceSourceAccessor(&HpccTcpNic::m_fellBackTrace),
                            "ns3::HpccTcpNic::FellBackTracedCallback");
    return tid;
}

HpccTcpNic::HpccTcpNic()
    : m_sockets([this](const Key& key) { return m_connections.count(key) > 0; }),
      m_sending(m_connections.end())
{
}

HpccTcpNic::~HpccTcpNic() = default;

std::string
HpccTcpNic::Validate(const TelemetryFormat& format)
{
    return HpccNicPackets::Validate(format);
}

void
HpccTcpNic::Install(Ptr<QbbNetDevice> port,
                    Ptr<const TelemetryFormat> format,
                    Ptr<const TelemetryInventory> inventory,
                    int64_t baseRttNs)
{
    const std::string why = Check(*format);
    if (!why.empty())
    {
        throw HpccInputError("ns3::HpccTcpNic::Install: " + why);
    }
    const int marked = format->GetMarking().dscp;
    if (marked >= 0 && marked != m_probeDscp)
    {
        throw HpccInputError("ns3::HpccTcpNic::ProbeDscp is " + std::to_string(m_probeDscp) +
                             ", but the DSCP that marks telemetry is " + std::to_string(marked) +
                             "; both must be the same");
    }
    if (m_probeDscp == m_responseDscp)
    {
        throw HpccInputError("ns3::HpccTcpNic::ProbeDscp and ResponseDscp are both " +
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
    MakeCompact();
    m_timer = m_port->GetAgenda().Register(AgendaKind::HOST_TIMER, this);
    m_askTimer = m_port->GetAgenda().Register(AgendaKind::HOST_TIMER, this);
    QbbIpPort::Of(*m_port).AddTap(this);
    if (m_port->GetOffload().tso)
    {
        m_pacer = std::make_unique<HpccTsoPacer>(*this, *m_port);
        QbbIpPort::Of(*m_port).SetSegmentGate(m_pacer.get());
    }
}

bool
HpccTcpNic::Parse(const Frame& frame, Segment& segment)
{
    std::array<uint8_t, 60 + TCP_HEADER_BYTES> bytes{};
    const uint32_t size = frame.packet->CopyData(bytes.data(), bytes.size());
    const uint32_t ipBytes = frame.ipv6 ? IPV6_HEADER_BYTES : (bytes[0] & 0xf) * 4U;
    if (frame.protocol != TCP_PROTOCOL || size < ipBytes + TCP_HEADER_BYTES)
    {
        return false;
    }
    const uint8_t* tcp = &bytes[ipBytes];
    segment.sequence = load_big_u32(tcp + 4);
    segment.acknowledged = load_big_u32(tcp + 8);
    segment.headerBytes = (tcp[12] >> 4) * 4U;
    segment.offset = ipBytes + segment.headerBytes;
    segment.flags = tcp[13];
    const uint32_t total = frame.packet->GetSize();
    segment.payloadBytes = total - std::min(total, segment.offset);
    return segment.headerBytes >= TCP_HEADER_BYTES && segment.offset <= total;
}

std::map<HpccTcpNic::Key, HpccTcpNic::Connection>::iterator
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

std::map<HpccTcpNic::Key, HpccTcpNic::Connection>::iterator
HpccTcpNic::Add(const Key& key, const Frame& frame, const Segment& segment)
{
    const auto socket = m_sockets.Find(*m_port->GetNode(), key);
    if (!socket || IsAcknowledged(*socket))
    {
        return m_connections.end();
    }
    Connection connection;
    connection.ops = OpsOf(*socket);
    connection.sndUna = connection.sndNxt = segment.sequence;
    connection.reportedUna = segment.sequence;
    connection.probes.Open(m_baseRttNs, MAX_DOUBLINGS);
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
        const std::string why = connection.ops->Validate(m_format->GetCapabilities());
        if (!why.empty())
        {
            throw HpccInputError(why);
        }
        const uint8_t wanted = m_port->GetPriority(frame.tos);
        const uint8_t found = m_port->GetPriority(static_cast<uint8_t>(m_probeDscp << 2));
        if (SetsDscp() && wanted != found)
        {
            throw HpccInputError("ns3::HpccTcpNic::ProbeDscp " + std::to_string(m_probeDscp) +
                                 " has priority " + std::to_string(found) +
                                 ", but TCP's data with DSCP " + std::to_string(frame.tos >> 2) +
                                 " has " + std::to_string(wanted) +
                                 "; ns3::QbbNetDevice::DscpToPriority must give both the same");
        }
        connection.ops->Open({static_cast<double>(m_port->GetRateBps()),
                              m_baseRttNs,
                              m_port->GetLinkBytes(frame.bytes) - segment.payloadBytes,
                              segment.sequence,
                              QbbIpPort::Of(*m_port).GetWirePayload(segment.offset)});
    }
    return m_connections.emplace(key, connection).first;
}

void
HpccTcpNic::NoteData(Connection& connection, const Segment& segment, const Frame& frame)
{
    const int64_t nowNs = m_port->GetAgenda().NowNs();
    connection.local = frame.source;
    connection.tos = frame.tos;
    connection.ttl = frame.ttl;
    connection.lastAck = segment.acknowledged;
    if (connection.idleSinceNs >= 0)
    {
        // Below one segment per round trip, pacing is the reason that nothing is in flight.
        const auto pacedNs =
            static_cast<int64_t>(8e9 * segment.payloadBytes / connection.ops->GetPacingBps());
        connection.idleNs = std::max(connection.idleNs, nowNs - connection.idleSinceNs - pacedNs);
        connection.idleSinceNs = -1;
    }
    const uint64_t end =
        UnwrapTcpSequence(segment.sequence + segment.payloadBytes, connection.sndNxt);
    connection.sndNxt = std::max(connection.sndNxt, end);
    connection.stalls = 0;
    connection.resumeNs = NEVER;
}

void
HpccTcpNic::Sending(QbbNetDevice&, Frame& frame)
{
    Segment segment;
    m_sending = m_connections.end();
    if (!Parse(frame, segment))
    {
        return;
    }
    const Key key{frame.destination, frame.sourcePort, frame.destinationPort, bool{frame.ipv6}};
    auto known = FindLive(key);
    Connection* collects = nullptr;
    if (m_compact)
    {
        m_compact->Follow(key, segment.flags, true);
    }
    if (segment.flags & (TcpHeader::SYN | TcpHeader::RST))
    {
        m_arriving.erase(key);
    }
    if (segment.flags & TcpHeader::SYN && known != m_connections.end())
    {
        m_connections.erase(known);
        return;
    }
    if (segment.payloadBytes > 0)
    {
        known = known == m_connections.end() ? Add(key, frame, segment) : known;
        if (known != m_connections.end() && known->second.IsServed())
        {
            NoteData(known->second, segment, frame);
            if (m_compact)
            {
                const int64_t nowNs = m_port->GetAgenda().NowNs();
                collects = m_compact->Takes(known->second.turn, nowNs) ? &known->second : nullptr;
            }
            else if (m_feedback == IN_BAND)
            {
                AddTelemetry(key, frame, known->second);
            }
            else
            {
                m_sending = known;
            }
        }
    }
    if (m_compact)
    {
        AddOption(key, frame, segment, collects);
    }
    if (segment.flags & FIN_OR_RST && known != m_connections.end())
    {
        Connection& connection = known->second;
        connection.closing = true;
        connection.finEnd = segment.sequence + segment.payloadBytes + 1;
        if (segment.flags & TcpHeader::RST ||
            (connection.IsServed() && connection.sndUna >= connection.sndNxt))
        {
            m_connections.erase(known);
            m_sending = m_connections.end();
        }
    }
}

void
HpccTcpNic::Sent(QbbNetDevice&)
{
    NotePassing();
    if (m_sending != m_connections.end() && m_sending->second.probes.OnData())
    {
        SendProbe(m_sending->first, m_sending->second, m_port->GetAgenda().NowNs());
    }
    m_sending = m_connections.end();
}

void
HpccTcpNic::AddTelemetry(const Key& key, Frame& frame, Connection& connection)
{
    frame.format = PeekPointer(m_format);
    m_format->Open(frame.telemetry,
                   {frame.destinationPort,
                    TCP_PROTOCOL,
                    static_cast<uint8_t>(frame.tos >> 2),
                    connection.ops->AskNext(m_format->GetCapabilities(), false)});
    if (SetsDscp())
    {
        frame.tos = static_cast<uint8_t>(m_probeDscp << 2 | (frame.tos & 3));
    }
    const uint32_t added = m_format->GetWireBytes(frame.telemetry);
    frame.bytes =
        std::max(frame.packet->GetSize() + ETHERNET_HEADER_BYTES + added, MIN_FRAME_BYTES);
    ++m_counters.probesSent;
    m_counters.bytes += added;
    if (connection.timedNs < 0)
    {
        connection.timedNs = m_port->GetAgenda().NowNs();
        connection.timedSeq = connection.sndNxt;
    }
    if (connection.probes.GetTimeoutNs() == NEVER)
    {
        connection.probes.Await(m_port->GetAgenda().NowNs());
        Arm(key, connection);
    }
}

void
HpccTcpNic::SendProbe(const Key& key, Connection& connection, int64_t nowNs)
{
    Frame like{};
    bool ipv6 = false;
    std::tie(like.destination, like.sourcePort, like.destinationPort, ipv6) = key;
    like.ipv6 = ipv6;
    like.source = connection.local;
    Ptr<Packet> packet = Pack({{like,
                                false,
                                TCP_PROTOCOL,
                                static_cast<uint8_t>(m_probeDscp << 2),
                                connection.ttl,
                                connection.identification++},
                               static_cast<uint32_t>(connection.sndNxt),
                               connection.lastAck},
                              Create<Packet>());
    connection.probes.OnDeparture(static_cast<uint32_t>(connection.sndNxt),
                                  connection.sndNxt,
                                  nowNs);
    Arm(key, connection);
    ++m_counters.probesSent;
    m_probeTrace(like.sourcePort, like.destinationPort, connection.sndNxt, nowNs);
    m_counters.bytes +=
        m_packets.SendProbe(packet,
                            like.ipv6,
                            connection.tos >> 2,
                            connection.ops->AskNext(m_format->GetCapabilities(), true));
}

bool
HpccTcpNic::Received(QbbNetDevice&, Frame& frame)
{
    Segment segment;
    const uint8_t dscp = frame.tos >> 2;
    const bool parsed = Parse(frame, segment);
    const Key key{frame.source, frame.destinationPort, frame.sourcePort, bool{frame.ipv6}};
    WakePacer(key);
    NotePassing();
    if (parsed && segment.flags & (TcpHeader::SYN | TcpHeader::RST))
    {
        m_arriving.erase(key);
    }
    if (parsed && m_countFlows && segment.payloadBytes > 0 && dscp != m_responseDscp)
    {
        Count(key, frame);
    }
    if (m_compact)
    {
        if (parsed)
        {
            m_compact->Follow(key, segment.flags, false);
        }
        if (parsed && frame.format == PeekPointer(m_format))
        {
            TakeOption(key, frame, segment);
        }
    }
    else if (parsed && (SetsDscp() ? dscp == m_probeDscp : frame.format != nullptr))
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
    if (!m_compact && parsed && dscp == m_responseDscp)
    {
        TakeAnswer(key, frame, segment);
        return true;
    }
    const auto known = parsed ? FindLive(key) : m_connections.end();
    if (known != m_connections.end() && segment.flags & TcpHeader::RST)
    {
        m_connections.erase(known);
    }
    else if (known != m_connections.end() && segment.flags & TcpHeader::ACK)
    {
        Connection& connection = known->second;
        if (!connection.IsServed())
        {
            const auto behind = static_cast<int32_t>(segment.acknowledged - connection.finEnd);
            if (connection.closing && behind >= 0)
            {
                m_connections.erase(known);
            }
            return false;
        }
        NoteAcknowledged(key,
                         connection,
                         UnwrapTcpSequence(segment.acknowledged, connection.sndUna));
        const bool idle = connection.sndUna >= connection.sndNxt;
        if (idle && connection.closing)
        {
            m_connections.erase(known);
        }
        else if (idle && connection.idleSinceNs < 0)
        {
            connection.idleSinceNs = m_port->GetAgenda().NowNs();
        }
    }
    return false;
}

void
HpccTcpNic::Answer(const Key& key, const Frame& probe, const Segment& segment)
{
    ++m_counters.probesReceived;
    if (!probe.format)
    {
        ++m_counters.ignored;
        return;
    }
    const uint32_t sequence = segment.acknowledged;
    const uint32_t acknowledged = segment.sequence + segment.payloadBytes;
    HpccNicPackets::Note note;
    if (m_countFlows || !m_feedbackKey.empty())
    {
        Arriving& arriving = FindArriving(key, probe);
        note.flows = arriving.flows;
        if (arriving.proof)
        {
            note.proof = &*arriving.proof;
            note.number = arriving.proof->Next();
            note.around = Around(sequence, acknowledged);
        }
    }
    const std::vector<uint8_t> bytes = HpccNicPackets::Reflect(probe, note);
    Ptr<Packet> packet = Pack({{probe,
                                true,
                                TCP_PROTOCOL,
                                static_cast<uint8_t>(m_responseDscp << 2),
                                64,
                                static_cast<uint16_t>(m_counters.answersSent)},
                               sequence,
                               acknowledged},
                              Create<Packet>(bytes.data(), bytes.size()));
    ++m_counters.answersSent;
    m_counters.bytes += m_packets.SendAnswer(packet, probe.ipv6);
}

HpccTcpNic::Arriving&
HpccTcpNic::FindArriving(const Key& key, const Frame& frame)
{
    const auto [known, isNew] = m_arriving.try_emplace(key);
    if (isNew && !m_feedbackKey.empty())
    {
        known->second.proof.emplace(m_feedbackKey, frame, false);
    }
    return known->second;
}

void
HpccTcpNic::Count(const Key& key, const Frame& frame)
{
    Arriving& arriving = FindArriving(key, frame);
    arriving.flows =
        m_flowCounters[frame.priority].Count(arriving.flow, m_port->GetAgenda().NowNs());
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
                       const Segment& segment,
                       HpccNicPackets::Reflection& reflection)
{
    std::vector<uint8_t> bytes(frame.packet->GetSize());
    frame.packet->CopyData(bytes.data(), bytes.size());
    if (!m_packets.Read(bytes.data() + segment.offset,
                        segment.payloadBytes,
                        reflection,
                        m_counters.unknownLinks) ||
        reflection.stack.hops == 0)
    {
        return false;
    }
    if (!connection.proof)
    {
        return true;
    }
    if (!reflection.IsSigned())
    {
        return Accept(HpccFeedbackProof::Verdict::FORGED);
    }
    const std::vector<uint8_t> around = Around(segment.sequence, segment.acknowledged);
    reflection.message.insert(reflection.message.end(), around.begin(), around.end());
    return Accept(connection.proof->Check(reflection.header.sequence,
                                          16,
                                          reflection.tag,
                                          reflection.message));
}

TcpHpccPlusPlus::View
HpccTcpNic::ViewOf(Connection& connection, int64_t rttNs)
{
    const TcpHpccPlusPlus::View view{rttNs,
                                     connection.sndUna - connection.reportedUna,
                                     connection.sndNxt - connection.sndUna};
    connection.reportedUna = connection.sndUna;
    return view;
}

bool
HpccTcpNic::Match(const Key& key,
                  Connection& connection,
                  const Segment& segment,
                  HpccSample& sample,
                  int64_t nowNs,
                  int64_t& rttNs)
{
    rttNs = -1;
    if (m_feedback == IN_BAND)
    {
        sample.ackSeq = UnwrapTcpSequence(segment.acknowledged, connection.sndUna);
        connection.probes.Heard();
        if (connection.timedNs >= 0 && sample.ackSeq >= connection.timedSeq)
        {
            rttNs = sample.ackSeq == connection.timedSeq ? nowNs - connection.timedNs : -1;
            connection.timedNs = -1;
        }
        if (sample.ackSeq < connection.sndNxt)
        {
            connection.probes.Await(nowNs);
            Arm(key, connection);
        }
        return true;
    }
    const HpccProbes::Answer answer = connection.probes.OnAnswer(segment.acknowledged, nowNs);
    sample.ackSeq = answer.ackSeq;
    rttNs = answer.known ? nowNs - answer.sentNs : -1;
    return answer.known;
}

void
HpccTcpNic::TakeAnswer(const Key& key, const Frame& frame, const Segment& segment)
{
    const auto known = FindLive(key);
    HpccNicPackets::Reflection reflection;
    if (known == m_connections.end() || !known->second.ops ||
        !ReadAnswer(known->second, frame, segment, reflection))
    {
        ++m_counters.ignored;
        return;
    }
    Connection& connection = known->second;
    const int64_t nowNs = m_port->GetAgenda().NowNs();
    HpccSample sample{};
    int64_t rttNs = -1;
    if (!Match(key, connection, segment, sample, nowNs, rttNs))
    {
        ++m_counters.ignored;
        return;
    }
    ++m_counters.answersReceived;
    sample.nowNs = nowNs;
    sample.sndNxt = connection.sndNxt;
    sample.idleNs = connection.idleNs;
    sample.hops = reflection.hops.data();
    sample.hopCount = reflection.stack.hops;
    sample.pathId = reflection.stack.pathId;
    sample.reportedFlows = reflection.header.flows;
    sample.telemetry = &m_format->GetCapabilities();
    connection.idleNs = 0;
    connection.ops->OnTelemetry(sample, ViewOf(connection, rttNs));
    ++connection.stalls;
    if (m_feedback == PROBE && !connection.ops->HasFallenBack() &&
        connection.probes.Continue(nowNs, IsSteered(connection)))
    {
        SendProbe(key, connection, nowNs);
    }
    else
    {
        Rest(key, connection, nowNs);
    }
}

void
HpccTcpNic::FallBack(const Key& key, Connection& connection, const std::string& why)
{
    connection.ops->FallBack(why);
    m_fellBackTrace(std::get<1>(key), std::get<2>(key), why);
    WakePacer(key);
}

void
HpccTcpNic::GiveUp(const Key& key, Connection& connection, int64_t nowNs)
{
    ++m_counters.probeTimeouts;
    ++connection.stalls;
    const bool wanted = connection.probes.Continue(nowNs, IsSteered(connection));
    const uint32_t unanswered = connection.probes.GetTimeoutsInRow();
    if (unanswered >= m_maxUnanswered)
    {
        FallBack(key, connection, std::to_string(unanswered) + " probes without an answer");
    }
    else if (wanted && m_feedback == PROBE)
    {
        SendProbe(key, connection, nowNs);
    }
    else if (wanted && m_feedback == IN_BAND && m_pauseAfter == 0)
    {
        connection.probes.Await(nowNs);
        Arm(key, connection);
    }
    else
    {
        Rest(key, connection, nowNs);
    }
}

void
HpccTcpNic::Arm(const Key& key, Connection& connection)
{
    const int64_t atNs = std::min(connection.probes.GetTimeoutNs(), connection.resumeNs);
    if (m_timers.Set(key, connection.armedNs, atNs))
    {
        NoteTimer(atNs);
    }
}

void
HpccTcpNic::RunTimer(const Key& key, int64_t nowNs)
{
    auto known = m_connections.find(key);
    const bool due = known->second.probes.GetTimeoutNs() <= nowNs;
    const bool resumes = known->second.resumeNs <= nowNs;
    if ((due || resumes) && !known->second.ops->HasSocket())
    {
        m_connections.erase(known);
        return;
    }
    if (due)
    {
        GiveUp(key, known->second, nowNs);
    }
    else if (resumes)
    {
        Resume(key, known->second, nowNs);
    }
    known = m_connections.find(key);
    if (known != m_connections.end())
    {
        Arm(key, known->second);
    }
}

void
HpccTcpNic::NoteTimer(int64_t atNs)
{
    if (atNs < m_notedNs)
    {
        m_notedNs = atNs;
        m_port->GetAgenda().Note(AgendaKind::HOST_TIMER, m_timer, atNs);
    }
}

void
HpccTcpNic::Due(AgendaKind, uint32_t index, int64_t nowNs)
{
    if (index == m_askTimer)
    {
        if (nowNs >= m_askNs)
        {
            AskTcp(nowNs);
        }
        return;
    }
    if (nowNs < m_notedNs)
    {
        return;
    }
    m_notedNs = NEVER;
    while (m_timers.GetNextNs() <= nowNs)
    {
        const auto [atNs, key] = m_timers.Pop();
        const auto known = m_connections.find(key);
        if (known != m_connections.end() && known->second.armedNs == atNs)
        {
            known->second.armedNs = NEVER;
            RunTimer(key, nowNs);
        }
    }
    if (m_timers.GetNextNs() != NEVER)
    {
        NoteTimer(m_timers.GetNextNs());
    }
}

void
HpccTcpNic::DoDispose()
{
    m_connections.clear();
    m_arriving.clear();
    m_sending = m_connections.end();
    m_sockets.Clear();
    m_compact.reset();
    m_port = nullptr;
    m_format = nullptr;
    m_packets.Close();
    Object::DoDispose();
}

} // namespace ns3
