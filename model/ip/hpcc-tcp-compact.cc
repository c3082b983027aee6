/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-tcp-compact.h"

#include "hpcc-tcp-fields.h"

#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-ip-headers.h"
#include "ns3/hpcc-tcp-options.h"
#include "ns3/tcp-header.h"

#include <algorithm>

namespace ns3
{

namespace
{

using IpHeaders::TCP_PROTOCOL;

} // namespace

HpccTcpCompact::HpccTcpCompact(const TcpOptionFormat& format, const Settings& settings)
    : m_format(format),
      m_settings(settings)
{
}

bool
HpccTcpCompact::Takes(Turn& turn, int64_t nowNs) const
{
    if (turn.passed > 0)
    {
        turn.passed = (turn.passed + 1) % m_settings.every;
        return false;
    }
    if (nowNs < turn.nextNs)
    {
        return false;
    }
    turn.passed = 1 % m_settings.every;
    turn.nextNs = nowNs + m_settings.intervalNs;
    return true;
}

std::pair<HpccTcpCompact::Returned, uint32_t>
HpccTcpCompact::Attach(const Key& key,
                       Frame& frame,
                       uint32_t headerBytes,
                       uint32_t roomBytes,
                       bool collects)
{
    const auto pending = m_pending.find(key);
    const bool returns = pending != m_pending.end() && pending->second.IsGiven();
    const uint32_t added = m_format.GetBaseBytes();
    if ((!collects && !returns) || added > roomBytes ||
        headerBytes + added > TcpOptions::MAX_HEADER_BYTES)
    {
        return {{}, 0};
    }
    Returned returned;
    if (returns)
    {
        returned = pending->second;
        m_pending.erase(pending);
    }
    frame.format = &m_format;
    m_format.Open(frame.telemetry,
                  {frame.destinationPort, TCP_PROTOCOL, static_cast<uint8_t>(frame.tos >> 2)});
    m_format.SetReturned(frame.telemetry, returned);
    if (returned.IsGiven() && m_settings.sign)
    {
        m_settings.sign(key, frame);
    }
    frame.bytes =
        std::max(frame.packet->GetSize() + ETHERNET_HEADER_BYTES + added, MIN_FRAME_BYTES);
    return {returned, added};
}

void
HpccTcpCompact::Collected(const Key& key,
                          const Frame& frame,
                          uint32_t sequence,
                          uint32_t bytes,
                          int64_t nowNs)
{
    const HopTelemetry hop = m_format.Read(frame.telemetry, 0);
    const auto peer = m_peers.find(key);
    if (!(hop.fields & TELEMETRY_LOAD) || peer == m_peers.end())
    {
        return;
    }
    if (!m_settings.windows)
    {
        m_pending[key] = Returned{hop.load, 0};
        return;
    }
    if (!peer->second.opened)
    {
        OpenWindow(key, peer->second, sequence, bytes);
    }
    m_pending[key] = Returned{0, Window(peer->second, sequence, bytes, hop.load, nowNs)};
}

void
HpccTcpCompact::OpenWindow(const Key& key, Peer& peer, uint32_t sequence, uint32_t bytes)
{
    peer.opened = true;
    peer.end = sequence;
    peer.parameters = m_settings.parameters(key);
    m_law.SetParameters(peer.parameters);
    m_law.Open(peer.flow, m_settings.lineRateBps, sequence);
    peer.flow.sparse = true;
    peer.edge = sequence + static_cast<uint64_t>(peer.flow.windowBytes) + bytes;
}

double
HpccTcpCompact::Window(Peer& peer, uint32_t sequence, uint32_t bytes, double load, int64_t nowNs)
{
    const uint64_t end = UnwrapTcpSequence(sequence + bytes, peer.end);
    peer.end = std::max(peer.end, end);
    HopTelemetry hop{};
    hop.load = load;
    hop.fields = TELEMETRY_LOAD;
    HpccSample sample{};
    sample.nowNs = nowNs;
    sample.ackSeq = end;
    sample.sndNxt = peer.edge;
    sample.hops = &hop;
    sample.hopCount = 1;
    sample.telemetry = &m_format.GetCapabilities();
    m_law.SetParameters(peer.parameters);
    m_law.NewAck(peer.flow, sample);
    peer.edge = std::max(peer.edge, end + static_cast<uint64_t>(peer.flow.windowBytes) + bytes);
    return peer.flow.windowBytes;
}

HpccFeedbackProof::Verdict
HpccTcpCompact::CheckProof(const Frame& frame, HpccFeedbackProof& proof) const
{
    const TcpOptionFormat::Proof found = m_format.GetProof(frame.telemetry);
    return proof.Check(found.number, 32, found.tag, m_format.GetSigned(frame.telemetry));
}

void
HpccTcpCompact::Follow(const Key& key, uint8_t flags, bool leaves)
{
    if (flags & (TcpHeader::SYN | TcpHeader::RST))
    {
        m_pending.erase(key);
        m_peers.erase(key);
        if (flags & TcpHeader::SYN && flags & TcpHeader::ACK)
        {
            m_peers[key];
        }
        return;
    }
    if (!(flags & TcpHeader::FIN))
    {
        return;
    }
    if (const auto known = m_peers.find(key); known != m_peers.end())
    {
        Peer& peer = known->second;
        (leaves ? peer.finSent : peer.finCame) = true;
        if (peer.finSent && peer.finCame)
        {
            m_peers.erase(known);
        }
    }
}

void
HpccTcpCompact::Keep(const std::function<bool(const Key&)>& isOpen)
{
    for (auto it = m_peers.begin(); it != m_peers.end();)
    {
        const auto peer = it++;
        if (!isOpen(peer->first))
        {
            m_pending.erase(peer->first);
            m_peers.erase(peer);
        }
    }
}

} // namespace ns3
