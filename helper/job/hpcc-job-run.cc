/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-job-run.h"

#include "hpcc-message-matcher.h"
#include "hpcc-timed-queue.h"

#include "ns3/double.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/object.h"
#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>

namespace ns3
{

namespace
{

constexpr uint64_t MAX_FACTOR = 1000000; ///< largest factor for computations
constexpr uint64_t MAX_JITTER = 1000;    ///< largest mean of the jitter

/**
 * Refuses the settings of ranks if a value is out of range or a rank does not exist.
 * @tparam Value type of the values
 * @param name name of the settings
 * @param values the values, by rank
 * @param high largest value allowed
 * @param ranks number of ranks
 */
template <typename Value>
void
CheckByRank(const std::string& name,
            const std::map<uint32_t, Value>& values,
            uint64_t high,
            uint32_t ranks)
{
    for (const auto& [rank, value] : values)
    {
        HPCC_REFUSE_IF(rank >= ranks,
                       name + ": rank " + std::to_string(rank) +
                           " does not exist; the job has ranks 0 to " + std::to_string(ranks - 1));
        RequireRange(name + " of rank " + std::to_string(rank), value, 0, high);
    }
}

} // namespace

void
HpccJobSettings::Check(uint32_t ranks) const
{
    const std::string prefix = "ns3::HpccJobSettings::";
    RequireRange(prefix + "startNs", startNs, 0, HpccJobGraph::MAX_NS);
    RequireRange(prefix + "computeScale", computeScale, 0, MAX_FACTOR);
    RequireRange(prefix + "sendDelayNs", sendDelayNs, 0, HpccJobGraph::MAX_NS);
    RequireRange(prefix + "receiveDelayNs", receiveDelayNs, 0, HpccJobGraph::MAX_NS);
    RequireRange(prefix + "jitter", jitter, 0, MAX_JITTER);
    CheckByRank(prefix + "slow", slow, MAX_FACTOR, ranks);
    CheckByRank(prefix + "late", late, HpccJobGraph::MAX_NS, ranks);
}

/// The state of a rank.
struct HpccJobRun::Rank
{
    /// A scheduled action.
    struct Due
    {
        uint32_t operation; ///< the operation
        What what;          ///< the action
    };

    /// The computations of a stream.
    struct Stream
    {
        bool busy{false};             ///< true while a computation runs
        std::deque<uint32_t> waiting; ///< computations that wait
    };

    std::deque<uint32_t> ready;                    ///< operations whose dependencies are met
    HpccTimedQueue<Due> due;                       ///< scheduled actions
    HpccMessageMatcher<int64_t, uint32_t> matcher; ///< matches messages and receives
    std::map<uint8_t, Stream> streams;             ///< computations, by stream
    Ptr<ExponentialRandomVariable> jitter;         ///< null without jitter
};

HpccJobRun::HpccJobRun(const HpccJobGraph& graph,
                       HpccJobTransport& transport,
                       const HpccJobSettings& settings)
    : m_graph(graph),
      m_transport(transport),
      m_settings(settings),
      m_ranks(graph.GetRanks()),
      m_open(graph.GetOpen()),
      m_times(graph.GetOperations().size())
{
    HPCC_REFUSE_IF(!graph.IsFinished(),
                   "ns3::HpccJobRun: the job is not complete; call HpccJobGraph::Finish() first");
    settings.Check(graph.GetRanks());
    transport.SetClient(*this);
    for (uint32_t rank = 0; rank < graph.GetRanks() && settings.jitter > 0; ++rank)
    {
        m_ranks[rank].jitter = CreateObject<ExponentialRandomVariable>();
        m_ranks[rank].jitter->SetAttribute("Mean", DoubleValue(settings.jitter));
        m_ranks[rank].jitter->SetStream(settings.stream + rank);
    }
}

HpccJobRun::~HpccJobRun() = default;

void
HpccJobRun::Start()
{
    HPCC_REFUSE_IF(m_started, "ns3::HpccJobRun::Start: started already; start it only once");
    m_started = true;
    const auto& operations = m_graph.GetOperations();
    for (uint32_t i = 0; i < operations.size(); ++i)
    {
        if (m_transport.IsHere(operations[i].rank))
        {
            if (operations[i].kind == HpccJobGraph::Kind::SEND)
            {
                m_transport.CheckPair(operations[i].rank, operations[i].peer, operations[i].tag);
            }
            ++m_unfinished;
            if (m_open[i] == 0)
            {
                m_ranks[operations[i].rank].ready.push_back(i);
            }
        }
    }
    for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
    {
        const auto late = m_settings.late.find(rank);
        if (m_transport.IsHere(rank))
        {
            ScheduleAction(rank,
                           m_settings.startNs + (late == m_settings.late.end() ? 0 : late->second),
                           0,
                           What::START);
        }
    }
}

void
HpccJobRun::ScheduleAction(uint32_t rank, int64_t atNs, uint32_t operation, What what)
{
    m_ranks[rank].due.Push(atNs, {operation, what});
    ++m_busy;
    m_transport.WakeAt(rank, atNs);
}

void
HpccJobRun::Wake(uint32_t rank, int64_t nowNs)
{
    Rank& state = m_ranks[rank];
    while (const auto entry = state.due.PopDue(nowNs))
    {
        const Rank::Due& due = entry->event;
        --m_busy;
        if (due.what == What::FINISH)
        {
            Finish(due.operation, nowNs);
        }
        else if (due.what == What::POST)
        {
            Post(due.operation);
        }
        Advance(state, nowNs);
    }
}

void
HpccJobRun::Delivered(const HpccJobTransport::Message& message, int64_t nowNs)
{
    Rank& state = m_ranks[message.destination];
    if (const auto receive = state.matcher.Arrive(message.source, message.tag, nowNs))
    {
        Receive(*receive, nowNs);
        Advance(state, nowNs);
    }
}

void
HpccJobRun::Sent(uint32_t source, uint64_t id, int64_t nowNs)
{
    --m_busy;
    Finish(static_cast<uint32_t>(id), nowNs);
    Advance(m_ranks[source], nowNs);
}

void
HpccJobRun::Advance(Rank& rank, int64_t nowNs)
{
    while (!rank.ready.empty())
    {
        const uint32_t operation = rank.ready.front();
        rank.ready.pop_front();
        Begin(operation, nowNs);
    }
}

void
HpccJobRun::Begin(uint32_t operation, int64_t nowNs)
{
    const HpccJobGraph::Operation& o = m_graph.GetOperations()[operation];
    Rank& rank = m_ranks[o.rank];
    if (o.kind == HpccJobGraph::Kind::COMPUTE)
    {
        Rank::Stream& stream = rank.streams[o.stream];
        if (stream.busy)
        {
            stream.waiting.push_back(operation);
            return;
        }
        stream.busy = true;
        RunComputation(operation, nowNs);
        return;
    }
    m_times[operation].beginNs = nowNs;
    Release(operation, true);
    if (o.kind == HpccJobGraph::Kind::RECEIVE)
    {
        if (rank.matcher.Post(o.peer, o.tag, operation))
        {
            Receive(operation, nowNs);
        }
    }
    else if (m_settings.sendDelayNs > 0 && o.peer != o.rank)
    {
        ScheduleAction(o.rank, nowNs + m_settings.sendDelayNs, operation, What::POST);
    }
    else
    {
        Post(operation);
    }
}

void
HpccJobRun::RunComputation(uint32_t operation, int64_t nowNs)
{
    const HpccJobGraph::Operation& o = m_graph.GetOperations()[operation];
    const auto slow = m_settings.slow.find(o.rank);
    double ns = static_cast<double>(o.amount) * m_settings.computeScale *
                (slow == m_settings.slow.end() ? 1 : slow->second);
    if (m_ranks[o.rank].jitter)
    {
        ns *= 1 + m_ranks[o.rank].jitter->GetValue();
    }
    m_times[operation].beginNs = nowNs;
    Release(operation, true);
    const auto wholeNs =
        std::llround(std::min(ns, static_cast<double>(HpccJobGraph::MAX_NS) * 1000));
    if (wholeNs == 0)
    {
        Finish(operation, nowNs);
        return;
    }
    ScheduleAction(o.rank, nowNs + wholeNs, operation, What::FINISH);
}

void
HpccJobRun::Post(uint32_t operation)
{
    const HpccJobGraph::Operation& o = m_graph.GetOperations()[operation];
    ++m_busy;
    m_transport.Send({o.rank, o.peer, o.tag, o.amount, operation});
}

void
HpccJobRun::Receive(uint32_t operation, int64_t nowNs)
{
    const HpccJobGraph::Operation& o = m_graph.GetOperations()[operation];
    if (m_settings.receiveDelayNs > 0 && o.peer != o.rank)
    {
        ScheduleAction(o.rank, nowNs + m_settings.receiveDelayNs, operation, What::FINISH);
        return;
    }
    Finish(operation, nowNs);
}

void
HpccJobRun::Finish(uint32_t operation, int64_t nowNs)
{
    const HpccJobGraph::Operation& o = m_graph.GetOperations()[operation];
    m_times[operation].endNs = nowNs;
    --m_unfinished;
    Release(operation, false);
    if (o.kind != HpccJobGraph::Kind::COMPUTE)
    {
        return;
    }
    Rank::Stream& stream = m_ranks[o.rank].streams[o.stream];
    stream.busy = false;
    if (!stream.waiting.empty())
    {
        // The waiting computation was ready first, so it runs before other ready computations of
        // its stream.
        m_ranks[o.rank].ready.push_front(stream.waiting.front());
        stream.waiting.pop_front();
    }
}

void
HpccJobRun::Release(uint32_t operation, bool start)
{
    auto& ready = m_ranks[m_graph.GetOperations()[operation].rank].ready;
    m_graph.ForDependants(operation, [&](const HpccJobGraph::Dependant& dependant) {
        if (dependant.start == start && --m_open[dependant.operation] == 0)
        {
            ready.push_back(dependant.operation);
        }
    });
}

std::vector<std::string>
HpccJobRun::DescribeWaiting(const HpccJobGraph& graph, const std::vector<Times>& times)
{
    std::vector<uint32_t> first(graph.GetRanks(), HpccJobGraph::NONE);
    for (uint32_t i = 0; i < times.size(); ++i)
    {
        const uint32_t rank = graph.GetOperations()[i].rank;
        // If one operation has begun and another waits for it, describe the one that has begun,
        // because it is the cause.
        const bool better = first[rank] == HpccJobGraph::NONE ||
                            (times[first[rank]].beginNs < 0 && times[i].beginNs >= 0);
        if (times[i].endNs < 0 && better)
        {
            first[rank] = i;
        }
    }
    std::vector<std::string> lines;
    for (uint32_t operation : first)
    {
        if (operation != HpccJobGraph::NONE)
        {
            const int64_t sinceNs = times[operation].beginNs;
            lines.push_back(graph.Describe(operation) +
                            (sinceNs < 0 ? " has not begun"
                                         : ", waits since " + std::to_string(sinceNs) + " ns"));
        }
    }
    return lines;
}

} // namespace ns3
