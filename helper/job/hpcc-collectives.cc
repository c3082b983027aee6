/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-collectives.h"

#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-input-error.h"

#include <algorithm>
#include <numeric>

// The part of HpccCollectives that checks plans and divides them into phases.

namespace ns3
{

namespace
{

const std::vector<std::string> OPERATIONS{"all-reduce",
                                          "reduce-scatter",
                                          "all-gather",
                                          "all-to-all",
                                          "broadcast"};
const std::vector<std::string> ALGORITHMS{"ring", "direct", "halving-doubling", "tree"};
constexpr uint32_t MAX_PARTS = 4096; ///< largest number of channels, and of chunks

/// Returns true if a list contains a value.
bool
Has(const std::vector<std::string>& list, const std::string& value)
{
    return std::find(list.begin(), list.end(), value) != list.end();
}

/// Returns the sizes of the dimensions.
std::vector<uint32_t>
DimensionsOf(const HpccCollectivePlan& plan, uint32_t members)
{
    return plan.dimensions.empty() ? std::vector<uint32_t>{members} : plan.dimensions;
}

/// Returns the algorithm of a dimension.
const std::string&
AlgorithmOf(const HpccCollectivePlan& plan, size_t dimension)
{
    return plan.algorithms[plan.algorithms.size() == 1 ? 0 : dimension];
}

/**
 * Returns the phases of a collective operation, each with its operation and dimension.
 * @param operation the collective operation
 * @param dimensions number of dimensions
 */
std::vector<std::pair<std::string, size_t>>
PhasesOf(const std::string& operation, size_t dimensions)
{
    std::vector<std::pair<std::string, size_t>> phases;
    const size_t last = dimensions - 1;
    for (size_t i = 0; i <= last; ++i)
    {
        const bool reduce = operation == "all-reduce";
        phases.emplace_back(reduce && i < last ? "reduce-scatter" : operation,
                            operation == "all-gather" ? last - i : i);
    }
    for (size_t i = last; i-- > 0 && operation == "all-reduce";)
    {
        phases.emplace_back("all-gather", i);
    }
    return phases;
}

} // namespace

HpccCollectives::HpccCollectives(HpccJobGraph& graph)
    : m_graph(graph)
{
}

std::vector<std::string>
HpccCollectives::GetAlgorithms(const std::string& operation)
{
    if (operation == "all-to-all")
    {
        return {"direct"};
    }
    if (operation == "broadcast")
    {
        return {"ring", "tree"};
    }
    return operation == "all-reduce"
               ? ALGORITHMS
               : std::vector<std::string>{"ring", "direct", "halving-doubling"};
}

double
HpccCollectives::GetBusFactor(const std::string& operation, uint32_t ranks)
{
    const double share = static_cast<double>(ranks - 1) / ranks;
    return operation == "broadcast" ? 1 : operation == "all-reduce" ? 2 * share : share;
}

std::string
HpccCollectives::Check(const HpccCollectivePlan& plan, uint32_t members)
{
    if (!Has(OPERATIONS, plan.operation))
    {
        return DescribeUnknown("unknown collective", plan.operation, OPERATIONS);
    }
    if (members < 2)
    {
        return plan.operation + " of " + std::to_string(members) + " ranks; at least 2";
    }
    if (plan.bytes < 1 || plan.bytes > HpccJobGraph::MAX_BYTES)
    {
        return std::to_string(plan.bytes) + " bytes are outside 1 to " +
               std::to_string(HpccJobGraph::MAX_BYTES);
    }
    for (uint32_t parts : {plan.channels, plan.chunks})
    {
        if (parts < 1 || parts > MAX_PARTS)
        {
            return std::to_string(parts) + " channels or chunks are outside 1 to " +
                   std::to_string(MAX_PARTS);
        }
    }
    const auto dimensions = DimensionsOf(plan, members);
    uint64_t product = 1;
    for (uint32_t size : dimensions)
    {
        product *= std::min(size, members + 1);
        if (size < 2 || product > members)
        {
            product = 0;
            break;
        }
    }
    if (product != members)
    {
        return "the sizes of the dimensions, each at least 2, do not multiply to " +
               std::to_string(members) + " ranks";
    }
    if (dimensions.size() > 1 && plan.operation == "broadcast")
    {
        return "broadcast has one dimension";
    }
    if (plan.window > 0 && std::find(plan.algorithms.begin(), plan.algorithms.end(), "direct") ==
                               plan.algorithms.end())
    {
        return "a window of " + std::to_string(plan.window) + "; only direct has one";
    }
    if (plan.algorithms.size() != 1 && plan.algorithms.size() != dimensions.size())
    {
        return std::to_string(plan.algorithms.size()) + " algorithms for " +
               std::to_string(dimensions.size()) +
               " dimensions; give one algorithm, or one per "
               "dimension";
    }
    for (size_t i = 0; i < dimensions.size(); ++i)
    {
        const std::string& algorithm = AlgorithmOf(plan, i);
        const bool last = i + 1 == dimensions.size();
        const auto allowed =
            GetAlgorithms(plan.operation == "all-reduce" && !last ? "all-gather" : plan.operation);
        if (!Has(allowed, algorithm))
        {
            return DescribeUnknown(plan.operation + (last ? "" : ", not in the last dimension") +
                                       ": unknown algorithm",
                                   algorithm,
                                   allowed);
        }
        if (algorithm == "halving-doubling" && (dimensions[i] & (dimensions[i] - 1)) != 0)
        {
            return "halving-doubling of " + std::to_string(dimensions[i]) +
                   " ranks; allowed is a power of two";
        }
    }
    return "";
}

uint32_t
HpccCollectives::Join(uint32_t rank, const std::vector<uint32_t>& before)
{
    const uint32_t join = m_graph.Compute(rank, 0, HpccJobGraph::JOIN_STREAM);
    const auto sends = [this](uint32_t operation) {
        return m_graph.GetOperations()[operation].kind == HpccJobGraph::Kind::SEND;
    };
    const bool only = std::all_of(before.begin(), before.end(), sends);
    for (uint32_t operation : before)
    {
        m_graph.After(join, operation, !only && sends(operation));
    }
    return join;
}

std::vector<uint32_t>
HpccCollectives::Add(const HpccCollectivePlan& plan,
                     const std::vector<uint32_t>& members,
                     const std::vector<std::vector<uint32_t>>& after)
{
    const auto count = static_cast<uint32_t>(members.size());
    const std::string why = Check(plan, count);
    HPCC_REFUSE_IF(!why.empty(), m_graph.GetName() + ": " + why);
    std::string names = plan.algorithms.front();
    for (size_t i = 1; i < plan.algorithms.size(); ++i)
    {
        names += "+" + plan.algorithms[i];
    }
    m_graph.Begin({plan.operation, names, count, plan.bytes, GetBusFactor(plan.operation, count)});
    Ends starts(m_graph.GetRanks());
    for (uint32_t i = 0; i < count; ++i)
    {
        starts[members[i]] = {
            Join(members[i], i < after.size() ? after[i] : std::vector<uint32_t>{})};
    }

    Ends ends = starts;
    for (uint32_t channel = 0; channel < plan.channels; ++channel)
    {
        Ends channelEnds = starts;
        AddChannel(plan, members, channel, channelEnds);
        for (uint32_t rank : members)
        {
            if (channel == 0)
            {
                ends[rank].clear();
            }
            ends[rank].insert(ends[rank].end(), channelEnds[rank].begin(), channelEnds[rank].end());
        }
    }
    std::vector<uint32_t> done;
    for (uint32_t rank : members)
    {
        done.push_back(Join(rank, ends[rank]));
    }
    m_graph.End();
    return done;
}

void
HpccCollectives::AddChannel(const HpccCollectivePlan& plan,
                            const std::vector<uint32_t>& members,
                            uint32_t channel,
                            Ends& ends)
{
    const auto count = static_cast<uint32_t>(members.size());
    const auto dimensions = DimensionsOf(plan, count);
    for (const auto& [operation, dimension] : PhasesOf(plan.operation, dimensions.size()))
    {
        uint32_t stride = 1;
        for (size_t i = 0; i < dimension; ++i)
        {
            stride *= dimensions[i];
        }
        // The phases of earlier dimensions have divided the data, except in an all-to-all.
        const uint64_t parts =
            uint64_t{plan.channels} * (plan.operation == "all-to-all" ? 1 : stride);
        for (uint32_t first = 0; first < count; ++first)
        {
            if (first / stride % dimensions[dimension] != 0)
            {
                continue;
            }
            Phase phase{operation,
                        AlgorithmOf(plan, dimension),
                        {},
                        (plan.bytes + parts - 1) / parts,
                        plan.chunks,
                        plan.window,
                        plan.tag + channel,
                        plan.tag + plan.channels + channel};
            for (uint32_t i = 0; i < dimensions[dimension]; ++i)
            {
                phase.members.push_back(members[first + i * stride]);
            }
            AddPhase(phase, ends);
        }
    }
}

void
HpccCollectives::AddPhase(const Phase& phase, Ends& ends)
{
    const auto ranks = static_cast<uint32_t>(phase.members.size());
    const bool reduces = phase.operation == "all-reduce";
    if (phase.operation == "broadcast")
    {
        phase.algorithm == "ring" ? Chain(phase, ends) : BinomialTree(phase, ends);
    }
    else if (phase.algorithm == "ring")
    {
        Ring(phase, (ranks - 1) * (reduces ? 2 : 1), ends);
    }
    else if (phase.algorithm == "tree")
    {
        DoubleTree(phase, ends);
    }
    else if (phase.algorithm == "halving-doubling")
    {
        HalvingDoubling(phase,
                        phase.operation != "all-gather",
                        phase.operation != "reduce-scatter",
                        ends);
    }
    else
    {
        Direct(phase, ends);
        if (reduces)
        {
            Direct(phase, ends);
        }
    }
}

} // namespace ns3
