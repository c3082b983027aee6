/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-tcp-nic.h"
#include "hpcc-tcp-sequence.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-tcp-option-format.h"

#include <algorithm>
#include <string>

// The part of HpccTcpNic that writes and reads options of TCP.

namespace ns3
{

std::string
HpccTcpNic::Check(const TelemetryFormat& format) const
{
    const bool option = dynamic_cast<const TcpOptionFormat*>(&format);
    if (IsCompact() != option)
    {
        return "telemetry format " + format.GetInstanceTypeId().GetName() +
               (option ? " is an option of TCP; ns3::HpccTcpNic::Feedback must be Compact or "
                         "CompactReceiver for it"
                       : " is no option of TCP, as ns3::HpccTcpNic::Feedback Compact and "
                         "CompactReceiver want it");
    }
    if (!option && (m_tagEvery != 1 || m_tagOncePerRtt))
    {
        return "ns3::HpccTcpNic::TagEvery and TagOncePerRtt are for options of TCP; "
               "ns3::HpccTcpNic::Feedback must be Compact or CompactReceiver for them";
    }
    if (m_countFlows && format.GetCapabilities().pathExtreme)
    {
        return "ns3::HpccTcpNic::CountFlows is true, allowed is false with telemetry format " +
               format.GetInstanceTypeId().GetName() +
               ", which does not tell the last hop from others";
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
    return option ? "" : Validate(format);
}

void
HpccTcpNic::MakeCompact()
{
    if (!IsCompact())
    {
        return;
    }
    HpccTcpCompact::Settings settings;
    settings.windows = m_feedback == COMPACT_RECEIVER;
    settings.parameters = [this](const Key& key) {
        const auto socket = m_sockets.Find(*m_port->GetNode(), key);
        auto ops = socket ? OpsOf(*socket) : nullptr;
        ops = ops ? ops : CreateObject<TcpHpccPlusPlus>();
        const std::string why = ops->Validate(m_format->GetCapabilities());
        if (!why.empty())
        {
            throw HpccInputError(why);
        }
        ops->SetNetworkBaseRttNs(m_baseRttNs);
        return ops->GetLawParameters();
    };
    settings.sign = [this](const Key& key, Frame& frame) {
        if (m_feedbackKey.empty())
        {
            return;
        }
        const auto [known, isNew] = m_arriving.try_emplace(key);
        if (isNew)
        {
            known->second.proof.emplace(m_feedbackKey, frame, true);
        }
        const auto& option = static_cast<const TcpOptionFormat&>(*m_format);
        const uint64_t number = known->second.proof->Next();
        option.SetProof(frame.telemetry,
                        {static_cast<uint32_t>(number),
                         known->second.proof->Sign(number, option.GetSigned(frame.telemetry))});
    };
    settings.lineRateBps = static_cast<double>(m_port->GetRateBps());
    settings.every = m_tagEvery;
    settings.intervalNs = m_tagOncePerRtt ? m_baseRttNs : 0;
    m_compact =
        std::make_unique<HpccTcpCompact>(static_cast<const TcpOptionFormat&>(*m_format), settings);
}

void
HpccTcpNic::AddOption(const Key& key, Frame& frame, const Segment& segment, Connection* connection)
{
    const uint32_t packetBytes = frame.packet->GetSize();
    const uint32_t mtu = m_port->GetWireMtu();
    const uint32_t room = mtu - std::min(packetBytes, mtu);
    const auto [returned, bytes] =
        m_compact->Attach(key, frame, segment.headerBytes, room, connection != nullptr);
    m_counters.bytes += bytes;
    m_counters.answersSent += returned.IsGiven();
    if (connection)
    {
        m_counters.noRoom += bytes == 0;
        ++m_counters.probesSent;
        if (connection->probes.GetTimeoutNs() == NEVER)
        {
            connection->probes.Await(m_port->GetAgenda().NowNs());
            Arm(key, *connection);
        }
    }
}

bool
HpccTcpNic::AcceptOption(Connection& connection, const Frame& frame)
{
    if (!connection.proof)
    {
        return true;
    }
    const auto& option = static_cast<const TcpOptionFormat&>(*m_format);
    const TcpOptionFormat::Proof proof = option.GetProof(frame.telemetry);
    return Accept(
        connection.proof->Check(proof.number, 32, proof.tag, option.GetSigned(frame.telemetry)));
}

void
HpccTcpNic::TakeOption(const Key& key, Frame& frame, const Segment& segment)
{
    const int64_t nowNs = m_port->GetAgenda().NowNs();
    if (segment.payloadBytes > 0)
    {
        ++m_counters.probesReceived;
        m_compact->Collected(key, frame, segment.sequence, segment.payloadBytes, nowNs);
    }
    const auto& option = static_cast<const TcpOptionFormat&>(*m_format);
    const TcpOptionFormat::Returned returned = option.GetReturned(frame.telemetry);
    frame.format = nullptr;
    if (!returned.IsGiven())
    {
        return;
    }
    const auto known = FindLive(key);
    if (known == m_connections.end() || !known->second.ops)
    {
        ++m_counters.ignored;
        return;
    }
    Connection& connection = known->second;
    if (!AcceptOption(connection, frame))
    {
        ++m_counters.ignored;
        return;
    }
    ++m_counters.answersReceived;
    connection.probes.Heard();
    if (returned.windowBytes > 0)
    {
        connection.ops->OnWindow(returned.windowBytes, nowNs);
        return;
    }
    HopTelemetry hop{};
    hop.load = returned.load;
    hop.fields = TELEMETRY_LOAD;
    HpccSample sample{};
    sample.nowNs = nowNs;
    sample.ackSeq = UnwrapTcpSequence(segment.acknowledged, connection.sndUna);
    sample.sndNxt = connection.sndNxt;
    sample.hops = &hop;
    sample.hopCount = 1;
    sample.telemetry = &m_format->GetCapabilities();
    connection.ops->OnTelemetry(sample, ViewOf(connection, -1));
}

} // namespace ns3
