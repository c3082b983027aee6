/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_BITMAP_ENTROPY_H
#define RDMA_BITMAP_ENTROPY_H

#include "rdma-entropy.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Chooses entropy values in rounds. Each round visits every value once, in random order, and skips
 * values whose penalty is above 0. Feedback on a packet increases the penalty of the packet's
 * value: by 1 for RdmaEntropyFeedback::MARKED, by 4 for TRIMMED, and by 15 for TIMEOUT. The penalty
 * never exceeds 15. Each choice of a value decreases by 1 the penalty of the first value that it
 * skips. The penalties of other skipped values do not change. If every value has a penalty, the
 * search stops after one round and chooses the value that it has reached, despite the penalty.
 *
 * Short name: bitmap.
 */
class BitmapEntropy : public RdmaEntropy
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

/**
 * @ingroup hpcc
 *
 * The state of BitmapEntropy.
 */
class BitmapEntropyState : public RdmaEntropyState
{
  public:
    static constexpr uint8_t MOST = 15; ///< largest penalty

    /// Creates the state of a queue pair.
    /// @param values number of entropy values
    explicit BitmapEntropyState(uint32_t values)
        : m_walk(values),
          m_penalties(values)
    {
    }

    uint16_t Next(UniformRandomVariable& random, const float*) override;
    void OnFeedback(uint16_t value, RdmaEntropyFeedback feedback, int64_t nowNs) override;

  private:
    RdmaEntropyWalk m_walk;           ///< walk over all values in random order
    std::vector<uint8_t> m_penalties; ///< penalties, by entropy value
};

} // namespace ns3

#endif // RDMA_BITMAP_ENTROPY_H
