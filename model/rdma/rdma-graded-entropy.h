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
 * Values in proportion to the shares that the policy gives them (RdmaCongestionState::shares): a
 * walk over the values in random order adds the share of a value to its credit, and a packet takes
 * the first value whose credit is at least 1, which costs it 1. A trim costs a value 1, a time-out
 * PENALTY: it is passed over until it has walked that off.
 *
 * Only for policies with RdmaPolicyDescription::gradesPaths.
 *
 * Short name: graded.
 */
class GradedEntropy : public RdmaEntropy
{
  public:
    static constexpr float PENALTY = 16; ///< credit that a time-out costs; no credit is below -16

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
