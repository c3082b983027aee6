/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-training-job.h"

#include "hpcc-collectives.h"

#include "ns3/hpcc-input-error.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

constexpr uint64_t MAX_RANKS = 65536;             ///< largest number of ranks
constexpr uint64_t MAX_STEPS = uint64_t{1} << 26; ///< approximate limit of the number of messages

/// Refuses sizes out of range.
void
Check(const HpccTrainingPlan& plan, const std::string& name)
{
    for (const auto& [what, size] : {std::pair("tensor-parallel ranks", plan.tensor),
                                     std::pair("pipeline stages", plan.pipeline),
                                     std::pair("data-parallel copies", plan.data),
                                     std::pair("layers", plan.layers),
                                     std::pair("microbatches", plan.microbatches),
                                     std::pair("iterations", plan.iterations)})
    {
        HPCC_REFUSE_IF(size < 1 || size > MAX_RANKS,
                       name + ": " + std::to_string(size) + " " + what + " are outside 1 to " +
                           std::to_string(MAX_RANKS));
    }
    const uint64_t ranks = uint64_t{plan.tensor} * plan.pipeline;
    HPCC_REFUSE_IF(ranks > MAX_RANKS || ranks * plan.data > MAX_RANKS,
                   name + ": more than " + std::to_string(MAX_RANKS) + " ranks");
    const double steps = 4.0 * plan.iterations * plan.microbatches * plan.layers * plan.tensor *
                         static_cast<double>(ranks * plan.data);
    HPCC_REFUSE_IF(steps > static_cast<double>(MAX_STEPS),
                   name + ": it would have more than " + std::to_string(MAX_STEPS) + " messages");
    const bool talks = plan.tensor > 1 || plan.pipeline > 1;
    for (const auto& [what, bytes, used, unusedIf] :
         {std::tuple("activation", plan.activationBytes, talks, "TP and PP are 1"),
          std::tuple("gradient", plan.gradientBytes, plan.data > 1, "DP is 1")})
    {
        HPCC_REFUSE_IF(!used && bytes > 0,
                       name + ": " + what + "=" + std::to_string(bytes) +
                           " has no effect: " + unusedIf);
        const uint64_t least{used};
        HPCC_REFUSE_IF(bytes < least || bytes > HpccJobGraph::MAX_BYTES,
                       name + ": " + what + ": " + std::to_string(bytes) + " bytes are outside " +
                           std::to_string(least) + " to " +
                           std::to_string(HpccJobGraph::MAX_BYTES));
    }
}

/// Adds the operations of a job to its graph.
class Maker
{
  public:
    Maker(const HpccTrainingPlan& plan, HpccJobGraph& graph)
        : m_plan(plan),
          m_graph(graph),
          m_collectives(graph),
          m_before(graph.GetRanks()),
          m_gradients(plan.layers, std::vector<uint32_t>(graph.GetRanks()))
    {
    }

    void Iterate()
    {
        for (uint32_t copy = 0; copy < m_plan.data; ++copy)
        {
            for (uint32_t stage = 0; stage < m_plan.pipeline; ++stage)
            {
                RunStage(copy, stage);
            }
        }
        AddUpGradients();
    }

  private:
    using Ranks = std::vector<uint32_t>;

    /// Returns the ranks of a stage.
    Ranks RanksOf(uint32_t copy, uint32_t stage) const
    {
        Ranks ranks(m_plan.tensor);
        std::iota(ranks.begin(), ranks.end(), (copy * m_plan.pipeline + stage) * m_plan.tensor);
        return ranks;
    }

    void RunStage(uint32_t copy, uint32_t stage)
    {
        const Ranks ranks = RanksOf(copy, stage);
        const uint32_t ahead = std::min(m_plan.microbatches, m_plan.pipeline - 1 - stage);
        for (uint32_t i = 0; i < m_plan.microbatches + ahead; ++i)
        {
            if (i < m_plan.microbatches)
            {
                Forward(ranks, stage);
            }
            if (i >= ahead)
            {
                Backward(ranks, stage, i + 1 == m_plan.microbatches + ahead);
            }
        }
    }

    /// Makes an operation wait for the last operations of its rank. From then on, it is itself the
    /// only last operation of the rank.
    uint32_t Chain(uint32_t rank, uint32_t operation)
    {
        for (uint32_t before : m_before[rank])
        {
            m_graph.After(operation, before);
        }
        m_before[rank] = {operation};
        return operation;
    }

    void Forward(const Ranks& ranks, uint32_t stage)
    {
        if (stage > 0)
        {
            ReceiveFrom(ranks, -static_cast<int64_t>(m_plan.tensor));
        }
        for (uint32_t layer = 0; layer < m_plan.layers; ++layer)
        {
            ComputeLayer(ranks, m_plan.forwardNs);
        }
        if (stage + 1 < m_plan.pipeline)
        {
            SendTo(ranks, m_plan.tensor);
        }
    }

    void Backward(const Ranks& ranks, uint32_t stage, bool last)
    {
        if (stage + 1 < m_plan.pipeline)
        {
            ReceiveFrom(ranks, m_plan.tensor);
        }
        for (uint32_t layer = m_plan.layers; layer-- > 0;)
        {
            const auto computations = ComputeLayer(ranks, 2 * m_plan.forwardNs);
            for (uint32_t part = 0; last && part < ranks.size(); ++part)
            {
                m_gradients[layer][ranks[part]] = computations[part];
            }
        }
        if (stage > 0)
        {
            SendTo(ranks, -static_cast<int64_t>(m_plan.tensor));
        }
    }

    /// Adds a layer's computation and all-reduce.
    /// @return the computations
    std::vector<uint32_t> ComputeLayer(const Ranks& ranks, uint64_t ns)
    {
        std::vector<uint32_t> computations;
        std::vector<std::vector<uint32_t>> after;
        for (uint32_t rank : ranks)
        {
            computations.push_back(Chain(rank, m_graph.Compute(rank, ns)));
            after.push_back(m_before[rank]);
        }
        if (ranks.size() > 1)
        {
            const auto done = AllReduce(m_plan.activationBytes, ranks, after);
            for (size_t part = 0; part < ranks.size(); ++part)
            {
                m_before[ranks[part]] = {done[part]};
            }
        }
        return computations;
    }

    std::vector<uint32_t> AllReduce(uint64_t bytes,
                                    const Ranks& ranks,
                                    const std::vector<std::vector<uint32_t>>& after)
    {
        HpccCollectivePlan plan;
        plan.bytes = bytes;
        return m_collectives.Add(plan, ranks, after);
    }

    uint64_t ShareBytes() const
    {
        return (m_plan.activationBytes + m_plan.tensor - 1) / m_plan.tensor;
    }

    void ReceiveFrom(const Ranks& ranks, int64_t distance)
    {
        for (uint32_t rank : ranks)
        {
            Chain(rank,
                  m_graph.Receive(rank, static_cast<uint32_t>(rank + distance), ShareBytes(), 0));
        }
    }

    /// Adds sends, which run in parallel with later operations.
    void SendTo(const Ranks& ranks, int64_t distance)
    {
        for (uint32_t rank : ranks)
        {
            const uint32_t send =
                m_graph.Send(rank, static_cast<uint32_t>(rank + distance), ShareBytes(), 0);
            for (uint32_t before : m_before[rank])
            {
                m_graph.After(send, before);
            }
        }
    }

    /// Adds an all-reduce of the gradients of each layer, the last layer first.
    void AddUpGradients()
    {
        const uint32_t stride = m_plan.tensor * m_plan.pipeline;
        for (uint32_t first = 0; first < stride && m_plan.data > 1; ++first)
        {
            Ranks ranks(m_plan.data);
            for (uint32_t copy = 0; copy < m_plan.data; ++copy)
            {
                ranks[copy] = first + copy * stride;
            }
            std::vector<uint32_t> done;
            for (uint32_t layer = m_plan.layers; layer-- > 0;)
            {
                std::vector<std::vector<uint32_t>> after;
                for (uint32_t copy = 0; copy < m_plan.data; ++copy)
                {
                    after.push_back({m_gradients[layer][ranks[copy]]});
                    if (!done.empty())
                    {
                        after.back().push_back(done[copy]);
                    }
                }
                done = AllReduce(m_plan.gradientBytes, ranks, after);
            }
            for (uint32_t copy = 0; copy < m_plan.data; ++copy)
            {
                m_before[ranks[copy]].push_back(done[copy]);
            }
        }
    }

    const HpccTrainingPlan& m_plan;
    HpccJobGraph& m_graph;
    HpccCollectives m_collectives;
    std::vector<std::vector<uint32_t>> m_before;    ///< by rank: operations for which its next
                                                    ///< operation waits
    std::vector<std::vector<uint32_t>> m_gradients; ///< last computation that contributes to the
                                                    ///< gradients, by layer and rank
};

} // namespace

HpccJobGraph
MakeTrainingJob(const HpccTrainingPlan& plan, const std::string& name)
{
    Check(plan, name);
    HpccJobGraph graph(plan.tensor * plan.pipeline * plan.data, name);
    Maker maker(plan, graph);
    for (uint32_t i = 0; i < plan.iterations; ++i)
    {
        maker.Iterate();
    }
    graph.Finish();
    return graph;
}

} // namespace ns3
