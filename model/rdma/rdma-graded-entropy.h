/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_GRADED_ENTROPY_H
#define RDMA_GRADED_ENTROPY_H

#include "rdma-entropy.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Uses values in proportion to the shares that the policy assigns to them
 * (RdmaCongestionState::shares). A walk over the values in random order adds the share of each
 * visited value to its credit. A packet takes the first value whose credit is at least 1, and the
 * credit is reduced by 1. A trim also reduces the credit by 1. A time-out sets it to -PENALTY, so
 * that the value is skipped until its credit is 1 again.
 *
 * Works only with policies that have RdmaPolicyDescription::gradesPaths.
 *
 * Short name: graded.
 */
class GradedEntropy : public RdmaEntropy
{
  public:
    static constexpr float PENALTY = 16; ///< a time-out sets the credit to -PENALTY, which is also
                                         ///< the lowest credit

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::unique_ptr<RdmaEntropyState> MakeState() const override;
    bool NeedsPowerOfTwo() const override;
    bool NeedsShares() const override;
};

} // namespace ns3

#endif // RDMA_GRADED_ENTROPY_H
