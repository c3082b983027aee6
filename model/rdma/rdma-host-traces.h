/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_HOST_TRACES_H
#define RDMA_HOST_TRACES_H

#include "rdma-feedback.h"
#include "rdma-message.h"
#include "rdma-queue-pair.h"

#include "ns3/traced-callback.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The trace sources of an RdmaHost, which its parts fire. RdmaHost::GetTypeId() documents them.
 */
struct RdmaHostTraces
{
    TracedCallback<const RdmaMessageRecord&> messagePosted;              ///< MessagePosted
    TracedCallback<const RdmaMessageRecord&> messageAcknowledged;        ///< MessageAcknowledged
    TracedCallback<const RdmaMessageRecord&> messageDelivered;           ///< MessageDelivered
    TracedCallback<const RdmaMessageRecord&> lastByteAcknowledged;       ///< LastByteAcknowledged
    TracedCallback<const RdmaMessageRecord&> lastByteArrived;            ///< LastByteArrived
    TracedCallback<const RdmaQueuePair&, int64_t, int64_t> acknowledged; ///< Acknowledged
    TracedCallback<const RdmaQueuePair&, int64_t, uint32_t> received;    ///< Received
    TracedCallback<const RdmaQueuePair&, int64_t, uint32_t, uint8_t>
        payloadArrived;                                                       ///< PayloadArrived
    TracedCallback<const RdmaQueuePair&, int64_t, bool> outOfOrder;           ///< OutOfOrder
    TracedCallback<const RdmaQueuePair&, int64_t> pathChange;                 ///< PathChange
    TracedCallback<const RdmaQueuePair&, int64_t> portChange;                 ///< PortChange
    TracedCallback<const RdmaQueuePair&, int64_t> heldBack;                   ///< HeldBack
    TracedCallback<const RdmaQueuePair&, FeedbackRejection> feedbackRejected; ///< FeedbackRejected
};

} // namespace ns3

#endif // RDMA_HOST_TRACES_H
