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
 * State of a requester whose feedback mode is not the default.
 */
struct RdmaFeedbackState
{
    const RdmaFeedback* how{nullptr};             ///< the feedback mode
    std::unique_ptr<RdmaSampling::Flow> sampling; ///< decides which data packets collect telemetry;
                                                  ///< null if all data packets collect telemetry,
                                                  ///< or if only probes do
    std::unique_ptr<HpccProbes> probes;           ///< the queue pair's probes; null if data packets
                                                  ///< collect telemetry
    uint64_t message{0}; ///< number of the newest window or rate that has been accepted from the
                         ///< receiver; 0 if the sender computes the window

    /// Returns the epoch that data packets carry: the lowest bits of the message number, see
    /// RoceEpoch.
    uint8_t GetEpoch() const
    {
        return static_cast<uint8_t>(message & RoceEpoch::MASK) << RoceEpoch::SHIFT;
    }
};

} // namespace ns3

#endif // RDMA_FEEDBACK_STATE_H
