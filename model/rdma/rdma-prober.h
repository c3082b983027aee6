/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PROBER_H
#define RDMA_PROBER_H

#include "rdma-host-core.h"
#include "rdma-pacer.h"
#include "rdma-queue-pair.h"
#include "rdma-timer-heap.h"

#include "ns3/hpcc-frame.h"
#include "ns3/hpcc-probes.h"

#include <algorithm>
#include <cstdint>
#include <deque>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Sends the probes of a host's queue pairs, as their HpccProbes want them and ProbeSpacing permits.
 * Only queue pairs whose feedback sends probes reach it.
 */
class RdmaProber
{
  public:
    /**
     * @param core what the parts of the host share
     * @param pacer the times of its requesters
     */
    RdmaProber(RdmaHostCore& core, RdmaPacer& pacer)
        : m_core(core),
          m_pacer(pacer)
    {
    }

    /**
     * Handles a data packet that leaves.
     * @param qp its queue pair, which sends probes
     */
    void OnData(const RdmaQueuePair& qp);

    /// @return true if no probe is wanted, or waits at the port
    bool IsIdle() const
    {
        return m_wanted.empty() && m_waiting.empty();
    }

    /**
     * Handles a frame that starts its transmission: stamps a probe, and after other frames sends
     * the probes that are wanted.
     * @param frame the frame
     * @param nowNs current time, ns
     */
    void OnTransmission(Frame& frame, int64_t nowNs);

    /**
     * Handles a frame that is lost at the port.
     * @param frame the frame
     * @param nowNs current time, ns
     */
    void OnLoss(const Frame& frame, int64_t nowNs);

    /**
     * Handles the answer to a probe.
     * @param qp the queue pair
     * @param psn snd_nxt that the answer names, in packets
     * @param number of the probe on the wire
     * @param nowNs current time, ns
     * @return what the answer is worth
     */
    static HpccProbes::Answer OnAnswer(RdmaQueuePair& qp,
                                       uint64_t psn,
                                       uint32_t number,
                                       int64_t nowNs);

    /**
     * Requests the next probe of a queue pair if one is wanted, and sets its timer.
     * @param qp the queue pair
     * @param nowNs current time, ns
     */
    void Continue(RdmaQueuePair& qp, int64_t nowNs);

    /// Handles the probes that have timed out, and sends those that have waited for ProbeSpacing.
    /// @param nowNs current time, ns
    void RunTimers(int64_t nowNs);

    /// @return when a timer is due, ns; RdmaTimerHeap::NEVER if none is set
    int64_t NextNs() const
    {
        return std::min(m_timers.TopNs(), m_wanted.empty() ? RdmaTimerHeap::NEVER : m_nextNs);
    }

    /// Stops the timer of a queue pair.
    /// @param qp the queue pair
    void Forget(const RdmaQueuePair& qp)
    {
        m_timers.Remove(qp.slot);
    }

  private:
    /// A probe in the port's queue.
    struct Waiting
    {
        const Frame* frame; ///< the probe
        uint32_t owner;     ///< number of its queue pair at this host
    };

    /// Sends the probes that are wanted, as far as ProbeSpacing permits.
    /// @param nowNs current time, ns
    void Send(int64_t nowNs);

    /**
     * @param qp a queue pair
     * @return its probe, not stamped
     */
    Frame* Make(RdmaQueuePair& qp);

    /**
     * Handles a probe that leaves the port's queue.
     * @param frame the probe
     * @param nowNs current time, ns
     * @return its queue pair; null if that does not send any more
     */
    RdmaQueuePair* TakeWaiting(const Frame& frame, int64_t nowNs);

    /**
     * Handles a probe that leaves, or is lost at the port.
     * @param qp its queue pair
     * @param nowNs current time, ns
     */
    void OnDeparture(RdmaQueuePair& qp, int64_t nowNs);

    RdmaHostCore& m_core;          ///< what the parts of the host share
    RdmaPacer& m_pacer;            ///< the times of its requesters
    RdmaTimerHeap m_timers;        ///< time-outs of probes
    std::deque<uint32_t> m_wanted; ///< queue pairs by number that want a probe
    std::deque<Waiting> m_waiting; ///< probes in the port's queue, oldest first
    int64_t m_nextNs{0};           ///< no probe before, ns
};

} // namespace ns3

#endif // RDMA_PROBER_H
