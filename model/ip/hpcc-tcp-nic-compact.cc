/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-tcp-nic.h"

#include "ns3/hpcc-tcp-option-format.h"

#include <algorithm>

// The functions of HpccTcpNic that write and read TCP options.

namespace ns3
{

namespace
{

/**
 * Returns the format as a TcpOptionFormat.
 * @param format telemetry format of a NIC that uses a TCP option
 */
const TcpOptionFormat&
OptionOf(const Ptr<const TelemetryFormat>& format)
{
    return static_cast<const TcpOptionFormat&>(*format);
}

} // namespace

void
HpccTcpNic::MakeCompact()
{
    if (!IsCompact())
    {
        return;
    }
    HpccTcpCompact::Settings settings;
    settings.windows = m_feedback == COMPACT_RECEIVER;
    settings.parameters = [this](const Key& key) { return GetLawParameters(key); };
    settings.sign = [this](const Key& key, Frame& frame) {
        m_arrivals.Sign(key, frame, OptionOf(m_format));
    };
    settings.lineRateBps = static_cast<double>(m_port->GetRateBps());
    settings.every = m_tagEvery;
    settings.intervalNs = m_tagOncePerRtt ? m_baseRttNs : 0;
    m_compact = std::make_unique<HpccTcpCompact>(OptionOf(m_format), settings);
}

HpccParameters
HpccTcpNic::GetLawParameters(const Key& key)
{
    const auto socket = m_sockets.Find(*m_port->GetNode(), key);
    auto ops = socket ? Connection::OpsOf(*socket) : nullptr;
    ops = ops ? ops : CreateObject<TcpHpccPlusPlus>();
    Connection::Validate(*ops, *m_format, m_thinned);
    ops->SetNetworkBaseRttNs(m_baseRttNs);
    return ops->GetLawParameters();
}

void
HpccTcpNic::AddOption(const Key& key, Frame& frame, const HpccTcpFields& segment, bool collects)
{
    const uint32_t packetBytes = frame.packet->GetSize();
    const uint32_t mtu = m_port->GetWireMtu();
    const uint32_t room = mtu - std::min(packetBytes, mtu);
    const auto [returned, bytes] =
        m_compact->Attach(key, frame, segment.headerBytes, room, collects);
    m_counters.bytes += bytes;
    m_counters.answersSent += returned.IsGiven();
    if (collects)
    {
        m_counters.noRoom += bytes == 0;
        ++m_counters.probesSent;
        AwaitAnswer(key, m_connections.at(key));
    }
}

void
HpccTcpNic::TakeOption(const Key& key, Frame& frame, const HpccTcpFields& segment)
{
    const int64_t nowNs = NowNs();
    if (segment.payloadBytes > 0)
    {
        ++m_counters.probesReceived;
        m_compact->Collected(key, frame, segment.sequence, segment.payloadBytes, nowNs);
    }
    const TcpOptionFormat::Returned returned = OptionOf(m_format).GetReturned(frame.telemetry);
    frame.format = nullptr;
    if (!returned.IsGiven())
    {
        return;
    }
    const auto known = FindLive(key);
    const bool expected = known != m_connections.end() && known->second.ops;
    if (!expected ||
        (known->second.proof && !Accept(m_compact->CheckProof(frame, *known->second.proof))))
    {
        ++m_counters.ignored;
        return;
    }
    Connection& connection = known->second;
    ++m_counters.answersReceived;
    connection.probes.StopTimeout();
    if (returned.windowBytes > 0)
    {
        connection.ops->OnWindow(returned.windowBytes, nowNs);
        return;
    }
    connection.OnLoad(returned.load, segment.acknowledged, m_format->GetCapabilities(), nowNs);
}

} // namespace ns3
