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

#include "ns3/hpcc-bottleneck-hop.h"
#include "ns3/hpcc-frame.h"
#include "ns3/rdma-congestion-ops.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The requester's half of feedback modes other than the default. This class decides which data
 * packets collect telemetry, request an ACK or subscribe to switch responses. RdmaSenderFeedback
 * also decides which returned telemetry is accepted. It is used for queue pairs whose
 * RdmaQueuePair::requesterUses is not 0, and for acknowledgements with a report of one hop.
 */
class RdmaSenderFeedback
{
  public:
    /**
     * Creates the part that handles returned telemetry and returned windows.
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
     * Sets the fields of a departing data packet that concern feedback: collection of telemetry,
     * request for an ACK, and subscription to switch responses.
     * @param qp a queue pair with a feedback mode other than the default
     * @param frame the packet
     * @param nowNs current time, ns
     */
    void FillData(RdmaQueuePair& qp, Frame& frame, int64_t nowNs);

    /**
     * Reads the telemetry that an acknowledgement returns, and updates the path of the queue pair.
     * @param qp the queue pair
     * @param frame the acknowledgement
     * @param accepted true if the telemetry has already been accepted
     * @param packets number of packets acknowledged for the first time
     * @param ack receives the telemetry
     */
    void ReadAck(RdmaQueuePair& qp,
                 const Frame& frame,
                 bool accepted,
                 uint32_t packets,
                 RdmaAckInfo& ack);

    /**
     * Checks that returned telemetry is authentic and new.
     * @param qp a queue pair
     * @param frame an ACK or notification for the queue pair, with telemetry
     * @return true if the telemetry is authentic and new, or if authentication is off
     */
    bool Accept(RdmaQueuePair& qp, const Frame& frame);

    /**
     * Checks that a window from the receiver is new and, if authentication is on, authentic.
     * @param qp a queue pair whose window is computed at the other end
     * @param frame a CNP that carries the window
     * @return true if the window is accepted
     */
    bool AcceptWindow(RdmaQueuePair& qp, const Frame& frame);

    /**
     * Counts and traces feedback that is rejected.
     * @param qp the queue pair
     * @param why reason of the rejection
     */
    void Reject(const RdmaQueuePair& qp, FeedbackRejection why);

  private:
    /**
     * Decides whether a data packet collects telemetry, and requests a probe if the queue pair uses
     * probes.
     * @param qp a queue pair with a feedback mode other than the default
     * @param frame a data packet that is about to be sent
     * @param nowNs current time, ns
     * @return true if the packet collects telemetry
     */
    bool Samples(RdmaQueuePair& qp, const Frame& frame, int64_t nowNs);

    /**
     * Reads a report of one hop from an acknowledgement.
     * @param qp the queue pair
     * @param frame an acknowledgement with telemetry
     * @param ack receives the record of the hop. There are reports with and without the id of the
     * hop. A report of the kind that the feedback mode does not use is ignored
     */
    void ReadReport(const RdmaQueuePair& qp, const Frame& frame, RdmaAckInfo& ack);

    RdmaHostCore& m_core;           ///< state shared by the parts of the host
    RdmaProber& m_prober;           ///< sends probes
    RdmaPathMover& m_paths;         ///< moves queue pairs to other paths
    HpccBottleneckHop m_report{};   ///< the report that is being read
    TelemetryCapabilities m_bare{}; ///< capabilities of a report with only the draft's three values
};

} // namespace ns3

#endif // RDMA_SENDER_FEEDBACK_H
