/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-sack-sender.h"

#include <algorithm>
#include <limits>

namespace ns3
{

uint64_t
RdmaSackSender::OnNak(const Position&, uint64_t)
{
    return NONE;
}

uint64_t
RdmaSackSender::OnTimeout(const Position&)
{
    return NONE;
}

uint64_t
RdmaSackSender::OnAcknowledged(uint64_t unaPsn)
{
    uint64_t known = 0;
    for (; m_firstPsn < std::min(unaPsn, m_endPsn); ++m_firstPsn)
    {
        const Packet& packet = At(m_firstPsn);
        known += packet.state == State::RECEIVED ? packet.bytes : 0;
        m_lost -= packet.state == State::LOST;
    }
    return known;
}

uint64_t
RdmaSackSender::NextLost(uint64_t)
{
    if (m_lost == 0)
    {
        return NONE;
    }
    m_lostFrom = std::max(m_lostFrom, m_firstPsn);
    while (At(m_lostFrom).state != State::LOST)
    {
        ++m_lostFrom;
    }
    return m_lostFrom;
}

void
RdmaSackSender::OnRetransmitted(uint64_t psn)
{
    At(psn).state = State::IN_FLIGHT;
    --m_lost;
}

bool
RdmaSackSender::IsActive() const
{
    return true;
}

void
RdmaSackSender::OnSent(uint64_t psn, uint16_t bytes, uint16_t entropy, int64_t nowNs, bool asked)
{
    if (psn < m_endPsn)
    {
        Packet& packet = At(psn);
        packet.sentNs = nowNs;
        packet.entropy = entropy;
        packet.asked = asked;
        packet.sends += packet.sends < UINT16_MAX;
        if (m_resent.full())
        {
            m_resent.set_capacity(2 * m_resent.capacity() + 1);
        }
        m_resent.push_back({psn, nowNs});
        return;
    }
    if (m_endPsn - m_firstPsn >= m_packets.size())
    {
        Grow();
    }
    At(psn) = {nowNs, bytes, entropy, 1, State::IN_FLIGHT, asked};
    m_endPsn = psn + 1;
}

RdmaSackSender::State
RdmaSackSender::OnReceived(uint64_t psn)
{
    Packet& packet = At(psn);
    const State before = packet.state;
    m_lost -= before == State::LOST;
    packet.state = State::RECEIVED;
    return before;
}

void
RdmaSackSender::OnLost(uint64_t psn)
{
    At(psn).state = State::LOST;
    ++m_lost;
    m_lostFrom = std::min(m_lostFrom, psn);
}

uint64_t
RdmaSackSender::Revive(uint64_t psn)
{
    uint64_t bytes = 0;
    for (uint64_t i = m_firstPsn; m_lost > 0 && i < std::min(psn, m_endPsn); ++i)
    {
        if (At(i).state == State::LOST)
        {
            bytes += At(i).bytes;
            OnRetransmitted(i);
        }
    }
    return bytes;
}

uint64_t
RdmaSackSender::OldestSentOnce()
{
    m_flightFrom = std::max(m_flightFrom, m_firstPsn);
    while (m_flightFrom < m_endPsn &&
           (At(m_flightFrom).state != State::IN_FLIGHT || At(m_flightFrom).sends > 1))
    {
        ++m_flightFrom;
    }
    return m_flightFrom < m_endPsn ? m_flightFrom : NONE;
}

uint64_t
RdmaSackSender::OldestResent()
{
    for (; !m_resent.empty(); m_resent.pop_front())
    {
        const auto [psn, sentNs] = m_resent.front();
        if (psn >= m_firstPsn && Get(psn).state == State::IN_FLIGHT && Get(psn).sentNs == sentNs)
        {
            return psn;
        }
    }
    return NONE;
}

int64_t
RdmaSackSender::AnswerableNs(uint64_t psn, uint32_t ackBytes) const
{
    uint64_t bytes = 0;
    for (; psn < m_endPsn; ++psn)
    {
        const Packet& packet = Get(psn);
        bytes += packet.state == State::LOST ? 0 : packet.bytes;
        if (packet.state != State::LOST && (packet.asked || bytes >= ackBytes))
        {
            return packet.sentNs;
        }
    }
    return std::numeric_limits<int64_t>::max();
}

int64_t
RdmaSackSender::RttOf(uint64_t psn, bool resent, int64_t nowNs) const
{
    const Packet& packet = Get(psn);
    return packet.sends == (resent ? 2 : 1) ? nowNs - packet.sentNs : -1;
}

void
RdmaSackSender::Grow()
{
    std::vector<Packet> old(std::max<size_t>(64, m_packets.size() * 2));
    old.swap(m_packets);
    for (uint64_t psn = m_firstPsn; psn < m_endPsn; ++psn)
    {
        At(psn) = old[psn & (old.size() - 1)];
    }
}

} // namespace ns3
