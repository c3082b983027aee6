/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_COLLECTIVE_H
#define HPCC_COLLECTIVE_H

#include "hpcc-fabric-helper.h"
#include "hpcc-flow-trace.h"

#include "ns3/hpcc-fabric-transport.h"
#include "ns3/hpcc-job-graph.h"
#include "ns3/hpcc-job-run.h"

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
 * A collective operation among all hosts of a fabric. The class HpccCollectives builds the job
 * graph of the operation. The i-th host of the topology is rank i. All ranks have the same number
 * of bytes, divided into one chunk per rank.
 *
 * The ring is an all-reduce of N ranks in 2 (N - 1) phases. In round r = 1 ... N - 1 of the
 * all-to-all, rank i sends a chunk to rank (i + r) mod N. It sends this chunk only after it has
 * received its chunks of rounds 1 to r - Plan::window.
 */
class HpccCollective
{
  public:
    /// The kind of a collective operation.
    enum Kind
    {
        RING,       ///< ring all-reduce
        ALL_TO_ALL, ///< all-to-all
    };

    /// The parameters of a collective.
    struct Plan
    {
        Kind kind{RING};         ///< operation
        uint64_t bytes{1000000}; ///< bytes per rank, at least 1
        uint32_t window{1};      ///< largest number of rounds of the all-to-all in which a rank
                                 ///< takes part at the same time, at least 1
        int64_t startNs{0};      ///< start of the operation, ns, at least 0
    };

    /**
     * Returns the kind of operation that has a given name.
     * @param name ring or all-to-all; other names throw HpccInputError
     */
    static Kind KindOf(const std::string& name);

    /**
     * Creates a collective operation on the hosts of a network.
     * @param plan parameters of the operation; bad values throw HpccInputError
     * @param topology the network
     */
    HpccCollective(const Plan& plan, const HpccTopology& topology);

    ~HpccCollective();

    /// Adds the messages of the operation to a trace, in the order of the job graph.
    /// @param trace trace to which the messages are added
    void AddTo(HpccFlowTrace& trace) const;

    /**
     * Connects a message. Messages between the same ranks share a queue pair.
     * @param fabric the network
     * @param flow one of the messages
     * @param spec policy and telemetry
     * @return index of the queue pair at the source
     */
    uint32_t Connect(HpccFabricHelper& fabric,
                     const HpccFlowPlan& flow,
                     const HpccFabricHelper::PolicySpec& spec);

    /// Starts the operation. This object must outlive the simulation. A second call, or a call
    /// before Connect(), throws HpccInputError.
    /// @param fabric the network, with all messages connected
    void Start(HpccFabricHelper& fabric);

    /// Returns the size of a message, bytes.
    uint64_t GetChunkBytes() const
    {
        return m_chunkBytes;
    }

    /// Returns the number of ranks.
    uint32_t GetRanks() const
    {
        return static_cast<uint32_t>(m_hosts.size());
    }

    /**
     * Returns a lower bound of the operation's duration in the network, see
     * HpccJobReport::GetBoundNs().
     * @param fabric the network
     * @return the lower bound, ns
     */
    int64_t GetBoundNs(const HpccFabricHelper& fabric) const;

  private:
    Plan m_plan;                                                    ///< parameters
    std::vector<uint32_t> m_hosts;                                  ///< hosts by rank
    uint64_t m_chunkBytes;                                          ///< bytes of a message
    HpccJobGraph m_graph;                                           ///< the operation
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> m_queuePairs; ///< indices of the queue pairs,
                                                                    ///< by source and destination
    std::unique_ptr<HpccFabricTransport> m_transport;               ///< carries the messages
    std::unique_ptr<HpccJobRun> m_run;                              ///< null until Start()
};

} // namespace ns3

#endif // HPCC_COLLECTIVE_H
