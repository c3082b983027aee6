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
 * REPS, recycled entropies for packet spraying (arXiv 2407.21625). The entropy value of each packet
 * with the feedback RdmaEntropyFeedback::GOOD is written to a circular buffer, whose capacity is
 * given by the attribute Buffer. A value in the buffer is fresh until a packet reuses it. Each
 * packet uses the oldest fresh value, or a random value if no value is fresh.
 *
 * A time-out freezes the buffer. Packets then use the values in the buffer in turn, fresh or not.
 * Once the time FreezeTime has passed, the first feedback other than a time-out ends the freeze.
 * The buffer is then emptied, and a number of packets, given by the attribute Exploration, use
 * random values. A time-out during this exploration does not freeze the buffer.
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
    uint32_t m_buffer;      ///< attribute Buffer
    Time m_freezeTime;      ///< attribute FreezeTime
    uint32_t m_exploration; ///< attribute Exploration
};

} // namespace ns3

#endif // RDMA_REPS_ENTROPY_H
