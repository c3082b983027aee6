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
 * Sends the probes of a host's queue pairs, and passes the answers to HpccProbes. The PSN of a
 * probe is the number of the next data packet (RdmaQueuePair::sndNxtPsn). The lowest bits of
 * Frame::msn contain the number of the probe. Used only for queue pairs whose feedback mode sends
 * probes.
 */
class RdmaProber : private HpccProbeEngine<uint32_t>::Transport
{
  public:
    /**
     * Creates the part that sends probes.
     * @param core state shared by the parts of the host
     * @param pacer timers of the host's requesters
     */
    RdmaProber(RdmaHostCore& core, RdmaPacer& pacer)
        : m_core(core),
          m_pacer(pacer)
    {
    }

    /**
     * Handles the departure of a data packet.
     * @param qp queue pair of the packet; its feedback mode sends probes
     */
    void OnData(const RdmaQueuePair& qp)
    {
        m_engine.OnData(qp.slot, *qp.feedback->probes);
    }

    /// Returns true if no queue pair waits to send a probe, and no probe waits at the port.
    bool IsIdle() const
    {
        return m_engine.IsIdle() && m_waiting.empty();
    }

    /**
     * Handles the start of a frame's transmission. Fills in PSN and number if the frame is a probe;
     * otherwise sends the probes that are due.
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
     * @param psn sequence number in the answer: value of sndNxtPsn when the probe was sent
     * @param number number of the probe, as on the wire
     * @param nowNs current time, ns
     * @return the result of HpccProbes::OnAnswer()
     */
    static HpccProbes::Answer OnAnswer(RdmaQueuePair& qp,
                                       uint64_t psn,
                                       uint32_t number,
                                       int64_t nowNs);

    /**
     * Schedules the next probe after an accepted answer has been handled.
     * @param qp the queue pair
     * @param nowNs current time, ns
     */
    void Continue(RdmaQueuePair& qp, int64_t nowNs)
    {
        m_engine.Continue(qp.slot, *qp.feedback->probes, nowNs);
    }

    /// Handles the probes that have timed out, and sends the probes that have waited for
    /// ProbeSpacing.
    /// @param nowNs current time, ns
    void RunTimers(int64_t nowNs)
    {
        m_engine.RunTimers(nowNs);
    }

    /// Returns the time at which RunTimers() must be called next, ns; RdmaTimerHeap::NEVER if no
    /// timer is set.
    int64_t NextNs() const
    {
        return m_engine.GetNextNs();
    }

    /// Cancels the probe requested by a queue pair whose slot is about to be freed.
    /// @param qp the queue pair
    void Forget(const RdmaQueuePair& qp)
    {
        if (qp.feedback && qp.feedback->probes)
        {
            m_engine.Forget(qp.slot, *qp.feedback->probes);
        }
    }

  private:
    /// A probe in the queue of a port.
    struct Waiting
    {
        const Frame* frame; ///< the probe
        uint32_t owner;     ///< number of the queue pair at this host
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
     * Creates a probe of a queue pair.
     * @param qp a queue pair
     * @return the probe; its PSN and number are set when its transmission starts
     */
    Frame* Make(RdmaQueuePair& qp);

    /**
     * Handles a probe that leaves the port's queue.
     * @param frame the probe
     * @param nowNs current time, ns
     * @return queue pair of the probe; null if the queue pair no longer sends
     */
    RdmaQueuePair* TakeWaiting(const Frame& frame, int64_t nowNs);

    /**
     * Records the departure of a probe that the port sends or loses.
     * @param qp queue pair of the probe
     * @param nowNs current time, ns
     */
    void OnDeparture(RdmaQueuePair& qp, int64_t nowNs);

    RdmaHostCore& m_core;                      ///< state shared by the parts of the host
    RdmaPacer& m_pacer;                        ///< timers of the host's requesters
    HpccProbeEngine<uint32_t> m_engine{*this}; ///< decides when probes leave; keys are slots
    std::deque<Waiting> m_waiting;             ///< probes in the ports' queues, oldest first
};

} // namespace ns3

#endif // RDMA_PROBER_H
