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
 * Recycles the entropy values of packets with the feedback RdmaEntropyFeedback::GOOD. The entropy
 * value of each packet with this feedback is appended to a queue. The next packet to be sent uses
 * the first value of the queue, and removes this value from the queue. If the queue is empty, the
 * packet uses the value that BitmapEntropy selects. All feedback also updates the penalties of
 * BitmapEntropy.
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
