/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-priority-scheduler.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PriorityScheduler);

namespace
{

/// Returns the index of the highest set bit.
uint8_t
Highest(uint8_t mask)
{
    return static_cast<uint8_t>(31 - __builtin_clz(mask));
}

} // namespace

TypeId
PriorityScheduler::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<PriorityScheduler, EgressScheduler>("ns3::PriorityScheduler")
            .Presets("ring;strict=Sharing:None;dwrr=Sharing:All")
            .Attribute("Sharing",
                       "Priorities that share a rank if QbbNetDevice::Weights is empty: Lossless, "
                       "frame by frame; None; or All, byte by byte.",
                       HpccField(&PriorityScheduler::m_sharing,
                                 PriorityScheduler::LOSSLESS,
                                 PriorityScheduler::LOSSLESS,
                                 "Lossless",
                                 PriorityScheduler::NONE,
                                 "None",
                                 PriorityScheduler::ALL,
                                 "All")
                           .Then(&PriorityScheduler::ShareAgain));
    return tid;
}

void
PriorityScheduler::ShareAgain()
{
    Reconfigure("Sharing");
}

void
PriorityScheduler::SetClasses(const Classes& classes)
{
    if (m_sharing == NONE)
    {
        EgressScheduler::SetClasses(classes);
    }
    m_weights = classes.weights;
    m_weighted = std::count(m_weights.begin(), m_weights.end(), 0) < PRIORITIES;
    if (!m_weighted && m_sharing == ALL)
    {
        m_weights.fill(1);
        m_weighted = true;
    }
    m_group = m_sharing == LOSSLESS ? classes.lossless : 0;
    const int64_t unitsBefore = m_unitsPerByte;
    m_unitsPerByte = m_weighted ? MAX_WEIGHT : 1;
    if (m_weighted)
    {
        m_group = 0;
        for (size_t p = 0; p < PRIORITIES; ++p)
        {
            if (m_weights[p] != 0)
            {
                m_group |= 1U << p;
                m_unitsPerByte = std::min<int64_t>(m_unitsPerByte, m_weights[p]);
            }
        }
    }
    for (size_t p = 0; p < PRIORITIES; ++p)
    {
        m_quanta[p] = int64_t{classes.quantumBytes} * m_weights[p];
        m_deficit[p] = m_deficit[p] * m_unitsPerByte / unitsBefore;
    }
}

uint8_t
PriorityScheduler::GetWatched() const
{
    const bool single = (m_group & (m_group - 1)) == 0;
    return single ? 0 : m_group;
}

void
PriorityScheduler::Served(uint8_t priority)
{
    if (!(m_group >> priority & 1))
    {
        return;
    }
    if (m_weighted)
    {
        NextTurn(1U << priority);
    }
    else
    {
        m_turn = priority;
    }
}

bool
PriorityScheduler::WantsBytes() const
{
    return m_weighted;
}

void
PriorityScheduler::Charge(uint8_t priority, uint32_t linkBytes)
{
    m_deficit[priority] -= linkBytes * m_unitsPerByte;
}

uint8_t
PriorityScheduler::Choose(uint8_t candidates, const QbbNetDevice&)
{
    const uint8_t group = candidates & m_group;
    const uint8_t alone = candidates & ~m_group;
    if (!group || (alone && Highest(alone) > Highest(m_group)))
    {
        return Highest(alone);
    }
    return m_weighted ? NextTurn(group) : NextInRing(group);
}

uint8_t
PriorityScheduler::NextInRing(uint8_t group) const
{
    uint8_t priority = m_turn;
    do
    {
        priority = (priority + 1) % PRIORITIES;
    } while (!(group >> priority & 1));
    return priority;
}

uint8_t
PriorityScheduler::NextTurn(uint8_t group)
{
    if (group >> m_turn & 1)
    {
        if (m_deficit[m_turn] > 0)
        {
            return m_turn;
        }
    }
    else
    {
        m_deficit[m_turn] = std::min<int64_t>(m_deficit[m_turn], 0);
    }
    for (;;)
    {
        m_turn = (m_turn + 1) % PRIORITIES;
        m_deficit[m_turn] += m_quanta[m_turn];
        if (group >> m_turn & 1)
        {
            if (m_deficit[m_turn] > 0)
            {
                return m_turn;
            }
        }
        else
        {
            m_deficit[m_turn] = std::min<int64_t>(m_deficit[m_turn], 0);
        }
    }
}

uint8_t
PriorityScheduler::GetAhead(uint8_t priority) const
{
    const bool grouped = m_group >> priority & 1;
    const uint8_t rank = grouped ? Highest(m_group) : priority;
    uint8_t ahead = 0;
    for (uint8_t p = 0; p < PRIORITIES; ++p)
    {
        const uint8_t other = m_group >> p & 1 ? Highest(m_group) : p;
        ahead |= (other > rank) << p;
    }
    return ahead;
}

uint8_t
PriorityScheduler::GetPeers(uint8_t priority) const
{
    return m_group >> priority & 1 ? m_group & ~(1U << priority) : 0;
}

double
PriorityScheduler::GetShare(uint8_t priority) const
{
    if (!(m_group >> priority & 1))
    {
        return 1;
    }
    if (!m_weighted)
    {
        return 1.0 / __builtin_popcount(m_group);
    }
    const double sum = std::accumulate(m_weights.begin(), m_weights.end(), 0.0);
    return m_weights[priority] / sum;
}

} // namespace ns3
