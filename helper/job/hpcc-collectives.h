/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_COLLECTIVES_H
#define HPCC_COLLECTIVES_H

#include "hpcc-job-graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The parameters of a collective operation.
 */
struct HpccCollectivePlan
{
    std::string operation{"all-reduce"}; ///< all-reduce, reduce-scatter, all-gather, all-to-all,
                                         ///< broadcast
    std::vector<std::string> algorithms{"ring"}; ///< ring, direct, halving-doubling, tree: one per
                                                 ///< dimension, or one for all
    std::vector<uint32_t> dimensions; ///< sizes, the first one varies fastest; empty: one dimension
    uint64_t bytes{0};                ///< as in nccl-tests: the full buffer of a rank (all-gather:
                                      ///< its output; reduce-scatter: its input)
    uint32_t channels{1};             ///< equal parts with queue pairs of their own
    uint32_t chunks{1};               ///< parts of each message that follow one another
    uint32_t window{0};               ///< rounds of direct that a rank has under way; 0: all
    uint32_t tag{0};                  ///< first tag; it takes GetTags()

    /// @return tags that it takes
    uint32_t GetTags() const
    {
        return 2 * channels;
    }
};

/**
 * @ingroup hpcc
 *
 * Adds collective operations to a job graph. Collectives of the same members run one after another.
 *
 * Schedules, for rank i of N and S bytes:
 * - ring: rank i sends a block of S/N to rank i + 1, and the next one when that of rank i - 1 has
 *   arrived (P. Patarasuk, X. Yuan, J. Parallel Distrib. Comput. 69, 2009). Broadcast: a chain.
 * - direct: blocks of S/N to all others, i + 1 first. An all-reduce gathers when all has arrived.
 * - halving-doubling: exchanges with rank i XOR 1, 2, 4, ... of S/2, S/4, ... bytes, and back. N is
 *   a power of two (R. Thakur et al., Int. J. High Perform. Comput. Appl. 19, 2005).
 * - tree: two binary trees, each for half of S; a leaf of one is no leaf of the other (P. Sanders
 *   et al., Parallel Comput. 35, 2009). Up, and down again. Broadcast: a binomial tree.
 *
 * With several dimensions: reduce-scatter in each but the last, all-reduce in the last, all-gather
 * back; all-gather in reverse order; reduce-scatter and all-to-all in order.
 */
class HpccCollectives
{
  public:
    /// @param graph gets the operations; must outlive this object
    explicit HpccCollectives(HpccJobGraph& graph);

    /**
     * Returns the algorithms of an operation.
     * @param operation one of Check()
     * @return names, such as ring
     */
    static std::vector<std::string> GetAlgorithms(const std::string& operation);

    /**
     * Refuses what a plan cannot be.
     * @param plan a collective
     * @param members its ranks
     * @return what is wrong, and what is allowed; empty if nothing is
     */
    static std::string Check(const HpccCollectivePlan& plan, uint32_t members);

    /**
     * Adds a collective.
     * @param plan the collective; what Check() says is thrown as HpccInputError
     * @param members its ranks, in order
     * @param after by member: operations that it waits for; may be empty
     * @return by member: an operation that ends when the member is done
     */
    std::vector<uint32_t> Add(const HpccCollectivePlan& plan,
                              const std::vector<uint32_t>& members,
                              const std::vector<std::vector<uint32_t>>& after = {});

    /**
     * @param operation a name, as of HpccCollectivePlan
     * @param ranks members
     * @return bus bandwidth over algorithm bandwidth, as nccl-tests defines it
     */
    static double GetBusFactor(const std::string& operation, uint32_t ranks);

  private:
    /// The ends of a member's operations so far.
    using Ends = std::vector<std::vector<uint32_t>>;

    /// A phase: an operation with one algorithm, in one group of ranks and one channel.
    struct Phase
    {
        std::string operation;         ///< as of HpccCollectivePlan
        std::string algorithm;         ///< as of HpccCollectivePlan
        std::vector<uint32_t> members; ///< ranks of the graph
        uint64_t bytes;                ///< as of HpccCollectivePlan
        uint32_t chunks;               ///< parts of each message
        uint32_t window;               ///< of direct
        uint32_t tag;                  ///< of its messages
        uint32_t secondTag;            ///< of those of the second tree
    };

    /**
     * Adds an operation that takes no time. It waits for computations and receives to end, and for
     * sends to begin, or to end if there are only sends.
     * @param rank a rank
     * @param before what it waits for
     * @return the operation
     */
    uint32_t Join(uint32_t rank, const std::vector<uint32_t>& before);

    /**
     * Adds a phase.
     * @param phase the phase
     * @param ends by rank of the graph: what the phase waits for; set to its ends
     */
    void AddPhase(const Phase& phase, Ends& ends);

    /**
     * Sends blocks round a ring.
     * @param phase the phase
     * @param steps messages of a rank, per chunk
     * @param ends see AddPhase()
     */
    void Ring(const Phase& phase, uint32_t steps, Ends& ends);
    /// Sends data along a chain.
    /// @param phase the phase
    /// @param ends see AddPhase()
    void Chain(const Phase& phase, Ends& ends);
    /// Sends a block from each rank to each other.
    /// @param phase the phase
    /// @param ends see AddPhase()
    void Direct(const Phase& phase, Ends& ends);
    /**
     * Exchanges blocks with ranks at the distances 1, 2, 4, ...
     * @param phase the phase
     * @param halving distances go up and sizes down, once
     * @param doubling distances go down and sizes up, then
     * @param ends see AddPhase()
     */
    void HalvingDoubling(const Phase& phase, bool halving, bool doubling, Ends& ends);
    /// Reduces up two trees and broadcasts down.
    /// @param phase the phase
    /// @param ends see AddPhase()
    void DoubleTree(const Phase& phase, Ends& ends);
    /// Sends data down a binomial tree.
    /// @param phase the phase
    /// @param ends see AddPhase()
    void BinomialTree(const Phase& phase, Ends& ends);

    HpccJobGraph& m_graph; ///< gets the operations
};

} // namespace ns3

#endif // HPCC_COLLECTIVES_H
