/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PACER_H
#define RDMA_PACER_H

#include "rdma-host-core.h"
#include "rdma-policy-values.h"
#include "rdma-queue-pair.h"
#include "rdma-timer-heap.h"

#include "ns3/rdma-congestion-ops.h"

#include <algorithm>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Keeps the times of a host's requesters: when the next packet may leave, when the policy wants to
 * run, and when the oldest packet in flight times out. It checks and applies what a policy has set.
 */
class RdmaPacer
{
  public:
    /// @param core state shared by the parts of the host
    explicit RdmaPacer(RdmaHostCore& core)
        : m_core(core)
    {
    }

    /**
     * Raises an event of a queue pair's policy, as RdmaPolicyValues::Raise() does, and then
     * schedules the timer that the policy has set.
     * @param qp the queue pair
     * @param nowNs current time, ns
     * @param event the function of the policy that handles it
     * @param info of the event
     * @param aheadNs the timer must be at least this much later, ns
     */
    template <typename Parameter, typename Info>
    void Raise(const RdmaQueuePair& qp,
               int64_t nowNs,
               void (RdmaCongestionOps::*event)(RdmaCongestionState*, Parameter),
               const Info& info,
               int64_t aheadNs = 0)
    {
        RdmaPolicyValues::Raise(qp, nowNs, event, info, aheadNs);
        Obey(qp);
    }

    /**
     * Reports a packet apart from messages, such as a probe, to the policy of a queue pair when it
     * leaves, if the policy has requested telemetry of it.
     * @param qp the queue pair
     * @param frame the packet
     * @param nowNs current time, ns
     */
    void ReportProbe(const RdmaQueuePair& qp, const Frame& frame, int64_t nowNs);

    /// Schedules the timer that the policy of a queue pair has set.
    /// @param qp the queue pair
    void Obey(const RdmaQueuePair& qp);

    /// Sets the time of the next packet, after one has left.
    /// @param qp the queue pair
    void Pace(RdmaQueuePair& qp) const;

    /// Moves the time of the next packet after the rate may have changed.
    /// @param qp the queue pair
    void Repace(RdmaQueuePair& qp) const
    {
        if (m_core.settings.retimePending)
        {
            Pace(qp);
        }
    }

    /**
     * Updates the NIC scheduler for a queue pair whose window, rate or messages have changed.
     * @param qp the queue pair
     * @param nowNs current time, ns
     */
    void Reschedule(RdmaQueuePair& qp, int64_t nowNs);

    /**
     * Applies a window and rate that may have changed: Repace() and Reschedule().
     * @param qp the queue pair
     * @param nowNs current time, ns
     */
    void Apply(RdmaQueuePair& qp, int64_t nowNs)
    {
        Repace(qp);
        Reschedule(qp, nowNs);
    }

    /**
     * Starts or restarts the retransmission time-out.
     * @param qp the queue pair
     * @param nowNs current time, ns
     */
    void StartTimeout(RdmaQueuePair& qp, int64_t nowNs);

    /// Runs the timers of policies that are due.
    /// @param nowNs current time, ns
    void RunPolicyTimers(int64_t nowNs);

    /**
     * @param nowNs current time, ns
     * @return a queue pair whose retransmission time-out has come, and is not set any more; null if
     * there is none
     */
    RdmaQueuePair* TakeTimedOut(int64_t nowNs);

    /// @return when a timer is due, ns; RdmaTimerHeap::NEVER if none is set
    int64_t NextNs() const
    {
        return std::min(m_policyTimers.TopNs(), m_timeouts.TopNs());
    }

    /// Stops the timer of a policy.
    /// @param qp its queue pair
    void StopPolicyTimer(const RdmaQueuePair& qp)
    {
        m_policyTimers.Remove(qp.slot);
    }

    /// Stops all timers of a queue pair.
    /// @param qp the queue pair
    void Forget(const RdmaQueuePair& qp)
    {
        m_policyTimers.Remove(qp.slot);
        m_timeouts.Remove(qp.slot);
    }

  private:
    RdmaHostCore& m_core;         ///< state shared by the parts of the host
    RdmaTimerHeap m_policyTimers; ///< timers of policies
    RdmaTimerHeap m_timeouts;     ///< retransmission time-outs, checked lazily
};

} // namespace ns3

#endif // RDMA_PACER_H
