/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-egress-scheduler.h"

#include <algorithm>
#include <numeric>
#include <sstream>

namespace ns3
{

namespace
{

/// @return index of the highest set bit
uint8_t
Highest(uint8_t mask)
{
    return static_cast<uint8_t>(31 - __builtin_clz(mask));
}

} // namespace

void
EgressScheduler::SetRing(uint8_t ring)
{
    m_ring = ring;
    Configure();
}

bool
EgressScheduler::SetWeights(const std::string& text, std::string& why)
{
    std::array<uint16_t, PRIORITIES> weights{};
    std::istringstream entries(text);
    std::string entry;
    while (std::getline(entries, entry, ','))
    {
        std::istringstream in(entry);
        unsigned priority = 0;
        unsigned weight = 0;
        char colon = 0;
        char rest = 0;
        if (!(in >> priority >> colon >> weight) || colon != ':' || in >> rest ||
            priority >= PRIORITIES || weight < 1 || weight > MAX_WEIGHT)
        {
            why = "\"" + entry + "\" is not PRIORITY:WEIGHT with PRIORITY 0 to 7 and WEIGHT 1 to " +
                  std::to_string(MAX_WEIGHT);
            return false;
        }
        if (weights[priority] != 0)
        {
            why = "priority " + std::to_string(priority) + " has two weights";
            return false;
        }
        weights[priority] = static_cast<uint16_t>(weight);
    }
    const auto without = std::count(weights.begin(), weights.end(), 0);
    if (!text.empty() && without > PRIORITIES - 2)
    {
        why = "\"" + text + "\" has one weight; at least two priorities share";
        return false;
    }
    m_weights = weights;
    Configure();
    return true;
}

std::string
EgressScheduler::GetWeights() const
{
    std::string text;
    for (size_t p = 0; p < PRIORITIES; ++p)
    {
        if (m_weights[p] != 0)
        {
            text +=
                (text.empty() ? "" : ",") + std::to_string(p) + ":" + std::to_string(m_weights[p]);
        }
    }
    return text;
}

void
EgressScheduler::SetQuantum(uint32_t bytes)
{
    m_quantumBytes = bytes;
    Configure();
}

void
EgressScheduler::Configure()
{
    m_group = 0;
    uint64_t smallest = MAX_WEIGHT;
    for (size_t p = 0; p < PRIORITIES; ++p)
    {
        if (m_weights[p] != 0)
        {
            m_group |= 1U << p;
            smallest = std::min<uint64_t>(smallest, m_weights[p]);
        }
    }
    m_weighted = m_group != 0;
    m_group = m_weighted ? m_group : m_ring;
    for (size_t p = 0; p < PRIORITIES; ++p)
    {
        m_quanta[p] = static_cast<int64_t>(uint64_t{m_quantumBytes} * m_weights[p] / smallest);
    }
}

uint8_t
EgressScheduler::Choose(uint8_t candidates)
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
EgressScheduler::NextInRing(uint8_t group) const
{
    uint8_t priority = m_turn;
    do
    {
        priority = (priority + 1) % PRIORITIES;
    } while (!(group >> priority & 1));
    return priority;
}

uint8_t
EgressScheduler::NextTurn(uint8_t group)
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
EgressScheduler::GetAhead(uint8_t priority) const
{
    const bool grouped = m_group >> priority & 1;
    const uint8_t place = grouped ? Highest(m_group) : priority;
    uint8_t ahead = 0;
    for (uint8_t p = 0; p < PRIORITIES; ++p)
    {
        const uint8_t other = m_group >> p & 1 ? Highest(m_group) : p;
        ahead |= (other > place) << p;
    }
    return ahead;
}

uint8_t
EgressScheduler::GetPeers(uint8_t priority) const
{
    return m_group >> priority & 1 ? m_group & ~(1U << priority) : 0;
}

double
EgressScheduler::GetShare(uint8_t priority) const
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
