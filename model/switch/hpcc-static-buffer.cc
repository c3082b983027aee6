/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-static-buffer.h"

#include "ns3/hpcc-rate-entry.h"
#include "ns3/hpcc-type-id.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(StaticBuffer);

TypeId
StaticBuffer::GetTypeId()
{
    const auto fixed = [](const HpccAttribute& attribute) {
        return attribute.FixedAfter<StaticBuffer>(
            "Install() of the switch",
            [](const StaticBuffer& buffer) { return !buffer.m_ports.empty(); });
    };
    static TypeId tid =
        HpccTypeId::Of<StaticBuffer, BufferPolicy>("ns3::StaticBuffer")
            .Presets("static")
            .Attribute("BufferBytes",
                       "Memory of the switch, bytes.",
                       fixed(HpccField(&StaticBuffer::m_bufferBytes, 32ULL << 20, 1)))
            .Attribute("QueueBytes",
                       "Part of the memory for each port and priority, without headroom, bytes. 0: "
                       "equal parts of the memory that headroom leaves.",
                       fixed(HpccField(&StaticBuffer::m_queueBytes, 0, 0, MAX_PART_BYTES)))
            .Attribute(
                "QueueBytesPerRate",
                "QueueBytes of the ports of a rate, as a list RATE:BYTES, such as "
                "25Gbps:100000,100Gbps:400000. Ports of other rates have QueueBytes; "
                "equal parts are computed as if no rate were listed.",
                fixed(HpccField(&StaticBuffer::m_ratesText, "")).Then(&StaticBuffer::ParseRates))
            .Attribute("HeadroomBytes",
                       "Headroom of each lossless port and priority, bytes. 0: computed from rate, "
                       "delay and largest frame.",
                       fixed(HpccField(&StaticBuffer::m_headroomBytes, 0, 0, MAX_PART_BYTES)))
            .Attribute("ResumeOffset",
                       "Bytes by which a port and priority must be below its part of the memory "
                       "before the neighbour may resume.",
                       HpccField(&StaticBuffer::m_resumeOffset, 3072));
    return tid;
}

void
StaticBuffer::ParseRates()
{
    m_rates = ParseBytesPerRate("ns3::StaticBuffer::QueueBytesPerRate", m_ratesText);
}

void
StaticBuffer::AddPort(const PortLimits& limits)
{
    Port port{};
    port.lossless = limits.lossless;
    port.headroom = m_headroomBytes > 0 ? m_headroomBytes : BufferPolicy::GetHeadroomBytes(limits);
    const auto own = m_rates.find(limits.rateBps);
    port.ownBytes = own != m_rates.end() ? own->second : 0;
    m_setAside += __builtin_popcount(limits.lossless) * port.headroom;
    m_ports.push_back(port);
    const uint64_t left = m_bufferBytes - std::min(m_setAside, m_bufferBytes);
    m_partBytes = m_queueBytes > 0 ? m_queueBytes : left / CountParts();
}

uint64_t
StaticBuffer::SumParts(const std::function<uint64_t(const Port&)>& bytesOf) const
{
    uint8_t lossy = 0;
    for (const Port& port : m_ports)
    {
        lossy |= ~port.lossless;
    }
    uint64_t bytes = 0;
    for (const Port& port : m_ports)
    {
        const uint64_t parts = __builtin_popcount(port.lossless) + __builtin_popcount(lossy);
        bytes += parts * bytesOf(port);
    }
    return bytes;
}

uint64_t
StaticBuffer::CountParts() const
{
    return SumParts([](const Port&) { return 1; });
}

std::vector<std::string>
StaticBuffer::GetPauseAttributes() const
{
    return {"HeadroomBytes", "ResumeOffset"};
}

std::string
StaticBuffer::Validate() const
{
    const uint64_t bytes = SumParts([this](const Port& port) { return PartOf(port); });
    const bool holds = std::all_of(m_ports.begin(), m_ports.end(), [this](const Port& port) {
        return PartOf(port) > 0;
    });
    if (holds && m_setAside + bytes <= m_bufferBytes)
    {
        return "";
    }
    std::ostringstream why;
    why << "StaticBuffer::BufferBytes " << m_bufferBytes << " is less than " << m_setAside
        << " bytes of headroom and " << CountParts() << " parts of ";
    if (m_rates.empty())
    {
        why << std::max<uint64_t>(m_partBytes, 1) << " bytes";
    }
    else
    {
        why << "together " << bytes << " bytes (QueueBytes, QueueBytesPerRate)";
    }
    why << " for " << m_ports.size() << " ports";
    return why.str();
}

uint64_t
StaticBuffer::GetHeadroomBytes(uint32_t port) const
{
    return m_ports[port].headroom;
}

uint64_t
StaticBuffer::GetLargestFrameBytes(uint8_t priority) const
{
    uint64_t least = UINT64_MAX;
    for (const Port& port : m_ports)
    {
        const bool lossless = port.lossless >> priority & 1;
        least = std::min(least, PartOf(port) + (lossless ? port.headroom : 0));
    }
    return least;
}

uint64_t
StaticBuffer::GetLargestQueueBytes(uint32_t egress, uint8_t, uint32_t) const
{
    return PartOf(m_ports[egress]);
}

StaticBuffer::Verdict
StaticBuffer::Admit(uint32_t ingress, uint32_t egress, uint8_t priority, uint32_t bytes, int64_t)
{
    Port& in = m_ports[ingress];
    Port& out = m_ports[egress];
    if (in.lossless >> priority & 1)
    {
        if (in.ingress[priority] + bytes > PartOf(in) + in.headroom)
        {
            return Verdict::BUFFER_FULL;
        }
    }
    else if (out.egress[priority] + bytes > PartOf(out))
    {
        return Verdict::EGRESS_LIMIT;
    }
    in.ingress[priority] += bytes;
    out.egress[priority] += bytes;
    return Verdict::ADMIT;
}

void
StaticBuffer::Release(uint32_t ingress, uint32_t egress, uint8_t priority, uint32_t bytes, int64_t)
{
    m_ports[ingress].ingress[priority] -= bytes;
    m_ports[egress].egress[priority] -= bytes;
}

bool
StaticBuffer::MustPause(uint32_t ingress, uint8_t priority) const
{
    return m_ports[ingress].ingress[priority] > PartOf(m_ports[ingress]);
}

bool
StaticBuffer::MayResume(uint32_t ingress, uint8_t priority) const
{
    const uint64_t bytes = m_ports[ingress].ingress[priority];
    const uint64_t part = PartOf(m_ports[ingress]);
    return bytes == 0 || (bytes <= part && m_resumeOffset <= part - bytes);
}

uint64_t
StaticBuffer::GetUsedBytes() const
{
    uint64_t used = 0;
    for (const auto& port : m_ports)
    {
        for (const uint64_t bytes : port.ingress)
        {
            used += bytes;
        }
    }
    return used;
}

bool
StaticBuffer::IsEmpty() const
{
    const auto isZero = [](uint64_t bytes) { return bytes == 0; };
    return std::all_of(m_ports.begin(), m_ports.end(), [&isZero](const Port& port) {
        return std::all_of(port.ingress.begin(), port.ingress.end(), isZero) &&
               std::all_of(port.egress.begin(), port.egress.end(), isZero);
    });
}

} // namespace ns3
