/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-abm-buffer.h"

#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-type-id.h"

#include <algorithm>
#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(AbmBuffer);

TypeId
AbmBuffer::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<AbmBuffer, BufferPolicy>("ns3::AbmBuffer")
            .Presets("abm")
            .Attribute(
                "BufferBytes",
                "Memory of the switch, bytes.",
                HpccField(&AbmBuffer::m_bufferBytes, 32ULL << 20, 1).Then(&AbmBuffer::CheckFrames))
            .Attribute("Alpha",
                       "Multiple of the free memory that the congested queues of a priority may "
                       "hold together.",
                       HpccField(&AbmBuffer::m_alpha, 0.5, 1e-6, 64).Then(&AbmBuffer::CheckFrames))
            .Attribute(
                "CongestedShare",
                "A queue is congested if it holds more than this share of its threshold.",
                HpccField(&AbmBuffer::m_congestedShare, 0.9, std::numeric_limits<double>::min(), 1))
            .Attribute("Interval",
                       "Time between two measurements of congested queues and drain rates; in the "
                       "paper, a base RTT.",
                       HpccField(&AbmBuffer::m_interval, MicroSeconds(10), NanoSeconds(1)));
    return tid;
}

void
AbmBuffer::AddPort(const PortLimits& limits)
{
    m_ports.push_back({limits.rateBps, limits.lossless, limits.overheadBytes, {}});
}

std::string
AbmBuffer::Validate() const
{
    const bool lossy = std::all_of(m_ports.begin(), m_ports.end(), [](const Port& port) {
        return port.lossless == 0;
    });
    return lossy ? ""
                 : "buffer abm with flow control pfc: the thresholds of AbmBuffer are those of "
                   "lossy queues; allowed is --flow-control=lossy";
}

double
AbmBuffer::GetThresholdBytes(uint32_t egress, uint8_t priority) const
{
    const uint64_t free = m_bufferBytes - std::min(m_used, m_bufferBytes); // BufferBytes may have
                                                                           // been reduced
    return m_alpha / m_congested[priority] * static_cast<double>(free) *
           m_ports[egress].queue[priority].gamma;
}

void
AbmBuffer::Measure(int64_t nowNs)
{
    constexpr double leastGamma = 1.0 / PRIORITIES;
    const auto passedNs = static_cast<double>(nowNs - m_measuredNs);
    m_measuredNs = nowNs;
    std::array<uint32_t, PRIORITIES> congested{};
    for (uint32_t i = 0; i < m_ports.size(); ++i)
    {
        for (uint8_t p = 0; p < PRIORITIES; ++p)
        {
            Queue& queue = m_ports[i].queue[p];
            congested[p] +=
                static_cast<double>(queue.bytes) > m_congestedShare * GetThresholdBytes(i, p);
            const double share = static_cast<double>(queue.released) * 8e9 /
                                 (passedNs * static_cast<double>(m_ports[i].rateBps));
            queue.gamma = queue.drained ? 1 : std::clamp(share, leastGamma, 1.0);
            queue.drained = queue.bytes == 0;
            queue.released = 0;
        }
    }
    std::transform(congested.begin(), congested.end(), m_congested.begin(), [](uint32_t n) {
        return std::max(n, 1U);
    });
}

uint64_t
AbmBuffer::GetLargestFrameBytes(uint8_t) const
{
    return static_cast<uint64_t>(std::min(m_alpha, 1.0) * static_cast<double>(m_bufferBytes));
}

uint64_t
AbmBuffer::GetLargestQueueBytes(uint32_t, uint8_t, uint32_t frameBytes) const
{
    // Assume that all other queues are empty and that the queue drains at line rate. Admit() then
    // adds a frame of f bytes to a queue of q bytes if q + f <= Alpha * (BufferBytes - q).
    const double memory = static_cast<double>(m_bufferBytes);
    const double bound = m_alpha / (1 + m_alpha) * (memory + frameBytes);
    return static_cast<uint64_t>(std::min(bound, memory));
}

AbmBuffer::Verdict
AbmBuffer::Admit(uint32_t, uint32_t egress, uint8_t priority, uint32_t bytes, int64_t nowNs)
{
    if (nowNs - m_measuredNs >= m_interval.GetNanoSeconds())
    {
        Measure(nowNs);
    }
    if (m_used + bytes > m_bufferBytes)
    {
        return Verdict::BUFFER_FULL;
    }
    Queue& queue = m_ports[egress].queue[priority];
    if (static_cast<double>(queue.bytes + bytes) > GetThresholdBytes(egress, priority))
    {
        return Verdict::EGRESS_LIMIT;
    }
    queue.bytes += bytes;
    m_used += bytes;
    return Verdict::ADMIT;
}

void
AbmBuffer::Release(uint32_t, uint32_t egress, uint8_t priority, uint32_t bytes, int64_t)
{
    Port& port = m_ports[egress];
    Queue& queue = port.queue[priority];
    queue.bytes -= bytes;
    queue.released += port.overhead > 0 ? std::max(bytes, MIN_FRAME_BYTES) + port.overhead : bytes;
    queue.drained = queue.drained || queue.bytes == 0;
    m_used -= bytes;
}

bool
AbmBuffer::MustPause(uint32_t, uint8_t) const
{
    return false;
}

bool
AbmBuffer::MayResume(uint32_t, uint8_t) const
{
    return true;
}

} // namespace ns3
