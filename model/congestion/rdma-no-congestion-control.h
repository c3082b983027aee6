/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_NO_CONGESTION_CONTROL_H
#define RDMA_NO_CONGESTION_CONTROL_H

#include "rdma-congestion-ops.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * No congestion control, name "none": the line rate without a window. Flow control alone keeps
 * buffers from overflowing. Needs nothing from the network and ignores all feedback.
 */
class RdmaNoCongestionControl : public RdmaCongestionOpsBase<RdmaCongestionState>
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
