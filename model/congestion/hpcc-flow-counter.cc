/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-flow-counter.h"

#include <algorithm>

namespace ns3
{

void
HpccFlowCounter::Cover(int64_t windowNs)
{
    m_windowNs = std::max(m_windowNs, windowNs);
}

uint16_t
HpccFlowCounter::Count(Flow& flow, int64_t nowNs)
{
    if (flow.m_counter)
    {
        flow.m_counter->Remove(flow);
    }
    flow.m_counter = this;
    flow.m_seenNs = nowNs;
    m_flows.push_back(flow);
    while (nowNs - m_flows.front().m_seenNs > m_windowNs)
    {
        Remove(m_flows.front());
    }
    return static_cast<uint16_t>(std::min<size_t>(m_flows.size(), UINT16_MAX));
}

void
HpccFlowCounter::Remove(Flow& flow)
{
    m_flows.erase(m_flows.iterator_to(flow));
    flow.m_counter = nullptr;
}

} // namespace ns3
