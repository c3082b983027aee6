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
 * The reported hop is the hop with the largest u' (lines 4 and 5 of the algorithm). To compute u',
 * the receiver stores L, the last record of each link. The draft instead specifies the hop with the
 * most bytes in flight, but this hop could be a fast link without congestion.
 *
 * - If there are no earlier records of the path, the hop with the largest ratio of queue length to
 *   line rate is picked. If several hops have the same ratio, the hop with the lowest line rate is
 *   picked. If these line rates are equal too, the first of these hops on the path is picked.
 * - If the records are not newer than the previous records, no hop is picked.
 * - A record that contains only a load, such as the record of a domain edge, is never picked.
 */
class RdmaBottleneckPicker : public RdmaReport::Flow
{
  public:
    /// Creates the picker for a network.
    /// @param baseRttNs T of the network, ns; if 0 (unknown), the drafts' default of 5 us is used
    explicit RdmaBottleneckPicker(int64_t baseRttNs);

    bool Pick(const HpccSample& sample, HpccBottleneckHop& report) override;

  private:
    /**
     * Returns the index of the hop to report for the first records of a path; sample.hopCount if no
     * hop can be reported.
     * @param sample the first records of a path
     */
    static uint32_t PickFirst(const HpccSample& sample);

    HpccInflight m_inflight; ///< computes u' (lines 4 and 5)
    HpccFlow m_flow;         ///< L of the algorithm
};

} // namespace ns3

#endif // RDMA_BOTTLENECK_PICKER_H
