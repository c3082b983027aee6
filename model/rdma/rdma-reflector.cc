/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-reflector.h"

#include "ns3/hpcc-telemetry-format.h"

namespace ns3
{

RdmaReflector::RdmaReflector(const RdmaFeedback& how,
                             int64_t networkBaseRttNs,
                             bool answersPathProbes)
    : m_how(how),
      m_answersPathProbes(answersPathProbes),
      m_acks(how.GetReturnInterval())
{
    if (how.ReportsBottleneckHop())
    {
        m_picker = std::make_unique<RdmaBottleneckPicker>(networkBaseRttNs);
    }
    if (how.GetUrgentLoad() > 0)
    {
        m_watch = std::make_unique<Watch>();
        HpccParameters parameters;
        parameters.baseRttNs = static_cast<double>(networkBaseRttNs);
        parameters.missingHop = HpccParameters::MISSING_SKIPS;
        m_watch->inflight.SetParameters(parameters);
    }
}

bool
RdmaReflector::Take(const Frame& frame)
{
    if (m_format == frame.format)
    {
        m_format->Merge(m_stack, frame.telemetry, m_how.ReturnsLargestQueue());
    }
    else
    {
        m_format = frame.format;
        m_stack = frame.telemetry;
    }
    const bool first = !m_begun;
    m_begun = true;
    return first;
}

bool
RdmaReflector::Crosses(const HpccSample& sample)
{
    if (sample.hopCount == 0 || m_watch->inflight.MeasureInflight(m_watch->flow, sample) !=
                                    HpccInflight::Measurement::VALID)
    {
        return false;
    }
    const bool before = m_watch->loaded;
    m_watch->loaded = m_watch->inflight.GetOutcome().u >= m_how.GetUrgentLoad();
    return m_watch->loaded && !before;
}

void
RdmaReflector::Fill(Frame& ack)
{
    ++m_acks;
    ack.format = nullptr;
    if (m_format && m_acks >= m_how.GetReturnInterval())
    {
        ack.format = m_format;
        ack.telemetry = m_stack;
        m_format = nullptr;
        m_acks = 0;
    }
}

} // namespace ns3
