/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-shared-buffer.h"

#include <algorithm>
#include <cmath>

// The part of SharedBuffer that admits frames and decides when neighbours pause and resume.
// Attributes and ports are in hpcc-shared-buffer-settings.cc.

namespace ns3
{

uint64_t
SharedBuffer::GetSharedBytes() const
{
    return m_bufferBytes > m_setAside ? m_bufferBytes - m_setAside : 0;
}

double
SharedBuffer::Threshold(const Port& port) const
{
    const double threshold = port.alpha * static_cast<double>(GetSharedBytes() - m_sharedUsed);
    return m_setAsidePerPort ? std::floor(threshold) : threshold;
}

SharedBuffer::Verdict
SharedBuffer::Admit(uint32_t ingress, uint32_t egress, uint8_t priority, uint32_t bytes, int64_t)
{
    Port& port = m_ports[ingress];
    Use& use = port.use[priority];
    Use& out = m_ports[egress].use[priority];
    bool lossless = port.lossless >> priority & 1;
    uint64_t free = GetSharedBytes() - m_sharedUsed;
    if (!lossless &&
        static_cast<double>(out.egress + bytes) >
            m_egressAlpha * static_cast<double>(free) + static_cast<double>(m_reservedBytes))
    {
        return Verdict::EGRESS_LIMIT;
    }
    uint64_t reservedUsed = use.bytes - use.shared - use.headroom;
    if (reservedUsed + bytes > m_reservedBytes)
    {
        const uint64_t shared = m_setAsidePerPort ? reservedUsed + bytes - m_reservedBytes : bytes;
        if (shared <= free &&
            (!lossless || static_cast<double>(use.shared + shared) <= Threshold(port)))
        {
            use.shared += shared;
            m_sharedUsed += shared;
        }
        else if (lossless && use.headroom + bytes <= port.headroom)
        {
            use.headroom += bytes;
        }
        else
        {
            return Verdict::BUFFER_FULL;
        }
    }
    use.bytes += bytes;
    out.egress += bytes;
    return Verdict::ADMIT;
}

void
SharedBuffer::Release(uint32_t ingress, uint32_t egress, uint8_t priority, uint32_t bytes, int64_t)
{
    Use& use = m_ports[ingress].use[priority];
    uint64_t fromHeadroom = std::min<uint64_t>(use.headroom, bytes);
    uint64_t fromShared = std::min<uint64_t>(use.shared, bytes - fromHeadroom);
    use.headroom -= fromHeadroom;
    use.shared -= fromShared;
    m_sharedUsed -= fromShared;
    use.bytes -= bytes;
    m_ports[egress].use[priority].egress -= bytes;
}

bool
SharedBuffer::MustPause(uint32_t ingress, uint8_t priority) const
{
    const Port& port = m_ports[ingress];
    const Use& use = port.use[priority];
    return use.headroom > 0 ||
           (use.shared > 0 && static_cast<double>(use.shared) >= Threshold(port));
}

bool
SharedBuffer::MayResume(uint32_t ingress, uint8_t priority) const
{
    const Port& port = m_ports[ingress];
    const Use& use = port.use[priority];
    return use.headroom == 0 && (use.shared == 0 || static_cast<double>(use.shared) +
                                                            static_cast<double>(m_resumeOffset) <=
                                                        Threshold(port));
}

} // namespace ns3
