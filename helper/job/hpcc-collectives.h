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
    std::vector<std::string> algorithms{"ring"}; ///< ring, direct, halving-doubling or tree: one
                                                 ///< for each dimension, or a single one for all
    std::vector<uint32_t> dimensions; ///< number of ranks in each dimension; the first dimension
                                      ///< varies fastest; empty: one dimension
    uint64_t bytes{0};    ///< size as nccl-tests defines it: the full buffer of a rank. For an
                          ///< all-gather this is the output, for a reduce-scatter the input
    uint32_t channels{1}; ///< number of equal parts of the data, 1 to 4096; each part has its own
                          ///< queue pairs
    uint32_t chunks{1};   ///< number of parts into which each message is divided, sent one after
                          ///< another, 1 to 4096
    uint32_t window{0};   ///< with the algorithm direct: largest number of rounds in which a rank
                          ///< takes part at the same time; 0: all rounds
    uint32_t tag{0};      ///< first of GetTags() consecutive tags

    /// Returns the number of tags that the collective uses.
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
 * - ring: rank i sends a block of S/N to rank i + 1, and sends the next block when a block from
 *   rank i - 1 has arrived (P. Patarasuk, X. Yuan, J. Parallel Distrib. Comput. 69, 2009).
 *   Broadcast: a chain.
 * - direct: rank i sends a block of S/N to each other rank, starting with rank i + 1. An all-reduce
 * is a reduce-scatter and then an all-gather; a rank starts the all-gather when it has received all
 * blocks of the reduce-scatter.
 * - halving-doubling: rank i exchanges S/2, S/4, ... bytes with ranks i XOR 1, i XOR 2, ..., then
 *   the same in reverse order. N is a power of two (R. Thakur et al., Int. J. High Perform. Comput.
 *   Appl. 19, 2005).
 * - tree: two binary trees, each for half of S; no rank is a leaf of both (P. Sanders et al.,
 *   Parallel Comput. 35, 2009). Data are reduced up the trees, and the results sent down.
 *   Broadcast: a binomial tree.
 *
 * With several dimensions, an all-reduce has three steps: a reduce-scatter in each dimension except
 * the last, an all-reduce in the last dimension, and all-gathers in reverse order of the
 * dimensions. An all-gather visits the dimensions in reverse order; reduce-scatter and all-to-all
 * visit them in order.
 */
class HpccCollectives
{
  public:
    /// Creates the builder of collectives.
    /// @param graph job graph to which the operations are added; must outlive this object
    explicit HpccCollectives(HpccJobGraph& graph);

    /**
     * Returns the algorithms of an operation.
     * @param operation an operation, see HpccCollectivePlan
     * @return names of the algorithms, such as ring
     */
    static std::vector<std::string> GetAlgorithms(const std::string& operation);

    /**
     * Checks a plan.
     * @param plan a collective
     * @param members number of ranks of the collective
     * @return the fault and the allowed values; empty if the plan is valid
     */
    static std::string Check(const HpccCollectivePlan& plan, uint32_t members);

    /**
     * Adds a collective.
     * @param plan the collective; a fault found by Check() throws HpccInputError
     * @param members ranks of the collective, in order
     * @param after operations for which each member waits before it begins; may be empty
     * @return by member: an operation that ends when the member has finished
     */
    std::vector<uint32_t> Add(const HpccCollectivePlan& plan,
                              const std::vector<uint32_t>& members,
                              const std::vector<std::vector<uint32_t>>& after = {});

    /**
     * Returns the bus bandwidth of an operation divided by its algorithm bandwidth. nccl-tests
     * defines both bandwidths.
     * @param operation name of an operation, see HpccCollectivePlan
     * @param ranks number of members
     */
    static double GetBusFactor(const std::string& operation, uint32_t ranks);

  private:
    /// By rank: the operations for which the rank's next operation waits.
    using Ends = std::vector<std::vector<uint32_t>>;

    /// A phase: an operation with one algorithm, in one group of ranks and one channel.
    struct Phase
    {
        std::string operation;         ///< see HpccCollectivePlan
        std::string algorithm;         ///< see HpccCollectivePlan
        std::vector<uint32_t> members; ///< ranks of the graph
        uint64_t bytes;                ///< see HpccCollectivePlan
        uint32_t chunks;               ///< number of parts of each message
        uint32_t window;               ///< with the algorithm direct: largest number of rounds in
                                       ///< which a rank takes part at the same time
        uint32_t tag;                  ///< tag of the messages of the phase
        uint32_t secondTag;            ///< tag of messages of the second tree
    };

    /**
     * Adds an operation of 0 ns that joins other operations: it waits until the given computations
     * and receives have ended and the given sends have started. If only sends are given, it waits
     * until they have ended.
     * @param rank rank of the operations
     * @param before operations for which the new operation waits
     * @return the operation
     */
    uint32_t Join(uint32_t rank, const std::vector<uint32_t>& before);

    /**
     * Adds the phases of one channel.
     * @param plan description of the operation
     * @param members ranks of the graph
     * @param channel number of the channel
     * @param ends see AddPhase()
     */
    void AddChannel(const HpccCollectivePlan& plan,
                    const std::vector<uint32_t>& members,
                    uint32_t channel,
                    Ends& ends);

    /**
     * Adds a phase.
     * @param phase operation, algorithm and ranks of the phase
     * @param ends operations by rank of the graph. On entry: those for which the phase waits. On
     * return: the last operations of the phase
     */
    void AddPhase(const Phase& phase, Ends& ends);

    /**
     * Sends blocks around a ring.
     * @param phase ranks and bytes of the phase
     * @param steps number of messages per rank and chunk
     * @param ends see AddPhase()
     */
    void Ring(const Phase& phase, uint32_t steps, Ends& ends);
    /// Sends data along a chain.
    /// @param phase ranks and bytes of the phase
    /// @param ends see AddPhase()
    void Chain(const Phase& phase, Ends& ends);
    /// Sends a block from each rank to each other rank.
    /// @param phase ranks and bytes of the phase
    /// @param ends see AddPhase()
    void Direct(const Phase& phase, Ends& ends);
    /**
     * Exchanges blocks with ranks at the distances 1, 2, 4, ...
     * @param phase ranks and bytes of the phase
     * @param halving true: distances increase and sizes decrease
     * @param doubling true: then distances decrease and sizes increase
     * @param ends see AddPhase()
     */
    void HalvingDoubling(const Phase& phase, bool halving, bool doubling, Ends& ends);
    /// Reduces data up two binary trees and sends the result down.
    /// @param phase ranks and bytes of the phase
    /// @param ends see AddPhase()
    void DoubleTree(const Phase& phase, Ends& ends);
    /// Sends data down a binomial tree.
    /// @param phase ranks and bytes of the phase
    /// @param ends see AddPhase()
    void BinomialTree(const Phase& phase, Ends& ends);

    HpccJobGraph& m_graph; ///< job graph to which the operations are added
};

} // namespace ns3

#endif // HPCC_COLLECTIVES_H
