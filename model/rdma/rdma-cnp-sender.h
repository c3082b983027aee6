/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CNP_SENDER_H
#define RDMA_CNP_SENDER_H

#include "rdma-host-core.h"
#include "rdma-queue-pair.h"

#include "ns3/hpcc-frame.h"
#include "ns3/rdma-congestion-ops.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Sends the CNPs of a host's responders. A CNP either answers a marked packet, or carries an
 * RdmaNotification of a policy that runs at the receiver.
 */
class RdmaCnpSender
{
  public:
    /// Creates the sender of a host's CNPs.
    /// @param core state shared by the parts of the host
    explicit RdmaCnpSender(RdmaHostCore& core)
        : m_core(core)
    {
    }

    /**
     * Sends a CNP if the minimum interval since the last CNP of the queue pair has passed.
     * @param qp queue pair that has received a marked packet
     * @param nowNs current time, ns
     */
    void SendIfDue(RdmaQueuePair& qp, int64_t nowNs);

    /**
     * Creates a CNP without sending it.
     * @param qp queue pair whose sender gets the CNP
     * @param notification content of the CNP
     * @return a CNP whose size is not set
     */
    Frame* Make(const RdmaQueuePair& qp, const RdmaNotification& notification);

    /// Sends a CNP.
    /// @param frame the CNP; this function sets its size
    void Send(Frame* frame);

  private:
    RdmaHostCore& m_core; ///< state shared by the parts of the host
};

} // namespace ns3

#endif // RDMA_CNP_SENDER_H
