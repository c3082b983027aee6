/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RECEIVER_POLICIES_H
#define RDMA_RECEIVER_POLICIES_H

#include "rdma-cnp-sender.h"
#include "rdma-forgers.h"
#include "rdma-host-core.h"
#include "rdma-queue-pair.h"
#include "rdma-timer-heap.h"

#include "ns3/hpcc-flow-counter.h"
#include "ns3/hpcc-frame.h"
#include "ns3/rdma-congestion-ops.h"

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Runs policies at the receiver: passes arriving packets to the policies, runs the timers of the
 * policies and sends their notifications. This class also counts the flows that share the host's
 * links. RdmaReceiverPolicies has an effect only on queue pairs whose RdmaQueuePair::responderUses
 * contains USES_RECEIVER_POLICY or USES_FLOW_COUNT.
 */
class RdmaReceiverPolicies
{
  public:
    /**
     * Creates the part that runs policies at the receiver.
     * @param core state shared by the parts of the host
     * @param cnps sends notifications
     * @param forgers forges the telemetry of a dishonest host
     */
    RdmaReceiverPolicies(RdmaHostCore& core, RdmaCnpSender& cnps, RdmaForgers& forgers)
        : m_core(core),
          m_cnps(cnps),
          m_forgers(forgers)
    {
    }

    /**
     * Starts to count the flows that arrive at the host.
     * @param windowNs time for which a flow is counted after its last packet, ns; after several
     * calls, the longest time applies
     */
    void CountFlows(int64_t windowNs);

    /// Returns true if the host counts the flows that arrive.
    bool CountsFlows() const
    {
        return m_countsFlows;
    }

    /**
     * Handles a data packet.
     * @param qp queue pair of the packet
     * @param frame the packet; its telemetry is removed if this end computes the window
     * @param nowNs current time, ns
     */
    void OnArrival(RdmaQueuePair& qp, Frame& frame, int64_t nowNs);

    /**
     * Handles a response by a switch.
     * @param qp a queue pair whose policy has state at this host
     * @param frame the response
     * @param nowNs current time, ns
     */
    void OnSwitchResponse(RdmaQueuePair& qp, const Frame& frame, int64_t nowNs);

    /// Runs the policy timers that are due.
    /// @param nowNs current time, ns
    void RunTimers(int64_t nowNs);

    /// Returns the time at which the next timer is due, ns; RdmaTimerHeap::NEVER if none is set.
    int64_t NextNs() const
    {
        return m_timers.TopNs();
    }

    /// Closes the policy's state of a queue pair and stops the policy's timer.
    /// @param qp the queue pair
    void Close(RdmaQueuePair& qp);

  private:
    /**
     * Counts the flow of a data packet.
     * @param qp the queue pair
     * @param frame the packet
     * @param nowNs current time, ns
     */
    void CountFlow(RdmaQueuePair& qp, const Frame& frame, int64_t nowNs);

    /**
     * Runs the policy for a data packet.
     * @param qp a queue pair whose policy runs at this end
     * @param frame the packet; its telemetry is removed if this end computes the window
     * @param nowNs current time, ns
     */
    void Run(RdmaQueuePair& qp, Frame& frame, int64_t nowNs);

    /**
     * Creates the policy's state for a queue pair when its first packet arrives.
     * @param qp the queue pair
     */
    void Open(RdmaQueuePair& qp);

    /**
     * Checks the values that the policy has set, schedules the policy's timer and sends the
     * policy's notification. Throws HpccInputError if a value cannot be used.
     * @param qp the queue pair
     * @param notification the notification for the sender
     * @param nowNs current time, ns
     * @param aheadNs minimum time from now to the policy's timer, ns
     */
    void Follow(RdmaQueuePair& qp,
                const RdmaNotification& notification,
                int64_t nowNs,
                int64_t aheadNs = 0);

    /**
     * Writes the window or rate into a CNP.
     * @param qp a queue pair whose window is computed at this end
     * @param notification the window or rate to send
     * @param frame the CNP
     */
    static void WriteWindow(RdmaQueuePair& qp, const RdmaNotification& notification, Frame& frame);

    RdmaHostCore& m_core;   ///< state shared by the host's parts
    RdmaCnpSender& m_cnps;  ///< sends notifications
    RdmaForgers& m_forgers; ///< forges the telemetry of a dishonest host
    RdmaTimerHeap m_timers; ///< timers of policies
    std::array<HpccFlowCounter, PRIORITIES> m_flowCounters; ///< counters of flows to this host, by
                                                            ///< traffic class
    bool m_countsFlows{false};                              ///< see CountsFlows()
};

} // namespace ns3

#endif // RDMA_RECEIVER_POLICIES_H
