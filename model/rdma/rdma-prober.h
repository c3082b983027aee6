/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PROBER_H
#define RDMA_PROBER_H

#include "rdma-feedback-state.h"
#include "rdma-host-core.h"
#include "rdma-pacer.h"
#include "rdma-queue-pair.h"

#include "ns3/hpcc-frame.h"
#include "ns3/hpcc-probe-engine.h"
#include "ns3/hpcc-probes.h"

#include <cstdint>
#include <deque>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Puts the probes of a host's queue pairs on the wire, and passes their answers on. Their number is
 * in the BTH (the lower bits of Frame::msn), their snd_nxt is the PSN. Only queue pairs whose
 * feedback sends probes reach it.
 */
class RdmaProber : private HpccProbeEngine<uint32_t>::Transport
{
  public:
    /**
     * @param core state shared by the parts of the host
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
    void OnData(const RdmaQueuePair& qp)
    {
        m_engine.OnData(qp.slot, *qp.feedback->probes);
    }

    /// @return true if no probe is wanted, or waits at the port
    bool IsIdle() const
    {
        return m_engine.IsIdle() && m_waiting.empty();
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
     * @return its properties
     */
    static HpccProbes::Answer OnAnswer(RdmaQueuePair& qp,
                                       uint64_t psn,
                                       uint32_t number,
                                       int64_t nowNs);

    /**
     * Continues after an answer that counts has been handled.
     * @param qp the queue pair
     * @param nowNs current time, ns
     */
    void Continue(RdmaQueuePair& qp, int64_t nowNs)
    {
        m_engine.Continue(qp.slot, *qp.feedback->probes, nowNs);
    }

    /// Handles the probes that have timed out, and sends those that have waited for ProbeSpacing.
    /// @param nowNs current time, ns
    void RunTimers(int64_t nowNs)
    {
        m_engine.RunTimers(nowNs);
    }

    /// @return when RunTimers() is due, ns; RdmaTimerHeap::NEVER if nothing is
    int64_t NextNs() const
    {
        return m_engine.GetNextNs();
    }

    /// Forgets the probe requested by a queue pair whose slot is about to be freed.
    /// @param qp the queue pair
    void Forget(const RdmaQueuePair& qp)
    {
        if (qp.feedback && qp.feedback->probes)
        {
            m_engine.Forget(qp.slot, *qp.feedback->probes);
        }
    }

  private:
    /// A probe in the port's queue.
    struct Waiting
    {
        const Frame* frame; ///< the probe
        uint32_t owner;     ///< number of its queue pair at this host
    };

    HpccProbes* FindProbes(const uint32_t& slot) override;
    bool HasDataInFlight(const uint32_t& slot) override;
    void SendProbe(const uint32_t& slot, int64_t nowNs) override;

    void ScheduleProbes(int64_t atNs) override
    {
        m_core.ScheduleTimers(atNs);
    }

    int64_t GetProbeSpacingNs() const override
    {
        return m_core.settings.probeSpacing.GetNanoSeconds();
    }

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

    RdmaHostCore& m_core;                      ///< state shared by the parts of the host
    RdmaPacer& m_pacer;                        ///< the times of its requesters
    HpccProbeEngine<uint32_t> m_engine{*this}; ///< when they leave; keys are slots
    std::deque<Waiting> m_waiting;             ///< probes in the port's queue, oldest first
};

} // namespace ns3

#endif // RDMA_PROBER_H
