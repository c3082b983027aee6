/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_OBLIVIOUS_ENTROPY_H
#define RDMA_OBLIVIOUS_ENTROPY_H

#include "rdma-entropy.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Chooses each entropy value once per round, in random order, regardless of feedback.
 *
 * Short name: oblivious.
 */
class ObliviousEntropy : public RdmaEntropy
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::unique_ptr<RdmaEntropyState> MakeState() const override;
    bool NeedsPowerOfTwo() const override;
};

} // namespace ns3

#endif // RDMA_OBLIVIOUS_ENTROPY_H
