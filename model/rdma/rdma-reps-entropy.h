/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_REPS_ENTROPY_H
#define RDMA_REPS_ENTROPY_H

#include "rdma-entropy.h"

#include "ns3/nstime.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * REPS, recycled entropies for packet spraying (arXiv 2407.21625): the value of a packet that has
 * arrived without a mark goes into a circular buffer of Buffer values. A packet takes the oldest
 * one there that is fresh, each once; a random one of all values if there is none.
 *
 * A time-out freezes: packets take the values of the buffer in turn, fresh or not, and no others.
 * The first feedback after FreezeTime thaws: the buffer is emptied, and the next Exploration
 * packets take random values; a time-out among them does not freeze.
 *
 * Short name: reps.
 */
class RepsEntropy : public RdmaEntropy
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::unique_ptr<RdmaEntropyState> MakeState() const override;
    bool NeedsPowerOfTwo() const override;

  private:
    uint32_t m_buffer;      ///< attribute
    Time m_freezeTime;      ///< attribute
    uint32_t m_exploration; ///< attribute
};

} // namespace ns3

#endif // RDMA_REPS_ENTROPY_H
