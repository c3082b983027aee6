/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_NO_CONGESTION_CONTROL_H
#define RDMA_NO_CONGESTION_CONTROL_H

#include "rdma-congestion-ops.h"
#include "rdma-fixed-rate.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Sends at line rate without a window and ignores all feedback; the name of the policy is "none".
 * Only flow control, if the network uses it, keeps buffers from overflowing. The policy needs no
 * support from the network.
 */
class RdmaNoCongestionControl : public RdmaCongestionOpsBase<RdmaCongestionState>,
                                public RdmaFixedRate
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

  private:
    void DoOpen(RdmaCongestionState& state, const RdmaFlowInfo& info, int64_t nowNs) override;
};

} // namespace ns3

#endif // RDMA_NO_CONGESTION_CONTROL_H
