/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef THINNING_SAMPLING_H
#define THINNING_SAMPLING_H

#include "ns3/rdma-sampling.h"

/**
 * Example of a user-defined RdmaSampling. The first data packet of a flow collects telemetry. The
 * distance to the next packet that collects telemetry is 2 packets. It then doubles from one such
 * packet to the next, until it is Longest. Therefore most samples are at the start of a flow.
 */
class ThinningSampling : public ns3::RdmaSampling
{
  public:
    static ns3::TypeId GetTypeId();

    Description Describe() const override;
    std::unique_ptr<Flow> Open(int64_t networkBaseRttNs) const override;

  private:
    uint32_t m_longest; ///< attribute Longest
};

#endif // THINNING_SAMPLING_H
