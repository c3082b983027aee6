/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_BOTTLENECK_PICKER_H
#define RDMA_BOTTLENECK_PICKER_H

#include "rdma-report.h"

#include "ns3/hpcc-bottleneck-hop.h"
#include "ns3/hpcc-inflight.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Picks the hop that the receiver of a queue pair reports (draft-miao-tsv-hpcc-01, section 7.1).
 * This is the hop with the largest u' (lines 4 and 5 of the algorithm). The receiver stores the L
 * from which u' is computed. The draft instead specifies the hop with the most bytes in flight,
 * which could be a fast link without congestion.
 *
 * - From the first records of a path, it picks the hop with the largest ratio of queue to line
 *   rate. If several hops have this ratio, it picks the slowest of them, or the first on the path
 *   if they are equally fast.
 * - If the records are not newer than the previous records, it picks no hop.
 * - A record that contains only a load, such as the record of a domain edge, is never picked.
 */
class RdmaBottleneckPicker : public RdmaReport::Flow
{
  public:
    /// Creates the picker for a network.
    /// @param baseRttNs T of the network, ns; 0 if unknown, in which case the drafts' default of 5
    /// us is used
    explicit RdmaBottleneckPicker(int64_t baseRttNs);

    bool Pick(const HpccSample& sample, HpccBottleneckHop& report) override;

  private:
    /**
     * Returns the index of the hop to report for the first records of a path; hopCount if there is
     * none.
     * @param sample the first records of a path
     */
    static uint32_t PickFirst(const HpccSample& sample);

    HpccInflight m_inflight; ///< computes u' by lines 4 and 5
    HpccFlow m_flow;         ///< L of the algorithm
};

} // namespace ns3

#endif // RDMA_BOTTLENECK_PICKER_H
