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
 * Stores the known paths from one host to another host, and the loads of the links of these paths.
 * A path is identified by the ids of its hops. The load of a link on a path is computed only from
 * records of this path. The load of a link is u' (line 5 of draft-miao-tsv-hpcc-01, section 4.2),
 * averaged as in line 9.
 */
class RdmaPathLoads
{
  public:
    static constexpr size_t MAX_PATHS = 64; ///< largest number of paths stored per pair of hosts;
                                            ///< the path whose last records are oldest is discarded
                                            ///< first

    /// A path.
    struct Path
    {
        uint64_t key;           ///< identifier of the path
        uint16_t port{0};       ///< UDP source port that selects the path; 0 if unknown
        int64_t recordedNs{0};  ///< time at which the last records of the path arrived, ns
        int64_t measuredNs{-1}; ///< time of the last load measurement, ns; -1 if there was none
        HpccFlow meter;         ///< last records of the path and loads of its links
    };

    /// Creates an empty set of paths.
    /// @param baseRttNs T, ns, above 0
    explicit RdmaPathLoads(int64_t baseRttNs);

    /**
     * Returns the key that identifies the path of a packet, never 0.
     * @param ack an acknowledgement with at least one record
     */
    static uint64_t KeyOf(const RdmaAckInfo& ack);

    /**
     * Updates the loads of a path from telemetry.
     * @param key key of the path, KeyOf(ack)
     * @param ack the acknowledgement, with at least one record
     * @return the path; the reference is valid until the next call of Record()
     */
    Path& Record(uint64_t key, const RdmaAckInfo& ack);

    /**
     * Returns the path that has a given key; null if no such path is known.
     * @param key key of a path
     */
    Path* Find(uint64_t key);

    /// Returns all known paths.
    const std::vector<std::unique_ptr<Path>>& GetPaths() const
    {
        return m_paths;
    }

    /**
     * Returns the largest load of the links of a path, with the rate of a flow added to each link;
     * 0 if all links are ignored.
     * @param path a path
     * @param except path whose links are ignored; null to include all links
     * @param addedBps rate of the flow, bit/s; negative to remove a flow
     */
    static double GetLoad(const Path& path, const Path* except, double addedBps = 0);

  private:
    HpccLaw m_law;                              ///< measures the loads of links
    std::vector<std::unique_ptr<Path>> m_paths; ///< see GetPaths()
};

} // namespace ns3

#endif // RDMA_PATH_LOADS_H
