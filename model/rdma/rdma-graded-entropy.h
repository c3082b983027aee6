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
 * Chooses entropy values in proportion to the shares that the policy assigns to the values
 * (RdmaCongestionState::shares). To choose a value, a walk visits the values in random order. At
 * each visit, the credit of the value increases by the share of the value. The packet uses the
 * first visited value whose credit is at least 1. If two rounds find no such value, the packet uses
 * the last visited value. The credit of the value used decreases by 1. The credit of a value also
 * decreases by 1 when a packet with this value is trimmed at a switch other than the last. When a
 * packet times out, the credit of its value is set to -PENALTY, so the value is skipped until its
 * credit is at least 1 again.
 *
 * Works only with policies for which RdmaPolicyDescription::gradesPaths is true.
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
