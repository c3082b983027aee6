/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-composite-scheduler.h"

#include "hpcc-fifo-scheduler.h"

#include "ns3/hpcc-type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CompositeScheduler);

TypeId
CompositeScheduler::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<CompositeScheduler, EgressScheduler>("ns3::CompositeScheduler")
            .Presets("composite")
            .Attribute("HeaderPriorities",
                       "Priorities of the class of headers, as a bit mask; the others are the "
                       "class of data.",
                       HpccField(&CompositeScheduler::m_headers, 0xf0))
            .Attribute("HeadersPerData",
                       "Frames of the class of headers that are sent per frame of data while both "
                       "classes have frames.",
                       HpccField(&CompositeScheduler::m_perData, 100000, 1));
    return tid;
}

uint8_t
CompositeScheduler::Choose(uint8_t candidates, const QbbNetDevice& port)
{
    const uint8_t headers = candidates & m_headers;
    const uint8_t data = candidates & ~m_headers;
    m_contended = headers && data;
    const bool dataFirst = !headers || (data && m_turn >= m_perData);
    return FifoScheduler::Oldest(dataFirst ? data : headers, port);
}

uint8_t
CompositeScheduler::GetWatched() const
{
    return 0xff;
}

void
CompositeScheduler::Served(uint8_t priority)
{
    if (m_contended)
    {
        m_turn = m_headers >> priority & 1 ? m_turn + 1 : 0;
        m_contended = false;
    }
}

uint8_t
CompositeScheduler::GetAhead(uint8_t priority) const
{
    return m_headers >> priority & 1 ? 0 : m_headers;
}

uint8_t
CompositeScheduler::GetPeers(uint8_t priority) const
{
    const bool header = m_headers >> priority & 1;
    return static_cast<uint8_t>((header ? m_headers : ~m_headers) & ~(1U << priority));
}

} // namespace ns3
