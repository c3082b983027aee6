/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-user-buffer.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>

using namespace ns3;

namespace hpcctest
{

NS_OBJECT_ENSURE_REGISTERED(CompleteSharing);

TypeId
CompleteSharing::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<CompleteSharing, BufferPolicy>("ns3::hpcctest::CompleteSharing")
            .Presets("complete-sharing")
            .Attribute("BufferBytes",
                       "Memory of the switch, bytes.",
                       HpccField(&CompleteSharing::m_bufferBytes, 4000000, 1));
    return tid;
}

void
CompleteSharing::AddPort(const PortLimits& limits)
{
    m_ports.push_back({GetHeadroomBytes(limits), limits.lossless, {}});
    m_setAside += __builtin_popcount(limits.lossless) * m_ports.back().headroom;
}

std::string
CompleteSharing::Validate() const
{
    return m_setAside < m_bufferBytes ? "" : "CompleteSharing::BufferBytes is below the headroom";
}

BufferPolicy::Verdict
CompleteSharing::Admit(uint32_t ingress, uint32_t, uint8_t priority, uint32_t bytes, int64_t)
{
    uint64_t& used = m_ports[ingress].inHeadroom[priority];
    if (m_pool + bytes <= m_bufferBytes - m_setAside)
    {
        m_pool += bytes;
    }
    else if (m_ports[ingress].lossless >> priority & 1 && used + bytes <= m_ports[ingress].headroom)
    {
        used += bytes;
    }
    else
    {
        return Verdict::BUFFER_FULL;
    }
    m_used += bytes;
    return Verdict::ADMIT;
}

void
CompleteSharing::Release(uint32_t ingress, uint32_t, uint8_t priority, uint32_t bytes, int64_t)
{
    uint64_t& used = m_ports[ingress].inHeadroom[priority];
    const uint64_t fromHeadroom = std::min<uint64_t>(used, bytes);
    used -= fromHeadroom;
    m_pool -= bytes - fromHeadroom;
    m_used -= bytes;
}

bool
CompleteSharing::MustPause(uint32_t ingress, uint8_t priority) const
{
    return m_ports[ingress].inHeadroom[priority] > 0;
}

bool
CompleteSharing::MayResume(uint32_t ingress, uint8_t priority) const
{
    return m_ports[ingress].inHeadroom[priority] == 0;
}

} // namespace hpcctest
