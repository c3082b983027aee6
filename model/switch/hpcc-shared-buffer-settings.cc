/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-rate-entry.h"
#include "hpcc-shared-buffer.h"

#include "ns3/hpcc-type-id.h"
#include "ns3/log.h"

#include <algorithm>
#include <cmath>
#include <sstream>

// The part of SharedBuffer that handles attributes, ports and counters. Admission is in
// hpcc-shared-buffer.cc.

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("SharedBuffer");

NS_OBJECT_ENSURE_REGISTERED(SharedBuffer);

TypeId
SharedBuffer::GetTypeId()
{
    const auto fixed = [](const HpccAttribute& attribute) {
        return attribute.FixedAfter<SharedBuffer>(
            "Install() of the switch",
            [](const SharedBuffer& buffer) { return !buffer.m_ports.empty(); });
    };
    static TypeId tid =
        HpccTypeId::Of<SharedBuffer, BufferPolicy>("ns3::SharedBuffer")
            .Presets("dynamic")
            .Attribute("BufferBytes",
                       "Memory of the switch, bytes.",
                       fixed(HpccField(&SharedBuffer::m_bufferBytes, 32ULL << 20, 1)))
            .Attribute("ReservedBytes",
                       "Memory reserved for each ingress port and priority, bytes.",
                       fixed(HpccField(&SharedBuffer::m_reservedBytes, 4096, 0, MAX_PART_BYTES)))
            .Attribute("HeadroomBytes",
                       "Headroom of each lossless port and priority, bytes. 0: computed from rate, "
                       "delay and largest frame.",
                       fixed(HpccField(&SharedBuffer::m_headroomBytes, 0, 0, MAX_PART_BYTES))
                           .OnlyIf("HeadroomDelays", "0"))
            .Attribute("HeadroomDelays",
                       "Headroom of each lossless port and priority as a multiple of rate * "
                       "propagation delay, as in some simulators. 0: HeadroomBytes applies.",
                       fixed(HpccField(&SharedBuffer::m_headroomDelays, 0, 0, 1000)))
            .Attribute("SetAsidePerPort",
                       "Whether headroom and reservation are set aside once per port, as in some "
                       "simulators. False: once per port and priority.",
                       fixed(HpccField(&SharedBuffer::m_setAsidePerPort, false)))
            .Attribute("ResumeOffset",
                       "Shared memory by which a port and priority must be below its threshold "
                       "before the neighbour may resume, bytes.",
                       HpccField(&SharedBuffer::m_resumeOffset, 3072))
            .Attribute("Alpha",
                       "Multiple of the free shared memory that a lossless ingress port and "
                       "priority may hold in the shared part before it pauses the neighbour.",
                       fixed(HpccField(&SharedBuffer::m_alpha, 0.125, 1e-6, 64)))
            .Attribute(
                "AlphaPerRate",
                "Alpha of ports of given rates: \"rate:alpha\" pairs separated by commas, such as "
                "\"400Gbps:0.5\". Other ports use Alpha.",
                fixed(HpccField(&SharedBuffer::m_alphaText, "")).Then(&SharedBuffer::ParseAlphas))
            .Attribute("EgressAlpha",
                       "A lossy egress queue may hold this multiple of the free shared memory plus "
                       "ReservedBytes.",
                       HpccField(&SharedBuffer::m_egressAlpha, 1.0, 1e-6, 64)
                           .Then(&SharedBuffer::CheckFrames));
    return tid;
}

void
SharedBuffer::ParseAlphas()
{
    const auto entries =
        ParseRateEntries<1>("ns3::SharedBuffer::AlphaPerRate",
                            m_alphaText,
                            "RATE:ALPHA with ALPHA > 0",
                            [](const std::array<double, 1>& alpha) { return alpha[0] > 0; });
    m_alphaPerRate.clear();
    for (const auto& [rateBps, alpha] : entries)
    {
        m_alphaPerRate.emplace_back(rateBps, alpha[0]);
    }
}

void
SharedBuffer::AddPort(const PortLimits& limits)
{
    Port port{};
    port.alpha = m_alpha;
    for (const auto& [rate, alpha] : m_alphaPerRate)
    {
        if (rate == limits.rateBps)
        {
            port.alpha = alpha;
        }
    }
    port.lossless = limits.lossless;
    if (limits.lossless)
    {
        if (m_headroomDelays > 0)
        {
            const double oneDelay = static_cast<double>(limits.delayNs) * 1e-9 *
                                    static_cast<double>(limits.GetArrivalBps()) / 8;
            port.headroom = static_cast<uint64_t>(m_headroomDelays * oneDelay);
        }
        else if (m_headroomBytes > 0)
        {
            port.headroom = m_headroomBytes;
        }
        else
        {
            port.headroom = BufferPolicy::GetHeadroomBytes(limits);
        }
    }
    m_setAside += (m_setAsidePerPort ? 1 : PRIORITIES) * m_reservedBytes;
    m_setAside +=
        m_setAsidePerPort ? port.headroom : __builtin_popcount(limits.lossless) * port.headroom;
    m_ports.push_back(port);
}

std::vector<std::string>
SharedBuffer::GetPauseAttributes() const
{
    return {"Alpha", "AlphaPerRate", "HeadroomBytes", "HeadroomDelays", "ResumeOffset"};
}

std::string
SharedBuffer::Validate() const
{
    if (m_setAside < m_bufferBytes)
    {
        return "";
    }
    std::ostringstream why;
    why << "SharedBuffer::BufferBytes " << m_bufferBytes << " is not more than the " << m_setAside
        << " bytes set aside for reservations and headroom of " << m_ports.size() << " ports";
    return why.str();
}

uint64_t
SharedBuffer::GetLargestFrameBytes(uint8_t priority) const
{
    // The following conditions are those of Admit() while the shared part is empty.
    const auto shared = static_cast<double>(GetSharedBytes());
    const auto reserved = static_cast<double>(m_reservedBytes);
    const double besides = m_setAsidePerPort ? reserved : 0; // outside the shared part
    double least = static_cast<double>(m_bufferBytes);
    for (const Port& port : m_ports)
    {
        const bool lossless = port.lossless >> priority & 1;
        const double threshold =
            m_setAsidePerPort ? std::floor(port.alpha * shared) : port.alpha * shared;
        const double limit = lossless ? threshold : shared;
        const double stored = std::max(reserved, besides + std::min(limit, shared));
        least = std::min(least,
                         lossless ? std::max(stored, static_cast<double>(port.headroom))
                                  : std::min(stored, m_egressAlpha * shared + reserved));
    }
    return static_cast<uint64_t>(least);
}

uint64_t
SharedBuffer::GetLargestQueueBytes(uint32_t, uint8_t, uint32_t frameBytes) const
{
    // If nothing else is stored, a queue of q bytes can fill the reservations of all n ingress
    // ports, r bytes each. The rest of the queue is in the shared part of S bytes. Admit() then
    // adds a frame of f bytes if q + f <= EgressAlpha * (S - max(0, q - n * r)) + r.
    const auto shared = static_cast<double>(GetSharedBytes());
    const auto reserved = static_cast<double>(m_reservedBytes);
    const double ingress = reserved * static_cast<double>(m_ports.size());
    const double free = m_egressAlpha * shared + reserved;
    const double divided =
        (m_egressAlpha * (shared + ingress + frameBytes) + reserved) / (1 + m_egressAlpha);
    return static_cast<uint64_t>(std::min(free, divided));
}

uint64_t
SharedBuffer::GetUsedBytes() const
{
    uint64_t used = 0;
    for (const auto& port : m_ports)
    {
        for (const auto& use : port.use)
        {
            used += use.bytes;
        }
    }
    return used;
}

uint64_t
SharedBuffer::GetHeadroomBytes(uint32_t port) const
{
    return m_ports[port].headroom;
}

bool
SharedBuffer::IsEmpty() const
{
    return m_sharedUsed == 0 && std::all_of(m_ports.begin(), m_ports.end(), [](const Port& port) {
               return std::all_of(port.use.begin(), port.use.end(), [](const Use& use) {
                   return use.bytes == 0 && use.shared == 0 && use.headroom == 0 && use.egress == 0;
               });
           });
}

} // namespace ns3
