/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-probes.h"

namespace ns3
{

void
HpccProbes::Open(int64_t baseRttNs, uint8_t maxDoublings, uint32_t pauseAfter)
{
    m_baseRttNs = baseRttNs > 0 ? baseRttNs : 5000;
    m_maxDoublings = maxDoublings;
    m_pauseAfter = pauseAfter;
}

bool
HpccProbes::Want()
{
    const bool news = !m_wanted;
    m_wanted = true;
    return news;
}

bool
HpccProbes::OnData()
{
    m_idleAnswers = 0;
    m_resumeNs = NEVER;
    return m_timeoutNs == NEVER && Want();
}

bool
HpccProbes::OnAcknowledged()
{
    m_idleAnswers = 0;
    return m_resumeNs != NEVER;
}

void
HpccProbes::OnDeparture(uint64_t id, uint64_t byte, int64_t nowNs)
{
    if (m_unanswered.size() == MAX_UNANSWERED)
    {
        m_unanswered.pop_front();
    }
    m_unanswered.push_back({id, byte, nowNs, m_answers});
    ++m_departures;
    StartTimeout(nowNs);
}

void
HpccProbes::Withdraw()
{
    m_wanted = false;
}

HpccProbes::Answer
HpccProbes::OnAnswer(uint64_t id, int64_t nowNs)
{
    auto probe = std::find_if(m_unanswered.begin(), m_unanswered.end(), [id](const auto& one) {
        return one.id == id;
    });
    if (probe == m_unanswered.end())
    {
        return {false, 0, 0, 0};
    }
    const Answer answer{true,
                        probe->byte + (probe->answers == m_answers),
                        probe->byte,
                        probe->sentNs};
    m_rttNs = nowNs - probe->sentNs;
    ++m_answers;
    m_timeoutsInRow = 0;
    m_unanswered.erase(m_unanswered.begin(), probe + 1);
    if (m_unanswered.empty())
    {
        m_timeoutNs = NEVER;
    }
    return answer;
}

bool
HpccProbes::Continue(int64_t nowNs, bool inFlight)
{
    if (m_timeoutNs <= nowNs)
    {
        m_timeoutNs = NEVER;
        ++m_timeouts;
        ++m_timeoutsInRow;
    }
    ++m_idleAnswers;
    if (m_timeoutNs != NEVER || !inFlight)
    {
        return false;
    }
    if (m_pauseAfter > 0 && m_idleAnswers >= m_pauseAfter)
    {
        m_resumeNs =
            nowNs + (m_baseRttNs << std::min(m_idleAnswers - m_pauseAfter, MAX_PAUSE_DOUBLINGS));
        return false;
    }
    return Want();
}

bool
HpccProbes::Resume(bool inFlight)
{
    m_resumeNs = NEVER;
    return m_timeoutNs == NEVER && inFlight && Want();
}

void
HpccProbes::StartTimeout(int64_t nowNs)
{
    m_timeoutNs = nowNs + (std::max(4 * m_baseRttNs, 2 * m_rttNs)
                           << std::min<uint32_t>(m_timeoutsInRow, m_maxDoublings));
    m_wanted = false;
}

void
HpccProbes::StopTimeout()
{
    m_timeoutNs = NEVER;
    m_timeoutsInRow = 0;
}

} // namespace ns3
