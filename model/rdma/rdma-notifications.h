/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_NOTIFICATIONS_H
#define RDMA_NOTIFICATIONS_H

#include "rdma-host-core.h"
#include "rdma-prober.h"
#include "rdma-queue-pair.h"
#include "rdma-requester.h"
#include "rdma-sender-feedback.h"

#include "ns3/hpcc-frame.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Receives notifications for the requesters of a host. Used only for queue pairs whose feedback
 * mode has notifications. In these modes, notifications return the telemetry, and ACKs return none.
 */
class RdmaNotifications
{
  public:
    /**
     * Creates the part that receives notifications.
     * @param core state shared by the parts of the host
     * @param prober sends probes
     * @param feedback decides which telemetry is accepted
     * @param requester handles acknowledgements in notifications
     */
    RdmaNotifications(RdmaHostCore& core,
                      RdmaProber& prober,
                      RdmaSenderFeedback& feedback,
                      RdmaRequester& requester)
        : m_core(core),
          m_prober(prober),
          m_feedback(feedback),
          m_requester(requester)
    {
    }

    /**
     * Handles a notification.
     * @param qp queue pair of the notification, with congestion state
     * @param frame the notification
     * @param nowNs current time, ns
     */
    void Receive(RdmaQueuePair& qp, Frame* frame, int64_t nowNs);

  private:
    RdmaHostCore& m_core;           ///< state shared by the parts of the host
    RdmaProber& m_prober;           ///< sends probes
    RdmaSenderFeedback& m_feedback; ///< decides which telemetry is accepted
    RdmaRequester& m_requester;     ///< handles acknowledgements in notifications
};

} // namespace ns3

#endif // RDMA_NOTIFICATIONS_H
