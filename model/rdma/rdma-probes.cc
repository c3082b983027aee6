/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-probes.h"

#include <algorithm>

namespace ns3
{

void
RdmaProbes::Open(int64_t baseRttNs)
{
    m_baseRttNs = baseRttNs > 0 ? baseRttNs : 5000;
}

bool
RdmaProbes::Want()
{
    const bool news = !m_wanted;
    m_wanted = true;
    return news;
}

bool
RdmaProbes::OnData()
{
    return m_timeoutNs == NEVER && Want();
}

void
RdmaProbes::OnDeparture(uint64_t psn, uint64_t byte, int64_t nowNs)
{
    if (m_unanswered.size() == MAX_UNANSWERED)
    {
        m_unanswered.pop_front();
    }
    m_lastNumber = (m_lastNumber + 1) & 0x7f;
    m_unanswered.push_back({psn, byte, m_lastNumber, nowNs, m_answers});
    m_timeoutNs = nowNs + std::max(4 * m_baseRttNs, 2 * m_rttNs);
    m_wanted = false;
}

void
RdmaProbes::Withdraw()
{
    m_wanted = false;
}

RdmaProbes::Answer
RdmaProbes::OnAnswer(uint64_t psn, uint32_t number, int64_t nowNs)
{
    auto probe = std::find_if(m_unanswered.begin(), m_unanswered.end(), [&](const auto& one) {
        return one.psn == psn && one.number == number;
    });
    if (probe == m_unanswered.end())
    {
        return {false, 0};
    }
    const Answer answer{true, probe->byte + (probe->answers == m_answers)};
    m_rttNs = nowNs - probe->sentNs;
    ++m_answers;
    m_unanswered.erase(m_unanswered.begin(), probe + 1);
    if (m_unanswered.empty())
    {
        m_timeoutNs = NEVER;
    }
    return answer;
}

bool
RdmaProbes::Continue(int64_t nowNs, bool inFlight)
{
    if (m_timeoutNs <= nowNs)
    {
        m_timeoutNs = NEVER;
        ++m_timeouts;
    }
    return m_timeoutNs == NEVER && inFlight && Want();
}

} // namespace ns3
