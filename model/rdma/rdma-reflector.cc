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
    : m_answersPathProbes(answersPathProbes),
      m_notifies(how.IsNotified()),
      m_bare(how.ReportsBareHop()),
      m_largestQueue(how.DescribeReturn().largestQueue),
      m_measures(how.DescribeReturn().measures)
{
    if (how.GetReturn())
    {
        m_return = how.GetReturn()->Open(networkBaseRttNs);
    }
    if (how.GetReport())
    {
        m_report = how.GetReport()->Open(networkBaseRttNs);
    }
}

bool
RdmaReflector::Take(const Frame& frame)
{
    if (m_format == frame.format)
    {
        m_format->Merge(m_stack, frame.telemetry, m_largestQueue);
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

void
RdmaReflector::Fill(Frame& ack)
{
    ++m_acks;
    ack.format = nullptr;
    if (m_format && (!m_returned || !m_return || m_return->Returns(m_acks)))
    {
        ack.format = m_format;
        ack.telemetry = m_stack;
        m_format = nullptr;
        m_returned = true;
        m_acks = 0;
    }
}

} // namespace ns3
