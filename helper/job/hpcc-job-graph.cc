/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-job-graph.h"

#include "ns3/hpcc-input-error.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace ns3
{

HpccJobGraph::HpccJobGraph(uint32_t ranks, std::string name)
    : m_ranks(ranks),
      m_name(std::move(name))
{
    HPCC_REFUSE_IF(ranks == 0, m_name + ": a job has at least 1 rank");
}

uint32_t
HpccJobGraph::Add(Operation operation)
{
    operation.collective = m_current;
    m_operations.push_back(operation);
    m_open.push_back(0);
    return static_cast<uint32_t>(m_operations.size() - 1);
}

uint32_t
HpccJobGraph::Send(uint32_t rank, uint32_t peer, uint64_t bytes, uint32_t tag)
{
    return Add({bytes, rank, peer, tag, NONE, 0, Kind::SEND, 0, 0});
}

uint32_t
HpccJobGraph::Receive(uint32_t rank, uint32_t peer, uint64_t bytes, uint32_t tag)
{
    return Add({bytes, rank, peer, tag, NONE, 0, Kind::RECEIVE, 0, 0});
}

uint32_t
HpccJobGraph::Compute(uint32_t rank, uint64_t ns, uint8_t stream)
{
    return Add({ns, rank, rank, 0, NONE, 0, Kind::COMPUTE, stream, 0});
}

void
HpccJobGraph::After(uint32_t operation, uint32_t before, bool start)
{
    Require("After", std::max(operation, before));
    m_edges.push_back({before, {operation, start}});
    ++m_open[operation];
}

void
HpccJobGraph::Begin(const Collective& collective)
{
    m_current = static_cast<uint32_t>(m_collectives.size());
    m_collectives.push_back(collective);
}

void
HpccJobGraph::Finish()
{
    CheckValues();
    m_first.assign(m_operations.size() + 1, 0);
    for (const Edge& edge : m_edges)
    {
        ++m_first[edge.before + 1];
    }
    std::partial_sum(m_first.begin(), m_first.end(), m_first.begin());
    m_dependants.resize(m_edges.size());
    std::vector<uint32_t> next = m_first;
    for (const Edge& edge : m_edges)
    {
        m_dependants[next[edge.before]++] = edge.dependant;
    }
    std::vector<Edge>().swap(m_edges);
    CheckCycle();
    CheckMessages();
}

std::string
HpccJobGraph::Describe(uint32_t operation) const
{
    Require("Describe", operation);
    const Operation& o = m_operations[operation];
    const auto number = [](const char* what, uint32_t value) {
        return value == ANY ? std::string("any ") + what
                            : std::string(what) + " " + std::to_string(value);
    };
    std::string text = "rank " + std::to_string(o.rank) + ": ";
    if (o.kind == Kind::COMPUTE)
    {
        text += "computation of " + std::to_string(o.amount) + " ns";
    }
    else
    {
        const bool send = o.kind == Kind::SEND;
        text += (send ? "send of " : "receive of ") + std::to_string(o.amount) + " bytes " +
                (send ? "to " : "from ") + number("rank", o.peer) + ", " + number("tag", o.tag);
    }
    if (o.collective != NONE)
    {
        const Collective& collective = m_collectives[o.collective];
        text += ", " + collective.name + " " + std::to_string(o.collective);
    }
    if (o.line > 0)
    {
        text += " (" + m_name + ":" + std::to_string(o.line) + ")";
    }
    return text;
}

void
HpccJobGraph::Require(const std::string& function, uint32_t operation) const
{
    HPCC_REFUSE_IF(operation >= m_operations.size(),
                   m_name + ": HpccJobGraph::" + function + ": operation " +
                       std::to_string(operation) + " does not exist; the job has " +
                       std::to_string(m_operations.size()) + " operations, from 0 on");
}

void
HpccJobGraph::Refuse(uint32_t operation, const std::string& why) const
{
    const uint32_t line = m_operations[operation].line;
    throw HpccInputError(m_name + (line > 0 ? ":" + std::to_string(line) : "") + ": " + why);
}

void
HpccJobGraph::CheckValues() const
{
    for (uint32_t i = 0; i < m_operations.size(); ++i)
    {
        const Operation& o = m_operations[i];
        const bool any = o.kind == Kind::RECEIVE && o.peer == ANY;
        const std::string ranks = "the job has ranks 0 to " + std::to_string(m_ranks - 1);
        if (o.rank >= m_ranks)
        {
            Refuse(i, "rank " + std::to_string(o.rank) + " does not exist; " + ranks);
        }
        if (o.peer >= m_ranks && !any)
        {
            Refuse(i, "rank " + std::to_string(o.peer) + " does not exist; " + ranks);
        }
        if (o.kind == Kind::COMPUTE && o.amount > MAX_NS)
        {
            Refuse(i,
                   "a computation of " + std::to_string(o.amount) + " ns is outside 0 to " +
                       std::to_string(MAX_NS) + " ns");
        }
        if (o.kind != Kind::COMPUTE && (o.amount < 1 || o.amount > MAX_BYTES))
        {
            Refuse(i,
                   "a message of " + std::to_string(o.amount) + " bytes is outside 1 to " +
                       std::to_string(MAX_BYTES));
        }
    }
    for (const Edge& edge : m_edges)
    {
        if (m_operations[edge.before].rank != m_operations[edge.dependant.operation].rank)
        {
            Refuse(edge.dependant.operation, "waits for an operation of another rank");
        }
    }
}

void
HpccJobGraph::CheckCycle() const
{
    std::vector<uint32_t> open = m_open;
    std::vector<uint32_t> ready;
    for (uint32_t i = 0; i < open.size(); ++i)
    {
        if (open[i] == 0)
        {
            ready.push_back(i);
        }
    }
    size_t done = 0;
    while (done < ready.size())
    {
        ForDependants(ready[done++], [&](const Dependant& dependant) {
            if (--open[dependant.operation] == 0)
            {
                ready.push_back(dependant.operation);
            }
        });
    }
    if (done == open.size())
    {
        return;
    }
    // Each remaining operation is on a cycle, or depends on an operation that is. Walk backwards
    // until an operation occurs again.
    std::vector<uint32_t> before(open.size(), NONE);
    for (uint32_t i = 0; i < open.size(); ++i)
    {
        ForDependants(i, [&](const Dependant& dependant) {
            if (open[i] > 0)
            {
                before[dependant.operation] = i;
            }
        });
    }
    std::vector<bool> seen(open.size(), false);
    auto at = static_cast<uint32_t>(
        std::find_if(open.begin(), open.end(), [](uint32_t left) { return left > 0; }) -
        open.begin());
    for (; !seen[at]; at = before[at])
    {
        seen[at] = true;
    }
    Refuse(at, "a cycle: " + Describe(at) + " waits for itself");
}

void
HpccJobGraph::CheckMessages() const
{
    /// The number of messages of a key.
    struct Count
    {
        uint64_t sends{0};          ///< number of sends
        uint64_t receives{0};       ///< number of receives posted for this key
        uint32_t lastSend{NONE};    ///< one of the sends
        uint32_t lastReceive{NONE}; ///< one of the receives
    };

    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Count> keys; // destination, source, tag
    std::vector<uint64_t> wildcards(m_ranks, 0);
    std::vector<uint32_t> lastWildcard(m_ranks, NONE);
    for (uint32_t i = 0; i < m_operations.size(); ++i)
    {
        const Operation& o = m_operations[i];
        if (o.kind == Kind::SEND)
        {
            Count& count = keys[{o.peer, o.rank, o.tag}];
            ++count.sends;
            count.lastSend = i;
        }
        else if (o.kind == Kind::RECEIVE && (o.peer == ANY || o.tag == ANY))
        {
            ++wildcards[o.rank];
            lastWildcard[o.rank] = i;
        }
        else if (o.kind == Kind::RECEIVE)
        {
            Count& count = keys[{o.rank, o.peer, o.tag}];
            ++count.receives;
            count.lastReceive = i;
        }
    }
    std::vector<uint64_t> left(m_ranks, 0);
    std::vector<uint32_t> lastSend(m_ranks, NONE);
    for (const auto& [key, count] : keys)
    {
        const uint32_t rank = std::get<0>(key);
        if (count.receives > count.sends)
        {
            Refuse(count.lastReceive,
                   Describe(count.lastReceive) +
                       " has no matching send: " + std::to_string(count.receives) + " receives, " +
                       std::to_string(count.sends) + " sends");
        }
        left[rank] += count.sends - count.receives;
        lastSend[rank] = count.sends > count.receives ? count.lastSend : lastSend[rank];
        if (left[rank] > wildcards[rank])
        {
            Refuse(lastSend[rank],
                   Describe(lastSend[rank]) +
                       " has no matching receive: " + std::to_string(count.sends) + " sends, " +
                       std::to_string(count.receives) + " receives");
        }
    }
    for (uint32_t rank = 0; rank < m_ranks; ++rank)
    {
        if (wildcards[rank] > left[rank])
        {
            Refuse(lastWildcard[rank],
                   Describe(lastWildcard[rank]) +
                       " has no matching send: " + std::to_string(wildcards[rank]) +
                       " receives from any, " + std::to_string(left[rank]) + " sends");
        }
    }
}

} // namespace ns3
