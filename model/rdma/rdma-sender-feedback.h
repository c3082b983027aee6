/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SENDER_FEEDBACK_H
#define RDMA_SENDER_FEEDBACK_H

#include "rdma-host-core.h"
#include "rdma-path-mover.h"
#include "rdma-prober.h"
#include "rdma-queue-pair.h"

#include "ns3/hpcc-frame.h"
#include "ns3/hpcc-worst-hop.h"
#include "ns3/rdma-congestion-ops.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The requester's half of every feedback but the default: which data packets collect telemetry,
 * what they ask for, and which returned telemetry is accepted. It is used for queue pairs with
 * RdmaQueuePair::requesterUses, and for acknowledgements whose report is not of the configured
 * kind.
 */
class RdmaSenderFeedback
{
  public:
    /**
     * @param core state shared by the parts of the host
     * @param prober sends probes
     * @param paths moves queue pairs to other paths
     */
    RdmaSenderFeedback(RdmaHostCore& core, RdmaProber& prober, RdmaPathMover& paths)
        : m_core(core),
          m_prober(prober),
          m_paths(paths)
    {
    }

    /**
     * Fills a data packet that leaves: whether it collects telemetry, and what it asks for.
     * @param qp a queue pair with a choice of feedback
     * @param frame the packet
     * @param nowNs current time, ns
     */
    void FillData(RdmaQueuePair& qp, Frame& frame, int64_t nowNs);

    /**
     * Reads what an acknowledgement returns, and follows the path of the queue pair.
     * @param qp the queue pair
     * @param frame the acknowledgement
     * @param accepted its telemetry is accepted already
     * @param packets acknowledged for the first time
     * @param ack filled with the telemetry
     */
    void ReadAck(RdmaQueuePair& qp,
                 const Frame& frame,
                 bool accepted,
                 uint32_t packets,
                 RdmaAckInfo& ack);

    /**
     * @param qp a queue pair
     * @param frame its ACK, or notification, with telemetry
     * @return true if that is authentic and fresh, or need not be
     */
    bool Accept(RdmaQueuePair& qp, const Frame& frame);

    /**
     * @param qp a queue pair whose window is computed at the other end
     * @param frame a CNP that carries the window
     * @return true if it is new, and authentic or need not be
     */
    bool AcceptWindow(RdmaQueuePair& qp, const Frame& frame);

    /**
     * Counts and traces feedback that is ignored.
     * @param qp the queue pair
     * @param why the reason
     */
    void Reject(const RdmaQueuePair& qp, FeedbackRejection why);

  private:
    /**
     * @param qp a queue pair with a choice of feedback
     * @param frame a data packet that leaves
     * @param nowNs current time, ns
     * @return true if it collects telemetry
     */
    bool Samples(RdmaQueuePair& qp, const Frame& frame, int64_t nowNs);

    /**
     * Reads a report of one hop.
     * @param qp the queue pair
     * @param frame an acknowledgement with telemetry
     * @param ack gets the hop; no hop if the report is not of the agreed kind
     */
    void ReadReport(const RdmaQueuePair& qp, const Frame& frame, RdmaAckInfo& ack);

    RdmaHostCore& m_core;           ///< state shared by the parts of the host
    RdmaProber& m_prober;           ///< sends probes
    RdmaPathMover& m_paths;         ///< moves queue pairs to other paths
    HpccWorstHop m_report{};        ///< the report being read
    TelemetryCapabilities m_bare{}; ///< capabilities of three values
};

} // namespace ns3

#endif // RDMA_SENDER_FEEDBACK_H
