/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_FEEDBACK_STATE_H
#define RDMA_FEEDBACK_STATE_H

#include "rdma-sampling.h"

#include "ns3/hpcc-probes.h"
#include "ns3/hpcc-roce-headers.h"

#include <cstdint>
#include <memory>

namespace ns3
{

class RdmaFeedback;

/**
 * @ingroup hpcc
 *
 * The requester's state for a feedback other than the default.
 */
struct RdmaFeedbackState
{
    const RdmaFeedback* how{nullptr};             ///< the choice
    std::unique_ptr<RdmaSampling::Flow> sampling; ///< null: all data packets collect, or probes
    std::unique_ptr<HpccProbes> probes;           ///< null: data packets collect
    uint64_t message{0}; ///< number of the newest message of a receiver that computes

    /// @return its value in data packets, see RoceEpoch
    uint8_t GetEpoch() const
    {
        return static_cast<uint8_t>(message & RoceEpoch::MASK) << RoceEpoch::SHIFT;
    }
};

} // namespace ns3

#endif // RDMA_FEEDBACK_STATE_H
