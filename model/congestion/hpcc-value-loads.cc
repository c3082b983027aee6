/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-value-loads.h"

#include "hpcc-port-loads.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

HpccValueLoads::HpccValueLoads(uint32_t values, double baseRttNs, double windowNs)
    : m_baseRttNs(baseRttNs),
      m_windowNs(windowNs > 0 ? windowNs : baseRttNs),
      m_values(values),
      m_shares(values, 1.0F)
{
}

void
HpccValueLoads::SetValue(uint32_t value)
{
    m_value = value < m_values.size() ? value : NO_VALUE;
}

const std::vector<float>&
HpccValueLoads::GetShares() const
{
    return m_shares;
}

void
HpccValueLoads::Select(HpccFlow&, const HpccSample&, uint32_t)
{
}

double
HpccValueLoads::Value::GetLoad() const
{
    if (utilization >= 0)
    {
        return utilization + std::max(delay, 0.0);
    }
    return delay > 0 ? 1 + delay : -1;
}

double
HpccValueLoads::GetMean() const
{
    double sum = 0;
    double weight = 0;
    for (size_t i = 0; i < m_values.size(); ++i)
    {
        const double load = m_values[i].GetLoad();
        if (load >= 0)
        {
            sum += static_cast<double>(m_shares[i]) * load;
            weight += static_cast<double>(m_shares[i]);
        }
    }
    return sum / weight;
}

double
HpccValueLoads::Update(HpccFlow& flow, const HpccSample& sample, const double*)
{
    if (m_value == NO_VALUE)
    {
        return flow.utilization;
    }
    Value& own = m_values[m_value];
    const HopTelemetry& hop = sample.hops[0];
    if (hop.fields & TELEMETRY_UTILIZATION)
    {
        own.utilization = hop.utilization;
    }
    if (hop.fields & TELEMETRY_QUEUE_DELAY)
    {
        own.delay = hop.queueDelayNs / m_windowNs;
    }
    const double load = own.GetLoad();
    if (load < 0 || static_cast<double>(sample.nowNs - own.gradedNs) < m_baseRttNs)
    {
        return flow.utilization;
    }
    own.gradedNs = sample.nowNs;
    const double ratio =
        std::max(GetMean(), HpccPortLoads::QUIET) / std::max(load, HpccPortLoads::QUIET);
    m_shares[m_value] *= static_cast<float>(
        std::clamp(std::sqrt(ratio), 1 / HpccPortLoads::LARGEST_STEP, HpccPortLoads::LARGEST_STEP));
    const float largest = *std::max_element(m_shares.begin(), m_shares.end());
    for (float& share : m_shares)
    {
        share = std::max(share / largest, static_cast<float>(HpccPortLoads::LEAST_SHARE));
    }
    return flow.utilization;
}

} // namespace ns3
