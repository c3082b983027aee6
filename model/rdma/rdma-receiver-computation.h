/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RECEIVER_COMPUTATION_H
#define RDMA_RECEIVER_COMPUTATION_H

#include "rdma-feedback-part.h"

#include "ns3/rdma-receiver-ops.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Lets the receiver run the control law on the telemetry of arriving data packets
 * (draft-miao-tsv-hpcc-01, section 6.3.2, Rx-HPCC). At each commit, the receiver sends the window
 * to the sender in a separate message. ACKs carry no telemetry. Each data packet carries the number
 * of the newest window that the sender has received, see RoceEpoch. Without this part, the sender
 * runs the control law.
 *
 * Short names:
 * - receiver: the defaults;
 * - receiver:literal: the receiver commits whenever T has passed;
 * - receiver:rate: the receiver sends the rate instead of the window.
 */
class RdmaReceiverComputation : public RdmaFeedbackPart
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// The value that the receiver sends.
    enum Message
    {
        WINDOW, ///< W
        RATE,   ///< R = W/T
    };

    /// Returns the rule by which the receiver commits.
    RdmaReceiverInfo::CommitRule GetCommitRule() const
    {
        return m_commitRule;
    }

    /// Returns true if the receiver sends the rate instead of the window.
    bool SendsRate() const
    {
        return m_message == RATE;
    }

  private:
    RdmaReceiverInfo::CommitRule m_commitRule; ///< attribute CommitRule
    Message m_message;                         ///< attribute Message
};

} // namespace ns3

#endif // RDMA_RECEIVER_COMPUTATION_H
