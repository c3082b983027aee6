/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-job-report.h"

#include "hpcc-abstract-transport.h"
#include "hpcc-job-bound.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

using Spans = std::vector<std::pair<int64_t, int64_t>>; ///< beginnings and ends, ns

/// Returns the union of time spans, sorted and without overlap.
Spans
Unite(Spans spans)
{
    std::sort(spans.begin(), spans.end());
    Spans united;
    for (const auto& span : spans)
    {
        if (!united.empty() && span.first <= united.back().second)
        {
            united.back().second = std::max(united.back().second, span.second);
        }
        else
        {
            united.push_back(span);
        }
    }
    return united;
}

/// Returns true if a job counts as finished only after an operation has ended. This holds for
/// receives, and for computations that do more than wait. It does not hold for sends, which end
/// only with an acknowledgement.
bool
Counts(const HpccJobGraph::Operation& operation)
{
    return operation.kind == HpccJobGraph::Kind::RECEIVE ||
           (operation.kind == HpccJobGraph::Kind::COMPUTE &&
            operation.stream != HpccJobGraph::JOIN_STREAM);
}

/// Returns true if a rank waits for the end of an operation. A rank waits for every operation that
/// is not a send. It waits for a send only if another operation waits until the send has ended. If
/// that other operation only joins operations and takes no time (JOIN_STREAM), the rank waits for
/// the send only if a third operation waits for the join.
bool
IsAwaited(const HpccJobGraph& graph, uint32_t operation)
{
    bool awaited = graph.GetOperations()[operation].kind != HpccJobGraph::Kind::SEND;
    graph.ForDependants(operation, [&graph, &awaited](const HpccJobGraph::Dependant& dependant) {
        bool counts =
            graph.GetOperations()[dependant.operation].stream != HpccJobGraph::JOIN_STREAM;
        graph.ForDependants(dependant.operation, [&counts](const auto&) { counts = true; });
        awaited = awaited || (counts && !dependant.start);
    });
    return awaited;
}

/// Returns the total length of spans without overlap, ns.
int64_t
LengthOf(const Spans& spans)
{
    int64_t ns = 0;
    for (const auto& [begin, end] : spans)
    {
        ns += end - begin;
    }
    return ns;
}

} // namespace

HpccJobReport::HpccJobReport(const HpccJobGraph& graph, Times times, int64_t startNs)
    : m_graph(graph),
      m_times(std::move(times)),
      m_startNs(startNs)
{
    for (size_t i = 0; i < m_times.size(); ++i)
    {
        const bool counts = Counts(m_graph.GetOperations()[i]);
        m_finished = m_finished && (m_times[i].endNs >= 0 || !counts);
    }
}

HpccJobReport::Times
HpccJobReport::Merge(const HpccFabricHelper& fabric, const Times& times)
{
    // Only one process has the time of an operation; the others add 0.
    std::vector<uint64_t> sums;
    for (const auto& time : times)
    {
        sums.push_back(static_cast<uint64_t>(time.beginNs + 1));
        sums.push_back(static_cast<uint64_t>(time.endNs + 1));
    }
    fabric.AddUp(sums);
    Times merged(times.size());
    for (size_t i = 0; i < times.size(); ++i)
    {
        merged[i] = {static_cast<int64_t>(sums[2 * i]) - 1,
                     static_cast<int64_t>(sums[2 * i + 1]) - 1};
    }
    return merged;
}

int64_t
HpccJobReport::GetIterationNs() const
{
    int64_t endNs = m_startNs;
    for (size_t i = 0; i < m_times.size(); ++i)
    {
        if (Counts(m_graph.GetOperations()[i]))
        {
            endNs = std::max(endNs, m_times[i].endNs);
        }
    }
    return endNs - m_startNs;
}

int64_t
HpccJobReport::GetExposedNs() const
{
    std::vector<Spans> computing(m_graph.GetRanks());
    std::vector<Spans> all(m_graph.GetRanks());
    for (uint32_t i = 0; i < m_times.size(); ++i)
    {
        const auto& operation = m_graph.GetOperations()[i];
        const auto& time = m_times[i];
        if (time.endNs <= time.beginNs || !IsAwaited(m_graph, i))
        {
            continue;
        }
        all[operation.rank].emplace_back(time.beginNs, time.endNs);
        if (operation.kind == HpccJobGraph::Kind::COMPUTE)
        {
            computing[operation.rank].emplace_back(time.beginNs, time.endNs);
        }
    }
    int64_t most = 0;
    for (uint32_t rank = 0; rank < m_graph.GetRanks(); ++rank)
    {
        most = std::max(most, LengthOf(Unite(all[rank])) - LengthOf(Unite(computing[rank])));
    }
    return most;
}

std::vector<HpccJobReport::CollectiveTime>
HpccJobReport::GetCollectives() const
{
    std::vector<CollectiveTime> collectives(m_graph.GetCollectives().size());
    std::vector<bool> open(collectives.size(), false);
    for (size_t i = 0; i < m_times.size(); ++i)
    {
        const auto& operation = m_graph.GetOperations()[i];
        if (operation.collective == HpccJobGraph::NONE)
        {
            continue;
        }
        CollectiveTime& collective = collectives[operation.collective];
        const auto& time = m_times[i];
        if (time.beginNs >= 0 && (collective.beginNs < 0 || time.beginNs < collective.beginNs))
        {
            collective.beginNs = time.beginNs;
        }
        if (Counts(operation))
        {
            collective.endNs = std::max(collective.endNs, time.endNs);
            open[operation.collective] = open[operation.collective] || time.endNs < 0;
        }
    }
    for (size_t i = 0; i < open.size(); ++i)
    {
        collectives[i].endNs = open[i] ? -1 : collectives[i].endNs;
    }
    return collectives;
}

std::vector<HpccJobReport::Interval>
HpccJobReport::GetIntervals() const
{
    constexpr int64_t NEVER = INT64_MAX;                      // has not ended
    std::map<std::tuple<uint32_t, uint32_t>, Spans> messages; // rank, collective
    std::vector<Interval> intervals;
    for (size_t i = 0; i < m_times.size(); ++i)
    {
        const auto& operation = m_graph.GetOperations()[i];
        const int64_t beginNs = m_times[i].beginNs;
        const int64_t endNs = m_times[i].endNs < 0 ? NEVER : m_times[i].endNs;
        if (beginNs < 0 || endNs <= beginNs)
        {
            continue;
        }
        if (operation.kind == HpccJobGraph::Kind::COMPUTE)
        {
            intervals.push_back({operation.rank, HpccJobGraph::NONE, true, beginNs, endNs});
        }
        else
        {
            messages[{operation.rank, operation.collective}].emplace_back(beginNs, endNs);
        }
    }
    for (auto& [key, spans] : messages)
    {
        for (const auto& [begin, end] : Unite(std::move(spans)))
        {
            intervals.push_back({std::get<0>(key), std::get<1>(key), false, begin, end});
        }
    }
    std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) {
        return std::tuple(a.rank, a.beginNs, a.endNs, a.computation, a.collective) <
               std::tuple(b.rank, b.beginNs, b.endNs, b.computation, b.collective);
    });
    for (auto& interval : intervals)
    {
        interval.endNs = interval.endNs == NEVER ? -1 : interval.endNs;
    }
    return intervals;
}

int64_t
HpccJobReport::GetBoundNs(const HpccJobGraph& graph,
                          const HpccJobSettings& settings,
                          const HpccFabricHelper& fabric,
                          const std::vector<uint32_t>& hosts)
{
    HpccJobBound bound(fabric, hosts);
    HpccAbstractTransport transport([&](const HpccJobTransport::Message& message, int64_t nowNs) {
        return bound.ArriveNs(message, nowNs);
    });
    HpccJobSettings own = settings;
    own.jitter = 0;
    HpccJobRun run(graph, transport, own);
    run.Start();
    transport.Run();
    return std::max(HpccJobReport(graph, run.GetTimes(), settings.startNs).GetIterationNs(),
                    bound.GetLoadNs());
}

} // namespace ns3
