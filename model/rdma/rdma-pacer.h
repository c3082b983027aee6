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
 * Runs the timers of a host's requesters: the pacing time of the next packet, the timer of the
 * policy, and the retransmission time-out. This class also checks and applies the values that a
 * policy sets.
 */
class RdmaPacer
{
  public:
    /// Creates the part that runs the timers of a host's requesters.
    /// @param core state shared by the parts of the host
    explicit RdmaPacer(RdmaHostCore& core)
        : m_core(core)
    {
    }

    /**
     * Raises an event of a queue pair's policy with RdmaPolicyValues::Raise(), and then schedules
     * the timer that the policy has set.
     * @param qp the queue pair
     * @param nowNs current time, ns
     * @param event the function of the policy that handles the event
     * @param info argument of that function
     * @param aheadNs minimum time from now to the policy's timer, ns
     */
    template <typename Parameter, typename Info>
    void Raise(const RdmaQueuePair& qp,
               int64_t nowNs,
               void (RdmaCongestionOps::*event)(RdmaCongestionState*, Parameter),
               const Info& info,
               int64_t aheadNs = 0)
    {
        RdmaPolicyValues::Raise(qp, nowNs, event, info, aheadNs);
        SchedulePolicyTimer(qp);
    }

    /**
     * Reports the departure of a packet that is not part of a message, such as a probe, to the
     * policy of the queue pair. Does nothing if RdmaCongestionState::telemetryRequest is 0.
     * @param qp the queue pair
     * @param frame the packet
     * @param nowNs current time, ns
     */
    void ReportProbe(const RdmaQueuePair& qp, const Frame& frame, int64_t nowNs);

    /// Schedules the timer that the policy of a queue pair has set.
    /// @param qp the queue pair
    void SchedulePolicyTimer(const RdmaQueuePair& qp);

    /// Computes the pacing time of the next packet from the departure of the last packet.
    /// @param qp the queue pair
    void Pace(RdmaQueuePair& qp) const;

    /// Recomputes the pacing time of the next packet, because the rate may have changed. Does
    /// nothing if RdmaHost::RetimePending is false.
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
     * Applies changes of window and rate: calls Repace() and Reschedule().
     * @param qp the queue pair
     * @param nowNs current time, ns
     */
    void Apply(RdmaQueuePair& qp, int64_t nowNs)
    {
        Repace(qp);
        Reschedule(qp, nowNs);
    }

    /**
     * Returns a limit for the pacing time of the next packet, ns. If this pacing time does not
     * exceed the limit, a queue pair that is sending now rejoins its ring immediately. With
     * RdmaHost::RejoinAtOnce, the limit is 1 ns after the end of the present packet, so that
     * rounding has no effect; otherwise the limit is @p nowNs.
     * @param qp the queue pair
     * @param nowNs start of the packet, ns
     */
    int64_t EndOfTurnNs(const RdmaQueuePair& qp, int64_t nowNs) const;

    /**
     * Starts or restarts the retransmission time-out of a queue pair.
     * @param qp the queue pair
     * @param nowNs current time, ns
     */
    void StartTimeout(RdmaQueuePair& qp, int64_t nowNs);

    /// Runs the policy timers that are due.
    /// @param nowNs current time, ns
    void RunPolicyTimers(int64_t nowNs);

    /**
     * Finds a queue pair whose retransmission time-out has expired, and stops the time-out.
     * @param nowNs current time, ns
     * @return the queue pair; null if there is none
     */
    RdmaQueuePair* TakeTimedOut(int64_t nowNs);

    /// Returns the time at which the next timer is due, ns; RdmaTimerHeap::NEVER if none is set.
    int64_t NextNs() const
    {
        return std::min(m_policyTimers.TopNs(), m_timeouts.TopNs());
    }

    /// Stops the policy timer of a queue pair.
    /// @param qp the queue pair
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
    /**
     * Computes a transmission time with the rounding of ns-3's Seconds(8 * bytes/rate). The time in
     * seconds, a double, is truncated to a multiple of 2^-64 s, and then to whole ns. If the exact
     * time is a whole number of ns, the result is usually 1 ns less.
     * @param bytes bytes to send
     * @param rateBps rate, bit/s
     * @return the time, ns
     */
    static double TruncatedNs(uint32_t bytes, double rateBps);

    RdmaHostCore& m_core;         ///< state shared by the parts of the host
    RdmaTimerHeap m_policyTimers; ///< timers of policies
    RdmaTimerHeap m_timeouts;     ///< retransmission time-outs. An entry may be earlier than the
                                  ///< actual expiry, because an acknowledgement postpones the
                                  ///< expiry without moving the entry
};

} // namespace ns3

#endif // RDMA_PACER_H
