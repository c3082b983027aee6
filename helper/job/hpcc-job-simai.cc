/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-job-simai.h"

#include "hpcc-collectives.h"

#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-word-reader.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <vector>

namespace ns3
{

namespace
{

constexpr uint64_t MAX_RANKS = 1 << 20;        ///< largest number of ranks in a file
constexpr uint64_t MAX_LAYERS = 1 << 24;       ///< largest number of layers in a file
constexpr uint64_t LEAST_FORWARD_BYTES = 4096; ///< SimAI's minimum size of forward collectives
constexpr uint64_t AFTER_FORWARD_NS = 1;       ///< SimAI's delay after a forward collective

/// A collective of a layer.
struct Step
{
    uint64_t computeNs{0}; ///< computation before the collective, ns
    std::string operation; ///< kind of the collective, such as all-reduce; empty: no collective
    std::string group;     ///< "", EP or DP_EP
    uint64_t bytes{0};     ///< bytes per rank
};

/// A layer of the model.
struct Layer
{
    Step forward;         ///< forward pass
    Step inputGradient;   ///< backward pass: gradients of the inputs
    Step weightGradient;  ///< backward pass: gradients of the weights
    uint64_t updateNs{0}; ///< time of the update, ns
    size_t recomputes;    ///< number of preceding layers that run forward again before the backward
                          ///< pass of this layer
};

/// Sizes of the groups.
struct Sizes
{
    uint64_t all{0}; ///< number of ranks
    uint64_t tp{1};  ///< tensor parallel
    uint64_t ep{1};  ///< expert parallel
    uint64_t pp{1};  ///< pipeline parallel
};

/// Reads the text.
class SimAiReader
{
  public:
    SimAiReader(std::istream& in, const std::string& name, uint32_t ranks)
        : m_in(in),
          m_name(name),
          m_ranks(ranks)
    {
    }

    void Read()
    {
        NextLine("the header");
        ReadHeader();
        const uint32_t headerLine = m_line;
        NextLine("the number of layers");
        if (m_words.size() != 1)
        {
            Refuse("the number of layers is expected alone on its line");
        }
        const uint64_t count = Number(m_words[0], 1, MAX_LAYERS, "number of layers");
        for (uint64_t i = 0; i < count; ++i)
        {
            NextLine("layer " + std::to_string(i + 1) + " of " + std::to_string(count));
            ReadLayer();
        }
        std::string text;
        while (std::getline(m_in, text))
        {
            ++m_line;
            if (text.find_first_not_of(" \t\r") != std::string::npos)
            {
                Refuse("text after the last of " + std::to_string(count) + " layers");
            }
        }
        m_line = headerLine;
        SetCheckpoints();
    }

    Sizes sizes;               ///< sizes of the groups
    std::vector<Layer> layers; ///< layers in order

  private:
    [[noreturn]] void Refuse(const std::string& why) const
    {
        throw HpccInputError(HpccWordReader::At(m_name, m_line) + why);
    }

    void NextLine(const std::string& what)
    {
        std::string text;
        m_words.clear();
        while (m_words.empty())
        {
            ++m_line;
            if (!std::getline(m_in, text))
            {
                Refuse("the file ends where " + what + " is expected");
            }
            std::istringstream words(text);
            for (std::string word; words >> word;)
            {
                m_words.push_back(word);
            }
        }
    }

    uint64_t Number(const std::string& word,
                    uint64_t least,
                    uint64_t most,
                    const std::string& what) const
    {
        return ReadNumber(what, word, least, most, HpccWordReader::At(m_name, m_line));
    }

    void ReadHeader()
    {
        const std::vector<std::string> policies{"HYBRID_TRANSFORMER",
                                                "HYBRID_TRANSFORMER_FWD_IN_BCKWD"};
        if (std::find(policies.begin(), policies.end(), m_words[0]) == policies.end())
        {
            Refuse(DescribeUnknown("unknown policy", m_words[0], policies));
        }
        std::map<std::string, uint64_t> values;
        for (size_t i = 1; i < m_words.size(); i += 2)
        {
            std::string key = m_words[i];
            key.erase(std::remove(key.begin(), key.end(), ':'), key.end());
            const std::vector<std::string> keys{"model_parallel_NPU_group",
                                                "ep",
                                                "pp",
                                                "vpp",
                                                "ga",
                                                "all_gpus",
                                                "checkpoints",
                                                "checkpoint_initiates",
                                                "pp_comm"};
            if (std::find(keys.begin(), keys.end(), key) == keys.end())
            {
                Refuse(DescribeUnknown("unknown key", key, keys));
            }
            if (values.count(key) > 0)
            {
                Refuse(key + " is given twice");
            }
            const std::string word = WordAt(i + 1);
            if (key == "pp_comm")
            {
                // The value has no effect, because pipeline parallelism sends no messages, as in
                // SimAI. A fraction is accepted, because aicb may write one.
                values[key] = Number(word.substr(0, word.find('.')), 0, UINT64_MAX / 2, key);
            }
            else if (key == "checkpoints" || key == "checkpoint_initiates")
            {
                // The value is the number of layers; the numbers of these layers follow.
                values[key] = Number(word, 0, MAX_LAYERS, key);
                auto& list = key == "checkpoints" ? m_checkpoints : m_initiates;
                for (; list.size() < values[key]; ++i)
                {
                    list.push_back(Number(WordAt(i + 2), 0, MAX_LAYERS, key));
                }
            }
            else
            {
                values[key] = Number(word, 1, MAX_RANKS, key);
            }
        }
        if (m_words[0] == "HYBRID_TRANSFORMER" && !(m_checkpoints.empty() && m_initiates.empty()))
        {
            Refuse("checkpoints need the policy HYBRID_TRANSFORMER_FWD_IN_BCKWD");
        }
        if (values.count("model_parallel_NPU_group") == 0)
        {
            Refuse("model_parallel_NPU_group is missing");
        }
        SetSizes(values);
    }

    void SetSizes(std::map<std::string, uint64_t>& values)
    {
        if (values.count("all_gpus") == 0 && m_ranks == 0)
        {
            Refuse("all_gpus is missing; older files lack it: give ranks=N with the file");
        }
        if (values.count("all_gpus") > 0 && m_ranks > 0 && m_ranks != values["all_gpus"])
        {
            Refuse("all_gpus is " + std::to_string(values["all_gpus"]) +
                   ", but ranks=" + std::to_string(m_ranks) + " is given");
        }
        sizes.all = m_ranks > 0 ? m_ranks : values["all_gpus"];
        sizes.tp = values["model_parallel_NPU_group"];
        sizes.ep = std::max<uint64_t>(values["ep"], 1);
        sizes.pp = std::max<uint64_t>(values["pp"], 1);
        const uint64_t block = sizes.tp * sizes.pp;
        if (sizes.all % block != 0 || sizes.all / block % sizes.ep != 0)
        {
            Refuse("all_gpus " + std::to_string(sizes.all) + " is no multiple of the groups: TP " +
                   std::to_string(sizes.tp) + ", EP " + std::to_string(sizes.ep) + ", PP " +
                   std::to_string(sizes.pp));
        }
    }

    /// Returns a word of the line; empty if the line has fewer words.
    std::string WordAt(size_t i) const
    {
        return i < m_words.size() ? m_words[i] : "";
    }

    /// For each layer L in checkpoint_initiates, sets the number of layers that run forward again
    /// before the backward pass of L: the layers from the nearest checkpoint below L up to the
    /// layer just before L.
    void SetCheckpoints()
    {
        for (const auto* list : {&m_checkpoints, &m_initiates})
        {
            for (uint64_t layer : *list)
            {
                if (layer >= layers.size())
                {
                    Refuse("checkpoint layer " + std::to_string(layer) +
                           " does not exist; layers are 0 to " + std::to_string(layers.size() - 1));
                }
            }
        }
        std::sort(m_checkpoints.begin(), m_checkpoints.end());
        std::sort(m_initiates.begin(), m_initiates.end());
        uint64_t before = 0;
        for (uint64_t layer : m_initiates)
        {
            const auto above = std::lower_bound(m_checkpoints.begin(), m_checkpoints.end(), layer);
            if (above != m_checkpoints.end() && *above == layer)
            {
                Refuse("layer " + std::to_string(layer) +
                       " is a checkpoint and initiates a second forward pass; allowed is one");
            }
            if (above == m_checkpoints.begin() || *std::prev(above) < before)
            {
                Refuse("layer " + std::to_string(layer) +
                       " initiates a second forward pass, but no checkpoint lies between it and " +
                       (before > 0 ? "layer " + std::to_string(before) + ", which does, too"
                                   : "the first layer"));
            }
            layers[layer].recomputes = layer - *std::prev(above);
            before = layer;
        }
    }

    /// Reads computation, collective and bytes from @p column and the next two.
    Step ReadStep(size_t column) const
    {
        static const std::map<std::string, std::string> operations{
            {"ALLREDUCE", "all-reduce"},
            {"ALLTOALL", "all-to-all"},
            {"ALLGATHER", "all-gather"},
            {"REDUCESCATTER", "reduce-scatter"},
            {"BROADCAST", "broadcast"}};
        Step step;
        step.computeNs = Number(m_words[column], 0, HpccJobGraph::MAX_NS, "computation");
        step.bytes = Number(m_words[column + 2], 0, HpccJobGraph::MAX_BYTES, "bytes");
        std::string type = m_words[column + 1];
        const size_t suffix = type.find('_');
        if (suffix != std::string::npos)
        {
            step.group = type.substr(suffix + 1);
            type = type.substr(0, suffix);
        }
        const auto found = operations.find(type);
        const bool group = step.group.empty() || step.group == "EP" || step.group == "DP_EP";
        if (!group || (type != "NONE" && found == operations.end()) ||
            (type == "NONE" && suffix != std::string::npos))
        {
            Refuse(DescribeUnknown("unknown collective",
                                   m_words[column + 1],
                                   {"NONE",
                                    "ALLREDUCE",
                                    "ALLTOALL",
                                    "ALLGATHER",
                                    "REDUCESCATTER",
                                    "BROADCAST",
                                    "ALLREDUCE_EP",
                                    "ALLTOALL_EP",
                                    "ALLGATHER_EP",
                                    "REDUCESCATTER_EP",
                                    "BROADCAST_EP",
                                    "ALLREDUCE_DP_EP",
                                    "ALLTOALL_DP_EP",
                                    "ALLGATHER_DP_EP",
                                    "REDUCESCATTER_DP_EP",
                                    "BROADCAST_DP_EP"}));
        }
        if (found != operations.end())
        {
            step.operation = found->second;
            if (step.bytes == 0)
            {
                Refuse(m_words[column + 1] + " of 0 bytes; at least 1");
            }
        }
        return step;
    }

    void ReadLayer()
    {
        if (m_words.size() != 12)
        {
            Refuse("a layer has 12 columns, not " + std::to_string(m_words.size()));
        }
        if (m_words[1] != "-1")
        {
            Refuse("dependency \"" + m_words[1] + "\" is not allowed; -1 is");
        }
        Layer layer{ReadStep(2),
                    ReadStep(5),
                    ReadStep(8),
                    Number(m_words[11], 0, HpccJobGraph::MAX_NS, "update"),
                    0};
        layer.forward.bytes = std::max(layer.forward.bytes, LEAST_FORWARD_BYTES);
        layers.push_back(layer);
    }

    std::istream& m_in;
    std::string m_name;
    uint32_t m_ranks; ///< number of ranks that the caller has given; 0: use the number in the text
    uint32_t m_line{0};
    std::vector<std::string> m_words;
    std::vector<uint64_t> m_checkpoints; ///< numbers of the layers listed under checkpoints
    std::vector<uint64_t> m_initiates; ///< numbers of the layers listed under checkpoint_initiates
};

/// Makes the graph of the layers.
class SimAiMaker
{
  public:
    SimAiMaker(HpccJobGraph& graph, const Sizes& sizes, const HpccSimAiChoices& choices)
        : m_graph(graph),
          m_collectives(graph),
          m_sizes(sizes),
          m_choices(choices),
          m_last(sizes.all, HpccJobGraph::NONE)
    {
    }

    void Run(const std::vector<Layer>& layers)
    {
        std::vector<std::vector<uint32_t>> updated(layers.size()); // by rank
        for (uint32_t pass = 0; pass < m_choices.passes; ++pass)
        {
            for (size_t i = 0; i < layers.size(); ++i)
            {
                RunForward(layers[i], updated[i]);
            }
            for (size_t i = layers.size(); i-- > 0;)
            {
                for (size_t again = i - layers[i].recomputes; again < i; ++again)
                {
                    RunForward(layers[again], {});
                }
                Compute(layers[i].inputGradient.computeNs, {});
                m_last = Communicate(layers[i].inputGradient, "TP", m_last);
                Compute(layers[i].weightGradient.computeNs, {});
                updated[i] = Communicate(layers[i].weightGradient, "DP", m_last);
                for (uint32_t rank = 0; rank < m_sizes.all && layers[i].updateNs > 0; ++rank)
                {
                    // The update runs in parallel with the computations of the pass.
                    const uint32_t update = m_graph.Compute(rank, layers[i].updateNs, 1);
                    m_graph.After(update, updated[i][rank]);
                    updated[i][rank] = update;
                }
            }
        }
    }

  private:
    /// Adds a layer's computation and collective of the forward pass.
    void RunForward(const Layer& layer, const std::vector<uint32_t>& after)
    {
        Compute(layer.forward.computeNs, after);
        m_last = Communicate(layer.forward, "TP", m_last);
        if (!layer.forward.operation.empty())
        {
            Compute(AFTER_FORWARD_NS, {});
        }
    }

    /// Adds a computation at each rank.
    void Compute(uint64_t ns, const std::vector<uint32_t>& after)
    {
        for (uint32_t rank = 0; rank < m_sizes.all; ++rank)
        {
            const uint32_t operation = m_graph.Compute(rank, ns);
            if (m_last[rank] != HpccJobGraph::NONE)
            {
                m_graph.After(operation, m_last[rank]);
            }
            if (!after.empty())
            {
                m_graph.After(operation, after[rank]);
            }
            m_last[rank] = operation;
        }
    }

    /// Returns the groups of a kind.
    std::vector<std::vector<uint32_t>> GroupsOf(const std::string& kind) const
    {
        const uint64_t block = m_sizes.tp * m_sizes.pp;
        // A group has size members, whose ranks are stride apart.
        uint64_t stride = 1;
        uint64_t size = m_sizes.tp;
        if (kind == "EP")
        {
            stride = block;
            size = m_sizes.ep;
        }
        else if (kind == "DP")
        {
            stride = block;
            size = m_sizes.all / block;
        }
        else if (kind == "DP_EP")
        {
            stride = block * m_sizes.ep;
            size = m_sizes.all / stride;
        }
        std::vector<std::vector<uint32_t>> groups;
        for (uint32_t first = 0; first < m_sizes.all; ++first)
        {
            if (first / stride % size == 0)
            {
                groups.emplace_back();
                for (uint64_t i = 0; i < size; ++i)
                {
                    groups.back().push_back(static_cast<uint32_t>(first + i * stride));
                }
            }
        }
        return groups;
    }

    /// Adds a collective for each group of a kind. Returns, for each rank, the last operation of
    /// its collective.
    std::vector<uint32_t> Communicate(const Step& step,
                                      const std::string& usual,
                                      const std::vector<uint32_t>& after)
    {
        const std::string kind = step.group.empty() ? usual : step.group;
        std::vector<uint32_t> ends = after;
        HpccCollectivePlan plan;
        plan.operation = step.operation;
        plan.bytes = step.bytes;
        plan.channels = m_choices.channels;
        plan.algorithms = {step.operation == "all-to-all"   ? "direct"
                           : step.operation == "all-reduce" ? m_choices.allReduce
                           : step.operation == "broadcast"  ? m_choices.broadcast
                                                            : m_choices.scatterGather};
        static const std::vector<std::string> kinds{"TP", "DP", "EP", "DP_EP"};
        plan.tag =
            static_cast<uint32_t>(std::find(kinds.begin(), kinds.end(), kind) - kinds.begin()) *
            plan.GetTags();
        if (step.operation.empty())
        {
            return ends;
        }
        auto& earlier = m_earlier[kind];
        earlier.resize(m_sizes.all, HpccJobGraph::NONE);
        for (const auto& group : GroupsOf(kind))
        {
            if (group.size() < 2)
            {
                continue;
            }
            std::vector<std::vector<uint32_t>> before;
            for (uint32_t rank : group)
            {
                before.push_back({after[rank]});
                if (earlier[rank] != HpccJobGraph::NONE)
                {
                    before.back().push_back(earlier[rank]);
                }
            }
            const auto done = m_collectives.Add(plan, group, before);
            for (size_t i = 0; i < group.size(); ++i)
            {
                ends[group[i]] = earlier[group[i]] = done[i];
            }
        }
        return ends;
    }

    HpccJobGraph& m_graph;
    HpccCollectives m_collectives;
    Sizes m_sizes;
    HpccSimAiChoices m_choices;
    std::vector<uint32_t> m_last; ///< last operation of each rank, for which the rank's next
                                  ///< operation waits
    std::map<std::string, std::vector<uint32_t>>
        m_earlier; ///< operation that ends the last collective of a rank, by kind of group and by
                   ///< rank
};

} // namespace

HpccJobGraph
ReadSimAi(std::istream& in, const std::string& name, const HpccSimAiChoices& choices)
{
    SimAiReader reader(in, name, choices.ranks);
    reader.Read();
    HpccJobGraph graph(static_cast<uint32_t>(reader.sizes.all), name);
    SimAiMaker(graph, reader.sizes, choices).Run(reader.layers);
    graph.Finish();
    return graph;
}

} // namespace ns3
