/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_COLLECTIVE_H
#define HPCC_COLLECTIVE_H

#include "hpcc-fabric-helper.h"
#include "hpcc-flow-trace.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * A collective operation of all hosts, whose messages wait for others. Host i of the topology is
 * rank i; each rank has the same number of bytes, cut into one chunk per rank.
 *
 * Ring all-reduce (P. Patarasuk, X. Yuan, "Bandwidth optimal all-reduce algorithms", J. Parallel
 * Distrib. Comput. 69, 2009): in each of 2 (N - 1) phases every rank sends a chunk to the next
 * rank; the message of a phase waits until that of the phase before has arrived from the previous
 * rank.
 *
 * All-to-all: in round r = 1 ... N - 1 rank i sends a chunk to rank i + r; the message of a round
 * waits until all of the rounds more than a window earlier have arrived at the rank that sends.
 *
 * A rank reacts on its node's agenda in the nanosecond in which the message that it waits for is
 * complete.
 */
class HpccCollective
{
  public:
    /// The operation.
    enum Kind
    {
        RING,       ///< ring all-reduce
        ALL_TO_ALL, ///< all-to-all
    };

    /// The parameters of a collective.
    struct Plan
    {
        Kind kind{RING};         ///< operation
        uint64_t bytes{1000000}; ///< of each rank, at least 1
        uint32_t window{1};      ///< rounds of the all-to-all under way at a rank, at least 1
        int64_t startNs{0};      ///< when it begins, ns
    };

    /**
     * @param name ring or all-to-all; another throws HpccInputError
     * @return the operation
     */
    static Kind KindOf(const std::string& name);

    /**
     * @param plan what to do; bad values throw HpccInputError
     * @param topology the network
     */
    HpccCollective(const Plan& plan, const HpccTopology& topology);

    ~HpccCollective();

    /// Adds the messages to a trace, in the order of their queue pairs.
    /// @param trace the trace
    void AddTo(HpccFlowTrace& trace) const;

    /**
     * Connects a message. Messages between the same ranks share a queue pair.
     * @param fabric the network
     * @param flow one of the messages
     * @param spec policy and telemetry
     * @return index of the queue pair at its source
     */
    uint32_t Connect(HpccFabricHelper& fabric,
                     const HpccFlowPlan& flow,
                     const HpccFabricHelper::PolicySpec& spec);

    /// Posts messages from now on.
    /// @param fabric the network, with all messages connected. This object must outlive the
    /// simulation
    void Start(HpccFabricHelper& fabric);

    /// @return bytes of a message
    uint64_t GetChunkBytes() const
    {
        return m_chunkBytes;
    }

    /// @return messages of a rank
    uint32_t GetMessagesPerRank() const;

    /// @return ranks
    uint32_t GetRanks() const
    {
        return static_cast<uint32_t>(m_hosts.size());
    }

    /**
     * Returns the least time in which the network could complete it, from one-way times of
     * full-speed messages in an empty network. Ring: the longest chain of messages of which each
     * waits for the one before. All-to-all: the time that a rank's link takes for all that the rank
     * sends.
     * @param fabric the network
     * @return the time, ns
     */
    int64_t GetBoundNs(const HpccFabricHelper& fabric) const;

  private:
    /// The part of one host.
    class Rank;

    /**
     * @param rank a rank
     * @param message number among those that it sends, from 0
     * @return the rank that it sends to
     */
    uint32_t PeerOf(uint32_t rank, uint32_t message) const;

    Plan m_plan;                                                    ///< what to do
    std::vector<uint32_t> m_hosts;                                  ///< by rank
    uint64_t m_chunkBytes;                                          ///< bytes of a message
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> m_queuePairs; ///< by source and destination
    std::vector<std::unique_ptr<Rank>> m_ranks;                     ///< of the run
};

} // namespace ns3

#endif // HPCC_COLLECTIVE_H
