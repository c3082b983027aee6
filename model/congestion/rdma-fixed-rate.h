/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_FIXED_RATE_H
#define RDMA_FIXED_RATE_H

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * An optional second interface of a congestion control policy that never sets a rate. Attributes of
 * RdmaHost that concern the policy's rate then have no effect, and HpccExperiment refuses them.
 */
class RdmaFixedRate
{
  public:
    virtual ~RdmaFixedRate() = default;

    /// Returns true if the rate of every queue pair is always the line rate.
    virtual bool KeepsLineRate() const
    {
        return true;
    }
};

} // namespace ns3

#endif // RDMA_FIXED_RATE_H
