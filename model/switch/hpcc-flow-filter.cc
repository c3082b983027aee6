/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-flow-filter.h"

namespace ns3
{

bool
FlowFilter::Add(uint32_t flowHash, int64_t nowNs)
{
    if (nowNs >= m_endNs)
    {
        m_endNs = nowNs - nowNs % m_periodNs + m_periodNs;
        m_flows.reset();
    }
    const uint64_t mixed = (uint64_t{flowHash} + 1) * 0x9e3779b97f4a7c15;
    const size_t first = mixed >> 52;
    const size_t second = mixed >> 32 & (BITS - 1);
    if (m_flows[first] && m_flows[second])
    {
        return false;
    }
    m_flows.set(first).set(second);
    return true;
}

} // namespace ns3
