/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_MIXED_ENTROPY_H
#define RDMA_MIXED_ENTROPY_H

#include "rdma-entropy.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Uses recycled values first, then those of a bitmap. The value of each packet that has arrived
 * without a mark is appended to a queue, and each packet takes the first value of the queue. If the
 * queue is empty, a packet takes the value that BitmapEntropy selects. BitmapEntropy also gets all
 * feedback.
 *
 * Short name: mixed.
 */
class MixedEntropy : public RdmaEntropy
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

#endif // RDMA_MIXED_ENTROPY_H
