/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-tso-pacer.h"

#include "qbb-ip-port.h"

#include "ns3/hpcc-ip-headers.h"
#include "ns3/qbb-net-device.h"
#include "ns3/tcp-header.h"

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>
#include <cmath>

namespace ns3
{

namespace
{

HpccTsoPacer::Key
KeyOf(const TcpSegment& segment)
{
    uint32_t remote = 0;
    if (segment.ipv6)
    {
        std::array<uint8_t, 16> bytes;
        segment.ipv6Header.GetDestination().GetBytes(bytes.data());
        remote = boost::endian::load_big_u32(&bytes[12]);
    }
    else
    {
        remote = segment.ipv4.GetDestination().Get();
    }
    return {remote, segment.tcp.GetSourcePort(), segment.tcp.GetDestinationPort(), segment.ipv6};
}

} // namespace

HpccTsoPacer::HpccTsoPacer(const Controller& controller, QbbNetDevice& port)
    : m_controller(controller),
      m_port(port),
      m_timer(port.GetAgenda().Register(AgendaKind::HOST_TIMER, this))
{
}

bool
HpccTsoPacer::Take(const TcpSegment& segment,
                   const std::vector<Ptr<Packet>>& segments,
                   uint32_t limit)
{
    const Key key = KeyOf(segment);
    const uint32_t total = segment.payload->GetSize();
    const bool ends = segment.tcp.GetFlags() & TcpHeader::FIN;
    const Received received{segment.tcp.GetAckNumber(), segment.tcp.GetWindowSize()};
    const auto earlier = m_waiting.find(key);
    if (earlier != m_waiting.end() && segment.tcp.GetFlags() & TcpHeader::ACK)
    {
        earlier->second.received = received;
    }
    bool sent = !(segment.tcp.GetFlags() & (TcpHeader::RST | TcpHeader::SYN)) || Flush(key);
    uint32_t at = 0;
    for (const auto& packet : segments)
    {
        const Part part{packet,
                        segment.tcp.GetSequenceNumber().GetValue() + at,
                        std::min(limit, total - at),
                        received};
        at += part.payloadBytes;
        const auto found = m_waiting.find(key);
        const bool waits = found != m_waiting.end() && !found->second.segments.empty();
        Allowance allowance;
        if ((total == 0 && !(ends && waits)) ||
            !m_controller.Allow(key, part.sequence, allowance) || allowance.isAgain)
        {
            sent = Send(key, part) && sent;
            continue;
        }
        Waiting& waiting = m_waiting[key];
        waiting.segments.push_back(part);
        waiting.received = received;
        if (!waits)
        {
            sent = Release(key, waiting, m_port.GetAgenda().NowNs()) && sent;
        }
    }
    return sent;
}

bool
HpccTsoPacer::Send(const Key& key, const Part& part)
{
    return QbbIpPort::Of(m_port).SendWhole(part.packet,
                                           std::get<3>(key) ? IpHeaders::IPV6_ETHERTYPE
                                                            : IpHeaders::IPV4_ETHERTYPE);
}

bool
HpccTsoPacer::SendLate(const Key& key, const Part& part, const Received& received)
{
    TcpSegment segment;
    if ((part.received.acknowledged == received.acknowledged &&
         part.received.window == received.window) ||
        !TcpSegment::Parse(part.packet, std::get<3>(key), segment))
    {
        return Send(key, part);
    }
    segment.tcp.SetAckNumber(received.acknowledged);
    segment.tcp.SetWindowSize(received.window);
    return Send(key, {segment.Pack(), part.sequence, part.payloadBytes, received});
}

bool
HpccTsoPacer::Release(const Key& key, Waiting& waiting, int64_t nowNs)
{
    bool sent = true;
    while (!waiting.segments.empty())
    {
        const Part part = waiting.segments.front();
        Allowance allowance;
        if (m_controller.Allow(key, part.sequence, allowance))
        {
            const auto gapNs = static_cast<int64_t>(
                std::ceil(std::max(part.payloadBytes, 1U) * 8e9 / allowance.rateBps));
            if (nowNs < waiting.nextNs)
            {
                ScheduleTimer(waiting.nextNs);
                return sent;
            }
            if (!allowance.isAgain && allowance.bytesAhead >= allowance.windowBytes)
            {
                return sent;
            }
            waiting.nextNs = nowNs + gapNs;
        }
        waiting.segments.pop_front();
        sent = SendLate(key, part, waiting.received) && sent;
    }
    ScheduleTimer(std::max(waiting.nextNs, nowNs));
    return sent;
}

bool
HpccTsoPacer::Flush(const Key& key)
{
    bool sent = true;
    const auto found = m_waiting.find(key);
    if (found != m_waiting.end())
    {
        for (const auto& part : found->second.segments)
        {
            sent = SendLate(key, part, found->second.received) && sent;
        }
        m_waiting.erase(found);
    }
    return sent;
}

void
HpccTsoPacer::Wake(const Key& key)
{
    const auto found = m_waiting.find(key);
    if (found != m_waiting.end() && !found->second.segments.empty())
    {
        ScheduleTimer(std::max(found->second.nextNs, m_port.GetAgenda().NowNs()));
    }
}

void
HpccTsoPacer::ScheduleTimer(int64_t atNs)
{
    if (atNs < m_notedNs)
    {
        m_notedNs = atNs;
        m_port.GetAgenda().Schedule(AgendaKind::HOST_TIMER, m_timer, atNs);
    }
}

void
HpccTsoPacer::Due(AgendaKind, uint32_t, int64_t nowNs)
{
    if (nowNs < m_notedNs)
    {
        return;
    }
    m_notedNs = NEVER;
    for (auto it = m_waiting.begin(); it != m_waiting.end();)
    {
        Release(it->first, it->second, nowNs);
        const bool idle = it->second.segments.empty() && it->second.nextNs <= nowNs;
        it = idle ? m_waiting.erase(it) : std::next(it);
    }
}

} // namespace ns3
