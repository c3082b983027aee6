/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-application.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/node.h"

#include <algorithm>
#include <string>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaApplication);

TypeId
RdmaApplication::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<RdmaApplication, Application>("ns3::RdmaApplication");
    return tid;
}

RdmaApplication::RdmaApplication() = default;

RdmaApplication::~RdmaApplication() = default;

void
RdmaApplication::AddMessage(const Time& at, uint32_t queuePair, uint64_t bytes, RdmaVerb verb)
{
    const int64_t nowNs = m_agenda ? m_agenda->CatchUp() : 0;
    Plan plan{at.GetNanoSeconds(), bytes, queuePair, verb};
    HPCC_REFUSE_IF(plan.atNs < nowNs,
                   "ns3::RdmaApplication::AddMessage: queue pair " + std::to_string(queuePair) +
                       ": a message at " + std::to_string(plan.atNs) + " ns; allowed is " +
                       std::to_string(nowNs) + " ns, which is now, or later");
    HPCC_REFUSE_IF(bytes < 1 || bytes > RDMA_MAX_MESSAGE_BYTES,
                   "ns3::RdmaApplication::AddMessage: queue pair " + std::to_string(queuePair) +
                       ": a message of " + std::to_string(bytes) + " bytes; allowed are 1 to " +
                       std::to_string(RDMA_MAX_MESSAGE_BYTES));
    if (!m_host && GetNode())
    {
        m_host = GetNode()->GetObject<RdmaHost>();
    }
    if (m_host && queuePair < m_host->GetQueuePairs())
    {
        m_host->CheckMessage(queuePair, verb, bytes);
    }
    if (!m_agenda)
    {
        m_plans.push_back(plan);
        return;
    }
    plan.atNs = std::max(plan.atNs, m_startTime.GetNanoSeconds());
    CheckStopTime({plan});
    m_plans.erase(m_plans.begin(), m_plans.begin() + static_cast<int64_t>(m_next));
    m_next = 0;
    const auto place =
        std::upper_bound(m_plans.begin(), m_plans.end(), plan, [](const Plan& a, const Plan& b) {
            return a.atNs < b.atNs;
        });
    const bool first = place == m_plans.begin();
    m_plans.insert(place, plan);
    if (first)
    {
        m_agenda->Schedule(AgendaKind::APPLICATION, m_index, plan.atNs);
    }
}

void
RdmaApplication::DoInitialize()
{
    m_host = GetNode()->GetObject<RdmaHost>();
    HPCC_REFUSE_IF(!m_host,
                   "ns3::RdmaApplication: node " + std::to_string(GetNode()->GetId()) +
                       " has no ns3::RdmaHost; install one on the node first");
    m_agenda = NodeAgenda::Of(GetNode());
    m_index = m_agenda->Register(AgendaKind::APPLICATION, this);
    std::stable_sort(m_plans.begin(), m_plans.end(), [](const Plan& a, const Plan& b) {
        return a.atNs < b.atNs;
    });
    int64_t startNs = m_startTime.GetNanoSeconds();
    for (auto& plan : m_plans)
    {
        plan.atNs = std::max({plan.atNs, startNs, m_agenda->NowNs()});
    }
    CheckStopTime(m_plans);
    CheckMessages();
    if (!m_plans.empty())
    {
        m_agenda->Schedule(AgendaKind::APPLICATION, m_index, m_plans.front().atNs);
    }
    Application::DoInitialize();
}

void
RdmaApplication::CheckStopTime(const std::vector<Plan>& plans) const
{
    const auto late = std::count_if(plans.begin(), plans.end(), [this](const Plan& plan) {
        return plan.atNs >= m_stopTime.GetNanoSeconds();
    });
    HPCC_REFUSE_IF(m_stopTime.IsStrictlyPositive() && late > 0,
                   "ns3::RdmaApplication: node " + std::to_string(GetNode()->GetId()) + ": " +
                       std::to_string(late) + " of " + std::to_string(plans.size()) +
                       " messages are due at or after StopTime, " +
                       std::to_string(m_stopTime.GetNanoSeconds()) + " ns; the last at " +
                       std::to_string(plans.back().atNs) + " ns");
}

void
RdmaApplication::CheckMessages() const
{
    std::vector<bool> planned(m_host->GetQueuePairs());
    for (const auto& plan : m_plans)
    {
        if (plan.queuePair < planned.size()) // any other queue pair may be connected later
        {
            m_host->CheckMessage(plan.queuePair, plan.verb, plan.bytes, !planned[plan.queuePair]);
            planned[plan.queuePair] = true;
        }
    }
}

void
RdmaApplication::Due(AgendaKind, uint32_t, int64_t nowNs)
{
    const struct Finish
    {
        RdmaApplication& application; ///< the application that posts

        /// Schedules the next message, even if Post() or a trace sink that it calls has thrown an
        /// exception. A message whose Post() has thrown is not posted again.
        ~Finish()
        {
            application.ScheduleNext();
        }
    } finish{*this};

    while (m_next < m_plans.size() && m_plans[m_next].atNs <= nowNs)
    {
        const Plan plan = m_plans[m_next++];
        m_host->Post(plan.queuePair, plan.verb, plan.bytes);
    }
}

void
RdmaApplication::ScheduleNext()
{
    if (m_next < m_plans.size())
    {
        m_agenda->Schedule(AgendaKind::APPLICATION, m_index, m_plans[m_next].atNs);
        return;
    }
    m_plans = {};
    m_next = 0;
}

void
RdmaApplication::StartApplication()
{
}

void
RdmaApplication::StopApplication()
{
}

void
RdmaApplication::DoDispose()
{
    m_host = nullptr;
    m_agenda = nullptr;
    Application::DoDispose();
}

} // namespace ns3
