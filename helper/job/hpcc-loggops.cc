/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-loggops.h"

#include "hpcc-message-matcher.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

struct HpccLogGops::Rank
{
    /// A message that has arrived before its receive was posted.
    struct Early
    {
        uint32_t send;      ///< the send of the message
        int64_t completeNs; ///< time at which the message is complete at the receiver, ns
    };

    std::map<uint8_t, int64_t> cpuFreeNs;        ///< time from which each CPU is free, ns
    std::map<uint8_t, int64_t> nicSendFreeNs;    ///< time from which each NIC can send, ns
    std::map<uint8_t, int64_t> nicReceiveFreeNs; ///< time from which each NIC can receive, ns
    HpccMessageMatcher<Early, uint32_t> matcher; ///< matches messages and receives
    std::vector<uint32_t> ready;                 ///< operations to schedule
};

HpccLogGops::HpccLogGops(const HpccJobGraph& graph,
                         const Parameters& parameters,
                         const HpccJobSettings& settings)
    : m_graph(graph),
      m_parameters(parameters),
      m_settings(settings),
      m_ranks(graph.GetRanks()),
      m_open(graph.GetOpen()),
      m_readyNs(graph.GetOperations().size(), 0),
      m_times(graph.GetOperations().size())
{
    settings.Check(graph.GetRanks());
}

HpccLogGops::~HpccLogGops() = default;

int64_t
HpccLogGops::PerByte(uint64_t bytes, double perByteNs)
{
    return std::llround(static_cast<double>(bytes - 1) * perByteNs);
}

int64_t
HpccLogGops::GetEndNs(uint32_t rank) const
{
    int64_t endNs = 0;
    for (const auto& [cpu, freeNs] : m_ranks[rank].cpuFreeNs)
    {
        endNs = std::max(endNs, freeNs);
    }
    return endNs;
}

void
HpccLogGops::Run()
{
    for (uint32_t i = 0; i < m_open.size(); ++i)
    {
        if (m_open[i] == 0)
        {
            const uint32_t rank = m_graph.GetOperations()[i].rank;
            const auto late = m_settings.late.find(rank);
            m_readyNs[i] = m_settings.startNs + (late == m_settings.late.end() ? 0 : late->second);
            m_ranks[rank].ready.push_back(i);
        }
    }
    for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
    {
        Schedule(rank);
    }
    while (const auto next = m_events.PopDue(INT64_MAX))
    {
        next->event.arrives ? Arrive(*next) : Begin(*next);
        for (uint32_t rank : m_changed)
        {
            Schedule(rank);
        }
        m_changed.clear();
    }
}

void
HpccLogGops::Schedule(uint32_t number)
{
    Rank& rank = m_ranks[number];
    const auto& operations = m_graph.GetOperations();
    const auto place = [&operations](uint32_t operation) {
        const auto kind = operations[operation].kind;
        return kind == HpccJobGraph::Kind::SEND ? 0 : kind == HpccJobGraph::Kind::RECEIVE ? 1 : 2;
    };
    std::stable_sort(rank.ready.begin(), rank.ready.end(), [&place](uint32_t a, uint32_t b) {
        return place(a) < place(b);
    });
    for (uint32_t operation : rank.ready)
    {
        const auto& o = operations[operation];
        int64_t atNs = std::max(m_readyNs[operation], rank.cpuFreeNs[o.stream]);
        if (o.kind == HpccJobGraph::Kind::SEND)
        {
            atNs = std::max(atNs, rank.nicSendFreeNs[o.nic]);
        }
        m_events.Push(atNs, {operation, false});
    }
    rank.ready.clear();
}

void
HpccLogGops::Begin(const Entry& begin)
{
    const uint32_t operation = begin.event.operation;
    const auto& o = m_graph.GetOperations()[operation];
    const int64_t nowNs = begin.atNs;
    Rank& rank = m_ranks[o.rank];
    if (o.kind == HpccJobGraph::Kind::RECEIVE)
    {
        m_times[operation].beginNs = nowNs;
        Release(operation, true, nowNs);
        if (const auto early = rank.matcher.Post(o.peer, o.tag, operation))
        {
            Match(early->send, operation, nowNs, early->completeNs);
        }
        return;
    }
    int64_t& cpuNs = rank.cpuFreeNs[o.stream];
    int64_t freeNs = cpuNs;
    if (o.kind == HpccJobGraph::Kind::SEND)
    {
        freeNs = std::max(freeNs, rank.nicSendFreeNs[o.nic]);
    }
    if (freeNs > nowNs)
    {
        m_events.Delay(begin, freeNs);
        return;
    }
    m_times[operation].beginNs = nowNs;
    Release(operation, true, nowNs);
    if (o.kind == HpccJobGraph::Kind::COMPUTE)
    {
        const auto slow = m_settings.slow.find(o.rank);
        cpuNs = nowNs + std::llround(static_cast<double>(o.amount) * m_settings.computeScale *
                                     (slow == m_settings.slow.end() ? 1 : slow->second));
        Finish(operation, cpuNs);
        return;
    }
    cpuNs = nowNs + m_parameters.overheadNs + PerByte(o.amount, m_parameters.overheadPerByteNs);
    rank.nicSendFreeNs[o.nic] =
        nowNs + m_parameters.gapNs + PerByte(o.amount, m_parameters.gapPerByteNs);
    m_events.Push(nowNs + m_parameters.overheadNs + m_parameters.latencyNs, {operation, true});
    if (o.amount <= m_parameters.eagerBytes)
    {
        Finish(operation, cpuNs);
    }
}

void
HpccLogGops::Arrive(const Entry& arrival)
{
    const uint32_t operation = arrival.event.operation;
    const auto& send = m_graph.GetOperations()[operation];
    const int64_t nowNs = arrival.atNs;
    Rank& rank = m_ranks[send.peer];
    int64_t& cpuNs = rank.cpuFreeNs[send.stream];
    int64_t& nicNs = rank.nicReceiveFreeNs[send.nic];
    const int64_t freeNs = std::max(cpuNs, nicNs);
    if (freeNs > nowNs)
    {
        m_events.Delay(arrival, freeNs);
        return;
    }
    const int64_t bytesNs = PerByte(send.amount, m_parameters.gapPerByteNs);
    cpuNs = nowNs + m_parameters.overheadNs +
            std::max(PerByte(send.amount, m_parameters.overheadPerByteNs), bytesNs);
    nicNs = nowNs + m_parameters.gapNs + bytesNs;
    if (const auto receive = rank.matcher.Arrive(send.rank, send.tag, {operation, cpuNs}))
    {
        Match(operation, *receive, nowNs, cpuNs);
    }
}

void
HpccLogGops::Match(uint32_t send, uint32_t receive, int64_t nowNs, int64_t completeNs)
{
    if (m_graph.GetOperations()[send].amount > m_parameters.eagerBytes)
    {
        Finish(send, nowNs);
    }
    Finish(receive, std::max(nowNs, completeNs));
}

void
HpccLogGops::Finish(uint32_t operation, int64_t endNs)
{
    m_times[operation].endNs = endNs;
    Release(operation, false, endNs);
}

void
HpccLogGops::Release(uint32_t operation, bool start, int64_t fromNs)
{
    const uint32_t rank = m_graph.GetOperations()[operation].rank;
    m_graph.ForDependants(operation, [&](const HpccJobGraph::Dependant& dependant) {
        if (dependant.start != start)
        {
            return;
        }
        m_readyNs[dependant.operation] = std::max(m_readyNs[dependant.operation], fromNs);
        if (--m_open[dependant.operation] == 0)
        {
            m_ranks[rank].ready.push_back(dependant.operation);
            m_changed.insert(rank);
        }
    });
}

} // namespace ns3
