/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PATH_LOADS_H
#define RDMA_PATH_LOADS_H

#include "ns3/hpcc-law.h"
#include "ns3/rdma-congestion-ops.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The paths from a host to another one and how loaded their links are. Each path, identified by the
 * ids of its hops, has telemetry of its own, which is never compared with another's. The load of a
 * link is u' (line 5 of draft-miao-tsv-hpcc-01, section 4.2), averaged as in line 9.
 */
class RdmaPathLoads
{
  public:
    static constexpr size_t MAX_PATHS = 64; ///< paths of a pair of hosts, those last measured

    /// A path.
    struct Path
    {
        uint64_t key;           ///< identifies it
        uint16_t port{0};       ///< UDP source port that leads there; 0 if unknown
        int64_t recordedNs{0};  ///< when its last record came
        int64_t measuredNs{-1}; ///< when its load was last measured; -1 if never
        HpccFlow meter;         ///< its records and loads
    };

    /// @param baseRttNs T, ns, above 0
    explicit RdmaPathLoads(int64_t baseRttNs);

    /**
     * @param ack an acknowledgement, at least one record
     * @return the key that identifies its path, never 0
     */
    static uint64_t KeyOf(const RdmaAckInfo& ack);

    /**
     * Updates the loads of a path by telemetry.
     * @param key its KeyOf()
     * @param ack the acknowledgement, at least one record
     * @return its path, until the next call
     */
    Path& Record(uint64_t key, const RdmaAckInfo& ack);

    /**
     * @param key of a path
     * @return the path, or null
     */
    Path* Find(uint64_t key);

    /// @return all paths known
    const std::vector<std::unique_ptr<Path>>& GetPaths() const
    {
        return m_paths;
    }

    /**
     * @param path a path
     * @param except one whose links do not count; null if all do
     * @param addedBps rate of a flow that would join, bit/s
     * @return the largest load of its links with that flow; 0 if none counts
     */
    static double GetLoad(const Path& path, const Path* except, double addedBps = 0);

  private:
    HpccLaw m_law;                              ///< measures
    std::vector<std::unique_ptr<Path>> m_paths; ///< see GetPaths()
};

} // namespace ns3

#endif // RDMA_PATH_LOADS_H
